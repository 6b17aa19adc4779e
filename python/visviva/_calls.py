"""Calls of the library on a world: one thread at a time, failures as exceptions, Ctrl-C let in."""
from __future__ import annotations

import json
import threading
from functools import partial
from threading import get_ident
from typing import Any

import numpy as np

from ._callbacks import Callbacks
from ._errors import InputError, UsageError, check
from ._struct import Floats, Ints, floats, new_error, pointer_to, view
from ._vv import ffi, lib
from ._turn import in_turn
from .handles import TYPES, Body

NULL = ffi.NULL


def end_in_its_process(destroy: Any, forks: int, keep: tuple[Any, ...], pointer: Any) -> None:
    """Destroys what has threads, unless fork() has made another process since: that has none of them and would wait for
    their end. (Garbage may be collected in any handler of fork(), also before ours.) `keep` is needed until it is gone."""
    if forks == lib.vvpy_forks():
        destroy(pointer)


class Calls:
    """A vvWorld, and how it is called."""

    def _adopt(self, pointer: Any, calls: Callbacks) -> None:
        self._calls = calls
        self._watch = ffi.new("vvpy_watch *", {"handle": calls.handle})
        lib.vvpy_set_watch(pointer, self._watch)
        self._w: Any = ffi.gc(pointer, partial(end_in_its_process, lib.vvWorldDestroy, lib.vvpy_forks(),
                                              (calls, self._watch)))
        self._why_not = "this world is closed"
        self._turn: dict[int, int] = {}  # the thread whose turn it is (_turn.py)
        self._life = threading.Lock()  # whether it is there at all
        self._owner = 0  # the thread that is in a call that callbacks may come from
        self._error = new_error()
        self._views: dict[Any, tuple[Any, int, Floats]] = {}
        self._data: dict[Any, Any] = {}
        self._made: dict[Any, dict[str, Any]] = {}  # how things were asked for that the library does not tell again

    def _refuse_nested(self) -> None:
        if self._owner:
            raise UsageError("this world is in a call, of which this is a callback: remember what is to be done, and do "
                             "it when that call has returned")

    def _busy(self) -> UsageError:
        return UsageError("another thread is using this world; different worlds may be used in different threads at the "
                          "same time")

    def _call(self, function: Any, *args: Any) -> None:
        """A function with a status: only one thread at a time, its failure as an exception, and Ctrl-C is let in."""
        me, turn = get_ident(), self._turn
        first = turn.get(0) != me
        try:
            if turn.setdefault(0, me) != me:
                first = False
                raise self._busy()
            self._refuse_nested()
            if self._w is None:
                raise UsageError(self._why_not)
            self._owner = me
            try:
                status = function(self._w, *args, self._error)
            except BaseException:  # a second Ctrl-C, as the first had ended the call: one is raised
                self._forget()
                raise
            finally:
                self._owner = 0
            if status or self._calls.pending is not None:
                self._fail(status)
        finally:
            if first and 0 in turn and turn[0] == me:
                del turn[0]

    def _forget(self) -> None:
        """What ended a call does not end the next one."""
        self._calls.pending = None
        lib.vvpy_go_on(self._w, self._watch)

    def _fail(self, status: int) -> None:
        lib.vvpy_go_on(self._w, self._watch)
        self._calls.raise_pending()
        check(status, self._error)

    def _read(self, function: Any, *args: Any) -> Any:
        """A getter: callbacks of a call may use it, too."""
        me, turn = get_ident(), self._turn
        first = turn.get(0) != me
        try:
            if turn.setdefault(0, me) != me:
                first = False
                raise self._busy()
            if self._w is None:
                raise UsageError(self._why_not)
            return function(self._w, *args)
        finally:
            if first and 0 in turn and turn[0] == me:
                del turn[0]

    @in_turn
    def _list(self, function: Any, *args: Any) -> Ints:
        """Node indices that a getter writes, and counts."""
        count = self._read(function, *args, NULL, 0)
        out = np.empty(count, np.int32)
        self._read(function, *args, pointer_to(out), count)
        return out

    @in_turn
    def _counted(self, function: Any, ctype: str, *args: Any) -> Any:
        """Structs that a function writes, at most as many as there is room for."""
        room, count = 64, ffi.new("int *")
        while True:
            out = ffi.new(f"{ctype}[]", room)
            self._call(function, *args, out, room, count)
            if count[0] <= room:
                return [out[i] for i in range(count[0])]
            room = count[0]

    @in_turn
    def _settings(self, function: Any, *args: Any) -> dict[str, Any]:
        self._calls.settings, before = {}, self._owner
        self._owner = get_ident()  # signals are let in: their handlers shall not close the world
        try:
            self._read(function, *args, lib.vvpy_setting, self._calls.handle)
        finally:
            self._owner = before
        self._calls.raise_pending()
        return {key: json.loads(value, parse_constant=float) for key, value in self._calls.settings.items()}

    def _node_array(self, positions: Any, where: str) -> Floats | None:
        return None if positions is None else floats(positions, (self.node_count, 3), where)

    def _handle(self, ctype: str, id: Any) -> Any:
        world: Any = self
        return TYPES[ctype](world, id) if id.index1 else None

    def _body_id(self, body: Body | None) -> Any:
        if body is None:
            return ffi.new("vvBodyId *")[0]
        if not isinstance(body, Body):
            raise TypeError(f"a visviva.Body is needed, not {type(body).__name__}")
        if body.world is not self:
            raise InputError(f"{body!r} is of another world")
        return body._id

    @in_turn
    def _view(self, function: Any) -> Floats:
        """The same array as long as the library's own is the same one."""
        pointer, count = self._read(function), self._read(lib.vvWorldNodeCount)
        known = self._views.get(function)
        if known is None or known[0] != pointer or known[1] != count:
            known = self._views[function] = (pointer, count, view(pointer, (count, 3)))
        return known[2]

    @property
    def node_count(self) -> int:
        """Nodes of all bodies (vvWorldNodeCount)."""
        return int(self._read(lib.vvWorldNodeCount))
