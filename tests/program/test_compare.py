#!/usr/bin/env python3
"""visviva compare: one scene under several settings. (Runs stand side by side: all cores.)

- its runs are those of visviva run, row by row; its figures are those of visviva truth where that runs the same
- what --with may say: names, labels, overrides; settings of different steps are sampled at the same times
- a setting that fails on its way is told, and the others stand
- pictures: all are there, or what is left out is said
- what is wrong: exit code 2, one message with the names that are allowed, nothing written

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it; parts whose programs are missing are skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("VISVIVA", "")
FOLDER = pathlib.Path()
# the drivers' own leaks are not ours
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")


def call(*arguments, **environment):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER, timeout=500,
                          env=dict(ENVIRONMENT, **environment))


def write_scene(name="cube.json"):
    scene = {"visviva": 1, "name": "falling cube", "time": {"step": "1/60", "end": 0.4, "record_every": 2},
             "materials": {"jelly": {"model": "neo-hookean", "young": 1e5}},
             "bodies": [{"name": "cube", "material": "jelly", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}},
                         "place": {"translate": [0, 0.15, 0], "rotate": [5, 0, 3]}}],
             "obstacles": [{"plane": {}}]}
    (FOLDER / name).write_text(json.dumps(scene))
    return name


def compare(*arguments):
    done = call("compare", write_scene(), "--json", "c.json", "--quiet", *arguments)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    assert done.stdout == "", done.stdout
    return json.loads((FOLDER / "c.json").read_text())


def figures(*arguments):
    return compare("--pictures", "none", *arguments)["settings"]


class Runs(unittest.TestCase):
    def test_ledgers_are_those_of_separate_runs(self):
        settings = figures("--with", "none,search", "-o", "two")
        for setting, policy in zip(settings, ("none", "search")):
            self.assertEqual((setting["label"], setting["policy"], setting["status"]), (policy, policy, "done"))
            done = call("run", "cube.json", "--set", f"integrator.policy={policy}", "-o", f"{policy}.vtkhdf", "--summary",
                        f"{policy}-summary.json", "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = []
            for name in (setting["run"], f"{policy}.vtkhdf"):
                self.assertEqual(call("export", name, "-o", "rows.csv").returncode, 0)
                rows.append((FOLDER / "rows.csv").read_text())
            self.assertGreater(len(rows[0].splitlines()), 24)
            self.assertEqual(rows[0], rows[1], policy)
            summary = json.loads((FOLDER / f"{policy}-summary.json").read_text())
            for key in ("kinetic", "elastic", "gravity", "total"):
                self.assertAlmostEqual(setting["figures"]["energy"]["end"][key]["mean"], summary["energy"]["end"][key], delta=1e-10)
            self.assertEqual(setting["figures"]["cost"]["newton_iterations"]["mean"], summary["newton_iterations"])
        self.assertNotEqual(settings[0]["figures"]["energy"], settings[1]["figures"]["energy"])

    def test_truth_is_that_of_visviva_truth(self):
        settings = figures("--with", "none", "--truth", "--runs", 2, "--substeps", 3)
        self.assertEqual([s["truth"] for s in settings], [False, True])
        self.assertEqual([s["label"] for s in settings], ["none", "truth, h/3"])
        self.assertEqual([s["runs"] for s in settings], [2, 2])
        done = call("truth", "cube.json", "--runs", 2, "--substeps", 3, "--json", "t.json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        truth = json.loads((FOLDER / "t.json").read_text())
        for part in ("energy", "momentum", "bodies"):
            self.assertEqual(settings[1]["figures"][part], truth["figures"][part])
        ours, theirs = settings[1]["figures"]["ledger"], truth["figures"]["ledger"]
        self.assertEqual({k: v for k, v in ours.items() if k != "mean_target_error"}, {k: v for k, v in theirs.items() if k != "mean_target_error"})

    def test_one_scale_for_all(self):
        settings = figures("--with", "none,search")
        ledgers = [s["figures"]["ledger"] for s in settings]
        self.assertNotEqual(ledgers[0]["scale"]["mean"], ledgers[1]["scale"]["mean"])
        scale = max(ledger["scale"]["max"] for ledger in ledgers)
        for ledger in ledgers:
            self.assertAlmostEqual(ledger["mean_target_error"]["mean"] * scale, ledger["mean_target_distance"]["mean"], delta=1e-12 * scale)

    def test_several_starts(self):
        one, several = figures("--with", "search")[0], figures("--with", "search", "--runs", 3)[0]
        self.assertEqual((one["runs"], several["runs"], len(several["each"])), (1, 3, 3))
        self.assertEqual(one["each"][0]["energy"], several["each"][0]["energy"])
        self.assertGreater(several["figures"]["energy"]["end"]["kinetic"]["sd"], 0)

    def test_different_steps_have_the_same_frames(self):
        settings = figures("--with", "time.step=1/60,half:time.step=1/120", "-o", "steps")
        self.assertEqual([s["label"] for s in settings], ["time.step=1/60", "half"])
        self.assertEqual([s["figures"]["cost"]["steps"]["mean"] for s in settings], [24, 48])
        self.assertAlmostEqual(settings[1]["figures"]["frame"]["mean"], 1 / 60, delta=1e-12)
        frames = [call("info", s["run"]).stdout for s in settings]
        for said in frames:
            self.assertIn("13 frames", said)

    def test_keys(self):
        result = compare("--with", "none", "--pictures", "none")
        self.assertEqual(list(result), ["scene", "frame", "until", "shift", "settings", "pictures"])
        self.assertEqual(result["pictures"], {"plot": None, "sheet": None, "film": None})
        self.assertEqual(list(result["settings"][0]), ["label", "truth", "set", "scheme", "policy", "time_step", "status", "run", "runs",
                                                       "done", "figures", "each"])
        self.assertIsNone(result["settings"][0]["run"])
        self.assertFalse((FOLDER / "out").exists())


class Settings(unittest.TestCase):
    def test_names(self):
        settings = figures("--with", "scene,bdf2,search", "--with", "backward-euler+search", "--until", 0.05)
        self.assertEqual([(s["scheme"], s["policy"]) for s in settings],
                         [("backward-euler", "none"), ("bdf2", "none"), ("backward-euler", "search"), ("backward-euler", "search")])
        self.assertEqual([s["set"] for s in settings], [[], ["integrator.scheme=bdf2", "integrator.policy=none"], ["integrator.policy=search"],
                                                        ["integrator.scheme=backward-euler", "integrator.policy=search"]])

    def test_labels_and_overrides(self):
        settings = figures("--with", "a wide range:search;integrator.alpha=[0,2],narrow:search;integrator.alpha=[0.9,1]", "--until", 0.3)
        self.assertEqual([s["label"] for s in settings], ["a wide range", "narrow"])
        self.assertEqual(settings[0]["set"], ["integrator.policy=search", "integrator.alpha=[0,2]"])
        self.assertNotEqual(settings[0]["figures"]["energy"], settings[1]["figures"]["energy"])

    def test_common_overrides_come_first(self):
        settings = figures("--with", "bodies[0].material.young=2e5,scene", "--set", "bodies[0].material.young=1e4", "--until", 0.3)
        alone = figures("--with", "scene", "--set", "bodies[0].material.young=2e5", "--until", 0.3)
        self.assertEqual(settings[0]["figures"]["energy"], alone[0]["figures"]["energy"])
        self.assertNotEqual(settings[0]["figures"]["energy"], settings[1]["figures"]["energy"])

    def test_what_is_wrong(self):
        scene = write_scene()
        (FOLDER / "text").write_text("no run")
        names = ["--with: \"serch\" is neither a scheme nor a policy", "backward-euler", "policies: none, a1, search"]
        for words, *arguments in [
                (["compare needs --with"],), (names, "--with", "none,serch"), (["names two policies"], "--with", "none+search"),
                (["names two schemes"], "--with", "bdf2+theta"), (["there is an empty item"], "--with", "none,"), (["neither a scheme"], "--with", "+"),
                (["there is an empty item"], "--with", "none;;bdf2"), (["two settings are called \"none\""], "--with", "none,none"),
                (["at most 7 settings"], "--with", ",".join(f"{i}:none" for i in range(8))),
                (["at most 7 settings"], "--with", ",".join(f"{i}:none" for i in range(7)), "--truth"),
                (["unknown key", "did you mean \"policy\""], "--with", "integrator.polcy=search"),
                (["does not go with scheme"], "--with", "none,bdf2+search"), (["is not a whole part"], "--with", "none,time.step=1/100"),
                (["is not one of: plot, sheet, film"], "--with", "none", "--pictures", "plt"),
                (["out of range"], "--with", "none", "--runs", -1), (["would overwrite the scene"], "--with", "none", "--json", scene),
                (["starts inside obstacle"], "--with", "none", "--set", "bodies[0].place.translate=[0,0,0]")]:
            done = call("compare", scene, *arguments, "-o", "nothing")
            self.assertEqual(done.returncode, 2, f"{arguments}: {done.stderr}")
            for word in words:
                self.assertIn(word, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(list(FOLDER.glob("nothing/*.vtkhdf")), [])
        (FOLDER / "taken").mkdir()
        (FOLDER / "taken/1-none.vtkhdf").write_text("not a run")
        self.assertEqual(call("compare", scene, "--with", "none", "-o", "taken").returncode, 2)
        self.assertEqual((FOLDER / "taken/1-none.vtkhdf").read_text(), "not a run")


class Report(unittest.TestCase):
    def test_table(self):
        done = call("compare", write_scene(), "--with", "none,search", "--runs", 2, "--pictures", "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[1].split(), ["none", "search"])
        for words in ("kinetic, visible", "momentum |P|", "apex 1", "Newton iterations a step", "time of the steps", " ± "):
            self.assertIn(words, done.stdout)

    def test_a_setting_that_fails(self):
        done = call("compare", write_scene(), "--with", "none,implicit-midpoint", "--pictures", "none", "--json", "f.json", "--set",
                    "bodies[0].velocity.linear=[0,-60,0]")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("implicit-midpoint *", done.stdout)
        self.assertIn("* implicit-midpoint: 1 of 1 runs did not reach the end; start 0 stopped at t =", done.stdout)
        settings = json.loads((FOLDER / "f.json").read_text())["settings"]
        self.assertEqual([s["done"] for s in settings], [1, 0])
        self.assertIn("stopped at t =", settings[1]["status"])


class Pictures(unittest.TestCase):
    def test_without_programs_the_table_stands(self):
        bare = FOLDER / "bare"
        bare.mkdir()
        done = call("compare", write_scene(), "--with", "none", "--until", 0.1, "-o", "no-pictures", PATH=str(bare))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("kinetic, visible", done.stdout)
        self.assertIn("compare: without pictures: gnuplot is not installed", done.stderr)
        self.assertTrue((FOLDER / "no-pictures/1-none.vtkhdf").exists())

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_without_ffmpeg_plot_and_sheet_stand(self):
        bare = FOLDER / "only-gnuplot"
        bare.mkdir()
        (bare / "gnuplot").symlink_to(shutil.which("gnuplot"))
        done = call("compare", write_scene(), "--with", "none", "--until", 0.1, "--quality", 1, "-o", "no-film", PATH=str(bare))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("compare: without the film: ffmpeg is not installed", done.stderr)
        self.assertTrue((FOLDER / "no-film/plot.png").exists() and (FOLDER / "no-film/sheet.png").exists())

    @unittest.skipUnless(shutil.which("gnuplot") and shutil.which("ffmpeg"), "gnuplot or ffmpeg is not installed")
    def test_all(self):
        done = call("compare", write_scene(), "--with", "none,search", "--truth", "--runs", 1, "--substeps", 2, "--until", 0.2, "--quality",
                    1, "--json", "all.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        made = json.loads((FOLDER / "all.json").read_text())["pictures"]
        folder = FOLDER / "out/cube-compare"
        self.assertEqual(made["plot"], "out/cube-compare/plot.png")
        self.assertEqual((folder / "plot.png").read_bytes()[:4], b"\x89PNG")
        self.assertEqual((folder / "sheet.png").read_bytes()[:4], b"\x89PNG")
        if "without the film" in done.stderr:  # no OpenGL here
            self.assertIsNone(made["film"])
        else:
            self.assertEqual((FOLDER / made["film"]).read_bytes()[4:8], b"ftyp")
        self.assertEqual(sorted(p.name for p in folder.glob("*.vtkhdf")), ["1-none.vtkhdf", "2-search.vtkhdf", "3-truth.vtkhdf"])
        shutil.rmtree(FOLDER / "out")

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_some(self):
        result = compare("--with", "none", "--pictures", "plot", "--until", 0.1, "-o", "some")
        self.assertEqual(result["pictures"], {"plot": "some/plot.png", "sheet": None, "film": None})
        self.assertEqual(sorted(p.name for p in (FOLDER / "some").iterdir()), ["1-none.vtkhdf", "1-none.xdmf", "plot.png"])


if __name__ == "__main__":
    if not os.access(PROGRAM, os.X_OK):
        print("test_compare: skipped, no program in $VISVIVA")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        unittest.main(verbosity=2)
