/* Joints of rods: values by hand, derivatives against differences near and far from rest, symmetry, projection, rigid
 * motions, states without a shape, the constant model, bits, samples, damping; which edges are joined. */
#include "energy_fixture.h"

#include "base/error.h"
#include "energy/rods/joints.h"
#include "energy/batch/rayleigh.h"
#include "energy/rods/rods.h"

#include <stdbool.h>

enum { NODES = 5, N = 3 * NODES };
static const double pi = 3.14159265358979323846;

static int nodes_of(int kind) { return kind == VV_ROD_TWISTING ? 5 : 3; }

static bound bind_joints(vv_rod_kind kind, int nodes, int count, const vv_rod_joint *joints)
{
    vv_energy *e;
    assert_int_equal(vv_rods_create(kind, nodes, 1, (int[]){ 0, count }, joints, (int[]){ 0 }, &e, NULL), VV_OK);
    return bind_energy(e, nodes, 0);
}

/* Stiffnesses of like size; x: the rest places, bent, and twisted. */
static vv_rod_joint some_joint(vv_rod_kind kind, rng *r, double *x)
{
    static const double straight[N] = { -1.1, 0, 0, 0, 0, 0, 0.8, 0, 0, -0.5, 0.9, 0, 0.4, 0.7, 0.1 };
    vv_rod_joint j = { .nodes = { 0, 1, 2, 3, 4 }, .bend = 1.3, .twist = 0.7, .hold = { 0.4, 0.6 } };
    for (int i = 0; i < N; i++)
        x[i] = straight[i] + 0.3 * rng_next(r);
    for (int i = 0; i < 2; i++) { /* directors stand over the middle */
        double t[3], u[3], *director = x + 9 + 3 * i;
        vv_sub(x + 3 * i + 3, x + 3 * i, t);
        for (int k = 0; k < 3; k++)
            u[k] = director[k] - 0.5 * (x[3 * i + k] + x[3 * i + 3 + k]);
        double along = vv_dot(t, u) / vv_dot(t, t);
        for (int k = 0; k < 3; k++)
            director[k] -= along * t[k];
    }
    assert_true(vv_rod_measure(kind, x, &j));
    return j;
}

/* Bends the edge b c by phi in the plane of x and y, and turns the second director by m about it. */
static void bend_and_twist(double phi, double m, double x[N])
{
    double t[3] = { cos(phi), sin(phi), 0 }, up[3] = { -sin(phi), cos(phi), 0 };
    const double first[N] = { -1, 0, 0, 0, 0, 0, 0, 0, 0, -0.5, 0.5, 0 };
    memcpy(x, first, sizeof first);
    for (int k = 0; k < 3; k++) {
        x[6 + k] = 0.5 * t[k];
        x[12 + k] = 0.25 * t[k] + 0.5 * (cos(m) * up[k] + (k == 2 ? sin(m) : 0));
    }
}

static void values_by_hand(void **unused)
{
    (void)unused;
    double x[N];
    for (int kind = 0; kind < VV_ROD_COUNT; kind++) {
        vv_rod_joint j = { .nodes = { 0, 1, 2, 3, 4 }, .bend = 3, .twist = 2, .hold = { 1, 1 } };
        bend_and_twist(0, 0, x);
        assert_true(vv_rod_measure(kind, x, &j) && j.square == 0 && j.rest_twist == 0);
        bound b = bind_joints(kind, nodes_of(kind), 1, &j);
        assert_true(energy_at(&b, x) == 0);
        for (double phi = -3; phi < 3.1; phi += 0.5)
            for (double m = -3; m < 3.1; m += 0.75) {
                bend_and_twist(phi, m, x);
                double bent = 0.5 * 3 * 4 * tan(phi / 2) * tan(phi / 2),
                       expected = bent + (kind == VV_ROD_TWISTING ? 0.5 * 2 * m * m : 0);
                assert_true(fabs(energy_at(&b, x) - expected) < 1e-11 * (1 + expected));
            }
        free_bound(&b);
    }
    for (int sign = -1; sign < 2; sign += 2) { /* a difference of twists is taken the short way round */
        vv_rod_joint j = { .nodes = { 0, 1, 2, 3, 4 }, .bend = 3, .twist = 2 };
        bend_and_twist(0.3, 3 * sign, x);
        assert_true(vv_rod_measure(VV_ROD_TWISTING, x, &j) && fabs(j.rest_twist - 3 * sign) < 1e-14 &&
                    fabs(j.square - 4 * pow(tan(0.15), 2)) < 1e-15);
        memset(j.rest, 0, sizeof j.rest);
        bound b = bind_joints(VV_ROD_TWISTING, 5, 1, &j);
        bend_and_twist(0, -3 * sign, x);
        assert_true(fabs(energy_at(&b, x) - pow(2 * pi - 6, 2)) < 1e-13);
        free_bound(&b);
    }
}

