#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""warpref prove: by a solver, that blocks' C models equal their RTL. See docs/proofs.md."""
import argparse
import json
import multiprocessing
import os
import signal
import sys
from pathlib import Path

ROOT = Path(os.environ.get("WARPREF_ROOT") or Path(__file__).resolve().parent.parent)
sys.path[:0] = [str(ROOT), str(ROOT / "dpi")]

import blockdesc  # noqa: E402
from formal import expected, proof  # noqa: E402
from formal.harness import ToolFailed  # noqa: E402
from formal.llvm import Unsupported  # noqa: E402
from formal.solver import SOLVERS  # noqa: E402

EPILOG = """\
A goal is proved, refuted, or open (the solver did not decide it in time). What is expected of each block and
configuration stands in formal/expected.toml. A refuted goal gives vectors from reset, BLOCK.CONFIG.refuted.hex,
where a bounded search finds them: warpref replay BLOCK FILE --against rtl.

Exit status: 0 every goal that is expected to hold was proved, 1 one of them was not, or a goal was refuted from
reset, or a cross-check failed, 2 bad usage or a tool is missing.

  warpref prove hint_decoder --config tiny
  warpref prove hint_decoder --rtl mine.sv --top hint_decoder
  warpref prove --list
"""


def arguments():
    p = argparse.ArgumentParser(prog="warpref prove", formatter_class=argparse.RawDescriptionHelpFormatter,
                                description="Proves with a solver that a block's C model and its RTL are"
                                " equal: from every state that the relation formal/rel/BLOCK.c allows, for"
                                " every input.",
                                epilog=EPILOG)
    p.add_argument("block", nargs="*", metavar="BLOCK",
                   help="(all, in the configurations of which something is expected)")
    p.add_argument("-c", "--config", action="append", metavar="NAME",
                   help="named configuration; may be given several times (all of the block's toml)")
    p.add_argument("--rtl", type=Path, metavar="FILE.sv", help="RTL to prove instead of the block's own")
    p.add_argument("--top", metavar="NAME", help="its top module (the block's name)")
    p.add_argument("--model", type=Path, metavar="FILE.c", help="C model instead of the block's own")
    p.add_argument("--relation", type=Path, metavar="FILE.c", help="relation instead of formal/rel/BLOCK.c")
    p.add_argument("--goal", metavar="TEXT", help="only goals with this text in their name")
    p.add_argument("--solver", choices=SOLVERS, default=SOLVERS[0], help="(%(default)s)")
    p.add_argument("--timeout", type=int, default=300, metavar="S",
                   help="processor seconds of the solver for a question of a goal (%(default)s)")
    p.add_argument("--jobs", type=int, default=1, metavar="N", help="proofs at the same time (%(default)s)")
    p.add_argument("--seed", type=int, default=1, metavar="S", help="of the stimulus that checks the import (1)")
    p.add_argument("--short", action="store_true", help="only those that formal/expected.toml calls short")
    p.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    p.add_argument("--out", type=Path, default=Path("."), metavar="DIR", help="where counterexamples go (.)")
    p.add_argument("--list", action="store_true", help="list blocks and what is expected of them")
    p.add_argument("--table", type=Path, nargs="+", metavar="FILE.json",
                   help="print the table of results that --json wrote, as Markdown")
    p.add_argument("-v", "--verbose", action="store_true",
                   help="a line for every goal; while it runs, too, where stderr is no terminal")
    return p


def chosen(args, blocks):
    """[(block, config)] in the order of the tree; usage errors leave with status 2."""
    names = {b.name: b for b in blocks}
    for name in args.block:
        if name not in names:
            raise ToolFailed(f"no block '{name}': warpref blocks lists them")
    wanted = [names[n] for n in dict.fromkeys(args.block)] or blocks
    for config in args.config or []:
        if not any(config in b.configs for b in wanted):
            raise ToolFailed(f"no configuration '{config}' of {wanted[0].name}: {', '.join(wanted[0].configs)}")
    return [(b, c) for b in wanted for c in b.configs if not args.config or c in args.config]


