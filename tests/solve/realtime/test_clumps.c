/* Affine bodies in block descent: what energies say of a body's four nodes together against their own derivatives and
 * values, and how such bodies move. They fall, spin, bounce, slide and hang as newton has them, if there are iterations
 * enough, and nothing intersects however few there are. */
#include "energy_fixture.h"
#include "joint_support.h"
#include "size.h"

#include "contact/pairs/collisions.h"
#include "solve/realtime/node_colours.h"
#include "world/world.h"

#include "visviva/contact.h"
#include "visviva/interact.h"
#include "visviva/query.h"
#include "visviva/settings.h"

static vvBodyId add_brick(vvWorld *w, const double *size, double x, double y, double z)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = vvDefaultMaterialOf("affine");
    def.material.density = 500;
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    return add_box_def(w, size, (int[]){ 1, 1, 1 }, 6, &def);
}

static vvBodyId add_soft(vvWorld *w, double size, double young, double x, double y, double z)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stable-neo-hookean", young);
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    return add_box_def(w, (double[]){ size, size, size }, (int[]){ 2, 2, 2 }, 5, &def);
}

static vvWorldDef contact_def(const char *method, int budget, double tolerance)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 60;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.distance = 2e-3, d.contact.friction = 0.3, d.contact.stiffness = 1e5;
    d.contact.checkIntersections = true;
    d.solver.method = method, d.solver.budget = budget, d.solver.tolerance = tolerance;
    d.solver.maxIterations = 1000;
    d.solver.linear = exact_solver();
    d.threads = 1;
    return d;
}

/* ---- energies ---- */

/* Two bricks that touch each other and the ground, joined, one held by a hand; a soft cube on them. */
static vvWorld *everything(vvDragId *drag)
{
    vvError error = { 0 };
    vvWorldDef d = contact_def("newton", 0, 1e-6);
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
    const double size[3] = { 0.2, 0.1, 0.15 };
    const vvBodyId a = add_brick(w, size, 0, 0.051, 0), b = add_brick(w, size, 0.201, 0.0512, 0.01);
    add_soft(w, 0.1, 1e5, 0.1, 0.1523, 0);
    vvJointDef joint = joint_def("ball", a, b, 0.1, 0.05, 0);
    add_joint(w, &joint);
    vvRay ray = vvDefaultRay();
    vvRayHit hit;
    bool found;
    ray.origin[0] = -0.053, ray.origin[1] = 1, ray.origin[2] = 0.004, ray.direction[1] = -1;
    assert_ok(vvWorldCastRay(w, &ray, &hit, &found, &error));
    assert_true(found);
    vvDragDef hand = vvDragAtHit(&hit);
    hand.kind = VV_DRAG_SPRING;
    hand.stiffness = 400;
    assert_ok(vvWorldStartDrag(w, &hand, drag, &error));
    assert_ok(vvWorldBake(w, &error));
    return w;
}

typedef struct asked {
    vv_node_colours colours;
    void *data;
    double *blocks, *values, *cross, *four;
} asked;

static void begin(vvWorld *w, vv_energy *e, asked *a)
{
    *a = (asked){ .data = NULL };
    assert_int_equal(vv_node_colours_create(&a->colours, &w->system, NULL), VV_OK);
    if (e->ops->nodes->prepare)
        assert_int_equal(e->ops->nodes->prepare(e, &a->colours.order, &a->data, NULL), VV_OK);
    a->blocks = vv_alloc((size_t)a->colours.order.groups * 72, sizeof(double));
    a->cross = vv_alloc((size_t)a->colours.order.groups * 2 * VV_CLUMP_CROSS, sizeof(double));
    a->values = vv_alloc((size_t)a->colours.order.groups * 8, sizeof(double));
    a->four = vv_alloc(4 * (size_t)w->system.nodes, sizeof(double));
}

static void end(asked *a)
{
    vv_free(a->blocks), vv_free(a->values), vv_free(a->cross), vv_free(a->four), vv_free(a->data);
    vv_node_colours_free(&a->colours);
}

