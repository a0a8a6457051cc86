# SPDX-License-Identifier: Apache-2.0
"""Random kernels: text that means the same on device and host (rig.h), and a launch plan.

No run-time behaviour is left open: integers wrap (computed unsigned), shifts and indices are
masked, divisors are never zero, shared memory is read only where a barrier has been since the
write, atomics of one cell are all of one commuting kind. Barriers stand where all threads of a
block that still live pass (Block.uniform); an early return may end some of them before.
"""
import random

from together import Together, tables

INTS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
TYPES = ["u32"] * 5 + ["s32"] * 4 + ["u64", "s64", "f32", "f32", "f64", "u8", "s8", "u16", "s16"]
BLOCKS = [(8, 8), (16, 16), (32, 8), (33, 1), (100, 1), (7, 9), (1024, 1), (64, 1), (1, 1),
          (32, 1), (5, 3, 7), (16, 2, 4), (256, 1), (31, 2), (4, 40)]
IN_WORDS, CELLS, OUT = 1024, 16, 8
VECTORS = [("quad", "u32", 4), ("pair", "u32", 2), ("bytes", "u8", 4), ("twobytes", "u8", 2),
           ("halves", "u16", 4), ("twohalves", "u16", 2), ("longs", "u64", 2)]
ATOMS = ["add", "xor", "and", "or", "umax", "smin", "inc", "float"]
BITS = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64}
EDGES = [0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 127, 128, 255, 256, 32767, 65535, 0x7fffffff,
         0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
         0xffffffffffffffff]


