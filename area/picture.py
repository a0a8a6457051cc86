# SPDX-License-Identifier: Apache-2.0
"""A layout out of a DEF file, and its picture: cells as boxes, wires as lines, a colour a layer."""
import dataclasses
import re

from toolbox import Failure, run

STEP = "layout"
COLOURS = ["#3465a4", "#cc0000", "#4e9a06", "#c4a000", "#75507b", "#06989a"]
PIXELS = 1200  # of the longer side


@dataclasses.dataclass
class Layout:
    box: tuple      # um: left, bottom, right, top
    cells: list     # (kind, x, y)
    wires: dict     # layer -> [(x0, y0, x1, y1)]
    nets: int
    length: float


def read_def(path, log):
    try:
        text = path.read_text(errors="replace")
        unit = float(re.search(r"UNITS DISTANCE MICRONS (\d+)", text)[1])
        box = tuple(int(v) / unit for v in re.search(
            r"DIEAREA \( (-?\d+) (-?\d+) \) \( (-?\d+) (-?\d+) \)", text).groups())
        components = re.search(r"^COMPONENTS.*?^END COMPONENTS", text, re.M | re.S)[0]
        nets = re.search(r"^NETS (\d+).*?^END NETS", text, re.M | re.S)
    except (OSError, TypeError):
        raise Failure(STEP, f"qflow left no whole {path.name}", 1, log) from None
    cells = [(kind, int(x) / unit, int(y) / unit) for kind, x, y in re.findall(
        r"^- \S+ (\S+)\s.*?\+ (?:PLACED|FIXED) \( (-?\d+) (-?\d+) \)", components, re.M | re.S)]
    wires, length = {}, 0.0
    for layer, points in re.findall(r"(?:ROUTED|NEW) (\w+)((?: \( [^)]*\)| \w+)+)", nets[0]):
        at = None
        for x, y in re.findall(r"\( (\S+) (\S+)[^)]*\)", points):
            x = at[0] if x == "*" else int(x) / unit
            y = at[1] if y == "*" else int(y) / unit
            if at and at != (x, y):
                wires.setdefault(layer, []).append((*at, x, y))
                length += abs(at[0] - x) + abs(at[1] - y)
            at = (x, y)
    return Layout(box, cells, wires, int(nets[1]), length)


def draw(layout, sizes, png, work, title):
    groups = {"cells": [], "flip-flops": []}
    for kind, x, y in layout.cells:
        if not kind.startswith("FILL"):
            groups["flip-flops" if "DFF" in kind else "cells"].append((x, y, sizes[kind]))
    left, bottom, right, top = layout.box
    scale = PIXELS / max(right - left, top - bottom)
    width, height = round((right - left) * scale) + 220, round((top - bottom) * scale) + 110  # key, axes, title
    plots = []
    for (name, boxes), colour in zip(groups.items(), ("#d3d7cf", "#888a85")):
        if boxes:
            lines = [f"{x + w / 2:.2f} {y + h / 2:.2f} {w / 2:.2f} {h / 2:.2f}" for x, y, (w, h) in boxes]
            (work / f"{name}.dat").write_text("\n".join(lines) + "\n")
            plots.append(f"'{name}.dat' with boxxyerror fs solid border lc rgb '#555753' fc rgb '{colour}' "
                         f"title '{name}'")
    for (layer, wires), colour in zip(sorted(layout.wires.items()), COLOURS):
        (work / f"{layer}.dat").write_text("".join(f"{a} {b}\n{c} {d}\n\n" for a, b, c, d in wires))
        plots.append(f"'{layer}.dat' with lines lw 0.5 lc rgb '{colour}' title '{layer}'")
    (work / "picture.gp").write_text("\n".join([
        f"set terminal png size {width},{height}", f"set output '{png}'", f"set title \"{title}\" noenhanced",
        "set size ratio -1", f"set xrange [{left}:{right}]", f"set yrange [{bottom}:{top}]", "set xlabel 'um'",
        "set key outside", "plot " + ", ".join(plots)]) + "\n")
    run(STEP, ["gnuplot", "picture.gp"], work / "picture.log", work)
