"""A display that nobody sees, and visviva view in it, driven by real input events: for tests/program/test_view.py.

Nothing here waits for a time: always for something that can be seen, in a picture or a file, however long the machine takes.
"""
import ctypes
import json
import os
import pathlib
import random
import signal
import subprocess
import time

from pictures_support import PROGRAM, read_png

PATIENCE = 120  # s: a machine that is busy; nothing that passes waits so long
WIDTH, HEIGHT = 400, 300


def dies_with_us():
    """A child ends with this process, however that ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def wait_for(what, condition):
    """What the condition returns, once that is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited {PATIENCE} s in vain: {what}")


class Display:
    """Its number is one that no other server has: that of a screen of this odd size which answers."""
    def __init__(self):
        self.server = None
        for _ in range(20):
            number, width = random.randrange(200, 32000), random.randrange(640, 800)
            self.name = f":{number}"
            self.environment = {**os.environ, "DISPLAY": self.name, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
            for other in ("WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
                self.environment.pop(other, None)
            # -noreset: else it begins anew, deaf for a moment, when the last window closes
            self.server = subprocess.Popen(["Xvfb", self.name, "-screen", "0", f"{width}x480x24", "-nolisten", "tcp", "-noreset"], preexec_fn=dies_with_us,
                                           stderr=subprocess.DEVNULL)
            wait_for("Xvfb answers or ends", lambda: self.server.poll() is not None or self.geometry())
            if self.server.poll() is None and self.geometry() == f"{width} 480":
                return
            self.close()
        raise AssertionError("no display could be started")

    def geometry(self):
        return self.tool("getdisplaygeometry", check=False).strip()

    def tool(self, *words, check=True):
        return subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=check, timeout=PATIENCE, text=True,
                              capture_output=True).stdout

    def close(self):
        self.server.kill()
        self.server.wait()


class Window:
    """visviva view with the scene in a folder of its own, or with a run of that scene there."""
    def __init__(self, display, folder, scene, *options, run=None):
        self.display, self.folder, self.pictures = display, pathlib.Path(folder), 0
        self.name = scene["name"].replace(" ", "-")
        (self.folder / "scene.json").write_text(json.dumps(scene), encoding="utf-8")
        self.program = subprocess.Popen([PROGRAM, "view", run or "scene.json", "--size", f"{WIDTH}x{HEIGHT}", "--summary", "end.json", *options],
                                        cwd=folder, env=display.environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        preexec_fn=dies_with_us)
        self.id = wait_for("a window", self.find)
        self.tool("mouseup", 1, "mouseup", 2, "mouseup", 3)  # which the last window may have left pressed
        self.to(5, 5)  # keys go to the window under the pointer
        self.picture()

    def find(self):
        assert self.program.poll() is None, self.program.communicate()
        return (self.display.tool("search", "--name", "^" + self.name.replace("-", " "), check=False).split() or [None])[0]

    def tool(self, *words):
        self.display.tool(*words)

    def to(self, x, y):
        self.tool("mousemove", "--window", self.id, x, y)

    def key(self, *keys):
        self.tool("key", *keys)

    def file(self, name):
        path = self.folder / name
        return wait_for(f"{name} beside {os.listdir(self.folder)}", lambda: path.exists() and path)

    def picture(self):
        """Of the window, after all events before this one."""
        self.pictures += 1
        self.key("c")
        path = self.file(f"{self.name}-view-{self.pictures}.png")
        return wait_for("a whole picture", lambda: self.read(path))

    def obeyed(self, recording=1):
        """All that the keys before this asked of the world is done: a recording begins after it, the `recording`th."""
        self.key("v")
        self.file(f"{self.name}-live-{recording}.vtkhdf")

    @staticmethod
    def read(path):
        try:
            return read_png(path)
        except (AssertionError, IndexError, OSError, ValueError):  # it is not written yet
            return None
        except Exception as reason:  # nor is this more than half of one
            if type(reason).__module__ not in ("zlib", "struct"):
                raise
            return None

    def end(self):
        """Closes it with the key; what it says of itself."""
        self.key("q")
        return self.ended(0)

    def ended(self, code):
        _, said = self.program.communicate(timeout=PATIENCE)
        assert self.program.returncode == code, (self.program.returncode, said)
        return json.loads((self.folder / "end.json").read_text(encoding="utf-8"))

    def close(self):
        if self.program.poll() is None:
            self.program.kill()
        self.program.communicate()


def wait_for_red(what, window, condition):
    """The middle of what is red, once the condition holds of it. It may be out of sight meanwhile."""
    def found():
        try:
            middle = middle_of_red(window.picture())
        except AssertionError:
            return None
        return middle if condition(middle) else None
    return wait_for(what, found)


def middle_of_red(picture):
    """The middle of what is red, and how many pixels that is."""
    width, height, pixels = picture
    xs, ys = [], []
    for y in range(height):
        for x in range(width):
            red, green, blue = pixels[y][x]
            if red - blue > 60 and red - green > 60:
                xs.append(x)
                ys.append(y)
    assert len(xs) > 100, "no ball is seen"
    return sum(xs) / len(xs), sum(ys) / len(ys), len(xs)


class Xlib:
    """What xdotool of Debian 12 cannot: the window manager's button that closes, and other sizes without a window manager."""
    class Message(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int), ("display", ctypes.c_void_p),
                    ("window", ctypes.c_ulong), ("message", ctypes.c_ulong), ("format", ctypes.c_int), ("data", ctypes.c_long * 5),
                    ("room", ctypes.c_long * 24)]

    @staticmethod
    def ask_to_close(display, window):
        x = ctypes.CDLL("libX11.so.6")
        x.XOpenDisplay.restype = ctypes.c_void_p
        x.XInternAtom.restype = ctypes.c_ulong
        x.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
        x.XSendEvent.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
        x.XCloseDisplay.argtypes = [ctypes.c_void_p]
        d = x.XOpenDisplay(display.encode())
        message = Xlib.Message(type=33, window=int(window), message=x.XInternAtom(d, b"WM_PROTOCOLS", 0), format=32)
        message.data[0] = x.XInternAtom(d, b"WM_DELETE_WINDOW", 0)
        x.XSendEvent(d, int(window), 0, 0, ctypes.byref(message))
        x.XCloseDisplay(d)
