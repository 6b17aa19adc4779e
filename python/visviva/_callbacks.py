"""What the library calls back. An exception in a callback ends the library's call, if it can be ended, and is raised
by the Python function that made it; it never crosses C."""
from __future__ import annotations

import logging
import threading
from typing import Any, Callable

from ._struct import text
from ._vv import ffi, lib

logger = logging.getLogger("visviva")


class Callbacks:
    """The receiver of one world's, or one call's, callbacks: `pending` is the exception that waits to be raised."""

    def __init__(self) -> None:
        self.handle = ffi.new_handle(self)
        self.pending: BaseException | None = None
        self.cancel: Callable[[], bool] | None = None
        self.progress: Callable[[str, float], object] | None = None
        self.frames: Callable[[int, int], object] | None = None
        self.settings: dict[str, str] = {}
        self.messages: list[str] = []
        self.drawn: dict[str, list[Any]] = {}
        self.together: list[Any] = []  # the vvpy_watch of all worlds that are stepped in one call

    def raise_pending(self) -> None:
        pending, self.pending = self.pending, None
        if pending is not None:
            raise pending


class Nested(threading.local):
    """The receivers of the thread's calls of interruptibly(), one within another; the library knows how many these are."""

    def __init__(self) -> None:
        self.receivers: list[Callbacks] = []


_nested = Nested()


def interruptibly(function: Callable[..., int], *args: Any, calls: Callbacks | None = None) -> int:
    """A function of the library that works on no world: a signal whose handler raises ends it. Returns its status. With
    `calls` given, their `cancel` ends it, too, and the caller raises what is pending."""
    receiver = Callbacks() if calls is None else calls
    nested, depth = _nested.receivers, lib.vvpy_watched()
    nested[depth:] = [receiver]  # also in place of one that a signal has left there
    try:
        lib.vvpy_watch_thread(depth, receiver.handle)
        status = function(*args)
    finally:
        lib.vvpy_unwatch_thread(depth)  # at once: a signal comes in after it
        del nested[depth:]
    if calls is None:
        receiver.raise_pending()
    return status


def _keep(exception: type[BaseException], value: BaseException, traceback: Any) -> None:
    """What was raised within a callback, by its code or as a signal came in, waits in its receiver."""
    at = traceback
    while at is not None:
        where = at.tb_frame.f_locals
        handle = where.get("user", where.get("handle"))
        if isinstance(handle, ffi.CData):
            receiver = ffi.from_handle(handle)
            if receiver.pending is None:
                receiver.pending = value
            for watch in receiver.together:
                lib.vvpy_stop(watch)
            return None
        at = at.tb_next
    return None


def _let_signals_in() -> None:
    """Python runs the handlers of signals where a function begins."""


@ffi.def_extern(error=True, onerror=_keep)  # type: ignore[misc]
def vvpy_poll(handle: Any) -> bool:
    receiver: Callbacks = ffi.from_handle(handle)
    _let_signals_in()
    if receiver.pending is not None:
        return True
    return receiver.cancel is not None and bool(receiver.cancel())


@ffi.def_extern(onerror=_keep)  # type: ignore[misc]
def vvpy_log(user: Any, level: int, message: Any) -> None:
    receiver: Callbacks = ffi.from_handle(user)
    line = text(message)
    receiver.messages.append(line)
    del receiver.messages[:-1000]
    logger.log(logging.WARNING if level else logging.INFO, "%s", line)


@ffi.def_extern(onerror=_keep)  # type: ignore[misc]
def vvpy_progress(user: Any, what: Any, done: float) -> None:
    receiver: Callbacks = ffi.from_handle(user)
    if receiver.progress is not None and receiver.pending is None:
        receiver.progress(text(what), done)


@ffi.def_extern(onerror=_keep)  # type: ignore[misc]
def vvpy_frames(user: Any, done: int, total: int) -> None:
    receiver: Callbacks = ffi.from_handle(user)
    if receiver.frames is not None and receiver.pending is None:
        receiver.frames(done, total)


@ffi.def_extern(onerror=_keep)  # type: ignore[misc]
def vvpy_setting(user: Any, key: Any, json: Any) -> None:
    ffi.from_handle(user).settings[text(key)] = text(json)


@ffi.def_extern(onerror=_keep)  # type: ignore[misc]
def vvpy_point(user: Any, at: Any, size: float, colour: int) -> None:
    ffi.from_handle(user).drawn["points"].append((*at[0:3], size, colour))


@ffi.def_extern(onerror=_keep)  # type: ignore[misc]
def vvpy_segment(user: Any, start: Any, end: Any, colour: int) -> None:
    ffi.from_handle(user).drawn["segments"].append((*start[0:3], *end[0:3], colour))


@ffi.def_extern(onerror=_keep)  # type: ignore[misc]
def vvpy_triangle(user: Any, corners: Any, normal: Any, colour: int) -> None:
    ffi.from_handle(user).drawn["triangles"].append((*corners[0:9], *normal[0:3], colour))


@ffi.def_extern(onerror=_keep)  # type: ignore[misc]
def vvpy_text(user: Any, at: Any, words: Any, colour: int) -> None:
    ffi.from_handle(user).drawn["texts"].append((tuple(at[0:3]), text(words), colour))
