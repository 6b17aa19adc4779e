/* Line searches on functions of one variable: what they promise of the point that they return, also where rounding
 * hides the change, and that the value which they give is the point's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/solver.h"

/* ---- one node whose energy is a function of its x ---- */

typedef double function(double x, double *slope);

static double parabola(double x, double *slope) { return *slope = x, 0.5 * x * x; }
static double quartic(double x, double *slope) { return *slope = 4 * x * x * x, x * x * x * x; }
static double barrier(double x, double *slope)
{
    *slope = x < 1 ? x + 0.01 / (1 - x) : 0;
    return x < 1 ? 0.5 * x * x - 0.01 * log(1 - x) : INFINITY;
}
static double wells(double x, double *slope)
{
    *slope = 4 * x * (x * x - 1) + 0.3;
    return (x * x - 1) * (x * x - 1) + 0.3 * x;
}
static double waves(double x, double *slope)
{
    *slope = x + 0.8 * cos(8 * x);
    return 0.5 * x * x + 0.1 * sin(8 * x);
}
/* With some ulps of noise on one side. */
static double far_away(double x, double *slope) { return *slope = x, 1e9 + 0.5 * x * x + (x < 0 ? 4e-7 : 0); }

static function *const functions[] = { parabola, quartic, barrier, wells, waves, far_away };
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static function *present;

static double value_of(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    double slope;
    (void)e, (void)par, (void)per_body;
    return present(x[0], &slope);
}

static void derivatives_of(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                           vv_hessian_mode mode, double *g, const vv_block_target *to)
{
    double slope;
    (void)e, (void)par, (void)mode, (void)to;
    present(x[0], &slope);
    g[0] += scale * slope;
}

static void destroy_none(vv_energy *e) { (void)e; }

/* Nothing goes beyond x = FENCE, as if something stood there. */
static const double FENCE = 0.5;

static double max_step_of(const vv_energy *e, const vv_parallel *par, const double *q, const double *p)
{
    (void)e, (void)par;
    return p[0] > 0 && q[0] < FENCE && q[0] + p[0] > FENCE ? (FENCE - q[0]) / p[0] : 1;
}

static const vv_energy_ops fenced = { .info = { "fenced function", "" },
                                      .value = value_of,
                                      .derivatives = derivatives_of,
                                      .max_step = max_step_of,
                                      .destroy = destroy_none };
static const vv_energy_ops ops = {
    .info = { "function", "" }, .value = value_of, .derivatives = derivatives_of, .destroy = destroy_none
};

/* ---- lines ---- */

typedef struct line {
    vv_system system;
    vv_objective objective;
    vv_line line;
    double q[3], p[3], y[3];
} line;

static const int UNKNOWN[] = { 0 }, NODE[] = { 0 };
static const double MASS[] = { 1e-60 };

/* From `at` towards the minimum's side, at most `length` far. */
static void make(line *l, function *f, double at, double length, vv_energy *e)
{
    vvError error = { 0 };
    double slope;
    present = f;
    *e = (vv_energy){ .ops = &ops };
    *l = (line){
        .system = { .nodes = 1, .unknowns = 1, .unknown = UNKNOWN, .node = NODE, .mass = MASS, .par = { .threads = 1 } }
    };
    assert_int_equal(vv_system_add_energy(&l->system, e, &error), VV_OK);
    assert_true(vv_arena_reserve(&l->system.arena, 4096));
    l->objective =
        (vv_objective){ .system = &l->system, .h = 1, .y = l->y, .samples = 1, .sample = { { 1, 1, NULL } } };
    double value = f(at, &slope);
    l->q[0] = at;
    l->p[0] = slope > 0 ? -1 : 1;
    l->line = (vv_line){ .objective = &l->objective,
                         .q = l->q,
                         .p = l->p,
                         .p_unknown = l->p,
                         .value0 = value,
                         .slope0 = -fabs(slope),
                         .max_step = 1 };
    for (int k = 0; k < 3; k++)
        l->p[k] *= length;
    l->line.slope0 *= length;
}

static double at_step(const line *l, double t, double *slope)
{
    double value = present(l->q[0] + t * l->p[0], slope);
    *slope *= l->p[0];
    return value;
}

