#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Misreadings: the same wrong idea in model and RTL. Lockstep must pass, for both sides say the same, and the
block's unit test (oracle, golden vectors, the papers' examples) must fail, for it is all that is left.

tests/mutants/misread/BLOCK.toml has five at least:

    [[misreading]]
    name = "border_always_counts"
    reads = "what one may take the paper to say, and what holds"
    source = "Lin-P III.B"                      # the sentence, table or page that decides
    model = [{ before = "text", after = "text" }]
    rtl = [{ before = "text", after = "text" }]

`before` stands once in its file: refmodel/*/BLOCK.c or rtl/*/BLOCK.sv, or `file`. `config` (tiny) is the
configuration that lockstep plays, where tiny cannot show the difference. Where the wrong idea makes a legal input
a fault, `model` changes the block's stimulus, too, which must keep the protocol as both sides understand it.

Asked of each, in this order:
  unit test    fails with the wrong model; the first part of it that does is printed
  lockstep     wrong RTL against the wrong model passes
  alone        wrong RTL against the sound model does not, in 300,000 cycles: the RTL did change

Usage: misread.py BUILD_DIR [BLOCK...] [--from FOLDER] [--sample N] [--cycles N] [--list]
JOBS (2) blocks at a time. The last line is 'N passed, N failed'; the exit status is 0 when none failed and one passed.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean
from model import ROOT, Bench, limits_of

HERE = ROOT / "tests/mutants/misread"
KEYS = {"name", "reads", "source", "model", "rtl"}
FEWEST = 5
ALONE = 300000  # cycles in which the change of the RTL must show; it ends there


class Wrong(Exception):
    """What is wrong with a misreading, in one line."""


def rows_of(block, folder):
    path = folder / f"{block}.toml"
    try:
        rows = tomllib.loads(path.read_text())["misreading"]
    except (OSError, KeyError, tomllib.TOMLDecodeError) as problem:
        sys.exit(f"{path}: {problem}")
    for row in rows:
        if not KEYS <= set(row) <= KEYS | {"config"} or not all(row[key] for key in KEYS):
            sys.exit(f"{path}: {row.get('name')}: want {', '.join(sorted(KEYS))}, and no more but config")
    names = [row["name"] for row in rows]
    if len(set(names)) < len(names) or len(names) < FEWEST:
        sys.exit(f"{path}: want {FEWEST} misreadings at least, of different names")
    return rows


def changed(row, side, usual):
    """{path: text} of the files that this side of the misreading changes."""
    texts = {}
    for change in row[side]:
        path = ROOT / change.get("file", usual)
        text = texts.get(path) or path.read_text()
        if text.count(change["before"]) != 1:
            raise Wrong(f"{side}: {text.count(change['before'])} times in {path.relative_to(ROOT)}: {change['before']!r}")
        texts[path] = text.replace(change["before"], change["after"])
    return texts


def program_with(build, objects, out):
    """The command `warpref` with other objects in place of the model's."""
    last = subprocess.run(["ninja", "-C", build, "-t", "commands", "bin/warpref"], capture_output=True, text=True,
                          check=True).stdout.splitlines()[-1]
    command = last.replace(" -o bin/warpref ", f" {' '.join(map(str, objects))} -o {out} ")
    subprocess.run(command, shell=True, cwd=build, check=True, capture_output=True)
    return out


