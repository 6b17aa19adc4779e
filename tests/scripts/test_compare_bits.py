#!/usr/bin/env python3
"""scripts/compare-bits: two recordings of one program are equal, and a difference is seen, said where, and ends with exit code 1.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it or without h5dump.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("VISVIVA", "")
SCENE = {"visviva": 1, "time": {"step": "1/120"}, "obstacles": [{"plane": {}}],
         "bodies": [{"mesh": {"box": {"cells": [2, 2, 2]}}, "place": {"translate": [0, 0.0505, 0]}, "velocity": {"linear": [0.1, -0.5, 0]}}]}


def run(code, words, *arguments):
    done = subprocess.run([sys.executable, ROOT / "scripts/compare-bits", *map(str, arguments)], capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode != code or any(word not in said for word in words):
        sys.exit(f"test_compare_bits: exit code {done.returncode}, not {code}, or not all of {words} in: {said}")


def main():
    if not os.access(PROGRAM, os.X_OK) or not shutil.which("h5dump"):
        print("test_compare_bits: skipped, no program in $VISVIVA or no h5dump (Debian: hdf5-tools)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "scenes").mkdir()
        (folder / "scenes/box.json").write_text(json.dumps(SCENE))

        def record(out, *more):
            return ("record", "--program", PROGRAM, "--scenes", folder / "scenes", "--out", folder / out, "--steps", 3, *more)

        run(0, ["2 runs", "search                  3 steps"], *record("a", "--methods", "search,none"))
        run(0, ["0 runs, 2 recorded before"], *record("a", "--methods", "search,none"))
        run(0, ["2 runs"], *record("b", "--methods", "search,none"))
        run(0, ["equal: 2 runs", "6 of A's 6 steps"], "compare", folder / "a", folder / "b")
        # the smallest change of a constant, in one of the two
        run(0, ["1 runs"], *record("b", "--methods", "none", "--again", "--set", "gravity=[0,-9.800000000000002,0]"))
        run(1, ["box none: ", "PointData/velocity: from step 1; largest", "DIFFERENT: 2 runs", "1 runs differ"],
            "compare", folder / "a", folder / "b")
        # a run that ends by failing, sooner than another
        run(0, ["exit 1: visviva: failed at step"], *record("c", "--methods", "none", "--set", "integrator.scheme=forward-euler",
                                                           "--set", "bodies[0].material={\"young\": 1e12}"))
        run(1, ["in B the run failed", "not recorded in B"], "compare", folder / "a", folder / "c")
        run(2, ["no such scene or method: nonsense"], *record("a", "--methods", "nonsense"))
        for text in ("one", "two"):
            (folder / text).write_text(f"== part\nsame\n{text}\n")
        run(1, ["differ from line 3 on, in == part"], "compare", folder / "one", folder / "two")
        run(0, ["equal: 3 lines"], "compare", folder / "one", folder / "one")
    print("test_compare_bits: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
