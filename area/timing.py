# SPDX-License-Identifier: Apache-2.0
"""Delay and power by OpenSTA, before wires are known.

Every input comes from a flip-flop of the library outside the block, every output goes into one; the clock
is ideal, with edges one FO4 long; reset is no path. The delay of a path is from clock edge to clock edge:
clear-to-Q, logic, setup. Its depth is that delay in FO4, the delay of an inverter that drives four of its
like, measured here in the same library.
"""
import re

from netlist import Netlist, edge_names, opened, plain, registered
from toolbox import Failure, run

STEP, POWER_STEP = "timing", "power"
STAGES = 12
TOGGLES = """proc toggles {port activity duty} {
  set found [get_ports $port]
  if {$found == ""} {error "there is no port $port"}
  set_power_activity -input_ports $found -activity $activity -duty $duty
}"""
# Internal, switching, leakage and their sum of all cells. OpenSTA 2.0.17 divides 0 by 0 where the share of time in
# which a wide gate is 1 is too small for a number (reg_compressor has one such cell); it is left out, and counted.
WATTS = """set sum {0 0 0 0}
set without 0
foreach cell [get_cells *] {
  set watts [sta::instance_power $cell [sta::cmd_corner]]
  if {[catch {set more [lmap a $sum b $watts {expr {$a + $b}}]}]} {incr without} else {set sum $more}
}
puts "watts $sum without $without"
"""
INPUT_ACTIVITY = 0.1  # toggles of an input pin per clock cycle, where no run says better


def sta(step, name, lines, folder):
    (folder / f"{name}.tcl").write_text("\n".join(lines) + "\n")
    log = folder / f"{name}.log"
    said = run(step, ["sta", "-no_splash", "-exit", f"{name}.tcl"], log, folder)
    wrong = re.findall(r"^Error: .*$", said, re.M)
    if wrong:
        raise Failure(step, f"OpenSTA: {wrong[-1][7:]}", 1, log)
    return said


def fo4(library, folder):
    """Seconds. Mean of a rising and a falling stage in the middle of the chain."""
    cell = library.inverter
    a, y = cell.inputs[0], next(iter(cell.outputs))
    lines = ["module fo4(input a, output y);", f"  wire [{STAGES}:0] n;",
             f"  assign n[0] = a, y = n[{STAGES}];"]
    for i in range(STAGES):
        lines.append(f"  {cell.name} s{i} (.{a}(n[{i}]), .{y}(n[{i + 1}]));")
        lines += [f"  {cell.name} load{i}_{k} (.{a}(n[{i + 1}]));" for k in range(3)]
    (folder / "fo4.v").write_text("\n".join(lines) + "\nendmodule\n")
    said = sta(STEP, "fo4", [
        f"read_liberty {library.path}", "read_verilog fo4.v", "link_design fo4",
        "create_clock -name v -period 1000",
        "set_input_delay 0 -clock v [get_ports a]", "set_output_delay 0 -clock v [get_ports y]",
        "report_checks -digits 6"], folder)
    at = {int(i): float(t) for t, i in re.findall(r"(\S+) [v^] s(\d+)/", said)}
    if len(at) != STAGES:
        raise Failure(STEP, "OpenSTA shows no path through the inverters", 1, folder / "fo4.log")
    first, last = STAGES // 2 - 2, STAGES - 2
    return (at[last] - at[first]) / (last - first) * library.seconds()


def constraints(netlist, period, slew):
    lines = [f"create_clock -name clk -period {period:.6g} [get_ports {c}]" for c in sorted(netlist.clocks)[:1]]
    lines += [f"set_clock_transition {slew:.6g} [get_clocks clk]"] if lines else [
        f"create_clock -name clk -period {period:.6g}"]
    lines += [f"set_false_path -from [get_ports {r}]" for r in sorted(netlist.resets)]
    return lines


def delay(library, folder, effort, clock_mhz, fo4_s):
    """The longest path, and the longest between registers of the block itself."""
    netlist = Netlist(folder / f"{effort}.v", library)
    if not netlist.ffs:
        raise Failure(STEP, "the block has no flip-flop, so no clock", 1, folder / f"{effort}.v")
    if len(netlist.clocks) != 1:
        clocks = ", ".join(sorted(netlist.clocks)) or "no input port"
        raise Failure(STEP, f"its flip-flops have {clocks} as clocks; one port is wanted", 1)
    (folder / f"{effort}_edge.v").write_text(registered(netlist, "edge"))
    unit = library.seconds()
    period = 1e-6 / clock_mhz / unit
    report = "report_checks -path_delay max -format full -fields {net} -digits 5"
    said = sta(STEP, f"timing_{effort}", [
        f"read_liberty {library.path}", f"read_verilog {effort}.v", f"read_verilog {effort}_edge.v",
        "link_design edge",
        *constraints(netlist, period, fo4_s / unit), "puts {== all}", report,
        "set_false_path -from [get_cells input_ff_*]", "set_false_path -to [get_cells output_ff_*]",
        "puts {== inside}", report], folder)
    whole, inside = (path(part, netlist, unit, fo4_s) for part in re.split(r"^== \w+$", said, flags=re.M)[1:3])
    if whole is None:
        raise Failure(STEP, "OpenSTA finds no path between registers", 1, folder / f"timing_{effort}.log")
    return {"fo4_ps": round(fo4_s * 1e12, 2), "clock_mhz": clock_mhz, **whole,
            "fmax_mhz": round(1e6 / whole["delay_ps"], 1),
            "slack_ps": round(1e6 / clock_mhz - whole["delay_ps"], 1), "inside": inside}


