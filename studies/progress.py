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
    """`weights`: of each run that is awaited, how long it took the last time, where that is known."""

    def __init__(self, weights, kept):
        known = [w for w in weights.values() if w is not None]
        usual = sum(known) / len(known) if known else 1
        self.weights = {run: usual if w is None else max(w, 0.01) for run, w in weights.items()}
        self.whole, self.kept = sum(self.weights.values()), kept
        self.done, self.failed, self.ended = 0.0, 0, 0
        self.begun = self.told = time.monotonic()
        self.live = sys.stderr.isatty()

    def end(self, run, failed=False):
        self.done += self.weights.get(run, 0)
        self.ended += 1
        self.failed += failed

    def line(self, what=""):
        spent, count = time.monotonic() - self.begun, len(self.weights)
        text = f"{self.ended}/{count} runs"
        text += f", {self.kept} kept" if self.kept else ""
        text += f", {self.failed} failed" if self.failed else ""
        text += f", {span(spent)}"
        if self.done and self.ended < count:
            text += f", about {span(spent * (self.whole / self.done - 1))} left"
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
        if self.weights:
            print(f"warpref study: {self.line()}", file=sys.stderr, flush=True)
