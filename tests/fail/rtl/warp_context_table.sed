# fault addresses_swapped: warp_context_table.* cycle [0-9]+.* pin look_meta_addr
s/meta_addr_q <= meta_addr_i/meta_addr_q <= reg_addr_i/
# fault absent_may_run: warp_context_table.* cycle [0-9]+.* pin (look_state|find_|group_|fault)
s/Absent:  step_ok = state_i == Absent/Absent:  step_ok = state_i == Running || state_i == Absent/
# fault find_without_start: warp_context_table.* cycle [0-9]+.* pin find_id
s/\.from_i \(find_from_i\)/.from_i (7'd0)/
# fault group_one_short: warp_context_table.* cycle [0-9]+.* pin group_
s/<< group_count_i\) <</<< (group_count_i >> 1)) <</
# fault present_past_the_registers: warp_context_table.* cycle [0-9]+.* pin look_present
s/look_reg < 12'\(RegUnits\)/look_reg <= 12'(RegUnits)/
# fault barrier_kept_on_insert: warp_context_table.* cycle [0-9]+.* pin (look_barrier|group_ready)
s/barrier_i && op_i != OpInsert/barrier_i/
