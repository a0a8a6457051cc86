# SPDX-License-Identifier: Apache-2.0
"""Reads a block's description (refmodel/<group>/<block>.toml) and checks it.

The description is the one source of pins, parameters and named configurations. Everything
here is about reading it; what is written from it stands in the emit_*.py files.

Invariants of a Block that read_block returns:
- pins keep the order of the file, inputs and outputs each among themselves: this order is
  the packed layout, first pin at bit 0, element 0 of an array lowest;
- codes of a pin are the names of its values 0, 1, ... without a gap;
- pins that it shares with a part ([pins_of]) come first, as they stand there;
- count of a pin is None (one element), a number, or the name of a parameter.
"""

import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

MAX_WORDS, MAX_PARAMS, MAX_STATE_WORDS = 96, 8, 32  # as in dpi/block.h

ROOT = Path(__file__).resolve().parent.parent
GROUPS = "refmodel/groups.toml"


@dataclass
class Param:
    name: str
    field: str
    doc: str
    min: int
    max: int


@dataclass
class Pin:
    name: str
    dir: str
    width: int
    count: object
    doc: str
    comb: bool
    max_count: int
    codes: list  # names of the values 0, 1, ...; empty where values have none
    shared: bool = False  # with the part that [pins_of] names

    @property
    def meaning(self):
        codes = ", ".join(f"{value} {name}" for value, name in enumerate(self.codes))
        return f"{self.doc}; codes: {codes}" if codes else self.doc

    @property
    def is_array(self):
        return self.count is not None

    def elements(self, values):
        """Elements under a configuration; 1 for a pin that is no array."""
        return values[self.count] if isinstance(self.count, str) else self.count or 1

    @property
    def c_type(self):
        if self.width == 1:
            return "bool"
        for bits in (8, 16, 32):
            if self.width <= bits:
                return f"uint{bits}_t"
        return "uint64_t"

    @property
    def port(self):
        return f"{self.name}_{'i' if self.dir == 'in' else 'o'}"


@dataclass
class State:
    """A register that model and RTL hold under the same name; the RTL keeps an array flat."""

    name: str
    width: int
    count: object
    doc: str


@dataclass
class StoragePart:
    """Some registers of the RTL, in the default configuration, beside what the paper counts for them."""

    name: str
    registers: list  # names as in dpi/flipflops.py
    bits: int
    paper_bits: int  # 0: beyond what the paper counts
    doc: str
    total: str  # name of a Total that it enters, or None
    instances: int  # how often it enters


@dataclass
class Storage:
    """Flip-flops of the RTL in the default configuration, and what the paper gives."""

    bits: int
    paper: str
    parts: list  # their bits add up to bits; may be none


@dataclass
class Total:
    """A sum of storage that a paper states: refmodel/storage.toml."""

    name: str
    bits: int
    per: str
    figure: str
    source: str
    blocks: list  # whose parts must add up to it


@dataclass
class Diagram:
    """What the timing diagram of the page shows: cycles of the golden vectors, and which pins."""

    first: int
    cycles: int
    pins: list  # (port name, element or None where the pin is no array)


@dataclass
class Time:
    """What goes on in cycles in which all inputs are 0: for ever, or until it is done."""

    free_running: bool
    doc: str


@dataclass
class Block:
    name: str
    group: str
    source: str
    summary: str
    latency: int
    interval: int
    params: list
    configs: dict
    pins: list
    states: list
    path: str
    diagram: object = None
    storage: object = None
    time: object = None  # None: nothing goes on
    shares_with: str = None  # the part that [pins_of] names

    @property
    def free_running(self):
        return self.time is not None and self.time.free_running

    def side(self, direction):
        return [p for p in self.pins if p.dir == direction]

    def pin(self, direction, name):
        return next((p for p in self.side(direction) if p.name == name), None)

    def bits(self, direction, values):
        """Bits of the packed vector of one direction under a configuration."""
        return sum(p.width * p.elements(values) for p in self.side(direction))

    def state_bits(self):
        return sum(s.width * (s.count or 1) for s in self.states)

    def codes(self):
        """Named codes by pin name; pins of one name share them."""
        return {p.name: p for p in self.pins if p.codes}