/* Near a curved rest shape the stiffness is 1 % less, and along the way through straight all is smooth. */
static void curved_without_frames(void **unused)
{
    (void)unused;
    double x[N], h[81], d = 1e-3, e[3];
    vv_rod_joint j = { .nodes = { 0, 1, 2 }, .bend = 3 };
    bend_and_twist(0.4, 0, x);
    assert_true(vv_rod_measure(VV_ROD_BENDING, x, &j));
    bound b = bind_joints(VV_ROD_BENDING, 3, 1, &j);
    for (int i = -1; i < 2; i++) {
        bend_and_twist(2 * atan(tan(0.2) + 0.5 * d * i), 0, x);
        e[i + 1] = energy_at(&b, x);
    }
    assert_true(fabs((e[0] + e[2] - 2 * e[1]) / (d * d) - 3 / 1.01) < 1e-2);
    bend_and_twist(0, 0, x);
    assert_true(difference_error(&b, x, 1e-5, 1) < 1e-6);
    hessian_at(&b, x, VV_HESSIAN_EXACT, h);
    assert_true(least_eigenvalue(9, h) < -1 && largest(h, 81) < 1e4);
    free_bound(&b);
}

static bool is_symmetric(int n, const double *h, double tolerance)
{
    bool is = true;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            is = is && fabs(h[i * n + k] - h[k * n + i]) <= tolerance;
    return is;
}

static void derivatives(void **unused)
{
    (void)unused;
    rng r = { 17 };
    for (int kind = 0; kind < VV_ROD_COUNT; kind++)
        for (int trial = 0; trial < 60; trial++) {
            double x[N], h[N * N];
            const int nodes = nodes_of(kind), n = 3 * nodes;
            vv_rod_joint j = some_joint(kind, &r, x);
            if (trial % 3 == 0)
                j.square = 0, memset(j.rest, 0, sizeof j.rest);
            bound b = bind_joints(kind, nodes, 1, &j);
            if (trial % 3)
                assert_true(energy_at(&b, x) < 1e-28);
            if (trial >= 40)
                bend_and_twist((trial % 2 ? 3 : -3) + 0.1 * rng_next(&r), 2 * rng_next(&r), x); /* folded but for 0.1 */
            if (trial == 10)
                bend_and_twist(0, 0, x);
            for (int i = 0; i < N && trial >= 20; i++)
                x[i] += (trial < 40 ? 0.4 : 0.01) * rng_next(&r);
            assert_true(difference_error(&b, x, trial < 40 ? 1e-5 : 1e-7, 1) < (trial < 40 ? 1e-6 : 1e-5));
            hessian_at(&b, x, VV_HESSIAN_EXACT, h);
            assert_true(is_symmetric(n, h, 1e-13 * largest(h, n * n)));
            free_bound(&b);
        }
}

/* Semidefinite everywhere, the exact one at rest and where a rod without a rest curvature is straight, and near those
 * close to it. */
