# SPDX-License-Identifier: Apache-2.0
"""The netlist of a block with all its mutants in it, and the shared object that cosim loads.

Yosys reads the block in one configuration's parameters and makes a netlist of word-wide cells;
`mutate -list` draws places in it (a bit of a port of a cell) and changes there: inverted, held at 0
or 1, or mixed with another bit of the port. All changes then stand in one netlist, each switched on
by its number in the wire wr_mutant, so that a block is Verilated once: the wire takes the number in
$WR_MUTANT when the simulation starts, and 0 is the block as it was.

Invariants: registers keep their names, so the checker compares them too; Yosys runs in the root of
the tree, so that no name depends on where that is; the same tree, configuration, count and seed give
the same mutants. Ports CLK are left out: a block has one clock, which no bench of it can question.
"""
import dataclasses
import os
import re
import tempfile
import tomllib
from types import SimpleNamespace

from formal import rtl
from programs import ToolError, run, yosys

SELECT_BITS = 12
SELECT = "wr_mutant"
START = '$c32("(std::getenv(\\"WR_MUTANT\\") ? std::atoi(std::getenv(\\"WR_MUTANT\\")) : 0)")'


@dataclasses.dataclass
class Target:
    """A block in one configuration: a row of `dpi/generate.py --configs`; and the user's RTL for it, if there is any."""
    root: object
    group: str
    block: str
    config: str
    in_bits: str
    out_bits: str
    params: list
    given: object = None  # formal.rtl.Sources
    top: str = None       # the module behind the pins; None: it is called as the block

    @property
    def module(self):
        return self.top or self.block

    @property
    def texts(self):
        """Of the user's RTL, by file: with what it includes."""
        return rtl.read(self.root, SimpleNamespace(group=self.group), self.given)

    @property
    def sources(self):
        """The block's file, then those of its group, which hold the modules that it may use; or the user's, and then
        those that they use."""
        if self.given:
            return list(self.texts)
        own = self.root / f"rtl/{self.group}/{self.block}.sv"
        return [own] + [p for p in sorted(own.parent.glob("*.sv")) if p != own]

    @property
    def registers(self):
        toml = self.root / f"refmodel/{self.group}/{self.block}.toml"
        return [state["name"] for state in tomllib.loads(toml.read_text()).get("state", [])]


@dataclasses.dataclass(frozen=True)
class Mutant:
    number: int
    command: str  # of Yosys, without -ctrl
    source: str   # of the cell: file:line.column-line.column
    change: str   # cell type, port and bit, mode: "$mux S[0] inv"
    wire: str     # that the bit is, where it has a name
    text: str     # the source line

    @property
    def name(self):
        wire = f" ({self.wire})" if self.wire else ""
        return f"{self.source}: {self.change}{wire}: {self.text}"


def name_of(target, path):
    """Without the tree's folder in front, so that no name depends on where that is."""
    return path.relative_to(target.root) if path.is_relative_to(target.root) else path


def options(target, path):
    """Of read_verilog for one file. The user's own are read at once, in their order: packages come first."""
    if not target.given:
        return " -defer"
    words = [] if path in target.given.files else ["-defer"]
    words += [f"-I{folder}" for folder in target.given.includes]
    words += [f"-D{define}" for define in target.given.defines]
    return "".join(f" {word}" for word in words)


def prepare(target, folder):
    """net.il: the block's cells, registers under their names, little that is plainly dead."""
    keep = " ".join(f"w:{name}" for name in target.registers)
    script = "".join(f"read_verilog -sv{options(target, p)} \"{name_of(target, p)}\"\n" for p in target.sources)
    script += "chparam " + "".join(f"-set {k} {v} " for k, v in target.params) + target.module + "\n"
    script += f"hierarchy -check -top {target.module}\nproc\nflatten\n"
    if keep:
        script += f"setattr -set keep 1 {keep}\n"
    script += "opt -full\nwreduce\npeepopt\nopt -full -fine\nwreduce\npmuxtree\nopt -full -fine\nopt_clean\n"
    script += f"rename -top {target.block}\nwrite_rtlil \"{folder}/net.il\"\n"
    yosys(target, script, folder / "net.ys")


