# SPDX-License-Identifier: Apache-2.0
"""Runs on this machine, by Ninja: several at once, on from where they were, the others where one fails.

build.ninja stands in the folder of results and has an edge for each run: its result follows from its command.
"""
import os
import re
import signal
import subprocess
import sys

import one
import progress
import replace
from trouble import Trouble

HEAD = """\
ninja_required_version = 1.8
rule run
  command = {python} {one} $dir
  description = $text
  restat = 1
"""
LINE = re.compile(r"\[\d+/\d+\] (.*)")


def escaped(text):
    return str(text).replace("$", "$$").replace(":", "$:").replace(" ", "$ ")


def text_of(words):
    """A line that Ninja prints when the run has ended."""
    return one.shown_as(words).replace("\n", " ")


def file(runs):
    """The text of build.ninja."""
    out = HEAD.format(python=escaped_word(sys.executable), one=escaped_word(os.path.abspath(one.__file__)))
    for words, folder in runs.folders.items():
        at = escaped(os.path.relpath(folder, runs.out))
        text = text_of(words).replace("$", "$$")
        out += f"build {at}/result.json: run {at}/command.json\n  dir = {at}\n  text = {text}\n"
    return out


def escaped_word(text):
    """For the shell, then for Ninja."""
    return "'" + text.replace("'", "'\\''").replace("$", "$$") + "'"


def run(runs, jobs):
    """Runs what is missing, and yields each command when it has ended."""
    missing = runs.missing()
    replace.text(runs.out / "build.ninja", file(runs))
    if not missing:
        return
    seconds, runs.open = runs.seconds(), set(missing)
    shown = progress.Progress({w: seconds.get(w) for w in missing}, len(runs.wanted) - len(missing))
    by_text = {text_of(words): words for words in missing}
    try:
        child = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", "ninja", "-C", str(runs.out), "-k", "0", "-j",
                                  str(jobs)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, start_new_session=True,
                                 env={**os.environ, "NINJA_STATUS": "[%f/%t] ", "TERM": "dumb"})
    except FileNotFoundError:
        raise Trouble("setpriv is not there; install Debian's util-linux and ninja-build") from None
    said = "nothing"
    try:
        for text in child.stdout:
            match = LINE.match(text)
            words = by_text.get(match[1]) if match else None
            if words in runs.open:
                runs.open.remove(words)
                shown.end(words, *runs.ended(words))
                shown.show(match[1])
                yield words
            said = text.strip() or said
        child.wait()
    except BaseException:
        child.send_signal(signal.SIGTERM)
        child.wait()
        raise
    finally:
        shown.finish()
    if child.returncode and len(runs.open) == len(missing):
        raise Trouble(f"ninja: {said}; Debian's ninja-build has it", 2)
