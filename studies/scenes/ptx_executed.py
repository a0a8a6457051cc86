# SPDX-License-Identifier: Apache-2.0
"""Gong 4.3.2.1: how many PTX instructions a warp of a kernel executes, and how many instructions of the text it has.

    ptx_executed.py [FILE.cu KERNEL ROUNDS]      without them walsh_transform of the library

For kernels whose warps all take the same way: no branch goes forward but those around what threads beyond the
data would do, which no warp takes, and there is at most one loop, of ROUNDS rounds (0: none). What is between the
loop's label and the branch back counts ROUNDS times, all else once.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
program = os.environ.get("WARPREF_PROGRAM") or ROOT / "build/release/bin/warpref"
source, kernel, rounds = sys.argv[1:] or ("kernels/walsh_transform.cu", "walsh_transform", 9)
rounds = int(rounds)

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "kernel.ptx"
    subprocess.run([program, "compile", ROOT / source, f"--emit-ptx={path}"], check=True, stdout=subprocess.DEVNULL)
    text = path.read_text()

body = re.search(rf"\.entry {kernel}\(.*?\)\s*\{{(.*?)^\}}", text, re.S | re.M).group(1)
at = {}      # label: instructions before it
code = []    # instructions
for line in body.splitlines():
    line = line.split("//")[0].strip()
    if label := re.fullmatch(r"(\$?\w+):", line):
        at[label.group(1)] = len(code)
    elif line and line not in ("{", "}") and not line.startswith("."):
        assert line.endswith(";") and line.count(";") == 1, line
        code.append(line)

times = [1] * len(code)
loops = 0
for number, instruction in enumerate(code):
    if branch := re.search(r"\bbra(?:\.uni)?\s+(\$?\w+);", instruction):
        begin = at[branch.group(1)]
        assert begin > number or rounds, f"{instruction} is a loop"
        if begin <= number:
            loops += 1
            times[begin:number + 1] = [rounds] * (number + 1 - begin)
        else:  # around the rest, by threads beyond the data
            assert instruction.startswith("@") and code[begin].startswith("ret"), instruction
assert loops == (1 if rounds else 0), f"{loops} loops"
print(json.dumps({"text": len(code), "executed": sum(times)}))
