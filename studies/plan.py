# SPDX-License-Identifier: Apache-2.0
"""What a study is: one TOML file, read whole and held to its form before anything runs.

A study is a table. Its rows are the points: tables of values, where lists multiply. Its columns are
expressions (expression.py) over a point's values, columns before it and figures of `warpref` commands, the
measures, in which {value} stands for a value of the point. Findings are expressions over the whole table.
docs/studies.md explains each key to its writer; KEYS is the list of them.
"""
import dataclasses
import itertools
import os
import pathlib
import re
import shlex
import tomllib

import expression
from trouble import Trouble

ROOT = pathlib.Path(os.environ.get("WARPREF_ROOT") or pathlib.Path(__file__).resolve().parent.parent)
TEXT, LIST, TABLE, NUMBER, SCALAR = str, list, dict, (int, float), (int, float, str)
NAME = re.compile(r"[a-z][a-z0-9_]*")

# What a measure may be: command -> what it is given besides, and where its figures are: a file of its
# folder, or its output.
TOOLS = {
    "area": (["--out", "{kept}", "--json", "{dir}/figures.json", "--jobs", "1"], "figures.json"),
    "run": (["--stats", "{dir}/figures.json"], "figures.json"),
    "cosim": (["--json", "--no-shrink", "--mismatch-wave", "{dir}/mismatch.fst"], None),
    "blocks": (["--json"], None),
}

# key -> kind, and whether it must be there
KEYS = {
    "": {"question": (TEXT, True), "source": (TEXT, True), "rule": (TEXT, False), "points": (LIST, True),
         "quick": (LIST, True), "measure": (TABLE, True), "column": (TABLE, True), "plot": (TABLE, True),
         "finding": (LIST, False)},
    "column": {"of": (TEXT, True), "title": (TEXT, True), "unit": (TEXT, False), "digits": (int, False),
               "shown": (bool, False)},
    "plot": {"kind": (TEXT, True), "x": (TEXT, True), "y": (LIST, True), "series": (TEXT, False),
             "label": (TEXT, False), "log": (TEXT, False), "paper": (LIST, False), "y_title": (TEXT, False)},
    "plot.paper": {"axis": (TEXT, True), "at": (NUMBER, True), "text": (TEXT, True)},
    "finding": {"text": (TEXT, True), "value": (TEXT, True), "unit": (TEXT, False), "digits": (int, False),
                "paper": (NUMBER, False), "source": (TEXT, False), "band": (LIST, False),
                "not_met": (TEXT, False)},
}


@dataclasses.dataclass(frozen=True)
class Column:
    name: str
    title: str
    of: expression.Expression
    unit: str = ""
    digits: int = 0
    shown: bool = True  # in tables; the CSV has all

    @property
    def heading(self):
        return f"{self.title}, {self.unit}" if self.unit else self.title


@dataclasses.dataclass(frozen=True)
class Finding:
    text: str
    value: expression.Expression
    unit: str = ""
    digits: int = 2
    paper: float | None = None
    source: str = ""
    band: tuple = ()
    not_met: str = ""


@dataclasses.dataclass(frozen=True)
class Study:
    name: str
    path: pathlib.Path
    question: str
    source: str
    rule: str
    points: tuple     # dicts, in order
    quick: tuple
    measures: dict    # name -> words of the command, with {value}
    columns: dict     # name -> Column
    plot: dict
    findings: tuple

    def command(self, measure, point):
        """The words behind `warpref`; None where the point does without this measure."""
        if measure in point.get("without", ()):
            return None
        words = []
        for word in self.measures[measure]:
            words += shlex.split(word.format_map(point))  # a value may be several words, or none
        return words


def names():
    """name -> path of every study of the tree."""
    found = {}
    for path in sorted((ROOT / "studies").glob("*/*.toml")):
        if path.stem in found:
            raise Trouble(f"{path}: {found[path.stem]} has the same name; a study's name is its own")
        found[path.stem] = path
    return found


def hold(where, table, kind):
    """Keys and their kinds."""
    if not isinstance(table, dict):
        raise Trouble(f"{where}: wants a table")
    for key, value in table.items():
        if key not in KEYS[kind]:
            raise Trouble(f"{where}: there is no key '{key}' here; there are {', '.join(KEYS[kind])}")
        wanted = KEYS[kind][key][0]
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise Trouble(f"{where}: {key} is of the wrong kind")
    for key, (_, needed) in KEYS[kind].items():
        if needed and key not in table:
            raise Trouble(f"{where}: lacks '{key}'")


