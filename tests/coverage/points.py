# SPDX-License-Identifier: Apache-2.0
"""Reads what Verilator counts inside a block's RTL: branches, and so lines, and toggled bits.

A line is hit when every branch on it was taken, in one instance of the module or another; an `if`
without `else` has the branch that does nothing all the same. A toggle is one bit of a signal of one
instance that changed.

The waivers are lines of waived.txt, `BLOCK CONFIG BRANCH "source text" reason`; CONFIG may be `*`.
"""
import collections
import dataclasses
import os
import pathlib
import re

WAIVED = pathlib.Path(__file__).with_name("waived.txt")


class Bad(Exception):
    """Input that cannot be used; the text says what to do."""


@dataclasses.dataclass
class Branch:
    """One branch of the source, over all instances of its module."""
    file: str
    line: int
    kind: str  # block, if, else, elsif, case
    lines: frozenset
    text: str  # the source line, blanks squeezed
    count: int = 0
    waived: str = ""

    def place(self):
        return f"{self.file}:{self.line} {self.kind}"


@dataclasses.dataclass
class Coverage:
    branches: list
    toggles: dict  # (instance, signal) -> list of (bit, count)

    def lines(self):
        """All lines, and those that are hit; a waived branch asks nothing of its lines."""
        every, missed = set(), set()
        for b in self.branches:
            of = {(b.file, line) for line in b.lines}
            if b.waived:
                continue
            every |= of
            if b.count == 0:
                missed |= of
        return len(every), len(every - missed)

    def bits(self):
        counts = [count for bits in self.toggles.values() for _, count in bits]
        return len(counts), sum(count > 0 for count in counts)

    def never(self):
        return [b for b in self.branches if b.count == 0 and not b.waived]

    def still(self):
        """Bits that never toggled, as text, one a signal."""
        rows = []
        for (instance, signal), bits in sorted(self.toggles.items()):
            none = sorted(bit for bit, count in bits if count == 0)
            if none:
                what = "" if none == [-1] else f"[{ranges(none)}]"
                rows.append(f"{instance}.{signal}{what}")
        return rows

    def as_json(self):
        (lines, lines_hit), (bits, bits_hit) = self.lines(), self.bits()
        return {"lines": lines, "lines_hit": lines_hit, "toggles": bits, "toggles_hit": bits_hit,
                "never": [{"file": b.file, "line": b.line, "branch": b.kind, "text": b.text}
                          for b in self.never()],
                "waived": [{"file": b.file, "line": b.line, "branch": b.kind, "reason": b.waived}
                           for b in self.branches if b.waived],
                "never_toggled": self.still()}


def ranges(numbers):
    """[0, 1, 2, 5] as 2:0,5; highest first inside a range."""
    parts = []
    for n in numbers:
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ",".join(f"{b}:{a}" if a != b else f"{a}" for a, b in parts)


def lines_of(text, line):
    """A field like 4,7-9 as numbers; the point's own line where it has none."""
    numbers = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        numbers |= set(range(int(first), int(last or first) + 1))
    return frozenset(numbers or {line})


def read(path, root, own=True):
    """A file of Verilator's counters. Its source files are those below `root` from here on, also where
    the object comes from the cache and was made of equal ones in another tree. Of RTL that is not ours
    (own False) that holds for names without a folder in front alone."""
    branches, toggles, sources = {}, collections.defaultdict(list), {}
    record = re.compile(r"^C '(.*)' (\d+)$")
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
        text = re.sub("\1f\2(?:[^\1]*/)?rtl/" if own else "\1f\2(?!/)",
                      lambda _: f"\1f\2{root}/{'rtl/' if own else ''}", text)
        pathlib.Path(path).write_text(text, encoding="utf-8")
    except OSError as e:
        raise Bad(f"{path}: {e.strerror}") from e
    for row in text.splitlines():
        found = record.match(row)
        if not found:
            continue
        fields = dict(f.split("\2", 1) for f in found[1].split("\1") if f)
        count = int(found[2])
        if fields["page"].startswith("v_toggle/"):  # of no line: dpi/toggles
            signal = re.match(r"(.*?)(?:\[(\d+)\])?$", fields["o"])
            instance = fields["h"].split(".", 2)[-1]
            toggles[instance, signal[1]].append((int(signal[2] or -1), count))
            continue
        file, line = os.path.relpath(fields["f"], root) if own else fields["f"], int(fields["l"])
        if file not in sources:
            sources[file] = pathlib.Path(fields["f"]).read_text(encoding="utf-8").splitlines()
        source = " ".join(sources[file][line - 1].split())
        key = file, line, fields["n"], fields["o"]
        if key not in branches:
            branches[key] = Branch(file, line, fields["o"], lines_of(fields.get("S", ""), line), source)
        branches[key].count += count
    if not branches or not toggles:
        raise Bad(f"{path}: no counters of lines and toggles in it")
    return Coverage(sorted(branches.values(), key=lambda b: (b.file, b.line, b.kind)), toggles)


def waive(coverage, block, config, path=WAIVED):
    """Marks the waived branches; texts of waivers that are wrong."""
    wrong = []
    for number, row in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not row or row.startswith("#"):
            continue
        fields = re.fullmatch(r'(\S+) (\S+) (\S+) "(.*)" (.+)', row)
        at = f"{os.path.basename(path)}:{number}"
        if not fields:
            raise Bad(f'{at}: wants BLOCK CONFIG BRANCH "source text" reason')
        if fields[1] != block or fields[2] not in ("*", config):
            continue
        same = [b for b in coverage.branches if b.kind == fields[3] and b.text == fields[4]]
        if not same:
            wrong.append(f"{at}: no branch '{fields[3]}' at a line '{fields[4]}' in {block} {config}")
        for b in same:
            if b.count > 0:
                wrong.append(f"{at}: {b.place()}: waived, but was hit {b.count} times")
            b.waived = fields[5]
    return wrong
