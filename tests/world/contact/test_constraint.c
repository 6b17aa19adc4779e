/* Contact by constraints: the projection is exact and its derivatives are those of g(P(x)), for every obstacle with
 * an exact distance; corners; balls that fall stay outside, and press with their weight; friction holds and lets
 * slide as Coulomb says; obstacles that move lift, and their work is booked; bits by threads and by snapshots; what
 * is refused. */
#include "size.h"
#include "world_support.h"

#include "obstacle_fixture.h"
#include "solve/assembly.h"
#include "solve/solver.h"
#include "visviva/contact.h"
#include "world/world.h"

static double uniform_in(double low, double high)
{
    static uint64_t seed = 11;
    return low + (high - low) * vv_random(&seed);
}

static vvWorldDef constraint_def(const char *solver, double h)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = h;
    d.integrator.scheme = "backward-euler";
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.model = "constraint";
    d.contact.self = false;
    d.solver.method = solver;
    d.solver.tolerance = 1e-4;
    d.threads = 1;
    return d;
}

static vvBodyId ball_at(vvWorld *w, const char *model, double radius, int shells, const double *at)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material(model, 2e4);
    memcpy(def.translate, at, sizeof def.translate);
    return add_ball(w, radius, shells, &def);
}

static void add_obstacle_like(vvWorld *w, const vv_obstacle *o)
{
    vvError error = { 0 };
    vvObstacleDef def = vvDefaultObstacleDef();
    def.type = o->ops->type.info.name;
    shape_obstacle(&def, o->values);
    if (o->field) {
        def.samples = o->field->samples;
        memcpy(def.sampleCounts, o->field->counts, sizeof def.sampleCounts);
    }
    assert_ok(vvWorldAddObstacle(w, &def, NULL, &error));
}

static double gap_of(const vvWorld *w, const double *q)
{
    return vv_contact_min_gap(&w->contact->barrier, q, NULL, NULL, NULL);
}

/* A place on an obstacle's surface where nothing is sharp, found from outside. */
static void on_surface(const vv_obstacle *o, double x[3])
{
    double n[3], c[9], out[3], bend = INFINITY;
    while (!(bend < 50)) { /* some millimetres from an edge it is hundreds */
        for (int k = 0; k < 3; k++)
            x[k] = o->values[k] + uniform_in(-1.5, 1.5);
        for (int i = 0; i < 4; i++) {
            const double d = vv_obstacle_distance(o, x, n, NULL);
            for (int k = 0; k < 3; k++)
                x[k] -= d * n[k];
        }
        bend = 0;
        for (int side = 0; side < 6; side++) {
            for (int k = 0; k < 3; k++)
                out[k] = x[k] + 1e-3 * n[k] + (k == side % 3 ? (side < 3 ? 5e-3 : -5e-3) : 0);
            if (vv_obstacle_distance(o, out, NULL, c) > 0)
                for (int k = 0; k < 9; k++)
                    bend = fmax(bend, fabs(c[k]));
        }
    }
}

/* ---- projection ---- */

static void every_obstacle_keeps_nodes_out(void **state)
{
    (void)state;
    for (int row = 0; vv_obstacle_table(row); row++) {
        if (!is_exact(row))
            continue;
        const vv_obstacle o = make_obstacle(row);
        vvError error = { 0 };
        vvWorldDef d = constraint_def("optimizer", 1.0 / 24);
        vvWorld *w = new_world(&d);
        ball_at(w, "fixed-corotated", 0.3, 3, (double[]){ o.values[0], o.values[1], o.values[2] });
        add_obstacle_like(w, &o);
        assert_ok(vvWorldBake(w, &error));
        const size_t bytes = 3 * (size_t)w->nodes * sizeof(double);
        double *q = malloc(bytes), *again = malloc(bytes);
        for (int k = 0; k < 10; k++) {
            for (int i = 0; i < 3 * w->nodes; i++)
                q[i] = o.values[i % 3] + uniform_in(-1, 1);
            assert_true(vv_system_project(&w->system, q));
            assert_less(-1e-12, gap_of(w, q));
            memcpy(again, q, bytes);
            assert_true(vv_system_project(&w->system, again));
            assert_memory_equal(again, q, bytes);
        }
        free(q);
        free(again);
        vvWorldDestroy(w);
    }
}

