# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium, spoken to in its DevTools protocol over two pipes: JSON texts that end with a zero byte."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

SECONDS = 120  # without an answer: the browser is gone
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe"]


class Gone(Exception):
    """The browser does not start, does not answer, or refuses."""


class Browser:
    """One browser with one page. `events` holds what has been told since the last `go`."""

    def __init__(self):
        program = shutil.which("chromium")
        if program is None:
            raise Gone("chromium is not installed; install Debian's chromium")
        self.home = tempfile.TemporaryDirectory(prefix="warpref-chromium-")
        read, self.to = os.pipe()
        self.back, write = os.pipe()
        # Chromium reads from 3 and writes to 4, which must not be one of these ends.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (read, write)]
        self.process = subprocess.Popen([program, *FLAGS, f"--user-data-dir={self.home.name}", "about:blank"],
                                        preexec_fn=lambda: (os.dup2(ends[0], 3), os.dup2(ends[1], 4)),
                                        close_fds=False, start_new_session=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (read, write, *ends):
            os.close(end)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)  # it ends at the end of its input
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.back)
        self.home.cleanup()

    def message(self):
        end = time.monotonic() + SECONDS
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.back], [], [], max(0, end - time.monotonic()))
            part = os.read(self.back, 1 << 20) if ready else b""
            if not part:
                raise Gone("chromium does not answer")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, **parameters):
        self.number += 1
        call = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.to, json.dumps(call).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise Gone(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def look(self, width, height=900, scheme="light", scripts=True):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)

    def go(self, url):
        self.events = []
        self.send("Page.navigate", url=url)
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            self.events.append(self.message())

    def value(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise Gone(f"{expression[:60]}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def click(self, selector):
        """Presses the mouse in the middle of the first element of a selector."""
        x, y = self.value(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView("
                          "{block: 'center', inline: 'center'}); const r = e.getBoundingClientRect(); "
                          "return [r.x + r.width / 2, r.y + r.height / 2] })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def shoot(self, path):
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def print(self, path):
        path.write_bytes(base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"]))
