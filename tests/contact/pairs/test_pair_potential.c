/* The barrier of one pair against finite differences; its semidefinite Hessian. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/eigen.h"
#include "base/vec.h"
#include "contact/barrier/barrier.h"
#include "contact/pairs/potential.h"
#include "random_support.h"

#include <string.h>

/* x of a stencil whose nearest points are inside both features, d apart. */
static void make_pair(vv_stencil kind, double size, double d, double x[4][3])
{
    double n[3], p[3] = { 0 }, q[3] = { 0 };
    for (;;) {
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++)
                x[i][k] = size * within(-1, 1);
        double a[3], b[3];
        vv_sub(x[2], x[1], a);
        if (kind == VV_STENCIL_EE)
            vv_sub(x[1], x[0], a);
        vv_sub(x[3], kind == VV_STENCIL_EE ? x[2] : x[1], b);
        if (kind <= VV_STENCIL_VE)
            b[0] = uniform(), b[1] = uniform(), b[2] = uniform();
        vv_cross(a, b, n);
        if (kind == VV_STENCIL_VV || vv_norm(n) > 0.1 * vv_norm(a) * vv_norm(b))
            break;
    }
    double s = within(0.1, 0.9), t = within(0.1, 0.9) * (kind == VV_STENCIL_VT ? 1 - s : 1), length = vv_norm(n);
    for (int k = 0; k < 3; k++) {
        p[k] = kind == VV_STENCIL_EE ? (1 - s) * x[0][k] + s * x[1][k] : x[0][k];
        if (kind == VV_STENCIL_VV)
            q[k] = x[1][k];
        else if (kind == VV_STENCIL_VE)
            q[k] = (1 - s) * x[1][k] + s * x[2][k];
        else if (kind == VV_STENCIL_VT)
            q[k] = (1 - s - t) * x[1][k] + s * x[2][k] + t * x[3][k];
        else
            q[k] = (1 - t) * x[2][k] + t * x[3][k];
    }
    for (int i = 0; i < (kind == VV_STENCIL_EE ? 2 : 1); i++)
        for (int k = 0; k < 3; k++)
            x[i][k] += q[k] - p[k] + d * n[k] / length;
}

/* Whether moves of coordinate i by up to `step` leave the nearest feature: there the second derivative jumps. */
static int stays(const vv_pair_state *p, int i, double step)
{
    unsigned nearest[3];
    double w[4];
    for (int k = -1; k <= 1; k++) {
        vv_pair_state q = *p;
        q.x[i / 3][i % 3] += k * step;
        vv_stencil_distance2(q.kind, (const double(*)[3])q.x, nearest + 1 + k, w);
    }
    return nearest[0] == nearest[1] && nearest[1] == nearest[2];
}
static void aim(vv_pair_state *p) { vv_stencil_distance2(p->kind, (const double(*)[3])p->x, NULL, p->w); }
static double energy_at(vv_pair_state p)
{
    aim(&p);
    return vv_pair_energy(&p);
}
static void gradient_at(vv_pair_state p, double g[12])
{
    aim(&p);
    vv_pair_gradient(&p, g);
}

/* Near-parallel segments, b turned by a small angle; some with the nearest points at an end. */
static void make_mollified(double size, double d, double slope, double x[4][3])
{
    double shift = within(-1.8, 1.8);
    const double y[4][3] = {
        { -1, d / size, 0 }, { 1, d / size, 0 }, { shift - 0.8, 0, -0.8 * slope }, { shift + 0.9, 0, 0.9 * slope }
    };
    double axis[3] = { uniform(), uniform(), uniform() }, r[9], move[3] = { uniform(), uniform(), uniform() };
    vv_axis_angle(axis, within(0, 6), r);
    for (int i = 0; i < 4; i++) {
        vv_matvec(r, y[i], x[i]);
        for (int k = 0; k < 3; k++)
            x[i][k] = size * (x[i][k] + move[k]);
    }
}