def snake(name):
    """OpBarPp -> op_bar_pp"""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def camel(name):
    """seg_word -> SegWord"""
    return "".join(part.capitalize() for part in name.split("_"))


def fail(path, text):
    sys.exit(f"{path}: {text}")


def read_codes(rel, pin, pins):
    """Key codes of a pin: { name = value, ... }, the values 0, 1, ... without a gap."""
    codes = pin.get("codes", {})
    if not isinstance(codes, dict) or sorted(codes.values()) != list(range(len(codes))):
        fail(rel, f"pin '{pin['name']}': codes must be {{ name = value, ... }} with values 0, 1, ... without a gap")
    if len(codes) > 1 << pin["width"] or not all(re.fullmatch("[a-z][a-z0-9_]*", c) for c in codes):
        fail(rel, f"pin '{pin['name']}': codes must be snake_case names that fit into {pin['width']} bits")
    names = sorted(codes, key=codes.get)
    other = next((p for p in pins if p.name == pin["name"]), None)
    if other and (other.codes, other.width) != (names, pin["width"]) and (other.codes or names):
        fail(rel, f"pin '{pin['name']}': input and output of one name must have the same width and codes")
    return names


def typed(rel, where, table, keys, optional=()):
    """Fails unless the table has these keys, texts or numbers from 1 up; some may be missing."""
    if not isinstance(table, dict) or not set(keys) - set(optional) <= set(table) <= set(keys):
        fail(rel, f"{where} must have the keys {', '.join(keys)}" + (f" ({', '.join(optional)} may be missing)" if optional else ""))
    for key, value in table.items():
        if type(value) is not keys[key] or (keys[key] is int and value < 1) or not value:
            kind = {int: "a number from 1 up", str: "a text", list: "a list with something in it"}[keys[key]]
            fail(rel, f"{where} {key} must be {kind}")


def shared_pins(rel, path, table):
    """Rows [[pin]] of table [pins_of]: those of block = "part", of the same group, but without = ["in find", ...]."""
    typed(rel, "[pins_of]", table, {"block": str, "without": list}, ["without"])
    part = path.with_name(f"{table['block']}.toml")
    if not part.is_file():
        fail(rel, f"[pins_of] block = '{table['block']}': {part.relative_to(ROOT).as_posix()} is not there")
    rows, without = tomllib.loads(part.read_text())["pin"], table.get("without", [])
    stray = set(without) - {f"{p['dir']} {p['name']}" for p in rows}
    if stray:
        fail(rel, f"[pins_of] without: '{sorted(stray)[0]}' is no pin of {table['block']}; write 'in NAME' or 'out NAME'")
    return [p | {"shared": True} for p in rows if f"{p['dir']} {p['name']}" not in without]


def read_storage(rel, table):
    """Table [storage]: bits = N, paper = "..."; its parts [[storage.part]]."""
    typed(rel, "[storage]", table, {"bits": int, "paper": str, "part": list}, ["part"])
    parts = []
    for row in table.get("part", []):
        typed(rel, "[[storage.part]]", row,
              {"name": str, "registers": list, "bits": int, "paper_bits": int, "doc": str, "total": str, "instances": int},
              ["paper_bits", "total", "instances"])
        if not all(isinstance(r, str) and r for r in row["registers"]):
            fail(rel, "[[storage.part]] registers must be names of registers")
        if ("total" in row and "paper_bits" not in row) or ("instances" in row and "total" not in row):
            fail(rel, "[[storage.part]] total goes with paper_bits, and instances with total")
        parts.append(StoragePart(row["name"], row["registers"], row["bits"], row.get("paper_bits", 0), row["doc"],
                                 row.get("total"), row.get("instances", 1)))
    if parts and sum(p.bits for p in parts) != table["bits"]:
        fail(rel, f"[storage] bits = {table['bits']}, its parts have {sum(p.bits for p in parts)}")
    return Storage(table["bits"], table["paper"], parts)


