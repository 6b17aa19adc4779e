#!/usr/bin/env python3
"""Bodies of order 2 in the program. VTU files of a run, read by VTK and by meshio: quadratic tets and their volume, beside linear ones; fields
of cells. `visviva new --order 2` puts the middles of the surface's edges on the model.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it; what needs VTK or meshio for Python (Debian: python3-vtk9,
python3-meshio) is skipped without these.
"""
import json
import math
import os
import pathlib
import sys
import tempfile
import unittest

from terminal_support import PROGRAM, call

try:
    import vtkmodules.vtkCommonCore as core
    import vtkmodules.vtkCommonDataModel as model
    import vtkmodules.vtkIOXML as xml
except ImportError:
    xml = None
try:
    import meshio
except ImportError:
    meshio = None

BALL = {"ball": {"radius": 0.2, "cells": 3}, "order": 2}
SCENE = {"visviva": 1, "name": "order 2", "time": {"step": 0.05, "end": 0.1}, "gravity": [0, 0, 0], "contact": {"model": "none"},
         "materials": {"rubber": {"model": "neo-hookean", "young": 1e5, "poisson": 0.3, "density": 1000}},
         "bodies": [{"name": "ball", "material": "rubber", "mesh": BALL, "place": {"scale": [1, 2, 1]}},
                    {"name": "cube", "material": "rubber", "mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 1]}}, "place": {"translate": [2, 0, 0]}}]}
FIRST = "o2/o2_000000.vtu"


class Order2(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        pathlib.Path("o2.json").write_text(json.dumps(SCENE))
        for words in (["run", "o2.json", "-q", "-o", "o2.vtkhdf"], ["export", "o2.vtkhdf", "-q", "-o", "o2.vtu", "--fields", "det-f,von-mises"]):
            done = call(*words)
            assert done.returncode == 0, done.stderr
        cls.elements = json.loads(call("check", "o2.json", "--json").stdout)["bodies"][0]["tets"] // 8

    def test_vtk_reads_it(self):
        if not xml:
            self.skipTest("no VTK for this Python (Debian: python3-vtk9)")
        reader = xml.vtkXMLUnstructuredGridReader()
        reader.SetFileName(FIRST)
        reader.Update()
        grid = reader.GetOutput()
        kinds = [grid.GetCellType(i) for i in range(grid.GetNumberOfCells())]
        self.assertEqual(kinds, [model.VTK_QUADRATIC_TETRA] * self.elements + [model.VTK_TETRA] * 5)
        total = 0
        for i in range(self.elements):
            cell = grid.GetCell(i)
            middle, weights = [0.0] * 3, [0.0] * 10
            cell.EvaluateLocation(core.reference(0), [0.5, 0.0, 0.0], middle, weights)
            self.assertLess(math.dist(middle, cell.GetPoints().GetPoint(4)), 1e-12)
            a, b, c, d = (cell.GetPoints().GetPoint(k) for k in range(4))
            u, v, w = ([q[k] - a[k] for k in range(3)] for q in (b, c, d))
            total += (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6
        self.assertGreater(total, 0.9 * 8 / 3 * math.pi * 0.2 ** 3)
        self.assertLess(total, 8 / 3 * math.pi * 0.2 ** 3)
        ratio = grid.GetCellData().GetArray("det-f")
        self.assertEqual(ratio.GetNumberOfTuples(), len(kinds))
        for i in range(len(kinds)):
            self.assertAlmostEqual(ratio.GetTuple1(i), 1, places=9)

    def test_meshio_reads_it(self):
        if not meshio:
            self.skipTest("no meshio for this Python (Debian: python3-meshio)")
        mesh = meshio.read(FIRST)
        self.assertEqual([(c.type, len(c.data)) for c in mesh.cells], [("tetra10", self.elements), ("tetra", 5)])
        bent = 0
        for corners in mesh.cells[0].data:
            for k, (a, b) in enumerate([(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]):
                off = abs(mesh.points[corners[4 + k]] - (mesh.points[corners[a]] + mesh.points[corners[b]]) / 2).max()
                x, y, z = mesh.points[corners[4 + k]] / 0.2
                bent += off > 1e-12
                self.assertTrue(off < 1e-12 or abs(x * x + y * y / 4 + z * z - 1) < 1e-9)  # midway, or on the ellipsoid
        self.assertGreater(bent, 0)


class New(unittest.TestCase):
    """Of a sphere of 1104 quads, filled with tets of 0.4 m."""

    def mass(self, *settings):
        done = call("check", "globe.json", "--json", *(word for setting in settings for word in ("--set", setting)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["bodies"][0]["mass"]

    def test_mixed_files_are_told(self):
        """Beside a tet of four nodes one of ten is read by its corners: with order 2 that is warned of, and of the curved one alone nothing."""
        nodes = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.5, 0, 0), (0.55, 0.55, 0), (0, 0.5, 0), (0, 0, 0.5), (0.5, 0, 0.5), (0, 0.5, 0.5),
                 (1, 1, 1)]
        lines = ["*NODE", *(f"{n + 1}, {x}, {y}, {z}" for n, (x, y, z) in enumerate(nodes)), "*ELEMENT, TYPE=C3D10", "1, 1,2,3,4,5,6,7,8,9,10"]
        mixed = [*lines, "*ELEMENT, TYPE=C3D4", "2, 2,3,4,11"]
        for name, text in (("curved", lines), ("mixed", mixed)):
            pathlib.Path(f"{name}.inp").write_text("\n".join(text) + "\n")
            scene = SCENE | {"bodies": [{"name": "it", "material": "rubber", "mesh": {"file": f"{name}.inp", "order": 2}}]}
            pathlib.Path(f"{name}.json").write_text(json.dumps(scene))
            done = call("check", f"{name}.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            said = "bodies[0].mesh: 1 elements of higher order in the file are read by their corners" in done.stdout + done.stderr
            self.assertEqual(said, name == "mixed", done.stdout + done.stderr)

    def test_middles_on_the_model(self):
        around, across = 48, 24
        lines = ["v 0 1 0", "v 0 -1 0"]
        for i in range(1, across):
            for j in range(around):
                t, p = math.pi * i / across, 2 * math.pi * j / around
                lines.append(f"v {math.sin(t) * math.cos(p):.9g} {math.cos(t):.9g} {math.sin(t) * math.sin(p):.9g}")

        def at(i, j):
            return 3 + (i - 1) * around + j % around
        for j in range(around):
            lines += [f"f 1 {at(1, j + 1)} {at(1, j)}", f"f 2 {at(across - 1, j)} {at(across - 1, j + 1)}"]
            lines += [f"f {at(i, j)} {at(i, j + 1)} {at(i + 1, j + 1)} {at(i + 1, j)}" for i in range(1, across - 1)]
        pathlib.Path("globe.obj").write_text("\n".join(lines) + "\n")
        done = call("new", "globe.obj", "--order", "2", "--edge", "0.4", "--with", "lattice")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(pathlib.Path("globe.json").read_text())["bodies"][0]["mesh"],
                         {"file": "globe.msh", "order": 2, "onto": "globe.obj"})
        exact = 1000 * 4 / 3 * math.pi
        linear, raised = self.mass("bodies[0].mesh.order=1"), self.mass()
        self.assertLess(linear, 0.95 * exact)
        self.assertGreater(raised, 0.99 * exact)
        self.assertLess(raised, exact)


if __name__ == "__main__":
    if not PROGRAM:
        print("skipped: $VISVIVA is not the program")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main(argv=sys.argv[:1])
