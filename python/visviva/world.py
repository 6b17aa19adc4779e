"""Worlds: bodies and obstacles, stepped in time."""
from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Mapping

import numpy as np

from ._calls import NULL
from ._callbacks import Callbacks
from ._doc import bound
from ._errors import NotPicklable, UsageError, check
from ._generated import AttachSummary, StepReport, WorldKeywords
from ._keywords import Path, given
from ._struct import (Floats, Ints, Records, enum_value, fill, floats, integers, new_error, pointer_to, record, text,
                      words_of)
from ._turn import in_turn
from ._values import flag, number, short, whole, word
from ._vv import ffi, lib
from .handles import Attachment, Body, Joint, Obstacle, all_of
from .questions import Questions
from .record import Recorder, start_recording
from .settings import Settings
from .state import LEDGER, State
from .tables import parameter_settings
from .things import Drawing, Material, drawing_of, put_material

if TYPE_CHECKING:
    from .scene import Scene

_worlds: "weakref.WeakSet[World]" = weakref.WeakSet()


class World(WorldKeywords, State, Questions, Settings, NotPicklable):
    """Bodies and obstacles, stepped in time.

        w = vv.World(time_step=1/120, policy="filtered-search")
        w.add_obstacle("plane", friction=0.3)
        ball = w.add_body(vv.Mesh.generate("ball"), vv.Material("neo-hookean", young=3e4), translate=(0, 0.2, 0))
        ledger = w.run(240)

    One thread at a time may use a world, which is checked; different worlds may be used in different threads at the
    same time, as Python's lock is not held while the library works. As a context manager it is closed at the end.
    """

    _instead = ("Give another process its scene, or its state (world.save_state()) and what it was made of; make worlds "
                "after fork().")

    @bound("vvWorldCreate", "vvDefaultWorldDef")
    def _create(self, values: dict[str, Any]) -> None:
        calls = Callbacks()
        calls.cancel = values.pop("cancel", None)
        definition, keep = ffi.new("vvWorldDef *", lib.vvDefaultWorldDef()), []  # type: ignore[var-annotated]
        top = given(scheme=values.pop("scheme", None), policy=values.pop("policy", None),
                    settings=values.pop("settings", None))
        fill(definition, values, keep)
        fill(ffi.addressof(definition, "integrator"), top, keep)
        host(ffi.addressof(definition, "host"), calls)
        out, error = ffi.new("vvWorld **"), new_error()
        check(lib.vvWorldCreate(definition, out, error), error)
        self._adopt(out[0], calls)

    def _adopt(self, pointer: Any, calls: Callbacks) -> None:
        super()._adopt(pointer, calls)
        self.scene: Scene | None = None
        _worlds.add(self)

    # ---- life ----

    @property
    def is_open(self) -> bool:
        """False once it is closed."""
        return self._w is not None

    @bound("vvWorldDestroy")
    @in_turn
    def close(self) -> None:
        """Ends it. Arrays that show its memory stay readable."""
        self._refuse_nested()
        if self._w is not None:
            self._views.clear()
            self._data.clear()
            self._made.clear()
            with self._life:
                ffi.release(self._w)
                self._w = None

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @classmethod
    def from_scene(cls, source: Path | Mapping[str, Any], overrides: Mapping[str, Any] | None = None, *, threads: int = 0,
                   folder: Path = ".") -> "World":
        """A world of a scene file, or of a dict with a scene file's content."""
        from .scene import Scene

        return Scene(source, overrides, folder=folder).world(threads=threads)

    # ---- what is in it ----

    @bound("vvWorldAddBody", "vvDefaultBodyDef")
    @in_turn
    def _add_body(self, values: dict[str, Any]) -> Body:
        definition, keep = ffi.new("vvBodyDef *", lib.vvDefaultBodyDef()), []  # type: ignore[var-annotated]
        if "mesh" not in values:
            raise TypeError("add_body: a mesh is needed")
        put_materials(definition, values, keep)
        fill(definition, values, keep)
        self._check_lengths(definition, values)
        out = ffi.new("vvBodyId *")
        self._call(lib.vvWorldAddBody, definition, out)
        body = Body(self, out[0])
        kept = ("surface", "rest_angles", "follow", "self_contact", "triangle_thickness", "triangle_stiffness",
                "tet_materials")
        self._made[body._key] = {"values": {k: values[k] for k in kept if k in values}}
        return body

    @staticmethod
    def _check_lengths(definition: Any, values: Mapping[str, Any]) -> None:
        """Arrays whose length the mesh says: C would read beyond shorter ones."""
        mesh = values["mesh"]
        for name in ("triangle_thickness", "triangle_stiffness"):
            if name in values and np.size(values[name]) != mesh._c.triangleCount:
                raise ValueError(f"{name}: {mesh._c.triangleCount} numbers are needed, one a triangle, not {np.size(values[name])}")
        tets = mesh._c.tet10Count or mesh._c.tetCount
        if "tet_materials" in values and np.size(values["tet_materials"]) != tets:
            raise ValueError(f"tet_materials: {tets} numbers are needed, one a tet, not {np.size(values['tet_materials'])}")
        follow = values.get("follow", {})
        if "positions" in follow or "times" in follow:
            shape = (definition.follow.count, mesh._c.vertexCount, 3)
            floats(follow.get("positions", ()), shape, "follow.positions")

    @bound("vvWorldAddObstacle", "vvDefaultObstacleDef")
    def _add_obstacle(self, values: dict[str, Any], parameters: dict[str, Any]) -> Obstacle:
        definition, keep = ffi.new("vvObstacleDef *", lib.vvDefaultObstacleDef()), []
        values.setdefault("type", "plane")
        samples = values.pop("samples", None)
        if samples is not None:
            keep.append(floats(samples, None, "samples"))
            definition.samples = pointer_to(keep[-1])
            shape = keep[-1].shape[::-1] if keep[-1].ndim in (2, 3) else ()
            if not shape:
                raise ValueError("samples: heights (z x x) or distances (z x y x x) are needed")
            for i in range(3):
                definition.sampleCounts[i] = shape[i] if i < len(shape) else 1
        keep.append(parameter_settings("obstacle", values["type"], parameters))
        definition.settings, definition.settingCount = keep[-1], len(keep[-1])
        fill(definition, values, keep)
        out = ffi.new("vvObstacleId *")
        self._call(lib.vvWorldAddObstacle, definition, out)
        obstacle = Obstacle(self, out[0])
        self._made[obstacle._key] = {"friction": definition.friction}
        return obstacle

    @bound("vvWorldAddJoint", "vvDefaultJointDef")
    def _add_joint(self, values: dict[str, Any]) -> Joint:
        definition, keep = ffi.new("vvJointDef *", lib.vvDefaultJointDef()), []  # type: ignore[var-annotated]
        bodies = values.pop("bodies", ())
        if not isinstance(bodies, (list, tuple)):
            raise TypeError(f"bodies: two bodies are needed, not {short(bodies)}; None: the world")
        for i, body in enumerate(bodies):
            if i > 1:
                raise ValueError("bodies: two are needed; None: the world")
            definition.bodies[i] = self._body_id(body)
        fill(definition, values, keep)
        out = ffi.new("vvJointId *")
        self._call(lib.vvWorldAddJoint, definition, out)
        joint = Joint(self, out[0])
        self._made[joint._key] = {"kind": "joint", "values": values, "time_step": self.time_step}
        return joint

    @property
    def bodies(self) -> list[Body]:
        """In the order in which they were added (vvWorldBodyCount, vvWorldBody)."""
        return list(all_of(self, lib.vvWorldBodyCount, lib.vvWorldBody, Body))

    @property
    def obstacles(self) -> list[Obstacle]:
        """In the order in which they were added (vvWorldObstacleCount, vvWorldObstacleAt)."""
        return list(all_of(self, lib.vvWorldObstacleCount, lib.vvWorldObstacleAt, Obstacle))

    @property
    def joints(self) -> list[Joint]:
        """All of them (vvWorldJointCount, vvWorldJoint)."""
        return list(all_of(self, lib.vvWorldJointCount, lib.vvWorldJoint, Joint))

    @property
    @in_turn
    def attachments(self) -> list[Attachment]:
        """Those that were made by attach, or by a scene (vvWorldAttachmentCount, vvWorldAttachment)."""
        count = self._read(lib.vvWorldAttachmentCount)
        rows = [self._read(lib.vvWorldAttachment, i) for i in range(count)]  # a member lives as long as its struct
        return [Attachment(self, row.attach) for row in rows]

    @bound("vvWorldAttachment")
    @in_turn
    def attachment_summaries(self) -> list[AttachSummary]:
        """The body, the kind and the nodes of each."""
        rows = [self._read(lib.vvWorldAttachment, i) for i in range(self._read(lib.vvWorldAttachmentCount))]
        return [record(row, self) for row in rows]

    @bound("vvWorldBrokenJoints")
    @in_turn
    def broken_joints(self) -> list[Joint]:
        """The joints that broke in the last step."""
        count = self._read(lib.vvWorldBrokenJoints, NULL, 0)
        out = ffi.new("vvJointId[]", max(1, count))
        self._read(lib.vvWorldBrokenJoints, out, count)
        return [Joint(self, out[i]) for i in range(count)]

    @bound("vvWorldFindBody")
    def __getitem__(self, name: str) -> Body:
        """The body of that name."""
        id = self._read(lib.vvWorldFindBody, word(name, "name"))
        if id.index1:
            return Body(self, id)
        raise KeyError(f"no body is called {name!r}; there are: {', '.join(b.name for b in self.bodies)}")

    @bound("vvWorldFindObstacle")
    def find_obstacle(self, name: str) -> Obstacle | None:
        """The first obstacle of that name; None: there is none."""
        id = self._read(lib.vvWorldFindObstacle, word(name, "name"))
        return Obstacle(self, id) if id.index1 else None

    # ---- stepping ----

    @bound("vvWorldBake")
    def bake(self) -> None:
        """Builds what stepping needs."""
        self._call(lib.vvWorldBake)

    @bound("vvWorldStep")
    def step(self, count: int = 1) -> None:
        """Makes steps. One that fails leaves the world as it was before it. Ctrl-C ends it."""
        for _ in range(not_negative(count, "count")):
            self._call(lib.vvWorldStep, NULL)

    @bound("vvWorldStep")
    def step_with_report(self) -> StepReport:
        """Makes a step, and says what that took."""
        out = ffi.new("vvStepReport *")
        self._call(lib.vvWorldStep, out)
        return record(out)  # type: ignore[no-any-return]

    @bound("vvWorldAdvance")
    def advance(self, seconds: float, most: int = 8) -> tuple[int, float]:
        """Makes the steps that fit into that time and what was left over before, at most `most`: how many, and what is
        left over as a part of a step, for interpolate()."""
        steps, fraction = ffi.new("int *"), ffi.new("double *")
        self._call(lib.vvWorldAdvance, number(seconds, "seconds"), whole(most, "most"), steps, fraction)
        return steps[0], fraction[0]

    @bound("vvWorldLedger")
    def run(self, steps: int, each: Callable[["World"], object] | None = None, *, record: Path | None = None,
            every: int = 1) -> Records:
        """Makes steps, and gives their rows of the ledger as one structured array; `each(world)` is called after each.
        `record` names a run file that gets a frame every so many steps. Of a run that ends early the exception has the
        rows so far as `ledger`."""
        steps, every = not_negative(steps, "steps"), whole(every, "every")
        if every < 1:
            raise ValueError(f"every: 1 or more is needed, not {every}")
        rows = np.zeros(steps, LEDGER)
        first = ffi.cast("vvLedgerRow *", rows.ctypes.data)
        writer = self.record(record) if record is not None else None
        booked = 0
        try:
            for done in range(steps):
                if writer is None:
                    self._call(lib.vvWorldStep, NULL)
                else:
                    writer.step(frame=(done + 1) % every == 0)
                self._call(lib.vvWorldLedger, first + done)
                booked = done + 1
                if each is not None:
                    each(self)
        except BaseException as e:
            e.ledger = rows[:booked].copy()  # type: ignore[attr-defined]
            if writer is not None:
                writer.close(f"{type(e).__name__}: {e}")
            raise
        if writer is not None:
            writer.close()
        return rows

    @bound("vvWorldSettle")
    def settle(self, apply: bool = True) -> float:
        """Finds the static equilibrium, and with `apply` goes there; its energy (J)."""
        out = ffi.new("double *")
        self._call(lib.vvWorldSettle, flag(apply, "apply"), out)
        return float(out[0])

    @bound("vvWorldCancel")
    def cancel(self) -> None:
        """From any thread: the call in progress, or the next one, raises Cancelled; the world is as before it."""
        with self._life:
            if self._w is None:
                raise UsageError(self._why_not)
            lib.vvWorldCancel(self._w)

    # ---- what acts on it ----

    def _nodes_and(self, nodes: Any, values: Any, where: str) -> tuple[Ints, Floats]:
        n = integers(nodes, "nodes", (-1,))
        v = floats(values, None, where)
        return n, floats(np.broadcast_to(v, (len(n), 3)) if v.shape == (3,) else v, (len(n), 3), where)

    @bound("vvWorldApplyForces")
    def apply_forces(self, nodes: Any, forces: Any) -> None:
        """Forces (n x 3, or one for all; N) on nodes during the next step."""
        n, f = self._nodes_and(nodes, forces, "forces")
        self._call(lib.vvWorldApplyForces, len(n), pointer_to(n), pointer_to(f))

    @bound("vvWorldApplyImpulses")
    def apply_impulses(self, nodes: Any, impulses: Any) -> None:
        """Impulses (n x 3, or one for all; N s) on nodes."""
        n, p = self._nodes_and(nodes, impulses, "impulses")
        self._call(lib.vvWorldApplyImpulses, len(n), pointer_to(n), pointer_to(p))

    @bound("vvWorldBookChange")
    def book_change(self) -> None:
        """Books what has changed since the last step with that step: its row in the ledger ends with the current state."""
        self._call(lib.vvWorldBookChange)

    # ---- pictures, files ----

    @bound("vvWorldDraw", "vvDefaultDraw")
    @in_turn
    def _draw(self, values: dict[str, Any]) -> Drawing:
        draw, keep = ffi.new("vvDraw *", lib.vvDefaultDraw()), []  # type: ignore[var-annotated]
        what = values.pop("what", None)
        if what is not None:
            bits = [enum_value("vvDrawWhat", word, "what") for word in ([what] if isinstance(what, str) else what)]
            draw.what = int(np.bitwise_or.reduce(bits)) if bits else 0
        x = self._node_array(values.pop("positions", None), "positions")
        draw.positions = pointer_to(x)
        fill(draw, values, keep)
        draw.point, draw.segment, draw.triangle, draw.text = lib.vvpy_point, lib.vvpy_segment, lib.vvpy_triangle, lib.vvpy_text
        draw.user = self._calls.handle
        self._calls.drawn = {"points": [], "segments": [], "triangles": [], "texts": []}
        self._call(lib.vvWorldDraw, draw)
        return drawing_of(self._calls.drawn)

    def record(self, path: Path, *, scene_name: str | None = None, scene_text: str | None = None) -> Recorder:
        """A run file that is written: `with w.record("run.vtkhdf") as r: r.step()`."""
        if self.scene is not None:
            scene_name = scene_name or self.scene.name
            scene_text = scene_text or self.scene.text
        return start_recording(self, path, scene_name, scene_text)

    def _resume(self, path: Path, values: dict[str, Any]) -> Recorder:
        if "output" in values:
            values["output"] = os.fspath(values["output"])
        return start_recording(self, path, None, None, values)

    def to_scene(self, folder: Path, *, end: float = 1) -> Scene:
        """Writes a scene, folder/scene.json with meshes and states beside it, that continues from here until `end` (s): for
        the program, or to keep. What such a scene cannot hold, or Python does not know of a world that it did not
        build, is refused with a message. Two-step schemes start over, as do policies."""
        from .extract import scene_of

        return scene_of(self, folder, end)

    def show(self, output: Path | None = None, **options: Any) -> Any:
        """A picture of the world as it is now, drawn by the program: shown in a notebook, else the path of a PNG file.
        Options are those of `visviva render`: size=(800, 600), camera=(30, 20), color="velocity", wire=True, ..."""
        from .pictures import picture_of_world

        return picture_of_world(self, output, options)

    @property
    def messages(self) -> list[str]:
        """What it has reported beside its results: the last thousand lines. They go to the logger "visviva", too."""
        return list(self._calls.messages)

    def __repr__(self) -> str:
        if not self.is_open:
            return f"<visviva.World: {self._why_not.removeprefix('this world ')}>"
        return f"<visviva.World: {len(self.bodies)} bodies, {self.node_count} nodes, t = {self.time:g} s>"

    def _repr_html_(self) -> str:
        if not self.is_open:
            return repr(self).replace("<", "&lt;")
        row = self.ledger()
        names = ("kinetic", "elastic", "gravity", "contact", "attachment", "joint", "total", "target", "error")
        cells = "".join(f"<tr><td>{name}</td><td>{row[name]:.6g} J</td></tr>" for name in names)
        return f"<b>{repr(self)[1:-1]}</b><table>{cells}</table>"


