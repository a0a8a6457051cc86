# SPDX-License-Identifier: Apache-2.0
"""What was found, as HTML: page.html with page.css and page.js, numbers as a reader wants them, plots drawn."""
import base64
import collections
import hashlib
import os
import pathlib
import re
import urllib.parse

import jinja2
import markupsafe

import plots
import timeline
from trouble import Damaged

HERE = pathlib.Path(__file__).resolve().parent
VERDICTS = {"met": ("good", "✓ met"), "not met": ("bad", "✗ not met"), "not measured": ("open", "– not measured"),
            "": ("open", "– no band"), "held": ("good", "✓"), "did not hold": ("bad", "✗"), "old": ("open", "old"),
            "never": ("open", "–"), "pass": ("good", "✓ pass"), "fail": ("bad", "✗ fail")}


def plain(value):
    """A number with the digits that it was given with; texts as they are, nothing as a dash."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:,}".removesuffix(".0")


def number(value, digits=None):
    """A number that was measured: with so many digits behind the point, else with four digits that count."""
    if value is None or isinstance(value, (str, int)) and digits is None:
        return plain(value)
    if isinstance(value, str):
        return value
    if digits is not None:
        return f"{value:,.{digits}f}"
    whole = len(f"{abs(value):.0f}")
    return plain(float(f"{value:.4g}")) if whole < 5 else f"{value:,.0f}"


def share(percent):
    """What there is a little of is not nothing."""
    return f"{percent:.1f} %" if percent >= 0.05 else "< 0.1 %"


def interval(band, digits=None):
    if not isinstance(band, list):
        return band or ""
    low, high = (end if end is None else plain(end) if digits is None else number(end, digits) for end in band)
    if low is None or high is None:
        return f"≥ {low}" if low is not None else f"≤ {high}" if high is not None else ""
    return low if low == high else f"{low} to {high}"


def anchor(*words):
    return re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")


def badge(verdict):
    kind, text = VERDICTS.get(verdict or "", ("open", str(verdict)))
    return markupsafe.Markup('<span class="badge {}">{}</span>').format(kind, text)


def tally(verdicts):
    """[(verdict, how often)], the known ones in their order."""
    counts = collections.Counter(v or "" for v in verdicts)
    return [(v, counts[v]) for v in [*VERDICTS, *sorted(set(counts) - set(VERDICTS))] if counts[v]]


def draw_studies(found):
    for i, study in enumerate(found.studies):
        study["id"], study["svg"] = anchor("study", study["study"], "quick" if study["quick"] else ""), None
        if study["id"] in (s["id"] for s in found.studies[:i]):  # of another folder
            study["id"] += f"-{i}"
        study["trouble"] = None
        shown = [k for k, c in enumerate(study["columns"]) if c["shown"] is not False]
        study["hidden"] = len(study["columns"]) - len(shown)
        study["rows"] = [[row[k] for k in shown] for row in study["rows"]]
        study["columns"] = [study["columns"][k] for k in shown]
        for column, cells in zip(study["columns"], zip(*study["rows"])):
            column["numeric"] = any(isinstance(cell, (int, float)) for cell in cells)
        for failed in study["failed"]:
            log = study["path"].parent / (failed["log"] or "")
            failed["log_path"] = log if log.is_file() else None
        for finding in study["findings"]:
            finding["strip"] = markupsafe.Markup(plots.strip(finding["value"], finding["paper"], finding["band"]))
        if study["plot"]:
            path = study["path"].parent / study["plot"]
            try:
                study["svg"] = markupsafe.Markup(plots.inline(path, f"plot{i}", f"Plot: {study['question']}"))
            except Damaged as damage:
                study["trouble"] = f"{study['plot']}: {damage}"
                found.damaged.append((path, str(damage)))


def draw_timeline(line, name):
    sums, columns = timeline.sums(line), timeline.columns_of(line)
    line["svg"] = markupsafe.Markup(timeline.svg(line, name))
    line["sums"] = sums
    line["whole"] = sum(sums.values())
    line["per_column"] = (line["to"] - line["from"]) / columns
    line["count"] = sum(len(w) for w in line["warps"].values())
    line["narrow"] = sum(end - start < line["per_column"] for w in line["warps"].values() for start, end, _ in w)


def draw_samples(sample):
    drawn, zero, more = plots.samples(sample) if sample["cycles"] else ([], [], 0)
    sample.update(plots=[markupsafe.Markup(p) for p in drawn], zero=zero, more=more)


def draw_runs(found):
    for i, run in enumerate(found.runs):
        run["name"] = str(run["path"].relative_to(found.folder).with_suffix(""))
        run["id"] = f"run{i}"
        run["verdict"] = "pass" if run["pass"] else "fail"
        run["again"] = run["command"] and run["command"] + "".join(
            f" --{option} {file['path'].name}{more}" for option, file, more in
            [("stats", run, ""), *(("samples", s, "") for s in run["samples"]),
             *(("wave", w, "") for w in run["waves"]), *(("timeline", t, window(t)) for t in run["timelines"])])
    lines = [*found.timelines, *(t for r in found.runs for t in r["timelines"])]
    for i, line in enumerate(lines):
        draw_timeline(line, f"timeline{i}")
    for sample in [*found.samples, *(s for r in found.runs for s in r["samples"])]:
        draw_samples(sample)


def window(line):
    sm = f",sm={line['sm']}" if len(line["sms"]) == 1 else ""
    return f"{sm},from={line['from']},to={line['to']}"


def policy(script):
    """What a browser lets the page do: show what it holds, run its own script alone, and fetch nothing, whatever a file of
    results has brought into it."""
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{own}'"


def page(found, out, title):
    def link(path):
        return urllib.parse.quote(os.path.relpath(os.path.realpath(path), out.parent))

    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined, loader=jinja2.FileSystemLoader(HERE))
    environment.filters.update(number=number, plain=plain, interval=interval, badge=badge, tally=tally, share=share)
    environment.globals.update(link=link, anchor=anchor, states=timeline.STATES)
    studies = {study["study"]: study["id"] for study in found.studies}
    groups, papers = {}, {}
    for claim in found.claims:
        papers.setdefault(claim["paper"], []).append(claim)
    for study in found.studies:
        group, _, name = study["study"].rpartition("/")
        study["short"] = name
        groups.setdefault(group or "studies", []).append(study)
    script = (HERE / "page.js").read_text()
    return environment.get_template("page.html").render(
        title=title, found=found, groups=groups, papers=papers, studies=studies, policy=markupsafe.Markup(policy(script)),
        css=markupsafe.Markup((HERE / "page.css").read_text()), js=markupsafe.Markup(script))
