# fault strided_needs_half: context_unpacker.* cycle [0-9]+.* pin
s/Strided: need = groups << 1/Strided: need = groups/
# fault wrong_bank: context_unpacker.* cycle [0-9]+.* pin word.* expected .* got
s/gone\[p\] \? next_word/!gone[p] ? next_word/
# fault pag_reserved_kept: context_unpacker.* cycle [0-9]+.* pin pag
s/pag_d     = \(pag_i == 2'd3\) \? 2'd2 : pag_i/pag_d     = pag_i/
# fault head_of_the_wrong_half: context_unpacker.* cycle [0-9]+.* pin
s/codes\[2\*n \+: 2\] = live\[2\*n\] \?/codes[2*n +: 2] = live[2*n+1] ?/
# fault head_searched_again: context_unpacker.* cycle [0-9]+.* pin (tag|busy|valid)
s/if \(busy\) behind\[\{tag_q, 1'b0\} \+: 2\] = 2'd0;//
# fault segment_with_the_start_forgiven: context_unpacker.* cycle [0-9]+.* pin fault
s/fault_q \|\| seg_valid_i \|\| \(start_i/fault_q || (seg_valid_i \&\& !start_i) || (start_i/
