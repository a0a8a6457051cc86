# SPDX-License-Identifier: Apache-2.0
"""Decides one goal: conditions that can never hold under the assumptions.

A goal is tried whole for a short time, and then falls into conjuncts. Each pack of them is tried with
the assumptions that share words of variables with it; first with every subtraction, multiplication and division
a free variable (where their operands match, or a lemma says of them what is needed, the solver need
not know what they do), with products and quotients alone, and with those of variables alone; then as it
is for a short time; on integers for a short time where it has products, and as gates for a part of the
limit, both with what earlier goals have shown of its parts; then split by the condition on which most
multiplexer bits hang, both ways; at last as it is up to the limit.
"""
import functools
import math
import operator
from collections import Counter
from dataclasses import dataclass

from formal.graph import FALSE, TRUE, any_of, is_false, not_
from formal.walk import cone, conjuncts, evaluate, pivot, spread, substitute, support, without

PROVED, REFUTED, OPEN = "proved", "refuted", "open"
GATES = 2      # part of the limit that a question has as gates: one in so many
INSIDE = 0.8   # part of what an equality is made of that a goal must have for it to help
PACK = 8       # conjuncts in one question
DEPTH = 4      # splits in a row
FIRST_TRY = 5  # seconds for the first try without a split, and for one with free operations
PRODUCTS = ("mul", "udiv", "urem", "sdiv", "srem")
FREE = ((("sub", *PRODUCTS), True), (PRODUCTS, True), (PRODUCTS, False))  # and multiples of constants


@dataclass
class Verdict:
    verdict: str
    seconds: float = 0.0
    values: dict = None  # where refuted


def _inside(roots):
    return frozenset(n.id for n in cone(roots) if n.args)


class Cases:
    """What the cases of a proof have in common: a goal of several is the better proved once, with what all assume."""

    def __init__(self, sides):
        """sides: of each case its goals and what it assumes."""
        self.several = len(sides) > 1
        times = Counter(c for side in sides for c in {c for _, _, bad in side.goals for c in conjuncts(not_(bad))})
        self.repeated = {not_(c) for c, k in times.items() if k > 1}
        self.assumed = set.intersection(*(set(side.assumed) for side in sides)) if sides else set()
        self.verdicts = {}  # of the questions with that, (condition, set of assumptions)
        self.many = math.inf  # so many parts were too much for a first try


