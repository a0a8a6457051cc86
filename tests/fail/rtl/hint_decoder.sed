# fault branch_offset_not_signed: hint_decoder.* cycle [0-9]+.* pin taken_offset.* expected .* got
s/\{\(12-BranchW\)\{hint_i\[BranchW-1\]\}\}/{(12-BranchW){1'b0}}/
# fault reach_one_short: hint_decoder.* cycle [0-9]+.* pin (mode|fetch_pc)
s/distance\[11:OffsetW-1\] == \{\(13-OffsetW\)\{distance\[11\]\}\}/distance[11:OffsetW-2] == {(14-OffsetW){distance[11]}}/
# fault stall_over_a_held_rcu: hint_decoder.* cycle [0-9]+.* pin mode
s/stall_i && rcu_empty_i && hint_i\[23\]/stall_i \&\& hint_i[23]/
# fault split_takes_the_other_side: hint_decoder.* cycle [0-9]+.* pin (mode|fetch_pc)
s/direct \|\| taken_i\)/direct || (taken_i \&\& !not_taken_i))/
# fault full_rcu_keeps_the_instruction: hint_decoder.* cycle [0-9]+.* pin issue
s/if \(resume_i \|\| rcu_full_i \|\| take_i\) issue_d/if (resume_i || take_i) issue_d/
# fault own_offset_is_the_next: hint_decoder.* cycle [0-9]+.* pin offset
s/own_d       = next_q;/own_d       = distance[8:0];/
