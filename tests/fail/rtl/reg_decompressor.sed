# fault stride_off_by_one: reg_decompressor.* cycle [0-9]+.* pin lane.* expected .* got
s/base \+ skip_8 \+ skip_16\)/base + skip_8 + skip_16 + 32'(pattern_i == Strided))/
# fault dead_reads_zero: reg_decompressor.* cycle [0-9]+.* pin lane
s/dead \? Poison/1'b0 ? Poison/
# fault tag_of_next: reg_decompressor.* cycle [0-9]+.* pin tag
s/s2_tag_q  <= s1_tag_q;/s2_tag_q  <= tag_i;/
# fault half_groups_start_low: reg_decompressor.* cycle [0-9]+.* pin lane
s/g >= 1 && s % 2 == 1/g >= 2 \&\& s % 2 == 1/
