#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# testbench/replay/replay.sh from outside: what it takes, what it refuses and how, and how it ends by a
# signal. `warpref replay` reads the same files: what one refuses the other does, in the same words.
#
#   tests/contract/replay.sh BUILD_DIR
# shellcheck disable=SC2016,SC2317  # `$` of sed; what `want` calls
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/../own_rtl/want.sh"

replay=$root/testbench/replay/replay.sh
sound=$root/vectors/golden/switch_queues.tiny.hex
queues=$root/rtl/duet/switch_queues.sv
fifo=$root/rtl/duet/switch_fifo.sv

want "help" 0 'Exit status: 0 all equal' "$replay" --help
want "no file" 2 '^replay.sh: no vector file is given' "$replay"
want "no option of this name" 2 "^replay.sh: no option '--gate'" "$replay" --gate "$sound"
want "no such file" 2 '^replay.sh: none.hex: cannot be read' "$replay" none.hex
want "a folder" 2 '^replay.sh: tmp: cannot be read' "$replay" tmp
want "no RTL behind --" 2 '^replay.sh: no file of RTL behind --' "$replay" "$sound" --
want "no such RTL" 2 '^replay.sh: none.sv: cannot be read' "$replay" "$sound" -- none.sv
mkdir bare
for tool in bash dirname yosys iverilog; do ln -s "$(command -v $tool)" bare; done
for tool in yosys iverilog; do
    mv bare/$tool .
    want "no $tool" 2 "^replay.sh: $tool is not installed: apt-get install $tool\$" env PATH="$PWD/bare" "$replay" "$sound"
    mv $tool bare
done

# Several files of RTL, in any names; the second holds what the first uses, or is wrong.
mkdir 'two words'
sed 's/$/\r/' "$sound" >'two words/a b.hex'
cp "$queues" "$fifo" 'two words'
sed 's/head_o = .*;/head_o = 0;/' "$fifo" >'two words/wrong.sv'
cmp -s "$fifo" 'two words/wrong.sv' && { echo "FAIL  the script changes nothing"; failed=$((failed + 1)); }
want "sound" 0 '^switch_queues tiny: PASS 120 cycles' "$replay" "$sound" -- "$queues" "$fifo"
want "names with blanks, lines of DOS" 0 ': PASS 120 ' \
    "$replay" 'two words/a b.hex' -- 'two words/switch_queues.sv' 'two words/switch_fifo.sv'
want "lines of DOS, the model" 0 '^PASS 120 ' "$warpref" replay switch_queues 'two words/a b.hex'
want "the second is wrong" 1 '^switch_queues tiny: FAIL' \
    "$replay" "$sound" -- 'two words/switch_queues.sv' 'two words/wrong.sv'
want "the second is missing" 2 'switch_fifo' "$replay" "$sound" -- "$queues"