def read_time(rel, table):
    """Table [time]: free_running = true or false, doc = "what goes on while all inputs are 0"."""
    if not isinstance(table, dict) or set(table) != {"free_running", "doc"}:
        fail(rel, "[time] must have exactly the keys free_running and doc")
    if type(table["free_running"]) is not bool:
        fail(rel, "[time] free_running must be true or false")
    if not isinstance(table["doc"], str) or not table["doc"]:
        fail(rel, "[time] doc must be a text")
    return Time(table["free_running"], table["doc"])


def read_diagram(rel, table, pins, values):
    """Table [diagram]: from = N, cycles = M, pins = ["ready_o", "lane_i[0]"]."""
    if not isinstance(table, dict) or set(table) != {"from", "cycles", "pins"}:
        fail(rel, "[diagram] must have exactly the keys from, cycles and pins")
    for key, low, high in (("from", 0, 1000000), ("cycles", 4, 16)):
        if type(table[key]) is not int or not low <= table[key] <= high:
            fail(rel, f"[diagram] {key} must be a number, {low} to {high}")
    if not isinstance(table["pins"], list) or not table["pins"]:
        fail(rel, "[diagram] pins must be a list of pin names, such as [\"ready_o\", \"lane_i[0]\"]")
    ports, shown = {p.port: p for p in pins}, []
    for text in table["pins"]:
        match = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", str(text))
        pin = ports.get(match[1]) if match else None
        if pin is None:
            fail(rel, f"[diagram] pin '{text}' is not one of {', '.join(ports)}")
        if pin.is_array != (match[2] is not None):
            fail(rel, f"[diagram] pin '{text}': an array needs an element, as in {pin.port}[0], others take none")
        element = int(match[2]) if pin.is_array else None
        if pin.is_array and element >= pin.elements(values):
            fail(rel, f"[diagram] pin '{text}': the default configuration has {pin.elements(values)} elements")
        if (pin.port, element) in shown:
            fail(rel, f"[diagram] pin '{text}' stands twice")
        shown.append((pin.port, element))
    return Diagram(table["from"], table["cycles"], shown)


