#!/usr/bin/env python3
"""Affine bodies outside the library: `new --affine`, what `check` and `info` say of them, and exports: every format shows the surface and none of
the four nodes; USD and glTF have it once and move it as far as they can. Resuming continues with the same bits.

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
LARGE, SMALL, AROUND, ACROSS = 0.1, 0.04, 24, 12
FRAMES, RING, BLOCK = 13, AROUND * ACROSS, 26  # the block's boundary has 26 of its 27 vertices
SIZE = 2 * (LARGE + SMALL)


def call(*arguments, wrong=None):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER, timeout=300)
    if wrong is None:
        assert done.returncode == 0, f"visviva {' '.join(map(str, arguments))}: {done.stderr}"
    else:
        assert done.returncode == 2 and wrong in done.stderr, f"visviva {' '.join(map(str, arguments))}: {done.stderr}"
    return done.stdout


def torus(hole=False):
    points, triangles = [], []
    for i in range(AROUND):
        for j in range(ACROSS):
            a, b = 2 * math.pi * i / AROUND, 2 * math.pi * j / ACROSS
            r = LARGE + SMALL * math.cos(b)
            points.append((r * math.cos(a), SMALL * math.sin(b), r * math.sin(a)))
            p, q = i * ACROSS + j, (i + 1) % AROUND * ACROSS + j
            d, c = i * ACROSS + (j + 1) % ACROSS, (i + 1) % AROUND * ACROSS + (j + 1) % ACROSS
            triangles += [(p, d, c), (p, c, q)]
    triangles = triangles[1:] if hole else triangles
    return "".join("v %r %r %r\n" % p for p in points) + "".join("f %d %d %d\n" % tuple(n + 1 for n in t) for t in triangles), points


def make_run():
    (FOLDER / "ring.obj").write_text(torus()[0])
    (FOLDER / "open.obj").write_text(torus(hole=True)[0])
    (FOLDER / "mix.json").write_text(json.dumps({
        "visviva": 1, "name": "mix", "gravity": [0, -9.8, 0], "time": {"step": "1/60", "end": f"{FRAMES - 1}/60"},
        "integrator": {"scheme": "backward-euler", "policy": "search", "ground_energy": "none"}, "contact": {"distance": 1e-3, "friction": 0.2},
        "materials": {"steel": {"model": "affine", "density": 7800}, "jelly": {"model": "stvk", "young": 5e4, "density": 1000}},
        "bodies": [
            {"name": "ring", "material": "steel", "mesh": {"file": "ring.obj"}, "place": {"translate": [0.3, 0.2, 0], "rotate": [0, 0, 90]},
             "velocity": {"linear": [0, 0, 0], "angular": [3, 8, 0]}},
            {"name": "soft", "material": "jelly", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}}, "place": {"translate": [0, 0.2, 0]}},
            {"name": "block", "material": "steel", "mesh": {"box": {"size": [0.1, 0.2, 0.05], "cells": [2, 2, 2]}}, "place": {"translate": [-0.3, 0.15, 0]},
             "velocity": {"linear": [1, 0, 0], "angular": [0, 0, -9]}}],
        "obstacles": [{"plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}}]}))
    call("run", "mix.json", "-q", "-o", "mix.vtkhdf")
    for name in ("mix.pvd", "mix.usda", "mix.glb", "obj/mix.obj", "ply/mix.ply"):
        (FOLDER / name).parent.mkdir(exist_ok=True)
        call("export", "mix.vtkhdf", "-o", name)


def drawn(frame, body):
    """Points of the body in a frame, by the VTU file, in the order of the surface; and its triangles."""
    vtu, first = read_vtu(FOLDER / f"mix/mix_{frame:06d}.vtu"), 0
    flat, ends = [n[0] for n in vtu["connectivity"]], [n[0] for n in vtu["offsets"]]
    cells = [flat[(ends[i - 1] if i else 0):end] for i, end in enumerate(ends) if vtu["body"][i][0] == body]
    used = sorted({n for cell in cells for n in cell})
    first = used[0]
    assert used == list(range(first, first + len(used)))
    return vtu["Points"][first:first + len(used)], [[n - first for n in cell] for cell in cells]


def read_usda(name):
    """Points, indices, and matrices by time code of a body."""
    text = (FOLDER / "mix.usda").read_text()
    start = text.index(f'def Mesh "{name}"')
    part = text[start:text.index("\n        }\n", start)]
    numbers = lambda found: [float(x) for x in re.findall(r"[-+0-9.eE]+", found)]
    flat = numbers(re.search(r"point3f\[\] points = \[(.*?)\]", part, re.S).group(1))
    matrices = {}
    block = re.search(r"matrix4d xformOp:transform.timeSamples = \{(.*?)\n            \}", part, re.S)
    for code, values in re.findall(r"(\S+): (\(.*?\) \)),", block.group(1)) if block else []:
        matrices[float(code)] = numbers(values)
    return part, [flat[i:i + 3] for i in range(0, len(flat), 3)], matrices


def turn(q, p):
    """p by the quaternion (x, y, z, w)."""
    x, y, z, w = q
    cross = lambda a, b: (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    t = [2 * c for c in cross((x, y, z), p)]
    u = cross((x, y, z), t)
    return [p[k] + w * t[k] + u[k] for k in range(3)]


class Exports(unittest.TestCase):
    def near(self, a, b, tolerance, what):
        self.assertEqual(len(a), len(b), what)
        worst = max(math.dist(p, q) for p, q in zip(a, b))
        self.assertLess(worst, tolerance, what)

    def test_vtu_shows_surfaces(self):
        vtu = read_vtu(FOLDER / "mix/mix_000000.vtu")
        by_body = {b: {t[0] for t, c in zip(vtu["types"], vtu["body"]) if c[0] == b} for b in range(3)}
        self.assertEqual(by_body, {0: {5}, 1: {10}, 2: {5}})
        self.assertEqual(len(vtu["Points"]), RING + 8 + BLOCK)
        self.assertEqual(len(vtu["velocity"]), len(vtu["Points"]))
        points, triangles = drawn(0, 0)
        self.near(points, [(0.3 - y, 0.2 + x, z) for x, y, z in torus()[1]], 1e-12, "placed: turned by 90 degrees about z")
        self.assertEqual(len(triangles), 2 * RING)
        for p, v in zip(points, vtu["velocity"][:len(points)] if vtu["Points"][0] == points[0] else
                        vtu["velocity"][vtu["Points"].index(points[0]):]):
            at = (p[0] - 0.3, p[1] - 0.2, p[2])  # w x r
            self.near([v], [(8 * at[2], -3 * at[2], 3 * at[1] - 8 * at[0])], 1e-9, "a spin")
        self.assertLess(max(s[0] for s in read_vtu(FOLDER / f"mix/mix_{FRAMES - 1:06d}.vtu")["strain"][:2 * RING]), 0.01)

    def test_obj_and_ply(self):
        for frame in (0, FRAMES - 1):
            lines = (FOLDER / f"obj/mix_{frame:06d}.obj").read_text().splitlines()
            points = [tuple(map(float, line.split()[1:4])) for line in lines if line.startswith("v ")]
            self.assertEqual(len(points), RING + 8 + BLOCK)
            self.near(points[:RING], drawn(frame, 0)[0], 1e-6 * SIZE, "ring")
            self.assertIn(b"element vertex %d\n" % len(points), (FOLDER / f"ply/mix_{frame:06d}.ply").read_bytes()[:400])

    def test_usd_is_exact(self):
        for body, name in ((0, "ring"), (2, "block")):
            part, points, matrices = read_usda(name)
            self.assertNotIn("points.timeSamples", part)
            self.assertNotIn("normals.timeSamples", part)
            self.assertIn('xformOpOrder = ["xformOp:transform"]', part)
            self.assertEqual(sorted(matrices), list(range(FRAMES)))
            for frame, m in matrices.items():
                self.assertEqual([m[3], m[7], m[11], m[15]], [0, 0, 0, 1])
                moved = [[sum(p[i] * m[4 * i + k] for i in range(3)) + m[12 + k] for k in range(3)] for p in points]
                self.near(moved, drawn(int(frame), body)[0], 1e-6 * SIZE, f"{name}, frame {frame}")
        part, points, matrices = read_usda("soft")
        self.assertIn("points.timeSamples", part)
        self.assertFalse(matrices)

    def test_glb_moves_nodes(self):
        tree, values = read_glb(FOLDER / "mix.glb")
        animation = tree["animations"][0]
        nodes = {n["name"]: (i, n) for i, n in enumerate(tree["nodes"])}
        for body, name in ((0, "ring"), (2, "block")):
            index, node = nodes[name]
            primitive = tree["meshes"][node["mesh"]]["primitives"][0]
            self.assertNotIn("targets", primitive)
            paths = {c["target"]["path"]: animation["samplers"][c["sampler"]] for c in animation["channels"] if c["target"]["node"] == index}
            self.assertEqual(set(paths), {"translation", "rotation"})
            times = [t[0] for t in values(paths["rotation"]["input"])]
            self.assertEqual(len(times), FRAMES)
            self.assertAlmostEqual(times[-1], (FRAMES - 1) / 60, places=6)
            shape = values(primitive["attributes"]["POSITION"])
            corners = [shape[i[0]] for i in values(primitive["indices"])]
            moves, turns = values(paths["translation"]["output"]), values(paths["rotation"]["output"])
            self.near([node["translation"] + node["rotation"]], [moves[0] + turns[0]], 1e-6, "as it begins")
            strain = 0
            for frame, (move, q) in enumerate(zip(moves, turns)):
                m = read_usda(name)[2][frame]
                strain = max(strain, max(abs(sum(m[4 * i + k] * m[4 * j + k] for k in range(3)) - (i == j)) for i in range(3) for j in range(3)))
                self.assertAlmostEqual(sum(c * c for c in q), 1, places=5)
                self.assertGreater(sum(a * b for a, b in zip(q, turns[max(frame - 1, 0)])), 0)
                points, triangles = drawn(frame, body)
                self.near([[a + b for a, b in zip(turn(q, p), move)] for p in corners], [points[n] for t in triangles for n in t],
                          SIZE * (1e-6 + 3 * strain), f"{name}, frame {frame}")
            self.assertLess(strain, 0.01)  # nearly rigid
        self.assertIn("targets", tree["meshes"][nodes["soft"][1]["mesh"]]["primitives"][0])
        # the shapes once and 28 bytes a frame and body, not 24 bytes a vertex and frame
        self.assertLess((FOLDER / "mix.glb").stat().st_size, 24 * RING * FRAMES / 2)

    def test_glb_of_one(self):
        for frames, count in (("0:5", 6), ("4", 1)):
            call("export", "mix.vtkhdf", "-o", "one.glb", "--body", "ring", "--frames", frames)
            tree, values = read_glb(FOLDER / "one.glb")
            self.assertEqual([m["name"] for m in tree["meshes"] if "name" in m], ["ring"])
            self.assertEqual("animations" in tree, count > 1)
            if count > 1:
                self.assertEqual({c["target"]["path"] for c in tree["animations"][0]["channels"]}, {"translation", "rotation"})
            for a in tree["accessors"]:
                view = tree["bufferViews"][a["bufferView"]]
                self.assertLessEqual(view["byteOffset"] + view["byteLength"], tree["buffers"][0]["byteLength"])
        self.assertEqual(tree["accessors"][0]["count"], 6 * RING)

    def test_pc2(self):
        call("export", "mix.vtkhdf", "-o", "ring.pc2", "--body", "ring")
        data = (FOLDER / "ring.pc2").read_bytes()
        self.assertEqual(struct.unpack_from("<ii", data, 12)[1], RING)
        last = struct.unpack_from(f"<{3 * RING}f", data, len(data) - 12 * RING)
        self.near([last[i:i + 3] for i in range(0, 3 * RING, 3)], drawn(FRAMES - 1, 0)[0], 1e-6 * SIZE, "last frame")


class Program(unittest.TestCase):
    def test_check_and_info(self):
        text = call("check", "mix.json")
        ring = text[text.index('body "ring"'):text.index('body "soft"')]
        self.assertIn(f"affine, {RING} vertices and {2 * RING} triangles on four nodes", ring)
        self.assertNotIn("dihedral", ring)
        body = json.loads(call("check", "mix.json", "--json"))["bodies"][0]
        volume = 2 * math.pi ** 2 * LARGE * SMALL ** 2
        self.assertEqual((body["affine"], body["vertices"], body["tets"]), (True, RING, 0))
        self.assertAlmostEqual(body["volume"] / volume, 1, delta=0.06)  # of 24 x 12 flat sides
        self.assertAlmostEqual(body["mass"], 7800 * body["volume"], places=9)
        self.assertAlmostEqual(body["inertia"][0] / (body["mass"] * (LARGE ** 2 + 0.75 * SMALL ** 2)), 1, delta=0.06)  # placed: x is its axis
        self.near_centre(body["centre"])
        self.assertIn(f"affine, {RING} vertices", call("info", "mix.vtkhdf"))
        bodies = json.loads(call("info", "mix.vtkhdf", "--json"))["bodies"]
        self.assertEqual([(b["affine"], b["vertices"], b["tets"]) for b in bodies], [(True, RING, 0), (False, 8, 5), (True, BLOCK, 0)])
        call("check", "mix.vtkhdf")  # no frame intersects

    def near_centre(self, centre):
        self.assertLess(math.dist(centre, (0.3, 0.2, 0)), 1e-12)

    def test_new(self):
        said = call("new", "ring.obj", "--affine", "--height", "0.1")
        self.assertIn("affine", said)
        scene = json.loads((FOLDER / "ring.json").read_text())
        self.assertEqual([m["model"] for m in scene["materials"].values()], ["affine"])
        self.assertEqual(scene["bodies"][0]["mesh"], {"file": "ring.obj"})
        self.assertFalse((FOLDER / "ring.msh").exists())
        self.assertIn("affine, ", call("check", "ring.json"))
        call("run", "ring.json", "-q", "--until", "0.02", "-o", "new.vtkhdf")
        call("new", "open.obj", "--affine", "--close-holes", "1")
        self.assertEqual(json.loads((FOLDER / "open.json").read_text())["bodies"][0]["mesh"], {"file": "open.msh"})
        self.assertIn(f"affine, {RING} vertices and {2 * RING} triangles", call("check", "open.json"))
        call("new", "open.obj", "--affine", "--close-holes", "0", "-o", "no.json", wrong="open")
        self.assertFalse((FOLDER / "no.json").exists())
        call("new", "ring.obj", "--affine", "--edge", "0.1", "-o", "no.json", wrong="--affine fills nothing")

    def test_resume(self):
        call("run", "mix.json", "-q", "--until", "0.1", "-o", "half.vtkhdf")
        call("run", "half.vtkhdf", "-q", "--resume", "--until", "12/60")
        call("export", "half.vtkhdf", "-o", "half.pvd", "--frames", str(FRAMES - 1))
        self.assertEqual((FOLDER / f"half/half_{FRAMES - 1:06d}.vtu").read_bytes(), (FOLDER / f"mix/mix_{FRAMES - 1:06d}.vtu").read_bytes())


if __name__ == "__main__":
    if not PROGRAM:
        print("skipped: $VISVIVA does not name the program")
        sys.exit(77)
    make_run()
    unittest.main()
