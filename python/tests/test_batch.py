"""Many worlds at once."""
import threading

import numpy as np
import pytest
from conftest import ball, in_process

import visviva as vv


def worlds(count=4):
    prototype, _ = ball(height=0.06)
    prototype.step()
    return [prototype.copy(threads=1) for _ in range(count)]


def test_steps_are_those_of_the_worlds_themselves():
    rng = np.random.default_rng(1)
    handle = [0, 5, 9]
    together, alone = worlds(), worlds()
    batch = vv.Batch(together, threads=2)
    assert len(batch) == 4 and batch.threads == 2
    for _ in range(3):
        forces = rng.normal(0, 0.01, (4, 3, 3))
        seen = batch.step(2, nodes=handle, forces=forces)
        for w, f in zip(alone, forces):
            for _ in range(2):
                w.apply_forces(handle, f)
                w.step()
    for i, w in enumerate(alone):
        assert (seen.positions[i] == w.positions).all() and (seen.velocities[i] == w.velocities).all()
        assert (together[i].positions == w.positions).all() and seen.ledger[i]["total"] == w.ledger()["total"]
    assert list(seen.steps_made) == [2] * 4 and not seen.failures
    again = batch.step(into=seen)
    assert again is seen and (again.positions[0] == together[0].positions).all()
    some = vv.Batch(together, gather=[3, 1]).step(0)
    assert (some.positions == again.positions[:, [3, 1]]).all()
    assert batch.step(nodes=[0], forces=(0, 0, 1)).positions.shape == again.positions.shape


def test_one_fails_alone():
    made = worlds(3)
    made[1].cancel()
    batch = vv.Batch(made)
    seen = batch.step(strict=False)
    assert list(seen.steps_made) == [1, 0, 1] and isinstance(seen.failures[1], vv.Cancelled)
    made[1].cancel()
    with pytest.raises(vv.Cancelled, match="^world 1: ") as found:
        batch.step()
    assert list(found.value.gathered.steps_made) == [1, 0, 1]
    batch.step()


def test_what_is_wrong_is_refused():
    made = worlds(2)
    batch = vv.Batch(made)
    for wrong, kind, words in (
        (lambda: vv.Batch([]), vv.InputError, "at least one"),
        (lambda: vv.Batch([1]), TypeError, "visviva.World is needed, not int"),
        (lambda: vv.Batch(made, threads=-1), vv.InputError, "threads is -1"),
        (lambda: vv.Batch([made[0], made[0]]).step(), vv.InputError, "comes twice"),
        (lambda: batch.step(-1), vv.InputError, "steps is -1"),
        (lambda: batch.step(nodes=[0]), vv.InputError, "go together"),
        (lambda: batch.step(nodes=[0], forces=np.zeros((3, 1, 3))), ValueError, ""),
        (lambda: batch.step(nodes=[10**6], forces=(0, 0, 0)), vv.InputError, "1000000"),
        (lambda: batch.step(nodes=[0], forces=(0, 0, np.nan)), vv.InputError, "nan"),
        (lambda: batch.step(into=vv.Gathered(np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3))), ValueError, "into.positions"),
    ):
        with pytest.raises(kind, match=words):
            wrong()
    assert all(w.step_index == 1 for w in made)
    with pytest.raises(TypeError, match="a visviva.Batch cannot be pickled"):
        import pickle
        pickle.dumps(batch)
    big, _ = ball(cells=4)
    with pytest.raises(vv.InputError, match="nodes"):
        vv.Batch([made[0], big]).step()
    assert vv.Batch([made[0], big], gather=[0]).step().positions.shape == (2, 1, 3)
    made[1].close()
    with pytest.raises(vv.UsageError, match="closed"):
        batch.step()


def test_worlds_are_held_while_it_steps():
    made = worlds(2)
    batch = vv.Batch(made, threads=1)
    done = threading.Event()

    def go():
        batch.step(400)
        done.set()
    thread = threading.Thread(target=go)
    thread.start()
    refused = 0
    while not done.is_set():
        try:
            made[0].time
        except vv.UsageError:
            refused += 1
    thread.join()
    assert refused > 0 and made[0].step_index == 401


def test_an_exception_ends_all_and_is_raised():
    def no():
        raise LookupError("mine")
    made = worlds(3)
    batch = vv.Batch(made, threads=2)
    made[1]._calls.cancel = no
    with pytest.raises(LookupError, match="mine"):
        batch.step(10**6)
    made[1]._calls.cancel = None
    batch.step()


def test_ctrl_c_ends_all():
    out = in_process("""
import os, signal, threading, visviva as vv
def make():
    w = vv.World(threads=1)
    w.add_body(vv.Mesh.generate("box", cells=(6, 6, 6)))
    return w
batch = vv.Batch([make() for _ in range(5)], threads=2)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    batch.step(10**6)
except KeyboardInterrupt:
    print("interrupted")
before = [w.step_index for w in batch.worlds]
print(max(before) < 10**6, (batch.step(2).steps_made == 2).all())
""")
    assert out.split() == ["interrupted", "True", "True"]
