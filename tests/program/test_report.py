#!/usr/bin/env python3
"""visviva report: the page read by a decoder of its own. Positions and speeds against the run file, all frames; sizes; what was thinned; text;
what others wrote into names; what is refused. How the page looks and moves in a browser: test_report_page.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it or h5dump.
"""
import csv
import json
import math
import os
import pathlib
import re
import struct
import tempfile
import unittest

from exports_support import MIXED, OWN, Run, dump, make_runs, need_program
from report_support import Page, Tags, need_reports
from terminal_support import call

ROOT = pathlib.Path(__file__).resolve().parents[2]
BAD = "</title>\n\"],\"</script><script>hurt()</script><img src=x onerror=hurt()> @@data@@ \" ' &amp; \u00fc\u2028"
SMALL = {"visviva": 1, "name": "small", "time": {"step": "1/60", "end": 0.5},
         "integrator": {"scheme": "backward-euler", "policy": "none", "ground_energy": "none"},
         "materials": {"jelly": {"model": "fixed-corotated", "young": 2e4, "poisson": 0.3, "density": 1000}},
         "bodies": [{"name": "b", "material": "jelly", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [8, 8, 8]}},
                     "place": {"translate": [0, 0.3, 0], "rotate": [0, 30, 10]}, "velocity": {"angular": [2, 3, 4]}}],
         "contact": {"friction": 0.3}, "obstacles": [{"plane": {}}]}


def distance(a, b):
    return math.dist(a, b)


def diagonal(frames):
    points = [p for frame in frames for p in frame]
    return distance([min(p[k] for p in points) for k in range(3)], [max(p[k] for p in points) for k in range(3)])


def write(name, scene):
    pathlib.Path(name).write_text(json.dumps(scene))


