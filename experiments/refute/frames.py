"""What the programs beside this one take from visviva: positions and velocities of frames (exported as VTU), and nothing else.

Energies, masses and rigid motions are computed here from these. Runs are kept in the folder OUT (out/refute unless set) and made by the program
VISVIVA (build/visviva unless set).
"""
import array
import math
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = pathlib.Path(os.environ.get("OUT", ROOT / "out/refute"))
VISVIVA = os.environ.get("VISVIVA", str(ROOT / "build/visviva"))


def run(name, scene, until, **settings):
    """name.vtkhdf of a scene with settings, whose dots are written as __; made once"""
    file = OUT / f"{name}.vtkhdf"
    if not file.exists():
        OUT.mkdir(parents=True, exist_ok=True)
        part = OUT / f"{name}.part.vtkhdf"
        sets = [word for key, value in settings.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]
        code = subprocess.run([VISVIVA, "run", str(scene), "--until", str(until), "--threads", "1", "--force", "-q", "-o", str(part), *sets],
                              stderr=subprocess.DEVNULL, cwd=ROOT).returncode
        if code not in (0, 1):
            raise SystemExit(f"{VISVIVA} run {scene}: exit code {code}")
        part.rename(file)
    return file


def frames(file, first, last, every=1):
    """[(time, points, velocities of the state, tets)] of the frames first, first + every, … up to last"""
    folder = OUT / f"{file.stem}.frames"
    subprocess.run([VISVIVA, "export", str(file), "--frames", f"{first}:{last}:{every}", "-q", "-o", str(folder / "f.pvd")], check=True)
    found = [read(path) for path in sorted((folder / "f").glob("*.vtu"))]
    for path in [*(folder / "f").glob("*.vtu"), folder / "f.pvd"]:
        path.unlink()
    return found


def triangles(file):
    """of the surface, as frame 0 has them"""
    folder = OUT / f"{file.stem}.frames"
    subprocess.run([VISVIVA, "export", str(file), "--frames", "0:0", "-q", "-o", str(folder / "t.obj")], check=True)
    found = []
    for path in sorted(folder.glob("t*.obj")):
        found = [tuple(int(word.split("/")[0]) - 1 for word in line.split()[1:4]) for line in path.read_text().splitlines() if line.startswith("f ")]
        path.unlink()
    return found


def read(path):
    data = path.read_bytes()
    head, body = data.split(b'<AppendedData encoding="raw">', 1)
    body, head = body[body.index(b"_") + 1:], head.decode()

    def values(name, code):
        at = int(re.search(rf'Name="{name}"[^>]*offset="(\d+)"', head).group(1))
        size = int.from_bytes(body[at:at + 8], "little")
        return array.array(code, body[at + 8:at + 8 + size])

    def rows(flat, n):
        return [tuple(flat[k:k + n]) for k in range(0, len(flat), n)]

    time = float(re.search(r'Name="TimeValue"[^>]*>\s*([^<\s]+)', head).group(1))
    types, cells = values("types", "B"), values("connectivity", "q")
    tets, at = [], 0
    for kind, end in zip(types, values("offsets", "q")):
        if kind == 10:
            tets.append(tuple(cells[at:end]))
        at = end
    return time, rows(values("Points", "d"), 3), rows(values("state_velocity", "d"), 3), tets


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def minus(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def inverse(m):
    """of three columns"""
    a, b, c = m
    det = dot(a, cross(b, c))
    rows = [[x / det for x in cross(b, c)], [x / det for x in cross(c, a)], [x / det for x in cross(a, b)]]
    return [[rows[i][j] for i in range(3)] for j in range(3)], det


def multiply(a, b):
    """of columns"""
    return [[sum(a[k][i] * column[k] for k in range(3)) for i in range(3)] for column in b]


def rotation(f):
    """the nearest orthogonal matrix, by Newton's iteration; a rotation if det f > 0"""
    r = [list(column) for column in f]
    for _ in range(100):
        back, _ = inverse(r)
        new = [[0.5 * (r[j][i] + back[i][j]) for i in range(3)] for j in range(3)]
        change = max(abs(new[j][i] - r[j][i]) for i in range(3) for j in range(3))
        r = new
        if change < 1e-14:
            break
    return r


def corotated(f, mu, lam):
    r = rotation(f)
    trace = sum(r[j][i] * f[j][i] for i in range(3) for j in range(3)) - 3
    return mu * sum((f[j][i] - r[j][i]) ** 2 for i in range(3) for j in range(3)) + 0.5 * lam * trace * trace


def neo_hookean(f, mu, lam):
    log = math.log(inverse(f)[1])
    return 0.5 * mu * (sum(x * x for column in f for x in column) - 3) - mu * log + 0.5 * lam * log * log


def stvk(f, mu, lam):
    e = [[0.5 * (dot(f[i], f[j]) - (i == j)) for i in range(3)] for j in range(3)]
    return mu * sum(x * x for row in e for x in row) + 0.5 * lam * (e[0][0] + e[1][1] + e[2][2]) ** 2


class Solid:
    def __init__(self, rest, tets, density, young, poisson, energy):
        self.tets, self.density_energy = tets, energy
        self.mu, self.lam = young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
        self.mass, self.back = [0.0] * len(rest), []
        for a, b, c, d in tets:
            back, det = inverse([minus(rest[k], rest[a]) for k in (b, c, d)])
            self.back.append((back, abs(det) / 6))
            for k in (a, b, c, d):
                self.mass[k] += density * abs(det) / 24

    def gradients(self, x):
        for (a, b, c, d), (back, volume) in zip(self.tets, self.back):
            yield multiply([minus(x[k], x[a]) for k in (b, c, d)], back), volume

    def elastic(self, x):
        return sum(volume * self.density_energy(f, self.mu, self.lam) for f, volume in self.gradients(x))

    def kinetic(self, v):
        return 0.5 * sum(m * dot(u, u) for m, u in zip(self.mass, v))

    def height(self, x):
        return sum(m * p[1] for m, p in zip(self.mass, x)) / sum(self.mass)

    def spin(self, x, v):
        return sum(m * (p[0] * u[1] - p[1] * u[0]) for m, p, u in zip(self.mass, x, v))

    def deformation(self, before, after, h):
        """kinetic energy of the motion between two frames, without that of the centre and of the rigid turn"""
        w = [tuple((b - a) / h for a, b in zip(p, q)) for p, q in zip(before, after)]
        x = [tuple((a + b) / 2 for a, b in zip(p, q)) for p, q in zip(before, after)]
        total = sum(self.mass)
        centre, speed = ([sum(m * p[i] for m, p in zip(self.mass, each)) / total for i in range(3)] for each in (x, w))
        turn, inertia = [0.0] * 3, [[0.0] * 3 for _ in range(3)]
        for m, p, u in zip(self.mass, x, w):
            r = minus(p, centre)
            turn = [a + m * b for a, b in zip(turn, cross(r, minus(u, speed)))]
            for i in range(3):
                for j in range(3):
                    inertia[i][j] += m * ((i == j) * dot(r, r) - r[i] * r[j])
        back, _ = inverse(inertia)
        rate = [sum(back[j][i] * turn[j] for j in range(3)) for i in range(3)]
        return self.kinetic(w) - 0.5 * total * dot(speed, speed) - 0.5 * dot(rate, turn)
