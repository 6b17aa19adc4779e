/* Hands at a fixed budget: the same drag does the same work at h = 1/30 and at 1/60, in space, lifting, bending and
 * over rough ground; in space that which makes the body as fast as the hand; and what is thrown has the hand's
 * velocity. */
#include "visviva/interact.h"
#include "visviva/settings.h"

#include "repulsion_support.h"
#include "size.h"

static const char *const solvers[] = { "local-global", "lbfgs", "block-descent", "xpbd" };

typedef struct rule {
    const char *scheme, *policy;
} rule;

static const rule rules[] = { { "backward-euler", "none" },
                              { "implicit-midpoint", "blend" },
                              { "backward-euler", "search" },
                              { "bdf2", "project" } };
enum { SOLVERS = sizeof solvers / sizeof *solvers, RULES = sizeof rules / sizeof *rules };

typedef enum place { SPACE, GROUND, HELD } place;

/* The hand begins at rest, comes to `speed` along an axis in `ramp` s, and goes on at it. */
typedef struct way {
    place where;
    int along;
    double speed, ramp, time;
} way;

static double way_at(const way *p, double t)
{
    const double s = t / p->ramp;
    return p->speed * (t < p->ramp ? p->ramp * s * s * s * (1 - 0.5 * s) : t - 0.5 * p->ramp);
}

/* A block of 0.3 x 0.1 x 0.2 m and 6 kg: in space; on rough ground, into which it has sunk a little; or held at one
 * end. */
static vvWorld *block(const char *solver, const rule *r, double h, place where, vvBodyId *id)
{
    vvWorldDef d = springs_def("one-sided", r->scheme, r->policy);
    d.gravity[1] = where == GROUND ? -9.8 : 0;
    d.timeStep = h;
    d.solver.method = solver;
    d.solver.budget = strcmp(solver, "xpbd") == 0 ? 20 : 10;
    d.solver.acceleration = strcmp(solver, "local-global") == 0 ? "anderson" : "none";
    d.contact.self = false;
    d.contact.friction = 0.1;
    d.integrator.groundMode = VV_GROUND_NONE;
    vvWorld *w = new_world(&d);
    vvBodyDef body = vvDefaultBodyDef();
    body.material = material("arap", 2e4);
    body.translate[1] = where == GROUND ? 0.05 - 1e-3 : 0;
    *id = add_box_def(w, (double[]){ 0.3, 0.1, 0.2 }, (int[]){ 3, 1, 2 }, 5, &body);
    if (where == GROUND)
        obstacle(w, "plane", NULL, -1);
    if (where == HELD) {
        vvAttachDef wall = vvDefaultAttachDef();
        wall.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
        attach(w, *id, &wall);
    }
    return w;
}

static double mass_of(const vvWorld *w)
{
    double sum = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        sum += vvWorldMasses(w)[i];
    return sum;
}

/* The vertex where a hand along that axis takes hold: the middle of the side that goes ahead. */
static int vertex_ahead(const vvWorld *w, const way *p)
{
    int best = 0;
    double least = INFINITY;
    const double *x = vvWorldPositions(w);
    double aim[3] = { p->where == HELD || p->along == 0 ? 0.15 : 0.05, p->along == 1 ? 0.05 : 0, 0 };
    aim[1] += p->where == GROUND ? 0.05 : 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        if (distance3(x + 3 * i, aim) < least)
            least = distance3(x + 3 * i, aim), best = i;
    return best;
}

typedef struct outcome {
    double work, mass, velocity; /* J; kg; of the centre along the way once the hand has let go, m/s */
} outcome;

