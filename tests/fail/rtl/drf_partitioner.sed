# fault highest_share_first: drf_partitioner.* cycle [0-9]+.* pin (pick|grant|drop)
s/rks\[k\*ShareW \+: ShareW\] < pick_rk/rks[k*ShareW +: ShareW] > pick_rk/
# fault tie_rule_ignored: drf_partitioner.* cycle [0-9]+.* pin (pick|grant|drop)
s/TieRule == 0 \&\&/TieRule == 2 \&\&/
# fault last_unit_not_used: drf_partitioner.* cycle [0-9]+.* pin (grant|drop)
s/pick_smem <= left_smem_q/pick_smem < left_smem_q/
# fault one_out_ends_all: drf_partitioner.* cycle [0-9]+.* pin (grant|pick|drop|busy|done)
s/in_d = in_q \& ~pick_hot;/in_d = '0;/
# fault ranges_overlap: drf_partitioner.* cycle [0-9]+.* pin (smem_start|smem_end)
s/smem_end_d   = smem_end_q \+ smem_before;/smem_end_d   = smem_end_q;/
