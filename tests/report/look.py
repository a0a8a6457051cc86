# SPDX-License-Identifier: Apache-2.0
"""What is looked at in a page, in a browser: it is quiet, fetches nothing, fits, its links lead somewhere, its
tables sort, and all of it is there without scripts and on paper."""
import pathlib

from browser import Browser

WIDTHS, SCHEMES, PAPER = (1280, 400), ("light", "dark"), 718  # paper: A4 within Chromium's margins

# Elements that stick out of the page, but for those in a box that scrolls or is cut.
TOO_WIDE = """(() => {
  const wide = document.documentElement.clientWidth, out = [];
  if (document.documentElement.scrollWidth > wide) out.push(`the page is ${document.documentElement.scrollWidth}`);
  for (const e of document.body.querySelectorAll("*")) {
    if (e.getBoundingClientRect().right <= wide + 1 || e.closest("svg svg, svg *")) continue;
    let box = e.parentElement;
    while (box && getComputedStyle(box).overflowX === "visible") box = box.parentElement;
    if (!box) out.push(`<${e.tagName.toLowerCase()} class="${e.getAttribute("class") ?? ""}">`);
  }
  return out.slice(0, 5);
})()"""
IDS_TWICE = """(() => { const seen = new Set();
  return [...document.querySelectorAll("[id]")].map(e => e.id).filter(i => seen.size === seen.add(i).size) })()"""
DEAD_LINKS = """[...document.querySelectorAll("a[href^='#'], use")].map(e => e.getAttribute("href") ??
  e.getAttribute("xlink:href") ?? "nothing").filter(h => !h.startsWith("#") || !document.getElementById(h.slice(1)))"""
# The rows of each table as texts, in the order in which they stand.
ROWS = """[...document.querySelectorAll("table")].map(t => [...t.tBodies[0].rows].map(r => r.innerText.trim()))"""
COLUMN = """[...document.querySelector("%s").tBodies[0].rows].map(r => r.cells[%d].textContent.trim())"""


def told(browser):
    """Errors and warnings of the page, and what it fetched, or would have where the network is off."""
    out = []
    stopped = {e["params"]["requestId"] for e in browser.events
               if e["method"] == "Network.loadingFailed" and e["params"].get("blockedReason") == "csp"}
    for event in browser.events:
        data, method = event["params"], event["method"]
        if method == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            out.append("console: " + " ".join(str(a.get("value", a.get("description"))) for a in data["args"]))
        elif method == "Runtime.exceptionThrown":
            out.append("exception: " + data["exceptionDetails"]["text"])
        elif method == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            out.append("log: " + data["entry"]["text"])
        elif method == "Network.requestWillBeSent" and data["requestId"] not in stopped and \
                not data["request"]["url"].startswith("data:"):
            out.append("fetches " + data["request"]["url"])
    return out


def sorts(browser, table, column, rising):
    """A click on a column's head sorts up, a second one down, with what has no value at the end."""
    out, head = [], f"{table} thead th:nth-child({column + 1})"
    values, gaps = [v for v in rising if v != "–"], [v for v in rising if v == "–"]
    for want, order in ((values + gaps, "ascending"), (values[::-1] + gaps, "descending")):
        browser.click(head)
        got = browser.value(COLUMN % (table, column))
        told_order = browser.value(f'document.querySelector("{head}").getAttribute("aria-sort")')
        if got != want or told_order != order:
            out.append(f"column {column} does not sort {order}: {got}, {told_order}")
    return out


def wrong_with(browser, path, shots=None, sort=()):
    """All that is wrong with a page; pictures go to the folder `shots`."""
    out, url = [], path.resolve().as_uri()

    def see(where, expression):
        found = browser.value(expression)
        out.extend(f"{where}: {what}" for what in found)

    for width in WIDTHS:
        for scheme in SCHEMES:
            browser.look(width, scheme=scheme)
            browser.go(url)
            fetched = [f"fetches {url}"]
            events = told(browser)
            out += [f"{width} {scheme}: {what}" for what in events if what not in fetched]
            if events.count(fetched[0]) != 1:
                out.append("the network was not watched")
            see(f"{width} {scheme}: too wide", TOO_WIDE)
            if shots:
                browser.shoot(shots / f"{width}.{scheme}.png")
        browser.value("document.querySelectorAll('details').forEach(d => { d.open = true })")
        see(f"{width}, all opened: too wide", TOO_WIDE)
    see("id that is there twice", IDS_TWICE)
    see("link to nothing", DEAD_LINKS)
    with_scripts = browser.value(ROWS)
    browser.look(1280)
    browser.go(url)
    if browser.value("document.querySelectorAll('th button').length") == 0:
        out.append("no table sorts")
    for table, column, rising in sort:
        out += sorts(browser, table, column, rising)
    browser.look(1280, scripts=False)
    browser.go(url)
    if browser.value("document.querySelectorAll('th button').length") != 0:
        out.append("scripts were not off")
    plain = browser.value(ROWS)
    if not plain or [len(t) for t in plain] != [len(t) for t in with_scripts]:
        out.append("without scripts rows are missing")
    browser.look(PAPER)
    browser.send("Emulation.setEmulatedMedia", media="print")
    browser.go(url)
    see("on paper: too wide", TOO_WIDE)
    browser.send("Emulation.setEmulatedMedia", media="")
    pdf = (shots or path.parent) / "page.pdf"
    browser.print(pdf)
    pages = pdf.read_bytes().count(b"/Type /Page\n")
    if not pdf.read_bytes().startswith(b"%PDF") or pages < 1:
        out.append("printed, it has no page")
    return out


def look(path, shots=None, sort=()):
    with Browser() as browser:
        return wrong_with(browser, pathlib.Path(path), shots, sort)
