# SPDX-License-Identifier: Apache-2.0
"""Writes the skeleton of a new block from the templates in dpi/new/.

The skeleton is a small block that works: it passes its unit test, lockstep and lint as it is. To make
a block of one's own, its files are changed one by one while the tests stay green.
"""

import re
import shutil
import subprocess

import blockdesc
import replace

# Template -> where it goes.
FILES = {
    "block.toml.in": "refmodel/{group}/{block}.toml",
    "model.h.in": "refmodel/{group}/{block}.h",
    "model.c.in": "refmodel/{group}/{block}.c",
    "block.sv.in": "rtl/{group}/{block}.sv",
    "stim.c.in": "testbench/{group}/{block}_stim.c",
    "oracle.h.in": "tests/oracle/{block}_oracle.h",
    "oracle.c.in": "tests/oracle/{block}_oracle.c",
    "test.c.in": "tests/blocks/test_{block}.c",
    "faults.sed.in": "tests/fail/rtl/{block}.sed",
    "misread.toml.in": "tests/mutants/misread/{block}.toml",
    "page.md.in": "docs/blocks/{block}.md",
}

NEXT = """next:
    python3 dpi/generate.py                                      # what follows from the toml
    cmake --preset release && cmake --build --preset release
    build/release/tests/test_{block}
    build/release/bin/warpref cosim {block}
    dpi/lint.sh verilator {block} && dpi/lint.sh yosys {block}
    for c in {configs}; do                                # golden vectors: commit them
        build/release/bin/warpref vectors {block} --config $c --cycles 100 -o vectors/golden/{block}.$c.hex
    done
    python3 dpi/generate.py && python3 tests/structure.py        # draws [diagram], once it is in the toml"""


def problem(name, groups, blocks):
    """What is wrong with GROUP/BLOCK, or None."""
    match = re.fullmatch(r"([^/]+)/([^/]+)", name)
    if not match:
        return f"'{name}' is not GROUP/BLOCK, such as {sorted(groups)[0]}/my_block"
    for part in match.groups():
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", part):
            return f"'{part}' is no lower_snake name: small letters, digits and single underscores, a letter first"
    group, block = match.groups()
    if block in {b.name for b in blocks}:
        return f"block {block} is there already, see {next(b.path for b in blocks if b.name == block)}"
    if group == "gen":
        return "group gen is for generated files"
    for pattern in FILES.values():
        path = pattern.format(group=group, block=block)
        if (blockdesc.ROOT / path).exists():
            return f"{path} is there already"
    return None


def tidy(paths):
    """Where lines break depends on the length of the name."""
    if shutil.which("clang-format-14"):
        subprocess.run(["clang-format-14", "-i", *paths], check=True)
    else:
        print("clang-format-14 is not installed: format the C files before you commit them")


def write(name, groups, blocks):
    """Prints what it does. True where the files are written."""
    wrong = problem(name, groups, blocks)
    if wrong:
        print(f"--new: {wrong}")
        return False
    group, block = name.split("/")
    words = {"@group@": group, "@GROUP@": group.upper(), "@block@": block, "@BLOCK@": block.upper()}
    if group not in groups:
        path = blockdesc.ROOT / blockdesc.GROUPS
        replace.text(path, path.read_text() + f'{group} = "say here what the blocks of this group are for"\n')
        print(f"{blockdesc.GROUPS}: new group {group}, say there what its blocks are for")
    written = []
    for template, pattern in FILES.items():
        text = (blockdesc.ROOT / "dpi/new" / template).read_text()
        path = blockdesc.ROOT / pattern.format(group=group, block=block)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace.text(path, re.sub("|".join(words), lambda m: words[m[0]], text))
        written.append(path)
        print(f"{path.relative_to(blockdesc.ROOT)}: written")
    tidy([p for p in written if p.suffix in (".c", ".h")])
    print(NEXT.format(block=block, configs="tiny default odd"))
    return True
