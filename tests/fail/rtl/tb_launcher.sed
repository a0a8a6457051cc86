# fault ends_of_others_too: tb_launcher.* cycle [0-9]+.* pin (ending|busy|job)
s/forget && tb_q\[4:0\] == 5'\(t\)/forget/
# fault a_warp_too_few: tb_launcher.* cycle [0-9]+.* pin (index|state|warp|slots_free|map_valid|tab_req)
s/6'\(index_q\) \+ 6'd1 >= warps_q/6'(index_q) + 6'd2 >= warps_q/
# fault undo_unblocks: tb_launcher.* cycle [0-9]+.* pin (job|state).* expected .* got
s/\(map_ours_q && job_q == JobUndo\)/(map_ours_q \&\& job_q == JobNone)/
# fault promised_slots_shown: tb_launcher.* cycle [0-9]+.* pin slots_free.* expected .* got
s/slots_free_i - 7'\(promised\)/slots_free_i/
# fault registers_lost: tb_launcher.* cycle [0-9]+.* pin (state|job|tab_op|index)
s/state_q == StAway && !regs_move/1'b0/
# fault unit_before_switch: tb_launcher.* cycle [0-9]+.* pin mem_ack.* expected .* got
s/map_ours_d  = map_valid_o \? !mem_req_i/map_ours_d  = map_valid_o ? lines_step \&\& !lines_none/
