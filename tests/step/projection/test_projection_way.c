/* The projection's directions by themselves (theory §3.10), on clouds of points: velocities alone meet all
 * constraints and are the nearest that do; where stiff modes hold too much energy, conjugate directions are few and
 * end near the exact minimiser of Eq. 1; a projection whose target is out of reach ends at once, and none whose
 * target is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "random_support.h"
#include "size.h"
#include "step/projection/projection.h"

#include <string.h>

/* Points of mass m on springs of stiffness k to the origin, of a group that something holds. */
enum { POINTS = 60, N = 3 * POINTS };
static const double H = 0.01;
typedef struct cloud {
    int points;
    double m[POINTS], k[POINTS], q[N], v[N], g[N], from_q[N], from_v[N], from_g[N], dq[N], dv[N];
} cloud;

static double energy(const cloud *c, const double *q)
{
    double sum = 0;
    for (int i = 0; i < 3 * c->points; i++)
        sum += 0.5 * c->k[i / 3] * q[i] * q[i];
    return sum;
}

static void pull(const cloud *c, const double *q, double *g)
{
    for (int i = 0; i < 3 * c->points; i++)
        g[i] = c->k[i / 3] * q[i];
}

static double kinetic(const cloud *c, const double *v)
{
    double sum = 0;
    for (int i = 0; i < 3 * c->points; i++)
        sum += 0.5 * c->m[i / 3] * v[i] * v[i];
    return sum;
}

static void momenta(const cloud *c, const double *q, const double *v, double out[6])
{
    for (int k = 0; k < 6; k++)
        out[k] = 0;
    for (int i = 0; i < c->points; i++) {
        double l[3];
        vv_cross(q + 3 * i, v + 3 * i, l);
        for (int k = 0; k < 3; k++)
            out[k] += c->m[i] * v[3 * i + k], out[k + 3] += c->m[i] * l[k];
    }
}

static void outer(double m, const double *a, double out[6])
{
    out[0] += m * a[0] * a[0], out[1] += m * a[0] * a[1], out[2] += m * a[0] * a[2];
    out[3] += m * a[1] * a[1], out[4] += m * a[1] * a[2], out[5] += m * a[2] * a[2];
}

/* As vv_projection_sum, with the origin for reference. */
static void sum(const cloud *c, const double *q, const double *v, const double *g, vv_projection_sums *s)
{
    *s = (vv_projection_sums){ 0 };
    for (int i = 0; i < c->points; i++) {
        const double *r = q + 3 * i, *w = v + 3 * i, *f = g + 3 * i, m = c->m[i];
        double rw[3], gw[3];
        vv_cross(r, w, rw), vv_cross(f, w, gw);
        s->mass += m, s->vv += m * vv_dot(w, w), s->gg += vv_dot(f, f) / m;
        s->along += vv_dot(f, c->dq + 3 * i) + m * vv_dot(w, c->dv + 3 * i);
        for (int k = 0; k < 3; k++)
            s->r[k] += m * r[k], s->w[k] += m * w[k], s->rw[k] += m * rw[k], s->g[k] += f[k], s->gw[k] += gw[k];
        outer(m, r, s->rr), outer(m, w, s->ww);
    }
    s->square = s->vv;
}

static void randomise(cloud *c, int points)
{
    memset(c, 0, sizeof *c);
    c->points = points;
    for (int i = 0; i < points; i++)
        c->m[i] = within(0.5, 2);
    for (int i = 0; i < 3 * points; i++)
        c->q[i] = within(-1, 1), c->v[i] = within(-1, 1);
}

static vv_projection_group held_group(double scale)
{
    return (vv_projection_group){ .used = true,
                                  .held = true,
                                  .alone = true,
                                  .radius = 1,
                                  .scale = scale,
                                  .energy = true,
                                  .move = true,
                                  .near = INFINITY,
                                  .best = INFINITY,
                                  .limit = 30 };
}

/* ---- velocities alone ---- */

static void keep(const double p[6], vv_projection_group *g)
{
    g->kept = VV_MOMENTA;
    for (int k = 0; k < VV_MOMENTA; k++)
        g->basis[k][k] = 1;
    memcpy(g->p, p, sizeof g->p);
    memcpy(g->l, p + 3, sizeof g->l);
}

