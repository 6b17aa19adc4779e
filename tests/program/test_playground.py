#!/usr/bin/env python3
"""The playground in a browser (Chromium without a window), moved by real input events: a body dragged and thrown, other methods, the same beside it,
wrong JSON, a mesh, a link, a scene that the program goes on from; what is too large, means harm or is not there.

Tests what ./run web has built (build-web/playground); exit code 77 (skipped, with a message) without that, or where Chromium or Node.js is not
installed. VV_TEST_SIZE=quick does the most important of it; VV_SHOTS=FOLDER keeps pictures. $VISVIVA is the program.
"""
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import browser_support
from terminal_support import PROGRAM, call

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "build-web" / "playground"
HARM = "</script><img src=x onerror='window.hurt = 1'><b>"
CUBE = {"visviva": 1, "name": "cube", "time": {"step": "1/60", "end": 1}, "gravity": [0, 0, 0],
        "integrator": {"scheme": "backward-euler", "policy": "none", "ground_energy": "none"},
        "materials": {"jelly": {"model": "corotated", "young": 1e4, "poisson": 0.3, "density": 1000}},
        "bodies": [{"name": "cube", "material": "jelly", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [3, 3, 3]}}, "velocity": {"angular": [0, 0, 6]}}]}
TETRAHEDRON = "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
HEAP = {**CUBE, "gravity": [0, -9.8, 0], "contact": {"model": "barrier", "distance": 1e-3, "friction": 0.3}, "obstacles": [{"name": "ground", "plane": {}}],
        "bodies": [{"name": "box", "material": "jelly", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "place": {"translate": [0, 0.101, 0]}}]}
SHORT = ("drag", "policy", "wrong_json", "link", "saved", "threads")


def skip(message):
    print(f"skipped: {message}")
    sys.exit(77)


class InBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen(["node", str(ROOT / "web" / "serve.mjs"), str(PAGE), "8400"], stdout=subprocess.PIPE, text=True)
        cls.address = cls.server.stdout.readline().strip()
        cls.browser = browser_support.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.server.kill()
        cls.server.wait()
        cls.server.stdout.close()

    def setUp(self):
        self.browser.messages.clear()
        self.browser.size(1280, 860)

    def tearDown(self):
        keep = os.environ.get("VV_SHOTS")
        if keep:
            self.browser.screenshot(os.path.join(keep, f"playground-{self.id().split('.')[-1]}.png"))
        self.assertEqual(self.browser.messages, [], "the page said something on the console")

    # ---- what is done over and over ----

    def page(self, scene=None, stopped=True):
        """The page, at its first scene or that one, standing."""
        self.assertEqual(self.browser.open(self.address), "yes", self.browser.value("document.getElementById('trouble').textContent"))
        if stopped:
            self.value("visviva.play(false)")
            self.value("visviva.still()")
            self.browser.pictures(3)
        if scene:
            self.open(scene)
        return self.browser

    def value(self, expression):
        return self.browser.value(expression)

    def open(self, scene):
        self.value(f"visviva.open({{ text: {json.dumps(json.dumps(scene))} }})")

    def steps(self, count):
        self.value(f"(async () => {{ for (let i = 0; i < {count}; i++) await visviva.step(1); }})()")

    def last(self, column, run=0):
        return self.value(f"visviva.runs[{run}].ledger.last('{column}')")

    def note(self):
        return self.value("document.getElementById('note').textContent")

    def choose(self, key, value):
        """As a visitor does: the menu's entry by the keyboard's event, a number typed."""
        self.value(f"(field => {{ field.value = {json.dumps(value)}; field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})"
                   f"(document.querySelector('[data-key=\"{key}\"]'))")
        self.value("visviva.settled()")

    # ---- tests ----

    def test_runs(self):
        b = self.page(stopped=False)
        b.until("visviva.main.time > 0.02")
        pictures = self.value("visviva.pictures")
        b.until(f"visviva.pictures > {pictures + 2}")
        b.click("#play")
        self.value("visviva.still()")
        time = self.value("visviva.main.time")
        b.click("#single")
        self.value("visviva.still()")
        self.assertAlmostEqual(self.value("visviva.main.time"), time + self.value("visviva.main.timeStep"), places=9)

    def test_scenes(self):
        self.page()
        names = self.value("[...document.getElementById('scene').options].map(o => o.value)")
        self.assertGreaterEqual(len(names), 8)
        for name in names:
            self.value(f"visviva.openNamed({json.dumps(name)})")
            self.assertEqual(self.note(), "", name)
            self.steps(2)
            self.assertEqual(self.note(), "", name)
            self.assertGreater(self.value("visviva.main.time"), 0, name)

    def test_drag(self):
        """Pulled at a corner and thrown: the hand's own count of force times way is the ledger's work."""
        b = self.page(CUBE)
        x, y = b.place("#view")
        b.mouse("mouseMoved", x, y)
        b.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        b.until("visviva.held")
        works, moved = 0, 0
        for i in range(1, 13):
            b.mouse("mouseMoved", x + 12 * i, y - 5 * i, button="left", buttons=1)
            b.until("visviva.held && !visviva.held.sending && !visviva.held.next")
            self.steps(1)
            works += self.last("work")
        hand = self.value("visviva.main.hand")
        self.assertGreater(works, 1e-5)
        self.assertAlmostEqual(hand["work"], works, delta=1e-6 * abs(works))
        before = self.last("kinetic")
        b.mouse("mouseReleased", x + 144, y - 60, button="left", buttons=0, clickCount=1)
        b.until("!visviva.held")
        self.steps(3)
        self.assertGreater(self.last("kinetic"), 0.2 * before, "what was thrown flies on")
        self.assertEqual(self.note(), "")

    def test_turn(self):
        """Beside the body a drag turns the view."""
        b = self.page(CUBE)
        turn = self.value("visviva.orbit.turn")
        b.drag("#view", (0.05, 0.1), (0.2, 0.15))
        self.assertGreater(abs(self.value("visviva.orbit.turn") - turn), 0.1)
        away = self.value("visviva.orbit.away")
        b.wheel("#view", -200)
        self.assertLess(self.value("visviva.orbit.away"), away)

    def touch(self, kind, *places):
        self.browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)])
        self.browser.pictures(1)

    def test_touch(self):
        """A finger pulls and throws; two zoom and move the view, and the body is let go."""
        b = self.page(CUBE)
        b.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        try:
            x, y = b.place("#view")
            self.touch("touchStart", (x, y))
            b.until("visviva.held")
            works = 0
            for i in range(1, 9):
                self.touch("touchMove", (x + 16 * i, y - 6 * i))
                b.until("visviva.held && !visviva.held.sending && !visviva.held.next")
                self.steps(1)
                works += self.last("work")
            self.assertGreater(works, 1e-5)
            self.assertAlmostEqual(self.value("visviva.main.hand.work"), works, delta=1e-6 * works)
            before = self.last("kinetic")
            self.touch("touchEnd")
            b.until("!visviva.held")
            self.steps(2)
            self.assertGreater(self.last("kinetic"), 0.2 * before, "what was thrown flies on")
            self.value("visviva.open(visviva.source)")
            self.touch("touchStart", (x, y))
            b.until("visviva.held")
            self.touch("touchStart", (x, y), (x + 60, y))
            b.until("!visviva.held")
            turn, away, shift = self.value("[visviva.orbit.turn, visviva.orbit.away, visviva.orbit.shift]")
            self.touch("touchMove", (x - 30, y), (x + 90, y))
            self.assertAlmostEqual(self.value("visviva.orbit.away"), away / 2, delta=0.05 * away)
            away, shift = self.value("[visviva.orbit.away, visviva.orbit.shift]")
            self.touch("touchMove", (x - 30, y + 80), (x + 90, y + 80))
            self.assertAlmostEqual(self.value("visviva.orbit.away"), away, delta=0.05 * away)
            self.assertGreater(max(abs(a - c) for a, c in zip(self.value("visviva.orbit.shift"), shift)), 1e-3)
            self.assertEqual(self.value("visviva.orbit.turn"), turn)
            self.touch("touchEnd")
            self.steps(2)
            self.assertEqual(self.last("work"), 0)
            self.assertEqual(self.note(), "")
        finally:
            b.call("Emulation.setTouchEmulationEnabled", enabled=False)

    def test_cost(self):
        """What is shown is the median of the steps of the last second, beside the scene's own step."""
        self.page(CUBE)
        self.steps(1)
        self.value("visviva.main.times = [1, 2, 30, 4, 50, 3, 60, 5, 70].map(ms => ({ ms, now: performance.now() })), visviva.label()")
        self.assertEqual(self.value("visviva.main.ms"), 5)
        self.assertRegex(self.value("document.getElementById('cost').textContent"), r"^step [\d.]+ of 16\.67 ms, real time$")
        self.value("visviva.main.times.forEach(time => { time.ms = 50; }), visviva.label()")
        self.assertRegex(self.value("document.getElementById('cost').textContent"), r"^step 50 of 16\.67 ms, 0\.33 of real time$")
        self.value("visviva.main.times.forEach(time => { time.now -= 1001; })")
        self.steps(1)
        self.assertEqual(self.value("visviva.main.times.length"), 1)

    def test_refused(self):
        """Entries that do not go with the scene are grey and say why, as the program does; all others can be chosen."""
        self.page(CUBE)
        pathlib.Path("cube.json").write_text(json.dumps(CUBE))
        self.browser.until("visviva.advice.ready")
        grey = {row["name"]: row["title"] for row in self.value(
            "[...document.querySelectorAll('#settings option')].filter(o => o.disabled).map(o => ({ name: o.value, title: o.title }))")}
        self.assertIn("blend", grey)
        self.assertIn("hinge", grey)
        for menu, path in (("policies", "integrator.policy"), ("materials", "materials.jelly.model")):
            for row in json.loads(call("list", menu, "--json").stdout)[menu]:
                done = call("check", "cube.json", "--set", f"{path}={row['name']}")
                self.assertEqual(done.returncode != 0, row["name"] in grey, row["name"])
                if done.returncode:
                    self.assertIn(grey[row["name"]].removeprefix("the scene: "), done.stderr)
        self.assertEqual(self.value("document.querySelectorAll('#refused dt').length"), len(grey))
        self.choose("integrator.scheme", "implicit-midpoint")
        self.browser.until("visviva.advice.ready")
        self.assertFalse(self.value("[...document.querySelectorAll('#settings option')].find(o => o.value === 'blend').disabled"))

    def test_color(self):
        """A body's own colour, of each copy too."""
        body = {**CUBE["bodies"][0], "color": "#2266aa", "copies": {"count": [2, 1, 1], "step": [0.4, 0, 0]}}
        self.page({**CUBE, "bodies": [body, {**CUBE["bodies"][0], "name": "plain", "place": {"translate": [0, 0.5, 0]}}]})
        self.assertEqual(self.value("visviva.main.film.parts.map(part => part.colour)"), [0x2266aa, 0x2266aa, None])

    def test_policy(self):
        """A vibrating, turning cube: backward Euler loses its energy, and from the switch on search keeps what is left."""
        self.page(CUBE)
        first = self.last("total")
        self.steps(20)
        lost = self.last("total")
        self.assertLess(lost, 0.9 * first)
        self.choose("integrator.policy", "search")
        self.steps(20)
        self.assertAlmostEqual(self.last("total"), lost, delta=0.02 * lost)
        self.choose("time.step", "1/30")
        self.assertAlmostEqual(self.value("visviva.main.timeStep"), 1 / 30)
        self.choose("young", "-4")
        self.assertIn("materials.jelly.young", self.note())
        self.steps(2)

    def test_menus(self):
        """They are the program's own lists."""
        self.page(CUBE)
        for key, command in (("integrator.scheme", "schemes"), ("integrator.policy", "policies"), ("solver.method", "solvers"), ("model", "materials")):
            there = [row["name"] for row in json.loads(call("list", command, "--json").stdout)[command]]
            self.assertEqual(self.value(f"[...document.querySelector('[data-key=\"{key}\"]').options].map(o => o.value)"), there)

    def test_beside(self):
        b = self.page(CUBE)
        self.choose("integrator.policy", "search")
        b.click("#beside")
        b.until("visviva.runs.length === 2 && visviva.runs[1].film")
        self.value("visviva.settled()")
        self.steps(20)
        times = self.value("visviva.runs.map(run => run.time)")
        self.assertEqual(times[0], times[1])
        self.assertLess(self.last("total", 1), 0.9 * self.last("total", 0))
        b.click("#beside")
        b.until("visviva.runs.length === 1")

    def test_wrong_json(self):
        b = self.page(CUBE)
        b.click("#editor summary")
        b.until("document.getElementById('editor').open")
        for text, words in (('{ "visviva": 1,\n "bodies": [ }', "2"), (json.dumps({**CUBE, "gravity": 3}), "gravity"),
                            (json.dumps({**CUBE, "frogs": 3}), "frogs")):
            self.value(f"document.getElementById('json').value = {json.dumps(text)}")
            b.click("#apply")
            b.until("!document.getElementById('wrong').hidden")
            self.assertIn(words, self.value("document.getElementById('wrong').textContent"))
            self.value("visviva.settled()")
            self.steps(1)
        self.value(f"document.getElementById('json').value = {json.dumps(json.dumps({**CUBE, 'name': 'other'}))}")
        b.click("#apply")
        b.until("document.title.startsWith('other')")

    def test_mesh(self):
        b = self.page()
        pathlib.Path("tet.obj").write_text(TETRAHEDRON)
        document = b.call("DOM.getDocument")["root"]["nodeId"]
        node = b.call("DOM.querySelector", nodeId=document, selector="#file")["nodeId"]
        b.call("DOM.setFileInputFiles", nodeId=node, files=[os.path.abspath("tet.obj")])
        b.until("document.title.startsWith('tet')")
        self.value("visviva.settled()")
        self.steps(3)
        self.assertEqual(self.note(), "")
        self.assertGreater(self.value("visviva.main.film.parts[0].triangles[1]"), 3)

    def test_link(self):
        """The same in a new page: the same bits after 100 steps."""
        b = self.page(CUBE)
        self.choose("integrator.policy", "search")
        b.click("#restart")
        self.value("visviva.settled()")
        self.steps(100)
        there = self.value("visviva.main.remote.call('hash')")
        b.click("#link")
        b.until("location.hash.length > 10")
        address = self.value("location.href")
        b.call("Page.navigate", url="about:blank")
        self.assertEqual(b.open(address), "yes")
        self.value("visviva.play(false)")
        self.value("visviva.still()")
        self.value("visviva.open(visviva.source, visviva.set)")
        self.steps(100)
        self.assertEqual(self.value("visviva.main.remote.call('hash')"), there)

    def test_saved(self):
        """The program goes on from the scene as it stands; the ledger's table has the program's columns."""
        self.page(CUBE)
        self.choose("integrator.policy", "search")
        self.steps(10)
        pathlib.Path("saved.json").write_text(self.value("visviva.main.remote.call('save')"))
        done = call("run", "saved.json", "-q", "-o", "saved.vtkhdf", "--until", "0.2")
        self.assertEqual(done.returncode, 0, done.stderr)
        call("export", "saved.vtkhdf", "-q", "-o", "ledger.csv")
        head, first, second = pathlib.Path("ledger.csv").read_text().splitlines()[:3]
        table = self.value("visviva.main.ledger.csv").splitlines()
        self.assertTrue(head.startswith(table[0]), f"{table[0]} and {head}")
        mine = dict(zip(table[0].split(","), table[-1].split(",")))
        theirs = dict(zip(head.split(","), first.split(",")))
        self.assertAlmostEqual(float(dict(zip(head.split(","), second.split(",")))["time [s]"]), float(mine["time [s]"]) + 1 / 60, places=9)
        for name in ("kinetic [J]", "elastic [J]"):
            self.assertAlmostEqual(float(mine[name]), float(theirs[name]), delta=1e-9 * abs(float(mine["kinetic [J]"])))

    def test_harm(self):
        self.page({**CUBE, "name": HARM, "bodies": [{**CUBE["bodies"][0], "name": HARM[:60]}]})
        self.steps(1)
        self.assertIsNone(self.value("window.hurt ?? null"))
        self.assertIn("<img", self.value("document.title"))

    def test_too_large(self):
        """Of a scene that needs more memory than there is, of a large file and of a large link there is a message, and the page goes on."""
        b = self.page(CUBE)
        huge = json.loads(json.dumps(CUBE))
        huge["bodies"][0]["mesh"]["box"]["cells"] = [300, 300, 300]
        self.value(f"visviva.tried(() => visviva.open({{ text: {json.dumps(json.dumps(huge))} }}))")
        self.assertRegex(self.note(), "memory|too many|at most")
        self.steps(1)
        with open("large.obj", "wb") as f:
            f.truncate(200_000_000)
        document = b.call("DOM.getDocument")["root"]["nodeId"]
        node = b.call("DOM.querySelector", nodeId=document, selector="#file")["nodeId"]
        b.call("DOM.setFileInputFiles", nodeId=node, files=[os.path.abspath("large.obj")])
        b.until("document.getElementById('note').textContent.includes('200 MB')")
        self.steps(1)
        b.call("Page.navigate", url="about:blank")
        self.assertEqual(b.open(self.address + "#" + "A" * 1_000_000), "yes")
        self.assertIn("characters", self.note())
        b.call("Page.navigate", url="about:blank")
        self.assertEqual(b.open(self.address + "#nonsense"), "yes")
        self.assertIn("cannot be read", self.note())
        self.steps(1)

    def test_blown_up(self):
        self.page()
        self.open({**CUBE, "integrator": {"scheme": "forward-euler", "policy": "none", "ground_energy": "none"}, "time": {"step": 0.1, "end": 10}})
        self.steps(30)
        self.assertRegex(self.note(), "blown up|finite|too large|step")
        self.open(CUBE)
        self.steps(1)
        self.assertEqual(self.note(), "")

    def test_lost_worker(self):
        """A worker that is gone begins anew at the scene's start."""
        self.page(CUBE)
        self.steps(3)
        self.value("visviva.revive('Gone.')")
        self.assertIn("Gone.", self.note())
        self.assertEqual(self.value("visviva.main.time"), 0)
        self.steps(1)
        self.value("void visviva.step(100000)")  # and one that takes too long
        self.value("visviva.late = true")
        b = self.browser
        b.click("#play")
        b.until("visviva.main.time === 0 && !visviva.stepping && !visviva.reviving")
        self.assertIn("given up", self.note())
        self.steps(1)
        self.assertGreater(self.value("visviva.main.time"), 0)

    def workers(self):
        return sum(target["type"] == "worker" for target in self.browser.call("Target.getTargets", filter=[{}])["targetInfos"])

    def workers_become(self, fit):
        """Once their number is as wanted: that number."""
        end = time.monotonic() + 60
        while not fit(count := self.workers()):
            self.assertLess(time.monotonic(), end, f"there are {count} workers")
            time.sleep(0.1)
        return count

    def test_worker_ends(self):
        """With its page."""
        b = self.browser
        b.call("Page.navigate", url="about:blank")
        self.workers_become(lambda count: count == 0)
        page = b.call("Target.createTarget", url=self.address)["targetId"]
        self.workers_become(lambda count: count > 0)
        b.call("Target.closeTarget", targetId=page)
        self.workers_become(lambda count: count == 0)

    def test_threads(self):
        """As many as are chosen, in workers that end with the page; the motion is the same to the last bit; a change in the middle of it, too."""
        b = self.page()
        self.assertTrue(self.value("crossOriginIsolated"))
        cores = self.value("navigator.hardwareConcurrency")
        self.assertEqual(self.value("[...document.getElementById('threads').options].map(o => o.value)"), [str(n + 1) for n in range(cores)])
        if cores == 1:
            return
        hashes = []
        for counts in ((1, 1, 1), (2, 2, 2), (2, 1, 2), (cores, 1, 1)):
            self.value("visviva.openNamed('bouncing-ball')")
            for count in counts:
                self.value(f"(s => {{ s.value = '{count}'; s.dispatchEvent(new Event('change')); }})(document.getElementById('threads'))")
                self.value("visviva.threads.changing")
                self.assertEqual(self.value("visviva.main.remote.threads"), count)
                self.steps(8)
            hashes.append(self.value("visviva.main.remote.call('hash')"))
        self.assertEqual(len(set(hashes)), 1)
        self.assertEqual(self.note(), "")
        self.assertGreaterEqual(self.workers(), cores)
        self.value("visviva.settled()")
        for _ in range(4):  # one after the other, without waiting, while it steps
            self.value("void visviva.step(4), [2, 1, 2].forEach(n => { const s = document.getElementById('threads');"
                       " s.value = n; s.dispatchEvent(new Event('change')); }), void visviva.openNamed('cube-spheres')")
        self.value("visviva.threads.changing")
        self.value("visviva.settled()")
        self.assertEqual(self.value("[visviva.main.remote.threads, document.getElementById('threads').value]"), [2, "2"])
        self.steps(2)
        self.assertEqual(self.note(), "")
        b.call("Page.navigate", url="about:blank")
        self.workers_become(lambda count: count == 0)

    def test_all_settings(self):
        """Every key of the program's table that a running world takes is there; so is the order of elements, which begins anew."""
        self.page(CUBE)
        self.value("document.getElementById('all').open = true")
        self.browser.pictures(2)
        shown = set(self.value("[...document.querySelectorAll('.fields [data-path]')].map(field => field.dataset.path)"))
        keys = self.value("Object.keys(visviva.main.settings)")
        table = {row["path"]: row["value"] for row in json.loads(call("list", "scene-keys", "--json").stdout)["scene-keys"]}
        missing = [key for key in keys if key.startswith(("integrator.", "solver.", "contact.")) and "object" not in table.get(key, "object") and key not in shown]
        self.assertEqual(missing, [])
        self.assertLess({"solver.sleep_after", "solver.sleep_speed", "solver.force_tolerance", "materials.jelly.mean_dilatation", "bodies[0].mesh.order"}, shown)
        self.choose("solver.max_iterations", "33")
        self.assertEqual(self.value("visviva.main.settings['solver.max_iterations']"), 33)
        self.choose("solver.tolerance", "frogs")
        self.assertIn("solver.tolerance", self.note())
        nodes = self.value("visviva.main.positions.length")
        self.steps(2)
        self.choose("bodies[0].mesh.order", "2")
        self.browser.until("visviva.main.time === 0 && visviva.set.get('bodies[0].mesh.order') === '2'")
        self.assertEqual(self.note(), "")
        self.assertGreater(self.value("visviva.main.positions.length"), nodes)
        self.steps(2)
        self.assertEqual(self.note(), "")

    def test_sleep(self):
        """A body at rest sleeps once that is chosen: it stands still to the bit; other gravity wakes it."""
        b = self.page(HEAP)
        self.choose("integrator.scheme", "backward-euler")
        self.value("document.getElementById('all').open = true")
        b.pictures(2)
        self.choose("solver.sleep_after", "0.1")
        self.value("(async () => { for (let i = 0; i < 8; i++) await visviva.step(12); })()")
        self.assertIn("1 of 1 asleep", self.value("document.getElementById('clock').textContent"))
        there = self.value("visviva.main.remote.call('hash')")
        self.steps(3)
        self.assertEqual(self.value("visviva.main.remote.call('hash')"), there)
        self.choose("gravity", "0, -5, 0")
        self.steps(2)
        self.assertNotEqual(self.value("visviva.main.remote.call('hash')"), there)
        self.assertNotIn("asleep", self.value("document.getElementById('clock').textContent"))
        self.assertEqual(self.note(), "")

    def test_keyboard(self):
        """A menu keeps the keyboard after a choice."""
        self.page(CUBE)
        self.value("document.querySelector('[data-key=\"integrator.policy\"]').focus()")
        self.choose("integrator.policy", "search")
        self.assertEqual(self.value("document.activeElement.dataset.key"), "integrator.policy")

    def test_narrow(self):
        b = self.page()
        b.size(420, 900, dark=True)
        b.pictures(3)
        self.assertLessEqual(self.value("document.documentElement.scrollWidth"), 420)


