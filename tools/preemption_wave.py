#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a preemption out of a waveform that `warpref run --system preemption:... --wave F.fst` wrote.

  tools/preemption_wave.py F.fst            the first preemption in the file
  tools/preemption_wave.py F.fst --nth 2    the second one
  tools/preemption_wave.py --write          runs the kernel of docs/preemption.md, and draws it into the page
  tools/preemption_wave.py --check          exit status 1 where the page has another picture

First come all phases, with their first cycle and length; then, cycle by cycle, the save of the first warp's
registers, the fixed parts of the first TB that leaves, and registers that come back, of the warp that waits least.
Phases are the engine's states by the names in the file, and of each block those pins are drawn that change: so the
picture follows the engine and its blocks, whatever these are.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "area"), str(ROOT / "dpi")]

import emit_doc
import emit_wave
import replace
import vcd
from toolbox import Failure

STEP = "preemption_wave"
PAGE = ROOT / "docs/preemption.md"
MARKERS = "<!-- preemption wave -->", "<!-- /preemption wave -->"
# Two TBs of four warps: small enough to be seen whole.
RUN = ["kernels/reduction.yaml", "--set", "sm.max_tbs=2", "--system", "preemption:period=1000,sm=0,count=1"]
CYCLE = 10  # units of time
SYSTEM, ENGINE = "preemption", ("state", "sm", "warp")
WIDEST, BARS = 32, 48  # cycles of a close-up; columns of the bars
WHAT = {
    "pick": "a ready warp is looked for", "warp": "registers of warp", "whole": "registers of the TB",
    "shared": "shared memory", "stack": "predicates and SIMT stacks", "ccb": "control block entry",
    "patterns": "pattern vectors", "parts": "fixed parts of the TB", "preds": "predicates", "slot": "registers",
    "acks": "last writes are acknowledged", "place": "TBs are placed",
    "read": "contexts are read back",
}
ASKED = WHAT | {"stack": "SIMT stacks"}  # by a block that asks for predicates apart


