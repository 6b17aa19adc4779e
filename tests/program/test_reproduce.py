#!/usr/bin/env python3
"""visviva reproduce: experiments of the papers, judged.

- verdicts are arithmetic: on both sides of every tolerance, for ranges, for what a text expects
- measures are those of the run file: columns, positions, ends, orders, matrices, the largest step, the equation of a step, maps of its convergence, times; a run
  that ended early has no others
- runs whose files are absent are left out
- for-lists, the short form, scenes of the item, of a file, by name
- runs are kept, and run anew when the scene or its mesh is another
- everything that is wrong in a file: exit code 2, one message with file and path, nothing written
- items are found by the beginning of their names, without hyphens; long ones run by their whole name alone
- the items that come with visviva are listed (tests/scripts/test_reproduce_rows.py runs them)
- two runs write the same bytes

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import copy
import csv
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ.get("VISVIVA", "")
FOLDER = pathlib.Path()
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")

K = 4.0
OSCILLATOR = {"visviva": 1, "name": "oscillator", "gravity": [0, 0, 0], "time": {"step": 0.1, "end": 1}, "solver": {"tolerance": 1e-12},
              "contact": {"model": "none"},
              "bodies": [{"name": "point", "material": {"model": "free", "density": 1}, "velocity": {"linear": [1, 0, 0]},
                          "mesh": {"grains": {"count": [1, 1, 1], "jitter": 0}},
                          "attach": [{"where": {"all": True}, "kind": "spring", "stiffness": K}]}]}
BACKWARD = {"scene": "s", "set": {"integrator.scheme": "backward-euler"}}
BASE = {"title": "an oscillator", "where": "nowhere", "what": "A point on a spring.", "scenes": {"s": OSCILLATOR}, "runs": {"BE": BACKWARD},
        "problem": "paper",
        "rows": [{"label": "energy", "published": 0.5, "tolerance": {"relative": 0.01}, "from": "text",
                  "measure": {"column": "total", "run": "BE", "take": "first"}}]}


def call(*arguments, **environment):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER, timeout=500,
                          env=dict(ENVIRONMENT, **environment))


def write(item, paper=None, name="item.json"):
    folder = FOLDER / "exp" / "paper"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "paper.json").write_text(json.dumps(paper or {"title": "A paper", "citation": "Nobody 2000"}))
    (folder / name).write_text(item if isinstance(item, str) else json.dumps(item))


def run(item, *arguments, out="out", code=0):
    write(item)
    done = call("reproduce", "--experiments", "exp", "-o", out, "--json", "r.json", "--quiet", *arguments)
    assert done.returncode == code, f"{done.returncode}: {done.stderr}"
    return json.loads((FOLDER / "r.json").read_text())["papers"][0]["items"][0]


def with_rows(*rows, **more):
    return dict(copy.deepcopy(BASE), rows=[dict({"label": f"row {i}", "from": "text"}, **row) for i, row in enumerate(rows)], **more)


def measured(measures, **more):
    """The values of measures, as rows that nobody compares."""
    rows = [{"not_comparable": "a test", "measure": m} for m in measures]
    return [row["measured"] for row in run(with_rows(*rows, **more))["rows"]]


def backward_euler(h, steps, x=0.0, v=1.0):
    path = [(x, v)]
    for _ in range(steps):
        v = (v - h * K * x) / (1 + h * h * K)
        x += h * v
        path.append((x, v))
    return path


class Verdicts(unittest.TestCase):
    def verdicts(self, *rows):
        return [(row["verdict"], row["differs"]) for row in run(with_rows(*rows))["rows"]]

    def test_numbers(self):
        found = self.verdicts({"published": 1, "tolerance": {"relative": 0.1}, "measure": 1.0999},
                              {"published": 1, "tolerance": {"relative": 0.1}, "measure": 1.1001},
                              {"published": -2, "tolerance": {"relative": 0.1}, "measure": -2.1999},
                              {"published": -2, "tolerance": {"relative": 0.1}, "measure": -2.2001},
                              {"published": -2, "tolerance": {"relative": 0.1}, "measure": 2},
                              {"published": 0, "tolerance": {"absolute": 1e-3}, "measure": -0.0009},
                              {"published": 0, "tolerance": {"absolute": 1e-3}, "measure": 0.0011},
                              {"published": 0, "tolerance": {"relative": 0.5}, "measure": 0.0011})
        self.assertEqual([v for v, _ in found], ["reproduced", "differs", "reproduced", "differs", "differs", "reproduced", "differs", "differs"])
        self.assertEqual(found[1][1], "by +10%")
        self.assertEqual(found[3][1], "by -10%")
        self.assertEqual(found[4][1], "by +200%")
        self.assertEqual(found[6][1], "by +0.0011")
        self.assertEqual(found[0][1], "")

    def test_ranges(self):
        found = self.verdicts({"published": [1, 2], "measure": 1}, {"published": [1, 2], "measure": 2}, {"published": [1, 2], "measure": 2.01},
                              {"published": [1, 2], "tolerance": {"relative": 0.01}, "measure": 2.01},
                              {"published": [1, 2], "tolerance": {"absolute": 0.01}, "measure": 0.98})
        self.assertEqual([v for v, _ in found], ["reproduced", "reproduced", "differs", "reproduced", "differs"])
        self.assertEqual(found[2][1], "by +0.5%")

    def test_words(self):
        def row(measure, claim="relation", **expect):
            return {claim: "as the paper says", "expect": expect, "measure": measure}
        found = self.verdicts(row(1.06, above=1), row(1.04, above=1), row(0.94, below=1), row(0.96, below=1), row(-1.04, below=-1),
                              row(1e-9, above=0), row(0, above=0), row(1.04, kept=1), row(0.94, kept=1), row(0.04, kept=0), row(-0.06, kept=0),
                              row(1, more_than=0.999), row(1, more_than=1), row(1, less_than=1), row(1, at_least=1, at_most=1),
                              row(1, holds=True), row(0, holds=True), row(0, holds=False), row(1, above=0, below=0.5),
                              row(0.9, below={"column": "time", "run": "BE", "take": "last"}), row(1, at_most={"column": "time", "run": "BE"}),
                              row(1, "goal", at_most=2), row(3, "goal", at_most=2), row({"column": "alpha", "run": "BE"}, "goal", at_most=2))
        yes, no = "relation holds", "differs"
        self.assertEqual([v for v, _ in found], [yes, no, yes, no, no, yes, no, yes, no, yes, no, yes, no, no, yes, yes, no, yes, no, yes, yes,
                                                 "goal met", "goal missed", "goal missed"])
        self.assertEqual(found[1][1], "not 5% above 1")
        self.assertEqual(found[16][1], "no, where yes is claimed")
        self.assertEqual(found[18][1], "not 5% below 0.5")

    def test_better_and_fitted(self):
        """More than twice as good as published is no agreement, however wide the tolerance; what was fitted is counted apart."""
        def row(measure, better, published=10, **more):
            return dict({"published": published, "better": better, "measure": measure}, **more)
        wide = {"tolerance": {"absolute": 100}}
        found = self.verdicts(row(4.9, "less", **wide), row(5.1, "less", **wide), row(20.1, "less", **wide), row(20.1, "more", **wide),
                              row(19.9, "more", **wide), row(4.9, "more", **wide), row(1, "less", [4, 6]), row(3, "less", [4, 6]),
                              row(10, "less", tolerance={"relative": 0.1}, fitted="the stiffness"),
                              row(12, "less", tolerance={"relative": 0.1}, fitted="the stiffness"))
        better = "differs (better)"
        self.assertEqual([v for v, _ in found], [better, "reproduced", "reproduced", better, "reproduced", "reproduced", better, "differs",
                                                 "fitted", "differs"])
        self.assertEqual(found[0][1], "by -51%")
        relation = {"relation": "so", "expect": {"above": 1}, "fitted": "the speed"}
        found = self.verdicts(dict(relation, measure=2), dict(relation, measure=1))
        self.assertEqual([v for v, _ in found], ["fitted", "differs"])

    def test_chaotic(self):
        """The published value lies in the range of the starts; the row shows their median and range."""
        starts = {"a {k}": dict(BACKWARD, set={"integrator.scheme": "backward-euler", "bodies[0].velocity.linear": ["{k}", 0, 0]},
                                **{"for": {"k": [1, 2, 3, 4, 5]}})}
        of = {"over": "a *", "take": "median", "of": {"column": "kinetic", "take": "first"}}
        item = with_rows({"published": 4.5, "chaotic": True, "measure": of}, {"published": 12.6, "chaotic": True, "measure": of},
                         {"published": [12, 20], "chaotic": True, "measure": of}, {"relation": "x", "expect": {"above": 4}, "chaotic": True, "measure": of},
                         runs=starts)
        found = run(item)["rows"]
        self.assertEqual([row["verdict"] for row in found], ["reproduced", "differs", "reproduced", "relation holds"])
        self.assertAlmostEqual(found[0]["measured"], 4.5)
        self.assertIn("4.5 (0.5 to 12.5, 5 starts)", (FOLDER / "out/paper.md").read_text())

    def test_problems(self):
        """A row solves the paper's problem, one like it, or another; the item's holds for rows without one."""
        number = {"published": 1, "tolerance": {"relative": 0.1}, "measure": 1}
        item = with_rows(number, dict(number, problem="like", unlike="a cube"), {"problem": "other", "unlike": "a ball", "relation": "so",
                                                                                "expect": {"above": 0}, "measure": 1})
        found = run(item)["rows"]
        self.assertEqual([(row["problem"], row["unlike"], row["verdict"]) for row in found],
                         [("paper", "", "reproduced"), ("like", "a cube", "reproduced"), ("other", "a ball", "relation holds")])
        page = (FOLDER / "out/paper.md").read_text()
        for line in ("| paper | 1 | 1 | 0 |", "| like | 1 | 1 | 0 |", "| other | 1 | 0 | 0 | 1 |", "like: a cube"):
            self.assertIn(line, page)

    def test_motion(self):
        """A cost stands beside the motion that it bought."""
        cost = {"published": 1, "tolerance": {"relative": 0.5}, "measure": {"column": "newton_iterations", "run": "BE", "take": "mean"}}
        motion = [{"label": "farthest, m", "measure": {"position": "x", "take": "max"}}, {"label": "end, s", "runs": "B*", "measure": {"column": "time"}}]
        row = run(with_rows(cost, motion=motion))["rows"][0]
        path = backward_euler(0.1, 10)
        self.assertRegex(row["motion"], r"^BE: farthest, m [\d.]+, end, s 1$")
        self.assertAlmostEqual(float(row["motion"].split()[3].strip(",")), max(x for x, _ in path), delta=1e-4)
        self.assertIn("Motion: BE: farthest", (FOLDER / "out/paper.md").read_text())

    def test_not_comparable_and_not_measured(self):
        found = self.verdicts({"not_comparable": "of another thing", "measure": 3},
                              {"published": 3, "not_comparable": "of another thing", "measure": 3},
                              {"published": 3, "not_comparable": "cannot be measured", "measure": None},
                              {"published": 3, "tolerance": {"relative": 0.5}, "measure": {"column": "alpha", "run": "BE"}},
                              {"published": 3, "tolerance": {"relative": 0.5}, "measure": {"ratio": [1, 0]}})
        self.assertEqual([v for v, _ in found], ["not comparable"] * 3 + ["differs"] * 2)
        self.assertEqual(found[0][1], "of another thing")
        self.assertIn("nothing was sampled", found[3][1])
        self.assertIn("no finite number", found[4][1])

    def test_the_page_says_it(self):
        run(with_rows({"label": "a <b> | c", "published": 1, "tolerance": {"relative": 0.5}, "measure": 1.2, "unit": "J"},
                      {"published": 1, "tolerance": {"relative": 0.1}, "measure": 2, "note": "Other mesh."}))
        page, markdown = ((FOLDER / "out" / f"paper.{e}").read_text() for e in ("html", "md"))
        self.assertIn("a &lt;b&gt; | c", page)
        self.assertIn("<td class=\"n\">1 J (± 50%)</td><td class=\"n\">1.2 J</td>", page)
        self.assertIn("| a <b> \\| c | 1 J (± 50%) | 1.2 J | **reproduced** |", markdown)
        self.assertIn("**differs** by +100%. Other mesh. |", markdown)
        self.assertIn("| paper | 2 | 1 | 0 | 0 | 1 |", markdown)
        self.assertIn("paper.html", (FOLDER / "out" / "index.html").read_text())

    def test_sizes_are_those_of_the_runs(self):
        cube = dict(copy.deepcopy(OSCILLATOR), name="cube", time={"step": "1/30", "end": 0.1},
                    bodies=[{"name": f"cube {i}", "place": {"translate": [3 * i, 0, 0]}, "material": {"young": 1e4},
                             "mesh": {"box": {"size": [1, 1, 1], "cells": [2, 1, 1]}}} for i in range(2)])
        runs = {"a": BACKWARD, "b": {"scene": "cube"}, "c": {"scene": "cube", "set": {"integrator.scheme": "bdf2"}}}
        found = run(dict(copy.deepcopy(BASE), scenes={"s": OSCILLATOR, "cube": cube}, runs=runs,
                         rows=[{"label": "r", "from": "text", "not_comparable": "a test", "measure": {"end": name}} for name in runs]))
        sizes = {r["name"]: r["size"] for r in found["runs"]}
        self.assertEqual(sizes["a"], {"bodies": 1, "nodes": 1, "tets": 0, "triangles": 0, "steps": 10})
        self.assertEqual(sizes["b"], {"bodies": 2, "nodes": 24, "tets": 20, "triangles": 40, "steps": 3})
        page = (FOLDER / "out/paper.md").read_text()
        self.assertIn("- a: 1 body, 1 node, 10 steps of 1/10 s\n", page)
        self.assertIn("- b and 1 more: 2 bodies, 24 nodes, 20 tets, 40 triangles, 3 steps of 1/30 s\n", page)
        self.assertIn("2 bodies, 24 nodes, 20 tets, 40 triangles, 3 steps of 1/30 s", (FOLDER / "out/paper.html").read_text())


class Measures(unittest.TestCase):
    def test_columns(self):
        path = backward_euler(0.1, 10)
        energy = [0.5 * v * v + 0.5 * K * x * x for x, v in path]
        c = lambda **more: dict({"column": "total", "run": "BE"}, **more)
        got = measured([c(take="first"), c(), c(take="min"), c(take="max"), c(take="mean"), c(take="sum"), c(take="rms"), c(take="range"), c(take="spread"),
                        c(take="at", time=0.25), c(take="when_below", below=energy[4] * 1.0001), c(take="when_max"), c(take="increases"),
                        c(take="decreases"), c(take="share", below=energy[4] * 1.0001), c(take="last", **{"as": "relative"}),
                        c(take="last", **{"as": "change"}), c(take="last", **{"as": "part"}), c(take="mean", **{"from": 0.3, "to": 0.5}),
                        {"column": "momentum_x", "run": "BE", "take": "min"}, {"column": "momentum", "run": "BE", "take": "last"},
                        {"difference": [{"column": "newton_iterations", "run": "BE", "take": "sum"}, {"figure": "cost.newton_iterations", "run": "BE"}]},
                        {"column": "step", "run": "BE"}, {"column": "step", "run": "BE", "take": "increases", "slack": 1},
                        {"column": "step", "run": "BE", "take": "increases", "slack": 0.99},
                        {"difference": [{"column": "newton_iterations", "run": "BE", "take": "mean"},
                                        {"ratio": [{"column": "newton_iterations", "run": "BE", "take": "sum"}, 10]}]}])
        mean = sum(energy) / 11
        want = [energy[0], energy[-1], min(energy), max(energy), mean, sum(energy), math.sqrt(sum(e * e for e in energy) / 11), max(energy) - min(energy),
                math.sqrt(sum((e - mean) ** 2 for e in energy) / 11), (energy[2] + energy[3]) / 2, 0.4, 0, 0, 10, 7 / 11, energy[-1] / energy[0] - 1,
                energy[-1] - energy[0], energy[-1] / energy[0], sum(energy[3:6]) / 3, min(v for _, v in path), abs(path[-1][1]), 0, 10, 0, 10, 0]
        for i, (a, b) in enumerate(zip(got, want)):
            self.assertAlmostEqual(a, b, delta=1e-9, msg=str(i))

    def test_smallest_det_f(self):
        """A box that starts pressed to half its height: the column has the name of the CSV export."""
        box = {"visviva": 1, "gravity": [0, 0, 0], "time": {"step": 0.1, "end": 0.1}, "contact": {"model": "none"},
               "bodies": [{"name": "box", "material": {"model": "fixed-corotated", "young": 1e3, "poisson": 0.3, "density": 1},
                           "mesh": {"box": {"cells": [1, 1, 1]}}, "start": [{"stretch": {"factor": [1, 0.5, 1]}}]}]}
        got = measured([{"column": "min_J", "run": "BE", "take": "first"}], scenes={"s": box})
        self.assertAlmostEqual(got[0], 0.5, delta=1e-12)

    def test_positions(self):
        path = backward_euler(0.1, 10)
        p = lambda axis, **more: dict({"position": axis, "run": "BE"}, **more)
        got = measured([p("x"), p("x", take="max", body="point"), p("y"), p("distance", node=0, take="max"), p("x", body="nobody")])
        self.assertAlmostEqual(got[0], path[-1][0], delta=1e-9)
        self.assertAlmostEqual(got[1], max(x for x, _ in path), delta=1e-9)
        self.assertEqual(got[2], 0)
        self.assertAlmostEqual(got[3], max(abs(x) for x, _ in path), delta=1e-9)
        self.assertIsNone(got[4])

    def test_spectra(self):
        """A rod that moves along itself is linear: its two modes of stretching, the only ones with a frequency, hold all energy."""
        rod = {"visviva": 1, "gravity": [0, 0, 0], "time": {"step": 0.05, "end": 1}, "solver": {"tolerance": 1e-12}, "contact": {"model": "none"},
               "integrator": {"scheme": "implicit-midpoint"},
               "bodies": [{"name": "rod", "mesh": {"points": [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "edges": [[0, 1], [1, 2]]},
                           "material": {"model": "hooke-rod", "density": 1, "stiffness": 2}, "velocity": {"linear": [0.5, 0, 0]},
                           "attach": [{"where": {"vertices": [0]}, "kind": "fixed"}]}]}
        e = lambda many, **more: dict({"spectrum": "highest", "modes": many, "run": "rod"}, **more)
        got = measured([e(2, take="first"), e(2), e(2, take="range"), e(1), e(6), {"spectrum": "lowest", "modes": 5, "run": "rod"},
                        e(2, take="last", of="visible"), {"column": "total", "run": "rod"}, e(1, body="nobody"), e(1, body="rod")],
                       scenes={"s": rod}, runs={"rod": {"scene": "s"}, "BE": {"scene": "s"}})
        energy = 0.5 * 1.5 * 0.25  # the end nodes have half the mass of the middle one
        for value in (got[0], got[1], got[4], got[7]):
            self.assertAlmostEqual(value, energy, delta=1e-9)
        self.assertLess(got[2], 1e-9)
        self.assertTrue(0 < got[3] < energy)
        self.assertAlmostEqual(got[3] + got[5], energy, delta=1e-9)
        self.assertTrue(abs(got[6] - energy) > 1e-6, "the motion of positions is not that of the state")
        self.assertIsNone(got[8])
        self.assertEqual(got[9], got[3])

    def test_bending(self):
        """A cloth whose start is stretched along x and pressed together along z; a second, larger one beside it; one that has no such springs."""
        def cloth(name, cells, factor, **more):
            return {"name": name, "mesh": {"weave": {"size": [3, 2], "cells": cells}}, "place": dict({"scale": [2, 1, 1.5]}, **more), "material": "m",
                    "start": [{"stretch": {"factor": factor}}]}
        scene = {"visviva": 1, "gravity": [0, 0, 0], "time": {"step": 0.1, "end": 0.5}, "contact": {"model": "none"},
                 "materials": {"m": {"model": "hooke", "mass": 1, "stiffness": 50, "bend_stiffness": 8}},
                 "bodies": [cloth("a", [3, 5], [1.25, 1, 0.5]), cloth("b", [4, 2], [0.5, 1, 2], translate=[0, 3, 0])]}
        stvk = dict(scene, materials={"m": dict(scene["materials"]["m"], model="stvk-spring")})
        e = lambda which, **more: dict({"bending": which, "run": "cloth", "take": "first"}, **more)
        got = measured([e("pressed"), e("all"), e("pressed", body="a"), e("pressed", body="b"), e("all", body="b"), e("all", take="max", to=0),
                        e("pressed", body="c"), e("pressed", run="stvk"), e("pressed", run="BE")], scenes={"s": OSCILLATOR, "cloth": scene, "stvk": stvk},
                       runs={"cloth": {"scene": "cloth"}, "stvk": {"scene": "stvk"}, "BE": BACKWARD})

        def along(count, rest, factor):  # springs of that rest length, all as much longer or shorter
            return count * 0.5 * 8 * (rest * (factor - 1)) ** 2
        a_x, a_z = along(2 * 6, 2 * 6 / 3, 1.25), along(4 * 4, 2 * 3 / 5, 0.5)
        b_x, b_z = along(3 * 3, 2 * 6 / 4, 0.5), along(5 * 1, 2 * 3 / 2, 2)
        for i, (value, want) in enumerate(zip(got, (a_z, a_x + a_z, a_z, b_x, b_x + b_z, a_x + a_z))):
            self.assertAlmostEqual(value, want, delta=1e-9 * want, msg=str(i))
        self.assertEqual(got[6:], [None] * 3)

    def test_ends(self):
        bad = {"scene": "s", "may_fail": True, "set": {"integrator.scheme": "forward-euler", "time.step": 2, "time.end": 400}}
        got = measured([{"end": "BE"}, {"fails": "BE"}, {"explodes": "BE"}, {"explodes": "bad"}], runs={"BE": BACKWARD, "bad": bad})
        # forward Euler multiplies the energy by 1 + h²k in each step: 17, then 5; ten times the start's is an explosion
        self.assertEqual(got, [1, None, None, 1])
        bad["set"]["time.step"] = 1
        self.assertEqual(measured([{"explodes": "bad"}], runs={"bad": bad}), [2])
        # near its limit h²k = 4 symplectic Euler's energy leaps to 19 times the start's and sinks again: no explosion
        leap = {"scene": "s", "set": {"integrator.scheme": "symplectic-euler", "time.step": 0.95, "time.end": 19}}
        most, step = measured([{"column": "total", "run": "leap", "take": "max", "as": "part"}, {"explodes": "leap"}], runs={"leap": leap})
        self.assertGreater(most, 10)
        self.assertIsNone(step)

    def test_orders_and_errors(self):
        runs = {"{scheme} {n}": {"scene": "s", "for": {"scheme": ["backward-euler", "implicit-midpoint", "bdf2"], "n": [20, 40, 80, 1280]},
                                 "set": {"integrator.scheme": "{scheme}", "time.step": "1/{n}"}}}
        orders = [{"order": [f"{s} {n}" for n in (20, 40, 80)], "reference": f"{s} 1280", "of": of}
                  for s in ("backward-euler", "implicit-midpoint", "bdf2") for of in ("position", "velocity")]
        error = {"error": "implicit-midpoint 20", "reference": "implicit-midpoint 1280"}
        got = measured(orders + [dict(error, of=of) for of in ("velocity", "state")] + [error], runs=runs)
        for value, want in zip(got, (1, 1, 2, 2, 2, 2)):
            self.assertAlmostEqual(value, want, delta=0.15)
        angle = 20 * 2 * math.atan(0.5 * math.sqrt(K) / 20) / math.sqrt(K)
        fine = 1280 * 2 * math.atan(0.5 * math.sqrt(K) / 1280) / math.sqrt(K)
        exact = abs(math.sin(2 * angle) - math.sin(2 * fine)) / 2
        self.assertAlmostEqual(got[-1], exact, delta=1e-8)
        self.assertAlmostEqual(got[-2], math.hypot(got[-1], got[-3] / 20), delta=1e-12)  # both, in lengths: velocities times the step

    def test_matrices(self):
        h = 0.1
        z = h * h * K
        runs = {"{m}": {"kind": "matrix", "scene": "s", "for": {"m": ["backward-euler", "verlet", "bdf2"]}, "set": {"integrator.scheme": "{m}"}}}
        m = lambda what, run: {"matrix": what, "run": run}
        got = measured([m("trace", "backward-euler"), m("determinant", "backward-euler"), m("matrix.0.0", "backward-euler"), m("matrix.0.1", "backward-euler"),
                        m("matrix.1.0", "backward-euler"), m("radius", "backward-euler"), m("determinant", "verlet"), m("radius", "verlet"),
                        m("radius", "bdf2"), m("trace", "bdf2"), {"over": "*", "take": "max", "of": {"matrix": "radius"}},
                        {"over": "*", "take": "count", "of": {"matrix": "radius"}}], runs=runs)
        # bdf2: the roots of 3/2 - 2 r + r²/2 = ± i sqrt(z), r = 1/t
        w = 1j * math.sqrt(z)
        roots = [(2 + s * (4 - (3 - 2 * u)) ** 0.5) / (3 - 2 * u) for u in (w, -w) for s in (1, -1)]
        want = [2 / (1 + z), 1 / (1 + z), 1 / (1 + z), 1 / (1 + z), -z / (1 + z), (1 + z) ** -0.5, 1, 1, max(map(abs, roots)), sum(roots).real, 1, 3]
        for i, (a, b) in enumerate(zip(got, want)):
            self.assertAlmostEqual(a, b, delta=1e-8, msg=str(i))

    def test_the_largest_step(self):
        runs = {"se": {"kind": "largest-step", "scene": "s", "low": 0.5, "high": 2, "part": 0.01, "explodes": 50, "until": 200,
                       "set": {"integrator.scheme": "symplectic-euler"}},
                "be": {"kind": "largest-step", "scene": "s", "low": 0.5, "high": 2, "until": 20, "set": {"integrator.scheme": "backward-euler"}}}
        got = measured([{"largest_step": "survives", "run": "se"}, {"largest_step": "fails", "run": "se"}, {"largest_step": "survives", "run": "be"},
                        {"largest_step": "fails", "run": "be"}], runs=runs)
        self.assertTrue(got[0] <= 1.0 + 0.02 and got[1] > got[0] and got[1] <= got[0] * 1.0101, got)  # h sqrt(k) = 2
        self.assertGreater(got[1], 0.98)
        self.assertEqual(got[2:], [2, None])

    def test_the_equation_of_a_step(self):
        runs = {"e": {"kind": "equation", "scene": "s", "low": -1, "high": 1, "count": 501},
                "well": {"kind": "equation", "scene": "s", "low": -3, "high": 3, "set": {"bodies[0].attach[0]": {
                    "where": {"all": True}, "kind": "potential", "potential": {"squared-spring": {"stiffness": 6000, "length": 1}}}}}}
        got = measured([{"equation": w, "run": r} for r in runs for w in ("roots", "root", "traps", "trap", "minima")], runs=runs)
        self.assertEqual([got[0], got[2], got[3], got[4]], [1, 0, None, 1])
        self.assertAlmostEqual(got[1], 0.1 / (1 + 0.1 ** 2 * K / 4), delta=1e-9)  # F = s - h v + h^2 k s / 4
        # F = s - 0.1 + 15 (s^3 - 2 s): three roots, of which the middle one is no minimum of g, and no other minimum of F^2
        self.assertEqual([got[5], got[7], got[9]], [3, 0, 2])
        self.assertLess(abs(got[6] - 0.1 + 15 * (got[6] ** 3 - 2 * got[6])), 1e-3)

    def test_maps_of_convergence(self):
        """Measures of a map are those of its list; pixels do not depend on the threads; what is kept is taken; the picture is there."""
        well = {"bodies[0].attach[0]": {"where": {"all": True}, "kind": "potential", "potential": {"squared-spring": {"stiffness": 40, "length": 1}}}}
        runs = {name: {"kind": "convergence", "scene": "s", "size": [7, 4], "x": [-2, 2], "y": [-1, 3], "rest": [0, 0],
                       "set": dict(well, **{"time.step": 2, "solver.method": method, "solver.max_iterations": most})}
                for name, method, most in (("N", "newton", 100), ("plain", "plain-newton", 100), ("short", "plain-newton", 2))}
        measures = [{"convergence": w, "run": r, **({"iterations": 5} if w == "within" else {})} for r in runs for w in ("failed", "mean", "most", "within")]
        measures += [{"convergence": "slower", "run": a, "than": b} for a, b in (("N", "plain"), ("plain", "N"), ("short", "N"))]
        item = with_rows(*[{"not_comparable": "a test", "measure": m} for m in measures], runs=runs,
                         plots=[{"title": "maps", "maps": [["N"], ["plain"]], "rows": ["a", "b"], "columns": ["c"]}])
        found = [run(item, "-j", jobs, "--again") for jobs in (1, 3)] + [run(item)]
        lists = {r["name"]: r["figures"]["iterations"] for r in found[0]["runs"]}
        self.assertEqual({len(v) for v in lists.values()}, {28})
        self.assertNotIn(None, lists["N"])
        self.assertGreater(lists["short"].count(None), 10)
        self.assertGreater(len(set(lists["N"])), 2)
        expected = []
        for values in lists.values():
            there = [v for v in values if v is not None]
            expected += [values.count(None) / 28, *((sum(there) / len(there), max(there), sum(v <= 5 for v in there) / len(there)) if there else [None] * 3)]
        for a, b in (("N", "plain"), ("plain", "N"), ("short", "N")):
            both = [(x, y) for x, y in zip(lists[a], lists[b]) if x is not None and y is not None]
            expected.append(sum(x > y for x, y in both) / len(both) if both else None)
        for other in found:
            self.assertEqual([r["figures"]["iterations"] for r in other["runs"]], list(lists.values()))
            for row, value in zip(other["rows"], expected):
                self.assertEqual(row["measured"] is None, value is None, row)
                if value is not None:
                    self.assertAlmostEqual(row["measured"], value, delta=1e-12)
        if shutil.which("gnuplot"):
            self.assertEqual((FOLDER / "out/paper-item-1.png").read_bytes()[1:4], b"PNG")

    def test_turned_nodes(self):
        """Turned about the point one to the left of it, with the pixel (1, 0) for rest, the node goes where it is moved to; about itself it stays."""
        well = {"bodies[0].attach[0]": {"where": {"all": True}, "kind": "potential", "potential": {"squared-spring": {"stiffness": 40, "length": 1}}}}
        base = {"kind": "convergence", "scene": "s", "size": [7, 4], "x": [-2, 2], "y": [-1, 3], "rest": [1, 0],
                "set": dict(well, **{"time.step": 2, "solver.method": "newton", "solver.max_iterations": 100})}
        runs = {"moved": base, "turned": dict(base, turned=[[-1, 0], [1e3, 1e3]]), "stays": dict(base, turned=[[0, 0]])}
        item = with_rows(*[{"not_comparable": "a test", "measure": {"convergence": "mean", "run": r}} for r in runs], runs=runs)
        lists = {r["name"]: r["figures"]["iterations"] for r in run(item)["runs"]}
        self.assertEqual(lists["moved"], lists["turned"])
        self.assertEqual(len(set(lists["stays"])), 1)
        self.assertGreater(len(set(lists["moved"])), 2)

    def test_files_that_are_needed(self):
        """A run without its file is left out, and all rows about it, wherever they name it; one of several files is enough."""
        runs = {"BE": BACKWARD, "no": dict(BACKWARD, needs=["a/nothing.msh", "none.msh"]), "yes": dict(BACKWARD, needs=["none.msh", "paper.json"])}
        rows = [{"published": 0.5, "tolerance": {"relative": 0.01}, "measure": {"ratio": [{"column": "total", "run": r, "take": "first"}, 1]}} for r in runs]
        rows += [{"relation": "a", "expect": {"below": {"column": "total", "run": "no"}}, "measure": 1},
                 {"published": 1, "tolerance": {"absolute": 0}, "measure": {"over": "n*", "take": "count", "of": {"column": "total"}}}]
        got = run(with_rows(*rows, runs=runs))
        self.assertEqual([row["verdict"] for row in got["rows"]], ["reproduced", "not comparable", "reproduced", "not comparable", "not comparable"])
        self.assertIn("nothing.msh is absent", (FOLDER / "out/paper.md").read_text())

    def test_stays(self):
        """From when on a velocity that swings is low for good; not at all, if it is not at the end."""
        velocities = [v for _, v in backward_euler(0.1, 10)]
        since = lambda limit: 0.1 * (max([i for i, v in enumerate(velocities) if v >= limit], default=-1) + 1)
        got = measured([{"column": "momentum_x", "run": "BE", "take": "stays", "below": b} for b in (0.9, 0.2, 2, -9)])
        self.assertTrue(0 < since(0.9) < since(0.2) <= 1)
        for value, limit in zip(got, (0.9, 0.2, 2)):
            self.assertAlmostEqual(value, since(limit), delta=1e-9)
        self.assertIsNone(got[3])

    def test_rises(self):
        """How often an oscillator's velocity comes above a limit: one that started above and one that only trembles below it are not counted."""
        velocities = [v for _, v in backward_euler(0.02, 1000)]  # six swings, each smaller than the one before
        rises = lambda above, below: sum(1 for at in range(1, len(velocities)) if velocities[at] > above and velocities[at - 1] <= above
                                         and min(velocities[max(i for i in range(at) if velocities[i] > above):at], default=0) < below)
        got = measured([dict({"column": "momentum_x", "run": "BE", "take": "rises", "above": a}, **more)
                        for a, more in ((0.02, {}), (0.02, {"below": -0.6}), (0.02, {"below": -0.8}), (2, {}), (0.02, {"to": 2.5}))],
                       runs={"BE": {"scene": "s", "until": 20, "set": {"integrator.scheme": "backward-euler", "time.step": 0.02}}})
        self.assertEqual(got, [rises(0.02, 0.02), rises(0.02, -0.6), rises(0.02, -0.8), 0, 1])
        self.assertTrue(0 < got[2] < got[1] < got[0], got)

    def test_seconds(self):
        got = measured([{"seconds": w, "run": "BE"} for w in ("all", "step", "iteration")] + [{"column": "newton_iterations", "run": "BE", "take": "sum"}])
        self.assertGreater(got[0], 0)
        self.assertAlmostEqual(got[1] * 10 / got[0], 1, delta=1e-9)
        self.assertAlmostEqual(got[2] * got[3] / got[0], 1, delta=1e-9)
        # of ten steps at least five are as long as the median or longer, and the phases are parts of steps
        got = measured([{"seconds": w, "run": "BE"} for w in ("all", "median")])
        self.assertTrue(0 < got[1] <= got[0] / 5, got)
        self.assertLessEqual(*reversed(measured([{"seconds": w, "run": "one"} for w in ("all", "median")], runs={"one": dict(BACKWARD, until=0.1), "BE": BACKWARD})))

    def test_seconds_of_processors(self):
        """Those of the figures, of the steps alone: more in 300 times the steps; a run that fails has none."""
        lost = {"scene": "s", "may_fail": True, "set": {"integrator.scheme": "forward-euler", "time.step": 2, "time.end": 2000}}
        runs = {"BE": BACKWARD, "long": dict(BACKWARD, until=300), "lost": lost}
        got = measured([{"seconds": "processor", "run": "BE"}, {"figure": "cost.processor", "run": "BE"}, {"seconds": "processor", "run": "long"},
                        {"seconds": "processor", "run": "lost"}, {"end": "lost"}], runs=runs)
        self.assertGreater(got[0], 0)
        self.assertEqual(got[0], got[1])
        self.assertGreater(got[2], got[0])
        self.assertEqual(got[3:], [None, 0])

    def test_phases(self):
        names = ["kinematics", "contact", "assembly", "linear", "line_search", "policy", "ledger", "settle"]
        projected = dict(BACKWARD, set={"integrator.policy": "project"})
        got = measured([{"phase": w, "run": "project", "take": "sum"} for w in ["all"] + names] +
                       [{"phase": "all", "run": "project", "take": "min"}, {"phase": "all", "run": "project", "take": "sum", "from": 0.15},
                        {"seconds": "all", "run": "project"}], runs={"project": projected})
        self.assertGreater(got[1 + names.index("policy")], 0)
        self.assertAlmostEqual(got[0], sum(got[1:9]), delta=1e-9 * got[0])
        self.assertGreater(got[9], 0)
        self.assertLess(got[10], got[0])
        self.assertLessEqual(got[0], got[11])

    def test_two_runs(self):
        runs = {"BE": BACKWARD, "fine": dict(BACKWARD, set={"integrator.scheme": "backward-euler", "time.step": 0.05})}
        a, b = backward_euler(0.1, 10), backward_euler(0.05, 20)
        want = math.sqrt(sum((v - b[2 * i][1]) ** 2 for i, (_, v) in enumerate(a)) / 11)
        got = measured([{"deviation": "BE", "reference": "fine", "column": "momentum_x"}, {"difference": [3, 1]}, {"ratio": [3, 2]}, {"relative": [3, -2]},
                        {"size": {"difference": [1, 3]}}, {"figure": "energy.end.total", "run": "BE"}], runs=runs)
        for value, expected in zip(got, (want, 2, 1.5, 2.5, 2, 0.5 * a[-1][1] ** 2 + 0.5 * K * a[-1][0] ** 2)):
            self.assertAlmostEqual(value, expected, delta=1e-9)


