#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A command writes over none of the files that it reads, and none twice, by whatever name: exit status 2, a message, and
# every file as it was.
#
#   tests/cut/files.sh BIN_DIR
# shellcheck source=tests/cut/said.sh
. "$(dirname "$0")/said.sh"
cd "$tmp" || exit 2

new_files() {
    rm -rf files && mkdir files && cd files || exit 2
    cat >job.yaml <<'END'
module: k.ptx
buffers:
  - {name: a, type: s32, contents: file, file: data.bin}
launches: [{kernel: k, grid: [1], block: [1], args: [{buffer: a}]}]
checks: [{buffer: a, file: want.bin}]
outputs: [{buffer: a, file: got.bin}]
END
    printf '\1\0\0\0' >data.bin
    printf '\2\0\0\0' >want.bin
    printf 'a += 1;\n' >source.cu
    printf '%s\n' '.version 4.0' '.target sm_20' '.address_size 32' '.file 1 "./source.cu"' '.visible .entry k(.param .u32 a) {' \
        '.reg .u32 %r<3>;' '.loc 1 1 0' 'ld.param.u32 %r1, [a]; ld.global.u32 %r2, [%r1]; add.u32 %r2, %r2, 1;' \
        'st.global.u32 [%r1], %r2; ret; }' >k.ptx
    cp "$root/shell/config/gtx480.yaml" gpu.yaml
    cp "$root/rtl/hints/hint_decoder.sv" own.sv
    sed 's/\(assign renames *= \)rename/\1!rename/' own.sv >wrong.sv
    cp "$root/vectors/golden/hint_decoder.tiny.hex" in.hex
    ln job.yaml hard.yaml
    ln -s job.yaml soft.yaml
    printf '0 R 0x40\n' >trace.txt
    cp gpu.yaml other.1
    cp gpu.yaml other.new
    ln -s new.json to_new.json
    cd ..
}

# want STATUS PATTERN WORDS...: warpref's, in files/; which are as they were where it is not 0.
want() {
    local status=$1 pattern=$2 got same=1
    shift 2
    new_files
    cp -r files before
    (cd files && "$warpref" "$@") >log 2>&1
    got=$?
    [ "$status" = 0 ] || { diff -r --no-dereference before files >>log || same=0; }
    rm -rf before
    [ $got = "$status" ] && [ $same = 1 ] && grep -qE -- "$pattern" log
    said $? "$*" "exit status $got"
}

one='are one file, .*; it would be lost'
# Of what is tried in many combinations every third, with WARPREF_LONG all.
at=0
taken() { at=$((at + 1)) && { [ "${WARPREF_LONG:-}" ] || [ $((at % 3)) = 1 ]; }; }
want 0 '^PASS' run job.yaml --config gpu.yaml --wave w.fst --stats s.json --samples s.csv --timeline t.csv --printf p.txt
for file in job.yaml ./job.yaml ../files/job.yaml hard.yaml soft.yaml k.ptx source.cu data.bin want.bin got.bin gpu.yaml; do
    for option in --stats --samples --timeline --printf --wave --profile '--checkpoint-at 5 --checkpoint'; do
        # shellcheck disable=SC2086 # words
        ! taken || want 2 "$one" run job.yaml --config gpu.yaml $option $file
    done
