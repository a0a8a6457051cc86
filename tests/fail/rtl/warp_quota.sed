# fault refill_waits_for_absent_kernels: warp_quota.* cycle [0-9]+.* pin refill.* expected .* got
s/\(may_q\[4\*s \+: 4\] & resident_now\) == 4'd0/may_q[4*s +: 4] == 4'd0/
# fault weight_without_the_last_factor: warp_quota.* cycle [0-9]+.* pin (quota|left|allow|refill|share).* expected .* got
s/if \(j_q == LastKernel\)/if (j_q == 2'(Kernels - 2))/
# fault share_not_raised: warp_quota.* cycle [0-9]+.* pin (share|left|allow|refill).* expected .* got
s/resident != 6'd0 && quot == 14'd0/1'b0/
# fault refill_loses_to_issue: warp_quota.* cycle [0-9]+.* pin (left|allow|refill).* expected .* got
s/if \(refill_o\[s\]\) begin/if (refill_o[s] \&\& !issue_ok[s]) begin/
# fault last_instruction_lost: warp_quota.* cycle [0-9]+.* pin allow.* expected .* got
s/left_q\[56\*s\+14\*k \+: 14\] != 14'd1/left_q[56*s+14*k +: 14] > 14'd2/
# fault sum_without_the_last_weight: warp_quota.* cycle [0-9]+.* pin (quota|left|allow|refill|share).* expected .* got
s/if \(k_q == 2'd0 \&\& !second_q\) sum_d/if (1'b0) sum_d/
# fault weights_do_not_turn: warp_quota.* cycle [0-9]+.* pin (quota|left|allow|refill|share).* expected .* got
s/weight_d                       = .*$//
# fault allowed_by_the_counter_before: warp_quota.* cycle [0-9]+.* pin (allow|refill).* expected .* got
s/left_q\[56\*s\+14\*k \+: 14\] != 14'd1/left_q[56*s+14*k +: 14] != 14'd0/