/* c's velocities as vv_projection_scale changes them; false: it does not. */
static bool scaled(const cloud *c, const double wanted[6], double target, const double *v, double most, double *out)
{
    vv_projection_group g = held_group(10);
    keep(wanted, &g);
    g.move = false;
    sum(c, c->q, v, c->g, &g.sums);
    g.excess = kinetic(c, v) - target;
    vv_projection_constraints(&g, false);
    if (!vv_projection_scale(&g, H, most, 10))
        return false;
    for (int i = 0; i < c->points; i++) {
        double dq[3], dv[3];
        vv_projection_at(&g, H, c->m[i], c->q + 3 * i, v + 3 * i, c->g + 3 * i, dq, dv);
        for (int k = 0; k < 3; k++) {
            assert_true(dq[k] == 0);
            out[3 * i + k] = v[3 * i + k] + dv[k];
        }
    }
    return true;
}

static double apart(const cloud *c, const double *a, const double *b)
{
    double d[N];
    for (int i = 0; i < 3 * c->points; i++)
        d[i] = a[i] - b[i];
    return sqrt(2 * kinetic(c, d));
}

static void velocities_alone_meet_all(void **state)
{
    (void)state;
    for (int round = 0; round < sized(30, 200, 2000); round++) {
        cloud c;
        randomise(&c, 12);
        double wanted[6], rigid[N], still[N] = { 0 }, got[6], v[N], other[N];
        momenta(&c, c.q, c.v, wanted);
        for (int k = 0; k < 6; k++)
            wanted[k] += within(-1, 1);
        /* the least energy is where nothing of still velocities vibrates; found from those that hardly do */
        for (int i = 0; i < N; i++)
            still[i] = 1e-3 * within(-1, 1);
        assert_true(scaled(&c, wanted, 1000, c.v, INFINITY, v) || scaled(&c, wanted, 50, c.v, INFINITY, v));
        double low = 0, high = kinetic(&c, v);
        for (int i = 0; i < 60; i++) {
            const double mid = 0.5 * (low + high);
            *(scaled(&c, wanted, mid, c.v, INFINITY, rigid) ? &high : &low) = mid;
        }
        for (int i = 0; i < 5; i++) {
            const double target = high * (1 + 1e-9) + (i ? pow(10, within(-4, 0)) : 0);
            assert_true(scaled(&c, wanted, target, c.v, INFINITY, v));
            CHECK(fabs(kinetic(&c, v) - target) < 1e-11 * target, "%g, not %g", kinetic(&c, v), target);
            momenta(&c, c.q, v, got);
            for (int k = 0; k < 6; k++)
                CHECK(fabs(got[k] - wanted[k]) < 1e-11, "momentum %d is off by %g", k, got[k] - wanted[k]);
            double any[N];
            for (int k = 0; k < N; k++)
                any[k] = within(-1, 1);
            if (scaled(&c, wanted, target, any, INFINITY, other)) /* some others that meet all */
                CHECK(apart(&c, v, c.v) <= apart(&c, other, c.v) * (1 + 1e-12), "others are nearer");
        }
        assert_false(scaled(&c, wanted, high * (1 - 1e-6), c.v, INFINITY, v));
        assert_false(scaled(&c, wanted, 1e4, still, INFINITY, v)); /* of nearly nothing nothing is made */
        double now[6];
        momenta(&c, c.q, c.v, now);
        assert_true(scaled(&c, now, 1.0001 * kinetic(&c, c.v), c.v, 1e-3, v));
        assert_false(scaled(&c, now, 1.1 * kinetic(&c, c.v), c.v, 1e-3, v)); /* more than they may change */
    }
}

/* Momenta alone: the nearest velocities that have them, whatever H is then; what vibrates does not change. */
static void momenta_alone_are_the_nearest(void **state)
{
    (void)state;
    for (int round = 0; round < sized(30, 200, 2000); round++) {
        cloud c;
        randomise(&c, 12);
        double wanted[6], got[6], v[N], other[N], any[N];
        momenta(&c, c.q, c.v, wanted);
        for (int k = 0; k < 6; k++)
            wanted[k] += within(-1, 1);
        vv_projection_group g = held_group(10);
        keep(wanted, &g);
        sum(&c, c.q, c.v, c.g, &g.sums);
        vv_projection_constraints(&g, false);
        vv_projection_kick(&g, H, false);
        g.move = false;
        for (int i = 0; i < c.points; i++) {
            double dq[3], dv[3];
            vv_projection_at(&g, H, c.m[i], c.q + 3 * i, c.v + 3 * i, c.g + 3 * i, dq, dv);
            for (int k = 0; k < 3; k++)
                v[3 * i + k] = c.v[3 * i + k] + dv[k];
        }
        momenta(&c, c.q, v, got);
        for (int k = 0; k < 6; k++)
            CHECK(fabs(got[k] - wanted[k]) < 1e-11, "momentum %d is off by %g", k, got[k] - wanted[k]);
        for (int k = 0; k < N; k++)
            any[k] = c.v[k] + 0.1 * within(-1, 1);
        if (scaled(&c, wanted, kinetic(&c, v) * 1.01, any, INFINITY, other))
            CHECK(apart(&c, v, c.v) <= apart(&c, other, c.v) * (1 + 1e-12), "others are nearer");
    }
}

