#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants the faults of tests/fail/properties.toml, one at a time, in RTL or in a property file, and wants
`warpref properties` to end with 1 and to name the right property with the right verdict. Then runs it where it
can prove nothing, and wants it to say so: cases(), without BLOCK.

Usage: properties.py [BLOCK...]
JOBS (2) at a time; FAULTS=N plants every N-th alone. The last line is "N passed, N failed".
"""
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = [sys.executable, ROOT / "formal/properties.py"]


def problem(fault, work):
    """What is wrong with how the fault was found, or None."""
    path, want = ROOT / fault["file"], fault.get("verdict", "refuted")
    text = path.read_text()
    if text.count(fault["from"]) != 1:
        return f"{fault['file']} has `{fault['from']}` {text.count(fault['from'])} times"
    changed, rows = work / path.name, work / "rows.json"
    changed.write_text(text.replace(fault["from"], fault["to"]))
    option = "--properties" if fault["file"].startswith("formal/") else "--rtl"
    if option == "--rtl" and path.stem != fault["block"]:  # a part: both in one file, not all of it UTF-8
        block, changed = path.with_name(fault["block"] + ".sv"), work / "both.sv"
        changed.write_text(f'// f\xfcr\n`include "{block}"\n`include "{path.name}"\n', encoding="latin-1")
    keep = ["--keep", work / "traces"] if "keep" in fault else []
    run = subprocess.run([*PROGRAM, fault["block"], option, changed, "--json", rows, *keep], text=True,
                         capture_output=True, check=False)
    if run.returncode != 1:
        return f"exit {run.returncode}, wanted 1: {run.stderr.strip()}"
    found = json.loads(rows.read_text() or "[]")
    got = {row["name"]: row["verdict"] for row in found}
    if got.get(fault["property"]) != want:
        return f"{fault['property']} is {got.get(fault['property'])}, wanted {want}"
    for row in found if keep else []:
        named = re.findall(r"trace (\S+)", row["note"])
        trace = work / "traces" / f"{fault['block']}.tiny.{row['name']}.vcd"
        if named != [str(trace)] * (row["verdict"] == "refuted") or named and not trace.is_file():
            return f"{row['name']} is {row['verdict']}, its traces are {named}"
    return None


def out_of_time(work):
    """A solver whose time is up in a bounded proof, not in that of the covers: nothing is proved."""
    rows = work / "rows.json"
    path = fake(work, "yosys-smtbmc", 'case " $* " in *" -c "*) echo Unreached; exit 1 ;; esac; kill -XCPU $$')
    subprocess.run([*PROGRAM, "context_restorer", "--solver", "z3", "--json", rows], capture_output=True, env=path,
                   check=False)
    verdicts = {row["verdict"] for row in json.loads(rows.read_text()) if row["kind"] == "bounded"}
    return None if verdicts == {"open"} else f"rows are {verdicts}, wanted open ones"


def fake(work, name, script):
    """The environment in which this stands in the place of a tool."""
    tools = work / "bin"
    tools.mkdir()
    (tools / name).write_text(f"#!/bin/sh\n{script}\n")
    (tools / name).chmod(0o755)
    return dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")


def interrupt(number, work):
    """A solver that would run for long, with a child that says so at the other end of a pipe if it is left behind."""
    pipe = work / "pipe"
    os.mkfifo(pipe)
    path = fake(work, "yosys", f"exec >{pipe}; echo begun; (sleep 20; echo left behind) & wait")
    run = subprocess.Popen([*PROGRAM, "switch_queues"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           env=path)
    with open(pipe) as end:
        end.readline()
        run.send_signal(number)
        out, err = run.communicate()
        rest = end.read()  # a solver at its side may have begun behind the first line
        if rest.replace("begun\n", ""):
            return f"the solver's child is left behind: {rest!r}"
    if (out, err, run.returncode) != ("", "warpref properties: interrupted\n", 128 + number):
        return f"exit {run.returncode}: {out}{err}"
    return None


def refused(work, pattern, *options):
    """Nothing is proved: exit 2 with this message, and not a row."""
    run = subprocess.run([*PROGRAM, "switch_queues", *options], text=True, capture_output=True, check=False, cwd=work)
    told = re.fullmatch(f"warpref properties: {pattern}\n", run.stderr)
    if run.returncode == 2 and told and "proved" not in run.stdout:
        return None
    return f"exit {run.returncode}, wanted 2 and '{pattern}': {run.stdout}{run.stderr}"


def other_rtl(text, pattern):
    def test(work):
        (work / "mine.sv").write_text(text, encoding="latin-1")
        return refused(work, pattern, "--rtl", "mine.sv")
    return test


def page(work):
    """A row of the page that is not what its file says."""
    for name in ("formal", "refmodel", "dpi", "tools"):
        (work / name).symlink_to(ROOT / name)
    text = (ROOT / "docs/properties.md").read_text()
    (work / "docs").mkdir()
    (work / "docs/properties.md").write_text(text.replace("| cover 12 |", "| cover 13 |", 1))
    run = subprocess.run([*PROGRAM, "--check"], text=True, capture_output=True, check=False,
                         env=dict(os.environ, WARPREF_ROOT=str(work)))
    if run.returncode == 1 and run.stdout.endswith("--page` writes it\n0 passed, 1 failed\n"):
        return None
    return f"exit {run.returncode}, wanted 1: {run.stdout}{run.stderr}"


def cases():
    """Name and test of each, which takes a folder."""
    ours = (ROOT / "rtl/duet/switch_queues.sv").read_text()
    yield "an empty file behind the pins", other_rtl("// f\xfcr\n", "mine.sv: no module 'switch_queues': it has none")
    yield "a module of another name", other_rtl(
        ours.replace("module switch_queues", "module mine"),
        "mine.sv: no module 'switch_queues': it has mine; --top NAME says which is the block")
    yield "a module in a comment", other_rtl(
        f"/*\n{ours}*/ module mine; endmodule\n", "mine.sv: no module 'switch_queues': it has mine; .*")
    yield "results on a full device", lambda work: refused(
        work, "--json /dev/full: No space left on device; .*", "--json", "/dev/full")
    yield "results in no folder", lambda work: refused(
        work, "--json none/x: No such file or directory; .*", "--json", "none/x")
    yield "traces in a file", lambda work: refused(
        work, ".*File exists: .*", "--keep", ROOT / "README.md")
    yield "a row of the page changed", page
    yield "a bounded proof out of time", out_of_time
    for number in (signal.SIGINT, signal.SIGTERM):
        yield f"ended by {number.name}", lambda work, number=number: interrupt(number, work)


def in_a_folder(test):
    with tempfile.TemporaryDirectory() as work:
        return test(pathlib.Path(work))


def main():
    faults = tomllib.loads((ROOT / "tests/fail/properties.toml").read_text())["fault"]
    faults = [f for f in faults if not sys.argv[1:] or f["block"] in sys.argv[1:]]
    faults = faults[::int(os.environ.get("FAULTS") or 1)]
    tests = [(f"{f['block']}: {f['name']}", lambda work, f=f: problem(f, work)) for f in faults]
    tests += [] if sys.argv[1:] else cases()
    jobs, os.environ["JOBS"] = int(os.environ.get("JOBS") or 2), "1"  # each works by itself
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (name, _), wrong in zip(tests, pool.map(in_a_folder, (test for _, test in tests))):
            failed += wrong is not None
            print(f"{'FAIL' if wrong else 'ok  '}  {name}{': ' + wrong if wrong else ''}", flush=True)
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 0 if tests and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