/* A pair at random in which everything is switched on in turn; *mollified: whether its mollifier acts. */
static vv_pair_state any_pair(int repeat, int *mollified)
{
    vv_pair_state p = { .kind = (vv_stencil)(repeat % 4), .activation = 0.05, .stiffness = within(1, 1e4) };
    double size = pow(10, within(-1, 1));
    p.min_distance = repeat / 4 % 2 ? 0.02 : 0;
    double d = p.min_distance + p.activation * within(0.1, 0.9);
    if (repeat % 3 == 0)
        p.stiffness = -p.stiffness;
    *mollified = p.kind == VV_STENCIL_EE && repeat / 8 % 2;
    if (*mollified) {
        size = fmin(size, 1); /* all of the segments within reach */
        double rest[4][3] = { { 0 }, { size, 0, 0 }, { 0 }, { 0, size, 0 } };
        make_mollified(size / 2, d, (repeat & 16 ? 1 : -1) * within(0.004, 0.02), p.x);
        p.mollifier = vv_pair_mollifier((const double(*)[3])rest);
        assert_true(fabs(p.mollifier / (1e-3 * pow(size, 4)) - 1) < 1e-12);
        assert_true(vv_pair_mollified((const double(*)[3])p.x, p.mollifier));
    } else {
        make_pair(p.kind, size, d, p.x);
        if (p.kind == VV_STENCIL_EE && repeat / 16 % 2) { /* one that does not act */
            p.mollifier = 1e-6 * pow(size, 4);
            assert_false(vv_pair_mollified((const double(*)[3])p.x, p.mollifier));
        }
    }
    aim(&p);
    return p;
}

enum { PAIRS = 4000 };

static void test_gradient(void **unused)
{
    (void)unused;
    int compared = 0;
    for (int repeat = 0; repeat < PAIRS; repeat++) {
        int mollified, points;
        vv_pair_state p = any_pair(repeat, &mollified);
        double g[12], squares[9][12], again[12], size = 0, n[3], step = 1e-6 * p.activation;
        points = vv_stencil_points(p.kind);
        vv_pair_gradient(&p, g);
        vv_pair_squares(&p, again, squares);
        for (int i = 0; i < 12; i++) {
            size = fmax(size, fabs(g[i]));
            assert_true(fabs(g[i] - again[i]) <= 1e-14 * fabs(g[i]));
        }
        for (int i = 0; i < 12; i++) {
            vv_pair_state low = p, high = p;
            if (!stays(&p, i, step))
                continue;
            compared++;
            low.x[i / 3][i % 3] -= step;
            high.x[i / 3][i % 3] += step;
            double slope = i < 3 * points ? (energy_at(high) - energy_at(low)) / (2 * step) : 0;
            CHECK(fabs(slope - g[i]) <= 1e-6 * size, "kind %d mollified %d: %g, differences %g, of %g", (int)p.kind,
                  mollified, g[i], slope, size);
        }
        double force = vv_pair_force(&p, n);
        assert_true(fabs(vv_norm(n) - 1) < 1e-14 && force * p.stiffness > 0);
        if (!mollified)
            for (int i = 0; i < 3 * points; i++)
                assert_true(fabs(g[i] + force * p.w[i / 3] * n[i % 3]) <= 1e-14 * size);
    }
    assert_true(compared > 11.9 * PAIRS);
}

