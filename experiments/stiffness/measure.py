#!/usr/bin/env python3
"""What a stiffness of contact costs and keeps, over many scenes: chosen ("auto"), some times that ("auto*10"), given as a number ("1e5"), or
adapted ("auto+adapt").

  measure.py FOLDER [--ipc INPUT] [--kappa auto,1e5] [--only scenes,sizes,heavy,hard,ipc] [--until T] [--steps N] [--seconds S] [--jobs J] [--table]

FOLDER receives results.jsonl, one line for each run; what is there already is not run again, and --table only prints it. Scenes are those of
scenes/ with contact, a scene at six sizes, cubes of steel and rock, the cases of tests/program/test_hard_contacts.py, and with --ipc the tutorial and supplement scenes of a clone of
github.com/ipc-sim/IPC (its folder input), without their stiffness and distance, at steps of 0.025, 0.01 and 0.001 s. Every run tests each
step for intersections. VISVIVA is the program (default build/visviva). Exit code 1 if a run failed or left surfaces that intersect.
"""
import argparse
import concurrent.futures
import glob
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("VISVIVA", os.path.join(ROOT, "build", "visviva")))


def own_scenes():
    for path in sorted(glob.glob(os.path.join(ROOT, "scenes", "*.json"))):
        yield "scenes", os.path.basename(path)[:-5], path, []


def sized_scenes(folder):
    """A box and a ball that fall onto the ground at an angle, at sizes from 1 mm to 100 m; E in proportion, as the weight deforms them
    alike, or as it is."""
    at = os.path.join(folder, "sizes")
    os.makedirs(at, exist_ok=True)
    for size in (1e-3, 1e-2, 1e-1, 1, 10, 100):
        for young in (1e5, 1e6 * size):
            scene = {"visviva": 1, "time": {"step": "1/120", "end": 2 * max(1, size ** .5)}, "materials": {"m": {"young": young, "density": 1000}},
                     "bodies": [{"mesh": {"box": {"size": [size] * 3, "cells": [3, 3, 3]}}, "material": "m",
                                 "place": {"rotate": [20, 0, 30], "translate": [0, 0.95 * size, 0]}},
                                {"mesh": {"ball": {"radius": size / 2, "cells": 4}}, "material": "m",
                                 "place": {"translate": [.3 * size, 2.4 * size, 0]}}],
                     "obstacles": [{"plane": {"point": [0, 0, 0]}}], "contact": {"friction": .3}}
            path = os.path.join(at, "toss-%g-%g.json" % (size, young))
            with open(path, "w") as file:
                json.dump(scene, file)
            for policy in ("none", "filtered-search"):
                yield "sizes", "%g m, E %g, %s" % (size, young, policy), path, ["integrator.policy=" + policy]


def heavy_scenes(folder):
    """Cubes of steel and rock that fall onto a corner: size (m), E (Pa), d-hat (m), time (s), speed (m/s)."""
    at = os.path.join(folder, "heavy")
    os.makedirs(at, exist_ok=True)
    for size, young, distance, end, speed in ((10, 1e9, 1e-3, 1.5, 0), (1, 2e11, 0, .5, 10), (1, 2e9, 1e-5, .7, 0), (100, 1e9, 1e-2, 4, 0)):
        scene = {"visviva": 1, "time": {"step": "1/120", "end": end}, "contact": {"friction": .3},
                 "materials": {"m": {"model": "neo-hookean", "young": young, "density": 8000}},
                 "bodies": [{"mesh": {"box": {"size": [size] * 3, "cells": [6] * 3}}, "material": "m", "velocity": {"linear": [0, -speed, 0]},
                             "place": {"rotate": [35, 0, 45], "translate": [0, .9 * size, 0]}}],
                 "obstacles": [{"plane": {"point": [0, 0, 0]}}]}
        if distance:
            scene["contact"]["distance"] = distance
        path = os.path.join(at, "heavy-%g-%g.json" % (size, young))
        with open(path, "w") as file:
            json.dump(scene, file)
        yield "heavy", "%g m, E %g" % (size, young), path, []


