#!/usr/bin/env python3
"""Gravity with keys in time: the momentum that it gives, its work, equilibria that follow it, resuming, refusals.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import csv
import json
import os
import pathlib
import sys
import tempfile
import unittest

from terminal_support import PROGRAM, call

MASS = 1.0  # kg: of the cube
BODIES = [{"name": "cube", "material": "jelly", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}}},
          {"name": "rod", "material": ["wire", "bent"], "thickness": 0.01, "mesh": {"chain": {"length": 1, "nodes": 6}}, "place": {"translate": [0, 0, 1]}},
          {"name": "block", "material": "stiff", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}}, "place": {"translate": [0, 0, 2]}}]
MATERIALS = {"jelly": {"model": "stvk", "young": 1e5, "density": 1000}, "stiff": {"model": "affine", "young": 1e7, "density": 1000},
             "wire": {"model": "rod-stretch", "young": 1e7, "density": 1000}, "bent": {"model": "rod", "young": 1e7, "density": 1000}}


def scene(name, **more):
    """A scene file of these bodies, which fall."""
    text = {"visviva": 1, "name": "falls", "time": {"step": 0.02, "end": 0.5}, "gravity": [0, -10, 0], "contact": {"model": "none"},
            "integrator": {"scheme": "implicit-midpoint"}, "solver": {"tolerance": 1e-10}, "materials": MATERIALS, "bodies": BODIES}
    pathlib.Path(name).write_text(json.dumps(text | more))
    return name


class Gravity(unittest.TestCase):
    def good(self, *arguments):
        done = call(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_of(self, name, **more):
        self.good("run", scene(name + ".json", **more), "-q", "--force", "-o", name + ".vtkhdf", "--summary", name + ".sum")
        return json.loads(pathlib.Path(name + ".sum").read_text())

    def rows(self, name, *fields):
        self.good("export", name + ".vtkhdf", "-q", "-o", name + ".csv", *fields)
        with open(name + ".csv", newline="") as file:
            return list(csv.DictReader(file))

    def test_fall(self):
        """The impulse is the integral of the keys, of all masses; what it does is work, and all of it is motion."""
        mass = 2 * MASS + 1000 * 3.141592653589793 / 4 * 1e-4
        for smooth, part in ((False, 0.125), (True, 0.5 ** 3 - 0.5 * 0.5 ** 4)):  # of t and of 3 t^2 - 2 t^3 up to 0.5 s
            said = self.run_of("fall", gravity_keys=[[0, 0], [1, 1]], gravity_smooth=smooth)
            self.assertAlmostEqual(said["momentum"]["linear_end"][1] / (-10 * mass * part), 1, 9)
            self.assertAlmostEqual(said["energy"]["work"] / (0.5 * mass * (10 * part) ** 2), 1, 9)
            self.assertAlmostEqual(said["energy"]["end"]["kinetic"] / said["energy"]["work"], 1, 9)
            self.assertEqual(said["energy"]["end"]["gravity"], 0)
            self.assertLess(said["energy"]["max_target_error"], 1e-9)

    def test_one_all_the_time(self):
        """By keys of 1 all moves as under gravity without keys."""
        plain, keyed = self.run_of("plain"), self.run_of("keyed", gravity_keys=[[0, 1]])
        for k in range(3):
            self.assertAlmostEqual(plain["momentum"]["linear_end"][k], keyed["momentum"]["linear_end"][k], delta=1e-10)
        for a, b in zip(plain["bounds_end"], keyed["bounds_end"]):
            for x, y in zip(a, b):
                self.assertAlmostEqual(x, y, delta=1e-10)
        scales = [float(next(row[key] for key in row if key.split(" [")[0] == "scale")) for row in (self.rows("plain")[0], self.rows("keyed")[0])]
        self.assertAlmostEqual(scales[0] / scales[1], 1, 12)  # of errors, which is no smaller where keys begin at 0
        self.run_of("later", gravity_keys=[[0, 0], [1, -1]])
        self.assertAlmostEqual(float(next(v for k, v in self.rows("later")[0].items() if k.split(" [")[0] == "scale")) / scales[0], 1, 12)

    def test_settle_over(self):
        """What a clamp bears is the weight of the time."""
        held = [BODIES[0] | {"attach": [{"where": {"percent": [[0, 0, 0], [0, 100, 100]]}}]}]
        for smooth in (False, True):
            name = scene("hang.json", bodies=held, gravity_keys=[[0, 0], [4, 2]], gravity_smooth=smooth)
            self.good("settle", name, "--over", "4", "--count", "4", "-o", "hang.vtkhdf")
            for row, time in zip(self.rows("hang", "--fields", "displacement"), range(5)):
                u = time / 4
                part = 2 * (u * u * (3 - 2 * u) if smooth else u)
                self.assertAlmostEqual(float(row["reaction y of attachment 0 on cube [N]"]), 10 * MASS * part, delta=1e-5)
                self.assertAlmostEqual(float(row["reaction y of attachment 1 on cube [N]"]), -10 * MASS * part, delta=1e-9)

    def test_resume(self):
        """A run that is cut off goes on to the same bits."""
        keys = {"gravity_keys": [[0.03, 0], [0.2, 1], [0.31, -1]]}
        self.run_of("whole", **keys)
        self.good("run", scene("part.json", **keys), "-q", "-o", "part.vtkhdf", "--until", "0.2")
        self.good("run", "part.vtkhdf", "--resume", "--until", "0.5", "-q")
        whole, part = self.rows("whole"), self.rows("part")
        self.assertEqual(len(whole), 26)
        self.assertEqual(whole, part)

    def test_refusals(self):
        for more, words in (({"gravity_keys": [[1, 0], [0.5, 1]]}, "times must ascend"), ({"gravity_smooth": True}, "belongs to gravity_keys"),
                            ({"gravity_keys": [[0, "x"]]}, "gravity_keys"), ({"gravity_keys": 3}, "gravity_keys")):
            done = call("check", scene("bad.json", **more))
            self.assertEqual(done.returncode, 2, more)
            self.assertIn(words, done.stderr)
            if more.get("gravity_keys") == [[0, "x"]]:
                self.assertIn("1e+18 (or", done.stderr)  # a factor has no unit


if __name__ == "__main__":
    if not os.access(PROGRAM, os.X_OK):
        print("test_gravity_keys: skipped, no program in $VISVIVA")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main(verbosity=1)