done
new_files
cp "$warpref" files/tool
(cd files && ./tool run job.yaml --stats tool) >log 2>&1
[ $? = 2 ] && grep -qE -- "$one" log && cmp -s "$warpref" files/tool
said $? "the tool itself"
want 2 "$one" run job.yaml --timeline job.yaml,sm=1
want 2 "$one" run job.yaml --with soft.yaml --stats got.bin
want 2 "$one" run job.yaml --stats s.json --samples ./s.json
want 2 "$one" run job.yaml --stats to_new.json --printf new.json
want 2 "$one" run job.yaml --wave w.fst --stats w.gtkw
want 2 "$one" run job.yaml --system preemption:wave=k.ptx
want 2 "$one" run job.yaml --system preemption:dump=w.fst --wave w.fst
want 2 "$one" run job.yaml --system haws --blocks rtl --rtl hint_decoder=own.sv --stats own.sv
want 0 '^PASS' run job.yaml --system preemption:wave=w.fst --system haws:wave=w.fst
want 0 '^PASS' run job.yaml --stats /dev/null --samples /dev/null
want 0 '^PASS' run job.yaml --system preemption --record new
want 2 'has vectors of another run, in.hex for one; name a new folder' run job.yaml --system preemption --record .
want 0 '^PASS' cosim hint_decoder --config tiny --cycles 100 --wave w.fst --rtl-wave r.fst
want 2 "$one" cosim hint_decoder --cycles 100 --wave w.fst --rtl-wave w.fst
want 2 "$one" cosim hint_decoder --cycles 100 --rtl own.sv --wave own.sv
want 2 "$one" cosim hint_decoder --cycles 100 --wave w.fst --mismatch-wave w.vcd
for option in --wave --mismatch-wave; do
    want 2 'w.gtkw: the saved view goes there; name the wave .fst' cosim hint_decoder --cycles 100 $option w.gtkw
done
want 2 'w.gtkw: the saved view goes there' run job.yaml --system preemption:wave=w.gtkw
want 2 "$one" cosim hint_decoder --inputs in.hex --wave in.hex
want 2 "$one" cosim hint_decoder --config tiny --cycles 100 --rtl own.sv --shortest own.sv
want 2 "$one" cosim hint_decoder --config tiny --cycles 100 --shortest w.fst --wave w.fst
want 2 'takes the place of what is there, and that is no file' cosim hint_decoder --config tiny --cycles 100 --rtl-wave /dev/null
want 2 "$one" run job.yaml --config gpu.yaml --stats c.1 --checkpoint-at 5 --checkpoint c # a checkpoint's other name
want 2 "$one" run job.yaml --config ./other.1 --checkpoint-at 5 --checkpoint other

# What stands beside a checkpoint under another name stays, a link too.
new_files
(cd files && echo mine >c.new && echo mine >notes && ln -s notes d.new && "$warpref" run job.yaml --checkpoint-at 5 --checkpoint c &&
    "$warpref" run job.yaml --checkpoint-at 5 --checkpoint d) >log 2>&1
[ $? = 0 ] && [ "$(cat files/c.new files/notes)" = "$(printf 'mine\nmine')" ] && [ -L files/d.new ] && [ -s files/c ] && [ -s files/d ]
said $? 'FILE.new beside --checkpoint FILE' 'see log'
want 2 "$one" run job.yaml --config kayiran --cpu 'mcf*2,@trace.txt*3' --samples trace.txt --for 1000
want 2 "takes a value, not ''" properties hint_decoder --rtl ''
want 2 "takes a value, not ''" area hint_decoder --liberty ''
want 2 'what is written is HTML' report . --out new.json
want 0 '^PASS' cosim hint_decoder --inputs in.hex --shortest in.hex

# A header that a .cu includes, by either way in; a link, whose target is replaced.
headers() {
    printf '%s\n' '#include "cuda.h"' '#include "own head.h"' 'extern "C" __global__ void k(int *a) { *a += ONE; }' >k.cu
    printf '#define ONE 1\n' >'own head.h'
    sed -i 's/k.ptx/k.cu/' job.yaml
}
want_header() {
    new_files
    (cd files && headers)
    cp -r files before
    (cd files && "$warpref" "$@") >log 2>&1
    local got=$?
    diff -r --no-dereference before files >>log && [ $got = 2 ] && grep -qE "$one" log
    said $? "$*, a header" "exit status $got"
    rm -rf before
}
want_header compile k.cu --emit-ptx 'own head.h'
want_header compile k.cu --emit-ptx ./k.cu
for option in --stats --samples --timeline --printf --wave --profile; do
    ! taken || want_header run job.yaml $option 'own head.h'
