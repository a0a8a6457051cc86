#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""warpref report: a page of a fixed set of results, opened in headless Chromium; pages with planted faults, which
must be seen; files that are damaged; and the picture of a timeline against its intervals.

  tests/report/run.py BUILD_DIR [SHOTS]    pictures of the page go to folder SHOTS (out/check/report)
"""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "report"), str(pathlib.Path(__file__).resolve().parent)]

import results
import timeline
from browser import Browser, Gone
from look import told, wrong_with

WARPREF = pathlib.Path(sys.argv[1]).resolve() / "bin/warpref"
SHOTS = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "out/check/report").resolve()
TABLE = "#study-odd-first .scroll:last-of-type table.sortable:not(.findings)"
counts = {True: 0, False: 0}


def check(name, held, detail=""):
    counts[bool(held)] += 1
    print(f"{'ok   ' if held else 'FAIL '} {name}" + ("" if held else f": {detail}"), flush=True)


def report(*words):
    done = subprocess.run([WARPREF, "report", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def want(name, status, pattern, *words):
    got, said = report(*words)
    check(name, got == status and re.search(pattern, said) and "Traceback" not in said, f"exit {got}: {said[-500:]}")


def texts(folder):
    """What the page holds, beside the browser: odd texts are texts, and what must not come along did not."""
    page = (folder / "report.html").read_text()
    check("odd texts are escaped", "<b>bold" not in page and "&lt;b&gt;bold&lt;/b&gt; &amp;" in page and
          "{{ 7 * 7 }}" in page)
    check("nothing of the plots runs or fetches", not re.search(r"a\.invalid|onclick|plot's script|<metadata", page))
    check("one document", page.count("<html") == page.count("</html>") == page.count("</script>") == 1)
    plots = re.findall(r"<svg[^>]*id=\"(plot\d+)\".*?</svg>", page, re.S)
    check("rules of a plot hold for it alone", len(plots) == 2 and
          all(f"#{p} *{{stroke-linecap" in page for p in plots), plots)
    check("verdicts are words", all(w in page for w in ("✓ met", "✗ not met", "– not measured", "✓ pass")))
    check("the quick form is left out", "1 quick form of a study is left out" in page)
    check("a failed run is shown", "1 run failed" in page and '<a href="runs/x/log">' in page)
    check("the waveform is linked", '<a href="preempted.fst">' in page and "gtkwave preempted.gtkw" in page)
    again = re.findall(r"<code>(warpref run [^<]*--stats vecadd.json[^<]*)</code>", page)
    check("a run's command", len(again) == 1 and "vecadd.yaml" in again[0] and
          "--timeline vecadd.timeline.csv,sm=1,from=500,to=9000" in again[0], again)
    report(folder, "-o", folder.parent / "other.html")
    check("links from elsewhere", '<a href="results/preempted.fst">' in (folder.parent / "other.html").read_text())
    before = (folder / "report.html").read_bytes()
    report(folder)
    check("the same bytes again", before == (folder / "report.html").read_bytes())


def command(folder):
    """A shell takes the command that a run's file names, and it gives the same bytes."""
    (folder / "it's $HOME").symlink_to(ROOT / "kernels")
    shell = {"cwd": folder, "stdout": subprocess.DEVNULL, "check": False}
    subprocess.run([WARPREF, "run", "it's $HOME/vecadd.yaml", "-c", "gtx480", "--set", "l1.mshrs=8", "--threads", "2",
                    "--counters", "--stats", "first.json"], **shell)
    again = json.loads((folder / "first.json").read_text())["command"]
    check("its command has what decides", "--config gtx480 --set l1.mshrs=8" in again and
          not re.search("--threads|--stats|--counters", again), again)
    subprocess.run(["sh", "-c", again.replace("warpref", f"'{WARPREF}'", 1) + " --stats second.json"], **shell)
    check("its command gives the same bytes", (folder / "second.json").is_file() and
          (folder / "first.json").read_bytes() == (folder / "second.json").read_bytes(), again)


def bands(svg):
    """state -> area of its polygon in the band beneath the rows."""
    areas = {}
    for state, path in re.findall(r'class="f-(\w+)" d="([^"]*)Z"', svg):
        x = y = area = 0.0
        for letter, numbers in re.findall(r"([MHV])([\d. ]+)", path):
            values = [float(v) for v in numbers.split()]
            new_x, new_y = values if letter == "M" else (values[0], y) if letter == "H" else (x, values[0])
            area += 0 if letter == "M" else (new_x - x) * (y + new_y) / 2
            x, y = new_x, new_y
        areas[state] = abs(area)  # the polygon closes straight down, at x = 0
    return areas


