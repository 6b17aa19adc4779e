"""Threads, Ctrl-C, callbacks that raise, fork, pickle, and a library of another version."""
import copy
import logging
import multiprocessing
import os
import pickle
import signal
import threading

import numpy as np
import pytest
from conftest import ball, in_process

import visviva as vv
from visviva import _calls, _version, handles, questions, state
from visviva import run as run_module


def test_ctrl_c_ends_a_long_step_and_the_world_is_as_before():
    out = in_process("""
import os, signal, threading, visviva as vv
w = vv.World(threads=1, solver={"tolerance": 1e-12, "max_iterations": 100000})
w.add_obstacle("plane")
w.add_body(vv.Mesh.generate("box", cells=(24, 24, 24)), translate=(0, 0.7, 0))
w.bake()
before = w.positions.copy(), w.velocities.copy(), w.time
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    w.step(100000)
    print("no interrupt")
except KeyboardInterrupt:
    print("interrupted")
i = w.step_index
if i == 0:
    print((w.positions == before[0]).all() and (w.velocities == before[1]).all() and w.time == before[2])
w.set_solver(tolerance=0.1)
w.step()
print(w.step_index == i + 1)
""")
    assert out.split() in (["interrupted", "True", "True"], ["interrupted", "True"])


# Each takes a second or more; what it is given, the signal leaves as it was.
LONG = {
    "generate": ("pass", "vv.Mesh.generate('box', cells=(80, 80, 80))"),
    "raise": ("m = vv.Mesh.generate('box', cells=(36, 36, 36))", "m.raised()"),
    "wrap": ("m = vv.Mesh.generate('ball', cells=24); m = vv.Mesh(m.positions, triangles=m.triangles)", "m.fill(0.004)"),
    "a scene": ("s = vv.Scene({'visviva': 1, 'bodies': [{'mesh': {'box': {'cells': [80, 80, 80]}}}]})", "s.world()"),
    "bake": ("w = vv.World(threads=1); w.add_body(vv.Mesh.generate('box', cells=(44, 44, 44)))", "w.bake()"),
    "factor": ("w = vv.World(threads=1, solver={'linear': 'cholesky'});"
               "w.add_body(vv.Mesh.generate('box', cells=(26, 26, 26))); w.bake()", "w.step()"),
}


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_long_work_in_the_library(name):
    """Not after it: the library's call says that it was cancelled."""
    before, act = LONG[name]
    out = in_process(f"""
import os, signal, threading, visviva as vv
from visviva import _callbacks, _calls
from visviva._vv import lib
{before}
seen = []
def noted(function):
    def f(*args, **how):
        done = function(*args, **how)
        seen.append(done)
        return done
    return f
import visviva.mesh, visviva.scene
def watched(function, *args, calls=None):
    return _callbacks.interruptibly(noted(function), *args, calls=calls)
visviva.mesh.interruptibly = visviva.scene.interruptibly = watched
call = _calls.Calls._call
_calls.Calls._call = lambda self, function, *args: call(self, noted(function), *args)
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {act}
    print("no interrupt")
except KeyboardInterrupt:
    print("interrupted", seen[-1] == lib.VV_CANCELLED, vv.Mesh.generate("box").positions.shape[0] > 0)
""")
    assert out.split() == ["interrupted", "True", "True"]


def test_calls_without_a_world_within_each_other():
    m = vv.Mesh.generate("ball", cells=4)
    surface, made = vv.Mesh(m.positions, triangles=m.triangles), []

    def again(what, part):
        made.append(vv.Mesh.generate("box"))
        if len(made) == 5:
            raise LookupError("mine")
    with pytest.raises(LookupError, match="mine"):
        surface.fill(0.03, progress=again)
    assert len(made) == 5 and len(surface.fill(0.03).tets)
    with pytest.raises(vv.Cancelled):
        surface.fill(0.03, cancel=lambda: bool(vv.Mesh.generate("box")))


def test_a_signal_handlers_exception_comes_through():
    out = in_process("""
import signal, visviva as vv
class Enough(Exception): pass
def stop(*_): raise Enough("now")
signal.signal(signal.SIGALRM, stop)
w = vv.World(threads=1)
w.add_body(vv.Mesh.generate("box", cells=(16, 16, 16)))
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    w.step(10**6)
except Enough as e:
    print("through", e)
w.step()
""")
    assert out.strip() == "through now"


def slow():
    w = vv.World(threads=1, solver={"tolerance": 1e-12})
    w.add_body(vv.Mesh.generate("box", cells=(14, 14, 14)))
    w.bake()
    return w


def test_only_one_thread_at_a_time():
    w = slow()
    done = threading.Event()

    def go():
        w.step(6)
        done.set()
    thread = threading.Thread(target=go)
    thread.start()
    refused = turns = 0
    while not done.is_set():
        turns += 1
        for use in (w.step, lambda: w.positions, lambda: w.time, w.close, lambda: w.bodies[0].name):
            try:
                if not done.is_set() and w._owner:
                    use()
            except vv.UsageError as e:
                refused += "another thread is using this world" in str(e)
            if not w.is_open:
                break
    thread.join()
    assert refused > 10 and turns > 2  # Python goes on while C works
    assert w.step_index >= 6


def test_no_other_thread_comes_between_an_address_and_its_array(monkeypatch):
    w, body = ball(height=0.1)
    w.run(3)
    obstacle, spring, refused = w.obstacles[0], body.attach("spring"), []

    def end():
        try:
            w.close()
        except vv.UsageError as e:
            refused.append(str(e))

    def meddle(function):
        def with_another_thread(*args, **values):
            thread = threading.Thread(target=end)
            thread.start()
            thread.join()
            return function(*args, **values)
        return with_another_thread
    for module in (_calls, handles, questions, state):
        for name in ("view", "copied", "pointer_to", "text", "record"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, meddle(getattr(module, name)))
    for look in (lambda: w.positions, lambda: w.masses, lambda: w.visible_velocities, lambda: w.interpolate(0.5),
                 lambda: w.forces("elastic"), lambda: w.body_energies, lambda: w.contacts(),
                 lambda: w.set_state(w.positions), lambda: body.tets, lambda: body.triangles, lambda: body.name,
                 lambda: body.material, lambda: body.bending(),
                 lambda: body.field("stress"), lambda: obstacle.values, lambda: obstacle.name, lambda: spring.nodes,
                 lambda: spring.forces, lambda: body.set_state(body.positions)):
        refused.clear()
        w._views.clear()
        look()
        assert w.is_open and refused and all("another thread is using" in r for r in refused)


def test_a_run_is_not_closed_while_an_array_is_made_of_it(monkeypatch, tmp_path):
    w, _ = ball()
    w.run(2, record=tmp_path / "a.vtkhdf")
    for look in (lambda r, b: b.tets, lambda r, b: b.triangles, lambda r, b: r.rest_positions, lambda r, b: r.scheme,
                 lambda r, b: r.obstacles()):
        run, waited = vv.Run(tmp_path / "a.vtkhdf"), []
        body = run.bodies[0]
        expected = repr(look(run, body))

        def meddle(function):
            def with_another_thread(*args):
                thread = threading.Thread(target=run.close)
                thread.start()
                thread.join(0.05)
                waited.append(thread.is_alive())
                return function(*args)
            return with_another_thread
        with monkeypatch.context() as patch:
            for name in ("view", "copied", "text"):
                patch.setattr(run_module, name, meddle(getattr(run_module, name)))
            assert repr(look(run, body)) == expected and waited and all(waited)


def test_cancel_from_another_thread_and_by_a_function():
    w = slow()
    threading.Timer(0.1, w.cancel).start()
    with pytest.raises(vv.Cancelled):
        w.step(100000)
    w.step()
    asked = []
    w = vv.World(threads=1, cancel=lambda: bool(asked.append(1)) or len(asked) > 2)
    w.add_body(vv.Mesh.generate("box", cells=(14, 14, 14)))
    with pytest.raises(vv.Cancelled):
        w.step(100000)
    assert len(asked) == 3


def test_an_exception_in_a_callback_is_raised_by_the_call():
    def no():
        raise LookupError("mine")
    w = vv.World(threads=1, cancel=no)
    body = w.add_body(vv.Mesh.generate("box", cells=(14, 14, 14)))
    before = w.positions.copy()
    with pytest.raises(LookupError, match="mine"):
        w.step(100000)
    assert w.step_index > 0 or (w.positions == before).all()
    w._calls.cancel = None
    w.step()
    surface = vv.Mesh(body.mesh.positions, triangles=body.mesh.triangles)

    def also_no(what, part):
        raise LookupError(what)
    with pytest.raises(LookupError, match="filling"):
        surface.fill(0.05, progress=also_no)


def test_log_goes_to_logging_and_its_handlers_may_raise(caplog):
    w, _ = ball()
    caplog.set_level(logging.INFO, "visviva")
    w.step()
    w.set_contact(friction=0.4)
    w.step()
    w.set_solver(linear="cholesky")
    body = w.add_body(vv.Mesh.generate("box"), translate=(3, 1, 0))
    w.step()
    assert w.messages and caplog.messages[-1] == w.messages[-1]

    class Bad(logging.Handler):
        def handle(self, record):
            raise LookupError("handler")
    bad = Bad()
    logging.getLogger("visviva").addHandler(bad)
    try:
        body.remove()
        with pytest.raises(LookupError, match="handler"):
            w.step()
    finally:
        logging.getLogger("visviva").removeHandler(bad)
    w.step()


def test_a_world_in_its_own_callback():
    found = []

    def look():
        found.append(w.node_count)
        for use in (w.step, w.close, lambda: w.set_state(velocities=w.velocities)):
            try:
                use()
            except vv.UsageError as e:
                found.append("callback" in str(e))
        return True
    w = vv.World(threads=1, cancel=look)
    w.add_body(vv.Mesh.generate("box", cells=(14, 14, 14)))
    with pytest.raises(vv.Cancelled):
        w.step(100000)
    assert found == [w.node_count, True, True, True]
    w._calls.cancel = None
    w.step()


def test_a_forked_child_may_not_use_the_parents_worlds():
    w, body = ball(threads=2)
    w.step()
    x = w.positions
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        answer = b"?"
        try:
            try:
                w.step()
            except vv.UsageError as e:
                answer = str(e).encode()
            child, _ = ball(threads=2)
            child.step()
            answer += b" sum %r" % float(x.sum())
            del child
        finally:
            os.write(write, answer)
            os._exit(0)
    os.waitpid(pid, 0)
    answer = os.read(read, 4096).decode()
    assert "made before fork()" in answer and f"sum {float(x.sum())!r}" in answer
    w.step()


def in_child(function, seconds=60):
    """What a function gives in a child of fork(), which is ended when it takes too long."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            signal.alarm(seconds)
            os.write(write, str(function()).encode())
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(write)
    with os.fdopen(read) as pipe:
        return pipe.read()


def test_a_forked_child_does_not_write_its_parents_run(tmp_path):
    w, _ = ball()
    recorder = w.record(tmp_path / "a.vtkhdf")
    recorder.step()

    def write():
        try:
            recorder.note("from the child")
        except vv.UsageError as e:
            return e
    assert "before fork()" in in_child(write)
    recorder.step()
    recorder.close()
    run = vv.Run(tmp_path / "a.vtkhdf")
    assert run.status == "done" and len(run) == 3 and not run.notes


def test_a_forked_child_reads_runs_though_a_thread_of_the_parent_did(tmp_path):
    w, _ = ball()
    w.run(2, record=tmp_path / "a.vtkhdf")
    run, done = vv.Run(tmp_path / "a.vtkhdf"), threading.Event()

    def read():
        while not done.is_set():
            run.positions(1)
    thread = threading.Thread(target=read)
    thread.start()
    try:
        for _ in range(4):
            assert in_child(lambda: len(vv.Run(tmp_path / "a.vtkhdf")), seconds=10) == "3"
    finally:
        done.set()
        thread.join()


def test_spawned_processes_work():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(np.allclose, ([1.0], [1.0]))


def test_pickle_and_copy_are_refused_by_name():
    w, body = ball()
    w.step()
    for thing, hint in ((w, "scene"), (body, ""), (vv.Mesh.generate("box"), "arrays"), (w.snapshot(), "save_state"),
                        (body.modes(1), "shapes")):
        for act in (pickle.dumps, copy.deepcopy, copy.copy):
            with pytest.raises(TypeError, match=f"a visviva.{type(thing).__name__} cannot be pickled.*{hint}"):
                act(thing)
    assert pickle.loads(pickle.dumps(w.ledger()["total"])) == w.ledger()["total"]


def test_another_version_is_refused():
    _version.check_version("0.3.0", (0, 3, 0), (0, 3, 0))
    for library, header, generated in (("0.4.0", (0, 3, 0), (0, 3, 0)), ("0.3.0", (0, 3, 0), (0, 2, 9))):
        with pytest.raises(vv.Error, match="Install the package anew"):
            _version.check_version(library, header, generated)


def test_the_program_by_module(program):
    out = in_process("import runpy, sys; sys.argv = ['visviva', '--version']; runpy.run_module('visviva', run_name='__main__')")
    assert vv.__version__ in out
    out = in_process("""
import os, visviva.pictures as p, visviva as vv
p.PROGRAM = "/nowhere/visviva"
try: vv.program()
except vv.UsageError as e: print(e)
""", VISVIVA="", PATH="/nowhere")
    assert "put it into $PATH" in out


def test_worlds_in_threads_at_the_same_time():
    made = [ball(height=0.06)[0] for _ in range(4)]
    threads = [threading.Thread(target=w.step, args=(20,)) for w in made]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all((w.positions == made[0].positions).all() and w.step_index == 20 for w in made)


def test_run_files_in_threads(tmp_path):
    w, _ = ball()
    w.run(3, record=tmp_path / "a.vtkhdf")
    failed = []

    def read():
        try:
            for _ in range(30):
                with vv.Run(tmp_path / "a.vtkhdf") as run:
                    run.positions(-1), run.ledger
        except BaseException as e:
            failed.append(e)
    threads = [threading.Thread(target=read) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed
