// SPDX-License-Identifier: Apache-2.0
// haws_unit: one warp, any one, and of it one entry, any one, from the cycle in which it is taken to the
// check that frees it. What is promised of turns and of issue is said of all warps.
`include "frame.svh"

  (* anyconst *) logic [5:0] w;
  (* anyseq *)   logic       pick;
  logic [15:0] there, ready;  // of the warp, by entry number
  logic [3:0]  next, held, ahead, id;
  logic        watch, hidden, control, calm;
  logic [31:0] pc;
  logic [7:0]  dst, renamed;
  logic [6:0]  idle;          // cycles in which it could have had a turn
  logic        cleared, taken, freed, stalls, hints, holds, at_issue, served, offered;
  assign cleared  = clear_i && clear_warp_i == w;
  assign at_issue = issue_o && issue_warp_o == w;
  assign served   = serve_o && serve_warp_o == w;
  assign offered  = serve_o && decode_i && !serve_entry_o;
  assign taken    = at_issue && take_i && !cleared;
  assign freed    = check_i && check_warp_i == w && action_o >= 3'd2 && !cleared;
  assign stalls   = 1'(stalled_i >> w);
  assign hints    = 1'(hint_o >> w);
  assign holds    = 1'(holds_o >> w);
  always @(posedge clk_i) begin
    if (!rst_ni) {there, ready, next, held, watch, idle, calm} <= '0;
    else begin
      calm <= !stalls;
      idle <= (hints && stalls && !served && !at_issue && !cleared) ? idle + 7'(idle != '1) : 7'd0;
      if (cleared) {there, next, held, watch} <= '0;
      else begin
        ready <= (ready | (16'(done_i && done_warp_i == w) << done_id_i) & there) & ~(16'(taken) << next) |
                 (16'(taken && issue_control_o) << next);
        there <= (there & ~(16'(freed) << 4'(next >= held ? next - held : next + 4'(Entries) - held))) |
                 (16'(taken) << next);
        if (taken) next <= next == 4'(Entries - 1) ? 4'd0 : next + 4'd1;
        held <= held + 4'(taken) - 4'(freed);
        if (!watch && pick && taken) begin
          watch  <= 1'b1;
          hidden <= 1'b0;
          ahead  <= held - 4'(freed);
          id     <= next;
          {pc, dst, renamed, control} <= {issue_pc_o, issue_dst_o, issue_renamed_o, issue_control_o};
        end else if (watch) begin
          if (taken && !issue_control_o && issue_dst_o == dst) hidden <= 1'b1;
          if (freed && ahead == 0) watch <= 1'b0;
          if (freed && ahead != 0) ahead <= ahead - 4'd1;
        end
      end
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | held_told: holds tells that entries are held, never more than there are
    held_told: assert (holds == (held != 0) && held <= 4'(Entries));
    // pdr | number: what stands at issue has a free entry, and entries are numbered round and round
    if (at_issue) number: assert (issue_id_o == next && held < 4'(Entries));
    // pdr | not_lost: the watched entry stands among those held
    if (watch) not_lost: assert (ahead < held && there[id]);
    // bounded 18 | told: what fetch is told of the oldest at its PC, in order: wait, branch, skip or copy
    if (watch && ahead == 0 && calm && check_warp_i == w && check_pc_i == pc)
      told: assert (action_o == (!ready[id] ? 3'd1 : control ? 3'd4 : renamed == dst ? 3'd2 : 3'd3));
    // bounded 18 | told_of: and what a copy copies
    if (watch && ahead == 0 && check_warp_i == w && action_o == 3'd3)
      told_of: assert (copy_from_o == renamed && copy_to_o == dst);
    // bounded 18 | normal: ahead, at another PC or with nothing held fetch goes on as usual
    if (check_warp_i == w && (hints || held == 0 || (watch && ahead == 0 && check_pc_i != pc)))
      normal: assert (action_o == 3'd0);
    // pdr | masked: without a copy nothing is copied
    if (action_o != 3'd3) masked: assert (copy_from_o == 0 && copy_to_o == 0);
    // pdr | quiet: without a turn or an instruction at issue their pins are 0
    quiet: assert ((serve_o || (!serve_entry_o && serve_pc_o == 0)) && (!serve_entry_o || serve_pc_o == 0) &&
                   (issue_o || (issue_warp_o == 0 && issue_pc_o == 0 && issue_lanes_o == 0 && issue_dst_o == 0 &&
                                issue_renamed_o == 0 && issue_src_o == 0 && !issue_control_o && issue_id_o == 0)));
    // pdr | branch_plain: a branch has no destination
    if (issue_control_o) branch_plain: assert (issue_dst_o == 0 && issue_renamed_o == 0);
    // pdr | special: what is renamed is no special code, and goes to none
    if (issue_dst_o != issue_renamed_o)
      special: assert (9'(issue_dst_o) < 9'(SpecialBase) && 9'(issue_renamed_o) < 9'(SpecialBase));
    // pdr | stalled: ahead and served are warps that stalled in the cycle before
    if ($past(rst_ni) && !$past(stalls)) stalled: assert (!hints && !served);
    // pdr | apart: a warp is not served while an instruction of it stands at issue
    apart: assert (!served || !at_issue);
    // pdr | in_time: a warp whose chain goes on has its turn within Warps cycles
    in_time: assert (idle <= 7'(Warps));
    // pdr | came: what stands at issue was offered in the cycle before, in its warp's turn and at its PC
    if (issue_o)
      came: assert ($past(offered) && issue_warp_o == $past(serve_warp_o) && issue_pc_o == $past(serve_pc_o) &&
                    issue_pc_o == $past(pc_i) && issue_control_o == $past(branch_i));
    // bounded 18 | raw: an instruction that reads what a running entry writes does not come to issue
    if ($past(rst_ni && offered && served && watch && !control && !ready[id] && src_used_i[0] && src_i[7:0] == dst))
      raw: assert (!issue_o);
    // bounded 18 | mapped: a source is where the youngest entry of its register has it
    if (at_issue && $past(watch && !hidden && !control && src_used_i[0] && src_i[7:0] == dst))
      mapped: assert (issue_src_o[7:0] == $past(renamed));
    // pdr | as_decoded: one that is not used, or with nothing held, stands as decoded
    if (at_issue && $past(held == 0 || !src_used_i[0])) as_decoded: assert (issue_src_o[7:0] == $past(src_i[7:0]));
    // induction 2 | sticky: the fault stays
    if ($past(rst_ni && fault_o)) sticky: assert (fault_o);
    // induction 2 | fault_set: an offer, a take, a check, a done or a clear of nothing sets it
    if ($past(rst_ni && ((decode_i && !serve_o) || (take_i && !issue_o) || (check_i && check_warp_i >= 7'(Warps)) ||
                         (done_i && done_warp_i >= 7'(Warps)) || (clear_i && clear_warp_i >= 7'(Warps)))))
      fault_set: assert (fault_o);
    // induction 2 | fault_when: nothing else sets it than an offer, a take, a check, a done or a clear
    if ($past(rst_ni && !fault_o && !decode_i && !take_i && !check_i && !done_i && !clear_i))
      fault_when: assert (!fault_o);
    // cover 12 | full_seen: all entries of the warp are held
    full_seen: cover (held == 4'(Entries));
    // cover 14 | copied: the watched entry is copied from behind another
    copied: cover (watch && ahead == 0 && freed && action_o == 3'd3 && id != 0);
    // cover 12 | mapped_seen: a source is renamed
    mapped_seen: cover (at_issue && issue_src_o[7:0] != $past(src_i[7:0]));
    // cover 4 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
