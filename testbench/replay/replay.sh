#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Replays vector files against the RTL in Icarus Verilog, a second simulator. Icarus 11 reads less
# SystemVerilog than the RTL uses, so Yosys turns it into plain Verilog first: what is replayed is
# the design as synthesis understands it.
#
#   testbench/replay/replay.sh [OPTION...] FILE.hex... [-- RTL.sv...]
#
# The header of each file says which block and parameters. RTL.sv..., read in this order, stand in for
# the block's own RTL, modules that it uses included. Between them may stand -y DIR, for modules that no file
# has, in files of their name, -IDIR and -DNAME[=VALUE].
#
#   --top NAME         the module behind the pins; the block's name without it
#   --parameters TEXT  what it has beside the block's parameters: ", .Name(value)" each
#   --binary           the first difference in binary, in which unknown bits have their places
#   --gates            it is synthesised first, down to gates of two inputs, multiplexers and flip-flops, all of
#                      them unknown at power-up
#
# It needs Debian's packages yosys and iverilog. Exit status: 0 all equal, 1 a difference, 2 bad
# usage, input or RTL, or a tool is missing.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)

# refuse WHAT: ends with 2.
refuse() { echo "replay.sh: $1" >&2; exit 2; }

gates=
defines=()
files=()
rtl=()
folders=()
includes=()
macros=()
wrapped=
while [ $# -gt 0 ]; do
    case $1 in
    --gates) gates=1 ;;
    --binary) defines+=(-DWR_BINARY) ;;
    --top | --parameters)
        [ $# -gt 1 ] || refuse "$1 wants a value: see --help"
        [ "$1" = --top ] && wrapped+="\`define WR_DUT $2"$'\n' || wrapped+="\`define WR_DUT_PARAMS $2"$'\n'
        shift
        ;;
    --help | -h) sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    --)
        shift
        [ $# -gt 0 ] || refuse "no file of RTL behind --: name one or more, or leave -- out for the block's own"
        while [ $# -gt 0 ]; do
            case $1 in
            -y)
                shift
                folders+=("${1:-}")
                ;;
            -I*) includes+=("${1#-I}") ;;
            -D*) macros+=("$1") ;;
            +libext+*) ;; # .v and .sv are looked for
            *.c | *.cc | *.cpp | *.o | *.a) refuse "$1: Yosys knows no DPI imports" ;;
            *) rtl+=("$1") ;;
            esac
            shift
        done
        break
        ;;
    -*) refuse "no option '$1': see replay.sh --help" ;;
    *) files+=("$1") ;;
    esac
    shift
