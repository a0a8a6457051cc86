#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Area of a block as it stands in rtl/ and as an example builds it, in cells that Yosys finds:
# flip-flops without enable, and gates NAND, NOR and NOT. An enable is a multiplexer of gates.
#
#   examples/rtl/area.sh [CONFIG]     tiny, default (the default) or odd
set -eu
cd "$(dirname "$0")/../.."
config=${1:-default}

# count TITLE TOP FILE...: one row.
count() {
    title=$1 top=$2
    shift 2
    yosys -q -p "read_verilog -sv $*; chparam$chparam $top; synth -flatten -top $top; \
        dfflegalize -cell \$_DFF_P_ x -cell \$_DFF_PN0_ x; abc -g cmos2; opt_clean; tee -q -o $tmp stat"
    awk -v title="$title" '
        /Number of cells:/ { cells = $4 }
        $1 ~ /^\$_.*DFF/ { flops += $2 }
        END { printf "%-24s %8d %8d %8d\n", title, cells, flops, cells - flops }' "$tmp"
}

tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
printf '%-24s %8s %8s %8s\n' "$config" cells flops gates
dpi/generate.py --configs | while read -r group block name _ _ params; do
    [ "$name" = "$config" ] || continue
    chparam=
    for p in $params; do chparam="$chparam -set ${p%%=*} ${p#*=}"; done
    case $block in
    reg_compressor)
        count reg_compressor reg_compressor "rtl/$group/reg_compressor.sv"
        count reg_compressor_serial reg_compressor_serial examples/rtl/reg_compressor_serial.sv \
            examples/rtl/serial_classifier.sv
        ;;
    switch_queues)
        count switch_queues switch_queues "rtl/$group/switch_queues.sv" "rtl/$group/switch_fifo.sv"
        count switch_queues_shift switch_queues_shift examples/rtl/switch_queues_shift.sv \
            examples/rtl/shift_fifo.sv
        ;;
    esac
done
