#!/usr/bin/env python3
"""The pictures: render, plot and sheet of small runs.

- a rendered frame has the wanted size, is not blank, shows the whole body inside the picture, and its shadow; so does
  every other frame; the picture does not depend on where in the world the scene stands
- a plot is a PNG, or well-formed SVG that survives hostile labels; a sheet holds both
- wrong options and files: exit code 2, one message, no file left behind

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it; parts whose programs are missing are skipped.
"""
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from pictures_support import FOLDER, box_of, call, is_body, is_shadow, make_run, read_png, read_ppm, run_tests

WIDTH, HEIGHT = 320, 180


def scene(name, offset=0.0, **integrator):
    """A soft box that falls onto the ground, 0.4 s."""
    return {
        "visviva": 1, "name": name,
        "time": {"step": "1/60", "end": 0.4, "record_every": 3},
        "integrator": {"scheme": "backward-euler", "policy": "none", **integrator},
        "materials": {"jelly": {"model": "fixed-corotated", "young": 2e4, "poisson": 0.3, "density": 1000}},
        "bodies": [{"name": "box", "material": "jelly",
                    "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}},
                    "place": {"translate": [offset, 0.3, 0], "rotate": [0, 30, 10]}}],
        "obstacles": [{"plane": {"point": [offset, 0, 0], "normal": [0, 1, 0]}}],
    }


