#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves that the benches can fail: plants one fault at a time and wants it caught, by exit
# status 1 and by the right message, where the run without the fault passes.
#
#   tests/fail/run.sh BIN_DIR
#
# What is planted:
#   a block's RTL      tests/fail/rtl_faults.sh: the faults of tests/fail/rtl/<block>.sed
#   packing of pins    two pins swapped in a block's generated wrapper
#   any parameters     a fault in RTL that is Verilated on first use
#   packing of data,   faults of rtl/ in a preempted run: tests/fail/runs.sh
#   strides in restore
#   kernels            a liveness bit cleared, a bar.pp made a plain barrier: test_kernels plants
#                      both in compiled code (tests/systems/test_kernels.c); with WARPREF_LONG runs.sh calls it
#   gates              a register without reset
#   replay             registers at the falling edge
#   mutants            one that lives, a waiver of one that does not, a waiver of none
#   area               libraries, tools, RTL and figures: tests/fail/area.sh
#   state              sources, page, bench, record: tests/fail/state.sh
#   mutate             a bench that sees none, a block that is wrong without one, a miter that is 0, a signal,
#                      a tool that is missing
#   files              a golden vector, a generated file, the tree's structure
#
# The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit
bin=$1
lib=$(cd "$bin/../lib" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0
failed=0

ok() { echo "ok    $1"; passed=$((passed + 1)); }
bad() { echo "FAIL  $1: $2"; failed=$((failed + 1)); sed 's/^/    | /' "$tmp/log" | tail -n 8; }

# want NAME STATUS PATTERN COMMAND...
want() {
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$@" >"$tmp/log" 2>&1 </dev/null
    got=$?
    if [ $got -ne "$status" ]; then
        bad "$name" "exit $got, wanted $status"
    elif ! grep -Eq -- "$pattern" "$tmp/log"; then
        bad "$name" "no line matches '$pattern'"
    else
        ok "$name"
    fi
}

# fault_script NAME BLOCK: the sed commands of one fault of tests/fail/rtl/FILE.
fault_script() {
    awk -v want="# fault $1:" '
        index($0, "# fault ") == 1 { on = index($0, want) == 1; next }
        on' "tests/fail/rtl/$2.sed"
}

# library BLOCK MODE ROOT RTL OUT_DIR: the block's default library, among links to the sound ones;
# ROOT holds dpi/ and rtl/gen/, RTL is the block's file.
library() {
    local block=$1 mode=$2 root=$3 rtl=$4 out=$5 row
    row=$(python3 dpi/generate.py --configs | grep "^[a-z]* $block default ")
    # shellcheck disable=SC2086  # the row is a list: group block config in_bits out_bits params
    set -- $row
    mkdir -p "$out"
    ln -sf "$lib"/*.so "$out/"
    rm "$out/wr_${block}_default_$mode.so"
    "$root/dpi/verilate.sh" "$block" "$mode" "$4" "$5" "$lib/libwr_verilated.a" \
        "$out/wr_${block}_default_$mode.so" "$tmp/work" "$block" "$root/rtl/$1" "$rtl" \
        "${@:6}" >"$tmp/verilate.log" 2>&1 || cat "$tmp/verilate.log"
}

# Faults in each block's RTL, against the C model: beside all that follows, which keeps one processor busy.
tests/fail/rtl_faults.sh "$bin" >"$tmp/faults" 2>&1 </dev/null &
of_rtl=$!
trap 'kill $of_rtl 2>/dev/null; rm -rf "$tmp"' EXIT

# Two pins swapped between port and block. RTL and model behind the wrapper see the same wrong
# pins and agree: the port must notice.
mkdir "$tmp/swapped"
cp -r --parents dpi rtl refmodel "$tmp/swapped"
wrap=dpi/gen/reg_decompressor_wrap.sv
sed -i 's/\.pag_i(in_i\.pag)/.pag_i(in_i.pattern)/; s/\.pattern_i(in_i\.pattern)/.pattern_i(in_i.pag)/' \
    "$tmp/swapped/$wrap"
cmp -s "$wrap" "$tmp/swapped/$wrap" && { : >"$tmp/log"; bad "wrapper" "the script changes nothing"; }
library reg_decompressor lockstep "$tmp/swapped" rtl/context/reg_decompressor.sv "$tmp/wrapper"
swap=("$bin/warpref" cosim reg_decompressor --config default --cycles 5000 --no-shrink --mismatch-wave "$tmp/mismatch.fst")
want "packing of reg_decompressor's pins" 0 '^PASS 5000 cycles' "${swap[@]}"
WARPREF_LIB=$tmp/wrapper want "packing of reg_decompressor's pins: two swapped" 1 \
    'reg_decompressor: cycle [0-9]+: packing of pin pag: expected .*, got' "${swap[@]}"

# A block in parameters that no named configuration has, Verilated on first use.
mkdir "$tmp/any"
cp -r --parents dpi rtl "$tmp/any"
any=(env WARPREF_ROOT="$tmp/any" WARPREF_CACHE="$tmp/cache" WR_CXX_OPTIMIZE=-O0 "$bin/warpref" cosim warp_quota
    --param Kernels=3 --param Epoch=500 --cycles 5000 --no-shrink --mismatch-wave "$tmp/mismatch.fst")
want "parameters of no configuration" 0 '^PASS 5000 cycles [1-9]' "${any[@]}"
fault_script refill_waits_for_absent_kernels warp_quota >"$tmp/one.sed"
sed -i -E -f "$tmp/one.sed" "$tmp/any/rtl/sharing/warp_quota.sv"
cmp -s rtl/sharing/warp_quota.sv "$tmp/any/rtl/sharing/warp_quota.sv" &&
    { : >"$tmp/log"; bad "parameters of no configuration" "the script changes nothing"; }
want "parameters of no configuration: refill_waits_for_absent_kernels" 1 \
    'warp_quota: cycle [0-9]+: .*pin refill.*expected .*got' "${any[@]}"

# A bit of a golden vector file turned over.
golden=vectors/golden/reg_compressor.tiny.hex
want "golden vectors" 0 '^PASS' "$bin/warpref" replay reg_compressor $golden
awk '!/^\/\// && ++n == 50 { c = substr($0, 1, 1); $0 = (c == "0" ? "1" : "0") substr($0, 2) } 1' \
    $golden >"$tmp/golden.hex"
want "golden vectors, one digit changed" 1 'cycle|line' \
    "$bin/warpref" replay reg_compressor "$tmp/golden.hex"

# A register that its reset forgets: at gate level it is unknown at first.
awk '/if \(!rst_ni\)/ { reset = 1 } /end else/ { reset = 0 } !(reset && /depth_q/)' rtl/hints/simt_stack.sv \
    >"$tmp/simt_stack.sv"
cmp -s rtl/hints/simt_stack.sv "$tmp/simt_stack.sv" && { : >"$tmp/log"; bad "gates" "the script changes nothing"; }
replay=(testbench/replay/replay.sh --gates vectors/golden/simt_stack.tiny.hex)
want "gates" 0 '^simt_stack tiny: PASS' "${replay[@]}"
want "gates: a register without reset" 1 'FAIL 80 cycles' "${replay[@]}" -- "$tmp/simt_stack.sv"

# Registers that take their inputs half a cycle early.
for block in simt_stack switch_queues rename_table reg_compressor; do
    mkdir "$tmp/falling.$block"
    of=$(dirname rtl/*/$block.sv)
    for file in "$of"/*.sv; do sed 's/posedge clk_i/negedge clk_i/' "$file" >"$tmp/falling.$block/${file##*/}"; done
    cmp -s "$of/$block.sv" "$tmp/falling.$block/$block.sv" &&
        { : >"$tmp/log"; bad "replay" "the script changes nothing of $block"; }
    parts=("$tmp/falling.$block/$block.sv")
    [ $block != switch_queues ] || parts+=("$tmp/falling.$block/switch_fifo.sv")
    want "replay: $block at the falling edge" 1 "^$block tiny: FAIL" testbench/replay/replay.sh \
        "vectors/golden/$block.tiny.hex" -- "${parts[@]}"
