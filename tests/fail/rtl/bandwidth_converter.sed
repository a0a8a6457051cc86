# fault stores_as_loads: bandwidth_converter.* cycle [0-9]+.* pin (n16|value).* expected .* got
s/21'\(4'\(StoreFlits\)\)/21'(4'(LoadFlits))/
# fault loads_wrap: bandwidth_converter.* cycle [0-9]+.* expected .* got
s/more_loads\[16\] \? '1 : //
# fault lines_wrap: bandwidth_converter.* cycle [0-9]+.* expected .* got
s/more_lines\[19\] \? '1 : //
# fault write_backs_left_out: bandwidth_converter.* cycle [0-9]+.* expected .* got
s/20'\(b_i\) \+ 20'\(c_i\)/20'(b_i)/
# fault costs_of_nothing: bandwidth_converter.* cycle [0-9]+.* pin n16.* expected .* got
s/ && requests != 17'd0//
# fault more_than_all: bandwidth_converter.* cycle [0-9]+.* pin value.* expected .* got
s/\(quot > 8'd100\)/(quot > 8'd101)/
# fault falls: bandwidth_converter.* cycle [0-9]+.* pin value.* expected .* got
s/\(percent > base_dbw_q\) \? percent : base_dbw_q/percent/
# fault line_begins_late: bandwidth_converter.* cycle [0-9]+.* pin value.* expected .* got
s/step_q \+ 6'd1 : step_q/step_q : step_q/
# fault sums_stay: bandwidth_converter.* cycle [0-9]+.* expected .* got
s/accesses_d\[18\*kernel_q \+: 18\] = '0;//
# fault sample_before_stays: bandwidth_converter.* cycle [0-9]+.* expected .* got
s/base_nbw_d                    = '0;//
# fault fewer_ctas_pass: bandwidth_converter.* cycle [0-9]+.* expected .* got
s/c_i\[5:0\] < base_ctas_q/1'b0/
# fault one_above_passes: bandwidth_converter.* cycle [0-9]+.* expected .* got
s/32'\(c_i\[5:0\]\) > MaxCtas/32'(c_i[5:0]) > MaxCtas + 1/
