#!/usr/bin/env python3
"""Point caches as Blender plays them: the evaluated meshes of every frame are compared with the run's positions, set up once by the
exported script and once by Blender's OBJ importer and a Mesh Cache modifier, as docs/exports.md says.

Exit code 77 (skipped, with a message) where Blender is not installed.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from exports_support import LONG, MIXED, OWN, Run, call, make_runs, need_program, skip

# what has a thickness of its own (m) is shown as thick as it is
THICK = {
    "visviva": 1, "name": "thick", "time": {"step": "1/60", "end": "6/60"},
    "integrator": {"scheme": "backward-euler", "policy": "none"},
    "materials": {"steel": {"model": "rod-stretch", "young": 1e6, "density": 1000, "thickness": 0.012},
                  "felt": {"model": "neo-hookean-membrane", "young": 1e5, "poisson": 0.3, "density": 300, "thickness": 0.02}},
    "bodies": [{"name": "rod", "material": "steel", "mesh": {"chain": {"length": 0.5, "nodes": 9}}},
               {"name": "sheet", "material": "felt", "mesh": {"cloth": {"size": [0.4, 0.4], "cells": [4, 4]}}, "place": {"translate": [0, 0.3, 0]}}],
}
THICKNESS = {"rod": 0.012, "sheet": 0.02}

CHECK = pathlib.Path(__file__).resolve().parent / "blender_check.py"


def blender(folder, what, expected, *arguments, script=None):
    path = folder / f"{what}.expected.json"
    path.write_text(json.dumps(expected))
    setup = ["--python", str(folder / script)] if script else []
    done = subprocess.run(["blender", "--background", "--factory-startup", "--python-exit-code", "3", *setup, "--python", str(CHECK),
                           "--", str(path), *map(str, arguments)], capture_output=True, text=True, cwd=folder, timeout=300)
    said = [line for line in done.stdout.splitlines() if line.startswith(("EQUAL", "WRONG"))]
    print(f"{what}: {' '.join(said)}")
    if done.returncode or not said or not said[0].startswith("EQUAL"):
        print(done.stdout[-1500:], done.stderr[-1500:])
        return False
    return True


def samples(frames, times, rate):
    """Evenly spaced in time: where a frame lies there, that; else mixed from its neighbours."""
    out = []
    for s in range(int((times[-1] - times[0]) * rate + 1e-4) + 1):
        time = times[0] + s / rate
        after = next((i for i, t in enumerate(times) if t >= time - 1e-6), len(times) - 1)
        if abs(times[after] - time) < 1e-6:
            out.append(frames[after])
        else:
            part = (time - times[after - 1]) / (times[after] - times[after - 1])
            out.append([(1 - part) * a + part * b for a, b in zip(frames[after - 1], frames[after])])
    return out


def expected(run, rate, stride, frames=None):
    frames = list(range(len(run.times))) if frames is None else frames
    times = [run.times[f] for f in frames]
    bodies = [{"name": b["name"], "triangles": b["triangles"], "thickness": THICKNESS.get(b["name"], 0),
               "samples": samples([b["frames"][f] for f in frames], times, rate)} for b in run.bodies]
    return {"bodies": bodies, "stride": stride, "fps": rate / stride, "up": run.up, "obstacles": run.obstacles,
            "end": 1 + (len(bodies[0]["samples"]) - 1) // stride}


def merged(folder):
    """Frames of 0.01 s and then of 0.025 s: a run that went on with another step."""
    call("run", "long.json", "-q", "--until", "0.2", "-o", "uneven.vtkhdf", cwd=folder)
    call("run", "uneven.vtkhdf", "--resume", "-q", "--until", "0.6", "--set", "time.step=0.025", cwd=folder)
    run = Run(folder / "uneven.vtkhdf", LONG)
    if run.times[-1] < 0.22:
        sys.exit("WRONG: the run did not go on")
    return run


def main():
    need_program()
    if not shutil.which("blender"):
        skip("blender is not here (Debian: apt-get install --no-install-recommends blender); point caches are not played")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_runs(folder)
        mixed, long, uneven = Run(folder / "mixed.vtkhdf", MIXED), Run(folder / "long.vtkhdf", LONG), merged(folder)
        call("export", "mixed.vtkhdf", "-q", "-o", "mixed.pc2", cwd=folder)
        good = blender(folder, "several bodies", expected(mixed, 60, 1), script="mixed.blender.py")
        call("export", "mixed.vtkhdf", "-q", "-o", "cloth.pc2", "--body", "cloth", "--frames", "2:12:2", cwd=folder)
        one = expected(mixed, 30, 1, list(range(2, 13, 2)))
        one["bodies"] = [b for b in one["bodies"] if b["name"] == "cloth"]
        good &= blender(folder, "by hand", one, folder / "cloth_mesh.obj", folder / "cloth.pc2")
        own = expected(Run(folder / "own.vtkhdf", OWN), 30, 1)
        call("export", "own.vtkhdf", "-q", "-o", "own.pc2", cwd=folder)
        good &= blender(folder, "one's own model", own, script="own.blender.py")
        own["bodies"][0]["triangles"] = [0] * 3 * 6  # six faces, four corners each
        good &= blender(folder, "one's own model, by hand", own, folder / "own.obj", folder / "own.pc2")
        call("export", "long.vtkhdf", "-q", "-o", "long.pc2", "--frames", "0:60", cwd=folder)
        good &= blender(folder, "100 samples a second, z up", expected(long, 100, 2, list(range(61))), script="long.blender.py")
        (folder / "thick.json").write_text(json.dumps(THICK))
        call("run", "thick.json", "-q", "-o", "thick.vtkhdf", cwd=folder)
        call("export", "thick.vtkhdf", "-q", "-o", "thick.pc2", cwd=folder)
        good &= blender(folder, "a rod and a sheet as thick as they are", expected(Run(folder / "thick.vtkhdf", THICK), 60, 1),
                        script="thick.blender.py")
        call("export", "uneven.vtkhdf", "-q", "-o", "uneven.pc2", cwd=folder)
        good &= blender(folder, "uneven frames", expected(uneven, 100, 2), script="uneven.blender.py")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
