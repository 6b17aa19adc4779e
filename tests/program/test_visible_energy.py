#!/usr/bin/env python3
"""A short version of experiments/visible-energy, one start and a few steps: it runs, measures, judges and keeps what it ran.

- every scene that ran has a table and its criteria; what does not depend on a run's length is met
- a second call runs nothing and writes the same report
- the picture is XML; scenes of its folder are valid

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "experiments" / "visible-energy"
ALWAYS = ("no intersection", "two free bodies that collide: vector P", "rest:")  # however few the steps


def call(folder, names):
    command = [sys.executable, str(FOLDER / "run.py"), "--quick", "--jobs", "1", "--cache", str(folder / "cache"), "--out", str(folder / "out"),
               "--only", *names]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, (folder / "out" / "RESULTS.md").read_text()


def check(folder, names):
    said, report = call(folder, names)
    assert "starts, " in said, said
    lines = json.loads((folder / "out" / "criteria.json").read_text())
    for name in names:
        if name not in ("rest", "sliders", "drift"):
            assert f"### {name}, " in report, report
            assert any(x["scene"] == name and x["criterion"] == "Newton iterations a step" for x in lines), name
    for x in lines:
        assert x["measured"] and x["wanted"] and "nan" not in x["measured"], x
        assert x["ok"] or not x["criterion"].startswith(ALWAYS), x
    assert "rest" not in names or any(x["criterion"].startswith("rest:") for x in lines)
    xml.etree.ElementTree.parse(folder / "out" / "visible.svg")
    again, second = call(folder, names)
    assert "starts, " not in again and second == report, again


def main():
    program = os.environ.get("VISVIVA", "build/visviva")
    if not os.path.exists(program):
        print("test_visible_energy: skipped: the program is not built")
        return 77
    for scene in sorted((FOLDER / "scenes").glob("*.json")):
        done = subprocess.run([program, "check", str(scene)], capture_output=True, text=True)
        assert done.returncode == 0, f"{scene}: {done.stderr}"
    names = ["free-pair", "rest"] if os.environ.get("VV_TEST_SIZE") != "full" else ["free-pair", "two-balls", "twisted-bar", "rest", "sliders", "drift"]
    with tempfile.TemporaryDirectory(prefix="visviva-visible-test-") as folder:
        check(pathlib.Path(folder), names)
    print("test_visible_energy: done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
