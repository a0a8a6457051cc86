#!/usr/bin/env bash
# Proves that the benches can fail: plants one fault at a time and wants it caught, by exit
# status 1 and by the right message, where the run without the fault passes.
#
#   tests/fail/run.sh BIN_DIR
#
# RTL faults are the blocks of tests/fail/rtl/<block>.sed: each starts with a line
# "# fault NAME: EXPECTED", an extended regular expression that the report must match, and
# holds sed commands that change the block's RTL.
set -u
cd "$(dirname "$0")/../.."
bin=$1
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

# A fault in each block's RTL, against the C model.
for script in tests/fail/rtl/*.sed; do
    block=$(basename "$script" .sed)
    rtl=$(ls rtl/*/"$block".sv)
    cosim=("$bin/warpref" cosim "$block" --cycles 5000 --seed 1 --top "$block"
        --mismatch-wave "$tmp/mismatch.fst")
    want "$block without a fault" 0 '^PASS 5000 cycles [1-9][0-9]* checks' \
        "${cosim[@]}" --rtl "$rtl"
    grep '^# fault ' "$script" | while read -r _ _ name pattern; do
        echo "${name%:} $pattern"
    done >"$tmp/faults"
    while read -r name pattern; do
        awk -v want="# fault $name:" '
            index($0, "# fault ") == 1 { on = index($0, want) == 1; next }
            on' "$script" >"$tmp/one.sed"
        sed -E -f "$tmp/one.sed" "$rtl" >"$tmp/$block.sv"
        if cmp -s "$rtl" "$tmp/$block.sv"; then
            : >"$tmp/log"
            bad "$block: $name" "the script changes nothing in $rtl"
            continue
        fi
        want "$block: $name" 1 "$pattern" "${cosim[@]}" --rtl "$tmp/$block.sv"
    done <"$tmp/faults"
done

# A bit of a golden vector file turned over.
golden=vectors/golden/reg_compressor.tiny.hex
want "golden vectors" 0 '^PASS' "$bin/warpref" replay reg_compressor $golden
awk '!/^\/\// && ++n == 50 { c = substr($0, 1, 1); $0 = (c == "0" ? "1" : "0") substr($0, 2) } 1' \
    $golden >"$tmp/golden.hex"
want "golden vectors, one digit changed" 1 'cycle|line' \
    "$bin/warpref" replay reg_compressor "$tmp/golden.hex"

# Generated files that drifted from the block descriptions, and a tree that lost a file or
# includes upwards.
mkdir "$tmp/tree"
git ls-files -z | xargs -0 cp --parents -t "$tmp/tree"
want "structure" 0 ' 0 wrong' python3 tests/structure.py "$tmp/tree"
want "generated files" 0 '' python3 "$tmp/tree/dpi/generate.py" --check
sed -i 's/^width = 7$/width = 8/' "$tmp/tree/refmodel/context/reg_compressor.toml"
want "generated files: a pin's width changed" 1 'reg_compressor' \
    python3 "$tmp/tree/dpi/generate.py" --check
rm "$tmp/tree/rtl/context/reg_compressor.sv"
want "structure: a block without its RTL" 1 'lacks rtl/context/reg_compressor.sv' \
    python3 tests/structure.py "$tmp/tree"
cp rtl/context/reg_compressor.sv "$tmp/tree/rtl/context/"
echo '#include "shell/core/hooks.h"' >>"$tmp/tree/refmodel/context/reg_compressor.c"
want "structure: a block that includes the shell" 1 'refmodel may not include shell/core' \
    python3 tests/structure.py "$tmp/tree"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
