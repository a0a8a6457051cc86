#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The short forms of `warpref prove` and `warpref roundtrip`, and proof that they can fail: faults planted in
# models and in RTL must be refuted with vectors that replay, and faults of the importer itself be noticed.
#
#   tests/fail/prove.sh BIN_DIR [OUT_DIR]
#
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
            --goal "${4:-}" &&
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
    planted "$name" "$file" "$script" "$tmp/$1.sv" &&
        refuted "$name" "$3" "$bin/warpref" prove "$1" --config tiny --rtl "$tmp/$1.sv" --out "$tmp" \
            --goal "${4:-}" &&
        replays "$name" 0 "$bin/warpref" replay "$1" "$tmp/$1.tiny.refuted.hex" &&
        replays "$name" 1 testbench/replay/replay.sh "$tmp/$1.tiny.refuted.hex" -- "$tmp/$1.sv" &&
        ok "$name"
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

counted "$bin/warpref" prove --short --jobs "${JOBS:-2}" --out "${2:-$tmp}"
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
rtl liveness_decoder diverged_bar_forgiven "state fault_q"
rtl rename_table drop_of_an_outdated_mapping "state (scalar|vector)_q"
rtl context_unpacker head_searched_again "holds f.tag" "holds f.tag"

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
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
