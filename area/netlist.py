# SPDX-License-Identifier: Apache-2.0
"""The mapped netlist as Yosys writes it (Verilog, one module, nets of single bits), seen as text.

Registers bear their RTL's names here: a flip-flop is called by the net at its output. Two forms are
made of it for timing and power, both by adding or moving cells at its edge, none inside.
"""
import json
import re

CELL = re.compile(r"^  (\w+) (\\\S+ |\w+) \(\n(.*?)\n  \);$", re.M | re.S)
PIN = re.compile(r"^    \.(\w+)\((.*)\),?$", re.M)
ASSIGN = re.compile(r"^  assign (.*) = (.*);$", re.M)
WIRE = re.compile(r"^  (?:input|output|wire) \[(\d+):(\d+)\] (\\\S+ |\w+);$", re.M)
PART = re.compile(r"(\d+)'([hb])([0-9a-fx]+)|(\\\S+ |\w+)(?: ?\[(\d+)(?::(\d+))?\])?")
PORT = re.compile(r"^  (input|output) (?:\[(\d+):(\d+)\] )?(\\\S+ |\w+);$", re.M)


def single_bits(text):
    """The netlist with an assignment for each bit: OpenSTA 2.0.17 takes no concatenation on the left."""
    spans = {name.strip(): (int(high), int(low)) for high, low, name in WIRE.findall(text)}

    def bits(side):
        for size, base, digits, name, high, low in PART.findall(side):
            if size:
                value = int(digits.replace("x", "0"), 16 if base == "h" else 2)
                yield from (f"1'h{value >> i & 1}" for i in reversed(range(int(size))))
            elif high:
                yield from (f"{name}[{i}]" for i in range(int(high), int(low or high) - 1, -1))
            elif name.strip() in spans:
                first, last = spans[name.strip()]
                yield from (f"{name}[{i}]" for i in range(first, last - 1, -1))
            else:
                yield name

    def single(found):
        left, right = list(bits(found[1])), list(bits(found[2]))
        assert len(left) == len(right), found[0]
        return "\n".join(f"  assign {a} = {b};" for a, b in zip(left, right))

    return ASSIGN.sub(single, text)


class Netlist:
    def __init__(self, path, library):
        self.text, self.library, self.folder = path.read_text(), library, path.parent
        self.top = re.search(r"^module (\w+)", self.text, re.M)[1]
        self.ports = {n.strip().lstrip("\\"): (d, int(hi or 0) - int(lo or 0) + 1, bool(hi))
                      for d, hi, lo, n in PORT.findall(self.text)}
        self.cells = [(kind, name.strip(), dict(PIN.findall(body)))
                      for kind, name, body in CELL.findall(self.text)]
        self.ffs = [c for c in self.cells if self.is_ff(c[0])]
        self.clocks = self.nets_at("clocked_on")
        self.resets = self.nets_at("clear") | self.nets_at("preset")

    def is_ff(self, kind):
        cell = self.library.cells.get(kind)
        return cell is not None and cell.ff is not None

    def nets_at(self, attribute):
        pins = {(k, self.library.cells[k].state_pin(attribute)) for k in {f[0] for f in self.ffs}}
        return {net for kind, _, c in self.ffs for k, pin in pins if k == kind and pin
                for net in [c.get(pin, "")] if net in self.ports}

    def state(self, kind, connections):
        """The net of a flip-flop's state."""
        cell = self.library.cells[kind]
        for pin in (cell.state_output(), *cell.outputs):
            if pin and connections.get(pin):
                return connections[pin]
        return ""

    def register_names(self):
        """Instance -> the register bit that it holds. Synthesis keeps one of the names of a net; words.json
        of the step before has them all, and the register's own (x_q) is taken."""
        (module,) = (m for m in json.loads((self.folder / "words.json").read_text())["modules"].values()
                     if m["attributes"].get("top"))
        names = {}
        for name, net in module["netnames"].items():
            if not net["hide_name"]:
                for i, bit in enumerate(net["bits"], net.get("offset", 0)):
                    names.setdefault(bit, []).append(f"{name}[{i}]" if len(net["bits"]) > 1 else name)
        best = {}
        for same in names.values():
            chosen = min(same, key=lambda n: (not re.search(r"_q(\[\d+\])*$", n), n.count("."), n))
            best.update((n, chosen) for n in same)
        held = {name: plain(self.state(kind, c)) for kind, name, c in self.ffs}
        return {name: best.get(net, net) or name for name, net in held.items()}

    def port_bits(self, direction):
        """(port, index or None) of every bit of the ports of a direction but clocks and resets."""
        for name, (d, width, vector) in self.ports.items():
            if d == direction and name not in self.clocks | self.resets:
                yield from ((name, i if vector else None) for i in range(width))


def plain(net):
    return net.replace("\\", "").replace(" ", "")


def registered(netlist, top):
    """A module around the block with a flip-flop in front of every input and behind every output."""
    ff, clock = netlist.library.plain_ff, next(iter(sorted(netlist.clocks)), None)
    pins = {"clock": ff.state_pin("clocked_on"), "d": ff.state_pin("next_state"), "q": ff.state_output()}
    head, body = [], []
    for name, (direction, width, vector) in netlist.ports.items():
        span = f"[{width - 1}:0] " if vector else ""
        head.append(f"  {direction} {span}{name};")
        if name not in netlist.clocks | netlist.resets:
            body.append(f"  wire {span}edge_{name};")
    for direction, d, q in (("input", "{}", "edge_{}"), ("output", "edge_{}", "{}")):
        for number, (name, i) in enumerate(netlist.port_bits(direction)):
            bit = "" if i is None else f"[{i}]"
            body.append(f"  {ff.name} {direction}_ff_{number} (.{pins['clock']}({clock}), "
                        f".{pins['d']}({d.format(name)}{bit}), .{pins['q']}({q.format(name)}{bit}));")
    links = ", ".join(f".{n}({n if n in netlist.clocks | netlist.resets else 'edge_' + n})"
                      for n in netlist.ports)
    return (f"module {top}({', '.join(netlist.ports)});\n" + "\n".join(head + body)
            + f"\n  {netlist.top} u ({links});\nendmodule\n")


def edge_names(netlist):
    """Instance of `registered` -> what it stands for."""
    return {f"{direction}_ff_{number}": f"{direction} {name}" + ("" if i is None else f"[{i}]")
            for direction in ("input", "output")
            for number, (name, i) in enumerate(netlist.port_bits(direction))}


def opened(netlist):
    """The netlist with the next state of every flip-flop given from outside, at port state_d: what would
    have been stored leaves at port next_o. So a register toggles as that port is told to."""
    at = iter(range(len(netlist.ffs)))
    moved = []

    def move(found):
        kind, body = found[1], found[3]
        if not netlist.is_ff(kind):
            return found[0]
        pin, number = netlist.library.cells[kind].state_pin("next_state"), next(at)
        old = re.search(rf"^    \.{pin}\((.*)\)(,?)$", body, re.M)
        moved.append(f"  assign next_o[{number}] = {old[1]};")
        return found[0].replace(old[0], f"    .{pin}(state_d[{number}]){old[2]}")

    text = CELL.sub(move, netlist.text)
    n = len(netlist.ffs)
    text = re.sub(r"^(module \w+\()(.*?)\);$", rf"\1\2, state_d, next_o);\n  input [{n - 1}:0] state_d;\n"
                  rf"  output [{n - 1}:0] next_o;", text, count=1, flags=re.M | re.S)
    return text.replace("endmodule", "\n".join(moved) + "\nendmodule")
