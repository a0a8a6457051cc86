# SPDX-License-Identifier: Apache-2.0
"""Floating point by exact fractions: what IEEE 754 says of an operation, rounded in one of four ways.

A number is its bits. Arithmetic is done on fractions and rounded once; zeros, infinities and NaN are told apart first.
"""
import fractions
import math
import struct

Fraction = fractions.Fraction
NAN, INF = "nan", "inf"


class Format:
    def __init__(self, bits, mantissa):
        self.bits, self.mantissa = bits, mantissa
        self.bias = (1 << (bits - mantissa - 2)) - 1

    def split(self, bits):
        """(sign, value): a fraction, INF or NAN."""
        sign = bits >> (self.bits - 1)
        exponent = bits >> self.mantissa & (2 * self.bias + 1)
        part = bits & ((1 << self.mantissa) - 1)
        if exponent == 2 * self.bias + 1:
            return sign, NAN if part else INF
        scaled = part if exponent == 0 else part | 1 << self.mantissa
        return sign, Fraction(scaled) * Fraction(2) ** (max(exponent, 1) - self.bias - self.mantissa)

    def zero(self, sign):
        return sign << (self.bits - 1)

    def infinity(self, sign):
        return self.zero(sign) | (2 * self.bias + 1) << self.mantissa

    def nan(self):
        return self.infinity(0) | 1

    def is_nan(self, bits):
        return self.split(bits)[1] == NAN

    def round(self, sign, value, mode):
        """The number nearest to a fraction >= 0 of this sign, as the mode has it."""
        if value == 0:
            return self.zero(sign)
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        exponent -= value < Fraction(2) ** exponent
        exponent = max(exponent, 1 - self.bias)
        unit = Fraction(2) ** (exponent - self.mantissa)
        whole, rest = divmod(value, unit)
        up = {"rn": 2 * rest > unit or (2 * rest == unit and whole % 2 == 1), "rz": False,
              "ru": rest != 0 and not sign, "rd": rest != 0 and bool(sign)}[mode]
        bits = int(whole) + up + ((exponent + self.bias - 1) << self.mantissa)
        if bits >= self.infinity(0):
            stays = mode == "rz" or (mode == "ru" and sign) or (mode == "rd" and not sign)
            bits = self.infinity(0) - stays
        return self.zero(sign) | bits

    # A sum of exact zero of numbers of both signs is +0, rounding down -0.
    def add(self, a, b, mode):
        (s, x), (t, y) = self.split(a), self.split(b)
        if NAN in (x, y) or (x == y == INF and s != t):
            return self.nan()
        if INF in (x, y):
            return self.infinity(s if x == INF else t)
        total = (-x if s else x) + (-y if t else y)
        if total == 0:
            return self.zero(s if s == t else mode == "rd")
        return self.round(int(total < 0), abs(total), mode)

    def sub(self, a, b, mode):
        return self.add(a, b if self.is_nan(b) else b ^ self.zero(1), mode)

    def mul(self, a, b, mode):
        (s, x), (t, y) = self.split(a), self.split(b)
        if NAN in (x, y) or (INF in (x, y) and 0 in (x, y)):
            return self.nan()
        return self.infinity(s ^ t) if INF in (x, y) else self.round(s ^ t, x * y, mode)

    def div(self, a, b, mode):
        (s, x), (t, y) = self.split(a), self.split(b)
        if NAN in (x, y) or x == y == INF or x == y == 0:
            return self.nan()
        if x == INF or y == 0:
            return self.infinity(s ^ t)
        return self.zero(s ^ t) if y == INF else self.round(s ^ t, x / y, mode)

    def fma(self, a, b, c, mode):
        (s, x), (t, y), (u, z) = self.split(a), self.split(b), self.split(c)
        if NAN in (x, y, z) or (INF in (x, y) and 0 in (x, y)):
            return self.nan()
        if INF in (x, y):
            return self.nan() if z == INF and u != s ^ t else self.infinity(s ^ t)
        if z == INF:
            return c
        product = -x * y if s ^ t else x * y
        total = product + (-z if u else z)
        if total == 0:
            return self.zero(s ^ t if s ^ t == u else mode == "rd")
        return self.round(int(total < 0), abs(total), mode)

    def rcp(self, a, mode):
        return self.div(self.round(0, Fraction(1), mode), a, mode)

    def sqrt(self, a, mode):
        s, x = self.split(a)
        if x == NAN or (s and x != 0):
            return self.nan()
        if x in (0, INF):
            return a
        # 200 bits behind those that are kept, and one that says whether there is more
        scaled = x * Fraction(4) ** (self.bias + 200)
        root = math.isqrt(int(scaled))
        more = Fraction(root * root) != scaled
        return self.round(0, (Fraction(root) + Fraction(int(more), 2)) / Fraction(2) ** (self.bias + 200), mode)

    def to_integer(self, a, mode, bits, signed):
        """As PTX's cvt: what does not fit is the nearest that does."""
        s, x = self.split(a)
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
        if x == NAN:
            got = 0 if self.bits == 32 and bits == 32 else 1 << (bits - 1)
        elif x == INF:
            got = low if s else high
        else:
            value = -x if s else x
            near = {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}[mode](value)
            got = min(max(near, low), high)
        return got & ((1 << bits) - 1)

    def from_integer(self, value, mode):
        return self.round(int(value < 0), Fraction(abs(value)), mode)

    def convert(self, other, a, mode):
        """A number of another format in this one."""
        s, x = other.split(a)
        return self.nan() if x == NAN else self.infinity(s) if x == INF else self.round(s, x, mode)


F32 = Format(32, 23)
F64 = Format(64, 52)


def check_itself():
    """Against this machine, where Python rounds to nearest."""
    for a, b in ((0.1, 0.2), (1e308, 1e308), (3.0, -3.0), (1e-310, 3.0), (1.0, 3.0)):
        x, y = (struct.unpack("<Q", struct.pack("<d", v))[0] for v in (a, b))
        for name, want in (("add", a + b), ("sub", a - b), ("mul", a * b), ("div", a / b)):
            assert getattr(F64, name)(x, y, "rn") == struct.unpack("<Q", struct.pack("<d", want))[0], (name, a, b)
    for a in (2.0, 0.1, 1e-310, 5e300):
        assert F64.sqrt(struct.unpack("<Q", struct.pack("<d", a))[0], "rn") == struct.unpack("<Q", struct.pack("<d", math.sqrt(a)))[0]
