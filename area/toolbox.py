# SPDX-License-Identifier: Apache-2.0
"""Tools of others: run with a log, known by version, and asked for by package where they are missing.

A failure is one message: the step, what is wrong, where its log is, what to do. `status` is what the
program ends with if nothing worse happens: 1 where a check or a tool failed, 2 where the input or the
machine lacks something.
"""
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from tools.sized import too_long  # noqa: E402

PACKAGES = {  # program -> Debian package
    "yosys": "yosys", "berkeley-abc": "berkeley-abc", "sta": "opensta", "qflow": "qflow", "tcsh": "tcsh",
    "tclsh": "tcl", "graywolf": "graywolf", "qrouter": "qrouter", "gnuplot": "gnuplot-nox",
    "nextpnr-ice40": "nextpnr-ice40", "fst2vcd": "gtkwave",
}
RUNNING, LOCK = set(), threading.Lock()


class Failure(Exception):
    def __init__(self, step, text, status, log=None):
        super().__init__(text)
        self.step, self.text, self.status, self.log = step, text, status, log

    def __str__(self):
        return f"{self.step}: {self.text}" + (f"; log: {self.log}" if self.log else "")


def refuse_long(path, step):
    if too_long(path):
        raise Failure(step, f"{path}: {too_long(path)}", 2)


def need(program, step):
    if shutil.which(program) is None:
        raise Failure(step, f"{program} is not installed; install Debian's {PACKAGES[program]}", 2)


@functools.cache
def version(program):
    """What the package manager says, else what the program says of itself."""
    package = PACKAGES[program]
    asked = [["dpkg-query", "-W", "-f", "${Version}", package], [program, "-version"]]
    for command in asked:
        try:
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        except OSError:
            continue
        if done.returncode == 0 and done.stdout.strip():
            return f"{package} {done.stdout.splitlines()[0].strip()}"
    return package


def run(step, command, log, cwd, what=""):
    """Runs a command below `cwd`, everything it says in `log`; its last error is in the failure."""
    need(command[0], step)
    environment = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "TMPDIR", "USER")}
    with open(log, "w") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=cwd,
                                   env=environment | {"LC_ALL": "C"}, start_new_session=True)
        with LOCK:
            RUNNING.add(process)
        status = process.wait()
        with LOCK:
            RUNNING.discard(process)
    if status:
        error = last_error(log)
        for program in PACKAGES:  # one that the command itself calls: Yosys starts ABC
            if re.search(rf"(?<![\w.-]){program}(?![\w.-])", error):
                need(program, step)
        raise Failure(step, f"{what}{command[0]} ended with {status}: {error}", 1, log)
    return log.read_text(errors="replace")


def last_error(log):
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    said = [line for line in lines if "error" in line.lower()]
    return (said or lines or ["it said nothing"])[-1][:300]


def stop_all():
    """Ends what runs, with its children: used when the user interrupts."""
    with LOCK:
        for process in RUNNING:
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
