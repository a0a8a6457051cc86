# SPDX-License-Identifier: Apache-2.0
"""Lin-D Table 4.2: does one account of requests explain the 13 kernels, and do their types follow?

table_4_2.csv beside this has the table: percent of the peak of scheduler, NoC and DRAM, L2 misses.
An SM's reply port of 32 B at 1.2 GHz and its sixteenth of 319 GB/s give, at 1.8 GHz, so many flits
and bytes in 200 cycles. With w the part of stores among requests, a request takes 5 (1 - w) + w
flits, and 128 x miss x (1 + w) bytes of DRAM (stores fetch, and dirty lines are written back). Both
columns must come from the same number of requests: that gives w, which is arithmetic of the table
and of no block. The type is what block ccbp_allocator finds by its rule, from the percent of what
NoC (60 % of peak) and DRAM (75 %) can sustain.
"""

import csv
import json
from pathlib import Path

import warpref

UNIT = 200 / 1.8  # ns
FLITS, BYTES = 1.2 * UNIT, 319 / 16 * UNIT
LOAD_FLITS, STORE_FLITS, LINE = 5, 1, 128
SUSTAINED = {"noc": 0.60, "dram": 0.75}
NAMES = {"latency": "LS", "noc": "NBI", "dram": "DBI"}


def stores(row):
    """w and requests in the unit, such that both columns come out."""
    flits, lines = row["noc"] / 100 * FLITS, row["dram"] / 100 * BYTES / (LINE * row["l2_miss"] / 100)
    ratio = flits / lines  # (5 - 4 w) / (1 + w)
    w = (LOAD_FLITS - ratio) / (LOAD_FLITS - STORE_FLITS + ratio)
    return w, lines / (1 + w)


def kind(row):
    """The type by the block's rule, of a kernel of one CTA."""
    block = warpref.block("ccbp_allocator")
    sustained = {r: min(100, round(row[r] / part)) for r, part in SUSTAINED.items()}
    for what, value in (("nbw", sustained["noc"]), ("dbw", sustained["dram"]), ("ctas", 1), ("type", 3)):
        block.step(we_i=1, what_i=what, kernel_i=0, index_i=1, value_i=value)
    block.step(start_i=1, prior_i=1)
    while not block.done_o:
        block.step()
    assert not block.fault_o
    return NAMES[type(block).kind_o.codes[block.kind_o]]


rows = list(csv.DictReader(Path(__file__).with_name("table_4_2.csv").open()))
figures = {"kernels": []}
for text in rows:
    values = {name: int(text[name]) for name in ("noc", "dram", "l2_miss")}
    w, requests = stores(values)
    figures["kernels"].append({"kernel": text["kernel"], "w": round(w, 4), "requests": round(requests, 2),
                               "type": kind(values), "paper": text["type"]})
figures["in_range"] = sum(0 <= k["w"] <= 1 for k in figures["kernels"])
figures["types"] = sum(k["type"] == k["paper"] for k in figures["kernels"])
figures["of"] = len(rows)
print(json.dumps(figures, indent=1))
