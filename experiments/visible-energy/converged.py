"""Truths that say how good they are: made by `visviva truth --converge`, kept as files of truths/ with the error of each figure."""
import json
import math
import os
import signal
import subprocess

from common import HERE, Result, program, scene_path

FOLDER = os.path.join(HERE, "truths")


class Converged(Result):
    """The file as a result: means over both witnesses at their finest step, in their place the figures with an error where there are some."""

    def __init__(self, path):
        with open(path) as file:
            self.file = json.load(file)
        finest = self.file["levels"][-1]
        figures = merge(finest["search"], finest["tr_bdf2"])
        data = {"figures": figures, "each": [], "marks": [], "runs": self.file["runs"], "wall": self.file["processor"], "until": self.file["until"],
                "done": figures["time_end"]["runs"]}
        super().__init__(data, [])
        for figure in self.file["figures"]:
            node = self.find(figure["path"])
            if isinstance(node, dict) and figure["value"] is not None:
                node.update(mean=figure["value"], error=figure["error"], settled=figure["settled"])

    def apexes(self, body=0):
        """(height, error) of its apexes in the order of time, as far as they are kept."""
        found = []
        for k in range(len(self.figures["bodies"][body]["apexes"])):
            path = "bodies.%d.apexes.%d.height" % (body, k)
            if self.mean(path, "runs") < self.done:
                break
            found.append((self.mean(path), error_of(self.find(path))))
        return found


def error_of(node):
    """Of the mean: what the file says, or else how far its witnesses are apart, or chance."""
    if "error" in node:
        return node["error"]
    chance = node["sd"] / math.sqrt(node["runs"]) if node["runs"] > 1 else 0
    return max(2 * chance, node.get("apart", 0))


def merge(a, b):
    """The trees of two witnesses as one: the mean of means, the larger deviation."""
    if isinstance(a, dict) and isinstance(b, dict):
        if "mean" not in a:
            return {key: merge(a[key], b[key]) for key in a if key in b}
        if a["mean"] is None or b["mean"] is None:
            return dict(a if b["mean"] is None else b, runs=0)
        return {"mean": (a["mean"] + b["mean"]) / 2, "sd": max(a["sd"], b["sd"]), "min": min(a["min"], b["min"]), "max": max(a["max"], b["max"]),
                "runs": min(a["runs"], b["runs"]), "apart": abs(a["mean"] - b["mean"])}
    if isinstance(a, list) and isinstance(b, list):
        return [merge(x, y) for x, y in zip(a, b)]
    return a


def path_of(name, folder=FOLDER):
    return os.path.join(folder, name + ".json")


def load(name, folder=FOLDER):
    """None: there is none."""
    return Converged(path_of(name, folder)) if os.path.exists(path_of(name, folder)) else None


def is_enough(truth, cap, starts):
    """Nothing is gained by making it again: it has settled, or has had as much time; None: there is none."""
    return truth is not None and truth.file["runs"] >= starts and (truth.file["settled"] or truth.file["cap"] >= cap)


def command(scene, sets, until, to, keep, starts=8, substeps=2, cap=21600, jobs=0):
    words = [program(), "truth", scene_path(scene), "--converge", "--runs", starts, "--substeps", substeps, "--until", repr(until), "--cap", cap,
             "--jobs", jobs, "--keep", keep, "--json", to]
    for value in sets:
        words += ["--set", value]
    return [str(word) for word in words]


def make(words, minutes=None):
    """Runs it; what it has done after so many minutes is kept, and the next call goes on from there. True: it is there."""
    with subprocess.Popen(words) as process:
        try:
            process.wait(timeout=60 * minutes if minutes else None)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.wait()
            return False
    if process.returncode != 0:
        raise RuntimeError("%s: exit code %d" % (" ".join(words), process.returncode))
    return True
