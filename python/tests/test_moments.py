"""Wrong moments: in a callback, after a fork, as a second signal comes in, and in memory that is gone."""
import gc
import signal

import numpy as np
import pytest
from conftest import ball, in_process
from test_calls import in_child

import visviva as vv
from visviva import world as world_module
from visviva._vv import lib


def test_a_scene_in_its_own_callback(tmp_path):
    mesh, found = vv.Mesh.generate("ball", cells=4), []
    vv.Mesh(mesh.positions, triangles=mesh.triangles).write(tmp_path / "ball.obj")
    scene = vv.Scene({"visviva": 1, "bodies": [{"mesh": {"file": "ball.obj", "fill": True}}]}, folder=tmp_path)

    def again(what, part):
        with pytest.raises(vv.UsageError, match="this scene is making a world"):
            scene.world()
        found.append(part)
    assert scene.world(progress=again).node_count > 0 and found
    assert scene.world().node_count > 0


@pytest.fixture
def run(tmp_path):
    w, _ = ball()
    w.run(3, record=tmp_path / "a.vtkhdf")
    with vv.Run(tmp_path / "a.vtkhdf") as run:
        yield run


def test_a_run_is_not_closed_in_its_export(run, tmp_path):
    def close(done, total):
        run.close()
    with pytest.raises(vv.UsageError, match="this run is being exported"):
        run.export(tmp_path / "a.ply", progress=close)
    assert len(run) == 4
    run.export(tmp_path / "a.ply", progress=lambda done, total: run.positions(done % total))
    run.close()


def test_an_exports_world_is_held(tmp_path):
    w = vv.Scene({"visviva": 1, "bodies": [{"mesh": {"box": {"cells": [2, 2, 2]}}}]}).world()
    w.run(3, record=tmp_path / "a.vtkhdf")
    with vv.Run(tmp_path / "a.vtkhdf") as run:
        said = []

        def meddle(done, total):
            for use in (w.close, w.step):
                with pytest.raises(vv.UsageError) as found:
                    use()
                said.append(str(found.value))
        run.export(tmp_path / "a.pvd", "vtu", world=w, fields="stress", progress=meddle)
        assert len(said) >= 8 and all("callback" in s for s in said)
        with pytest.raises(LookupError, match="mine"):
            run.export(tmp_path / "b.pvd", "vtu", world=w, fields="stress", progress=lambda *_: {}["mine"])
    w.step()


def test_a_signals_handler_does_not_close_a_world_that_is_listed():
    w, body = ball()
    w.step()
    refused = []

    def close(*_):
        with pytest.raises(vv.UsageError, match="callback"):
            w.close()
        refused.append(1)
        raise LookupError("mine")
    before = signal.signal(signal.SIGALRM, close)

    class Rows(dict):
        def __setitem__(self, key, value):
            super().__setitem__(key, value)
            if len(self) == 3:
                signal.raise_signal(signal.SIGALRM)
    try:
        for look in (w.settings, body.settings):
            assert look()
            original = type(w._calls).__setattr__

            class Watched(type(w._calls)):
                def __setattr__(self, name, value):
                    original(self, name, Rows() if name == "settings" else value)
            w._calls.__class__, plain = Watched, type(w._calls)
            try:
                with pytest.raises(LookupError, match="mine"):
                    look()
            finally:
                w._calls.__class__ = plain
    finally:
        signal.signal(signal.SIGALRM, before)
    assert len(refused) == 2 and w.settings()
    w.step()


def test_a_second_signal_does_not_end_the_next_call():
    w, _ = ball()

    def twice(*_):
        w._calls.pending = KeyboardInterrupt()  # the first had come in, and ended the call
        lib.vvpy_stop(w._watch)
        raise KeyboardInterrupt("second")
    with pytest.raises(KeyboardInterrupt, match="second"):
        w._call(twice)
    w.step(2)
    assert w.step_index == 2


def test_signals_at_any_moment_leave_the_world_to_other_threads():
    out = in_process("""
import random, signal, threading, visviva as vv
class Stop(Exception): pass
def stop(*_): raise Stop
w = vv.World(threads=1, contact="none")
w.add_body(vv.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], tets=[[0, 1, 2, 3]]))
w.step()
signal.signal(signal.SIGALRM, stop)
chance, found = random.Random(1), []
for _ in range(2000):
    try:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(2e-5, 4e-4))
        while True:
            w.step()
            w.positions
    except Stop:
        pass
    found.append(dict(w._turn) or w._owner)
thread = threading.Thread(target=w.step)
thread.start()
thread.join()
print(len(found), any(found))
""")
    assert out.split() == ["2000", "False"]


def test_signals_at_any_moment_leave_no_call_watched():
    out = in_process("""
import random, signal, visviva as vv
from visviva import _callbacks
from visviva._vv import lib
class Stop(Exception): pass
def stop(*_): raise Stop
mesh = vv.Mesh.generate("box", cells=(1, 1, 1))
signal.signal(signal.SIGALRM, stop)
chance, found, most = random.Random(1), [], 0
for _ in range(3000):
    try:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(2e-5, 3e-4))
        while True:
            mesh.copy()
    except Stop:
        pass
    found.append(lib.vvpy_watched())
    most = max(most, len(_callbacks._nested.receivers))
mesh.copy()
print(len(found), any(found), most <= 1, _callbacks._nested.receivers)
""")
    assert out.split() == ["3000", "False", "True", "[]"]


def test_a_signal_within_a_callback_ends_only_the_call_there():
    mesh, ended = vv.Mesh.generate("ball", cells=3), []
    surface = vv.Mesh(mesh.positions, triangles=mesh.triangles)
    w, _ = ball()

    def stop(*_):
        raise LookupError("mine")

    def meddle(what, part):
        before = signal.signal(signal.SIGALRM, stop)
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-3)
            while True:
                vv.Mesh.generate("box", cells=(9, 9, 9))
        except LookupError:
            ended.append(part)
        finally:
            signal.signal(signal.SIGALRM, before)
        w.step()
    assert surface.fill(edge=0.1, progress=meddle).tets.size > 0
    assert len(ended) > 3 and w.step_index == len(ended)


def test_a_forked_child_may_drop_its_parents_batch():
    batch = vv.Batch([ball()[0] for _ in range(3)], threads=2)
    batch.step(2)

    def use():
        try:
            batch.step()
        except vv.UsageError as e:
            return e
    assert "before fork()" in in_child(use)
    boxed = [batch]
    del batch

    def drop():
        boxed.clear()
        gc.collect()
        fresh = vv.Batch([ball()[0] for _ in range(3)], threads=2)
        return fresh.step(2).steps_made
    assert in_child(drop, seconds=20) == "[2 2 2]"
    boxed[0].step()


def test_things_are_dropped_while_python_forks(tmp_path):
    """Handlers of other modules run next to ours around fork(), and garbage may be collected in them."""
    assert in_process("""if True:
        import os, signal, sys
        kept, counts = [], []
        def drop():
            counts.append(len(kept))
            if kept:
                kept.pop()
        os.register_at_fork(before=drop, after_in_parent=drop, after_in_child=drop)
        import visviva as vv
        os.register_at_fork(before=drop, after_in_parent=drop, after_in_child=drop)
        def world(threads=2):
            w = vv.World(threads=threads)
            w.add_body(vv.Mesh.generate("box", cells=3))
            w.step()
            return w
        def recorder(at):
            recorder = world().record(os.path.join(sys.argv[1], f"{at}.vtkhdf"))
            recorder.step()
            return recorder
        def batch():
            batch = vv.Batch([world(1), world(1)], threads=2)
            batch.step()
            return batch
        scene = lambda: vv.Scene({"visviva": 1, "bodies": [{"mesh": {"box": {}}}]})
        signal.alarm(60)
        for make in (lambda _: scene(), lambda _: world(), lambda _: batch(), recorder):
            kept[:] = [make(at) for at in range(6)]
            pid = os.fork()
            if pid == 0:
                signal.alarm(20)
                kept.clear()
                os._exit(0 if world().node_count > 0 and scene().world().node_count > 0 else 1)
            print(os.waitpid(pid, 0)[1], counts)
            counts.clear()
        kept[0].step()
        kept[0].close()
        print(len(vv.Run(kept[0].path)), vv.Run(kept[0].path).status)
        """, tmp_path).split("\n")[:-1] == ["0 [6, 5, 4, 3]"] * 4 + ["3 done"]


def test_a_forked_child_uses_what_a_thread_of_the_parent_held():
    w, body = ball()
    modes, scene = body.modes(2), vv.Scene({"visviva": 1, "bodies": [{"mesh": {"box": {}}}]})
    still = np.zeros((modes.node_count, 3))
    with modes._lock, scene._lock:
        assert in_child(lambda: len(modes.energies(still, still)) + len(scene.world().bodies), seconds=20) == "4"


def test_ids_are_not_read_of_freed_memory(monkeypatch):
    w, body = ball()
    made = [body.attach(where=[i]) for i in range(3)]

    def late(world, id):
        hold = [lib.vvWorldAttachment(w._w, 99) for _ in range(20)]  # in the place of what was freed
        return vv.Attachment(world, id) if hold else None
    monkeypatch.setattr(world_module, "Attachment", late)
    assert w.attachments == made


def test_a_row_that_is_no_ledgers_is_not_read():
    for wrong in (np.zeros(1), np.zeros(3, vv.LEDGER), w_row()["total"]):
        with pytest.raises(TypeError, match="row: one row of a ledger is needed"):
            vv.ledger_columns(wrong)
    row = w_row()
    assert vv.ledger_columns(row)["total"] == row["total"]


def w_row():
    w, _ = ball()
    return w.run(1)[0]
