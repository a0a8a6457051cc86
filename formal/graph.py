# SPDX-License-Identifier: Apache-2.0
"""A graph of bit-vectors: every distinct expression is one node, made in a normal form that is cheap.

The C model and the RTL are both turned into this graph; where they compute alike they often become
the same node, and the solver sees only the rest.

Invariants:
- a node is made by the functions below alone, so equal operation, width, constant and operands are
  the same object, and `is` is equality;
- `top` is an upper bound of the node's unsigned value;
- variables are named by tuples: ("reg", net), ("in", port, time), ("any", ...).
A node of width 1 is a condition. Operands of one operation have the same width.
"""

ARRAY = 64  # bits: what is wider is taken for an array, of which each word goes for itself

_nodes = {}
_instead = {}  # by a node's id what stands in its place: set_instead()


class Node:
    __slots__ = ("op", "args", "width", "key", "id", "top")

    def __repr__(self):
        return f"n{self.id}:{self.op}/{self.width}"


def ones(width):
    return (1 << width) - 1


def _make(op, width, args=(), key=None):
    index = (op, width, key) + tuple(a.id for a in args)
    node = _nodes.get(index)
    if node is None:
        node = Node()
        node.op, node.args, node.width, node.key, node.id = op, args, width, key, len(_nodes)
        node.top = _bound(node)
        _nodes[index] = node
    return _instead.get(node.id, node) if _instead else node


def set_instead(node, other):
    """From now on the other one is given where this one would be made: where they are known to be equal."""
    _instead[node.id] = other


def clear_instead():
    _instead.clear()


def _bound(n):
    op, a, full = n.op, n.args, ones(n.width)
    if op == "const":
        return n.key
    if op == "cat":
        value = 0
        for part in a:
            value = value << part.width | part.top
        return value
    if op == "and":
        return min(a[0].top, a[1].top)
    if op in ("or", "xor"):
        return ones(max(a[0].top.bit_length(), a[1].top.bit_length()))
    if op == "ite":
        return max(a[1].top, a[2].top)
    if op == "add":
        return min(a[0].top + a[1].top, full) if a[0].top + a[1].top <= full else full
    if op == "mul":
        return a[0].top * a[1].top if a[0].top * a[1].top <= full else full
    if op == "lshr":
        return a[0].top
    if op == "slice":
        return min(a[0].top >> n.key, full)
    if op == "udiv" and is_const(a[1]) and a[1].key:
        return a[0].top // a[1].key
    if op == "urem":
        return a[1].key - 1 if is_const(a[1]) and a[1].key else a[0].top
    return full


def const(width, value):
    return _make("const", width, (), value & ones(width))


def var(name, width):
    return _make("var", width, (), name)


TRUE, FALSE = const(1, 1), const(1, 0)


def is_const(n):
    return n.op == "const"


def is_true(n):
    return n is TRUE


def is_false(n):
    return n is FALSE


def signed(n):
    """The value of a constant, as two's complement."""
    return n.key - (1 << n.width) if n.key >> (n.width - 1) else n.key


def _leading_zeros(n):
    """Leading bits that the node's form shows to be 0."""
    if is_const(n):
        return n.width - n.key.bit_length()
    if n.op == "cat" and is_const(n.args[0]) and n.args[0].key == 0:
        return n.args[0].width
    return 0


def _ordered(x, y):
    return (x, y) if x.id <= y.id else (y, x)


# ---- structure

def cat(*parts):
    """Most significant part first. Neighbouring constants and neighbouring slices become one."""
    out = []
    for part in parts:
        for q in part.args if part.op == "cat" else (part,):
            if out:
                last = out[-1]
                if is_const(last) and is_const(q):
                    out[-1] = const(last.width + q.width, last.key << q.width | q.key)
                    continue
                whole, low = (last.args[0], last.key) if last.op == "slice" else (last, 0)
                other, base = (q.args[0], q.key) if q.op == "slice" else (q, 0)
                if whole is other and low == base + q.width:
                    out[-1] = slice_(whole, low + last.width - 1, base)
                    continue
                # The low bits of a sum are a sum of their own: of a word that went bit by bit it is one again.
                if whole.op in ("add", "sub", "mul") and low == q.width and slice_(whole, low - 1, 0) is q:
                    out[-1] = slice_(whole, low + last.width - 1, 0)
                    continue
                # Bytes that were written under one condition become one word again.
                if last.op == "ite" and q.op == "ite" and last.args[0] is q.args[0]:
                    out[-1] = ite(q.args[0], cat(last.args[1], q.args[1]), cat(last.args[2], q.args[2]))
                    continue
            out.append(q)
    return out[0] if len(out) == 1 else _make("cat", sum(x.width for x in out), tuple(out))


