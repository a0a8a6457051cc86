#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the flip-flops of a netlist against [storage] of a block's description.

    dpi/flipflops.py BLOCK.toml NETLIST.json     compares; exit 1 on a difference
    dpi/flipflops.py --list NETLIST.json         registers and their flip-flops

The netlist is Yosys's, flattened, every flip-flop a cell of one bit. A register is the name of
the signal behind its output; generate indices are left out, so g_bank[0].word_q is g_bank.word_q.
An entry of `registers` is that name, its last component alone, or either with the wildcards * and ?.
The first part that matches has the flip-flop.
"""

import collections
import fnmatch
import json
import re
import sys
import tomllib
from pathlib import Path


def registers(netlist):
    """Names of each flip-flop, one set a flip-flop."""
    (module,) = (m for m in netlist["modules"].values() if m.get("attributes", {}).get("top"))
    outputs = [c["connections"]["Q"][0] for c in module["cells"].values() if re.match(r"\$_\w*FF\w*_$", c["type"])]
    names = {bit: set() for bit in outputs}
    for name, net in module["netnames"].items():
        if not net["hide_name"]:
            for bit in net["bits"]:
                if bit in names:
                    names[bit].add(re.sub(r"\[\d+\]", "", name))
    return [names[bit] for bit in outputs]


def latches(netlist):
    """Their types: the checker of our RTL looks at the pins at the clock's edge, when a latch may open."""
    return sorted(c["type"] for m in netlist["modules"].values() for c in m["cells"].values()
                  if re.search(r"latch|^\$_?SR", c["type"], re.I))


def matches(names, pattern):
    return any(fnmatch.fnmatchcase(n, pattern) or fnmatch.fnmatchcase(n.split(".")[-1], pattern) for n in names)


def shown(names):
    """The register among the names of a flip-flop."""
    return min(names, key=lambda n: (not n.endswith("_q"), n.count("."), n), default="(no name)")


def main():
    where, path = sys.argv[1:]
    netlist = json.loads(Path(path).read_text())
    found = registers(netlist)
    if where == "--list":
        for name, bits in sorted(collections.Counter(shown(names) for names in found).items()):
            print(f"{bits:7} {name}")
        return 0
    block = tomllib.loads(Path(where).read_text())
    storage, name, wrong = block["storage"], block["block"], []
    if storage["bits"] != len(found):
        wrong.append(f"[storage] bits = {storage['bits']} in its toml, Yosys counts {len(found)} flip-flops")
    parts = storage.get("part", [])
    count, rest = collections.Counter(), collections.Counter()
    for names in found:
        part = next((i for i, p in enumerate(parts) if any(matches(names, r) for r in p["registers"])), None)
        if part is None:
            rest[shown(names)] += 1
        else:
            count[part] += 1
    for i, p in enumerate(parts):
        if p["bits"] != count[i]:
            wrong.append(f"storage part '{p['name']}': bits = {p['bits']} in its toml, Yosys counts {count[i]}")
    if parts and rest:
        wrong.append("in no storage part: " + ", ".join(f"{n} ({bits})" for n, bits in sorted(rest.items())))
    if found_latches := latches(netlist):
        wrong.append(f"{len(found_latches)} latches, of type {found_latches[0]}: write flip-flops")
    for text in wrong:
        print(f"{name}: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
