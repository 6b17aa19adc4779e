"""The state of a world: positions, velocities, time, snapshots; and its energy."""
from __future__ import annotations

from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from ._calls import Calls
from ._doc import bound
from ._generated import Bottleneck, Inverted, LedgerTotals, Visible
from ._struct import Floats, Records, copied, dtype, floats, pointer_to, pointer_to_records, record, view
from ._turn import in_turn
from ._values import flag, number, short, word
from ._vv import ffi, lib
from .things import Snapshot

if TYPE_CHECKING:
    from .world import World

LEDGER = dtype("vvLedgerRow")



class State(Calls):
    """Positions, velocities, snapshots, energy."""

    @property
    def positions(self) -> Floats:
        """nodes x 3, m: the world's own memory, read-only, which moves with it. After bodies came or went it is another
        array, and the old one keeps its last content (vvWorldPositions)."""
        return self._view(lib.vvWorldPositions)

    @property
    def velocities(self) -> Floats:
        """nodes x 3, m/s: the state's, in the same way (vvWorldVelocities)."""
        return self._view(lib.vvWorldVelocities)

    @property
    def rest_positions(self) -> Floats:
        """nodes x 3, m: as bodies were placed (vvWorldRestPositions)."""
        return self._view(lib.vvWorldRestPositions)

    @property
    @in_turn
    def masses(self) -> Floats:
        """nodes, kg; 0 in kinematic bodies (vvWorldMasses)."""
        return view(self._read(lib.vvWorldMasses), (self.node_count,))

    @property
    @in_turn
    def visible_velocities(self) -> Floats:
        """nodes x 3, m/s: those of the motion in the last step; a copy (vvWorldVisibleVelocities)."""
        out = np.zeros((self.node_count, 3))
        self._read(lib.vvWorldVisibleVelocities, pointer_to(out))
        return out

    @bound("vvWorldSetState")
    @in_turn
    def set_state(self, positions: Any = None, velocities: Any = None) -> None:
        """Overwrites all positions (m), velocities (m/s), or both: nodes x 3."""
        x, v = self._node_array(positions, "positions"), self._node_array(velocities, "velocities")
        self._call(lib.vvWorldSetState, pointer_to(x), pointer_to(v))

    @in_turn
    def _begin_edit(self) -> tuple[Floats, Floats]:
        x, v = ffi.new("double **"), ffi.new("double **")
        self._call(lib.vvWorldBeginEdit, x, v)
        shape = (self.node_count, 3)
        return view(x[0], shape, writeable=True), view(v[0], shape, writeable=True)

    @contextmanager
    def edit(self) -> Iterator[tuple[Floats, Floats]]:
        """Positions and velocities to write in place, without a copy (vvWorldBeginEdit, vvWorldEndEdit):

            with w.edit() as (x, v):
                x[:, 1] += 0.1

        At the end they are checked, and the change is booked as work. If they are refused, or the block raises, the
        world is as it was. Until then the world may only be read. Slices of the two are not to be written afterwards.
        """
        arrays = self._begin_edit()
        before = arrays[0].copy(), arrays[1].copy()
        try:
            yield arrays
        except BaseException:
            for a, old in zip(arrays, before):
                a[...] = old
            raise
        finally:
            for a in arrays:
                a.flags.writeable = False
            self._call(lib.vvWorldEndEdit)

    @bound("vvWorldInterpolate")
    @in_turn
    def interpolate(self, fraction: float) -> Floats:
        """Positions between the last two steps (nodes x 3, m), from 0 (before the last) to 1 (now)."""
        out = np.empty((self.node_count, 3))
        self._call(lib.vvWorldInterpolate, number(fraction, "fraction"), pointer_to(out))
        return out

    @bound("vvWorldStartPositions")
    @in_turn
    def start_positions(self) -> Floats:
        """The positions that find_intersections() tests (nodes x 3, m)."""
        out = np.empty((self.node_count, 3))
        self._call(lib.vvWorldStartPositions, pointer_to(out))
        return out

    @property
    def time(self) -> float:
        """s (vvWorldTime)."""
        return float(self._read(lib.vvWorldTime))

    @property
    def step_index(self) -> int:
        """Steps made so far (vvWorldStepIndex)."""
        return int(self._read(lib.vvWorldStepIndex))

    @property
    def revision(self) -> int:
        """Goes up when bodies or obstacles come or go (vvWorldRevision)."""
        return int(self._read(lib.vvWorldRevision))

    @property
    def length(self) -> float:
        """m: the diagonal of all that is placed; 0: not known yet (vvWorldLength)."""
        return float(self._read(lib.vvWorldLength))

    @bound("vvWorldSnapshot")
    def snapshot(self) -> Snapshot:
        """Everything, bit for bit, in memory."""
        out = ffi.new("vvSnapshot **")
        self._call(lib.vvWorldSnapshot, out)
        return Snapshot(out[0], deepcopy(self._made))

    @bound("vvWorldRestore")
    def restore(self, snapshot: Snapshot) -> None:
        """Goes back to a snapshot, of this world or any other."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"snapshot: a visviva.Snapshot is needed, not {type(snapshot).__name__}")
        self._call(lib.vvWorldRestore, snapshot._c)
        self._made = deepcopy(snapshot._made)

    def copy(self, threads: int | None = None) -> "World":
        """Another world that continues with the same bits, on as many threads, or on these."""
        from .world import World

        other = World(threads=self._read(lib.vvWorldGetDef).threads if threads is None else threads)
        other.restore(self.snapshot())
        return other

    @bound("vvWorldSaveState", "vvWorldStateSize")
    def save_state(self) -> bytes:
        """What a run needs to continue with the same bits in a world of the same bodies; empty where the world is not
        baked."""
        size = self._read(lib.vvWorldStateSize)
        out = ffi.new("char[]", max(1, size))
        self._call(lib.vvWorldSaveState, out, size)
        return bytes(ffi.buffer(out, size))

    @bound("vvWorldLoadState")
    def load_state(self, state: bytes) -> None:
        """Goes on from a saved state."""
        try:
            data = ffi.from_buffer(state)
        except (TypeError, ValueError):
            raise TypeError(f"state: bytes of save_state() are needed, not {short(state)}") from None
        self._call(lib.vvWorldLoadState, data, len(data))

    @property
    def attachments_hash(self) -> int:
        """The same in worlds whose attachments hold the same nodes in the same way (vvWorldAttachmentsHash)."""
        return int(self._read(lib.vvWorldAttachmentsHash))

    # ---- energy ----

    @bound("vvWorldLedger")
    def ledger(self) -> Any:
        """The last booked row: a record of which all columns are fields."""
        row = np.zeros(1, LEDGER)
        self._call(lib.vvWorldLedger, ffi.cast("vvLedgerRow *", row.ctypes.data))
        return row[0]

    @bound("vvWorldTotals")
    def totals(self) -> LedgerTotals:
        """Sums over the steps since the start."""
        out = ffi.new("vvLedgerTotals *")
        self._read(lib.vvWorldTotals, out)
        return record(out)  # type: ignore[no-any-return]

    @bound("vvWorldBottleneck")
    def bottleneck(self) -> Bottleneck:
        """What costs the most since the world was last baked: the body for which solves go on, and the two bodies with
        the most contact between them."""
        out = ffi.new("vvBottleneck *")
        self._read(lib.vvWorldBottleneck, out)
        return record(out)  # type: ignore[no-any-return]

    @property
    @in_turn
    def body_energies(self) -> Floats:
        """Elastic energy of each body in the last booked row, J (vvWorldBodyEnergies)."""
        count = self._read(lib.vvWorldBodyCount)
        return copied(self._read(lib.vvWorldBodyEnergies), (count,))

    @property
    @in_turn
    def body_visible(self) -> Records:
        """Visible kinetic energy of each body in the last step (vvWorldBodyVisible)."""
        count = self._read(lib.vvWorldBodyCount)
        return copied(self._read(lib.vvWorldBodyVisible), (count,), dtype("vvVisible"))

    @bound("vvWorldMeasureVisible")
    @in_turn
    def measure_visible(self, start: Any, seconds: float) -> tuple[Visible, Records]:
        """The visible kinetic energy of a motion from positions `start` to the present ones: all, and of each body."""
        x = floats(start, (self.node_count, 3), "start")
        whole, bodies = ffi.new("vvVisible *"), np.zeros(max(1, self._read(lib.vvWorldBodyCount)), dtype("vvVisible"))
        self._call(lib.vvWorldMeasureVisible, pointer_to(x), number(seconds, "seconds"), whole, pointer_to_records(bodies, "vvVisible"))
        return record(whole), bodies[: self._read(lib.vvWorldBodyCount)]

    @bound("vvWorldForces")
    @in_turn
    def forces(self, term: str) -> Floats:
        """The forces of a term on all nodes now (`vv.force_terms`): nodes x 3, N."""
        out = np.empty((self.node_count, 3))
        self._call(lib.vvWorldForces, word(term, "term"), pointer_to(out))
        return out

    @bound("vvWorldHessian", "vvSparseDestroy")
    def hessian_arrays(self, term: str, projected: bool = False) -> tuple[Floats, Any, Any]:
        """`hessian` as three arrays, without SciPy: values, columns, and where each row begins in these."""
        out = ffi.new("vvSparse *")
        self._call(lib.vvWorldHessian, word(term, "term"), flag(projected, "projected"), out)
        try:
            count = int(out.count)
            return (np.frombuffer(ffi.buffer(out.value, 8 * count)).copy() if count else np.empty(0),
                    np.frombuffer(ffi.buffer(out.column, 4 * count), np.int32).copy() if count else np.empty(0, np.int32),
                    np.frombuffer(ffi.buffer(out.start, 8 * (out.rows + 1)), np.int64).copy())
        finally:
            lib.vvSparseDestroy(out)

    def hessian(self, term: str, projected: bool = False) -> Any:
        """Second derivatives of a term of the energy by positions now, N/m, three rows and columns a node, as
        scipy.sparse.csr_array: minus the derivatives of `forces(term)`; of "friction" and "damping" by velocities, N s/m.
        `projected`: semidefinite, as solves use it. Rows and columns of nodes that are prescribed are empty."""
        from scipy.sparse import csr_array
        values, columns, start = self.hessian_arrays(term, projected)
        return csr_array((values, columns, start), shape=(3 * self.node_count, 3 * self.node_count))

    @bound("vvWorldInverted")
    def inverted(self) -> Inverted:
        """Elements that are inside out now."""
        out = ffi.new("vvInverted *")
        self._read(lib.vvWorldInverted, out)
        return record(out)  # type: ignore[no-any-return]