def zext(x, width):
    return x if width == x.width else cat(const(width - x.width, 0), x)


def sext(x, width):
    if width == x.width:
        return x
    if is_const(x):
        return const(width, signed(x))
    if is_false(slice_(x, x.width - 1, x.width - 1)):
        return zext(x, width)
    return _make("sext", width, (x,))


def slice_(x, high, low):
    width = high - low + 1
    if not 0 <= low <= high < x.width:
        raise ValueError(f"slice {high}:{low} of {x.width} bits")
    if width == x.width:
        return x
    if is_const(x):
        return const(width, x.key >> low)
    if x.top >> low == 0:
        return const(width, 0)
    if x.op == "slice":
        return slice_(x.args[0], high + x.key, low + x.key)
    if x.op == "cat":
        out, at = [], x.width
        for part in x.args:
            at -= part.width
            h, l = min(high, at + part.width - 1), max(low, at)
            if h >= l:
                out.append(slice_(part, h - at, l - at))
        return cat(*out)
    if x.op == "sext":
        y = x.args[0]
        if high < y.width:
            return slice_(y, high, low)
        return sext(slice_(y, y.width - 1, min(low, y.width - 1)), width)
    if x.op in ("and", "or", "xor", "not"):
        return MAKE[x.op](*(slice_(y, high, low) for y in x.args))
    if x.op == "ite" and (is_const(x.args[1]) or is_const(x.args[2]) or x.width > ARRAY):
        return ite(x.args[0], slice_(x.args[1], high, low), slice_(x.args[2], high, low))
    if x.op in ("add", "sub", "mul") and low == 0:
        return MAKE[x.op](*(slice_(y, high, 0) for y in x.args))
    return _make("slice", width, (x,), low)


def bit(x, i):
    return slice_(x, i, i)


def _runs(value, width):
    """(bit, high, low) of each run of equal bits, most significant first."""
    high = width - 1
    while high >= 0:
        b, low = value >> high & 1, high
        while low > 0 and (value >> (low - 1) & 1) == b:
            low -= 1
        yield b, high, low
        high = low - 1


# ---- logic

def not_(x):
    if is_const(x):
        return const(x.width, ~x.key)
    if x.op == "not":
        return x.args[0]
    if x.op == "ite" and (is_const(x.args[1]) or is_const(x.args[2])):
        return ite(x.args[0], not_(x.args[1]), not_(x.args[2]))
    return _make("not", x.width, (x,))


def _complements(x, y):
    return x.op == "not" and x.args[0] is y or y.op == "not" and y.args[0] is x


def _narrow(function, x, y, zeros):
    """The operation on the bits below shared leading zeros."""
    low = x.width - zeros - 1
    return zext(function(slice_(x, low, 0), slice_(y, low, 0)), x.width)


def and_(x, y):
    if is_const(x):
        x, y = y, x
    if is_const(y):
        if is_const(x):
            return const(x.width, x.key & y.key)
        if y.key == 0 or y.key == ones(y.width):
            return x if y.key else y
        return cat(*(slice_(x, h, l) if b else const(h - l + 1, 0) for b, h, l in _runs(y.key, x.width)))
    if x is y:
        return x
    if _complements(x, y):
        return const(x.width, 0)
    if x.width == 1:
        for p, q in ((x, y), (y, x)):
            if p.op == "and" and q in p.args:
                return p
            if p.op == "or" and q in p.args:
                return q
    zeros = max(_leading_zeros(x), _leading_zeros(y))
    return _narrow(and_, x, y, zeros) if zeros else _make("and", x.width, _ordered(x, y))


def or_(x, y):
    if is_const(x):
        x, y = y, x
    if is_const(y):
        if is_const(x):
            return const(x.width, x.key | y.key)
        if y.key == 0 or y.key == ones(y.width):
            return y if y.key else x
        return cat(*(const(h - l + 1, -1) if b else slice_(x, h, l) for b, h, l in _runs(y.key, x.width)))
    if x is y:
        return x
    if _complements(x, y):
        return const(x.width, -1)
    if x.width == 1:
        for p, q in ((x, y), (y, x)):
            if p.op == "or" and q in p.args:
                return p
            if p.op == "and":
                if q in p.args:
                    return q
                for k in (0, 1):
                    if _complements(p.args[k], q):
                        return or_(p.args[1 - k], q)
        if x.op == "and" and y.op == "and":
            for i in (0, 1):
                for j in (0, 1):
                    if x.args[i] is y.args[j]:
                        return and_(x.args[i], or_(x.args[1 - i], y.args[1 - j]))
    zeros = min(_leading_zeros(x), _leading_zeros(y))
    return _narrow(or_, x, y, zeros) if zeros else _make("or", x.width, _ordered(x, y))


