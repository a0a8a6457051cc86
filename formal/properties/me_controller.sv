// SPDX-License-Identifier: Apache-2.0
// me_controller: extra TBs stay within their bound, resident ones are counted, the search ends.
`include "frame.svh"

  logic       started, broken_sure, ready, takes;
  logic [5:0] tbs;
  logic [7:0] age;
  assign ready = started && !busy_o;
  assign takes = valid_i && !start_i && ready && verdict_i != 2'd3;
  always @(posedge clk_i) begin
    if (!rst_ni) {started, broken_sure, tbs, age} <= '0;
    else begin
      if (start_i) {started, tbs, age} <= {1'b1, 6'd0, 8'd0};
      else begin
        age <= busy_o ? age + 8'd1 : 8'd0;
        tbs <= tbs + 6'(launch_i && allow_o) - 6'(leave_i && tbs != 0);
      end
      if (start_i ? tbs != 0 || warps_i == 0 || reduced_i > regs_i
                  : (valid_i && (!ready || verdict_i == 2'd3)) || (launch_i && !allow_o) || (leave_i && tbs == 0))
        broken_sure <= 1'b1;
    end
  end
  logic fits_none;  // a search has ended without one TB
  logic busy_was, none_before;
  always @(posedge clk_i) busy_was <= rst_ni && busy_o;
  assign fits_none = busy_was && !busy_o && mc_o == 0;
  always @(posedge clk_i) none_before <= rst_ni && (none_before || fits_none);

  always @(posedge clk_i) if (rst_ni) begin
    // bounded 12 | me_bound: never more extra TBs than the bound, none while it is sought
    me_bound: assert (me_o <= bound_o && (!busy_o || me_o == 0));
    // bounded 12 | limits: TBs that fit and extra ones together are no more than the tables hold
    limits: assert (32'(mc_o) <= TbSlots && 32'(mc_o) + 32'(bound_o) <= Tbs);
    // induction 2 | tbs_exact: resident TBs are those launched and not left
    tbs_exact: assert (tbs_o == tbs);
    // bounded 12 | allow_exact: one more may come where the search is done and fewer are there than may be
    allow_exact: assert (allow_o == (ready && 8'(tbs) < 8'(mc_o) + 8'(me_o)));
    // bounded 12 | answered: the search ends within mc + 1 and twice the extra TBs + 1 cycles
    answered: assert (32'(age) <= TbSlots + 2 * Tbs + 3);
    // bounded 12 | bypass_why: L1 is bypassed only where extra TBs need it
    if (bypass_o) bypass_why: assert (needs_l1_o && bound_o != 0);
    // induction 2 | level_codes: levels are off, warp and tb
    level_codes: assert (level_o != 2'd3);
    // bounded 12 | no_l1: contexts that need L1 get none while it is not bypassed
    if (needs_l1_o && !bypass_o) no_l1: assert (me_o == 0);
    if (was_ni) begin
      // bounded 16 | me_when: ME changes with a verdict or a start
      if (me_o != $past(me_o)) me_when: assert ($past(start_i) || $past(takes));
      // bounded 16 | moderate: behind a moderate verdict it is one more at most
      if ($past(takes && verdict_i == 2'd1) && me_o > $past(me_o)) moderate: assert (me_o == $past(me_o) + 6'd1);
      // induction 2 | frozen: a frozen ME rises no more until the next start
      if ($past(frozen_o && !start_i)) frozen: assert (frozen_o && me_o <= $past(me_o));
      // bounded 16 | frozen_falls: it falls with a saturated verdict alone, which leaves none above 0 as it is
      if ($past(frozen_o && !start_i))
        frozen_falls: assert ((me_o == $past(me_o)) == !($past(takes && verdict_i == 2'd2) && $past(me_o) != 6'd0));
      // bounded 16 | frozen_one: it falls by one
      if ($past(frozen_o && !start_i) && me_o != $past(me_o)) frozen_one: assert (me_o == $past(me_o) - 6'd1);
      // bounded 16 | bound_stays: what the search has found stays
      if ($past(ready && !start_i)) bound_stays: assert (bound_o == $past(bound_o) && mc_o == $past(mc_o) &&
                                                         level_o == $past(level_o));
      // induction 2 | begins: a start is followed by the search
      if ($past(start_i)) begins: assert (busy_o && tbs_o == 0 && me_o == 0 && !bypass_o && !frozen_o);
    end
    // bounded 12 | fault_exact: set by a broken rule or a kernel of which not one TB fits, and for no other reason
    fault_exact: assert (fault_o == (broken_sure || none_before || fits_none));
    // cover 24 | extra: an extra TB is resident
    extra: cover (ready && tbs > mc_o && mc_o != 0);
    // cover 24 | stepped: ME goes up behind a moderate verdict
    stepped: cover (was_ni && $past(takes && verdict_i == 2'd1) && me_o > $past(me_o));
    // cover 24 | back_again: a frozen ME goes back
    back_again: cover (was_ni && $past(frozen_o && !start_i) && me_o < $past(me_o));
    // cover 24 | bypassed: L1 is bypassed
    bypassed: cover (bypass_o);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
