#!/usr/bin/env python3
"""Shells and rods beside what theory says: plates (Kirchhoff), a strip and a rod that hang from a clamped end (the elastica), columns (Euler).

  run.py [--only plates,strip,rod,column] [--fine] [--jobs N]

Each case is a scene whose equilibrium `visviva settle` finds; a table a case is printed. VISVIVA is the program (default build/visviva). Exit
code 1 if a row that has a limit misses it.
"""
import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("VISVIVA", os.path.join(ROOT, "build", "visviva")))
PATTERNS = ("equilateral", "diagonal", "union-jack", "random")
NU = 0.3


def settle(scene):
    """Positions of the first body's vertices at the start and in equilibrium."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "scene.json"), os.path.join(folder, "out.vtkhdf")
        with open(path, "w") as file:
            json.dump(dict({"visviva": 1}, **scene), file)
        for command in ([PROGRAM, "settle", path, "-o", out], [PROGRAM, "export", out, "--format", "obj", "-o", os.path.join(folder, "frame")]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit("%s: %s" % (" ".join(command[1:3]), done.stderr.strip() or done.stdout.strip()))
        files = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".obj"))
        read = lambda name: [tuple(map(float, line.split()[1:4])) for line in open(name) if line.startswith("v ")]
        return read(files[0]), read(files[-1])


def materials(bending, young, thickness, density, **more):
    return [{"model": "stvk-membrane", "young": young, "poisson": NU, "thickness": thickness, "density": density},
            dict({"model": bending, "young": young, "poisson": NU, "thickness": thickness}, **more)]


def scene(body, gravity, tolerance=1e-7):
    return {"time": {"step": "1/60", "end": 1}, "gravity": [0, -gravity, 0], "bodies": [body], "integrator": {"scheme": "backward-euler", "policy": "none"},
            "solver": {"tolerance": tolerance, "velocity_tolerance": 0}}


# ---- plates

def plate(bending, pattern, clamped, cells):
    """Deflection in the middle of a square plate under its own small weight, over that of a Kirchhoff plate."""
    young, thickness, density, side = 1e9, 1e-2, 1000, 1.0
    rigidity = young * thickness ** 3 / (12 * (1 - NU ** 2))
    factor = 0.00126532 if clamped else 0.00406235  # of q a^4 / D (Timoshenko and Woinowsky-Krieger), nu = 0.3
    gravity = 1e-3 * thickness * rigidity / (factor * density * thickness * side ** 4)
    edge = side / cells
    frame = edge if clamped and bending == "hinge" else 0  # a hinge knows slopes by two rows of vertices only
    attach = {"where": {"rim": True}}
    if clamped and bending == "midedge":
        attach["clamp"] = True
    holds = [attach]
    if frame:
        inner = side / 2 - 1e-6
        holds = [{"where": {"half_space": {"point": [k * inner * a for a in axis], "normal": [k * a for a in axis]}}} for k in (-1, 1) for axis in ([1, 0, 0], [0, 0, 1])]
    body = {"material": materials(bending, young, thickness, density), "attach": holds,
            "mesh": {"sheet": {"size": [side + 2 * frame] * 2, "edge": edge, "pattern": pattern}}}
    start, end = settle(scene(body, gravity, 1e-9))
    middle = min(range(len(start)), key=lambda i: start[i][0] ** 2 + start[i][2] ** 2)
    x, z = start[middle][0], start[middle][2]
    shape = (math.cos(math.pi * x) * math.cos(math.pi * z)) ** (2 if clamped else 1)  # the vertex nearest to the middle is not always in it
    return (start[middle][1] - end[middle][1]) / shape / (1e-3 * thickness)


# ---- the elastica

def elastica(load, length=1.0, steps=4000):
    """(x, y) of the end of a clamped, level elastica under its weight: B theta'' = w (L - s) cos(theta), load = w L^3 / B; by shooting."""
    def end(bend):
        theta, slope, x, y, h = 0.0, bend, 0.0, 0.0, 1.0 / steps
        for i in range(steps):
            s = i * h
            f = lambda s, t, k: (k, load * (1 - s) * math.cos(t))
            k1 = f(s, theta, slope)
            k2 = f(s + h / 2, theta + h / 2 * k1[0], slope + h / 2 * k1[1])
            k3 = f(s + h / 2, theta + h / 2 * k2[0], slope + h / 2 * k2[1])
            k4 = f(s + h, theta + h * k3[0], slope + h * k3[1])
            mid = theta + h / 2 * (k1[0] + k2[0]) / 2
            theta, slope = theta + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]), slope + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
            x, y = x + h * math.cos(mid), y + h * math.sin(mid)
        return slope, x, y
    low, high = -load, 0.0
    for _ in range(60):
        bend = (low + high) / 2
        slope = end(bend)[0]
        low, high = (bend, high) if slope < 0 else (low, bend)
    _, x, y = end(bend)
    return x * length, y * length


if __name__ == "__main__":
    print(elastica(5), elastica(1))
    print(-1/8*.01, elastica(.01))
