"""Attachments, joints, drags, rays, contacts, meshes, scenes, runs, tables."""
import importlib.util
import json

import numpy as np
import pytest
from conftest import ROOT, ball

import visviva as vv


def beam(**how):
    w = vv.World(**{"contact": "none", "threads": 1, **how})
    return w, w.add_body(vv.Mesh.generate("box", size=(1, 0.1, 0.1), cells=(10, 2, 2)), vv.Material("neo-hookean", young=1e7))


def test_attachments_hold_and_move():
    w, body = beam()
    held = body.attach(where=vv.percent((0, 0, 0), (1, 100, 100)))
    nodes = held.nodes
    assert len(nodes) == 9 and (nodes == body.select(vv.percent((0, 0, 0), (1, 100, 100)))).all()
    w.step(3)
    assert np.allclose(w.positions[nodes], w.rest_positions[nodes])
    held.move_to(w.rest_positions[nodes] + (0, 0.01, 0))
    w.step()
    assert np.allclose(w.positions[nodes, 1], w.rest_positions[nodes, 1] + 0.01)
    with pytest.raises(ValueError, match="positions: an array of 9 x 3"):
        held.move_to(np.zeros((2, 3)))
    turned = body.attach("spring", where=[5, 6], stiffness=100, motion={"linear_velocity": (0, 1, 0), "waypoints": [
        (0, (0, 0, 0), (0, 0, 0)), {"time": 1, "offset": (0, 0, 1)}]})
    assert list(turned.nodes) == [5, 6]
    body.attach("potential", where="all", potential="harmonic")
    with pytest.raises(TypeError, match="potential 'harmonic': there is no 'stifness'"):
        body.attach("potential", potential="harmonic", stifness=1)
    with pytest.raises(TypeError, match="attach: there is no 'acelleration'"):
        body.attach("push", acelleration=(1, 0, 0))
    body.attach("push", acceleration=(1, 0, 0))
    w.step()
    turned.end()
    w.step()
    for where in (vv.box((0, 0, 0), (1, 1, 1)), vv.sphere((0, 0, 0), 0.3), vv.half_space((0, 0, 0), (1, 0, 0)), "all"):
        assert len(body.select(where)) > 0
    assert len(body.select({"kind": "all", "surface_only": True})) < w.node_count


def test_statics_and_modes():
    w, body = beam()
    body.attach(where=vv.percent((0, 0, 0), (1, 100, 100)))
    w.settle()
    tip = (w.positions - w.rest_positions)[:, 1].min()
    assert -0.1 < tip < -0.001 and (w.velocities == 0).all()
    modes = body.modes(4)
    assert len(modes) == 4 and (np.diff(modes.frequencies) >= 0).all() and modes.shapes.shape == (4, w.node_count, 3)
    m = body.masses[:, None]
    assert np.allclose([(m * s * s).sum() for s in modes.shapes], 1)
    energies = modes.energies(body.rest_positions + 1e-4 * modes.shape(1), np.zeros((w.node_count, 3)))
    assert energies.argmax() == 1 and np.isclose(energies[1], 0.5 * (modes.frequencies[1] * 1e-4) ** 2, rtol=1e-3)
    assert modes.rigid_count == 0 and len(body.modes(2, end="highest")) == 2
    with pytest.raises(IndexError):
        modes.shape(9)


def test_loads_fields_and_reactions():
    w, body = beam(gravity=(0, 0, 0))
    root = body.attach(where=vv.percent((0, 0, 0), (1, 100, 100)))
    pull = body.attach("force", where=vv.percent((99, 0, 0), (100, 100, 100)), load=(1000, 0, 0))
    w.settle()
    force, moment = root.reaction()
    assert np.allclose(np.abs(force), (1000, 0, 0), atol=1) and moment.shape == (3,)
    assert np.allclose(pull.forces.sum(0), (1000, 0, 0)) and pull.work >= 0
    stress = body.field("stress")
    assert stress.shape == (len(body.tets), 6) and np.isclose(np.median(stress[:, 0]), 1e5, rtol=0.1)
    assert body.field("von-mises", at_nodes=True).shape == (w.node_count,) and vv.field("stress").unit == "Pa"
    assert np.allclose(sum(w.forces(t) for t in vv.force_terms), 0, atol=1)
    assert w.attachments == [root, pull] and [a.kind for a in w.attachment_summaries()] == ["fixed", "force"]
    assert w.attachment_summaries()[0].body == body
    with pytest.raises(vv.InputError, match="did you mean 'stress'"):
        body.field("stres")
    with pytest.raises(vv.InputError):
        w.forces("nothing")


