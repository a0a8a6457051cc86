#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""formal/aig.py against the graph: every operation on words of many widths, as gates that are evaluated one by
one, gives what formal/walk.py computes; and both solvers say the same of random conditions. What a goal has
proved helps a later goal, and no step of a relation, on which it may rest. With a fault planted this must not
be so.

  prove_gates.py [FAULT]
"""
import random
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "dpi")]

from formal import goals, graph  # noqa: E402
from formal.aig import Aig, blasted  # noqa: E402
from formal.solver import Answer, Gates, Solver  # noqa: E402
from formal.walk import evaluate  # noqa: E402

WIDTHS = (1, 2, 3, 5, 8, 13)
VALUES = 12     # of each operation in each width
CONDITIONS = 60
BOTH = ("and_", "or_", "xor", "add", "sub", "mul", "udiv", "urem", "eq", "ult", "slt", "shl", "lshr", "ashr")


def operations(x, y, c):
    """Every operation that gates are made of; the words are variables, so nothing folds."""
    width = x.width
    found = [getattr(graph, name)(x, y) for name in BOTH]
    found += [graph.not_(x), graph.ite(c, x, y), graph.cat(x, y), graph.sext(x, width + 3)]
    return found + [graph.slice_(x, width - 1, width // 2)]


def gates_of(g, words):
    """The values of literals, gate by gate."""
    value = [0, *words]
    for x, y in g.gates:
        value.append((value[x >> 1] ^ x & 1) & (value[y >> 1] ^ y & 1))
    return lambda literal: value[literal >> 1] ^ literal & 1


def number(chance, width):
    return chance.choice((0, 1, 1 << (width - 1), (1 << width) - 1, chance.getrandbits(width))) & ((1 << width) - 1)


def check_operations(chance):
    """How many values agree, and the first that does not."""
    count = 0
    for width in WIDTHS:
        x, y, c = graph.var(("x", width), width), graph.var(("y", width), width), graph.var(("c",), 1)
        for n in operations(x, y, c):
            for _ in range(VALUES):
                values = {("x", width): number(chance, width), ("y", width): number(chance, width),
                          ("c",): chance.getrandbits(1)}
                [wanted] = evaluate([n], values)
                # A condition that holds exactly where the word is what it is to be.
                for word in (wanted, wanted ^ 1 << chance.randrange(n.width)):
                    g, output, names = blasted([graph.eq(n, graph.const(n.width, word))])
                    bits = [values[name] >> i & 1 for name, size in names for i in range(size)]
                    if gates_of(g, bits)(output) != (word == wanted):
                        return count, f"{n.op} of {width} bits: {values}"
                    count += 1
    return count, None


def check_solvers(chance, folder):
    one, other, seen = Solver("boolector", folder), Gates(folder), set()
    for k in range(CONDITIONS):
        words = [graph.var(("w", k, i), 6) for i in range(3)]
        for _ in range(8):
            x, y = chance.sample(words, 2)
            words.append(graph.ite(graph.ult(x, y), *(getattr(graph, chance.choice(BOTH[:6]))(*chance.sample(words, 2))
                                                      for _ in range(2))))
        roots = [graph.eq(words[-1], graph.const(6, chance.getrandbits(6))), graph.ult(words[-2], words[0]),
                 graph.not_(graph.eq(words[-3], words[1]))]
        answers = {s.name: s.ask(roots, 60).verdict for s in (one, other)}
        if len(set(answers.values())) != 1:
            return k, f"condition {k}: {answers}"
        seen.add(answers["cadical"])
    return CONDITIONS, None if seen == {"sat", "unsat"} else f"only {seen}"


class Undecided:
    """A first solver that leaves all to the second."""

    def __init__(self):
        self.name, self.proved = "undecided", set()

    def ask(self, roots, limit):
        return Answer("open")


def check_learned(folder):
    """x + 1 = y has been proved: then so is (x + 1) ^ 5 = y ^ 5, but not where it is a step."""
    x, y, five = graph.var(("x",), 8), graph.var(("y",), 8), graph.const(8, 5)
    more = graph.add(x, graph.const(8, 1))
    bad = graph.ult(graph.xor(more, five), graph.xor(y, five))
    first, equal = Undecided(), graph.not_(graph.eq(more, y))
    for learned, known, wanted in ([equal], {}, goals.PROVED), ([equal], {bad: 0}, goals.REFUTED), (
            [], {}, goals.REFUTED):  # the last in another case of the same proof
        prover = goals.Prover(first, [], 60, known, gates=Gates(folder))
        prover.learn(learned)
        verdict = prover.decide([bad]).verdict
        if verdict != wanted:
            return f"{len(learned)} learned, {len(known)} steps: {verdict}"
    return None


def plant(fault):
    if fault == "carry":
        right = Aig._sum
        Aig._sum = lambda self, x, y, carry: right(self, x, y, 0)
    elif fault == "sign":
        right = Aig.word
        Aig.word = lambda self, n, a: ([self._difference(*a)[1] ^ 1] if n.op == "slt" else right(self, n, a))
    elif fault == "rest":
        right = Aig._quotient
        Aig._quotient = lambda self, x, y: (right(self, x, y)[0], right(self, x, y[:-1] + [0])[1])
    elif fault == "selection":
        right = Aig.ite
        Aig.ite = lambda self, c, x, y: right(self, c, y, x)
    elif fault == "step":
        right = goals.Prover._within
        goals.Prover._within = lambda self, bads, known: right(self, bads, None)
    elif fault:
        sys.exit(f"no fault '{fault}'")


def main():
    fault = sys.argv[1] if len(sys.argv) > 1 else ""
    plant(fault)
    chance = random.Random(1)
    count, wrong = check_operations(chance)
    with tempfile.TemporaryDirectory(prefix="warpref-gates-") as folder:
        wrong = wrong or check_learned(Path(folder))
        if wrong is None:
            more, wrong = check_solvers(chance, Path(folder))
            count += more
    print(wrong or f"{count} values and conditions agree")
    return bool(wrong) != bool(fault)


if __name__ == "__main__":
    sys.exit(main())
