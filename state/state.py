#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The state of each block: what was run against it, with which result, and the stage that this makes.

state/record.json holds what was measured: by method and block the figures, commit and date of the run, and
digests of the block's sources and of its part of the bench. docs/state.md and the stages follow from it alone,
so they cannot say what no run has said. A figure of another digest than today's is marked, and counts for no
stage.
"""
import argparse
import concurrent.futures
import datetime
import fcntl
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

import methods
import replace
from methods import METHODS, ROOT, Trouble

RECORD = ROOT / "state/record.json"
KEYS = {"figures", "commit", "date", "sources"}
PAGE = ROOT / "docs/state.md"
FROM, TO = "<!-- written by warpref state --page -->\n", "<!-- end of it -->\n"

# What a stage asks for above the one before: methods of which everything held. Named like OpenTitan's.
STAGES = {
    "V1": ["lockstep"],
    "V2": ["coverage", "gates", "properties", "fuzz", "model_mutants", "misreadings"],
    "V3": ["rtl_mutants", "equality", "area"],
}

EPILOG = """\
A figure is shown as it was measured: '–' never was, '(old)' is of older sources or an older bench, '✗' did not
hold. What the stages ask for stands in docs/state.md.

--measure runs, block by block, what has no figure of the sources as they are, and records each result at
once: the same command goes on where it was ended. RTL mutants and those of the models take hours. What
`warpref area`, `mutate` and `prove` keep in out/ is used again.

Exit status: 0 done, and with --check the page is what the record says; 1 it is not, or a measurement did not
run; 2 bad usage, or the record cannot be read.

Example: warpref state rename_table
Example: warpref state --measure --method lockstep --method area --jobs 2 && warpref state --page
"""


def load():
    try:
        record = json.loads(RECORD.read_text()) if RECORD.is_file() else {}
        for method, rows in record.items():
            for block, row in rows.items():
                if not KEYS <= set(row) or "pass" not in row["figures"]:
                    raise ValueError(f"{method} of {block} is no figure")
        return record
    except (ValueError, AttributeError, TypeError) as error:
        raise Trouble(f"{RECORD}: {error}; `git checkout state/record.json` brings it back") from None


def store(record):
    """A line for each figure, so that a change of one is a change of a line."""
    parts = []
    for method in sorted(record):
        rows = [f'  {json.dumps(b)}: {json.dumps(record[method][b], sort_keys=True)}' for b in sorted(record[method])]
        parts.append(f' {json.dumps(method)}: {{\n' + ",\n".join(rows) + "\n }")
    replace.text(RECORD, "{\n" + ",\n".join(parts) + "\n}\n")


def fresh(record, method, block):
    row = record.get(method, {}).get(block.name)
    return row is not None and (row["sources"], row.get("bench")) == (block.sources, block.bench(method))


def keep(record, method, block, row):
    """Adds one figure to what stands in the file by now: others may be measuring beside this run."""
    folder = os.open(RECORD.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        now = load()
        now.setdefault(method, {})[block] = row
        store(now)
    finally:
        os.close(folder)
    record.clear()
    record.update(now)


def stage_of(record, block):
    stage = "V0"
    for name, wanted in STAGES.items():
        if not all(fresh(record, m, block) and record[m][block.name]["figures"]["pass"] for m in wanted):
            break
        stage = name
    return stage


def cells_of(record, method, block):
    """The texts of a method's columns; the last one says what is wrong with them."""
    row = record.get(method, {}).get(block.name)
    if row is None:
        return ["–"] * len(METHODS[method].columns)
    texts = [show(row["figures"]) for show in METHODS[method].columns.values()]
    texts[-1] += ("" if row["figures"]["pass"] else " ✗") + ("" if fresh(record, method, block) else " (old)")
    return texts


def rows_of(record, blocks):
    head = ["block", "stage", *(title for m in METHODS.values() for title in m.columns), "storage, bits"]
    return head, [[b.name, stage_of(record, b), *(text for m in METHODS for text in cells_of(record, m, b)),
                   f"{b.bits:,}"] for b in blocks]


def table(head, rows):
    return "".join("| " + " | ".join(r) + " |\n" for r in [head, ["---"] * len(head), *rows])


def written(record):
    """The part of the page that is."""
    blocks = methods.blocks_of([])
    head, rows = rows_of(record, blocks)
    counts = ", ".join(f"{sum(r[1] == stage for r in rows)} at {stage}" for stage in ["V0", *STAGES])
    text = f"Of {len(blocks)} blocks stand {counts}.\n\n" + table(head, rows) + "\n"
    asks = []
    for stage, wanted in STAGES.items():
        for name in wanted:
            done = record.get(name, {})
            runs = sorted({(row["date"], row["commit"]) for row in done.values()})
            of = ", ".join(f"{commit} ({date})" for date, commit in runs) or "never run"
            held = sum(fresh(record, name, b) and done[b.name]["figures"]["pass"] for b in blocks)
            asks.append([stage, METHODS[name].asks, f"`{METHODS[name].command}`", f"{held}/{len(blocks)}", of])
    return text + table(["stage", "asks for, above the one before", "command", "hold", "measured at"], asks)


def page_with(page, record):
    if page.count(FROM) != 1 or page.count(TO) != 1:
        raise Trouble(f"{PAGE}: the lines between which the tables stand are not there")
    before, rest = page.split(FROM)
    return before + FROM + "\n" + written(record) + "\n" + TO + rest.split(TO)[1]


