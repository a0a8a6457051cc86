#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a README as it stands: types what is behind "$", and wants what is printed below it.

    readme.py FILE.md HOME FOLDER     HOME is ~ for the commands, FOLDER, which is empty, where they start

The commands run in one shell, so what one exports or where it goes holds for the next. A line "..." stands for
lines of any number, and inside a line for any text. Lines behind "#" are root's and are not run. A
README without commands fails. The last line is "N passed, N failed".
"""
import os
import pathlib
import re
import subprocess
import sys

MARK = "=== command "


def commands(text):
    """(command, lines that it prints), in order."""
    found = []
    for line in text.splitlines():
        if line.startswith("    $ "):
            found.append((line[6:], []))
            below = True
        elif line.startswith("    ") and not line.startswith("    # ") and found and below:
            found[-1][1].append(line[4:])
        else:
            below = False
    return found


def pattern(lines):
    """A regular expression for what is printed."""
    out = "".join("(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n" for line in lines)
    return re.compile(out)


def main():
    page, home, folder = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    steps = commands(page.read_text())
    script = "".join(f'echo "{MARK}{i}"\n{command}\n' for i, (command, _) in enumerate(steps))
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WARPREF", "WR_", "PKG_CONFIG", "LD_LIBRARY"))}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=env | {"HOME": home}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    printed = re.split(rf"^{MARK}\d+\n", done.stdout, flags=re.M)[1:]
    failed = 0
    for (command, wanted), got in zip(steps, printed + [""] * (len(steps) - len(printed))):
        if not pattern(wanted).fullmatch(got):
            failed += 1
            print(f"FAIL  {page}: $ {command}\n  wanted\n" + "".join(f"    | {line}\n" for line in wanted) + "  got\n"
                  + "".join(f"    | {line}\n" for line in got.splitlines()[-12:]), end="")
    print(f"{len(steps) - failed} passed, {failed} failed")
    return 0 if steps and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
