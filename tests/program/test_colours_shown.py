#!/usr/bin/env python3
"""Colours that a scene gives its bodies: in pictures, reports and exports; what is no colour is refused. $VISVIVA is the program."""
import json
import os
import pathlib
import re
import tempfile
import unittest

from exports_support import need_program
from pictures_support import read_png
from terminal_support import call

SCENE = {"visviva": 1, "name": "colours", "time": {"step": "1/60", "end": 0.05}, "contact": {"model": "none"},
         "materials": {"jelly": {"model": "fixed-corotated", "young": 2e4, "poisson": 0.3, "density": 1000}},
         "bodies": [{"name": "blue", "material": "jelly", "color": "#1111ff", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}},
                    {"name": "green", "material": "jelly", "color": "#11FF11", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}},
                     "place": {"translate": [0.5, 0, 0]}, "copies": {"count": [2, 1, 1], "step": [0.5, 0, 0]}},
                    {"name": "any", "material": "jelly", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "place": {"translate": [1.5, 0, 0]}}]}
WANTED = [0x1111ff, 0x11ff11, 0x11ff11, None]


def linear(byte):
    s = byte / 255
    return s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4


class Colours(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        pathlib.Path("scene.json").write_text(json.dumps(SCENE), encoding="utf-8")
        done = call("run", "scene.json", "-q", "-o", "run.vtkhdf", "--report", "run.html")
        assert done.returncode == 0, done.stderr

    def export(self, name):
        done = call("export", "run.vtkhdf", "-q", "-o", name)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_gltf(self):
        self.export("run.glb")
        data = pathlib.Path("run.glb").read_bytes()
        materials = json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])["materials"]
        for material, colour in zip(materials, WANTED):
            if colour is not None:
                for k in range(3):
                    self.assertAlmostEqual(material["pbrMetallicRoughness"]["baseColorFactor"][k], linear(colour >> 16 - 8 * k & 255), delta=1e-5)
        self.assertNotEqual(materials[3]["pbrMetallicRoughness"]["baseColorFactor"], materials[1]["pbrMetallicRoughness"]["baseColorFactor"])

    def test_usd_and_ply(self):
        self.export("run.usda")
        found = [[float(x) for x in text.split(",")] for text in re.findall(r"displayColor = \[\(([^)]*)\)\]", pathlib.Path("run.usda").read_text(encoding="utf-8"))]
        self.assertEqual(len(found), 4)
        for shown, colour in zip(found, WANTED):
            if colour is not None:
                for k in range(3):
                    self.assertAlmostEqual(shown[k], linear(colour >> 16 - 8 * k & 255), delta=1e-4)
        self.export("run.ply")
        data = sorted(pathlib.Path(".").glob("run_*.ply"))[0].read_bytes()
        self.assertIn(bytes([0x11, 0x11, 0xff]), data)
        self.assertIn(bytes([0x11, 0xff, 0x11]), data)

    def test_report(self):
        html = pathlib.Path("run.html").read_text(encoding="utf-8")
        facts = json.loads(re.search(r'<script type="application/json" id="facts">(.*?)</script>', html, re.DOTALL).group(1))
        self.assertEqual([part["colour"] for part in facts["runs"][0]["film"]["parts"]], WANTED)

    def test_picture(self):
        done = call("render", "run.vtkhdf", "-q", "-o", "run.png", "--size", "320x200")
        if done.returncode and "EGL" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = read_png(pathlib.Path("run.png"))[2]
        kinds = {"blue": 0, "green": 0}
        for row in rows:
            for r, g, b in row:
                kinds["blue"] += b > 2 * r and b > 2 * g
                kinds["green"] += g > 2 * r and g > 2 * b
        self.assertGreater(kinds["blue"], 100)
        self.assertGreater(kinds["green"], 1.5 * kinds["blue"])

    def test_no_colour(self):
        for word in ("blue", "#12345", "#1234567", "#12345g", ""):
            bad = {**SCENE, "bodies": [{**SCENE["bodies"][0], "color": word}]}
            pathlib.Path("bad.json").write_text(json.dumps(bad), encoding="utf-8")
            done = call("check", "bad.json")
            self.assertEqual(done.returncode, 2)
            self.assertIn("bodies[0].color", done.stderr)


if __name__ == "__main__":
    need_program()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main()
