# SPDX-License-Identifier: Apache-2.0
"""Asks a solver whether conditions can hold together: Boolector through BTOR 1, CaDiCaL as gates, of which ABC
makes clauses, others through SMT-LIB.

The time limit counts the solver's processor seconds, so other programs beside it change no verdict.
An assignment that a solver gives is evaluated on the graph before it is believed.
"""
import ctypes
import re
import resource
import signal
import subprocess
import time

from formal.aig import blasted
from formal.graph import all_of, is_const
from formal.tool import ToolFailed
from formal.walk import cone, evaluate, lowered

COMMANDS = {"boolector": ["boolector", "--btor", "-m"], "z3": ["z3"],
            "cvc5": ["cvc5", "--solve-bv-as-int=sum"]}  # integers: products of variables, not their circuits
SOLVERS = (*COMMANDS, "cadical")
_SMT = {"not": "bvnot", "and": "bvand", "or": "bvor", "xor": "bvxor", "add": "bvadd", "sub": "bvsub", "mul": "bvmul",
        "shl": "bvshl", "lshr": "bvlshr", "ashr": "bvashr", "udiv": "bvudiv", "urem": "bvurem", "sdiv": "bvsdiv",
        "srem": "bvsrem"}


class Answer:
    """verdict: "unsat", "sat" with values by name of variable, or "open"."""

    def __init__(self, verdict, seconds=0.0, values=None):
        self.verdict, self.seconds, self.values = verdict, seconds, values


def _write_btor(roots, out):
    """Every root is asserted. Gives the names of the variables by what Boolector calls them."""
    number, variables, count = {}, {}, 0

    def put(text):
        nonlocal count
        count += 1
        out.write(f"{count} {text}\n")
        return count
    roots = lowered(roots)
    for n in cone(roots):
        a, op, width = [number[x.id] for x in n.args], n.op, n.width
        if op == "var":
            k = put(f"var {width} v{n.id}")
            variables[f"v{n.id}"] = n.key
        elif op == "const":
            k = put(f"const {width} {n.key:0{width}b}")
        elif op == "slice":
            k = put(f"slice {width} {a[0]} {n.key + width - 1} {n.key}")
        elif op == "sext":
            k = put(f"sext {width} {a[0]} {width - n.args[0].width}")
        elif op == "ite":
            k = put(f"cond {width} {a[0]} {a[1]} {a[2]}")
        elif op == "cat":
            k, w = a[-1], n.args[-1].width
            for x, q in zip(reversed(n.args[:-1]), reversed(a[:-1])):
                w += x.width
                k = put(f"concat {w} {q} {k}")
        else:
            k = put(f"{op} {width} " + " ".join(map(str, a)))
        number[n.id] = k
    for r in roots:
        put(f"root 1 {number[r.id]}")
    return variables


def _shifted(n):
    """The word that a `cat` is, shifted to the left, or None."""
    high, low = n.args[0], n.args[-1]
    whole = high.op == "slice" and high.key == 0 and high.args[0].width == n.width
    return high.args[0] if whole and len(n.args) == 2 and is_const(low) and low.key == 0 else None


def _write_smt(roots, out):
    variables = {}
    out.write("(set-option :produce-models true)\n(set-logic QF_BV)\n")
    for n in cone(roots):
        sort, a, op = f"(_ BitVec {n.width})", [f"n{x.id}" for x in n.args], n.op
        if op == "var":
            out.write(f"(declare-fun n{n.id} () {sort})\n")
            variables[f"n{n.id}"] = n.key
            continue
        if op == "const":
            text = f"(_ bv{n.key} {n.width})"
        elif op == "slice":
            text = f"((_ extract {n.key + n.width - 1} {n.key}) {a[0]})"
        elif op == "sext":
            text = f"((_ sign_extend {n.width - n.args[0].width}) {a[0]})"
        elif op == "ite":
            text = f"(ite (= {a[0]} #b1) {a[1]} {a[2]})"
        elif op == "cat" and _shifted(n):  # as a product it adds up with others
            text = f"(bvmul n{_shifted(n).id} (_ bv{1 << n.args[1].width} {n.width}))"
        elif op == "cat":
            text = a[-1]
            for x in reversed(a[:-1]):
                text = f"(concat {x} {text})"
        elif op in ("eq", "ult", "slt"):
            text = f"(ite ({ {'eq': '=', 'ult': 'bvult', 'slt': 'bvslt'}[op] } {a[0]} {a[1]}) #b1 #b0)"
        else:
            text = f"({_SMT[op]} {' '.join(a)})"
        out.write(f"(define-fun n{n.id} () {sort} {text})\n")
    out.writelines(f"(assert (= n{r.id} #b1))\n" for r in roots)
    out.write("(check-sat)\n")
    if variables:
        out.write(f"(get-value ({' '.join(variables)}))\n")
    return variables


