#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `warpref prove` makes of an expression means what the expression means: random ones, worked out beside
the graph in the plainest way, keep their value in normal form (formal/graph.py), spread out, read under a guard
that holds, and made with others of their value in the place of some; their bounds are bounds; and a question that
has an answer has one with its products free.
With a fault planted this must not be so.

  prove_graph.py [--seed N] [FAULT]    exit status 0: all agree, or the fault was noticed
  prove_graph.py --list                the faults
"""
import argparse
import importlib
import random
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "dpi")]

ROUNDS = 500    # sets of expressions, each of its own variables
NODES = 60      # expressions in a set
TIMES = 6       # values of the variables for each set
ASKED = 4       # rounds for one with a question to the solver
WIDTHS = (1, 2, 5, 8, 96)
VARIABLES = 2   # of each width: few, so that operands meet

# A module of formal/, and a change of its text, which is there once.
FAULTS = {
    "bound": ("graph", "return a[1].key - 1 if is_const(a[1]) and a[1].key else a[0].top",
              "return a[1].key - 2 if is_const(a[1]) and a[1].key > 1 else a[0].top"),
    "equality": ("graph", "a.key > q.top for a in p.args[1:]", "a.key >= q.top for a in p.args[1:]"),
    "difference": ("graph", "return x.args[x.args[0] is y]", "return x.args[x.args[1] is y]"),
    "complement": ("graph", "return or_(p.args[1 - k], q)", "return or_(p.args[k], q)"),
    "minus": ("graph", "return _make(\"sext\", width, (x,))", "return zext(x, width)"),
    "overflow": ("walk", 'n.op == "add" and sum(a.top for a in n.args) <= ones(n.width)', 'n.op == "add"'),
    "factor": ("walk", "return ite(_inner(p), q, const(q.width, 0))", "return q"),
    "cut": ("walk", "exact = n.op != \"mul\" or n.args[0].top * n.args[1].top <= ones(n.width)", "exact = True"),
    "rest": ("walk", 'if op == "udiv" and one.width != other.width else FALSE', "if False else FALSE"),
    "operand": ("walk", "any_of(all_of(c) for c in same)", "any_of(any_of(c) for c in same)"),
    "support": ("walk", "(_below[a.id] for a in m.args)", "(_below[a.id] for a in m.args[:2])"),
    "word": ("walk", "range(low // WORD, high // WORD + 1)", "range(low // WORD, low // WORD + 1)"),
    "array": ("graph", "return ite(x.args[0], slice_(x.args[1], high, low), slice_(x.args[2], high, low))",
              "return ite(x.args[0], slice_(x.args[2], high, low), slice_(x.args[1], high, low))"),
    "instead": ("graph", "return _instead.get(node.id, node)", "return _instead.get(node.id ^ 1, node)"),
    "cleared": ("graph", "    _instead.clear()", "    pass"),
    "window": ("graph", "return min(a[0].top >> n.key, full)", "return min(a[0].top >> n.key + 1, full)"),
    "guard": ("execute", 'strong = c.op == "or"', 'strong = c.op == "and"'),
    "way": ("execute", "v = v.args[1] if way else v.args[2]", "v = v.args[2] if way else v.args[1]"),
}


def signed(x, width):
    return x - (1 << width) if x >> (width - 1) & 1 else x


def quotient(x, y):
    """Toward 0."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def signed_quotient(x, y, width):
    x, y = signed(x, width), signed(y, width)
    return quotient(x, y) if y else 1 if x < 0 else -1


def signed_rest(x, y, width):
    x, y = signed(x, width), signed(y, width)
    return x - y * quotient(x, y) if y else x


# Of two words of one width. Division by 0 is as SMT-LIB has it.
WORDS = {
    "and_": lambda x, y, w: x & y, "or_": lambda x, y, w: x | y, "xor": lambda x, y, w: x ^ y,
    "add": lambda x, y, w: x + y, "sub": lambda x, y, w: x - y, "mul": lambda x, y, w: x * y,
    "udiv": lambda x, y, w: x // y if y else -1, "urem": lambda x, y, w: x % y if y else x,
    "sdiv": signed_quotient, "srem": signed_rest,
    "shl": lambda x, y, w: x << min(y, w), "lshr": lambda x, y, w: x >> min(y, w),
    "ashr": lambda x, y, w: signed(x, w) >> min(y, w),
}
CONDITIONS = {
    "eq": lambda x, y, w: x == y, "ult": lambda x, y, w: x < y, "slt": lambda x, y, w: signed(x, w) < signed(y, w),
}


