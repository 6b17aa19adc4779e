#!/usr/bin/env python3
"""How the program speaks.

- a misspelt command, option or list is answered with the nearest one; a word of other programs (IPC, PolyFEM) with ours, and
  every name that is given so exists
- colours on a terminal only, and not where NO_COLOR is set
- what takes long says what it is doing, unless --quiet, and ends at Ctrl-C
- a line of progress fits the terminal, and has the energy error at 80 columns
- a full disk behind standard output is a failure

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from terminal_support import PROGRAM, call, on_terminal

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SIZE = os.environ.get("VV_TEST_SIZE")
SMALL = {"visviva": 1, "materials": {"jelly": {"model": "neo-hookean", "young": 1e5}},
         "bodies": [{"material": "jelly", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}},
                     "place": {"translate": [0, 0.06, 0]}}],
         "obstacles": [{"plane": {}}]}


def write(name, scene):
    pathlib.Path(name).write_text(json.dumps(scene))
    return name


class Words(unittest.TestCase):
    def refused(self, *arguments):
        done = call(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, "one line: " + done.stderr)
        return done.stderr

    def test_near_words(self):
        for arguments, meant in ((["rum"], "run"), (["chekc", "a.json"], "check"), (["run", "a.json", "--parnoid"], "--paranoid"),
                                 (["export", "a.vtkhdf", "--formt=obj"], "--format"), (["plot", "--hlep"], "--help"),
                                 (["list", "schems"], "schemes"), (["list", "SCENE-KEYS"], "scene-keys")):
            self.assertIn(f'did you mean "{meant}"?', self.refused(*arguments))

    def test_far_words(self):
        for arguments in (["frobnicate"], ["run", "a.json", "--xyzzy"], ["list", "q"]):
            said = self.refused(*arguments)
            self.assertNotIn("did you mean", said)
            self.assertRegex(said, r"(run, check, info|--output --force|schemes, policies)")

    def test_words_of_others(self):
        """Each word of the table, as a key and as a value; names and keys that the answers give are in the program's lists."""
        scene = write("small.json", SMALL)
        known = set(re.findall(r"^  (\S+)", call("list").stdout, re.MULTILINE)) | {"bodies[].place", "place.translate", "place.rotate"}
        table = re.findall(r'^    \{ "([^"]+)", (?:"([^"]+)", NULL|NULL,\s*"((?:[^"\\]|\\.)+)") \}', (ROOT / "src/scene/foreign.c").read_text(),
                           re.MULTILINE)
        self.assertGreater(len(table), 40)
        for words, ours, say in table:
            for word in words.split()[:None if SIZE == "full" else 1]:
                said = self.refused("check", scene, "--set", f"{word}=1")
                if ours:
                    self.assertIn(f'"{word}" is called {ours} here', said)
                    for name in re.findall(r"[a-z][\w.\[\]-]*[A-Z]*[\w.\[\]]*", re.sub(r"\(in .*\)|for one body|or ", "", ours)):
                        self.assertIn(name, known)
                else:
                    self.assertIn(say.replace('\\"', '"'), said)
        for path, value, answer in (("materials.jelly.model", "NH", '"NH" is called neo-hookean'),
                                    ("integrator.scheme", "ImplicitNewmark", '"ImplicitNewmark" is called trapezoidal'),
                                    ("contact.DHAT", "1e-3", '"DHAT" is called contact.distance (in m)'),
                                    ("materials.jelly.E", "1e5", '"E" is called materials.NAME.young'),
                                    ("bodies[0].force", "[0,1,0]", "bodies[].attach")):
            self.assertIn(answer, self.refused("check", scene, "--set", f"{path}={value}"))


    def test_parameters_out_of_use(self):
        scene = write("small.json", SMALL)
        said = call("check", scene, "--set", "integrator.theta=0.6").stderr
        self.assertIn('warning: --set integrator.theta=0.6 changes nothing: it is a parameter of "theta"; in use are backward-euler and policy none', said)
        for sets in (["integrator.scheme=theta", "integrator.theta=0.6"], ["integrator.policy=search", "integrator.alpha=[0,1]"],
                     ["integrator.start_fraction=0.9"]):
            self.assertEqual(call("check", scene, *(word for value in sets for word in ("--set", value))).stderr, "")


class Colours(unittest.TestCase):
    def test_terminal(self):
        code, said = on_terminal("run", "absent.json")
        self.assertEqual(code, 2)
        self.assertIn("\033[1;31mvisviva:\033[0m ", said)
        code, said = on_terminal("run", "--help")
        self.assertEqual(code, 0)
        for heading in ("usage:", "options:", "examples:"):
            self.assertIn(f"\033[1m{heading}\033[0m", said)

    def test_no_colours(self):
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            for arguments in (["run", "absent.json"], ["run", "--help"], ["list", "schemes"]):
                self.assertNotIn("\033", on_terminal(*arguments, env=env)[1])
        self.assertIn("\033", on_terminal("run", "absent.json", env={"NO_COLOR": ""})[1])
        for arguments in (["run", "absent.json"], ["run", "--help"], ["list"], ["--help"]):
            done = call(*arguments, env={"TERM": "xterm"})
            self.assertNotIn("\033", done.stdout + done.stderr)


