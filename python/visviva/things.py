"""Small things of worlds: materials, regions, drawings, snapshots."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, cast

import numpy as np

from ._errors import NotPicklable
from ._generated import MaterialDef, MaterialKeywords, Region
from ._keywords import Vector
from ._struct import Floats, fill, record
from ._values import word
from ._vv import ffi, lib


class Material(MaterialKeywords):
    """What a body is made of. Its members can be read, also those that have the model's default.

        jelly = vv.Material("neo-hookean", young=3e4, poisson=0.45, density=1100)
        stiffer = jelly.replace(young=1e5)
    """

    def _create(self, values: dict[str, Any]) -> None:
        self._values = values
        self._keep: list[Any] = []
        self._c = ffi.new("vvMaterialDef *")
        self._put_into(self._c, self._keep, "")

    def _put_into(self, target: Any, keep: list[Any], where: str) -> None:
        put_material(target, self._values, keep, where)

    def __reduce__(self) -> tuple[Any, ...]:
        return _material, (self._values,)

    def replace(self, **values: Any) -> "Material":
        """The same with other values."""
        return Material(**{**self._values, **values})

    def to_dict(self) -> MaterialDef:
        """All members, by keyword."""
        return cast(MaterialDef, record(self._c))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        values = record(self._c)
        if name not in values:
            raise AttributeError(f"a material has no '{name}'")
        return values[name]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Material) and self._values == other._values

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "vv.Material(" + ", ".join(f"{k}={v!r}" for k, v in self._values.items()) + ")"


def _material(values: dict[str, Any]) -> Material:
    """One that was pickled."""
    return Material(**values)


def put_material(target: Any, values: Mapping[str, Any], keep: list[Any], where: str) -> None:
    """A definition with the defaults of the model that `values` names, and then these."""
    model = values.get("model")
    default = lib.vvDefaultMaterialOf(word(model, where + ".model" if where else "model")) if isinstance(model, str) else lib.vvDefaultMaterialDef()
    target = target if ffi.typeof(target).kind == "pointer" else ffi.addressof(target)
    target[0] = default
    if isinstance(model, str):  # the word that the default has is that of the call
        target.model = ffi.NULL
    fill(target, values, keep, where)


# ---- regions: which nodes -------------------------------------------------------------------------------------------


def box(low: Vector, high: Vector, *, surface_only: bool = False) -> Region:
    """The nodes in a box (m, in the placed rest shape)."""
    return {"kind": "box", "a": low, "b": high, "surface_only": surface_only}


def percent(low: Vector, high: Vector, *, surface_only: bool = False) -> Region:
    """The nodes in a part of the body's bounding box, from 0 to 100 per cent of each edge."""
    return {"kind": "percent", "a": low, "b": high, "surface_only": surface_only}


def sphere(center: Vector, radius: float, *, surface_only: bool = False) -> Region:
    """The nodes in a ball (m, in the placed rest shape)."""
    return {"kind": "sphere", "a": center, "radius": radius, "surface_only": surface_only}


def half_space(point: Vector, normal: Vector, *, surface_only: bool = False) -> Region:
    """The nodes on the side of a plane to which its normal points."""
    return {"kind": "half-space", "a": point, "b": normal, "surface_only": surface_only}


def put_region(region: Any, where: Any, keep: list[Any]) -> None:
    """A region from its members, from a word ("all"), or from vertices of the body."""
    if isinstance(where, str):
        where = {"kind": where}
    elif not isinstance(where, Mapping):
        where = {"kind": "vertices", "vertices": where}
    if "vertices" in where and "kind" not in where:
        where = {**where, "kind": "vertices"}
    fill(region, where, keep, "where")


# ---- snapshots ------------------------------------------------------------------------------------------------------


class Snapshot(NotPicklable):
    """A world at one moment, bit for bit, in memory (`World.snapshot`, `World.restore`)."""

    _instead = "world.save_state() gives bytes, which another world of the same bodies can load."

    def __init__(self, pointer: Any, made: Any) -> None:
        self._c = ffi.gc(pointer, lib.vvSnapshotDestroy)
        self._made = made  # how things of the world were asked for (_calls.py)

    @property
    def bytes(self) -> int:
        """Its size in memory, with the description that snapshots share (vvSnapshotBytes)."""
        return int(lib.vvSnapshotBytes(self._c))

    def __repr__(self) -> str:
        return f"<visviva.Snapshot: {self.bytes} bytes>"


# ---- drawings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Drawing:
    """What the library sees. Colours are 0xRRGGBB."""

    points: Floats  # n x 3, m
    point_sizes: Floats  # n, m: diameters; 0: a dot
    point_colours: Any
    segments: Floats  # n x 2 x 3, m
    segment_colours: Any
    triangles: Floats  # n x 3 x 3, m
    normals: Floats  # n x 3
    triangle_colours: Any
    texts: list[tuple[tuple[float, float, float], str, int]]  # where, what, colour


def drawing_of(drawn: dict[str, list[Any]]) -> Drawing:
    points = np.array(drawn["points"], float).reshape(-1, 5)
    segments = np.array(drawn["segments"], float).reshape(-1, 7)
    triangles = np.array(drawn["triangles"], float).reshape(-1, 13)
    return Drawing(
        points[:, :3], points[:, 3], points[:, 4].astype(np.uint32),
        segments[:, :6].reshape(-1, 2, 3), segments[:, 6].astype(np.uint32),
        triangles[:, :9].reshape(-1, 3, 3), triangles[:, 9:12], triangles[:, 12].astype(np.uint32), drawn["texts"])
