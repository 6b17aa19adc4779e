"""Runs inside Blender (tests/program/test_exports_blender.py): compares evaluated meshes with a run.

usage: blender --background [--python NAME.blender.py] --python blender_check.py -- EXPECTED.json [MESH.obj CACHE.pc2]

With MESH.obj and CACHE.pc2: does by itself what docs/exports.md says to do by hand, with Blender's own importer. EXPECTED.json:
bodies (object names, positions by sample), stride (samples a Blender frame), fps, end, obstacles.
"""
import json
import sys

import bpy
from mathutils import Vector

arguments = sys.argv[sys.argv.index("--") + 1:]
expected = json.load(open(arguments[0], encoding="utf-8"))
scene = bpy.context.scene


def fail(message):
    print("WRONG:", message)
    sys.stdout.flush()
    sys.exit(1)


def by_hand(mesh, cache):
    for o in list(scene.objects):
        bpy.data.objects.remove(o)
    if hasattr(bpy.ops.wm, "obj_import"):
        bpy.ops.wm.obj_import(filepath=mesh)
    else:
        bpy.ops.import_scene.obj(filepath=mesh)
    imported = scene.objects[0]
    if len(scene.objects) != 1:
        fail("the importer makes %d objects" % len(scene.objects))
    modifier = imported.modifiers.new("Mesh Cache", "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = cache
    modifier.frame_start = 1
    imported.name = expected["bodies"][0]["name"]


if len(arguments) > 1:
    by_hand(*arguments[1:])
else:
    fps = scene.render.fps / scene.render.fps_base
    if abs(fps / expected["fps"] - 1) > 1e-5 or scene.frame_start != 1 or scene.frame_end != expected["end"]:
        fail("frames %d to %d at %g fps" % (scene.frame_start, scene.frame_end, fps))
    obstacles = [o for o in scene.objects if o.type == "MESH" and o.data.materials[0].name.startswith("obstacle")]
    if len(obstacles) != expected["obstacles"] or scene.camera is None:
        fail("%d obstacles" % len(obstacles))

def how_thick(thing):
    """The mean distance (m) of what is shown from the lines or triangles that it stands for, twice."""
    modifier = thing.modifiers["thickness"]
    made = {}
    for on in (True, False):
        modifier.show_viewport = on
        shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = shown.to_mesh()
        made[on] = [v.co.copy() for v in mesh.vertices]
        if not on:
            pieces = [[made[on][i] for i in p.vertices]
                      for p in (mesh.polygons or mesh.edges)]
        shown.to_mesh_clear()
    middles = [sum(piece, Vector()) / len(piece) for piece in pieces]
    off = []
    for point in made[True]:
        piece = pieces[min(range(len(pieces)), key=lambda k: (middles[k] - point).length)]
        if len(piece) > 2:
            normal = (piece[1] - piece[0]).cross(piece[2] - piece[0]).normalized()
            off.append(abs((point - piece[0]).dot(normal)))
        else:
            along = (piece[1] - piece[0]).normalized()
            off.append((point - piece[0] - (point - piece[0]).dot(along) * along).length)
    return 2 * sum(off) / len(off)


largest = 0
for body in expected["bodies"]:
    thickened = body["name"] in scene.objects and "thickness" in scene.objects[body["name"]].modifiers
    if len(arguments) == 1 and thickened != (body.get("thickness", 0) > 0):
        fail("%s %s a thickness" % (body["name"], "has" if thickened else "lacks"))
    if thickened:  # what follows compares what is thickened
        scene.frame_set(1)
        found = how_thick(scene.objects[body["name"]])
        if not 0.7 * body["thickness"] < found < 1.5 * body["thickness"]:
            fail("%s is %g m thick, not %g" % (body["name"], found, body["thickness"]))
    if body["name"] not in scene.objects:
        fail("no object %r; there are %r" % (body["name"], scene.objects.keys()))
    for frame in range(1, expected["end"] + 1):
        scene.frame_set(frame)
        shown = scene.objects[body["name"]].evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = shown.to_mesh()
        wanted = body["samples"][(frame - 1) * expected["stride"]]
        if 3 * len(mesh.vertices) != len(wanted):
            fail("%s: %d vertices" % (body["name"], len(mesh.vertices)))
        for i, vertex in enumerate(mesh.vertices):
            x, y, z = wanted[3 * i:3 * i + 3]
            # the object's own coordinates are the run's; in Blender's world z is up
            where = (shown.matrix_world @ vertex.co) - Vector((x, y, z) if expected["up"] == "Z" else (x, -z, y))
            error = max((vertex.co - Vector((x, y, z))).length, where.length)
            largest = max(largest, error)
            if error > 5e-7:
                fail("%s, frame %d, vertex %d: %r instead of %r" % (body["name"], frame, i, vertex.co, (x, y, z)))
        if len(mesh.polygons) != len(body["triangles"]) // 3:
            fail("%s: %d faces" % (body["name"], len(mesh.polygons)))
        shown.to_mesh_clear()
print("EQUAL: %d bodies, %d frames, largest error %.1e m" % (len(expected["bodies"]), expected["end"], largest))
sys.stdout.flush()
