# fault lost_with_the_read: l2_meter.* cycle [0-9]+.* pin accesses.* expected .* got
s/access_q     <= access_was \+ Bits'/access_q     <= anew ? '0 : access_was + Bits'/
# fault counts_wrap@tiny: l2_meter.* cycle [0-9]+.* pin fetches.* expected .* got
s/fetch_more\[Wide\] \? '1 : //
# fault write_backs_wrap@tiny: l2_meter.* cycle [0-9]+.* pin write_backs.* expected .* got
s/write_back_more\[Wide\] \? '1 : //
# fault fetched_without_access: l2_meter.* cycle [0-9]+.* pin fetches.* expected .* got
s/\(hit \? \(Wide \+ 1\)'\(fetched\)/(kernel_i == 2'(k) ? (Wide + 1)'(fetched)/
# fault written_back_by_who_asks: l2_meter.* cycle [0-9]+.* pin write_backs.* expected .* got
s/owner_i == 2'\(k\)/kernel_i == 2'(k)/
# fault sectors_as_lines: l2_meter.* cycle [0-9]+.* pin fetches.* expected .* got
s/fetch_q\[Wide-1:2\]/fetch_q[Wide-3:0]/
# fault five_sectors: l2_meter.* cycle [0-9]+.* expected .* got
s/\(written_i > Sectors\) \? Sectors : written_i/written_i/
# fault hits_alone: l2_meter.* cycle [0-9]+.* pin accesses.* expected .* got
s/Bits'\(hit && access_was/Bits'(hit \&\& fetched_i == 3'd0 \&\& access_was/
# fault all_taken: l2_meter.* cycle [0-9]+.* pin (accesses|fetches|write_backs).* expected .* got
s/read_i && read_kernel_i == 2'\(k\)/read_i/
# fault stray_kernel_passes@odd: l2_meter.* cycle [0-9]+.* pin fault.* expected .* got
s/\(access_i && \{1'b0, kernel_i\} >= There\) \|\| //
