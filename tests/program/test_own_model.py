#!/usr/bin/env python3
"""What docs/own-model.md promises: with --carry-surface a point cache has the vertices of the artist's own OBJ, in its order, however the
tets were filled; and Blender plays it on an object with quads, by the settings that the page names.

Exit code 77 (skipped, with a message) where Blender is not there for the second part; the first has passed then.
"""
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("VISVIVA", "")
MAKE = """
import bpy
for o in list(bpy.data.objects): bpy.data.objects.remove(o)
bpy.ops.mesh.primitive_torus_add(major_segments=16, minor_segments=8, major_radius=0.12, minor_radius=0.05)
"""
EXPORT = MAKE + """
bpy.ops.wm.obj_export(filepath="artist.obj", export_selected_objects=True, apply_modifiers=False)
"""
# step 6 of the page, on the object that was exported
PLAY = MAKE + """
import struct
o = bpy.context.object
m = o.modifiers.new("Mesh Cache", "MESH_CACHE")
m.cache_format, m.filepath, m.frame_start, m.forward_axis, m.up_axis = "PC2", "artist.pc2", 1, "POS_Z", "NEG_Y"
data = open("artist.pc2", "rb").read()
count, frames = struct.unpack_from("<i", data, 16)[0], struct.unpack_from("<i", data, 28)[0]
worst = moved = 0
for frame in range(1, frames + 1):
    bpy.context.scene.frame_set(frame)
    mesh = o.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    assert len(mesh.vertices) == count and len(mesh.polygons) == 128 and len(mesh.uv_layers) == 1
    for i, v in enumerate(mesh.vertices):
        x, y, z = struct.unpack_from("<3f", data, 32 + 12 * (count * (frame - 1) + i))
        worst = max(worst, abs(v.co.x - x), abs(v.co.y + z), abs(v.co.z - y))
        moved = max(moved, abs(v.co.z - o.data.vertices[i].co.z))
print("EQUAL" if worst < 1e-6 and moved > 0.05 and frames > 2 else "WRONG", worst, moved, frames)
"""


def call(*arguments, cwd):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=cwd, timeout=300)
    if done.returncode:
        sys.exit(f"WRONG: visviva {' '.join(arguments)}: exit code {done.returncode}: {done.stderr}")


def blender(script, cwd):
    done = subprocess.run(["blender", "--background", "--factory-startup", "--python-exit-code", "3", "--python-expr", script],
                          capture_output=True, text=True, cwd=cwd, timeout=300)
    if done.returncode:
        sys.exit(f"WRONG: blender: {done.stdout[-800:]} {done.stderr[-800:]}")
    return done.stdout


def make_ring(path):
    """A ring of quads with UVs, its vertices in an order that no reader would choose."""
    around, across = 16, 8
    order = [(53 * k) % (around * across) for k in range(around * across)]
    place = {v: k for k, v in enumerate(order)}
    lines = []
    for v in order:
        a, b = 2 * math.pi * (v // across) / around, 2 * math.pi * (v % across) / across
        r = 0.12 + 0.05 * math.cos(b)
        lines.append(f"v {r * math.cos(a):.6f} {0.05 * math.sin(b):.6f} {-r * math.sin(a):.6f}")
    lines += ["vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1"]
    for i in range(around):
        for j in range(across):
            corners = [across * i + j, across * ((i + 1) % around) + j, across * ((i + 1) % around) + (j + 1) % across,
                       across * i + (j + 1) % across]
            lines.append("f " + " ".join(f"{place[c] + 1}/{t + 1}" for t, c in enumerate(corners)))
    path.write_text("\n".join(lines) + "\n")


def check_order(folder, name, *options):
    """The cache's first frame is the OBJ's vertices, one by one, placed as the scene says."""
    call("new", f"{name}.obj", "--carry-surface", "--edge", "0.04", *options, cwd=folder)
    call("run", f"{name}.json", "--until", "0.25", "-q", "-o", f"{name}.vtkhdf", cwd=folder)
    call("export", f"{name}.vtkhdf", "-q", "-o", f"{name}.pc2", cwd=folder)
    place = json.loads((folder / f"{name}.json").read_text())["bodies"][0]["place"]
    own = [[float(x) for x in line.split()[1:4]] for line in (folder / f"{name}.obj").read_text().splitlines() if line.startswith("v ")]
    data = (folder / f"{name}.pc2").read_bytes()
    if struct.unpack_from("<i", data, 16)[0] != len(own):
        sys.exit(f"WRONG: {name}: {struct.unpack_from('<i', data, 16)[0]} vertices in the cache, {len(own)} in the OBJ")
    for i, v in enumerate(own):
        seen = struct.unpack_from("<3f", data, 32 + 12 * i)
        wanted = [place["scale"] * x + t for x, t in zip(v, place["translate"])]
        if max(abs(a - b) for a, b in zip(seen, wanted)) > 1e-5:
            sys.exit(f"WRONG: {name}, vertex {i}: {seen} instead of {wanted}")
    print(f"{name}: {len(own)} vertices in their order")


def main():
    if not PROGRAM or not os.access(PROGRAM, os.X_OK):
        print("skipped: $VISVIVA is not the program")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for filler in ["lattice"] + [f for f in ("tetgen",) if shutil.which(f)]:
            make_ring(folder / f"{filler}.obj")
            check_order(folder, filler, "--with", filler)
        if not shutil.which("blender"):
            print("skipped: blender is not here: the cache is not played on an object")
            return 77
        blender(EXPORT, folder)
        check_order(folder, "artist", "--with", "lattice")
        said = [line for line in blender(PLAY, folder).splitlines() if line.startswith(("EQUAL", "WRONG"))]
        print("on the artist's object:", *said)
        return 0 if said and said[0].startswith("EQUAL") else 1


if __name__ == "__main__":
    sys.exit(main())
