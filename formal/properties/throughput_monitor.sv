// SPDX-License-Identifier: Apache-2.0
// throughput_monitor: windows follow each other without a gap and each gives one verdict, which follows
// from its two sets of parts and is held.
`include "frame.svh"

  logic [1:0]  state;
  logic [16:0] cyc;
  logic        ends, ended, broken, counts;
  assign counts = state != 2'd0 && !start_i && !stop_i;
  assign ends   = counts && state == 2'd2 && (cut_i || 32'(cyc) == Window - 1);
  always @(posedge clk_i) begin
    if (!rst_ni) {state, cyc, ended, broken} <= '0;
    else begin
      ended <= ends;
      cyc   <= cyc + 17'd1;
      if (start_i) {state, cyc} <= {Warmup == 0 ? 2'd2 : 2'd1, 17'd0};
      else if (stop_i) state <= 2'd0;
      else if (state == 2'd1 && (cut_i || 32'(cyc) == Warmup - 1)) {state, cyc} <= {2'd2, 17'd0};
      else if (ends) cyc <= '0;
      if (counts && (32'(issued_i) > Sms * Scheds || 32'(l1_i) > Sms || 32'(up_i) > Sms * 32'(noc_cycles_i) ||
          32'(down_i) > Parts * 32'(noc_cycles_i) || 32'(l2_i) > Parts * 32'(l2_cycles_i) ||
          32'(dram_i) > Parts * 32'(dram_cycles_i))) broken <= 1'b1;
    end
  end
  logic due;  // a verdict appears in the next cycle: its window ended in the cycle before
  assign due = ended && !start_i && !stop_i;

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | state_exact: idle, warm-up, windows, as start, stop, cut and the counts of cycles say
    state_exact: assert (state_o == state);
    // bounded 12 | verdict_why: saturated where a part is high, else under where all are low, else moderate
    verdict_why: assert (verdict_o == (high_o != 0 ? 2'd2 : low_o == 5'h1f ? 2'd0 : 2'd1) ||
                         (verdict_o == 0 && high_o == 0 && low_o == 0));
    // pdr | not_both: no part is below the one bound and above the other
    if (!fault_o) not_both: assert ((low_o & high_o) == 0);
    if (was_ni) begin
      // pdr | valid_exact: a verdict is new the second cycle behind each window, and for one cycle
      valid_exact: assert (valid_o == $past(due));
      // bounded 12 | held: it is held until the next or a start
      if (!valid_o && !$past(start_i)) held: assert ({verdict_o, low_o, high_o, l1_idle_o} ==
                                                     $past({verdict_o, low_o, high_o, l1_idle_o}));
      // bounded 12 | start_clears: a start drops it
      if ($past(start_i)) start_clears: assert ({verdict_o, low_o, high_o, l1_idle_o, valid_o} == 0);
    end
    // pdr | fault_exact: set by counts above what a part can do, in warm-up or window, and nothing else
    fault_exact: assert (fault_o == broken);
    // cover 12 | under: a window is underutilised
    under: cover (valid_o && verdict_o == 2'd0);
    // cover 12 | saturated: one is saturated
    saturated: cover (valid_o && verdict_o == 2'd2);
    // cover 12 | moderate: one is moderate
    moderate: cover (valid_o && verdict_o == 2'd1);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
