#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutants of the C models: one small change each, and the block's unit test must see it.

A model that is wrong in the way its RTL is wrong passes lockstep; only the oracle, the golden vectors
and the papers' examples in the unit test tell, and the test of skipping where the block skips. So a
mutant stands for a misreading on both sides.

What becomes of a mutant:
  killed      the test fails, crashes (an index past an array does), or runs ten times as long as
              without a mutation
  same        it compiles to the same object code
  equivalent  it lives, and tests/mutants/equivalent.toml says why that is right
  lives       none of these: the test is to be improved

Which were killed and which not is kept in BUILD_DIR/mutants/BLOCK.txt, under a digest of all that decides
it, so a run that was ended goes on where it was, and a row more in equivalent.toml costs nothing.

Usage: model.py BUILD_DIR [BLOCK...] [--only REGEX] [--sample N] [--seed S] [--list]
The exit status is 0 when no mutant lives but those of equivalent.toml, which all do, and each row
there names a mutant.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EQUIVALENT = ROOT / "tests/mutants/equivalent.toml"
LIBRARIES = ["tests/blocks/libwr_oracles.a", "vectors/libwr_vectors.a", "testbench/libwr_testbench.a",
             "dpi/libwr_blocks.a", "waveforms/libwr_wave.a", "files/libwr_files.a", "waveforms/libwr_fstapi.a", "refmodel/libwr_refmodel.a"]
SYSTEM = ["-lcmocka", "-lz", "-ldl", "-lpthread", "-lm"]

# What is replaced, by what; the first group that matches at a place wins.
SWAPS = [
    (r"<<=", ["1 >>="]), (r">>=", ["1 <<="]),
    (r"<<", [">>"]), (r">>", ["<<"]),
    (r"<=", ["<", "=="]), (r">=", [">", "=="]), (r"==", ["!="]), (r"!=", ["=="]),
    (r"&&", ["||"]), (r"\|\|", ["&&"]),
    (r"\+\+", ["--"]), (r"--", ["++"]), (r"->", []),
    (r"\+=", ["-="]), (r"-=", ["+="]), (r"\|=", ["&=", "="]), (r"&=", ["|="]), (r"\^=", ["|="]),
    (r"(?<=\s)<(?=\s)", ["<=", ">"]), (r"(?<=\s)>(?=\s)", [">=", "<"]),
    (r"(?<=\s)\+(?=\s)", ["-"]), (r"(?<=\s)-(?=\s)", ["+"]),
    (r"(?<=\s)\*(?=\s)", ["+"]), (r"(?<=\s)/(?=\s)", ["*"]), (r"(?<=\s)%(?=\s)", ["/"]),
    (r"(?<=\s)&(?=\s)", ["|"]), (r"(?<=\s)\|(?=\s)", ["&"]), (r"(?<=\s)\^(?=\s)", ["|"]),
    (r"!(?=[\w(])", [""]), (r"~(?=[\w(])", [""]),
    (r"\btrue\b", ["false"]), (r"\bfalse\b", ["true"]),
    (r"\b\d+[uU]?\b|\b0x[0-9a-fA-F]+[uU]?\b", "number"),
    (r"[A-Za-z_]\w*", []),
]
SWAP = re.compile("|".join(f"(?P<g{i}>{pattern})" for i, (pattern, _) in enumerate(SWAPS)))
STATEMENT = re.compile(r"^\s*+(?!return|case|default|break|continue|goto|if|else|for|while|do|switch|static|const|\})"
                       r"[\w\->\[\]. +()*]+(=|\+=|-=|\|=|&=|\+\+|--|\().*;\s*$")
FUNCTION = re.compile(r"^[a-z]\w*(?: \**\w+)* \**(\w+)\(")
DECLARATION = re.compile(r"^\s*(const |static |uint\d+_t|int\d+_t|bool|size_t|wr_\w+ \w)")


def code_of(text):
    """The text with everything that is no code of a function blanked: comments, strings, directives, asserts."""
    blank = lambda m: re.sub(r"[^\n]", " ", m[0])
    text = re.sub(r"/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|^\s*#[^\n]*", blank, text, flags=re.S | re.M)
    text = re.sub(r"^\s*assert\(.*?\);$", blank, text, flags=re.S | re.M)
    return re.sub(r"^_Static_assert\(.*?\);$", blank, text, flags=re.S | re.M)


