// SPDX-License-Identifier: Apache-2.0
// hint_decoder: an instruction that is accepted stands at the output until it is taken or dropped; modes
// follow the page's diagram; no chain goes on from a stall point without a hint.
`include "frame.svh"

  logic accepted, good;
  assign accepted = valid_i && ready_o;
  assign good     = accepted && pc_i == fetch_pc_o && hint_i[23];
  logic [8:0] offset;  // of the instruction that the chain is at
  assign offset = 9'(fetch_pc_o - base_o);
  logic        watch;
  logic [8:0]  own;
  logic [7:0]  dst;
  logic        control;
  always @(posedge clk_i) begin
    if (!rst_ni) watch <= 1'b0;
    else if (good) {watch, own, dst, control} <= {1'b1, offset, branch_i ? 8'd0 : dst_i, branch_i};
    else if (resume_i || rcu_full_i || take_i) watch <= 1'b0;
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | issues: what is accepted stands at the output until it is taken or dropped
    issues: assert (issue_o == watch && (!watch || (offset_o == own && dst_o == dst && control_o == control)));
    // pdr | masked: without an instruction the pins are 0
    if (!issue_o) masked: assert ({offset_o, dst_o, renamed_o, control_o, taken_offset_o, not_taken_offset_o} == 0);
    // pdr | not_special: nothing is renamed to or from a special code, and no renaming is to itself
    if (issue_o && renamed_o != dst_o) not_special: assert (32'(renamed_o) < SpecialBase && 32'(dst_o) < SpecialBase);
    // pdr | ready_exact: accepting in mode hint, with nothing that goes before, and the output free or taken
    ready_exact: assert (ready_o == (mode_o == 2'd1 && !resume_i && !rcu_full_i && !redirect_i && (!issue_o || take_i)));
    // pdr | at_stall: without a chain fetch stands at the stall point, with one elsewhere
    at_stall: assert ((fetch_pc_o == base_o) == (mode_o != 2'd1) && mode_o != 2'd3);
    // pdr | reach: a chain stays within the reach of OffsetW bits, signed
    reach: assert ($signed(offset) < $signed(10'(1) << (OffsetW - 1)) && $signed(offset) >= -$signed(10'(1) << (OffsetW - 1)));
    if (was_ni) begin
      // pdr | resumed: resume leads back to order and drops what is not taken
      if ($past(resume_i)) resumed: assert (mode_o == 2'd0 && !issue_o);
      // pdr | begins: hint mode begins at a stall with a hint, an offset and nothing held, and nowhere else
      if ($past(mode_o) == 2'd0) begins: assert (mode_o == 2'($past(stall_i && !resume_i && rcu_empty_i && hint_i[23] &&
        hint_i[9 +: OffsetW] != 0)));
      // pdr | base_holds: the stall point holds but where hint mode begins
      if (!($past(mode_o) == 2'd0 && mode_o == 2'd1)) base_holds: assert (base_o == $past(base_o));
      // pdr | waits: a chain that has ended waits for resume
      if ($past(mode_o == 2'd2 && !resume_i)) waits: assert (mode_o == 2'd2);
      // pdr | full_ends: a full collection unit drops the instruction and ends the chain
      if ($past(rcu_full_i && mode_o == 2'd1 && !resume_i)) full_ends: assert (mode_o == 2'd2 && !issue_o);
      // pdr | moves: the chain goes on or ends with an accepted instruction or a redirect, else it stands
      if ($past(mode_o == 2'd1 && !resume_i && !rcu_full_i && !redirect_i && !accepted))
        moves: assert (mode_o == 2'd1 && fetch_pc_o == $past(fetch_pc_o));
      // pdr | redirected: a redirect goes to its PC, or the chain ends
      if ($past(mode_o == 2'd1 && !resume_i && !rcu_full_i && redirect_i))
        redirected: assert (mode_o == 2'd2 || fetch_pc_o == $past(pc_i));
      // pdr | stable: the output holds until it is taken or dropped
      if ($past(issue_o && !take_i && !rcu_full_i && !resume_i)) stable: assert (issue_o &&
        {offset_o, dst_o, renamed_o, control_o, taken_offset_o, not_taken_offset_o} ==
        $past({offset_o, dst_o, renamed_o, control_o, taken_offset_o, not_taken_offset_o}));
      // pdr | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
      // pdr | fault_set: taking nothing, or with a full unit, is one; so is an instruction that was not asked for
      if ($past((take_i && (!issue_o || rcu_full_i)) || (accepted && !good) || (stall_i && mode_o != 0) ||
                (redirect_i && mode_o != 2'd1))) fault_set: assert (fault_o);
      // pdr | fault_quiet: without stall, redirect, take and an accepted instruction there is none
      if (!$past(fault_o) && !$past(stall_i || redirect_i || take_i || accepted)) fault_quiet: assert (!fault_o);
    end
    // cover 6 | chained: a second instruction of a chain is accepted
    chained: cover (good && watch);
    // cover 6 | renamed: an instruction is renamed
    renamed: cover (issue_o && renamed_o != dst_o);
    // cover 6 | branched: a branch stands at the output
    branched: cover (issue_o && control_o && taken_offset_o != 0);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
