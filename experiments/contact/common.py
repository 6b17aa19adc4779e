"""Runs the program and reads what it wrote: summaries and ledgers."""
import csv
import json
import math
import os
import resource
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

METHODS = {
    "backward-euler": ["integrator.scheme=backward-euler", "integrator.policy=none"],
    "bdf2": ["integrator.scheme=bdf2", "integrator.policy=none"],
    "a1": ["integrator.scheme=backward-euler", "integrator.policy=a1"],
    "search": ["integrator.scheme=backward-euler", "integrator.policy=search"],
    "filtered-search": ["integrator.scheme=backward-euler", "integrator.policy=filtered-search"],
}
# what only these aim at; the others need no ground level
AIMING = ("search", "filtered-search")
PLAIN = ["integrator.decay_time=null", "integrator.start_fraction=1", "integrator.ground_energy=none"]


def program():
    return os.environ.get("VISVIVA", os.path.join(ROOT, "build", "visviva"))


def scene_path(name):
    own = os.path.join(HERE, name + ".json")
    return own if os.path.exists(own) else os.path.join(ROOT, "scenes", name + ".json")


class Run:
    """One finished run: the summary (None where the program gave none), the ledger's columns, how it ended, and the processor
    time it took (s, of all threads: what other programs do beside it changes it little)."""

    def __init__(self, summary, ledger, code, message, cpu):
        self.summary, self.ledger, self.code, self.message, self.cpu = summary, ledger, code, message, cpu


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_ledger(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    columns = {}
    for k, name in enumerate(rows[0]):
        columns[name.split(" [")[0]] = [float(row[k]) for row in rows[1:]]
    return columns


def simulate(scene, method, sets=(), until=None, ledger=False, threads=None):
    """A run in a temporary folder; a step that leaves an intersection (exact test) fails it."""
    all_sets = ["contact.check_intersections=true"] + METHODS[method] + ([] if method in AIMING else PLAIN) + list(sets)
    with tempfile.TemporaryDirectory(prefix="visviva-contact-") as folder:
        out, summary, table = (os.path.join(folder, n) for n in ("run.vtkhdf", "run.json", "run.csv"))
        command = [program(), "run", scene_path(scene), "-o", out, "--summary", summary, "--quiet"]
        for value in all_sets:
            command += ["--set", value]
        if until is not None:
            command += ["--until", repr(until)]
        if threads is not None:
            command += ["--threads", str(threads)]
        before = children_seconds()
        done = subprocess.run(command, capture_output=True, text=True)
        cpu = children_seconds() - before
        data = columns = None
        if os.path.exists(summary):
            with open(summary) as file:
                data = json.load(file)
        if ledger and os.path.exists(out):
            subprocess.run([program(), "export", out, "-o", table, "--quiet"], check=True, capture_output=True)
            columns = read_ledger(table)
        return Run(data, columns, done.returncode, (done.stderr or done.stdout).strip(), cpu)


def numbers(value):
    """All numbers of a JSON value."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from numbers(member)
    elif isinstance(value, list):
        for member in value:
            yield from numbers(member)


def faults(run):
    """What is wrong with a run that must be free of intersections and inversions: a list of words, empty where nothing is."""
    if run.summary is None:
        return [run.message.splitlines()[-1] if run.message else "ended with code %d" % run.code]
    s, wrong = run.summary, []
    if run.code != 0 or s["status"] != "done":
        wrong.append(s["status"] if s["status"] != "done" else "code %d" % run.code)
    if s["intersections"]:
        wrong.append("%d intersections" % s["intersections"])
    if s["min_J"] is not None and not s["min_J"] > 0:
        wrong.append("J = %g" % s["min_J"])
    if s["min_gap"] is not None and not s["min_gap"] > 0:
        wrong.append("gap %g m" % s["min_gap"])
    if any(not math.isfinite(x) for x in numbers(s)):
        wrong.append("not finite")
    return wrong


def table(head, rows):
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
