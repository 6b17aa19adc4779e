#!/usr/bin/env python3
"""Rows of visviva reproduce, computed anew by a program that shares nothing with it.

- every matrix of A-search's appendix C: the methods in a few lines of their own, on x'' = -k x, stepped from two states that are not the
  program's; determinant, trace and largest eigenvalue
- rows of blending's Appendix C: backward Euler on two springs, solved by bisection
- every row of the other items in their short form that takes something of a column, or is a quotient or difference of such: from the CSV
  export of the run's ledger
- blending's figure 10: the energy of bending springs, from the exported positions
- FEPR's figure 3: backward Euler and the projection by experiments/fepr/sqp.py, and the exact minimiser's values in that item's measures
- every verdict: from the row's published value and tolerance
- every item has rows, a measured one at least, and one of filtered-search (but for those that take hours, which another shows in small);
  every paper has its page

All items run in ./test --full, else those of ALWAYS and one in eight of the others (--quick: one in 24): another turn, other items;
VV_TEST_TURN in the environment repeats one.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import cmath
import csv
import fnmatch
import importlib.util
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
STRIDE = {"quick": 24, "full": 1}.get(os.environ.get("VV_TEST_SIZE"), 8)
# what is computed anew in a way of its own
ALWAYS = ("a-search/appendix-c", "blending/appendix-c", "blending/fig-10-cloth-shake", "fepr/fig-03-sqp")
PROGRAM = os.environ.get("VISVIVA", "")


# ---- methods on x'' = -k x with h = 1: (x, v) -> (x, v) ----

def explicit_velocity_first(k):
    def step(x, v):
        v = v - k * x
        return x + v, v
    return step


def midpoint(k):
    """Solves the two equations of the mean by Cramer's rule."""
    def step(x, v):
        a, b = x + v / 2, v - k * x / 2
        det = 1 + k / 4
        return (a + b / 2) / det, (b - k * a / 2) / det
    return step


def corrected(k, alpha):
    """Backward Euler; the velocity moves by alpha times the difference of the forces at both ends."""
    def step(x, v):
        w = (v - k * x) / (1 + k)
        end = x + w
        return end, w - alpha * (k * x - k * end)
    return step


METHODS = {"symplectic": explicit_velocity_first, "symplectic Euler": explicit_velocity_first, "implicit midpoint": midpoint, "midpoint": midpoint,
           "trapezoidal": midpoint,  # the same on a linear problem
           "implicit Euler": lambda k: corrected(k, 0), "A-1": lambda k: corrected(k, 1), "alpha 0.5": lambda k: corrected(k, 0.5),
           "alpha 2": lambda k: corrected(k, 2), "alpha 4": lambda k: corrected(k, 4), "alpha 5": lambda k: corrected(k, 5)}


def matrix_of(step):
    """From two states that are no unit states."""
    (a, b), (c, d) = (2, 1), (-1, 3)
    (ax, av), (cx, cv) = step(a, b), step(c, d)
    det = a * d - b * c
    return ((ax * d - cx * b) / det, (cx * a - ax * c) / det), ((av * d - cv * b) / det, (cv * a - av * c) / det)


def figures_of(step):
    (p, q), (r, s) = matrix_of(step)
    trace, det = p + s, p * s - q * r
    root = cmath.sqrt(trace * trace / 4 - det)
    return {"trace": trace, "determinant": det, "radius": max(abs(trace / 2 + root), abs(trace / 2 - root)),
            "matrix.0.0": p, "matrix.0.1": q, "matrix.1.0": r, "matrix.1.1": s}


def method_of(run):
    name, _, hbar = run.rpartition(" ")
    name = name.removesuffix(" sweep").removesuffix(" beside")
    return METHODS.get(name), float(hbar)


def matrix_row(measure, runs):
    """The value of a row of matrices; None: not one of ours (filtered search)."""
    if "over" in measure:
        pattern = measure["over"].rstrip("*")
        values = [figures_of(method_of(r)[0](method_of(r)[1]))[measure["of"]["matrix"]] for r in runs if r.startswith(pattern)]
        return {"min": min, "max": max}[measure["take"]](values)
    make, hbar = method_of(measure["run"])
    return figures_of(make(hbar))[measure["matrix"]] if make else None


# ---- blending's Appendix C: backward Euler on the energy of two springs, (sqrt(x^2 + 1) - sqrt(2))^2, by bisection ----

