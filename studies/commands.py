# SPDX-License-Identifier: Apache-2.0
"""What a measure may be: commands of `warpref`, and scenes, small programs that drive a block's model.

A `run` that samples leaves its samples too: a list, `samples`, with one entry for each row of the file.

A command's result is used again while its key is the same: the digest of the program, of its words, and of all
that it reads: the files that it names, what those name in turn, and the folders of the tree that its tool reads.
"""
import csv
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import re
import sys

from trouble import Trouble

ROOT = pathlib.Path(os.environ.get("WARPREF_ROOT") or pathlib.Path(__file__).resolve().parent.parent)
FOLLOWED = (".yaml", ".cu", ".ptx", ".h", ".f", ".toml", ".csv")  # files whose text may name others
FIGURES = "figures.json"
SAMPLES = "samples.csv"
NAMED = re.compile(rb"[\w.+/-]+\.[A-Za-z]\w*")


@dataclasses.dataclass(frozen=True)
class Tool:
    extra: tuple = ()         # words behind those of the study; {dir}, {steps}, {figures}: files of the run
    file: bool = False        # it writes {figures} itself; else they are its standard output
    reads: tuple = ()         # folders of the tree
    pick: str = ""            # the figures are the first of this list


TOOLS = {
    "area": Tool(("--out", "{steps}", "--json", "{figures}", "--jobs", "1"), True,
                 ("area", "rtl", "refmodel"), "blocks"),
    "run": Tool(("--stats", "{figures}"), True),
    "cosim": Tool(("--json", "--no-shrink", "--mismatch-wave", "{dir}/mismatch.fst"), False, ("rtl", "dpi")),
    "blocks": Tool(("--json",)),
    "compile": Tool(("--json",)),
    "network": Tool(("--json",)),
    "occupancy": Tool(("--json",)),
    "scene": Tool((), False, ("python", "studies/scenes")),
}


def program():
    path = pathlib.Path(os.environ.get("WARPREF_PROGRAM") or ROOT / "build/release/bin/warpref")
    if not os.access(path, os.X_OK):
        raise Trouble(f"{path}: the warpref program is not there; `ninja -C build/release warpref` builds it")
    return path


def line(words, folder, steps):
    """The words to start, from those of a measure."""
    extra = [e.format(dir=folder, steps=steps, figures=folder / FIGURES) for e in TOOLS[words[0]].extra]
    if words[0] == "scene":
        return [sys.executable, str(ROOT / "studies/scenes" / f"{words[1]}.py"), *words[2:]]
    if samples(words):
        extra += ["--samples", str(folder / SAMPLES)]
    return [str(program()), *words, *extra]


def samples(words):
    return words[0] == "run" and any(re.match(r"--sample(=|$)", word) for word in words)


def figures(words, folder):
    """What a run that ended well has found."""
    found = json.loads((folder / FIGURES).read_text())
    pick = TOOLS[words[0]].pick
    if samples(words):
        with open(folder / SAMPLES, newline="") as file:
            found["samples"] = [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]
    return found[pick][0] if pick else found


def steps(words):
    """A name for the steps that `warpref area` keeps for this command: node and clock share them."""
    text = re.sub(r" --(node|clock) \S+", "", " ".join(words))
    return hashlib.sha256(text.encode()).hexdigest()[:10]


@functools.cache
def file_digest(path):
    return hashlib.sha256(path.read_bytes()).digest()


@functools.cache
def folder_digest(folder):
    digest = hashlib.sha256()
    for path in sorted((ROOT / folder).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and "results" not in path.parts:
            digest.update(str(path.relative_to(ROOT)).encode() + file_digest(path))
    return digest.digest()


@functools.cache
def named(path):
    """The file and those that its text names, beside it or below it, and so on."""
    found, open_ = {path}, [path]
    while open_:
        at = open_.pop()
        if at.suffix not in FOLLOWED:
            continue
        for word in set(NAMED.findall(at.read_bytes())):
            other = at.parent / os.fsdecode(word)
            if other.is_file() and other not in found:
                found.add(other)
                open_.append(other)
    return sorted(found)


def files(words):
    """Files that a command names, as a word or as a part of one; the configuration by its name."""
    out = set()
    config = "gtx480" if words[0] == "run" else None
    for i, word in enumerate(words[1:], 1):
        if word in ("--config", "-c") and i + 1 < len(words):
            config = words[i + 1]
        elif word.startswith("--config="):
            config = word.removeprefix("--config=")
        for part in re.split(r"[=,:]", word):
            path = ROOT / part
            if part and path.is_file():
                out.update(named(path))
    if config and (ROOT / "shell/config" / f"{config}.yaml").is_file():
        out.add(ROOT / "shell/config" / f"{config}.yaml")
    return sorted(out)


def key(words):
    """Of all that the result of this command follows from."""
    digest = hashlib.sha256("\0".join(words).encode())
    digest.update(file_digest(program()))
    reads = set(TOOLS[words[0]].reads)
    if any(re.search(r"\b(rtl|lockstep)\b", w) for w in words):
        reads |= {"rtl", "dpi"}
    for folder in sorted(reads):
        digest.update(folder_digest(folder))
    for path in files(words):
        digest.update(str(path).encode() + file_digest(path))
    return digest.hexdigest()
