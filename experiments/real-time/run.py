#!/usr/bin/env python3
"""What short budgets keep: energy, wrinkles, turning.

    experiments/real-time/run.py                        everything that is not there yet
    experiments/real-time/run.py stable/jelly shake     these: whole items, or single runs of them
    experiments/real-time/run.py --list                 names of all runs
    experiments/real-time/run.py --report               runs nothing, writes the tables of what is there
    experiments/real-time/run.py --steps 60 --out /tmp/x   a few steps: does it work at all

A run keeps its ledger and what was measured in out/real-time/ (--out); one that is there is not made again unless it is named. The
tables go to standard output. One thread a run, one run at a time: a few seconds to ten minutes each.
"""
import argparse
import csv
import json
import math
import os
import re
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EPSILON = 0.01  # of `blend`, its default
FALL = 800 * 9.8 * 1.5  # J: of the cube, to the balls
BLEND = {"integrator.scheme": "implicit-midpoint", "integrator.policy": "blend"}
MIDPOINT = {"integrator.scheme": "implicit-midpoint", "integrator.policy": "none"}
EULER = {"integrator.scheme": "backward-euler", "integrator.policy": "none"}
BDF2 = {"integrator.scheme": "bdf2", "integrator.policy": "none"}
PROJECT = {"integrator.policy": "project"}
LOCAL_GLOBAL = {"solver.method": "local-global", "solver.budget": 10}
UNDAMPED = {"cloth-torus": "materials.cloth.damping.drag", "pelted-critter": "materials.skin.damping.momentum_rate"}  # scene: its damping
REAL_TIME = ("hanging-cloth", "cloth-shake", "trampoline-cloth", "jelly", "swinging-critter")
CONTACT = ("cube-spheres", "critter-spheres", "sliding-critter")
STIFFNESSES = (5e4, 1e5, 2e5, 4e5, 8e5, 1.6e6)  # of the cube's contact, N/m^3


FOLLOWING, PLANES = {"contact.springs.form": "following"}, {"contact.springs.form": "one-sided"}
TRUTH = {**MIDPOINT, "solver.method": "newton", "solver.tolerance": 1e-6, "time.substeps": 20}
BOUNCES = {
    "truth": {**TRUTH, **FOLLOWING},
    "following, blend": {**BLEND, **LOCAL_GLOBAL, **FOLLOWING},
    "following, blend, 3 substeps of 4 iterations": {**BLEND, **LOCAL_GLOBAL, "solver.budget": 4, "time.substeps": 3, **FOLLOWING},
    "following, project": {**MIDPOINT, **PROJECT, **LOCAL_GLOBAL, **FOLLOWING},
    "one-sided, blend": {**BLEND, **LOCAL_GLOBAL, **PLANES},
    "one-sided, blend, 3 substeps of 4 iterations": {**BLEND, **LOCAL_GLOBAL, "solver.budget": 4, "time.substeps": 3, **PLANES},
    "following, backward-euler": {**EULER, **LOCAL_GLOBAL, **FOLLOWING},
}


def runs():
    """name -> (scene, steps, settings, whether positions are kept at each step)"""
    found = {}
    for scene in REAL_TIME:
        found["stable/" + scene] = (scene, 10000, {**BLEND, **LOCAL_GLOBAL}, False)
    found["stable/spinning-cube"] = ("spinning-cube", 10000, {**BLEND, **LOCAL_GLOBAL, "integrator.ground_energy": "none"}, False)
    for scene in CONTACT:
        found["contact/" + scene] = (scene, 10000, {**BLEND, **LOCAL_GLOBAL}, False)
    for name, settings in BOUNCES.items():
        for k in STIFFNESSES:
            found["bounce/%s, %g" % (name, k)] = ("cube-spheres", 90,
                                                  {**settings, "contact.springs.stiffness": k}, False)
    for name, method in (("blend", BLEND), ("implicit-midpoint", MIDPOINT)):
        for budget, steps in ((5, 1000), (10, 1000), (20, 1000), (50, 300), (100, 300)):
            found["cactus/%s, %d iterations" % (name, budget)] = ("random-cactus", steps, {**method, **LOCAL_GLOBAL, "solver.budget": budget}, False)
        found["cactus/%s, 10 with anderson" % name] = ("random-cactus", 1000, {**method, **LOCAL_GLOBAL, "solver.acceleration": "anderson"}, False)
        found["cactus/%s, 10 of lbfgs" % name] = ("random-cactus", 1000, {**method, "solver.method": "lbfgs", "solver.budget": 10}, False)
    for name, method in (("blend", BLEND), ("bdf2", BDF2), ("backward-euler", EULER)):
        found["shake/" + name] = ("cloth-shake", 300, {**method, **LOCAL_GLOBAL}, True)
    for scene, damping in UNDAMPED.items():
        for policy in ("project", "none"):
            found["undamped/%s, %s" % (scene, policy)] = (scene, 10000, {"integrator.policy": policy, damping: 0}, False)
    for name, method in (("blend", BLEND), ("project over backward-euler", {**EULER, **PROJECT}), ("project over bdf2", {**BDF2, **PROJECT}),
                         ("project over implicit-midpoint", {**MIDPOINT, **PROJECT}), ("backward-euler", EULER), ("bdf2", BDF2),
                         ("implicit-midpoint", MIDPOINT)):
        found["spin/" + name] = (os.path.join(HERE, "free-cube.json"), 3000, {**method, **LOCAL_GLOBAL}, False)
    return found


