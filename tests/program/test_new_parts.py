#!/usr/bin/env python3
"""visviva new: a model of parts that do not touch becomes several bodies, named as the file names them, each with its mesh and its share of the
model's surface; --one-body, cavities and very many parts: one body; parts that touch: one, with a line. $VISVIVA is the program.
"""
import base64
import json
import os
import pathlib
import struct
import tempfile
import unittest

from exports_support import need_program
from terminal_support import call

CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
FACES = [(1, 4, 3, 2), (5, 6, 7, 8), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8)]


def boxes(path, places, names=(), size=1.0, inside_out=()):
    """An OBJ of boxes at places; those named first."""
    lines, first = [], 0
    for i, place in enumerate(places):
        side = size if i == 0 or i not in inside_out else 0.4
        if i < len(names):
            lines.append(f"o {names[i]}")
        lines += ["v " + " ".join(str(p + side * x) for p, x in zip(place, corner)) for corner in CORNERS]
        lines += ["f " + " ".join(str(first + v) for v in (reversed(face) if i in inside_out else face)) for face in FACES]
        first += 8
    pathlib.Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


class Parts(unittest.TestCase):
    def new(self, *words, code=0):
        done = call("new", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def scene(self, name):
        return json.loads(pathlib.Path(name).read_text(encoding="utf-8"))

    def volumes(self, bodies):
        found = []
        for body in bodies:
            said = json.loads(call("info", body["mesh"]["file"], "--json").stdout)
            self.assertEqual(said["components"], 1)
            found.append(said["volume"])
        return found

    def test_by_name(self):
        boxes("pair.obj", [(0, 0, 0), (3, 0, 0)], ("left box", "rechts \u00fc"))
        said = self.new("pair.obj", "--edge", "0.5")
        self.assertIn("2 bodies", said)
        bodies = self.scene("pair.json")["bodies"]
        self.assertEqual([body["name"] for body in bodies], ["left box", "rechts \u00fc"])
        self.assertEqual(len({json.dumps(body["place"]) for body in bodies}), 1)  # where they were to each other
        for volume in self.volumes(bodies):
            self.assertAlmostEqual(volume, 1, delta=1e-9)
        self.assertFalse(pathlib.Path("pair.msh").exists())
        done = call("run", "pair.json", "-q", "--until", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = self.new("pair.obj", "-o", "again.json", code=2)  # the files of the parts are there
        self.assertIn("pair-1-left_box.msh exists", said)
        self.new("pair.obj", "-o", "again.json", "--edge", "0.5", "--force")

    def test_nodes_of_gltf(self):
        points = b"".join(struct.pack("<3f", *corner) for corner in CORNERS)
        corners = [v - 1 for face in FACES for v in (face[0], face[1], face[2], face[0], face[2], face[3])]
        data = points + struct.pack(f"<{len(corners)}H", *corners)
        pathlib.Path("pair.gltf").write_text(json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1, 2]}],
            "nodes": [{"name": "wheel \u00fc", "mesh": 0}, {"mesh": 0, "translation": [3, 0, 0]},
                      {"name": "axle", "mesh": 0, "translation": [0, 0, 3], "scale": [1, 1, 2]}],
            "meshes": [{"name": "cube", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
                          {"bufferView": 1, "componentType": 5123, "count": len(corners), "type": "SCALAR"}],
            "bufferViews": [{"buffer": 0, "byteLength": len(points)},
                            {"buffer": 0, "byteOffset": len(points), "byteLength": len(data) - len(points)}],
            "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]}))
        self.new("pair.gltf", "--edge", "0.5", "-o", "nodes.json")
        bodies = self.scene("nodes.json")["bodies"]
        self.assertEqual([body["name"] for body in bodies], ["wheel \u00fc", "cube", "axle"])  # of a node, or of its mesh
        for volume, right in zip(self.volumes(bodies), (1, 1, 2)):
            self.assertAlmostEqual(volume, right, delta=1e-6)
        for command in ("check", "run"):  # JSON, but no scene
            self.assertIn("pair.gltf is a mesh, not a scene", call(command, "pair.gltf").stderr)
        said = json.loads(call("info", "pair.gltf", "--json").stdout)
        self.assertEqual(sorted(group["name"] for group in said["groups"]), ["axle", "cube", "wheel \u00fc"])

    def test_without_names(self):
        boxes("plain.obj", [(0, 0, 0), (3, 0, 0), (0, 0, 3)])
        self.new("plain.obj", "--affine")
        self.assertEqual([body["name"] for body in self.scene("plain.json")["bodies"]], ["body 1", "body 2", "body 3"])
        boxes("same.obj", [(0, 0, 0), (3, 0, 0)], ("box", "box"))
        self.new("same.obj", "--affine")
        names = [body["name"] for body in self.scene("same.json")["bodies"]]
        self.assertEqual(len(set(names)), 2)
        self.assertEqual(names[0], "box")

    def test_one_body(self):
        boxes("one.obj", [(0, 0, 0), (3, 0, 0)])
        self.assertNotIn("2 bodies", self.new("one.obj", "--edge", "0.5", "--one-body"))
        self.assertEqual(len(self.scene("one.json")["bodies"]), 1)
        self.assertTrue(pathlib.Path("one.msh").exists())
        boxes("hollow.obj", [(0, 0, 0), (0.3, 0.3, 0.3)], inside_out=(1,))  # a cavity is no body
        self.new("hollow.obj", "--affine")
        self.assertEqual(len(self.scene("hollow.json")["bodies"]), 1)
        self.new("hollow.obj", "-o", "soft.json", "--edge", "0.3")
        self.assertEqual(len(self.scene("soft.json")["bodies"]), 1)

    def test_very_many(self):
        boxes("many.obj", [(1.5 * (i % 8), 1.5 * (i // 64), 1.5 * (i // 8 % 8)) for i in range(65)])
        self.assertIn("the model has 65 parts", self.new("many.obj", "--affine"))
        self.assertEqual(len(self.scene("many.json")["bodies"]), 1)

    def test_carried(self):
        boxes("fine.obj", [(0, 0, 0), (3, 0, 0)], ("a", "b"))
        self.new("fine.obj", "--edge", "0.5", "--carry-surface")
        bodies = self.scene("fine.json")["bodies"]
        lowest = []
        for body in bodies:
            said = json.loads(call("info", body["surface"]["file"], "--json").stdout)
            self.assertEqual(said["components"], 1)
            lowest.append(min(float(line.split()[1]) for line in pathlib.Path(body["surface"]["file"]).read_text(encoding="utf-8").splitlines()
                              if line.startswith("v ")))
        self.assertEqual(lowest, [0, 3])

    def test_cloths(self):
        pathlib.Path("sheets.obj").write_text("o upper\nv 0 1 0\nv 1 1 0\nv 1 1 1\nv 0 1 1\no lower\nv 0 0.5 0\nv 1 0.5 0\nv 1 0.5 1\nv 0 0.5 1\n"
                                              "f 1 4 3 2\nf 5 8 7 6\n", encoding="utf-8")
        self.new("sheets.obj", "--cloth")
        self.assertEqual([body["name"] for body in self.scene("sheets.json")["bodies"]], ["upper", "lower"])


if __name__ == "__main__":
    need_program()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main()
