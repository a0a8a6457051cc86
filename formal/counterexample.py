# SPDX-License-Identifier: Apache-2.0
"""From a refuted goal to vectors from reset that show it, where a bounded search finds them.

The search: a goal that a run from reset breaks needs its inputs alone. Else, from states along that
run, one step with free inputs that breaks the goal. Behind the broken step the run's inputs go on, so
that a wrong register reaches an output. What is not found so is a state in R: all its registers are
reported, and whether it can be reached is not known.
"""
import random
import shlex

from formal import vectors
from formal.graph import any_of, const
from formal.walk import cone, substitute

STARTS = 48      # states of the run from which the search begins
LIMIT = 3        # seconds of the solver for each
BEHIND = 1000    # cycles behind the broken step in which an output may show it


def from_run(proof, cycle):
    inputs = proof.trace.inputs
    found = _written(proof, inputs[:cycle + 1], inputs[cycle + 1:])
    if found is None:
        before = inputs[:cycle + 1]
        _save(proof, [(into, out) for into, (out, _) in zip(before, proof.model.run(before))],
              "inside the block model and RTL differ behind the last cycle")
        found = f"from reset, cycle {cycle}: registers, which no output shows; {proof.cex}"
    return found


def from_state(proof, fixed, side, bads, values):
    bad = any_of(bads)
    starts = [s for s in proof.trace.starts if all(s[1][r] == v for r, v in fixed.items())]
    stride = max(1, len(starts) // STARTS)
    for cycle, registers, state in starts[::stride]:
        inputs = _step_from(proof, [bad, *side.assumed], registers, state)
        if inputs is not None:
            packed = proof.pins.pack("in", inputs)
            before = proof.trace.inputs[:cycle]
            found = _written(proof, before + [packed], proof.trace.inputs[cycle + 1:])
            if found:
                return found
    return _described(proof, values)


def _step_from(proof, roots, registers, state):
    """Inputs with which all roots hold in this state, or None."""
    known = {}
    for n in cone(roots):
        if n.op == "var" and n.key[0] == "reg":
            known[n.id] = const(n.width, registers[n.key[1]])
        elif n.op == "var" and n.key[0] == "state":
            known[n.id] = const(n.width, state[n.key[1]])
    answer = proof.solver.ask(substitute(roots, known), LIMIT)
    if answer.verdict != "sat":
        return None
    inputs = dict.fromkeys((port for port, _, _ in proof.pins.ports("in")), 0)
    inputs |= {name[1]: value for name, value in answer.values.items() if name[0] == "in"}
    return inputs


def _written(proof, inputs, behind):
    """Writes the vectors where an output differs at their end or behind it."""
    whole = inputs + behind[:BEHIND]
    chance = random.Random(proof.job.seed)
    registers = proof.machine.reset(chance)
    rows = []
    for into, (out, _) in zip(whole, proof.model.run(whole)):
        outputs, registers = proof.machine.step(registers, proof.pins.split("in", into), chance)
        rows.append((into, out))
        theirs = proof.pins.pack("out", outputs)
        if theirs != out:
            return _write(proof, rows, theirs)
    return None


def _write(proof, rows, theirs):
    ours = rows[-1][1]
    port = next(p for p, width, at in proof.pins.ports("out") if (ours ^ theirs) >> at & ((1 << width) - 1))
    model, rtl = (proof.pins.split("out", x)[port] for x in (ours, theirs))
    cycle = len(rows) - 1
    _save(proof, rows, f"outputs of the model; the RTL differs in cycle {cycle}: {port}")
    name, file = proof.job.block.name, proof.cex
    if proof.job.rtl:
        ours = proof.job.root / "rtl" / proof.job.block.group  # for modules that the given files leave to the tree
        show = shlex.join(["warpref", "cosim", name, *proof.job.rtl.options(), "--rtl-dir", str(ours),
                           "--top", proof.job.top, "--inputs", str(file)])
    else:
        show = f"warpref replay {name} {file} --against rtl"
    return f"from reset, cycle {cycle}: {port}: model {model:#x}, RTL {rtl:#x}; {show}"


def _save(proof, rows, why):
    """One file for a proof: the shortest vectors."""
    if not proof.cex.exists() or len(vectors.read(proof.cex, proof.pins)) > len(rows):
        vectors.write(proof.cex, proof.pins, proof.job.config, rows, why)


def _described(proof, values):
    """The state and inputs that the solver gave, registers of both sides."""
    def listed(kind):
        found = sorted((str(name[1]), value) for name, value in values.items() if name[0] == kind and value)
        return ", ".join(f"{name}={value:#x}" for name, value in found) or "all 0"
    proof.reports.append(f"{proof.job.block.name} {proof.job.config}: a state in R, not seen to be reachable from"
                         f" reset\n  registers of the RTL: {listed('reg')}\n  inputs: {listed('in')}\n"
                         f"  bytes of the model's state that are not linked: {listed('state')}")
    return "in a state of R that the search does not reach from reset"
