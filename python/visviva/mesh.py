"""Meshes: from generators, files and arrays, and back."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from ._callbacks import Callbacks, interruptibly
from ._doc import bound
from ._errors import InputError, NotPicklable, check
from ._generated import EmbedNotes, FillNotes, HoleNotes, MeshNotes, MeshQuality, RaiseNotes, Region
from ._keywords import Path, given
from ._struct import (Floats, Ints, copied, fill, floats, integers, new_error, pointer_to, record, thread_allocator,
                      values_of, view)
from ._values import number, path_bytes, word
from ._vv import ffi, lib
from .tables import parameter_settings

# elements: their member in vvMesh, how many vertices each has
ELEMENTS = {"tets": ("tetCount", 4), "triangles": ("triangleCount", 3), "edges": ("edgeCount", 2),
            "points": ("pointCount", 1), "bends": ("bendCount", 2), "tets10": ("tet10Count", 10)}


def _check_order(order: int) -> None:
    if order not in (1, 2):
        raise ValueError(f"order is {order!r}; 1 (linear tets) and 2 (tets of ten nodes) are allowed")


class Mesh(NotPicklable):
    """Tetrahedra, triangles, edges or points of a body. Indices start at 0.

        Mesh(positions, tets=..., triangles=..., edges=...)     from arrays; positions alone: a cloud of points
        Mesh.generate("box", size=(1, 1, 1), cells=(4, 4, 4))
        Mesh.read("body.msh")

    `notes` says what was found and repaired as the mesh was finished (vvMeshNotes).
    """

    _instead = "Pickle its arrays: mesh.positions, mesh.tets, ..."

    @bound("vvMeshCopy", "vvMeshFinish")
    def __init__(self, positions: Any, *, tets: Any = None, triangles: Any = None, edges: Any = None, bends: Any = None,
                 uvs: Any = None, tets10: Any = None) -> None:
        """From arrays, which are copied: positions n x 3 (m), tets m x 4, triangles m x 3, edges m x 2; bends m x 2
        (bend springs); uvs, a texture coordinate (u, v) of each corner of each triangle; tets10 m x 10, of order 2.
        What was needed to finish it is in `notes`."""
        x = floats(positions, None, "positions")
        if x.ndim != 2 or x.shape[1] != 3:
            raise ValueError(f"positions: an array of n x 3 is needed, not {' x '.join(map(str, x.shape))}")
        draft = ffi.new("vvMesh *")
        hold: list[Any] = [x]
        draft.vertexCount, draft.positions = len(x), pointer_to(x)
        cells = {"tets": tets, "triangles": triangles, "edges": edges, "bends": bends, "tets10": tets10}
        if tets10 is None and tets is None and triangles is None and edges is None:
            cells["points"] = np.arange(len(x), dtype=np.int32).reshape(-1, 1)
        for name, cell in cells.items():
            if cell is not None:
                count, width = ELEMENTS[name]
                a = integers(cell, name, (-1, width))
                if a.size and (a.min() < 0 or a.max() >= len(x)):
                    raise InputError(f"{name}: vertices are counted from 0 to {len(x) - 1}; there is {a.max()} and {a.min()}")
                hold.append(a)
                setattr(draft, count, len(a))
                setattr(draft, name, pointer_to(a))
        if uvs is not None:
            u = floats(uvs, (draft.triangleCount, 3, 2) if np.ndim(uvs) == 3 else (draft.triangleCount, 6), "uvs")
            hold.append(u)
            draft.uvs = pointer_to(u)
        self._empty()
        error = new_error()
        check(interruptibly(lib.vvMeshCopy, draft, self._c, error), error)
        self._finish()

    def _empty(self) -> None:
        thread_allocator()
        self._c = ffi.gc(ffi.new("vvMesh *"), lib.vvMeshDestroy)
        self.notes: MeshNotes | FillNotes | HoleNotes | RaiseNotes | None = None

    def _finish(self) -> None:
        error, notes = new_error(), ffi.new("vvMeshNotes *")
        check(interruptibly(lib.vvMeshFinish, self._c, notes, error), error)
        self.notes = record(notes)

    @classmethod
    def _made(cls, make: Callable[[Any, Any], Any]) -> "Mesh":
        """A mesh that a function of the library fills: make(vvMesh *, vvError *)."""
        mesh = cls.__new__(cls)
        mesh._empty()
        error = new_error()
        check(interruptibly(make, mesh._c, error), error)
        return mesh

    @classmethod
    @bound("vvMeshGenerate", "vvMeshGenerateOrder2")
    def generate(cls, generator: str, *, order: int = 1, **values: Any) -> "Mesh":
        """Makes a mesh by a named generator (`vv.generators`), with its parameters by keyword
        (`vv.parameters("generator", name)`). Of order 2 it has tets of ten nodes, the middles of its surface's edges on
        the curved shape; its `notes` say how many were put there (vvRaiseNotes)."""
        _check_order(order)
        settings, name = parameter_settings("generator", generator, values), word(generator, "generator")
        if order == 2:
            notes = ffi.new("vvRaiseNotes *")
            made = cls._made(lambda mesh, error: lib.vvMeshGenerateOrder2(name, settings, len(settings), mesh, notes, error))
            made.notes = record(notes)
            return made
        return cls._made(lambda mesh, error: lib.vvMeshGenerate(name, settings, len(settings), mesh, error))

    @classmethod
    @bound("vvMeshRead", "vvMeshReadOrder2")
    def read(cls, path: Path, *, order: int = 1) -> "Mesh":
        """Reads a file; its content says which format it has (`vv.mesh_formats`). Tets of ten nodes are read by their
        corners; `order=2` keeps them as they are, and leaves linear ones linear (`raised`)."""
        _check_order(order)
        notes = ffi.new("vvMeshNotes *")
        read = lib.vvMeshReadOrder2 if order == 2 else lib.vvMeshRead
        mesh = cls._made(lambda out, error: read(path_bytes(path), out, notes, error))
        mesh.notes = record(notes)
        return mesh

    @bound("vvMeshWrite")
    def write(self, path: Path, format: str | None = None) -> None:
        """Writes a file, in the format of its ending or the one that is named."""
        error = new_error()
        check(lib.vvMeshWrite(self._c, path_bytes(path), ffi.NULL if format is None else word(format, "format"), error), error)

    def copy(self) -> "Mesh":
        """Another mesh of the same arrays."""
        return self._made(lambda out, error: lib.vvMeshCopy(self._c, out, error))

    # ---- arrays ----

    @property
    def positions(self) -> Floats:
        """n x 3, m: the mesh's own, which may be written."""
        return view(self._c.positions, (self._c.vertexCount, 3), writeable=True)

    def _cells(self, name: str) -> Ints:
        count, width = ELEMENTS[name]
        return view(getattr(self._c, name), (getattr(self._c, count), width), np.int32)

    @property
    def tets(self) -> Ints:
        """m x 4 vertices, right-handed."""
        return self._cells("tets")

    @property
    def tets10(self) -> Ints:
        """m x 10 vertices, of a mesh of order 2: corners, then the middles of the edges 01, 12, 02, 03, 13, 23; `tets` are
        eight of each then."""
        return self._cells("tets10")

    @property
    def triangles(self) -> Ints:
        """m x 3 vertices, facing outwards; of a mesh with tets their boundary."""
        return self._cells("triangles")

    @property
    def edges(self) -> Ints:
        """m x 2 vertices."""
        return self._cells("edges")

    @property
    def points(self) -> Ints:
        """m x 1 vertices that are free points."""
        return self._cells("points")

    @property
    def bends(self) -> Ints:
        """m x 2 vertices that bend springs join."""
        return self._cells("bends")

    @property
    def uvs(self) -> Floats | None:
        """triangles x 3 x 2 texture coordinates; None: there are none."""
        return view(self._c.uvs, (self._c.triangleCount, 3, 2)) if self._c.uvs else None

    @property
    @bound("vvRegionOfGroup")
    def groups(self) -> dict[str, Region]:
        """The named parts of a mesh file, such as Gmsh's physical groups, as regions: `body.attach(where=mesh.groups["clamp"])`."""
        found: dict[str, Region] = {}
        for g in range(self._c.groupCount):
            name, region, error = self._c.groups[g].name, ffi.new("vvRegion *"), new_error()
            check(lib.vvRegionOfGroup(self._c, name, region, error), error)
            part: Region = {"kind": "vertices", "vertices": copied(region.list, (region.listCount,), np.int32)}
            if region.triangleCount:
                part["triangles"] = copied(region.triangles, (region.triangleCount, 3), np.int32)
            found[ffi.string(name).decode(errors="replace")] = part
        return found

    @bound("vvMeshFindGroup")
    def find_group(self, name: str) -> dict[str, Any] | None:
        """What vvMeshGroup holds of a group: "dimension", "vertices", "triangles", "tets". None: there is no such group."""
        group = lib.vvMeshFindGroup(self._c, word(name, "name"))
        if not group:
            return None
        return {"dimension": int(group.dimension),
                "vertices": copied(group.vertices, (group.vertexCount,), np.int32),
                "triangles": copied(group.triangles, (group.triangleCount, 3), np.int32),
                "tets": copied(group.tets, (group.tetCount, 4), np.int32)}

    @bound("vvMeshTetRegions")
    def tet_regions(self, names: Sequence[str]) -> Ints:
        """In which of the named groups each tet is, as an index of `names`: `tet_materials` of a body."""
        if isinstance(names, (str, bytes)):
            raise TypeError(f"names: a list of names is needed, not {names!r}")
        words, error = [ffi.new("char[]", word(name, "names")) for name in names], new_error()
        out = np.empty(self._c.tet10Count or self._c.tetCount, np.int32)
        check(lib.vvMeshTetRegions(self._c, ffi.new("char *[]", words), len(words), pointer_to(out), error), error)
        return out

    # ---- questions ----

    @bound("vvMeshMeasure")
    def measure(self) -> MeshQuality:
        """Volume, area, bounds, angles, edges: what vvMeshQuality holds."""
        quality = ffi.new("vvMeshQuality *")
        lib.vvMeshMeasure(self._c, quality)
        return record(quality)  # type: ignore[no-any-return]

    @bound("vvMeshCheckSurface", "vvSurfaceCheckDestroy")
    def check_surface(self) -> dict[str, Any]:
        """What keeps the triangles from bounding a volume, and the parts of the surface."""
        thread_allocator()
        check_, error = ffi.new("vvSurfaceCheck *"), new_error()
        check(interruptibly(lib.vvMeshCheckSurface, self._c, check_, error), error)
        try:
            found = values_of(check_)
            found["parts"] = [record(check_.parts[i]) for i in range(check_.partCount)]
            found["part_of"] = copied(check_.partOf, (self._c.triangleCount,), np.int32)
            found["marks"] = copied(check_.marks, (self._c.triangleCount,), np.uint8)
        finally:
            lib.vvSurfaceCheckDestroy(check_)
        return found

    @bound("vvMeshProposeEdge")
    def propose_edge(self) -> float:
        """An edge (m) for filling the surface with tets."""
        return float(lib.vvMeshProposeEdge(self._c))

    @bound("vvMeshEmbed")
    def embed(self, surface: "Mesh") -> tuple[Ints, Floats, EmbedNotes]:
        """Each vertex of a surface as a weighted sum of a tet's corners: nodes (n x 4), weights (n x 4), and how far
        outside vertices lie."""
        nodes = np.empty((surface._c.vertexCount, 4), np.int32)
        weights = np.empty((surface._c.vertexCount, 4))
        notes, error = ffi.new("vvEmbedNotes *"), new_error()
        check(interruptibly(lib.vvMeshEmbed, self._c, surface._c, pointer_to(nodes), pointer_to(weights), notes, error), error)
        return nodes, weights, record(notes)

    @bound("vvMeshSampleDistance", "vvDistanceGridDestroy")
    def sample_distance(self, spacing: float = 0, margin: float = 0) -> dict[str, Any]:
        """Signed distances on a grid: "samples" (k x j x i, m), "origin", "spacing". `World.add_obstacle("level-set",
        **grid)` takes them."""
        thread_allocator()
        grid, error = ffi.new("vvDistanceGrid *"), new_error()
        sizes = number(spacing, "spacing"), number(margin, "margin")
        check(interruptibly(lib.vvMeshSampleDistance, self._c, *sizes, grid, error), error)
        try:
            shape = (grid.counts[2], grid.counts[1], grid.counts[0])
            return {"samples": copied(grid.samples, shape), "origin": np.array(list(grid.origin)), "spacing": grid.spacing}
        finally:
            lib.vvDistanceGridDestroy(grid)

    # ---- made of this one ----

    @bound("vvMeshCloseHoles")
    def close_holes(self, width: float) -> "Mesh":
        """The mesh with its holes closed up to a width (m); its `notes` say what was done (vvHoleNotes)."""
        mesh, notes, error = self.copy(), ffi.new("vvHoleNotes *"), new_error()
        check(interruptibly(lib.vvMeshCloseHoles, mesh._c, number(width, "width"), notes, error), error)
        mesh.notes = record(notes)
        return mesh

    @bound("vvMeshRaise", "vvMeshRaiseOnto")
    def raised(self, onto: "Mesh | None" = None) -> "Mesh":
        """The mesh of order 2: a vertex more in the middle of each edge of its tets. It bends without locking. Those of the
        surface's edges lie on the surface `onto`, which the mesh's own approximates; its `notes` then say how many do, and
        how many tets stay straight (vvRaiseNotes)."""
        mesh, notes, error = self.copy(), ffi.new("vvRaiseNotes *"), new_error()
        if onto is None:
            check(interruptibly(lib.vvMeshRaise, mesh._c, error), error)
        else:
            check(interruptibly(lib.vvMeshRaiseOnto, mesh._c, onto._c, notes, error), error)
            mesh.notes = record(notes)
        return mesh

    @bound("vvMeshFillWith", "vvMeshFill", "vvDefaultFillDef")
    def fill(self, edge: float = 0, *, progress: Callable[[str, float], object] | None = None,
             cancel: Callable[[], bool] | None = None) -> "Mesh":
        """The tets that fill the surface, of edges about `edge` (m; 0: chosen). `progress(what, part)` is called now and
        then, and `cancel()` ends it where it returns True. Ctrl-C ends it, too."""
        calls = Callbacks()
        calls.progress, calls.cancel = progress, cancel
        definition, keep = ffi.new("vvFillDef *", lib.vvDefaultFillDef()), []  # type: ignore[var-annotated]
        fill(definition, given(edge=edge), keep, "fill")
        definition.watch.cancel, definition.watch.progress = lib.vvpy_poll, lib.vvpy_progress
        definition.watch.user = calls.handle
        notes = ffi.new("vvFillNotes *")
        mesh = Mesh.__new__(Mesh)
        mesh._empty()
        error = new_error()
        status = interruptibly(lib.vvMeshFillWith, self._c, definition, mesh._c, notes, error, calls=calls)
        calls.raise_pending()
        check(status, error)
        mesh.notes = record(notes)
        return mesh

    # ---- other packages ----

    def to_meshio(self) -> Any:
        """As meshio.Mesh, with copies of the arrays."""
        import meshio

        tets = ("tetra10", self.tets10) if len(self.tets10) else ("tetra", self.tets)
        kinds = (tets, ("triangle", self.triangles), ("line", self.edges), ("vertex", self.points))
        return meshio.Mesh(self.positions.copy(), [(kind, a.copy()) for kind, a in kinds if len(a)])

    @classmethod
    def from_meshio(cls, mesh: Any) -> "Mesh":
        """Tetrahedra (of order 2 where all are), triangles and lines of a meshio.Mesh; what has other cells is refused."""
        names = {"tetra": "tets", "tetra10": "tets10", "triangle": "triangles", "line": "edges", "vertex": "points"}
        cells: dict[str, list[Any]] = {}
        for block in mesh.cells:
            if block.type not in names:
                raise InputError(f"meshio cells of type '{block.type}' are not taken; there are: {', '.join(names)}")
            cells.setdefault(names[block.type], []).append(block.data)
        cells.pop("points", None)
        points = np.asarray(mesh.points, float)
        if points.shape[1] == 2:
            points = np.column_stack([points, np.zeros(len(points))])
        return cls(points, **_solid({name: np.vstack(parts) for name, parts in cells.items()}))

    def to_vtk(self) -> Any:
        """As vtkUnstructuredGrid."""
        if len(self.tets10):
            return vtk_grid(self.positions, {"tets10": self.tets10})
        return vtk_grid(self.positions, {"tets": self.tets, "triangles": self.triangles[:0] if len(self.tets)
                                         else self.triangles, "edges": self.edges, "points": self.points})

    @classmethod
    def from_vtk(cls, data: Any) -> "Mesh":
        """Tetrahedra (of order 2 where all are), triangles and lines of a vtkUnstructuredGrid or vtkPolyData."""
        x = np.array([data.GetPoint(i) for i in range(data.GetNumberOfPoints())]).reshape(-1, 3)
        kinds: dict[int, tuple[str, list[Any]]] = {10: ("tets", []), 24: ("tets10", []), 5: ("triangles", []), 3: ("edges", []),
                                                   1: ("", [])}
        for i in range(data.GetNumberOfCells()):
            cell = data.GetCell(i)
            if cell.GetCellType() not in kinds:
                raise InputError(f"VTK cell {i} has type {cell.GetCellType()}; tetrahedra, triangles and lines are taken")
            kinds[cell.GetCellType()][1].append([cell.GetPointId(k) for k in range(cell.GetNumberOfPoints())])
        return cls(x, **_solid({name: np.array(rows) for name, rows in kinds.values() if name and rows}))

    def __repr__(self) -> str:
        counts = [f"{getattr(self._c, count)} {name}" for name, (count, _) in ELEMENTS.items() if getattr(self._c, count)]
        return f"<visviva.Mesh: {self._c.vertexCount} vertices, {', '.join(counts)}>"


