# fault reads_while_it_exchanges: context_mover.* cycle [0-9]+.* pin (home|away)_rd.* expected .* got
s/index_q < copied && !\(out_q && in_q && fly_q\)/index_q < copied/
# fault metadata_as_long_as_the_body: context_mover.* cycle [0-9]+.* pin (home|away|state|ack)
s/meta_q \? 10'\(StLines\) : lines_q/lines_q/
# fault slot_moves: context_mover.* cycle [0-9]+.* pin home_raddr.* expected .* got
s/home_roff = meta_q \? 12'd0 : 12'\(index_q\)/home_roff = 12'(index_q)/
# fault part_of_the_line_behind: context_mover.* cycle [0-9]+.* pin home_part.* expected .* got
s/home_wr_o \? behind_q\[1:0\] : home_rd_o/1'b0 ? behind_q[1:0] : home_rd_o || home_wr_o/
# fault last_line_not_exchanged: context_mover.* cycle [0-9]+.* pin away_rd.* expected .* got
s/away_rd   = rest_q && in_q/away_rd   = 1'b0/
# fault full_line_has_a_rest: context_mover.* cycle [0-9]+.* pin (away_wr|ack|state|home_wr)
s/rest_d  = pos_d\[WordW-1:0\] != '0/rest_d  = 1'b1/
# fault line_behind_is_exchanged: context_mover.* cycle [0-9]+.* pin (home|away)_r
s/asked_line < exchanged_q/asked_line <= exchanged_q/
# fault line_is_of_the_register: context_mover.* cycle [0-9]+.* pin home_(waddr|wr)
s/home_woff = out_valid_q \? 12'\(out_reg_q\) : 12'\(back_line_q\)/home_woff = 12'(out_reg_q)/
# fault one_line_more_fits: context_mover.* cycle [0-9]+.* pin fault.* expected .* got
s/10'\(line\) >= lines_q/10'(line) > lines_q/
# fault full_context_does_not_fit: context_mover.* cycle [0-9]+.* pin fault.* expected .* got
s/> \(16'\(lines_q\) << WordW\)/>= (16'(lines_q) << WordW)/
# fault point_in_16_bits: context_mover.* cycle [0-9]+.* pin (kinds_point|state)
s/if \(head_q\) point_d = away_rdata_i\[31:8\]/if (head_q) point_d = {8'd0, away_rdata_i[23:8]}/
# fault head_taken_late: context_mover.* cycle [0-9]+.* pin (kinds_point|state)
s/if \(head_q\) point_d/if (state_q == StPoint) point_d/
# fault asks_without_a_port: context_mover.* cycle [0-9]+.* pin kinds.* expected .* got
s/kinds_o       = runs && /kinds_o       = /
# fault ends_before_what_comes_back: context_mover.* cycle [0-9]+.* pin (ack|state)
s/drained = !\(rest_q && in_q\) && !row_valid_q/drained = !row_valid_q/
# fault strided_as_one_word: context_mover.* cycle [0-9]+.* pin away_(wr|addr|wdata)
s/\(WordW\+1\)'\(\{groups, 1'b0\}\)/(WordW+1)'(groups)/
# fault sum_of_strided_is_half: context_mover.* cycle [0-9]+.* pin (home|away)_(rd|raddr|addr)
s/PosW'\(\{twos_q, 1'b0\}\)/PosW'(twos_q)/
# fault step_to_the_wrong_side: context_mover.* cycle [0-9]+.* pin away_wdata.* expected .* got
s/(home_i\[32\*\(8\*s\+1\) \+: 32\]) - /\1 + /
# fault left_over_lost: context_mover.* cycle [0-9]+.* pin away_wdata.* expected .* got
s/pack_full_i \? \(ahead\[p\] \? put\[32\*p \+: 32\] : 32'd0\)/pack_full_i ? 32'd0/
# fault words_of_one_line: context_mover.* cycle [0-9]+.* pin home_wdata.* expected .* got
s/gone\[p\] \? window_q\[32\*p \+: 32\] : lower/lower/
# fault second_half_of_the_warp_as_the_first: context_mover.* cycle [0-9]+.* pin home_wdata.* expected .* got
s/rises << 4/rises << 3/
# fault second_slice_of_32_as_the_first: context_mover.* cycle [0-9]+.* pin home_wdata.* expected .* got
s/group\[1\] \|\| group\[2\]/group[1]/
# fault ends_before_the_last_row: context_mover.* cycle [0-9]+.* pin (ack|state|home_wr)
s/drained = !\(rest_q && in_q\) && !row_valid_q/drained = !(rest_q \&\& in_q)/
# fault seven_steps_are_five: context_mover.* cycle [0-9]+.* pin home_wdata.* expected .* got
s/\(rises << 3\) - rises/(rises << 2) + rises/
