// SPDX-License-Identifier: Apache-2.0
// simt_stack: the copy of one warp's SIMT stack for hint mode.
//
// Each operation is reduced to three questions, answered from the top alone: is the top rewritten
// (its pc), which entries are written from depth_q - 1 up, and what is the new depth. The first of
// the written entries has position `at`, the second at + 1:
//
//   load                          at = depth     {pc, rpc, mask}
//   split, rpc not the top's      top.pc = rpc,  at = depth
//   split, rpc the top's          at = depth - 1 (over the top)
//   advance                       top.pc = pc,   or depth - 1
//
// Entries have no reset: depth_q says which hold something, and the output is masked by it.
//
// Source: Gong 5.3.3, 5.3.6.
module simt_stack #(
  parameter int unsigned Entries = 8,  // 3 to 16
  parameter int unsigned Lanes   = 64  // 2 to 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [2:0]  op_i,
  input  logic [31:0] pc_i,
  input  logic [31:0] alt_pc_i,
  input  logic [31:0] rpc_i,
  input  logic [63:0] mask_i,
  output logic [4:0]  depth_o,
  output logic [31:0] pc_o,
  output logic [31:0] rpc_o,
  output logic [63:0] mask_o,
  output logic        overflow_o,
  output logic        fault_o
);

  if (Entries < 3 || Entries > 16 || Lanes < 2 || Lanes > 64) begin : gen_bad_size
    $fatal(1, "simt_stack: Entries must be 3 to 16, Lanes 2 to 64");
  end

  if (Lanes < 64) begin : gen_unused
    logic unused_mask;
    assign unused_mask = ^mask_i[63:Lanes];
  end

  localparam int unsigned DepthW = $clog2(Entries + 1);
  localparam int unsigned EntryW = Lanes + 64;  // {mask, rpc, pc}

  logic [DepthW-1:0]         depth_q, depth_d;
  logic                      overflow_q, overflow_d;
  logic                      fault_q, fault_d;
  logic [Entries*EntryW-1:0] stack;

  // The top.
  logic [EntryW-1:0] top;
  logic [31:0]       top_rpc;
  logic [Lanes-1:0]  top_mask;
  logic              empty, nested;
  always_comb begin
    top = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (depth_q == DepthW'(e + 1)) top = top | stack[e*EntryW +: EntryW];
    end
  end
  assign {top_mask, top_rpc} = top[EntryW-1:32];
  assign empty  = depth_q == '0;
  assign nested = depth_q > DepthW'(1);

  // Operations.
  logic             do_clear, do_load, do_step, do_branch, do_split, do_advance, full;
  logic [Lanes-1:0] lanes_taken, lanes_other;
  logic             any_taken, any_other;
  logic [31:0]      advance_pc;
  assign full        = depth_q == DepthW'(Entries);
  assign do_clear    = op_i == 3'd1;
  assign do_load     = op_i == 3'd2 && !full;
  assign do_step     = op_i == 3'd3 && !empty;
  assign do_branch   = op_i == 3'd4 && !empty;
  assign lanes_taken = top_mask & mask_i[Lanes-1:0];
  assign lanes_other = top_mask & ~mask_i[Lanes-1:0];
  assign any_taken   = lanes_taken != '0;
  assign any_other   = lanes_other != '0;
  assign do_split    = do_branch && any_taken && any_other;
  assign do_advance  = do_step || (do_branch && !do_split);
  assign advance_pc  = (do_branch && !any_taken) ? alt_pc_i : pc_i;

  // A split: which sides are pushed, from where, and whether there is room.
  logic              flat, push_other, push_taken, fits, split_ok, leaves;
  logic [DepthW:0]   split_depth;
  logic [DepthW-1:0] at;
  assign flat        = nested && rpc_i == top_rpc;
  assign push_other  = alt_pc_i != rpc_i;
  assign push_taken  = pc_i != rpc_i;
  assign at          = (do_split && flat) ? depth_q - DepthW'(1) : depth_q;
  assign split_depth = {1'b0, at} + (DepthW+1)'(push_other) + (DepthW+1)'(push_taken);
  assign fits        = split_depth <= (DepthW+1)'(Entries);
  assign split_ok    = do_split && fits;
  assign leaves      = nested && advance_pc == top_rpc;

  // What is written.
  logic              put_first, put_second, set_top_pc;
  logic [EntryW-1:0] side_other, side_taken, first;
  logic [31:0]       top_pc_new;
  assign side_other = {lanes_other, rpc_i, alt_pc_i};
  assign side_taken = {lanes_taken, rpc_i, pc_i};
  assign first      = do_load    ? {mask_i[Lanes-1:0], rpc_i, pc_i}
                    : push_other ? side_other
                                 : side_taken;
  assign put_first  = do_load || (split_ok && (push_other || push_taken));
  assign put_second = split_ok && push_other && push_taken;
  assign set_top_pc = (do_advance && !leaves) || (split_ok && !flat);
  assign top_pc_new = do_split ? rpc_i : advance_pc;

  for (genvar e = 0; e < Entries; e++) begin : gen_entry
    logic [EntryW-1:0] entry_q, entry_d;
    logic              is_first, is_second, is_top;
    assign is_first  = put_first && at == DepthW'(e);
    assign is_second = put_second && {1'b0, at} + (DepthW+1)'(1) == (DepthW+1)'(e);
    assign is_top    = set_top_pc && depth_q == DepthW'(e + 1);
    assign entry_d   = is_first  ? first
                     : is_second ? side_taken
                     : is_top    ? {entry_q[EntryW-1:32], top_pc_new}
                                 : entry_q;
    // Without reset: hidden until written.
    always_ff @(posedge clk_i) begin
      entry_q <= entry_d;
    end
    assign stack[e*EntryW +: EntryW] = entry_q;
  end

  always_comb begin
    depth_d    = depth_q;
    overflow_d = overflow_q;
    fault_d    = fault_q;
    if (do_clear) begin
      depth_d    = '0;
      overflow_d = 1'b0;
    end else if (do_load) begin
      depth_d = depth_q + DepthW'(1);
    end else if (split_ok) begin
      depth_d = split_depth[DepthW-1:0];
    end else if (do_split) begin
      overflow_d = 1'b1;
    end else if (do_advance) begin
      if (leaves) depth_d = depth_q - DepthW'(1);
    end else if (op_i != 3'd0) begin
      fault_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      depth_q    <= '0;
      overflow_q <= 1'b0;
      fault_q    <= 1'b0;
    end else begin
      depth_q    <= depth_d;
      overflow_q <= overflow_d;
      fault_q    <= fault_d;
    end
  end

  assign depth_o    = 5'(depth_q);
  assign pc_o       = top[31:0];
  assign rpc_o      = top_rpc;
  assign mask_o     = 64'(top_mask);
  assign overflow_o = overflow_q;
  assign fault_o    = fault_q;

endmodule
