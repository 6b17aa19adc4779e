#!/usr/bin/env python3
"""README.md opens with what ./run makes: the film and the picture of docs/gallery are made again, as ./run makes them, and compared.

They are made where $VV_TEST_SIZE is full; else the test says only whether README.md, ./run and scripts/gallery mean the same pictures, and
test_docs runs ./run for a moment. $VISVIVA is the program. Exit code 77 (skipped, with a message) without it, or where it draws no pictures.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GALLERY = ROOT / "docs/gallery"


def fail(message):
    sys.exit(f"test_default_scene: {message}")


def pixels(path, frame):
    """Frame `frame` as grey values, 320 by 200: a sheet is as high as what it shows, to a few pixels."""
    done = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-vf", f"select=eq(n\\,{frame}),scale=320:200,format=gray", "-frames:v", "1",
                           "-f", "rawvideo", "-"], capture_output=True, check=True)
    return done.stdout


def difference(one, other, frame, other_frame=None):
    a, b = pixels(one, frame), pixels(other, frame if other_frame is None else other_frame)
    if len(a) != len(b) or not a:
        fail(f"{one.name}, frame {frame}: {len(a)} and {len(b)} pixels")
    return sum(abs(x - y) for x, y in zip(a, b)) / len(a)


def frames(path):
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", path],
                          capture_output=True, text=True, check=True)
    return int(done.stdout)


def check_words():
    shown = re.findall(r"!\[[^]]*\]\(docs/gallery/([^)]+)\)", (ROOT / "README.md").read_text())
    if shown[:2] != ["critter-drop.gif", "critter-drop.png"]:
        fail(f"README.md opens with {shown[:2]}")
    for name in ("run", "scripts/gallery"):
        text = (ROOT / name).read_text()
        if ". scripts/default-scene" not in text or len(re.findall("default_pictures|default_run", text)) < 2:
            fail(f"{name} does not take its pictures from scripts/default-scene")
    if (GALLERY / "critter-drop.gif").stat().st_size > 2e6:
        fail("the film of README.md is larger than 2 MB")


def check_pictures(program, folder):
    runs = "default_run {0} backward-euler none -q && default_run {0} filtered-search filtered-search -q && default_pictures {0} {0} --quiet"
    made = subprocess.run(["bash", "-c", "set -eu; program=$1; . scripts/default-scene; " + runs.format(folder), "run", program], cwd=ROOT)
    if made.returncode:
        fail(f"the pictures cannot be made: exit code {made.returncode}")
    film, old = folder / "critter-drop.gif", GALLERY / "critter-drop.gif"
    if frames(film) != frames(old):
        fail(f"the film has {frames(film)} frames, docs/gallery/critter-drop.gif {frames(old)}")
    worst = max(difference(film, old, frame) for frame in range(0, frames(film), 6))
    sheet = difference(folder / "critter-drop.png", GALLERY / "critter-drop.png", 0)
    apart = max(difference(old, old, 0, frame) for frame in (8, 20, 40))
    print(f"grey values differ by {worst:.2f} (film) and {sheet:.2f} (picture) of 255; frames of the film by {apart:.2f}")
    if worst > 0.3 * apart or sheet > 0.3 * apart:
        fail("docs/gallery has other pictures than ./run makes: scripts/gallery critter-drop makes them anew")


def main():
    check_words()
    if os.environ.get("VV_TEST_SIZE") != "full":
        return
    program = os.environ.get("VISVIVA")
    if not program or not os.access(program, os.X_OK):
        print("test_default_scene: skipped, no program in $VISVIVA")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        check_pictures(os.path.abspath(program), pathlib.Path(folder))


main()
