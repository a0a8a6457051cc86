#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a README as it stands: types what is behind "$", and wants what is printed below it.

    readme.py FILE.md HOME FOLDER     HOME is ~ for the commands, FOLDER, which is empty, where they start
    readme.py --write FILE.md HOME FOLDER    puts the figures of this run into lines that are else as they were

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


def shape(line):
    """The line without its figures, and without the width of what stands between."""
    return re.sub(r"\s+", " ", re.sub(r"#+", "#", re.sub(r"\d[\d,]*(\.\d+)?", "0", line)))


def renewed(wanted, got):
    """The wanted lines, each as the next printed line of its shape."""
    out, at = [], 0
    for line in wanted:
        found = next((i for i in range(at, len(got)) if shape(got[i]) == shape(line)), None)
        if found is not None:
            line, at = got[found], found + 1
        out.append(line)
    return out


def write(page, steps, printed):
    text = page.read_text()
    for (command, wanted), got in zip(steps, printed):
        def block(lines, command=command):
            return "".join(f"    {line}\n" for line in [f"$ {command}", *lines])
        text = text.replace(block(wanted), block(renewed(wanted, got.splitlines())), 1)
    page.write_text(text)


def main():
    writes = sys.argv[1] == "--write"
    page, home, folder = pathlib.Path(sys.argv[-3]), sys.argv[-2], sys.argv[-1]
    steps = commands(page.read_text())
    script = "".join(f'echo "{MARK}{i}"\n{command}\n' for i, (command, _) in enumerate(steps))
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WARPREF", "WR_", "PKG_CONFIG", "LD_LIBRARY"))}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=env | {"HOME": home}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    printed = re.split(rf"^{MARK}\d+\n", done.stdout, flags=re.M)[1:]
    if writes:
        write(page, steps, printed)
        steps = commands(page.read_text())
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