/* ---- directions ---- */

enum { RETURNS = -2 };
/* The policy's loop for the cloud. Returns how many energies and gradients it took, RETURNS, or -1 without an end. */
static int project(cloud *c, vv_projection_group *g, double target)
{
    const vv_projection_rules rules = { 1e-7, false, 30, H, false };
    double start_q[N], start_v[N];
    int evaluations = 0;
    memcpy(start_q, c->q, sizeof start_q), memcpy(start_v, c->v, sizeof start_v);
    for (int pass = 0; pass < 200; pass++) {
        pull(c, c->q, c->g);
        sum(c, c->q, c->v, c->g, &g->sums);
        g->excess = energy(c, c->q) + kinetic(c, c->v) - target;
        g->excess_start = pass ? g->excess_start : g->excess;
        vv_projection_constraints(g, false);
        vv_projection_decide(&rules, pass, g);
        if (!g->moves && g->between == 0)
            return evaluations;
        if (g->phase == VV_PROJECT_RETURNS) /* a cloud has no step that it could go back in */
            return RETURNS;
        if (g->between != 0) {
            for (int i = 0; i < 3 * c->points; i++) {
                c->from_q[i] += g->between * c->dq[i], c->from_v[i] += g->between * c->dv[i];
                c->from_g[i] += g->between / g->part * (c->g[i] - c->from_g[i]);
            }
            sum(c, c->from_q, c->from_v, c->from_g, &g->sums);
            vv_projection_go_on(&rules, g);
        } else if (g->anew) {
            memcpy(c->from_q, c->q, sizeof c->q), memcpy(c->from_v, c->v, sizeof c->v),
                memcpy(c->from_g, c->g, sizeof c->g);
        }
        for (int i = 0; i < c->points; i++) {
            double dq[3], dv[3];
            vv_projection_at(g, H, c->m[i], c->from_q + 3 * i, c->from_v + 3 * i, c->from_g + 3 * i, dq, dv);
            for (int k = 3 * i; k < 3 * i + 3; k++) {
                if (g->anew) {
                    c->dq[k] = dq[k - 3 * i] + (g->along_last != 0 ? g->along_last * c->dq[k] : 0);
                    c->dv[k] = dv[k - 3 * i] + (g->along_last != 0 ? g->along_last * c->dv[k] : 0);
                }
                c->q[k] = g->restart ? start_q[k] : c->from_q[k] + g->part * c->dq[k];
                c->v[k] = g->restart ? start_v[k] : c->from_v[k] + g->part * c->dv[k];
            }
        }
        evaluations += g->move;
    }
    return -1;
}

static double length(const cloud *c, const double *q, const double *v)
{
    return sqrt(2 * (kinetic(c, q) + H * H * kinetic(c, v)));
}

/* The length of the way to the minimiser of Eq. 1, without momenta: every x is divided by 1 + lambda k / m, every v
 * by 1 + lambda / h^2. */
static double exact_length(const cloud *c, double target)
{
    double low = 0, high = 1e9, dq[N], dv[N];
    for (int i = 0; i < 200; i++) {
        const double mid = low + 0.5 * (high - low);
        double left = 0;
        for (int j = 0; j < 3 * c->points; j++) {
            const double x = c->q[j] / (1 + mid * c->k[j / 3] / c->m[j / 3]), v = c->v[j] / (1 + mid / (H * H));
            left += 0.5 * c->k[j / 3] * x * x + 0.5 * c->m[j / 3] * v * v;
            dq[j] = x - c->q[j], dv[j] = v - c->v[j];
        }
        *(left > target ? &low : &high) = mid;
    }
    return length(c, dq, dv);
}

/* The paper's iteration, full steps to where H would be T to first order: how many it takes. */
static int plain(cloud c, double target, double tolerance)
{
    for (int count = 0; count < 1000; count++) {
        double square = 2 * kinetic(&c, c.v) / (H * H);
        const double excess = energy(&c, c.q) + kinetic(&c, c.v) - target;
        if (fabs(excess) <= tolerance)
            return count;
        pull(&c, c.q, c.g);
        for (int i = 0; i < 3 * c.points; i++)
            square += c.g[i] * c.g[i] / c.m[i / 3];
        for (int i = 0; i < 3 * c.points; i++)
            c.q[i] -= excess / square * c.g[i] / c.m[i / 3], c.v[i] *= 1 - excess / square / (H * H);
    }
    return 1000;
}

