// SPDX-License-Identifier: Apache-2.0
// drf_partitioner: what one kernel, any one, gets is counted from the grants; ranges must be as large as
// that and its demand say, inside the SM.
// still read_i
`include "frame.svh"

  logic        shown, begun, broken, out, in;
  logic [6:0]  tbs, all, age;
  logic [12:0] regs, threads, smem, regs_d, threads_d, smem_d, regs_run, threads_run, smem_run;
  assign shown = 32'(read_i) < Kernels;
  function automatic [12:0] most(input [12:0] value, input [31:0] limit);
    most = 32'(value) > limit ? 13'(limit) : value;
  endfunction
  logic loads;
  assign loads     = load_i && !busy_o && kernel_i == read_i && shown;
  assign regs_d    = loads ? most(regs_i, RegLimit) : regs;
  assign threads_d = loads ? most(threads_i, ThreadLimit) : threads;
  assign smem_d    = loads ? most(smem_i, SmemLimit) : smem;
  always @(posedge clk_i) begin
    if (!rst_ni) {tbs, all, age, begun, broken, out, in, regs, threads, smem, regs_run, threads_run, smem_run} <= '0;
    else begin
      {regs, threads, smem} <= {regs_d, threads_d, smem_d};
      age <= busy_o ? age + 7'd1 : 7'd0;
      if (start_i && !busy_o) begin
        {tbs, all, out} <= '0;
        begun <= 1'b1;
        in    <= mask_i[read_i] && shown;
        {regs_run, threads_run, smem_run} <= {regs_d, threads_d, smem_d};
      end else begin
        if (grant_o) all <= all + 7'd1;
        if (grant_o && pick_o == read_i) tbs <= tbs + 7'd1;
        if (drop_o && pick_o == read_i) out <= 1'b1;
      end
      if (((load_i || start_i) && busy_o) || (load_i && (32'(kernel_i) >= Kernels || 32'(regs_i) > RegLimit ||
          32'(threads_i) > ThreadLimit || 32'(smem_i) > SmemLimit))) broken <= 1'b1;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // bounded 9 | tbs_exact: a kernel has the TBs that it was granted
    if (done_o && shown) tbs_exact: assert (tbs_o == tbs);
    // bounded 9 | slots: never more TBs than the SM has slots, all kernels together
    slots: assert (32'(all) <= TbLimit && tbs <= all);
    // bounded 9 | inside: ranges lie inside the SM
    if (done_o) inside: assert (reg_start_o <= reg_end_o && 32'(reg_end_o) <= RegLimit &&
      thread_start_o <= thread_end_o && 32'(thread_end_o) <= ThreadLimit &&
      smem_start_o <= smem_end_o && 32'(smem_end_o) <= SmemLimit);
    // bounded 9 | share: a range is as large as the kernel's TBs need
    if (done_o && shown) share: assert (32'(reg_end_o - reg_start_o) == 32'(tbs) * 32'(regs_run) &&
      32'(thread_end_o - thread_start_o) == 32'(tbs) * 32'(threads_run) &&
      32'(smem_end_o - smem_start_o) == 32'(tbs) * 32'(smem_run));
    // bounded 9 | granted_in: only kernels of the mask, not left out, get a TB; each is left out once
    if ((grant_o || drop_o) && pick_o == read_i) granted_in: assert (busy_o && shown && in && !out);
    // bounded 9 | dropped_all: when it is done every kernel of the mask has been left out
    if (done_o && in) dropped_all: assert (out);
    // induction 2 | picks: grant and drop exclude each other and name a kernel
    picks: assert (!(grant_o && drop_o) && (grant_o || drop_o || pick_o == 0) && 32'(pick_o) < Kernels);
    // bounded 9 | answered: done within 2 + 2 Kernels + TbLimit cycles
    answered: assert (32'(age) <= 2 * Kernels + TbLimit + 1);
    // bounded 9 | done_told: a partition stands behind a start, and not while it is made
    if (done_o) done_told: assert (begun && !busy_o);
    // induction 2 | masked: without one, and of kernels that do not exist, all figures are 0
    if (!done_o || !shown) masked: assert ({tbs_o, reg_start_o, reg_end_o, thread_start_o, thread_end_o,
                                            smem_start_o, smem_end_o} == 0);
    if (was_ni) begin
      // bounded 9 | held: a partition stays until the next start
      if ($past(done_o && !start_i)) held: assert (done_o && tbs_o == $past(tbs_o) && reg_end_o == $past(reg_end_o) &&
        reg_start_o == $past(reg_start_o) && smem_end_o == $past(smem_end_o) && thread_end_o == $past(thread_end_o));
      // induction 2 | ends: what was busy is busy or done
      if ($past(busy_o)) ends: assert (busy_o || done_o);
      // induction 2 | begins: a start is followed by busy
      if ($past(start_i && !busy_o)) begins: assert (busy_o && !done_o);
    end
    // induction 2 | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 14 | both: two kernels have a TB each
    both: cover (done_o && tbs == 1 && all == 2 && regs_run > 13'd40);
    // cover 9 | dropped: a kernel is left out
    dropped: cover (drop_o && pick_o == read_i && all != 0);
    // cover 6 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
