/* Contact by constraints at its edges: narrow grooves and obtuse valleys, thin walls, bodies that begin inside,
 * obstacles that leave no place; and constraints that act after the solve, with every joule accounted for. */
#include "size.h"
#include "world_support.h"

#include "solve/assembly.h"
#include "solve/solver.h"
#include "visviva/contact.h"
#include "world/world.h"

static vvWorldDef constraint_def(const char *solver, const char *when)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 24;
    d.integrator.scheme = "backward-euler";
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.model = "constraint";
    d.contact.constraint.when = when;
    d.contact.self = false;
    d.solver.method = solver;
    d.solver.tolerance = 1e-4;
    d.threads = 1;
    return d;
}

static vvBodyId ball_at(vvWorld *w, const char *model, double radius, const double *at)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material(model, 2e4);
    memcpy(def.translate, at, sizeof def.translate);
    return add_ball(w, radius, 2, &def);
}

static void moving(vvWorld *w, const char *type, const double *values, double speed, int along)
{
    vvError error = { 0 };
    vvObstacleDef o = vvDefaultObstacleDef();
    o.type = type;
    shape_obstacle(&o, values);
    o.motion = vvDefaultMotionDef();
    o.moves = true;
    o.motion.linearVelocity[along] = speed;
    assert_ok(vvWorldAddObstacle(w, &o, NULL, &error));
}

static double gap_of(const vvWorld *w, const double *q)
{
    return vv_contact_min_gap(&w->contact->barrier, q, NULL, NULL, NULL);
}

/* Two planes that meet in the z axis, each leaning by the angle from the vertical (rad). */
static void add_valley(vvWorld *w, double angle)
{
    obstacle(w, "plane", (double[]){ 0, 0, 0, cos(angle), sin(angle), 0 }, 0);
    obstacle(w, "plane", (double[]){ 0, 0, 0, -cos(angle), sin(angle), 0 }, 0);
}

/* ---- projection ---- */

/* Whatever the angle, what is below a groove is put to its bottom, straight up. */
static void grooves_have_a_bottom(void **state)
{
    (void)state;
    static const double angles[] = { 0.01, 0.03, 0.1, 0.5 };
    for (int a = 0; a < 4; a++) {
        vvError error = { 0 };
        vvWorldDef d = constraint_def("optimizer", "solve");
        vvWorld *w = new_world(&d);
        ball_at(w, "fixed-corotated", 0.1, (double[]){ 0, 20, 0 });
        add_valley(w, angles[a]);
        assert_ok(vvWorldBake(w, &error));
        double *q = copy_of(w->rest, 3 * w->nodes);
        for (int i = 0; i < w->nodes; i++)
            q[3 * i] = 1e-3 * (i % 7 - 3), q[3 * i + 1] = -0.2 - 1e-3 * i;
        assert_true(vv_system_project(&w->system, q));
        assert_less(-1e-11, gap_of(w, q));
        for (int v = 0; v < w->contact->vertices.count; v++) {
            const double *x = q + 3 * (size_t)w->contact->vertices.node[w->contact->vertices.start[v]];
            assert_near(x[0], 0, 1e-9);
            assert_near(x[1], 0, 1e-9);
        }
        free(q);
        vvWorldDestroy(w);
    }
}

/* In a valley of more than a right angle one plane puts a vertex to where the other moves it once more, and away from
 * the first. The slope is that of the differences. */
static void slopes_of_several_moves(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = constraint_def("optimizer", "solve");
    vvWorld *w = new_world(&d);
    ball_at(w, "fixed-corotated", 0.1, (double[]){ 0, 0.5, 0 });
    add_valley(w, 1.1);
    assert_ok(vvWorldBake(w, &error));
    vv_system *s = &w->system;
    const size_t n = 3 * (size_t)w->nodes;
    double *q = copy_of(w->rest, (int)n), *p = calloc(n, sizeof *p), *p_unknown = calloc(n, sizeof *p);
    for (int u = 0; u < s->unknowns; u++)
        for (int k = 0; k < 3; k++)
            p_unknown[3 * u + k] = p[3 * s->node[u] + k] = k == 1 ? -1 : k == 0 ? 0.05 * (u % 5) : 0.1;
    vv_line at = { .objective =
                       &(vv_objective){
                           .system = s, .h = 1e-2, .y = w->rest, .samples = 1, .sample = { { 1, 1, NULL } } },
                   .q = q,
                   .p = p,
                   .p_unknown = p_unknown,
                   .value0 = 1e30,
                   .slope0 = -1 };
    const double t = 0.7, e = 1e-6;
    const double want = (vv_line_value(&at, t + e) - vv_line_value(&at, t - e)) / (2 * e);
    assert_near(vv_line_slope(&at, t), want, 1e-5 * fabs(want));
    free(q), free(p), free(p_unknown);
    vvWorldDestroy(w);
}

