#!/usr/bin/env python3
"""Rows of a-search, Appendixes C and D (drawn with seed 20261129), from the tableaus, by elimination.

  appendix-c  implicit midpoint: tr Q at ħ = 1                                  trapezoidal: tr Q at ħ = 99
              A-1: tr Q at ħ = 10⁶                                              A-search at α = 0.5: det Q at ħ = 0.25
              implicit midpoint, A-1: eigenvalues, ħ up to 10⁶                  implicit Euler: largest eigenvalue at ħ = 10⁶
  appendix-d  SDIRK2, decoupled: tr Q at ħ = 1 and largest eigenvalue at ħ = 44

The oscillator is x' = v, v' = −ħx with h = 1. A Runge-Kutta method (A, b) is solved for all its stages at once; its adjoint is
(e bᵀ − A, b); the decoupled method takes x of the one and v of α times the other and 1 − α times the first.
"""
import cmath
import math
import sys


def solve(matrix, right):
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(n):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def step(method, state, hbar):
    a, b = method
    stages, field = len(b), [[0, 1], [-hbar, 0]]
    apply = [sum(field[i][j] * state[j] for j in range(2)) for i in range(2)]
    matrix = [[float(s == t and i == j) - a[s][t] * field[i][j] for t in range(stages) for j in range(2)] for s in range(stages) for i in range(2)]
    slopes = solve(matrix, apply * stages)
    return [state[i] + sum(b[s] * slopes[2 * s + i] for s in range(stages)) for i in range(2)]


def adjoint(method):
    a, b = method
    return [[b[j] - a[i][j] for j in range(len(b))] for i in range(len(b))], b


def matrix(method, hbar, alpha=0.0):
    columns = []
    for unit in ([1.0, 0.0], [0.0, 1.0]):
        x, v = step(method, unit, hbar)
        columns.append([x, v if alpha == 0 else (1 - alpha) * v + alpha * step(adjoint(method), unit, hbar)[1]])
    (a, c), (b, d) = columns
    return a, b, c, d


def trace(q):
    return q[0] + q[3]


def determinant(q):
    return q[0] * q[3] - q[1] * q[2]


def eigenvalues(q):
    root = cmath.sqrt(trace(q) ** 2 / 4 - determinant(q))
    return sorted(abs(trace(q) / 2 + sign * root) for sign in (1, -1))


EULER, MIDPOINT, TRAPEZOIDAL = ([[1]], [1]), ([[0.5]], [1]), ([[0, 0], [0.5, 0.5]], [0.5, 0.5])
GAMMA = 1 - math.sqrt(0.5)
SDIRK2 = [[GAMMA, 0], [1 - GAMMA, GAMMA]], [1 - GAMMA, GAMMA]
SWEEP = [10 ** (-3 + 9 * k / 200) for k in range(201)]


def main():
    bad = []

    def check(name, good, value):
        print("PASS" if good else "FAIL", f"{name}: {value}")
        bad.extend([] if good else [name])

    def near(name, value, expected, tolerance):
        check(name, abs(value - expected) <= tolerance, f"{value:.10g}, the row has {expected}")

    near("implicit midpoint, tr Q, ħ = 1", trace(matrix(MIDPOINT, 1)), 1.2, 1e-8)
    near("trapezoidal, tr Q, ħ = 99", trace(matrix(TRAPEZOIDAL, 99)), -1.8446601941747574, 1e-8)
    near("A-1, tr Q, ħ = 10⁶", trace(matrix(EULER, 1e6, 1)), 1, 1e-5)
    near("A-search, α = 0.5, det Q, ħ = 0.25", determinant(matrix(EULER, 0.25, 0.5)), 0.9, 1e-8)
    for name, method, alpha in (("implicit midpoint", MIDPOINT, 0), ("A-1", EULER, 1)):
        every = [value for hbar in SWEEP for value in eigenvalues(matrix(method, hbar, alpha))]
        check(f"{name}, eigenvalues, ħ up to 10⁶", max(every) <= 1.000001 and min(every) >= 0.999999, f"{min(every):.9f} to {max(every):.9f}")
    every = [eigenvalues(matrix(EULER, hbar))[1] for hbar in SWEEP]
    check("can it fail: implicit Euler's largest eigenvalue stays under the upper bound alone, the lower one finds it",
          max(every) <= 1.000001 and min(every) < 0.999999, f"{min(every):.6f} to {max(every):.6f}")
    value = eigenvalues(matrix(EULER, 1e6))[1]
    check("implicit Euler, largest eigenvalue, ħ = 10⁶", value < 0.01 and abs(value - 0.001) < 1e-6, f"{value:.9f}")
    near("SDIRK2, decoupled, tr Q, ħ = 1", trace(matrix(SDIRK2, 1, 1)), 1.1428683462188287, 1e-8)
    near("SDIRK2, decoupled, largest eigenvalue, ħ = 44", eigenvalues(matrix(SDIRK2, 44, 1))[1], 1.494, 5e-4)
    least = min((trace(matrix(SDIRK2, hbar, 1)), hbar) for hbar in [30 + k / 10 for k in range(300)])
    check("SDIRK2, decoupled, smallest trace", abs(least[0] + 2.16) < 0.005 and abs(least[1] - 44) < 1, f"{least[0]:.4f} at ħ = {least[1]:.1f}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