static void projection(void **unused)
{
    (void)unused;
    rng r = { 18 };
    for (int kind = 0; kind < VV_ROD_COUNT; kind++)
        for (int trial = 0; trial < 40; trial++) {
            double x[N], exact[N * N], projected[N * N], y[N], last = 0;
            const int nodes = nodes_of(kind), n = 3 * nodes;
            vv_rod_joint j = some_joint(kind, &r, x);
            if (trial % 2 && kind == VV_ROD_BENDING) {
                bend_and_twist(0, 0, x);
                j.square = 0;
            }
            bound b = bind_joints(kind, nodes, 1, &j);
            for (double off = 1; off > 1e-4; off *= 0.1) {
                for (int i = 0; i < n; i++)
                    y[i] = x[i] + off * sin(3.0 * i + trial);
                hessian_at(&b, y, VV_HESSIAN_EXACT, exact);
                hessian_at(&b, y, VV_HESSIAN_PROJECTED, projected);
                double scale = largest(projected, n * n);
                assert_true(scale > 0 && is_symmetric(n, projected, 1e-13 * scale));
                last = largest_difference(exact, projected, n * n) / scale;
                assert_true(least_eigenvalue(n, projected) > -1e-12 * scale);
            }
            if (trial % 2 || kind == VV_ROD_TWISTING)
                assert_true(last < 0.02);
            hessian_at(&b, x, VV_HESSIAN_EXACT, exact);
            hessian_at(&b, x, VV_HESSIAN_PROJECTED, projected);
            if (trial % 2 || kind == VV_ROD_TWISTING)
                assert_true(largest_difference(exact, projected, n * n) < 1e-12 * largest(exact, n * n));
            free_bound(&b);
        }
}

/* No force and no moment on the whole; the same energy wherever the joint is. */
static void rigid_motions(void **unused)
{
    (void)unused;
    rng r = { 19 };
    for (int kind = 0; kind < VV_ROD_COUNT; kind++)
        for (int trial = 0; trial < 20; trial++) {
            double x[N], y[N], g[N], q[9], sum[6] = { 0 }, off[3] = { rng_next(&r), 5 * rng_next(&r), rng_next(&r) };
            const int nodes = nodes_of(kind);
            vv_rod_joint j = some_joint(kind, &r, x);
            bound b = bind_joints(kind, nodes, 1, &j);
            random_rotation(&r, q);
            for (int i = 0; i < N; i++)
                x[i] += 0.5 * rng_next(&r);
            for (int i = 0; i < nodes; i++) {
                vv_matvec(q, x + 3 * i, y + 3 * i);
                for (int k = 0; k < 3; k++)
                    y[3 * i + k] += off[k];
            }
            double e = energy_at(&b, x);
            assert_true(e > 1e-6 && fabs(energy_at(&b, y) - e) < 1e-12 * e);
            gradient_at(&b, x, g);
            for (int i = 0; i < nodes; i++) {
                double turn[3];
                vv_cross(x + 3 * i, g + 3 * i, turn);
                for (int k = 0; k < 3; k++)
                    sum[k] += g[3 * i + k], sum[3 + k] += turn[k];
            }
            assert_true(largest(sum, 6) < 1e-13 * largest(g, 3 * nodes));
            free_bound(&b);
        }
}

static bool all_finite(const double *a, int count)
{
    bool finite = true;
    for (int i = 0; i < count; i++)
        finite = finite && isfinite(a[i]);
    return finite;
}

/* Edges without length, directors on the axis, all in one point, folded onto itself: nothing that is not a number. */
static void without_a_shape(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < VV_ROD_COUNT; kind++) {
        double x[N], g[N], h[N * N];
        rng r = { 20 };
        const int nodes = nodes_of(kind), n = 3 * nodes;
        vv_rod_joint j = some_joint(kind, &r, x);
        bound b = bind_joints(kind, nodes, 1, &j);
        for (int state = 0; state < 6; state++) {
            bend_and_twist(state == 5 ? pi - 1e-9 : 0.5, 0.3, x);
            if (state == 0 || state == 1)
                memcpy(x + 6 * state, x + 3, 3 * sizeof *x);
            if (state == 2)
                memset(x, 0, sizeof x);
            if (state == 3)
                memcpy(x + 9, (double[]){ -0.7, 0, 0 }, 3 * sizeof *x);
            if (state == 4)
                memcpy(x + 6, (double[]){ -0.5, 0, 0 }, 3 * sizeof *x);
            double e = energy_at(&b, x);
            assert_true(state == 4 ? e == INFINITY : isfinite(e) && e >= 0);
            if (state == 5)
                assert_true(e > 1e12);
            memset(g, 0, sizeof g);
            b.e->ops->derivatives(b.e, &one_thread, x, 1, VV_HESSIAN_EXACT, g, NULL);
            assert_true(all_finite(g, n));
            hessian_at(&b, x, VV_HESSIAN_EXACT, h);
            assert_true(all_finite(h, n * n));
            hessian_at(&b, x, VV_HESSIAN_PROJECTED, h);
            assert_true(all_finite(h, n * n));
        }
        memcpy(x, (double[]){ -1, 0, 0, 0, 0, 0, -0.5, 0, 0 }, 9 * sizeof *x);
        assert_false(vv_rod_measure(kind, x, &j));
        memcpy(x + 6, x + 3, 3 * sizeof *x);
        assert_false(vv_rod_measure(kind, x, &j));
        free_bound(&b);
    }
}

