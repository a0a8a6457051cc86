# fault dead_before_words: context_restorer.* cycle [0-9]+.* pin (seg_want|rf_req|rf_index|rf_lane)
s/\(head_valid \? !at_head : !unpacker_busy\)/(!head_valid || !at_head)/
# fault live_above_alloc_waits: context_restorer.* cycle [0-9]+.* pin
s/live       = head_valid && \(at_head \|\| !left\)/live       = head_valid \&\& at_head/
# fault dead_keeps_pattern: context_restorer.* cycle [0-9]+.* pin rf_lane.* expected .* got
s/live \? head_pattern : Dead/head_pattern/
# fault busy_ends_early: context_restorer.* cycle [0-9]+.* pin busy.* expected .* got
s/left \|\| inside_q != 2'd0;/left;/
# fault alloc_not_limited: context_restorer.* cycle [0-9]+.* pin
s/alloc      = alloc_high \? 7'\(Regs\) : alloc_i/alloc      = alloc_i/
# fault live_high_at_alloc: context_restorer.* cycle [0-9]+.* pin fault
s/is_live >> alloc\)/(is_live >> alloc) >> 1)/
# fault turn_overwritten: context_restorer.* cycle [0-9]+.* (pin|state)
s/turn_ready = !turn_valid_q \|\| grow_ready;/turn_ready = 1'b1;/