static void test_hessian(void **unused)
{
    (void)unused;
    int compared = 0;
    for (int repeat = 0; repeat < PAIRS; repeat++) {
        int mollified;
        vv_pair_state p = any_pair(repeat, &mollified);
        double h[144], size = 0, step = 1e-6 * p.activation;
        vv_pair_hessian(&p, h);
        for (int i = 0; i < 144; i++)
            size = fmax(size, fabs(h[i]));
        for (int i = 0; i < 12; i++) {
            vv_pair_state low = p, high = p;
            double a[12] = { 0 }, b[12] = { 0 };
            if (!stays(&p, i, step))
                continue;
            compared++;
            if (i < 3 * vv_stencil_points(p.kind)) {
                low.x[i / 3][i % 3] -= step;
                high.x[i / 3][i % 3] += step;
                gradient_at(low, a);
                gradient_at(high, b);
            }
            for (int j = 0; j < 12; j++) {
                double slope = (b[j] - a[j]) / (2 * step);
                CHECK(fabs(slope - h[12 * i + j]) <= 1e-6 * size, "kind %d mollified %d: %g, differences %g, of %g",
                      (int)p.kind, mollified, h[12 * i + j], slope, size);
                assert_true(fabs(h[12 * i + j] - h[12 * j + i]) <= 1e-14 * size);
            }
        }
    }
    assert_true(compared > 11.9 * PAIRS);
}

static void sum_squares(int count, const double v[9][12], double h[144])
{
    memset(h, 0, 144 * sizeof *h);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 144; i++)
            h[i] += v[k][i / 12] * v[k][i % 12];
}

static double least_eigenvalue(const double h[144], double *size)
{
    double a[144], values[12], vectors[144], least = INFINITY;
    memcpy(a, h, sizeof a);
    vv_eigen_small(12, a, values, vectors);
    *size = 0;
    for (int i = 0; i < 12; i++) {
        least = fmin(least, values[i]);
        *size = fmax(*size, fabs(values[i]));
    }
    return least;
}

/* h without its negative part */
static void clip(double h[144])
{
    double a[144], values[12], vectors[144];
    memcpy(a, h, sizeof a);
    vv_eigen_small(12, a, values, vectors);
    memset(h, 0, 144 * sizeof *h);
    for (int k = 0; k < 12; k++)
        for (int i = 0; i < 144; i++)
            h[i] += fmax(values[k], 0) * vectors[12 * k + i / 12] * vectors[12 * k + i % 12];
}

static void test_squares(void **unused)
{
    (void)unused;
    for (int repeat = 0; repeat < PAIRS; repeat++) {
        int mollified;
        vv_pair_state p = any_pair(repeat, &mollified);
        double exact[144], h[144], rest[144], g[12], v[9][12], size, all;
        vv_pair_hessian(&p, exact);
        int count = vv_pair_squares(&p, g, v);
        if (p.stiffness < 0) {
            assert_int_equal(count, 0);
            continue;
        }
        static const int most[] = { 1, 2, 3, 3 };
        assert_in_range(count, 1, mollified ? 9 : most[p.kind]);
        sum_squares(count, (const double(*)[12])v, h);
        least_eigenvalue(h, &all);
        for (int i = 0; i < 144; i++)
            rest[i] = h[i] - exact[i];
        double least = least_eigenvalue(rest, &size);
        CHECK(least >= -1e-12 * all, "kind %d mollified %d: less than the exact one by %g of %g", (int)p.kind,
              mollified, least, all);
        if (mollified) { /* in parts, each without its negative part: not much more than the whole without it */
            clip(exact);
            double trace = 0, clipped = 0;
            for (int i = 0; i < 12; i++)
                trace += h[13 * i], clipped += exact[13 * i];
            CHECK(trace >= (1 - 1e-12) * clipped && trace <= 1.1 * clipped, "mollified: %g of what it should be",
                  trace / clipped);
            continue;
        }
        /* what it should be: the parts, clipped by their eigenvalues */
        double barrier[144] = { 0 };
        if (!mollified) {
            double n[3], b[3], dd[12] = { 0 };
            vv_pair_force(&p, n);
            for (int i = 0; i < 3 * vv_stencil_points(p.kind); i++)
                dd[i] = p.w[i / 3] * n[i % 3];
            double d = sqrt(vv_stencil_distance2(p.kind, (const double(*)[3])p.x, NULL, p.w)) - p.min_distance;
            vv_barrier(d / p.activation, b);
            for (int i = 0; i < 144; i++)
                barrier[i] = p.stiffness * b[2] / p.activation * dd[i / 12] * dd[i % 12];
        }
        for (int i = 0; i < 144; i++)
            exact[i] -= barrier[i];
        clip(exact);
        for (int i = 0; i < 144; i++)
            CHECK(fabs(h[i] - barrier[i] - exact[i]) <= 1e-11 * all, "kind %d mollified %d: %g, clipped %g",
                  (int)p.kind, mollified, h[i] - barrier[i], exact[i]);
    }
}

