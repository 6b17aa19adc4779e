"""Worlds: energy, state, views, settings, and what is refused."""
import copy
import gc
import math
import pickle
import weakref

import numpy as np
import pytest
from conftest import ROOT, ball

import visviva as vv
from visviva._vv import ffi, lib


def test_ledger_is_the_identity():
    w, _ = ball(policy="filtered-search")
    start = w.ledger()
    rows = w.run(40)
    h = np.concatenate([[start["total"]], rows["total"]])
    change = rows["work"] - rows["friction"] - rows["damping"] - rows["decay"] + rows["springs"] + rows["error"]
    assert np.abs(np.diff(h) - change).max() < 1e-12 * rows["scale"][-1]
    assert list(rows["step"]) == list(range(1, 41)) and rows.dtype.names[:3] == ("step", "time", "kinetic")
    assert w.totals().steps == 40 and w.step_index == 40 and math.isclose(w.time, 40 / 120)


def test_bits_are_the_programs(program, tmp_path):
    import subprocess
    scene = ROOT / "scenes" / "first.json"
    scene = scene if scene.exists() else sorted((ROOT / "scenes").glob("*drop*.json"))[0]
    made = vv.Scene(scene, {"time.end": 0.2})
    subprocess.run([program, "run", str(scene), "--set", "time.end=0.2", "--quiet", "-o", str(tmp_path / "run.vtkhdf")],
                   check=True, capture_output=True)
    run = vv.Run(tmp_path / "run.vtkhdf")
    w = made.world()
    w.step(int(run.steps[-1]))
    assert (w.positions == run.positions(-1)).all() and (w.velocities == run.state_velocities(-1)).all()
    assert w.ledger()["total"] == run.ledger["total"][-1]


def test_views_copy_nothing_and_are_live():
    w, body = ball()
    w.bake()
    x = w.positions
    before = x.copy()
    w.step(3)
    assert w.positions is x and (x[:, 1] < before[:, 1]).all()
    assert body.positions.base is not None and np.shares_memory(body.positions, x)
    assert x.ctypes.data == int(ffi.cast("uintptr_t", lib.vvWorldPositions(w._w)))
    assert not x.flags.writeable and not w.velocities.flags.writeable
    with pytest.raises(ValueError):
        x[0, 0] = 1
    assert isinstance(x.base, np.ndarray) and not x.flags.owndata


def test_views_outlive_structure_and_world():
    gc.collect()
    pins, orphans = lib.vvpy_pin_count(), lib.vvpy_orphan_bytes()
    w, body = ball()
    w.step()
    x, part, v = w.positions, w.positions[::2, 1], w.velocities
    last = x.copy()
    w.add_body(vv.Mesh.generate("box"), translate=(1, 1, 0))
    w.step()
    assert (x == last).all() and len(w.positions) > len(x) and (part == last[::2, 1]).all()
    assert lib.vvpy_orphan_bytes() > orphans
    w.close()
    assert (x == last).all()
    del x, w, body
    gc.collect()
    assert (part == last[::2, 1]).all() and lib.vvpy_orphan_bytes() > orphans
    del part, v
    gc.collect()
    assert (lib.vvpy_pin_count(), lib.vvpy_orphan_bytes()) == (pins, orphans)


def test_a_world_goes_with_its_last_reference():
    w, body = ball()
    body.attach(where=[0])
    w.step()
    before, gone = lib.vvpy_live_bytes(), weakref.ref(w)
    gc.disable()
    try:
        del w, body
        assert gone() is None and lib.vvpy_live_bytes() < before
    finally:
        gc.enable()


def test_no_memory_is_left():
    def live():
        gc.collect()
        return lib.vvpy_live_bytes()
    ball()[0].step()
    before = live()
    for _ in range(3):
        w, body = ball()
        w.step(2)
        w.snapshot(), body.modes(3), w.contacts(), body.mesh
        del w, body
    assert live() == before


