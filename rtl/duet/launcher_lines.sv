// SPDX-License-Identifier: Apache-2.0
// launcher_lines: what a step of tb_launcher wants of the bitmap, and the request to it, the switch
// logic's first.
module launcher_lines (
  input  logic [4:0]  state_i,
  input  logic        book_i,
  input  logic        tbs_i,         // level TB
  input  logic        regs_move_i,
  input  logic        extra_i,
  input  logic        away_i,        // the warp read last is switched out
  input  logic        spilled_i,     // the TB read last has absent warps
  input  logic        l1_i,          // the L1 is tried
  input  logic [9:0]  regs_i,
  input  logic [11:0] tb_regs_i,
  input  logic [9:0]  cfg_smem_i,
  input  logic [11:0] away_lines_i,  // of a unit that is switched out
  input  logic [11:0] smem_i,        // addresses
  input  logic [11:0] row_i,
  input  logic [11:0] meta_i,
  input  logic        busy_i,        // the bitmap has been asked
  input  logic        mem_req_i,
  input  logic        mem_free_i,
  input  logic [1:0]  mem_region_i,
  input  logic [11:0] mem_count_i,
  input  logic [11:0] mem_addr_i,
  output logic        step_o,        // the step is about lines
  output logic        gives_o,
  output logic        other_o,       // the L1 is a choice
  output logic        none_o,        // no lines: nothing is to be asked
  output logic        map_valid_o,
  output logic        map_op_o,
  output logic [1:0]  map_region_o,
  output logic [11:0] map_count_o,
  output logic [11:0] map_addr_o
);

  localparam logic [4:0] StSmem = 5'd2, StRegs = 5'd4, StAway = 5'd5, StFreeRegs = 5'd16,
                         StFreeAway = 5'd17, StFreeSmem = 5'd20;
  localparam logic [1:0] InRegisters = 2'd0, InShared = 2'd1, InL1 = 2'd2;

  logic [1:0]  region;
  logic [11:0] count, from;
  always_comb begin
    step_o = 1'b1;
    gives_o      = 1'b0;
    other_o      = 1'b0;
    region     = InRegisters;
    count      = 12'd0;
    from       = 12'd0;
    unique case (state_i)
      StSmem: begin
        other_o  = tbs_i && extra_i;
        region = other_o ? InRegisters : InShared;
        count  = other_o ? away_lines_i : 12'(cfg_smem_i);
      end
      StRegs: count = book_i ? tb_regs_i : 12'(regs_i);
      StAway: begin
        other_o  = 1'b1;
        region = InShared;
        count  = away_lines_i;
      end
      StFreeRegs: begin
        gives_o = 1'b1;
        count = (away_i && regs_move_i) ? away_lines_i : 12'(regs_i);
        from  = row_i;
      end
      StFreeAway: begin
        gives_o = 1'b1;
        count = away_lines_i;
        from  = meta_i;
      end
      StFreeSmem: begin
        gives_o = 1'b1;
        count = (spilled_i && tbs_i) ? away_lines_i : 12'(cfg_smem_i);
        from  = smem_i;
      end
      default: step_o = 1'b0;
    endcase
    if (l1_i && other_o) region = InL1;
  end
  assign none_o       = count == 12'd0;
  assign map_valid_o  = !busy_i && (mem_req_i || !none_o);
  assign map_op_o     = map_valid_o && (mem_req_i ? mem_free_i : gives_o);
  assign map_region_o = !map_valid_o ? 2'd0 : mem_req_i ? mem_region_i : region;
  assign map_count_o  = !map_valid_o ? 12'd0 : mem_req_i ? mem_count_i : count;
  assign map_addr_o   = !map_valid_o ? 12'd0 : mem_req_i ? mem_addr_i : from;

endmodule
