# SPDX-License-Identifier: Apache-2.0
"""RTL as Yosys gives it (flattened, word-level JSON) in the graph, node by node as it is asked for.

Time counts clocks: at time 0 a register is the variable ("reg", net), at time n it is what clock n
wrote. At time RESET it has its reset value. Unknown bits (x) are variables of their own, never 0.
A selector of $pmux that could be hot twice becomes an obligation (`exclusive`), for its output is
then undefined.
"""
import json

from formal.graph import (FALSE, TRUE, add, and_, ashr, bit, cat, const, eq, ite, is_const, is_false, lshr,
                          mul, not_, or_, sdiv, sext, shl, slice_, slt, srem, sub, udiv, ule, ult, urem, var, xor,
                          zext)
from formal.llvm import Unsupported

RESET = "reset"
REGISTERS = ("$dff", "$adff", "$dffe", "$adffe")


class NoNet(Unsupported):
    def __init__(self, net, like):
        super().__init__(f"the RTL has no net '{net}'" + (f"; like it: {', '.join(like)}" if like else ""))
        self.net = net


class Netlist:
    def __init__(self, path, fixed=None, given=None):
        """fixed: {register: value} that the registers have at time 0; given: {(input, time): node}."""
        with open(path, encoding="utf-8") as f:
            modules = json.load(f)["modules"]
        top = next(m for m in modules.values() if int(m.get("attributes", {}).get("top", "0"), 2))
        self.ports, self.nets, self.cells = top["ports"], top["netnames"], top["cells"]
        self.fixed, self.given = fixed or {}, given or {}
        self.exclusive = []  # (condition that two selectors are hot, cell)
        self._memo, self._driver, self._input = {}, {}, {}
        for name, port in self.ports.items():
            if port["direction"] == "input":
                for i, b in enumerate(port["bits"]):
                    self._input[b] = (name, i)
        for name, cell in self.cells.items():
            for port, direction in cell["port_directions"].items():
                if direction == "output":
                    for i, b in enumerate(cell["connections"][port]):
                        self._driver[b] = (name, port, i)
        self.flops = [n for n, c in self.cells.items() if "ff" in c["type"] and "Q" in c["connections"]]
        for n in self.flops:
            if self.cells[n]["type"] not in REGISTERS:
                raise Unsupported(f"register {n} of type {self.cells[n]['type']}: reset must be asynchronous,"
                                  " and there are no latches")
        self._clocked = frozenset(self.flops)
        self._name_registers()

    def _name_registers(self):
        """The name of each register bit: the shortest public one, NAME_q before others."""
        held = {b for n in self.flops for b in self.cells[n]["connections"]["Q"]}

        def order(name):
            return (self.nets[name].get("hide_name", 0), not name.endswith("_q"), name.count("."), len(name), name)
        self._named = {}
        for name in sorted(self.nets, key=order):
            for i, b in enumerate(self.nets[name]["bits"]):
                if b in held:
                    self._named.setdefault(b, (name, i))
        self.registers = sorted({name for name, _ in self._named.values()})

    def inputs(self):
        return {n: len(p["bits"]) for n, p in self.ports.items()
                if p["direction"] == "input" and n not in ("clk_i", "rst_ni")}

    def width(self, net):
        return len(self._bits_of(net))

    def _bits_of(self, net):
        if net not in self.nets:
            last = net.split(".")[-1]
            raise NoNet(net, [n for n in self.nets
                              if n.split(".")[-1] == last and not self.nets[n].get("hide_name", 0)][:4])
        return self.nets[net]["bits"]

    def get(self, net, low=0, width=0, time=0):
        """Bits of a net; width 0: all from low. Bits beyond the net are 0."""
        bits = self._bits_of(net)
        width = width or len(bits) - low
        have = max(0, min(width, len(bits) - low))
        value = self._bits(bits[low:low + have], time, ("net", net, low)) if have else None
        return const(width, 0) if value is None else zext(value, width)

    def _bits(self, bits, time, where):
        return cat(*(self._bit(b, time, where + (i,)) for i, b in reversed(list(enumerate(bits)))))

    def _bit(self, b, time, where):
        if isinstance(b, str):
            return const(1, b == "1") if b in "01" else var(("x", where, time), 1)
        found = self._memo.get((b, time))
        if found is None:
            found = self._memo[b, time] = self._driven(b, time)
        return found

    def _driven(self, b, time):
        if b in self._input:
            name, i = self._input[b]
            if (name, time) in self.given:
                return bit(self.given[name, time], i)
            return TRUE if name == "rst_ni" else bit(var(("in", name, time), len(self.ports[name]["bits"])), i)
        if b not in self._driver:
            return var(("x", b, time), 1)  # nobody drives it
        name, port, i = self._driver[b]
        if name in self._clocked:
            return self._register(b, name, i, time)
        key = (name, port, time)
        if key not in self._memo:
            self._memo[key] = None
            self._memo[key] = self._cell(name, port, time)
        if self._memo[key] is None:
            raise Unsupported(f"a combinational loop through {name}")
        return bit(self._memo[key], i)

    def _register(self, b, cell, i, time):
        c = self.cells[cell]
        if time == RESET:
            if "ARST_VALUE" in c["parameters"]:
                return const(1, _number(c, "ARST_VALUE") >> i)
            name, k = self._named[b]
            return bit(var(("noreset", name), self.width(name)), k)
        if time == 0:
            name, k = self._named[b]
            if name in self.fixed:
                return const(1, self.fixed[name] >> k)
            return bit(var(("reg", name), self.width(name)), k)
        value = self._bit(c["connections"]["D"][i], time - 1, (cell, "D", i))
        if "EN" in c["connections"]:
            enable = self._bit(c["connections"]["EN"][0], time - 1, (cell, "EN"))
            if not _number(c, "EN_POLARITY"):
                enable = not_(enable)
            value = ite(enable, value, self._bit(b, time - 1, ()))
        return value

    def _cell(self, name, port, time):
        c = self.cells[name]
        kind, width = c["type"], len(c["connections"][port])
        make = CELLS.get(kind)
        if make is None:
            raise Unsupported(f"cell {name} of type {kind}")

        def operand(p):
            return self._bits(c["connections"][p], time, (name, p))
        if kind == "$pmux":
            self._exclusive(name, operand("S"), time)
        result = make(c, operand, width, (name, time))
        if result.width < width:
            result = zext(result, width)
        return slice_(result, width - 1, 0)

    def _exclusive(self, name, s, time):
        seen, twice, kinds = FALSE, FALSE, set()
        hots = [bit(s, i) for i in range(s.width)]
        for h in hots:  # comparisons of one value with different constants exclude each other by form
            if h.op == "eq" and is_const(h.args[1]):
                kinds.add((h.args[0].id, h.args[1].key))
        if len(kinds) == len(hots) and len({k for k, _ in kinds}) == 1:
            return
        for h in hots:
            twice, seen = or_(twice, and_(seen, h)), or_(seen, h)
        if not is_false(twice) and (time == 0 or self.given):  # one step looks at time 0, a flow at all
            self.exclusive.append((twice, name))


