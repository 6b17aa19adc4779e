#!/usr/bin/env python3
"""Surfaces as scanners, CAD programs and sculptors leave them, by seed: each kind in three sizes, as the file that such a program writes.

    tests/support/broken_surfaces.py FOLDER [--seed N] [--cells N] [--kind KIND]    writes them and prints a line each: file, what it should be
    tests/support/broken_surfaces.py OUT.obj --break IN.obj [--seed N]              tears holes into a surface, turns triangles over, puts a ball through it

`solid`: visviva new makes a scene from it; `sheet`: with --cloth; `refused`: it says by name why not. `cells` is the number of triangles along a
quarter of a circle: 8 makes some 500 triangles, 360 a million.
"""
import argparse
import math
import pathlib
import random
import struct

SIZES = {"small": 1e-3, "middle": 1.0, "large": 100.0}


def sphere(cells, radius=1.0, centre=(0.0, 0.0, 0.0), inward=False):
    """Rings of latitude that share their vertices: (vertices, triangles)."""
    up, around = 2 * cells, 4 * cells
    x = [(centre[0], centre[1] + radius, centre[2])]
    for i in range(1, up):
        for j in range(around):
            t, f = math.pi * i / up, 2 * math.pi * j / around
            x.append((centre[0] + radius * math.sin(t) * math.cos(f), centre[1] + radius * math.cos(t), centre[2] + radius * math.sin(t) * math.sin(f)))
    x.append((centre[0], centre[1] - radius, centre[2]))
    at = lambda i, j: 1 + (i - 1) * around + j % around
    f = [(0, at(1, j + 1), at(1, j)) for j in range(around)]
    for i in range(1, up - 1):
        for j in range(around):
            f += [(at(i, j), at(i, j + 1), at(i + 1, j)), (at(i, j + 1), at(i + 1, j + 1), at(i + 1, j))]
    f += [(len(x) - 1, at(up - 1, j), at(up - 1, j + 1)) for j in range(around)]
    return x, [t[::-1] for t in f] if inward else f


def box(cells, size=(1.0, 1.0, 1.0), low=(0.0, 0.0, 0.0)):
    """A grid on each face, with the corners of the grid of its own (a soup of patches), as CAD programs write."""
    x, f = [], []
    for axis in range(3):
        for side in range(2):
            first, u, v = len(x), (axis + 1) % 3, (axis + 2) % 3
            for i in range(cells + 1):
                for j in range(cells + 1):
                    p = [0.0] * 3
                    p[axis], p[u], p[v] = side, i / cells, j / cells
                    x.append(tuple(low[k] + size[k] * p[k] for k in range(3)))
            for i in range(cells):
                for j in range(cells):
                    a, b, c, d = (first + (i + r) * (cells + 1) + j + s for r, s in ((0, 0), (1, 0), (0, 1), (1, 1)))
                    f += [(a, b, c), (b, d, c)] if side else [(a, c, b), (b, c, d)]
    return x, f


def sheet(cells, width=1.0, waves=0.05):
    n = 2 * cells
    x = [(width * i / n, waves * math.sin(7 * i / n), width * j / n) for i in range(n + 1) for j in range(n + 1)]
    f = []
    for i in range(n):
        for j in range(n):
            a, b, c, d = i * (n + 1) + j, (i + 1) * (n + 1) + j, i * (n + 1) + j + 1, (i + 1) * (n + 1) + j + 1
            f += [(a, c, b), (b, c, d)]
    return x, f


def joined(*parts):
    x, f = [], []
    for px, pf in parts:
        f += [tuple(v + len(x) for v in t) for t in pf]
        x += px
    return x, f


# ---- the kinds: (cells, chance) -> (vertices, faces); a face may have any number of corners ----

def holes(cells, chance):
    x, f = sphere(cells)
    return x, [t for t in f if chance.random() > 0.04]


def crossing(cells, chance):
    return joined(sphere(cells), sphere(cells, 0.7, (0.9 + 0.2 * chance.random(), 0.1, 0)))


def doubled(cells, chance):
    x, f = sphere(cells)
    return x, f + [t if chance.random() < 0.5 else t[::-1] for t in f if chance.random() < 0.2]


def slivers(cells, chance):
    """A vertex in the middle of some edges, with a triangle without area on it, as tessellated CAD has."""
    x, f = box(cells)
    out, x = [], list(x)
    for t in f:
        if chance.random() < 0.05:
            a, b = x[t[0]], x[t[1]]
            x.append(tuple((a[k] + b[k]) / 2 for k in range(3)))
            m = len(x) - 1
            out += [(t[0], m, t[2]), (m, t[1], t[2]), (t[0], t[1], m)]
        else:
            out.append(t)
    return x, out


def bow_ties(cells, chance):
    """Quads in the order of a Z instead of around."""
    x, f = [], []
    n = 2 * cells
    for axis in range(3):
        for side in range(2):
            first, u, v = len(x), (axis + 1) % 3, (axis + 2) % 3
            for i in range(n + 1):
                for j in range(n + 1):
                    p = [0.0] * 3
                    p[axis], p[u], p[v] = side, i / n, j / n
                    x.append(tuple(p))
            for i in range(n):
                for j in range(n):
                    a, b, c, d = (first + (i + r) * (n + 1) + j + s for r, s in ((0, 0), (1, 0), (1, 1), (0, 1)))
                    quad = (a, b, c, d) if side else (a, d, c, b)
                    f.append((quad[0], quad[1], quad[3], quad[2]) if chance.random() < 0.1 else quad)
    return x, f


