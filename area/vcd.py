# SPDX-License-Identifier: Apache-2.0
"""Reads a VCD, or an FST through fst2vcd: what it declares, then what changes, in the order of time."""

import re
import subprocess
import sys
from typing import NamedTuple

from toolbox import Failure, need

CUT = "cut: the run was stopped before its end"  # files/replace.h; FST has it in front of its variables, VCD at its end
DECLARATION = re.compile(r"\$var\s+\w+\s+(\d+)\s+(\S+)\s+(\S+)(?:\s+\[(-?\d+)(?::(-?\d+))?\])?\s+\$end")

FST_HEADER, FST_GEOMETRY, FST_HIERARCHIES = 0, 3, {4, 6, 7}  # kinds of sections


class Variable(NamedTuple):
    scope: tuple  # names, outermost first
    name: str
    width: int
    code: str  # of its changes; variables may share one
    low: int  # number of its lowest bit
    names: dict  # value -> name, where the file has a table for it


def ends_a_line(file):
    file.seek(-1, 2)
    return file.read() == b"\n"


def sections_are_whole(file):
    """An FST to its last byte: a section is its kind, its length in eight bytes, which counts these, and what it says. The
    first is the header, and geometry and hierarchy are there. fst2vcd reads a cut one as if it were empty, or for ever."""
    size, at, kinds = file.seek(0, 2), 0, set()
    while at < size:
        file.seek(at)
        head = file.read(9)
        length = int.from_bytes(head[1:], "big")
        if len(head) < 9 or length < 8 or (at == 0) != (head[0] == FST_HEADER):
            return False
        kinds.add(head[0])
        at += 1 + length
    return at == size and FST_GEOMETRY in kinds and bool(kinds & FST_HIERARCHIES)


def lines_of(path, step):
    """The lines, and the process that makes them or None."""
    if not path.is_file():
        raise Failure(step, f"there is no file {path}", 2)
    with open(path, "rb") as file:
        head = file.read(64)
        is_vcd = head.lstrip()[:1] == b"$"
        if not is_vcd:
            need("fst2vcd", step)
        if not (ends_a_line(file) if is_vcd else sections_are_whole(file)):
            raise Failure(step, f"{path}: is no waveform, or one that is cut; write it anew", 2)
    if is_vcd:
        return open(path, errors="replace"), None
    process = subprocess.Popen(["fst2vcd", "--extensions", str(path)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, errors="replace")
    return process.stdout, process


def damaged(line):
    return Failure("waveform", f"no VCD has a line '{line.strip()[:60]}'", 2)


def tell_cut():
    print(f"the waveform is {CUT}; what is shown is a part of it", file=sys.stderr)


def table_of(words):
    """FST's tables of names: one is defined (name, count, names, values, number), or the next variable has one
    ("", number). (number, names by value, or none)."""
    count = int(words[1]) if len(words) > 2 and words[1].isdigit() else 0
    if not count or len(words) != 3 + 2 * count:
        return words[-1], {}
    names, values = words[2:2 + count], words[2 + count:-1]
    return words[-1], {int(v, 2): n for v, n in zip(values, names) if set(v) <= {"0", "1"}}


def declared(lines):
    """The variables. Takes the lines up to the end of the declarations."""
    scopes, variables, tables, table = [], [], {}, {}
    for line in lines:
        words = line.split()
        if CUT in line:
            tell_cut()
        if words[:1] == ["$scope"] and len(words) > 2:
            scopes.append(words[2])
        elif words[:1] == ["$upscope"] and scopes:
            scopes.pop()
        elif words[:1] in (["$scope"], ["$upscope"]):
            raise damaged(line)
        elif words[:3] == ["$attrbegin", "misc", "07"] and len(words) > 4:
            number, names = table_of(words[3:-1])
            if names:
                tables[number] = names
            else:
                table = tables.get(number, {})
        elif words[:1] == ["$var"] and words[1:2] != ["parameter"]:
            found = DECLARATION.search(line)
            if found:
                width, code, name, high, low = found.groups()
                variables.append(Variable(tuple(scopes), name, int(width), code, int(low or high or 0), table))
            table = {}
        elif words[:1] == ["$enddefinitions"]:
            break
    return variables


def changes(lines):
    """(time, code, value as text), and (time, None, "") where time goes on."""
    now = 0
    for line in lines:
        first = line[:1]
        if first == "#":
            if not line[1:].strip().isdecimal():
                raise damaged(line)
            now = int(line[1:])
            yield now, None, ""
        elif first in ("b", "B"):
            words = line[1:].split()
            if len(words) != 2 or not set(words[0]) <= set("01xXzZ"):
                raise damaged(line)
            yield now, words[1], words[0]
        elif first in tuple("01xXzZ"):
            yield now, line[1:].strip(), first
        elif CUT in line:
            tell_cut()
