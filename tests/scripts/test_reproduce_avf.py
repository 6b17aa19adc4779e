#!/usr/bin/env python3
"""Rows of the AVF paper, computed anew by a few lines that share nothing with visviva.

- Figure 3: the end of the step and the roots and minima of F, F squared and g, with the potential's own derivative
- Figure 2: the end of the step for each h, by bisection on AVF's equation
- a small spring of two points, stepped by AVF with Simpson's rule and by backward Euler: positions after ten steps, against the program's run

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("VISVIVA", "")


def simpson(force, a, b):
    return (force(a) + 4 * force((a + b) / 2) + force(b)) / 6


def equation(slope, x, v, h):
    """AVF's F(y) for a unit mass that starts at (x, v)."""
    return lambda y: y - x - h * v + h * h / 2 * simpson(slope, x, y)


def bisect(f, low, high):
    """A root between two places of different sign."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (f(middle) < 0) == (f(low) < 0) else (low, middle)
    return (low + high) / 2


def landscape(f, low=-3.0, high=3.0, count=9001):
    """Roots, minima of the square that are none, minima of the integral."""
    y = [low + (high - low) * i / (count - 1) for i in range(count)]
    values = [f(p) for p in y]
    roots = [i for i in range(count - 1) if (values[i] < 0) != (values[i + 1] < 0)]
    traps = [y[i] for i in range(1, count - 1) if values[i] ** 2 < min(values[i - 1] ** 2, values[i + 1] ** 2) and i not in roots and i - 1 not in roots]
    return len(roots), traps, sum(values[i] < 0 for i in roots), bisect(f, y[roots[0]], y[roots[0] + 1])


def quartic(x):
    return 512 * x ** 3


def well(x):
    return 10 + 6000 * x * (x * x - 1)


def rows_of(paper):
    item = next(i for i in paper["items"] if i["item"] == "fig-02-root-finding")
    return {row["label"]: row["measured"] for row in item["rows"]}


def spring_run(folder, scheme, steps):
    """x of both ends of a squared spring along x, by the program."""
    scene = {"visviva": 1, "name": "spring", "gravity": [0, 0, 0], "time": {"step": 0.033, "end": 0.033 * steps}, "contact": {"model": "none"},
             "integrator": {"scheme": scheme, "ground_energy": "none"}, "solver": {"tolerance": 1e-11},
             "bodies": [{"name": "spring", "mesh": {"points": [[0, 0, 0], [1, 0, 0]], "edges": [[0, 1]]},
                         "material": {"model": "stvk-spring", "stiffness": 20, "mass": 1}, "start": [{"stretch": {"factor": [1.5, 1, 1]}}]}]}
    (folder / "s.json").write_text(json.dumps(scene))
    subprocess.run([PROGRAM, "run", "s.json", "-q", "--force", "-o", "s.vtkhdf"], check=True, cwd=folder, capture_output=True)
    (folder / "s.csv").unlink(missing_ok=True)
    subprocess.run([PROGRAM, "export", "s.vtkhdf", "-o", "s.csv"], check=True, cwd=folder, capture_output=True)
    with open(folder / "s.csv") as file:
        return [{key.split(" ")[0]: value for key, value in row.items()} for row in csv.DictReader(file)]


def spring_own(scheme, steps, h=0.033, k=20.0, m=0.5):
    """Elastic energies; d is the length, whose ends move against each other: m/2 d'' = -2 k (d^2 - 1) d."""
    d, w, energies = 1.5, 0.0, [k / 2 * (1.5 ** 2 - 1) ** 2]
    slope = lambda y: 2 * k * (y * y - 1) * y / (m / 2)
    for _ in range(steps):
        if scheme == "avf-simpson":
            end = bisect(equation(slope, d, w, h), -5, 5)
            w = 2 * (end - d) / h - w
        else:
            end = bisect(lambda y: y - d - h * w + h * h * slope(y), -5, 5)
            w = (end - d) / h
        d = end
        energies.append(k / 2 * (d * d - 1) ** 2)
    return energies


def main():
    if not PROGRAM:
        print("test_reproduce_avf: skipped, no program in $VISVIVA")
        return 77
    wrong, count = [], 0

    def same(label, value, own, tolerance):
        nonlocal count
        count += 1
        if value is None or not abs(value - own) <= tolerance:
            wrong.append(f"{label}: {value}, computed anew {own}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = subprocess.run([PROGRAM, "reproduce", "avf", "fig-02-root-finding", "--quick", "--quiet", "-o", "out", "--json", "all.json"], cwd=folder,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        rows = rows_of(json.loads((folder / "all.json").read_text())["papers"][0])
        roots, traps, minima, root = landscape(equation(well, 0.6, -9.0, 0.04))
        same("roots", rows["Figure 3: roots of F"], roots, 0)
        same("root", rows["Figure 3: where the root is"], root, 1e-5)
        same("traps", rows["Figure 3: local minima of F² that are no roots"], len(traps), 0)
        same("trap", rows["Figure 3: where the wrong minimum is"], traps[0], 2e-3)
        same("minima", rows["Figure 3: minima of g"], minima, 0)
        same("end", rows["Figure 3, AVF: where the step ends"], root, 1e-8)
        for h in (0.033, 0.003):
            same(f"traps, h = {h}", rows[f"Figure 2, h = {h} s: local minima of F² that are no roots"], len(landscape(equation(quartic, -1.1, 12.25, h))[1]), 0)
        for scheme in ("avf-simpson", "backward-euler"):
            for row, own in zip(spring_run(folder, scheme, 10), spring_own(scheme, 10)):
                same(f"{scheme}, step {row['step']}", float(row["elastic"]), own, 1e-7)
    print("\n".join(wrong) or f"{count} values: all the same")
    return 1 if wrong or count < 25 else 0


if __name__ == "__main__":
    sys.exit(main())
