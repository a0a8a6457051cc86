#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RTL with latches, with values that nobody gives, and with all kinds of signals, in `warpref cosim`.

Each row of the table plants something in a copy of block warp_slots and says what comes of it.

    tests/own_rtl/unknown.py BUILD_DIR
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPREF = pathlib.Path(sys.argv[1]).resolve() / "bin/warpref"
SOUND = (ROOT / "rtl/duet/warp_slots.sv").read_text(encoding="utf-8")

RESET = """  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= '0;
      free_q  <= 7'(Slots);
      fault_q <= 1'b0;
    end else begin
      taken_q <= taken_d;
      free_q  <= free_d;
      fault_q <= fault_d;
    end
  end
"""
WARP = """    always_ff @(posedge clk_i) begin
      if (claims[i])      warp_q <= claim_id_i;
      else if (passes[i]) warp_q <= pass_id_i;
    end
"""
WARP_LATCHES = """    pair #(.W(7)) u_warp (
      .clk_i, .rst_ni, .d_i(claims[i] ? claim_id_i : passes[i] ? pass_id_i : warp_q), .q_o(warp_q)
    );
"""
LATCHES = """  pair #(.W(Slots)) u_taken (.clk_i, .rst_ni, .d_i(taken_d), .q_o(taken_q));
  pair #(.W(7), .R(7'(Slots))) u_free (.clk_i, .rst_ni, .d_i(free_d), .q_o(free_q));
  pair u_fault (.clk_i, .rst_ni, .d_i(fault_d), .q_o(fault_q));
"""
PAIR = """
module pair #(parameter int unsigned W = 1, parameter logic [W-1:0] R = '0) (
  input logic clk_i, input logic rst_ni, input logic [W-1:0] d_i, output logic [W-1:0] q_o
);
  logic [W-1:0] master;
  always_latch begin
    if (!rst_ni) master = R;
    else if (MASTER) master = d_i;
  end
  always_latch begin
    if (!rst_ni) q_o = R;
    else if (SLAVE) q_o = master;
  end
endmodule
"""
FAULT = "  assign fault_o = fault_q;\n"
LATE = """  logic late_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) late_q <= 1'b0;
    else late_q <= fault_q;
  end
  wire both;
  assign both = FIRST;
  assign both = SECOND;
  assign fault_o = both;
"""
TIME = """  assign fault_o = fault_q;
  longint last_q;
  logic runs_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      runs_q <= 1'b0;
    end else begin
      runs_q <= 1'b1;
      last_q <= longint'($time);
      if (runs_q && longint'($time) - last_q != STEP) $fatal(1, "time stands still");
    end
  end
"""
# Of every kind that a waveform of Verilator may leave out; `seen` keeps them alive.
KINDS = """  assign fault_o = fault_q;
  typedef struct packed { logic [2:0] high; logic [3:0] low; } pair_t;
  typedef struct { logic [6:0] number; logic flag; } loose_t;
  logic [6:0]   long_array [40];
  logic [6:0]   matrix [4][16];
  logic [299:0] wide_q;
  logic [6:0]   _hidden_q;
  pair_t        packed_q;
  loose_t       loose_q;
  for (genvar g = 0; g < 2; g++) begin : gen_kind
    logic [6:0] inner_array [40];
    always_ff @(posedge clk_i) inner_array[claim_slot_i % 40] <= claim_id_i;
  end
  always_ff @(posedge clk_i) begin : seen
    long_array[claim_slot_i % 40] <= claim_id_i;
    matrix[claim_slot_i[1:0]][claim_slot_i[5:2]] <= claim_id_i;
    wide_q <= {wide_q[292:0], claim_id_i};
    _hidden_q <= claim_id_i;
    packed_q <= claim_id_i;
    loose_q.number <= claim_id_i;
    loose_q.flag <= claim_i;
  end
"""
UNKNOWN = r"pin fault: expected 1'b0, got 1'b[xz]$"
IN_FOUR = r"^mismatch: warp_slots: in four states, cycle \d+: "
BY_START = r"^  It comes and goes with what registers and nets start with: "
ALL_LATCHES = {RESET: LATCHES, WARP: WARP_LATCHES}