def points_of(where, tables):
    """Every combination of the values of each table, the last value fastest."""
    points = []
    for table in tables:
        if not isinstance(table, dict) or not table:
            raise Trouble(f"{where}: wants tables of values")
        choices = []
        for key, value in table.items():
            if not NAME.fullmatch(key):
                raise Trouble(f"{where}: '{key}' is no name; one is small letters, digits and _")
            values = value if isinstance(value, list) and key != "without" else [value]
            if not values or (key != "without" and not all(type(v) in SCALAR for v in values)):
                raise Trouble(f"{where}: {key} wants a number, a text or a list of them")
            choices.append([(key, v) for v in values])
        points += [expanded(where, dict(choice)) for choice in itertools.product(*choices)]
    if not points:
        raise Trouble(f"{where}: there is none")
    return tuple(points)


def expanded(where, point):
    """The point with {NAME} in its texts replaced by other values of it."""
    try:
        return {k: v.format_map(point) if isinstance(v, str) else v for k, v in point.items()}
    except (KeyError, IndexError, ValueError) as error:
        raise Trouble(f"{where}: point {shown(point)} has no value {error}") from None


def measures_of(where, table):
    out = {}
    for name, command in table.items():
        if not NAME.fullmatch(name) or name in expression.FUNCTIONS:
            raise Trouble(f"{where}: [measure] '{name}' is no name for a measure")
        try:
            out[name] = shlex.split(command)
        except (ValueError, AttributeError):
            raise Trouble(f"{where}: [measure] {name}: wants a command as one text") from None
        if not out[name] or out[name][0] not in TOOLS:
            raise Trouble(f"{where}: [measure] {name}: is a command of warpref: {', '.join(TOOLS)}")
    return out


def read(path):
    """The study of a file."""
    where = os.path.relpath(path, ROOT) if path.is_relative_to(ROOT) else str(path)
    try:
        table = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Trouble(f"{where}: {error}") from None
    except OSError as error:
        raise Trouble(f"{where}: {error.strerror}") from None
    hold(where, table, "")
    points, quick = (points_of(f"{where}: [[{k}]]", table[k]) for k in ("points", "quick"))
    measures = measures_of(where, table["measure"])
    columns = {}
    for name, entry in table["column"].items():
        here = f"{where}: [column.{name}]"
        hold(here, entry, "column")
        columns[name] = Column(name, entry["title"], expression.parse(here, entry["of"]), entry.get("unit", ""),
                               entry.get("digits", 0), entry.get("shown", True))
    findings = []
    for number, entry in enumerate(table.get("finding", []), 1):
        here = f"{where}: [[finding]] {number}"
        hold(here, entry, "finding")
        band = tuple(entry.get("band", ()))
        if band and (len(band) != 2 or not all(type(b) in (int, float) for b in band) or band[0] > band[1]):
            raise Trouble(f"{here}: band wants [least, most]")
        if entry.get("not_met") and not band:
            raise Trouble(f"{here}: not_met says why a band is not met, and there is none")
        findings.append(Finding(**{**entry, "value": expression.parse(here, entry["value"]), "band": band}))
    study = Study(path.stem, path, table["question"], table["source"], table.get("rule", ""), points, quick,
                  measures, columns, plot_of(where, table["plot"], columns), tuple(findings))
    hold_names(where, study)
    return study


def plot_of(where, plot, columns):
    here = f"{where}: [plot]"
    hold(here, plot, "plot")
    if plot["kind"] not in ("lines", "bars"):
        raise Trouble(f"{here}: kind is lines or bars")
    if set(plot.get("log", "")) - set("xy"):
        raise Trouble(f"{here}: log is x, y or xy")
    wanted = [plot["x"], *plot["y"], *(plot[k] for k in ("series", "label") if k in plot)]
    for name in wanted:
        if name not in columns:
            raise Trouble(f"{here}: there is no column '{name}'; there are {', '.join(columns)}")
    if not plot["y"] or (plot["kind"] == "lines" and len(plot["y"]) > 1):
        raise Trouble(f"{here}: y wants one column, with kind bars one or more")
    for line in plot.get("paper", []):
        hold(f"{here} paper", line, "plot.paper")
        if line["axis"] not in ("x", "y"):
            raise Trouble(f"{here} paper: axis is x or y")
    return plot


def hold_names(where, study):
    """Every name and command can be made, for every point, in both forms."""
    for point in study.points + study.quick:
        for name in point.get("without", ()):
            if name not in study.measures:
                raise Trouble(f"{where}: without: there is no measure '{name}'")
        for name in study.measures:
            try:
                study.command(name, point)
            except (KeyError, IndexError, ValueError) as error:
                raise Trouble(f"{where}: [measure] {name}: point {shown(point)} has no value {error}") from None
    values = {key for point in study.points + study.quick for key in point} - {"without"}
    known, columns = set(values), set(study.columns)
    for column in study.columns.values():
        expression.hold(f"{where}: [column.{column.name}]", column.of, known, study.measures, columns)
        known.add(column.name)
    for number, finding in enumerate(study.findings, 1):
        expression.hold(f"{where}: [[finding]] {number}", finding.value, set(), {}, columns)


def shown(point):
    return " ".join(f"{k}={v}" for k, v in point.items() if k != "without" and v != "")
