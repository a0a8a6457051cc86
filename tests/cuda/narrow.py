# SPDX-License-Identifier: Apache-2.0
"""The functions of cuda_fp16.h and cuda_bf16.h, and what each of them gives; header.py plays them."""
import itertools
import math
import struct
from fractions import Fraction

import functions
from exact import F32, Format, INF, NAN

HALF, BFLOAT = Format(16, 10), Format(16, 7)
MODES = {"_rn": "rn", "_rz": "rz", "_rd": "rd", "_ru": "ru"}
INTEGERS = {"int": (32, True), "uint": (32, False), "short": (16, True), "ushort": (16, False), "ll": (64, True), "ull": (64, False)}
TYPES = {"int": "int", "uint": "unsigned", "short": "short", "ushort": "unsigned short", "ll": "long long", "ull": "unsigned long long"}


def specials(number):
    one = number.bias << number.mantissa
    inf = number.infinity(0)
    bits = [0, 1, 2, (1 << number.mantissa) - 1, 1 << number.mantissa, one // 2, one - 1, one, one + 1, one + (1 << number.mantissa - 1),
            one + (2 << number.mantissa), inf - 1, inf, inf + 1, 0x7fff]
    return [b | s for b in bits for s in (0, 0x8000)]


def draw(r, number):
    if r.random() < 0.3:
        return r.choice(specials(number))
    return r.getrandbits(16) if r.random() < 0.5 else \
        (number.bias + r.randint(-6, 6)) << number.mantissa | r.getrandbits(number.mantissa) | r.getrandbits(1) << 15


