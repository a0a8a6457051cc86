#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Studies by Slurm, a real one on the loopback: the same table as by Ninja; jobs killed in the middle are named and
# the same command runs these alone; who waits may go and come back.
#
#   tests/studies/cluster.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/../own_rtl/want.sh"
here=$root/tests/studies/slurm_here.sh
trap '"$here" stop "$tmp/slurm"; rm -rf "$tmp"' EXIT
lines=$("$here" start "$tmp/slurm" 2) || { echo "FAIL  no Slurm"; failed=1; verdict; }
eval "$lines"

# A program that stands in for warpref: what it is asked is noted; of one run it waits until it is told to go on.
cat >counting <<END
#!/bin/sh
echo "\$*" >>"$tmp/asked"
case "\$*" in *" \$(cat "$tmp/stuck" 2>/dev/null) "*) touch "$tmp/waits"; while [ -e "$tmp/stuck" ]; do sleep 0.2; done ;; esac
exec "$warpref" "\$@"
END
chmod +x counting
cat >some.toml <<END
question = "How many cycles are run?"
source = "none"
[[points]]
cycles = [$(seq -s , 1001 1012)]
[[quick]]
cycles = 1001
[measure]
cosim = "cosim rename_table --config tiny --cycles {cycles} --no-wild"
[column.cycles]
of = "cycles"
title = "asked for"
[column.run]
of = "cosim('cycles')"
title = "run"
[plot]
kind = "lines"
x = "cycles"
y = ["run"]
[[finding]]
text = "cycles in all"
value = "total('run')"
END
export WARPREF_PROGRAM=$tmp/counting
study=(python3 "$root/studies/study.py" some.toml)

want "by Ninja" 0 '' "${study[@]}" --out ninja
want "... 12 runs" 0 '^12 ' wc -l asked
rm asked
want "by Slurm" 0 '^cycles in all +12,078.00 ' "${study[@]}" --out slurm.d --slurm
for file in csv txt png svg; do want "the same $file" 0 '' cmp ninja/some.$file slurm.d/some.$file; done
want "... 12 runs" 0 '^12 ' wc -l asked
want "again: nothing to run" 0 '^cycles in all' "${study[@]}" --out slurm.d --slurm
want "... and none was" 0 '^12 ' wc -l asked
want "at most two at a time" 0 '' "${study[@]}" --out few --slurm --jobs 2

# until FILE: it is there.
until_there() { for _ in $(seq 600); do [ -e "$1" ] && return; sleep 0.1; done; return 1; }

# stuck OUT: a study by Slurm in the background, of which one run hangs.
stuck() {
    rm -f waits asked
    echo 1005 >stuck
    env --default-signal "${study[@]}" --out "$1" --slurm >waiting 2>&1 &
    process=$!
    until_there waits || echo "no run hangs"
}
stuck lost
pkill -9 -f "$warpref cosim rename_table --config tiny --cycles 1005 " # none yet: what hangs is the shell
pkill -9 -f "$tmp/counting cosim rename_table --config tiny --cycles 1005 "
rm stuck
wait $process
status=$?
want "a process that is killed: told" 0 '^1$' echo $status
want "... with its command" 0 'cosim rename_table --config tiny --cycles 1005' cat waiting
want "... and how it ended" 0 'was ended by signal 9' cat waiting
want "... the others went on" 0 '^1012,' cat lost/some.csv
rm asked
want "the same command runs it alone" 0 '' "${study[@]}" --out lost --slurm
want "... once" 0 '^1 ' wc -l asked
want "... the same table" 0 '' cmp ninja/some.csv lost/some.csv

stuck cancelled
array=$(sed -n 's/.*"array": "\([0-9]*\)".*/\1/p' cancelled/slurm.json)
scancel "${array}_4"
wait $process
want "a task that is cancelled: told" 0 'cycles 1005 --no-wild' cat waiting
rm -f stuck asked
want "... and run by the same command" 0 '' "${study[@]}" --out cancelled --slurm
want "... alone" 0 '^1 ' wc -l asked
want "... the same table" 0 '' cmp ninja/some.csv cancelled/some.csv

stuck gone
kill -INT $process
wait $process
want "who waits goes: the jobs stay" 0 'the jobs go on' cat waiting
want "... here they are" 0 'warpref-' squeue --format %j
(sleep 3; rm stuck) &
want "the same command waits for them" 0 'jobs [0-9]+ and [0-9]+ work in' "${study[@]}" --out gone --slurm
want "... and runs nothing twice" 0 '^12 ' wc -l asked
want "... the same table" 0 '' cmp ninja/some.csv gone/some.csv

stuck half
kill -INT $process
wait $process
scancel "$(sed -n 's/.*"gather": "\([0-9]*\)".*/\1/p' half/slurm.json)"
(sleep 3; rm stuck) &
want "the job that gathers is cancelled: another one" 0 'jobs [0-9]+ work in' "${study[@]}" --out half --slurm
want "... behind the same array" 0 '^12 ' wc -l asked
want "... the same table" 0 '' cmp ninja/some.csv half/some.csv

stuck node
"$here" kill "$tmp/slurm" slurmd
rm -f stuck
"$here" again "$tmp/slurm" slurmd || echo "slurmd does not come back"
wait $process
want "a node that crashes: in the end the same table" 0 '' "${study[@]}" --out node --slurm
want "... the same" 0 '' cmp ninja/some.csv node/some.csv

mkdir bare
want "no Slurm" 2 'sbatch is not installed; --slurm wants' env PATH="$tmp/bare" \
    "$(python3 -c 'import sys; print(sys.executable)')" "$root/studies/study.py" some.toml --out none --slurm
want "a Slurm that does not answer" 1 'sbatch: ' env SLURM_CONF=/dev/null "${study[@]}" --out none --slurm
verdict
