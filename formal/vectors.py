# SPDX-License-Identifier: Apache-2.0
"""Vector files (docs/vectors.md) and the packed pins in them: read, written, replayed."""
import subprocess
from pathlib import Path

from formal.tool import ToolFailed
from tools import replace


class Pins:
    """Where each port stands in the packed inputs and outputs."""

    def __init__(self, block, values):
        self.block, self.values = block, values
        self.bits = {d: block.bits(d, values) for d in ("in", "out")}

    def ports(self, direction):
        """(port, bits, place) in the packed order."""
        at = 0
        for p in self.block.side(direction):
            width = p.width * p.elements(self.values)
            yield p.port, width, at
            at += width

    def split(self, direction, packed):
        return {port: packed >> at & ((1 << width) - 1) for port, width, at in self.ports(direction)}

    def pack(self, direction, by_port):
        return sum(by_port.get(port, 0) << at for port, _, at in self.ports(direction))


def read(path, pins):
    """(inputs, outputs) of each cycle, packed."""
    rows, width = [], pins.bits["in"]
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            row = int(line, 16)
            rows.append((row & ((1 << width) - 1), row >> width))
    return rows


def write(path, pins, config, rows, why):
    block, inputs, outputs = pins.block, pins.bits["in"], pins.bits["out"]
    digits = (inputs + outputs + 3) // 4
    params = " ".join(f"{p.name}={pins.values[p.name]}" for p in block.params)
    lines = ["// warpref vectors 1", f"// block {block.name}", f"// config {config}", f"// parameters {params}",
             "// seed 0", f"// bits in={inputs} out={outputs}", f"// count {len(rows):10d}",
             "// {out, in} of one clocked cycle a line, from reset on", f"// {why}"]
    lines += [f"{out << inputs | into:0{digits}x}" for into, out in rows]
    replace.text(path, "\n".join(lines) + "\n")


def generate(program, block, config, cycles, seed, path):
    """Vectors of the block's stimulus with the model's outputs, replayed on the Verilated RTL."""
    for command in (["vectors", block, "--config", config, "--cycles", str(cycles), "--seed", str(seed),
                     "-o", str(path)], ["replay", block, str(path), "--against", "rtl"]):
        done = subprocess.run([program, *command], capture_output=True, text=True)
        if done.returncode:
            words = (done.stdout + done.stderr).strip().splitlines()
            raise ToolFailed(f"warpref {' '.join(command[:2])}: {words[0] if words else 'failed'}")


class Model:
    """The model as a compiled program: outputs and the bytes of its state, cycle by cycle."""

    def __init__(self, program, pins):
        self.program, self.pins = program, pins

    def run(self, inputs):
        """(packed outputs, bytes of the state before the clock) of each cycle; fewer where it stops."""
        digits = (self.pins.bits["in"] + 3) // 4
        text = "".join(f"{i:0{digits}x}\n" for i in inputs)
        done = subprocess.run([str(self.program)], input=text, capture_output=True, text=True)
        rows = [line.split() for line in done.stdout.splitlines()]
        return [(int(out, 16), bytes.fromhex(state)) for out, state in (r for r in rows if len(r) == 2)]


def confirm(root, path, rtl):
    """Whether the RTL in a file fails these vectors in Icarus Verilog: True, False, or None where it
    cannot be run."""
    done = subprocess.run([str(Path(root) / "testbench/replay/replay.sh"), str(path), "--", str(rtl)],
                          capture_output=True, text=True)
    return None if done.returncode == 2 else done.returncode == 1