def picture(folder):
    """Each column of each row against a count of its cycles, one by one; and the sums."""
    for name, sm in (("vecadd.timeline.csv", 1), ("preempted-timeline.csv", 3)):
        line = timeline.read(folder / name, sm)
        cycles, total = {}, {}
        with open(folder / name, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if int(row["sm"]) == sm:
                    states = cycles.setdefault(int(row["warp"]), {})
                    states.update((c, row["state"]) for c in range(int(row["from"]), int(row["to"])))
                    total[row["state"]] = total.get(row["state"], 0) + int(row["to"]) - int(row["from"])
        check(f"{name}: sums", timeline.sums(line) == total and
              sum(total.values()) == len(cycles) * (line["to"] - line["from"]), total)
        svg, columns, length = timeline.svg(line, "x"), timeline.columns_of(line), line["to"] - line["from"]
        drawn = {}
        for state, path in re.findall(r'class="s-(\w+)"[^>]* d="([^"]*)"', svg):
            for x, y, wide in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)", path):
                row = round((float(y) - timeline.TOP - timeline.ROW / 2) / timeline.ROW)
                begin, many = (round(float(v) * columns / timeline.COLUMNS) for v in (x, wide))
                drawn.update({(row, begin + i): state for i in range(many)})
        wrong = unequal = 0
        for row, (warp, states) in enumerate(sorted(cycles.items())):
            shares = timeline.shares(line["warps"][warp], line["from"], length, columns)
            for column in range(columns):
                # Cycles that lie in the column as a whole, and the two that it cuts, in parts of 1 / columns.
                part = {}
                for c in range(column * length // columns, -(-(column + 1) * length // columns)):
                    inside = min((c + 1) * columns, (column + 1) * length) - max(c * columns, column * length)
                    state = states[line["from"] + c]
                    part[state] = part.get(state, 0) + inside
                unequal += part != shares[column]
                wrong += part.get(drawn.get((row, column)), 0) != max(part.values())
        check(f"{name}: columns have the colour of the longest state", drawn and wrong == 0 and
              len(drawn) == len(cycles) * columns, f"{wrong} of {len(drawn)} differ")
        check(f"{name}: shares are exact", unequal == 0, f"{unequal} columns differ")
        edges = re.findall(r'class="f-\w+" d="M0 ([\d.]+)H0V([\d.]+)', svg)
        check(f"{name}: the band is stacked", len(edges) == len(total) and
              all(above == base for (_, above), (base, _) in zip(edges, edges[1:])) and
              float(edges[-1][1]) == timeline.TOP + timeline.ROW * len(cycles) + 12, edges)
        whole, areas = timeline.COLUMNS * (timeline.BAND - 12), bands(svg)
        check(f"{name}: the band's areas are the sums", set(areas) == set(total) and all(
            abs(areas[s] / whole - total[s] / sum(total.values())) < 0.002 for s in total), areas)


def damaged(folder):
    """Files that are wrong are named and left out; nothing at all is bad input."""
    good = json.dumps(results.STUDIES[2])
    with tempfile.TemporaryDirectory() as scratch:
        at = pathlib.Path(scratch)
        want("no folder", 2, "none: is no folder", at / "none")
        want("an empty folder", 2, "holds no results", at)
        want("no argument", 2, "usage")
        want("a number of an SM", 2, "--sm takes", at, "--sm", "-1")
        (at / "good.json").write_text(good)
        want("a good one", 0, "studies: 1", at)
        want("a place that cannot be written", 2, "none", at, "-o", at / "none/x.html")
        header = timeline.HEAD + "\n"
        for name, text, pattern in [
                ("broken.json", good[:-20], "broken.json: line 1: is no JSON"),
                ("bytes.json", "\udcff{", "bytes.json: is no JSON"),
                ("deep.json", "[" * 100000, "deep.json: is no JSON"),
                ("row.json", good.replace('"only", ', ""), "row 1 has not one cell for each of the 16 columns"),
                ("type.json", good.replace('"quick": false', '"quick": 3'), "'quick' is 3, not bool"),
                ("key.json", good.replace('"question"', '"questoin"'), "the study has no 'question'"),
                ("verdict.json", json.dumps({**results.STUDIES[0], "plot": None}).replace("not met", "nearly"),
                 "verdict 'nearly' is not known"),
                ("digits.json", good.replace('"digits": 0', '"digits": -1'), "'digits' is -1, not 0 to 9"),
                ("nan.json", good.replace("1.0", "NaN"), "nan.json: is no JSON: NaN is no number"),
                ("large.json", good.replace("1.0", "1e999"), "large.json: is no JSON: the number 1e999 is too large"),
                ("long.json", good.replace("1.0", "9" * 5000), "long.json: is no JSON: the number 9* is too large"),
                ("plot.json", json.dumps(results.STUDIES[0]), "first.svg: No such file"),
                ("claims.json", "{}", "the claims are no list"),
                ("t.csv", header + "0,1,5,3,ready\n", "t.csv: line 2: is no interval"),
                ("t.csv", header + "0,1,0,3,sleepy\n", "t.csv: line 2: is no interval"),
                ("t.csv", header + "0,1,0,3,ready\n0,1,4,5,done\n", "ends at cycle 3, the next begins at 4"),
                ("t.csv", header + "0,1,0,3,ready\n0,2,0,4,done\n", "not all warps have the same cycles"),
                ("t.csv", header, "holds no interval"),
                ("s.csv", "cycle,sm.issued\n10,x\n", "s.csv: is no file of samples"),
                ("s.csv", "cycle,sm.issued\n10\n", "s.csv: line 2: has 1 cells"),
                ("s.csv", "cycle,sm.issued\n10,-1\n", "s.csv: line 2: a counter does not shrink"),
                ("s.csv", "cycle,sm.issued\n10,1\n10,1\n", "the cycles do not rise")]:
            (at / name).write_bytes(text.encode(errors="surrogateescape"))
            want(f"damaged: {pattern}", 1, pattern, at)
            check("... and named in the page", re.search(pattern.split(": ")[-1].replace("'", "&#39;"),
                                                         (at / "report.html").read_text()))
            (at / name).unlink()
        long = "9" * 200000
        svg = "<svg xmlns='http://www.w3.org/2000/svg'>" + "<g>" * 20000 + "</g>" * 20000 + "</svg>"
        for name, make, pattern in [
                ("t.csv", lambda p: p.write_text(header + f"0,1,0,3,{long}\n"), "t.csv: line 2: is no interval: field larger"),
                ("s.csv", lambda p: p.write_text(f"cycle,sm.issued\n10,{long}\n"), "s.csv: is no file of samples: field larger"),
                ("fifo.json", os.mkfifo, "fifo.json: is no regular file"),
                ("fifo.csv", os.mkfifo, "fifo.csv: is no regular file"),
                ("zero.csv", lambda p: p.symlink_to("/dev/zero"), "zero.csv: is no regular file"),
                ("gone.json", lambda p: p.symlink_to("nowhere"), "gone.json: No such file")]:
            make(at / name)
            want(f"damaged: {pattern}", 1, pattern, at)
            (at / name).unlink()
        (at / "plot.json").write_text(json.dumps(results.STUDIES[0]))
        for make, pattern in [(lambda p: p.write_text(svg), "is nested too deeply"), (os.mkfifo, "is no regular file")]:
            make(at / "first.svg")
            want(f"damaged: a plot that {pattern}", 1, f"first.svg: {pattern}", at)
            (at / "first.svg").unlink()
        (at / "first.svg").write_text("<svg>")
        want("damaged: a plot", 1, "first.svg: is no SVG", at)
    want("an SM that is not there", 1, "vecadd.timeline.csv: holds no interval of SM 7", folder, "--sm", "7",
         "-o", folder / "sm.html")


PLANTED = [  # name, what is put where, what must be said
    ("a too wide element", ("<main>", '<main><div style="width:2000px">wide</div>'), "400 dark: too wide: the page is"),
    ("one that is too wide for a phone", ("<main>", '<main><div style="width:500px">wide</div>'),
     "400 light: too wide: <div"),
    ("one that is too wide, in what is closed", ("</summary>", '</summary><div style="width:2000px">wide</div>'),
     "all opened: too wide"),
    ("a console error", ('"use strict";', '"use strict"; console.error("planted");'), "console: planted"),
    ("an exception", ('"use strict";', '"use strict"; none();'), "exception: Uncaught"),
    ("an external picture", ("<main>", '<main><img alt="" src="https://a.invalid/x.png">'),
     r"fetches https://a\.invalid/x\.png"),
    ("an external style sheet", ("</title>", '</title><link rel="stylesheet" href="http://a.invalid/x.css">'),
     r"fetches http://a\.invalid/x\.css"),
    ("an id twice", ("<main>", '<main><p id="study-odd-first"></p>'), "twice: study-odd-first"),
    ("a dead link", ("<main>", '<main><a href="#gone">x</a>'), "link to nothing: #gone"),
    ("a table that sorts numbers as texts", ("numeric ? a.value - b.value : ", "a.text < b.text ? -1 : "),
     "does not sort"),
    ("tables that do not sort", ("table.sortable", "table.none"), "no table sorts"),
    ("rows that scripts add", ('"use strict";', '"use strict"; document.querySelector("tbody").insertRow();'),
     "without scripts rows are missing"),
    ("too wide on paper", ("<main>", '<main><div class="x">x</div><style>@media print{.x{width:1500px}}</style>'),
     "on paper: too wide"),
]


POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy".*?>\n')
BLOCKED = [  # the same, which the page's policy stops where it gets in: name, what is put where
    ("an external picture", ("<main>", '<main><img alt="" src="https://a.invalid/x.png">')),
    ("an external style sheet", ("</title>", '</title><link rel="stylesheet" href="http://a.invalid/x.css">')),
    ("an escaped address of a style", ("<main>", r"""<main><p style="background:u\72l('https://a.invalid/x.png')">x</p>""")),
    ("an import of a style", ("<style>", '<style>@import "https://a.invalid/x.css";')),
    ("another script", ("<main>", "<main><script>fetch('https://a.invalid/')</script>")),
    ("a handler", ("<main>", """<main><img alt="" src="data:," onerror="fetch('https://a.invalid/')">""")),
]


def opened(folder):
    bytes_column = ["31", "900", "1,200"]
    sort = [(TABLE, 1, bytes_column), (TABLE, 2, ["9.5", "88.2", "–"]), (TABLE, 0, ["k2", "k9", "k10"])]
    SHOTS.mkdir(parents=True, exist_ok=True)
    page = folder / "report.html"
    with Browser() as browser:
        wrong = wrong_with(browser, page, SHOTS, sort)
        check("the page in a browser", not wrong, "; ".join(wrong[:8]))
        check("its pictures are kept", all((SHOTS / f"{w}.{s}.png").stat().st_size > 20000
                                          for w in (1280, 400) for s in ("light", "dark")))
        (folder / "first").mkdir()  # a page of one study, for it is looked at many times
        for ending in (".json", ".svg"):
            shutil.copy((folder / "odd/first").with_suffix(ending), folder / "first")
        report(folder / "first")
        text = (folder / "first/report.html").read_text()
        bad = folder / "first/planted.html"
        for name, (old, new) in BLOCKED:
            bad.write_text(text.replace(old, new, 1))
            browser.look(1280)
            browser.go(bad.resolve().as_uri())
            seen = told(browser)
            check(f"stopped: {name}", old in text and not any("fetches https" in w for w in seen) and
                  any("Content Security Policy" in w for w in seen), seen[:5])
        text = POLICY.sub("", text)  # else it would stop what is planted
        for name, (old, new), pattern in PLANTED:
            bad.write_text(text.replace(old, new, 1))
            seen = wrong_with(browser, bad, None, sort)
            check(f"planted: {name}", old in text and any(re.search(pattern, w) for w in seen), seen[:5])
    (SHOTS / "report.html").write_text(page.read_text())


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "results"
        folder.mkdir()
        results.make(folder, WARPREF)
        want("the page", 0, "studies: 3, claims: 3, runs: 2, blocks: [1-9][0-9]*, damaged files: 0", folder)
        texts(folder)
        picture(folder)
        damaged(folder)
        command(pathlib.Path(scratch))
        try:
            opened(folder)
        except Gone as problem:
            check("the browser", False, problem)
    print(f"{counts[True]} passed, {counts[False]} failed")
    return 1 if counts[False] or not counts[True] else 0


if __name__ == "__main__":
    sys.exit(main())