static outcome dragged(const char *solver, const rule *r, double h, const way *p, vvDragKind kind)
{
    vvError error = { 0 };
    vvDragDef def = vvDefaultDragDef();
    vvDragId hand;
    vvLedgerTotals before, after;
    vvWorld *w = block(solver, r, h, p->where, &def.body);
    steps(w, p->where == GROUND ? (int)lround(0.5 / h) : 0);
    double start[3];
    def.kind = kind, def.vertex = vertex_ahead(w, p), def.radius = 0.101;
    memcpy(start, vvWorldPositions(w) + 3 * def.vertex, sizeof start);
    vvWorldTotals(w, &before);
    assert_ok(vvWorldStartDrag(w, &def, &hand, &error));
    for (int i = 1; i <= (int)lround(p->time / h); i++) {
        double target[3] = { start[0], start[1], start[2] };
        target[p->along] += way_at(p, i * h);
        assert_ok(vvWorldMoveDrag(w, hand, target, &error));
        step(w);
    }
    assert_ok(vvWorldEndDrag(w, hand, &error));
    const double velocity = step(w).momentum[p->along] / mass_of(w); /* which books what the hand's springs give back */
    vvWorldTotals(w, &after);
    outcome o = { after.work - before.work, mass_of(w), velocity };
    vvWorldDestroy(w);
    return o;
}

/* In short runs, every solver with one of the rules. */
static bool chosen(int s, int r, int kind) { return sized(0, 1, 1) || (s + r + 2 * kind) % RULES == 0; }

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* Ten sweeps of xpbd leave a body too soft, and the more so the longer a step is. Where blend then mixes unsolved
 * steps, it is far off. */
static double allowed(const char *solver, const rule *r, vvDragKind kind)
{
    return !is(solver, "xpbd") ? 0.05 : kind == VV_DRAG_PRESCRIBED && is(r->policy, "blend") ? INFINITY : 0.1;
}

static void compare(const char *name, const way *p, double tolerance, const char *solver, const rule *r,
                    vvDragKind kind)
{
    const outcome slow = dragged(solver, r, 1.0 / 30, p, kind), quick = dragged(solver, r, 1.0 / 60, p, kind);
    const double gained = 0.5 * slow.mass * p->speed * p->speed;
    print_message("%-12s %-17s %-7s %-10s %-13s %9.5f, %9.5f J", name, r->scheme, r->policy,
                  kind ? "prescribed" : "spring", solver, slow.work, quick.work);
    if (p->where == SPACE)
        print_message(" (m v^2 / 2 is %9.5f), %.4f, %.4f of the hand's speed", gained, slow.velocity / p->speed,
                      quick.velocity / p->speed);
    print_message("\n");
    assert_near(slow.work, quick.work, tolerance * quick.work);
    if (p->where == SPACE && tolerance < 0.1) {
        assert_near(slow.work, gained, 0.05 * gained);
        assert_near(quick.work, gained, 0.05 * gained);
    }
    if (p->where == SPACE) {
        assert_near(slow.velocity, p->speed, 0.03 * p->speed);
        assert_near(quick.velocity, p->speed, 0.03 * p->speed);
    }
}

/* What the hand has done once it has let go, and the speed that the body then has: in space, where it ends at the
 * hand's speed, m v^2 / 2. */
static void work_does_not_depend_on_the_rate(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        way way;
    } rows[] = { { "space", { SPACE, 0, 0.05, 2, 3 } },
                 { "thrown", { SPACE, 0, 1, 2, 3 } },
                 { "lifted", { GROUND, 1, 0.05, 0.5, 5 } },
                 { "lifted, fast", { GROUND, 1, 0.5, 0.5, 1 } },
                 { "bent", { HELD, 1, 0.05, 0.5, 1 } } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int r = 0; r < RULES; r++)
            for (int kind = 0; kind < 2; kind++)
                for (int s = 0; s < SOLVERS; s++)
                    if (chosen(s, r, kind))
                        compare(rows[i].name, &rows[i].way, allowed(solvers[s], rules + r, (vvDragKind)kind),
                                solvers[s], rules + r, (vvDragKind)kind);
}

/* A body that slides faster than the speed below which friction of springs is a creep, k_f g h m / m_s
 * (docs/contact-models.md): 1 m/s here, and 0.065. */
static void nor_does_that_of_rubbing(void **state)
{
    (void)state;
    const way p = { GROUND, 0, 1, 0.5, 1.5 };
    for (int r = 0; r < RULES; r++)
        for (int s = 0; s < 3; s++)
            if (!is(rules[r].policy, "blend") && chosen(s, r, 0))
                compare("rubbed", &p, 0.06, solvers[s], rules + r, VV_DRAG_SPRING);
}

/* What a hand on one vertex does in each of a few steps, under every scheme that takes any step, as the header of
 * vvSchemeEndForces has it. */