def not_negative(value: Any, where: str) -> int:
    found = whole(value, where, "int64_t")
    if found < 0:
        raise ValueError(f"{where}: 0 or more are needed, not {found}")
    return found


def host(out: Any, calls: Callbacks) -> None:
    """The memory and the log that worlds of Python have."""
    lib.vvpy_host(out)
    out.log.write, out.log.user = lib.vvpy_log, calls.handle


def put_materials(definition: Any, values: dict[str, Any], keep: list[Any]) -> None:
    """`material` and `more_materials`, each with the defaults of its own model."""
    material = values.pop("material", None)
    if material is not None:
        put_one_material(ffi.addressof(definition, "material"), material, keep, "material")
    more = values.pop("more_materials", None)
    if more is not None:
        rows = ffi.new("vvMaterialDef[]", max(1, len(more)))
        for i, one in enumerate(more):
            put_one_material(rows + i, one, keep, f"more_materials[{i}]")
        definition.moreMaterials, definition.moreMaterialCount = rows, len(more)
        keep.append(rows)


def put_one_material(target: Any, material: Any, keep: list[Any], where: str) -> None:
    if isinstance(material, Material):
        material._put_into(target, keep, where)
        return
    if isinstance(material, str):
        material = {"model": material}
    if not isinstance(material, Mapping):
        raise TypeError(f"{where}: the name of a model, a dict or a visviva.Material is needed, not {type(material).__name__}")
    put_material(target, material, keep, where)


def phases() -> list[str]:
    """The parts of a step that StepReport.seconds times (vvPhaseName)."""
    return [text(lib.vvPhaseName(value)) for word, value in words_of("vvPhase").items() if word != "count"]


# ---- fork ---------------------------------------------------------------------------------------------------------------


def _after_fork_in_child() -> None:
    """The child has none of the threads that worlds use: it may neither use nor end them."""
    for world in list(_worlds):
        if world._w is not None:
            ffi.gc(world._w, None)
            world._w = None
            world._turn, world._life, world._owner = {}, threading.Lock(), 0
            world._why_not = ("this world was made before fork(), whose child has none of its threads; make worlds in the "
                              "child, or start processes by multiprocessing's \"spawn\"")


if lib.vvpy_watch_forks() != 0:
    raise MemoryError("visviva: no memory to watch for fork()")
os.register_at_fork(after_in_child=_after_fork_in_child)

