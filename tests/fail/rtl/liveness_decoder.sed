# fault divergence_ignored: liveness_decoder.* cycle [0-9]+.* pin mask.* expected .* got
s/is_pp && diverged_i && has_dummy/is_pp \&\& diverged_i \&\& !has_dummy/
# fault high_bit_one_late: liveness_decoder.* cycle [0-9]+.* pin mask
s/localparam int unsigned HighBit = 53/localparam int unsigned HighBit = 52/
# fault diverged_bar_forgiven: liveness_decoder.* cycle [0-9]+.* pin fault
s/\(is_bar \|\| !has_dummy\)/!has_dummy/
