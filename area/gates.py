# SPDX-License-Identifier: Apache-2.0
"""What figures are held against: area/baseline.json, and the rule on depth with area/depth.toml.

baseline.json: figures of blocks by library and configuration, and the tools that they came from. A change
of more than SLACK in one of GATED fails.
depth.toml: no path is longer than LIMIT FO4, but those of its tables, by configuration: block = FO4. One of
these may get shorter, not longer; one that has come below the limit is to be taken out.
"""
import json
import tomllib

from toolbox import Failure
from tools import replace

STEP = "baseline"
GATED = {"cells": "cells", "flipflops": "flip-flops", "nand2": "NAND2", "delay_ps": "delay in ps"}
SHOWN = ("area_um2", "array_bits", "array_nand2", "gates_deep", "fo4", "fmax_mhz", "start", "end", "power_mw")
SLACK = 0.01
LIMIT = 40
WHOLE = ("tiny", "default", "odd")  # configurations of which the baseline has every block
DEPTH_HEAD = """# SPDX-License-Identifier: Apache-2.0
# Blocks with a path of more than {limit} FO4 from register to register, and how long it is: what
# `warpref area --check` lets pass, if it does not get worse. Written by `warpref area --save`.
"""


def flat(row):
    """The figures of a row that the baseline keeps."""
    timing, power = row["timing"], row["power"]
    whole = {**row["synthesis"], **timing, "power_mw": round(power["total_w"] * 1e3, 3)}
    return {k: whole[k] for k in (*GATED, *SHOWN)}


def load(root):
    path = root / "area/baseline.json"
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise Failure(STEP, f"{path}: {error}", 2) from None


def load_depth(root):
    path = root / "area/depth.toml"
    try:
        return tomllib.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise Failure(STEP, f"{path}: {error}", 2) from None


def save(root, library, rows, tools):
    base = load(root)
    base["tools"] = tools
    for row in rows:
        design, config = row["block"], row["config"]
        base.setdefault(library, {}).setdefault(config, {})[design] = flat(row)
        for extra in ("layout", "fpga"):
            if extra in row:
                base.setdefault(extra, {})[f"{design} {config}"] = row[extra]
    replace.text(root / "area/baseline.json", json.dumps(base, indent=1, sort_keys=True) + "\n")
    save_depth(root, library, rows)


def save_depth(root, library, rows):
    depth = load_depth(root)
    for row in rows if library == "osu018" else ():
        table = depth.setdefault(row["config"], {})
        table.pop(row["block"], None)
        if row["timing"]["fo4"] > LIMIT:
            table[row["block"]] = row["timing"]["fo4"]
    text = DEPTH_HEAD.format(limit=LIMIT)
    for config in sorted(c for c in depth if depth[c]):
        text += f"\n[{config}]\n" + "".join(f"{b} = {depth[config][b]}\n" for b in sorted(depth[config]))
    replace.text(root / "area/depth.toml", text)


def compare(base, library, row, tools):
    """What is wrong with a row, one line each."""
    old = base.get(library, {}).get(row["config"], {}).get(row["block"])
    if old is None:
        return [f"has no figures in area/baseline.json for {library}; `--save` writes them"]
    new, wrong = flat(row), []
    for key, what in GATED.items():
        if abs(new[key] - old[key]) > SLACK * abs(old[key]):
            change = f"{(new[key] / old[key] - 1) * 100:+.1f} %" if old[key] else "was none"
            wrong.append(f"{what}: {new[key]}, baseline {old[key]} ({change})")
    if wrong and base.get("tools") != tools:
        wrong.append(f"the baseline is of {', '.join(base.get('tools', {}).values())}")
    return wrong


def too_deep(depth, row):
    """What breaks the rule on depth; empty if nothing does."""
    fo4, known = row["timing"]["fo4"], depth.get(row["config"], {}).get(row["block"])
    path = f"from {row['timing']['start']} to {row['timing']['end']}"
    if known is None and fo4 > LIMIT:
        return [f"a path of {fo4} FO4, {path}; the rule is at most {LIMIT}"]
    if known is not None and fo4 > known * (1 + SLACK):
        return [f"a path of {fo4} FO4, {path}; area/depth.toml lets {known} pass"]
    if known is not None and fo4 <= LIMIT:
        return [f"its longest path has {fo4} FO4 now: it is to leave area/depth.toml; `--save` takes it out"]
    return []
