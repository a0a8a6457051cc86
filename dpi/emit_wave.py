# SPDX-License-Identifier: Apache-2.0
"""Draws the timing diagram of a block's page from its golden vectors, between the wave markers.

The vectors are a recorded run of the model that the tests replay against model and RTL, so the
diagram shows what the block does. Table [diagram] of the block's toml names the cycles and pins.

Vectors that do not belong to the block's pins and parameters are refused, not drawn: after a
change of the pins the old diagram stays until the vectors are written anew.
"""

import re

import blockdesc

START, END = "<!-- wave -->", "<!-- /wave -->"
CELL = 5  # columns of a cycle: the edge, then four of level or value


class Stale(Exception):
    """The vectors are missing or not of this block as its toml describes it."""


def read_rows(block, values, path):
    """One number a clocked cycle: outputs above inputs."""
    if not path.exists():
        raise Stale("is missing")
    header, rows = {}, []
    for line in path.read_text().splitlines():
        if line.startswith("//"):
            key, _, value = line[2:].strip().partition(" ")
            header[key] = value.strip()
        else:
            rows.append(line)
    bits_in, bits_out = block.bits("in", values), block.bits("out", values)
    wanted = {
        "block": block.name,
        "parameters": " ".join(f"{p.name}={values[p.name]}" for p in block.params),
        "bits": f"in={bits_in} out={bits_out}",
        "count": str(len(rows)),
    }
    for key, value in wanted.items():
        if header.get(key) != value:
            raise Stale(f"has {key} '{header.get(key)}' where '{value}' is wanted")
    digits = (bits_in + bits_out + 3) // 4
    for row in rows:
        if not re.fullmatch(f"[0-9a-f]{{{digits}}}", row):
            raise Stale(f"has a line that is not {digits} digits of hex")
    return [int(row, 16) for row in rows]


def place(block, values, port, element):
    """First bit of a pin's element in a row, and the element's width."""
    bit = 0
    for pin in block.side("in") + block.side("out"):
        if pin.port == port:
            return bit + element * pin.width, pin.width
        bit += pin.width * pin.elements(values)
    raise KeyError(port)


def levels(run):
    """A single bit: low _ and high ~, an edge where it changes."""
    text, last = "", run[0]
    for bit in run:
        level = "~" if bit else "_"
        edge = level if bit == last else "/" if bit else "\\"
        text, last = text + edge + level * (CELL - 1), bit
    return text


def cells(run):
    """A bus: X where it changes, then its value: a name, or a number in hex; '.' stands for high digits left out."""
    text, start = "", 0
    for end in range(1, len(run) + 1):
        if end < len(run) and run[end] == run[start]:
            continue
        room = (end - start) * CELL - 1
        is_name = isinstance(run[start], str)
        value = run[start] if is_name else f"{run[start]:x}"
        if len(value) > room:
            value = value[:room] if is_name else "." + value[1 - room:]
        elif len(value) < room:
            value = " " + value
        text, start = text + "X" + value.ljust(room), end
    return text


def clock(clocked):
    """A rising edge in each cycle for which this is true."""
    return "".join("/~~\\_" if c else "_" * CELL for c in clocked)


def chart(first, cycles, signals):
    """Lines of a diagram from cycle `first` on. A signal is its name, width and a value for each cycle, or with width
    0 a text that is drawn as it is."""
    lines = [("cycle", "".join(f" {n}".ljust(CELL) for n in range(first, first + cycles)))]
    for name, width, run in signals:
        lines.append((name, run if width == 0 else levels(run) if width == 1 else cells(run)))
    margin = max(len(name) for name, _ in lines) + 2
    return [f"{name:<{margin}}{text}".rstrip() for name, text in lines]


def draw(block):
    values, window = block.configs["default"], block.diagram
    rows = read_rows(block, values, golden(block))
    end = window.first + window.cycles
    if end > len(rows):
        raise Stale(f"has {len(rows)} cycles where [diagram] shows up to cycle {end - 1}")
    signals = [("clk_i", 0, clock([True] * window.cycles))]
    for port, element in window.pins:
        name = port if element is None else f"{port}[{element}]"
        bit, width = place(block, values, port, element or 0)
        signals.append((name, width, [row >> bit & (1 << width) - 1 for row in rows[window.first:end]]))
    return chart(window.first, window.cycles, signals)


def golden(block):
    return blockdesc.ROOT / f"vectors/golden/{block.name}.default.hex"


def page(block, text):
    """The page with its diagram brought up to date, and None or what keeps it from that."""
    if block.diagram is None:
        return text, None
    if START not in text or END not in text:
        return text, f"docs/blocks/{block.name}.md: the markers {START} and {END} are missing"
    name = golden(block).relative_to(blockdesc.ROOT).as_posix()
    try:
        lines = draw(block)
    except Stale as stale:
        return text, (
            f"{name}: {stale}; write it anew (docs/vectors.md, Golden files) and run dpi/generate.py"
        )
    head, rest = text.split(START, 1)
    tail = rest.split(END, 1)[1]
    last = block.diagram.first + block.diagram.cycles - 1
    body = [
        "<!-- generated by dpi/generate.py -->",
        "",
        "```text",
        *lines,
        "```",
        "",
        f"Cycles {block.diagram.first} to {last} of the recorded run `{name}`, drawn by",
        "`dpi/generate.py`. A column is a clocked cycle: its inputs, and the outputs that settled",
        "before the edge that ends it. Values are hexadecimal; `.` stands for high digits left out.",
    ]
    return f"{head}{START}\n" + "\n".join(body) + f"\n{END}{tail}", None
