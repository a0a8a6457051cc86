#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes one shared object (dpi/rtl_abi.h) of a block: Verilator, then one C++ compile.
#
#   verilate.sh BLOCK MODE IN_BITS OUT_BITS RUNTIME_LIB OUT.so WORK_DIR TOP RTL_DIR RTL.sv [ARGUMENT...]
#
# An ARGUMENT is a parameter of the block, Param=value; a C or C++ file, object or archive by its
# absolute path, which is linked in for the RTL's own DPI imports; or, with -, + or / in front, an
# argument of Verilator's, such as a further file by its absolute path. Files are read in this order, RTL.sv
# first; one that has the package of the block's pins takes the place of ours.
#
# MODE is rtl, lockstep, own or pins. lockstep binds the checker in and can trace; own is lockstep for RTL
# that is not ours, of which the registers are compared that it has under the same names, and pins compares
# none. coverage, own-coverage and pins-coverage count lines and toggles of the block instead of tracing.
# TOP is the module behind the pins. WR_VERILATOR_FLAGS adds flags (a user's own RTL is built with -Wno-fatal);
# WR_CXX_OPTIMIZE (-O2; coverage: -O1) is -O0 where a run is too short to pay for more.
set -eu

block=$1 mode=$2 in_bits=$3 out_bits=$4 runtime=$5 out=$6 work=$7 top=$8
shift 8
rtl_dir=$1 rtl=$2
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
case $root in
*[[:space:]]*)
    echo "$root: the path of the source tree has a blank, which Verilator's compiler does not take: move the tree" >&2
    exit 1
    ;;
esac
rm -rf "$work"
mkdir -p "$work" "$(dirname "$out")"
work=$(cd "$work" && pwd)
# The tree's own RTL is read from inside the tree: the C++ names its files, and ccache knows it again
# in another folder.
at=. tree=$root/
case $rtl in
"$root"/*)
    at=$root tree='' rtl=${rtl#"$root"/} rtl_dir=${rtl_dir#"$root"/}
    ;;
esac

foreign=$work/foreign
: >"$foreign"
for p in "$@"; do
    shift
    case $p in
    /*.c | /*.cc | /*.cpp | /*.o | /*.a) echo "$p" >>"$foreign" ;;
    [-+/]*) set -- "$@" "$p" ;;
    *) set -- "$@" "-G${p%%=*}=32'd${p#*=}" ;;
    esac
done
# Of signals that could be in a waveform Verilator leaves out large ones and those called _x, and shows structs as one.
whole="--trace-max-array 1000000000 --trace-max-width 1000000000 --trace-structs --trace-underscore"
# shellcheck disable=SC2086  # a list
case $mode in
rtl) define=-DWR_RTL ;;
*coverage)
    set -- "$@" --coverage-line --trace --no-trace-params $whole
    define="-DWR_LOCKSTEP -DWR_COVERAGE -I$root/dpi/toggles"
    WR_CXX_OPTIMIZE=${WR_CXX_OPTIMIZE:--O1} # thousands of counters cost a compiler more than they gain
    ;;
*)
    set -- "$@" --trace-fst $whole
    [ "$mode" != lockstep ] || set -- "$@" -DWR_CHECKER_EDGE_ONLY # our RTL has no latch: lint.sh yosys
    define='-DWR_LOCKSTEP -DWR_TRACE'
    ;;
esac
[ "$mode" = rtl ] || set -- "$@" "${tree}dpi/wr_checker.sv" "${tree}dpi/gen/${block}_bind.sv"
bind=$root/dpi/gen/${block}_bind.sv
package=${tree}rtl/gen/${block}_pkg.sv
for file in "$rtl" "$@"; do
    case $file in
    *.sv | *.v) ! (cd "$at" && grep -Eqs "^[[:space:]]*package[[:space:]]+${block}_pkg[[:space:]]*;" "$file") || package= ;;
    esac
done
# run FLAGS ARGUMENT...
# shellcheck disable=SC2086  # the flags are lists
run() {
    flags=$1
    shift
    (cd "$at" && verilator $flags -Wall --top-module "${block}_wrap" --Mdir "$work" "-DWR_DUT=$top" -DWR_CHECKER_HOSTED -y "$rtl_dir" \
        ${WR_VERILATOR_FLAGS:-} "${tree}dpi/verilator.vlt" ${package:+"$package"} "$rtl" "$@" \
        "${tree}dpi/gen/${block}_wrap.sv")
}

# Registers that are not compared, of those that the bind file holds, one a line.
absent=
case $mode in
pins*) absent=$(sed -n 's/^`ifdef WR_NO_//p' "$bind" | sort -u) ;;
own*)
    for line in $(run --lint-only "$@" 2>&1 |
        sed -n 's/^%[EW][^ ]*: .*_bind\.sv:\([0-9]*\):.*/\1/p' | sort -nu); do
        absent="$absent $(sed -n "${line}s/.*'(\([A-Za-z0-9_]*\)).*/\1/p" "$bind")"
    done
    ;;
