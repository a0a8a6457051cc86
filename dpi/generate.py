#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes everything that follows from refmodel/*/*.toml: pin structs, packing, wrappers, tables,
classes of the Python module.

The timing diagrams of the block pages come from vectors/golden.

    dpi/generate.py            writes the files that differ
    dpi/generate.py --check    writes nothing; names the files that differ and exits 1
    dpi/generate.py --new GROUP/BLOCK
                               writes the files of a new block, small but working, to start from

What it writes is committed and carries no date, so that a check can demand no difference.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

import blockdesc
import emit_c
import emit_doc
import emit_lists
import emit_py
import emit_sv
import emit_wave
import hierarchy
import new_block
import replace


def outputs(blocks, totals):
    """Path below the root -> text, for every generated file; and what could not be brought up to date."""
    files, problems = {}, []
    for b in blocks:
        files[f"refmodel/gen/{b.name}_pins.h"] = emit_c.pins_h(b)
        files[f"dpi/gen/{b.name}_port.h"] = emit_c.port_h(b)
        files[f"dpi/gen/{b.name}_block.c"] = emit_c.block_c(b, hierarchy.parts(b, blocks))
        files[f"rtl/gen/{b.name}_pkg.sv"] = emit_sv.pkg_sv(b)
        files[f"dpi/gen/{b.name}_wrap.sv"] = emit_sv.wrap_sv(b)
        files[f"dpi/gen/{b.name}_bind.sv"] = emit_sv.bind_sv(b)
        page = blockdesc.ROOT / f"docs/blocks/{b.name}.md"
        text, problem = emit_doc.page(b, page.read_text() if page.exists() else None)
        files[f"docs/blocks/{b.name}.md"], stale = emit_wave.page(b, text)
        problems += [p for p in (problem, stale) if p]
    files["docs/blocks.md"] = emit_doc.index(blocks, blockdesc.read_groups(), totals)
    files["dpi/gen/registry.c"] = emit_c.registry_c(blocks, totals)
    files["dpi/gen/warpref.h"] = emit_lists.header(blocks)
    files |= emit_lists.lists(blocks)
    files["testbench/gen/stims.c"] = emit_c.stims_c(blocks)
    files |= emit_py.outputs(blockdesc.ROOT, blocks)
    return files, problems


def print_configs(blocks):
    for b in blocks:
        for config, values in b.configs.items():
            params = " ".join(f"{p.name}={values[p.name]}" for p in b.params)
            print(b.group, b.name, config, b.bits("in", values), b.bits("out", values), params)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only, exit 1 on a difference")
    parser.add_argument(
        "--configs",
        action="store_true",
        help="print one line per named configuration: group block config in_bits out_bits Param=value...",
    )
    parser.add_argument("--new", metavar="GROUP/BLOCK", help="write the files of a new block and say what comes next")
    args = parser.parse_args()
    if args.configs:
        print_configs(blockdesc.read_all())
        return 0
    if args.new:
        return 0 if new_block.write(args.new, blockdesc.read_groups(), blockdesc.read_all()) else 2
    check = args.check
    stale = []
    blocks = blockdesc.read_all()
    files, problems = outputs(blocks, blockdesc.read_totals(blocks))
    for name, text in files.items():
        path = blockdesc.ROOT / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace.text(path, text)
    for name in stale:
        print(f"{name}: {'differs from its toml or vectors; run dpi/generate.py' if check else 'written'}")
    for problem in problems:
        print(problem)
    print(f"{len(files)} generated files, {len(files) - len(stale)} as they were")
    return 1 if problems or (check and stale) else 0


if __name__ == "__main__":
    sys.exit(main())
