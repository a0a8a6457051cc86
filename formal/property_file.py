# SPDX-License-Identifier: Apache-2.0
"""What a property file says, and what is written for Yosys from it: its rows, the head of module properties
(frame.svh), and a netlist with outputs instead of assertions; and the tables of docs/properties.md. The form is
described in properties.py."""
import dataclasses
import os
import pathlib
import re

ROOT = pathlib.Path(os.environ.get("WARPREF_ROOT") or pathlib.Path(__file__).resolve().parent.parent)
FOLDER = ROOT / "formal/properties"
PAGE = ROOT / "docs/properties.md"
ROW = re.compile(r"^\s*// (?:(induction|bounded|cover) (\d+)|(pdr)) \| (\w+): (.+)$")
LEFT_OUT = re.compile(r"^// not (\w+): (.+)$")
STILL = re.compile(r"^// still (\w+)$", re.M)
MADE = re.compile(r"^// made (\w+)$", re.M)
PROVED, REACHED = "proved", "reached"
TRIGGER, OUT = "__trigger", "OUT_"


class Trouble(Exception):
    """Nothing could be proved: a tool or a file is not as it must be (exit status 2)."""


@dataclasses.dataclass
class Row:
    block: str
    config: str
    name: str
    kind: str
    depth: int
    what: str
    line: int
    verdict: str = "open"
    seconds: float = 0.0
    note: str = ""
    step: int = None  # in which cycle a cover, or the condition of an assert, is first reached

    @property
    def good(self):
        return self.verdict in (PROVED, REACHED)

    @property
    def how(self):
        return {"cover": f"cover {self.depth}", "bounded": f"bmc depth {self.depth}",
                "induction": f"induction {self.depth}", "pdr": "induction (pdr)"}[self.kind]


def rows_of(block, config):
    """The rows of a property file, the reason why this configuration is left out or None."""
    path, rows, reason = FOLDER / f"{block}.sv", [], None
    text = path.read_text()
    for number, line in enumerate(text.splitlines(), 1):
        if found := ROW.match(line):
            rows.append(Row(block, config, found[4], found[1] or found[3], int(found[2] or 0), found[5], number))
        elif (found := LEFT_OUT.match(line)) and found[1] == config:
            reason = found[2]
    labels = {name: at for at, line in enumerate(text.splitlines(), 1)
              for name in re.findall(r"\b(\w+)\s*:\s*(?:assert|cover)\b", line.split("//")[0])}
    for row in rows:
        if row.name not in labels:
            raise Trouble(f"{path}:{row.line}: there is no statement labelled {row.name}")
        row.line = labels.pop(row.name)
    for name, at in labels.items():
        raise Trouble(f"{path}:{at}: {name} has no row (`// induction K | {name}: ...`)")
    if len({r.name for r in rows}) != len(rows) or not any(r.kind != "cover" for r in rows):
        raise Trouble(f"{path}: names must differ, and one property at least must be there")
    if not any(r.kind == "cover" for r in rows):
        raise Trouble(f"{path}: a property file has one cover at least")
    return rows, reason


def table(block):
    """The rows of a block as a section of the page. No verdict: that takes a run."""
    return f"\n### {block}\n\n| property | proof | what |\n|---|---|---|\n" + "".join(
        f"| `{r.name}` | {r.how} | {r.what} |\n" for r in rows_of(block, "")[0])


def page(text, blocks):
    """The page with its tables as they should be."""
    mark = re.compile(r"(<!-- table -->\n).*?(<!-- /table -->\n)", re.S)
    if len(mark.findall(text)) != 1:
        raise Trouble(f"{PAGE}: has no place for the tables")
    return mark.sub(lambda m: m[1] + "".join(map(table, blocks)) + m[2], text)


def frame(block, values, top, still, made):
    """Head of module properties: constants, free inputs, nets of the outputs, the block."""
    def bits(pin):
        total = pin.width * pin.elements(values)
        return f"[{total - 1}:0] " if total > 1 or pin.is_array else ""
    lines = ["module properties (", "  input  logic clk_i"]
    lines += [f"  , input  logic {bits(p)}{p.port}" for p in block.side("in")
              if p.port not in still + made] + [");"]
    lines += [f"  (* anyconst *) logic {bits(p)}{p.port};" for p in block.side("in") if p.port in still]
    lines += [f"  logic {bits(p)}{p.port};" for p in block.side("in") if p.port in made]
    lines += [f"  localparam int unsigned {p.name} = {values[p.name]};" for p in block.params]
    lines += [f"  logic {bits(p)}{p.port};" for p in block.side("out")]
    lines += ["  logic rst_ni = 1'b0, was_ni = 1'b0;  // was_ni: the cycle before was out of reset, too",
              "  always @(posedge clk_i) {was_ni, rst_ni} <= {rst_ni, 1'b1};",
              f"  {top} #(" + ", ".join(f".{p.name}({p.name})" for p in block.params) + ") dut (",
              "    .clk_i, .rst_ni" + "".join(f", .{p.port}" for p in block.pins) + ");"]
    return "\n".join(lines) + "\n"


CELL = re.compile(r"(?:  attribute .*\n)*  cell \$(assert|cover) \\(\S+)\n(?:    .*\n)*?  end\n")


def with_outputs(text, wanted):
    """The netlist with an output instead of each assert and cover: NAME is 1 where the assert fails or the cover
    is reached, NAME__trigger where the condition of the assert holds. Only names that `wanted` takes."""
    ports = iter(range(10 ** 6, 10 ** 7))

    def output(name, op, a, b):
        if not wanted(name):
            return ""
        parameters = "".join(f"    parameter \\{k} {v}\n" for k, v in (
            ("A_SIGNED", 0), ("A_WIDTH", 1), ("B_SIGNED", 0), ("B_WIDTH", 1), ("Y_WIDTH", 1)))
        return (f"  wire output {next(ports)} \\{OUT}{name}\n  cell ${op} $out${name}\n{parameters}"
                f"    connect \\A {a}\n    connect \\B {b}\n    connect \\Y \\{OUT}{name}\n  end\n")

    def instead(found):
        check, enable = (re.search(rf"connect \\{pin} (.*)\n", found[0])[1] for pin in ("A", "EN"))
        if found[1] == "cover":
            return output(found[2], "and", check, enable)
        # Not `gt`: a condition that is never true leaves the check undefined, and 0 and x is 0.
        fails = (f"  wire $not_w${found[2]}\n  cell $not $not${found[2]}\n    parameter \\A_SIGNED 0\n"
                 f"    parameter \\A_WIDTH 1\n    parameter \\Y_WIDTH 1\n    connect \\A {check}\n"
                 f"    connect \\Y $not_w${found[2]}\n  end\n")
        return fails + output(found[2], "and", enable, f"$not_w${found[2]}") + output(found[2] + TRIGGER, "and", enable, enable)
    return CELL.sub(instead, text)
