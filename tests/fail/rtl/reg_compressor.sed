# fault class_swapped: reg_compressor.* cycle [0-9]+.* pin pattern.* expected .* got
s/\(\|s1_stride_q\) \? Strided : Uniform/(|s1_stride_q) ? Uniform : Strided/
# fault border_counts_always: reg_compressor.* cycle [0-9]+.* pin (pattern|count|word)
s/(s1_pag_q == 2'd1 && Ends16)/(s1_pag_q == 2'd3 \&\& Ends16)/
# fault stall_drops: reg_compressor.* cycle [0-9]+
s/s1_load = !s1_valid_q \|\| s2_load/s1_load = 1'b1/
