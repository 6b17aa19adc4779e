"""One picture of all scenes: visible, elastic and lost energy as multiples of truth's, on a logarithmic axis; as SVG, by hand."""
import math

from cases import METHODS

PANELS = [("visible kinetic energy", "energy.second_half.visible.total"), ("elastic energy", "energy.second_half.elastic"),
          ("lost to friction", "ledger.friction")]
COLOURS = {"none": "#999999", "search": "#d55e00", "filtered-search": "#0072b2"}
LEFT, WIDTH, GAP, TOP, ROW = 130, 240, 30, 64, 20
LOW, HIGH = 0.05, 5


def place(panel, ratio):
    ratio = min(max(ratio, LOW), HIGH)
    return LEFT + panel * (WIDTH + GAP) + WIDTH * math.log(ratio / LOW) / math.log(HIGH / LOW)


def text(x, y, words, anchor="start", colour="#333333", size=12):
    return '<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s" font-size="%d">%s</text>' % (x, y, anchor, colour, size, words)


def axes(panel, height):
    out = [text(LEFT + panel * (WIDTH + GAP), TOP - 24, PANELS[panel][0] + ", of truth's", size=13)]
    for ratio in (0.1, 0.2, 0.5, 1, 2, 5):
        x = place(panel, ratio)
        out.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="%s"/>' % (x, x, TOP, height, "#333333" if ratio == 1 else "#dddddd"))
        out.append(text(x, TOP - 6, "%g" % ratio, "middle", size=10))
    return out


def dot(panel, y, result, truth, path, method):
    mean, wanted = result.mean(path), truth.mean(path)
    if math.isnan(mean) or not wanted > 1e-4 * truth.mean("ledger.scale"):
        return []
    ratio, shift = max(mean / wanted, 0), {"none": -4, "search": 0, "filtered-search": 4}[method]
    inside = LOW <= ratio <= HIGH
    return ['<circle cx="%.1f" cy="%.1f" r="4" fill="%s" stroke="%s"/>' %
            (place(panel, ratio), y + shift, COLOURS[method] if inside else "white", COLOURS[method])]


def draw(charted):
    """`charted`: (name, results by method) of each scene."""
    height = TOP + ROW * len(charted) + 8
    total = LEFT + len(PANELS) * (WIDTH + GAP)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif">' % (total, height, total, height),
           '<rect width="100%" height="100%" fill="white"/>']
    for k, method in enumerate(METHODS):
        out += ['<circle cx="%d" cy="16" r="4" fill="%s"/>' % (LEFT + 130 * k, COLOURS[method]), text(LEFT + 8 + 130 * k, 20, method)]
    out.append(text(LEFT + 400, 20, "hollow: beyond the axis", colour="#777777"))
    for panel in range(len(PANELS)):
        out += axes(panel, height - 4)
    for row, (name, found) in enumerate(charted):
        y = TOP + ROW * (row + 0.5)
        out.append(text(LEFT - 10, y + 4, name, "end"))
        for panel, (_, path) in enumerate(PANELS):
            for method in METHODS:
                out += dot(panel, y, found[method], found["truth"], path, method)
    return "\n".join(out + ["</svg>"]) + "\n"