def test_a_frame_into_a_world(tmp_path):
    scene = vv.Scene(sorted((ROOT / "scenes").glob("rotating-cube.json"))[0])
    w = scene.world(threads=1)
    w.run(4, record=tmp_path / "a.vtkhdf")
    other = scene.world(threads=1)
    vv.Run(tmp_path / "a.vtkhdf").load_frame(2, other)
    assert other.step_index == 2 and (other.positions == vv.Run(tmp_path / "a.vtkhdf").positions(2)).all()


def test_joints():
    w = vv.World(threads=1)
    a, b = (w.add_body(vv.Mesh.generate("box", size=(1, 0.1, 0.1)), translate=(x, 0, 0)) for x in (0, 1.2))
    hinge = w.add_joint("hinge", bodies=(a, b), at=(1.1, 0, 0), axis=(0, 0, 1))
    rope = w.add_joint("ball", bodies=(a, None), at=(-0.5, 0, 0))
    w.step(3)
    assert hinge.kind == "hinge" and hinge.bodies == (a, b) and rope.bodies == (a, None) and w.joints == [hinge, rope]
    state = hinge.state()
    assert not state.broken and state.gap < 0.01 and abs(state.position) < 20
    hinge.set_motor(90, 1)
    w.step()
    assert w.broken_joints() == []
    rope.remove()
    assert not rope.is_valid
    with pytest.raises(ValueError, match="two are needed"):
        w.add_joint("ball", bodies=(a, b, a))


def test_rays_drags_overlaps():
    w, body = ball()
    hit = w.cast_ray((0, 1, 0), (0, -1, 0))
    assert hit.body == body and hit.obstacle is None and 0.2 < hit.point[1] < 0.26 and hit.normal[1] > 0.9
    assert w.cast_ray((0, 1, 0), (0, 1, 0)) is None
    with pytest.raises(vv.InputError):
        w.cast_ray((0, 0, 0), (0, 0, 0))
    with w.drag_at(hit, stiffness=200) as hand:
        hand.move_to((0, 0.5, 0))
        w.step(5)
        assert hand.point[1] > 0.2 and hand.is_valid
    assert not hand.is_valid
    drag = body.drag(vertex=3)
    drag.end()
    inside = w.overlap_nodes("sphere", center=tuple(body.measure().centre), radius=0.02)
    assert 0 < len(inside) < w.node_count and w.overlap_bodies("box", size=(9, 9, 9)) == [body]
    floor = w.cast_ray((3, 1, 0), (0, -1, 0))
    assert floor.body is None and floor.obstacle == w.obstacles[0]
    with pytest.raises(vv.InputError, match="an obstacle was hit"):
        w.drag_at(floor)


def test_contacts_and_events():
    w, body = ball(height=0.06)
    w.step(25)
    points = w.contacts()
    assert len(points) and (points["gap"] > 0).all() and (points["force"] >= 0).all()
    assert w.body_of(points[0]["side"]["body"]) == body and w.obstacle_of(points[0]["obstacle"]) == w.obstacles[0]
    assert w.body_of(points[0]["other"]["body"]) is None
    assert w.contact_events()["touching"] == [(body, w.obstacles[0])]
    assert len(w.find_intersections()) == 0 and w.contact_stiffness().now > 0
    w.check_intersections(True)
    w.step()
    assert w.contact_impulses().shape == (1, 3) and w.contact_impulses()[0, 1] > 0
    w.obstacles[0].set_friction(0.35)
    assert w.contact_impulses() is None
    w.obstacles[0].set_friction(0.3)
    assert w[body.name] == body and w.find_obstacle("nothing") is None
    steps, fraction = w.advance(2.5 * w.time_step)
    assert steps == 2 and abs(fraction - 0.5) < 1e-6
    w.set_friction(body, body, 0.25)
    assert w.friction(body, body) == 0.25 and w.obstacles[0].friction_with(body) == 0.3


def test_hessian():
    w = vv.World(gravity=(0, 0, 0))
    w.add_body(vv.Mesh.generate("box", cells=(2, 2, 2)), vv.Material("stvk", young=1e4))
    values, columns, start = w.hessian_arrays("elastic")
    n = 3 * w.node_count
    dense = np.zeros((n, n))
    for row in range(n):
        at = slice(start[row], start[row + 1])
        dense[row, columns[at]] = values[at]
    assert np.allclose(dense, dense.T, atol=1e-9 * abs(dense).max())
    assert np.allclose(dense @ np.tile([1.0, 0, 0], w.node_count), 0, atol=1e-9 * abs(dense).max())
    assert np.linalg.eigvalsh(dense)[6] > 1e-6 * abs(dense).max()      # six motions cost nothing, no seventh does
    with pytest.raises(vv.InputError, match="elastic"):
        w.hessian_arrays("elastc")
    scipy = pytest.importorskip("scipy.sparse")
    assert abs(w.hessian("elastic") - scipy.csr_array(dense)).max() < 1e-12 * abs(dense).max()


