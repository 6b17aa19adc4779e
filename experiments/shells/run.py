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
SMALL = 0.02  # of the thickness: how far plates bend; their own stretching then makes 0.02% of it


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
    gravity = SMALL * thickness * rigidity / (factor * density * thickness * side ** 4)
    edge = side / cells
    row = [edge, edge * math.sqrt(0.75) if pattern in ("equilateral", "random") else edge]
    frame = [0, 0]
    if clamped and bending == "hinge":  # it knows slopes by two rows of vertices only, and is clamped half-way between them
        frame = [0.5 * r for r in row]
        x, z, far = 0.5 * side - 0.6 * row[0], 0.5 * side - 0.6 * row[1], 2 * side
        boxes = [[[k * x, -far, -far], [k * far, far, far]] for k in (-1, 1)]
        boxes += [[[-x, -far, k * z], [x, far, k * far]] for k in (-1, 1)]
        holds = [{"where": {"box": box}} for box in boxes]
    else:
        holds = [{"where": {"rim": True}, "clamp": clamped}]
    body = {"material": materials(bending, young, thickness, density), "attach": holds,
            "mesh": {"sheet": {"size": [side + 2 * frame[0], side + 2 * frame[1]], "edge": edge, "pattern": pattern}}}
    start, end = settle(scene(body, gravity, 1e-9))
    middle = min(range(len(start)), key=lambda i: start[i][0] ** 2 + start[i][2] ** 2)
    x, z = start[middle][0], start[middle][2]
    shape = (math.cos(math.pi * x) * math.cos(math.pi * z)) ** (2 if clamped else 1)  # the vertex nearest to the middle is not always in it
    return (start[middle][1] - end[middle][1]) / shape / (SMALL * thickness)


# ---- the elastica

def elastica(load, steps=4000):
    """(along, down) of the end of a clamped, level elastica of length 1 under its weight: theta'' = -load (1 - s) cos(theta), by shooting."""
    def end(rate):
        theta, along, down, h = 0.0, 0.0, 0.0, 1.0 / steps
        for i in range(steps):  # the midpoint rule
            middle = theta + 0.5 * h * rate
            after = rate - h * load * (1 - (i + 0.5) * h) * math.cos(middle)
            theta += 0.5 * h * (rate + after)
            rate = after
            along, down = along + h * math.cos(middle), down + h * math.sin(middle)
        return rate, along, down
    low, high = 0.0, load
    for _ in range(50):
        rate = 0.5 * (low + high)
        low, high = (low, rate) if end(rate)[0] > 0 else (rate, high)
    return end(low)[1:]


def miss(tip, load):
    """How far the tip is from the elastica's, over the length."""
    along, down = elastica(load)
    return math.hypot(tip[0] - along, tip[1] - down)


def strip(bending, pattern, load, rows):
    """A narrow strip clamped at one end: so narrow that it may curl across, so a beam, E t^3/12 wide. Its tip, over the length."""
    young, thickness, density, length = 1e8, 5e-3, 1000, 1.0
    row = length / rows
    edge = row / math.sqrt(0.75) if pattern in ("equilateral", "random") else row
    width = 2 * edge if rows < 80 else 4 * edge
    gravity = load * young * thickness ** 3 / 12 / (density * thickness * length ** 3)
    extra = row / 2 if bending == "hinge" else 0  # clamped half-way between two rows
    whole = length + extra
    clamp = {"where": {"box": [[-1, -1, -1], [1, 1, 0.6 * row + extra - 0.5 * whole - (0 if extra else 0.5 * row)]]}, "clamp": bending != "hinge"}
    body = {"material": materials(bending, young, thickness, density), "attach": [clamp],
            "mesh": {"sheet": {"size": [width, whole], "edge": edge, "pattern": pattern}}}
    start, end = settle(scene(body, gravity))
    tips = [e for s, e in zip(start, end) if s[2] > 0.5 * whole - 1e-6]
    mean = [sum(t[k] for t in tips) / len(tips) for k in range(3)]
    return (mean[2] + 0.5 * whole - extra) / length, -mean[1] / length


def rod(model, load, edges):
    """The tip of a rod of a round section, clamped in the middle of its first edge, over the length."""
    young, thickness, density, length = 3e8, 0.01, 1000, 1.0
    free = length * (1 - 0.5 / edges)
    gravity = load * young * math.pi * thickness ** 4 / 64 / (density * math.pi * thickness ** 2 / 4 * free ** 3)
    body = {"material": [{"model": name, "young": young, "poisson": NU, "thickness": thickness, "density": density} for name in ("rod-stretch", model)],
            "mesh": {"chain": {"length": length, "nodes": edges + 1}}, "attach": [{"where": {"vertices": [0, 1]}, "clamp": True}]}
    start, end = settle(scene(body, gravity))
    return (end[-1][0] - start[0][0] - 0.5 * length / edges) / free, -end[-1][1] / free


