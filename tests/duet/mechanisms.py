# SPDX-License-Identifier: Apache-2.0
"""The ways in which TBs change places, and machines and launch files on which a kernel has them.

A plan is a machine of MACHINES and, for each kernel of a launch file, registers of a thread and shared memory of a TB
that are at least the kernel's own (docs/launch.md), such that what the mechanism is for keeps one TB more from
fitting, and one more finds room for its context. Lines are of 128 B: a warp's register, and the unit of shared memory.

With WHOLE, the SM as it is, and DRAWN's first choice the RTL is what the build has made; that of the others is made
when it is first asked for.
"""
import json
import re
import shlex
import subprocess

import runs

SM = ["--config", "maxwell", "--set", "sms=1"]
SIZES = {"sm.registers": 65536, "sm.max_warps": 64, "sm.shared_bytes": 98304, "l1.bytes": 32768}
WHOLE = {}
MACHINES = [WHOLE, {"sm.registers": 4096}, {"sm.registers": 16384}, {"sm.max_warps": 4}, {"sm.max_warps": 16},
            {"sm.shared_bytes": 8192}, {"sm.registers": 4096, "sm.shared_bytes": 8192},
            {"sm.registers": 16384, "sm.shared_bytes": 8192},
            {"sm.registers": 12288, "sm.shared_bytes": 8192, "l1.bytes": 65536}]
MOST = 8  # TBs that fit: fewer than there are, and than TB slots
MOST_WARPS = 128  # of the tables
DRAWN = [{"meta": 2, "port": 128}, {"meta": 4, "port": 256}, {"meta": 2, "port": 64}, {"meta": 3, "port": 128},
         {"meta": 1, "port": 128}]
BUILT = 1  # of DRAWN
LAUNCH = re.compile(r"^(  - (?:&\w+\n    )?)kernel: (\S+)\n((?:    .*\n)+)", re.M)