class WithoutWebgl(unittest.TestCase):
    def test_without_webgl(self):
        server = subprocess.Popen(["node", str(ROOT / "web" / "serve.mjs"), str(PAGE), "8440"], stdout=subprocess.PIPE, text=True)
        browser = browser_support.Browser("--disable-3d-apis")
        try:
            self.assertEqual(browser.open(server.stdout.readline().strip()), "yes")
            self.assertIn("WebGL 2", browser.value("document.getElementById('blind').textContent"))
            browser.until("visviva.main.time > 0")
        finally:
            browser.close()
            server.kill()
            server.wait()
            server.stdout.close()


class Server(http.server.ThreadingHTTPServer):
    """The page from another server, isolated from other origins or not; `instead`: what it sends in place of files (None: it has none). `asked`: for which files."""

    def __init__(self, isolated, instead={}):
        server = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args):
                super().__init__(*args, directory=str(PAGE))

            def log_message(self, *_):
                pass

            def end_headers(self):
                self.send_header("Cache-Control", "no-cache")
                if isolated:
                    self.send_header("Cross-Origin-Opener-Policy", "same-origin")
                    self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
                super().end_headers()

            def do_GET(self):
                name = self.path.lstrip("/")
                server.asked.add(name)
                if name not in instead:
                    super().do_GET()
                elif instead[name] is None:
                    self.send_error(404)
                else:
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(instead[name])

        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = set()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class OtherServers(unittest.TestCase):
    """A visitor loads one build of the two; where threads cannot be had, one thread and the reason."""

    def look(self, isolated, instead={}):
        server = Server(isolated, instead)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        browser = browser_support.Browser()
        self.addCleanup(browser.close)
        self.assertEqual(browser.open(f"http://127.0.0.1:{server.server_port}/"), "yes", browser.messages)
        browser.until("visviva.main.time > 0")
        return server, browser

    def test_plain(self):
        server, browser = self.look(False)
        self.assertEqual(browser.value("[document.getElementById('threads').disabled, visviva.main.remote.threads]"), [True, 1])
        self.assertIn("isolated", browser.value("document.getElementById('threads').title"))
        self.assertEqual(browser.value("document.getElementById('note').textContent"), "")
        self.assertIn("visviva-core.wasm", server.asked)
        self.assertEqual([name for name in server.asked if "visviva-threads" in name], [])
        self.assertEqual(browser.messages, [])

    def test_isolated(self):
        server, browser = self.look(True)
        self.assertEqual(browser.value("document.getElementById('threads').disabled"), browser.value("navigator.hardwareConcurrency") == 1)
        self.assertIn("visviva-threads.wasm", server.asked)
        self.assertEqual([name for name in server.asked if "visviva-core" in name], [])
        self.assertEqual(browser.messages, [])

    def test_broken(self):
        """A build with threads that does not load."""
        _, browser = self.look(True, {"visviva-threads.wasm": b"no"})
        self.assertIn("One thread:", browser.value("document.getElementById('note').textContent"))
        self.assertTrue(browser.value("document.getElementById('threads').disabled"))

    def test_no_worker(self):
        """Helpers that cannot be started."""
        _, browser = self.look(True, {"visviva-threads.worker.js": None})
        if browser.value("navigator.hardwareConcurrency") == 1:
            return
        browser.value("(s => { s.value = '2'; s.dispatchEvent(new Event('change')); })(document.getElementById('threads'))")
        browser.value("visviva.threads.changing")
        self.assertRegex(browser.value("document.getElementById('note').textContent"), "1 of 2 threads: a worker could not be started")
        self.assertEqual(browser.value("document.getElementById('threads').value"), "1")
        time = browser.value("visviva.main.time")
        browser.until(f"visviva.main.time > {time}")


