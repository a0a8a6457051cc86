# SPDX-License-Identifier: Apache-2.0
"""The RTL of a block through Yosys to word-level JSON."""
from formal.harness import run_tool

# -keepdc: unknown bits stay unknown, for the proof to take them as any value. A register of a part stays,
# though the whole may not use it: the model has it.
PASSES = ("proc; flatten; setattr -set keep 1 w:*_q; memory_collect; memory_map; opt_expr -keepdc; opt_clean; opt_merge; opt_clean;"
          " write_json")


def write_netlist(root, block, values, source, top, out):
    """source: None for the block's own RTL, with the modules that stand beside it."""
    folder = root / "rtl" / block.group
    reads = [f"read_verilog -sv {source or folder / (block.name + '.sv')}"]
    if source is None:
        reads += [f"read_verilog -sv -defer {f}" for f in sorted(folder.glob("*.sv")) if f.stem != block.name]
    sets = "".join(f" -set {p.name} {values[p.name]}" for p in block.params)
    run_tool(["yosys", "-q", "-p", "; ".join(reads) + f"; chparam{sets} {top}; hierarchy -check -top {top}; "
              f"{PASSES} {out}"], root)