def _number(cell, parameter):
    value = cell["parameters"].get(parameter, 0)
    return int(value, 2) if isinstance(value, str) else value


def _both_signed(cell):
    return _number(cell, "A_SIGNED") and _number(cell, "B_SIGNED")


def _wide(x, width, is_signed):
    if x.width >= width:
        return x
    return sext(x, width) if is_signed else zext(x, width)


def _two(make, exact=False):
    """Both operands at one width: that of the result, or of the wider operand where exact."""
    def cell(c, operand, width, _):
        a, b, s = operand("A"), operand("B"), _both_signed(c)
        size = max(a.width, b.width) if exact else max(width, a.width, b.width)
        return make(_wide(a, size, s), _wide(b, size, s), s)
    return cell


def _one(make):
    def cell(c, operand, width, _):
        a = operand("A")
        return make(_wide(a, max(width, a.width), _number(c, "A_SIGNED")))
    return cell


def _some(x):
    return not_(eq(x, const(x.width, 0)))


def _parity(x):
    result = FALSE
    for i in range(x.width):
        result = xor(result, bit(x, i))
    return result


def _shift(make):
    """The count is unsigned; A grows to the result's width, with its sign where it has one."""
    def cell(c, operand, width, _):
        a, b = operand("A"), operand("B")
        size = max(width, a.width, b.width)
        return make(_wide(a, size, _number(c, "A_SIGNED")), zext(b, size))
    return cell


