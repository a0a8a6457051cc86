#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""warpref properties: what the page of a block promises, proved of its RTL.

formal/properties/BLOCK.sv holds the properties of a block as immediate assertions over its pins. It
begins with `include "frame.svh"`, which this program writes for a configuration: the head of module
`properties` with the parameters as constants, every input pin as a free input, every output as a net of
the same name, the block as `dut`, and rst_ni low in the first cycle and high from then on (a proof by
induction starts in any state, a reset included). A row is a comment in that file:

    // induction K | NAME: what           proved for all time by induction over K cycles
    // pdr | NAME: what                   proved for all time, with an invariant that yosys-abc finds
    // bounded N | NAME: what             proved for the first N cycles alone
    // cover N | NAME: what               can happen within N cycles

and belongs to the assert or cover statement labelled NAME. All asserts of one kind are proved together,
so inductive ones may rest on each other. A property that cannot fail is found out: a cover that is not
reached, or an assert whose condition never holds within the longest depth of its file, is a failure.

A line `// still PIN` gives an input of a read port any value, the same in all cycles: what it shows does not
change the block, so nothing is lost, and induction has an eye on one entry. One `// made PIN` leaves the
input to the file, which assigns it.

Registers of the block are seen as `(* hierconn *) wire [..] \\dut.NAME_q ;`. Assertions that read one are
named inv_*: RTL from elsewhere (--rtl) that lacks the register is proved without them, each `induction`
then by pdr.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import threading
import time

from processes import call, heed_signals, result, stop
from property_file import (FOLDER, MADE, OUT, PAGE, PROVED, REACHED, ROOT, STILL, TRIGGER, Trouble, frame,
                           page, rows_of, table, with_outputs)

sys.path[:0] = [str(ROOT), str(ROOT / "dpi")]
import blockdesc  # noqa: E402
from tools import replace  # noqa: E402
from tools.sized import too_long  # noqa: E402

SOLVERS = ("abc", "z3", "cvc5")
ENDLESS = 10 ** 6  # depth of a search for a counterexample that is known to be there
AIGER = ("memory_map\nopt -full\ntechmap\nopt -fast\ndffunmap\naigmap\nsetundef -undriven -anyseq\n"
         "write_aiger -zinit -map {0}.map {0}.aig\nwrite_ilang {0}.done.il\ndesign -reset\n")


def netlist_cells(text, kind):
    return re.findall(r"^  cell \$%s \\(\S+)\n" % kind, text, re.M)


