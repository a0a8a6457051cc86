# SPDX-License-Identifier: Apache-2.0
"""What the figures need of a Liberty file: areas, functions, flip-flops, leakage.

The cells that other figures are counted in are found by what they do, not by name: the NAND2, the
inverter and the flip-flops of least area (of equals the first by name).
"""
import itertools
import re

from toolbox import Failure, refuse_long

STEP = "library"
KNOWN = {name: f"/usr/share/qflow/tech/{name}/{name}_stdcells.lib" for name in ("osu018", "osu035")}
TOKEN = re.compile(r'"[^"]*"|[A-Za-z0-9_.+\-]+|[(){}:;,]')


def groups(text):
    """The Liberty text as nested groups: (name, argument, attributes, groups)."""
    text = re.sub(r"/\*.*?\*/|\\\n", " ", text, flags=re.S)
    tokens = [t.strip('"') if t[0] == '"' else t for t in TOKEN.findall(text)]
    root = ("", "", {}, [])
    stack, at = [root], 0
    while at < len(tokens):
        t = tokens[at]
        if t == "}":
            stack.pop()
            at += 1
        elif at + 1 < len(tokens) and tokens[at + 1] == ":":
            stack[-1][2][t] = tokens[at + 2]
            at += 3
        elif at + 1 < len(tokens) and tokens[at + 1] == "(":
            end = tokens.index(")", at)
            argument = " ".join(x for x in tokens[at + 2 : end] if x != ",")
            at = end + 1
            if at < len(tokens) and tokens[at] == "{":
                group = (t, argument, {}, [])
                stack[-1][3].append(group)
                stack.append(group)
                at += 1
            else:
                stack[-1][2][t] = argument
        else:
            at += 1
    return root


def truth(function, inputs):
    """The values of a Liberty function for all values of its inputs; None where it is not of these."""
    tokens = re.findall(r"[A-Za-z_]\w*|[01]|[!'*&+|^()]", function)

    def parse(at, values):  # or < xor < and < not
        def term(at):
            if tokens[at] == "(":
                value, at = alternative(at + 1)
                at += 1
            elif tokens[at] == "!":
                value, at = term(at + 1)
                return 1 - value, at
            else:
                value = values[tokens[at]] if tokens[at] in values else int(tokens[at])
                at += 1
            while at < len(tokens) and tokens[at] == "'":
                value, at = 1 - value, at + 1
            return value, at

        def product(at):
            value, at = term(at)
            while at < len(tokens) and tokens[at] not in "+|^)":
                other, at = term(at + (tokens[at] in "*&"))
                value &= other
            return value, at

        def sum_of(at, operators, inner, join):
            value, at = inner(at)
            while at < len(tokens) and tokens[at] in operators:
                other, at = inner(at + 1)
                value = join(value, other)
            return value, at

        def exclusive(at):
            return sum_of(at, "^", product, lambda a, b: a ^ b)

        def alternative(at):
            return sum_of(at, "+|", exclusive, lambda a, b: a | b)

        return alternative(at)

    try:
        return tuple(parse(0, dict(zip(inputs, v)))[0] for v in itertools.product((0, 1), repeat=len(inputs)))
    except (ValueError, IndexError, KeyError):
        return None


class Cell:
    def __init__(self, group):
        _, self.name, attributes, parts = group
        self.area = float(attributes.get("area", 0))
        self.leakage = float(attributes.get("cell_leakage_power", 0))
        pins = {p[1]: p for p in parts if p[0] == "pin"}
        self.inputs = sorted(n for n, p in pins.items() if p[2].get("direction") == "input")
        self.outputs = {n: p[2].get("function", "") for n, p in pins.items()
                        if p[2].get("direction") == "output"}
        self.capacitance = {n: float(p[2].get("capacitance", 0)) for n, p in pins.items()}
        self.power = any(g[0] == "internal_power" for p in pins.values() for g in p[3])
        self.ff = next((p for p in parts if p[0] == "ff"), None)
        self.latch = any(p[0] == "latch" for p in parts)

    def state_pin(self, attribute):
        """The pin in an ff group's clocked_on, next_state, clear or preset; None if there is none."""
        found = re.search(r"[A-Za-z_]\w*", self.ff[2].get(attribute, ""))
        return found[0] if found else None

    def state_output(self):
        """The pin that shows the state as it is."""
        return next((n for n, f in self.outputs.items() if f == self.ff[1].split()[0]), None)


class Library:
    def __init__(self, path, name):
        self.path, self.name = path, name
        if not path.is_file():
            package = f"; install Debian's qflow-tech-{name}" if name in KNOWN else ""
            raise Failure(STEP, f"there is no Liberty file {path}{package}", 2)
        refuse_long(path, STEP)
        self.text = path.read_text(errors="replace")
        try:
            top = next(g for g in groups(self.text)[3] if g[0] == "library")
            self.cells = {c.name: c for c in (Cell(g) for g in top[3] if g[0] == "cell")}
        except (StopIteration, ValueError, IndexError):
            raise Failure(STEP, f"{path} is not a Liberty file", 2) from None
        self.unit = top[2].get("time_unit", "1ns")
        self.nand2 = self.least("NAND2", lambda c: self.does(c, 2, (1, 1, 1, 0)))
        self.inverter = self.least("inverter", lambda c: self.does(c, 1, (1, 0)))
        self.plain_ff = self.least("flip-flop", lambda c: c.ff and self.rising(c) and len(c.inputs) == 2)
        self.reset_ff = self.least("flip-flop with reset",
                                   lambda c: c.ff and self.rising(c) and c.state_pin("clear"))
        self.has_leakage = any(c.leakage > 0 for c in self.cells.values())
        self.has_power = any(c.power for c in self.cells.values())

    @staticmethod
    def does(cell, inputs, table):
        return (cell.ff is None and len(cell.inputs) == inputs and len(cell.outputs) == 1
                and truth(next(iter(cell.outputs.values())), cell.inputs) == table)

    @staticmethod
    def rising(cell):
        return "!" not in cell.ff[2].get("clocked_on", "!") and cell.state_output() is not None

    def least(self, what, wanted):
        found = [c for c in self.cells.values() if wanted(c)]
        if not found:
            raise Failure(STEP, f"{self.path} has no {what}", 2)
        return min(found, key=lambda c: (c.area, c.name))

    def seconds(self):
        """Its unit of time."""
        found = re.fullmatch(r"([\d.]+)\s*([munpf])s", self.unit)
        if not found:
            raise Failure(STEP, f"{self.path}: time_unit {self.unit} is none", 2)
        return float(found[1]) * {"m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15}[found[2]]
