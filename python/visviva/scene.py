"""Scenes: files, or dicts, from which worlds are made."""
from __future__ import annotations

import json
import math
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from ._callbacks import Callbacks, interruptibly
from ._doc import bound
from ._errors import NotPicklable, UsageError, check
from ._generated import SceneTime
from ._keywords import Path
from ._struct import new_error, record, text, thread_allocator
from ._values import path_bytes, short, whole, word
from ._vv import ffi, lib

if TYPE_CHECKING:
    from .world import World


_scenes: "weakref.WeakSet[Scene]" = weakref.WeakSet()


class Scene(NotPicklable):
    """A scene file, or a dict with the content of one.

        vv.Scene("scenes/drop.json", {"integrator.policy": "search", "bodies[0].material.young": 1e5}).world()
    """

    _instead = "Pickle scene.to_dict()."

    @bound("vvSceneLoad", "vvSceneParse", "vvSceneDestroy")
    def __init__(self, source: Path | Mapping[str, Any], overrides: Mapping[str, Any] | None = None, *,
                 folder: Path = ".", name: str = "scene") -> None:
        """Reads and checks it. `overrides` are values by their path in the scene. Relative paths of meshes begin at the
        file's folder, of a dict at `folder`; messages call a dict `name`."""
        thread_allocator()
        rows = [ffi.new("char[]", word(f"{key}={to_json(value)}", "overrides")) for key, value in (overrides or {}).items()]
        listed = ffi.new("char *[]", rows)
        out, error = ffi.new("vvScene **"), new_error()
        if isinstance(source, Mapping):
            status = lib.vvSceneParse(word(to_json(source), "source"), word(name, "name"), path_bytes(folder, "folder"), listed, len(rows), out, error)
        else:
            status = lib.vvSceneLoad(path_bytes(source, "source"), listed, len(rows), out, error)
        check(status, error)
        self._c = ffi.gc(out[0], lib.vvSceneDestroy)
        self._lock = threading.RLock()
        self._making = False
        _scenes.add(self)

    @property
    def name(self) -> str:
        """Its name (vvSceneName)."""
        return text(lib.vvSceneName(self._c))

    @property
    def time(self) -> SceneTime:
        """Time step, end, recorded steps (vvSceneGetTime)."""
        return record(ffi.new("vvSceneTime *", lib.vvSceneGetTime(self._c)))  # type: ignore[no-any-return]

    @property
    def text(self) -> str:
        """Its JSON, with overrides applied and paths of meshes made absolute (vvSceneText)."""
        return text(lib.vvSceneText(self._c))

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
        return json.loads(self.text)  # type: ignore[no-any-return]

    @bound("vvSceneCreateHostedWorld", "vvSceneCreateWorld", "vvSceneSetWatch")
    def world(self, *, threads: int = 0, cancel: Callable[[], bool] | None = None,
              progress: Callable[[str, float], object] | None = None) -> "World":
        """A world of it. `progress(what, part)` is called while surfaces are filled with tets."""
        from .world import World, host

        calls = Callbacks()
        calls.cancel, calls.progress = cancel, progress
        watch, given_host = ffi.new("vvWatch *"), ffi.new("vvHost *")
        watch.cancel, watch.progress, watch.user = lib.vvpy_poll, lib.vvpy_progress, calls.handle
        host(given_host, calls)
        out, error = ffi.new("vvWorld **"), new_error()
        count = whole(threads, "threads")
        with self._lock:
            if self._making:
                raise UsageError("this scene is making a world, of which this is a callback: make another one when that is done")
            self._making = True
            lib.vvSceneSetWatch(self._c, watch)
            try:
                status = interruptibly(lib.vvSceneCreateHostedWorld, self._c, count, given_host, out, error, calls=calls)
            finally:
                lib.vvSceneSetWatch(self._c, ffi.NULL)
                self._making = False
        if out[0]:
            made = World.__new__(World)
            made._adopt(out[0], calls)
            made.scene = self
        calls.raise_pending()
        check(status, error)
        return made

    @bound("vvSceneBodyPath")
    def body_path(self, index: int) -> str | None:
        """Where the scene describes the world's body of that number: "bodies[2]"."""
        out = ffi.new("char[]", 256)
        return text(out) if lib.vvSceneBodyPath(self._c, whole(index, "index"), out, 256) else None

    @bound("vvSceneObstaclePath")
    def obstacle_path(self, index: int) -> str | None:
        """The same for the world's obstacle."""
        out = ffi.new("char[]", 256)
        return text(out) if lib.vvSceneObstaclePath(self._c, whole(index, "index"), out, 256) else None

    @bound("vvSceneWriteExtract")
    def write_extract(self, world: "World", names: Sequence[str], path: Path) -> None:
        """A scene that repeats the next step of a few bodies alone."""
        rows = [ffi.new("char[]", word(name, "names")) for name in names]
        listed = ffi.new("char *[]", rows)
        world._call(lambda w, error: lib.vvSceneWriteExtract(self._c, w, listed, len(rows), path_bytes(path), error))

    @bound("vvSceneWriteState")
    def write_state(self, world: "World", path: Path) -> None:
        """The whole scene as it is now: with the current settings, and positions and velocities inside."""
        world._call(lambda w, error: lib.vvSceneWriteState(self._c, w, path_bytes(path), error))

    def save(self, path: Path) -> None:
        """Writes it to a file."""
        with open(os.fspath(path), "w", encoding="utf-8") as f:
            f.write(self.text)

    def __repr__(self) -> str:
        return f"<visviva.Scene: {self.name!r}>"


def _after_fork_in_child() -> None:
    """A thread that the child has not got may have held it."""
    for scene in list(_scenes):
        scene._lock, scene._making = threading.RLock(), False


os.register_at_fork(after_in_child=_after_fork_in_child)


def to_json(value: Any) -> str:
    """JSON of Python's values and NumPy's; numbers that JSON has not are refused."""

    def plain(v: Any) -> Any:
        if isinstance(v, Mapping):
            return {str(k): plain(x) for k, x in v.items()}
        if isinstance(v, (list, tuple)):
            return [plain(x) for x in v]
        if hasattr(v, "tolist"):
            return plain(v.tolist())
        if isinstance(v, os.PathLike):
            return os.fspath(v)
        if isinstance(v, float) and not math.isfinite(v):
            raise ValueError(f"a scene's numbers are finite; there is {v}")
        return v

    return json.dumps(plain(value))
