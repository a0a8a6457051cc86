#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples/rtl: clean under Verilator and Yosys, and equal to their models in every configuration; RTL
# of another timing, parameters of its own.
#
#   tests/own_rtl/examples.sh BUILD_DIR [CYCLES]
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/want.sh"
cycles=${2:-20000}
examples=$root/examples/rtl

# "-set A 1 -set B 2" of "A=1 B=2".
chparams() { sed -E 's/([^ =]+)=([^ ]+)/-set \1 \2/g' <<<"$1"; }

# example BLOCK TOP PART [OPTION...]: TOP.sv, which uses PART.sv.
example() {
    local block=$1 top=$2 part=$3 params
    shift 3
    while read -r _ name config _ _ params; do
        [ "$name" = "$block" ] || continue
        # shellcheck disable=SC2046,SC2086,SC2001  # lists: one option each
        want "$top $config: Verilator" 0 '' verilator --lint-only -Wall $(sed 's/[^ ]*/-G&/g' <<<"$params") \
            --top-module "$top" -y "$examples" "$examples/$top.sv"
        want "$top $config: Yosys" 0 '' yosys -q -p "read_verilog -sv $examples/$top.sv $examples/$part.sv; \
            chparam $(chparams "$params") $top; hierarchy -check -top $top; proc; check -assert"
        want "$top $config: lockstep" 0 "^PASS $cycles cycles [1-9][0-9]* checks" "$warpref" cosim "$block" \
            --config "$config" --cycles "$cycles" --rtl "$examples/$top.sv" --top "$top" "$@"
    done < <("$root/dpi/generate.py" --configs)
}
example reg_compressor reg_compressor_serial serial_classifier --transfers
example switch_queues switch_queues_shift shift_fifo

# The benches can fail: a border between groups that counts, an entry that does not move.
sed 's/(index_q\[4:0\] & mask) == mask/1'"'"'b0/' "$examples/serial_classifier.sv" >serial_classifier.sv
cp "$examples/reg_compressor_serial.sv" .
want "the compressor with a fault" 1 'pin (pattern|count|word).*expected .*got' "$warpref" cosim reg_compressor \
    --config odd --cycles "$cycles" --transfers --rtl reg_compressor_serial.sv --top reg_compressor_serial
sed 's/entry_q >> Width/entry_q/' "$examples/shift_fifo.sv" >shift_fifo.sv
cp "$examples/switch_queues_shift.sv" .
want "the queues with a fault" 1 'pin (warp|tb)_head.*expected .*got' "$warpref" cosim switch_queues \
    --config tiny --cycles "$cycles" --no-shrink --rtl switch_queues_shift.sv --top switch_queues_shift
want "the slow one, compared cycle by cycle" 1 'pin .*expected .*got' "$warpref" cosim reg_compressor \
    --config tiny --cycles "$cycles" --no-shrink --rtl "$examples/reg_compressor_serial.sv" --top reg_compressor_serial

# Outputs that are late by a number of cycles, which is a parameter of the module's own.
late() {
    "$warpref" cosim switch_queues --config tiny --cycles "$cycles" --filelist late.f --top late "$@"
}
echo "-y $root/rtl/duet $root/tests/own_rtl/late.sv" >late.f
want "late by 2" 0 "^PASS $cycles cycles [1-9][0-9]* checks" late --latency 2
want "late by 3" 0 "^PASS $cycles cycles [1-9][0-9]* checks" late --latency 3 --rtl-param Stages=3
mkdir include
# shellcheck disable=SC2016  # not for the shell
sed 's/^module late/module `NAME/' "$root/tests/own_rtl/late.sv" >include/body.svh
# shellcheck disable=SC2016
echo '`include "body.svh"' >named.sv
want "an include and a macro" 0 "^PASS $cycles cycles [1-9][0-9]* checks" "$warpref" cosim switch_queues --config tiny \
    --cycles "$cycles" --rtl named.sv --include include --define NAME=other --top other \
    --rtl-dir "$root/rtl/duet" --latency 2
want "late by 2, not 3" 1 'pin .*expected .*got' late --latency 3
want "a parameter that is not there" 2 "late.sv:[0-9]+: module late does not fit" late --rtl-param Stage=3
cp err said
want "what is said of it" 0 "^  no parameter 'Stage'$" cat said
verdict
