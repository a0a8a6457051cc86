// SPDX-License-Identifier: Apache-2.0
// warp_context_table: the entry of one warp, any one, is followed through all commands; look up, find
// and the judgement of a group must agree with it.
// still look_id_i
`include "frame.svh"

  localparam logic [1:0] Running = 2'd0, Stalled = 2'd1, Absent = 2'd2, Ready = 2'd3;
  logic        there, barrier, broken, exists, mine, step_ok, ok, in_group, own;
  logic [1:0]  state;
  logic [11:0] regs, meta;
  logic [3:0]  write;
  assign exists = 32'(look_id_i) < Warps;
  assign mine   = id_i == look_id_i && exists;
  assign step_ok = state_i == state || (state == Running && state_i == Stalled) ||
                   (state == Stalled && (state_i == Running || state_i == Absent)) ||
                   (state == Absent && state_i == Ready) || (state == Ready && state_i == Running);
  assign ok = op_i == 2'd1 ? !there && (state_i == Running || state_i == Ready)
            : op_i == 2'd2 ? there && (!fields_i[0] || step_ok) : there;
  assign write = !mine || !ok ? 4'h0 : op_i == 2'd1 ? 4'hf : op_i == 2'd2 ? fields_i : 4'h0;
  assign own      = there && find_state_i == state;
  assign in_group = exists && 8'(look_id_i) >= 8'(group_first_i) &&
                    8'(look_id_i) < 8'(group_first_i) + 8'(group_count_i);
  always @(posedge clk_i) begin
    if (!rst_ni) {there, barrier, state} <= '0;
    else begin
      if (mine && ok && op_i == 2'd1) there <= 1'b1;
      if (mine && ok && op_i == 2'd3) there <= 1'b0;
      if (write[0]) state   <= state_i;
      if (write[1]) regs    <= reg_addr_i;
      if (write[2]) meta    <= meta_addr_i;
      if (write[3]) barrier <= barrier_i && op_i != 2'd1;
    end
  end
  // How far behind find_from an id comes in the search.
  function automatic [7:0] far(input [6:0] id);
    logic [7:0] from;
    from = 32'(find_from_i) < Warps ? 8'(find_from_i) : 8'd0;
    far  = 8'(id) >= from ? 8'(id) - from : 8'(id) + 8'(Warps) - from;
  endfunction

  always @(posedge clk_i) if (rst_ni) begin
    // induction 2 | looked_up: an entry found is the one inserted, as updated since
    looked_up: assert (look_valid_o == there && (!there ? {look_state_o, look_barrier_o, look_reg_addr_o,
                       look_meta_addr_o} == 0 : look_state_o == state && look_barrier_o == barrier &&
                       look_reg_addr_o == regs && look_meta_addr_o == meta));
    // induction 2 | present: present are registers and metadata that lie in their own structures
    present: assert (look_present_o == (there && 32'(regs) < RegUnits && meta >= 12'hc00 &&
                                        32'(meta) < 32'hc00 + Slots));
    // induction 2 | exists_only: there is no entry behind the last
    if (!exists) exists_only: assert (!look_valid_o);
    // induction 2 | find_some: a warp in the state is found where there is one
    if (own) find_some: assert (find_found_o && far(find_id_o) <= far(look_id_i));
    // induction 2 | find_right: what is found is in the state
    if (find_found_o && find_id_o == look_id_i) find_right: assert (own);
    // induction 2 | find_none: nothing found shows 0
    if (!find_found_o) find_none: assert (find_id_o == 0);
    // induction 2 | group_any: a valid member makes the group one
    if (in_group && there) group_any: assert (group_any_o);
    // induction 2 | group_stalled: all members of a stalled group are stalled
    if (in_group && there && group_stalled_o) group_stalled: assert (state == Stalled);
    // induction 2 | group_ready: all members of a ready group are ready, or absent at a barrier
    if (in_group && there && group_ready_o)
      group_ready: assert (state == Ready || (state == Absent && barrier));
    // induction 2 | group_one: a group of this warp alone is judged by it alone
    if (group_first_i == look_id_i && group_count_i == 1)
      group_one: assert (group_any_o == there && group_stalled_o == (there && state == Stalled) &&
                         group_ready_o == (there && (state == Ready || (state == Absent && barrier))));
    if (was_ni) begin
      // induction 2 | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
      // induction 2 | fault_why: a command to this entry is a fault where it may not be, and only then
      if (!$past(fault_o) && $past(mine && op_i != 0)) fault_why: assert (fault_o == !$past(ok));
      // induction 2 | fault_id: a command to a warp that does not exist is a fault
      if ($past(op_i != 0 && 32'(id_i) >= Warps)) fault_id: assert (fault_o);
      // induction 2 | fault_quiet: no command, no fault
      if (!$past(fault_o) && $past(op_i == 0)) fault_quiet: assert (!fault_o);
    end
    // cover 10 | whole_way: a warp goes running, stalled, absent, ready
    whole_way: cover (there && state == Ready && barrier && was_ni && $past(state) == Absent);
    // cover 10 | present_seen: a warp is present
    present_seen: cover (look_present_o);
    // cover 10 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