def path(text, netlist, unit, fo4_s):
    """Of one report: delay, depth, ends and cells."""
    if "Startpoint" not in text:
        return None
    names = {f"u/{k}": v for k, v in netlist.register_names().items()} | edge_names(netlist)
    begin, end = (names.get(n, n) for n in re.findall(r"^(?:Start|End)point: (\S+)", text, re.M)[:2])
    cells = [{"cell": kind, "net": "", "delay_ps": round(float(d) * unit * 1e12, 1)}
             for d, kind in re.findall(r"^ +(\S+) +\S+ [v^] \S+/\w+ \((\w+)\)$", text, re.M)]
    cells = [c for c in cells if c["cell"] in netlist.library.cells][1:-1]  # without the ends' pins
    nets = re.findall(r"^.* (?:u/)?(\S+) \(net\)$", text, re.M)
    for cell, net in zip(cells, nets):
        cell["net"] = plain(net)
    arrival = float(re.search(r"^ +(\S+) +data arrival time", text, re.M)[1])
    setup = float((re.search(r"^ +(\S+) +\S+ +library setup time", text, re.M) or [0, 0])[1])
    total = (arrival - setup) * unit
    return {"delay_ps": round(total * 1e12, 1), "fo4": round(total / fo4_s, 1), "start": begin, "end": end,
            "path": cells}


def power(library, folder, effort, clock_mhz, fo4_s, activity=None):
    """Watts at the clock. `activity` (activity.py) says how often pins and registers toggled in a run;
    without, inputs toggle INPUT_ACTIVITY times a cycle and OpenSTA carries that through the logic."""
    netlist = Netlist(folder / f"{effort}.v", library)
    unit, source = library.seconds(), f"{effort}.v"
    rates, known, bits = [], 0, 0
    if activity is not None:
        rates, known, bits, registers = activities(netlist, activity)
        if registers:
            source = "opened.v"
            (folder / source).write_text(opened(netlist))
    lines = [f"read_liberty {library.path}", f"read_verilog {source}", f"link_design {netlist.top}",
             *constraints(netlist, 1e-6 / clock_mhz / unit, fo4_s / unit),
             "set_input_delay 0 -clock clk [all_inputs]",
             f"set_power_activity -input -activity {INPUT_ACTIVITY} -duty 0.5", TOGGLES, *rates,
             *(f"toggles {{{r}}} 0 1" for r in sorted(netlist.resets))]
    said = sta(POWER_STEP, "power", lines + [WATTS], folder)
    found = re.search(r"^watts (\S+) (\S+) (\S+) (\S+) without (\d+)$", said, re.M)
    if not found or float(found[4]) <= 0:
        raise Failure(POWER_STEP, "OpenSTA reports no power", 1, folder / "power.log")
    internal, switching, leakage, whole = (float(x) for x in found.groups()[:4])
    has = {"leakage": library.has_leakage, "internal": library.has_power}
    return {"internal_w": internal, "switching_w": switching, "leakage_w": leakage, "total_w": whole,
            "cells_without": int(found[5]),
            "activity": "default" if activity is None else activity.source, "known_bits": known, "bits": bits,
            "meaningless": [what for what in has if not has[what]]}


def activities(netlist, activity):
    """Lines that tell OpenSTA the toggles of inputs and registers; bits known, bits there are, and whether
    registers are among them. OpenSTA 2.0.17 takes toggles at input ports alone (its -pins ends in an
    internal error), so registers are told through the opened netlist."""
    ports = [(bit, activity.of(bit)) for name, i in netlist.port_bits("input")
             for bit in [name if i is None else f"{name}[{i}]"]]
    states = [(f"state_d[{n}]", activity.of(plain(netlist.state(kind, pins))))
              for n, (kind, _, pins) in enumerate(netlist.ffs)]
    registers = any(rate for _, rate in states)
    told = [(at, rate) for at, rate in ports + states * registers if rate]
    if not told:
        raise Failure(POWER_STEP, f"{activity.source} has no pin of {netlist.top}", 2)
    lines = [f"toggles {{{at}}} {rate[0]:.6g} {rate[1]:.4g}" for at, rate in told]
    return lines, len(told), len(ports) + len(states), registers
