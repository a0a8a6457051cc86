#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `warpref cosim BLOCK` without --config: every named configuration, tiny and odd first, up to one that fails. Faults
# planted in a queue that cannot show in `default`, whose depths are powers of two.
#
#   tests/own_rtl/configs.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/want.sh"
# shellcheck disable=SC2317  # `want` calls it
cosim() { "$warpref" cosim switch_queues --cycles 2000 --no-shrink "$@"; }
named=$("$root/dpi/generate.py" --configs | grep -c ' switch_queues ')

want "ours" 0 "^PASS $((named * 2000)) cycles [1-9][0-9]* checks in $named of $named configurations\$" cosim
cp out rows
want "tiny and odd first" 0 '^tiny odd default max $' sh -c "sed -n 2,5p rows | cut -d ' ' -f 1 | tr '\\n' ' '"
want "a line of each" 0 '^odd +PASS 2000 cycles [1-9][0-9]* checks, .*[1-9][0-9]* of 46 bins \(WarpDepth=11, TbDepth=5\)$' \
    cat rows
want "--config" 0 '^PASS 2000 cycles [1-9][0-9]* checks$' cosim --config odd
for option in '--param TbDepth=8' '--wave w.fst' '--rtl-wave r.fst'; do
    # shellcheck disable=SC2086  # words
    want "${option%% *} alone is of default" 0 '^cosim switch_queues config default ' cosim $option
done
want "JSON" 0 '' cosim --json
cp out json
want "JSON has a run of each" 0 "^True $named tiny odd default max 2000\$" python3 -c '
import json
d = json.load(open("json"))
print(d["pass"], d["configurations"], *(r["config"] for r in d["runs"]), d["cycles"] // len(d["runs"]))'

# planted NAME SCRIPT: the queue with a fault in a folder of its own, the block beside it.
planted() {
    mkdir "$1"
    cp "$root/rtl/duet/switch_queues.sv" "$1"
    sed -E "$2" "$root/rtl/duet/switch_fifo.sv" >"$1/switch_fifo.sv"
    ! cmp -s "$root/rtl/duet/switch_fifo.sv" "$1/switch_fifo.sv" || { echo "FAIL  $1: nothing is planted"; exit 1; }
}
# shellcheck disable=SC2016  # Verilog's
planted wrap "s/\(rd_q == Last\) \? '0 : //"
want "wrap: not seen in default" 0 '^PASS 2000 cycles' cosim --config default --rtl wrap/switch_queues.sv
want "wrap: seen" 1 '^FAIL [0-9]+ cycles [0-9]+ checks in 1 of 4 configurations$' cosim --rtl wrap/switch_queues.sv
cp out said
want "wrap: where" 0 '^tiny +FAIL ' cat said
want "wrap: what" 0 '^mismatch: switch_queues: cycle [0-9]+: .*expected .*got' cat said
want "wrap: its waveform" 0 '' ls switch_queues.tiny.mismatch.fst

# RTL that is made for one configuration alone.
# shellcheck disable=SC2016  # Verilog's
sed 's/^  if (WarpDepth < 1/  if (WarpDepth != 16) begin : gen_one\n    $fatal(1, "made for 16");\n  end\n&/' \
    "$root/rtl/duet/switch_queues.sv" >one.sv
want "RTL for one configuration" 2 'This is configuration tiny \(WarpDepth=3, TbDepth=2\). --config NAME or --param' \
    cosim --rtl one.sv --rtl-dir "$root/rtl/duet"
want "... in that" 0 '^PASS 2000 cycles' cosim --config default --rtl one.sv --rtl-dir "$root/rtl/duet"
verdict