class Terms:
    """Expressions as (node, [value for each time])."""

    def __init__(self, graph, chance, name):
        self.graph, self.chance = graph, chance
        self.times, self.all = [{} for _ in range(TIMES)], []
        for width in WIDTHS:
            for i in range(VARIABLES):
                key = ("v", name, width, i)
                for at in self.times:
                    at[key] = self.number(width)
                self.keep(graph.var(key, width), [at[key] for at in self.times])
        while len(self.all) < NODES:
            self.grow()

    def number(self, width):
        full = (1 << width) - 1
        return self.chance.choice((0, 1, full, 1 << (width - 1), self.chance.getrandbits(width))) & full

    def keep(self, node, values):
        self.all.append((node, [v & ((1 << node.width) - 1) for v in values]))

    def word(self, width):
        """One of this width, made of another where there is none; one in four is a constant."""
        if self.chance.random() < 0.25:
            k = self.number(width)
            return self.graph.const(width, k), [k] * TIMES
        found = [t for t in self.all if t[0].width == width]
        if found:
            return self.chance.choice(found)
        node, values = self.chance.choice(self.all)
        if node.width > width:
            return self.graph.slice_(node, width - 1, 0), [v & ((1 << width) - 1) for v in values]
        return self.graph.zext(node, width), values

    def grow(self):
        g, chance = self.graph, self.chance
        width = chance.choice(self.all)[0].width
        (x, a), (y, b), (c, when) = self.word(width), self.word(width), self.word(1)
        how = chance.choice((*WORDS, *CONDITIONS, "not", "ite", "cat", "zext", "sext", "slice", "product", "wider",
                          "bounded", "back"))
        if how in WORDS:
            self.keep(getattr(g, how)(x, y), [WORDS[how](p, q, width) for p, q in zip(a, b)])
        elif how == "bounded":  # a word of two constants against one that ends at or below them
            k, more = self.number(width) or 1, self.number(width)
            y, b = g.urem(y, g.const(width, k)), [q % k for q in b]
            top = y.top
            self.keep(g.eq(g.ite(c, g.const(width, top), g.const(width, top | more)), y),
                      [int((top if w else top | more) == q) for w, q in zip(when, b)])
        elif how in CONDITIONS:
            self.keep(getattr(g, how)(x, y), [int(CONDITIONS[how](p, q, width)) for p, q in zip(a, b)])
        elif how == "back":  # a sum less a part of it; one condition, or another and not that one
            self.keep(g.sub(g.add(x, y), y), a)
            (x, a), (y, b) = self.word(1), self.word(1)
            self.keep(g.or_(y, g.and_(x, g.not_(y))), [p | q for p, q in zip(a, b)])
        elif how == "not":
            self.keep(g.not_(x), [~p for p in a])
        elif how == "ite":
            self.keep(g.ite(c, x, y), [p if w else q for w, p, q in zip(when, a, b)])
        elif how == "cat" and width <= 8:
            self.keep(g.cat(x, y), [p << width | q for p, q in zip(a, b)])
        elif how == "zext" and width <= 8:
            self.keep(g.zext(x, width + 3), a)
        elif how == "sext" and width <= 8:
            self.keep(g.sext(x, width + 3), [signed(p, width) for p in a])
        elif how == "slice":
            high = chance.randrange(width)
            low = chance.randrange(high + 1)
            self.keep(g.slice_(x, high, low), [p >> low for p in a])
        elif how in ("product", "wider") and width <= 8:  # of a sum or a choice behind leading zeros
            of, inner = (g.add(x, y), [(p + q) % (1 << width) for p, q in zip(a, b)]) if how == "product" else \
                (g.ite(c, x, y), [p if w else q for w, p, q in zip(when, a, b)])
            z, other = self.word(width)
            self.keep(g.mul(g.zext(of, 2 * width), g.zext(z, 2 * width)), [p * q for p, q in zip(inner, other)])


def compared(walk, what, terms, roots):
    """How many values agree, and the first that does not."""
    run = walk.compiled(roots)
    for k, at in enumerate(terms.times):
        for (node, values), root, found in zip(terms.all, roots, run(at)):
            if found != values[k]:
                return 0, f"{what} {node} is {found}, not {values[k]}: {root}"
    return len(roots) * TIMES, None


def check_bounds(walk, terms):
    for node, values in terms.all:
        if max(values) > node.top:
            return 0, f"{node} is {max(values)}, past its bound {node.top}"
    return len(terms.all), None


def check_support(walk, terms):
    """What is kept of a node has every word that it changes with, and none of a variable that is not below it."""
    g, k = terms.graph, terms.chance.randrange(TIMES)
    nodes = [node for node, _ in terms.all]
    run, below = walk.compiled(nodes), [walk.support(node) for node in nodes]
    variables = [n for n in walk.cone(nodes) if n.op == "var"]
    for v in variables:
        for low in range(0, v.width, walk.WORD):
            high = min(low + walk.WORD, v.width) - 1
            word = walk.support(g.slice_(v, high, low))
            other = terms.times[k][v.key] ^ terms.chance.randrange(1, 2 << (high - low)) << low
            for (node, values), found, kept in zip(terms.all, run(terms.times[k] | {v.key: other}), below):
                if found != values[k] and not kept & word:
                    return 0, f"{node} changes with {v}[{high}:{low}], which is not kept of it"
    for node, kept in zip(nodes, below):
        of = {n for n in walk.cone([node]) if n.op == "var"}
        if any(kept & walk.support(v) for v in variables if v not in of):
            return 0, f"a variable is kept of {node} that is not below it"
    return len(nodes), None


