# SPDX-License-Identifier: Apache-2.0
"""The C around a block's model: what links its state to the RTL's, one step, its reset; and a plain
program that runs the model on packed inputs. All of it is made from the toml and formal/rel/BLOCK.c."""
import re
import string
from dataclasses import dataclass, field
from pathlib import Path

from blockdesc import read_block, snake
from formal.execute import Execution, guard_of, text_at
from formal.graph import (all_of, and_, cat, clear_instead, const, eq, is_const, ite, not_, ones, or_, set_instead,
                          slice_, var, zext)
from formal.llvm import Module
from formal.netlist import RESET
from formal.tool import run_tool
from formal.walk import conjuncts

CLANG = ["clang-14", "-std=gnu11", "-w", "-O0", "-Xclang", "-disable-O0-optnone", "-Xclang", "-opaque-pointers",
         "-emit-llvm", "-S"]
# simplifycfg is left out on purpose: it moves shifts in front of the branch that makes them legal.
PASSES = "sroa,loop-simplify,lcssa"
TIMES = (0, 1, RESET)  # of wr_when
FOLDER = Path(__file__).with_name("rel")

COMMON = """\
#include "refmodel/$group/$block.h"
#include "formal/rel/relate.h"
#include <stdio.h>
static wr_$block s;
static wr_${block}_in in;
static wr_${block}_out out;
static const wr_${block}_cfg cfg = { $cfg };
"""

# A block, or a part of one: its relation, and the registers that are linked by their names.
RELATION = """\
#undef PART
#define PART "$instance"
#define relate relate_$what
$relation
#undef relate
static void by_name_$what(wr_$block *s, wr_when when)
{
    (void)s, (void)when;
$by_name
}
"""

RELATED = """\
    if (when != WR_NOW) {
        wr_prove("keeps cfg", 0, memcmp(&$at.cfg, &initial$member.cfg, sizeof $at.cfg) == 0);
        $at.cfg = initial$member.cfg;
    }
    by_name_$what(&$at, when);
    relate_$what(&$at, when);
"""

# Any state: all bytes but the parameters. That these stay is a goal of its own.
STEP = """\
static wr_$block initial;
$relations
static void related(wr_when when)
{
$related
}
static void any_state(void)
{
    wr_${block}_init(&initial, &cfg);
    wr_any(&s, sizeof s);
    $parameters
}
void formal_init(void)
{
    wr_prove("init accepts", 0, wr_${block}_init(&s, &cfg) == WR_OK);
    initial = s;
    related(WR_RESET);
}
void formal_reset(void)
{
    any_state();
    wr_${block}_reset(&s);
    related(WR_RESET);
}
void formal_allowed(void)
{
    any_state();
    related(WR_NOW);
}
void formal_step(void)
{
    formal_allowed();
    wr_state(&s, sizeof s);
$inputs
    wr_${block}_eval(&s, &in, &out);
$outputs
    wr_${block}_tick(&s, &in);
    wr_state(&s, sizeof s);
    related(WR_NEXT);
}
"""

RUNNER = """\
static unsigned char ins[1 << 16], outs[1 << 16];
static uint64_t take(int at, int width)
{
    uint64_t value = 0;
    for (int i = width; i-- > 0;) value = value << 1 | ins[at + i];
    return value;
}
static void put(int at, int width, uint64_t value)
{
    for (int i = 0; i < width; i++) outs[at + i] = value >> i & 1;
}
int main(void)
{
    static char line[1 << 15];
    if (wr_${block}_init(&s, &cfg) != WR_OK) return 2;
    while (fgets(line, sizeof line, stdin)) {
        const int digits = (int)strcspn(line, "\\n");
        for (int i = 0; i < 4 * digits; i++) {
            const char c = line[digits - 1 - i / 4];
            ins[i] = (c <= '9' ? c - '0' : c - 'a' + 10) >> i % 4 & 1;
        }
$take
        wr_${block}_eval(&s, &in, &out);
$put
        for (int i = $digits; i-- > 0;)
            printf("%x", outs[4 * i] | outs[4 * i + 1] << 1 | outs[4 * i + 2] << 2 | outs[4 * i + 3] << 3);
        putchar(' ');
        for (size_t i = 0; i < sizeof s; i++) printf("%02x", ((unsigned char *)&s)[i]);
        putchar('\\n');
        fflush(stdout);
        wr_${block}_tick(&s, &in);
    }
    return 0;
}
"""


@dataclass
class Side:
    """One run of the harness in the graph: goals (name, element, condition that breaks it)."""

    goals: list = field(default_factory=list)
    assumed: list = field(default_factory=list)
    allowed: list = field(default_factory=list)  # those of them that say which states R allows, not what follows
    known: dict = field(default_factory=dict)  # how many of those assumed a goal that follows may use
    outputs: list = field(default_factory=list)  # (pin, element, the model's value, the RTL's)
    states: list = field(default_factory=list)  # bytes of the model's state before the step and behind it
    places: list = field(default_factory=list)  # which of them hold a value


def sources_of(root, block, model):
    """The model and the models of the blocks whose headers it includes."""
    found, waiting = [], [model]
    while waiting:
        path = waiting.pop(0)
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
                waiting.append(other)
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

    def _fill(self, template, **parts):
        """The template with $NAME exchanged: $block, $group, $cfg and these parts."""
        b = self.block
        cfg = ", ".join(f"{self.values[p.name]}u" for p in b.params)
        return string.Template(template).substitute({"block": b.name, "group": b.group, "cfg": cfg, **parts})

    def _pins(self, direction, line):
        """A line of C for each element of the pins; `at` is its place in the packed vector."""
        lines, at = [], 0
        for p in self.block.side(direction):
            for suffix, i in self._each(p):
                lines.append(line.format(name=p.name + suffix, port=p.port, i=i, low=i * p.width, width=p.width, at=at))
                at += p.width
        return "\n".join(lines), at

    def _related(self):
        """(member, instance, block, relation) of the parts that the relation names, and of the block."""
        text = self.relation.read_text() if self.relation else ""
        for member, part, instance in re.findall(r"^// part: (\w+) (\w+) (\w+)$", text, re.M):
            block = read_block(self.root / "refmodel" / self.block.group / f"{part}.toml")
            relation = FOLDER / f"{part}.c"
            yield f".{member}", f"{instance}.", block, relation if relation.is_file() else None
        yield "", "", self.block, self.relation

    def _relation(self, instance, what, block, relation, nets):
        named = []
        for st in block.states:
            if instance + st.name in nets:
                count = f"s->cfg.{snake(st.count)}" if isinstance(st.count, str) else st.count or 1
                field = st.name if st.count is None else f"{st.name}[i]"
                named.append(f"    for (uint32_t i = 0; i < {count}; i++)\n"
                             f'        LINK(s->{field}, "{st.name}", i, 0, i * {st.width}u, {st.width});')
        none = "static void relate(wr_$block *s, wr_when when) { (void)s; (void)when; }"
        return self._fill(RELATION, block=block.name, instance=instance, what=what, by_name="\n".join(named),
                          relation=f'#include "{relation}"' if relation else self._fill(none, block=block.name))

    def text(self, nets):
        """The harness; registers whose names are among nets are linked by name."""
        relations, related, parameters = [], [], []
        for member, instance, block, relation in self._related():
            what = member[1:] or "block"
            relations.append(self._relation(instance, what, block, relation, nets))
            related.append(self._fill(RELATED, member=member, at="s" + member, what=what))
            parameters.append(f"s{member}.cfg = initial{member}.cfg;")
        return self._fill(COMMON + STEP, relations="\n".join(relations), related="\n".join(related),
                          parameters=" ".join(parameters),
                          inputs=self._pins("in", 'in.{name} = wr_in("{port}", {low}, {width});')[0],
                          outputs=self._pins("out", 'wr_output("{port}", {i}, out.{name});')[0])

    def runner_text(self):
        """The program: packed inputs as hex on each line of stdin; on stdout packed outputs, and the bytes
        of the state before the clock."""
        take, _ = self._pins("in", "in.{name} = take({at}, {width});")
        put, bits = self._pins("out", "put({at}, {width}, out.{name});")
        return self._fill(COMMON + RUNNER, take=take, put=put, digits=(bits + 3) // 4)

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
    side = Side(places=list(module.places(module.declared("@s")[0])))

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

    def wr_free(_, args, guard):
        return var(("lemma", args[0].key), 64)

    def wr_assume(_, args, guard):
        side.assumed.extend(conjuncts(or_(not_(guard_of(guard)), args[0])))

    def wr_holds(_, args, guard):
        known = len(side.assumed)
        wr_assume(_, args, guard)
        side.allowed.extend(side.assumed[known:])

    def goal(guard, name, element, holds):
        bad = and_(guard_of(guard), not_(holds))
        side.goals.append((re.sub(r"\[[^]]*\]", "", name.replace("s->", "")), element, bad))
        return bad

    def wr_prove(_, args, guard):
        goal(guard, text_at(args[0]), args[1].key if args[1].op == "const" else 0, args[2])

    def wr_follows(_, args, guard):
        bad = goal(guard, text_at(args[0]), 0, args[1])
        side.known.setdefault(bad, len(side.assumed))
        side.assumed.extend(conjuncts(not_(bad)))

    def wr_same(_, args, guard):
        model, rtl = args[0], args[1]
        if model.op == "cat" and is_const(model.args[0]) and model.args[0].key == 0:
            model = cat(*model.args[1:])
        if function == "formal_step" and not guard and model.args and rtl.top <= ones(model.width):
            set_instead(model, slice_(rtl, model.width - 1, 0))

    def wr_output(_, args, guard):
        port, i = text_at(args[0]), args[1].key
        width = widths[port]
        theirs = netlist.get(port, i * width, width, 0)
        side.outputs.append((port, i, args[2], theirs))
        goal(guard, "output " + port, i, eq(args[2], zext(theirs, 64)))

    def wr_state(x, args, guard):
        side.states.append([x.load(x.moved(args[0], const(64, k)), 1, guard, function)
                            for k in range(args[1].key)])

    def memcmp(x, args, guard):
        size = args[2].key
        same = all_of(eq(x.load(x.moved(args[0], const(64, k)), 1, guard, function),
                         x.load(x.moved(args[1], const(64, k)), 1, guard, function)) for k in range(size))
        return ite(same, const(32, 0), const(32, 1))
    module.memory.clear()
    x = Execution(module, {"wr_rtl": wr_rtl, "wr_in": wr_in, "wr_any": wr_any, "wr_free": wr_free,
                           "wr_holds": wr_holds, "wr_assume": wr_assume, "wr_same": wr_same, "wr_follows": wr_follows,
                           "wr_prove": wr_prove, "wr_output": wr_output, "wr_state": wr_state,
                           "memcmp": memcmp}, bound)
    try:
        x.call("@" + function, [])
    finally:
        clear_instead()
    side.goals = [("no " + what, 0, bad) for bad, what in x.obliged] + side.goals
    return side
