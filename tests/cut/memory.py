#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory that runs out (no_memory.c): at one allocation, or from one on, a command ends with a message and a status, or says
what it says with enough of it; never by a signal, never with half an answer and status 0; files are as they were, or whole.

Usage: tests/cut/memory.py WARPREF SOURCE NO_MEMORY.so
Verilator's runtime does not look at what it gets: commands with RTL are left out. The first allocations of each command and
some of the rest, by a seed that is printed and taken back from WARPREF_SEED; more
with WARPREF_LONG.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

WARPREF, SOURCE, SHIM = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
TRIES = 150 if "WARPREF_LONG" in os.environ else 7
OUTPUTS = {"--stats": "s.json", "--samples": "s.csv", "--timeline": "t.csv", "--profile": "p.txt"}
WRITES = [word for option in OUTPUTS.items() for word in option]
GOLDEN = str(SOURCE / "vectors/golden/hint_decoder.tiny.hex")
COMMANDS = [
    ["compile", "job.ptx", "--disasm"],
    ["compile", "job.ptx", "--json"],
    ["run", "job.yaml", "--wave", "w.fst", *WRITES],
    ["run", "job.yaml", "--wave", "w.vcd", "--system", "preemption:period=600", *WRITES],
    ["run", "job.yaml", "--checkpoint-every", "2000", "--checkpoint", "c.ckpt"],
    ["run", "job.yaml", "--resume", "d.ckpt", "--json"],
    ["checkpoint", "d.ckpt", "--json"],
    ["vectors", "hint_decoder", "--config", "tiny", "--output", "v.hex"],
    ["replay", "hint_decoder", GOLDEN],
    ["blocks", "hint_decoder", "--json"],
    ["systems", "duet"],
    ["config", "gtx480"],
    ["schema", "launch"],
    ["network", "gtx480"],
    ["occupancy", "--warps", "8", "--registers", "20", "--shared", "4096", "--json"],
]
FILES = [*OUTPUTS.values(), "w.fst", "w.vcd", "v.hex"]
checks = 0


def want(holds, text):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAIL {text}")


def call(words, first=0, many=1):
    return subprocess.run([WARPREF, *words], capture_output=True, text=True, errors="replace", env={
        **os.environ, "LD_PRELOAD": SHIM, "WR_NO_MEMORY": str(first), "WR_NO_MEMORY_FOR": str(many),
        "WR_NO_MEMORY_COUNT": "count"})


def is_whole(name):
    """As it was, or a new file to its end."""
    data = pathlib.Path(name).read_bytes()
    if data == b"before\n":
        return True
    if name == "s.json":
        return json.loads(data) is not None
    if name == "w.fst":
        return subprocess.run(["fst2vcd", name], capture_output=True, check=False).returncode == 0
    return data.endswith(b"\n") and b"out of memory" not in data


def runs_out(words, base, first, many):
    for name in FILES:
        pathlib.Path(name).write_text("before\n")
    done = call(words, first, many)
    what = f"{' '.join(words)}, {'one' if many else 'each'} from allocation {first} on"
    want(done.returncode >= 0, f"{what}: ended by signal {-done.returncode}: {done.stderr[-300:]}")
    if done.returncode == 0:
        want(done.stdout == base.stdout, f"{what}: status 0 and another answer: {done.stdout[-300:]}")
    else:
        want(done.stderr.strip(), f"{what}: status {done.returncode} without a message")
    for name in FILES:
        want(is_whole(name), f"{what}: {name} is cut")
    want(not list(pathlib.Path(".").glob("*.new")), f"{what}: something is left")
    return done.returncode


def try_command(words, draw):
    base = call(words)
    want(base.returncode == 0, f"{' '.join(words)}: status {base.returncode}: {base.stderr}")
    total = int(pathlib.Path("count").read_text())
    ends = {}
    places = set(range(1, min(total, TRIES) + 1)) | {draw.randint(1, total) for _ in range(TRIES)}
    for first in sorted(places):
        for many in (1, 0):
            status = runs_out(words, base, first, many)
            ends[status] = ends.get(status, 0) + 1
    print(f"  {' '.join(words[:2])}: {total} allocations, ends {dict(sorted(ends.items()))}", flush=True)
    want(ends.keys() - {0}, f"{' '.join(words)}: no end was seen")


def main():
    seed = int(os.environ.get("WARPREF_SEED", random.randrange(1 << 31)))
    print(f"seed {seed}", flush=True)
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        text = (SOURCE / "kernels/vecadd.yaml").read_text().replace("1000000", "20000").replace("3907", "79")
        pathlib.Path("job.yaml").write_text(re.sub(r"(?m)^module:.*", "module: job.ptx", text))
        want(call(["compile", str(SOURCE / "kernels/vecadd.cu"), "--emit-ptx", "job.ptx"]).returncode == 0, "PTX")
        want(call(["run", "job.yaml", "--checkpoint-at", "2000", "--checkpoint", "d.ckpt"]).returncode == 0, "a checkpoint")
        for words in COMMANDS:
            try_command(words, draw)
        os.chdir("/")
    print(f"PASS {checks} checks")


main()
