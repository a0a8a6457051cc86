// SPDX-License-Identifier: Apache-2.0
// warp_slots: the warp of one slot, any one, is followed from its claim on; a list of all slots by the
// page's rules tells how many are free, which is the lowest, and what is a fault.
// still look_slot_i
`include "frame.svh"

  logic [63:0] there, is, claimed, given, passed;  // bit s: slot s
  logic [6:0]  warp;
  logic        good, broken;
  logic [7:0]  taken;
  localparam logic [63:0] Real = {64{1'b1}} >> (64 - Slots);
  function automatic [63:0] one(input asked, input [5:0] slot);
    one = asked ? Real & (64'd1 << slot) : 64'd0;
  endfunction
  assign claimed = one(claim_i && 32'(claim_id_i) < Warps, claim_slot_i) & ~there;
  assign given   = one(give_i, give_slot_i) & there;
  assign passed  = one(pass_i && 32'(pass_id_i) < Warps, pass_slot_i) & there & ~given;
  assign good    = claim_i == (claimed != 0) && give_i == (given != 0) && pass_i == (passed != 0);
  assign is      = one(1'b1, look_slot_i);
  always @(posedge clk_i) begin
    if (!rst_ni) {there, broken} <= '0;
    else begin
      there <= (there | claimed) & ~given;
      if ((claimed & is) != 0) warp <= claim_id_i;
      if ((passed & is) != 0)  warp <= pass_id_i;
      if (!good) broken <= 1'b1;
    end
  end
  always_comb begin
    taken = 0;
    for (int i = 0; i < 64; i++) taken = taken + 8'(there[i]);
  end

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | looked_up: a slot shows the warp of its claim or of its last pass until it is given, and 0 where it is free
    looked_up: assert (look_valid_o == ((there & is) != 0) && look_id_o == (look_valid_o ? warp : 0));
    // pdr | counted: what is claimed and not given is not free, all else is
    counted: assert (32'(free_o) + 32'(taken) == Slots);
    // pdr | offered: where a slot is free, one that is free is on offer
    if (free_o != 0) offered: assert ((one(1'b1, next_o) & ~there) != 0);
    // pdr | lowest: no slot below the one on offer is free
    if (look_slot_i < next_o) lowest: assert (look_valid_o);
    // pdr | none: where no slot is free 0 shows
    if (free_o == 0) none: assert (next_o == 0);
    // pdr | warp_exists: the warp of a slot is one of the table's
    if (look_valid_o) warp_exists: assert (32'(look_id_o) < Warps);
    // pdr | exists_only: there is no slot behind the last
    if (is == 0) exists_only: assert (!look_valid_o);
    // pdr | fault_exact: set from the cycle behind the first claim, give or pass that may not be, and for no other reason
    fault_exact: assert (fault_o == broken);
    if (was_ni) begin
      // pdr | offer_keeps: what is on offer and not claimed stays free
      if ($past(free_o != 0 && !(claim_i && claim_slot_i == next_o)))
        offer_keeps: assert ((64'd1 << $past(next_o) & there) == 0);
      // pdr | offer_moves: what is on offer changes only with a claim of it or a give of a lower slot
      if ($past(free_o != 0 && !(claim_i && claim_slot_i == next_o) && !(give_i && give_slot_i < next_o)))
        offer_moves: assert (next_o == $past(next_o));
      // pdr | handed_on: a slot goes from one warp to another by a pass alone
      if ($past(look_valid_o) && look_valid_o && look_id_o != $past(look_id_o))
        handed_on: assert ($past(pass_i && pass_slot_i == look_slot_i) && look_id_o == $past(pass_id_i));
    end
    // cover 10 | full: no slot is free
    full: cover (free_o == 0);
    // cover 10 | at_once: a claim, a give and a pass in one cycle, none of them a fault
    at_once: cover (claim_i && give_i && pass_i && good && !fault_o);
    // cover 10 | lower_given: a lower slot is given while the one on offer is claimed
    lower_given: cover (was_ni && $past(claim_i && claim_slot_i == next_o && give_i && give_slot_i < next_o &&
                                        !fault_o) && !fault_o);
    // cover 10 | exchanged: a slot goes from one warp to another
    exchanged: cover (was_ni && look_valid_o && $past(look_valid_o) && look_id_o != $past(look_id_o));
    // cover 10 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
