#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which lines of a block's RTL its stimulus runs, and which bits it toggles.

Runs `warpref cosim` on RTL that Verilator has put counters into, and reads them.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "tools"), str(HERE.parent.parent)]
import points  # noqa: E402  beside this file
import replace  # noqa: E402
from formal import rtl  # noqa: E402
from formal.tool import ToolFailed  # noqa: E402

ROOT = pathlib.Path(os.environ.get("WARPREF_ROOT") or pathlib.Path(__file__).resolve().parents[2])
PROGRAM = os.environ.get("WARPREF_PROGRAM") or str(ROOT / "build/release/bin/warpref")


def say(text):
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)


def configurations():
    """(block, config) of all blocks, in the order of their groups."""
    rows = subprocess.run([sys.executable, ROOT / "dpi/generate.py", "--configs"], capture_output=True,
                          text=True, check=True).stdout
    return [tuple(row.split()[1:3]) for row in rows.splitlines()]


def add_config(parser, known, default):
    names = dict.fromkeys(config for _, config in known)
    parser.add_argument("--config", default=default, help=f"{', '.join(names)} ({default})")


def wanted_of(parser, names, config, known):
    """The blocks that the user has named, or a usage error."""
    blocks = list(dict.fromkeys(block for block, _ in known))
    wanted = blocks if names == ["all"] else list(dict.fromkeys(names))
    for block in wanted:
        if block not in blocks:
            parser.error(f"no block '{block}'; `warpref blocks` lists them")
        if (block, config) not in known:
            has = ", ".join(c for b, c in known if b == block)
            parser.error(f"{block} has no configuration '{config}'; it has {has}")
    return wanted


def own_rtl(parser, o):
    """Sources of the user's RTL, and its top; (None, None) where the block's own is meant."""
    try:
        return rtl.given_own(o, o.blocks), o.top
    except ToolFailed as e:
        parser.error(str(e))


def want_tools(tools):
    """Of (program, package), that each is there."""
    for program, package in tools:
        if shutil.which(program) is None:
            raise points.Bad(f"{program} is not installed: apt-get install {package}")


def want_writable(path):
    """Known before the run, which may take long."""
    path = pathlib.Path(path)
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise points.Bad(f"{path}: cannot be written: name a file in a folder that is there")


def save(path, rows):
    replace.text(path, json.dumps({"blocks": rows}, indent=2) + "\n")


def end_children(process="self"):
    """And theirs."""
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        try:
            for child in task.read_text(encoding="ascii").split():
                end_children(child)
                os.kill(int(child), signal.SIGTERM)
        except OSError:
            pass  # it has ended