def read_block(path):
    rel = path.relative_to(ROOT).as_posix()
    try:
        data = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        fail(rel, f"not valid TOML: {error}")
    for key in ("block", "group", "source", "summary", "latency", "interval", "config", "pin"):
        if key not in data:
            fail(rel, f"key '{key}' is missing")
    if data["block"] != path.stem or data["group"] != path.parent.name:
        fail(rel, "block and group must equal the file's stem and folder")
    params = [
        Param(p["name"], snake(p["name"]), p["doc"], p["min"], p["max"])
        for p in data.get("param", [])
    ]
    by_name = {p.name: p for p in params}
    for name in ("tiny", "default", "odd"):
        if name not in data["config"]:
            fail(rel, f"configuration '{name}' is missing")
    for name, values in data["config"].items():
        if set(values) != set(by_name):
            fail(rel, f"configuration '{name}' must set exactly the block's parameters")
        for key, value in values.items():
            if not by_name[key].min <= value <= by_name[key].max:
                fail(rel, f"configuration '{name}': {key} = {value} is out of range")
    for p in data.get("param", []):
        reached = any(values[p["name"]] == p["max"] for values in data["config"].values())
        if reached == ("limit" in p):
            fail(rel, f"parameter '{p['name']}': " + ("'limit' says why no configuration has the largest value, but "
                      "one has" if reached else f"no configuration has the largest value, {p['max']}: set it in "
                      "configuration 'max', or say in 'limit' why none can"))
    pins, seen = [], set()
    for p in (shared_pins(rel, path, data["pins_of"]) if "pins_of" in data else []) + data["pin"]:
        count = p.get("count")
        max_count = 1
        if count is not None:
            if count in by_name:
                max_count = by_name[count].max
            elif str(count).isdigit():
                count = max_count = int(count)
            else:
                fail(rel, f"pin '{p['name']}': count '{count}' is no parameter and no number")
        if p["dir"] not in ("in", "out") or not 1 <= p["width"] <= 64:
            fail(rel, f"pin '{p['name']}': dir must be in or out, width 1 to 64")
        if (p["dir"], p["name"]) in seen:
            fail(rel, f"pin '{p['name']}' stands twice")
        seen.add((p["dir"], p["name"]))
        timing = p.get("timing", "registered")
        if timing not in ("registered", "comb"):
            fail(rel, f"pin '{p['name']}': timing must be registered or comb")
        pins.append(
            Pin(p["name"], p["dir"], p["width"], count, p["doc"], timing == "comb", max_count,
                read_codes(rel, p, pins), p.get("shared", False))
        )
    states = [State(s["name"], s["width"], s.get("count"), s["doc"]) for s in data.get("state", [])]
    if sum(s.width * (s.count or 1) for s in states) > 32 * MAX_STATE_WORDS:
        fail(rel, "too much state: raise the limit here and in dpi/block.h")
    for direction in ("in", "out"):
        bits = sum(p.width * p.max_count for p in pins if p.dir == direction)
        if bits > 32 * MAX_WORDS or len(params) > MAX_PARAMS:
            fail(rel, "too many pins or parameters: raise the limits here and in dpi/block.h")
    diagram = None
    if "diagram" in data:
        diagram = read_diagram(rel, data["diagram"], pins, data["config"]["default"])
    storage = read_storage(rel, data["storage"]) if "storage" in data else None
    time = read_time(rel, data["time"]) if "time" in data else None
    return Block(
        data["block"], data["group"], data["source"], data["summary"], data["latency"],
        data["interval"], params, data["config"], pins, states, rel, diagram, storage, time,
        data.get("pins_of", {}).get("block"),
    )


def read_groups():
    """Group -> what its blocks are for."""
    return tomllib.loads((ROOT / GROUPS).read_text())


def read_all():
    blocks, groups = [read_block(p) for p in sorted((ROOT / "refmodel").glob("*/*.toml"))], read_groups()
    for b in blocks:
        if b.group not in groups:
            fail(GROUPS, f"has no line for group {b.group}")
    return blocks


def read_totals(blocks):
    """The totals of refmodel/storage.toml, each held against the parts that enter it."""
    path = ROOT / "refmodel/storage.toml"
    rel = path.relative_to(ROOT).as_posix()
    totals, there = [], {b.name for b in blocks}
    for row in tomllib.loads(path.read_text())["total"]:
        typed(rel, "[[total]]", row, {"name": str, "bits": int, "per": str, "figure": str, "source": str, "blocks": list})
        totals.append(Total(**row))
    names = {t.name for t in totals}
    for b in blocks:
        for part in b.storage.parts if b.storage else []:
            if part.total is not None and part.total not in names:
                fail(b.path, f"[[storage.part]] total '{part.total}' is none of {rel}: {', '.join(sorted(names))}")
    for t in totals:
        parts = [(b.name, p) for b in blocks if b.storage for p in b.storage.parts if p.total == t.name]
        stray = {name for name, _ in parts} - set(t.blocks)
        if stray:
            fail(rel, f"total '{t.name}': {', '.join(sorted(stray))} must be among its blocks")
        got = sum(p.paper_bits * p.instances for _, p in parts)
        if set(t.blocks) <= there and got != t.bits:
            fail(rel, f"total '{t.name}': the paper's {t.bits} bits, the parts of its blocks have {got}")
    return totals
