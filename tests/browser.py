"""A headless Chromium, driven over a pipe: open pages, run scripts in them, take pictures, note the
addresses that they ask for.

It speaks the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/), with nothing
to install beside the browser."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
from select import select
from time import monotonic, sleep

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60  # seconds
OPTIONS = (
    *(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--remote-debugging-pipe",
        "--no-first-run",
    ),
    *(
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-extensions",
    ),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb"),
)


def program():
    """Find the browser on this machine, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of a browser.

    Attributes
    ----------
    messages : list of str
        Lines that the page wrote to the console, and errors.
    requests : list of str
        Addresses that it asked for.
    """

    def __init__(self):
        from fcntl import F_DUPFD, fcntl  # Windows has none

        self._folder = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()

        def join():  # in the child: the browser reads from 3 and writes to 4
            # Copies first: either end may itself be 3 or 4.
            ends = [fcntl(end, F_DUPFD, 5) for end in (to_read, to_write)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            [program(), *OPTIONS, f"--user-data-dir={self._folder.name}", "about:blank"],
            preexec_fn=join,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._rest, self._number, self._session = b"", 0, None
        self.messages, self.requests, self._events = [], [], []
        (target,) = [
            t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page"
        ][:1]
        self._session = self.send(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )["sessionId"]
        for part in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{part}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The browser ends its other processes when it is asked to end, or when nobody speaks to it.
        self._write({"id": 0, "method": "Browser.close"})
        os.close(self._to)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._from)
        self._folder.cleanup()

    def _message(self):
        end = monotonic() + PATIENCE
        while b"\0" not in self._rest:
            if not select([self._from], [], [], max(0, end - monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._from, 1 << 20)
            if not data:
                raise OSError("the browser has ended")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(line)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.messages.append(
                " ".join(str(a.get("value", a.get("description"))) for a in params["args"])
            )
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.messages.append(
                str(details.get("exception", {}).get("description", details["text"]))
            )
        elif method == "Log.entryAdded":
            self.messages.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        if method:
            self._events.append(method)
        return message

    def _write(self, asked):
        data = json.dumps(asked).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]

    def send(self, method, **params):
        """Ask the browser for something, and wait for its answer."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        self._write(asked)
        while True:
            message = self._message()
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def open(self, path, width=1280, height=900):
        """Open a file, and wait until its scripts are done."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.send(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "light"}],
        )
        del self.messages[:], self.requests[:], self._events[:]
        self.send("Page.navigate", url=path.resolve().as_uri())
        while "Page.loadEventFired" not in self._events:
            self._message()
        self.drawn()

    def drawn(self):
        """Wait until no part of the page, or of a frame in it that can be looked into, is being
        drawn.
        """
        end = monotonic() + PATIENCE
        inside = (
            "Array.from(frames, frame => { try { return frame.document; } catch { return null; } })"
        )
        while self.run(
            f"[document, ...{inside}].some(each => each && each.querySelector('[aria-busy=true]'))"
        ):
            if monotonic() > end:
                raise TimeoutError("a picture is never done")
            sleep(0.01)

    def run(self, script):
        """Return the value of an expression in the page."""
        found = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"]["exception"].get("description"))
        return found["result"].get("value")

    def count(self, selector, document="document"):
        """Count the elements of the page, or of the document of a frame, that a selector finds."""
        return self.run(f"{document}.querySelectorAll({json.dumps(selector)}).length")

    def text(self, selector):
        """Return the text of the first element that a selector finds, as it is shown."""
        return self.run(f"document.querySelector({json.dumps(selector)}).innerText")

    def press(self, key):
        """Press a key on the element that has the focus."""
        code = {"Enter": 13, "Tab": 9, "ArrowRight": 39, "ArrowDown": 40}[key]
        more = {"text": "\r"} if key == "Enter" else {}
        self.send(
            "Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **more
        )
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def picture(self, path, whole=True):
        """Write a PNG of the page."""
        data = self.send("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))
