#!/usr/bin/env python3
"""Rows of blending, Tables 1 and 2, that compare seconds (drawn with seed 20261130), by instructions, which other programs do not move.

  table-1-local-global   bar: the search for α, as a part of the seconds of its run
  tables-1-2-collisions  cube (Figure 15), bunny (Figure 14): the same
  table-2-substeps       cube: time of 10 substeps, as a multiple of blending's
  table-1-newton         hippo: processor time of blending, as a multiple of backward Euler's

callgrind (package valgrind) counts instructions of steps and, in them, of solves; what is left is blending's search and what books a step. The
program is VISVIVA (build/visviva unless set); runs take minutes. A row stands if the count is on the same side of the published range.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import frames

LOCAL_GLOBAL = {"solver.method": "local-global", "solver.budget": 10, "solver.tolerance": 1e-12, "time.step": 0.033, "time.record_every": 100}
BLEND = {"integrator.scheme": "implicit-midpoint", "integrator.policy": "blend"}
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


def main():
    bad = []

    def check(name, good, value):
        print("PASS" if good else "FAIL", f"{name}: {value}", flush=True)
        bad.extend([] if good else [name])

    def search(name, scene, until, settings, published, recorded, verdict):
        """without the steps up to 0.05 or 0.5 s, as the rows have it"""
        since, settings = (0.066 if scene == "stretching-bar" or scene == "spinning-cube" else 0.5), {**settings, **BLEND}
        total, solves = (a - b for a, b in zip(count(scene, until, settings), count(scene, since, settings)))
        share = 1 - solves / total
        found = "reproduced" if 0.5 * published <= share <= 1.5 * published else "below" if share < published else "above"
        check(f"{name}: the search for α", found == verdict, f"{share:.3f} by instructions, {found}; the row has {recorded}, the paper {published} (± 50%)")

    only = sys.argv[1:]
    if not only or "search" in only:
        search("bar", "stretching-bar", 0.99, LOCAL_GLOBAL, 0.323, 0.0305, "below")
        search("cube (not drawn)", "spinning-cube", 0.99, {**LOCAL_GLOBAL, "bodies[0].velocity.angular": [0, 0, 14]}, 0.197, 0.790, "above")
        search("cube (Figure 15)", "cube-spheres", 1.65, {**PLANES, "time.step": 0.01}, 0.0979, 0.0635, "reproduced")
        search("bunny (Figure 14)", "sliding-critter", 1.65, {**PLANES, **BUNNY}, 0.0454, 0.1524, "above")
    if not only or "substeps" in only:
        settings = {**LOCAL_GLOBAL, "bodies[0].velocity.angular": [0, 0, 14]}
        blend, _ = (a - b for a, b in zip(count("spinning-cube", 0.99, {**settings, **BLEND}), count("spinning-cube", 0.066, {**settings, **BLEND})))
        ten = {**settings, "integrator.scheme": "implicit-midpoint", "integrator.policy": "none", "time.substeps": 10}
        substeps, _ = (a - b for a, b in zip(count("spinning-cube", 0.99, ten), count("spinning-cube", 0.066, ten)))
        check("cube: 10 substeps over blending", abs(substeps / blend / 6.534 - 1) <= 0.15, f"{substeps / blend:.2f}, the row has 7.41, the paper 6.534 (± 15%)")
    if not only or "hippo" in only:
        blend, euler = count("critter-spheres", 0.85, {**HIPPO, **BLEND})[0], count("critter-spheres", 0.85, {**HIPPO, **EULER})[0]
        check("hippo: blending over backward Euler", blend / euler < 0.75 * 1.58, f"{blend / euler:.3f}, the row has 0.892, the paper 1.58 (± 25%)")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