def _values(text, variables):
    values = {name: 0 for name in variables.values()}
    for name, number in re.findall(r"\((n\d+)\s+([^()\s]+|\(_ bv\d+ \d+\))\)", text):
        values[variables[name]] = int(number[2:], {"b": 2, "x": 16}[number[1]]) if number[0] == "#" else \
            int(number.split()[1][2:])
    for number, name in re.findall(r"^\d+ ([01x]+) (v\d+)$", text, re.M):
        values[variables[name]] = int(number.replace("x", "0"), 2)
    for name, number in re.findall(r"^(v\d+) ([01x]+)$", text, re.M):
        values[variables[name]] = int(number.replace("x", "0"), 2)
    return values


def _child(limit):
    """In the solver's process: its time limit, and its end with ours."""
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _run(command, limit, *words):
    """(what a program says, nothing where the limit ended it, and its processor seconds). words: one of them it
    says where it has not failed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                              preexec_fn=lambda: _child(limit))
    except FileNotFoundError:
        raise ToolFailed(f"{command[0]} is not installed: see tools/packages.txt") from None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode < 0:
        return "", seconds
    if not any(w in done.stdout for w in words) and time.monotonic() - start < limit:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout).strip()[:200]}")
    return done.stdout, seconds


class Solver:
    def __init__(self, name, work):
        self.name, self.path, self.asked = name, work / ("query.btor" if name == "boolector" else "query.smt2"), 0
        self.proved = set()  # questions, as (condition, set of assumptions), that no state answers

    def ask(self, roots, limit):
        """Can all roots hold? limit: processor seconds."""
        whole = all_of(r for r in roots if is_const(r))
        if not whole.key:
            return Answer("unsat")
        roots = [r for r in roots if not is_const(r)]
        if not roots:
            return Answer("sat", values={})
        self.asked += 1
        answer = self._ask(roots, max(1, round(limit)))
        if answer.verdict == "sat" and not all(evaluate(roots, answer.values)):
            raise RuntimeError(f"{self.name} gives values that do not satisfy what was asked")
        return answer

    def _ask(self, roots, limit):
        with open(self.path, "w", encoding="ascii") as out:
            variables = (_write_btor if self.name == "boolector" else _write_smt)(roots, out)
        text, seconds = _run([*COMMANDS[self.name], self.path], limit, "sat", "unknown")
        if text.startswith("unsat"):
            return Answer("unsat", seconds)
        if not text.startswith("sat"):
            return Answer("open", seconds)
        return Answer("sat", seconds, _values(text, variables))


class Gates(Solver):
    """CaDiCaL. Words are gates to it, so it knows no arithmetic, but searches and multiplexers the better."""

    def __init__(self, work):
        super().__init__("cadical", work)
        self.path, self.clauses = work / "query.aig", work / "query.cnf"

    def _ask(self, roots, limit):
        try:
            gates, output, names = blasted(roots)
        except NotImplementedError:
            return Answer("open")
        if output < 2:
            return Answer("sat" if output else "unsat", values={name: 0 for name, _ in names})
        with open(self.path, "wb") as out:
            gates.write(output, out)
        made, spent = _run(["yosys-abc", "-q", f"read_aiger {self.path}; strash; write_cnf {self.clauses}"], limit,
                           "CNF stats")
        if not made:
            return Answer("open", spent)
        text, seconds = _run(["cadical", "-q", self.clauses], limit, "SATISFIABLE", "UNKNOWN")
        seconds += spent
        if text.startswith("s UNSAT"):
            return Answer("unsat", seconds)
        if not text.startswith("s SAT"):
            return Answer("open", seconds)
        true = {int(v) for line in text.splitlines() if line.startswith("v ") for v in line.split()[1:]}
        with open(self.clauses, encoding="ascii") as file:
            count = next(int(line.split()[2]) for line in file if line.startswith("p cnf"))
        values, at = {}, count - gates.inputs  # ABC has the inputs behind all but a constant
        for name, width in names:
            values[name] = sum((at + i in true) << i for i in range(width))
            at += width
        return Answer("sat", seconds, values)


def solver(name, work):
    return Gates(work) if name == "cadical" else Solver(name, work)