esac
names=
for register in $absent; do
    set -- "$@" "-DWR_NO_$register"
    names=$names,$register
done
define="$define -DWR_ABSENT=${names#,}"

run "--cc --assert --timescale 1ns/1ps --x-initial unique --x-assign unique -O3 --prefix Vdut" "$@"

# One source of all: most of what a compiler does for a small block is to read Verilator's headers. The host comes
# first, with warnings; <> makes the rest a system's. What runs once only, Verilator's slow files, is as large as the
# rest and need not be optimized; templates are instantiated behind the last line, by the options that hold there.
{
    echo '#include "dpi/rtl_host.cpp"'
    (cd "$work" && ls Vdut*.cpp) | sed -n '/Slow/!s/.*/#include <&>/p'
    printf '#pragma GCC push_options\n#pragma GCC optimize ("O0")\n'
    (cd "$work" && ls Vdut*.cpp) | sed -n '/Slow/s/.*/#include <&>/p'
    printf '#pragma GCC pop_options\n'
} >"$work/all.cc"

vroot=$(verilator --getenv VERILATOR_ROOT)
cxx=${CXX:-g++}
if command -v ccache >/dev/null 2>&1; then cxx="ccache $cxx"; fi
compile="$cxx -std=c++17 ${WR_CXX_OPTIMIZE:--O2} -fPIC -fvisibility=hidden -fvisibility-inlines-hidden $define
    -DWR_IN_BITS=$in_bits -DWR_OUT_BITS=$out_bits -DVERILATOR=1 -DVM_TRACE=1 -DVM_TRACE_FST=1 -DVM_SC=0
    -isystem . -I$root -isystem $vroot/include -isystem $vroot/include/vltstd"
# Without it the loader would merge inline statics of all the objects in a process.
if echo | ${CXX:-g++} -fno-gnu-unique -x c++ -fsyntax-only - 2>/dev/null; then
    compile="$compile -fno-gnu-unique"
fi
# Names without the folder: then ccache knows the same block of another build again.
(cd "$work" && $compile -Wall -Wextra -Werror -Wno-unknown-pragmas -c all.cc -o all.o)
set -- "$work/all.o"
while read -r file; do
    case $file in
    *.c) ${CC:-cc} "${WR_CXX_OPTIMIZE:--O2}" -fPIC -I"$work" -isystem "$vroot/include/vltstd" -c "$file" -o "$work/foreign$#.o" ;;
    *.cc | *.cpp) (cd "$work" && $compile -c "$file" -o "foreign$#.o") ;;
    *)
        set -- "$@" "$file"
        continue
        ;;
    esac
    set -- "$@" "$work/foreign$#.o"
done <"$foreign"
${CXX:-g++} -shared -Wl,-Bsymbolic -Wl,-z,defs "$@" "$runtime" -lz -lpthread -lm -o "$out.new"
mv "$out.new" "$out"
rm -rf "$work"
