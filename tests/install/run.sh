#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build, moves what was installed, and works with it where the source tree cannot be seen: the
# program and its commands, headers, file lists, the checker in a design of several blocks, and the READMEs of
# examples/ as they stand.
#
#   tests/install/run.sh BUILD_DIR
#
# The source tree and the build are hidden in a mount namespace; where the system gives none they stay in sight,
# which a line says. That an installed program does not look there shows then, too: files are taken out
# of the installed tree, and missed.
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/../own_rtl/want.sh"
build=$(dirname "$(dirname "$warpref")")
unset WARPREF_ROOT WARPREF_LIB WARPREF_CONFIG_PATH PKG_CONFIG_PATH LD_LIBRARY_PATH
export WARPREF_CACHE=$tmp/cache
home=$tmp/home
mkdir home work
cp "$root"/tests/install/{readme.py,parts.sv,study.toml} .

# sees_no_source COMMAND...: the tree and the build are empty folders to it.
sees_no_source() {
    unshare --map-root-user --mount sh -c 'root=$1 build=$2; shift 2
        mount -t tmpfs none "$build" && mount -t tmpfs none "$root" && exec "$@"' - "$root" "$build" "$@"
}
hidden() { sees_no_source "$@"; }
if ! sees_no_source test ! -e "$root/README.md" 2>err; then
    echo "note  the source tree stays in sight: $(head -n 1 err)"
    hidden() { "$@"; }
fi

want "install" 0 '' cmake --install "$build" --prefix "$tmp/first"
mv first home/warpref
prefix=$home/warpref
share=$prefix/share/warpref
installed=$prefix/bin/warpref
texts() { ! grep -rIl -e "$root" -e "$build" -e "$tmp/first" "$share" "$prefix/include" "$prefix/lib/pkgconfig"; }
want "no text names a folder of the build" 0 '' texts
touch stamp

on() { (cd work && hidden "$installed" "$@"); }
want "config" 0 '^name: gtx480$' on config gtx480
want "config: its list" 0 '^k20x' on config
want "blocks" 0 'switch_queues' on blocks
want "systems" 0 '^preemption ' on systems
want "run in lockstep" 0 'PASS' on run "$share/kernels/vecadd.yaml" --system preemption:period=2000 --blocks lockstep
want "compile" 0 'preemption +2 points' on compile "$share/kernels/matrixmul.cu"
want "cc" 0 '' on cc "$share/examples/cuda/saxpy.cu" -o saxpy
program() { (cd work && hidden ./saxpy); }
want "... the program" 0 '^PASS' program
echo 'int cudaMalloc(void **, unsigned long); int main(void) { void *p; return cudaMalloc(&p, 4) ? 1 : 0; }' >work/malloc.c
want "exec: a program that asks for NVIDIA's library" 0 '' cc work/malloc.c -o work/malloc \
    -Wl,--no-as-needed,-rpath,"$prefix/lib/warpref" "$prefix/lib/warpref/cudart/libcudart.so.13" \
    "$prefix/lib/warpref/libwarpref_cudart.so"
want "exec" 0 '' on exec --config k20x ./malloc
want "cosim, a named configuration" 0 '^PASS 2000 cycles [1-9]' on cosim switch_queues --config odd --cycles 2000
want "cosim, any parameters" 0 'Verilating switch_queues \(WarpDepth=5' on cosim switch_queues --param WarpDepth=5 --cycles 2000
want "cosim, RTL of one's own" 0 '^PASS 2000 cycles [1-9]' on cosim switch_queues --config tiny --cycles 2000 \
    --rtl "$share/examples/rtl/switch_queues_shift.sv" --top switch_queues_shift
want "vectors" 0 '200 cycles' on vectors switch_queues --config tiny --cycles 200 -o v.hex
want "replay" 0 '^PASS 200 cycles' on replay switch_queues v.hex --against rtl
want "study list" 0 '^area/compressor ' on study list
want "a study with a scene" 0 '^smaller_share +1 ' on study smk/fig_8 --quick
want "claims" 0 '^[1-9][0-9]* claims: ' on claims
want "report" 0 '' on report out/study
want "... the page" 0 'smk/fig_8' cat work/out/study/report.html
want "a study of one's own" 0 'switch_queues +337' on study "$tmp/study.toml"
"$warpref" state >state.source
same_state() { on state >state.installed && cmp state.installed state.source; }
want "state, as in the sources" 0 '' same_state
want "area" 0 '^liveness_decoder tiny' on area liveness_decoder --config tiny
want "prove" 0 ' 0 refuted, 0 open' on prove switch_queues --config tiny
want "properties" 0 ' 0 failed' on properties liveness_decoder --config tiny
want "coverage" 0 '^switch_queues +lines 19/19' on coverage switch_queues --cycles 1000
want "mutate" 0 '^2 mutants|2 mutants' on mutate switch_queues --count 2 --cycles 1000
want "fuzz says what it wants" 2 'set WARPREF_ROOT to the sources' on fuzz switch_queues --runs 1