/* Of all clumps, with nodes at y. */
static void ask(const vvWorld *w, vv_energy *e, asked *a, const double *y)
{
    const int single = a->colours.order.single, groups = a->colours.order.groups;
    for (int i = 0; i < 4 * w->system.nodes; i++)
        a->four[i] = i % 4 < 3 ? y[3 * (i / 4) + i % 4] : 0;
    memset(a->blocks, 0, (size_t)groups * 72 * sizeof(double));
    memset(a->cross, 0, (size_t)groups * 2 * VV_CLUMP_CROSS * sizeof(double));
    memset(a->values, 0, (size_t)groups * 8 * sizeof(double));
    vv_node_batch b = { .begin = single,
                        .end = groups,
                        .view = 1,
                        .node = a->colours.order.node,
                        .x = a->four,
                        .gradient = 1,
                        .hessian = 1,
                        .value = 1,
                        .blocks = a->blocks + 72 * single,
                        .values = a->values + 8 * single,
                        .cross = a->cross + 2 * VV_CLUMP_CROSS * single };
    e->ops->nodes->blocks(e, a->data, &b);
    e->ops->nodes->values(e, a->data, &b);
}

static double value_of(const asked *a, int place)
{
    double sum = 0;
    for (int l = 0; l < 4; l++)
        sum += a->values[place + l];
    return sum;
}

/* d . H d of the clump at a place; d: 4 x 3. */
static double along(const asked *a, int place, const double *d)
{
    static const int at[9] = { 3, 8, 7, 8, 4, 6, 7, 6, 5 };
    const double *cross = a->cross + VV_CLUMP_CROSS * (place / 4);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 9; k++)
            sum += d[3 * i + k / 3] * d[3 * i + k % 3] * a->blocks[8 * (9 * (place / 8) + at[k]) + place % 8 + i];
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++, cross += 9)
            for (int k = 0; k < 9; k++)
                sum += 2 * d[3 * i + k / 3] * d[3 * j + k % 3] * cross[k];
    return sum;
}

/* One clump's move: the gradient is the energy's; values change as the energy does, or of a model by no less; and no
 * direction has more curvature than is said, of an exact one nearly as much. */
static void check_clump(vvWorld *w, vv_energy *e, asked *a, const double *x, int place, bool model, rng *r)
{
    const size_t n = 3 * (size_t)w->system.nodes;
    const int *node = a->colours.order.node + place;
    double *y = copy_of(x, (int)n), *g = calloc(n, sizeof *g), d[12], most = 0, e0, up, down;
    const double step = 1e-6;
    vv_energy_update(e, &w->system.par, x);
    e0 = e->ops->value(e, &w->system.par, x, NULL);
    e->ops->derivatives(e, &w->system.par, x, 1, VV_HESSIAN_EXACT, g, NULL);
    ask(w, e, a, x);
    const double before = value_of(a, place);
    for (int i = 0; i < 12; i++)
        most = fmax(most, fabs(g[3 * (size_t)node[i / 3] + (size_t)i % 3]));
    for (int i = 0; i < 12; i++) {
        const size_t to = 3 * (size_t)node[i / 3] + (size_t)i % 3;
        assert_near(a->blocks[8 * (9 * (place / 8) + i % 3) + place % 8 + i / 3], g[to], 1e-9 * most + 1e-14);
        d[i] = rng_next(r);
        y[to] = x[to] + step * d[i];
    }
    const double curvature = along(a, place, d);
    vv_energy_update(e, &w->system.par, y);
    up = e->ops->value(e, &w->system.par, y, NULL) - e0;
    ask(w, e, a, y);
    const double change = value_of(a, place) - before, noise = 1e-13 * (fabs(e0) + fabs(before)) + 1e-13 * most;
    if (model)
        assert_true(change >= up - noise - 1e-6 * fabs(up));
    else
        assert_near(change, up, noise + 1e-9 * fabs(up));
    for (int i = 0; i < 12; i++)
        y[3 * (size_t)node[i / 3] + (size_t)i % 3] = x[3 * (size_t)node[i / 3] + (size_t)i % 3] - step * d[i];
    vv_energy_update(e, &w->system.par, y);
    down = e->ops->value(e, &w->system.par, y, NULL) - e0;
    const double second = (up + down) / (step * step), fine = 4 * noise / (step * step) + 1e-3 * fabs(second);
    if (!(curvature >= second - fine) || (!model && fine < 0.1 * second && !(curvature <= 4 * second + fine)))
        fail_msg("%s: curvature %g, of the energy %g (within %g)", e->ops->info.name, curvature, second, fine);
    free(y), free(g);
}

