// SPDX-License-Identifier: Apache-2.0
// liveness_decoder: the walk names each register of the mask once, lowest first, and ends; the mask is what
// the instruction's vector says of one register, any one.
`include "frame.svh"

  (* anyconst *) logic [5:0] r;
  (* hierconn *) wire [Regs-1:0] \dut.rest_q ;
  logic [53:0] vector;
  logic        is_pp, is_bar, own, taken, live, broken, dummy, above;
  logic [6:0]  alloc;
  logic [63:0] walked;  // registers of the mask that have been taken
  logic [63:0] here;
  assign taken  = start_i && !busy_o;
  assign is_pp  = word_i[63:54] == 10'(OpPp);
  assign is_bar = word_i[63:54] == 10'(OpBarPp);
  assign dummy  = next_i[63:54] == 10'(OpDummy);
  assign vector = is_pp && diverged_i && dummy ? next_i[53:0] : word_i[53:0];
  assign alloc  = 32'(alloc_i) > Regs ? 7'(Regs) : alloc_i;
  assign live   = (is_pp || is_bar) && 7'(r) < alloc && (r <= 6'd52 ? vector[r] : vector[53]);
  // A live bit at or above the allocated count; the highest bit stands for 53 and all above.
  assign above  = (vector[52:0] >> alloc) != 0 || (vector[53] && alloc <= 7'd53);
  assign here   = 64'd1 << index_o;
  always @(posedge clk_i) begin
    if (!rst_ni) {broken, walked} <= '0;
    else begin
      if (taken) walked <= '0;
      else if (valid_o && ready_i) walked <= walked | here;
      if ((start_i && busy_o) || (taken && (32'(alloc_i) > Regs || (is_pp && diverged_i && !dummy) ||
          (is_bar && diverged_i) || ((is_pp || is_bar) && above)))) broken <= 1'b1;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // induction 2 | inv_rest: what is left of the walk are the live registers that have not been taken
    inv_rest: assert (64'(\dut.rest_q ) == (mask_o & ~walked));
    // induction 2 | walks: the register named is live, has not been taken, and no live one below is left
    if (valid_o) walks: assert ((here & mask_o) != 0 && (here & walked) == 0 &&
                                (mask_o & ~walked & (here - 64'd1)) == 0);
    // induction 2 | complete: when the walk has ended each live register has been taken
    if (!valid_o) complete: assert ((mask_o & ~walked) == 0 && index_o == 0 && !last_o);
    // induction 2 | subset: none but live ones are taken
    subset: assert ((walked & ~mask_o) == 0);
    // induction 2 | last_exact: the last one is told
    if (valid_o) last_exact: assert (last_o == ((mask_o & ~walked & ~here) == 0));
    // induction 2 | busy_exact: busy is valid
    busy_exact: assert (busy_o == valid_o);
    // induction 2 | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    if (was_ni) begin
      // induction 2 | decoded: one cycle behind an accepted start
      decoded: assert (decoded_o == $past(taken));
      // induction 2 | mask_bit: a register is live where the vector in use names it and it is allocated
      if ($past(taken)) mask_bit: assert (mask_o[r] == $past(live) && is_pp_o == $past(is_pp) &&
                                          is_bar_o == ($past(is_bar && !is_pp)));
      // induction 2 | held: what was decoded holds until the next accepted start
      if (!$past(taken)) held: assert ({mask_o, is_pp_o, is_bar_o} == $past({mask_o, is_pp_o, is_bar_o}));
      // induction 2 | stable: the register named holds until it is taken
      if ($past(valid_o && !ready_i)) stable: assert (valid_o && index_o == $past(index_o) &&
                                                      last_o == $past(last_o));
      // induction 2 | moves: one that is taken is followed by the next, or the walk ends
      if ($past(valid_o && ready_i)) moves: assert (valid_o == !$past(last_o) && (!valid_o || index_o > $past(index_o)));
    end
    // cover 8 | long_walk: a walk comes to its third register
    long_walk: cover (valid_o && last_o && walked[1:0] == 2'b11);
    // cover 8 | dummy_used: a diverged pp uses its dummy's vector
    dummy_used: cover (was_ni && $past(taken && is_pp && diverged_i && dummy && live && !word_i[r]) && !fault_o);
    // cover 8 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
