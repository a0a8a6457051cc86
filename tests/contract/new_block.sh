#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dpi/generate.py --new: in a copy of the tree, what it refuses; then a new block out of the box: its
# files are those that the structure wants, well formed and formatted; unit test, lint, golden vectors
# and lockstep pass; and the unit test finds a bug in the model and each misreading, the lockstep each of the block's faults.
#
#   new_block.sh BUILD_DIR    with its static libraries and libwr_verilated.a
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
block=demo_block
new() { python3 "$tmp/tree/dpi/generate.py" --new "$@"; }

fail() {
    echo "FAIL: $1"
    [ ! -s "$tmp/log" ] || tail -n 20 "$tmp/log"
    exit 1
}

# passes WHAT COMMAND...
passes() {
    local what=$1
    shift
    "$@" >"$tmp/log" 2>&1 || fail "$what"
    echo "ok: $what"
}

# refused NAME MESSAGE
refused() {
    new "$1" >"$tmp/log" 2>&1
    [ $? -eq 2 ] || fail "--new $1: exit status is not 2"
    grep -q -- "$2" "$tmp/log" || fail "--new $1: no '$2'"
    [ "$(find "$tmp/tree" -type f | wc -l)" -eq "$files" ] || fail "--new $1: wrote files"
    echo "ok: --new $1 is refused"
}

mkdir "$tmp/tree"
git ls-files -z | xargs -0 cp --parents -t "$tmp/tree" || fail "no copy of the tree"
files=$(find "$tmp/tree" -type f | wc -l)
refused demo_block 'is not GROUP/BLOCK'
refused context/reg_compressor 'reg_compressor is there already'
refused duet/reg_compressor 'reg_compressor is there already'
refused context/DemoBlock 'no lower_snake name'
refused context/2nd 'no lower_snake name'
refused context/demo__block 'no lower_snake name'
refused ../demo_block 'no lower_snake name'

passes "--new fresh/other_block" new fresh/other_block
grep -q 'new group fresh' "$tmp/log" || fail "no message of a new group"
passes "--new context/$block" new context/$block
grep -q 'new group' "$tmp/log" && fail "group context is not new"
new context/$block >/dev/null && fail "the same block twice"

# The block alone, so that a program with it links nothing of the others.
mkdir "$tmp/alone"
cp -r "$tmp/tree/." "$tmp/alone"
find "$tmp/alone/refmodel" -mindepth 2 -name '*.toml' ! -name "$block.toml" -delete
passes "generate.py, one block" python3 "$tmp/alone/dpi/generate.py"
passes "generate.py, all blocks" python3 "$tmp/tree/dpi/generate.py"
cd "$tmp/alone" || exit 1
sources="refmodel/context/$block.c dpi/gen/${block}_block.c dpi/gen/registry.c testbench/gen/stims.c
    testbench/context/${block}_stim.c"
libs="$build/vectors/libwr_vectors.a $build/testbench/libwr_testbench.a $build/dpi/libwr_blocks.a
    $build/waveforms/libwr_wave.a $build/files/libwr_files.a $build/waveforms/libwr_fstapi.a $build/refmodel/libwr_refmodel.a"
# compile OUT FILE...: with our warnings as errors
compile() {
    local out=$1
    shift
    # shellcheck disable=SC2086  # lists of files
    ${CC:-cc} -std=c11 -O1 -Wall -Wextra -Wconversion -Wshadow -Werror -D_GNU_SOURCE \
        -DWR_SOURCE_DIR=\".\" -I. -o "$out" "$@" $sources \
        $libs -lcmocka -lz -ldl -lpthread -lm
}
test_files="tests/blocks/test_$block.c tests/oracle/${block}_oracle.c tests/blocks/bench.c tests/blocks/contract.c
    tests/blocks/rig.c"
# shellcheck disable=SC2086
{
    passes "C files, formatted" clang-format-14 --dry-run -Werror {refmodel,testbench}/context/$block*.[ch] \
        tests/oracle/$block* tests/blocks/test_$block.c
    passes "compile vectors and lockstep" compile both tests/contract/new_block.c
    passes "golden vectors" ./both golden vectors/golden
    passes "compile the unit test" compile unit $test_files
    passes "unit test" ./unit
    sed -i 's/>= OPS/> OPS/' refmodel/context/$block.c
    passes "compile the unit test with a bug in the model" compile unit_bug $test_files
    ./unit_bug >"$tmp/log" 2>&1 && fail "the unit test does not see a bug in the model"
    grep -q 'fault is 0x0, oracle 0x1' "$tmp/log" || fail "the unit test fails with another message"
    cp "$tmp/tree/refmodel/context/$block.c" refmodel/context/
}