done

linked() {
    local name=$1
    shift
    new_files
    (cd files && printf before >old && mkdir sub && for link in link{,.fst,.vcd}; do ln -s old "$link" && ln -s ../old "sub/$link"; done && "$warpref" "$@") >log 2>&1
    [ "$(find files -name 'link*' -type l | wc -l)" = 6 ] && [ "$(cat files/old)" != before ] && ! ls files/*.new 2>/dev/null | grep -v other.new
    said $? "$name to a link" "$(cd files && ls -l link old)"
}
for option in --stats --samples --timeline --printf --profile; do
    ! taken || linked $option run job.yaml $option link
    ! taken || linked $option run job.yaml $option sub/link
done
for name in link.fst link.vcd sub/link.fst; do
    ! taken || linked "--wave $name" run job.yaml --wave $name
    ! taken || linked "--wave $name of a system" run job.yaml --system preemption --wave $name
    ! taken || linked "cosim --wave $name" cosim hint_decoder --config tiny --cycles 100 --wave $name
done
linked --rtl-wave cosim hint_decoder --config tiny --cycles 100 --rtl-wave sub/link
linked --coverage cosim hint_decoder --config tiny --cycles 100 --coverage link
linked --mismatch-wave cosim hint_decoder --config tiny --rtl wrong.sv --rtl-dir "$root/rtl/hints" --shortest s.hex --mismatch-wave sub/link
linked --checkpoint run job.yaml --checkpoint-at 5 --checkpoint link
linked --checkpoint run job.yaml --checkpoint-at 5 --checkpoint sub/link
linked --emit-ptx compile "$root/kernels/vecadd.cu" --emit-ptx link
linked --output vectors hint_decoder --output sub/link

# A run that can't be begun leaves what is there; so does one that is killed, beside which it stays.
new_files
(cd files && for wave in w.fst w.vcd w.gtkw; do echo before >$wave; done)
for words in '--wave w.fst' '--wave w.vcd' '--system preemption --wave w.fst'; do
    # shellcheck disable=SC2086 # words
    (cd files && "$warpref" run job.yaml $words --timeline gone/t.csv) >log 2>&1
    [ $? = 2 ] && [ "$(cat files/w.fst files/w.vcd files/w.gtkw | sort -u)" = before ] && [ "$(echo files/w.*)" = 'files/w.fst files/w.gtkw files/w.vcd' ]
    said $? "run $words, a run that is not begun" "$(ls files)"
done

# A CUDA program is none of what it is compiled of; what stands where it goes is replaced when it is whole.
program() {
    new_files
    cp "$root/examples/cuda/errors.cu" 'files/the program.cu'
    sed -i '1i #include "own head.h"' 'files/the program.cu'
    echo '#define OWN 1' >'files/own head.h'
    printf before >files/old && chmod 640 files/old
    rm -rf before && cp -r files before
    (cd files && "$warpref" cc 'the program.cu' -I "$root/examples/cuda" "$@") >log 2>&1
    status=$?
}
for to in 'the program.cu' './own head.h'; do
    for words in -o '-c -o'; do
        # shellcheck disable=SC2086 # words
        program $words "$to"
        [ $status = 2 ] && diff -r --no-dereference before files >>log && grep -q "$one" log
        said $? "cc $words $to" "exit status $status"
    done
done
program -o old -DOWN_ERROR '-Wl,--no-such-option'
[ $status = 1 ] && [ "$(cat files/old)" = before ] && [ -z "$(find files -newer before/old -name '*.new')" ]
said $? 'cc -o, no program' "exit status $status"
program -oold
[ $status = 0 ] && [ -x files/old ]
said $? 'cc -oFILE' "exit status $status"
rm -rf before

# Devices and pipes are written as they are; a pipe that nobody reads is told.
new_files
(cd files && "$warpref" run job.yaml --stats /dev/stdout >both) 2>log
[ $? = 0 ] && grep -q '"pass"' files/both && [ "$(ls files/*.new)" = files/other.new ]
said $? '--stats /dev/stdout' 'see log'
mkfifo files/pipe
(cd files && "$warpref" run job.yaml --stats pipe >/dev/null 2>../log) &
child=$!
until grep -q 'waiting for a reader' log || ! kill -0 $child 2>/dev/null; do
    sleep 0.05
done
cat files/pipe >got
wait $child && grep -q '"pass"' got && grep -q 'pipe: a pipe that nobody reads' log
said $? '--stats into a pipe' 'see log'

for file in k.ptx ./k.ptx; do
    want 2 "$one" compile k.ptx --emit-ptx $file
done

mkfifo files/pipe.vcd
(cd files && "$warpref" run job.yaml --wave pipe.vcd >/dev/null 2>../log) &
child=$!
cat files/pipe.vcd >got
wait $child && grep -q enddefinitions got && [ -p files/pipe.vcd ]
said $? '--wave into a pipe' 'see log'

# What never ends is not read; links that lead back to themselves, and standard output without room, are told.
ln -s "$tmp/two" "$tmp/one" && ln -s "$tmp/one" "$tmp/two"
mkfifo "$tmp/pipe"
want 2 'cannot be read: not a regular file' cosim hint_decoder --inputs "$tmp/pipe"
want 2 '/pipe: is a pipe; name a file' vectors hint_decoder --output "$tmp/pipe"
want 2 'cannot be read: not a regular file' replay hint_decoder "$tmp/pipe"
want 2 'symbolic links lead back to themselves' claims --results "$tmp/one"
(cd "$tmp" && "$warpref" state >/dev/full) 2>log
[ $? = 1 ] && grep -q 'standard output could not be written' log && ! grep -q Traceback log
said $? 'state, standard output full' 'see log'

# What a run has recorded is refused where it is cut, wherever: in its head, in a row, at a row's end; so is a file that
# is not there, or of another block.
mkdir "$tmp/cut"
"$warpref" run "$root/kernels/vecadd.yaml" --system preemption:period=1000 --record "$tmp/record" >"$tmp/log"
vectors=$(echo "$tmp"/record/*context_saver*.hex | cut -d' ' -f1)
want 0 '^PASS' replay context_saver "$vectors"
size=$(stat -c %s "$vectors")
for bytes in 0 1 22 100 180 $((size / 2)) $((size - 2)) $(head -n -1 "$vectors" | wc -c) $(head -n 20 "$vectors" | wc -c); do
    head -c "$bytes" "$vectors" >"$tmp/cut/part.hex"
    want 2 '/cut/part.hex(:[0-9]+)?: ' replay context_saver "$tmp/cut/part.hex"
done
want 2 '/cut/gone.hex: cannot be read: No such file' replay context_saver "$tmp/cut/gone.hex"
want 2 '/record: cannot be read: not a regular file' replay context_saver "$tmp/record"
want 2 'vectors of block context_saver, not of context_restorer' replay context_restorer "$vectors"

# A recorded set: the same run gives the same bytes, wherever; files of two runs in one folder are told apart, one by name.
record() {
    "$warpref" run "$root/kernels/vecadd.yaml" --system "preemption:period=$1,record=$tmp/$2" >"$tmp/log"
}
set=sm0_context_saver.hex
record 1000 set && record 1000 twin && record 1500 stranger
diff -r "$tmp/set" "$tmp/twin" >"$tmp/log" && [ "$(sed -n 's/^.. run [0-9a-f]\{16\}$/&/p' "$tmp"/set/*.hex | sort | uniq -c | wc -l)" = 1 ]
said $? 'the same run, recorded twice' 'see log'
want 0 '^PASS [0-9]+ cycles [0-9]+ checks$' replay "$tmp/set"
want 0 "$set\",\$" replay "$tmp/set" --json
cp "$tmp/stranger/$set" "$tmp/twin/$set"
want 2 "/twin/$set: of run [0-9a-f]+, where [0-9]+ of the folder's files are of run" replay "$tmp/twin"
sed '/^.. run /d' "$tmp/set/$set" >"$tmp/twin/$set" # as older ones are
cp "$root/vectors/golden/hint_decoder.tiny.hex" "$tmp/twin"
want 0 '/twin/hint_decoder.tiny.hex: PASS' replay "$tmp/twin"
head -c 1000 "$tmp/set/$set" >"$tmp/twin/$set"
want 2 "/twin/$set(:[0-9]+)?: " replay "$tmp/twin"
sed '$s/^./f/' "$tmp/set/sm0_context_sequencer2.hex" >"$tmp/twin/sm0_context_sequencer2.hex"
cp "$tmp/set/$set" "$tmp/twin/$set"
want 1 'twin/sm0_context_sequencer2.hex: FAIL' replay "$tmp/twin"
want 2 'has no vectors' replay "$root/docs"

# Of what a stopped run has recorded no reader says PASS: the file says so, or the folder.
golden=$root/vectors/golden
mkdir "$tmp/cuts"
cut='// cut: the run was stopped before its end'
{ cat "$golden/hint_decoder.tiny.hex" && echo "$cut"; } >"$tmp/cuts/hint_decoder.hex"
want 1 '^CUT [0-9]+ cycles' replay hint_decoder "$tmp/cuts/hint_decoder.hex"
want 1 '"cut":.true' replay hint_decoder "$tmp/cuts/hint_decoder.hex" --json
want 1 '^CUT [0-9]+ cycles' replay "$tmp/cuts"
want 0 'hint_decoder.hex: cut: ' cosim hint_decoder --inputs "$tmp/cuts/hint_decoder.hex"
"$root/testbench/replay/replay.sh" "$tmp/cuts/hint_decoder.hex" >"$tmp/log" 2>&1
[ $? = 1 ] && grep -q 'tiny: CUT [0-9]* cycles' "$tmp/log" && ! grep -q PASS "$tmp/log"
said $? 'replay.sh of vectors that are cut' 'see log'
cp "$golden/hint_decoder.tiny.hex" "$tmp/cuts/hint_decoder.hex"
echo cut >"$tmp/cuts/unfinished"
want 1 '^CUT [0-9]+ cycles' replay "$tmp/cuts"
timeline() {
    "$root/tools/throttle_timeline.py" "$tmp/cuts" >"$tmp/log" 2>&1
    [ $? = "$3" ] && grep -qE "$2" "$tmp/log" && ! grep -q Traceback "$tmp/log"
    said $? "throttle_timeline.py: $1" 'see log'
}
throttled=$golden/concurrency_manager.tiny.hex
{ cat "$throttled" && echo "$cut"; } >"$tmp/cuts/concurrency_manager.hex"
timeline 'a run that was stopped' "${cut#// }" 0
sed 's|^// parameters .*|// parameters Interval|' "$throttled" >"$tmp/cuts/concurrency_manager.hex"
timeline 'no parameters' 'has no parameters' 2

want 2 'goes with one vector file' replay "$tmp/set" --file "$tmp/set/$set"

# A file with holes has any size; what is read whole is bounded.
truncate -s 20G "$tmp/big.sv"
for words in 'area --rtl' 'area hint_decoder --liberty' 'properties hint_decoder --rtl' 'prove hint_decoder --rtl' \
    'roundtrip --compressor'; do
    # shellcheck disable=SC2086 # words
    want 2 '/big.sv: 21474836480 bytes, where 64 MiB are the most' $words "$tmp/big.sv"
done

# What is no file of its kind is refused by its first bytes, or its first line, and not read whole: with little memory.
truncate -s 1900M "$tmp/huge"
for name in k.ptx k.cu k.yaml v.hex; do
    ln -s "$tmp/huge" "$tmp/huge.$name"
done
mkdir "$tmp/throttled" && ln -s "$tmp/huge" "$tmp/throttled/concurrency_manager.hex"
# huge PATTERN COMMAND...
huge() {
    local pattern=$1 got
    shift
    new_files
    (
        cd files || exit
        ulimit -v 400000
        "$@"
    ) >log 2>&1
    got=$?
    [ $got = 2 ] && grep -qE -- "$pattern" log
    said $? "$* of 1.9 GB" "exit status $got"
}
huge 'no checkpoint of warpref' "$warpref" checkpoint "$tmp/huge"
huge 'no checkpoint of warpref' "$warpref" run job.yaml --resume "$tmp/huge"
huge 'longer than 4 MiB' "$warpref" run "$tmp/huge.k.yaml"
huge 'longer than 4 MiB' "$warpref" run job.yaml --config "$tmp/huge.k.yaml"
huge 'File too large' "$warpref" compile "$tmp/huge.k.ptx"
huge 'File too large' "$warpref" compile "$tmp/huge.k.cu"
huge 'huge:1: error: a line of more than 1 MiB' "$warpref" occupancy --table "$tmp/huge"
huge 'huge:1: a line of more than 1 MiB' "$warpref" replay hint_decoder "$root/vectors/golden/hint_decoder.tiny.hex" --file "$tmp/huge"
huge 'huge:1: not a vector file' "$warpref" replay hint_decoder "$tmp/huge"
huge 'huge.v.hex:1: not a vector file' "$warpref" cosim hint_decoder --inputs "$tmp/huge.v.hex"
huge 'huge:1: a line of more than 1 MiB' "$warpref" cosim hint_decoder --filelist "$tmp/huge" --top hint_decoder
huge 'is no vector file' "$root/tools/throttle_timeline.py" "$tmp/throttled"
huge 'is no waveform, or one that is cut' "$root/tools/duet_timeline.py" "$tmp/huge"
{ head -3 "$root/vectors/golden/hint_decoder.tiny.hex" && head -c 1100000 /dev/zero | tr '\0' f; } >"$tmp/line.hex"
huge 'line.hex:4: a line of more than 1 MiB' "$warpref" replay hint_decoder "$tmp/line.hex"

# Arithmetic of studies ends.
study() {
    printf '%s\n' 'question = "What?"' 'source = "Gong"' '[[points]]' 'block = "rename_table"' 'entries = 2' \
        '[[quick]]' 'block = "rename_table"' 'entries = 2' '[measure]' 'b = "blocks {block}"' \
        '[column.entries]' "of = \"$1\"" 'title = "entries"' \
        '[column.l]' "of = \"b('latency_cycles')\"" 'title = "latency"' '[plot]' 'kind = "lines"' 'x = "entries"' 'y = ["l"]' \
        '[[finding]]' 'text = "latency"' "value = \"at('l', entries=2)\"" 'band = [0, 100]' >"$tmp/study.toml"
    want 2 "$2" study "$tmp/study.toml" --out "$tmp/study"
}
study '9**9**9' 'out of range'
study 'entries**99999999' 'out of range'
study '1e308 * 10' 'not finite'
study "$(printf '%20000s' | tr ' ' -)1" 'is no expression'

# Of two values for one option one would be lost: the commands in Python; those in C are held by tests/host.
want 2 '^warpref study: error: --jobs is given twice' study list --jobs 1 --jobs 2
want 2 '^warpref claims: error: --json is given twice' claims --json --json
want 2 '^warpref area: error: -o/--out is given twice' area hint_decoder --out a -o b
want 2 '^warpref prove: error: --jobs is given twice' prove hint_decoder --jobs=1 --jobs 1
want 0 'passed, 0 failed' roundtrip --config tiny --config odd
sum
