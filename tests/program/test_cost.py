#!/usr/bin/env python3
"""visviva compare --cost: error against truth over cost, a curve for each method over steps. (Runs stand side by side: all cores.)

- the error and its parts are what docs/comparing.md says, computed here from the figures of visviva truth and visviva compare
- what is in the CSV is not run again; kept figures serve another truth; --again runs all the same
- the command of a row makes the row again
- a method that fails, a run that is given up, and what --cap leaves out are marked, with the message
- what is wrong: exit code 2, one message, nothing written

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import csv
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("VISVIVA", "")
FOLDER = pathlib.Path()
COLUMNS = ["scene", "method", "set", "step", "until", "starts", "done", "error", "error_low", "error_high", "path", "elastic", "friction",
           "visible_centre", "visible_rotation", "visible_deformation", "truth_error", "newton_iterations", "processor", "peak_memory_mb",
           "status", "key", "truth", "build", "command"]
PARTS = ["path", "elastic", "friction", "visible_centre", "visible_rotation", "visible_deformation"]


def call(*arguments, **environment):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER, timeout=500, env=dict(os.environ, **environment))


def write_scene(name="cube.json", until=0.4, friction=0.2, **body):
    """A soft cube that falls on its edge and slides."""
    scene = {"visviva": 1, "name": "falling cube", "time": {"step": "1/60", "end": until},
             "contact": {"friction": friction},
             "materials": {"jelly": {"model": "neo-hookean", "young": 2e4, "damping": {"momentum_per_step": 0.02}}},
             "bodies": [dict({"name": "cube", "material": "jelly", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}},
                              "place": {"translate": [0, 0.15, 0], "rotate": [5, 0, 20]}, "velocity": {"linear": [0.5, 0, 0]}}, **body)],
             "obstacles": [{"plane": {}}]}
    (FOLDER / name).write_text(json.dumps(scene))
    return name


def write_truth(name="truth.json", substeps=16, runs=2):
    if not (FOLDER / name).exists():
        done = call("truth", write_scene(), "--runs", runs, "--substeps", substeps, "--shift", "1e-3", "--json", name, "--quiet")
        assert done.returncode == 0, done.stderr
    return name


def cost(folder, *arguments, code=0, quiet=True):
    done = call("compare", "--cost", write_scene(), "--truth", write_truth(), "-o", folder, *(["--quiet"] if quiet else []), *arguments)
    assert done.returncode == code, f"{done.returncode}: {done.stderr}"
    return done


def rows(folder):
    with open(FOLDER / folder / "cost.csv", newline="") as file:
        reader = csv.DictReader(file)
        found = list(reader)
    assert reader.fieldnames == COLUMNS, reader.fieldnames
    return found


def number(text):
    return float(text) if text else None


def without_seconds(row):
    return {key: value for key, value in row.items() if key not in ("processor", "peak_memory_mb")}


# ---- the error as docs/comparing.md has it -----------------------------------------------------------------------------------


def expected(truth, run):
    """Parts of the error of a run's figures (plain numbers) against those of visviva truth."""
    mean = lambda tree: tree["mean"]  # noqa: E731
    t, body, theirs = truth["figures"], run["bodies"][0], truth["figures"]["bodies"][0]
    seen = t["energy"]["second_half"]
    size = max(mean(seen["visible"]["total"]), mean(seen["elastic"]), abs(mean(t["ledger"]["friction"])), mean(t["energy"]["start"]["kinetic"]),
               mean(t["energy"]["start"]["elastic"]))
    off = []
    starts = t["time_end"]["runs"]
    for k in range(3):
        ours = body["apexes"][k]["height"] if k < len(body["apexes"]) else None
        wanted = theirs["apexes"][k]["height"] if k < len(theirs["apexes"]) and 2 * theirs["apexes"][k]["height"]["runs"] >= starts else None
        if ours is None and wanted is None:
            break
        ours = body["centre_end"][1] if ours is None else ours
        wanted = mean(theirs["centre_end"][1] if wanted is None else wanted)
        off.append(abs(ours - wanted) / mean(theirs["climb"]))
    assert off, "the cube should bounce"

    def energy(ours, wanted, whole):
        return abs(ours - mean(wanted)) / max(abs(mean(whole)), whole["sd"], 0.01 * size)

    half = run["energy"]["second_half"]
    parts = [sum(off) / len(off), energy(half["elastic"], seen["elastic"], seen["elastic"]),
             energy(run["ledger"]["friction"], t["ledger"]["friction"], t["ledger"]["friction"])]
    parts += [energy(half["visible"][p], seen["visible"][p], seen["visible"]["total"]) for p in ("centre", "rotation", "deformation")]
    return parts, (parts[0] + parts[1] + parts[2] + sum(parts[3:])) / 4