/* A chain of `joints` joints with directors after its nodes. */
static int make_chain(int joints, double shake, double *x, vv_rod_joint *list, vv_rod_kind kind)
{
    const int edges = joints + 1, nodes = edges + 1;
    rng r = { 21 };
    for (int i = 0; i < nodes; i++)
        for (int k = 0; k < 3; k++)
            x[3 * i + k] = (k == 0 ? i : 0) + shake * rng_next(&r);
    for (int e = 0; e < edges; e++)
        for (int k = 0; k < 3; k++)
            x[3 * (nodes + e) + k] = 0.5 * (x[3 * e + k] + x[3 * e + 3 + k]) + (k == 1) + shake * rng_next(&r);
    for (int i = 0; i < joints && list; i++) {
        list[i] = (vv_rod_joint){ .nodes = { i, i + 1, i + 2, nodes + i, nodes + i + 1 },
                                  .bend = 1 + 0.1 * (i % 7),
                                  .twist = 2,
                                  .hold = { 1, 2 } };
        assert_true(vv_rod_measure(kind, x, list + i));
    }
    return nodes + (kind == VV_ROD_TWISTING ? edges : 0);
}

/* Beside padding and in full groups: the sum over joints; with all threads the same bits; samples are summed up; the
 * constant model. */
static void many_joints(void **unused)
{
    (void)unused;
    enum { JOINTS = 700, MOST = 3 * (2 * JOINTS + 4) };
    static vv_rod_joint list[JOINTS];
    static double x[MOST], y[MOST], g[2][MOST], sum[MOST];
    for (int kind = 0; kind < VV_ROD_COUNT; kind++) {
        int nodes = make_chain(JOINTS, 0.2, x, list, kind);
        make_chain(JOINTS, 0.3, y, NULL, kind);
        bound all = bind_joints(kind, nodes, JOINTS, list);
        double e = energy_at(&all, y), parts = 0;
        memset(sum, 0, sizeof sum);
        for (int i = 0; i < JOINTS; i++) {
            bound one = bind_joints(kind, nodes, 1, list + i);
            parts += energy_at(&one, y);
            one.e->ops->derivatives(one.e, &one_thread, y, 1, VV_HESSIAN_EXACT, sum, NULL);
            free_bound(&one);
        }
        gradient_at(&all, y, g[0]);
        assert_true(fabs(e - parts) < 1e-12 * e &&
                    largest_difference(g[0], sum, 3 * nodes) < 1e-11 * largest(sum, 3 * nodes));
        /* a product with the Hessian is the difference of gradients, also of two samples at once */
        vv_block_target to = target_of(&all);
        for (int samples = 1; samples < 3; samples++) {
            const vv_sample sample[2] = { { y, 0.5, 1 }, { x, 2, 0.25 } };
            double t = 1e-6, worst = 0, scale = 0;
            static double p[MOST], hp[MOST], z[MOST];
            for (int i = 0; i < 3 * nodes; i++)
                p[i] = cos(5.0 * i);
            vv_bsr_clear(&all.a, &one_thread);
            memset(sum, 0, sizeof sum);
            all.e->ops->sum_derivatives(all.e, &one_thread, sample, samples, VV_HESSIAN_EXACT, sum, &to);
            vv_bsr_multiply(&all.a, &one_thread, p, hp);
            for (int s = 0; s < samples; s++) {
                gradient_at(&all, sample[s].x, g[0]);
                for (int i = 0; i < 3 * nodes; i++)
                    sum[i] -= sample[s].force * g[0][i];
                for (int side = -1; side < 2; side += 2) {
                    for (int i = 0; i < 3 * nodes; i++)
                        z[i] = sample[s].x[i] + side * t * p[i];
                    gradient_at(&all, z, g[1]);
                    for (int i = 0; i < 3 * nodes; i++)
                        hp[i] -= sample[s].stiffness * side * g[1][i] / (2 * t);
                }
                scale = fmax(scale, largest(g[0], 3 * nodes));
            }
            worst = fmax(largest(hp, 3 * nodes), largest(sum, 3 * nodes));
            assert_true(worst < 1e-6 * scale);
        }
        free_bound(&all);
    }
}

