#!/usr/bin/env bash
# Plants a fault in the RTL of a block of the preemption system and runs a real kernel on it.
# As RTL alone the kernel's output must be wrong; in lockstep the block must be named. The run
# without the fault must pass.
#
#   tests/fail/runs.sh BIN_DIR        BIN_DIR/../lib holds the blocks' libraries
#
# The faults are those of tests/fail/rtl: one in the packing, one stride off by one in restore.
set -u
cd "$(dirname "$0")/../.."
bin=$1
lib=$(cd "$bin/../lib" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0
failed=0

# want NAME STATUS PATTERN BLOCKS LIB: a preempted run.
want() {
    local got
    WARPREF_LIB=$5 "$bin/warpref" run kernels/backprop_layerforward.yaml \
        --system "preemption:period=2000,dump=$tmp/dump.fst" --blocks "$4" \
        >"$tmp/log" 2>&1 </dev/null
    got=$?
    if [ $got -eq "$2" ] && grep -Eq -- "$3" "$tmp/log"; then
        echo "ok    $1"
        passed=$((passed + 1))
    else
        echo "FAIL  $1: exit $got, wanted $2 and a line that matches '$3'"
        tail -n 8 "$tmp/log" | sed 's/^/    | /'
        failed=$((failed + 1))
    fi
}

# mutant BLOCK FAULT MODE: a library of the block with the fault, among the sound ones.
mutant() {
    local block=$1 fault=$2 mode=$3 row
    row=$(python3 dpi/generate.py --configs | grep "^[a-z]* $block default ")
    # shellcheck disable=SC2086  # the row is a list: group block config in_bits out_bits params
    set -- $row
    local rtl=rtl/$1/$block.sv
    awk -v want="# fault $fault:" '
        index($0, "# fault ") == 1 { on = index($0, want) == 1; next }
        on' "tests/fail/rtl/$block.sed" >"$tmp/one.sed"
    mkdir -p "$tmp/rtl" "$tmp/$fault"
    sed -E -f "$tmp/one.sed" "$rtl" >"$tmp/rtl/$block.sv"
    if cmp -s "$rtl" "$tmp/rtl/$block.sv"; then
        echo "FAIL  $block: $fault changes nothing in $rtl"
        failed=$((failed + 1))
    fi
    ln -sf "$lib"/*.so "$tmp/$fault/"
    rm "$tmp/$fault/wr_${block}_default_$mode.so"
    dpi/verilate.sh "$block" "$mode" "$4" "$5" "$lib/libwr_verilated.a" \
        "$tmp/$fault/wr_${block}_default_$mode.so" "$tmp/work" "$block" "rtl/$1" \
        "$tmp/rtl/$block.sv" "${@:6}" >"$tmp/verilate.log" 2>&1 || cat "$tmp/verilate.log"
}

want "preempted run, RTL" 0 '^PASS$' rtl "$lib"
want "preempted run, lockstep" 0 '^PASS$' lockstep "$lib"
while read -r block fault pin; do
    for mode in rtl lockstep; do
        mutant "$block" "$fault" $mode
        pattern="$block: cycle [0-9]+: pin $pin.*expected .*got .*dump.fst"
        [ $mode = rtl ] && pattern='^FAIL$'
        want "preempted run, $mode, $block: $fault" 1 "$pattern" $mode "$tmp/$fault"
    done
done <<END
context_packer words_rotated seg_word
reg_decompressor stride_off_by_one lane
END

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
