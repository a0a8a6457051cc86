# SPDX-License-Identifier: Apache-2.0
"""What formal/expected.toml says of each block, held against results; formal/results.json, what was proved and
recorded, and the table that docs/proofs.md shows of it.

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
import json
import tomllib
from pathlib import Path

from tools import replace

FILE = Path(__file__).with_name("expected.toml")
RECORD = Path(__file__).with_name("results.json")  # of the table in docs/proofs.md
PAGE = Path(__file__).parents[1] / "docs/proofs.md"
FROM, TO = "<!-- written by warpref prove --save -->\n", "<!-- end of it -->\n"
ORDER = ("tiny", "default", "odd", "max")


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


def summary(rows):
    """{block: {config: {"proved", "goals", "seconds"}}}: every goal counts, import and cover among them."""
    found = {}
    for r in rows:
        row = found.setdefault(r["block"], {}).setdefault(r["config"], {"proved": 0, "goals": 0, "seconds": 0.0})
        row["proved"] += r["verdict"] == "proved"
        row["goals"] += 1
        row["seconds"] = round(row["seconds"] + r["seconds"], 2)
    return found


def _cell(row):
    if row is None:
        return ""
    seconds = "" if row["seconds"] is None else f", {row['seconds']:.1f} s"
    return f"{'**full**' if row['proved'] == row['goals'] else 'partial'} {row['proved']}/{row['goals']}{seconds}"


def table(blocks, found):
    configs = sorted({c for row in found.values() for c in row}, key=lambda c: ([*ORDER, c].index(c), c))
    lines = ["| block | " + " | ".join(f"`{c}`" for c in configs) + " |", "|---" * (len(configs) + 1) + "|"]
    for b in blocks:
        lines.append(f"| {b.name} | " + " | ".join(_cell(found.get(b.name, {}).get(c)) for c in configs) + " |")
    return "\n".join(lines) + "\n"


def recorded():
    try:
        return json.loads(RECORD.read_text())
    except (OSError, ValueError) as error:
        raise BadFile(f"{RECORD.name}: {error}") from None


def _page(blocks, found):
    """(the page as it is, as it should be)."""
    page = PAGE.read_text()
    if page.count(FROM) != 1 or page.count(TO) != 1:
        raise BadFile(f"{PAGE.name}: the lines between which the table stands are not there")
    before, rest = page.split(FROM)
    return page, before + FROM + "\n" + table(blocks, found) + "\n" + TO + rest.split(TO)[1]


def save(blocks, rows):
    """Records results of the tree as it is, and writes the table of the page."""
    found = recorded()
    for block, configs in summary(rows).items():
        found.setdefault(block, {}).update(configs)
    lines = ",\n".join(f'  "{b}": {{\n' + ",\n".join(f'    "{c}": {json.dumps(row)}' for c, row in rows.items())
                       + "\n  }" for b, rows in sorted(found.items()))
    replace.text(RECORD, "{\n" + lines + "\n}\n")
    replace.text(PAGE, _page(blocks, found)[1])


def check(blocks):
    """What of the page, the record and formal/expected.toml does not agree."""
    found = recorded()
    page, right = _page(blocks, found)
    wrong = [] if page == right else \
        [f"{PAGE.name} is not what {RECORD.name} says; `warpref prove BLOCK --save` writes it"]
    for b in blocks:
        for c in b.configs:
            row = found.get(b.name, {}).get(c)
            whole = row is not None and row["proved"] == row["goals"]
            if whole != (of(b.name, c)[0] == "full"):
                wrong.append(f"{b.name} {c}: {RECORD.name} has {'' if whole else 'not '}all of it proved, {FILE.name}"
                             f" says {of(b.name, c)[0]}")
    return wrong
