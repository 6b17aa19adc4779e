"""A scene of a world that Python built: what it is made of and how it stands now, as a scene file with its meshes and
states beside it."""
from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ._errors import Unsupported
from ._keywords import Path
from .handles import TYPES
from .mesh import Mesh
from .scene import Scene, to_json
from .tables import parameters

if TYPE_CHECKING:
    from .handles import Attachment, Body, Joint, Obstacle
    from .world import World

MOTION = {"angular_velocity": "angular", "linear_velocity": "velocity", "about": "about", "axis": "axis", "start_time": "start",
          "end_time": "end"}


def nested(settings: dict[str, Any]) -> dict[str, Any]:
    """{"solver.method": "newton"} as {"solver": {"method": "newton"}}."""
    out: dict[str, Any] = {}
    for path, value in settings.items():
        at = out
        *heads, last = path.split(".")
        for head in heads:
            at = at.setdefault(head, {})
        at[last] = value
    return out


def refuse(what: object, why: str) -> NoReturn:
    raise Unsupported(f"{what!r} {why}, which a scene made of a world does not hold; write the scene by hand, or record a run")


def motion_of(values: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {MOTION[k]: v for k, v in values.items() if k in MOTION}
    points = [p if isinstance(p, dict) else dict(zip(("time", "offset", "turn"), p)) for p in values.get("waypoints", ())]
    if points:
        out["waypoints"] = points
        out["smooth"] = bool(values.get("smooth", False))
    return out


def filter_of(thing: "Body | Obstacle") -> dict[str, Any]:
    """As far as it is not the default; a scene's numbers end at 2^53."""
    out = {k: v for k, v in dict(thing.filter).items() if v != {"category": 1, "mask": 2**64 - 1, "group": 0}[k]}
    if any(abs(int(v)) >= 2**53 for v in out.values()):  # type: ignore[call-overload]
        refuse(thing, "has a filter beyond 53 bits")
    return {"filter": out} if out else {}


LOADS = {"force": "force", "traction": "traction", "pressure": "pressure"}  # kind: the scene's key of its size
AXES = "xyz"
DIRECTIONS = {"to": ("distance",), "axis": ("hinge", "slider")}  # and the kinds of joints that read them
FARTHEST = 1e9  # of a scene's limits


def support_of(values: dict[str, Any], kind: str) -> dict[str, Any]:
    """Rollers are nodes fixed along axes, or that keep to a plane."""
    if kind != "roller":
        return {"kind": kind}
    axes = int(values.get("axes", 0))
    if axes:
        return {"kind": "fixed", "axes": "".join(name for k, name in enumerate(AXES) if axes >> k & 1)}
    return {"kind": "roller", "normal": list(values["normal"])}


def load_of(values: dict[str, Any], kind: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if kind in LOADS:
        out[LOADS[kind]] = values.get("pressure", 0) if kind == "pressure" else list(values.get("load", (0, 0, 0)))
    if "follows" in values and kind in ("traction", "pressure"):
        out["follow"] = bool(values["follows"])
    if len(values.get("keys", ())):
        out["keys"] = [[k["time"], k["value"]] if isinstance(k, dict) else list(k) for k in values["keys"]]
        out["smooth"] = bool(values.get("smooth", False))
    return out


def attachment_of(attachment: "Attachment", first: int) -> dict[str, Any]:
    made = attachment.world._made.get(attachment._key)
    if made is None or made["moved"]:
        refuse(attachment, "was made elsewhere, in a world that had moved, or is moved by the caller")
    values, numbers = made["values"], made["parameters"]
    kind = values.get("kind", "fixed")
    out: dict[str, Any] = {"where": {"vertices": (attachment.nodes - first).tolist()}, **support_of(values, kind), **load_of(values, kind)}
    out.update({k: values[k] for k in ("stiffness", "acceleration", "clamp") if k in values})
    if np.isfinite(values.get("release", np.inf)):
        out["release"] = values["release"]
    if "potential" in values:
        out["potential"] = {values["potential"]: dict(numbers)}
    if "motion" in values:
        out["motion"] = motion_of(values["motion"])
    return out


def limits_of(kind: str, values: dict[str, Any]) -> dict[str, Any]:
    """None, or both: a scene's numbers are finite, so that a side without a limit gets the farthest."""
    limits = np.asarray(values.get("limits", (-np.inf, np.inf)), dtype=float)
    return {"limits": np.clip(limits, 0 if kind == "distance" else -FARTHEST, FARTHEST).tolist()} if np.isfinite(limits).any() else {}


def joint_of(joint: "Joint") -> dict[str, Any]:
    made = joint.world._made.get(joint._key, {})
    values = made.get("values")
    if values is None or values.get("now"):
        refuse(joint, "was made elsewhere, or between bodies as they stood")
    if not values.get("stiffness") and made["time_step"] != joint.world.time_step:
        refuse(joint, f"got its stiffness from another time step, {made['time_step']:g} s (give it one)")
    if joint.state().broken:
        refuse(joint, "is broken")
    bodies = joint.bodies
    out: dict[str, Any] = {"kind": joint.kind, "between": [b.name if b else "world" for b in bodies], "at": list(values.get("at", (0, 0, 0)))}
    out.update({k: list(values[k]) for k, kinds in DIRECTIONS.items() if k in values and joint.kind in kinds}, **limits_of(joint.kind, values))
    out.update({k: values[k] for k in ("stiffness", "reach", "collide") if k in values})
    out.update({k: values[k] for k in ("break_force", "break_torque") if np.isfinite(values.get(k, np.inf))})
    if values.get("motor_force", 0) > 0:
        out["motor"] = {"speed": values.get("motor_speed", 0), "force": values["motor_force"]}
    return out


def mesh_of(body: "Body") -> tuple[Mesh, dict[str, int]]:
    """The mesh of a file, and of which order it is to be made: files that we write are linear."""
    first, count = body.nodes.start, body.counts["vertices"]
    rest, cells = body.rest_positions[:count], {k: getattr(body, k) - first for k in ("tets", "triangles", "edges")}
    if len(body.tets10):
        corners = body.tets10[:, :4] - first
        mesh = Mesh(rest[: corners.max() + 1], tets=corners)
        made = mesh.raised()
        if not (np.array_equal(made.tets10, body.tets10 - first) and np.array_equal(made.positions, rest)):
            refuse(body, "is of order 2 with edges that are not straight, or nodes in another order than Mesh.raised() gives")
        return mesh, {"order": 2}
    if len(cells["tets"]):
        cells = {"tets": cells["tets"]}
    mesh = Mesh(rest, **{k: a for k, a in cells.items() if len(a)})
    if len(mesh.positions) != count or not (mesh.positions == rest).all():
        refuse(body, "has vertices of which no mesh file tells")
    return mesh, {}


def body_of(body: "Body", folder: str, number: int, attachments: list["Attachment"], moved: bool) -> dict[str, Any]:
    values = body.world._made.get(body._key, {}).get("values", {})
    for name in ("surface", "rest_angles", "follow", "tet_materials"):
        if name in values:
            refuse(body, f"has {name}")
    if body.is_kinematic or body.is_affine:
        refuse(body, "is kinematic" if body.is_kinematic else "is affine")
    mesh, order = mesh_of(body)
    first, name = body.nodes.start, f"body-{number}"
    mesh.write(os.path.join(folder, name + ".msh"), "msh4-binary")
    settings = nested(body.settings())
    materials = [settings.pop("material"), *(settings[k] for k in sorted(settings) if k.startswith("material["))]
    out: dict[str, Any] = {"name": body.name, "mesh": {"file": name + ".msh", **order}, "thickness": body.thickness,
                           "material": materials if len(materials) > 1 else materials[0],
                           **filter_of(body), "self_contact": bool(values.get("self_contact", True))}
    if body.friction >= 0:
        out["friction"] = body.friction
    for key in ("triangle_thickness", "triangle_stiffness"):
        if key in values:
            out[key] = np.asarray(values[key]).tolist()
    held = [attachment_of(a, first) for a in attachments if len(a.nodes) and first <= a.nodes[0] < body.nodes.stop]
    if held:
        out["attach"] = held
    if moved:
        rows = np.hstack([body.positions, body.velocities])
        with open(os.path.join(folder, name + ".csv"), "w", encoding="ascii") as f:
            f.write("x,y,z,vx,vy,vz\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows.tolist()))
        out["start"] = [{"file": name + ".csv"}]
    return out


def obstacle_of(obstacle: "Obstacle") -> dict[str, Any]:
    if obstacle.body is not None or obstacle.samples is not None:
        refuse(obstacle, "moves, or is made of samples")
    numbers, out, at = obstacle.values, {}, 0
    for name, p in parameters("obstacle", obstacle.type).items():
        part = numbers[at: at + p.size].tolist()
        out[name] = list(p.choices)[int(part[0])] if p.choices else part if p.size > 1 else part[0]
        at += p.size
    row: dict[str, Any] = {obstacle.type: out, **filter_of(obstacle)}
    made = obstacle.world._made.get(obstacle._key, {})
    if made.get("friction", -1) >= 0:
        row["friction"] = made["friction"]
    if obstacle.name:
        row["name"] = obstacle.name
    return row


def scene_of(world: "World", folder: Path, end: float) -> Scene:
    """Writes folder/scene.json, and the meshes and states that it names."""
    place = os.fspath(folder)
    os.makedirs(place, exist_ok=True)
    if made_of(world, "drag"):
        refuse(world, "is dragged")
    moved = world.step_index > 0 or bool((world.positions != world.rest_positions).any() or world.velocities.any())
    released = {s.attach._key for s in world.attachment_summaries() if s.attach and s.released}
    held = [a for a in made_of(world, "attachment") if a._key not in released]
    known = released | {a._key for a in held}
    for row in world.attachment_summaries():
        if row.attach and row.attach._key not in known:
            refuse(row.attach, "was not made in Python")
    scene = nested(world.settings())
    scene["visviva"] = 1
    scene["time"].update(begin=world.time, end=end)
    scene["bodies"] = [body_of(b, place, i, held, moved) for i, b in enumerate(world.bodies)]
    scene["obstacles"] = [obstacle_of(o) for o in world.obstacles]
    scene["joints"] = [joint_of(j) for j in world.joints]
    for key in ("obstacles", "joints"):
        if not scene[key]:
            del scene[key]
    path = os.path.join(place, "scene.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(json.loads(to_json(scene)), f, indent=1)
        f.write("\n")
    return Scene(path)


def made_of(world: "World", kind: str) -> list[Any]:
    """Those that still hold."""
    found = [TYPES[key[0]](world, key[1:]) for key, made in world._made.items() if made.get("kind") == kind]
    return [thing for thing in found if thing.is_valid]
