"""What a page of `visviva report` holds, read by a decoder of its own: for tests/program/test_report*.py."""
import base64
import html.parser
import json
import re
import sys
import zlib

from terminal_support import call


def need_reports():
    """Ends the test, skipped, where the program was built without what a page takes."""
    said = call("report", "no-such.vtkhdf", "-o", "none.html").stderr
    if "makes no reports" in said:
        print(f"skipped: {said}")
        sys.exit(77)


class Tags(html.parser.HTMLParser):
    """`elements`: every element that a reader of HTML finds, as (name, attributes); `text`: what it shows, without scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.text, self.silent = [], "", 0
        self.feed(text)
        self.close()

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        self.silent += name in ("script", "style")

    def handle_endtag(self, name):
        self.silent -= name in ("script", "style")

    def handle_data(self, data):
        self.text += "" if self.silent else data


def unplane(data):
    count = len(data) // 4
    return [data[i] | data[count + i] << 8 | data[2 * count + i] << 16 | data[3 * count + i] << 24 for i in range(count)]


def signed(z):
    return -(z + 1) // 2 if z & 1 else z // 2


class Page:
    """`facts` is what its script is told; `blocks` the unpacked bytes by name, `packed` how many they are before base 64."""

    def __init__(self, path):
        self.html = path.read_text(encoding="utf-8")
        self.facts = json.loads(re.search(r'<script type="application/json" id="facts">(.*?)</script>', self.html, re.DOTALL).group(1))
        self.blocks, self.packed = {}, {}
        for name, text in re.findall(r'<script type="text/plain" id="([^"]*)">([A-Za-z0-9+/=]*)</script>', self.html):
            packed = base64.b64decode(text, validate=True)
            self.packed[name] = len(packed)
            self.blocks[name] = zlib.decompress(packed)

    def shape(self, run):
        film, numbers = self.facts["runs"][run]["film"], unplane(self.blocks[f"shape-{run}"])
        t, e = film["triangles"], film["edges"]
        triangles, edges, first = [], [], 0
        for i in range(t):
            first += numbers[i]
            triangles.append((first, first - numbers[t + i], first - numbers[2 * t + i]))
        first = 0
        for i in range(e):
            first += signed(numbers[3 * t + i])
            edges.append((first, first + signed(numbers[3 * t + e + i])))
        return triangles, edges

    def numbers(self, run, block, components):
        """Lists of whole numbers: [frame][component][vertex]."""
        film, data = self.facts["runs"][run]["film"], self.blocks[block]
        triangles, edges = self.shape(run)
        n, parts, frames = film["vertices"], film["parts"], len(film["times"])
        below = [[] for _ in range(n)]
        for element in triangles + edges:
            for a in element:
                below[a] += [b for b in element if b < a]
        at, far = frames * len(parts), frames * len(parts) + frames * components * n
        found = []
        for f in range(frames):
            found.append([[0] * n for _ in range(components)])
            for p, part in enumerate(parts):
                way = data[f * len(parts) + p]
                for k in range(components):
                    change, one = {}, found[f - 1][k] if f > 0 else None
                    for v in range(part["vertices"][0], sum(part["vertices"])):
                        z = data[at]
                        at += 1
                        if z == 255:
                            z = int.from_bytes(data[far:far + 4], "little")
                            far += 4
                        d = signed(z)
                        if way & 4 and below[v]:
                            d += (2 * sum(change[u] for u in below[v]) + len(below[v])) // (2 * len(below[v]))
                        change[v] = d
                        found[f][k][v] = d + (0, one and one[v], one and 2 * one[v] - found[f - 2][k][v])[way & 3]
        if at != frames * len(parts) + frames * components * n or far != len(data):
            raise ValueError(f"{block}: {len(data)} bytes, of which {far} are read")
        return found

    def places(self, run):
        """[frame][vertex] as (x, y, z), m."""
        film = self.facts["runs"][run]["film"]
        return [list(zip(*([low + film["step"] * q for q in axis] for low, axis in zip(film["low"], frame))))
                for frame in self.numbers(run, f"motion-{run}", 3)]

    def field(self, run, name):
        """[frame][vertex] in the field's unit."""
        film = self.facts["runs"][run]["film"]
        index = [f["name"] for f in film["fields"]].index(name)
        f = film["fields"][index]
        step = (f["most"] - f["least"]) / self.facts["levels"]
        return [[f["least"] + step * q for q in frame[0]] for frame in self.numbers(run, f"field-{run}-{index}", 1)]
