/* Contact between surfaces, one node at a time: the models that block descent sweeps over against the energies that
 * they stand for, and the solvers with a budget: nothing intersects and the objective never rises, however small it
 * is. */
#include "energy_fixture.h"
#include "short_memory.h"
#include "size.h"
#include "world_support.h"

#include "contact/pairs/collisions.h"
#include "contact/contact.h"
#include "contact/pairs/potential.h"
#include "solve/realtime/node_colours.h"
#include "step/inside.h"
#include "world/world.h"

#include "visviva/contact.h"
#include "visviva/settings.h"

/* A soft box, and a ball that sits just above it. speed: the ball's, m/s downwards. */
static vvWorld *stack(const char *method, int iterations, double speed, int threads, vvAllocator allocator)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 60;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.distance = 4e-3, d.contact.friction = 0.4, d.contact.checkIntersections = true;
    d.solver.method = method, d.solver.budget = iterations;
    d.threads = threads;
    d.host.allocator = allocator;
    vvWorld *w = new_world(&d);
    vvBodyDef box = vvDefaultBodyDef(), ball = vvDefaultBodyDef();
    box.material = ball.material = material("stable-neo-hookean", 1e5);
    box.translate[1] = 0.053;
    ball.translate[0] = 0.011, ball.translate[1] = 0.1652, ball.translate[2] = 0.004;
    add_box_def(w, (double[]){ 0.2, 0.1, 0.2 }, (int[]){ 3, 1, 3 }, 5, &box);
    vvBodyId id = add_ball(w, 0.06, 3, &ball);
    set_state(w, id, "linear", (double[]){ 0.7, -speed, 0.1 });
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
    return w;
}

/* The energy of the list that is gathered. */
static vv_energy *gathered_of(vv_energy *const *list, int count)
{
    for (int i = 0; i < count; i++)
        if (list[i]->ops->nodes->gather)
            return list[i];
    fail_msg("nothing is gathered");
    return NULL;
}

/* Derivatives of all nodes, and values where they are at y; view 1 is asked of an energy, of which each has its own
 * model. */
typedef struct asked {
    vv_node_colours colours;
    void *data;
    double *blocks, *values, *four;
} asked;

static void ask(const vvWorld *w, vv_energy *e, asked *a, const double *y, int view)
{
    const int n = w->system.nodes;
    for (int i = 0; i < 4 * n; i++)
        a->four[i] = i % 4 < 3 ? y[3 * (i / 4) + i % 4] : 0;
    memset(a->blocks, 0, (size_t)a->colours.order.groups * 72 * sizeof(double));
    memset(a->values, 0, (size_t)a->colours.order.groups * 8 * sizeof(double));
    vv_node_batch b = { .end = a->colours.order.groups,
                        .view = view,
                        .node = a->colours.order.node,
                        .x = a->four,
                        .gradient = 1,
                        .hessian = 1,
                        .value = 1,
                        .blocks = a->blocks,
                        .values = a->values };
    e->ops->nodes->blocks(e, a->data, &b);
    e->ops->nodes->values(e, a->data, &b);
}

static double sum_of_values(const vvWorld *w, const asked *a)
{
    double sum = 0;
    for (int u = 0; u < w->system.unknowns; u++)
        sum += a->values[a->colours.order.place[w->system.node[u]]];
    return sum;
}

static void begin(vvWorld *w, vv_energy *e, asked *a)
{
    assert_int_equal(vv_node_colours_create(&a->colours, &w->system, NULL), VV_OK);
    assert_int_equal(e->ops->nodes->prepare(e, &a->colours.order, &a->data, NULL), VV_OK);
    a->blocks = vv_alloc((size_t)a->colours.order.groups * 72, sizeof(double));
    a->values = vv_alloc((size_t)a->colours.order.groups * 8, sizeof(double));
    a->four = vv_alloc(4 * (size_t)w->system.nodes, sizeof(double));
}

static void end(asked *a)
{
    vv_free(a->blocks), vv_free(a->values), vv_free(a->four), vv_free(a->data);
    vv_node_colours_free(&a->colours);
}

