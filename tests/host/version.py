#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One version: `warpref --version` prints that of CMakeLists.txt, the newest released one of
CHANGELOG.md is the same, and `Unreleased` stands above it.

Usage: version.py WARPREF ROOT
"""
import pathlib
import re
import subprocess
import sys


def main():
    warpref, root = sys.argv[1], pathlib.Path(sys.argv[2])
    project = re.search(r"^project\(\S+ VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.M)
    printed = subprocess.run([warpref, "--version"], check=True, capture_output=True, text=True)
    heads = re.findall(r"^## \[([^]]+)\]", (root / "CHANGELOG.md").read_text(), re.M)
    wrong = []
    if not project or printed.stdout != f"warpref {project[1]}\n":
        wrong.append(f"warpref --version prints '{printed.stdout.strip()}', CMakeLists.txt says "
                     f"{project and project[1]}")
    if not project or heads[:2] != ["Unreleased", project[1]]:
        wrong.append(f"CHANGELOG.md begins with {heads[:2]}, not with Unreleased and "
                     f"{project and project[1]}")
    print("\n".join(wrong) or f"version {project[1]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
