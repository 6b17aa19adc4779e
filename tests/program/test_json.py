#!/usr/bin/env python3
"""--json of check, info, list and mesh: one valid object on stdout whatever happens, with the keys that docs/json.md names and no other
text; the numbers are those of the report for people and of the library's other outputs.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

from terminal_support import PROGRAM, call

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BOX = {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}}
SMALL = {"visviva": 1, "name": "small", "time": {"step": "1/60", "end": 0.1, "record_every": 2},
         "integrator": {"policy": "search", "ground_energy": "none"},
         "materials": {"jelly": {"model": "neo-hookean", "young": 1e5}},
         "bodies": [{"name": "b", "material": "jelly", "mesh": BOX, "place": {"translate": [0, 0.06, 0]}, "velocity": {"linear": [1, 0, 0]}}],
         "obstacles": [{"plane": {}}, {"name": "wall", "mesh": BOX, "place": {"translate": [1, 0.06, 0]}}]}
CUBE = "".join(f"v {x} {y} {z}\n" for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))) + \
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
ENDING = {"ok", "exit_code", "error", "warnings"}


def documented(heading):
    """Names in backquotes of a section of docs/json.md."""
    text = (ROOT / "docs/json.md").read_text()
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL).group(1)
    return set(re.findall(r"`([a-z_A-Z0-9-]+)`", section))


class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        pathlib.Path("small.json").write_text(json.dumps(SMALL))
        pathlib.Path("cube.obj").write_text(CUBE)
        pathlib.Path("open.obj").write_text(CUBE[:CUBE.rindex("f")])
        done = call("run", "small.json", "-q", "-o", "small.vtkhdf")
        assert done.returncode == 0, done.stderr

    def asked(self, code, *arguments):
        done = call(*arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        found = json.loads(done.stdout, parse_constant=lambda word: self.fail(f"{word} is no JSON"))
        self.assertLessEqual(ENDING, set(found))
        self.assertEqual(found["ok"], code == 0)
        self.assertEqual(found["exit_code"], code)
        if code == 2:
            self.assertIn(found["error"], done.stderr)
        else:
            self.assertIsNone(found["error"])
        for warning in found["warnings"]:
            self.assertIn("warning: " + warning, done.stderr)
        return found

    def test_friction(self):
        pathlib.Path("pairs.json").write_text(json.dumps({**SMALL, "obstacles": [{"plane": {"point": [0, -5, 0]}, "friction": 0.5}]}))
        found = self.asked(0, "check", "pairs.json")["friction"]
        self.assertEqual([(f["coefficient"], f["pairs"], f["first"]) for f in found],
                         [(0.5, 1, [["b", "obstacle 0 (plane)"]]), (0, 1, [["b", "itself"]])])

    def test_springs(self):
        """Values of the barrier only where one acts: not where springs meet an obstacle and nothing else can touch."""
        body = {**SMALL["bodies"][0], "self_contact": False}
        scene = {**SMALL, "bodies": [body], "obstacles": [{"plane": {"point": [0, -5, 0]}}], "contact": {"model": "springs", "springs": {"form": "bilateral"}}}
        pathlib.Path("springs.json").write_text(json.dumps(scene))
        found = self.asked(0, "check", "springs.json")
        self.assertEqual(found["contact"]["springs"], {"form": "bilateral", "stiffness": 1e7, "per_vertex": False})
        for value in (found["contact"]["distance"], found["contact"]["stiffness"], found["contact"]["friction_speed"], found["stiffness"]):
            self.assertIsNone(value)
        pathlib.Path("springs.json").write_text(json.dumps({**scene, "bodies": SMALL["bodies"]}))
        found = self.asked(0, "check", "springs.json")
        self.assertGreater(found["contact"]["distance"], 0)
        self.assertIsNone(self.asked(0, "check", "small.json")["contact"]["springs"])

    def test_missing_scenes(self):
        for command in ("check", "info"):
            self.assertIn("no scene of that name", self.asked(2, command, "nowhere")["error"])

    def test_documented(self):
        """Each key that is printed stands in its section of the page."""
        mesh, energies = documented("Meshes"), documented("Energies")
        cases = ((["check", "small.json"], "`check SCENE`"), (["check", "small.vtkhdf"], "`check RUN`"), (["info", "small.vtkhdf"], "`info`"),
                 (["info", "cube.obj"], "`info`"), (["info", "small.json"], "`info`"),
                 (["mesh", "cube.obj", "-o", "doc.msh", "--with", "lattice", "--edge", "0.3"], "`mesh`"))
        for arguments, heading in cases:
            known = documented(heading) | mesh | energies | ENDING
            found = self.asked(0, *arguments)

            def walk(value, inside=""):
                if isinstance(value, dict):
                    for key, part in value.items():
                        if inside not in ("scene", "settings", "contact", "integrator", "solver"):
                            self.assertIn(key, known | ({"step", "begin", "end", "record_every"} if inside == "time" else set()), heading)
                            walk(part, key)
                elif isinstance(value, list):
                    for part in value:
                        walk(part, inside)
            walk(found)

    def test_check_scene(self):
        found = self.asked(0, "check", "small.json")
        self.assertEqual([body["name"] for body in found["bodies"]], ["b", "wall"])
        self.assertEqual([body["path"] for body in found["bodies"]], ["bodies[0]", "obstacles[1]"])
        self.assertEqual([body["obstacle"] for body in found["bodies"]], [False, True])
        self.assertAlmostEqual(found["bodies"][0]["mass"], 1)
        self.assertIsNone(found["bodies"][1]["mass"])
        self.assertEqual(found["obstacles"], 2)
        self.assertAlmostEqual(found["energy"]["kinetic"], 0.5)
        self.assertAlmostEqual(found["min_gap"], 0.01)
        self.assertIsNone(found["ground"])
        self.assertEqual(found["time"]["steps"], 6)
        self.assertEqual(found["integrator"]["settings"]["alpha"], [0, 1.1])
        self.assertEqual(found["settings"]["integrator.alpha"], [0, 1.1])
        self.assertEqual(found["settings"]["solver.tolerance"], found["solver"]["tolerance"])
        self.assertEqual({key.split(".")[0] for key in found["settings"]}, {"time", "gravity", "seed", "integrator", "solver", "contact"})
        self.assertIn("material.young", found["bodies"][0]["settings"])
        self.assertIn("40 tets", call("check", "small.json").stdout)
        self.assertEqual(found["bodies"][0]["tets"], 40)
        far = self.asked(0, "check", "small.json", "--set", "obstacles=[]", "--set", "contact.model=none")
        self.assertIsNone(far["min_gap"])

    def test_failures(self):
        found = self.asked(2, "check", "small.json", "--set", "bodies[0].place.translate=[0,0,0]")
        self.assertIn("starts inside obstacle", found["error"])
        self.assertEqual(found["bodies"][0]["tets"], 40)  # what was found before
        for arguments in (["check", "absent.json"], ["info", "absent.msh"], ["list", "nonsense"], ["mesh", "absent.obj", "-o", "x.msh"],
                          ["mesh", "open.obj", "-o", "x.msh"], ["check", "small.json", "--set", "a=1"], ["check", "small.vtkhdf", "--set", "a=1"]):
            self.assertTrue(self.asked(2, *arguments)["error"])
        for arguments in (["check", "--nonsense"], ["check"], ["list", "--markdown"], ["info", "small.json", "--scene"]):
            done = call(*arguments, "--json")
            self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_warnings(self):
        found = self.asked(0, "check", "small.json", "--set", "bodies[0].mesh.file=cube.obj", "--set", "bodies[0].material={}",
                           "--set", "bodies[0].place.translate=[0,3,0]", "--set", "solver.tolerance=10")
        self.assertEqual(len(found["warnings"]), 2)
        self.assertIn("closed surface without tets", found["warnings"][0])
        self.assertIn("choose a smaller tolerance", found["warnings"][1])

    def test_check_run(self):
        found = self.asked(0, "check", "small.vtkhdf")
        self.assertEqual((found["frames"], found["frames_tested"], found["intersections"], found["bad_frames"]), (4, 4, 0, []))
        self.assertLess(found["min_gap"], 0.01)
        scene = dict(SMALL, obstacles=[], contact={"model": "none"}, gravity=[0, 0, 0])
        scene["bodies"] = SMALL["bodies"] + [{"name": "c", "material": "jelly", "mesh": BOX, "place": {"translate": [0.101, 0.06, 0.01]}}]
        pathlib.Path("through.json").write_text(json.dumps(scene))
        self.assertEqual(call("run", "through.json", "-q", "-o", "through.vtkhdf").returncode, 0)
        found = self.asked(1, "check", "through.vtkhdf")
        self.assertGreater(found["intersections"], 0)
        self.assertEqual(found["intersections"], sum(frame["intersections"] for frame in found["bad_frames"]))
        self.assertEqual(found["bad_frames"][0]["frame"], 1)

    def test_info(self):
        run = self.asked(0, "info", "small.vtkhdf")
        self.assertEqual((run["name"], run["frames"], run["ledger_rows"], run["policy"]), ("small", 4, 7, "search"))
        self.assertAlmostEqual(run["time_end"], 0.1)
        self.assertEqual(run["obstacles"], [{"type": "plane", "values": [0, 0, 0, 0, 1, 0]}])
        mesh = self.asked(0, "info", "open.obj")
        self.assertEqual((mesh["triangles"], mesh["open_edges"], mesh["volume"]), (10, 4, None))
        self.assertAlmostEqual(mesh["area"], 5)
        scene = self.asked(0, "info", "small.json")
        self.assertEqual(scene["scene"]["bodies"][0]["name"], "b")
        self.assertEqual(self.asked(0, "info", "critter-drop")["name"], "critter drop")

    def test_list(self):
        """All lists, with each name of the report for people; one list alone."""
        lists = self.asked(0, "list")
        report = call("list").stdout
        headings = re.findall(r"^([a-z-]+)$", report, re.MULTILINE)
        self.assertEqual(set(lists) - ENDING, set(headings))
        names = {name for name in re.findall(r"^  (\S+)", report, re.MULTILINE)}
        printed = {row.get("name", row.get("path")) for heading in headings for row in lists[heading]}
        parameters = {"integrator." + p["name"] for kind in ("schemes", "policies") for row in lists[kind] for p in row["parameters"]}
        self.assertEqual(names - {"order"}, printed | parameters)
        euler = next(row for row in lists["schemes"] if row["name"] == "backward-euler")
        self.assertEqual((euler["order"], euler["l_stable"]), (1, True))
        scope = next(p for row in lists["policies"] for p in row["parameters"] if p["name"] == "scope")
        self.assertEqual(([c["name"] for c in scope["choices"]], scope["default"]), (["groups", "world"], "groups"))
        self.assertEqual(set(self.asked(0, "list", "materials")) - ENDING, {"materials"})

    def test_mesh(self):
        found = self.asked(0, "mesh", "cube.obj", "-o", "cube.msh", "--with", "lattice", "--edge", "0.2")
        self.assertTrue(found["surface"]["sound"])
        self.assertAlmostEqual(found["surface"]["enclosed_volume"], 1)
        self.assertEqual((found["fill"]["with"], found["fill"]["surface"], found["fill"]["edge"], found["fill"]["tries"]), ("lattice", "replaced", 0.2, 1))
        self.assertAlmostEqual(found["fill"]["part_of_volume"], found["fill"]["volume"])
        self.assertEqual(self.asked(0, "info", "cube.msh")["tets"], found["fill"]["tets"])
        found = self.asked(2, "mesh", "open.obj", "--check")
        self.assertFalse(found["surface"]["sound"])
        self.assertEqual(found["surface"]["faults"]["open_edges"]["count"], 4)
        self.assertEqual(len(found["surface"]["faults"]["open_edges"]["first"]), 2)
        self.assertNotIn("fill", found)
        found = self.asked(0, "mesh", "open.obj", "--check", "--close-holes", "2")
        self.assertEqual((found["surface"]["holes"]["closed"], found["surface"]["holes"]["left"]), (1, 0))
        self.assertAlmostEqual(found["surface"]["holes"]["widest_closed"], 2 ** 0.5)


if __name__ == "__main__":
    if not os.access(PROGRAM, os.X_OK):
        print("test_json: skipped, no program in $VISVIVA")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main(verbosity=1)