class Run:
    """A block in a configuration: its netlist, and the calls of solvers on it."""

    def __init__(self, block, config, args, work):
        self.block, self.config, self.args = block, config, args
        self.dir = pathlib.Path(work) / f"{block.name}.{config}"
        self.dir.mkdir()
        self.rows, self.reason = rows_of(block.name, config)
        if args.depth:
            for row in self.rows:
                row.depth = args.depth if row.kind in ("bounded", "cover") else row.depth
        self.limit = max(r.depth for r in self.rows)
        self.missing = []

    def of(self, *kinds):
        return [r for r in self.rows if r.kind in kinds]

    def yosys(self, script, name):
        (self.dir / name).write_text(script)
        out, status = call(["yosys", "-q", "-s", name], self.dir)
        if status:
            errors = [line for line in out.splitlines() if "ERROR" in line] or out.splitlines()[-3:]
            raise Trouble(f"{self.block.name} ({self.config}): yosys: " + "; ".join(errors))

    def modules_of(self, path):
        """The modules of a file as Yosys reads it, with what it includes."""
        self.yosys(f'read_verilog -sv -defer "{path}"\ntee -o modules.txt ls\n', "modules.ys")
        return re.findall(r"^  \$abstract\\(\S+)$", (self.dir / "modules.txt").read_text(errors="replace"), re.M)

    def prepare(self):
        """Reads RTL and properties, flattens, and writes a model for each kind of proof."""
        values = self.block.configs[self.config]
        top = self.args.top or self.block.name
        text = pathlib.Path(self.args.properties or FOLDER / f"{self.block.name}.sv").read_text()
        if re.search(r"^[^/]*\bassume\b", text, re.M):
            raise Trouble(f"{self.block.name}.sv: assume is not taken: an assertion says itself when it holds")
        (self.dir / "properties.sv").write_text(text)
        (self.dir / "frame.svh").write_text(frame(self.block, values, top, STILL.findall(text),
                                                   MADE.findall(text)))
        files = sorted((ROOT / "rtl" / self.block.group).glob("*.sv"))
        if self.args.rtl:
            own = pathlib.Path(self.args.rtl).resolve()
            modules = self.modules_of(own)
            if top not in modules:
                has = f"it has {', '.join(modules)}; --top NAME says which is the block" if modules else "it has none"
                raise Trouble(f"{self.args.rtl}: no module '{top}': {has}")
            files = [p for p in files if p.stem not in modules] + [own]
        read = "".join(f'read_verilog -sv -defer "{p}"\n' for p in files)
        # What RTL assumes and asserts itself is no promise of the block's page, and what it assumes would hide faults.
        self.yosys(f"""{read}read_verilog -sv -formal properties.sv
hierarchy -check -top properties
proc
chformal -remove * properties %d
flatten
tee -o check.txt check
opt -fast
async2sync
chformal -early
opt -fast
memory -nomap
opt_clean
dffunmap
opt_clean
write_ilang all.il
""", "read.ys")
        self.missing = sorted(set(re.findall(r"Wire properties\.\\dut\.(\w+_q)\b.* is used but has no driver",
                                             (self.dir / "check.txt").read_text())))
        if self.missing and not self.args.rtl:
            raise Trouble(f"{FOLDER}/{self.block.name}.sv: the block has no register {', '.join(self.missing)}")
        text = (self.dir / "all.il").read_text()
        self.paths = {}
        for cell in netlist_cells(text, "assert") + netlist_cells(text, "cover"):
            self.paths.setdefault(cell.split(".")[-1], []).append(cell)
        if self.missing:
            for row in self.rows:
                if row.name.startswith("inv_"):
                    row.verdict, row.kind = "left out", "bounded"
                    row.note = f"needs register {', '.join(self.missing)}"
                elif row.kind == "induction":
                    row.kind = "pdr"
        (self.dir / "watched.il").write_text(with_outputs(text, lambda name: True))
        script = "read_ilang watched.il\n" + AIGER.format("watched")
        if self.of("pdr"):
            cells = {cell for r in self.of("pdr") for cell in self.paths.get(r.name, [])}
            (self.dir / "pdr.il").write_text(with_outputs(text, lambda name: name in cells))
            script += "read_ilang pdr.il\n" + AIGER.format("pdr")
        for name, rows in {**self.groups(), "cover": []}.items():
            keep = " ".join(f"properties/{cell}" for r in rows for cell in self.paths.get(r.name, []))
            keep = f"select -set keep {keep}\nselect t:$assert @keep %d\ndelete\nselect -clear\n" if keep else ""
            drop = "t:$cover" if rows else "t:$assert"
            script += f"read_ilang all.il\ndelete {drop}\n{keep}opt_clean\nwrite_smt2 -wires {name}.smt2\ndesign -reset\n"
        self.yosys(script, "models.ys")
        self.outputs = self.map_of("watched")
        # An output that is constant stands in no map.
        self.constant = {name: value == "1" for name, value in re.findall(
            rf"^  connect \\{OUT}(\S+) 1'([01])$", (self.dir / "watched.done.il").read_text(), re.M)}

    def map_of(self, model):
        """Number of the AIGER output by name of the assert, cover or trigger."""
        return {name: int(number) for number, name in
                re.findall(rf"^output (\d+) 0 {OUT}(\S+)$", (self.dir / f"{model}.map").read_text(), re.M)}

    def first(self, names, depth):
        """For each name the first cycle, up to `depth`, in which its output is 1, else None: by yosys-abc."""
        numbers = sorted({self.outputs[name] for name in names if name not in self.constant})
        script = "; ".join(f"read_aiger watched.aig; cone -s -O {n}; bmc3 -F {depth + 1}" for n in numbers)
        out, status = call(["yosys-abc", "-c", script], self.dir, self.args.timeout) if numbers else ("", 0)
        if status is None:
            return None
        found = re.findall(r"was asserted in frame (\d+)|(No output asserted in|Explored all reachable|proved)", out)
        if status or len(found) != len(numbers):
            raise Trouble(f"{self.block.name} ({self.config}): yosys-abc: " + tail(out))
        steps = {n: int(step) if step else None for n, (step, _) in zip(numbers, found)}
        return {name: (0 if self.constant[name] else None) if name in self.constant else steps[self.outputs[name]]
                for name in names}

    def groups(self):
        found = {"induction": self.of("induction"), "pdr": self.of("pdr")}
        for row in self.of("bounded"):
            if row.verdict != "left out":
                found.setdefault(f"bounded{row.depth}", []).append(row)
        return {name: rows for name, rows in found.items() if rows}

    def smtbmc(self, model, *options):
        solver = "z3" if self.args.solver == "abc" else self.args.solver
        return call(["yosys-smtbmc", "-s", solver, "--unroll", *options, f"{model}.smt2"], self.dir,
                    self.args.timeout)

    def jobs(self):
        """Functions that each do one call of a solver and note its verdict."""
        out = [self.covers]
        for name, rows in self.groups().items():
            if name == "induction":
                out.append(lambda rows=rows: self.induction(rows))
            elif name == "pdr":
                out.append(lambda rows=rows: self.pdr(rows))
            else:
                out.append(lambda name=name, rows=rows: self.bounded(name, rows))
        return out

    def keep(self, trace, row):
        """The trace of a counterexample, where --keep asks for it."""
        if self.args.keep and (self.dir / trace).is_file():
            kept = pathlib.Path(self.args.keep) / f"{row.block}.{row.config}.{row.name}.vcd"
            replace.write(kept, lambda part: shutil.copyfile(self.dir / trace, part))
            row.note += f"; trace {kept}"

    def failed(self, out, rows, verdict):
        """Marks what the solver names, and keeps the trace that it writes behind the names; returns the marked rows."""
        step, bad, shown = None, [], []
        for line in out.splitlines():
            if found := re.search(r"(?:assertions in|induction in) step (\d+)", line):
                step = int(found[1])
            elif found := re.search(r"Assert failed in properties: (\S+)", line):
                name = found[1].split(".")[-1]
                for row in rows:
                    if row.name == name and row not in bad:
                        bad.append(row)
                        shown.append(row)
                        row.verdict = verdict
                        row.note = f"formal/properties/{row.block}.sv:{row.line}: fails" + (
                            f" in step {step}" if verdict == "refuted" else ": induction does not close")
            elif found := re.search(r"Writing trace to VCD file: (\S+)", line):
                for row in shown:
                    self.keep(found[1], row)
                shown = []
        return bad

    def cells(self, rows, ending=""):
        return [cell + ending for row in rows for cell in self.paths.get(row.name, [])]

    def bmc(self, model, rows, depth):
        """True where no assert fails in the first `depth` cycles."""
        failed = self.first(self.cells(rows), depth) if self.args.solver == "abc" else {}
        decided, first = failed is not None, {}
        for row in rows if failed else []:
            steps = [failed[cell] for cell in self.cells([row]) if failed[cell] is not None]
            if steps:
                first[row.name] = min(steps)
                row.verdict = "refuted"
                row.note = f"formal/properties/{row.block}.sv:{row.line}: fails in step {min(steps)}"
        bad = [row for row in rows if row.name in first]
        if self.args.solver != "abc" or bad and self.args.keep:
            depth = max(first.values(), default=depth)
            out, status = self.smtbmc(model, "-t", str(depth + 1), "--keep-going", "--dump-vcd", f"{model}.%.vcd")
            bad += [row for row in self.failed(out, rows, "refuted") if row not in bad]
            decided = status is not None
            if status and not bad:
                raise Trouble(f"{self.block.name} ({self.config}): yosys-smtbmc: " + tail(out))
        if decided and not bad:
            return True
        for row in rows:
            if row not in bad:
                row.verdict = "open"
                row.note = "others fail" if bad else "no verdict within the time (--timeout)"
        return False

    def timed(self, rows, start):
        for row in rows:
            row.seconds = round(time.monotonic() - start, 1)

    def bounded(self, name, rows):
        start = time.monotonic()
        if self.bmc(name, rows, rows[0].depth):
            for row in rows:
                row.verdict = PROVED
        self.timed(rows, start)

    def induction(self, rows):
        start, depth = time.monotonic(), max(r.depth for r in rows)
        if self.bmc("induction", rows, depth):
            out, status = self.smtbmc("induction", "-i", "-t", str(depth), "--dump-vcd", "induction.step.vcd")
            if status == 0:
                for row in rows:
                    row.verdict = PROVED
            elif self.bmc("induction", rows, self.limit):  # perhaps it fails from reset, too
                bad = self.failed(out, rows, "open")
                if status is not None and not bad:
                    raise Trouble(f"{self.block.name} ({self.config}): yosys-smtbmc: " + tail(out))
                for row in rows:
                    if row not in bad:
                        row.note = "rests on " + bad[0].name if bad else "no verdict within the time (--timeout)"
        self.timed(rows, start)

    def pdr(self, rows):
        start = time.monotonic()
        out, status = call(["yosys-abc", "-c", "read_aiger pdr.aig; scorr; pdr -a"], self.dir, self.args.timeout)
        names = {number: name for name, number in self.map_of("pdr").items()}
        asserted = [names[int(n)] for n in re.findall(r"Output +(\d+) was asserted in frame", out)]
        if re.search(r"Property proved|All = *(\d+)\. Proved = *\1\b", out):
            for row in rows:
                row.verdict = PROVED
        elif asserted:
            for row in rows:
                self.alone(row)
            return
        elif status is None:
            for row in rows:
                self.alone(row)
            return
        else:
            raise Trouble(f"{self.block.name} ({self.config}): yosys-abc: " + tail(out))
        self.timed(rows, start)

    def alone(self, row):
        """A property that did not come out with the others: by itself, on the logic that it looks at."""
        start, verdicts = time.monotonic(), []
        for cell in self.cells([row]):
            if cell in self.constant:
                verdicts.append("refuted" if self.constant[cell] else PROVED)
                continue
            out, _ = call(["yosys-abc", "-c", f"read_aiger watched.aig; cone -s -O {self.outputs[cell]}; scorr; pdr"],
                          self.dir, self.args.timeout)
            verdicts.append(PROVED if "Property proved" in out else "refuted" if "was asserted in frame" in out else "open")
        row.verdict = next((v for v in ("refuted", "open") if v in verdicts), PROVED)
        if row.verdict == "refuted":
            row.verdict = "open"
            self.bmc("pdr", [row], ENDLESS)
        elif row.verdict == "open":
            row.note = "no verdict within the time (--timeout)"
        self.timed([row], start)

    def reached(self):
        """Cycle in which each cover, and each condition of an assert, is first reached, by cell."""
        covers, triggers = self.cells(self.of("cover")), self.cells(self.of("induction", "pdr", "bounded"), TRIGGER)
        names = covers + triggers
        if self.args.solver == "abc":
            return self.first(names, self.limit)
        out, status = self.smtbmc("cover", "-c", "-t", str(self.limit + 1))
        found = {name: int(step) for name, step in
                 re.findall(r"Reached cover statement at (\S+) in step (\d+)\.", out)}
        if not found and status is not None and "Unreached" not in out:
            raise Trouble(f"{self.block.name} ({self.config}): yosys-smtbmc: " + tail(out))
        rest = [name for name in names if name not in covers]  # conditions: of these no trace is of interest
        rest = None if status is None else self.first(rest, self.limit)
        return None if rest is None else {**rest, **found}

    def covers(self):
        start = time.monotonic()
        found = self.reached()
        self.decided = found is not None
        for row in self.rows:
            names = self.cells([row], "" if row.kind == "cover" else TRIGGER)
            steps = [(found or {}).get(name) for name in names]
            row.step = max(steps) if steps and None not in steps else None
        rows = self.of("cover")
        for row in rows:
            if row.step is not None and row.step <= row.depth:
                row.verdict = REACHED
                row.note = ""
            else:
                row.verdict = "unreached" if self.decided else "open"
                row.note = f"formal/properties/{row.block}.sv:{row.line}: not reached within {row.depth} cycles"
        self.timed(rows, start)

    def close(self):
        """A proof about what cannot happen, or happens behind its depth, is none."""
        for row in self.rows:
            depth = row.depth if row.kind == "bounded" else self.limit
            if row.kind != "cover" and row.verdict == PROVED and (row.step is None or row.step > depth):
                row.verdict = "vacuous" if self.decided else "open"
                row.note = (f"formal/properties/{row.block}.sv:{row.line}: its condition does not hold in the first "
                            f"{depth} cycles")


