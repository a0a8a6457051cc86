# fault events_beside_no_window@tiny: throughput_monitor.* cycle [0-9]+.* pin fault.* expected 0x0, got 0x1
s/\(runs && over != 6'd0\)/(!start_i \&\& !stop_i \&\& over != 6'd0)/
# fault sixty_percent_or_less: throughput_monitor.* cycle [0-9]+.* pin (low|verdict).* expected .* got
s/XW\(IssueW\), \.X\(5\), \.YW\(CycW\), \.Y\(3 \* Sms \* Scheds\)/XW(CycW), .X(3 * Sms * Scheds), .YW(IssueW), .Y(5)/
s/\.x_i\(issued_q\), \.y_i\(cycles_q\), \.less_o\(low\[0\]\)/.x_i(cycles_q), .y_i(issued_q), .less_o(low[0])/
s/low_d     = low;/low_d     = low ^ 5'd1;/
# fault one_direction_ignored: throughput_monitor.* cycle [0-9]+.* pin (high|verdict)
s/high\[2\] = high_up \|\| high_down/high[2] = high_up/
# fault counter_not_restarted: throughput_monitor.* cycle [0-9]+.* pin (low|high|verdict)
s/\(judge_q \? '0 : dram_q\) \+/dram_q +/
# fault cut_ends_no_window: throughput_monitor.* cycle [0-9]+.* pin valid
s/runs && \(cut_i \|\|/runs \&\& ((cut_i \&\& state_q == Warm) ||/
# fault warm_up_judged: throughput_monitor.* cycle [0-9]+.* pin valid
s/judge_d   = counts && ends/judge_d   = ends/
# fault idle_at_three_percent: throughput_monitor.* cycle [0-9]+.* pin l1_idle
s/XW\(L1W\), \.X\(100\), \.YW\(CycW\), \.Y\(3 \* Sms\)/XW(CycW), .X(3 * Sms), .YW(L1W), .Y(100)/
s/\.x_i\(l1_q\), \.y_i\(cycles_q\), \.less_o\(l1_idle\)/.x_i(cycles_q), .y_i(l1_q), .less_o(l1_idle)/
s/l1_idle_d = l1_idle;/l1_idle_d = !l1_idle;/
