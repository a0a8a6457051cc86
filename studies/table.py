# SPDX-License-Identifier: Apache-2.0
"""A study's table and its findings: made of runs, written as CSV, read back, shown.

The CSV holds the columns alone, in full precision. Findings, plots and the page follow from it, so a recorded
CSV (studies/<group>/results/NAME.csv) is all that is kept of a study that was run.
"""
import csv
import io

import expression
from plan import shown
from runs import figure
from trouble import Trouble


def commands(study, points):
    found = (study.command(m, p) for p in points for m in study.measures)
    return [tuple(words) for words in found if words is not None]


def make(study, points, runner):
    """Rows, column by column: an expression sees the values of its point and earlier columns of all rows."""
    rows = [dict(point) for point in points]

    def cells(name, values):
        return [r.get(name) for r in rows if all(r.get(k) == v for k, v in values.items())]

    for column in study.columns.values():
        made = []
        for point, row in zip(points, rows):
            measures = {m: figures_of(study, m, point, runner, column) for m in study.measures}
            made.append(expression.evaluate(column.of, row, measures, cells))
        for row, value in zip(rows, made):
            row[column.name] = value
    return [{name: row[name] for name in study.columns} for row in rows]


def figures_of(study, measure, point, runner, column):
    def look(path):
        words = study.command(measure, point)
        figures = runner.found.get(tuple(words)) if words is not None else None
        if figures is None:
            return None
        value = figure(figures, path)
        if value is None:
            raise Trouble(f"{study.name}: column {column.name}: the figures of {measure} have no '{path}' "
                          f"({shown(point)})")
        return value
    return look


def findings(study, rows):
    """(finding, value, verdict) of each: "" without a band, None where a value of it is absent."""
    out = []

    def cells(name, values):
        return [r[name] for r in rows if all(r.get(k) == v for k, v in values.items())]

    for finding in study.findings:
        value = expression.evaluate(finding.value, {}, {}, cells)
        verdict = None if value is None else ""
        if finding.band and value is not None:
            verdict = "met" if finding.band[0] <= value <= finding.band[1] else "not met"
        out.append((finding, value, verdict))
    return out


def unexpected(study, judged):
    """Lines on findings that are not as the file says: a band not met without a reason, a reason too many."""
    for finding, value, verdict in judged:
        text = f"{study.name}: {finding.text}: {number(value, finding.digits)}"
        if verdict == "not met" and not finding.not_met:
            least, most = finding.band
            yield f"{text} is outside {plain(least)} to {plain(most)}; if it stays so, let `not_met` say why"
        elif verdict == "met" and finding.not_met:
            yield f"{text} is met, and `not_met` says why it is not"


def number(value, digits):
    if value is None:
        return "-"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:,.{digits}f}"
    return str(value)


def plain(value):
    """As a study file has it."""
    return f"{value:,}"


def to_csv(study, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(study.columns)
    for row in rows:
        writer.writerow("" if row[n] is None else row[n] for n in study.columns)
    return out.getvalue()


def from_csv(study, path):
    """The rows of a recorded table, and the commit in its first line. Trouble where it is of other columns."""
    with open(path, newline="") as file:
        said = file.readline().removeprefix("# measured at ").strip()
        lines = list(csv.reader(file))
    if not lines or lines[0] != list(study.columns) or any(len(line) != len(lines[0]) for line in lines):
        raise Trouble(f"{path}: its columns are not those of {study.name}; run the study with --save", 1)
    return said, [{name: parsed(text) for name, text in zip(lines[0], line)} for line in lines[1:]]


def parsed(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def lines_of(study, rows):
    """Heading and cells as texts. A column without a value in any row is left out."""
    columns = [c for c in study.columns.values() if c.shown and any(row[c.name] is not None for row in rows)]
    return [c.heading for c in columns], [[number(row[c.name], c.digits) for c in columns] for row in rows]


def finding_lines(judged):
    head = ["finding", "measured", "paper", "band", "verdict"]
    lines = []
    for f, value, verdict in judged:
        unit = f" {f.unit}" if f.unit else ""
        paper = "-" if f.paper is None else plain(f.paper) + unit + (f" ({f.source})" if f.source else "")
        band = " to ".join(map(plain, f.band)) or "-"
        why = f": {f.not_met}" if verdict == "not met" and f.not_met else ""
        lines.append([f.text, number(value, f.digits) + unit, paper, band, (verdict or "-") + why])
    return head, lines


def text(head, lines):
    """In columns, those of figures to the right."""
    out = []
    for column in zip(head, *lines):
        width = max(map(len, column))
        figures = all(c in ("", "-") or c.lstrip("-")[:1].isdigit() for c in column[1:])
        out.append([c.rjust(width) if figures else c.ljust(width) for c in column])
    return "\n".join("  ".join(line).rstrip() for line in zip(*out)) + "\n"


def markdown(head, lines):
    return "".join("| " + " | ".join(line) + " |\n" for line in [head, ["---"] * len(head), *lines])
