# SPDX-License-Identifier: Apache-2.0
"""Runs of the block from reset, on the imported graph: what checks the importer, finds shallow
counterexamples, and shows that a proof is not vacuous.

In every cycle of a run four sources of the outputs must agree: the graph of the RTL, the graph of the
model, the model compiled by a C compiler, and the vectors, which the Verilated RTL has replayed.
"""
import random

from formal.netlist import RESET
from formal.walk import compiled, cone


class Machine:
    """The RTL's graph as something that runs: registers, outputs, next registers."""

    def __init__(self, netlist, outputs):
        self.netlist, self.outputs = netlist, outputs
        self._next = [netlist.get(r, time=1) for r in netlist.registers]
        self._outs = [netlist.get(o) for o in outputs]
        roots = self._outs + self._next
        self.free = [n for n in cone(roots) if n.op == "var" and n.key[0] not in ("reg", "in")]
        self.nodes = len(cone(roots))
        self._run = compiled(roots)

    def reset(self, chance):
        roots = [self.netlist.get(r, time=RESET) for r in self.netlist.registers]
        free = {n.key: chance.getrandbits(n.width) for n in cone(roots) if n.op == "var"}
        return dict(zip(self.netlist.registers, compiled(roots)(free)))

    def step(self, registers, inputs, chance):
        """(outputs by port, next registers)."""
        values = {("reg", r): v for r, v in registers.items()}
        values |= {("in", p, 0): v for p, v in inputs.items()}
        values |= {n.key: chance.getrandbits(n.width) for n in self.free}
        found = self._run(values)
        return (dict(zip(self.outputs, found)), dict(zip(self.netlist.registers, found[len(self.outputs):])))


class Step:
    """One step of the proof, with its goals and assumptions, as something that runs."""

    def __init__(self, side):
        self.side = side
        before, after = side.states
        self._parts = [[bad for _, _, bad in side.goals], side.assumed, [m for _, _, m, _ in side.outputs],
                       before, after]
        roots = [n for part in self._parts for n in part]
        whole = cone(roots)
        self.free = [n for n in whole if n.op == "var" and n.key[0] not in ("reg", "in", "state")]
        self.nodes = len(whole)
        self._run = compiled(roots)

    def look(self, registers, inputs, state, chance):
        """(goals that are broken, assumptions that do not hold, the model's outputs, its state before and
        behind the step); goals and assumptions by their places."""
        values = {("reg", r): v for r, v in registers.items()}
        values |= {("in", p, 0): v for p, v in inputs.items()}
        values |= {("state", k): b for k, b in enumerate(state)}
        values |= {n.key: chance.getrandbits(n.width) for n in self.free}
        found, parts = self._run(values), []
        for part in self._parts:
            parts.append(found[:len(part)])
            found = found[len(part):]
        broken = [i for i, v in enumerate(parts[0]) if v]
        lacking = [i for i, v in enumerate(parts[1]) if not v]
        return broken, lacking, parts[2], bytes(parts[3]), bytes(parts[4])


class Run:
    """What a run has shown."""

    def __init__(self):
        self.cycles = self.checks = 0
        self.importer = None     # first disagreement that only the importer can be to blame for
        self.broken = {}         # index of goal -> cycle at which it was first broken
        self.lacking = None      # cycle at which R did not hold
        self.seen = {}           # port -> set of its values, two at most
        self.starts = []         # (cycle, registers, state) to search from
        self.inputs = []


def follow(machine, steps, pins, rows, native, own_rtl, seed):
    """Runs the rows. steps: [(fixed registers, Step)], of which the one that fits is looked at."""
    chance, run = random.Random(seed), Run()
    registers = machine.reset(chance)
    run.inputs = [into for into, _ in rows]
    ports = list(pins.ports("out"))
    for cycle, ((into, expected), (out, state)) in enumerate(zip(rows, native)):
        inputs = pins.split("in", into)
        if len(run.starts) < 400:
            run.starts.append((cycle, registers, state))
        outputs, following = machine.step(registers, inputs, chance)
        wanted, real = pins.split("out", expected), pins.split("out", out)
        for port, _, _ in ports:
            seen = run.seen.setdefault(port, set())
            if len(seen) < 2:
                seen.add(outputs[port])
            run.checks += 1
            if own_rtl and outputs[port] != wanted[port] and run.importer is None:
                run.importer = (f"cycle {cycle}, {port}: the graph of the RTL gives {outputs[port]:#x}, "
                                f"the Verilated RTL {wanted[port]:#x}")
        for fixed, step in steps:
            if any(registers[r] != v for r, v in fixed.items()):
                continue
            broken, lacking, model, before, after = step.look(registers, inputs, state, chance)
            run.checks += len(step.side.goals)
            for i in broken:
                run.broken.setdefault(i, cycle)
            if lacking and run.lacking is None:
                run.lacking = cycle
            if before == state:  # else model and RTL have parted
                run.importer = run.importer or _disagreement(step, cycle, pins, real, model, after, native)
        registers = following
        run.cycles += 1
        if run.importer:
            break
    return run


def _disagreement(step, cycle, pins, real, outputs, after, native):
    """Where the model's graph and its compiled form differ behind the same state, or None."""
    widths = {p.port: p.width for p in pins.block.side("out")}
    for (port, i, _, _), value in zip(step.side.outputs, outputs):
        compiled_one = real[port] >> i * widths[port] & ((1 << widths[port]) - 1)
        if value != compiled_one:
            return (f"cycle {cycle}, {port}: the graph of the model gives {value:#x}, the compiled model"
                    f" {compiled_one:#x}")
    if cycle + 1 < len(native):
        theirs = native[cycle + 1][1]
        at = next((k for k in step.side.places if after[k] != theirs[k]), None)
        if at is not None:
            return (f"cycle {cycle}: byte {at} of the next state differs between the model's graph and the compiled"
                    " model")
    return None
