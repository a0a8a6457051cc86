// SPDX-License-Identifier: Apache-2.0
// reg_compressor: two elastic stages, and reg_decompressor behind it, which must give back the first lane.
//
// Registers with one chosen tag have chosen contents, stated as the first lane and the differences of
// adjacent lanes, which all contents have; those with another tag have any. So the chosen one stands
// between any others, with stalls anywhere.
// made lane_i
// made pag_i
// made ready_i
`include "frame.svh"

  (* anyconst *) logic [5:0]          chosen;
  (* anyconst *) logic [32*Lanes-1:0] difference;  // lane 0, then lane i less lane i - 1
  (* anyconst *) logic [1:0]          pag;
  (* anyseq *)   logic [32*Lanes-1:0] any_lane;
  (* anyseq *)   logic [1:0]          any_pag;
  logic [32*Lanes-1:0] x;
  for (genvar i = 0; i < Lanes; i++) begin : gen_sum
    if (i == 0) assign x[31:0] = difference[31:0];
    else        assign x[32*i +: 32] = x[32*(i-1) +: 32] + difference[32*i +: 32];
  end
  assign lane_i = tag_i == chosen ? x : any_lane;
  assign pag_i  = tag_i == chosen ? pag : any_pag;

  assign ready_i = back_ready;
  logic                back_ready, back_valid, back_fault, was_strided;
  logic [5:0]          back_tag;
  logic [32*Lanes-1:0] back_lane;
  (* anyseq *) logic   back_take;
  logic [32*Lanes+8:0] data;
  assign data = {pattern_o, count_o, word_o};
  // The decompressor learns the PAG with the register: that of the chosen tag, any for the rest.
  reg_decompressor #(.Lanes(Lanes)) back (
    .clk_i, .rst_ni, .valid_i(valid_o), .tag_i(tag_o), .pag_i(tag_o == chosen ? pag : any_pag),
    .pattern_i(pattern_o), .word_i(word_o), .ready_i(back_take), .ready_o(back_ready), .valid_o(back_valid),
    .tag_o(back_tag), .lane_o(back_lane), .fault_o(back_fault));
  always @(posedge clk_i) if (valid_o && ready_i && tag_o == chosen) was_strided <= pattern_o == 2'd3;

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
  always @(posedge clk_i) begin
    if (!rst_ni) {held, watch, broken} <= '0;
    else begin
      held <= held + 2'(taken) - 2'(left);
      if (taken && pag_i == 2'd3) broken <= 1'b1;
      if (!watch && pick && taken) begin
        watch   <= 1'b1;
        ahead   <= held - 2'(left);
        tag     <= tag_i;
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
    // pdr | pattern_live: a register is never dead, and its count is that of its pattern
    if (valid_o) pattern_live: assert (pattern_o != 0 && count_o <= 7'(Lanes) && count_o != 0 &&
                                       (pattern_o != 2'd2 || count_o == 7'(Lanes)));
    // bounded 6 | first_lane: the decompressor gives the first lane back, whatever the pattern
    if (back_valid && back_tag == chosen) first_lane: assert (back_lane[31:0] == x[31:0]);
    // bounded 4 | uniform_words: behind a uniform register's bases all words are 0
    if (valid_o && pattern_o == 2'd1) uniform_words: assert ((word_o >> (32 * count_o)) == 0);
    // pdr | ready_exact: an offer is taken where a stage is free, or the output is taken
    ready_exact: assert (ready_o == (held != 2'd2 || ready_i));
    if (was_ni) begin
      // pdr | stable: what stands at the output holds until it is taken
      if ($past(valid_o && !ready_i)) stable: assert (valid_o && tag_o == $past(tag_o) && data == $past(data));
      // pdr | kept: data outputs keep their value where nothing is valid
      if (!valid_o) kept: assert (tag_o == $past(tag_o) && data == $past(data));
      // pdr | latency: a register taken two cycles ago, with the way free, stands at the output
      if ($past(held != 0 && !valid_o)) latency: assert (valid_o);
    end
    // pdr | fault_exact: set behind the first register taken with pag 3, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 8 | strided_back: a strided register with a stride comes back
    strided_back: cover (back_valid && back_tag == chosen && back_lane[63:32] != back_lane[31:0] && was_strided);
    // cover 8 | uniform_seen: a uniform register stands at the output
    uniform_seen: cover (valid_o && pattern_o == 2'd1);
    // cover 8 | random_back: a random register comes back
    random_back: cover (back_valid && back_tag == chosen && !was_strided && back_lane[63:32] != back_lane[31:0]);
    // cover 8 | full: both stages are held up
    full: cover (held == 2'd2 && !ready_o);
    // cover 8 | streams: a register is taken in the cycle in which one leaves
    streams: cover (taken && left && watch && ahead != 0);
    // cover 8 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
