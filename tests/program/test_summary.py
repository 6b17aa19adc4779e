#!/usr/bin/env python3
"""The energies of a run's summary and of its table, against the ledger that CSV holds: those booked, and those that positions show,
at the start, at the end, and in the mean. A run that is interrupted and resumed has the same, to the last digit.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("VISVIVA", "")
PARTS = ("centre", "rotation", "deformation")
SCENE = {
    "visviva": 1, "name": "two boxes",
    "time": {"step": "1/60", "end": 0.4, "record_every": 3},
    "integrator": {"scheme": "backward-euler", "policy": "search"},
    "materials": {"jelly": {"model": "fixed-corotated", "young": 2e4, "poisson": 0.3, "density": 1000}},
    "bodies": [{"name": name, "material": "jelly", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}},
                "place": {"translate": [x, 0.3, 0], "rotate": [0, 30, 10]},
                "velocity": {"linear": [0, -1, 0], "angular": [0, 0, 3]}} for name, x in (("a", 0), ("b", 1))],
    "obstacles": [{"plane": {"normal": [0, 1, 0]}}],
}


def call(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, f"visviva {' '.join(arguments)}: {done.stderr}"
    return done.stdout


def read_rows(run):
    call("export", run, "-q", "-f", "csv", "-o", "rows.csv")
    with open("rows.csv", newline="") as file:
        return [{name.split(" [")[0]: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def read_summary(path):
    with open(path) as file:
        return json.load(file)


class Summary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open("boxes.json", "w") as file:
            json.dump(SCENE, file)
        cls.said = call("run", "boxes.json", "-o", "boxes.vtkhdf", "--summary", "summary.json")
        cls.energy = read_summary("summary.json")["energy"]
        cls.rows = read_rows("boxes.vtkhdf")

    def near(self, a, b):
        self.assertAlmostEqual(a, b, delta=1e-10 * max(abs(a), abs(b)) + 1e-15)

    def test_start_and_end(self):
        for name, row in (("start", self.rows[0]), ("end", self.rows[-1])):
            for column in ("kinetic", "elastic", "gravity", "contact", "total", "visible"):
                self.near(self.energy[name][column], row[column])
        for part in PARTS:
            self.near(self.energy["end"]["visible_parts"][part], self.rows[-1]["visible_" + part])

    def test_means(self):
        steps = self.rows[1:]
        self.near(self.energy["visible_mean"], sum(row["visible"] for row in steps) / len(steps))
        for part in PARTS:
            self.near(self.energy["visible_mean_parts"][part], sum(row["visible_" + part] for row in steps) / len(steps))

    def test_columns_of_bodies(self):
        for row in self.rows:
            self.near(row["visible"], sum(row["visible_" + part] for part in PARTS))
            self.near(row["visible"], row["visible of a"] + row["visible of b"])
            for part in PARTS:
                self.near(row["visible_" + part], row[f"visible {part} of a"] + row[f"visible {part} of b"])

    def test_table(self):
        lines = {line.split("  ")[0]: line for line in map(str.strip, self.said.splitlines())}
        for name in ("kinetic", "visible", "of centres", "of rotation", "of deformation"):
            self.assertIn(name, lines, self.said)
        self.assertIn("positions show", self.said)

    def test_resumed(self):
        call("run", "boxes.json", "-q", "--until", "0.2", "-o", "cut.vtkhdf")
        call("run", "cut.vtkhdf", "--resume", "-q", "--until", "0.4", "--summary", "resumed.json")
        self.assertEqual(read_summary("resumed.json")["energy"], self.energy)
        for a, b in zip(read_rows("cut.vtkhdf"), self.rows, strict=True):
            self.assertEqual(str(a), str(b))  # NaN is not equal to itself


if __name__ == "__main__":
    if not PROGRAM:
        print("skipped: $VISVIVA does not name the program")
        sys.exit(77)
    PROGRAM = os.path.abspath(PROGRAM)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        code = not unittest.main(exit=False).result.wasSuccessful()
        os.chdir("/")
    sys.exit(code)
