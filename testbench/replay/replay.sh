#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Replays vector files against the RTL in Icarus Verilog, a second simulator. Icarus 11 reads less
# SystemVerilog than the RTL uses, so Yosys turns it into plain Verilog first: what is replayed is
# the design as synthesis understands it.
#
#   testbench/replay/replay.sh [--gates] FILE.hex... [-- RTL.sv]
#
# With --gates it is synthesised first, down to gates of two inputs, multiplexers and flip-flops, all
# of them unknown at power-up.
# The header of each file says which block and parameters; RTL.sv stands in for the block's own
# (its module has the block's name). Exit status: 0 all equal, 1 a difference, 2 bad input.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rtl=
files=
gates=
while [ $# -gt 0 ]; do
    if [ "$1" = --gates ]; then
        gates=1
        shift
        continue
    fi
    if [ "$1" = -- ]; then
        rtl=$2
        break
    fi
    files="$files $1"
    shift
done
[ -n "$files" ] || { echo "usage: replay.sh [--gates] FILE.hex... [-- RTL.sv]" >&2; exit 2; }

# header KEY FILE: the text behind "// KEY ".
header() { sed -n "s,^// $1 *,,p;/^[0-9a-fA-F]/q" "$2"; }

net='proc; opt_clean; write_verilog -noattr'
[ -z "$gates" ] || net="synth -flatten; $net"
status=0
built=
for file in $files; do
    [ -r "$file" ] || { echo "$file: cannot be read" >&2; exit 2; }
    [ "$(head -n 1 "$file")" = "// warpref vectors 1" ] || { echo "$file:1: not a vector file" >&2; exit 2; }
    block=$(header block "$file")
    bits=$(header bits "$file")
    in=${bits#in=}
    in=${in%% *}
    wrap=$root/dpi/gen/${block}_wrap.sv
    [ -r "$wrap" ] || { echo "$file: no block '$block'" >&2; exit 2; }
    group=$(dirname "$(find "$root/rtl" -name "$block.sv")")
    chparam=
    for p in $(header parameters "$file"); do chparam="$chparam -set ${p%%=*} ${p#*=}"; done
    read="read_verilog -sv $root/rtl/gen/${block}_pkg.sv; read_verilog -sv $wrap; read_verilog -sv ${rtl:-$group/$block.sv}"
    # Modules that a block of ours uses stand beside it; a user's file brings its own.
    if [ -z "$rtl" ]; then
        for f in "$group"/*.sv; do
            [ "$f" = "$group/$block.sv" ] || read="$read; read_verilog -sv -defer $f"
        done
    fi
    # Files of one block in the same parameters, one behind the other, share the work of Yosys.
    [ "$built" = "$block$chparam" ] ||
        yosys -q -p "$read; chparam$chparam ${block}_wrap; hierarchy -check -top ${block}_wrap; $net \
            $work/dut.v" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 2; }
    built=$block$chparam
    iverilog -g2005-sv -o "$work/replay" -s replay_tb "-DWR_WRAP=${block}_wrap" \
        "-DWR_IN=$in" "-DWR_OUT=${bits#*out=}" "-DWR_COUNT=$(header count "$file")" \
        "-DWR_FILE=\"$file\"" "$root/testbench/replay/replay_tb.v" "$work/dut.v" || exit 2
    vvp -n "$work/replay" >"$work/out" && good=0 || good=1
    verdict=$(tail -n 5 "$work/out" | grep -E '^(PASS|FAIL)') || { verdict='FAIL no verdict'; good=1; }
    echo "$block $(header config "$file"): $verdict"
    if [ "$good" != 0 ]; then
        grep -v -E '^(PASS|FAIL)' "$work/out" | head -n 6
        status=1
    fi
done
exit $status
