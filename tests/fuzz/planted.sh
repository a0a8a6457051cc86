#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves that the fuzzer of blocks can fail: a bug planted in the RTL of switch_queues, which raw pins
# alone can show, so that random traffic misses it, and a rare one in its model, which operations show.
# Each must be found within so many executions from an empty corpus, and its vector file fail elsewhere.
#
#   tests/fuzz/planted.sh BIN_DIR      BIN_DIR holds warpref
#
# WARPREF_FUZZ_BUILD names another build folder than build/fuzz. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit
bin=$(cd "$1" && pwd)
fuzz=$(cd "${WARPREF_FUZZ_BUILD:-build/fuzz}" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export WARPREF_FUZZ_BUILD=$fuzz WARPREF_CACHE=${WARPREF_CACHE:-$tmp/cache} WR_CXX_OPTIMIZE=-O0
passed=0
failed=0

# want NAME STATUS PATTERN COMMAND...
want() {
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$@" >"$tmp/log" 2>&1 </dev/null
    got=$?
    if [ $got -eq "$status" ] && grep -Eq -- "$pattern" "$tmp/log"; then
        echo "ok    $name"
        passed=$((passed + 1))
    else
        echo "FAIL  $name: exit $got, wanted $status and a line that matches '$pattern'"
        sed 's/^/    | /' "$tmp/log" | tail -n 8
        failed=$((failed + 1))
    fi
}

fuzz_it() { "$bin/warpref" fuzz switch_queues --fresh --runs "$1" --out "$tmp/out" "${@:2}"; }
again() {
    WARPREF_LIB=$bin/../lib WARPREF_FUZZ_BLOCK=switch_queues "$WARPREF_FUZZ_BUILD/bin/fuzz_blocks" \
        "$tmp"/out/*/crash-*
}

# RTL of one's own, with the fault.
planted=$tmp/mine.sv own=(--rtl "$tmp/mine.sv" --rtl-dir rtl/duet)
sed -E -f tests/fuzz/planted/rtl.sed rtl/duet/switch_queues.sv >"$planted"
want "RTL: 50,000 random cycles miss it" 0 '^PASS 50000 ' \
    "$bin/warpref" cosim switch_queues --config tiny --cycles 50000 --pins-only "${own[@]}"
want "RTL: found" 1 'FAILS: .*pin fault: expected 0x1, got 0x0' fuzz_it 5000 "${own[@]}"
cp "$tmp/log" "$tmp/said"
want "RTL: what is said of it" 0 'cosim switch_queues --inputs .*/finding.hex --rtl .*/mine.sv --rtl-dir' cat "$tmp/said"
WARPREF_FUZZ_RTL=$tmp/out/switch_queues.tiny/rtl.f want "RTL: the input fails again" 77 \
    'pin fault: expected 0x1, got 0x0' again
want "RTL: and its vectors" 1 'cycle 1: pin fault: expected 0x1, got 0x0' "$bin/warpref" cosim switch_queues \
    --inputs "$tmp/out/switch_queues.tiny/finding.hex" --no-shrink --mismatch-wave "$tmp/m.fst" "${own[@]}"
want "RTL: its vectors fail in Icarus" 1 'FAIL 2 cycles 2 checks 1 mismatches' \
    testbench/replay/replay.sh "$tmp/out/switch_queues.tiny/finding.hex" -- "$planted" rtl/duet/switch_fifo.sv
want "RTL: and pass with the sound one" 0 'PASS' \
    testbench/replay/replay.sh "$tmp/out/switch_queues.tiny/finding.hex"
rm -rf "$tmp/out"

# The model: the fuzzer linked anew, the changed object in front of the library that has the sound one.
mkdir -p "$tmp/fuzz/bin"
sed -E -f tests/fuzz/planted/model.sed refmodel/duet/switch_queues.c >"$tmp/model.c"
for program in fuzz_blocks:fuzzer finding:fuzzer-no-link; do
    name=${program%%:*}
    target=fuzz_${name#fuzz_}
    clang-14 -g -O1 -fsanitize="${program#*:}",address,undefined -fno-sanitize-recover=all -I. -w \
        "$tmp/model.c" "$fuzz/tests/fuzz/CMakeFiles/$target.dir"/*.o \
        "$fuzz"/{vectors/libwr_vectors,testbench/libwr_testbench,dpi/libwr_blocks}.a \
        "$fuzz"/{waveforms/libwr_wave,files/libwr_files,waveforms/libwr_fstapi,refmodel/libwr_refmodel}.a \
        -lz -ldl -lpthread -lm -o "$tmp/fuzz/bin/$target" || exit 2
done
export WARPREF_FUZZ_BUILD=$tmp/fuzz
want "model: found" 1 'FAILS: .*pin warp_head' fuzz_it 5000
want "model: the input fails again" 77 'pin warp_head' again
want "model: its vectors fail with the RTL" 1 'pin warp_head' \
    "$bin/warpref" replay switch_queues "$tmp/out/switch_queues.tiny/finding.hex" --against rtl

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
