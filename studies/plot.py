# SPDX-License-Identifier: Apache-2.0
"""The plot of a study, by matplotlib: PNG and SVG of the same picture.

It is read without the text: title is the question, axes have units, the legend names the series, points bear
their label, and the paper's values are dashed lines, or diamonds where they belong to one bar, with their source.
The same table makes the same bytes.
"""
import math
import textwrap

import replace

COLOURS = ["#1f77b4", "#d95f02", "#2a9d63", "#7b5ea7", "#c23b5a", "#8c6d31", "#4d4d4d", "#17a2b8"]
MARKS = "osD^vP*X"
WIDTH, PANEL = 12, 6.2  # inches
GROUP = 0.8  # of the room of a group of bars
MARKED = 60  # points of a line that are still told apart


def library():
    """matplotlib, set so that the same table makes the same file."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot
    matplotlib.rcParams.update({"svg.hashsalt": "warpref", "font.size": 11, "axes.spines.top": False,
                                "axes.spines.right": False, "axes.grid": True, "grid.color": "#dddddd",
                                "axes.axisbelow": True, "savefig.dpi": 100})
    return matplotlib.pyplot


def halo():
    """White around a text that a line may cross."""
    from matplotlib.patheffects import withStroke
    return [withStroke(linewidth=2.5, foreground="white")]


def grouped(axis):
    """Ticks as 10,000."""
    from matplotlib.ticker import FuncFormatter
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def complete(plot, rows, judged):
    """Rows that have all values that the plot needs, and those of `only`; bars do with gaps. Of a plot of findings
    those that have a place in it."""
    if plot["kind"] == "findings":
        return [j for j in judged if j.finding.at is not None and j.value is not None]
    rows = [row for row in rows if all(row[name] == value for name, value in plot.get("only", {}).items())]
    needed = [plot["x"], *(plot["y"] if plot["kind"] in ("lines", "map") else [])]
    return [row for row in rows if all(row[name] is not None for name in needed)
            and any(row[name] is not None for name in plot["y"])]


def lines(axes, study, plot, rows):
    """A line of points for each series."""
    (y,), series = plot["y"], {}
    for row in rows:
        series.setdefault(row[plot["series"]] if "series" in plot else None, []).append(row)
    for i, (name, some) in enumerate(series.items()):
        points = [(row[plot["x"]], row[y]) for row in some]
        colour, again = COLOURS[i % len(COLOURS)], i // len(COLOURS)
        few = len(points) <= MARKED
        axes.plot(*zip(*points), color=colour, marker=MARKS[(i + again) % len(MARKS)] if few else None, markersize=6,
                  linewidth=1.8 if few else 1.1, linestyle=("-", "--", ":")[again % 3],
                  label=study.columns[y].title if name is None else str(name))
        for n, (row, point) in enumerate(zip(some, points) if "label" in plot else ()):
            right = n % 2 == 0  # by turns: neighbours are often close
            axes.annotate(str(row[plot["label"]]), point, (7, -9) if right else (-7, 5), color=colour, fontsize=9,
                          textcoords="offset points", ha="left" if right else "right", path_effects=halo())
    axes.margins(x=0.14 if "label" in plot else 0.08, y=0.08)


def of_findings(axes, plot, judged):
    """A line for each series of findings, at their places."""
    series = {}
    for j in judged:
        series.setdefault(j.finding.series, []).append((j.finding.at, j.value))
    for i, (name, points) in enumerate(series.items()):
        axes.plot(*zip(*sorted(points)), color=COLOURS[i % len(COLOURS)], marker=MARKS[i % len(MARKS)], label=name)
    axes.set_xlabel(plot["x"])
    axes.set_ylabel(plot["y"][0])
    legend(axes)


def legend(axes, title=None):
    axes.legend(title=title, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=10, alignment="left")


def bars(axes, study, plot, rows):
    """Groups of bars, or stacks: a group for each row, a bar for each column of y."""
    names, stacked = plot["y"], plot["kind"] == "stacked"
    width = GROUP if stacked else GROUP / len(names)
    base = [0.0] * len(rows)
    for i, name in enumerate(names):
        at = [n + (0 if stacked else offset(i, len(names))) for n in range(len(rows))]
        values = [row[name] if row[name] is not None else math.nan for row in rows]
        axes.bar(at, values, width, bottom=base if stacked else None, color=COLOURS[i % len(COLOURS)],
                 edgecolor="white", linewidth=0.5, label=study.columns[name].title)
        base = [b + (0 if math.isnan(v) else v) for b, v in zip(base, values)]
    texts = [str(row[plot["x"]]) for row in rows]
    turned = 90 if len(texts) > 30 else 40 if sum(map(len, texts)) > 70 else 0
    axes.set_xticks(range(len(rows)), texts, rotation=turned, ha="right" if turned else "center",
                    va="center" if turned == 90 else "top", rotation_mode="anchor" if turned else "default",
                    fontsize=9 if turned == 90 else 11)
    axes.set_xlim(-0.6, len(rows) - 0.4)
    axes.grid(False, axis="x")


def map_of(axes, study, plot, rows):
    """A cell for each x and series, coloured by y and with its value in it; the largest in bold."""
    (y,) = plot["y"]
    across, up = (sorted({row[plot[key]] for row in rows}) for key in ("x", "series"))
    values = [[math.nan] * len(across) for _ in up]
    for row in rows:
        values[up.index(row[plot["series"]])][across.index(row[plot["x"]])] = row[y]
    image = axes.imshow(values, origin="lower", aspect="auto", cmap="viridis")
    axes.figure.colorbar(image, ax=axes, label=study.columns[y].heading)
    most, middle = max(row[y] for row in rows), sum(image.get_clim()) / 2
    for n, line in enumerate(values):
        for m, value in enumerate(line):
            if not math.isnan(value):
                axes.annotate(f"{value:.{study.columns[y].digits or 2}f}", (m, n), ha="center", va="center", fontsize=9,
                              color="white" if value < middle else "black",
                              fontweight="bold" if value == most else "normal")
    axes.set_xticks(range(len(across)), [f"{value:,.10g}" for value in across])
    axes.set_yticks(range(len(up)), [f"{value:,.10g}" for value in up])
    axes.grid(False)
    axes.set_xlabel(study.columns[plot["x"]].heading)
    axes.set_ylabel(study.columns[plot["series"]].heading)


def paper(axes, plot, rows):
    """Its values: those of a point or of a bar as hollow marks, others as lines. One text, one entry of the legend."""
    texts, at = {}, {str(row[plot["x"]]): n for n, row in enumerate(rows)}
    for line in plot.get("paper", []):
        n = texts.setdefault((line["text"], "x" in line), len(texts))
        known = n < len(texts) - 1 or any(t.get_label() == wrapped(line) for t in axes.get_lines())
        style = {"color": "black", "label": None if known else wrapped(line)}
        if "x" in line:
            where = line["x"] if plot["kind"] == "lines" else at.get(str(line["x"]))
            if where is None:
                continue
            if plot["kind"] == "bars" and "of" in line:
                where += offset(plot["y"].index(line["of"]), len(plot["y"]))
            axes.plot([where], [line["at"]], linestyle="none", marker="Ds^v"[n % 4], markersize=8, markeredgewidth=1.6,
                      markerfacecolor="none", **style)
        else:
            draw = axes.axhline if line["axis"] == "y" else axes.axvline
            draw(line["at"], linestyle=["--", ":", "-."][n % 3], linewidth=1.4, **style)


def wrapped(line):
    return textwrap.fill(line["text"], 60)


def offset(i, count):
    """Of bar i of a group from its middle."""
    return (i - (count - 1) / 2) * GROUP / count


def ticks(axes, plot, rows):
    """Of an axis of numbers: at whole ones where all are whole; with a logarithmic one at the points."""
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator
    values = sorted({row[plot["x"]] for row in rows})
    if "x" in plot.get("log", "") and len(values) <= 12:
        axes.xaxis.set_major_locator(FixedLocator(values))
        axes.xaxis.set_minor_locator(NullLocator())
    elif all(isinstance(value, int) for value in values):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def panel(axes, study, plot, rows):
    if plot["kind"] == "findings":
        of_findings(axes, plot, rows)
        return
    of = study.columns
    only = ", ".join(f"{of[name].title} {value}" for name, value in plot.get("only", {}).items())
    axes.set_title(only, fontsize=11, loc="left")
    if plot["kind"] == "map":
        map_of(axes, study, plot, rows)
        return
    (lines if plot["kind"] == "lines" else bars)(axes, study, plot, rows)
    for axis in plot.get("log", ""):
        getattr(axes, f"set_{axis}scale")("log")
    if plot["kind"] != "lines" and "y" not in plot.get("log", ""):
        axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
    grouped(axes.yaxis)
    if plot["kind"] == "lines":
        ticks(axes, plot, rows)
        grouped(axes.xaxis)
    paper(axes, plot, rows)
    axes.set_xlabel(of[plot["x"]].heading)
    axes.set_ylabel(plot.get("y_title") or of[plot["y"][0]].heading)
    title = of[plot["series"]].heading if "series" in plot else ""
    title += ("; " if title else "") + f"at the points: {of[plot['label']].heading}" if "label" in plot else ""
    if "series" in plot or len(plot["y"]) > 1 or plot.get("paper"):
        legend(axes, title or None)
    elif title:
        axes.set_title("; ".join(filter(None, (only, title))), fontsize=10, loc="left")


def draw(study, rows, judged, folder, name):
    """NAME.png and NAME.svg below folder; False where there is no point to draw."""
    panels = [(plot, some) for plot in study.plots if (some := complete(plot, rows, judged))]
    if not panels:
        return False
    pyplot = library()
    height = (PANEL if len(panels) < 3 else 0.65 * PANEL) * len(panels)
    figure, axes = pyplot.subplots(len(panels), figsize=(WIDTH, height), squeeze=False)
    for at, (plot, some) in zip(axes[:, 0], panels):
        panel(at, study, plot, some)
    title = textwrap.wrap(f"{study.name}: {study.question}", 95)
    figure.suptitle("\n".join(title), x=0.01, y=1, va="top", ha="left", fontsize=13, fontweight="bold")
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.1 / height))
    for kind in ("png", "svg"):
        replace.write(folder / f"{name}.{kind}", lambda part, kind=kind: figure.savefig(
            part, format=kind, metadata={"Date": None} if kind == "svg" else {"Software": None}, bbox_inches="tight",
            pad_inches=0.15))
    pyplot.close(figure)
    return True
