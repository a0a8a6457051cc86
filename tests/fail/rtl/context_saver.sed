# fault stray_beside_refused_start@tiny: context_saver.* cycle [0-9]+.* (pin fault|fault_q).* expected 0x1, got 0x0
s/stray = decoded && !is_pp && !is_bar;/stray = decoded \&\& !is_pp \&\& !is_bar \&\& !(start_i \&\& busy);/
# fault request_ignores_compressor: context_saver.* cycle [0-9]+.* pin (rf_req|rf_index|seg_word|pattern_vec)
s/live_valid && \(!pending_q \|\| compressor_ready\)/live_valid/
# fault flush_ignores_pending: context_saver.* cycle [0-9]+.* pin
s/!live_valid && !pending_q && inside_q/!live_valid \&\& inside_q/
# fault tag_of_next_register: context_saver.* cycle [0-9]+.* pin pattern_vec
s/\.tag_i     \(tag_q\)/.tag_i     (live_index)/
# fault busy_until_flush: context_saver.* cycle [0-9]+.* pin busy.* expected .* got
s/busy   = state_q == Walking \|\| \(state_q == Flushed && !packer_done\)/busy   = state_q == Walking/
# fault pag_reserved_unseen: context_saver.* cycle [0-9]+.* pin fault.* expected .* got
s/ \|\| \(accept && pag_i == 2'd3\)//
# fault stray_not_sticky: context_saver.* cycle [0-9]+.* (pin fault|fault_q)
s/fault_q \|\| stray \|\| \(start_i/fault_q || (start_i/
