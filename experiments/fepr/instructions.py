#!/usr/bin/env python3
"""Instructions of one iteration of FEPR's projection over those of one energy and one gradient.

    experiments/fepr/instructions.py                       every scene: five minutes
    experiments/fepr/instructions.py --only block          these
    experiments/fepr/instructions.py --visviva PROGRAM     another build

Times are noisy, instructions are not: callgrind (package valgrind) counts them, on one thread. It knows AVX2 at most; VISVIVA_ISA=base in
the environment takes less. Columns, in thousands: E, an energy at a new place, as Newton's line search takes it (contact finds its pairs
there); G, a gradient at the same place, if these steps took one; what an iteration takes in all (sums, the 7x7 matrix, directions, the new
place's energy and gradient; what velocities alone take is shared out); and of it the energy and gradient at the new place, in one pass. The
last columns have what a projection takes once: contact's step filter at its end, and the rest: groups, the momenta to be kept, bookings,
accounts.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def item(name, scene):
    with open(os.path.join(HERE, name + ".json")) as file:
        found = json.load(file)["scenes"][scene]
    mesh = found["bodies"][0]["mesh"]
    if "file" in mesh:
        mesh["file"] = os.path.normpath(os.path.join(HERE, mesh["file"]))
    return found


def scenes():
    """name -> scene, settings, the steps that are counted: after this one, to this one"""
    with open(os.path.join(ROOT, "scenes", "critter-drop.json")) as file:
        critter = json.load(file)
    with open(os.path.join(ROOT, "scenes", "rollers.json")) as file:
        rollers = json.load(file)
    euler = {"integrator.scheme": "backward-euler"}
    return {
        "block": (item("table-1-conservation", "block"), euler, 0, 20),
        "octopus": (item("fig-17-octopus", "octopus"), {}, 0, 4),
        "critter, on the ground": (critter, euler, 36, 48),
        "rollers": (rollers, euler, 0, 24),
    }


def callgrind(path):
    """(caller, function) -> calls, instructions in them; of a callgrind file."""
    names, found, caller, called = {}, collections.defaultdict(lambda: [0, 0]), None, None
    with open(path) as file:
        for line in file:
            name = re.match(r"cfn=\((\d+)\)(?: (.*))?", line)
            fn = name or re.match(r"fn=\((\d+)\)(?: (.*))?", line)
            if fn:
                names.setdefault(fn[1], fn[2])
            if name:
                called = names[name[1]]
            elif fn:
                caller = names[fn[1]]
            elif line.startswith("calls="):
                found[caller, called][0] += int(line[6:].split()[0])
                found[caller, called][1] += int(next(file).split()[1])
    return found


def run(program, scene, settings, steps, folder):
    """Calls as of callgrind(), and iterations of the projection, in the first steps of a scene."""
    scene_file, out, made, table = (os.path.join(folder, n) for n in ("scene.json", "callgrind.out", "run.vtkhdf", "ledger.csv"))
    with open(scene_file, "w") as file:
        json.dump(scene, file)
    step = scene["time"]["step"]
    step = 1 / float(step[2:]) if isinstance(step, str) else step
    sets = [word for key, value in dict(settings, **{"integrator.policy": "project"}).items() for word in ("--set", "%s=%s" % (key, value))]
    subprocess.run(["valgrind", "--tool=callgrind", "-q", "--callgrind-out-file=" + out, program, "run", scene_file, "-q", "--force", "-o", made,
                    "--threads", "1", "--until", str(steps * step)] + sets, check=True)
    subprocess.run([program, "export", made, "-q", "-o", table], check=True)
    with open(table) as file:
        rows = [line.rstrip("\n").split(",") for line in file]
    column = rows[0].index("alpha")
    return callgrind(out), sum(float(row[column]) for row in rows[2:])


def measure(program, scene, settings, first, last, folder):
    scene["time"]["record_every"] = 1
    calls, iterations = run(program, scene, settings, last, folder)
    steps = last - first
    if first > 0:
        before, earlier = run(program, scene, settings, first, folder)
        iterations -= earlier
        calls = {key: (count - before[key][0], cost - before[key][1]) for key, (count, cost) in calls.items()}

    def cost(function, callers=None, count=False):
        return sum(n[0 if count else 1] for (caller, name), n in calls.items() if name == function and (callers is None or caller in callers))

    def each(function):
        return cost(function) / max(cost(function, count=True), 1)

    policy = {"apply", "project", "iterate", "book", "open_accounts", "close_accounts"}  # of policy_project.c, as far as they are not inlined
    filtered = cost("vv_projection_confirm", policy)
    once = sum(cost(name, policy) for name in ("vv_symmetry_find", "vv_touching_find", "vv_shares_start", "vv_shares_open", "vv_shares_close",
                                               "vv_trial_book"))
    return {"iterations": iterations, "steps": steps, "E": each("vv_system_energy"),
            "G": each("vv_system_gradient") - cost("vv_system_update") / max(cost("vv_system_gradient", count=True), 1),
            "all": (cost("apply") - once - filtered) / iterations, "place": cost("vv_trial_look", {"vv_projection_go"}) / iterations,
            "filter": filtered / steps, "once": once / steps}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visviva", default=os.path.join(ROOT, "build", "visviva"))
    parser.add_argument("--only", nargs="+", metavar="SCENE", help="of: " + "; ".join(scenes()))
    args = parser.parse_args()
    unknown = [name for name in args.only or [] if name not in scenes()]
    if unknown:
        sys.exit("there is no scene \"%s\"; there are: %s" % (unknown[0], "; ".join(scenes())))
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not here (apt-get install valgrind)")
    print("| scene | steps | iterations | E | G | an iteration | of it energy and gradient | over these | over E + G | filter | rest |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, (scene, settings, first, last) in scenes().items():
        if args.only and name not in args.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            row = measure(args.visviva, scene, settings, first, last, folder)
        thousands = ["%.0f" % (row[key] / 1e3) for key in ("E", "G", "all", "place")]
        over = ["%.2f" % (row["all"] / row["place"]), "%.2f" % (row["all"] / (row["E"] + row["G"])) if row["G"] > 0 else ""]
        rest = ["%.0f" % (row[key] / 1e3) for key in ("filter", "once")]
        print("| %s | %d | %d | %s |" % (name, row["steps"], row["iterations"], " | ".join(thousands + over + rest)), flush=True)


if __name__ == "__main__":
    main()
