"""Vibration modes of a body."""
from __future__ import annotations

import os
import threading
import weakref
from typing import Any

import numpy as np

from ._doc import bound
from ._errors import NotPicklable, check
from ._struct import Floats, floats, new_error, pointer_to, view
from ._vv import ffi, lib


_modes: "weakref.WeakSet[Modes]" = weakref.WeakSet()


class Modes(NotPicklable):
    """Vibration modes of a body at rest (`Body.modes`): shapes phi and frequencies omega, K phi = omega^2 M phi."""

    _instead = "Pickle modes.frequencies and modes.shapes."

    def __init__(self, pointer: Any) -> None:
        self._c = ffi.gc(pointer, lib.vvModesDestroy)
        self._lock = threading.Lock()
        _modes.add(self)

    def __len__(self) -> int:
        return int(lib.vvModesCount(self._c))

    @property
    def node_count(self) -> int:
        """Nodes of the body (vvModesNodeCount)."""
        return int(lib.vvModesNodeCount(self._c))

    @property
    def rigid_count(self) -> int:
        """Rigid motions that were left out (vvModesRigidCount)."""
        return int(lib.vvModesRigidCount(self._c))

    @property
    def frequencies(self) -> Floats:
        """omega of each, rad/s, ascending (vvModesFrequency)."""
        return np.array([lib.vvModesFrequency(self._c, i) for i in range(len(self))])

    def shape(self, index: int) -> Floats:
        """nodes x 3: the sum of mass |phi|^2 is 1 (vvModesShape)."""
        index = range(len(self))[index]
        return view(lib.vvModesShape(self._c, index), (self.node_count, 3))

    @property
    def shapes(self) -> Floats:
        """modes x nodes x 3."""
        return np.array([self.shape(i) for i in range(len(self))]).reshape(len(self), self.node_count, 3)

    @bound("vvModesEnergies")
    def energies(self, positions: Any, velocities: Any) -> Floats:
        """The energy (J) in each mode of a motion of the body's nodes, and last that beyond these modes."""
        shape, error = (self.node_count, 3), new_error()
        x, v = floats(positions, shape, "positions"), floats(velocities, shape, "velocities")
        out = np.empty(len(self) + 1)
        with self._lock:
            check(lib.vvModesEnergies(self._c, pointer_to(x), pointer_to(v), pointer_to(out), error), error)
        return out

    def __repr__(self) -> str:
        return f"<visviva.Modes: {len(self)} of {self.node_count} nodes>"


def _after_fork_in_child() -> None:
    """A thread that the child has not got may have held it."""
    for modes in list(_modes):
        modes._lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork_in_child)
