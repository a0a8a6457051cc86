#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the manual pages of warpref and its completion for bash, zsh and fish, from what the program says of
itself. DIR becomes what an installation has below share/."""
import argparse
import pathlib
import sys

import completion
import pages
import table
import values

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def files(program, studies):
    """{path below DIR: text}"""
    commands, version, (above, below) = table.commands(program)
    made = {"man/man1/warpref.1": pages.of_program(commands, version, above, below)}
    for command in commands:
        others = [other for other in commands if other is not command]
        made[f"man/man1/warpref-{command.name}.1"] = pages.of_command(command, version, others)
    known = completion.Known(commands, *values.configurations_of_blocks(program), values.systems(program),
                             values.studies(studies))
    made["bash-completion/completions/warpref"] = completion.bash(known)
    made["zsh/vendor-completions/_warpref"] = completion.zsh(known)
    made["fish/vendor_completions.d/warpref.fish"] = completion.fish(known)
    return made


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("program", help="warpref, as it was built")
    p.add_argument("out", type=pathlib.Path, metavar="DIR")
    p.add_argument("--studies", type=pathlib.Path, metavar="DIR", default=ROOT / "studies",
                   help="folder of the studies (the tree's)")
    options = p.parse_args()
    try:
        made = files(options.program, options.studies)
        for old in options.out.glob("man/man1/warpref*.1"):
            old.unlink()  # of a command that there is no more
        for path, text in made.items():
            (options.out / path).parent.mkdir(parents=True, exist_ok=True)
            (options.out / path).write_text(text)
    except (table.Trouble, OSError) as trouble:
        print(f"manual: {trouble}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