class Narrow:
    """A function of `count` numbers of 16 bits, each as its bits in a short; `pairs`: of two in a word."""

    def __init__(self, number, name, body, count, gives, oracle, near=0, pairs=False):
        self.number, self.name, self.body, self.oracle, self.near, self.pairs = number, name, body, oracle, near, pairs
        self.takes, self.gives = ["unsigned" if pairs else "unsigned short"] * count, [gives]

    def rows(self, r, most):
        count = len(self.takes)
        every = list(itertools.product(specials(self.number), repeat=count))
        rows = every if len(every) <= most // 2 else r.sample(every, most // 2)
        rows += [tuple(draw(r, self.number) for _ in range(count)) for _ in range(most // 2)]
        if self.pairs:
            return [tuple(a | b << 16 for a, b in zip(row, other)) for row, other in zip(rows, rows[1:] + rows[:1])]
        return rows

    def expected(self, rows, threads):
        bits = 8 * functions.BYTES[self.gives[0]]
        if not self.pairs:
            return [(self.oracle(*row) % (1 << bits),) for row in rows]
        return [(self.oracle(*(v & 0xffff for v in row)) | self.oracle(*(v >> 16 for v in row)) << 16,) for row in rows]

    def same(self, got, want):
        """Of the result's own kind: numbers of 16 bits, one or two, with any NaN as NaN."""
        if self.near is None:
            return got == want
        return all(self.same_number(got >> k & 0xffff, want >> k & 0xffff) for k in ((0, 16) if self.pairs else (0,)))

    def same_number(self, got, want):
        if self.number.is_nan(want) or self.number.is_nan(got):
            return self.number.is_nan(want) and self.number.is_nan(got)
        order = [v if v < 0x8000 else 0x8000 - v for v in (got, want)]
        return got == want if self.near == 0 else abs(order[0] - order[1]) <= self.near


class From(functions.Numbers):
    """A function of other numbers that gives one of 16 bits."""

    def __init__(self, number, name, body, takes, oracle):
        super().__init__(name, takes, "unsigned short", oracle)
        self.number, self.body, self.near, self.pairs = number, body, 0, False

    same, same_number = Narrow.same, Narrow.same_number


def value(number, bits):
    sign, x = number.split(bits)
    return math.nan if x == NAN else math.copysign(math.inf if x == INF else float(x), -1 if sign else 1)


def of_real(number, x):
    if math.isnan(x):
        return number.nan()
    if math.isinf(x):
        return number.infinity(int(x < 0))
    return number.round(int(math.copysign(1, x) < 0), Fraction(abs(x)), "rn")


def guarded(number, function):
    """A function of Python on doubles, whose result is rounded; what it refuses is as C has it."""
    def of(a):
        x = value(number, a)
        try:
            return of_real(number, function(x))
        except OverflowError:
            return number.infinity(0)
        except (ValueError, ZeroDivisionError):
            return number.infinity(1) if x == 0 else number.nan()
    return of


def saturated(number, bits):
    one = number.bias << number.mantissa
    return 0 if number.is_nan(bits) or bits >> 15 else min(bits, one)


def extreme(number, a, b, greatest, nan_wins):
    if number.is_nan(a) or number.is_nan(b):
        return number.nan() if nan_wins or (number.is_nan(a) and number.is_nan(b)) else b if number.is_nan(a) else a
    key = [(v if v < 0x8000 else -1 - (v & 0x7fff)) for v in (a, b)]
    return (a if key[0] > key[1] else b) if greatest else (a if key[0] < key[1] else b)


def conversions(number, name, short):
    make, bits = f"__ushort_as_{name}", f"__{name}_as_ushort"
    for end, mode in MODES.items():
        yield From(number, f"__float2{name}{end}", f"r0[i] = {bits}(__float2{name}{end}(p0[i]));", ["float"],
                   lambda a, m=mode: number.convert(F32, a, m))
        for kind, (width, is_signed) in INTEGERS.items():
            yield From(number, f"__{kind}2{name}{end}", f"r0[i] = {bits}(__{kind}2{name}{end}(p0[i]));", [TYPES[kind]],
                       lambda a, m=mode, w=width, s=is_signed: number.from_integer(functions.signed(a, w) if s else a, m))

            def whole(a, m=mode, w=width, s=is_signed):
                return (1 << 63 if w == 64 else 0) if number.is_nan(a) else number.to_integer(a, m, w, s)
            yield Narrow(number, f"__{name}2{kind}{end}", f"r0[i] = __{name}2{kind}{end}({make}(p0[i]));", 1, TYPES[kind], whole, None)
    yield From(number, f"__double2{name}", f"r0[i] = {bits}(__double2{name}(p0[i]));", ["double"],
               lambda a: number.convert(functions.F64, a, "rn"))
    yield From(number, f"{short} of an int", f"{short} h = (int)p0[i]; r0[i] = {bits}(h);", ["int"],
               lambda a: number.from_integer(functions.signed(a, 32), "rn"))
    as_float = functions.Numbers(f"__{name}2float", ["unsigned short"], "float", lambda a: F32.convert(number, a, "rn"))
    as_float.body = f"r0[i] = __{name}2float({make}(p0[i]));"
    yield as_float


def arithmetic(number, name, short):
    make, bits = f"__ushort_as_{name}", f"__{name}_as_ushort"
    pair = [f"*(const {short}2 *)&p{k}[i]" for k in range(3)]

    def two(function, operands, oracle, near=0):
        """A function of one number and the one of two."""
        one, both = function
        args = ", ".join(f"{make}(p{k}[i])" for k in range(operands))
        yield Narrow(number, f"{one} of {short}", f"r0[i] = {bits}({one}({args}));", operands, "unsigned short", oracle, near)
        args = ", ".join(pair[:operands])
        yield Narrow(number, f"{both} of {short}2", f"*({short}2 *)&r0[i] = {both}({args});", operands, "unsigned", oracle, near, True)

    for what in ("add", "sub", "mul"):
        plain = lambda a, b, w=what: getattr(number, w)(a, b, "rn")
        for end in ("", "_rn"):
            yield from two((f"__h{what}{end}", f"__h{what}2{end}"), 2, plain)
        yield from two((f"__h{what}_sat", f"__h{what}2_sat"), 2, lambda a, b, p=plain: saturated(number, p(a, b)))
    yield from two(("__hdiv", "__h2div"), 2, lambda a, b: number.div(a, b, "rn"))
    fma = lambda a, b, c: number.fma(a, b, c, "rn")
    yield from two(("__hfma", "__hfma2"), 3, fma)
    yield from two(("__hfma_sat", "__hfma2_sat"), 3, lambda a, b, c: saturated(number, fma(a, b, c)))
    yield from two(("__hfma_relu", "__hfma2_relu"), 3,
                   lambda a, b, c: v if number.is_nan(v := fma(a, b, c)) else 0 if v >> 15 else v)
    yield from two(("__hneg", "__hneg2"), 1, lambda a: a ^ 0x8000)
    yield from two(("__habs", "__habs2"), 1, lambda a: a & 0x7fff)
    for what, nan in itertools.product(("min", "max"), (False, True)):
        end = "_nan" if nan else ""
        yield from two((f"__h{what}{end}", f"__h{what}2{end}"), 2, lambda a, b, w=what, n=nan: extreme(number, a, b, w == "max", n))
    yield from two(("hsqrt", "h2sqrt"), 1, lambda a: number.sqrt(a, "rn"))
    yield from two(("hrcp", "h2rcp"), 1, lambda a: number.rcp(a, "rn"))
    for what, function in (("ceil", "ru"), ("floor", "rd"), ("rint", "rn"), ("trunc", "rz")):
        def whole(a, mode=function):
            sign, x = number.split(a)
            if x in (NAN, INF):
                return a
            near = {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}[mode](-x if sign else x)
            return number.round(sign, Fraction(abs(near)), "rn")
        yield from two((f"h{what}", f"h2{what}"), 1, whole)
    functions_of_python = {"rsqrt": lambda x: math.inf * math.copysign(1, x) if x == 0 else 1 / math.sqrt(x), "exp": math.exp,
                           "exp2": lambda x: 2.0 ** x, "exp10": lambda x: 10.0 ** x, "log": math.log, "log2": math.log2,
                           "log10": math.log10, "tanh": math.tanh, "sin": math.sin, "cos": math.cos}
    for what, function in functions_of_python.items():
        yield from two((f"h{what}", f"h2{what}"), 1, guarded(number, function), 1)


def comparisons(number, name, short):
    make = f"__ushort_as_{name}"
    ops = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y, "le": lambda x, y: x <= y,
           "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}
    for (what, op), unordered in itertools.product(ops.items(), (False, True)):
        def holds(a, b, o=op, u=unordered):
            x, y = value(number, a), value(number, b)
            return int(u if math.isnan(x) or math.isnan(y) else o(x, y))
        full = f"{what}{'u' if unordered else ''}"
        yield Narrow(number, f"__h{full} of {short}", f"r0[i] = __h{full}({make}(p0[i]), {make}(p1[i]));", 2, "int", holds, None)
        args = f"*(const {short}2 *)&p0[i], *(const {short}2 *)&p1[i]"
        one = number.bias << number.mantissa
        yield Narrow(number, f"__h{full}2 of {short}2", f"*({short}2 *)&r0[i] = __h{full}2({args});", 2, "unsigned",
                     lambda a, b, h=holds: one * h(a, b), 0, True)
        yield Narrow(number, f"__h{full}2_mask of {short}2", f"r0[i] = __h{full}2_mask({args});", 2, "unsigned",
                     lambda a, b, h=holds: 0xffff * h(a, b), None, True)
        both = Narrow(number, f"__hb{full}2 of {short}2", f"r0[i] = __hb{full}2({args});", 2, "unsigned", holds, None, True)
        both.expected = lambda rows, threads, h=holds: [(int(bool(h(a & 0xffff, b & 0xffff) and h(a >> 16, b >> 16))),) for a, b in rows]
        yield both
    symbols = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    for what, op in symbols.items():
        def of_operator(a, b, o=ops[what], w=what):
            x, y = value(number, a), value(number, b)
            return int(w == "ne" if math.isnan(x) or math.isnan(y) else o(x, y))
        yield Narrow(number, f"{op} of {short}", f"r0[i] = {make}(p0[i]) {op} {make}(p1[i]);", 2, "int", of_operator, None)
    yield Narrow(number, f"__hisnan of {short}", f"r0[i] = __hisnan({make}(p0[i]));", 1, "int", lambda a: int(number.is_nan(a)), None)
    yield Narrow(number, f"__hisinf of {short}", f"r0[i] = __hisinf({make}(p0[i]));", 1, "int",
                 lambda a: {number.infinity(0): 1, number.infinity(1): -1}.get(a, 0), None)


def pairs(number, name, short):
    bits, pair = f"__{name}_as_ushort", f"{short}2"
    a, b = f"*(const {pair} *)&p0[i]", f"*(const {pair} *)&p1[i]"

    def of_word(what, body, oracle, count=1):
        f = functions.Numbers(f"{what} of {pair}", ["unsigned"] * count, "unsigned", oracle)
        f.body = body
        return f
    low, high = (lambda x: x & 0xffff), (lambda x: x >> 16)
    yield of_word(f"__low2{name}", f"r0[i] = {bits}(__low2{name}({a}));", low)
    yield of_word(f"__high2{name}", f"r0[i] = {bits}(__high2{name}({a}));", high)
    for what, count, oracle in ((f"__low2{name}2", 1, lambda x: low(x) * 0x10001), (f"__high2{name}2", 1, lambda x: high(x) * 0x10001),
                                ("__lowhigh2highlow", 1, lambda x: low(x) << 16 | high(x)),
                                (f"__lows2{name}2", 2, lambda x, y: low(x) | low(y) << 16),
                                (f"__highs2{name}2", 2, lambda x, y: high(x) | high(y) << 16)):
        yield of_word(what, f"*({pair} *)&r0[i] = {what}({', '.join((a, b)[:count])});", oracle, count)
    yield of_word("halves", f"{pair} h = __halves2{name}2(({a}).y, ({b}).x); *({pair} *)&r0[i] = h;",
                  lambda x, y: high(x) | low(y) << 16, 2)
    yield of_word("one twice", f"*({pair} *)&r0[i] = __{name}2{name}2(({a}).y);", lambda x: high(x) * 0x10001)
    floats = From(number, f"__floats2{name}2_rn", f"r0[i] = {bits}(__floats2{name}2_rn(1.0f, p0[i]).y);", ["float"],
                  lambda x: number.convert(F32, x, "rn"))
    yield floats
    for side, part in (("low", low), ("high", high)):
        f = functions.Numbers(f"__{side}2float of {pair}", ["unsigned"], "float", lambda x, p=part: F32.convert(number, p(x), "rn"))
        f.body = f"r0[i] = __{side}2float({a});"
        yield f
    f = functions.Numbers(f"__{name}22float2", ["unsigned"], "float", lambda x: F32.convert(number, high(x), "rn"))
    f.body = f"r0[i] = __{name}22float2({a}).y;"
    yield f
    yield functions.Lanes(f"__shfl_down_sync of {pair} by 3 in 32", f"*({pair} *)&r0[i] = __shfl_down_sync(mask, *(const {pair} *)&p1[i], 3);",
                          ["unsigned"], ["unsigned"], lambda lane, _, lanes, rows: (
                              rows[lane][0] if lane + 3 > 31 else rows[lane + 3][0] if lane + 3 in lanes else 0,))
    sum_of = Narrow(number, f"atomicAdd of {pair}", f"r0[i] = p0[i]; atomicAdd(({pair} *)&r0[i], {b});", 2, "unsigned",
                    lambda x, y: number.add(x, y, "rn"), 0, True)
    yield sum_of


def compound(number, name, short):
    """Operators, also those that assign."""
    make, bits = f"__ushort_as_{name}", f"__{name}_as_ushort"
    one = number.bias << number.mantissa
    for symbol, what in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "div")):
        yield Narrow(number, f"{symbol}= of {short}", f"{short} v = {make}(p0[i]); v {symbol}= {make}(p1[i]); r0[i] = {bits}(v);", 2,
                     "unsigned short", lambda a, b, w=what: getattr(number, w)(a, b, "rn"))
        yield Narrow(number, f"{symbol} of {short}2", f"*({short}2 *)&r0[i] = *(const {short}2 *)&p0[i] {symbol} *(const {short}2 *)&p1[i];",
                     2, "unsigned", lambda a, b, w=what: getattr(number, w)(a, b, "rn"), 0, True)
    yield Narrow(number, f"++ of {short}", f"{short} v = {make}(p0[i]); v++; ++v; r0[i] = {bits}(v);", 1, "unsigned short",
                 lambda a: number.add(number.add(a, one, "rn"), one, "rn"))
    yield Narrow(number, f"- of {short}", f"r0[i] = {bits}(-{make}(p0[i]));", 1, "unsigned short", lambda a: a ^ 0x8000)


def all_of_them():
    assert math.copysign(1, value(HALF, 0x8000)) == -1 and math.copysign(1, value(HALF, 0)) == 1
    assert struct.unpack("<e", struct.pack("<H", 0x3c01))[0] == value(HALF, 0x3c01)
    for number, name, short in ((HALF, "half", "__half"), (BFLOAT, "bfloat16", "__nv_bfloat16")):
        for part in (conversions, arithmetic, comparisons, pairs, compound):
            yield from part(number, name, short)
