#!/usr/bin/env python3
"""visviva new --from-ipc: scenes of input files of the IPC reference program. The files here are our own.

- each word of such a file, and what becomes of it in the scene
- meshes where IPC finds them; segments and points out of an OBJ file
- places, and motions step by step, against IPC's rules written out here a second time
- what cannot be carried over is listed with its line; what is wrong ends with exit code 2, one message, and nothing written
- what was converted passes visviva check, and moves as it should

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it, or without scenes and run files.
"""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("VISVIVA", "")
FOLDER = pathlib.Path()
CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
TETS = [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n"
CUBE = "shapes input 1\nmeshes/cube.msh 0 1 0  0 0 0  1 1 1"


def write_cube(path):
    """A unit cube of six tets, one corner at the origin."""
    nodes = "\n".join(f"{i + 1} {x} {y} {z}" for i, (x, y, z) in enumerate(CORNERS))
    tets = "\n".join(f"{i + 1} 4 2 0 0 " + " ".join(str(v + 1) for v in t) for i, t in enumerate(TETS))
    path.write_text(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n{nodes}\n$EndNodes\n$Elements\n{len(TETS)}\n{tets}\n$EndElements\n")


def call(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER, timeout=300)


def convert(text, *options, name="scene.txt"):
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return call("new", "--from-ipc", name, "-o", "scene.json", "--force", *options)


def lost(said):
    """The lines of the report about what was not carried over."""
    after = said.split("NOT carried over:\n")
    return [line.strip() for line in after[1].splitlines() if line.startswith("    ")] if len(after) > 1 else []


def scene_of(text, allowed=()):
    """The scene; everything is carried over but what `allowed` has words of."""
    done = convert(text)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}{done.stdout}"
    left = [line for line in lost(done.stdout) if not any(word in line for word in allowed)]
    assert not left, left
    return json.loads((FOLDER / "scene.json").read_text())


def at(value, path):
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def run(*options):
    """The summary, and a function that gives the positions of frame i: those of the bodies, then of the obstacles with a mesh."""
    for old in FOLDER.glob("frame*"):
        old.unlink()
    done = call("run", "scene.json", "-o", "run.vtkhdf", "--force", "--quiet", "--summary", "sum.json", *options)
    assert done.returncode == 0, done.stderr
    done = call("export", "run.vtkhdf", "--format", "obj", "-o", "frame", "--quiet")
    assert done.returncode == 0, done.stderr

    def frame(i):
        text = (FOLDER / f"frame_{i:06d}.obj").read_text()
        return [tuple(map(float, line.split()[1:4])) for line in text.splitlines() if line.startswith("v ")]
    return json.loads((FOLDER / "sum.json").read_text()), frame


# ---- IPC's rules, once more ---------------------------------------------------------------------------------------------------

def turn(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return {0: [[1, 0, 0], [0, c, -s], [0, s, c]], 1: [[c, 0, s], [0, 1, 0], [-s, 0, c]], 2: [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[axis]


def apply(m, x):
    return [sum(m[i][k] * x[k] for k in range(3)) for i in range(3)]


def rotated(angles, x):
    """Rx Ry Rz x."""
    for axis in (2, 1, 0):
        x = apply(turn(axis, angles[axis]), x)
    return x


def placed(x, translate, rotate, scale):
    x = rotated(rotate, [a * b for a, b in zip(x, scale)])
    return [a + b for a, b in zip(x, translate)]


def moved(points, linear, angular, h):
    """One step of IPC: about the middle of the box of the points as they stand."""
    middle = [0.5 * (min(p[k] for p in points) + max(p[k] for p in points)) for k in range(3)]
    result = []
    for p in points:
        x = rotated([h * a for a in angular], [p[k] - middle[k] for k in range(3)])
        result.append([x[k] + middle[k] + h * linear[k] for k in range(3)])
    return result


class Case(unittest.TestCase):
    def same_points(self, found, wanted):
        self.near(sorted(found, key=lambda p: [round(x, 5) for x in p]), sorted(wanted, key=lambda p: [round(x, 5) for x in p]), 1e-7)

    def near(self, found, wanted, tolerance=1e-9):
        if isinstance(wanted, (list, tuple)):
            self.assertEqual(len(found), len(wanted), (found, wanted))
            for f, w in zip(found, wanted):
                self.near(f, w, tolerance)
        else:
            self.assertLessEqual(abs(found - wanted), tolerance * max(1, abs(wanted)), (found, wanted))

    def refused(self, text, *words, name="scene.txt"):
        (FOLDER / "scene.json").unlink(missing_ok=True)
        done = convert(text, name=name)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((FOLDER / "scene.json").exists())


DIAGONAL = math.sqrt(3)
# a line, and where in the scene it shows
WORDS = [
    ("", "time.step", 0.025), ("", "time.end", 5), ("", "gravity", [0, -9.80665, 0]), ("", "contact.friction", 0),
    ("", "contact.distance", 1e-3 * DIAGONAL), ("", "contact.friction_speed", 1e-3 * DIAGONAL),
    ("", "solver.tolerance", 1e-2 * DIAGONAL), ("", "integrator.scheme", "backward-euler"), ("", "integrator.policy", "none"),
    ("", "materials.material", {"model": "neo-hookean", "young": 100000, "poisson": 0.4, "density": 1000}),
    ("", "bodies.0.place.translate", [0, 1, 0]),
    ("energy NH", "materials.material.model", "neo-hookean"), ("energy FCR", "materials.material.model", "fixed-corotated"),
    ("timeIntegration BE", "integrator.scheme", "backward-euler"), ("timeIntegration NM", "integrator.scheme", "trapezoidal"),
    ("timeIntegration NM 0.25 0.5", "integrator.scheme", "trapezoidal"),
    ("time 2 0.01", "time", {"step": 0.01, "end": 2}), ("density 500 # light", "materials.material.density", 500),
    ("stiffness 2e6 0.3", "materials.material.young", 2000000), ("stiffness 2e6 0.3", "materials.material.poisson", 0.3),
    ("dampingRatio 0.2", "materials.material.damping.rayleigh", 0.75 * 0.2 * 0.025),
    ("dampingStiff 1e-6", "materials.material.damping.rayleigh", 1e-6 / 0.025**2),
    ("timeIntegration NM\ndampingRatio 0.2", "materials.material.damping.rayleigh", 1.5 * 0.2 * 0.025),
    ("turnOffGravity", "gravity", [0, 0, 0]),
    ("ground 0.3 -2", "obstacles.0", {"plane": {"point": [0, -2, 0], "normal": [0, 1, 0]}, "friction": 0.3}),
    ("halfSpace 0 -1 0  1 2 0  50 0.5", "obstacles.0", {"plane": {"point": [0, -1, 0], "normal": [1, 2, 0]}, "friction": 0.5}),
    ("selfFric 0.7", "contact.friction", 0.7), ("selfFric -1", "contact.friction", 0),
    ("selfCollisionOff", "bodies.0.self_contact", False), ("selfCollisionOff", "bodies.0.filter.group", -1),
    ("dHat 5e-4", "contact.distance", 5e-4 * DIAGONAL), ("epsv 2e-3", "contact.friction_speed", 2e-3 * DIAGONAL),
    ("fricIterAmt 3", "contact.friction_iterations", 3), ("fricIterAmt -1", "contact.friction_iterations", "converged"), ("", "contact.friction_iterations", 1),
    ("tol 1\n1e-3", "solver.tolerance", 1e-3 * DIAGONAL), ("tol 2 1e-3 1e-3", "solver.tolerance", 1e-3 * DIAGONAL),
    ("tuning 6\n0\n1e-2\n2e-4\n1e-9\n1e-2\n3e-4", "contact.distance", 2e-4 * DIAGONAL),
    ("tuning 6\n0\n1e-2\n2e-4\n1e-9\n1e-2\n3e-4", "contact.friction_speed", 3e-4 * DIAGONAL),
    ("tuning 2\n0\n1e-2", "contact.distance", 1e-3 * DIAGONAL),
    ("useAbsParameters\ndHat 0.004", "contact.distance", 0.004), ("useAbsParameters\nepsv 0.005", "contact.friction_speed", 0.005),
    ("useAbsParameters\ntol 1\n1e-3", "solver.tolerance", 1e-3 / 0.025),
    ("# a comment\n\n   time 3 0.1\r", "time.end", 3),
    ("script null", "bodies.0.place.translate", [0, 1, 0]),
    ("constraintSolver interiorPoint\nsection SQP QP\ntime 1 1\nsection end\ntime 3 0.1", "time.end", 3),
    ("constraintSolver IP\nsection interiorPoint\ntime 3 0.1\nsection end", "time.end", 3),
]
NEEDLESS = ["view orthographic", "zoom 0.5", "cameraTracking", "playBackSpeed 0.1", "appendStr x", "disableCout", "warmStart 2",
            "linearSolver EIGEN", "CCDMethod TightInclusion", "CCDTolerance 1e-6", "constraintType volume", "constraintOffset 1e-3",
            "QPSolver OSQP", "useActiveSetConvergence", "noActiveSetConvergence", "timeStepper Newton", "resolution 1000", "inexactSolve 0"]
LOST = [("constraintSolver SQP", "constraintSolver SQP"), ("timeIntegration NM 0.3 0.6", "0.3 0.6"), ("restart output/status7", "restart"),
        ("script bend", "script bend"), ("tol 2\n1e-2 1e-3", "tol"),
        ("zom 0.3", 'zom: not a word of IPC\'s; did you mean "zoom"?'), ("script rubberBandPull", "rubberBandPull")]


class Words(Case):
    def test_each_word(self):
        for line, path, wanted in WORDS:
            with self.subTest(line=line, path=path):
                found = at(scene_of(f"{CUBE}\n{line}\n"), path)
                if isinstance(wanted, (float, list)):
                    self.near(found, wanted)
                else:
                    self.assertEqual(found, wanted)

    def test_words_that_move_nothing(self):
        plain = scene_of(CUBE)
        for line in NEEDLESS:
            with self.subTest(line=line):
                done = convert(f"{CUBE}\n{line}\n")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"scene.txt:3: {line.split()[0]}: ", done.stdout)
                self.assertEqual(lost(done.stdout), [])
                self.assertEqual(json.loads((FOLDER / "scene.json").read_text()), plain)

    def test_what_is_lost_is_listed_with_its_line(self):
        for line, word in LOST:
            with self.subTest(line=line):
                done = convert(f"{CUBE}\n\n{line}\n")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([word in text for text in lost(done.stdout)], [True], done.stdout)
                self.assertIn("scene.txt:4: ", lost(done.stdout)[0])

    def test_whole_file_of_unknown_words(self):
        self.refused("hello world\nthis is\na letter\n", "scene.txt: no shapes")


class Shapes(Case):
    def test_place_is_ipcs(self):
        """Rx Ry Rz of the scaled mesh, then the shift: the first frame against the rule."""
        scene_of("shapes input 1\nmeshes/cube.msh 0.3 2 -1  30 40 50  2 1 0.5\nturnOffGravity\n")
        _, frame = run("--until", 0.025)
        self.same_points(frame(0), [placed(c, (0.3, 2, -1), (30, 40, 50), (2, 1, 0.5)) for c in CORNERS])

    def test_materials_are_shared(self):
        shape = "meshes/cube.msh {} 0 0  0 0 0  1 1 1 {}\n"
        scene = scene_of("shapes input 4\n" + shape.format(0, "") + shape.format(2, "material 3000 1e8 0.3") + shape.format(4, "") +
                         shape.format(6, "material 3000 1e8 0.3"))
        self.assertEqual([b["material"] for b in scene["bodies"]], ["material", "material-2", "material", "material-2"])
        self.assertEqual(scene["materials"]["material-2"], {"model": "neo-hookean", "young": 100000000, "poisson": 0.3, "density": 3000})
        self.assertEqual([b["name"] for b in scene["bodies"]], ["cube", "cube-2", "cube-3", "cube-4"])

    def test_a_material_that_ipc_passes_over(self):
        done = convert(CUBE + " material 0 1e5 0.4\n")
        self.assertEqual((done.returncode, len(lost(done.stdout))), (0, 1), done.stdout)

    def test_comments_and_lines_that_go_on(self):
        scene = scene_of("# head\nshapes input 2\n# the first\n\nmeshes/cube.msh 0 0 0 0 0 0 1 1 1 # no more\n"
                         "meshes/cube.msh 0 2 0  0 0 0  1 1 1 \\\n   material 2000 1e6 \\\n 0.2 \\\n initVel 1 2 3  0 0 0   \n")
        self.assertEqual(scene["materials"]["material-2"], {"model": "neo-hookean", "young": 1000000, "poisson": 0.2, "density": 2000})
        self.assertEqual(scene["bodies"][1]["velocity"], {"linear": [1, 2, 3]})

    def test_shapes_without_tets_are_obstacles(self):
        """A surface, a .seg and a .pt as they are; segments and points of an OBJ file where IPC falls back on it."""
        (FOLDER / "meshes/lines.seg").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\ns 1 2\ns 2 3\n")
        (FOLDER / "meshes/dots.pt").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\n")
        for file, edges, points in (("triangle.obj", 3, 0), ("lines.seg", 2, 0), ("dots.pt", 0, 3), ("triangle.seg", 3, 0), ("triangle.pt", 0, 3)):
            with self.subTest(file=file):
                scene = scene_of(f"shapes input 2\nmeshes/{file} 0 0 0  0 0 0  2 2 2\nmeshes/cube.msh 0 3 0  0 0 0  1 1 1\n")
                self.assertEqual(len(scene["bodies"]), 1)
                obstacle = scene["obstacles"][0]
                self.assertEqual(obstacle["place"], {"scale": 2})
                mesh = FOLDER / obstacle["mesh"]["file"]
                self.assertEqual(mesh.name, file if (FOLDER / "meshes" / file).exists() else
                                 "scene-triangle-" + ("edges.obj" if edges else "points.obj"))
                said = call("info", mesh).stdout
                self.assertIn(f"{points} points" if points else f"{edges} edges" if mesh.suffix != ".obj" or "edges" in mesh.name
                              else "1 triangle", said)
                self.assertEqual(call("check", "scene.json").returncode, 0)

    def test_parts_of_two_files_of_one_name(self):
        for folder, z in (("one", 3), ("other", 5)):
            (FOLDER / "meshes" / folder).mkdir(exist_ok=True)
            (FOLDER / "meshes" / folder / "rod.obj").write_text(TRIANGLE.replace("v 0 0 1", f"v 0 0 {z}"))
        scene = scene_of(CUBE + "\nshapes input 2\nmeshes/one/rod.seg 0 3 0  0 0 0  1 1 1\nmeshes/other/rod.seg 0 9 0  0 0 0  1 1 1\n")
        files = [o["mesh"]["file"] for o in scene["obstacles"]]
        self.assertEqual(files, ["scene-rod-edges.obj", "scene-rod-2-edges.obj"])
        for file, z in zip(files, ("3", "5")):
            self.assertIn(f"v 0 0 {z}\n", (FOLDER / file).read_text())

    def test_obstacle_that_moves(self):
        scene = scene_of("shapes input 1\nmeshes/cube.msh 0 3 0  0 0 0  1 1 1 linearVelocity 1 2 3\nshape input meshes/cube.msh\n")
        self.assertEqual(scene["obstacles"][0]["motion"], {"velocity": [1, 2, 3]})
        self.assertEqual(scene["bodies"][0]["mesh"], {"file": str(FOLDER / "meshes/cube.msh")})
        self.assertNotIn("place", scene["bodies"][0])

    def test_matrix(self):
        scene = scene_of("shapeMatrix input 2 1 3  0 5 0\nmeshes/cube.msh 2 2 3  0 90 0  1 1 1  material 10 1e4 0.1\nground 0 0\n")
        body = scene["bodies"][0]
        self.assertEqual(body["copies"], {"count": [2, 1, 3], "step": [2, 2, 3]})
        self.assertEqual(body["place"], {"rotate": [0, 90, 0], "translate": [0, 5, 0]})
        self.assertEqual(scene["materials"]["material"]["density"], 10)
        turned = scene_of("shapeMatrix input 2 1 3  0 5 0\nmeshes/cube.msh 2 2 3  0 90 0  1 1 1\nrotateModel 0 0 1 30\n")
        self.assertEqual(len(turned["bodies"]), 6)

    def test_mesh_object(self):
        """Its vertices' mean goes to the place, its largest extent becomes the scale."""
        scene_of(CUBE + "\nturnOffGravity\nmeshCO meshes/triangle.obj  1 -2 3  6 50 0.25 rotate 0 90 0\n")
        scene = json.loads((FOLDER / "scene.json").read_text())
        self.assertEqual(scene["obstacles"][0]["friction"], 0.25)
        _, frame = run("--until", 0.025)
        mean = (1 / 3, 0, 1 / 3)
        wanted = [placed([v[k] - mean[k] for k in range(3)], (1, -2, 3), (0, 90, 0), (6, 6, 6)) for v in ((0, 0, 0), (1, 0, 0), (0, 0, 1))]
        self.near(frame(0)[8:], wanted, 1e-7)

    def test_size(self):
        """Everything is scaled to a largest extent, and one corner of its box goes to the origin; planes stay."""
        scene_of("shapes input 2\nmeshes/cube.msh 1 2 3  0 0 0  1 1 1\nmeshes/cube.msh 4 2 3  0 0 0  1 2 1\nsize 8\nturnOffGravity\n")
        _, frame = run("--until", 0.025)
        self.same_points(frame(0), [[2 * x for x in c] for c in CORNERS] + [[6 + 2 * x, 4 * y, 2 * z] for x, y, z in CORNERS])
        self.near(json.loads((FOLDER / "scene.json").read_text())["contact"]["distance"], 1e-3 * 2 * math.sqrt(16 + 4 + 1))

    def test_the_whole_model_turned(self):
        """IPC turns about half of the box's extent."""
        scene_of("shapes input 1\nmeshes/cube.msh 1 0 0  0 0 0  2 1 1\nrotateModel 0 0 2 40\nturnOffGravity\n")
        _, frame = run("--until", 0.025)
        about = (1, 0.5, 0.5)
        wanted = []
        for x, y, z in CORNERS:
            p = apply(turn(2, 40), [2 * x + 1 - about[0], y - about[1], z - about[2]])
            wanted.append([a + b for a, b in zip(p, about)])
        self.same_points(frame(0), wanted)


class Motions(Case):
    H = 0.025

    def follow(self, points, steps, linear, angular):
        path = [points]
        for _ in range(steps):
            path.append(moved(path[-1], linear, angular, self.H))
        return path

    def test_a_turning_triangle_strays_as_in_ipc(self):
        """The middle of its box is not a point of it: IPC's rule, step by step."""
        scene_of("shapes input 2\nmeshes/cube.msh 0 9 0  0 0 0  1 1 1\n"
                 "meshes/triangle.obj 0 1 0  0 0 0  1 1 1 angularVelocity 10 90 0  linearVelocity 0.5 0 0\nturnOffGravity\ntime 1.5 0.025\n")
        _, frame = run()
        path = self.follow([[0, 1, 0], [1, 1, 0], [0, 1, 1]], 60, (0.5, 0, 0), (10, 90, 0))
        for i in (0, 1, 7, 40, 60):
            self.near(frame(i)[8:], path[i], 3e-4)
        straight = placed([0, 0, 0], path[60][0], (0, 0, 0), (1, 1, 1))
        self.assertGreater(abs(straight[2] - frame(0)[8][2]), 0.1)

    def test_a_turning_cube_does_not_stray(self):
        scene = scene_of("shapes input 2\nmeshes/cube.msh 0 9 0  0 0 0  1 1 1\nmeshes/cube.msh 0 1 0  0 0 0  1 1 1 angularVelocity 0 90 0\n")
        self.assertEqual(scene["obstacles"][0]["motion"], {"angular": 90, "axis": [0, 1, 0], "about": [0.5, 1.5, 0.5]})

    def test_held_nodes(self):
        """A region in parts of the mesh's box; one that does not mean the same of the placed box is a list of nodes."""
        scene = scene_of(CUBE + "  DBC -0.1 -0.1 -0.1  0.1 1.1 0.1  -0.2 0 -0.2  0 0 0\nturnOffGravity\n")
        self.assertEqual(scene["bodies"][0]["attach"], [{"where": {"percent": [[0, 0, 0], [10, 100, 10]], "surface": True},
                                                         "motion": {"velocity": [-0.2, 0, -0.2]}}])
        turned = scene_of("shapes input 1\nmeshes/cube.msh 0 1 0  0 0 45  1 1 1  DBC -0.1 -0.1 -0.1  0.1 1.1 0.1  0 0 0  0 0 0\n")
        self.assertEqual(turned["bodies"][0]["attach"], [{"where": {"vertices": [0, 2]}}])

    def test_held_nodes_that_turn(self):
        scene_of(CUBE + "  DBC -0.1 -0.1 -0.1  0.1 1.1 1.1  0 0.1 0  30 0 0 0 0.5  DBC 0.9 0 0 1 1 1 0 0 0 0 0 0\nturnOffGravity\ntime 1 0.025\n",
                 ["free at some times"])
        _, frame = run()
        left = [[0, 1, 0], [0, 1, 1], [0, 2, 0], [0, 2, 1]]
        path = self.follow(left, 20, (0, 0.1, 0), (30, 0, 0))
        self.near(frame(10)[:4], path[10], 1e-6)
        self.near(frame(20)[:4], path[20], 1e-6)
        self.near(frame(40)[:4], path[20], 1e-6) # IPC would let them go: this is what is listed

    def test_times(self):
        held = "DBC -0.1 -0.1 -0.1  0.1 1.1 1.1  {} 0 0  0 0 0  {}"
        scene = scene_of(f"{CUBE} \\\n{held.format(-0.2, '0 2.5')} \\\n{held.format(0, '2.5')}\n")
        self.assertEqual(scene["bodies"][0]["attach"][0]["motion"]["waypoints"],
                         [{"time": 0, "offset": [0, 0, 0]}, {"time": 2.5, "offset": [-0.5, 0, 0]}, {"time": 5, "offset": [-0.5, 0, 0]}])
        done = convert(f"{CUBE} {held.format(-0.2, '1 2')}\n")
        self.assertIn("free at some times", lost(done.stdout)[0])
        done = convert(f"{CUBE} {held.format(-0.2, '')}\nDBCTimeRange 0 2\n")
        self.assertIn("free at some times", lost(done.stdout)[0])

    def test_pushes(self):
        """NBC: an acceleration beside gravity, at times; with NM IPC's is 1 / beta times as large."""
        corner = "NBC -0.1 -0.1 -0.1  0.1 1.1 0.1  -5 0 -5"
        scene = scene_of(f"{CUBE}  {corner}  0.0 1.0 \\\n {corner} 1.0\n")
        where = {"percent": [[0, 0, 0], [10, 100, 10]], "surface": True}
        self.assertEqual(scene["bodies"][0]["attach"],
                         [{"where": where, "kind": "push", "acceleration": [-5, 0, -5], "motion": {"end": 1}},
                          {"where": where, "kind": "push", "acceleration": [-5, 0, -5], "motion": {"start": 1}}])
        scene = scene_of(f"{CUBE}  {corner}\ntimeIntegration NM\nNBCTimeRange 0.5 2\n")
        self.assertEqual(scene["bodies"][0]["attach"][0]["acceleration"], [-20, 0, -20])
        self.assertEqual(scene["bodies"][0]["attach"][0]["motion"], {"start": 0.5, "end": 2})

    def test_two_regions_of_one_node(self):
        done = convert(CUBE + "  DBC 0 0 0 0.1 1 1 1 0 0 0 0 0  DBC 0 0 0 1 0.1 1 0 1 0 0 0 0\n")
        self.assertIn("overlap", lost(done.stdout)[0])

    def test_start(self):
        scene = scene_of("shapes input 1\nmeshes/cube.msh 0 1 0  0 0 0  1 1 1 initVel 1 -2 0  0 90 0\n")
        self.near(scene["bodies"][0]["velocity"]["linear"], [1, -2, 0])
        self.near(scene["bodies"][0]["velocity"]["angular"], [0, math.pi / 2, 0])
        self.near(scene["bodies"][0]["velocity"]["about"], [0.5, 1.5, 0.5])


class Sequences(Case):
    """IPC takes the vertices of one file a step, without the shape's place: file 0 is there at the end of step 1."""

    def write(self, folder, numbers, shift):
        (FOLDER / folder).mkdir(exist_ok=True)
        for i in numbers:
            x = shift * i
            (FOLDER / folder / f"{i}.seg").write_text(f"v {x} 5 0\nv {2 + x} 5 0\nv {x} 5 2\ns 1 2\ns 2 3\ns 3 1\n")

    def followed(self, folder, place, words="", line=""):
        return scene_of(f"shapes input 2\nmeshes/cube.msh 0 0 0  0 0 0  1 1 1\nmeshes/triangle.seg {place} {words}\n"
                        f"turnOffGravity\ntime 0.1 0.025\n{line}\n")

    def test_as_the_shape_stands(self):
        self.write("sequence", range(6), 0.1)
        scene = self.followed("sequence", "0 5 0  0 0 0  2 2 2", "meshSeq sequence")
        obstacle = scene["obstacles"][0]
        self.assertEqual(obstacle["mesh"]["file"], str(FOLDER / "sequence/0.seg"))
        self.assertNotIn("place", obstacle)
        self.assertFalse((FOLDER / "scene-triangle-edges.obj").exists()) # was only a way to the vertices
        _, frame = run()
        self.near([frame(i)[8][0] for i in range(5)], [0, 0, 0.1, 0.2, 0.3], 1e-7)

    def test_two_shapes_of_one_file_from_elsewhere(self):
        """Each begins where it stands: two meshes beside the scene."""
        shape = "meshes/triangle.obj {} 3 0  0 0 0  1 1 1  meshSeq meshes/twice\n"
        (FOLDER / "meshes/twice").mkdir(exist_ok=True)
        (FOLDER / "meshes/twice/0.obj").write_text(TRIANGLE)
        scene = scene_of(CUBE + "\nshapes input 2\n" + shape.format(7) + shape.format(9) + "time 0.025 0.025\n")
        files = [o["mesh"]["file"] for o in scene["obstacles"]]
        self.assertEqual(files, ["scene-triangle-start.obj", "scene-triangle-2-start.obj"])
        for file, x in zip(files, (7, 9)):
            self.assertIn(f"v {x} 3 0\n", (FOLDER / file).read_text())

    def test_from_elsewhere(self):
        self.write("sequence", range(6), 0.1)
        scene = self.followed("sequence", "0 4 0  0 0 0  2 2 2", "meshSeq sequence")
        self.assertEqual(scene["obstacles"][0]["mesh"]["file"], "scene-triangle-start.obj")
        _, frame = run()
        self.near([frame(i)[8] for i in range(4)], [[0, 4, 0], [0, 5, 0], [0.1, 5, 0], [0.2, 5, 0]], 1e-7)

    def test_script(self):
        (FOLDER / "surfaces").mkdir(exist_ok=True)
        for i in range(1, 6):
            (FOLDER / f"surfaces/{i}.obj").write_text(TRIANGLE.replace(" 0 ", f" {i} "))
        scene = scene_of("shapes input 2\nmeshes/cube.msh 0 -3 0  0 0 0  1 1 1\nmeshes/triangle.obj 0 0 0  0 0 0  1 1 1\n"
                         "script meshSeqFromFile surfaces\ntime 0.1 0.025\nturnOffGravity\n")
        self.assertEqual(len(scene["obstacles"][0]["motion"]["follow"]["files"]), 5)

    def test_wrong(self):
        self.write("short", range(2), 0.1)
        done = convert("shapes input 2\nmeshes/cube.msh 0 0 0  0 0 0  1 1 1\nmeshes/triangle.seg 0 5 0 0 0 0 2 2 2 meshSeq short\n")
        self.assertIn("the sequence has 2 meshes", lost(done.stdout)[0])
        (FOLDER / "short/0.seg").write_text("v 0 0 0\nv 1 0 0\ns 1 2\n")
        shape = "shapes input 2\nmeshes/cube.msh 0 0 0  0 0 0  1 1 1\nmeshes/triangle.seg 0 5 0  0 0 0  2 2 2 meshSeq {}\n"
        self.refused(shape.format("short"), "has 2 vertices, meshes/triangle.seg 3")
        self.refused(shape.format("nowhere"), "there is no folder nowhere")
        self.refused(shape.format("meshes"), "0.seg, the first mesh of the sequence")
        self.refused(shape.format(""), "the folder of the meshes is missing")
        self.assertFalse((FOLDER / "scene-triangle-edges.obj").exists())


class Scripts(Case):
    def test_fall(self):
        scene = scene_of(CUBE + "\nscript fall\nground 0 0\n")
        self.near(scene["bodies"][0]["place"]["translate"], [0, 1 + 0.5 * DIAGONAL, 0])

    def test_twist(self):
        scene = scene_of(CUBE + "\nscript twist\nhandleRatio 0.1\n")
        left, right = scene["bodies"][0]["attach"]
        self.assertEqual(left, {"where": {"vertices": [0, 1, 2, 3]}, "motion": {"angular": -72, "axis": [1, 0, 0], "about": [0.5, 1.5, 0.5]}})
        self.assertEqual((right["where"]["vertices"], right["motion"]["angular"]), ([4, 5, 6, 7], 72))

    def test_one_node(self):
        scene = scene_of(CUBE + "\nscript pushRightMost1\n")
        self.assertEqual(scene["bodies"][0]["attach"], [{"where": {"vertices": [4]}, "motion": {"velocity": [-0.15, 0, 0]}}])

    def test_drop(self):
        self.assertEqual(scene_of(CUBE + "\nscript drop\n")["bodies"][0]["velocity"], {"linear": [0, -1, 0]})

    def test_turning_shapes(self):
        shapes = "".join(f"meshes/cube.msh {2 * i} 0 0  0 0 0  1 1 1\n" for i in range(5))
        scene = scene_of(f"shapes input 5\n{shapes}script DCORotCylinders\n")
        self.assertEqual([o["motion"]["angular"] * sum(o["motion"]["axis"]) for o in scene["obstacles"]], [90, -90, -90, 90])
        self.assertEqual([o["motion"]["axis"].index(1) for o in scene["obstacles"]], [0, 0, 2, 2])
        self.assertEqual(len(scene["bodies"]), 1)

    def test_held_below_and_pushed_above(self):
        held, pushed = scene_of(CUBE + "\nscript NMFixBottomDragLeft\ntimeIntegration NM\n")["bodies"][0]["attach"]
        self.assertEqual(held, {"where": {"vertices": [0, 1, 4, 5]}})
        self.assertEqual(pushed, {"where": {"vertices": [2, 3, 6, 7]}, "kind": "push", "acceleration": [-2400, 0, 0]})

    def test_there_and_back(self):
        """Two sides go apart until 0.8, and then between there and 0.4 the other way; IPC looks at the start of each step."""
        scene = scene_of(CUBE + "\nscript stretchnsquash\ntime 4 0.1\n")
        for side, sign in ((0, 1), (1, -1)):
            x, v, wanted, last = 0, -0.9, [], None
            for i in range(40):
                if x <= -0.8 or x >= 0.4:
                    v = -v
                if v != last:
                    wanted.append([i * 0.1, x])
                x, last = x + 0.1 * v, v
            wanted.append([4, x])
            found = scene["bodies"][0]["attach"][side]["motion"]["waypoints"]
            self.near([[w["time"], sign * w["offset"][0]] for w in found], wanted)

    def test_stops(self):
        scene = scene_of(CUBE + "\nscript push\ntime 1 0.04\n")
        self.assertEqual(scene["bodies"][0]["attach"][1]["motion"]["waypoints"],
                         [{"time": 0, "offset": [0, 0, 0]}, {"time": 0.52, "offset": [0, -0.52, 0]}, {"time": 1, "offset": [0, -0.52, 0]}])

    def test_planes_that_press(self):
        planes = "halfSpace -1 0 0  1 0 0  50 0.1\nhalfSpace 2 0 0  -1 0 0  50 0.1\n"
        scene = scene_of(CUBE + f"\nscript ACOSquash\n{planes}time 2 0.25\n")
        ways = [[(w["time"], w["offset"][0]) for w in o["motion"]["waypoints"]] for o in scene["obstacles"]]
        self.assertEqual(ways, [[(0, 0), (1.5, 1.5), (2, 1)], [(0, 0), (1.5, -1.5), (2, -1)]])
        self.refused(CUBE + "\nscript ACOSquash\nground 0 0\n", "moves 2 planes, and there is 1")
        scene = scene_of(CUBE + f"\nscript ACOSquashShear\n{planes}time 2 0.25\n")
        self.assertEqual([(w["time"], *w["offset"][:2]) for w in scene["obstacles"][1]["motion"]["waypoints"]],
                         [(0, 0, 0), (1.25, -1.25, 0), (2, -1.25, 0.75)])

    def test_shapes_that_press(self):
        shapes = "shapes input 3\nmeshes/cube.msh 0 0 0  0 0 0  1 1 1\nmeshes/cube.msh 2 0 0  0 0 0  1 1 1\nmeshes/cube.msh 0 5 0  0 0 0  1 1 1\n"
        scene = scene_of(shapes + "script DCOSquash\ntime 1 0.125\n")
        self.assertEqual([w["offset"][0] for w in scene["obstacles"][0]["motion"]["waypoints"]], [0, 0.5, 0])

    def test_mesh_objects_that_turn(self):
        objects = "".join(f"meshCO meshes/triangle.obj {3 * i} -9 0 1 50 0\n" for i in range(4))
        scene = scene_of(CUBE + "\nscript MCORotCylinders\n" + objects)
        self.assertEqual([(o["motion"]["angular"], o["motion"]["axis"].index(1), o["motion"]["about"]) for o in scene["obstacles"]],
                         [(90, 0, [0, -9, 0]), (-90, 0, [3, -9, 0]), (-90, 2, [6, -9, 0]), (90, 2, [9, -9, 0])])
        self.refused(CUBE + "\nscript MCORotCylinders\n", "moves 4 mesh objects (meshCO), and there are 0")

    def test_beds_hammer_cut_and_funnel(self):
        """What stops where something is."""
        shape = "meshes/triangle.obj 0 {} 0  0 0 0  1 1 1\n"
        bed = "shapes input 3\n" + shape.format(0) + "meshes/cube.msh 0 0.2 0  0 0 0  1 1 1\n" + shape.format(2)
        scene = scene_of(bed + "script DCOSegBedSquash\ntime 5 0.25\n")
        self.assertNotIn("motion", scene["obstacles"][0])
        self.assertEqual([w["time"] for w in scene["obstacles"][1]["motion"]["waypoints"]], [0, 2, 5])
        pair = "shapes input 2\nmeshes/cube.msh 0 0 0  0 0 0  1 1 1\n"
        scene = scene_of(pair + shape.format(3) + "script DCOCut\ntime 5 0.25\n")
        self.assertEqual([w["time"] for w in scene["obstacles"][0]["motion"]["waypoints"]], [0, 3, 5])
        scene = scene_of(pair + shape.format(2) + "script DCOHammerWalnut\ntime 9 0.25\n")
        self.assertEqual((scene["obstacles"][0]["motion"]["about"], scene["obstacles"][0]["motion"]["angular"]), ([1, 2, 0.5], 30))
        scene = scene_of("shapes input 3\n" + shape.format(4) + shape.format(2) + "meshes/cube.msh 0 0 0  0 0 0  1 1 1\n" +
                         "script DCOSqueezeOut\ntime 20 0.25\n")
        self.near([w["time"] for w in scene["obstacles"][0]["motion"]["waypoints"]], [0, 6.75, 20])

    def test_thrown(self):
        for script, speed in (("DCOBallHitWall", 1000), ("DCOBallHitWall 1 5", 5)):
            self.assertEqual(scene_of(CUBE + f"\nscript {script}\n")["bodies"][0]["velocity"], {"linear": [speed, 0, 0]})

    def test_velocities_beside_a_script(self):
        """IPC does not use them then."""
        scene = scene_of(CUBE + " linearVelocity 1 0 0\nscript fallNoShift\n")
        self.assertEqual(len(scene["bodies"]), 1)

    def test_unknown(self):
        self.refused(CUBE + "\nscript twst\n", "scene.txt:3: script twst", 'did you mean "twist"?')


class Hostile(Case):
    def test_wrong_counts(self):
        for line, words in (("time 5", "time SECONDS STEP"), ("time five 0.1", 'found "five"'), ("ground", "found nothing"),
                            ("halfSpace 0 0 0  0 1 0  50", "halfSpace X Y Z NX NY NZ"), ("stiffness 1e5", "YOUNG POISSON"),
                            ("timeIntegration NM 0.25", "[BETA GAMMA]"), ("tol 3\n1 2", "the file ends after 2"),
                            ("tol 1\nshapes", 'found "shapes"'), ("tol 1.5\n1", "whole numbers"), ("tol -1", "whole numbers"),
                            ("tuning 2000000000", "whole numbers"), ("time 1e999 1", 'found "1e999"'), ("time nan 1", 'found "nan"'),
                            ("time 0x10 1", 'found "0x10"'), ("meshCO meshes/triangle.obj 0 0 0 1", "needed: 6"),
                            ("meshCO", "the mesh is missing"), ("shapes input 3\nmeshes/cube.msh 0 0 0 0 0 0 1 1 1", "the file ends after 1"),
                            ("shapes output 1", "allowed: input"), ("shapeMatrix input 0 1 1\nmeshes/cube.msh 0 0 0 0 0 0 1 1 1", "at least 1"),
                            ("script meshSeqFromFile", "a folder is needed")):
            with self.subTest(line=line):
                self.refused(f"{CUBE}\n{line}\n", "scene.txt:", words)

    def test_wrong_values(self):
        for line in ("time 0 0.1", "time 5 -1", "density 0", "stiffness -1 0.4", "stiffness 1e5 0.5", "ground -1 0", "dHat 0", "epsv -1",
                     "halfSpace 0 0 0 0 0 0 50 0", "handleRatio 0.6", "rotateModel 0 0 0 30", "kappaMinMultiplier 0", "tol 1\n0",
                     "meshCO meshes/triangle.obj 0 0 0 0 50 0"):
            with self.subTest(line=line):
                self.refused(f"{CUBE}\n{line}\n", "scene.txt:")

    def test_wrong_shapes(self):
        for line, words in (("meshes/cube.msh 0 0 0  0 0 0  1 1", "found 8 numbers"), ("meshes/cube.msh 0 0 0  0 0 0  1 0 1", "the scale 0"),
                            ("meshes/cube.msh 0 0 0 0 0 0 1 1 1 DBC 1 2 3", "DBC: found 3 numbers"),
                            ("meshes/cube.msh 0 0 0 0 0 0 1 1 1 initVel 1 2 x", 'found "x"'),
                            ("meshes/cube.msh 0 0 0 0 0 0 1 1 1 material 1 1 0.5", "Poisson's ratio 0.5"),
                            ("meshes/cube.stl 0 0 0 0 0 0 1 1 1", "IPC reads .msh"),
                            ("meshes/other.msh 0 0 0 0 0 0 1 1 1", "there is no mesh meshes/other.msh"),
                            ("meshes/none.pt 0 0 0 0 0 0 1 1 1", "and no .obj of that name"),
                            ("meshes/broken.msh 0 0 0 0 0 0 1 1 1", "broken.msh"),
                            ("meshes/triangle.obj 0 0 0 0 0 0 1 1 1", "no shape has tets")):
            with self.subTest(line=line):
                self.refused(f"shapes input 1\n{line}\n", words)

    def test_an_unknown_word_of_a_shape_is_listed_once(self):
        done = convert(CUBE + " linearVelocty 1 2 3\n")
        self.assertEqual(lost(done.stdout), ["scene.txt:2: linearVelocty: not a word of IPC's for shapes; did you mean \"linearVelocity\"?"])

    def test_all_missing_meshes_are_named(self):
        self.refused("shapes input 2\na.msh 0 0 0 0 0 0 1 1 1\nb.msh 0 0 0 0 0 0 1 1 1\n", "scene.txt:2: there is no mesh a.msh",
                     "scene.txt:3: there is no mesh b.msh", "2 meshes are missing")

    def test_not_a_text(self):
        self.refused("", "no shapes")
        self.refused("\n\n# nothing\n", "no shapes")
        (FOLDER / "scene.json").unlink(missing_ok=True)
        (FOLDER / "binary.txt").write_bytes(b"shapes input 1\n\x00\x01\x02\xff")
        for file, words in (("binary.txt", "binary.txt:2: byte 0x00"), ("nothing.txt", "cannot be opened"), (".", "is no file")):
            done = call("new", "--from-ipc", file, "-o", "scene.json")
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
            self.assertFalse((FOLDER / "scene.json").exists())

    def test_without_the_option(self):
        (FOLDER / "plain.txt").write_text(CUBE)
        done = call("new", "plain.txt", "-o", "other.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("visviva new --from-ipc plain.txt", done.stderr)

    def test_nothing_is_overwritten(self):
        (FOLDER / "scene.json").write_text("mine")
        done = call("new", "--from-ipc", "scene.txt", "-o", "scene.json")
        self.assertEqual((done.returncode, (FOLDER / "scene.json").read_text()), (2, "mine"))
        done = call("new", "--from-ipc", "scene.txt", "--height", "1", "-o", "other.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--from-ipc", done.stderr)

    def test_files_beside_the_scene_are_not_overwritten(self):
        """What is made of another mesh goes where nothing is, and a failure takes only its own files away."""
        (FOLDER / "meshes/rod.obj").write_text(TRIANGLE)
        mine = FOLDER / "kept-rod-edges.obj"
        mine.write_text("mine")
        (FOLDER / "kept.txt").write_text(CUBE + "\nshapes input 1\nmeshes/rod.seg 0 3 0  0 0 0  1 1 1\n")
        done = call("new", "--from-ipc", "kept.txt", "-o", "kept.json")
        self.assertEqual((done.returncode, mine.read_text()), (2, "mine"))
        self.assertIn("kept-rod-edges.obj exists", done.stderr)
        self.assertFalse((FOLDER / "kept.json").exists())
        done = call("new", "--from-ipc", "kept.txt", "-o", "kept.json", "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("l 1 2", mine.read_text())
        # a mesh of the scene that has the name of one that is to be made
        (FOLDER / "kept.txt").write_text(CUBE + "\nshapes input 2\nkept-rod-edges.obj 0 5 0  0 0 0  1 1 1\nmeshes/rod.seg 0 3 0  0 0 0  1 1 1\n")
        mine.write_text(TRIANGLE)
        done = call("new", "--from-ipc", "kept.txt", "-o", "kept.json", "--force")
        self.assertEqual((done.returncode, mine.read_text()), (2, TRIANGLE))
        self.assertIn("is one of the meshes itself", done.stderr)

    def test_numbers_out_of_range(self):
        self.refused("shapeMatrix input 2000 2000 2000\nmeshes/cube.msh 1 1 1  0 0 0  1 1 1\n", "scene.txt:1", "8e+09 shapes", "at most 10000")
        self.refused(CUBE + "\ndHat 1e-9\n", "dHat", "more than 1e-8")
        self.refused(CUBE + "\ndensity 1e300\nkappaMinMultiplier 1e300\n", "out of the range of numbers")

    def test_names_that_are_not_utf8(self):
        name = os.fsencode(FOLDER) + b"/meshes/lat\xe9in"
        write_cube(pathlib.Path(os.fsdecode(name + b".msh")))
        (FOLDER / "latin.txt").write_bytes(b"shapes input 1\nmeshes/lat\xe9in.msh 0 1 0  0 0 0  1 1 1\n")
        os.makedirs(name + b"-seq", exist_ok=True)
        pathlib.Path(os.fsdecode(name + b"-seq/0.obj")).write_text(TRIANGLE)
        (FOLDER / "folder.txt").write_bytes(CUBE.encode() + b"\nshapes input 1\nmeshes/triangle.obj 0 3 0  0 0 0  1 1 1 meshSeq meshes/lat\xe9in-seq\n")
        for file, line in (("latin", 2), ("folder", 4)):
            (FOLDER / "latin.json").unlink(missing_ok=True)
            done = subprocess.run([PROGRAM, "new", "--from-ipc", file + ".txt", "-o", "latin.json"], capture_output=True, cwd=FOLDER, timeout=300)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"{file}.txt:{line}: ".encode(), done.stderr)
            self.assertIn(b"UTF-8; rename it", done.stderr)
            self.assertFalse((FOLDER / "latin.json").exists())
        long = "\u00fc" * 40  # cut in a scene's name, at a whole character
        write_cube(FOLDER / f"meshes/a{long}.msh")
        scene = scene_of(f"shapes input 1\nmeshes/a{long}.msh 0 1 0  0 0 0  1 1 1\n")
        self.assertEqual(scene["bodies"][0]["name"], "a" + long[:31])

    def test_a_file_that_begins_with_a_mark_of_its_encoding(self):
        (FOLDER / "marked.txt").write_bytes(b"\xef\xbb\xbf" + CUBE.replace("\n", "\r\n").encode())
        done = call("new", "--from-ipc", "marked.txt", "-o", "marked.json")
        self.assertEqual((done.returncode, lost(done.stdout)), (0, []), done.stderr)

    def test_thousands_of_unknown_words(self):
        """A long file of something else: the first lines are listed, the rest counted, and it takes no time."""
        done = convert(CUBE + "\n" + "".join(f"v{i} 0 0\n" for i in range(100000)))
        self.assertEqual(done.returncode, 0, done.stderr)
        said = lost(done.stdout)
        self.assertEqual((len(said), said[-1]), (501, "and 99500 more that are NOT carried over"))

    def test_thousands_of_shapes_of_one_file(self):
        shapes = "".join(f"meshes/cube.msh {2 * i} 1 0  0 0 0  1 1 1\n" for i in range(3000))
        scene = scene_of("shapes input 3000\n" + shapes)
        self.assertEqual(len({body["name"] for body in scene["bodies"]}), 3000)
        self.assertEqual([scene["bodies"][i]["name"] for i in (0, 1, 2999)], ["cube", "cube-2", "cube-3000"])

    def test_a_scene_that_cannot_start(self):
        """It is written, since it can be mended; the exit code and two messages say what is wrong."""
        (FOLDER / "scene.json").unlink(missing_ok=True)
        done = convert(CUBE + "\nground 0 1.5\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot run as it is", done.stderr)
        self.assertTrue((FOLDER / "scene.json").exists())


class Finding(Case):
    def test_from_folders_above(self):
        """IPC's own folder stands above the file's: input/tutorialExamples/MCO/x.txt names input/tetMeshes/cube.msh."""
        (FOLDER / "ipc/input/tetMeshes").mkdir(parents=True, exist_ok=True)
        write_cube(FOLDER / "ipc/input/tetMeshes/cube.msh")
        done = convert("shapes input 1\ninput/tetMeshes/cube.msh 0 1 0 0 0 0 1 1 1\n", name="ipc/input/tutorialExamples/MCO/x.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        scene = json.loads((FOLDER / "scene.json").read_text())
        self.assertEqual(scene["bodies"][0]["mesh"]["file"], str(FOLDER / "ipc/input/tetMeshes/cube.msh"))

    def test_beside_the_file_first(self):
        (FOLDER / "ipc/input/meshes").mkdir(parents=True, exist_ok=True)
        write_cube(FOLDER / "ipc/input/meshes/cube.msh")
        done = convert(CUBE, name="ipc/input/x.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        scene = json.loads((FOLDER / "scene.json").read_text())
        self.assertEqual(scene["bodies"][0]["mesh"]["file"], str(FOLDER / "ipc/input/meshes/cube.msh"))

    def test_tetgen(self):
        nodes = "\n".join(f"{i + 1} {x} {y} {z}" for i, (x, y, z) in enumerate(CORNERS))
        tets = "\n".join(f"{i + 1} " + " ".join(str(v + 1) for v in t) for i, t in enumerate(TETS))
        (FOLDER / "meshes/tet.node").write_text(f"8 3 0 0\n{nodes}\n")
        (FOLDER / "meshes/tet.ele").write_text(f"{len(TETS)} 4 0\n{tets}\n")
        for name in ("meshes/tet", "meshes/tet.ele"):
            scene = scene_of(f"shapes input 1\n{name} 0 0 0 0 0 0 1 1 1\n")
            self.assertEqual(scene["bodies"][0]["mesh"]["file"], str(FOLDER / "meshes/tet.ele"))


class Physics(Case):
    def test_free_fall(self):
        """Backward Euler falls by g h^2 n (n + 1) / 2, Newmark by g t^2 / 2, with an initial velocity besides."""
        for method, fall in (("BE", lambda n: 0.025**2 * n * (n + 1) / 2), ("NM", lambda n: (0.025 * n)**2 / 2)):
            scene_of(CUBE + f" initVel 1 0 0  0 0 0\ntimeIntegration {method}\ntime 0.25 0.025\n")
            _, frame = run()
            for n in (1, 4, 10):
                self.near(frame(n)[0], [0.025 * n, 1 - 9.80665 * fall(n), 0], 1e-6)

    def test_pushed(self):
        """Backward Euler: four of ten steps give 0.2 m/s; each moves the body by h times the velocity after it."""
        for method in ("BE", "NM"):
            scene_of(CUBE + f"  NBC 0 0 0  1 1 1  2 0 0  0.1 0.2\ntimeIntegration {method}\nturnOffGravity\ntime 0.25 0.025\n")
            _, frame = run()
            x, v, a = 0, 0, 2 if method == "BE" else 8
            for n in range(1, 11):
                old = v
                v += 0.025 * a if 4 <= n - 1 < 8 else 0
                x += 0.025 * (v if method == "BE" else 0.5 * (v + old))
                self.near(frame(n)[0], [x, 1, 0], 1e-6)

    def test_rest_on_the_ground_and_on_points(self):
        """Gaps are a good part of d-hat, as in IPC, on a plane and on three points."""
        (FOLDER / "meshes/dots.pt").write_text("v 0.2 0 0.2\nv 0.8 0 0.3\nv 0.4 0 0.8\n")
        for floor in ("ground 0.5 -0.001\n", "shapes input 1\nmeshes/dots.pt 0 -0.001 0  0 0 0  1 1 1\n"):
            scene = scene_of("shapes input 1\nmeshes/cube.msh 0 0 0  0 0 0  1 1 1\n" + floor + "time 0.5 0.025\nstiffness 1e6 0.4\n")
            summary, frame = run()
            self.assertEqual((summary["status"], summary["intersections"]), ("done", 0))
            low = min(p[1] for p in frame(20)[:8]) + 0.001
            self.assertGreater(low, -0.02)
            self.assertGreater(summary["min_gap"], 0.1 * scene["contact"]["distance"])

    def test_without_self_contact_bodies_pass_through_each_other(self):
        shapes = "shapes input 2\nmeshes/cube.msh 0 0.1 0  0 0 0  1 1 1\nmeshes/cube.msh 0.5 1.5 0  0 0 0  1 1 1 initVel 0 -4 0  0 0 0\n"
        scene_of(shapes + "ground 0 0\nselfCollisionOff\ntime 0.3 0.025\nstiffness 1e6 0.4\n")
        summary, frame = run()
        heights = [p[1] for p in frame(12)]
        self.assertLess(min(heights[8:]), 0.8)      # the second is inside the first,
        self.assertGreater(min(heights), 0)         # and both are above the ground


def main():
    global FOLDER
    if not PROGRAM or not os.access(PROGRAM, os.X_OK):
        print("test_from_ipc: skipped, no program in $VISVIVA")
        return 77
    FOLDER = pathlib.Path(os.path.realpath(tempfile.mkdtemp()))
    try:
        (FOLDER / "meshes").mkdir()
        write_cube(FOLDER / "meshes/cube.msh")
        (FOLDER / "meshes/triangle.obj").write_text(TRIANGLE)
        (FOLDER / "meshes/broken.msh").write_text("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 8 1")
        return 0 if unittest.main(exit=False, argv=sys.argv[:1]).result.wasSuccessful() else 1
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