/* Three planes at unlike angles, one of them steep: every node finds a place, and in the corner it is held by what
 * presses. */
static void corners_hold(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = constraint_def("optimizer", 1.0 / 24);
    vvWorld *w = new_world(&d);
    ball_at(w, "fixed-corotated", 0.3, 2, (double[]){ 0.2, 0.2, 0.2 });
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 1, 0.2, 0 }, 0);
    obstacle(w, "plane", (double[]){ 0, 0, 0, -0.3, -0.5, 1 }, 0);
    assert_ok(vvWorldBake(w, &error));
    double *q = copy_of(w->rest, 3 * w->nodes), *g = calloc(3 * (size_t)w->nodes, sizeof *g);
    for (int i = 0; i < 3 * w->nodes; i++)
        q[i] -= 1;
    assert_true(vv_system_project(&w->system, q));
    assert_less(-1e-12, gap_of(w, q));
    const int vertex = w->contact->vertices.node[w->contact->vertices.start[1]];
    for (int k = 0; k < 3; k++)
        q[3 * vertex + k] = 0;
    for (int i = 0; i < 3 * w->nodes; i++)
        g[i] = i % 3 == 1 ? 2 : 1; /* within the cone of the three normals */
    double before = vv_sum_dot(&w->system, g, g, 3 * w->system.unknowns);
    vv_system_reduce(&w->system, q, g, NULL, true);
    double after = vv_sum_dot(&w->system, g, g, 3 * w->system.unknowns);
    assert_less(after, before);
    assert_true(norm3(g + 3 * w->system.unknown[vertex]) == 0);
    for (int i = 0; i < 3 * w->nodes; i++)
        g[i] = i % 3 == 2 ? -4 : i % 3 == 1 ? -2 : -1; /* and away from all */
    vv_system_reduce(&w->system, q, g, NULL, true);
    assert_near(norm3(g + 3 * w->system.unknown[vertex]), sqrt(21), 1e-12);
    free(q);
    free(g);
    vvWorldDestroy(w);
}

/* ---- derivatives ---- */

typedef struct line {
    vv_objective o;
    double *q, *p, *p_unknown;
} line;

static double along(const line *l, double t)
{
    vv_line at = { .objective = &l->o, .q = l->q, .p = l->p, .p_unknown = l->p_unknown, .value0 = 1e30, .slope0 = -1 };
    return vv_line_value(&at, t);
}

/* Some nodes of a ball are put on the surface, and pressed against it. Along a direction that what is held allows,
 * the first and second derivatives of g(P(q + t p)) are those of the reduced gradient and matrix; and the slope on
 * the way is that of its differences. */
