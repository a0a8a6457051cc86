# SPDX-License-Identifier: Apache-2.0
"""Finished results, kept per block and step in the output folder, each under a key.

The key is a hash of all that the result follows from: RTL, parameters, library, tool versions, options
and the program itself. A result is written in one go when its step is done, so one that is there and has
the right key is whole, and an interrupted run goes on where it was.
"""
import ast
import hashlib
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from tools import replace  # noqa: E402


def digest(*parts):
    out = hashlib.sha256()
    for part in parts:
        out.update(part if isinstance(part, bytes) else str(part).encode())
        out.update(b"\0")
    return out.hexdigest()


def program(*names):
    """The code of the modules that make a result, without comments and layout."""
    return digest(*(ast.dump(ast.parse((HERE / f"{n}.py").read_text())) for n in names))


def write(path, value):
    replace.text(path, json.dumps(value, indent=1) + "\n")


def kept(folder, step, key, work):
    """The result of a step: the kept one, or work() and then kept."""
    path = folder / f"{step}.json"
    try:
        old = json.loads(path.read_text())
        if old["key"] == key:
            return old["result"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    path.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    result = work()
    write(path, {"key": key, "result": result})
    return result
