# fault counts_barriers_of_inactive: vt_status_table.* cycle [0-9]+.* (pin|state) .*expected .* got
s/warps_q - out_bar_i;/warps_q;/
# fault renames_the_neighbour: vt_status_table.* cycle [0-9]+.* pin look_vwi.* expected .* got
s/8'\(walk_vwi\) < 8'\(from_q\)/8'(walk_vwi) <= 8'(from_q)/
# fault always_the_lowest: vt_status_table.* cycle [0-9]+.* pin swap_out
s/\.from_i\(out_start_q\)/.from_i(5'd0)/
# fault walk_ends_early: vt_status_table.* cycle [0-9]+.* pin busy
s/Slots - 1\);$/Slots - 2);/
# fault swap_during_renaming: vt_status_table.* cycle [0-9]+.* pin swap_valid
s/assign swap_valid   = !busy_q && out_found/assign swap_valid   = out_found/
# fault last_wake_unseen@tiny: vt_status_table.* cycle [0-9]+.* pin swap_(valid|in)
s/\.none_next_i\(count == 6'd1\)/.none_next_i(1'b0)/
# fault stays_though_it_leaves: vt_status_table.* cycle [0-9]+.* pin
s/\(take && first_out\[t\]\) \? leave/(take \&\& first_out[t]) ? stay/
# fault stall_beside_a_wake_unseen@tiny: vt_status_table.* cycle [0-9]+.* pin fault
/u_stay/,/bad_o/s/\.stall_i\(stall_at\[t\]\)/.stall_i(stall_at[t] \&\& (active_q[t] || !wake_at[t]))/
