#!/usr/bin/env python3
"""Mesh files that VTK itself writes, in all of its modes, and those of visviva's own export.

`visviva info` must say the same of each as of the Gmsh file the mesh came from. $VISVIVA is the program. Exit code 77
(skipped, with a message) without it or without VTK for Python (Debian: python3-vtk9).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("VISVIVA", "")
MESH = pathlib.Path(__file__).resolve().parent.parent.parent / "meshes" / "cactus_5k.msh"
FOLDER = pathlib.Path()

try:
    import vtkmodules.vtkCommonCore as core
    import vtkmodules.vtkCommonDataModel as model
    import vtkmodules.vtkIOLegacy as legacy
    import vtkmodules.vtkIOPLY as ply
    import vtkmodules.vtkIOXML as xml
except ImportError:
    print("skipped: no VTK for this Python (Debian: python3-vtk9)")
    sys.exit(77)


def call(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER, timeout=300)


def info(path):
    done = call("info", path)
    assert done.returncode == 0, f"{path}: {done.stderr}"
    return "".join(line for line in done.stdout.splitlines(True) if not line.startswith("  group "))  # Gmsh's files have them


def read_msh(path):
    """Points and tets of a Gmsh 4.1 or 2.2 text file, numbers from 0."""
    lines = iter(path.read_text().splitlines())
    assert next(lines) == "$MeshFormat"
    version = next(lines).split()[0]
    points, numbers, tets = [], {}, []
    for line in lines:
        if line not in ("$Nodes", "$Elements"):
            continue
        nodes = line == "$Nodes"
        head = next(lines).split()
        if version[0] == "2":
            for _ in range(int(head[0])):
                words = next(lines).split()
                if nodes:
                    numbers[words[0]] = len(points)
                    points.append([float(x) for x in words[1:4]])
                elif words[1] == "4":
                    tets.append([numbers[n] for n in words[-4:]])
            continue
        for _ in range(int(head[0])):
            block = next(lines).split()
            if nodes:
                for tag in [next(lines).strip() for _ in range(int(block[3]))]:
                    numbers[tag] = len(numbers)
                points += [[float(x) for x in next(lines).split()[:3]] for _ in range(int(block[3]))]
                continue
            for _ in range(int(block[3])):
                words = next(lines).split()
                if block[2] == "4":
                    tets.append([numbers[n] for n in words[1:5]])
    return points, tets


def make_points(points):
    made = core.vtkPoints()
    made.SetDataTypeToDouble()
    for x in points:
        made.InsertNextPoint(x)
    return made


def make_grid(points, tets):
    grid = model.vtkUnstructuredGrid()
    grid.SetPoints(make_points(points))
    for tet in tets:
        ids = core.vtkIdList()
        for v in tet:
            ids.InsertNextId(v)
        grid.InsertNextCell(model.VTK_TETRA, ids)
    add_fields(grid)
    return grid


def make_surface(points, triangles):
    surface, cells = model.vtkPolyData(), model.vtkCellArray()
    surface.SetPoints(make_points(points))
    for triangle in triangles:
        cells.InsertNextCell(3)
        for v in triangle:
            cells.InsertCellPoint(v)
    surface.SetPolys(cells)
    add_fields(surface)
    return surface


def add_fields(data):
    """Arrays that a reader of meshes has to step over."""
    kinds = (core.vtkDoubleArray, core.vtkStringArray, core.vtkBitArray, core.vtkIdTypeArray)
    for number, kind in enumerate(kinds):
        array = kind()
        array.SetName(f"field {number}")
        for i in range(11):
            array.InsertNextValue(f"some\ntext % {i}" if kind is core.vtkStringArray else i % 2)
        data.GetFieldData().AddArray(array)
    velocity = core.vtkFloatArray()
    velocity.SetName("velocity")
    velocity.SetNumberOfComponents(3)
    velocity.SetComponentName(0, "first of three")
    for i in range(data.GetNumberOfPoints()):
        velocity.InsertNextTuple((i, 0.5, -1))
    data.GetPointData().AddArray(velocity)


def write(writer, data, name, *settings):
    path = FOLDER / name
    writer.SetInputData(data)
    writer.SetFileName(str(path))
    for setting, *values in settings:
        getattr(writer, setting)(*values)
    assert writer.Write() == 1, name
    return path


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.want = info(MESH)
        cls.grid = make_grid(*read_msh(MESH))
        cube = [[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)]
        sides = [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 4, 6],
                 [0, 6, 2], [1, 3, 7], [1, 7, 5]]
        cls.surface = make_surface(cube, sides)
        (FOLDER / "cube.obj").write_text("".join("v %r %r %r\n" % tuple(x) for x in cube) +
                                         "".join("f %d %d %d\n" % tuple(v + 1 for v in t) for t in sides))
        cls.want_surface = info(FOLDER / "cube.obj")
        # without expat the program says so
        path = write(xml.vtkXMLPolyDataWriter(), cls.surface, "probe.vtp", ("SetCompressorTypeToZLib",))
        cls.has_xml = "this build" not in call("info", path).stderr

    def check(self, path, want):
        self.assertEqual(info(path), want, path)
        path.unlink()

    def test_legacy(self):
        for version in (42, 51):
            for kind in ("SetFileTypeToASCII", "SetFileTypeToBinary"):
                settings = (("SetFileVersion", version), (kind,))
                self.check(write(legacy.vtkUnstructuredGridWriter(), self.grid, "grid.vtk", *settings), self.want)
                self.check(write(legacy.vtkPolyDataWriter(), self.surface, "surface.vtk", *settings), self.want_surface)

    def test_xml(self):
        if not self.has_xml:
            self.skipTest("this build reads no VTK XML")
        for mode in ("SetDataModeToAscii", "SetDataModeToBinary", "SetDataModeToAppended"):
            for compressor in ("SetCompressorTypeToNone", "SetCompressorTypeToZLib"):
                for encode in (0, 1) if mode == "SetDataModeToAppended" else (0,):
                    for header in ("SetHeaderTypeToUInt32", "SetHeaderTypeToUInt64"):
                        for order in ("SetByteOrderToLittleEndian", "SetByteOrderToBigEndian"):
                            settings = ((mode,), (compressor,), ("SetEncodeAppendedData", encode), (header,), (order,),
                                        ("SetBlockSize", 4096))
                            self.check(write(xml.vtkXMLPolyDataWriter(), self.surface, "surface.vtp", *settings),
                                       self.want_surface)
                            if order == "SetByteOrderToLittleEndian":
                                self.check(write(xml.vtkXMLUnstructuredGridWriter(), self.grid, "grid.vtu", *settings),
                                           self.want)

    def test_refused_compressors(self):
        if not self.has_xml:
            self.skipTest("this build reads no VTK XML")
        for name in ("LZ4", "LZMA"):
            path = write(xml.vtkXMLPolyDataWriter(), self.surface, "surface.vtp", ("SetCompressorTypeTo" + name,))
            done = call("info", path)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"compressed by vtk{name}DataCompressor, which is not read here", done.stderr)

    def test_ply(self):
        for settings in ((("SetFileTypeToASCII",),), (("SetFileTypeToBinary",), ("SetDataByteOrderToLittleEndian",)),
                         (("SetFileTypeToBinary",), ("SetDataByteOrderToBigEndian",))):
            self.check(write(ply.vtkPLYWriter(), self.surface, "surface.ply", *settings), self.want_surface)

    def test_own_export(self):
        if not self.has_xml:
            self.skipTest("this build reads no VTK XML")
        scene = {
            "visviva": 1, "name": "box", "time": {"step": 0.01, "end": 0.02},
            "integrator": {"scheme": "backward-euler", "policy": "none"},
            "materials": {"jelly": {"model": "fixed-corotated", "young": 2e4, "poisson": 0.3, "density": 1000}},
            "bodies": [{"name": "box", "material": "jelly",
                        "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}}],
        }
        (FOLDER / "box.json").write_text(json.dumps(scene))
        for command in (("run", "box.json", "-o", "box.vtkhdf"),
                        ("export", "box.vtkhdf", "--format", "vtu", "-o", "box.pvd")):
            done = call(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
        frames = sorted((FOLDER / "box").glob("*.vtu"))
        self.assertTrue(frames)
        for frame in frames:
            said = info(frame)
            self.assertTrue(said.startswith("mesh: 27 vertices, 40 tets, 48 triangles, 0 edges, 1 component"), said)
            self.assertIn("volume 0.008 m3", said)
        done = call("info", "box.pvd")
        self.assertEqual(done.returncode, 2)
        self.assertIn("type 'Collection' is not read here", done.stderr)


if __name__ == "__main__":
    if not PROGRAM:
        print("skipped: $VISVIVA does not name the program")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        unittest.main()