/* Parallel edges have an energy of zero and a semidefinite Hessian: it is left as it is. */
static void test_semidefinite_stays(void **unused)
{
    (void)unused;
    vv_pair_state p = { .kind = VV_STENCIL_EE,
                        .x = { { 0 }, { 1, 0, 0 }, { 0.25, 0.01, 0 }, { 1.25, 0.01, 0 } },
                        .activation = 0.05,
                        .stiffness = 100,
                        .mollifier = 1e-3 };
    double exact[144], h[144], v[9][12], g[12], size;
    aim(&p);
    vv_pair_hessian(&p, exact);
    assert_true(least_eigenvalue(exact, &size) >= -1e-13 * size && size > 0);
    sum_squares(vv_pair_squares(&p, g, v), (const double(*)[12])v, h);
    for (int i = 0; i < 144; i++)
        assert_true(fabs(h[i] - exact[i]) <= 1e-13 * size);
    for (int i = 0; i < 12; i++)
        assert_true(g[i] == 0);
    assert_true(vv_pair_energy(&p) == 0);
}

/* Edges that are points, parallel, or as good as parallel: numbers, and no less than the exact Hessian. */
static void test_degenerate_edges(void **unused)
{
    (void)unused;
    static const double second[][3] = { { 1, 0, 0 },      { 0, 0, 0 },      { 1, 1e-12, 0 }, { 1, 0, 3e-13 },
                                        { -1, 1e-10, 0 }, { 1e-3, 0, 0 },   { 0, 0, 1e-9 },  { -300, 1e-9, 1e-9 },
                                        { 1, 1e-8, 0 },   { 1, 1e-6, 1e-6 } };
    for (size_t i = 0; i < sizeof second / sizeof *second; i++)
        for (int turn = 0; turn < 3; turn++) /* which edge is the point, or both */
        {
            vv_pair_state p = { .kind = VV_STENCIL_EE, .activation = 0.05, .stiffness = 100, .mollifier = 1e-3 };
            const double first[3] = { turn < 2, 0, 0 };
            for (int k = 0; k < 3; k++) {
                const double up = k == 1 ? 0.01 : k == 0 ? 0.25 : 0;
                p.x[1][k] = turn == 1 ? second[i][k] : first[k];
                p.x[2][k] = up;
                p.x[3][k] = up + (turn == 1 ? first[k] : second[i][k]);
            }
            double exact[144], h[144], v[9][12], g[12], rest[144], size, most;
            aim(&p);
            vv_pair_hessian(&p, exact);
            const int count = vv_pair_squares(&p, g, v);
            for (int k = 0; k < 12 * count; k++)
                assert_true(isfinite(v[k / 12][k % 12]));
            sum_squares(count, (const double(*)[12])v, h);
            least_eigenvalue(h, &most);
            for (int k = 0; k < 144; k++)
                rest[k] = h[k] - exact[k];
            const double least = least_eigenvalue(rest, &size);
            CHECK(least >= -1e-9 * most, "edge %zu, turn %d: less than the exact one by %g of %g", i, turn, least,
                  most);
        }
}

