#!/usr/bin/env python3
"""glTF and USD as others read them: Khronos' validator and three.js play the .glb, TinyUSDZ and three.js read the .usda, and
every number is compared with the run's (tests/npm).

Needs node (18 or later) and npm, and the packages that tests/npm/package.json names from the npm registry; they are put into the
build folder. Exit code 77 (skipped, with a message) where that cannot be.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from exports_support import LONG, MIXED, OWN, Run, call, make_runs, need_program, skip

HERE = pathlib.Path(__file__).resolve().parent.parent / "npm"
MODULES = pathlib.Path(os.environ.get("VV_BUILD_DIR", tempfile.gettempdir())) / "tests-npm"


def install():
    """The packages into the build folder, anew when the lock has changed."""
    for program in ("node", "npm"):
        if not shutil.which(program):
            skip(f"{program} is not here (Debian: nodejs npm); glTF and USD are not read by other programs")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip().lstrip("v")
    if int(version.split(".")[0] or 0) < 18:
        skip(f"node {version} is too old: 18 or later is needed")
    lock = hashlib.sha256((HERE / "package-lock.json").read_bytes() + (HERE / "package.json").read_bytes()).hexdigest()
    stamp = MODULES / "installed"
    if not stamp.exists() or stamp.read_text() != lock:
        shutil.rmtree(MODULES, ignore_errors=True)
        MODULES.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, MODULES)
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1",
                               "--fetch-timeout=30000"], cwd=MODULES, capture_output=True, text=True, timeout=300)
        if done.returncode:
            reasons = [line for line in done.stderr.splitlines() if "npm error" in line or "npm ERR" in line]
            skip("npm cannot install the packages of tests/npm (no network?): " + (reasons or ["no reason given"])[0])
        stamp.write_text(lock)
    for name in HERE.glob("*.mjs"):
        shutil.copy(name, MODULES)


def check(script, file, expected):
    path = file.with_name(file.name + ".expected.json")
    path.write_text(json.dumps(expected))
    done = subprocess.run(["node", str(MODULES / script), str(file), str(path)], capture_output=True, text=True, timeout=300)
    print(done.stdout.strip()[-2000:])
    if done.returncode:
        print(done.stderr[-2000:])
    return done.returncode == 0


def check_glb(folder, mixed, long):
    call("export", "mixed.vtkhdf", "-q", "-o", "mixed.glb", cwd=folder)
    good = check("check_glb.mjs", folder / "mixed.glb", mixed.expected())
    call("export", "mixed.vtkhdf", "-q", "-o", "part.glb", "--body", "rope", "--frames", "3:12:4", cwd=folder)
    good &= check("check_glb.mjs", folder / "part.glb", mixed.expected([3, 7, 11], ["rope"]))
    call("export", "mixed.vtkhdf", "-q", "-o", "still.glb", "--frames", "5", cwd=folder)
    good &= check("check_glb.mjs", folder / "still.glb", mixed.expected([5]))
    call("export", "long.vtkhdf", "-q", "-o", "long.glb", cwd=folder)  # in segments
    good &= check("check_glb.mjs", folder / "long.glb", long.expected())
    for last in (128, 129, 256, 257):  # where segments end
        name = f"long{last}.glb"
        call("export", "long.vtkhdf", "-q", "-o", name, "--frames", f"0:{last}", cwd=folder)
        good &= check("check_glb.mjs", folder / name, long.expected(list(range(last + 1))))
    return good


def check_carried(folder, own):
    own.bodies[0]["id"] = "own"
    call("export", "own.vtkhdf", "-q", "-o", "own.glb", cwd=folder)
    call("export", "own.vtkhdf", "-q", "-o", "own.usda", "--velocities", cwd=folder)
    codes = list(range(len(own.times)))
    good = check("check_glb.mjs", folder / "own.glb", own.expected())
    return check("check_usda.mjs", folder / "own.usda", own.expected(rate=30, codes=codes, velocities=True)) and good


def check_usda(folder, mixed, long):
    ids = {"1 soft box \"\u00fc\"": "_1_soft_box____", "cloth": "cloth", "rope": "rope", "box": "box"}
    for run in (mixed, long):
        for body in run.bodies:
            body["id"] = ids[body["name"]]
    call("export", "mixed.vtkhdf", "-q", "-o", "mixed.usda", "--velocities", cwd=folder)
    count = len(mixed.times)
    codes = [*range(count - 1), count - 1.5]  # the last frame comes half an interval early
    good = check("check_usda.mjs", folder / "mixed.usda", mixed.expected(rate=60, codes=codes, velocities=True))
    call("export", "mixed.vtkhdf", "-q", "-o", "part.usda", "--body", "cloth", "--frames", "2:14:6", cwd=folder)
    good &= check("check_usda.mjs", folder / "part.usda",
                  mixed.expected([2, 8, 14], ["cloth"], rate=10, codes=[0, 1, 2], velocities=False))
    call("export", "long.vtkhdf", "-q", "-o", "long.usda", "--frames", "0:100", cwd=folder)
    good &= check("check_usda.mjs", folder / "long.usda",
                  long.expected(list(range(101)), rate=100, codes=list(range(101)), velocities=False))
    return good


def main():
    need_program()
    install()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_runs(folder)
        mixed, long = Run(folder / "mixed.vtkhdf", MIXED), Run(folder / "long.vtkhdf", LONG)
        good = check_glb(folder, mixed, long)
        good &= check_usda(folder, mixed, long)
        good &= check_carried(folder, Run(folder / "own.vtkhdf", OWN))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
