#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""warpref prove: by a solver, that blocks' C models equal their RTL. See docs/proofs.md."""
import argparse
import json
import multiprocessing
import os
import signal
import sys
from multiprocessing import resource_tracker
from pathlib import Path

ROOT = Path(os.environ.get("WARPREF_ROOT") or Path(__file__).resolve().parent.parent)
sys.path[:0] = [str(ROOT), str(ROOT / "dpi")]

import blockdesc  # noqa: E402
from formal import expected, kept, proof, rtl  # noqa: E402
from formal.llvm import Unsupported  # noqa: E402
from formal.solver import SOLVERS  # noqa: E402
from formal.tool import ToolFailed  # noqa: E402

EPILOG = """\
A goal is proved, refuted, or open (the solver did not decide it in time). What is expected of each block and
configuration stands in formal/expected.toml. A refuted goal gives vectors from reset, BLOCK.CONFIG.refuted.hex,
where a bounded search finds them: warpref replay BLOCK FILE --against rtl.

A result is kept in --out as soon as it is there, for RTL of yours, too, and not proved again as long as all that
it follows from is the same: models, RTL, relation, toml, stimulus, program, tools and limits. So the same command
goes on where it was ended, and says "kept" of what it finds; its seconds are those of the proof.

Exit status: 0 every goal that is expected to hold was proved, 1 one of them was not, or a goal was refuted from
reset, or a cross-check failed, or with --check something does not agree, 2 bad usage or a tool is missing.

  warpref prove hint_decoder --config tiny
  warpref prove hint_decoder --rtl mine.sv --rtl-dir parts --top my_decoder
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
                   help="named configuration; may be repeated (all of the block's toml)")
    rtl.add_own(p, "prove")
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
    p.add_argument("--out", type=Path, default=Path("out/prove"), metavar="DIR",
                   help="where results are kept and counterexamples go (%(default)s)")
    p.add_argument("--again", action="store_true", help="prove also what is kept")
    p.add_argument("--save", action="store_true",
                   help="record what was proved or kept in formal/results.json, and write the table of docs/proofs.md")
    p.add_argument("--check", action="store_true",
                   help="hold the table, formal/results.json and formal/expected.toml against each other")
    p.add_argument("--list", action="store_true", help="list blocks and what is expected of them")
    p.add_argument("--table", type=Path, nargs="*", metavar="FILE.json",
                   help="print the table of what is kept, or of results that --json wrote, as Markdown")
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
    if (args.model or args.relation) and len(args.block) != 1:
        raise ToolFailed("--model and --relation want one BLOCK")
    rtl.given_own(args, args.block)
    for path in [args.model, args.relation, *(args.table or [])]:
        if path and not path.is_file():
            raise ToolFailed(f"{path}: no such file")
    if args.save and (args.rtl or args.model or args.relation or args.goal):
        raise ToolFailed("--save is for the tree as it is: without --rtl, --model, --relation and --goal")
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
                     args.goal, rtl.given(args.rtl, args), args.top or block.name,
                     (args.model or ROOT / f"refmodel/{block.group}/{block.name}.c").resolve(),
                     relation and relation.resolve(), args.out, args.seed, args.verbose)


ENDING = (signal.SIGTERM, signal.SIGHUP)


def ended(number, _):
    for other in ENDING:
        signal.signal(other, signal.SIG_IGN)
    sys.exit(128 + number)


def end_by_sigterm():
    """As an exception, so that temporary files go, and tools and proofs under way end with this process."""
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, ended)


def work(job):
    """(rows, reports, message where a tool failed or something is not supported)."""
    end_by_sigterm()
    try:
        key = kept.key(job)
        rows, reports = proof.prove(job)
        kept.keep(job, key, rows)
        return rows, reports, None
    except (ToolFailed, Unsupported, RuntimeError, ValueError, OSError) as error:
        return [], [], str(error) or type(error).__name__
    finally:
        for number in ENDING:
            if signal.getsignal(number) is ended:
                signal.signal(number, signal.SIG_DFL)


def show(args, job, rows, reports, is_kept):
    """Prints a proof, and gives what of it is not as expected."""
    wrong = expected.compare(job, rows, args.goal)
    counts = ", ".join(f"{sum(r['verdict'] == v for r in rows)} {v}" for v in ("proved", "refuted", "open"))
    seconds = sum(r["seconds"] for r in rows)
    print(f"{job.block.name} {job.config}: {counts}; {seconds:.1f} s" + (", kept" if is_kept else "")
          + (f"; {len(wrong)} not as expected" if wrong else ""))
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


def table(args, blocks):
    if args.table:
        rows = [row for path in args.table for row in read_results(path)]
    else:
        rows = [row for b, c in chosen(args, blocks) for row in kept.read(job_of(args, b, c)) or []]
    return expected.table(blocks, expected.summary(rows))


def main():
    args = arguments().parse_args()
    try:
        check_usage(args)
        blocks = blockdesc.read_all()
        if args.table is not None:
            print(table(args, blocks), end="")
            return 0
        if args.check:
            return check(blocks)
        jobs = [job_of(args, b, c) for b, c in chosen(args, blocks)]
        if args.list:
            print(expected.listing(jobs), end="")
            return 0
        if args.short or not args.block:
            jobs = [j for j in jobs if expected.wanted(j, args.short)]
        if not jobs:
            raise ToolFailed("nothing to prove: warpref prove --list shows what is expected")
        args.out.mkdir(parents=True, exist_ok=True)
        if args.json:
            kept.check_json(args.json)
        status, rows = run(args, jobs)
        if args.json:
            kept.write_json(args.json, rows)
        if args.save:
            expected.save(blocks, rows)
        return status
    except (ToolFailed, expected.BadFile) as error:
        print(f"warpref prove: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"warpref prove: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("warpref prove: interrupted", file=sys.stderr)
        raise


def check(blocks):
    wrong = expected.check(blocks)
    for text in wrong:
        print(text)
    print(f"{int(not wrong)} passed, {len(wrong)} failed")
    return int(bool(wrong))


def run(args, jobs):
    """(exit status, rows)."""
    passed = failed = broken = 0
    rows = []
    found = [None if args.again else kept.read(job) for job in jobs]
    missing = [job for job, old in zip(jobs, found) if old is None]
    # Ctrl-C is for this process alone, which then ends the others: they inherit that they do not see it. What
    # multiprocessing starts first of all lets it through again, so that comes before.
    resource_tracker.ensure_running()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # A process for each proof: the graph grows with everything that it has seen.
    with multiprocessing.get_context("spawn").Pool(max(1, min(args.jobs, len(missing))), maxtasksperchild=1) as pool:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        proved = pool.imap(work, missing, chunksize=1)
        for job, old in zip(jobs, found):
            new, reports, message = next(proved) if old is None else (old, [], None)
            if message:
                print(f"warpref prove: {job.block.name} {job.config}: {message}", file=sys.stderr)
                broken += 1
                continue
            if old is not None:
                job.vectors.unlink(missing_ok=True)  # of another result
            wrong = show(args, job, new, reports, old is not None)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            rows += new
    print(f"{passed} passed, {failed + broken} failed")
    return 2 if broken else 1 if failed or not passed else 0, rows


if __name__ == "__main__":
    end_by_sigterm()
    sys.exit(main())