def inside_out(cells, chance):
    return sphere(cells, inward=True)


def mixed_turns(cells, chance):
    x, f = sphere(cells)
    return x, [t if chance.random() < 0.7 else t[::-1] for t in f]


def nested(cells, chance):
    """Shells that cross others within a shell: eyes and teeth."""
    return joined(sphere(cells), sphere(max(2, cells // 2), 0.3, (0.5, 0.2, 0)), sphere(max(2, cells // 2), 0.3, (0.8, 0.2, 0.1)))


def many_parts(cells, chance):
    n = max(2, cells // 3)
    return joined(*(sphere(n, 0.3, (i % 3, i // 3 % 3, i // 9)) for i in range(12)))


def branches(cells, chance):
    """A fin on a ball, one edge of which lies in it: edges with three triangles."""
    x, f = sphere(cells)
    x = x + [(1.6, 0.3, 0.0), (1.6, -0.3, 0.0)]
    a, b = 1 + (cells - 1) * 4 * cells, 1 + cells * 4 * cells
    return x, f + [(a, b, len(x) - 2), (b, len(x) - 1, len(x) - 2)]


def near_zero(cells, chance):
    """Corners that rounding moves apart: written as a soup, with noise of 1e-8 of the size."""
    return box(cells)


def scan(cells, chance):
    """Noise, holes, and some triangles turned over."""
    x, f = sphere(cells)
    x = [tuple(c * (1 + 0.2 / cells * (chance.random() - 0.5)) for c in p) for p in x]
    return x, [t if chance.random() < 0.9 else t[::-1] for t in f if chance.random() > 0.01]


SOLIDS = [holes, crossing, doubled, slivers, bow_ties, inside_out, mixed_turns, nested, many_parts, branches, near_zero, scan]


def flat_sheet(cells, chance):
    return sheet(cells, waves=0.0)


def wavy_sheet(cells, chance):
    return sheet(cells)


def torn_sheet(cells, chance):
    x, f = sheet(cells)
    return x, [t for i, t in enumerate(f) if i // 2 % (2 * cells) != cells or chance.random() < 0.5]


SHEETS = [flat_sheet, wavy_sheet, torn_sheet]


def write_obj(path, x, faces):
    with open(path, "w") as file:
        file.writelines("v %.9g %.9g %.9g\n" % p for p in x)
        file.writelines("f " + " ".join(str(v + 1) for v in t) + "\n" for t in faces)


def write_stl(path, x, faces, chance, noise):
    """Binary, single precision: a soup."""
    with open(path, "wb") as file:
        file.write(b"made by broken_surfaces.py".ljust(80, b" ") + struct.pack("<I", len(faces)))
        for t in faces:
            corners = [c + noise * (chance.random() - 0.5) for v in t for c in x[v]]
            file.write(struct.pack("<12fH", 0, 0, 0, *corners, 0))


def break_surface(source, path, seed):
    chance = random.Random(seed)
    x, f = [], []
    for line in open(source):
        words = line.split()
        if words[:1] == ["v"]:
            x.append(tuple(map(float, words[1:4])))
        elif words[:1] == ["f"]:
            f.append([int(w.split("/")[0]) - 1 for w in words[1:4]])
    high, size = max(p[1] for p in x), max(p[1] for p in x) - min(p[1] for p in x)

    def centre(t):
        return [sum(x[v][k] for v in t) / 3 for k in range(3)]
    holes = [centre(chance.choice(f)) for _ in range(14)]
    kept = [t for t in f if all(math.dist(centre(t), hole) > 0.055 * size for hole in holes) and chance.random() > 0.02]
    kept = [t if chance.random() > 0.1 else t[::-1] for t in kept]
    write_obj(path, *joined((x, kept), sphere(8, 0.12 * size, (0.0, high - 0.07 * size, 0.02 * size))))


def make(folder, seed, cells, only=None):
    """Writes the files; (path, "solid", "sheet" or "refused") each."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for kinds, what in ((SOLIDS, "solid"), (SHEETS, "sheet")):
        for kind in kinds:
            for size, scale in SIZES.items():
                if only and kind.__name__ != only:
                    continue
                chance = random.Random(f"{seed} {kind.__name__} {size}")
                x, faces = kind(cells, chance)
                x = [tuple(scale * c for c in p) for p in x]
                if kind is near_zero:
                    path = folder / f"{kind.__name__}-{size}.stl"
                    write_stl(path, x, faces, chance, 2e-8 * scale)
                else:
                    path = folder / f"{kind.__name__}-{size}.obj"
                    write_obj(path, x, faces)
                yield path, what
    if only:
        return
    for name, text in (("empty", ""), ("point", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n"), ("line", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"),
                       ("nan", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")):
        path = folder / f"{name}.obj"
        path.write_text(text)
        yield path, "refused"


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--cells", type=int, default=8)
    options.add_argument("--kind")
    options.add_argument("--break", dest="source")
    given = options.parse_args()
    if given.source:
        break_surface(given.source, given.folder, given.seed)
    else:
        for path, what in make(given.folder, given.seed, given.cells, given.kind):
            print(path, what)