def mutants_of(path):
    """(line, function, before, after, whole text) of every mutant of a file. Lines of the same text in
    one function are told apart by their number in it: 'tick', 'tick 2'."""
    text = path.read_text()
    code = code_of(text)
    out = []
    function, seen = "", {}

    def add(start, end, new):
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        before = text[first:last].strip()
        after = (text[first:start] + new + text[end:last]).strip()
        line = text.count("\n", 0, start) + 1
        lines = seen.setdefault((function, before), [])
        if line not in lines:
            lines.append(line)
        number = lines.index(line) + 1
        where = function if number == 1 else f"{function} {number}"
        out.append((line, where, before, after, text[:start] + new + text[end:]))

    depth = 0
    at = 0
    for line in code.split("\n"):
        inside = depth > 0
        if not inside and FUNCTION.match(line):
            function = FUNCTION.match(line)[1]
        depth += line.count("{") - line.count("}")
        if inside or depth > 0:
            for m in SWAP.finditer(line):
                group = next(i for i in range(len(SWAPS)) if m[f"g{i}"] is not None)
                new = SWAPS[group][1]
                if new == "number":
                    if re.search(r"\[\s*$", line[:m.start()]) and DECLARATION.match(line):
                        continue
                    value = int(re.sub("[uU]$", "", m[0]), 0)
                    suffix = "u" if m[0][-1] in "uU" else ""
                    new = [f"{value + 1}{suffix}"] + ([f"{value - 1}{suffix}"] if value > 0 else [])
                for n in new:
                    add(at + m.start(), at + m.end(), n)
            if inside and STATEMENT.match(line) and not DECLARATION.match(line) and line.count("(") == line.count(")"):
                add(at, at + len(line), re.match(r"\s*", line)[0] + ";")
        at += len(line) + 1
    return out


class Bench:
    """Builds and runs the tests of one block with another file in place of its model: the unit test, and
    where the block is free-running that of its skipping."""

    def __init__(self, build, block, free_running, folder):
        self.build, self.folder = build, folder
        self.env = os.environ | {"WARPREF_BLOCK": block}  # that of skipping looks at all blocks else
        self.tests = [build / f"tests/blocks/CMakeFiles/test_{block}.dir/test_{block}.c.o"]
        if free_running:
            self.tests.append(build / "tests/contract/CMakeFiles/test_time.dir/test_time.c.o")
        for test in self.tests:
            if not test.is_file():
                sys.exit(f"{test}: not found: build first (cmake --build {build})")

    def object_of(self, text, name):
        """Objects of the same code are the same bytes: sources have one name, which asserts hold, too."""
        (self.folder / name).mkdir()
        source, out = self.folder / name / "model.c", self.folder / name / "model.o"
        source.write_text('#line 1 "model.c"\n' + text)
        done = subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-w", "-D_GNU_SOURCE", f"-I{ROOT}",
                               "-fsanitize=bounds", "-fsanitize-undefined-trap-on-error", f"-I{self.build}",
                               "-c", "-o", out, source], capture_output=True)
        source.unlink()
        return out if done.returncode == 0 else None

    def failure(self, test, objects, limit):
        """What a test fails with that has these objects in place of the model's, in so many CPU seconds: the name
        of the first part that fails, or how it ended; None: it passes."""
        program = objects[0].with_suffix("")
        subprocess.run([os.environ.get("CC", "cc"), "-rdynamic", "-o", program, test, *objects,
                        *(self.build / lib for lib in LIBRARIES), *SYSTEM], check=True, capture_output=True)
        with subprocess.Popen(["stdbuf", "-oL", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.env,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))) as run:
            failed = next((line for line in run.stdout if line.startswith(b"[  FAILED  ]")), None)
            if failed is not None:
                run.kill()
        program.unlink()
        if failed is not None:
            return failed.split(b"]", 1)[1].decode().strip()
        return None if run.returncode == 0 else f"exit status {run.returncode}"

    def passes(self, test, obj, limit):
        return self.failure(test, [obj], limit) is None


class Kept:
    """Verdicts by the mutant's object code, in a file whose first line is a digest of the bench: tests,
    libraries, golden vectors and the sound model."""

    def __init__(self, bench, block, sound):
        home = re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", (bench.build / "CMakeCache.txt").read_text(), re.M)
        files = [*bench.tests, *(bench.build / lib for lib in LIBRARIES),
                 *sorted(pathlib.Path(home[1]).glob(f"vectors/golden/{block}.*"))]
        whole = hashlib.sha256(sound)
        for path in files:
            whole.update(hashlib.sha256(path.read_bytes()).digest())
        self.path, self.lock, self.verdicts = bench.build / f"mutants/{block}.txt", threading.Lock(), {}
        lines = self.path.read_text().splitlines() if self.path.is_file() else []
        if lines[:1] == [whole.hexdigest()]:
            whole_line = re.compile(r"[0-9a-f]{64} (killed|lives)")
            self.verdicts = dict(line.split() for line in lines[1:] if whole_line.fullmatch(line))
        else:
            self.path.parent.mkdir(exist_ok=True)
            self.path.write_text(whole.hexdigest() + "\n")

    def verdict(self, obj, found):
        """The verdict of this object; found() finds it out."""
        code = hashlib.sha256(obj).hexdigest()
        if code not in self.verdicts:
            verdict = found()
            with self.lock, self.path.open("a") as out:
                out.write(f"{code} {verdict}\n")
            self.verdicts[code] = verdict
        return self.verdicts[code]