def test_edit_writes_in_place_and_books_work():
    w, body = ball()
    w.step()
    x = w.positions
    before = x.copy()
    with w.edit() as (y, u):
        assert y.ctypes.data == w.positions.ctypes.data
        y[:, 1] += 0.01
        u[:] = 0
    assert np.allclose(w.positions[:, 1], before[:, 1] + 0.01) and (w.velocities == 0).all()
    assert not y.flags.writeable
    w.step()
    assert abs(w.ledger()["work"]) > 1e-6
    before = w.positions.copy()
    with pytest.raises(vv.InputError):  # below the plane
        with w.edit() as (y, _):
            y[:, 1] -= 5
    assert (w.positions == before).all()
    with pytest.raises(RuntimeError, match="mine"):
        with w.edit() as (y, _):
            y[:, 1] += 1
            raise RuntimeError("mine")
    assert (w.positions == before).all()
    w.step()


def test_set_state_and_interpolate():
    w, body = ball()
    w.step(2)
    a = w.interpolate(0)
    assert np.allclose(w.interpolate(1), w.positions) and not np.allclose(a, w.positions)
    w.set_state(velocities=np.zeros((w.node_count, 3)))
    assert (w.velocities == 0).all()
    body.set_state(positions=body.positions + (0, 0.1, 0))
    assert w.positions[:, 1].min() > a[:, 1].min()
    for bad in (np.zeros((3, 3)), np.zeros(w.node_count * 3)):
        with pytest.raises(ValueError, match=f"positions: an array of {w.node_count} x 3 is needed"):
            w.set_state(bad)
    with pytest.raises(TypeError, match="array of numbers"):
        w.set_state("here")
    with pytest.raises(vv.InputError):
        w.set_state(np.full((w.node_count, 3), np.nan))


def test_snapshots_and_copies_have_the_same_bits():
    w, _ = ball(policy="filtered-search")
    w.step(10)
    s = w.snapshot()
    other = w.copy()
    state = w.save_state()
    w.step(5)
    a = w.positions.copy()
    for world in (w, other):
        world.restore(s)
        world.step(5)
        assert (world.positions == a).all()
    third, _ = ball(policy="filtered-search")
    third.bake()
    third.load_state(state)
    third.step(5)
    assert (third.positions == a).all() and s.bytes > 0
    with pytest.raises(vv.InputError):
        third.load_state(b"nonsense")


def test_settings_while_it_runs():
    w, body = ball()
    w.gravity = (0, -1, 0)
    assert list(w.gravity) == [0, -1, 0] and w.definition["gravity"][1] == -1
    w.time_step = 1 / 60
    w.threads = 2
    w.set_integrator("bdf2")
    assert w.definition["integrator"]["scheme"] == "bdf2"
    w.set_integrator("backward-euler")
    w.set_integrator(policy="filtered-search", settings={"scope": "world"})
    w.set_solver(max_iterations=77)
    w.set_contact(friction=0.7, springs={"stiffness": 1e6})
    assert w.definition["integrator"]["policy"] == "filtered-search"
    assert w.definition["solver"]["max_iterations"] == 77 and w.definition["contact"]["friction"] == 0.7
    body.set_material(young=5e4)
    body.set_damping(drag=0.5)
    body.friction = 0.4
    assert body.material["young"] == 5e4 and body.material["damping"]["drag"] == 0.5 and body.friction == 0.4
    assert body.material["model"] == "neo-hookean"
    w.step(2)
    assert w.settings()["solver.max_iterations"] == 77 and body.settings()["material.young"] == 5e4
    assert "friction" in w.setting_change(w.settings_revision)[1]
    assert w.setting_change(10**6) is None
    body.set_filter(mask=0)
    assert body.filter["mask"] == 0 and body.filter["category"] == 1
    w.step()


