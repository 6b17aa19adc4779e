/* Bodies that meet fast do not pass each other: a step that would take one through the other is made again in parts,
 * and is one step for the ledger, the clock, what pushes, what is saved and what fails. */
#include "world_support.h"

#include "size.h"
#include "visviva/interact.h"

typedef struct meeting {
    const char *scheme, *policy, *solver;
    double h, speed, size[3], gap, turn[2][3];
    const char *model;
    double young;
} meeting;

static const meeting plates = { "backward-euler",   "none", "newton",  1.0 / 60,      20,
                                { 0.2, 0.05, 0.2 }, 0.05,   { { 0 } }, "neo-hookean", 1e6 };
static const meeting dice = {
    "backward-euler", "none", "newton", 1.0 / 60, 3, { 0.02, 0.02, 0.02 }, 0.05, { { 20, 30, 40 }, { 10, 50, 70 } },
    "neo-hookean",    1e6
};

static vvBodyId add(vvWorld *w, const meeting *m, int side)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.name = side ? "right" : "left";
    def.material = material(m->model, m->young);
    def.material.density = 500;
    def.translate[0] = (side ? 0.5 : -0.5) * (m->size[0] + m->gap);
    memcpy(def.rotate, m->turn[side], sizeof def.rotate);
    vvBodyId id = add_box_def(w, m->size, (int[]){ 2, m->size[1] < m->size[0] ? 1 : 2, 2 }, 6, &def);
    set_state(w, id, "linear", (double[]){ side ? -m->speed : m->speed, 0, 0 });
    return id;
}

static vvWorld *world_with(const meeting *m, const meeting *other)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.gravity[1] = 0;
    d.timeStep = m->h;
    d.integrator.scheme = m->scheme;
    d.integrator.policy = m->policy;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.method = m->solver;
    d.threads = 1;
    d.contact.distance = 1e-3; /* with others some dice slide off sideways once they have met, as the page has it */
    vvWorld *w = new_world(&d);
    add(w, m, 0);
    add(w, other, 1);
    return w;
}

static vvWorld *world_of(const meeting *m) { return world_with(m, m); }

/* Of the second less that of the first, along x; of positions or velocities. */
static double between(const vvWorld *w, const double *x)
{
    double mean[2] = { 0, 0 };
    for (int b = 0; b < 2; b++) {
        int first, count;
        double mass = 0;
        vvBodyNodes(w, vvWorldBody(w, b), &first, &count);
        for (int i = first; i < first + count; i++) {
            mass += vvWorldMasses(w)[i];
            mean[b] += vvWorldMasses(w)[i] * x[3 * i];
        }
        mean[b] /= mass;
    }
    return mean[1] - mean[0];
}

static double apart(const vvWorld *w) { return between(w, vvWorldPositions(w)); }

/* They come together, never change sides, and part again, slower than they came, with no energy from nowhere. */
static void check_meeting(const meeting *m, double least_parting)
{
    vvWorld *w = world_of(m);
    const double start = ledger(w).total;
    double least = INFINITY;
    vvLedgerTotals totals;
    for (int k = 0; k < 6; k++) {
        const vvLedgerRow before = ledger(w), row = step(w);
        assert_int_equal(row.step, k + 1);
        assert_near(row.time, (k + 1) * m->h, 1e-12);
        assert_near(row.total - before.total,
                    row.work - row.friction - row.damping - row.decay + row.springs + row.error, 1e-9 * start);
        assert_less(row.total, 1.02 * start);
        assert_near(row.momentum[0], 0, 1e-3 * start / m->speed); /* the solver's tolerance */
        least = fmin(least, apart(w));
    }
    vvWorldTotals(w, &totals);
    assert_int_equal(totals.steps, 6);
    assert_true(totals.dividedSteps > 0);
    assert_less(0.7 * m->size[0], least);
    assert_less(least_parting * 2 * m->speed, between(w, vvWorldVelocities(w)));
    assert_less(between(w, vvWorldVelocities(w)), 2.02 * m->speed);
    vvWorldDestroy(w);
}

