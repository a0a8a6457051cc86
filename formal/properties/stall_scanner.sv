// SPDX-License-Identifier: Apache-2.0
// stall_scanner: requests and pushes come only where they may; a warp, any one, is woken once each time
// that it has gone away; who is marked stalled waits in that cycle; a slot is held, and a place given back,
// from a reason to an end.
`include "frame.svh"

  localparam logic [1:0] Warp = 2'd1, Tb = 2'd2;
  localparam logic [2:0] None = 3'd0, Out = 3'd1, Exchange = 3'd3, Back = 3'd4, Write = 3'd1, Read = 3'd2;
  localparam logic [1:0] Running = 2'd0, Stalled = 2'd1, Ready = 2'd3;
  localparam logic [63:0] Real = {64{1'b1}} >> (64 - Slots);
  (* anyconst *) logic [6:0] warp;
  logic [1:0]  level;
  logic [5:0]  warps;
  logic        running, absent, asked, waits, done;
  logic [63:0] turn;
  assign asked = tab_req_o && tab_ack_i;
  assign turn  = Real & (64'd1 << look_slot_o);
  assign waits = ((memory_i | barrier_i) & clear_i & turn) != 0;
  assign done  = (done_i & turn) != 0;
  always @(posedge clk_i) begin
    if (!rst_ni) {level, warps, running, absent} <= '0;
    else begin
      absent <= (away_i && away_id_i == warp) || (arrive_i && arrive_id_i == warp && level != Tb) ||
                (absent && !(asked && tab_state_o == Ready && tab_id_o == warp));
      running <= running || (booked_i && level != 2'd0);
      if (cfg_i) begin
        level   <= (warps_i == 0 || 32'(warps_i) > TbWarps || level_i > Tb) ? 2'd0 : level_i;
        warps   <= warps_i;
        running <= 1'b0;
        absent  <= 1'b0;
      end
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | masked: without a request or a push its pins are 0
    masked: assert ((tab_req_o || {tab_op_o, tab_id_o, tab_state_o, tab_barrier_o} == 0) &&
                    (stalled_push_o || ready_push_o || push_id_o == 0));
    // pdr | quiet: nothing is asked or pushed before booked
    if (tab_req_o || stalled_push_o || ready_push_o) quiet: assert (running);
    // pdr | codes: what is asked is a write of running, stalled or ready, or a look at a TB, and barriers go with stalled
    if (tab_req_o) codes: assert ((tab_op_o == Write && tab_state_o != 2'd2 && (!tab_barrier_o || tab_state_o == Stalled)) ||
                                  (tab_op_o == Read && tab_state_o == Running && !tab_barrier_o && 32'(tab_id_o) < Tbs));
    // pdr | space: a unit is pushed only where its queue takes it, one a cycle, as stalled only where somebody is ready and nobody else is to leave
    space: assert (!(stalled_push_o && ready_push_o) && (!ready_push_o || ready_space_i) &&
                   (!stalled_push_o || (stalled_space_i && ready_valid_i && op_i == None && !stalled_valid_i)));
    // pdr | push_acked: level warp: who is pushed is who is written, in the cycle of the ack
    if (level == Warp && (stalled_push_o || ready_push_o)) push_acked: assert (asked && tab_op_o == Write &&
      push_id_o == tab_id_o && tab_state_o == (ready_push_o ? Ready : Stalled));
    // pdr | push_judged: level TB: who is pushed is looked at, neither closed nor busy, and the table says so, with no command in that cycle
    if (level == Tb && (stalled_push_o || ready_push_o)) push_judged: assert (!asked && 32'(push_id_o) < Tbs &&
      !closed_i[push_id_o[4:0]] && !busy_o[push_id_o[4:0]] && (stalled_push_o ? group_stalled_i : group_ready_i) &&
      group_count_o == warps);
    // pdr | one_leaves: level warp: nobody is marked stalled while another is, or a switch is under way
    if (level == Warp && tab_req_o && tab_state_o == Stalled) one_leaves: assert (op_i == None && !stalled_valid_i);
    // pdr | waiting: who is marked stalled waits and is clear in that cycle; level TB: or is done, as at a barrier
    if (tab_req_o && tab_state_o == Stalled) waiting: assert (level == Tb && done ? tab_barrier_o :
      waits && (tab_barrier_o == ((barrier_i & turn) != 0)));
    // pdr | slot_asked: what is asked of a slot's warp is asked of who has the slot
    if (tab_req_o && tab_op_o == Write && tab_state_o != Ready) slot_asked: assert (tab_id_o == slot_id_i);
    // pdr | woken: only a warp is made ready that has gone away since it was last
    if (tab_req_o && tab_state_o == Ready && tab_id_o == warp) woken: assert (absent && 32'(warp) < Warps);
    // pdr | hold_one: level warp holds one slot at most, level off none, and none is held while somebody comes in or goes back
    hold_one: assert ((level == Tb || (hold_o & (hold_o - 64'd1)) == 0) && (level != 2'd0 || hold_o == 0) &&
                      (hold_o == 0 || op_i == None || op_i == Out || op_i == Exchange) && (hold_o & ~Real) == 0);
    // pdr | tb_leaves: level TB: of a TB that may leave each held slot waits and is clear, or is done, and not all are done
    if (level == Tb && may_leave_o && (op_i == None ? stalled_valid_i : op_i == Out)) tb_leaves: assert (
      (hold_o & ~(done_i | ((memory_i | barrier_i) & clear_i))) == 0 && (hold_o & ~done_i) != 0);
    if (was_ni) begin
      // pdr | held: level warp: who is pushed is held in the next cycle
      if ($past(level == Warp && stalled_push_o && !cfg_i) && op_i == None)
        held: assert (hold_o == (Real & (64'd1 << $past(look_slot_o))));
      // pdr | held_on: and stays so, while the switch logic does not go back or bring others in, until its slot is claimed or given
      if ($past(level == Warp && hold_o != 0 && !cfg_i && (op_i != None || stalled_valid_i || stalled_push_o)) &&
          (op_i == None || op_i == Out || op_i == Exchange) && hold_o != $past(hold_o))
        held_on: assert ($past((claim_i && (hold_o & (64'd1 << claim_slot_i)) != 0) || (give_i &&
          (hold_o & (64'd1 << give_slot_i)) != 0) || stalled_push_o));
      // pdr | busy_from: who is pushed is busy in the next cycle
      if ($past(level == Tb && (stalled_push_o || ready_push_o) && !cfg_i)) busy_from: assert (busy_o[5'($past(push_id_o))]);
      // pdr | busy_to: level TB: a TB is busy until a cycle of op none
      if ($past(level == Tb && op_i != None && !cfg_i)) busy_to: assert (($past(busy_o) & ~busy_o) == 0);
      // pdr | vacate_from: a place is given back behind a look that finds the TB not whole, of the warp that had the slot
      if (vacate_o && !$past(vacate_o)) vacate_from: assert ($past(asked && tab_op_o == Read && !tab_whole_i && done) &&
        vacate_id_o == $past(slot_id_i) && level == Warp);
      // pdr | vacate_to: until a slot is given
      if ($past(vacate_o && !give_i && !cfg_i)) vacate_to: assert (vacate_o && vacate_id_o == $past(vacate_id_o));
      // pdr | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
      // pdr | fault_ack: an ack that nobody waits for is a fault
      if ($past(tab_ack_i && !tab_req_o)) fault_ack: assert (fault_o);
      // pdr | fault_quiet: no launch, no ack without a request and no event, no fault
      if (!$past(fault_o) && $past(!cfg_i && !booked_i && !give_i && !away_i && !arrive_i && !placed_i &&
          !(tab_ack_i && !tab_req_o) && !claim_i) && $past(!claim_i, 2)) fault_quiet: assert (!fault_o);
    end
    // cover 12 | came_back: level warp: a warp is made ready and pushed
    came_back: cover (level == Warp && ready_push_o && !fault_o);
    // cover 8 | left: a warp that waits for memory is pushed
    left: cover (level == Warp && stalled_push_o && !tab_barrier_o && !fault_o);
    // cover 10 | left_barrier: one at a barrier is
    left_barrier: cover (level == Warp && stalled_push_o && tab_barrier_o && !fault_o);
    // cover 10 | vacated: a place is given back
    vacated: cover (was_ni && $past(vacate_o && give_i) && !vacate_o && level == Warp && !fault_o);
    // cover 10 | tb_pushed: level TB: a TB is pushed as stalled
    tb_pushed: cover (level == Tb && stalled_push_o && !fault_o);
    // cover 14 | tb_left: a TB of which a slot is marked may leave
    tb_left: cover (level == Tb && may_leave_o && stalled_valid_i && op_i == None && !fault_o);
    // cover 12 | restarted: a marked warp has gone on
    restarted: cover (level == Tb && asked && tab_op_o == Write && tab_state_o == Running && !fault_o);
    // cover 4 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
