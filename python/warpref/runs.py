# SPDX-License-Identifier: Apache-2.0
"""Runs of the program warpref, and their figures as dictionaries and data frames.

The program writes its figures as JSON (docs/counters.md); nothing is worked out anew here. pandas
is loaded only when a frame is asked for.
"""

import json
import numbers
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from .errors import Error, LibraryError, RunError
from .library import find


def program():
    """$WARPREF_PROGRAM, else bin/warpref beside the library's folder, else the one on PATH."""
    given = os.environ.get("WARPREF_PROGRAM")
    if given:
        return given
    try:
        beside = find().parent.parent / "bin/warpref"
    except LibraryError:
        beside = None
    path = str(beside) if beside and beside.is_file() else shutil.which("warpref")
    if path is None:
        raise Error("the program warpref is not found beside the library or on PATH: build or install it, or set "
                    "WARPREF_PROGRAM to its path")
    return path


def frame(*args, **options):
    try:
        import pandas
    except ImportError as error:
        raise Error("Python has no pandas: install the package python3-pandas and use /usr/bin/python3") from error
    return pandas.DataFrame(*args, **options)


class Run:
    """What came of a run. `figures` is all that the program wrote; the rest are views of it."""

    def __init__(self, command, figures, samples):
        self.command, self.figures, self._samples = command, figures, samples

    @property
    def passed(self):
        """The kernels ended and every check held."""
        return self.figures["pass"]

    @property
    def cycles(self):
        return self.figures["cycles"]

    @property
    def counters(self):
        """Sums over the GPU, by name."""
        return self.figures["counters"]

    @property
    def derived(self):
        """Ratios and means, by name."""
        return self.figures["derived"]

    @property
    def measured(self):
        """Figures of the systems, by name; figures["measured"] has their units too."""
        return {name: row["value"] for name, row in self.figures.get("measured", {}).items()}

    @property
    def launches(self):
        """A row for each launch; columns that are named as counters add up to these."""
        return frame(self.figures["launches"])

    @property
    def checks(self):
        """A row for each buffer that was compared."""
        return frame(self.figures["checks"])

    @property
    def histograms(self):
        """A row for each bin: the histogram's name is the column, the least value of the bin the index."""
        bins = {name: h["bins"] for name, h in self.figures["histograms"].items()}
        most = max(map(len, bins.values()))
        table = frame({name: rows + [0] * (most - len(rows)) for name, rows in bins.items()})
        table.index = [0] + [1 << i for i in range(most - 1)]
        table.index.name = "from"
        return table

    @property
    def parts(self):
        """A row for each part of the GPU, a column for each counter; empty where a part has no such counter."""
        table = frame(self.figures["parts"]).T
        table.index.name = "part"
        return table

    @property
    def samples(self):
        """What each counter has grown by, a row every `sample` cycles: the index is the cycle behind it."""
        if self._samples is None:
            raise Error("the run was not sampled: run(..., sample=N), in cycles")
        head, *rows = [line.split(",") for line in self._samples.splitlines()]
        return frame([[int(cell) for cell in row] for row in rows], columns=head).set_index("cycle")

    def __repr__(self):
        return f"<{'passed' if self.passed else 'failed'}, {self.cycles} cycles: {self.command}>"


def words_of(name, values):
    """The words of a list, or an error: a str would be taken letter by letter."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise Error(f"{name} is a list of words, for example systems=[\"preemption:period=10000\"], not {values!r}")
    return [word_of(f"each of {name}", value) for value in values]


def word_of(name, value):
    """A word of a command line: text, a path or a number."""
    if not isinstance(value, (str, os.PathLike, numbers.Real)) or "\0" in str(value):
        raise Error(f"{name} is a text, a path or a number, not {value!r}")
    return str(value)


def arguments(file, config, systems, set, blocks, sample, sample_of, cpu, threads, max_cycles):
    """The options of `warpref run`, from those of run()."""
    if not isinstance(set, dict):
        raise Error(f"set is a dictionary, for example set={{\"l1.mshrs\": 64}}, not {set!r}")
    systems, sample_of = words_of("systems", systems), words_of("sample_of", sample_of)
    out = [word_of("file", file)]
    for option, value in (("--config", config), ("--blocks", blocks), ("--cpu", cpu), ("--threads", threads),
                          ("--max-cycles", max_cycles), ("--sample", sample), ("--sample-of", ",".join(sample_of) or None)):
        if value is not None:
            out += [option, word_of(option, value)]
    out += [word for system in systems for word in ("--system", system)]
    return out + [word for path, value in set.items()
                  for word in ("--set", word_of("set", f"{path}={value}"))]


def run(file, config=None, systems=(), set={}, blocks=None, sample=None, sample_of=(), cpu=None, threads=None,
        max_cycles=None, options=(), check=True):
    """Runs a launch file: the options of `warpref run`, whose --help says what each is.

    systems is a list, set a dictionary of changes of the configuration, options further words of the
    command. A run that fails raises RunError; with check=False one that came to its figures, with a
    check that did not hold, is given back with passed = False.
    """
    words = [program(), "run", *arguments(file, config, systems, set, blocks, sample, sample_of, cpu, threads, max_cycles)]
    words += words_of("options", options)
    command = shlex.join(words)
    with tempfile.TemporaryDirectory(prefix="warpref.") as folder:
        stats, samples = Path(folder, "stats.json"), Path(folder, "samples.csv")
        words += ["--stats", str(stats)] + (["--samples", str(samples)] if sample is not None else [])
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        except OSError as error:
            raise Error(f"{words[0]}: cannot be run: {error.strerror}") from error
        if done.returncode != 0 and (check or done.returncode != 1 or not stats.is_file()):
            words = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
            raise RunError(command, done.returncode, "\n".join(words[-10:]) or "it said nothing")
        return Run(command, json.loads(stats.read_text()), samples.read_text() if sample is not None else None)