static void derivatives_go_through_the_projection(void **state)
{
    (void)state;
    for (int row = 0; vv_obstacle_table(row); row++) {
        if (!is_exact(row) || vv_obstacle_table(row)->field)
            continue; /* a field of triangles is bent at its edges only */
        const vv_obstacle o = make_obstacle(row);
        vvError error = { 0 };
        vvWorldDef d = constraint_def("optimizer", 1.0 / 24);
        vvWorld *w = new_world(&d);
        ball_at(w, "fixed-corotated", 0.3, 2, (double[]){ o.values[0], o.values[1], o.values[2] + 3 });
        add_obstacle_like(w, &o);
        assert_ok(vvWorldBake(w, &error));
        vv_system *s = &w->system;
        const size_t n = 3 * (size_t)w->nodes;
        double *q = copy_of(w->rest, (int)n), *y = malloc(n * sizeof *y), *g = malloc(n * sizeof *g),
               *p = calloc(n, sizeof *p);
        double *step = calloc(n, sizeof *step), *image = malloc(n * sizeof *image);
        unsigned char *put = calloc((size_t)w->nodes, 1);
        for (int v = 0; v < w->contact->vertices.count; v += 3) {
            const int i = w->contact->vertices.node[w->contact->vertices.start[v]];
            double x[3];
            on_surface(&o, x);
            memcpy(q + 3 * i, x, sizeof x);
        }
        assert_true(vv_system_project(s, q));
        for (int i = 0; i < w->nodes; i++) { /* pressed far more than elasticity may pull */
            double normal[3];
            put[i] = fabs(vv_obstacle_distance(&o, q + 3 * i, normal, NULL)) < 1e-9;
            for (int k = 0; k < 3; k++)
                y[3 * i + k] = q[3 * i + k] - (put[i] ? 100 : 0.1) * normal[k];
        }
        line l = { { .system = s, .h = 1e-3, .y = y, .samples = 1, .sample = { { 1, 1, NULL } } }, q, step, p };
        vv_assembly a = { 0 };
        assert_ok(vv_assembly_create(&a, s, VV_SELECT_ALL, &error));
        vv_objective_derivatives(&l.o, q, VV_HESSIAN_EXACT, g, &a);
        vv_system_reduce(s, q, g, &a.matrix, true);
        for (int u = 0; u < s->unknowns; u++)
            for (int k = 0; k < 3; k++)
                p[3 * u + k] = put[s->node[u]] || u % 2 ? uniform_in(-1, 1) : 0;
        const vv_numbering as = { s->unknown, s->node };
        s->feasible->ops->reduce(s->feasible, &as, p, NULL, true);
        for (int u = 0; u < s->unknowns; u++) /* what hangs free stays well away */
            for (int k = 0; k < 3; k++)
                step[3 * s->node[u] + k] = p[3 * u + k] *= put[s->node[u]] ? 1 : 1e-3;
        vv_bsr_multiply(&a.matrix, &s->par, p, image);
        const double slope = vv_sum_dot(s, g, p, 3 * s->unknowns), bend = vv_sum_dot(s, image, p, 3 * s->unknowns);
        const double e = 1e-4, left = along(&l, -e), here = along(&l, 0), right = along(&l, e);
        const double size = fabs(slope) + 1e-3 * fabs(bend);
        assert_near((right - left) / (2 * e), slope, 1e-4 * size + 1e-6 * fabs(bend));
        assert_near((right - 2 * here + left) / (e * e), bend, 2e-3 * fabs(bend));
        vv_line at = { .objective = &l.o, .q = q, .p = step, .p_unknown = p, .value0 = 1e30, .slope0 = -1 };
        for (double t = 5e-3; t < 0.03; t += 1e-2) {
            const double want = (along(&l, t + 1e-6) - along(&l, t - 1e-6)) / 2e-6;
            assert_near(vv_line_slope(&at, t), want, 1e-4 * (fabs(want) + size));
        }
        vv_assembly_free(&a);
        free(q), free(y), free(g), free(p), free(step), free(image), free(put);
        vvWorldDestroy(w);
    }
}

/* ---- worlds ---- */

static double force_on(vvWorld *w, double up[3])
{
    vvError error = { 0 };
    const vvContactPoint *points;
    int count;
    double sum = 0;
    up[0] = up[1] = up[2] = 0;
    assert_ok(vvWorldContactPoints(w, &points, &count, &error));
    for (int i = 0; i < count; i++) {
        assert_true(points[i].force >= 0);
        sum += points[i].force;
        for (int k = 0; k < 3; k++)
            up[k] += points[i].force * points[i].normal[k];
    }
    return sum;
}

/* A ball at 3 m/s: it stays outside at every step, to the last bit or nearly so, and lies in the end with its weight
 * on the ground. */
static void what_falls_stays_outside(void **state)
{
    (void)state;
    static const char *const cases[][3] = { { "optimizer", "fixed-corotated", "backward-euler" },
                                            { "newton", "fixed-corotated", "backward-euler" },
                                            { "newton", "neo-hookean", "backward-euler" },
                                            { "optimizer", "fixed-corotated", "bdf2" } };
    for (int c = 0; c < 4; c++) {
        vvWorldDef d = constraint_def(cases[c][0], 1.0 / 24);
        d.integrator.scheme = cases[c][2];
        vvWorld *w = new_world(&d);
        vvBodyId ball = ball_at(w, cases[c][1], 0.1, 2, (double[]){ 0, 0.3, 0 });
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
        obstacle(w, "sphere", (double[]){ 0.15, 0, 0, 0.1 }, 0);
        obstacle(w, "plane", (double[]){ -0.12, 0, 0, 1, 0, 0 }, 0);
        set_state(w, ball, "linear", (double[]){ 0, -3, 0 });
        double least = INFINITY, up[3], mass = 0;
        for (int i = 0; i < (c == 3 ? 300 : c == 0 ? 120 : 60); i++)
            least = fmin(least, step(w).minGap);
        for (int i = 0; i < w->nodes; i++)
            mass += vvWorldMasses(w)[i];
        force_on(w, up);
        print_message("%s, %s, %s: smallest gap %.2g m; weight %.4f N, carried %.4f N\n", cases[c][0], cases[c][1],
                      cases[c][2], least, 9.8 * mass, up[1]);
        assert_less(-1e-12, least);
        assert_near(up[1], 9.8 * mass, 0.05 * 9.8 * mass);
        vvWorldDestroy(w);
    }
}

