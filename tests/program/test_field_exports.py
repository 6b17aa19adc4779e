#!/usr/bin/env python3
"""Fields of a run: what `info --fields` says, arrays in VTU files, and the table of frames, against a bar whose stress is known.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import csv
import json
import math
import os
import pathlib
import re
import shutil
import struct
import sys
import tempfile
import unittest

from terminal_support import PROGRAM, call

# Drawn by traction along x, held by planes: uniaxial stress of St. Venant-Kirchhoff.
STRETCH = 1.05
STRAIN = (STRETCH ** 2 - 1) / 2
PULL = 1e5 * STRETCH * STRAIN  # first Piola-Kirchhoff's
CAUCHY = PULL / (1 - 2 * 0.3 * STRAIN)
AREA = 0.04


def held(low, high, **what):
    return {"where": {"percent": [low, high]}, **what}


SCENE = {"visviva": 1, "name": "bar", "time": {"step": 0.5, "end": 5, "record_every": 5}, "gravity": [0, 0, 0],
         "contact": {"model": "none"}, "solver": {"tolerance": 1e-10},
         "materials": {"rubber": {"model": "stvk", "young": 1e5, "poisson": 0.3, "density": 1}},
         "bodies": [{"name": "bar", "material": "rubber", "mesh": {"box": {"size": [0.4, 0.2, 0.2], "cells": [4, 2, 2]}},
                     "attach": [held([0, 0, 0], [0, 100, 100], axes="x"), held([0, 0, 0], [100, 0, 100], axes="y"),
                                held([0, 0, 0], [100, 100, 0], kind="symmetry", normal=[0, 0, 1]),
                                held([100, 0, 0], [100, 100, 100], kind="traction", traction=[PULL, 0, 0], keys=[[0, 0], [2, 1]])]},
                    {"name": "chain", "mesh": {"cloth": {"size": [0.1, 0.1], "cells": [2, 2]}}, "place": {"translate": [1, 0, 0]}}]}


def arrays(path):
    """The arrays of a VTU file of ours, by name: section, components, numbers."""
    data = pathlib.Path(path).read_bytes()
    raw = data.index(b'encoding="raw">\n_') + len(b'encoding="raw">\n_')
    head, found, section = data[:raw].decode(), {}, None
    for line in head.splitlines():
        opens = re.match(r"\s*<(PointData|CellData|Points|Cells)\b", line)
        section = opens[1] if opens else section
        row = re.search(r'type="(\w+)" Name="([^"]+)" NumberOfComponents="(\d+)" format="appended" offset="(\d+)"', line)
        if row:
            at = raw + int(row[4])
            size = struct.unpack_from("<Q", data, at)[0]
            kind = {"Float64": "d", "Float32": "f", "Int32": "i", "Int64": "q", "UInt8": "B"}[row[1]]
            found[row[2]] = (section, int(row[3]), struct.unpack_from(f"<{size // struct.calcsize(kind)}{kind}", data, at + 8))
    return found


class Fields(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        pathlib.Path("bar.json").write_text(json.dumps(SCENE))
        done = call("run", "bar.json", "-q", "-o", "bar.vtkhdf")
        assert done.returncode == 0, done.stderr

    def good(self, *arguments):
        done = call(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_settle_over(self):
        """Equilibria of a bar whose pull grows by its keys, against uniaxial stress; and where the way ends."""
        said = self.good("settle", "bar.json", "--over", "4", "--count", "4", "-o", "curve.vtkhdf")
        self.assertEqual(re.findall(r"t = (\S+) s", said), ["0", "1", "2", "3", "4"])
        self.good("export", "curve.vtkhdf", "-q", "-o", "curve.csv", "--fields", "strain,displacement,reaction")
        self.assertIn("reaction of bar in all: (-", self.good("info", "curve.vtkhdf", "--fields", "reaction"))
        with open("curve.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        for row, time in zip(rows, range(5)):
            pull, stretch = PULL * min(time / 2, 1), 1.0
            for _ in range(50):  # E lambda (lambda^2 - 1) / 2 = pull
                stretch -= (1e5 * stretch * (stretch ** 2 - 1) / 2 - pull) / (1e5 * (3 * stretch ** 2 - 1) / 2)
            self.assertAlmostEqual(float(row["reaction x of attachment 0 on bar [N]"]), -pull * AREA, delta=1e-6 * PULL * AREA)
            sums = [float(row[f"sum {k} of reaction of bar [N]"]) for k in "xyz"]
            held = [sum(float(row[f"reaction {k} of attachment {a} on bar [N]"]) for a in range(3)) for k in "xyz"]
            self.assertTrue(max(abs(a - b) for a, b in zip(sums, held)) < 1e-9 * PULL * AREA, (sums, held))
            sideways = math.sqrt(1 - 0.3 * (stretch ** 2 - 1))
            moved = math.hypot(0.4 * (stretch - 1), 0.2 * (sideways - 1), 0.2 * (sideways - 1))
            self.assertAlmostEqual(float(row["largest displacement of bar [m]"]), moved, delta=1e-8)
        self.good("export", "curve.vtkhdf", "-q", "-o", "ledger.csv")
        with open("ledger.csv", newline="") as file:
            rows = [{name.split(" [")[0]: float(value) for name, value in row.items() if name.split(" [")[0] in ("H", "kinetic", "elastic", "total", "work", "error", "target")}
                    for row in csv.DictReader(file)]
        self.assertEqual(len(rows), 5)
        for before, row in zip(rows, rows[1:]):  # of each equilibrium: what is stored there, and the work from the one before
            self.assertEqual(row["kinetic"], 0)
            self.assertAlmostEqual(row["total"] / rows[-1]["total"], row["elastic"] / rows[-1]["total"], 9)
            self.assertAlmostEqual((row["total"] - before["total"]) / rows[-1]["total"], (row["work"] + row["error"]) / rows[-1]["total"], 9)
        self.assertEqual(call("settle", "bar.json", "--over", "4", "--count", "0").returncode, 2)

    def test_no_body_has_it(self):
        """A field that none of the bodies has: said, not passed over; and each name once in the list of what can be drawn."""
        said = self.good("info", "bar.vtkhdf", "--fields", "torque,displacement")
        self.assertIn("torque: no body of the run has that field", said)
        self.assertNotIn("displacement: no body", said)
        names = call("render", "bar.vtkhdf", "-o", "bar.png", "--color", "nonsense").stderr.split("is not one of: ")[1].strip().split(", ")
        self.assertIn("strain", names)
        self.assertEqual(len(names), len(set(names)), names)

    def test_settle_over_work(self):
        """The work of equilibria's rows is the energy gained, to second order in their number: of loads, supports and springs; loads alone do all of it."""
        end = ([100, 0, 0], [100, 100, 100])
        way = {"waypoints": [{"time": 0}, {"time": 1, "offset": [0.08, 0.05, 0]}]}
        pull = held(*end, kind="force", force=[100, 0, 0], keys=[[0, 0], [1, 1]])
        gas = {"where": {"all": True}, "kind": "pressure", "pressure": 8e3, "follow": True, "keys": [[0, 0], [1, 1]]}
        for name, loads in (("pull", [pull]), ("gas", [held(*end, motion=way), gas]), ("spring", [held(*end, kind="spring", stiffness=300, motion=way), pull]),
                            ("slide", [held(*end, axes="x"), gas, pull])):
            scene = {"visviva": 1, "gravity": [0, 0, 0], "contact": {"model": "none"}, "solver": {"tolerance": 1e-9}, "materials": {"rubber": {"model": "stvk", "young": 1e5, "poisson": 0.3}},
                     "bodies": [{"name": "bar", "material": "rubber", "mesh": {"box": {"size": [0.4, 0.1, 0.1], "cells": [4, 1, 1]}}, "attach": [held([0, 0, 0], [0, 100, 100]), *loads]}]}
            pathlib.Path("work.json").write_text(json.dumps(scene))
            open_, done = [], []
            for count in (4, 8):
                self.good("settle", "work.json", "--over", "1", "--count", str(count), "-o", "work.vtkhdf")
                self.good("export", "work.vtkhdf", "-q", "-o", "work.csv")
                with open("work.csv", newline="") as file:
                    rows = [{key.split(" [")[0]: float(value) for key, value in row.items() if value} for row in csv.DictReader(file)]
                gained = rows[-1]["total"] - rows[0]["total"]
                open_.append(sum(row["work"] for row in rows) / gained - 1)
                done.append(sum(row["loads"] for row in rows) / gained)
                if name in ("pull", "slide"):
                    self.assertAlmostEqual(done[-1], 1 + open_[-1], 12)
            self.assertTrue(3.5 < open_[0] / open_[1] < 4.5 and abs(open_[1]) < 0.005, (name, open_))
            self.assertTrue(0.03 < done[0] and abs(done[1] / done[0] - 1) < 0.1, (name, done))

    def test_settle_over_ends(self):
        """A plate that is driven into the ground: the last equilibrium is that before it cannot go on."""
        press = {"visviva": 1, "gravity": [0, 0, 0], "materials": {"rubber": {"model": "neo-hookean", "young": 1e5}},
                 "bodies": [{"material": "rubber", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}}, "place": {"translate": [0, 0.052, 0]},
                             "attach": [{"where": {"percent": [[0, 100, 0], [100, 100, 100]]}, "motion": {"velocity": [0, -0.06, 0]}}]}],
                 "obstacles": [{"plane": {}}]}
        pathlib.Path("press.json").write_text(json.dumps(press))
        done = call("settle", "press.json", "--over", "2", "--count", "2", "-o", "press.vtkhdf")
        self.assertEqual(done.returncode, 1)
        times = [float(time) for time in re.findall(r"t = (\S+) s", done.stdout)]
        self.assertEqual(times[:2], [0, 1])
        self.assertTrue(1.5 < times[2] < 1.7 and len(times) == 3, done.stdout)  # all of it is 0.102 m, after 1.7 s
        self.assertIn("not even in load steps of 1/256 of 1 s", done.stderr)
        self.assertIn(": failed", self.good("info", "press.vtkhdf"))
        self.assertIn("3 frames", self.good("info", "press.vtkhdf"))

    def test_settle_over_any_time(self):
        """Time counts loads alone: energy is that of the equilibrium, and joints stay as stiff as the scene's step makes them. A run goes on from there."""
        weight = {"visviva": 1, "contact": {"model": "none"}, "time": {"step": 0.01}, "solver": {"tolerance": 1e-8}, "materials": {"rubber": {"model": "stvk", "young": 1e7}},
                  "bodies": [{"name": "cube", "material": "rubber", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}}}],
                  "joints": [{"kind": "ball", "between": ["world", "cube"], "at": [0, 0.05, 0]}]}
        pathlib.Path("weight.json").write_text(json.dumps(weight))
        energy, moved = re.search(r"energy (\S+) J .* farthest node moved (.*), in", self.good("settle", "weight.json")).groups()
        for scene in ("bar.json", "weight.json"):
            ends = []
            for time in (2e-6, 2, 2e5):
                if scene == "bar.json":
                    SCENE["bodies"][0]["attach"][3]["keys"] = [[0, 0], [time, 1]]
                    pathlib.Path("soon.json").write_text(json.dumps(SCENE))
                last = self.good("settle", "soon.json" if scene == "bar.json" else scene, "--over", str(time), "--count", "2", "-o", "soon.vtkhdf").splitlines()[2]
                ends.append([float(word) for word in re.search(r"moved (\S+) .?m +energy (\S+) .?J +2 load steps", last).groups()])
            for end in ends:
                self.assertAlmostEqual(end[0] / ends[0][0], 1, 2)
                self.assertAlmostEqual(end[1] / ends[0][1], 1, 2)
        self.assertAlmostEqual(ends[0][0] / float(moved.split()[0]), 1, 2)
        self.assertAlmostEqual(1e-6 * ends[0][1] / float(energy), 1, 2)
        self.good("settle", "weight.json", "--over", "2", "--count", "2", "-o", "weight.vtkhdf")
        self.good("run", "weight.vtkhdf", "--resume", "--until", "4.5", "-q")
        self.assertIn("t = 0 to 5 s", self.good("info", "weight.vtkhdf"))
        self.good("run", "weight.vtkhdf", "--resume", "--until", "1", "--set", "time.step=0.01", "-q")  # past its end: nothing is added
        self.assertIn("t = 0 to 5 s", self.good("info", "weight.vtkhdf"))

    def test_settle_over_numbers_end(self):
        """A pressure of a hundred times the modulus that follows the surface: where a solve runs away there is no equilibrium."""
        crush = {"visviva": 1, "gravity": [0, 0, 0], "contact": {"model": "none"}, "materials": {"rubber": {"model": "corotated", "young": 1e6, "poisson": 0.3}},
                 "bodies": [{"name": "ball", "material": "rubber", "mesh": {"ball": {"radius": 0.05, "cells": 3}},
                             "attach": [{"where": {"all": True}, "kind": "pressure", "pressure": 1e8, "follow": True, "keys": [[0, 0], [1, 1]]}]}]}
        pathlib.Path("crush.json").write_text(json.dumps(crush))
        done = call("settle", "crush.json", "--over", "1", "--count", "2")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertNotIn("Tm", done.stdout)
        self.assertIn("no static equilibrium", done.stderr)

    def test_distance(self):
        """A cube pressed by 5 mm onto a plane: a d-hat above a tenth of that is warned of, with one that fits; a constraint has none."""
        def said(contact, fields="contact-force", rigid=False, young=None, hard=None):
            down = {"waypoints": [{"time": 0, "offset": [0, 0, 0]}, {"time": 1, "offset": [0, -0.007, 0]}]}
            scene = {"visviva": 1, "gravity": [0, 0, 0], "contact": contact, "materials": {"rubber": {"model": "stvk", "young": 1e6}},
                     "bodies": [{"name": "cube", "material": "rubber", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [3, 3, 3]}}, "place": {"translate": [0, 0.052, 0]},
                                 "attach": [{"where": {"percent": [[0, 50, 0], [100, 100, 100]]}, "motion": down}]}], "obstacles": [{"plane": {}}]}
            if rigid:  # what moves, and what is all but rigid, is not pressed in
                del scene["bodies"][0]["attach"]
                scene["gravity"] = [0, -9.81, 0]
                scene["materials"]["rubber"] = {"model": "affine", "young": 1e8}
                scene["obstacles"][0]["motion"] = {"velocity": [0, 0.01, 0]}
            if young:  # rests by its weight, which is right
                scene["materials"]["rubber"]["young"] = young
                del scene["bodies"][0]["attach"]
                del scene["gravity"]
            if hard:  # on a block that is not pressed in in place of the plane
                scene["materials"]["hard"] = {"model": "stvk", "young": hard}
                scene["bodies"].append({"name": "block", "material": "hard", "mesh": {"box": {"size": [0.2, 0.1, 0.2], "cells": [4, 2, 4]}}, "place": {"translate": [0, -0.05, 0]},
                                        "attach": [{"where": {"percent": [[0, 0, 0], [100, 0, 100]]}}]})
                scene["obstacles"] = []
            pathlib.Path("down.json").write_text(json.dumps(scene))
            self.good("settle", "down.json", "--over", "1", "--count", "1", "-o", "down.vtkhdf")
            done = call("info", "down.vtkhdf", "--fields", fields)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr
        warning = re.search(r'contact indents "cube" by (\S+) m, .*; contact.distance (\S+) m fits', said({"distance": 1e-3}))
        self.assertTrue(0.0025 < float(warning[1]) < 0.006, warning[0])
        self.assertTrue(0.01 < float(warning[2]) / float(warning[1]) < 0.03, warning[0])
        self.assertEqual(said({"distance": float(warning[2])}), "")
        self.assertEqual(said({"model": "constraint"}), "")
        self.assertEqual(said({"distance": 1e-3}, "stress"), "")
        self.assertEqual(said({"distance": 1e-3}, rigid=True), "")
        self.assertEqual(said({"distance": 1e-3}, young=1e8), "")
        self.assertEqual(said({"distance": float(warning[2])}, hard=1e9), "")
        self.assertIn('indents "block" by', said({"distance": 1e-3}, hard=1e9))

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_plot(self):
        """A panel for each field with a curve for each body, and one for the forces of supports and loads."""
        self.good("plot", "bar.vtkhdf", "--fields", "von-mises,displacement,reaction", "-o", "fields.svg")
        said = pathlib.Path("fields.svg").read_text()
        for words in ("Von-mises", "Displacement", "Reaction in all", "Force of supports and loads", "attachment 3 on bar", ">chain<", ">bar<"):
            self.assertIn(words, said)
        self.good("plot", "bar.vtkhdf", "--fields", "von-mises", "-o", "solid.svg")
        self.assertNotIn(">chain<", pathlib.Path("solid.svg").read_text())  # springs have no stress
        self.assertNotIn("Energy", said)
        self.good("plot", "bar.vtkhdf", "bar.vtkhdf", "--fields", "von-mises", "--what", "energy", "-l", "first", "-l", "second", "-o", "both.svg")
        said = pathlib.Path("both.svg").read_text()
        for words in ("Von-mises", "Total energy", ">first<", ">second<"):
            self.assertIn(words, said)
        bodies = [{"mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}}, "copies": {"count": [30, 1, 1], "step": [1, 0, 0]}}]
        cloth = [{"mesh": {"cloth": {"size": [0.1, 0.1], "cells": [2, 2]}}}]
        for name, some in (("many", bodies), ("cloth", cloth)):
            pathlib.Path(name + ".json").write_text(json.dumps({"visviva": 1, "time": {"end": 0.1}, "bodies": some}))
            self.good("run", name + ".json", "-q", "-o", name + ".vtkhdf")
        done = call("plot", "cloth.vtkhdf", "many.vtkhdf", "bar.vtkhdf", "--fields", "von-mises", "-l", "soft", "-l", "thirty", "-l", "bar", "-o", "three.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("31 curves are too many for one panel: the first 8 of each run are drawn", done.stderr)
        done = call("plot", "cloth.vtkhdf", "--fields", "von-mises", "-o", "no.svg")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no body of these runs has these fields", done.stderr)
        said = pathlib.Path("three.svg").read_text()
        for words in ("Von-mises", ">thirty<", ">bar<"):
            self.assertIn(words, said)
        done = call("plot", "bar.vtkhdf", "--fields", "vonmises", "-o", "no.svg")
        self.assertEqual(done.returncode, 2)
        self.assertIn('did you mean "von-mises"', done.stderr)

    def test_info(self):
        said = self.good("info", "bar.vtkhdf", "--fields", "von-mises,reaction")
        low, high = map(float, re.search(r"von-mises of bar: (\S+) to (\S+) Pa, largest in tet \d+ at", said).groups())
        self.assertAlmostEqual(low / CAUCHY, 1, 4)
        self.assertAlmostEqual(high / CAUCHY, 1, 4)
        self.assertNotIn("von-mises of chain", said)
        self.assertIn("reaction of chain: 0 to 0 N", said)
        bears = re.findall(r"attachment (\d) of bar, (\w+), (\d+) nodes: \((\S+), (\S+), (\S+)\) N", said)
        self.assertEqual([(n, kind) for n, kind, *_ in bears], [("0", "roller"), ("1", "roller"), ("2", "roller"), ("3", "traction")])
        self.assertAlmostEqual(float(bears[0][3]) / (PULL * AREA), -1, 5)
        self.assertAlmostEqual(float(bears[3][3]) / (PULL * AREA), 1, 5)

    def test_vtu(self):
        self.good("export", "bar.vtkhdf", "-q", "-o", "bar.pvd", "--fields", "stress,von-mises,strain@nodes,reaction,det-f")
        found = arrays("bar/bar_000002.vtu")
        tets = sum(kind == 10 for kind in found["types"][2])
        section, components, stress = found["stress"]
        self.assertEqual((section, components), ("CellData", 6))
        for i, value in enumerate(stress[:6 * tets]):
            self.assertAlmostEqual(value / CAUCHY, i % 6 == 0, 4)
        self.assertTrue(all(value != value for value in stress[6 * tets:]))  # of cloth
        self.assertEqual(found["von-mises"][:2], ("CellData", 1))
        section, components, strain = found["strain@nodes"]
        self.assertEqual((section, components, len(strain)), ("PointData", 6, 2 * len(found["Points"][2])))
        self.assertAlmostEqual(strain[0], STRAIN, 5)
        section, components, reaction = found["reaction"]
        self.assertEqual((section, components), ("PointData", 3))
        self.assertAlmostEqual(sum(reaction[::3]) / (PULL * AREA), -1, 5)
        self.assertEqual(set(found) - {"stress", "von-mises", "strain@nodes", "reaction", "det-f"}, set(self.plain()))

    def plain(self):
        """Without --fields nothing is different."""
        self.good("export", "bar.vtkhdf", "-q", "-o", "plain.pvd")
        return arrays("plain/plain_000002.vtu")

    def test_csv(self):
        self.good("export", "bar.vtkhdf", "-q", "-o", "bar.csv", "--fields", "von-mises,principal")
        with open("bar.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["frame"] for row in rows], ["0", "1", "2"])
        for row, part in zip(rows, (0, 1, 1)):
            for name in ("largest von-mises of bar [Pa]", "largest principal of bar [Pa]"):
                self.assertAlmostEqual(float(row[name]) / CAUCHY, part, 4)
            self.assertEqual(row["largest von-mises of chain [Pa]"], "nan")
            self.assertAlmostEqual(float(row["reaction x of attachment 0 on bar [N]"]) / (PULL * AREA), -part, 4)

    def test_rods_and_shells(self):
        """A cantilever of a rod beside a sheet that hangs: its force and moments, and what the sheet's upper edge bears, in every table."""
        load, end = 0.3, {"where": {"vertices": [10]}, "kind": "force"}
        scene = {"visviva": 1, "gravity": [0, 0, 0], "contact": {"model": "none"}, "solver": {"tolerance": 1e-9},
                 "materials": {"wire": {"model": "rod-stretch", "young": 1e9, "density": 1000}, "bent": {"model": "rod", "young": 1e9, "density": 1000},
                               "skin": {"model": "stvk-membrane", "young": 1e6, "thickness": 0.005}, "plate": {"model": "midedge", "young": 1e6, "thickness": 0.005}},
                 "bodies": [{"name": "bar", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}}},
                            {"name": "beam", "material": ["wire", "bent"], "thickness": 0.01, "mesh": {"chain": {"length": 1, "nodes": 11}}, "place": {"translate": [0, 0, 1]},
                             "attach": [{"where": {"vertices": [0, 1]}, "clamp": True}, end | {"force": [0, -load, 0]}]},
                            {"name": "sheet", "material": ["skin", "plate"], "mesh": {"sheet": {"size": [0.4, 0.2], "edge": 0.05, "pattern": "diagonal"}},
                             "place": {"translate": [0, 0, 2]},
                             "attach": [held([0, 0, 0], [0, 100, 100]), held([100, 0, 0], [100, 100, 100], kind="force", force=[2, 0, 0])]}]}
        pathlib.Path("thin.json").write_text(json.dumps(scene))
        self.good("settle", "thin.json", "--over", "1", "--count", "1", "-o", "thin.vtkhdf")
        names = "section-force,shear-force,bending-moment,torque,membrane-force,plate-moment"
        said = self.good("info", "thin.vtkhdf", "--fields", names)
        force, edge = re.search(r"section-force of beam: 0 to (\S+) N, largest in edge (\d+) at", said).groups()
        self.assertAlmostEqual(float(force) / load, 1, 5)
        self.assertNotEqual(edge, "0")
        self.assertNotIn("section-force of beam in all", said)
        moment, x = map(float, re.search(r"bending-moment of beam: 0 to (\S+) N m, largest in vertex 1 at \((\S+),", said).groups())
        self.assertTrue(0.85 < moment / (load * 0.9) < 1 and x == -0.4, (moment, x))  # it swings in as it bends
        self.assertRegex(said, r"membrane-force of sheet: \S+ to \S+ N/m, largest in triangle \d+ at \(")
        self.assertNotIn("of bar:", said)
        self.good("export", "thin.vtkhdf", "-q", "-o", "thin.pvd", "--fields", "section-force,section-force@nodes,bending-moment,membrane-force")
        found = arrays("thin/thin_000001.vtu")
        kinds = found["types"][2]
        first, lines, triangles = kinds.index(3), kinds.count(3), kinds.count(5)
        section, components, values = found["section-force"]
        self.assertEqual((section, components, lines), ("CellData", 3, 10))
        self.assertTrue(all(abs(values[3 * i + 1] / -load - 1) < 1e-5 for i in range(first + 1, first + lines)), values)
        self.assertTrue(all(v != v for i in range(len(kinds)) if kinds[i] != 3 for v in values[3 * i:3 * i + 3]))
        section, components, values = found["membrane-force"]
        pull = [values[6 * i] for i in range(len(kinds)) if kinds[i] == 5]
        self.assertEqual((section, components, len(pull)), ("CellData", 6, triangles))
        self.assertAlmostEqual(sum(pull) / len(pull) / 10, 1, 1)  # 2 N by 0.2 m
        section, components, values = found["section-force@nodes"]
        self.assertEqual((section, components), ("PointData", 3))
        self.assertEqual(found["bending-moment"][:2], ("PointData", 1))
        self.good("export", "thin.vtkhdf", "-q", "-o", "thin.csv", "--fields", "bending-moment,membrane-force,section-force")
        with open("thin.csv", newline="") as file:
            last = list(csv.DictReader(file))[-1]
        self.assertAlmostEqual(float(last["largest bending-moment of beam [N m]"]), moment, 5)
        self.assertAlmostEqual(float(last["largest section-force of beam [N]"]), load, 5)
        self.assertEqual(last["largest membrane-force of bar [N/m]"], "nan")
        self.assertTrue(8 < float(last["largest membrane-force of sheet [N/m]"]) < 25)
        done = call("render", "bar.vtkhdf", "-o", "no.png", "--color", "torque")
        if "EGL" not in done.stderr:
            self.assertIn("no body of the run has that field", done.stderr)

    def test_affine_and_joints(self):
        """A stiff block at rest bears its weight on its surface, and one that is welded to the world hangs by its weight and that by its arm."""
        stiff = {"material": "stiff", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}}}
        scene = {"visviva": 1, "contact": {"distance": 1e-4}, "solver": {"tolerance": 1e-8}, "materials": {"stiff": {"model": "affine", "young": 1e8, "density": 1000}},
                 "bodies": [stiff | {"name": "block", "place": {"translate": [0, 0.0501, 0]}}, stiff | {"name": "arm", "place": {"translate": [1, 1, 0]}}],
                 "joints": [{"kind": "fixed", "between": ["world", "arm"], "at": [0.8, 1, 0]}], "obstacles": [{"plane": {}}]}
        pathlib.Path("stiff.json").write_text(json.dumps(scene))
        self.good("settle", "stiff.json", "--over", "1", "--count", "1", "-o", "stiff.vtkhdf")
        said = self.good("info", "stiff.vtkhdf", "--fields", "surface-force,surface-pressure")
        numbers = re.search(r"joint 0, fixed of the world and arm: \((\S+), (\S+), (\S+)\) N, \((\S+), (\S+), (\S+)\) N m on arm at \((\S+), (\S+), (\S+)\) m", said).groups()
        for found, wanted in zip(map(float, numbers), (0, 9.8, 0, 0, 0, 1.96, 0.8, 1, 0)):
            self.assertAlmostEqual(found, wanted, 3)
        self.assertIn("surface-force of block in all: (0, 9.8", said)
        self.assertRegex(said, r"surface-pressure of block: 0 to \S+ Pa, largest in vertex \d+ at \(\S+, \S+e-05, ")
        self.good("export", "stiff.vtkhdf", "-q", "-o", "stiff.csv", "--fields", "surface-force")
        with open("stiff.csv", newline="") as file:
            last = list(csv.DictReader(file))[-1]
        self.assertAlmostEqual(float(last["sum y of surface-force of block [N]"]), 9.8, 3)
        self.assertAlmostEqual(float(last["force y of joint 0 on arm [N]"]), 9.8, 3)
        self.assertAlmostEqual(float(last["moment z of joint 0 on arm [N m]"]), 1.96, 3)
        self.good("export", "stiff.vtkhdf", "-q", "-o", "stiff.pvd", "--fields", "surface-force")
        section, components, force = arrays("stiff/stiff_000001.vtu")["surface-force"]
        self.assertEqual((section, components), ("PointData", 3))
        self.assertAlmostEqual(sum(force[1::3]), 9.8, 3)
        if shutil.which("gnuplot"):
            self.good("plot", "stiff.vtkhdf", "--fields", "surface-force", "-o", "stiff.svg")
            for words in (">Surface-force in all<", ">Force of joints<", ">Moment of joints<", "joint 0 on arm"):
                self.assertIn(words.strip("<>"), pathlib.Path("stiff.svg").read_text())

    def test_refusals(self):
        for arguments, words in ((("info", "bar.vtkhdf", "--fields", "vonmises"), 'did you mean "von-mises"?'),
                                 (("info", "bar.json", "--fields", "stress"), "is for run files"),
                                 (("export", "bar.vtkhdf", "-o", "x.pvd", "--fields", "stress,,strain"), "a name of 0 letters"),
                                 (("export", "bar.vtkhdf", "-o", "x.pvd", "--fields", "load@node"), "load@node"),
                                 (("export", "bar.vtkhdf", "-o", "x.obj", "--fields", "stress"), "format obj holds no fields")):
            done = call(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)

    def test_list(self):
        said = self.good("list", "fields")
        for name in ("stress", "von-mises", "reaction", "contact-pressure", "section-force", "plate-moment"):
            self.assertRegex(said, rf"(?m)^\s*{name}\b")


if __name__ == "__main__":
    if not os.access(PROGRAM, os.X_OK):
        print("test_field_exports: skipped, no program in $VISVIVA")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main(verbosity=1)
