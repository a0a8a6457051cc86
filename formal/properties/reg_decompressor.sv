// SPDX-License-Identifier: Apache-2.0
// reg_decompressor: two elastic stages. One watched register, any one, is followed from its offer to its
// departure.
`include "frame.svh"

  (* anyseq *)   logic       pick;
  logic [1:0] held;     // registers inside
  logic       broken;
  logic       taken, left;
  assign taken = valid_i && ready_o;
  assign left  = valid_o && ready_i;
  // A watched offer: how many leave before it.
  logic       watch;
  logic [1:0] ahead;
  logic [5:0] tag;
  logic [1:0] pattern;
  logic [31:0] word0;
  always @(posedge clk_i) begin
    if (!rst_ni) {held, watch, broken} <= '0;
    else begin
      held <= held + 2'(taken) - 2'(left);
      if (taken && pag_i == 2'd3) broken <= 1'b1;
      if (!watch && pick && taken) begin
        watch   <= 1'b1;
        ahead   <= held - 2'(left);
        tag     <= tag_i;
        pattern <= pattern_i;
        word0   <= word_i[31:0];
      end else if (watch && left) begin
        if (ahead == 0) watch <= 1'b0;
        else            ahead <= ahead - 2'd1;
      end
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | held_most: it holds two registers at most
    held_most: assert (held <= 2'd2 && (held != 0 || !valid_o));
    // pdr | not_lost: the watched register is inside
    if (watch) not_lost: assert (ahead < held);
    // pdr | order: a register that leaves carries the tag of its offer, in the order of offers
    if (watch && ahead == 0 && valid_o) order: assert (tag_o == tag);
    // pdr | lane0: its first lane is the poison where dead, else the first word
    if (watch && ahead == 0 && valid_o) lane0: assert (lane_o[31:0] == (pattern == 0 ? 32'(Poison) : word0));
    // pdr | ready_exact: an offer is taken where a stage is free, or the output is taken
    ready_exact: assert (ready_o == (held != 2'd2 || ready_i));
    if (was_ni) begin
      // pdr | stable: what stands at the output holds until it is taken
      if ($past(valid_o && !ready_i)) stable: assert (valid_o && tag_o == $past(tag_o) && lane_o == $past(lane_o));
      // pdr | kept: data outputs keep their value where nothing is valid
      if (!valid_o) kept: assert (tag_o == $past(tag_o) && lane_o == $past(lane_o));
      // pdr | latency: a register taken two cycles ago, with the way free, stands at the output
      if ($past(held != 0 && !valid_o)) latency: assert (valid_o);
    end
    // pdr | fault_exact: set behind the first register taken with pag 3, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 8 | full: both stages are held up
    full: cover (held == 2'd2 && !ready_o);
    // cover 8 | streams: a register is taken in the cycle in which one leaves
    streams: cover (taken && left && watch && ahead != 0);
    // cover 8 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