# What is missing is missed, in the installed tree.
without() {
    local file=$1 status
    shift
    mv "$prefix/$file" taken
    "$@"
    status=$?
    mv taken "$prefix/$file"
    return $status
}
want "without verilate.sh" 2 "$share/dpi/verilate.sh: not found" without share/warpref/dpi/verilate.sh \
    on cosim switch_queues --param WarpDepth=6 --cycles 100
want "without the runtime" 2 'libwr_verilated.a not found' without lib/warpref/libwr_verilated.a \
    on cosim switch_queues --param WarpDepth=6 --cycles 100
want "without its object a block is Verilated" 0 'Verilating switch_queues' \
    without lib/warpref/wr_switch_queues_odd_lockstep.so on cosim switch_queues --config odd --cycles 100
want "without its configuration" 2 'gtx480' without share/warpref/shell/config/gtx480.yaml on config gtx480
want "without cuda.h" 2 '' without share/warpref/kernels/cuda.h on compile "$share/kernels/matrixmul.cu"
want "without the script" 2 "$share/studies/study.py" without share/warpref/studies/study.py on study list

# Headers: each alone in C, all of them in C++; and every list of RTL with its checker.
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
flags=(-Wall -Wextra -Wconversion -Wshadow -Werror -pedantic -fsyntax-only)
# shellcheck disable=SC2046  # options of the compiler, one each
headers() {
    local dir header
    dir=$(pkg-config --variable=includedir warpref)
    while read -r header; do
        echo "#include \"$header\"" | hidden cc -std=c11 "${flags[@]}" $(pkg-config --cflags warpref) -x c - || return 1
    done < <(cd "$dir" && find . -name '*.h' | sort)
}
want "headers, C" 0 '' headers
printf '#include <warpref.h>\n#include <warpref_reference.h>\n' >all.cpp
# shellcheck disable=SC2046
want "headers, C++" 0 '' hidden g++ -std=c++17 "${flags[@]}" $(pkg-config --cflags warpref) all.cpp
# Each list has what its block needs: every fifth is tried, with WARPREF_LONG all; dpi/lint.sh tries the source's.
lists() {
    local list block at=0 seen=0
    for list in "$share"/rtl/*/*.f; do
        block=$(basename "$list" .f)
        [ "$block" != warpref ] || continue
        at=$((at + 1))
        [ "${WARPREF_LONG:-}" ] || [ $((at % 5)) = 0 ] || continue
        hidden verilator --lint-only -Wall --top-module "$block" "$share/dpi/verilator.vlt" -F "$list" \
            -F "$share/dpi/gen/${block}_checker.f" || return 1
        seen=$((seen + 1))
    done
    echo "$seen lists"
}
blocks=$(find "$root/refmodel" -mindepth 2 -name '*.toml' | wc -l)
want "file lists" 0 "^$([ "${WARPREF_LONG:-}" ] && echo "$blocks" || echo $((blocks / 5))) lists" lists
want "the list of all" 0 '' hidden verilator --lint-only -Wall -Wno-MULTITOP "$share/dpi/verilator.vlt" -F "$share/rtl/warpref.f"

# Four checkers in one design.
parts=(context_saver context_packer liveness_decoder reg_compressor)
checkers=()
for block in "${parts[@]}"; do checkers+=(-F "$share/dpi/gen/${block}_checker.f"); done
want "several checkers: build" 0 '' hidden verilator --binary --assert -Wno-fatal -CFLAGS -O0 --top-module parts \
    "${checkers[@]}" -F "$share/rtl/context/context_saver.f" "$share/dpi/gen/context_saver_wrap.sv" parts.sv \
    -LDFLAGS "$(pkg-config --libs warpref)"
want "several checkers: run" 0 '' hidden obj_dir/Vparts
cp out said
for block in "${parts[@]}"; do want "... $block" 0 "^$block: PASS 2000 cycles [1-9]" cat said; done
want "no reset: nothing is compared, and that fails" 134 'nothing was compared' hidden obj_dir/Vparts +no_reset

# What somebody types who reads the examples.
# That of the preempted kernel, long and played by test preemption_walk as well, with WARPREF_LONG.
for example in c systemc verilog python reference ${WARPREF_LONG:+preemption}; do
    mkdir "$example"
    want "README of $example" 0 '^[1-9][0-9]* passed, 0 failed' \
        hidden ./readme.py "$share/examples/$example/README.md" "$home" "$example"
done
written() { find "$prefix" -newer stamp -type f | grep .; }
want "nothing was written into what is installed" 1 '' written
verdict
