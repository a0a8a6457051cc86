# SPDX-License-Identifier: Apache-2.0
"""Reads LLVM 14 IR as text (opaque pointers): types and their layout, globals, functions as tokens.

Types are tuples: ("int", bits), ("ptr",), ("array", count, of), ("struct", fields, packed),
("name", "%struct.x"), ("void",).
"""
import functools
import re

from formal.cfg import Flow
from formal.graph import const, ones

TOKEN = re.compile(r'c"[^"]*"|[%@]"[^"]*"|[%@][-\w.$]+|"[^"]*"|![\w.]*|#\d+|\.\.\.|-?[\w.$]+|[][(){},=*<>]')
COMMENT = re.compile(r'^((?:[^";]|"[^"]*")*);.*')
# Words that change nothing of a value.
WORDS = frozenset("""noundef zeroext signext nonnull nocapture readonly writeonly noalias immarg returned inreg
    readnone inbounds nuw nsw exact tail notail musttail volatile nofree nest fastcc dso_local""".split())


class Unsupported(Exception):
    """The IR holds something that this reader does not know."""


class Memory:
    """An object: bytes as nodes, None where nothing was written; guard: where it came to be."""

    def __init__(self, name, size, guard=frozenset(), data=None, constant=False):
        self.name, self.size, self.guard, self.constant = name, size, guard, constant
        self.bytes = data if data is not None else [None] * size


class Function:
    """Name, arguments (name, byval type or None), blocks of instructions (lists of tokens), flow."""

    def __init__(self, name, args):
        self.name, self.args, self.blocks, self.order = name, args, {}, []

    def close(self):
        self.flow = Flow(self.order, {b: self.targets(b) for b in self.order},
                         {b for b in self.order if self.blocks[b][-1][0] == "unreachable"})

    def targets(self, block):
        last = self.blocks[block][-1]
        return [last[i + 1] for i, x in enumerate(last) if x == "label"] if last[0] in ("br", "switch") else []


def kept(method):
    """The method, each answer of which is worked out once: types stay as they are."""
    @functools.wraps(method)
    def answer(self, *args):
        key = (method.__name__, *args)
        if key not in self.answers:
            self.answers[key] = method(self, *args)
        return self.answers[key]
    return answer


class Module:
    def __init__(self, text):
        self.types, self.functions, self.memory, self._globals, self.answers = {}, {}, {}, {}, {}
        function = block = None
        for line in text.split("\n"):
            line = COMMENT.sub(r"\1", line).rstrip()
            if line.startswith("%") and " = type " in line:
                name, body = line.split(" = type ")
                self.types[name] = body
            elif line.startswith("@"):
                self._globals[line.split(" ", 1)[0]] = line
            elif line.startswith("define"):
                function, block = self._header(TOKEN.findall(line)), None
            elif line == "}":
                function.close()
            elif re.match(r'^[-\w.$"]+:', line):
                block = "%" + line.split(":")[0]
                function.blocks[block] = []
                function.order.append(block)
            elif line.startswith("  "):
                if block is None:  # the entry has the next free number as its name
                    block = f"%{len(function.args)}"
                    function.blocks[block] = []
                    function.order.append(block)
                if line.strip().startswith("]") or re.match(r"\s+i\d+ -?\d+, label", line):
                    function.blocks[block][-1] += TOKEN.findall(line)  # a switch goes on
                else:
                    function.blocks[block].append(TOKEN.findall(line))

    def _header(self, tokens):
        at = next(i for i, x in enumerate(tokens) if x[0] == "@")
        reader, args = Reader(self, tokens, at + 2), []
        while reader.peek() != ")":
            _, byval = reader.argument_type()
            args.append((reader.next(), byval))
            reader.skip(",")
        self.functions[tokens[at]] = Function(tokens[at], args)
        return self.functions[tokens[at]]

    def resolve(self, t):
        if t[0] != "name":
            return t
        if isinstance(self.types[t[1]], str):
            self.types[t[1]] = Reader(self, TOKEN.findall(self.types[t[1]]), 0).type()
        return self.types[t[1]]

    @kept
    def size(self, t):
        t = self.resolve(t)
        if t[0] == "int":
            return max(1, 1 << (t[1] - 1).bit_length() >> 3)
        if t[0] == "ptr":
            return 8
        if t[0] == "array":
            return t[1] * self.size(t[2])
        end = 0
        for k in range(len(t[1])):
            end = self.field(t, k)[0] + self.size(t[1][k])
        align = self.align(t)
        return (end + align - 1) // align * align

    @kept
    def align(self, t):
        t = self.resolve(t)
        if t[0] == "array":
            return self.align(t[2])
        if t[0] == "struct":
            return 1 if t[2] else max([self.align(x) for x in t[1]] or [1])
        return self.size(t)

    @kept
    def field(self, t, index):
        """Offset and type of a field."""
        t, at = self.resolve(t), 0
        for i, x in enumerate(t[1]):
            align = 1 if t[2] else self.align(x)
            at = (at + align - 1) // align * align
            if i == index:
                return at, x
            at += self.size(x)
        raise Unsupported(f"field {index} of {t}")

    def places(self, t, at=0):
        """Offsets of the bytes that hold a value: all but what pads a struct, which C leaves open."""
        t = self.resolve(t)
        if t[0] == "array":
            for k in range(t[1]):
                yield from self.places(t[2], at + k * self.size(t[2]))
        elif t[0] == "struct":
            for k in range(len(t[1])):
                offset, of = self.field(t, k)
                yield from self.places(of, at + offset)
        else:
            yield from range(at, at + self.size(t))

    def declared(self, name):
        """The type of a global, and a reader of its initializer."""
        body = re.split(r" (?:constant|global) ", self._globals[name], 1)[1]
        reader = Reader(self, TOKEN.findall(body), 0)
        return reader.type(), reader

    def object(self, name):
        """The memory of a global, made when first asked for."""
        if name not in self.memory:
            (t, reader), data = self.declared(name), []
            reader.initializer(t, data)
            self.memory[name] = Memory(name, self.size(t), data=[const(8, x) for x in data],
                                       constant=" constant " in self._globals[name])
        return self.memory[name]


