# SPDX-License-Identifier: Apache-2.0
"""The timeline of an SM: intervals of warp states (`warpref run --timeline`) as SVG.

A row is a warp slot, a column of the picture some cycles. A column of a row has the colour of the state in which the
warp is longest in these cycles: what is shorter cannot be seen there. The band beneath and the sums beside the names
are exact: they add up all cycles of all intervals.
"""
import csv

from trouble import Damaged

HEAD = "sm,warp,from,to,state"
# In the order of the legend: from work to nothing.
STATES = {"ready": "may issue", "arithmetic": "waits for arithmetic", "memory": "waits for memory",
          "fetch": "waits for instructions", "membar": "waits for its stores", "barrier": "waits at a barrier",
          "stopped": "stopped at a preemption point", "placed": "placed, not resumed",
          "done": "done, its thread block is not", "empty": "no warp"}
COLUMNS, ROW, BAND, LEFT, TOP, FOOT = 960, 9, 60, 44, 8, 34


def take(row, warps, sms, sm):
    """One line of a file, into `warps` where it is of the SM that is wanted. ValueError: it is no interval."""
    of, warp, start, end = (int(cell) for cell in row[:4])
    if len(row) != 5 or row[4] not in STATES or start >= end:
        raise ValueError
    sms.add(of)
    # Without a wish the lowest SM, which may not come first in the file.
    if sm is None and of < min(warps, default=(of + 1, 0))[0]:
        warps.clear()
    if of == sm or sm is None and of == min(sms):
        warps.setdefault((of, warp), []).append((start, end, row[4]))


def read(path, sm):
    """The intervals of one SM of a file: {"sm", "sms", "from", "to", "warps": {warp: [(from, to, state)]}}."""
    warps, sms = {}, set()
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        try:
            for row in rows:
                take(row, warps, sms, sm)
        except (ValueError, csv.Error) as error:
            raise Damaged(f"line {rows.line_num}: is no interval" + (f": {error}" if isinstance(error, csv.Error) else "")) from None
    if not warps:
        raise Damaged("holds no interval" + (f" of SM {sm}" if sms else ""))
    shown = {warp: sorted(intervals) for (_, warp), intervals in sorted(warps.items())}
    for warp, intervals in shown.items():
        for before, after in zip(intervals, intervals[1:]):
            if before[1] != after[0]:
                raise Damaged(f"warp {warp}: an interval ends at cycle {before[1]}, the next begins at {after[0]}")
    edges = {(i[0][0], i[-1][1]) for i in shown.values()}
    if len(edges) != 1:
        raise Damaged("not all warps have the same cycles; the file has been cut off")
    (start, end), = edges
    return {"path": path, "sm": min(warps)[0], "sms": sorted(sms), "from": start, "to": end, "warps": shown}


def sums(line):
    """Cycles of all warps by state, in the order of the legend, of those that occur."""
    out = dict.fromkeys(STATES, 0)
    for intervals in line["warps"].values():
        for start, end, state in intervals:
            out[state] += end - start
    return {state: cycles for state, cycles in out.items() if cycles}


def columns_of(line):
    return min(COLUMNS, line["to"] - line["from"])


def shares(intervals, start, length, columns):
    """By column the cycles of each state. Column c is from start + c * length / columns on; in units of
    1 / columns of a cycle all of it is whole numbers."""
    out = [{} for _ in range(columns)]
    for begin, end, state in intervals:
        at, last = (begin - start) * columns, (end - start) * columns
        while at < last:
            column = at // length
            step = min(last, (column + 1) * length) - at
            out[column][state] = out[column].get(state, 0) + step
            at += step
    return out


def ticks(start, end):
    """Round numbers from start to end, ten at most."""
    step = 1
    while (end - start) / step > 10:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    first = -(-start // step) * step
    return list(range(first, end + 1, step))


def svg(line, name):
    """The picture. Colours come from the page's style sheet, by class."""
    columns, length = columns_of(line), line["to"] - line["from"]
    wide, high = COLUMNS / columns, ROW * len(line["warps"])
    paths, all_shares = {state: [] for state in STATES}, [{} for _ in range(columns)]
    for row, intervals in enumerate(line["warps"].values()):
        y = TOP + row * ROW + ROW / 2
        by_column = shares(intervals, line["from"], length, columns)
        longest = [max(STATES, key=lambda s, c=column: c.get(s, 0)) for column in by_column]
        for column, states in enumerate(by_column):
            for state, part in states.items():
                all_shares[column][state] = all_shares[column].get(state, 0) + part
        begin = 0
        for column in range(1, columns + 1):
            if column == columns or longest[column] != longest[begin]:
                paths[longest[begin]].append(f"M{begin * wide:g} {y:g}h{(column - begin) * wide:g}")
                begin = column
    out = [f'<svg class="timeline" viewBox="0 0 {LEFT + COLUMNS + 16} {TOP + high + BAND + FOOT}" role="img" '
           f'aria-labelledby="{name}-title"><title id="{name}-title">Warps of SM {line["sm"]} from cycle '
           f'{line["from"]:,} to {line["to"]:,}: what each does</title><g transform="translate({LEFT})">']
    out += [f'<path class="s-{state}" stroke-width="{ROW - 1}" d="{"".join(d)}"/>' for state, d in paths.items()
            if d]
    out += band(all_shares, len(line["warps"]) * length, TOP + high + 12, wide)
    for row, warp in enumerate(line["warps"]):
        if row % 4 == 0:
            out.append(f'<text x="-6" y="{TOP + row * ROW + ROW - 1}" text-anchor="end">{warp}</text>')
    foot = TOP + high + BAND
    out.append(f'<text x="-6" y="{foot - 18}" text-anchor="end">all</text>')
    for tick in ticks(line["from"], line["to"]):
        x = (tick - line["from"]) * COLUMNS / length
        anchor = "end" if x > COLUMNS - 30 else "start" if x < 20 else "middle"
        out.append(f'<path class="axis" d="M{x:.1f} {foot}v5"/><text x="{x:.1f}" y="{foot + 17}" '
                   f'text-anchor="{anchor}">{tick:,}</text>')
    out.append(f'<text x="{COLUMNS / 2}" y="{foot + 31}" text-anchor="middle">cycle</text></g></svg>')
    return "".join(out)


def band(all_shares, whole, top, wide):
    """Which part of all warps is in which state, over time: stacked, exact."""
    height, columns, out = BAND - 12, len(all_shares), []
    base = [top + height] * columns
    for state in STATES:
        if not any(state in column for column in all_shares):
            continue
        above = [b - height * column.get(state, 0) / whole
                 for b, column in zip(base, all_shares)]
        steps = [f"M0 {base[0]:.1f}"]
        for edge, order in ((above, range(columns)), (base, reversed(range(columns)))):
            last = None
            for column in order:
                x0, x1 = (column, column + 1) if edge is above else (column + 1, column)
                y = f"{edge[column]:.1f}"
                if y != last:
                    steps.append(f"H{x0 * wide:g}V{y}")
                last, end = y, x1
            steps.append(f"H{end * wide:g}")
        out.append(f'<path class="f-{state}" d="{"".join(steps)}Z"/>')
        base = above
    return out
