# fault barrier_before_memory: stall_scanner.* cycle [0-9]+.* pin (look_slot|tab_op|tab_req|tab_id|stalled_push)
s/stalls != '0 \? stalls : looks/looks != '0 ? looks : stalls/
# fault woken_lost: stall_scanner.* cycle [0-9]+.* pin (tab_req|may_leave|look_slot|tab_op|tab_id)
s/woke_d = woke_d \| woken_i\[Slots-1:0\];/woke_d = (serves \&\& stall_s) ? woke_d : woke_d | woken_i[Slots-1:0];/
# fault placed_while_found: stall_scanner.* cycle [0-9]+.* pin (group_first|tab_id|push_id|ready_push|tab_req|tab_op)
s/\.placed_i\(placed_ok\)/.placed_i(placed_ok \&\& !found_q)/
# fault held_for_ever: stall_scanner.* cycle [0-9]+.* pin hold.* expected .* got
s/&& op_i != OpBack;/;/
# fault kept_when_split: stall_scanner.* cycle [0-9]+.* pin (tab_req|look_slot|tab_op|vacate|tab_id)
s/tbs \? op_i == OpBack : split_i/tbs \&\& op_i == OpBack/
# fault judged_with_an_ack: stall_scanner.* cycle [0-9]+.* pin (stalled_push|ready_push|group_first|busy|push_id)
s/!found_q && !\(tbs && acked\)/!found_q/
# fault tb_of_one_more@odd: stall_scanner.* cycle [0-9]+.* pin fault.* expected .* got
s/claim_tb < 7'\(Tbs\)/claim_tb <= 7'(Tbs)/
