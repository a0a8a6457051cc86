# fault refill_waits_for_absent_kernels: warp_quota.* cycle [0-9]+.* pin refill.* expected .* got
s/\(some & resident_now\) == 4'd0/some == 4'd0/
# fault weight_without_the_last_factor: warp_quota.* cycle [0-9]+.* pin (quota|left|allow|refill|share).* expected .* got
s/if \(j_q == LastKernel\)/if (j_q == 2'(Kernels - 2))/
# fault share_not_raised: warp_quota.* cycle [0-9]+.* pin (share|left|allow|refill).* expected .* got
s/resident != 6'd0 && quot == 14'd0/1'b0/
# fault refill_loses_to_issue: warp_quota.* cycle [0-9]+.* pin (left|allow|refill).* expected .* got
s/if \(refill_o\[s\]\) left_d/if (refill_o[s] \&\& !issue_ok[s]) left_d/
# fault last_instruction_lost: warp_quota.* cycle [0-9]+.* pin allow.* expected .* got
s/left_q\[56\*s\+14\*k \+: 14\] != 14'd0/left_q[56*s+14*k +: 14] > 14'd1/
