/* Extended position-based dynamics. "xpbd-exact" ends where Newton's method does: each energy that has constraints,
 * every scheme with a stage to minimise; its first sweep is that of "xpbd" where a constraint's impulse has one
 * direction. "xpbd" ends at the minimum where no direction turns, else near it, the nearer the shorter the step.
 * Momentum is kept by every sweep; rest stays rest, small strains stay small; what is no sum of squares is refused by
 * name; hostile worlds; any number of threads; saved and resumed. */
#include "policy_support.h"
#include "short_memory.h"
#include "size.h"

#include "visviva/settings.h"

#include "step/inside.h"
#include "world/world.h"
#include "positional.h"

static const char *const both[] = { "xpbd", "xpbd-exact" };
static const char *const models[] = {
    "stable-neo-hookean", "arap",          "corotated", "fixed-corotated", "stvk", "hooke", "hooke-rod",
    "stvk-spring",        "stvk-membrane", "hinge"
};
enum { MODELS = 10, TETS = 5, PLENTY = 200000 };

static vvWorldDef def_of(const char *method, const char *scheme, int sweeps)
{
    vvWorldDef d = free_def(scheme, 0.01, 1e-10);
    d.solver.method = method;
    d.solver.budget = sweeps;
    d.solver.maxIterations = PLENTY;
    return d;
}

static bool is_springs(const char *model)
{
    static const char *const springs[] = { "hooke", "hooke-rod", "stvk-spring", "neo-hookean-rod" };
    for (int i = 0; i < 4; i++)
        if (strcmp(model, springs[i]) == 0)
            return true;
    return false;
}

static bool is_shell(const char *model) { return strcmp(model, "hinge") == 0 || strcmp(model, "stvk-membrane") == 0; }

/* A membrane, with bending or without. */
static vvBodyId add_shell(vvWorld *w, const char *model, double young, int cells)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvBodyDef body = vvDefaultBodyDef();
    vvMaterialDef bending = material("hinge", 10 * young);
    bending.thickness = 0.02;
    body.material = material("stvk-membrane", young);
    body.material.thickness = 0.01;
    if (strcmp(model, "hinge") == 0)
        body.moreMaterials = &bending, body.moreMaterialCount = 1;
    assert_ok(generate_mesh("sheet", (double[]){ 0.1 * cells, 0.2, 0.1, 0, 1 }, &mesh, &error));
    return add_mesh(w, &mesh, &body);
}

/* A bar of tets, or a strip of springs or of a shell, along x. */
static vvBodyId add_bar(vvWorld *w, const char *model, double young, int cells)
{
    vvBodyDef body = vvDefaultBodyDef();
    if (is_shell(model))
        return add_shell(w, model, young, cells);
    body.material = material(model, young);
    if (!is_springs(model))
        return add_box_def(w, (double[]){ 0.1 * cells, 0.1, 0.1 }, (int[]){ cells, 1, 1 }, 5, &body);
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    body.material.springStiffness = strcmp(model, "hooke") == 0       ? 0.01 * young
                                    : strcmp(model, "hooke-rod") == 0 ? 0.001 * young
                                                                      : young;
    body.material.bendStiffness = 0.1 * body.material.springStiffness;
    assert_ok(generate_mesh("weave", (double[]){ 0.1 * cells, 0.2, cells, 2 }, &mesh, &error));
    return add_mesh(w, &mesh, &body);
}

/* Held at one end, which moves; at the other by springs and by the potentials that have constraints; gravity and
 * drag. */
static vvWorld *sagging(const vvWorldDef *def, const char *model, double young, int cells)
{
    static const struct {
        const char *name;
        double values[7];
    } potentials[] = { { "harmonic", { 0.3, 0.3, 0, 30 } },
                       { "spring", { 0.1, -0.5, 0, 40, 0.4 } },
                       { "quadratic-wall", { 0, 0.02, 0, 0.1, 1, 0, 50 } } };
    vvWorldDef d = *def;
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyId bar = add_bar(w, model, young, cells);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
    a.motion.linearVelocity[2] = 0.2;
    attach(w, bar, &a);
    a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 99, 0, 0 }, .b = { 100, 100, 100 } };
    a.kind = VV_ATTACH_SPRING;
    a.stiffness = 20;
    attach(w, bar, &a);
    for (int i = 0; i < 3; i++) {
        a = vvDefaultAttachDef();
        a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 30, 0, 0 }, .b = { 100, 100, 100 } };
        a.kind = VV_ATTACH_POTENTIAL;
        a.potential = potentials[i].name;
        shape_potential(&a, potentials[i].values);
        attach(w, bar, &a);
    }
    return w;
}