done
[ ${#files[@]} -gt 0 ] || refuse "no vector file is given: replay.sh FILE.hex... [-- RTL.sv...]; see --help"
for file in "${files[@]}" "${rtl[@]}"; do
    if [ ! -r "$file" ] || [ -d "$file" ]; then refuse "$file: cannot be read"; fi
done
for file in "${rtl[@]}"; do
    case $file in *\"*) refuse "$file: Yosys takes no quote in a name: rename it" ;; esac
done
for text in "${macros[@]}"; do
    case $text in *[\ \"\;]*) refuse "$text: Yosys takes no blank, quote or semicolon in a macro" ;; esac
done
for tool in yosys iverilog; do
    command -v $tool >/dev/null || refuse "$tool is not installed: apt-get install $tool"
done

work=$(mktemp -d)
export TMPDIR=$work # so that what the tools leave when they are ended goes too
child=
trap 'rm -rf "$work"' EXIT
# stop STATUS: by a signal. The tool that runs may have started others: it has a group of its own.
# shellcheck disable=SC2317  # traps call it
stop() {
    trap '' HUP INT TERM
    if [ -n "$child" ]; then
        kill -- "-$child" && wait "$child"
    fi 2>/dev/null || true
    exit "$1"
}
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM
run() {
    set -m
    "$@" </dev/null &
    child=$!
    set +m
    local status=0
    wait "$child" || status=$?
    child=
    return $status
}

# Folders by links, since Yosys takes no blank in the name of one.
options='' libraries='' links=0
for folder in "${includes[@]}" "${folders[@]}"; do
    [ -d "$folder" ] || refuse "$folder: no such folder"
    case $work in *[[:space:]]*) refuse "$work: Yosys takes no blank in a folder: set TMPDIR" ;; esac
    links=$((links + 1))
    ln -s "$(cd "$folder" && pwd)" "$work/folder$links"
    libraries+=" -libdir $work/folder$links"
    [ $links -gt ${#includes[@]} ] || options+=" -I$work/folder$links"
done
for text in "${macros[@]}"; do options+=" $text"; done

net='proc; check; opt_clean; write_verilog -noattr'
[ -z "$gates" ] || net="synth -flatten; $net"

# translate BLOCK PARAMETER...: dut.v, the block in its wrapper as plain Verilog.
translate() {
    local block=$1 group read='' chparam='' p f
    shift
    group=$(dirname "$(find "$root/rtl" -name "$block.sv")")
    for p in "$@"; do chparam="$chparam -set ${p%%=*} ${p#*=}"; done
    { printf %s "$wrapped" && cat "$wrap"; } >"$work/wrap.sv"
    # One of the files may have the package of the block's pins.
    grep -Eqs "^[[:space:]]*package[[:space:]]+${block}_pkg[[:space:]]*;" "${rtl[@]}" /dev/null ||
        read="read_verilog -sv \"$root/rtl/gen/${block}_pkg.sv\""
    if [ ${#rtl[@]} -gt 0 ]; then
        for f in "${rtl[@]}"; do read+="; read_verilog -sv$options \"$f\""; done
    else
        read+="; read_verilog -sv \"$group/$block.sv\""
        # Modules that a block of ours uses stand beside it.
        for f in "$group"/*.sv; do
            [ "$f" = "$group/$block.sv" ] || read+="; read_verilog -sv -defer \"$f\""
        done
    fi
    read+="; read_verilog -sv \"$work/wrap.sv\""
    run yosys -q -p "${read#; }; chparam$chparam ${block}_wrap; hierarchy -check$libraries -top ${block}_wrap; $net \
        \"$work/dut.v\"" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 2; }
    [ ${#rtl[@]} = 0 ] || sed -n 's/:$//; s/[$]paramod[^ ]*\\\([^. ]*\.\)/\1/; s/\\//g
        s/^Warning: \(.*conflicting drivers\|.*has no driver\)/replay.sh: warning: \1/p' "$work/log" >&2
}

# bits PORT: of the wrapper in dut.v.
bits() {
    sed -n "/^module ${block}_wrap(/,/^endmodule/s/^ *\(in\|out\)put \(\[\([0-9]*\):0\] \)\{0,1\}$1;/0\3/p" "$work/dut.v" |
        awk '{ print $0 + 1 }'
}

status=0
built=
for file in "${files[@]}"; do
    resets=$(grep -c '^// warpref reset$' "$file") || true
    again=()
    [ "$resets" = 0 ] || again=(-DWR_RESETS)
    file=$file rows=$work/rows.hex resets=$resets awk -f "$root/testbench/replay/rows.awk" <"$file" >"$work/header" || exit 2
    { read -r in out count parameters && read -r block && read -r config && read -r cut; } <"$work/header"
    wrap=$root/dpi/gen/${block}_wrap.sv
    [ -r "$wrap" ] || { echo "$file: no block '$block'; see warpref blocks" >&2; exit 2; }
    wanted=$(sed -n 's/^  parameter int unsigned \([A-Za-z0-9_]*\) = .*/\1/p' "$wrap")
    # shellcheck disable=SC2086  # a list
    [ "$(printf '%s\n' $parameters | sed 's/=.*//' | sort)" = "$(echo "$wanted" | sort)" ] ||
        { echo "$file: the parameters of $block are" $wanted >&2; exit 2; }
    # Files of one block in the same parameters, one behind the other, share the work of Yosys.
    # shellcheck disable=SC2086
    [ "$built" = "$block $parameters" ] || translate "$block" $parameters
    built="$block $parameters"
    [ "$in $out" = "$(bits in_i) $(bits out_o)" ] || {
        echo "$file: the header says in=$in out=$out bits; $block with these parameters has" \
            "in=$(bits in_i) out=$(bits out_o)" >&2
        exit 2
    }
    run iverilog -g2005-sv -o "$work/replay" -s replay_tb "-DWR_WRAP=${block}_wrap" "-DWR_IN=$in" "-DWR_OUT=$out" \
        "${defines[@]}" "${again[@]}" "-DWR_COUNT=$count" "-DWR_FILE=\"$work/rows.hex\"" "$root/testbench/replay/replay_tb.v" "$work/dut.v" || exit 2
    run vvp -n "$work/replay" >"$work/out" && good=0 || good=1
    verdict=$(tail -n 5 "$work/out" | grep -E '^(PASS|FAIL)') || { verdict='FAIL no verdict'; good=1; }
    if [ -n "$cut" ] && [ "$good" = 0 ]; then
        echo "$file: cut: the run that recorded it was stopped before its end, and the rest is missing; record it again" >&2
        verdict=CUT${verdict#PASS} status=1
    fi
    echo "$block $config: $verdict"
    if [ "$good" != 0 ]; then
        grep -v -E '^(PASS|FAIL)' "$work/out" | head -n 6
        status=1
    fi
done
exit $status