def judge(bench, kept, sound, limits, number, text):
    obj = bench.object_of(text, f"m{number}")
    if obj is None:
        return "does not compile"
    code = obj.read_bytes()
    verdict = "same"
    if code != sound:
        verdict = kept.verdict(code, lambda: "lives" if all(
            bench.passes(test, obj, limit) for test, limit in zip(bench.tests, limits)) else "killed")
    obj.unlink()
    return verdict


def limits_of(bench, block, obj):
    """CPU seconds that each test may take: ten times what it takes with the sound model, and two."""
    limits = []
    for test in bench.tests:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        if not bench.passes(test, obj, 3600):
            sys.exit(f"{block}: {test.stem} fails without a mutation")
        limits.append(int(10 * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)) + 2)
    return limits


def read_equivalent():
    """The (block, function, before, after) of equivalent.toml."""
    rows = set()
    for row in tomllib.loads(EQUIVALENT.read_text()).get("mutant", []):
        if set(row) != {"block", "function", "before", "after", "reason"} or not row["reason"]:
            sys.exit(f"{EQUIVALENT}: {row}: want block, function, before, after and reason")
        rows.add((row["block"], row["function"], row["before"], row["after"]))
    return rows


def run(build, toml, args, known, jobs):
    """The lines of a block's report, how many mutants were killed, and how much is wrong."""
    data = tomllib.loads(toml.read_text())
    block = data["block"]
    path = toml.with_suffix(".c")
    mutants = mutants_of(path)
    keys = {(block, *m[1:4]) for m in mutants}
    bad = [f"{EQUIVALENT.name}: {row[1]}: names no mutant of {block}: {row[2]}  ->  {row[3]}"
           for row in known if row[0] == block and row not in keys]
    if args.only:
        mutants = [m for m in mutants if re.search(args.only, f"{m[1]}: {m[2]}  ->  {m[3]}")]
    if args.sample and args.sample < len(mutants):
        mutants = random.Random(f"{args.seed} {block}").sample(mutants, args.sample)
    counts = dict.fromkeys(["killed", "same", "equivalent", "lives", "does not compile"], 0)
    lines = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        bench = Bench(build, block, data.get("time", {}).get("free_running", False), pathlib.Path(folder))
        obj = bench.object_of(path.read_text(), "sound")
        if obj is None:
            sys.exit(f"{path}: does not compile without a mutation")
        sound = obj.read_bytes()
        limits, kept = limits_of(bench, block, obj), Kept(bench, block, sound)
        work = {pool.submit(judge, bench, kept, sound, limits, i, m[4]): m for i, m in enumerate(mutants)}
        for done in concurrent.futures.as_completed(work):
            line, function, before, after, _ = work[done]
            verdict = done.result()
            key = (block, function, before, after)
            if verdict == "lives" and key in known:
                verdict = "equivalent"
            elif key in known:
                bad.append(f"{EQUIVALENT.name}: {block}: {function}: {verdict}: {before}  ->  {after}")
            counts[verdict] += 1
            if verdict == "lives":
                bad.append(f"{path.relative_to(ROOT)}:{line}: {function}: lives: {before}  ->  {after}")
            if args.list:
                lines.append(f"{path.relative_to(ROOT)}:{line}: {verdict}: {before}  ->  {after}")
    tried = sum(counts.values()) - counts["does not compile"]
    lines.append(f"{block}: {tried} mutants, " +
                 ", ".join(f"{counts[k]} {k}" for k in ("killed", "same", "equivalent", "lives")))
    lines += [f"  {text}" for text in sorted(bad)]
    return lines, counts["killed"], len(bad)


def main():
    parser = argparse.ArgumentParser(description="Mutants of the C models against their unit tests.")
    parser.add_argument("build", type=pathlib.Path, help="build folder, with the unit tests built")
    parser.add_argument("blocks", nargs="*", help="all of them, if none is named")
    parser.add_argument("--only", metavar="REGEX", help="those of which 'FUNCTION: BEFORE  ->  AFTER' matches it")
    parser.add_argument("--sample", type=int, help="this many mutants of each block, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print every mutant with its verdict")
    args = parser.parse_args()
    tomls = {toml.stem: toml for toml in sorted(ROOT.glob("refmodel/*/*.toml"))}
    for name in args.blocks:
        if name not in tomls:
            parser.error(f"no block {name}")
    known = read_equivalent()
    killed = bad = 0
    for row in sorted(known):
        if row[0] not in tomls:
            parser.error(f"{EQUIVALENT}: no block {row[0]}")
    # Several blocks run beside each other, a single one its mutants.
    names, jobs = args.blocks or tomls, int(os.environ.get("JOBS", 2))
    inner = jobs if len(names) == 1 else 1
    with concurrent.futures.ThreadPoolExecutor(max(1, jobs // inner)) as pool:
        for lines, k, b in pool.map(lambda name: run(args.build.resolve(), tomls[name], args, known, inner), names):
            print("\n".join(lines), flush=True)
            killed, bad = killed + k, bad + b
    print(f"{killed} passed, {bad} failed")
    return 0 if bad == 0 and killed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