# ---- one run -----------------------------------------------------------------------------------------------------------


def scene_path(scene):
    return scene if os.path.isabs(scene) else os.path.join(ROOT, "scenes", scene + ".json")


def step_of(scene):
    step = scene["time"]["step"]
    return eval_fraction(step) if isinstance(step, str) else step


def eval_fraction(text):
    top, bottom = text.split("/")
    return float(top) / float(bottom)


def settings_of(settings):
    return [word for key, value in settings.items() for word in ("--set", "%s=%s" % (key, value))]


def read_ledger(path):
    with open(path, newline="") as file:
        rows = csv.reader(file)
        names = [name.split(" [")[0] for name in next(rows)]
        columns = list(zip(*[[float(x) for x in row] for row in rows]))
    return dict(zip(names, columns))


def bending(path, scene):
    """Energies of a weave's bend springs in each frame of a point cache: of all of them, and of those shorter than at rest. Cloth that
    hangs stretches its bend springs; only folds make them shorter."""
    body = scene["bodies"][0]
    k = scene["materials"][body["material"]]["bend_stiffness"]
    (width, depth), (nx, nz) = body["mesh"]["weave"]["size"], body["mesh"]["weave"]["cells"]
    springs = [(i * (nz + 1) + j, (i + 2) * (nz + 1) + j, 2 * width / nx) for i in range(nx - 1) for j in range(nz + 1)]
    springs += [(i * (nz + 1) + j, i * (nz + 1) + j + 2, 2 * depth / nz) for i in range(nx + 1) for j in range(nz - 1)]
    with open(path, "rb") as file:
        head = struct.unpack("<12siiffi", file.read(32))
        count, frames = head[2], head[5]
        assert head[0] == b"POINTCACHE2\0" and count == (nx + 1) * (nz + 1), "not the point cache of this scene"
        for _ in range(frames):
            x = struct.unpack("<%df" % (3 * count), file.read(12 * count))
            every = short = 0.0
            for a, b, rest in springs:
                change = math.dist(x[3 * a:3 * a + 3], x[3 * b:3 * b + 3]) - rest
                energy = 0.5 * k * change * change
                every += energy
                short += energy if change < 0 else 0
            yield every, short


