# SPDX-License-Identifier: Apache-2.0
"""Python modules beyond the standard library, for the commands that need them.

They come from Debian packages, group `study` of tools/packages.txt, which are seen by Debian's own Python alone;
where another one was started and lacks them, that one goes on in its place. Where that lacks them too, a message names
the packages. They are installed only where the user says --install.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys

DEBIAN = "/usr/bin/python3"
SETUP = pathlib.Path(__file__).resolve().parent / "setup.sh"


class Missing(Exception):
    """The modules are not there; the text says what to do."""


def option(parser):
    """--install, for a command whose modules may be missing."""
    parser.add_argument("--install", action="store_true",
                        help="install the Debian packages that this command lacks; without it they are only named")


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


def modules(*names, install=None):
    """Returns where they are there, else goes on in the Python that has them. `install` is what the user says by
    --install, None where the command has no such option."""
    if have(sys.executable, names):
        return
    if install and not have(DEBIAN, names):
        subprocess.run([str(SETUP), "study"], check=False, stdout=sys.stderr)
    lacking = [name for name in names if not have(DEBIAN, [name])]
    if lacking:
        packages = " ".join(f"python3-{name}" for name in lacking)
        raise Missing(f"Python lacks {', '.join(lacking)}: `apt-get install {packages}`"
                      + ("" if install is None or install else ", or give --install"))
    sys.stdout.flush()
    os.execv(DEBIAN, [DEBIAN, *sys.orig_argv[1:]])
