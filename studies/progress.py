# SPDX-License-Identifier: Apache-2.0
"""How far the runs of studies are: on a terminal one line that is written anew, else a line now and then."""
import sys
import time

EVERY = 30  # seconds between lines that nobody watches


def span(seconds):
    seconds = round(seconds)
    text = f"{seconds // 60 % 60}:{seconds % 60:02}"
    return f"{seconds // 3600}:{text.rjust(5, '0')}" if seconds >= 3600 else text


class Progress:
    """`seconds`: of each run that is awaited, how long it took the last time; None where that is not known."""

    def __init__(self, seconds, kept):
        self.open, self.count, self.kept = dict(seconds), len(seconds), kept
        self.known = [s for s in seconds.values() if s is not None]
        self.done, self.failed = 0.0, 0  # seconds of runs that have ended, all processors
        self.begun = self.told = time.monotonic()
        self.live = sys.stderr.isatty()

    def end(self, run, seconds, failed=False):
        del self.open[run]
        self.known.append(seconds)
        self.done += seconds
        self.failed += failed

    def left(self, spent):
        """Seconds: what is open takes what it took, or the mean, at the pace of what has ended."""
        usual = sum(self.known) / len(self.known)
        return sum(usual if s is None else s for s in self.open.values()) * spent / self.done

    def line(self, what=""):
        spent = time.monotonic() - self.begun
        text = f"{self.count - len(self.open)}/{self.count} runs"
        text += f", {self.kept} kept" if self.kept else ""
        text += f", {self.failed} failed" if self.failed else ""
        text += f", {span(spent)}"
        if self.open and self.done:
            text += f", about {span(self.left(spent))} left"
        return text + (f": {what}" if what else "")

    def show(self, what=""):
        if self.live:
            print(f"\r\033[K{self.line(what)[:150]}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self.told >= EVERY:
            self.told = time.monotonic()
            print(f"warpref study: {self.line(what)}", file=sys.stderr, flush=True)

    def finish(self):
        if self.live:
            print("\r\033[K", end="", file=sys.stderr)
        if self.count:
            print(f"warpref study: {self.line()}", file=sys.stderr, flush=True)