def hard_scenes(folder):
    where = os.path.join(ROOT, "tests", "program", "test_hard_contacts.py")
    spec = importlib.util.spec_from_file_location("hard", where)
    hard = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hard)
    at = os.path.join(folder, "hard")
    os.makedirs(at, exist_ok=True)
    os.chdir(at)
    hard.make_meshes()
    for name, (bodies, obstacles, steps, more, _) in hard.cases().items():
        path = os.path.join(at, "".join(c if c.isalnum() else "-" for c in name) + ".json")
        with open(path, "w") as file:
            json.dump(hard.scene(bodies, obstacles, steps, more), file)
        for method in ("backward-euler", "search"):
            yield "hard", "%s, %s" % (name, method), path, hard.METHODS[method]


def ipc_scenes(folder, source):
    at = os.path.join(folder, "ipc")
    os.makedirs(at, exist_ok=True)
    files = sorted(glob.glob(os.path.join(source, "tutorialExamples", "**", "*.txt"), recursive=True) +
                   glob.glob(os.path.join(source, "paperExamples", "supplement*", "**", "*.txt"), recursive=True))
    for file in files:
        name = os.path.splitext(os.path.basename(file))[0]
        path = os.path.join(at, name + ".json")
        done = subprocess.run([PROGRAM, "new", "--from-ipc", file, "-o", path, "--force"], capture_output=True, cwd=at)
        if done.returncode != 0:
            continue
        with open(path) as stream:
            scene = json.load(stream)
        for key in ("stiffness", "distance"):
            scene.get("contact", {}).pop(key, None)
        with open(path, "w") as stream:
            json.dump(scene, stream)
        for step in ("0.025", "0.01", "0.001"):
            yield "ipc", "%s, h %s" % (name, step), path, ["time.step=" + step]


def run(item, kappa, options):
    group, name, path, sets = item
    given, _, adapt = kappa.partition("+")
    given, _, times = given.partition("*")
    sets = sets + ["contact.stiffness=" + given] + (["contact.adapt_stiffness=true"] if adapt else [])
    command = [PROGRAM, "check", path, "--json"]
    for s in sets:
        command += ["--set", s]
    result = {"group": group, "scene": name, "kappa": kappa}
    with tempfile.TemporaryDirectory() as at:
        done = subprocess.run(command, capture_output=True, text=True, cwd=at)
        if done.returncode != 0:
            return dict(result, skipped=done.stderr.strip()[:200])
        facts = json.loads(done.stdout)
        if facts["contact"]["model"] == "none":
            return dict(result, skipped="no contact")
        time = facts["time"]
        if times:
            command[command.index("contact.stiffness=" + given)] = "contact.stiffness=%.9g" % (facts["contact"]["stiffness"] * float(times))
            facts["contact"]["stiffness"] *= float(times)
        command[1] = "run"
        command.remove("--json")
        command += ["--paranoid", "--force", "-q", "-o", "run.vtkhdf", "--summary", "s.json", "--threads", "1",
                    "--until", "%.9g" % min(time["end"], time["begin"] + min(options.until, options.steps * time["step"]))]
        try:
            done = subprocess.run(["timeout", "--signal=INT", "--kill-after=30", str(options.seconds)] + command, capture_output=True,
                                  text=True, cwd=at, timeout=options.seconds + 60)
            code, said = done.returncode, done.stderr.strip()
        except subprocess.TimeoutExpired:
            code, said = 124, "does not stop"
        result.update(stiffness=facts["contact"]["stiffness"], distance=facts["contact"]["distance"], code=code, said=said[-300:])
        if os.path.exists(os.path.join(at, "s.json")):
            with open(os.path.join(at, "s.json")) as file:
                s = json.load(file)
            result.update(status=s["status"], steps=s["steps"], iterations=s["newton_iterations"], gap=s["min_gap"], failed=s["failed_steps"],
                          intersections=s["intersections"], wall=s["wall"]["total"],
                          error=s["energy"]["numerical_error"] / s["energy"]["scale"] if s["energy"]["scale"] else 0)
    return result


