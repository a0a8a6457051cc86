// SPDX-License-Identifier: Apache-2.0
// absent_reply: steps follow each other as the page draws them, requests hold until their ack or until the reply
// is withdrawn, and a register is written where walking over all registers below it leads.
//
// What a reply was told is kept here, and the walk is made anew for each write.
`include "frame.svh"

  localparam logic [2:0] Idle = 3'd0, Find = 3'd1, Read = 3'd2, Kinds = 3'd3, Sum = 3'd4, Write = 3'd5, Rest = 3'd6, Drop = 3'd7;
  logic        move, broken;
  logic [1:0]  group;
  logic [6:0]  warp;
  logic [5:0]  regno;
  logic [11:0] base, meta;
  logic [23:0] point;
  logic [62:0] low, high;
  logic        ack, stray, wrong, kept;
  assign kept  = (((kind_low_i | kind_high_i) >> regno) & 63'd1) != 0;
  assign ack   = (find_o && find_ack_i) || (read_o && read_ack_i) || (kinds_o && kinds_ack_i) || (write_o && write_ack_i);
  assign stray = (find_ack_i && !find_o) || (read_ack_i && !read_o) || (kinds_ack_i && !kinds_o) ||
                 (write_ack_i && !write_o);
  assign wrong = state_o == Idle ? !cfg_i && valid_i && 32'(regno_i) >= Regs :
                 valid_i && ((find_o && find_ack_i && !(find_valid_i && find_state_i == 2'd2)) ||
                             (read_o && read_ack_i && head_i[31:8] == 0) ||
                             (kinds_o && kinds_ack_i && (((kind_low_i ^ kind_high_i) >> regno) & 63'd1)));
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {move, group, broken} <= '0;
    end else begin
      if (state_o == Idle && cfg_i) begin
        move  <= move_i;
        group <= group_i == 2'd3 ? 2'd2 : group_i;
      end
      if (stray || wrong || (cfg_i && (state_o != Idle || group_i == 2'd3))) broken <= 1'b1;
      if (state_o == Idle) {warp, regno} <= {warp_i, regno_i};
      if (find_o)          {base, meta} <= {find_reg_i, find_meta_i};
      if (read_o)          point <= head_i[31:8];
      if (kinds_o)         {low, high} <= {kind_low_i, kind_high_i};
    end
  end

  logic [11:0] words;
  logic [11:0] line;
  always_comb begin
    words = 12'd0;
    for (int r = 0; r < Regs; r++) begin
      if (6'(r) < regno) words = words + (low[r] && high[r] ? 12'd32 :
                                          (12'({high[r], low[r]}) << (2'd2 - group)));
    end
    line = move ? base + 12'(words[11:5]) : base + 12'(regno);
  end

  always @(posedge clk_i) if (rst_ni) begin
    // induction 1 | requests: which step asks for what
    requests: assert (find_o == (state_o == Find) && read_o == (state_o == Read) && kinds_o == (state_o == Kinds) &&
                      write_o == (state_o == Write || state_o == Rest));
    // induction 1 | masked: without a request its pins are 0
    masked: assert ((find_o || find_id_o == 0) && (read_o || read_line_o == 0) && (kinds_o || point_o == 0) &&
                    (write_o || {write_line_o, write_word_o} == 0));
    // induction 1 | ends: rest and drop are last, and write where the words begin a line
    ends: assert (last_o == (state_o == Rest || state_o == Drop || (state_o == Write && write_word_o == 0)));
    // pdr | about: who is looked for is the warp of the reply, what is read its metadata, whose kinds its point
    about: assert ((!find_o || find_id_o == warp) && (!read_o || read_line_o == meta) && (!kinds_o || point_o == point));
    // bounded 14 | place: the first line is where walking over the registers below leads; the second one is the next
    if (write_o) place: assert (write_line_o == (state_o == Write ? line : line + 12'd1));
    // bounded 14 | word: and so is the word
    if (write_o) word: assert (write_word_o == (move ? words[4:0] : 5'd0));
    // bounded 14 | whole: what is written is kept whole
    if (write_o && move) whole: assert ((((low & high) >> regno) & 63'd1) == 63'd1);
    // pdr | short_way: where registers stay neither metadata nor kinds are asked for
    if (!move) short_way: assert (state_o == Idle || state_o == Find || state_o == Write);
    // pdr | fault_exact: set from the cycle behind the first fault that the page names, and for no other reason
    fault_exact: assert (fault_o == broken);
    if (was_ni) begin
      // induction 2 | withdrawn: a reply that falls is given up at once
      if ($past(state_o != Idle && !valid_i)) withdrawn: assert (state_o == Idle);
      // pdr | waits: a step without its ack lasts, and its request does not change
      if ($past(state_o != Idle && state_o != Sum && state_o != Drop && valid_i && !ack)) waits: assert (state_o == $past(state_o) &&
        {find_id_o, read_line_o, point_o, write_line_o, write_word_o} ==
        $past({find_id_o, read_line_o, point_o, write_line_o, write_word_o}));
      // pdr | goes_on: an ack that is right ends it
      if ($past(ack && valid_i && !wrong)) goes_on: assert (state_o == ($past(state_o) == Find ? (move ? Read : Write) :
        $past(state_o) == Read ? Kinds : $past(state_o) == Kinds ? ($past(kept) ? Sum : Drop) : $past(last_o) ? Idle : Rest));
      // pdr | given_up: a wrong answer ends the reply
      if ($past(wrong)) given_up: assert (state_o == Idle && fault_o);
      // induction 2 | begins: a reply begins where nothing is under way and no figures come
      if ($past(state_o) == Idle) begins: assert (state_o == ($past(valid_i && !cfg_i && 32'(regno_i) < Regs) ? Find : Idle));
      // induction 2 | drops_once: and so does drop, which a register leads to that is not kept
      if ($past(state_o == Drop)) drops_once: assert (state_o == Idle);
      // induction 2 | sums_once: the sum takes a cycle
      if ($past(state_o == Sum && valid_i)) sums_once: assert (state_o == Write);
    end
    // cover 10 | whole_way: a register is written across two lines
    whole_way: cover (state_o == Rest && write_ack_i && valid_i);
    // cover 10 | stayed: one is written in its row
    stayed: cover (!move && write_o && write_ack_i && valid_i && !fault_o);
    // cover 10 | dropped: data that nobody needs end a reply
    dropped: cover (state_o == Drop && valid_i && !fault_o);
    // cover 10 | wrapped: the second line is the first of all
    wrapped: cover (state_o == Rest && write_line_o == 0);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
