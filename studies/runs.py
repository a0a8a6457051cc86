# SPDX-License-Identifier: Apache-2.0
"""Runs of `warpref` commands for studies: each distinct one once, its figures kept in a folder of its own.

A folder is named after its command and holds what the command said (log) and its figures (result.json).
`warpref area` keeps its steps itself, below area/, and is asked each time; commands that differ in node or
clock alone share its steps, one after the other. What another command found is used again while the program,
the RTL and the kernels of the tree are the same. A command that fails is told with its last words, and leaves
the others alone.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import threading

from plan import ROOT, TOOLS
from trouble import Trouble

KEPT = ("run", "cosim", "blocks")
SOURCES = ("rtl", "kernels", "studies", "examples")  # what commands read besides the program


def program():
    path = pathlib.Path(os.environ.get("WARPREF_PROGRAM") or ROOT / "build/release/bin/warpref")
    if not os.access(path, os.X_OK):
        raise Trouble(f"{path}: the warpref program is not there; `ninja -C build/release warpref` builds it")
    return path


def figure(tree, path):
    """What stands at a dotted path; keys may hold dots, NAME=VALUE picks from a list."""
    if not path:
        return tree
    parts = path.split(".")
    for n in range(len(parts), 0, -1):
        key, rest = ".".join(parts[:n]), ".".join(parts[n:])
        if isinstance(tree, dict) and key in tree:
            found = figure(tree[key], rest)
        elif isinstance(tree, list) and key.isdigit() and int(key) < len(tree):
            found = figure(tree[int(key)], rest)
        elif isinstance(tree, list) and "=" in key:
            name, value = key.split("=", 1)
            found = next((figure(t, rest) for t in tree if str(t.get(name)) == value), None)
        else:
            continue
        if found is not None:
            return found
    return None


def last_words(log):
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or line.startswith("warpref")]
    return (telling or lines or ["it said nothing"])[-1][:300]


class Runner:
    """Runs commands, each once, `jobs` at a time: figures in `found`, Trouble in `failed`."""

    def __init__(self, out, jobs):
        self.out, self.jobs, self.program = out / "runs", jobs, program()
        self.found, self.failed, self.children, self.lock = {}, {}, set(), threading.Lock()
        self.ended = False
        self.stamp, self.turns = None, collections.defaultdict(threading.Lock)

    def sources(self):
        """A digest of all that a kept result follows from, besides its command."""
        if self.stamp is None:
            digest = hashlib.sha256(self.program.read_bytes())
            for folder in SOURCES:
                for path in sorted((ROOT / folder).rglob("*")):
                    if path.suffix in (".sv", ".cu", ".yaml", ".c", ".h") and path.is_file():
                        digest.update(path.read_bytes())
            self.stamp = digest.hexdigest()
        return self.stamp

    def folder(self, words):
        names = [w for w in words if re.fullmatch(r"\w+", w)][:2]
        return self.out / ".".join([*names, hashlib.sha256(shlex.join(words).encode()).hexdigest()[:10]])

    def steps(self, words):
        """Where `warpref area` keeps the steps of this command."""
        text = re.sub(r" --(node|clock) \S+", "", shlex.join(words))
        return self.out.parent / "area" / hashlib.sha256(text.encode()).hexdigest()[:10]

    def measure(self, words):
        """The figures of one command. Trouble where it does not end well."""
        with self.lock:
            turn = self.turns[self.steps(words)]
        with turn:
            return self.figures(words)

    def figures(self, words):
        tool, folder = words[0], self.folder(words)
        extra, file = TOOLS[tool]
        folder.mkdir(parents=True, exist_ok=True)
        result, key = folder / "result.json", None
        if tool in KEPT:
            key = self.sources()
            try:
                kept = json.loads(result.read_text())
                if kept["key"] == key:
                    return kept["figures"]
            except (OSError, ValueError, KeyError, TypeError):
                pass
        command = [str(self.program), *words, *(e.format(dir=folder, kept=self.steps(words)) for e in extra)]
        status, said = self.run(command, folder / "log")
        if status != 0:
            raise Trouble(f"warpref {shlex.join(words)}\n  ended with {status}: {last_words(folder / 'log')}\n"
                          f"  log: {folder / 'log'}", status if status in (1, 2) else 1)
        try:
            figures = json.loads((folder / file).read_text() if file else said)
            figures = figures["blocks"][0] if tool == "area" else figures
        except (OSError, ValueError, LookupError) as error:
            raise Trouble(f"warpref {shlex.join(words)}\n  left no figures: {error}", 1) from None
        part, whole = result.with_suffix(".part"), {"command": shlex.join(words), "key": key, "figures": figures}
        part.write_text(json.dumps(whole, indent=1) + "\n")
        part.replace(result)
        return figures

    def run(self, command, log):
        """Exit status and standard output; the log has both streams."""
        with open(log, "w") as out:
            with self.lock:
                if self.ended:
                    raise Trouble("interrupted", 1)
                child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=out, text=True, start_new_session=True)
                self.children.add(child)
            said = child.communicate()[0]
            with self.lock:
                self.children.discard(child)
            out.write(said)
        return child.returncode, said

    def all(self, commands):
        """Runs what has not been run: commands are tuples of words. Failures stand in `failed`."""
        wanted = [c for c in dict.fromkeys(commands) if c not in self.found and c not in self.failed]
        shown, done = sys.stderr.isatty(), 0

        def one(command):
            if shown:
                text = f"{done}/{len(wanted)} warpref {shlex.join(command)}"
                print(f"\r\033[K{text[:150]}", end="", file=sys.stderr, flush=True)
            return self.measure(list(command))

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            try:  # from the first one on: leaving `with` waits for all that runs
                running = {pool.submit(one, c): c for c in wanted}
                for job in concurrent.futures.as_completed(running):
                    done += 1
                    try:
                        self.found[running[job]] = job.result()
                    except Trouble as trouble:
                        self.failed[running[job]] = trouble
                    except OSError as error:
                        self.failed[running[job]] = Trouble(f"warpref {shlex.join(running[job])}\n  {error}")
            except KeyboardInterrupt:
                self.stop()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def stop(self):
        """Ends what runs, with its children."""
        with self.lock:
            self.ended = True
            for child in self.children:
                try:
                    os.killpg(child.pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass
