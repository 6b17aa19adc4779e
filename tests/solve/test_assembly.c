/* Matrices over a chosen set of energies, by the side of the solver's own; stages of several samples; spring
 * attachments that are exchanged under them; a solve that is given so many iterations; and what contact keeps of a
 * position. */
#include "live_support.h"
#include "short_memory.h"

#include "base/memory.h"
#include "solve/vectors.h"
#include "world/world.h"

/* A block that presses on a floor and on another block, in friction, one of them damped, one held by springs. */
static vvWorld *pressed(vvAttachId *springs)
{
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.contact.distance = 5e-3;
    d.contact.friction = 0.5;
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.5);
    for (int i = 0; i < 2; i++) {
        vvBodyDef body = vvDefaultBodyDef();
        body.material = material(i ? "stvk" : "neo-hookean", 2e4);
        body.material.damping.rayleigh = i ? 0.01 : 0;
        body.material.damping.drag = 0.1;
        body.translate[1] = 0.053 + 0.103 * i;
        body.translate[0] = 0.02 * i;
        vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &body);
        set_state(w, id, "linear", (double[]){ 0.3, -0.1, 0 });
        if (i)
            *springs = tie(w, id, VV_ATTACH_SPRING, 50);
    }
    steps(w, 10);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

/* The objective of a backward Euler step from where the world is. */
static vv_objective objective_of(vvWorld *w, const double *y)
{
    vv_objective o = {
        .system = &w->system, .h = w->def.timeStep, .y = y, .samples = 1, .sample = { { 1, 1, NULL } }, .d = 1, .c = 1
    };
    return o;
}

/* A x, with the matrix of the objective over the chosen energies; the gradient depends on the choice by rounding
 * only. */
static double *product(const vv_objective *o, vv_selection selection, const double *q, const double *x,
                       double *gradient)
{
    vvError error = { 0 };
    vv_assembly a;
    double *y = malloc(vv_unknown_space(o->system) * sizeof *y);
    assert_ok(vv_assembly_create(&a, o->system, selection, &error));
    vv_objective_derivatives(o, q, VV_HESSIAN_PROJECTED, gradient, &a);
    assert_ok(vv_bsr_status(&a.matrix, &error));
    vv_bsr_multiply(&a.matrix, &o->system->par, x, y);
    vv_assembly_free(&a);
    return y;
}

static void chosen_energies(void **state)
{
    (void)state;
    vvAttachId springs;
    vvWorld *w = pressed(&springs);
    size_t n = vv_unknown_space(&w->system);
    double *q = copy_of(w->state.q, 3 * w->nodes), *u = malloc(3 * (size_t)w->nodes * sizeof *u),
           *x = malloc(n * sizeof *x);
    double *g[2], largest = 0, touching = 0, steepest = 0;
    for (size_t i = 0; i < 3 * (size_t)w->nodes; i++) {
        u[i] = -w->state.q[i];
        q[i] += 1e-4 * sin(7.3 * (double)i);
    }
    for (size_t i = 0; i < n; i++)
        x[i] = sin(3.7 * (double)i);
    vv_objective o = objective_of(w, w->state.q);
    o.u = u;
    static const vv_selection contact = { VV_ROW_BIT(VV_ROW_CONTACT), VV_ROW_BIT(VV_ROW_CONTACT) }, none = { 0, 0 };
    vv_selection of[] = { VV_SELECT_ALL, VV_SELECT_NO_CONTACT, contact, none };
    double *y[4];
    for (int i = 0; i < 4; i++) {
        g[i ? 1 : 0] = malloc(n * sizeof **g);
        y[i] = product(&o, of[i], q, x, g[i ? 1 : 0]);
        for (size_t k = 0; i == 0 && k < n; k++)
            steepest = fmax(steepest, fabs(g[0][k]));
        for (size_t k = 0; i && k < n; k++)
            assert_near(g[0][k], g[1][k], 1e-13 * steepest);
        if (i)
            free(g[1]);
    }
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(y[0][i]));
        touching = fmax(touching, fabs(y[2][i] - y[3][i]));
        assert_near(y[3][i], w->mass[w->node[i / 3]] * x[i], 0); /* inertia is in each */
    }
    assert_true(touching > 1e-3 * largest);
    for (size_t i = 0; i < n; i++)
        assert_near(y[0][i] - y[1][i], y[2][i] - y[3][i], 1e-12 * largest);
    for (int i = 0; i < 4; i++)
        free(y[i]);
    free(g[0]), free(x), free(u), free(q);
    vvWorldDestroy(w);
}

