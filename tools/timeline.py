# SPDX-License-Identifier: Apache-2.0
"""What the rows of an SM did, out of a waveform of a system that shows a signal for each: a table of letters, a picture,
or a part of a page. What is drawn of which system is said by a Kind: duet_timeline.py, smk_timeline.py."""
import argparse
import collections
import pathlib
import sys
import tempfile
from dataclasses import dataclass

from preemption_wave import ROOT, bring_in, record
import need
import replace
import vcd
from toolbox import Failure

CYCLE = 10  # units of time
COLUMNS = 96


@dataclass
class Kind:
    step: str        # the tool's name
    system: str      # its scope in the file; the SMs' are in it
    row: str         # what a row is: names of signals are this and a number
    states: dict     # by name in the file: letter, colour, and what it is called; the last is nothing at all
    page: pathlib.Path
    shown: dict      # what the page shows, by name: words behind `warpref run`, and cycles of that run
    events: tuple = ()  # states that a column shows however short they are

    @property
    def nothing(self):
        return list(self.states)[-1]

    def markers(self, name):
        what = " ".join([self.system, "timeline", *name.split()])
        return f"<!-- {what} -->", f"<!-- /{what} -->"


class Timeline:
    """Stretches (cycle, value) of each row of an SM."""

    def __init__(self, kind, path, sm):
        self.kind = kind
        lines, process = vcd.lines_of(path, kind.step)
        variables = [v for v in vcd.declared(lines)
                     if v.scope[:1] == (kind.system,) and len(v.scope) == 2 and v.name.startswith(kind.row)]
        sms = list(dict.fromkeys(v.scope[1] for v in variables))
        if not sms:
            raise Failure(kind.step, f"{path}: shows no SM of system {kind.system}; write it with warpref run FILE.yaml "
                                     f"--system {kind.system} --wave F.fst", 2)
        if not any(v.names for v in variables):
            raise Failure(kind.step, f"{path}: has no names of states, as VCD never has; write FST, --wave F.fst", 2)
        wanted = sms[0] if sm is None else f"sm{sm}"
        if wanted not in sms:
            raise Failure(kind.step, f"{path}: shows {', '.join(sms)}, not {wanted}; keep=N of the system says how many "
                                     "units are written", 2)
        self.sm = wanted
        mine = {v.code: v for v in variables if v.scope[1] == wanted}
        self.runs = {self.number(v): [(0, kind.nothing)] for v in mine.values()}
        now = 0
        for now, code, text in vcd.changes(lines):
            if code in mine and set(text) <= {"0", "1"}:
                run, what = self.runs[self.number(mine[code])], mine[code].names.get(int(text, 2), kind.nothing)
                if what != run[-1][1]:
                    run.append((now // CYCLE, what))
        if process is not None:
            process.wait()
        self.end = now // CYCLE + 1

    def number(self, variable):
        return int(variable.name[len(self.kind.row):])

    def stretches(self, row, first, end):
        """(cycle, length, what) from `first` to before `end`."""
        run = self.runs[row] + [(end, None)]
        for (at, what), (behind, _) in zip(run, run[1:]):
            begin, stop = max(at, first), min(behind, end)
            if begin < stop:
                yield begin, stop - begin, what

    def rows(self, first, end):
        """Those that are there at all."""
        return [r for r in sorted(self.runs) if any(w != self.kind.nothing for _, _, w in self.stretches(r, first, end))]

    def seen(self, first, end):
        """What there is of the states, in their order."""
        there = {w for r in self.runs for _, _, w in self.stretches(r, first, end)}
        return {w: s for w, s in self.kind.states.items() if w in there and w != self.kind.nothing}


def part_of(timeline, first, end):
    end = timeline.end if end is None else min(end, timeline.end)
    if not 0 <= first < end:
        raise Failure(timeline.kind.step, f"the file shows cycles 0 to {timeline.end}: none from {first} on", 2)
    return first, end


def text_of(timeline, first, end):
    first, end = part_of(timeline, first, end)
    states = timeline.kind.states
    step = -(-(end - first) // COLUMNS)
    key = ", ".join(f"{letter} {called}" for letter, _, called in timeline.seen(first, end).values())
    out = [f"{timeline.sm}, cycles {first} to {end - 1}, {step} to a column: {key}"]
    for row in timeline.rows(first, end):
        cells = [collections.Counter() for _ in range(-(-(end - first) // step))]
        for begin, length, what in timeline.stretches(row, first, end):
            while length:
                cell = (begin - first) // step
                now = min(length, first + (cell + 1) * step - begin)
                cells[cell][what] += now
                begin, length = begin + now, length - now
        most = (max(states, key=lambda what, cell=cell: (what in timeline.kind.events and cell[what] != 0, cell[what]))
                for cell in cells)
        out.append(f"{timeline.kind.row} {row:3} |{''.join(states[what][0] for what in most)}|")
    return "\n".join(out)


def draw(timeline, first, end, path):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = timeline.kind.step  # the same bytes each time
    from matplotlib import patches, pyplot

    first, end = part_of(timeline, first, end)
    rows = timeline.rows(first, end)
    figure, axes = pyplot.subplots(figsize=(12, 1.5 + 0.09 * len(rows)), layout="constrained")
    for at, row in enumerate(rows):
        for what, (_, colour, _) in timeline.kind.states.items():
            bars = [(b, n) for b, n, w in timeline.stretches(row, first, end) if w == what]
            axes.broken_barh(bars, (at, 1), color=colour, linewidth=0)
    axes.set(xlim=(first, end), ylim=(len(rows), 0), xlabel="cycle", ylabel=timeline.kind.row,
             title=f"{timeline.sm} under {timeline.kind.system}")
    axes.set_yticks([i + 0.5 for i in range(0, len(rows), 8)], [rows[i] for i in range(0, len(rows), 8)])
    axes.legend(handles=[patches.Patch(facecolor=c, edgecolor="grey", label=called)
                         for _, c, called in timeline.seen(first, end).values()],
                loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=5)
    replace.write(path, lambda part: figure.savefig(
        part, format=path.suffix[1:], metadata={"Date": None} if path.suffix == ".svg" else None))


def body_of(kind, name, warpref):
    run, part = kind.shown[name]
    with tempfile.TemporaryDirectory() as folder:
        wave = pathlib.Path(folder) / "F.fst"
        record(warpref, run, wave)
        drawn = text_of(Timeline(kind, wave, None), *part)
    return (f"    warpref run {' '.join(run)} --wave F.fst\n"
            f"    tools/{kind.step}.py F.fst --from {part[0]} --to {part[1]}\n\n```text\n{drawn}\n```")


def main(kind, description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=pathlib.Path, help="waveform, an FST or VCD")
    parser.add_argument("--sm", type=int, help="which SM (the first in the file)")
    parser.add_argument("--from", dest="first", type=int, default=0, metavar="CYCLE", help="first cycle (0)")
    parser.add_argument("--to", dest="end", type=int, metavar="CYCLE", help="the cycle behind the last one")
    parser.add_argument("--out", type=pathlib.Path, help="a picture: .svg, .png or .pdf")
    parser.add_argument("--check", action="store_true", help="holds the page against the program")
    parser.add_argument("--write", action="store_true", help="brings the page up to date")
    parser.add_argument("--page", type=pathlib.Path, default=kind.page, help=argparse.SUPPRESS)
    parser.add_argument("--warpref", default=str(ROOT / "build/release/bin/warpref"), help="the program")
    options = parser.parse_args()
    if (options.file is not None) + options.check + options.write != 1:
        parser.error("one of FILE, --check and --write is wanted")
    need.picture(parser, options.out)
    try:
        if options.file is None:
            return max(bring_in(options.page, kind.markers(name), body_of(kind, name, options.warpref), options.write,
                                kind.step) for name in kind.shown)
        timeline = Timeline(kind, options.file, options.sm)
        if options.out is None:
            print(text_of(timeline, options.first, options.end))
        else:
            draw(timeline, options.first, options.end, options.out)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return failure.status
    return 0
