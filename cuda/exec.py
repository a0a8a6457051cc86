#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""warpref exec: runs a CUDA program that nvcc has built; its kernels run on the simulated GPU.

The loader finds libraries of NVIDIA's names, lib/cudart/libcudart.so.*, behind which warpref's runtime stands, before
it looks for others. It is asked first what the program needs and lacks, and runs nothing of it for that. Then the
program takes this process's place.
"""
import argparse
import mmap
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys

PROGRAM = pathlib.Path(os.environ["WARPREF_PROGRAM"])
EPILOG = """Options are those of `warpref run`, apart from those about launch files, and stand in front of the program; WARPREF may
hold more, as with programs of `warpref cc`. The program is of CUDA 11, 12 or 13, built with -cudart shared, and has its
kernels as PTX. No GPU, driver or toolkit is needed.

  nvcc -cudart shared saxpy.cu -o saxpy && warpref exec ./saxpy
  warpref exec --config maxwell --stats s.json ./saxpy 1000

One that was built for a single GPU, as with -arch=sm_90 -code=sm_90, has no PTX: -gencode arch=compute_75,code=compute_75
adds it. docs/cuda.md says what of CUDA there is. Exit status: the program's; 2 it cannot be run, bad usage.
"""
NAMES = 8  # of missing functions, in a message
ELF_HEAD, SECTION, SEGMENT, INTERPRETER = "<16sHHIQQQIHHHHHH", "<IIQQQQIIQQ", "<IIQQQQQQ", 3
X86_64 = b"\x3e\0"


class Refused(Exception):
    """Why it is not run."""


def run_options():
    """Options of `warpref run`: by name, whether a value stands behind it."""
    plain = {name: value for name, value in os.environ.items() if name != "ARGP_HELP_FMT"}
    text = subprocess.run([PROGRAM, "run", "--help"], capture_output=True, text=True, check=False, env=plain).stdout
    options = {}
    for short, name, value in re.findall(r"^ {2,6}(?:-(\w), )?--([\w-]+)(=?)", text, flags=re.M):  # text about them stands behind column 6
        options[f"--{name}"] = value != ""
        if short:
            options[f"-{short}"] = value != ""
    return options


def split(argv):
    """(options for the GPU, the program and its arguments)."""
    options, rest, known = [], list(argv), None
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word in ("-h", "--help"):
            argparse.ArgumentParser(prog="warpref exec", description=__doc__.split("\n\n")[0].partition(": ")[2], epilog=EPILOG,
                                    usage="warpref exec [OPTION...] PROGRAM [ARGUMENT...]",
                                    formatter_class=argparse.RawDescriptionHelpFormatter).print_help()
            sys.exit(0)
        if word == "--":
            break
        known = known or run_options()
        name, equals, _ = word.partition("=")
        name = word[:2] if not word.startswith("--") else name
        if name not in known:
            raise Refused(f"{word}: neither an option of `warpref run` nor a program; `warpref exec --help`")
        options.append(word)
        if known[name] and not equals and word == name:
            if not rest:
                raise Refused(f"{word}: a value is missing")
            options.append(rest.pop(0))
    if not rest:
        raise Refused("name a program, for example ./a.out")
    return options, rest


def find(name):
    path = name if "/" in name else f"./{name}" if os.path.isfile(name) else shutil.which(name)
    if not path or not os.path.exists(path):
        raise Refused(f"{name}: no such program")
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise Refused(f"{name}: not a program that may be run")
    return path


def text_at(data, at):
    """Text with a zero behind it."""
    return data[at:max(data.find(b"\0", at, at + 4096), at)]


def read_elf(path):
    """(the loader that the program names, its sections' names)."""
    try:
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if os.fstat(file.fileno()).st_size else b""
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    if data[:6] != b"\x7fELF\x02\x01" or data[18:20] != X86_64:
        raise Refused(f"{path}: not an x86-64 program for Linux; name the program itself, not a script")
    try:
        head = struct.unpack_from(ELF_HEAD, data)
        segments = [struct.unpack_from(SEGMENT, data, head[5] + i * head[9]) for i in range(head[10])]
        sections = [struct.unpack_from(SECTION, data, head[6] + i * head[11]) for i in range(head[12])]
        names = [text_at(data, sections[head[13]][4] + s[0]) for s in sections]
        loader = [text_at(data, s[2]) for s in segments if s[0] == INTERPRETER]
    except (struct.error, IndexError, OverflowError):
        raise Refused(f"{path}: the program is cut off") from None
    return os.fsdecode(loader[0]) if loader else None, names


def ask(loader, path, preload):
    """What the loader says of a program that it does not start."""
    questions = {"LD_TRACE_LOADED_OBJECTS": "1", "LD_WARN": "yes", "LD_BIND_NOW": "yes"}
    try:
        done = subprocess.run([loader, path], env=os.environ | questions | preload, capture_output=True, check=False)
    except OSError as error:
        raise Refused(f"{path}: its loader {loader}: {error.strerror}") from None
    return os.fsdecode(done.stdout + done.stderr)


def names_folder():
    for folder in (PROGRAM.parent / "../lib/cudart", PROGRAM.parent / "../lib/warpref/cudart"):
        if folder.is_dir():
            folder = folder.resolve()
            if re.search(r"[\s:]", str(folder)):
                raise Refused(f"{folder}: the loader takes no path with spaces or colons; install warpref in another folder")
            return folder
    raise Refused(f"no lib/cudart beside {PROGRAM}: build or install all of warpref")


def preload_for(path):
    """The environment in which the loader takes our runtime for the program's."""
    loader, sections = read_elf(path)
    if not loader:
        raise Refused(f"{path}: linked statically; build it with nvcc -cudart shared, and without -static")
    needs = set(re.findall(r"^\s*(libcudart\.so\S*|libwarpref_cudart\.so)(?: =>|$)", ask(loader, path, {}), flags=re.M))
    if not needs:
        raise Refused(f"{path}: its CUDA runtime is linked statically, as nvcc does without being told; build it with nvcc -cudart shared"
                      if b".nvFatBinSegment" in sections else f"{path}: no CUDA program: it needs no libcudart.so")
    folder = names_folder()
    for name in sorted(needs - {"libwarpref_cudart.so"}):
        if not (folder / name).exists():
            raise Refused(f"{path}: needs {name}; here are {', '.join(sorted(p.name for p in folder.iterdir()))}: "
                          "build it with CUDA 11, 12 or 13")
    ours = [str(folder / name) for name in sorted(needs - {"libwarpref_cudart.so"})]
    preload = {"LD_PRELOAD": ":".join(ours + [p for p in [os.environ.get("LD_PRELOAD")] if p])} if ours else {}
    said = ask(loader, path, preload)
    if absent := re.findall(r"^\s*(\S+) => not found", said, flags=re.M):
        raise Refused(f"{path}: needs {', '.join(absent)}, which is not found")
    lacking = sorted(set(re.findall(r"undefined symbol: ([^\s,]+), version libcudart", said)))
    if lacking:
        more = f" and {len(lacking) - NAMES} more" if len(lacking) > NAMES else ""
        raise Refused(f"{path}: warpref's CUDA runtime has no {', '.join(lacking[:NAMES])}{more}; docs/cuda.md says what it has")
    return preload


def main():
    path = PROGRAM  # that is opened
    try:
        options, words = split(sys.argv[1:])
        path = find(words[0])
        environment = os.environ | preload_for(path)
        if options:
            environment["WARPREF"] = f"{environment.get('WARPREF', '')} {shlex.join(options)}"
        for name in (signal.SIGPIPE, signal.SIGXFSZ):  # python3 and `warpref` ignore them, the program is not to
            signal.signal(name, signal.SIG_DFL)
        os.execve(path, words, environment)
    except Refused as refused:
        print(f"warpref exec: {refused}", file=sys.stderr)
    except OSError as error:
        print(f"warpref exec: {error.filename or path}: {error.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