/* With two samples of different weights and shifts, contact, damping; outside the domain it says so. */
static void value_and_gradient_at_once(void **state)
{
    (void)state;
    vvAttachId springs;
    vvWorld *w = pressed(&springs);
    size_t n = vv_unknown_space(&w->system), n3 = vv_node_space(&w->system);
    double *u = malloc(n3 * sizeof *u), *q = malloc(n3 * sizeof *q), *z = malloc(n3 * sizeof *z);
    double *g = malloc(n * sizeof *g), *both = malloc(n * sizeof *both), largest = 0;
    for (size_t i = 0; i < n3; i++) {
        q[i] = w->state.q[i] + 1e-4 * sin(7.3 * (double)i);
        u[i] = -w->state.q[i];
        z[i] = 0.4 * w->state.q[i];
    }
    vv_objective o = objective_of(w, w->state.q);
    o.u = u, o.d = 0.7, o.c = 1.5, o.samples = 2;
    o.sample[0].w = 0.3, o.sample[1].w = 1.1, o.sample[1].beta = 0.6, o.sample[1].z = z;
    vv_objective_derivatives(&o, q, VV_HESSIAN_EXACT, g, NULL);
    double value = vv_objective_value(&o, q), again = vv_objective_value_gradient(&o, q, both);
    assert_true(isfinite(value) && value == again);
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(g[i]));
    assert_true(largest > 0);
    for (size_t i = 0; i < n; i++)
        assert_near(g[i], both[i], 1e-13 * largest);
    double *whole = malloc(n3 * sizeof *whole), *at_once = malloc(n3 * sizeof *at_once);
    vv_system_gradient(&w->system, q, whole);
    assert_true(vv_system_energy_gradient(&w->system, q, at_once) == vv_system_energy(&w->system, q));
    assert_memory_equal(whole, at_once, n3 * sizeof *whole);
    for (size_t i = 0; i < n3; i++)
        q[i] = -q[i]; /* inside out */
    assert_true(vv_system_energy_gradient(&w->system, q, at_once) == INFINITY);
    assert_true(vv_objective_value_gradient(&o, q, both) == INFINITY);
    free(u), free(q), free(z), free(g), free(both), free(whole), free(at_once);
    vvWorldDestroy(w);
}

/* ---- samples ---- */

/* The gradient by differences of g, and the matrix by differences of the gradient, along p (node space). */
static void check_derivatives(vvWorld *w, const vv_objective *o, const double *q, const double *p)
{
    static const double t[] = { 2e-9, 1e-8 };
    vvError error = { 0 };
    const vv_system *y = &w->system;
    size_t n = vv_node_space(y), u3 = vv_unknown_space(y);
    double *x = malloc(n * sizeof *x), *along = malloc(u3 * sizeof *along), *turned = malloc(u3 * sizeof *turned);
    double *g = malloc(u3 * sizeof *g), *near[2] = { malloc(u3 * sizeof *g), malloc(u3 * sizeof *g) }, value[2],
           off = 0;
    vv_assembly a;
    assert_ok(vv_assembly_create(&a, &w->system, VV_SELECT_ALL, &error));
    vv_objective_derivatives(o, q, VV_HESSIAN_EXACT, g, &a);
    assert_ok(vv_bsr_status(&a.matrix, &error));
    vv_pack(y, p, along);
    vv_bsr_multiply(&a.matrix, &y->par, along, turned);
    for (int side = 0; side < 2; side++) {
        vv_along(n, q, side ? t[0] : -t[0], p, x);
        value[side] = vv_objective_value(o, x);
        vv_along(n, q, side ? t[1] : -t[1], p, x);
        vv_objective_derivatives(o, x, VV_HESSIAN_EXACT, near[side], NULL);
    }
    double slope = vv_sum_dot(y, g, along, (int)u3), size = sqrt(vv_sum_dot(y, turned, turned, (int)u3));
    assert_near((value[1] - value[0]) / (2 * t[0]), slope, 1e-5 * fabs(slope));
    for (size_t i = 0; i < u3; i++)
        off += pow((near[1][i] - near[0][i]) / (2 * t[1]) - turned[i], 2);
    assert_true(sqrt(off) < 1e-5 * size);
    vv_assembly_free(&a);
    free(x), free(along), free(turned), free(g), free(near[0]), free(near[1]);
}

/* Stages of one to three samples, as AVF has them: energies that sum over the samples in one pass (tets), those that
 * do not (gravity, springs), those that know one position at a time (contact), and damping. */
