#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/preemption.md that say what the blocks of preemption cost, and what they buy.

  tools/preemption_cost.py            prints them
  tools/preemption_cost.py --check    exit status 1 where docs/preemption.md has others
  tools/preemption_cost.py --write    puts them into docs/preemption.md

Which blocks an SM has, and how many of them, is read from waveforms of runs; storage from refmodel/, area and delay
from area/baseline.json, the node by area/scaling.toml; what they buy from docs/studies/lin_p.md. Nothing is typed here.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean
from preemption_wave import ROOT, Trace, bring_in, page_options, record

import blockdesc
import scaling
from toolbox import Failure

STEP = "preemption_cost"
MARKERS = "<!-- preemption cost -->", "<!-- /preemption cost -->"
LIBRARY, NODE = "osu018", 40
# Options, and what they add to the blocks of the first.
WITH = {"context=warp": "always", "context=tb": "`context=tb`", "in_place=1": "`in_place=1`"}
STUDIES = "docs/studies/lin_p.md"
BOUGHT = [  # findings, by their first words
    "register context that liveness and warp-level compression remove",
    "bytes written, live and compressed over all occupied",
    "spilling latency of all state with liveness and compression over that of all occupied",
    "selective preemption latency over spilling all occupied state",
    "selective preemption latency, mean",
    "naive preemption latency, mean",
    "SM-draining over naive",
    "preemption latency that in-place switching saves",
]


def blocks_of(warpref, option):
    """The blocks of an SM, each as often as it has it."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "w.fst"
        record(warpref, ["kernels/reduction.yaml", "--system", f"preemption:count=1,period=1000,{option}"], path)
        return collections.Counter(re.sub(r"\d+$", "", name) for name in Trace(path).blocks())


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in rows)])


def figures_of(name, blocks, measured):
    """Bits as the paper counts, bits, NAND2, mm2, ns and FO4 of one of them."""
    if name not in blocks or name not in measured:
        where = "refmodel" if name not in blocks else "area/baseline.json; warpref area --save measures it"
        raise Failure(STEP, f"block {name}, of which a run has pins, is not in {where}", 1)
    storage, area = blocks[name].storage, measured[name]
    factor = scaling.factors(ROOT, LIBRARY, NODE)
    return (sum(p.paper_bits for p in storage.parts), storage.bits, area["nand2"],
            area["area_um2"] * factor["area"] / 1e6, area["delay_ps"] / 1e3 * factor["delay"], area["fo4"])


def costs(warpref):
    blocks = {b.name: b for b in blockdesc.read_all()}
    measured = json.loads((ROOT / "area/baseline.json").read_text())[LIBRARY]["default"]
    rows, base, sums = [], collections.Counter(), [0, 0, 0, 0.0]
    for option, text in WITH.items():
        have = blocks_of(warpref, option)
        for name, count in (have - base).items():
            paper, bits, nand2, mm2, ns, fo4 = figures_of(name, blocks, measured)
            sums = [a + count * b for a, b in zip(sums, (paper, bits, nand2, mm2))]
            rows.append((f"[{name}](blocks/{name}.md)", text, str(count), f"{paper:,}" if paper else "", f"{bits:,}",
                         f"{nand2:,}", f"{mm2:.3f}", f"{ns:.2f}", f"{fo4}"))
        if not base:
            base, always = have, sums
            paper, bits, nand2, mm2 = sums
            rows.append(("**sum**", text, "", f"{paper:,}", f"{bits:,}", f"{nand2:,}", f"{mm2:.3f}", "", ""))
    head = ("block", "with", "of them", "bits, paper", "bits", "NAND2", f"mm2 at {NODE} nm", f"ns at {NODE} nm",
            "FO4")
    return table(head, rows), always[1]


def shares(warpref, bits):
    config = subprocess.run([warpref, "config", "gtx480"], capture_output=True, text=True, check=True).stdout
    wanted = ("registers", "shared_bytes", "core_mhz")
    value = {name: int(re.search(rf"^ *{name}: (\d+)", config, re.M)[1]) for name in wanted}
    there = value["registers"] * 32 + value["shared_bytes"] * 8
    return (f"The sum's storage is {100 * bits / there:.1f} % of the {there:,} bits of registers and shared memory "
            f"of a GTX 480's SM. Its cycle, {value['core_mhz']} MHz, is {1e3 / value['core_mhz']:.2f} ns.")


def bought():
    findings = {}
    for line in (ROOT / STUDIES).read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5:
            findings.setdefault(cells[0], cells)
    rows = []
    for words in BOUGHT:
        found = [cells for name, cells in findings.items() if name.startswith(words)]
        if not found:
            raise Failure(STEP, f"{STUDIES} has no finding that begins with '{words}'", 1)
        rows.append(found[0][:3])
    return table(("finding", "here", "paper"), rows)


def text_of(warpref):
    cost, bits = costs(warpref)
    return f"{cost}\n\n{shares(warpref, bits)}\n\n{bought()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    page_options(parser)
    options = parser.parse_args()
    text = text_of(options.warpref)
    if options.check or options.write:
        return bring_in(options.page, MARKERS, text, options.write, STEP)
    print(text)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(failure.status)
