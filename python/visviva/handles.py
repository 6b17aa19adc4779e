"""What is in a world: bodies, obstacles, attachments, joints, drags. Each is an id: it stays valid while other things
come and go, and using it after it was removed raises InputError."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, TypeVar

import numpy as np

from ._doc import bound
from ._errors import InputError, NotPicklable
from ._generated import (BodyBending, BodyKeywords, BodyMeasures, Filter, JointState, MaterialDef, Transform,
                         Where)
from ._keywords import Vector, given
from ._struct import (Floats, Ints, copied, enum_value, fill, floats, pointer_to, record, text, vector, view)
from ._turn import in_turn
from ._values import flag, number, whole, word
from ._vv import ffi, lib
from . import tables
from .mesh import Mesh
from .modes import Modes
from .tables import parameter_settings
from .things import put_material, put_region

if TYPE_CHECKING:
    from .world import World

H = TypeVar("H", bound="Handle")


class Handle(NotPicklable):
    """One thing of a world. Equal to any other object for the same thing."""

    _ctype = ""
    _what = ""

    def __init__(self, world: "World", id: Any) -> None:
        self.world = world
        self._id = ffi.new(f"{self._ctype} *", id)[0]
        self._key = (self._ctype, self._id.index1, self._id.generation)

    def _exists(self) -> bool:
        raise NotImplementedError

    @property
    def is_valid(self) -> bool:
        """Whether it is still in its world."""
        return bool(self.world.is_open and self._exists())

    def _require(self) -> None:
        if not self._exists():
            raise InputError(f"this {self._what} is no longer in its world: it was removed, or a snapshot without it restored")

    @property
    def data(self) -> Any:
        """The caller's own: any object; None. It is part of no result, snapshot or file."""
        return self.world._data.get(self._key)

    @data.setter
    def data(self, value: Any) -> None:
        self._require()
        self.world._data[self._key] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Handle) and self.world is other.world and self._key == other._key

    def __hash__(self) -> int:
        return hash((id(self.world), self._key))


class Attachment(Handle):
    """Nodes that are held, pulled or pushed."""

    _ctype, _what = "vvAttachId", "attachment"

    @bound("vvAttachIsValid")
    def _exists(self) -> bool:
        return bool(self.world._read(lib.vvAttachIsValid, self._id))

    @property
    def nodes(self) -> Ints:
        """Its nodes, ascending (vvAttachNodes)."""
        self._require()
        return self.world._list(lib.vvAttachNodes, self._id)

    @bound("vvAttachMoveTo")
    @in_turn
    def move_to(self, positions: Any) -> None:
        """Where its nodes, or the far ends of its springs, are at the end of the next step: nodes x 3 (m), or one
        position for all."""
        count = len(self.nodes)
        x = floats(positions, None, "positions")
        x = floats(np.broadcast_to(x, (count, 3)) if x.shape == (3,) else x, (count, 3), "positions")
        self.world._call(lib.vvAttachMoveTo, self._id, pointer_to(x))
        self.world._made.get(self._key, {})["moved"] = True

    @property
    def work(self) -> float:
        """Of a push or a load since it was attached, J (vvAttachWork)."""
        self._require()
        return float(self.world._read(lib.vvAttachWork, self._id))

    @property
    @in_turn
    def forces(self) -> Floats:
        """Of a push or a load now: nodes x 3, N (vvAttachForces)."""
        self._require()
        out = np.zeros((len(self.nodes), 3))
        self.world._read(lib.vvAttachForces, self._id, pointer_to(out), len(out))
        return out

    @bound("vvAttachReaction")
    def reaction(self) -> tuple[Floats, Floats]:
        """What it holds, pulls or loads its nodes with: the force (N), and its moment about the origin (N m)."""
        out = np.zeros((2, 3))
        self.world._call(lib.vvAttachReaction, self._id, pointer_to(out), pointer_to(out) + 3)
        return out[0], out[1]

    @bound("vvWorldDetach")
    def end(self) -> None:
        """Lets go."""
        self.world._call(lib.vvWorldDetach, self._id)

    def __repr__(self) -> str:
        return f"<visviva.Attachment: {len(self.nodes)} nodes>" if self.is_valid else "<visviva.Attachment: ended>"


