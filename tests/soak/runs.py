# SPDX-License-Identifier: Apache-2.0
"""One run of `warpref run --json`, held to what every such run must be."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build/release/bin/warpref"
HANGS = 1800  # seconds: a hundred times what the longest run takes


class Failure(Exception):
    """A run that is not as it must be."""


class NoRoom(Failure):
    """The machine is too small for one TB."""


class TooLong(Failure):
    """More than --max-cycles."""


def wrong_checks(text):
    try:
        return [c for c in json.loads(text).get("checks", []) if c["wrong"]]
    except ValueError:
        return ""


def run(command, may_check_nothing=False):
    """Its report, once it has ended with exit status 0, every check of every file held, of which there is one unless
    said otherwise, and, under preemption, as many TBs have come back as have left."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=HANGS)
    except subprocess.TimeoutExpired as hang:
        raise Failure(f"it hangs: stopped after {HANGS} s") from hang
    if done.returncode == 2 and " does not fit an SM of " in done.stderr:
        raise NoRoom(f"exit status 2: {done.stderr.strip()[-500:]}")
    if done.returncode == 1 and " has not ended after " in done.stderr:
        raise TooLong(f"exit status 1: {done.stderr.strip()[-500:]}")
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode}: {done.stderr.strip()[-500:]} {wrong_checks(done.stdout)}")
    report = json.loads(done.stdout)
    checks = report["checks"]
    if report["pass"] is not True or not (checks or may_check_nothing) or any(c["wrong"] or not c["compared"] for c in checks):
        raise Failure("it ends with exit status 0 and without all of its checks held")
    if "tbs.saved" in report.get("measured", {}):
        saved, flushed = count(report, "tbs.saved"), count(report, "tbs.flushed")
        gpu = report["counters"]
        if gpu["sm.tbs_evicted"] != saved + flushed or gpu["sm.tbs_restored"] != saved:
            raise Failure(f"{saved} TBs saved and {flushed} flushed, but {gpu['sm.tbs_evicted']} evicted, "
                          f"{gpu['sm.tbs_restored']} restored")
    return report


def count(report, name):
    return report["measured"][name]["value"]


def same(a, b):
    """What differs of what two such runs must have in common; "": nothing."""
    return ", ".join(what for what in ("cycles", "buffer_hashes") if a[what] != b[what])


def page_of(program, system):
    return subprocess.run([program, "systems", system], check=True, capture_output=True, text=True).stdout


def has_blocks(program, system):
    return "\nBlocks\n  none\n" not in page_of(program, system)
