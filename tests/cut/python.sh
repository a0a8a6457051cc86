#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What commands in Python write takes the place of an older file when it is whole (tools/replace.py): where there is no room
# for it they end with status 1, a message, the older file as it was and nothing beside it.
#
#   tests/cut/python.sh BIN_DIR
#
# Their steps are kept from a run with room, so that the second run has nothing else to write.
# shellcheck source=tests/cut/said.sh
. "$(dirname "$0")/said.sh"
cd "$tmp" || exit 2
"$root/tests/cut/replace.py" >log 2>&1
said $? 'tools/replace.py' 'see log'

# leaves FILE COMMAND...: which writes FILE, first with room, then without. The pipe keeps the limit from the log.
leaves() {
    local file=$1 name=${2##*/}" $3" got
    shift
    "$@" >log 2>&1
    got=$?
    [ $got = 0 ] && [ -s "$file" ]
    said $? "$name, with room" "exit status $got"
    echo before >"$file"
    (
        ulimit -f 1
        exec "$@"
    ) 2>&1 | cat >log
    got=${PIPESTATUS[0]}
    [ "$got" = 1 ] && [ "$(cat "$file")" = before ] && grep -q "cannot be written: File too large" log &&
        ! grep -q Traceback log && [ -z "$(find . -name '*.new')" ]
    said $? "$name, without" "exit status $got, $(find . -name '*.new')"
}

# A record that is cut is not drawn.
mkdir record
whole=$root/vectors/golden/concurrency_manager.default.hex
draws() { # NAME STATUS PATTERN [TOOL FILE]
    local got tool=${4:-throttle_timeline}
    timeout 60 "$root/tools/$tool.py" "${5:-record}" >log 2>&1
    got=$?
    [ $got = "$2" ] && grep -q "$3" log && ! grep -q Traceback log
    said $? "$tool.py, $1" "exit status $got"
}
cp "$whole" record/concurrency_manager.hex
draws 'a whole record' 0 '^cycle warps'
head -n -1 "$whole" >record/concurrency_manager.hex
draws 'a record without its last cycle' 2 'holds [0-9]* of the [0-9]* cycles'
head -c -9 "$whole" >record/concurrency_manager.hex
draws 'a record that ends in a cycle' 2 'is no line of [0-9]* hexadecimal digits'
head -n 3 "$whole" >record/concurrency_manager.hex
draws 'a record that ends in its head' 2 'is no vector file'

# Nor is a waveform, wherever it is cut.
"$warpref" run "$root/kernels/vecadd.yaml" --set sms=2 --for 4000 --system preemption:period=1000 --wave w.fst >log
draws 'a whole waveform' 0 'cycle' preemption_wave w.fst
size=$(stat -c %s w.fst)
for lost in 1 100 $((size / 2)) $((size - 20)) "$size"; do
    head -c -"$lost" w.fst >cut.fst
    for tool in preemption_wave duet_timeline hints_timeline smk_timeline; do
        draws "a waveform without $lost bytes" 2 'is no waveform, or one that is cut' $tool cut.fst
    done
done
fst2vcd w.fst | head -c 20000 >cut.vcd
draws 'a VCD that ends in a line' 2 'is no waveform, or one that is cut' preemption_wave cut.vcd

mkdir runs
"$warpref" run "$root/kernels/vecadd.yaml" --stats runs/vecadd.json >log
leaves page.html "$warpref" report runs --out page.html
leaves area.json "$warpref" area hint_decoder --config tiny --out area --json area.json
leaves prove.json "$warpref" prove hint_decoder --config tiny --out prove --json prove.json
leaves study/quick/area/share.png "$warpref" study area/share --quick --out study
sum
