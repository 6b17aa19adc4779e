#!/usr/bin/env python3
"""visviva spectrum: energies of runs in the modes of a body.

- a bar that starts in a mode has its energy there, and nowhere else, in table, CSV, JSON and for any selection of frames
- a body that spins and flies without vibrating shows next to nothing; kinetic energy of gravity's fall is in no mode
- several runs: each with its label, the modes found once; a damped run has less in high modes than one that keeps its energy
- the picture: PNG of the size asked for, with colours of the map; SVG; names with quotes do no harm
- what is wrong: exit code 2, one message, nothing written

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import csv
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("VISVIVA", "")
FOLDER = pathlib.Path()


def call(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER, timeout=300)


def run(name, *options, **scene):
    """A free bar of 6 x 2 x 2 cells without gravity, unless the scene says otherwise."""
    body = {"name": "bar", "material": {"model": "stvk", "young": 1e5}, "mesh": {"box": {"size": [0.3, 0.1, 0.08], "cells": [6, 2, 2]}},
            **scene.pop("body", {})}
    whole = {"visviva": 1, "name": name, "gravity": [0, 0, 0], "time": {"step": 1e-3, "end": 0.05},
             "integrator": {"scheme": "implicit-midpoint", "ground_energy": "none"}, "solver": {"tolerance": 1e-9}, "bodies": [body], **scene}
    (FOLDER / f"{name}.json").write_text(json.dumps(whole))
    made = call("run", f"{name}.json", "-o", f"{name}.vtkhdf", "--quiet", "--force", *options)
    assert made.returncode == 0, made.stderr
    return f"{name}.vtkhdf"


def read_csv(name):
    with (FOLDER / name).open() as file:
        return list(csv.DictReader(file))


class Spectrum(unittest.TestCase):
    def test_a_mode_is_a_mode(self):
        file = run("mode", body={"start": [{"mode": {"number": 5, "speed": 1e-4}}]})
        done = call("spectrum", file, "--modes", 20, "--csv", "out/mode.csv", "--json", "mode.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"most in mode 5 \([0-9.]+ Hz\) .* 100\.0%")
        self.assertIn("rigid motion is in none", done.stdout)
        found = json.loads((FOLDER / "mode.json").read_text())["runs"][0]
        self.assertEqual((found["body"], found["rigid"], len(found["energies"]), len(found["times"])), ("bar", 6, 20, 51))
        whole = found["energies"][4][0]
        for k, energies in enumerate(found["energies"] + [found["beyond"]]):
            for energy in energies:
                self.assertAlmostEqual(energy / whole, 1 if k == 4 else 0, delta=1e-3)
        rows = read_csv("out/mode.csv")
        self.assertEqual(len(rows), 51 * 21)
        self.assertEqual(list(rows[0]), ["run", "time", "mode", "frequency", "energy"])
        fifth = [r for r in rows if r["mode"] == "5"]
        for row, time, energy in zip(fifth, found["times"], found["energies"][4]):
            self.assertAlmostEqual(float(row["time"]), time)
            self.assertAlmostEqual(float(row["energy"]), energy)
            self.assertAlmostEqual(float(row["frequency"]), found["frequencies"][4], delta=1e-6)
        self.assertEqual({r["frequency"] for r in rows if r["mode"] == "beyond"}, {""})
        picked = call("spectrum", file, "--modes", 5, "--from", 0.01, "--until", 0.02, "--every", 5, "--json", "part.json", "-q")
        part = json.loads((FOLDER / "part.json").read_text())["runs"][0]
        self.assertEqual((picked.stdout, len(part["times"])), ("", 3))
        self.assertEqual(part["energies"][4], found["energies"][4][10:21:5])

    def test_rigid_motion_is_in_none(self):
        file = run("spin", "--set", "gravity=[0,-9.8,0]", body={"velocity": {"linear": [3, 2, 1], "angular": [2, 1, -1.5]}, "place": {"rotate": [20, 50, 70]}})
        call("spectrum", file, "--modes", 30, "--json", "spin.json")
        found = json.loads((FOLDER / "spin.json").read_text())["runs"][0]
        info = json.loads(call("info", file, "--json").stdout)
        kinetic = info["energy_start"]["kinetic"]
        self.assertLess(found["beyond"][0] + sum(e[0] for e in found["energies"]), 1e-12 * kinetic)
        self.assertLess(max(sum(e[f] for e in found["energies"]) + found["beyond"][f] for f in range(51)), 1e-3 * kinetic)

    def test_runs_side_by_side(self):
        start = {"start": [{"stretch": {"factor": [1.05, 1, 1]}}]}
        keeps = run("keeps", body=start)
        loses = run("loses", "--set", "integrator.scheme=backward-euler", body=start)
        done = call("spectrum", keeps, loses, "--modes", 100, "--label", "it's \"kept\"", "--json", "two.json", "--csv", "two.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        two = json.loads((FOLDER / "two.json").read_text())["runs"]
        self.assertEqual([r["label"] for r in two], ["it's \"kept\"", "loses: Backward Euler"])
        self.assertEqual(two[0]["frequencies"], two[1]["frequencies"])
        ends = [sum(e[-1] for e in r["energies"]) + r["beyond"][-1] for r in two]
        starts = [sum(e[0] for e in r["energies"]) + r["beyond"][0] for r in two]
        self.assertAlmostEqual(starts[0], starts[1], delta=1e-9 * starts[0])
        self.assertLess(ends[1], 0.6 * ends[0])
        names = {r["run"] for r in read_csv("two.csv")}
        self.assertEqual(names, {"it's \"kept\"", "loses: Backward Euler"})
        top = call("spectrum", keeps, "--modes", 3, "--highest", "--json", "top.json")
        self.assertEqual(top.returncode, 0)
        top = json.loads((FOLDER / "top.json").read_text())["runs"][0]
        self.assertGreater(top["frequencies"][0], two[0]["frequencies"][-1])

    def test_pictures(self):
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        file = run("picture", body={"name": "b'a\"r", "start": [{"mode": {"number": 2, "speed": 0.1}}]})
        done = call("spectrum", file, file, "--modes", 40, "--plot", "out/a.png", "--width", 800, "--title", "it's \\a 'test'")
        self.assertEqual(done.returncode, 0, done.stderr)
        data = (FOLDER / "out/a.png").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">I", data[16:20])[0], 800)
        self.assertGreater(len(data), 10000)
        self.assertIn("out/a.png", done.stdout)
        done = call("spectrum", file, "--modes", 40, "--plot", "a.svg")
        text = (FOLDER / "a.svg").read_text()
        for word in ("frequency (Hz)", "time (s)", "energy in a mode (J)", "beyond", "picture: energy in the modes of"):
            self.assertIn(word.split()[0], text)
        self.assertGreater(len(text), 5000)

    def test_what_is_wrong(self):
        file = run("wrong")
        bytes_before = (FOLDER / file).read_bytes()
        for options, says in ((["--body", "baar"], 'did you mean "bar"'), (["--modes", "0"], "--modes"), (["--plot", "x.pdf"], ".png or .svg"),
                              (["--from", "3", "--until", "2"], "not before"), (["--from", "3"], "no frame from t = 3"),
                              (["--csv", file], "overwrite the run")):
            done = call("spectrum", file, *options)
            self.assertEqual(done.returncode, 2, (options, done.stderr))
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stderr.count("visviva: "), 1, done.stderr)
        self.assertEqual((FOLDER / file).read_bytes(), bytes_before)
        done = call("spectrum", "none.vtkhdf")
        self.assertEqual(done.returncode, 2)
        (FOLDER / "file").write_text("")
        done = call("spectrum", file, "--csv", "file/x.csv")
        self.assertIn(done.returncode, (1, 2))
        self.assertNotEqual(done.stderr, "")
        points = {"name": "sand", "material": {"model": "free", "density": 1e-3}, "thickness": 0.001, "mesh": {"grains": {"count": [2, 2, 2]}}}
        sand = run("sand", bodies=[points], contact={})
        self.assertIn("no body that could vibrate", call("spectrum", sand).stderr)


if __name__ == "__main__":
    if not PROGRAM:
        print("test_spectrum: VISVIVA is not set: skipped")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        unittest.main(verbosity=0)