static void plates_bounce(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        meeting m = plates;
        m.speed = 20 + 10 * k;
        check_meeting(&m, 0.15);
    }
}

static void with_all_that_passed(void **state)
{
    (void)state;
    static const char *const ways[][3] = { { "backward-euler", "search", "newton" },
                                           { "backward-euler", "filtered-search", "newton" },
                                           { "bdf2", "none", "newton" },
                                           { "tr-bdf2", "none", "newton" },
                                           { "backward-euler", "none", "optimizer" } };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        meeting m = plates;
        m.scheme = ways[i][0], m.policy = ways[i][1], m.solver = ways[i][2];
        check_meeting(&m, 0.15);
    }
}

static void dice_do_not_pass(void **state)
{
    (void)state;
    static const double speeds[] = { 2, 3, 10 };
    for (int k = 0; k < 3; k++)
        for (int turned = 0; turned < 2; turned++) {
            meeting m = dice;
            m.speed = speeds[k];
            if (!turned)
                memset(m.turn, 0, sizeof m.turn);
            vvWorld *w = world_of(&m);
            for (int i = 0; i < 4; i++) {
                step(w);
                assert_true(apart(w) > 0);
            }
            vvWorldDestroy(w);
        }
}

/* Two affine ones, and one of each. */
static void affine_and_soft(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        meeting m = dice, other = dice;
        m.model = "affine", m.young = 1e8, m.speed = other.speed = 5;
        vvWorld *w = world_with(&m, both ? &m : &other);
        for (int k = 0; k < 4; k++) {
            step(w);
            assert_true(apart(w) > 0);
        }
        vvLedgerTotals totals;
        vvWorldTotals(w, &totals);
        assert_true(totals.dividedSteps > 0);
        vvWorldDestroy(w);
    }
}

/* Too fast for 64 parts: the step fails, says for whom and which would fit, and has changed nothing. */
static void too_fast(void **state)
{
    (void)state;
    vvError error = { 0 };
    meeting m = dice;
    m.speed = 100;
    vvWorld *w = world_of(&m);
    vvLedgerTotals totals;
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    const vvLedgerRow before = ledger(w);
    assert_int_equal(vvWorldStep(w, NULL, &error), VV_ERROR_SOLVER);
    assert_true(strstr(error.message, "\"left\" and \"right\" would pass through each other"));
    assert_true(strstr(error.message, "use a step of at most 5e-05 s"));
    assert_memory_equal(x, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    vvWorldTotals(w, &totals);
    assert_true(totals.failedSteps == 1 && totals.steps == 0 && totals.dividedSteps == 0);
    assert_true(ledger(w).total == before.total && ledger(w).step == 0 && vvWorldTime(w) == 0);
    free(x);
    vvWorldDestroy(w);
}

/* The report says it. */
static void it_is_said(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvStepReport report;
    vvWorld *w = world_of(&plates);
    assert_ok(vvWorldStep(w, &report, &error));
    assert_true(report.parts > 1);
    assert_int_equal(report.parts, ledger(w).parts);
    assert_true(strstr(report.note, "\"left\" and \"right\" would have passed each other"));
    assert_int_equal(report.newtonIterations, ledger(w).newtonIterations);
    assert_ok(vvWorldStep(w, &report, &error));
    assert_int_equal(report.parts, 1);
    vvWorldDestroy(w);
}

/* Beside each other, after each other, a fast spin: nothing is made again. */
static void others_are_left_alone(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        meeting m = plates;
        vvLedgerTotals totals;
        vvWorld *w = world_of(&m);
        double *x, *v;
        vvError error = { 0 };
        assert_ok(vvWorldBeginEdit(w, &x, &v, &error));
        int first, count;
        vvBodyNodes(w, vvWorldBody(w, 0), &first, &count);
        for (int i = first; i < first + count; i++) {
            x[3 * i + 1] += k == 0 ? 0.052 : 0;           /* past it, 2 mm away */
            v[3 * i] = k == 0 ? m.speed : -m.speed - 0.1; /* else with it */
            v[3 * i] += k == 2 ? -25 * x[3 * i + 1] : 0;  /* and turning */
            v[3 * i + 1] += k == 2 ? 25 * (x[3 * i] + 0.125) : 0;
        }
        assert_ok(vvWorldEndEdit(w, &error));
        steps(w, 4);
        vvWorldTotals(w, &totals);
        assert_int_equal(totals.dividedSteps, 0);
        vvWorldDestroy(w);
    }
}