static void stages_of_many_samples(void **state)
{
    (void)state;
    vvAttachId springs;
    vvWorld *w = pressed(&springs);
    const vv_system *y = &w->system;
    size_t n = vv_node_space(y);
    double *q = copy_of(w->state.q, (int)n), *p = calloc(n, sizeof *p), *u = malloc(n * sizeof *u);
    double *z[2] = { malloc(n * sizeof **z), malloc(n * sizeof **z) };
    for (size_t i = 0; i < n; i++) {
        p[i] = y->unknown[i / 3] < 0 ? 0 : cos(1.7 * (double)i), u[i] = -w->state.q[i], q[i] += 2e-5 * sin((double)i);
        z[0][i] = 0.5 * w->state.q[i], z[1][i] = 0.25 * w->state.q[i] + 1e-5 * sin(0.3 * (double)i);
    }
    vv_objective o = objective_of(w, w->state.q);
    o.u = u;
    o.sample[0].w = 2.0 / 3, o.sample[0].beta = 0.5, o.sample[0].z = z[0];
    o.sample[1].w = 1.0 / 12, o.sample[1].beta = 1, o.sample[1].z = NULL;
    o.sample[2].w = 0.3, o.sample[2].beta = 0.75, o.sample[2].z = z[1];
    for (o.samples = 1; o.samples <= 3; o.samples++) {
        assert_true(vv_objective_contact_imbalance(&o, q, 0) > 0); /* something touches */
        check_derivatives(w, &o, q, p);
    }
    free(q), free(p), free(u), free(z[0]), free(z[1]);
    vvWorldDestroy(w);
}

/* ---- exchanged energies ---- */

static void expect_like_new(vv_assembly *a, const double *q)
{
    vvError error = { 0 };
    vv_assembly fresh;
    assert_ok(vv_assembly_create(&fresh, a->system, a->selection, &error));
    vv_assembly *both[] = { a, &fresh };
    for (int i = 0; i < 2; i++) {
        vv_assembly_begin(both[i]);
        vv_assembly_add_energies(a->system, q, 1, VV_HESSIAN_PROJECTED, NULL, both[i]);
        vv_assembly_end(both[i]);
        assert_ok(vv_bsr_status(&both[i]->matrix, &error));
    }
    assert_int_equal(a->matrix.nnz, fresh.matrix.nnz);
    assert_memory_equal(a->matrix.val, fresh.matrix.val, 9 * (size_t)fresh.matrix.nnz * sizeof(double));
    vv_assembly_free(&fresh);
}

static void renewed_springs(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvAttachId springs;
    vvWorld *w = pressed(&springs);
    const double *q = w->state.q;
    vv_assembly a;
    assert_ok(vv_assembly_create(&a, &w->system, VV_SELECT_ELASTIC, &error));
    uint64_t before = a.renewals;
    expect_like_new(&a, q);
    assert_int_equal(a.renewals, before); /* nothing has come or gone */
    vvAttachId more = tie(w, vvWorldBody(w, 0), VV_ATTACH_SPRING, 70);
    assert_ok(vvWorldBake(w, &error));
    expect_like_new(&a, q);
    assert_true(a.renewals > before);
    assert_ok(vvWorldDetach(w, more, &error));
    assert_ok(vvWorldDetach(w, springs, &error));
    assert_ok(vvWorldBake(w, &error));
    expect_like_new(&a, q); /* without any */
    tie(w, vvWorldBody(w, 1), VV_ATTACH_SPRING, 20);
    assert_ok(vvWorldBake(w, &error));
    /* without memory it is as it was, and says so; then it goes on */
    budget short_of = { .left = 0 };
    vvAllocator allocator = budget_allocator(&short_of), outer = vv_memory_use(allocator);
    before = a.renewals;
    assert_int_equal(vv_assembly_ready(&a, &error), VV_ERROR_MEMORY);
    vv_assembly_begin(&a);
    vv_assembly_end(&a);
    vv_memory_use(outer);
    assert_int_equal(a.renewals, before);
    assert_int_equal(vv_bsr_status(&a.matrix, &error), VV_ERROR_MEMORY);
    expect_like_new(&a, q);
    vv_assembly_free(&a);
    vvWorldDestroy(w);
}

/* ---- budget ---- */

