# SPDX-License-Identifier: Apache-2.0
"""Whole waveforms, VCD and FST alike, for tests that compare them."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "area"))
import vcd  # noqa: E402


class Wave:
    """widths: of each signal by its full name; changes: of each by time what it is from then on, digits without leading
    zeros, or x, which it is before the first; times: of the first and the last; repeats: how many changes change nothing."""

    def __init__(self, path):
        lines, process = vcd.lines_of(pathlib.Path(path), "wave")
        variables = vcd.declared(lines)
        codes, times, now, self.repeats = {}, [], {}, 0
        for code, time, text in ((c, t, x) for t, c, x in vcd.changes(lines)):
            if code is None:
                assert not times or time > times[-1], "time goes back"
                times.append(time)
            else:
                self.repeats += now.get(code) == text
                now[code] = text
                codes.setdefault(code, {})[time] = "x" if "x" in text else text.lstrip("0") or "0"
        if process is not None and process.wait() != 0:
            raise ValueError(f"{path}: fst2vcd cannot read it")
        names = {v.code: ".".join((*v.scope, v.name)) for v in variables}
        assert len(set(names.values())) == len(variables) and set(codes) <= set(names), "names and codes"
        self.times = (times[0], times[-1])
        self.widths = {names[v.code]: v.width for v in variables}
        self.changes = {name: self.differing(codes.get(code, {})) for code, name in names.items()}

    @staticmethod
    def differing(changes):
        out, before = {}, "x"
        for time, value in changes.items():
            if value != before:
                out[time] = before = value
        return out

    def at(self, name, time):
        """The value at a time, as a number."""
        return int(self.changes[name][max(t for t in self.changes[name] if t <= time)], 2)