/* ---- worlds ---- */

/* A ball falls into a bowl that moves, by more in a step than half of its wall: it is inside in the end, and no step
 * makes energy. */
static void thin_walls_hold(void **state)
{
    (void)state;
    static const char *const solvers[] = { "optimizer", "newton" };
    for (int i = 0; i < 2; i++) {
        vvWorldDef d = constraint_def(solvers[i], "solve");
        vvWorld *w = new_world(&d);
        ball_at(w, "fixed-corotated", 0.1, (double[]){ 0, 0.3, 0 });
        moving(w, "bowl", (double[]){ 0, 0.5, 0, 0, 1, 0, 0.5, 0.1, 90 }, 0.8, 0);
        double least = INFINITY;
        for (int k = 0; k < 20; k++) {
            const vvLedgerRow row = step(w);
            least = fmin(least, row.minGap);
            assert_less(row.error, 1e-6 + 1e-3 * row.scale);
        }
        assert_less(-1e-12, least);
        const double centre[3] = { 0.8 * 20.0 / 24, 0.5, 0 };
        for (int k = 0; k < w->nodes; k++)
            if (w->system.unknown[k] >= 0)
                assert_less(distance3(vvWorldPositions(w) + 3 * (size_t)k, centre), 0.5 + 1e-9);
        vvWorldDestroy(w);
    }
}

/* What begins inside is lifted out by the obstacle: its work, and no energy out of nothing. */
static void the_way_out_is_work(void **state)
{
    (void)state;
    vvWorldDef d = constraint_def("optimizer", "solve");
    vvWorld *w = new_world(&d);
    ball_at(w, "fixed-corotated", 0.1, (double[]){ 0, 0.03, 0 });
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
    vvLedgerRow row = step(w);
    assert_less(-1e-12, row.minGap);
    assert_less(0.1, row.work);
    for (int i = 0; i < 20; i++) {
        assert_less(row.error, 1e-6 + 1e-6 * row.scale);
        row = step(w);
        assert_near(row.work, 0, 1e-9);
    }
    vvWorldDestroy(w);
}

/* A cylinder that turns about its own axis does nothing to what slides on it, however far it turns in a step. */
static void what_turns_in_itself_does_no_work(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = constraint_def("optimizer", "solve");
    vvWorld *w = new_world(&d);
    ball_at(w, "fixed-corotated", 0.1, (double[]){ 0, 0.1, 0 });
    vvObstacleDef o = vvDefaultObstacleDef();
    o.type = "cylinder";
    shape_obstacle(&o, (double[]){ 0, -5, 0, 0, 0, 1, 5, 4 });
    o.friction = 0;
    o.motion = vvDefaultMotionDef();
    o.moves = true;
    o.motion.angularVelocity = 200;
    memcpy(o.motion.axis, (double[]){ 0, 0, 1 }, sizeof o.motion.axis);
    memcpy(o.motion.about, (double[]){ 0, -5, 0 }, sizeof o.motion.about);
    assert_ok(vvWorldAddObstacle(w, &o, NULL, &error));
    for (int i = 0; i < 10; i++)
        assert_near(step(w).work, 0, 1e-9);
    assert_near(ledger(w).minGap, 0, 1e-9);
    vvWorldDestroy(w);
}

static double pressed(vvWorld *w)
{
    vvError error = { 0 };
    const vvContactPoint *points;
    int count;
    double sum = 0;
    assert_ok(vvWorldContactPoints(w, &points, &count, &error));
    for (int i = 0; i < count; i++)
        sum += points[i].force;
    return sum;
}

/* Some step fails, and what presses is then what pressed before it: the sum is returned. */
static double fails(vvWorld *w, const char *words)
{
    vvError error = { 0 };
    vvStatus status = VV_OK;
    double before = 0;
    for (int i = 0; status == VV_OK && i < 40; i++) {
        before = pressed(w);
        status = vvWorldStep(w, NULL, &error);
    }
    assert_int_equal(status, VV_ERROR_SOLVER);
    assert_true(pressed(w) == before);
    if (!strstr(error.message, words))
        fail_msg("'%s' is not in: %s", words, error.message);
    for (int i = 0; i < 3 * w->nodes; i++)
        assert_true(isfinite(vvWorldPositions(w)[i]));
    vvWorldDestroy(w);
    return before;
}

