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

# size PID FILE: of it, or of what the process writes to be it, which has another name or none; -1: there is none.
size() {
    local of
    for of in "$2" "$2".*.new "/proc/$1/fd/"*; do
        [[ $of = "$2" || $(readlink "$of") = "${2%/*}"/* ]] && stat -L -c %s "$of"
    done 2>/dev/null | sort -n | tail -1 | grep . || echo -1
}

# ended SIGNAL FILE BYTES PATTERN COMMAND...: when the file has so many bytes the signal is sent; then the output has the
# pattern, the wave takes the place of an older one, and none of the files that it is made of is left. A command that is
# killed leaves the older one.
ended() {
    local signal=$1 file=$2 bytes=$3 pattern=$4 child status wave
    shift 4
    rm -rf "$tmp/files" && mkdir "$tmp/files" && echo before >"$tmp/files/w.fst"
    env --default-signal "$warpref" "$@" >"$tmp/log" 2>&1 &
    child=$!
    while kill -0 $child 2>/dev/null && [ "$(size $child "$tmp/files/$file")" -lt "$bytes" ]; do
        sleep 0.05
    done
    kill -s "$signal" $child
    wait $child
    status=$?
    wave=new
    [[ $signal != KILL && $* = *w.fst* ]] || wave=before
    [ $status = $((128 + $(kill -l "$signal"))) ] && { [ -z "$pattern" ] || grep -qE -- "$pattern" "$tmp/log"; } &&
        { [ $wave = before ] && [ "$(cat "$tmp/files/w.fst")" = before ] || fst2vcd "$tmp/files/w.fst" >/dev/null 2>&1; } &&
        { [ "$signal" = KILL ] || ! ls "$tmp"/files/*.{hier,new} >/dev/null 2>&1; }
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
    [ $? = 1 ] && grep -q '^CUT [0-9]* cycles' "$tmp/log" && ! grep -qE '^(PASS|FAIL)' "$tmp/log" && grep -q 'v.hex: cut: ' "$tmp/log"
    said $? "$signal, the vectors until then" 'see log'
done

ended KILL s.csv 8192 '' run kernels/spmv_csr_large.yaml --sample 100 --samples "$files/s.csv" --wave "$files/w.fst"

# Nobody reads the pipe.
mkfifo "$tmp/pipe.vcd"
for words in 'cosim hint_decoder --config tiny --wave' 'run kernels/vecadd.yaml --wave' 'run kernels/vecadd.yaml --stats'; do
    # shellcheck disable=SC2086 # words
    env --default-signal "$warpref" $words "$tmp/pipe.vcd" >"$tmp/log" 2>&1 &
    child=$!
    while kill -0 $child 2>/dev/null && ! grep -q 'waiting for a reader' "$tmp/log"; do
        sleep 0.05
    done
    kill -s TERM $child
    wait $child
    status=$?
    [ $status = 143 ] && [ -p "$tmp/pipe.vcd" ]
    said $? "TERM, $words a pipe that nobody reads" "status $status"
done

# A process whose SIGCHLD is ignored compiles, too.
timeout 60 env --ignore-signal=CHLD "$warpref" compile kernels/vecadd.cu >"$tmp/log" 2>&1
said $? 'compile, SIGCHLD ignored' "status $?"

# While clang compiles, its files lie in a folder of their own, which is gone with the command.
printf '%s\n' '#!/bin/sh' "touch $tmp/tmp/begun" 'exec sleep 60' >"$tmp/clang"
chmod +x "$tmp/clang"
for signal in INT TERM HUP; do
    for words in 'compile kernels/vecadd.cu' 'run kernels/vecadd.yaml' "cc examples/cuda/errors.cu -o $tmp/program"; do
        rm -rf "$tmp/tmp" && mkdir "$tmp/tmp"
        # shellcheck disable=SC2086 # words
        env --default-signal TMPDIR="$tmp/tmp" WARPREF_CLANG="$tmp/clang" WARPREF_CLANGXX="$tmp/clang" "$warpref" $words >"$tmp/log" 2>&1 &
        child=$!
        while kill -0 $child 2>/dev/null && ! [ -e "$tmp/tmp/begun" ]; do
            sleep 0.05
        done
        kill -s "$signal" $child
        wait $child
        status=$?
        [ $status = $((128 + $(kill -l "$signal"))) ] && [ "$(ls "$tmp/tmp")" = begun ]
        said $? "$signal, $words, in clang" "status $status, files $(ls "$tmp/tmp")"
    done
done
sum