done

# Mutants of a model: one that lives without its waiver, a waiver that is not needed, one of no mutant.
mkdir "$tmp/mutants"
git ls-files -z tests/mutants refmodel | xargs -0 cp --parents -t "$tmp/mutants"
waivers=$tmp/mutants/tests/mutants/equivalent.toml
mutants=(python3 "$tmp/mutants/tests/mutants/model.py" "$bin/.." rename_table
    --only '^find_empty: .* -> .*at (<=|>) entries')
want "mutants" 0 '^rename_table: .* 1 equivalent, 0 lives$' "${mutants[@]}"
sed -i -e '1s/^[0-9a-f]/x/' -e '2,$s/killed/lives/' "$bin/../mutants/rename_table.txt"
want "mutants: verdicts of another bench" 0 '^rename_table: .* 1 equivalent, 0 lives$' "${mutants[@]}"
sed -i 's/^after = "while (at <= entries /after = "while (at > entries /' "$waivers"
want "mutants: one that lives" 1 'find_empty: lives: while \(at < entries .*at <= entries' "${mutants[@]}"
want "mutants: a waiver of one that is killed" 1 'equivalent.toml: rename_table: find_empty: killed: .*at > entries' \
    "${mutants[@]}"
sed -i 's/^after = "while (at > entries /after = "while (at ~ entries /' "$waivers"
want "mutants: a waiver of none" 1 'find_empty: names no mutant of rename_table: .*at ~ entries' "${mutants[@]}"
# Misreadings: a model that is as good as it was, RTL that is as it was, a text that is not there.
mkdir "$tmp/misread"
sed -e 's/after = "s->fault_q = false; /after = "s->warp_q[i][0] = 0; /' \
    -e "s/after = \"count_q != CountW'(Depth - 1)\"/after = \"count_q  != CountW'(Depth)\"/" \
    -e '/space = \*count < depth || pop/s/before = "[^"]*"/before = "none"/' \
    tests/mutants/misread/switch_queues.toml >"$tmp/misread/switch_queues.toml"
