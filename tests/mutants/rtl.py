#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutants of the blocks' netlists, and the lockstep bench must see each.

What becomes of a mutant, in this order:
  pins        an output differs in `warpref cosim`, or the simulation stops, crashes or hangs
  registers   only a register differs that model and RTL both have, in no cycle an output
  equivalent  no input whatever tells it from the block: proved (miter.py), or from its model, where
              `warpref prove` proves the block whole and the mutant as well
  waived      it lives, and tests/mutants/rtl_waived.toml says why
  lives       none of these: the stimulus is to be improved

A first short run kills most; the prover sees the rest, and what it leaves gets the full run. Results
are kept in --out under a hash of what they follow from, and a run that was ended goes on from there.
"""
import argparse
import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(os.environ.get("WARPREF_ROOT") or pathlib.Path(__file__).resolve().parents[2])
sys.dont_write_bytecode = True
sys.path.insert(1, str(ROOT))

import miter
import netlist
import programs
from formal import processes, rtl
from formal.tool import ToolFailed
from netlist import Target
from programs import ToolError
from tools import replace

PROGRAM = pathlib.Path(os.environ.get("WARPREF_PROGRAM") or ROOT / "build/release/bin/warpref")
HERE = pathlib.Path(__file__).resolve().parent
WAIVED = ROOT / "tests/mutants/rtl_waived.toml"
SHORT = 50000
# The bounds of a quick look, which suffices for most mutants that are equivalent, and of a long one.
QUICK = "pdr -F 3 -C 1000 -D 100"
LONG = "pdr -F 40 -C 20000 -T 300"
PROOF = 60  # seconds of a solver for a question about the relation of a block
VERDICTS = ["pins", "registers", "equivalent", "waived", "lives"]
# What a build follows from, beside the sources of the block's group.
BUILT_FROM = ["rtl/gen/{b}_pkg.sv", "dpi/gen/{b}_wrap.sv", "dpi/gen/{b}_bind.sv", "dpi/wr_checker.sv",
              "dpi/rtl_host.cpp", "dpi/rtl_abi.h", "dpi/verilate.sh", "tests/mutants/netlist.py"]


def digest(*parts):
    state = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, pathlib.Path) else str(part).encode()
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()[:12]


class Unsound(Exception):
    """A bench that fails without a mutation, or a prover that proves what an output refutes."""


class Kept:
    """Results by number, each written as soon as it is there: one JSON object a line."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if path.is_file():
            for line in path.read_text().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    continue  # the run was ended while it wrote
                self.rows[tuple(row["key"])] = row["value"]

    def get(self, key, work):
        if key not in self.rows:
            value = work()
            self.rows[key] = value
            with self.path.open("a") as out:
                out.write(json.dumps({"key": key, "value": value}) + "\n")
        return self.rows[key]