/* The model's gradient where it was made is the energy's. */
static void check_gradient(const vvWorld *w, vv_energy *e, const asked *a, const double *x)
{
    double *g = calloc(3 * (size_t)w->system.nodes, sizeof *g), most = 0;
    e->ops->derivatives(e, &w->system.par, x, 1, VV_HESSIAN_EXACT, g, NULL);
    for (int i = 0; i < 3 * w->system.nodes; i++)
        most = fmax(most, fabs(g[i]));
    assert_true(most > 0);
    for (int u = 0; u < w->system.unknowns; u++) {
        const int node = w->system.node[u], place = a->colours.order.place[node];
        for (int k = 0; k < 3; k++)
            assert_near(a->blocks[8 * (9 * (place / 8) + k) + place % 8], g[3 * node + k], 1e-12 * most);
    }
    free(g);
}

/* The sum of squares of all pairs along dx, which no bound may be below. */
static double squares_along(const vvWorld *w, const double *dx)
{
    vv_collisions *c = w->contact->collisions;
    const vv_vertices *vs = c->def.surface->vertices;
    double sum = 0;
    for (size_t i = 0; i < c->count; i++) {
        vv_pair_state state;
        double g[12], squares[9][12];
        vv_pair_state_at(c, c->pairs + i, &state);
        const int count = vv_pair_squares(&state, g, squares);
        for (int k = 0; k < count; k++) {
            double along = 0;
            for (int p = 0; p < vv_stencil_points(c->pairs[i].kind); p++) {
                double d[3];
                vv_vertex_position(vs, c->pairs[i].vertex[p], dx, d);
                for (int m = 0; m < 3; m++)
                    along += squares[k][3 * p + m] * d[m];
            }
            sum += along * along;
        }
    }
    return sum;
}

static void barrier_model_bounds_the_squares(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = stack("newton", 0, 0, 1, (vvAllocator){ 0 });
    assert_ok(vvWorldBake(w, &error));
    const size_t n = 3 * (size_t)w->system.nodes;
    vv_energy *e = gathered_of(w->system.energy, w->system.energies);
    double *x = w->state.q, *y = malloc(n * sizeof *y), *dx = malloc(n * sizeof *dx), *g = calloc(n, sizeof *g);
    asked a = { .data = NULL };
    rng r = { 3 };
    begin(w, e, &a);
    assert_true(e->ops->nodes->gather(e, a.data, &w->system.par, x, 1));
    ask(w, e, &a, x, 1);
    check_gradient(w, e, &a, x);
    assert_near(sum_of_values(w, &a), 0, 0);
    e->ops->derivatives(e, &w->system.par, x, 1, VV_HESSIAN_EXACT, g, NULL);
    double least = INFINITY, most = 0;
    for (int trial = 0; trial < 200; trial++) {
        double slope = 0, squares;
        for (size_t i = 0; i < n; i++) { /* of all nodes, of one body, of single ones */
            const bool goes = trial % 3 == 0 || (trial % 3 == 1 ? i < n / 3 : (int)(i / 3) % 40 == trial % 40);
            dx[i] = goes ? 1e-3 * rng_next(&r) : 0;
            y[i] = x[i] + dx[i];
            slope += g[i] * dx[i];
        }
        ask(w, e, &a, y, 1);
        squares = squares_along(w, dx);
        const double above = 2 * (sum_of_values(w, &a) - slope);
        assert_true(above >= squares * (1 - 1e-9) - 1e-15);
        if (squares > 1e-12)
            least = fmin(least, above / squares), most = fmax(most, above / squares);
    }
    assert_true(least >= 1 && least < 4); /* and it is no wild guess */
    assert_true(most > 1);
    end(&a);
    free(y), free(dx), free(g);
    vvWorldDestroy(w);
}

