#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes blocks, model against RTL: builds fuzz_blocks, runs it on each, makes vectors of what fails.

The figures of the RTL are those of tests/coverage, over all inputs of the run.
"""
import argparse
import dataclasses
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "coverage"))
import coverage  # noqa: E402
import points  # noqa: E402
from formal import rtl  # noqa: E402

ROOT, PROGRAM = coverage.ROOT, coverage.PROGRAM
SEEDS, LONGEST = 50, 1024  # inputs of a new corpus; bytes of the longest
OPTIONS = ["-len_control=0", f"-max_len={LONGEST}", "-reload=0", "-use_cmp=0", "-timeout=300",
           "-rss_limit_mb=4096", "-print_final_stats=1"]
TOOLS = [("cmake", "cmake"), ("ninja", "ninja-build"), ("clang-14", "clang-14"), ("clang++-14", "clang-14")]
STATUS = re.compile(r"^#(\d+)\s.* cov: (\d+) ft: (\d+) corp: (\d+)")
SUMS = re.compile(r"^fuzz: inputs (\d+) cycles (\d+) checks (\d+) ")
UNITS = re.compile(r"^stat::number_of_executed_units: *(\d+)")
CAUSE = re.compile(r"^fuzz: (?!inputs)|runtime error:|Assertion .* failed|"
                   r"ERROR: (AddressSanitizer|libFuzzer)")


@dataclasses.dataclass
class Build:
    """Where the fuzzer stands, and the environment that it runs in."""
    blocks: pathlib.Path
    finding: pathlib.Path
    env: dict


def want_libfuzzer():
    done = subprocess.run(["clang-14", "--print-runtime-dir"], capture_output=True, text=True, check=False)
    if not any(pathlib.Path(done.stdout.strip()).glob("libclang_rt.fuzzer*.a")):
        raise points.Bad("libFuzzer is not installed: apt-get install libclang-rt-14-dev")


def build(out):
    """Makes the fuzzer, unless $WARPREF_FUZZ_BUILD names a build that has it."""
    given = os.environ.get("WARPREF_FUZZ_BUILD")
    folder = pathlib.Path(given) if given else ROOT / "build/fuzz"
    log = out / "build.log"
    if not given and not (ROOT / "CMakePresets.json").is_file():
        raise points.Bad(f"{ROOT} is an installed tree, which the fuzzer cannot be built of: set WARPREF_ROOT to the sources, "
                         "or WARPREF_FUZZ_BUILD to a build that has it")
    if not given:
        coverage.want_tools(TOOLS)
        want_libfuzzer()
        coverage.say(f"building {folder} (what the compiler says: {log})")
        with open(log, "w", encoding="utf-8") as f:
            steps = [] if (folder / "build.ninja").is_file() else [["cmake", "--preset", "fuzz"]]
            steps.append(["cmake", "--build", folder, "--target", "fuzz_blocks", "fuzz_finding"])
            for step in steps:
                done = subprocess.run(step, cwd=ROOT, stdout=f, stderr=subprocess.STDOUT, check=False)
                if done.returncode != 0:
                    raise points.Bad(f"the fuzzer does not build: see {log}")
    made = Build(folder.resolve() / "bin/fuzz_blocks", folder.resolve() / "bin/fuzz_finding",
                 dict(os.environ))
    for path in (made.blocks, made.finding):
        if not os.access(path, os.X_OK):
            raise points.Bad(f"{path} is not there; unset WARPREF_FUZZ_BUILD to have it built")
    lib = pathlib.Path(PROGRAM).resolve().parent.parent / "lib"
    for beside in (lib / "warpref", lib):  # installed, or in a build
        if (beside / "libwr_verilated.a").is_file():  # the same RTL objects as `warpref coverage` makes
            made.env.setdefault("WARPREF_LIB", str(beside))
    return made


def run(command, env, log, title):
    """Runs libFuzzer; its lines, and its status. On a terminal its progress is shown."""
    lines = []
    with open(log, "w", encoding="utf-8") as f, subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace") as process:
        for line in process.stdout:
            f.write(line)
            lines.append(line.rstrip())
            if STATUS.match(line):
                coverage.say(f"{title}: {line.split(' lim:')[0].strip()}")
            elif line.startswith("Verilating"):
                coverage.say(line.rstrip())
    return lines, process.returncode


def write_list(o, path):
    """The user's RTL as a file list, which the fuzzer reads."""
    s = o.sources
    lines = [*(f'"{f}"' for f in s.files), *(f'-y "{d}"' for d in s.folders), *(f'-I "{d}"' for d in s.includes),
             *(f"-D {text}" for text in s.defines), *([f"-top {o.top}"] if o.top else [])]
    if any("$" in line for line in lines):
        raise points.Bad("--rtl: a file list takes no name with a $ in it")
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path.resolve())


