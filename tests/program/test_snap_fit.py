#!/usr/bin/env python3
"""The snap fit of docs/engineers.md, as printed there: the force that pushes the clip past its catch against beam theory.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import csv
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from terminal_support import PROGRAM, call

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/engineers.md"
RAMP = math.tan(math.radians(15))
LENGTH, ARM, STIFFNESS = 31e-3, 2.5e-3, 2.8e9 * 6e-3 * 2e-3 ** 3 / 12  # m, m, N m2


def beam(way):
    """N: what raises the nose, that far into its catch (mm), on the ramp."""
    rise = 1e-3 * (1.5 - 0.5 - (36 - 31 - way) * RAMP)
    return 3 * STIFFNESS * rise / LENGTH ** 3 / (1 - 1.5 * RAMP * ARM / LENGTH)


class SnapFit(unittest.TestCase):
    def test_forces(self):
        for name in ("clip.py", "clip.json"):
            pathlib.Path(name).write_text(re.search(rf"^```\w+ file={name}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[1], encoding="utf-8")
        subprocess.run([sys.executable, "clip.py"], check=True)
        for words in (("settle", "clip.json", "--over", "7", "--count", "14", "-o", "clip.vtkhdf"), ("export", "clip.vtkhdf", "-q", "-o", "clip.csv", "--fields", "von-mises")):
            done = call(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
        with open("clip.csv", newline="", encoding="utf-8") as file:
            rows = [[float(row["time [s]"])] + [float(row[f"reaction {k} of attachment 0 on clip [N]"]) for k in "xy"] for row in csv.DictReader(file)]
        self.assertEqual(len(rows), 15)
        for way, push, down in rows:
            if way <= 1 or way >= 6.5:  # before the ramp, and behind the catch
                self.assertAlmostEqual(push, 0, 6)
            elif 2 <= way <= 4.5:
                self.assertAlmostEqual(-push / down / RAMP, 1, 3)
                self.assertTrue(1.02 < -down / beam(way) < 1.07, (way, down, beam(way)))
        push, down = rows[12][1:]  # it slips down the catch's other face, which pulls it in
        self.assertLess(push, -1)
        self.assertAlmostEqual(push / down * RAMP, 1, 3)
        self.assertTrue(0.29 < max(push for _, push, _ in rows) < 0.35)


if __name__ == "__main__":
    if not os.access(PROGRAM, os.X_OK):
        print("test_snap_fit: skipped, no program in $VISVIVA")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main(verbosity=1)
