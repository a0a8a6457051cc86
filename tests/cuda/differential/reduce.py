# SPDX-License-Identifier: Apache-2.0
"""A program that differs, made smaller: parts of its text are taken out as long as host and device still differ."""
import pathlib
import tempfile

import build


def differs(bench, program, level):
    """Whether the host's compilers agree on this text, and the device does not."""
    want, said = bench.host([program], "g++", "-O0", *build.DEFINED)
    if said or bench.device([program], level)[0] == want:
        return False
    return bench.host([program], "clang++-14", "-O2") == (want, "")


def without(bench, program, level, items, way, path):
    """Tries the text without these: they stay out where it still differs, and what is left is written."""
    for item in items:
        setattr(item, way, True)
    if differs(bench, program, level):
        path.write_text(build.file_of([program]))
        return True
    for item in items:
        setattr(item, way, False)
    return False


def smaller(args, program, level, path):
    """Writes its text with as much taken out as can be: runs of statements first, then one by one, then what is around some."""
    path.write_text(build.file_of([program]))
    with tempfile.TemporaryDirectory() as scratch:
        bench, kernel = build.Bench(args, pathlib.Path(scratch)), program.kernel
        size = len(kernel.body) // 2
        while size > 1:
            for at in range(0, len(kernel.body), size):
                without(bench, program, level, [item for item in kernel.body[at:at + size] if not item.gone], "gone", path)
            size //= 2
        changed = True
        while changed:
            changed = False
            for item in list(kernel.items()):
                if not item.gone and without(bench, program, level, [item], "gone", path):
                    changed = True
                elif not item.gone and item.parts and not item.bare and without(bench, program, level, [item], "bare", path):
                    changed = True
