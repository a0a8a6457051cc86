#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a command does when there is no room for what it writes: exit status 1, or 2 where nothing was run, a message
# that names the file, and the file from before as it was; never a signal, never a file that is cut and PASS.
#
#   tests/cut/full.sh BIN_DIR
#
# Files are kept small by a limit on their size; where a file system of one's own can be mounted, a small one is filled,
# for the waveforms' files and for temporary ones. Each command passes with room enough.
# shellcheck source=tests/cut/said.sh
. "$(dirname "$0")/said.sh"
cd "$root" || exit 2

# want NAME STATUS PATTERN COMMAND...: its exit status, and a line of its output.
want() {
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$@" >"$tmp/log" 2>&1
    got=$?
    [ $got = "$status" ] && grep -qE -- "$pattern" "$tmp/log" && { [ "$status" = 0 ] || ! grep -q '^PASS' "$tmp/log"; }
    said $? "$name" "exit status $got"
}

# small KIB COMMAND...: no file of more than this.
small() {
    (
        ulimit -f "$1"
        shift
        "$@"
    )
}

run=("$warpref" run kernels/matrixmul.yaml)
cut='not all of it could be written|disk of temporary files .* is full'
for kib in unlimited 8 64; do
    status=0 text='^PASS'
    [ $kib = unlimited ] || status=1 text=$cut
    for end in fst vcd; do
        want "run --wave w.$end, $kib" $status "$text" small $kib "${run[@]}" --wave "$tmp/w.$end"
        want "run --wave w.$end of a system, $kib" $status "$text" \
            small $kib "${run[@]}" --system preemption:period=1000 --wave "$tmp/w.$end"
        want "cosim --wave w.$end, $kib" $status "$text" \
            small $kib "$warpref" cosim hint_decoder --config tiny --cycles 20000 --wave "$tmp/w.$end"
    done
    want "cosim --rtl-wave, $kib" $status "$text" \
        small $kib "$warpref" cosim hint_decoder --config tiny --cycles 20000 --rtl-wave "$tmp/w.fst"
    [ $kib = unlimited ] || status=1 text='a write failed'
    want "run --record, $kib" $status "$text" small $kib "${run[@]}" --system preemption:period=1000 --record "$tmp/r.$kib"
    [ $kib = unlimited ] || status=1 text='cannot be written'
    want "run --samples, $kib" $status "$text" small $kib "${run[@]}" --sample 10 --samples "$tmp/s.csv"
    want "run --timeline, $kib" $status "$text" small $kib "${run[@]}" --timeline "$tmp/t.csv"
    [ $kib = 64 ] || want "run --stats, $kib" $status "$text" small $kib "${run[@]}" --stats "$tmp/s.json"
    want "run --checkpoint, $kib" $status "$text|going on from it|was saved" \
        small $kib "${run[@]}" --checkpoint-every 3000 --checkpoint "$tmp/c"
done
# What is left is the file from before, and nothing beside it.
leaves() {
    local name=$1
    shift
    rm -rf "$tmp/old" && mkdir "$tmp/old" && echo before >"$tmp/old/$name"
    want "$*, the file from before" 1 "cannot be written|$cut" small 8 "$@" "$tmp/old/$name"
    [ "$(cat "$tmp"/old/*)" = before ]
    said $? "$* leaves the file from before" "$(ls "$tmp/old")"
}
leaves file "${run[@]}" --sample 10 --samples
for option in --timeline --stats; do
    leaves file "${run[@]}" $option
done
cosim=("$warpref" cosim hint_decoder --config tiny)
for end in fst vcd; do
    leaves w.$end "${run[@]}" --wave
    leaves w.$end "${run[@]}" --system preemption:period=1000 --wave
    leaves w.$end "${cosim[@]}" --cycles 20000 --wave
done
leaves w.fst "${cosim[@]}" --cycles 20000 --rtl-wave
want "cosim --coverage, unlimited" 0 'cycles' "${cosim[@]}" --cycles 100 --coverage "$tmp/w.dat" # which Verilates it
leaves w.dat "${cosim[@]}" --cycles 100 --coverage
for status in 0 1; do
    rm -rf "$tmp/old" && mkdir "$tmp/old" && echo before >"$tmp/old/file"
    kib=unlimited text=cycles
    [ $status = 0 ] || kib=8 text='cannot be written|writing failed'
    want "vectors, $kib" $status "$text" small $kib "$warpref" vectors hint_decoder --output "$tmp/old/file"
    [ $status = 0 ] || [ "$(cat "$tmp"/old/*)" = before ]
    said $? "vectors, $kib: the file" "$(ls "$tmp/old")"
done

# full KIB COMMAND...: /tmp is a file system of this size.
full() {
    # shellcheck disable=SC2016 # the other shell expands them
    unshare -m bash -c 'mount -t tmpfs -o "size=$1k" tmpfs /tmp && shift && "$@"' full "$@"
}
if [[ $warpref != /tmp/* ]] && unshare -m true 2>/dev/null && full 8 true 2>/dev/null; then
    mkdir -p out
    for kib in 65536 8; do
        status=0 text='^PASS'
        [ $kib = 65536 ] || status=1 text='disk of temporary files .* is full|not all of it'
        want "cosim --wave, temporary files in $kib KiB" $status "$text" \
            full $kib "$warpref" cosim context_saver --config tiny --cycles 20000 --wave "$PWD/out/full.fst"
        want "cosim --rtl-wave, temporary files in $kib KiB" $status "$text" \
            full $kib "$warpref" cosim context_saver --config tiny --cycles 20000 --rtl-wave "$PWD/out/full.fst"
        [ $kib = 65536 ] || status=2 text='disk is full'
        want "cosim --rtl, temporary files in $kib KiB" $status "$text" \
            full $kib "$warpref" cosim hint_decoder --cycles 100 --rtl rtl/hints/hint_decoder.sv
    done
    rm -f out/full.*
else
    echo "no file system can be mounted on /tmp here, or the tree is there: temporary files are left out"
fi
sum
