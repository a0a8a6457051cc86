#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what the warps of an SM do under system duet, out of a waveform that it wrote: warps against cycles.

  tools/duet_timeline.py F.fst                          text, the SM that the file shows, all of its cycles
  tools/duet_timeline.py F.fst --from 5000 --to 9000    a part of them
  tools/duet_timeline.py F.fst --out T.svg              in colour; .png, .pdf as well
  tools/duet_timeline.py --write                        runs the kernel of docs/duet.md, and draws it into the page
  tools/duet_timeline.py --check                        exit status 1 where the page has another picture

The file comes from warpref run FILE.yaml --system duet:... --wave F.fst; option keep of the system says how many SMs
are in it. In text a column stands for as many cycles as it takes, and shows what the warp did for most of them.
"""
import argparse
import collections
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean

from preemption_wave import ROOT, bring_in, record
import vcd
from toolbox import Failure

STEP = "duet_timeline"
PAGE = ROOT / "docs/duet.md"
MARKERS = "<!-- duet timeline -->", "<!-- /duet timeline -->"
# Four TBs where two fit: small enough to be seen whole.
RUN = ["kernels/dwt2d_copy_components.yaml", "--config", "maxwell", "--set", "sms=8", "--set", "sm.registers=8192",
       "--system", "duet:me=2"]
PART = 4000, 7000  # cycles of it
CYCLE = 10         # units of time
COLUMNS = 96
# What a warp does: its letter, its colour.
STATES = {"running": ("#", "#2b8a3e"), "waits": ("-", "#f2c037"), "stalled": ("s", "#e8590c"),
          "absent": (".", "#ced4da"), "ready": ("r", "#1971c2"), "none": (" ", "#ffffff")}


class Timeline:
    """Stretches (cycle, value) of each warp of an SM."""

    def __init__(self, path, sm):
        lines, process = vcd.lines_of(path, STEP)
        variables = [v for v in vcd.declared(lines)
                     if v.scope[:1] == ("duet",) and len(v.scope) == 2 and v.name.startswith("warp")]
        sms = list(dict.fromkeys(v.scope[1] for v in variables))
        if not sms:
            raise Failure(STEP, f"{path}: shows no SM of system duet; write it with warpref run FILE.yaml --system "
                                "duet --wave F.fst", 2)
        wanted = sms[0] if sm is None else f"sm{sm}"
        if wanted not in sms:
            raise Failure(STEP, f"{path}: shows {', '.join(sms)}, not {wanted}; keep=N of the system says how many "
                                "SMs are written", 2)
        self.sm = wanted
        mine = {v.code: v for v in variables if v.scope[1] == wanted}
        self.runs = {int(v.name[4:]): [(0, "none")] for v in mine.values()}
        now = 0
        for now, code, text in vcd.changes(lines):
            if code in mine and set(text) <= {"0", "1"}:
                variable = mine[code]
                self.runs[int(variable.name[4:])].append((now // CYCLE, variable.names.get(int(text, 2), "none")))
        if process is not None:
            process.wait()
        self.end = now // CYCLE + 1

    def stretches(self, warp, first, end):
        """(cycle, length, what) from `first` to before `end`."""
        run = self.runs[warp] + [(end, None)]
        for (at, what), (behind, _) in zip(run, run[1:]):
            begin, stop = max(at, first), min(behind, end)
            if begin < stop:
                yield begin, stop - begin, what

    def warps(self, first, end):
        """Those that are there at all."""
        return [w for w in sorted(self.runs) if any(what != "none" for _, _, what in self.stretches(w, first, end))]


def part_of(timeline, first, end):
    end = timeline.end if end is None else min(end, timeline.end)
    if not 0 <= first < end:
        raise Failure(STEP, f"the file shows cycles 0 to {timeline.end}: none from {first} on", 2)
    return first, end


def text_of(timeline, first, end):
    first, end = part_of(timeline, first, end)
    step = -(-(end - first) // COLUMNS)
    key = ", ".join(f"{letter} {what}" for what, (letter, _) in STATES.items() if what != "none")
    out = [f"{timeline.sm}, cycles {first} to {end - 1}, {step} to a column: {key}"]
    for warp in timeline.warps(first, end):
        cells = [collections.Counter() for _ in range(-(-(end - first) // step))]
        for begin, length, what in timeline.stretches(warp, first, end):
            while length:
                cell = (begin - first) // step
                now = min(length, first + (cell + 1) * step - begin)
                cells[cell][what] += now
                begin, length = begin + now, length - now
        most = (max(STATES, key=cell.__getitem__) for cell in cells)
        out.append(f"warp {warp:3} |{''.join(STATES[what][0] for what in most)}|")
    return "\n".join(out)


def draw(timeline, first, end, path):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = STEP  # the same bytes each time
    from matplotlib import patches, pyplot

    first, end = part_of(timeline, first, end)
    warps = timeline.warps(first, end)
    figure, axes = pyplot.subplots(figsize=(12, 1.5 + 0.09 * len(warps)), layout="constrained")
    for row, warp in enumerate(warps):
        for what, (_, colour) in STATES.items():
            bars = [(b, n) for b, n, w in timeline.stretches(warp, first, end) if w == what]
            axes.broken_barh(bars, (row, 1), color=colour, linewidth=0)
    axes.set(xlim=(first, end), ylim=(len(warps), 0), xlabel="cycle", ylabel="warp",
             title=f"{timeline.sm}: warps under duet")
    axes.set_yticks([i + 0.5 for i in range(0, len(warps), 8)], [warps[i] for i in range(0, len(warps), 8)])
    axes.legend(handles=[patches.Patch(facecolor=c, edgecolor="grey", label=w)
                         for w, (_, c) in STATES.items() if w != "none"],
                loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=5)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def body_of(warpref):
    with tempfile.TemporaryDirectory() as folder:
        wave = pathlib.Path(folder) / "F.fst"
        record(warpref, RUN, wave)
        drawn = text_of(Timeline(wave, None), *PART)
    return (f"    warpref run {' '.join(RUN)} --wave F.fst\n"
            f"    tools/duet_timeline.py F.fst --from {PART[0]} --to {PART[1]}\n\n```text\n{drawn}\n```")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=pathlib.Path, help="waveform, an FST or VCD")
    parser.add_argument("--sm", type=int, help="which SM (the first in the file)")
    parser.add_argument("--from", dest="first", type=int, default=0, metavar="CYCLE", help="first cycle (0)")
    parser.add_argument("--to", dest="end", type=int, metavar="CYCLE", help="the cycle behind the last one")
    parser.add_argument("--out", type=pathlib.Path, help="a picture: .svg, .png or .pdf")
    parser.add_argument("--check", action="store_true", help="holds the page against the program")
    parser.add_argument("--write", action="store_true", help="brings the page up to date")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help=argparse.SUPPRESS)
    parser.add_argument("--warpref", default=str(ROOT / "build/release/bin/warpref"), help="the program")
    options = parser.parse_args()
    if (options.file is not None) + options.check + options.write != 1:
        parser.error("one of FILE, --check and --write is wanted")
    if options.file is None:
        return bring_in(options.page, MARKERS, body_of(options.warpref), options.write, STEP)
    timeline = Timeline(options.file, options.sm)
    if options.out is None:
        print(text_of(timeline, options.first, options.end))
    elif options.out.suffix not in (".svg", ".png", ".pdf"):
        parser.error("--out is a .svg, .png or .pdf")
    else:
        draw(timeline, options.first, options.end, options.out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(failure.status)
