# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Faults in preempted runs of real kernels; tests/fail/run.sh sources it for its helpers.
#
# A block with a fault, as RTL alone: the kernel's output must be wrong. In lockstep: the block
# must be named. Both faults are those of tests/fail/rtl, in parts of the engine's two blocks: one
# in the packing of data, one stride off by one in restore.

# run_with LIB BLOCKS: a preempted run.
run_with() {
    WARPREF_LIB=$1 "$bin/warpref" run kernels/backprop_layerforward.yaml \
        --system "preemption:period=2000,dump=$tmp/dump.fst" --blocks "$2"
}

want "preempted run, rtl" 0 '^PASS$' run_with "$lib" rtl
want "preempted run, lockstep" 0 '^PASS$' run_with "$lib" lockstep
while read -r block part fault pin; do
    root=$tmp/$part
    mkdir "$root"
    cp -r --parents dpi rtl refmodel "$root"
    fault_script "$fault" "$part" >"$tmp/one.sed"
    sed -E -i -f "$tmp/one.sed" "$root/rtl/context/$part.sv"
    if cmp -s "rtl/context/$part.sv" "$root/rtl/context/$part.sv"; then
        : >"$tmp/log"
        bad "preempted run, $part: $fault" "the script changes nothing in $part.sv"
        continue
    fi
    for mode in rtl lockstep; do
        library "$block" $mode "$root" "$root/rtl/context/$block.sv" "$tmp/$fault"
        pattern="$block: cycle [0-9]+: pin $pin.*expected .*got .*dump.fst"
        [ $mode = rtl ] && pattern='^FAIL$'
        want "preempted run, $mode, $block: $part: $fault" 1 "$pattern" run_with "$tmp/$fault" $mode
    done
done <<END
context_saver context_packer words_rotated seg_word
context_restorer reg_decompressor stride_off_by_one rf_lane
END

# Faults in compiled kernels. Each test runs the sound kernel first, then the changed one, and
# says what it saw. They are a part of that test, so this is for --long.
[ "${WARPREF_LONG:-}" ] || return 0
kernels=$bin/../tests/test_kernels
want "kernel: a liveness bit cleared" 0 \
    '^the sound kernel passes; ([1-9][0-9]*) of \1 liveness bits, cleared one by one, are seen' \
    "$kernels" '*liveness_bit*'
want "kernel: bar.pp made a plain barrier" 0 \
    '^the sound kernel passes; with plain barriers: deadlock in kernel .* stopped for preemption' \
    "$kernels" '*barrier_made_plain*'
