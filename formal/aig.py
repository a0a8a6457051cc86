# SPDX-License-Identifier: Apache-2.0
"""Conditions of the graph as an and-inverter graph, in binary AIGER.

A literal is twice the number of its node, plus 1 where inverted; 0 is false, 1 is true. Inputs have the numbers
from 1 up, gates those behind them, operands first. A word is a list of literals, least significant bit first.
"""
from formal.walk import cone, lowered


class Aig:
    def __init__(self, inputs):
        self.inputs, self.gates, self._known = inputs, [], {}

    def and_(self, x, y):
        if x > y:
            x, y = y, x
        if x == 0 or x == y ^ 1:
            return 0
        if x == 1 or x == y:
            return y
        if (x, y) not in self._known:
            self.gates.append((x, y))
            self._known[x, y] = 2 * (self.inputs + len(self.gates))
        return self._known[x, y]

    def or_(self, x, y):
        return self.and_(x ^ 1, y ^ 1) ^ 1

    def xor(self, x, y):
        return self.or_(self.and_(x, y ^ 1), self.and_(x ^ 1, y))

    def ite(self, c, x, y):
        return self.or_(self.and_(c, x), self.and_(c ^ 1, y))

    def all(self, xs):
        while len(xs) > 1:
            xs = [self.and_(*xs[i:i + 2]) if i + 1 < len(xs) else xs[i] for i in range(0, len(xs), 2)]
        return xs[0]

    def _sum(self, x, y, carry):
        """(sum, carry out)"""
        out = []
        for p, q in zip(x, y):
            half = self.xor(p, q)
            out.append(self.xor(half, carry))
            carry = self.or_(self.and_(p, q), self.and_(half, carry))
        return out, carry

    def _difference(self, x, y):
        """(difference, whether x >= y)"""
        return self._sum(x, [q ^ 1 for q in y], 1)

    def _product(self, x, y):
        total = [0] * len(x)
        for i, q in enumerate(y):
            total, _ = self._sum(total, [0] * i + [self.and_(q, p) for p in x[:len(x) - i]], 0)
        return total

    def _quotient(self, x, y):
        """(quotient, rest); by 0 all ones and x, as in SMT-LIB."""
        rest, quotient = [0] * len(x), []
        for p in reversed(x):
            longer = [p, *rest]
            less, fits = self._difference(longer, [*y, 0])
            quotient.insert(0, fits)
            rest = [self.ite(fits, a, b) for a, b in zip(less, longer)][:len(x)]
        return quotient, rest

    def word(self, n, a):
        """The word of node n, of those of its operands."""
        op = n.op
        if op == "const":
            return [n.key >> i & 1 for i in range(n.width)]
        if op == "slice":
            return a[0][n.key:n.key + n.width]
        if op == "cat":
            return [b for part in reversed(a) for b in part]
        if op == "sext":
            return a[0] + [a[0][-1]] * (n.width - len(a[0]))
        if op == "not":
            return [b ^ 1 for b in a[0]]
        if op in ("and", "or", "xor"):
            gate = {"and": self.and_, "or": self.or_, "xor": self.xor}[op]
            return [gate(p, q) for p, q in zip(*a)]
        if op == "ite":
            return [self.ite(a[0][0], p, q) for p, q in zip(a[1], a[2])]
        if op == "eq":
            return [self.all([self.xor(p, q) ^ 1 for p, q in zip(*a)])]
        if op == "ult":
            return [self._difference(*a)[1] ^ 1]
        if op == "slt":
            return [self._difference(*([*w[:-1], w[-1] ^ 1] for w in a))[1] ^ 1]
        if op == "add":
            return self._sum(*a, 0)[0]
        if op == "sub":
            return self._difference(*a)[0]
        if op == "mul":
            return self._product(*a)
        if op in ("udiv", "urem"):
            return self._quotient(*a)[op == "urem"]
        raise NotImplementedError(op)

    def write(self, output, out):
        """Binary AIGER with one output."""
        out.write(f"aig {self.inputs + len(self.gates)} {self.inputs} 0 1 {len(self.gates)}\n{output}\n".encode())
        code = bytearray()
        for number, (x, y) in enumerate(self.gates, self.inputs + 1):
            for delta in (2 * number - y, y - x):
                while delta > 127:
                    code.append(delta & 127 | 128)
                    delta >>= 7
                code.append(delta)
        out.write(code)


def blasted(roots):
    """(graph, literal of the condition that all roots hold, [(name, width)] of the variables in the order of the
    inputs). NotImplementedError: an operation that is not written as gates, a signed division."""
    roots = lowered(roots)
    nodes = cone(roots)
    names = [(n.key, n.width) for n in nodes if n.op == "var"]
    g, words, at = Aig(sum(width for _, width in names)), {}, 1
    for n in nodes:
        if n.op == "var":
            words[n.id] = [2 * (at + i) for i in range(n.width)]
            at += n.width
        else:
            words[n.id] = g.word(n, [words[a.id] for a in n.args])
    return g, g.all([words[r.id][0] for r in roots]), names