class Prover:
    """assumed: conditions that hold in the states that the proof starts from; known: how many of them a
    condition may use that was assumed itself behind these. integers, gates: solvers for what the first
    does not decide in a short time; the one knows products best, the other everything else. cases: what this
    proof has in common with those of the other cases."""

    def __init__(self, solver, assumed, limit, known=None, integers=None, gates=None, cases=None):
        self.solver, self.assumed, self.limit, self.known = solver, assumed, limit, known or {}
        self.integers, self.gates, self.cases = integers, gates, cases or Cases([])
        self._learned = []  # (condition that a proved goal says, what is worked out for it)
        self._support = [(q, support(q)) for q in assumed]

    def learn(self, bads):
        """These have been proved never to hold. So what of model and RTL is equal there helps a later goal that
        is made of both."""
        for q in {q for bad in bads for q in conjuncts(not_(bad)) if q.op == "eq"}:
            self._learned.append((q, _inside(q.args)))

    def _within(self, bads, known):
        if known is not None:  # a step: what was proved since may rest on it
            return []
        inside = _inside(bads)
        return [q for q, parts in self._learned if parts and len(parts & inside) >= INSIDE * len(parts)]

    def decide(self, bads):
        """bads: conditions of which none may hold."""
        total, alike = Verdict(PROVED), {}
        for bad in bads:
            alike.setdefault(self.known.get(bad), []).append(bad)
        for known, group in alike.items():
            found = self._decide(group, known)
            total.seconds += found.seconds
            if found.verdict != PROVED:
                total.verdict, total.values = found.verdict, found.values
            if found.verdict == REFUTED:
                break
        return total

    def _decide(self, bads, known):
        parts = [not_(c) for bad in bads for c in conjuncts(not_(bad))]
        parts = [p for p in dict.fromkeys(parts) if not is_false(p)]
        total = Verdict(PROVED)
        if PACK < len(parts) < self.cases.many:  # often the whole is no harder than its parts
            answer = self.solver.ask([any_of(parts), *self._near(parts, known)], min(FIRST_TRY, self.limit))
            if answer.verdict == "unsat":
                return self._verdict(answer)
            total.seconds += answer.seconds
            if answer.verdict == "open" and self.cases.several:
                self.cases.many = len(parts)
        for pack in self._packs(parts):
            near = self._near(pack, known)
            question = (any_of(pack), frozenset(near))
            if question in self.solver.proved:  # in another case
                continue
            if self.cases.repeated.issuperset(pack):
                found = self._once(pack, [q for q in near if q in self.cases.assumed])
                total.seconds += found.seconds
                if found.verdict == PROVED:
                    continue
            learned = self._within(pack, known)
            found = self._pack(pack, near, 0, self.limit, learned)
            total.seconds += found.seconds
            if found.verdict == PROVED and not learned:  # which another case may not have
                self.solver.proved.add(question)
            if found.verdict == REFUTED:
                # Only some assumptions were in it: if the others do not hold in it, ask with all.
                if not all(evaluate(self.assumed[:known], found.values)):
                    answer = self.solver.ask([any_of(pack), *self.assumed[:known]], self.limit)
                    total.seconds += answer.seconds
                    found = self._verdict(answer)
                if found.verdict == REFUTED:
                    total.verdict, total.values = REFUTED, found.values
                    return total
            if found.verdict == OPEN:
                total.verdict = OPEN
        return total

    def _once(self, pack, near):
        """The verdict with what all cases assume. Refuted, it need not be with what this one assumes."""
        question = (any_of(pack), frozenset(near))
        verdict = self.cases.verdicts.get(question)
        if verdict is not None:
            return Verdict(verdict)
        found = self._pack(pack, near, 0, self.limit)
        self.cases.verdicts[question] = found.verdict
        return found

    def _packs(self, parts):
        if len(parts) <= PACK:
            return [parts] if parts else []
        alike = {}
        for p in parts:
            alike.setdefault((p in self.cases.repeated, support(p)), []).append(p)
        return [group[i:i + PACK] for group in alike.values() for i in range(0, len(group), PACK)]

    def _near(self, pack, known):
        below = functools.reduce(operator.or_, (support(p) for p in pack), 0)
        return [q for q, names in self._support[:known] if names & below]

    @staticmethod
    def _verdict(answer):
        verdict = {"unsat": PROVED, "sat": REFUTED, "open": OPEN}[answer.verdict]
        return Verdict(verdict, answer.seconds, answer.values)

    def _pack(self, bads, near, depth, limit, learned=()):
        total, bad = 0.0, any_of(bads)
        if is_false(bad):
            return Verdict(PROVED)
        tried, products = set(), False
        for ops, multiples in FREE:
            roots, count = without(spread([bad, *near]), ops, multiples)
            if is_false(roots[0]):
                return Verdict(PROVED)
            products = products or count > 0 and ops is PRODUCTS
            if count and tuple(roots) not in tried:
                tried.add(tuple(roots))
                answer = self.solver.ask(roots, min(FIRST_TRY, limit))
                total += answer.seconds
                if answer.verdict == "unsat":
                    return Verdict(PROVED, total)
        split = pivot([bad]) if depth < DEPTH else None
        answer = self.solver.ask([bad, *near], limit if split is None else min(limit, FIRST_TRY * (depth + 1)))
        total += answer.seconds
        if depth == 0:
            others = [(self.integers, 2 * FIRST_TRY)] if self.integers and products else []
            others += [(self.gates, limit / GATES)] if self.gates else []
            for other, most in others:
                if answer.verdict == "open":
                    answer = other.ask([bad, *near, *learned], min(limit, most))
                    total += answer.seconds
        if answer.verdict != "open" or split is None:
            found = self._verdict(answer)
            return Verdict(found.verdict, total, found.values)
        for value in (TRUE, FALSE):
            roots = substitute([bad, *near], {split.id: value})
            if is_false(roots[0]):
                continue
            roots.append(split if value is TRUE else not_(split))
            left = limit - total
            if left <= 0:
                return Verdict(OPEN, total)
            found = self._pack(roots[:1], roots[1:], depth + 1, left)
            total += found.seconds
            if found.verdict != PROVED:
                return Verdict(found.verdict, total, found.values)
        return Verdict(PROVED, total)