def scene_with(**more):
    return {**SMALL, **more}


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        make_runs(".")
        write("small.json", SMALL)
        cls.good("run", "small.json", "-q", "-o", "small.vtkhdf")
        for name in ("mixed", "own", "small"):
            cls.good("report", f"{name}.vtkhdf", "-q", "-o", f"{name}.html")

    @staticmethod
    def good(*arguments):
        done = call(*arguments)
        assert done.returncode == 0, f"visviva {' '.join(arguments)}: {done.returncode}: {done.stderr}"
        return done

    def refused(self, words, *arguments):
        """Exit code 2, a message with these words, and no page."""
        done = call(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, words)
        self.assertFalse([p for p in pathlib.Path(".").iterdir() if p.name.startswith("none.html")])

    # ---- motion ----

    def vertices_of(self, body, places, part, reach):
        """Of each vertex of a part the body's vertex that it is, by the first frame."""
        points = [tuple(body["frames"][0][i:i + 3]) for i in range(0, len(body["frames"][0]), 3)]
        found = []
        for v in range(part["vertices"][0], sum(part["vertices"])):
            near = min(range(len(points)), key=lambda i: distance(points[i], places[0][v]))
            self.assertLessEqual(distance(points[near], places[0][v]), reach)
            found.append(near)
        self.assertEqual(len(set(found)), len(found), "two vertices are one of the run's")
        return found

    def compare(self, name, scene):
        page, run = Page(pathlib.Path(f"{name}.html")), Run(f"{name}.vtkhdf", scene)
        film, (triangles, edges) = page.facts["runs"][0]["film"], page.shape(0)
        places, most, all_points = page.places(0), 0, []
        self.assertEqual(film["times"], run.times)
        self.assertEqual([part["name"] for part in film["parts"]], [body["name"] for body in run.bodies])
        for part, body in zip(film["parts"], run.bodies):
            first = part["vertices"][0]
            of = self.vertices_of(body, places, part, film["error"] * (1 + 1e-9))
            used = set(body["triangles"] or body["edges"])
            self.assertEqual(set(of), used)
            for listed, own, corners in ((triangles, body["triangles"], 3), (edges, body["edges"], 2)):
                kind = "triangles" if corners == 3 else "edges"
                here = [tuple(of[v - first] for v in element) for element in listed[part[kind][0]:sum(part[kind])]]
                want = [tuple(own[i:i + corners]) for i in range(0, len(own), corners)]
                turned = lambda t: min(t[i:] + t[:i] for i in range(len(t)))  # the way round stays, where it begins does not
                self.assertEqual(sorted(map(turned, here)), sorted(map(turned, want)))
            for f, frame in enumerate(body["frames"]):
                for v, i in enumerate(of):
                    most = max(most, distance(places[f][first + v], frame[3 * i:3 * i + 3]))
                all_points.append([frame[3 * i:3 * i + 3] for i in of])
        self.assertAlmostEqual(most, film["error"], delta=1e-6 * most)  # what the page states is what it has
        self.assertLessEqual(most, 1e-4 * diagonal(all_points))
        self.assertGreater(most, 2e-5 * diagonal(all_points))  # and not much better, which would cost
        return page, run

    def test_positions(self):
        self.compare("mixed", MIXED)

    def test_carried_surface(self):
        page, _ = self.compare("own", OWN)
        self.assertGreater(page.facts["runs"][0]["film"]["range"], 1000)

    def test_error_that_was_asked_for(self):
        self.good("report", "mixed.vtkhdf", "-q", "-o", "mixed.html", "--error", "1e-6")
        page = Page(pathlib.Path("mixed.html"))
        self.assertGreater(page.facts["runs"][0]["film"]["range"], 65536)  # a wider array in the page
        points = [[tuple(frame[i:i + 3]) for i in range(0, len(frame), 3)] for frame in Run("mixed.vtkhdf", MIXED).bodies[0]["frames"]]
        first = page.facts["runs"][0]["film"]["parts"][0]["vertices"]
        for frame, want in zip(page.places(0), points):
            for place in frame[first[0]:sum(first)]:
                self.assertLess(min(distance(place, p) for p in want), 2e-6)
        self.good("report", "mixed.vtkhdf", "-q", "-o", "mixed.html")

    def test_speed(self):
        page, run = Page(pathlib.Path("own.html")), Run("own.vtkhdf", OWN)
        film, field = page.facts["runs"][0]["film"], page.facts["runs"][0]["film"]["fields"][0]
        self.assertEqual((field["name"], field["unit"]), ("speed", "m/s"))
        of = self.vertices_of(run.bodies[0], page.places(0), film["parts"][0], film["error"] * 1.001)
        step, largest = (field["most"] - field["least"]) / page.facts["levels"], 0
        for values, fast in zip(page.field(0, "speed"), run.bodies[0]["velocities"]):
            for v, i in enumerate(of):
                speed = math.hypot(*fast[3 * i:3 * i + 3])
                largest = max(largest, speed)
                self.assertAlmostEqual(values[v], min(speed, field["most"]), delta=0.51 * step)
        self.assertAlmostEqual(field["largest"], largest, delta=1e-6 * largest)
        self.assertLessEqual(field["most"], largest)

    def test_bytes_a_coordinate(self):
        page = Page(pathlib.Path("small.html"))
        film = page.facts["runs"][0]["film"]
        each = page.packed["motion-0"] / (3 * film["vertices"] * len(film["times"]))
        self.assertLess(each, 0.75)
        self.assertGreater(each, 0.1)

    def test_fields_of_the_scene(self):
        self.good("report", "small.vtkhdf", "-q", "-o", "fields.html", "--fields", "von-mises,speed")
        fields = Page(pathlib.Path("fields.html")).facts["runs"][0]["film"]["fields"]
        self.assertEqual([(f["name"], f["unit"]) for f in fields], [("von-mises", "Pa"), ("speed", "m/s")])
        said = self.good("info", "small.vtkhdf", "--fields", "von-mises").stdout  # of tets, at the last frame; the page has it at nodes
        last = float(re.search(r"von-mises of b: \S+ to (\S+) Pa", said).group(1))
        self.assertGreater(fields[0]["largest"], 0.3 * last)
        values = Page(pathlib.Path("fields.html")).field(0, "von-mises")
        self.assertLess(max(values[0]), 0.05 * fields[0]["largest"])  # at rest in the first frame
        self.assertGreater(max(max(frame) for frame in values), 0.9 * fields[0]["most"])

    # ---- size ----

    def test_fewer_frames_first(self):
        whole, film = Page(pathlib.Path("small.html")), Page(pathlib.Path("small.html")).facts["runs"][0]["film"]
        wanted = int(1.15 * os.path.getsize("small.html"))
        long = scene_with(time={"step": "1/120", "end": 0.5})
        write("long60.json", long)
        self.good("run", "long60.json", "-q", "-o", "long60.vtkhdf")
        self.good("report", "long60.vtkhdf", "-q", "-o", "long60.html", "--size", str(wanted))
        page = Page(pathlib.Path("long60.html"))
        thin = page.facts["runs"][0]["film"]
        self.assertLessEqual(os.path.getsize("long60.html"), wanted)
        self.assertEqual(thin["vertices"], film["vertices"])
        stride = round((61 - 1) / (len(thin["times"]) - 1))
        self.assertGreater(stride, 1)
        times = dump(pathlib.Path("long60.vtkhdf"), "/VTKHDF/Steps/Values", "d")
        self.assertEqual(thin["times"], times[::stride])
        self.assertIn(f"frames left out</th><td>all but one of {stride},", page.html)

    def test_fewer_vertices(self):
        whole = Page(pathlib.Path("small.html"))
        rest = len(whole.html) - sum(4 * n / 3 for name, n in whole.packed.items() if name.startswith(("motion", "field", "shape")))
        wanted = int(rest + 0.35 * (len(whole.html) - rest))
        self.good("report", "small.vtkhdf", "-q", "-o", "thin.html", "--size", str(wanted))
        page = Page(pathlib.Path("thin.html"))
        film, before = page.facts["runs"][0]["film"], whole.facts["runs"][0]["film"]
        self.assertLessEqual(os.path.getsize("thin.html"), wanted)
        self.assertLess(film["vertices"], before["vertices"])
        self.assertGreaterEqual(film["vertices"], 60)
        triangles, _ = page.shape(0)
        self.check_closed(triangles, film["vertices"])
        full, thin = whole.places(0), page.places(0)
        stride = round((len(before["times"]) - 1) / max(1, len(film["times"]) - 1))
        for f, frame in enumerate(thin):  # each is a vertex of the run
            points = set(full[f * stride])
            self.assertTrue(all(place in points for place in frame))
        said = float(re.search(r"the others are at most ([\d.]+) mm from the surface here", page.html).group(1)) / 1e3
        by_samples = [self.near_surface(full[f * stride], frame, triangles) for f, frame in enumerate(thin)]
        worst = max(range(len(thin)), key=by_samples.__getitem__)
        kept = set(thin[worst])
        off = max(self.off_surface(p, thin[worst], triangles) for p in full[worst * stride] if p not in kept)
        self.assertGreaterEqual(said, off * 0.999)  # the text has four digits
        self.assertLessEqual(said, 1.2 * max(by_samples))

    def test_thin_tubes_stay_tubes(self):
        """A ring with a triangle for its cross-section, narrow at every second: edges that cannot go without pinching it are kept."""
        ring, across = 150, 3
        with open("ring.obj", "w", encoding="ascii") as file:
            for i in range(ring):
                a = 2 * math.pi * i / ring
                for k in range(across):
                    b = 2 * math.pi * k / across + a  # it turns once on its way round
                    thick = 0.02 if i % 2 else 1e-4
                    r = 0.3 + thick * math.cos(b)
                    file.write(f"v {r * math.cos(a)} {thick * math.sin(b)} {r * math.sin(a)}\n")
            for i in range(ring):
                for k in range(across):
                    p, q = across * i + k + 1, across * i + (k + 1) % across + 1
                    r, s = across * ((i + 1) % ring) + k + 1, across * ((i + 1) % ring) + (k + 1) % across + 1
                    file.write(f"f {p} {q} {s}\nf {p} {s} {r}\n")
        write("ring.json", scene_with(name="ring", materials={"stiff": {"model": "affine", "density": 1000}}, time={"step": "1/60", "end": 0.5}, bodies=[{
            "name": "ring", "material": "stiff", "mesh": {"file": "ring.obj"}, "place": {"translate": [0, 0.3, 0], "rotate": [20, 0, 0]}}]))
        self.good("run", "ring.json", "-q", "-o", "ring.vtkhdf")
        self.good("report", "ring.vtkhdf", "-q", "-o", "ring.html")
        self.assertEqual(Page(pathlib.Path("ring.html")).facts["runs"][0]["film"]["vertices"], ring * across)
        low, high = 0, os.path.getsize("ring.html")
        while high - low > 100:  # the smallest that there is
            size = (low + high) // 2
            made = call("report", "ring.vtkhdf", "-q", "-o", "ring-thin.html", "--size", str(size)).returncode == 0
            low, high = (low, size) if made else (size, high)
        page = Page(pathlib.Path("ring-thin.html"))
        vertices = page.facts["runs"][0]["film"]["vertices"]
        self.assertLessEqual(vertices, 150)
        self.check_closed(page.shape(0)[0], vertices, 0)

    def check_closed(self, triangles, vertices, number=2):
        """A surface with that Euler number still: each side has two triangles, which go round it the other way."""
        sides = [(t[i], t[(i + 1) % 3]) for t in triangles for i in range(3)]
        self.assertEqual(len(set(sides)), len(sides))
        self.assertEqual({(b, a) for a, b in sides}, set(sides))
        self.assertEqual(vertices - len(sides) // 2 + len(triangles), number)

    @staticmethod
    def near_surface(points, places, triangles):
        """How far the furthest point is from samples of the triangles: a little more than from the surface."""
        parts, samples = [(a / 6, b / 6) for a in range(7) for b in range(7 - a)], []
        for t in triangles:
            p, q, r = (places[v] for v in t)
            samples += [tuple(p[k] + a * (q[k] - p[k]) + b * (r[k] - p[k]) for k in range(3)) for a, b in parts]
        kept = set(places)
        return max(min(distance(p, s) for s in samples) for p in points if p not in kept)

    @staticmethod
    def off_surface(point, places, triangles):
        """The distance of a point from the surface."""
        least = math.inf
        minus, dot = (lambda a, b: [x - y for x, y in zip(a, b)]), (lambda a, b: sum(x * y for x, y in zip(a, b)))
        for t in triangles:
            x = [places[v] for v in t]
            u, w, p = minus(x[1], x[0]), minus(x[2], x[0]), minus(point, x[0])
            a, b, c, d, e = dot(u, u), dot(u, w), dot(w, w), dot(u, p), dot(w, p)
            s, r = (c * d - b * e) / (a * c - b * b), (a * e - b * d) / (a * c - b * b)
            if s >= 0 and r >= 0 and s + r <= 1:
                least = min(least, math.hypot(*(p[k] - s * u[k] - r * w[k] for k in range(3))))
            for i in range(3):
                side, to = minus(x[(i + 1) % 3], x[i]), minus(point, x[i])
                along = min(1, max(0, dot(side, to) / dot(side, side)))
                least = min(least, math.hypot(*(to[k] - along * side[k] for k in range(3))))
        return least

    def test_sizes_that_cannot_be(self):
        self.refused("without any film the page is", "report", "small.vtkhdf", "-o", "none.html", "--size", "20kB")
        for word in ("0", "-3MB", "5 bushels", "MB", "1e99"):
            self.refused("--size needs a size above 0", "report", "small.vtkhdf", "-o", "none.html", f"--size={word}")

    def test_the_gallery(self):
        pages = sorted((ROOT / "docs/gallery").glob("*.html"))
        self.assertEqual(len(pages), 3)
        for path in pages:
            self.assertLessEqual(path.stat().st_size, 1e6)
            page = Page(path)
            for run in range(len(page.facts["runs"])):
                triangles, _ = page.shape(run)
                self.assertGreater(len(triangles), 1000)
                self.assertEqual(page.facts["runs"][run]["film"]["parts"][0]["closed"], path.stem != "cloth-on-ball")
            self.assertIn(f"gallery/{path.name}", (ROOT / "docs/gallery.md").read_text())

    # ---- text ----

    def test_text(self):
        page = Page(pathlib.Path("small.html"))
        tags = Tags(page.html)
        self.good("run", "small.json", "-q", "-o", "again.vtkhdf", "--summary", "again.json")
        summary = json.loads(pathlib.Path("again.json").read_text())
        scale = summary["energy"]["scale"]
        for name, value in (("− friction", -summary["energy"]["friction"]), ("+ work", summary["energy"]["work"])):
            row = re.search(rf"<th scope=\"row\">{re.escape(name)}</th>.*?<td>(-?[\d.]+)%</td></tr>", page.html)
            self.assertAlmostEqual(float(row.group(1)), 100 * value / scale, delta=0.006, msg=name)
        mean = float(re.search(r"Off target \|H − T\|/S: mean ([\d.e-]+)%", tags.text).group(1))
        self.assertAlmostEqual(mean, 100 * summary["energy"]["mean_target_error"], delta=0.01 * mean)
        self.assertIn("31 frames of 31", tags.text)
        self.assertIn("integrator.scheme", tags.text)
        self.assertIn(f"Made by visviva {self.good('--version').stdout.split()[1]} (", tags.text)
        self.assertFalse(re.search(r"(src|href)=\"(https?:)?//", page.html), "something is fetched from elsewhere")

    def test_ledger_and_scene_are_the_runs(self):
        page = Page(pathlib.Path("small.html"))
        self.good("export", "small.vtkhdf", "-q", "-o", "small.csv")
        here, there = (list(csv.reader(text.splitlines())) for text in (page.blocks["ledger-0"].decode(), pathlib.Path("small.csv").read_text()))
        self.assertEqual(here[0], there[0])
        self.assertEqual(len(here), len(there))
        own = here[0].index("elastic of b [J]")  # the ledger's own columns to the byte, those of bodies to six digits
        self.assertEqual([row[:own] for row in here], [row[:own] for row in there])
        for row, whole in zip(here[1:], there[1:]):
            self.assertEqual(len(row), len(whole))
            for a, b in zip(row[own:], whole[own:]):
                self.assertAlmostEqual(float(a), float(b), delta=6e-6 * abs(float(b)))
        scene = re.search(r'<pre id="scene-0">(.*?)</pre>', page.html, re.DOTALL).group(1)
        self.assertEqual(Tags(scene).text, self.good("info", "small.vtkhdf", "--scene").stdout)

    def test_names_that_mean_harm(self):
        body = {**SMALL["bodies"][0], "name": BAD[:90]}
        write("bad.json", scene_with(name=BAD, description=BAD, time={"step": "1/60", "end": 0.05}, bodies=[body]))
        self.good("run", "bad.json", "-q", "-o", "bad.vtkhdf")
        self.good("report", "bad.vtkhdf", "-q", "-o", "bad.html", "--label", BAD)
        page, plain = Page(pathlib.Path("bad.html")), Page(pathlib.Path("small.html"))
        kinds = lambda p: sorted(name for name, _ in Tags(p.html).elements if name in ("script", "img", "style", "iframe", "title", "pre"))
        self.assertEqual(kinds(page), kinds(plain))
        self.assertFalse([a for _, a in Tags(page.html).elements if any(key.startswith("on") for key in a)])
        self.assertEqual(page.facts["runs"][0]["label"], BAD)
        self.assertEqual(page.facts["runs"][0]["film"]["parts"][0]["name"], BAD[:90].replace("\n", "?"))
        self.assertIn(BAD, Tags(page.html).text)
        nonces = {a.get("nonce") for name, a in Tags(page.html).elements if name == "script" and a.get("type") in (None, "module")}
        self.assertEqual(len(nonces), 1)
        self.assertIn(f"script-src 'nonce-{nonces.pop()}'", page.html)

    def test_a_label_that_is_no_utf8(self):
        self.good("report", "small.vtkhdf", "-q", "-o", "odd.html", "--label", b"\xff\xfe<b>".decode("utf-8", "surrogateescape"))
        self.assertEqual(Page(pathlib.Path("odd.html")).facts["runs"][0]["label"], "??<b>")

    # ---- runs of all kinds ----

    def test_several_runs(self):
        self.good("report", "small.vtkhdf", "mixed.vtkhdf", "-q", "-o", "two.html", "--label", "first one")
        runs = Page(pathlib.Path("two.html")).facts["runs"]
        self.assertEqual([run["label"] for run in runs], ["first one", "mixed bag, \"quoted\": Backward Euler"])
        self.assertEqual([len(run["film"]["times"]) for run in runs], [31, 20])
        self.assertRegex(Page(pathlib.Path("two.html")).html, r"<h1><bdi>small</bdi>, <bdi>mixed")  # each has its own direction of writing
        self.refused("2 labels and 1 run", "report", "small.vtkhdf", "-o", "none.html", "--label", "a", "--label", "b")

    def test_obstacles_that_move(self):
        """Those given by formulas, too: as bodies, each where its motion has brought it."""
        moves = [{"name": "lift", "plane": {}, "motion": {"velocity": [0, 0.2, 0]}},
                 {"name": "ball", "sphere": {"center": [0.5, 0.3, 0], "radius": 0.1}, "motion": {"velocity": [0.3, 0, -0.2]}},
                 {"name": "bar", "cylinder": {"center": [-0.6, 0.4, 0], "radius": 0.05, "height": 0.4}, "motion": {"angular": 90, "axis": [0, 0, 1], "about": [-0.6, 0.4, 0]}}]
        write("moves.json", scene_with(name="moves", obstacles=moves))
        self.good("run", "moves.json", "-q", "-o", "moves.vtkhdf")
        self.good("report", "moves.vtkhdf", "-q", "-o", "moves.html")
        page = Page(pathlib.Path("moves.html"))
        film, places = page.facts["runs"][0]["film"], page.places(0)
        self.assertEqual([(part["name"], part["obstacle"]) for part in film["parts"]], [("b", False), ("lift", True), ("ball", True), ("bar", True)])
        self.assertEqual(film["obstacleVertices"], 0)  # none stands where it began
        for part, to in zip(film["parts"][1:], (lambda x, t: (x[0], x[1] + 0.2 * t, x[2]), lambda x, t: (x[0] + 0.3 * t, x[1], x[2] - 0.2 * t),
                                                lambda x, t: (-0.6 + math.cos(1.5708 * t) * (x[0] + 0.6) - math.sin(1.5708 * t) * (x[1] - 0.4),
                                                              0.4 + math.sin(1.5708 * t) * (x[0] + 0.6) + math.cos(1.5708 * t) * (x[1] - 0.4), x[2]))):
            for frame in (7, 30):
                for v in range(part["vertices"][0], sum(part["vertices"])):
                    self.assertLess(distance(places[frame][v], to(places[0][v], film["times"][frame])), 3 * film["error"])

    def test_what_was_said(self):
        write("inverts.json", scene_with(name="inverts", gravity=[0, -98, 0], time={"step": "1/60", "end": 0.3},
                                         materials={"jelly": {"model": "arap", "young": 500, "poisson": 0.3, "density": 1000}}))
        self.good("run", "inverts.json", "-q", "--threads", "2", "-o", "inverts.vtkhdf", "--report", "inverts.html")
        said = [note["text"] for note in json.loads(self.good("info", "inverts.vtkhdf", "--json").stdout)["notes"]]
        self.assertTrue(any(re.match(r"warning: step \d+ .* inverted", text) for text in said), said)
        page = Tags(Page(pathlib.Path("inverts.html")).html)
        for text in said:
            self.assertIn(text.removeprefix("warning: "), page.text)
        self.assertIn(("li", {"class": "warning"}), page.elements)
        self.assertIn(f"visviva {self.good('--version').stdout.split()[1]} (", page.text[page.text.index("made by"):])
        self.assertIn(", 2 threads", page.text)

    def test_one_frame(self):
        self.good("run", "small.json", "-q", "-o", "one.vtkhdf", "--until", "0")
        self.good("report", "one.vtkhdf", "-q", "-o", "one.html")
        page = Page(pathlib.Path("one.html"))
        self.assertEqual(page.facts["runs"][0]["film"]["times"], [0])
        self.assertEqual(len(page.places(0)), 1)

    def test_a_run_that_failed(self):
        write("fails.json", scene_with(integrator={"scheme": "forward-euler", "policy": "none"}, time={"step": 0.05, "end": 40}))
        done = call("run", "fails.json", "-q", "-o", "fails.vtkhdf", "--report", "fails.html")
        self.assertEqual(done.returncode, 1, done.stderr)
        page = Page(pathlib.Path("fails.html"))
        status = json.loads(self.good("info", "fails.vtkhdf", "--json").stdout)["status"]
        self.assertIn("failed", status)
        self.assertIn(f"The run did not reach its end: {status[:200]}", Tags(page.html).text)
        self.assertIn(f"This run did not reach its end: {status[:200]}", Tags(page.html).text.split("runs no script")[0])  # at its head, too
        film = page.facts["runs"][0]["film"]
        self.assertGreater(len(film["times"]), 1)
        for frame in page.places(0):
            self.assertTrue(all(math.isfinite(x) for place in frame for x in place))

    def damaged(self, name, frame, value):
        """small.vtkhdf with another coordinate of the first node in a frame."""
        whole, points = pathlib.Path("small.vtkhdf").read_bytes(), dump(pathlib.Path("small.vtkhdf"), "/VTKHDF/Points", "d")
        at = frame * (len(points) // 31)
        place = struct.pack("<3d", *points[at:at + 3])
        self.assertIn(place, whole)
        pathlib.Path(name).write_bytes(whole.replace(place, struct.pack("<3d", value, *points[at + 1:at + 3]), 1))

    def test_frames_that_cannot_be_shown(self):
        for value, words in ((math.nan, "has non-finite positions"), (1e6, "a thousand times further away"), (-math.inf, "has non-finite positions")):
            self.damaged("far.vtkhdf", 20, value)
            done = self.good("report", "far.vtkhdf", "-q", "-o", "far.html")
            self.assertIn(f"frames from t = 0.333333 s on are left out: \"b\" {words}" if math.isnan(value) or value < 0 else words, done.stderr)
            page, whole = Page(pathlib.Path("far.html")), Page(pathlib.Path("small.html"))
            self.assertEqual(page.facts["runs"][0]["film"]["times"], whole.facts["runs"][0]["film"]["times"][:20])
            self.assertIn(words, Tags(page.html).text)

    def test_no_frame_that_can_be_shown(self):
        self.damaged("never.vtkhdf", 0, math.nan)
        self.good("report", "never.vtkhdf", "-q", "-o", "never.html")
        page = Page(pathlib.Path("never.html"))
        self.assertIsNone(page.facts["runs"][0]["film"])
        self.assertIn("none: no frame can be shown", Tags(page.html).text)
        self.assertIn("ledger-0", page.blocks)

    def test_runs_that_cannot_be_read(self):
        whole = pathlib.Path("small.vtkhdf").read_bytes()
        pathlib.Path("cut.vtkhdf").write_bytes(whole[:len(whole) // 3])
        self.refused("cut.vtkhdf", "report", "cut.vtkhdf", "-o", "none.html")
        self.refused("cut.vtkhdf", "report", "small.vtkhdf", "cut.vtkhdf", "-o", "none.html")
        counts = struct.pack("<qq", 31, 31)
        self.assertEqual(whole.count(counts), 1)
        pathlib.Path("no-frames.vtkhdf").write_bytes(whole.replace(counts, struct.pack("<qq", 0, 31)))
        self.refused("no-frames.vtkhdf is damaged", "report", "no-frames.vtkhdf", "-o", "none.html")
        self.refused("no-such.vtkhdf", "report", "no-such.vtkhdf", "-o", "none.html")
        self.refused("not a run", "report", "small.json", "-o", "none.html")

    def test_wrong_words(self):
        self.refused("ends in .html", "report", "small.vtkhdf", "-o", "none.txt")
        self.refused("ends in .html", "run", "small.json", "-o", "none.vtkhdf", "--report", "none.pdf")
        self.refused("no field \"strian\"; did you mean \"strain\"", "report", "small.vtkhdf", "-o", "none.html", "--fields", "speed,strian")
        self.refused("nothing in the run resists bending", "report", "small.vtkhdf", "-o", "none.html", "--fields", "bending")
        self.refused("--error", "report", "small.vtkhdf", "-o", "none.html", "--error", "0.5")
        done = call("report", "small.vtkhdf", "-o", "/proc/none.html")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write the report /proc/none.html", done.stderr)

    def test_run_and_compare_make_one(self):
        self.good("run", "small.json", "-q", "--until", "0.1", "-o", "own1.vtkhdf", "--report", "own1.html")
        self.assertEqual(len(Page(pathlib.Path("own1.html")).facts["runs"][0]["film"]["times"]), 7)
        self.good("compare", "small.json", "-q", "--until", "0.1", "--with", "none,search", "-o", "both", "--pictures", "none", "--report", "both.html")
        self.assertEqual([run["label"] for run in Page(pathlib.Path("both.html")).facts["runs"]], ["Backward Euler", "Backward Euler + A-search"])


if __name__ == "__main__":
    need_program()
    need_reports()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main()