# ---- the column

def column(pattern, rows):
    """A strip between two hinges, too long by 1.5 times what makes it buckle: it does, by A in its middle, and shortens by pi^2 A^2 / 4 L^2 what is
    left in it. What carries it then is Euler's load: over pi^2 E I / L^2, with no contraction, so that plate and beam are one."""
    young, thickness, length = 1e9, 1e-2, 1.0
    row = length / rows
    edge = row / math.sqrt(0.75) if pattern in ("equilateral", "random") else row
    euler = (math.pi * thickness / length) ** 2 / 12  # a strain
    excess = 1.5 * euler
    sheet = [dict(m, poisson=0) for m in materials("midedge", young, thickness, 1000)]
    sheet[0]["prestrain"] = 1 / (1 + excess) - 1
    ends = [{"where": {"percent": [[0, 0, at], [100, 100, at]]}} for at in (0, 100)]
    gravity = 1e-4 * young * thickness ** 2 / (1000 * length ** 4) * thickness  # to say which way
    body = {"material": sheet, "attach": ends, "mesh": {"sheet": {"size": [4 * edge, length], "edge": edge, "pattern": pattern}}}
    start, end = settle(scene(body, gravity))
    most = max(abs(e[1]) for e in end)
    return (excess - (math.pi * most / (2 * length)) ** 2) / euler


# ---- tables

def table(title, head, rows, jobs):
    """rows: (label, limit of the last column or None, calls of a column each). Prints; the number of rows that miss."""
    print("\n%s\n\n| | %s |\n|%s" % (title, " | ".join(head), " --- |" * (len(head) + 1)))
    missed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [(label, limit, form, [pool.submit(*call) for call in calls]) for label, limit, form, calls in rows]
        for label, limit, form, calls in waiting:
            values = [call.result() for call in calls]
            bad = limit is not None and abs(values[-1] - (1 if form == "%.4f" else 0)) > limit
            missed += bad
            print("| %s | %s |%s" % (label, " | ".join(form % (v if form == "%.4f" else 100 * v) for v in values), " misses" if bad else ""), flush=True)
    return missed


def plates(sizes, jobs):
    equal = {64: 52, 32: 26, 16: 13, 8: 7}  # rows of equilateral triangles that fill a square
    missed = 0
    for bending in ("midedge", "hinge"):
        rows = []
        for clamped in (False, True):
            for pattern in PATTERNS:
                limit = 0.03 if bending == "midedge" or pattern == "equilateral" else None
                calls = [(plate, bending, pattern, clamped, equal[n] if bending == "hinge" and pattern == "equilateral" else n) for n in sizes]
                rows.append(("%s, %s" % ("clamped" if clamped else "supported", pattern), limit, "%.4f", calls))
        missed += table("%s: deflection in the middle over Kirchhoff's" % bending, ["%d" % n for n in sizes], rows, jobs)
    return missed


def strips(sizes, jobs):
    rows = [("%s, load %g, %s" % (bending, load, pattern), limit, "%.2f%%", [(lambda *a: miss(strip(*a), a[2]), bending, pattern, load, n) for n in sizes])
            for bending, limit in (("midedge", 0.02), ("hinge", 0.04)) for load in (3, 15)
            for pattern in (PATTERNS if bending == "midedge" else PATTERNS[:1])]
    return table("strip: distance of its end from the elastica's, over the length", ["%d rows" % n for n in sizes], rows, jobs)


def rods(sizes, jobs):
    rows = [("%s, load %g" % (model, load), 0.01, "%.3f%%", [(lambda *a: miss(rod(*a), a[1]), model, load, n) for n in sizes])
            for model in ("rod-bending", "rod") for load in (3, 15)]
    return table("rod: distance of its end from the elastica's, over the length", ["%d edges" % n for n in sizes], rows, jobs)


def columns(sizes, jobs):
    rows = [("midedge, %s" % pattern, 0.02, "%.4f", [(column, pattern, n) for n in sizes]) for pattern in PATTERNS]
    return table("column: load over Euler's", ["%d rows" % n for n in sizes], rows, jobs)


CASES = {"plates": (plates, (8, 16, 32), (64,)), "strip": (strips, (20, 40, 80), ()), "rod": (rods, (10, 20, 40), (80,)), "column": (columns, (12, 24, 48), ())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default=",".join(CASES), help="of: %(default)s")
    parser.add_argument("--fine", action="store_true", help="finer meshes, too")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    names = options.only.split(",")
    if not set(names) <= set(CASES):
        parser.error("--only takes: %s" % ", ".join(CASES))
    sys.exit(1 if sum(CASES[n][0](CASES[n][1] + (CASES[n][2] if options.fine else ()), options.jobs) for n in names) else 0)


if __name__ == "__main__":
    main()