class Progress(unittest.TestCase):
    def lines(self, columns):
        scene = write("long.json", dict(SMALL, time={"step": "1/300", "end": 1e6}))
        code, said = on_terminal("run", scene, "--set", "integrator.ground_energy=none", "-o", f"long{columns}.vtkhdf", columns=columns,
                                 interrupt=2, env={"OMP_WAIT_POLICY": "passive"})
        self.assertEqual(code, 130)
        lines = [line.split("\033")[0].split("\n")[0] for line in said.split("\r\033[K")[1:]]
        lines = [line for line in lines if line.startswith("run [")]
        self.assertGreater(len(lines), 3, said)
        return lines

    def test_narrow_terminals(self):
        """The energy error has its place on any usual terminal; no line is longer than the terminal, or cut within a word."""
        for columns in (80, 30) if SIZE == "quick" else (80, 66, 30, 200):
            lines = self.lines(columns)
            cells = [line.index("]") for line in lines]
            self.assertEqual(cells, sorted(cells, reverse=True), "the bar grows again")
            for line in lines:
                self.assertLess(len(line), columns)
                if columns == 30:
                    continue
                self.assertRegex(line, r"^run \[[#.]{4,10}\]  *\d+%  \S.* left  t .*, err [+-][\d.e-]+%")
                self.assertRegex(line, r"( left  |\d (s|[munpk]?m)|%|it/step)$")
                if columns == 200:
                    self.assertRegex(line, r"\[[#.]{10}\].*it/step, gap")


