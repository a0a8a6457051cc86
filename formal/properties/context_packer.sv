// SPDX-License-Identifier: Apache-2.0
// context_packer: one word, any one, is followed from the register that brings it to the segment that
// takes it away: it comes at its place in the stream, unchanged. Counts tell that nothing is lost.
`include "frame.svh"

  (* anyseq *)   logic       pick;
  (* anyconst *) logic [6:0] lane;  // the word of the register that is watched
  (* anyconst *) logic [5:0] r;     // a register whose code is followed
  logic        opened, flushed, taken, flush, gone, watch, broken, last_full, any_tag;
  logic [6:0]  count, leaves;
  logic [8:0]  held, held_d, ahead;  // words held; words in front of the watched one
  logic [12:0] total;
  logic [31:0] word;
  logic [1:0]  code;
  logic [5:0]  tag;
  assign taken  = valid_i && ready_o && !start_i;
  assign flush  = flush_i && ready_o && !start_i;
  assign gone   = seg_valid_o && seg_ready_i;
  assign count  = count_i == 0 || count_i > 7'(Lanes) ? 7'(Lanes) : count_i;
  assign leaves = held >= 9'(SegWords) ? 7'(SegWords) : 7'(held);
  assign held_d = held + (taken ? 9'(count) : 9'd0) - (gone ? 9'(leaves) : 9'd0);
  always @(posedge clk_i) begin
    if (!rst_ni) {opened, flushed, watch, broken, held, total, code, last_full, any_tag, tag} <= '0;
    else if (start_i) begin
      {opened, flushed} <= 2'b10;
      {watch, held, total, code, last_full, any_tag} <= '0;
      // What left in this cycle is no longer there, but stood at its start.
      if (held != 0 || (ready_o && (valid_i || flush_i))) broken <= 1'b1;
    end else begin
      if (taken && ((any_tag && tag_i <= tag) || pattern_i == 0 || count_i == 0 || count_i > 7'(Lanes)))
        broken <= 1'b1;
      if (taken) begin
        any_tag <= 1'b1;
        tag     <= tag_i;
        total   <= total + 13'(count);
        if (tag_i == r) code <= pattern_i;
      end
      if (flush) {opened, flushed} <= 2'b01;
      held <= held_d;
      if (flush) last_full <= seg_valid_o && !seg_ready_i && held_d == 9'(SegWords);
      if (!watch && pick && taken && lane < count) begin
        watch <= 1'b1;
        word  <= word_i[32*lane +: 32];
        ahead <= held - (gone ? 9'(leaves) : 9'd0) + 9'(lane);
      end else if (watch && gone) begin
        if (ahead < 9'(leaves)) watch <= 1'b0;
        else                    ahead <= ahead - 9'(leaves);
      end
    end
  end
  logic [6:0] padded;
  assign padded = 7'((held + 9'(PadWords - 1)) / 9'(PadWords) * 9'(PadWords));

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | not_lost: the watched word stands among those held
    if (watch) not_lost: assert (ahead < held);
    // bounded 7 | order: it leaves at its place in the stream, unchanged
    if (watch && seg_valid_o && ahead < 9'(leaves))
      order: assert (seg_word_o[32*ahead +: 32] == word);
    // pdr | seg_when: a segment stands at the output where one is full, or the warp has ended and words are left
    seg_when: assert (seg_valid_o == (held >= 9'(SegWords) || (flushed && held != 0)));
    // pdr | seg_size: it is full, or what is left rounded up
    if (seg_valid_o) seg_size: assert (seg_count_o == (held >= 9'(SegWords) ? 7'(SegWords) : padded));
    // pdr | masked: without one its pins are 0
    if (!seg_valid_o) masked: assert (seg_count_o == 0 && !seg_last_o && seg_word_o == 0);
    // pdr | last_exact: the last segment is told, but where it stood at the output as the flush came
    if (seg_valid_o) last_exact: assert (seg_last_o == (flushed && held <= 9'(SegWords) && !last_full));
    // pdr | ready_exact: a register is taken while the warp is open and there is room for the longest
    ready_exact: assert (ready_o == (opened && held < 9'(SegWords + Lanes)));
    // pdr | done_exact: done where flushed and nothing is left
    done_exact: assert (done_o == (flushed && held == 0));
    // pdr | total_exact: the total counts all words taken
    total_exact: assert (total_o == total);
    // pdr | code_exact: the pattern vector holds the code of each register
    code_exact: assert (pattern_vec_o[2*r +: 2] == code);
    if (was_ni) begin
      // pdr | stable: a segment holds until it is taken or a start drops it
      if ($past(seg_valid_o && !seg_ready_i && !start_i))
        stable: assert (seg_valid_o && seg_count_o == $past(seg_count_o) && seg_last_o == $past(seg_last_o));
      // bounded 7 | stable_words: so do its words
      if ($past(seg_valid_o && !seg_ready_i && !start_i)) stable_words: assert (seg_word_o == $past(seg_word_o));
    end
    // pdr | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 10 | straddles: the watched word leaves in the second segment
    straddles: cover (watch && gone && ahead < 9'(leaves) && was_ni && $past(gone && watch));
    // cover 10 | padded_last: a last segment is padded
    padded_last: cover (seg_last_o && 9'(seg_count_o) != held);
    // cover 10 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
