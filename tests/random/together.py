# SPDX-License-Identifier: Apache-2.0
"""Statements of random kernels about warps, barriers by number, calls and addresses (ops.h)."""

HALF = ["f32_half", "f32_half_rz", "f64_half", "u32_half", "half_add", "half_mul"]
REDUX = ["add", "umin", "umax", "smin", "smax", "and", "or", "xor"]
TABLES = [("ct", 64, "u32"), ("gt", 64, "u16"), ("wt", 16, "u64")]


class Together:
    """Of class Kernel. `lanes` names the lanes that are together here, None where that is open."""

    def value_u32(self, what):
        """Puts a u32 expression into a variable of any type."""
        n, t = self.r.choice(self.vars)
        self.put(f"{n} {self.r.choice(['=', '+='])} {self.convert(f'({what})', 'u32', t)};")

    def warp(self):
        r, m = self.r, self.lanes
        v, k = self.expr("u32", 1), r.randrange(10)
        if k < 4:
            kind = r.choice(["up", "down", "bfly", "idx"])
            width = r.choice([32, 32, 16, 8, 4, 2])
            c = (32 - width) << 8 | (0 if kind == "up" else 31)
            c = r.choice([str(c), str(c), f"({self.int_leaf()} & 0x1f1f)"])
            b = r.choice([str(r.randrange(32)), self.int_leaf()])
            return self.value_u32(f"shfl_{kind}({m}, {v}, {b}, {c})")
        if k == 4:
            return self.value_u32(f"ballot({m}, {self.cond()})")
        if k == 5:
            return self.value_u32(f"vote_{r.choice(['all', 'any', 'uni'])}({m}, {self.cond()})")
        if k == 6:
            return self.value_u32(f"match_any32({m}, {v} & {r.choice([1, 3, 0x10])})")
        if k == 7:
            call = r.choice([f"match_any64({m}, {self.expr('u64', 1)} & 0x100000001ull)",
                             f"match_all32({m}, {v} & 4)",
                             f"match_all64({m}, {self.expr('u64', 1)} >> 63)"])
            return self.value_u32(call)
        if k == 8:
            return self.value_u32(f"redux_{r.choice(REDUX)}({m}, {v})")
        return self.value_u32(f"active({m})")

    def group(self):
        """The lanes of a warp for which a condition holds, together."""
        g, kept = self.name_new("g"), self.lanes
        self.put(f"u32 c{g} = {self.cond()};")
        self.put(f"u32 {g} = ballot({kept}, c{g});")
        self.put(f"if (c{g}) {{")
        self.lanes = g
        self.depth += 1
        self.warp()
        self.depth -= 1
        self.lanes = g
        self.block(False, self.r.randrange(1, 3), g)
        if self.r.random() < 0.4:
            self.put("} else {")
            self.put(f"    {g} = {kept} & ~{g};")
            self.block(False, self.r.randrange(1, 3), g)
        self.lanes = kept
        self.put("}")

    def numbered(self):
        """Warps below and from `half` on: barriers of their own, or one arrives and one waits."""
        r = self.r
        half = 32 * r.randrange(1, (self.threads + 31) // 32)
        low, x, y = f"(live < {half}u ? live : {half}u)", self.int_leaf(), self.int_leaf()
        first, second = r.sample(range(1, 16), 2)
        n, t = r.choice(self.vars)
        self.put(f"sh[tid] = {self.expr('u32')};")
        self.put(f"if (tid < {half}u) {{")
        if r.random() < 0.5:
            self.put(f"    bar_sync({first}, {low}, {low});")
            self.put(f"    {n} = {self.convert(f'sh[{x} % {low}]', 'u32', t)};")
            self.put("} else {")
            self.put(f"    bar_sync({second}, live - {half}u, live - {half}u);")
            high = f"sh[{half} + {y} % (live - {half}u)]"
            self.put(f"    {n} = {self.convert(high, 'u32', t)};")
        else:
            self.put(f"    bar_arrive({first}, live, live);")
            self.put("} else {")
            self.put(f"    bar_sync({first}, live, live);")
            self.put(f"    {n} = {self.convert(f'sh[{x} % {low}]', 'u32', t)};")
        self.put("}")
        self.put("__syncthreads();")

    def last_words(self):
        """Warps below `half` leave without waiting for those that read what they say."""
        half = 32 * self.r.randrange(1, (self.threads + 31) // 32)
        low, number = f"(live < {half}u ? live : {half}u)", self.r.randrange(1, 16)
        self.put(f"sh[tid] = {self.expr('u32')};")
        self.put(f"if (tid < {half}u) {{")
        self.put(f"    bar_arrive({number}, live, live);")
        self.put("    return;")
        self.put("}")
        self.put(f"bar_sync({number}, live, live);")
        self.put(f"mine[{self.r.randrange(8)}] += sh[{self.int_leaf()} % {low}];")

    def reduced(self):
        self.value_u32(f"bar_{self.r.choice(['popc', 'and', 'or'])}({self.cond()})")

    def tangle(self):
        """Jumps between three places: a loop with two entries, which no loop statement gives."""
        a, fuel = self.name_new("t"), self.r.randrange(2, 9)
        self.put(f"u32 {a} = {fuel};")
        self.put(f"if ({self.cond()}) goto {a}b;")
        self.put(f"{a}a:")
        self.put("{")
        self.block(False, 1)
        self.put("}")
        self.put(f"if (--{a} == 0 || {self.cond()}) goto {a}c;")
        self.put(f"{a}b:")
        self.put("{")
        self.block(False, self.r.randrange(1, 3))
        self.put("}")
        self.put(f"if (--{a} != 0 && {self.cond()}) goto {a}a;")
        self.put(f"{a}c:;")

    def address(self):
        """A word of this thread in a space that is known at run time only."""
        r = self.r
        places = [f"(u32 *)mine + ({self.int_leaf()} & 15)"]
        if self.words:
            places.append("&sh[tid]")
        if self.local and self.local_type == "u32":
            places.append(f"&la[{self.int_leaf()} & {self.local - 1}]")
        e = r.choice(places)
        for _ in range(r.randrange(3)):
            e = f"({self.cond(0)} ? {r.choice(places)} : {e})"
        return e

    def anywhere(self):
        """A load, store or atomic of this thread's own word, through an address of any space."""
        r = self.r
        a, k = self.name_new("a"), r.randrange(3)
        n, t = r.choice(self.vars)
        self.put(f"u32 *{a} = {self.address()};")
        if k == 0:
            self.put(f"*{a} {r.choice(['=', '+=', '^='])} {self.expr('u32', 1)};")
        self.put(f"{n} = {self.convert(f'*{a}', 'u32', t)};")

    def old(self):
        """An atomic of a word of this thread alone, whose old value is used."""
        r = self.r
        n, t = r.choice(self.vars)
        k = r.randrange(6)
        if k < 2:
            w = f"(u32 *)mine + ({self.int_leaf()} & 15)"
            if self.words and r.random() < 0.5:
                w = "&sh[tid]"
            e = r.choice([f"swap_u32({w}, {self.expr('u32', 1)})",
                          f"old_inc({w}, {self.expr('u32', 1)})",
                          f"old_dec({w}, {self.expr('u32', 1)})",
                          f"cas_u32({w}, {self.int_leaf()}, {self.expr('u32', 1)})"])
            return self.put(f"{n} = {self.convert(e, 'u32', t)};")
        w = f"mine + ({self.int_leaf()} & 7)"
        if k == 2:
            e = f"cas_u64({w}, {r.choice(['0', self.leaf('u64')])}, {self.expr('u64', 1)})"
        else:
            name = r.choice(["swap_u64", "old_umin64", "old_smax64", "old_and64", "old_or64",
                             "old_xor64", "old_add64"])
            e = f"{name}({w}, {self.expr('u64', 1)})"
        return self.put(f"{n} = {self.convert(e, 'u64', t)};")

    def half(self):
        r = self.r
        h = self.name_new("h")
        k = r.randrange(6)
        arg = self.expr({0: "f32", 1: "f32", 2: "f64" if self.doubles else "f32"}.get(k, "u32"), 1)
        if k >= 4:
            arg = f"({arg} & 0xffff), {self.int_leaf()} & 0xffff"
        self.put(f"u32 {h} = {HALF[k]}({arg});")
        n, t = r.choice(self.vars)
        e = r.choice([(h, "u32"), (f"half_f32({h})", "f32"), (f"half_s32({h})", "u32"),
                      (f"half_f64({h})", "f64" if self.doubles else "f32")])
        self.put(f"{n} = {self.convert(e[0], e[1], t)};")

    def table(self):
        name, size, t = self.r.choice(TABLES)
        e = f"{name}[{self.int_leaf()} & {size - 1}]"
        if self.r.random() < 0.3:
            e, t = f"pt[{self.int_leaf()} & 3][{self.int_leaf()} & 15]", "u16"
        n, to = self.r.choice(self.vars)
        self.put(f"{n} = {self.convert(e, t, to)};")

    def call(self):
        r = self.r
        k = r.random()
        if self.functions and k < 0.6:
            f = r.choice(self.functions)
            args = ["in", "mine", "acc", "acc64", "n", "tid", "gid", "p0", "p1", "p2", "p3"]
            args += [self.expr(t, 1) for t in f.takes] + [self.address()]
            n, t = r.choice(self.vars)
            e = f"{f.name}({', '.join(args)})"
            return self.put(f"{n} = {self.convert(e, f.gives, t)};")
        if k < 0.7:
            return self.value_u32(f"recurse({self.int_leaf()} & 3, {self.int_leaf()})")
        if k < 0.82:
            a, b = self.int_leaf(), self.int_leaf()
            return self.value_u32(f"mix_of({self.int_leaf()})({a}, {b})")
        if k < 0.95:
            return self.value_u32(f"table_jump({self.int_leaf()}, {self.int_leaf()})")
        q = self.name_new("q")
        four = ", ".join(self.int_leaf() for _ in range(4))
        self.put(f"quad {q} = {{{four}}};")
        self.put(f"pair p{q} = {{{self.int_leaf()}, {self.int_leaf()}}};")
        self.put(f"{q} = twist({q}, p{q}, {self.int_leaf()});")
        return self.value_u32(f"{q}.x ^ {q}.y * 3 ^ {q}.z * 5 ^ {q}.w")


def tables(r):
    """The text of the tables that kernels read."""
    text = ""
    for name, size, t in TABLES:
        bits = int(t[1:])
        values = ", ".join(f"0x{r.getrandbits(bits):x}{'ull' if bits > 32 else ''}"
                           for _ in range(size))
        text += f"{'CONSTANT' if name == 'ct' else 'TABLE'} {t} {name}[{size}] = {{{values}}};\n"
    starts = ", ".join(f"gt + {r.randrange(48)}" for _ in range(4))
    return text + f"TABLE u16 *const pt[4] = {{{starts}}};\n"