static void clumps_have_their_energies_derivatives(void **state)
{
    (void)state;
    vvDragId drag;
    vvWorld *w = everything(&drag);
    rng r = { 4 };
    const size_t n = 3 * (size_t)w->system.nodes;
    assert_int_equal(w->system.clumps, 2);
    for (int i = 0; i < w->system.energies; i++) {
        vv_energy *e = w->system.energy[i];
        asked a;
        begin(w, e, &a);
        assert_true(a.colours.order.groups > a.colours.order.single);
        for (int trial = 0; trial < 6; trial++) {
            double *x = copy_of(w->state.q, (int)n);
            for (size_t k = 0; k < n; k++)
                x[k] += 2e-5 * rng_next(&r);
            vv_energy_update(e, &w->system.par, x);
            const bool model = e->ops->nodes->gather != NULL;
            if (model)
                assert_true(e->ops->nodes->gather(e, a.data, &w->system.par, x, 1));
            for (int k = 0; k < 2; k++)
                check_clump(w, e, &a, x, a.colours.order.place[w->system.node[w->system.clump[k]]] / 4 * 4, model, &r);
            free(x);
        }
        end(&a);
    }
    vvWorldDestroy(w);
}

/* The two are joined, and have two colours; alone they would share a group. */
static void joined_bodies_have_different_colours(void **state)
{
    (void)state;
    vvDragId drag;
    vvWorld *w = everything(&drag);
    vv_node_colours c;
    assert_int_equal(vv_node_colours_create(&c, &w->system, NULL), VV_OK);
    assert_int_equal(c.colours - c.single, 2);
    assert_int_equal(c.order.groups - c.order.single, 2);
    for (int i = 0; i < w->system.nodes; i++)
        assert_true(c.order.place[i] >= 0 && c.order.node[c.order.place[i]] == i);
    vv_node_colours_free(&c);
    vvWorldDestroy(w);
}

/* ---- motion ---- */

enum { BOUNCE, SOFT, JOINED, MOTIONS };

static vvWorld *scene(int which, const char *method, int budget, int threads)
{
    vvWorldDef d = contact_def(method, budget, 1e-8);
    d.threads = threads;
    d.solver.linearTolerance = 1e-10;
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
    const double size[3] = { 0.2, 0.1, 0.15 };
    const vvBodyId a = add_brick(w, size, 0, 0.16, 0);
    set_state(w, a, "linear", (double[]){ 0.5, -1, 0 });
    if (which == BOUNCE)
        set_state(w, a, "angular", (double[]){ 2, 3, 8, NAN, NAN, NAN });
    if (which == SOFT)
        add_soft(w, 0.1, 1e5, 0.02, 0.053, 0.01);
    if (which == JOINED) {
        const vvBodyId b = add_brick(w, size, 0.205, 0.18, 0);
        vvJointDef joint = joint_def("ball", a, b, 0.1025, 0.17, 0);
        add_joint(w, &joint);
    }
    return w;
}

