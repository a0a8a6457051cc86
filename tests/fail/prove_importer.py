#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants a fault in the importer of `warpref prove`, and wants its cross-check to notice: exit status 0
where it does. Usage: tests/fail/prove_importer.py subtraction|selection|join"""
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "formal"), str(ROOT / "dpi")]

import prove  # noqa: E402
from formal import execute, graph, netlist, proof  # noqa: E402


def plant(fault):
    """The block whose import it breaks."""
    if fault == "subtraction":  # RTL: a - b becomes a + b
        netlist.CELLS["$sub"] = netlist.CELLS["$add"]
        return "hint_decoder"
    if fault == "selection":  # RTL: the inputs of a multiplexer are exchanged
        netlist.CELLS["$mux"] = lambda c, operand, width, _: graph.ite(operand("S"), operand("A"), operand("B"))
        return "rename_table"
    sound = execute.Execution.select  # model: where ways meet, the values of the other one
    execute.Execution.select = lambda x, c, a, b: sound(x, c, b, a)
    return "rename_table"


def main():
    name = plant(sys.argv[1])
    block = next(b for b in prove.blockdesc.read_all() if b.name == name)
    out = os.environ.get("TMPDIR", "/tmp")
    args = prove.arguments().parse_args([block.name, "--goal", "nothing", "--out", out])
    rows, _ = proof.prove(prove.job_of(args, block, "tiny"))
    found = [r for r in rows if r["kind"] == "import" and r["verdict"] == "refuted"]
    print(found[0]["note"] if found else "not noticed")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
