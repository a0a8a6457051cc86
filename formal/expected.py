# SPDX-License-Identifier: Apache-2.0
"""What formal/expected.toml says of each block, held against results; the table of results.

    [BLOCK]
    full = ["tiny", "default"]      every goal is proved there
    short = ["tiny"]                those of the short form
    [BLOCK.partial.odd]             all but these goals are proved there, and why not these
    open = ["state x_q"]
    why = "..."
    [BLOCK.none]
    odd = "why nothing is expected"

Of a configuration that the file does not name nothing is expected. Goals of which nothing is expected may be
open, or be refuted in a state that R allows; one that is refuted from reset is a failure everywhere.
"""
import tomllib
from pathlib import Path

FILE = Path(__file__).with_name("expected.toml")


class BadFile(Exception):
    pass


def _read():
    try:
        return tomllib.loads(FILE.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BadFile(f"{FILE.name}: {error}") from None


def of(name, config):
    """("full" | "partial" | "none", goals that may be open, why)."""
    table = _read().get(name, {})
    if config in table.get("full", []):
        return "full", [], ""
    if config in table.get("partial", {}):
        row = table["partial"][config]
        return "partial", row["open"], row["why"]
    if config in table.get("none", {}):
        return "none", [], table["none"][config]
    return "none", [], table.get("why", "no relation yet")


def wanted(job, short):
    if short:
        return job.config in _read().get(job.block.name, {}).get("short", [])
    return of(job.block.name, job.config)[0] != "none"


def compare(job, rows, only):
    """What is not as expected. Another RTL or model has to be equal in every goal."""
    level, may_be_open, _ = of(job.block.name, job.config)
    own = job.rtl is None and job.model.is_relative_to(job.root / "refmodel")
    wrong = []
    for r in rows:
        allowed = own and (level == "none" or r["goal"] in may_be_open)
        reached = r["verdict"] == "refuted" and r["note"].startswith("from reset")
        if r["verdict"] != "proved" and (reached or not allowed or r["kind"] == "import"):
            wrong.append(f"{r['goal']} is {r['verdict']}")
    if not any(r["kind"] == "induction" for r in rows):
        wrong.append(f"no goal has '{only}' in its name" if only else "no goals")
    return wrong


def listing(jobs):
    lines = []
    for job in jobs:
        level, goals, why = of(job.block.name, job.config)
        text = level if level != "partial" else f"all but {len(goals)} goals"
        lines.append(f"{job.block.name:24} {job.config:8} {text}" + (f": {why}" if why else ""))
    return "\n".join(lines) + "\n"


def _cell(rows):
    if not rows:
        return ""
    seconds = sum(r["seconds"] for r in rows)
    goals = [r for r in rows if r["kind"] in ("reset", "induction")]
    good = sum(r["verdict"] == "proved" for r in goals)
    whole = all(r["verdict"] == "proved" for r in rows)
    return f"{'**full**' if whole else 'partial'} {good}/{len(goals)}, {seconds:.1f} s"


def table(blocks, rows):
    configs = sorted({r["config"] for r in rows}, key=lambda c: (["tiny", "default", "odd"] + [c]).index(c))
    lines = ["| block | " + " | ".join(f"`{c}`" for c in configs) + " |", "|---" * (len(configs) + 1) + "|"]
    for b in blocks:
        cells = [_cell([r for r in rows if (r["block"], r["config"]) == (b.name, c)]) for c in configs]
        lines.append(f"| {b.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