def finding_of(made, folder, lines):
    """What has failed, with the files that show it."""
    units = [line.rsplit("to ", 1)[1] for line in lines if "Test unit written to " in line]
    text = next((line for line in lines if CAUSE.search(line)), "the fuzzer ended without a reason")
    found = {"text": text.removeprefix("fuzz: ")}
    if not units:
        return found
    vectors = folder / "finding.hex"
    found["input"] = units[0]
    found["again"] = f"{made.blocks} {units[0]}"
    shown = subprocess.run([made.finding, units[0], vectors], env=made.env, capture_output=True,
                           text=True, check=False)
    said = shown.stdout.strip() or shown.stderr.strip()
    if shown.returncode == 0:
        found["vectors"] = str(vectors)
        found["shortest"] = said.splitlines()[-1].removeprefix(f"{vectors}: ")
    else:
        found["no_vectors"] = said
    return found


def sow(corpus, seed):
    """What an empty corpus begins with: bytes at random, for runs of all lengths."""
    rng = random.Random(seed)
    for number in range(SEEDS):
        size = (16, 64, 256, LONGEST - SEEDS)[number % 4] + number  # no two alike: libFuzzer sorts by it
        (corpus / f"seed{number:02}").write_bytes(rng.randbytes(size))


def fuzz(block, o, made):
    """One block: its figures as a dictionary."""
    folder = pathlib.Path(o.out) / f"{block}.{o.config}"
    corpus = folder / "corpus"
    if o.fresh and corpus.is_dir():
        for unit in corpus.iterdir():
            unit.unlink()
    corpus.mkdir(parents=True, exist_ok=True)
    if not any(corpus.iterdir()):
        sow(corpus, o.seed)
    data = folder / "coverage.dat"
    data.unlink(missing_ok=True)
    which = {"WARPREF_FUZZ_BLOCK": block, "WARPREF_FUZZ_CONFIG": o.config}
    if o.sources:
        which["WARPREF_FUZZ_RTL"] = write_list(o, folder / "rtl.f")
    mine = dataclasses.replace(made, env=made.env | which | {"WARPREF_FUZZ_COVERAGE": str(data)})
    limits = [f"-runs={o.runs}"] if o.runs else []
    limits += [f"-max_total_time={o.seconds}"] if o.seconds or not o.runs else []
    lines, status = run([made.blocks, *OPTIONS, *limits, f"-seed={o.seed}", f"-artifact_prefix={folder}/",
                         corpus], mine.env, folder / "log", block)
    row = {"block": block, "config": o.config, "seed": o.seed, "executions": 0, "edges": 0,
           "corpus": len(list(corpus.iterdir())), "status": 0}
    if o.sources:
        row["rtl"] = str(o.sources.files[0])
    for line in lines:
        if m := STATUS.match(line):
            row |= {"executions": int(m[1]), "edges": int(m[2]), "features": int(m[3])}
        elif m := UNITS.match(line):
            row["executions"] = int(m[1])
        elif m := SUMS.match(line):
            row |= {"executions": int(m[1]), "cycles": int(m[2]), "checks": int(m[3])}
    if status == 2 and row["executions"] == 0:
        return row | {"status": 2, "error": "\n".join(lines) if lines else "the fuzzer does not start"}
    if status != 0:
        found = finding_of(mine, folder, lines)
        if "again" in found:
            found["again"] = f"{shlex.join(f'{name}={value}' for name, value in which.items())} {found['again']}"
        return row | {"status": 1, "finding": found}
    if row["executions"] == 0 or row["edges"] == 0 or row.get("checks", 0) == 0:
        return row | {"status": 1, "error": f"nothing was compared, see {folder / 'log'}"}
    found = points.read(data, ROOT, own=not o.sources)
    wrong = [] if o.sources else points.waive(found, block, o.config)
    if wrong:
        return row | {"status": 1, "error": "; ".join(wrong)}
    figures = found.as_json()
    return row | {k: figures[k] for k in ("lines", "lines_hit", "toggles", "toggles_hit", "never")}


