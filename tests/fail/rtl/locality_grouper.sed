# fault group_not_kept: locality_grouper.* cycle [0-9]+.* pin grant_(slot|key|switch)
s/apart = lower_q .*;/apart = '0;/
# fault no_turns: locality_grouper.* cycle [0-9]+.* pin grant_slot
s/wins\[k\] \|\| \(had_turn_q/(had_turn_q/
# fault round_of_all_groups: locality_grouper.* cycle [0-9]+.* pin grant_slot
s/new_round && in_group\[k\]/new_round/
# fault column_for_row: locality_grouper.* cycle [0-9]+.* pin grant_(key|slot).* expected .* got
s/HintLines: new_key = \{row, warp_i\}/HintLines: new_key = {col, warp_i}/
# fault turn_wraps_late: locality_grouper.* cycle [0-9]+.* (pin grant_(key|slot)|state turn_q)
s/6'\(turn_q\) \+ 6'd1 == groups_q/6'(turn_q) == groups_q/
# fault grant_to_the_departed: locality_grouper.* cycle [0-9]+.* pin grant_(valid|slot)
s/resident_q & ready_i/ready_i/
# fault rank_of_one_pair: locality_grouper.* cycle [0-9]+.* pin grant_(slot|key|switch)
s/\(~turns & below\)/(~turns \& (below | (b == 5 ? Slots'(4) : '0)))/
# fault switch_of_one_slot: locality_grouper.* cycle [0-9]+.* pin grant_switch
s/\(wins & other_q\)/(wins[Slots-1:1] \& other_q[Slots-1:1])/
# fault pairs_not_written: locality_grouper.* cycle [0-9]+.* pin grant_(slot|key|switch)
s/(below_d\[P \+: k\] = launch_at\[k\]) \?/\1 \&\& k != 5 ?/
# fault group_of_the_pair_not_written: locality_grouper.* cycle [0-9]+.* pin grant_slot
s/(same_d\[P \+: k\]  = launch_at\[k\]) \?/\1 \&\& k != 1 ?/
# fault place_not_moved_by_issue: locality_grouper.* cycle [0-9]+.* pin grant_(slot|key|switch)
s/lower_d\[k\]    = up_to\[k\] && !in_group\[k\];//
# fault launch_against_the_group_before: locality_grouper.* cycle [0-9]+.* pin grant_(slot|key|switch)
s/new_lower = serve \? .* : /new_lower = /
# fault launch_without_slot: locality_grouper.* cycle [0-9]+.* pin grant_slot
s/\{new_key, new_order, launch_slot_i\} < \{key, order, 6'\(k\)\}/{new_key, new_order} < {key, order}/
# fault a_bit_of_the_group_served_not_compared@odd: locality_grouper.* cycle [0-9]+.* pin grant_switch
s/served_q && new_key != last_key_q/served_q \&\& (new_key | (KeyW'(1) << 3)) != (last_key_q | (KeyW'(1) << 3))/
# fault groups_without_bit_4@odd: locality_grouper.* cycle [0-9]+.* pin grant_(key|slot|switch)
s/6'\(turn_q\) \+ 6'd1 == groups_q/((6'(turn_q) + 6'd1) | 6'd16) == (groups_q | 6'd16)/
# fault finish_of_a_warp_that_is_launched@odd: locality_grouper.* cycle [0-9]+.* pin fault
s/finish_i && finish_slot_i == 6'\(k\) && resident_q\[k\]/finish_i \&\& finish_slot_i == 6'(k) \&\& (resident_q[k] || launch_at[k])/
# fault cfg_without_the_last_slot@odd: locality_grouper.* cycle [0-9]+.* pin fault
s/resident_q != '0 \|\| bad_groups/resident_q[Slots-2:0] != '0 || bad_groups/
