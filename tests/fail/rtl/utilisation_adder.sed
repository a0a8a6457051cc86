# fault last_sm_left_out: utilisation_adder.* cycle [0-9]+.* pin issued.* expected .* got
s/\.x_i\(issued_i\)/.x_i((3*Sms)'(issued_i[3*Sms-4:0]))/
# fault up_and_down_swapped: utilisation_adder.* cycle [0-9]+.* pin (up|down).* expected .* got
s/up_o          = 7'\(up_q\)/up_o          = 7'(down_q)/
s/down_o        = 7'\(down_q\)/down_o        = 7'(up_q)/
# fault start_not_delayed: utilisation_adder.* cycle [0-9]+.* pin start.* expected .* got
s/start_o       = start_q/start_o       = start_i/
# fault flits_cut_off_by_another_clock: utilisation_adder.* cycle [0-9]+.* pin (down|fault).* expected .* got
s/\.x_i\(down_i\), \.most_i\(noc_cycles_i\)/.x_i(down_i), .most_i(l2_cycles_i)/
# fault no_flit_above_two: utilisation_adder.* cycle [0-9]+.* pin (l2|fault).* expected .* got
s/\.x_i\(l2_i\), \.most_i\(l2_cycles_i\)/.x_i(l2_i), .most_i(l2_cycles_i == 2'd3 ? 2'd2 : l2_cycles_i)/
# fault fault_falls: utilisation_adder.* cycle [0-9]+.* pin fault.* expected .* got
s/fault_d = fault_q \|\| over != 6'd0/fault_d = over != 6'd0/
# fault dram_above_its_cycles_is_no_fault: utilisation_adder.* cycle [0-9]+.* pin fault.* expected .* got
s/fault_q \|\| over != 6'd0/fault_q || over[4:0] != 5'd0/
