# fault urgent_not_first: issue_rate_controller.* cycle [0-9]+.* pin out_kernel.* expected .* got
s/\(\(may & urgent\) != 4'd0\) \? may & urgent : may/may/
# fault window_one_longer: issue_rate_controller.* cycle [0-9]+.* pin credit.* expected .* got
s/window_q == 8'\(Window - 1\)/window_q == 8'(Window)/
# fault fraction_lost: issue_rate_controller.* cycle [0-9]+.* pin credit.* expected .* got
s/if \(parts\[5\*k\+4\] &&/if (1'b0 \&\&/
# fault dram_limit_ignored: issue_rate_controller.* cycle [0-9]+.* pin quota.* expected .* got
s/\(noc_quota < dram_quota\) \? noc_quota : dram_quota/noc_quota/
# fault reserve_one_short: issue_rate_controller.* cycle [0-9]+.* pin room.* expected .* got
s/held_q\[8\*k \+: 8\] < 8'\(Reserve\)/held_q[8*k +: 8] < 8'(Reserve - 1)/
# fault served_again: issue_rate_controller.* cycle [0-9]+.* pin out_kernel.* expected .* got
s/2'\(k\) > last_q/2'(k) >= last_q/
# fault credit_of_the_urgent: issue_rate_controller.* cycle [0-9]+.* pin credit.* expected .* got
s/chosen\[k\] && !urgent\[k\]/chosen[k]/