static void iterations_allowed(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvAttachId springs;
    vvWorld *w = pressed(&springs);
    size_t n = 3 * (size_t)w->nodes;
    vv_solver *s;
    double *q = copy_of(w->state.q, (int)n), *whole = copy_of(w->state.q, (int)n), *y = copy_of(w->state.q, (int)n);
    for (size_t i = 0; i < n; i++)
        y[i] += 0.02 * (i % 3 == 0) * q[i - i % 3 + 1]; /* a shear that Newton needs several iterations for */
    vv_objective o = objective_of(w, y);
    o.d = 0;
    vv_solve_options options = { .tolerance = 1e-9,
                                 .max_iterations = 100,
                                 .linear_tolerance = 1e-10,
                                 .line_search = vv_line_search_find("backtracking") };
    vv_solve_stats stats = { 0 };
    assert_ok(vv_solver_create(&vv_solver_newton, &(vv_solver_def){ &w->system, vv_linear_find(exact_solver()) }, &s,
                               &error));
    assert_ok(s->ops->minimise(s, &o, whole, NULL, &options, &stats, &error));
    assert_int_equal(stats.end, VV_SOLVE_CONVERGED);
    int needed = stats.iterations;
    assert_true(needed > 3);
    options.budget = 2;
    for (int k = 0; stats.end != VV_SOLVE_CONVERGED || k == 0; k++) {
        stats = (vv_solve_stats){ .why = "?" };
        assert_ok(s->ops->minimise(s, &o, q, NULL, &options, &stats, &error));
        assert_true(stats.iterations <= 2 && k <= needed);
        if (stats.end == VV_SOLVE_BUDGET) {
            assert_int_equal(stats.iterations, 2);
            assert_null(stats.why);
        }
    }
    /* Newton remembers nothing between iterations, but friction's turns */
    assert_memory_equal(q, whole, n * sizeof *q);
    options.budget = 0, options.max_iterations = 2;
    stats = (vv_solve_stats){ 0 };
    assert_ok(s->ops->minimise(s, &o, y, NULL, &options, &stats, &error));
    assert_int_equal(stats.end, VV_SOLVE_ITERATION_LIMIT);
    assert_non_null(stats.why);
    vv_solver_destroy(s);
    free(q), free(whole), free(y);
    vvWorldDestroy(w);
}

/* ---- what is kept of a position ---- */

static void one_position_at_a_time(void **state)
{
    (void)state;
    vvAttachId springs;
    vvWorld *w = pressed(&springs);
    size_t n = 3 * (size_t)w->nodes;
    double *p = calloc(n, sizeof *p), *x = copy_of(w->state.q, (int)n), *g[2];
    for (size_t i = 0; i < n; i++)
        p[i] = 1e-3 * cos((double)i), x[i] += 1e-4 * sin((double)i);
    double here = vv_system_energy(&w->system, w->state.q), there = vv_system_energy(&w->system, x);
    assert_true(isfinite(here) && isfinite(there) && here != there);
    for (int i = 0; i < 2; i++) {
        g[i] = malloc(n * sizeof **g);
        vv_system_gradient(&w->system, w->state.q, g[i]);
        vv_system_max_step(&w->system, x, p); /* whatever was asked in between */
        assert_true(vv_system_energy(&w->system, x) == there);
    }
    assert_memory_equal(g[0], g[1], n * sizeof **g);
    assert_true(vv_system_energy(&w->system, w->state.q) == here);
    /* a pair's list that is there is not made again */
    int64_t builds = w->contact->collisions->candidates.builds;
    vv_system_gradient(&w->system, w->state.q, g[0]);
    vv_system_energy(&w->system, w->state.q);
    assert_int_equal(w->contact->collisions->candidates.builds, builds);
    free(p), free(x), free(g[0]), free(g[1]);
    vvWorldDestroy(w);
}

/* Explicit schemes have no matrix, settling makes what it needs. */
static void no_solver_where_none_is_needed(void **state)
{
    (void)state;
    vvError error = { 0 };
    double energy[2];
    for (int i = 0; i < 2; i++) {
        vvWorldDef d = live_def(i ? "verlet" : "backward-euler", "none");
        vvWorld *w = new_world(&d);
        tie(w, add_block(w, 0, 0, 0), VV_ATTACH_FIXED, 0);
        assert_ok(vvWorldBake(w, &error));
        assert_true((vv_world_learned(w, w->nodes).size == 0) ==
                    (i == 1 || vv_linear_find(d.solver.linear)->state_size == 0));
        assert_ok(vvWorldSettle(w, true, energy + i, &error));
        steps(w, 2);
        vvWorldDestroy(w);
    }
    assert_near(energy[0], energy[1], 1e-9 * fabs(energy[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_and_gradient_at_once),
        cmocka_unit_test(chosen_energies),
        cmocka_unit_test(stages_of_many_samples),
        cmocka_unit_test(renewed_springs),
        cmocka_unit_test(iterations_allowed),
        cmocka_unit_test(one_position_at_a_time),
        cmocka_unit_test(no_solver_where_none_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
