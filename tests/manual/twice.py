#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every option of every command, given twice: exit status 2 and a message that names it, since one of two values would be
lost; but for those that may be repeated: they stand in REPEATED with the reason, and their help says so.

Every third option is tried, with WARPREF_LONG in the environment all.

Usage: tests/manual/twice.py BUILD
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "manual"))
sys.dont_write_bytecode = True
import table  # noqa: E402

EVERY = 1 if "WARPREF_LONG" in os.environ else 3
ENDS = ("--help", "--usage", "--version")  # the first one ends the command
REPEATED = {names: why for why, rows in {
    "each sets another thing": """
        area --param, compile --no-pass, config --set, cosim --define, cosim --param, cosim --rtl-param, coverage --define,
        fuzz --define, mutate --define, network --set, occupancy --set, prove --define, roundtrip --define, run --no-pass, run --set, vectors --param""",
    "each names another file or folder": """
        area --rtl, cosim --filelist, cosim --include, cosim --rtl, cosim --rtl-dir, coverage --include, coverage --rtl,
        coverage --rtl-dir, fuzz --include, fuzz --rtl, fuzz --rtl-dir, mutate --include, mutate --rtl, mutate --rtl-dir,
        prove --include, prove --rtl, prove --rtl-dir, roundtrip --include, roundtrip --rtl-dir, run --rtl, run --with""",
    "one more is proved or measured": """
        properties --config, prove --config, roundtrip --config, state --method""",
    "each is of the launch file in front of it": "run --arrive, run --priority",
    "systems stand together": "run --system",
}.items() for names in map(tuple, map(str.split, rows.split(",")))}


def values(command, option):
    """Words to try as the option's value, "" where it takes none."""
    if not option.value:
        return [None]
    choice = option.value.strip("[]{}").replace("|", ",").split(",")[0]
    return [choice, "1", "x"]


def said(program, folder, command, words):
    done = subprocess.run([program, command, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=600,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def is_refused(program, folder, command, option, name):
    """Whether two of `name` are, and what came otherwise."""
    for value in values(command, option):
        words = [name] if value is None else [f"{name}={value}"] if name.startswith("--") else [name, value]
        status, text = said(program, folder, command, [*words, *words])
        line = [line for line in text.splitlines() if "is given twice" in line]
        if status == 2 and len(line) == 1 and option.long in line[0]:
            return True, ""
    return False, f"exit {status}: {text.strip()[-300:]}"


def main(build):
    program = build / "bin/warpref"
    wrong, count = 0, 0
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        for command in table.commands(program)[0]:
            for option in command.options:
                if option.long in ENDS:
                    continue
                count += 1
                why = REPEATED.get((command.name, option.long))
                seen.add((command.name, option.long))
                if option.many != bool(why):
                    wrong += 1
                    print(f"FAIL  {command.name} {option.long}: its help says that it may {'' if option.many else 'not '}be repeated, "
                          f"REPEATED {'gives a reason' if why else 'has it not'}")
                    continue
                for name in filter(None, (option.long, option.short) if count % EVERY == 0 else ()):
                    refused, text = is_refused(program, folder, command.name, option, name)
                    if refused == option.many:
                        wrong += 1
                        print(f"FAIL  {command.name} {name} twice: {text or 'is refused'}")
    for name in REPEATED.keys() - seen:
        wrong += 1
        print(f"FAIL  REPEATED has {' '.join(name)}, which is no option")
    print(f"{count - wrong} passed, {wrong} failed")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
