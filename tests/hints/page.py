#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The listing in docs/hints.md is what the command above it prints.

    tests/hints/page.py [WARPREF]
"""
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^    warpref (compile \S+ .*--hints)\n\n((?:    .*\n)+)", re.M)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/bin/warpref")
    found = BLOCK.findall((ROOT / "docs/hints.md").read_text(encoding="utf-8"))
    failed = not found
    for command, shown in found:
        said = subprocess.run([program, *shlex.split(command)], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        lines = [line[4:] for line in shown.splitlines()]
        if "\n".join(lines) != said[said.index("hints:"):].rstrip("\n"):
            failed = True
            print(f"docs/hints.md has another listing than: warpref {command}")
    print(f"{len(found)} listings in docs/hints.md")
    return failed


if __name__ == "__main__":
    sys.exit(main())
