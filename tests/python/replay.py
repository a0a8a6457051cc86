# SPDX-License-Identifier: Apache-2.0
"""Replays a vector file (docs/vectors.md) through the Python module, every output in every cycle.

Rows are unpacked here by the widths of the pins alone; that they come in the order of the class is
what the format says.
"""

import warpref


def head_and_rows(text):
    head, rows = {}, []
    for line in text.splitlines():
        if line.startswith("//"):
            key, _, rest = line[2:].strip().partition(" ")
            head[key] = rest.strip()
        elif line:
            rows.append(int(line, 16))
    return head, rows


def pins(block, sides):
    """(name, width, elements or None) of the pins of a side, as the class and the configuration say."""
    out = []
    for name, pin in vars(type(block)).items():
        if type(pin).__name__.removesuffix("Array") == sides:
            out.append((name, pin.width, len(getattr(block, name)) if pin.is_array else None))
    return out


def unpack(number, layout):
    values = {}
    for name, width, count in layout:
        elements = []
        for _ in range(1 if count is None else count):
            elements.append(number & ((1 << width) - 1))
            number >>= width
        values[name] = elements[0] if count is None else tuple(elements)
    assert number == 0, "the row has bits past the last pin"
    return values


def bits(layout):
    return sum(width * (1 if count is None else count) for _, width, count in layout)


def replay(text):
    """(checks, differences): a difference is 'block cycle N pin: expected X, got Y'."""
    head, rows = head_and_rows(text)
    parameters = dict(word.split("=") for word in head["parameters"].split())
    block = warpref.block(head["block"], **{name: int(value) for name, value in parameters.items()})
    ins, outs = pins(block, "Input"), pins(block, "Output")
    assert head["bits"] == f"in={bits(ins)} out={bits(outs)}", (head["bits"], bits(ins), bits(outs))
    assert int(head["count"]) == len(rows) > 0
    checks, differences = 0, []
    for cycle, row in enumerate(rows):
        block.drive(**unpack(row & ((1 << bits(ins)) - 1), ins))
        for name, want in unpack(row >> bits(ins), outs).items():
            got = getattr(block, name)
            checks += 1
            if got != want:
                differences.append(f"{head['block']} cycle {cycle} {name}: expected {want}, got {got}")
        block.tick()
    return checks, differences
