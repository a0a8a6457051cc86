# SPDX-License-Identifier: Apache-2.0
"""What a study is: one TOML file, read whole and held to its form before anything runs.

A study is a table. Its rows are the points: tables of values, where lists and ranges multiply, and `rows` names a CSV file
beside the study that has values for each of its rows. Its columns are
expressions (expression.py) over a point's values, columns before it and figures of `warpref` commands, the
measures, in which {value} stands for a value of the point. Findings are expressions over the whole table.
docs/studies.md explains each key to its writer; KEYS is the list of them.
"""
import csv
import dataclasses
import functools
import itertools
import os
import pathlib
import re
import shlex
import tomllib

import claimfile
import expression
from commands import ROOT, TOOLS
from trouble import Trouble

TEXT, LIST, TABLE, NUMBER, SCALAR = str, list, dict, (int, float), (int, float, str)
NAME = re.compile(r"[a-z][a-z0-9_]*")
KINDS = ("lines", "bars", "stacked", "map", "findings")

# key -> kind, and whether it must be there
KEYS = {
    "": {"question": (TEXT, True), "source": (TEXT, True), "rule": (TEXT, False), "points": (LIST, True),
         "quick": (LIST, True), "table": (bool, False), "measure": (TABLE, True), "column": (TABLE, True),
         "plot": ((TABLE, LIST), False), "finding": (LIST, False)},
    "column": {"of": (TEXT, True), "title": (TEXT, True), "unit": (TEXT, False), "digits": (int, False),
               "shown": (bool, False)},
    "plot": {"kind": (TEXT, True), "x": (TEXT, True), "y": (LIST, True), "series": (TEXT, False),
             "label": (TEXT, False), "only": (TABLE, False), "log": (TEXT, False), "paper": (LIST, False), "y_title": (TEXT, False)},
    "plot.paper": {"axis": (TEXT, False), "x": (SCALAR, False), "of": (TEXT, False), "at": (NUMBER, True),
                   "text": (TEXT, True)},
    "finding": {"claim": (TEXT, False), "text": (TEXT, False), "value": (TEXT, True), "unit": (TEXT, False),
                "digits": (int, False), "paper": (NUMBER, False), "source": (TEXT, False), "band": (LIST, False),
                "not_met": (TEXT, False), "at": (NUMBER, False), "series": (TEXT, False)},
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
    claim: str = ""   # of the papers (claimfile.py), which then says text, unit, paper, source and band
    at: float | None = None  # its place in a plot of findings, and its line there
    series: str = ""


@dataclasses.dataclass(frozen=True)
class Study:
    name: str         # GROUP/NAME, or the path of a file that is not of the tree
    path: pathlib.Path
    question: str
    source: str
    rule: str
    points: tuple     # dicts, in order
    quick: tuple
    measures: dict    # name -> words of the command, with {value}
    columns: dict     # name -> Column
    plots: tuple      # panels, one below the other
    findings: tuple
    table: bool       # on the page; one of many rows is in its CSV alone

    def command(self, measure, point):
        """The words behind `warpref`; None where the point does without this measure."""
        if measure in point.get("without", ()):
            return None
        words = []
        for word in self.measures[measure]:
            words += words_of(word.format_map(point))  # a value may be several words, or none
        return words


@functools.cache
def words_of(text):
    return tuple(shlex.split(text))


def names():
    """name -> path of every study of the tree."""
    return {f"{path.parent.name}/{path.stem}": path
            for path in sorted((ROOT / "studies").glob("*/*.toml")) if path.stem != claimfile.STEM}


def chosen(word):
    """The paths that a word of the command line names: a study, all of a group, or a file."""
    known = names()
    if word.endswith(".toml"):
        return [pathlib.Path(word).resolve()]
    found = [path for name, path in known.items() if word in (name, *name.split("/"))]
    groups = {path.parent for path in found}
    if not found:
        raise Trouble(f"there is no study '{word}'; `warpref study list` lists them")
    if len(found) > 1 and word not in {path.parent.name for path in found}:
        raise Trouble(f"'{word}' is a study of {' and '.join(sorted(g.name for g in groups))}; "
                      f"give it as {found[0].parent.name}/{word}")
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


def points_of(where, tables, beside):
    """Every combination of the values of each table, the last value fastest."""
    points = []
    for table in tables:
        if not isinstance(table, dict) or not table:
            raise Trouble(f"{where}: wants tables of values")
        choices = []
        for key, value in table.items():
            if not NAME.fullmatch(key):
                raise Trouble(f"{where}: '{key}' is no name; one is small letters, digits and _")
            if key == "rows":
                choices.append(rows_of(where, value, beside))
                continue
            value = range_of(f"{where}: {key}", value) if isinstance(value, dict) else value
            values = value if isinstance(value, list) and key != "without" else [value]
            if not values or (key != "without" and not all(type(v) in SCALAR for v in values)):
                raise Trouble(f"{where}: {key} wants a number, a text or a list of them")
            choices.append([{key: v} for v in values])
        for choice in itertools.product(*choices):
            points.append(expanded(where, {k: v for values in choice for k, v in values.items()}))
    if not points:
        raise Trouble(f"{where}: there is none")
    return tuple(points)


def range_of(where, value):
    """{ from = 0, to = 100, step = 25 }: both ends are in it."""
    if set(value) != {"from", "to", "step"} or not all(type(v) is int for v in value.values()) or value["step"] < 1:
        raise Trouble(f"{where}: a range wants from, to and step, whole numbers, a step of 1 or more")
    return list(range(value["from"], value["to"] + 1, value["step"]))


def rows_of(where, name, beside):
    """Of a CSV file beside the study: values by the names of its first line."""
    try:
        with open(beside / name, newline="") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    except (OSError, TypeError) as error:
        raise Trouble(f"{where}: rows: {name}: {getattr(error, 'strerror', error)}") from None
    if not rows or any(None in row or None in row.values() for row in rows):
        raise Trouble(f"{where}: rows: {name}: wants a line of names, and as many values in each line behind it")
    for key in rows[0]:
        if not NAME.fullmatch(key):
            raise Trouble(f"{where}: rows: {name}: '{key}' is no name; one is small letters, digits and _")
    return [{key: parsed(text) for key, text in row.items() if text} for row in rows]


def parsed(text):
    """A cell of a CSV file: a number, a text, or None where there is nothing."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


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
            raise Trouble(f"{where}: [measure] {name}: is a command of warpref or a scene: {', '.join(TOOLS)}")
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
    points, quick = (points_of(f"{where}: [[{k}]]", table[k], path.parent) for k in ("points", "quick"))
    measures = measures_of(where, table["measure"])
    columns = {}
    for name, entry in table["column"].items():
        here = f"{where}: [column.{name}]"
        hold(here, entry, "column")
        columns[name] = Column(name, entry["title"], expression.parse(here, entry["of"]), entry.get("unit", ""),
                               entry.get("digits", 0), entry.get("shown", True))
    findings = tuple(finding_of(f"{where}: [[finding]] {number}", entry)
                     for number, entry in enumerate(table.get("finding", []), 1))
    plots = table.get("plot", [])
    plots = plots if isinstance(plots, list) else [plots]
    name = next((n for n, at in names().items() if at == path), path.stem)
    study = Study(name, path, table["question"], table["source"], table.get("rule", ""), points, quick, measures,
                  columns, tuple(plot_of(where, plot, columns, findings) for plot in plots), findings,
                  table.get("table", True))
    hold_names(where, study)
    return study


def finding_of(here, entry):
    hold(here, entry, "finding")
    entry = {**entry, "value": expression.parse(here, entry["value"]), "band": tuple(entry.get("band", ()))}
    if "claim" in entry:
        claim = claimfile.by_id().get(entry["claim"])
        if claim is None:
            raise Trouble(f"{here}: there is no claim '{entry['claim']}'; `warpref claims` lists them")
        twice = [k for k in ("paper", "source", "unit") if k in entry] + ["band"] * bool(entry["band"])
        if twice:
            raise Trouble(f"{here}: {twice[0]} is that of its claim; leave it out")
        entry = {"text": claim.text, **entry, "unit": claim.unit, "paper": claim.number, "source": claim.source,
                 "band": claim.band}
    elif "text" not in entry:
        raise Trouble(f"{here}: lacks 'text', or a claim that has one")
    band = entry["band"]
    if band and (len(band) != 2 or not all(type(b) in (int, float) for b in band) or band[0] > band[1]):
        raise Trouble(f"{here}: band wants [least, most]")
    if entry.get("not_met") and not band:
        raise Trouble(f"{here}: not_met says why a band is not met, and there is none")
    if ("at" in entry) != ("series" in entry):
        raise Trouble(f"{here}: at and series, its place in a plot of findings, go together")
    return Finding(**entry)


def plot_of(where, plot, columns, findings):
    here = f"{where}: [plot]"
    hold(here, plot, "plot")
    if plot["kind"] == "findings":
        if set(plot) != {"kind", "x", "y"} or len(plot["y"]) != 1 or all(f.at is None for f in findings):
            raise Trouble(f"{here}: of findings with at and series; x and y, of one text, are the titles of its axes")
        return plot
    if plot["kind"] not in KINDS:
        raise Trouble(f"{here}: kind is {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    if set(plot.get("log", "")) - set("xy"):
        raise Trouble(f"{here}: log is x, y or xy")
    wanted = [plot["x"], *plot["y"], *plot.get("only", {}), *(plot[k] for k in ("series", "label") if k in plot)]
    for name in wanted:
        if name not in columns:
            raise Trouble(f"{here}: there is no column '{name}'; there are {', '.join(columns)}")
    if not plot["y"] or (plot["kind"] in ("lines", "map") and len(plot["y"]) > 1):
        raise Trouble(f"{here}: y wants one column, with bars one or more")
    if plot["kind"] == "map" and ("series" not in plot or "paper" in plot or "log" in plot):
        raise Trouble(f"{here}: a map has x across and series upwards, numbers both, and neither log nor paper")
    for line in plot.get("paper", []):
        hold(f"{here} paper", line, "plot.paper")
        if ("axis" in line) == ("x" in line) or line.get("axis", "y") not in ("x", "y"):
            raise Trouble(f"{here} paper: wants axis, x or y, for a line, or x, the place of a mark")
        if line.get("of", plot["y"][0]) not in plot["y"]:
            raise Trouble(f"{here} paper: of is a column of y: {', '.join(plot['y'])}")
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