def print_row(row, o):
    head = f"{row['block']:24} {row['executions']:8} executions"
    if "lines" in row:
        print(f"{head} {row['cycles']:10} cycles {row['edges']:5} edges  "
              f"lines {row['lines_hit']}/{row['lines']}  toggles {row['toggles_hit']}/{row['toggles']}")
    elif "finding" in row:
        f = row["finding"]
        print(f"{head}  FAILS: {f['text']}")
        if "vectors" in f:
            given = shlex.join([*o.sources.options(), *(["--top", o.top] if o.top else [])]) if o.sources else ""
            print(f"  vectors: {f['shortest']}\n  warpref " + (
                f"cosim {row['block']} --inputs {f['vectors']} {given}" if given
                else f"replay {row['block']} {f['vectors']} --against lockstep"))
        elif "no_vectors" in f:
            print(f"  no vectors: {f['no_vectors']}")
        if "input" in f:
            print(f"  again: {f['again']}")
    else:
        print(f"{row['block']:24} {row['error']}")
    sys.stdout.flush()


def main():
    known = coverage.configurations()
    parser = argparse.ArgumentParser(
        prog="warpref fuzz", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Fuzzes blocks: libFuzzer makes streams of operations for a block, model and RTL run in "
                    "lockstep, and every output and named register is compared in every cycle.",
        epilog="""\
The fuzzer keeps what reaches a new branch of the model, line or toggled bit of the RTL, value of a
state or count, or coverage bin, and changes that further. Three quarters of the inputs are choices of
the block's own stimulus, legal and not; the others are values of its pins.

DIR/BLOCK.CONFIG holds the corpus, from which the next run goes on (--fresh: from nothing), log,
coverage.dat, and of a failure the input and finding.hex, a vector file. With --fresh and --runs a run
is the same every time.

The JSON is an object: `blocks`, a list with block, config, seed, rtl (--rtl), executions, edges, features, corpus,
cycles, checks, lines, lines_hit, toggles, toggles_hit, never, status (0, 1 or 2); of a failure finding
(text, input, again, vectors, shortest).

Exit status: 0 nothing was found, 1 model and RTL differ, or one of them crashes; 2 bad usage, or a
block cannot be run.

Example: warpref fuzz simt_stack rename_table --config tiny --seconds 600
Example: warpref fuzz switch_queues --rtl examples/rtl/switch_queues_shift.sv --top switch_queues_shift --runs 5000
Example: warpref fuzz all --runs 2000 --fresh --json fuzz.json""")
    parser.add_argument("blocks", metavar="BLOCK", nargs="+", help="a block, or `all`")
    coverage.add_config(parser, known, "tiny")
    rtl.add_own(parser, "fuzz")
    parser.add_argument("--runs", type=coverage.positive, metavar="N",
                        help=f"executions of each block; its corpus is executed first, whatever N is: {SEEDS + 1} "
                             "inputs where that is new")
    parser.add_argument("--seconds", type=coverage.positive, metavar="S",
                        help="time for each block (60, without --runs)")
    parser.add_argument("--seed", type=coverage.positive, default=1, metavar="S", help="libFuzzer's (1)")
    parser.add_argument("--jobs", type=coverage.positive, default=1, metavar="N",
                        help="blocks at a time (1)")
    parser.add_argument("--fresh", action="store_true", help="begin with an empty corpus")
    parser.add_argument("--out", default="out/fuzz", metavar="DIR", help="(out/fuzz)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    o = parser.parse_args()
    o.seconds = o.seconds or (None if o.runs else 60)
    wanted = coverage.wanted_of(parser, o.blocks, o.config, known)
    o.sources, o.top = coverage.own_rtl(parser, o)
    return coverage.carry_out(parser.prog, o, wanted, build, fuzz, print_row)


if __name__ == "__main__":
    sys.exit(main())