static double farthest(vvWorld *a, vvWorld *b)
{
    double most = 0;
    for (int k = 0; k < 3 * vvWorldNodeCount(a); k++)
        most = fmax(most, fabs(vvWorldPositions(a)[k] - vvWorldPositions(b)[k]));
    return most;
}

static vvWorld *with(const char *method, const char *scheme, const char *model, int sweeps)
{
    vvWorldDef d = def_of(method, scheme, sweeps);
    return sagging(&d, model, 2e4, 3);
}

/* ---- the minimum ---- */

static void exact_sweeps_end_where_newton_does(void **state)
{
    (void)state;
    int tried = 0;
    for (int i = 0; vvSchemeInfo(i); i++) {
        const vv_scheme *row = vv_scheme_find(vvSchemeInfo(i)->name);
        if (row->method || vv_stage_explicit(row->stage + row->stages - 1))
            continue;
        for (int m = 0; m < MODELS; m++, tried++) {
            if (sized(1, 0, 0) && tried % 3)
                continue;
            vvWorld *a = with("xpbd-exact", row->info.name, models[m], PLENTY),
                    *b = with("newton", row->info.name, models[m], 0);
            for (int k = 0; k < sized(2, 4, 10); k++) {
                vvStepReport report;
                vvError error = { 0 };
                assert_ok(vvWorldStep(a, &report, &error));
                step(b);
                if (report.end != VV_SOLVE_CONVERGED)
                    fail_msg("%s, %s: end %d after %d sweeps", row->info.name, models[m], (int)report.end,
                             report.newtonIterations);
            }
            if (!(farthest(a, b) < 1e-8))
                fail_msg("%s, %s: %g m off", row->info.name, models[m], farthest(a, b));
            vvWorldDestroy(a);
            vvWorldDestroy(b);
        }
    }
    assert_true(tried >= 10 * MODELS);
}

/* A chain that hangs straight down: no spring ever turns, and multipliers are impulses. */
static void multipliers_are_exact_where_nothing_turns(void **state)
{
    (void)state;
    vvWorld *w[2];
    for (int i = 0; i < 2; i++) {
        vvWorldDef d = def_of(i ? "xpbd" : "newton", "backward-euler", i ? PLENTY : 0);
        double x[15];
        for (int k = 0; k < 5; k++)
            x[3 * k] = x[3 * k + 2] = 0, x[3 * k + 1] = -0.1 * k;
        d.gravity[1] = -9.8;
        w[i] = new_world(&d);
        vvMaterialDef m = material("hooke", 0);
        m.springStiffness = 50;
        m.density = 1;
        vvBodyId chain = add_edges(w[i], 5, x, 4, (int[]){ 0, 1, 1, 2, 2, 3, 3, 4 }, &m);
        vvAttachDef top = vvDefaultAttachDef();
        top.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0 }, .listCount = 1 };
        attach(w[i], chain, &top);
        steps(w[i], 10);
    }
    assert_less(farthest(w[0], w[1]), 1e-9);
    assert_less(0.01, fabs(vvWorldPositions(w[1])[13] + 0.4));
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

/* How far one step of "xpbd" without end is off Newton's, as a part of how far the forces have moved the nodes. */
static double share_off(const char *model, double h)
{
    double off, moved;
    vvWorld *w[3];
    for (int i = 0; i < 3; i++) {
        vvWorldDef d = def_of(i == 0 ? "newton" : "xpbd", "backward-euler", i == 1 ? PLENTY : i == 2 ? 1 : 0);
        d.timeStep = h;
        /* the last one is too soft to resist */
        w[i] = sagging(&d, i == 2 && !is_shell(model) ? "stable-neo-hookean" : model, i == 2 ? 1e-6 : 2e4, 3);
        set_state(w[i], vvWorldBody(w[i], 0), "angular", (double[]){ 0, 0, 8, NAN, NAN, NAN });
        step(w[i]);
    }
    off = farthest(w[0], w[1]);
    moved = 0;
    for (int k = 0; k < 3 * vvWorldNodeCount(w[0]) && vvWorldNodeCount(w[0]) == vvWorldNodeCount(w[2]); k++)
        moved = fmax(moved, fabs(vvWorldPositions(w[0])[k] - vvWorldPositions(w[2])[k]));
    for (int i = 0; i < 3; i++)
        vvWorldDestroy(w[i]);
    return moved > 0 ? off / moved : off / (9.8 * h * h);
}

