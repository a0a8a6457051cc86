# SPDX-License-Identifier: Apache-2.0
"""A random program's text as a tree, so that parts of it can be taken out again; and its expressions.

What an expression means is the same for C++ and CUDA: integers wrap (they are unsigned where they could overflow), shifts
stay below the width or go through functions that say what is beyond (lanes.h), divisors are never zero, floats become
integers only where they fit.
"""

INTS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
BITS = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64, "f32": 32, "f64": 64}
EDGES = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 0x7fffffff, 0x80000000, 0xffffffff,
         0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff]
INDENT = "    "


class Item:
    """A statement, or several that belong together; or one with others inside: [(head, items)], and what stands behind."""

    def __init__(self, text="", parts=(), tail=""):
        self.text, self.parts, self.tail, self.gone, self.bare = text, list(parts), tail, False, False

    def lines(self, depth):
        if self.gone:
            return
        for line in filter(None, self.text.split("\n")):
            yield INDENT * depth + line
        for head, items in self.parts:
            if not self.bare:
                yield INDENT * depth + head
            for item in items:
                yield from item.lines(depth + (not self.bare))
        if self.tail and not self.bare:
            yield INDENT * depth + self.tail

    def all(self):
        """This one and all inside, the outer ones first."""
        yield self
        for _, items in self.parts:
            for item in items:
                yield from item.all()


def wrap(t, a, op, b):
    """a op b that wraps."""
    u = "u64" if BITS[t] == 64 else "u32"
    return f"(({t})(({u}){a} {op} ({u}){b}))"


