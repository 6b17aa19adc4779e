"""Many worlds at once: actions in, steps on a pool of threads, observations out."""
from __future__ import annotations

import os
import threading
import weakref
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Iterable, Sequence

import numpy as np

from ._calls import end_in_its_process
from ._doc import bound
from ._errors import Error, InputError, NotPicklable, UsageError, check, failure
from ._struct import Floats, Records, floats, integers, new_error, pointer_to, pointer_to_records, text
from ._values import short, whole
from ._vv import ffi, lib
from .state import LEDGER
from .world import World


@dataclass(eq=False)
class Gathered:
    """What a batch's steps gave: a row for each world."""

    positions: Floats  # worlds x nodes x 3, m
    velocities: Floats  # worlds x nodes x 3, m/s
    ledger: Records  # worlds: the last booked rows
    steps_made: Any  # worlds
    failures: dict[int, Error] = field(default_factory=dict)  # by world: why it stopped


_batches: "weakref.WeakSet[Batch]" = weakref.WeakSet()


class Batch(NotPicklable):
    """Worlds that are stepped together on a pool of threads, without Python in between.

        envs = vv.Batch([prototype.copy(threads=1) for _ in range(64)])
        for _ in range(100):
            seen = envs.step(4, nodes=handle, forces=actions)       # 64 x handle x 3, N
            actions = policy(seen.positions, seen.velocities)

    Worlds should have one thread each: more would compete with the batch's. Between its steps each may be used as ever.
    """

    _instead = "Make a batch in each process."

    @bound("vvBatchCreate", "vvBatchDestroy", "vvBatchThreads")
    def __init__(self, worlds: Sequence[World], threads: int = 0, *, gather: Any = None) -> None:
        """Of worlds, on so many threads (0: all cores). `gather` are the nodes whose positions and velocities are
        given, the same in all worlds; None: all, of which the worlds then have equally many."""
        if not isinstance(worlds, Iterable):
            raise TypeError(f"worlds: visviva.World objects are needed, not {short(worlds)}")
        self.worlds = tuple(worlds)
        if not self.worlds:
            raise InputError("worlds: at least one is needed")
        for w in self.worlds:
            if not isinstance(w, World):
                raise TypeError(f"worlds: visviva.World is needed, not {type(w).__name__}")
        out, error = ffi.new("vvBatch **"), new_error()
        check(lib.vvBatchCreate(whole(threads, "threads"), out, error), error)
        self._c: Any = ffi.gc(out[0], partial(end_in_its_process, lib.vvBatchDestroy, lib.vvpy_forks(), ()))
        self._gather = None if gather is None else integers(gather, "gather", (-1,))
        self.threads = int(lib.vvBatchThreads(self._c))
        _batches.add(self)

    def __len__(self) -> int:
        return len(self.worlds)

    def _room(self) -> Gathered:
        count = len(self.worlds)
        nodes = self.worlds[0].node_count if self._gather is None else len(self._gather)
        return Gathered(np.zeros((count, nodes, 3)), np.zeros((count, nodes, 3)), np.zeros(count, LEDGER),
                        np.zeros(count, np.int32))

    def _definition(self, steps: int, nodes: Any, forces: Any, into: Gathered, keep: list[Any]) -> Any:
        count = len(self.worlds)
        d = ffi.new("vvBatchDef *", lib.vvDefaultBatchDef())
        d.worldCount, d.steps = count, whole(steps, "steps")
        keep.append(ffi.new("vvWorld *[]", [w._w for w in self.worlds]))
        d.worlds = keep[-1]
        if (nodes is None) != (forces is None):
            raise InputError("nodes and forces go together")
        if nodes is not None:
            n = integers(nodes, "nodes", (-1,))
            f, shape = floats(forces, None, "forces"), (count, len(n), 3)
            try:
                f = floats(np.broadcast_to(f, shape), shape, "forces")
            except ValueError:
                raise ValueError(f"forces: an array of {' x '.join(map(str, shape))}, or one that NumPy broadcasts to it, is "
                                 f"needed, not {' x '.join(map(str, f.shape))}") from None
            keep += [n, f]
            d.forceNodes, d.forceNodeCount, d.forces = pointer_to(n), len(n), pointer_to(f)
        if self._gather is not None:
            d.gatherNodes, d.gatherNodeCount = pointer_to(self._gather), len(self._gather)
        d.positions, d.velocities = pointer_to(into.positions), pointer_to(into.velocities)
        d.rows, d.stepsMade = pointer_to_records(into.ledger, "vvLedgerRow"), pointer_to(into.steps_made)
        keep += [ffi.new("vvStatus[]", count), ffi.new("vvError[]", count)]
        d.statuses, d.errors = keep[-2:]
        return d

    @bound("vvBatchStep", "vvDefaultBatchDef")
    def step(self, steps: int = 1, *, nodes: Any = None, forces: Any = None, into: Gathered | None = None,
             strict: bool = True) -> Gathered:
        """Makes so many steps of each world, each under `forces` (worlds x nodes x 3 or what NumPy broadcasts to it, N)
        on `nodes`, and gathers. With `strict` a world that fails raises, when all are done, its exception, which has
        the rest as `gathered`; without, `failures` has it. `into` is the result of an earlier call, to be written
        anew."""
        keep: list[Any] = []
        with ExitLocks(self.worlds):
            gathered = self._room() if into is None else into
            if into is not None:
                self._check_room(into)
            definition, error = self._definition(steps, nodes, forces, gathered, keep), new_error()
            if self._c is None:
                raise UsageError("this batch was made before fork(), whose child has none of its threads; make a batch in the child")
            try:
                status = lib.vvBatchStep(self._c, definition, error)
            except BaseException:  # a second Ctrl-C, as the first had ended the call: one is raised
                for w in self.worlds:
                    w._forget()
                raise
        raise_pending(self.worlds)
        gathered.failures = {i: failure(s, text(definition.errors[i].message))
                             for i, s in enumerate(definition.statuses[0: len(self.worlds)]) if s}
        if status and not gathered.failures:  # nothing was stepped
            check(status, error)
        if gathered.failures and strict:
            first = min(gathered.failures)
            raised = failure(status, text(error.message))
            raised.gathered = gathered  # type: ignore[attr-defined]
            raise raised from gathered.failures[first]
        return gathered

    def _check_room(self, into: Gathered) -> None:
        if not isinstance(into, Gathered):
            raise TypeError(f"into: a result of Batch.step is needed, not {short(into)}")
        room = self._room()
        for name in ("positions", "velocities", "ledger", "steps_made"):
            have, want = getattr(into, name), getattr(room, name)
            if have.shape != want.shape or have.dtype != want.dtype or not have.flags.c_contiguous or not have.flags.writeable:
                raise ValueError(f"into.{name}: an array as this batch gives is needed")

    def __repr__(self) -> str:
        return f"<visviva.Batch: {len(self)} worlds, {self.threads} threads>"


