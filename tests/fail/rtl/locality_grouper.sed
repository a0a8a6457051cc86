# fault group_not_kept: locality_grouper.* cycle [0-9]+.* pin grant_(slot|key|switch)
s/class_k = key > last_key_q \? 2'd2 : 2'd3;/class_k = 2'd1;/
# fault no_round_about: locality_grouper.* cycle [0-9]+.* pin grant_slot
s/last_slot_q\} \? 2'd0 : 2'd1/last_slot_q} ? 2'd0 : 2'd0/
# fault column_for_row: locality_grouper.* cycle [0-9]+.* pin grant_(key|slot).* expected .* got
s/HintLines: new_key = \{row, warp_i\}/HintLines: new_key = {col, warp_i}/
# fault turn_wraps_late: locality_grouper.* cycle [0-9]+.* (pin grant_(key|slot)|state turn_q)
s/6'\(turn_q\) \+ 6'd1 == groups_q/6'(turn_q) == groups_q/
# fault grant_to_the_departed: locality_grouper.* cycle [0-9]+.* pin grant_(valid|slot)
s/!\(resident_q\[k\] && ready_i\[k\]\)/!ready_i[k]/
