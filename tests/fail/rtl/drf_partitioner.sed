# fault highest_share_first: drf_partitioner.* cycle [0-9]+.* pin (pick|grant|drop)
s/\{rk_low, share_low\} <= \{rk_high, share_high\}/{rk_low, share_low} >= {rk_high, share_high}/
# fault tie_rule_ignored: drf_partitioner.* cycle [0-9]+.* pin (pick|grant|drop)
s/\(TieRule == 0\) \?/(TieRule == 2) ?/
# fault last_unit_not_used: drf_partitioner.* cycle [0-9]+.* pin (grant|drop)
s/demand_smem_q <= left_smem_q;/demand_smem_q < left_smem_q;/
# fault one_out_ends_all: drf_partitioner.* cycle [0-9]+.* pin (grant|pick|drop|busy|done)
s/in_d = in_q \& ~pick_hot;/in_d = '0;/
# fault ranges_overlap: drf_partitioner.* cycle [0-9]+.* pin (smem_start|smem_end)
s/layout_hot\[k\] \? smem_before : demand_smem_q/layout_hot[k] ? SmemW'(0) : demand_smem_q/
# fault order_of_the_last_start: drf_partitioner.* cycle [0-9]+.* pin (pick|grant|drop)
s/else if \(begin_deal\) ahead_q <= 1'b1;//
# fault compared_before_the_grant: drf_partitioner.* cycle [0-9]+.* pin (pick|grant|drop)
s/pick_hot\[k\] \? rk_q \+ share_q : rk_q/rk_q/
# fault share_of_a_demand_above@default: drf_partitioner.* cycle [0-9]+.* pin (pick|grant|drop)
s/if \(over_reg .*\) new_share = ShareW'\(Scale\);//
