# fault register_not_compared: rename_table.* cycle [0-9]+.* pin mapped.* expected .* got
s/view\[16\*e\+8 \+: 8\] == read_reg_i\[8\*i \+: 8\]/view[16*e+8 +: 7] == read_reg_i[8*i +: 7]/
# fault several_entries_taken: rename_table.* cycle [0-9]+.* pin (scalar|vector)_count
s/empty & \(~empty \+ Entries'\(1\)\)/empty \& ~(empty >> 1)/
# fault room_of_the_other_class: rename_table.* cycle [0-9]+.* pin vector_count
s/~held\[c\*Entries \+: Entries\]/~held[0 +: Entries]/
# fault drop_of_an_outdated_mapping: rename_table.* cycle [0-9]+.* pin (scalar|vector)_count
s/now == \{drop_reg_i, drop_from_i\}/now[15:8] == drop_reg_i/
# fault full_table_takes_no_change: rename_table.* cycle [0-9]+.* pin fault
s/is_new \&\& empty == '0/update \&\& empty == '0/