static void friction_model_bounds_it_everywhere(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = stack("newton", 0, 0, 1, (vvAllocator){ 0 });
    assert_ok(vvWorldBake(w, &error));
    const size_t n = 3 * (size_t)w->system.nodes;
    vv_energy *e = gathered_of(w->system.dissipation, w->system.dissipations);
    double *v = malloc(n * sizeof *v), *y = malloc(n * sizeof *y);
    asked a = { .data = NULL };
    rng r = { 9 };
    begin(w, e, &a);
    e->ops->lag(e, &w->system.par, w->state.q, w->state.v, w->def.timeStep);
    for (int trial = 0; trial < 60; trial++) {
        const double slow = trial % 2 ? 1 : 1e-3; /* smoothed, and sliding */
        for (size_t i = 0; i < n; i++)
            v[i] = slow * rng_next(&r);
        assert_true(e->ops->nodes->gather(e, a.data, &w->system.par, v, 2));
        ask(w, e, &a, v, 2);
        check_gradient(w, e, &a, v);
        const double before = e->ops->value(e, &w->system.par, v, NULL);
        for (int k = 0; k < 5; k++) {
            for (size_t i = 0; i < n; i++)
                y[i] = v[i] + (k % 2 ? slow : 0.1) * rng_next(&r);
            ask(w, e, &a, y, 2);
            const double change = e->ops->value(e, &w->system.par, y, NULL) - before;
            assert_true(sum_of_values(w, &a) >= change - 1e-12 * (fabs(change) + before));
        }
    }
    end(&a);
    free(v), free(y);
    vvWorldDestroy(w);
}

/* ---- solvers ---- */

static const char *const solvers[] = { "block-descent", "lbfgs" };
static const int budgets[] = { 1, 2, 5, 20 };

static void never_intersects(vvWorld *w, int count)
{
    vvError error = { 0 };
    int found = -1;
    for (int i = 0; i < count; i++) {
        const vvLedgerRow row = steps(w, 1); /* fails where something intersects */
        assert_true(isfinite(row.total) && row.minGap > 0);
    }
    assert_ok(vvWorldFindIntersections(w, NULL, 0, &found, &error));
    assert_int_equal(found, 0);
}

static void bodies_never_intersect(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2; s++)
        for (size_t b = 0; b < 4; b++)
            for (int fast = 0; fast < 2; fast++) {
                vvWorld *w = stack(solvers[s], budgets[b], fast ? 1000 : 2, 1, (vvAllocator){ 0 });
                never_intersects(w, sized(6, 6, 60));
                vvWorldDestroy(w);
            }
}

/* Two plates squash a ball to a fifth of its height, in steps longer than the gaps. */
static void moving_obstacles_are_carried(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2; s++)
        for (size_t b = 0; b < 4; b++) {
            vvWorldDef d = vvDefaultWorldDef();
            vvBodyDef ball = vvDefaultBodyDef(), plate = vvDefaultBodyDef();
            d.timeStep = 1.0 / 60;
            d.integrator.groundMode = VV_GROUND_NONE;
            d.contact.distance = 2e-3, d.contact.friction = 0.1, d.contact.checkIntersections = true;
            d.solver.method = solvers[s], d.solver.budget = budgets[b];
            d.threads = 1;
            vvWorld *w = new_world(&d);
            ball.material = material("neo-hookean", 1e5);
            add_ball(w, 0.05, 2, &ball);
            plate.kinematic = true;
            for (int side = -1; side < 2; side += 2) {
                plate.translate[1] = side * 0.062;
                plate.motion.linearVelocity[1] = -side * 0.2;
                add_box_def(w, (double[]){ 0.3, 0.02, 0.3 }, (int[]){ 2, 1, 2 }, 5, &plate);
            }
            never_intersects(w, sized(6, 6, 12));
            vvWorldDestroy(w);
        }
}