class Render(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = call("render", "a.vtkhdf", "-o", "all-%02d.ppm", "--size", f"{WIDTH}x{HEIGHT}", "--quality", 8)
        if done.returncode == 2 and ("OpenGL" in done.stderr):
            raise unittest.SkipTest(done.stderr.strip())
        assert done.returncode == 0, done.stderr
        cls.frames = sorted(FOLDER.glob("all-*.ppm"))

    def test_every_frame_shows_the_whole_body(self):
        self.assertEqual(len(self.frames), 9)
        for path in self.frames:
            width, height, rows = read_ppm(path)
            self.assertEqual((width, height), (WIDTH, HEIGHT))
            left, top, right, bottom, count = box_of(rows, is_body)
            self.assertGreater(count, 300, path)
            self.assertGreaterEqual(min(left, top, WIDTH - 1 - right, HEIGHT - 1 - bottom), 3, path)

    def test_the_body_falls(self):
        tops = [box_of(read_ppm(path)[2], is_body)[1] for path in self.frames]
        self.assertGreater(tops[5], tops[0] + 20)

    def test_the_shadow_lies_below(self):
        rows = read_ppm(self.frames[-1])[2]
        body, shadow = box_of(rows, is_body), box_of(rows, is_shadow)
        self.assertIsNotNone(shadow, "no shadow")
        self.assertGreater(shadow[4], 60)
        self.assertGreater(shadow[3], (body[1] + body[3]) / 2, "the shadow is not on the ground")
        self.assertLess(abs((shadow[0] + shadow[2]) - (body[0] + body[2])) / 2, WIDTH / 3)

    def test_png(self):
        done = call("render", "a.vtkhdf", "-o", "one/frame.png", "--time", 0.2, "--size", "200x150", "--quality", 4)
        self.assertEqual(done.returncode, 0, done.stderr)
        width, height, rows = read_png(FOLDER / "one/frame.png")
        self.assertEqual((width, height), (200, 150))
        self.assertGreater(box_of(rows, is_body)[4], 200)
        self.assertEqual([p.name for p in (FOLDER / "one").iterdir()], ["frame.png"])

    def test_far_from_the_origin(self):
        """A kilometre away the picture is the same but for rounding."""
        make_run("far", scene("falling box", offset=1000.0))
        pictures = []
        for name in ("a", "far"):
            done = call("render", f"{name}.vtkhdf", "-o", f"{name}.ppm", "--frame", 0, "--size", "160x90", "--quality", 4)
            self.assertEqual(done.returncode, 0, done.stderr)
            pictures.append(read_ppm(FOLDER / f"{name}.ppm")[2])
        differing = sum(abs(p[0] - q[0]) > 12 for row, other in zip(*pictures) for p, q in zip(row, other))
        self.assertLess(differing, 40)

    def test_fields_and_wire(self):
        for extra in (["--color", "velocity"], ["--color", "strain", "--color-max", "0.5"], ["--wire"], ["--follow"],
                      ["--eye", "1,0.6,1", "--target", "0,0.1,0"], ["--camera", "0,90"]):
            done = call("render", "a.vtkhdf", "-o", "b.ppm", "--frame", 4, "--size", "120x90", "--quality", 2, *extra)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = read_ppm(FOLDER / "b.ppm")[2]
            self.assertGreater(len({pixel for row in rows for pixel in row}), 50, extra)

    def test_film(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is not installed")
        done = call("render", "a.vtkhdf", "-o", "film.mp4", "--size", "160x90", "--quality", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((FOLDER / "film.mp4").read_bytes()[4:8], b"ftyp")
        if shutil.which("ffprobe"):
            probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                                    "stream=codec_name,width,height,nb_read_frames,pix_fmt", "-of", "csv=p=0",
                                    FOLDER / "film.mp4"], capture_output=True, text=True)
            self.assertEqual(probe.stdout.strip(), "h264,160,90,yuv420p,9")


class Plot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("gnuplot"):
            raise unittest.SkipTest("gnuplot is not installed (package gnuplot-nox)")

    def test_png(self):
        done = call("plot", "a.vtkhdf", "-o", "plot.png", "--width", 700)
        self.assertEqual(done.returncode, 0, done.stderr)
        width, height, rows = read_png(FOLDER / "plot.png")
        self.assertEqual(width, 700)
        blue, vermilion = (box_of(rows, lambda r, g, b, c=c: abs(r - c[0]) + abs(g - c[1]) + abs(b - c[2]) < 30)
                           for c in ((0, 114, 178), (213, 94, 0)))
        self.assertGreater(blue[4], 100)
        self.assertGreater(vermilion[4], 50)

    def test_svg_with_hostile_labels(self):
        labels = ["it's <b>&\"x\" \\n `date` $(date)", "back\\slash_{sub}^2 @ % \n line"]
        done = call("plot", "a.vtkhdf", "b.vtkhdf", "-o", "odd 'name'.svg", "--label", labels[0], "--label", labels[1],
                    "--title", "{/:Bold 'q\" #}", "--what", "energy,ledger")
        self.assertEqual(done.returncode, 0, done.stderr)
        tree = xml.etree.ElementTree.parse(FOLDER / "odd 'name'.svg")
        text = "".join(tree.getroot().itertext())
        for label in (labels[0], labels[1].replace("\n", " "), "{/:Bold 'q\" #}"):
            self.assertIn("".join(label.split()), "".join(text.split()))

    def test_alpha_only_where_a_policy_acted(self):
        self.assertEqual(call("plot", "b.vtkhdf", "-o", "alpha.svg", "--what", "alpha").returncode, 0)
        self.assertIn("α", (FOLDER / "alpha.svg").read_text())
        self.assertEqual(call("plot", "a.vtkhdf", "-o", "noalpha.svg").returncode, 0)
        self.assertNotIn("α", (FOLDER / "noalpha.svg").read_text())

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_changed_settings(self):
        """Where a run went on with other settings there is a line, with what changed; where it went on as it was, there is none."""
        for name, sets in (("same", []), ("other", ["--set", "integrator.policy=search", "--set", "gravity=[0,-5,0]"])):
            shutil.copy(FOLDER / "a.vtkhdf", FOLDER / f"{name}.vtkhdf")
            done = call("run", f"{name}.vtkhdf", "--resume", "-q", "--from", "3", "--until", "0.5", *sets)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(call("plot", f"{name}.vtkhdf", "-o", f"{name}.svg").returncode, 0)
            text = "".join(xml.etree.ElementTree.parse(FOLDER / f"{name}.svg").getroot().itertext())
            self.assertEqual("policy=search, gravity=[0,-5,0]" in text, name == "other", text)
            self.assertEqual("continued with other settings at t = 0.15 s: integrator.policy=search, gravity=[0,-5,0]" in
                             call("info", f"{name}.vtkhdf").stdout, name == "other")

    def test_visible_energy(self):
        for runs, words in ((["b"], ["booked", "visible, all", "of centres", "of rotation", "of deformation"]), (["a", "b"], ["Euler"])):
            done = call("plot", *(f"{run}.vtkhdf" for run in runs), "-o", "visible.svg", "--what", "visible")
            self.assertEqual(done.returncode, 0, done.stderr)
            text = "".join(xml.etree.ElementTree.parse(FOLDER / "visible.svg").getroot().itertext())
            for word in ["Visible kinetic energy", *words]:
                self.assertIn(word.replace(" ", ""), "".join(text.split()))

    def test_sheet(self):
        done = call("sheet", "a.vtkhdf", "b.vtkhdf", "-o", "sheet.png", "--width", 800, "--frames", 5, "--quality", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        width, height, rows = read_png(FOLDER / "sheet.png")
        self.assertEqual(width, 800)
        curves = box_of(rows, lambda r, g, b: abs(r - 213) + abs(g - 94) + abs(b) < 25)
        self.assertGreater(curves[4], 100)
        if "without pictures" not in done.stderr:
            bodies = box_of([row[:600] for row in rows[:height // 2]], is_body)
            self.assertGreater(bodies[4], 500)


class Wrong(unittest.TestCase):
    def refused(self, *arguments, says=""):
        before = sorted(p.name for p in FOLDER.iterdir())
        done = call(*arguments)
        self.assertEqual(done.returncode, 2, f"{arguments}: {done.stdout} {done.stderr}")
        self.assertTrue(done.stderr.startswith("visviva: "), done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(before, sorted(p.name for p in FOLDER.iterdir()))

    def test_files(self):
        for command in ("render", "plot", "sheet"):
            self.refused(command, "nowhere.vtkhdf", says="nowhere.vtkhdf")
            self.refused(command, "a.json")
            self.refused(command)

    def test_render_options(self):
        for extra, says in ((["--size", "12"], "--size"), (["--size", "0x0"], "--size"), (["--frames", "0:999"], "0 to 8"),
                            (["--frames", "0,,2"], "--frames"), (["--camera", "1"], "--camera"), (["--eye", "1,2,3"], "--target"),
                            (["--camera", "1,nan"], "--camera"), (["--color", "red"], "strain"), (["-o", "x.jpg"], ".png"),
                            (["-o", "x%s.png"], "%"), (["-o", "x%d%n.png"], "%"), (["--frames", "0:3", "-o", "x.png"], "folder"),
                            (["-o", "x.mp4", "--size", "161x90"], "even"), (["--time", "1", "--frame", "1"], "--time")):
            self.refused("render", "a.vtkhdf", *extra, says=says)

    def test_plot_options(self):
        self.refused("plot", "a.vtkhdf", "-o", "x.pdf", says=".svg")
        self.refused("plot", "a.vtkhdf", "--what", "energy,colour", says="colour")
        self.refused("sheet", "a.vtkhdf", "-o", "x.svg", says=".png")


def make_runs():
    make_run("a", scene("falling box"))
    make_run("b", scene("falling box", policy="search"))


if __name__ == "__main__":
    sys.exit(run_tests(make_runs))
