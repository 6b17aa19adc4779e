"""Runs for the tests of the exporters, and what is in them, read by h5dump: for tests/program/test_exports_*.py."""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

PROGRAM = os.environ.get("VISVIVA", "")
SKIPPED = 77


def skip(message):
    print(f"skipped: {message}")
    sys.exit(SKIPPED)


def need_program():
    if not PROGRAM or not os.access(PROGRAM, os.X_OK):
        skip("$VISVIVA is not the program")
    if not shutil.which("h5dump"):
        skip("h5dump is not here (Debian: hdf5-tools)")


def call(*arguments, cwd):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=300)
    if done.returncode:
        sys.exit(f"WRONG: visviva {' '.join(map(str, arguments))}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def read_glb(path):
    data = path.read_bytes()
    length = struct.unpack("<I", data[12:16])[0]
    tree, binary = json.loads(data[20:20 + length]), data[28 + length:]

    def values(index):
        a = tree["accessors"][index]
        view = tree["bufferViews"][a["bufferView"]]
        size = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[a["type"]]
        kind = {5126: "f", 5125: "I"}[a["componentType"]]
        stride, start = view.get("byteStride", 4 * size), view.get("byteOffset", 0) + a.get("byteOffset", 0)
        return [struct.unpack_from(f"<{size}{kind}", binary, start + i * stride) for i in range(a["count"])]
    return tree, values


def read_vtu(path):
    """The arrays of an appended file, by name."""
    data = path.read_bytes()
    head, raw = data.split(b'<AppendedData encoding="raw">\n_', 1)
    found = {}
    for kind, name, parts, offset in re.findall(rb'<DataArray type="(\w+)" Name="(\w+)" NumberOfComponents="(\d+)" format="appended" offset="(\d+)"', head):
        size = struct.unpack_from("<Q", raw, int(offset))[0]
        code = {b"Float64": "d", b"Float32": "f", b"Int32": "i", b"Int64": "q", b"UInt8": "B"}[kind]
        flat = struct.unpack_from(f"<{size // struct.calcsize(code)}{code}", raw, int(offset) + 8)
        found[name.decode()] = [flat[i:i + int(parts)] for i in range(0, len(flat), int(parts))]
    return found


# A soft box with an odd name, a cloth, a rope and all obstacles; 1/60 s from frame to frame, and a last frame that comes early.
MIXED = {
    "visviva": 1, "name": "mixed bag, \"quoted\"",
    "time": {"step": "1/120", "end": "37/120", "record_every": 2},
    "integrator": {"scheme": "backward-euler", "policy": "none"},
    "materials": {"jelly": {"model": "fixed-corotated", "young": 2e4, "poisson": 0.3, "density": 1000},
                  "thread": {"model": "hooke", "stiffness": 50, "density": 0.5}},
    "bodies": [
        {"name": "1 soft box \"\u00fc\"", "material": "jelly", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}},
         "place": {"translate": [0, 0.3, 0], "rotate": [0, 30, 10]}},
        {"name": "cloth", "material": "thread", "mesh": {"cloth": {"size": [0.3, 0.3], "cells": [4, 4]}},
         "place": {"translate": [0.5, 0.3, 0]}},
        {"name": "rope", "material": "thread", "mesh": {"file": "rope.obj"}, "place": {"translate": [-0.5, 0.3, 0]}},
    ],
    "obstacles": [{"plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}},
                  {"sphere": {"center": [0.5, 0.05, 0], "radius": 0.04}},
                  {"box": {"center": [0, 0.01, 0.4], "size": [0.1, 0.02, 0.2], "rotate": [0, 30, 0]}},
                  {"cylinder": {"center": [-0.5, 0.02, 0.3], "axis": [1, 0, 0], "radius": 0.02, "height": 0.2}},
                  {"capsule": {"center": [-0.3, 0.02, 0.3], "axis": [1, 0, 0], "radius": 0.02, "height": 0.1}},
                  {"torus": {"center": [0.3, 0.02, 0.4], "radius": 0.08, "tube": 0.02}},
                  {"torus": {"center": [0.3, 0.02, 0.2], "radius": 0.04, "tube": 0.02}},
                  {"hole": {"center": [-0.6, 0.02, 0.6], "radius": 0.03, "thickness": 0.02, "outer": 0.08}},
                  {"bowl": {"center": [0.6, 0.06, 0.6], "radius": 0.05, "wall": 0.01}}],
}
# a rope with a branch and a ring
ROPE = "".join(f"v {0.05 * i} 0 0\n" for i in range(6)) + "v 0.1 0 0.05\nv 0.1 0 0.1\nv 0.3 0 0.05\nv 0.3 0 -0.05\n" + \
    "l 1 2 3 4 5 6\nl 3 7 8\nl 6 9 10\nl 10 6\n"

# More frames than a glTF mesh takes as morph targets, more a second than Blender should show; gravity along -z.
LONG = {
    "visviva": 1, "name": "long", "gravity": [0, 0, -9.8],
    "time": {"step": 0.01, "end": 2.6},
    "integrator": {"scheme": "bdf2", "policy": "none"},
    "materials": {"jelly": {"model": "fixed-corotated", "young": 1e4, "poisson": 0.3, "density": 1000}},
    "bodies": [{"name": "box", "material": "jelly", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}},
                "velocity": {"angular": [3, 5, 15]}}],
}

# A model of one's own, with quads and UVs, carried by a box of tets around it.
OWN = {
    "visviva": 1, "name": "a model of one's own",
    "time": {"step": "1/60", "end": 0.5, "record_every": 2},
    "integrator": {"scheme": "backward-euler", "policy": "none"},
    "materials": {"jelly": {"model": "fixed-corotated", "young": 5e3, "poisson": 0.3, "density": 1000}},
    "bodies": [{"name": "own", "material": "jelly", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}},
                "surface": {"file": "own.obj"}, "place": {"translate": [0, 0.2, 0], "rotate": [10, 20, 30]}}],
    "obstacles": [{"plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}}],
}
CUBE = "o cube\n" + "".join(f"v {x} {y} {z}\n" for x in (-0.09, 0.09) for y in (-0.08, 0.08) for z in (-0.07, 0.07)) + \
    "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n" + "".join("f " + " ".join(f"{v}/{t + 1}" for t, v in enumerate(face)) + "\n" for face in
    ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)))


def make_runs(folder):
    """mixed.vtkhdf, long.vtkhdf and own.vtkhdf."""
    folder = pathlib.Path(folder)
    (folder / "rope.obj").write_text(ROPE)
    (folder / "own.obj").write_text(CUBE)
    for name, scene in (("mixed", MIXED), ("long", LONG), ("own", OWN)):
        (folder / f"{name}.json").write_text(json.dumps(scene))
        call("run", f"{name}.json", "-q", "-o", f"{name}.vtkhdf", cwd=folder)


def dump(run, path, form):
    """A dataset as a flat list; form: a struct character."""
    raw = run.with_suffix(".raw")
    subprocess.run(["h5dump", "-d", path, "-b", "LE", "-o", str(raw), str(run)], check=True, stdout=subprocess.DEVNULL)
    data = raw.read_bytes()
    raw.unlink()
    return list(struct.unpack(f"<{len(data) // struct.calcsize(form)}{form}", data))


class Run:
    """What an export of the run should show: bodies as dictionaries with name, triangles, edges (vertices of the body, in the
    order of the run) and, frame by frame, positions and velocities."""

    def __init__(self, run, scene):
        run = pathlib.Path(run)
        points, velocity = dump(run, "/VTKHDF/Points", "d"), dump(run, "/VTKHDF/PointData/velocity", "d")
        self.times = dump(run, "/VTKHDF/Steps/Values", "d")
        nodes = dump(run, "/VTKHDF/NumberOfPoints", "q")[0]
        triangles, edges = dump(run, "/visviva/triangles", "i"), dump(run, "/visviva/edges", "i")
        owner = self.owners(run, nodes)
        self.up = "Z" if scene.get("gravity", [0, -9.8, 0])[2] < 0 else "Y"
        self.obstacles = len(scene.get("obstacles", []))
        self.bodies = []
        if any("surface" in body for body in scene["bodies"]):
            self.bodies.append(self.carried(run, scene["bodies"][0]["name"], points, velocity, nodes))
            return
        for index, body in enumerate(scene["bodies"]):
            own = [n for t in range(0, len(triangles), 3) if owner[triangles[t]] == index for n in triangles[t:t + 3]]
            lines = [] if own else [n for e in range(0, len(edges), 2) if owner[edges[e]] == index for n in edges[e:e + 2]]
            used = sorted(set(own or lines))
            at = {node: vertex for vertex, node in enumerate(used)}
            rows = [[v for n in used for v in points[3 * (f * nodes + n):3 * (f * nodes + n) + 3]] for f in range(len(self.times))]
            fast = [[v for n in used for v in velocity[3 * (f * nodes + n):3 * (f * nodes + n) + 3]] for f in range(len(self.times))]
            self.bodies.append({"name": body["name"], "triangles": [at[n] for n in own], "edges": [at[n] for n in lines],
                                "frames": rows, "velocities": fast})

    def carried(self, run, name, points, velocity, nodes):
        """Of a run whose only body carries a surface."""
        corners, weights = dump(run, "/visviva/surface_nodes", "i"), dump(run, "/visviva/surface_weights", "d")

        def follow(values, frame):
            return [sum(weights[v + k] * values[3 * (frame * nodes + corners[v + k]) + axis] for k in range(4))
                    for v in range(0, len(corners), 4) for axis in range(3)]
        frames = range(len(self.times))
        return {"name": name, "triangles": dump(run, "/visviva/surface_triangles", "i"), "edges": [],
                "frames": [follow(points, f) for f in frames], "velocities": [follow(velocity, f) for f in frames]}

    @staticmethod
    def owners(run, nodes):
        """The body of each node: bodies' cells name it."""
        cells, body = dump(run, "/VTKHDF/Offsets", "q"), dump(run, "/VTKHDF/CellData/body", "i")
        connectivity = dump(run, "/VTKHDF/Connectivity", "q")
        owner = [-1] * nodes
        for cell, index in enumerate(body):
            for node in connectivity[cells[cell]:cells[cell + 1]]:
                owner[node] = index
        return owner

    def expected(self, frames=None, bodies=None, **more):
        """As tests/npm wants it; frames: those of the export."""
        frames = list(range(len(self.times))) if frames is None else frames
        chosen = [b for b in self.bodies if bodies is None or b["name"] in bodies]
        return {"times": [self.times[f] for f in frames], "up": self.up, "obstacles": self.obstacles,
                "bodies": [{**b, "frames": [b["frames"][f] for f in frames],
                            "velocities": [b["velocities"][f] for f in frames]} for b in chosen], **more}
