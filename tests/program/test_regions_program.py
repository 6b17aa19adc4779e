#!/usr/bin/env python3
"""Bodies with a material for each region of their mesh, in scenes: groups of Gmsh, MEDIT, Abaqus, TetGen and VTK files, equilibrium in closed
form, mass by material, resuming, several solvers, what is refused and where; scenes of visviva new.

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
    pathlib.Path("bar.node").write_text(f"{len(nodes)} 3 0 0\n{numbered}")
    pathlib.Path("bar.ele").write_text(f"{len(rows)} 4 2\n" + "".join(f"{e + 1} {' '.join(map(str, t))} 0.5 {r - 1}\n" for e, (r, t) in enumerate(rows)))
    write_vtk(nodes, rows)


def write_vtk(nodes, rows):
    """A triangle before the tets, so that cells and tets are counted apart; arrays that number no regions: floats, vectors, one number a cell, one
    for all, one for each point. The .vtu is in two pieces."""
    values = [9] + [3 * r - 1 for r, _ in rows]
    cells = [[0, 1, 2]] + [[v - 1 for v in t] for _, t in rows]
    count, size = len(cells), sum(1 + len(c) for c in cells)
    listed, ones = "\n".join(map(str, values)), " ".join(["1"] * count)
    pathlib.Path("bar.vtk").write_text(
        "# vtk DataFile Version 3.0\nbar\nASCII\nDATASET UNSTRUCTURED_GRID\n"
        f"POINTS {len(nodes)} double\n" + "".join(f"{x} {y} {z}\n" for x, y, z in nodes) +
        f"CELLS {count} {size}\n" + "".join(f"{len(c)} {' '.join(map(str, c))}\n" for c in cells) +
        f"CELL_TYPES {count}\n5\n" + "10\n" * (count - 1) +
        f"POINT_DATA {len(nodes)}\nSCALARS at int 1\nLOOKUP_TABLE default\n" + "".join(f"{i % 2}\n" for i in range(len(nodes))) +
        f"VECTORS go float\n{'0 0 1 ' * len(nodes)}\n"
        f"CELL_DATA {count}\nSCALARS heat float\nLOOKUP_TABLE default\n{ones}\nLOOKUP_TABLE paint 2\n0 0 0 1 1 1 1 1\n"
        f"SCALARS cell_scalars int 1\nLOOKUP_TABLE default\n{listed}\nTENSORS strain double\n{'0 ' * 9 * count}\n"
        f"FIELD more 3\nnumber 1 {count} int\n{' '.join(map(str, range(count)))}\nall 1 {count} int\n{ones}\n"
        f"my%20part 1 {count} vtktypeint64\n{listed}\n")
    pieces = ""
    for part in ([0, *range(1, 1 + len(rows) // 3)], range(1 + len(rows) // 3, count)):
        chosen = [cells[c] for c in part]
        ends = list(itertools.accumulate(map(len, chosen)))
        array = lambda name, of, kind="Int32": f'<DataArray type="{kind}" Name="{name}" format="ascii">{" ".join(map(str, of))}</DataArray>\n'
        pieces += (f'<Piece NumberOfPoints="{len(nodes)}" NumberOfCells="{len(chosen)}">\n<PointData>{array("at", [i % 2 for i in range(len(nodes))])}</PointData>\n'
                   f'<CellData>{array("heat", [0.5] * len(chosen), "Float64")}{array("gmsh:physical", [values[c] for c in part])}{array("number", part)}'
                   f'{array("all", [1] * len(chosen))}</CellData>\n<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">'
                   + " ".join(f"{x} {y} {z}" for x, y, z in nodes) + f'</DataArray></Points>\n<Cells>{array("connectivity", itertools.chain(*chosen))}'
                   f'{array("offsets", ends)}{array("types", [5 if len(c) == 3 else 10 for c in chosen], "UInt8")}</Cells></Piece>\n')
    pathlib.Path("bar.vtu").write_text(f'<VTKFile type="UnstructuredGrid"><UnstructuredGrid>\n{pieces}</UnstructuredGrid></VTKFile>\n')


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
        for name, first, second in (("bar.msh", "soft", "hard"), ("bar.mesh", "volume 7", "volume 8"), ("bar.inp", "soft", "hard"),
                                    ("bar.ele", "volume -1", "volume 0"), ("bar.vtu", "gmsh:physical -1", "gmsh:physical 2"),
                                    ("bar.vtk", "cell_scalars -1", "cell_scalars 2")):
            listed = {g["name"]: g["tets"] for g in json.loads(self.good("info", name, "--json"))["groups"]}
            more = {"my part -1": 18, "my part 2": 18} if name == "bar.vtk" else {}
            self.assertEqual(listed, {first: 18, second: 18, **more})
            chosen = json.dumps({second: "wood", first: "rubber"})
            body, = self.bodies(f"bodies[0].mesh.file={name}", f"bodies[0].materials={chosen}")
            self.assertAlmostEqual(body["mass"], 4.5, places=12)
            for row, mass in zip(body["materials"], (1.5, 3)):
                self.assertEqual((row["model"], row["tets"]), ("fixed-corotated", 18))
                self.assertAlmostEqual(row["mass"], mass, places=12)
        pathlib.Path("alike.mesh").write_text(pathlib.Path("bar.mesh").read_text().replace(" 8\n", " 7\n"))
        self.assertEqual(json.loads(self.good("info", "alike.mesh", "--json"))["groups"], [])

    def test_unreadable_data(self):
        """The mesh is there without its data."""
        text = pathlib.Path("bar.vtk").read_text()
        for change in (("LOOKUP_TABLE default\n9", "LOOKUP_TABLE default\nnine"), ("CELL_DATA 37", "CELL_DATA 36"), ("FIELD more 3", "FIELD more x")):
            self.assertIn(change[0], text)
            pathlib.Path("odd.vtk").write_text(text.replace(*change))
            listed = json.loads(self.good("info", "odd.vtk", "--json"))["groups"]
            self.assertEqual(len(listed), 2 if "FIELD" in change[0] else 0)
        pathlib.Path("odd.ele").write_text(pathlib.Path("bar.ele").read_text().replace(" 0.5 0\n", " 0.5 0.25\n"))
        pathlib.Path("odd.node").write_text(pathlib.Path("bar.node").read_text())
        self.assertEqual(json.loads(self.good("info", "odd.ele", "--json"))["groups"], [])

    def new(self, name, *options):
        said = self.good("new", name, "--force", "-o", "made.json", *options)
        return json.loads(pathlib.Path("made.json").read_text()), said

    def test_new(self):
        for name, first, second in (("bar.msh", "soft", "hard"), ("bar.ele", "volume -1", "volume 0"), ("bar.vtk", "cell_scalars -1", "cell_scalars 2")):
            for order in ("1", "2"):
                made, said = self.new(name, "--order", order)
                self.assertIn(f'2 groups of tets, each with a material of its own, which are alike so far: "{first}", "{second}"', said)
                self.assertEqual(made["bodies"][0]["materials"], {first: first, second: second})
                self.assertEqual([made["materials"][key]["like"] for key in (first, second)], ["flesh", "flesh"])
                key = f"materials.{second}.density=3000" if " " not in second else 'bodies[0].materials={"%s":"flesh","%s":{"like":"flesh","density":3000}}' % (first, second)
                body, = json.loads(self.good("check", "made.json", "--json", "--set", key))["bodies"]
                self.assertAlmostEqual(body["mass"], 3 + 9, places=12)
        self.good("run", "made.json", "-q", "--force", "--until", "0.05", "-o", "made.vtkhdf")

    def test_new_of_one_material(self):
        """Sets that overlap, or leave tets out, are none; nor is what comes to lie in several bodies."""
        text = pathlib.Path("bar.inp").read_text()
        pathlib.Path("some.inp").write_text(text + "*ELSET, ELSET=more\n1, 2\n")
        made, said = self.new("some.inp")
        self.assertIn("3 groups of tets", said)
        self.assertIn("the body has one material", said)
        self.assertEqual(made["bodies"][0]["material"], "flesh")
        made, said = self.new("bar.msh", "--affine")
        self.assertEqual(made["bodies"][0]["material"], "solid")
        nodes = "".join(f"{n + 1} {x + 9 * (n // 4)} {y} {z}\n" for n, (x, y, z) in enumerate([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)] * 2))
        pathlib.Path("apart.node").write_text(f"8 3 0 0\n{nodes}")
        pathlib.Path("apart.ele").write_text("2 4 1\n1 1 2 3 4 5\n2 5 6 7 8 6\n")
        made, said = self.new("apart.ele")
        self.assertEqual([body["material"] for body in made["bodies"]], ["flesh", "flesh"])
        made, said = self.new("apart.ele", "--one-body")
        self.assertEqual(made["bodies"][0]["materials"], {"volume 5": "volume 5", "volume 6": "volume 6"})

    def test_middles(self):
        """Tets of ten nodes read by their corners: a line says so, and what keeps them."""
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        nodes = corners + [tuple(0.5 * (p + q) for p, q in zip(corners[a], corners[b])) for a, b in ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))]
        pathlib.Path("ten.inp").write_text("*NODE\n" + "".join(f"{n + 1}, {x}, {y}, {z}\n" for n, (x, y, z) in enumerate(nodes)) +
                                           "*ELEMENT, TYPE=C3D10\n1, " + ", ".join(str(n + 1) for n in range(10)) + "\n")
        pathlib.Path("ten.vtk").write_text("# vtk DataFile Version 3.0\nten\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n" +
                                           "".join("%g %g %g\n" % n for n in nodes) + "CELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n")
        pathlib.Path("ten.msh").write_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n" + "".join(f"{n + 1} {x} {y} {z}\n" for n, (x, y, z) in enumerate(nodes)) +
                                           "$EndNodes\n$Elements\n1\n1 11 2 1 1 1 2 3 4 5 6 7 8 10 9\n$EndElements\n")
        for name in ("ten.inp", "ten.vtk", "ten.msh"):
            for said in (self.good("info", name), self.new(name)[1], self.good("check", "made.json")):
                self.assertIn("read by their corners", said)
                self.assertIn('"order": 2', said)
            for said in (self.new(name, "--order", "2")[1], self.good("check", "made.json")):
                self.assertNotIn("corners", said)

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
