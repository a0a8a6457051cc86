#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `warpref cosim --json` says of the last inputs is what its waveform shows, pin by pin; codes are not looked at.

    tests/own_rtl/last_inputs.py JSON
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "waveforms"))
import wave  # noqa: E402

CYCLE_NS = 10
result = json.load(open(sys.argv[1]))
shown = wave.Wave(result.get("mismatch_wave") or result["ended_wave"])
pins = {name.split(".", 2)[2] for name in shown.widths if name.split(".")[1] == "in"}
values = 0
for cycle in result["last_inputs"]:
    said = {}
    for name, value in cycle["inputs"].items():
        said.update({f"{name}[{i}]": v for i, v in enumerate(value)} if isinstance(value, list) else {name: value})
    if set(said) != pins:
        sys.exit(f"cycle {cycle['cycle']}: other pins: {sorted(set(said) ^ pins)}")
    for name, value in said.items():
        drawn = shown.at(f"{result['block']}.in.{name}", cycle["cycle"] * CYCLE_NS)
        if drawn != value:
            sys.exit(f"cycle {cycle['cycle']}: {name} is {value}, the waveform has {drawn}")
        values += 1
print(f"{len(result['last_inputs'])} cycles, {values} values")
