# fault threshold_missed: concurrency_manager.* cycle [0-9]+.* pin part1
s/sum_mc_q >= th_high_q/sum_mc_q > th_high_q/
# fault sum_not_restarted: concurrency_manager.* cycle [0-9]+.* (pin sum_net|sum_net_q)
s/\(cyc_q == 10'd0\) \? 13'd0 : sum_net_q/sum_net_q/
# fault first_interval_decides: concurrency_manager.* cycle [0-9]+.* pin (decide|limit)
s/read_cores && later_q/read_cores/
# fault scheme_not_wired: concurrency_manager.* cycle [0-9]+.* pin limit
s/\.balance_i  \(balance_q\)/.balance_i  (1'b0)/
# fault half_not_halved: concurrency_manager.* cycle [0-9]+.* pin limit1
s/limit1_o    = limit_o\[6\*c\+1 \+: 5\]/limit1_o    = limit_o[6*c +: 5]/
# fault last_partition_not_read: concurrency_manager.* cycle [0-9]+.* (pin sum_mc|sum_mc_q|mc_q)
s/\.read_i     \(cyc_q == 10'\(p\)\)/.read_i     (cyc_q == 10'(p) \&\& p < Parts - 1)/
