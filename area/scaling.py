# SPDX-License-Identifier: Apache-2.0
"""Figures of the 180 nm library carried to a smaller node by the table area/scaling.toml."""
import math
import tomllib

from toolbox import Failure

STEP = "scaling"


def polynomial(coefficients, x):
    value = 0.0
    for c in coefficients:
        value = value * x + c
    return value


def factors(root, library, nm):
    """Area, delay and energy of the node, as shares of those of the library's own."""
    table = tomllib.loads((root / "area/scaling.toml").read_text())
    nodes = sorted(table["node"], key=lambda n: -n["nm"])
    if library not in table["libraries"]:
        raise Failure(STEP, f"--node: figures of {library} are not scaled; those of "
                      f"{', '.join(table['libraries'])} are", 2)
    if not nodes[-1]["nm"] <= nm <= nodes[0]["nm"]:
        raise Failure(STEP, f"--node {nm}: wants {nodes[-1]['nm']} to {nodes[0]['nm']}", 2)
    base = next(n for n in nodes if n["nm"] == table["base"])

    def of(node):
        return {"area": node["area"] / base["area"],
                **{k: polynomial(node[k], node["volt"]) / polynomial(base[k], base["volt"])
                   for k in ("delay", "energy")}}

    above = min((n for n in nodes if n["nm"] >= nm), key=lambda n: n["nm"])
    below = max((n for n in nodes if n["nm"] <= nm), key=lambda n: n["nm"])
    if above is below:
        return of(above)
    at = math.log(above["nm"] / nm) / math.log(above["nm"] / below["nm"])
    a, b = of(above), of(below)
    return {k: math.exp(math.log(a[k]) * (1 - at) + math.log(b[k]) * at) for k in a}


def scaled(row, factor, clock_mhz):
    """The figures of a row at the node; power at the same clock: energy of a toggle times toggles."""
    timing = row["timing"]
    delay = timing["delay_ps"] * factor["delay"]
    power = row["power"]
    dynamic = round((power["internal_w"] + power["switching_w"]) * factor["energy"] * 1e3, 4)
    return {"area_um2": round(row["synthesis"]["area_um2"] * factor["area"], 1), "delay_ps": round(delay, 1),
            "fmax_mhz": round(1e6 / delay, 1), "slack_ps": round(1e6 / clock_mhz - delay, 1),
            "dynamic_mw": dynamic}
