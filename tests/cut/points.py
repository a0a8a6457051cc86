#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run that a signal ends at each of its calls that have to do with files (at_call.c): SIGINT leaves all files as they were,
or all of them whole with a report, and what was cut says so; SIGKILL leaves each one as it was or whole.

Usage: tests/cut/points.py WARPREF SOURCE AT_CALL.so
With WARPREF_LONG at every call, else at some, and at those of its end.
"""
import contextlib
import fcntl
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

WARPREF, SOURCE, SHIM = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
LONG = "WARPREF_LONG" in os.environ
sys.path[:0] = [str(SOURCE / "area"), str(SOURCE / "tools")]
import vcd  # noqa: E402

CUT = vcd.CUT
OUTPUTS = {"--stats": "s.json", "--samples": "s.csv", "--timeline": "t.csv", "--profile": "p.txt", "--wave": "w.fst"}
RUN = ["run", "job.yaml", "--system", "preemption:period=600", "--record", "r", "--sample", "100",
       *(word for option in OUTPUTS.items() for word in option)]
STRIDE = 1 if LONG else 12
LAST = 40  # calls of the end, each of which is tried
checks = 0


def want(holds, text):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAIL {text}")


def call(words, **more):
    return subprocess.run([WARPREF, *words], capture_output=True, text=True, env={**os.environ, **more})


def run(number, by):
    """The run, with the signal in front of this call."""
    for path in pathlib.Path(".").iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name not in ("job.yaml", "vecadd.ptx"):
            path.unlink()
    for name in [*OUTPUTS.values(), "w.gtkw"]:
        pathlib.Path(name).write_text("before\n")
    return call(RUN, LD_PRELOAD=SHIM, WR_AT_CALL=str(number), WR_AT_SIGNAL=str(int(by)), WR_AT_COUNT="calls")


def is_before(name):
    return pathlib.Path(name).read_bytes() == b"before\n"


def waveform(name):
    done = subprocess.run(["fst2vcd", name], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def holds_whole(name, stopped, what):
    """The new file is whole, and says whether it was cut."""
    if name == "s.json":
        want(json.loads(pathlib.Path(name).read_text())["status"] == ("interrupted" if stopped else "done"), f"{what}: {name}")
        return
    text = waveform(name) if name == "w.fst" else pathlib.Path(name).read_text()
    want(len(text.splitlines()) > 1 or stopped, f"{what}: {name} is whole")
    want((CUT in text) == stopped, f"{what}: {name} says whether it was cut")


def record_says(stopped, what):
    """The folder of vectors: what a replay of it says."""
    replay = call(["replay", "r"])
    if stopped:
        want(replay.returncode != 0 and not re.search("^PASS", replay.stdout, re.M) or pathlib.Path("r/unfinished").exists(),
             f"{what}: the replay says {replay.stdout[-80:]}")
        want(not replay.stdout.rstrip().split("\n")[-1].startswith("PASS"), f"{what}: the replay's end {replay.stdout[-80:]}")
    else:
        want(replay.returncode == 0 and not pathlib.Path("r/unfinished").exists(), f"{what}: the replay: {replay.stderr}")


def interrupted(number):
    done = run(number, signal.SIGINT)
    what = f"SIGINT at call {number}"
    want(done.returncode == -signal.SIGINT, f"{what}: status {done.returncode}: {done.stderr}")
    left = [p.name for p in pathlib.Path(".").iterdir() if p.suffix in (".new", ".hier")]
    want(not left, f"{what}: left {left}")
    reported = re.search("^(PASS|  FAIL|FAIL)", done.stdout, re.M)
    for name in [*OUTPUTS.values(), "w.gtkw"]:
        want(is_before(name) == (not reported), f"{what}: {name} is {'old' if is_before(name) else 'new'}: {done.stdout[-200:]}")
    stopped = re.search("stopped (after|at cycle) [0-9]+", done.stderr) is not None
    for name in OUTPUTS.values() if reported else ():
        holds_whole(name, stopped, what)
    record_says(stopped or not reported, what)
    return "stopped" if stopped else "reported" if reported else "nothing"


def killed(number):
    done = run(number, signal.SIGKILL)
    what = f"SIGKILL at call {number}"
    want(done.returncode == -signal.SIGKILL, f"{what}: status {done.returncode}")
    for name in OUTPUTS.values():
        if not is_before(name):
            holds_whole(name, False, what)
    if re.search("^PASS", call(["replay", "r"]).stdout.rstrip().split("\n")[-1]):
        want(not pathlib.Path("r/unfinished").exists() and not is_before("t.csv"), f"{what}: the replay of a part says PASS")


def two_records():
    """A folder into which another run records: refused, and as it was."""
    shutil.rmtree("r", ignore_errors=True)
    os.mkdir("r")
    other = os.open("r", os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    done = call(RUN)
    want(done.returncode == 2 and "r: another run records there now" in done.stderr, f"two records: {done.stderr}")
    want(not list(pathlib.Path("r").iterdir()), "the folder is as it was")
    os.close(other)
    want(call(RUN).returncode == 0, "the next one records")
    done = call(RUN)
    want(done.returncode == 2 and "has vectors of another run" in done.stderr, f"and none behind it: {done.stderr}")
    want(call(["replay", "r"]).returncode == 0, "the folder is as it was")


def reader_says(name, stopped):
    """What the tools that draw waveforms say of it (area/vcd.py)."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        lines, process = vcd.lines_of(pathlib.Path(name), "points")
        vcd.declared(lines)
        for _ in vcd.changes(lines):
            pass
        lines.close()
        want(process is None or process.wait() == 0, f"{name} is read")
    want((CUT in said.getvalue()) == stopped, f"a reader of {name} says: {said.getvalue()!r}")


def readers(number):
    """Of waveforms of either kind, of a run that was stopped at this call and of one that was not."""
    words = RUN[:RUN.index("--wave")]
    for name in ("v.fst", "v.vcd"):
        for at in (number, 0):
            shutil.rmtree("r", ignore_errors=True)
            done = call([*words, "--wave", name], LD_PRELOAD=SHIM, WR_AT_CALL=str(at), WR_AT_SIGNAL="2")
            want(done.returncode == (-signal.SIGINT if at else 0), f"{name}: status {done.returncode}")
            reader_says(name, at != 0)


def prepare():
    text = (SOURCE / "kernels/vecadd.yaml").read_text()
    text = re.sub(r"(?m)^module:.*", "module: vecadd.ptx", text)
    pathlib.Path("job.yaml").write_text(text.replace("1000000", "20000").replace("3907", "79"))
    done = call(["compile", str(SOURCE / "kernels/vecadd.cu"), "--emit-ptx", "vecadd.ptx"])
    want(done.returncode == 0, f"PTX: {done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        done = run(0, signal.SIGINT)
        want(done.returncode == 0, f"the run by itself: {done.stderr}")
        total = len(pathlib.Path("calls").read_text().splitlines())
        seen = {}
        for number in range(1, total + 1):
            if number % STRIDE == 0 or number > total - LAST:
                seen.setdefault(interrupted(number), []).append(number)
                if number % STRIDE == 0:
                    killed(number)
        print(f"  {total} calls: {({how: len(numbers) for how, numbers in seen.items()})}")
        want(set(seen) == {"nothing", "stopped", "reported"}, f"each of the ends was seen: {seen}")
        two_records()
        readers(seen["stopped"][0])
        os.chdir("/")
    print(f"PASS {checks} checks")


main()
