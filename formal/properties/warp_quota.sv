// SPDX-License-Identifier: Apache-2.0
// warp_quota: what one kernel, any one, has left of its quota at scheduler 0, against issues and refills.
// still view_i
`include "frame.svh"

  logic        shown, issues, refills, broken, mine;
  logic [13:0] left, epoch;
  logic [7:0]  age;
  logic [3:0]  residents;
  assign shown     = 32'(view_i) < Kernels;
  assign left      = left_o[13:0];
  assign refills   = refill_o[0];
  assign mine      = issue_i[0] && issue_kernel_i[1:0] == view_i;
  assign issues    = mine && shown && allow_o[view_i];
  assign residents = resident_i & (4'hf >> (4 - Kernels));
  logic bad_issue;
  always_comb begin
    bad_issue = 1'b0;
    for (int s = 0; s < Schedulers; s++)
      if (issue_i[s] && (32'(issue_kernel_i[2*s +: 2]) >= Kernels || !allow_o[4*s + 32'(issue_kernel_i[2*s +: 2])]))
        bad_issue = 1'b1;
  end
  always @(posedge clk_i) begin
    if (!rst_ni) {broken, age, epoch} <= '0;
    else begin
      epoch <= epoch_end_o ? 14'd0 : epoch + 14'd1;
      age   <= busy_o ? age + 8'(age != 8'hff) : 8'd0;
      if (((we_i || calc_i) && busy_o) || (we_i && (what_i == 2'd3 || 32'(kernel_i) >= Kernels ||
          (what_i == 2'd2 && value_i[5:0] == 0))) || bad_issue) broken <= 1'b1;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    // induction 2 | allow_exact: it may issue where quotas are not yet managed, or it has something left
    if (shown) allow_exact: assert (allow_o[view_i] == (!managed_o || left != 0));
    // induction 2 | unfilled: nothing is counted before quotas are managed
    if (!managed_o) unfilled: assert (left_o == 0);
    // induction 2 | nobody: kernels that do not exist may not issue and show 0
    if (!shown) nobody: assert (!allow_o[view_i] && left_o == 0 && quota_o == 0 && share_o == 0 && issued_o == 0);
    // induction 2 | refill_end: all counters are filled at the end of an epoch, none before quotas are managed
    refill_end: assert (!epoch_end_o || refills == managed_o);
    // induction 2 | refill_not: no refill in an epoch while a resident kernel has something left
    if (shown && residents[view_i] && left != 0 && !epoch_end_o) refill_not: assert (!refills);
    // induction 2 | refill_one: a kernel that is alone is filled again when it has used up its quota
    if (managed_o && shown && residents == 4'd1 << view_i && left == 0) refill_one: assert (refills);
    // pdr | epoch_exact: an epoch ends every Epoch cycles
    epoch_exact: assert (epoch_end_o == (32'(epoch) == Epoch - 1) && 32'(epoch) < Epoch);
    // pdr | answered: a calculation ends within Kernels x Kernels x 1 + Kernels x 32 cycles and its last one
    answered: assert (32'(age) <= Kernels * Kernels + Kernels * 32 + 1);
    if (was_ni) begin
      // induction 2 | spent: what is left goes down by 1 with each issue, else stays, or is the share behind a refill
      if (shown) spent: assert (left == ($past(refills) ? $past(share_o)
                                         : $past(left) - 14'($past(issues && managed_o))));
      // induction 2 | not_above: so never above what was given, but for a new share
      if (shown && !$past(refills)) not_above: assert (left <= $past(left));
      // induction 2 | managed_on: once there are quotas they stay in force
      if ($past(managed_o)) managed_on: assert (managed_o);
      // induction 2 | managed_when: they come when a calculation ends
      if (managed_o && !$past(managed_o)) managed_when: assert ($past(busy_o) && !busy_o);
      // induction 2 | busy_when: a calculation begins where it is asked for
      if (!$past(busy_o)) busy_when: assert (busy_o == $past(calc_i));
      // induction 2 | shares_still: quota and share stay but in a calculation
      if (!$past(busy_o)) shares_still: assert (quota_o == $past(quota_o) && share_o == $past(share_o));
    end
    // induction 2 | fault_exact: set from the cycle behind the first broken rule, and for no other reason
    fault_exact: assert (fault_o == broken);
    // cover 5 | begun: a calculation runs
    begun: cover (busy_o && age == 2);
    // cover 72 | managed_seen: a calculation has ended, from here on quotas are in force
    managed_seen: cover (managed_o);
    // cover 5 | faulty: the fault is set
    faulty: cover (fault_o);
  end
endmodule
