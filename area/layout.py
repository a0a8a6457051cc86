# SPDX-License-Identifier: Apache-2.0
"""A block placed and routed by qflow (graywolf, qrouter, vesta) in the library's technology.

Two factors are measured: how much more area the layout takes than its cells, and how much longer the
longest path is with the wires' extracted resistance and capacitance than without. qflow maps and buffers
the flattened netlist itself, so its cells are not quite those of step synthesis: both sides of a factor
are qflow's.
"""
import pathlib
import re
import shutil

import picture
from results import digest, program
from synth import read_script
from toolbox import Failure, need, run, version

STEP = "layout"
MARKS = r"$[\]{}()*?\\&<>|!^`"  # in a path, its scripts take them for something else
TECH = pathlib.Path("/usr/share/qflow/tech")


def key(design_key):
    return digest(design_key, version("qflow"), program("layout", "picture"))


def place_and_route(design, library, folder):
    for program in ("qflow", "tcsh", "tclsh", "graywolf", "qrouter", "gnuplot"):  # the four amid are qflow's
        need(program, STEP)
    if not (TECH / library.name / f"{library.name}.sh").is_file():
        raise Failure(STEP, f"qflow has no technology '{library.name}'; --layout goes with --library", 2)
    work = folder / "layout"
    shutil.rmtree(work, ignore_errors=True)
    (work / "source").mkdir(parents=True)
    top = design.top
    (work / "flat.ys").write_text("\n".join(
        read_script(design) + [f"synth -flatten -top {top}", f"write_verilog -noattr source/{top}.v"]) + "\n")
    run(STEP, ["yosys", "-q", "flat.ys"], work / "flat.log", work)
    log = work / "qflow.log"
    run(STEP, ["qflow", "synthesize", "place", "sta", "route", "backanno", "-T", library.name, top], log, work)
    before, after = (clock(work, name, top) for name in ("sta", "post_sta"))
    sizes = macro_sizes((TECH / library.name / f"{library.name}_stdcells.lef").read_text())
    drawn = picture.read_def(work / f"{top}.def", log)
    cells = [c for c in drawn.cells if not c[0].startswith("FILL")]
    cell_area = sum(sizes[kind][0] * sizes[kind][1] for kind, *_ in cells)
    layout_area = (drawn.box[2] - drawn.box[0]) * (drawn.box[3] - drawn.box[1])
    picture.draw(drawn, sizes, folder / "layout.png", work, design.label)
    return {
        "cells": len(cells), "cell_um2": round(cell_area, 1), "layout_um2": round(layout_area, 1),
        "area_factor": round(layout_area / cell_area, 3), "routes": drawn.nets, "failed": failed_routes(work),
        "wire_um": round(drawn.length, 1), "delay_ps": round(before, 1), "routed_delay_ps": round(after, 1),
        "delay_factor": round(after / before, 3), "picture": "layout.png",
    }


def clock(work, name, top):
    """The shortest clock period in ps that vesta sees."""
    path = work / f"log/{name}.log"
    found = path.is_file() and re.findall(r"Computed maximum clock frequency \(zero margin\) = (\S+) MHz",
                                          path.read_text(errors="replace"))
    if not found:
        log = path if path.is_file() else work / "qflow.log"
        raise Failure(STEP, f"qflow's timing of {top} says no clock", 1, log)
    return 1e6 / float(found[-1])


def failed_routes(work):
    found = re.findall(r"^Final: (?:No failed routes|Failed net routes: (\d+))",
                       (work / "log/route.log").read_text(errors="replace"), re.M)
    if not found:
        raise Failure(STEP, "qrouter does not say how many nets it could not route", 1, work / "log/route.log")
    return int(found[-1] or 0)


def macro_sizes(lef):
    return {name: (float(w), float(h))
            for name, w, h in re.findall(r"MACRO (\S+).*?SIZE\s+(\S+)\s+BY\s+(\S+)\s*;", lef, re.S)}
