# SPDX-License-Identifier: Apache-2.0
"""Guarded symbolic execution of LLVM IR: every block once per round of its loop, under a guard that is
a set of conditions; values meet at joins as multiplexers. Memory is bytes, written under guards.

`obliged` is what it gives, beside the values that externals take out of it: (condition, what), each a
condition under which the program would fail: assertion, index out of bounds, shift too far, signed
overflow, division by 0, a loop beyond the bound.
"""
import re

from formal.arith import ARITHMETIC, COMPARE, INTRINSICS, overflow
from formal.graph import (FALSE, TRUE, add, all_of, and_, any_of, cat, const, eq, is_const, is_false, is_true,
                          ite, mul, not_, or_, sext, signed, slice_, ule, ult, var, zext)
from formal.llvm import Memory, Reader, Unsupported

ENDLESS = 100000  # rounds of a loop whose end does not depend on a variable


class Pointer:
    """Alternatives (condition, object, offset of 64 bits, window): window is (first byte, behind the last)
    of the array that was indexed, inside which the pointer has to stay."""

    def __init__(self, ways):
        self.ways = ways


def whole(memory):
    return Pointer([(TRUE, memory, const(64, 0), (0, memory.size))])


class Stop(Exception):
    """The block ends in a failed assertion."""


def guard_of(guard):
    return all_of(sorted(guard, key=lambda n: n.id))


def with_condition(guard, c):
    return guard if is_true(c) else guard | {c}


