#!/usr/bin/env python3
"""Rows of a-search, Appendixes C, D and E (drawn with seed 20261130), by the solvers of the two programs beside this one.

  appendix-c  A-1: det Q and tr Q at ħ = 99; A-1: largest tr Q, ħ from 0.001 on      A-search at α = 0: tr Q at ħ = 4
              implicit midpoint: tr Q at ħ = 10⁶
  appendix-d  SDIRK2, decoupled: det Q at ħ = 44, tr Q at ħ = 10⁶
  appendix-e  A-search with α up to 2, phase 0.2: outgoing velocity                  A-1, phase 0.2: place after step 2, times ħ
              IPC barrier, A-1, phase 0.6: outgoing velocity of a particle deep in the logarithm
              IPC barrier, A-search, h = 1000, phase 0.2: steps more than 1% below
"""
import sys

import a_search_appendix_e as wall
import a_search_appendixes_c_d as oscillator
from a_search_appendixes_c_d import EULER, MIDPOINT, SDIRK2, determinant, matrix, trace


def barrier(kappa):
    found = wall.Barrier()
    found.energy = lambda x: kappa * wall.Barrier.energy(found, x)
    found.force = lambda x: kappa * wall.Barrier.force(found, x)
    return found


def main():
    bad = []

    def check(name, good, value):
        print("PASS" if good else "FAIL", f"{name}: {value}")
        bad.extend([] if good else [name])

    def near(name, value, expected, tolerance):
        check(name, abs(value - expected) <= tolerance, f"{value:.10g}, the row has {expected}")

    near("A-1, det Q, ħ = 99", determinant(matrix(EULER, 99, 1)), 1, 1e-8)
    near("A-1, tr Q, ħ = 99", trace(matrix(EULER, 99, 1)), 1.01, 1e-8)
    near("A-search at α = 0, tr Q, ħ = 4", trace(matrix(EULER, 4, 0)), 0.4, 1e-8)
    check("can it fail: at α = 0.01 it is another", abs(trace(matrix(EULER, 4, 0.01)) - 0.4) > 1e-3, f"{trace(matrix(EULER, 4, 0.01)):.4f}")
    near("implicit midpoint, tr Q, ħ = 10⁶", trace(matrix(MIDPOINT, 1e6)), -2, 1e-4)
    check("can it fail: implicit Euler", abs(trace(matrix(EULER, 1e6)) + 2) > 1, f"{trace(matrix(EULER, 1e6)):.6f}")
    traces = [trace(matrix(EULER, hbar, 1)) for hbar in oscillator.SWEEP]
    check("A-1, tr Q decreases from 2 to 1 in each of 200 steps of ħ", all(a > b for a, b in zip(traces, traces[1:])) and traces[0] > 1.999 and traces[-1] < 1.00001,
          f"{traces[0]:.6f} to {traces[-1]:.8f}")
    traces = [trace(matrix(SDIRK2, hbar, 1)) for hbar in oscillator.SWEEP]
    check("can it fail: that of SDIRK2's pair does not decrease everywhere", any(a < b for a, b in zip(traces, traces[1:])), f"least {min(traces):.4f}, last {traces[-1]:.4f}")
    near("SDIRK2, decoupled, det Q, ħ = 44", determinant(matrix(SDIRK2, 44, 1)), 1, 1e-7)
    check("can it fail: SDIRK2 alone", determinant(matrix(SDIRK2, 44)) < 0.9, f"{determinant(matrix(SDIRK2, 44)):.4f}")
    near("SDIRK2, decoupled, tr Q, ħ = 10⁶", trace(matrix(SDIRK2, 1e6, 1)), -1.9142135623730951, 1e-4)
    stiff = wall.Wall(1e8)
    wall.ALPHA_MAX = 2.0
    near("A-search with α up to 2, phase 0.2, outgoing velocity", wall.run(wall.search, stiff, 0.2, 1, 6)[4][1], 1, 1e-5)
    wall.ALPHA_MAX = 1.1
    value = wall.run(wall.trapezoidal, stiff, 0.2, 1, 6)[4][1]
    check("can it fail: trapezoidal", abs(value - 1) > 0.1, f"{value:.4f}")
    near("A-1, phase 0.2, place after step 2, times ħ", 1e8 * wall.run(wall.a1, stiff, 0.2, 1, 6)[2][0], -1, 1e-5)
    for kappa, deep in ((1e-4, False), (1e-8, True)):
        states = wall.run(wall.a1, barrier(kappa), 1 + 0.6e5, 1e5, 10)
        near(f"IPC barrier of κ = {kappa:g} J, A-1, h = 10⁵, phase 0.6, outgoing velocity", states[-1][1], 1, 1e-4)
        least = min(x for x, _ in states)
        check("  deep in the logarithm, as the row says" if deep else "  not deep in the logarithm, as the row said (it fell)", (least < 0.01) == deep, f"to {least:.4f} d̂")
    value = wall.run(wall.trapezoidal, barrier(1e-8), 1 + 0.6e5, 1e5, 10)[-1][1]
    check("can it fail: trapezoidal", abs(value - 1) > 0.1, f"{value:.4f}")
    states = wall.run(wall.search, barrier(1), 1 + 200, 1000, 10)
    near("IPC barrier, A-search, h = 1000, phase 0.2, steps more than 1% below", wall.below(barrier(1), states, 0.01), 2, 0)
    states = [(x, v) for x, v in wall.run(wall.trapezoidal, barrier(1), 1 + 200, 1000, 10)]
    check("can it fail: trapezoidal has none, it gains", wall.below(barrier(1), states, 0.01) == 1, f"{wall.below(barrier(1), states, 0.01)} and leaves with {states[-1][1]:.3f} m/s")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