/* From each state of newton's run, one step with block descent: it ends where newton's does. */
static void steps_end_where_newtons_do(void **state)
{
    (void)state;
    static const char *const names[] = { "bounce", "on a soft cube", "joined" };
    for (int which = 0; which < MOTIONS; which++) {
        vvError error = { 0 };
        vvWorld *w = scene(which, "newton", 0, 1);
        const int n = 3 * vvWorldNodeCount(w);
        double worst = 0;
        int touched = 0;
        for (int i = 0; i < sized(12, 20, 60); i++) {
            vvSnapshot *before;
            vvSolverDef other = contact_def("block-descent", 20000, 1e-8).solver;
            assert_ok(vvWorldSnapshot(w, &before, &error));
            assert_ok(vvWorldSetSolver(w, &other, &error));
            steps(w, 1);
            double *end = copy_of(vvWorldPositions(w), n);
            assert_ok(vvWorldRestore(w, before, &error));
            vvSnapshotDestroy(before);
            touched += steps(w, 1).contact > 0;
            for (int k = 0; k < n; k++)
                worst = fmax(worst, fabs(vvWorldPositions(w)[k] - end[k]));
            free(end);
        }
        if (worst > 1e-6 || !touched)
            fail_msg("%s: %g m apart, %d steps in contact", names[which], worst, touched);
        vvWorldDestroy(w);
    }
}

/* ---- budgets ---- */

/* Bricks, one of which spins, a soft cube among them, onto the ground. */
static vvWorld *heap(int budget, int threads, double speed)
{
    vvWorldDef d = contact_def("block-descent", budget, 1e-3);
    d.threads = threads;
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
    const double size[3] = { 0.2, 0.1, 0.15 };
    for (int i = 0; i < 4; i++) {
        const vvBodyId id = add_brick(w, size, 0.03 * i, 0.22 + 0.2 * i, 0.02 * (i % 2));
        set_state(w, id, "angular", (double[]){ 2, i, 8, NAN, NAN, NAN });
        set_state(w, id, "linear", (double[]){ 0.1 * i, -speed, 0 });
    }
    add_soft(w, 0.1, 1e5, 0.02, 0.053, 0.01);
    return w;
}

static void no_budget_lets_them_intersect(void **state)
{
    (void)state;
    static const int budgets[] = { 1, 2, 5, 20 };
    for (size_t b = 0; b < 4; b++)
        for (int fast = 0; fast < 2; fast++) {
            vvError error = { 0 };
            int found = -1;
            vvWorld *w = heap(budgets[b], 1, fast ? 100 : 1);
            for (int i = 0; i < sized(20, 30, 120); i++) {
                const vvLedgerRow row = steps(w, 1); /* fails where something intersects */
                assert_true(isfinite(row.total) && row.minGap > 0);
            }
            assert_ok(vvWorldFindIntersections(w, NULL, 0, &found, &error));
            assert_int_equal(found, 0);
            vvWorldDestroy(w);
        }
}

/* A spinning brick in free flight: ten sweeps are newton's step, and the shape stays. */
static void few_sweeps_turn_a_body(void **state)
{
    (void)state;
    double *ends[2];
    for (int m = 0; m < 2; m++) {
        vvWorldDef d = free_def("implicit-midpoint", 1.0 / 240, 1e-9);
        d.solver.method = m ? "block-descent" : "newton";
        d.solver.budget = 10;
        vvWorld *w = new_world(&d);
        const vvBodyId body = add_brick(w, (double[]){ 0.3, 0.1, 0.2 }, 0, 0, 0);
        set_state(w, body, "angular", (double[]){ 3, 20, 5, NAN, NAN, NAN });
        steps(w, 40);
        ends[m] = copy_of(vvWorldPositions(w), 12);
        vvWorldDestroy(w);
    }
    for (int k = 0; k < 12; k++)
        assert_near(ends[0][k], ends[1][k], 1e-8);
    free(ends[0]), free(ends[1]);
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    double *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
        vvWorld *w = heap(5, threads, 1);
        steps(w, sized(12, 16, 60));
        const int n = 3 * vvWorldNodeCount(w);
        if (!first)
            first = copy_of(vvWorldPositions(w), n);
        else
            assert_memory_equal(first, vvWorldPositions(w), (size_t)n * sizeof *first);
        vvWorldDestroy(w);
    }
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clumps_have_their_energies_derivatives),
        cmocka_unit_test(joined_bodies_have_different_colours),
        cmocka_unit_test(steps_end_where_newtons_do),
        cmocka_unit_test(no_budget_lets_them_intersect),
        cmocka_unit_test(few_sweeps_turn_a_body),
        cmocka_unit_test(same_bits_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
