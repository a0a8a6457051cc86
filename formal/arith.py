# SPDX-License-Identifier: Apache-2.0
"""LLVM's integer instructions and intrinsics in the graph's operations."""
from formal.graph import (add, and_, ashr, bit, const, eq, is_true, ite, lshr, mul, not_, or_, sdiv, sext, shl, sle,
                          slice_, slt, srem, sub, udiv, ule, ult, urem, xor, zext)

ARITHMETIC = {"add": add, "sub": sub, "mul": mul, "and": and_, "or": or_, "xor": xor, "shl": shl, "lshr": lshr,
              "ashr": ashr, "udiv": udiv, "urem": urem, "sdiv": sdiv, "srem": srem}
COMPARE = {"eq": eq, "ne": lambda a, b: not_(eq(a, b)), "ult": ult, "ule": ule, "ugt": lambda a, b: ult(b, a),
           "uge": lambda a, b: ule(b, a), "slt": slt, "sle": sle, "sgt": lambda a, b: slt(b, a),
           "sge": lambda a, b: sle(b, a)}


def overflow(op, a, b):
    """The condition that the result does not fit, as signed numbers."""
    width = a.width
    if op in ("sdiv", "srem"):
        return and_(eq(a, const(width, 1 << (width - 1))), eq(b, const(width, -1)))
    if op == "shl":  # what is shifted out must be copies of the sign
        return not_(eq(ashr(shl(a, b), b), a))
    wide = 2 * width if op == "mul" else width + 1
    exact = ARITHMETIC[op](sext(a, wide), sext(b, wide))
    return not_(eq(exact, sext(slice_(exact, width - 1, 0), wide)))


def _ones(a):
    total = const(a.width, 0)
    for i in range(a.width):
        total = add(total, zext(bit(a, i), a.width))
    return total


def _zeros(trailing):
    def count(a, undefined):
        """undefined: of 0, which the caller forbids; so the last bit need not be looked at."""
        order = list(range(a.width - 1, -1, -1) if trailing else range(a.width))
        result = const(a.width, a.width)
        if is_true(undefined):
            order, result = order[1:], const(a.width, a.width - 1)
        for i in order:
            result = ite(bit(a, i), const(a.width, i if trailing else a.width - 1 - i), result)
        return result
    return count


INTRINSICS = {
    "umin": lambda a, b: ite(ult(a, b), a, b), "umax": lambda a, b: ite(ult(a, b), b, a),
    "smin": lambda a, b: ite(slt(a, b), a, b), "smax": lambda a, b: ite(slt(a, b), b, a),
    "ctpop": _ones, "cttz": _zeros(True), "ctlz": _zeros(False),
}
