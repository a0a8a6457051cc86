# fault total_not_counted: context_packer.* cycle [0-9]+.* pin total.* expected .* got
s/total_q \+ 13'\(count\)/total_q + 13'd1/
# fault words_rotated: context_packer.* cycle [0-9]+.* pin seg_word
s/\(32 << k\)/(31 << k)/
# fault pattern_bits_swapped: context_packer.* cycle [0-9]+.* pin pattern_vec
s/\+: 2\] = pattern_i;/+: 2] = {pattern_i[0], pattern_i[1]};/
# fault last_on_every_segment: context_packer.* cycle [0-9]+.* pin seg_last
s/seg_valid && closed_q && !fixed_q/seg_valid \&\& !fixed_q/