static double *outputs(int kind, int nodes, int joints, const vv_rod_joint *list, const double *x, int threads,
                       size_t *count)
{
    vv_parallel par = { .threads = threads };
    bound b = bind_joints(kind, nodes, joints, list);
    size_t n = 3 * (size_t)nodes, values = 9 * (size_t)b.a.nnz;
    *count = 1 + n + 2 * values;
    double *out = calloc(*count, sizeof *out);
    out[0] = b.e->ops->value(b.e, &par, x, NULL);
    vv_block_target to = target_of(&b);
    for (int projected = 0; projected < 2; projected++) {
        vv_bsr_clear(&b.a, &par);
        b.e->ops->derivatives(b.e, &par, x, 0.7, projected ? VV_HESSIAN_PROJECTED : VV_HESSIAN_EXACT, out + 1, &to);
        memcpy(out + 1 + n + (size_t)projected * values, b.a.val, values * sizeof *out);
    }
    free_bound(&b);
    return out;
}

static void same_bits_everywhere(void **unused)
{
    (void)unused;
    enum { JOINTS = 3000, MOST = 3 * (2 * JOINTS + 4) };
    static vv_rod_joint list[JOINTS];
    static double x[MOST];
    const char *given = getenv("VISVIVA_ISA");
    char *keep = given ? strdup(given) : NULL;
    for (int kind = 0; kind < VV_ROD_COUNT; kind++) {
        size_t n, count;
        int nodes = make_chain(JOINTS, 0.2, x, list, kind);
        make_chain(JOINTS, 0.35, x, NULL, kind);
        double *first = outputs(kind, nodes, JOINTS, list, x, 1, &n);
        for (int i = 0; i < 4; i++) {
            if (i >= 2)
                setenv("VISVIVA_ISA", i == 2 ? "base" : "avx2", 1);
            double *other = outputs(kind, nodes, JOINTS, list, x, i == 1 ? 3 : 2, &count);
            assert_memory_equal(first, other, n * sizeof *first);
            free(other);
            if (keep)
                setenv("VISVIVA_ISA", keep, 1);
            else
                unsetenv("VISVIVA_ISA");
        }
        free(first);
    }
    free(keep);
}

/* The constant model is that of the table too, semidefinite, and does not read positions; at a straight rest it is
 * not softer than the Hessian. */
static void constant_model(void **unused)
{
    (void)unused;
    enum { JOINTS = 5, MOST = 3 * (2 * JOINTS + 4) };
    vv_rod_joint list[JOINTS];
    static double x[MOST], h[MOST * MOST], rest[MOST * MOST];
    for (int kind = 0; kind < VV_ROD_COUNT; kind++) {
        int nodes = make_chain(JOINTS, 0, x, list, kind), n = 3 * nodes;
        bound b = bind_joints(kind, nodes, JOINTS, list);
        hessian_at(&b, NULL, VV_HESSIAN_REST, rest);
        vv_quadratic q;
        assert_true(vv_quadratic_init(&q, nodes, b.unknown));
        assert_false(b.e->ops->quadratic(b.e, VV_QUADRATIC_BOUND, &q));
        assert_true(b.e->ops->quadratic(b.e, VV_QUADRATIC_REST, &q) && vv_quadratic_finish(&q, NULL) == VV_OK);
        for (int i = 0; i < nodes; i++)
            assert_true(fabs(q.diagonal[i] - rest[3 * i * n + 3 * i]) < 1e-13 && rest[3 * i * n + 3 * i + 1] == 0);
        for (size_t i = 0; i < q.count; i++)
            assert_true(fabs(q.entry[i].value - rest[(3 * q.entry[i].row + 1) * n + 3 * q.entry[i].col + 1]) < 1e-13);
        vv_quadratic_free(&q);
        hessian_at(&b, x, VV_HESSIAN_EXACT, h);
        for (int i = 0; i < n * n; i++)
            h[i] = rest[i] - h[i];
        assert_true(least_eigenvalue(n, h) > -1e-12 * largest(rest, n * n));
        free_bound(&b);
    }
}