static void multipliers_end_near_the_minimum(void **state)
{
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        double share = share_off(models[m], 0.01);
        if (!(share < 0.3))
            fail_msg("%s: %g of the way off", models[m], share);
        /* springs turn less in a shorter step; C = sqrt(2 psi) of a tet or a membrane has a direction of its own at
         * rest */
        if (m >= TETS && !is_shell(models[m]))
            assert_less(share_off(models[m], 0.0025), 0.5 * share);
    }
}

/* The first sweep of both is the same for springs hooke: there is no impulse yet. */
static void first_sweeps_are_alike(void **state)
{
    (void)state;
    for (int m = TETS; m < TETS + 2; m++) {
        vvWorld *a = with("xpbd", "backward-euler", models[m], 1),
                *b = with("xpbd-exact", "backward-euler", models[m], 1);
        step(a), step(b);
        assert_less(farthest(a, b), 1e-12);
        vvWorldDestroy(a);
        vvWorldDestroy(b);
    }
}

/* A solve that is too short says that the objective is higher than where it began; one that is not, does not. */
static void too_few_sweeps_are_reported(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        vvError error = { 0 };
        vvWorldDef d = def_of(both[i % 2], "backward-euler", i < 2 ? 1 : PLENTY);
        vvWorld *w = sagging(&d, "stable-neo-hookean", i < 2 ? 1e8 : 1e4, 3);
        assert_ok(vvWorldBake(w, &error));
        vv_stepper *s = w->stepper;
        vv_objective o;
        vv_solve_options options = s->options;
        vv_solve_stats stats = { 0 };
        options.budget = d.solver.budget;
        vv_stepper_objective(s, &s->scheme, &o);
        double *q = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)), first = vv_objective_value(&o, q);
        assert_ok(s->solver->ops->minimise(s->solver, &o, q, q, &options, &stats, &error));
        assert_int_equal(vv_objective_value(&o, q) > first, i < 2);
        assert_int_equal(stats.why != NULL, i < 2);
        assert_int_equal(stats.end, i < 3 ? VV_SOLVE_BUDGET : VV_SOLVE_CONVERGED); /* "xpbd" claims nothing */
        assert_int_equal(s->solver->ops->nearby, i % 2 == 0);
        assert_true(isfinite(stats.residual) && stats.iterations <= options.budget);
        free(q);
        vvWorldDestroy(w);
    }
}

/* Of hanging cloth, in which many springs are pressed together, g falls on and on: their impulses turn slowly
 * enough. */
static void pressed_springs_settle(void **state)
{
    (void)state;
    vvWorldDef d = def_of("newton", "backward-euler", 0);
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    d.timeStep = 1.0 / 30;
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyDef body = vvDefaultBodyDef();
    body.material = material("hooke", 0);
    body.material.density = 0.2;
    body.material.springStiffness = 1000, body.material.bendStiffness = 100;
    assert_ok(generate_mesh("weave", (double[]){ 1, 1, 30, 30 }, &mesh, &error));
    vvBodyId cloth = add_mesh(w, &mesh, &body);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
    attach(w, cloth, &a);
    steps(w, 6);
    vv_stepper *s = w->stepper;
    vv_objective o;
    vv_solver *solver = NULL;
    assert_ok(
        vv_solver_create(vv_solver_find("xpbd-exact"), &(vv_solver_def){ &w->system, s->linear }, &solver, &error));
    vv_stepper_objective(s, &s->scheme, &o);
    double *y = copy_of(o.y, 3 * vvWorldNodeCount(w)), value[4];
    static const int sweeps[] = { 20, 100, 400, 2000 };
    o.y = y;
    for (int i = 0; i < sized(3, 4, 4); i++) {
        double *q = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
        vv_solve_options options = s->options;
        vv_solve_stats stats = { 0 };
        options.budget = sweeps[i];
        assert_ok(solver->ops->minimise(solver, &o, q, NULL, &options, &stats, &error));
        value[i] = vv_objective_value(&o, q);
        assert_true(i == 0 || value[i] < value[i - 1]);
        assert_true(i < 2 || value[i - 1] - value[i] < 0.2 * (value[i - 2] - value[i - 1]));
        free(q);
    }
    free(y);
    vv_solver_destroy(solver);
    vvWorldDestroy(w);
}

