#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the tree against docs/architecture.md.

Fails where a block lacks one of its files, a register that model and RTL both have is not compared, the
model of a block holds other blocks than the registry says of its RTL (`warpref run --rtl` goes by that),
a lower floor includes a higher one, a folder is not described (or described and not there), a source
file does not name the licence, or a source file or the golden vectors have grown past their limit.
Usage: tests/structure.py [ROOT]
"""
import pathlib
import re
import sys
import tomllib

# Which project folders a file of a folder may include, besides its own.
MAY_INCLUDE = {
    "files": [],
    "refmodel": [],
    "waveforms": ["files"],
    "dpi": ["files", "refmodel", "waveforms"],
    "testbench": ["files", "refmodel", "dpi"],
    "vectors": ["files", "refmodel", "dpi", "testbench"],
    "formal": ["refmodel"],
    "shell/ptx": ["files"],
    "shell/isa": [],
    "shell/compiler": ["files", "shell/ptx", "shell/isa"],
    "shell/config": ["shell/ptx"],
    "shell/memory": ["shell/config", "shell/isa"],
    "shell/cpu": ["shell/memory", "shell/config"],
    "shell/checkpoint": ["files"],
    "shell/core": ["shell/checkpoint", "shell/memory", "shell/cpu", "shell/isa", "shell/config"],
    "shell/host": ["files", "shell/checkpoint", "shell/core", "shell/memory", "shell/compiler", "shell/isa", "shell/ptx",
                   "shell/config"],
    "cuda": [],
    "cuda/runtime": ["cuda"],
    "cuda/server": ["cuda", "shell"],
    "systems": ["shell", "refmodel", "dpi", "vectors", "waveforms"],
    "kernels": ["shell/host"],
    "tools": ["*"],
    "studies": ["*"],
    "bench": ["*"],
    "tests": ["*"],
}
LICENCE = "SPDX-License-Identifier: Apache-2.0"
MAX_LINES = 600
MAX_GOLDEN_BYTES = 1 << 20  # of all files in vectors/golden

BLOCK_FILES = [
    "refmodel/{g}/{b}.h",
    "refmodel/{g}/{b}.c",
    "refmodel/gen/{b}_pins.h",
    "rtl/{g}/{b}.sv",
    "rtl/gen/{b}_pkg.sv",
    "dpi/gen/{b}_wrap.sv",
    "dpi/gen/{b}_bind.sv",
    "dpi/gen/{b}_block.c",
    "dpi/gen/{b}_port.h",
    "testbench/{g}/{b}_stim.c",
    "tests/oracle/{b}_oracle.c",
    "tests/oracle/{b}_oracle.h",
    "tests/blocks/test_{b}.c",
    "tests/fail/rtl/{b}.sed",
    "tests/mutants/misread/{b}.toml",
    "docs/blocks/{b}.md",
]


def floor_of(path):
    """The longest key of MAY_INCLUDE that holds this relative path."""
    parts = path.split("/")
    for n in (2, 1):
        key = "/".join(parts[:n])
        if key in MAY_INCLUDE:
            return key
    return None


def allowed(floor, target):
    ok = MAY_INCLUDE[floor]
    return (target == floor or "*" in ok or target in ok
            or any(target.startswith(o + "/") for o in ok))


def registers_of(root, block):
    """Registers NAME_q that model and RTL both have."""
    paths = [root / pattern.format(g=block["group"], b=block["block"])
             for pattern in ("refmodel/{g}/{b}.h", "rtl/{g}/{b}.sv")]
    if not all(path.is_file() for path in paths):
        return set()
    header, rtl = (path.read_text() for path in paths)
    struct = re.search(r"typedef struct wr_%s \{(.*?)\n\}" % block["block"], header, re.S)
    model = re.sub(r"/\*.*?\*/", "", struct[1], flags=re.S) if struct else ""
    clocked = re.findall(r"^\s+(\w+_q)\s*(?:\[[^\]]*\])?\s*<=", re.sub(r"//.*", "", rtl), re.M)
    return set(re.findall(r"\b\w+_q\b", model)) & set(clocked)


def models_inside(root, group, block, names, found=None):
    """Names of the blocks whose models a model has as members, and these again."""
    found = set() if found is None else found
    header = root / f"refmodel/{group}/{block}.h"
    text = header.read_text() if header.is_file() else ""
    for name in set(re.findall(r"^\s+wr_(\w+) \w+(?:\[[^\]]*\])?;", text, re.M)) & names - found:
        found.add(name)
        models_inside(root, group, name, names, found)
    return found


def rtl_inside(root, block):
    """Names of the blocks inside the RTL of one, by the registry."""
    tables = root / f"dpi/gen/{block}_block.c"
    table = re.search(r"inside_table\[\] = \{(.*)\};", tables.read_text()) if tables.is_file() else None
    return set(re.findall(r'"(\w+)"', table[1])) if table else set()


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                        pathlib.Path(__file__).resolve().parent.parent)
    errors, looked = [], 0

    tomls = sorted(root.glob("refmodel/*/*.toml"))
    names = {toml.stem for toml in tomls}
    for toml in tomls:
        block = tomllib.loads(toml.read_text())
        golden = ["vectors/golden/{b}." + config + ".hex" for config in block["config"]]
        for pattern in BLOCK_FILES + golden:
            looked += 1
            name = pattern.format(g=block["group"], b=block["block"])
            if not (root / name).is_file():
                errors.append(f"{toml.relative_to(root)}: block {block['block']} lacks {name}")

        both = registers_of(root, block)
        compared = {state["name"] for state in block.get("state", [])}
        unlike = set(block.get("unlike", {}))
        looked += len(both)
        for name in sorted(both - compared - unlike):
            errors.append(f"{toml.relative_to(root)}: model and RTL have {name}: it wants a [[state]], or a reason in [unlike]")
        for name in sorted(unlike - both | unlike & compared):
            errors.append(f"{toml.relative_to(root)}: [unlike] {name}: is compared, or not on both sides")

        models, rtl = models_inside(root, block["group"], block["block"], names), rtl_inside(root, block["block"])
        looked += 1
        if models != rtl:
            errors.append(f"{toml.relative_to(root)}: model and RTL of {block['block']} hold other blocks: "
                          f"{', '.join(sorted(models ^ rtl))}")

        test = root / f"tests/blocks/test_{block['block']}.c"
        if test.is_file() and f"&wr_{block['block']}_block" not in test.read_text():
            errors.append(f"{test.relative_to(root)}: does not run the contract of all blocks (tests/blocks/bench.h)")

    golden = sum(p.stat().st_size for p in root.glob("vectors/golden/*"))
    looked += 1
    if golden >= MAX_GOLDEN_BYTES:
        errors.append(f"vectors/golden: {golden} bytes, must stay under {MAX_GOLDEN_BYTES}: write fewer cycles")

    include = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
    for path in sorted(root.rglob("*")):
        rel = path.relative_to(root).as_posix()
        if path.suffix not in (".c", ".h", ".cpp", ".sv", ".v", ".py") or not path.is_file():
            continue
        if rel.split("/")[0] in ("build", "out", ".git"):
            continue
        text = path.read_text()
        looked += 1
        if LICENCE not in "\n".join(text.splitlines()[:2]):
            errors.append(f"{rel}:1: lacks the line {LICENCE}")
        lines = text.count("\n")
        if lines > MAX_LINES and "/gen/" not in rel:
            errors.append(f"{rel}: {lines} lines, more than {MAX_LINES}: it holds two ideas")
        floor = floor_of(rel)
        if floor is None or path.suffix not in (".c", ".h", ".cpp"):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            found = include.match(line)
            target = floor_of(found[1]) if found and "/" in found[1] else None
            if target and (root / rel.split("/")[0] / found[1]).is_file():
                target = floor  # it stands in the includer's own tree: kernels/cuda/
            if target and not allowed(floor, target):
                errors.append(f"{rel}:{number}: {floor} may not include {target}")

    page = root / "docs/architecture.md"
    named = set(re.findall(r"^\| `([a-z]+)/` \|", page.read_text(), re.M)) if page.is_file() else set()
    there = {p.name for p in root.iterdir() if p.is_dir() and not p.name.startswith(".")}
    there -= {"build", "out"}
    looked += len(there | named)
    for name in sorted(there - named):
        errors.append(f"{name}/: not in the folder table of docs/architecture.md")
    for name in sorted(named - there):
        errors.append(f"docs/architecture.md: names {name}/, which is not there")

    for error in errors:
        print(error)
    if not tomls or not named:
        print("structure: nothing was checked: no block or no folder table found")
        return 1
    print(f"structure: {looked} things looked at, {len(errors)} wrong")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
