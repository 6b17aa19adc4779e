#!/usr/bin/env python3
"""Random calls of everything public, right and wrong: none may crash, hang or raise what is no answer to its caller. Arrays
that were given are kept, and read again at any later time.

    fuzz_calls.py [CALLS] [SEED]

scripts/fuzz-python runs it with the address sanitizer. `test_fuzz` runs a part of it without.
"""
import collections
import gc
import inspect
import math
import os
import random
import sys
import tempfile
import time
import warnings

import numpy as np

import visviva as vv

# what says that an argument, or the moment, is wrong
ANSWERS = (vv.Error, TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError, MemoryError, OSError,
           ImportError, NotImplementedError, StopIteration)
# draw by the program, or write where they are told to
LEFT_OUT = {"show", "film", "picture", "save", "cancel", "program", "render", "plot_ledger"}
LIMIT = 0.3  # s, after which a call is cancelled


class Fuzzer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.folder = tempfile.mkdtemp(prefix="visviva-fuzz-")
        os.chdir(self.folder)  # words are paths, too
        self.until = math.inf
        self.arrays = collections.deque(maxlen=200)
        self.things = collections.defaultdict(lambda: collections.deque(maxlen=12))
        self.meshes = [vv.Mesh.generate("box", cells=(1, 1, 1)), vv.Mesh.generate("cloth", cells=(2, 2)),
                       vv.Mesh.generate("ball", cells=2), vv.Mesh(np.eye(3)), vv.Mesh(np.eye(3), edges=[[0, 1], [1, 2]])]
        self.calls = collections.Counter()

    def late(self):
        return time.monotonic() > self.until

    # ---- values ----

    def number(self):
        return self.random.choice([0, 1, -1, 0.5, 2, 3, 1e-3, 1e5, 1e-300, 1e300, -0.0, math.nan, math.inf, -math.inf, 7, 2**31,
                                   2**63, 10**30, True, np.float32(0.25), np.int64(2)])

    def array(self):
        shape = self.random.choice([(3,), (2,), (0,), (4, 3), (8, 3), (9, 3), (27, 3), (2, 2), (1, 3), (5,), (2, 4, 3)])
        a = self.numbers.normal(0, self.random.choice([1e-3, 0.1, 10]), shape)
        if self.random.random() < 0.1:
            a.flat[: 1 if a.size else 0] = math.nan
        return self.random.choice([a, a.astype(np.float32), (10 * a).astype(np.int64), (3 * a).astype(np.int8), a.astype(complex),
                                   np.asfortranarray(a), a[::-1], a.tolist(), abs(10 * a).astype(np.int32)])

    def word(self):
        names = [*vv.schemes, *vv.policies, *vv.solvers, *vv.materials, *vv.obstacles, *vv.generators, *vv.joints, *vv.potentials,
                 *vv.initial_states, "fixed", "spring", "push", "potential", "all", "box", "half-space", "lowest", "none", "",
                 "x" * 300, "\0", "ä", "auto", "barrier", "penalty"]
        return self.random.choice(names)

    def thing(self):
        kinds = [k for k, v in self.things.items() if v]
        return self.random.choice(self.things[self.random.choice(kinds)]) if kinds else None

    def dictionary(self):
        return self.random.choice([
            {}, {"model": self.word()}, {"kind": self.word(), "a": self.array()}, {"young": self.number()}, {"drag": self.number()},
            {"friction": self.number(), "springs": {"stiffness": self.number()}}, {"vertices": self.array()},
            {"waypoints": [(0, (0, 0, 0), (0, 0, 0)), (self.number(), (1, 0, 0), (0, 0, 0))]}, {"linear_velocity": self.array()},
            {"times": self.array(), "positions": self.array()}, {"category": self.number(), "mask": 1}, {self.word(): 1}])

    def value(self, name=""):
        """Something for a parameter of that name: often what it may be."""
        if self.random.random() < 0.55:
            fit = self.fitting(name)
            if fit is not None:
                return fit
        make = self.random.choice([self.number, self.number, self.array, self.array, self.word, self.dictionary, self.thing,
                                   lambda: None, lambda: [self.number()], lambda: self.random.choice(self.meshes)])
        return make()

    def fitting(self, name):
        r = self.random
        world = r.choice(self.things[vv.World]) if self.things[vv.World] else None
        count = world.node_count if world is not None and world.is_open else 8
        body = r.choice(self.things[vv.Body]) if self.things[vv.Body] else None
        return {
            "mesh": lambda: r.choice(self.meshes), "surface": lambda: r.choice(self.meshes), "world": lambda: world,
            "a": lambda: body, "b": lambda: body, "body": lambda: body, "bodies": lambda: (body, None), "count": lambda: r.choice([1, 2, 3]),
            "steps": lambda: r.choice([0, 1, 2]), "snapshot": lambda: r.choice(self.things[vv.Snapshot] or [None]),
            "positions": lambda: self.numbers.normal(0, 1, (count, 3)), "velocities": lambda: self.numbers.normal(0, 1, (count, 3)),
            "node_positions": lambda: self.numbers.normal(0, 1, (count, 3)), "start": lambda: self.numbers.normal(0, 1, (count, 3)),
            "nodes": lambda: self.numbers.integers(0, max(1, count), 3), "forces": lambda: self.numbers.normal(0, 1, (3, 3)),
            "impulses": lambda: self.numbers.normal(0, 1, 3), "force": lambda: self.numbers.normal(0, 1, 3),
            "translate": lambda: self.numbers.normal(0, 3, 3), "origin": lambda: self.numbers.normal(0, 1, 3),
            "direction": lambda: self.numbers.normal(0, 1, 3), "center": lambda: self.numbers.normal(0, 1, 3), "radius": lambda: 0.5,
            "material": lambda: r.choice(list(vv.materials)), "model": lambda: r.choice(list(vv.materials)),
            "scheme": lambda: r.choice(list(vv.schemes)), "policy": lambda: r.choice(list(vv.policies)),
            "method": lambda: r.choice(list(vv.solvers)), "kind": lambda: r.choice(["fixed", "spring", "hinge", "ball", "box"]),
            "type": lambda: r.choice(list(vv.obstacles)), "where": lambda: r.choice(["all", vv.percent((0, 0, 0), (100, 50, 100)), [0, 1]]),
            "time_step": lambda: 0.01, "threads": lambda: r.choice([1, 2]), "index": lambda: r.choice([0, 1]),
            "path": lambda: f"{self.folder}/{r.choice('abc')}.vtkhdf", "record": lambda: f"{self.folder}/{r.choice('abc')}.vtkhdf",
            "output": lambda: f"{self.folder}/{r.choice('abc')}-2.vtkhdf", "frame": lambda: r.choice([-1, 0]), "state": lambda: b"x",
            "worlds": lambda: list(self.things[vv.World])[:3], "tets": lambda: [[0, 1, 2, 3]], "triangles": lambda: [[0, 1, 2]],
            "edges": lambda: [[0, 1]], "young": lambda: 1e5, "mu": lambda: 0.3, "vertex": lambda: 0, "generator": lambda: "box",
            "axis": lambda: (0, 0, 1), "at": lambda: (0, 0, 0), "fraction": lambda: 0.5, "target": lambda: (0, 1, 0), "gather": lambda: [0],
            "edge": lambda: 0.2, "cancel": lambda: self.late, "progress": lambda: (lambda *_: None), "each": lambda: (lambda _: None),
            "contact": lambda: r.choice(["none", "barrier"]), "values": lambda: self.numbers.normal(0, 1, (count, 1)),
        }.get(name, lambda: None)()

    # ---- calls ----

    def keep(self, found):
        if isinstance(found, np.ndarray):
            self.arrays.append(found)
        elif isinstance(found, tuple) and len(found) < 6:
            for part in found:
                self.keep(part)
        elif type(found).__module__.startswith("visviva") and inspect.isclass(type(found)) and hasattr(vv, type(found).__name__):
            if isinstance(found, vv.Mesh):
                self.meshes[self.random.randrange(len(self.meshes))] = found
            else:
                if isinstance(found, vv.World):  # also one that was copied
                    found._calls.cancel = self.late
                self.things[type(found)].append(found)
        elif isinstance(found, list):
            for part in found[:3]:
                self.keep(part)

    def read(self):
        """An array of any age."""
        if self.arrays:
            a = self.random.choice(self.arrays)
            if a.dtype.names is None and a.size:
                with np.errstate(all="ignore"):
                    a.sum(), a.ravel()[-1]
            else:
                a.tobytes()

    def arguments(self, function):
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return [], {}
        first, named = [], {}
        for p in parameters:
            if p.kind == p.VAR_KEYWORD:
                if self.random.random() < 0.05:
                    named[self.random.choice(["radius", "nonsense", "center"])] = self.value()
            elif p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD:
                first.append(self.value(p.name))
            elif self.random.random() < min(0.5, 4 / max(1, len(parameters))):
                named[p.name] = self.value(p.name)
        return first, named

    def call(self, name, function):
        first, named = self.arguments(function)
        if name in ("World", "Batch", "Run", "Scene", "Mesh") and name == "World":
            named["cancel"] = self.late
            named["threads"] = self.random.choice([1, 1, 2])
        self.until = time.monotonic() + LIMIT
        try:
            self.keep(function(*first, **named))
            self.calls["done"] += 1
        except ANSWERS:
            self.calls["refused"] += 1
        finally:
            self.until = math.inf

    def member(self, thing):
        names = [n for n in dir(type(thing)) if not n.startswith("_") and n not in LEFT_OUT]
        if not names:
            return
        name = self.random.choice(names)
        member = inspect.getattr_static(type(thing), name)
        try:
            if isinstance(member, property):
                if member.fset and self.random.random() < 0.5:
                    setattr(thing, name, self.value(name))
                else:
                    self.keep(getattr(thing, name))
                self.calls["properties"] += 1
                return
            function = getattr(thing, name)
        except ANSWERS:
            self.calls["refused"] += 1
            return
        if name in ("close", "remove", "end") and self.random.random() < 0.8:
            return
        if name == "edit":
            self.edit(thing)
        elif callable(function):
            self.call(f"{type(thing).__name__}.{name}", function)

    def edit(self, world):
        try:
            with world.edit() as (x, v):
                self.random.choice([x, v])[...] += self.numbers.normal(0, 0.1, x.shape)
                self.keep(x)
                if self.random.random() < 0.2:
                    world.step()
        except ANSWERS:
            pass

    def one(self):
        self.read()
        if not self.things[vv.World] or self.random.random() < 0.02:
            self.call("World", vv.World)
            if self.things[vv.World]:
                w = self.things[vv.World][-1]
                try:
                    w.add_obstacle("plane")
                    self.keep(w.add_body(self.random.choice(self.meshes), translate=(0, 2, 0)))
                except ANSWERS:
                    pass
        elif self.random.random() < 0.1:
            name = self.random.choice([n for n in vv.__all__ if callable(getattr(vv, n)) and n not in LEFT_OUT])
            if not inspect.isclass(getattr(vv, name)) or name in ("Mesh", "Material", "Batch", "Run", "Scene"):
                self.call(name, getattr(vv, name))
        else:
            self.member(self.thing())
        if self.random.random() < 0.002:
            self.things[vv.World].clear()
            gc.collect()


def main(calls=2000, seed=1):
    import logging
    logging.getLogger("visviva").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")
    fuzzer = Fuzzer(seed)
    for n in range(calls):
        fuzzer.one()
        if n % 2000 == 1999:
            print(n + 1, dict(fuzzer.calls), flush=True)
    print(calls, "calls:", dict(fuzzer.calls))
    return fuzzer.calls


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
