# SPDX-License-Identifier: Apache-2.0
"""The plot of a study, by gnuplot: PNG and SVG of the same script, and the script itself.

It is read without the text: title is the question, axes have units, the legend names the series, points bear
their label, and the paper's values are lines with their source.
"""
import shutil
import subprocess
import textwrap

from trouble import Trouble

TERMINALS = {"png": "pngcairo noenhanced size 1200,800 font 'sans,13'",
             "svg": "svg noenhanced size 1200,800 font 'sans,15' dynamic"}


def need():
    if shutil.which("gnuplot") is None:
        raise Trouble("gnuplot is not installed; install Debian's gnuplot-nox")


def quoted(text):
    """A string of gnuplot in which nothing is special but an end of line."""
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def block(name, lines):
    return f"${name} << END\n" + "".join(line + "\n" for line in lines) + "END\n"


def series_of(study, rows):
    """name -> rows, in order, of those that have all values the plot needs."""
    plot, out = study.plot, {}
    for row in rows:
        if all(row[n] is not None for n in [plot["x"], *plot["y"]]):
            out.setdefault(row[plot["series"]] if "series" in plot else "", []).append(row)
    return out


def lines(study, series):
    """A line of points for each series."""
    plot, (y,), out, drawn = study.plot, study.plot["y"], "", []
    for i, (name, rows) in enumerate(series.items(), 1):
        out += block(f"s{i}", [f'{r[plot["x"]]} {r[y]} {quoted(r[plot["label"]] if "label" in plot else "")}'
                               for r in rows])
        title = f"title {quoted(name)}" if name else "notitle"
        drawn.append(f"$s{i} using 1:2 with linespoints lw 2 pt {i + 3} ps 1.5 lc {i} {title}")
        if "label" in plot:
            # By turns on the right and on the left: neighbours are often close.
            drawn.append(f"$s{i} using 1:2:3 every 2 with labels left offset 0.8,-0.4 tc lt {i} notitle")
            drawn.append(f"$s{i} using 1:2:3 every 2::1 with labels right offset -0.8,0.4 tc lt {i} notitle")
    return out, drawn


def bars(study, series):
    """Groups of bars: a group for each row, a bar for each column of y."""
    plot = study.plot
    rows = [row for some in series.values() for row in some]
    out = block("s1", [" ".join([quoted(r[plot["x"]]), *(str(r[n]) for n in plot["y"])]) for r in rows])
    out += "set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.8 border -1\n"
    out += "set xtics rotate by -45 nomirror\nset bmargin 12\n"
    if "y" not in plot.get("log", ""):
        out += "set yrange [0:*]\n"
    drawn = [f"$s1 using {i + 2}:xtic(1) lc {i + 1} title {quoted(study.columns[n].title)}"
             for i, n in enumerate(plot["y"])]
    return out, drawn


def legend(study):
    """What the names beside the lines and the labels at the points are."""
    plot, of = study.plot, study.columns
    names = of[plot["series"]].heading if "series" in plot else ""
    points = f"at the points: {of[plot['label']].heading}" if "label" in plot else ""
    return "; ".join(filter(None, [names, points]))


def script(study, rows):
    plot, series = study.plot, series_of(study, rows)
    if not series:
        return None
    data, drawn = (lines if plot["kind"] == "lines" else bars)(study, series)
    heading = plot.get("y_title") or study.columns[plot["y"][0]].heading
    title = "\n".join(textwrap.wrap(f"{study.name}: {study.question}", 100))
    out = ["set encoding utf8", f"set title {quoted(title)}",
           f"set ylabel {quoted(heading)}", f"set xlabel {quoted(study.columns[plot['x']].heading)}",
           f"set key tmargin title {quoted(legend(study))}", "set grid", "set lmargin 12", "set rmargin 8"]
    if plot["kind"] == "lines":
        y = 0 if "y" in plot.get("log", "") else 0.05  # a logarithmic axis ends at a decade by itself
        out.append(f"set offsets graph 0.12, graph 0.12, graph {y}, graph {y}")
    if plot.get("log"):
        out.append(f"set logscale {plot['log']}")
    for line in plot.get("paper", []):
        if line["axis"] == "y":
            drawn.append(f"{line['at']} with lines dt 2 lw 2 lc 'black' title {quoted(line['text'])}")
        else:
            at = line["at"]
            out.append(f"set arrow from first {at}, graph 0 to first {at}, graph 1 nohead dt 2 lw 2")
            out.append(f"set label {quoted(line['text'])} at first {at}, graph 0.97 offset 1,0")
    return "\n".join(out) + "\n" + data, "plot " + ", \\\n     ".join(drawn) + "\n"


def draw(study, rows, folder):
    """NAME.png, NAME.svg and NAME.gp below folder; False where there is no point to draw."""
    made = script(study, rows)
    if made is None:
        return False
    text = made[0] + "".join(f"set terminal {how}\nset output '{study.name}.{kind}'\n{made[1]}unset output\n"
                             for kind, how in TERMINALS.items())
    (folder / f"{study.name}.gp").write_text(text)
    done = subprocess.run(["gnuplot", f"{study.name}.gp"], cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        raise Trouble(f"{study.name}: gnuplot: {said[-1]}; script: {folder / study.name}.gp", 1)
    return True
