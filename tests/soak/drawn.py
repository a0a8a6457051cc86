# SPDX-License-Identifier: Apache-2.0
"""What a soak of random kernels plays: a kernel that is drawn and built, whose files are kept where a run of it fails."""
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import run as programs  # tests/random
import runs


class Drawn:
    """What run n of a seed does. draw() says which kernel, play_all(folder) what is done with it: what came up, or one of
    the failures caught below."""

    def __init__(self, args, number):
        self.args, self.number = args, number
        self.r = random.Random(f"{args.seed}:{number}")
        self.program = self.draw()

    def play(self):
        """(what came up, None), or (None, why it fails and how to repeat it)."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            try:
                programs.build(self.program, self.r, folder)
                return self.play_all(folder), None
            except (programs.Failure, runs.Failure, subprocess.SubprocessError) as failure:
                kept = pathlib.Path(self.args.keep).resolve() / f"{self.args.seed}.{self.number}"
                shutil.copytree(folder, kept, dirs_exist_ok=True)
                again = f"{sys.argv[0]} --seed {self.args.seed} --first {self.number} --kernels 1 --failures 1"
                why = str(failure).replace(str(folder), str(kept))
                return None, f"{why}\n  its files: {kept}; the whole run again: {again}"