def check_guards(walk, execute, terms):
    """Under conditions that hold at a time, values are those of that time."""
    k = terms.chance.randrange(TIMES)
    choices = {n.args[0] for n in walk.cone([node for node, _ in terms.all]) if n.op == "ite"}
    parts = sorted({p for c in choices for p in (c.args if c.op in ("and", "or") else [c])}, key=lambda n: n.id)
    held = zip(parts, walk.compiled(parts)(terms.times[k]))
    guard = frozenset(node if v else terms.graph.not_(node) for node, v in held if terms.chance.random() < 0.5)
    read = [execute.under(node, guard) for node, _ in terms.all]
    for (node, values), found in zip(terms.all, walk.compiled(read)(terms.times[k])):
        if found != values[k]:
            return 0, f"under a guard {node} is {found}, not {values[k]}"
    return len(read), None


def check_instead(walk, terms):
    """With variables in the place of some expressions all keep their values where these have those; and once that
    is over, nothing is exchanged."""
    g, chosen = terms.graph, terms.chance.sample([t for t in terms.all if t[0].args], 3)

    def made_again():
        return walk.rebuild([node for node, _ in terms.all], lambda n, args: g.again(n, args) if args else None)
    plain = made_again()
    for i, (node, values) in enumerate(chosen):
        for at, value in zip(terms.times, values):
            at["instead", i] = value
        g.set_instead(node, g.var(("instead", i), node.width))
    roots = made_again()
    g.clear_instead()
    if plain == roots or plain != made_again():
        return 0, "nothing is exchanged, or for ever"
    return compared(walk, "with others instead", terms, roots)


def check_free(walk, terms, solver):
    """What holds at a time can hold, so it can with results of these operations free."""
    k, g = terms.chance.randrange(TIMES), terms.graph
    (x, a), (y, b) = terms.word(5), terms.word(5)
    wide, value = [], []
    for name in ("mul", "udiv", "urem"):
        for width in (5, 7, 10):
            wide.append(getattr(g, name)(g.zext(x, width), g.zext(y, width)))
            value.append(WORDS[name](a[k], b[k], width))
    wide.append(g.mul(y, g.add(x, g.const(5, 1))))
    value.append(b[k] * (a[k] + 1))
    pinned = [g.eq(n, g.const(n.width, v)) for n, v in [*zip(wide, value), (x, a[k]), (y, b[k])]]
    count = 0
    for ops, multiples in ((("mul", "udiv", "urem"), True), (("mul",), False), (("udiv", "urem"), True)):
        roots, freed = walk.without(pinned, ops, multiples)
        if freed and solver.ask(roots, 60).verdict != "sat":
            return count, f"{a[k]} and {b[k]} exist, but not with {', '.join(ops)} free"
        count += freed > 0
    return count, None


def plant(fault):
    name, old, new = FAULTS[fault]
    path = ROOT / "formal" / f"{name}.py"
    text = path.read_text(encoding="ascii")
    if text.count(old) != 1:
        sys.exit(f"formal/{name}.py does not have '{old}' once")
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(f"formal.{name}", path))
    sys.modules[module.__name__] = module
    exec(compile(text.replace(old, new), path, "exec"), module.__dict__)
    setattr(importlib.import_module("formal"), name, module)


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--list", action="store_true")
    ask.add_argument("fault", nargs="?", choices=FAULTS)
    args = ask.parse_args()
    if args.list:
        print(*FAULTS, sep="\n")
        return 0
    if args.fault:
        plant(args.fault)
    graph, walk, execute, solvers = (importlib.import_module(f"formal.{m}")
                                     for m in ("graph", "walk", "execute", "solver"))
    chance, total, wrong = random.Random(args.seed), 0, None
    with tempfile.TemporaryDirectory(prefix="warpref-graph-") as folder:
        solver = solvers.Solver("boolector", Path(folder))
        for n in range(ROUNDS):
            terms = Terms(graph, chance, n)
            nodes = [node for node, _ in terms.all]
            checks = [lambda: compared(walk, "as made", terms, nodes), lambda: check_bounds(walk, terms),
                      lambda: check_support(walk, terms),
                      lambda: compared(walk, "spread", terms, walk.spread(nodes)),
                      lambda: check_guards(walk, execute, terms), lambda: check_instead(walk, terms)]
            checks += [lambda: check_free(walk, terms, solver)] if n % ASKED == 0 else []
            for check in checks:
                count, wrong = check()
                total += count
                if wrong:
                    print(f"seed {args.seed}, set {n}: {wrong}")
                    return int(not args.fault)
    print(f"{total} values and answers agree")
    return int(bool(args.fault) or not total)


if __name__ == "__main__":
    sys.exit(main())