def test_forces_and_measures():
    w, body = ball(gravity=(0, 0, 0))
    body.apply_impulse((1, 0, 0))
    w.step()
    assert np.allclose(body.measure().momentum, (1, 0, 0), atol=1e-6)
    w.apply_forces([0, 1], (0, 5, 0))
    body.apply_force((0, 0, 2))
    w.step()
    assert body.measure().momentum[2] > 0
    with pytest.raises(ValueError, match="forces"):
        w.apply_forces([0, 1], np.zeros((3, 3)))
    with pytest.raises(TypeError, match="nodes: whole numbers"):
        w.apply_forces([0.5], (0, 0, 1))
    with pytest.raises(vv.InputError):
        w.apply_forces([10**6], (0, 0, 1))
    whole, each = w.measure_visible(w.rest_positions, 0.1)
    assert np.isclose(each["total"].sum(), whole.total) and len(w.body_visible) == 1
    assert np.allclose(body.transform().rotation.reshape(3, 3) @ body.transform().rotation.reshape(3, 3).T, np.eye(3))


def test_obstacles():
    w, body = ball(contact="penalty")
    o = w.add_obstacle("sphere", name="ball below", center=(5, 0, 0), radius=0.5, friction=0.1)
    assert o.type == "sphere" and list(o.values) == [5, 0, 0, 0.5] and o.name == "ball below" and o.body is None
    o.set_friction(0.9)
    o.set_filter(mask=0)
    assert o.filter["mask"] == 0
    hills = w.add_obstacle("heightfield", samples=np.zeros((4, 5)), size=(10, 10), center=(0, -3, 0))
    assert hills.samples.shape == (1, 4, 5)
    grid = vv.Mesh.generate("ball").sample_distance()
    level = w.add_obstacle("level-set", samples=grid["samples"], origin=grid["origin"] + (9, 0, 0), spacing=grid["spacing"])
    assert level.samples.shape == grid["samples"].shape
    moving = w.add_obstacle("box", center=(20, 0, 0), moves=True, motion={"linear_velocity": (1, 0, 0)})
    w.step(3)
    assert moving.body.velocities[0, 0] == pytest.approx(1) and moving.body.is_kinematic and moving.body.attachment is not None
    with pytest.raises(ValueError, match="samples"):
        w.add_obstacle("heightfield", samples=[1, 2, 3])


def test_data_of_things():
    w, body = ball()
    body.data = {"score": 3}
    assert w["ball"].data == {"score": 3} and w.obstacles[0].data is None


def test_drawings():
    w, _ = ball()
    w.step()
    d = w.draw(what=["surfaces", "bounds", "names"])
    assert d.triangles.shape[1:] == (3, 3) and len(d.triangles) == len(w.bodies[0].triangles) and d.texts[0][1] == "ball"
    assert len(d.segments) == 12


def test_meshes_from_and_to_arrays():
    box = vv.Mesh.generate("box", cells=(2, 2, 2))
    again = vv.Mesh(box.positions, tets=box.tets)
    assert (again.positions == box.positions).all() and len(again.triangles) == 48
    assert np.isclose(box.measure().volume, 1) or box.measure().volume > 0
    cloud = vv.Mesh(np.eye(3))
    assert len(cloud.points) == 3
    assert vv.Mesh([[0, 0, 0], [1, 0, 0]], edges=[[0, 1]]).edges.shape == (1, 2)
    for bad, message in ((dict(positions=np.zeros((3, 2))), "n x 3"), (dict(positions=np.eye(3), triangles=[[0, 1]]), "triangles"),
                         (dict(positions=np.eye(3), triangles=[[0, 1, 3]]), "counted from 0 to 2"),
                         (dict(positions=np.eye(3), triangles=[[0, 1, -1]]), "counted from 0 to 2"),
                         (dict(positions=np.full((3, 3), np.nan), triangles=[[0, 1, 2]]), "")):
        with pytest.raises(ValueError, match=message):
            vv.Mesh(**bad)
    with pytest.raises(TypeError, match="whole numbers"):
        vv.Mesh(np.eye(3), triangles=[[0.0, 1.0, 2.5]])
    with pytest.raises(TypeError, match="generator 'box': there is no 'cels'; did you mean 'cells'"):
        vv.Mesh.generate("box", cels=3)
    with pytest.raises(vv.InputError, match="did you mean 'box'"):
        vv.Mesh.generate("bx")
    with pytest.raises(ValueError):
        box.tets[0, 0] = 99999


