# fault handed_over_untold: duet_unit.* cycle [0-9]+.* pin extra.* expected .* got
s/!start_i && settled && me_o/!start_i \&\& !searching_o \&\& me_o/
# fault verdict_in_a_launch: duet_unit.* cycle [0-9]+.* pin me.* expected .* got
s/\.launching_i \(lau_launching\)/.launching_i (1'b0)/
# fault drained_while_busy@odd: duet_unit.* cycle [0-9]+.* pin state.* expected .* got
s/ && !lau_busy && told/ \&\& told/
# fault order_forgotten: duet_unit.* cycle [0-9]+.* pin (entry_op|entry_id|in_id|op|tb|job|hold|moved_id|find_state)
s/\.cfg_i          \(state_q == Tell\)/.cfg_i          (state_q == Tell || state_q == Book)/
# fault cleared_while_queued: duet_unit.* cycle [0-9]+.* pin (job|tb|fault|warp)
s/\.queued_i        \(scan_busy\)/.queued_i        (32'd0)/
# fault native_before_ready: duet_unit.* cycle [0-9]+.* pin job.* expected .* got
s/\.ready_waits_i   \(ready_valid\)/.ready_waits_i   (1'b0)/
# fault start_fault_lost: duet_unit.* cycle [0-9]+.* pin fault.* expected .* got
s/\(start_i && !begins\) \|\| //
# fault undone_tb_begun@odd: duet_unit.* cycle [0-9]+.* pin (op|in_id|entry_op|fault|job|find_state|entry_id)
s/lau_launching \|\| job_o == JobUndo/lau_launching/
# fault wanted_without_grid@odd: duet_unit.* cycle [0-9]+.* pin op.* expected .* got
s/\(allow && waiting_i && tb_free\)/(allow \&\& tb_free)/
# fault launched_past_the_l1@odd: duet_unit.* cycle [0-9]+.* pin (row|meta|smem|job|tb)
s/\.use_l1_i        \(bypass_o\)/.use_l1_i        (1'b0)/
# fault slot_claimed_for_nobody@odd: duet_unit.* cycle [0-9]+.* pin (hold|entry_id|entry_op|find_state|job|fault|slot|op)
s/\.csl_slot_id_i   \(csl_slot_id\)/.csl_slot_id_i   (csl_id)/
