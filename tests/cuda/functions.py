# SPDX-License-Identifier: Apache-2.0
"""CUDA's device functions, and what each of them gives: a table that header.py plays.

A value is its bits, as a number that is not negative. `takes` and `gives` are the C types of a thread's operands and
results, `body` its statements with operands p0[i] and on, results r0[i] and on.
"""
import itertools
import math
import struct

from exact import F32, F64

BYTES = {"int": 4, "unsigned": 4, "long long": 8, "unsigned long long": 8, "float": 4, "double": 8, "unsigned char": 1,
         "signed char": 1, "short": 2, "unsigned short": 2, "float2": 8, "float4": 16, "int2": 8, "int4": 16,
         "uchar4": 4, "char2": 2, "short4": 8, "double2": 16, "ulonglong2": 16}
SPECIAL = {
    4: [0, 1, 2, 31, 32, 33, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff],
    8: [0, 1, 63, 64, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xffffffffffffffff],
    "float": [0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x3effffff, 0x3f000000, 0xbf000000, 0x3f7fffff, 0x3f800000,
              0xbf800000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000,
              0x5f000000, 0xdf000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff],
    "double": [0, 1 << 63, 1, (1 << 63) | 1, 0x000fffffffffffff, 0x0010000000000000, 0x3fdfffffffffffff, 0x3fe0000000000000,
               0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff8000000000000, 0x4004000000000000,
               0x41dfffffffe00000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000200000, 0x41efffffffffffff,
               0x43e0000000000000, 0xc3e0000000000000, 0x43efffffffffffff, 0x36a0000000000000, 0x47efffffe0000000,
               0x47effffff0000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
               0x7ff8000000000000],
}


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def draw(r, name):
    """A value of this type, also one that is near a special one."""
    size = BYTES[name]
    special = SPECIAL.get(name) or SPECIAL.get(size) or [0, (1 << 8 * size) - 1]
    if r.random() < 0.3:
        return (r.choice(special) + r.choice([-1, 0, 1])) % (1 << 8 * size)
    if name in ("float", "double") and r.random() < 0.6:
        number = F32 if name == "float" else F64
        exponent = number.bias + r.randint(-70, 70)
        return r.getrandbits(1) << (number.bits - 1) | exponent << number.mantissa | r.getrandbits(number.mantissa)
    return r.getrandbits(8 * size) >> r.choice([0, 0, 8 * size // 2])


class Numbers:
    """A function of numbers alone."""


    def __init__(self, name, takes, gives, oracle):
        self.name, self.takes, self.gives, self.oracle = name, takes, [gives], oracle
        self.body = f"r0[i] = {name}({', '.join(f'p{i}[i]' for i in range(len(takes)))});"

    def rows(self, r, most):
        special = [SPECIAL.get(t) or SPECIAL.get(BYTES[t], [0, 1, 255]) for t in self.takes]
        every = list(itertools.product(*special))
        rows = every if len(every) <= most // 2 else r.sample(every, most // 2)
        return rows + [tuple(draw(r, t) for t in self.takes) for _ in range(most // 4)]

    def expected(self, rows, threads):
        bits = 8 * BYTES[self.gives[0]]
        return [(self.oracle(*row) % (1 << bits),) for row in rows]


def integers():
    def reverse(x, n):
        return int(f"{x:0{n}b}"[::-1], 2)

    def perm(x, y, s):
        every = (y << 32 | x).to_bytes(8, "little")
        return int.from_bytes(bytes(every[s >> 4 * k & 7] for k in range(4)), "little")

    def dot(x, y, z, n, sign, first, width):
        a = [signed(x >> width * k & ((1 << width) - 1), width) if sign else x >> width * k & ((1 << width) - 1) for k in range(n)]
        b = [signed(y >> 8 * k & 255, 8) if sign else y >> 8 * k & 255 for k in range(first, first + n)]
        return z + sum(p * q for p, q in zip(a, b))

    i, u, l, w = "int", "unsigned", "long long", "unsigned long long"
    s32, s64 = (lambda x: signed(x, 32)), (lambda x: signed(x, 64))
    yield from (Numbers(*row) for row in (
        ("__popc", [u], i, lambda x: bin(x).count("1")),
        ("__popcll", [w], i, lambda x: bin(x).count("1")),
        ("__clz", [i], i, lambda x: 32 - x.bit_length()),
        ("__clzll", [l], i, lambda x: 64 - x.bit_length()),
        ("__ffs", [i], i, lambda x: (x & -x).bit_length()),
        ("__ffsll", [l], i, lambda x: (x & -x).bit_length()),
        ("__brev", [u], u, lambda x: reverse(x, 32)),
        ("__brevll", [w], w, lambda x: reverse(x, 64)),
        ("__byte_perm", [u, u, u], u, perm),
        ("__funnelshift_l", [u, u, u], u, lambda lo, hi, n: (hi << 32 | lo) << n % 32 >> 32),
        ("__funnelshift_lc", [u, u, u], u, lambda lo, hi, n: (hi << 32 | lo) << min(n, 32) >> 32),
        ("__funnelshift_r", [u, u, u], u, lambda lo, hi, n: (hi << 32 | lo) >> n % 32),
        ("__funnelshift_rc", [u, u, u], u, lambda lo, hi, n: (hi << 32 | lo) >> min(n, 32)),
        ("__mulhi", [i, i], i, lambda x, y: s32(x) * s32(y) >> 32),
        ("__umulhi", [u, u], u, lambda x, y: x * y >> 32),
        ("__mul64hi", [l, l], l, lambda x, y: s64(x) * s64(y) >> 64),
        ("__umul64hi", [w, w], w, lambda x, y: x * y >> 64),
        ("__mul24", [i, i], i, lambda x, y: signed(x % (1 << 24), 24) * signed(y % (1 << 24), 24)),
        ("__umul24", [u, u], u, lambda x, y: (x % (1 << 24)) * (y % (1 << 24))),
        ("__sad", [i, i, u], u, lambda x, y, z: abs(s32(x) - s32(y)) + z),
        ("__usad", [u, u, u], u, lambda x, y, z: abs(x - y) + z),
        ("__hadd", [i, i], i, lambda x, y: (s32(x) + s32(y)) // 2),
        ("__rhadd", [i, i], i, lambda x, y: (s32(x) + s32(y) + 1) // 2),
        ("__uhadd", [u, u], u, lambda x, y: (x + y) // 2),
        ("__urhadd", [u, u], u, lambda x, y: (x + y + 1) // 2),
        ("__dp4a", [i, i, i], i, lambda x, y, z: dot(x, y, z, 4, True, 0, 8)),
        ("__dp4a", [u, u, u], u, lambda x, y, z: dot(x, y, z, 4, False, 0, 8)),
        ("__dp2a_lo", [i, i, i], i, lambda x, y, z: dot(x, y, z, 2, True, 0, 16)),
        ("__dp2a_lo", [u, u, u], u, lambda x, y, z: dot(x, y, z, 2, False, 0, 16)),
        ("__dp2a_hi", [i, i, i], i, lambda x, y, z: dot(x, y, z, 2, True, 2, 16)),
        ("__dp2a_hi", [u, u, u], u, lambda x, y, z: dot(x, y, z, 2, False, 2, 16)),
        ("min", [i, i], i, lambda x, y: min(s32(x), s32(y))),
        ("max", [i, i], i, lambda x, y: max(s32(x), s32(y))),
        ("min", [u, u], u, min),
        ("max", [u, u], u, max),
        ("min", [i, u], u, min),
        ("max", [u, i], u, max),
        ("min", [l, l], l, lambda x, y: min(s64(x), s64(y))),
        ("max", [l, l], l, lambda x, y: max(s64(x), s64(y))),
        ("min", [w, l], w, min),
        ("max", [w, w], w, max),
        ("umin", [u, u], u, min),
        ("umax", [u, u], u, max),
        ("llmin", [l, l], l, lambda x, y: min(s64(x), s64(y))),
        ("llmax", [l, l], l, lambda x, y: max(s64(x), s64(y))),
        ("ullmin", [w, w], w, min),
        ("ullmax", [w, w], w, max),
        ("abs", [i], i, lambda x: abs(s32(x))),
        ("llabs", [l], l, lambda x: abs(s64(x)))))


def rounded():
    for mode in ("rn", "rz", "ru", "rd"):
        for kind, number, mark, fused in (("float", F32, "f", "__fmaf"), ("double", F64, "d", "__fma")):
            for op in ("add", "sub", "mul", "div"):
                yield Numbers(f"__{mark}{op}_{mode}", [kind, kind], kind,
                              lambda x, y, m=mode, f=getattr(number, op): f(x, y, m))
            yield Numbers(f"{fused}_{mode}", [kind] * 3, kind, lambda x, y, z, m=mode, f=number.fma: f(x, y, z, m))
            for op in ("rcp", "sqrt"):
                yield Numbers(f"__{mark}{op}_{mode}", [kind], kind, lambda x, m=mode, f=getattr(number, op): f(x, m))
            for to, word, bits, sign in (("int", "int", 32, True), ("unsigned", "uint", 32, False), ("long long", "ll", 64, True),
                                         ("unsigned long long", "ull", 64, False)):
                yield Numbers(f"__{kind}2{word}_{mode}", [kind], to,
                              lambda x, m=mode, f=number, b=bits, s=sign: f.to_integer(x, m, b, s))
                if kind == "float" or bits == 64 or mode == "rn":
                    yield Numbers(f"__{word}2{kind}_{mode}", [to], kind, lambda x, m=mode, f=number, b=bits, s=sign:
                                  f.from_integer(signed(x, b) if s else x, m))
        yield Numbers(f"__double2float_{mode}", ["double"], "float", lambda x, m=mode: F32.convert(F64, x, m))


def bits():
    for name, takes, gives in (("__float_as_int", "float", "int"), ("__float_as_uint", "float", "unsigned"),
                               ("__int_as_float", "int", "float"), ("__uint_as_float", "unsigned", "float"),
                               ("__double_as_longlong", "double", "long long"),
                               ("__longlong_as_double", "long long", "double")):
        yield Numbers(name, [takes], gives, lambda x: x)
    yield Numbers("__double2hiint", ["double"], "int", lambda x: x >> 32)
    yield Numbers("__double2loint", ["double"], "int", lambda x: x)
    yield Numbers("__hiloint2double", ["int", "int"], "double", lambda hi, lo: hi << 32 | lo)


def floats(bits, kind):
    return struct.unpack("<f" if kind == "float" else "<d", bits.to_bytes(BYTES[kind], "little"))[0]


def of_float(value, kind):
    """Its bits, rounded where it is of float."""
    try:
        return int.from_bytes(struct.pack("<f" if kind == "float" else "<d", value), "little")
    except OverflowError:
        return F32.infinity(value < 0)


def is_whole(x):
    return math.isfinite(x) and x == math.floor(x)


def away(x):
    """Rounded to a whole number, halves away from zero."""
    if not math.isfinite(x) or is_whole(x):
        return x
    return math.copysign(math.floor(abs(x)) + (abs(x) % 1 >= 0.5), x)


def to_even(x):
    return math.copysign(round(x), x) if math.isfinite(x) else x


def quotient(x, y):
    """The low three bits of the rounded quotient with its sign; CUDA leaves open what it is beside NaN, and 0 here."""
    if not math.isfinite(x) or math.isnan(y) or y == 0 or math.isinf(y):
        return 0
    exact = F64.split(of_float(abs(x), "double"))[1] / F64.split(of_float(abs(y), "double"))[1]
    low = round(exact) & 7
    return low if math.copysign(1, x) == math.copysign(1, y) else -low


def safely(f):
    def call(*numbers):
        try:
            return f(*numbers)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.copysign(math.inf, numbers[0])
    return call


def sides(f):
    """Of fmax and fmin: the other side of a NaN; of zeros of both signs either would do, and +0 is larger here."""
    def call(x, y):
        if math.isnan(x) or math.isnan(y):
            return y if math.isnan(x) else x
        return f((x, math.copysign(1, x)), (y, math.copysign(1, y)))[0]
    return call


def to_whole(bits):
    def call(x):
        most, least = (1 << (bits - 1)) - 1, -(1 << (bits - 1))
        return 1 << (bits - 1) if math.isnan(x) else max(least, min(most, int(x))) if math.isfinite(x) else most if x > 0 else least
    return call


class Scaled(Numbers):
    """By powers of two, many of which end among the subnormals."""

    def rows(self, r, most):
        number, rows = (F32 if self.takes[0] == "float" else F64), super().rows(r, most)
        for _ in range(most // 2):
            exponent = r.randint(-60, 60)
            x = (exponent + number.bias) << number.mantissa | r.getrandbits(number.mantissa)
            n = 1 - number.bias - exponent - r.randint(-2, number.mantissa + 2)
            rows.append((x, n % (1 << 32)))
        return rows


def exact_math():
    """Math functions whose results are exact, or rounded once."""
    one = {"ceil": lambda x: float(math.ceil(x)) or math.copysign(0, x), "floor": lambda x: float(math.floor(x)) or math.copysign(0, x),
           "trunc": lambda x: math.copysign(float(math.trunc(x)), x), "fabs": abs, "sqrt": lambda x: math.sqrt(x) if x else x}
    one = {name: (lambda x, f=f: f(x) if math.isfinite(x) else abs(x) if f is abs else x) for name, f in one.items()}
    one |= {"round": away, "rint": to_even, "nearbyint": to_even, "sqrt": safely(lambda x: math.sqrt(x) if x else x),
            "logb": lambda x: -math.inf if x == 0 else abs(x) if not math.isfinite(x) else float(math.frexp(x)[1] - 1)}
    two = {"copysign": math.copysign, "fmax": sides(max), "fmin": sides(min), "fmod": safely(math.fmod),
           "remainder": safely(math.remainder), "fdim": lambda x, y: 0.0 if x <= y else x - y}
    for kind, f in (("double", ""), ("float", "f")):
        def call(function, *bits, k=kind):
            return of_float(function(*(floats(b, k) for b in bits)), k)
        for name, function in one.items():
            if not (f and name == "sqrt"):  # sqrt.rn, which is rounded.py's
                yield Numbers(name + f, [kind], kind, lambda x, g=function, c=call: c(g, x))
                yield Numbers(name, [kind], kind, lambda x, g=function, c=call: c(g, x))
        for name, function in two.items():
            yield Numbers(name + f, [kind, kind], kind, lambda x, y, g=function, c=call: c(g, x, y))
        number = F32 if f else F64
        yield Numbers("fma" + f, [kind] * 3, kind, lambda x, y, z, n=number: n.fma(x, y, z, "rn"))
        yield Numbers("nextafter" + f, [kind, kind], kind, lambda x, y, k=kind: step(x, y, k))
        for name in ("ldexp", "scalbn"):
            near = Scaled(name + f, [kind, "int"], kind, None)
            near.body = f"r0[i] = {name}{f}(p0[i], p1[i] % 2200);"
            near.oracle = lambda x, n, k=kind: of_float(safely(math.ldexp)(floats(x, k), int(math.fmod(signed(n, 32), 2200))), k)
            yield near
        for part, (gives, body) in enumerate(((kind, "int n;\n    r0[i] = frexp{f}(p0[i], &n);"), ("int", "frexp{f}(p0[i], &r0[i]);"))):
            frexp = Numbers(f"frexp{f}, part {part}", [kind], gives, None)
            frexp.body = body.replace("{f}", f)
            frexp.oracle = (lambda x, k=kind: of_float(math.frexp(floats(x, k))[0], k)) if part == 0 else \
                (lambda x, k=kind: math.frexp(floats(x, k))[1] if math.isfinite(floats(x, k)) else 0)
            yield frexp
        for part, body in enumerate(("{t} whole;\n    r0[i] = modf{f}(p0[i], &whole);", "modf{f}(p0[i], &r0[i]);")):
            modf = Numbers(f"modf{f}, part {part}", [kind], kind, lambda x, k=kind, p=part: of_float(math.modf(floats(x, k))[p], k))
            modf.body = body.replace("{f}", f).replace("{t}", kind)
            yield modf
        for part, body in enumerate(("int q;\n    r0[i] = remquo{f}(p0[i], p1[i], &q);", "remquo{f}(p0[i], p1[i], &r0[i]);")):
            remquo = Numbers(f"remquo{f}, part {part}", [kind, kind], "int" if part else kind, None)
            remquo.body = body.replace("{f}", f)
            remquo.oracle = (lambda x, y, k=kind: quotient(floats(x, k), floats(y, k))) if part else \
                (lambda x, y, c=call: c(safely(math.remainder), x, y))
            yield remquo
        yield Numbers("ilogb" + f, [kind], "int", lambda x, k=kind: -(1 << 31) if floats(x, k) == 0 or math.isnan(floats(x, k)) else
                      (1 << 31) - 1 if math.isinf(floats(x, k)) else math.frexp(floats(x, k))[1] - 1)
        for name, rounded in (("llround", away), ("llrint", to_even)):
            yield Numbers(name + f, [kind], "long long", lambda x, g=rounded, k=kind: to_whole(64)(g(floats(x, k))))
        for name, holds in (("isnan", math.isnan), ("isinf", math.isinf), ("isfinite", math.isfinite),
                            ("signbit", lambda x: math.copysign(1, x) < 0)):
            yield Numbers(name, [kind], "int", lambda x, g=holds, k=kind: int(g(floats(x, k))))


def step(x, y, kind):
    """The next number from x towards y."""
    a, b = floats(x, kind), floats(y, kind)
    if math.isnan(a) or math.isnan(b) or a == b:
        return of_float(a + b if a != b else b, kind)
    number = F32 if kind == "float" else F64
    if a == 0:
        return number.zero(b < 0) | 1
    return x + 1 if (a < b) == (a > 0) else x - 1


class Lanes:
    """A function of a warp's lanes: operands are drawn, and p0[i] parts the lanes of each warp into two groups, which call
    it one after the other, by the same words in both sides of a branch."""

    def __init__(self, name, call, takes, gives, oracle, few=False):
        self.name, self.takes, self.gives, self.oracle, self.few = name, ["unsigned", *takes], gives, oracle, few
        self.body = f"const unsigned mask = p0[i];\n    if (mask >> (i & 31) & 1) {{\n        {call}\n    }} else {{\n" \
                    f"        const unsigned mask = ~p0[i];\n        {call}\n    }}"

    def rows(self, r, most):
        rows = []
        for _ in range(most // 64):
            whole = r.random() < 0.5
            mask = 0xffffffff if whole else r.getrandbits(32) or 1
            for _ in range(32):
                rows.append((mask, *(draw(r, t) % 3 if self.few else draw(r, t) for t in self.takes[1:])))
        return rows

    def expected(self, rows, threads):
        want = []
        for first in range(0, len(rows), 32):
            warp = rows[first:first + 32]
            for lane in range(32):
                mask = warp[lane][0]
                group = mask if mask >> lane & 1 else ~mask & 0xffffffff
                lanes = [k for k in range(32) if group >> k & 1]
                got = self.oracle(lane, group, lanes, [row[1:] for row in warp])
                want.append(tuple(v % (1 << 8 * BYTES[t]) for v, t in zip(got, self.gives)))
        return want


def shuffles():
    def source(mode, lane, by, width):
        part, last = lane // width * width, lane // width * width + width - 1
        at = {"": part + by % width, "_up": lane - by, "_down": lane + by, "_xor": lane ^ by}[mode]
        inside = {"": True, "_up": at >= part, "_down": at <= last, "_xor": at <= last}[mode]
        return at if inside else lane

    def oracle(mode, by, width):
        # a lane that is not in the group gives 0 here (docs/isa.md)
        def of(lane, _, lanes, rows):
            at = source(mode, lane, by, width)
            return (rows[at][0] if at in lanes else 0,)
        return of

    kinds = ["int", "unsigned", "long long", "unsigned long long", "float", "double"]
    for mode, (by, width) in itertools.product(("", "_up", "_down", "_xor"), ((0, 32), (1, 32), (5, 32), (16, 32), (3, 8), (1, 2), (7, 16))):
        for kind in kinds if (by, width) in ((5, 32), (3, 8)) else kinds[:1]:
            yield Lanes(f"__shfl{mode}_sync of {kind} by {by} in {width}",
                        f"r0[i] = __shfl{mode}_sync(mask, p1[i], {by}, {width});", [kind], [kind], oracle(mode, by, width))
            if kind in ("int", "double"):
                yield Lanes(f"__shfl{mode} of {kind} by {by} in {width}", f"r0[i] = __shfl{mode}(p1[i], {by}, {width});",
                            [kind], [kind], oracle(mode, by, width))


def votes():
    def holds(rows, lanes):
        return [k for k in lanes if rows[k][0]]

    for name, oracle in (
            ("__all", lambda lane, mask, lanes, rows: (len(holds(rows, lanes)) == len(lanes),)),
            ("__any", lambda lane, mask, lanes, rows: (len(holds(rows, lanes)) > 0,)),
            ("__uni", lambda lane, mask, lanes, rows: (len(holds(rows, lanes)) in (0, len(lanes)),)),
            ("__ballot", lambda lane, mask, lanes, rows: (sum(1 << k for k in holds(rows, lanes)),))):
        for few in (True, False):
            for form, mask in (("_sync", "mask, "), ("", "")):
                yield Lanes(f"{name}{form}", f"r0[i] = {name}{form}({mask}p1[i]);", ["int"], ["unsigned"], oracle, few)
    yield Lanes("__activemask", "r0[i] = __activemask();", [], ["unsigned"], lambda lane, mask, lanes, rows: (mask,))
    for kind in ("int", "unsigned", "long long", "unsigned long long", "float", "double"):
        yield Lanes(f"__match_any_sync of {kind}", "r0[i] = __match_any_sync(mask, p1[i]);", [kind], ["unsigned"],
                    lambda lane, mask, lanes, rows: (sum(1 << k for k in lanes if rows[k] == rows[lane]),), True)
        for one in (False, True):
            value = "p1[i / 32 * 32]" if one else "p1[i]"
            yield Lanes(f"__match_all_sync of {kind}", f"int all;\n        r0[i] = __match_all_sync(mask, {value}, &all);\n"
                        "        r1[i] = all;", [kind], ["unsigned", "int"], lambda lane, mask, lanes, rows, o=one:
                        (mask, 1) if o or len({rows[k] for k in lanes}) == 1 else (0, 0), True)
    for kind, ops in (("unsigned", ("add", "min", "max", "and", "or", "xor")), ("int", ("add", "min", "max"))):
        for op in ops:
            def oracle(lane, mask, lanes, rows, o=op, s=kind == "int"):
                values = [signed(rows[k][0], 32) if s else rows[k][0] for k in lanes]
                total = values[0]
                for v in values[1:]:
                    total = {"add": total + v, "min": min(total, v), "max": max(total, v), "and": total & v, "or": total | v,
                             "xor": total ^ v}[o]
                return (total,)
            yield Lanes(f"__reduce_{op}_sync of {kind}", f"r0[i] = __reduce_{op}_sync(mask, p1[i]);", [kind], [kind], oracle)


class Block:
    """A barrier of a whole block."""


    def __init__(self, name, oracle):
        self.name, self.takes, self.gives, self.oracle = name, ["int"], ["int"], oracle
        self.body = f"r0[i] = {name}(p0[i]);"

    def rows(self, r, most):
        rows = []
        for _ in range(max(16, most // 256)):
            how = r.choice([0, 1, 2, 3])
            rows += [(0 if how == 0 else 5 if how == 1 else int(r.random() < 0.01) if how == 2 else 1 - int(r.random() < 0.01),)
                     for _ in range(128)]
        return rows

    def expected(self, rows, threads):
        return [(self.oracle([row[0] != 0 for row in rows[i // threads * threads:(i // threads + 1) * threads]]),)
                for i in range(len(rows))]


def barriers():
    yield Block("__syncthreads_count", sum)
    yield Block("__syncthreads_and", lambda all_of: int(all(all_of)))
    yield Block("__syncthreads_or", lambda all_of: int(any(all_of)))


class Cells:
    """An atomic function on a cell of each thread's own: what was there, and what is there then."""


    def __init__(self, name, kind, operands, oracle):
        self.name, self.takes, self.gives, self.oracle = name, [kind] * (1 + operands), [kind, kind], oracle
        self.body = f"r1[i] = p0[i];\n    r0[i] = {name}(&r1[i], {', '.join(f'p{k + 1}[i]' for k in range(operands))});"

    def rows(self, r, most):
        rows = []
        for _ in range(most // 8):
            row = [draw(r, t) for t in self.takes]
            rows.append((*row[:-1], row[0]) if r.random() < 0.2 else (row[0], *row[:1], *row[2:]) if r.random() < 0.3 else tuple(row))
        return rows

    def expected(self, rows, threads):
        bits = 8 * BYTES[self.gives[0]]
        return [(row[0], self.oracle(*row) % (1 << bits)) for row in rows]


def flushed(x, number):
    """In global memory atom.add.f32 takes subnormal numbers for zeros, and gives none (PTX ISA)."""
    return x & 1 << 31 if number is F32 and x >> 23 & 255 == 0 else x


def atomics():
    i, u, l, w, f, d, h = "int", "unsigned", "long long", "unsigned long long", "float", "double", "unsigned short"
    number = {f: F32, d: F64}
    for end in ("", "_block", "_system"):
        for kind in (i, u, w):
            yield Cells(f"atomicAdd{end}", kind, 1, lambda a, v: a + v)
            yield Cells(f"atomicExch{end}", kind, 1, lambda a, v: v)
            yield Cells(f"atomicCAS{end}", kind, 2, lambda a, e, v: v if a == e else a)
            for name, op in (("And", lambda a, v: a & v), ("Or", lambda a, v: a | v), ("Xor", lambda a, v: a ^ v)):
                yield Cells(f"atomic{name}{end}", kind, 1, op)
        for kind in (f, d):
            yield Cells(f"atomicAdd{end}", kind, 1, lambda a, v, n=number[kind]: flushed(n.add(flushed(a, n), flushed(v, n), "rn"), n))
        yield Cells(f"atomicExch{end}", f, 1, lambda a, v: v)
        yield Cells(f"atomicCAS{end}", h, 2, lambda a, e, v: v if a == e else a)
        for kind in (i, u):
            yield Cells(f"atomicSub{end}", kind, 1, lambda a, v: a - v)
        for kind, width in ((i, 32), (l, 64)):
            yield Cells(f"atomicMin{end}", kind, 1, lambda a, v, n=width: min(signed(a, n), signed(v, n)))
            yield Cells(f"atomicMax{end}", kind, 1, lambda a, v, n=width: max(signed(a, n), signed(v, n)))
        for kind in (u, w):
            yield Cells(f"atomicMin{end}", kind, 1, min)
            yield Cells(f"atomicMax{end}", kind, 1, max)
        yield Cells(f"atomicInc{end}", u, 1, lambda a, v: 0 if a >= v else a + 1)
        yield Cells(f"atomicDec{end}", u, 1, lambda a, v: v if a == 0 or a > v else a - 1)


def accesses():
    kinds = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long long", "unsigned long long",
             "float", "double", "char2", "uchar4", "short4", "int2", "int4", "float2", "float4", "double2", "ulonglong2"]
    for kind in kinds:
        for name in ("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"):
            access = Numbers(f"{name} of {kind}", [kind], kind, lambda x: x)
            access.body = f"r0[i] = {name}(&p0[i]);"
            yield access
        for name in ("__stwb", "__stcg", "__stcs", "__stwt"):
            access = Numbers(f"{name} of {kind}", [kind], kind, lambda x: x)
            access.body = f"{name}(&r0[i], p0[i]);"
            yield access
    for kind in ("unsigned char", "unsigned", "double2"):
        copy = Numbers(f"memcpy of {kind}", [kind], kind, lambda x: x)
        copy.body = f"const int bytes = {BYTES[kind]} * (i >= 0); memcpy(&r0[i], &p0[i], bytes);"
        yield copy
        fill = Numbers(f"memset of {kind}", ["int"], kind, lambda x, n=BYTES[kind]: int.from_bytes(bytes([x & 255] * n), "little"))
        fill.body = f"memset(&r0[i], p0[i], {BYTES[kind]} * (i >= 0));"
        yield fill


def all_of_them():
    for part in (integers, rounded, bits, exact_math, shuffles, votes, barriers, atomics, accesses):
        yield from part()
