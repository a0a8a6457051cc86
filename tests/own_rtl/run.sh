#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# RTL of the user's in a run of the whole GPU: behind a block of a system, and in a block's place
# inside one; faults are named as those of our own RTL, and bad programs end the run.
#
#   tests/own_rtl/run.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/want.sh"

# run BLOCKS [OPTION...]: a preempted run.
run() {
    local blocks=$1
    shift
    "$warpref" run "$root/kernels/vecadd.yaml" --system preemption:period=1000 --blocks "$blocks" \
        --watchdog 1 "$@"
}
# changed FILE SCRIPT OUT: a copy of a file of ours.
changed() { sed -E "$2" "$root/rtl/context/$1.sv" >"$3" && ! cmp -s "$root/rtl/context/$1.sv" "$3"; }

# Our saver with other registers and another name, and an import that may misbehave.
changed context_saver 's/pending_/due_/g; s/inside_q/held_q/g; s/^module context_saver/module saver/' sound.sv
{
    grep -v '^endmodule' sound.sv
    cat <<'END'
  import "DPI-C" function void misbehave_now(input int cycle);
  int cycle_q;
  always_ff @(posedge clk_i) begin
    cycle_q <= rst_ni ? cycle_q + 1 : 0;
    misbehave_now(cycle_q);
  end
endmodule
END
} >saver.sv
saver=(--rtl "context_saver=saver.sv,$root/tests/own_rtl/misbehaves.c,top=saver,dir=$root/rtl/context")

want "a saver of other registers" 0 '^PASS$' run lockstep "${saver[@]}"
grep -Eq 'context_saver +[1-9][0-9]* +[1-9][0-9]* +[1-9][0-9]* +0$' out ||
    { echo "FAIL  nothing was compared"; failed=$((failed + 1)); }
export WR_MISBEHAVE=address
want "it crashes" 1 'vecadd.yaml: error: the RTL of context_saver crashed in cycle [0-9]+: Segmentation' \
    run lockstep "${saver[@]}"
export WR_MISBEHAVE=wait
want "it hangs" 1 'error: the RTL of context_saver hangs in cycle [0-9]+: one step of it took more' \
    run lockstep "${saver[@]}" --wave crashed.fst
export WR_MISBEHAVE=close
want "it closes all descriptors" 1 "vecadd.yaml: error: the RTL of [a-z_]+ closed the process's descriptors" \
    run lockstep "${saver[@]}"
unset WR_MISBEHAVE

# At its end.
{
    sed '/^endmodule/d' sound.sv
    echo 'final assert (0) else $error("left over"); endmodule'
} >left.sv
want "a failed assertion in a final block" 1 'vecadd.yaml: error: .*: the RTL ended the simulation: .*left.sv:[0-9]+:' \
    run lockstep --rtl "context_saver=left.sv,top=saver,dir=$root/rtl/context"

# One port of two lines exchanged; the same part in its place inside the saver.
changed reg_compressor "s/Strided = 2'b11/Strided = 2'b10/; s/^module reg_compressor/module mine/" wrong.sv
want "a wrong part, lockstep" 1 \
    'context_saver: cycle [0-9]+: pin pattern_vec.*expected .*got .*its last cycles are in mismatch.fst' \
    run lockstep --rtl reg_compressor=wrong.sv,top=mine
want "its waveform" 0 'mismatch.fst' ls mismatch.fst

# Requests that cannot be: nothing is read or written by them, and the pin is named.
while read -r pin value; do
    changed context_sequencer "s/(req_${pin}_o += valid \\? )[^:]*:/\\1$value:/" "$pin.sv"
    want "a request that cannot be, $pin" 1 "error: .*context_sequencer: cycle [0-9]+: pin req_$pin: cannot be" \
        run rtl --rtl "context_sequencer=$pin.sv"
done <<'END'
kind 3'd7
addr 48'h10
bytes 8'd255
offset 16'hfff0
END
want "a request that cannot be, lockstep" 1 \
    'context_sequencer: cycle [0-9]+: pin req_addr.*expected .*got .*its last cycles are in mismatch.fst' \
    run lockstep --rtl context_sequencer=addr.sv

# Another timing is right without the checker.
serial=$root/examples/rtl/reg_compressor_serial.sv
want "a slow part, rtl" 0 '^PASS$' run rtl --rtl "reg_compressor=$serial,top=reg_compressor_serial"
want "a slow part that works while its block waits for memory, rtl" 0 '^PASS$' run rtl \
    --rtl "reg_decompressor=$root/studies/area/rtl/reg_decompressor_serial.sv,top=reg_decompressor_serial"

want "a block that no system uses" 2 \
    '--rtl rename_table: the systems of this run use context_saver \(with .*reg_compressor\), context_restorer \(with' \
    run lockstep --rtl "rename_table=$root/rtl/hints/rename_table.sv"
want "no such block" 2 "--rtl 'nothing=a.sv': must be BLOCK=FILE.sv" run lockstep --rtl nothing=a.sv
mkfifo endless.svh
# shellcheck disable=SC2016  # Verilog's
printf '`include "first.svh"\nmodule saver; endmodule\n' >includes.sv
# shellcheck disable=SC2016
printf '// one more\n`include "endless.svh"\n' >first.svh
want "it includes a pipe" 2 'first.svh:2: endless.svh: cannot be included: not a regular file' run lockstep --rtl context_saver=includes.sv,top=saver
want "no such file" 2 'no-such-file.sv: cannot be read' run lockstep --rtl context_saver=no-such-file.sv
want "models" 2 'needs --blocks lockstep or --blocks rtl' run model --rtl context_saver=saver.sv
want "a part without its module" 2 "no module 'reg_compressor'" \
    run lockstep --rtl reg_compressor=wrong.sv
want "RTL that does not build" 2 'wrong.sv: module context_saver does not fit behind the pins of context_saver:' \
    run lockstep --rtl context_saver=wrong.sv
verdict
