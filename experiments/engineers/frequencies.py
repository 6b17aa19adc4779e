"""Frequencies of a clamped beam: tets of order 2 and 1 beside CalculiX's C3D20R, four cells across."""
import csv
import math
import os
import pathlib
import re
import subprocess
import sys

SIZE, YOUNG, POISSON, DENSITY = (10, 1, 1), 1e6, 0.3, 1000
CELLS = (40, 4, 4)
KINDS = {"C3D20R": CELLS, "order 2": CELLS, "order 2, half the cells": (20, 2, 2), "order 1": CELLS}
NAMES = {0: "bending, 1", 2: "bending, 2", 4: "torsion, 1", 5: "stretching, 1", 6: "bending, 3"}  # by place among the lowest; bending comes in pairs


def ours(kind):
    import visviva as vv
    mesh = vv.Mesh.generate("box", size=SIZE, cells=KINDS[kind], split=6)
    if kind != "order 1":
        mesh = mesh.raised()
    body = vv.World(gravity=(0, 0, 0), threads=1).add_body(mesh, vv.Material("stvk", young=YOUNG, poisson=POISSON, density=DENSITY))
    body.attach(where={"kind": "percent", "a": (0, 0, 0), "b": (0, 100, 100)})
    return [float(w) / (2 * math.pi) for w in body.modes(7).frequencies]


def calculix():
    """In the present folder."""
    places = {}
    # of an element's twenty nodes, in halves of a cell: corners, then the middles of the lower, the upper and the upright edges
    corners = [(0, 0), (2, 0), (2, 2), (0, 2)]
    middles = [(1, 0), (2, 1), (1, 2), (0, 1)]
    local = [(*c, z) for z in (0, 2) for c in corners] + [(*m, z) for z in (0, 2) for m in middles] + [(*c, 1) for c in corners]
    cells = [(i, j, k) for i in range(CELLS[0]) for j in range(CELLS[1]) for k in range(CELLS[2])]
    elements = [[places.setdefault(tuple(2 * c + d for c, d in zip(cell, at)), len(places) + 1) for at in local] for cell in cells]
    held = [n for at, n in places.items() if at[0] == 0]
    lines = ["*NODE", *(f"{n}, " + ", ".join(repr(s * a / (2 * c)) for s, a, c in zip(SIZE, at, CELLS)) for at, n in places.items()),
             "*ELEMENT, TYPE=C3D20R, ELSET=BODY"]
    for e, nodes in enumerate(elements):
        lines += [f"{e + 1}, " + ", ".join(map(str, nodes[:10])) + ",", ", ".join(map(str, nodes[10:]))]
    lines += ["*NSET, NSET=HELD", *(f"{n}," for n in held), "*MATERIAL, NAME=BODY", "*ELASTIC", f"{YOUNG!r}, {POISSON!r}", "*DENSITY", f"{DENSITY!r}",
              "*SOLID SECTION, ELSET=BODY, MATERIAL=BODY", "*BOUNDARY", "HELD, 1, 3", "*STEP", "*FREQUENCY", "7", "*END STEP"]
    pathlib.Path("job.inp").write_text("\n".join(lines) + "\n")
    done = subprocess.run(["ccx", "-i", "job"], capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode or "*ERROR" in done.stdout:
        sys.exit("CalculiX: " + done.stdout[-400:])
    rows = re.findall(r"^\s+(\d+)((?:\s+[-+.\dE]+){4})\s*$", pathlib.Path("job.dat").read_text().split("P A R T I C I P A T I O N")[0], re.M)
    return [float(numbers.split()[2]) for _, numbers in rows]


def run(results, without):
    path = results / "frequencies.csv"
    if without:
        with open(path, newline="") as file:
            theirs = [float(row["C3D20R"]) for row in csv.DictReader(file)]
    else:
        theirs = calculix()
    found = {kind: theirs if kind == "C3D20R" else ours(kind) for kind in KINDS}
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["mode", *KINDS])
        out.writerows([m + 1, *("%.9g" % found[kind][m] for kind in KINDS)] for m in range(7))
    return ["", "C3D20R, Hz", *list(KINDS)[1:]], [[name, "%.5f" % theirs[m], *("%+.2f%%" % (100 * (found[kind][m] / theirs[m] - 1)) for kind in list(KINDS)[1:])]
                                                   for m, name in NAMES.items()]