/* ---- momentum, rest ---- */

static void every_sweep_keeps_momentum(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < MODELS; m++) {
            vvWorldDef d = def_of(both[i], "backward-euler", 1 + m % 3);
            vvWorld *w = new_world(&d);
            vvBodyId bar = add_bar(w, models[m], 2e4, 3);
            set_state(w, bar, "angular", (double[]){ 3, 2, 9, NAN, NAN, NAN });
            double *v = copy_of(vvWorldVelocities(w), 3 * vvWorldNodeCount(w));
            for (int k = 0; k < vvWorldNodeCount(w); k++)
                v[3 * k] += 0.3 * sin(5 * k), v[3 * k + 1] += 1;
            vvError error = { 0 };
            assert_ok(vvBodySetState(w, bar, NULL, v, &error));
            assert_ok(vvWorldBake(w, &error));
            vvLedgerRow before = ledger(w), after = steps(w, 5);
            double size = norm3(before.momentum);
            assert_less(0.1, size);
            for (int k = 0; k < 3; k++)
                assert_near(after.momentum[k], before.momentum[k], 1e-12 * size);
            free(v);
            vvWorldDestroy(w);
        }
}

/* Springs push along the line between their ends: where the sweeps converge, the angular momentum is what it was
 * too. */
static void converged_sweeps_keep_angular_momentum(void **state)
{
    (void)state;
    vvWorldDef d = def_of("xpbd-exact", "implicit-midpoint", PLENTY);
    vvWorld *w = new_world(&d);
    vvBodyId bar = add_bar(w, "stable-neo-hookean", 2e4, 2);
    set_state(w, bar, "angular", (double[]){ 1, 2, 9, NAN, NAN, NAN });
    vvError error = { 0 };
    assert_ok(vvWorldBake(w, &error));
    double before = norm3(ledger(w).angularMomentumCentre);
    vvLedgerRow row = steps(w, 10);
    assert_near(norm3(row.angularMomentumCentre), before, 1e-6 * before);
    vvWorldDestroy(w);
}

static void rest_stays_rest(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < MODELS; m++) {
            vvWorldDef d = def_of(both[i], m % 2 ? "implicit-midpoint" : "backward-euler", 0);
            vvWorld *w = new_world(&d);
            add_bar(w, models[m], 1e9, 3);
            vvError error = { 0 };
            assert_ok(vvWorldBake(w, &error));
            double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
            steps(w, 20);
            for (int k = 0; k < 3 * vvWorldNodeCount(w); k++)
                if (!(fabs(vvWorldPositions(w)[k] - x[k]) < 1e-13))
                    fail_msg("%s, %s: a node at rest moved by %g m", both[i], models[m], vvWorldPositions(w)[k] - x[k]);
            free(x);
            vvWorldDestroy(w);
        }
}

/* Strains about where "xpbd" begins to see them, psi = 1e-12 mu: F is off by 1e-6. The bar stays where it is, and
 * gains no energy under backward Euler. */
