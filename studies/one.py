# SPDX-License-Identifier: Apache-2.0
"""Runs one command of a study, in the folder that is made for it: what Ninja and the tasks of Slurm start.

    one.py FOLDER                     the run of this folder
    one.py --list FILE --task I/N     the runs I, I + N, ... of a list of folders, one a line

A folder has command.json (words and key). The run leaves `log`, both streams of the program, figures.json, and
result.json with the key and a sum of each file of figures, written last and in one move: where the sums hold, the
figures are those of the run. A failed run leaves failure.json instead. A run that has such a result is not made again; of two at the same time
the second waits and finds it so. A program does not outlive who runs it.
"""
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

import commands
import replace
from trouble import Trouble


def read(path):
    """What a JSON file holds; None where it is not there or not whole."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def write(path, what):
    replace.text(path, json.dumps(what, indent=1) + "\n")


def sums(folder, words):
    """A sum of each file of figures; None for one that is not there."""
    names = [commands.FIGURES, *([commands.SAMPLES] if commands.samples(words) else [])]
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() if (folder / name).is_file() else None for name in names}


def result_of(folder, words, key):
    """The result of this key, None where there is none or the figures are not those that it was written for."""
    result = read(folder / "result.json")
    if not isinstance(result, dict) or result.get("key") != key or result.get("sums") != sums(folder, words):
        return None
    return result


def last_words(log):
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or line.startswith("warpref")]
    return (telling or lines or ["it said nothing"])[-1][:300]


def start(command, folder):
    """Exit status, standard output and the most memory that it took, in KiB."""
    with open(folder / "log", "w") as log:
        child = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *command], cwd=commands.ROOT, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                 env={**os.environ, "PYTHONPATH": str(commands.ROOT / "python")})
        said = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        log.write(said)
    return os.waitstatus_to_exitcode(status), said, usage.ru_maxrss


@contextlib.contextmanager
def turn(steps):
    """Holds steps that several commands share."""
    steps.parent.mkdir(exist_ok=True)
    with open(f"{steps}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(folder, words, key):
    """One command, to its figures; the memory that it took. Trouble where it does not end well, or where it was not
    the one of this key."""
    tool, shown = commands.TOOLS[words[0]], shown_as(words)
    steps = folder.parent.parent / "area" / commands.steps(words)
    with turn(steps) if words[0] == "area" else contextlib.nullcontext():
        status, said, memory = start(commands.line(words, folder, steps), folder)
    if status != 0:
        how = f"ended with {status}" if status > 0 else f"was ended by signal {-status}"
        raise Trouble(f"{shown}\n  {how}: {last_words(folder / 'log')}\n  log: {folder / 'log'}",
                      status if status in (1, 2) else 1)
    try:
        if not tool.file:
            (folder / commands.FIGURES).write_text(said)
        commands.figures(words, folder)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise Trouble(f"{shown}\n  left no figures: {error}", 1) from None
    if commands.key(words) != key:
        raise Trouble(f"{shown}\n  the program, or a file that it reads, has changed meanwhile; the same command goes on",
                      1)
    return memory


def shown_as(words):
    return shlex.join(words if words[0] == "scene" else ["warpref", *words])


def make(folder):
    """Exit status: of the command, 0 where its result is there."""
    asked = read(folder / "command.json")
    if asked is None:
        print(f"{folder}: has no command.json", file=sys.stderr)
        return 2
    result, failure = folder / "result.json", folder / "failure.json"
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if result_of(folder, asked["words"], asked["key"]):
            os.utime(result)  # newer than the command, so Ninja does not ask again
            return 0
        failure.unlink(missing_ok=True)
        begun = time.monotonic()
        try:
            memory = run(folder, asked["words"], asked["key"])
        except Trouble as trouble:
            write(failure, {"key": asked["key"], "seconds": round(time.monotonic() - begun, 2),
                            "status": trouble.status, "error": str(trouble)})
            return trouble.status
        write(result, {"command": shown_as(asked["words"]), "key": asked["key"],
                       "seconds": round(time.monotonic() - begun, 2), "memory_kib": memory, "sums": sums(folder, asked["words"])})
    return 0


def main(args):
    if args[0] != "--list":
        return make(pathlib.Path(args[0]).resolve())
    folders = pathlib.Path(args[1]).read_text().splitlines()
    task, of = map(int, args[3].split("/"))
    return max([make(pathlib.Path(folder)) for folder in folders[task::of]], default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
