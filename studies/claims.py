#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The claims of the papers, and how each stands.

A claim is met or not met by the finding of a study that names it, out of the study's table: the recorded one, or
that of a folder of results. A claim that no study measures, or whose study was not run, is not measured. Nothing
else is a verdict.
"""
import argparse
import dataclasses
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean

import claimfile
import plan
import table
from trouble import Trouble

NOT_MEASURED = "not measured"
EPILOG = """\
kind: E exact or arithmetic; D derived from a distribution over benchmarks; T a tendency or sign. The band is what
counts as met; that of a D claim was written down, with its reason, before a study of it ran
(studies/PAPER/claims.toml). The value is that of a study: of the recorded tables, or with --results of a folder of
`warpref study --out`, where what was not run counts as not measured.

Exit status: 0 every claim that is not met has its cause in the study; 1 one has not; 2 bad usage or input.

Example: warpref claims
Example: warpref claims --paper lin_p --verdict 'not met'
Example: warpref study lin_p --out results && warpref claims --paper lin_p --results results
"""


@dataclasses.dataclass(frozen=True)
class Standing:
    claim: claimfile.Claim
    study: str = ""      # that measures it; "" where none does
    value: float | None = None
    verdict: str = NOT_MEASURED
    why: str = ""        # it is not met
    digits: int = 1
    measured: str = ""   # at this commit


def tables(results):
    """study -> its rows and the commit that was measured, of all that were run."""
    out = {}
    for path in plan.names().values():
        study = plan.read(path)
        at = (results / f"{study.name}.csv" if results else path.parent / "results" / f"{path.stem}.csv")
        out[study.name] = (study, *(table.from_csv(study, at) if at.is_file() else ("", None)))
    return out


def standings(results=None):
    """Of every claim, in order. Trouble where two findings name the same."""
    by_claim = {}
    for study, measured, rows in tables(results).values():
        judged = table.findings(study, rows) if rows is not None else []
        for finding in study.findings:
            if not finding.claim:
                continue
            if finding.claim in by_claim:
                raise Trouble(f"{study.name}: claim {finding.claim} is a finding of {by_claim[finding.claim].study}, "
                              "too; one study measures it")
            j = next((j for j in judged if j.finding is finding), None)
            claim = claimfile.by_id()[finding.claim]
            by_claim[claim.id] = Standing(claim, study.name, *(
                (j.value, j.verdict or NOT_MEASURED, finding.not_met if j.verdict == "not met" else "",
                 finding.digits, measured) if j else ()))
    return [by_claim.get(claim.id, Standing(claim)) for claim in claimfile.by_id().values()]


def line(s):
    c = s.claim
    number = "-" if c.number is None else table.with_unit(table.plain(c.number), c.unit)
    value = table.with_unit(table.number(s.value, s.digits), c.unit)
    return [c.id, c.kind, number, table.band(c.band), value, s.verdict, s.study or "-",
            f"{c.text} ({c.source})" + (f"; not met: {s.why}" if s.why else "")]


HEAD = ["claim", "kind", "paper", "band", "ours", "verdict", "study", "what"]


def sums(some):
    """How many stand how, in words."""
    return ", ".join(f"{sum(s.verdict == v for s in some)} {v}" for v in ("met", "not met", NOT_MEASURED))


def page():
    """docs/claims.md."""
    some = standings()
    out = ("<!-- made by `warpref study --page` -->\n# Claims of the papers\n\nEvery number that the five papers "
           "state and a reproduction can be held against, and how it stands: `warpref claims`. Kinds: "
           + "; ".join(f"{k} {text}" for k, text in claimfile.KINDS.items())
           + ". A claim is met where our value lies in the band. Bands, with their reasons, stand in "
           "`studies/PAPER/claims.toml`, and were written down before a study of the claim first ran. Values are "
           f"those of the recorded tables of studies (`docs/studies/`).\n\n{len(some)} claims: {sums(some)}.\n")
    for paper in dict.fromkeys(s.claim.paper for s in some):
        of = [s for s in some if s.claim.paper == paper]
        out += f"\n## {paper}\n\n{len(of)} claims: {sums(of)}.\n\n" + table.markdown(HEAD, map(line, of))
    return out


def as_json(s):
    c = s.claim
    return {"id": c.id, "paper": c.paper, "text": c.text, "source": c.source, "kind": c.kind, "number": c.number,
            "unit": c.unit, "band": table.finite(c.band), "reason": c.reason, "value": s.value,
            "verdict": s.verdict, "why": s.why, "study": s.study, "measured": s.measured}


def to_json(some):
    return json.dumps(list(map(as_json, some)), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def arguments():
    p = argparse.ArgumentParser(prog="warpref claims", formatter_class=argparse.RawDescriptionHelpFormatter,
                                description="The claims of the papers, and how each stands.", epilog=EPILOG)
    p.add_argument("--paper", metavar="NAME", help="those of one paper: lin_p, lin_d, smk, gong, kayiran")
    p.add_argument("--verdict", choices=("met", "not met", NOT_MEASURED), help="those that stand so")
    p.add_argument("--results", metavar="DIR", help="of this folder's tables, not of the recorded ones")
    p.add_argument("--json", action="store_true", help="print JSON, with the reason of each band")
    return p.parse_args()


def main():
    options = arguments()
    results = pathlib.Path(options.results).resolve() if options.results else None
    if results and not results.is_dir():
        raise Trouble(f"{options.results}: is no folder")
    some = standings(results)
    papers = list(dict.fromkeys(s.claim.paper for s in some))
    if options.paper and options.paper not in papers:
        raise Trouble(f"there are no claims of '{options.paper}'; there are those of {', '.join(papers)}")
    some = [s for s in some if options.paper in (None, s.claim.paper) and options.verdict in (None, s.verdict)]
    if options.json:
        print(to_json(some), end="")
    else:
        print(table.text(HEAD, list(map(line, some))) + f"\n{len(some)} claims: {sums(some)}")
    return 1 if any(s.verdict == "not met" and not s.why for s in some) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        print(f"warpref claims: {trouble}", file=sys.stderr)
        sys.exit(trouble.status)
    except OSError as problem:
        print(f"warpref claims: {problem}", file=sys.stderr)
        sys.exit(2)