/* On a slope of 0.3: held by friction of 0.4, and at 0.15 as fast as Coulomb says. */
static void friction_is_that_of_coulomb(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        const double mu = rough ? 0.4 : 0.15, h = 1.0 / 60;
        vvWorldDef d = constraint_def("newton", h);
        const double cosine = 1 / sqrt(1.09), sine = 0.3 * cosine;
        d.gravity[0] = 9.8 * sine, d.gravity[1] = -9.8 * cosine;
        d.contact.friction = mu;
        d.solver.tolerance = 1e-6;
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("fixed-corotated", 2e5);
        def.translate[1] = 0.05;
        add_box_def(w, (double[]){ 0.3, 0.1, 0.2 }, (int[]){ 3, 1, 2 }, 5, &def);
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
        double p = 0, mass = 0;
        vvLedgerTotals totals;
        steps(w, 30);
        for (int i = 0; i < w->nodes; i++)
            p += vvWorldMasses(w)[i] * vvWorldVelocities(w)[3 * i], mass += vvWorldMasses(w)[i];
        vvWorldTotals(w, &totals);
        const double want = rough ? 0 : 9.8 * (sine - mu * cosine) * 30 * h;
        print_message("a slope of 0.3, friction %.2f: %.4f m/s after half a second, by Coulomb %.4f m/s; lost %.4g J\n",
                      mu, p / mass, want, totals.friction);
        if (rough) /* what gravity does in one step, before friction acts */
            assert_less(p / mass, 9.8 * sine * h);
        else
            assert_near(p / mass, want, 0.03 * want);
        assert_less(0, totals.friction);
        assert_less(ledger(w).error, 1e-6 + 1e-3 * ledger(w).scale); /* backward Euler loses, it gains nothing */
        vvWorldDestroy(w);
    }
}

/* A plate lifts a block at a steady speed: what it does is the block's energy. */
static void what_moves_lifts(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = constraint_def("optimizer", 1.0 / 60);
    d.solver.tolerance = 1e-6;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("fixed-corotated", 2e5);
    def.translate[1] = 0.05;
    add_box_def(w, (double[]){ 0.3, 0.1, 0.2 }, (int[]){ 3, 1, 2 }, 5, &def);
    vvObstacleDef o = vvDefaultObstacleDef();
    o.type = "box";
    shape_obstacle(&o, (double[]){ 0, -0.05, 0, 1, 0.1, 1, 0, 0, 0 });
    o.motion = vvDefaultMotionDef();
    o.moves = true;
    o.motion.linearVelocity[1] = 0.5;
    assert_ok(vvWorldAddObstacle(w, &o, NULL, &error));
    double least = INFINITY, mass = 0, up[3];
    for (int i = 0; i < 60; i++)
        least = fmin(least, step(w).minGap);
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    for (int i = 0; i < w->nodes; i++)
        mass += w->system.unknown[i] >= 0 ? vvWorldMasses(w)[i] : 0;
    const double gained = ledger(w).total - totals.first.total, lifted = mass * 9.8 * 0.5;
    force_on(w, up);
    print_message("lifted by 0.5 m: %.4f J of height, %.4f J gained, work %.4f J, error %.4f J; smallest gap %.2g m\n",
                  lifted, gained, totals.work, totals.error, least);
    assert_less(-1e-12, least);
    assert_near(gained, lifted, 0.05 * lifted);
    assert_less(gained - 1e-6, totals.work);
    assert_near(totals.work, gained, 0.05 * lifted);
    assert_near(up[1], 9.8 * mass, 0.05 * 9.8 * mass);
    vvWorldDestroy(w);
}

