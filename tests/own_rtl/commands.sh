#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# RTL of one's own in `coverage`, which runs `cosim --coverage`, `mutate` and `fuzz`; tests/fuzz/planted.sh has it fuzzed.
#
#   tests/own_rtl/commands.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/want.sh"

# A folder that is called as one of ours, a file as one that is generated.
mkdir -p mine/rtl/duet
awk '/^endmodule/ { print "  logic never_q;\n  always_ff @(posedge clk_i) if (clear_i && !clear_i) begin\n    never_q <= 1'"'b1"';\n  end" } 1' \
    "$root/rtl/duet/switch_queues.sv" | sed 's/^module switch_queues /module my_queues /' >mine/rtl/duet/my_wrap.sv
own=(--rtl mine/rtl/duet/my_wrap.sv --top my_queues --rtl-dir "$root/rtl/duet")

want "coverage: what never runs" 1 "^  never: $tmp/mine/rtl/duet/my_wrap.sv:[0-9]+ if: always_ff @\(posedge clk_i\) if \(clear_i" \
    "$warpref" coverage switch_queues --out made --config tiny --cycles 2000 "${own[@]}"
cp out said
want "... and what does" 0 '^switch_queues +lines [1-9][0-9]*/[1-9][0-9]* .*toggles [1-9][0-9]*/[1-9][0-9]* .*waived 0$' cat said
want "... at its lines" 0 '^%000000.*never_q <= ' cat made/switch_queues.tiny/my_wrap.sv
sed -E 's/count_q != CountW.\(Depth\)/count_q != 0/' "$root/rtl/duet/switch_fifo.sv" >switch_fifo.sv
cp "$root/rtl/duet/switch_queues.sv" wrong.sv
want "coverage: RTL that differs" 1 '^switch_queues: cosim fails: switch_queues: cycle [0-9]+: pin ' \
    "$warpref" coverage switch_queues --out made --config tiny --cycles 2000 --rtl wrong.sv --rtl-dir "$root/rtl/duet"
mkdir body 'a folder'
cp "$root/examples/rtl/switch_queues_shift.sv" body/body.svh
# shellcheck disable=SC2016  # Verilog's
printf '`include "body.svh"\n`ifndef HERE\nsyntax error\n`endif\n' >shift.sv
want "mutate" 0 '^switch_queues tiny: 3 mutants: 3 killed by pins, 0 by registers only' "$warpref" mutate switch_queues \
    --out made --count 3 --cycles 2000 --list --rtl shift.sv --top switch_queues_shift --rtl-dir "$root/examples/rtl" \
    --include body --define HERE
cp out said
want "... of its lines" 0 'pins: (examples/rtl/[a-z_]+.sv|.*/body.svh):' cat said
want "mutate: a blank in a folder" 2 'a folder: Yosys takes no blank in the name of a folder' "$warpref" mutate switch_queues \
    --out made --rtl shift.sv --include 'a folder'
want "mutate: RTL that differs" 1 '^warpref mutate: switch_queues tiny: fails without a mutation: pin' \
    "$warpref" mutate switch_queues --out made --count 3 --cycles 2000 --rtl wrong.sv

# The fuzzer gets a file list; here it prints that and ends.
mkdir -p fake/bin
# shellcheck disable=SC2016  # the fake's own
printf '#!/bin/sh\ncat "$WARPREF_FUZZ_RTL"\nexit 2\n' | tee fake/bin/fuzz_blocks >fake/bin/fuzz_finding
chmod +x fake/bin/*
want "fuzz" 2 ' "/.*/mine/rtl/duet/my_wrap.sv"$' env WARPREF_FUZZ_BUILD="$PWD/fake" "$warpref" fuzz switch_queues --out made "${own[@]}"
cp out said
want "... its folder" 0 "^-y \"$root/rtl/duet\"\$" cat said
want "... its top" 0 '^-top my_queues$' cat said
for command in coverage fuzz mutate; do
    want "$command: one block" 2 'rtl and --top want one BLOCK' "$warpref" $command switch_queues warp_slots --rtl wrong.sv
    want "$command: --top alone" 2 'top wants --rtl' "$warpref" $command switch_queues --top queues
    want "$command: no such file" 2 'no-such.sv: no such file' "$warpref" $command switch_queues --rtl no-such.sv
done
verdict