class Runs(unittest.TestCase):
    def test_for_lists(self):
        runs = {"{m} {k}": {"for": {"m": [{"name": "A", "set": {"integrator.scheme": "backward-euler"}}, {"name": "B", "set": {"integrator.scheme": "bdf2"}}],
                                    "k": {"from": 1, "to": 100, "count": 3, "log": True}}, "scene": "s"}}
        item = with_rows({"label": "{m} at {k}", "for": {"m": ["A", "B"], "k": [1, 100]}, "tolerance": {"relative": 0.01}, "unit": "J",
                          "published": {"key": "{m} {k}", "values": {"A 1": 1, "A 100": 2, "B 1": 3, "B 100": 4}},
                          "measure": {"column": "attachment", "run": "{m} {k}", "take": "at", "time": 0.1}}, runs=runs)
        item["scenes"]["s"]["bodies"][0]["attach"][0]["stiffness"] = "{k}"
        found = run(item)
        self.assertEqual([r["name"] for r in found["runs"]], ["A 1", "A 10", "A 100", "B 1", "B 10", "B 100"])
        self.assertEqual([r["label"] for r in found["rows"]], ["A at 1", "A at 100", "B at 1", "B at 100"])
        self.assertEqual([r["published"] for r in found["rows"]], [1, 2, 3, 4])
        for row, k in zip(found["rows"][:2], (1, 100)):
            x = 0.1 / (1 + 0.01 * k)
            self.assertAlmostEqual(row["measured"], 0.5 * k * x * x, delta=1e-9)

    def test_short_form(self):
        item = dict(copy.deepcopy(BASE), quick={"runs": {"BE": {"until": 0.3}}})
        self.assertEqual(run(item)["rows"][0]["verdict"], "reproduced")
        short = run(item, "--quick")
        self.assertEqual((short["runs"][0]["until"], short["rows"][0]["verdict"], short["rows"][0]["differs"]), (0.3, "not comparable", "short form"))
        self.assertEqual(run(BASE, "--quick")["rows"][0]["verdict"], "reproduced")

    def test_kept_and_run_anew(self):
        mesh = FOLDER / "exp" / "paper" / "cloud.obj"
        write(BASE)
        mesh.write_text("v 0 0 0\np 1\n")
        item = copy.deepcopy(BASE)
        item["scenes"]["s"]["bodies"][0]["mesh"] = {"file": "cloud.obj"}
        first = run(item, out="kept")["runs"][0]["file"]
        made = (FOLDER / first).stat().st_mtime_ns
        self.assertEqual(run(item, out="kept")["runs"][0]["file"], first)
        self.assertEqual((FOLDER / first).stat().st_mtime_ns, made)
        run(item, "--again", out="kept")
        self.assertGreater((FOLDER / first).stat().st_mtime_ns, made)
        mesh.write_text("v 0 0 0.5\np 1\n")
        self.assertNotEqual(run(item, out="kept")["runs"][0]["file"], first)
        item["runs"]["BE"]["until"] = 0.5
        self.assertNotEqual(run(item, out="kept")["runs"][0]["file"], first)

    def test_cut_off(self):
        """Ctrl-C: what had ended is kept, what had not is not taken for ended."""
        item = dict(copy.deepcopy(BASE), runs={"BE": BACKWARD, "long": dict(BACKWARD, until=1e6)})
        write(item)
        child = subprocess.Popen([PROGRAM, "reproduce", "--experiments", "exp", "-o", "cut", "--quiet", "-j", "2"], cwd=FOLDER, env=ENVIRONMENT,
                                 stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 120
        while not list((FOLDER / "cut" / "runs").glob("*.json")) and time.monotonic() < until:
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=120)[1]
        self.assertEqual(child.returncode, 130, said)
        self.assertIn("interrupted", said)
        kept = list((FOLDER / "cut" / "runs").glob("*.json"))
        self.assertEqual(len(kept), 1)
        self.assertEqual(json.loads(kept[0].read_text())["status"], "done")
        self.assertFalse((FOLDER / "cut" / "paper.html").exists())

    def test_same_bytes(self):
        item = dict(copy.deepcopy(BASE), plots=[{"title": "Energy", "curves": [{"run": "*", "column": "total"}]}])
        pages = []
        for out in ("one", "two"):
            run(item, out=out)
            pages.append({p.name: p.read_bytes() for p in (FOLDER / out).iterdir() if p.is_file() and p.suffix != ".csv"})
        self.assertEqual(sorted(pages[0]), sorted(pages[1]))
        self.assertIn("paper.html", pages[0])
        self.assertEqual(pages[0], pages[1])
        if shutil.which("gnuplot"):
            self.assertIn("paper-item-1.svg", pages[0])
            self.assertIn(b"paper-item-1.svg", pages[0]["paper.html"])

    @unittest.skipUnless(shutil.which("gnuplot"), "needs gnuplot")
    def test_what_plots_say(self):
        """Curves are called by what differs, or as the plot has it; an axis that spans less than a decade is not logarithmic."""
        item = copy.deepcopy(BASE)
        item["runs"]["a point, {way}, short"] = dict(BACKWARD, **{"for": {"way": [{"name": "held", "set": {}}, {"name": "free", "set": {}}]}})
        energy = {"title": "a", "log": "y", "curves": [{"run": "a point, *", "column": "total"}]}
        item["plots"] = [energy, dict(energy, curves=[{"run": "a point, *", "column": "total", "label": "mine, short"}]),
                         {"title": "b", "log": "y", "curves": [{"for": {"k": [1, 30]}, "measure": {"ratio": ["{k}", 1]}, "label": "k"}]},
                         {"title": "b", "log": "y", "curves": [{"for": {"k": [1, 3]}, "measure": {"ratio": ["{k}", 1]}, "label": "k"}]}]
        run(item, out="plots")
        svg = [(FOLDER / "plots" / f"paper-item-{i}.svg").read_text() for i in range(1, 5)]
        self.assertTrue(">held<" in svg[0] and ">free<" in svg[0] and "a point" not in svg[0] and "short" not in svg[0], svg[0])
        self.assertIn("mine, short", svg[1])
        powers = [text.count('>10</tspan><tspan') for text in svg]
        self.assertTrue(powers[2] > 0 and powers[3] == 0, powers)

    def test_without_gnuplot(self):
        write(dict(copy.deepcopy(BASE), plots=[{"title": "Energy", "curves": [{"run": "*", "column": "total"}]}]))
        done = call("reproduce", "--experiments", "exp", "-o", "bare", "--quiet", PATH="/nowhere")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("gnuplot is not installed", (FOLDER / "bare" / "paper.html").read_text())

    def test_a_run_that_fails(self):
        box = {"visviva": 1, "name": "box", "time": {"step": 0.5, "end": 50}, "solver": {"max_iterations": 1}, "contact": {"model": "none"},
               "bodies": [{"name": "box", "mesh": {"box": {"cells": [1, 1, 1]}}, "material": {"model": "neo-hookean", "young": 1e3},
                           "attach": [{"where": {"percent": [[0, 0, 0], [0, 100, 100]]}, "kind": "fixed"}]}]}
        row = {"relation": "stops", "expect": {"holds": False}, "measure": {"end": "bad"}}
        bad = {"scene": "b", "set": {"integrator.scheme": "implicit-midpoint", "gravity": [0, -1e5, 0]}}
        item = with_rows(row, runs={"bad": bad})
        item["scenes"] = {"b": box}
        found = run(item, code=1)
        self.assertTrue(found["runs"][0]["status"].startswith("stopped at"), found["runs"][0]["status"])
        self.assertEqual(found["rows"][0]["verdict"], "relation holds")
        bad["may_fail"] = True
        item["rows"][0]["measure"] = {"fails": "bad"}
        item["rows"][0]["expect"] = {"at_least": 1}
        found = run(item)
        self.assertEqual(found["rows"][0]["verdict"], "relation holds")


    def test_what_a_run_did_not_reach(self):
        """Of a run that ended early only what is known without its rest is measured: else a row could call half a run reproduced."""
        bad = {"scene": "s", "may_fail": True, "set": {"integrator.scheme": "forward-euler", "time.step": 2, "time.end": 2000}}
        c = lambda take, **more: dict({"column": "total", "run": "bad", "take": take}, **more)
        unknown = [c(t) for t in ("last", "min", "max", "mean", "rms", "sum", "range", "spread", "when_min", "when_max", "increases", "decreases")]
        unknown += [c("share", above=1), c("max", to=1900), {"position": "x", "run": "bad", "take": "max"}, {"figure": "cost.steps", "run": "bad"},
                    {"deviation": "bad", "reference": "bad", "column": "total"}, c("at", time=1900), c("when_below", below=0)]
        known = [c("first"), c("at", time=2), c("when_above", above=2), c("max", to=4), c("increases", to=4),
                 {"position": "distance", "run": "bad", "take": "max", "to": 2}, {"figure": "energy.start.total", "run": "bad"},
                 {"over": "b*", "take": "count", "of": {"column": "total", "take": "max"}}]
        bar = {"visviva": 1, "name": "bar", "gravity": [0, 0, 0], "time": {"step": 2, "end": 4000}, "contact": {"model": "none"},
               "integrator": {"scheme": "forward-euler"},
               "bodies": [{"name": "bar", "mesh": {"chain": {"nodes": 3}}, "material": {"model": "hooke-rod", "density": 1, "stiffness": 1},
                           "start": [{"profile": {"velocity": [0.1, 0, 0], "axis": [1, 0, 0]}}]}]}
        unknown += [{"over": "b*", "take": take, "of": {"column": "total", "take": "max"}} for take in ("max", "min", "mean", "sum")]
        unknown.append({"waves": [1, 2], "run": "bar", "speed": 1, "mass": 1, "take": "max"})
        rows = [{"relation": "holds", "expect": {"at_least": -1e300}, "measure": m} for m in unknown + known]
        found = run(with_rows(*rows, runs={"bad": bad, "bar": {"scene": bar, "may_fail": True}, "be": BACKWARD},
                              motion=[{"label": "time, s", "measure": {"column": "time"}}]))
        self.assertIn("stopped at", found["runs"][0]["status"])
        for row, measure in zip(found["rows"], unknown):
            self.assertEqual((row["measured"], row["verdict"]), (None, "differs"), measure)
        for row in (found["rows"][0], found["rows"][len(unknown) - 1]):
            self.assertIn("stopped at", row["differs"])
        # forward Euler multiplies the energy by 1 + h²k = 17 in each step
        for row, want in zip(found["rows"][len(unknown):], (0.5, 8.5, 2, 144.5, 2, 2, 0.5, 1)):
            self.assertAlmostEqual(row["measured"], want, delta=1e-9 * want)

    def test_a_start_without_energy(self):
        """No energy is a multiple of none: neither an explosion nor a largest step can be told by it."""
        fall = {"visviva": 1, "name": "fall", "time": {"step": 0.01, "end": 0.5}, "contact": {"model": "none"},
                "bodies": [{"name": "point", "material": {"model": "free", "density": 1}, "mesh": {"points": [[0, 0, 0]]}}]}
        runs = {"fall": {"scene": "fall", "set": {"integrator.scheme": "implicit-midpoint"}},
                "most": {"kind": "largest-step", "scene": "fall", "low": 0.01, "high": 0.1, "may_fail": True}}
        item = with_rows(*[{"not_comparable": "a test", "measure": m}
                           for m in ({"explodes": "fall"}, {"largest_step": "survives", "run": "most"}, {"largest_step": "fails", "run": "most"})],
                         runs=runs, scenes={"fall": fall})
        found = run(item)
        self.assertEqual([row["measured"] for row in found["rows"]], [None] * 3)
        self.assertIn("the energy at the start is 0 J", next(r for r in found["runs"] if r["name"] == "most")["status"])
        for name in runs:
            runs[name]["set"] = {"integrator.scheme": "implicit-midpoint", "integrator.ground_energy": -100}
        self.assertEqual([row["measured"] for row in run(item)["rows"]], [None, 0.1, None])


