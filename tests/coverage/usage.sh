#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `warpref coverage` and `warpref fuzz` from outside: what they say of themselves, what they count, and where they
# cannot run.
#
#   tests/coverage/usage.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/../own_rtl/want.sh"
export COLUMNS=200 # no line of --help is broken

want "configurations of coverage" 0 ' tiny, default, odd, max, shared \(default\)$' "$warpref" coverage --help
want "configurations of fuzz" 0 ' tiny, default, odd, max, shared \(tiny\)$' "$warpref" fuzz --help
want "a new corpus" 0 'corpus is executed first, whatever N is: 51 inputs' "$warpref" fuzz --help

for command in coverage fuzz; do
    want "$command: figures in no folder" 2 "^warpref $command: none/f.json: cannot be written: name a file" \
        "$warpref" $command switch_queues --out ran --json none/f.json
    want "$command: figures in a folder" 2 "^warpref $command: tmp: cannot be written: name a file" \
        "$warpref" $command switch_queues --out ran --json tmp
    want "$command: a file as folder" 2 "^warpref $command: err: File exists\$" \
        "$warpref" $command switch_queues --out err
done
want "nothing ran" 2 '' ls ran

# A full disk, behind runs that end at once.
mkdir -p bare fake/bin
printf '#!/bin/sh\nexit 2\n' | tee fake/bin/fuzz_blocks >fake/bin/fuzz_finding
cp fake/bin/fuzz_blocks bare/clang-14
chmod +x fake/bin/* bare/clang-14
want "coverage: a full disk" 1 '^warpref: /dev/full: cannot be written: No space left' \
    env WARPREF_PROGRAM="$PWD/fake/bin/fuzz_blocks" \
    python3 "$root/tests/coverage/coverage.py" switch_queues --out ran --json /dev/full
want "fuzz: a full disk" 1 '^warpref: /dev/full: cannot be written: No space left' \
    env WARPREF_FUZZ_BUILD="$PWD/fake" "$warpref" fuzz switch_queues --out ran --json /dev/full

# Bits are counted in generate blocks, each instance by itself: 7 of a register in each of 4 slots.
want "coverage of a block" 0 '^warp_slots +lines 20/20 100.0 % +toggles [1-9][0-9]*/622 ' env WARPREF_CACHE="$PWD/cache" \
    "$warpref" coverage warp_slots --config tiny --cycles 20000 --toggles --out counted
cp out said
want "what never toggles there" 0 '^  still: gen_vectors.u_dut.next_o\[5:2\]$' cat said
for slot in 0 1 2 3; do
    want "bit 0 of slot $slot toggles" 0 '' grep -Eaq "warp_q\\[0\\].*gen_row\\[$slot\\]' [1-9]" counted/warp_slots.tiny/coverage.dat
done
want "variables of loops are no signals" 1 '' grep -aq unnamedblk counted/warp_slots.tiny/coverage.dat
want "the sources are there" 0 'warp_slots.sv' ls counted/warp_slots.tiny

# Tools that are missing, one after the other.
ln -s "$(python3 -c 'import sys; print(sys.executable)')" bare/python3
# shellcheck disable=SC2317  # `want` calls it
bare() { env PATH="$PWD/bare" "$warpref" "$@" --out ran; }
want "no verilator_coverage" 2 '^warpref coverage: verilator_coverage is not installed: apt-get install verilator$' \
    bare coverage switch_queues
want "no cmake" 2 '^warpref fuzz: cmake is not installed: apt-get install cmake$' bare fuzz switch_queues
cp bare/clang-14 bare/cmake
want "no ninja" 2 '^warpref fuzz: ninja is not installed: apt-get install ninja-build$' bare fuzz switch_queues
cp bare/clang-14 bare/ninja
want "no clang++" 2 '^warpref fuzz: clang\+\+-14 is not installed: apt-get install clang-14$' bare fuzz switch_queues
cp bare/clang-14 bare/clang++-14
want "no libFuzzer" 2 '^warpref fuzz: libFuzzer is not installed: apt-get install libclang-rt-14-dev$' \
    bare fuzz switch_queues

# Interrupted, it ends what it has started.
slow fake/bin/fuzz_blocks
for signal in INT:130 TERM:143; do
    want "coverage, ${signal%:*}" "${signal#*:}" '' ended "${signal%:*}" env WARPREF_ROOT="$root" \
        WARPREF_PROGRAM="$PWD/fake/bin/fuzz_blocks" python3 "$root/tools/script.py" \
        "$root/tests/coverage/coverage.py" switch_queues --out ran
    want "fuzz, ${signal%:*}" "${signal#*:}" '' ended "${signal%:*}" env WARPREF_FUZZ_BUILD="$PWD/fake" \
        "$warpref" fuzz switch_queues rename_table --out ran
done
want "interrupted once" 130 '^warpref fuzz: interrupted$' ended INT env WARPREF_FUZZ_BUILD="$PWD/fake" \
    "$warpref" fuzz switch_queues rename_table --out ran
verdict
