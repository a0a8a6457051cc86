# SPDX-License-Identifier: Apache-2.0
"""One random kernel: its variables, the statements of the kinds that it draws from, and its text.

A kind is a class of kinds.py, aggregates.py or warps.py with `statements`, each a method that gives an Item. `together`
says whether all threads of the block execute a statement together, `lanes` which lanes of the warp do (an expression), or
None where that is open.
"""
import random

from aggregates import Aggregates
from kinds import Kinds
from known import NOT_DRAWN
from text import Expressions, Item
from warps import Warps

# Which statements a kind adds: (method, how often, where it may stand: anywhere, lanes known, all together).
KINDS = {
    "integer": [("assign", 6, "any"), ("assign", 4, "any")],
    "float": [("assign", 4, "any")],
    "half": [("half", 8, "any")],
    "fields": [("field_step", 8, "any")],
    "aggregate": [("aggregate_step", 8, "any")],
    "holes": [("aggregate_step", 8, "any")],
    "flow": [("branch", 3, "any"), ("loop", 2, "any"), ("switch", 2, "any"), ("call", 2, "any"), ("repeat", 1, "any"), ("leave", 1, "any")],
    "memory": [("local_array", 3, "any"), ("bytes", 3, "any"), ("table", 2, "any"), ("pointer", 2, "any"), ("exchange", 4, "all")],
    "warp": [("shuffle", 4, "lanes"), ("vote", 3, "lanes"), ("set_in_branch", 4, "lanes"), ("group", 4, "lanes"), ("rounds", 2, "lanes")],
    "leader": [("leader", 5, "lanes"), ("group", 2, "lanes"), ("counted", 2, "lanes"), ("sum", 1, "any")],
    "lock": [("lock", 4, "any")],
    "noreturn": [("no_return", 5, "any")],
}
ALWAYS = [("assign", 4, "any"), ("branch", 1, "any"), ("loop", 1, "any")]
DEEPEST = 3


class Kernel(Expressions, Kinds, Aggregates, Warps):
    """`only`: the kinds to draw from; else a few of all."""

    def __init__(self, seed, only=()):
        self.r = r = random.Random(seed)
        self.seed = seed
        self.kinds = list(only) or sorted({"integer", *r.sample(sorted(KINDS.keys() - NOT_DRAWN), r.randrange(1, 5))})
        self.floats = bool({"float", "half"} & set(self.kinds))
        self.names = self.depth = self.loops = 0
        self.vars, self.counters, self.here = [("v0", "u32")], [], ["lane"]
        self.helpers, self.parameters, self.starts, self.structs, self.shared, self.ends, self.finish = [], [], [], [], [], [], []
        self.body = self.write()

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def write(self):
        r = self.r
        self.starts.append(Item("u32 v0 = (u32)in[threadIdx.x * INPUTS];"))
        for k in range(1, r.randrange(4, 9)):
            t = self.any_type()
            self.starts.append(Item(f"{t} v{k} = {self.convert(f'in[threadIdx.x * INPUTS + {k}]', 'u64', t)};"))
            self.vars.append((f"v{k}", t))
        for kind in self.kinds:
            getattr(self, f"begin_{kind}", lambda: None)()
        self.menu = [entry for kind in self.kinds for entry in KINDS[kind]] + ALWAYS
        return [self.statement("FULL", True) for _ in range(r.randrange(6, 18))]

    def statement(self, lanes, together):
        """A statement of a kind that may stand here."""
        fits = [(method, often) for method, often, where in self.menu
                if where == "any" or (where == "lanes" and lanes) or (where == "all" and together)]
        if self.depth >= DEEPEST:
            fits = [(method, often) for method, often in fits if method not in ("branch", "loop", "switch", "repeat", "group", "rounds")]
        method = self.r.choices([m for m, _ in fits], [often for _, often in fits])[0]
        return getattr(self, method)(lanes, together)

    def inside(self, count, lanes=None, together=False):
        """Statements one level deeper."""
        self.depth += 1
        items = [self.statement(lanes, together) for _ in range(self.r.randrange(1, count + 1))]
        self.depth -= 1
        return items

    def values(self):
        """What each thread leaves: (expression, its name)."""
        return [(f"bits_of({name})", name) for name, _ in self.vars] + self.ends

    def items(self):
        """All that can be taken out, the outer ones first."""
        for top in [*self.body, *self.helpers]:
            yield from top.all()

    def text(self):
        values = self.values()
        n = len(values)
        lines = [line for item in self.helpers for line in item.lines(0)]
        takes = ", ".join([f"{t} {name}" for t, name, _ in self.parameters] + ["const u64 *in", "u64 *out", "u64 *cells"])
        lines += [f"__global__ void kernel({takes})", "{", "    const u32 lane = threadIdx.x & 31;"]
        lines += [line for item in [*self.shared, *self.starts, *self.body, *self.finish] for line in item.lines(1)]
        lines += [f"    out[threadIdx.x * {n} + {k}] = {value};" for k, (value, _) in enumerate(values)]
        lines += ["}", "static void launch(const u64 *in, u64 *out, u64 *cells)", "{"]
        lines += [f"    {line}" for _, _, made in self.parameters for line in made]
        gives = ", ".join([name for _, name, _ in self.parameters] + ["in", "out", "cells"])
        return "\n".join([*lines, f"    LAUNCH({n}, in, out, cells, kernel, {gives});", "}"]) + "\n"