# both NAME SED MESSAGE: a file that both refuse, in one line.
both() {
    sed "$2" "$sound" >bad.hex
    want "$1" 2 "^bad.hex$3" "$replay" bad.hex
    cp err said
    want "$1, the model" 2 "^bad.hex$3" "$warpref" replay switch_queues bad.hex
    cmp said err || { echo "FAIL  $1: two messages"; failed=$((failed + 1)); }
}
both "another first line" 1d ":1: not a vector file: the first line must be '// warpref vectors 1'\$"
both "an empty file" '1,$d' ':0: not a vector file'
both "no count" '/^.. count/d' ":8: '// count' is missing above the first row\$"
both "no block" '/^.. block/d' ":3: '// parameters' must follow '// block'\$"
both "a count that is none" 's/^\(.. count\).*/\1 many/' ":7: count 'many': must be 1 to 100000000\$"
both "a key twice" '/^.. seed/p' ":6: '// seed' stands twice\$"
both "no such bits" 's/^\(.. bits\).*/\1 33/' ":6: write '// bits in=N out=M'\$"
both "a row more than the count" '$p' ":129: more rows than the header's count of 120\$"
both "a row less" '$d' ":127: 119 rows where the header's count is 120\$"
both "no rows" '/^[0-9a-f]/d' ':8: no rows$'
both "a digit less" '$s/.//' ':128: too few digits; a row has 17 hexadecimal digits$'
both "a digit more" '$s/^/0/' ':128: too many digits; a row has 17 hexadecimal digits$'
both "no digit" '$s/./g/' ':128: not a hexadecimal digit; a row has 17 hexadecimal digits$'
both "a pin not driven" '$s/.$/X/' ':128: a digit is x or z: the pin was not driven; a row has 17 hexadecimal digits$'
both "a bit too high" '$s/./4/' ':128: bits above the highest pin are not 0; a row has 17 hexadecimal digits$'
both "much wrong with a digit" '$s/.*/0g1x/' ':128: not a hexadecimal digit; a row has 17 hexadecimal digits$'
both "much wrong with a row" '$s/.*/4x/' ':128: bits above the highest pin are not 0; a row has 17 hexadecimal digits$'
both "a parameter twice" 's/^\(.. param\w* \)\(.*\)/\1\2 \2/' ":4: parameter 'WarpDepth': switch_queues is given it twice\$"
# A reset between rows, as `warpref cosim --four-state` has it: the same rows once more, from there on.
twice() { sed '/^[0-9a-f]/d; s/^\(.. count\).*/\1 240/' "$sound" && grep '^[0-9a-f]' "$sound" && printf %s "$1" && grep '^[0-9a-f]' "$sound"; }
twice $'// warpref reset\n' >again.hex
want "a reset between rows" 0 ': PASS 240 ' "$replay" again.hex
want "a reset between rows, the model" 2 '^again.hex:[0-9]*: a reset between rows; testbench/replay/replay.sh alone' \
    "$warpref" replay switch_queues again.hex
twice '' >again.hex
want "no reset between rows" 1 ': FAIL 240 ' "$replay" again.hex

# RTL under another name, with a parameter of its own, a folder, an include and a macro.
mkdir include
echo '`define HEADS head' >include/heads.svh
sed '1i `include "heads.svh"' "$queues" | sed 's/^module switch_queues /module `NAME /' >named.sv
named=(--top mine "$sound" -- named.sv "-I$PWD/include" -DNAME=mine -y "$root/rtl/duet")
want "named otherwise" 0 ': PASS 120 ' "$replay" "${named[@]}"
want "a difference in binary" 1 "^  got      [01xz]{33}\$" "$replay" --binary "$sound" -- "$queues" 'two words/wrong.sv'
sed 's/^endmodule/wire twice; assign twice = \&warp_push_i; assign twice = |tb_pop_i; endmodule/' "$queues" >drivers.sv
want "a net with two drivers" 0 '^replay.sh: warning: multiple conflicting drivers for ' "$replay" "$sound" -- "$fifo" drivers.sv
want "a value that is missing" 2 '^replay.sh: --top wants a value' "$replay" "$sound" --top
want "a C file" 2 '^replay.sh: mine.c: Yosys knows no DPI imports' "$replay" "$sound" -- "$queues" mine.c
want "no such folder" 2 '^replay.sh: nowhere: no such folder' "$replay" "$sound" -- "$queues" -y nowhere

# What replay.sh knows by the RTL alone has its own words.
sed 's/^\(.. block\).*/\1 none/' "$sound" >bad.hex
want "no such block" 2 "^bad.hex: no block 'none'; see warpref blocks\$" "$replay" bad.hex
sed 's/^\(.. param\w*\).*/\1 WarpDepth=4/' "$sound" >bad.hex
want "a parameter less" 2 '^bad.hex: the parameters of switch_queues are WarpDepth TbDepth$' "$replay" bad.hex
sed 's/^.. bits.*/\/\/ bits in=32 out=34/' "$sound" >bad.hex
want "other bits" 2 'bad.hex: the header says in=32 out=34 bits; switch_queues with these parameters has in=33 out=33$' \
    "$replay" bad.hex

# A signal ends the tool, and what the tool has started.
mkdir slow
ln -s "$(command -v iverilog)" slow
slow slow/yosys
want "interrupted" 130 '' ended INT env PATH="$PWD/slow:$PATH" "$replay" "$sound"
want "terminated" 143 '' ended TERM env PATH="$PWD/slow:$PATH" "$replay" "$sound"
verdict