/* A world that goes on from a saved state, before or after such a step, and one that is put back, go the same way. */
static void goes_on(void **state)
{
    (void)state;
    static const char *const ways[][2] = { { "backward-euler", "none" },
                                           { "bdf2", "none" },
                                           { "backward-euler", "filtered-search" } };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        meeting m = plates;
        vvError error = { 0 };
        m.scheme = ways[i][0], m.policy = ways[i][1];
        for (int at = 0; at < 2; at++) {
            vvWorld *w = world_of(&m), *other = world_of(&m);
            steps(w, at);
            ledger(other);
            size_t size = vvWorldStateSize(w);
            void *saved = malloc(size);
            assert_ok(vvWorldSaveState(w, saved, size, &error));
            assert_ok(vvWorldLoadState(other, saved, size, &error));
            steps(w, 3);
            steps(other, 3);
            assert_memory_equal(vvWorldPositions(w), vvWorldPositions(other),
                                3 * (size_t)vvWorldNodeCount(w) * sizeof(double));
            const vvLedgerRow a = ledger(w), b = ledger(other);
            assert_true(a.total == b.total && a.target == b.target && a.error == b.error);
            free(saved);
            vvWorldDestroy(w);
            vvWorldDestroy(other);
        }
    }
}

/* A push that acts on both gives them its whole momentum, in one part or in many. */
static void pushed_meanwhile(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = world_of(&plates);
    const int n = vvWorldNodeCount(w);
    double *force = calloc(3 * (size_t)n, sizeof *force), sum = 0;
    int *nodes = malloc((size_t)n * sizeof *nodes);
    for (int i = 0; i < n; i++) {
        nodes[i] = i;
        force[3 * i + 2] = 7 * vvWorldMasses(w)[i];
        sum += force[3 * i + 2];
    }
    assert_ok(vvWorldApplyForces(w, n, nodes, force, &error));
    const vvLedgerRow row = step(w), next = step(w);
    assert_true(row.parts > 1);
    assert_near(row.momentum[2], sum * plates.h, 1e-4 * sum * plates.h);
    assert_near(next.momentum[2], row.momentum[2], 1e-4 * sum * plates.h);
    assert_near(row.work, 0.5 * 7 * plates.h * 7 * plates.h * sum / 7, 0.2 * row.work);
    free(force);
    free(nodes);
    vvWorldDestroy(w);
}

static bool stop_now(void *user) { return ++*(int *)user > 60; }

/* Cancelled among its parts, a step has changed nothing; and goes on as if it had never begun. */
static void cancelled_among_parts(void **state)
{
    (void)state;
    vvError error = { 0 };
    meeting m = plates;
    m.policy = "filtered-search";
    vvWorld *w = world_of(&m), *other = world_of(&m);
    int asked = 0;
    const vvLedgerRow before = ledger(w);
    vvWorldSetCancel(w, stop_now, &asked);
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    assert_int_equal(vvWorldStep(w, NULL, &error), VV_CANCELLED);
    vvWorldSetCancel(w, NULL, NULL);
    assert_memory_equal(x, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    assert_true(ledger(w).total == before.total && vvWorldStepIndex(w) == 0);
    steps(w, 2);
    steps(other, 2);
    assert_memory_equal(vvWorldPositions(w), vvWorldPositions(other), 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    free(x);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_bounce),
        cmocka_unit_test(with_all_that_passed),
        cmocka_unit_test(dice_do_not_pass),
        cmocka_unit_test(affine_and_soft),
        cmocka_unit_test(too_fast),
        cmocka_unit_test(it_is_said),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(pushed_meanwhile),
        cmocka_unit_test(cancelled_among_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
