# SPDX-License-Identifier: Apache-2.0
"""A small fixed set of results: real runs and block states, and studies by hand whose texts and plots are as odd as
they may be."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
ODD = "a <b>bold</b> & \"quoted\" 'claim' </script></style>{{ 7 * 7 }}"
LONG = "a_name_without_a_place_to_break_it_" * 6
# Both plots have the same ids, a rule for everything, and things that have no place in the page.
PLOT = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="400pt" height="200pt">
<metadata><about>%(name)s</about></metadata>
<style type="text/css">*{stroke-linecap: butt; fill: %(colour)s} @import url(http://a.invalid/x.css);</style>
<script>console.error("the plot's script runs")</script>
<defs><clipPath id="clip"><rect width="390" height="190"/></clipPath><path id="mark" d="M-4 0L4 0"/></defs>
<g id="axes" clip-path="url(#clip)" onclick="console.error('click')">
<rect id="bar" x="20" y="20" width="300" height="60"/>
<use xlink:href="#mark" x="50" y="120"/><use href="http://a.invalid/x.svg#mark"/>
<image width="9" height="9" xlink:href="http://a.invalid/x.png"/><text x="20" y="180">%(name)s</text></g>
</svg>
"""


def study(name, question, rows, **more):
    columns = [("kernel", "kernel", "", None), ("bytes", "bytes of a context & more", "bytes", 0),
               ("saved", "saved", "%", 1), *((f"c{i}", f"a further column {i}", "cycles", 2) for i in range(12)),
               ("hidden", "hidden", "", 0)]
    return {"study": name, "question": question, "source": "a paper, <Fig.> 6", "rule": "how & why", "quick": False,
            "columns": [{"name": n, "title": t, "unit": u, "digits": d, "shown": n != "hidden"}
                        for n, t, u, d in columns],
            "rows": [[label, *values, *(v * 3.25 for v in range(12)), 1] for label, *values in rows],
            "findings": [], "plot": None, "commands": [], "failed": [], "again": f"warpref study {name} --out DIR",
            **more}


def finding(text, value, paper, band, verdict, **more):
    return {"text": text, "value": value, "unit": "%", "digits": 1, "paper": paper, "source": "a paper III.B",
            "band": band, "verdict": verdict, "why": "", "claim": None, **more}


STUDIES = [
    study("odd/first", f"What is {ODD}?", [("k10", 900, 9.5), ("k9", 1200, None), ("k2", 31, 88.25)],
          findings=[finding("met", 29.4, 34.3, [20, 50], "met"), finding(ODD, -3, 34.3, [20, 50], "not met", why=ODD),
                    finding("without a value", None, None, None, "")],
          plot="first.svg", commands=[f"warpref run '{ODD}'", "warpref run " + LONG]),
    study("odd/second", LONG, [(LONG, 1, 2)], plot="second.svg",
          failed=[{"command": f"warpref run {LONG}", "error": ODD, "log": "../runs/x/log"}]),
    study("other/bare", "Is a study shown that has a table alone?", [("only", 1, 1.0)]),
]
CLAIMS = [{"id": f"odd.{verdict.replace(' ', '_')}", "paper": "a paper", "text": ODD, "source": "III.B",
           "kind": "number", "number": 34.3, "unit": "%", "band": [20, 50], "reason": ODD, "value": value,
           "verdict": verdict, "why": "", "study": of, "measured": "abc"}
          for verdict, value, of in (("met", 29.4, "odd/first"), ("not met", 2.0, "odd/none"),
                                     ("not measured", None, None))]
RUNS = {
    "vecadd": ["vecadd.yaml", "--samples", "vecadd.csv", "--sample", "1000", "--timeline",
               "vecadd.timeline.csv,sm=1,from=500,to=9000"],
    "preempted": ["bfs_kernel1.yaml", "--system", "preemption:period=2000", "--samples", "preempted-samples.csv",
                  "--sample", "500", "--timeline", "preempted-timeline.csv", "--wave", "preempted.fst"],
}


def make(folder, warpref):
    """Writes all of it below `folder`."""
    for data in STUDIES:
        path = folder / (data["study"] + ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data))
        if data["plot"]:
            path.with_suffix(".svg").write_text(PLOT % {"name": path.stem, "colour": "#456"})
    quick = {**STUDIES[0], "quick": True}
    (folder / "quick/odd").mkdir(parents=True)
    (folder / "quick/odd/first.json").write_text(json.dumps(quick))
    (folder / "runs/x").mkdir(parents=True)
    (folder / "runs/x/log").write_text("it failed\n")
    (folder / "runs/x/figures.json").write_text("{ of a run that is in a table")
    (folder / "lock").write_text("")
    (folder / "claims.json").write_text(json.dumps(CLAIMS))
    (folder / "plan.json").write_text('{"of": "another kind"}')
    for name, (file, *options) in RUNS.items():
        subprocess.run([warpref, "run", ROOT / "kernels" / file, "--stats", f"{name}.json", *options], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)
    with open(folder / "state.json", "w", encoding="utf-8") as out:
        subprocess.run([warpref, "state", "--json"], check=True, stdout=out)