class Trace:
    """Values of the system's variables and of the SMs' warps, cycle by cycle."""

    def __init__(self, path):
        lines, process = vcd.lines_of(path, STEP)
        self.variables = {v.scope + (v.name,): v for v in vcd.declared(lines)
                          if v.scope[:1] == (SYSTEM,) or v.scope[:1] == ("gpu",) and len(v.scope) == 2}
        missing = [name for name in ENGINE if (SYSTEM, name) not in self.variables]
        if missing:
            raise Failure(STEP, f"{path}: has no {SYSTEM}.{missing[0]}; write it with warpref run FILE.yaml "
                                "--system preemption:period=10000 --wave F.fst", 2)
        self.runs = {v.code: [] for v in self.variables.values()}  # code -> [(cycle, value)]
        now = 0
        for now, code, text in vcd.changes(lines):
            if code in self.runs:
                value = int(text, 2) if set(text) <= {"0", "1"} else None
                self.runs[code].append((now // CYCLE, value))
        if process is not None:
            process.wait()
        self.last = now // CYCLE

    def values(self, name, first, end):
        """A value for each cycle from `first` to `end` - 1; None: not known. By name where the file has names."""
        variable = self.variables[name]
        out, run, at, value = [], self.runs[variable.code], 0, None
        for cycle in range(first, end):
            while at < len(run) and run[at][0] <= cycle:
                value = run[at][1]
                at += 1
            out.append(variable.names.get(value, value))
        return out

    def pins(self, block):
        """The block's pins, of arrays the first element: (name, as in its page; key)."""
        for key, variable in self.variables.items():
            if key[:2] == (SYSTEM, block) and len(key) == 4 and key[2] in ("in", "out"):
                stem, bracket, index = variable.name.partition("[")
                if index in ("", "0]"):
                    yield f"{stem}_{key[2][0]}{bracket}{index}", key

    def clocked(self, block, first, end):
        """Is the block clocked in a cycle?"""
        rises = {cycle for cycle, value in self.runs[self.variables[SYSTEM, block, "clk"].code] if value == 1}
        return [cycle in rises for cycle in range(first, end)]

    def blocks(self):
        return list(dict.fromkeys(key[1] for key in self.variables if key[0] == SYSTEM and len(key) > 3))


def spans(values, first):
    """(cycle, length, value) of each stretch of equal values."""
    out = []
    for cycle, value in enumerate(values, first):
        if out and out[-1][2] == value:
            out[-1][1] += 1
        else:
            out.append([cycle, 1, value])
    return out


def listed(numbers):
    """'warps 0 to 3, 8'."""
    parts = [spans([n - i], n)[0] + [i] for i, n in enumerate(sorted(numbers))]
    groups = {}
    for number, _, key, _ in parts:
        groups.setdefault(key, []).append(number)
    text = ", ".join(str(g[0]) if len(g) == 1 else f"{g[0]} to {g[-1]}" for g in groups.values())
    return f"warp{'s' if len(numbers) > 1 else ''} {text}"


class Preemption:
    """The nth preemption of a trace: its cycles, the engine's phases, and what its SM's warps do."""

    def __init__(self, trace, nth):
        self.trace = trace
        found = [s for s in spans(trace.values((SYSTEM, "state"), 0, trace.last + 1), 0) if s[2] not in ("idle", None)]
        begins = [s for i, s in enumerate(found) if i == 0 or found[i - 1][0] + found[i - 1][1] != s[0]]
        if len(begins) < nth:
            raise Failure(STEP, f"the file shows {len(begins)} preemptions, not {nth}; keep=N of the system says how "
                                "many are written, count and period how many there are", 2)
        self.first = begins[nth - 1][0]
        self.end = next(a[0] + a[1] for a, b in zip(found, found[1:] + [(None,)])
                        if a[0] >= self.first and a[0] + a[1] != b[0])
        self.sm = self.engine("sm")[0]
        self.states = self.engine("state")
        self.warps = {key[2]: trace.values(key, self.first, self.end + 2) for key in trace.variables
                      if key[:2] == ("gpu", f"sm{self.sm}") and len(key) == 3 and key[2].startswith("warp")}

    def engine(self, name):
        return self.trace.values((SYSTEM, name), self.first, self.end)

    def changed(self, before, after):
        """{cycle: warp slots} in which warps go from a state to another; None: from any, to any."""
        out = {}
        for name, values in self.warps.items():
            for cycle, (old, new) in enumerate(zip(values, values[1:]), self.first + 1):
                if old != new and before in (None, old) and after in (None, new):
                    out.setdefault(cycle, []).append(int(name[4:]))
        return out

    def phases(self):
        """(cycle, length, state, text) of the engine; registers of warps one by one."""
        seen = [(state, warp if state == "warp" else None) for state, warp in zip(self.states, self.engine("warp"))]
        for cycle, length, (state, warp) in spans(seen, self.first):
            yield cycle, length, state, WHAT.get(state, "") + ("" if warp is None else f" {warp}")

    def busy(self, block):
        """(cycle, length) in which a block is busy, to the last cycle in which it is clocked."""
        key = (SYSTEM, block, "out", "busy")
        if key not in self.trace.variables:
            return []
        found = [(c, n) for c, n, v in spans(self.trace.values(key, self.first, self.end), self.first) if v == 1]
        clocks = [(c, self.trace.clocked(block, c, c + n)) for c, n in found]
        return [(c, len(on) - on[::-1].index(True)) for c, on in clocks if any(on)]

    def requests(self):
        """(cycle, length, block, kind) of requests of one kind in a row, of blocks that say what they ask for."""
        for block in self.trace.blocks():
            valid, kind = ((SYSTEM, block, "out", name) for name in ("req_valid", "req_kind"))
            if valid not in self.trace.variables or kind not in self.trace.variables:
                continue
            rows = zip(range(self.first, self.end), self.trace.values(valid, self.first, self.end),
                       self.trace.values(kind, self.first, self.end),
                       self.trace.clocked(block, self.first, self.end))
            group = []
            for cycle, is_valid, what, clocked in rows:
                if not (is_valid == 1 and clocked):
                    continue
                if group and group[1] != what:
                    yield group[0], group[2] - group[0] + 1, block, group[1]
                    group = []
                group = [group[0] if group else cycle, what, cycle]
            if group:
                yield group[0], group[2] - group[0] + 1, block, group[1]

    def events(self):
        """(cycle, length, who, text) of all that happens, in order."""
        out = [(self.first, 0, "signal", f"SM {self.sm} is to give way")]
        stops = self.changed(None, "stopped")
        if stops:
            out.append((min(stops), max(stops) - min(stops) + 1, "SM", f"{listed(sum(stops.values(), []))}: stop"))
        out += self.phases()
        out += [(c, n, block.rpartition("_")[2], ASKED.get(kind, kind)) for c, n, block, kind in self.requests()]
        gone = self.changed("stopped", "empty")
        out += [(c, 0, "SM", f"{listed(w)}: gone, storage poisoned") for c, w in gone.items()]
        placed = self.changed("empty", "placed")
        out += [(c, 0, "SM", f"{listed(w)}: a TB has its place") for c, w in placed.items()]
        out += [(c, 0, "SM", f"{listed(w)}: run again") for c, w in self.changed("placed", None).items()]
        order = [warp for _, warps in sorted(placed.items()) for warp in sorted(warps)]
        runs = self.busy("context_restorer")
        names = order if len(order) == len(runs) else [""] * len(runs)
        out += [(c, n, "restorer", f"registers of warp {w}".rstrip()) for (c, n), w in zip(runs, names)]
        return sorted(out, key=lambda e: (e[0], e[1] != 0))


def overview(p):
    scale = -(-(p.end - p.first) // BARS)
    rows = []
    for cycle, length, who, text in p.events():
        at, last = (cycle - p.first) // scale, (cycle - p.first + max(length, 1) - 1) // scale
        bar = " " * at + ("#" * (last - at + 1) if length else "|")
        rows.append((f"{cycle - p.first:6} {length or '':>7}  {who:<10} {text:<36} ", bar))
    width = max(len(left) for left, _ in rows)
    head = f"{' cycle  length  who        what':<{width}}one column: {scale} cycles"
    return [head, *(f"{left:<{width}}{bar}".rstrip() for left, bar in rows)]


def close_up(p, first, end, extra=()):
    """The engine's state and all pins of blocks that change, from cycle `first` to `end` - 1."""
    end = min(end, first + WIDEST)
    signals = []
    for name in ("state", "warp"):
        key = (SYSTEM, name)
        signals.append((name, p.trace.variables[key].width, p.trace.values(key, first, end)))
    for key in extra:
        signals.append((key[-1], p.trace.variables[key].width, p.trace.values(key, first, end)))
    for block in p.trace.blocks():
        runs = [(f"  {name}", p.trace.variables[key].width, p.trace.values(key, first, end))
                for name, key in p.trace.pins(block)]
        runs = [r for r in runs if None not in r[2] and len(set(r[2])) > 1]
        clocked = p.trace.clocked(block, first, end)
        if runs and sum(clocked) > 1:
            signals += [(block, 0, ""), ("  clk_i", 0, emit_wave.clock(clocked)), *runs]
    return emit_wave.chart(first - p.first, end - first, signals)


def pictures(p):
    """(title, lines) of all that there is to draw."""
    yield "All of it", overview(p)
    phases = list(p.phases())
    registers = [(c, n) for c, n, state, _ in phases if state in ("warp", "whole")]
    if registers:
        yield "Registers of the first warp", close_up(p, registers[0][0] - 1, registers[0][0] + registers[0][1] + 2)
    gone = p.changed("stopped", "empty")
    before = [c + n for c, n in registers if gone and c < min(gone)]
    if before:
        cycle, warps = min(gone.items())
        sm = ("gpu", f"sm{p.sm}")
        extra = [sm + ("tbs",), *(sm + (f"warp{w:02}",) for w in dict.fromkeys([min(warps), max(warps)]))]
        yield "The fixed parts of the first TB", close_up(p, max(before) - 1, cycle + 1, extra)
    back = p.busy("context_restorer")
    if back:
        cycle, length = min(back, key=lambda run: run[1])
        yield "Registers of a warp that come back", close_up(p, cycle - 1, cycle + length + 1)


def text_of(path, nth):
    p = Preemption(Trace(path), nth)
    return "\n\n".join("\n".join([title + ":", "", "```text", *lines, "```"]) for title, lines in pictures(p))


def record(warpref, run, path, option="--wave"):
    """Writes the waveform of a run, or what another option writes; it is given by words behind `warpref run`."""
    try:
        done = subprocess.run([warpref, "run", *run, option, str(path)], cwd=ROOT, capture_output=True, text=True,
                              check=False)
    except OSError as error:
        raise Failure(STEP, f"{warpref}: {error.strerror}; build it, or name it by --warpref", 2) from None
    if done.returncode != 0:
        raise Failure(STEP, f"the run failed: {done.stdout}{done.stderr}", 1)


def bring_in(page, markers, body, writes, step):
    """Puts the text between the markers of the page, or says whether it stands there: the exit status."""
    try:
        old = page.read_text(encoding="utf-8")
    except OSError as error:
        raise Failure(step, f"{page}: {error.strerror}", 2) from None
    new = emit_doc.between(old, *markers, f"\n<!-- written by tools/{step}.py -->\n\n{body}\n")
    if new is None:
        raise Failure(step, f"{page}: the markers {markers[0]} and {markers[1]} are missing", 2)
    if writes:
        replace.text(page, new)
    elif old != new:
        print(f"{step}: {page} has not what the runs give; run tools/{step}.py --write")
        return 1
    return 0


def body_of(warpref):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "preemption.fst"
        record(warpref, RUN, path)
        drawn = text_of(path, 1)
    return f"    warpref run {' '.join(RUN)} --wave F.fst\n    tools/preemption_wave.py F.fst\n\n{drawn}"


def page_options(parser):
    parser.add_argument("--check", action="store_true", help="exit status 1 where the page differs")
    parser.add_argument("--write", action="store_true", help="into the page")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help="the page, if not docs/preemption.md")
    parser.add_argument("--warpref", default=str(ROOT / "build/release/bin/warpref"), help="the program that is run")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=pathlib.Path, help="waveform, an FST or VCD")
    parser.add_argument("--nth", type=int, default=1, help="which preemption of it (1)")
    page_options(parser)
    options = parser.parse_args()
    if (options.file is not None) + options.check + options.write != 1:
        parser.error("one of FILE, --check and --write is wanted")
    if options.nth < 1:
        parser.error("--nth counts from 1")
    if options.file:
        print(text_of(options.file, options.nth))
        return 0
    return bring_in(options.page, MARKERS, body_of(options.warpref), options.write, STEP)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(failure.status)
