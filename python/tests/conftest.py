"""What the tests of the Python package share."""
import os
import pathlib
import subprocess
import sys

import pytest

import visviva as vv

ROOT = pathlib.Path(__file__).resolve().parents[2]


def ball(cells=3, height=0.2, **how):
    """A world with a ball above a plane, and the ball."""
    w = vv.World(**{"threads": 1, **how})
    w.add_obstacle("plane", friction=0.3)
    body = w.add_body(vv.Mesh.generate("ball", cells=cells), vv.Material("neo-hookean", young=3e4), name="ball",
                      translate=(0, height, 0))
    return w, body


def in_process(code, *args, timeout=300, **environment):
    """Runs code in another process; its output. It fails with that process."""
    found = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=timeout,
                           env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p != str(ROOT / "python")), **environment})
    assert found.returncode == 0, f"ended with {found.returncode}:\n{found.stdout}\n{found.stderr}"
    return found.stdout


@pytest.fixture
def program():
    try:
        return vv.program()
    except vv.UsageError as e:
        pytest.skip(str(e))