/* From where bodies touch towards wild targets: no solve ends with a larger objective than it began with. */
static void g_never_rises_in_contact(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        vvError error = { 0 };
        vvWorld *w = stack(solvers[s], 1, 0, 1, (vvAllocator){ 0 });
        assert_ok(vvWorldBake(w, &error));
        const size_t n = 3 * (size_t)w->system.nodes;
        double *q = malloc(n * sizeof *q), *y = malloc(n * sizeof *y);
        rng r = { 21 };
        int fell = 0;
        for (int trial = 0; trial < sized(8, 10, 60); trial++) {
            vv_stepper *stepper = w->stepper;
            vv_solve_options options = stepper->options;
            vv_objective o = {
                .system = &w->system, .h = trial % 2 ? 0.02 : 0.2, .y = y, .samples = 1, .sample = { { 1, 1, NULL } }
            };
            memcpy(q, w->state.q, n * sizeof *q);
            for (size_t i = 0; i < n; i++)
                y[i] = q[i] + 0.05 * rng_next(&r) - (i % 3 == 1 && i > n / 2 ? 0.1 : 0);
            options.budget = 1 + trial % 4;
            const double start = vv_objective_value(&o, q);
            double before = start;
            for (int k = 0; k < 4; k++) {
                vv_solve_stats stats = { 0 };
                assert_ok(stepper->solver->ops->minimise(stepper->solver, &o, q, NULL, &options, &stats, &error));
                const double after = vv_objective_value(&o, q);
                assert_true(after <= before + 1e-12 * vv_objective_magnitude(&o, q));
                before = after;
            }
            fell += before < 0.9 * start;
        }
        assert_true(fell > 4);
        free(q), free(y);
        vvWorldDestroy(w);
    }
}

/* Ways that go wild: what is left of them meets nothing, node by node and body by body, and some of it is left. */
static void shortened_ways_are_free(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = stack("newton", 0, 0, 1, (vvAllocator){ 0 });
    assert_ok(vvWorldBake(w, &error));
    const size_t n = 3 * (size_t)w->system.nodes;
    double *p = malloc(n * sizeof *p), *free_way = malloc(n * sizeof *p);
    vv_objective o = { .system = &w->system, .h = 0.02, .y = w->state.q, .samples = 1, .sample = { { 1, 1, NULL } } };
    rng r = { 5 };
    int apart = 0;
    for (int trial = 0; trial < sized(60, 80, 600); trial++) {
        const int *group = trial % 2 ? w->stepper->components.of : NULL;
        const double wild = pow(10, -3 + 0.5 * (trial % 7));
        double least = 1, most = 0;
        for (size_t i = 0; i < n; i++)
            free_way[i] = p[i] = wild * rng_next(&r) - (i % 3 == 1 && i > n / 2 ? wild : 0);
        const double share = trial % 3 ? 1 : 0.6;
        vv_objective_shorten(&o, w->state.q, group, p, share);
        for (size_t i = 0; i < n; i++) {
            least = fmin(least, p[i] / free_way[i]), most = fmax(most, p[i] / free_way[i]);
            p[i] *= 0.999;
        }
        assert_true(least >= 0 && most > 0 && most <= 1);
        assert_true(least <= share || least == 1);
        assert_true(vv_objective_max_step(&o, w->state.q, p) == 1);
        apart += least < 0.5 * most;
    }
    assert_true(apart > 10);
    free(p), free(free_way);
    vvWorldDestroy(w);
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        double *first = NULL;
        for (int threads = 1; threads <= 4; threads *= 2) {
            vvWorld *w = stack(solvers[s], 5, 2, threads, (vvAllocator){ 0 });
            steps(w, 8);
            const int n = 3 * vvWorldNodeCount(w);
            if (!first)
                first = copy_of(vvWorldPositions(w), n);
            else
                assert_memory_equal(first, vvWorldPositions(w), (size_t)n * sizeof *first);
            vvWorldDestroy(w);
        }
        free(first);
    }
}

