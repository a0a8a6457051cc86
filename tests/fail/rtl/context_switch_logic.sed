# fault address_of_metadata: context_switch_logic.* cycle [0-9]+.* pin tab_meta.* expected .* got
s/assign meta_away = away_q \+ 12'\(body\)/assign meta_away = away_q/
# fault exchange_one_way: context_switch_logic.* cycle [0-9]+.* pin (move_in|state)
s/half_d = op_q == OpExchange && !half_q;/half_d = 1'b0;/
# fault run_never_freed: context_switch_logic.* cycle [0-9]+.* pin op
s/end else if \(body_moves\) begin/end else if (tb) begin/
# fault last_warp_left_out: context_switch_logic.* cycle [0-9]+.* pin state
s/warp_q \+ 6'd1 >= unit_warps/warp_q + 6'd2 >= unit_warps/
# fault full_register_file_starves_the_stalled: context_switch_logic.* cycle [0-9]+.* pin op
s/&& !\(stalled_valid_i && full_once_q\);/;/
# fault number_in_the_tb_of_the_other: context_switch_logic.* cycle [0-9]+.* pin tab_(index|id)
s/next_in \? in_index\[4:0\] : out_index/out_index/
# fault a_warp_behind_where_it_comes_in: context_switch_logic.* cycle [0-9]+.* pin tab_id
s/in_warp_d  = in_warp_q \+ 7'd1/in_warp_d  = in_warp_q/
# fault a_beat_too_many: context_switch_logic.* cycle [0-9]+.* pin (state|move)
s/assign last_beat = next_beat == beats;/assign last_beat = beat_q == beats;/
# fault a_bit_of_the_slots_not_compared@default: context_switch_logic.* cycle [0-9]+.* pin fault
s/tab_meta_i\[11:6\] != SlotPage/{tab_meta_i[11], tab_meta_i[9:6]} != {SlotPage[5], SlotPage[3:0]}/
# fault head_gone_in_alloc_l1@default: context_switch_logic.* cycle [0-9]+.* pin fault
s/state_q == StAlloc \|\|$/state_q == StAlloc;/
s/^                    state_q == StAllocL1;$//
# fault warps_of_a_tb_in_9_bits@default: context_switch_logic.* cycle [0-9]+.* pin fault
s/\(11'\(stalled_id_i\[4:0\]\) \+ 11'd1\) \* 11'\(warps_q\) > 11'd128/9'((11'(stalled_id_i[4:0]) + 11'd1) * 11'(warps_q)) > 9'd128/
# fault full_below_lines_without_bit_9@default: context_switch_logic.* cycle [0-9]+.* pin (level|fault)
s/full_i < lines_i/full_i[8:0] < lines_i[8:0] \&\& full_i[9] == lines_i[9]/
