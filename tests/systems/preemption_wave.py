#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/preemption_wave.py draws what the run counted; its check of the page and that of preemption_cost.py can fail.

Usage: preemption_wave.py WARPREF ROOT, in a folder that may be written to.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

WARPREF, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
WAVE, COST = "preemption_wave", "preemption_cost"
ROW = re.compile(r" *(\d+) +(\d*) +(\S+) +(.*?)(?: +[#|]+)?$")
# Kernel, options of the system; the second preemption of a file is looked at where there is one.
RUNS = [
    ("reduction", "period=1000,sm=0,count=1", 1),
    ("scan", "period=4000,count=2", 2),
    ("reduction", "period=1500,sm=3,count=1,context=all", 1),
    ("reduction", "period=700,sm=1,count=1,context=live", 1),
    ("scan", "period=2000,sm=2,count=1,context=tb", 1),
]
failed = passed = 0


def check(what, good, text=""):
    global failed, passed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAIL  {what}: {text}")


def tool(*arguments, name=WAVE):
    return subprocess.run([sys.executable, ROOT / f"tools/{name}.py", *map(str, arguments)], capture_output=True,
                          text=True, check=False)


def counts(folder, kernel, options, nth):
    """The phases that are drawn, beside the figures of the report."""
    wave, stats = folder / "w.fst", folder / "s.json"
    what = f"{kernel} {options}"
    subprocess.run([WARPREF, "run", ROOT / f"kernels/{kernel}.yaml", "--system", f"preemption:{options}",
                    "--wave", wave, "--stats", stats], check=True, capture_output=True)
    figures = {k.split(".")[-1]: v["value"] for k, v in json.loads(stats.read_text())["measured"].items()
               if k.startswith(f"preemption.{nth - 1}.")}
    drawn = tool(wave, "--nth", nth)
    check(what, drawn.returncode == 0, drawn.stderr)
    if drawn.returncode:
        return ""
    rows = [(int(m[1]), int(m[2] or 0), m[3], m[4]) for line in drawn.stdout.split("```")[1].splitlines()
            if (m := ROW.match(line))]
    acks = [c + n - 1 for c, n, who, _ in rows if who == "acks"]
    drained = sum(n - 1 for _, n, who, _ in rows if who == "pick")
    stop = [c + n - 1 for c, n, _, text in rows if text.endswith(": stop")]
    whole = [c + n for c, n, who, _ in rows if who == "read"]
    check(f"{what}: latency", acks == [figures["latency"]], f"{acks}, counted {figures['latency']}")
    check(f"{what}: drained", drained == figures["drain"], f"{drained}, counted {figures['drain']}")
    at_once = "context=all" in options  # and what they have begun ends behind that
    check(f"{what}: stop", stop and stop[0] <= figures["stop"] and (at_once or stop[0] == figures["stop"]),
          f"{stop}, counted {figures['stop']}")
    check(f"{what}: restore", whole and whole[-1] == figures["latency"] + figures["restore"],
          f"{whole}, counted {figures['latency']} and {figures['restore']}")
    return drawn.stdout


def parts(folder):
    """Rows of a block that says what it asks for: requests of a kind in a row are one, waits included."""
    names = [("state", 2), ("sm", 1), ("warp", 1)]
    lines = ["$scope module preemption $end", "$attrbegin misc 07 state 3 idle parts acks 00 01 10 1 $end"]
    for code, (name, width) in enumerate(names):
        lines += ['$attrbegin misc 07 "" 1 $end'] if name == "state" else []
        lines.append(f"$var wire {width} {code} {name} $end")
    lines += ["$scope module some_asker $end", "$var wire 1 c clk $end", "$scope module out $end",
              "$var wire 1 v req_valid $end", "$attrbegin misc 07 kind 2 stack ccb 0 1 2 $end",
              '$attrbegin misc 07 "" 2 $end', "$var wire 1 k req_kind $end",
              "$upscope $end", "$upscope $end", "$upscope $end", "$enddefinitions $end", "#0", "b00 0", "01", "02"]
    cycles = [("01", 1, 0, 0), ("01", 1, 1, 0), ("01", 1, 0, 0), ("01", 1, 1, 0), ("01", 1, 1, 1), ("10", 0, 1, 1),
              ("00", 0, 0, 0)]
    for cycle, (state, clocked, valid, kind) in enumerate(cycles, 5):
        lines += [f"#{10 * cycle}", f"b{state} 0", f"{clocked}c", f"{valid}v", f"{kind}k", f"#{10 * cycle + 5}", "0c"]
    path = folder / "asker.vcd"
    path.write_text("\n".join(lines) + "\n")
    drawn = tool(path)
    rows = [tuple(m.groups()) for line in drawn.stdout.splitlines() if (m := ROW.match(line)) and m[3] == "asker"]
    check("a block that asks", rows == [("1", "3", "asker", "SIMT stacks"),
                                        ("4", "1", "asker", "control block entry")], f"{drawn.stdout}{drawn.stderr}")


def refuses(what, status, pattern, *arguments, name=WAVE):
    done = tool(*arguments, name=name)
    text = done.stdout + done.stderr
    check(what, done.returncode == status and re.search(pattern, text) and "Traceback" not in text,
          f"exit {done.returncode}, wanted {status}: {text}")


def page(folder, name, old, new):
    """The check of a page finds one change in it, --write takes it back; and what is missing is told."""
    copy = folder / "page.md"
    text = (ROOT / "docs/preemption.md").read_text()
    own = ["--warpref", WARPREF, "--page", copy]
    copy.write_text(text.replace(old, new, 1))
    check(f"{name}: the page is another", copy.read_text() != text)
    refuses(f"{name}: a stale page", 1, f"has not what the runs give; run tools/{name}.py", "--check", *own, name=name)
    refuses(f"{name}: ... is written", 0, "", "--write", *own, name=name)
    check(f"{name}: ... as it was", copy.read_text() == text)
    copy.write_text("none\n")
    refuses(f"{name}: no markers", 2, "markers .* are missing", "--check", *own, name=name)
    copy.unlink()
    refuses(f"{name}: no page", 2, "No such file", "--check", *own, name=name)
    refuses(f"{name}: no program", 2, "build it, or name it by --warpref", "--check", "--warpref", folder / "none",
            name=name)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        drawn = [counts(folder, *run) for run in RUNS]
        check("close-ups", drawn[0].count("```text") == 4 and "rf_req_o" in drawn[0], drawn[0])
        parts(folder)
        refuses("a preemption that is not there", 2, "shows 1 preemptions, not 2", folder / "w.fst", "--nth", 2)
        refuses("no file", 2, "there is no file", folder / "none.fst")
        (folder / "text.fst").write_text("nothing of this\n")
        refuses("no waveform", 2, r"is no waveform, or one that is cut", folder / "text.fst")
        asker = (folder / "asker.vcd").read_text()
        for old, new in (("#60", "#6x"), ("b01 0", "b01"), ("b10 0", "b1q 0"),
                         ("$upscope $end", "$upscope $end\n" * 5)):
            (folder / "bad.vcd").write_text(asker.replace(old, new, 1))
            refuses(f"a waveform with {new[:13].strip()}", 2, "no VCD has a line", folder / "bad.vcd")
        refuses("nothing to do", 2, "one of FILE, --check and --write")

        page(folder, WAVE, "registers of warp 5  ", "registers of warp 6  ")
        page(folder, COST, "| **sum** |", "| sum |")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
