# SPDX-License-Identifier: Apache-2.0
"""Structs: by value as arguments of kernels and functions, with padding, bit fields, unions, arrays, alignment.

Every union is written and read through members that cover all its bytes, so that no byte is read that was never written;
padding is never looked at.
"""
from text import BITS, INTS, Item

NARROW = ["u8", "s8", "u16", "s16"]


class Struct:
    """Its text, and its leaves: (what follows the variable's name, type, bits)."""

    def __init__(self, r, name, others, only_fields=False, more=()):
        self.name, self.leaves, lines, k = name, [], [], 0
        for k in range(r.randrange(2, 7)):
            kind = "field" if only_fields else r.choice(["scalar", "scalar", "field", "field", "array", "array2", "union", "nested", "real", *more])
            lines.append(getattr(self, f"{kind}_member")(r, f"m{k}", others))
        align = r.choice(["", "", "", "alignas(16) "]) if not only_fields else ""
        self.text = f"struct {align}{name} {{\n" + "".join(f"    {line}\n" for line in lines) + "};"

    def leaf(self, path, t, bits=None):
        self.leaves.append((path, t, bits or BITS[t]))

    def scalar_member(self, r, m, _):
        t = r.choice(INTS)
        self.leaf(f".{m}", t)
        return f"{r.choice(['', '', '', 'alignas(16) '])}{t} {m};"

    def real_member(self, r, m, _):
        t = r.choice(["f32", "f64"])
        self.leaf(f".{m}", t)
        return f"{t} {m};"

    def field_member(self, r, m, _):
        """Several, which may end a word together, and one that begins the next."""
        text = []
        for k in range(r.randrange(1, 4)):
            t = r.choice(INTS)
            bits = r.randrange(1, BITS[t] + 1)
            self.leaf(f".{m}{k}", t, bits)
            text.append(f"{t} {m}{k} : {bits};")
        if r.random() < 0.15:
            text.append("u32 : 0;")
        return " ".join(text)

    def array_member(self, r, m, _):
        t, n = r.choice(INTS), r.choice([2, 3, 4, 5])
        for i in range(n):
            self.leaf(f".{m}[{i}]", t)
        return f"{t} {m}[{n}];"

    def array2_member(self, r, m, _):
        t, n, w = r.choice(INTS), r.choice([2, 3]), r.choice([2, 3])
        for i in range(n):
            for j in range(w):
                self.leaf(f".{m}[{i}][{j}]", t)
        return f"{t} {m}[{n}][{w}];"

    def union_member(self, r, m, _):
        """The same bytes as one number and as several."""
        t = r.choice(["u32", "u64", "s64", "f32", "f64"])
        part = r.choice([p for p in INTS if BITS[p] < BITS[t]])
        n = BITS[t] // BITS[part]
        if t[0] == "f":  # a NaN's bits are no number's
            for i in range(n):
                self.leaf(f".{m}.part[{i}]", part)
        else:
            self.leaf(f".{m}.whole", t)
            self.leaf(f".{m}.part[{r.randrange(n)}]", part)
        return f"union {{ {t} whole; {part} part[{n}]; }} {m};"

    def holes_member(self, r, m, _):
        """Bytes that share their place with a struct that has padding, or with a number that covers fewer of them."""
        other, size = r.choice([("struct { u8 a; u32 b; } two", 8), ("struct { u16 a; u64 b; } two", 16), ("struct { u32 a; u8 b; } two", 8),
                                ("struct { u8 a; u16 b; u8 c; } three", 6), ("u64 whole", 12), ("u32 whole", 7), ("f64 whole", 11)])
        for i in range(size):
            self.leaf(f".{m}.raw[{i}]", "u8")
        return f"union {{ {other}; u8 raw[{size}]; }} {m};"

    def nested_member(self, r, m, others):
        if not others:
            return self.scalar_member(r, m, others)
        of = r.choice(others)
        n = r.choice([1, 1, 2])
        for i in range(n):
            at = f".{m}[{i}]" if n > 1 else f".{m}"
            for path, t, bits in of.leaves:
                self.leaf(at + path, t, bits)
        return f"{of.name} {m}[{n}];" if n > 1 else f"{of.name} {m};"

    def functions(self):
        """set(s, seed) writes all, get(s) makes one number of all."""
        sets = [f"    s{path} = ({t})mix(seed, {k});" if t[0] != "f" else f"    s{path} = ({t})(s32)mix(seed, {k}) / 16;"
                for k, (path, t, _) in enumerate(self.leaves)]
        gets = [f"    h = mix(h, bits_of(({t})s{path}));" for path, t, _ in self.leaves]
        return "\n".join([f"static inline HD void set({self.name} &s, u64 seed)", "{", *sets, "}",
                          f"static inline HD u64 get(const {self.name} &s)", "{", "    u64 h = 0;", *gets, "    return h;", "}"])


class Aggregates:
    """Of class Kernel."""

    def make_structs(self, count, only_fields, more=()):
        made = []
        for _ in range(count):
            s = Struct(self.r, self.name("S"), made, only_fields, more)
            made.append(s)
            self.helpers.append(Item(f"{s.text}\n{s.functions()}"))
        return made

    def begin_holes(self):
        self.begin_aggregate(["holes"])

    def begin_aggregate(self, more=()):
        """Some are the kernel's arguments, some variables; what they hold counts in the end."""
        r = self.r
        made = self.make_structs(r.randrange(1, 4), False, more)
        for k in range(r.randrange(1, 4)):
            s, name = r.choice(made), self.name("a")
            self.parameters.append((s.name, name, [f"{s.name} {name};", f"memset(&{name}, 0, sizeof {name});", f"set({name}, {self.seed + k}u);"]))
            self.structs.append((name, s))
            if r.random() < 0.3:
                t, n = r.choice(INTS), self.name("a")
                self.parameters.append((t, n, [f"{t} {n} = ({t})0x{r.getrandbits(64):x}ull;"]))
                self.starts.append(Item(f"v0 ^= (u32){n};"))
        for _ in range(r.randrange(1, 3)):
            s, name = r.choice(made), self.name("st")
            self.starts.append(Item(f"{s.name} {name};\nset({name}, in[threadIdx.x * INPUTS + 3]);"))
            self.structs.append((name, s))
        self.counted_in([s for s in self.structs if f"get({s[0]})" not in [e for e, _ in self.ends]])

    def begin_fields(self):
        """Variables of bit fields alone."""
        made, structs = self.make_structs(self.r.randrange(1, 3), True), []
        for s in made:
            name = self.name("b")
            self.starts.append(Item(f"{s.name} {name};\nset({name}, in[threadIdx.x * INPUTS + 2]);"))
            structs.append((name, s))
        self.fields = structs
        self.counted_in(structs)

    def counted_in(self, structs):
        """What they hold in the end is a value, too."""
        for name, _ in structs:
            self.ends.append((f"get({name})", name))

    def field_value(self, name, s):
        path, t, _ = self.r.choice(s.leaves)
        return f"(({t}){name}{path})", t

    def change_leaf(self, name, s):
        r = self.r
        path, t, bits = r.choice(s.leaves)
        if t[0] != "f" and t[0] == "u" and r.random() < 0.4:
            how = r.choice([f"{name}{path}++", f"{name}{path}--", f"{name}{path} += {self.expr(t, 1)}", f"{name}{path} ^= {self.expr(t, 1)}",
                            f"{name}{path} <<= {r.randrange(min(bits, 31))}", f"{name}{path} >>= {r.randrange(min(bits, 31))}"])
            return f"{how};"
        return f"{name}{path} = {self.expr(t, 1)};"

    def field_step(self, *_):
        r = self.r
        name, s = r.choice(self.fields)
        n, t = self.target()
        if r.random() < 0.5:
            return Item(self.change_leaf(name, s))
        e, of = self.field_value(name, s)
        return Item(f"{n} = {self.convert(e, of, t)};")

    def aggregate_step(self, *_):
        r = self.r
        name, s = r.choice(self.structs)
        n, t = self.target()
        k = r.random()
        if k < 0.3:
            return Item(self.change_leaf(name, s))
        if k < 0.6:
            e, of = self.field_value(name, s)
            return Item(f"{n} = {self.convert(e, of, t)};")
        arrays = [p for p, _, _ in s.leaves if p.endswith("[0]") and p.count("[") == 1 and ".part" not in p]
        if k < 0.7 and arrays:
            path = r.choice(arrays)
            of = next(t for p, t, _ in s.leaves if p == path)
            size = sum(p.startswith(path[:-2]) for p, _, _ in s.leaves)
            return Item(f"{n} = {self.convert(f'{name}{path[:-3]}[{self.leaf(chr(117) + str(32))} % {size}]', of, t)};")
        same = [other for other, of in self.structs if of is s and other != name]
        if k < 0.8 and same:
            return Item(f"{name} = {self.cond()} ? {r.choice(same)} : {name};")
        return Item(f"{name} = {self.by_value(s)}({name}, {self.expr('u64', 1)});")

    def by_value(self, s):
        """A function that takes and gives one by value."""
        path, t, _ = self.r.choice(s.leaves)
        change = self.of_function([("x", "u64")], lambda: self.change_leaf("s", s))
        lines = [f"    if (x & 1) s{path} = ({t})(u32)x;", f"    {change}", "    return s;"]
        if self.r.random() < 0.3:
            lines.insert(1, f"    if ((x & 6) == 2) {{ {s.name} other; set(other, x); return other; }}")
        return self.function(s.name, [f"{s.name} s", "u64 x"], lines)
