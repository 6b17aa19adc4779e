#!/usr/bin/env python3
"""Ctrl-C at any moment of any command: exit code 130, "interrupted" said once, no file half written, no temporary folder left.

$VISVIVA is the program. Exit code 77 (skipped, with a message) without it.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from terminal_support import PROGRAM, call

SCENE = {"visviva": 1, "time": {"step": "1/100", "end": 4},
         "integrator": {"scheme": "backward-euler", "policy": "none"},
         "materials": {"jelly": {"young": 1e5}},
         "bodies": [{"material": "jelly", "mesh": {"box": {"size": [0.2, 0.2, 0.2], "cells": [9, 9, 9]}}}]}
MOMENTS = (0.25,) if os.environ.get("VV_TEST_SIZE") == "quick" else (0.1, 0.25, 0.6)
LONG = {**SCENE, "time": {"step": "1/100", "end": 4000}, "obstacles": [{"plane": {"point": [0, -0.2, 0]}}]}
COMMANDS = {
    "run": ["run", "long.json", "--force"],
    "check": ["check", "run.vtkhdf"],
    "settle": ["settle", "long.json"],
    "render": ["render", "run.vtkhdf", "-o", "frames/", "--size", "1280x720"],
    "sheet": ["sheet", "run.vtkhdf", "--quality", "64"],
    "plot": ["plot", "run.vtkhdf", "-o", "plot.png"],
    "glb": ["export", "run.vtkhdf", "-o", "run.glb"],
    "usda": ["export", "run.vtkhdf", "-o", "run.usda"],
    "ply": ["export", "run.vtkhdf", "-o", "run.ply"],
    "bench": ["bench"],
}


class Interrupt(unittest.TestCase):
    def test_all(self):
        for name, command in COMMANDS.items():
            stopped = 0
            for moment in MOMENTS:
                left = pathlib.Path("tmp")
                left.mkdir(exist_ok=True)
                child = subprocess.Popen([PROGRAM, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                         env=dict(os.environ, TMPDIR=str(left.resolve())), start_new_session=True)
                time.sleep(moment)
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGINT)
                said = child.communicate(timeout=100)[1]
                with self.subTest(name, moment=moment):
                    if child.returncode == 0 or (child.returncode, said) == (-signal.SIGINT, ""):  # was quicker, or had not begun
                        continue
                    stopped += 1
                    self.assertEqual(child.returncode, 130, said)
                    self.assertEqual(said.count("interrupted"), 1, said)
                    self.assertEqual([str(p) for p in pathlib.Path(".").rglob("*.part*")], [])
                    self.assertEqual(list(left.iterdir()), [])
            if name in ("run", "render", "sheet", "bench"):  # others may be quicker than all of them
                self.assertGreater(stopped, 0, name)

    def test_the_file_is_whole(self):
        """However slow the machine: the run is interrupted once its file is there."""
        file = pathlib.Path("out/long.vtkhdf")
        file.unlink(missing_ok=True)
        child = subprocess.Popen([PROGRAM, *COMMANDS["run"]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        while not file.exists() and child.poll() is None:
            time.sleep(0.05)
        time.sleep(0.2)
        os.killpg(child.pid, signal.SIGINT)
        self.assertEqual(child.wait(timeout=100), 130, child.stderr.read())
        child.stderr.close()
        done = call("info", file)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_child_that_does_not_end(self):
        """gnuplot's own handler of Ctrl-C can hang; nobody waits for it for long."""
        fake = pathlib.Path("fake")
        fake.mkdir()
        (fake / "gnuplot").write_text("#!/bin/sh\ntrap '' INT\ntouch started\nwhile :; do sleep 1; done\n")
        (fake / "gnuplot").chmod(0o755)
        child = subprocess.Popen([PROGRAM, "plot", "run.vtkhdf", "-o", "plot.png"], stderr=subprocess.PIPE, text=True,
                                 start_new_session=True, env=dict(os.environ, PATH=f"{fake.resolve()}:{os.environ['PATH']}"))
        while child.poll() is None and not pathlib.Path("started").exists():
            time.sleep(0.05)
        os.killpg(child.pid, signal.SIGINT)
        said = child.communicate(timeout=100)[1]
        self.assertEqual((child.returncode, said.count("interrupted")), (130, 1), said)


if __name__ == "__main__":
    if not PROGRAM:
        print("$VISVIVA names no program")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("run.json").write_text(json.dumps(SCENE))
        pathlib.Path("long.json").write_text(json.dumps(LONG))
        if call("run", "run.json", "-o", "run.vtkhdf").returncode != 0:
            sys.exit("no run to work on")
        unittest.main()
