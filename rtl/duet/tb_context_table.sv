// SPDX-License-Identifier: Apache-2.0
// tb_context_table: valid, absent mask and shared-memory address per TB.
//
// A row decodes on its own what the find port asks for: whether any warp is absent, and whether
// its shared memory is in place. The two facts of all rows go to one priority encoder.
//
// Source: Lin-D 3.6.6, Fig. 3.11b.
module tb_context_table #(
  parameter int unsigned Tbs       = 32,    // 1 to 32
  parameter int unsigned TbWarps   = 32,    // 1 to 32
  parameter int unsigned SmemBase  = 2048,  // 0 to 3,071
  parameter int unsigned SmemUnits = 768    // SmemBase + SmemUnits <= 3,072
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [2:0]  op_i,
  input  logic [4:0]  id_i,
  input  logic [31:0] mask_i,
  input  logic [11:0] addr_i,
  input  logic [4:0]  look_id_i,
  input  logic [1:0]  find_kind_i,
  input  logic [4:0]  find_from_i,
  output logic        look_valid_o,
  output logic [31:0] look_mask_o,
  output logic [11:0] look_addr_o,
  output logic        look_present_o,
  output logic        find_found_o,
  output logic [4:0]  find_id_o,
  output logic        fault_o
);

  localparam logic [2:0] OpNone   = 3'd0;
  localparam logic [2:0] OpInsert = 3'd1;
  localparam logic [2:0] OpRemove = 3'd2;
  localparam logic [2:0] OpSet    = 3'd3;
  localparam logic [2:0] OpClear  = 3'd4;
  localparam logic [2:0] OpMove   = 3'd5;
  localparam logic [1:0] Free     = 2'd0;
  localparam logic [1:0] Whole    = 2'd1;
  localparam logic [1:0] Partial  = 2'd2;
  localparam logic [11:0] NoSmem  = 12'hfff;
  localparam logic [31:0] AllWarps = 32'hffff_ffff >> (32 - TbWarps);
  localparam int unsigned IdxW    = (Tbs > 1) ? $clog2(Tbs) : 1;

  if (Tbs < 1 || Tbs > 32 || TbWarps < 1 || TbWarps > 32) begin : gen_bad_size
    $fatal(1, "tb_context_table: Tbs and TbWarps are 1 to 32");
  end
  if (SmemUnits < 1 || SmemBase + SmemUnits > 3072) begin : gen_bad_smem
    $fatal(1, "tb_context_table: shared memory ends at 3,072 or below");
  end

  logic [Tbs-1:0] valid_q, valid_d;
  logic           fault_q, fault_d;

  logic            id_ok, hit, fits, ok, write_mask, write_addr;
  logic [IdxW-1:0] idx;
  assign id_ok = 6'(id_i) < 6'(Tbs);
  assign idx   = id_ok ? IdxW'(id_i) : '0;
  assign hit   = id_ok && valid_q[idx];
  assign fits  = (mask_i & ~AllWarps) == 32'd0;
  always_comb begin
    unique case (op_i)
      OpNone:           ok = 1'b1;
      OpInsert:         ok = id_ok && !hit && fits;
      OpSet, OpClear:   ok = hit && fits;
      OpRemove, OpMove: ok = hit;
      default:          ok = 1'b0;
    endcase
  end
  assign write_mask = ok && (op_i == OpInsert || op_i == OpSet || op_i == OpClear);
  assign write_addr = ok && (op_i == OpInsert || op_i == OpMove);

  always_comb begin
    valid_d = valid_q;
    if (ok && op_i == OpInsert) valid_d[idx] = 1'b1;
    if (ok && op_i == OpRemove) valid_d[idx] = 1'b0;
  end
  assign fault_d = fault_q || !ok;
  assign fault_o = fault_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      fault_q <= 1'b0;
    end else begin
      valid_q <= valid_d;
      fault_q <= fault_d;
    end
  end

  logic [TbWarps*Tbs-1:0] absent;
  logic [12*Tbs-1:0]      addr;
  logic [Tbs-1:0]         any_absent, in_place;
  for (genvar t = 0; t < Tbs; t++) begin : gen_row
    logic [TbWarps-1:0] absent_q, absent_d;
    logic [11:0]        addr_q;
    always_comb begin
      unique case (op_i)
        OpSet:   absent_d = absent_q | mask_i[TbWarps-1:0];
        OpClear: absent_d = absent_q & ~mask_i[TbWarps-1:0];
        default: absent_d = mask_i[TbWarps-1:0];
      endcase
    end
    // Without reset: masked until the entry is valid.
    always_ff @(posedge clk_i) begin
      if (write_mask && idx == IdxW'(t)) absent_q <= absent_d;
      if (write_addr && idx == IdxW'(t)) addr_q <= addr_i;
    end
    assign absent[TbWarps*t +: TbWarps] = absent_q;
    assign addr[12*t +: 12]             = addr_q;
    assign any_absent[t]                = absent_q != '0;
    // One subtraction decides the range: below the base it wraps above every size.
    assign in_place[t] = addr_q == NoSmem ||
                         {1'b0, addr_q} - 13'(SmemBase) < 13'(SmemUnits);
  end

  // Look up.
  logic            look_ok;
  logic [IdxW-1:0] look_idx;
  assign look_ok  = 6'(look_id_i) < 6'(Tbs);
  assign look_idx = look_ok ? IdxW'(look_id_i) : '0;

  assign look_valid_o   = look_ok && valid_q[look_idx];
  assign look_mask_o    = look_valid_o ? 32'(absent[TbWarps*look_idx +: TbWarps]) : 32'd0;
  assign look_addr_o    = look_valid_o ? addr[12*look_idx +: 12] : 12'd0;
  assign look_present_o = look_valid_o && in_place[look_idx];

  // Find.
  logic [Tbs-1:0] of_kind;
  always_comb begin
    unique case (find_kind_i)
      Free:    of_kind = ~valid_q;
      Whole:   of_kind = valid_q & ~any_absent & in_place;
      Partial: of_kind = valid_q & any_absent;
      default: of_kind = valid_q & ~in_place;
    endcase
  end
  first_set #(
    .Bits(Tbs),
    .IdW (5)
  ) u_find (
    .set_i  (of_kind),
    .from_i (find_from_i),
    .found_o(find_found_o),
    .id_o   (find_id_o)
  );

endmodule
