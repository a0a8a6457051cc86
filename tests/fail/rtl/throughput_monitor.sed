# fault sixty_percent_or_less: throughput_monitor.* cycle [0-9]+.* pin (low|verdict).* expected .* got
s/issued_q\) \* 5 < sched_can/issued_q) * 5 <= sched_can/
# fault one_direction_ignored: throughput_monitor.* cycle [0-9]+.* pin (high|verdict)
s/ \|\| ProdW'\(down_q\) \* 1000 > down_can \* 9//
# fault counter_not_restarted: throughput_monitor.* cycle [0-9]+.* pin (low|high|verdict)
s/\(judge_q \? '0 : dram_q\) \+/dram_q +/
# fault cut_ends_no_window: throughput_monitor.* cycle [0-9]+.* pin valid
s/runs && \(cut_i \|\|/runs \&\& ((cut_i \&\& state_q == Warm) ||/
# fault warm_up_judged: throughput_monitor.* cycle [0-9]+.* pin valid
s/judge_d   = counts && ends/judge_d   = ends/
# fault idle_at_three_percent: throughput_monitor.* cycle [0-9]+.* pin l1_idle
s/ProdW'\(l1_q\) \* 100 < l1_can/ProdW'(l1_q) * 100 <= l1_can/
