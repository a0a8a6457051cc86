# fault touching_is_in_the_way: alloc_table.* cycle [0-9]+.* pin (rsp_start|rsp_valid)
s/ends\[i\*SizeW \+: SizeW\] > cand_q;/ends[i*SizeW +: SizeW] >= cand_q;/
# fault highest_tb_leaves: alloc_table.* cycle [0-9]+.* pin (rsp_valid|rsp_tb)
s/\.keys_i  \(tbs\)/.keys_i  (~tbs)/
# fault last_unit_not_used: alloc_table.* cycle [0-9]+.* pin (rsp_ok|rsp_valid|rsp_kind)
s/cand_end > \(SizeW\+1\)'\(Units\)/cand_end >= (SizeW+1)'(Units)/
# fault the_gone_stay: alloc_table.* cycle [0-9]+.* pin used.* expected .* got
s/clear  = low_mask;/clear  = '0;/
# fault plan_ignores_entries: alloc_table.* cycle [0-9]+.* pin (rsp_valid|rsp_kind|rsp_ok)
s/if \(no_room \|\| past_end\)/if (past_end)/
# fault lowest_of_those_in_the_way: alloc_table.* cycle [0-9]+.* pin (rsp_start|rsp_valid|rsp_kind)
s/\.keys_i  \(~starts\)/.keys_i  (starts)/
# fault used_once_looked_for: alloc_table.* cycle [0-9]+.* pin used
s/used_d = \(used_q \| write\)/used_d = (used_q | (placing ? free_mask : write))/