static bool decreases(const line *l, double t)
{
    double slope;
    return at_step(l, t, &slope) <= l->line.value0 + 1e-4 * t * l->line.slope0;
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static int backtracks(const line *l, double t)
{
    int halvings = (int)round(log2(l->line.max_step / t));
    assert_true(ldexp(t, halvings) == l->line.max_step);
    assert_true(halvings == 0 || !decreases(l, 2 * t));
    return halvings;
}

static void points_keep_their_promises(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int halvings = 0, inner = 0, ends = 0;
    for (int round = 0; round < 4000; round++) {
        line l;
        vv_energy e;
        double slope, value;
        function *f = functions[round % (FUNCTIONS - 1)];
        make(&l, f, 4 * uniform(&seed) - 3.1, pow(10, 4 * uniform(&seed) - 2), &e);
        l.line.max_step = round % 3 ? 1 : 0.05 + 0.9 * uniform(&seed);
        if (l.line.slope0 < -1e-6) {
            double t = vv_line_search_backtracking.search(&l.line, &value);
            assert_true(t > 0 && t <= l.line.max_step && decreases(&l, t) && value == at_step(&l, t, &slope));
            halvings += backtracks(&l, t);

            int before = l.line.evaluations;
            t = vv_line_search_strong_wolfe.search(&l.line, &value);
            assert_true(t > 0 && t <= l.line.max_step && decreases(&l, t) && value == at_step(&l, t, &slope));
            assert_in_range(l.line.evaluations - before, 1, 62);
            bool end = t == l.line.max_step && slope < 0, flat = fabs(slope) <= -0.9 * l.line.slope0;
            if (!end && !flat && at_step(&l, l.line.max_step, &slope) < INFINITY)
                fail_msg("round %d: at %g of %g the slope is %g of %g", round, t, l.line.max_step, slope,
                         l.line.slope0);
            if (end && !flat)
                assert_int_equal(l.line.evaluations - before, 2); /* nothing else was tried */
            inner += t < l.line.max_step, ends += end && !flat;
        }
        vv_system_free(&l.system);
    }
    assert_true(halvings > 500 && inner > 500 && ends > 20);
}

/* Of a parabola the first guess is the minimum; where that is near an end, the middle is tried. */
static void parabolas_are_seen_through(void **state)
{
    (void)state;
    for (int k = 1; k <= 40; k++) {
        const double minimum = 0.012 * k; /* in parts of the step */
        line l;
        vv_energy e;
        double value, slope;
        make(&l, parabola, -1, 1 / minimum, &e);
        double t = vv_line_search_strong_wolfe.search(&l.line, &value);
        at_step(&l, t, &slope);
        if (minimum > 0.1)
            assert_true(fabs(t - minimum) < 1e-12 && l.line.evaluations == 3);
        else
            assert_true(fabs(slope) <= -0.9 * l.line.slope0 && l.line.evaluations > 3 && l.line.evaluations < 10);
        vv_system_free(&l.system);
    }
    /* the full step goes down, but ends steeply up: from there back to the minimum */
    line l;
    vv_energy e;
    double value;
    make(&l, parabola, -1, 1 / 0.515, &e);
    double t = vv_line_search_strong_wolfe.search(&l.line, &value);
    assert_true(fabs(t - 0.515) < 1e-12 && l.line.evaluations == 4);
    vv_system_free(&l.system);
}

/* The change of g drowns in its rounding: a point is good whose slope is not larger than at the start, and none that
 * is. */
static void slopes_decide_within_rounding(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3; k++) {
            /* from 2e-4: to the minimum, to the other side, beyond */
            static const double lengths[] = { 2e-4, 3.8e-4, 7e-4 };
            line l;
            vv_energy e;
            double value = 0, slope;
            make(&l, far_away, 2e-4, lengths[k], &e);
            double t = (s ? vv_line_search_strong_wolfe : vv_line_search_backtracking).search(&l.line, &value);
            at_step(&l, t, &slope);
            assert_true(t == (k < 2 ? 1 : 0.5));
            assert_true(fabs(slope) <= -l.line.slope0 * (1 + 1e-12));
            vv_system_free(&l.system);
        }
}

/* A direction along which g only rises beyond rounding: none. */
static double wall(double x, double *slope) { return *slope = -1, x > 0 ? INFINITY : -x; }