def draw(target, folder, count, seed):
    """So many mutants, or all that there are."""
    # mutate takes no quoted path.
    said = yosys(target, f"read_rtlil \"{folder}/net.il\"\nmutate -list {count + count // 4} -seed {seed} "
                 "-o /dev/stdout\n", folder / "list.ys")
    text = (folder / "net.il").read_text()
    types = {name.removeprefix("\\"): kind for kind, name in re.findall(r"^  cell (\S+) (\S+)$", text, re.M)}
    lines = {}
    mutants = []
    for line in re.findall(r"^mutate -mode .*", said, re.M):
        words = line.split()[1:]
        option = dict(zip(words[::2], words[1::2]))
        # The cell's comes last; line 0 is what Yosys says where it made the cell itself.
        sources = [v for k, v in zip(words[::2], words[1::2]) if k == "-src" and ":0." not in v]
        if option["-port"] == "CLK":
            continue
        kind = types.get(option["-cell"], "?")
        ctrl = f" by {option['-ctrlbit']}" if "-ctrlbit" in option else ""
        source = sources[-1] if sources else option.get("-src", "?")
        wire = f"{option['-wire']}[{option['-wirebit']}]" if "-wire" in option else ""
        mutants.append(Mutant(len(mutants) + 1, line, source,
                              f"{kind} {option['-port']}[{option['-portbit']}] {option['-mode']}{ctrl}", wire,
                              source_line(target, source, lines)))
        if len(mutants) == count:
            break
    return mutants


def source_line(target, source, cache):
    match = re.match(r"([^:|]+):(\d+)\.", source)
    if not match or int(match[2]) == 0:
        return ""
    if match[1] not in cache:
        path = target.root / match[1]
        cache[match[1]] = path.read_text().splitlines() if path.is_file() else []
    number = int(match[2])
    return cache[match[1]][number - 1].strip() if number <= len(cache[match[1]]) else ""


def commands(mutants):
    """All of them in one netlist, each under its number."""
    return "".join(f"{m.command} -ctrl {SELECT} {SELECT_BITS} {m.number}\n" for m in mutants)


def with_parameters(target, text):
    """Yosys's Verilog as a module that stands for the block."""
    params = ", ".join(f"parameter int unsigned {k} = 32'd{v}" for k, v in target.params)
    return text.replace(f"\nmodule {target.block}(", f"\nmodule {target.block} #({params}) (", 1)


def write_one(target, folder, mutant, path):
    """The netlist with this one mutant, as Verilog."""
    yosys(target, f"read_rtlil \"{folder}/net.il\"\n{mutant.command}\nwrite_verilog -noattr \"{path}\"\n",
          path.with_suffix(".ys"))
    path.write_text(with_parameters(target, path.read_text()))


def verilog_of(target, text):
    """Of all mutants: the number is taken from the environment. Verilator may take vectors apart: two changes
    of one vector would look like a loop."""
    text = with_parameters(target, text)
    width = f"[{SELECT_BITS - 1}:0]"
    text, found = re.subn(rf"^  wire {re.escape(width)} {SELECT};$",
                          f"  reg {width} {SELECT};\n  initial {SELECT} = {SELECT_BITS}'({START});",
                          text, flags=re.M)
    if found != 1:
        raise ToolError(f"{target.block}: Yosys wrote no wire {SELECT}")
    return re.sub(r"^  (wire|reg) (\[\d+:0\]) ([^;=]*);$", r"  \1 \2 \3 /*verilator split_var*/;", text,
                  flags=re.M)


def library_name(target):
    return f"wr_{target.block}_{target.config}_lockstep.so"


def build(target, folder, mutants, runtime):
    """The shared object, under the name that cosim looks for in $WARPREF_LIB."""
    made = folder / "rtl"
    made.mkdir(exist_ok=True)
    yosys(target, f"read_rtlil \"{folder}/net.il\"\n{commands(mutants)}delete -input {target.block}/{SELECT}\n"
          f"write_verilog -noattr \"{folder}/net.v\"\n", folder / "apply.ys")
    own = made / f"{target.block}.sv"
    own.write_text(verilog_of(target, (folder / "net.v").read_text()))
    with tempfile.TemporaryDirectory(dir=folder) as work:  # a compiler that is ended leaves its files, too
        env = dict(os.environ, WR_CXX_OPTIMIZE=os.environ.get("WR_CXX_OPTIMIZE", "-O1"), TMPDIR=work,
                   WR_VERILATOR_FLAGS="-Wno-fatal -Wno-lint -Wno-style -Wno-UNOPTFLAT -Wno-SPLITVAR")
        run([target.root / "dpi/verilate.sh", target.block, "pins" if target.given else "lockstep", target.in_bits, target.out_bits, runtime,
             folder / library_name(target), f"{work}/verilated", target.block, made, own,
             *(f"{k}={v}" for k, v in target.params)], target.root, env)