def make(program, name, out, most):
    scene_name, steps, settings, positions = runs()[name]
    steps = min(steps, most)
    with open(scene_path(scene_name)) as file:
        scene = json.load(file)
    base = os.path.join(out, name.replace("/", "-").replace(", ", "-").replace(" ", "-"))
    run, ledger, cache = base + ".vtkhdf", base + ".csv", base + ".pc2"
    settings = {**settings, "time.record_every": 1 if positions else max(1, steps // 5)}
    done = subprocess.run([program, "run", scene_path(scene_name), "-q", "--force", "--threads", "1", "--until", "%.12g" % (steps * step_of(scene)),
                           "-o", run, "--summary", base + ".json", *settings_of(settings)], capture_output=True, text=True)
    if done.returncode not in (0, 1) or not os.path.exists(run):
        sys.exit("%s: %s" % (name, done.stderr.strip()))
    subprocess.run([program, "export", run, "-q", "-o", ledger], check=True)
    result = {"name": name, "wanted": steps, "failed": done.stderr.strip() if done.returncode else None}
    if positions:
        subprocess.run([program, "export", run, "-q", "-o", cache], check=True)
        result["bending"] = list(bending(cache, scene))
        for extra in (cache, base + "_mesh.obj", base + ".blender.py"):
            os.path.exists(extra) and os.remove(extra)
    os.remove(run)
    os.path.exists(base + ".xdmf") and os.remove(base + ".xdmf")
    result.update(measure(read_ledger(ledger)))
    with open(base + ".result.json", "w") as file:
        json.dump(result, file, indent=1)
    return result


def mean(values):
    return sum(values) / len(values)


def measure(c):
    """A few numbers of a ledger."""
    off = [abs(h - t) / s if s > 0 else 0 for h, t, s in zip(c["total"], c["target"], c["scale"])]
    spin = [math.hypot(*v) for v in zip(*(c["angular_momentum_centre" + axis] for axis in ("_x", "_y", "_z")))]
    turned = [math.dist(v, [c["angular_momentum_centre" + axis][0] for axis in ("_x", "_y", "_z")])
              for v in zip(*(c["angular_momentum_centre" + axis] for axis in ("_x", "_y", "_z")))]
    marks = sorted({n for n in (0, 1, 10, 100, 300, 1000, 3000, 10000) if n < len(off)} | {len(off) - 1})

    def at(values):
        return {str(n): values[n] for n in marks}

    return {
        "steps": len(off) - 1, "finite": all(map(math.isfinite, c["total"])), "largest_off": max(off), "mean_off": sum(off) / len(off),
        "later_off": max(off[len(off) // 2:]), "above_epsilon": sum(x > EPSILON for x in off), "scale": c["scale"][-1],
        "total": at(c["total"]), "target": at(c["target"]), "kinetic": at(c["kinetic"]), "off": at(off), "spin": at(spin),
        "spin_off": max(turned) / spin[0] if spin[0] > 0 else None, "damping": sum(c["damping"]), "work": sum(c["work"]),
        "depth": -min(0, min(c["min_gap"])), "fastest": max(c["visible_centre"]), "springs": sum(c["springs"]), "friction": sum(c["friction"]),
        "returned": highest_after(c["gravity"]), "moving": sum(c["kinetic"][-100:]) / len(c["kinetic"][-100:]),
        "late_kinetic": mean(c["kinetic"][len(off) // 2:]), "late_visible": mean(c["visible"][len(off) // 2:]),
    }


def highest_after(gravity):
    """How high the centre comes after it has first been lowest, as the energy of gravity, J."""
    low = next((i for i in range(1, len(gravity) - 1) if gravity[i] < gravity[i - 1] and gravity[i] <= gravity[i + 1]), None)
    if low is None:
        return None
    top = next((i for i in range(low + 1, len(gravity) - 1) if gravity[i] > gravity[i - 1] and gravity[i] >= gravity[i + 1]), len(gravity) - 1)
    return gravity[top]


# ---- tables ------------------------------------------------------------------------------------------------------------


def last(values):
    return values[max(values, key=int)]


def title(name, r):
    words = re.sub(r"\b(blend|project|none|backward-euler|bdf2|implicit-midpoint|anderson|lbfgs)\b", r"`\1`", name)
    return words + (" (failed after %d steps)" % r["steps"] if r["failed"] else "")


def report(found):
    def rows(item):
        return [(name.split("/", 1)[1], found[name]) for name in runs() if name in found and name.startswith(item + "/")]
    if rows("stable"):
        print("\n| scene | S, J | T at the end, J | H at the end, J | most that a step is off | in the second half |")
        print("| --- | --- | --- | --- | --- | --- |")
    for name, r in rows("stable"):
        target, total = (x if abs(x) > 1e-12 * r["scale"] else 0 for x in (last(r["target"]), last(r["total"])))
        print("| %s | %.4g | %.4g | %.4g | %.5f | %.5f |" % (title("`%s`" % name, r), r["scale"], target, total, r["largest_off"], r["later_off"]))
    if rows("contact"):
        print("\n| scene | S, J | H - T at the end, J | most that a step is off | in the second half | deepest, m | friction, J | springs, J |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, r in rows("contact"):
        print("| %s | %.4g | %.3g | %.5f | %.5f | %.3f | %.4g | %.3g |" % (title("`%s`" % name, r), r["scale"], last(r["total"]) - last(r["target"]),
              r["largest_off"], r["later_off"], r["depth"], r["friction"], r["springs"]))
    if rows("bounce"):
        print("\n| return of a bounce, as a part of the fall | %s |" % " | ".join("%g" % k for k in STIFFNESSES))
        print("| --- |" + " --- |" * len(STIFFNESSES))
    for way in BOUNCES:
        parts = [dict(rows("bounce")).get("%s, %g" % (way, k)) for k in STIFFNESSES]
        if any(parts):
            print("| %s | %s |" % (title(way, {"failed": None}), " | ".join("%.3f" % (1 + p["returned"] / FALL) if p and p["returned"] is not None else "" for p in parts)))
    if rows("undamped"):
        print("\n| | S, J | most that a step is off | depth, m | springs, J | kinetic, J | seen, J |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name, r in rows("undamped"):
        off = "%.2g" % r["largest_off"] if name.endswith("project") else "(no target is aimed at)"
        print("| %s | %.4g | %s | %.3f | %.3g | %.3g | %.3g |" % (title(re.sub("^([a-z-]+)", r"`\1`", name), r), r["scale"], off, r["depth"], r["springs"],
                                                             r["late_kinetic"], r["late_visible"]))
    if rows("spin"):
        print("\n| | H after 300 steps | 3000 | angular momentum after 300 | 3000 | its largest change, as a vector |")
        print("| --- | --- | --- | --- | --- | --- |")
    for name, r in rows("spin"):
        parts = ["%.4f" % (r[column][n] / r[column]["0"]) if n in r[column] else "" for column in ("total", "spin") for n in ("300", "3000")]
        print("| %s | %s | %.2g |" % (title(name, r), " | ".join(parts), r["spin_off"]))
    if rows("shake"):
        print("\n| | folds, J | at 10 s | all bend springs, J |\n| --- | --- | --- | --- |")
    for name, r in rows("shake"):
        later = r["bending"][120:] or r["bending"]
        print("| %s | %.3g | %.3g | %.3g |" % (title(name, r), sum(b[1] for b in later) / len(later), r["bending"][-1][1],
                                               sum(b[0] for b in later) / len(later)))
    if rows("cactus"):
        print("\n| | after 10 steps | 100 | 300 | 1000 |\n| --- | --- | --- | --- | --- |")
    for name, r in rows("cactus"):
        parts = ["%.1e" % (r["total"][n] / r["total"]["0"]) if n in r["total"] else "" for n in ("10", "100", "300", "1000")]
        print("| %s | %s |" % (title(name, r), " | ".join(parts)))


def draw(found, path):
    """The bounces' returns over the stiffness, by gnuplot."""
    lines = ["set terminal pngcairo size 900,560 font 'sans,11'", "set output '%s'" % path, "set logscale x", "set format x '%.0e'", "set key below Left reverse maxrows 4", "set xrange [4e4:2e6]",
             "set xlabel 'stiffness of the contact, N/m^3'", "set ylabel 'return, part of the fall'", "set yrange [0:1.02]", "set grid ytics lc rgb '#dddddd'"]
    curves = {way: [(k, 1 + found["bounce/%s, %g" % (way, k)]["returned"] / FALL) for k in STIFFNESSES
                    if found.get("bounce/%s, %g" % (way, k), {}).get("returned") is not None] for way in BOUNCES}
    colours = ("#000000", "#0072b2", "#56b4e9", "#009e73", "#d55e00", "#e69f00", "#999999")
    for i, points in enumerate(curves.values()):
        lines += ["$d%d << EOD" % i] + ["%g %g" % p for p in points] + ["EOD"]
    lines.append("plot " + ", ".join("$d%d using 1:2 with linespoints pt 7 ps 0.8 lw %d lc rgb '%s' title '%s'" % (i, 3 if i < 2 else 2, colours[i], way)
                                     for i, way in enumerate(curves)))
    subprocess.run(["gnuplot"], input="\n".join(lines) + "\n", text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="RUN")
    parser.add_argument("--visviva", default=os.environ.get("VISVIVA", os.path.join(ROOT, "build", "visviva")))
    parser.add_argument("--out", default=os.path.join(ROOT, "out", "real-time"))
    parser.add_argument("--steps", type=int, default=1 << 30, help="at most so many")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--picture", metavar="FILE.png", help="draws the bounces (needs gnuplot)")
    args = parser.parse_args()
    chosen = [name for name in runs() if not args.names or any(name == n or name.startswith(n + "/") for n in args.names)]
    for n in args.names:
        if not any(name == n or name.startswith(n + "/") for name in runs()):
            sys.exit('there is no run "%s"; --list has all of them' % n)
    if args.list:
        print("\n".join(chosen))
        return
    os.makedirs(args.out, exist_ok=True)
    found = {}
    for entry in os.listdir(args.out):
        if entry.endswith(".result.json"):
            with open(os.path.join(args.out, entry)) as file:
                r = json.load(file)
            found[r["name"]] = r
    for name in chosen:
        if not args.report and (args.names or name not in found):
            print(name, file=sys.stderr, flush=True)
            found[name] = make(args.visviva, name, args.out, args.steps)
    report({name: r for name, r in found.items() if name in chosen})
    if args.picture:
        draw(found, args.picture)


if __name__ == "__main__":
    main()
