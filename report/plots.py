# SPDX-License-Identifier: Apache-2.0
"""Plots in the page: SVG files put into it, and small ones of our own.

A file is read as XML and written anew: ids get a prefix, for two plots may have the same; rules of style hold for
their plot alone; what would run or fetch something does not come along.
"""
import html
import re
import xml.etree.ElementTree as tree

from trouble import Damaged, regular

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
DROPPED = {"metadata", "script", "foreignObject", "animate", "animateTransform", "animateMotion", "set", "a", "iframe"}
# Of a run's samples, what tells most; else the first ones of the file.
MAIN = ["sm.issued", "sched.stall.memory", "l1.misses", "l2.misses", "dram.read_bytes", "dram.write_bytes",
        "sm.stops", "ctx.write_bytes", "ctx.read_bytes"]
MOST = 9
WIDE, HIGH = 300, 80


def local(name):
    return name.rsplit("}", 1)[-1] if isinstance(name, str) else ""


def inline(path, prefix, title):
    """The SVG of a file, to be put into HTML."""
    try:
        return written(root_of(path), prefix, title)
    except RecursionError:
        raise Damaged("is nested too deeply") from None


def root_of(path):
    regular(path)
    try:
        root = tree.fromstring(path.read_bytes())
    except OSError as error:
        raise Damaged(error.strerror or str(error)) from None
    except (tree.ParseError, ValueError, LookupError) as error:
        raise Damaged(f"is no SVG: {error}") from None
    if root.tag != f"{{{SVG}}}svg":
        raise Damaged("is no SVG")
    return root


def written(root, prefix, title):
    tree.register_namespace("", SVG)
    tree.register_namespace("xlink", XLINK)
    for child in [c for c in root if local(c.tag) in ("title", "desc")]:
        root.remove(child)  # the page says what the plot shows
    clean(root, prefix)
    if "viewBox" not in root.attrib:
        sizes = [re.fullmatch(r"([0-9.]+)(px|pt)?", root.get(side, "")) for side in ("width", "height")]
        if not all(sizes):
            raise Damaged("has no size")
        root.set("viewBox", f"0 0 {sizes[0][1]} {sizes[1][1]}")
    for side in ("width", "height", "style", "class"):
        root.attrib.pop(side, None)
    root.set("id", prefix)
    root.set("role", "img")
    root.set("aria-label", title)
    return tree.tostring(root, encoding="unicode")


def clean(element, prefix):
    """Everything below an element, and itself."""
    for child in list(element):
        dropped = local(child.tag) in DROPPED
        if not dropped:
            clean(child, prefix)
        if dropped or local(child.tag) in ("use", "image") and "href" not in map(local, child.attrib):
            element.remove(child)
    if local(element.tag) == "style":
        element.text = scoped(element.text or "", prefix)
    for key, value in list(element.attrib.items()):
        name = local(key).lower()
        if name.startswith("on") or name == "href" and not re.match(r"#|data:image/(png|jpeg);", value):
            del element.attrib[key]
        elif name == "id":
            element.set(key, f"{prefix}-{value}")
        elif name == "href" and value.startswith("#"):
            element.set(key, f"#{prefix}-{value[1:]}")
        elif name.startswith("aria-") and name.endswith("by"):
            element.set(key, " ".join(f"{prefix}-{word}" for word in value.split()))
        else:
            element.set(key, within(value, prefix))


def within(value, prefix):
    """A value whose url() are those of the plot; others go, and so does a value with escapes, which may hide one."""
    return "" if "\\" in value else re.sub(r"url\(\s*['\"]?(#?)([^)'\"]*)['\"]?\s*\)",
                  lambda m: f"url(#{prefix}-{m[2]})" if m[1] else "none", value)


def scoped(rules, prefix):
    """A style sheet that holds below #prefix alone; of rules that begin with @ nothing is kept."""
    rules = re.sub(r"/\*.*?\*/", "", rules, flags=re.S)
    found = re.findall(r"([^{}@;]+)\{([^{}]*)\}", rules)
    return "".join(", ".join(f"#{prefix} {name.strip()}" for name in names.split(",")) + f"{{{within(body, prefix)}}}"
                   for names, body in found)


def short(value):
    """Four digits or so, for the edge of a plot."""
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if sign == 'k' else size):.3g} {sign}"
    return f"{value:.3g}"


def samples(found):
    """(plots, names that stay out because they are all zero, how many more there are) of a file of samples."""
    names = [n for n in MAIN if n in found["columns"]] or list(found["columns"])
    live = [n for n in names if any(found["columns"][n])]
    plots = [curve(name, found["cycles"], found["columns"][name]) for name in live[:MOST]]
    return plots, [n for n in names if n not in live], len(found["columns"]) - len(names) + len(live[MOST:])


def curve(name, cycles, growth):
    """What a counter grows by in a cycle, over time, as steps."""
    starts, end = [0, *cycles[:-1]], cycles[-1]
    rates = [g / (b - a) for g, a, b in zip(growth, starts, cycles)]
    most = max(rates)
    steps = "".join(f"V{HIGH - HIGH * rate / most:.1f}H{WIDE * at / end:.1f}" for rate, at in zip(rates, cycles))
    said = html.escape(f"{name} in a cycle, up to {short(most)}, from cycle 0 to {end:,}", quote=True)
    return (f'<figure><figcaption><code>{html.escape(name)}</code> in a cycle</figcaption>'
            f'<svg class="curve" viewBox="-40 -8 {WIDE + 48} {HIGH + 28}" role="img" aria-label="{said}">'
            f'<path class="axis" d="M0 0V{HIGH}H{WIDE}"/><path class="area" d="M0 {HIGH}{steps}V{HIGH}Z"/>'
            f'<path class="line" d="M0 {HIGH}{steps}"/>'
            f'<text x="-4" y="4" text-anchor="end">{short(most)}</text>'
            f'<text x="-4" y="{HIGH}" text-anchor="end">0</text>'
            f'<text x="{WIDE}" y="{HIGH + 15}" text-anchor="end">cycle {end:,}</text></svg></figure>')


def strip(value, paper, band):
    """Ours (dot), the paper's (ring) and the band that is asked for (bar) on one line; "" where nothing is beside
    ours."""
    band = [b for b in band or [] if b is not None] if isinstance(band, list) else []
    paper = [paper] if isinstance(paper, (int, float)) else []
    if value is None or not (paper or band):
        return ""
    marks = [value, *paper, *band]
    low, high = min(0, *marks), max(0, *marks)
    if low == high:
        return ""

    def x(at):
        return f"{6 + 128 * (at - low) / (high - low):.1f}"

    out = '<svg class="strip" viewBox="0 0 140 16" aria-hidden="true"><path class="axis" d="M6 8H134"/>'
    out += f'<path class="axis" d="M{x(0)} 4v8"/>'
    if len(band) == 2:
        out += f'<path class="band" d="M{x(band[0])} 8H{x(band[1])}"/>'
    out += "".join(f'<circle class="paper" cx="{x(p)}" cy="8" r="4.5"/>' for p in paper)
    return out + f'<circle class="ours" cx="{x(value)}" cy="8" r="3.5"/></svg>'
