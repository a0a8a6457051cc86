# SPDX-License-Identifier: Apache-2.0
"""Results in a folder: studies, claims, runs with what lies beside them, block states.

A file is known by what it holds, not by where it lies. One of a known kind whose fields are not as they should be
is damaged: its name and what is wrong are kept, and nothing of it is shown. Files of other kinds are no concern.
"""
import csv
import json
import os
import pathlib
import re

import timeline
from trouble import Damaged, regular

STUDY = {"study", "question", "columns", "rows", "findings"}
RUN = {"config", "system", "cycles", "launches", "checks", "counters", "derived"}
CLAIM = {"id", "paper", "text", "source", "number", "unit", "verdict"}
STATE = {"blocks", "asks"}
VERDICTS = {"met", "not met", ""}
NUMBER = (int, float)
MOST_DIGITS = 9
MOST_HEAD = 1 << 16  # characters of a CSV file's first line
COUNTERS = re.compile(r"cycle(,[a-z]\w*(\.\w+)+)+")  # the head of a file of samples
# Of each key its types; None among them: it may be null or absent.
STUDY_KEYS = {"study": (str,), "question": (str,), "source": (str, None), "rule": (str, None), "quick": (bool, None),
              "columns": (list,), "rows": (list,), "findings": (list,), "plot": (str, None),
              "commands": (list, None), "failed": (list, None), "again": (str, None)}
COLUMN_KEYS = {"name": (str,), "title": (str, None), "unit": (str, None), "digits": (int, None), "shown": (bool, None)}
FINDING_KEYS = {"text": (str,), "value": (*NUMBER, None), "unit": (str, None), "digits": (int, None),
                "paper": (*NUMBER, str, None), "source": (str, None), "band": (list, None), "verdict": (str, None),
                "why": (str, None), "claim": (str, None)}
FAILED_KEYS = {"command": (str,), "error": (str,), "log": (str, None)}
CLAIM_KEYS = {"id": (str,), "paper": (str,), "text": (str,), "source": (str,), "kind": (str, None),
              "number": (*NUMBER, str, None), "unit": (str, None), "band": (list, str, None), "reason": (str, None),
              "value": (*NUMBER, None), "verdict": (str,), "why": (str, None), "study": (str, None)}
RUN_KEYS = {"command": (str, None), "config": (str,), "system": (str,), "blocks": (str, None), "status": (str, None),
            "message": (str, None), "pass": (bool, None), "cycles": (int,), "launches": (list,), "checks": (list,),
            "counters": (dict,), "derived": (dict,), "measured": (dict, None)}
LAUNCH_KEYS = {"kernel": (str,), "runs": (int,), "cycles": (int,), "warp_instructions": (int,), "tbs": (int,),
               "registers": (int,), "tbs_per_sm": (int,), "limit": (str,)}
CHECK_KEYS = {"buffer": (str,), "against": (str,), "compared": (int,), "wrong": (int,),
              "largest_error": (*NUMBER, None)}
STATE_KEYS = {"blocks": (list,), "asks": (list,)}
BLOCK_KEYS = {"block": (str,), "stage": (str,), "bits": (int,), "methods": (dict,)}
ASK_KEYS = {"stage": (str,), "method": (str,), "figures": (list,), "asks": (str,), "command": (str,)}
METHOD_KEYS = {"verdict": (str,), "figures": (list,)}


def fields(what, value, keys):
    """The value with every key there, or what is wrong with it."""
    if not isinstance(value, dict):
        raise Damaged(f"{what} is no object")
    for key, types in keys.items():
        got = value.get(key)
        wanted = tuple(t for t in types if t is not None)
        # To Python a bool is an int, too.
        right = isinstance(got, wanted) and (not isinstance(got, bool) or bool in wanted)
        if not right and not (got is None and None in types):
            raise Damaged(f"{what}: '{key}' is {json.dumps(got)[:40]}, not {' or '.join(t.__name__ for t in wanted)}"
                          if key in value else f"{what} has no '{key}'")
    return {key: value.get(key) for key in keys}


