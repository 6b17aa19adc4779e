#!/usr/bin/env python3
"""Rows of FEPR, Figure 3 (drawn with seed 20261130): how far one projection by Equation 8 goes, beside the minimiser of Equation 1.

  fig-03-sqp   h = 1/60: how far the first projection moves the masses (rms), over the exact minimiser

Eight masses (1 kg together) on 28 springs of 20 N/m, a cube of 1 m, stretched by 1.3 along x, turning at 3 rad/s. Gradients by hand, second
derivatives by differences. Backward Euler by Newton's method; Equation 8 as it is; the minimiser by Newton's method on its conditions, once
with s = t = 1, as the item has it, once with s and t as variables and ε = 0.001, as the paper has it.
"""
import itertools
import math
import sys

N, K, M = 8, 20.0, 1 / 8
CORNERS = list(itertools.product((-0.5, 0.5), repeat=3))
PAIRS = [(a, b, math.dist(CORNERS[a], CORNERS[b])) for a, b in itertools.combinations(range(N), 2)]


def solve(matrix, right):
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            if factor:
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    out = [0.0] * n
    for k in range(n - 1, -1, -1):
        out[k] = (rows[k][n] - sum(rows[k][j] * out[j] for j in range(k + 1, n))) / rows[k][k]
    return out


def energy(x):
    return sum(0.5 * K * (math.dist(x[3 * a:3 * a + 3], x[3 * b:3 * b + 3]) - r) ** 2 for a, b, r in PAIRS)


def gradient(x):
    g = [0.0] * 24
    for a, b, r in PAIRS:
        d = [x[3 * a + i] - x[3 * b + i] for i in range(3)]
        factor = K * (1 - r / math.hypot(*d))
        for i in range(3):
            g[3 * a + i] += factor * d[i]
            g[3 * b + i] -= factor * d[i]
    return g


def jacobian(function, at, delta=1e-6):
    columns = []
    for k in range(len(at)):
        up, down = list(at), list(at)
        up[k] += delta
        down[k] -= delta
        columns.append([(a - b) / (2 * delta) for a, b in zip(function(up), function(down))])
    return [list(row) for row in zip(*columns)]


def newton(function, at, steps=50):
    for _ in range(steps):
        value = function(at)
        move = solve(jacobian(function, at), [-f for f in value])
        at = [a + m for a, m in zip(at, move)]
        if max(map(abs, move)) < 1e-11:
            return at
    raise RuntimeError("Newton's method does not converge")


def cross_sum(x, v):
    out = [0.0] * 3
    for a in range(N):
        p, u = x[3 * a:3 * a + 3], v[3 * a:3 * a + 3]
        for i in range(3):
            out[i] += M * (p[(i + 1) % 3] * u[(i + 2) % 3] - p[(i + 2) % 3] * u[(i + 1) % 3])
    return out


def momenta(x, v):
    return [M * sum(v[i::3]) for i in range(3)] + cross_sum(x, v)


def hamiltonian(x, v):
    return energy(x) + 0.5 * M * sum(u * u for u in v)


def step(x, v, h):
    return newton(lambda y: [M * (p - a - h * b) + h * h * g for p, a, b, g in zip(y, x, v, gradient(y))], [a + h * b for a, b in zip(x, v)])


