# SPDX-License-Identifier: Apache-2.0
"""A program that differs, made smaller: parts of its text are taken out as long as host and device still differ."""
import pathlib
import tempfile

import build


def differs(bench, program, level):
    """Whether the host's compilers agree on this text, and the device does not."""
    want, said = bench.host([program], "g++", "-O0", *build.DEFINED)
    if said or bench.host([program], "clang++-14", "-O2") != (want, ""):
        return False
    return bench.device([program], level)[0] != want


def smaller(args, program, level):
    with tempfile.TemporaryDirectory() as scratch:
        bench = build.Bench(args, pathlib.Path(scratch))
        changed = True
        while changed:
            changed = False
            for item in list(program.kernel.items()):
                for way in ("gone", "bare"):
                    if getattr(item, way) or item.gone or (way == "bare" and not item.parts):
                        continue
                    setattr(item, way, True)
                    if differs(bench, program, level):
                        changed = True
                    else:
                        setattr(item, way, False)
    return build.file_of([program])