def each(what, values, keys):
    return [fields(f"{what} {i + 1}", v, keys) for i, v in enumerate(values or [])]


def texts(what, values):
    if not all(isinstance(v, str) for v in values or []):
        raise Damaged(f"{what}: not all of them are texts")
    return values or []


def number(text):
    """Of JSON: one that can be reckoned and printed with."""
    value = float(text) if set(text) & set(".eE") else int(text[:40])
    if not abs(value) < 1e30:
        raise ValueError(f"the number {text[:20]} is too large")
    return value


def constant(text):
    raise ValueError(f"{text} is no number")


def band_of(what, band):
    if band is not None and not isinstance(band, str) and (
            len(band) != 2 or not all(isinstance(b, NUMBER) or b is None for b in band)):
        raise Damaged(f"{what}: 'band' is not two numbers")


def study_of(path, data):
    study = fields("the study", data, STUDY_KEYS)
    study["columns"] = each("column", study["columns"], COLUMN_KEYS)
    study["findings"] = each("finding", study["findings"], FINDING_KEYS)
    study["failed"] = each("failed run", study["failed"], FAILED_KEYS)
    study["commands"] = texts("commands", study["commands"])
    for i, row in enumerate(study["rows"]):
        if not isinstance(row, list) or len(row) != len(study["columns"]):
            raise Damaged(f"row {i + 1} has not one cell for each of the {len(study['columns'])} columns")
        if not all(cell is None or isinstance(cell, (*NUMBER, str)) for cell in row):
            raise Damaged(f"row {i + 1}: a cell is neither a number nor a text")
    for finding in study["findings"]:
        band_of(finding["text"], finding["band"])
        if (finding["verdict"] or "") not in VERDICTS:
            raise Damaged(f"verdict '{finding['verdict']}' is not known")
    for item in [*study["columns"], *study["findings"]]:
        if not 0 <= (item["digits"] or 0) <= MOST_DIGITS:
            raise Damaged(f"'digits' is {item['digits']}, not 0 to {MOST_DIGITS}")
    study["path"] = path
    return study


def run_of(path, data):
    run = fields("the run", data, RUN_KEYS)
    run["launches"] = each("launch", run["launches"], LAUNCH_KEYS)
    run["checks"] = each("check", run["checks"], CHECK_KEYS)
    for group in ("counters", "derived"):
        if not all(isinstance(v, NUMBER) for v in run[group].values()):
            raise Damaged(f"'{group}': not all of them are numbers")
    run["measured"] = {name: (fields(name, row, {"value": (*NUMBER, str), "unit": (str, None)}))
                       for name, row in (run["measured"] or {}).items()}
    return {**run, "path": path, "waves": [], "views": [], "samples": [], "timelines": []}


def claims_of(_, data):
    claims = each("claim", data, CLAIM_KEYS)
    for claim in claims:
        band_of(claim["id"], claim["band"])
    return claims


def state_of(path, data):
    state = fields("the state", data, STATE_KEYS)
    state["blocks"] = each("block", state["blocks"], BLOCK_KEYS)
    state["asks"] = each("stage", state["asks"], ASK_KEYS)
    for ask in state["asks"]:
        texts(ask["method"], ask["figures"])
    for block in state["blocks"]:
        for ask in state["asks"]:
            method = fields(block["block"], block["methods"].get(ask["method"]), METHOD_KEYS)
            block["methods"][ask["method"]] = {**method, "figures": texts(block["block"], method["figures"])}
    return {**state, "path": path}


