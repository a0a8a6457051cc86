# fault chain_without_the_mark: haws_unit.* cycle [0-9]+.* pin (hint|serve)
s/look && valid && hint_i\[22\] && !ends_pin/look \&\& valid \&\& !ends_pin/
# fault offset_not_signed: haws_unit.* cycle [0-9]+.* pin (hint|serve)
s/\(12-OffsetW\)\{hint_i\[8\+OffsetW\]\}/(12-OffsetW){1'b0}/
# fault reach_not_checked: haws_unit.* cycle [0-9]+.* pin (hint|serve)
s/distance\[10:OffsetW-1\] != \{\(12-OffsetW\)\{distance\[10\]\}\}/1'b0/
# fault lanes_meet_on_the_way: haws_unit.* cycle [0-9]+.* pin (hint|serve)
s/first <= s_rpc && s_rpc <= goal/s_rpc == goal/
# fault lanes_meet_at_the_first: haws_unit.* cycle [0-9]+.* pin (hint|serve)
s/first <= rpc_i && rpc_i <= goal/first < rpc_i \&\& rpc_i <= goal/
# fault split_keeps_all_lanes: haws_unit.* cycle [0-9]+.* pin issue_lanes
s/assign side      = .*/assign side      = s_lanes;/
# fault taken_side_always: haws_unit.* cycle [0-9]+.* pin (issue_lanes|hint|serve)
s/\(some_take && target_i != rpc_i\)/some_take/
# fault running_source_goes_on: haws_unit.* cycle [0-9]+.* pin (issue|serve)
s/\(match & s_runs\) != '0/1'b0/
# fault oldest_renaming: haws_unit.* cycle [0-9]+.* pin issue_src
s/\? match & s_below : match/? match \& ~s_below : match/
# fault branch_writes_a_register: haws_unit.* cycle [0-9]+.* pin (issue|serve)
s/s_holds && !s_names\[17\*e\+16\] &&/s_holds \&\&/
# fault ring_overrun: haws_unit.* cycle [0-9]+.* pin (hint|serve)
s/ends \|\| s_behind == s_head/ends/
# fault taken_though_cleared: haws_unit.* cycle [0-9]+.* pin (holds|issue_id|hint|serve|fault)
s/take_i && issue_q && !\(clear_i && .*\)/take_i \&\& issue_q/
# fault stall_point_beside_take: haws_unit.* cycle [0-9]+.* pin (hint|serve|issue)
s/decode && serve_entry_q && !take/decode \&\& serve_entry_q/
# fault checked_in_hint_mode: haws_unit.* cycle [0-9]+.* pin (action|copy|holds)
s/check_at & holds_q & ~ahead_q/check_at \& holds_q/
# fault nothing_is_waited_for: haws_unit.* cycle [0-9]+.* pin action
s/else if \(head_runs\)                action = Wait;//
# fault every_result_is_copied: haws_unit.* cycle [0-9]+.* pin action
s/else if \(head_renamed == head_dst\) action = Skip;//
# fault branch_finishes_later: haws_unit.* cycle [0-9]+.* pin (action|fault)
s/issue_control_q \? '0 : take_id_at/take_id_at/
# fault done_lost_beside_take: haws_unit.* cycle [0-9]+.* pin (action|issue|serve|fault)
s/\(done_warp == issue_warp_q\) \? done_runs : '0/'0/
# fault lowest_warp_first: haws_unit.* cycle [0-9]+.* pin serve_warp
s/assign above    = .*/assign above    = '1;/
# fault emptied_ring_missed: haws_unit.* cycle [0-9]+.* pin serve
s/= others\[empties\]/= others[0]/
# fault asked_again_and_again: haws_unit.* cycle [0-9]+.* pin serve
s/see \|\| lost\}\} & serve_at/lost}} \& serve_at/
# fault stays_ahead_in_order: haws_unit.* cycle [0-9]+.* pin (hint|action|serve|fault)
s/\(ahead_q \| start_at\) & stalled_i & ~clear_at/(ahead_q | start_at) \& ~clear_at/
# fault clear_leaves_the_head: haws_unit.* cycle [0-9]+.* pin (action|copy|issue|holds)
s/head_q\[clear_warp\] <= '0;//
# fault top_bit_of_the_pc_lost: haws_unit.* cycle [0-9]+.* pin (action|copy|holds)
s/\.sum_i\(check_pc_i\)/.sum_i({c_base[31], check_pc_i[30:0]})/
# fault mark_in_a_chain_passes: haws_unit.* cycle [0-9]+.* pin fault
s/\|\| \(!serve_entry_q && hint_i\[22\]\)//
# fault done_of_a_ready_entry_passes: haws_unit.* cycle [0-9]+.* pin fault
s/done_i && done_runs == '0/done_i \&\& done_at == '0/
