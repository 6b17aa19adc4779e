#!/usr/bin/env python3
"""Surfaces as they come (tests/support/broken_surfaces.py): each becomes a scene that runs and in which nothing intersects, a sheet with --cloth,
and what is no surface is refused by name. With --paranoid, which ends what intersects. The middle size and a few steps, except in the full form."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import broken_surfaces  # noqa: E402

PROGRAM = os.environ.get("VISVIVA")
SIZE = os.environ.get("VV_TEST_SIZE")
QUICK = {"crossing", "bow_ties", "near_zero", "wavy_sheet"}  # a wrap, faces, corners, cloth


def wanted(path):
    kind, _, size = path.stem.partition("-")
    return SIZE == "full" or not size or (size == "middle" and (SIZE != "quick" or kind in QUICK))


@unittest.skipUnless(PROGRAM, "no program in $VISVIVA")
class AnySurface(unittest.TestCase):
    def call(self, code, *words):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, code, f"{' '.join(words)}:\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
        return done.stdout + done.stderr

    def try_surface(self, path, what):
        if what == "refused":
            self.assertIn(path.name, self.call(2, "new", path.name))
            return
        if what == "sheet":
            self.assertIn("--cloth", self.call(2, "new", path.name))
        self.call(0, "new", path.name, *(["--cloth"] if what == "sheet" else []))
        self.call(0, "run", path.stem + ".json", "--paranoid", "--until", "0.5" if SIZE == "full" else "0.1", "-o", "run.vtkhdf", "--force",
                  "--set", "integrator.ground_energy=none")

    def test_all(self):
        with tempfile.TemporaryDirectory() as self.folder:
            for path, what in broken_surfaces.make(self.folder, 1, 8):
                if wanted(path):
                    with self.subTest(path.name):
                        self.try_surface(path, what)


if __name__ == "__main__":
    unittest.main()
