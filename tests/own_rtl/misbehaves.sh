#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# RTL that is bad as a program, in `warpref cosim`: each way has its message and its exit status, and
# none leaves a process or a file behind. Sound RTL that only prints passes.
#
#   tests/own_rtl/misbehaves.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/want.sh"

# cosim HOW [OPTION...]
cosim() {
    local how=$1
    shift
    WR_MISBEHAVE=$how "$warpref" cosim switch_queues --config tiny --cycles 1000 --no-shrink --watchdog 1 \
        --rtl "$root/tests/own_rtl/misbehaves.sv" --rtl "$root/tests/own_rtl/misbehaves.c" \
        --rtl-dir "$root/rtl/duet" --top misbehaves "$@"
}
hangs='step of it took more than 1 s of processor time, or 10 s by the clock'
stops='^stopped: the RTL ended the simulation: '

want "sound" 0 '^PASS 1000 cycles 7000 checks$' cosim nothing
want "outputs that never change" 1 'cycle 0: pin warp_space\[0\]: expected 0x1, got 0x0' cosim constant
want "its inputs" 1 '^  > {5}0  warp_push=1[*]2 warp_push_id=0x' cosim constant
want "inputs of RTL that crashed" 1 '^  > {5}5  [a-z]' cosim address
want "no more inputs than asked for" 1 '^inputs up to it, where not 0 or just become 0:$' cosim address --last 2
cp out said
want "two" 0 '^2$' grep -c '^  [> ] ' said
want "none" 1 '^ended: ' cosim address --last 0
cp out said
want "none, indeed" 1 '' grep '^inputs' said
want "inputs, JSON" 1 '"last_inputs"' cosim address --last 3 --json
cp out json
want "inputs, JSON, are those of the waveform" 0 '^3 cycles, [1-9][0-9]* values$' python3 "$root/tests/own_rtl/last_inputs.py" json
want "an error while it is elaborated" 2 'misbehaves.sv:[0-9]+:[0-9]+: a depth that is not built' cosim nothing --define WR_ELABORATE
want "a loop at time 0" 1 "^ended: the RTL of switch_queues hangs in cycle 0: one $hangs" cosim loop_at_0
want "a loop later" 1 "^ended: the RTL of switch_queues hangs in cycle 5: one $hangs" cosim loop
want "an import that waits" 1 "^ended: the RTL of switch_queues hangs in cycle 5: one $hangs" cosim wait
last='^last cycles before it: switch_queues.tiny.mismatch.fst; gtkwave switch_queues.tiny.mismatch.fst shows it$'
want "a wave of what hung" 1 "$last" cosim loop
want "it ends with the cycle" 0 '^0 to 60 ns$' python3 -c '
import struct, sys
print("%d to %d ns" % struct.unpack(">QQ", open(sys.argv[1], "rb").read(25)[9:]))' switch_queues.tiny.mismatch.fst
rm switch_queues.tiny.mismatch.fst
want "a wave of what crashed" 1 "$last" cosim address
echo before >waves.fst && cp waves.fst rtl.fst
want "waves of what crashed" 1 "$last" cosim address --wave waves.fst --rtl-wave rtl.fst
want "they are whole" 0 '^pins and inside$' sh -c 'fst2vcd waves.fst && fst2vcd rtl.fst && echo pins and inside'
want "a wave of what finished" 1 "$last" cosim finish
want "logic that does not settle" 1 "${stops}its combinational logic does not settle: a loop" cosim settle
want "\$finish" 1 "${stops}.*/misbehaves.sv:[0-9]+: \\\$finish$" cosim finish
want "\$stop" 1 "${stops}.*/misbehaves.sv:[0-9]+: \\\$stop" cosim stop
want "\$fatal" 1 'said by the RTL$' cosim fatal
want "\$fatal, where" 1 "${stops}.*/misbehaves.sv:[0-9]+: \\\$stop, or an assertion failed$" cosim fatal
for how in fatal assert; do
    want "$how in a final block" 1 "${stops}.*/misbehaves.sv:[0-9]+: \\\$stop, or an assertion failed$" cosim final_$how
done
want "a loop in a final block" 1 "^ended: the RTL of switch_queues hangs in cycle [0-9]+: one $hangs" cosim final_loop
want "a bad address" 1 '^ended: the RTL of switch_queues crashed in cycle 5: Segmentation fault$' cosim address
want "a division by 0" 1 '^ended: the RTL of switch_queues crashed in cycle 5: Floating point' cosim divide
want "abort" 1 '^ended: the RTL of switch_queues crashed in cycle 5: Aborted$' cosim abort
want "exit(0)" 1 'ended the process in cycle 5, with exit status 0$' cosim exit
want "standard error" 0 '^said on standard error$' cosim stderr

# Four megabytes of output: 64 KiB are shown, on standard error, and the verdict stands alone.
want "printing" 0 '^\(the RTL printed [0-9]+ bytes more\)$' cosim print
want "printing, JSON" 0 '"pass":	true' cosim print --json
cp out json
want "JSON is all of standard output" 0 '^whole$' \
    python3 -c 'import json; json.load(open("json")); print("whole")'
want "a crash, JSON" 1 '"ended":	"the RTL of switch_queues crashed in cycle 5: Segmentation fault"' \
    cosim address --json
verdict