def springs(x):
    return (math.hypot(x, 1) - math.sqrt(2)) ** 2


def slope_of_springs(x):
    return 2 * x * (1 - math.sqrt(2) / math.hypot(x, 1))


def springs_energies(x, v, h, steps):
    """x' + h^2 E'(x') grows with x' at these steps, so its root is the only one."""
    energies = [0.5 * v * v + springs(x)]
    for _ in range(steps):
        aim, low, high = x + h * v, -50.0, 50.0
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if middle + h * h * slope_of_springs(middle) < aim else (low, middle)
        v, x = (low - x) / h, low
        energies.append(0.5 * v * v + springs(x))
    return energies


def springs_row(measure, runs=()):
    """None: not one of ours. Short forms end at 2 s."""
    if "over" in measure:
        values = [springs_row(dict(measure["of"], run=run)) for run in runs if fnmatch.fnmatchcase(run, measure["over"])]
        return None if not values or None in values or measure["take"] not in ("min", "max") else {"min": min, "max": max}[measure["take"]](values)
    run, rest = measure.get("run", ""), set(measure) - {"column", "run", "take", "as", "slack"}
    if measure.get("column") != "total" or rest:
        return None
    if run == "figure 18 backward Euler":
        energies = springs_energies(2.5, 0, 0.1, 20)
    elif run.startswith("theorem "):
        energies = springs_energies(*map(float, run.split()[1:]), 0.5, 4)
    elif run.startswith("counterexample "):
        x = float(run.split()[1])
        energies = springs_energies(x, -x / 0.5, 0.5, 1)
    else:
        return None
    if measure["take"] == "increases":
        return sum(b - a > measure["slack"] for a, b in zip(energies, energies[1:]))
    value = {"last": energies[-1], "max": max(energies), "first": energies[0]}[measure["take"]]
    return {"part": value / energies[0], "change": value - energies[0]}.get(measure.get("as"), value)


# ---- columns, from the CSV export ----

def ledger(program, file, folder):
    out = folder / "rows.csv"
    subprocess.run([program, "export", str(file), "-o", str(out)], check=True, capture_output=True, cwd=folder)
    with open(out) as rows:
        return [{name.split(" [")[0]: value for name, value in row.items()} for row in csv.DictReader(rows)]  # without units


OF_STEPS = ("work", "friction", "damping", "decay", "error", "policy_change", "alpha", "newton_iterations", "linear_solves", "pcg_iterations",
            "line_search_steps")


def column_row(measure, rows):
    """None: more than is computed here."""
    if set(measure) - {"column", "run", "take", "as"}:
        return None
    name = measure["column"]
    if name in OF_STEPS:
        rows = [rows[0] | {name: ""}] + rows[1:]  # the start has none
    values = [float(row[name]) for row in rows if row.get(name, "") not in ("", "nan", "NaN")] if name in rows[0] else None
    if not values:
        return None
    take, first = measure.get("take", "last"), values[0]
    change = {"change": lambda v: v - first, "part": lambda v: v / first, "relative": lambda v: v / first - 1, "size": abs}.get(measure.get("as"), lambda v: v)
    values = [change(v) for v in values]
    return {"last": lambda: values[-1], "first": lambda: values[0], "min": lambda: min(values), "max": lambda: max(values), "sum": lambda: sum(values),
            "mean": lambda: math.fsum(values) / len(values), "range": lambda: max(values) - min(values)}.get(take, lambda: None)()


# ---- blending's figure 10: a square cloth of n x n vertices, in rows ----

REST, STIFFNESS = 2 * 2 / 8, 20  # its short form: 8 x 8 cells on 2 m


