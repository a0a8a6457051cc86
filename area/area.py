#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a block costs: cells, area, delay, power; on request a layout, an FPGA, a smaller node.

One block goes through steps (synthesis, timing, power, layout, fpga), each a function that leaves a result
in the block's folder; results.py keeps them and says when one is to be done anew. Blocks do not know of each
other: a failure ends its own block alone.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import signal
import sys

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean

import activity as activities
import design as designs
import fpga
import gates
import layout
import library as libraries
import results
import scaling
import synth
import tables
import timing
import toolbox
from toolbox import Failure
from tools import replace

ROOT = pathlib.Path(os.environ.get("WARPREF_ROOT") or pathlib.Path(__file__).resolve().parent.parent)
EPILOG = """\
What is done, rule by rule, and how to read it: docs/area.md.

Results are kept in --out, one folder a block, with scripts, netlists and logs of every step:
synthesis_EFFORT.json, timing_EFFORT.json, power.json, layout.json, fpga.json. One that is there and still
follows from the same RTL, parameters, library, tools and options is not done again, so an interrupted run
goes on where it was.

RTL of your own needs a clock as its one input port that clocks flip-flops; ports at asynchronous resets are
found likewise. Its top module has a name of letters, digits and _. A path of more than 40 FO4 is marked with !.

--check without blocks: in tiny, default and odd all of them, in other configurations those with figures.

Exit status: 0 all done and held; 1 a check or a tool failed; 2 bad usage, RTL that does not synthesise, a
library or a tool that is missing.

Example: warpref area switch_queues hint_decoder
Example: warpref area rename_table --config tiny --layout --clock 200
Example: warpref cosim simt_stack --rtl-wave s.fst && warpref area simt_stack --activity s.fst
Example: warpref area --rtl mine.sv --top mine --param Width=8 --fpga
"""


def arguments():
    p = argparse.ArgumentParser(prog="warpref area", formatter_class=argparse.RawDescriptionHelpFormatter,
                                description="Cells, area, delay and power of blocks in an open cell library.",
                                epilog=EPILOG)
    p.add_argument("blocks", nargs="*", metavar="BLOCK", help="blocks (all, if none is named)")
    p.add_argument("-c", "--config", default="default", metavar="NAME", help="of the blocks (default)")
    p.add_argument("--param", action="append", default=[], metavar="NAME=VALUE",
                   help="set a parameter on top of it; may be repeated")
    p.add_argument("--rtl", action="append", default=[], metavar="FILE.sv",
                   help="measure this RTL; may be repeated")
    p.add_argument("--top", metavar="NAME", help="its module (the name of the first file)")
    p.add_argument("--library", choices=sorted(libraries.KNOWN), help="cell library (osu018)")
    p.add_argument("--liberty", metavar="FILE", help="a Liberty file instead")
    p.add_argument("--clock", type=positive, default=700.0, metavar="MHZ",
                   help="clock for slack and power (700)")
    p.add_argument("--activity", metavar="FILE",
                   help="VCD or FST of a run: toggles of one block, for its power")
    p.add_argument("--node", type=int, metavar="NM", help="carry figures to this node, 130 to 16 nm")
    p.add_argument("--layout", action="store_true", help="place and route with qflow; factors and a picture")
    p.add_argument("--fpga", action="store_true", help="an iCE40 HX8K: LUTs, flip-flops, MHz")
    p.add_argument("--paths", action="store_true", help="print where the longest paths start and end")
    p.add_argument("-j", "--json", metavar="FILE", help="write all figures, with the cells of the longest path")
    p.add_argument("-o", "--out", default="out/area", metavar="DIR", help="folder of results (out/area)")
    p.add_argument("--jobs", type=int, default=2, metavar="N", help="blocks at the same time (2)")
    p.add_argument("--check", action="store_true", help="hold against area/baseline.json and the rule on depth")
    p.add_argument("--save", action="store_true", help="write what was measured there, and into docs/area.md")
    p.add_argument("--table", action="store_true", help="print the tables of docs/area.md, measuring nothing")
    options = p.parse_args()
    if options.rtl and (options.blocks or options.check or options.save):
        p.error("--rtl goes without blocks, --check and --save")
    if options.top and not options.rtl:
        p.error("--top goes with --rtl")
    if (options.check or options.save) and (options.param or options.liberty):
        p.error("--check and --save go with named configurations and libraries")
    if options.library and options.liberty:
        p.error("--library or --liberty, not both")
    if options.jobs < 1:
        p.error("--jobs wants 1 or more")
    if options.activity and len(options.blocks) + len(options.rtl[:1]) != 1:
        p.error("--activity is of one block: name it")
    return options


