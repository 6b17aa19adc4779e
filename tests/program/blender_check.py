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

largest = 0
for body in expected["bodies"]:
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