def bending_row(measure, file, folder, frame=0.198):
    """The springs join each vertex and the next but one, along both sides."""
    shutil.rmtree(folder / "frames", ignore_errors=True)
    subprocess.run([PROGRAM, "export", str(file), "-f", "obj", "-o", "frames/f"], check=True, capture_output=True, cwd=folder)
    energies = []
    for number, path in enumerate(sorted((folder / "frames").glob("*.obj"))):
        x = [tuple(map(float, line.split()[1:4])) for line in path.read_text().splitlines() if line.startswith("v ")]
        n = math.isqrt(len(x))
        pairs = [(i, i + step) for i in range(n * n) for step, room in ((2 * n, i // n + 2 < n), (2, i % n + 2 < n)) if room]
        longer = [math.dist(x[a], x[b]) - REST for a, b in pairs]
        if number * frame >= measure["from"] - 1e-9:
            energies.append(math.fsum(0.5 * STIFFNESS * d * d for d in longer if d < 0 or measure["bending"] == "all"))
    return math.fsum(energies) / len(energies)


def computed(measure, files, known, folder):
    """A number, a column, the springs' energy, or a quotient or difference of them; None: more than is computed here."""
    if isinstance(measure, (int, float)):
        return measure
    for pair in ("ratio", "difference"):
        if pair in measure:
            a, b = (computed(m, files, known, folder) for m in measure[pair])
            return None if a is None or b is None or (pair == "ratio" and b == 0) else a / b if pair == "ratio" else a - b
    run = measure.get("run")
    if not files.get(run):
        return None
    if "bending" in measure:
        key = json.dumps(measure)
        known[key] = known.get(key) or bending_row(measure, folder / files[run], folder)
        return known[key]
    if "column" not in measure:
        return None
    known[run] = known.get(run) or ledger(PROGRAM, files[run], folder)
    return column_row(measure, known[run])


# ---- FEPR's figure 3 ----

def import_sqp():
    place = ROOT / "experiments" / "fepr" / "sqp.py"
    spec = importlib.util.spec_from_file_location("sqp", place)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def fepr_rows(rows, wrong):
    """How far the first step's projection goes, over how far the exact minimiser's does, which stands in the measure: in the norm of
    Eq. 1, and in positions alone."""
    sqp = import_sqp()
    count = 0
    for row in rows:
        name = re.match(r"(FEPR|plain), h = 1/(\d+): how far ", row["label"])
        if not name:
            continue
        h, moved = 1 / int(name[2]), 1 if "in the norm of Eq. 1" in row["label"] else 2
        ours, exact = (sqp.simulate(method, h, 1)[moved][0] for method in ({"FEPR": "projected", "plain": "fepr"}[name[1]], "sqp"))
        count += 2
        written = row["measure"]["ratio"][1]
        if row["measured"] is None or abs(ours - row["measured"] * written) > 1e-8:
            wrong.append(f"fepr fig-03-sqp: {row['label']}: {row['measured']}, computed anew {ours / written}")
        if abs(exact - written) > 1e-9:
            wrong.append(f"fepr fig-03-sqp: {row['label']}: the minimiser's is {written}, computed anew {exact}")
        if moved == 1 and not exact * (1 - 1e-9) <= ours <= 1.01 * exact:
            wrong.append(f"fepr fig-03-sqp: {row['label']}: the iteration goes {ours}, the minimiser {exact}")
    return count


WORDS = {"above": lambda v, l: v > l and v >= l + 0.05 * abs(l), "below": lambda v, l: v < l and v <= l - 0.05 * abs(l),
         "more_than": lambda v, l: v > l, "less_than": lambda v, l: v < l, "at_least": lambda v, l: v >= l, "at_most": lambda v, l: v <= l,
         "kept": lambda v, l: abs(v - l) <= 0.05 * (abs(l) or 1), "holds": lambda v, l: (v != 0) == l}


def verdict_of(row):
    """None: more than is judged here (what is compared with another measure, chaotic rows)."""
    value, tolerance, expect = row["measured"], row.get("tolerance", {}), row.get("expect", {})
    if "not_comparable" in row or row["verdict"] == "not comparable":
        return "not comparable"
    if "chaotic" in row or any(isinstance(limit, dict) for limit in expect.values()):
        return None
    if "published" not in row:
        holds = value is not None and all(WORDS[word](value, limit) for word, limit in expect.items())
        return ("differs" if not holds else "fitted" if "fitted" in row else "relation holds") if "relation" in row else "goal met" if holds else "goal missed"
    if value is None:
        return "differs"
    published = row["published"]
    low, high = published if isinstance(published, list) else (published, published)
    if "better" in row and (value < low / 2 if row["better"] == "less" else value > 2 * high):
        return "differs (better)"
    room = [tolerance.get("absolute", 0) + tolerance.get("relative", 0) * abs(end) for end in (low, high)]
    same = low - room[0] <= value <= high + room[1]
    return "differs" if not same else "fitted" if "fitted" in row else "reproduced"


def close(a, b, precision):
    return abs(a - b) <= precision * max(1, abs(a), abs(b))


def missing(paper, folder):
    """What an item or a paper has not."""
    wrong = [] if (folder / "out" / f"{paper['paper']}.html").exists() else [f"{paper['paper']}: no page"]
    for item in paper["items"]:
        rows = [row for row in item["rows"] if row.get("measure") is not None]
        # what the short form leaves is measured, except where it ends before a row's time
        if not any(row["measured"] is not None for row in rows):
            wrong.append(f"{paper['paper']} {item['item']}: no row is measured")
        long = "long" in json.loads((ROOT / "experiments" / paper["paper"] / f"{item['item']}.json").read_text(encoding="utf-8"))
        if not long and not any("filtered" in json.dumps(row) for row in item["rows"]):
            wrong.append(f"{paper['paper']} {item['item']}: no row of filtered-search")
    return wrong


def chosen_experiments(folder):
    """A folder of the papers with the items that are to run; scenes find meshes beside it."""
    turn = int(os.environ.get("VV_TEST_TURN", time.time() // 86400))
    if STRIDE > 1:
        print(f"some of all items: VV_TEST_TURN={turn}")
    (folder / "shared").symlink_to(ROOT.parent / "shared")
    (folder / "tree").mkdir()
    (folder / "tree" / "meshes").symlink_to(ROOT / "meshes")
    (folder / "tree" / "scenes").symlink_to(ROOT / "scenes")
    others = 0
    for paper in sorted((ROOT / "experiments").glob("*/paper.json")):
        place = folder / "tree" / "experiments" / paper.parent.name
        place.mkdir(parents=True)
        for item in sorted(paper.parent.glob("*.json")):
            fixed = item == paper or f"{paper.parent.name}/{item.stem}" in ALWAYS
            others += not fixed
            if fixed or (others + turn) % STRIDE == 0:
                shutil.copy(item, place)
    return folder / "tree" / "experiments"


def main():
    if not PROGRAM:
        print("test_reproduce_rows: skipped, no program in $VISVIVA")
        return 77
    counts = {"matrix": 0, "springs": 0, "column": 0, "bending": 0, "fepr": 0, "verdict": 0}
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = subprocess.run([PROGRAM, "reproduce", "--experiments", str(chosen_experiments(folder)), "--quick", "--quiet", "-o", "out", "--json", "all.json"],
                              cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        for paper in json.loads((folder / "all.json").read_text())["papers"]:
            wrong += missing(paper, folder)
            for item in paper["items"]:
                files = {run["name"]: run.get("file") for run in item["runs"]}
                known = {}
                if (paper["paper"], item["item"]) == ("fepr", "fig-03-sqp"):
                    counts["fepr"] += fepr_rows(item["rows"], wrong)
                for row in item["rows"]:
                    measure, value = row.get("measure"), None
                    if isinstance(measure, dict) and ("matrix" in measure or "matrix" in measure.get("of", {})) and item["item"] == "appendix-c":
                        value, kind = matrix_row(measure, files), "matrix"
                    elif isinstance(measure, dict) and paper["paper"] == "blending" and item["item"] == "appendix-c" and springs_row(measure, files) is not None:
                        value, kind = springs_row(measure, files), "springs"
                    elif isinstance(measure, dict) and ("bending" not in json.dumps(measure) or paper["paper"] == "blending"):
                        value, kind = computed(measure, files, known, folder), "bending" if "bending" in json.dumps(measure) else "column"
                    if value is not None:
                        counts[kind] += 1
                        precision = 1e-5 if kind == "bending" else 1e-7  # OBJ files have seven digits
                        if row["measured"] is None or not close(value, row["measured"], precision):
                            wrong.append(f"{paper['paper']} {item['item']}: {row['label']}: {row['measured']}, computed anew {value}")
                    verdict = verdict_of(row)
                    counts["verdict"] += verdict is not None
                    if verdict not in (None, row["verdict"]):
                        wrong.append(f"{paper['paper']} {item['item']}: {row['label']}: {row['verdict']}, judged anew: {verdict}")
    print("\n".join(wrong) or ", ".join(f"{n} by {kind}" for kind, n in counts.items()) + ": all the same")
    short = counts["matrix"] < 40 or counts["springs"] < 4 or counts["column"] < 10 / STRIDE or counts["bending"] < 10 or counts["fepr"] < 6 or counts["verdict"] < 40
    return 1 if wrong or short else 0


if __name__ == "__main__":
    sys.exit(main())