/* Plates that close to nothing; and one that inverts, where the material does not allow that. Either way round. */
static void what_cannot_be_fails_by_name(void **state)
{
    (void)state;
    for (int after = 0; after < 2; after++)
        for (int strict = 0; strict < 2; strict++) {
            vvWorldDef d = constraint_def("newton", after ? "after" : "solve");
            vvWorld *w = new_world(&d);
            ball_at(w, strict ? "neo-hookean" : "fixed-corotated", 0.1, (double[]){ 0, 0.1, 0 });
            obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
            moving(w, "box", (double[]){ 0, 1.21, 0, 1, 2, 1, 0, 0, 0 }, strict ? -4.8 : -0.5, 1);
            const double force = fails(w, !strict ? "leave no room for a vertex"
                                          : after ? "\"after\" puts vertices where an element is inverted"
                                                  : "an element would invert");
            assert_true(strict || force > 0);
        }
}

/* ---- what is said ---- */

static void bake_refused(vvWorldDef d, const char *model, const char *solver, const char *material_name, bool self,
                         const char *words)
{
    vvError error = { 0 };
    d.contact.model = model, d.contact.self = self, d.solver.method = solver;
    vvWorld *w = new_world(&d);
    ball_at(w, material_name, 0.1, (double[]){ 0, 1, 0 });
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED);
    if (!strstr(error.message, words))
        fail_msg("'%s' is not in: %s", words, error.message);
    vvWorldDestroy(w);
}

/* Solvers name what they lack; no stiffness of a barrier where there is none; a penalty of nothing is none. */
static void what_is_said_is_so(void **state)
{
    (void)state;
    static const char *const models[] = { "penalty", "constraint" };
    const vvWorldDef d = constraint_def("newton", "solve");
    bake_refused(d, "penalty", "xpbd", "fixed-corotated", true, "\"penetration\" has none");
    bake_refused(d, "penalty", "block-descent", "fixed-corotated", true, "keep bodies that may touch apart");
    bake_refused(d, "penalty", "local-global", "corotated", false, "of a form with a largest stiffness");
    bake_refused(d, "constraint", "block-descent", "fixed-corotated", true, "does not support bounds on positions");
    for (int m = 0; m < 2; m++) {
        vvError error = { 0 };
        vvStiffness stiffness;
        vvWorldDef other = d;
        other.contact.model = models[m];
        vvWorld *w = new_world(&other);
        ball_at(w, "fixed-corotated", 0.1, (double[]){ 0, 1, 0 });
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
        assert_ok(vvWorldBake(w, &error));
        assert_false(vvWorldGetStiffness(w, &stiffness));
        vvWorldDestroy(w);
        other.contact.penalty.stiffness = 0, w = NULL;
        assert_int_equal(vvWorldCreate(&other, &w, &error), VV_ERROR_INPUT);
        other = d, other.contact.constraint.when = "before";
        assert_int_equal(vvWorldCreate(&other, &w, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, "there are: solve, after"));
    }
}

/* ---- after the solve ---- */

static double force_up(vvWorld *w)
{
    vvError error = { 0 };
    const vvContactPoint *points;
    int count;
    double sum = 0;
    assert_ok(vvWorldContactPoints(w, &points, &count, &error));
    for (int i = 0; i < count; i++)
        sum += points[i].force * points[i].normal[1];
    return sum;
}

/* A ball that falls onto the ground, for every solver that takes the material and both schemes: outside at every
 * step; what obstacles do to H is in its row, so that the error is that of a step without them; it carries its weight
 * in the end. */