/* A step that runs out of memory says so and changes nothing; the next goes on as if nothing had been. */
static void run_out_of_memory(const char *method)
{
    enum { STEPS = 4 };
    vvError error = { 0 };
    vvWorld *calm = stack(method, 3, 2, 1, (vvAllocator){ 0 });
    steps(calm, STEPS);
    bool refused = true;
    for (int k = 0; refused; k += sized(9, 7, 1)) {
        budget b = { .left = 1 << 30 };
        vvWorld *w = stack(method, 3, 2, 1, budget_allocator(&b));
        b.left = k;
        refused = false;
        for (int i = 0; i < STEPS; i++)
            if (vvWorldStep(w, NULL, &error) != VV_OK) {
                assert_true(!refused && strstr(error.message, "memory"));
                refused = true;
                b.left = 1 << 30;
                i--;
            }
        assert_memory_equal(vvWorldPositions(calm), vvWorldPositions(w),
                            3 * (size_t)vvWorldNodeCount(w) * sizeof(double));
        vvWorldDestroy(w);
        assert_int_equal(b.live, 0);
    }
    vvWorldDestroy(calm);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    run_out_of_memory("block-descent");
    run_out_of_memory("lbfgs");
}

/* With contact's stiffness in its metric lbfgs gets to newton's result in a few times its iterations, and evaluates g
 * hardly more often. */
static void quasi_newton_knows_how_stiff_contact_is(void **state)
{
    (void)state;
    enum { STEPS = 4 };
    int count[2] = { 0 }, evaluations = 0;
    vvWorld *w[2];
    for (int s = 0; s < 2; s++) {
        w[s] = stack(s ? "lbfgs" : "newton", s ? 1000 : 0, 2, 1, (vvAllocator){ 0 });
        vvError error = { 0 };
        vvSolverDef solver = vvWorldGetDef(w[s])->solver;
        solver.tolerance = 1e-6;
        assert_ok(vvWorldSetSolver(w[s], &solver, &error));
        for (int i = 0; i < STEPS; i++) {
            vvStepReport report;
            assert_ok(vvWorldStep(w[s], &report, &error));
            count[s] += report.newtonIterations;
            evaluations += s ? report.lineSearchSteps : 0;
        }
    }
    const int n = 3 * vvWorldNodeCount(w[0]);
    for (int i = 0; i < n; i++)
        assert_near(vvWorldPositions(w[0])[i], vvWorldPositions(w[1])[i], 1e-6);
    assert_true(count[1] < 6 * count[0] && 5 * evaluations < 6 * count[1]);
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

/* What something stops is stopped by itself: a ball that flies far from those that collide is where Newton has it,
 * with one iteration a step. */
static void what_flies_is_not_stopped(void **state)
{
    (void)state;
    enum { STEPS = 6 };
    const double v[3] = { 3, 1, 0.5 }, h = 1.0 / 60, fall = 9.8;
    for (size_t s = 0; s < 2; s++) {
        vvWorld *w = stack(solvers[s], 1, 3, 1, (vvAllocator){ 0 });
        vvBodyDef ball = vvDefaultBodyDef();
        ball.material = material("stable-neo-hookean", 1e5);
        ball.translate[0] = 1, ball.translate[1] = 1;
        vvBodyId id = add_ball(w, 0.06, 3, &ball);
        set_state(w, id, "linear", v);
        const int n = vvWorldNodeCount(w);
        vvError error = { 0 };
        assert_ok(vvWorldBake(w, &error));
        int first = 0, count = 0;
        vvBodyNodes(w, id, &first, &count);
        double *before = copy_of(vvWorldPositions(w), 3 * n);
        steps(w, STEPS);
        for (int i = first; i < first + count; i++)
            for (int k = 0; k < 3; k++) {
                const double way = STEPS * h * v[k] - (k == 1 ? fall * h * h * STEPS * (STEPS + 1) / 2 : 0);
                assert_near(vvWorldPositions(w)[3 * i + k], before[3 * i + k] + way, 1e-9);
            }
        free(before);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier_model_bounds_the_squares),
        cmocka_unit_test(friction_model_bounds_it_everywhere),
        cmocka_unit_test(bodies_never_intersect),
        cmocka_unit_test(moving_obstacles_are_carried),
        cmocka_unit_test(g_never_rises_in_contact),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(shortened_ways_are_free),
        cmocka_unit_test(quasi_newton_knows_how_stiff_contact_is),
        cmocka_unit_test(what_flies_is_not_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