def xor(x, y):
    if is_const(x):
        x, y = y, x
    if is_const(y):
        if is_const(x):
            return const(x.width, x.key ^ y.key)
        if y.key == 0:
            return x
        return cat(*(not_(slice_(x, h, l)) if b else slice_(x, h, l) for b, h, l in _runs(y.key, x.width)))
    if x is y:
        return const(x.width, 0)
    return _make("xor", x.width, _ordered(x, y))


def all_of(conditions):
    result = TRUE
    for c in conditions:
        result = and_(result, c)
    return result


def any_of(conditions):
    result = FALSE
    for c in conditions:
        result = or_(result, c)
    return result


def ite(c, x, y):
    if c.width != 1 or x.width != y.width:
        raise ValueError(f"ite of {c}, {x}, {y}")
    if is_const(c):
        return x if c.key else y
    if c.op == "not":
        return ite(c.args[0], y, x)
    while x.op == "ite" and x.args[0] is c:
        x = x.args[1]
    while y.op == "ite" and y.args[0] is c:
        y = y.args[2]
    if x is y:
        return x
    if x.width == 1:
        if is_const(x):
            return or_(c, y) if x.key else and_(not_(c), y)
        if is_const(y):
            return or_(not_(c), x) if y.key else and_(c, x)
        if x is c:
            return or_(c, y)
        if y is c:
            return and_(c, x)
    if y.op == "ite" and y.args[1] is x:
        return ite(or_(c, y.args[0]), x, y.args[2])
    zeros = min(_leading_zeros(x), _leading_zeros(y))
    if zeros:
        low = x.width - zeros - 1
        return zext(ite(c, slice_(x, low, 0), slice_(y, low, 0)), x.width)
    return _make("ite", x.width, (c, x, y))


# ---- arithmetic

def add(x, y):
    if is_const(x):
        x, y = y, x
    if is_const(y):
        if is_const(x):
            return const(x.width, x.key + y.key)
        if y.key == 0:
            return x
        if x.op == "add" and is_const(x.args[1]):
            return add(x.args[0], const(x.width, x.args[1].key + y.key))
        return _make("add", x.width, (x, y))
    for p, q in ((x, y), (y, x)):
        if p.op == "add" and is_const(p.args[1]):
            return add(add(p.args[0], q), p.args[1])
    return _make("add", x.width, _ordered(x, y))


def sub(x, y):
    if is_const(y):
        return add(x, const(x.width, -y.key))
    if x.op == "add" and y in x.args:  # what was added
        return x.args[x.args[0] is y]
    return const(x.width, 0) if x is y else _make("sub", x.width, (x, y))


def _narrow_product(x, y):
    """The product on the bits that it can have, if these are fewer."""
    bits = max((x.top * y.top).bit_length(), 1)
    return zext(mul(slice_(x, bits - 1, 0), slice_(y, bits - 1, 0)), x.width) if bits < x.width else None


def mul(x, y):
    """Distributed over additions, so that sums that are kept as products meet; no wider than its value."""
    if is_const(x):
        x, y = y, x
    if is_const(y):
        if is_const(x):
            return const(x.width, x.key * y.key)
        if y.key == 0:
            return y
        if y.key & (y.key - 1) == 0:
            return shl(x, const(x.width, y.key.bit_length() - 1))
        return _narrow_product(x, y) or _make("mul", x.width, (x, y))
    for p, q in ((x, y), (y, x)):
        if p.op == "add":
            return add(mul(p.args[0], q), mul(p.args[1], q))
    if x.op == "ite" and y.op == "ite" and x.args[0] is y.args[0]:  # elements of two arrays
        return ite(x.args[0], mul(x.args[1], y.args[1]), mul(x.args[2], y.args[2]))
    return _narrow_product(x, y) or _make("mul", x.width, _ordered(x, y))


def shl(x, s):
    if not is_const(s):
        return _make("shl", x.width, (x, s))
    if s.key == 0:
        return x
    return const(x.width, 0) if s.key >= x.width else cat(slice_(x, x.width - 1 - s.key, 0), const(s.key, 0))


def lshr(x, s):
    if not is_const(s):
        return _make("lshr", x.width, (x, s))
    if s.key == 0:
        return x
    return const(x.width, 0) if s.key >= x.width else cat(const(s.key, 0), slice_(x, x.width - 1, s.key))


