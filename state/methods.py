# SPDX-License-Identifier: Apache-2.0
"""What is measured of a block for its state: each method is a command of the project, how its result is read,
and the columns that show it.

A method gives figures, of which `pass` says that all of it held. One that cannot run raises Trouble and
leaves none. Figures hold for the sources of the block, and for its own part of the method's bench, as they were:
their digests stand beside them.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import typing

ROOT = pathlib.Path(os.environ.get("WARPREF_ROOT") or pathlib.Path(__file__).resolve().parent.parent)
PROGRAM = pathlib.Path(os.environ.get("WARPREF_PROGRAM") or ROOT / "build/release/bin/warpref")
CYCLES = 1000000
EXECUTIONS = 20000
STIMULUS = "stimulus"
UNIT_TEST = (STIMULUS, "tests/blocks/test_{b}.c", "tests/oracle/{b}_oracle.[ch]", "vectors/golden/{b}.*.hex")
FO4_LIMIT = 40


class Trouble(Exception):
    """A message for the user."""


def _reached(start, files, names_in):
    """The files that start leads to, itself included, where names_in gives what a text refers to."""
    found, rest = set(), [start]
    while rest:
        path = rest.pop()
        if path not in found and path in files:
            found.add(path)
            rest += [f for f in files if f not in found and names_in(path.read_text(), f)]
    return found


def _sources(path):
    """What a block is made of: its toml, RTL with the modules in it, model with the headers of refmodel/ that
    it includes and their C files."""
    group = path.parent.name
    rtl = set((ROOT / "rtl" / group).glob("*.sv"))
    models = set((ROOT / "refmodel").rglob("*.[ch]"))

    def included(text, file):
        return f'"{file.with_suffix(".h").relative_to(ROOT)}"' in text

    def named(text, file):
        return re.search(rf"\b{file.stem}\b", re.sub(r"//.*", "", text))

    return {path, *_reached(ROOT / "rtl" / group / f"{path.stem}.sv", rtl, named),
            *_reached(path.with_suffix(".c"), models, included)}


def _stimulus(path):
    """The block's stimulus, with what it includes of its group's folder."""
    folder = ROOT / "testbench" / path.parent.name
    return _reached(folder / f"{path.stem}_stim.c", set(folder.glob("*.[ch]")),
                    lambda text, file: f'"{file.with_suffix(".h").relative_to(ROOT)}"' in text)


def _rows(path, name):
    """What a file of several blocks says of this one: paragraphs of a toml, else lines."""
    text = path.read_text() if path.is_file() else ""
    return [part for part in text.split("\n\n" if path.suffix == ".toml" else "\n")
            if re.search(rf"\b{name}\b", part)]


class Block:
    def __init__(self, path):
        data = tomllib.loads(path.read_text())
        self.name, self.configs, self.path = data["block"], list(data["config"]), path
        self.bits = data["storage"]["bits"]
        self.sources = _digest(sorted(_sources(path)))

    def bench(self, method):
        """Digest of what the method's bench has for this block alone."""
        files = _stimulus(self.path) if STIMULUS in METHODS[method].bench else set()
        rows = []
        for pattern in METHODS[method].bench:
            if pattern.startswith("rows of "):
                rows += _rows(ROOT / pattern.removeprefix("rows of "), self.name)
            elif pattern != STIMULUS:
                files |= set(ROOT.glob(pattern.format(b=self.name)))
        return _digest(sorted(files), "\0".join(rows))


def _digest(files, text=""):
    return hashlib.sha256(b"".join(f.read_bytes() for f in files) + text.encode()).hexdigest()[:12]


def blocks_of(names):
    """The blocks of these names, all where there is none."""
    found = {p.stem: p for p in sorted(ROOT.glob("refmodel/*/*.toml"))}
    for name in names:
        if name not in found:
            raise Trouble(f"there is no block '{name}'; `warpref blocks` lists them")
    return [Block(path) for name, path in found.items() if not names or name in names]


def run(argv, **environment):
    """Standard output of a command that held or did not; Trouble where it could not run."""
    done = subprocess.run([str(a) for a in argv], cwd=ROOT, capture_output=True, text=True, check=False,
                          env=dict(os.environ, WARPREF_ROOT=str(ROOT), WARPREF_PROGRAM=str(PROGRAM), **environment))
    if done.returncode not in (0, 1):
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise Trouble(f"{' '.join(map(str, argv))}: exit {done.returncode}: {' '.join(said)}")
    return done.stdout