class Found:
    """All that a folder holds."""

    def __init__(self, folder, sm):
        self.folder, self.sm = folder, sm
        self.studies, self.claims, self.runs, self.states = [], [], [], []
        self.waves, self.views, self.samples, self.timelines = [], [], [], []
        self.damaged = []  # (path, what is wrong)
        self.quick_left_out = 0
        for path in self.files():
            self.take(path)
        full = {s["study"] for s in self.studies if not s["quick"]}
        shown = [s for s in self.studies if not s["quick"] or s["study"] not in full]
        self.quick_left_out = len(self.studies) - len(shown)
        self.studies = sorted(shown, key=lambda s: (s["study"], str(s["path"])))
        self.gather()

    def files(self):
        """Each file, in order; the runs of a study are in its table, so folder `runs` beside a lock is left out."""
        for at, folders, names in os.walk(self.folder):
            folders[:] = sorted(f for f in folders if not (f == "runs" and "lock" in names))
            for name in sorted(names):
                yield pathlib.Path(at) / name

    def take(self, path):
        kinds = {".json": self.take_json, ".csv": self.take_csv, ".fst": lambda p: self.waves.append({"path": p}),
                 ".gtkw": lambda p: self.views.append({"path": p})}
        try:
            if path.suffix in kinds:
                regular(path)
                kinds[path.suffix](path)
        except Damaged as damage:
            self.damaged.append((path, str(damage)))
        except OSError as error:
            self.damaged.append((path, error.strerror or str(error)))

    def take_json(self, path):
        try:
            data = json.loads(path.read_text(), parse_int=number, parse_float=number, parse_constant=constant)
        except json.JSONDecodeError as error:
            raise Damaged(f"line {error.lineno}: is no JSON: {error.msg}") from None
        except (ValueError, RecursionError) as error:
            raise Damaged(f"is no JSON: {error}") from None
        keys = set(data) if isinstance(data, dict) else set()
        first = data[0] if isinstance(data, list) and data else None
        if STUDY <= keys or "study" in keys and "rows" in keys:
            self.studies.append(study_of(path, data))
        elif RUN <= keys:
            self.runs.append(run_of(path, data))
        elif STATE <= keys:
            self.states.append(state_of(path, data))
        elif path.name == "claims.json" or isinstance(first, dict) and CLAIM <= set(first):
            if not isinstance(data, list):
                raise Damaged("the claims are no list")
            self.claims += claims_of(path, data)

    def take_csv(self, path):
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            head = file.readline(MOST_HEAD).rstrip("\r\n")
        if head == timeline.HEAD:
            self.timelines.append(timeline.read(path, self.sm))
        elif COUNTERS.fullmatch(head):
            self.samples.append(samples_of(path))

    def gather(self):
        """Gives each run what lies beside it: RUN.fst, RUN.csv, RUN.timeline.csv, RUN-samples.csv ..."""
        for kind in ("waves", "views", "samples", "timelines"):
            rest = []
            for item in getattr(self, kind):
                owners = [r for r in self.runs if belongs(item["path"], r["path"])]
                owner = max(owners, key=lambda r: len(r["path"].stem), default=None)
                (owner[kind] if owner else rest).append(item)
            setattr(self, kind, rest)

    def empty(self):
        return not (self.studies or self.claims or self.runs or self.states or self.waves or self.samples
                    or self.timelines)


def belongs(path, run):
    return path.parent == run.parent and (path.stem == run.stem or
                                          path.stem.startswith(run.stem) and path.stem[len(run.stem)] in ".-_")


def samples_of(path):
    """Counters over time: {column: [growth in each row]}, and the cycle in front of which each row ends."""
    with open(path, encoding="utf-8", newline="") as file:
        try:
            head, *rows = csv.reader(file)
            cells = [[int(cell) for cell in row] for row in rows]
        except (ValueError, csv.Error) as error:
            raise Damaged(f"is no file of samples: {error}") from None
    for line, row in enumerate(cells, 2):
        if min(row, default=0) < 0:
            raise Damaged(f"line {line}: a counter does not shrink")
        if len(row) != len(head):
            raise Damaged(f"line {line}: has {len(row)} cells under {len(head)} names")
    cycles = [row[0] for row in cells]
    if any(b <= a for a, b in zip([0, *cycles], cycles)):
        raise Damaged("the cycles do not rise")
    return {"path": path, "cycles": cycles,
            "columns": {name: [row[i] for row in cells] for i, name in enumerate(head) if i}}