class Drag(Handle):
    """A hand that drags a vertex or a point of a body. As a context manager it lets go at the end."""

    _ctype, _what = "vvDragId", "drag"

    @bound("vvDragIsValid")
    def _exists(self) -> bool:
        return bool(self.world._read(lib.vvDragIsValid, self._id))

    @property
    def point(self) -> Floats:
        """Where what is dragged is now, m (vvDragGetPoint)."""
        out = ffi.new("double[3]")
        if not self.world._read(lib.vvDragGetPoint, self._id, out):
            self._require()
        return np.array(list(out))

    @bound("vvWorldMoveDrag")
    def move_to(self, target: Vector) -> None:
        """Moves the hand (m)."""
        self.world._call(lib.vvWorldMoveDrag, self._id, vector(target, "target"))

    @bound("vvWorldEndDrag")
    def end(self) -> None:
        """Lets go."""
        self.world._call(lib.vvWorldEndDrag, self._id)

    def __enter__(self) -> "Drag":
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_valid:
            self.end()

    def __repr__(self) -> str:
        return "<visviva.Drag>" if self.is_valid else "<visviva.Drag: ended>"


class Joint(Handle):
    """What joins two bodies, or a body and the world."""

    _ctype, _what = "vvJointId", "joint"

    @bound("vvJointIsValid")
    def _exists(self) -> bool:
        return bool(self.world._read(lib.vvJointIsValid, self._id))

    @property
    @in_turn
    def kind(self) -> str:
        """ "hinge", "ball", ... (vvJointKind)."""
        self._require()
        return text(self.world._read(lib.vvJointKind, self._id))

    @property
    @in_turn
    def bodies(self) -> tuple[Body | None, Body | None]:
        """The two that it joins; None: the world (vvJointBodies)."""
        self._require()
        out = ffi.new("vvBodyId[2]")
        self.world._read(lib.vvJointBodies, self._id, out)
        return self.world._handle("vvBodyId", out[0]), self.world._handle("vvBodyId", out[1])

    @bound("vvJointGetState")
    def state(self) -> JointState:
        """Its forces, angle or length, and whether it is broken."""
        out = ffi.new("vvJointState *")
        self.world._call(lib.vvJointGetState, self._id, out)
        return record(out)  # type: ignore[no-any-return]

    @bound("vvJointSetMotor")
    def set_motor(self, speed: float, force: float) -> None:
        """Another speed, and greatest force, of its motor."""
        self.world._call(lib.vvJointSetMotor, self._id, number(speed, "speed"), number(force, "force"))
        self.world._made.get(self._key, {}).get("values", {}).update(motor_speed=speed, motor_force=force)

    @bound("vvWorldRemoveJoint")
    def remove(self) -> None:
        """Takes it out of the world."""
        self.world._call(lib.vvWorldRemoveJoint, self._id)

    def __repr__(self) -> str:
        return f"<visviva.Joint: {self.kind}>" if self.is_valid else "<visviva.Joint: removed>"