def carry_out(prog, o, wanted, prepare, work, show):
    """Does the work on the blocks, --jobs at a time, shows and saves what it gives; the exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rows = []
    try:
        if o.json:
            want_writable(o.json)
        pathlib.Path(o.out).mkdir(parents=True, exist_ok=True)
        made = prepare(pathlib.Path(o.out))
        with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            try:
                for row in pool.map(lambda block: work(block, o, made), wanted):
                    rows.append(row)
                    show(row, o)
                    say(f"[{len(rows)}/{len(wanted)}] {row['block']}")
            except (KeyboardInterrupt, SystemExit):
                pool.shutdown(wait=False, cancel_futures=True)
                end_children()
                raise
        good = sum(row["status"] == 0 for row in rows)
        print(f"{good} passed, {len(rows) - good} failed")
        if o.json:
            save(o.json, rows)
    except KeyboardInterrupt:
        print(f"{prog}: interrupted", file=sys.stderr)
        raise
    except points.Bad as e:
        print(f"{prog}: {e}", file=sys.stderr)
        return 2
    except OSError as e:
        print(f"{prog}: {e.filename}: {e.strerror}", file=sys.stderr)
        return 2
    return max(row["status"] for row in rows)


def measure(block, o, _):
    """One block: its figures as a dictionary, with `errors` and `status`."""
    folder = pathlib.Path(o.out) / f"{block}.{o.config}"
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "coverage.dat"
    row = {"block": block, "config": o.config, "cycles": o.cycles, "seed": o.seed, "status": 2}
    given = []
    if o.sources:
        row["rtl"] = str(o.sources.files[0])
        given = o.sources.options() + (["--top", o.top] if o.top else [])
    run = subprocess.run(
        [PROGRAM, "cosim", block, "--config", o.config, "--cycles", str(o.cycles), "--seed", str(o.seed),
         "--coverage", data, "--json", "--no-shrink", "--mismatch-wave", folder / "mismatch.fst", *given],
        stdout=subprocess.PIPE, stderr=None if sys.stderr.isatty() else subprocess.PIPE, text=True,
        check=False)
    if run.returncode == 2:
        return row | {"errors": [run.stderr.strip() if run.stderr else f"{block}: cosim cannot run"]}
    if run.returncode != 0:
        said = json.loads(run.stdout) if run.stdout.startswith("{") else {}
        return row | {"status": 1, "errors": [f"{block}: cosim fails: {said.get('mismatch', 'see it')}"]}
    try:
        found = points.read(data, ROOT, own=not o.sources)
        wrong = [] if o.sources else points.waive(found, block, o.config)
    except points.Bad as e:
        return row | {"errors": [str(e)]}
    for old in [*folder.glob("*.sv"), *folder.glob("*.v")]:
        old.unlink()
    subprocess.run(["verilator_coverage", "--annotate", folder, "--annotate-all", "--annotate-min", "1", data],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return row | found.as_json() | {"errors": wrong, "status": int(bool(wrong or found.never()))}


def percent(hit, every):
    return f"{hit}/{every} {100 * hit / every:.1f} %" if every else "-"


def print_row(row, o):
    if "lines" in row:
        print(f"{row['block']:24} lines {percent(row['lines_hit'], row['lines']):18} "
              f"toggles {percent(row['toggles_hit'], row['toggles']):20} waived {len(row['waived'])}")
        for b in row["never"]:
            print(f"  never: {b['file']}:{b['line']} {b['branch']}: {b['text']}")
        if o.toggles:
            for signal in row["never_toggled"]:
                print(f"  still: {signal}")
    for error in row["errors"]:
        print(f"  {error}" if "lines" in row else error)
    sys.stdout.flush()


def main():
    known = configurations()
    parser = argparse.ArgumentParser(
        prog="warpref coverage", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Which lines of a block's RTL run and which bits in it toggle under the stimulus of "
                    "`warpref cosim`.",
        epilog="""\
A line is hit when every branch on it was taken. One that is not is a weakness of the stimulus, or
nothing at the pins can reach it: tests/coverage/waived.txt says so then, with the reason. Bits that
never toggled are counted; --toggles names them.

The RTL is Verilated anew with counters, on first use, and kept in the cache (`warpref cosim --help`).
DIR/BLOCK.CONFIG then holds coverage.dat, for verilator_coverage, and the sources with a count at each
line. Of RTL of yours (--rtl) nothing is waived.

The JSON is an object: `blocks`, a list with block, config, cycles, seed, rtl (--rtl), lines, lines_hit, toggles,
toggles_hit, never (branches not taken: file, line, branch, text), waived, never_toggled, errors,
status (0, 1 or 2).

Exit status: 0 every line is hit or waived, 1 one is not, or a waived one is hit, or cosim fails; 2 bad
usage, or a block cannot be run.

Example: warpref coverage alloc_table simt_stack --config tiny
Example: warpref coverage switch_queues --rtl examples/rtl/switch_queues_shift.sv --top switch_queues_shift
Example: warpref coverage all --config tiny --cycles 100000 --json coverage.json""")
    parser.add_argument("blocks", metavar="BLOCK", nargs="+", help="a block, or `all`")
    add_config(parser, known, "default")
    rtl.add_own(parser, "measure")
    parser.add_argument("--cycles", type=positive, default=1000000, metavar="N",
                        help="of stimulus for each block (1000000)")
    parser.add_argument("--seed", type=natural, default=1, metavar="S", help="of the stimulus (1)")
    parser.add_argument("--toggles", action="store_true", help="name the bits that never toggled")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="blocks at a time (1)")
    parser.add_argument("--out", default="out/coverage", metavar="DIR", help="(out/coverage)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    o = parser.parse_args()
    wanted = wanted_of(parser, o.blocks, o.config, known)
    o.sources, o.top = own_rtl(parser, o)
    return carry_out(parser.prog, o, wanted, lambda _: want_tools([("verilator_coverage", "verilator")]),
                     measure, print_row)


def natural(text):
    value = int(text)
    if value < 0:
        raise ValueError
    return value


def positive(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


if __name__ == "__main__":
    sys.exit(main())
