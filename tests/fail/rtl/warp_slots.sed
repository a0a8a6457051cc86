# fault claim_over_a_warp: warp_slots.* cycle [0-9]+.* pin (look_id|fault|free|next)
s/claim_slot_i == 6'\(i\) && !taken_q\[i\]/claim_slot_i == 6'(i)/
# fault pass_of_what_is_given: warp_slots.* cycle [0-9]+.* pin fault.* expected .* got
s/taken_q\[i\] && !gives\[i\]/taken_q[i]/
# fault passed_to_the_claimer: warp_slots.* cycle [0-9]+.* pin look_id.* expected .* got
s/warp_q <= pass_id_i/warp_q <= claim_id_i/
# fault free_not_given_back: warp_slots.* cycle [0-9]+.* pin free.* expected .* got
s/free_q \+ 7'\(gives != '0\)/free_q/
# fault any_warp_may@odd: warp_slots.* cycle [0-9]+.* pin (fault|look_valid|look_id|free|next)
s/claim_i && 8'\(claim_id_i\) < 8'\(Warps\)/claim_i \&\& 8'(claim_id_i) <= 8'(Warps)/
# fault give_past_the_end_unseen@odd: warp_slots.* cycle [0-9]+.* pin fault.* expected .* got
s/\(give_i && gives == '0\)/(give_i \&\& gives == '0 \&\& 32'(give_slot_i) < Slots)/
