// SPDX-License-Identifier: Apache-2.0
// context_saver: each live register is asked for once, in ascending order; requests and segments hold until
// they are taken; a warp ends with its last segment, or at once where nothing is live.
`include "frame.svh"

  (* anyconst *) logic [5:0] r;
  logic        is_pp, is_bar, dummy, taken, broken, live, asked, last_known, ran, above, odd;
  logic [6:0]  alloc;
  logic [53:0] vector;
  logic [5:0]  last;
  logic [12:0] words;
  assign taken  = start_i && !busy_o;
  assign is_pp  = word_i[63:54] == 10'(OpPp);
  assign is_bar = word_i[63:54] == 10'(OpBarPp);
  assign dummy  = next_i[63:54] == 10'(OpDummy);
  assign vector = is_pp && diverged_i && dummy ? next_i[53:0] : word_i[53:0];
  assign alloc  = 32'(alloc_i) > Regs ? 7'(Regs) : alloc_i;
  assign above  = (vector[52:0] >> alloc) != 0 || (vector[53] && alloc <= 7'd53);
  assign odd    = 32'(alloc_i) > Regs || pag_i == 2'd3 || (!is_pp && !is_bar) || (is_pp && diverged_i && !dummy) ||
                  (is_bar && diverged_i) || ((is_pp || is_bar) && above);
  always @(posedge clk_i) begin
    if (!rst_ni) {broken, live, asked, last_known, ran, words} <= '0;
    else begin
      if (taken) begin
        live <= (is_pp || is_bar) && 7'(r) < alloc && (r <= 6'd52 ? vector[r] : vector[53]);
        ran  <= 1'b1;
        {asked, last_known, words} <= '0;
      end
      if (rf_req_o && rf_gnt_i) begin
        if (rf_index_o == r) asked <= 1'b1;
        last_known <= 1'b1;
        last       <= rf_index_o;
      end
      if (seg_valid_o && seg_ready_i) words <= words + 13'(seg_count_o);
      if ((start_i && busy_o) || (taken && odd)) broken <= 1'b1;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // bounded 8 | once: no register is asked for twice, and none that is not live
    if (rf_req_o && rf_index_o == r) once: assert (live && !asked);
    // bounded 8 | ascending: registers are asked for in ascending order
    if (rf_req_o && last_known) ascending: assert (rf_index_o > last);
    // bounded 8 | complete: when a warp is saved each live register has been asked for, and has a pattern
    if (done_o) complete: assert (asked == live && (pattern_vec_o[2*r +: 2] != 0) == live);
    // bounded 8 | stored: as many words have been stored as its registers have, and the padding
    if (done_o) stored: assert (words >= total_o && words < total_o + 13'(PadWords));
    // bounded 8 | done_exact: a warp is being saved or done, and done only behind a start
    done_exact: assert (!(busy_o && done_o) && (done_o == (ran && !busy_o)));
    // bounded 8 | masked: without a segment and without a request the pins are 0
    masked: assert ((seg_valid_o || {seg_word_o, seg_count_o, seg_last_o} == 0) && (rf_req_o || rf_index_o == 0));
    if (was_ni) begin
      // bounded 8 | stable: a segment holds until it is taken
      if ($past(seg_valid_o && !seg_ready_i)) stable: assert (seg_valid_o && seg_word_o == $past(seg_word_o) &&
        seg_count_o == $past(seg_count_o) && seg_last_o == $past(seg_last_o));
      // bounded 8 | stable_req: a request holds until it is granted
      if ($past(rf_req_o && !rf_gnt_i)) stable_req: assert (rf_req_o && rf_index_o == $past(rf_index_o));
      // bounded 8 | last_ends: behind the last segment no other comes
      if ($past(seg_valid_o && seg_ready_i && seg_last_o)) last_ends: assert (!seg_valid_o);
      // bounded 8 | begins: a start is followed by busy
      if ($past(taken)) begins: assert (busy_o && !done_o);
    end
    // bounded 8 | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 12 | saved: a warp with a live register has been saved
    saved: cover (done_o && live);
    // cover 8 | empty: one without has
    empty: cover (done_o && total_o == 0);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
