# fault address_of_metadata: context_switch_logic.* cycle [0-9]+.* pin move_away.* expected .* got
s/assign meta_behind = away_q \+ 12'\(body\)/assign meta_behind = away_q/
# fault exchange_one_way: context_switch_logic.* cycle [0-9]+.* pin move_out
s/assign move_out_o    = move_o && leaves;/assign move_out_o    = move_o \&\& !comes;/
# fault metadata_at_the_slot_of_the_next: context_switch_logic.* cycle [0-9]+.* pin move_home
s/in_meta \? \{SlotPage, slot_q\}/in_meta ? {SlotPage, slot_i}/
# fault a_move_of_nothing: context_switch_logic.* cycle [0-9]+.* pin (state|move|tab_req)
s/body_moves \? StMove : StRdOut/StMove/
# fault metadata_stay_in_an_exchange: context_switch_logic.* cycle [0-9]+.* pin (state|move|tab_req)
s/state_d     = StMeta;/state_d     = leaves ? StWrOut : StMeta;/
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
# fault a_move_ack_too_many@default: context_switch_logic.* cycle [0-9]+.* pin fault
s/\(move_ack_i && !move_o\)/(move_ack_i \&\& !move_o \&\& !mem_req_o)/
# fault a_slot_taken_for_the_one_before: context_switch_logic.* cycle [0-9]+.* pin slot_id
s/take_q \? in_warp_q/take_q ? out_warp_q/
# fault a_bit_of_the_slots_not_compared@default: context_switch_logic.* cycle [0-9]+.* pin fault
s/tab_meta_i\[11:6\] != SlotPage/{tab_meta_i[11], tab_meta_i[9:6]} != {SlotPage[5], SlotPage[3:0]}/
# fault head_gone_in_alloc_l1@default: context_switch_logic.* cycle [0-9]+.* pin fault
s/state_q == StAlloc \|\|$/state_q == StAlloc;/
s/^                    state_q == StAllocL1;$//
# fault warps_of_a_tb_in_9_bits@default: context_switch_logic.* cycle [0-9]+.* pin fault
s/\(11'\(stalled_id_i\[4:0\]\) \+ 11'd1\) \* 11'\(warps_q\) > 11'd128/9'((11'(stalled_id_i[4:0]) + 11'd1) * 11'(warps_q)) > 9'd128/
# fault full_below_lines_without_bit_9@default: context_switch_logic.* cycle [0-9]+.* pin (level|fault)
s/full_i < lines_i/full_i[8:0] < lines_i[8:0] \&\& full_i[9] == lines_i[9]/
