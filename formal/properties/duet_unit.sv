// SPDX-License-Identifier: Apache-2.0
// duet_unit: who places TBs changes in its order and from its reasons; what the machine is told comes only
// then, and means something only then; the tables answer one at a time, and hold nothing before the first
// hand-over.
`include "frame.svh"

  localparam logic [2:0] Native = 3'd0, Tell = 3'd1, Book = 3'd2, Booking = 3'd3, Run = 3'd4;
  localparam logic [2:0] None = 3'd0, Out = 3'd1, In = 3'd2, Exchange = 3'd3;
  localparam logic [1:0] Update = 2'd2, Remove = 2'd3, Absent = 2'd2, Running = 2'd0;
  localparam logic [63:0] Real = {64{1'b1}} >> (64 - Slots);
  logic handed;
  always @(posedge clk_i) begin
    if (!rst_ni) handed <= 1'b0;
    else handed <= handed || (book_i && extra_o);
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | states: there are five states
    states: assert (state_o <= Run);
    // pdr | extra: the hand-over is offered only while the dispatcher places TBs, and more are allowed and waited for
    if (extra_o) extra: assert (state_o == Native && !start_i && me_o != 0 && most_i != 0 && level_o != 0 &&
                                waiting_i && !searching_o);
    // pdr | masked: pins without an event are 0
    masked: assert ((find_ack_o || {find_valid_o, find_state_o, find_reg_o, find_meta_o} == 0) &&
                    (away_o || back_o || {moved_id_o, moved_row_o, moved_meta_o} == 0) &&
                    (entry_op_o != 0 || {entry_id_o, entry_state_o} == 0) && (place_o || kind_o == 0));
    // pdr | answered: a look is answered only where it is asked, and in a cycle without a command
    if (find_ack_o) answered: assert (find_i && entry_op_o == 0);
    // Implications, for their events come later than a search for them goes.
    // pdr | away_is: a warp is away when its entry is written so, in a switch out or an exchange
    away_is: assert (!away_o || ((op_o == Out || op_o == Exchange) && entry_op_o == Update && entry_id_o == moved_id_o &&
                                 entry_state_o == Absent && !back_o));
    // pdr | back_is: and back when it says running, in a switch in or an exchange
    back_is: assert (!back_o || ((op_o == In || op_o == Exchange) && entry_op_o == Update && entry_id_o == moved_id_o &&
                                 entry_state_o == Running));
    // pdr | left_is: a slot is left by a warp whose entry goes in that cycle
    if (left_o) left_is: assert (entry_op_o == Remove && entry_id_o == warp_o && slot_o == meta_o[5:0]);
    // pdr | moves: context moves only in a switch, to where its op says
    moves: assert (!move_o ? !move_meta_o && !move_out_o && !move_in_o :
      move_out_o == (op_o == Out || op_o == Exchange) && move_in_o == (op_o == In || op_o == Exchange) &&
      (move_out_o || move_in_o));
    // pdr | real_slots: only slots that there are are held
    real_slots: assert ((hold_o & ~Real) == 0);
    // pdr | asks: slots of warps are asked for only in booking
    if (ask_o) asks: assert (state_o == Booking);
    // bounded 9 | before: before the first hand-over no TB comes by the launcher, nobody is switched, and tables are empty
    if (!handed) before: assert (!place_o && !enter_o && !arrive_o && !left_o && !gone_o && op_o == None &&
                                 entry_op_o == 0 && !find_valid_o && hold_o == 0);
    if (was_ni) begin
      // pdr | order: the states follow each other in their order
      order: assert (state_o == Native  ? $past(state_o) == Native || $past(state_o) == Tell || $past(state_o) == Run :
                     state_o == Tell    ? $past(state_o == Native && start_i) :
                     state_o == Book    ? $past(book_i && extra_o) :
                     state_o == Booking ? $past(state_o) == Book || $past(state_o) == Booking :
                                          $past(state_o) == Booking || $past(state_o) == Run);
      // pdr | faults: breaking the protocol of the launch is a fault
      if ($past((start_i && state_o != Native) || (book_i && !extra_o) || (placed_i && state_o > Tell))) faults: assert (fault_o);
      // pdr | sticky: a fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
    end
    // cover 20 | extras: extra TBs are allowed
    extras: cover (extra_o && !fault_o);
    // cover 4 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
