# SPDX-License-Identifier: Apache-2.0
"""Decides one goal: conditions that can never hold under the assumptions.

A goal is tried whole for a short time, and then falls into conjuncts. Each pack of them is tried with
the assumptions that share variables with it; first with every subtraction, multiplication and division
a free variable (where they match on both sides, or a lemma says of them what is needed, the solver need
not know what they do), with products and quotients alone, and with those of variables alone; then as it
is for a short time; then split by the condition on which most multiplexer bits hang, both ways; at last
as it is up to the limit.
"""
from dataclasses import dataclass

from formal.graph import FALSE, TRUE, any_of, is_false, not_
from formal.walk import conjuncts, evaluate, pivot, substitute, support, without

PROVED, REFUTED, OPEN = "proved", "refuted", "open"
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


class Prover:
    """assumed: conditions that hold in the states that the proof starts from; known: how many of them a
    condition may use that was assumed itself behind these."""

    def __init__(self, solver, assumed, limit, known=None):
        self.solver, self.assumed, self.limit, self.known = solver, assumed, limit, known or {}
        self._support = [(q, support(q)) for q in assumed]

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
        if len(parts) > PACK:  # often the whole is no harder than its parts
            answer = self.solver.ask([any_of(parts), *self._near(parts, known)], min(FIRST_TRY, self.limit))
            if answer.verdict == "unsat":
                return self._verdict(answer)
            total.seconds += answer.seconds
        for pack in self._packs(parts):
            near = self._near(pack, known)
            question = (any_of(pack), frozenset(near))
            if question in self.solver.proved:  # in another case
                continue
            found = self._pack(pack, near, 0, self.limit)
            total.seconds += found.seconds
            if found.verdict == PROVED:
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

    def _packs(self, parts):
        if len(parts) <= PACK:
            return [parts] if parts else []
        alike = {}
        for p in parts:
            alike.setdefault(support(p), []).append(p)
        return [group[i:i + PACK] for group in alike.values() for i in range(0, len(group), PACK)]

    def _near(self, pack, known):
        below = frozenset().union(*(support(p) for p in pack))
        return [q for q, names in self._support[:known] if names & below]

    @staticmethod
    def _verdict(answer):
        verdict = {"unsat": PROVED, "sat": REFUTED, "open": OPEN}[answer.verdict]
        return Verdict(verdict, answer.seconds, answer.values)

    def _pack(self, bads, near, depth, limit):
        total, bad = 0.0, any_of(bads)
        if is_false(bad):
            return Verdict(PROVED)
        for ops, multiples in FREE:
            roots, count = without([bad, *near], ops, multiples)
            if is_false(roots[0]):
                return Verdict(PROVED)
            if count:
                answer = self.solver.ask(roots, min(FIRST_TRY, limit))
                total += answer.seconds
                if answer.verdict == "unsat":
                    return Verdict(PROVED, total)
        split = pivot([bad]) if depth < DEPTH else None
        answer = self.solver.ask([bad, *near], limit if split is None else min(limit, FIRST_TRY * (depth + 1)))
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
