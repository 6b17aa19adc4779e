"""What a world is asked: rays, boxes and balls, contact."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._calls import NULL, Calls
from ._doc import bound
from ._errors import InputError
from ._generated import RayHit, StartGap, Stiffness
from ._struct import Floats, Ints, Records, copied, dtype, fill, members_of, name_of, pointer_to, pointer_to_records, record
from ._turn import in_turn
from ._values import flag, number
from ._vv import ffi, lib
from .handles import Body, Obstacle



class Questions(Calls):
    """Rays, boxes and balls, contact."""

    # ---- questions ----

    @bound("vvWorldCastRay", "vvDefaultRay")
    def _cast_ray(self, values: dict[str, Any]) -> RayHit | None:
        ray, hit, found = ffi.new("vvRay *", lib.vvDefaultRay()), ffi.new("vvRayHit *"), ffi.new("bool *")
        fill(ray, values, [])
        self._call(lib.vvWorldCastRay, ray, hit, found)
        return record(hit, self) if found[0] else None

    @bound("vvDragAtHit")
    @in_turn
    def drag_at(self, hit: RayHit, **values: Any) -> Any:
        """Takes hold of the point of a body that a ray has hit; keywords as in Body.drag."""
        raw = ffi.new("vvRayHit *")
        for name, kind in members_of("vvRayHit").items():
            value = getattr(hit, name)
            if kind.kind == "struct":
                setattr(raw, name, value._id if value is not None else ffi.new(f"{name_of(kind)} *")[0])
            else:
                setattr(raw, name, [float(x) for x in value] if kind.kind == "array" else value)
        if not isinstance(hit.body, Body):
            raise InputError("hit: an obstacle was hit, which cannot be dragged")
        definition = ffi.new("vvDragDef *", lib.vvDragAtHit(raw))
        fill(definition, values, [], "drag")
        return hit.body._start_drag(definition)

    def _shape(self, values: dict[str, Any]) -> Any:
        shape = ffi.new("vvOverlap *", lib.vvDefaultOverlap())
        fill(shape, values, [])
        return shape

    @bound("vvWorldOverlapNodes", "vvDefaultOverlap")
    @in_turn
    def _overlap_nodes(self, values: dict[str, Any]) -> Ints:
        shape, count = self._shape(values), ffi.new("int *")
        self._call(lib.vvWorldOverlapNodes, shape, NULL, 0, count)
        out = np.empty(count[0], np.int32)
        self._call(lib.vvWorldOverlapNodes, shape, pointer_to(out), len(out), count)
        return out

    @bound("vvWorldOverlapBodies")
    def _overlap_bodies(self, values: dict[str, Any]) -> list[Body]:
        return [self._handle("vvBodyId", id) for id in self._counted(lib.vvWorldOverlapBodies, "vvBodyId", self._shape(values))]

    # ---- contact ----

    @bound("vvWorldContactPoints")
    @in_turn
    def contacts(self) -> Records:
        """The contacts at the current positions, as a structured array; its `side` and `other` say which elements of
        which bodies (ids), and body_of(id) which body that is."""
        points, count = ffi.new("vvContactPoint **"), ffi.new("int *")
        self._call(lib.vvWorldContactPoints, points, count)
        return copied(points[0], (count[0],), dtype("vvContactPoint"))

    def body_of(self, id: Any) -> Body | None:
        """The body of an id in a structured array; None: none."""
        return self._handle("vvBodyId", ffi.new("vvBodyId *", (int(id["index1"]), int(id["generation"])))[0])  # type: ignore[no-any-return]

    def obstacle_of(self, id: Any) -> Obstacle | None:
        """The obstacle of an id in a structured array; None: none."""
        return self._handle("vvObstacleId", ffi.new("vvObstacleId *", (int(id["index1"]), int(id["generation"])))[0])  # type: ignore[no-any-return]

    @bound("vvWorldContactEvents")
    @in_turn
    def contact_events(self) -> dict[str, list[tuple[Body, Body | Obstacle]]]:
        """Pairs that "began" to touch in the last step, that "ended", and all that are "touching"."""
        events = ffi.new("vvContactEvents *")
        self._call(lib.vvWorldContactEvents, events)
        out: dict[str, list[tuple[Body, Body | Obstacle]]] = {}
        for name in ("began", "ended", "touching"):
            rows = getattr(events, name)
            out[name] = [(self._handle("vvBodyId", rows[i].body), self._handle("vvBodyId", rows[i].other) or
                          self._handle("vvObstacleId", rows[i].obstacle)) for i in range(getattr(events, name + "Count"))]
        return out

    @bound("vvWorldContactEvents")
    @in_turn
    def contact_impulses(self) -> Floats | None:
        """How hard the other of each pair that is "touching" has pushed its body in the last step (N s, pairs x 3); None:
        the world has changed since."""
        events = ffi.new("vvContactEvents *")
        self._call(lib.vvWorldContactEvents, events)
        return None if events.impulses == NULL else copied(events.impulses, (events.touchingCount, 3), np.float64)

    @in_turn
    def _found(self, function: Any, ctype: str) -> Records:
        count = ffi.new("int *")
        room = 64
        while True:
            out = np.zeros(room, dtype(ctype))
            self._call(function, pointer_to_records(out, ctype), room, count)
            if count[0] <= room:
                return out[: count[0]]
            room = count[0]

    @bound("vvWorldFindIntersections")
    def find_intersections(self) -> Records:
        """Elements of surfaces that intersect."""
        return self._found(lib.vvWorldFindIntersections, "vvIntersection")

    @bound("vvWorldFindTooNear")
    def find_too_near(self) -> Records:
        """What else keeps the world from starting."""
        return self._found(lib.vvWorldFindTooNear, "vvContactPoint")

    @bound("vvWorldCheckIntersections")
    def check_intersections(self, on: bool = True) -> None:
        """Whether a step that ends in an intersection fails."""
        self._read(lib.vvWorldCheckIntersections, flag(on, "on"))

    @bound("vvWorldGetStiffness")
    def contact_stiffness(self) -> Stiffness | None:
        """The stiffness of contact; None: there is none, or the world is not baked."""
        out = ffi.new("vvStiffness *")
        return record(out) if self._read(lib.vvWorldGetStiffness, out) else None

    @bound("vvWorldGetStartGap")
    def start_gap(self) -> StartGap | None:
        """The two that are placed nearest to each other, nearer than contact acts."""
        out = ffi.new("vvStartGap *")
        return record(out) if self._read(lib.vvWorldGetStartGap, out) else None

    @bound("vvWorldSetFriction")
    def set_friction(self, a: Body, b: Body, mu: float) -> None:
        """The coefficient between two bodies, or within one; NaN: the default again."""
        self._call(lib.vvWorldSetFriction, self._body_id(a), self._body_id(b), number(mu, "mu"))

    @bound("vvWorldFriction")
    def friction(self, a: Body, b: Body) -> float:
        """The coefficient that holds between two bodies, or within one; NaN: they never touch."""
        return float(self._read(lib.vvWorldFriction, self._body_id(a), self._body_id(b)))
