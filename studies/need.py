# SPDX-License-Identifier: Apache-2.0
"""The Python modules that studies need beyond the standard library, installed when a study first runs.

They come from Debian packages, which are seen by Debian's own Python alone; where another one was started and
lacks them, that one goes on in its place.
"""
import importlib.util
import os
import subprocess
import sys

from commands import ROOT
from trouble import Trouble

MODULES = ("matplotlib", "pandas", "cffi")
DEBIAN = "/usr/bin/python3"


def have(python):
    if python == sys.executable:
        return all(importlib.util.find_spec(module) for module in MODULES)
    done = subprocess.run([python, "-c", "import importlib.util as u, sys\n"
                           f"sys.exit(not all(u.find_spec(m) for m in {MODULES}))"], check=False,
                          capture_output=True)
    return done.returncode == 0


def modules():
    """Returns where they are there, else goes on in the Python that has them."""
    if have(sys.executable):
        return
    if not have(DEBIAN):
        done = subprocess.run([str(ROOT / "tools/setup.sh"), "study"], check=False, stdout=sys.stderr)
        if done.returncode or not have(DEBIAN):
            raise Trouble("studies need Python's matplotlib, pandas and cffi; install Debian's python3-matplotlib, "
                          "python3-pandas and python3-cffi")
    sys.stdout.flush()
    os.execv(DEBIAN, [DEBIAN, *sys.orig_argv[1:]])
