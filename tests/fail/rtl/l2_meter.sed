# fault lost_with_the_read: l2_meter.* cycle [0-9]+.* pin accesses.* expected .* got
s/access_q     <= access_was \+ Bits'\(access_one\)/access_q     <= anew ? '0 : access_was + Bits'(access_one)/
# fault counts_wrap@tiny: l2_meter.* cycle [0-9]+.* pin (accesses|misses|write_backs).* expected .* got
s/ && miss_was != '1//
# fault misses_without_access: l2_meter.* cycle [0-9]+.* pin misses.* expected .* got
s/access_i && miss_i && kernel_i/miss_i \&\& kernel_i/
# fault written_back_by_who_asks: l2_meter.* cycle [0-9]+.* pin write_backs.* expected .* got
s/owner_i == 2'\(k\)/kernel_i == 2'(k)/
# fault hits_alone: l2_meter.* cycle [0-9]+.* pin accesses.* expected .* got
s/access_i && kernel_i == 2'\(k\) && access_was/access_i \&\& !miss_i \&\& kernel_i == 2'(k) \&\& access_was/
# fault all_taken: l2_meter.* cycle [0-9]+.* pin (accesses|misses|write_backs).* expected .* got
s/read_i && read_kernel_i == 2'\(k\)/read_i/
# fault stray_kernel_passes@odd: l2_meter.* cycle [0-9]+.* pin fault.* expected .* got
s/\(access_i && \{1'b0, kernel_i\} >= There\) \|\| //
