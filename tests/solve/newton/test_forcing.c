/* How closely Newton's linear equations are solved: loosely while steps are long, and so that the step which ends a
 * solve has what linear_tolerance asks for, though it was solved for loosely. */
#include "budget_support.h"

#include "solve/newton/newton.h"
#include "step/inside.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

enum { MOST = 400 };

/* A linear solver that leaves as much of the residual as it may, and writes down what it was asked for. */
static struct {
    double asked[MOST], size[MOST]; /* tolerances; largest entry of the answer */
    int count;
} heard;

typedef struct loose {
    vv_linear base;
    vv_linear *exact;
} loose;

static vvStatus create(const vv_bsr *a, const vv_parallel *par, vv_linear **out, vvError *error);

/* x = (1 - tolerance) A^-1 b: the residual is tolerance b, in any norm. */
static vvStatus solve(vv_linear *base, const vv_bsr *a, const double *b, double *x, double tolerance, int most,
                      vv_linear_stats *stats, vvError *error)
{
    loose *s = (loose *)base;
    assert_int_equal(s->exact->ops->solve(s->exact, a, b, x, 1e-12, most, stats, error), VV_OK);
    assert_true(heard.count < MOST);
    double size = 0;
    for (int k = 0; k < 3 * a->n; k++) {
        x[k] *= 1 - tolerance;
        size = fmax(size, fabs(x[k]));
    }
    heard.asked[heard.count] = tolerance;
    heard.size[heard.count++] = size;
    stats->converged = true, stats->residual = tolerance;
    return VV_OK;
}

static void destroy(vv_linear *base)
{
    loose *s = (loose *)base;
    s->exact->ops->destroy(s->exact);
    free(s);
}

static const vv_linear_ops loose_ops = {
    .info = { "loose", "for a test" }, .create = create, .solve = solve, .destroy = destroy
};

static vvStatus create(const vv_bsr *a, const vv_parallel *par, vv_linear **out, vvError *error)
{
    loose *s = calloc(1, sizeof *s);
    s->base.ops = &loose_ops;
    *out = &s->base;
    return vv_linear_find("pcg")->create(a, par, &s->exact, error);
}

/* A bar that begins far from where it is drawn to. */
static vv_solve_stats minimise(double tolerance, double linear_tolerance, int budget)
{
    vvError error = { 0 };
    vvWorldDef d = def_of("newton", "backward-euler");
    vvWorld *w = new_world(&d);
    hold(w, add_bar(w, "corotated", 2e4, 3));
    assert_ok(vvWorldBake(w, &error));
    const size_t n = 3 * (size_t)vvWorldNodeCount(w);
    double *q = malloc(n * sizeof *q), *y = malloc(n * sizeof *y);
    vv_objective o = { .system = &w->system, .h = 0.03, .y = y, .samples = 1, .sample = { { 1, 1, NULL } } };
    for (size_t i = 0; i < n; i++) {
        q[i] = vvWorldPositions(w)[i];
        y[i] = q[i] + (i % 3 == 1 ? 0.2 : 0.1 * sin(40 * q[i / 3 * 3]));
    }
    vv_solve_options options = w->stepper->options;
    options.tolerance = tolerance, options.linear_tolerance = linear_tolerance, options.budget = budget;
    vv_solve_stats stats = { 0 };
    vv_solver *solver = NULL;
    assert_ok(vv_solver_create(&vv_solver_newton, &(vv_solver_def){ &w->system, &loose_ops }, &solver, &error));
    heard.count = 0;
    assert_ok(solver->ops->minimise(solver, &o, q, NULL, &options, &stats, &error));
    vv_solver_destroy(solver);
    free(q), free(y);
    vvWorldDestroy(w);
    return stats;
}

/* Solve k continues with the one before. */
static bool goes_on(int k, double linear)
{
    return k > 0 && heard.asked[k - 1] > linear && heard.asked[k] == linear / heard.asked[k - 1];
}

static void the_last_step_is_exact(void **state)
{
    (void)state;
    const double linear = 2e-3; /* no quotient of it is one of the tolerances */
    int loosely = 0, gone_on = 0;
    for (double tolerance = 1e-4; tolerance < 1; tolerance *= 1.1) {
        const vv_solve_stats stats = minimise(tolerance, linear, 0);
        int on = 0;
        assert_int_equal(stats.end, VV_SOLVE_CONVERGED);
        assert_int_equal(stats.linear_solves, heard.count);
        assert_true(heard.asked[0] == linear); /* how long steps are is not known yet */
        for (int k = 1; k < heard.count; k++) {
            if (goes_on(k, linear)) {
                on++;
                continue;
            }
            /* the largest entry of the last step, not its length */
            const double before = heard.size[k - 1] / 0.03 / tolerance, now = heard.asked[k];
            loosely += now == 0.1;
            if (!goes_on(k - 1, linear))
                assert_true(before > 30 ? now == 0.1 : before > 5 ? now >= 0.01 : before > 3 || now == linear);
        }
        assert_int_equal(heard.count, stats.iterations + on);
        assert_true(goes_on(heard.count - 1, linear) || heard.asked[heard.count - 1] == linear);
        gone_on += on;
    }
    print_message("%d solves to 0.1, %d that went on\n", loosely, gone_on);
    assert_true(loosely > 3 && gone_on > 3);
}

/* What is asked for more loosely than 0.1 stays so; what is asked for exactly is only loosened while steps are long,
 * and not where a budget ends the solve. */
static void the_user_s_tolerance_is_kept(void **state)
{
    (void)state;
    minimise(1e-3, 0.5, 0);
    for (int k = 0; k < heard.count; k++)
        assert_true(heard.asked[k] == 0.5);
    minimise(1e-3, 1e-9, 3); /* any iteration of a budget may be the last */
    for (int k = 0; k < heard.count; k++)
        assert_true(heard.asked[k] == 1e-9);
    minimise(1e-3, 1e-9, 0);
    assert_true(heard.asked[0] == 1e-9);
    const int last = heard.count - 1;
    assert_true(heard.asked[last] <= 1e-9 || heard.asked[last] * heard.asked[last - 1] <= 1.001e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_last_step_is_exact),
                                        cmocka_unit_test(the_user_s_tolerance_is_kept) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
