# fault group_not_kept: locality_grouper.* cycle [0-9]+.* pin grant_(slot|key|switch)
s/lower\[n\] = served_q && key < last_key_q;/lower[n] = 1'b0;/
# fault no_turns: locality_grouper.* cycle [0-9]+.* pin grant_slot
s/if \(grant_slot == 6'\(k\)\) had_turn_d\[k\] = 1'b1;//
# fault round_of_all_groups: locality_grouper.* cycle [0-9]+.* pin grant_slot
s/if \(new_round && key_q\[KeyW\*k \+: KeyW\] == grant_key\)/if (new_round)/
# fault column_for_row: locality_grouper.* cycle [0-9]+.* pin grant_(key|slot).* expected .* got
s/HintLines: new_key = \{row, warp_i\}/HintLines: new_key = {col, warp_i}/
# fault turn_wraps_late: locality_grouper.* cycle [0-9]+.* (pin grant_(key|slot)|state turn_q)
s/6'\(turn_q\) \+ 6'd1 == groups_q/6'(turn_q) == groups_q/
# fault grant_to_the_departed: locality_grouper.* cycle [0-9]+.* pin grant_(valid|slot)
s/resident_q\[n\] && ready_i\[n\]/ready_i[n]/
# fault rank_of_one_pair: locality_grouper.* cycle [0-9]+.* pin grant_(slot|key|switch)
s/rank_ahead : of_lower\[b\];/(a == 2 \&\& b == 5) || rank_ahead : of_lower[b];/
# fault switch_of_the_first_child: locality_grouper.* cycle [0-9]+.* pin grant_switch
s/\(wins & gen_level\[l-1\]\.other\[8\*n \+: 8\]\)/(8'h1 \& gen_level[l-1].other[8*n +: 8])/
