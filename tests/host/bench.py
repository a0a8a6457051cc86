# SPDX-License-Identifier: Apache-2.0
"""What the benches beside this one have in common: they run a program in a folder of their own and count what holds."""
import argparse
import pathlib
import subprocess
import tempfile


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = pathlib.Path(program).resolve(), pathlib.Path(folder)
        self.compiler = self.program
        self.passed, self.failed = 0, 0

    def check(self, what, holds, why=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {what}: {why}")

    def same(self, what, got, want):
        self.check(what, got == want, f"{got}, not {want}")

    def call(self, *words):
        """Exit status, standard output and error of the program."""
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, check=False,
                              cwd=self.folder)
        return done.returncode, done.stdout, done.stderr


def main(doc, kind, parts):
    """Each part on one bench of this kind; the exit status."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--cc", metavar="PROGRAM", help="that compiles CUDA programs, where it is another one")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = kind(args.program, folder)
        bench.compiler = pathlib.Path(args.cc or args.program).resolve()
        for part in parts:
            part(bench)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return 0 if bench.failed == 0 and bench.passed != 0 else 1