def tail(out):
    return " | ".join(out.strip().splitlines()[-3:])


def parse():
    parser = argparse.ArgumentParser(
        prog="warpref properties", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Proves of a block's RTL what its page promises: nothing lost, nothing owned twice, replies "
        "that hold, bounded\nanswers, faults that are sticky and only set where the protocol is broken.",
        epilog="""verdicts
  proved     by induction for all time ("pdr": with an invariant that yosys-abc finds), or to the depth named
  reached    a cover: what the properties are about can happen
  refuted    a counterexample: the line of the assert and its step are said; --keep DIR keeps the trace
  unreached  a cover that cannot be reached; vacuous: a property whose condition never holds
  open       an induction that does not close, or no verdict within --timeout

examples
  warpref properties                               all blocks in the smallest configuration
  warpref properties switch_queues --config default
  warpref properties switch_queues --rtl FILE.sv --keep out/traces

Exit status: 0 all proved and every cover reached, 1 not so, 2 bad usage, or a tool is missing; 130 or 143
interrupted.
docs/properties.md says how to read and write property files.""")
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help="blocks; all where none is named")
    parser.add_argument("--list", action="store_true", help="list the properties and prove nothing")
    parser.add_argument("--table", action="store_true", help="the same as the tables of docs/properties.md")
    parser.add_argument("--page", action="store_true", help="write them there")
    parser.add_argument("--check", action="store_true", help="hold docs/properties.md against the property files, and "
                        "prove nothing")
    parser.add_argument("--config", action="append", metavar="NAME", help="configuration (tiny); may be repeated")
    parser.add_argument("--solver", choices=SOLVERS, default=SOLVERS[0],
                        help="for bounded proofs and covers: abc, or an SMT solver through yosys-smtbmc, which the step of "
                        "an induction always takes (%(default)s; z3 for the step)")
    parser.add_argument("--depth", type=int, metavar="N", help="cycles of bounded proofs and covers, instead of the file's")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or 2), metavar="N",
                        help="so many solvers at a time (%(default)s)")
    parser.add_argument("--timeout", type=float, default=900, metavar="S",
                        help="processor seconds for each call of a solver (%(default)s); what is open then is not proved")
    parser.add_argument("--json", metavar="FILE", help="write the rows as JSON")
    parser.add_argument("--keep", metavar="DIR", help="keep traces of counterexamples (VCD) there")
    parser.add_argument("--rtl", metavar="FILE.sv", help="this RTL behind the block's pins; modules that it lacks are "
                        "the tree's, but not the block itself")
    parser.add_argument("--top", metavar="NAME", help="its module that is the block, where it is not named so")
    parser.add_argument("--properties", metavar="FILE.sv", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.page or args.check:
        if sum(v not in ([], parser.get_default(k)) for k, v in vars(args).items()) > 1:
            parser.error("--page and --check go alone")
    return args


def choose(args):
    """Blocks by name, each with its configurations."""
    known = {b.name: b for b in blockdesc.read_all() if (FOLDER / f"{b.name}.sv").is_file()}
    for name in args.blocks:
        if name not in known:
            raise Trouble(f"there is no block '{name}' with properties; `warpref properties --list` lists them")
    if (args.rtl or args.top or args.properties) and len(args.blocks) != 1:
        raise Trouble("--rtl wants exactly one BLOCK")
    if args.top and not args.rtl:
        raise Trouble("--top goes with --rtl")
    if args.rtl and not pathlib.Path(args.rtl).is_file():
        raise Trouble(f"{args.rtl}: no such file")
    for path in (args.rtl, args.properties):
        if path and pathlib.Path(path).is_file() and too_long(path):
            raise Trouble(f"{path}: {too_long(path)}")
    if args.jobs < 1 or args.timeout <= 0 or args.depth is not None and args.depth < 1:
        raise Trouble("--jobs, --timeout and --depth are above 0")
    blocks = [b for b in known.values() if not args.blocks or b.name in args.blocks]
    configs = args.config or ["tiny"]
    for config in configs:
        if not any(config in b.configs for b in blocks):
            raise Trouble(f"no block here has a configuration '{config}'")
    return [(b, c) for b in blocks for c in configs if c in b.configs]


def show(rows):
    wide = max(len(r.name) for r in rows)
    for r in rows:
        print(f"{r.verdict:9} {r.block} {r.config}  {r.name:{wide}} {r.how:15} {r.seconds:7.1f} s  {r.what}")
        if r.note:
            print(f"          {r.note.lstrip('; ')}")
    sys.stdout.flush()


def prove(args, chosen):
    """All rows, in the order of blocks; the trouble of one block loses nothing of the others."""
    troubles, results, lock, done = [], [], threading.Lock(), [0]
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = [Run(b, c, args, work) for b, c in chosen]

        def attempt(run, job):
            try:
                job()
            except (Trouble, OSError) as trouble:
                with lock:
                    if str(trouble) not in troubles:  # one of --rtl is the same in all configurations
                        print(f"warpref properties: {trouble}", file=sys.stderr)
                    troubles.append(str(trouble))
                run.rows = []
            with lock:
                done[0] += 1
                if sys.stderr.isatty():
                    print(f"\r{done[0]} steps done, last of {run.block.name}\033[K\r", end="", file=sys.stderr)

        try:
            ready = [None if run.reason else pool.submit(attempt, run, run.prepare) for run in runs]
            jobs = []
            for run, prepared in zip(runs, ready):
                if prepared:
                    result(prepared)
                jobs.append([pool.submit(attempt, run, job) for job in (run.jobs() if prepared and run.rows else [])])
            for run, mine in zip(runs, jobs):
                for job in mine:
                    result(job)
                if run.reason is not None:
                    print(f"left out  {run.block.name} {run.config}: {run.reason}")
                elif run.rows:
                    run.close()
                    results += run.rows
                    show(run.rows)
        except KeyboardInterrupt:  # here: leaving `with` waits for all that was begun
            stop()
            pool.shutdown(cancel_futures=True)
            raise
    return results, troubles


def check_results(path):
    """Before a proof begins, so that a file which cannot be written is known by then."""
    try:
        replace.check(path)
    except OSError as error:
        raise Trouble(f"--json {path}: {error.strerror}; name a file that can be written") from None


def hold_page(args, blocks):
    """The page is written, or held against what the property files say."""
    text = PAGE.read_text()
    right = page(text, blocks)
    if args.page:
        replace.text(PAGE, right)
        return 0
    if text != right:
        print("docs/properties.md is not what the property files say; `warpref properties --page` writes it")
    print(f"{int(text == right)} passed, {int(text != right)} failed")
    return int(text != right)


def run(args):
    try:
        for tool in ("yosys", "yosys-smtbmc", "yosys-abc", "z3" if args.solver == "abc" else args.solver):
            if not (args.list or args.table or args.page or args.check) and shutil.which(tool) is None:
                raise Trouble(f"{tool} is not installed: tools/setup.sh installs Debian's yosys and z3")
        chosen = choose(args)
        if args.page or args.check:
            return hold_page(args, [block.name for block, _ in chosen])
        if args.table:
            print("".join(table(block) for block in dict.fromkeys(b.name for b, _ in chosen)), end="")
            return 0
        if args.list:
            for block, config in chosen:
                for r in rows_of(block.name, config)[0]:
                    print(f"{r.block:22} {r.name:24} {r.how:15} {r.what}")
            return 0
        if args.json:
            check_results(args.json)
        if args.keep:
            pathlib.Path(args.keep).mkdir(parents=True, exist_ok=True)
        rows, troubles = prove(args, chosen)
    except (Trouble, OSError) as trouble:
        print(f"warpref properties: {trouble}", file=sys.stderr)
        return 2
    if args.json:
        keys = ("block", "config", "name", "kind", "depth", "what", "verdict", "seconds", "step", "note")
        replace.text(args.json, json.dumps([{k: getattr(r, k) for k in keys} for r in rows], indent=1) + "\n")
    rows = [r for r in rows if r.verdict != "left out"]
    good = sum(r.good for r in rows)
    print(f"{good} passed, {len(rows) - good + len(troubles)} failed")
    return 2 if troubles else 0 if rows and good == len(rows) else 1


def main():
    args = parse()
    heed_signals()
    try:
        return run(args)
    except KeyboardInterrupt as interrupt:
        print(("\r\033[K" if sys.stderr.isatty() else "") + "warpref properties: interrupted", file=sys.stderr)
        return 128 + interrupt.args[0]


if __name__ == "__main__":
    sys.exit(main())
