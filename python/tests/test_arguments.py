"""Every argument that cannot be what it should be is refused by its name, and nothing else happens."""
import datetime
import re

import numpy as np
import pytest
from conftest import ball

import visviva as vv

NUMBERS = ("abc", "", None, [1, 2], {}, object(), 10**400, b"x", 1 + 2j, np.complex128(1 + 2j), np.datetime64("2020"))
WHOLE = (*NUMBERS, 2.5, 2**40, 10**5000)
WORDS = (None, 3, 2.5, ["a"], object(), b"x", "a\0b", "\udc80", np.array(["a", "b"]))
PATHS = (None, 3, ["a"], object(), "a\0b", {"a": 1})
ARRAYS = ("abc", object(), np.array([1 + 2j, 0, 0]), [1j, 0, 0], np.array(["1", "2", "3"]), {}, [10**400, 0, 0],
          np.array(["2020"] * 3, "datetime64"), [[1, 2], [3]])
FLAGS = (0, 1, "no", [], object())

world, body = ball()
fixed = body.attach("fixed", where=[0, 1])
world.step()
joint = world.add_joint("ball", bodies=(body, None), at=(0, 0.2, 0))
box = vv.Mesh.generate("box")
batch = vv.Batch([ball()[0]])

CASES = [  # what is refused, the argument's name, what it is given to
    (NUMBERS, "time_step", lambda v: setattr(world, "time_step", v)),
    (WHOLE, "threads", lambda v: setattr(world, "threads", v)),
    (ARRAYS, "gravity", lambda v: setattr(world, "gravity", v)),
    (NUMBERS, "friction", lambda v: setattr(body, "friction", v)),
    (FLAGS, "self_contact", lambda v: setattr(body, "self_contact", v)),
    (NUMBERS, "seconds", lambda v: world.advance(v)),
    (WHOLE, "most", lambda v: world.advance(0.01, v)),
    (NUMBERS, "fraction", lambda v: world.interpolate(v)),
    (WHOLE[:-2], "count", lambda v: world.step(v)),
    ((-1,), "count", lambda v: world.step(v)),
    (WHOLE[:-2], "steps", lambda v: world.run(v)),
    (WHOLE, "every", lambda v: world.run(1, every=v)),
    (FLAGS, "apply", lambda v: world.settle(v)),
    (ARRAYS, "force", lambda v: body.apply_force(v)),
    (ARRAYS, "positions", lambda v: world.set_state(v)),
    (ARRAYS, "velocities", lambda v: body.set_state(velocities=v)),
    (ARRAYS, "positions", lambda v: fixed.move_to(v)),
    (WORDS, "term", lambda v: world.forces(v)),
    (WORDS, "term", lambda v: world.hessian_arrays(v)),
    (FLAGS, "projected", lambda v: world.hessian_arrays("elastic", v)),
    (WORDS, "field", lambda v: body.field(v)),
    (FLAGS, "at_nodes", lambda v: body.field("stress", at_nodes=v)),
    (WHOLE, "count", lambda v: body.modes(v)),
    (WORDS, "end", lambda v: body.modes(2, v)),
    (WHOLE, "index", lambda v: body.bending(v)),
    (WHOLE, "index", lambda v: body.set_material(v, young=1)),
    (WORDS, "initial state", lambda v: body.set_initial_state(v)),
    (NUMBERS, "mu", lambda v: world.set_friction(body, body, v)),
    (NUMBERS, "speed", lambda v: joint.set_motor(v, 1)),
    (NUMBERS, "friction", lambda v: world.obstacles[0].set_friction(v)),
    (WHOLE, "revision", lambda v: world.setting_change(v)),
    (WORDS, "name", lambda v: world[v]),
    (WORDS, "name", lambda v: world.find_obstacle(v)),
    ((3, "x", object()), "state", lambda v: world.load_state(v)),
    ((3, object()), "bodies", lambda v: world.add_joint("ball", bodies=v)),
    (ARRAYS, "translate", lambda v: world.add_body(box, translate=v)),
    (NUMBERS[:2] + NUMBERS[3:], "young", lambda v: vv.Material(young=v)),
    (WORDS[1:], "model", lambda v: vv.Material(v)),
    (WORDS[1:], "name", lambda v: world.add_body(box, name=v)),
    (ARRAYS, "normal", lambda v: world.add_obstacle("plane", normal=v)),
    (WORDS[1:], "obstacle", lambda v: world.add_obstacle(v)),
    (ARRAYS, "origin", lambda v: world.cast_ray(v, (0, -1, 0))),
    (WORDS, "generator", lambda v: vv.Mesh.generate(v)),
    (ARRAYS, "cells", lambda v: vv.Mesh.generate("box", cells=v)),
    (ARRAYS, "positions", lambda v: vv.Mesh(v)),
    ((*ARRAYS, [0.5] * 4, [True] * 4), "tets", lambda v: vv.Mesh(np.eye(4, 3), tets=v)),
    (PATHS, "path", lambda v: vv.Mesh.read(v)),
    (PATHS, "path", lambda v: box.write(v)),
    (WORDS[1:], "format", lambda v: box.write("box.msh", v)),
    (WORDS, "name", lambda v: box.find_group(v)),
    (NUMBERS, "width", lambda v: box.close_holes(v)),
    (NUMBERS, "spacing", lambda v: box.sample_distance(v)),
    (NUMBERS[:2] + NUMBERS[3:], "edge", lambda v: box.fill(v)),
    (PATHS, "path", lambda v: vv.Run(v)),
    (PATHS, "path", lambda v: world.record(v)),
    (PATHS[:-1], "source", lambda v: vv.Scene(v)),
    (WHOLE, "threads", lambda v: vv.Batch([world], v)),
    ((3, None, object()), "worlds", lambda v: vv.Batch(v)),
    (WHOLE, "steps", lambda v: batch.step(v)),
    ((*ARRAYS, [1, 2]), "forces", lambda v: batch.step(nodes=[0], forces=v)),
    (ARRAYS[:-4], "nodes", lambda v: batch.step(nodes=v, forces=(0, 0, 0))),
    ((3, object()), "into", lambda v: batch.step(into=v)),
    (WORDS, "scheme", lambda v: vv.check_scheme(v)),
    (WORDS, "solver", lambda v: vv.solver_budget(v)),
    (("newtn", ""), "solver", lambda v: vv.solver_budget(v)),
    (("bdf", ""), "scheme", lambda v: vv.scheme_end_forces(v)),
    (WORDS, "kind", lambda v: vv.parameters(v, "box")),
    ((3, np.zeros(1), np.zeros(2, vv.LEDGER), "x"), "row", lambda v: vv.ledger_columns(v)),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_what_is_wrong_is_refused_by_name(number):
    wrong, name, use = CASES[number]
    for value in wrong:
        with pytest.raises((TypeError, ValueError)) as found:
            use(value)
        said = str(found.value)
        assert name in re.split(r"(?: is)? needed", said)[0] or f"no {name}" in said, (value, said)
        assert type(found.value) in (TypeError, ValueError, vv.InputError) and len(said) < 300, (value, said)


def test_numbers_may_be_what_numpy_and_python_have():
    for value in (1, np.float32(1), np.int8(1), np.array(1.0), True):
        world.time_step = value
    world.time_step = 1 / 120
    world.gravity = np.array([0, -9.8, 0], np.float32)
    world.gravity = (0, -10**15 / 10**15, np.longdouble(0))
    assert list(world.gravity) == [0, -1, 0]
    assert vv.ledger_columns(world.run(2)[1])["step"] == world.step_index


def test_the_first_words_of_a_wrong_value_are_shown():
    class Unprintable:
        def __repr__(self):
            raise RuntimeError
    for value, said in ((list(range(1000)), "..."), (Unprintable(), "a Unprintable"), (datetime.date(2020, 1, 1), "2020")):
        with pytest.raises(TypeError, match=re.escape(said)):
            world.time_step = value


def test_masked_values_are_no_values():
    masked = np.ma.array(np.eye(3), mask=[[0, 1, 0]] * 3)
    with pytest.raises(TypeError, match="positions: some values are masked"):
        vv.Mesh(masked)
    with pytest.raises(TypeError, match="edges: some values are masked"):
        vv.Mesh(np.eye(3), edges=np.ma.array([[0, 1], [1, 2]], mask=[[0, 0], [0, 1]]))
    assert len(vv.Mesh(np.ma.array(np.eye(3))).positions) == 3