def test_names_of_arguments_in_messages():
    with pytest.raises(vv.InputError, match=r"^time_step is -1"):
        vv.World(time_step=-1)
    with pytest.raises(TypeError, match="there is no 'timestep'; did you mean 'time_step'"):
        vv.World(timestep=1)
    with pytest.raises(vv.InputError, match="integrator.scheme: \"bkward\""):
        vv.World(scheme="bkward")
    with pytest.raises(TypeError, match=r"solver: there is no 'tolerence'; did you mean 'tolerance'"):
        vv.World(solver={"tolerence": 1})
    with pytest.raises(TypeError, match="time_step: a number is needed, not 'x'"):
        vv.World(time_step="x")
    with pytest.raises(ValueError, match="gravity: 3 numbers are needed, not 2"):
        vv.World(gravity=(1, 2))
    with pytest.raises(ValueError, match="time_step is nan"):
        vv.World(time_step=math.nan)
    with pytest.raises(TypeError, match="True or False"):
        vv.World(contact={"self_contact": 1})
    w, body = ball()
    mesh = vv.Mesh.generate("box")
    for values, message in (
        ({"material": {"youn": 1}}, "material: there is no 'youn'; did you mean 'young'"),
        ({"material": 3}, "material: the name of a model"),
        ({"mesh": "box"}, "mesh: a visviva.Mesh is needed, not str"),
        ({"name": 3}, "name: text is needed"),
    ):
        with pytest.raises(TypeError, match=message):
            w.add_body(**{"mesh": mesh, **values})
    for values, message in (
        ({"material": {"model": "neohookean"}}, "material.model: \"neohookean\" is not known"),
        ({"material": {"young": -1}}, "material.young is -1"),
        ({"scale": (1, 0, 1)}, "^scale is 0"),
        ({"friction": 1e9}, "^friction is 1e"),
    ):
        with pytest.raises(vv.InputError, match=message):
            w.add_body(mesh, **values)
    with pytest.raises(vv.InputError, match="there is no obstacle 'plain'; did you mean 'plane'"):
        w.add_obstacle("plain")
    with pytest.raises(TypeError, match="obstacle 'sphere': there is no 'radios'; did you mean 'radius'"):
        w.add_obstacle("sphere", radios=1)
    with pytest.raises(vv.InputError, match="kind: 'fixd' is not known; did you mean 'fixed'"):
        body.attach("fixd")
    with pytest.raises(TypeError, match="where: there is no 'radus'; did you mean 'radius'"):
        body.attach(where={"kind": "sphere", "radus": 1})
    with pytest.raises(ValueError, match="triangle_thickness"):
        w.add_body(vv.Mesh.generate("cloth"), "stvk-membrane", triangle_thickness=[1, 2])
    with pytest.raises(KeyError, match="no body is called 'bal'"):
        w["bal"]


def test_messages_name_methods():
    w, body = ball()
    with pytest.raises(vv.InputError, match="^interpolate: fraction is 2"):
        w.interpolate(2)
    with pytest.raises(vv.InputError, match="^modes: count is 0"):
        body.modes(0)
    with w.edit():
        with pytest.raises(vv.InputError, match=r"leave the block of edit\(\) first"):
            w.step()


def test_read_only_arrays_cannot_be_made_writable():
    w, body = ball()
    for a in (w.positions, w.positions[1:], body.masses, body.tets):
        with pytest.raises(ValueError):
            a.flags.writeable = True


