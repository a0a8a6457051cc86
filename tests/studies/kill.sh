#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A study of many runs: progress, the time that is left, memory; killed in the middle it goes on where it was and
# gives the same bytes; only what changed runs again.
#
#   tests/studies/kill.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/../own_rtl/want.sh"

# many FILE RUNS: a study of so many runs, of a fraction of a second each.
many() {
    cat >"$1" <<END
question = "How many cycles are run?"
source = "none"
[[points]]
cycles = [$(seq -s , 1001 $((1000 + $2)))]
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
END
}

# Stands in for warpref and notes each call.
cat >counting <<END
#!/bin/sh
echo "\$*" >>"$tmp/asked"
exec "$warpref" "\$@"
END
chmod +x counting
direct=(env WARPREF_PROGRAM="$tmp/counting" python3 "$root/studies/study.py" --jobs 2)
asked() { wc -l <asked; }

runs=$([ "${WARPREF_LONG:-}" ] && echo 200 || echo 36) # tests/long.h
many many.toml "$runs"
want "$runs runs, with the time left" 0 '' "${direct[@]}" --out whole many.toml
cp err said
want "... and their count" 0 "^warpref study: $runs/$runs runs, [0-9]+:[0-9][0-9]\$" cat said
want "... each once" 0 "^$runs\$" asked

# What the lines say: what is open takes as long as it took, or the mean.
cat >lines.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import progress
shown = progress.Progress({"a": 4.0, "b": None, "c": 8.0, "d": None}, 3)
shown.begun -= 10
texts = []
for run, seconds in (("a", 4.0), ("b", 16.0), ("c", 8.0), ("d", 12.0)):
    shown.end(run, seconds, failed=run == "b")
    texts.append(shown.line("x"))
print("\n".join(texts))
END
want "progress: half of it" 0 '^2/4 runs, 3 kept, 1 failed, 0:10, about 0:08 left: x$' python3 lines.py "$root/studies"
want "progress: all of it" 0 '^4/4 runs, 3 kept, 1 failed, 0:10: x$' python3 lines.py "$root/studies"

# Memory of all processes of a study together.
cat >memory.py <<'END'
import os, subprocess, sys, time
child = subprocess.Popen(sys.argv[1:], start_new_session=True, stdout=subprocess.DEVNULL)
def tree():
    parent = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            parent[int(pid)] = (int(fields[1]), int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))
        except OSError:
            pass
    mine = {child.pid}
    while more := {p for p, (of, _) in parent.items() if of in mine} - mine:
        mine |= more
    return sum(parent[p][1] for p in mine if p in parent)
most, looks = 0, 0
while child.poll() is None:
    most, looks = max(most, tree()), looks + 1
    time.sleep(0.02)
print(f"most {most >> 20} MiB in {looks} looks")
sys.exit(child.returncode or not (looks > 10 and 10 << 20 < most < 1 << 30))
END
rm -rf again
want "less than 1 GiB" 0 '^most ' python3 memory.py "${direct[@]}" --out memory many.toml
cat out

# Killed in the middle, by itself and with all that it started.
for how in one group; do
    rm -f asked
    setsid "${direct[@]}" --out "killed.$how" many.toml >/dev/null 2>&1 &
    process=$!
    until [ "$(find "killed.$how" -name result.json 2>/dev/null | wc -l)" -ge 20 ] || ! kill -0 $process; do
        sleep 0.05
    done
    if [ $how = one ]; then kill -9 $process; else kill -9 -- -$process; pkill -9 -f "$tmp/killed.$how"; fi
    wait $process 2>/dev/null
    want "killed ($how): not done" 1 '' test -e "killed.$how/many.csv"
    want "killed ($how): goes on" 0 '' "${direct[@]}" --out "killed.$how" many.toml
    cp err said
    want "killed ($how): kept what was there" 0 ' 1?[0-9]?[0-9]/1?[0-9]?[0-9] runs, [1-9][0-9]+ kept, ' cat said
    want "killed ($how): asked again for at most what was cut off" 0 "^($runs|$((runs + 1))|$((runs + 2))|$((runs + 3))|$((runs + 4)))\$" asked
    want "killed ($how): the same table" 0 '' cmp whole/many.csv "killed.$how/many.csv"
    want "killed ($how): the same plot" 0 '' cmp whole/many.png "killed.$how/many.png"
    want "killed ($how): the same picture" 0 '' cmp whole/many.svg "killed.$how/many.svg"
done

# A run's key: program, configuration, kernel, options; what they name as well.
mkdir -p tree/kernels tree/shell/config
cp -r "$root"/kernels/{vecadd.*,vecadd_large.yaml,transpose.*,cuda.h,cuda} tree/kernels/
cp "$root"/shell/config/*.yaml tree/shell/config/
ln -s "$root/studies" "$root/tools" "$root/docs" tree/
cat >two.toml <<'END'
question = "How many cycles?"
source = "none"
[[points]]
kernel = ["vecadd", "transpose"]
config = ["gtx480", "maxwell"]
[[quick]]
kernel = "vecadd"
config = "gtx480"
[measure]
run = "run kernels/{kernel}.yaml --config {config}"
[column.kernel]
of = "kernel"
title = "kernel"
[column.config]
of = "config"
title = "configuration"
[column.cycles]
of = "run('cycles')"
title = "cycles"
[plot]
kind = "bars"
x = "kernel"
y = ["cycles"]
END
keyed=(env WARPREF_ROOT="$tmp/tree" WARPREF_PROGRAM="$tmp/counting" python3 "$root/studies/study.py" --out keyed two.toml)
# again NAME COUNT: as many runs are made as that.
again() {
    rm -f asked && touch asked
    want "$1" 0 '' "${keyed[@]}"
    want "$1: $2 runs" 0 "^$2\$" asked
}
again "all" 4
again "nothing changed" 0
echo '// more' >>tree/kernels/transpose.cu
again "a kernel" 2
echo '// more' >>tree/kernels/cuda/warp.h
again "what both include" 4
echo '# more' >>tree/kernels/vecadd.yaml
again "a launch file" 2
echo '# more' >>tree/shell/config/maxwell.yaml
again "a configuration" 2
echo '#' >>counting
again "the program" 4
verdict
