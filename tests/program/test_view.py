#!/usr/bin/env python3
"""visviva view, in a display that nobody sees, driven by real input events.

- it draws what there is, and what the mouse does to it: drags, turns, shifts, zooms
- the hand's work by its force and its way is the ledger's, with and without gravity
- keys do what the table says: those of the world in what it says of itself at the end, those of the view in pictures
- the start again forgets the hand and its work; a step outside the range of here may come nearer
- a picture and a recording are files that can be read; a recording that cannot be written is said, with exit code 1
- a step that fails is said in the window, which stays
- a thousand random events crash nothing; nor does a window of another size
- the view follows what falls, until the wheel ends that
- a run is played, frame by frame and by its curves, and is left as it is; a world goes on from a frame, with its settings or others
- a field colours the body and grows with it; its legend is a bar from cream to plum, its end in what the program says of itself
- without a display, or with one that does not answer, it says so, with exit code 1; with wrong input 2, before any window
- docs/view.md's table of keys is the program's

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it, or without Xvfb and xdotool.
"""
import csv
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from pictures_support import PROGRAM, run_tests
from view_support import HEIGHT, PATIENCE, WIDTH, Display, Window, Xlib, middle_of_red, wait_for, wait_for_red

ROOT = pathlib.Path(__file__).parents[2]
BALL = {
    "visviva": 1, "name": "live ball", "gravity": [0, 0, 0],
    "time": {"step": "1/60", "end": 1},
    "integrator": {"scheme": "backward-euler", "policy": "none", "ground_energy": "none"},
    "solver": {"method": "lbfgs"}, "contact": {"model": "none"},
    "bodies": [{"name": "ball", "material": {"model": "stable-neo-hookean", "young": 2e4},
                "mesh": {"ball": {"radius": 0.1, "cells": 3}}}],
}
# 1 m high, 10 kg
CRITTER = {
    "visviva": 1, "name": "live critter", "time": {"step": "1/60", "end": 1},
    "integrator": {"scheme": "implicit-midpoint", "policy": "blend", "ground_energy": "none"},
    "solver": {"method": "local-global", "acceleration": "anderson"},
    "contact": {"model": "springs", "self": False, "friction": 0.5, "springs": {"stiffness": 1e5}},
    "obstacles": [{"plane": {"normal": [0, 1, 0]}}],
    "bodies": [{"name": "critter", "material": {"model": "arap", "young": 5e5, "mass": 10, "damping": {"drag": 1}},
                "mesh": {"critter": {"height": 1, "edge": 0.15}}}],
}
# its lower part is carried through a plane: a step fails
STUCK = {**BALL, "name": "stuck ball", "solver": {"method": "newton", "max_iterations": 5}, "contact": {"model": "barrier"},
         "obstacles": [{"plane": {"point": [0, -0.2, 0], "normal": [0, 1, 0]}}],
         "bodies": [{**BALL["bodies"][0], "attach": [
             {"where": {"percent": [[0, 0, 0], [100, 40, 100]]}, "kind": "fixed",
              "motion": {"waypoints": [{"time": 0}, {"time": 0.2, "offset": [0, -1, 0]}]}}]}]}


class ViewTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.display = Display()
        cls.addClassCleanup(cls.display.close)

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def open(self, *options, scene=BALL, run=None):
        window = Window(self.display, self.folder, scene, *options, run=run)
        self.addCleanup(window.close)
        return window

    def drag(self, window, way, start=()):
        """From the middle to the right, in small steps; the ball as it is before and with the hand there. `start`: keys once the hand holds."""
        before = middle_of_red(window.picture())
        x, y = round(before[0]), round(before[1])
        window.to(x, y)
        window.tool("mousedown", 1)
        window.picture()
        if start:
            window.key(*start)
        for k in range(0, way + 1, 4):
            window.to(x + k, y)
            window.picture() if k % 20 == 0 else None
        after = wait_for_red("the ball follows", window, lambda ball: ball[0] > before[0] + 0.25 * way)
        return before, after

    def test_a_hand_drags(self):
        window = self.open()
        before, _ = self.drag(window, 80)
        self.assertAlmostEqual(before[0], WIDTH / 2, delta=8)
        self.assertAlmostEqual(before[1], HEIGHT / 2, delta=8)
        end = window.end()  # the hand still holds it
        self.assertGreater(end["work"], 0)
        self.assertAlmostEqual(end["hand_work"], end["work"], delta=0.05 * end["work"])

    def test_a_hand_drags_what_is_heavy(self):
        window = self.open("--paused", scene={**BALL, "gravity": [0, -9.81, 0]})
        self.drag(window, 80, start=["space"])  # it does not fall before it is held
        end = window.end()
        self.assertNotEqual(end["work"], 0)  # below 0 where the ball swings ahead of the hand
        self.assertAlmostEqual(end["hand_work"], end["work"], delta=0.05 * abs(end["work"]))

    def test_a_critter_is_picked_up_and_let_go(self):
        """The hand goes up by a metre and a half, of which the critter is one high; it follows, and falls back. What the hand did is force times way, at least what lifting
        it by half a metre takes, and in the ledger."""
        window = self.open("--paused", scene=CRITTER)  # it stands still until it is held
        for _ in range(5):
            window.tool("click", 5)  # away from it
        window.to(WIDTH // 2, HEIGHT // 2)
        window.tool("mousedown", 2)
        window.to(WIDTH // 2 + 120, HEIGHT // 2 + 60)  # from under the text
        window.picture()
        window.tool("mouseup", 2)
        picture = window.picture()
        x, y, _ = (round(v) for v in middle_of_red(picture))
        rows = [row for row in range(picture[1]) if any(red - blue > 60 and red - green > 60 for red, green, blue in picture[2][row])]
        metre = rows[-1] - rows[0] + 1
        self.assertGreater(y, 1.5 * metre)
        window.to(x, y)
        window.tool("mousedown", 1)
        window.picture()
        window.key("space")
        for k in range(0, round(1.5 * metre), 3):
            window.to(x, y - k)
            window.picture() if k % 12 == 0 else None
        wait_for_red("it hangs there", window, lambda middle: middle[1] < y - 0.7 * metre)
        window.tool("mouseup", 1)
        wait_for_red("it is down again", window, lambda middle: middle[1] > y - 0.2 * metre)
        end = window.end()
        self.assertGreater(end["hand_work"], 0.5 * 10 * 9.8)
        self.assertAlmostEqual(end["hand_work"], end["work"], delta=0.05 * end["hand_work"])

    def test_restart_forgets_the_hand(self):
        window = self.open()
        self.drag(window, 80)
        window.key("r")
        ball = wait_for_red("the ball is back", window, lambda ball: abs(ball[0] - WIDTH / 2) < 8)
        self.assertTrue(ball)
        window.to(WIDTH // 2, HEIGHT // 2)  # the button is still down
        window.picture()
        end = window.end()
        self.assertEqual((end["work"], end["hand_work"], end["message"]), (0, 0, ""))

    def test_mouse_moves_the_view(self):
        window = self.open("--paused")
        x, y, size = middle_of_red(window.picture())
        window.tool("click", 4)
        self.assertGreater(middle_of_red(window.picture())[2], 1.1 * size)
        window.tool("click", 5)
        window.to(WIDTH // 2, HEIGHT // 2)
        window.tool("mousedown", 2)
        window.to(WIDTH // 2 + 50, HEIGHT // 2 - 30)
        window.picture()
        window.tool("mouseup", 2)
        shifted = middle_of_red(window.picture())
        self.assertAlmostEqual(shifted[0], x + 50, delta=10)  # its middle, in perspective
        self.assertAlmostEqual(shifted[1], y - 30, delta=10)
        window.key("f")
        before = window.picture()
        self.assertAlmostEqual(middle_of_red(before)[0], x, delta=2)
        window.tool("mousedown", 3)
        window.to(WIDTH // 2 + 90, HEIGHT // 2 - 30)
        window.picture()
        window.tool("mouseup", 3)
        self.assertTrue(window.picture() != before, "the right button does not turn")
        self.assertEqual(window.end()["steps"], 0)

    def test_keys_of_the_view(self):
        window = self.open("--paused", "--size", "400x440")  # high enough for the ledger
        first = before = window.picture()
        self.assertTrue(window.picture() == first, "a picture changes by itself")
        for key in ("h", "l", "w", "Left", "Up"):
            window.key(key)
            after = window.picture()
            self.assertTrue(after != before, f"{key} changes nothing")
            before = after
        window.key("h", "l", "w", "f")
        self.assertTrue(window.picture() == first, "it does not come back")
        self.assertEqual(window.end()["steps"], 0)

    def test_keys(self):
        window = self.open("--paused")
        window.key("period", "period", "period")
        window.key("s", "p", "o", "minus", "b", "h", "l", "w", "Left", "Up")
        window.key("v")
        window.key("period", "period")
        window.key("v")
        window.key("space")
        window.obeyed(recording=2)
        run = window.file("live-ball-live-1.vtkhdf")
        end = window.end()
        self.assertFalse(end["paused"])
        self.assertGreaterEqual(end["steps"], 5)
        self.assertNotEqual(end["scheme"], "backward-euler")
        self.assertNotEqual(end["policy"], "none")
        self.assertNotEqual(end["solver"], "lbfgs")
        self.assertAlmostEqual(end["time_step"], 1 / 120)
        self.assertEqual(end["message"], "")
        info = subprocess.run([PROGRAM, "info", run], capture_output=True, text=True, check=True)
        self.assertRegex(info.stdout, r"3 frames")

    def test_restart_keeps_the_settings(self):
        window = self.open("--paused", scene={**BALL, "gravity": [0, -1, 0]})
        window.key("minus", "o", "shift+o", "shift+b")
        window.key("period", "period", "r", "period")
        window.obeyed()
        end = window.end()
        self.assertAlmostEqual(end["time_end"], 1 / 120)
        self.assertEqual((end["solver"], end["budget"], end["steps"]), ("lbfgs", 5, 3))

    def test_a_step_outside_the_range_comes_nearer(self):
        window = self.open("--paused", scene={**BALL, "time": {"step": 2, "end": 4}})
        window.key("plus", "minus", "plus")
        window.obeyed()
        self.assertEqual(window.end()["time_step"], 1)

    def test_a_failing_step_is_said(self):
        window = self.open(scene=STUCK)
        pause = wait_for("it pauses", lambda: self.is_red_said(window.picture()))
        self.assertTrue(pause)
        end = window.end()
        self.assertTrue(end["paused"])
        self.assertIn("prescribed nodes are blocked by contact", end["message"])

    @staticmethod
    def is_red_said(picture):
        """Letters of a message, over the panel at the top left."""
        _, _, pixels = picture
        return sum(r > 180 and r - b > 60 and g > 90 for row in pixels[:HEIGHT // 2] for r, g, b in row) > 50

    def test_a_recording_that_fails(self):
        for keys in (["q"], ["v", "q"], ["r", "q"], ["period", "q"]):
            window = self.open("--paused", scene={**BALL, "name": " ".join(["no room", *keys])})
            window.key("v")
            run = window.file(f"{window.name}-live-1.vtkhdf")
            window.picture()
            resource.prlimit(window.program.pid, resource.RLIMIT_FSIZE, (100000, 100000))
            window.key(*keys)
            _, said = window.program.communicate(timeout=PATIENCE)
            self.assertEqual(window.program.returncode, 1, said)
            self.assertIn(run.name, said)

    def coloured(self, *options):
        """What it says of itself, and pictures of the start and after ten steps of a ball that hangs from its top."""
        attach = [{"where": {"percent": [[0, 80, 0], [100, 100, 100]]}, "kind": "fixed"}]
        window = self.open("--paused", "--color", "displacement", *options, scene={**BALL, "name": " ".join(["coloured", *options[1:]]), "gravity": [0, -9.81, 0],
                                                                               "bodies": [{**BALL["bodies"][0], "attach": attach}]})
        first = window.picture()
        window.key(*["period"] * 10)
        window.obeyed()
        last = window.picture()
        return window.end(), first, last

    @staticmethod
    def dark(picture):
        """Dark and rather red than green: of the palette's end. Not those of the legend, at the lower left."""
        return sum(r - g > 40 and r < 170 for y, row in enumerate(picture[2]) for x, (r, g, b) in enumerate(row) if x > 195 or y < HEIGHT - 60)

    def test_a_field_colours(self):
        end, first, last = self.coloured()
        self.assertEqual(end["color"], "displacement")
        self.assertTrue(1e-4 < end["color_max"] < 0.5 * 9.81 * (10 / 60) ** 2 * 1.1, end["color_max"])  # no farther than it falls
        self.assertLess(self.dark(first), 20)
        self.assertGreater(self.dark(last), 200)
        bars = [row for row in last[2] if sum(row[12]) - sum(row[186]) > 200 and all(sum(row[x]) >= sum(row[x + 8]) for x in range(12, 180, 8))]
        self.assertTrue(bars)
        end, _, last = self.coloured("--color-max", "50")
        self.assertEqual(end["color_max"], 50)
        self.assertLess(self.dark(last), 20)

    def test_the_view_follows_what_falls(self):
        """A ball of .2 m that has fallen by 30 m is as large in the picture as at first, unless the wheel has ended that."""
        falls = {**BALL, "name": "falling", "gravity": [0, -9.81, 0]}
        for wheel in (False, True):
            window = self.open("--paused", scene={**falls, "name": f"falling {wheel}"})
            size = middle_of_red(window.picture())[2]
            if wheel:
                window.tool("click", 5, "click", 4)
            window.key(*["period"] * 150)
            window.obeyed()
            window.key("v", "b")  # the panel is as small as it was
            if wheel:
                wait_for("it is out of sight", lambda: self.is_nothing_red(window.picture()))
            else:
                wait_for_red("it is in the middle", window, lambda ball: abs(ball[0] - WIDTH / 2) < 6 and abs(ball[1] - HEIGHT / 2) < 6)
                self.assertAlmostEqual(middle_of_red(window.picture())[2], size, delta=0.05 * size)
            self.assertEqual(window.end()["steps"], 150)

    def is_nothing_red(self, picture):
        try:
            middle_of_red(picture)
            return False
        except AssertionError:
            return True

    def make_run(self, **changes):
        """Of twenty frames and a step each, in which the ball flies to the right."""
        scene = {**BALL, "name": "flying ball", "time": {"step": "1/60", "end": "20/60"},
                 "bodies": [{**BALL["bodies"][0], "velocity": {"linear": [1, 0, 0]}}], **changes}
        path = pathlib.Path(self.folder)
        (path / "flies.json").write_text(json.dumps(scene), encoding="utf-8")
        subprocess.run([PROGRAM, "run", "flies.json", "-o", "flies.vtkhdf", "-q"], cwd=path, check=True)
        return scene, path / "flies.vtkhdf"

    def test_a_run_is_played(self):
        scene, run = self.make_run()
        before = run.read_bytes()
        window = self.open("--paused", "--size", "400x440", scene=scene, run="flies.vtkhdf")
        window.tool("click", 5)  # the view stays
        first = middle_of_red(window.picture())
        window.key("bracketright", "period", "period", "comma")  # frame 3
        third = middle_of_red(window.picture())
        window.key("bracketright", "bracketright", "period", "period")  # frame 9
        ninth = middle_of_red(window.picture())
        self.assertGreater(third[0], first[0] + 3)
        self.assertAlmostEqual((ninth[0] - first[0]) / (third[0] - first[0]), 3, delta=0.4)
        window.key("s", "v", "o")  # nothing of that goes with a run
        window.to(400 - 98, 440 - 60)  # the curves' right end
        window.tool("mousedown", 1)
        last = middle_of_red(window.picture())
        self.assertAlmostEqual((last[0] - first[0]) / (ninth[0] - first[0]), 20 / 9, delta=0.5)  # in perspective
        window.to(18, 200)  # along them, to their start
        window.tool("mouseup", 1)
        self.assertAlmostEqual(middle_of_red(window.picture())[0], first[0], delta=1)
        window.key("plus", "plus", "space")
        wait_for_red("it plays to its end", window, lambda ball: abs(ball[0] - last[0]) < 1)
        end = window.end()
        self.assertEqual((end["frame"], end["live"], end["paused"], end["steps"]), (20, False, True, 0))
        self.assertEqual((end["scheme"], end["policy"]), ("backward-euler", "none"))
        self.assertEqual(run.read_bytes(), before)
        self.assertEqual([p.name for p in pathlib.Path(self.folder).glob("*.vtkhdf")], ["flies.vtkhdf"])

    def ledger(self, run):
        """{step: row} of it."""
        subprocess.run([PROGRAM, "export", run, "-o", "ledger.csv"], cwd=self.folder, check=True, capture_output=True)
        with open(pathlib.Path(self.folder, "ledger.csv"), encoding="utf-8") as f:
            return {round(float(row["time [s]"]) * 60): row for row in csv.DictReader(line for line in f if not line.startswith("#"))}

    def test_a_world_goes_on_from_a_frame(self):
        """With the run's settings it makes the run's steps again; with others, others. The run comes back."""
        scene, run = self.make_run(gravity=[0, -1, 0])
        window = self.open("--paused", scene=scene, run="flies.vtkhdf")
        window.key("bracketright", "bracketright", "period", "g")  # from frame 5
        window.key("v", "period", "period", "period", "v")
        again = window.file("flying-ball-live-1.vtkhdf")
        window.key("r", "p", "v", "period", "v")
        window.file("flying-ball-live-2.vtkhdf")
        window.picture()
        window.key("g")
        end = window.end()
        self.assertEqual((end["frame"], end["live"], end["policy"], end["message"]), (5, False, "none", ""))
        all_rows, rows = self.ledger(run), self.ledger(again)
        self.assertEqual(sorted(rows), [5, 6, 7, 8])
        for step in rows:
            for column in ("kinetic", "elastic", "gravity"):
                self.assertAlmostEqual(float(rows[step][f"{column} [J]"]), float(all_rows[step][f"{column} [J]"]), delta=1e-9, msg=f"{column} of step {step}")
        self.assertGreater(abs(float(all_rows[8]["kinetic [J]"]) - float(all_rows[5]["kinetic [J]"])), 1e-3)
        other = self.ledger("flying-ball-live-2.vtkhdf")
        self.assertEqual(sorted(other), [5, 6])

    def test_what_goes_on_has_its_settings(self):
        scene, _ = self.make_run()
        window = self.open("--paused", "--set", "integrator.policy=search", "--color", "displacement", scene=scene, run="flies.vtkhdf")
        window.key("period", "g", "period", "period")
        window.obeyed()
        window.picture()
        end = window.end()
        self.assertEqual((end["policy"], end["steps"], end["live"], end["color"]), ("search", 2, True, "displacement"))
        self.assertAlmostEqual(end["time_end"], 3 / 60)

    def test_random_events(self):
        scene, _ = self.make_run()
        self.torture(self.open())
        self.torture(self.open(scene=scene, run="flies.vtkhdf"))

    def torture(self, window):
        draw = random.Random(3)
        keys = ["space", "period", "r", "s", "p", "o", "b", "plus", "minus", "h", "l", "f", "w", "Left", "Right", "Up", "Down", "shift+s", "x", "v",
                "comma", "bracketleft", "bracketright", "g"]
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
                    words += ["mousemove", "--window", window.id, str(draw.randrange(WIDTH)), str(draw.randrange(HEIGHT))]
            window.tool(*words)
            self.assertIsNone(window.program.poll(), "it has ended")
        for button in (1, 2, 3):
            window.tool("mouseup", button)
        window.to(5, 5)
        self.assertGreater(window.end()["pictures"], 1)

    def test_other_sizes_and_the_closing_button(self):
        window = self.open()
        for width, height in ((333, 257), (600, 440)):
            window.tool("windowsize", window.id, width, height)
            wait_for("a picture of that size", lambda size=(width, height): window.picture()[:2] == size)
        Xlib.ask_to_close(self.display.name, window.id)
        window.ended(0)

    def test_it_ends_when_asked(self):
        window = self.open()
        window.program.send_signal(signal.SIGINT)
        window.ended(130)

    def test_it_ends_by_itself(self):
        end = self.open("--seconds", "3", "--stats")
        said, _ = end.program.communicate(timeout=PATIENCE)
        self.assertRegex(said, r"pictures +\d+ of 400x300, [\d.]+ a second")
        self.assertRegex(said, r"steps +\d+ of 16\.67 ms, [\d.]+ iterations each")

    def call(self, *words, **environment):
        return subprocess.run([PROGRAM, "view", *words], env={**self.display.environment, **environment}, capture_output=True, text=True,
                              timeout=PATIENCE, cwd=self.folder)

    def test_without_a_display(self):
        for display, said in (("", "neither DISPLAY nor WAYLAND_DISPLAY is set"), (":32767", 'DISPLAY is ":32767"')):
            done = self.call("jelly", DISPLAY=display)
            self.assertEqual(done.returncode, 1)
            self.assertIn(said, done.stderr)
            self.assertIn("visviva render", done.stderr)

    def test_wrong_input(self):
        for words, said in ((["no-such-scene"], "no-such-scene"), (["jelly", "--set", "time.step=-1"], "time.step"),
                            (["jelly", "--size", "9x9"], "from 200x150"), (["jelly", "--summary", "."], "is a folder"),
                            (["jelly", "--color", "von-mise"], 'there is no field "von-mise"; did you mean "von-mises"'), (["jelly", "--color-max", "1"], "needs --color"),
                            (["jelly", "--color", "axial-force"], "no body of the scene has that field"), ([], "SCENE")):
            done = self.call(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)

    def test_the_page_lists_the_keys(self):
        listed = self.call("--help").stdout.split("Mouse and keys:\n")[1].split("\n\n")[0]
        keys = [tuple(re.split(r" {2,}", line.strip())) for line in listed.splitlines()]
        page = (ROOT / "docs/view.md").read_text(encoding="utf-8")
        rows = [tuple(row) for row in re.findall(r"^\| `(.*?)` \| (.*?) \|$", page, re.MULTILINE)]
        self.assertGreater(len(keys), 15)
        self.assertEqual(rows, keys)


if __name__ == "__main__":
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            sys.exit(77)
    if PROGRAM and "opens no windows" in subprocess.run([PROGRAM, "view", "jelly"], capture_output=True, text=True, check=False,
                                                        env={**os.environ, "DISPLAY": ""}).stderr:
        print("skipped: this build opens no windows")
        sys.exit(77)
    sys.exit(run_tests(lambda: None))
