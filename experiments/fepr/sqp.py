#!/usr/bin/env python3
"""The numbers of fig-03-sqp.json, by a program that shares nothing with visviva: FEPR's projection against the exact minimiser.

A cube of eight masses and 28 springs, stretched and spinning, stepped by backward Euler and then projected onto its energy and momenta:
by the paper's iteration (Eq. 8, 13, 14), by that as it is in visviva, and by full SQP (Eq. 5), Newton's method on the conditions of the
minimum of Eq. 1. Both momenta are conserved here, so s = t = 1 and the constraints are H = H_n, P = P_n, L = L_n.

  python3 sqp.py      prints the item's published values
"""
import math
import sys

SIDE, STRETCH, SPIN, STIFFNESS, MASS, TOLERANCE = 1.0, 1.3, 3.0, 20.0, 1.0, 1e-7
CORNERS = [(x * SIDE / 2, y * SIDE / 2, z * SIDE / 2) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
EDGES = [(a, b) for a in range(8) for b in range(a)]
REST = [math.dist(CORNERS[a], CORNERS[b]) for a, b in EDGES]
N, M = 24, MASS / 8


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def solve(matrix, right):
    """Gauss with pivots."""
    a = [row[:] + [r] for row, r in zip(matrix, right)]
    n = len(a)
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p] = a[p], a[k]
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            if f:
                row, pivot = a[i], a[k]
                for j in range(k, n + 1):
                    row[j] -= f * pivot[j]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (a[k][n] - sum(a[k][j] * x[j] for j in range(k + 1, n))) / a[k][k]
    return x


def energy(x):
    return math.fsum(0.5 * STIFFNESS * (math.dist(x[3 * a:3 * a + 3], x[3 * b:3 * b + 3]) - r) ** 2 for (a, b), r in zip(EDGES, REST))


def derivatives(x):
    """Gradient and Hessian of the springs' energy."""
    g, k = [0.0] * N, [[0.0] * N for _ in range(N)]
    for (a, b), r in zip(EDGES, REST):
        d = [x[3 * a + i] - x[3 * b + i] for i in range(3)]
        length = math.sqrt(dot(d, d))
        for i in range(3):
            force = STIFFNESS * (1 - r / length) * d[i]
            g[3 * a + i] += force
            g[3 * b + i] -= force
            for j in range(3):
                entry = STIFFNESS * ((1 - r / length) * (i == j) + r / length * d[i] * d[j] / length ** 2)
                for p, q, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                    k[3 * p + i][3 * q + j] += sign * entry
    return g, k


