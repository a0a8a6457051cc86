# SPDX-License-Identifier: Apache-2.0
"""The programs that `warpref mutate` runs: what has to be installed, and what their failure is."""
import os
import shutil
import subprocess

from formal import processes

COMPILER = (os.environ.get("CXX") or "g++").split()[0]  # as dpi/verilate.sh takes it
PACKAGES = {"yosys": "yosys", "yosys-abc": "yosys", "verilator": "verilator", COMPILER: "g++"}  # Debian's


class ToolError(Exception):
    """A tool is missing or failed: its last words."""


def need():
    for tool, package in PACKAGES.items():
        if shutil.which(tool) is None:
            raise ToolError(f"{tool} is not installed; install Debian's {package}"
                            + (", or set $CXX to a compiler that is" if tool == COMPILER else ""))


def run(argv, cwd, env=None):
    """What it says on both streams; a failure is a ToolError."""
    done = processes.run(argv, cwd=cwd, env=env, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        last = "\n".join(done.stdout.strip().splitlines()[-6:])
        raise ToolError(f"{argv[0]} failed (status {done.returncode}):\n{last}")
    return done.stdout


def yosys(target, script, path):
    """Of the script, kept at path. Paths in it are quoted, for the folder may have blanks."""
    path.write_text(script)
    return run(["yosys", "-q", "-s", path], target.root)
