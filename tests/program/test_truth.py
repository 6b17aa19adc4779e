#!/usr/bin/env python3
"""visviva truth: small steps, several starts. (Runs stand side by side: all cores.)

- one start has no deviation; several differ by little, and by nothing where they are not shifted
- a body that is thrown rises and turns as in closed form; a ball that falls onto the ground has apexes and restitution
- figures are sampled at the scene's own step, and are those of visviva run where the steps are the scene's own
- damping by a factor a step takes the same in all at smaller steps
- what is wrong: exit code 2, one message, nothing written; Ctrl-C leaves nothing behind

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ.get("VISVIVA", "")
FOLDER = pathlib.Path()
NUMBER = {"mean", "sd", "min", "max", "runs"}


def call(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER, timeout=300)


def cube(name, **more):
    """A small cube, two cells wide; other keys of the scene are given by name."""
    body = {"name": "cube", "material": {"model": "neo-hookean", "young": 1e5, **more.pop("material", {})},
            "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}}, **more.pop("body", {})}
    scene = {"visviva": 1, "name": name, "time": {"step": "1/60", "end": 0.5}, "bodies": [body], **more}
    (FOLDER / f"{name}.json").write_text(json.dumps(scene))
    return f"{name}.json"


def bouncing():
    return cube("bouncing", body={"place": {"translate": [0, 0.2, 0], "rotate": [3, 0, 2]}}, obstacles=[{"plane": {}}])


def truth(scene, *more):
    done = call("truth", scene, "--json", "truth.json", "--quiet", *more)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    assert done.stdout == "", done.stdout
    return json.loads((FOLDER / "truth.json").read_text())


def numbers(tree, path=""):
    """(path, spread) of every number in the tree of figures."""
    if isinstance(tree, dict) and set(tree) == NUMBER:
        yield path, tree
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield from numbers(value, f"{path}.{key}")
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from numbers(value, f"{path}.{index}")


class Starts(unittest.TestCase):
    def test_one_start_has_no_deviation(self):
        result = truth(bouncing(), "--runs", 1, "--substeps", 3)
        self.assertEqual((result["runs"], result["done"], len(result["each"])), (1, 1, 1))
        found = list(numbers(result["figures"]))
        self.assertGreater(len(found), 60)
        for path, spread in found:
            self.assertIn(spread["sd"], (0, None), path)
            self.assertEqual(spread["min"], spread["max"], path)

    def test_several_starts_differ_by_little(self):
        result = truth(bouncing(), "--runs", 3, "--substeps", 3)
        self.assertEqual((result["runs"], result["done"], len(result["each"])), (3, 3, 3))
        height = result["figures"]["bodies"][0]["apexes"][0]["height"]
        self.assertGreater(height["sd"], 0)
        self.assertLess(height["sd"], 1e-3)
        self.assertLessEqual(height["min"], height["mean"])
        self.assertLessEqual(height["mean"], height["max"])
        values = [each["bodies"][0]["apexes"][0]["height"] for each in result["each"]]
        self.assertAlmostEqual(sum(values) / 3, height["mean"], delta=1e-9)
        again = truth(bouncing(), "--runs", 3, "--substeps", 3, "--jobs", 1)
        self.assertEqual(again["figures"]["energy"], result["figures"]["energy"])

    def test_starts_that_are_not_shifted_are_equal(self):
        result = truth(bouncing(), "--runs", 2, "--substeps", 2, "--shift", 0)
        for path, spread in numbers(result["figures"]["energy"]):
            self.assertEqual(spread["sd"], 0, path)

    def test_start_0_is_the_scenes_own(self):
        alone = truth(bouncing(), "--runs", 1, "--substeps", 2)
        several = truth(bouncing(), "--runs", 2, "--substeps", 2, "--shift", 1e-4)
        self.assertEqual(alone["each"][0]["energy"], several["each"][0]["energy"])
        self.assertNotEqual(alone["each"][0]["energy"], several["each"][1]["energy"])

    def test_shift_is_as_long_as_asked(self):
        """In a fall without contact the centre stays as far from start 0's as it began."""
        scene = cube("falling")
        result = truth(scene, "--runs", 3, "--substeps", 1, "--until", 0.1, "--shift", 1e-4, "--set", "gravity=[0,0,0]")
        ends = [each["bodies"][0]["centre_end"] for each in result["each"]]
        for k in range(3):
            far = sum((a - b) ** 2 for a, b in zip(ends[k], ends[0])) ** 0.5
            self.assertAlmostEqual(far, k * 1e-4, delta=1e-9)

    def test_held_nodes_stay_where_they_are(self):
        held = {"attach": [{"where": {"percent": [[0, 0, 0], [1, 100, 100]]}, "kind": "fixed"}]}
        result = truth(cube("held", body=held), "--runs", 3, "--substeps", 2, "--until", 0.1)
        self.assertEqual(result["figures"]["ledger"]["work"]["max"], 0)
        self.assertEqual(result["done"], 3)