class Projection:
    """c(q) = 0 and the weights D; q = [x; v], or [x; v; s; t]"""

    def __init__(self, start, ended, h, free):
        self.free, self.ended = free, list(ended) + ([0.0, 0.0] if free else [])
        self.weights = [M] * 24 + [M * h * h] * 24 + ([0.001] * 2 if free else [])
        self.target, self.old, self.new = hamiltonian(start[:24], start[24:]), momenta(start[:24], start[24:]), momenta(ended[:24], ended[24:])

    def constraints(self, q):
        x, v = q[:24], q[24:48]
        part = [q[48]] * 3 + [q[49]] * 3 if self.free else [1.0] * 6
        wanted = [n + p * (o - n) for n, o, p in zip(self.new, self.old, part)]
        return [hamiltonian(x, v) - self.target] + [m - w for m, w in zip(momenta(x, v), wanted)]

    def normals(self, q):
        x, v = q[:24], q[24:48]
        rows = [gradient(x) + [M * u for u in v]]
        for i in range(3):
            rows.append([0.0] * 24 + [M * (k % 3 == i) for k in range(24)])
        for i in range(3):
            row = [0.0] * 48
            for a in range(N):
                j, k = (i + 1) % 3, (i + 2) % 3
                row[3 * a + j], row[3 * a + k] = M * v[3 * a + k], -M * v[3 * a + j]
                row[24 + 3 * a + k], row[24 + 3 * a + j] = M * x[3 * a + j], -M * x[3 * a + k]
            rows.append(row)
        if self.free:
            for k, row in enumerate(rows):
                row += [self.new[k - 1] - self.old[k - 1] if 1 <= k <= 3 else 0.0, self.new[k - 1] - self.old[k - 1] if k >= 4 else 0.0]
        return rows

    def equation_8(self):
        q, count = list(self.ended), 0
        while sum(map(abs, self.constraints(q))) > 1e-7:
            c, normals = self.constraints(q), self.normals(q)
            if self.free:
                c[1:4] = [value + 0.0 for value in c[1:4]]
            small = [[sum(a * b / w for a, b, w in zip(p, r, self.weights)) for r in normals] for p in normals]
            for k in range(len(small)):                                   # linear momentum is kept by the step: its rows may be empty
                small[k][k] += 1e-15
            y = solve(small, c)
            q = [a - sum(y[k] * normals[k][i] for k in range(7)) / w for i, (a, w) in enumerate(zip(q, self.weights))]
            count += 1
        return q, count

    def minimiser(self, guess):
        n = len(self.ended)

        def conditions(z):
            q, y = z[:n], z[n:]
            normals = self.normals(q)
            return [w * (a - b) + sum(y[k] * normals[k][i] for k in range(7))
                    for i, (w, a, b) in enumerate(zip(self.weights, q, self.ended))] + self.constraints(q)

        normals = self.normals(guess)
        small = [[sum(a * b / w for a, b, w in zip(p, r, self.weights)) for r in normals] for p in normals]
        move = [sum(w * 0 + a * (e - b) for w, a, e, b in zip(self.weights, row, self.ended, guess)) for row in normals]
        return newton(conditions, list(guess) + solve(small, move))[:n]

    def length(self, q):
        return math.sqrt(sum(w * (a - b) ** 2 for w, a, b in zip(self.weights, q, self.ended)))

    def rms(self, q):
        return math.sqrt(sum((a - b) ** 2 for a, b in zip(q[:24], self.ended[:24])) / N)


def main():
    bad = []

    def check(name, good, value):
        print("PASS" if good else "FAIL", f"{name}: {value}")
        bad.extend([] if good else [name])

    x = [c * f for corner in CORNERS for c, f in zip(corner, (1.3, 1, 1))]
    v = [u for a in range(N) for u in (-3 * x[3 * a + 1], 3 * x[3 * a], 0.0)]
    recorded = {30: (0.95775, 0.9555), 60: (1.1316, 1.1436), 120: (1.1489, 1.1604)}
    for steps, (ours, plain) in recorded.items():
        h = 1 / steps
        y = step(x, v, h)
        ended = y + [(a - b) / h for a, b in zip(y, x)]
        for free in (False, True):
            problem = Projection(x + v, ended, h, free)
            q, count = problem.equation_8()
            best = problem.minimiser(q)
            positions, norm = problem.rms(q) / problem.rms(best), problem.length(q) / problem.length(best)
            apart = math.sqrt(sum((a - b) ** 2 for a, b in zip(q[:24], best[:24])) / N)
            where = f"h = 1/{steps}, " + ("s and t free" if free else "s = t = 1")
            if free:
                print(f"     {where}: positions alone {positions:.4f} times as far as the minimiser's, in the norm of Equation 1 {norm:.5f} times; t = {best[49]:.3f}")
                continue
            check(f"{where}: Equation 8 over the minimiser, positions, rms", abs(positions - plain) < 2e-4, f"{positions:.5f} in {count} iterations, "
                  f"the row by Eq. 8 alone has {plain}, by ours {ours}")
            check(f"{where}: in the norm of Equation 1, which is what is minimised, not nearer than the minimiser, and close", 1 <= norm < 1.01,
                  f"{norm:.5f}; apart {1000 * apart:.2f} mm, of {1000 * problem.rms(best):.2f} mm that the minimiser goes")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
