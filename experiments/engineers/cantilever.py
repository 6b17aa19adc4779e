"""The error of a cantilever's deflection over the processor's seconds, for tets of order 1, with mean dilatation, and of order 2."""
import csv
import math
import time

SIZE = (1, 0.1, 0.1)  # m; clamped at one end, the other one drawn down by 1 mN, so that strains are small
YOUNG = 1e6
RATIOS = (0.3, 0.49)
KINDS = {"order 1": (1, 2, 4, 6, 8, 12), "mean dilatation": (1, 2, 4, 6, 8, 12), "order 2": (1, 2, 3, 4)}  # cells through the thickness
COLOURS = {"order 1": "#d55e00", "mean dilatation": "#009e73", "order 2": "#0072b2"}
FINE = (3, 6)  # of order 2: the truth is what these go to


def deflection(kind, cells, poisson):
    """Of the loaded end, m; unknowns; seconds of the processor, of making the world and of the equilibrium."""
    import numpy as np
    import visviva as vv
    mesh = vv.Mesh.generate("box", size=SIZE, cells=(10 * cells, cells, cells), split=6)
    if kind == "order 2":
        mesh = mesh.raised()
    x = np.array(mesh.positions)
    begun = time.process_time()
    w = vv.World(gravity=(0, 0, 0), contact={"model": "none"}, threads=1)
    body = w.add_body(mesh, vv.Material("neo-hookean", young=YOUNG, poisson=poisson, density=1000, mean_dilatation=kind == "mean dilatation"))
    body.attach(where=np.flatnonzero(x[:, 0] < -0.5 + 1e-9).tolist())
    body.attach("traction", where=np.flatnonzero(x[:, 0] > 0.5 - 1e-9).tolist(), load=(0, -0.1, 0))
    w.settle()
    seconds = time.process_time() - begun
    end = x[:, 0] > 0.5 - 1e-9
    return (x - np.array(body.positions))[end, 1].mean(), 3 * int((x[:, 0] > -0.5 + 1e-9).sum()), seconds


def measured():
    rows = []
    for poisson in RATIOS:
        coarse, fine = (deflection("order 2", cells, poisson)[0] for cells in FINE)
        truth = fine + (fine - coarse) / (FINE[1] ** 2 / FINE[0] ** 2 - 1)
        for kind, sizes in KINDS.items():
            for cells in sizes:
                down, unknowns, seconds = deflection(kind, cells, poisson)
                rows.append({"nu": poisson, "tets": kind, "cells across": cells, "unknowns": unknowns, "deflection by truth": down / truth,
                             "error": abs(down / truth - 1), "seconds": seconds})
                print("%(nu)g %(tets)s %(cells across)d: %(deflection by truth).4f, %(seconds).3g s" % rows[-1], flush=True)
    return rows


def seconds_to(rows, poisson, kind, error):
    """Where the line through the points first has that error, straight between points of logarithms; beyond the last one by the last two."""
    points = [(math.log(row["seconds"]), math.log(row["error"])) for row in rows if row["nu"] == poisson and row["tets"] == kind]
    for k, (a, b) in enumerate(zip(points, points[1:])):
        if b[1] <= math.log(error) or k == len(points) - 2:
            return math.exp(a[0] + (b[0] - a[0]) * (math.log(error) - a[1]) / (b[1] - a[1])), b[1] > math.log(error)
    return math.nan, True


def table(rows):
    lines = []
    for poisson in RATIOS:
        for kind in KINDS:
            shown = [row for row in rows if row["nu"] == poisson and row["tets"] == kind]
            found = {row["cells across"]: "%.3f" % row["deflection by truth"] for row in shown}
            seconds, beyond = seconds_to(rows, poisson, kind, 0.01)
            lines.append(["%g" % poisson, kind, *(found.get(cells, "") for cells in (1, 2, 4, 8)), "%.2g%s" % (seconds, " (extrapolated)" if beyond else "")])
    return ["ν", "tets", *("%d across" % cells for cells in (1, 2, 4, 8)), "seconds to 1%"], lines


# ---- the picture: error over seconds, both logarithmic, a panel for each ratio ----

LEFT, WIDTH, GAP, TOP, HEIGHT = 70, 300, 60, 50, 260


def draw(rows):
    low, high = min(row["seconds"] for row in rows), max(row["seconds"] for row in rows)
    seconds = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    errors = range(math.floor(math.log10(min(row["error"] for row in rows))), 1)

    def across(panel, value):
        return LEFT + panel * (WIDTH + GAP) + WIDTH * (math.log10(value) - seconds[0]) / (seconds[-1] - seconds[0])

    def up(value):
        return TOP + HEIGHT * math.log10(value) / errors[0]

    total, whole = LEFT + 2 * WIDTH + GAP + 20, TOP + HEIGHT + 46
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="11">' % (total, whole, total, whole),
           '<rect width="100%" height="100%" fill="white"/>']
    words = '<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>'
    for k, kind in enumerate(KINDS):
        out += ['<circle cx="%d" cy="14" r="4" fill="%s"/>' % (LEFT + 140 * k, COLOURS[kind]), words % (LEFT + 8 + 140 * k, 18, "start", "#333333", kind)]
    for panel, poisson in enumerate(RATIOS):
        out.append(words % (LEFT + panel * (WIDTH + GAP), TOP - 8, "start", "#333333", "error of the deflection, ν = %g" % poisson))
        for power in seconds:
            x = across(panel, 10 ** power)
            out += ['<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#dddddd"/>' % (x, x, TOP, TOP + HEIGHT), words % (x, TOP + HEIGHT + 16, "middle", "#333333", "%g s" % 10 ** power)]
        for power in errors:
            y = up(10 ** power)
            out += ['<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="#dddddd"/>' % (across(panel, 10 ** seconds[0]), across(panel, 10 ** seconds[-1]), y, y),
                    words % (across(panel, 10 ** seconds[0]) - 6, y + 4, "end", "#333333", "%g" % 10 ** power)]
        for kind in KINDS:
            points = [(across(panel, row["seconds"]), up(row["error"])) for row in rows if row["nu"] == poisson and row["tets"] == kind]
            out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>' % (" ".join("%.1f,%.1f" % p for p in points), COLOURS[kind]))
            out += ['<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>' % (*p, COLOURS[kind]) for p in points]
    out.append(words % (LEFT, TOP + HEIGHT + 36, "start", "#777777", "points: cells through the thickness, %s; order 2: %s" %
                        (", ".join(map(str, KINDS["order 1"])), ", ".join(map(str, KINDS["order 2"])))))
    return "\n".join(out + ["</svg>"]) + "\n"


def run(folder):
    """Writes cantilever.csv and cantilever.svg into a folder; the head and the rows of the table."""
    rows = measured()
    with open(folder / "cantilever.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(rows[0])
        out.writerows([["%.5g" % value if isinstance(value, float) else value for value in row.values()] for row in rows])
    (folder / "cantilever.svg").write_text(draw(rows))
    return table(rows)