def positive(text):
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError("wants MHz above 0")
    return value


def measure(design, library, options, progress):
    """All figures of a design: a row."""
    folder = pathlib.Path(options.out).resolve() / library.name / design.folder
    key = results.digest(*(p.read_bytes() for p in design.files), design.top, design.params, library.text,
                         toolbox.version("yosys"), results.program("synth", "netlist", "library"))
    row = {"block": design.name, "config": design.config, "label": design.label, "params": dict(design.params),
           "library": library.name}

    def step(name, key, work):
        progress(design, name)
        row[name] = results.kept(folder, name, key, work)

    toolbox.need("sta", timing.STEP)

    def effort(name, key=key):
        """Synthesis and timing with one effort of ABC."""
        progress(design, f"synthesis, effort {name}")
        synthesis = results.kept(folder, f"synthesis_{name}", key,
                                 lambda: synth.synthesise(design, library, folder, name))
        key = results.digest(key, toolbox.version("sta"), results.program("timing"))
        fo4 = results.kept(folder, "fo4", key, lambda: timing.fo4(library, folder))
        progress(design, "timing")
        delay = results.kept(folder, f"timing_{name}", results.digest(key, options.clock),
                             lambda: timing.delay(library, folder, name, options.clock, fo4))
        return synthesis, delay, fo4, key

    best = effort("area")
    if best[1]["fo4"] > gates.LIMIT:
        best = min(best, effort("delay"), key=lambda e: e[1]["fo4"])
    row["synthesis"], row["timing"], fo4, key = best
    name = row["synthesis"]["effort"]
    toggles, source = None, b""
    if options.activity:
        path = pathlib.Path(options.activity)
        ports = [p for p in timing.Netlist(folder / f"{name}.v", library).ports]
        progress(design, "activity")
        toggles = activities.read(path, design.top, ports)
        source = path.read_bytes()
    step("power", results.digest(key, name, options.clock, source, results.program("activity", "vcd")),
         lambda: timing.power(library, folder, name, options.clock, fo4, toggles))
    if options.layout:
        step("layout", layout.key(key), lambda: layout.place_and_route(design, library, folder))
    if options.fpga:
        step("fpga", fpga.key(design), lambda: fpga.fit(design, folder, library, name))
    if options.node is not None:
        row["node"] = scaling.scaled(row, scaling.factors(ROOT, library.name, options.node), options.clock)
    return row


def all_rows(chosen, library, options):
    """Rows of the designs that went well, in order; failures are printed as they come."""
    done, status, shown = 0, 0, sys.stderr.isatty()

    def progress(design, name):
        if shown:
            sys.stderr.write(f"\r\033[K{done}/{len(chosen)} {design.label}: {name}")
            sys.stderr.flush()

    rows, failures = {}, {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(measure, d, library, options, progress): d for d in chosen}
        try:
            for job in concurrent.futures.as_completed(jobs):
                design = jobs[job]
                done += 1
                try:
                    rows[design] = job.result()
                except Failure as failure:
                    failures[design] = failure
                except OSError as problem:
                    failures[design] = Failure("files", str(problem), 2)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            toolbox.stop_all()
            raise
    if shown:
        sys.stderr.write("\r\033[K")
    for design in chosen:
        if design in failures:
            status = max(status, failures[design].status)
            print(f"warpref area: {design.label}: {failures[design]}", file=sys.stderr)
    return [rows[d] for d in chosen if d in rows], status


def tools():
    return {name: toolbox.version(name) for name in ("yosys", "sta")}