def run_json(*argv):
    """What a command of warpref writes into the FILE behind its --json."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "result.json"
        said = run([PROGRAM, *argv, "--json", path])
        if not path.is_file():
            raise Trouble(f"warpref {' '.join(map(str, argv))}: wrote no result: {said.strip()[-200:]}")
        return json.loads(path.read_text())


def lockstep(block):
    waived = re.findall(rf'^{block.name} (\w+) "([^"]*)"', (ROOT / "testbench/waived_bins.txt").read_text(), re.M)
    f = {"pass": True, "configs": len(block.configs), "cycles": 0, "bins": 0, "hit": 0, "waived": len(waived)}
    for config in block.configs:
        with tempfile.TemporaryDirectory() as folder:
            row = json.loads(run([PROGRAM, "cosim", block.name, "--config", config, "--cycles", CYCLES, "--json",
                                  "--mismatch-wave", f"{folder}/m.fst", "--shortest", f"{folder}/m.hex"]))
        empty = {name for name, hits in row["coverage"].items() if hits == 0}
        f["cycles"] += row["cycles"]
        f["bins"] += len(row["coverage"])
        f["hit"] += len(row["coverage"]) - len(empty)
        f["pass"] = f["pass"] and row["pass"] and empty == {b for c, b in waived if c == config}
    return f


def coverage(block):
    (row,) = run_json("coverage", block.name, "--config", "tiny")["blocks"]
    return {"pass": row["status"] == 0, "waived": len(row["waived"]),
            **{key: row[key] for key in ("cycles", "lines", "lines_hit", "toggles", "toggles_hit")}}


def gates(block):
    """The golden vectors, and what the unit test records of its oracle."""
    name = f"{block.name}.tiny.hex"
    with tempfile.TemporaryDirectory() as folder:
        run([PROGRAM.parent.parent / "tests" / f"test_{block.name}"], WARPREF_VECTORS=folder)
        text = run([ROOT / "testbench/replay/replay.sh", "--gates", ROOT / "vectors/golden" / name,
                    pathlib.Path(folder) / name])
    cycles = [int(n) for n in re.findall(r": PASS (\d+) cycles", text)]
    return {"pass": len(cycles) == 2, "cycles": sum(cycles)}


def model_mutants(block):
    text = run([sys.executable, ROOT / "tests/mutants/model.py", PROGRAM.parent.parent, block.name])
    found = re.search(r"(\d+) mutants, (\d+) killed, (\d+) same, (\d+) equivalent, (\d+) lives", text)
    if found is None:
        raise Trouble(f"tests/mutants/model.py prints no figures: {text.strip()[-200:]}")
    mutants, killed, same, equivalent, lives = map(int, found.groups())
    return {"pass": lives == 0 and killed > 0, "mutants": mutants, "killed": killed, "lives": lives,
            "equivalent": same + equivalent}


def misreadings(block):
    text = run([sys.executable, ROOT / "tests/mutants/misread.py", PROGRAM.parent.parent, block.name])
    found = re.search(r"^(\d+) passed, (\d+) failed$", text, re.M)
    if found is None:
        raise Trouble(f"tests/mutants/misread.py prints no figures: {text.strip()[-200:]}")
    seen, missed = map(int, found.groups())
    return {"pass": missed == 0 and seen > 0, "misreadings": seen + missed, "seen": seen}


def properties(block):
    if not (ROOT / f"formal/properties/{block.name}.sv").is_file():
        return {"pass": False, "properties": 0, "proved": 0, "induction": 0, "depth": None}
    rows = run_json("properties", block.name, "--config", "tiny")
    asserts = [r for r in rows if r["kind"] != "cover"]
    proved = [r for r in asserts if r["verdict"] == "proved"]
    bounded = [r["depth"] for r in proved if r["kind"] == "bounded"]
    return {"pass": bool(asserts) and all(r["verdict"] in ("proved", "reached") for r in rows),
            "properties": len(asserts), "proved": len(proved), "induction": len(proved) - len(bounded),
            "depth": min(bounded) if bounded else None}


def fuzz(block):
    (row,) = run_json("fuzz", block.name, "--config", "tiny", "--runs", EXECUTIONS, "--fresh")["blocks"]
    return {"pass": row["status"] == 0, **{key: row[key] for key in ("executions", "cycles", "edges")}}


def rtl_mutants(block):
    (row,) = run_json("mutate", block.name)["blocks"]
    return {"pass": row["lives"] == 0 and not row["stale_waivers"], "mutants": row["mutants"],
            "killed": row["pins"] + row["registers"],
            **{key: row[key] for key in ("lives", "equivalent", "waived")}}


def equality(block):
    """Goals proved of all; None for a configuration of which formal/expected.toml expects nothing."""
    expected = tomllib.loads((ROOT / "formal/expected.toml").read_text()).get(block.name, {})
    f = {"pass": True, "tiny": None, "default": None}
    for config in ("tiny", "default"):
        if config in expected.get("full", []) + list(expected.get("partial", {})):
            rows = run_json("prove", block.name, "--config", config)
            f[config] = [sum(r["verdict"] == "proved" for r in rows), len(rows)]
        f["pass"] = f["pass"] and f[config] is not None and 0 < f[config][0] == f[config][1]
    return f


def area(block):
    (row,) = run_json("area", block.name)["blocks"]
    s, t = row["synthesis"], row["timing"]
    return {"pass": t["fo4"] <= FO4_LIMIT, "library": row["library"], "fo4": t["fo4"], "mhz": t["fmax_mhz"],
            **{key: s[key] for key in ("cells", "area_um2", "nand2", "flipflops")}}


class Method(typing.NamedTuple):
    """What a method asks, its command, and its columns: title and text of the figures. `bench`: files that it has
    for a block, of its name {b}, or the rows of it in a file of all blocks."""
    asks: str
    command: str
    measure: typing.Callable
    columns: dict
    bench: tuple = ()


def _share(hit, of, waived="waived"):
    def text(f):
        return f"{f[hit]}/{f[of]}" + (f" + {f[waived]}" if f.get(waived) else "")
    return text


def _goals(f):
    return "; ".join("–" if f[c] is None else f"{f[c][0]}/{f[c][1]}" for c in ("tiny", "default"))


METHODS = {
    "lockstep": Method(
        f"{CYCLES:,} cycles in each named configuration without a difference; every bin hit, or waived with a reason",
        "warpref cosim BLOCK --config NAME --cycles 1000000", lockstep,
        {"lockstep cycles": lambda f: f"{f['cycles']:,}", "bins": _share("hit", "bins")},
        (STIMULUS, "rows of testbench/waived_bins.txt")),
    "coverage": Method(
        "every line of the RTL hit in the smallest configuration, or waived with a reason; toggles are a figure alone",
        "warpref coverage BLOCK --config tiny", coverage,
        {"lines": _share("lines_hit", "lines"), "toggles": _share("toggles_hit", "toggles", "")},
        (STIMULUS, "rows of tests/coverage/waived.txt")),
    "gates": Method(
        "the netlist behind synthesis replays the golden vectors and those of the oracle, unknown at power-up, in the "
        "smallest configuration",
        "testbench/replay/replay.sh --gates FILE...", gates,
        {"gate level": lambda f: f"{f['cycles']:,}"}, UNIT_TEST),
    "properties": Method(
        "the properties of its page proved in the smallest configuration, and every cover reached; "
        "how many for all time, the others to the depth",
        "warpref properties BLOCK --config tiny", properties,
        {"properties": _share("proved", "properties", ""), "for all time": lambda f: str(f["induction"]),
         "depth": lambda f: "" if f["depth"] is None else str(f["depth"])},
        ("formal/properties/{b}.sv",)),
    "fuzz": Method(
        f"{EXECUTIONS:,} executions, guided by coverage, find nothing in the smallest configuration",
        f"warpref fuzz BLOCK --config tiny --runs {EXECUTIONS} --fresh", fuzz,
        {"fuzz executions": lambda f: f"{f['executions']:,}"}, (STIMULUS,)),
    "model_mutants": Method(
        "no change of the model lives that its unit test does not see (+ proved or said to be equivalent)",
        "tests/mutants/model.py build/release BLOCK", model_mutants,
        {"model mutants": _share("killed", "mutants", "equivalent")},
        (*UNIT_TEST, "rows of tests/mutants/equivalent.toml")),
    "misreadings": Method(
        "the same wrong idea in model and RTL, which lockstep cannot see, is seen by the unit test: oracle, golden "
        "vectors, examples; five at least",
        "tests/mutants/misread.py build/release BLOCK", misreadings, {"misreadings": _share("seen", "misreadings", "")},
        (*UNIT_TEST, "tests/mutants/misread/{b}.toml")),
    "rtl_mutants": Method(
        "no change of the netlist lives that lockstep does not see, of 200 in the smallest configuration "
        "(+ proved equivalent, or waived with a reason)",
        "warpref mutate BLOCK", rtl_mutants,
        {"RTL mutants": lambda f: _share("killed", "mutants", "equivalent")(f)
         + (f" + {f['waived']} waived" if f["waived"] else "")},
        (STIMULUS, "formal/rel/{b}.c", "rows of tests/mutants/rtl_waived.toml")),
    "equality": Method(
        "model equals RTL, proved from any state for any input, in tiny and in default; goals proved of all",
        "warpref prove BLOCK --config tiny --config default", equality, {"model = RTL: tiny; default": _goals},
        ("formal/rel/{b}.c",)),
    "area": Method(
        f"no path above {FO4_LIMIT} FO4 in default, in osu018",
        "warpref area BLOCK", area,
        {"cells": lambda f: f"{f['cells']:,}", "um2": lambda f: f"{f['area_um2']:,.0f}",
         "MHz": lambda f: f"{f['mhz']:.0f}", "FO4": lambda f: f"{f['fo4']:.1f}"}),
}
