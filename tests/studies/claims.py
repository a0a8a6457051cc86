#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The claims of the papers, studies/*/claims.toml: they have their form, and none is left out.

A claim is one number, or one sign, that a paper states. Its row says where it stands in the list of all that the
five papers claim: 10.1 is Lin-P, 10.2 and 10.3 are chapters 3 and 4 of Lin-D, 10.4 is SMK, 10.5 Kayiran, 10.6 Gong,
and 10.7 what can be computed without a benchmark. Every row has at least one claim.

The same rules then look at faults planted in the files: each must be found, or the rules hold nothing.
Usage: tests/studies/claims.py [ROOT]
"""
import math
import pathlib
import re
import sys
import tomllib

ROWS = {"10.1": 26, "10.2": 23, "10.3": 12, "10.4": 20, "10.5": 14, "10.6": 23, "10.7": 13}
SECTIONS = {"lin_p": ["10.1"], "lin_d": ["10.2", "10.3"], "smk": ["10.4"], "kayiran": ["10.5"], "gong": ["10.6"]}
CITED = {"lin_p": "Lin-P", "lin_d": "Lin-D", "smk": "SMK", "kayiran": "Kayiran", "gong": "Gong"}
WITHOUT_BENCHMARK = "10.7"  # of every paper
UNITS = ("%", "us", "ns", "cycles", "B", "KB", "bit", "GB/s", "x", "mm2")
TEXTS = ("id", "text", "source", "row", "kind", "unit", "reason", "also", "outside")
NEEDED = ("id", "text", "source", "row", "kind", "band")


def is_number(value):
    return type(value) in (int, float) and not math.isnan(value)


def form_of(claim):
    """What is wrong with the keys of a claim and the kinds of their values, in words."""
    unknown = sorted(set(claim) - set(TEXTS) - {"number", "band"})
    if unknown:
        yield f"has no key {', '.join(unknown)}"
    missing = [key for key in NEEDED if key not in claim]
    if missing:
        yield f"lacks {', '.join(missing)}"
    for key in TEXTS:
        if key in claim and not (type(claim[key]) is str and claim[key].strip()):
            yield f"{key}: wants a text"
    if "number" in claim and not (is_number(claim["number"]) and math.isfinite(claim["number"])):
        yield "number: wants a finite number"
    band = claim.get("band")
    if not (type(band) is list and len(band) == 2 and all(map(is_number, band)) and band[0] <= band[1]):
        yield "band: wants [least, most]"


def rules_of(paper, claim):
    """What is wrong with a claim whose form is right."""
    if not re.fullmatch(rf"{paper}\.[a-z][a-z0-9_]*", claim["id"]):
        yield f"id: wants {paper}. and a word in small letters"
    if not re.match(rf"{CITED[paper]} \S", claim["source"]):
        yield f"source: wants {CITED[paper]} and a section, figure or table"
    if claim.get("unit", UNITS[0]) not in UNITS:
        yield f"unit: there are {', '.join(UNITS)}, and none for counts"
    for key in ("row", "also"):
        if key in claim and claim[key] not in rows_of(paper):
            yield f"{key}: there is no row {claim[key]} for {paper}"

    kind, number, (least, most) = claim["kind"], claim.get("number"), claim["band"]
    if kind not in ("E", "D", "T"):
        yield "kind: E exact, D over benchmarks, T tendency"
    if kind != "T" and number is None:
        yield f"a claim of kind {kind} has a number"
    if kind == "E" and (least == most) == ("reason" in claim):
        yield "kind E has a reason where its band is more than the number, and only there"
    if kind != "E" and "reason" not in claim:
        yield f"kind {kind} has a reason for its band"
    if kind != "E" and least == most:
        yield f"a band of kind {kind} is more than one number"
    if math.isinf(least) and math.isinf(most):
        yield "band: holds every number, so it can't fail"
    inside = number is None or least <= number <= most
    if not inside and "outside" not in claim:
        yield "number is outside the band, and `outside` does not say why"
    if inside and "outside" in claim:
        yield "`outside` says why the number is outside the band, and it is not"


def rows_of(paper):
    return {f"{section}/{n}" for section in SECTIONS[paper] + [WITHOUT_BENCHMARK] for n in range(1, ROWS[section] + 1)}


def judge(texts):
    """texts: paper -> what its file says. (things held, what is wrong with others)."""
    held, wrong, ids, rows = 0, [], {}, set()
    for paper in SECTIONS:
        name = f"studies/{paper}/claims.toml"
        try:
            table = tomllib.loads(texts[paper])
        except tomllib.TOMLDecodeError as error:
            wrong.append(f"{name}: {error}")
            continue
        claims = table.pop("claim", [])
        lines = [n for n, line in enumerate(texts[paper].splitlines(), 1) if line == "[[claim]]"]
        if table or not lines or type(claims) is not list or len(lines) != len(claims):
            wrong.append(f"{name}: wants [[claim]] tables, and nothing else")
            continue
        for line, claim in zip(lines, claims):
            found = list(form_of(claim)) or list(rules_of(paper, claim))
            said = str(claim.get("id", "no id"))
            if said in ids:
                found.append(f"id: {ids[said]} has the same")
            ids[said] = f"{name}:{line}"
            rows |= {str(claim.get("row")), str(claim.get("also"))}
            wrong += [f"{name}:{line}: {said}: {fault}" for fault in found]
            held += not found
    for section, count in ROWS.items():
        missing = [n for n in range(1, count + 1) if f"{section}/{n}" not in rows]
        wrong += [f"row {section}/{n} has no claim" for n in missing]
        held += count - len(missing)
    return held, wrong


# What is planted in a claim of Lin-P: pattern, what comes in its place, what must be said about it.
PLANTED = [
    (r"\[\[claim", "[claim", "line"),
    (r"(?s)\[\[claim.*", "", "nothing else"),
    (r"\[\[claim", "papers = 5\n[[claim", "nothing else"),
    (r"\nunit", "\nunti", "has no key unti"),
    (r"\nsource = .*", "", "lacks source"),
    (r'\ntext = ".*"', '\ntext = " "', "text: wants a text"),
    (r"\nnumber = 91.5", '\nnumber = "91.5"', "number: wants a finite number"),
    (r"\nnumber = 91.5", "\nnumber = inf", "number: wants a finite number"),
    (r"\nnumber = 91.5", "", "kind D has a number"),
    (r"\nnumber = 91.5", "\nnumber = 69", "does not say why"),
    (r"\nband = \[70, 97\]", '\nband = [70, 97]\noutside = "so"', "and it is not"),
    (r"\nband = \[70, 97\]", "\nband = [97, 70]", "wants [least, most]"),
    (r"\nband = \[70, 97\]", "\nband = [70]", "wants [least, most]"),
    (r"\nband = \[70, 97\]", "\nband = [nan, 97]", "wants [least, most]"),
    (r"\nband = \[70, 97\]", "\nband = [-inf, inf]", "can't fail"),
    (r"\nband = \[70, 97\]", "\nband = [91.5, 91.5]", "more than one number"),
    (r'\nid = "lin_p\.liveness"', '\nid = "lin_p.registers_compressed"', "has the same"),
    (r'\nid = "lin_p\.', '\nid = "lin_d.', "id: wants lin_p."),
    (r"\nsource = .*", '\nsource = "SMK 6.2"', "source: wants Lin-P"),
    (r'\nunit = "%"', '\nunit = "percent"', "unit: there are"),
    (r'\nkind = "D"', '\nkind = "X"', "kind: E exact"),
    (r'\nrow = "10\.1/1"', '\nrow = "10.2/1"', "there is no row 10.2/1 for lin_p"),
    (r'\nrow = "10\.1/1"', '\nrow = "10.1/27"', "there is no row 10.1/27"),
    (r'\nrow = "10\.1/2"', '\nrow = "10.1/1"', "row 10.1/2 has no claim"),
    (r'\nalso = "10\.7/', '\nalso = "10.6/', "also: there is no row"),
    (r"\nreason = .*", "", "kind D has a reason"),
    (r"\nband = \[1664, 1664\]", "\nband = [1663, 1665]", "kind E has a reason"),
    (r"\nband = \[1664, 1664\]", '\nband = [1664, 1664]\nreason = "so"', "kind E has a reason"),
]


def planted(texts):
    """(faults found, those that were not)."""
    found, missed = 0, []
    for pattern, place, said in PLANTED:
        text, changed = re.subn(pattern, lambda _, to=place: to, texts["lin_p"], count=1)
        if changed and any(said in line for line in judge(texts | {"lin_p": text})[1]):
            found += 1
        else:
            missed.append(f"planted {place.strip()!r} for {pattern!r}: " +
                          (f"nothing says '{said}'" if changed else "changes nothing"))
    return found, missed


def text_of(path):
    """A file that is not there says nothing; bytes that are no text are a fault of the TOML."""
    return path.read_text("utf-8", "surrogateescape") if path.is_file() else ""


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    texts = {paper: text_of(root / "studies" / paper / "claims.toml") for paper in SECTIONS}
    held, wrong = judge(texts)
    if not wrong:
        found, wrong = planted(texts)
        held += found
    for line in wrong:
        print(line)
    print(f"{held} passed, {len(wrong)} failed")
    return 1 if wrong or not held else 0


if __name__ == "__main__":
    sys.exit(main())