class Need:
    """What a TB of a kernel needs, in warps and lines, and how many TBs there are."""

    def __init__(self, rows, tbs):
        self.warps = max(row["warps"] for row in rows)
        self.registers = max(-(-row["registers"] // 4) * 4 for row in rows)
        self.bytes = max(row["shared"] for row in rows)
        self.shared = -(-self.bytes // 128)
        self.tbs = tbs


class Machine:
    """An SM in lines and slots."""

    def __init__(self, sets):
        size = SIZES | sets
        self.sets, self.slots = sets, size["sm.max_warps"]
        self.registers, self.shared = size["sm.registers"] // 32, size["sm.shared_bytes"] // 128
        self.l1 = size["l1.bytes"] // 128

    def fits(self, need, registers, shared):
        """(how many TBs fit, what keeps one more from fitting)."""
        uses = {"reg": (need.warps * registers, self.registers), "warp": (need.warps, self.slots),
                "smem": (shared, self.shared)}
        tbs = min(of // use for use, of in uses.values() if use)
        return tbs, {name for name, (use, of) in uses.items() if (tbs + 1) * use > of}

    def spare(self, need, tbs, registers, shared, level):
        """(lines that are free, those of them where contexts lie) once a TB more than fit is there, but for its own."""
        of_registers = self.registers - need.warps * registers * (tbs + (level == "tb"))
        of_shared = self.shared - shared * (tbs + (level == "warp"))
        return of_registers + of_shared, of_registers if level == "tb" else of_shared


class Mechanism:
    """`limits`: what keeps a TB more from fitting; `level`: what is switched."""

    def __init__(self, system, limit, level, l1=False):
        self.system, self.limit, self.level, self.l1 = system, limit, level, l1

    def serves(self, machine, need, registers, shared, meta):
        tbs, limits = machine.fits(need, registers, shared)
        if not 1 <= tbs <= min(MOST, need.tbs - 1) or limits != {self.limit} or (tbs + 1) * need.warps > MOST_WARPS:
            return False
        spare, room = machine.spare(need, tbs, registers, shared, self.level)
        least = need.warps * meta + (shared if self.level == "tb" else 0)
        most = least + (need.warps * need.registers if self.limit == "reg" else 0)
        return spare < least and machine.l1 >= most if self.l1 else room >= most

    def choices(self, machine, need, meta):
        """(registers, lines of shared memory) of a TB that serve."""
        registers = [need.registers]
        shared = [need.shared]
        if self.limit == "reg" or self.l1:
            registers += range(need.registers + 4, 64 + 1, 4)
        if self.limit == "smem" or self.l1:
            shared += [lines for n in range(1, MOST + 2) if (lines := machine.shared // n) > need.shared]
        return [(r, s) for r in registers for s in shared if self.serves(machine, need, r, s, meta)]


MECHANISMS = {
    "registers": Mechanism("duet", "reg", "warp"),
    "slots": Mechanism("duet", "warp", "warp"),
    "shared memory": Mechanism("duet", "smem", "tb"),
    "warps to L1": Mechanism("duet", "reg", "warp", l1=True),
    "TBs to L1": Mechanism("duet", "smem", "tb", l1=True),
    "virtual_thread": Mechanism("virtual_thread", "warp", "tb"),
}
BARRIERS = "barriers"  # warps that duet switches out of them, under any of its mechanisms


def needs_of(program, file):
    """{kernel: Need} of a launch file."""
    done = subprocess.run([program, "occupancy", file, "--json", "--config", "maxwell"], capture_output=True, text=True,
                          check=True)
    rows, tbs = {}, {}
    for row in json.loads(done.stdout)["rows"]:
        rows.setdefault(row["name"], []).append(row)
    for _, name, rest in LAUNCH.findall(file.read_text()):
        total = 1
        for n in re.search(r"grid: \[(.*?)\]", rest)[1].split(","):
            total *= int(n)
        tbs[name] = max(tbs.get(name, 0), total)
    return {name: Need(rows[name], tbs[name]) for name in rows}


class Plan:
    """A run of a launch file under a mechanism."""

    def __init__(self, r, name, needs, only_built=False):
        """Draws it; `sets` is None where no machine serves all kernels. A kernel of a single TB serves anyway."""
        self.name, self.mechanism, self.sets = name, MECHANISMS[name], None
        machines = [WHOLE] if only_built else r.sample(MACHINES, len(MACHINES))
        options = r.choice(DRAWN[:BUILT] if only_built else DRAWN)
        for machine in map(Machine, machines):
            choices = {}
            for kernel, need in needs.items():
                if machine.fits(need, need.registers, need.shared)[0] == 0:
                    break
                of = self.mechanism.choices(machine, need, options["meta"])
                if of:
                    choices[kernel] = r.choice(of)
                elif need.tbs > 1:
                    break
            else:
                self.sets, self.choices, self.needs = machine.sets, choices, needs
                break
        self.is_built = self.sets == WHOLE and options in DRAWN[:BUILT]
        self.options = options | {"age": r.choice(["tb", "entry"])}
        if self.mechanism.system == "duet":
            self.options["me"] = r.choice(["bound", "bound", "bound", 1])
        self.policy = r.choice(["lrr", "gto", "two_level"])

    def write(self, source, file):
        """The launch file with what the plan gives to TBs."""
        def launch(match):
            begin, name, rest = match.groups()
            if name in self.choices:
                registers, shared = self.choices[name]
                own = re.search(r"^    shared: (\d+)\n", rest, re.M)
                more = shared * 128 - self.needs[name].bytes if shared != self.needs[name].shared else 0
                rest = re.sub(r"^    (shared|registers): .*\n", "", rest, flags=re.M)
                rest = f"    registers: {min(registers, 63)}\n    shared: {more + int(own[1] if own else 0)}\n{rest}"
            return f"{begin}kernel: {name}\n{rest}"

        text = LAUNCH.sub(launch, source.read_text())
        if file.parent != source.parent:
            text = re.sub(r"\b(module|file): (?=\S)", rf"\1: {source.parent}/", text)
        file.write_text(text)

    def command(self, program, file, blocks):
        spec = ",".join(f"{name}={value}" for name, value in self.options.items())
        sets = self.sets | {"sm.policy": self.policy}
        return ([program, "run", str(file), "--json", *SM] +
                [word for item in sets.items() for word in ("--set", "%s=%s" % item)] +
                ["--system", f"{self.mechanism.system}:{spec}", "--blocks", blocks])

    def play(self, program, file, blocks):
        """{what was switched: how often} by each way of looking at blocks; runs.Failure says what is wrong."""
        counts, first = {}, None
        for mode in blocks:
            command = self.command(program, file, mode)
            try:
                report = runs.run(command)
                counts[mode] = self.count(report)
            except runs.Failure as failure:
                raise runs.Failure(f"{self.name}: {failure}\n  {shlex.join(command)}") from failure
            first = first or report
            if what := runs.same(first, report) or "switches" * (counts[mode] != counts[blocks[0]]):
                raise runs.Failure(f"{self.name}: {what} differ from those with --blocks {blocks[0]}:\n"
                                   f"  {shlex.join(command)}")
        return counts

    def count(self, report):
        wrong = {f"{launch['kernel']}: {launch['limit']}" for launch in report["launches"]
                 if launch["kernel"] in self.choices and launch["limit"] != self.mechanism.limit}
        if wrong:
            raise runs.Failure(f"{self.mechanism.limit} should limit: {', '.join(sorted(wrong))}")
        if self.mechanism.system == "virtual_thread":
            return {self.name: runs.count(report, "swaps.count")}
        switches = sum(runs.count(report, f"switches.{way}") for way in ("out", "in", "exchange"))
        if self.mechanism.l1 != bool(runs.count(report, "tbs.l1")) and switches:
            raise runs.Failure(f"contexts in L1: {runs.count(report, 'tbs.l1')}")
        return {self.name: switches, BARRIERS: runs.count(report, "switches.barriers")}
