# SPDX-License-Identifier: Apache-2.0
"""A study's table and its findings: made of runs, written as CSV and JSON, read back, shown.

The CSV holds the columns alone, in full precision. Findings, plots and the pages follow from it, so a recorded
CSV (studies/<group>/results/NAME.csv) is all that is kept of a study that was run.
"""
import csv
import dataclasses
import io
import math

import expression
from plan import parsed, shown
from trouble import Trouble


def commands(study, points):
    found = (study.command(m, p) for p in points for m in study.measures)
    return [tuple(words) for words in found if words is not None]


def make(study, points, runs):
    """Rows, column by column: an expression sees the values of its point and earlier columns of all rows."""
    rows = [dict(point) for point in points]
    found = [{m: figures_of(study, m, point, runs) for m in study.measures} for point in points]

    def cells(name, values):
        return [r.get(name) for r in rows if all(r.get(k) == v for k, v in values.items())]

    for column in study.columns.values():
        made = []
        for point, row, figures in zip(points, rows, found):
            measures = {m: look(study, m, point, figures[m], column) for m in study.measures}
            made.append(expression.evaluate(column.of, row, measures, cells))
        for row, value in zip(rows, made):
            row[column.name] = value
    return [{name: row[name] for name in study.columns} for row in rows]


def figures_of(study, measure, point, runs):
    """What the columns ask of a measure of this point, by path; None where it did not run."""
    words = study.command(measure, point)
    if words is None or tuple(words) not in runs.found:
        return None
    paths = set().union(*(expression.paths(c.of, measure) for c in study.columns.values()))
    return runs.figures(tuple(words), {filled(study, path, point) for path in paths})


def filled(study, path, point):
    try:
        return path.format_map(point)
    except (KeyError, IndexError, ValueError) as error:
        raise Trouble(f"{study.name}: '{path}': point {shown(point)} has no value {error}") from None


def look(study, measure, point, figures, column):
    def figure(path):
        if figures is None:
            return None
        value = figures[filled(study, path, point)]
        if value is None:
            raise Trouble(f"{study.name}: column {column.name}: the figures of {measure} have no "
                          f"'{filled(study, path, point)}' ({shown(point)})")
        return value
    return figure


@dataclasses.dataclass(frozen=True)
class Judged:
    finding: object   # plan.Finding
    value: float | None
    verdict: str      # met, not met; "" without a band or without a value


def findings(study, rows):
    out = []

    def cells(name, values):
        return [r[name] for r in rows if all(r.get(k) == v for k, v in values.items())]

    for finding in study.findings:
        value = expression.evaluate(finding.value, {}, {}, cells)
        verdict = ""
        if finding.band and value is not None:
            verdict = "met" if finding.band[0] <= value <= finding.band[1] else "not met"
        out.append(Judged(finding, value, verdict))
    return out


def unexpected(study, judged):
    """Lines on findings that are not as the file says: a band not met without a reason, a reason too many."""
    for j in judged:
        text = f"{study.name}: {j.finding.text}: {number(j.value, j.finding.digits)}"
        if j.verdict == "not met" and not j.finding.not_met:
            yield f"{text} is outside {band(j.finding.band)}; if it stays so, let `not_met` say why"
        elif j.verdict == "met" and j.finding.not_met:
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


def band(least_most):
    """In words; "-" where there is none."""
    if not least_most:
        return "-"
    least, most = least_most
    if math.isinf(most):
        return f"{plain(least)} or more" if not math.isinf(least) else "any"
    return f"{plain(most)} or less" if math.isinf(least) else f"{plain(least)} to {plain(most)}"


def with_unit(text, unit):
    return f"{text} {unit}" if unit and text != "-" else text


def to_csv(study, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(study.columns)
    for row in rows:
        writer.writerow("" if row[n] is None else row[n] for n in study.columns)
    return out.getvalue()


def to_json(study, rows, judged):
    """What a page is made of."""
    columns = study.columns.values()
    return {
        "study": study.name, "question": study.question, "source": study.source, "rule": " ".join(study.rule.split()),
        "columns": [{"name": c.name, "title": c.title, "unit": c.unit, "digits": c.digits, "shown": c.shown}
                    for c in columns],
        "rows": [[row[c.name] for c in columns] for row in rows],
        "findings": [{"text": j.finding.text, "value": j.value, "unit": j.finding.unit, "digits": j.finding.digits,
                      "paper": j.finding.paper, "source": j.finding.source, "band": finite(j.finding.band),
                      "verdict": j.verdict, "why": j.finding.not_met if j.verdict == "not met" else "",
                      "claim": j.finding.claim or None} for j in judged],
    }


def finite(band_):
    """JSON has no infinity: null is an open end."""
    return [None if math.isinf(end) else end for end in band_] or None


def from_csv(study, path):
    """The rows of a table, and the commit in its first line where it is recorded. Trouble where it is of other
    columns."""
    with open(path, newline="") as file:
        first = file.readline()
        said = first.removeprefix("# measured at ").strip() if first.startswith("#") else ""
        if not said:
            file.seek(0)
        lines = list(csv.reader(file))
    if not lines or lines[0] != list(study.columns) or any(len(line) != len(lines[0]) for line in lines):
        raise Trouble(f"{path}: its columns are not those of {study.name}; run the study with --save", 1)
    return said, [{name: parsed(text) for name, text in zip(lines[0], line)} for line in lines[1:]]


def lines_of(study, rows):
    """Heading and cells as texts. A column without a value in any row is left out."""
    columns = [c for c in study.columns.values() if c.shown and any(row[c.name] is not None for row in rows)]
    return [c.heading for c in columns], [[number(row[c.name], c.digits) for c in columns] for row in rows]


def finding_lines(judged):
    head = ["finding", "measured", "paper", "band", "verdict"]
    lines = []
    for j in judged:
        f = j.finding
        paper = "-" if f.paper is None else with_unit(plain(f.paper), f.unit)
        paper = f"{paper} ({f.source})" if f.source else paper
        why = f": {f.not_met}" if j.verdict == "not met" and f.not_met else ""
        lines.append([f.text, with_unit(number(j.value, f.digits), f.unit), paper, band(f.band),
                      (j.verdict or "-") + why])
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
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n"
                   for line in [head, ["---"] * len(head), *lines])
