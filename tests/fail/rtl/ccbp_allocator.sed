# fault tie_to_the_highest: ccbp_allocator.* cycle [0-9]+.* expected .* got
s/upper_lower = lowest_1 < lowest_0/upper_lower = lowest_1 <= lowest_0/
# fault quotient_not_rounded: ccbp_allocator.* cycle [0-9]+.* pin (nbw|dbw).* expected .* got
s/ \+ 14'\(own_t_q\[6:1\]\)//
# fault dram_above_100: ccbp_allocator.* cycle [0-9]+.* expected .* got
s/new_dbw <= 10'd100/new_dbw <= 10'd101/
# fault last_resource_left_out: ccbp_allocator.* cycle [0-9]+.* pin (steps|busy|dom|cta|nbw|dbw).* expected .* got
s/res_q == 2'd3/res_q == 2'd2/
# fault threshold_reached_is_below: ccbp_allocator.* cycle [0-9]+.* pin (kind|steps).* expected .* got
s/table_nbw < 7'\(LsPercent\)/table_nbw <= 7'(LsPercent)/
# fault sum_of_ctas_wraps@max: ccbp_allocator.* cycle [0-9]+.* pin (steps|busy|dom|cta|nbw|dbw).* expected .* got
s/8'\(sum_ctas_q\) \+ 8'\(grows_q\)/8'(7'(sum_ctas_q + 7'(grows_q)))/
# fault old_bandwidth_not_put_back: ccbp_allocator.* cycle [0-9]+.* expected .* got
s/sum_nbw_d         = sum_nbw_q \+ nbw;//
# fault entry_of_the_last_run: ccbp_allocator.* cycle [0-9]+.* expected .* got
s/now_d         = 56'd0;//
# fault product_ends_early: ccbp_allocator.* cycle [0-9]+.* expected .* got
s/times_d  = \{cta_t_q, 1'b1\};/times_d  = {cta_t_q, 1'b0};/
# fault start_in_the_last_busy_cycle@tiny: ccbp_allocator.* cycle [0-9]+.* pin fault.* expected 0x1, got 0x0
s/\(start_i && \(busy_q \|\| prior_i == 4'd0\)\)/(start_i \&\& ((busy_q \&\& !(fsm_q == Pick \&\& unfinished_q == 4'd0)) || prior_i == 4'd0))/