/* Stiff modes of many frequencies hold most of the energy, velocities little of it: full steps wander. */
static void stiff(cloud *c)
{
    randomise(c, POINTS);
    for (int i = 0; i < POINTS; i++) {
        c->k[i] = c->m[i] / (H * H) * pow(10, within(-1, 2.5));
        for (int k = 3 * i; k < 3 * i + 3; k++)
            c->q[k] /= sqrt(c->k[i]), c->v[k] *= 0.3;
    }
}

static void stiff_modes_take_few_directions(void **state)
{
    (void)state;
    int all = 0, others = 0, near = 0; /* near: a few end when nothing that is left is worth another energy */
    double farthest = 0;
    const int rounds = sized(20, 100, 1000);
    for (int round = 0; round < rounds; round++) {
        cloud c, first;
        stiff(&c);
        first = c;
        const double total = energy(&c, c.q) + kinetic(&c, c.v), target = (round % 2 ? 0.5 : 0.15) * total;
        vv_projection_group g = held_group(total);
        const int count = project(&c, &g, target);
        double dq[N], dv[N];
        for (int i = 0; i < N; i++)
            dq[i] = c.q[i] - first.q[i], dv[i] = c.v[i] - first.v[i];
        near += count == RETURNS;
        if (count == RETURNS)
            continue;
        assert_true(count > 0);
        const double off = fabs(energy(&c, c.q) + kinetic(&c, c.v) - target);
        CHECK(off < 1e-6 * total, "round %d is off by %g", round, off / total);
        near += off > 1e-12 * total;
        farthest = fmax(farthest, length(&c, dq, dv) / exact_length(&first, target));
        all += count;
        others += plain(first, target, 1e-7 * total);
    }
    print_message("on average %.2f, by full steps %.2f; at most %.3f times as far as the minimiser\n",
                  (double)all / rounds, (double)others / rounds, farthest);
    assert_true(near <= rounds / 50);
    assert_true(all < 0.7 * others);
    assert_true(farthest >= 1 && farthest < 1.8);
}

/* Convex energies: T is in reach of `near` where a state so near has it, and then no direction says that it is too
 * far; none is taken where T is below the least energy of all, in few iterations. */
static void what_is_out_of_reach_ends_soon(void **state)
{
    (void)state;
    int far = 0, most = 0;
    const int rounds = sized(50, 300, 3000);
    for (int round = 0; round < rounds; round++) {
        cloud c;
        stiff(&c);
        const double total = energy(&c, c.q) + kinetic(&c, c.v), part = within(0, 1);
        double dq[N], left[N];
        for (int i = 0; i < N; i++)
            left[i] = part * c.q[i], dq[i] = c.q[i] - left[i];
        vv_projection_group g = held_group(total);
        g.near = sqrt(2 * kinetic(&c, dq)); /* all of it: there are velocities of any size with these positions */
        const double target = energy(&c, left) + within(0, 1) * kinetic(&c, c.v);
        pull(&c, c.q, c.g);
        sum(&c, c.q, c.v, c.g, &g.sums);
        g.excess = total - target;
        vv_projection_constraints(&g, false);
        assert_int_equal(vv_projection_direct(&g, H), VV_REACH_SOME);
        g.near *= 1e-3;
        far += vv_projection_direct(&g, H) == VV_REACH_FAR;

        vv_projection_group out = held_group(total);
        out.returned = true, out.halves = 10; /* no step's start to go back to */
        const int count = project(&c, &out, -1e-3 * total);
        assert_true(count >= 0);
        assert_false(out.energy);
        most = count > most ? count : most;
    }
    assert_in_range(far, rounds / 4, rounds);
    print_message("out of reach: at most %d\n", most);
    assert_in_range(most, 3, 52);
    cloud c; /* at rest: known without any */
    stiff(&c);
    memset(c.q, 0, sizeof c.q), memset(c.v, 0, sizeof c.v);
    vv_projection_group g = held_group(1);
    g.near = 1;
    assert_int_equal(project(&c, &g, -1e-3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_alone_meet_all),
        cmocka_unit_test(stiff_modes_take_few_directions),
        cmocka_unit_test(what_is_out_of_reach_ends_soon),
        cmocka_unit_test(momenta_alone_are_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
