// SPDX-License-Identifier: Apache-2.0
// context_switch_logic: steps follow each other as the page draws them, requests hold until their ack, a
// switch pops each queue once, and goes on with every ack.
`include "frame.svh"

  localparam logic [3:0] Idle = 4'd0, ReadOut = 4'd1, ReadIn = 4'd2, Alloc = 4'd3, AllocL1 = 4'd4, Move = 4'd5,
                         RdOut = 4'd6, RdIn = 4'd7, WrOut = 4'd8, WrIn = 4'd9, AddrOut = 4'd10, MaskOut = 4'd11,
                         AddrIn = 4'd12, MaskIn = 4'd13, Free = 4'd14, Meta = 4'd15;
  localparam logic [2:0] None = 3'd0, Out = 3'd1, In = 3'd2, Exchange = 3'd3, Back = 3'd4;
  logic [1:0]  pops_out, pops_in;
  logic        ack, asks;
  assign asks = tab_req_o || mem_req_o || move_o;
  assign ack  = (tab_req_o && tab_ack_i) || (mem_req_o && mem_ack_i) || (move_o && move_ack_i);
  always @(posedge clk_i) begin
    if (!rst_ni || op_o == None) {pops_out, pops_in} <= '0;
    else begin
      pops_out <= pops_out + 2'(stalled_pop_o);
      pops_in  <= pops_in + 2'(ready_pop_o);
    end
  end
  logic       ended;
  logic [2:0] op_was;
  always @(posedge clk_i) op_was <= rst_ni ? op_o : None;
  assign ended = op_was != None && op_o == None;

  always @(posedge clk_i) if (rst_ni) begin
    // induction 2 | codes: operations and steps are those of the page, idle exactly where none is under way
    codes: assert (op_o <= Back && (state_o == Idle) == (op_o == None));
    // induction 2 | requests: which steps ask the tables, which the bitmap, which the mover: each step one of them
    requests: assert (tab_req_o == (state_o == ReadOut || state_o == ReadIn || (state_o >= RdOut && state_o <= MaskIn))
                      && mem_req_o == (state_o == Alloc || state_o == AllocL1 || state_o == Free)
                      && move_o == (state_o == Move || state_o == Meta) && asks == (state_o != Idle));
    // bounded 14 | own_steps: each operation takes its own steps alone
    own_steps: assert (op_o == Out ? state_o != ReadIn && state_o != RdIn && state_o != WrIn && state_o != AddrIn &&
        state_o != MaskIn : op_o == In ? state_o != ReadOut && state_o != AllocL1 && state_o != RdOut &&
        state_o != WrOut && state_o != AddrOut && state_o != MaskOut : op_o == Exchange ? state_o != Alloc &&
        state_o != AllocL1 && state_o != Free : op_o == Back ? state_o == RdOut || state_o == WrOut : 1'b1);
    // bounded 14 | tb_only: shared memory's address is changed at TB level alone
    if (state_o == AddrOut || state_o == AddrIn) tb_only: assert (level_o == 2'd2);
    // induction 2 | masked: without a request its pins are 0
    masked: assert ((tab_req_o || {tab_op_o, tab_id_o, tab_index_o, tab_all_o, tab_state_o, tab_reg_o, tab_meta_o} == 0)
                 && (mem_req_o || {mem_free_o, mem_region_o, mem_count_o, mem_addr_o} == 0)
                 && (move_o || {move_meta_o, move_out_o, move_in_o} == 0) && (slot_take_o || slot_id_o == 0));
    // bounded 14 | moves: what moves goes where the op says
    moves: assert (!move_o || (move_meta_o == (state_o == Meta) && move_out_o == (op_o == Out || op_o == Exchange) &&
      move_in_o == (op_o == In || op_o == Exchange)));
    // induction 2 | meta_home: metadata's home is the slot that is taken, given or passed on
    if (move_meta_o) meta_home: assert (move_home_o == {6'b110000, slot_o});
    // bounded 14 | takes: a slot is taken while metadata of an in move
    if (slot_take_o) takes: assert (state_o == Meta && op_o == In);
    // bounded 14 | states: a warp is written absent when it leaves, running when it goes back, ready or running when it comes
    if (tab_req_o && tab_op_o == 3'd1) states: assert (state_o == WrOut ? tab_state_o == (op_o == Back ? 2'd0 : 2'd2)
                                                       : tab_state_o == 2'd0 || tab_state_o == 2'd3);
    // bounded 14 | pops_once: no unit leaves its queue twice in one switch
    pops_once: assert (pops_out + 2'(stalled_pop_o) <= 2'd1 && pops_in + 2'(ready_pop_o) <= 2'd1);
    // bounded 14 | pops_own: only who leaves or goes back, and who comes in, is popped
    pops_own: assert ((!stalled_pop_o || op_o == Out || op_o == Exchange || op_o == Back) &&
                      (!ready_pop_o || op_o == In || op_o == Exchange));
    if (was_ni) begin
      // induction 4 | waits: a step with a request lasts until its ack, and its request does not change
      if ($past(asks && !ack)) waits: assert (state_o == $past(state_o) && op_o == $past(op_o) &&
        {tab_req_o, tab_op_o, tab_id_o, tab_index_o, tab_all_o, tab_state_o, tab_reg_o, tab_meta_o} ==
        $past({tab_req_o, tab_op_o, tab_id_o, tab_index_o, tab_all_o, tab_state_o, tab_reg_o, tab_meta_o}) &&
        {mem_req_o, mem_free_o, mem_region_o, mem_count_o, mem_addr_o} ==
        $past({mem_req_o, mem_free_o, mem_region_o, mem_count_o, mem_addr_o}) &&
        {move_o, move_meta_o, move_out_o, move_in_o, move_home_o, move_away_o} ==
        $past({move_o, move_meta_o, move_out_o, move_in_o, move_home_o, move_away_o}));
      // induction 2 | goes_on: an ack ends it, in that cycle
      if ($past(asks && ack) && state_o == $past(state_o))
        goes_on: assert (state_o == WrIn && tab_state_o == 2'd0 && $past(tab_state_o) == 2'd3);
      // bounded 14 | same_op: a switch stays what it is; an out without room goes back
      if ($past(op_o) != None && op_o != None) same_op: assert (op_o == $past(op_o) ||
        (op_o == Back && $past(op_o == Out && mem_req_o && mem_ack_i && !mem_found_i)));
      // induction 2 | decision: exchange, in, out, back, in the order of the page
      if ($past(op_o == None && !cfg_i)) decision: assert (op_o == (
        $past(level_o != 0 && stalled_valid_i && may_leave_i && ready_valid_i) ? Exchange :
        op_o == In ? In : $past(level_o != 0 && stalled_valid_i && may_leave_i && want_i && !ready_valid_i) ? Out :
        $past(stalled_valid_i) ? Back : None));
      // bounded 14 | decision_in: a switch in wants a ready unit and a free slot
      if ($past(op_o == None) && op_o == In)
        decision_in: assert ($past(level_o != 0 && ready_valid_i && slots_free_i != 0));
      // induction 2 | no_wait: a stalled unit does not stand still: behind a decision cycle something is under way
      if ($past(op_o == None && !cfg_i && stalled_valid_i)) no_wait: assert (op_o != None);
      // induction 2 | cfg_off: behind a configuration no decision was made
      if ($past(op_o == None && cfg_i)) cfg_off: assert (op_o == None);
      // induction 2 | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
      // induction 2 | fault_ack: an ack that nobody waits for is a fault
      if ($past((tab_ack_i && !tab_req_o) || (mem_ack_i && !mem_req_o) || (move_ack_i && !move_o))) fault_ack: assert (fault_o);
      // induction 2 | fault_quiet: nothing under way and nothing asked, no fault
      if (!$past(fault_o) && $past(op_o == None && !slot_take_o && {cfg_i, tab_ack_i, mem_ack_i, move_ack_i, stalled_valid_i,
                                   ready_valid_i} == 0)) fault_quiet: assert (!fault_o);
    end
    // bounded 14 | popped: a switch that has ended has popped each unit that it moved
    if (ended) popped: assert ($past(op_o) == In || $past(pops_out + 2'(stalled_pop_o)) == 2'd1);
    // cover 20 | out_done: a switch out ends with its free
    out_done: cover (ended && $past(op_o == Out && state_o == Free));
    // cover 20 | in_done: a switch in ends with its free
    in_done: cover (ended && $past(op_o == In && state_o == Free));
    // cover 24 | exchange_done: an exchange ends
    exchange_done: cover (ended && $past(op_o == Exchange));
    // cover 12 | back_done: a unit goes back
    back_done: cover (ended && $past(op_o == Back));
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