static void damping(void **unused)
{
    (void)unused;
    rng r = { 23 };
    double x[N], v[N], h[N * N], power = 0, beta = 0.01;
    vv_rod_joint j = some_joint(VV_ROD_TWISTING, &r, x);
    bound b = bind_joints(VV_ROD_TWISTING, NODES, 1, &j);
    vv_energy *damped;
    for (int i = 0; i < N; i++)
        x[i] += 0.3 * rng_next(&r), v[i] = rng_next(&r);
    hessian_at(&b, x, VV_HESSIAN_PROJECTED, h);
    assert_int_equal(vv_rayleigh_create(b.e, &beta, &damped, NULL), VV_OK);
    damped->ops->lag(damped, &one_thread, x, v, 0.1);
    for (int i = 0; i < N * N; i++)
        power += 0.5 * beta * v[i / N] * h[i] * v[i % N];
    assert_true(power > 0 && fabs(damped->ops->value(damped, &one_thread, v, NULL) - power) < 1e-12 * power);
    damped->ops->destroy(damped);
    free_bound(&b);
}

/* ---- which edges are joined ---- */

static void expect_joints(int edges, const int *edge, const double *x, int expected, const int (*nodes)[3])
{
    vv_joint *joints;
    int count;
    assert_int_equal(vv_joints_find(edges, edge, x, &joints, &count, NULL), VV_OK);
    assert_int_equal(count, expected);
    for (int i = 0; i < count; i++) {
        const int *n = joints[i].nodes;
        bool found = false;
        for (int j = 0; j < expected; j++)
            found = found || (n[1] == nodes[j][1] && ((n[0] == nodes[j][0] && n[2] == nodes[j][2]) ||
                                                      (n[0] == nodes[j][2] && n[2] == nodes[j][0])));
        assert_true(found);
        for (int e = 0; e < 2; e++)
            for (int k = 0; k < 2; k++)
                assert_true(edge[2 * joints[i].edges[e] + k] == n[e] || edge[2 * joints[i].edges[e] + k] == n[e + 1]);
        for (int j = 0; j < i; j++)
            assert_false(joints[j].edges[0] == joints[i].edges[0] && joints[j].edges[1] == joints[i].edges[1]);
    }
    vv_free(joints);
}

static void which_edges_are_joined(void **unused)
{
    (void)unused;
    /* a chain with a sharp corner, and an edge by itself */
    const double corner[] = { 0, 0, 0, 1, 0, 0, 0.1, 0.1, 0, 5, 5, 5, 6, 5, 5 };
    expect_joints(3, (int[]){ 0, 1, 1, 2, 3, 4 }, corner, 1, (const int[][3]){ { 0, 1, 2 } });
    /* a ring of three */
    expect_joints(3, (int[]){ 0, 1, 1, 2, 0, 2 }, corner, 3, (const int[][3]){ { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 } });
    /* two threads that cross: they are not joined to each other */
    const double cross[] = { 0, 0, 0, 1, 0.1, 0, 0, 1, 0, -1, 0, 0, 0.1, -1, 0 };
    expect_joints(4, (int[]){ 0, 1, 0, 2, 0, 3, 0, 4 }, cross, 2, (const int[][3]){ { 1, 0, 3 }, { 2, 0, 4 } });
    /* a branch goes on from the trunk */
    const double branch[] = { 0, 0, 0, 0, -1, 0, 0.2, 1, 0, -0.5, 1, 0 };
    expect_joints(3, (int[]){ 0, 1, 0, 2, 0, 3 }, branch, 2, (const int[][3]){ { 1, 0, 2 }, { 1, 0, 3 } });
    expect_joints(0, NULL, NULL, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand), cmocka_unit_test(curved_without_frames),  cmocka_unit_test(derivatives),
        cmocka_unit_test(projection),     cmocka_unit_test(rigid_motions),          cmocka_unit_test(without_a_shape),
        cmocka_unit_test(many_joints),    cmocka_unit_test(same_bits_everywhere),   cmocka_unit_test(constant_model),
        cmocka_unit_test(damping),        cmocka_unit_test(which_edges_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
