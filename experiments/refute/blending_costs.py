#!/usr/bin/env python3
"""Rows of blending, Tables 1 and 2, that compare seconds (drawn with seed 20261130), by instructions, which other programs do not move.

  table-1-local-global   bar: the search for α, as a part of the seconds of its run
  tables-1-2-collisions  cube (Figure 15), bunny (Figure 14): the same
  table-2-substeps       cube: time of 10 substeps, as a multiple of blending's
  table-1-newton         hippo: processor time of blending, as a multiple of backward Euler's

callgrind (package valgrind) counts instructions of steps and, in them, of solves; what is left is blending's search and what books a step. The
program is VISVIVA (build/visviva unless set). α is found by halving, as in the paper. A row stands if its verdict in results.csv is the one that
instructions give; one that was not run says nothing. Words choose: search, bunny, substeps, hippo; all take ten minutes on an idle machine.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

import frames

LOCAL_GLOBAL = {"solver.method": "local-global", "solver.budget": 10, "solver.tolerance": 1e-12, "time.step": 0.033, "time.record_every": 100}
BLEND = {"integrator.scheme": "implicit-midpoint", "integrator.policy": "blend", "integrator.blend_search": "bisection"}
EULER = {"integrator.scheme": "backward-euler", "integrator.policy": "none"}
PLANES = {"time.record_every": 50, "solver.tolerance": 1e-12, "solver.acceleration": "none", "contact.springs.form": "one-sided"}
BUNNY = {"time.step": 0.033, "contact.friction": 0.8, "bodies[0].mesh.critter.edge": 0.086, "bodies[0].velocity": {"linear": [4, 0, 0]},
         "bodies[0].place": {"translate": [0, 0.72, 0], "rotate": [-90, 0, 50]}, "obstacles": [{"plane": {}}]}
HIPPO = {"time.step": 0.01, "time.record_every": 10, "solver.method": "newton", "solver.tolerance": 1e-6, "solver.max_iterations": 1000,
         "contact.springs.form": "one-sided", "bodies[0].mesh.critter.edge": 0.105}


def count(scene, until, settings):
    """instructions of the steps, and of them in solves"""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}")]
        subprocess.run(["valgrind", "--tool=callgrind", "-q", "--toggle-collect=vv_step_once", "--callgrind-out-file=" + out, frames.VISVIVA, "run",
                        str(frames.ROOT / f"scenes/{scene}.json"), "-q", "--force", "--threads", "1", "--until", str(until),
                        "-o", os.path.join(folder, "run.vtkhdf"), *sets], check=True, env={**os.environ, "VISVIVA_ISA": "base"})
        text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        row = re.match(r"\s*([\d,]+)(?: \([ \d.]+%\))?\s+(\S.*)", line)
        for name in ("PROGRAM TOTALS", ":vv_trial_solve"):
            if row and name in row[2]:
                found.setdefault(name, int(row[1].replace(",", "")))
    return found["PROGRAM TOTALS"], found[":vv_trial_solve"]


def recorded(item, start):
    """measured value and verdict of the row that begins so"""
    with open(frames.ROOT / "experiments/blending/results.csv", newline="") as file:
        return next((row["measured"], row["verdict"]) for row in csv.DictReader(file) if row["item"] == item and row["row"].startswith(start))


def verdict(value, published, tolerance, better=False):
    if better and value < published / 2:
        return "differs (better)"
    return "reproduced" if abs(value / published - 1) <= tolerance else "differs"


def main():
    bad = []

    def check(name, good, value):
        print("PASS" if good else "FAIL", f"{name}: {value}", flush=True)
        bad.extend([] if good else [name])

    def compare(item, start, value, published, tolerance, better=False):
        measured, said = recorded(item, start)
        found = verdict(value, published, tolerance, better)
        check(start, said in (found, "not run"), f"{value:.3f} by instructions: {found}; the row has {measured}: {said}; the paper {published} (± {100 * tolerance:.0f}%)")

    def beyond(scene, until, since, settings):
        """without the first steps, as the rows have it"""
        return [a - b for a, b in zip(count(scene, until, settings), count(scene, since, settings))]

    def search(item, model, scene, until, since, settings, published):
        total, solves = beyond(scene, until, since, {**settings, **BLEND})
        compare(item, f"{model}: the search for α", 1 - solves / total, published, 0.5, True)

    only, cube = sys.argv[1:], {**LOCAL_GLOBAL, "bodies[0].velocity.angular": [0, 0, 14]}
    if not only or "search" in only:
        search("table-1-local-global", "bar", "stretching-bar", 0.99, 0.066, LOCAL_GLOBAL, 0.323)
        search("table-1-local-global", "cube", "spinning-cube", 0.99, 0.066, cube, 0.197)
        search("tables-1-2-collisions", "cube (Figure 15)", "cube-spheres", 1.65, 0.5, {**PLANES, "time.step": 0.01}, 0.0979)
    if not only or "bunny" in only:
        search("tables-1-2-collisions", "bunny (Figure 14)", "sliding-critter", 1.65, 0.5, {**PLANES, **BUNNY}, 0.0454)
    if not only or "substeps" in only:
        ten = {**cube, "integrator.scheme": "implicit-midpoint", "integrator.policy": "none", "time.substeps": 10}
        value = beyond("spinning-cube", 0.99, 0.066, ten)[0] / beyond("spinning-cube", 0.99, 0.066, {**cube, **BLEND})[0]
        check("cube: time of 10 substeps", abs(value / 6.534 - 1) <= 0.25,
              f"{value:.3f} by instructions; the row, by processor time, has {recorded('table-2-substeps', 'cube: time of 10')}, the paper 6.534 (± 15%)")
    if not only or "hippo" in only:
        blend, euler = count("critter-spheres", 0.85, {**HIPPO, **BLEND})[0], count("critter-spheres", 0.85, {**HIPPO, **EULER})[0]
        compare("table-1-newton", "hippo: processor time", blend / euler, 1.58, 0.25, True)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
