#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lints every block's RTL in every named configuration: Verilator with all warnings, on the block
# and on its wrapper with the checker bound in; and Yosys, which must read and check the wrapper with the
# block in it and, in the default configuration, find the flip-flops that [storage] of the description
# states, part by part (dpi/flipflops.py). Flip-flops that are constant do not count.
#
#   dpi/lint.sh [verilator|yosys] [BLOCK...]
#   dpi/lint.sh registers BLOCK               lists the block's registers as Yosys finds them
#
# JOBS (2) of them run at a time. The last line is "N passed, N failed"; the exit status is 0 when
# nothing failed.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

lint_verilator() {
    # shellcheck disable=SC2086  # lists of arguments
    verilator --lint-only -Wall $generics --top-module "$block" -y "$dir" "$root/dpi/verilator.vlt" "$dir/$block.sv" &&
        verilator --lint-only -Wall --assert $generics --top-module "${block}_wrap" -y "$dir" "$root/dpi/verilator.vlt" \
            "$root/rtl/gen/${block}_pkg.sv" "$dir/$block.sv" "$root/dpi/gen/${block}_wrap.sv" "$root/dpi/gen/${block}_bind.sv" \
            "$root/dpi/wr_checker.sv"
}

# The other files of the group are read only if the block uses them.
read_block() {
    echo "read_verilog -sv $dir/$block.sv"
    for f in "$dir"/*.sv; do
        [ "$f" = "$dir/$block.sv" ] || echo "; read_verilog -sv -defer $f"
    done
}

# The netlist in which flip-flops are counted: memories are flip-flops too.
netlist() {
    yosys -q -p "$(read_block); chparam$chparam $block; hierarchy -check -top $block; proc; \
        check -assert; flatten; memory_collect; memory_map; opt; simplemap t:\$*ff*; write_json $tmp/netlist.json"
}

lint_yosys() {
    if [ "$config" = default ]; then
        netlist && "$root/dpi/flipflops.py" "$root/refmodel/$group/$block.toml" "$tmp/netlist.json" || return 1
    fi
    yosys -q -p "read_verilog -sv $root/rtl/gen/${block}_pkg.sv $root/dpi/gen/${block}_wrap.sv; $(read_block); \
        chparam$chparam ${block}_wrap; hierarchy -check -top ${block}_wrap; proc; check -assert"
}

# read_row GROUP BLOCK CONFIG IN_BITS OUT_BITS Param=value...: a line of generate.py --configs.
read_row() {
    group=$1 block=$2 config=$3
    shift 5
    dir=$root/rtl/$group
    generics='' chparam=''
    for p in "$@"; do
        generics="$generics -G${p%%=*}=32'd${p#*=}"
        chparam="$chparam -set ${p%%=*} ${p#*=}"
    done
}

case "${1:-}" in
--one) # a job of those below
    tool=$2
    shift 2
    read_row "$@"
    verdict=clean
    "lint_$tool" >"$tmp/log" 2>&1 || verdict=FAILED
    echo "$tool $block $config: $verdict" >>"$tmp/log"
    cat "$tmp/log"
    exit 0
    ;;
registers)
    row=$("$root/dpi/generate.py" --configs | grep "^[a-z]* ${2:?BLOCK} default ")
    # shellcheck disable=SC2086  # the row is a list
    read_row $row
    netlist
    "$root/dpi/flipflops.py" --list "$tmp/netlist.json"
    exit 0
    ;;
verilator | yosys)
    tools=$1
    shift
    ;;
*) tools="verilator yosys" ;;
esac

"$root/dpi/generate.py" --configs | while read -r group block row; do
    case " $* " in
    "  " | *" $block "*) for tool in $tools; do echo "--one $tool $group $block $row"; done ;;
    esac
done >"$tmp/jobs"
# Through a pipe: jobs that copy into one file at the same time can overwrite each other.
xargs -r -P "${JOBS:-2}" -L 1 "$root/dpi/lint.sh" <"$tmp/jobs" | cat >"$tmp/out"
cat "$tmp/out"
passed=$(grep -c ': clean$' "$tmp/out") || true
failed=$(($(wc -l <"$tmp/jobs") - passed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
