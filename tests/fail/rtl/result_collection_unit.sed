# fault offset_not_signed: result_collection_unit.* cycle [0-9]+.* pin action.* expected .* got
s/\{\{23\{head_offset\[8\]\}\}, head_offset\}/{23'h0, head_offset}/
# fault branches_are_waited_for: result_collection_unit.* cycle [0-9]+.* pin dep
s/valid_q & ~control_q & ~ready_q/valid_q \& ~ready_q/
# fault ready_ones_are_waited_for: result_collection_unit.* cycle [0-9]+.* pin dep
s/valid_q & ~control_q & ~ready_q/valid_q \& ~control_q/
# fault branch_skipped: result_collection_unit.* cycle [0-9]+.* pin action
s/else if \(head_control\)             action = Branch;//
# fault ready_from_the_start: result_collection_unit.* cycle [0-9]+.* pin (action|dep)
s/ready_d = ready_d & ~at_tail;/ready_d = ready_d | at_tail;/
# fault head_does_not_wrap: result_collection_unit.* cycle [0-9]+.* pin (action|copy_from)
s/\(head_q == Last\) \? '0/(head_q == Last - IdW'(1)) ? '0/
# fault top_bit_of_the_pc_lost: result_collection_unit.* cycle [0-9]+.* pin action
s/\.sum_i\(pc_i\)/.sum_i({base_i[31], pc_i[30:0]})/
