# SPDX-License-Identifier: Apache-2.0
"""Programs as files, compiled and run on the host and on the device."""
import os
import pathlib
import re
import subprocess

import of_csmith
from kernel import KINDS, Kernel

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
HANGS = 1800  # seconds: hundreds of times what the longest takes
CSMITH_EVERY = 4  # seeds of which the first is csmith's
SAME = ["-w", "-Wno-narrowing", "-ffp-contract=off", "-I", str(HERE), "-I", "/usr/include/csmith"]
HOST = [*SAME, "-x", "c++", "-std=gnu++17"]
# Ends by a signal where a program of our own has no meaning, which is a fault of the generator.
DEFINED = ["-fsanitize=float-cast-overflow,integer-divide-by-zero,shift-exponent,bounds,signed-integer-overflow", "-fsanitize-undefined-trap-on-error"]
GPU = "--config maxwell --fast-forward all --max-cycles 500000"


class Program:
    """`values`: what each thread leaves, by name; `kernel`: the tree of its text, where it is ours."""

    def __init__(self, seed, kinds, text, values, kernel=None):
        self.seed, self.kinds, self.text, self.values, self.kernel = seed, kinds, text, values, kernel


class Wrong(Exception):
    """The generator or a compiler of the host is at fault."""


def file_of(programs):
    """The source of programs that are compiled together."""
    text = '#include "lanes.h"\n' + (of_csmith.INCLUDE if any(not p.kernel for p in programs) else "")
    for p in programs:
        text += f"namespace p{p.seed} {{ /* {', '.join(p.kinds)} */\n{p.kernel.text() if p.kernel else p.text}}}\n"
    rows = "".join(f'    {{"{p.seed}", {len(p.values)}, p{p.seed}::launch}},\n' for p in programs)
    return f"{text}static const Program programs[] = {{\n{rows}}};\nint main()\n{{\n    return play(programs, sizeof programs / sizeof *programs);\n}}\n"


def results(text):
    """{seed: its words} of the lines that programs print."""
    lines = [line.split() for line in text.split("\n")[:-1]]
    return {int(words[0]): words[1:] for words in lines if words}


def difference(program, want, got):
    """Where the first words differ."""
    n = len(program.values)
    places = [k for k, (a, b) in enumerate(zip(want, got)) if a != b]
    if not places:
        return f"{len(got)} values, not {len(want)}"
    k = places[0]
    where = f"thread {k // n}, {program.values[k % n]}" if k < 64 * n else f"cell {k - 64 * n}"
    return f"{where}: {got[k]}, not {want[k]}; {len(places)} of {len(want)} values differ"


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder, self.compiled = args, folder, False
        self.environment = {k: v for k, v in os.environ.items() if k != "WARPREF"} | {"WARPREF_PROGRAM": str(args.program)}

    def make_all(self, seeds, tally):
        programs = [self.make(seed) for seed in seeds]
        for p in programs:
            if len(p.values) < 2:
                tally.set_aside("csmith's program has no globals", p.seed)
        return [p for p in programs if len(p.values) > 1]

    def make(self, seed):
        """The program of a seed."""
        only = [kind for kind in self.args.only if kind != "csmith"]
        if not only and (self.args.only or seed % CSMITH_EVERY == 0):
            text, values = of_csmith.program(seed)
            return Program(seed, ["csmith"], text, values)
        kernel = Kernel(seed, only)
        return Program(seed, kernel.kinds, "", [name for _, name in kernel.values()], kernel)

    def call(self, command, **more):
        return subprocess.run(list(map(str, command)), cwd=self.folder, capture_output=True, text=True, check=False, timeout=HANGS,
                              env=self.environment | more)

    def host(self, programs, compiler, *options):
        """(their results, what it said where it failed)."""
        if not programs:
            return {}, ""
        (self.folder / "host.cpp").write_text(file_of(programs))
        done = self.call([compiler, *HOST, *options, "host.cpp", "-o", "host"])
        if done.returncode != 0:
            return {}, "host: " + done.stderr[:600]
        done = self.call(["./host"])
        return results(done.stdout), "" if done.returncode == 0 else f"host: exit status {done.returncode}: {done.stderr[:600]}"

    def references(self, programs, tally):
        """The programs that count, and what they leave."""
        reference, said = self.host([p for p in programs if p.kernel], "g++", "-O0", *DEFINED)
        if said:
            raise Wrong(f"seed {next((p.seed for p in programs if p.kernel and p.seed not in reference), '?')}: {said}")
        reference.update(self.of_csmith([p for p in programs if not p.kernel], tally))
        count = [p for p in programs if p.seed in reference]
        second, said = self.host(count, os.environ.get("WARPREF_CLANGXX") or "clang++-14", "-O2")
        if said:
            raise Wrong(said)
        for p in [p for p in count if second[p.seed] != reference[p.seed]]:
            if p.kernel:
                raise Wrong(f"seed {p.seed}: gcc and clang differ on the host: {difference(p, reference[p.seed], second[p.seed])}")
            tally.set_aside("gcc and clang differ on the host", p.seed)
        return [p for p in count if second[p.seed] == reference[p.seed]], reference

    def of_csmith(self, programs, tally):
        """{seed: words} of csmith's: those that end soon, are C++, and leave there what they leave in C."""
        got, said = self.host(programs, "g++", "-O0")
        if said:  # one is C, but no C++
            got = {seed: words for p in programs for seed, words in self.host([p], "g++", "-O0")[0].items()}
        for p in programs:
            if p.seed not in got:
                tally.set_aside("csmith's program is no C++", p.seed)
            elif got[p.seed] == ["endless"]:
                tally.set_aside("csmith's program does not end soon", p.seed)
                del got[p.seed]
        first = next((p for p in programs if p.seed in got), None)
        if first:
            n, want = len(first.values), self.checksum(first.seed)
            if int(got[first.seed][n - 1], 16) != want:
                raise Wrong(f"seed {first.seed}: thread 0 has the checksum {got[first.seed][n - 1]}, csmith's program {want:x}")
            tally.kept += 1
        return got

    def checksum(self, seed):
        """What csmith's program prints as it came, in C."""
        (self.folder / "csmith.c").write_text(of_csmith.source(seed))
        done = self.call(["gcc", "-w", "-O0", "-I", "/usr/include/csmith", "csmith.c", "-o", "csmith"])
        if done.returncode != 0:
            raise Wrong(f"seed {seed}: csmith's program does not compile: {done.stderr[:300]}")
        return int(self.call(["./csmith"]).stdout.split()[-1], 16)

    def device(self, programs, level):
        """(their results, what was said where it failed)."""
        (self.folder / "device.cu").write_text(file_of(programs))
        done = self.call([self.args.cc, "cc", *SAME, f"-O{level}", *self.args.cc_flag, "device.cu", "-o", "device"])
        self.compiled = done.returncode == 0
        if done.returncode != 0:
            return {}, f"warpref cc: exit status {done.returncode}: {first_words(done.stderr)}"
        done = self.call(["./device"], WARPREF=GPU)
        return results(done.stdout), "" if done.returncode == 0 else f"exit status {done.returncode}: {first_words(done.stderr)}"


def first_words(text):
    """The lines of a message that say what is wrong."""
    lines = [line for line in text.split("\n") if "Program arguments" not in line and re.search(r"error|fatal|Running pass|fault|deadlock|cycles|block \(", line)]
    return " | ".join(lines or text.split("\n"))[:600]
