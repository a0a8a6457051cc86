# SPDX-License-Identifier: Apache-2.0
"""The proof of one block in one configuration: imports both sides, checks the import, shows that the
proof is not vacuous, decides each goal, and turns what is refuted into vectors."""
import itertools
import re
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from formal import counterexample, trace, vectors
from formal.goals import Cases, FIRST_TRY, OPEN, PROVED, REFUTED, Prover, Verdict
from formal.graph import any_of, const, eq, is_false, not_
from formal.harness import Harness, execute
from formal.llvm import Unsupported
from formal.netlist import Netlist, NoNet
from formal.rtl import Sources, write_netlist
from formal.solver import Gates, Solver, solver
from formal.walk import compiled, cone

BOUND = 130         # rounds of a loop whose end depends on a variable
EFFORT = 6_000_000  # nodes times cycles of a run that checks the importer
CYCLES = (40, 2000)  # of it, at least and at most
GRANTED = ("lemma ", "follows ", "no loop beyond")  # goals that others rest on


@dataclass
class Result:
    """kind: reset, induction, cover or import."""

    block: str
    config: str
    kind: str
    goal: str
    verdict: str
    solver: str = ""
    seconds: float = 0.0
    note: str = ""


@dataclass
class Job:
    root: Path
    program: str
    block: object
    config: str
    solver: str
    timeout: int
    only: str
    rtl: Sources  # None: the block's own
    top: str
    model: Path
    relation: Path
    out: Path
    seed: int
    verbose: bool

    @property
    def vectors(self):
        return self.out / f"{self.block.name}.{self.config}.refuted.hex"


def cases_of(relation, netlist, allowed):
    """The values of the registers that the relation wants split, [{register: value}], without those that its
    invariant of these registers alone excludes; a lemma or a step excludes none, for there its goal would not
    be asked. allowed() gives the invariant."""
    names = re.findall(r"^// cases: ([\w.]+)", relation.read_text(), re.M) if relation else []
    if not names:
        return [{}]
    ranges = [range(1 << netlist.width(n)) for n in names]
    keys = {("reg", n) for n in names}
    possible = compiled([q for q in allowed() if {n.key for n in cone([q]) if n.op == "var"} <= keys])
    return [dict(zip(names, v)) for v in itertools.product(*ranges)
            if all(possible({("reg", n): x for n, x in zip(names, v)}))]


