# fault sides_swapped: simt_stack.* cycle [0-9]+.* pin mask.* expected .* got
s/\{lanes_other, rpc_i, alt_pc_i\}/{lanes_taken, rpc_i, alt_pc_i}/
# fault loop_spends_an_entry: simt_stack.* cycle [0-9]+.* pin depth
s/assign flat        = nested && rpc_i == top_rpc;/assign flat        = 1'b0;/
# fault bottom_leaves: simt_stack.* cycle [0-9]+.* pin depth
s/assign leaves      = nested && advance_pc == top_rpc;/assign leaves      = advance_pc == top_rpc;/
# fault one_entry_unused: simt_stack.* cycle [0-9]+.* pin (overflow|depth)
s/over_depth <= \(DepthW\+1\)'\(Entries\) \|\|/over_depth < (DepthW+1)'(Entries) ||/
# fault overflow_stays: simt_stack.* cycle [0-9]+.* pin overflow
s/overflow_d = 1'b0;/overflow_d = overflow_q;/
# fault top_lost_below_a_load: simt_stack.* cycle [0-9]+.* pin (pc|rpc|mask)
s/old_place  = do_load \? top_q/old_place  = do_load ? side_other/
# fault loop_when_full: simt_stack.* cycle [0-9]+.* pin (overflow|depth)
s/flat && over_depth == \(DepthW\+1\)'\(Entries \+ 1\)/1'b0/