python3 tests/mutants/misread.py "$bin/.." switch_queues --from "$tmp/misread" >"$tmp/misread.log"
want "misreadings, three of them bad" 0 '^3 passed, 3 failed$' cat "$tmp/misread.log"
want "misreadings: one that none sees" 0 'clear_ends_fault: the unit test does not see it$' cat "$tmp/misread.log"
want "misreadings: on one side" 0 'one_free: model and RTL are not wrong alike: .* expected ' cat "$tmp/misread.log"
want "misreadings: a text that is not there" 0 "pop_makes_room: model: 0 times in .*: 'none'\$" cat "$tmp/misread.log"

# Mutants of a netlist: a bench in which none ever acts, as one that compares nothing; one in which the same always
# acts; a prover that finds everything equivalent. The folder of results has a blank in its name.
cp -r tests/mutants "$tmp/netlists"
mutate() {
    env WARPREF_ROOT="$PWD" WARPREF_LIB="$lib" WR_CXX_OPTIMIZE=-O0 WARPREF_PROGRAM="$1" \
        python3 "$tmp/netlists/rtl.py" switch_queues --sample 12 --cycles 50000 --list --out "$tmp/net lists"
}
# bench NUMBER: a program that plays this mutant, whatever it is asked for.
bench() {
    printf '#!/bin/sh\nexport WR_MUTANT=%s\nexec "%s" "$@"\n' "$1" "$bin/warpref" >"$tmp/bench.$1"
    chmod +x "$tmp/bench.$1"
    echo "$tmp/bench.$1"
}
want "mutate" 0 '^12 passed, 0 failed' mutate "$bin/warpref"
killed=$(sed -n 's/^  \([0-9]*\) pins: .*/\1/p' "$tmp/log" | head -n 1)
want "mutate: a bench that sees none" 1 "^  $killed lives: " mutate "$(bench 0)"
want "mutate: a block that is wrong without one" 1 'switch_queues tiny: fails without a mutation: pin: ' \
    mutate "$(bench "$killed")"
sed -i "s/assign bad = rst &/assign bad = 1'b0 \&/" "$tmp/netlists/miter.py"
want "mutate: a prover that proves everything" 1 'proved equivalent, and an output differs' mutate "$bin/warpref"

# A Yosys that takes long: it and its child are ended, and none is begun for the block behind.
mkdir "$tmp/slow"
cat >"$tmp/slow/yosys" <<END
#!/bin/sh
[ "\$1" != -V ] || exec "$(command -v yosys)" -V
exec >"$tmp/pipe"
echo begun
(sleep 20; echo left behind) &
wait
END
chmod +x "$tmp/slow/yosys"
mkfifo "$tmp/pipe"
# ended SIGNAL STATUS
ended() {
    local name="mutate: ended by $1" left got
    exec 3<>"$tmp/pipe" # else the next would wait for a writer
    exec 4<"$tmp/pipe"
    set -m # a group of its own
    env --default-signal PATH="$tmp/slow:$PATH" "$bin/warpref" mutate hint_decoder simt_stack --jobs 1 --out "$tmp/ended" \
        >"$tmp/log" 2>&1 </dev/null 3>&- 4>&- &
    set +m
    read -r -t 600 -u 4
    exec 3>&-
    kill "-$1" -- -$! # whoever started us may have it ignored, but for --default-signal
    left=$(cat <&4) # until nobody has its other end
    exec 4>&-
    { wait $!; } 2>/dev/null
    got=$?
    if [ $got -ne "$2" ]; then
        bad "$name" "exit $got, wanted $2"
    elif [ "$(cat "$tmp/log")" != \
        "warpref mutate: interrupted; what is finished is kept, the same command goes on" ]; then
        bad "$name" "it says something else"
    elif [ -n "$left" ]; then
        bad "$name" "its Yosys: $left"
    else
        ok "$name"
    fi
}
ended INT 130
ended TERM 143

