#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples/rtl: clean under Verilator and Yosys, and equal to their models in `tiny` and `odd`, with WARPREF_LONG in
# every configuration; RTL of another timing, parameters of its own.
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
        [ "${WARPREF_LONG:-}" ] || [ "$config" = tiny ] || [ "$config" = odd ] || continue
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
# ... and their shortest inputs play again: they fail the same RTL, and sound RTL in its own timing passes.
plays() {
    "$warpref" cosim reg_compressor --transfers --top reg_compressor_serial --shortest again.hex --rtl "$@"
}
shortest=reg_compressor.odd.shortest.hex
want "shortest, by transfers" 0 '^// count +(2[6-9]|3[0-9])$' head -7 $shortest
want "it fails again" 1 'cycle [0-9]+: pin pattern: expected' plays reg_compressor_serial.sv --inputs $shortest
want "it is as short as can be" 0 '' cmp again.hex $shortest
want "sound RTL passes it" 0 '^PASS [0-9]+ cycles [1-9][0-9]* checks' plays "$examples/reg_compressor_serial.sv" \
    --inputs $shortest
golden=$root/vectors/golden/reg_compressor.tiny.hex
want "inputs of another timing" 0 '^PASS 1[0-9]{3} cycles [1-9][0-9]* checks' plays "$examples/reg_compressor_serial.sv" \
    --inputs "$golden"
sed 's/(index_q\[4:0\] & mask) == mask/1'"'"'b1/' "$examples/serial_classifier.sv" >serial_classifier.sv
want "... and a fault" 1 'cycle [0-9]+: pin .*expected' plays reg_compressor_serial.sv --inputs "$golden"
want "--inputs and --config" 2 '' plays reg_compressor_serial.sv --inputs "$golden" --config tiny
cp err said
want "what is said of it" 0 '--inputs brings its parameters' cat said
want "inputs of another block" 2 '' "$warpref" cosim switch_queues --inputs "$golden"
want "our own RTL" 0 '^PASS 60 cycles [1-9][0-9]* checks' "$warpref" cosim reg_compressor --inputs "$golden"
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
plays_late() {
    "$warpref" cosim switch_queues --filelist late.f --top late --inputs switch_queues.tiny.shortest.hex --latency "$1"
}
echo "-y $root/rtl/duet $root/tests/own_rtl/late.sv" >late.f
want "late by 2" 0 "^PASS $cycles cycles [1-9][0-9]* checks" late --latency 2
want "late by 3" 0 "^PASS $cycles cycles [1-9][0-9]* checks" late --latency 3 --rtl-param Stages=3
want "its shortest inputs" 1 "plays it$" late --latency 3
want "they fail again" 1 'pin .*expected .*got' plays_late 3
want "... and pass as 2" 0 '^PASS [1-9] cycles [1-9][0-9]* checks' plays_late 2
mkdir include
# shellcheck disable=SC2016  # not for the shell
sed 's/^module late/module `NAME/' "$root/tests/own_rtl/late.sv" >include/body.svh
# shellcheck disable=SC2016
echo '`include "body.svh"' >named.sv
want "an include and a macro" 0 "^PASS $cycles cycles [1-9][0-9]* checks" "$warpref" cosim switch_queues --config tiny \
    --cycles "$cycles" --rtl named.sv --include include --define NAME=other --top other \
    --rtl-dir "$root/rtl/duet" --latency 2
want "late by 2, not 3" 1 'pin .*expected .*got' late --latency 3
# Several files, in their order: packages first, the block's own among them; names that are taken.
echo "package widths; localparam int unsigned Here = 6; endpackage" >widths.sv
sed 's/^module switch_queues /module queues import widths::*; /' "$root/rtl/duet/switch_queues.sv" >queues.sv
several() {
    "$warpref" cosim switch_queues --config tiny --cycles 2000 --rtl-dir "$root/rtl/duet" "$@"
}
want "packages" 0 '^PASS 2000 cycles' several --rtl widths.sv --rtl "$root/rtl/gen/switch_queues_pkg.sv" \
    --rtl queues.sv --top queues
want "a package behind its use" 2 "queues.sv:[0-9]+:[0-9]+: Package/class 'widths' not found" \
    several --rtl queues.sv --rtl widths.sv --top queues
sed 's/^module queues/module switch_queues_wrap/' queues.sv >taken.sv
want "a name that is taken" 2 'taken.sv:[0-9]+: module switch_queues_wrap: what stands around the RTL has this name' \
    several --rtl widths.sv --rtl taken.sv --top switch_queues_wrap
sed 's/<= count_d/<= #1 count_d/' "$root/rtl/duet/switch_fifo.sv" >delay.sv
want "a delay" 2 'delay.sv:[0-9]+:[0-9]+: a delay; a block has a clock' several --rtl "$root/rtl/duet/switch_queues.sv" \
    --rtl delay.sv
mkdir aside
cp "$root/rtl/duet/switch_queues.sv" aside
echo '// nothing' >aside/empty.sv
want "a module of a file that is not named" 2 'aside/empty.sv: has no module switch_queues; name .*/aside/switch_queues.sv too' \
    "$warpref" cosim switch_queues --config tiny --cycles 100 --rtl aside/empty.sv
want "a module that is nowhere" 2 "no module 'switch_fifo', .*--rtl-dir" "$warpref" cosim switch_queues --config tiny \
    --rtl widths.sv --rtl queues.sv --top queues
want "a parameter that is not there" 2 "late.sv:[0-9]+: module late does not fit" late --rtl-param Stage=3
cp err said
want "what is said of it" 0 "^  no parameter 'Stage'$" cat said
verdict