class ExitLocks:
    """Holds the worlds while the batch steps them; one signal or exception stops them all."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self.worlds = worlds
        self.held: list[World] = []
        self.taken: list[World] = []  # whose turns were taken for this

    def __enter__(self) -> "ExitLocks":
        watches = [w._watch for w in self.worlds]
        try:
            for w in self.worlds:
                self._hold(w)
                w._owner = threading.get_ident()
                w._calls.together = watches
        except BaseException:
            self.__exit__()
            raise
        return self

    def _hold(self, w: World) -> None:
        if any(w is other for other in self.held):
            raise InputError("worlds: a world comes twice; each may come once")
        me = threading.get_ident()
        if w._turn.get(0) != me:
            self.taken.append(w)
            if w._turn.setdefault(0, me) != me:
                raise w._busy()
        w._refuse_nested()
        if not w.is_open:
            raise UsageError(w._why_not)
        self.held.append(w)

    def __exit__(self, *_: object) -> None:
        for w in self.held:
            w._owner = 0
            w._calls.together = []
            lib.vvpy_go_on(w._w, w._watch)
        me = threading.get_ident()
        for w in self.taken:
            if 0 in w._turn and w._turn[0] == me:
                del w._turn[0]


def raise_pending(worlds: Sequence[World]) -> None:
    """What a signal or a callback raised, the first of it."""
    waiting = [w._calls for w in worlds if w._calls.pending is not None]
    for calls in waiting[1:]:
        calls.pending = None
    for calls in waiting[:1]:
        calls.raise_pending()


# ---- fork ---------------------------------------------------------------------------------------------------------------


def _after_fork_in_child() -> None:
    """The child has none of the pool's threads, so it may not wait for their end."""
    for batch in list(_batches):
        if batch._c is not None:
            ffi.gc(batch._c, None)
            batch._c = None


os.register_at_fork(after_in_child=_after_fork_in_child)