# A tool that is missing, or a folder that Yosys does not take: nothing is begun.
for tool in g++ verilator yosys yosys-abc; do
    mkdir "$tmp/no.$tool"
    for other in g++ verilator yosys yosys-abc; do
        [ $other = $tool ] || ln -s "$(command -v $other)" "$tmp/no.$tool/"
    done
    ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$tmp/no.$tool/python3"
    want "mutate: no $tool" 2 "^warpref mutate: ${tool//+/.} is not installed; install Debian's ${tool%-abc}" \
        env -u CXX PATH="$tmp/no.$tool" "$bin/warpref" mutate simt_stack --out "$tmp/none"
done
want "mutate: a quote in --out" 2 '^warpref mutate: error: --out .*: Yosys takes no path with a quote' \
    "$bin/warpref" mutate simt_stack --out "$tmp/none\"mine"
[ -z "$(find "$tmp" -maxdepth 1 -name 'none*')" ] || bad "mutate" "it begins without what it needs"

# A register of model and RTL that nobody compares.
mkdir "$tmp/loose"
git ls-files -z | xargs -0 cp --parents -t "$tmp/loose"
python3 - "$tmp/loose/refmodel/hints/rename_table.toml" <<'EOF'
import pathlib
import re
import sys

path = pathlib.Path(sys.argv[1])
path.write_text(re.sub(r'\[\[state\]\]\nname = "fault_q"\n(?:(?!\[).*\n)*', "", path.read_text()))
EOF
want "structure: a register that is not compared" 1 'model and RTL have fault_q: it wants a \[\[state\]\]' \
    python3 tests/structure.py "$tmp/loose"

# Generated files that drifted from the block descriptions, and a tree that lost a file or
# includes upwards.
mkdir "$tmp/tree"
git ls-files -z | xargs -0 cp --parents -t "$tmp/tree"
want "structure" 0 ' 0 wrong' python3 tests/structure.py "$tmp/tree"
want "generated files" 0 '' python3 "$tmp/tree/dpi/generate.py" --check
sed -i 's/^width = 7$/width = 8/' "$tmp/tree/refmodel/context/reg_compressor.toml"
want "generated files: a pin's width changed" 1 'reg_compressor' \
    python3 "$tmp/tree/dpi/generate.py" --check
python3 "$tmp/tree/dpi/generate.py" >/dev/null
sed -i 's/^bits = 1168$/bits = 1169/; s/^bits = 1040$/bits = 1039/' \
    "$tmp/tree/refmodel/context/reg_compressor.toml"
want "storage: a bit in the wrong part" 1 "storage part 'stage 1': bits = 1169 in its toml, Yosys counts 1168" \
    "$tmp/tree/dpi/lint.sh" yosys reg_compressor
rm "$tmp/tree/rtl/context/reg_compressor.sv"
want "structure: a block without its RTL" 1 'lacks rtl/context/reg_compressor.sv' \
    python3 tests/structure.py "$tmp/tree"
cp rtl/context/reg_compressor.sv "$tmp/tree/rtl/context/"
echo '#include "shell/core/seam/hooks.h"' >>"$tmp/tree/refmodel/context/reg_compressor.c"
want "structure: a block that includes the shell" 1 'refmodel may not include shell/core' \
    python3 tests/structure.py "$tmp/tree"

# shellcheck source=tests/fail/area.sh
. tests/fail/area.sh
# shellcheck source=tests/fail/state.sh
. tests/fail/state.sh
# shellcheck source=tests/fail/runs.sh
. tests/fail/runs.sh

wait $of_rtl
cat "$tmp/faults"
read -r good _ wrong _ < <(tail -n 1 "$tmp/faults")
passed=$((passed + good))
failed=$((failed + wrong))

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
