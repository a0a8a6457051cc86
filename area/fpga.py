# SPDX-License-Identifier: Apache-2.0
"""An FPGA of an open flow: Yosys and nextpnr on an iCE40 HX8K, package ct256.

LUTs, flip-flops and carries are those of the block alone. For the clock it stands between two shift
registers, since it may have more pins than the package: one feeds all inputs, one takes all outputs, so
every path is from flip-flop to flip-flop. Clock and resets are pins.
"""
import json
import re

from netlist import Netlist
from results import digest, program
from synth import read_script
from toolbox import Failure, last_error, need, run, version

STEP = "fpga"
DEVICE, PACKAGE, CELLS = "hx8k", "ct256", 7680


def key(design):
    return digest(*(p.read_bytes() for p in design.files), design.top, design.params,
                  version("yosys"), version("nextpnr-ice40"), program("fpga", "netlist"))


def wrapper(netlist, design):
    ins, outs = (list(netlist.port_bits(d)) for d in ("input", "output"))
    clock, place = next(iter(netlist.clocks)), {"input": 0, "output": 0}
    links = []
    for name, (direction, width, _) in netlist.ports.items():
        if name in netlist.clocks | netlist.resets:
            links.append(f".{name}({name})")
        else:
            at = place[direction]
            links.append(f".{name}({'in_q' if direction == 'input' else 'out'}[{at + width - 1}:{at}])")
            place[direction] += width
    params = ", ".join(f".{n}({v})" for n, v in design.params)
    pins = ", ".join(f"input {n}" for n in sorted(netlist.clocks | netlist.resets))
    n, m = max(len(ins), 1), max(len(outs), 1)
    return f"""module fpga_wrap({pins}, input serial, input load, output done);
  reg [{n - 1}:0] in_q;
  reg [{m - 1}:0] out_q;
  wire [{m - 1}:0] out;
  assign done = out_q[0];
  always @(posedge {clock}) begin
    in_q <= {{in_q, serial}};
    out_q <= load ? out : out_q >> 1;
  end
  {design.top} {f'#({params}) ' if params else ''}u ({', '.join(links)});
endmodule
"""


def fit(design, folder, library, effort):
    need("nextpnr-ice40", STEP)
    netlist = Netlist(folder / f"{effort}.v", library)
    (folder / "fpga_wrap.v").write_text(wrapper(netlist, design))
    read = [line for line in read_script(design) if not line.startswith(("chparam", "hierarchy"))]
    (folder / "fpga.ys").write_text("\n".join(
        read_script(design) + [f"synth_ice40 -top {design.top}", "tee -o fpga_cells.txt stat", "design -reset"]
        + read + ["read_verilog fpga_wrap.v", "hierarchy -check -top fpga_wrap",
                  "synth_ice40 -top fpga_wrap -json fpga.json.in"]) + "\n")
    run(STEP, ["yosys", "-q", "fpga.ys"], folder / "fpga_synth.log", folder)
    said = (folder / "fpga_cells.txt").read_text()
    counts = {k: int(n) for k, n in re.findall(r"^     (SB_\w+) +(\d+)$", said, re.M)}
    result = {
        "device": f"iCE40 {DEVICE} {PACKAGE}",
        "luts": counts.get("SB_LUT4", 0),
        "flipflops": sum(n for k, n in counts.items() if k.startswith("SB_DFF")),
        "carries": counts.get("SB_CARRY", 0),
        "brams": sum(n for k, n in counts.items() if k.startswith("SB_RAM")),
        "wrapped_cells": None, "mhz": None, "why": "",
    }
    if result["luts"] > CELLS:
        return result | {"why": f"too big: {result['luts']} LUTs, the device has {CELLS}"}
    log = folder / "fpga.log"
    try:
        run(STEP, ["nextpnr-ice40", f"--{DEVICE}", "--package", PACKAGE, "--json", "fpga.json.in",
                   "--seed", "1", "--pcf-allow-unconstrained", "--timing-allow-fail",
                   "--report", "fpga_report.json"], log, folder)
    except Failure:
        if "nable to place" in log.read_text(errors="replace") or "no more" in last_error(log).lower():
            return result | {"why": "does not fit with its wrapper"}
        raise
    report = json.loads((folder / "fpga_report.json").read_text())
    return result | {"wrapped_cells": report["utilization"]["ICESTORM_LC"]["used"],
                     "mhz": round(min(c["achieved"] for c in report["fmax"].values()), 1)}