def backward_euler(x, v, h):
    y = [p + h * w for p, w in zip(x, v)]
    end = y[:]
    for _ in range(50):
        g, k = derivatives(end)
        residual = [M * (e - p) + h * h * f for e, p, f in zip(end, y, g)]
        step = solve([[h * h * k[i][j] + M * (i == j) for j in range(N)] for i in range(N)], residual)
        end = [e - s for e, s in zip(end, step)]
        if max(map(abs, step)) < 1e-13:
            break
    return end, [(e - p) / h for e, p in zip(end, x)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def invariants(z):
    """H, P, L of z = (x, v)."""
    x, v = z[:N], z[N:]
    p = [M * sum(v[i::3]) for i in range(3)]
    l = [0.0, 0.0, 0.0]
    for n in range(0, N, 3):
        l = [s + M * c for s, c in zip(l, cross(x[n:n + 3], v[n:n + 3]))]
    return [energy(x) + 0.5 * M * dot(v, v)] + p + l


def gradients(z):
    """Of the seven invariants: seven vectors of 48."""
    x, v = z[:N], z[N:]
    g, _ = derivatives(x)
    rows = [g + [M * w for w in v]]
    rows += [[0.0] * N + [M if i % 3 == axis else 0.0 for i in range(N)] for axis in range(3)]
    for axis in range(3):
        e = [float(i == axis) for i in range(3)]
        row = [0.0] * (2 * N)
        for n in range(0, N, 3):  # e.(x × v): by x it is v × e, by v it is e × x
            row[n:n + 3] = [M * c for c in cross(v[n:n + 3], e)]
            row[N + n:N + n + 3] = [M * c for c in cross(e, x[n:n + 3])]
        rows.append(row)
    return rows


def weights(h):
    return [M] * N + [h * h * M] * N


def fepr(z, target, h):
    """The paper's iteration: to a point near by, with the gradients of the last point. Returns it and how many it took."""
    d = weights(h)
    for count in range(100):
        c = [a - b for a, b in zip(invariants(z), target)]
        if sum(map(abs, c)) < TOLERANCE:
            return z, count
        rows = gradients(z)
        scaled = [[r / w for r, w in zip(row, d)] for row in rows]
        multipliers = solve([[dot(a, b) for b in scaled] for a in rows], c)
        z = [p - sum(m * row[i] for m, row in zip(multipliers, scaled)) for i, p in enumerate(z)]
    raise ArithmeticError("the projection does not converge")


def scaled_velocities(z, target):
    """The nearest velocities with these invariants at the same positions, and by how much those of the vibration grow; None: there are none."""
    x, v = z[:N], z[N:]
    rows = [row[N:] for row in gradients(z)[1:]]
    gram = [[dot(a, b) / M for b in rows] for a in rows]
    now, wanted = solve(gram, [dot(row, v) for row in rows]), solve(gram, target[1:])
    vibrates = 0.5 * (M * dot(v, v) - dot(now, [dot(row, v) for row in rows]))
    left = target[0] - energy(x) - 0.5 * dot(wanted, target[1:])
    if not (left >= 0 and vibrates > 0):
        return None, vibrates
    f = math.sqrt(left / vibrates)
    return (x + [f * w + sum((b - f * a) * row[i] for a, b, row in zip(now, wanted, rows)) / M for i, w in enumerate(v)], f - 1), vibrates


def projected(z, target, h):
    """As visviva does it (theory §3.10) where H is too low: steps are corrected to second order, and velocities make up for the rest."""
    d, bend, first = weights(h), None, invariants(z)[0] - target[0]
    for count in range(100):
        c = [a - b for a, b in zip(invariants(z), target)]
        closing, vibrates = scaled_velocities(z, target)
        if count and abs(c[0]) <= 0.1 * abs(first) and closing and abs(closing[1]) <= 1e-3:
            return closing[0], count
        if sum(map(abs, c)) < TOLERANCE:
            return z, count
        rows = gradients(z)
        scaled = [[r / w for r, w in zip(row, d)] for row in rows]
        matrix = [[dot(a, b) for b in scaled] for a in rows]
        steep = 1 / solve(matrix, [1.0] + [0.0] * 6)[0]
        curve = (2 * vibrates / (h ** 4 * steep) if bend is None else bend) * steep
        length = 2 * c[0] / (steep + math.sqrt(steep ** 2 - 2 * curve * c[0]))
        right = [length * steep] + c[1:]
        multipliers = solve(matrix, right)
        z = [p - sum(m * row[i] for m, row in zip(multipliers, scaled)) for i, p in enumerate(z)]
        bend = 2 * (invariants(z)[0] - target[0] - c[0] + length * steep) / dot(multipliers, right)
    raise ArithmeticError("the projection does not converge")


def sqp(start, target, h):
    """The minimiser of Eq. 1: Newton's method on D (z - start) + grad c . multipliers = 0, c = 0, from where the paper's iteration ends."""
    d, (z, _) = weights(h), fepr(start, target, h)
    rows = gradients(z)
    scaled = [[r / w for r, w in zip(row, d)] for row in rows]
    multipliers = solve([[dot(a, b) for b in scaled] for a in rows], [-dot(row, [p - s for p, s in zip(z, start)]) for row in rows])
    for _ in range(50):
        rows, (_, k) = gradients(z), derivatives(z[:N])
        a = [[0.0] * (2 * N + 7) for _ in range(2 * N + 7)]
        for i in range(2 * N):
            a[i][i] = d[i] + (multipliers[0] * M if i >= N else 0)
        for i in range(N):
            for j in range(N):
                a[i][j] += multipliers[0] * k[i][j]
        for n in range(0, N, 3):  # multipliers.(x × v): mixed derivatives only
            p, q, r = (M * m for m in multipliers[4:])
            for (i, j), value in {(0, 1): r, (1, 0): -r, (1, 2): p, (2, 1): -p, (2, 0): q, (0, 2): -q}.items():
                a[n + i][N + n + j] += value
                a[N + n + j][n + i] += value
        for row, gradient in enumerate(rows):
            for i, value in enumerate(gradient):
                a[2 * N + row][i] = a[i][2 * N + row] = value
        left = [w * (p - s) + sum(m * row[i] for m, row in zip(multipliers, rows)) for i, (w, p, s) in enumerate(zip(d, z, start))]
        c = [p - q for p, q in zip(invariants(z), target)]
        step = solve(a, [-value for value in left + c])
        z = [p + s for p, s in zip(z, step)]
        multipliers = [m + s for m, s in zip(multipliers, step[2 * N:])]
        if max(map(abs, step[:2 * N])) < 1e-11:
            return z
    raise ArithmeticError("SQP does not converge")


def start():
    x = [c * (STRETCH if i == 0 else 1) for corner in CORNERS for i, c in enumerate(corner)]
    v = [s for n in range(0, N, 3) for s in cross((0, 0, SPIN), x[n:n + 3])]
    return x + v


def simulate(method, h, steps):
    """States after each step; and, of each, how far the projection went in the norm of D, and in positions (rms)."""
    z, states, lengths, moved = start(), [], [], []
    states.append(z)
    for _ in range(steps):
        target = invariants(start())
        x, v = backward_euler(z[:N], z[N:], h)
        end = x + v
        z = end if method == "none" else sqp(end, target, h) if method == "sqp" else (fepr if method == "fepr" else projected)(end, target, h)[0]
        lengths.append(math.sqrt(sum(w * (p - q) ** 2 for w, p, q in zip(weights(h), z, end))))
        moved.append(math.sqrt(sum((p - q) ** 2 for p, q in zip(z[:N], x)) / 8))
        states.append(z)
    return states, lengths, moved


def kinetic(states):
    return math.fsum(0.5 * M * dot(z[N:], z[N:]) for z in states) / len(states)


def values(method="sqp"):
    """Of the item's rows, by their keys."""
    out = {}
    for name, h in (("1/30", 1 / 30), ("1/60", 1 / 60), ("1/120", 1 / 120)):
        _, lengths, moved = simulate(method, h, 1)
        out[f"length {name}"], out[f"moved {name}"] = lengths[0], moved[0]
    states, _, _ = simulate(method, 1 / 30, 60)
    out["kinetic"] = kinetic(states)
    for axis in range(3):
        out[f"corner {'xyz'[axis]}"] = states[30][21 + axis]
    return out


def main():
    exact, fast, ours = values(), values("fepr"), values("projected")
    for key, value in exact.items():
        print(f"{key}: exact {value:.9g}, the paper's iteration {fast[key]:.9g}, visviva's {ours[key]:.9g}")
    if "--lengths" in sys.argv:
        for name, method in (("the paper's", fepr), ("visviva's", projected)):
            states, ratios, counts = simulate("sqp", 1 / 30, 60)[0], [], 0
            for z in states[:-1]:  # from the same states
                target, (x, v) = invariants(start()), backward_euler(z[:N], z[N:], 1 / 30)
                ends = method(x + v, target, 1 / 30), (sqp(x + v, target, 1 / 30), 0)
                lengths = [math.sqrt(sum(w * (p - q) ** 2 for w, p, q in zip(weights(1 / 30), y, x + v))) for y, _ in ends]
                ratios.append(lengths[0] / lengths[1] - 1)
                counts += ends[0][1]
            print(f"from the same states, how much farther {name} goes than the minimiser: at most {max(ratios):.3g}, on average "
                  f"{sum(ratios) / 60:.3g}, in {counts / 60:.2g} iterations")


if __name__ == "__main__":
    main()
