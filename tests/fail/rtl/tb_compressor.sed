# fault step_is_the_stride: tb_compressor.* cycle [0-9]+.* pin tb_class.* expected .* got
s/step = \{stride_0\[27:0\], 4'b0\}/step = stride_0/
# fault border_not_compared: tb_compressor.* cycle [0-9]+.* pin tb_class.* expected .* got
s/!first && !is_sum\(base\[31:0\], prev_q, step\)/1'b0/
# fault one_group_too_many: tb_compressor.* cycle [0-9]+.* pin (tb_class|count|last|word)
s/8'\(count\) <= 8'\(Entries\)/8'(count) <= 8'(Entries + 1)/
# fault last_beat_early: tb_compressor.* cycle [0-9]+.* pin last.* expected .* got
s/8'\(pos_q\) \+ 8'd1 == 8'\(fill_q\)/8'(pos_q) + 8'd2 == 8'(fill_q)/
# fault random_forgotten: tb_compressor.* cycle [0-9]+.* pin (tb_class|count)
s/random_q \|\| is_random;/is_random;/
# fault carry_left_out: tb_compressor.* cycle [0-9]+.* pin (tb_class|count|last|word)
s/is_sum = \(a \^ b \^ n\) == ~carry/is_sum = (a ^ b ^ n) == ~32'h0/
# fault group_written_a_place_up: tb_compressor.* cycle [0-9]+.* pin (word|tb_class|count)
s/fill_q == FillW'\(e - g\)/fill_q == FillW'(e - g + (g == 2))/
# fault reserved_pag_of_the_first_alone@odd: tb_compressor.* cycle [0-9]+.* pin fault
s/fault_q \|\| pag_i == 2'd3 \|\|/fault_q || (pag_i == 2'd3 \&\& first) ||/
# fault reserved_pag_that_does_not_fit@odd: tb_compressor.* cycle [0-9]+.* pin fault
s/fault_q \|\| pag_i == 2'd3 \|\|/fault_q || (pag_i == 2'd3 \&\& fits) ||/
# fault a_bit_of_the_step_to_the_last_group@max: tb_compressor.* cycle [0-9]+.* pin (tb_class|count|last|word)
s/jumps\[g\] = has\[g\] && !is_sum\(base\[32\*g \+: 32\], base\[32\*\(g-1\) \+: 32\], step\)/jumps[g] = has[g] \&\& !is_sum(base[32*g +: 32], base[32*(g-1) +: 32], step) \&\& !(g == 7 \&\& is_sum(base[32*g +: 32] ^ 32'h100, base[32*(g-1) +: 32], step))/