class Package(unittest.TestCase):
    """The package for JavaScript (build-web/npm), in Node.js."""
    SCRIPT = """
import assert from 'node:assert';
import { load, VisvivaError } from './visviva.js';
const visviva = await load(), scene = SCENE;
assert.throws(() => visviva.world({ ...scene, frogs: 1 }), error => error instanceof VisvivaError && error.status === 'input' && /frogs/.test(error.message));
const world = visviva.world(scene, { set: ['integrator.policy=search'] }), other = visviva.world(scene);
const before = Array.from(world.positions), total = world.ledger.total;
world.step(20);
other.step(20);
assert(world.positions instanceof Float32Array && world.positions.length === before.length);
assert.equal(world.positions.buffer.byteLength, visviva.memory, 'a view, no copy');
assert(world.positions.some((x, i) => Math.abs(x - before[i]) > 1e-3));
assert(Math.abs(world.ledger.total - total) < 0.05 * total && other.ledger.total < 0.9 * total);
assert.equal(world.row[visviva.columns.findIndex(column => column.name === 'time')], world.time);
assert.throws(() => world.set('integrator.policy=nothing'), /allowed: none/);
world.set('gravity=[0,-1,0]');
assert.deepEqual(world.settings.gravity, [0, -1, 0]);
assert(world.grab([0, 0, 3], [0, 0, -1]) && !other.grab([9, 0, 3], [0, 0, -1]));
world.drag([0.1, 0, 3], [0, 0, -1], [0, 0, 1]);
world.step(5);
assert(world.hand.work > 0 && Math.abs(world.hand.at[0] - 0.1) < 1e-9);
world.release();
const again = visviva.world(world.save());
assert.deepEqual(Array.from(again.nodes), Array.from(world.nodes));
const used = visviva.memory; // making and closing worlds leaks nothing
for (let i = 0; i < 60; i++) { const one = visviva.world(scene); one.step(); one.close(); }
assert.equal(visviva.memory, used);
for (let i = 0; i < 400; i++) world.step();
assert.equal(visviva.memory, used);
"""

    THREADS = """
import assert from 'node:assert';
import { load } from './visviva.js';
const one = await load(), many = await load({ threads: true }), scene = SCENE;
scene.bodies[0].mesh.box.cells = [12, 12, 12];
assert(one.whyOneThread && !many.whyOneThread);
const alone = one.world(scene), world = many.world(scene), start = performance.now();
assert.deepEqual(await world.setThreads(3), { threads: 3, refused: '' });
for (const threads of [3, 1, 2, 4]) {
    assert.deepEqual(await world.setThreads(threads), { threads, refused: '' });
    for (let i = 0; i < 3; i++) {
        alone.step();
        world.step();
        assert.deepEqual(Array.from(world.nodes), Array.from(alone.nodes));
    }
}
assert(world.positions.buffer instanceof SharedArrayBuffer && world.positions.buffer.byteLength === many.memory);
const used = many.memory, big = many.world({ ...scene, bodies: [{ ...scene.bodies[0], mesh: { box: { size: [1, 1, 1], cells: [26, 26, 26] } } }] });
assert(many.memory > used && world.positions.buffer.byteLength === many.memory, 'views are of the memory that grew');
big.close();
world.open(scene);
alone.open(scene);
world.step(2);
alone.step(2);
assert.deepEqual(Array.from(world.nodes), Array.from(alone.nodes));
assert.equal((await alone.setThreads(2)).threads, 1);
"""

    def script(self, text):
        folder = ROOT / "build-web" / "npm"
        done = subprocess.run(["node", "--input-type=module", "-e", text.replace("SCENE", json.dumps(CUBE)).replace("'./visviva.js'", f"'{folder}/visviva.js'")],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return folder

    def test_threads(self):
        """The same bits with any number of threads; the script ends by itself, although workers are there."""
        self.script(self.THREADS)

    def test_package(self):
        folder = self.script(self.SCRIPT)
        package = json.loads((folder / "package.json").read_text())
        self.assertEqual([], [name for name in package["files"] if not (folder / name).exists()])
        self.assertIn(package["version"], call("--version").stdout)
        self.assertLess((folder / "README.md").read_text().count("\n"), 16)


if __name__ == "__main__":
    if not PROGRAM or not os.access(PROGRAM, os.X_OK):
        skip("$VISVIVA is not the program")
    if not (PAGE / "index.html").exists():
        skip("there is no playground here (./run web builds it): it was not tested")
    if not browser_support.find() or not shutil.which("node"):
        skip("chromium or nodejs is not here (Debian: chromium nodejs): the playground was not tested")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main(defaultTest=["Package", "OtherServers.test_plain"] + [f"InBrowser.test_{name}" for name in SHORT] if os.environ.get("VV_TEST_SIZE") == "quick" else None)
