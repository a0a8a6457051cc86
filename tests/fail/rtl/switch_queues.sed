# fault id_bit_lost: switch_queues.* cycle [0-9]+.* pin warp_head
s/\.data_i \(warp_push_id_i\[7\*i \+: 7\]\)/.data_i ({1'b0, warp_push_id_i[7*i +: 6]})/
# fault one_entry_less: switch_queues.* cycle [0-9]+.* pin tb_space
s/\.Depth\(TbDepth\)/.Depth(TbDepth - 1)/
# fault push_without_clear: switch_queues.* cycle [0-9]+.* pin tb_valid
s/\.clear_i,/.clear_i(1'b0),/
# fault queues_crossed: switch_queues.* cycle [0-9]+.* pin warp_(valid|space|head)
s/\.pop_i  \(warp_pop_i\[i\]\)/.pop_i  (warp_pop_i[1-i])/
# fault empty_pop_unseen: switch_queues.* cycle [0-9]+.* pin fault
s/tb_pop_i & ~tb_valid_o/tb_pop_i \& tb_valid_o \& ~tb_valid_o/
