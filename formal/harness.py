# SPDX-License-Identifier: Apache-2.0
"""The C around a block's model: what links its state to the RTL's, one step, its reset; and a plain
program that runs the model on packed inputs. All of it is made from the toml and formal/rel/BLOCK.c."""
import re
import subprocess
from dataclasses import dataclass, field

from formal.execute import Execution, guard_of, text_at
from formal.graph import all_of, and_, const, eq, ite, not_, or_, var, zext
from formal.llvm import Module
from formal.netlist import RESET
from formal.walk import conjuncts

CLANG = ["clang-14", "-std=gnu11", "-w", "-O0", "-Xclang", "-disable-O0-optnone", "-Xclang", "-opaque-pointers",
         "-emit-llvm", "-S"]
# simplifycfg is left out on purpose: it moves shifts in front of the branch that makes them legal.
PASSES = "sroa,loop-simplify,lcssa"
TIMES = (0, 1, RESET)  # of wr_when


class ToolFailed(Exception):
    """A compiler or Yosys failed: its own words."""


def run_tool(command, cwd):
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    except FileNotFoundError:
        raise ToolFailed(f"{command[0]} is not installed: see tools/packages.txt") from None
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise ToolFailed(f"{command[0]}: " + "; ".join(words[:4]))


@dataclass
class Side:
    """One run of the harness in the graph: goals (name, element, condition that breaks it)."""

    goals: list = field(default_factory=list)
    assumed: list = field(default_factory=list)
    outputs: list = field(default_factory=list)  # (pin, element, the model's value, the RTL's)
    states: list = field(default_factory=list)  # bytes of the model's state before the step and behind it


def sources_of(root, block, model):
    """The model and the models of the blocks whose headers it includes."""
    found, todo = [], [model]
    while todo:
        path = todo.pop(0)
        if path in found:
            continue
        found.append(path)
        texts = [path.read_text()]
        header = root / "refmodel" / block.group / f"{block.name}.h" if path == model else path.with_suffix(".h")
        if header.is_file():
            texts.append(header.read_text())
        for name in re.findall(r'#include "(refmodel/[^"]+)\.h"', "".join(texts)):
            other = root / (name + ".c")
            if other.is_file() and other.stem != block.name:
                todo.append(other)
    return found


class Harness:
    def __init__(self, root, block, values, relation, model, work):
        self.root, self.block, self.values, self.work = root, block, values, work
        self.relation, self.model = relation, model

    def _each(self, thing):
        """(C suffix, element) of a pin or register."""
        if thing.count is None:
            return [("", 0)]
        count = self.values[thing.count] if isinstance(thing.count, str) else thing.count
        return [(f"[{i}]", i) for i in range(count)]

    def _common(self):
        b = self.block
        cfg = ", ".join(f"{self.values[p.name]}u" for p in b.params)
        return [f'#include "refmodel/{b.group}/{b.name}.h"', '#include "formal/rel/relate.h"', "#include <stdio.h>",
                f"static wr_{b.name} s;", f"static wr_{b.name}_in in;", f"static wr_{b.name}_out out;",
                f"static const wr_{b.name}_cfg cfg = {{ {cfg} }};"]

    def text(self, nets):
        """The harness; registers whose names are among nets are linked by name."""
        b, lines = self.block, self._common()
        lines.append(f'#include "{self.relation}"' if self.relation else
                     f"static void relate(wr_{b.name} *s, wr_when when) {{ (void)s; (void)when; }}")
        lines.append(f"static void by_name(wr_{b.name} *s, wr_when when) {{")
        for st in b.states:
            if st.name in nets:
                lines += [f'  LINK(s->{st.name}{suffix}, "{st.name}", {i}, 0, {i * st.width}, {st.width});'
                          for suffix, i in self._each(st)]
        lines += ["}", "static void inputs(void) {"]
        for p in b.side("in"):
            lines += [f'  in.{p.name}{suffix} = wr_in("{p.port}", {i * p.width}, {p.width});'
                      for suffix, i in self._each(p)]
        lines += ["}", "static void outputs(void) {"]
        for p in b.side("out"):
            lines += [f'  wr_output("{p.port}", {i}, out.{p.name}{suffix});' for suffix, i in self._each(p)]
        # Any state: all bytes but the parameters.
        lines += ["}", "static void any_state(void) {", "  wr_any(&s, sizeof s);", "  s.cfg = cfg;", "}",
                  "static void related(wr_when when) {",
                  "  if (when != WR_NOW) {",
                  '    wr_prove("keeps cfg", 0, memcmp(&s.cfg, &cfg, sizeof cfg) == 0);', "    s.cfg = cfg;", "  }",
                  "  by_name(&s, when);", "  relate(&s, when);", "}",
                  "void formal_init(void) {",
                  f'  wr_prove("init accepts", 0, wr_{b.name}_init(&s, &cfg) == WR_OK);', "  related(WR_RESET);", "}",
                  "void formal_reset(void) {", "  any_state();", f"  wr_{b.name}_reset(&s);", "  related(WR_RESET);",
                  "}", "void formal_step(void) {", "  any_state();", "  related(WR_NOW);",
                  "  wr_state(&s, sizeof s);", "  inputs();", f"  wr_{b.name}_eval(&s, &in, &out);", "  outputs();",
                  f"  wr_{b.name}_tick(&s, &in);", "  wr_state(&s, sizeof s);",
                  "  related(WR_NEXT);", "}"]
        return "\n".join(lines) + "\n"

    def runner_text(self):
        """A program: packed inputs as hex on each line of stdin; on stdout packed outputs, and the bytes
        of the state before the clock."""
        b, lines, at = self.block, self._common(), 0
        lines += ["static unsigned char bits[1 << 16], outs[1 << 16];",
                  "static uint64_t take(int at, int n) { uint64_t v = 0;"
                  " for (int i = n; i-- > 0;) v = v << 1 | bits[at + i]; return v; }",
                  "static void put(int at, int n, uint64_t v) { for (int i = 0; i < n; i++) outs[at + i] = v >> i & 1; }",
                  "int main(void) { static char line[1 << 15];",
                  f"  if (wr_{b.name}_init(&s, &cfg) != WR_OK) return 2;",
                  "  while (fgets(line, sizeof line, stdin)) { int n = (int)strcspn(line, \"\\n\");",
                  "    memset(bits, 0, sizeof bits);",
                  "    for (int i = 0; i < n; i++) { char c = line[n - 1 - i]; int v = c <= '9' ? c - '0' : c - 'a' + 10;"
                  " for (int k = 0; k < 4; k++) bits[4 * i + k] = v >> k & 1; }"]
        for p in b.side("in"):
            for suffix, _ in self._each(p):
                lines.append(f"    in.{p.name}{suffix} = take({at}, {p.width});")
                at += p.width
        lines.append(f"    wr_{b.name}_eval(&s, &in, &out);")
        at = 0
        for p in b.side("out"):
            for suffix, _ in self._each(p):
                lines.append(f"    put({at}, {p.width}, out.{p.name}{suffix});")
                at += p.width
        lines += [f"    for (int i = {(at + 3) // 4}; i-- > 0;) putchar(\"0123456789abcdef\"[outs[4 * i] |"
                  " outs[4 * i + 1] << 1 | outs[4 * i + 2] << 2 | outs[4 * i + 3] << 3]);",
                  "    putchar(' ');",
                  "    for (size_t i = 0; i < sizeof s; i++) printf(\"%02x\", ((unsigned char *)&s)[i]);",
                  "    putchar('\\n'); fflush(stdout);", f"    wr_{b.name}_tick(&s, &in);", "  }", "  return 0;", "}"]
        return "\n".join(lines) + "\n"

    def module(self, nets):
        """The harness and the model as one module of LLVM IR."""
        wrap = self.work / "harness.c"
        wrap.write_text(self.text(nets))
        parts = []
        for k, path in enumerate([wrap] + sources_of(self.root, self.block, self.model)):
            parts.append(str(self.work / f"{k}.ll"))
            run_tool([*CLANG, f"-I{self.root}", str(path), "-o", parts[-1]], self.root)
        whole, final = str(self.work / "whole.ll"), self.work / "model.ll"
        run_tool(["llvm-link-14", "-opaque-pointers", "-S", *parts, "-o", whole], self.root)
        run_tool(["opt-14", "-opaque-pointers", "-S", f"-passes={PASSES}", whole, "-o", str(final)], self.root)
        return Module(final.read_text())

    def runner(self):
        """The path of the compiled program of runner_text. It goes on behind a failed assertion, to show
        what comes of it."""
        wrap, program = self.work / "runner.c", self.work / "runner"
        wrap.write_text(self.runner_text())
        run_tool(["clang-14", "-std=gnu11", "-w", "-O1", "-DNDEBUG", f"-I{self.root}", str(wrap),
                  *map(str, sources_of(self.root, self.block, self.model)), "-o", str(program)], self.root)
        return program