/* For any number of threads, of which there is work for several: obstacles that stand and move, flat, round, with
 * edges and of a grid. */
static void bits_are_the_same(void **state)
{
    (void)state;
    double *reference = NULL, *heights = calloc(9 * 9, sizeof *heights);
    for (int i = 0; i < 81; i++)
        heights[i] = -0.01 + 0.005 * sin(i);
    for (int threads = 1; threads <= 3; threads++) {
        vvWorldDef d = constraint_def("optimizer", 1.0 / 24);
        d.threads = threads;
        d.contact.friction = 0.3;
        vvWorld *w = new_world(&d);
        vvError error = { 0 };
        vvSnapshot *s;
        ball_at(w, "fixed-corotated", 0.1, sized(8, 8, 12), (double[]){ 0, 0.11, 0 });
        obstacle(w, "plane", (double[]){ 0, -0.008, 0, 0, 1, 0 }, -1);
        obstacle(w, "sphere", (double[]){ 0.15, 0, 0, 0.1 }, -1);
        vvObstacleDef field = vvDefaultObstacleDef(), box = vvDefaultObstacleDef();
        field.type = "heightfield", shape_obstacle(&field, (double[]){ 0, 0, 0, 0.8, 0.8, 0, 0, 0, 1, 1 });
        field.samples = heights, field.sampleCounts[0] = field.sampleCounts[1] = 9;
        assert_ok(vvWorldAddObstacle(w, &field, NULL, &error));
        box.type = "box", shape_obstacle(&box, (double[]){ -0.16, 0.1, 0, 0.1, 0.1, 0.1, 0, 20, 0 });
        box.moves = true, box.motion.linearVelocity[0] = 0.3, box.motion.angularVelocity = 60;
        assert_ok(vvWorldAddObstacle(w, &box, NULL, &error));
        steps(w, 2);
        const int pairs = w->contact->vertices.count * 4;
        assert_less(30000, 15.0 * pairs); /* nanoseconds: work for several threads */
        assert_ok(vvWorldSnapshot(w, &s, &error));
        steps(w, 2);
        double *first = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
        assert_ok(vvWorldRestore(w, s, &error));
        vvSnapshotDestroy(s);
        steps(w, 2);
        assert_memory_equal(first, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *first);
        if (reference)
            assert_memory_equal(first, reference, 3 * (size_t)vvWorldNodeCount(w) * sizeof *first);
        else
            reference = copy_of(first, 3 * vvWorldNodeCount(w));
        free(first);
        vvWorldDestroy(w);
    }
    free(reference), free(heights);
}

/* ---- what is refused ---- */

static void refused(const vvWorldDef *d, const char *type, const char *words)
{
    vvError error = { 0 };
    vvWorld *w = new_world(d);
    ball_at(w, "fixed-corotated", 0.1, 1, (double[]){ 0, 2, 0 });
    if (strcmp(type, "plane") == 0)
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
    else
        obstacle(w, type, NULL, -1);
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED);
    if (!strstr(error.message, words))
        fail_msg("'%s' is not in: %s", words, error.message);
    vvWorldDestroy(w);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    vvWorldDef d = constraint_def("lbfgs", 1.0 / 24);
    refused(&d, "plane", "as \"newton\" or \"optimizer\"");
    d.solver.method = "newton", d.solver.fallback = "xpbd";
    refused(&d, "plane", "solver.fallback \"xpbd\"");
    d.solver.fallback = "none";
    refused(&d, "level-set", "contact model \"constraint\" needs obstacles whose distances are exact");
    d.integrator.scheme = "implicit-midpoint";
    refused(&d, "plane", "scheme \"implicit-midpoint\"");
    d.integrator.scheme = "backward-euler", d.integrator.policy = "search";
    refused(&d, "plane", "policy \"search\"");
    d.integrator.policy = "none";
    vvError error = { 0 };
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("affine", 1e8);
    def.translate[1] = 2;
    add_ball(w, 0.1, 1, &def);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "a node of its own"));
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_obstacle_keeps_nodes_out),
        cmocka_unit_test(corners_hold),
        cmocka_unit_test(derivatives_go_through_the_projection),
        cmocka_unit_test(what_falls_stays_outside),
        cmocka_unit_test(friction_is_that_of_coulomb),
        cmocka_unit_test(what_moves_lifts),
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