class Expressions:
    """Of a Kernel, which has: r, vars [(name, type)], floats (whether there are any), counters, and
    `here`: ["lane"] in the kernel itself, [] in a function."""

    def constant(self, t):
        r = self.r
        if t in ("f32", "f64"):
            number = r.choice(["0.0", "1.0", "-1.5", "0.1", "3e10", "-7e-3", "255.5", "65504.0", "1e-40", "2147483648.0"])
            return f"(({t}){number})"
        value = r.choice(EDGES) if r.random() < 0.5 else r.getrandbits(r.choice([3, 8, 16, 32, 64]))
        return f"(({t})0x{value & (1 << BITS[t]) - 1:x}ull)"

    def leaf(self, t):
        r = self.r
        k = r.random()
        if k < 0.65:
            same = [v for v in self.vars if v[1] == t]
            return self.convert(*r.choice(same if same and r.random() < 0.6 else self.vars), t)
        if k < 0.82:
            return self.constant(t)
        if k < 0.92 and self.here:
            return self.convert(f"in[threadIdx.x * INPUTS + {r.randrange(16)}]", "u64", t)
        return self.convert(r.choice(["threadIdx.x", *self.here, *self.counters]), "u32", t)

    def convert(self, e, src, to):
        if src == to:
            return e
        if src in BITS and src[0] == "f" and to[0] != "f":
            kinds = [k for k in INTS if (src, k) in WHOLE]
            kind = to if to in kinds else self.r.choice(kinds)
            return f"(({to})whole_{src}_{kind}({e}))"
        return f"(({to})({e}))"

    def any_type(self):
        return self.r.choice(INTS + ["u32", "s32", "u64", "s64"] + ["f32", "f32", "f64"] * self.floats)

    def expr(self, t, depth=None):
        r = self.r
        depth = r.choice([1, 1, 2, 2, 3]) if depth is None else depth
        if depth <= 0:
            return self.leaf(t)
        if t in ("f32", "f64"):
            return self.real(t, depth)
        ways = [self.arithmetic] * 5 + [self.shift] * 4 + [self.field] * 4 + [self.rotation] * 2 + [self.division, self.choice, self.bits, self.bits,
                self.widened, self.widened, self.converted, self.converted, self.condition]
        return r.choice(ways)(t, depth)

    def real(self, t, depth):
        r = self.r
        a, b = self.expr(t, depth - 1), self.expr(t, depth - 1 - (r.random() < 0.5))
        k = r.randrange(10)
        if k < 5:
            return f"({a} {r.choice('+-*/')} {b})"
        if k == 5:
            return f"{'fmaf' if t == 'f32' else 'fma'}({a}, {b}, {self.leaf(t)})"
        if k == 6:
            return f"{'sqrtf' if t == 'f32' else 'sqrt'}({a} < 0 ? -{a} : {a})"
        if k == 7:
            return f"({a} {r.choice('<>')} {b} ? {a} : {b})"
        return self.converted(t, depth)

    def converted(self, t, depth):
        of = self.any_type()
        return self.convert(self.expr(of, depth - 1), of, t)

    def arithmetic(self, t, depth):
        a, b = self.expr(t, depth - 1), self.expr(t, depth - 1 - (self.r.random() < 0.5))
        if self.r.random() < 0.15:
            return f"(({t})~{a})" if self.r.random() < 0.5 else wrap(t, "0", "-", a)
        return wrap(t, a, self.r.choice(["+", "-", "*", "&", "|", "^"]), b)

    def division(self, t, depth):
        a, op = self.expr(t, depth - 1), self.r.choice("/%")
        if self.r.random() < 0.5:
            return f"(({t})({a} {op} {self.r.choice([2, 3, 5, 7, 10, 16, 100, 127])}))"
        b = self.expr(t, depth - 1)
        return f"(({t})({a} {op} (({b} & 0x3f) + 1)))"

    def amount(self, depth):
        """How far to shift: any number."""
        r = self.r
        return str(r.choice([r.randrange(70), r.choice([1, 7, 8, 15, 16, 24, 31, 32, 33, 48, 56, 63, 64, 65, 0xffffffff])])) + "u" \
            if r.random() < 0.5 else self.expr("u32", depth - 1)

    def shift(self, t, depth):
        r = self.r
        a, left = self.expr(t, depth - 1), r.random() < 0.5
        if r.random() < 0.3:
            return f"{'shl' if left else 'shr'}_{t}({a}, {self.amount(depth)})"
        n = str(r.randrange(BITS[t])) if r.random() < 0.6 else f"({self.expr('u32', depth - 1)} & {BITS[t] - 1})"
        return wrap(t, a, "<<", n) if left else f"(({t})({a} >> {n}))"

    def rotation(self, t, depth):
        r = self.r
        if t in ("u32", "s32") and r.random() < 0.4:
            a, b = self.expr("u32", depth - 1), self.expr("u32", depth - 1)
            return f"(({t})__funnelshift_{r.choice(['l', 'r', 'lc', 'rc'])}({a}, {b}, {self.amount(depth)}))"
        return f"rot{r.choice('lr')}_{t}({self.expr(t, depth - 1)}, {self.amount(depth)})"

    def field(self, t, depth):
        """Bits of a number: taken out, with sign or without; put in; the place may lie at the end of the word."""
        r = self.r
        of = r.choice(INTS)
        w, k = BITS[of], r.random()
        a, at, n = self.expr(of, depth - 1), r.randrange(w), r.randrange(1, 65)
        wide = r.choice([x for x in INTS if BITS[x] >= w])
        if k < 0.4:
            return f"(({t})((u64)({wide})({a} >> {at}) & 0x{(1 << n) - 1:x}ull))"
        if k < 0.6:
            return f"(({t})(({wide})(({wide}){a} >> {at}) & ({wide})0x{(1 << n) - 1:x}ull))"
        if k < 0.8:
            signed = "s" + of[1:]
            return f"(({t})(({signed})(({of.replace('s', 'u')})((u64){a} << {at})) >> {r.randrange(w)}))"
        mask = ((1 << n) - 1) << at & (1 << w) - 1
        return f"(({t})((u64){a} & ~0x{mask:x}ull | (u64){self.expr(of, depth - 1)} << {at} & 0x{mask:x}ull))"

    def widened(self, t, depth):
        r = self.r
        x, y = r.choice([("s16", "s32"), ("u16", "u32"), ("s32", "s64"), ("u32", "u64"), ("s8", "s64"), ("u8", "u64")])
        a, b = self.expr(x, depth - 1), self.expr(x, depth - 1)
        if r.random() < 0.5:
            return f"(({t})({y})((u64)({y}){a} << {r.randrange(BITS[y])}))"
        return f"(({t})({y})((u64)({y}){a} * (u64)({y}){b} {r.choice('+-^')} (u64){self.expr(y, depth - 1)}))"

    def bits(self, t, depth):
        r = self.r
        u32, s32, u64, s64 = (lambda: self.expr("u32", depth - 1)), (lambda: self.expr("s32", depth - 1)), \
            (lambda: self.expr("u64", depth - 1)), (lambda: self.expr("s64", depth - 1))
        made = r.choice([
            lambda: f"__popc({u32()})", lambda: f"__popcll({u64()})", lambda: f"__clz({s32()})", lambda: f"__clzll({s64()})",
            lambda: f"__ffs({s32()})", lambda: f"__ffsll({s64()})", lambda: f"__brev({u32()})", lambda: f"__brevll({u64()})",
            lambda: f"__byte_perm({u32()}, {u32()}, {u32()} & 0x7777)", lambda: f"__mulhi({s32()}, {s32()})",
            lambda: f"__umulhi({u32()}, {u32()})", lambda: f"__mul64hi({s64()}, {s64()})", lambda: f"__umul64hi({u64()}, {u64()})",
            lambda: f"__usad({u32()}, {u32()}, {u32()})"])
        return f"(({t}){made()})"

    def choice(self, t, depth):
        a, b = self.expr(t, depth - 1), self.expr(t, depth - 1)
        if self.r.random() < 0.4:
            return f"({a} {self.r.choice('<>')} {b} ? {a} : {b})"
        return f"({self.cond()} ? {a} : {b})"

    def condition(self, t, _):
        return f"(({t})({self.cond()}))"

    def cond(self, depth=1):
        r = self.r
        k = r.random()
        if depth > 0 and k < 0.25:
            return f"({self.cond(depth - 1)} {r.choice(['&&', '||'])} {self.cond(depth - 1)})"
        if k < 0.45 and self.here:
            return f"(lane {r.choice(['<', '>=', '==', '!='])} {r.randrange(33)}u)"
        if k < 0.6:
            return f"(({self.leaf('u32')} >> {r.randrange(32)} & 1) != 0)"
        t = self.any_type()
        return f"({self.leaf(t)} {r.choice(['<', '>', '<=', '>=', '==', '!='])} {self.leaf(t)})"


WHOLE = {("f32", "s32"), ("f32", "u32"), ("f32", "s64"), ("f64", "s32"), ("f64", "u32"), ("f64", "s64"), ("f64", "u64")}
