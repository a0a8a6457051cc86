#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# warpref study: a study of the tree in its quick form, and planted faults: files, runs, tools, findings,
# records. A program that stands in for warpref counts how often it is asked.
#
#   tests/studies/run.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/../own_rtl/want.sh"
study=("$warpref" study --out out.d)

want "the list" 0 '^area/share +What share .* [1-9][0-9]* with --quick' "$warpref" study list
want "quick" 0 '^rename_table, entries +4 +[1-9][0-9,]+ ' "${study[@]}" sweeps --quick --jobs 1
for file in csv txt json png svg; do
    want "its $file" 0 '' test -s out.d/quick/area/sweeps.$file
done
cp -r out.d/quick/area before
want "again, by its whole name, nothing to run" 0 '^area/sweeps: ' "${study[@]}" area/sweeps --quick --jobs 2
cp err said
want "... without a run" 1 '' grep -q runs said
want "the same bytes" 0 '' diff -r before out.d/quick/area
want "no such study" 2 "there is no study 'none'" "${study[@]}" none
want "the claims are no study" 2 "there is no study 'claims'" "${study[@]}" claims
want "nothing named" 2 'name studies' "${study[@]}"
want "quick figures are not recorded" 2 'full form, not with --quick' "${study[@]}" sweeps --quick --save

cat >sound.toml <<'END'
question = "Are storage figures read?"
source = "none"
[[points]]
block = ["rename_table", "simt_stack"]
[[quick]]
block = "rename_table"
[measure]
blocks = "blocks {block}"
[column.block]
of = "block"
title = "block"
[column.bits]
of = "blocks('storage.same_state_bits')"
title = "storage"
unit = "bits"
[column.twice]
of = "2 * bits + 0 * at('bits', block='rename_table')"
title = "twice"
[plot]
kind = "bars"
x = "block"
y = ["bits"]
[[finding]]
text = "bits in all"
value = "total('bits')"
band = [1280, 1280]
END
want "a study of one's own" 0 '^simt_stack +1,024 +2,048$' "${study[@]}" sound.toml
want "how to make it again" 0 '"again": "warpref study .*/sound.toml --out out.d"' cat out.d/sound.json
want "its finding" 0 '^bits in all +1,280.00 .* met$' cat out.d/sound.txt

# damage NAME COMMAND: what the power, or a person, leaves of a run's folder, in which the command is given. It is run again.
cp out.d/sound.csv sound.csv
damage() {
    (cd out.d/runs/blocks.simt_stack.*/ && eval "$2")
    want "$1" 0 'blocks.simt_stack.* it is run again' "${study[@]}" sound.toml
    want "... the same table" 0 '' cmp sound.csv out.d/sound.csv
}
damage "figures of no byte" ': >figures.json'
damage "figures that are cut" 'head -c 20 figures.json >f; mv f figures.json'
damage "figures that are changed" 'sed -i s/1024/1025/ figures.json'
damage "figures that are gone" 'rm figures.json'
damage "a result that is cut" 'head -c 20 result.json >r; mv r result.json'
damage "a result of another kind" 'echo "[]" >result.json'
want "nothing is run again without damage" 0 '^simt_stack ' "${study[@]}" sound.toml
cp err said
want "... without a word" 1 '' grep -q again said