class Execution:
    def __init__(self, module, externals, bound):
        self.module, self.externals, self.bound = module, externals, bound
        self.obliged, self._fresh = [], 0
        self.words = {}  # by the bytes that a store made of it: so a word is read as the node that it was

    def unknown(self, what, width):
        self._fresh += 1
        return var(("unwritten", what, self._fresh), width)

    def oblige(self, guard, bad, what):
        if is_false(bad) or any(c is not_(bad) for c in guard):
            return
        bad = and_(guard_of(guard), bad)
        if not is_false(bad):
            self.obliged.append((bad, what))

    # ---- memory

    def byte(self, memory, at):
        if memory.bytes[at] is None:
            memory.bytes[at] = self.unknown(memory.name, 8)
        return memory.bytes[at]

    def places(self, memory, offset, window, size, guard, where):
        """(condition, offset) of an access, for offsets base + scale * index."""
        start, last = window[0], window[1] - size
        if is_const(offset):
            k = signed(offset)
            if start <= k <= last:
                return [(TRUE, k)]
            self.oblige(guard, TRUE, f"index out of bounds of {memory.name} in {where}")
            return []
        base, scale, index = 0, 1, offset
        if index.op == "add" and is_const(index.args[1]):
            base, index = signed(index.args[1]), index.args[0]
        product = index.args[1] if index.op == "cat" and len(index.args) == 2 and index.args[0].top == 0 else index
        if product.op == "mul" and is_const(product.args[1]):
            scale, index = product.args[1].key, zext(product.args[0], 64)
        elif index.op == "cat" and is_const(index.args[-1]) and index.args[-1].key == 0:
            scale = 1 << index.args[-1].width
            index = zext(cat(*index.args[:-1]), 64)
        if index.top * scale >= 1 << 63:  # the product could wrap
            base, scale, index = 0, 1, offset
        top = min(index.top, (memory.size - min(base, 0)) // scale + 1)
        good = [k for k in range(top + 1) if start <= base + k * scale <= last]
        if not good:
            self.oblige(guard, TRUE, f"index out of bounds of {memory.name} in {where}")
            return []
        inside = TRUE if good[0] == 0 and index.top <= good[-1] else \
            and_(ule(const(64, good[0]), index), ule(index, const(64, good[-1])))
        self.oblige(guard, not_(inside), f"index out of bounds of {memory.name} in {where}")
        found = [(eq(index, const(64, k)), base + k * scale) for k in good]
        return [(c, k) for c, k in found if not is_false(c)]

    def load(self, pointer, size, guard, where):
        found = [(c, m, k, here) for c, m, offset, window in pointer.ways
                 for here, k in self.places(m, offset, window, size, with_condition(guard, c), where)]
        if not found:
            return self.unknown("nowhere", 8 * size)
        value = None
        for c, m, k, here in reversed(found):
            data = [self.byte(m, k + i) for i in range(size)]
            if isinstance(data[0], tuple):
                if len(found) > 1:
                    raise Unsupported(f"{where}: a pointer loaded from a variable place")
                return data[0][0]
            v = under(self.words.get(tuple(b.id for b in data)) or cat(*reversed(data)), guard)
            value = v if value is None else ite(and_(c, here), v, value)
        return value

    def store(self, pointer, value, size, guard, where):
        for c, m, offset, window in pointer.ways:
            if m.constant:
                raise Unsupported(f"{where}: store to a constant")
            for here, k in self.places(m, offset, window, size, with_condition(guard, c), where):
                when = and_(and_(guard_of(guard - m.guard), c), here)
                if not isinstance(value, Pointer):
                    self.words[tuple(slice_(value, 8 * i + 7, 8 * i).id for i in range(size))] = value
                for i in range(size):
                    if isinstance(value, Pointer):
                        if not is_true(when):
                            raise Unsupported(f"{where}: a pointer stored under a condition")
                        m.bytes[k + i] = (value, i)
                    else:
                        new = slice_(value, 8 * i + 7, 8 * i)
                        m.bytes[k + i] = new if is_true(when) else ite(when, new, self.byte(m, k + i))

    @staticmethod
    def moved(pointer, by):
        return Pointer([(c, m, add(offset, by), window) for c, m, offset, window in pointer.ways])

    def windowed(self, pointer, size):
        """A pointer to the start of an array of so many bytes, before it is indexed."""
        return Pointer([(c, m, o, (signed(o), signed(o) + size) if is_const(o) else window)
                        for c, m, o, window in pointer.ways])

    def copy(self, to, source, length, guard, where):
        """memcpy, memmove: all is read before anything is written. A variable length is bounded by the objects."""
        top = length.top
        if not is_const(length):
            room = min(max(w[1] - w[0] for _, _, _, w in p.ways) for p in (to, source))
            top = min(top, room)
            self.oblige(guard, ult(const(length.width, top), length), f"copy too long in {where}")
        aligned = [length] + [offset for p in (to, source) for _, _, offset, _ in p.ways]
        unit = 4 if all(multiple_of_4(x) for x in aligned) else 1
        read = []
        for k in range(0, top, unit):
            g = guard if is_const(length) else guard | {ult(const(length.width, k), length)}
            read.append((k, g, self.load(self.moved(source, const(64, k)), unit, g, where)))
        for k, g, value in read:
            self.store(self.moved(to, const(64, k)), value, unit, g, where)

    # ---- values

    def value(self, r, t, env):
        s = r.next()
        if s[0] == "%":
            return env[s]
        if s[0] == "@":
            return whole(self.module.object(s))
        if t[0] == "ptr":
            if s in ("null", "undef"):
                return Pointer([])
            if s == "getelementptr":
                while r.next() != "(":
                    pass
                of = r.type()
                r.next()
                pointer = self.element(r, of, env)
                r.next()
                return pointer
        if t[0] == "int":
            if s in ("undef", "poison"):
                return self.unknown("undef", t[1])
            return const(t[1], {"true": 1, "false": 0}[s] if s in ("true", "false") else int(s))
        if s in ("undef", "poison", "zeroinitializer"):
            return [const(f[1], 0) if f[0] == "int" else None for f in self.module.resolve(t)[1]]
        raise Unsupported(f"value {s} of type {t}")

    def typed(self, r, env):
        t, _ = r.argument_type()
        return t, self.value(r, t, env)

    def element(self, r, t, env):
        """The operands of getelementptr behind its type."""
        _, base = self.typed(r, env)
        first = True
        while r.peek() == "," and not r.peek(1).startswith("!"):
            r.next()
            _, index = self.typed(r, env)
            if first:
                base, first = self.moved(base, mul(sext(index, 64), const(64, self.module.size(t)))), False
                continue
            t = self.module.resolve(t)
            if t[0] == "array":
                base = self.windowed(base, self.module.size(t))
                t = t[2]
                base = self.moved(base, mul(sext(index, 64), const(64, self.module.size(t))))
            else:
                at, t = self.module.field(t, index.key)
                base = self.moved(base, const(64, at))
        return base

    def select(self, c, a, b):
        if isinstance(a, Pointer):
            if is_const(c):
                return a if c.key else b
            return Pointer([(and_(c, q), *rest) for q, *rest in a.ways] +
                           [(and_(not_(c), q), *rest) for q, *rest in b.ways])
        if isinstance(a, list):
            return [self.select(c, p, q) for p, q in zip(a, b)]
        return ite(c, a, b)

    # ---- flow

    def call(self, name, args, guard=frozenset()):
        f, env = self.module.functions[name], {}
        flow = f.flow
        for (arg, byval), v in zip(f.args, args):
            if byval:
                size = self.module.size(byval)
                own = whole(Memory("byval" + arg, size, guard))
                self.copy(own, v, const(64, size), guard, name)
                v = own
            env[arg] = v
        # block -> ways that lead into it: (guard, values of its phis, back edge)
        waiting, returns = {flow.entry: [(guard, {}, False)]}, []
        guards, rounds, entered = {}, {}, {}
        while waiting:
            b = min(waiting, key=lambda x: flow.rank[x])
            ways = waiting.pop(b)
            common, rest = joined([w[0] for w in ways])
            here = with_condition(common, any_of(rest))
            if b in flow.merge and flow.merge[b] in guards:
                here = guards[flow.merge[b]]
            if b in flow.loops:
                if ways[0][2]:
                    rounds[b] += 1
                else:
                    rounds[b], entered[b] = 0, here
                if rounds[b] > (self.bound if here != entered[b] else ENDLESS):
                    self.oblige(here, TRUE, f"loop beyond {self.bound} rounds in {name[1:]}")
                    continue
            for phi in ways[0][1]:
                v = ways[-1][1][phi]
                for c, w in reversed(list(zip(rest, ways))[:-1]):
                    v = self.select(c, w[1][phi], v)
                env[phi] = v
            guards[b] = here
            try:
                result = self.block(f, b, env, here, waiting)
            except Stop:
                continue
            if result is not None:
                returns.append((here, result[0]))
        if not returns or returns[-1][1] is None:
            return None
        value, (_, rest) = returns[-1][1], joined([g for g, _ in returns])
        for c, (_, v) in reversed(list(zip(rest, returns))[:-1]):
            value = self.select(c, v, value)
        return value

    def edge(self, f, b, target, env, guard, waiting):
        values = {}
        for ins in f.blocks[target]:
            if len(ins) < 3 or ins[2] != "phi":
                break
            r = Reader(self.module, ins, 3)
            t = r.type()
            at = next(i for i in range(r.at, len(ins)) if ins[i] == b and ins[i + 1] == "]" and ins[i - 1] == ",")
            start = max(i for i in range(at) if ins[i] == "[" and (ins[i - 1] == "," or i == r.at))
            values[ins[0]] = self.value(Reader(self.module, ins, start + 1), t, env)
        back = target in f.flow.loops and b in f.flow.loops[target]
        waiting.setdefault(target, []).append((guard, values, back))

    def branch(self, f, b, env, guard, waiting, ways):
        for c, target in ways:
            if not (is_false(c) or not_(c) in guard):
                self.edge(f, b, target, env, with_condition(guard, c), waiting)

    def block(self, f, b, env, guard, waiting):
        """Runs a block; gives (value,) where it returns."""
        for tokens in f.blocks[b]:
            dest, r = None, Reader(self.module, tokens, 0)
            if r.peek(1) == "=":
                dest = r.next()
                r.next()
            r.words()
            op, where = r.next(), f.name[1:]
            if op == "phi":
                continue
            if op == "ret":
                return (None,) if r.peek() == "void" else (self.typed(r, env)[1],)
            if op in ("br", "switch"):
                self.branch(f, b, env, guard, waiting, self.targets(r, op, env))
                return None
            if op == "unreachable":
                self.oblige(guard, TRUE, f"unreachable code in {where}")
                return None
            handler = getattr(self, "do_" + op, None)
            if op in ARITHMETIC:
                result = self.arithmetic(op, r, env, guard, where)
            elif handler is None:
                raise Unsupported(f"{where}: instruction {' '.join(tokens)}")
            else:
                result = handler(r, env, guard, where)
            if dest:
                env[dest] = result
        return None

    def targets(self, r, op, env):
        """(condition, block) of a branch."""
        labels = [r.tokens[i + 1] for i, x in enumerate(r.tokens) if x == "label"]
        if len(labels) == 1 and op == "br":
            return [(TRUE, labels[0])]
        t, v = self.typed(r, env)
        if op == "br":
            return [(v, labels[0]), (not_(v), labels[1])]
        rest, by = TRUE, {}
        ends = [i for i, x in enumerate(r.tokens) if x == "label"][1:]
        for i in ends:
            c = eq(v, const(t[1], int(r.tokens[i - 2])))
            by[r.tokens[i + 1]] = or_(by.get(r.tokens[i + 1], FALSE), c)
            rest = and_(rest, not_(c))
        by[labels[0]] = or_(by.get(labels[0], FALSE), rest)
        return [(c, target) for target, c in by.items()]

    # ---- instructions

    def do_alloca(self, r, env, guard, where):
        return whole(Memory("a local", self.module.size(r.type()), guard))

    def do_load(self, r, env, guard, where):
        r.words()
        t = r.type()
        r.next()
        v = self.load(self.typed(r, env)[1], self.module.size(t), guard, where)
        return slice_(v, t[1] - 1, 0) if t[0] == "int" and t[1] < v.width else v

    def do_store(self, r, env, guard, where):
        r.words()
        t, v = self.typed(r, env)
        r.next()
        size = self.module.size(t)
        v = v if isinstance(v, Pointer) else zext(v, 8 * size)
        self.store(self.typed(r, env)[1], v, size, guard, where)

    def do_getelementptr(self, r, env, guard, where):
        r.words()
        t = r.type()
        r.next()
        return self.element(r, t, env)

    def do_bitcast(self, r, env, guard, where):
        return self.typed(r, env)[1]

    do_freeze = do_bitcast

    def _resized(self, how, r, env):
        v = self.typed(r, env)[1]
        r.next()
        return how(v, r.type()[1])

    def do_zext(self, r, env, guard, where):
        return self._resized(zext, r, env)

    def do_sext(self, r, env, guard, where):
        return self._resized(sext, r, env)

    def do_trunc(self, r, env, guard, where):
        return self._resized(lambda v, width: slice_(v, width - 1, 0), r, env)

    def do_icmp(self, r, env, guard, where):
        how, t = r.next(), r.type()
        a = self.value(r, t, env)
        r.next()
        b = self.value(r, t, env)
        if isinstance(a, Pointer):
            same = any_of(and_(and_(p, q), eq(i, j)) for p, m, i, _ in a.ways for q, n, j, _ in b.ways if m is n)
            return same if how == "eq" else not_(same)
        return COMPARE[how](a, b)

    def do_select(self, r, env, guard, where):
        c = self.typed(r, env)[1]
        r.next()
        a = self.typed(r, env)[1]
        r.next()
        return self.select(c, a, self.typed(r, env)[1])

    def arithmetic(self, op, r, env, guard, where):
        flags, t = r.words(), r.type()
        a = self.value(r, t, env)
        r.next()
        b = self.value(r, t, env)
        if op in ("shl", "lshr", "ashr"):
            self.oblige(guard, not_(ult(b, const(b.width, b.width))), f"shift too far in {where}")
        elif op in ("udiv", "urem", "sdiv", "srem"):
            self.oblige(guard, eq(b, const(b.width, 0)), f"division by 0 in {where}")
        if "nsw" in flags or op in ("sdiv", "srem"):
            self.oblige(guard, overflow(op, a, b), f"signed overflow in {where}")
        return ARITHMETIC[op](a, b)

    def do_extractvalue(self, r, env, guard, where):
        v = self.typed(r, env)[1]
        r.next()
        return v[int(r.next())]

    def do_insertvalue(self, r, env, guard, where):
        v = list(self.typed(r, env)[1])
        r.next()
        part = self.typed(r, env)[1]
        r.next()
        v[int(r.next())] = part
        return v

    def do_call(self, r, env, guard, where):
        r.words()
        r.argument_type()
        if r.peek() == "(":
            while r.next() != ")":
                pass
        name, args = r.next(), []
        r.next()
        while r.peek() != ")":
            args.append(self.typed(r, env)[1])
            r.skip(",")
        if name in self.module.functions:
            return self.call(name, args, guard)
        name = name[1:]
        if name == "__assert_fail":
            self.oblige(guard, TRUE, f"assert({text_at(args[0])}) in {where}")
            raise Stop
        if re.match(r"(llvm\.)?mem(cpy|move)\b", name):
            return self.copy(args[0], args[1], args[2], guard, where)
        if re.match(r"(llvm\.)?memset\b", name):
            if not is_const(args[2]):
                raise Unsupported(f"{where}: memset of a variable length")
            for k in range(args[2].key):
                self.store(self.moved(args[0], const(64, k)), slice_(args[1], 7, 0), 1, guard, where)
            return None
        if name in self.externals:
            return self.externals[name](self, args, guard)
        if re.match(r"llvm\.(lifetime|dbg|assume)", name):
            return None
        for prefix, make in INTRINSICS.items():
            if name.startswith("llvm." + prefix):
                if prefix in ("cttz", "ctlz") and is_true(args[1]):
                    self.oblige(guard, eq(args[0], const(args[0].width, 0)), f"zeros of 0 counted in {where}")
                return make(*args)
        raise Unsupported(f"{where}: call of {name}")


def text_at(pointer):
    """The C string that a constant pointer points to."""
    (_, memory, offset, _), = pointer.ways
    return bytes(b.key for b in memory.bytes[offset.key:]).split(b"\0")[0].decode()


def multiple_of_4(x):
    low = slice_(x, 1, 0)
    return is_const(low) and low.key == 0


def joined(guards):
    """What guards share, and the rest of each as one condition."""
    common = frozenset.intersection(*guards)
    return common, [guard_of(g - common) for g in guards]


def decided(c, guard, depth=4):
    """What a guard says of a condition: True, False, or None where it says nothing."""
    if c in guard:
        return True
    if not_(c) in guard:
        return False
    if c.op not in ("and", "or") or not depth:
        return None
    ways = [decided(a, guard, depth - 1) for a in c.args]
    strong = c.op == "or"
    return strong if strong in ways else not strong if ways == [not strong] * len(ways) else None


def under(v, guard):
    """A value read under a guard that decides its outermost multiplexers, or those of its parts."""
    while v.op == "ite":
        way = decided(v.args[0], guard)
        if way is None:
            break
        v = v.args[1] if way else v.args[2]
    return cat(*(under(part, guard) for part in v.args)) if v.op == "cat" else v
