#!/usr/bin/env python3
"""Pictures of shells and rods: a sheet's thickness seen edge-on, its rim and its darker back; a rod's width in pixels, also of one that is
thinner than a pixel; colours by curvature and by strain from the rest shape.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it; all of it is skipped where OpenGL does not start.
"""
import math
import re
import sys
import unittest

from pictures_support import FOLDER, box_of, call, is_body, make_run, read_ppm, run_tests

SIZE = 400


def scene(name, bodies, **more):
    """Bodies that stay as they are."""
    return {"visviva": 1, "name": name, "gravity": [0, 0, 0], "time": {"step": "1/60", "end": "1/60"},
            "integrator": {"scheme": "backward-euler", "policy": "none"},
            "materials": {"thread": {"model": "hooke", "stiffness": 50, "density": 0.5},
                          "wire": {"model": "hooke-rod", "stiffness": 50, "density": 0.5}}, "bodies": bodies, **more}


def sheet(thickness):
    return {"name": "sheet", "material": "thread", "thickness": thickness, "mesh": {"cloth": {"size": [1, 1], "cells": [6, 6]}}}


def rod(thickness):
    return {"name": "rod", "material": "wire", "thickness": thickness, "mesh": {"chain": {"length": 1, "nodes": 21}}}


def make_runs():
    for name, thickness in (("thin", 0), ("thick", 0.1)):
        make_run(name, scene(name, [sheet(thickness)]))
        # two squares of one body: one shows its front to above, the other its back
        (FOLDER / "pair.obj").write_text("v 0 0 0\nv 0 0 1\nv 1 0 1\nv 1 0 0\nv 2 0 0\nv 2 0 1\nv 3 0 1\nv 3 0 0\n"
                                         "f 1 2 3\nf 1 3 4\nf 5 7 6\nf 5 8 7\n")
        make_run("pair-" + name, scene(name, [{"name": "pair", "material": "thread", "thickness": thickness, "mesh": {"file": "pair.obj"}}]))
    for name, thickness in (("rod", 0.05), ("hair", 1e-5)):
        make_run(name, scene(name, [rod(thickness)]))
    ring, n = "", 40  # a circle of radius 0.25, in a plane that faces the camera
    ring = "".join(f"v {0.25 * math.cos(2 * math.pi * i / n)!r} {0.25 * math.sin(2 * math.pi * i / n)!r} 0\n" for i in range(n))
    ring += "".join(f"l {i + 1} {(i + 1) % n + 1}\n" for i in range(n))
    (FOLDER / "ring.obj").write_text(ring)
    bends = {"model": "rod-bending", "young": 1e3, "poisson": 0.3, "density": 1000, "thickness": 0.02, "flat": True}
    make_run("straight", scene("straight", [{"name": "ring", "material": bends, "mesh": {"file": "ring.obj"}}]))
    make_run("ring", scene("ring", [{"name": "ring", "material": "wire", "thickness": 0.02, "mesh": {"file": "ring.obj"}}]))


def draw(run, *options):
    done = call("render", f"{run}.vtkhdf", "-o", "one.ppm", "--size", f"{SIZE}x{SIZE}", "--quality", 4, *options)
    if done.returncode == 2 and "OpenGL" in done.stderr:
        raise unittest.SkipTest(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return read_ppm(FOLDER / "one.ppm")[2], done.stdout


def linear(value):
    value /= 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


class Shells(unittest.TestCase):
    def test_edge_on(self):
        """A sheet without thickness is a line at most; with a tenth of its width it is a bar of that height."""
        thin = box_of(draw("thin", "--camera", "0,0")[0], is_body)
        self.assertTrue(thin is None or thin[3] - thin[1] <= 2, thin)
        left, top, right, bottom, count = box_of(draw("thick", "--camera", "0,0")[0], is_body)
        width, height = right - left + 1, bottom - top + 1
        self.assertGreater(width, 100)
        self.assertLess(abs(height / width - 0.1), 0.03)
        self.assertGreater(count, 0.9 * width * height)  # with its rim: no hole

    def test_from_above(self):
        """Seen from above, thickness changes the outline by little, and leaves no hole."""
        shapes = [box_of(draw(name, "--camera", "0,89")[0], is_body) for name in ("thin", "thick")]
        for left, top, right, bottom, count in shapes:
            self.assertGreater(count, 0.95 * (right - left + 1) * (bottom - top + 1))
        self.assertLess(abs(shapes[0][4] / shapes[1][4] - 1), 0.25)

    def test_the_back_is_darker(self):
        for name in ("pair-thin", "pair-thick"):
            rows = draw(name, "--camera", "0,60")[0]
            left, top, right, bottom, _ = box_of(rows, is_body)
            y, at = (top + bottom) // 2, [left + round(share * (right - left)) for share in (1 / 6, 5 / 6)]
            front, back = (sum(linear(c) for c in rows[y][x]) for x in at)
            self.assertGreater(front, 1.1 * back, name)
            self.assertGreater(back, 0.5 * front, name)

    def test_thin_as_a_pixel(self):
        """A sheet that is thinner than a pixel looks as one without thickness."""
        make_run("fine", scene("fine", [sheet(1e-4)]))
        fine, thin = (sum(draw(name, "--camera", "20,30")[0], []) for name in ("fine", "thin"))
        other = sum(1 for p, q in zip(fine, thin) if max(abs(a - b) for a, b in zip(p, q)) > 40)
        self.assertLess(other, 0.002 * len(fine))


class Rods(unittest.TestCase):
    def test_width(self):
        left, top, right, bottom, _ = box_of(draw("rod", "--camera", "0,0")[0], is_body)
        width, height = right - left + 1, bottom - top + 1
        self.assertGreater(width, 150)
        self.assertLess(abs(height / width - 0.05 / 1.05), 0.012)

    def test_a_hair_is_seen(self):
        left, top, right, bottom, count = box_of(draw("hair", "--camera", "0,0")[0], lambda r, g, b: r - b > 15)
        self.assertLessEqual(bottom - top + 1, 4)
        self.assertGreater(right - left, 150)
        self.assertGreater(count, 0.9 * (right - left))


class Fields(unittest.TestCase):
    def scale(self, text):
        return float(re.search(r"plum ([\d.e+-]+)", text)[1])

    def test_curvature(self):
        rows, text = draw("ring", "--color", "curvature")
        self.assertIn("1/m", text)
        self.assertLess(abs(self.scale(text) / 4 - 1), 0.01)
        # plum, the end of the scale, all around
        plum = sum(1 for row in rows for r, g, b in row if r < 130 and b > g + 15)
        self.assertGreater(plum, 500)

    def test_bending(self):
        """A ring that would be straight: B / (2 R^2) all around."""
        rows, text = draw("straight", "--color", "bending")
        self.assertIn("J/m", text)
        self.assertLess(abs(self.scale(text) / (1e3 * math.pi * 0.02 ** 4 / 64 / (2 * 0.25 ** 2)) - 1), 0.02)
        self.assertGreater(sum(1 for row in rows for r, g, b in row if r < 130 and b > g + 15), 500)
        done = call("render", "ring.vtkhdf", "-o", "no.ppm", "--color", "bending")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no bending stiffness", done.stderr)

    def test_wrong_word(self):
        done = call("render", "ring.vtkhdf", "-o", "no.ppm", "--color", "torsion")
        self.assertEqual(done.returncode, 2)
        self.assertIn("body, velocity, strain, curvature, bending", done.stderr)


if __name__ == "__main__":
    sys.exit(run_tests(make_runs))
