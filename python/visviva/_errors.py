"""Failures of the library as exceptions. A message says what was found, what is allowed and what to do, and names
arguments as they are written in Python."""
from __future__ import annotations

import re
from typing import Any, NoReturn

from ._doc import BOUND
from ._vv import ffi, lib


class Error(Exception):
    """What visviva refused. str() says what was found, where, what is allowed and what to do."""


class InputError(Error, ValueError):
    """A file, a name, a value or an argument is wrong; nothing was changed."""


class FileError(Error, OSError):
    """A file cannot be opened, read or written."""


class OutOfMemory(Error, MemoryError):
    """Out of memory; nothing was changed."""


class SolverError(Error, ArithmeticError):
    """A step found no feasible decrease; the world is as it was."""


class Unsupported(Error, NotImplementedError):
    """Valid, but this build or this combination cannot do it."""


class Cancelled(Error):
    """The caller's own `cancel` said so; the world is as it was."""


class UsageError(Error, RuntimeError):
    """The object cannot be used now: it is closed, in another thread's hands, or was made before a fork()."""


BY_STATUS: dict[int, type[Error]] = {
    lib.VV_ERROR_INPUT: InputError,
    lib.VV_ERROR_IO: FileError,
    lib.VV_ERROR_MEMORY: OutOfMemory,
    lib.VV_ERROR_SOLVER: SolverError,
    lib.VV_ERROR_UNSUPPORTED: Unsupported,
    lib.VV_CANCELLED: Cancelled,
}

# The library names settings by their keys in scene files. Most are Python's keywords, too; these are not.
KEYWORDS = (
    (r"^time\.step\b", "time_step"),
    (r"^time\.begin\b", "start_time"),
    (r"^place\.", ""),
    (r"\bcall vvWorldEndEdit\b", "leave the block of edit()"),
)


def in_python(message: str) -> str:
    """The message with keywords in place of the scene file's keys, and methods in place of C's functions."""
    for key, keyword in KEYWORDS:
        message = re.sub(key, keyword, message)
    return re.sub(r"\bvv[A-Z]\w+", _method, message)


def _method(function: re.Match[str]) -> str:
    name = BOUND.get(function[0], [function[0]])[0]
    of, _, method = name.removesuffix(".__init__").rpartition(".")
    return of.rpartition(".")[2] if method.startswith("__") else method.lstrip("_")


def failure(status: int, message: str) -> Error:
    return BY_STATUS.get(status, Error)(in_python(message))


def check(status: int, error: Any) -> None:
    """Raises what a status that is not VV_OK stands for."""
    if status:
        raise failure(status, ffi.string(error.message).decode("utf-8", "replace"))


class NotPicklable:
    """Objects of the library hold memory, threads and open files, which no pickle carries to another process."""

    _instead = ""

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"a visviva.{name} cannot be pickled, nor copied by the module copy. {self._instead}".rstrip())
