// SPDX-License-Identifier: Apache-2.0
// context_unpacker: registers leave in ascending order as the vector names them; one word of the stream,
// any one, is followed from the segment that brings it to the register that takes it.
`include "frame.svh"

  (* anyseq *)   logic       pick;
  (* anyconst *) logic [6:0] place;  // the word of the segment that is watched
  logic [127:0] left;                // codes of the registers that have not left
  logic [1:0]   pag, code;
  logic [6:0]   groups, need;
  logic [9:0]   held, ahead;
  logic         busy, watch, broken, in, out;
  logic [31:0]  word;
  logic [5:0]   lowest;
  logic [127:0] cleared;
  always_comb begin
    lowest = 6'd0;
    for (int i = 63; i >= 0; i--) if (left[2*i +: 2] != 0) lowest = 6'(i);
  end
  assign busy    = left != 0;
  assign code    = left[2*lowest +: 2];
  assign groups  = pag == 2'd0 ? 7'((Lanes + 7) / 8) : pag == 2'd1 ? 7'((Lanes + 15) / 16) : 7'((Lanes + 31) / 32);
  assign need    = code == 2'd1 ? groups : code == 2'd3 ? 7'(2 * groups) : 7'(Lanes);
  assign in      = seg_valid_i && seg_ready_o;
  assign out     = valid_o && ready_i;
  assign cleared = left & ~(128'd3 << {lowest, 1'b0});
  always @(posedge clk_i) begin
    if (!rst_ni) {left, pag, held, watch, broken} <= '0;
    else begin
      if ((start_i && busy) || (seg_valid_i && !busy) || (start_i && !busy && pag_i == 2'd3)) broken <= 1'b1;
      if (start_i && !busy) begin
        left <= pattern_vec_i;
        pag  <= pag_i == 2'd3 ? 2'd2 : pag_i;
      end
      if (out) left <= cleared;
      held <= out && cleared == 0 ? 10'd0 : held + (in ? 10'(SegWords) : 10'd0) - (out ? 10'(need) : 10'd0);
      if (out && cleared == 0) watch <= 1'b0;
      else if (!watch && pick && in && place < 7'(SegWords)) begin
        watch <= 1'b1;
        word  <= seg_word_i[32*place +: 32];
        ahead <= held + 10'(place) - (out ? 10'(need) : 10'd0);
      end else if (watch && out) begin
        if (ahead < 10'(need)) watch <= 1'b0;
        else                   ahead <= ahead - 10'(need);
      end
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // bounded 4 | order: the watched word comes at its place in the stream, unchanged
    if (watch && valid_o && ahead < 10'(need)) order: assert (word_o[32*ahead +: 32] == word);
    // bounded 4 | unused: words past those of the register are 0
    if (valid_o && need < 7'(Lanes)) unused: assert ((word_o >> (32 * need)) == 0);
    // bounded 4 | not_lost: the watched word stands among those held
    if (watch) not_lost: assert (ahead < held);
    // bounded 4 | busy_exact: busy while a register of the vector is left
    busy_exact: assert (busy_o == busy);
    // bounded 4 | ready_exact: a segment is taken while busy with fewer than two registers' words held
    ready_exact: assert (seg_ready_o == (busy && held < 10'(2 * Lanes)));
    // bounded 4 | valid_exact: a register stands at the output where its words are held
    valid_exact: assert (valid_o == (busy && held >= 10'(need)));
    // bounded 4 | named: it is the lowest one left, with its pattern and the warp's PAG
    if (valid_o) named: assert (tag_o == lowest && pattern_o == code && pag_o == pag);
    // bounded 4 | masked: without one the pins are 0
    if (!valid_o) masked: assert (tag_o == 0 && pattern_o == 0 && word_o == 0);
    // bounded 4 | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // bounded 5 | stable: a register holds until it is taken
    if (was_ni && $past(valid_o && !ready_i)) stable: assert (valid_o && tag_o == $past(tag_o) &&
                                                              word_o == $past(word_o));
    // cover 8 | second: the watched word leaves with the second register
    second: cover (watch && out && ahead < 10'(need) && was_ni && $past(watch && out));
    // cover 8 | ends: the last register leaves
    ends: cover (was_ni && $past(out && cleared == 0) && !busy_o);
    // cover 8 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
