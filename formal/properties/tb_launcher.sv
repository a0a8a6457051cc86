// SPDX-License-Identifier: Apache-2.0
// tb_launcher: each job takes its own steps, requests hold until their ack, the bitmap is asked one thing
// at a time, the switch logic's first; slots promised are shown to nobody; the end of a TB, any one, is not
// lost; each warp of a TB that comes is told once.
`include "frame.svh"

  localparam logic [4:0] Idle = 5'd0, Setup = 5'd1, Smem = 5'd2, AddTb = 5'd3, Regs = 5'd4, Away = 5'd5,
                         AddWarp = 5'd6, Place = 5'd7, Leave = 5'd8, Launch = 5'd9, Look = 5'd10, Tell = 5'd11,
                         Check = 5'd12, CheckTb = 5'd13, Read = 5'd14, Drop = 5'd15, FreeRegs = 5'd16,
                         FreeAway = 5'd17, ReadTb = 5'd18, DropTb = 5'd19, FreeSmem = 5'd20;
  localparam logic [3:0] None = 4'd0, Book = 4'd1, Unbook = 4'd2, Native = 4'd3, Extra = 4'd4, Handed = 4'd5,
                         Clear = 4'd6, Undo = 4'd7, Vacate = 4'd8;
  (* anyconst *) logic [4:0] tb;
  logic       asked, theirs, running;
  logic [5:0] warps, told, claims;
  logic       tells;
  assign tells = state_o == Tell && (enter_o || arrive_o);
  always @(posedge clk_i) begin
    if (!rst_ni) {asked, theirs, running, warps, told, claims} <= '0;
    else begin
      asked   <= map_valid_o || (asked && !map_done_i);
      theirs  <= map_valid_o ? mem_req_i : theirs;
      running <= booked_o || (running && !(cfg_i && job_o == None));
      told    <= place_o ? 6'd0 : told + 6'(tells);
      claims  <= job_o == Native ? claims + 6'(claim_o) : 6'd0;
      if (cfg_i && job_o == None) warps <= warps_i;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | codes: jobs and steps are those of the page, idle exactly where none is under way
    codes: assert (job_o <= Vacate && state_o <= FreeSmem && (state_o == Idle) == (job_o == None));
    // pdr | own_steps: each job takes its own steps alone
    own_steps: assert (
      job_o == Book ? state_o == Setup || state_o == Smem || state_o == AddTb || state_o == Regs || state_o == AddWarp :
      job_o == Unbook ? state_o == Setup || (state_o >= Read && state_o <= FreeSmem) :
      job_o == Native ? (state_o >= Smem && state_o <= Tell && state_o != Away && state_o != Leave) :
      job_o == Extra ? state_o >= Setup && state_o <= Tell && state_o != Leave :
      job_o == Handed ? state_o >= Place && state_o <= CheckTb :
      job_o == Clear ? state_o == Setup || state_o == Leave || state_o >= Read :
      job_o == Undo ? state_o == AddWarp || state_o >= Read :
      job_o == Vacate ? state_o >= Read && state_o <= FreeAway : 1'b1);
    // pdr | one_asks: the bitmap is asked nothing while it has not answered
    one_asks: assert (!(asked && map_valid_o));
    // pdr | theirs_first: where the switch logic asks, its request is the one
    if (mem_req_i && !asked) theirs_first: assert (map_valid_o && {map_op_o, map_region_o, map_count_o, map_addr_o} ==
      {mem_free_i, mem_region_i, mem_count_i, mem_addr_i});
    // pdr | theirs_answered: it gets the answers to its own requests, and no others
    theirs_answered: assert (mem_ack_o == (asked && theirs && map_done_i));
    // pdr | some_lines: no request is about no lines
    if (map_valid_o && !mem_req_i) some_lines: assert (map_count_o != 0);
    // pdr | masked: without a request its pins are 0
    masked: assert ((tab_req_o || {tab_op_o, tab_id_o, tab_all_o, tab_state_o, tab_reg_o, tab_meta_o} == 0) &&
                    (map_valid_o || {map_op_o, map_region_o, map_count_o, map_addr_o} == 0) && (place_o || kind_o == 0));
    // pdr | promised: to a native launch slots are promised until each is claimed, and nobody is shown them
    promised: assert (slots_free_o == 0 ||
                      slots_free_o == slots_free_i - (job_o == Native ? 7'(warps - claims) : 7'd0));
    // pdr | claims_own: a launch claims no more slots than it was promised
    claims_own: assert (!(job_o == Native && claim_o) || claims < warps);
    // pdr | one_event: a slot is claimed and given in different cycles, and a warp told one thing
    one_event: assert (!(claim_o && left_o) && !(enter_o && arrive_o) && !(me_launch_o && me_leave_o));
    // pdr | index_exists: no warp is beyond N
    index_exists: assert (index_o == 0 || 6'(index_o) < warps);
    // pdr | jobs_booked: nothing but booking happens before it is done
    if (job_o > Unbook) jobs_booked: assert (running);
    // pdr | no_second_end: a TB is gone only where it has ended
    if (gone_o) no_second_end: assert (ending_o[tb_o]);
    if (was_ni) begin
      // induction 2 | waits: a request to the tables does not change before its ack
      if ($past(tab_req_o && !tab_ack_i)) waits: assert (tab_req_o && state_o == $past(state_o) &&
        {tab_op_o, tab_id_o, tab_all_o, tab_state_o, tab_reg_o} ==
        $past({tab_op_o, tab_id_o, tab_all_o, tab_state_o, tab_reg_o}));
      // pdr | goes_on: its ack ends the step
      if ($past(tab_req_o && tab_ack_i)) goes_on: assert (state_o != $past(state_o) || index_o != $past(index_o));
      // pdr | entry_first: registers are given back behind the removal of their entry
      if (state_o == FreeRegs && $past(state_o) != FreeRegs)
        entry_first: assert ($past(state_o == Drop && tab_ack_i) && row_o == $past(row_o));
      // pdr | smem_behind: shared memory behind the TB's
      if (state_o == FreeSmem && $past(state_o) != FreeSmem) smem_behind: assert ($past(state_o == DropTb && tab_ack_i));
      // pdr | end_noted: a TB that ends is noted
      if ($past(ended_i[tb] && 32'(tb) < Tbs)) end_noted: assert (ending_o[tb]);
      // pdr | end_kept: and stays so until it is gone, has handed over, is not there, or cfg comes
      if ($past(ending_o[tb]) && !ending_o[tb]) end_kept: assert ($past((gone_o && tb_o == tb) ||
        (job_o == Handed && enter_o && tb_o == tb) || (cfg_i && job_o == None)) || fault_o);
      // pdr | clears_ended: only a TB that has ended and is not queued is cleared, none goes before a lower one
      if ($past(job_o) == None && job_o == Clear) clears_ended: assert ($past(ending_o[tb] && !queued_i[tb]) ?
        tb_o <= tb && ending_o[tb_o] : tb_o != tb);
      // pdr | launches: a launch begins where it may, and no TB is to be cleared
      if ($past(job_o) == None && job_o == Extra)
        launches: assert ($past(allow_i && waiting_i && tb_found_i && ending_o == 0) && 32'(tb_o) == $past(tb_found_id_i));
      // pdr | native_slots: native only with N slots, nobody ready, no switch in
      if ($past(job_o) == Extra && job_o == Native)
        native_slots: assert ($past(slots_free_i >= 7'(warps) && !ready_waits_i && !switch_in_i && allow_i && waiting_i));
      // pdr | told_each: a TB that comes has had each of its warps told, once
      if ($past(state_o == Tell) && job_o == None) told_each: assert (told == warps);
      // pdr | refused: what is refused or without lines is undone
      if ($past(job_o == Native || job_o == Extra) && job_o != $past(job_o)) refused: assert (job_o == Undo ||
        $past(state_o == Setup || state_o == Tell || state_o == Smem));
      // pdr | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
      // pdr | fault_ack: an ack or an answer that nobody waits for is a fault
      if ($past((tab_ack_i && !tab_req_o) || (map_done_i && !asked))) fault_ack: assert (fault_o);
      // pdr | fault_quiet: nothing asked and nothing answered, no fault
      if (!$past(fault_o) && $past(job_o != Book && job_o != Unbook && job_o != Clear && {cfg_i, book_i, tab_ack_i,
                                    map_done_i} == 0)) fault_quiet: assert (!fault_o);
    end
    // cover 12 | all_booked: a booking ends
    all_booked: cover (booked_o);
    // cover 24 | native_came: a native TB has come
    native_came: cover (was_ni && $past(job_o == Native && state_o == Tell) && job_o == None && !fault_o);
    // cover 24 | extra_came: an extra one has
    extra_came: cover (was_ni && $past(job_o == Extra && state_o == Tell) && job_o == None && !fault_o);
    // cover 28 | handed_over: a TB has handed over
    handed_over: cover (was_ni && $past(job_o == Handed && state_o == Tell) && job_o == None && !fault_o);
    // cover 28 | cleared: a TB is gone
    cleared: cover (gone_o && !fault_o);
    // cover 28 | undone: a launch has been undone
    undone: cover (was_ni && $past(job_o == Undo) && job_o == None && !fault_o);
    // cover 20 | vacated: a warp has left
    vacated: cover (job_o == Vacate && left_o && !fault_o);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