class Obstacle(Handle):
    """An analytic obstacle."""

    _ctype, _what = "vvObstacleId", "obstacle"

    @bound("vvObstacleIsValid")
    def _exists(self) -> bool:
        return bool(self.world._read(lib.vvObstacleIsValid, self._id))

    @property
    @in_turn
    def name(self) -> str:
        """As given; "": none (vvObstacleName)."""
        self._require()
        return text(self.world._read(lib.vvObstacleName, self._id))

    @in_turn
    def _index(self) -> int:
        for index in range(self.world._read(lib.vvWorldObstacleCount)):
            at = self.world._read(lib.vvWorldObstacleAt, index)
            if (at.index1, at.generation) == self._key[1:]:
                return index
        self._require()
        raise InputError("this obstacle is no longer in its world")

    @property
    @in_turn
    def type(self) -> str:
        """ "plane", "sphere", ... (vvWorldObstacle)."""
        return text(self.world._read(lib.vvWorldObstacle, self._index(), ffi.NULL, ffi.NULL))

    @property
    @in_turn
    def values(self) -> Floats:
        """Its parameters one after the other, as given (vvWorldObstacle)."""
        values, count = ffi.new("double **"), ffi.new("int *")
        self.world._read(lib.vvWorldObstacle, self._index(), values, count)
        return copied(values[0], (count[0],))

    @property
    @in_turn
    def samples(self) -> Floats | None:
        """Heights, or distances, that it is made of: k x j x i; None: none (vvWorldObstacleSamples)."""
        counts = ffi.new("int[3]")
        found = self.world._read(lib.vvWorldObstacleSamples, self._index(), counts)
        return copied(found, (counts[2], counts[1], counts[0])) if found else None

    @property
    def body(self) -> Body | None:
        """The kinematic body of one that moves; None: it stands still (vvObstacleBody)."""
        return self.world._handle("vvBodyId", self.world._read(lib.vvObstacleBody, self._id))  # type: ignore[no-any-return]

    @bound("vvObstacleFriction")
    @in_turn
    def friction_with(self, body: Body) -> float:
        """The coefficient between it and a body; NaN: they never touch."""
        self._require()
        other = self.world._body_id(body)
        if body is None or not body.is_valid:
            raise InputError("body: a body of this world is needed")
        return float(self.world._read(lib.vvObstacleFriction, self._id, other))

    @bound("vvObstacleSetFriction")
    def set_friction(self, friction: float) -> None:
        """Its coefficient from now on; below 0: none of its own."""
        self.world._call(lib.vvObstacleSetFriction, self._id, number(friction, "friction"))
        self.world._made.setdefault(self._key, {})["friction"] = friction

    @property
    @in_turn
    def filter(self) -> Filter:
        """What it touches (vvObstacleFilter)."""
        self._require()
        return record(self.world._read(lib.vvObstacleFilter, self._id))  # type: ignore[no-any-return]

    @bound("vvObstacleSetFilter")
    @in_turn
    def set_filter(self, category: int | None = None, mask: int | None = None, group: int | None = None) -> None:
        """What it touches from now on; what is not given stays as it is."""
        self._require()
        f = ffi.new("vvFilter *", self.world._read(lib.vvObstacleFilter, self._id))
        fill(f, given(category=category, mask=mask, group=group), [], "filter")
        self.world._call(lib.vvObstacleSetFilter, self._id, f)

    @bound("vvWorldRemoveObstacle")
    def remove(self) -> None:
        """Takes it out of the world, and with it the body of one that moves."""
        self.world._call(lib.vvWorldRemoveObstacle, self._id)

    def __repr__(self) -> str:
        return f"<visviva.Obstacle: {self.type} {self.name!r}>" if self.is_valid else "<visviva.Obstacle: removed>"


