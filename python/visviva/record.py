"""Writing run files."""
from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any

from ._doc import bound
from ._errors import NotPicklable, UsageError, check
from ._generated import StepReport
from ._keywords import Path
from ._struct import fill, new_error, record
from ._values import path_bytes, whole, word
from ._vv import ffi, lib

if TYPE_CHECKING:
    from .world import World

# one thread at a time reads or writes a run, or closes it; HDF5 takes turns anyhow, whatever the file
FILES = threading.RLock()
_recorders: "weakref.WeakSet[Recorder]" = weakref.WeakSet()


class Recorder(NotPicklable):
    """A run file that is being written (`World.record`, `World.resume`). As a context manager it is closed at the end.

        with w.record("out/drop.vtkhdf") as r:
            for _ in range(240):
                r.step()
    """

    _instead = "Open its file with visviva.Run."

    def __init__(self, world: "World", pointer: Any, path: str) -> None:
        self.world, self.path = world, path
        self._c: Any = pointer
        self._forks = lib.vvpy_forks()
        self._report = ffi.new("vvStepReport *")
        self._why_not = f"the run {path} is closed; World.resume continues it"
        _recorders.add(self)

    def _open(self) -> Any:
        if self._c is None:
            raise UsageError(self._why_not)
        return self._c

    @bound("vvRunAddStep")
    def step(self, frame: bool = True) -> StepReport:
        """Makes a step, and adds it; with `frame` also the positions."""
        self._open()
        self.world._call(lib.vvWorldStep, self._report)
        with FILES:
            writer = self._open()  # another thread may have closed it
            self.world._call(lambda world, error: lib.vvRunAddStep(writer, world, self._report, error))
        if frame:
            self.frame()
        return record(self._report)  # type: ignore[no-any-return]

    @bound("vvRunAddFrame")
    def frame(self) -> None:
        """Writes a frame with all steps since the last one."""
        with FILES:
            writer = self._open()
            self.world._call(lambda world, error: lib.vvRunAddFrame(writer, world, error))

    @bound("vvRunAddNote")
    def note(self, text: str) -> None:
        """A line that the run says of itself, after the last step: Run.notes has it. Begin a warning with "warning: "."""
        error = new_error()
        with FILES:
            check(lib.vvRunAddNote(self._open(), word(text, "text"), error), error)

    @bound("vvRunReserve")
    def reserve(self, frames: int, rows: int) -> None:
        """Room for so many frames and ledger rows in all."""
        error = new_error()
        with FILES:
            check(lib.vvRunReserve(self._open(), whole(frames, "frames"), whole(rows, "rows"), error), error)

    @bound("vvRunClose")
    def close(self, status: str = "done") -> None:
        """Closes the file, and says in it how the run ended."""
        said, error = word(status, "status"), new_error()
        with FILES:
            if self._c is None:
                return
            writer, self._c = self._c, None
            check(lib.vvRunClose(writer, said, error), error)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, _: object) -> None:
        self.close("done" if kind is None else f"{kind.__name__}: {value}")

    def __del__(self) -> None:
        if getattr(self, "_c", None) is not None and self._forks == lib.vvpy_forks():
            with FILES:
                lib.vvRunClose(self._c, b"not closed", ffi.NULL)
            self._c = None

    def __repr__(self) -> str:
        return f"<visviva.Recorder: {self.path}{'' if self._c is not None else ', closed'}>"


@bound("vvRunCreate", "vvRunResume", "vvDefaultResumeDef")
def start_recording(world: "World", path: Path, name: str | None, text: str | None,
                    resume: dict[str, Any] | None = None) -> Recorder:
    """The writer of a new run, or of one that continues."""
    out = ffi.new("vvRunWriter **")
    if resume is None:
        world.bake()
        given = {"scene_name": name, "scene_text": text}
        words = [ffi.NULL if t is None else ffi.new("char[]", word(t, key)) for key, t in given.items()]
        with FILES:
            world._call(lambda w, error: lib.vvRunCreate(path_bytes(path), w, words[0], words[1], out, error))
    else:
        definition, keep = ffi.new("vvResumeDef *", lib.vvDefaultResumeDef()), []  # type: ignore[var-annotated]
        fill(definition, resume, keep, "resume")
        with FILES:
            world._call(lambda w, error: lib.vvRunResume(path_bytes(path), w, definition, out, error))
    return Recorder(world, out[0], os.fspath(path))


# ---- fork ---------------------------------------------------------------------------------------------------------------


def _after_fork_in_child() -> None:
    """The files that the parent writes are not the child's to write or to close."""
    for recorder in list(_recorders):
        if recorder._c is not None:
            recorder._c = None
            recorder._why_not = f"the run {recorder.path} is written by the process that was there before fork()"
    FILES.release()


# no other thread is within HDF5 meanwhile: the child would wait for it for ever
os.register_at_fork(before=FILES.acquire, after_in_parent=FILES.release, after_in_child=_after_fork_in_child)