def _solid(cells: dict[str, Any]) -> dict[str, Any]:
    """Of cells with tets these alone: what else there is lies on them."""
    if "tets" in cells and "tets10" in cells:
        raise InputError("there are tetrahedra of four nodes and of ten; a mesh has those of one order")
    return {k: a for k, a in cells.items() if k in ("tets", "tets10")} or cells


VTK_TYPES = {"tets": 10, "tets10": 24, "triangles": 5, "edges": 3, "points": 1}


def vtk_grid(positions: Floats, cells: dict[str, Ints], fields: dict[str, Floats] | None = None) -> Any:
    """A vtkUnstructuredGrid of arrays, with fields at its points."""
    try:
        from vtkmodules.vtkCommonCore import vtkDoubleArray, vtkPoints
        from vtkmodules.vtkCommonDataModel import vtkUnstructuredGrid
    except ImportError:
        raise ImportError("VTK for Python is not installed (Debian: python3-vtk9)") from None
    points, grid = vtkPoints(), vtkUnstructuredGrid()
    points.SetDataTypeToDouble()
    for x in positions:
        points.InsertNextPoint(x)
    grid.SetPoints(points)
    for name, rows in cells.items():
        for row in rows:
            grid.InsertNextCell(VTK_TYPES[name], len(row), [int(i) for i in row])
    for name, values in (fields or {}).items():
        a = vtkDoubleArray()
        a.SetName(name)
        a.SetNumberOfComponents(1 if values.ndim == 1 else values.shape[1])
        for value in values.reshape(len(values), -1):
            a.InsertNextTuple(value)
        grid.GetPointData().AddArray(a)
    return grid


@bound("vvElementStrain")
def element_strain(rest: Any, positions: Any, nodes: Any) -> tuple[float, float]:
    """The largest and the smallest principal strain of an element of 2, 3 or 4 nodes."""
    x0 = floats(rest, None, "rest")
    x = floats(positions, x0.shape, "positions")
    n = integers(nodes, "nodes", (-1,))
    if x0.ndim != 2 or x0.shape[1] != 3 or n.size not in (2, 3, 4) or n.min() < 0 or n.max() >= len(x0):
        raise InputError("rest: n x 3 numbers are needed, and 2, 3 or 4 nodes of these")
    out = np.zeros(2)
    lib.vvElementStrain(pointer_to(x0), pointer_to(x), pointer_to(n), n.size, pointer_to(out), pointer_to(out) + 1)
    return float(out[0]), float(out[1])


