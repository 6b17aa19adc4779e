#!/usr/bin/env python3
"""Shells and rods in exports: texture coordinates from an OBJ file with a seam through body, run file and every format; smooth normals of a
cylinder; strain and curvature in VTU files; how thick rods are. VTK reads the files, too, where this Python has it (python3-vtk9).

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

from exports_support import read_glb, read_vtu

PROGRAM = os.path.abspath(os.environ["VISVIVA"]) if os.environ.get("VISVIVA") else ""
TEMPORARY = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(TEMPORARY.name)
RADIUS, HEIGHT, AROUND, UP = 0.3, 0.8, 24, 4


def call(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER, timeout=300)
    assert done.returncode == 0, f"visviva {' '.join(map(str, arguments))}: {done.stderr}"
    return done.stdout


def tube():
    """A tube of triangles whose texture meets itself along a seam: text, and its triangles as ((position, uv) x 3)."""
    lines, uv = [], {}
    for j in range(UP + 1):
        for i in range(AROUND):
            angle = 2 * math.pi * i / AROUND
            lines.append(f"v {RADIUS * math.cos(angle)!r} {HEIGHT * j / UP!r} {-RADIUS * math.sin(angle)!r}")
    for j in range(UP + 1):
        for i in range(AROUND + 1):
            uv[i, j] = (i / AROUND, j / UP)
            lines.append(f"vt {i / AROUND!r} {j / UP!r}")
    points = [tuple(map(float, line.split()[1:])) for line in lines if line.startswith("v ")]
    triangles = []
    for j in range(UP):
        for i in range(AROUND):
            cells = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            for corners in ((0, 1, 2), (0, 2, 3)):
                names = [cells[c] for c in corners]
                lines.append("f " + " ".join(f"{1 + b * AROUND + a % AROUND}/{1 + b * (AROUND + 1) + a}" for a, b in names))
                triangles.append([(points[b * AROUND + a % AROUND], uv[a, b]) for a, b in names])
    return "\n".join(lines) + "\n", triangles


def as_set(triangles):
    """Triangles as they can be compared: rounded, in any order of corners."""
    return sorted(sorted((tuple(round(x, 5) + 0.0 for x in p), tuple(round(t, 5) + 0.0 for t in uv)) for p, uv in triangle)
                  for triangle in triangles)


def make_runs():
    text, _ = tube()
    (FOLDER / "tube.obj").write_text(text)
    still = {"visviva": 1, "gravity": [0, 0, 0], "time": {"step": "1/60", "end": "3/60"},
             "integrator": {"scheme": "backward-euler", "policy": "none"},
             "materials": {"thread": {"model": "hooke", "stiffness": 50, "density": 0.5}, "wire": {"model": "hooke-rod", "stiffness": 50, "density": 0.5}}}
    (FOLDER / "tube.json").write_text(json.dumps(dict(still, name="tube", bodies=[
        {"name": "tube", "material": "thread", "mesh": {"file": "tube.obj"}},
        {"name": "wire", "material": "wire", "thickness": 0.03, "mesh": {"chain": {"nodes": 5}}, "place": {"translate": [2, 0, 0]}},
        {"name": "solid", "material": {"model": "fixed-corotated", "young": 1e4, "poisson": 0.3, "density": 100},
         "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}}, "place": {"translate": [-2, 0, 0]}}])))
    # a sheet that is driven to 1.5 times its length along x and 0.75 along z
    (FOLDER / "sheet.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 0.4 0 0.7\nf 1 5 2\nf 2 5 3\nf 3 5 4\nf 4 5 1\n")
    (FOLDER / "sheet_000000.obj").write_text((FOLDER / "sheet.obj").read_text())
    wide = [(0, 0, 0), (1.5, 0, 0), (1.5, 0, 0.75), (0, 0, 0.75), (0.6, 0, 0.525)]
    (FOLDER / "sheet_000001.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in wide) + "f 1 5 2\nf 2 5 3\nf 3 5 4\nf 4 5 1\n")
    (FOLDER / "sheet.json").write_text(json.dumps(dict(still, name="sheet", bodies=[
        {"name": "wire", "material": "wire", "mesh": {"chain": {"nodes": 5}}, "place": {"translate": [9, 0, 0]}}],
        obstacles=[{"mesh": {"file": "sheet.obj"}, "place": {"translate": [3, 1, 2], "rotate": [20, 30, 40]},
                    "motion": {"follow": {"files": "sheet_%06d.obj", "interval": "2/60"}}}])))
    # a tube that would be flat, and a wire that would be straight, of two materials of bending alone
    bends = {"young": 1e5, "poisson": 0.3, "density": 1000, "thickness": 0.005, "flat": True}
    (FOLDER / "bent.json").write_text(json.dumps(dict(still, name="bent", bodies=[
        {"name": "tube", "material": dict(bends, model="hinge"), "mesh": {"file": "tube.obj"}},
        {"name": "wire", "material": dict(bends, model="rod-bending"), "mesh": {"ring": {"radius": 0.2}}, "place": {"translate": [2, 0, 0]}}])))
    for name in ("tube", "sheet", "bent"):
        call("run", f"{name}.json", "-q", "-o", f"{name}.vtkhdf")


def read_obj(path):
    """Points, and faces as lists of (vertex, uv, normal), by value."""
    lists, faces, lines = {"v": [], "vt": [], "vn": []}, [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words and words[0] in lists:
            lists[words[0]].append(tuple(map(float, words[1:])))
        elif words and words[0] == "f":
            corners = [[int(n) if n else 0 for n in (word + "//").split("/")[:3]] for word in words[1:]]
            faces.append([tuple(lists[kind][n - 1] if n else None for kind, n in zip(("v", "vt", "vn"), c)) for c in corners])
        elif words and words[0] == "l":
            lines.append([int(n) for n in words[1:]])
    return lists["v"], faces, lines


def radial(p):
    return (p[0] / RADIUS, 0, p[2] / RADIUS)


class Tube(unittest.TestCase):
    def check_uvs(self, triangles):
        self.assertEqual(as_set(triangles), as_set(tube()[1]))

    def check_normals(self, pairs):
        """(position, normal) of the tube: unit length, along the radius; at the rims its triangles are not the same on both sides."""
        self.assertGreaterEqual(len(pairs), AROUND * (UP + 1))
        for p, n in pairs:
            self.assertAlmostEqual(math.hypot(*n), 1, places=5)
            along = sum(a * b for a, b in zip(n, radial(p)))
            rim = min(p[1], HEIGHT - p[1]) < 1e-6
            self.assertGreater(along, math.cos(math.radians(4)) if rim else 1 - 1e-5)

    def test_obj(self):
        call("export", "tube.vtkhdf", "-q", "-o", "one.obj", "--frames", 2, "--body", "tube")
        points, faces, _ = read_obj(FOLDER / "one_000002.obj")
        self.assertEqual(len(points), AROUND * (UP + 1))  # the body is whole
        self.check_uvs([[(p, uv) for p, uv, _ in face] for face in faces])
        self.check_normals([(p, n) for face in faces for p, _, n in face])

    def test_obj_of_all_bodies(self):
        """Each body counts its own normals and texture coordinates; the rod is lines."""
        call("export", "tube.vtkhdf", "-q", "-o", "all.obj", "--frames", 2)
        _, faces, lines = read_obj(FOLDER / "all_000002.obj")
        self.assertEqual(len(lines), 4)
        mine, others = [f for f in faces if f[0][1]], [f for f in faces if not f[0][1]]
        self.check_uvs([[(p, uv) for p, uv, _ in face] for face in mine])
        self.assertEqual(len(others), 12)
        for face in others:  # a cube: its edges stay sharp
            for p, _, n in face:
                self.assertAlmostEqual(max(map(abs, n)), 1, places=5)
                k = [abs(x) > 0.5 for x in n].index(True)
                self.assertAlmostEqual((p[0] + 2 if k == 0 else p[k]) / 0.1, n[k], places=4)

    def test_pc2(self):
        call("export", "tube.vtkhdf", "-q", "-o", "cache.pc2", "--body", "tube")
        text = (FOLDER / "cache_mesh.obj").read_text()
        _, faces, _ = read_obj(FOLDER / "cache_mesh.obj")
        self.check_uvs([[(p, uv) for p, uv, _ in face] for face in faces])
        self.assertNotIn("vn ", text)  # normals that the cache does not move
        script = (FOLDER / "cache.blender.py").read_text()
        own = {}
        exec(script[script.index("def read_obj"):script.index("def material")], own)  # as Blender's script reads it
        points, edges, found, uvs = own["read_obj"](FOLDER / "cache_mesh.obj")
        flat = iter(zip(uvs[::2], uvs[1::2]))
        self.check_uvs([[(points[v], next(flat)) for v in face] for face in found])
        self.assertEqual((edges, next(flat, None)), ([], None))

    def test_ply(self):
        call("export", "tube.vtkhdf", "-q", "-o", "one.ply", "--frames", 2)
        head, body = (FOLDER / "one_000002.ply").read_bytes().split(b"end_header\n", 1)
        vertices, faces = (int(re.search(rb"element %s (\d+)" % kind, head)[1]) for kind in (b"vertex", b"face"))
        self.assertIn(b"property list uchar int vertex_indices\nproperty list uchar float texcoord\n", head)
        points = [struct.unpack_from("<3f3Bi", body, 19 * i)[:3] for i in range(vertices)]
        at, found = 19 * vertices, []
        for _ in range(faces):
            three, a, b, c, six, *uv = struct.unpack_from("<B3iB6f", body, at)
            self.assertEqual((three, six), (3, 6))
            at += struct.calcsize("<B3iB6f")
            found.append([(points[v], tuple(uv[2 * k:2 * k + 2])) for k, v in enumerate((a, b, c))])
        self.check_uvs(found[:2 * AROUND * UP])
        self.assertEqual({uv for face in found[2 * AROUND * UP:] for _, uv in face}, {(0, 0)})

    def test_glb(self):
        call("export", "tube.vtkhdf", "-q", "-o", "tube.glb")
        tree, values = read_glb(FOLDER / "tube.glb")
        self.assertTrue(all(m["doubleSided"] for m in tree["materials"]))
        primitive = next(m for m in tree["meshes"] if m["name"] == "tube")["primitives"][0]
        a = primitive["attributes"]
        points, normals, uvs = values(a["POSITION"]), values(a["NORMAL"]), values(a["TEXCOORD_0"])
        self.assertEqual(len(points), (AROUND + 1) * (UP + 1))  # the seam is cut here, and only here
        corners = [i for i, in values(primitive["indices"])]
        self.check_uvs([[(points[c], (uvs[c][0], 1 - uvs[c][1])) for c in corners[i:i + 3]] for i in range(0, len(corners), 3)])
        self.check_normals(list(zip(points, normals)))
        others = [m["primitives"][0]["attributes"] for m in tree["meshes"] if m.get("name") in ("wire", "solid")]
        self.assertTrue(others and not any("TEXCOORD_0" in o for o in others))

    def test_glb_tubes(self):
        """A rod whose thickness is known is a closed tube around its line, in every frame."""
        call("export", "tube.vtkhdf", "-q", "-o", "wire.glb", "--body", "wire")
        tree, values = read_glb(FOLDER / "wire.glb")
        primitive = tree["meshes"][0]["primitives"][0]
        self.assertEqual(primitive["mode"], 4)
        base = primitive["attributes"]
        corners = [i for i, in values(primitive["indices"])]
        for target in [None, *primitive["targets"]]:
            points, normals = values(base["POSITION"]), values(base["NORMAL"])
            if target:
                points, normals = ([[a + b for a, b in zip(p, d)] for p, d in zip(v, values(target[kind]))]
                                   for v, kind in ((points, "POSITION"), (normals, "NORMAL")))
            xs = [p[0] for p in points]
            self.assertAlmostEqual(max(xs) - min(xs), 1, places=5)
            sides = 0
            for p, n in zip(points, normals):
                self.assertAlmostEqual(math.hypot(p[1], p[2]), 0.015, places=6)
                self.assertAlmostEqual(math.hypot(*n), 1, places=5)
                if abs(n[0]) < 0.5:
                    sides += 1
                    self.assertAlmostEqual((n[1] * p[1] + n[2] * p[2]) / 0.015, 1, places=5)
                else:
                    self.assertAlmostEqual(n[0], 1 if p[0] > 2 else -1, places=5)
            self.assertEqual(sides, 5 * 8)
            volume = 0  # closed and facing outwards: that of the prism with eight sides
            for t in range(0, len(corners), 3):
                (a, b, c) = (points[corners[t + k]] for k in range(3))
                volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
            self.assertAlmostEqual(volume, 4 * math.sin(math.pi / 4) * 0.015 ** 2, places=8)

    def test_usda(self):
        call("export", "tube.vtkhdf", "-q", "-o", "tube.usda")
        text = (FOLDER / "tube.usda").read_text()
        mesh = text[text.index('def Mesh "tube"'):text.index('def BasisCurves "wire"')]

        def rows(pattern):
            found = re.search(pattern + r"[^\[]*= \[(.*?)\]", mesh, re.S)[1]
            return [tuple(map(float, t.split(","))) for t in re.findall(r"\(([^)]*)\)", found)] or [int(x) for x in found.split(",")]
        points, st, index = rows(r"point3f\[\] points"), rows(r"texCoord2f\[\] primvars:st"), rows(r"int\[\] primvars:st:indices")
        faces = rows(r"int\[\] faceVertexIndices")
        self.check_uvs([[(points[faces[c]], st[index[c]]) for c in range(i, i + 3)] for i in range(0, len(faces), 3)])
        normals = re.search(r"normal3f\[\] normals.timeSamples = \{\s*0: \[(.*?)\],\n", mesh, re.S)[1]
        self.check_normals(list(zip(points, [tuple(map(float, t.split(","))) for t in re.findall(r"\(([^)]*)\)", normals)])))
        self.assertIn("doubleSided = 1", mesh)
        self.assertIn("float[] widths = [0.03]", text)

    def test_vtu(self):
        call("export", "tube.vtkhdf", "-q", "-o", "tube.pvd", "--frames", 2)
        found = read_vtu(FOLDER / "tube" / "tube_000002.vtu")
        points, faces = found["Points"], [found["connectivity"][3 * i:3 * i + 3] for i in range(2 * AROUND * UP)]
        self.check_uvs([[(points[v], found["corner_uv"][t][2 * k:2 * k + 2]) for k, (v,) in enumerate(face)] for t, face in enumerate(faces)])
        self.check_normals(list(zip(points, found["normal"]))[:AROUND * (UP + 1)])
        at_seam = {v for (v,) in sum(faces, []) if points[v][0] > RADIUS - 1e-6}
        for t, face in enumerate(faces):
            for k, (v,) in enumerate(face):
                if v not in at_seam:
                    self.assertEqual(found["uv"][v], found["corner_uv"][t][2 * k:2 * k + 2])
        for (s,) in found["strain"] + found["least_strain"]:
            self.assertLess(abs(s), 1e-9)
        for (k,), (rest,) in zip(found["curvature"], found["rest_curvature"]):
            self.assertAlmostEqual(k, rest, delta=1e-6)  # nothing has moved
        for p, (k,) in zip(points, found["curvature"]):
            if abs(p[0]) < 1 and 0.1 < p[1] < HEIGHT - 0.1:
                self.assertAlmostEqual(k, 0.5 / RADIUS, delta=0.02 / RADIUS)
            elif abs(p[0]) > 1:
                self.assertLess(abs(k), 1e-6)  # the straight wire, the solid

    def test_bending_energy(self):
        """Over areas and lengths at rest it is what the ledger has; without it, where nothing resists bending."""
        call("export", "bent.vtkhdf", "-q", "-o", "bent.pvd", "--frames", 0)
        call("export", "bent.vtkhdf", "-q", "-o", "bent.csv")
        found, (head, first) = read_vtu(FOLDER / "bent" / "bent_000000.vtu"), (FOLDER / "bent.csv").read_text().splitlines()[:2]
        points, flat, total, at = found["Points"], [v for (v,) in found["connectivity"]], [0, 0], 0
        for (end,), (density,) in zip(found["offsets"], found["bending_energy"]):
            corners, at = [points[v] for v in flat[at:end]], end
            sides = [[b - a for a, b in zip(corners[0], c)] for c in corners[1:]]
            if len(sides) == 1:
                total[1] += math.hypot(*sides[0]) * density
            else:
                (a, b, c), (x, y, z) = sides
                total[0] += 0.5 * math.hypot(b * z - c * y, c * x - a * z, a * y - b * x) * density
        self.assertGreater(min(total), 0)
        elastic = float(dict(zip([name.split(" ")[0] for name in head.split(",")], first.split(",")))["elastic"])
        self.assertAlmostEqual(sum(total) / elastic, 1, delta=1e-12)
        call("export", "tube.vtkhdf", "-q", "-o", "tube.pvd", "--frames", 2)
        self.assertNotIn("bending_energy", read_vtu(FOLDER / "tube" / "tube_000002.vtu"))

    def test_homogeneous_stretch(self):
        """Every triangle has the strains of the whole sheet, wherever it stands; halfway, half of them."""
        call("export", "sheet.vtkhdf", "-q", "-o", "sheet.pvd")
        for frame, share in ((0, 0), (1, 0.5), (2, 1)):
            found = read_vtu(FOLDER / "sheet" / f"sheet_{frame:06d}.vtu")
            cells = [i for i, (body,) in enumerate(found["body"]) if body == 1]
            self.assertEqual(len(cells), 4)
            for i in cells:
                self.assertAlmostEqual(found["strain"][i][0], 0.5 * share, delta=1e-12)
                self.assertAlmostEqual(found["least_strain"][i][0], -0.25 * share, delta=1e-12)

    def test_vtk_reads_them(self):
        try:
            from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
            from vtkmodules.vtkIOGeometry import vtkGLTFReader, vtkOBJReader
        except ImportError:
            self.skipTest("no VTK for this Python (Debian: python3-vtk9)")
        call("export", "tube.vtkhdf", "-q", "-o", "vtk.pvd", "--frames", 2)
        call("export", "tube.vtkhdf", "-q", "-o", "vtk.obj", "--frames", 2, "--body", "tube")
        call("export", "tube.vtkhdf", "-q", "-o", "vtk.glb", "--frames", 2, "--body", "tube")
        grid = vtkXMLUnstructuredGridReader()
        grid.SetFileName(str(FOLDER / "vtk" / "vtk_000002.vtu"))
        grid.Update()
        data = grid.GetOutput().GetPointData()
        self.assertEqual(data.GetTCoords().GetName(), "uv")
        self.assertIsNone(data.GetNormals())  # solids have none to shade by
        for reader, file in ((vtkOBJReader(), "vtk_000002.obj"), (vtkGLTFReader(), "vtk.glb")):
            reader.SetFileName(str(FOLDER / file))
            reader.Update()
            shape = reader.GetOutput()
            if hasattr(shape, "NewIterator"):
                walk = shape.NewIterator()
                walk.InitTraversal()
                shape = walk.GetCurrentDataObject()
            self.assertEqual(shape.GetNumberOfCells(), 2 * AROUND * UP, file)
            self.assertEqual(shape.GetPointData().GetTCoords().GetNumberOfComponents(), 2, file)
            self.assertEqual(shape.GetPointData().GetNormals().GetNumberOfTuples(), shape.GetNumberOfPoints(), file)


if __name__ == "__main__":
    if not PROGRAM or not os.access(PROGRAM, os.X_OK):
        print("skipped: $VISVIVA is not the program")
        sys.exit(77)
    make_runs()
    unittest.main(verbosity=1)