def commit():
    """The commit that is measured, with + where the tree differs from it."""
    try:
        name = methods.run(["git", "rev-parse", "--short", "HEAD"]).strip()
    except (Trouble, OSError):
        return "no commit"  # an unpacked archive
    changed = methods.run(["git", "status", "--porcelain", "--untracked-files=no", "--", ".",
                           ":!state/record.json", ":!docs/state.md"])
    return name + ("+" if changed.strip() else "")


def say(text):
    print(("\r\033[K" if sys.stderr.isatty() else "") + text, file=sys.stderr, flush=True)


def measure(record, wanted, blocks, again, jobs):
    """Runs methods on blocks and records each result at once. How many did not run."""
    of, failed = commit(), 0
    # The bench is the one that the run begins with: it may change meanwhile.
    work = [(m, b, b.bench(m)) for m in wanted for b in blocks if again or not fresh(record, m, b)]
    if jobs > 1:
        os.environ["JOBS"] = "1"  # what a method starts takes one processor
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(METHODS[m].measure, b): (m, b, bench) for m, b, bench in work}
        try:
            for done, future in enumerate(concurrent.futures.as_completed(running), 1):
                name, block, bench = running[future]
                try:
                    figures = future.result()
                except Trouble as trouble:
                    failed += 1
                    say(f"warpref state: {block.name}: {name}: {trouble}")
                    continue
                keep(record, name, block.name, {"figures": figures, "commit": of, "sources": block.sources,
                                                "bench": bench, "date": datetime.date.today().isoformat()})
                if sys.stderr.isatty():
                    print(f"\r\033[K{done}/{len(work)}: {name} {block.name}", end="", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    if sys.stderr.isatty():
        say(f"{len(work) - failed} of {len(work)} measured")
    return failed


def show(record, blocks):
    head, rows = rows_of(record, blocks)
    if len(rows) == 1:
        for title, text in zip(head, rows[0]):
            print(f"{title:24} {text}")
        return
    shown = [[r[0], r[1], *(("ok" if fresh(record, m, b) and record[m][b.name]["figures"]["pass"] else
                             "✗" if fresh(record, m, b) else "old" if b.name in record.get(m, {}) else "–")
                            for m in METHODS)] for r, b in zip(rows, blocks)]
    shown.insert(0, ["block", "stage", *METHODS])
    wide = [max(len(r[i]) for r in shown) for i in range(len(shown[0]))]
    for r in shown:
        print("  ".join(f"{text:{w}}" for text, w in zip(r, wide)).rstrip())


def verdict(record, method, block):
    if block.name not in record.get(method, {}):
        return "never"
    if not fresh(record, method, block):
        return "old"
    return "held" if record[method][block.name]["figures"]["pass"] else "did not hold"


def as_json(record, blocks):
    """What `warpref report` shows, the figures as texts."""
    def figures(method, block):
        row = record.get(method, {}).get(block.name)
        return [text(row["figures"]) for text in METHODS[method].columns.values()] if row else []
    return {"blocks": [{"block": b.name, "stage": stage_of(record, b), "bits": b.bits,
                        "methods": {m: {"verdict": verdict(record, m, b), "figures": figures(m, b)}
                                    for m in METHODS}} for b in blocks],
            "asks": [{"stage": stage, "method": name, "figures": list(METHODS[name].columns),
                      "asks": METHODS[name].asks, "command": METHODS[name].command}
                     for stage, wanted in STAGES.items() for name in wanted]}


def arguments():
    p = argparse.ArgumentParser(
        prog="warpref state", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=EPILOG,
        description="What was run against each block, with which result, and the stage that this makes.")
    p.add_argument("blocks", nargs="*", metavar="BLOCK", help="one shows its figures; all, if none is named")
    p.add_argument("--measure", action="store_true", help="measure what has no figure of the sources as they are")
    p.add_argument("--method", action="append", choices=list(METHODS), help="only this; may be repeated")
    p.add_argument("--again", action="store_true", help="measure also what has one")
    p.add_argument("--jobs", type=int, default=1, metavar="N", help="measurements at a time (1)")
    p.add_argument("--page", action="store_true", help="write the tables of docs/state.md")
    p.add_argument("--json", action="store_true", help="print stages and figures as JSON, for `warpref report`")
    p.add_argument("--check", action="store_true", help="hold docs/state.md against the record")
    args = p.parse_args()
    if (args.method or args.again) and not args.measure:
        p.error("--method and --again go with --measure")
    if args.json and (args.measure or args.page or args.check):
        p.error("--json goes without --measure, --page and --check")
    if args.jobs < 1:
        p.error("--jobs: at least 1")
    return args


def main():
    args = arguments()
    record, blocks = load(), methods.blocks_of(args.blocks)
    if args.measure:
        return 1 if measure(record, args.method or list(METHODS), blocks, args.again, args.jobs) else 0
    if args.page or args.check:
        page = PAGE.read_text()
        right = page_with(page, record)
        if args.page:
            replace.text(PAGE, right)
            return 0
        if page != right:
            print("docs/state.md is not what state/record.json and the sources say; `warpref state --page` writes it")
        print(f"{int(page == right)} passed, {int(page != right)} failed")
        return int(page != right)
    if args.json:
        print(json.dumps(as_json(record, blocks), indent=1, ensure_ascii=False))
        return 0
    show(record, blocks)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Trouble, OSError, subprocess.SubprocessError) as problem:
        say(f"warpref state: {problem}")
        sys.exit(2)