# fault NAME STATUS PATTERN SCRIPT: the sound study, changed by sed. Every second one is planted, and that whose table is
# looked at; with WARPREF_LONG all.
at=0
fault() {
    at=$((at + 1))
    [ "${WARPREF_LONG:-}" ] || [ $((at % 2)) = 0 ] || [ "$1" = "a wrong block" ] || return
    sed "$4" sound.toml >fault.toml
    cmp -s sound.toml fault.toml && { echo "FAIL  $1: the script changes nothing"; failed=$((failed + 1)); }
    want "$1" "$2" "$3" "${study[@]}" fault.toml
    grep -q Traceback out err && { echo "FAIL  $1: a traceback"; failed=$((failed + 1)); }
}
fault "a file that is no TOML" 2 'fault.toml: .*line 1' '1s/=//'
fault "a wrong key" 2 "fault.toml: there is no key 'questoin' here" 's/^question/questoin/'
fault "a key of the wrong kind" 2 'x is of the wrong kind' 's/^x = .*/x = 1/'
fault "a key that lacks" 2 "lacks 'source'" '/^source/d'
fault "no points" 2 'quick is of the wrong kind|lacks .quick' '/^\[\[quick/,/^block/d'
fault "rows of a file that is not there" 2 'rows: none.csv: No such file' 's/^block = "rename_table"/rows = "none.csv"/'
printf 'block,bits\nrename_table\n' >short.csv
fault "rows that lack a value" 2 'short.csv: wants a line of names' 's/^block = "rename_table"/rows = "short.csv"/'
fault "a range" 0 '^simt_stack +1,024 +1,031$' 's/^block = \["rename_table.*/&\nn = { from = 1, to = 7, step = 3 }/; s/"2 \* bits + .*"/"bits + n"/; /^band/d'
fault "a range without its end" 2 'n: a range wants from, to and step' 's/^block = \["rename_table.*/&\nn = { from = 1, step = 3 }/'
fault "a range of no step" 2 'a step of 1 or more' 's/^block = \["rename_table.*/&\nn = { from = 1, to = 3, step = 0 }/'
printf 'block\nrename_table\nsimt_stack\n' >rows.csv
fault "rows of a file" 0 '^simt_stack +1,024' 's/^block = \["rename_table.*/rows = "rows.csv"/'
fault "a wrong block" 2 "blocks rename_tabel" 's/= \["rename_table"/= ["rename_tabel"/; s/0 \* at(.*)/0/; /^\[\[find/,$d'
want "the row beside it" 0 '^simt_stack,1024,' cat out.d/fault.csv
fault "a command that is none of warpref's" 2 'is a command of warpref or a scene: area' 's/"blocks {/"rm {/'
fault "a value that the point lacks" 2 "point block=rename_table has no value 'blok'" 's/{block}/{blok}/'
fault "a figure that is not there" 2 "the figures of blocks have no 'storage.none'" 's/storage.same_state_bits/storage.none/'
fault "a column that is not there" 2 "there is no value or column 'bist'" 's/"2 \* bits/"2 * bist/'
fault "an expression that is code" 2 'this is not taken' "s/^of = \"block\"/of = \"block.__class__\"/"
fault "a call that is none" 2 "no function or measure 'open'" "s/^of = \"block\"/of = \"open('f')\"/"
fault "a division by 0" 2 'division by zero' 's/"2 \* bits/"bits \/ 0/'
fault "a plot of no column" 2 "there is no column 'bit'" 's/^y = .*/y = ["bit"]/'
fault "a plot of findings" 0 'Plot: ' 's/^kind = .*/kind = "findings"/; s/^y = .*/y = ["bits"]/; $aat = 1\nseries = "all"'
fault "a plot of findings that have no place" 2 'of findings with at and series' 's/^kind = .*/kind = "findings"/'
fault "a place without a line" 2 'at and series, .* go together' '$aat = 1'
fault "a comparison" 0 '^simt_stack +1,024 +1$' 's/"2 \* bits + .*"/"bits > 256"/'
fault "a chain of them" 2 'this is not taken' 's/"2 \* bits + .*"/"1 < bits < 256"/'
fault "a mean" 0 '^bits in all +640.00 .* met$' "s/total('bits')/mean('bits')/; s/^band = .*/band = [640, 640]/"
fault "the row of the largest" 0 '^bits in all +256.00 ' "s/total('bits')/argmin('bits', 'twice')/; /^band/d"
fault "a metric" 0 '^simt_stack +1,024 +2$' 's/"2 \* bits + .*"/"harmonic(2, 2)"/'
for metric in 'stp(0.5, 0.25)=0.75' 'antt(0.5, 0.25)=3.00' 'harmonic(0.5, 0.25)=0.33' 'fairness(0.5, 0.25)=0.50' \
    'gmean(0.5, 0.02)=0.10' 'overhead(125, 100)=0.25' 'stp(1, 1, 1)=3.00' 'antt(1, 1, 1)=1.00'; do
    fault "${metric%=*}" 0 "^simt_stack +1,024 +${metric#*=}\$" "s/\"2 \\* bits + .*\"/\"${metric%=*}\"\ndigits = 2/"
done
fault "a metric of nothing" 2 'wants numbers above 0' 's/"2 \* bits + .*"/"antt(bits, 0)"/'
fault "a claim that is none" 2 "no claim 'no.claim'; .warpref claims. lists them" 's/^text = "bits in all"/claim = "no.claim"/'
fault "a finding of no row" 2 'a finding has no value' "s/^value = .*/value = \"at('bits', block='none')\"/"
fault "a finding of several rows" 2 '2 rows have these values' "s/^value = .*/value = \"at('bits')\"/"
fault "a band that is not met" 1 'bits in all: 1,280.00 is outside 1 to 2; if it stays so' 's/^band = .*/band = [1, 2]/'
fault "a band that is met against its word" 1 'is met, and `not_met` says why it is not' '$anot_met = "so"'
fault "a band that is not met, as the file says" 0 'not met: so$' 's/^band = .*/band = [1, 2]\nnot_met = "so"/'

