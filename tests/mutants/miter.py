# SPDX-License-Identifier: Apache-2.0
"""Whether a mutant can be told from the block at all: a proof by ABC.

Block and mutant get the same inputs, reset among them, from the first cycle on, which is one of reset;
bad is 1 where an output differs in a cycle without reset. ABC merges what is alike on both sides
(scorr: signal correspondence by induction), which proves most mutants equivalent, and looks for an
inductive invariant under which bad is 0, or for inputs under which it is not (pdr). So a proof holds
for any number of cycles. It is bounded by counts of frames and conflicts; the long form by minutes, too,
for some blocks' search has no end: so a slow machine may leave open what another proves.

Registers without a reset start from 0 on both sides, so a mutant that shows only what such a register
held at power-up would pass for equivalent; the gates step of ./check looks at that.

Yosys makes one netlist of a block and all its mutants, as BLIF; here the number of one is put in.
"""
import re
import subprocess

from formal import processes
from netlist import SELECT, SELECT_BITS, commands
from programs import ToolError, yosys

GATES = ("setattr -unset keep w:*\nmemory_map\nasync2sync\ndffunmap\nsetundef -zero -init\nsetundef -zero\n"
         "simplemap\ntechmap\nopt -fast\ndffunmap\nsimplemap\naigmap\nopt_clean\n")


def top_of(target, text):
    """Verilog of the miter of modules block (the mutants) and gold."""
    ports = re.findall(r"^  wire (?:width (\d+) )?(input|output) \d+ \\(\w+)$", text, re.M)
    if len(ports) != len(re.findall(r"^  wire .*?\b(?:input|output|inout) \d+ ", text, re.M)):
        raise ToolError(f"{target.block}: a port of an unknown form in Yosys's netlist")
    width = {name: int(w or 1) for w, _, name in ports}
    inputs = [name for _, way, name in ports if way == "input" and name not in ("clk_i", "rst_ni")]
    outputs = [name for _, way, name in ports if way == "output"]
    total = sum(width[name] for name in outputs)
    lines = [f"module top(input clk_i, input rst_ni, input [{SELECT_BITS - 1}:0] {SELECT}, "
             + "".join(f"input [{width[n] - 1}:0] {n}, " for n in inputs) + "output bad);",
             "  reg on; always @(posedge clk_i) on <= 1'b1;", "  wire rst = rst_ni & on;"]
    for module, more in (("gold", ""), (target.block, f", .{SELECT}({SELECT})")):
        at, pins = 0, [f".{n}({n})" for n in inputs]
        for name in outputs:
            pins.append(f".{name}({module}_out[{at} +: {width[name]}])")
            at += width[name]
        lines += [f"  wire [{total - 1}:0] {module}_out;",
                  f"  {module} u_{module} (.clk_i(clk_i), .rst_ni(rst), {', '.join(pins)}{more});"]
    return "\n".join(lines + [f"  assign bad = rst & (gold_out != {target.block}_out);", "endmodule", ""])


def prepare(target, folder, mutants, path):
    """The text of the miter of all mutants, kept at path."""
    if not path.is_file():
        (folder / "top.v").write_text(top_of(target, (folder / "net.il").read_text()))
        yosys(target, f"read_rtlil \"{folder}/net.il\"\ncopy {target.block} gold\n{commands(mutants)}{GATES}"
              f"read_verilog \"{folder}/top.v\"\nsetattr -mod -unset top *\nhierarchy -top top\nproc\n"
              f"flatten\n{GATES}write_blif \"{folder}/miter.new\"\n", folder / "miter.ys")
        (folder / "miter.new").rename(path)
    return path.read_text()


def verdict(text, number, folder, bounds):
    """What `bounds`, a command of ABC, finds. equivalent; differs: some inputs tell them apart; unknown."""
    names = [f"{SELECT}[{bit}]" for bit in range(SELECT_BITS)]
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith(".inputs"))
    lines[at] = " ".join(word for word in lines[at].split() if word not in names)
    behind = next(i for i in range(at, len(lines)) if lines[i].startswith(".outputs"))
    constants = [f".names {name}" + ("\n1" if number >> bit & 1 else "") for bit, name in enumerate(names)]
    lines[behind + 1:behind + 1] = constants
    path = folder / f"miter.{number}.blif"
    path.write_text("\n".join(lines))
    script = f"read_blif {path.name}; strash; scorr -C 1000; {bounds}; print_status"
    try:
        done = processes.run(["yosys-abc", "-q", script], cwd=folder, stderr=subprocess.STDOUT)
    finally:
        path.unlink()
    status = re.findall(r"Status = *(-?\d)", done.stdout)
    if len(status) != 1:
        raise ToolError(f"yosys-abc failed on mutant {number}:\n{done.stdout[-600:]}")
    return {"1": "equivalent", "0": "differs", "-1": "unknown"}[status[0]]