def test_mesh_files_and_filling(tmp_path):
    ball_mesh = vv.Mesh.generate("ball")
    surface = vv.Mesh(ball_mesh.positions, triangles=ball_mesh.triangles)
    assert surface.check_surface()["sound"] and len(surface.check_surface()["parts"]) == 1
    filled = surface.fill(surface.propose_edge() * 4)
    assert len(filled.tets) > 10 and filled.notes.part > 0.5
    surface.write(tmp_path / "s.obj")
    assert len(vv.Mesh.read(tmp_path / "s.obj").triangles) == len(surface.triangles)
    with pytest.raises(vv.FileError):
        vv.Mesh.read(tmp_path / "none.obj")
    with pytest.raises(OSError):
        surface.write(tmp_path / "no" / "s.obj")
    nodes, weights, notes = ball_mesh.embed(surface)
    assert np.allclose(weights.sum(1), 1) and notes.farthest < 1e-6
    open_ = vv.Mesh(surface.positions, triangles=surface.triangles[1:])
    assert not open_.check_surface()["closed"] and open_.close_holes(1).check_surface()["closed"]
    w = vv.World(threads=1)
    carrier = w.add_body(vv.Mesh.generate("box", size=(0.2, 0.2, 0.2)), surface=surface)
    assert carrier.surface[2].shape == (len(surface.positions), 4)
    assert np.allclose(carrier.surface_positions(), surface.positions, atol=1e-9)
    assert vv.element_strain([[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [1.5, 0, 0]], [0, 1])[0] == pytest.approx(0.5)


def test_meshes_of_other_packages():
    box = vv.Mesh.generate("box", cells=(2, 1, 1))
    meshio = pytest.importorskip("meshio")
    there = box.to_meshio()
    assert isinstance(there, meshio.Mesh) and (vv.Mesh.from_meshio(there).tets == box.tets).all()
    pytest.importorskip("vtkmodules")
    grid = box.to_vtk()
    assert grid.GetNumberOfCells() == len(box.tets) and (vv.Mesh.from_vtk(grid).positions == box.positions).all()


def test_meshes_of_order_2():
    box = vv.Mesh.generate("box", cells=(2, 1, 1))
    mesh = box.raised()
    assert mesh.tets10.shape == (len(box.tets), 10) and len(mesh.tets) == 8 * len(box.tets)
    assert (mesh.tets10[:, :4] == box.tets).all() and len(box.tets10) == 0
    corners, middles = mesh.positions[mesh.tets10[:, [0, 1, 0, 0, 1, 2]]], mesh.positions[mesh.tets10[:, [1, 2, 2, 3, 3, 3]]]
    assert np.allclose(mesh.positions[mesh.tets10[:, 4:]], (corners + middles) / 2, atol=1e-15)
    x = mesh.positions.copy()
    x[:, 1] += 0.05 * x[:, 0] ** 2  # curved
    curved = vv.Mesh(x, tets10=mesh.tets10)
    assert (curved.tets10 == mesh.tets10).all() and (curved.positions == x).all()
    w = vv.World(threads=1)
    w.add_body(box, translate=(3, 3, 3))
    body = w.add_body(curved)
    assert (body.tets10 - body.nodes.start == mesh.tets10).all() and body.counts["tets10"] == len(mesh.tets10)
    assert (body.mesh.tets10 == mesh.tets10).all() and len(w.bodies[0].tets10) == 0
    if importlib.util.find_spec("meshio"):
        there = curved.to_meshio()
        assert there.cells[0].type == "tetra10"
        assert (vv.Mesh.from_meshio(there).tets10 == mesh.tets10).all()
        there.cells.append(box.to_meshio().cells[0])
        with pytest.raises(vv.InputError, match="those of one order"):
            vv.Mesh.from_meshio(there)
    if importlib.util.find_spec("vtkmodules"):
        grid = curved.to_vtk()
        assert grid.GetCellType(0) == 24 and (vv.Mesh.from_vtk(grid).tets10 == mesh.tets10).all()


def test_a_body_of_order_2_to_a_scene(tmp_path):
    def sagging(mesh):
        w = vv.World(threads=1, contact="none")
        beam = w.add_body(mesh, vv.Material("neo-hookean", young=1e5, poisson=0.3))
        beam.attach("fixed", where=vv.percent((0, 0, 0), (1, 100, 100)))
        return w
    box = vv.Mesh.generate("box", size=(1, 0.1, 0.1), cells=(6, 1, 1))
    w = sagging(box.raised())
    there = w.to_scene(tmp_path / "a").world(threads=1)
    assert len(there.bodies[0].tets10) == len(box.tets)
    for world in (w, there):
        world.settle()
    assert (w.positions == there.positions).all() and w.positions[:, 1].min() < w.rest_positions[:, 1].min() - 0.01
    x = box.raised().positions.copy()
    x[:, 1] += 0.05 * x[:, 0] ** 2
    with pytest.raises(vv.Unsupported, match="edges that are not straight"):
        sagging(vv.Mesh(x, tets10=box.raised().tets10)).to_scene(tmp_path / "b")


SCENE = {"time": {"step": 0.01, "end": 0.1}, "bodies": [{"name": "b", "mesh": {"generate": "box", "cells": [1, 1, 1]}}]}


def scene_dict():
    keys = vv.scene_keys()
    assert "bodies[].mesh" in keys
    return json.loads(json.dumps(SCENE))


def test_scenes(tmp_path):
    files = sorted((ROOT / "scenes").glob("*.json"))
    scene = vv.Scene(files[0])
    data = scene.to_dict()
    again = vv.Scene(data, {"time.step": 0.004}, name="mine")
    assert again.time.step == 0.004 and again.to_dict()["time"]["step"] == 0.004
    w = again.world()
    assert w.time_step == pytest.approx(0.004 / again.time.substeps) and w.scene is again
    assert scene.body_path(0) in ("bodies[0]", "bodies[0], copy 1") and scene.body_path(10**6) is None
    again.save(tmp_path / "s.json")
    assert vv.Scene(tmp_path / "s.json").to_dict() == again.to_dict()
    again.write_extract(w, [w.bodies[0].name], tmp_path / "e.json")
    again.write_state(w, tmp_path / "now.json")
    assert (vv.Scene(tmp_path / "now.json").world().positions == w.positions).all()
    vv.Scene(tmp_path / "e.json").world().bake()
    with pytest.raises(vv.InputError, match="mine"):
        vv.Scene({**data, "tme": 1}, name="mine")
    with pytest.raises(vv.FileError):
        vv.Scene(tmp_path / "none.json")
    with pytest.raises(ValueError, match="finite"):
        vv.Scene(data, {"time.step": float("inf")})


@pytest.mark.parametrize("steps", [0, 7])
def test_a_world_to_a_scene(tmp_path, steps):
    w, body = ball(contact={"friction": 0.2})
    body.attach("spring", where=[1, 2], stiffness=20, motion={"linear_velocity": (0, 0.5, 0)})
    cloth = w.add_body(vv.Mesh.generate("cloth"), vv.Material("stvk-membrane", thickness=1e-3, density=300),
                       more_materials=[vv.Material("hinge", young=1e5, thickness=1e-3)], translate=(3, 1, 0), friction=0.5)
    cloth.attach(where=vv.percent((0, 0, 0), (10, 100, 100)))
    w.set_friction(body, cloth, 0.7)
    w.step(steps)
    scene = w.to_scene(tmp_path / "made", end=1)
    again = scene.world(threads=1)
    assert again.time == w.time and [b.name for b in again.bodies] == ["ball", cloth.name]
    for world in (w, again):
        world.step(3)
    assert (again.positions == w.positions).all()
    assert again.friction(again.bodies[0], again.bodies[1]) == 0.7 and again.bodies[1].friction == 0.5
    assert again.bodies[1].materials == cloth.materials and again.obstacles[0].friction_with(again.bodies[0]) == 0.3
    assert w.copy().to_scene(tmp_path / "copy", end=1).to_dict()["time"] == w.to_scene(tmp_path / "made", end=1).to_dict()["time"]
    hand = body.drag(vertex=0)
    with pytest.raises(vv.Unsupported, match="is dragged"):
        w.to_scene(tmp_path / "other")
    hand.end()
    w.add_joint("ball", bodies=(body, None), now=True)
    with pytest.raises(vv.Unsupported, match="between bodies as they stood"):
        w.to_scene(tmp_path / "other")


LOADS = [("force", {"load": (0, 3, 1), "keys": [(0, 0), (0.05, 1)], "smooth": True}), ("traction", {"load": (0, 50, 0), "follows": True}),
         ("pressure", {"pressure": 40, "follows": True, "keys": [(0, 1), (0.1, 2)]}), ("pressure", {"pressure": -20}),
         ("roller", {"axes": 5}), ("roller", {"normal": (1, 2, 0)}), ("fixed", {"release": 0.02}),
         ("push", {"acceleration": (0, 20, 0), "keys": [(0, 0), (0.02, 1), (0.04, 0)]})]


@pytest.mark.parametrize("kind, given", LOADS)
@pytest.mark.parametrize("steps", [0, 5])
def test_a_scene_holds_loads_and_supports(tmp_path, kind, given, steps):
    w, body = ball()
    body.attach(kind, where=vv.percent((0, 50, 0), (100, 100, 100)), **given)
    w.step(steps)
    again = w.to_scene(tmp_path / "made").world(threads=1)
    before = w.positions.copy()
    for world in (w, again):
        world.step(4)
    assert abs(again.positions - w.positions).max() < 1e-15 and not (w.positions == before).all()
    free, _ = ball()
    free.step(steps + 4)
    assert not (free.positions == w.positions).all()


JOINTS = [("hinge", {"axis": (0, 0, 1), "limits": (-30, 30), "motor_speed": 90, "motor_force": 0.5}), ("fixed", {"reach": 0.05}),
          ("slider", {"axis": (1, 0, 0), "stiffness": 2e3}), ("distance", {"to": (0.1, 0.5, 0), "limits": (0, 0.3)}), ("ball", {"collide": True})]


@pytest.mark.parametrize("kind, given", JOINTS)
def test_a_scene_holds_joints(tmp_path, kind, given):
    w, body = ball()
    other = w.add_body(vv.Mesh.generate("box", size=(0.1, 0.1, 0.1), cells=(2, 2, 2)), vv.Material("neo-hookean", young=1e5), translate=(0.4, 0.5, 0))
    joint = w.add_joint(kind, bodies=(body, other), at=(0.25, 0.5, 0), break_force=1e6, **given)
    w.add_joint("ball", bodies=(None, other), at=(0.4, 0.55, 0))
    if kind == "hinge":
        joint.set_motor(45, 0.25)
    w.step(5)
    again = w.to_scene(tmp_path / "made").world(threads=1)
    for world in (w, again):
        world.step(4)
    assert [j.kind for j in again.joints] == [kind, "ball"] and again.joints[1].bodies[0] is None
    assert abs(again.positions - w.positions).max() < 1e-6  # what the first solve begins from differs


@pytest.mark.parametrize("kind, limits", [("slider", (-np.inf, 0.002)), ("slider", (-np.inf, np.inf)), ("distance", (-np.inf, 0.1)), ("distance", (0.1, np.inf))])
def test_a_scene_holds_limits_of_one_side(tmp_path, kind, limits):
    w, body = ball()
    w.add_joint(kind, bodies=(None, body), at=(0, 0.5 + 0.1 * (kind == "distance"), 0), axis=(0, -1, 0), to=(0, 0.5, 0), limits=limits)
    w.step(5)
    again = w.to_scene(tmp_path / "made").world(threads=1)
    for world in (w, again):
        world.step(10)
    assert abs(again.positions - w.positions).max() < 1e-5  # what the first solve begins from differs


def test_a_scene_never_leaves_out_what_holds_a_body(tmp_path):
    support = {"where": {"percent": [[0, 0, 0], [0, 100, 100]]}, "kind": "fixed"}
    bodies = [{"material": {"young": 1e5}, "mesh": {"box": {"cells": [1, 1, 1]}}, "attach": [support]}]
    for text in ({"bodies": bodies}, {"bodies": [dict(bodies[0], attach=[])], "gravity_keys": [[0, 0], [1, 1]]}):
        w = vv.Scene({"visviva": 1, **text}).world(threads=1)
        with pytest.raises(vv.Unsupported, match="was not made in Python"):
            w.to_scene(tmp_path / "made")


def test_a_scene_of_a_world_that_a_copy_or_a_snapshot_left(tmp_path):
    """Motors are those of the world that is asked, as are attachments' places and joints' time steps."""
    w, body = ball()
    joint = w.add_joint("hinge", bodies=(None, body), at=(0, 0.5, 0), axis=(0, 0, 1), motor_speed=30, motor_force=1)
    begin = w.snapshot()
    w.copy().joints[0].set_motor(-90, 5)
    assert w.to_scene(tmp_path / "made").to_dict()["joints"][0]["motor"] == {"speed": 30, "force": 1}
    joint.set_motor(60, 2)
    assert w.to_scene(tmp_path / "made").to_dict()["joints"][0]["motor"] == {"speed": 60, "force": 2}
    w.restore(begin)
    assert w.to_scene(tmp_path / "made").to_dict()["joints"][0]["motor"] == {"speed": 30, "force": 1}
    w.time_step *= 2
    with pytest.raises(vv.Unsupported, match="got its stiffness from another time step"):
        w.to_scene(tmp_path / "other")
    w.joints[0].remove()
    w.set_state(w.positions + 0.01)
    body.attach("spring", stiffness=10)
    with pytest.raises(vv.Unsupported, match="in a world that had moved"):
        w.to_scene(tmp_path / "other")


def test_notes_of_a_run(tmp_path):
    w, _ = ball()
    with w.record(tmp_path / "run.vtkhdf") as run:
        run.step()
        run.note("warning: the bench was hit")
        run.note("warning: the bench was hit")
        run.step()
    assert (1, "warning: the bench was hit") in vv.Run(tmp_path / "run.vtkhdf").notes
    assert [words for _, words in vv.Run(tmp_path / "run.vtkhdf").notes].count("warning: the bench was hit") == 1
    with pytest.raises(vv.UsageError, match="closed"):
        run.note("too late")


def test_a_number_of_steps():
    w, _ = ball()
    with pytest.raises(ValueError, match="steps: 0 or more"):
        w.run(-1)
    for every in (0, -1):
        with pytest.raises(ValueError, match="every: 1 or more"):
            w.run(2, every=every)
    assert len(w.run(0)) == 0


def test_runs(tmp_path):
    path = tmp_path / "run.vtkhdf"
    w, body = ball()
    rows = w.run(6, record=path, every=2)
    assert vv.ledger_columns()["kinetic"] == "J"
    assert vv.ledger_columns(rows[-1])["kinetic"] == rows["kinetic"][-1] and vv.ledger_columns(rows[-1])["step"] == 6
    run = vv.Run(path)
    assert len(run) == 4 and run.status == "done" and run.node_count == w.node_count and list(run.steps) == [0, 2, 4, 6]
    assert (run.positions(-1) == w.positions).all()
    for name in rows.dtype.names:
        np.testing.assert_array_equal(run.ledger[1:][name], rows[name], name)
    assert run.scheme == "backward-euler" and run.bodies[0].name == "ball" and run.bodies[0].nodes == body.nodes
    assert (run.bodies[0].tets == body.tets).all() and run.vertices(0).shape[0] == run.vertex_count
    assert run.body_energies.shape == (7, 1) and run.phases.shape == (6, len(vv.phases())) and len(list(run)) == 4
    assert run.obstacles()[0]["type"] == "plane" and run.gravity[1] == -9.8 and run.lengths.length > 0
    assert len(run.obstacle_mesh(0, 2).triangles) and run.curvature(-1).shape == (run.node_count,)
    assert len(run.find_intersections(-1)) == 0 and run.find_passing(1) is None and run.measure_shown(0).body == -1
    run.export(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text().count("\n") > 5
    with pytest.raises(IndexError, match="there are 4"):
        run.positions(4)
    seen = []
    run.export(tmp_path / "f.obj", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (4, 4)
    with pytest.raises(vv.Cancelled):
        run.export(tmp_path / "g.obj", cancel=lambda: True)
    pytest.importorskip("pandas")
    frame = run.dataframe()
    assert frame["kinetic"].iloc[-1] == rows["kinetic"][-1] and "momentum_y" in frame
    pytest.importorskip("meshio")
    assert run.mesh(-1).point_data["velocity"].shape == (run.node_count, 3)
    body0 = run.bodies[0]
    run.close()
    with pytest.raises(vv.InputError, match="closed"):
        run.positions(0)
    with pytest.raises(vv.InputError, match="closed"):
        body0.tets
    other, _ = ball()
    with other.resume(path, output=tmp_path / "more.vtkhdf", change="more") as r:
        report = r.step()
        assert report.end == "converged"
    more = vv.Run(tmp_path / "more.vtkhdf")
    assert len(more) == 5 and more.changes[0][1] == "more" and other.step_index == 7
    with pytest.raises(vv.UsageError, match="closed"):
        r.step()


def test_tables():
    for name in ("schemes", "policies", "solvers", "materials", "obstacles", "generators", "contact_models", "joints",
                 "initial_states", "potentials", "export_formats", "mesh_formats", "linear_solvers", "line_searches",
                 "accelerations", "fallbacks", "contact_needs"):
        table = getattr(vv, name)
        assert table and all(table.values()), name
    p = vv.parameters("generator", "ball")
    assert p["cells"].min < p["cells"].max and p["cells"].summary
    assert vv.parameters("policy", "filtered-search")
    assert vv.check_scheme("bdf2").measured_order == pytest.approx(2, abs=0.1)
    assert vv.scheme_end_forces("backward-euler") and vv.contact_model("barrier")["bodies"] == "barrier"
    assert vv.nearest_word("bal", ["ball", "box"]) == "ball" and vv.nearest_word("qqq", ["ball"]) is None
    with pytest.raises(vv.InputError, match="there is no scheme"):
        vv.check_scheme("bdf")
    with pytest.raises(vv.InputError, match="there is no kind"):
        vv.parameters("thing", "x")


def test_initial_states():
    w, body = ball(height=1)
    name = "angular"
    body.set_initial_state(name)
    w.step()
    assert w.step_index == 1
    with pytest.raises(TypeError, match="initial state 'angular': there is no"):
        body.set_initial_state(name, nonsense=1)


def test_pictures(program, tmp_path):
    w, _ = ball()
    w.run(3, record=tmp_path / "r.vtkhdf")
    picture = w.show(tmp_path / "a.png", size=(160, 120))
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG" and picture == str(tmp_path / "a.png")
    vv.Run(tmp_path / "r.vtkhdf").picture(tmp_path / "b.png", frame=0, size=(160, 120), wire=True)
    with pytest.raises(vv.Error, match="--nonsense"):
        w.show(tmp_path / "c.png", nonsense=3)
    plt = pytest.importorskip("matplotlib")
    plt.use("Agg")
    axes = vv.plot_ledger({"a": w.run(2)}, ("kinetic", "total"))
    assert len(axes.lines) == 2


def test_groups_of_a_mesh(tmp_path):
    """A physical group is a region: of its vertices, and of exactly its triangles for what loads these."""
    path = tmp_path / "tet.msh"
    path.write_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 4 \"skin\"\n$EndPhysicalNames\n"
                    "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n3\n"
                    "1 2 2 4 1 1 2 3\n2 2 2 4 1 1 2 4\n3 4 2 0 1 1 2 3 4\n$EndElements\n")
    mesh = vv.Mesh.read(path)
    assert list(mesh.groups) == ["skin"]
    group = mesh.find_group("skin")
    assert group["dimension"] == 2 and group["triangles"].shape == (2, 3) and list(group["vertices"]) == [0, 1, 2, 3]
    assert mesh.find_group("skim") is None
    world = vv.World(time_step=0.01, gravity=(0, 0, 0))
    body = world.add_body(mesh)
    assert len(body.select(mesh.groups["skin"])) == 4
    load = body.attach(kind="traction", where=mesh.groups["skin"], load=(7, 0, 0))
    world.step()
    assert abs(load.reaction()[0][0]) == pytest.approx(7)  # two faces of half a square metre
    with pytest.raises(ValueError, match="rows of 3"):
        body.attach(kind="traction", where={"vertices": [0, 1, 2, 3], "triangles": [0, 1]}, load=(7, 0, 0))


def test_materials_of_regions(tmp_path):
    path = tmp_path / "two.msh"
    path.write_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"left\"\n3 2 \"right\"\n$EndPhysicalNames\n"
                    "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n2\n"
                    "1 4 2 2 1 2 3 4 5\n2 4 2 1 1 1 2 3 4\n$EndElements\n")
    mesh = vv.Mesh.read(path)
    assert mesh.find_group("right")["tets"].shape == (1, 4)
    regions = mesh.tet_regions(["left", "right"])
    assert list(regions) == [1, 0] and list(mesh.raised().tet_regions(["right", "left"])) == [0, 1]
    with pytest.raises(vv.InputError, match='no group of tets "middle"'):
        mesh.tet_regions(["left", "right", "middle"])
    with pytest.raises(TypeError, match="names"):
        mesh.tet_regions("left")
    world = vv.World(time_step=0.01, gravity=(0, 0, 0))
    body = world.add_body(mesh, material={"model": "stvk", "density": 600}, more_materials=[{"model": "stvk", "density": 300}],
                          tet_materials=regions)
    assert world.masses.sum() == pytest.approx(100 + 100)  # volumes 1/6 and 1/3
    assert list(body.tet_materials) == [1, 0]
    with pytest.raises(ValueError, match="tet_materials"):
        world.add_body(mesh, tet_materials=[0, 0, 0])
    with pytest.raises(vv.Error, match="tet_materials"):
        world.to_scene(tmp_path / "no")


def test_meshes_of_order_2(tmp_path):
    ball, linear = vv.Mesh.generate("ball", radius=0.5, cells=3, order=2), vv.Mesh.generate("ball", radius=0.5, cells=3)
    fine = vv.Mesh.generate("ball", radius=0.5, cells=12)
    assert ball.tets10.shape == (540, 10) and linear.tets10.shape == (0, 10)
    surface = ball.positions[np.unique(ball.triangles)]
    assert np.allclose(np.linalg.norm(surface, axis=1), 0.5, atol=1e-12)
    far = [np.linalg.norm(m.positions[np.unique(m.triangles)], axis=1).min() for m in (linear.raised(), linear.raised(fine))]
    edges = {tuple(sorted(e)) for t in linear.triangles for e in zip(t, np.roll(t, 1))}
    assert 0 < linear.raised(fine).notes.moved <= len(edges) == ball.notes.moved
    assert linear.raised(fine).notes.straight == ball.notes.straight == 0 and linear.raised().notes is None
    assert far[0] < 0.49 < 0.495 < far[1]
    linear.write(tmp_path / "ball.msh")
    assert len(vv.Mesh.read(tmp_path / "ball.msh", order=2).tets10) == 0
    with pytest.raises(ValueError, match="order is 3"):
        vv.Mesh.generate("ball", order=3)
