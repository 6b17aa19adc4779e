"""Pictures and charts: pictures by the program `visviva`, charts by matplotlib."""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from ._built import PROGRAM
from ._errors import Error, UsageError
from ._keywords import Path
from ._struct import Records

if TYPE_CHECKING:
    from .world import World


def program() -> str:
    """The path of the program `visviva`: $VISVIVA, that of the build this package was made from, or one in $PATH."""
    named = os.environ.get("VISVIVA")
    for path in (named, PROGRAM if os.access(PROGRAM, os.X_OK) else None, shutil.which("visviva")):
        if path:
            if not os.access(path, os.X_OK):
                raise UsageError(f"$VISVIVA is {path}, which is no program")
            return path
    raise UsageError("the program visviva was not found: build it (./run, or cmake --build build), put it into $PATH, or name "
                     "it in $VISVIVA")


def call_program(*args: Path) -> str:
    """Runs the program; what it printed."""
    command = [program(), *(os.fspath(a) for a in args)]
    found = subprocess.run(command, capture_output=True, text=True)
    if found.returncode:
        raise Error(f"visviva {args[0]!s} ended with {found.returncode}: {(found.stderr or found.stdout).strip()}")
    return found.stdout


def flags(options: Mapping[str, Any]) -> list[str]:
    """size=(800, 600), wire=True, color_max=2 as the program's options."""
    out: list[str] = []
    for key, value in options.items():
        if value is None or value is False:
            continue
        out.append("--" + key.replace("_", "-"))
        if value is True:
            continue
        if isinstance(value, (list, tuple)):
            value = ("x" if key == "size" else ",").join(str(v) for v in value)
        out.append(str(value))
    return out


def render(runs: Path | Sequence[Path], output: Path | None, **options: Any) -> Any:
    """Draws frames of one run, or of several side by side, by `visviva render`, whose options are keywords."""
    paths: list[Path] = list(runs) if isinstance(runs, (list, tuple)) else [runs]  # type: ignore[list-item]
    folder = None
    if output is None:
        folder = tempfile.mkdtemp(prefix="visviva-")
        output = os.path.join(folder, "picture.png")
    call_program("render", *paths, "--output", output, "--quiet", *flags(options))
    shown = in_notebook(os.fspath(output))
    if shown is not None and folder is not None:
        shutil.rmtree(folder)
    return shown if shown is not None else os.fspath(output)


def in_notebook(path: str) -> Any:
    """What a notebook shows for a picture or a film; None outside of one."""
    try:
        from IPython import get_ipython
        from IPython.display import Image, Video
    except ImportError:
        return None
    if get_ipython() is None:
        return None
    return Video(path, embed=True) if path.endswith(".mp4") else Image(filename=path)


def picture_of_world(world: "World", output: Path | None, options: Mapping[str, Any]) -> Any:
    """A picture of the current state, by way of a run file of one frame."""
    with tempfile.TemporaryDirectory(prefix="visviva-") as folder:
        run = os.path.join(folder, "now.vtkhdf")
        world.record(run).close()
        return render(run, output, **{"label": "", "frame": 0, **options})


ENERGIES = ("kinetic", "elastic", "gravity", "contact", "attachment", "joint", "total", "target")


def plot_ledger(ledgers: Records | Mapping[str, Records], columns: Sequence[str] = ("total", "target"),
                axes: Any = None) -> Any:
    """A chart of a ledger's columns over time, or of several ledgers by name; needs matplotlib. Returns its axes."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("charts need matplotlib (Debian: python3-matplotlib)") from None
    if axes is None:
        axes = plt.subplots(figsize=(8, 4))[1]
    named = ledgers if isinstance(ledgers, Mapping) else {"": ledgers}
    for name, rows in named.items():
        for column in columns:
            axes.plot(rows["time"], rows[column], label=" ".join(filter(None, (name, column))))
    axes.set_xlabel("time (s)")
    axes.set_ylabel("energy (J)")
    axes.legend()
    return axes
