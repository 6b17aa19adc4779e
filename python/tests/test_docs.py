"""docs/python.md: each block runs in a folder of its own and says what the page says; the reference is as it would be
made; README's lines and the notebooks run."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import ROOT, in_process

import visviva as vv

PAGE = (ROOT / "docs" / "python.md").read_text()
NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))
NEEDS = {"matplotlib": "plot_ledger", "scipy": "scipy"}


def jobs(text):
    """(Python block, what follows it as its output)."""
    return re.findall(r"^```python needs=visviva\n(.*?)^```\n(?:```\n(.*?)^```\n)?", text, re.S | re.M)


def skip_without(code):
    for module, word in NEEDS.items():
        if word in code:
            pytest.importorskip(module)


def same(said, printed):
    """Word by word; numbers within 5 % or one unit of the last digit."""
    words, found = said.split(), printed.split()
    if len(words) != len(found):
        return False
    for a, b in zip(words, found):
        x, y = (re.match(r"[\[(]?(-?\d+\.?\d*)(.*)", w) for w in (a, b))
        if x and y and x[2] == y[2]:
            last = 10.0 ** -len(x[1].partition(".")[2])
            if not math.isclose(float(x[1]), float(y[1]), rel_tol=0.05, abs_tol=1.01 * last):
                return False
        elif a != b:
            return False
    return True


@pytest.mark.parametrize("number", range(len(jobs(PAGE))))
def test_jobs_run_as_printed(number, tmp_path):
    code, said = jobs(PAGE)[number]
    skip_without(code)
    printed = in_process(f"import os; os.chdir({str(tmp_path)!r})\n" + code, MPLBACKEND="Agg")
    if said:
        assert same(said, printed), printed


def test_there_are_four_jobs_and_their_output():
    assert len(jobs(PAGE)) == 5 and sum(bool(said) for _, said in jobs(PAGE)) == 4
    assert same("lost 5.0 % [ 5.2 31.2] of", "lost 5.1 % [ 5.3 31.0] of") and not same("a 5.0 b", "a 5.4 b")
    assert not same("a b", "a c") and not same("a b", "a b c")


def test_readme_lines(program, tmp_path):
    (code, _), = jobs((ROOT / "README.md").read_text())
    assert len(code.splitlines()) <= 10
    import shutil
    if not shutil.which("ffmpeg"):
        pytest.skip("ffmpeg is not here")
    in_process(f"import os; os.chdir({str(tmp_path)!r})\n" + code.replace("240", "12"))
    assert (tmp_path / "ball.mp4").stat().st_size > 1000


def test_reference_is_up_to_date():
    found = subprocess.run([sys.executable, str(ROOT / "python" / "reference.py"), "--check"], capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"})
    assert found.returncode == 0, found.stderr


def test_there_are_three_notebooks():
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text())["cells"]
        assert any(c["cell_type"] == "markdown" for c in cells)
        assert all(not c.get("outputs") for c in cells), f"{path.name} is kept without outputs"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebooks_run(path, tmp_path, program):
    pytest.importorskip("matplotlib")
    try:
        import ipykernel  # noqa: F401
        import nbconvert.preprocessors
        import nbformat
    except ImportError:
        run_plainly(path, tmp_path)
        return
    book = nbformat.read(path, as_version=4)
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "VISVIVA": program}
    before = {k: os.environ.get(k) for k in environment}
    os.environ.update(environment)
    try:
        nbconvert.preprocessors.ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(
            book, {"metadata": {"path": str(tmp_path)}})
    finally:
        for k, v in before.items():
            os.environ.pop(k) if v is None else os.environ.update({k: v})
    shown = [o for c in book.cells if c.cell_type == "code" for o in c.outputs]
    assert any("image/png" in o.get("data", {}) for o in shown)


def run_plainly(path, folder):
    """Without Jupyter: the cells one after the other."""
    code = "\n".join("".join(c["source"]) for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code")
    in_process(f"import os; os.chdir({str(folder)!r})\n" + code, MPLBACKEND="Agg")


def test_what_the_page_names_is_there():
    for name in set(re.findall(r"`vv\.(\w+)", PAGE)):
        assert hasattr(vv, name), name
    for name in set(re.findall(r"`w\.(\w+)", PAGE)):
        assert hasattr(vv.World, name), name
    assert pathlib.Path(ROOT / "scripts" / "python-venv").exists()
