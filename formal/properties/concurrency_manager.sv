// SPDX-License-Identifier: Apache-2.0
// concurrency_manager: limits stay between 1 and 48 and move by steps of their scheme, in decisions alone.
// still core_i
`include "frame.svh"

  logic        shown, bal, broken;
  logic [5:0]  limit;
  logic [10:0] cyc;
  logic        bad_core, in_gather, ends;
  assign shown = 32'(core_i) < Cores;
  assign limit = limit_o[6*(shown ? core_i : 5'd0) +: 6];
  always_comb begin
    bad_core = 1'b0;
    for (int c = 0; c < Cores; c++) if (stall_core_i[2*c +: 2] == 2'd3) bad_core = 1'b1;
  end
  assign in_gather = 32'(cyc) <= Parts;
  assign ends      = (cut_i && !in_gather) || 32'(cyc) == Interval - 1;
  logic past_first;  // an interval has ended since the start
  always @(posedge clk_i) begin
    if (!rst_ni) {bal, broken, cyc, past_first} <= {1'b1, 1'b0, 11'd0, 1'b0};
    else begin
      if (start_i) {bal, cyc, past_first} <= {balance_i, 11'd0, 1'b0};
      else begin
        cyc <= ends ? 11'd0 : cyc + 11'd1;
        if (ends) past_first <= 1'b1;
      end
      if (bad_core || (load_i && th_low_i > th_high_i) || (cut_i && !start_i && in_gather)) broken <= 1'b1;
    end
  end
  // Levels of CM-BAL, in warps.
  function automatic [3:0] level_of(input [5:0] w);
    level_of = w == 6'd1 ? 4'd0 : w == 6'd2 ? 4'd1 : w == 6'd3 ? 4'd2 : w == 6'd4 ? 4'd3 : w == 6'd6 ? 4'd4
             : w == 6'd8 ? 4'd5 : w == 6'd16 ? 4'd6 : w == 6'd24 ? 4'd7 : w == 6'd48 ? 4'd8 : 4'd15;
  endfunction

  logic [3:0] level_now;
  assign level_now = level_of(limit);

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | between: a limit is 1 to 48 warps
    between: assert (limit >= 6'd1 && limit <= 6'd48);
    // pdr | level: under CM-BAL it is one of the nine levels
    if (bal) level: assert (level_now != 4'd15);
    // pdr | halves: the schedulers' limits are its halves
    halves: assert (shown ? 6'(limit0_o) + 6'(limit1_o) == limit && (limit0_o == limit1_o || limit0_o == limit1_o + 5'd1)
                          : limit0_o == 0 && limit1_o == 0);
    // pdr | decide_when: a decision falls in cycle Parts of every interval behind the first
    decide_when: assert (decide_o == (past_first && 32'(cyc) == Parts));
    // pdr | part1_masked: without a decision nothing is asked for, and there is no code 3
    part1_masked: assert (part1_o != 2'd3 && (decide_o || part1_o == 0));
    // pdr | avg_masked: an average that is not valid shows 0
    if (!avg_valid_o) avg_masked: assert (avg_o == 0);
    // pdr | level_none: nor is there one of a level or core that does not exist
    if (!shown || level_i > 4'd8) level_none: assert (!avg_valid_o);
    if (was_ni) begin
      // pdr | still: outside decisions and starts limits stay
      if ($past(!decide_o && !start_i)) still: assert (limit == $past(limit));
      // pdr | step_cpu: CM-CPU moves by 2 warps above 8, by 1 below, the way that congestion asks
      if ($past(decide_o && !start_i && !bal)) step_cpu: assert (
        $past(part1_o) == 2'd0 ? limit == $past(limit) :
        $past(part1_o) == 2'd1 ? limit == ($past(limit) == 6'd48 ? 6'd48 : $past(limit) >= 6'd8 ? $past(limit) + 6'd2
                                                                                          : $past(limit) + 6'd1)
                               : limit == ($past(limit) == 6'd1 ? 6'd1 : $past(limit) > 6'd8 ? $past(limit) - 6'd2
                                                                                       : $past(limit) - 6'd1));
      // pdr | step_bal: CM-BAL moves by one level at most
      if ($past(decide_o && !start_i && bal)) step_bal: assert (
        5'(level_now) <= 5'($past(level_now)) + 5'd1 && 5'(level_now) + 5'd1 >= 5'($past(level_now)));
      // pdr | fresh: a start gives all 48
      if ($past(start_i)) fresh: assert (limit == 6'd48);
    end
    // pdr | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 40 | reduced: a limit is reduced
    reduced: cover (limit < 6'd48);
    // cover 60 | cpu_twice: CM-CPU reduces twice
    cpu_twice: cover (!bal && limit == 6'd44);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