# Name, {text: what stands in its place}, behind the module, options, exit status, what is said, what is not.
ROWS = [
    ("sound", {}, "", [], 0, [r"^four states: 512 cycles in Icarus Verilog, no X or Z", "^PASS 20000 cycles"], ["warning"]),
    ("all of it in four states", {}, "", ["--four-state", "--cycles", "2000"], 0,
     [r"^four states: 2[2-4]\d\d cycles in Icarus Verilog"], []),
    ("some of it", {}, "", ["--four-state=123"], 0, [r"^four states: 123 cycles in Icarus Verilog"], []),
    ("latches", ALL_LATCHES, PAIR.replace("MASTER", "!clk_i").replace("SLAVE", "clk_i"), [], 0,
     ["^four states: 512 cycles", "^PASS 20000 cycles"], []),
    ("latches that open at the other edge", ALL_LATCHES, PAIR.replace("MASTER", "clk_i").replace("SLAVE", "!clk_i"),
     [], 1, [IN_FOUR + "pin .*x"], []),
    ("latches that are always open", ALL_LATCHES, PAIR.replace("MASTER", "1'b1").replace("SLAVE", "clk_i"),
     [], 1, [r"^mismatch: warp_slots: |^(ended|stopped): "], []),
    ("a net that nothing drives", {FAULT: "  wire never;\n  assign fault_o = fault_q || never;\n"}, "", [], 1,
     [r"^  /.*/warp_slots.sv:\d+:\d+: Signal is not driven: 'never' \(UNDRIVEN\)", BY_START], ["^stimulus: "]),
    ("its complement", {FAULT: "  wire never;\n  assign fault_o = fault_q || !never;\n"}, "", [], 1, [BY_START], []),
    ("a register that two processes drive", {FAULT: FAULT + "  logic two_q;\n  always_ff @(posedge clk_i) two_q <= 1'b0;\n"
                                             "  always_ff @(negedge clk_i) two_q <= 1'b1;\n"}, "", ["--no-four-state"], 0,
     [r"Signal has multiple driving blocks.*two_q' \(MULTIDRIVEN\)"], []),
    ("a register without reset", {"      fault_q <= 1'b0;\n": ""}, "", [], 1,
     [r"^mismatch: warp_slots: cycle \d+: pin fault: expected 0x0, got 0x1"], ["^stimulus: "]),
    ("one that starts at 1 alone", {FAULT: "  logic once_q;\n  always_ff @(posedge clk_i) once_q <= 1'b0;\n"
                                    "  assign fault_o = fault_q || (once_q && !rst_ni);\n"}, "", [], 0, ["^PASS"], []),
    ("an X", {"look_valid_o ? warps[7*look_idx +: 7] : 7'd0": "look_valid_o ? warps[7*look_idx +: 7] : 7'bx"}, "", [], 1,
     [r"^mismatch: warp_slots: cycle \d+: pin look_id", BY_START], []),
    ("a Z", {FAULT: "  assign fault_o = fault_q ? 1'b1 : 1'bz;\n"}, "", [], 1,
     [IN_FOUR + UNKNOWN, "^inputs from reset up to it: warp_slots.tiny.shortest.hex, cycles: 1$"], []),
    ("a Z, in two states", {FAULT: "  assign fault_o = fault_q ? 1'b1 : 1'bz;\n"}, "", ["--no-four-state"], 0, ["^PASS"],
     ["^four states"]),
    ("two drivers", {FAULT: LATE.replace("FIRST", "fault_q").replace("SECOND", "late_q")}, "", ["--four-state"], 1,
     ["^four states: warning: multiple conflicting drivers for warp_slots", IN_FOUR + "pin fault: expected 1'b1, got"], []),
    ("two drivers, the other first", {FAULT: LATE.replace("FIRST", "late_q").replace("SECOND", "fault_q")}, "", [], 1,
     [r"^mismatch: warp_slots: "], []),
    ("$time", {FAULT: TIME.replace("STEP", "10")}, "", [], 0, ["^PASS", "^four states: "], []),
    ("$time that stands still", {FAULT: TIME.replace("STEP", "0")}, "", [], 1, ["time stands still$"], []),
    ("what Yosys does not read", {FAULT: FAULT + "  initial begin\n    string text;\n    text = $sformatf(\"%0d\", 1);\n"
                                  "    if (text == \"2\") $display(\"%s\", text);\n  end\n"}, "", [], 0,
     [r"^four states: not tried: .*warp_slots.sv:\d+: ERROR: ", "^PASS"], []),
    ("it is asked for", {FAULT: FAULT + "  initial begin\n    string text;\n    text = $sformatf(\"%0d\", 1);\n"
                         "    if (text == \"2\") $display(\"%s\", text);\n  end\n"}, "", ["--four-state"], 2,
     [r"^--four-state: .*warp_slots.sv:\d+: ERROR: "], []),
    ("both options", {}, "", ["--four-state", "--no-four-state"], 2, ["--four-state compares cycle by cycle"], []),
    ("another timing", {}, "", ["--four-state", "--latency", "2"], 2, ["--four-state compares cycle by cycle"], []),
    ("every kind of signal", {FAULT: KINDS}, "", ["--rtl-wave", "kinds.fst"], 0, ["^PASS"], []),
]
SIGNALS = [r"long_array\[39\]", r"matrix\[3\]\[15\]", "wide_q", "_hidden_q", "high", "number", r"inner_array\[39\]"]

