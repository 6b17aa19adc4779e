"""A Chromium without a window, driven through its pipe (the DevTools protocol) by real input events: for tests of `visviva report`'s pages.

Needs no package of Python or of Node.js. `find()` says where the browser is, or None.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


KEYS = {" ": ("Space", 32), "ArrowLeft": ("ArrowLeft", 37), "ArrowRight": ("ArrowRight", 39), "Home": ("Home", 36), "End": ("End", 35), "Tab": ("Tab", 9)}


class Browser:
    """One page at a time. `messages`: what it said on its console, and errors that nobody caught."""

    def __init__(self, *flags):
        self.folder = tempfile.mkdtemp(prefix="chromium-")
        to_child, ours = os.pipe()
        theirs, from_child = os.pipe()

        def hand_over():  # the browser reads descriptor 3 and writes 4
            os.dup2(to_child, 13)
            os.dup2(from_child, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)
        arguments = [find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu-sandbox", "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run", "--disable-extensions", "--disable-component-update",
                     "--disable-background-networking", "--disable-dev-shm-usage", "--disable-features=BackForwardCache", # a page that was left keeps no workers
                     f"--user-data-dir={self.folder}", *flags, "about:blank"]
        self.process = subprocess.Popen(arguments, close_fds=False, preexec_fn=hand_over, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.to, self.back, self.rest, self.number = ours, theirs, b"", 0
        self.messages, self.events = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        os.close(self.to)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.rest:
            part = os.read(self.back, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.rest += part
        line, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(line)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.messages.append(params["exceptionDetails"].get("exception", {}).get("description", params["exceptionDetails"]["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.messages.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.messages.append(params["entry"]["text"])
        if method:
            self.events.append((method, params))
        return message

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def size(self, width, height, dark=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def scripts(self, on):
        self.call("Emulation.setScriptExecutionDisabled", value=not on)

    def open(self, path, ready="document.documentElement.dataset.ready"):
        """The page, a file or an address, when its script has said that it is ready; what it says. `ready` None: without waiting for that."""
        self.events.clear()
        self.call("Page.navigate", url=path if path.startswith("http:") else "file://" + os.path.abspath(path))
        while not any(method == "Page.loadEventFired" for method, _ in self.events):
            self.receive()
        return self.until(ready) if ready else None

    def until(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.value(expression)
            if value:
                return value
            time.sleep(0.03)
        raise RuntimeError(f"after {seconds} s there is no {expression}; console: {self.messages}")

    def value(self, expression):
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"].get("exception", {}).get("description", expression))
        return found["result"].get("value")

    def pictures(self, count=2):
        """Waits until the page has been drawn so many times more."""
        self.value(f"new Promise(done => {{ let left = {count}; const next = () => left-- ? requestAnimationFrame(next) : done(true); next(); }})")

    def place(self, selector, x=0.5, y=0.5):
        """Where an element is in the window, scrolled to: a part of its width and height."""
        self.value(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{ block: 'center', behavior: 'instant' }})")
        self.pictures(1)
        box = self.value(f"(r => [r.left, r.top, r.width, r.height])(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")
        return box[0] + x * box[2], box[1] + y * box[3]

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, selector, x=0.5, y=0.5):
        self.mouse("mouseMoved", *self.place(selector, x, y))
        self.pictures()

    def click(self, selector, x=0.5, y=0.5):
        at = self.place(selector, x, y)
        self.mouse("mouseMoved", *at)
        self.mouse("mousePressed", *at, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", *at, button="left", buttons=0, clickCount=1)
        self.pictures()

    def drag(self, selector, begin, end, steps=8, modifiers=0):
        a, b = self.place(selector, *begin), self.place(selector, *end)
        self.mouse("mouseMoved", *a)
        self.mouse("mousePressed", *a, button="left", buttons=1, clickCount=1, modifiers=modifiers)
        for i in range(1, steps + 1):
            self.mouse("mouseMoved", a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps, button="left", buttons=1, modifiers=modifiers)
        self.mouse("mouseReleased", *b, button="left", buttons=0, clickCount=1, modifiers=modifiers)
        self.pictures()

    def wheel(self, selector, by):
        self.mouse("mouseWheel", *self.place(selector), deltaX=0, deltaY=by)
        self.pictures()

    def key(self, key, modifiers=0):
        code, number = KEYS.get(key) or (f"Key{key.upper()}", ord(key.upper()))
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code, windowsVirtualKeyCode=number, modifiers=modifiers, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code, windowsVirtualKeyCode=number, modifiers=modifiers)
        self.pictures()

    def screenshot(self, path, whole=False):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))
