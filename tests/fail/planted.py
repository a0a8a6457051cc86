# SPDX-License-Identifier: Apache-2.0
"""Faults planted in a system's sources: each must make a test or a script fail.

A fault is one change of a source text: (file, text, what stands there instead, who must notice). The file is compiled
with it as the build does, and linked in front of the sound one into the program that must notice. Without a fault each
of the programs passes. Who notices is a test program, or a script of `scripts`, {name: its command}, that takes
--program. With FAULTS=N in the environment every N-th fault is planted.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HANGS = 1800  # seconds: ten times what the longest takes
LIBRARIES = {"systems": "wr_systems", "shell/core": "wr_core", "shell/isa": "wr_isa",
             "shell/compiler": "wr_compiler", "cuda": "wr_cuda_server"}  # by folder


class Build:
    """Programs with a changed file in them."""

    def __init__(self, folder, scripts):
        self.folder, self.scripts = pathlib.Path(folder).resolve(), scripts
        self.commands = {}

    def command(self, target, last):
        """The command of the build that makes this object or program."""
        if target not in self.commands:
            text = subprocess.run(["ninja", "-t", "commands", "-s", target], cwd=self.folder, check=True,
                                  capture_output=True, text=True).stdout
            self.commands[target] = text.strip().split("\n")[-1]
        assert last in self.commands[target]
        return self.commands[target]

    def run(self, command):
        done = subprocess.run(command, shell=True, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{command}\n{done.stdout}{done.stderr}")

    def object(self, source, changed, tmp):
        folder = next(name for name in LIBRARIES if source.startswith(f"{name}/"))
        target = f"{folder}/CMakeFiles/{LIBRARIES[folder]}.dir/{source.removeprefix(folder)[1:]}.o"
        command = self.command(target, " -c ")
        out = tmp / "changed.o"
        command = command.replace(f"-c {ROOT / source}", f"-c {changed}").replace(f"-o {target}", f"-o {out}")
        self.run(re.sub(r" -MD -MT \S+ -MF \S+", "", command).replace("-Werror", "-w"))
        return out

    def program(self, name, changed, tmp):
        target = "bin/warpref" if name in self.scripts else f"tests/{name}"
        out = tmp / "bin" / pathlib.Path(target).name
        self.run(self.command(target, f"-o {target} ").replace(f"-o {target} ", f"-o {out} {changed or ''} ", 1))
        return out


def play(build, what, name, fault):
    """(does it notice what it must, how it is called, its last words)."""
    with tempfile.TemporaryDirectory() as folder:
        tmp = pathlib.Path(folder)
        (tmp / "bin").mkdir()
        linked = None
        if fault:
            source, before, after, _ = fault
            text = (ROOT / source).read_text(encoding="utf-8")
            if text.count(before) != 1:
                return False, what, f"{text.count(before)} times in {source}: {before}"
            changed = tmp / "changed.c"
            changed.write_text(text.replace(before, after), encoding="utf-8")
            linked = build.object(source, changed, tmp)
        program = build.program(name, linked, tmp)
        command = [str(program)]
        if name in build.scripts:
            script, *options = build.scripts[name]
            command = [str(ROOT / script), *options, "--program", str(program)]
        env = {**os.environ, "WARPREF_LIB": str(build.folder / "lib"), "WARPREF_SEED": "1"}
        try:
            done = subprocess.run(command, cwd=tmp, env=env, capture_output=True, text=True, check=False, timeout=HANGS)
        except subprocess.TimeoutExpired:
            return False, f"{what}: {name}", f"it hangs: stopped after {HANGS} s"
        return (done.returncode != 0) == bool(fault), f"{what}: {name}", (done.stdout + done.stderr)[-600:]


def texts(faults):
    """The exit status: whether each fault's text stands once in its file, which is known without a build."""
    failed = 0
    for what, (source, before, _, _) in faults.items():
        count = (ROOT / source).read_text(encoding="utf-8").count(before)
        if count != 1:
            failed += 1
            print(f"{sys.argv[0]}: {what}: {count} times in {source}: {before}")
    return 1 if failed or not faults else 0


def main(doc, faults, scripts):
    """The exit status of a script that plants `faults`; the last line is "N passed, N failed"."""
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(doc)
        return 0
    if len(sys.argv) != 2:
        raise SystemExit(doc)
    if sys.argv[1] == "--texts":
        return texts(faults)
    build = Build(sys.argv[1], scripts)
    faults = dict(list(faults.items())[::int(os.environ.get("FAULTS") or 1)])
    names = sorted({name for fault in faults.values() for name in fault[3].split()})
    plays = [("no fault", name, None) for name in names]
    plays += [(what, name, fault) for what, fault in faults.items() for name in fault[3].split()]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or 2)) as pool:
        for good, what, words in pool.map(lambda one: play(build, *one), plays):
            passed, failed = passed + good, failed + (not good)
            print(f"ok    {what}" if good else f"FAIL  {what}\n{words}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
