# SPDX-License-Identifier: Apache-2.0
"""Synthesis: Yosys and ABC onto a Liberty library; what a block has of cells, area and storage.

The scripts are the same for every block. Storage is multiplied out into flip-flops. ABC gets the loads of
the library, an inverter of least size as what drives each register's and input's net, and then buffers
and sizes, so that no net is left heavier than FANOUT. It has two efforts, "area" and "delay"; the second
restructures the logic for depth first, which makes it larger.
"""
import collections
import json
import re

from netlist import Netlist, single_bits
from toolbox import Failure, run

STEP = "synthesis"
FANOUT = 16
OUTPUT_LOAD = 50  # fF at each output of the combinational part

CLEAN = "strash\nifraig\nscorr\ndc2\nstrash\n"
MAP = f"dch -f\nmap -B 0.9\ntopo\nbuffer -p -N {FANOUT}\nupsize\ndnsize\n"
ABC = {"area": CLEAN + MAP, "delay": CLEAN + "if -g -K 6 -C 8\nstrash\n" + MAP}


def read_script(design):
    lines = [f"read_verilog -sv {design.files[0]}"]
    lines += [f"read_verilog -sv {'-defer ' if design.config != 'own' else ''}{f}" for f in design.files[1:]]
    if design.params:
        lines.append("chparam " + " ".join(f"-set {n} {v}" for n, v in design.params) + f" {design.top}")
    return lines + [f"hierarchy -check -top {design.top}"]


def front(design, library):
    """Up to flip-flops of the library and gates of no library."""
    return read_script(design) + [
        "proc", "check -assert", "flatten", "opt", "memory_collect", "write_json words.json",
        f"synth -flatten -top {design.top}", "tee -o depth.txt ltp -noff",
        f"dfflibmap -liberty {library.path}", "write_rtlil front.il"]


def back(library, effort):
    return ["read_rtlil front.il", f"abc -liberty {library.path} -script {effort}.abc -constr abc.constr",
            "setundef -zero", "opt_clean -purge", f"tee -o {effort}.cells stat -liberty {library.path}",
            f"write_verilog -noattr -noexpr {effort}.v"]


def refuse(paths, marks, tool):
    """Says which path a tool could not read: neither Yosys nor ABC has quotes that hold in all commands."""
    for path in paths:
        found = re.search(rf"[\s{marks}]", str(path))
        if found:
            mark = "blank" if found[0].isspace() else found[0]
            raise Failure(STEP, f"{path}: {tool} takes no {mark} in a path; use another folder", 2)


def synthesise(design, library, folder, effort):
    (folder / f"{effort}.abc").write_text(ABC[effort])
    (folder / "abc.constr").write_text(f"set_driving_cell {library.inverter.name}\nset_load {OUTPUT_LOAD}\n")
    first = front(design, library) + ["design -reset"] if effort == "area" else []
    (folder / f"{effort}.ys").write_text("\n".join(first + back(library, effort)) + "\n")
    try:
        run(STEP, ["yosys", "-q", f"{effort}.ys"], folder / f"synth_{effort}.log", folder)
        netlist = folder / f"{effort}.v"
        netlist.write_text(single_bits(netlist.read_text()))
        return measure(folder, library, effort)
    except Failure as failure:
        if design.config == "own":
            failure.status = 2  # it is the user's RTL that does not synthesise
        raise


def measure(folder, library, effort):
    counts = collections.Counter()
    said = (folder / f"{effort}.cells").read_text()
    for kind, number in re.findall(r"^     ([$\w]+) +(\d+)$", said, re.M):
        if kind not in library.cells:
            raise Failure(STEP, f"{library.name} has nothing for {number} cells {kind}"
                          + (": a latch, which is storage without a clock" if "LATCH" in kind else ""), 1,
                          folder / f"{effort}.cells")
        counts[kind] += int(number)
    if not counts:
        raise Failure(STEP, "no cell is left: nothing of it reaches an output", 1, folder / f"{effort}.cells")
    area = sum(library.cells[k].area * n for k, n in counts.items())
    levels = re.search(r"length=(\d+)", (folder / "depth.txt").read_text())
    arrays = storage_arrays(folder / "words.json")
    in_arrays = sum(a["bits"] * (library.reset_ff if a["reset"] else library.plain_ff).area for a in arrays)
    netlist = Netlist(folder / f"{effort}.v", library)
    return {
        "effort": effort,
        "cells": sum(counts.values()),
        "area_um2": round(area, 1),
        "nand2": round(area / library.nand2.area),
        "flipflops": len(netlist.ffs),
        "latches": sum(n for k, n in counts.items() if library.cells[k].latch),
        "arrays": arrays,
        "array_bits": sum(a["bits"] for a in arrays),
        "array_nand2": round(in_arrays / library.nand2.area),
        "gates_deep": int(levels[1]) if levels else 0,
        "kinds": dict(sorted(counts.items())),
    }


# Arrays: storage that would be an SRAM or an array of latches. The rule is stated in docs/area.md.
WORDS, BITS, PORTS = 8, 256, 2
SELECT = {"$mux": "AB", "$pmux": "AB", "$bmux": "A", "$shiftx": "A"}


class Words:
    """The netlist before gates: flip-flops are words, and cells that choose among words are visible."""

    def __init__(self, module):
        self.cells = module["cells"]
        self.names = collections.defaultdict(list)
        for name, net in module["netnames"].items():
            if not net["hide_name"]:
                for bit in net["bits"]:
                    self.names[bit].append(name)
        self.readers = collections.defaultdict(list)
        for name, cell in self.cells.items():
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "input":
                    for i, bit in enumerate(bits):
                        self.readers[bit].append((name, pin, i))
        self.outside = {b for p in module["ports"].values() if p["direction"] == "output" for b in p["bits"]}

    def register(self, cell):
        names = self.names[cell["connections"]["Q"][0]] or ["(no name)"]
        name = min(names, key=lambda n: (not n.endswith("_q"), n.count("."), n))
        return re.sub(r"\[\d+\]", "", name)

    def behind(self, bit):
        """The bits behind the cells that choose among this and others; None among them where a cell uses
        the bit in another way. An OR is passed where the choice behind it is between it and its other
        side: `if (hit) x = x | word`."""
        out = {None} if bit in self.outside or not self.readers[bit] else set()
        for name, pin, i in self.readers[bit]:
            kind, pins = self.cells[name]["type"], self.cells[name]["connections"]
            if kind == "$or" and i < len(pins["Y"]):
                out.add(self.behind_or(pins, pins["Y"][i], i))
            else:
                out.add(pins["Y"][i % len(pins["Y"])] if pin in SELECT.get(kind, "") else None)
        return out

    def behind_or(self, pins, y, i):
        for name, _, at in self.readers[y] if len(self.readers[y]) == 1 else ():
            cell = self.cells[name]
            if cell["type"] == "$mux":
                sides = {cell["connections"]["A"][at], cell["connections"]["B"][at]} - {y}
                if sides <= {side[i] for side in (pins["A"], pins["B"]) if i < len(side)}:
                    return cell["connections"]["Y"][at]
        return None

    def ends(self, bit):
        """The read ports of a stored bit: where its chains of choices end, in a bit that is used
        otherwise or in two places. None among them: the stored bit itself is used otherwise."""
        out = set()
        for end in self.behind(bit):
            seen = set()
            while end is not None and end not in seen:
                seen.add(end)
                hops = self.behind(end)
                if len(hops) != 1 or None in hops:
                    break
                (end,) = hops
            out.add(end)
        return out


def storage_arrays(path):
    (module,) = (m for m in json.loads(path.read_text())["modules"].values() if m["attributes"].get("top"))
    words, arrays = Words(module), []
    groups = collections.defaultdict(list)
    for cell in module["cells"].values():
        kind, pins = cell["type"], cell["connections"]
        if kind in ("$mem", "$mem_v2"):
            p = {k: int(v, 2) for k, v in cell["parameters"].items() if re.fullmatch("[01]+", str(v))}
            if p["SIZE"] >= WORDS and p["SIZE"] * p["WIDTH"] >= BITS and p["RD_PORTS"] <= PORTS:
                arrays.append({"register": cell["parameters"]["MEMID"].lstrip("\\"), "words": p["SIZE"],
                               "width": p["WIDTH"], "bits": p["SIZE"] * p["WIDTH"], "reset": False})
        elif re.fullmatch(r"\$\w*ff\w*", kind) and "EN" in pins and kind != "$ff":
            groups[words.register(cell), "a" in kind or "s" in kind].append(pins)
    for (register, reset), cells in sorted(groups.items()):
        arrays += flipflop_arrays(words, register, reset, cells)
    return arrays


def flipflop_arrays(words, register, reset, cells):
    """The arrays among the words of a register: those words that meet at the same reading bits."""
    sets = collections.defaultdict(list)
    for pins in cells:
        ends = [words.ends(bit) for bit in pins["Q"]]
        if all(len(e) <= PORTS and None not in e for e in ends):
            sets[frozenset().union(*ends)].append(pins)
    for members in sets.values():
        enables = {tuple(m["EN"]) for m in members}
        bits = sum(len(m["Q"]) for m in members)
        if len(enables) >= WORDS and bits >= BITS:
            yield {"register": register, "words": len(enables), "width": bits // len(enables), "bits": bits,
                   "reset": reset}
