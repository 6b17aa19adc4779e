#!/usr/bin/env python3
"""VTU files of a run with a body of order 2, read by VTK and by meshio: quadratic tets and their volume, beside linear ones; fields of cells.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it or without VTK and meshio for Python (Debian:
python3-vtk9, python3-meshio).
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
        for corners in mesh.cells[0].data:
            for k, (a, b) in enumerate([(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]):
                self.assertLess(abs(mesh.points[corners[4 + k]] - (mesh.points[corners[a]] + mesh.points[corners[b]]) / 2).max(), 1e-12)


if __name__ == "__main__":
    if not PROGRAM or not (xml or meshio):
        print("skipped: no program, or neither VTK nor meshio for this Python (Debian: python3-vtk9, python3-meshio)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main(argv=sys.argv[:1])
