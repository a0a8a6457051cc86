# SPDX-License-Identifier: Apache-2.0
"""Python modules beyond the standard library, installed when a command first needs them.

They come from Debian packages, group `study` of tools/packages.txt, which are seen by Debian's own Python alone;
where another one was started and lacks them, that one goes on in its place.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys

DEBIAN = "/usr/bin/python3"
SETUP = pathlib.Path(__file__).resolve().parent / "setup.sh"


class Missing(Exception):
    """The modules are not there and cannot be installed; the text says what to do."""


def have(python, names):
    if python == sys.executable:
        return all(importlib.util.find_spec(name) for name in names)
    done = subprocess.run([python, "-c", "import importlib.util as u, sys\n"
                           f"sys.exit(not all(u.find_spec(m) for m in {names!r}))"], check=False, capture_output=True)
    return done.returncode == 0


def picture(parser, path):
    """What --out asks for can be drawn; None asks for nothing."""
    if path is None:
        return
    if path.suffix not in (".svg", ".png", ".pdf"):
        parser.error("--out is a .svg, .png or .pdf")
    try:
        modules("matplotlib")
    except Missing as missing:
        parser.error(str(missing))


def modules(*names):
    """Returns where they are there, else goes on in the Python that has them."""
    if have(sys.executable, names):
        return
    if not have(DEBIAN, names):
        done = subprocess.run([str(SETUP), "study"], check=False, stdout=sys.stderr)
        if done.returncode or not have(DEBIAN, names):
            packages = " ".join(f"python3-{name}" for name in names)
            raise Missing(f"Python lacks {', '.join(names)}; install Debian's {packages}")
    sys.stdout.flush()
    os.execv(DEBIAN, [DEBIAN, *sys.orig_argv[1:]])
