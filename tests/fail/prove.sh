#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The short forms of `warpref prove` and `warpref roundtrip`, and proof that they can fail: faults planted in
# models and in RTL must be refuted with vectors that replay, and faults of the importer itself be noticed.
#
#   tests/fail/prove.sh BIN_DIR [OUT_DIR]
#
# Of the short forms every fourth block is proved here, with WARPREF_LONG all.
# RTL faults are those of tests/fail/rtl/<block>.sed. JOBS (2) proofs run at a time. The last line is
# "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit
bin=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0
failed=0

ok() { echo "ok    $1"; passed=$((passed + 1)); }
bad() { echo "FAIL  $1: $2"; failed=$((failed + 1)); sed 's/^/    | /' "$tmp/log" | tail -n 8; }

# planted NAME FILE SED COPY: the file with the change, which must be one.
planted() {
    sed -E "$3" "$2" >"$4"
    ! cmp -s "$2" "$4" || { : >"$tmp/log"; bad "$1" "the change does not change $2"; return 1; }
}

# refuted NAME GOAL COMMAND...: exit status 1, and a line that refutes this goal.
refuted() {
    local name=$1 goal=$2
    shift 2
    "$@" >"$tmp/log" 2>&1 </dev/null
    [ $? -eq 1 ] || { bad "$name" "exit status is not 1"; return 1; }
    grep -Eq "^  refuted +$goal" "$tmp/log" || { bad "$name" "'$goal' is not refuted"; return 1; }
}

# replays NAME STATUS COMMAND...
replays() {
    local name=$1 status=$2
    shift 2
    "$@" >"$tmp/log" 2>&1
    [ $? -eq "$status" ] || { bad "$name" "$1 $2: exit status is not $status"; return 1; }
}

