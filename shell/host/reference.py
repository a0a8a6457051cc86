# SPDX-License-Identifier: Apache-2.0
"""Runs a reference of a launch file, FILE.py:FUNCTION, over its launches; own_py.c starts it and says what is asked for.

    python3 reference.py FILE FUNCTION MEMORY LIST

MEMORY and LIST are descriptors: the buffers with a control in front of them (own_parts.h), and a line of JSON for each
launch behind one for the buffers. What goes wrong is left in the control, as "text (file:line)".
"""
import importlib.util
import json
import mmap
import os
import struct
import sys
import traceback

CALLS, WHOLE, ERROR, ERROR_SIZE = 0, 8, 12, 1012  # places in the control
FORMATS = {"u8": "B", "s8": "b", "b8": "B", "u16": "H", "s16": "h", "b16": "H", "u32": "I", "s32": "i", "b32": "I",
           "f32": "f", "u64": "Q", "s64": "q", "b64": "Q", "f64": "d"}


class Launch:
    """What a reference gets: kernel, its name; grid and block, three numbers each; args, in their order: a buffer from its
    offset on as a memoryview with elements of its type, a number, or a struct's bytes; buffers, all of the file by name."""

    def __init__(self, kernel, grid, block, args, buffers):
        self.kernel, self.grid, self.block, self.args, self.buffers = kernel, grid, block, args, buffers


def number(kind, text):
    return float.fromhex(text) if kind[0] == "f" else int(text)


def named(file, path):
    return os.path.basename(file) if file == path else file


def last_line(error, path):
    """The traceback's last line, and where it was, in the user's file if it was there at all."""
    text = traceback.format_exception_only(type(error), error)[-1].strip()
    if isinstance(error, SyntaxError):
        return f"{text} ({named(error.filename, path)}:{error.lineno})"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    frames = [f for f in frames if f.filename == path][-1:] or frames[-1:]
    return text + "".join(f" ({named(f.filename, path)}:{f.lineno})" for f in frames)


def function_of(path, name):
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return getattr(module, name, None)


def main():
    path, name, memory, lines = sys.argv[1:]
    control = mmap.mmap(int(memory), 0)
    view = memoryview(control)

    def part(kind, place, count):
        form = FORMATS[kind]
        return view[place:place + count * struct.calcsize("=" + form)].cast(form)

    def argument(kind, *rest):
        return (bytes.fromhex(rest[0]) if kind == "bytes" else number(kind, rest[0]) if len(rest) == 1 else
                part(kind, *rest))

    said = ""
    try:
        function = function_of(path, name)
        if not callable(function):
            said = f"has no function '{name}'"
        with open(int(lines), encoding="utf-8") as file:
            file.seek(0)
            buffers = {n: part(*b) for n, b in json.loads(next(file)).items()}
            for calls, line in enumerate(file if not said else (), 1):
                launch = json.loads(line)
                launch["args"] = [argument(*a) for a in launch["args"]]
                struct.pack_into("=Q", control, CALLS, calls)
                why = function(Launch(buffers=buffers, **launch))
                if isinstance(why, str):
                    said = f"cannot follow this file's launches: {why}"
                    break
    except BaseException as error:  # whatever the user's code raises, sys.exit included, is what the run has to tell
        said = "failed: " + last_line(error, path)
    left = said.encode("utf-8", "replace")[:ERROR_SIZE - 1]
    control[ERROR:ERROR + len(left) + 1] = left + b"\0"
    struct.pack_into("=I", control, WHOLE, 1)
    sys.stdout.flush()
    os._exit(0)  # threads that it left do not matter


main()