def lockstep(program, block, row, files, folder, cycles):
    """Exit status of cosim of the wrong RTL, and what it says."""
    group = next(ROOT.glob(f"rtl/*/{block}.sv")).parent
    folder.mkdir(exist_ok=True)
    for path in group.glob("*.sv"):
        (folder / path.name).write_text(files.get(path) or path.read_text())
    done = subprocess.run([program, "cosim", block, "--config", row.get("config", "tiny"), "--cycles", str(cycles),
                           "--pins-only", "--no-shrink", "--top", block, "--mismatch-wave", folder / "mismatch.fst",
                           "--rtl", folder / f"{block}.sv"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=os.environ | {"WARPREF_ROOT": str(ROOT), "WR_CXX_OPTIMIZE": "-O0"}, check=False)
    return done.returncode, done.stdout + done.stderr


def judge(bench, block, sound, limits, row, args):
    """The part of the unit test that sees it. Raises Wrong."""
    folder = bench.folder / row["name"]
    folder.mkdir()
    objects = []
    for n, text in enumerate(changed(row, "model", sound[0].relative_to(ROOT)).values()):
        objects.append(bench.object_of(text, f"{row['name']}/{n}"))
        if objects[-1] is None:
            raise Wrong("the model does not compile")
        if objects[-1].read_bytes() == sound[1]:
            raise Wrong("the model compiles to the same code")
    rtl = changed(row, "rtl", next(ROOT.glob(f"rtl/*/{block}.sv")).relative_to(ROOT))
    tests = zip(bench.tests, limits)
    seen_by = next(filter(None, (bench.failure(test, objects, limit) for test, limit in tests)), None)
    if seen_by is None:
        raise Wrong("the unit test does not see it")
    program = program_with(bench.build, objects, folder / "warpref")
    status, said = lockstep(program, block, row, rtl, folder / "rtl", args.cycles)
    program.unlink()
    if status != 0:
        raise Wrong(f"model and RTL are not wrong alike: {shown(said)}")
    status, said = lockstep(bench.build / "bin/warpref", block, row, rtl, folder / "rtl", max(args.cycles, ALONE))
    if status != 1 or " expected " not in said:
        raise Wrong(f"the RTL is as it was to the sound model: {shown(said)}")
    return seen_by


def shown(said):
    lines = said.strip().splitlines()
    return next((line for line in lines if re.search(r" expected |^(stimulus|ended|stopped): ", line)),
                lines[-1] if lines else "nothing said")


def run(block, args):
    """The lines of a block's report, and how many are good and bad."""
    path = next(ROOT.glob(f"refmodel/*/{block}.c"))
    free_running = tomllib.loads(path.with_suffix(".toml").read_text()).get("time", {}).get("free_running", False)
    lines, good = [], 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args.build.resolve(), block, free_running, pathlib.Path(folder))
        obj = bench.object_of(path.read_text(), "sound")
        sound, limits = (path, obj.read_bytes()), limits_of(bench, block, obj)
        rows = rows_of(block, args.source)[:args.sample]
        for row in rows:
            try:
                lines.append(f"ok    {block}: {row['name']}: seen by {judge(bench, block, sound, limits, row, args)}")
                good += 1
            except Wrong as why:
                lines.append(f"FAIL  {block}: {row['name']}: {why}")
            if args.list:
                lines.append(f"      {row['source']}: {row['reads']}")
    return lines, good, len(rows) - good


def main():
    parser = argparse.ArgumentParser(description="The same misreading in model and RTL, against the unit tests.")
    parser.add_argument("build", type=pathlib.Path, help="build folder, with the unit tests built")
    parser.add_argument("blocks", nargs="*", help="all of them, if none is named")
    parser.add_argument("--from", dest="source", type=pathlib.Path, default=HERE, metavar="FOLDER",
                        help="their files (tests/mutants/misread)")
    parser.add_argument("--sample", type=int, help="this many of each block, the first")
    parser.add_argument("--cycles", type=int, default=20000, help="of lockstep (20,000)")
    parser.add_argument("--list", action="store_true", help="print what each is about")
    args = parser.parse_args()
    blocks = sorted(path.stem for path in ROOT.glob("refmodel/*/*.toml"))
    for name in args.blocks:
        if name not in blocks:
            parser.error(f"no block {name}")
    good = bad = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", 2))) as pool:
        for lines, seen, missed in pool.map(lambda block: run(block, args), args.blocks or blocks):
            print("\n".join(lines), flush=True)
            good, bad = good + seen, bad + missed
    print(f"{good} passed, {bad} failed")
    return 0 if bad == 0 and good > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
