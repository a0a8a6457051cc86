# fault half_forgotten@tiny: gpuduet.* cycle [0-9]+.* pin (home_rd|home_wr|away_rd|away_wr|mover_state|kinds|move_ack)
s/!half_i \|\| !phase_q/1'b1/
# fault port_for_both@tiny: gpuduet.* cycle [0-9]+.* pin (read|read_line).* expected .* got
s/reply_read && !move_o/reply_read/
# fault written_in_a_move@tiny: gpuduet.* cycle [0-9]+.* pin (write|write_line|last).* expected .* got
s/reply_write && !move_o && reply_i/reply_write \&\& reply_i/
# fault kinds_of_both@tiny: gpuduet.* cycle [0-9]+.* pin (reply_state|fault|kinds|kinds_point)
s/reply_kinds && !mover_kinds/reply_kinds/
# fault point_of_the_reply@tiny: gpuduet.* cycle [0-9]+.* pin kinds_point.* expected .* got
s/mover_kinds \? mover_point : reply_point/reply_kinds ? reply_point : mover_point/
# fault end_before_the_write@tiny: gpuduet.* cycle [0-9]+.* pin last.* expected .* got
s/ && \(write_o \|\| !reply_write\)//
# fault whole_tbs_as_warps@tiny: gpuduet.* cycle [0-9]+.* pin (mover_state|kinds|home_rd|home_wr|away_rd|fault)
s/level_o == LevelTb/1'b0/
# fault figures_at_the_start@tiny: gpuduet.* cycle [0-9]+.* pin (fault|phase_q|write_line|mover_state|read|reply_state|home_rd|away_rd|away_wr|home_wr|kinds)
s/begins = state_o == Tell/begins = start_i/
# fault fault_of_the_reply_lost@tiny: gpuduet.* cycle [0-9]+.* pin fault.* expected .* got
s/ \|\| reply_fault;/;/
# fault fault_of_the_mover_lost@tiny: gpuduet.* cycle [0-9]+.* pin fault.* expected .* got
s/ \|\| mover_fault \|\| / || /
