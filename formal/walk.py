# SPDX-License-Identifier: Apache-2.0
"""Walks over the graph: cones, substitution, evaluation as compiled Python, parts of a condition."""
import functools
import operator

from formal.graph import (FALSE, TRUE, add, again, all_of, any_of, cat, const, eq, is_const, ite, mul, not_, ones,
                          or_, sext, slice_, truncated, var, zext)

CONGRUENT = 24  # free variables that are compared with each other
WIDENED = ("mul", "udiv", "urem")  # more leading zeros change no result, where the product is not cut
WORD = 32  # bits of a variable that hang together
SPREAD = 1024  # products that one of multiplexers may fall into


def cone(roots):
    """Every node below the roots, operands first."""
    seen, out, stack = set(), [], [(r, False) for r in reversed(roots)]
    while stack:
        n, done = stack.pop()
        if done:
            out.append(n)
        elif n.id not in seen:
            seen.add(n.id)
            stack.append((n, True))
            stack += [(a, False) for a in n.args if a.id not in seen]
    return out


_words, _below = {}, {}  # a bit for each word of a variable, by (its id, number); those below a node


def _bits(x, high, low):
    """The words of these bits of a variable, of which a wide one has many: an array of the RTL is one."""
    return functools.reduce(operator.or_, (1 << _words.setdefault((x.id, k), len(_words))
                                           for k in range(low // WORD, high // WORD + 1)))


def support(n):
    """The words of variables below a node, as bits of a number."""
    stack = [n]
    while stack:
        m = stack[-1]
        of = m.args[0] if m.op == "slice" else m
        if of.op == "var":
            low = m.key if m.op == "slice" else 0
            _below[stack.pop().id] = _bits(of, low + m.width - 1, low)
            continue
        lacking = [a for a in m.args if a.id not in _below]
        stack += lacking
        if not lacking:
            stack.pop()
            _below[m.id] = functools.reduce(operator.or_, (_below[a.id] for a in m.args), 0)
    return _below[n.id]


def rebuild(roots, replace):
    """The roots with each node n of them for which replace(n, operands) is not None exchanged."""
    new = {}
    for n in cone(roots):
        args = [new[a.id] for a in n.args]
        r = replace(n, args)
        if r is None:
            r = n if all(p is q for p, q in zip(args, n.args)) else again(n, args)
        new[n.id] = r
    return [new[r.id] for r in roots]


def substitute(roots, by_id):
    return rebuild(roots, lambda n, args: by_id.get(n.id))


def chosen(n):
    """Whether the value is one of some constants."""
    if n.op == "cat" and is_const(n.args[0]):
        return len(n.args) == 2 and chosen(n.args[1])
    return is_const(n) or n.op == "ite" and chosen(n.args[1]) and chosen(n.args[2])


def without(roots, ops, multiples):
    """The roots with every wide node of these operations a free variable, with conditions that equal operands
    give equal ones, and how many there were: what cannot be satisfied with them cannot be satisfied at all.
    multiples: those by a constant too. Of many only those below the first root are compared, and of very many those
    of one width."""
    freed = {}

    def free(n, args):
        if n.op in ops and n.width > 4 and (multiples or not any(chosen(a) for a in n.args)):
            exact = n.op != "mul" or n.args[0].top * n.args[1].top <= ones(n.width)
            return freed.setdefault((n.op, exact, *args), var(("free", n.op, *(a.id for a in args)), n.width))
        return None
    roots, found = rebuild(roots, free), list(freed.items())
    inside = found if len(found) <= CONGRUENT else below(roots[0], found)
    for op in ops:
        same = [f for f in inside if f[0][0] == op]
        apart = [[f for f in same if f[1].width == w] for w in sorted({f[1].width for f in same})]
        for group in [same] if len(same) <= CONGRUENT else [g for g in apart if len(g) <= CONGRUENT]:
            roots += [alike(f, g) for k, f in enumerate(group) for g in group[:k]]
    return roots, len(found)


def below(root, found):
    """Those of the freed operations that the root is made of, their operands' too."""
    inside, seen = [], set()

    def reach(stack):
        while stack:
            n = stack.pop()
            if n.id not in seen:
                seen.add(n.id)
                stack += n.args
    reach([root])
    for f in reversed(found):  # operands stand before what is made of them
        if f[1].id in seen:
            inside.append(f)
            reach(list(f[0][2:]))
    return inside


def alike(f, g):
    """That two freed results of one operation are equal if their operands are; of different widths only where the
    width does not matter."""
    ((op, exact, *x), one), ((_, other_exact, *y), other) = f, g
    width = max(one.width, other.width)
    if one.width != other.width and (op not in WIDENED or not (exact and other_exact)):
        return TRUE
    same = [[eq(zext(p, width), zext(q, width)) for p, q in zip(x, order)]
            for order in ([y, y[::-1]] if op == "mul" else [y])]
    by_0 = eq(y[1], const(y[1].width, 0)) if op == "udiv" and one.width != other.width else FALSE
    return or_(by_0, or_(not_(any_of(all_of(c) for c in same)), eq(zext(one, width), zext(other, width))))


def _inner(x):
    """What stands behind leading zeros."""
    return x.args[1] if x.op == "cat" and len(x.args) == 2 and is_const(x.args[0]) and x.args[0].key == 0 else x


def _ways(n):
    """What a factor is chosen or added up from: the width apart."""
    n = _inner(n)
    if n.op == "ite" or n.op == "add" and sum(a.top for a in n.args) <= ones(n.width):
        return n.args[-2:]
    return ()


def spread(roots):
    """The roots with products of multiplexers as multiplexers of products, and of sums that do not overflow as
    sums, so that (c ? n + 1 : n) m and n m + m meet. Of too many factors a product stays as it is."""
    factors = {}

    def count(n):
        if n.id not in factors:
            factors[n.id] = min(sum(count(a) for a in _ways(n)) or 1, SPREAD + 1)
        return factors[n.id]

    def product(x, y):
        for p, q in ((x, y), (y, x)):
            if _ways(p):
                n = _inner(p)
                wide = [product(zext(a, p.width), q) for a in n.args[-2:]]
                return ite(n.args[0], *wide) if n.op == "ite" else add(*wide)
            if _inner(p).width == 1:
                return ite(_inner(p), q, const(q.width, 0))
        return mul(x, y)

    def replace(n, args):
        if n.op != "mul":
            return None
        few = count(args[0]) * count(args[1]) <= SPREAD
        return product(*args) if few else mul(*args)
    return rebuild(roots, replace)


def _barrel(op, x, s):
    width, sign = x.width, slice_(x, x.width - 1, x.width - 1)

    def by(y, k):
        if op == "shl":
            return cat(slice_(y, width - 1 - k, 0), const(k, 0)) if k < width else const(width, 0)
        fill = sext(sign, min(k, width)) if op == "ashr" else const(min(k, width), 0)
        return cat(fill, slice_(y, width - 1, k)) if k < width else fill
    for i in range(s.width):
        x = ite(slice_(s, i, i), by(x, 1 << i), x)
    return x


def lowered(roots):
    """Shifts by variables as multiplexers: BTOR 1 wants shift counts of a logarithmic width."""
    shifts = ("shl", "lshr", "ashr")
    return rebuild(roots, lambda n, args: _barrel(n.op, *args) if n.op in shifts else None)


def conjuncts(n):
    """Conditions that together are n, without repetition."""
    out, stack, seen = [], [n], set()
    while stack:
        q = stack.pop()
        if q.id in seen:
            continue
        seen.add(q.id)
        if q.op == "and" and q.width == 1:
            stack += q.args
        elif q.op == "not" and q.args[0].op == "or":
            stack += [not_(a) for a in q.args[0].args]
        else:
            out.append(q)
    return out


def pivot(roots):
    """The condition on which most bits of multiplexers hang, or None."""
    weight = {}
    for n in cone(roots):
        if n.op == "ite":
            weight[n.args[0]] = weight.get(n.args[0], 0) + n.width
    return max(weight, key=lambda n: (weight[n], -n.id)) if weight else None


# ---- evaluation

def _signed(x, width):
    return x - (1 << width) if x >> (width - 1) else x


def _udiv(x, y, width):
    return x // y if y else ones(width)


def _sdiv(x, y, width):
    x, y = _signed(x, width), _signed(y, width)
    if y == 0:
        return 1 if x < 0 else ones(width)
    return truncated(x, y)[0] & ones(width)


def _srem(x, y, width):
    sx, sy = _signed(x, width), _signed(y, width)
    return (truncated(sx, sy)[1] if sy else x) & ones(width)


_PLAIN = {"and": "{0} & {1}", "or": "{0} | {1}", "xor": "{0} ^ {1}", "not": "{0} ^ {m}",
          "add": "({0} + {1}) & {m}", "sub": "({0} - {1}) & {m}", "mul": "({0} * {1}) & {m}",
          "shl": "({0} << {1}) & {m} if {1} < {w} else 0", "lshr": "{0} >> {1}",
          "ashr": "(S({0}, {w}) >> {1}) & {m}", "udiv": "U({0}, {1}, {w})", "urem": "{0} % {1} if {1} else {0}",
          "sdiv": "D({0}, {1}, {w})", "srem": "R({0}, {1}, {w})", "eq": "+({0} == {1})", "ult": "+({0} < {1})",
          "slt": "+(S({0}, {v}) < S({1}, {v}))", "ite": "{1} if {0} else {2}",
          "sext": "S({0}, {v}) & {m}"}
_CHUNK = 4000  # statements of one compiled function: the compiler's time grows faster than they do


def compiled(roots):
    """A function from {name of variable: value} to the values of the roots. Absent variables are 0.
    It is Python, made node by node: as a check of the importer it shares nothing with the solver."""
    code, lines = [], []
    place = {}
    names = []
    for n in cone(roots):
        place[n.id] = len(place)
        a = [hex(x.key) if is_const(x) else f"v[{place[x.id]}]" for x in n.args]
        m, width = ones(n.width), n.args[0].width if n.args else 0
        if n.op == "const":
            text = hex(n.key)
        elif n.op == "var":
            text = f"g(N[{len(names)}], 0)"
            names.append(n.key)
        elif n.op == "cat":
            text, at = "", n.width
            terms = []
            for x, q in zip(n.args, a):
                at -= x.width
                terms.append(f"{q} << {at}" if at else q)
            text = " | ".join(terms)
        elif n.op == "slice":
            text = f"{a[0]} >> {n.key} & {hex(m)}"
        else:
            text = _PLAIN[n.op].format(*a, m=hex(m), w=n.width, v=width)
        lines.append(f"    v[{place[n.id]}] = {text}\n")
        if len(lines) == _CHUNK:
            code.append(lines)
            lines = []
    code.append(lines)
    scope = {"S": _signed, "U": _udiv, "D": _sdiv, "R": _srem, "N": names}
    functions = []
    for k, chunk in enumerate(code):
        exec(compile(f"def f{k}(v, g):\n" + "".join(chunk or ["    pass\n"]), "<graph>", "exec"), scope)
        functions.append(scope[f"f{k}"])
    ends, size = [place[r.id] for r in roots], len(place)

    def run(values):
        v = [0] * size
        for f in functions:
            f(v, values.get)
        return [v[e] for e in ends]
    return run


def evaluate(roots, values):
    return compiled(roots)(values)
