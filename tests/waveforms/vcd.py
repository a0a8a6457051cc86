# SPDX-License-Identifier: Apache-2.0
"""Reads waveforms for tests: VCD as it is, FST through gtkwave's fst2vcd."""
import pathlib
import re
import subprocess


class Wave:
    """widths: of each signal by its full name; changes: of each what it is from which time on, as text of binary digits
    without leading zeros, "x" before anything is known; times: first and last one."""

    def __init__(self, path):
        path = pathlib.Path(path)
        text = (path.read_text() if path.suffix == ".vcd" else
                subprocess.run(["fst2vcd", path], check=True, capture_output=True, text=True).stdout)
        head, body = text.split("$enddefinitions $end", 1)
        self.timescale = re.search(r"\$timescale\s+(\S+?)\s*(\S*)\s*\$end", head).groups()
        self.widths, self.changes, names, scopes = {}, {}, {}, []
        for word, rest in re.findall(r"\$(scope|upscope|var)\s(.*?)\s?\$end", head, re.S):
            fields = rest.split()
            if word == "scope":
                scopes.append(fields[1])
            elif word == "upscope":
                scopes.pop()
            else:
                name = ".".join([*scopes, re.sub(r"\[\d+:0\]$", "", "".join(fields[3:]))])
                assert name not in self.widths, f"{name} is there twice"
                self.widths[name] = int(fields[1])
                names.setdefault(fields[2], []).append(name)
                self.changes[name] = {}
        now, times = 0, []
        for token in re.findall(r"#\d+|\$\w+|b[01xz]+ \S+|[01xz]\S+", body):
            if token[0] == "#":
                now = int(token[1:])
                times.append(now)
            elif token[0] != "$":
                value, code = token[1:].split() if token[0] == "b" else (token[0], token[1:])
                assert code in names, f"{token}: no such signal"
                for name in names[code]:
                    self.changes[name][now] = "x" if "x" in value else value.lstrip("0") or "0"
        assert times == sorted(set(times)), "time goes back"
        self.times = (times[0], times[-1])
        for name, changes in self.changes.items():
            before = "x"
            for time in sorted(changes):
                if changes[time] == before:
                    del changes[time]
                else:
                    before = changes[time]

    def at(self, name, time):
        """The value at a time, as a number."""
        return int(self.changes[name][max(t for t in self.changes[name] if t <= time)], 2)
