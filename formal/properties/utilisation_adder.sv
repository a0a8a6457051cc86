// SPDX-License-Identifier: Apache-2.0
// utilisation_adder: the outputs are the sums of the cycle before, all of one cycle, and never above what
// throughput_monitor takes; one stands behind the block here and must never see a fault.
//
// What a cycle must give is counted event by event: the e-th counts where it is said and possible.
`include "frame.svh"

  logic [7:0] issued;
  logic [5:0] l1;
  logic [6:0] up, down, l2, dram;
  logic       above, broken;
  always_comb begin
    {issued, l1, up, down, l2, dram, above} = '0;
    for (int unsigned i = 0; i < Sms; i++) begin
      for (int unsigned e = 1; e <= Scheds; e++) issued = issued + 8'(32'(issued_i[3*i +: 3]) >= e);
      for (int unsigned e = 1; e <= 3; e++) up = up + 7'(32'(up_i[2*i +: 2]) >= e && 32'(noc_cycles_i) >= e);
      l1    = l1 + 6'(l1_i[i]);
      above = above || 32'(issued_i[3*i +: 3]) > Scheds || up_i[2*i +: 2] > noc_cycles_i;
    end
    for (int unsigned i = 0; i < Parts; i++) begin
      for (int unsigned e = 1; e <= 3; e++) begin
        down = down + 7'(32'(down_i[2*i +: 2]) >= e && 32'(noc_cycles_i) >= e);
        l2   = l2 + 7'(32'(l2_i[2*i +: 2]) >= e && 32'(l2_cycles_i) >= e);
        dram = dram + 7'(32'(dram_i[2*i +: 2]) >= e && 32'(dram_cycles_i) >= e);
      end
      above = above || down_i[2*i +: 2] > noc_cycles_i || l2_i[2*i +: 2] > l2_cycles_i ||
              dram_i[2*i +: 2] > dram_cycles_i;
    end
  end
  always @(posedge clk_i) begin
    if (!rst_ni)    broken <= 1'b0;
    else if (above) broken <= 1'b1;
  end

  // A monitor of the same sizes, with windows so short that verdicts come.
  logic       judged, monitor_fault;
  logic [1:0] verdict;
  throughput_monitor #(.Warmup(1), .Window(2), .Sms(Sms), .Scheds(Scheds), .Parts(Parts)) u_monitor (
    .clk_i, .rst_ni, .start_i(start_o), .stop_i(stop_o), .cut_i(cut_o), .issued_i(issued_o), .l1_i(l1_o),
    .noc_cycles_i(noc_cycles_o), .up_i(up_o), .down_i(down_o), .l2_cycles_i(l2_cycles_o), .l2_i(l2_o),
    .dram_cycles_i(dram_cycles_o), .dram_i(dram_o), .state_o(), .valid_o(judged), .verdict_o(verdict), .low_o(),
    .high_o(), .l1_idle_o(), .fault_o(monitor_fault)
  );

  always @(posedge clk_i) if (rst_ni) begin
    // pdr | in_range_issued: at most Sms x Scheds instructions, whatever is said
    in_range_issued: assert (32'(issued_o) <= Sms * Scheds);
    // pdr | in_range_l1: at most Sms ports of L1
    in_range_l1: assert (32'(l1_o) <= Sms);
    // pdr | in_range_up: at most noc_cycles flits of each SM, by the noc_cycles that stand beside them
    in_range_up: assert (32'(up_o) <= Sms * 32'(noc_cycles_o));
    // pdr | in_range_down: at most noc_cycles flits of each partition, likewise
    in_range_down: assert (32'(down_o) <= Parts * 32'(noc_cycles_o));
    // pdr | in_range_l2: at most l2_cycles cycles of each partition's port, likewise
    in_range_l2: assert (32'(l2_o) <= Parts * 32'(l2_cycles_o));
    // pdr | in_range_dram: at most dram_cycles cycles of each partition's bus, likewise
    in_range_dram: assert (32'(dram_o) <= Parts * 32'(dram_cycles_o));
    // pdr | monitor_safe: a throughput_monitor behind the pins never sets its fault
    monitor_safe: assert (!monitor_fault);
    if (was_ni) begin
      // induction 2 | issued_exact: instructions of the cycle before, each SM's up to Scheds
      issued_exact: assert (issued_o == $past(issued));
      // induction 2 | l1_exact: L1 ports in use in the cycle before
      l1_exact: assert (l1_o == $past(l1));
      // induction 2 | up_exact: flits of the SMs, each up to the noc_cycles of the same cycle
      up_exact: assert (up_o == $past(up));
      // induction 2 | down_exact: flits of the partitions, likewise
      down_exact: assert (down_o == $past(down));
      // induction 2 | l2_exact: port cycles of L2, each partition's up to the l2_cycles of the same cycle
      l2_exact: assert (l2_o == $past(l2));
      // induction 2 | dram_exact: bus cycles of DRAM, likewise
      dram_exact: assert (dram_o == $past(dram));
      // pdr | one_cycle: clocks, start, stop and cut are of that same cycle
      one_cycle: assert ({noc_cycles_o, l2_cycles_o, dram_cycles_o, start_o, stop_o, cut_o} ==
                         $past({noc_cycles_i, l2_cycles_i, dram_cycles_i, start_i, stop_i, cut_i}));
      // pdr | rest: behind a cycle in which all inputs are 0 all outputs are, but for the fault
      if ($past({start_i, stop_i, cut_i, issued_i, l1_i, noc_cycles_i, up_i, down_i, l2_cycles_i, l2_i,
                 dram_cycles_i, dram_i} == 0))
        rest: assert ({start_o, stop_o, cut_o, issued_o, l1_o, noc_cycles_o, up_o, down_o, l2_cycles_o, l2_o,
                       dram_cycles_o, dram_o} == 0);
      // pdr | sticky: the fault stays
      if ($past(fault_o)) sticky: assert (fault_o);
    end
    // pdr | fault_exact: set by a value above its range, in any cycle, and by nothing else
    fault_exact: assert (fault_o == broken);
    // cover 4 | full: everything is in full use, with three cycles of each clock
    full: cover (32'(issued_o) == Sms * Scheds && 32'(l1_o) == Sms && 32'(up_o) == 3 * Sms &&
                 32'(down_o) == 3 * Parts && 32'(l2_o) == 3 * Parts && 32'(dram_o) == 3 * Parts && !fault_o);
    // cover 4 | above_full: a value above its range does not raise a full sum
    above_full: cover (fault_o && !$past(fault_o) && 32'(issued_o) == Sms * Scheds);
    // cover 4 | faulty: the fault is set
    faulty: cover (fault_o);
    // cover 8 | judged_full: the monitor behind judges a window saturated
    judged_full: cover (judged && verdict == 2'd2 && !fault_o);
  end
endmodule
