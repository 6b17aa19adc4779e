#!/usr/bin/env python3
"""Of each shipped scene, everything that moves stays in the frame, and fills it.

In no picture of a run, drawn without any option, does a body reach the picture's border; no body is left out; most pictures show a body
(none can where a ball is pressed flat between wide plates, nor the first one where all begins in a point); and all pictures together use a good part of the width or the height.

    test_scene_pictures.py            runs of a few steps, of one scene in four, another turn others ($VV_TEST_TURN repeats one; --quick:
                                      one in eight); where $VV_TEST_SIZE is full, of all scenes to their ends
    test_scene_pictures.py RUN...     these run files

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it or without OpenGL.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from pictures_support import box_of, read_ppm

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(os.environ.get("VISVIVA", ROOT / "build" / "visviva"))
WIDTH, HEIGHT, MOST_FRAMES = 240, 136, 24
STRIDE = {"quick": 8, "full": 1}.get(os.environ.get("VV_TEST_SIZE"), 4)
SECONDS = None if STRIDE == 1 else 0.04
SLOW = {"splash", "pile", "suspended-armadillo"}  # minutes
LEAST = 0.15  # of the width or the height
MOST_UNSEEN = 0.2  # of the pictures


def call(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


def coloured(r, g, b):
    return max(r, g, b) - min(r, g, b) > 45  # bodies; ground, backdrop, obstacles and shadows are nearly grey


def frames_of(run):
    """All frames, or about so many, with the last one."""
    count = int(re.search(r"(\d+) frames?", call("info", run).stdout).group(1))
    step = max(1, (count - 1) // MOST_FRAMES)
    return sorted({*range(0, count, step), count - 1})


def end_of(scene):
    made = json.loads(scene.read_text())
    if "end" in made.get("time", {}) or "extends" not in made:
        return made["time"]["end"]
    return end_of(scene.parent / made["extends"])


def look(name, run, folder, points=0):
    """Says what is wrong with the pictures of a run, of which some show bodies that are points: a list of sentences."""
    pictures, wrong, unseen, reach = folder / "pictures", [], 0, [WIDTH, HEIGHT, 0, 0]
    pictures.mkdir()
    done = call("render", run, "-o", pictures / "%05d.ppm", "--frames", ",".join(map(str, frames_of(run))), "--size",
                f"{WIDTH}x{HEIGHT}", "--draft", "--quiet")
    if done.returncode != 0 and "OpenGL" in done.stderr:
        print(f"test_scene_pictures: skipped: {done.stderr.strip()}")
        sys.exit(77)
    assert done.returncode == 0, f"{name}: {done.stderr}"
    if done.stderr:
        wrong.append(done.stderr.strip())
    drawn = sorted(pictures.iterdir())
    for picture in drawn:
        box = box_of(read_ppm(picture)[2], coloured)
        picture.unlink()
        if box is None:
            unseen += 1
            continue
        reach = [min(reach[0], box[0]), min(reach[1], box[1]), max(reach[2], box[2]), max(reach[3], box[3])]
        if box[0] < 1 or box[1] < 1 or box[2] > WIDTH - 2 or box[3] > HEIGHT - 2:
            wrong.append(f"frame {picture.stem}: a body reaches the border: {box[:4]} of {WIDTH} x {HEIGHT}")
    pictures.rmdir()
    used = max((reach[2] - reach[0]) / WIDTH, (reach[3] - reach[1]) / HEIGHT)
    if unseen - points > MOST_UNSEEN * len(drawn):
        wrong.append(f"{unseen} of {len(drawn)} pictures show no body")
    if used < LEAST:
        wrong.append(f"bodies use {100 * used:.0f}% of the picture")
    print(f"{name}: {'; '.join(wrong) if wrong else f'in the frame, {100 * used:.0f}% of it used'}", flush=True)
    return wrong


def chosen_scenes():
    scenes = sorted((ROOT / "scenes").glob("**/*.json"))
    turn = int(os.environ.get("VV_TEST_TURN", time.time() // 86400))
    if STRIDE > 1:
        print(f"some of all scenes: VV_TEST_TURN={turn}")
    return scenes[turn % STRIDE::STRIDE]


def main(runs):
    if not os.access(PROGRAM, os.X_OK):
        print("test_scene_pictures: skipped: $VISVIVA is not the program")
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for run in runs:
            wrong += len(look(pathlib.Path(run).stem, run, folder))
        for scene in [] if runs else chosen_scenes():
            name, run = scene.stem, folder / "run.vtkhdf"
            until = min(end_of(scene), SECONDS or (0.5 if name in SLOW else math.inf))
            done = call("run", scene, "--until", until, "--set", "time.record_every=1", "-o", run, "--quiet")
            assert done.returncode == 0, f"{name}: {done.stderr}"
            wrong += len(look(name, run, folder, points=scene.read_text().count('"collapsed"')))
            run.unlink()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
