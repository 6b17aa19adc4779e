"""Reading run files."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from ._callbacks import Callbacks
from ._doc import bound
from ._errors import InputError, NotPicklable, UsageError, check
from ._generated import RunBody as RunBodyRecord
from ._generated import RunKeywords, RunLengths, RunPassing, RunShown, Stiffness
from ._keywords import Path
from ._struct import (Floats, Ints, Records, copied, dtype, fill, floats, new_error, pointer_to, record, text, thread_allocator,
                      view)
from ._values import number, path_bytes, whole
from ._vv import ffi, lib
from .mesh import Mesh, vtk_grid
from .record import FILES

if TYPE_CHECKING:
    from .world import World

LEDGER = dtype("vvLedgerRow")


def _free(run: Any) -> None:
    with FILES:
        lib.vvRunFree(run)


class RunBody:
    """A body of a run: its elements, with the run's node indices."""

    def __init__(self, run: "Run", index: int) -> None:
        self.run, self.index = run, index
        with FILES:
            self.about: RunBodyRecord = record(self._b)

    @property
    def _b(self) -> Any:
        return lib.vvRunGetBody(self.run._c, self.index)

    @property
    def name(self) -> str:
        """As in the world."""
        return self.about.name

    @property
    def nodes(self) -> slice:
        """Its nodes in positions(frame)."""
        with FILES:
            return slice(self._b.firstNode, self._b.firstNode + self._b.nodeCount)

    @property
    def tets(self) -> Ints:
        """m x 4 nodes of the run."""
        with FILES:
            return copied(self._b.tets, (self._b.tetCount, 4), np.int32)

    @property
    def tets10(self) -> Ints:
        """m x 10 nodes of the run, of a body of order 2: as Mesh.tets10; `tets` are eight of each."""
        with FILES:
            return copied(self._b.tets10, (self._b.tet10Count, 10), np.int32)

    @property
    def triangles(self) -> Ints:
        """m x 3 nodes of the run."""
        with FILES:
            return copied(self._b.triangles, (self._b.triangleCount, 3), np.int32)

    @property
    def edges(self) -> Ints:
        """m x 2 nodes of the run."""
        with FILES:
            return copied(self._b.edges, (self._b.edgeCount, 2), np.int32)

    @property
    def drawn_triangles(self) -> Ints:
        """m x 3 vertices of the run (vertices(frame)): the carried surface if there is one."""
        with FILES:
            return copied(self._b.drawnTriangles, (self._b.drawnTriangleCount, 3), np.int32)

    @property
    def colour(self) -> int | None:
        """As the run's scene has it, 0xrrggbb in sRGB; None: it gives none (vvRunBody.colour)."""
        with FILES:
            found = int(self._b.colour)
        return None if found < 0 else found

    @property
    def uvs(self) -> Floats | None:
        """triangles x 3 x 2 texture coordinates of what is drawn; None: none."""
        with FILES:
            return copied(self._b.uvs, (self._b.drawnTriangleCount, 3, 2)) if self._b.uvs else None

    def __repr__(self) -> str:
        return f"<visviva.RunBody: {self.name!r}>"


