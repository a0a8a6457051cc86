# SPDX-License-Identifier: Apache-2.0
"""How often each bit of a block toggled in a run, out of a VCD or an FST.

Two forms are read: a simulator's, where some scope has the ports of the block (`warpref cosim --rtl-wave`:
registers too); and the pins alone, as `warpref cosim --wave` and `warpref run --wave` write them, in scopes
BLOCK.in, a pin NAME_i as NAME, or as NAME[0], NAME[1]... where it is an array.
"""

import re

import vcd
from toolbox import Failure

STEP = "activity"


class Signal:
    """Toggles and time at 1 of each bit of a variable, and the shortest time between rises of bit 0."""

    def __init__(self, width):
        self.width, self.value, self.known = width, 0, False
        self.toggles, self.ones, self.since = [0] * width, [0] * width, [0] * width
        self.rise, self.period = None, None

    def change(self, text, now):
        value = int(re.sub("[^01]", "0", text), 2)
        differ = self.value ^ value
        if differ & value & 1:
            if self.rise is not None:
                self.period = min(self.period or now, now - self.rise)
            self.rise = now
        while differ:
            bit = (differ & -differ).bit_length() - 1
            differ &= differ - 1
            if bit < self.width:
                self.toggles[bit] += self.known
                if self.value >> bit & 1:
                    self.ones[bit] += now - self.since[bit]
                self.since[bit] = now
        self.value, self.known = value, True

    def end(self, now):
        for bit in range(self.width):
            if self.value >> bit & 1:
                self.ones[bit] += now - self.since[bit]


class Activity:
    def __init__(self, source, bits, cycles, time):
        self.source, self.bits, self.cycles, self.time = source, bits, cycles, max(time, 1)

    def of(self, name):
        """(toggles a cycle, share of the time at 1) of NAME or NAME[i]; None where the run has it not."""
        at = self.bits.get(name)
        if at is None:
            return None
        signal, bit = at
        return signal.toggles[bit] / self.cycles, min(1.0, signal.ones[bit] / self.time)


def read(path, top, ports):
    """The activity of the block with this top module and these ports."""
    lines, process = vcd.lines_of(path, STEP)
    signals, bits, clock = choose(vcd.declared(lines), top, ports, path)
    now = 0
    for now, code, text in vcd.changes(lines):
        if code in signals:
            signals[code].change(text, now)
    if process is not None:
        process.wait()
    for signal in signals.values():
        signal.end(now)
    # The clock of a block stands still in a run while it has nothing to do: those cycles count too.
    period = signals[clock].period
    if not period:
        raise Failure(STEP, f"{path}: the clock of {top} never rises twice", 2)
    return Activity(path.name, bits, now / period, now)


def choose(variables, top, ports, path):
    """Signals by code, bits by name, and the code of the clock, of the first scope that has the block."""
    scopes = {}
    for scope, name, width, code, low, _ in variables:
        scopes.setdefault(scope, {})[name] = (width, code, low)
    for scope in sorted(scopes, key=lambda s: (-len(s), s)):
        if len(ports) > 2 and set(ports) <= set(scopes[scope]):
            return inside(scope, variables, scopes[scope])
    for scope in scopes:
        if scope[-2:] == (top, "in") and "clk" in scopes.get(scope[:-1], {}):
            return pins(scopes[scope], scopes[scope[:-1]]["clk"][1])
    raise Failure(STEP, f"{path}: no scope has the ports of {top}, and none is {top}.in with its pins", 2)


def inside(scope, variables, own):
    signals, bits = {}, {}
    for at, name, width, code, low, _ in variables:
        if at[: len(scope)] == scope:
            signal = signals.setdefault(code, Signal(width))
            full = ".".join(at[len(scope):] + (name,))
            if width == 1:
                bits[full] = (signal, 0)
            for i in range(width):
                bits[f"{full}[{i + low}]"] = (signal, i)
    return signals, bits, own["clk_i"][1]


def pins(own, clock):
    signals, bits, parts = {clock: Signal(1)}, {}, {}
    for name, (width, code, _) in own.items():
        stem, index = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", name).groups()
        parts.setdefault(stem, []).append((int(index or 0), width, code))
    for stem, elements in parts.items():
        place = 0
        for _, width, code in sorted(elements):
            signal = signals.setdefault(code, Signal(width))
            for i in range(width):
                bits[f"{stem}_i[{place}]"] = (signal, i)
                place += 1
        if place == 1:
            bits[f"{stem}_i"] = bits[f"{stem}_i[0]"]
    return signals, bits, clock
