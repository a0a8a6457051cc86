#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""warpref roundtrip: by a solver, that reg_decompressor gives back what reg_compressor took. See docs/proofs.md.

A register is stated as its first lane and the differences of adjacent lanes, which is every register. For each
PAG and pattern two things are proved of the RTL, from reset:

1. the compressor gives this pattern only where all differences in a group are alike (strided) or 0 (uniform);
2. with differences that are, and this pattern, each lane that comes back is the one that went in.

Then a lane is the group's first one and a multiple of one number, on both sides, and sums compare as sums. No
register gets a pattern of another code, and each of the three is given to some. Words are let through at once;
that a wait changes none is said by the properties of the two blocks.
"""
import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(os.environ.get("WARPREF_ROOT") or Path(__file__).resolve().parent.parent)
sys.path[:0] = [str(ROOT), str(ROOT / "dpi")]

import blockdesc  # noqa: E402
from formal.graph import (FALSE, TRUE, add, cat, const, eq, is_const, is_false, is_true, not_,  # noqa: E402
                          slice_, var)
from formal.kept import check_json, write_json  # noqa: E402
from formal.llvm import Unsupported  # noqa: E402
from formal.netlist import RESET, Netlist  # noqa: E402
from formal.rtl import add_options, given, write_netlist  # noqa: E402
from formal.solver import Solver  # noqa: E402
from formal.tool import ToolFailed  # noqa: E402
from formal.walk import conjuncts, evaluate, substitute  # noqa: E402

SIDES = ("reg_compressor", "reg_decompressor")
PATTERNS = {1: "uniform", 2: "random", 3: "strided"}
GOOD = ("proved", "reached")
LATEST = 64  # cycles behind its offer in which a register must come out

EPILOG = """\
Exit status: 0 all is proved, 1 something is refuted, open, or vacuous (a pattern is never given), 2 bad usage or
a tool is missing.

  warpref roundtrip --config default
  warpref roundtrip --compressor mine.sv
