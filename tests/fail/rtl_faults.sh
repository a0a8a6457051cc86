#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plants faults in the RTL of blocks, one at a time, and wants `warpref cosim` to catch each within
# 50,000 cycles: exit status 1 and a report that names the pin. Without a fault it must pass.
#
#   tests/fail/rtl_faults.sh BIN_DIR [BLOCK...]
#
# tests/fail/rtl/<block>.sed: each fault starts with a line "# fault NAME: EXPECTED", an extended
# regular expression that the report must match, and holds sed commands (sed -E) that change the
# block's RTL or, where they find nothing there, a module that it uses; of the default configuration,
# or of CONFIG where NAME is NAME@CONFIG, and then within 1,000,000 cycles. A block has three faults
# at least.
#
# JOBS (2) of them run at a time; FAULTS=N plants the first N of each block alone, and without BLOCK
# EVERY=N takes every N-th block. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit
[ "${1:-}" = --one ] || {
    bin=$1
    shift
    out=$(mktemp)
    trap 'rm -f "$out"' EXIT
    if [ $# -eq 0 ]; then
        for f in $(printf '%s\n' refmodel/*/*.toml | awk -v every="${EVERY:-1}" 'NR % every == 0'); do
            set -- "$@" "$(basename "$f" .toml)"
        done
    fi
    for block in "$@"; do
        echo "$block" sound
        sed -n 's/^# fault \([^:]*\): .*/\1/p' "tests/fail/rtl/$block.sed" | sed "s/^/$block /" |
            head -n "${FAULTS:-1000}"
    done >"$out.jobs"
    xargs -P "${JOBS:-2}" -L 1 tests/fail/rtl_faults.sh --one "$bin" <"$out.jobs" | tee "$out"
    few=0
    for block in "$@"; do
        [ "$(grep -c '^# fault ' "tests/fail/rtl/$block.sed")" -ge 3 ] || { echo "FAIL  $block: fewer than three faults"; few=$((few + 1)); }
    done
    passed=$(grep -c '^ok ' "$out")
    failed=$(($(wc -l <"$out.jobs") - passed + few))
    rm "$out.jobs"
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ] && [ "$passed" -gt 0 ]
    exit
}

# One fault, or the sound block.
bin=$2 block=$3 name=$4
config=default cycles=50000
case $name in *@*) config=${name#*@} cycles=1000000 ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
script=tests/fail/rtl/$block.sed
rtl=$(ls rtl/*/"$block".sv)

bad() {
    {
        echo "FAIL  $block: $name: $1"
        tail -n 8 "$tmp/log" | sed 's/^/    | /'
    } >"$tmp/text"
    cat "$tmp/text"
    exit
}

: >"$tmp/log"
ln -s "$PWD/$(dirname "$rtl")"/*.sv "$tmp" # modules that the block uses are sought beside it
rm "$tmp/$block.sv"
if [ "$name" = sound ]; then
    cp "$rtl" "$tmp/$block.sv"
    want=0 pattern='^PASS 50000 cycles [1-9][0-9]* checks'
else
    want=1 pattern=$(sed -n "s/^# fault $name: //p" "$script")
    awk -v want="# fault $name:" '
        index($0, "# fault ") == 1 { on = index($0, want) == 1; next }
        on' "$script" >"$tmp/one.sed"
    cp "$rtl" "$tmp/$block.sv"
    for module in "$block.sv" $(sed '/^\/\//d' "${rtl%.sv}.f"); do
        sed -E -f "$tmp/one.sed" "$tmp/$module" >"$tmp/new"
        cmp -s "$tmp/new" "$tmp/$module" || break
    done
    cmp -s "$tmp/new" "$tmp/$module" && bad "the script changes nothing in the RTL"
    mv -f "$tmp/new" "$tmp/$module" # a file in place of the link
fi
WR_CXX_OPTIMIZE=-O0 "$bin/warpref" cosim "$block" --config "$config" --cycles "$cycles" --seed 1 \
    --top "$block" --pins-only --no-shrink --mismatch-wave "$tmp/mismatch.fst" --rtl "$tmp/$block.sv" \
    >"$tmp/log" 2>&1 </dev/null
got=$?
[ $got -eq $want ] || bad "exit $got, wanted $want"
grep -Eq -- "$pattern" "$tmp/log" || bad "no line matches '$pattern'"
echo "ok    $block: $name"