def ashr(x, s):
    if not is_const(s):
        return _make("ashr", x.width, (x, s))
    k = min(s.key, x.width - 1)
    return x if k == 0 else sext(slice_(x, x.width - 1, k), x.width)


def truncated(x, y):
    """Quotient and rest of two Python integers as C has them."""
    q = abs(x) // abs(y)
    q = -q if (x < 0) != (y < 0) else q
    return q, x - q * y


def udiv(x, y):
    if is_const(y) and y.key:
        if is_const(x):
            return const(x.width, x.key // y.key)
        if y.key & (y.key - 1) == 0:
            return lshr(x, const(x.width, y.key.bit_length() - 1))
    return _make("udiv", x.width, (x, y))


def urem(x, y):
    if is_const(y) and y.key:
        if is_const(x):
            return const(x.width, x.key % y.key)
        if x.top < y.key:
            return x
        if y.key & (y.key - 1) == 0:
            return and_(x, const(x.width, y.key - 1))
    return _make("urem", x.width, (x, y))


def sdiv(x, y):
    if is_const(x) and is_const(y) and y.key:
        return const(x.width, truncated(signed(x), signed(y))[0])
    return _make("sdiv", x.width, (x, y))


def srem(x, y):
    if is_const(x) and is_const(y) and y.key:
        return const(x.width, truncated(signed(x), signed(y))[1])
    return _make("srem", x.width, (x, y))


# ---- comparison

def eq(x, y):
    if x.width != y.width:
        raise ValueError(f"eq of {x}, {y}")
    if x is y:
        return TRUE
    if is_const(x):
        x, y = y, x
    if not is_const(y):
        zeros = min(_leading_zeros(x), _leading_zeros(y))
        if zeros:
            low = x.width - zeros - 1
            return eq(slice_(x, low, 0), slice_(y, low, 0))
        if any(p.op == "ite" and all(is_const(a) and a.key > q.top for a in p.args[1:]) for p, q in ((x, y), (y, x))):
            return FALSE
        return _make("eq", 1, _ordered(x, y))
    if is_const(x):
        return const(1, x.key == y.key)
    if y.key > x.top:
        return FALSE
    if x.width == 1:
        return x if y.key else not_(x)
    if x.op == "cat":
        result, at = TRUE, x.width
        for part in x.args:
            at -= part.width
            result = and_(result, eq(part, const(part.width, y.key >> at)))
        return result
    if x.op == "ite" and (is_const(x.args[1]) or is_const(x.args[2])):
        return ite(x.args[0], eq(x.args[1], y), eq(x.args[2], y))
    if x.op == "add" and is_const(x.args[1]):
        return eq(x.args[0], const(x.width, y.key - x.args[1].key))
    if x.op == "not":
        return eq(x.args[0], not_(y))
    return _make("eq", 1, _ordered(x, y))


def ult(x, y):
    if is_const(x) and is_const(y):
        return const(1, x.key < y.key)
    if x is y:
        return FALSE
    if is_const(y):
        if y.key == 0 or x.top < y.key:
            return const(1, y.key != 0)
        if y.key == 1:
            return eq(x, const(x.width, 0))
    if is_const(x):
        if x.key >= y.top:
            return FALSE
        if x.key == 0:
            return not_(eq(y, const(y.width, 0)))
    zeros = min(_leading_zeros(x), _leading_zeros(y))
    if zeros:
        low = x.width - zeros - 1
        return ult(slice_(x, low, 0), slice_(y, low, 0))
    return and_(not_(x), y) if x.width == 1 else _make("ult", 1, (x, y))


def ule(x, y):
    return not_(ult(y, x))


def slt(x, y):
    if is_const(x) and is_const(y):
        return const(1, signed(x) < signed(y))
    if x.top >> (x.width - 1) == 0 and y.top >> (y.width - 1) == 0:
        return ult(x, y)
    return FALSE if x is y else _make("slt", 1, (x, y))


def sle(x, y):
    return not_(slt(y, x))


# By operation, for those whose operands are all that makes them.
MAKE = {
    "cat": cat, "not": not_, "and": and_, "or": or_, "xor": xor, "add": add, "sub": sub, "mul": mul,
    "shl": shl, "lshr": lshr, "ashr": ashr, "udiv": udiv, "urem": urem, "sdiv": sdiv, "srem": srem,
    "eq": eq, "ult": ult, "slt": slt, "ite": ite,
}


def again(n, args):
    """The node's operation on other operands."""
    if n.op == "slice":
        return slice_(args[0], n.key + n.width - 1, n.key)
    if n.op == "sext":
        return sext(args[0], n.width)
    return MAKE[n.op](*args)
