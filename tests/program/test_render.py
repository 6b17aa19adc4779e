#!/usr/bin/env python3
"""What is in rendered pictures of runs that are not well-behaved, of several runs, and of colours.

- everything that moves stays in the frame: bodies that spread, a body that travels; a body that flies off or bursts is left
  out, the others stay visible, and the program says so
- a camera that sees nothing is an error that prints where the bodies are
- a camera that is chosen does not look at the back of a plate
- several runs side by side; films; a legend; drafts; the lamp; the same pixels with any number of threads
- sheets: ways of the bodies in every row, and moments that are not one symmetry apart

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it; parts whose programs are missing are skipped.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest

from pictures_support import (ENVIRONMENT, FOLDER, PROGRAM, box_of, call, is_body, is_shadow, make_run, read_picture,
                              read_png, read_ppm, run_tests)

WIDTH, HEIGHT = 320, 180
SMALL = ["--size", f"{WIDTH}x{HEIGHT}", "--quality", 4, "--quiet"]
STEP = {"step": "1/60", "end": 1.0, "record_every": 6}


def scene(name, bodies, ground=True, scheme="backward-euler", time=STEP, **more):
    """Boxes of 20 cm: (middle, velocity) or (middle, velocity, material), without gravity."""
    made = [{"name": f"box {i}", "material": body[2] if len(body) > 2 else "jelly",
             "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}},
             "place": {"translate": body[0]}, "velocity": {"linear": body[1]}} for i, body in enumerate(bodies)]
    materials = {"jelly": {"model": "fixed-corotated", "young": 2e4, "poisson": 0.3, "density": 1000},
                 "steel": {"model": "fixed-corotated", "young": 2e8, "poisson": 0.3, "density": 1000},
                 "mist": {"model": "fixed-corotated", "young": 1e-3, "poisson": 0.3, "density": 1000}}
    made = {"visviva": 1, "name": name, "time": time, "gravity": [0, 0, 0], "materials": materials, "bodies": made,
            "integrator": {"scheme": scheme, "policy": "none", "ground_energy": "none", "blow_up": 0}, **more}
    if ground:
        made["obstacles"] = [{"plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}}]
    return made


def spinning(rate, seconds, velocity=(0, 0, 0)):
    """A stiff cube that spins about the z axis, recorded 40 times."""
    made = scene("spin", [([0, 0, 0], velocity, "steel")], ground=False, scheme="implicit-midpoint",
                 time={"step": seconds / 400, "end": seconds, "record_every": 10})
    made["bodies"][0]["velocity"] = {"linear": list(velocity), "angular": [0, 0, rate]}
    return made


def coloured(r, g, b):
    return max(r, g, b) - min(r, g, b) > 30  # bodies; ground, backdrop and shadows are nearly grey


def pieces(rows, least=12):
    """The connected parts of what is coloured, as (left, top, right, bottom, pixels)."""
    left = {(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if coloured(*pixel)}
    found = []
    while left:
        stack, xs, ys = [left.pop()], [], []
        while stack:
            x, y = stack.pop()
            xs.append(x)
            ys.append(y)
            for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if near in left:
                    left.remove(near)
                    stack.append(near)
        if len(xs) >= least:
            found.append((min(xs), min(ys), max(xs), max(ys), len(xs)))
    return found


def rendered(run, *options):
    done = call("render", *(f"{name}.vtkhdf" for name in run.split()), "-o", "picture.ppm", *SMALL, *options)
    assert done.returncode == 0, done.stderr
    return read_ppm(FOLDER / "picture.ppm")[2], done.stderr


class InTheFrame(unittest.TestCase):
    def whole(self, rows, count, least=12):
        found = pieces(rows, least)
        self.assertEqual(len(found), count, found)
        for left, top, right, bottom, _ in found:
            self.assertGreaterEqual(min(left, top, WIDTH - 1 - right, HEIGHT - 1 - bottom), 2, found)

    def test_bodies_that_spread(self):
        for run, bodies in (("pair", 2), ("five", 5), ("nine", 9)):
            rows, said = rendered(run)
            self.assertEqual(said, "")
            self.whole(rows, bodies)

    def test_every_frame(self):
        for frame in range(0, 11, 5):
            rows, _ = rendered("pair", "--frame", frame)
            self.whole(rows, 2)

    def test_a_body_that_travels(self):
        rows, said = rendered("travel")
        self.assertEqual(said, "")
        self.whole(rows, 1, 500)

    def test_a_body_that_flies_off(self):
        for run in ("stray", "stray-bare"):
            rows, said = rendered(run)
            self.whole(rows, 1, 500)
            self.assertRegex(said, r'body "box 1" left out at t = 1 s: as far away as 1e\+06 m')
            self.assertNotIn("box 0", said)
        done = call("render", "stray.vtkhdf", "-o", "strays/", *SMALL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r'"box 1" left out in 10 pictures from t = 0.1 s to 1 s')
        for path in (FOLDER / "strays").iterdir():
            self.assertGreaterEqual(max(piece[4] for piece in pieces(read_picture(path))), 500, path)

    def test_a_body_that_bursts(self):
        rows, said = rendered("burst")
        self.whole(rows, 1, 500)
        self.assertRegex(said, r'body "box 1" left out at t = \S+ s: (burst|not all coordinates|as far away)')
        self.assertNotIn("box 0", said)

    def test_not_behind_a_plate(self):
        """A box under a wide plate: from the usual height the plate hides it."""
        usual, chosen = (box_of(rendered("plate", *camera)[0], is_body) for camera in (["--camera", "28,15"], []))
        self.assertLess(usual[4], 0.8 * chosen[4])

    def test_nothing_else_to_see(self):
        """A run of a single body that bursts is drawn all the same."""
        rows, said = rendered("burst-alone")
        self.assertIn("may reach out of the picture", said)
        self.assertGreater(len(pieces(rows)), 0)


class Nothing(unittest.TestCase):
    def refused(self, *options):
        before = sorted(p.name for p in FOLDER.iterdir())
        done = call("render", "pair.vtkhdf", "-o", "nothing.png", *SMALL, *options)
        self.assertEqual(done.returncode, 2, f"{options}: {done.stdout} {done.stderr}")
        self.assertEqual(before, sorted(p.name for p in FOLDER.iterdir()))
        return done.stderr

    def test_bounds_are_printed(self):
        for options in (["--eye", "0,5,0", "--target", "0,9,0"], ["--camera", "0,10,400"], ["--eye", "0,0,1e6", "--target", "0,0,0"]):
            said = self.refused("--frame", 10, *options)
            self.assertIn("sees nothing", said)
            bounds = [tuple(map(float, pair)) for pair in re.findall(r"[xyz] (\S+) to (\S+) m", said)]
            self.assertEqual(len(bounds), 3, said)
            # box 0 stands at 0, 0.3, 0; box 1 is at 4.5, 0.3, 0 after a second
            for (low, high), (least, most) in zip(bounds, ((-0.1, 4.6), (0.2, 0.4), (-0.1, 0.1))):
                self.assertAlmostEqual(low, least, delta=0.02)
                self.assertAlmostEqual(high, most, delta=0.02)

    def test_a_film_needs_to_see_something_once(self):
        look = ["--eye", "4.5,0.4,3", "--target", "4.5,0.3,0"]
        self.assertIn("sees nothing", self.refused("--frame", 0, *look))
        done = call("render", "pair.vtkhdf", "-o", "seen/", *SMALL, *look)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_inside_a_face(self):
        """No corner is in the picture, but a side of the box fills it."""
        rows, _ = rendered("pair", "--frame", 0, "--eye", "0.03,0.33,0.2", "--target", "0.03,0.33,0", "--fov", 5)
        self.assertGreater(sum(coloured(*pixel) for row in rows for pixel in row), 0.99 * WIDTH * HEIGHT)


def near(pixel, hexadecimal, most=40):
    return sum(abs(a - int(hexadecimal[i:i + 2], 16)) for a, i in zip(pixel, (0, 2, 4))) < most


def legend_row(rows):
    """The longest row of pixels that goes from cream to plum: (length, x, y), or None."""
    best = None
    for y, row in enumerate(rows):
        start = next((x for x in range(len(row) - 30) if near(row[x], "f3e3c3")
                      and all(sum(row[x + i]) >= sum(row[x + i + 8]) - 6 for i in range(0, 24, 8))), None)
        end = next((x for x in range(len(row) - 1, 0, -1) if near(row[x], "43195c")), None)
        if start is not None and end is not None and end - start > (best or (30,))[0]:
            best = end - start, start, y
    return best


class Legend(unittest.TestCase):
    def test_render(self):
        for colour in ("velocity", "strain", "von-mises"):
            done = call("render", "pair.vtkhdf", "-o", "legend.png", "--size", "640x360", "--quality", 2, "--color", colour, "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = read_png(FOLDER / "legend.png")[2]
            length, x, y = legend_row(rows)
            self.assertGreater(length, 100)
            self.assertLess(x + length, 640 / 2)  # bottom left
            self.assertGreater(y, 360 / 2)
            if shutil.which("gnuplot"):
                for part in (rows[y - 19:y - 2], rows[y + 9:y + 25]):  # the quantity above, the range below
                    dark = box_of([row[x:x + length] for row in part], lambda r, g, b: r + g + b < 400)
                    self.assertIsNotNone(dark)
                    self.assertGreater(dark[4], 15)

    def test_none(self):
        for options in (["--color", "velocity", "--no-legend"], []):
            done = call("render", "pair.vtkhdf", "-o", "legend.png", "--size", "640x360", "--quality", 2, "--quiet", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIsNone(legend_row(read_png(FOLDER / "legend.png")[2]))

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_sheet(self):
        for options, wanted in ((["--color", "velocity"], True), ([], False)):
            done = call("sheet", "pair.vtkhdf", "-o", "legend.png", "--width", 800, "--quality", 1, "--quiet", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = legend_row(read_png(FOLDER / "legend.png")[2][:42])
            self.assertEqual(found is not None, wanted)


class SideBySide(unittest.TestCase):
    def test_picture(self):
        rows, _ = rendered("pair stray", "--frame", 0)
        self.assertEqual((len(rows[0]), len(rows)), (2 * WIDTH, HEIGHT))
        for half in ([row[:WIDTH] for row in rows], [row[WIDTH:] for row in rows]):
            self.assertGreater(sum(piece[4] for piece in pieces(half)), 300)

    def test_the_same_times(self):
        """A run that is recorded half as often, beside itself."""
        rows, _ = rendered("pair pair-sparse", "--frame", 6)
        left, right = (pieces([row[start:start + WIDTH] for row in rows]) for start in (0, WIDTH))
        self.assertEqual(len(left), len(right))
        for a, b in zip(sorted(left), sorted(right)):
            self.assertLessEqual(max(abs(p - q) for p, q in zip(a[:4], b[:4])), 1)

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "ffmpeg is not installed")
    def test_film(self):
        for runs, width in ((["pair"], WIDTH), (["pair", "stray"], 2 * WIDTH)):
            done = call("render", *(f"{run}.vtkhdf" for run in runs), "-o", "film.mp4", *SMALL)
            self.assertEqual(done.returncode, 0, done.stderr)
            probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=width,height,nb_read_frames",
                                    "-of", "csv=p=0", FOLDER / "film.mp4"], capture_output=True, text=True)
            self.assertEqual(probe.stdout.strip(), f"{width},{HEIGHT},11")

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_gif(self):
        """Goes round for ever, has all pictures, and their colours: the boxes lie where the picture of that frame has them."""
        done = call("render", "pair.vtkhdf", "pair-sparse.vtkhdf", "-o", "film.gif", *SMALL, "--no-legend", "--label", "", "--label", "")
        self.assertEqual(done.returncode, 0, done.stderr)
        data = (FOLDER / "film.gif").read_bytes()
        self.assertEqual(data[:6], b"GIF89a")
        self.assertEqual((int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")), (2 * WIDTH, HEIGHT))
        self.assertIn(b"NETSCAPE2.0\x03\x01\x00\x00", data)
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", FOLDER / "film.gif", "-fps_mode", "passthrough", FOLDER / "gif-%02d.ppm"],
                       check=True)
        self.assertEqual(len(list(FOLDER.glob("gif-*.ppm"))), 11)
        drawn, _ = rendered("pair pair-sparse", "--frame", 6, "--label", "", "--label", "")
        film = read_ppm(FOLDER / "gif-07.ppm")[2]
        differing = sum(abs(p[k] - q[k]) > 24 for row, other in zip(drawn, film) for p, q in zip(row, other) for k in range(3))
        self.assertLess(differing, 0.005 * 3 * 2 * WIDTH * HEIGHT)

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "ffmpeg is not installed")
    def test_interrupted(self):
        """Ctrl-C reaches ffmpeg's group, too, and yet the film has what was drawn until then."""
        film = FOLDER / "cut.mp4"
        drawing = subprocess.Popen([PROGRAM, "render", "pair.vtkhdf", "-o", film.name, "--speed", "0.001", "--size", "1280x720"],
                                   cwd=FOLDER, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True)
        drawing.stderr.readline()  # its first line of progress
        os.killpg(drawing.pid, signal.SIGINT)
        said = drawing.communicate(timeout=300)[1]
        self.assertEqual(drawing.returncode, 130, said)
        self.assertEqual(said.count("interrupted"), 1, said)
        self.assertNotIn("ffmpeg failed", said)
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0",
                                film], capture_output=True, text=True)
        self.assertGreater(int(probe.stdout.strip(", \n")), 0)
        self.assertLess(int(probe.stdout.strip(", \n")), 30000)

    def test_an_ended_run_turns_pale(self):
        call("render", "pair.vtkhdf", "pair-short.vtkhdf", "-o", "pale-%02d.ppm", *SMALL, "--frames", "0,10")
        early, late = (read_ppm(FOLDER / f"pale-{frame}.ppm")[2] for frame in ("00", "10"))
        halves = [[max(max(p) - min(p) for row in rows for p in row[start:start + WIDTH]) for start in (0, WIDTH)]
                  for rows in (early, late)]
        self.assertLess(abs(halves[0][0] - halves[0][1]), 20)
        self.assertLess(halves[1][1], 0.6 * halves[1][0])