static void small_strains_stay_small(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < MODELS; m++)
            for (double strain = 1e-9; strain < 1e-3; strain *= 10) {
                vvWorldDef d = def_of(both[i], "backward-euler", 0);
                vvWorld *w = new_world(&d);
                vvBodyId bar = add_bar(w, models[m], 1e5, 2);
                vvError error = { 0 };
                assert_ok(vvWorldBake(w, &error));
                double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)),
                       *rest = copy_of(x, 3 * vvWorldNodeCount(w));
                for (int k = 0; k < 3 * vvWorldNodeCount(w); k++)
                    x[k] += 0.1 * strain * sin(7 * k);
                assert_ok(vvBodySetState(w, bar, x, NULL, &error));
                double begin = ledger(w).total, last = steps(w, 10).total;
                if (!(last <= 1.2 * begin + 1e-13))
                    fail_msg("%s, %s, strain %g: H from %g to %g", both[i], models[m], strain, begin, last);
                for (int k = 0; k < 3 * vvWorldNodeCount(w); k++)
                    assert_near(vvWorldPositions(w)[k], rest[k], strain);
                free(x);
                free(rest);
                vvWorldDestroy(w);
            }
}

/* ---- what it cannot do ---- */

static void refusals_name_the_energy(void **state)
{
    (void)state;
    static const char *const none[] = { "neo-hookean", "neo-hookean-rod", "barrier-wall", "quartic",
                                        "rayleigh",    "fixed-corotated", "barrier" };
    for (int i = 0; i < 14; i++) {
        const char *word = none[i / 2];
        vvError error = { 0 };
        vvWorldDef d = def_of(both[i % 2], "backward-euler", 0);
        if (strcmp(word, "barrier") == 0)
            d.contact.model = "barrier", d.contact.stiffness = 1e5;
        vvWorld *w = new_world(&d);
        vvBodyDef body = vvDefaultBodyDef();
        body.material = material(i / 2 == 5 ? word : "arap", 1e4);
        if (i / 2 == 5)
            body.material.poisson = -0.2;
        if (i / 2 == 4)
            body.material.damping.rayleigh = 0.01;
        vvBodyId id = i / 2 == 0 || i / 2 == 1 ? add_bar(w, word, 1e4, 1)
                                               : add_box_def(w, (double[]){ 1, 1, 1 }, (int[]){ 1, 1, 1 }, 5, &body);
        if (i / 2 == 2 || i / 2 == 3) {
            vvAttachDef a = vvDefaultAttachDef();
            a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 100, 100, 100 } };
            a.kind = VV_ATTACH_POTENTIAL;
            a.potential = word;
            double wall[8] = { 0, -5, 0, 0, 1, 0, 1, 0.01 };
            shape_potential(&a, i / 2 == 2 ? wall : NULL);
            attach(w, id, &a);
            word = "potential";
        }
        if (i / 2 == 6)
            obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, 0);
        expect(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED, &error, word);
        assert_non_null(strstr(error.message, both[i % 2]));
        vvWorldDef other = def_of("newton", "backward-euler", 0);
        assert_ok(vvWorldSetSolver(w, &other.solver, &error));
        step(w);
        vvWorldDestroy(w);
    }
}

/* ---- hostile worlds, threads, time ---- */

/* Stiff as rock; hardly stiff at all; free; with one sweep; flat, and turned inside out; all thrown at 1 km/s. */
static vvWorld *thrown(const char *method, const char *scheme, const char *model, int kind)
{
    vvError error = { 0 };
    vvWorldDef d = def_of(method, scheme, kind == 4 ? 1 : 0);
    d.timeStep = 1.0 / 30;
    d.integrator.blowUp = 0; /* what it makes is wild, but finite */
    vvWorld *w = kind == 3 ? new_world(&d) : sagging(&d, model, kind == 1 ? 1e12 : kind == 2 ? 1e-3 : 2e4, 1 + kind);
    vvBodyId bar = kind == 3 ? add_bar(w, model, 2e4, 1) : vvWorldBody(w, 0);
    set_state(w, bar, "linear", (double[]){ 1000, -1000, 10 });
    assert_ok(vvWorldBake(w, &error));
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    for (int k = 0; k < vvWorldNodeCount(w); k++)
        x[3 * k] *= -1, x[3 * k + 1] = 0;
    if (kind == 5)
        assert_ok(vvBodySetState(w, bar, x, NULL, &error));
    free(x);
    return w;
}

/* The first two schemes use the forces at the start of the step: where sweeps were too few, these are far off, the
 * next step is worse, and in the end one fails. It says so. */
