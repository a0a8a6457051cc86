# fault carried_run_forgotten: onchip_bitmap.* cycle [0-9]+.* pin (ready|done|found|addr)
s/run_d  = run_next;/run_d  = 12'd0;/
# fault search_past_the_region: onchip_bitmap.* cycle [0-9]+.* pin done.* expected 0x1
s/WordW'\(L10 - 1\)/WordW'(L10)/
# fault run_written_from_the_row_start: onchip_bitmap.* cycle [0-9]+.* (pin|state)
s/first_q \? start_q\[OffW-1:0\] : '0/'0/
# fault free_of_free_units_unseen: onchip_bitmap.* cycle [0-9]+.* pin (found|fault)
s/give_q && \(mask & ~row_q\) != '0/1'b0/
# fault last_row_one_late: onchip_bitmap.* cycle [0-9]+.* pin (ready|done)
s/end_unit <= 13'\(WordBits\)/end_unit < 13'(WordBits)/
# fault run_before_the_word_ignored: onchip_bitmap.* cycle [0-9]+.* pin addr
s/carry \? base - run_q/carry ? base/
# fault first_row_read_late: onchip_bitmap.* cycle [0-9]+.* (pin|state)
s/phase_q == Idle \? first_word : next_word/next_word/
# fault rest_of_the_run_one_long: onchip_bitmap.* cycle [0-9]+.* (pin|state)
s/end_unit - 13'\(WordBits\)/end_unit - 13'(WordBits - 1)/