class Figures(unittest.TestCase):
    def test_a_thrown_body_rises_and_turns_as_in_closed_form(self):
        """tr-bdf2 is exact for a constant force; the stiff cube turns as a rigid one."""
        scene = cube("thrown", material={"young": 1e8}, body={"velocity": {"linear": [0.3, 2, 0], "angular": [0, 0, 6.283185307]}})
        exact = truth(scene, "--runs", 1, "--substeps", 4, "--set", "integrator.scheme=tr-bdf2", "--set", "solver.tolerance=1e-8")
        body = exact["figures"]["bodies"][0]
        self.assertEqual((exact["each"][0]["scheme"], exact["each"][0]["policy"]), ("tr-bdf2", "none"))
        self.assertEqual(len(body["apexes"]), 1)
        self.assertAlmostEqual(body["apexes"][0]["height"]["mean"], 2 ** 2 / (2 * 9.8), delta=1e-6)
        self.assertAlmostEqual(body["apexes"][0]["time"]["mean"], 2 / 9.8, delta=1e-6)
        self.assertAlmostEqual(body["turns"]["mean"], 0.5, delta=2e-3)
        self.assertEqual(body["restitution"], [None])  # it did not fall before
        rough = truth(scene, "--runs", 1, "--substeps", 20)["figures"]["bodies"][0]["apexes"][0]["height"]["mean"]
        self.assertAlmostEqual(rough, 2 ** 2 / (2 * 9.8), delta=2e-3)

    def test_visible_energy_of_a_thrown_body(self):
        scene = cube("drifting", material={"young": 1e8}, gravity=[0, 0, 0],
                     body={"velocity": {"linear": [2, 0, 0], "angular": [0, 0, 1]}})
        result = truth(scene, "--runs", 1, "--substeps", 2, "--set", "solver.tolerance=1e-8")
        for part in ("second_half", "end"):
            seen = {key: value["mean"] for key, value in result["figures"]["energy"][part]["visible"].items()}
            self.assertAlmostEqual(seen["centre"], 0.5 * 1 * 4, delta=1e-6)
            self.assertAlmostEqual(seen["total"], seen["centre"] + seen["rotation"] + seen["deformation"], delta=1e-9)
            self.assertAlmostEqual(seen["rotation"], 0.5 * 0.0025, delta=1e-6)  # inertia of the lumped masses
            self.assertLess(seen["deformation"], 1e-5)

    def test_a_fall_has_apexes_and_restitution(self):
        body = truth(bouncing(), "--runs", 1)["figures"]["bodies"][0]
        first = body["apexes"][0]["height"]["mean"]
        self.assertGreater(first, 0.06)
        self.assertLess(first, 0.2)
        self.assertGreater(body["restitution"][0]["mean"], 0)
        self.assertLess(body["restitution"][0]["mean"], 1)
        self.assertEqual(len(body["apexes"]), len(body["restitution"]))

    def test_keys(self):
        result = truth(bouncing(), "--runs", 2, "--substeps", 4)
        self.assertEqual(list(result), ["scene", "content", "substeps", "time_step", "frame", "until", "shift", "runs", "done", "figures", "each"])
        self.assertAlmostEqual(result["frame"], 1 / 60, delta=1e-12)
        self.assertAlmostEqual(result["time_step"], 1 / 240, delta=1e-12)
        figures = result["each"][1]
        self.assertEqual(list(figures), ["status", "scheme", "policy", "time_step", "frame", "time_end", "energy", "ledger", "momentum",
                                         "min_gap", "min_J", "cost", "bodies"])
        parts = {"kinetic", "visible", "elastic", "contact", "gravity", "attachment", "joint", "total", "target"}
        self.assertEqual(set(figures["energy"]["second_half"]), parts)
        self.assertEqual(set(figures["energy"]["end"]), parts)
        self.assertEqual(set(figures["energy"]["end"]["visible"]), {"total", "centre", "rotation", "deformation"})
        self.assertEqual(set(figures["bodies"][0]), {"name", "apexes", "climb", "restitution", "turns", "centre_end", "visible"})
        self.assertEqual(figures["cost"]["steps"], 120)
        self.assertEqual(figures["cost"]["failed_steps"], 0)
        self.assertAlmostEqual(figures["cost"]["newton_per_frame"], 4 * figures["cost"]["newton_per_step"], delta=1e-9)

    def test_same_as_visviva_run(self):
        """One step a frame: the scene's own run, whose summary says the same."""
        scene = bouncing()
        result = truth(scene, "--runs", 1, "--substeps", 1, "-o", "starts")["each"][0]
        done = call("run", scene, "--set", "integrator.policy=search", "-o", "run.vtkhdf", "--summary", "run-summary.json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = json.loads((FOLDER / "run-summary.json").read_text())
        for key in ("kinetic", "elastic", "contact", "total"):
            self.assertAlmostEqual(result["energy"]["end"][key], summary["energy"]["end"][key], delta=1e-10)
        self.assertAlmostEqual(result["ledger"]["mean_target_error"], summary["energy"]["mean_target_error"], delta=1e-10)
        self.assertEqual(result["cost"]["newton_iterations"], summary["newton_iterations"])
        rows = []
        for name in ("run", "starts/start-0"):
            self.assertEqual(call("export", f"{name}.vtkhdf", "-o", f"{name}.csv").returncode, 0)
            rows.append((FOLDER / f"{name}.csv").read_text())
        self.assertEqual(rows[0], rows[1])

    def test_a_factor_a_step_damps_the_same_in_all(self):
        shaken = {"start": [{"stretch": {"factor": [1.3, 1, 1]}}]}
        scene = cube("shaken", gravity=[0, 0, 0], body=shaken, material={"damping": {"momentum_per_step": 0.001}})
        lost = [truth(scene, "--runs", 1, "--substeps", n, "--until", 0.02, "--set", "integrator.scheme=bdf2", "--set", "time.step=1/4000")
                ["figures"]["ledger"]["damping"]["mean"] for n in (1, 10)]
        self.assertGreater(lost[0], 0)
        self.assertAlmostEqual(lost[1] / lost[0], 1, delta=0.1)


class Converged(unittest.TestCase):
    """--converge: figures that say how far off they are."""

    K, G, M = 40.0, 9.8, 1.0

    def scene(self, name="swing", **more):
        """A point on a spring that is let go: y = (cos wt - 1) m g / k, back at its start after each period."""
        scene = {"visviva": 1, "name": name, "gravity": [0, -self.G, 0], "time": {"step": 0.05, "end": 2.2}, "contact": {"model": "none"},
                 "solver": {"tolerance": 1e-10}, **more,
                 "bodies": [{"name": "point", "material": {"model": "free", "density": self.M}, "mesh": {"grains": {"count": [1, 1, 1], "jitter": 0}},
                             "attach": [{"where": {"all": True}, "kind": "spring", "stiffness": self.K}]}]}
        (FOLDER / f"{name}.json").write_text(json.dumps(scene))
        return f"{name}.json"

    def converge(self, *arguments, code=0):
        done = call("truth", *arguments, "--converge", "--runs", 2, "--substeps", 1, "--json", "converged.json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done, json.loads((FOLDER / "converged.json").read_text()) if code == 0 else None

    def test_errors_hold(self):
        done, result = self.converge(self.scene(), "--part", 0.002)
        self.assertTrue(result["settled"])
        figures = {figure["path"]: figure for figure in result["figures"]}
        period = 2 * math.pi / math.sqrt(self.K / self.M)
        fall = 2 * self.M * self.G / self.K
        for apex in ("bodies.0.apexes.0.height", "bodies.0.apexes.1.height"):
            self.assertAlmostEqual(figures[apex]["value"], 0, delta=figures[apex]["error"])
            self.assertLess(figures[apex]["error"], 0.002 * fall)
        self.assertAlmostEqual(figures["bodies.0.apexes.0.time"]["value"], period, delta=figures["bodies.0.apexes.0.time"]["error"])
        self.assertLess(figures["bodies.0.apexes.0.time"]["error"], 0.002 * period)
        elastic = figures["energy.second_half.attachment"]  # k/2 (m g / k)^2 (1 - cos)^2, over whole periods 3/2
        self.assertAlmostEqual(elastic["value"], 0.75 * (self.M * self.G) ** 2 / self.K, delta=0.2 * elastic["value"])
        for figure in result["figures"]:
            self.assertTrue(figure["settled"], figure)
            self.assertLessEqual(abs(figure["search"] - figure["tr_bdf2"]), 1.000001 * figure["error"] + 1e-12, figure)
        steps = [level["substeps"] for level in result["levels"]]
        self.assertEqual(steps, [2 ** k for k in range(len(steps))])
        self.assertIn(f"h/{steps[-1]} ", done.stdout)
        self.assertIn("figures have settled", done.stdout)
        self.assertNotIn("  not settled", done.stdout)

    def test_the_cap(self):
        """What has not settled when time is up has the error that was reached."""
        done, result = self.converge(self.scene(), "--part", 1e-8, "--cap", 1)
        self.assertFalse(result["settled"])
        self.assertIn("not converged", done.stderr)
        self.assertIn("not settled", done.stdout)
        self.assertLess(result["processor"], 3)
        time_of = next(figure for figure in result["figures"] if figure["path"] == "bodies.0.apexes.0.time")
        self.assertAlmostEqual(time_of["value"], 2 * math.pi / math.sqrt(self.K / self.M), delta=max(time_of["error"], 1e-6))

    def test_it_goes_on_from_what_is_kept(self):
        scene = self.scene(time={"step": "1/21", "end": "1/3"})  # a step that has no end as a decimal number
        _, first = self.converge(scene, "--part", 0.02, "--keep", "kept")
        times = {path.name: path.stat().st_mtime_ns for path in (FOLDER / "kept").iterdir()}
        self.assertEqual(len(times), 6 * len(first["levels"]))
        done, second = self.converge(scene, "--part", 0.002, "--keep", "kept")
        self.assertGreater(len(second["levels"]), len(first["levels"]))
        for level, again in zip(first["levels"], second["levels"]):
            self.assertEqual(level, again)
        for name, written in times.items():
            self.assertEqual((FOLDER / "kept" / name).stat().st_mtime_ns, written, name)
        done, _ = self.converge(self.scene(gravity=[0, -5, 0]), "--keep", "kept", code=2)
        self.assertIn("another scene", done.stderr)

    def test_what_is_wrong(self):
        for words, *arguments in [("cannot be combined with it", "--set", "integrator.scheme=bdf2"), ("writes no run files", "-o", "runs"),
                                  ("out of range", "--part", 0)]:
            done = call("truth", self.scene(), "--converge", *arguments)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn(words, done.stderr)


class Program(unittest.TestCase):
    def test_table(self):
        done = call("truth", bouncing(), "--runs", 2, "--substeps", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("policy search, h/2 =", "deviation", "kinetic, booked", "kinetic, visible", "of deformation", "apex 1",
                      "restitution 1", "turns", "mean |H - T| / S", "Newton iterations a step", "steps failed"):
            self.assertIn(words, done.stdout)

    def test_what_is_wrong(self):
        scene = bouncing()
        for words, *arguments in [("an argument is missing",), ("out of range", scene, "--runs", 0), ("out of range", scene, "--substeps", 0),
                                  ("needs a number", scene, "--shift", "far"), ("did you mean \"search\"", scene, "--set",
                                  "integrator.policy=serch"), ("cannot open", "absent.json"), ("starts inside obstacle", scene, "--set",
                                  "bodies[0].place.translate=[0,0,0]"), ("would overwrite the scene", scene, "--json", scene),
                                  ("does not go with scheme", scene, "--set", "integrator.scheme=bdf2", "--set", "integrator.policy=search")]:
            done = call("truth", *arguments, *(["-o", "nothing"] if "--json" not in arguments else []))
            self.assertEqual(done.returncode, 2, f"{arguments}: {done.stderr}")
            self.assertIn(words, done.stderr)
        self.assertFalse((FOLDER / "nothing" / "start-0.vtkhdf").exists())

    def test_a_step_that_fails(self):
        """Implicit midpoint cannot keep a stiff cube that is stretched far: the run's status says where it ended."""
        scene = cube("failing", obstacles=[{"plane": {}}], body={"place": {"translate": [0, 0.06, 0]}, "velocity": {"linear": [0, -60, 0]}})
        done = call("truth", scene, "--runs", 2, "--substeps", 1, "--json", "failed.json", "--set", "integrator.scheme=implicit-midpoint")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("did not reach the end; that from start 0 stopped at t =", done.stderr)
        result = json.loads((FOLDER / "failed.json").read_text())
        self.assertEqual(result["done"], 0)
        self.assertIn("stopped at t =", result["each"][0]["status"])
        self.assertEqual(result["each"][0]["cost"]["failed_steps"], 1)

    def test_interrupted(self):
        """Children end with their parent, and nothing stays in the temporary folder."""
        scene, temporary = bouncing(), FOLDER / "temporary"
        temporary.mkdir()
        process = subprocess.Popen([PROGRAM, "truth", scene, "--runs", "2", "--until", "1000"], cwd=FOLDER, text=True,
                                   env=dict(os.environ, TMPDIR=str(temporary)), stderr=subprocess.PIPE)
        for _ in range(300):
            if list(temporary.glob("*/*.progress")):
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("interrupted", said)
        self.assertEqual(list(temporary.iterdir()), [])


if __name__ == "__main__":
    if not os.access(PROGRAM, os.X_OK):
        print("test_truth: skipped, no program in $VISVIVA")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        unittest.main(verbosity=2)
