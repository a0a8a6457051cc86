# SPDX-License-Identifier: Apache-2.0
"""Statements of threads together: shuffles and votes, a leader that acts for its warp, locks.

A function of the warp names lanes that all execute it. A value that only some lanes have set is read from one of those:
the variable is unset elsewhere, as CUDA's guide has it. Atomic operations leave sums, never who came first.
"""
from text import Item


class Warps:
    """Of class Kernel."""

    def shuffled_type(self):
        return self.r.choice(["s32", "u32", "s64", "u64"] + ["f32", "f64"] * self.floats)

    def shuffle(self, lanes, _):
        r = self.r
        t, (n, to) = self.shuffled_type(), self.target()
        value = self.expr(t, 1)
        if lanes != "FULL":
            source = f"nth_lane({lanes}, {self.expr('u32', 1)})"
            e = f"__shfl_sync({lanes}, {value}, (int){source})"
        else:
            width = r.choice(["", "", ", 16", ", 8", ", 2"])
            amount = f"({self.expr('u32', 1)} & 31)" if r.random() < 0.4 else str(r.randrange(32))
            e = r.choice([f"__shfl_sync(FULL, {value}, (int){amount}{width})", f"__shfl_up_sync(FULL, {value}, (u32){amount}{width})",
                          f"__shfl_down_sync(FULL, {value}, (u32){amount}{width})", f"__shfl_xor_sync(FULL, {value}, {r.randrange(32)}{width})"])
        return Item(f"{n} = {self.convert(e, t, to)};")

    def vote(self, lanes, _):
        r = self.r
        n, t = self.target()
        e = r.choice([
            lambda: f"__ballot_sync({lanes}, {self.cond()})", lambda: f"__any_sync({lanes}, {self.cond()})",
            lambda: f"__all_sync({lanes}, {self.cond()})", lambda: f"__match_any_sync({lanes}, {self.expr('u32', 1)} & 3)",
            lambda: f"__match_any_sync({lanes}, (unsigned long long)({self.expr('u64', 1)} >> 62))",
            lambda: f"__reduce_{r.choice(['add', 'min', 'max', 'and', 'or', 'xor'])}_sync({lanes}, {self.expr('u32', 1)})",
            lambda: f"__reduce_{r.choice(['min', 'max'])}_sync({lanes}, {self.expr('s32', 1)})"])()
        return Item(f"{n} = {self.convert(f'(u32){e}', 'u32', t)};")

    def set_in_branch(self, lanes, _):
        """Some lanes set a value, and all read it from one of those, or vote on it among those."""
        r = self.r
        t, (n, to) = self.shuffled_type(), self.target()
        x, m = self.name("x"), self.name("m")
        c = r.choice([f"lane == {r.randrange(32)}u", f"lane < {r.randrange(1, 32)}u", self.cond()])
        lines = [f"UNSET({t}, {x});", f"bool c{x} = {c};", f"u32 {m} = __ballot_sync({lanes}, c{x});",
                 f"if (c{x}) {{ {x} = {self.expr(t, 1)}; }}"]
        read = f"__shfl_sync({lanes}, {x}, (int)nth_lane({m}, {self.expr('u32', 0) if lanes == 'FULL' else r.randrange(32)}))"
        if lanes == "FULL" and r.random() < 0.4:
            read = f"__shfl_sync(FULL, {x}, __ffs((int){m}) - 1)"
        lines.append(f"if ({m} != 0) {{ {n} = {self.convert(read, t, to)}; }}")
        return Item("{ " + "\n  ".join(lines) + " }")

    def group(self, lanes, _):
        """The lanes for which something holds go on together, and so do the others."""
        g = self.name("g")
        parts = [(f"if (c{g}) {{", self.inside(3, g))]
        if self.r.random() < 0.5:
            parts.append((f"}} else {{ {g} = {lanes} & ~{g};", self.inside(3, g)))
        return Item(f"bool c{g} = {self.cond()};\nu32 {g} = __ballot_sync({lanes}, c{g});", parts, "}")

    def rounds(self, lanes, _):
        """A loop that lanes leave one after another; those that stay are together."""
        if self.loops >= 2:
            return self.vote(lanes, None)
        i, m = self.name("i"), self.name("m")
        self.loops += 1
        self.counters.append(i)
        items = [Item(f"{m} = __ballot_sync({m}, {i} < e{i});\nif ({i} >= e{i}) {{ break; }}"), *self.inside(3, m)]
        self.counters.remove(i)
        self.loops -= 1
        return Item(f"u32 {m} = {lanes};", [(f"for (u32 {i} = 0, e{i} = {self.leaf('u32')} & 3;; {i}++) {{", items)], "}")

    def cell(self):
        """A word of this warp that nothing else but sums goes into."""
        return f"&cells[threadIdx.x / 32 * 4 + {self.r.randrange(4)}]"

    def leader(self, lanes, _):
        """One lane adds for all and tells them what was there before."""
        r = self.r
        n, t = self.target()
        x, number = self.name("x"), self.expr("u32", 1)
        first = r.choice([f"__ffs((int){lanes}) - 1"] + ["0", str(r.randrange(32))] * (lanes == "FULL"))
        act = r.choice([f"atomicAdd({self.cell()}, (unsigned long long)__popc({lanes}))", f"atomicAdd({self.cell()}, (unsigned long long){number})",
                        f"atomicMax({self.cell()}, (unsigned long long){number})", f"atomicExch({self.cell()}, (unsigned long long){number})"])
        lines = [f"UNSET(u64, {x});", f"if ((int)lane == {first}) {x} = {act};",
                 f"{x} = __shfl_sync({lanes}, {x}, {first});"]
        if r.random() < 0.5:
            lines.append(f"{x} += (u64)__popc({lanes} & ((1u << lane) - 1));")
        lines.append(f"{n} = {self.convert(f'(u64){x}', 'u64', t)};")
        return Item("{ " + "\n  ".join(lines) + " }")

    def counted(self, lanes, _):
        """Lanes of one value are counted by the first of them."""
        p = self.name("p")
        return Item(f"{{ u32 {p} = __match_any_sync({lanes}, {self.expr('u32', 1)} & 3);\n"
                    f"  if ((int)lane == __ffs((int){p}) - 1) atomicAdd(&cells[12], (unsigned long long)__popc({p})); }}")

    def sum(self, *_):
        op, cell = self.r.choice([("atomicAdd", 8), ("atomicMax", 9), ("atomicXor", 10), ("atomicOr", 11)])
        return Item(f"{op}(&cells[{cell}], (unsigned long long){self.expr('u64', 1)});")

    # Locks
    def begin_lock(self):
        self.shared.append(Item("__shared__ u32 locks[2];\n__shared__ u64 guarded[2];\n"
                                "if (threadIdx.x == 0) { locks[0] = locks[1] = 0; guarded[0] = guarded[1] = 0; }\n__syncthreads();"))
        self.finish.append(Item("__syncthreads();\nif (threadIdx.x == 0) { cells[14] += guarded[0]; cells[15] += guarded[1]; }"))

    def lock(self, *_):
        """Each thread takes a lock, adds to what it guards, and gives it back, within a loop's body."""
        r = self.r
        which = r.choice(["0", "1", f"({self.leaf('u32')} & 1)"])
        work = ["u64 old = *(volatile u64 *)&guarded[k];", f"*(volatile u64 *)&guarded[k] = old + {self.expr('u32', 1)};"]
        if r.random() < 0.3:
            work.insert(1, f"for (u32 i = 0; i < ({self.leaf('u32')} & 3); i++) old += i;")
        take = "atomicCAS(&locks[k], 0u, 1u) == 0"
        back = r.choice(["atomicExch(&locks[k], 0u);", "__threadfence();\natomicExch(&locks[k], 0u);"])
        shape = r.randrange(4)
        if shape == 0:
            head, end, before = "while (!done) {", "done = true;", "bool done = false; "
        elif shape == 1:
            head, end, before = "for (;;) {", "break;", ""
        elif shape == 2:
            head, end, before = "do {", "done = true;", "bool done = false; "
        else:
            head, end, before = "while (true) {", "break;", ""
        body = "\n".join(f"        {line}" for line in [*work, *back.split("\n"), end])
        tail = "} while (!done);" if shape == 2 else "}"
        return Item(f"{{ u32 k = {which}; {before}{head}\n    if ({take}) {{\n{body}\n    }}\n{tail} }}")
