#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A signal ends a command in a report and closed files, and the command by that signal.
#
#   tests/cut/signals.sh BIN_DIR
#
# It is sent when a file of the command's says that its work has begun.
# shellcheck source=tests/cut/said.sh
. "$(dirname "$0")/said.sh"
cd "$root" || exit 2

# ended SIGNAL FILE BYTES PATTERN COMMAND...: when the file has so many bytes the signal is sent; then the output has the
# pattern, and none of the files that waveforms are made of is left.
ended() {
    local signal=$1 file=$2 bytes=$3 pattern=$4 child status
    shift 4
    rm -rf "$tmp/files" && mkdir "$tmp/files"
    env --default-signal "$warpref" "$@" >"$tmp/log" 2>&1 &
    child=$!
    while kill -0 $child 2>/dev/null && [ "$(stat -c %s "$tmp/files/$file" 2>/dev/null || echo -1)" -lt "$bytes" ]; do
        sleep 0.05
    done
    kill -s "$signal" $child
    wait $child
    status=$?
    [ $status = $((128 + $(kill -l "$signal"))) ] && grep -qE -- "$pattern" "$tmp/log" && ! ls "$tmp"/files/*.hier >/dev/null 2>&1
    said $? "$signal, $*" "status $status, files $(cd "$tmp/files" && echo *)"
}

files=$tmp/files
for signal in INT TERM HUP; do
    for threads in 1 3; do
        ended $signal s.csv 8192 'error: kernel .* was stopped after [0-9]+ cycles' \
            run kernels/spmv_csr_large.yaml --threads $threads --sample 100 --samples "$files/s.csv" --wave "$files/w.fst"
    done
    ended $signal c.fst 0 '^FAIL [0-9]+ cycles' cosim context_saver --config tiny --cycles 100000000 --wave "$files/c.fst"
    ended $signal v.hex 8192 'cycles, stopped by a signal' \
        vectors context_saver --config tiny --cycles 4000000 --output "$files/v.hex"
    "$warpref" replay context_saver "$files/v.hex" >"$tmp/log" 2>&1
    said $? "$signal, the vectors until then" "they are not whole"
done
sum
