#!/usr/bin/env python3
"""Bodies with a material for each region of their mesh, in scenes: groups of Gmsh, MEDIT and Abaqus files, equilibrium in closed form, mass by
material, resuming, several solvers, what is refused and where.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import itertools
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

from terminal_support import PROGRAM, call

CELLS = 6  # along a bar of 0.6 x 0.1 x 0.1 m; the upper half is the second region
LOAD = {"where": {"percent": [[100, 0, 0], [100, 100, 100]]}, "kind": "traction", "traction": [2e4, 0, 0]}
SCENE = {"visviva": 1, "name": "bar", "gravity": [0, 0, 0], "time": {"step": 0.01, "end": 0.2}, "contact": {"model": "none"},
         "solver": {"tolerance": 1e-10}, "integrator": {"scheme": "implicit-midpoint"},
         "materials": {"rubber": {"model": "fixed-corotated", "young": 1e5, "poisson": 0, "density": 1000},
                       "wood": {"model": "fixed-corotated", "young": 4e5, "poisson": 0, "density": 500}},
         "bodies": [{"name": "bar", "mesh": {"file": "bar.msh"}, "materials": {"soft": "rubber", "hard": "wood"},
                     "attach": [{"where": {"percent": [[0, 0, 0], [0, 100, 100]]}}, LOAD]}]}


def node(i, j, k):
    return 1 + i + (CELLS + 1) * (j + 2 * k)


def elements():
    for i in range(CELLS):
        for axes in itertools.permutations(range(3)):
            at, tet = [i, 0, 0], [node(i, 0, 0)]
            for axis in axes:
                at[axis] += 1
                tet.append(node(*at))
            yield int(i >= CELLS // 2), tet


def write_meshes():
    nodes = [(0.1 * i, 0.1 * j, 0.1 * k) for k in range(2) for j in range(2) for i in range(CELLS + 1)]
    rows = list(elements())
    names = "$PhysicalNames\n2\n3 1 \"soft\"\n3 2 \"hard\"\n$EndPhysicalNames\n"
    numbered = "".join(f"{n + 1} {x} {y} {z}\n" for n, (x, y, z) in enumerate(nodes))
    tets = "".join(f"{e + 1} 4 2 {r + 1} 1 {' '.join(map(str, t))}\n" for e, (r, t) in enumerate(rows))
    pathlib.Path("bar.msh").write_text(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{names}$Nodes\n{len(nodes)}\n{numbered}$EndNodes\n"
                                       f"$Elements\n{len(rows)}\n{tets}$EndElements\n")
    tets = "".join(f"{' '.join(map(str, t))} {7 + r}\n" for r, t in rows)
    places = "".join(f"{x} {y} {z} 0\n" for x, y, z in nodes)
    pathlib.Path("bar.mesh").write_text(f"MeshVersionFormatted 2\nDimension 3\nVertices\n{len(nodes)}\n{places}Tetrahedra\n{len(rows)}\n{tets}End\n")
    parts = [f"*ELEMENT, TYPE=C3D4, ELSET={name}\n" + "".join(f"{e + 1}, {', '.join(map(str, t))}\n" for e, (r, t) in enumerate(rows) if r == n)
             for n, name in enumerate(["soft", "hard"])]
    pathlib.Path("bar.inp").write_text("*NODE\n" + "".join(f"{n + 1}, {x}, {y}, {z}\n" for n, (x, y, z) in enumerate(nodes)) + "".join(parts))


class Regions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        write_meshes()
        pathlib.Path("bar.json").write_text(json.dumps(SCENE))

    def good(self, *arguments):
        done = call(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def bodies(self, *settings):
        return json.loads(self.good("check", "bar.json", "--json", *itertools.chain(*(["--set", s] for s in settings))))["bodies"]

    def test_files(self):
        for name, first, second in (("bar.msh", "soft", "hard"), ("bar.mesh", "volume 7", "volume 8"), ("bar.inp", "soft", "hard")):
            listed = json.loads(self.good("info", name, "--json"))["groups"]
            self.assertEqual({g["name"]: g["tets"] for g in listed}, {first: 18, second: 18})
            chosen = json.dumps({second: "wood", first: "rubber"})
            body, = self.bodies(f"bodies[0].mesh.file={name}", f"bodies[0].materials={chosen}")
            self.assertAlmostEqual(body["mass"], 4.5, places=12)
            for row, mass in zip(body["materials"], (1.5, 3)):
                self.assertEqual((row["model"], row["tets"]), ("fixed-corotated", 18))
                self.assertAlmostEqual(row["mass"], mass, places=12)
        pathlib.Path("alike.mesh").write_text(pathlib.Path("bar.mesh").read_text().replace(" 8\n", " 7\n"))
        self.assertEqual(json.loads(self.good("info", "alike.mesh", "--json"))["groups"], [])

    def test_numbered(self):
        """More references than groups are allowed: they number something else."""
        count = 4200
        places = "".join(f"{i % 60 + x} {i // 60 + y} {z} 0\n" for i in range(count) for x, y, z in ((0, 0, 0), (0.5, 0, 0), (0, 0.5, 0), (0, 0, 0.5)))
        tets = "".join(f"{4 * i + 1} {4 * i + 2} {4 * i + 3} {4 * i + 4} {i}\n" for i in range(count))
        pathlib.Path("many.mesh").write_text(f"MeshVersionFormatted 2\nDimension 3\nVertices\n{4 * count}\n{places}Tetrahedra\n{count}\n{tets}End\n")
        self.assertEqual(json.loads(self.good("info", "many.mesh", "--json"))["groups"], [])

    def test_order_2(self):
        body, = self.bodies("bodies[0].mesh.order=2")
        self.assertAlmostEqual(body["mass"], 4.5, places=12)
        self.assertEqual([row["tets"] for row in body["materials"]], [18, 18])

    def test_settles(self):
        for order in (1, 2):
            name = f"still{order}.vtkhdf"
            self.good("settle", "bar.json", "--set", f"bodies[0].mesh.order={order}", "-o", name)
            moved = re.search(r"displacement of bar: \S+ to (\S+) m", self.good("info", name, "--fields", "displacement"))
            self.assertAlmostEqual(float(moved[1]), 2e4 * 0.3 * (1e-5 + 0.25e-5), places=6)

    def test_resume(self):
        for name in ("whole", "half"):
            self.good("run", "bar.json", "-q", "--force", "-o", name + ".vtkhdf", "--until", "0.2" if name == "whole" else "0.1")
        self.good("run", "half.vtkhdf", "-q", "--resume", "--until", "0.2")
        texts = []
        for name in ("whole", "half"):
            self.good("export", name + ".vtkhdf", "-q", "-o", name + ".vtu")
            texts.append([p.read_bytes() for p in sorted(pathlib.Path(name).glob("*.vtu"))])
        self.assertEqual(len(texts[0]), 21)
        self.assertEqual(texts[0], texts[1])

    def test_one_material(self):
        """A name of the table changes all that is like it; one region alone may be changed."""
        one = json.dumps({"soft": "rubber", "hard": "rubber"})
        body, = self.bodies(f"bodies[0].materials={one}", "bodies[0].materials.hard.density=3000")
        self.assertAlmostEqual(body["mass"], 3 + 9, places=12)
        body, = self.bodies("materials.wood.density=2000")
        self.assertAlmostEqual(body["mass"], 3 + 6, places=12)

    def test_refused(self):
        for setting, place, words in (
                ('bodies[0].materials={"soft":"rubber"}', "bodies[0].materials: ", "18 of the mesh's 36 tets are in none"),
                ('bodies[0].materials={"soft":"rubber","hord":"wood"}', "bodies[0].materials: ", 'no group of tets "hord"; it has "soft", "hard"'),
                ("bodies[0].materials={}", "bodies[0].materials: ", "names no region"),
                ("bodies[0].materials.hard=steel", "bodies[0].materials.hard: ", 'no material "steel"'),
                ("bodies[0].material=wood", "bodies[0].materials: ", "beside material"),
                ('bodies[0].materials.hard={"mass":2}', "bodies[0]: ", "has its density"),
                ('bodies[0].materials.hard={"model":"hooke"}', "bodies[0]: ", "tetrahedra"),
                ('bodies[0].mesh={"box":{}}', "bodies[0].materials: ", "no group of tets"),
                ('bodies[0].mesh={"cloth":{}}', "bodies[0].materials: ", "has none")):
            done = call("check", "bar.json", "--set", setting)
            self.assertEqual(done.returncode, 2, setting)
            self.assertIn(place, done.stderr)
            self.assertIn(words, done.stderr)
        text = pathlib.Path("bar.inp").read_text()
        pathlib.Path("twice.inp").write_text(text + "*ELSET, ELSET=more\n1, 2\n")
        done = call("check", "bar.json", "--set", "bodies[0].mesh.file=twice.inp", "--set", 'bodies[0].materials.more=wood')
        self.assertEqual(done.returncode, 2)
        self.assertIn('bodies[0].materials: tet 0', done.stderr)
        self.assertIn('in group "soft" and in group "more"', done.stderr)


if __name__ == "__main__":
    if not PROGRAM:
        print("skipped: $VISVIVA is not the program")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main(argv=sys.argv[:1])
