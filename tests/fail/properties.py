#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants the faults of tests/fail/properties.toml, one at a time, in RTL or in a property file, and wants
`warpref properties` to end with 1 and to name the right property with the right verdict.

Usage: properties.py [BLOCK...]
The last line is "N passed, N failed".
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def problem(fault, work):
    """What is wrong with how the fault was found, or None."""
    path, want = ROOT / fault["file"], fault.get("verdict", "refuted")
    text = path.read_text()
    if text.count(fault["from"]) != 1:
        return f"{fault['file']} has `{fault['from']}` {text.count(fault['from'])} times"
    changed, rows = work / path.name, work / "rows.json"
    changed.write_text(text.replace(fault["from"], fault["to"]))
    option = "--properties" if fault["file"].startswith("formal/") else "--rtl"
    run = subprocess.run([sys.executable, ROOT / "formal/properties.py", fault["block"], option, changed,
                          "--json", rows], text=True, capture_output=True, check=False)
    if run.returncode != 1:
        return f"exit {run.returncode}, wanted 1: {run.stderr.strip()}"
    got = {row["name"]: row["verdict"] for row in json.loads(rows.read_text() or "[]")}
    if got.get(fault["property"]) != want:
        return f"{fault['property']} is {got.get(fault['property'])}, wanted {want}"
    return None


def main():
    faults = tomllib.loads((ROOT / "tests/fail/properties.toml").read_text())["fault"]
    faults = [f for f in faults if not sys.argv[1:] or f["block"] in sys.argv[1:]]
    failed = 0
    for fault in faults:
        with tempfile.TemporaryDirectory() as work:
            wrong = problem(fault, pathlib.Path(work))
        failed += wrong is not None
        print(f"{'FAIL' if wrong else 'ok  '}  {fault['block']}: {fault['name']}{': ' + wrong if wrong else ''}", flush=True)
    print(f"{len(faults) - failed} passed, {failed} failed")
    return 0 if faults and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