def check(rows, library, asked):
    """Prints what does not hold; 1 if anything does not."""
    base, depth, good = gates.load(ROOT), gates.load_depth(ROOT), 0
    for row in rows:
        wrong = gates.compare(base, library.name, row, tools()) + gates.too_deep(depth, row)
        for text in wrong:
            print(f"{row['label']}: {text}")
        good += not wrong
    if good < len(rows):
        print("If this is meant: add a line to CHANGELOG.md and run `warpref area --save` with the same "
              "blocks and configuration.")
    page = ROOT / "docs/area.md"
    wrong = asked - good
    if page.read_text() != tables.page(ROOT, page.read_text(), base):
        print("docs/area.md: its tables are not those of area/baseline.json; `warpref area --save` writes them")
        wrong += 1
    print(f"{good} passed, {wrong} failed")
    return 1 if wrong or not good else 0


def known(chosen, library, config):
    """Those with figures in the baseline, where it need not have all."""
    figures = gates.load(ROOT).get(library.name, {}).get(config, {})
    without = [d.name for d in chosen if d.name not in figures]
    if without:
        print(f"Without figures for {config}, so not held: {', '.join(without)}")
    return [d for d in chosen if d.name in figures]


def save(rows, library):
    gates.save(ROOT, library.name, rows, tools())
    page = ROOT / "docs/area.md"
    replace.text(page, tables.page(ROOT, page.read_text(), gates.load(ROOT)))


def show(rows, options):
    print(tables.run_table(rows))
    notes = {what for row in rows for what in row["power"]["meaningless"]}
    if notes:
        print(f"\nThe library says nothing of {' and '.join(sorted(notes))} power: "
              "mW is without, and means little.")
    for row in rows:
        if row["power"]["cells_without"]:
            print(f"\n{row['block']}: OpenSTA has no figure for {row['power']['cells_without']} of its cells; mW is "
                  "without them.")
    if options.activity:
        for row in rows:
            p = row["power"]
            print(f"\nPower from {p['activity']}: toggles known of {p['known_bits']} of {p['bits']} input and "
                  "register bits.")
    if options.paths:
        print("\n" + tables.paths(rows))
    if options.node is not None:
        print("\n" + tables.node_table(rows, options.node))
    if options.layout:
        print("\n" + tables.layout_table(rows))
    if options.fpga:
        print("\n" + tables.fpga_table(rows))


def terminated(number, _):
    raise KeyboardInterrupt(number)


def main():
    options = arguments()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, terminated)
    if options.table:
        for name, text in tables.documents(ROOT, gates.load(ROOT)).items():
            print(f"{name}\n\n{text}")
        return 0
    name = options.library or "osu018"
    path = pathlib.Path(options.liberty or libraries.KNOWN[name]).resolve()
    library = libraries.Library(path, path.stem if options.liberty else name)
    if options.node is not None:
        scaling.factors(ROOT, library.name, options.node)  # says at once what is wrong with it
    if options.rtl:
        chosen = [designs.of_user(options.rtl, options.top, options.param)]
    else:
        chosen = designs.of_blocks(ROOT, options.blocks, options.config, options.param)
    if options.check and not options.blocks and options.config not in gates.WHOLE:
        chosen = known(chosen, library, options.config)
    synth.refuse([p for d in chosen for p in d.files] + [library.path], ";\"'", "Yosys")
    out = [pathlib.Path(options.out).resolve()]
    synth.refuse(out, "#;\"'", "ABC")
    if options.layout:
        synth.refuse(out, layout.MARKS, "qflow")
    rows, status = all_rows(chosen, library, options)
    if rows:
        show(rows, options)
    if options.json:
        replace.text(options.json, json.dumps({"tools": tools(), "blocks": rows}, indent=1) + "\n")
    if options.save and rows:
        save(rows, library)
    if options.check:
        status = max(status, check(rows, library, len(chosen)))
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as problem:
        print(f"warpref area: {problem}", file=sys.stderr)
        sys.exit(problem.status)
    except KeyboardInterrupt as interrupt:
        print("\nwarpref area: interrupted; what is finished is kept, the same command goes on",
              file=sys.stderr)
        number = interrupt.args[0] if interrupt.args else signal.SIGINT
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    except OSError as problem:
        print(f"warpref area: {problem}", file=sys.stderr)
        sys.exit(2)