static void no_decrease_is_said(void **state)
{
    (void)state;
    line l;
    vv_energy e;
    double value;
    make(&l, wall, 0, 1, &e);
    assert_true(vv_line_search_backtracking.search(&l.line, &value) == 0);
    assert_true(vv_line_search_strong_wolfe.search(&l.line, &value) == 0);
    vv_system_free(&l.system);
}

/* A model five times too stiff stops at a fifth of the way to a parabola's minimum: one trial more reaches it. */
static void stiff_models_are_seen_through(void **state)
{
    (void)state;
    for (int k = 1; k <= 12; k++) {
        line l;
        vv_energy e;
        double slope;
        make(&l, parabola, -1, 1.0 / k, &e);
        double value = vv_line_value(&l.line, 1), t = vv_line_beyond(&l.line, &value);
        assert_true(value == at_step(&l, t, &slope));
        assert_true(fabs(t - (k < 2 ? 1 : k > 8 ? 8 : k)) < 1e-12 && l.line.evaluations == (k < 2 ? 1 : 2));
        vv_system_free(&l.system);
    }
}

/* Never higher than after the full step, never past what the filters allow. */
static void nothing_is_lost_beyond_a_full_step(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int further = 0, fence = 0, stayed = 0;
    for (int round = 0; round < 4000; round++) {
        line l;
        vv_energy e;
        double slope, full;
        make(&l, functions[round % (FUNCTIONS - 1)], 3.5 * uniform(&seed) - 3.1, pow(10, 3 * uniform(&seed) - 2), &e);
        e.ops = round % 2 ? &fenced : &ops;
        if (l.line.slope0 < -1e-6 && max_step_of(&e, NULL, l.q, l.p) == 1 &&
            (full = at_step(&l, 1, &slope)) < l.line.value0) {
            double value = full, t = vv_line_beyond(&l.line, &value), end = l.q[0] + t * l.p[0];
            assert_true(t >= 1 && t <= 8 && value == at_step(&l, t, &slope) && (t == 1 ? value == full : value < full));
            if (round % 2 && l.q[0] < FENCE)
                assert_true(end <= FENCE * (1 + 1e-12));
            further += t > 1, stayed += t == 1, fence += t > 1 && fabs(end - FENCE) < 1e-9;
        }
        vv_system_free(&l.system);
    }
    assert_true(further > 200 && stayed > 200 && fence > 10);
}

/* Where nothing stops a step, strong Wolfe goes on from a short one until the slope is less steep, and leaves behind
 * what g's gradient is there; no farther than it is told. */
static void short_steps_are_made_longer(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int further = 0, stopped = 0;
    for (int round = 0; round < 2000; round++) {
        line l;
        vv_energy e;
        double slope = 0, value, gradient[3] = { 0 };
        function *f = functions[round % (FUNCTIONS - 1)];
        make(&l, f, 4 * uniform(&seed) - 3.1, pow(10, -3 * uniform(&seed)), &e);
        l.line.farthest = round % 2 ? 1e6 : 1 + 20 * uniform(&seed);
        l.line.gradient = gradient;
        if (l.line.slope0 < -1e-6) {
            double t = vv_line_search_strong_wolfe.search(&l.line, &value);
            assert_true(t > 0 && t <= l.line.farthest && decreases(&l, t) && value == at_step(&l, t, &slope));
            bool flat = fabs(slope) <= -0.9 * l.line.slope0, end = t == l.line.farthest;
            if (!flat && !end && f != barrier)
                fail_msg("round %d: at %g of %g the slope is %g of %g", round, t, l.line.farthest, slope,
                         l.line.slope0);
            if (l.line.at == t)
                assert_true(fabs(gradient[0] * l.p[0] - slope) < 1e-12);
            assert_true(l.line.evaluations < 80);
            further += t > 1, stopped += end && !flat;
        }
        vv_system_free(&l.system);
    }
    assert_true(further > 300 && stopped > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_keep_their_promises),        cmocka_unit_test(parabolas_are_seen_through),
        cmocka_unit_test(slopes_decide_within_rounding),     cmocka_unit_test(no_decrease_is_said),
        cmocka_unit_test(short_steps_are_made_longer),       cmocka_unit_test(stiff_models_are_seen_through),
        cmocka_unit_test(nothing_is_lost_beyond_a_full_step)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
