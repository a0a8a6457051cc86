# SPDX-License-Identifier: Apache-2.0
"""The runs of studies below a folder of results: each distinct command once, in a folder of its own.

    runs/COMMAND.../command.json    words and key
                   /log, figures.json, result.json or failure.json (one.py)

Who runs them, Ninja here (ninja.py) or Slurm (cluster.py), is handed those whose result is not there yet, and
what they made stands in the folders: `found` and `failed` follow from these alone.
"""
import functools
import hashlib
import re
import sys

import commands
import one
from trouble import Trouble


def figure(tree, path):
    """What stands at a dotted path; keys may hold dots, NAME=VALUE picks from a list."""
    if not path:
        return tree
    parts = path.split(".")
    for n in range(len(parts), 0, -1):
        key, rest = ".".join(parts[:n]), ".".join(parts[n:])
        if isinstance(tree, dict) and key in tree:
            found = figure(tree[key], rest)
        elif isinstance(tree, list) and key.isdigit() and int(key) < len(tree):
            found = figure(tree[int(key)], rest)
        elif isinstance(tree, list) and "=" in key:
            name, value = key.split("=", 1)
            found = next((figure(t, rest) for t in tree if str(t.get(name)) == value), None)
        else:
            continue
        if found is not None:
            return found
    return None


@functools.lru_cache(maxsize=4)
def last(words, folder, _time):
    """Figures of a run; neighbours in a table often share theirs. All of a run can be large: few are kept."""
    return commands.figures(words, folder)


class Runs:
    """Of the commands of some studies, tuples of words. Those that failed stand in `failed`, as Trouble."""

    def __init__(self, out, wanted):
        self.out, self.found, self.failed = out, set(), {}
        self.wanted = list(dict.fromkeys(wanted))
        self.folders = {words: out / "runs" / self.name(words) for words in self.wanted}
        self.keys = {words: commands.key(words) for words in self.wanted}
        self.open = set()  # those that are being run

    @staticmethod
    def name(words):
        names = [w for w in words if re.fullmatch(r"\w+", w)][:2]
        return ".".join([*names, hashlib.sha256(" ".join(words).encode()).hexdigest()[:10]])

    def prepare(self):
        """Writes what is to be run, and forgets failures of before, and results whose figures are not those of their
        run; a file that says the same keeps its time."""
        for words, folder in self.folders.items():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "failure.json").unlink(missing_ok=True)
            if self.damaged(words):
                print(f"warpref study: {folder}: what it holds is cut or changed; it is run again", file=sys.stderr)
                (folder / "result.json").unlink()
            asked = {"words": list(words), "key": self.keys[words]}
            if one.read(folder / "command.json") != asked:
                one.write(folder / "command.json", asked)

    def damaged(self, words):
        """A result is there that cannot be read, or whose figures are not its own."""
        path = self.folders[words] / "result.json"
        result = one.read(path)
        return path.exists() and (not isinstance(result, dict) or result.get("key") == self.keys[words]) and not self.result(words)

    def result(self, words):
        return one.result_of(self.folders[words], words, self.keys[words])

    def missing(self):
        return [words for words in self.folders if not self.result(words)]

    def ended(self, words):
        """(seconds, whether it failed) of a run that has just ended."""
        failure = one.read(self.folders[words] / "failure.json")
        result = failure or self.result(words) or {}
        return result.get("seconds", 0.0), failure is not None

    def seconds(self):
        """words -> how long it took when it last ran, with whatever key."""
        kept = {words: one.read(folder / "result.json") for words, folder in self.folders.items()}
        return {words: result["seconds"] for words, result in kept.items() if isinstance(result, dict) and "seconds" in result}

    def collect(self, some):
        """What the folders of these commands hold."""
        for words in some:
            folder, key = self.folders[words], self.keys[words]
            failure = one.read(folder / "failure.json")
            if self.result(words):
                self.found.add(words)
            elif isinstance(failure, dict) and failure.get("key") == key:
                self.failed[words] = Trouble(failure["error"], failure["status"])
            else:
                self.failed[words] = Trouble(f"{one.shown_as(words)}\n  was ended before it had a result\n"
                                             f"  log: {folder / 'log'}", 1)

    def figures(self, words, paths):
        """The figures at these paths, None where there is none."""
        folder = self.folders[words]
        tree = last(words, folder, (folder / commands.FIGURES).stat().st_mtime_ns)
        return {path: figure(tree, path) for path in paths}