class Run(RunKeywords, NotPicklable):
    """A run file.

        run = vv.Run("out/drop.vtkhdf")
        run.ledger["error"].sum(), run.positions(-1), run.mesh(10)

    It can be read while it is still being written; frames that come later are not seen. As a context manager it is
    closed at the end.
    """

    _instead = "Pickle its path."

    @bound("vvRunOpen", "vvRunFree")
    def __init__(self, path: Path) -> None:
        """Opens a run."""
        thread_allocator()
        out, error = ffi.new("vvRun **"), new_error()
        with FILES:
            check(lib.vvRunOpen(path_bytes(path), out, error), error)
        self.path = os.fspath(path)
        self._run: Any = ffi.gc(out[0], _free)
        self._exporting = False

    @property
    def _c(self) -> Any:
        if self._run is None:
            raise InputError(f"the run {self.path} is closed")
        return self._run

    def close(self) -> None:
        """Closes the file."""
        with FILES:
            if self._exporting:
                raise UsageError("this run is being exported, of which this is a callback: close it when that is done")
            if self._run is not None:
                ffi.release(self._run)
                self._run = None

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, function: Any, *args: Any) -> None:
        error = new_error()
        with FILES:
            check(function(self._c, *args, error), error)

    def _read(self, function: Any, *args: Any) -> Any:
        with FILES:
            return function(self._c, *args)

    def _text(self, function: Any) -> str:
        with FILES:
            return text(function(self._c))

    def _frame(self, frame: int) -> int:
        count, frame = len(self), whole(frame, "frame")
        if not -count <= frame < count:
            raise IndexError(f"frame {frame}: there are {count}")
        return frame % count

    # ---- what it is ----

    def __len__(self) -> int:
        """How many frames it has (vvRunFrameCount)."""
        return int(self._read(lib.vvRunFrameCount))

    @property
    def scene_name(self) -> str:
        """(vvRunSceneName)"""
        return self._text(lib.vvRunSceneName)

    @property
    def scene_text(self) -> str:
        """The scene's JSON; "": there is none (vvRunSceneText)."""
        return self._text(lib.vvRunSceneText)

    @property
    def status(self) -> str:
        """How it ended; "running" if it was cut off (vvRunStatusText)."""
        return self._text(lib.vvRunStatusText)

    @property
    def scheme(self) -> str:
        """(vvRunScheme)"""
        return self._text(lib.vvRunScheme)

    @property
    def policy(self) -> str:
        """(vvRunPolicy)"""
        return self._text(lib.vvRunPolicy)

    @property
    def contact_model(self) -> str:
        """(vvRunContactModel)"""
        return self._text(lib.vvRunContactModel)

    @property
    def time_step(self) -> float:
        """s (vvRunTimeStep)."""
        return float(self._read(lib.vvRunTimeStep))

    @property
    def gravity(self) -> Floats:
        """m/s^2 (vvRunGravity)."""
        out = ffi.new("double[3]")
        self._read(lib.vvRunGravity, out)
        return np.array(list(out))

    @property
    def lengths(self) -> RunLengths | None:
        """What its lengths were in metres (vvRunGetLengths)."""
        out = ffi.new("vvRunLengths *")
        return record(out) if self._read(lib.vvRunGetLengths, out) else None

    @property
    def stiffness(self) -> Stiffness | None:
        """The stiffness of contact (vvRunGetStiffness)."""
        out = ffi.new("vvStiffness *")
        return record(out) if self._read(lib.vvRunGetStiffness, out) else None

    @property
    def shows_motion(self) -> bool:
        """Whether velocities(frame) are those of the motion (vvRunShowsMotion)."""
        return bool(self._read(lib.vvRunShowsMotion))

    @property
    def knows_bending(self) -> bool:
        """Whether bending_energy is known (vvRunKnowsBending)."""
        return bool(self._read(lib.vvRunKnowsBending))

    @property
    def node_count(self) -> int:
        """(vvRunNodeCount)"""
        return int(self._read(lib.vvRunNodeCount))

    @property
    def vertex_count(self) -> int:
        """Nodes, and vertices of carried surfaces (vvRunVertexCount)."""
        return int(self._read(lib.vvRunVertexCount))

    @property
    def bodies(self) -> list[RunBody]:
        """(vvRunBodyCount, vvRunGetBody)"""
        return [RunBody(self, i) for i in range(self._read(lib.vvRunBodyCount))]

    @property
    def changes(self) -> list[tuple[int, str]]:
        """Where it went on with other settings: after which ledger row, and what changed (vvRunChangeCount,
        vvRunChange)."""
        row, out = ffi.new("int *"), []
        for i in range(self._read(lib.vvRunChangeCount)):
            with FILES:
                what = text(self._read(lib.vvRunChange, i, row))
            out.append((row[0], what))
        return out

    @property
    def notes(self) -> list[tuple[int, str]]:
        """What was said while it was made, warnings and notes: after which ledger row, and the text (vvRunNoteCount,
        vvRunNote)."""
        row, out = ffi.new("int *"), []
        for i in range(self._read(lib.vvRunNoteCount)):
            with FILES:
                what = text(self._read(lib.vvRunNote, i, row))
            out.append((row[0], what))
        return out

    @property
    def made_by(self) -> str:
        """The version of visviva, the processor and the number of threads (vvRunMadeBy)."""
        return self._text(lib.vvRunMadeBy)

    def obstacles(self) -> list[dict[str, Any]]:
        """Type, values and samples of each (vvRunObstacleCount, vvRunObstacle, vvRunObstacleSamples)."""
        out = []
        with FILES:
            for i in range(self._read(lib.vvRunObstacleCount)):
                values, count, counts = ffi.new("double **"), ffi.new("int *"), ffi.new("int[3]")
                kind = text(lib.vvRunObstacle(self._c, i, values, count))
                samples = self._read(lib.vvRunObstacleSamples, i, counts)
                shape = (counts[2], counts[1], counts[0])
                out.append({"type": kind, "values": copied(values[0], (count[0],)),
                            "samples": copied(samples, shape) if samples else None})
        return out

    @bound("vvRunObstacleMesh")
    def obstacle_mesh(self, index: int, size: float = 1) -> Mesh:
        """A surface to draw an obstacle by; of one without an end, a part of that size (m)."""
        which = whole(index, "index"), number(size, "size")
        return Mesh._made(lambda mesh, error: self._read(lib.vvRunObstacleMesh, *which, mesh, error))

    # ---- the ledger ----

    @property
    def ledger(self) -> Records:
        """All rows, the start first, as a structured array (vvRunRowCount, vvRunReadRows)."""
        rows = np.zeros(self._read(lib.vvRunRowCount), LEDGER)
        self._call(lib.vvRunReadRows, 0, len(rows), ffi.cast("vvLedgerRow *", rows.ctypes.data))
        return rows

    def dataframe(self) -> Any:
        """The ledger as pandas.DataFrame, indexed by time; vectors become columns x, y, z."""
        return dataframe(self.ledger)

    @property
    def body_energies(self) -> Floats:
        """Elastic energy of each body: rows x bodies, J (vvRunReadBodyEnergies)."""
        out = np.zeros((self._read(lib.vvRunRowCount), self._read(lib.vvRunBodyCount)))
        self._call(lib.vvRunReadBodyEnergies, 0, len(out), pointer_to(out))
        return out

    @property
    def body_visible(self) -> Records:
        """Visible kinetic energy of each body: rows x bodies (vvRunReadBodyVisible)."""
        out = np.zeros((self._read(lib.vvRunRowCount), self._read(lib.vvRunBodyCount)), dtype("vvVisible"))
        self._call(lib.vvRunReadBodyVisible, 0, len(out), ffi.cast("vvVisible *", out.ctypes.data))
        return out

    @property
    def phases(self) -> Floats:
        """Seconds in each phase of each step: steps x phases, named by visviva.phases() (vvRunReadPhases)."""
        out = np.zeros((max(0, self._read(lib.vvRunRowCount) - 1), lib.VV_PHASE_COUNT))
        self._call(lib.vvRunReadPhases, 0, len(out), pointer_to(out))
        return out

    # ---- frames ----

    @property
    def times(self) -> Floats:
        """s, of each frame (vvRunFrameTime)."""
        return np.array([self._read(lib.vvRunFrameTime, i) for i in range(len(self))])

    @property
    def steps(self) -> Any:
        """Steps before each frame (vvRunFrameStep)."""
        return np.array([self._read(lib.vvRunFrameStep, i) for i in range(len(self))], np.int64)

    @bound("vvRunReadFrame")
    def positions(self, frame: int) -> Floats:
        """nodes x 3, m; -1: the last frame."""
        out = np.empty((self.node_count, 3))
        self._call(lib.vvRunReadFrame, self._frame(frame), pointer_to(out), ffi.NULL)
        return out

    @bound("vvRunReadFrame")
    def velocities(self, frame: int) -> Floats:
        """nodes x 3, m/s: those of the motion."""
        out = np.empty((self.node_count, 3))
        self._call(lib.vvRunReadFrame, self._frame(frame), ffi.NULL, pointer_to(out))
        return out

    @bound("vvRunReadStateVelocities")
    def state_velocities(self, frame: int) -> Floats:
        """nodes x 3, m/s: what the next step begins with."""
        out = np.empty((self.node_count, 3))
        self._call(lib.vvRunReadStateVelocities, self._frame(frame), pointer_to(out))
        return out

    @bound("vvRunLoadFrame")
    def load_frame(self, frame: int, world: World) -> None:
        """Puts a world of the run's scene into the state of a frame: for fields, forces, and all else that worlds are
        asked."""
        at = self._frame(frame)
        with FILES:
            world._call(lambda w, error: lib.vvRunLoadFrame(self._c, at, w, error))

    @property
    def rest_positions(self) -> Floats | None:
        """nodes x 3, m: as bodies were placed (vvRunRestPositions)."""
        with FILES:
            found = self._read(lib.vvRunRestPositions)
            return view(found, (self.node_count, 3)) if found else None

    @bound("vvRunCarry")
    def carry(self, values: Any) -> Floats:
        """A field of nodes, continued to the vertices of carried surfaces: vertices x columns."""
        given = floats(values, None, "values")
        given = given.reshape(len(given), -1) if given.ndim else given
        if given.ndim != 2 or len(given) != self.node_count:
            raise ValueError(f"values: {self.node_count} rows are needed, one a node")
        out = np.zeros((self.vertex_count, given.shape[1]))
        out[: self.node_count] = given
        self._read(lib.vvRunCarry, out.shape[1], pointer_to(out))
        return out

    def vertices(self, frame: int) -> Floats:
        """Nodes, and then the vertices of carried surfaces: n x 3, m."""
        return self.carry(self.positions(frame))

    @bound("vvRunCurvature")
    def curvature(self, positions: Any) -> Floats:
        """How much shells and rods are bent at such positions (nodes x 3, or a frame): a value a node, 1/m."""
        x = self._positions(positions)
        out = np.empty(self.node_count)
        self._call(lib.vvRunCurvature, pointer_to(x), pointer_to(out))
        return out

    def _positions(self, positions: Any) -> Floats:
        if isinstance(positions, (int, np.integer)):
            return self.positions(int(positions))
        return floats(positions, (self.node_count, 3), "positions")

    @bound("vvRunBendingEnergy")
    def bending_energy(self, positions: Any) -> tuple[Floats, Floats]:
        """The energy of bending of each triangle (J/m^2) and each edge (J/m) at such positions, or in a frame."""
        x = self._positions(positions)
        triangles = np.zeros(sum(len(b.triangles) for b in self.bodies))
        edges = np.zeros(sum(len(b.edges) for b in self.bodies))
        self._call(lib.vvRunBendingEnergy, pointer_to(x), pointer_to(triangles), pointer_to(edges))
        return triangles, edges

    @bound("vvRunFindIntersections")
    def find_intersections(self, frame: int) -> Records:
        """Elements of surfaces that intersect in a frame."""
        at, room, count = self._frame(frame), 64, ffi.new("int *")
        while True:
            out = np.zeros(room, dtype("vvRunIntersection"))
            self._call(lib.vvRunFindIntersections, at, ffi.cast("vvRunIntersection *", out.ctypes.data), room, count)
            if count[0] <= room:
                return out[: count[0]]
            room = count[0]

    @bound("vvRunMeasureShown")
    def measure_shown(self, frame: int) -> RunShown:
        """How far what is seen stands out of what collides."""
        out = ffi.new("vvRunShown *")
        self._call(lib.vvRunMeasureShown, self._frame(frame), out)
        return record(out)  # type: ignore[no-any-return]

    @bound("vvRunFindPassing")
    def find_passing(self, frame: int) -> RunPassing | None:
        """Two bodies that the motion from the frame before leads through each other."""
        out, found = ffi.new("vvRunPassing *"), ffi.new("bool *")
        self._call(lib.vvRunFindPassing, self._frame(frame), out, found)
        return record(out) if found[0] else None

    # ---- other forms ----

    def mesh(self, frame: int) -> Any:
        """A frame as meshio.Mesh, with the velocity of each node and the body of each element."""
        import meshio

        cells, bodies = [], []
        for body in self.bodies:
            kind, a = _elements(body)
            if len(a):
                cells.append(({"tets": "tetra", "triangles": "triangle", "edges": "line"}[kind], a))
                bodies.append(np.full(len(a), body.index))
        return meshio.Mesh(self.positions(frame), cells, point_data={"velocity": self.velocities(frame)},
                           cell_data={"body": bodies})

    def to_vtk(self, frame: int) -> Any:
        """A frame as vtkUnstructuredGrid, with the velocity of each node."""
        cells: dict[str, list[Ints]] = {}
        for body in self.bodies:
            kind, a = _elements(body)
            cells.setdefault(kind, []).append(a)
        return vtk_grid(self.positions(frame), {k: np.vstack(a) for k, a in cells.items()},
                        {"velocity": self.velocities(frame)})

    @bound("vvRunExport", "vvDefaultExportDef")
    def _export(self, path: Path, values: dict[str, Any]) -> None:
        calls = Callbacks()
        calls.frames, calls.cancel = values.pop("progress", None), values.pop("cancel", None)
        definition, keep = ffi.new("vvExportDef *", lib.vvDefaultExportDef()), []  # type: ignore[var-annotated]
        values.setdefault("format", os.path.splitext(os.fspath(path))[1].lstrip("."))
        fill(definition, values, keep, "export")
        definition.progress, definition.cancel, definition.user = lib.vvpy_frames, lib.vvpy_poll, calls.handle
        error = new_error()
        world, target = values.get("world"), path_bytes(path)
        status = []

        def write(*_: Any) -> int:
            status.append(self._read(lib.vvRunExport, definition, target, error))
            return 0

        with FILES:
            self._exporting = True
            try:
                write() if world is None else world._call(write)  # nobody else may use the world meanwhile
            finally:
                self._exporting = False
        calls.raise_pending()
        check(status[0], error)

    def picture(self, output: Path | None = None, frame: int = -1, **options: Any) -> Any:
        """A picture of a frame, drawn by the program (`visviva render`): shown in a notebook, else the path of a PNG
        file. Options as in World.show."""
        from .pictures import render

        return render(self.path, output, frame=self._frame(frame), **options)

    def film(self, output: Path, **options: Any) -> Any:
        """A film (MP4, GIF), drawn by the program. Options as in World.show, and fps, speed, draft."""
        from .pictures import render

        return render(self.path, output, **options)

    def __iter__(self) -> Iterator[Floats]:
        """The positions of each frame."""
        return (self.positions(i) for i in range(len(self)))

    def __repr__(self) -> str:
        if self._run is None:
            return f"<visviva.Run: {self.path}, closed>"
        return f"<visviva.Run: {self.path}, {len(self)} frames, {self.scheme} {self.policy}, {self.status}>"


def _elements(body: RunBody) -> tuple[str, Ints]:
    for kind in ("tets", "triangles", "edges"):
        a: Ints = getattr(body, kind)
        if len(a):
            return kind, a
    return "edges", body.edges


def dataframe(ledger: Records) -> Any:
    """Rows of a ledger as pandas.DataFrame, indexed by time."""
    import pandas

    columns: dict[str, Any] = {}
    names: Any = ledger.dtype.names
    for name in names:
        values = ledger[name]
        if values.ndim == 1:
            columns[name] = values
        else:
            columns.update({f"{name}_{axis}": values[:, i] for i, axis in enumerate("xyz")})
    return pandas.DataFrame(columns).set_index("time")
