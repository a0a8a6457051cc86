# fault stride_off_by_one: reg_decompressor.* cycle [0-9]+.* pin lane.* expected .* got
s/base \+ skip;/base + skip + 32'(pattern_i == Strided);/
# fault dead_reads_zero: reg_decompressor.* cycle [0-9]+.* pin lane
s/base = Poison;/base = 32'h0 \& Poison;/
# fault tag_of_next: reg_decompressor.* cycle [0-9]+.* pin tag
s/s2_tag_q  <= s1_tag_q;/s2_tag_q  <= tag_i;/
