#!/usr/bin/env python3
"""What Python costs a step, and what a batch of worlds gains by threads. Run it with an environment of scripts/python-venv:

    build-python/bin/python bench/python_steps.py [--worlds 64] [--steps 200]

Times are minima over repetitions, in microseconds a step. The same steps in C are those of vvBatchStep of one world, which
Python enters once for all of them.
"""
import argparse
import multiprocessing
import time

import visviva as vv


def smallest():
    """One tetrahedron without contact: the least that an implicit step can be."""
    w = vv.World(threads=1, contact="none", gravity=(0, -1, 0))
    w.add_body(vv.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], tets=[[0, 1, 2, 3]]))
    w.step(10)
    return w


def cube():
    """125 nodes on a plane."""
    w = vv.World(threads=1)
    w.add_obstacle("plane")
    w.add_body(vv.Mesh.generate("box", size=(0.1, 0.1, 0.1), cells=(4, 4, 4)), vv.Material("neo-hookean", young=1e5),
               translate=(0, 0.06, 0))
    w.step()
    return w


def least(call, repeat):
    best = float("inf")
    for _ in range(repeat):
        began = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - began)
    return best


def alone(steps):
    """Worlds that are stepped in a process of their own; steps a second."""
    batch = vv.Batch([cube() for _ in range(16)], threads=1)
    start = batch.worlds[0].snapshot()

    def go():
        batch.step(steps)
    best = least(go, 3)
    del start
    return 16 * steps / best


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--worlds", type=int, default=64)
    options.add_argument("--steps", type=int, default=50)
    options = options.parse_args()

    w, in_c = smallest(), vv.Batch([smallest()], threads=1)
    count = 1000
    c = least(lambda: in_c.step(count), 50) / count * 1e6
    python = least(lambda: w.step(count), 50) / count * 1e6
    one = least(lambda: [w.step() for _ in range(count)], 50) / count * 1e6
    print(f"the smallest implicit step: in C {c:.2f} us, w.step({count}) {python:.2f} us a step, w.step() {one:.2f} us")
    print(f"a view of positions: {least(lambda: [w.positions for _ in range(count)], 20) / count * 1e6:.2f} us")

    rates = {}
    for threads in (1, 2):
        batch = vv.Batch([cube() for _ in range(options.worlds)], threads=threads)
        rates[threads] = options.worlds * options.steps / least(lambda: batch.step(options.steps), 3)
    print(f"{options.worlds} worlds of 125 nodes: {rates[1]:.0f} steps a second on one thread, {rates[2]:.0f} on two: "
          f"{rates[2] / rates[1]:.2f} times as many")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        apart = sum(pool.map(alone, [options.steps] * 2))
    print(f"two processes: {apart:.0f} steps a second; the batch's two threads make {rates[2] / apart:.2f} of that")


if __name__ == "__main__":
    main()