def _index(c, operand, width, where):
    """$shift and $shiftx: to the right by a count that may be signed; $shiftx is unknown beyond A."""
    a, b = operand("A"), operand("B")
    size = max(width, a.width, b.width) + 1
    is_signed = _number(c, "B_SIGNED")
    x, y = zext(a, size), _wide(b, size, is_signed)
    right = lshr(x, y)
    if is_signed:
        right = ite(bit(y, size - 1), shl(x, sub(const(size, 0), y)), right)
    result = slice_(right, width - 1, 0)
    if c["type"] == "$shiftx":
        if a.width >= width:
            inside = ule(y, const(size, a.width - width))
        else:
            inside = FALSE
        result = ite(inside, result, var(("beyond",) + where, width))
    return result


def _pmux(c, operand, width, _):
    result, s, b = operand("A"), operand("S"), operand("B")
    for i in reversed(range(s.width)):
        result = ite(bit(s, i), slice_(b, width * (i + 1) - 1, width * i), result)
    return result


def _plain(make):
    return _two(lambda a, b, s: make(a, b))


CELLS = {
    "$and": _plain(and_), "$or": _plain(or_), "$xor": _plain(xor), "$xnor": _plain(lambda a, b: not_(xor(a, b))),
    "$add": _plain(add), "$sub": _plain(sub), "$mul": _plain(mul),
    "$div": _two(lambda a, b, s: (sdiv if s else udiv)(a, b)),
    "$mod": _two(lambda a, b, s: (srem if s else urem)(a, b)),
    "$not": _one(not_), "$pos": _one(lambda a: a), "$neg": _one(lambda a: sub(const(a.width, 0), a)),
    "$eq": _two(lambda a, b, s: eq(a, b), True), "$eqx": _two(lambda a, b, s: eq(a, b), True),
    "$ne": _two(lambda a, b, s: not_(eq(a, b)), True), "$nex": _two(lambda a, b, s: not_(eq(a, b)), True),
    "$lt": _two(lambda a, b, s: (slt if s else ult)(a, b), True),
    "$gt": _two(lambda a, b, s: (slt if s else ult)(b, a), True),
    "$le": _two(lambda a, b, s: not_((slt if s else ult)(b, a)), True),
    "$ge": _two(lambda a, b, s: not_((slt if s else ult)(a, b)), True),
    "$logic_and": lambda c, operand, width, _: and_(_some(operand("A")), _some(operand("B"))),
    "$logic_or": lambda c, operand, width, _: or_(_some(operand("A")), _some(operand("B"))),
    "$logic_not": lambda c, operand, width, _: not_(_some(operand("A"))),
    "$reduce_or": lambda c, operand, width, _: _some(operand("A")),
    "$reduce_bool": lambda c, operand, width, _: _some(operand("A")),
    "$reduce_and": lambda c, operand, width, _: eq(operand("A"), const(operand("A").width, -1)),
    "$reduce_xor": lambda c, operand, width, _: _parity(operand("A")),
    "$reduce_xnor": lambda c, operand, width, _: not_(_parity(operand("A"))),
    "$mux": lambda c, operand, width, _: ite(operand("S"), operand("B"), operand("A")),
    "$pmux": _pmux,
    "$shl": _shift(shl), "$sshl": _shift(shl), "$shr": _shift(lshr), "$shift": _index, "$shiftx": _index,
    "$sshr": lambda c, operand, width, w: _shift(ashr if _number(c, "A_SIGNED") else lshr)(c, operand, width, w),
}