# model BLOCK GOAL SED [ONLY]: vectors hold the faulty model's outputs, which the sound model and RTL do not give.
model() {
    local name="$1, model: $2" file
    file=$(echo refmodel/*/"$1.c")
    rm -f "$tmp"/*.hex
    planted "$name" "$file" "$3" "$tmp/$1.c" &&
        refuted "$name" "$2" "$bin/warpref" prove "$1" --config tiny --model "$tmp/$1.c" --out "$tmp" \
            ${4:+--goal "$4"} &&
        replays "$name" 1 "$bin/warpref" replay "$1" "$tmp/$1.tiny.refuted.hex" &&
        replays "$name" 1 "$bin/warpref" replay "$1" "$tmp/$1.tiny.refuted.hex" --against rtl &&
        ok "$name"
}

# rtl BLOCK FAULT GOAL [ONLY]: vectors hold the model's outputs, which the faulty RTL does not give.
rtl() {
    local name="$1, RTL: $2" file script
    file=$(echo rtl/*/"$1.sv")
    script=$(awk -v want="# fault $2:" 'index($0, "# fault ") == 1 { on = index($0, want) == 1; next } on' \
        "tests/fail/rtl/$1.sed")
    rm -f "$tmp"/*.hex
    # shellcheck disable=SC2046  # parts: a list
    planted "$name" "$file" "$script" "$tmp/$1.sv" &&
        refuted "$name" "$3" "$bin/warpref" prove "$1" --config tiny --rtl "$tmp/$1.sv" --out "$tmp" \
            ${4:+--goal "$4"} &&
        shown=$(sed -n 's/.*; warpref cosim/cosim/p' "$tmp/log" | head -n 1) &&
        replays "$name" 0 "$bin/warpref" replay "$1" "$tmp/$1.tiny.refuted.hex" &&
        replays "$name" 1 testbench/replay/replay.sh "$tmp/$1.tiny.refuted.hex" -- "$tmp/$1.sv" $(parts "$file") &&
        ok "$name"
}

# parts FILE: the modules beside a block's that are no blocks.
parts() {
    local beside
    for beside in "${1%/*}"/*.sv; do
        [ -e "refmodel/$(basename "${1%/*}")/$(basename "$beside" .sv).toml" ] || echo "$beside"
    done
}

# counted COMMAND...: its output, and what its last line counts.
counted() {
    "$@" >"$tmp/counted" 2>&1
    cat "$tmp/counted"
    local line
    line=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$tmp/counted")
    # shellcheck disable=SC2086  # two numbers
    set -- ${line:-0 1}
    passed=$((passed + $1)) failed=$((failed + $2))
}

# lost BLOCK NAME ROW SED: with this change of the RTL a register does not come back as it was.
lost() {
    local name="$1, round trip: $2"
    planted "$name" "rtl/context/$1.sv" "$4" "$tmp/$1.sv" || return
    "$bin/warpref" roundtrip "--${1#reg_}" "$tmp/$1.sv" >"$tmp/log" 2>&1
    if [ $? -eq 1 ] && grep -Eq "^$3" "$tmp/log"; then
        ok "$name"
    else
        bad "$name" "no row like '$3'"
    fi
}

# says NAME STATUS TEXT COMMAND...: ends with this status, and a line has this text.
says() {
    local name=$1 status=$2 text=$3
    shift 3
    "$@" >"$tmp/log" 2>&1 </dev/null
    [ $? -eq "$status" ] || { bad "$name" "exit status is not $status"; return; }
    if grep -Eq "$text" "$tmp/log"; then ok "$name"; else bad "$name" "no line like '$text'"; fi
}

# What the prover is built of, beside all that follows, which mostly keeps one processor busy.
of_the_prover() {
    tmp=$tmp/beside passed=0 failed=0
    mkdir "$tmp"
    # Every operation as gates against the graph's own evaluation, and what helps a goal; and this bench against
    # faults.
    for fault in "" carry sign rest selection step; do
        if python3 tests/fail/prove_gates.py $fault >"$tmp/log" 2>&1; then
            ok "gates${fault:+: $fault}"
        else
            bad "gates${fault:+: $fault}" "${fault:+not noticed}"
        fi
    done

    # What an expression is made as and rewritten to, against values worked out beside it; and this bench against
    # faults.
    faults=$(python3 tests/fail/prove_graph.py --list)
    [ -n "$faults" ] || { : >"$tmp/log"; bad "graph" "no faults"; }
    for fault in "" $faults; do
        # shellcheck disable=SC2086  # none, or one word
        if python3 tests/fail/prove_graph.py $fault >"$tmp/log" 2>&1; then
            ok "graph${fault:+: $fault}"
        else
            bad "graph${fault:+: $fault}" "${fault:+not noticed}"
        fi
    done

    # A wrong import of either side: the graph no longer agrees with what was compiled.
    for fault in subtraction selection join; do
        if WARPREF_ROOT=$PWD WARPREF_PROGRAM=$bin/warpref python3 tests/fail/prove_importer.py $fault \
            >"$tmp/log" 2>&1; then
            ok "importer: $fault"
        else
            bad "importer: $fault" "not noticed"
        fi
    done
    echo "$passed passed, $failed failed"
}
(trap - EXIT; of_the_prover) >"$tmp/beside.out" 2>&1 </dev/null &
beside=$!
trap 'kill $beside 2>/dev/null; rm -rf "$tmp"' EXIT

short=$(awk '/^\[[a-z0-9_]*\]$/ { block = substr($0, 2, length - 2) } /^short/ { print block }' formal/expected.toml)
[ "${WARPREF_LONG:-}" ] || short=$(awk 'NR % 4 == 0' <<<"$short")
# shellcheck disable=SC2086  # a list
counted "$bin/warpref" prove $short --short --jobs "${JOBS:-2}" --out "${2:-$tmp}"
counted "$bin/warpref" roundtrip

lost reg_compressor "last difference not compared" "refuted .* differences are alike .*: .* 0x" 's/equal\[8\*s \+: Size-2\]/equal[8*s +: Size-3]/'
lost reg_compressor "class of equal differences" "refuted .* differences are alike .*: .* 0x" 's/!equal_all \? Random/!s1_inner_q[0] ? Uniform/'
lost reg_decompressor "stride off by one" "refuted .* lanes come back .*: .* 0x" 's/base \+ skip_8 \+ skip_16\)/base + skip_8 + skip_16 + 32'"'"'(pattern_i == Strided))/'
lost reg_compressor "never uniform" "vacuous .* uniform" 's/\? Strided : Uniform;/? Strided : Strided;/'
lost reg_decompressor "lane 7" "refuted .* lanes come back .*: .* 0x" 's/\(i & 4\) != 0 \?/(i \& 4) == 4 \&\& i != 7 ?/'

model liveness_decoder "state (mask|rest)_q" 's| & low_bits\(alloc\);|;|'
model hint_decoder "state (mode|next)_q" 's/distance >= -half/distance > -half/'
model rename_table "state (scalar|vector)_q" 's/ && to_of\(freed\[gone\]\) == in->drop_from//'
model context_unpacker "no zeros of 0 counted in head_of" 's/if \(s->pattern_q\[w\] != 0\) \{/if (s->pattern_q[w] != 0 || w == 3) {/' zeros
rtl hint_decoder own_offset_is_the_next "state own_q"
says "the command that a counterexample shows" 1 '^mismatch: hint_decoder: cycle [0-9]+: pin .*expected' \
    sh -c "'$bin/warpref' $shown --mismatch-wave '$tmp/m.fst' --no-shrink"
rtl liveness_decoder diverged_bar_forgiven "state fault_q"
rtl rename_table drop_of_an_outdated_mapping "state (scalar|vector)_q"
rtl context_unpacker head_searched_again "holds f.tag" "holds f.tag"

# RTL of the user's: in several files, with modules in the tree or in other folders, blanks in names.
own=("$bin/warpref" prove switch_queues --config tiny --out "$tmp")
mkdir -p "$tmp/sp ace/lib"
cp rtl/duet/switch_queues.sv examples/rtl/switch_queues_shift.sv "$tmp/sp ace"
says "RTL of the user's, its part in the tree" 0 '^1 passed, 0 failed' "${own[@]}" --rtl "$tmp/sp ace/switch_queues.sv"
sed 's/switch_fifo/part/' rtl/duet/switch_fifo.sv >"$tmp/sp ace/lib/part.sv"
sed 's/switch_fifo/part/; /^module switch_queues/{s/switch_queues/`NAME/; i\
`include "head.svh"
}' rtl/duet/switch_queues.sv >"$tmp/sp ace/queues.sv"
echo '// nothing' >"$tmp/sp ace/lib/head.svh"
says "RTL of the user's, its part in a folder" 0 '^1 passed, 0 failed' "${own[@]}" --rtl "$tmp/sp ace/queues.sv" \
    --rtl-dir "$tmp/sp ace/lib" --include "$tmp/sp ace/lib" --define NAME=mine --top mine
says "RTL of the user's, in two files" 0 '^1 passed, 0 failed' "${own[@]}" --rtl "$tmp/sp ace/queues.sv" \
    --rtl "$tmp/sp ace/lib/part.sv" --include "$tmp/sp ace/lib" --define NAME=switch_queues
says "RTL of the user's, its part nowhere" 2 "no module 'shift_fifo', .*--rtl-dir DIR" \
    "${own[@]}" --rtl "$tmp/sp ace/switch_queues_shift.sv" --top switch_queues_shift
says "RTL of the user's, another module" 2 "no module 'switch_queues', but switch_queues_shift: .*--top NAME" \
    "${own[@]}" --rtl "$tmp/sp ace/switch_queues_shift.sv"
says "RTL of the user's, without our registers" 2 "no net 'gen_queue.*switch_queues.c relates .*--relation FILE" \
    "${own[@]}" --rtl examples/rtl/switch_queues_shift.sv --top switch_queues_shift

# Results are kept as long as what they follow from is the same, whole ones alone, and so is the table.
mkdir "$tmp/kept"
cp formal/rel/hint_decoder.c "$tmp/kept/relation.c"
one=("$bin/warpref" prove hint_decoder --config tiny)
kept=("${one[@]}" --out "$tmp/kept/out" --json "$tmp/kept/rows.json")
user=(--rtl "$tmp/kept/mine.sv" --model "$tmp/kept/mine.c" --relation "$tmp/kept/relation.c")
cp refmodel/hints/hint_decoder.c "$tmp/kept/mine.c"
cp rtl/hints/hint_decoder.sv "$tmp/kept/mine.sv"
new='open; [0-9.]+ s$' old='open; [0-9.]+ s, kept$'
says "kept: nothing is" 0 "$new" "${kept[@]}"
cp "$tmp/kept/rows.json" "$tmp/kept/first.json"
says "kept: the same" 0 "$old" "${kept[@]}"
says "kept: its rows" 0 'are identical$' diff -s "$tmp/kept/rows.json" "$tmp/kept/first.json"
says "kept: --again" 0 "$new" "${kept[@]}" --again
says "kept: another limit" 0 "$new" "${kept[@]}" --timeout 100
says "kept: RTL, model and relation of the user's" 0 "$new" "${kept[@]}" "${user[@]}"
says "kept: the same of the user's" 0 "$old" "${kept[@]}" "${user[@]}"
for file in mine.c relation.c; do
    echo '/* more */' >>"$tmp/kept/$file"
    says "kept: another $file" 0 "$new" "${kept[@]}" "${user[@]}"
done
sed -i 's/^endmodule/  wire more;\n&/' "$tmp/kept/mine.sv"
says "kept: another mine.sv" 0 "$new" "${kept[@]}" "${user[@]}"
says "kept: ours is still" 0 "$old" "${kept[@]}"
for file in "$tmp"/kept/out/*.json; do head -c 1000 "$file" >"$tmp/cut" && cp "$tmp/cut" "$file"; done
says "kept: one cut off" 0 "$new" "${kept[@]}"
says "results that cannot be written" 2 '^warpref prove: /dev/full: cannot be written' \
    "${one[@]}" --out "$tmp/kept/out" --json /dev/full
grep -q proved "$tmp/log" && bad "results that cannot be written" "seen behind the proof alone"
says "results that go nowhere" 2 '^warpref prove: /dev/null/x: ' "${one[@]}" --out /dev/null/x

mkdir "$tmp/tree"
git ls-files -z formal dpi refmodel docs/proofs.md area/results.py tools/sized.py tools/replace.py | xargs -0 cp --parents -t "$tmp/tree"
table=(env WARPREF_ROOT="$tmp/tree" python3 "$tmp/tree/formal/prove.py" --check)
says "the table" 0 '^1 passed, 0 failed' "${table[@]}"
sed -i '/^| hint_decoder/s/ s |/1 s |/' "$tmp/tree/docs/proofs.md"
says "the table, another figure" 1 'proofs.md is not what results.json says' "${table[@]}"
sed -i '/^\[hint_decoder\]/,/^$/d' "$tmp/tree/formal/expected.toml"
says "the table, a block that is not expected" 1 '^hint_decoder odd: results.json has all of it proved' "${table[@]}"

# interrupted NAME COMMAND...: by Ctrl-C while it works it says so once, ends with 130, and leaves nothing.
interrupted() {
    local name=$1 work=$tmp/work waited=0
    shift
    mkdir -p "$work"
    set -m # a group of its own
    env --default-signal TMPDIR="$work" "$@" >"$tmp/log" 2>&1 </dev/null &
    set +m
    until [ -n "$(find "$work" -mindepth 2)" ] || [ $((waited += 1)) -gt 600 ]; do sleep 0.1; done
    kill -INT -- -$! # whoever started us may have it ignored, but for --default-signal
    wait $!
    [ $? -eq 130 ] || { bad "$name" "exit status is not 130"; return; }
    [ "$(grep -v '^[pr][a-z]*ed  ' "$tmp/log")" = "warpref $2: interrupted" ] || { bad "$name" "it says more"; return; }
    [ -z "$(ls "$work")" ] || { bad "$name" "it leaves $(ls "$work")"; return; }
    ok "$name"
}
interrupted "prove, interrupted" "$bin/warpref" prove rename_table switch_queues --config default --jobs 2 --out "$tmp"
interrupted "roundtrip, interrupted" "$bin/warpref" roundtrip --config default

# rests BLOCK NAME GOAL ON SED: a change of a relation that makes ON false, and GOAL, which rests on it, is not proved.
rests() {
    local name="$1: $2" relation=$tmp/$1.c
    planted "$name" "formal/rel/$1.c" "$5" "$relation" &&
        refuted "$name" "$4" "$bin/warpref" prove "$1" --config tiny --relation "$relation" \
            --goal "$3" --out "$tmp" && {
        if grep -q "^  open  *$3: rests on $4" "$tmp/log"; then
            ok "$name"
        else
            bad "$name" "$3 does not rest on it"
        fi
    }
}

# A law of arithmetic that is not true, and a step that does not follow, prove nothing, though more goals
# would follow from them; nor do they where all that they say is that one of the cases does not come up.
wrong='s/^#include "formal.rel.relate.h"$/&\
static bool wrong(const uint64_t *x)\
{\
    return x[0] + 1 > x[0];\
}/'
rests simt_stack "a false lemma" "output fault_o" "lemma wrong" "$wrong"'; s/^    HOLDS\(s->depth_q/    LEMMA(wrong, s->depth_q);\
&/'
rests simt_stack "a false step" "output fault_o" "follows depth_q == 1" \
    's/^    HOLDS\(s->depth_q/    FOLLOWS(s->depth_q == 1);\
&/'
rests issue_rate_controller "a false lemma of one case" "output fault_o" "lemma wrong" \
    "$wrong"'; s/^    HOLDS\(busy/    if (left == 3) {\
        LEMMA(wrong, UINT64_MAX);\
    }\
&/'
rests issue_rate_controller "a step that excludes a case" "output fault_o" "follows left != 3" \
    's/^    HOLDS\(busy/    FOLLOWS(left != 3);\
&/'

# untrue BLOCK NAME GOAL SED: a relation that says what is not so is refuted.
untrue() {
    local name="$1: $2"
    planted "$name" "formal/rel/$1.c" "$4" "$tmp/$1.c" &&
        refuted "$name" "$3" "$bin/warpref" prove "$1" --config tiny --relation "$tmp/$1.c" --goal "$3" \
            --out "$tmp" && ok "$name"
}
untrue reg_decompressor "a register does not fit" "holds s1_pag_q in 1 bits" \
    's/FITS\(s->s1_pag_q, 2\)/FITS(s->s1_pag_q, 1)/'
untrue simt_stack "another number in the place of one" "holds depth_q" \
    's/^    HOLDS\(s->depth_q/    SAME(s->depth_q + 1, 1);\
&/'

wait $beside
counted cat "$tmp/beside.out"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
