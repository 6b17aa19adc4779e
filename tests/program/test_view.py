#!/usr/bin/env python3
"""visviva view, in a display that nobody sees, driven by real input events.

- it draws what there is, and what the mouse and the keys do to it: drags, turns, pauses, steps, other schemes
- the hand's work by its force and its way is the ledger's
- a picture and a recording are files that can be read
- a thousand random events crash nothing
- without a display it says so, with exit code 1

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it, or without Xvfb and xdotool.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from pictures_support import PROGRAM, read_png, run_tests

WIDTH, HEIGHT = 400, 300
BALL = {
    "visviva": 1, "name": "live ball", "gravity": [0, 0, 0],
    "time": {"step": "1/60", "end": 1},
    "integrator": {"scheme": "backward-euler", "policy": "none", "ground_energy": "none"},
    "solver": {"method": "lbfgs"}, "contact": {"model": "none"},
    "bodies": [{"name": "ball", "material": {"model": "stable-neo-hookean", "young": 2e4},
                "mesh": {"ball": {"radius": 0.1, "cells": 3}}}],
}


def start_display():
    """A display of its own; its number comes by a pipe."""
    read, write = os.pipe()
    display = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp"], pass_fds=[write],
                               stderr=subprocess.DEVNULL)
    os.close(write)
    number = os.read(read, 20).decode().strip()
    os.close(read)
    return display, ":" + number


class ViewTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.display, cls.name = start_display()
        cls.environment = {**os.environ, "DISPLAY": cls.name}

    @classmethod
    def tearDownClass(cls):
        cls.display.terminate()
        cls.display.wait()

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.scene = os.path.join(self.folder, "ball.json")
        with open(self.scene, "w", encoding="utf-8") as file:
            json.dump(BALL, file)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def open(self, *options):
        self.program = subprocess.Popen([PROGRAM, "view", self.scene, "--size", f"{WIDTH}x{HEIGHT}", "--summary", "end.json", *options],
                                        cwd=self.folder, env=self.environment, stderr=subprocess.PIPE, text=True)
        self.window = None
        for _ in range(300):
            found = subprocess.run(["xdotool", "search", "--name", "live ball"], env=self.environment, capture_output=True,
                                   text=True, timeout=60, check=False)
            if found.stdout.split():
                self.window = found.stdout.split()[0]
                break
            self.assertIsNone(self.program.poll(), "it has ended")
            time.sleep(0.1)
        self.assertIsNotNone(self.window, "no window appeared")
        self.tool("mousemove", "--window", self.window, "5", "5")
        self.wait(0.5)

    @staticmethod
    def wait(seconds):
        time.sleep(seconds)

    def tool(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True, timeout=60)

    def to(self, x, y):
        self.tool("mousemove", "--window", self.window, x, y)

    def key(self, *keys):
        for key in keys:
            self.tool("key", key)
            self.wait(0.1)

    def file(self, name, patience=20):
        path = os.path.join(self.folder, name)
        for _ in range(10 * patience):
            if os.path.exists(path):
                return path
            time.sleep(0.1)
        self.fail(f"{name} did not appear; there is {os.listdir(self.folder)}")

    def end(self):
        self.key("q")
        _, said = self.program.communicate(timeout=60)
        self.assertEqual(self.program.returncode, 0, said)
        with open(self.file("end.json"), encoding="utf-8") as file:
            return json.load(file)

    def ball(self, picture):
        """The middle of what is red, and how much that is."""
        width, height, pixels = read_png(pathlib.Path(picture))
        xs, ys = [], []
        for y in range(height):
            for x in range(width):
                r, _, b = pixels[y][x]
                if r - b > 60:
                    xs.append(x)
                    ys.append(y)
        self.assertGreater(len(xs), 100, "no ball is seen")
        return sum(xs) / len(xs), sum(ys) / len(ys), len(xs)

    def test_it_draws_and_a_hand_drags(self):
        self.open()
        self.key("l", "c")
        before = self.ball(self.file("live-ball-view-1.png"))
        self.assertAlmostEqual(before[0], WIDTH / 2, delta=8)
        self.assertAlmostEqual(before[1], HEIGHT / 2, delta=8)
        self.to(WIDTH // 2, HEIGHT // 2)
        self.wait(0.3)
        self.tool("mousedown", 1)
        self.wait(0.3)
        for x in range(WIDTH // 2, WIDTH // 2 + 101, 5):
            self.to(x, HEIGHT // 2)
            self.wait(0.05)
        self.wait(1.5)
        self.key("c")
        after = self.ball(self.file("live-ball-view-2.png"))
        self.tool("mouseup", 1)
        self.wait(0.3)
        end = self.end()
        self.assertGreater(after[0], before[0] + 10)
        self.assertGreater(end["work"], 0)
        self.assertAlmostEqual(end["hand_work"], end["work"], delta=0.05 * end["work"])

    def test_keys(self):
        self.open("--paused")
        self.key("period", "period", "period")
        self.wait(0.5)
        self.key("s", "p", "o", "minus", "r", "period", "h", "l", "w", "f", "Left", "Up", "v", "space")
        self.wait(1)
        self.key("v")
        self.wait(0.5)
        end = self.end()
        self.assertFalse(end["paused"])
        self.assertNotEqual(end["scheme"], "backward-euler")
        self.assertNotEqual(end["policy"], "none")
        self.assertNotEqual(end["solver"], "lbfgs")
        self.assertAlmostEqual(end["time_step"], 1 / 120)
        info = subprocess.run([PROGRAM, "info", "--json", self.file("live-ball-live-1.vtkhdf")], capture_output=True, text=True, check=True)
        self.assertGreater(len(info.stdout), 100)

    def test_random_events(self):
        self.open()
        draw = random.Random(3)
        keys = ["space", "period", "r", "s", "p", "o", "plus", "minus", "h", "l", "f", "w", "Left", "Right", "Up", "Down", "shift+s", "x"]
        for _ in range(40):
            words = []
            for _ in range(25):
                what = draw.randrange(5)
                if what == 0:
                    words += ["key", draw.choice(keys)]
                elif what == 1:
                    words += ["mousedown", str(draw.randrange(1, 4))]
                elif what == 2:
                    words += ["mouseup", str(draw.randrange(1, 4))]
                elif what == 3:
                    words += ["click", str(draw.choice([4, 5]))]
                else:
                    words += ["mousemove", "--window", self.window, str(draw.randrange(WIDTH)), str(draw.randrange(HEIGHT))]
            self.tool(*words)
            self.assertIsNone(self.program.poll(), "it has ended")
        for button in (1, 2, 3):
            self.tool("mouseup", button)
        self.assertGreater(self.end()["pictures"], 5)

    def test_without_a_display(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
        done = subprocess.run([PROGRAM, "view", self.scene], env=environment, capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("neither DISPLAY nor WAYLAND_DISPLAY is set", done.stderr)
        self.assertIn("visviva render", done.stderr)

    def test_it_ends_when_asked(self):
        self.open()
        self.program.send_signal(signal.SIGINT)
        self.program.communicate(timeout=60)
        self.assertEqual(self.program.returncode, 130)


if __name__ == "__main__":
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            sys.exit(77)
    if "opens no windows" in subprocess.run([PROGRAM, "view", "x"], capture_output=True, text=True, check=False).stderr:
        print("skipped: this build opens no windows")
        sys.exit(77)
    sys.exit(run_tests(lambda: None))
