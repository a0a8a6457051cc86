// SPDX-License-Identifier: Apache-2.0
// simt_stack: the copy of one warp's SIMT stack for hint mode.
//
// The top has a register of its own, so that nothing has to be looked up before it is compared with
// the operation; below it the stack, in which entry e is the one with e entries under it:
//
//   top_q           {mask, rpc, pc}, the entry depth_q - 1
//   gen_entry[e]    the entry e, while e + 1 < depth_q
//
// Each operation says what the new top is and which of two entries are written below it:
//
//                                       old top's place     the place above    new top
//   load                                the old top                            loaded
//   split, rpc not the top's            top with pc = rpc   other              the last side pushed
//   split, rpc the top's                other                                  the last side pushed
//   advance, or no side pushed                                                 pc new, or from below
//
// A place that the new depth does not reach may be written with anything: depth_q says which entries
// hold something. So they have no reset, and the output is masked by it.
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

  logic [DepthW-1:0]             depth_q, depth_d;
  logic                          overflow_q, overflow_d;
  logic                          fault_q, fault_d;
  logic [EntryW-1:0]             top_q, top_d;
  logic [(Entries-1)*EntryW-1:0] stack;  // below the top

  logic [EntryW-1:0] below;  // the entry under the top
  logic [31:0]       top_rpc;
  logic [Lanes-1:0]  top_mask;
  logic              empty, nested;
  always_comb begin
    below = '0;
    for (int unsigned e = 0; e < Entries - 1; e++) begin
      if (depth_q == DepthW'(e + 2)) below = below | stack[e*EntryW +: EntryW];
    end
  end
  assign {top_mask, top_rpc} = top_q[EntryW-1:32];
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

  // A split: which sides are pushed, over the top or in its place, and whether there is room.
  logic              flat, push_other, push_taken, fits, split_ok, leaves;
  logic [1:0]        pushed;
  logic [DepthW:0]   over_depth;
  logic [DepthW-1:0] split_depth;
  assign flat        = nested && rpc_i == top_rpc;
  assign push_other  = alt_pc_i != rpc_i;
  assign push_taken  = pc_i != rpc_i;
  assign pushed      = 2'(push_other) + 2'(push_taken);
  assign over_depth  = {1'b0, depth_q} + (DepthW+1)'(pushed);
  assign split_depth = over_depth[DepthW-1:0] - DepthW'(flat);
  assign fits        = over_depth <= (DepthW+1)'(Entries) ||
                       (flat && over_depth == (DepthW+1)'(Entries + 1));
  assign split_ok    = do_split && fits;
  assign leaves      = nested && advance_pc == top_rpc;

  // What is written: the new top, its old place and the place above.
  logic [EntryW-1:0] side_other, side_taken, top_at_rpc, old_place;
  assign side_other = {lanes_other, rpc_i, alt_pc_i};
  assign side_taken = {lanes_taken, rpc_i, pc_i};
  assign top_at_rpc = {top_q[EntryW-1:32], rpc_i};
  assign old_place  = do_load ? top_q
                    : flat    ? side_other
                              : top_at_rpc;
  always_comb begin
    top_d = top_q;
    if (do_load) begin
      top_d = {mask_i[Lanes-1:0], rpc_i, pc_i};
    end else if (split_ok) begin
      if (push_taken)      top_d = side_taken;
      else if (push_other) top_d = side_other;
      else                 top_d = flat ? below : top_at_rpc;
    end else if (do_advance) begin
      top_d = leaves ? below : {top_q[EntryW-1:32], advance_pc};
    end
  end

  // Without reset, as the entries below: hidden until written.
  always_ff @(posedge clk_i) begin
    top_q <= top_d;
  end
  for (genvar e = 0; e < Entries - 1; e++) begin : gen_entry
    logic [EntryW-1:0] entry_q, entry_d;
    always_comb begin
      entry_d = entry_q;
      if (op_i == 3'd2 || op_i == 3'd4) begin
        if (depth_q == DepthW'(e + 1)) entry_d = old_place;
        if (depth_q == DepthW'(e))     entry_d = side_other;
      end
    end
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
      depth_d = split_depth;
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
  assign pc_o       = empty ? 32'h0 : top_q[31:0];
  assign rpc_o      = empty ? 32'h0 : top_rpc;
  assign mask_o     = empty ? 64'h0 : 64'(top_mask);
  assign overflow_o = overflow_q;
  assign fault_o    = fault_q;

endmodule
