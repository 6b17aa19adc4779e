#!/usr/bin/env python3
"""Rows of blending, Figures 2 and 3 and Appendixes A to C (drawn with seed 20261129), in scalar equations.

  fig-02-squared-spring  squared, Hooke: energy at the start
  appendix-ab-convex     forward Euler, harmonic well, h = 0.02 s: steps in which the energy fell
                         backward Euler, harmonic and quartic well, h = 0.02 s: steps in which the energy rose
  appendix-c             backward Euler: steps in which the energy rose, of 300

A well is central: E = ½r² or r⁴. Backward Euler's end then lies on the line from the centre to x + hv, at the distance r
with r + h² E'(r) = |x + hv|, which is solved by bisection. The two springs are a scalar equation, solved by Newton and bisection.
"""
import math
import sys

POINTS = [(1, 0, 0), (0.8, 0.1, 0), (0.5, -0.7, 0.2), (-0.3, 0.4, 0.9), (-1.1, 0, 0.3)]
START = (0.3, 0.7, 0.0)
WELLS = {"harmonic": (lambda r: 0.5 * r * r, lambda r: r), "quartic": (lambda r: r ** 4, lambda r: 4 * r ** 3)}


def size(x):
    return math.sqrt(sum(a * a for a in x))


def bisect(function, low, high):
    while True:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            return middle
        low, high = (middle, high) if function(middle) < 0 else (low, middle)


def wells(scheme, well, h, steps):
    energy, slope = WELLS[well]
    state, totals = [(x, START) for x in POINTS], []
    for _ in range(steps + 1):
        totals.append(sum(0.5 * size(v) ** 2 + energy(size(x)) for x, v in state))
        following = []
        for x, v in state:
            free = [a + h * b for a, b in zip(x, v)]
            if scheme == "forward":
                r = size(x)
                new = free
                speed = [b - h * slope(r) * a / r for a, b in zip(x, v)]
            elif scheme == "backward":
                length = size(free)
                r = bisect(lambda r: r + h * h * slope(r) - length, 0, length)
                new = [a * r / length for a in free]
                speed = [(a - b) / h for a, b in zip(new, x)]
            else:                                     # implicit midpoint: the middle is a backward Euler step of half the length
                half = [a + 0.5 * h * b for a, b in zip(x, v)]
                length = size(half)
                r = bisect(lambda r: r + 0.25 * h * h * slope(r) - length, 0, length)
                new = [2 * a * r / length - b for a, b in zip(half, x)]
                speed = [2 * (a - b) / h - c for a, b, c in zip(new, x, v)]
            following.append((new, speed))
        state = following
    return totals


def test_energy(x):
    return (math.sqrt(x * x + 1) - math.sqrt(2)) ** 2


def test_slope(x):
    return 2 * (math.sqrt(x * x + 1) - math.sqrt(2)) * x / math.sqrt(x * x + 1)


def two_springs(h, x, steps):
    """1 + h² E'' > 0 for h = 0.1 (E'' > −0.83), so that the equation is monotonic and has one root"""
    v, totals = 0.0, []
    for _ in range(steps + 1):
        totals.append(0.5 * v * v + test_energy(x))
        free = x + h * v
        new = bisect(lambda y: y - free + h * h * test_slope(y), free - 1, free + 1)
        x, v = new, (new - x) / h
    return totals


def changes(totals):
    steps = [b - a for a, b in zip(totals, totals[1:])]
    return sum(step > 1e-9 for step in steps), sum(step < -1e-9 for step in steps)


def main():
    bad = []

    def check(name, good, value):
        print("PASS" if good else "FAIL", f"{name}: {value}")
        bad.extend([] if good else [name])

    motion = 0.5 * 0.5 * 10 ** 2
    check("squared spring, energy at the start", 0.5e5 * (1.5 ** 2 - 1) ** 2 + motion == 78150, 0.5e5 * (1.5 ** 2 - 1) ** 2 + motion)
    check("Hooke, energy at the start", 1e5 * (1.5 - 1) ** 2 + motion == 25025, 1e5 * (1.5 - 1) ** 2 + motion)
    print(f"     neither the angle of the start nor its sign enters; ½k (|x| − 1)² would have {0.5e5 * 0.25 + motion:g}")
    rose, fell = changes(wells("forward", "harmonic", 0.02, 1000))
    check("forward Euler, harmonic well, h = 0.02 s: steps in which the energy fell", fell == 0, f"{fell}, rose in {rose}")
    for well in WELLS:
        for h, steps in ((0.02, 1000), (0.2, 100)):
            totals = wells("backward", well, h, steps)
            rose, fell = changes(totals)
            check(f"backward Euler, {well} well, h = {h} s: steps in which the energy rose", rose == 0,
                  f"{rose}, fell in {fell}; at the end {totals[-1] / totals[0]:.4g} of the start's")
        totals = wells("midpoint", well, 0.02, 1000)
        print(f"     can it fail: implicit midpoint, {well} well, h = 0.02 s: rose in {changes(totals)[0]} steps; at the end {totals[-1] / totals[0]:.8f}")
    totals = two_springs(0.1, 2.5, 300)
    rose, fell = changes(totals)
    check("two springs, backward Euler: steps in which the energy rose, of 300", rose == 56, f"{rose}, fell in {fell}, at the end {totals[-1] / totals[0]:.5f} of the start's")
    bumps = [b - a for a, b in zip(totals, totals[1:]) if b - a > 1e-9]
    print(f"     the rises are {min(bumps):.2g} to {max(bumps):.2g} J of {totals[0]:.3g} J: {sum(b > 1e-3 * totals[0] for b in bumps)} of them more than 0.1% of the start's")
    for h in (0.05, 0.1, 0.2):
        for x in (1.5, 2.0, 2.5, 4.0):
            print(f"     h = {h} s from {x} m: rose in {changes(two_springs(h, x, 300))[0]} of 300")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
