# SPDX-License-Identifier: Apache-2.0
"""Statements of one thread by itself: assignments, flow, memory, numbers of 16 bits, functions without a return."""
from text import BITS, INTS, Item, wrap


class Kinds:
    """Of class Kernel."""

    def target(self):
        """A variable that may be changed."""
        return self.r.choice([v for v in self.vars])

    def assign(self, *_):
        r = self.r
        n, t = self.target()
        e, op = self.expr(t), r.choice(["=", "=", "+", "-", "^"])
        if t[0] == "f":
            return Item(f"{n} = {e if op in '=^' else f'{n} {op} {e}'};")
        return Item(f"{n} = {e if op == '=' else wrap(t, n, op, e)};")

    # Flow
    def branch(self, lanes, together):
        parts = [(f"if ({self.cond()}) {{", self.inside(3))]
        if self.r.random() < 0.5:
            parts.append(("} else {", self.inside(3)))
        return Item(parts=parts, tail="}")

    def loop(self, lanes, together):
        """Each thread as often as it wants to; all together, sometimes."""
        r = self.r
        if self.loops >= 2:
            return self.assign()
        i, self.loops = self.name("i"), self.loops + 1
        same = together and r.random() < 0.4
        limit = str(r.randrange(1, 5)) if same else f"({self.leaf('u32')} & {r.choice([3, 7])})"
        step = r.choice([f"{i}++", f"{i}++", f"{i} += 2"])
        self.counters.append(i)
        items = self.inside(3, "FULL" if same else None, same)
        if not same and r.random() < 0.5:
            items.insert(r.randrange(len(items) + 1), Item(f"if ({self.cond()}) {r.choice(['break', 'continue'])};"))
        self.counters.remove(i)
        self.loops -= 1
        return Item(parts=[(f"for (u32 {i} = 0, e{i} = {limit}; {i} < e{i}; {step}) {{", items)], tail="}")

    def repeat(self, *_):
        """Until something holds, or some rounds are over."""
        i = self.name("n")
        items = [Item(f"{i}++;"), *self.inside(2)]
        return Item(f"u32 {i} = 0;", [("do {", items)], f"}} while ({i} < {self.r.randrange(2, 6)}u && {self.cond()});")

    def switch(self, *_):
        r = self.r
        cases = r.sample(range(8), r.randrange(2, 7))
        parts, head = [], f"switch ({self.expr('u32', 1)} & 7) {{ case {cases[0]}: {{"
        for k, case in enumerate(cases):
            parts.append((head, self.inside(2)))
            following = f"case {cases[k + 1]}: {{" if k + 1 < len(cases) else "default: ;"
            head = ("} " if r.random() < 0.3 else "} break; ") + following
        return Item(parts=parts, tail=head + " }")

    def function(self, gives, takes, lines, inline=None):
        """The name of a new device function of these lines."""
        name = self.name("fn")
        how = inline or self.r.choice(["__noinline__", "__forceinline__", ""])
        head = f"static __device__ {how} {gives} {name}({', '.join(takes)})"
        self.helpers.append(Item("\n".join([head, "{", *lines, "}"])))
        return name

    def of_function(self, variables, make):
        """What `make` gives in a function that has these variables alone."""
        kept = self.vars, self.counters, self.here
        self.vars, self.counters, self.here = variables, [], []
        made = make()
        self.vars, self.counters, self.here = kept
        return made

    def call(self, *_):
        """A function with early returns, or one that calls itself."""
        r = self.r
        a, b, gives = r.choice(INTS), self.any_type(), r.choice(INTS)
        n, t = self.target()
        e, c = self.of_function([("a", a), ("b", b)], lambda: ([self.expr(gives, 2) for _ in range(3)], [self.cond() for _ in range(2)]))
        lines = [f"    if ({c[0]}) return {e[0]};", f"    for (u32 i = 0; i < 5; i++) {{ if ({c[1]}) return ({gives})({e[1]} + i); a++; }}",
                 f"    return {e[2]};"]
        if r.random() < 0.4:
            lines.insert(1, f"    if (depth != 0) a = ({a})(SELF(({a}){e[1]}, b, depth - 1) + a);")
        name = self.function(gives, [f"{a} a", f"{b} b", "u32 depth"], lines, "__noinline__")
        self.helpers[-1].text = self.helpers[-1].text.replace("SELF", name)
        return Item(f"{n} = {self.convert(f'{name}({self.expr(a, 1)}, {self.expr(b, 1)}, {r.randrange(4)})', gives, t)};")

    def leave(self, *_):
        """Out of two loops at once."""
        i, at = self.name("i"), self.name("out")
        self.counters += [i, f"j{i}"]
        items = [*self.inside(2), Item(f"if ({self.cond()}) goto {at};")]
        self.counters = self.counters[:-2]
        head = f"for (u32 {i} = 0; {i} < 3; {i}++) for (u32 j{i} = 0; j{i} < ({self.leaf('u32')} & 3); j{i}++) {{"
        return Item(parts=[("{", [Item(parts=[(head, items)], tail="}")])], tail=f"}} {at}:;")

    # Memory
    def begin_memory(self):
        r = self.r
        self.local = (r.choice(INTS), r.choice([4, 8]))
        self.starts.append(Item(f"{self.local[0]} local[{self.local[1]}];\nfor (u32 i = 0; i < {self.local[1]}; i++) "
                                f"local[i] = ({self.local[0]})in[threadIdx.x * INPUTS + i];"))
        self.starts.append(Item("alignas(16) u8 raw[32];\nmemcpy(raw, in + threadIdx.x * INPUTS + 4, 32);"))
        self.shared.append(Item("__shared__ u64 words[THREADS];\nwords[threadIdx.x] = in[threadIdx.x * INPUTS + 5];\n__syncthreads();"))
        numbers = ", ".join(f"0x{r.getrandbits(16):x}" for _ in range(16))
        self.helpers.append(Item(f"{r.choice(['__constant__', '__device__'])} const u16 numbers[16] = {{{numbers}}};"))

    def local_array(self, *_):
        (t, size), r = self.local, self.r
        if r.random() < 0.5:
            return Item(f"local[{self.expr('u32', 1)} & {size - 1}] = {self.expr(t, 1)};")
        n, to = self.target()
        index = self.expr("u32", 1)
        return Item(f"{n} = {self.convert(f'local[{index} & {size - 1}]', t, to)};")

    def bytes(self, *_):
        """A number of any type at any address of bytes."""
        r = self.r
        t, n = r.choice(INTS), self.name("w")
        v, to = self.target()
        at = f"raw + ({self.expr('u32', 1)} & {r.choice([7, 15, 15 & -(BITS[t] // 8)])})"
        back = f" memcpy({at}, &{n}, sizeof {n});" if r.random() < 0.6 else ""
        return Item(f"{{ {t} {n}; memcpy(&{n}, {at}, sizeof {n}); {v} = {self.convert(n, t, to)}; {n} = {self.expr(t, 1)};{back} }}")

    def table(self, *_):
        n, t = self.target()
        entry = f"numbers[{self.leaf('u32')} & 15]"
        return Item(f"{n} = {self.convert(entry, 'u16', t)};")

    def pointer(self, *_):
        """A word of this thread, in a memory that is known at run time only."""
        r = self.r
        p = self.name("p")
        n, t = self.target()
        places = ["&words[threadIdx.x]", "out + threadIdx.x * WIDTH", f"(u64 *)(raw + 8 * ({self.leaf('u32')} & 3))"]
        r.shuffle(places)
        choice = f"{self.cond()} ? {places[0]} : {self.cond()} ? {places[1]} : {places[2]}".replace("WIDTH", str(len(self.values())))
        return Item(f"{{ u64 *{p} = {choice}; *{p} {r.choice(['=', '+=', '^='])} {self.expr('u64', 1)}; {n} = {self.convert('*' + p, 'u64', t)}; }}")

    def exchange(self, *_):
        """Another thread's word, between barriers."""
        n, t = self.target()
        mine = self.expr("u64", 1)
        other = f"words[({self.expr('u32', 1)}) % THREADS]"
        return Item(f"words[threadIdx.x] = {mine};\n__syncthreads();\n{n} = {self.convert(other, 'u64', t)};\n__syncthreads();")

    # Numbers of 16 bits
    def half(self, *_):
        r = self.r
        n, t = self.target()
        name, mantissa = r.choice([("half", 10), ("bfloat16", 7)])

        def number():
            return r.choice([lambda: f"__float2{name}_rn({self.expr('f32', 1)})", lambda: f"__double2{name}({self.expr('f64', 1)})",
                             lambda: f"__int2{name}_rn({self.expr('s32', 1)})", lambda: f"__uint2{name}_rn({self.expr('u32', 1)})",
                             lambda: f"__ushort_as_{name}({self.expr('u16', 1)})"])()
        h = number()
        if r.random() < 0.4:
            h = f"__h{r.choice(['add', 'sub', 'mul'])}({h}, {number()})"
        if r.random() < 0.5:
            return Item(f"{n} = {self.convert(f'bits_of(__{name}2float({h}))', 'u32', t)};")
        return Item(f"{n} = {self.convert(f'one_nan(__{name}_as_ushort({h}), {mantissa})', 'u16', t)};")

    # Functions without a return
    def no_return(self, *_):
        """Nobody uses the value of a function that has none on one path."""
        r = self.r
        n, t = r.choice([v for v in self.vars if v[1][0] != "f"])
        a = self.name("a")
        value = r.choice(["s32", "u64", "f32"])
        name = self.function(value, [f"{t} *p", f"{t} x"],
                             [f"    if (x {r.choice(['< 5', '== 3', '> 100'])}) return ({value}){r.randrange(9)};",
                              f"    *p = {wrap(t, '*p', r.choice('+-^'), 'x')};", f"    NO_RETURN(({value})0);"])
        return Item(f"{{ {t} {a} = {n}; {name}(&{a}, {self.expr(t, 1)}); {n} = {a}; }}")
