"""Runs a case under a method from several starts, and keeps what was measured.

What is kept lies in a folder (out/visible-energy, not in git), a file for each case and method: the figures of `visviva truth --json`,
and for each start the ledger at the scene's own steps and a few numbers of all its rows. It is found again by the scene's text, the
overrides, the end, the number of starts and, except for truth, the program: of filtered search its bits, else its version."""
import csv
import glob
import gzip
import hashlib
import json
import math
import os
import subprocess
import tempfile
import time

from cases import OURS, PLAIN

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SUMS = ("work", "friction", "damping", "decay", "error", "newton_iterations")  # a row's own; kept as sums since the start


def program():
    return os.environ.get("VISVIVA", os.path.join(ROOT, "build", "visviva"))


def scene_path(name):
    own = os.path.join(HERE, "scenes", name + ".json")
    return own if os.path.exists(own) else os.path.join(ROOT, "scenes", name + ".json")


def scene_content(path):
    """What is simulated: the scene and those that it extends, without words for the reader."""
    with open(path) as file:
        scene = json.load(file)
    base = scene.get("extends")
    scene.pop("description", None)
    integrator = scene.get("integrator", {})
    if "policy" in integrator:
        integrator["policy"] = "search"  # runs name theirs: which one the file has makes no difference
    aims = "decay_time" in integrator or "start_fraction" in integrator
    if not aims and not isinstance(integrator.get("ground_energy", ""), str):
        del integrator["ground_energy"]  # it only scales errors
        if not integrator:
            del scene["integrator"]
    return (scene_content(os.path.join(os.path.dirname(path), base)) if base else []) + [scene]


