# fault counts_barriers_of_inactive: vt_status_table.* cycle [0-9]+.* (pin|state) .*expected .* got
s/hit_out \? warps_q - out_bar/hit_out ? warps_q/
# fault renames_the_neighbour: vt_status_table.* cycle [0-9]+.* pin look_vwi.* expected .* got
s/8'\(walk_vwi\) < 8'\(from_q\)/8'(walk_vwi) <= 8'(from_q)/
# fault always_the_lowest: vt_status_table.* cycle [0-9]+.* pin swap_out
s/out_above \? out_first : out_low/out_low/
# fault walk_ends_early: vt_status_table.* cycle [0-9]+.* pin busy
s/Slots - 1\);$/Slots - 2);/
# fault swap_during_renaming: vt_status_table.* cycle [0-9]+.* pin swap_valid
s/assign swap_valid   = !busy_q && out_any/assign swap_valid   = out_any/
