"""The package passes mypy's strict checks, and mypy finds wrong keywords, words and types in its use."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import visviva as vv

pytest.importorskip("mypy")
PACKAGE = pathlib.Path(vv.__file__).parent

GOOD = """
import numpy as np
import visviva as vv

w = vv.World(time_step=1 / 120, policy="filtered-search", contact={"friction": 0.3}, solver="lbfgs")
o = w.add_obstacle("plane", friction=0.3)
b = w.add_body(vv.Mesh.generate("ball"), vv.Material("neo-hookean", young=3e4), translate=(0, 0.2, 0))
c = w.add_body(vv.Mesh.generate("box"), {"model": "affine", "damping": {"drag": 0.1}}, translate=np.zeros(3))
a = b.attach("fixed", where=vv.percent((0, 90, 0), (100, 100, 100)))
w.add_joint("hinge", bodies=(b, c), at=(0, 0, 0), axis=(0, 0, 1))
height: float = float(w.positions[:, 1].mean())
report: vv.World = w
step = w.step_with_report()
ends: str = step.end
hit = w.cast_ray((0, 1, 0), (0, -1, 0))
if hit is not None and hit.body is not None:
    hit.body.apply_force((0, 1, 0))
rows = w.run(3)
batch = vv.Batch([w, w.copy()])
batch.step(nodes=[0], forces=(0, 0, 1)).positions.sum()
"""

# a line, and a word of what mypy says of it
BAD = [
    ("vv.World(timestep=1.0)", "timestep|unknown|NoReturn"),
    ("vv.World(time_step='1')", "time_step"),
    ("vv.World(contact={'frction': 0.3})", "contact.*incompatible"),
    ("vv.World().add_body(vv.Mesh.generate('box'), {'model': 'affine', 'yuong': 1.0})", "yuong|incompatible"),
    ("vv.World().add_body('box')", "mesh|incompatible"),
    ("vv.World().bodies[0].attach('fixd')", "fixd|incompatible"),
    ("vv.World().bodies[0].attach('fixed', where={'kind': 'everywhere'})", "everywhere|incompatible"),
    ("vv.World().step_with_report().iterations", "iterations"),
    ("vv.World().cast_ray((0, 1, 0), (0, -1, 0)).point", "None"),
    ("vv.Material('affine', yung=1.0)", "yung|NoReturn"),
    ("vv.World().set_solver(tolerence=1.0)", "tolerence|NoReturn"),
    ("vv.Run('a').positions('last')", "incompatible"),
]


def mypy(*arguments, folder):
    environment = {**os.environ, "MYPYPATH": str(folder), "MYPY_CACHE_DIR": str(folder / "cache")}
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--no-error-summary", *arguments],
                          capture_output=True, text=True, cwd=folder, env=environment)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With a copy of the package, as mypy leaves that in site-packages unchecked."""
    made = tmp_path_factory.mktemp("mypy")
    shutil.copytree(PACKAGE, made / "visviva", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return made


def test_the_package_is_strictly_typed(folder):
    found = mypy("-p", "visviva", folder=folder)
    assert found.returncode == 0, found.stdout + found.stderr


def test_use_of_it_is_typed(folder):
    (folder / "good.py").write_text(GOOD)
    found = mypy("good.py", folder=folder)
    assert found.returncode == 0, found.stdout + found.stderr


def test_wrong_use_is_found(folder):
    (folder / "bad.py").write_text("import visviva as vv\n" + "\n".join(line for line, _ in BAD) + "\n")
    found = mypy("bad.py", folder=folder)
    for number, (line, words) in enumerate(BAD, 2):
        said = "\n".join(s for s in found.stdout.splitlines() if s.startswith(f"bad.py:{number}:"))
        assert re.search(words, said), f"{line}: {said!r}"