def digest(*parts):
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def program_mark(method):
    """What of the program counts: of filtered search every bit."""
    if method == "truth":
        return ""
    if method != OURS:
        return subprocess.run([program(), "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    with open(program(), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:12]


def call(arguments, may_fail=False):
    done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0 and not may_fail:
        raise RuntimeError("%s: %s" % (" ".join(map(str, arguments[:2])), (done.stderr or done.stdout).strip().splitlines()[-1:]))
    return done


# ---- ledgers -----------------------------------------------------------------------------------------------------------


def read_rows(path):
    with open(path, newline="") as file:
        rows = csv.reader(file)
        names = [name.split(" [")[0] for name in next(rows)]
        wanted = [k for k, name in enumerate(names) if " of " not in name]
        return [names[k] for k in wanted], [[float(row[k]) for k in wanted] for row in rows]


def off(columns, name, scale):
    """Largest distance of a vector's columns from the start's, as a part of `scale`."""
    parts = [columns[name + axis] for axis in ("_x", "_y", "_z")]
    worst = max(math.sqrt(sum((p[i] - p[0]) ** 2 for p in parts)) for i in range(len(parts[0])))
    return worst / scale if scale > 0 else None


def start_size(columns, name):
    return math.sqrt(sum(columns[name + axis][0] ** 2 for axis in ("_x", "_y", "_z")))


def measure_ledger(path, every):
    """Columns at every `every`-th row, with sums of what belongs to single rows, and a few numbers of all rows."""
    names, rows = read_rows(path)
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    for name in SUMS:
        total, sums = 0.0, []
        for value in columns[name]:
            total += value if math.isfinite(value) else 0
            sums.append(total)
        columns[name] = sums
    touching = [i for i, e in enumerate(columns["contact"]) if e > 0]
    errors = [abs(h - t) / s for h, t, s in zip(columns["total"], columns["target"], columns["scale"]) if s > 0]
    marks = {
        "rows": len(rows),
        "first_contact": columns["time"][touching[0]] if touching else None,
        "momentum_off": off(columns, "momentum", start_size(columns, "momentum")),
        "angular_off": off(columns, "angular_momentum", start_size(columns, "angular_momentum")),
        "angular_centre_off": off(columns, "angular_momentum_centre", start_size(columns, "angular_momentum_centre")),
        "errors": [sum(part) / len(part) for part in chunks(errors, 10) if part],
        "above": max([(h - t) / s for h, t, s in zip(columns["total"], columns["target"], columns["scale"]) if s > 0], default=None),
    }
    kept = {name: [float("%.9g" % x) for x in values[::every]] for name, values in columns.items()}
    return kept, marks


def chunks(values, count):
    return [values[len(values) * k // count:len(values) * (k + 1) // count] for k in range(count)]


# ---- measurements ------------------------------------------------------------------------------------------------------


class Result:
    """The figures of all starts, the trees of each, and their ledgers."""

    def __init__(self, data, ledgers):
        self.data, self.ledgers = data, ledgers
        self.figures, self.each, self.marks = data["figures"], data["each"], data["marks"]
        self.starts, self.done, self.wall = data["runs"], data["done"], data["wall"]

    def find(self, path):
        node = self.figures
        for part in path.split("."):
            if isinstance(node, list):
                node = node[int(part)] if int(part) < len(node) else None
            else:
                node = node.get(part) if isinstance(node, dict) else None
            if node is None:
                return None
        return node

    def mean(self, path, which="mean"):
        node = self.find(path)
        value = node.get(which) if isinstance(node, dict) else None
        return math.nan if value is None else value


class Store:
    """Results in a folder. `fresh`: methods that are run again; `quick`: few steps of everything; `truths`: of a scene's name, its truth with
    errors or None, in place of that of h / 20."""

    def __init__(self, folder, starts, jobs, substeps=20, shift=1e-6, fresh=(), say=print, quick=False, truths=None):
        self.folder, self.starts, self.jobs, self.substeps, self.shift = folder, starts, jobs, substeps, shift
        self.fresh, self.say, self.quick, self.done = fresh, say, quick, set()
        self.ends, self.truths = {}, truths

    def path(self, case, method, sets, until, starts):
        content = scene_content(scene_path(case.scene))
        if case.file_end is not None:
            content[-1]["time"]["end"] = case.file_end
        key = digest(content, sets, until, self.shift, self.substeps if method == "truth" else 1, program_mark(method))
        return os.path.join(self.folder, case.name, "%s-%s-n%d.json" % (method, key, starts))

    def find(self, case, method, extra=(), until=None, starts=None, may_run=True):
        """The result, of as many starts or more; where nothing may be run, of fewer, too, and None without any. `extra`: further
        overrides."""
        whole = until is None
        until = until or self.end(case, may_run)
        if until is None:
            return None
        if method == "truth" and whole and not extra and self.truths and self.truths(case.name):
            return checked(self.truths(case.name), case, until)
        sets = case.sets + PLAIN + list(extra)
        if method != "truth":
            sets += ["integrator.scheme=backward-euler", "integrator.policy=" + method, "contact.check_intersections=true"]
        starts = starts or self.starts
        path = self.path(case, method, sets, until, starts)
        again = method in self.fresh and path not in self.done
        if may_run and (again or self.most(path) < starts):
            self.run(case, method, sets, until, starts, path)
        self.done.add(path)
        most = self.most(path)
        return load(path[:path.rindex("-n")] + "-n%d.json" % most) if most else None

    @staticmethod
    def most(path):
        """Starts of the largest such result that is kept; 0: none."""
        stem = path[:path.rindex("-n") + 2]
        return max((int(found[len(stem):-len(".json")]) for found in glob.glob(glob.escape(stem) + "*.json")), default=0)

    def end(self, case, may_run=True):
        """Of its runs, s."""
        if self.quick:
            return 24 * case.step
        if case.until is not None:
            return case.until
        if case.name not in self.ends:
            path = os.path.join(self.folder, case.name, "first-contact.json")
            if os.path.exists(path):
                with open(path) as file:
                    self.ends[case.name] = json.load(file)
            elif may_run:
                self.ends[case.name] = self.first_contact(case, path)
            else:
                return None
        return self.ends[case.name]["until"]

    def note(self, group, about, make, may_run):
        """What `make` says about something, under the present program; None where it is not there and nothing may be run."""
        path = os.path.join(self.folder, group, digest(about, program_mark(OURS)) + ".json")
        if may_run and not os.path.exists(path):
            made = make()
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                json.dump(made, file)
        if not os.path.exists(path):
            return None
        with open(path) as file:
            return json.load(file)

    def first_contact(self, case, path):
        """When bodies that move first touch: the first step that ends with a barrier's energy where there was none before."""
        self.say("%s: when does it touch first?" % case.name)
        first = case.touches
        if first is None:
            probe = os.path.join(self.folder, case.name, "probe.json")
            self.run(case, "none", case.sets + PLAIN + ["integrator.scheme=backward-euler", "integrator.policy=none"], 0.8, 1, probe)
            first = load(probe).marks[0]["first_contact"]
        end = {"first": first, "until": round((first + 0.5) / case.step) * case.step}
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            json.dump(end, file)
        return end

    def run(self, case, method, sets, until, starts, path):
        substeps = self.substeps if method == "truth" else 1
        begin = time.time()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="visviva-visible-") as folder:
            figures = os.path.join(folder, "figures.json")
            arguments = ["truth", scene_path(case.scene), "--runs", starts, "--shift", self.shift, "--substeps", substeps, "--until", repr(until),
                         "--jobs", self.jobs, "--json", figures, "--quiet", "-o", folder]
            for value in sets + ["time.record_every=1000000"]:
                arguments += ["--set", value]
            done = call(arguments, may_fail=True)
            if not os.path.exists(figures):
                raise RuntimeError("%s, %s: %s" % (case.name, method, done.stderr.strip()))
            with open(figures) as file:
                data = json.load(file)
            ledgers, marks = [], []
            for k in range(starts):
                run, table = os.path.join(folder, "start-%d.vtkhdf" % k), os.path.join(folder, "ledger.csv")
                call(["export", run, "-o", table, "--quiet"])
                kept, mark = measure_ledger(table, substeps)
                ledgers.append(kept)
                marks.append(mark)
        data.update(case=case.name, method=method, sets=sets, marks=marks, wall=time.time() - begin, program=program_mark(method))
        with gzip.open(path + ".ledgers.gz.part", "wt") as file:
            json.dump(ledgers, file)
        os.replace(path + ".ledgers.gz.part", path + ".ledgers.gz")
        with open(path + ".part", "w") as file:
            json.dump(data, file)
        os.replace(path + ".part", path)
        self.say("%s, %s: %d of %d starts, %.0f s" % (case.name, method, data["done"], starts, data["wall"]))


def checked(truth, case, until):
    """A truth of another end or other frames is no truth of the case."""
    file = truth.file
    frame = file.get("frame", file["levels"][0]["time_step"] * file["levels"][0]["substeps"])
    if not math.isclose(file["until"], until, rel_tol=1e-9) or not math.isclose(frame, case.step, rel_tol=1e-6):
        raise RuntimeError("%s: the truth goes to %g s with frames of %g s, not to %g s with %g s" % (case.name, file["until"], frame, until, case.step))
    return truth


def load(path):
    with open(path) as file:
        data = json.load(file)
    with gzip.open(path + ".ledgers.gz", "rt") as file:
        return Result(data, json.load(file))


def table(head, rows):
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