def check_usage(args):
    if (args.rtl or args.model or args.relation or args.top) and len(args.block) != 1:
        raise ToolFailed("--rtl, --top, --model and --relation want one BLOCK")
    if args.top and not args.rtl:
        raise ToolFailed("--top wants --rtl")
    for path in [args.rtl, args.model, args.relation, *(args.table or [])]:
        if path and not path.is_file():
            raise ToolFailed(f"{path}: no such file")
    for path in (args.out, args.json and args.json.parent):
        if path and not path.is_dir():
            raise ToolFailed(f"{path}: no such folder")
    if args.timeout < 1 or args.jobs < 1:
        raise ToolFailed("--timeout and --jobs want a number from 1 up")


def read_results(path):
    try:
        rows = json.loads(path.read_text())
        return [{k: r[k] for k in ("block", "config", "kind", "goal", "verdict", "seconds")} for r in rows]
    except (ValueError, TypeError, KeyError):
        raise ToolFailed(f"{path}: not results that --json wrote") from None


def job_of(args, block, config):
    own = ROOT / f"formal/rel/{block.name}.c"
    relation = args.relation or (own if own.is_file() else None)
    return proof.Job(ROOT, os.environ.get("WARPREF_PROGRAM", "warpref"), block, config, args.solver, args.timeout,
                     args.goal, args.rtl and args.rtl.resolve(), args.top or block.name,
                     (args.model or ROOT / f"refmodel/{block.group}/{block.name}.c").resolve(),
                     relation and relation.resolve(), args.out, args.seed, args.verbose)


def work(job):
    """(rows, reports, message where a tool failed or something is not supported)."""
    try:
        return (*proof.prove(job), None)
    except (ToolFailed, Unsupported, RuntimeError, ValueError, OSError) as error:
        return [], [], str(error) or type(error).__name__


def show(args, job, rows, reports):
    """Prints a proof, and gives what of it is not as expected."""
    wrong = expected.compare(job, rows, args.goal)
    count = {v: sum(r["verdict"] == v for r in rows) for v in ("proved", "refuted", "open")}
    seconds = sum(r["seconds"] for r in rows)
    print(f"{job.block.name} {job.config}: {count['proved']} proved, {count['refuted']} refuted,"
          f" {count['open']} open; {seconds:.1f} s" + ("" if not wrong else f"; {len(wrong)} not as expected"))
    for r in rows:
        if args.verbose or r["verdict"] != "proved":
            print(f"  {r['verdict']:8} {r['goal']}" + (f" ({r['seconds']:.1f} s)" if r["seconds"] >= 1 else "")
                  + (f": {r['note']}" if r["note"] else ""))
    for text in reports[:3]:
        print("  " + text.replace("\n", "\n  "))
    for text in wrong:
        print(f"  not as expected: {text}")
    sys.stdout.flush()
    return wrong


def main():
    args = arguments().parse_args()
    try:
        check_usage(args)
        blocks = blockdesc.read_all()
        if args.table:
            print(expected.table(blocks, [row for path in args.table for row in read_results(path)]), end="")
            return 0
        jobs = [job_of(args, b, c) for b, c in chosen(args, blocks)]
        if args.list:
            print(expected.listing(jobs), end="")
            return 0
        if args.short or not args.block:
            jobs = [j for j in jobs if expected.wanted(j, args.short)]
        if not jobs:
            raise ToolFailed("nothing to prove: warpref prove --list shows what is expected")
    except (ToolFailed, expected.BadFile) as error:
        print(f"warpref prove: {error}", file=sys.stderr)
        return 2
    try:
        return run(args, jobs)
    except KeyboardInterrupt:
        print("warpref prove: interrupted", file=sys.stderr)
        return 2


def run(args, jobs):
    passed = failed = broken = 0
    rows = []
    # A process for each proof: the graph grows with everything that it has seen.
    with multiprocessing.get_context("spawn").Pool(min(args.jobs, len(jobs)), maxtasksperchild=1) as pool:
        for job, (found, reports, message) in zip(jobs, pool.imap(work, jobs, chunksize=1)):
            if message:
                print(f"{job.block.name} {job.config}: {message}", file=sys.stderr)
                broken += 1
                continue
            wrong = show(args, job, found, reports)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            rows += found
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{passed} passed, {failed + broken} failed")
    return 2 if broken else 1 if failed or not passed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that proofs under way end with it
    sys.exit(main())
