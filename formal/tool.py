# SPDX-License-Identifier: Apache-2.0
"""A program that makes something of files, and what to say where it fails."""
import subprocess


class ToolFailed(Exception):
    """A compiler or Yosys failed: its own words."""


def run_tool(command, cwd):
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    except FileNotFoundError:
        raise ToolFailed(f"{command[0]} is not installed: see tools/packages.txt") from None
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()
        words = [line for line in words if "error" in line.lower()] or words  # warnings may stand before them
        raise ToolFailed(f"{command[0]}: " + "; ".join(words[:4]))
