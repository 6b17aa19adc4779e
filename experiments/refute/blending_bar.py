#!/usr/bin/env python3
"""Rows of blending, Figure 8 (drawn with seed 20261130): a bar that hangs and stretches, as masses on a line.

  fig-08-stretching-bar   BE: when the bar is lowest in the first bounce       BE, local/global: the same

Corotated elasticity is linear in a uniform stretch, so that the bar is nearly a line of 16 springs, 4 m long, of 1000 kg/m³, held at the top;
h = 0.033 s. The stiffness (64 kPa) was fitted to frame 30: what is asked is whether that frame follows from it. Of ten sweeps of a local/global
solve the slowest mode is what is left; a linear chain is solved at once, so that the second row is this one, too.
"""
import sys

N, LENGTH, DENSITY, G, H = 16, 4.0, 1000.0, 9.81, 0.033


def lowest(young, share):
    """the frame in which the mean is lowest; share 1: backward Euler, ½: implicit midpoint"""
    rest = LENGTH / N
    k, mass = young / rest, [DENSITY * rest] * (N - 1) + [DENSITY * rest / 2]
    x, v, means = [0.0] * N, [0.0] * N, [0.0]                            # down from the unstretched places

    def force(y):
        pull = [k * (b - a) for a, b in zip([0.0, *y], y)] + [0.0]
        return [m * G - pull[i] + pull[i + 1] for i, m in enumerate(mass)]

    for _ in range(50):
        # the velocity u at the share of the step: M (u − v) = s h f(x + s h u), with f linear
        tau = share * H
        diagonal = [m + tau * tau * k * (2 if i + 1 < N else 1) for i, m in enumerate(mass)]
        right = [m * b + tau * f for m, b, f in zip(mass, v, force(x))]
        for i in range(1, N):
            factor = tau * tau * k / diagonal[i - 1]
            diagonal[i] -= factor * tau * tau * k
            right[i] += factor * right[i - 1]
        u = [0.0] * (N + 1)
        for i in range(N - 1, -1, -1):
            u[i] = (right[i] + tau * tau * k * u[i + 1] * (i + 1 < N)) / diagonal[i]
        x = [a + H * b for a, b in zip(x, u)]
        v = [b + (c - b) / share for b, c in zip(v, u)]
        means.append(sum(m * a for m, a in zip(mass, x)))
    return max(range(50), key=lambda n: means[n])


def main():
    bad = []

    def check(name, good, value):
        print("PASS" if good else "FAIL", f"{name}: {value}")
        bad.extend([] if good else [name])

    frame = lowest(64000, 1)
    check("backward Euler, 64 kPa: lowest within a frame of 30, 0.99 s", abs(frame - 30) <= 1, f"frame {frame}, {frame * H:.3f} s")
    frame = lowest(64000, 0.5)
    check("implicit midpoint has the same frame: the row tells no methods apart", abs(frame - 30) <= 1, f"frame {frame}")
    for young in (50000, 80000):
        frame = lowest(young, 1)
        check(f"can it fail: {young / 1000:.0f} kPa is outside", abs(frame * H - 0.99) > 0.034, f"frame {frame}, {frame * H:.3f} s")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
