#!/usr/bin/env python3
"""Contacts that are hard by their geometry: spikes, wedges, cracks, tight fits, what is exactly aligned, thin, pressed or spinning. After
Erleben's unit tests of contact points ("Methodology for assessing mesh-based contact point methods", 2018), and more of the kind.

Every step is tested exactly for intersections; nothing inverts, no energy comes from nowhere, no solve ends at its iteration limit, and each
case ends where it must.
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("VISVIVA", "build/visviva")
METHODS = {
    "backward-euler": ["integrator.scheme=backward-euler"],
    "bdf2": ["integrator.scheme=bdf2"],
    "search": ["integrator.policy=search"],
    "filtered-search": ["integrator.policy=filtered-search"],
}
SIZE = 0.1
GAP = 0.005
STONES = 9


# ---- meshes ----

def volume(points, tet):
    a, b, c = ([points[tet[k]][i] - points[tet[0]][i] for i in range(3)] for k in (1, 2, 3))
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6


def tets(name, points, elements):
    elements = [t if volume(points, t) > 0 else (t[0], t[2], t[1], t[3]) for t in elements]
    with open(name + ".mesh", "w") as file:
        file.write("MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n" % len(points))
        file.writelines("%.17g %.17g %.17g 0\n" % tuple(p) for p in points)
        file.write("Tetrahedra\n%d\n" % len(elements))
        file.writelines("%d %d %d %d 0\n" % tuple(i + 1 for i in t) for t in elements)
        file.write("End\n")


def obj(name, points, faces=(), lines=()):
    with open(name + ".obj", "w") as file:
        file.writelines("v %.17g %.17g %.17g\n" % tuple(p) for p in points)
        file.writelines("f " + " ".join(str(i + 1) for i in f) + "\n" for f in faces)
        file.writelines("l " + " ".join(str(i + 1) for i in f) + "\n" for f in lines)


def spike(name, width, height):
    w = width / 2
    tets(name, [[-w, 0, -w], [w, 0, -w], [w, 0, w], [-w, 0, w], [0, height, 0]], [(0, 1, 2, 4), (0, 2, 3, 4)])


def extrusion(name, outline, triangles, length):
    """A prism along z over each triangle of a polygon; triangles share diagonals, as corners are taken in ascending order."""
    n = len(outline)
    elements = []
    for t in triangles:
        a, b, c = sorted(t)
        elements += [(a, b, c, a + n), (b, c, a + n, b + n), (c, a + n, b + n, c + n)]
    tets(name, [[x, y, z] for z in (-length / 2, length / 2) for x, y in outline], elements)


def make_meshes():
    h = SIZE / 2
    spike("spike-up", SIZE, SIZE)
    spike("spike-down", SIZE, -SIZE)
    spike("needle-down", 0.02, -SIZE)
    extrusion("wedge-up", [(-h, 0), (h, 0), (0, SIZE)], [(0, 1, 2)], SIZE)
    extrusion("wedge-down", [(-h, 0), (h, 0), (0, -SIZE)], [(0, 1, 2)], SIZE)
    extrusion("crack", [(-.1, -.12), (0, -.12), (.1, -.12), (-.1, 0), (-h, 0), (0, -.1), (h, 0), (.1, 0)],
              [(0, 1, 5), (0, 5, 4), (0, 4, 3), (1, 2, 5), (2, 5, 6), (2, 6, 7)], 0.2)
    square = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    obj("hole", [[h * x, 0, h * z] for x, z in square] + [[0, -.1, 0]] + [[.15 * x, 0, .15 * z] for x, z in square],
        [(1, 0, 4), (2, 1, 4), (3, 2, 4), (0, 3, 4), (5, 0, 1, 6), (6, 1, 2, 7), (7, 2, 3, 8), (8, 3, 0, 5)])
    w = h + 2e-4
    obj("tube", [[w * x, y, w * z] for y in (-.2, .1) for x, z in square], [(i, (i + 1) % 4, 4 + (i + 1) % 4, 4 + i) for i in range(4)])
    corners = [[x, y, z] for x in (-.1, .1) for y in (-.1, .1) for z in (-.1, .1)]
    obj("container", corners, [(2, 3, 1, 0), (5, 7, 6, 4), (1, 5, 4, 0), (6, 7, 3, 2), (4, 6, 2, 0), (3, 7, 5, 1)])
    obj("slivers", [[-.2, 0, -.2], [.2, 0, -.2], [.2, 0, .2], [-.2, 0, .2], [0, 0, -.2 + 1e-5], [.05, 0, 0], [.05, 1e-7, .01]],
        [(0, 1, 4), (0, 4, 5), (4, 1, 5), (1, 2, 6), (1, 6, 5), (2, 3, 6), (3, 5, 6), (3, 0, 5)])
    obj("pins", [[x, y, z] for x in (-h, 0, h) for z in (-h, 0, h) for y in (0, .2)], lines=[(2 * i, 2 * i + 1) for i in range(9)])
    grid = [(.04 * i - .1, .004 * ((7 * i + 3 * j) % 5), .04 * j - .1) for i in range(6) for j in range(6)]
    obj("shards", [[x + a, y + b, z + c] for x, y, z in grid for a, b, c in ((0, 0, 0), (.03, .01, 0), (0, -.02, .02))],
        [(3 * i, 3 * i + 1, 3 * i + 2) for i in range(36)])
    for i in range(STONES):
        ends = (math.pi * i / STONES + .004, math.pi * (i + 1) / STONES - .004)
        extrusion("stone-%d" % i, [(r * math.cos(a), r * math.sin(a)) for a in ends for r in (.2, .3)], [(0, 1, 2), (1, 2, 3)], SIZE)
    obj("strand", [[.04 * i - .2, 0, 0] for i in range(11)], lines=[(i, i + 1) for i in range(10)])


# ---- scenes ----

def solid(mesh, at, turn=(0, 0, 0), velocity=(0, 0, 0), spin=(0, 0, 0)):
    return {"mesh": mesh if isinstance(mesh, dict) else {"file": mesh}, "material": "soft", "place": {"translate": at, "rotate": turn},
            "velocity": {"linear": velocity, "angular": spin}}


def fixed(mesh, at=(0, 0, 0), **more):
    return dict({"mesh": mesh if isinstance(mesh, dict) else {"file": mesh}, "place": {"translate": at}}, **more)


def box(x, y, z, cells=1):
    return {"box": {"size": [x, y, z], "cells": [cells] * 3, "split": 6}}


def cases():
    """name: bodies, obstacles, steps, other keys of the scene, what holds at the end (of the summary)."""
    cube, ground = box(.1, .1, .1, 2), {"ground": {"size": [1, 1], "cells": [10, 10], "jitter": 0}}
    apart = {"gravity": [0, 0, 0]}

    def anywhere(s):
        return True

    def between(lowest, highest):
        return lambda s: lowest < s["bounds_end"][0][1] and s["bounds_end"][1][1] < highest

    def inside(s):
        return all(-.1 < x < .1 for corner in s["bounds_end"] for x in corner)

    plate = {"box": {"size": [.3, .01, .3], "cells": [1, 1, 1], "split": 6}}

    def press(way):
        return {"motion": {"waypoints": [{"time": 0}, {"time": .25, "offset": [0, way, 0]}]}}

    return {
        "spike on spike": ([solid("spike-down.mesh", [0, .2 + GAP, 0])], [fixed("spike-up.mesh")], 30, {}, between(-2, .21)),
        "spike on wedge": ([solid("spike-down.mesh", [0, .2 + GAP, 0])], [fixed("wedge-up.mesh")], 30, {}, between(-2, .21)),
        "wedge on wedge, edges parallel": ([solid("wedge-down.mesh", [0, .2 + GAP, 0])], [fixed("wedge-up.mesh")], 30, {},
                                           between(-2, .21)),
        "wedge in crack": ([solid("wedge-down.mesh", [0, .02, 0])], [fixed("crack.mesh")], 30, {}, between(-.1, .03)),
        "needle in crack": ([solid("needle-down.mesh", [0, .03, 0], velocity=[0, -2, 0])], [fixed("crack.mesh")], 30, {},
                            between(-.1, .4)),
        "spike in hole": ([solid("spike-down.mesh", [0, .01, 0])], [fixed("hole.obj")], 30, {}, between(-.1, .02)),
        "sliding over inner edges": ([solid(box(.1, .1, .1), [-.2, .051, 0], velocity=[1, 0, 0])], [fixed(ground, friction=0)], 30, {},
                                     lambda s: abs(s["momentum"]["linear_end"][0] - 1) < .01),  # of 1 kg at 1 m/s
        "cliff": ([solid(box(.1, .1, .1), [.05, .051, 0])], [fixed(box(.1, .1, .1), [0, -.05, 0])], 30, {}, between(-.3, .12)),
        "peg in tight tube": ([solid(cube, [0, 0, 0], velocity=[0, -.5, 0])], [fixed("tube.obj"), fixed(box(.3, .02, .3), [0, -.22, 0])],
                              30, {}, between(-.21, .12)),
        "stack, face on face": ([solid(cube, [0, .05 + 1e-6 + i * (.1 + 1e-6), 0]) for i in range(3)],
                                [fixed(box(.4, .1, .4), [0, -.05, 0])], 20, {"contact": {"distance": 1e-6}}, between(0, .31)),
        "corner on corner": ([solid(cube, [.102] * 3, velocity=[-1] * 3), solid(cube, [0, 0, 0], velocity=[1] * 3)], [], 20, apart,
                             anywhere),
        "eight that meet": ([solid(cube, [.08 * x, .08 * y, .08 * z], velocity=[-x, -y, -z])
                             for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], [], 15, apart, anywhere),
        "strands, exactly parallel": ([dict(solid("strand.obj", [0, .002 * i + .002, 0]), material="strand", thickness=1e-3)
                                       for i in range(4)], [fixed(ground)], 30, {}, lambda s: s["min_gap"] > 1e-4),
        # friction turns against the sliding within a solve: Newton's method must not go to and fro across that
        "cube on a strand, small steps": ([solid(box(.1, .1, .1), [.003, .07, .002], velocity=[0, -3, 0])],
                                          [fixed("strand.obj", [0, 0, .001])], 24, {"time": {"step": "1/1000", "end": .02}},
                                          lambda s: s["newton_iterations"] < 120),
        "thin plates at 100 m/s": ([solid({"box": {"size": [.1, .001, .1], "cells": [2, 1, 2], "split": 6}}, [.01 * i, .5 * i, .005 * i],
                                          velocity=[0, 100 - 200 * i, 0]) for i in (0, 1)], [], 4,
                                   dict(apart, contact={"stiffness": 1e7}, materials={"soft": {"young": 1e8}}), anywhere),
        "spinning in a box": ([solid(cube, [0, 0, 0], spin=[0, 1000, 30])], [fixed("container.obj")], 15,
                              {"materials": {"soft": {"young": 1e8}}}, inside),
        "pressed to a tenth": ([solid(cube, [0, 0, 0])], [fixed(plate, [0, .0565, 0], **press(-.0455)),
                                                          fixed(plate, [0, -.0565, 0], **press(.0455))], 30,
                               dict(apart, contact={"stiffness": 1e5}, materials={"soft": {"young": 1e5}}),
                               lambda s: s["bounds_end"][1][1] < .0065 + .005 + .01),
        "pins pressed into a block":
            ([solid({"box": {"size": [.15, .06, .15], "cells": [4, 2, 4]}}, [0, -.031, 0])],
             [fixed("pins.obj", [.003, .002, .004], **press(-.025)), fixed(ground, [0, -.062, 0])], 30,
             {"materials": {"soft": {"young": 2e4}}, "contact": {"stiffness": 1e5}}, between(-.0625, .03)),
        "arch of stones": ([solid("stone-%d.mesh" % i, [0, 8e-4, 0]) for i in range(STONES)], [fixed(ground)], 30,
                           {"materials": {"soft": {"young": 1e7}}, "contact": {"distance": 2e-3, "friction": .8}},
                           lambda s: s["bounds_end"][1][1] > .29),
        "mat on loose triangles": ([solid({"box": {"size": [.2, .02, .2], "cells": [6, 1, 6]}}, [0, .05, 0])], [fixed("shards.obj")], 30,
                                   {"materials": {"soft": {"young": 2e4}}, "contact": {"stiffness": 1e5}}, between(-.06, .09)),
        "ball at 1000 m/s into a held sheet":
            ([solid({"ball": {"radius": .02, "cells": 2}}, [0, .3, 0], velocity=[0, -1000, 0]),
              dict(solid({"cloth": {"size": [.3, .3], "cells": [6, 6]}}, [0, 0, 0]), material="strand",
                   attach=[{"where": {"percent": [[a, 0, 0], [a + 1, 100, 100]]}} for a in (0, 99)])], [], 10,
             {"contact": {"stiffness": 1e7}, "materials": {"soft": {"young": 1e7}, "strand": {"stiffness": 1e5, "density": .3}}},
             between(-.1, 99)),
        "on slivers": ([solid(cube, [.03, .07, .02], turn=[5, 10, 3])], [fixed("slivers.obj")], 25, {}, between(0, .2)),
    }


def merged(base, more):
    return {k: merged(base.get(k, {}), v) if isinstance(v, dict) else v for k, v in {**base, **more}.items()}


def scene(bodies, obstacles, steps, more):
    return merged({
        "visviva": 1, "time": {"step": "1/120", "end": steps / 120}, "integrator": {"ground_energy": "none"},
        "contact": {"distance": 1e-3, "stiffness": 1e6, "friction": 0.5, "check_intersections": True},
        "materials": {"soft": {"model": "neo-hookean", "young": 1e6, "poisson": 0.3, "density": 1000},
                      "strand": {"model": "hooke", "stiffness": 500, "density": 0.05}},
        "bodies": bodies, "obstacles": obstacles}, more)


def run(definition, method):
    with open("scene.json", "w") as file:
        json.dump(definition, file)
    command = [PROGRAM, "run", "scene.json", "-q", "--force", "-o", "run.vtkhdf", "--summary", "run.json"]
    for value in METHODS[method]:
        command += ["--set", value]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, None, done.stderr.strip()
    subprocess.run([PROGRAM, "export", "run.vtkhdf", "-o", "run.csv", "-q"], check=True)
    with open("run.json") as file:
        summary = json.load(file)
    with open("run.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return summary, rows, ""


def iterations(row):
    """Of each part, where the step was made again in parts."""
    return int(row["newton_iterations"]) // max(1, int(row["parts"]))


def faults(summary, rows, holds, message):
    if summary is None:
        return [message]
    found = []
    if summary["status"] != "done" or summary["intersections"] != 0:
        found.append("status %s, %s intersections" % (summary["status"], summary["intersections"]))
    if summary["min_J"] is not None and not summary["min_J"] > 0:
        found.append("min J %g" % summary["min_J"])
    most = max(iterations(r) for r in rows)
    if most >= 200:
        found.append("a step, or a part of one, took %d iterations" % most)
    start, work = float(rows[0]["total [J]"]), 0
    for r in rows[1:]:
        work += float(r["work [J]"])
        if not math.isfinite(float(r["total [J]"])):
            found.append("energy that is not finite")
        elif float(r["total [J]"]) - start - work > 0.02 * float(r["scale [J]"]):
            found.append("step %s: %g J from nowhere" % (r["step"], float(r["total [J]"]) - start - work))
    if not holds(summary):
        found.append("ends elsewhere: bounds %s, gap %s" % (summary["bounds_end"], summary["min_gap"]))
    return found


def main():
    global PROGRAM
    if not os.path.exists(PROGRAM):
        print("test_hard_contacts: skipped: the program is not built")
        return 77
    PROGRAM = os.path.abspath(PROGRAM)
    wrong, methods = 0, {"quick": ["search"], "full": METHODS}.get(os.environ.get("VV_TEST_SIZE"), ["bdf2", "search"])
    with tempfile.TemporaryDirectory(prefix="visviva-hard-") as folder:
        os.chdir(folder)
        make_meshes()
        for name, (bodies, obstacles, steps, more, holds) in cases().items():
            for method in methods:
                summary, rows, message = run(scene(bodies, obstacles, steps, more), method)
                found = faults(summary, rows, holds, message)
                wrong += len(found) > 0
                most = max(iterations(r) for r in rows) if rows else 0
                print("%-32s %-15s %s" % (name, method, "; ".join(found) or "at most %d iterations a step" % most), flush=True)
        os.chdir("/")
    print("test_hard_contacts: %d of %d went wrong" % (wrong, len(cases()) * len(methods)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
