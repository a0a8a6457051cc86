# SPDX-License-Identifier: Apache-2.0
"""SIMD intrinsics of kernels/cuda/simd.h: two halves or four bytes of a word; header.py plays them."""
import functions
from functions import signed


def all_of_them():
    u = "unsigned"
    for width in (16, 8):
        count, mask = 32 // width, (1 << width) - 1
        low, high = -(1 << width - 1), (1 << width - 1) - 1

        def parts(word, is_signed, w=width, n=count, m=mask):
            each = [word >> w * k & m for k in range(n)]
            return [signed(v, w) for v in each] if is_signed else each

        def word(values, w=width, m=mask):
            return sum((v & m) << w * k for k, v in enumerate(values))

        def lanes(op, is_signed, p=parts, j=word):
            return lambda *words: j([op(*each) for each in zip(*(p(x, is_signed) for x in words))])

        def between(v, least, most):
            return min(max(v, least), most)
        two = {
            "__vadd": (lambda x, y: x + y, False), "__vsub": (lambda x, y: x - y, False),
            "__vaddss": (lambda x, y, a=low, b=high: between(x + y, a, b), True),
            "__vaddus": (lambda x, y, m=mask: between(x + y, 0, m), False),
            "__vsubss": (lambda x, y, a=low, b=high: between(x - y, a, b), True),
            "__vsubus": (lambda x, y, m=mask: between(x - y, 0, m), False),
            # a half is rounded away from zero
            "__vavgs": (lambda x, y: (x + y + 1) // 2 if x + y >= 0 else (x + y) // 2, True),
            "__vavgu": (lambda x, y: (x + y + 1) // 2, False), "__vhaddu": (lambda x, y: (x + y) // 2, False),
            "__vabsdiffs": (lambda x, y: abs(x - y), True), "__vabsdiffu": (lambda x, y: abs(x - y), False),
            "__vmaxs": (max, True), "__vmaxu": (max, False), "__vmins": (min, True), "__vminu": (min, False)}
        tests = {"eq": (lambda x, y: x == y, False), "ne": (lambda x, y: x != y, False)}
        for end in ("s", "u"):
            tests |= {f"ge{end}": (lambda x, y: x >= y, end == "s"), f"gt{end}": (lambda x, y: x > y, end == "s"),
                      f"le{end}": (lambda x, y: x <= y, end == "s"), f"lt{end}": (lambda x, y: x < y, end == "s")}
        for name, (op, is_signed) in tests.items():
            two[f"__vcmp{name}"] = (lambda x, y, o=op, m=mask: m * o(x, y), is_signed)
            two[f"__vset{name}"] = (lambda x, y, o=op: int(o(x, y)), is_signed)
        for name, (op, is_signed) in two.items():
            yield functions.Numbers(f"{name}{count}", [u, u], u, lanes(op, is_signed))
        one = {"__vabs": abs, "__vneg": lambda x: -x, "__vabsss": lambda x, b=high: min(abs(x), b), "__vnegss": lambda x, b=high: min(-x, b)}
        for name, op in one.items():
            yield functions.Numbers(f"{name}{count}", [u], u, lanes(op, True))
        for end in ("s", "u"):
            yield functions.Numbers(f"__vsad{end}{count}", [u, u], u, lambda a, b, s=end == "s", p=parts: sum(
                abs(x - y) for x, y in zip(p(a, s), p(b, s))))