static void test_range(void **unused)
{
    (void)unused;
    for (int repeat = 0; repeat < 400; repeat++) {
        int mollified;
        vv_pair_state p = any_pair(repeat, &mollified);
        double g[12], h[144], v[9][12], d = sqrt(vv_stencil_distance2(p.kind, (const double(*)[3])p.x, NULL, p.w));
        p.min_distance = d * (1 + 1e-11);
        assert_true(vv_pair_energy(&p) == INFINITY);
        p.min_distance = d * 1.1;
        assert_true(vv_pair_energy(&p) == INFINITY);
        p.min_distance = 0;
        p.activation = d * (1 - 1e-12);
        assert_true(vv_pair_energy(&p) == 0);
        vv_pair_gradient(&p, g);
        vv_pair_hessian(&p, h);
        for (int i = 0; i < 144; i++)
            assert_true(g[i / 12] == 0 && h[i] == 0);
        assert_int_equal(vv_pair_squares(&p, g, v), 0);
        p.min_distance = d * (1 - 1e-9); /* almost touching: large, not broken */
        p.activation = d;
        vv_pair_hessian(&p, h);
        vv_pair_squares(&p, g, v);
        assert_true(isfinite(vv_pair_energy(&p)));
        for (int i = 0; i < 144; i++)
            assert_true(isfinite(g[i / 12]) && isfinite(h[i]));
    }
}

/* Energy and gradient on both sides of a change differ by as much as over the same way elsewhere. */
static void check_continuous(vv_pair_state p, int point, const double from[3], const double to[3], int *changes)
{
    double before[12] = { 0 }, after[12], last = 0, size = 0;
    unsigned nearest, old = 0;
    int steps = 2000, acts, acted = 0;
    for (int s = 0; s <= steps; s++) {
        for (int k = 0; k < 3; k++)
            p.x[point][k] = from[k] + (to[k] - from[k]) * s / steps;
        vv_stencil_distance2(p.kind, (const double(*)[3])p.x, &nearest, p.w);
        acts = p.kind == VV_STENCIL_EE && vv_pair_mollified((const double(*)[3])p.x, p.mollifier);
        double e = vv_pair_energy(&p);
        vv_pair_gradient(&p, after);
        if (s) {
            *changes += nearest != old || acts != acted;
            for (int i = 0; i < 12; i++)
                size = fmax(size, fabs(after[i]));
            double way = 0;
            for (int k = 0; k < 3; k++)
                way += fabs(to[k] - from[k]) / steps;
            assert_true(fabs(e - last) <= 1.1 * size * way + 1e-14 * fabs(p.stiffness));
            for (int i = 0; i < 12; i++)
                CHECK(fabs(after[i] - before[i]) <= 0.05 * size, "step %d of kind %d: %g to %g of %g", s, (int)p.kind,
                      before[i], after[i], size);
        }
        last = e, old = nearest, acted = acts;
        memcpy(before, after, sizeof before);
    }
}

static void test_continuous(void **unused)
{
    (void)unused;
    int changes = 0;
    vv_pair_state triangle = {
        .kind = VV_STENCIL_VT, .x = { { 0 }, { 0 }, { 1, 0, 0 }, { 0.3, 0.8, 0 } }, .activation = 0.5, .stiffness = 10
    };
    /* over the inside, an edge, a corner */
    check_continuous(triangle, 0, (double[3]){ 0.3, 0.3, 0.2 }, (double[3]){ -0.3, -0.2, 0.2 }, &changes);
    check_continuous(triangle, 0, (double[3]){ 0.5, 0.4, 0.2 }, (double[3]){ 0.6, -0.4, 0.1 }, &changes);
    assert_true(changes >= 3);
    changes = 0; /* through the mollifier's edge, with the nearest points inside */
    vv_pair_state edges = { .kind = VV_STENCIL_EE,
                            .x = { { -1, 0.1, 0 }, { 1, 0.1, 0 }, { -1, 0, 0 }, { 1, 0, 0 } },
                            .activation = 0.5,
                            .stiffness = 10,
                            .mollifier = 16e-3 };
    edges.x[2][2] = -0.02;
    check_continuous(edges, 3, (double[3]){ 1, 0, 0.02 }, (double[3]){ 1, 0, 0.3 }, &changes);
    assert_int_equal(changes, 1);
    changes = 0; /* crossed segments, one of which slides past the other's end */
    edges.x[2][0] = 0.8, edges.x[2][2] = -1;
    check_continuous(edges, 3, (double[3]){ 0.7, 0, 1 }, (double[3]){ 1.6, 0, 1 }, &changes);
    assert_int_equal(changes, 1);
}

