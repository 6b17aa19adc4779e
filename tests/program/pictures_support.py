"""Runs of small scenes and what is in their pictures: for tests/program/test_look.py and test_render.py."""
import itertools
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

PROGRAM = os.path.abspath(os.environ["VISVIVA"]) if os.environ.get("VISVIVA") else ""
TEMPORARY = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(TEMPORARY.name)
# the drivers' own leaks are not ours
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")


def call(*arguments, **environment):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER,
                          env=dict(ENVIRONMENT, **environment), timeout=500)


def unfiltered(method, row, before, step):
    """A row of a PNG from what is stored of it and the row before. Most of a test's time goes here, so each kind has a loop of its own."""
    if method == 1:  # what is left of it
        for c in range(step):
            row[c::step] = bytes(itertools.accumulate(row[c::step], lambda left, byte: (left + byte) & 255))
    elif method == 2:  # above
        row = bytearray((byte + up) & 255 for byte, up in zip(row, before))
    elif method == 3:  # the mean of both
        for c in range(step):
            left = 0
            for i in range(c, len(row), step):
                row[i] = left = (row[i] + (left + before[i]) // 2) & 255
    elif method == 4:  # the one of left, above and their corner that is nearest to left + above - corner
        for c in range(step):
            left = corner = 0
            for i in range(c, len(row), step):
                up, byte = before[i], row[i]
                a, b = up - corner, left - corner
                pa, pb, pc = abs(a), abs(b), abs(a + b)
                row[i] = left = (byte + (left if pa <= pb and pa <= pc else up if pb <= pc else corner)) & 255
                corner = up
    return row


def read_png(path):
    """Width, height and RGB rows of an 8-bit RGB or RGBA PNG without interlacing."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and colour in (2, 6) and interlace == 0
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    assert kind == b"IEND"
    step = 3 if colour == 2 else 4
    raw, rows, before = zlib.decompress(packed), [], bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        row = unfiltered(raw[start], bytearray(raw[start + 1:start + 1 + width * step]), before, step)
        rows.append(list(zip(row[0::step], row[1::step], row[2::step])))
        before = row
    return width, height, rows


def read_ppm(path):
    magic, size, most, pixels = path.read_bytes().split(b"\n", 3)
    assert magic == b"P6" and most == b"255"
    width, height = map(int, size.split())
    assert len(pixels) == 3 * width * height
    return width, height, [[tuple(pixels[3 * (y * width + x):3 * (y * width + x) + 3]) for x in range(width)]
                           for y in range(height)]


def box_of(rows, wanted):
    found = [(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if wanted(*pixel)]
    if not found:
        return None
    xs, ys = zip(*found)
    return min(xs), min(ys), max(xs), max(ys), len(found)


def is_body(r, g, b):
    return r - b > 55  # bodies are warm, all else is nearly grey


def is_shadow(r, g, b):
    return r - b <= 30 and (r + g + b) / 3 < 200


def read_picture(path):
    """The rows of a .ppm or .png."""
    return (read_ppm if path.suffix == ".ppm" else read_png)(path)[2]


def make_run(name, scene, blows_up=False):
    """Runs the scene (a dictionary) to FOLDER/name.vtkhdf."""
    (FOLDER / f"{name}.json").write_text(json.dumps(scene))
    done = call("run", f"{name}.json", "-o", f"{name}.vtkhdf")
    assert done.returncode == (1 if blows_up else 0), f"the run of {name}: {done.stderr}"


class EveryThird(unittest.TestLoader):
    """One test in three, another turn the next ones; $VV_TEST_TURN repeats one."""
    def loadTestsFromModule(self, module, **arguments):
        turn = int(os.environ.get("VV_TEST_TURN", time.time() // 86400))
        print(f"some of all tests: VV_TEST_TURN={turn}")
        every = [test for case in super().loadTestsFromModule(module, **arguments) for test in case]
        return self.suiteClass(every[turn % 3::3])


def run_tests(make_runs):
    """Makes the runs, then runs unittest.main, with a third of the tests in the quick form. Returns the exit code."""
    if not PROGRAM or not os.access(PROGRAM, os.X_OK):
        print("skipped: $VISVIVA is not the program")
        return 77
    make_runs()
    loader = EveryThird() if os.environ.get("VV_TEST_SIZE") == "quick" else unittest.defaultTestLoader
    result = unittest.main(module="__main__", exit=False, verbosity=1, testLoader=loader).result
    for test, why in result.skipped:
        print(f"skipped: {test}: {why}")
    return 0 if result.wasSuccessful() else 1