failures = []


def check(name, good, said=""):
    print(("ok    " if good else "FAIL  ") + name)
    if not good:
        failures.append(name)
        print("\n".join("    | " + line[:300] for line in said.splitlines()[-12:]))


def cosim(options):
    return subprocess.run([WARPREF, "cosim", "warp_slots", "--config", "tiny", "--rtl", "warp_slots.sv",
                           "--rtl-dir", ROOT / "rtl/duet", *options],
                          capture_output=True, text=True, check=False)


def plant(name, changes, behind):
    text = SOUND
    for old, new in changes.items():
        check(f"{name}: its text is there once", text.count(old) == 1) if text.count(old) != 1 else None
        text = text.replace(old, new)
    pathlib.Path("warp_slots.sv").write_text(text + behind, encoding="utf-8")


def interrupted():
    """Whether a signal ends the command and Icarus with it, and nothing is left."""
    os.mkdir("slow")
    pathlib.Path("slow/vvp").write_text("#!/bin/sh\ntouch begun.new\nmv begun.new begun\nexec sleep 600\n", encoding="utf-8")
    os.chmod("slow/vvp", 0o755)
    run = subprocess.Popen([WARPREF, "cosim", "warp_slots", "--config", "tiny", "--cycles", "2000", "--rtl",
                            ROOT / "rtl/duet/warp_slots.sv"], stdout=subprocess.PIPE, text=True,
                           env=os.environ | {"PATH": f"{os.getcwd()}/slow:{os.environ['PATH']}"})
    while not os.path.exists("begun") and run.poll() is None:
        time.sleep(0.05)
    run.terminate()
    said = run.communicate()[0]
    return (run.returncode == -signal.SIGTERM and "ended: by a signal" in said and not os.listdir("tmp"),
            f"{said}\nstatus {run.returncode}, left {os.listdir('tmp')}")


def main():
    count = 0
    for name, changes, behind, options, status, wanted, unwanted in ROWS:
        plant(name, changes, behind)
        run = cosim([*(() if "--cycles" in options else ("--cycles", "20000")), *options])
        said = run.stdout + run.stderr
        missing = [p for p in wanted if not re.search(p, said, re.M)]
        surplus = [p for p in unwanted if re.search(p, said, re.M)]
        left = os.listdir("tmp")
        check(name, run.returncode == status and not missing and not surplus and not left,
              f"{said}\nexit {run.returncode}, wanted {status}; missing {missing}, not wanted {surplus}, left {left}")
        count += 1
    wave = subprocess.run(["fst2vcd", "kinds.fst"], capture_output=True, text=True, check=False).stdout
    for signal in SIGNALS:
        check(f"in the waveform: {signal}", re.search(rf"\$var \S+ \d+ \S+ {signal}[ \[]", wave) is not None, wave[:2000])
    plant("a Z", {FAULT: "  assign fault_o = fault_q ? 1'b1 : 1'bz;\n"}, "")
    run = cosim(["--cycles", "2000", "--json"])
    four = json.loads(run.stdout)["four_state"]
    check("JSON", re.search(UNKNOWN, four["mismatch"]) and four["inputs"] == "warp_slots.tiny.shortest.hex", run.stdout)
    run = subprocess.run([ROOT / "testbench/replay/replay.sh", four["inputs"], "--", "warp_slots.sv", "-y",
                          ROOT / "rtl/duet"], capture_output=True, text=True, check=False)
    check("its inputs fail again", run.returncode == 1 and "warp_slots tiny: FAIL 1 cycles" in run.stdout,
          run.stdout + run.stderr)
    check("ended by a signal in Icarus", *interrupted())
    print(f"{count + len(SIGNALS) + 3 - len(failures)} passed, {len(failures)} failed")
    return int(bool(failures))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("tmp")
        os.environ.update(TMPDIR=f"{folder}/tmp", WR_CXX_OPTIMIZE="-O0")
        sys.exit(main())