class Proof:
    def __init__(self, job, work, say, told):
        self.job, self.work, self.say, self.told = job, work, say, told
        self.values = job.block.configs[job.config]
        self.pins = vectors.Pins(job.block, self.values)
        self.results, self.reports = [], []

    def run(self):
        try:
            return self._run()
        except NoNet as error:
            if self.job.relation is None or error.net in [p.port for p in self.job.block.pins]:
                raise
            raise Unsupported(f"{error}. {self.job.relation} relates the model to the registers of our RTL:"
                              " --relation FILE gives one for yours") from None

    def _run(self):
        job, b = self.job, self.job.block
        self.cex = job.vectors
        self.cex.unlink(missing_ok=True)
        self.say("import")
        write_netlist(job.root, b, self.values, job.rtl, job.top, self.work / "rtl.json")
        self.netlist = Netlist(self.work / "rtl.json")
        harness = Harness(job.root, b, self.values, job.relation, job.model, self.work)
        module = harness.module(set(self.netlist.nets))
        widths = {p.port: p.width for p in b.side("out")}
        self.machine = trace.Machine(self.netlist, [p.port for p in b.side("out")])
        self.solver = solver(job.solver, self.work)
        self.others = [Solver("cvc5", self.work), Gates(self.work)]

        # A lemma of bits is quick to z3, one of products to cvc5, which takes them for integers.
        self.lemmas = [Prover(Solver("z3", self.work), [], min(FIRST_TRY, job.timeout)),
                       Prover(Solver("cvc5", self.work), [], job.timeout)]
        self.lemmas_of_bits = [Prover(self.solver, [], job.timeout)]

        def executed(function, netlist):
            return execute(module, function, netlist, widths, BOUND)
        self.steps = []
        for fixed in cases_of(job.relation, self.netlist, lambda: executed("formal_allowed", self.netlist).allowed):
            self.say("import" + "".join(f", {name} {value}" for name, value in fixed.items()))
            netlist = Netlist(self.work / "rtl.json", fixed)  # its own: what SAME exchanges in it holds only here
            side = executed("formal_step", netlist)
            side.goals += [("selectors exclude each other", 0, bad) for bad, _ in netlist.exclusive]
            if not any(is_false(q) for q in side.allowed):  # else R allows no state of this case
                self.steps.append((fixed, side))
        self._check_import(harness)
        self._cover()
        for function in ("formal_init", "formal_reset"):
            side = executed(function, self.netlist)
            self._decide("reset", [(side, {})], function.removeprefix("formal_") + ": ")
        self._decide("induction", [(side, fixed) for fixed, side in self.steps], "")
        return self.results

    # ---- import and cover

    def _check_import(self, harness):
        job = self.job
        steps = [(fixed, trace.Step(side)) for fixed, side in self.steps]
        nodes = self.machine.nodes + max(s.nodes for _, s in steps)
        cycles = min(max(EFFORT // nodes, CYCLES[0]), CYCLES[1])
        self.say(f"run of {cycles} cycles on {nodes} nodes")
        path = self.work / "run.hex"
        vectors.generate(job.program, job.block.name, job.config, cycles, job.seed, path)
        rows = vectors.read(path, self.pins)
        self.model = vectors.Model(harness.runner(), self.pins)
        native = self.model.run(into for into, _ in rows)
        self.trace = trace.follow(self.machine, steps, self.pins, rows, native, job.rtl is None, job.seed)
        note = self.trace.importer or f"{self.trace.cycles} cycles, {self.trace.checks} checks"
        ok = self.trace.importer is None and self.trace.checks > 0
        self._add("import", "import agrees", PROVED if ok else REFUTED, note=note)

    def _cover(self):
        """A proof about no state, no step or no change would be vacuous."""
        job = self.job
        limit = min(job.timeout, 60)
        seen, lacking = self.trace.seen, self.trace.lacking
        self._add("cover", "R holds in a run from reset", PROVED if lacking is None else REFUTED,
                  note="" if lacking is None else f"not in cycle {lacking}")
        moved = sorted(p for p, v in seen.items() if len(v) > 1)
        still = sorted(p for p, v in seen.items() if len(v) == 1)
        reached = []
        for port in still:  # the run is short: ask for any state in R
            value = next(iter(seen[port]))
            for fixed, side in self.steps:
                theirs = [t for p, _, _, t in side.outputs if p == port]
                if not theirs:
                    continue
                answer = self.solver.ask([any_of(not_(eq(t, const(t.width, value >> (i * t.width))))
                                                 for i, t in enumerate(theirs)), *side.assumed], limit)
                if answer.verdict == "sat":
                    reached.append(port)
                    break
        constant = sorted(set(still) - set(reached))
        self._add("cover", "an output changes", PROVED if moved else REFUTED,
                  note=f"{len(moved)} in the run, {len(reached)} in R"
                  + (f"; constant here: {', '.join(constant)}" if constant else ""))
        if "fault_o" in seen:
            for value in (0, 1):
                ok = value in seen["fault_o"] or "fault_o" in reached
                self._add("cover", f"fault_o can be {value}", PROVED if ok else REFUTED)

    # ---- goals

    def _decide(self, kind, sides, prefix):
        cases = Cases([side for side, _ in sides])
        provers = [Prover(self.solver, side.assumed, self.job.timeout, side.known, *self.others, cases)
                   for side, _ in sides]
        by_name = {}
        for k, (side, _) in enumerate(sides):
            for i, (name, element, bad) in enumerate(side.goals):
                by_name.setdefault(name, []).append((k, i, element, bad))
        # A loop bound that is too small would refute what comes behind it; and a goal is not proved by a lemma
        # or by what follows where that is not, so these come first, whatever is asked for.
        unproved = []
        for name in sorted(by_name, key=lambda n: [not n.startswith(w) for w in GRANTED]):
            lemma, follows = name.startswith("lemma "), name.startswith("follows ")
            if self.job.only and self.job.only not in name and not lemma and not follows:
                continue
            self.say(prefix + name)
            before = [s.asked for s in self.others]
            if lemma:  # true in general, so in all cases at once
                spent = 0.0
                for prover in self.lemmas_of_bits if name.startswith("lemma of bits ") else self.lemmas:
                    verdict = prover.decide([bad for _, _, _, bad in by_name[name]])
                    spent, by = spent + verdict.seconds, prover.solver.name
                    verdict.seconds = spent
                    if verdict.verdict != OPEN:
                        break
                note = "false of some numbers" if verdict.verdict == REFUTED else ""
                unproved += [name] * (verdict.verdict != PROVED)
            else:
                verdict, note = self._goal(kind, provers, by_name[name])
                by = ", ".join([self.solver.name, *(s.name for s, k in zip(self.others, before) if s.asked > k)])
                if unproved and verdict.verdict == PROVED:
                    verdict, note = Verdict(OPEN, verdict.seconds), f"rests on {unproved[0]}"
                unproved += [name] * (follows and verdict.verdict != PROVED)
                if verdict.verdict == PROVED:
                    for k, prover in enumerate(provers):
                        prover.learn([bad for part, _, _, bad in by_name[name] if part == k])
            if name.startswith("no loop beyond") and verdict.verdict == REFUTED:
                verdict, note = Verdict(OPEN, verdict.seconds), "the loop may run longer"
            self._add(kind, prefix + name, verdict.verdict, verdict.seconds, note, by)

    def _goal(self, kind, provers, parts):
        total = Verdict(PROVED)
        reached = [(self.trace.broken[i], k) for k, i, _, _ in parts
                   if kind == "induction" and len(self.steps) == 1 and i in self.trace.broken]
        if reached:
            return Verdict(REFUTED), counterexample.from_run(self, min(reached)[0])
        for k, prover in enumerate(provers):
            bads = [bad for part, _, _, bad in parts if part == k]
            found = prover.decide(bads)
            total.seconds += found.seconds
            if found.verdict == REFUTED:
                total.verdict = REFUTED
                if kind == "induction":
                    fixed, side = self.steps[k]
                    return total, counterexample.from_state(self, fixed, side, bads, found.values)
                return total, "in reset"
            if found.verdict == OPEN:
                total.verdict = OPEN
        return total, ""

    def _add(self, kind, goal, verdict, seconds=0.0, note="", by=""):
        self.told(f"{verdict:8} {goal}" + (f" ({seconds:.1f} s)" if seconds >= 1 else ""))
        self.results.append(Result(self.job.block.name, self.job.config, kind, goal, verdict, by if seconds else "",
                                   round(seconds, 2), note))

    def size(self):
        return {"nodes": len(cone([bad for _, side in self.steps for _, _, bad in side.goals])),
                "registers": len(self.netlist.registers)}


def prove(job):
    """Rows of the results as tables of plain values, and reports of counterexamples."""
    sys.setrecursionlimit(200000)
    terminal = sys.stderr.isatty()

    def say(text):
        if terminal:
            print(f"\r\033[K{job.block.name} {job.config}: {text[:90]}", end="", file=sys.stderr, flush=True)

    def told(text):  # a proof of hours leaves lines in its log
        if job.verbose and not terminal:
            print(f"{job.block.name} {job.config}: {text}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="warpref-prove-") as folder:
        proof = Proof(job, Path(folder), say, told)
        rows = [asdict(r) for r in proof.run()]
    if terminal:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return rows, proof.reports
