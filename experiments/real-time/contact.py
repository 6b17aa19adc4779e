#!/usr/bin/env python3
"""Contact at a budget: energy, momentum and work of the solvers, beside newton's, in seven small scenes.

    experiments/real-time/contact.py                       all scenes, all solvers, as a table: some minutes
    experiments/real-time/contact.py stack pile --solvers newton,lbfgs:5   these
    experiments/real-time/contact.py --scenes /tmp/x       also keeps the scenes there

It needs Python 3 and build/visviva (or $VISVIVA). One thread. What came of it is in docs/real-time.md.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("VISVIVA", os.path.join(ROOT, "build", "visviva"))
SOLVERS = "newton," + ",".join("%s:%d" % (s, b) for s in ("lbfgs", "block-descent") for b in (1, 2, 5, 20))


def scene(end, bodies, obstacles=({"plane": {}},), friction=0.4, distance=0.004, gravity=(0, -9.8, 0)):
    return {"visviva": 1, "time": {"step": "1/60", "end": end}, "gravity": list(gravity),
            "integrator": {"scheme": "backward-euler", "ground_energy": "none"},
            "contact": {"distance": distance, "friction": friction, "check_intersections": True},
            "materials": {"soft": {"model": "stable-neo-hookean", "young": 1e5, "poisson": 0.4}},
            "bodies": bodies, "obstacles": list(obstacles)}


def ball(place, velocity=(0, 0, 0), turn=(0, 0, 0), radius=0.06, cells=3):
    return {"material": "soft", "mesh": {"ball": {"radius": radius, "cells": cells}}, "place": {"translate": list(place)},
            "velocity": {"linear": list(velocity), "angular": list(turn)}}


def box(place, size, cells):
    return {"material": "soft", "mesh": {"box": {"size": size, "cells": cells}}, "place": {"translate": list(place)}}


def slab(size, place, waypoints=()):
    found = {"mesh": {"box": {"size": size, "cells": [4, 1, 4]}}, "place": {"translate": place}}
    if waypoints:
        found["motion"] = {"waypoints": [{"time": t, "offset": list(o)} for t, o in waypoints]}
    return found


SCENES = {
    # a ball is thrown onto a soft box
    "stack": scene(0.1, [box((0, 0.053, 0), [0.2, 0.1, 0.2], [3, 1, 3]), ball((0.011, 0.1652, 0.004), (0.7, -2, 0.1))]),
    # the same, gently, and two balls that fly by far away
    "apart": scene(0.3, [box((0, 0.0545, 0), [0.2, 0.1, 0.2], [3, 1, 3]), ball((0.011, 0.1702, 0.004), (0.5, -0.5, 0.1)),
                         ball((1, 1, 0), (3, 1, 0), (0, 0, 6)), ball((1, 0.4, 1), (-3, 1, 0.5))]),
    # five balls fly at each other in space
    "volley": scene(0.3, [ball((-0.3, 0, 0), (4, 0, 0)), ball((0.3, 0.02, 0.01), (-4, 0, 0)), ball((0, 0.3, 0.03), (0, -3, 0)),
                          ball((0.02, -0.3, 0), (0, 4, 0)), ball((0, 0.02, 0.5), (0, 0, -2))], (), gravity=(0, 0, 0)),
    # five balls above each other fall and roll off
    "pile": scene(0.5, [ball((0.03 * i * (-1) ** i, 0.065 + 0.13 * i, 0.02 * i)) for i in range(5)]),
    # a plate squeezes a ball to half its height
    "press": scene(0.5, [ball((0, 0.051, 0), radius=0.05, cells=4)],
                   (slab([0.36, 0.02, 0.36], [0, -0.012, 0]), slab([0.36, 0.02, 0.36], [0, 0.114, 0], ((0, (0, 0, 0)), (0.4, (0, -0.05, 0))))),
                   friction=0.1, distance=0.002),
    # a cube on a box that jerks upwards and aside
    "ride": scene(0.5, [box((0, 0.054, 0), [0.1, 0.1, 0.1], [4, 4, 4])],
                  (slab([0.5, 0.1, 0.5], [0, -0.05, 0], ((0, (0, 0, 0)), (0.25, (0.1, 0.1, 0)), (0.5, (0.3, 0.1, 0)))),), friction=0.5),
    # a capsule that turns by 900 degrees a second hits a cube
    "capsule": scene(0.5, [box((0.22, 0.054, 0), [0.1, 0.1, 0.1], [4, 4, 4])],
                     ({"plane": {}}, {"capsule": {"center": [0, 0.1, 0], "axis": [0, 0, 1], "radius": 0.05, "height": 0.4},
                                      "motion": {"about": [0, 0.1, 0], "axis": [0, 1, 0], "angular": 900}}), friction=0.3),
}


def run(folder, name, solver):
    method, _, budget = solver.partition(":")
    out = os.path.join(folder, "run")
    command = [PROGRAM, "run", os.path.join(folder, name + ".json"), "-q", "--force", "-o", out + ".vtkhdf", "--summary", out + ".json",
               "--threads", "1", "--set", "solver.method=" + method]
    if budget:
        command += ["--set", "solver.budget=" + budget]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return "| %s | %s | failed: %s |" % (name, solver, done.stderr.strip().splitlines()[-1])
    with open(out + ".json") as f:
        s = json.load(f)
    p = ", ".join("%.2f" % x for x in s["momentum"]["linear_end"])
    return "| %s | %s | %.3f | %.0f | %s | %d | %d |" % (name, solver, s["energy"]["end"]["total"], 1e3 * s["energy"]["friction"], p,
                                                        s["newton_iterations"], s["line_search_steps"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="SCENE", help="of: " + ", ".join(SCENES))
    parser.add_argument("--solvers", default=SOLVERS, help="method:budget, by commas")
    parser.add_argument("--scenes", help="folder that keeps the scenes")
    options = parser.parse_args()
    for name in options.names:
        if name not in SCENES:
            sys.exit("no scene \"%s\"; there are: %s" % (name, ", ".join(SCENES)))
    with tempfile.TemporaryDirectory() as folder:
        folder = options.scenes or folder
        os.makedirs(folder, exist_ok=True)
        print("| scene | solver | H at the end, J | lost to friction, mJ | momentum, kg m/s | iterations | evaluations |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for name in options.names or SCENES:
            with open(os.path.join(folder, name + ".json"), "w") as f:
                json.dump(SCENES[name], f, indent=1)
            for solver in options.solvers.split(","):
                print(run(folder, name, solver), flush=True)


if __name__ == "__main__":
    main()