class Wrong(unittest.TestCase):
    def refused(self, item, *words, paper=None, arguments=()):
        shutil.rmtree(FOLDER / "exp", ignore_errors=True)
        write(item, paper)
        done = call("reproduce", "--experiments", "exp", "-o", "never", *arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((FOLDER / "never").exists())

    def changed(self, path, value):
        item = copy.deepcopy(BASE)
        *way, last = path
        at = item
        for key in way:
            at = at[key]
        at[last] = value
        return item

    def test_files(self):
        self.refused('{ "title": ', "item.json:1:")
        self.refused('{ "title": "a", "title": "b" }', "duplicate")
        self.refused({}, "item.json", '"title" is missing')
        self.refused([], "must be an object")
        self.refused(BASE, 'unknown key "titel"; did you mean "title"?', paper={"titel": "a", "citation": "b"})
        self.refused(BASE, 'there is no paper "papre"', 'did you mean "paper"?', arguments=("papre",))
        self.refused(BASE, 'there is no item "itme"', 'did you mean "item"?', arguments=("paper", "itme"))
        done = call("reproduce", "--experiments", "nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere", done.stderr)

    def test_keys_and_values(self):
        for path, value, *words in (
                (("rwos",), [], 'unknown key "rwos"; did you mean "rows"?'),
                (("long",), 3, "long", "must be a text"),
                (("rows",), [], "rows", "must be a list"),
                (("rows",), [3], "rows[0]", "must be an object"),
                (("runs",), {}, "runs", "a run for each name"),
                (("runs", "BE", "sett"), {}, "runs.BE", 'unknown key "sett"; did you mean "set"?'),
                (("runs", "BE", "set"), ["a"], "runs.BE.set"),
                (("runs", "BE", "set"), {"integrator.scheme": "bfd2"}, "bdf2"),
                (("runs", "BE", "set"), {"integrator.sheme": "bdf2"}, "sheme"),
                (("runs", "BE", "scene"), "nothing-like-it", "nothing-like-it"),
                (("runs", "BE", "scene"), 3, "runs.BE.scene"),
                (("runs", "BE", "until"), -1, "runs.BE.until"),
                (("runs", "BE", "until"), "soon", "runs.BE.until"),
                (("runs", "BE", "may_fail"), "yes", "runs.BE.may_fail"),
                (("runs", "BE", "kind"), "matrx", 'did you mean "matrix"?'),
                (("runs", "BE", "for"), [1], "runs.BE.for"),
                (("runs", "BE", "for"), {"a": []}, "runs.BE.for.a"),
                (("runs", "BE", "for"), {"a": [1, 2]}, "two runs have this name"),
                (("runs", "BE", "for"), {"a": [{"name": "x"}]}, '"set" is missing'),
                (("runs", "BE", "for"), {"a": {"from": 0, "to": 1, "count": 3, "log": True}}, "larger than 0"),
                (("runs", "BE", "for"), {"a": {"from": 0, "to": 1, "count": 1e9}}, "count"),
                (("runs", "BE {b}"), BACKWARD, "{b} is no name"),
                (("scenes", "s", "gravty"), 1, "gravty"),
                (("rows", 0, "label"), 3, "rows[0].label", "must be a text"),
                (("rows", 0, "label"), "{h}", "{h} is no name"),
                (("problem",), None, "rows[0].problem"),
                (("problem",), "mine", "rows[0].problem", '"like"'),
                (("problem",), "like", "unlike"),
                (("rows", 0, "problem"), "other", "unlike"),
                (("rows", 0, "unlike"), "a cube", "goes with the problems"),
                (("rows", 0, "published"), None, "rows[0].published", '"relation"'),
                (("rows", 0, "published"), "so", "rows[0].published", '"relation"'),
                (("rows", 0, "relation"), "so", "claims one thing"),
                (("rows", 0, "better"), "larger", "rows[0].better"),
                (("rows", 0, "fitted"), 1, "rows[0].fitted"),
                (("rows", 0, "chaotic"), True, "tolerance"),
                (("rows", 0, "tolerance"), {"relative": 0.6}, "rows[0].tolerance", "not the same number"),
                (("motion",), [], "motion"),
                (("motion",), [{"label": "a"}], "motion[0]", "measure"),
                (("motion",), [{"label": "a", "runs": "x*", "measure": {"column": "time"}}], "motion[0].runs"),
                (("motion",), [{"label": "a", "measure": {"column": "tim"}}], "motion[0].measure", "time"),
                (("rows", 0, "published"), True, "rows[0].published"),
                (("rows", 0, "published"), [2, 1], "[low, high]"),
                (("rows", 0, "published"), {"key": "a", "values": {"b": 1}}, '"values" has no "a"'),
                (("rows", 0, "expect"), {"above": 1}, "expect"),
                (("rows", 0, "tolerance"), None, "rows[0].tolerance"),
                (("rows", 0, "tolerance"), {"relative": -1}, "rows[0].tolerance"),
                (("rows", 0, "tolerance"), {"relative": 1, "absolute": 1}, "rows[0].tolerance"),
                (("rows", 0, "measure"), {"colum": "total"}, "rows[0].measure", "column"),
                (("rows", 0, "measure"), None, "rows[0]", "not_comparable"),
                (("rows", 0, "measure"), {"column": "totl", "run": "BE"}, 'did you mean "total"?'),
                (("rows", 0, "measure"), {"column": "total"}, '"run" is missing'),
                (("rows", 0, "measure"), {"column": "total", "run": "EB"}, "rows[0].measure.run", '"EB"'),
                (("rows", 0, "measure"), {"column": "total", "run": "BE", "take": "most"}, "must be one of"),
                (("rows", 0, "measure"), {"column": "total", "run": "BE", "take": "at"}, '"time"'),
                (("rows", 0, "measure"), {"column": "total", "run": "BE", "take": "when_above", "below": 1}, "limit"),
                (("rows", 0, "measure"), {"column": "total", "run": "BE", "as": "percent"}, "must be one of"),
                (("rows", 0, "measure"), {"column": "total", "run": "BE", "from": "a"}, "must be a number"),
                (("rows", 0, "measure"), {"matrix": "trace", "run": "BE"}, 'of the kind "run"'),
                (("rows", 0, "measure"), {"position": "w", "run": "BE"}, "x, y, z"),
                (("rows", 0, "measure"), {"ratio": [1]}, "two measures"),
                (("rows", 0, "measure"), {"ratio": [1, {"end": "EB"}]}, "rows[0].measure.ratio[1].end"),
                (("rows", 0, "measure"), {"order": ["BE"], "reference": "BE"}, "two or more"),
                (("rows", 0, "measure"), {"over": "X*", "take": "max", "of": {"column": "total"}}, 'like "X*"'),
                (("rows", 0, "measure"), {"over": "B*", "take": "most", "of": {"column": "total"}}, "must be one of"),
                (("rows", 0, "measure"), {"over": "B*", "take": "max", "of": {"column": "total"}, "at": "h"}, '"h" is no number'),
                (("rows", 0, "measure"), {"explodes": "BE", "factor": 2}, "factor"),
                (("rows", 0, "measure"), {"seconds": "all", "run": "BE"}, "motion", '"BE"', "whose cost is compared"),
                (("rows", 0, "measure"), {"waves": [0, 1], "run": "BE", "speed": 1, "mass": 1}, "rows[0].measure.waves", "whole numbers"),
                (("rows", 0, "measure"), {"waves": [2, 1], "run": "BE", "speed": 1, "mass": 1}, "rows[0].measure.waves", "whole numbers"),
                (("rows", 0, "measure"), {"waves": [1, 2], "run": "BE", "speed": 0, "mass": 1}, "rows[0].measure.speed"),
                (("rows", 0, "measure"), {"waves": [1, 2], "run": "BE", "speed": 1, "mass": "1"}, "rows[0].measure.mass"),
                (("rows", 0, "measure"), {"spectrum": "high", "modes": 1, "run": "BE"}, "rows[0].measure.spectrum", "highest, lowest"),
                (("rows", 0, "measure"), {"spectrum": "highest", "modes": 0, "run": "BE"}, "rows[0].measure.modes", "whole number"),
                (("rows", 0, "measure"), {"spectrum": "highest", "modes": 1, "run": "BE", "body": 1}, "rows[0].measure.body"),
                (("rows", 0, "measure"), {"spectrum": "highest", "modes": 1, "run": "BE", "of": "all"}, "rows[0].measure.of", "state, visible"),
                (("rows", 0, "measure"), {"equation": "roots", "run": "BE"}, 'of the kind "run"'),
                (("rows", 0, "measure"), {"equation": "many", "run": "BE"}, "must be one of"),
                (("rows", 0, "measure"), {"convergence": "failed", "run": "BE"}, 'of the kind "run"'),
                (("rows", 0, "measure"), {"convergence": "all", "run": "BE"}, "must be one of"),
                (("rows", 0, "measure"), {"convergence": "within", "run": "BE"}, "whole number from 0"),
                (("rows", 0, "measure"), {"convergence": "slower", "run": "BE"}, "the run that is compared with"),
                (("plots",), [{"title": "t", "maps": [["BE"]]}], "plots[0].maps[0][0].run"),
                (("plots",), [{"title": "t", "maps": []}], "plots[0].maps"),
                (("rows", 0, "measure"), {"bending": "bent", "run": "BE"}, "rows[0].measure.bending", "pressed, all"),
                (("rows", 0, "measure"), {"bending": "all", "run": "BE", "body": 1}, "rows[0].measure.body"),
                (("rows", 0, "measure"), {"bending": "all", "run": "BB"}, "rows[0].measure.run", 'did you mean "BE"'),
                (("rows", 0, "measure"), {"bending": "all", "run": "BE", "take": "at"}, 'needs "time"'),
                (("rows", 0, "measure"), {"seconds": "hour", "run": "BE"}, "must be one of"),
                (("rows", 0, "measure"), {"column": "total", "run": "BE", "take": "rises"}, "needs a limit"),
                (("rows", 0, "measure"), {"column": "total", "run": "BE", "take": "stays"}, "needs a limit"),
                (("rows", 0, "measure"), {"column": "total", "run": "BE", "take": "rises", "above": 1, "below": 2}, "at most"),
                (("rows", 0, "measure"), {"phase": "solve", "run": "BE"}, "rows[0].measure.phase", "all, kinematics", "policy"),
                (("quick",), [1], "quick"),
                (("plots",), {}, "plots"),
                (("plots",), [{"title": "a"}], "curves"),
                (("plots",), [{"title": "a", "curves": [{"run": "X", "column": "total"}]}], "plots[0].curves[0]"),
                (("plots",), [{"title": "a", "curves": [{"run": "BE", "column": "totl"}]}], "plots[0].curves[0].column"),
                (("plots",), [{"title": "a", "curves": [{"over": "BE", "measure": {"column": "total"}}]}], '"x"'),
                (("plots",), [{"title": "a", "curves": [{"for": {"k": ["x"]}, "measure": {"end": "BE"}, "label": "b"}]}], "must be numbers"),
                (("plots",), [{"title": "a", "curves": [{"for": {"k": [1], "l": [1]}, "measure": {"end": "BE"}, "label": "b"}]}], "one name"),
                (("plots",), [{"title": "a", "curves": [{"for": {"k": [1]}, "measure": {"end": "B{k}"}, "label": "b"}]}], '"B1"'),
                (("plots",), [{"title": "a", "curves": [{"for": {"k": [1]}, "measure": {"end": "BE"}}]}], "plots[0].curves[0]", "label"),
                (("plots",), [{"title": 3, "curves": [{"run": "BE", "column": "total"}]}], "plots[0].title", "must be a text"),
                (("plots",), [{"title": "a", "curves": [{"run": 3, "column": "total"}]}], "plots[0].curves[0]"),
                (("runs", "BE", "for"), {"a": ["x" * 200]}, "runs.BE.for.a", "longer than"),
                (("runs", "BE" * 100), BACKWARD, "longer than"),
                (("plots",), [{"title": "a", "log": "z", "curves": [{"run": "BE", "column": "total"}]}], "plots[0].log")):
            with self.subTest(path=path, value=value):
                self.refused(self.changed(path, value), "exp/paper/item.json", *words)

    def test_kinds(self):
        for more, *words in (({"kind": "matrix", "node": 1}, "runs.BE.node"), ({"kind": "matrix", "direction": [0, 0, 0]}, "runs.BE.direction"),
                             ({"kind": "matrix", "size": -1}, "runs.BE.size"), ({"kind": "matrix", "past": 9}, "runs.BE.past"),
                             ({"kind": "matrix", "low": 1}, 'unknown key "low"'), ({"kind": "largest-step"}, "low"),
                             ({"kind": "largest-step", "low": 1, "high": 1}, "low < high"),
                             ({"kind": "largest-step", "low": 1, "high": 2, "part": 2}, "part"),
                             ({"kind": "largest-step", "low": 1, "high": 2, "explodes": 1}, "explodes"),
                             ({"kind": "equation"}, "low"), ({"kind": "equation", "low": 1, "high": 1}, "low below high"),
                             ({"kind": "equation", "low": 0, "high": 1, "count": 3}, "runs.BE.count"),
                             ({"kind": "equation", "low": 0, "high": 1, "node": 1}, "runs.BE.node"),
                             ({"kind": "equation", "low": 0, "high": 1, "direction": [1]}, "runs.BE.direction"),
                             ({"kind": "convergence"}, "runs.BE.rest"), ({"kind": "convergence", "rest": [0]}, "runs.BE.rest"),
                             ({"kind": "convergence", "rest": [0, 0], "size": [0, 3]}, "runs.BE.size"),
                             ({"kind": "convergence", "rest": [0, 0], "size": [2.5, 3]}, "runs.BE.size"),
                             ({"kind": "convergence", "rest": [0, 0], "x": [1, 0]}, "low below high"),
                             ({"kind": "convergence", "rest": [0, 0], "nodes": [1]}, "runs.BE.nodes"),
                             ({"kind": "convergence", "rest": [0, 0], "nodes": []}, "runs.BE.nodes"),
                             ({"kind": "convergence", "rest": [1, 0], "turned": []}, "runs.BE.turned"),
                             ({"kind": "convergence", "rest": [1, 0], "turned": [[0]]}, "runs.BE.turned"),
                             ({"kind": "convergence", "rest": [0, 0], "turned": [[0, 0]]}, "not be [0, 0]"),
                             ({"kind": "convergence", "rest": [1, 0], "turned": [[0, 0]], "nodes": [0]}, "one of the two"),
                             ({"needs": "a"}, "runs.BE.needs"), ({"needs": []}, "runs.BE.needs"), ({"needs": [1]}, "runs.BE.needs")):
            with self.subTest(more=more):
                self.refused(self.changed(("runs", "BE"), dict(BACKWARD, **more)), *words)


class Names(unittest.TestCase):
    """A name stands for all items that it begins, word by word; hyphens, and zeros before a number, do not count; an item of that very name comes before them."""

    def chosen(self, name):
        done = call("reproduce", "--experiments", "exp", "--list", "paper", name)
        return {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")} if done.returncode == 0 else done.returncode

    def test_names(self):
        shutil.rmtree(FOLDER / "exp", ignore_errors=True)
        for name in ("table-1-ball", "table-1-ball-affine", "table-1-bar", "table-10", "fig-2", "fig-2-b", "fig-03-a"):
            write(BASE, name=name + ".json")
        parts = {"table-1-ball", "table-1-ball-affine", "table-1-bar"}
        for name, expected in (("table1", parts), ("table-1", parts), ("table", parts | {"table-10"}), ("table-1-ball", {"table-1-ball"}),
                               ("table1ball", {"table-1-ball"}), ("table10", {"table-10"}), ("fig-2", {"fig-2"}), ("fig02", {"fig-2"}), ("fig3", {"fig-03-a"}), ("fig-3-a", {"fig-03-a"}),
                               ("table-01", parts), ("fig0", 2), ("fig-30", 2), ("table1-0", {"table-10"}), ("table-1-ba", 2), ("table-1-bar-2", 2)):
            with self.subTest(name=name):
                self.assertEqual(self.chosen(name), expected)
        shutil.rmtree(FOLDER / "exp", ignore_errors=True)

    def test_long_items(self):
        """They run where their whole name is given, and in their short form; everywhere else they are left out and told of."""
        shutil.rmtree(FOLDER / "exp", ignore_errors=True)
        shutil.rmtree(FOLDER / "out", ignore_errors=True)
        write(dict(copy.deepcopy(BASE), long="many hours", quick={"runs": {"BE": {"until": 0.3}}}), name="ball-long.json")
        write(BASE, name="ball.json")

        def names(*arguments, code=0):
            done = call("reproduce", "--experiments", "exp", "-o", "out", "--json", "r.json", *arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            return [i["item"] for i in json.loads((FOLDER / "r.json").read_text())["papers"][0]["items"]] if code == 0 else done.stderr

        self.assertEqual(names("paper"), ["ball"])
        self.assertEqual(names("paper", "ball"), ["ball"])
        self.assertEqual(names("paper", "ball-long"), ["ball-long"])
        self.assertEqual(names("paper", "balllong"), ["ball-long"])
        self.assertEqual(sorted(names("paper", "--quick")), ["ball", "ball-long"])
        (FOLDER / "exp/paper/ball.json").unlink()
        self.assertIn("ball-long", names("paper", "ball", code=2))
        self.assertIn("many hours", names("paper", "ball", code=2))
        done = call("reproduce", "--experiments", "exp", "--list")
        self.assertIn("takes many hours", done.stdout)
        shutil.rmtree(FOLDER / "exp", ignore_errors=True)


class Results(unittest.TestCase):
    """Kept runs are judged anew, short forms leave out what takes long, and verdicts are recorded beside the paper."""

    def setUp(self):
        for name in ("exp", "out", "kept"):
            shutil.rmtree(FOLDER / name, ignore_errors=True)

    def lines(self, path):
        with open(FOLDER / path, newline="") as file:
            return list(csv.DictReader(file))

    def reproduce(self, *arguments, code=0):
        done = call("reproduce", "--experiments", "exp", "-o", "kept", "--json", "r.json", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads((FOLDER / "r.json").read_text())["papers"] if code == 0 else done.stderr

    def test_judging_without_running(self):
        more = dict(copy.deepcopy(BASE))
        more["runs"]["again"] = dict(BACKWARD, until=0.5)
        more["rows"].append({"label": "again", "published": 1, "tolerance": {"relative": 0.1}, "from": "text", "measure": {"column": "time", "run": "again"}})
        write(BASE)
        self.reproduce()
        write(more)
        rows = self.reproduce("--judge")[0]["items"][0]["rows"]
        self.assertEqual([(row["verdict"], row["measured"]) for row in rows], [("reproduced", 0.5), ("not run", None)])
        self.assertEqual(len(list((FOLDER / "kept/runs").glob("*.vtkhdf"))), 1)
        # kept by another program
        for path in (FOLDER / "kept/runs").iterdir():
            path.rename(path.with_name(path.name.split("-")[0] + "-0123456789abcdef" + path.suffix))
        more["rows"][0]["published"] = 0.6
        write(more)
        rows = self.reproduce("--judge")[0]["items"][0]["rows"]
        self.assertEqual([row["verdict"] for row in rows], ["differs", "not run"])
        self.assertEqual([row["verdict"] for row in self.reproduce()[0]["items"][0]["rows"]], ["differs", "differs"])
        self.assertEqual(len(list((FOLDER / "kept/runs").glob("*.vtkhdf"))), 3)

    def test_short(self):
        item = copy.deepcopy(BASE)
        item["runs"]["long"] = dict(BACKWARD, until=1e7)
        item["runs"]["plain"] = dict(BACKWARD, until=0.3)
        item["rows"] += [{"label": "long", "relation": "x", "expect": {"above": 0}, "from": "text", "measure": {"column": "time", "run": "long"}},
                         {"label": "not compared", "not_comparable": "x", "from": "text", "measure": {"column": "time", "run": "plain"}}]
        write(item)
        rows = self.reproduce("--short")[0]["items"][0]["rows"]
        self.assertEqual([row["verdict"] for row in rows], ["reproduced", "not run", "not run"])
        self.assertEqual(len(list((FOLDER / "kept/runs").glob("*.vtkhdf"))), 1)

    def test_record(self):
        """Rows that ran replace their lines; those that did not, and other items, keep theirs."""
        other = dict(copy.deepcopy(BASE))
        other["rows"][0]["label"] = 'a "label", with a comma'
        write(BASE, name="b.json")
        write(other, name="a.json")
        write(other, name="c.json")
        self.reproduce("--record")
        first = self.lines("exp/paper/results.csv")
        self.assertEqual([(row["item"], row["verdict"]) for row in first], [(name, "reproduced") for name in "abc"])
        self.assertEqual(first[0]["row"], 'a "label", with a comma')
        self.assertEqual([first[0][key] for key in ("problem", "claim", "published", "measured", "value")], ["paper", "published", "0.5 (± 1%)", "0.5", "0.5"])
        self.assertRegex(first[0]["date"], r"^\d{4}-\d\d-\d\d$")
        changed = copy.deepcopy(BASE)
        changed["rows"][0]["published"] = 0.7
        changed["rows"].append({"label": "new", "published": 1, "tolerance": {"relative": 0.1}, "from": "text", "measure": {"column": "time", "run": "new"}})
        changed["runs"]["new"] = dict(BACKWARD, until=0.2)
        write(changed, name="b.json")
        (FOLDER / "exp/paper/c.json").unlink()
        self.reproduce("paper", "b", "--judge", "--record")
        self.assertEqual([(row["item"], row["row"], row["verdict"]) for row in self.lines("exp/paper/results.csv")],
                         [("a", first[0]["row"], "reproduced"), ("b", "energy", "differs"), ("b", "new", "not run"), ("c", first[0]["row"], "reproduced")])
        self.reproduce("paper", "b", "--record")
        self.reproduce("paper", "b", "--judge", "--record")
        found = self.lines("exp/paper/results.csv")
        self.assertEqual([row["verdict"] for row in found], ["reproduced", "differs", "differs", "reproduced"])
        self.assertEqual([row["item"] for row in self.lines("kept/paper.csv")], ["b", "b"])
        self.assertIn("--quick", self.reproduce("--quick", "--record", code=2))

    def test_several_items(self):
        write(BASE, name="a.json")
        write(BASE, name="b.json")
        write(BASE, name="c-1.json")
        shutil.copytree(FOLDER / "exp/paper", FOLDER / "exp/second")
        found = self.reproduce("paper", "a", "c1", "second", "b", "--quick")
        self.assertEqual([(p["paper"], [i["item"] for i in p["items"]]) for p in found], [("paper", ["a", "c-1"]), ("second", ["b"])])
        self.assertIn('no paper "a"', self.reproduce("a", "paper", code=2))
        self.assertIn('no item "d"', self.reproduce("paper", "a", "d", code=2))
        self.assertIn("named twice", self.reproduce("paper", "a", "second", "paper", code=2))


class Shipped(unittest.TestCase):
    def test_table_1(self):
        """Every row of A-search's Table 1 has its item."""
        done = call("reproduce", "--list", "a-search", "table1")
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in ("squares", "bar", "armadillo", "balls", "ball-affine", "membrane", "dice", "stairs", "trampoline", "splash", "chain-net"):
            self.assertIn(f"  table-1-{row} ", done.stdout)

    def test_list(self):
        done = call("reproduce", "--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("a-search: ", done.stdout)
        self.assertIn("  appendix-c ", done.stdout)


if __name__ == "__main__":
    if not PROGRAM:
        print("test_reproduce: skipped, no program in $VISVIVA")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        unittest.main(verbosity=1)
