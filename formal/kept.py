# SPDX-License-Identifier: Apache-2.0
"""Results of proofs, kept in the folder of --out: a file BLOCK.CONFIG.KEY.json for each.

The key is a digest of all that the result follows from: model, relation, RTL, toml, stimulus, program, tools and
limits. A file is written in one go when its proof is done, so one that is there is whole, and an interrupted run
goes on where it was. Only what is proved whole is kept: a refuted goal leaves its vectors again, and an open one
may have been short of time.
"""
import ast
import functools
import json
import re
import subprocess
from pathlib import Path

from area.results import digest, write
from formal import rtl
from formal.harness import FOLDER, sources_of
from formal.tool import ToolFailed
from tools import replace

HERE = Path(__file__).resolve().parent
# Not in a proof: how it is asked for and shown, and other proofs.
BESIDE = ("prove", "kept", "expected", "round_trip", "properties", "property_file", "processes")
TOOLS = (["yosys", "-V"], ["clang-14", "--version"], ["boolector", "--version"], ["cadical", "--version"],
         ["z3", "--version"], ["cvc5", "--version"])


@functools.cache
def _program():
    """The code of what proves, without comments and layout, and the versions of the tools."""
    files = [f for f in sorted(HERE.glob("*.py")) if f.stem not in BESIDE] + [HERE.parent / "dpi/blockdesc.py"]
    said = []
    for tool in TOOLS:
        try:
            said.append(subprocess.run(tool, capture_output=True, text=True).stdout)
        except FileNotFoundError:
            said.append("none")
    return digest(*(ast.dump(ast.parse(f.read_text())) for f in files), *said)


def _files(job):
    """Descriptions, and C with all that it includes: of the model, of the relation, of the stimulus."""
    b, root = job.block, job.root
    refmodel = root / "refmodel" / b.group
    found = [refmodel / f"{b.name}.toml", FOLDER / "relate.h", root / f"testbench/{b.group}/{b.name}_stim.c",
             *sources_of(root, b, job.model), *filter(None, [job.relation])]
    for path in found:  # it grows
        text = path.read_text()
        more = [d / name for name in re.findall(r'^\s*#include "([^"]+)"', text, re.M) for d in (root, path.parent)]
        for part in re.findall(r"^// part: \w+ (\w+) \w+$", text, re.M):
            more += [refmodel / f"{part}.toml", FOLDER / f"{part}.c"]
        found += [f for f in dict.fromkeys(more) if f not in found and f.is_file()]
    return found


def key(job):
    source = job.rtl or rtl.own(job.root, job.block)
    return digest(_program(), *(f.read_bytes() for f in _files(job)), *rtl.read(job.root, job.block, source).values(),
                  job.rtl is None, source.defines, job.config, job.top, job.solver, job.timeout, job.only, job.seed)


def _path(job, name):
    return job.out / f"{job.block.name}.{job.config}.{name[:12]}.json"


def read(job):
    """The rows, or None where none are kept that still follow, or what they follow from cannot be read."""
    try:
        name = key(job)
        old = json.loads(_path(job, name).read_text())
        return old["rows"] if old["key"] == name else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(job, name, rows):
    """name: the key before the proof, for what it follows from may have changed meanwhile."""
    if name == key(job) and all(r["verdict"] == "proved" for r in rows):
        write(_path(job, name), {"key": name, "rows": rows})


def check_json(path):
    """Before the work, whether its results can be written: a device may be full, a folder not ours."""
    try:
        replace.check(path)
    except OSError as error:
        raise ToolFailed(f"{path}: cannot be written: {error.strerror}") from None


def write_json(path, rows):
    replace.text(path, json.dumps(rows, indent=1) + "\n")