def known(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file]


def sum_up(rows, kappas):
    """One line for each group and stiffness; iterations and energy over the scenes that all of them ended."""
    wrong = 0
    print("%-8s %-10s %5s %6s %6s %6s %11s %9s %9s %9s" %
          ("group", "kappa", "runs", "done", "failed", "inters", "iterations", "gap/d min", "gap/d med", "|error|/S"))
    for group in sorted({r["group"] for r in rows}):
        of = {k: {r["scene"]: r for r in rows if r["group"] == group and r["kappa"] == k and "code" in r} for k in kappas}
        ended = [s for s in of[kappas[0]] if all(s in of[k] and of[k][s]["code"] == 0 for k in kappas)]
        for k in kappas:
            mine = list(of[k].values())
            bad = [r for r in mine if r["code"] not in (0, 124, 130)]
            crossed = [r for r in mine if r.get("intersections")]
            gaps = sorted(of[k][s]["gap"] / of[k][s]["distance"] for s in ended if of[k][s]["gap"] is not None)
            errors = [abs(of[k][s]["error"]) for s in ended]
            wrong += len(bad) + len(crossed)
            print("%-8s %-10s %5d %6d %6d %6d %11d %9.2g %9.2g %9.2g" %
                  (group, k, len(mine), sum(r["code"] == 0 for r in mine), len(bad), len(crossed), sum(of[k][s]["iterations"] for s in ended),
                   gaps[0] if gaps else math.nan, gaps[len(gaps) // 2] if gaps else math.nan, sum(errors) / max(len(errors), 1)))
    return wrong


def show(rows, kappas):
    for group, scene in sorted({(r["group"], r["scene"]) for r in rows if "code" in r}):
        line = "%-6s %-44s" % (group, scene[:44])
        for k in kappas:
            r = next((r for r in rows if r["scene"] == scene and r["group"] == group and r["kappa"] == k and "code" in r), None)
            if r:
                gap = (r["gap"] / r["distance"]) if r.get("gap") is not None else math.nan
                line += " | %8.2g Pa %s %4s st %6s it %8.2g %8.1e" % (r["stiffness"], "ok  " if r["code"] == 0 else "c%-3d" % r["code"],
                                                                     r.get("steps"), r.get("iterations"), gap, r.get("error", math.nan))
        print(line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--ipc")
    parser.add_argument("--kappa", default="auto,1e5")
    parser.add_argument("--only", default="scenes,sizes,heavy,hard,ipc")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--until", type=float, default=1)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--match", default="")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)
    os.makedirs(folder, exist_ok=True)
    path, kappas, only = os.path.join(folder, "results.jsonl"), options.kappa.split(","), options.only.split(",")
    source = os.path.abspath(options.ipc) if options.ipc else None
    rows = known(path)
    if not options.table:
        items = list(own_scenes()) if "scenes" in only else []
        items += list(sized_scenes(folder)) if "sizes" in only else []
        items += list(heavy_scenes(folder)) if "heavy" in only else []
        items += list(hard_scenes(folder)) if "hard" in only else []
        items += list(ipc_scenes(folder, source)) if source and "ipc" in only else []
        items = [i for i in items if options.match in i[1]]
        there = {(r["group"], r["scene"], r["kappa"]) for r in rows}
        todo = [(i, k) for i in items for k in kappas if (i[0], i[1], k) not in there]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, open(path, "a") as file:
            for result in pool.map(lambda t: run(t[0], t[1], options), todo):
                file.write(json.dumps(result) + "\n")
                file.flush()
                rows.append(result)
    show(rows, kappas)
    return 1 if sum_up(rows, kappas) else 0


if __name__ == "__main__":
    sys.exit(main())