static void after_the_solve_every_joule_is_booked(void **state)
{
    (void)state;
    static const char *const cases[][2] = { { "optimizer", "backward-euler" },
                                            { "newton", "bdf2" },
                                            { "lbfgs", "backward-euler" },
                                            { "xpbd", "backward-euler" } };
    for (int c = 0; c < 4; c++) {
        vvWorldDef d = constraint_def(cases[c][0], "after");
        d.integrator.scheme = cases[c][1];
        d.solver.maxIterations = 400;
        vvWorld *w = new_world(&d);
        vvBodyId ball = ball_at(w, "fixed-corotated", 0.1, (double[]){ 0, 0.15, 0 });
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
        set_state(w, ball, "linear", (double[]){ 0, -1.2, 0 });
        double least = INFINITY, mass = 0, put = 0, up = 0;
        for (int i = 0; i < 100; i++) {
            const double before = ledger(w).total;
            const vvLedgerRow row = step(w);
            least = fmin(least, row.minGap);
            put += row.springs;
            assert_near(row.total - before, row.work - row.friction - row.damping + row.springs + row.error,
                        1e-9 * row.scale);
            if (c == 0) /* no more than backward Euler loses */
                assert_less(row.error, 1e-6 * row.scale);
            up += i >= 50 ? force_up(w) / 50 : 0;
        }
        for (int i = 0; i < w->nodes; i++)
            mass += vvWorldMasses(w)[i];
        print_message("%s, %s: smallest gap %.2g m, put %.4g J; weight %.4f N, carried %.4f N\n", cases[c][0],
                      cases[c][1], least, put, 9.8 * mass, up);
        assert_less(-1e-12, least);
        assert_true(fabs(put) > 0.1 * mass * 1.2 * 1.2 / 2);
        assert_near(up, 9.8 * mass, 0.1 * 9.8 * mass);
        vvWorldDestroy(w);
    }
}

/* One free point, of which all is known: it ends on the ground, with the velocity that takes it there; friction acts
 * by the impulse. */
static void a_point_after_the_solve(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        vvError error = { 0 };
        vvWorldDef d = constraint_def("newton", "after");
        vvWorld *w = new_world(&d);
        double x[3] = { 0, 0.01, 0 };
        const double h = d.timeStep, mu = 0.25;
        vvMesh mesh = { .vertexCount = 1, .positions = x, .pointCount = 1, .points = (int[]){ 0 } };
        vvBodyDef def = vvDefaultBodyDef();
        vvBodyId id;
        def.mesh = &mesh;
        def.material = material("free", 0);
        def.material.density = 2;
        assert_ok(vvWorldAddBody(w, &def, &id, &error));
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, rough ? mu : 0);
        set_state(w, id, "linear", (double[]){ 3, -2, 0 });
        const vvLedgerRow row = step(w);
        const double free = -2 - 9.8 * h, impulse = 2 * (-0.01 / h - free), slow = rough ? mu * impulse / 2 : 0;
        const double *v = vvWorldVelocities(w);
        assert_near(vvWorldPositions(w)[1], 0, 1e-15);
        assert_near(v[1], -0.01 / h, 1e-12);
        assert_near(v[0], 3 - slow, 1e-9);
        assert_near(row.friction, 9 - (3 - slow) * (3 - slow), 1e-9);
        /* what is lost along the normal, and gravity's energy got back */
        const double fall = free * h;
        assert_near(row.springs, v[1] * v[1] - free * free + 2 * 9.8 * (-0.01 - fall), 1e-9);
        vvWorldDestroy(w);
    }
}

/* An obstacle that moves does work; what is left of the change of H stands beside it, and the error is that of the
 * free step. */
static void what_moves_works_after_the_solve(void **state)
{
    (void)state;
    vvWorldDef d = constraint_def("newton", "after");
    vvWorld *w = new_world(&d);
    ball_at(w, "fixed-corotated", 0.1, (double[]){ 0, 0.1, 0 });
    moving(w, "box", (double[]){ 0, -1, 0, 1, 2, 1, 0, 0, 0 }, 0.5, 1);
    vvLedgerTotals totals;
    for (int i = 0; i < 48; i++) {
        const vvLedgerRow row = step(w);
        assert_less(-1e-12, row.minGap);
        assert_less(row.error, 1e-6 * row.scale);
    }
    vvWorldTotals(w, &totals);
    double mass = 0;
    for (int i = 0; i < w->nodes; i++)
        mass += w->system.unknown[i] >= 0 ? vvWorldMasses(w)[i] : 0;
    print_message("lifted by 1 m: %.4f J, work %.4f J, put %.4f J, error %.4f J\n", 9.8 * mass, totals.work,
                  totals.springs, totals.error);
    assert_near(totals.work, 9.8 * mass, 0.1 * 9.8 * mass);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grooves_have_a_bottom),
        cmocka_unit_test(slopes_of_several_moves),
        cmocka_unit_test(thin_walls_hold),
        cmocka_unit_test(the_way_out_is_work),
        cmocka_unit_test(what_turns_in_itself_does_no_work),
        cmocka_unit_test(what_cannot_be_fails_by_name),
        cmocka_unit_test(what_is_said_is_so),
        cmocka_unit_test(after_the_solve_every_joule_is_booked),
        cmocka_unit_test(a_point_after_the_solve),
        cmocka_unit_test(what_moves_works_after_the_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