class Body(Handle, BodyKeywords):
    """A body of a world. Its arrays are parts of the world's own, without a copy."""

    _ctype, _what = "vvBodyId", "body"

    @bound("vvBodyIsValid")
    def _exists(self) -> bool:
        return bool(self.world._read(lib.vvBodyIsValid, self._id))

    def _get(self, function: Any) -> Any:
        self._require()
        return self.world._read(function, self._id)

    @property
    @in_turn
    def name(self) -> str:
        """Unique in the world (vvBodyName)."""
        return text(self._get(lib.vvBodyName))

    @property
    @in_turn
    def index(self) -> int:
        """Its place in the order in which bodies were added (vvWorldBody)."""
        self._require()
        for index in range(self.world._read(lib.vvWorldBodyCount)):
            at = self.world._read(lib.vvWorldBody, index)
            if (at.index1, at.generation) == self._key[1:]:
                return index
        raise InputError("this body is no longer in its world")

    @property
    def is_affine(self) -> bool:
        """Whether it is nearly rigid, with four nodes (vvBodyIsAffine)."""
        return bool(self._get(lib.vvBodyIsAffine))

    @property
    def is_kinematic(self) -> bool:
        """Whether it goes where its motion says (vvBodyIsKinematic)."""
        return bool(self._get(lib.vvBodyIsKinematic))

    # ---- nodes and elements ----

    @property
    @in_turn
    def nodes(self) -> slice:
        """Its nodes in the world's arrays: world.positions[body.nodes] (vvBodyNodes)."""
        self._require()
        first, count = ffi.new("int *"), ffi.new("int *")
        self.world._read(lib.vvBodyNodes, self._id, first, count)
        return slice(first[0], first[0] + count[0])

    @property
    @in_turn
    def positions(self) -> Floats:
        """nodes x 3, m."""
        return self.world.positions[self.nodes]

    @property
    @in_turn
    def velocities(self) -> Floats:
        """nodes x 3, m/s."""
        return self.world.velocities[self.nodes]

    @property
    @in_turn
    def rest_positions(self) -> Floats:
        """nodes x 3, m: as it was placed."""
        return self.world.rest_positions[self.nodes]

    @property
    @in_turn
    def masses(self) -> Floats:
        """kg, of each node."""
        return self.world.masses[self.nodes]

    def _elements(self) -> Any:
        self._require()
        out = ffi.new("vvBodyElements *")
        self.world._read(lib.vvBodyGetElements, self._id, out)
        return out

    @property
    @in_turn
    def tets(self) -> Ints:
        """m x 4 world nodes; of a body of order 2 eight of each tet (vvBodyGetElements)."""
        e = self._elements()
        return view(e.tets, (e.tetCount, 4), np.int32)

    @property
    @in_turn
    def tets10(self) -> Ints:
        """m x 10 world nodes of a body of order 2, as Mesh.tets10; of others m is 0 (vvBodyGetElements)."""
        e = self._elements()
        return view(e.tets10, (e.tet10Count, 10), np.int32)

    @property
    @in_turn
    def tet_materials(self) -> Ints | None:
        """The material of each tet, or of each of `tets10`, as in add_body; None: all have all of them (vvBodyGetElements)."""
        e = self._elements()
        return view(e.tetMaterials, (e.tet10Count or e.tetCount,), np.int32) if e.tetMaterials else None

    @property
    @in_turn
    def triangles(self) -> Ints:
        """m x 3 world nodes, facing outwards (vvBodyGetElements)."""
        e = self._elements()
        return view(e.triangles, (e.triangleCount, 3), np.int32)

    @property
    @in_turn
    def edges(self) -> Ints:
        """m x 2 world nodes (vvBodyGetElements)."""
        e = self._elements()
        return view(e.edges, (e.edgeCount, 2), np.int32)

    @property
    @in_turn
    def points(self) -> Ints:
        """World nodes that are free points (vvBodyGetElements)."""
        e = self._elements()
        return view(e.points, (e.pointCount,), np.int32)

    @property
    @in_turn
    def counts(self) -> dict[str, int]:
        """How many elements, springs, vertices and directors it has (vvBodyGetElements)."""
        e = self._elements()
        return {"tets": e.tetCount, "triangles": e.triangleCount, "edges": e.edgeCount, "points": e.pointCount,
                "springs": e.springCount, "attachment_springs": e.attachmentSpringCount, "vertices": e.vertexCount,
                "directors": e.directorCount, "tets10": e.tet10Count}

    @property
    @in_turn
    def mesh(self) -> Mesh:
        """Its elements at its current positions, as a mesh of its own."""
        e, first = self._elements(), self.nodes.start
        cells = ({"tets10": self.tets10} if e.tet10Count else {"tets": self.tets} if e.tetCount else
                 {"triangles": self.triangles, "edges": self.edges})
        return Mesh(self.positions[: e.vertexCount], **{k: a - first for k, a in cells.items() if len(a)})

    @property
    @in_turn
    def uvs(self) -> Floats | None:
        """triangles x 3 x 2 texture coordinates of what is drawn; None: none (vvBodyUvs)."""
        found = self._get(lib.vvBodyUvs)
        surface = self.surface
        count = len(surface[0]) if surface else self._elements().triangleCount
        return view(found, (count, 3, 2)) if found else None

    @property
    @in_turn
    def surface(self) -> tuple[Ints, Ints, Floats] | None:
        """The surface that it carries: triangles (m x 3), and of each vertex four nodes of the body and their weights
        (n x 4); None: none (vvBodyGetSurface)."""
        self._require()
        s = ffi.new("vvBodySurface *")
        self.world._read(lib.vvBodyGetSurface, self._id, s)
        if s.vertexCount == 0:
            return None
        return (view(s.triangles, (s.triangleCount, 3), np.int32), view(s.nodes, (s.vertexCount, 4), np.int32),
                view(s.weights, (s.vertexCount, 4)))

    @property
    def surface_collides(self) -> bool:
        """Whether what it carries is what collides (vvBodySurfaceCollides)."""
        return bool(self._get(lib.vvBodySurfaceCollides))

    @bound("vvBodySurfacePositions")
    @in_turn
    def surface_positions(self, node_positions: Any = None) -> Floats:
        """Where the vertices of the carried surface are (n x 3, m), now or at other positions of the world's nodes."""
        surface = self.surface
        out = np.empty((len(surface[1]) if surface else 0, 3))
        x = self.world._node_array(node_positions, "node_positions")
        self.world._call(lib.vvBodySurfacePositions, self._id, pointer_to(x), pointer_to(out))
        return out

    @property
    def thickness(self) -> float:
        """m (vvBodyThickness)."""
        return float(self._get(lib.vvBodyThickness))

    @property
    def drawn_thickness(self) -> float:
        """m: how thick it is drawn (vvBodyDrawnThickness)."""
        return float(self._get(lib.vvBodyDrawnThickness))

    @bound("vvBodySelect")
    @in_turn
    def select(self, where: Where = "all") -> Ints:
        """The world nodes of a region, ascending: `vv.box(...)`, `vv.sphere(...)`, vertices of the body, ..."""
        self._require()
        region, keep = ffi.new("vvRegion *"), []  # type: ignore[var-annotated]
        put_region(region, where, keep)
        return self.world._list(lib.vvBodySelect, self._id, region)

    # ---- state ----

    @bound("vvBodySetState")
    @in_turn
    def set_state(self, positions: Any = None, velocities: Any = None) -> None:
        """Overwrites positions (m), velocities (m/s), or both: nodes x 3."""
        at = self.nodes
        shape = (at.stop - at.start, 3)
        x = None if positions is None else floats(positions, shape, "positions")
        v = None if velocities is None else floats(velocities, shape, "velocities")
        self.world._call(lib.vvBodySetState, self._id, pointer_to(x), pointer_to(v))

    @bound("vvBodySetInitialState")
    def set_initial_state(self, state: str, **values: Any) -> None:
        """A named state to start with (`vv.initial_states`), with its parameters by keyword."""
        settings = parameter_settings("initial state", state, values)
        self.world._call(lib.vvBodySetInitialState, self._id, word(state, "state"), settings, len(settings))

    @bound("vvBodyMeasure")
    def measure(self) -> BodyMeasures:
        """Mass, centre, momenta, bounds."""
        out = ffi.new("vvBodyMeasures *")
        self.world._call(lib.vvBodyMeasure, self._id, out)
        return record(out)  # type: ignore[no-any-return]

    @bound("vvBodyTransform")
    @in_turn
    def transform(self, node_positions: Any = None) -> Transform:
        """The rigid motion nearest to its own, from where it was placed."""
        out = ffi.new("vvTransform *")
        x = self.world._node_array(node_positions, "node_positions")
        self.world._call(lib.vvBodyTransform, self._id, pointer_to(x), out)
        return record(out)  # type: ignore[no-any-return]

    @property
    @in_turn
    def energy(self) -> float:
        """Elastic energy in the last booked row, J (vvWorldBodyEnergies)."""
        return float(self.world.body_energies[self.index])

    @bound("vvBodyFindModes")
    def modes(self, count: int = 10, end: str = "lowest") -> Modes:
        """Its vibration modes at rest, of the "lowest" or the "highest" frequencies."""
        out = ffi.new("vvModes **")
        self.world._call(lib.vvBodyFindModes, self._id, enum_value("vvModesEnd", end, "end"), whole(count, "count"), out)
        return Modes(out[0])

    @bound("vvBodyField")
    @in_turn
    def field(self, name: str, *, at_nodes: bool = False) -> Floats:
        """Stress, strain, reactions, ... now (`vv.fields`): a row for each vertex, tet, edge or triangle. `at_nodes`:
        of elements, averaged at the vertices."""
        count, known, at_nodes = ffi.new("int *"), tables.field(name), flag(at_nodes, "at_nodes")
        self.world._call(lib.vvBodyField, self._id, name.encode(), at_nodes, ffi.NULL, 0, count)
        out = np.empty(count[0])
        self.world._call(lib.vvBodyField, self._id, name.encode(), at_nodes, pointer_to(out), out.size, count)
        return out if known.components == 1 else out.reshape(-1, known.components)

    # ---- what acts on it ----

    @bound("vvBodyApplyForce")
    def apply_force(self, force: Vector) -> None:
        """A force (N) on the whole body during the next step."""
        self.world._call(lib.vvBodyApplyForce, self._id, vector(force, "force"))

    @bound("vvBodyApplyImpulse")
    def apply_impulse(self, impulse: Vector) -> None:
        """An impulse (N s) on the whole body."""
        self.world._call(lib.vvBodyApplyImpulse, self._id, vector(impulse, "impulse"))

    @bound("vvBodyAttach", "vvDefaultAttachDef")
    @in_turn
    def _attach(self, values: dict[str, Any], parameters: dict[str, Any]) -> Attachment:
        definition, keep = ffi.new("vvAttachDef *", lib.vvDefaultAttachDef()), []  # type: ignore[var-annotated]
        put_region(ffi.addressof(definition, "where"), values.pop("where", "all"), keep)
        if "potential" in values:
            keep.append(parameter_settings("potential", values["potential"], parameters))
            definition.settings, definition.settingCount = keep[-1], len(keep[-1])
        elif parameters:
            fill(definition, parameters, keep, "attach")  # refuses them by name
        fill(definition, values, keep, "attach")
        out = ffi.new("vvAttachId *")
        self.world._call(lib.vvBodyAttach, self._id, definition, out)
        made = Attachment(self.world, out[0])
        first, last = self.nodes.start, self.nodes.stop
        there = (self.world.positions[first:last] == self.world.rest_positions[first:last]).all()
        self.world._made[made._key] = {"kind": "attachment", "values": values, "parameters": parameters,
                                       "moved": self.world.step_index > 0 or not there}
        return made

    @property
    def attachment(self) -> Attachment | None:
        """Of a kinematic body the attachment that moves all its nodes (vvBodyAttachment)."""
        return self.world._handle("vvAttachId", self._get(lib.vvBodyAttachment))  # type: ignore[no-any-return]

    @bound("vvWorldStartDrag", "vvDefaultDragDef")
    def _drag(self, values: dict[str, Any]) -> Drag:
        definition, keep = ffi.new("vvDragDef *", lib.vvDefaultDragDef()), []  # type: ignore[var-annotated]
        definition.body = self._id
        fill(definition, values, keep, "drag")
        return self._start_drag(definition)

    def _start_drag(self, definition: Any) -> Drag:
        out = ffi.new("vvDragId *")
        self.world._call(lib.vvWorldStartDrag, definition, out)
        drag = Drag(self.world, out[0])
        self.world._made[drag._key] = {"kind": "drag"}
        return drag

    # ---- settings ----

    @property
    @in_turn
    def materials(self) -> list[MaterialDef]:
        """Its materials, the first with its mass and damping (vvBodyMaterialCount, vvBodyGetMaterial)."""
        self._require()
        found = []
        for index in range(self.world._read(lib.vvBodyMaterialCount, self._id)):
            m = ffi.new("vvMaterialDef *")
            self.world._read(lib.vvBodyGetMaterial, self._id, index, m)
            found.append(record(m))
        return found

    @property
    def material(self) -> MaterialDef:
        """Its first material (vvBodyGetMaterial)."""
        found = self.materials
        if not found:
            raise InputError("a kinematic body has no material")
        return found[0]

    @bound("vvBodySetMaterial", "vvBodyGetMaterial")
    @in_turn
    def _set_material(self, index: int, values: dict[str, Any]) -> None:
        m, keep = ffi.new("vvMaterialDef *"), []  # type: ignore[var-annotated]
        index = whole(index, "index")
        self._require()
        if not self.world._read(lib.vvBodyGetMaterial, self._id, index, m):
            raise InputError(f"index: the body has {len(self.materials)} materials; there is no {index}")
        if "model" in values and values["model"] != text(m.model):
            put_material(m, values, keep, "material")
        else:
            fill(m, values, keep, "material")
        self.world._call(lib.vvBodySetMaterial, self._id, index, m)

    @bound("vvBodySetDamping")
    @in_turn
    def _set_damping(self, values: dict[str, Any]) -> None:
        m = ffi.new("vvMaterialDef *")
        self._require()
        if not self.world._read(lib.vvBodyGetMaterial, self._id, 0, m):
            raise InputError("a kinematic body has no damping")
        damping = ffi.addressof(m, "damping")
        fill(damping, values, [], "damping")
        self.world._call(lib.vvBodySetDamping, self._id, damping)

    @property
    def friction(self) -> float:
        """Coulomb coefficient of its surface; below 0: none of its own (vvBodyFriction, vvBodySetFriction)."""
        return float(self._get(lib.vvBodyFriction))

    @friction.setter
    @bound("vvBodySetFriction")
    def friction(self, value: float) -> None:
        self.world._call(lib.vvBodySetFriction, self._id, number(value, "friction"))

    @property
    def friction_speed(self) -> float:
        """m/s, below which friction on it is smoothed (vvWorldFrictionSpeed)."""
        return float(self._get(lib.vvWorldFrictionSpeed))

    @property
    def asleep(self) -> bool:
        """Whether it sleeps (vvBodyAsleep, solver.sleep_after)."""
        return bool(self._get(lib.vvBodyAsleep))

    @bound("vvBodyWake")
    def wake(self) -> None:
        """Wakes it, and all that lies with it."""
        self.world._call(lib.vvBodyWake, self._id)

    @property
    def self_contact(self) -> bool:
        """Whether it collides with itself (vvBodySelfContact, vvBodySetSelfContact)."""
        return bool(self._get(lib.vvBodySelfContact))

    @self_contact.setter
    @bound("vvBodySetSelfContact")
    def self_contact(self, on: bool) -> None:
        self.world._call(lib.vvBodySetSelfContact, self._id, flag(on, "self_contact"))

    @property
    @in_turn
    def filter(self) -> Filter:
        """What it touches (vvBodyFilter)."""
        return record(self._get(lib.vvBodyFilter))  # type: ignore[no-any-return]

    @bound("vvBodySetFilter")
    @in_turn
    def set_filter(self, category: int | None = None, mask: int | None = None, group: int | None = None) -> None:
        """What it touches from now on; what is not given stays as it is."""
        f = ffi.new("vvFilter *", self._get(lib.vvBodyFilter))
        fill(f, given(category=category, mask=mask, group=group), [], "filter")
        self.world._call(lib.vvBodySetFilter, self._id, f)

    @bound("vvBodyEachSetting")
    def settings(self) -> dict[str, Any]:
        """What its materials are set to, by the keys of scene files."""
        self._require()
        return self.world._settings(lib.vvBodyEachSetting, self._id)

    @bound("vvBodyGetBending")
    @in_turn
    def bending(self, index: int = 0) -> tuple[BodyBending, Floats] | None:
        """How a material resists bending, and the stiffness of each triangle (N m); None: it does not."""
        self._require()
        out = ffi.new("vvBodyBending *")
        triangles = np.zeros(max(1, self._elements().triangleCount))
        if not self.world._read(lib.vvBodyGetBending, self._id, whole(index, "index"), out, pointer_to(triangles)):
            return None
        return record(out), triangles[: out.triangleCount]

    @bound("vvBodyGetRestAngles")
    @in_turn
    def rest_angles(self) -> list[tuple[int, int, float]]:
        """The angles (rad) at which edges, given by their two vertices, have no bending, where these were given."""
        self._require()
        count = self.world._read(lib.vvBodyGetRestAngles, self._id, ffi.NULL, 0)
        out = ffi.new("vvRestAngle[]", max(1, count))
        self.world._read(lib.vvBodyGetRestAngles, self._id, out, count)
        return [(out[i].a, out[i].b, out[i].angle) for i in range(count)]

    @bound("vvWorldRemoveBody")
    def remove(self) -> None:
        """Takes it, and its attachments and joints, out of the world."""
        self.world._call(lib.vvWorldRemoveBody, self._id)

    def __repr__(self) -> str:
        return f"<visviva.Body: {self.name!r}>" if self.is_valid else "<visviva.Body: removed>"


TYPES: dict[str, type[Handle]] = {t._ctype: t for t in (Body, Obstacle, Attachment, Joint, Drag)}


def all_of(world: "World", count: Any, at: Any, kind: type[H]) -> Iterator[H]:
    """Things that a world lists."""
    for index in range(world._read(count)):
        yield kind(world, world._read(at, index))


