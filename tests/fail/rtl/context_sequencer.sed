# fault request_crosses_a_segment: context_sequencer: cycle [0-9]+: pin req_bytes:
s/room_in_seg = 8'd128 - \{1'b0, addr_q\[6:0\]\}/room_in_seg = 8'd128/
# fault stacks_too_near: context_sequencer: cycle [0-9]+: pin req_addr:
s/SegBits'\(3\) : SegBits'\(slot_segs_q\)/SegBits'(2) : SegBits'(slot_segs_q)/
# fault shared_memory_kept_is_written: context_sequencer: cycle [0-9]+: pin ptr\[1\]:
s/has_shared = !keep_shared_q && /has_shared = /
# fault limit_one_off: context_sequencer: cycle [0-9]+: pin req_valid: expected 0x1, got 0x0
s/space\[SegBits-1:0\] >= /space[SegBits-1:0] > /
# fault deep_stack_passes: context_sequencer: cycle [0-9]+: pin req_valid: expected 0x0, got 0x1
s/depth_i > 16'd32/1'b0/
