# SPDX-License-Identifier: Apache-2.0
"""The table of all commands and their options, read from what `warpref --help` and `warpref COMMAND --help` print.

Help is made of the tables by which argp and argparse parse a command line, so an option that is in none of these
is in no help, and one that is new is in all. Both are asked for lines that never wrap: then an option is a line, or
two. A line of the table of options that is not understood is an error, never left out.
"""
import dataclasses
import os
import re
import subprocess

UNWRAPPED = {"ARGP_HELP_FMT": "no-dup-args-note,opt-doc-col=80,rmargin=30000", "COLUMNS": "30000", "NO_COLOR": "1",
             "LC_ALL": "C.UTF-8"}
OPTION = re.compile(r"(?:(-\S)(?: [^,]+)?, )?(--[a-z][\w-]*)(?:(\[)?[= ](.+?)(?(3)\]))?")


class Trouble(Exception):
    """Help that cannot be had or is not understood."""


@dataclasses.dataclass
class Option:
    short: str  # "-c", or ""
    long: str  # "--config"
    value: str  # as help names it, "NAME|FILE"; "" where it takes none
    optional: bool  # the value may be left out
    text: str
    group: str  # heading above it, or ""

    @property
    def many(self):
        return "may be repeated" in self.text


@dataclasses.dataclass
class Command:
    name: str
    summary: str
    arguments: str = ""  # as the usage names them, "BLOCK [BLOCK ...]"
    about: list = dataclasses.field(default_factory=list)  # lines above the options
    named: list = dataclasses.field(default_factory=list)  # (argument, text)
    options: list = dataclasses.field(default_factory=list)
    after: list = dataclasses.field(default_factory=list)  # lines below the options


def ask(program, *words):
    done = subprocess.run([program, *words], env={**os.environ, **UNWRAPPED}, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0 or not done.stdout:
        raise Trouble(f"`{' '.join(('warpref', *words))}` ends with status {done.returncode}: "
                      f"{done.stderr.strip() or 'it prints nothing'}")
    return done.stdout


def arguments(usage, name):
    """What stands behind the options of a usage line: `[-h] [--table [FILE ...]] [BLOCK ...]` -> `[BLOCK ...]`."""
    text = re.sub(rf"^usage: warpref {name}\b", "", usage, flags=re.I).strip()
    text = text.removeprefix("[OPTION...]").strip()
    while text.startswith("[-"):
        depth = 0
        for at, char in enumerate(text):
            depth += (char == "[") - (char == "]")
            if depth == 0:
                break
        text = text[at + 1:].strip()
    if text.startswith("-") or " -" in text:
        raise Trouble(f"`warpref {name} --help`: cannot tell options from arguments in its usage: {usage}")
    return text


def command(text, name, summary):
    """Reads the help of a command."""
    lines = text.rstrip("\n").split("\n")
    found = Command(name, summary, arguments(lines[0], name))
    at = 1
    while at < len(lines) and not re.match(r" {2,6}-|(positional arguments|options):$", lines[at]):
        if re.fullmatch(r" \S.*:", lines[at]):
            break
        found.about.append(lines[at])
        at += 1
    group, positional = "", False
    while at < len(lines):
        line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        heading = re.fullmatch(r" ?(\S.*):", line)
        if heading and re.match(r"  +\S", below):
            positional = heading[1] == "positional arguments"
            group = "" if positional or heading[1] == "options" else heading[1]
        elif line.startswith("  "):
            what, _, doc = line.strip().partition("  ")
            if not doc and re.match(r" {20,}\S", below):
                doc = below
                at += 1
            option = OPTION.fullmatch(what)
            if option and not positional:
                short, long, optional, value = option.groups()
                found.options.append(Option(short or "", long, value or "", bool(optional or (value or "")[:1] == "["),
                                            doc.strip(), group))
            elif positional and not what.startswith("-"):
                found.named.append((what, doc.strip()))
            else:
                raise Trouble(f"`warpref {name} --help`: this line is not understood: {line.strip()}")
        elif not line:
            group = ""
        else:
            break
        at += 1
    found.after = lines[at:]
    if not found.options:
        raise Trouble(f"`warpref {name} --help` shows no options")
    return found


def commands(program):
    """(all commands, version, text of `warpref --help` above and below its list)."""
    top = ask(program, "--help")
    head, _, rest = top.partition("\nCommands:\n")
    rows, _, tail = rest.partition("\n\n")
    found = []
    for row in rows.split("\n"):
        part = re.fullmatch(r"  (\w+) +(\S.*)", row)
        if not part:
            raise Trouble(f"`warpref --help`: this line is not understood: {row}")
        found.append(command(ask(program, part[1], "--help"), part[1], part[2]))
    return found, ask(program, "--version").split()[-1], (head.split("\n")[1:], tail.split("\n"))
