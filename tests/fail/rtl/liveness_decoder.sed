# fault divergence_ignored: liveness_decoder.* cycle [0-9]+.* pin mask.* expected .* got
s/is_pp && diverged_i && has_dummy/is_pp \&\& diverged_i \&\& !has_dummy/
# fault high_bit_one_late: liveness_decoder.* cycle [0-9]+.* pin mask
s/localparam int unsigned HighBit = 53/localparam int unsigned HighBit = 52/
# fault diverged_bar_forgiven: liveness_decoder.* cycle [0-9]+.* pin fault
s/\(is_bar \|\| !has_dummy\)/!has_dummy/
# fault start_at_the_last_take@tiny: liveness_decoder.* cycle [0-9]+.* pin fault
s/fault_d = fault_q \|\| start_i;/fault_d = fault_q || (start_i \&\& !(last_o \&\& ready_i));/