class Same(unittest.TestCase):
    def test_any_number_of_threads(self):
        for options in (["--quality", 8], ["--draft"]):
            pictures = set()
            for threads in ("0", "1", "3"):
                done = call("render", "five.vtkhdf", "-o", "same.ppm", "--size", "320x180", *options, LP_NUM_THREADS=threads)
                self.assertEqual(done.returncode, 0, done.stderr)
                pictures.add((FOLDER / "same.ppm").read_bytes())
            self.assertEqual(len(pictures), 1)

    def test_frames_do_not_depend_on_each_other(self):
        """A frame of a sequence is the picture that is drawn of it alone."""
        call("render", "five.vtkhdf", "-o", "each-%02d.ppm", *SMALL)
        for frame in (0, 4, 10):
            rendered("five", "--frame", frame)
            self.assertEqual((FOLDER / "picture.ppm").read_bytes(), (FOLDER / f"each-{frame:02d}.ppm").read_bytes())


class Draft(unittest.TestCase):
    def test_draft(self):
        size = ["--size", f"{WIDTH}x{HEIGHT}", "--quiet", "--frame", 0]
        boxes, shadows = [], []
        for options in (["--draft"], ["--quality", 16]):
            done = call("render", "pair.vtkhdf", "-o", "draft.ppm", *size, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = read_ppm(FOLDER / "draft.ppm")[2]
            boxes.append(box_of(rows, coloured))
            shadows.append(box_of(rows, is_shadow))
        self.assertLessEqual(max(abs(p - q) for p, q in zip(boxes[0][:4], boxes[1][:4])), 2)
        self.assertGreater(shadows[0][4], 20)
        self.assertEqual(call("render", "pair.vtkhdf", "--draft", "--quality", 3).returncode, 2)

    def test_lamp(self):
        """The shadow falls to the other side when the lamp goes there."""
        middles = []
        for light in ("-60,40", "60,40"):
            rows, _ = rendered("travel", "--frame", 0, "--light", light)
            body, shadow = box_of(rows, is_body), box_of(rows, is_shadow)
            middles.append((shadow[0] + shadow[2] - body[0] - body[2]) / 2)
        self.assertGreater(middles[0], 5)
        self.assertLess(middles[1], -5)
        self.assertEqual(call("render", "pair.vtkhdf", "--light", "0,-5").returncode, 2)


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Sheet(unittest.TestCase):
    # a sheet of 800 pixels: strips from 38 to 675, from 42 down, five frames
    LEFT, TOP, TILE = 38, 42, 127

    def rows_of(self, *runs):
        done = call("sheet", *(f"{run}.vtkhdf" for run in runs), "-o", "sheet.png", "--width", 800, "--frames", 5, "--quality", 1, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        if "without pictures" in done.stderr:
            self.skipTest(done.stderr)
        rows = read_png(FOLDER / "sheet.png")[2]
        bottom = next(y for y in range(self.TOP + 20, len(rows)) if all(min(p) > 250 for p in rows[y][self.LEFT:self.LEFT + 300]))
        return rows, bottom

    def test_moments_are_not_a_symmetry_apart(self):
        """The cube turns by a quarter between one even moment and the next."""
        rows, bottom = self.rows_of("quarters")
        masks = [{(x, y) for y in range(self.TOP, bottom) for x in range(self.TILE - 3)
                  if is_body(*rows[y][self.LEFT + t * self.TILE + x])} for t in range(5)]
        for a, b in zip(masks, masks[1:]):
            self.assertGreater(len(a ^ b), 0.04 * len(a | b))

    def masks(self, *options):
        done = call("sheet", "throw.vtkhdf", "-o", "seen.png", "--width", 800, "--frames", 5, "--quality", 1, "--quiet", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        if "without pictures" in done.stderr:
            self.skipTest(done.stderr)
        rows = [row[self.LEFT:self.LEFT + 5 * self.TILE] for row in read_png(FOLDER / "seen.png")[2][self.TOP:self.TOP + 200]]
        return [box_of([row[t * self.TILE:(t + 1) * self.TILE] for row in rows], is_body) for t in range(5)]

    def test_camera(self):
        """The throw goes to the right, seen from in front, and to the left from behind. It stays in the frame."""
        for camera, sign in (("0,10", 1), ("180,10", -1)):
            boxes = self.masks("--camera", camera)
            self.assertGreater(sign * (boxes[-1][0] - boxes[0][0]), 20, camera)
            self.assertGreater(min(min(box[0], self.TILE - 1 - box[2]) for box in boxes), 1, camera)
        for wrong in (["--camera", "0,10,2"], ["--camera", "0,95"], ["--light", "3"]):
            self.assertEqual(call("sheet", "throw.vtkhdf", "-o", "wrong.png", *wrong).returncode, 2, wrong)
            self.assertFalse((FOLDER / "wrong.png").exists())

    def test_light(self):
        """A lamp that is low and in front lights the side that is seen."""
        sums = []
        for light in ("0,10", "180,60"):
            self.masks("--camera", "0,5", "--light", light)
            rows = read_png(FOLDER / "seen.png")[2]
            lit = [sum(p) for row in rows[self.TOP:self.TOP + 200] for p in row[self.LEFT:self.LEFT + 5 * self.TILE] if is_body(*p)]
            sums.append(sum(lit) / len(lit))
        self.assertGreater(sums[0], sums[1] + 40)

    def test_ways_in_every_row(self):
        """Of a body that moves sideways too, in whatever row it is, also before a wall."""
        def blue(r, g, b):
            return b - r > 40
        for first, second in (("fall", "throw"), ("throw", "fall"), ("wall", "throw")):
            rows, bottom = self.rows_of(first, second)
            for tile in (2, 3):
                start = self.LEFT + tile * self.TILE
                found = box_of([row[start:start + self.TILE] for row in rows[self.TOP:bottom]], blue)
                self.assertIsNotNone(found, (first, tile))
                self.assertGreater(found[4], 10, (first, tile))


def make_runs():
    make_run("pair", scene("pair", [([0, 0.3, 0], [0, 0, 0]), ([0.5, 0.3, 0], [4, 0, 0])]))
    make_run("pair-sparse", scene("pair", [([0, 0.3, 0], [0, 0, 0]), ([0.5, 0.3, 0], [4, 0, 0])],
                                  time={**STEP, "record_every": 12}))
    make_run("pair-short", scene("pair", [([0, 0.3, 0], [0, 0, 0]), ([0.5, 0.3, 0], [4, 0, 0])], time={**STEP, "end": 0.4}))
    make_run("five", scene("five", [([0, 0.3, 0], [0, 0, 0]), ([0.5, 0.3, 0], [3, 0, 0]), ([-0.5, 0.3, 0], [-3, 0, 0]),
                                    ([0, 0.3, 0.5], [0, 0, 3]), ([0, 0.3, -0.5], [0, 2, -3])]))
    make_run("nine", scene("nine", [([0.4 * i, 0.3, 0.4 * k], [4 * i, 0, 4 * k]) for i in (-1, 0, 1) for k in (-1, 0, 1)]))
    plate = {"name": "plate", "mesh": {"box": {"size": [0.8, 0.04, 0.8], "cells": [2, 1, 2]}}, "place": {"translate": [0, 0.625, 0]},
             "motion": {"waypoints": [{"time": 0, "offset": [0, 0, 0]}, {"time": 1, "offset": [0, 0.02, 0]}]}}
    under = scene("plate", [([0, 0.5, 0], [0, 0, 0])], time={**STEP, "end": 0.2})
    make_run("plate", {**under, "obstacles": [*under["obstacles"], plate]})
    make_run("travel", scene("travel", [([0, 0.3, 0], [100, 0, 0])]))
    stray = [([0, 0.3, 0], [0, 0, 0]), ([0.5, 0.3, 0], [1e6, 0, 0])]
    make_run("stray", scene("stray", stray))
    make_run("stray-bare", scene("stray", stray, ground=False))
    shaken = [([0.6, 0.3, 0], [0, 0, 0], "steel")]
    for name, bodies in (("burst", [([0, 0.3, 0], [0, 0, 0], "mist"), *shaken]), ("burst-alone", shaken)):
        made = scene(name, bodies, ground=False, scheme="symplectic-euler", contact={"model": "none"},
                     time={"step": 1e-3, "end": 0.06, "record_every": 2})
        made["bodies"][-1]["velocity"] = {"linear": [0, 0, 0], "angular": [0, 0, 40]}
        make_run(name, made, blows_up=True)  # what it has is readable
    make_run("quarters", spinning(3.14159265 / 2 * 5, 1.0))
    fall = {"step": "1/60", "end": 0.5, "record_every": 1}
    make_run("fall", scene("fall", [([0, 1.6, 0], [0, 0, 0])], time=fall, gravity=[0, -9.8, 0]))
    thrown = scene("throw", [([0, 1.6, 0], [3, 0, 0])], time=fall, gravity=[0, -9.8, 0])
    make_run("throw", thrown)
    wall = {"name": "wall", "mesh": {"box": {"size": [30, 20, 0.2], "cells": [4, 4, 1]}}, "place": {"translate": [0, 10.1, -1.5]}}
    make_run("wall", {**thrown, "obstacles": [*thrown["obstacles"], wall]})


if __name__ == "__main__":
    sys.exit(run_tests(make_runs))