class Kernel(Together):
    """The text of one kernel."""

    def __init__(self, rng, name, threads, size, functions=()):
        self.r, self.name, self.threads, self.functions = rng, name, threads, functions
        self.budget, self.depth, self.loops, self.names = size, 0, 0, 0
        self.vars, self.counters, self.uniforms = [], [], ["n", "blockIdx.x", "blockIdx.y", "p0"]
        self.lines, self.switches, self.lanes, self.words = [], 0, None, False
        self.local = rng.choice([0, 0, 4, 16])
        self.local_type = rng.choice(["u32", "u32", "u8", "u16", "u64"])
        self.shared = rng.choice(["none", "fixed", "fixed", "dynamic"])
        self.doubles = rng.random() < 0.4
        self.small = rng.choice(["u8", "s8", "u16", "s16"])
        self.write()

    def pick_type(self):
        t = self.r.choice(TYPES)
        return t if self.doubles or t != "f64" else "f32"

    def name_new(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def put(self, text):
        self.lines.append("    " * (self.depth + 1) + text)

    @staticmethod
    def wrap(t, a, op, b):
        """a op b that wraps in every compiler's C."""
        if t in BITS:
            u = "u64" if BITS[t] == 64 else "u32"
            return f"(({t})(({u}){a} {op} ({u}){b}))"
        return f"({a} {op} {b})"

    # Expressions
    def constant(self, t):
        r = self.r
        if t == "f32":
            return r.choice(["0.0f", "1.0f", "-1.5f", "0.1f", "3e10f", "-7e-3f", "1e-40f",
                             "255.5f"])
        if t == "f64":
            return r.choice(["0.0", "1.0", "-2.5", "0.1", "3e100", "-7e-3", "1e10"])
        v = r.choice(EDGES) if r.random() < 0.5 else r.getrandbits(r.choice([3, 8, 16, 32, 64]))
        return f"(({t})0x{v & (1 << BITS[t]) - 1:x}ull)"

    def leaf(self, t):
        r = self.r
        same = [n for n, vt in self.vars if vt == t]
        k = r.random()
        if same and k < 0.5:
            return r.choice(same)
        if self.vars and k < 0.75:
            n, vt = r.choice(self.vars)
            return self.convert(n, vt, t)
        if k < 0.85:
            return self.constant(t)
        if k < 0.9:
            return self.convert(r.choice(["p0", "p1", "p2", "p3"]), None, t)
        if k < 0.95:
            index = f"({self.int_leaf()} & {IN_WORDS - 1})"
            return self.convert(f"in[{index}]", "u32", t)
        return self.convert(r.choice(["tid", "gid", "n", "threadIdx.x", "blockIdx.x"]
                                     + self.counters), "u32", t)

    def int_leaf(self):
        return self.leaf("u32")

    def convert(self, e, src, dst):
        src = src or {"p0": "u32", "p1": "u64", "p2": "f32", "p3": "f64"}[e]
        r = self.r
        if src == dst:
            return e
        if src in BITS and dst in BITS:
            return f"(({dst})({e}))"
        if dst in BITS:
            if src == "f32":
                f = r.choice(["bits32", "bits32", "f32_s32", "f32_s32n", "f32_u32", "f32_s64"])
            else:
                f = r.choice(["bits64", "bits64", "f64_s32", "f64_u32", "f64_s64", "f64_u64"])
            return f"(({dst}){f}({e}))"
        if src in BITS:
            if dst == "f32" and r.random() < 0.15:
                return f"from32((u32)({e}))"
            if dst == "f64" and r.random() < 0.15:
                return f"from64((u64)({e}))"
            return f"(({dst})({e}))"
        return f"(({dst})({e}))"

    def expr(self, t, depth=None):
        r = self.r
        depth = r.choice([1, 1, 2, 2, 3]) if depth is None else depth
        if depth <= 0:
            return self.leaf(t)
        a, b = self.expr(t, depth - 1), self.expr(t, depth - 1 - (r.random() < 0.5))
        if t in ("f32", "f64"):
            w = t[1:]
            k = r.randrange(14)
            if k < 6:
                return f"({a} {r.choice('+-*+-*/')} {b})"
            if k == 6:
                return f"fma{w}({a}, {b}, {self.leaf(t)})"
            if k == 7:
                return f"{r.choice(['min', 'max'])}{w}({a}, {b})"
            if k == 8:
                return f"sqrt{w}({a})"
            if k == 9:
                return f"floor{w}({a})"
            if k == 10:
                return f"({self.cond()} ? {a} : {b})"
            if k == 11:
                return f"(-({a}))"
            if t == "f32":
                return r.choice([f"add_rz({a}, {b})", f"mul_rp({a}, {b})", f"div_rm({a}, {b})",
                                 f"ceil32({a})", f"trunc32({a})"])
            return self.converted(t, depth)
        k = r.randrange(22)
        if k < 7:
            return self.wrap(t, a, r.choice(["+", "-", "*", "+", "&", "|", "^"]), b)
        if k == 7:
            if t[0] == "s":
                return f"(({t})({a} {r.choice('/%')} (({b} & 0x3f) + 1)))"
            return f"(({t})({a} {r.choice('/%')} ({b} | 1)))"
        if k == 8:
            return f"(({t})({a} / {r.choice([2, 3, 7, 10, 16, 100, 127])}))"
        if k == 9:
            return f"(({t})({a} % {r.choice([2, 3, 7, 10, 16, 100, 127])}))"
        if k in (10, 11):
            n = r.choice([f"({self.int_leaf()} & {BITS[t] - 1})", str(r.randrange(BITS[t]))])
            return self.wrap(t, a, "<<", n) if r.random() < 0.5 else f"(({t})({a} >> {n}))"
        if k == 12:
            return f"({self.cond()} ? {a} : {b})"
        if k == 13:
            return f"({a} {r.choice('<>')} {b} ? {a} : {b})"
        if k == 14:
            return f"(({t})(~{a}))" if r.random() < 0.5 else self.wrap(t, "0", "-", a)
        if k == 15 and BITS[t] >= 32:
            return f"(({t})mulhi_{t}({a}, {b}))"
        if k == 16 and BITS[t] == 32:
            return f"(({t}){r.choice(['clz32', 'ctz32', 'popc32', 'brev32', 'swap32'])}({a}))"
        if k == 16 and BITS[t] == 64:
            return f"(({t}){r.choice(['clz64', 'popc64', 'brev64'])}({a}))"
        if k == 17 and BITS[t] >= 32:
            # clang 14 drops the mask of a 64-bit rotation's variable amount.
            n = self.int_leaf() if BITS[t] == 32 else r.randrange(64)
            return f"(({t})rot{BITS[t]}({a}, {n}))"
        if k == 18:
            return f"(({t})({self.cond()}))"
        if k == 19 and BITS[t] == 32:
            return f"(({t})fun32({a}, {b}, {self.int_leaf()}))"
        if k == 20 and self.local:
            return self.convert(f"la[{self.int_leaf()} & {self.local - 1}]", self.local_type, t)
        return self.converted(t, depth)

    def converted(self, t, depth):
        of = self.r.choice([x for x in TYPES if x != t and (self.doubles or x != "f64")])
        return self.convert(self.expr(of, depth - 1), of, t)

    def cond(self, depth=1):
        r = self.r
        k = r.random()
        if depth > 0 and k < 0.25:
            return f"({self.cond(depth - 1)} {r.choice(['&&', '||'])} {self.cond(depth - 1)})"
        if k < 0.45:
            return f"({r.choice(['tid', 'gid'])} {r.choice(['<', '>', '>=', '=='])} " \
                   f"{r.randrange(self.threads + 1)}u)"
        if k < 0.65:
            return f"(({self.int_leaf()} >> {r.randrange(8)}) & 1)"
        if k < 0.7:
            return f"(!({self.leaf(r.choice(INTS))}))"
        t = self.pick_type()
        return f"({self.leaf(t)} {r.choice(['<', '>', '<=', '>=', '==', '!='])} {self.leaf(t)})"

    def uniform_cond(self):
        r = self.r
        return f"(({r.choice(self.uniforms)} + {r.randrange(4)}) & {r.choice([1, 2, 3])})"

    # Statements
    def assign(self):
        if not self.vars or (self.r.random() < 0.2 and self.depth == 0 and len(self.vars) < 24):
            t, n = self.pick_type(), self.name_new("v")
            e = self.expr(t)
            self.put(f"{t} {n} = {e};")
            self.vars.append((n, t))
            return
        n, t = self.r.choice(self.vars)
        op = self.r.choice(["=", "=", "+", "-", "*"])
        e = self.expr(t)
        self.put(f"{n} = {e if op == '=' else self.wrap(t, n, op, e)};")

    def store(self):
        r = self.r
        t = self.pick_type()
        if t in ("f32", "f64"):
            e = f"bits{t[1:]}({self.expr(t)})"
            t = "u32" if t == "f32" else "u64"
        else:
            e = self.expr(t)
        count = OUT * 64 // BITS[t]
        if r.random() < 0.15:
            q, t, size = r.choice(VECTORS)
            values = ", ".join(self.expr(t, 1) for _ in range(size))
            v = self.name_new("q")
            at = r.randrange(OUT * 64 // (BITS[t] * size))
            self.put(f"{{ {q} {v} = {{{values}}}; (({q} *)mine)[{at}] = {v}; }}")
            return
        index = r.choice([str(r.randrange(count)), f"{self.int_leaf()} & {count - 1}"])
        op = r.choice(["=", "=", "+=", "^="])
        self.put(f"(({t.replace('s', 'u')} *)mine)[{index}] {op} {e};")

    def load(self):
        r = self.r
        n, t = r.choice(self.vars)
        if r.random() < 0.25:
            q, of, size = r.choice(VECTORS)
            v = self.name_new("q")
            total = " ^ ".join(f"{v}.{f}" if i % 2 else f"{v}.{f} * 3u"
                               for i, f in enumerate("xyzw"[:size]))
            at = f"{self.int_leaf()} & {IN_WORDS * 32 // (BITS[of] * size) - 1}"
            self.put(f"{{ {q} {v} = ((const {q} *)in)[{at}];"
                     f" {n} = {self.convert('(' + total + ')', 'u64', t)}; }}")
            return
        src = r.choice(INTS)
        e = f"((const {src} *)in)[{self.int_leaf()} & {IN_WORDS * 32 // BITS[src] - 1}]"
        self.put(f"{n} = {self.convert(e, src, t)};")

    def atomic(self):
        r = self.r
        if r.random() < 0.2:
            self.put(f"atom_add64(&acc64[{self.int_leaf()} & {CELLS - 1}], {self.expr('u64', 1)});")
            return
        k = r.randrange(len(ATOMS))
        cell = f"&acc[{k * CELLS} + ({self.int_leaf()} & {CELLS - 1})]"
        if ATOMS[k] == "inc":
            return self.put(f"old_inc({cell}, 1000u);")
        if ATOMS[k] == "float":  # sums that are exact in any order
            return self.put(f"old_addf((f32 *)({cell}), (f32)({self.expr('u32', 1)} & 3));")
        return self.put(f"atom_{ATOMS[k]}({cell}, {self.expr('u32', 1)});")

    def block(self, uniform, count, lanes=None):
        self.depth += 1
        kept, together = len(self.vars), self.lanes
        self.lanes = together if uniform else lanes
        for _ in range(count):
            self.statement(uniform)
        del self.vars[kept:]
        self.lanes = together
        self.depth -= 1

    def branch(self, uniform):
        r = self.r
        inner = uniform and r.random() < 0.5
        self.put(f"if ({self.uniform_cond() if inner else self.cond()}) {{")
        self.block(inner, r.randrange(1, 4))
        if r.random() < 0.6:
            self.put("} else {")
            self.block(inner, r.randrange(1, 4))
        self.put("}")

    def loop(self, uniform):
        r = self.r
        if self.loops >= 2:
            return self.assign()
        self.loops += 1
        i = self.name_new("i")
        inner = uniform and r.random() < 0.6
        if inner:
            limit = r.choice([str(r.randrange(1, 6)), f"(({r.choice(self.uniforms)} & 3) + 1)"])
        else:
            limit = f"({self.int_leaf()} & {r.choice([3, 7])})"
        step = r.choice(["i++", "i++", "i += 2", "i = i * 2 + 1"]).replace("i", i)
        if r.random() < 0.3:
            self.put("#pragma unroll 1")
        self.put(f"for (u32 {i} = 0, e{i} = {limit}; {i} < e{i}; {step}) {{")
        self.counters.append(i)
        if inner:
            self.uniforms.append(i)
        kept = self.switches
        self.switches = 0
        self.block(inner, r.randrange(1, 4))
        if not inner and r.random() < 0.5:
            self.depth += 1
            self.put(f"if ({self.cond()}) {r.choice(['break', 'continue'])};")
            self.depth -= 1
            self.block(False, 1)
        self.switches = kept
        self.put("}")
        self.counters.remove(i)
        if inner:
            self.uniforms.remove(i)
        self.loops -= 1

    def switch(self, uniform):
        r = self.r
        inner = uniform and r.random() < 0.3
        what = r.choice(self.uniforms) if inner else self.int_leaf()
        most = r.choice([8, 8, 16])
        self.put(f"switch (({what}) & {most - 1}) {{")
        for case in sorted(r.sample(range(most), r.randrange(2, most - 1))):
            self.put(f"case {case}: {{")
            self.block(inner, 1)
            self.put("}" if r.random() < 0.3 else "} break;")
        if r.random() < 0.5:
            self.put("default: {")
            self.block(inner, 1)
            self.put("}")
        self.put("}")

    def exchange(self):
        """Shared memory between two barriers; the value read is of the threads that wrote."""
        r = self.r
        n, t = r.choice(self.vars)
        k = r.random()
        self.put(f"sh[tid] = {self.expr('u32')};")
        if k < 0.3:
            self.returns or self.put("if (tid == first) { sh[cell] = 0; }")
            self.put("__syncthreads();")
            op = r.choice(["add", "xor"])
            self.put(f"if ({self.cond()}) atom_{op}(&sh[cell], {self.expr('u32', 1)});")
            self.put("__syncthreads();")
            self.put(f"{n} = {self.convert('(sh[cell] + sh[tid])', 'u32', t)};")
        elif k < 0.6:
            s = self.name_new("s")
            self.put("__syncthreads();")
            self.put(f"for (u32 {s} = 1; {s} < live; {s} *= 2) {{")
            self.put(f"    if (tid % (2 * {s}) == 0 && tid + {s} < live) sh[tid] += sh[tid + {s}];")
            self.put("    __syncthreads();")
            self.put("}")
            self.put(f"{n} = {self.convert('sh[0]', 'u32', t)};")
        else:
            self.put("__syncthreads();")
            self.put(f"{n} = {self.convert(f'sh[{self.int_leaf()} % live]', 'u32', t)};")
        self.put("__syncthreads();")

    def statement(self, uniform):
        r = self.r
        self.budget -= 1
        k = r.random()
        if self.budget <= 0 or not self.vars or k < 0.26:
            return self.assign()
        if k < 0.31:
            return self.load()
        if k < 0.38:
            return self.store()
        if k < 0.42:
            return self.atomic()
        if k < 0.46 and self.local:
            return self.put(f"la[{self.int_leaf()} & {self.local - 1}] "
                            f"{r.choice(['=', '+='])} {self.expr(self.local_type)};")
        if k < 0.55 and uniform and self.words:
            return self.exchange()
        if k < 0.58 and uniform and not self.returns:
            return self.numbered() if self.words and self.threads > 32 else self.reduced()
        if k < 0.6 and uniform and not self.returns:
            return self.reduced()
        if k < 0.66:
            return r.choice([self.call, self.anywhere, self.old, self.half, self.table])()
        if k < 0.76 and self.lanes:
            return self.warp() if r.random() < 0.7 or self.depth >= 4 else self.group()
        if self.depth >= 4:
            return self.assign()
        if k < 0.84:
            return self.branch(uniform)
        if k < 0.92:
            return self.loop(uniform)
        if k < 0.955:
            return self.switch(uniform)
        if k < 0.97:
            return self.tangle()
        if k < 0.98 and self.returns:
            return self.put(f"if ({self.cond()}) {self.leave()};")
        return self.assign()

    def leave(self):
        return "return"

    def write(self):
        r = self.r
        # With shared memory, lanes that left must not have a slot that others read: the first
        # `live` threads stay to the end. Without, threads may return anywhere.
        early = r.random() < 0.4
        anywhere = not early and r.random() < 0.4
        self.returns = anywhere or (self.shared == "none" and r.random() < 0.5)
        self.words = self.shared != "none"
        reads = r.choice(["const u32 *in", "const u32 *__restrict in"])
        args = f"{reads}, u64 *out, u32 *acc, u64 *acc64, u32 n, {self.small} p4, u32 p0, " \
               "u64 p1, f32 p2, f64 p3"
        self.vars.append(("p4", self.small))
        bounds = f"BOUNDS({self.threads}) " if r.random() < 0.3 else ""
        head = [f"KERNEL {bounds}void {self.name}({args})", "{"]
        self.put("u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);")
        self.put("u32 bid = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);")
        self.put(f"u32 gid = tid + bid * {self.threads}u;")
        self.put(f"u64 *mine = out + gid * {OUT};")
        self.put("u32 live = n, first = 0;" if early else f"u32 live = {self.threads}u, first = 0;")
        if self.shared == "fixed":
            self.put(f"__shared__ u32 sh[{self.threads + 1}];")
        elif self.shared == "dynamic":
            self.put("DYN(sh);")
        if self.shared != "none":
            # Not a variable of its own: clang 14 moves accesses to one across barriers.
            self.put(f"u32 cell = {self.threads}u + (n >> 31);")
        if self.local:
            self.put(f"{self.local_type} la[{self.local}];")
            self.put(f"for (u32 i = 0; i < {self.local}; i++)")
            self.put(f"    la[i] = in[(gid + i) & {IN_WORDS - 1}];")
        for _ in range(r.randrange(2, 6)):
            t, v = self.pick_type(), self.name_new("v")
            at = f"(gid * {r.choice([1, 3, 5])} + {r.randrange(64)}) & {IN_WORDS - 1}"
            self.put(f"{t} {v} = {self.convert(f'in[{at}]', 'u32', t)};")
            self.vars.append((v, t))
        if early:
            self.put("if (tid >= n) return;")
        if self.words:
            self.put("sh[tid] = gid * 7u + 1;")
        if self.words and anywhere:
            self.put("if (tid == 0) sh[cell] = 5;")
            self.put("__syncthreads();")
        if not self.returns:
            self.put("u32 rest = live - (tid & ~31u), lanes = rest < 32 ? (1u << rest) - 1 : ~0u;")
            self.lanes = "lanes"
        while self.budget > 0:
            self.statement(True)
        for i, (v, t) in enumerate(self.vars):
            e = self.convert(v, t, "u64") if t in BITS else f"(u64)bits{t[1:]}({v})"
            self.put(f"mine[{i % OUT}] {'+' if i >= OUT else '^'}= {e};")
        self.put("(void)live; (void)first;")
        if self.words and not self.returns and self.threads > 32 and r.random() < 0.4:
            self.last_words()
        self.text = "\n".join(head + self.lines + ["}", ""])


class Function(Kernel):
    """One that kernels call: it works on the caller's `mine`, tables and one word at `p`."""

    def leave(self):
        return f"return {self.expr(self.gives, 1)}"

    def write(self):
        r = self.r
        self.returns, self.shared, self.uniforms = True, "none", ["n", "p0"]
        self.takes, self.gives = [self.pick_type() for _ in range(r.randrange(4))], self.pick_type()
        args = "const u32 *in, u64 *mine, u32 *acc, u64 *acc64, u32 n, u32 tid, u32 gid, u32 p0, " \
               "u64 p1, f32 p2, f64 p3"
        for t in self.takes:
            v = self.name_new("v")
            args += f", {t} {v}"
            self.vars.append((v, t))
        self.vars += [] if self.vars else [("tid", "u32")]
        self.put("u32 word = *p;")
        self.vars.append(("word", "u32"))
        if self.local:
            self.put(f"{self.local_type} la[{self.local}];")
            self.put(f"for (u32 i = 0; i < {self.local}; i++) la[i] = gid + i;")
        while self.budget > 0:
            self.statement(False)
        self.put("*p = word;")
        self.put(f"return {self.expr(self.gives)};")
        self.text = "\n".join([f"FUN {self.gives} {self.name}({args}, u32 *p)", "{"]
                              + self.lines + ["}", ""])


class Program:
    """Kernels, their launches and a host main; everything follows from the seed, and, where they are given, from
    `tbs`, which says of a TB's threads how many TBs a row of a grid may have, and `most`, of kernels."""

    def __init__(self, seed, size=40, tbs=None, most=3):
        r = self.r = random.Random(seed)
        self.seed = seed
        self.kernels, self.launches, self.threads, total = [], [], 0, 0
        self.functions = []
        for k in range(r.choice([0, 0, 1, 2, 3])):
            self.functions.append(Function(r, f"f{k}", 64, r.randrange(2, 9), self.functions[:]))
        self.tables = tables(r)
        for k in range(min(most, r.choice([1, 1, 1, 2, 3]))):
            shape = (list(r.choice(BLOCKS)) + [1, 1])[:3]
            threads = shape[0] * shape[1] * shape[2]
            grid = [r.choice([1, 2, 3, 5]), r.choice([1, 1, 2]), r.choice([1, 1, 1, 2])]
            if threads < 100 and r.random() < 0.4:
                grid[0] = r.choice([17, 40])
            if tbs:
                grid[0] = r.choice(tbs(threads))
            kernel = Kernel(r, f"k{k}", threads, r.randrange(8, size), self.functions)
            self.kernels.append(kernel)
            self.threads = max(self.threads, threads)
            for _ in range(r.choice([1, 1, 2, 3])):
                n = r.randrange(1, threads + 1)
                self.launches.append({
                    "kernel": kernel, "grid": grid, "block": shape, "n": n,
                    "p0": r.getrandbits(32), "p4": r.getrandbits(7),
                    "p1": r.choice([r.getrandbits(64), 5]),
                    "p2": r.choice([0.5, -3.25, 1e10]), "p3": r.choice([0.1, -1e5, 3.0])})
            total = max(total, threads * grid[0] * grid[1] * grid[2])
        self.out_words = total * OUT
        r.shuffle(self.launches)
        words = [r.getrandbits(32) if r.random() < 0.7 else r.choice(EDGES) & 0xffffffff
                 for _ in range(IN_WORDS)]
        self.input = b"".join(w.to_bytes(4, "little") for w in words)

    def shared(self, launch):
        k = launch["kernel"]
        return (k.threads + 1) * 4 if k.shared == "dynamic" else 0

    def source(self):
        text = '#include "rig.h"\n\n' + self.tables
        text += "\n".join(k.text for k in self.functions + self.kernels)
        text += "\n#ifndef __CUDA__\nint main(void)\n{\n"
        text += f"    static u32 *in; in = (u32 *)load(\"in.bin\", {IN_WORDS * 4});\n"
        text += f"    static u64 out[{self.out_words}], acc64[{CELLS}];\n"
        text += f"    static u32 acc[{CELLS * len(ATOMS)}];\n"
        for l in self.launches:
            call = f"{l['kernel'].name}(in, out, acc, acc64, {l['n']}u, {l['p4']}, {l['p0']}u, " \
                   f"{l['p1']}ull, {l['p2']}f, {l['p3']})"
            dims = ", ".join(map(str, l["grid"] + l["block"]))
            text += f"    run([] {{ {call}; }}, {dims});\n"
        for name in ("out", "acc", "acc64"):
            text += f"    save(\"{name}.bin\", {name}, sizeof {name});\n"
        text += "    return 0;\n}\n#endif\n"
        return text.replace("1e+10f", "1e10f").replace("10000000000.0f", "1e10f")

    def launch_file(self, module):
        text = f"module: {module}\n"
        text += "buffers:\n  - {name: in, type: u32, contents: file, file: in.bin}\n"
        text += f"  - {{name: out, type: u64, count: {self.out_words}, contents: zeros}}\n"
        text += f"  - {{name: acc, type: u32, count: {CELLS * len(ATOMS)}, contents: zeros}}\n"
        text += f"  - {{name: acc64, type: u64, count: {CELLS}, contents: zeros}}\nlaunches:\n"
        for l in self.launches:
            text += f"  - kernel: {l['kernel'].name}\n"
            text += f"    grid: {l['grid']}\n    block: {l['block']}\n"
            text += f"    shared: {self.shared(l)}\n    args:\n"
            text += "".join(f"      - buffer: {b}\n" for b in ("in", "out", "acc", "acc64"))
            for t, v in (("u32", l["n"]), (l["kernel"].small, l["p4"]), ("u32", l["p0"]),
                         ("u64", l["p1"]), ("f32", l["p2"]), ("f64", l["p3"])):
                text += f"      - {{type: {t}, value: {v}}}\n"
        text += "checks:\n" + "".join(f"  - {{buffer: {b}, file: {b}.bin}}\n"
                                      for b in ("out", "acc", "acc64"))
        return text
