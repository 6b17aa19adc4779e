#!/usr/bin/env python3
"""The page of `visviva report` in a browser (Chromium without a window), moved by real input events: time, curves, keys, the view, colours, two runs,
a narrow window, dark and light, files that are saved; without scripts and without WebGL; names that mean harm. What it decodes is what it drew.

VV_TEST_SIZE=quick does the most important of it; VV_SHOTS=FOLDER keeps pictures. $VISVIVA is the program. Exit code 77 (skipped, with a
message) without it, or where Chromium is not installed.
"""
import csv
import json
import os
import pathlib
import sys
import tempfile
import unittest

import browser_support
from report_support import Page, need_reports
from terminal_support import PROGRAM, call

BAD = "</title>\n\"],\"</script><script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'>"
SCENE = {"visviva": 1, "name": "two boxes", "description": "a < b && c > d", "time": {"step": "1/60", "end": 1},
         "integrator": {"scheme": "backward-euler", "policy": "search", "ground_energy": "none"},
         "materials": {"jelly": {"model": "fixed-corotated", "young": 2e4, "poisson": 0.3, "density": 1000}},
         "bodies": [{"name": name, "material": "jelly", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [3, 3, 3]}},
                     "place": {"translate": [x, 0.4, 0], "rotate": [0, 30, 10]}, "velocity": {"angular": [0, 0, 3]}} for name, x in (("left", -0.3), ("right", 0.3))],
         "obstacles": [{"plane": {}}, {"sphere": {"center": [0, 0.1, -0.5], "radius": 0.1}}]}
SHORT = ("scrub", "curves_and_film", "between_frames", "film_leaves_the_text_alone", "two_runs_in_step", "keys", "narrow", "dark_and_light", "names_that_mean_harm")
# The part of the canvas's picture, in pixels, that is another one than before.
CHANGED = """(() => { const c = document.getElementById('view'), small = document.createElement('canvas'); small.width = 160; small.height = 120;
    const g = small.getContext('2d'); g.drawImage(c, 0, 0, 160, 120); const now = g.getImageData(0, 0, 160, 120).data, before = window.before; window.before = now;
    if (!before) return 1; let other = 0; for (let i = 0; i < now.length; i += 4) other += Math.abs(now[i] - before[i]) + Math.abs(now[i + 1] - before[i + 1]) + Math.abs(now[i + 2] - before[i + 2]) > 12; return other / 19200; })()"""


def skip(message):
    print(f"skipped: {message}")
    sys.exit(77)


class InBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        pathlib.Path("a.json").write_text(json.dumps(SCENE))
        bad = {**SCENE, "name": BAD, "bodies": [{**SCENE["bodies"][0], "name": BAD[:100]}]}
        pathlib.Path("bad.json").write_text(json.dumps(bad))
        for arguments in (("run", "a.json", "-q", "-o", "a.vtkhdf"), ("run", "bad.json", "-q", "-o", "bad.vtkhdf", "--until", "0.1"),
                          ("run", "a.json", "-q", "-o", "b.vtkhdf", "--set", "integrator.policy=none", "--set", "time.step=1/30", "--until", "0.7"),
                          ("run", "a.json", "-q", "-o", "one.vtkhdf", "--until", "0"),
                          ("report", "a.vtkhdf", "-q", "-o", "a.html", "--fields", "speed,strain,von-mises"), ("report", "one.vtkhdf", "-q", "-o", "one.html"),
                          ("report", "bad.vtkhdf", "-q", "-o", "bad.html"), ("report", "bad.vtkhdf", "a.vtkhdf", "-q", "-o", "bad-two.html", "--label", BAD), ("report", "a.vtkhdf", "b.vtkhdf", "-q", "-o", "two.html"),
                          ("report", "a.vtkhdf", "b.vtkhdf", "one.vtkhdf", "-q", "-o", "three.html")):
            done = call(*arguments)
            assert done.returncode == 0, done.stderr
        cls.browser = browser_support.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.browser.messages.clear()
        self.browser.size(1280, 860)

    def tearDown(self):
        self.assertEqual(self.browser.messages, [], "the page said something on the console")
        keep = os.environ.get("VV_SHOTS")
        if keep:
            self.browser.screenshot(os.path.join(keep, f"{self.id().split('.')[-1]}.png"))

    def page(self, name="a.html"):
        self.assertEqual(self.browser.open(name), "yes", self.browser.value("document.getElementById('trouble').textContent"))
        self.browser.pictures(3)
        return self.browser

    def time(self):
        return float(self.browser.value("document.getElementById('clock').textContent").split()[0])

    def changed(self, least, most=1):
        part = self.browser.value(CHANGED)
        self.assertGreaterEqual(part, least)
        self.assertLessEqual(part, most)

    def test_scrub(self):
        b = self.page()
        self.assertEqual(self.time(), 0)
        b.value(CHANGED)
        b.click("#scrub", 0.5)
        self.assertAlmostEqual(self.time(), 0.5, delta=0.04)
        self.changed(0.005, 0.6)
        b.drag("#scrub", (0.5, 0.5), (0.9, 0.5))
        self.assertAlmostEqual(self.time(), 0.9, delta=0.04)

    def test_what_is_drawn_is_what_the_page_holds(self):
        b, page = self.page(), Page(pathlib.Path("a.html"))
        places, film = page.places(0), page.facts["runs"][0]["film"]
        for frame in (0, 17, 60):
            b.value(f"visviva.clock.seek({frame})")
            b.pictures()
            middle = b.value("[...visviva.painter.middle]")
            drawn = b.value("[...visviva.painter.tiles[0].shown.places]")
            for v in range(film["vertices"]):
                for k in range(3):
                    self.assertAlmostEqual(drawn[3 * v + k] + middle[k], places[frame][v][k], delta=1e-6)
        speeds = page.field(0, "speed")
        shown = b.value("(c => Array.from({ length: visviva.runs[0].film.vertices }, (_, v) => c.least + (c.most - c.least) * c.at(visviva.runs[0], 17)(v)))(visviva.colourings[1])")
        for v, speed in enumerate(speeds[17]):
            self.assertAlmostEqual(shown[v], speed, delta=1e-6)

    def test_curves_and_film(self):
        b = self.page()
        self.assertGreaterEqual(b.value("document.querySelectorAll('.chart .uplot').length"), 9)
        b.hover(".chart .u-over", 0.25)
        self.assertAlmostEqual(self.time(), 0.25, delta=0.04)
        b.hover(".chart:nth-child(2) .u-over", 0.75)  # any of them
        self.assertAlmostEqual(self.time(), 0.75, delta=0.04)
        b.hover("h1")
        b.click("#scrub", 0.3)
        at = self.time()
        for nth in (1, 3, 5):  # and their cursors go where the film is
            cursor = b.value(f"(p => p.posToVal(p.cursor.left, 'x'))(visviva.charts[{nth}].plot)")
            self.assertAlmostEqual(cursor, at, delta=0.02)
        said = b.value("document.querySelector('.chart .u-legend .u-value').textContent")
        self.assertAlmostEqual(float(said), at, delta=0.01)

    def test_cursors_of_charts_drawn_anew(self):
        """At first, in other colours, with another curve: a chart's cursor is where the film is."""
        b = self.page()
        cursors = "visviva.charts.map(c => c.plot.posToVal(c.plot.cursor.left, 'x'))"
        self.assertEqual(set(b.value(cursors)), {0})
        b.click("#scrub", 0.3)
        b.hover("h1")
        at = self.time()
        b.key("d")
        b.value("(s => { s.selectedIndex = 3; s.dispatchEvent(new Event('change')); })([...document.querySelectorAll('.chart select')].at(-1))")
        b.pictures()
        for cursor in b.value(cursors):
            self.assertAlmostEqual(cursor, at, delta=0.02)
        for said in b.value("[...document.querySelectorAll('.chart .u-legend')].map(e => e.querySelector('.u-value').textContent)"):
            self.assertAlmostEqual(float(said), at, delta=0.01)

    def test_curves_are_the_ledgers(self):
        b = self.page()
        lines = Page(pathlib.Path("a.html")).blocks["ledger-0"].decode().splitlines()
        names, rows = lines[0].split(","), [line.split(",") for line in lines[1:]]
        kinetic = [float(row[names.index("kinetic [J]")]) for row in rows]
        drawn = b.value("(c => c.plot.data[1 + c.lines().findIndex(l => l.label === 'kinetic')])(visviva.charts[0])")
        self.assertEqual(len(drawn), len(kinetic))
        for one, other in zip(drawn, kinetic):
            self.assertAlmostEqual(one, other, delta=1e-12)
        friction = sum(float(row[names.index("friction [J]")]) for row in rows[1:])
        total = b.value("(c => c.plot.data[1 + c.lines().findIndex(l => l.label === 'friction')].at(-1))(visviva.charts.find(c => c.spec.title === 'Where it went'))") if friction else 0
        self.assertAlmostEqual(total, friction, delta=1e-9)
        seconds = b.value("visviva.charts.some(c => c.spec.title === 'Seconds')")
        self.assertTrue(seconds)

    def test_playing(self):
        b = self.page()
        b.value("document.getElementById('speed').focus()")
        b.click("#play")
        b.until("visviva.clock.index > 3")
        self.assertEqual(b.value("document.getElementById('play').textContent"), "Stop")
        b.click("#play")
        at = self.time()
        b.pictures(5)
        self.assertEqual(self.time(), at)
        self.assertEqual(b.value("document.getElementById('play').textContent"), "Play")

    def test_between_frames(self):
        b, places = self.page(), Page(pathlib.Path("a.html")).places(0)
        self.assertTrue(b.value("document.getElementById('between').hidden"))
        b.value("(s => { s.value = '0.25'; s.dispatchEvent(new Event('change')); })(document.getElementById('speed'))")
        self.assertFalse(b.value("document.getElementById('between').hidden"))
        b.value("visviva.clock.seek(20)")
        b.click("#play")
        for _ in range(300):  # some picture that lies well between two frames
            b.pictures(1)
            frame, part, *at = b.value("(t => { const m = visviva.painter.middle; return [t.at.frame, t.at.part, ...[...t.shown.places.slice(0, 300)].map((x, i) => x + m[i % 3])]; })"
                                       "(visviva.painter.tiles[0])")
            if 0.2 < part < 0.8 and frame > 19:
                break
        else:
            self.fail("no picture between frames")
        b.click("#play")
        for i, x in enumerate(at):
            v, k = divmod(i, 3)
            self.assertAlmostEqual(x, (1 - part) * places[frame][v][k] + part * places[frame + 1][v][k], delta=1e-6)
        b.pictures()
        self.assertEqual(b.value("visviva.painter.tiles[0].at.part"), 0)  # it stands at a frame
        self.assertAlmostEqual(self.time() * 60, round(self.time() * 60), delta=0.06)
        b.value("(s => { s.value = '1'; s.dispatchEvent(new Event('change')); })(document.getElementById('speed'))")
        b.click("#play")
        for _ in range(20):
            self.assertEqual(b.value("visviva.painter.tiles[0].at.part"), 0)
        b.click("#play")

    def test_keys(self):
        b = self.page()
        b.key("ArrowRight")
        self.assertAlmostEqual(self.time(), 1 / 60, delta=1e-3)
        b.key("ArrowRight", modifiers=8)
        self.assertAlmostEqual(self.time(), 11 / 60, delta=1e-3)
        b.key("ArrowLeft")
        self.assertAlmostEqual(self.time(), 10 / 60, delta=1e-3)
        b.key("End")
        self.assertAlmostEqual(self.time(), 1, delta=1e-3)
        b.key("Home")
        self.assertEqual(self.time(), 0)
        b.value(CHANGED)
        b.key("h")
        self.changed(0.01)
        b.key("+")
        self.changed(0.01)
        b.key("c")
        self.assertEqual(b.value("document.getElementById('legend-title').textContent")[:5], "speed")
        b.key(">")
        self.assertEqual(b.value("document.getElementById('speed').value"), "2")
        b.key(" ")
        b.until("visviva.clock.index > 2")
        b.key(" ")
        self.assertFalse(b.value("visviva.clock.playing"))
        b.key("d")
        self.assertEqual(b.value("document.documentElement.dataset.theme"), "dark")

    def test_film_leaves_the_text_alone(self):
        b = self.page()
        b.value("document.getElementById('text').scrollIntoView({ behavior: 'instant' })")
        b.pictures()
        film, text = (b.value(f"(r => [r.top, r.bottom])(document.getElementById('{name}').getBoundingClientRect())") for name in ("film", "text"))
        self.assertLessEqual(film[1], text[0])

    def test_tab_reaches_all(self):
        b = self.page()
        met = set()
        for _ in range(30):
            b.key("Tab")
            met.add(b.value("document.activeElement.id"))
        self.assertLessEqual({"view", "play", "scrub", "speed", "colour", "follow", "home", "theme"}, met)

    def test_view(self):
        b = self.page()
        b.value(CHANGED)
        b.drag("#view", (0.4, 0.5), (0.6, 0.4))
        self.changed(0.02)
        b.wheel("#view", -400)
        self.changed(0.02)
        b.drag("#view", (0.5, 0.5), (0.6, 0.5), modifiers=8)
        self.changed(0.02)
        b.click("#home")
        self.changed(0.02)
        self.assertEqual(b.value("[visviva.orbit.away, ...visviva.orbit.shift]"), [1, 0, 0, 0])

    def test_colours_and_followed_bodies(self):
        b = self.page()
        self.assertEqual(b.value("[...document.getElementById('colour').options].map(o => o.text)"), ["body", "speed", "strain", "von mises", "height"])
        for index, unit in ((1, "m/s"), (3, "Pa"), (4, "m")):
            b.value(f"(s => {{ s.selectedIndex = {index}; s.dispatchEvent(new Event('change')); }})(document.getElementById('colour'))")
            b.pictures()
            self.assertTrue(b.value("document.getElementById('legend-most').textContent").endswith(unit))
        self.assertEqual(b.value("[...document.getElementById('follow').options].map(o => o.text)"), ["nothing", "left", "right"])
        b.value(CHANGED)
        b.value("(s => { s.selectedIndex = 2; s.dispatchEvent(new Event('change')); })(document.getElementById('follow'))")
        b.pictures()
        self.changed(0.02)

    def test_two_runs_in_step(self):
        b = self.page("two.html")
        self.assertEqual(b.value("[...document.querySelectorAll('#tiles span')].map(s => s.textContent)"), ["Backward Euler + A-search", "Backward Euler"])
        b.value("visviva.clock.seekTime(0.5)")
        b.pictures()
        times = b.value("visviva.painter.tiles.map(t => t.run.film.times[t.frame])")
        self.assertAlmostEqual(times[0], 0.5, delta=1e-9)
        self.assertAlmostEqual(times[1], 0.5, delta=1e-9)
        b.value("visviva.clock.seekTime(0.5 + 1 / 60)")
        b.pictures()
        times = b.value("visviva.painter.tiles.map(t => t.run.film.times[t.frame])")
        self.assertAlmostEqual(times[0], 0.5 + 1 / 60, delta=1e-9)
        self.assertAlmostEqual(times[1], 0.5, delta=1e-9)
        b.key("End")
        self.assertAlmostEqual(b.value("visviva.painter.tiles[1].run.film.times[visviva.painter.tiles[1].frame]"), 0.7, delta=1e-3)
        self.assertEqual(b.value("visviva.charts[0].plot.series.length"), 3)
        b.value("(s => { s.value = 2; s.dispatchEvent(new Event('change')); })(document.querySelector('.chart select'))")
        self.assertTrue(b.value("visviva.charts[0].plot.data[2].some(x => x > 0)"))

    def test_three_runs(self):
        """Where no run stands there is the page's colour, in the light and in the dark."""
        for dark in (False, True):
            self.browser.size(1280, 860, dark=dark)
            b = self.page("three.html")
            empty, corner = b.value("""(() => { const c = document.getElementById('view'), small = document.createElement('canvas'); small.width = c.width; small.height = c.height;
                const g = small.getContext('2d', { willReadFrequently: true }); visviva.paint(false); g.drawImage(c, 0, 0); return [[0.75, 0.75], [0.01, 0.01]].map(([x, y]) =>
                [...g.getImageData(x * c.width, y * c.height, 1, 1).data]); })()""")
            self.assertEqual(empty, corner)

    def test_columns_of_all_runs(self):
        """Those of a body that only the second run has can be chosen, too; the first one has nothing to show there."""
        b = self.page("bad-two.html")
        b.value("(s => { s.selectedIndex = [...s.options].findIndex(o => o.text === 'visible of right, J'); s.dispatchEvent(new Event('change')); })"
                "([...document.querySelectorAll('.chart select')].at(-1))")
        names = next(csv.reader([Page(pathlib.Path("bad-two.html")).blocks["ledger-1"].decode().splitlines()[0]]))
        self.assertIn("visible of right [J]", names)
        time, first, second = b.value("visviva.charts.at(-1).plot.data")
        self.assertTrue(all(value is None for value in first))
        self.assertTrue(any(value > 0 for value in second if value is not None))

    def test_narrow(self):
        b = self.browser
        b.size(390, 844, dark=True)
        for name in ("a.html", "two.html", "bad.html"):
            self.page(name)
            self.assertLessEqual(b.value("document.documentElement.scrollWidth"), 390, name)
            self.assertLess(b.value("Math.max(...[...document.querySelectorAll('.chart, .run, #film, select')].map(e => e.getBoundingClientRect().right))"), 391)
            b.size(1280, 860, dark=True)  # and wide again: the curves go along
            b.until("Math.abs(document.querySelector('.chart .uplot').getBoundingClientRect().width - document.querySelector('.chart').clientWidth) < 40", 60)
            b.size(390, 844, dark=True)
            b.until("document.querySelector('.chart .uplot').getBoundingClientRect().right < 391", 60)
            if os.environ.get("VV_SHOTS"):
                b.screenshot(os.path.join(os.environ["VV_SHOTS"], f"narrow-{name}.png"), whole=True)

    def test_dark_and_light(self):
        b = self.browser
        light = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((a, x) => a + +x, 0) / 765"
        b.size(1280, 860, dark=True)
        self.page()
        self.assertLess(b.value(light), 0.2)
        b.value(CHANGED)
        b.click("#theme")
        self.assertGreater(b.value(light), 0.8)
        self.changed(0.5)
        self.assertEqual(b.value("document.getElementById('theme').textContent"), "Dark")

    def catch_saved(self):
        self.browser.value("URL.createObjectURL = blob => { window.saved = blob; return 'blob:none'; }; HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }")

    def test_saved_files(self):
        b = self.page()
        self.catch_saved()
        b.click(".save button:nth-child(1)")
        self.assertEqual(b.value("savedAs"), "a.json")
        self.assertEqual(b.value("saved.text()"), call("info", "a.vtkhdf", "--scene").stdout)
        b.click(".save button:nth-child(2)")
        self.assertEqual(b.value("savedAs"), "a.csv")
        self.assertEqual(b.value("saved.text()"), Page(pathlib.Path("a.html")).blocks["ledger-0"].decode())

    def test_names_that_mean_harm(self):
        b = self.page("bad.html")
        b.pictures(5)
        self.assertIsNone(b.value("window.hurt"))
        self.assertEqual(b.value("document.querySelectorAll('img').length"), 0)
        self.assertEqual(b.value("document.querySelector('h1').textContent"), BAD)
        self.assertEqual(b.value("document.getElementById('follow').options[1].text"), BAD[:100].replace("\n", "?"))
        self.catch_saved()
        b.click(".save button:nth-child(1)")
        self.assertEqual(b.value("saved.text()"), call("info", "bad.vtkhdf", "--scene").stdout)
        self.assertEqual(b.value("document.getElementById('scene-0').childElementCount"), 0)
        self.page("bad-two.html")
        self.assertEqual(b.value("[...document.querySelectorAll('#tiles span, .run > h2, .u-legend .u-label')].filter(e => e.childElementCount).length"), 0)
        self.assertEqual(b.value("document.querySelector('#tiles span').textContent"), BAD)
        self.assertEqual(b.value("document.querySelectorAll('img').length"), 0)
        b.value("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hurt = 1\">')")  # nothing runs that is not the page's own
        b.pictures(5)
        self.assertIsNone(b.value("window.hurt"))
        b.messages.clear()

    def test_one_frame(self):
        b = self.page("one.html")
        self.assertTrue(b.value("document.getElementById('play').disabled"))
        b.key(" ")
        b.key("ArrowRight")
        self.assertEqual(self.time(), 0)

    def test_without_scripts(self):
        b = self.browser
        b.scripts(False)
        b.open("a.html", ready=None)
        shown = b.call("Runtime.evaluate", expression="document.body.innerText", returnByValue=True)["result"]["value"]
        b.scripts(True)
        for words in ("two boxes", "runs no script", "numerical error", "kinetic", "backward-euler", "Off target"):
            self.assertIn(words, shown)

    def test_nothing_is_fetched(self):
        b = self.page()
        wanted = [p["request"]["url"][:80] for method, p in b.events if method == "Network.requestWillBeSent"]
        self.assertEqual([url for url in wanted if not url.startswith(("file:", "blob:", "data:"))], [])
        self.assertEqual(len([url for url in wanted if url.startswith("file:")]), 1)


class WithoutWebGL(unittest.TestCase):
    def test_curves_stand_alone(self):
        browser = browser_support.Browser("--disable-3d-apis")
        try:
            browser.size(1280, 860)
            self.assertEqual(browser.open("a.html"), "yes")
            self.assertIn("has no WebGL 2 here", browser.value("document.getElementById('blind').textContent"))
            browser.hover(".chart .u-over", 0.5)
            self.assertAlmostEqual(float(browser.value("document.getElementById('clock').textContent").split()[0]), 0.5, delta=0.04)
        finally:
            browser.close()


if __name__ == "__main__":
    if not PROGRAM or not os.access(PROGRAM, os.X_OK):
        skip("$VISVIVA is not the program")
    need_reports()
    if not browser_support.find():
        skip("chromium is not here (Debian: chromium): how the page of visviva report looks and moves was not tested")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main(defaultTest=[f"InBrowser.test_{name}" for name in SHORT] if os.environ.get("VV_TEST_SIZE") == "quick" else None)