static void each_scheme_books_as_it_says(void **state)
{
    (void)state;
    int by_end = 0;
    for (int i = 0; vvSchemeInfo(i); i++) {
        const char *name = vvSchemeInfo(i)->name;
        const bool small = is(name, "forward-euler") || is(name, "symplectic-euler") || is(name, "verlet") ||
                           is(name, "sdirk2-coupled");
        const double h = small ? 1e-4 : 0.01, k = 40;
        vvError error = { 0 };
        vvWorldDef d = free_def(name, h, 1e-9);
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("stvk", 1e4);
        vvDragDef def = vvDefaultDragDef();
        vvDragId hand;
        def.body = add_cube(w, 0.1, 2, &m), def.stiffness = k;
        assert_ok(vvWorldStartDrag(w, &def, &hand, &error));
        double at[3], before[3];
        memcpy(at, vvWorldPositions(w), sizeof at);
        const bool end = vvSchemeEndForces(name);
        by_end += end;
        for (int n = 0; n < 4; n++) {
            const double went[3] = { 0.5 * h, -0.3 * h * n, 0 };
            double expected = 0;
            memcpy(before, vvWorldPositions(w), sizeof before);
            for (int c = 0; c < 3; c++)
                at[c] += went[c];
            assert_ok(vvWorldMoveDrag(w, hand, at, &error));
            const vvLedgerRow row = step(w);
            for (int c = 0; c < 3; c++)
                expected += k *
                            (at[c] - 0.5 * went[c] - (end ? 0.5 * (before[c] + vvWorldPositions(w)[c]) : before[c])) *
                            went[c];
            if (!(fabs(row.work - expected) <= 1e-12 + 1e-9 * fabs(expected)))
                fail_msg("%s, step %d: work %.12g J, not %.12g", name, n, row.work, expected);
        }
        vvWorldDestroy(w);
    }
    assert_int_equal(by_end, 2);
    assert_true(vvSchemeEndForces("backward-euler") && vvSchemeEndForces("bdf2"));
    assert_true(!vvSchemeEndForces(NULL) && !vvSchemeEndForces("no such scheme") &&
                !vvSchemeEndForces("implicit-midpoint"));
}

/* A step mixed from two is booked by the parts of both: bdf2 and backward Euler, alpha > 0, have their forces at the
 * end, forward Euler has not. */
static void nor_does_a_blend_forget_the_way(void **state)
{
    (void)state;
    const double h = 0.01, k = 40;
    vvError error = { 0 };
    vvWorldDef d = free_def("bdf2", h, 1e-9);
    d.integrator.policy = "blend";
    d.integrator.groundMode = VV_GROUND_NONE;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stvk", 1e4);
    vvDragDef def = vvDefaultDragDef();
    vvDragId hand;
    def.body = add_cube(w, 0.1, 2, &m), def.stiffness = k;
    assert_ok(vvWorldStartDrag(w, &def, &hand, &error));
    double at[3], before[3];
    int mixed = 0;
    memcpy(at, vvWorldPositions(w), sizeof at);
    for (int n = 0; n < 30; n++) {
        memcpy(before, vvWorldPositions(w), sizeof before);
        at[0] += 0.5 * h;
        assert_ok(vvWorldMoveDrag(w, hand, at, &error));
        const vvLedgerRow row = step(w);
        const double end = 1 + fmin(row.alpha, 0), went = vvWorldPositions(w)[0] - before[0];
        const double expected = k * (at[0] - 0.25 * h - before[0] - 0.5 * end * went) * 0.5 * h;
        mixed += fabs(row.alpha) > 0 && fabs(row.alpha) < 1;
        if (!(fabs(row.work - expected) <= 1e-12 + 1e-9 * fabs(expected)))
            fail_msg("step %d, alpha %g: work %.12g J, not %.12g", n, row.alpha, row.work, expected);
    }
    assert_true(mixed > 0);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nor_does_a_blend_forget_the_way),
                                        cmocka_unit_test(work_does_not_depend_on_the_rate),
                                        cmocka_unit_test(nor_does_that_of_rubbing),
                                        cmocka_unit_test(each_scheme_books_as_it_says) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