def execute(module, function, netlist, widths, bound):
    """Runs one function of the harness; widths: of one element of each output port."""
    side = Side()

    def wr_rtl(_, args, guard):
        net = text_at(args[0])
        i, j, low, width, when = (a.key for a in args[1:])
        net = net.replace("%", str(i), 1).replace("%", str(j), 1)
        return zext(netlist.get(net, low, width, TIMES[when]), 64)

    def wr_in(_, args, guard):
        return zext(netlist.get(text_at(args[0]), args[1].key, args[2].key, 0), 64)

    def wr_any(x, args, guard):
        for k in range(args[1].key):
            x.store(x.moved(args[0], const(64, k)), var(("state", k), 8), 1, guard, function)

    def wr_assume(_, args, guard):
        side.assumed.extend(conjuncts(or_(not_(guard_of(guard)), args[0])))

    def goal(guard, name, element, holds):
        side.goals.append((name, element, and_(guard_of(guard), not_(holds))))

    def wr_prove(_, args, guard):
        name = re.sub(r"\[[^]]*\]", "", text_at(args[0]).replace("s->", ""))
        goal(guard, name, args[1].key if args[1].op == "const" else 0, args[2])

    def wr_output(_, args, guard):
        port, i = text_at(args[0]), args[1].key
        width = widths[port]
        theirs = netlist.get(port, i * width, width, 0)
        side.outputs.append((port, i, args[2], theirs))
        goal(guard, "output " + port, i, eq(args[2], zext(theirs, 64)))

    def wr_state(x, args, guard):
        side.states.append([x.load(x.moved(args[0], const(64, k)), 1, guard, function) for k in range(args[1].key)])

    def memcmp(x, args, guard):
        size = args[2].key
        same = all_of(eq(x.load(x.moved(args[0], const(64, k)), 1, guard, function),
                         x.load(x.moved(args[1], const(64, k)), 1, guard, function)) for k in range(size))
        return ite(same, const(32, 0), const(32, 1))
    module.memory.clear()
    x = Execution(module, {"wr_rtl": wr_rtl, "wr_in": wr_in, "wr_any": wr_any, "wr_assume": wr_assume,
                           "wr_prove": wr_prove, "wr_output": wr_output, "wr_state": wr_state,
                           "memcmp": memcmp}, bound)
    x.call("@" + function, [])
    side.goals = [("no " + what, 0, bad) for bad, what in x.obliged] + side.goals
    return side
