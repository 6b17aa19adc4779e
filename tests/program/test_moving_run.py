#!/usr/bin/env python3
"""Scenes whose obstacles move: a plate given by a formula, copies of a roller, and a sheet that follows a sequence of meshes. The run file,
the exports and the pictures have them where they are; a run that is resumed goes on to the same bits; other settings go on, too.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("VISVIVA", "")
H, STEPS = 0.01, 20
SCENE = {
    "visviva": 1, "name": "moving", "time": {"step": H, "end": STEPS * H, "record_every": 5},
    "contact": {"friction": 0.4},
    "materials": {"jelly": {"model": "neo-hookean", "young": 1e5, "poisson": 0.3, "density": 1000}},
    "bodies": [{"name": "cube", "material": "jelly", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}},
                "place": {"translate": [0, 0.0512, 0]}},
               {"name": "other", "material": "jelly", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}},
                "place": {"translate": [1, 0.0512, 0]}}],
    "obstacles": [
        {"name": "ground", "plane": {"point": [0, -1, 0]}},
        {"name": "plate", "box": {"center": [0, -0.05, 0], "size": [0.3, 0.1, 0.3]},
         "motion": {"velocity": [0.2, 0.1, 0], "angular": 40, "axis": [0, 1, 0]}},
        {"name": "roller", "cylinder": {"center": [0, -0.5, 0], "radius": 0.05, "axis": [0, 0, 1], "height": 0.2},
         "copies": {"count": [3, 1, 1], "step": [0.2, 0, 0]}, "motion": {"angular": 90, "axis": [0, 0, 1], "about": [0, -0.5, 0]}},
        {"name": "wave", "mesh": {"file": "wave_00.obj"}, "place": {"translate": [1, 0, 0]},
         "motion": {"follow": {"files": "wave_%02d.obj", "interval": 0.05}}},
    ],
}


def call(*arguments, code=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=500)
    assert done.returncode == code, f"visviva {' '.join(arguments)}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def wave(number):
    """A sheet that has risen to the right by that many times 2 mm a metre, and 5 mm as a whole."""
    return [(x, 0.005 * number + 0.002 * number * x, z) for x in (-0.2, 0.2) for z in (-0.2, 0.2)]


def write_waves(count):
    for number in range(count):
        with open(f"wave_{number:02d}.obj", "w") as file:
            file.writelines(f"v {x} {y} {z}\n" for x, y, z in wave(number))
            file.write("f 1 2 4\nf 1 4 3\n")


def surfaces(path):
    """The vertices of each group of an OBJ file, in their order."""
    vertices, groups = [], {}
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[0] == "v":
                vertices.append([float(word) for word in words[1:4]])
            elif words[0] == "g":
                used = groups.setdefault(words[1], set())
            elif words[0] == "f":
                used.update(int(word.split("/")[0]) - 1 for word in words[1:])
    return {name: [vertices[i] for i in sorted(used)] for name, used in groups.items()}


class Moving(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        write_waves(5)
        with open("moving.json", "w") as file:
            json.dump(SCENE, file)
        cls.said = call("run", "moving.json", "-o", "whole.vtkhdf", "--summary", "whole.json")
        with open("whole.json") as file:
            cls.summary = json.load(file)

    def test_what_it_does(self):
        energy = self.summary["energy"]
        self.assertEqual(self.summary["status"], "done")
        self.assertGreater(self.summary["min_gap"], 0)
        self.assertEqual(self.summary["intersections"], 0)
        # the cubes of 1 kg rise with plate and sheet, by 0.1 m/s and by 5 mm in 0.05 s, for 0.2 s
        self.assertAlmostEqual(energy["end"]["gravity"] - energy["start"]["gravity"], 9.8 * (0.02 + 0.02), delta=0.05)
        self.assertGreater(energy["work"], 0.8 * 9.8 * 0.04)

    def test_info_and_check(self):
        check = call("check", "moving.json")
        self.assertIn('obstacle "plate": a box that moves', check)
        self.assertIn('obstacle "roller 1": a cylinder that moves', check)
        self.assertIn('"roller 2" to "roller 3"', check)
        self.assertIn("obstacles: 6;", check)
        info = call("info", "whole.vtkhdf")
        for name in ("plate", "roller 1", "roller 3", "wave"):
            self.assertIn(f'obstacle "{name}"', info)
        self.assertIn("obstacle plane:", info)
        self.assertNotIn("obstacle box:", info)

    def test_where_they_are(self):
        """In the exported surfaces: the plate's corners, the rollers' rims, the sheet's vertices at the last frame."""
        call("export", "whole.vtkhdf", "-q", "-f", "obj", "-o", "shapes")
        time, groups = STEPS * H, surfaces(f"shapes_{STEPS // 5:06d}.obj")
        turn = math.radians(40 * time)
        plate = [value for name, value in groups.items() if "plate" in name][0]
        corners = {(round(x * math.cos(turn) + z * math.sin(turn) + 0.2 * time, 5), round(y + 0.1 * time, 5),
                    round(z * math.cos(turn) - x * math.sin(turn), 5)) for x in (-0.15, 0.15) for y in (-0.1, 0) for z in (-0.15, 0.15)}
        self.assertEqual(len(plate), 8)
        for vertex in plate:
            self.assertLess(min(math.dist(vertex, corner) for corner in corners), 2e-5)
        rollers = [value for name, value in groups.items() if "roller" in name]
        self.assertEqual(len(rollers), 3)
        for index, roller in enumerate(rollers):
            radii = [math.hypot(x - 0.2 * index, y + 0.5) for x, y, _ in roller]
            self.assertAlmostEqual(max(radii), 0.05, delta=1e-5)
        sheet = [value for name, value in groups.items() if "wave" in name][0]
        for vertex, (x, y, z) in zip(sheet, wave(4)):
            self.assertLess(math.dist(vertex, (x + 1, y, z)), 1e-5)

    def test_resumed(self):
        """Interrupted between frames of the sequence and of the run, and gone on with: the same rows and positions."""
        call("run", "moving.json", "-q", "-o", "cut.vtkhdf", "--until", "0.1")
        call("run", "cut.vtkhdf", "--resume", "-q", "--until", str(STEPS * H))
        rows = []
        for run in ("whole", "cut"):
            call("export", f"{run}.vtkhdf", "-q", "-f", "csv", "-o", f"{run}.csv")
            call("export", f"{run}.vtkhdf", "-q", "-f", "ply", "-o", run)
            with open(f"{run}.csv", newline="") as file:
                rows.append([[value for name, value in row.items() if "seconds" not in name and "time" not in name]
                             for row in csv.DictReader(file)])
        self.assertEqual(len(rows[0]), STEPS + 1)
        self.assertEqual(rows[0], rows[1])
        for frame in range(STEPS // 5 + 1):
            with open(f"whole_{frame:06d}.ply", "rb") as a, open(f"cut_{frame:06d}.ply", "rb") as b:
                self.assertEqual(a.read(), b.read())

    def test_other_settings(self):
        """A branch with another motion: obstacles hold where they are, and move on from there."""
        call("run", "whole.vtkhdf", "--resume", "-q", "--from", "2", "--until", "0.15", "--set", "obstacles.1.motion.velocity=[0,0,0]",
             "-o", "branch.vtkhdf")
        self.assertIn("0.15", call("info", "branch.vtkhdf"))

    def test_rendered(self):
        call("render", "whole.vtkhdf", "--quiet", "--frame", "1", "--size", "160x90", "-o", "frame.png")
        self.assertGreater(os.path.getsize("frame.png"), 1000)

    def test_what_is_missing(self):
        scene = json.loads(json.dumps(SCENE))
        scene["obstacles"][3]["motion"]["follow"]["files"] = "none_%02d.obj"
        with open("missing.json", "w") as file:
            json.dump(scene, file)
        self.assertIn("obstacles[3].motion.follow: there is no ", call("check", "missing.json", code=2))


if __name__ == "__main__":
    if not PROGRAM:
        print("test_moving_run: skipped: VISVIVA does not name the program")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main()