cat >samples.toml <<'END'
question = "Do samples add up?"
source = "none"
table = false
[[points]]
cycle = { from = 200, to = 600, step = 200 }
[[quick]]
cycle = 200
[measure]
run = "run kernels/vecadd.yaml --config gtx480 --for 600 --sample 200"
[column.cycle]
of = "cycle"
title = "cycle"
[column.issued]
of = "run('samples.cycle={cycle}.sm.issued')"
title = "issued"
[column.all]
of = "run('counters.sm.issued')"
title = "in all"
[[finding]]
text = "of samples over those in all"
value = "total('issued') / mean('all')"
band = [1, 1]
END
want "samples" 0 'of samples over those in all +1.00 .* met$' "${study[@]}" samples.toml
want "... of each" 0 '^600,[1-9][0-9]*,[1-9][0-9]*$' cat out.d/samples.csv

# What is kept is not asked again; a run that fails, one without figures. A tool that is missing.
cat >counting <<END
#!/bin/sh
echo "\$*" >>"$tmp/asked"
case "\$*" in *"\$FAIL"*) [ -z "\$FAIL" ] || { echo "Error: no luck" >&2; exit 1; } ;; esac
[ -z "\$MUTE" ] || exit 0
exec "$warpref" "\$@"
END
chmod +x counting
direct=(env WARPREF_PROGRAM="$tmp/counting" python3 "$root/studies/study.py" --out kept sound.toml)
want "a run that fails" 1 'warpref study: sound: warpref blocks simt_stack$' env FAIL=simt_stack "${direct[@]}"
want "its words" 1 'ended with 1: Error: no luck$' env FAIL=simt_stack "${direct[@]}"
want "the row beside it" 0 '^rename_table,256,512$' cat kept/sound.csv
want "it goes on" 0 '^simt_stack +1,024' "${direct[@]}"
want "asked for what was missing alone" 0 '^4 asked$' wc -l asked
want "a run without figures" 1 'left no figures' env MUTE=1 WARPREF_PROGRAM="$tmp/counting" \
    python3 "$root/studies/study.py" --out mute sound.toml
mkdir few
ln -s "$(python3 -c 'import sys; print(sys.executable)')" few/python3
slow slow.sh
cp sound.toml slow.toml
interrupted() { ended "$1" env WARPREF_PROGRAM="$tmp/slow.sh" python3 "$root/studies/study.py" --jobs 1 --out slow.d slow.toml; }
want "an interrupt" 130 'interrupted; what is finished is kept' interrupted INT
want "a request to end" 143 'interrupted; what is finished is kept' interrupted TERM
want "killed: what it started does not outlive it" 137 '' interrupted KILL
want "another run in the folder" 2 'kept: another run works there' flock kept/lock "${direct[@]}"
want "Ninja is missing" 2 "setpriv is not there" env PATH="$tmp/few" python3 "$root/studies/study.py" --out few.d sound.toml
want "the program is missing" 2 'builds it' env WARPREF_PROGRAM="$tmp/none" python3 "$root/studies/study.py" sound.toml

# As a program of C: nobody is left who reads what it prints.
unread() {
    python3 -c 'import os, subprocess, sys
r, w = os.pipe()
os.close(r)
end = subprocess.run(sys.argv[1:], stdout=w, restore_signals=True).returncode
sys.exit(end if end >= 0 else 128 - end)' "$@"
}
want "nobody reads it" 141 '' unread "$warpref" study list
cp err said
want "... without a word" 1 '' test -s said
want "nobody reads a listing of C" 141 '' unread "$warpref" blocks

# The pages and the records: a figure changed in each.
mkdir copy
cp -r "$root/studies" "$root/docs" copy/
check=(env WARPREF_ROOT="$tmp/copy" python3 "$root/studies/study.py" --check)
want "the pages" 0 '^[1-9][0-9]* passed, 0 failed$' "${check[@]}"
sed -i 's/^Measured at .*/&./' copy/docs/studies/area.md
want "a page, changed" 1 'docs/studies/area.md: is not what was recorded' "${check[@]}"
cp "$root/docs/studies/area.md" copy/docs/studies/
sed -i 's/^\(GPUDuet,.*switch_queues,1,304,\)304/\1305/' copy/studies/area/results/share.csv
want "a record, changed" 1 'GPUDuet: bytes a SM: .* is outside' "${check[@]}"
verdict
