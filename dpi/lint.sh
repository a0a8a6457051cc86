#!/bin/sh
# Lints every block's RTL in every named configuration: Verilator with all warnings, on the block
# and on its wrapper with the checker bound in; and Yosys, which must read and check both and, in the
# default configuration, count the flip-flops that [storage] of the description states. Flip-flops
# that are constant do not count.
#
#   dpi/lint.sh [verilator|yosys] [BLOCK...]
#
# The last line is "N passed, N failed"; the exit status is 0 when nothing failed.
set -eu

tools="verilator yosys"
case "${1:-}" in
verilator | yosys)
    tools=$1
    shift
    ;;
esac

root=$(cd "$(dirname "$0")/.." && pwd)
passed=0
failed=0
list=$(mktemp)
count=$(mktemp)
trap 'rm -f "$list" "$count"' EXIT
"$root/dpi/generate.py" --configs >"$list"

lint_verilator() {
    # shellcheck disable=SC2086  # lists of arguments
    verilator --lint-only -Wall $generics --top-module "$block" -y "$dir" "$dir/$block.sv" &&
        verilator --lint-only -Wall --assert $generics --top-module "${block}_wrap" -y "$dir" \
            "$root/rtl/gen/${block}_pkg.sv" "$dir/$block.sv" "$root/dpi/gen/${block}_wrap.sv" "$root/dpi/gen/${block}_bind.sv" \
            "$root/dpi/wr_checker.sv"
}

# The other files of the group are read only if the block uses them.
lint_yosys() {
    read=
    for f in "$dir"/*.sv; do
        [ "$f" = "$dir/$block.sv" ] || read="$read; read_verilog -sv -defer $f"
    done
    yosys -q -p "read_verilog -sv $dir/$block.sv$read; chparam$chparam $block; \
        hierarchy -check -top $block; proc; check -assert; flatten; opt; simplemap; \
        tee -q -o $count select -count t:\$_*FF*; \
        design -reset; read_verilog -sv $root/rtl/gen/${block}_pkg.sv $root/dpi/gen/${block}_wrap.sv \
        $dir/$block.sv$read; chparam$chparam ${block}_wrap; hierarchy -check -top ${block}_wrap; \
        proc; check -assert" || return 1
    [ "$config" = default ] || return 0
    stated=$("$root/dpi/generate.py" --storage | sed -n "s/^$block //p")
    counted=$(sed -n 's/^\([0-9]*\) objects\.$/\1/p' "$count")
    [ -z "$stated" ] || [ "$stated" = "$counted" ] || {
        echo "$block: [storage] bits = $stated in its toml, Yosys counts $counted flip-flops"
        return 1
    }
}

while read -r group block config _ _ params; do
    case " $* " in
    "  " | *" $block "*) ;;
    *) continue ;;
    esac
    dir=$root/rtl/$group
    generics='' chparam=''
    for p in $params; do
        generics="$generics -G${p%%=*}=32'd${p#*=}"
        chparam="$chparam -set ${p%%=*} ${p#*=}"
    done
    for tool in $tools; do
        if "lint_$tool"; then
            echo "$tool $block $config: clean"
            passed=$((passed + 1))
        else
            echo "$tool $block $config: FAILED"
            failed=$((failed + 1))
        fi
    done
done <"$list"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
