#!/usr/bin/env python3
"""Instructions of a Newton iteration, AVF-Simpson's over implicit midpoint's, on the scenes of Table 1.

    experiments/avf/instructions.py                       every scene, and the bar and the sheet of every material: ten minutes
    experiments/avf/instructions.py --only bar koala      these
    experiments/avf/instructions.py --visviva PROGRAM     another build

Times are noisy, instructions are not: callgrind (package valgrind) counts those in Newton's iterations, on one thread. It knows AVX2 at most;
VISVIVA_ISA=base in the environment takes less. The first table has, in thousands a Newton iteration: all of it, derivatives, the linear
solve; the rest is the line search and vectors. The second has AVF over implicit midpoint: all of it, derivatives, and all of it as if the
linear solve took AVF what it takes implicit midpoint, since conjugate gradients may need more iterations for one than for the other.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
METHODS = {"AVF": "avf-simpson", "midpoint": "implicit-midpoint"}
TETS = ["arap", "corotated", "fixed-corotated", "neo-hookean", "stable-neo-hookean"]
SPRINGS = ["hooke", "hooke-rod", "neo-hookean-rod"]


def scenes():
    """name -> scene, as Table 1's item has them, and other materials on two of them."""
    with open(os.path.join(HERE, "table-1-iterations.json")) as file:
        found = json.load(file)["scenes"]
    for name, other in (("sheet", "cloth-wave"), ("cloth", "cloth-corner")):
        with open(os.path.join(ROOT, "scenes", other + ".json")) as file:
            found[name] = json.load(file)
        found[name]["solver"] = {"tolerance": 0.0001}
    for model in TETS:
        scene = json.loads(json.dumps(found["bar"]))
        scene["bodies"][0]["material"]["model"] = model
        found["bar, " + model] = scene
    for model in SPRINGS:
        scene = json.loads(json.dumps(found["sheet"]))
        scene["materials"]["sheet"]["model"] = model
        found["sheet, " + model] = scene
    return found


def mesh_of(scene):
    """Meshes are looked for beside the item and in VISVIVA_MESHES; None: not there."""
    file = scene["bodies"][0]["mesh"].get("file")
    if file is None:
        return scene
    for path in (os.path.normpath(os.path.join(HERE, file)), os.path.join(os.environ.get("VISVIVA_MESHES", ""), os.path.basename(file))):
        if os.path.exists(path):
            scene["bodies"][0]["mesh"]["file"] = path
            return scene
    return None


def inclusive(path, wanted):
    """Instructions in calls of these functions, and the total, of a callgrind file."""
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", path], capture_output=True, text=True, check=True).stdout
    counts = dict.fromkeys(wanted, 0)
    for line in text.splitlines():
        row = re.match(r"\s*([\d,]+)(?: \([ \d.]+%\))?\s+(\S.*)", line)
        if not row:
            continue
        number = int(row[1].replace(",", ""))
        if "PROGRAM TOTALS" in row[2]:
            counts["total"] = number
        for name in wanted:
            if re.search(r":" + name + r"( |$)", row[2]):
                counts[name] = max(counts[name], number)
    return counts


def measure(program, scene, scheme, steps, folder):
    scene_file, out, summary = (os.path.join(folder, n) for n in ("scene.json", "callgrind.out", "summary.json"))
    with open(scene_file, "w") as file:
        json.dump(scene, file)
    subprocess.run(["valgrind", "--tool=callgrind", "-q", "--toggle-collect=vv_newton_iterate", "--callgrind-out-file=" + out, program, "run",
                    scene_file, "-q", "--force", "-o", os.path.join(folder, "run.vtkhdf"), "--threads", "1", "--summary", summary, "--until",
                    str(steps * scene["time"]["step"]), "--set", "integrator.scheme=" + scheme], check=True)
    with open(summary) as file:
        ledger = json.load(file)
    counts = inclusive(out, ["vv_objective_derivatives", "vv_equations_solve"])
    n = ledger["newton_iterations"]
    return {"iterations": n, "pcg": ledger["pcg_iterations"] / n, "trials": ledger["line_search_steps"] / n, "all": counts["total"] / n,
            "derivatives": counts["vv_objective_derivatives"] / n, "linear": counts["vv_equations_solve"] / n}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visviva", default=os.path.join(ROOT, "build", "visviva"))
    parser.add_argument("--only", nargs="+", metavar="SCENE", help="of: " + "; ".join(scenes()))
    parser.add_argument("--steps", type=int, default=5, help="of each run; 5, as in the table")
    args = parser.parse_args()
    unknown = [name for name in args.only or [] if name not in scenes()]
    if unknown:
        sys.exit("there is no scene \"%s\"; there are: %s" % (unknown[0], "; ".join(scenes())))
    if not shutil.which("callgrind_annotate"):
        sys.exit("callgrind_annotate is not here; it comes with valgrind (apt-get install valgrind)")
    print("| scene | scheme | Newton iterations | all | derivatives | linear | conjugate gradients | trials of the line search |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    quotients = []
    for name, scene in scenes().items():
        if args.only and name not in args.only:
            continue
        if mesh_of(scene) is None:
            quotients.append("| %s | no mesh | | |" % name)
            continue
        rows = {}
        for method, scheme in METHODS.items():
            with tempfile.TemporaryDirectory() as folder:
                row = rows[method] = measure(args.visviva, scene, scheme, args.steps, folder)
            print("| %s | %s | %d | %.0f | %.0f | %.0f | %.1f | %.2f |" % (name, scheme, row["iterations"], row["all"] / 1e3, row["derivatives"] / 1e3,
                                                                         row["linear"] / 1e3, row["pcg"], row["trials"]), flush=True)
        avf, midpoint = rows["AVF"], rows["midpoint"]
        quotients.append("| %s | %.2f | %.2f | %.2f |" % (name, avf["all"] / midpoint["all"], avf["derivatives"] / midpoint["derivatives"],
                                                         (avf["all"] - avf["linear"] + midpoint["linear"]) / midpoint["all"]))
    print("\n| scene | all | derivatives | with equal linear solves |\n| --- | --- | --- | --- |")
    print("\n".join(quotients))


if __name__ == "__main__":
    main()
