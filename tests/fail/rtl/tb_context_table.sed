# fault set_replaces: tb_context_table.* cycle [0-9]+.* pin look_mask
s/absent_q \| mask_i/mask_i/
# fault last_unit_outside: tb_context_table.* cycle [0-9]+.* pin (look_present|find)
s/< 13'\(SmemUnits\)/< 13'(SmemUnits - 1)/
# fault partial_wants_smem: tb_context_table.* cycle [0-9]+.* pin find_
s/valid_q & any_absent;/valid_q \& any_absent \& in_place;/
# fault insert_overwrites: tb_context_table.* cycle [0-9]+.* pin (fault|look_mask|look_addr)
s/ok = id_ok && !hit && fits;/ok = id_ok \&\& fits;/
# fault remove_ignored: tb_context_table.* cycle [0-9]+.* pin (look_|find_)
s/op_i == OpRemove\) valid_d/1'b0) valid_d/