def test_stale_things_say_so():
    w, body = ball()
    at = body.attach(where=vv.percent((0, 90, 0), (100, 100, 100)))
    obstacle = w.obstacles[0]
    s = w.snapshot()
    at.end()
    body.remove()
    obstacle.remove()
    for use in (lambda: body.positions, lambda: body.name, lambda: body.modes(1), lambda: body.attach(),
                lambda: body.set_material(young=1), lambda: at.nodes, lambda: at.move_to((0, 0, 0)), lambda: obstacle.name,
                lambda: obstacle.type, lambda: body.apply_force((0, 1, 0)), lambda: body.material, lambda: body.remove(),
                lambda: body.surface, lambda: body.tets, lambda: body.energy, lambda: body.measure()):
        with pytest.raises(vv.InputError):
            use()
    assert not body.is_valid and not at.is_valid and repr(body) == "<visviva.Body: removed>"
    w.restore(s)
    assert body.is_valid and body.name == "ball" and obstacle.type == "plane"
    w.close()
    with pytest.raises(vv.UsageError, match="this world is closed"):
        w.step()
    with pytest.raises(vv.UsageError, match="closed"):
        w.positions
    assert not body.is_valid
    w.close()


def test_a_body_of_another_world_is_refused():
    (a, x), (b, y) = ball(), ball()
    with pytest.raises(vv.InputError, match="of another world"):
        a.set_friction(x, y, 0.1)
    with pytest.raises(TypeError, match="a visviva.Body is needed"):
        a.set_friction(x, "ball", 0.1)
    assert a["ball"] == x != b["ball"] and len({x, a["ball"]}) == 1


def test_friction_with_what_is_no_body_of_the_world():
    w, body = ball()
    obstacle, (_, stranger) = w.obstacles[0], ball()
    assert obstacle.friction_with(body) == 0.3
    with pytest.raises(vv.InputError, match="of another world"):
        obstacle.friction_with(stranger)
    body.remove()
    for wrong in (body, None):
        with pytest.raises(vv.InputError, match="a body of this world is needed"):
            obstacle.friction_with(wrong)


def test_materials():
    jelly = vv.Material("neo-hookean", young=3e4, damping={"drag": 0.1})
    assert pickle.loads(pickle.dumps(jelly)) == jelly == copy.deepcopy(jelly)
    m = vv.Material("neo-hookean", young=1e5)
    assert m.young == 1e5 and m.poisson == 0.3 and m.replace(young=2).young == 2 and m.model == "neo-hookean"
    assert vv.Material("affine").young == 1e8 and m == vv.Material("neo-hookean", young=1e5)
    with pytest.raises(AttributeError, match="no 'yuong'"):
        m.yuong
    w, _ = ball()
    rigid = w.add_body(vv.Mesh.generate("box"), "affine", translate=(2, 1, 0))
    assert rigid.material["young"] == 1e8 and rigid.is_affine
    cloth = w.add_body(vv.Mesh.generate("cloth"), vv.Material("stvk-membrane", thickness=1e-3, density=300),
                       more_materials=[vv.Material("hinge", young=1e5, thickness=1e-3)], translate=(5, 1, 0))
    assert [m["model"] for m in cloth.materials] == ["stvk-membrane", "hinge"]
    bending, each = cloth.bending(1)
    assert len(each) == bending.triangle_count and cloth.bending(0) is None
    w.step()


def test_bodies_sleep_and_wake():
    w, body = ball(height=0.12, solver={"sleep_after": 0.1, "sleep_speed": 1})
    steps = 0
    while not body.asleep:
        w.step()
        steps += 1
        assert steps < 1000
    before = w.positions.copy()
    w.step(20)
    assert (w.positions == before).all() and w.ledger()["kinetic"] == 0
    body.wake()
    assert not body.asleep


def test_a_run_that_ends_early_has_its_rows():
    w, _ = ball()

    def stop(world):
        if world.step_index == 3:
            raise KeyError("enough")
    with pytest.raises(KeyError) as found:
        w.run(10, stop)
    assert len(found.value.ledger) == w.step_index == 3  # with that of the step after which it was raised


def test_text_of_a_world():
    w, body = ball()
    assert "1 bodies" in repr(w) and "ball" in repr(body) and "total" in w._repr_html_()
    w.close()
    assert repr(w) == "<visviva.World: is closed>" and "closed" in w._repr_html_()