class Waiting(unittest.TestCase):
    def test_phases(self):
        """A wait says what it waits for, in a pipe too; Ctrl-C is answered in the midst of it."""
        ball = {"radius": 5e-4, "cells": 9}
        bodies = [{"mesh": {"ball": ball}, "place": {"translate": [0, y, 0]}} for y in (0.002, 0.0031)]
        scene = write("tiny.json", dict(SMALL, bodies=bodies, contact={"distance": 1e-3}))
        commands = ((["run", scene], "run: step 1 of"), (["settle", scene], "settle: looking for the equilibrium"))
        for command, phase in commands[:1] if SIZE == "quick" else commands:
            child = subprocess.Popen([PROGRAM, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            said = ""
            for line in child.stderr:
                said += line
                if line.startswith(phase):
                    self.assertRegex(line, r"^\S.*, \d+(\.\d)? s so far$")
                    if said.count(phase) == 1: # a second one kills, and a busy machine may answer the first late
                        child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(timeout=300), 130, said)
            child.stderr.close()
            self.assertIn(phase, said)
            self.assertEqual(said.count("interrupted"), 1, said)
            self.assertEqual(said.count("visviva: warning: contact.distance, 0.001 m, is 15 times as long"), 1, said)
        self.assertEqual(call("info", "out/tiny.vtkhdf").returncode, 0)

    def test_quiet(self):
        done = subprocess.run([PROGRAM, "run", "tiny.json", "--quiet", "-o", "quiet.vtkhdf"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=300, preexec_fn=lambda: signal.alarm(6))
        self.assertEqual((done.stdout, done.stderr), ("", ""))


class Output(unittest.TestCase):
    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full(self):
        with open("/dev/full", "w") as full:
            done = call("list", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to standard output: No space left on device", done.stderr)


class Close(unittest.TestCase):
    """Bodies that start within the activation distance are thrown apart, which is said; those that rest are not."""
    def stack(self, gap, contact=None):
        body = {"material": "jelly", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}},
                "place": {"translate": [0, 0.05 + gap, 0]}, "copies": {"count": [1, 3, 1], "step": [0, 0.1 + gap, 0]}}
        return write("stack.json", {**SMALL, "bodies": [body], "contact": {**SMALL.get("contact", {}), **(contact or {"distance": 1e-3})}})

    def test_push(self):
        for gap, pushes in ((0.0002, True), (0.0009, False), (0.00098, False), (0.01, False)):
            for command in (["check"], ["run", "--until", "0", "--force"]):
                done = call(command[0], self.stack(gap), *command[1:])
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("throws them apart" in done.stderr, pushes, f"{gap} {done.stderr}")
        self.assertEqual(call("run", self.stack(0.0002), "-q", "--until", "0", "--force").stderr, "")

    def test_gap(self):
        """A distance that is given and too large for the gap is warned of, once; the default follows the gap."""
        for gap, contact, warns in ((0.0002, {"distance": 1e-3}, True), (0.0002, {"friction": 0.1}, False), (0.00098, {"distance": 1e-3}, False)):
            for command in (["check"], ["run", "--until", "0", "--force"]):
                done = call(command[0], self.stack(gap, contact), *command[1:])
                self.assertEqual(done.stderr.count("is more than the "), int(warns), f"{gap} {done.stderr}")
                self.assertEqual("0.0001 m fits" in done.stderr, warns, done.stderr)
                self.assertEqual("throws them apart" in done.stderr, warns, done.stderr)

    def fit(self, contact, gap=1e-4):
        """A cube that its start brings into a tunnel, wider by the gap on each side, through which it flies at 1 m/s."""
        wall = {"mesh": {"box": {"size": [30, 0.02, 0.3], "cells": [1, 1, 1]}}}
        body = {"name": "cube", "mesh": {"box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}}, "place": {"translate": [0, 0.5, 0]},
                "material": {"model": "affine", "density": 1000, "young": 1e8}, "start": [{"translate": {"offset": [0, -0.5, 0]}}],
                "velocity": {"linear": [1, 0, 0]}}
        return write("fit.json", {"visviva": 1, "gravity": [0, 0, 0], "time": {"step": "1/60", "end": 1},
                                  "contact": {"friction": 0.1, **contact}, "bodies": [body],
                                  "obstacles": [{"name": name, **wall, "place": {"translate": [14, side * (0.06 + gap), 0]}}
                                                for name, side in (("floor", -1), ("ceiling", 1))]})

    def rows(self, run):
        """The ledger's columns that do not depend on the machine's time."""
        self.assertEqual(call("export", run, "-f", "csv", "-o", "ledger.csv").returncode, 0)
        lines = [line.split(",") for line in pathlib.Path("ledger.csv").read_text().splitlines() if not line.startswith("#")]
        kept = [i for i, name in enumerate(lines[0]) if "seconds" not in name and name not in ("wall",)]
        return [[line[i] for i in kept] for line in lines]

    def test_start(self):
        """The default follows the gap that the start makes, also in a run that is resumed, to the bit."""
        scene = self.fit({})
        done = call("run", scene, "-q", "-o", "whole.vtkhdf", "--summary", "whole.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        momentum = json.loads(pathlib.Path("whole.json").read_text())["momentum"]
        self.assertAlmostEqual(momentum["linear_end"][0] / momentum["linear_start"][0], 1, 3)
        self.assertEqual(call("run", scene, "-q", "--until", "0.5", "-o", "half.vtkhdf").returncode, 0)
        done = call("run", "half.vtkhdf", "--resume", "--until", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = self.rows("whole.vtkhdf")
        self.assertEqual(len(whole), 62)
        self.assertEqual(self.rows("half.vtkhdf"), whole)
        start = json.loads(call("check", scene, "--json").stdout)["start_gap"]
        self.assertEqual(start["between"][0], "cube")
        self.assertAlmostEqual(start["acts_below"], 1e-4, 9)

    def test_settle(self):
        """A start that is brought near to what it comes to rest on: its equilibrium is a frame like any other."""
        scene = json.loads(pathlib.Path(self.stack(0.0005)).read_text())
        scene["bodies"][0]["start"] = [{"translate": {"offset": [0, -0.0003, 0]}}]
        scene["contact"] = {"friction": 0.3}
        done = call("settle", write("settle.json", scene), "-o", "settled.vtkhdf")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("start and equilibrium: settled.vtkhdf", done.stdout)
        energy = float(re.search(r"energy (\S+) J", done.stdout).group(1))
        rows = self.rows("settled.vtkhdf")
        self.assertEqual(len(rows), 2, rows)
        self.assertAlmostEqual(float(rows[1][rows[0].index("total [J]")]), energy, delta=1e-8 * abs(energy))
        self.assertGreater(float(rows[1][rows[0].index("contact [J]")]), 1e-6)

    def test_settle_joined(self):
        """A ragdoll comes near to itself and to the ground: its world is built anew where it settles."""
        for more in ((), ("--over", "0.2", "--count", "2")):
            done = call("settle", str(ROOT / "scenes/ragdoll.json"), "-o", "ragdoll.vtkhdf", *more)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_named(self):
        """A distance that is given is warned of where it holds what was made to fit, however little it is too large."""
        for distance, warns in ((9e-5, False), (1.02e-4, True), (1e-3, True)):
            for command in (["check"], ["run", "--until", "0", "--force"]):
                done = call(command[0], self.fit({"distance": distance}), *command[1:])
                self.assertEqual(len(re.findall('between "cube" and "(floor|ceiling)" at the start', done.stderr)), int(warns), done.stderr)
                self.assertEqual("5e-05 m fits" in done.stderr, warns, done.stderr)


if __name__ == "__main__":
    if not os.access(PROGRAM, os.X_OK):
        print("test_program_says: skipped, no program in $VISVIVA")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main(verbosity=1)
