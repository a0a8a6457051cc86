# fault strided_as_one_word: absent_reply.* cycle [0-9]+.* pin (write_line|write_word|last)
s/\{1'b0, two_q, 1'b0\}/8'(two_q)/
# fault own_register_counted: absent_reply.* cycle [0-9]+.* pin (write_line|write_word|last|state)
s/6'\(r\) < regno_q/6'(r) <= regno_q/
# fault groups_of_16_as_32: absent_reply.* cycle [0-9]+.* pin (write_line|write_word|last)
s/\(group_q == 2'd1\) \? \{1'b0, ones, 1'b0\} :/(group_q == 2'd1) ? {2'b00, ones} :/
# fault rest_in_the_same_line: absent_reply.* cycle [0-9]+.* pin write_line.* expected .* got
s/12'\(words\[9:5\]\) : 12'd1/12'(words[9:5]) : 12'd0/
# fault row_of_register_0: absent_reply.* cycle [0-9]+.* pin write_line.* expected .* got
s/find_reg_i \+ 12'\(regno_q\)/find_reg_i/
# fault writes_what_is_withdrawn: absent_reply.* cycle [0-9]+.* pin (state|find|read|kinds|write)
s/bad \|\| !valid_i \|\| \(idle/bad || (idle/
# fault ready_is_absent: absent_reply.* cycle [0-9]+.* pin (fault|state|read|write)
s/find_state_i != Absent/!find_state_i[1]/
# fault point_in_16_bits: absent_reply.* cycle [0-9]+.* pin (fault|state|kinds|read)
s/head_i\[31:8\] == 24'd0/head_i[23:8] == 16'd0/
# fault point_goes_on_with_the_pins: absent_reply.* cycle [0-9]+.* pin point
s/if \(state_q == StRead\) point_q/point_q/
# fault figures_with_a_reply_begin_it: absent_reply.* cycle [0-9]+.* pin (state|find)
s/ \|\| \(idle && cfg_i\)\) state_d = StIdle/) state_d = StIdle/