# library RTL OUT: the default configuration, against the model.
library() {
    local row
    row=$(python3 dpi/generate.py --configs | grep "^context $block default ")
    # shellcheck disable=SC2086
    set -- "$1" "$2" $row
    WR_CXX_OPTIMIZE=-O0 dpi/verilate.sh $block lockstep "$6" "$7" "$build/lib/libwr_verilated.a" "$2" work \
        $block rtl/context "$1" "${@:8}"
}
passes "Verilator, all warnings" library rtl/context/$block.sv "$PWD/sound.so"
passes "lockstep" ./both lockstep "$PWD/sound.so"
grep -q '^PASS 20000 cycles [1-9]' "$tmp/log" || fail "lockstep checked nothing"
passes "Yosys, and the flip-flops of [storage]" dpi/lint.sh yosys $block
# Misreadings, on both sides.
for n in 0 1 2 3 4; do
    python3 - $n <<END || fail "misreading $n"
import sys
sys.path.insert(0, "tests/mutants")
import misread
row = misread.rows_of("$block", misread.HERE)[int(sys.argv[1])]
for side, path in [("model", "refmodel/context/$block.c"), ("rtl", "rtl/context/$block.sv")]:
    for file, text in misread.changed(row, side, path).items():
        (misread.ROOT / f"wrong.{side}").write_text(text)
END
    cp wrong.model refmodel/context/$block.c
    # shellcheck disable=SC2086  # a list of files
    passes "compile the unit test with misreading $n" compile unit_bug $test_files
    ./unit_bug >"$tmp/log" 2>&1 && fail "the unit test does not see misreading $n"
    if [ "${FAULTS:-}" ]; then # each costs a run of Verilator
        passes "compile lockstep with it" compile both_wrong tests/contract/new_block.c
        mkdir -p wrong && cp wrong.rtl wrong/$block.sv
        passes "Verilator, misreading $n" library wrong/$block.sv "$PWD/wrong.so"
        passes "lockstep of misreading $n" ./both_wrong lockstep "$PWD/wrong.so"
    fi
    cp "$tmp/tree/refmodel/context/$block.c" refmodel/context/
done
faults=$(grep -c '^# fault ' tests/fail/rtl/$block.sed)
[ "$faults" -ge 3 ] || fail "fewer than three faults in tests/fail/rtl/$block.sed"
if [ "${FAULTS:-}" ]; then # each costs a run of Verilator
    for n in $(seq "$faults"); do
        mkdir -p bad
        awk -v n="$n" '/^# fault / { i++; next } i == n' tests/fail/rtl/$block.sed >one.sed
        pattern=$(sed -n 's/^# fault [^:]*: //p' tests/fail/rtl/$block.sed | sed -n "${n}p")
        sed -E -f one.sed rtl/context/$block.sv >bad/$block.sv
        passes "Verilator, fault $n" library bad/$block.sv "$PWD/bad.so"
        ./both lockstep "$PWD/bad.so" >"$tmp/log" 2>&1 && fail "lockstep does not see fault $n"
        grep -Eq "$pattern" "$tmp/log" || fail "fault $n: another message"
        echo "ok: fault $n is caught"
    done
fi

# The whole tree with the new block, once its vectors are there and [diagram] is in its toml. The other
# new block has none: the structure must say so.
cd "$tmp/tree" || exit 1
cp "../alone/vectors/golden/$block".* vectors/golden/
sed -i -E 's/^# (\[diagram\]|from = |cycles = |pins = )/\1/' refmodel/context/$block.toml
passes "generate.py with the diagram" python3 dpi/generate.py
grep -q '^result_o .*X' docs/blocks/$block.md || fail "no diagram in the page"
python3 tests/structure.py >"$tmp/log" 2>&1 && fail "structure: the vectors of the other block are not missed"
[ "$(grep -c 'block other_block lacks vectors/golden/other_block\.' "$tmp/log")" -eq 3 ] || fail "structure"
grep -q ' 3 wrong$' "$tmp/log" || fail "structure"
echo "ok: structure"
echo "PASS"
