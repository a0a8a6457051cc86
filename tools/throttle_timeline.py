#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws how system throttle moved the limit of an SM, out of the vectors that a run recorded: Kayiran Fig. 14 of any run.

  tools/throttle_timeline.py DIR                       a table, a row for each decision
  tools/throttle_timeline.py DIR --from 9000 --to 40000
  tools/throttle_timeline.py DIR --out T.svg           limit, stalls beside those of the levels around, and k
  tools/throttle_timeline.py --write                   runs the kernel of docs/throttle.md, and puts the table into the page
  tools/throttle_timeline.py --check                   exit status 1 where the page has another one

DIR comes from warpref run FILE.yaml --config kayiran --cpu ... --system throttle:k=1 --record DIR; option show of the
system says which SM's averages are in it. All of a row are pins of the block concurrency_manager: the limit, what
congestion asks for (part 1), and the averages of stalls at the level of the limit and at those around, as the decision
has them. Points are those of Fig. 14:

  A  up, though part 1 does not ask for it: here - above is more than k
  B  stays, though part 1 asks for less: below - here is more than k
  C  down, though below - here is more than k: the fourth decision at this level
  D  down as part 1 asks: neither is more than k (above 48 warps there is no level)
"""
import sys

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean

import argparse
import pathlib
import re
import tempfile
from dataclasses import dataclass, field

from preemption_wave import ROOT, bring_in, record
import blockdesc
import need
import replace
import vcd
from toolbox import Failure

STEP = "throttle_timeline"
PAGE = ROOT / "docs/throttle.md"
MARKERS = "<!-- throttle timeline -->", "<!-- /throttle timeline -->"
RUN = ["kernels/sssp_large.yaml", "--config", "kayiran", "--cpu",
       "milc,soplex,milc,omnetpp,mcf,soplex,milc,omnetpp,mcf,soplex,mcf,soplex,omnetpp,mcf", "--for", "27000", "--no-points",
       "--system", "throttle:k=1"]
LEVELS = [1, 2, 3, 4, 6, 8, 16, 24, 48]
BLOCK = "concurrency_manager"
ASKS = ["keep", "increase", "reduce"]
FORCED = 3  # decisions in a row at a level, before the one that must leave it


@dataclass
class Decision:
    at: int
    warps: int
    part1: str
    sums: tuple  # of DRAM and of the network
    run: int
    k: int
    then: int = 0
    averages: dict = field(default_factory=dict)  # by level

    def average(self, away):
        """Of the level so many from this one; None: there is none, or it has no average."""
        return self.averages.get(LEVELS.index(self.warps) + away)

    @property
    def below(self):
        return None if None in (self.average(-1), self.average(0)) else self.average(-1) - self.average(0)

    @property
    def above(self):
        return None if None in (self.average(1), self.average(0)) else self.average(0) - self.average(1)

    @property
    def point(self):
        more_below = self.below is not None and self.below > self.k
        more_above = self.above is not None and self.above > self.k
        forced = self.run == FORCED
        if self.then > self.warps:
            return "A" if more_above and self.part1 != "increase" and not forced else ""
        if self.then == self.warps:
            return "B" if more_below and self.part1 == "reduce" else ""
        if forced:
            return "C" if more_below else ""
        return "D" if self.part1 == "reduce" and self.below is not None and not more_below else ""


class Pins:
    """Where pins lie in a line of a vector file."""

    def __init__(self, block, values):
        self.at = {}
        place = 0
        for direction in ("in", "out"):
            for pin in block.side(direction):
                self.at[pin.name] = place, pin.width
                place += pin.width * pin.elements(values)
        self.digits = -(-place // 4)

    def read(self, line, name, element=0):
        at, width = self.at[name]
        return line >> (at + element * width) & ((1 << width) - 1)


def vectors_of(folder):
    """(pins, the interval, the lines of the file); a file that is cut is refused, or told where it says so itself."""
    path = folder / f"{BLOCK}.hex"
    if not path.is_file():
        raise Failure(STEP, f"there is no {path}; write it with warpref run FILE.yaml --config kayiran --system throttle "
                            f"--record {folder}", 2)
    block = blockdesc.read_block(ROOT / f"refmodel/throttle/{BLOCK}.toml")
    with open(path, encoding="utf-8", errors="replace") as file:
        if file.readline(64) != "// warpref vectors 1\n":
            raise Failure(STEP, f"{path}: is no vector file", 2)
    text = path.read_text(encoding="utf-8", errors="replace").splitlines()
    header = dict(line[3:].split(None, 1) for line in text if re.match(r"// \w+ +\S", line))
    try:
        values = {n: int(v) for n, v in (word.split("=") for word in header["parameters"].split())}
        count, interval = int(header["count"]), values["Interval"]
        pins = Pins(block, values)
    except (KeyError, ValueError):
        raise Failure(STEP, f"{path}: has no parameters or no count, so it is no vector file", 2) from None
    lines = []
    for number, line in enumerate(text, 1):
        if line == f"// {vcd.CUT}":
            print(f"{path}: {vcd.CUT}; the rest of its decisions is missing", file=sys.stderr)
        if line.startswith("//"):
            continue
        if len(line) != pins.digits or not set(line.lower()) <= set("0123456789abcdef"):
            raise Failure(STEP, f"{path}:{number}: is no line of {pins.digits} hexadecimal digits; the file has been cut or changed", 2)
        lines.append(int(line, 16))
    if len(lines) != count:
        raise Failure(STEP, f"{path}: holds {len(lines)} of the {count} cycles that its head tells; it has been cut", 2)
    return pins, interval, lines


def decisions_of(folder):
    """(SM, its decisions): those behind which all averages were read."""
    pins, interval, lines = vectors_of(folder)
    out, sm = [], 0
    for at, line in enumerate(lines):
        sm = pins.read(line, "core")
        last = out[-1] if out else None
        if last is not None and last.then == 0:
            last.then = pins.read(line, "limit", sm)
        if last is not None and pins.read(line, "avg_valid"):
            last.averages.setdefault(pins.read(line, "level"), pins.read(line, "avg"))
        if pins.read(line, "decide"):
            out.append(Decision(at, pins.read(line, "limit", sm), ASKS[pins.read(line, "part1")],
                                (pins.read(line, "sum_mc"), pins.read(line, "sum_net")), pins.read(line, "run"),
                                (pins.read(line, "k") + 1) * interval // 32))
    whole = [d for d in out if d.warps in LEVELS and LEVELS.index(d.warps) in d.averages]
    if not whole:
        raise Failure(STEP, f"{folder}: no decision of CM-BAL is in it; the first comes after two intervals, with "
                            "scheme=cm_bal", 2)
    return sm, whole


def part_of(decisions, first, end):
    part = [d for d in decisions if first <= d.at and (end is None or d.at < end)]
    if not part:
        raise Failure(STEP, f"decisions are in cycles {decisions[0].at} to {decisions[-1].at}: none in this part", 2)
    return part


def text_of(sm, decisions):
    def shown(value):
        return "-" if value is None else str(value)

    head = ["cycle", "warps", "then", "part 1", "DRAM", "network", "below", "here", "above", "below - here", "here - above",
            "at it", "point"]
    rows = [[str(d.at), str(d.warps), str(d.then), d.part1, str(d.sums[0]), str(d.sums[1]), shown(d.average(-1)),
             shown(d.average(0)), shown(d.average(1)), shown(d.below), shown(d.above), str(d.run + 1), d.point]
            for d in decisions]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    out = [f"SM {sm}, k = {decisions[0].k} schedulers' cycles of an interval"]
    out += [" ".join(cell.rjust(width) for cell, width in zip(row, widths)).rstrip() for row in [head, *rows]]
    return "\n".join(out)


def draw(sm, decisions, path):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = STEP  # the same bytes each time
    from matplotlib import pyplot

    figure, warps = pyplot.subplots(figsize=(12, 4.5), layout="constrained")
    stalls = warps.twinx()
    at = [d.at for d in decisions]
    warps.step(at, [d.warps for d in decisions], where="pre", color="#1971c2", label="warps")
    for name, colour in (("below", "#e8590c"), ("above", "#2b8a3e")):
        stalls.plot(at, [getattr(d, name) for d in decisions], color=colour, marker=".", linewidth=1,
                    label={"below": "below - here", "above": "here - above"}[name])
    stalls.axhline(decisions[0].k, color="grey", linestyle=":", label="k")
    for d in decisions:
        if d.point:
            warps.annotate(d.point, (d.at, d.warps), textcoords="offset points", xytext=(2, 5))
    warps.set(xlabel="cycle", ylabel="warps", ylim=(0, 52), title=f"SM {sm}: limit and stalls, CM-BAL")
    stalls.set_ylabel("stalls of an interval")
    lines = [*warps.get_lines(), *stalls.get_lines()]
    warps.legend(lines, [line.get_label() for line in lines], loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4)
    replace.write(path, lambda part: figure.savefig(
        part, format=path.suffix[1:], metadata={"Date": None} if path.suffix == ".svg" else None))


def body_of(warpref):
    with tempfile.TemporaryDirectory() as folder:
        record(warpref, RUN, pathlib.Path(folder), "--record")
        sm, decisions = decisions_of(pathlib.Path(folder))
    words = " ".join(f"'{w}'" if "," in w else w for w in RUN)
    return f"    warpref run {words} --record DIR\n    tools/{STEP}.py DIR\n\n```text\n{text_of(sm, decisions)}\n```"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", nargs="?", type=pathlib.Path, help="of vectors")
    parser.add_argument("--from", dest="first", type=int, default=0, metavar="CYCLE", help="first cycle (0)")
    parser.add_argument("--to", dest="end", type=int, metavar="CYCLE", help="the cycle behind the last one")
    parser.add_argument("--out", type=pathlib.Path, help="a picture: .svg, .png or .pdf")
    parser.add_argument("--check", action="store_true", help="holds the page against the program")
    parser.add_argument("--write", action="store_true", help="brings the page up to date")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help=argparse.SUPPRESS)
    parser.add_argument("--warpref", default=str(ROOT / "build/release/bin/warpref"), help="the program")
    options = parser.parse_args()
    if (options.folder is not None) + options.check + options.write != 1:
        parser.error("one of DIR, --check and --write is wanted")
    need.picture(parser, options.out)
    try:
        if options.folder is None:
            return bring_in(options.page, MARKERS, body_of(options.warpref), options.write, STEP)
        sm, decisions = decisions_of(options.folder)
        decisions = part_of(decisions, options.first, options.end)
        if options.out is None:
            print(text_of(sm, decisions))
        else:
            draw(sm, decisions, options.out)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return failure.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