static void hostile_worlds_stay_finite(void **state)
{
    (void)state;
    static const char *const schemes[] = { "avf-simpson", "tr-bdf2", "backward-euler", "implicit-midpoint", "bdf2" };
    for (int n = 0; n < 2 * MODELS * 6; n++) {
        const char *method = both[n % 2], *model = models[n / 2 % MODELS];
        int kind = n / 2 / MODELS;
        for (int c = sized(n / 2 % 5, 0, 0); c < 5; c += sized(5, 1, 1)) {
            vvError error = { 0 };
            vvWorld *w = thrown(method, schemes[c], model, kind);
            vvStatus status = VV_OK;
            for (int k = 0; k < 20 && status == VV_OK; k++) {
                vvStepReport report;
                status = vvWorldStep(w, &report, &error);
                if (status != VV_OK && (c > 1 || status != VV_ERROR_SOLVER || !*error.message))
                    fail_msg("%s under %s, %s, kind %d: step %d: %s", method, schemes[c], model, kind, k,
                             error.message);
                if (status == VV_OK && !(isfinite(report.residual) && (c < 2 || isfinite(ledger(w).total))))
                    fail_msg("%s under %s, %s, kind %d: step %d: residual %g, H %g", method, schemes[c], model, kind, k,
                             report.residual, ledger(w).total);
            }
            for (int k = 0; k < 3 * vvWorldNodeCount(w); k++)
                if (!(fabs(vvWorldPositions(w)[k]) < (c < 2 ? INFINITY : 1e4)))
                    fail_msg("%s under %s, %s, kind %d: a node at %g m", method, schemes[c], model, kind,
                             vvWorldPositions(w)[k]);
            vvWorldDestroy(w);
        }
    }
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < MODELS; m += MODELS - 3) {
            vvWorld *w[3];
            for (int t = 0; t < 3; t++) {
                vvWorldDef d = def_of(both[i], "avf-simpson", 0);
                d.threads = t + 1;
                w[t] = sagging(&d, models[m], 2e4, sized(100, 200, 1000));
            }
            expect_same(w[0], w[1], 4, "two threads");
            steps(w[2], 4);
            assert_true(same_world(w[0], w[2]));
            for (int t = 0; t < 3; t++)
                vvWorldDestroy(w[t]);
        }
}

static void a_cancelled_step_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        vvWorld *w = with(both[i], "tr-bdf2", "stable-neo-hookean", 0),
                *calm = with(both[i], "tr-bdf2", "stable-neo-hookean", 0);
        vvWorld *fresh = with(both[i], "tr-bdf2", "stable-neo-hookean", 0);
        asked host = { 0 };
        vvWorldSetCancel(w, asked_answer, &host);
        expect_restored(w, &host, calm, 2);
        expect_resumed(w, fresh, 3);
        vvWorldDestroy(w);
        vvWorldDestroy(calm);
        vvWorldDestroy(fresh);
    }
}

/* Once warm, steps allocate nothing; and bodies may come and go. */
static void steps_allocate_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        budget b = { .left = 1000000 };
        vvWorldDef d = def_of(both[i], "avf-simpson", 0);
        d.host.allocator = budget_allocator(&b);
        vvWorld *w = sagging(&d, "stable-neo-hookean", 2e4, 3);
        steps(w, 2);
        int taken = b.taken;
        steps(w, 3);
        assert_int_equal(b.taken, taken);
        add_bar(w, "hooke", 1e4, 2); /* another energy */
        steps(w, 2);
        taken = b.taken;
        steps(w, 3);
        assert_int_equal(b.taken, taken);
        vvWorldDestroy(w);
        assert_int_equal(b.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_sweeps_end_where_newton_does),
        cmocka_unit_test(multipliers_are_exact_where_nothing_turns),
        cmocka_unit_test(multipliers_end_near_the_minimum),
        cmocka_unit_test(first_sweeps_are_alike),
        cmocka_unit_test(too_few_sweeps_are_reported),
        cmocka_unit_test(pressed_springs_settle),
        cmocka_unit_test(every_sweep_keeps_momentum),
        cmocka_unit_test(converged_sweeps_keep_angular_momentum),
        cmocka_unit_test(rest_stays_rest),
        cmocka_unit_test(small_strains_stay_small),
        cmocka_unit_test(refusals_name_the_energy),
        cmocka_unit_test(hostile_worlds_stay_finite),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_cancelled_step_changes_nothing),
        cmocka_unit_test(steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