class Bench:
    """`warpref cosim` on the object that holds a block's mutants."""

    def __init__(self, target, folder, args):
        self.target, self.folder, self.args = target, folder, args
        self.kept = Kept(folder / f"runs.{digest(PROGRAM, args.seed)}.jsonl")
        self.limit = None

    def run(self, number, cycles, pins_only):
        """(pass, pin, register, stopped, crashed or hung; in words) of one mutant."""
        return tuple(self.kept.get((number, cycles, pins_only), lambda: self.play(number, cycles, pins_only)))

    def play(self, number, cycles, pins_only):
        wave = self.folder / f"wave.{number}.fst"
        argv = [PROGRAM, "cosim", self.target.block, "--config", self.target.config, "--json", "--no-shrink",
                "--cycles", str(cycles), "--seed", str(self.args.seed), "--mismatch-wave", wave]
        limit = self.limit and int(self.limit * max(1, cycles / SHORT)) + 10
        try:
            done = processes.run(
                argv + ["--pins-only"] * pins_only, stderr=subprocess.PIPE,
                env=dict(os.environ, WARPREF_LIB=str(self.folder), WR_MUTANT=str(number)),
                preexec_fn=lambda: limit and resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        finally:
            wave.unlink(missing_ok=True)
        if done.returncode < 0:
            hung = -done.returncode in (9, 24)
            return ["hung" if hung else "crashed", f"signal {-done.returncode}"]
        if done.returncode not in (0, 1):
            raise ToolError(f"{self.target.block}: cosim: {done.stderr.strip() or done.stdout.strip()}")
        result = json.loads(done.stdout)
        text = result.get("mismatch") or result.get("stray") or ""
        if done.returncode == 0:
            return ["pass", ""]
        if result["stopped"]:
            return ["stopped", (done.stderr.strip().splitlines() or ["stopped"])[-1]]
        return ["register" if ": register " in text else "pin", text]

    def sound(self, cycles):
        """The netlist without a mutation passes; how long that takes bounds the mutants."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        kind, text = self.run(0, cycles, False)
        if kind != "pass":
            raise Unsound(f"{self.target.block} {self.target.config}: fails without a mutation: "
                          f"{kind}: {text}")
        if self.limit is None:
            self.limit = 20 * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before) + 20


def read_waived():
    """reason by (block, config, line, change)."""
    want = {"block", "config", "line", "change", "reason"}
    rows = {}
    for row in tomllib.loads(WAIVED.read_text()).get("mutant", []):
        if set(row) != want or not all(row.values()):
            raise ToolError(f"{WAIVED}: {row}: want {', '.join(sorted(want))}")
        rows[row["block"], row["config"], row["line"], row["change"]] = row["reason"]
    return rows


def runtime():
    """Verilator's runtime, which the build makes."""
    lib = PROGRAM.parent.parent / "lib"
    folders = [os.environ.get("WARPREF_LIB"), lib / "warpref", lib]  # installed, or in a build
    for folder in filter(None, folders):
        path = pathlib.Path(folder) / "libwr_verilated.a"
        if path.is_file():
            return path
    raise ToolError("libwr_verilated.a not found; build it, or set WARPREF_LIB to its folder")


def all_targets(config):
    rows = programs.run([sys.executable, "dpi/generate.py", "--configs"], ROOT).splitlines()
    targets = {}
    for group, block, name, bits_in, bits_out, *params in map(str.split, rows):
        targets.setdefault(block, None)
        if name == config:
            pairs = [p.split("=") for p in params]
            targets[block] = Target(ROOT, group, block, name, bits_in, bits_out, pairs)
    return targets


class Block:
    """All mutants of one block, judged."""

    def __init__(self, target, args, versions, waived, say):
        self.target, self.args, self.waived, self.say = target, args, waived, say
        files = target.sources + [ROOT / name.format(b=target.block) for name in BUILT_FROM]
        given = (target.module, target.given.defines, *target.texts.values()) if target.given else ()
        key = digest(*files, target.params, args.count, args.seed, args.sample, versions, *given)
        self.folder = args.out / f"{target.block}.{target.config}.{key}"
        self.bad = []

    def judge(self, jobs):
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            self.alone(lock)
            self.mutants = self.make()
            prover = digest(HERE / "miter.py")
            self.proofs = Kept(self.folder / f"proofs.{prover}.jsonl")
            self.miter = self.folder / f"miter.{prover}.blif"
            self.bench = Bench(self.target, self.folder, self.args)
            self.bench.sound(SHORT)
            short = dict(zip(self.mutants, self.each(pool, "short runs", self.run_short, self.mutants)))
            self.verdicts = {m: ("pins", run) for m, run in short.items()
                             if run[0] not in ("pass", "register")}
            rest = [m for m in self.mutants if m not in self.verdicts]
            unseen = [m for m in rest if short[m][0] == "pass"]
            proofs = self.prove(pool, unseen, self.told_apart(QUICK, unseen))
            full = [m for m in rest if proofs.get(m) != "equivalent"]
            if full:
                self.bench.sound(self.args.cycles)
            runs = dict(zip(full, self.each(pool, "full runs", self.run_full, full)))
            left = [m for m in full if runs[m][0] == short[m][0] == "pass" and proofs[m] == "unknown"
                    and not self.reason(m)]
            if self.whole():
                proofs |= self.prove(pool, left, self.related)
                left = [m for m in left if proofs[m] == "unknown"]
            proofs |= self.prove(pool, left, self.told_apart(LONG, left))
            for m in rest:
                self.verdicts[m] = self.verdict(m, short[m], proofs.get(m), runs.get(m))
        return self

    def alone(self, lock):
        """Waits for another run in the folder, and can be ended meanwhile."""
        while True:
            try:
                return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.say(f"{self.target.block}: waits for another run in {self.folder}")
            if processes.STOPPED.wait(0.2):
                raise processes.Stopped

    def make(self):
        target, folder = self.target, self.folder
        if not (folder / "net.il").is_file() or not (folder / netlist.library_name(target)).is_file():
            self.say(f"{target.block}: netlist")
            netlist.prepare(target, folder)
        mutants = netlist.draw(target, folder, self.args.count, self.args.seed)
        if self.args.sample and self.args.sample < len(mutants):
            drawn = random.Random(f"{self.args.seed} {target.block}").sample(mutants, self.args.sample)
            mutants = sorted(drawn, key=lambda m: m.number)
        if not mutants:
            raise ToolError(f"{target.block}: Yosys finds no mutant in it")
        if not (folder / netlist.library_name(target)).is_file():
            self.say(f"{target.block}: Verilator, {len(mutants)} mutants")
            netlist.build(target, folder, mutants, runtime())
        return mutants

    def each(self, pool, what, work, mutants):
        results = []
        for result in pool.map(work, mutants):
            results.append(result)
            self.say(f"{self.target.block}: {what}, {len(results)} of {len(mutants)}")
        return results

    def look(self, m, cycles):
        """What a run shows at the pins, else at the registers."""
        run = self.bench.run(m.number, cycles, False)
        pins = self.bench.run(m.number, cycles, True) if run[0] == "register" else run
        return pins if pins[0] != "pass" else run

    def run_short(self, m):
        return self.look(m, SHORT)

    def run_full(self, m):
        return self.look(m, self.args.cycles)

    def prove(self, pool, mutants, judge):
        """Verdict of the prover by mutant. One that an output tells apart goes along: were it
        proved, no proof would be worth anything."""
        if not mutants:
            return {}
        witness = [m for m, (_, run) in self.verdicts.items() if run[0] == "pin"][:1]
        proofs = dict(zip(mutants + witness, self.each(pool, "proofs", judge, mutants + witness)))
        for m in witness:
            if proofs.pop(m) == "equivalent":
                raise Unsound(f"{self.target.block}: proved equivalent, and an output differs: {m.name}")
        return proofs

    def told_apart(self, bounds, mutants):
        """By ABC, from the block; unknown within the bounds."""
        if not mutants:
            return None
        self.say(f"{self.target.block}: miter")
        text = miter.prepare(self.target, self.folder, self.mutants, self.miter)
        return lambda m: self.proofs.get((m.number, bounds),
                                         lambda: miter.verdict(text, m.number, self.folder, bounds))

    def whole(self):
        """Whether the block as it is equals its model by its relation. Of the user's RTL that is not known."""
        if self.target.given:
            return False
        expected = tomllib.loads((ROOT / "formal/expected.toml").read_text())
        return self.target.config in expected.get(self.target.block, {}).get("full", [])

    def related(self, m):
        """By the block's relation, from its model; unknown where the relation does not hold of the mutant."""
        target = self.target
        files = [*sorted((ROOT / "formal").glob("*.py")), ROOT / f"formal/rel/{target.block}.c",
                 *sorted((ROOT / f"refmodel/{target.group}").glob("*.[ch]"))]

        def work():
            with tempfile.TemporaryDirectory(dir=self.folder) as out:
                path = pathlib.Path(out) / "mutant.v"
                netlist.write_one(target, self.folder, m, path)
                done = processes.run([PROGRAM, "prove", target.block, "--config", target.config, "--rtl", path,
                                      "--out", out, "--timeout", PROOF],
                                     stderr=subprocess.PIPE, env=dict(os.environ, TMPDIR=out))
            if done.returncode not in (0, 1):
                raise ToolError(f"{target.block}: prove: {done.stderr.strip() or done.stdout.strip()}")
            reached = re.search(r"^  refuted .*: from reset", done.stdout, re.M)
            return "equivalent" if done.returncode == 0 else "differs" if reached else "unknown"
        return self.proofs.get((m.number, f"relation {digest(*files)}"), work)

    def verdict(self, m, short, proof, run):
        """(verdict, why) of a mutant that no output has told apart in the short run."""
        why = self.reason(m)
        if proof == "equivalent":
            found = "equivalent", ("equivalent", "proved")
        elif run[0] not in ("pass", "register"):
            found = "pins", run
        elif run[0] == "register" or short[0] == "register":
            found = "registers", run if run[0] == "register" else short
        elif why:
            return "waived", ("waived", why)
        else:
            return "lives", ("lives", "inputs exist that show it" if proof == "differs" else "not proved")
        if why:
            self.bad.append(f"{WAIVED.name}: is waived and {found[0]}: {m.name}")
        return found

    def reason(self, m):
        """Why it may live, from the list of waived ones, which are of our RTL."""
        if self.target.given:
            return None
        change = f"{m.change} ({m.wire})" if m.wire else m.change
        return self.waived.get((self.target.block, self.target.config, m.text, change))

    def counts(self):
        return {v: sum(found == v for found, _ in self.verdicts.values()) for v in VERDICTS}

    def report(self):
        counts = self.counts()
        lines = [f"{self.target.block} {self.target.config}: {len(self.mutants)} mutants: "
                 f"{counts['pins']} killed by pins, {counts['registers']} by registers only, "
                 f"{counts['equivalent']} proved equivalent, {counts['waived']} waived, "
                 f"{counts['lives']} live"]
        for m in self.mutants:
            verdict, why = self.verdicts[m]
            if self.args.list or verdict == "lives":
                lines.append(f"  {m.number} {verdict}: {m.name}\n      {why[0]}: {why[1]}")
        return "\n".join(lines + [f"  {text}" for text in self.bad])

    def json(self):
        rows = [{"number": m.number, "verdict": self.verdicts[m][0], "how": self.verdicts[m][1][0],
                 "text": self.verdicts[m][1][1], "source": m.source, "line": m.text, "change": m.change,
                 "wire": m.wire} for m in self.mutants]
        given = {"rtl": str(self.target.given.files[0])} if self.target.given else {}
        return {"block": self.target.block, "config": self.target.config, **given, "mutants": len(self.mutants),
                **self.counts(), "stale_waivers": self.bad, "list": rows}


def parse():
    parser = argparse.ArgumentParser(
        prog="warpref mutate", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Mutants of a block's netlist against its lockstep bench: Yosys changes one bit of\n"
        "one cell, and `warpref cosim` must see it. What it does not see is proved equivalent, or lives.",
        epilog="A mutant is killed by pins (an output differs, or the simulation stops), by registers\n"
        "only, proved equivalent for all inputs and any number of cycles, waived in\n"
        "tests/mutants/rtl_waived.toml, or lives. RTL of yours (--rtl) has to pass as it is; nothing is\n"
        "waived of it. Results are kept in --out under a hash of RTL,\n"
        "parameters, seed, tools and program: the same command goes on where it was ended.\n"
        "$WR_CXX_OPTIMIZE (-O1) is the compiler's level for the mutants.\n\n"
        "Exit status: 0 none lives; 1 some live, a waived one is killed, or a block fails without a\n"
        "mutation; 2 bad usage, or a tool fails.\n\n"
        "Example: warpref mutate warp_quota --list\n"
        "Example: warpref mutate switch_queues --rtl examples/rtl/switch_queues_shift.sv --top switch_queues_shift\n"
        "Example: warpref mutate --config default --count 50 --seed 7")
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help="all of them, if none is named")
    parser.add_argument("--config", default="tiny", help="a named configuration (tiny)")
    rtl.add_own(parser, "mutate")
    parser.add_argument("--count", type=int, default=200, metavar="N",
                        help="mutants of a block (200; 4000 at most)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice and of the stimulus (1)")
    parser.add_argument("--sample", type=int, default=0, metavar="K",
                        help="only K of them, drawn by the seed (0: all)")
    parser.add_argument("--cycles", type=int, default=1000000, metavar="N",
                        help=f"full run of those that {SHORT} cycles do not kill (1000000)")
    parser.add_argument("--jobs", type=int, default=os.environ.get("JOBS", "2"), metavar="N",
                        help="runs at a time ($JOBS, 2)")
    parser.add_argument("--list", action="store_true", help="print every mutant with its verdict")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all of it as JSON")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/mutants"), metavar="DIR",
                        help="where results are kept (out/mutants)")
    args = parser.parse_args()
    for name, least, most in (("count", 1, 4000), ("sample", 0, 4000), ("seed", 0, 2**31 - 1),
                              ("jobs", 1, 256), ("cycles", 1, 2**40)):
        if not least <= getattr(args, name) <= most:
            parser.error(f"--{name} {getattr(args, name)}: want {least} to {most}")
    args.out = args.out.resolve()
    if set(str(args.out)) & set('"\\\n'):
        parser.error(f"--out {args.out}: Yosys takes no path with a quote, a backslash or a line break; name another")
    try:
        given = rtl.given_own(args, args.blocks)
    except ToolFailed as error:
        parser.error(str(error))
    for folder in given.includes if given else ():
        if re.search(r"\s", str(folder)):
            parser.error(f"--include {folder}: Yosys takes no blank in the name of a folder; give it another")
    targets = all_targets(args.config)
    for block in args.blocks:
        if block not in targets:
            parser.error(f"no block '{block}'; `warpref blocks` lists them")
    wanted = [targets[block] for block in args.blocks or targets]
    if None in wanted:
        lacking = [block for block in args.blocks or targets if targets[block] is None]
        if args.blocks or len(lacking) == len(wanted):
            parser.error(f"no configuration '{args.config}' of {', '.join(lacking)}; "
                         "`warpref blocks BLOCK` lists them")
        wanted = [target for target in wanted if target]
    for target in wanted:
        target.given, target.top = given, args.top
    return args, wanted


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def main():
    args, targets = parse()
    programs.need()
    versions = programs.run(["yosys", "-V"], ROOT) + programs.run(["verilator", "--version"], ROOT)
    waived = read_waived()
    if not PROGRAM.is_file():
        raise ToolError(f"{PROGRAM}: not found; build it, or set WARPREF_PROGRAM")
    done, failed, unsound = [], 0, 0
    # Several blocks run beside each other, a single one its mutants.
    inner = args.jobs if len(targets) == 1 else 1
    with concurrent.futures.ThreadPoolExecutor(max(1, args.jobs // inner)) as pool:
        try:
            work = [pool.submit(Block(t, args, versions, waived, progress).judge, inner) for t in targets]
            for target, future in zip(targets, work):
                try:
                    block = processes.result(future)
                except (Unsound, ToolError, OSError, ValueError) as error:
                    unsound += isinstance(error, Unsound)
                    failed += not isinstance(error, Unsound)
                    progress("")
                    print(f"warpref mutate: {error}", file=sys.stderr, flush=True)
                    continue
                done.append(block)
                progress("")
                print(block.report(), flush=True)
        except KeyboardInterrupt:  # here: leaving `with` waits for all that was begun
            processes.stop()
            pool.shutdown(cancel_futures=True)
            raise
    counts = {v: sum(block.counts()[v] for block in done) for v in VERDICTS}
    if args.json:
        result = {"seed": args.seed, "count": args.count, "cycles": args.cycles, **counts,
                  "blocks": [block.json() for block in done]}
        replace.text(args.json, json.dumps(result, indent=1) + "\n")
    bad = counts["lives"] + unsound + sum(len(block.bad) for block in done)
    good = sum(counts.values()) - counts["lives"]
    print(f"{good} passed, {bad + failed} failed")
    return 2 if failed else int(bad > 0 or good == 0)


if __name__ == "__main__":
    processes.heed_signals()
    try:
        sys.exit(main())
    except (ToolError, ToolFailed, OSError, tomllib.TOMLDecodeError) as error:
        progress("")
        print(f"warpref mutate: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt as interrupt:
        processes.stop()
        progress("")
        print("warpref mutate: interrupted; what is finished is kept, the same command goes on", file=sys.stderr)
        number = interrupt.args[0]
        if number == signal.SIGINT:
            sys.exit(128 + number)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