def figures(scheme, step, runs, damping):
    done = call("compare", write_scene(), "--with", scheme, "--runs", runs, "--set", f"time.step={step}", "--set",
                f"materials.jelly.damping.momentum_per_step={damping}", "--pictures", "none", "--json", "figures.json", "--quiet")
    assert done.returncode == 0, done.stderr
    return json.loads((FOLDER / "figures.json").read_text())["settings"][0]["each"]


class Errors(unittest.TestCase):
    def test_error_and_parts_at_the_scenes_own_step_and_above_it(self):
        """Above it the run is sampled at its own step; its damping factor is that of two steps."""
        cost("errors", "--with", "bdf2", "--steps", "1/60,1/30", "--starts", 3)
        truth = json.loads((FOLDER / "truth.json").read_text())
        for row, step, damping in zip(rows("errors"), ("1/30", "1/60"), (1 - 0.98**2, 0.02)):
            runs = figures("bdf2", step, 3, damping)
            found = [expected(truth, run) for run in runs]
            self.assertAlmostEqual(float(row["step"]), eval(step), delta=1e-9)
            for k, part in enumerate(PARTS):
                self.assertAlmostEqual(float(row[part]), sum(parts[k] for parts, _ in found) / 3, delta=1e-8, msg=part)
            totals = [total for _, total in found]
            self.assertAlmostEqual(float(row["error"]), sum(totals) / 3, delta=1e-8)
            self.assertAlmostEqual(float(row["error_low"]), min(totals), delta=1e-8)
            self.assertAlmostEqual(float(row["error_high"]), max(totals), delta=1e-8)
            self.assertGreater(max(totals), min(totals))
            self.assertAlmostEqual(float(row["newton_iterations"]), sum(run["cost"]["newton_iterations"] for run in runs) / 3, delta=1e-6)
            self.assertGreater(float(row["processor"]), 0)
            self.assertGreater(float(row["peak_memory_mb"]), 1)
            self.assertEqual((row["scene"], row["method"], row["starts"], row["done"], row["status"]), ("falling cube", "bdf2", "3", "3", "done"))
            self.assertEqual(row["set"], "integrator.scheme=bdf2;integrator.policy=none")

    def test_smaller_steps_are_sampled_as_the_truth_is(self):
        """The truth's own method with the truth's own step has no error, but for chance."""
        cost("own", "--with", "backward-euler+search", "--steps", "1/960,1/120", "--starts", 2, "--shift", "1e-3")
        coarse, fine = rows("own")
        self.assertLess(float(fine["error"]), 1.01 * float(fine["truth_error"]) + 1e-9)
        self.assertGreater(float(coarse["error"]), 5 * float(fine["error"]))

    def test_a_truth_that_converged(self):
        scene = write_scene("light.json", until=0.2)
        done = call("truth", scene, "--converge", "--runs", 2, "--substeps", 2, "--cap", 2, "--json", "converged.json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = call("compare", "--cost", scene, "--truth", "converged.json", "--with", "search", "--steps", "1/60,1/240", "-o", "light", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        truth = json.loads((FOLDER / "converged.json").read_text())
        elastic = next(f for f in truth["figures"] if f["path"] == "energy.second_half.elastic")
        done = call("compare", scene, "--with", "search", "--pictures", "none", "--json", "light-figures.json", "--quiet")
        ours = json.loads((FOLDER / "light-figures.json").read_text())["settings"][0]["each"][0]["energy"]["second_half"]["elastic"]
        row = rows("light")[0]
        self.assertAlmostEqual(float(row["elastic"]), abs(ours - elastic["value"]) / elastic["value"], delta=1e-6)

    def test_without_a_truth_one_is_made(self):
        scene = write_scene("free.json", until=0.1)
        done = call("compare", "--cost", scene, "--with", "bdf2", "--steps", "1/60", "-o", "made", "--quiet", "--short")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((FOLDER / "made/truth.json").exists())
        self.assertIn("--truth made/truth.json", rows("made")[0]["command"])
        self.assertEqual(rows("made")[0]["starts"], "2")


class Again(unittest.TestCase):
    def test_nothing_runs_twice(self):
        arguments = ("--with", "backward-euler,search", "--steps", "1/60,1/120", "--starts", 2)
        cost("twice", *arguments)
        first, kept = rows("twice"), sorted((FOLDER / "twice/runs").iterdir())
        self.assertEqual((len(first), len(kept)), (4, 8))
        times = [path.stat().st_mtime_ns for path in kept]
        shutil.move(FOLDER / "twice/runs", FOLDER / "twice/moved")  # the CSV alone says that they are there
        cost("twice", *arguments)
        self.assertEqual(rows("twice"), first)
        self.assertEqual(list((FOLDER / "twice/runs").iterdir()), [])
        (FOLDER / "twice/runs").rmdir()
        shutil.move(FOLDER / "twice/moved", FOLDER / "twice/runs")
        (FOLDER / "twice/cost.csv").unlink()  # and the kept figures alone
        cost("twice", *arguments)
        self.assertEqual(rows("twice"), first)
        self.assertEqual([path.stat().st_mtime_ns for path in kept], times)

    def test_more_methods_and_steps_are_added(self):
        cost("more", "--with", "search", "--steps", "1/120")
        first = rows("more")
        cost("more", "--with", "bdf2,search", "--steps", "1/60,1/120")
        second = rows("more")
        self.assertEqual([(row["method"], round(1 / float(row["step"]))) for row in second], [("search", 60), ("search", 120), ("bdf2", 60), ("bdf2", 120)])
        self.assertEqual(second[1], first[0])

    def test_another_truth_needs_no_run(self):
        cost("truths", "--with", "search", "--steps", "1/60")
        first, kept = rows("truths")[0], next((FOLDER / "truths/runs").iterdir())
        time = kept.stat().st_mtime_ns
        other = write_truth("other.json", substeps=4)
        done = call("compare", "--cost", "cube.json", "--truth", other, "-o", "truths", "--quiet", "--with", "search", "--steps", "1/60")
        self.assertEqual(done.returncode, 0, done.stderr)
        second = rows("truths")[0]
        self.assertNotEqual((first["error"], first["truth"]), (second["error"], second["truth"]))
        self.assertEqual((first["processor"], kept.stat().st_mtime_ns), (second["processor"], time))

    def test_other_starts_and_other_builds_run(self):
        cost("builds", "--with", "search", "--steps", "1/60")
        text = (FOLDER / "builds/cost.csv").read_text()
        build = rows("builds")[0]["build"]
        (FOLDER / "builds/cost.csv").write_text(text.replace(build, "0.0.0-beef"))
        shutil.rmtree(FOLDER / "builds/runs")
        cost("builds", "--with", "search", "--steps", "1/60", "--any-build")
        self.assertEqual(rows("builds")[0]["build"], "0.0.0-beef")
        cost("builds", "--with", "search", "--steps", "1/60")
        self.assertEqual(rows("builds")[0]["build"], build)
        cost("builds", "--with", "search", "--steps", "1/60", "--starts", 2)
        self.assertEqual(rows("builds")[0]["starts"], "2")

    def test_the_command_of_a_row_makes_it_again(self):
        cost("original", "--with", "soft one:search;materials.jelly.young=1.5e4,bdf2", "--steps", "1/60,1/240", "--starts", 2, "--set", "solver.tolerance=1e-4")
        for row in rows("original"):
            words = shlex.split(row["command"])
            self.assertEqual(words[0], "visviva")
            done = call(*words[1:], "-o", "remade", "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            again = next(r for r in rows("remade") if (r["method"], r["step"]) == (row["method"], row["step"]))
            self.assertEqual(without_seconds(again), without_seconds(row))

    def test_again(self):
        cost("again", "--with", "search", "--steps", "1/60")
        kept = next((FOLDER / "again/runs").iterdir())
        time = kept.stat().st_mtime_ns
        cost("again", "--with", "search", "--steps", "1/60", "--again")
        self.assertGreater(kept.stat().st_mtime_ns, time)


class Marks(unittest.TestCase):
    def test_a_method_that_fails(self):
        arguments = ("--with", "search,implicit-midpoint", "--steps", "1/60,1/120", "--set", "bodies[0].velocity.linear=[0,-60,0]",
                     "--truth", self.fast_truth())
        done = cost("failed", *arguments, quiet=False)
        text = (FOLDER / "failed/cost.csv").read_text()
        shutil.rmtree(FOLDER / "failed/runs")
        cost("failed", *arguments, "--with", "bdf2")  # which writes what was read
        self.assertEqual((FOLDER / "failed/cost.csv").read_text()[:len(text)], text)
        self.assertEqual(len(rows("failed")), 6)
        good, bad = rows("failed")[:2], rows("failed")[2:4]
        self.assertEqual([row["status"] for row in good], ["done", "done"])
        for row in bad:
            self.assertEqual((row["done"], row["error"], row["error_low"]), ("0", "", ""))
            self.assertIn("1 of 1 starts failed; start 0 stopped at t = ", row["status"])
            self.assertIn('scheme "implicit-midpoint" ends in penetration or inversion: it', row["status"])
        self.assertIn("1 of 1 starts failed", done.stdout)
        if shutil.which("gnuplot"):
            svg = (FOLDER / "failed/cost.svg").read_text()
            self.assertIn("crosses: failed", svg)
            self.assertIn("implicit-midpoint", svg)
            self.assertEqual((FOLDER / "failed/cost.png").read_bytes()[:4], b"\x89PNG")

    @staticmethod
    def fast_truth():
        done = call("truth", write_scene(), "--runs", 1, "--set", "bodies[0].velocity.linear=[0,-60,0]", "--json", "fast.json", "--quiet")
        assert done.returncode == 0, done.stderr
        return "fast.json"

    def test_a_run_that_takes_too_long_is_given_up(self):
        cost("late", "--with", "search", "--steps", "1/60,1/2400000", "--limit", 2)
        coarse, fine = rows("late")
        self.assertEqual((coarse["status"], fine["done"]), ("done", "0"))
        self.assertIn("start 0 given up after 2", fine["status"])

    def test_the_cap_leaves_out_the_finest(self):
        arguments = ("--with", "search", "--steps", "1/60,1/120,1/960")
        cost("capped", *arguments, "--cap", 1e-3, "-j", 1)
        found = rows("capped")
        self.assertEqual([row["status"] for row in found], ["done", "left out: --cap 0.001", "left out: --cap 0.001"])
        self.assertEqual((found[1]["error"], found[1]["done"]), ("", "0"))
        cost("capped", *arguments)
        self.assertEqual([row["status"] for row in rows("capped")], ["done"] * 3)
        self.assertEqual(rows("capped")[0], found[0])

    def test_table_and_pictures(self):
        done = cost("shown", "--with", "backward-euler,search", "--steps", "1/60,1/240", quiet=False)
        self.assertIn("nearest to truth for their Newton iterations:", done.stdout)
        self.assertEqual(sum(line.split()[:2] == ["search", "1/240"] for line in done.stdout.splitlines()), 2)  # in both lists
        bare = FOLDER / "bare"
        bare.mkdir()
        done = cost("shown", "--with", "search", "--steps", "1/60", quiet=False)
        done = call("compare", "--cost", "cube.json", "--truth", "truth.json", "--with", "search", "--steps", "1/60", "-o", "bald", PATH=str(bare))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("without the picture: gnuplot is not installed", done.stderr)
        self.assertTrue((FOLDER / "bald/cost.csv").exists())


class Wrong(unittest.TestCase):
    def test_what_is_wrong(self):
        scene, truth = write_scene(), write_truth()
        (FOLDER / "other.csv").mkdir()
        (FOLDER / "other.csv/cost.csv").write_text("a,b\n1,2\n")
        (FOLDER / "text.json").write_text("{")
        for words, *arguments in [
                (["needs --with"],), (["neither a scheme nor a policy", "did you mean \"search\""], "--with", "serch"),
                (["\"x\" is not a step"], "--with", "bdf2", "--steps", "1/30,x"), (["is not a step"], "--with", "bdf2", "--steps", "-1"),
                (["has a step twice"], "--with", "bdf2", "--steps", "1/30,1/30"), (["--steps: 1/7 s is neither"], "--with", "bdf2", "--steps", "1/7"),
                (["are not a whole number of steps of 1/15 s", "--until"], "--with", "bdf2", "--steps", "1/15", "--until", 0.1),
                (["--with: \"time.step=1/60\" sets time.step", "--steps"], "--with", "time.step=1/60"),
                (["at most 24 settings"], "--with", ",".join(f"{i}:none" for i in range(25))),
                (["does not go with scheme"], "--with", "bdf2+search"),
                (["goes to t = 0.4 s, not to 0.2 s; --until 0.4"], "--with", "bdf2", "--until", 0.2, "--steps", "1/60"),
                (["other bodies, materials or overrides"], "--with", "bdf2", "--set", "materials.jelly.young=1e6"),
                (["is sampled every 1/60 s, the scene every 1/120 s"], "--with", "bdf2", "--set", "time.step=1/120"),
                (["--truth: nix.json", "No such file"], "--with", "bdf2", "--truth", "nix.json"), (["text.json"], "--with", "bdf2", "--truth", "text.json"),
                (["cube.json has no \"figures\""], "--with", "bdf2", "--truth", scene), (["is of the scene"], "--with", "bdf2", "--truth", self.named()),
                (["is not a table of visviva compare --cost", "--output"], "--with", "bdf2", "-o", "other.csv"),
                (["--starts", "out of range"], "--with", "bdf2", "--starts", 0), (["unknown option"], "--with", "bdf2", "--pictures", "none")]:
            if "--truth" not in arguments:
                arguments += ["--truth", truth]
            done = call("compare", "--cost", scene, "-o", "nothing", *arguments)
            self.assertEqual(done.returncode, 2, f"{arguments}: {done.stderr}")
            for word in words:
                self.assertIn(word, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertFalse((FOLDER / "nothing").exists())
        self.assertEqual((FOLDER / "other.csv/cost.csv").read_text(), "a,b\n1,2\n")

    @staticmethod
    def named():
        tree = json.loads((FOLDER / "truth.json").read_text())
        (FOLDER / "named.json").write_text(json.dumps(dict(tree, scene="another")))
        return "named.json"

    def test_help(self):
        done = call("compare", "--cost", "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("visviva compare --cost bouncing-ball --with backward-euler,bdf2,search", done.stdout)
        self.assertIn("compare --cost --help", call("compare", "--help").stdout)


if __name__ == "__main__":
    if not os.access(PROGRAM, os.X_OK):
        print("test_cost: skipped, no program in $VISVIVA")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        unittest.main(verbosity=2)