/* A motion of the whole turns the gradient and leaves the energy; no net force or moment. */
static void test_invariant(void **unused)
{
    (void)unused;
    for (int repeat = 0; repeat < 1000; repeat++) {
        int mollified;
        vv_pair_state p = any_pair(repeat, &mollified), q = p;
        double axis[3] = { within(-1, 1), within(-1, 1), 1 }, r[9], g[12], turned[12], sum[3] = { 0 },
               moment[3] = { 0 };
        double size = 0;
        vv_axis_angle(axis, within(0, 6), r);
        for (int i = 0; i < 4; i++) {
            vv_matvec(r, p.x[i], q.x[i]);
            for (int k = 0; k < 3; k++)
                q.x[i][k] += k + 1;
        }
        vv_pair_gradient(&p, g);
        assert_true(fabs(energy_at(q) - energy_at(p)) <= 1e-9 * fabs(energy_at(p)));
        gradient_at(q, turned);
        for (int i = 0; i < 12; i++)
            size = fmax(size, fabs(g[i]));
        for (int i = 0; i < 4; i++) {
            double y[3], m[3];
            vv_matvec(r, g + 3 * i, y);
            vv_cross(p.x[i], g + 3 * i, m);
            for (int k = 0; k < 3; k++) {
                assert_true(fabs(y[k] - turned[3 * i + k]) <= 1e-9 * size);
                sum[k] += g[3 * i + k];
                moment[k] += m[k];
            }
        }
        assert_true(vv_norm(sum) <= 1e-13 * size && vv_norm(moment) <= 1e-11 * size);
    }
}

static void test_eigen(void **unused)
{
    (void)unused;
    for (int n = 1; n <= VV_EIGEN_MOST; n++)
        for (int repeat = 0; repeat < 50; repeat++) {
            double a[144], b[144], values[12], v[144], size = 0;
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++)
                    a[n * i + j] = a[n * j + i] =
                        repeat % 3 ? within(-1, 1) : floor(within(-1, 2)); /* equal values too */
            if (repeat % 5 == 0)                                           /* of very different sizes */
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        a[n * i + j] *= pow(10, -i - j);
            if (repeat == 7)
                memset(a, 0, sizeof a);
            memcpy(b, a, sizeof b);
            for (int i = 0; i < n * n; i++)
                size = fmax(size, fabs(a[i]));
            vv_eigen_small(n, b, values, v);
            for (int p = 0; p < n; p++)
                for (int q = 0; q < n; q++) {
                    double dot = 0, back = 0;
                    for (int k = 0; k < n; k++) {
                        dot += v[n * p + k] * v[n * q + k];
                        back += values[k] * v[n * k + p] * v[n * k + q];
                    }
                    assert_true(fabs(dot - (p == q)) <= 1e-14);
                    assert_true(fabs(back - a[n * p + q]) <= 1e-13 * size);
                }
        }
    double bad[9] = { NAN, 1, 2, 1, 3, INFINITY, 2, INFINITY, 1 }, values[3], v[9];
    vv_eigen_small(3, bad, values, v); /* returns */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_hessian),
        cmocka_unit_test(test_squares),
        cmocka_unit_test(test_semidefinite_stays),
        cmocka_unit_test(test_degenerate_edges),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_continuous),
        cmocka_unit_test(test_invariant),
        cmocka_unit_test(test_eigen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