"""


def arguments():
    p = argparse.ArgumentParser(prog="warpref roundtrip", formatter_class=argparse.RawDescriptionHelpFormatter,
                                description="Proves that reg_decompressor gives back every lane of every register"
                                " that reg_compressor took, for each PAG and pattern.", epilog=EPILOG)
    p.add_argument("-c", "--config", action="append", metavar="NAME",
                   help="named configuration; may be repeated (tiny)")
    for side in SIDES:
        p.add_argument("--" + side.removeprefix("reg_"), type=Path, metavar="FILE.sv",
                       help=f"RTL in place of {side}, a module of this name whose output comes in a fixed cycle")
    add_options(p)
    p.add_argument("--timeout", type=int, default=60, metavar="S",
                   help="processor seconds of the solver for a question (%(default)s)")
    p.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    return p


class Side:
    """One of the two blocks: what comes out where one register is offered behind reset and nothing waits."""

    def __init__(self, block, values, source, work):
        self.path, self.name = work / f"{block.name}.json", block.name
        write_netlist(ROOT, block, values, source, block.name, self.path)
        netlist = Netlist(self.path)
        at_reset = {name: netlist.get(name, time=RESET) for name in netlist.registers}
        self.fixed = {name: value.key for name, value in at_reset.items() if is_const(value)}
        self.twice = []  # of the last flow: conditions that make a choice undefined

    def flow(self, offer, outputs):
        """The outputs, as words over what the offered pins are."""
        given = {(pin, t): value for pin, value in offer.items() for t in range(LATEST + 1)}
        given |= {("valid_i", t): const(1, t == 0) for t in range(LATEST + 1)}
        given |= {("ready_i", t): TRUE for t in range(LATEST + 1)}
        netlist = Netlist(self.path, self.fixed, given)
        for t in range(LATEST + 1):
            valid = netlist.get("valid_o", time=t)
            if is_true(valid):
                found = [netlist.get(pin, time=t) for pin in outputs]
                self.twice = [condition for condition, _ in netlist.exclusive]
                return found
            if not is_false(valid):
                break
        raise ToolFailed(f"{self.name}: its output is not valid in one cycle, 0 to {LATEST} behind the offer, for all"
                         " registers alike")


class Proof:
    """A configuration: rows (config, PAG, pattern, what, verdict, seconds, note)."""

    def __init__(self, config, blocks, args, work):
        self.config, self.args, self.rows = config, args, []
        values = [b.configs[config] for b in blocks]
        self.lanes = values[0]["Lanes"]
        if values[1]["Lanes"] != self.lanes:
            raise ToolFailed(f"{config}: the two blocks differ in Lanes")
        sources = [given([path], args) if path else None for path in (args.compressor, args.decompressor)]
        self.compressor, self.decompressor = (Side(b, v, s, work) for b, v, s in zip(blocks, values, sources))
        self.solver = Solver("z3", work)

    def through(self, pag, differences):
        """Lanes that go in, the pattern that they get, lanes that come out."""
        lanes = [var(("lane", 0), 32)]
        for difference in differences[1:]:
            lanes.append(add(lanes[-1], difference))
        offer = {"lane_i": cat(*reversed(lanes)), "pag_i": const(2, pag), "tag_i": const(6, 0)}
        pattern, words = self.compressor.flow(offer, ("pattern_o", "word_o"))
        offer = {"word_i": words, "pattern_i": pattern, "pag_i": const(2, pag), "tag_i": const(6, 0)}
        return lanes, pattern, self.decompressor.flow(offer, ("lane_o",))[0]

    def ask(self, conditions):
        """proved: they never hold together."""
        answer = self.solver.ask(conditions, self.args.timeout)
        return {"unsat": "proved", "sat": "refuted"}.get(answer.verdict, "open"), answer.values

    def row(self, pag, pattern, what, questions):
        """questions: (name, conditions that must not hold together, what shows where they do)."""
        start, verdict, note = time.monotonic(), "proved", ""
        for name, conditions, shown in questions:
            found, values = self.ask(conditions)
            if found != "proved":
                verdict, note = found, name
                if values is not None:
                    numbers = evaluate(list(shown.values()), values)
                    note += ": " + ", ".join(f"{k} {v:#x}" for k, v in zip(shown, numbers))
                break
        if not questions:
            verdict, note = "open", "nothing was asked"
        self.add(pag, pattern, what.format(len(questions)), verdict, start, note)
        return verdict == "proved"

    def reach(self, pag, pattern, given):
        """What is said of a pattern says nothing where no register gets it."""
        start = time.monotonic()
        found, _ = self.ask([given])
        self.add(pag, pattern, "some register gets it", {"refuted": "reached", "proved": "vacuous"}.get(found, found),
                 start, "")

    def add(self, pag, pattern, what, verdict, start, note):
        self.rows.append({"config": self.config, "pag": 8 << pag, "pattern": pattern, "what": what, "verdict": verdict,
                          "seconds": round(time.monotonic() - start, 1), "note": note})
        show(self.rows[-1])

    def run(self):
        free = [None] + [var(("difference", i), 32) for i in range(1, self.lanes)]
        for pag in range(3):
            _, pattern, _ = self.through(pag, free)
            other = [not_(eq(pattern, const(2, code))) for code in PATTERNS]
            self.row(pag, "any", "it is one of the three", [("another code", other, {"pattern": pattern})] + [
                ("two choices at once", [twice], {"pattern": pattern})
                for twice in self.compressor.twice + self.decompressor.twice])
            for code, name in PATTERNS.items():
                given = eq(pattern, const(2, code))
                self.reach(pag, name, given)
                alike = self.alike(pag, name, free, given)
                if alike:
                    self.back(pag, code, alike)

    def alike(self, pag, name, free, given):
        """1: the differences that the pattern leaves, None where it is not proved that it leaves no others."""
        if name == "random":
            return free
        size, left, questions = 8 << pag, list(free), []
        for i in range(1, self.lanes):
            if i % size == 0:  # the first lane of a group may be anything
                continue
            lead = const(32, 0) if name == "uniform" else free[i // size * size + 1]
            left[i] = lead
            if lead is not free[i]:
                questions.append((f"difference {i}", [given, not_(eq(free[i], lead))], {"is": free[i], "not": lead}))
        return left if self.row(pag, name, "{} differences are alike in their group", questions) else None

    def back(self, pag, code, differences):
        """2: every lane comes back."""
        lanes, pattern, out = self.through(pag, differences)
        is_code = eq(pattern, const(2, code))
        known = {}
        for part in conjuncts(is_code):
            known[part.id] = TRUE
            if part.op == "not":
                known[part.args[0].id] = FALSE
        after = [slice_(out, 32 * i + 31, 32 * i) for i in range(self.lanes)]
        questions = [(f"lane {i}", [is_code, not_(eq(came, went))], {"went in": went, "comes back": came})
                     for i, (came, went) in enumerate(zip(substitute(after, known), lanes))]
        self.row(pag, PATTERNS[code], "{} lanes come back", questions)


def show(row):
    print(f"{row['verdict']:8}  {row['config']:8} {row['pag']:2} lanes a group  {row['pattern']:8} {row['what']:42}"
          f" {row['seconds']:6.1f} s" + (f"  {row['note']}" if row["note"] else ""), flush=True)


def main():
    args = arguments().parse_args()
    rows = []
    try:
        blocks = {b.name: b for b in blockdesc.read_all()}
        blocks = [blocks[name] for name in SIDES]
        for config in args.config or ["tiny"]:
            if config not in blocks[0].configs:
                raise ToolFailed(f"no configuration '{config}': {', '.join(blocks[0].configs)}")
        given([path for path in (args.compressor, args.decompressor) if path], args)
        if args.json:
            check_json(args.json)
        if args.timeout < 1:
            raise ToolFailed("--timeout wants a number from 1 up")
        for config in dict.fromkeys(args.config or ["tiny"]):
            with tempfile.TemporaryDirectory() as work:
                proof = Proof(config, blocks, args, Path(work))
                proof.run()
            rows += proof.rows
        if args.json:
            write_json(args.json, rows)
    except KeyboardInterrupt:
        print("warpref roundtrip: interrupted", file=sys.stderr)
        raise
    except (ToolFailed, Unsupported, RuntimeError, ValueError, OSError) as error:
        print(f"warpref roundtrip: {error}", file=sys.stderr)
        return 2
    failed = sum(r["verdict"] not in GOOD for r in rows)
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
