# SPDX-License-Identifier: Apache-2.0
"""Figures as text: the table of a run, and those of docs/area.md."""
import re

from design import described
from gates import LIMIT
from scaling import factors
from toolbox import Failure

STEP = "docs"
NODES = (65, 40, 28, 16)
CONFIGS = ("tiny", "default", "odd", "max")


def columns(head, lines):
    """Lines of cells in columns, the first and those of words to the left."""
    rows = [head.split(", ")] + [[str(c) for c in line] for line in lines]
    out = []
    for column in zip(*rows):
        width = max(map(len, column))
        words = not out or any(re.search(r"[A-Za-z_]{2}", c) for c in column[1:])
        out.append([c.ljust(width) if words else c.rjust(width) for c in column])
    return "\n".join("  ".join(line).rstrip() for line in zip(*out))


def run_table(rows):
    lines = []
    for row in rows:
        s, t, p = row["synthesis"], row["timing"], row["power"]
        lines.append([
            row["label"], s["cells"], f"{s['area_um2']:.0f}", s["nand2"], s["flipflops"], s["array_bits"],
            s["gates_deep"], f"{t['delay_ps'] / 1e3:.2f}", f"{t['fmax_mhz']:.0f}", f"{t['slack_ps'] / 1e3:.2f}",
            f"{t['fo4']:.1f}" + ("!" if t["fo4"] > LIMIT else ""), f"{p['total_w'] * 1e3:.2f}"])
    return columns("block, cells, um2, NAND2, FFs, array bits, gates deep, ns, MHz, slack ns, FO4, mW", lines)


def paths(rows):
    out = []
    for row in rows:
        t = row["timing"]
        inside = f"; inside {t['inside']['fo4']} FO4" if t["inside"] else ""
        out.append(f"{row['label']}: {t['start']} -> {t['end']}, {len(t['path'])} cells{inside}")
    return "\n".join(out)


def node_table(rows, nm):
    lines = [[r["label"], f"{n['area_um2']:.0f}", f"{n['delay_ps']:.0f}", f"{n['fmax_mhz']:.0f}",
              f"{n['slack_ps']:.0f}", f"{n['dynamic_mw']:.3f}"] for r in rows for n in [r["node"]]]
    return columns(f"at {nm} nm, um2, ps, MHz, slack ps, dynamic mW", lines)


def layout_table(rows):
    lines = [[r["label"], f"{x['cell_um2']:.0f}", f"{x['layout_um2']:.0f}", f"{x['area_factor']:.2f}",
              x["routes"], x["failed"], f"{x['wire_um']:.0f}", f"{x['delay_ps']:.0f}",
              f"{x['routed_delay_ps']:.0f}", f"{x['delay_factor']:.2f}"] for r in rows for x in [r["layout"]]]
    return columns("layout of, cells um2, layout um2, factor, nets, failed, wire um, ps, routed ps, factor",
                   lines)


def fpga_table(rows):
    lines = [[r["label"], x["luts"], x["flipflops"], x["carries"], x["wrapped_cells"] or "",
              x["mhz"] or x["why"]] for r in rows for x in [r["fpga"]]]
    return columns("iCE40 HX8K, LUTs, FFs, carries, cells with wrapper, MHz", lines)


def markdown(head, lines):
    head = head.split(", ")
    return ("| " + " | ".join(head) + " |\n|" + "---|" * len(head) + "\n"
            + "".join("| " + " | ".join(str(c) for c in line) + " |\n" for line in lines))


def depth(figures):
    if figures is None:
        return "not measured"
    return f"**{figures['fo4']}**" if figures["fo4"] > LIMIT else figures["fo4"]


def documents(root, base):
    """The tables of docs/area.md by name, out of area/baseline.json and area/scaling.toml."""
    measured = base.get("osu018", {})
    main = [[f"`{n}`", b["cells"], f"{b['area_um2']:.0f}", b["nand2"], b["flipflops"], b["array_bits"],
             b["array_nand2"], b["gates_deep"], f"{b['delay_ps'] / 1e3:.2f}", f"{b['fmax_mhz']:.0f}",
             depth(b), f"{b['power_mw']:.1f}"]
            for n, b in sorted(measured.get("default", {}).items())]
    configs = [[f"`{n}`"] + [depth(measured.get(c, {}).get(n)) if c in block.configs else "" for c in CONFIGS]
               for n, block in sorted(described(root).items())]
    deep = [[f"`{n}`", f"`{c}`", b["fo4"], f"`{b['start']}`", f"`{b['end']}`"]
            for c, n, b in sorted(((c, n, b) for c in measured for n, b in measured[c].items()),
                                  key=lambda x: -x[2]["fo4"]) if b["fo4"] > LIMIT]
    layouts = [[f"`{n}`", f"{x['cell_um2']:.0f}", f"{x['layout_um2']:.0f}", f"{x['area_factor']:.2f}",
                x["routes"], x["failed"], f"{x['wire_um']:.0f}", f"{x['delay_ps'] / 1e3:.2f}",
                f"{x['routed_delay_ps'] / 1e3:.2f}", f"{x['delay_factor']:.2f}"]
               for n, x in sorted(base.get("layout", {}).items())]
    fpga = [[f"`{n}`", x["luts"], x["flipflops"], x["carries"], x["wrapped_cells"] or "", x["mhz"] or x["why"]]
            for n, x in sorted(base.get("fpga", {}).items())]
    nodes = [[f"{nm} nm"] + [f"{f[k]:.4f}" for k in ("area", "delay", "energy")]
             for nm in NODES for f in [factors(root, "osu018", nm)]]
    return {
        "nodes": markdown("node, area, delay, energy of a toggle", nodes),
        "blocks": markdown("block, cells, um2, NAND2, flip-flops, bits in arrays, their NAND2, gates deep, ns, "
                           "MHz, FO4, mW", main),
        "depth": markdown("block, configuration, FO4, from, to", deep),
        "configurations": markdown("block, " + ", ".join(f"`{c}`" for c in CONFIGS), configs),
        "layout": markdown("block, cells in um2, layout in um2, factor, nets, failed, wire in um, ns, "
                           "routed ns, factor", layouts),
        "fpga": markdown("block, LUTs, flip-flops, carries, cells with wrapper, MHz", fpga),
    }


def page(root, text, base):
    """docs/area.md with its tables as they should be."""
    for name, table in documents(root, base).items():
        mark = re.compile(rf"(<!-- area {name} -->\n).*?(<!-- /area {name} -->\n)", re.S)
        if not mark.search(text):
            raise Failure(STEP, f"docs/area.md has no place for table {name}", 1)
        text = mark.sub(lambda m: m[1] + table + m[2], text)
    return text