class Reader:
    """A place in a list of tokens."""

    def __init__(self, module, tokens, at):
        self.module, self.tokens, self.at = module, tokens, at

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def skip(self, token):
        if self.peek() == token:
            self.at += 1

    def words(self):
        """Passes over words without meaning, and gives them."""
        found = set()
        while self.peek() in WORDS:
            found.add(self.next())
        return found

    def type(self):
        x = self.next()
        if x == "[":
            count = int(self.next())
            self.next()
            of = self.type()
            self.next()
            return ("array", count, of)
        if x == "<" and self.peek() == "{":
            t = self.type()
            self.next()
            return ("struct", t[1], True)
        if x == "{":
            fields = []
            while self.peek() != "}":
                fields.append(self.type())
                self.skip(",")
            self.next()
            return ("struct", tuple(fields), False)
        if x[0] == "%":
            return ("name", x)
        if x in ("ptr", "void"):
            return (x,)
        if re.fullmatch(r"i\d+", x):
            return ("int", int(x[1:]))
        raise Unsupported(f"type {x}")

    def argument_type(self):
        """The type, and the type of the copy where it is passed by value."""
        t, byval = self.type(), None
        while True:
            x = self.peek()
            if x in WORDS:
                self.next()
            elif x in ("byval", "sret", "elementtype"):
                self.at += 2
                of = self.type()
                self.next()
                byval = of if x == "byval" else byval
            elif x in ("align", "dereferenceable", "dereferenceable_or_null"):
                self.at += 4 if self.peek(1) == "(" else 2
            else:
                return t, byval

    def initializer(self, t, data):
        """Appends the bytes of a constant."""
        t, x = self.module.resolve(t), self.next()
        base, size = len(data), self.module.size(t)
        if x.startswith('c"'):
            data += [int(m[1:], 16) if len(m) == 3 else ord(m) for m in re.findall(r"\\..|.", x[2:-1])]
        elif x in ("[", "{", "<"):
            if x == "<":
                self.next()
            index = 0
            while self.peek() not in ("]", "}"):
                of = self.type()
                if t[0] == "struct":
                    data += [0] * (base + self.module.field(t, index)[0] - len(data))
                self.initializer(of, data)
                index += 1
                self.skip(",")
            self.next()
            if x == "<":
                self.next()
            data += [0] * (base + size - len(data))
        elif x in ("zeroinitializer", "null", "undef"):
            data += [0] * size
        else:
            value = {"true": 1, "false": 0}.get(x)
            value = int(x) if value is None else value
            data += list((value & ones(8 * size)).to_bytes(size, "little"))
