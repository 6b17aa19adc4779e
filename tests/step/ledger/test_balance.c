/* Under the policies that correct velocities, whatever the solve leaves of the forces becomes velocity: so it has to
 * leave little (theory §6.8). What it leaves is worked out from the states alone; and a body full of slivers that
 * falls, or turns slowly, must move as a rigid body does. */
#include "size.h"
#include "visviva/mesh.h"
#include "world_support.h"

/* the last filters noise instead of balancing forces */
static const char *const policies[] = { "a1", "search", "filtered-search" };
static const double GOAL = 1e-3; /* m/s: a falling body's nodes move alike to this */

/* ---- what a step leaves ---- */

/* h M^-1 grad E at the state's positions follows from the states: a policy takes v = w - alpha dv, with w = (q - q_n)
 * / h and dv its decrease over the step. At a start without stress it is -h times gravity. */
typedef struct trace {
    vvWorld *w;
    double h, *q, *v, *force; /* the last state's */
    int size, iterations;
    double worst; /* m/s: the largest imbalance of a step so far */
} trace;

static trace trace_of(vvWorld *w)
{
    const vvWorldDef *d = vvWorldGetDef(w);
    vvError error = { 0 };
    assert_ok(vvWorldBake(w, &error));
    trace t = { .w = w, .h = d->timeStep, .size = 3 * vvWorldNodeCount(w) };
    t.q = copy_of(vvWorldPositions(w), t.size);
    t.v = copy_of(vvWorldVelocities(w), t.size);
    t.force = copy_of(t.v, t.size);
    for (int i = 0; i < t.size; i++)
        t.force[i] = -t.h * d->gravity[i % 3];
    return t;
}

static void trace_step(trace *t)
{
    vvError error = { 0 };
    vvStepReport report;
    assert_ok(vvWorldStep(t->w, &report, &error));
    assert_int_equal(report.end, VV_SOLVE_CONVERGED);
    double alpha = ledger(t->w).alpha, left[3];
    const double *q = vvWorldPositions(t->w), *v = vvWorldVelocities(t->w);
    for (int i = 0; i < t->size; i++) {
        double w = (q[i] - t->q[i]) / t->h;
        t->force[i] -= (w - v[i]) / alpha;
        left[i % 3] = w - t->v[i] + t->force[i];
        if (i % 3 == 2)
            t->worst = fmax(t->worst, norm3(left));
    }
    memcpy(t->q, q, (size_t)t->size * sizeof *q);
    memcpy(t->v, v, (size_t)t->size * sizeof *v);
    t->iterations += report.newtonIterations;
}

static trace trace_steps(vvWorld *w, int count)
{
    trace t = trace_of(w);
    for (int i = 0; i < count; i++)
        trace_step(&t);
    free(t.q), free(t.v), free(t.force);
    vvWorldDestroy(w);
    return t;
}

static vvWorldDef falling_def(const char *policy, double h)
{
    static const vvSetting alpha = { "alpha", { 0.5, 1.1 } }; /* an alpha of 0 would hide dv */
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = h;
    d.integrator.policy = policy;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.integrator.settings = &alpha;
    d.integrator.settingCount = strcmp(policy, "search") == 0;
    d.contact.model = "none";
    d.threads = 1;
    return d;
}

/* A soft cube that spins so fast that it is drawn out. */
static trace spin(const vvWorldDef *d, int count)
{
    vvWorld *w = new_world(d);
    vvMaterialDef m = material("corotated", 2e4);
    vvBodyId body = add_cube(w, 0.1, 4, &m);
    set_state(w, body, "angular", (double[]){ 10, 20, 15, NAN, NAN, NAN });
    return trace_steps(w, count);
}

static void forces_are_balanced_to_the_tolerance(void **state)
{
    (void)state;
    const int count = sized(15, 20, 240);
    for (int p = 0; p < 2; p++) {
        vvWorldDef d = falling_def(policies[p], 1.0 / 30);
        d.solver.velocityTolerance = 0;
        d.solver.linear = "pcg";
        trace off = spin(&d, count);
        assert_less(2e-4, off.worst); /* short steps alone do not see to it */
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
            d.solver.velocityTolerance = tolerance;
            trace on = spin(&d, count);
            print_message("%-6s tolerance %.0e: left %.2g m/s, %.2f iterations a step; without %.2g, %.2f\n",
                          policies[p], tolerance, on.worst, 1.0 * on.iterations / count, off.worst,
                          1.0 * off.iterations / count);
            assert_less(on.worst, tolerance + 1e-11);
            assert_less(on.iterations, off.iterations + 1.5 * count);
        }
    }
}

static void whatever_the_solver(void **state)
{
    (void)state;
    static const char *const hessians[] = { "projected", "shifted" },
                             *const searches[] = { "backtracking", "strong-wolfe" },
                             *const linears[] = { "auto", "pcg", "pcg-jacobi" };
    for (int k = 0; k < 12; k++) {
        vvWorldDef d = falling_def(policies[k % 2], 1.0 / 30);
        d.solver.hessian = hessians[k / 2 % 2];
        d.solver.lineSearch = searches[(k + k / 4) % 2];
        d.solver.linear = linears[k / 4];
        assert_less(spin(&d, sized(5, 8, 60)).worst, d.solver.velocityTolerance + 1e-11);
    }
}

/* A ball falls on the ground, which is far stiffer. */
static void contact_is_balanced_too(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        vvWorldDef d = falling_def(policies[p], 1.0 / 120);
        d.contact.model = "barrier";
        vvWorld *w = new_world(&d);
        vvBodyDef ball = vvDefaultBodyDef();
        ball.translate[1] = 0.06;
        obstacle(w, "plane", NULL, 0);
        add_ball(w, 0.05, 3, &ball);
        set_state(w, vvWorldBody(w, 0), "linear", (double[]){ 0, -2, 0 });
        assert_less(trace_steps(w, 40).worst, d.solver.velocityTolerance + 1e-11);
    }
}

/* ---- slivers ---- */

enum { CELLS = 8 };
/* A cube in which the node in the middle (with `more`, nine in a plane) all but touches the next: tets of no height. */
static void sliver_cube(double height, bool more, vvMesh *mesh)
{
    vvError error = { 0 };
    vvMeshQuality quality;
    const double size = 0.1, cell = size / CELLS;
    assert_ok(generate_mesh("box", (double[]){ size, size, size, CELLS, CELLS, CELLS, 6 }, mesh, &error));
    for (int i = 0; i < mesh->vertexCount; i++) {
        double *x = mesh->positions + 3 * i, away = fmax(fabs(x[1]), fabs(x[2])) / cell;
        if (fabs(x[0]) < 0.1 * cell && away < (more ? 1.1 : 0.1))
            x[0] -= (1 - height) * cell;
    }
    assert_ok(vvMeshFinish(mesh, NULL, &error));
    vvMeshMeasure(mesh, &quality);
    assert_less(0.5 / height, quality.worstAspect);
}

static void cross(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Solves the rows [A | b] for x. */
static void solve3(double a[3][4], double *x)
{
    for (int k = 0; k < 3; k++)
        for (int row = 0; row < 3; row++)
            for (int l = 3; row != k && l >= k; l--)
                a[row][l] -= a[row][k] / a[k][k] * a[k][l];
    for (int k = 0; k < 3; k++)
        x[k] = a[k][3] / a[k][k];
}

/* m/s: how much the fastest node departs from the motion of a rigid body with the same momenta. */
static double departure(const vvWorld *w)
{
    const double *m = vvWorldMasses(w), *x = vvWorldPositions(w), *v = vvWorldVelocities(w);
    double mass = 0, centre[3] = { 0 }, mean[3] = { 0 }, inertia[3][4] = { { 0 } }, spin[3], r[3], u[3], l[3], most = 0;
    const int n = vvWorldNodeCount(w);
    for (int i = 0; i < n; i++)
        mass += m[i];
    for (int i = 0; i < 3 * n; i++)
        centre[i % 3] += m[i / 3] / mass * x[i], mean[i % 3] += m[i / 3] / mass * v[i];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            r[k] = x[3 * i + k] - centre[k], u[k] = v[3 * i + k] - mean[k];
        cross(r, u, l);
        for (int k = 0; k < 3; k++) {
            inertia[k][k] += m[i] * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
            inertia[k][3] += m[i] * l[k];
            for (int j = 0; j < 3; j++)
                inertia[k][j] -= m[i] * r[k] * r[j];
        }
    }
    solve3(inertia, spin);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            r[k] = x[3 * i + k] - centre[k];
        cross(spin, r, u);
        for (int k = 0; k < 3; k++)
            u[k] += mean[k];
        most = fmax(most, distance3(v + 3 * i, u));
    }
    return most;
}

static int fall_steps(void) { return sized(20, 20, 60); }

/* The largest departure in a fall. A free fall is where a solve starts; on a thread that holds nothing the body
 * counts as held, and the solve has to find the fall. */
static double fall(const vvWorldDef *d, const vvMesh *mesh, double scale, double spin, bool thread, int *iterations)
{
    vvError error = { 0 };
    vvWorld *w = new_world(d);
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId body;
    double most = 0;
    def.mesh = mesh;
    def.material.model = "neo-hookean";
    for (int k = 0; k < 3; k++)
        def.scale[k] = scale, def.translate[k] = 1;
    assert_ok(vvWorldAddBody(w, &def, &body, &error));
    if (thread) {
        int top[1] = { 0 };
        vvAttachDef a = vvDefaultAttachDef();
        a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = top, .listCount = 1 };
        a.kind = VV_ATTACH_SPRING;
        a.stiffness = 1e-9;
        attach(w, body, &a);
    }
    if (spin > 0)
        set_state(w, body, "angular", (double[]){ 0.3 * spin, 0.5 * spin, spin, NAN, NAN, NAN });
    for (int i = 0; i < fall_steps(); i++) {
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        *iterations += report.newtonIterations;
        most = fmax(most, departure(w));
    }
    vvWorldDestroy(w);
    return most;
}

/* Under all policies and at both steps. turn: rad/s. */
static void falls_as_one(const char *name, const vvMesh *mesh, double scale, double turn, bool thread)
{
    static const double steps_of[] = { 1.0 / 120, 1.0 / 30 };
    for (int k = 0; k < 6; k++) {
        vvWorldDef d = falling_def(policies[k % 3], steps_of[k / 3]);
        int iterations = 0;
        d.integrator.settingCount = 0;
        double most = fall(&d, mesh, scale, turn, thread, &iterations);
        print_message("%s, %-6s h = %.4f s, %.2g rad/s%s: %.1e m/s, %.2f iterations a step\n", name, policies[k % 3],
                      d.timeStep, turn, thread ? ", on a thread" : "", most, 1.0 * iterations / fall_steps());
        assert_less(most, GOAL);
    }
}

static void a_body_with_slivers_falls_as_one(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    for (int k = 0; k < sized(1, 2, 4); k++) {
        vvMesh mesh = { 0 };
        char name[64];
        sliver_cube(k / 2 ? 3e-4 : 1e-3, k % 2, &mesh);
        snprintf(name, sizeof name, "cube with slivers %d", k);
        falls_as_one(name, &mesh, 1, 0, false);
        falls_as_one(name, &mesh, 1, 0.05, true);
        falls_as_one(name, &mesh, 1, 0, true);
        vvMeshDestroy(&mesh);
    }
}

/* That test can fail: without the tolerance nodes move more. */
static void without_the_tolerance_they_move_more(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    vvMesh mesh = { 0 };
    sliver_cube(1e-3, true, &mesh);
    for (int p = 0; p < 2; p++) {
        vvWorldDef d = falling_def(policies[p], 1.0 / 30);
        int iterations = 0;
        d.solver.linear = "pcg";
        d.integrator.settingCount = 0;
        double with = fall(&d, &mesh, 1, 0, true, &iterations);
        d.solver.velocityTolerance = 0;
        double without = fall(&d, &mesh, 1, 0, true, &iterations);
        print_message("%s: with %.2g m/s, without %.2g\n", policies[p], with, without);
        assert_less(4 * with, without);
    }
    vvMeshDestroy(&mesh);
}

/* A mesh from elsewhere, with slivers of 0.2 degrees, 3 m long. A body of that size bends by its own turning. */
static void the_bunny_falls_as_one(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    const char *folder = getenv("VISVIVA_MESHES");
    char path[4096];
    snprintf(path, sizeof path, "%s/ipc/bunny.msh", folder ? folder : "");
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    FILE *file = fopen(path, "rb");
    if (!file) {
        print_message(
            "the environment variable VISVIVA_MESHES names no folder with ipc/bunny.msh: not tested with it\n");
        skip();
    }
    fclose(file);
    assert_ok(vvMeshRead(path, &mesh, NULL, &error));
    falls_as_one("bunny", &mesh, 1, 0, false);
    if (sized(0, 0, 1)) {
        falls_as_one("bunny", &mesh, 1, 0, true);
        falls_as_one("small bunny", &mesh, 0.1, 0, true);
        falls_as_one("small bunny", &mesh, 0.1, 0.05, true);
    }
    vvMeshDestroy(&mesh);
}

/* ---- where it ends ---- */

/* A foil; returns the iterations of 30 steps. */
static int fall_far_away(const vvWorldDef *d)
{
    vvError error = { 0 };
    vvWorld *w = new_world(d);
    vvBodyDef def = vvDefaultBodyDef();
    int iterations = 0;
    def.translate[0] = 100;
    add_box_def(w, (double[]){ 0.1, 1e-5, 0.1 }, (int[]){ 6, 6, 6 }, 6, &def);
    for (int i = 0; i < 30; i++) {
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        iterations += report.newtonIterations;
    }
    vvWorldDestroy(w);
    return iterations;
}

/* 100 m away the rounding of positions makes more of a foil's forces than the tolerance: no iterations are spent on
 * it. */
static void rounding_ends_the_iterations(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        vvWorldDef d = falling_def(policies[p], 1.0 / 30);
        int on = fall_far_away(&d);
        d.solver.velocityTolerance = 0;
        int off = fall_far_away(&d);
        print_message("%-6s far away: %.2f iterations a step, without the tolerance %.2f\n", policies[p], on / 30.0,
                      off / 30.0);
        assert_less(on, off + 15);
    }
}

/* A solve that has converged but for its balance is no failure where the iterations end. */
static void the_limit_of_iterations_is_no_failure(void **state)
{
    (void)state;
    vvError error = { 0 };
    int taken[2] = { 0 };
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = falling_def("a1", 1.0 / 120);
        vvStepReport report;
        d.solver.maxIterations = k == 0 ? 200 : taken[0] - 1;
        d.solver.velocityTolerance = 1e-9;
        d.solver.tolerance = 0.1;
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("fixed-corotated", 2e4);
        vvBodyId body = add_cube(w, 0.1, 3, &m);
        set_state(w, body, "angular", (double[]){ 10, 20, 15, NAN, NAN, NAN });
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        taken[k] = report.newtonIterations;
        vvWorldDestroy(w);
    }
    assert_int_equal(taken[1], taken[0] - 1);
}

/* Without a policy that corrects velocities nothing changes, to the bit. */
static void other_policies_do_not_ask_for_it(void **state)
{
    (void)state;
    double *last = NULL;
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = falling_def("none", 1.0 / 60);
        d.solver.velocityTolerance = k == 0 ? 0 : 1e-9;
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("fixed-corotated", 2e4);
        set_state(w, add_cube(w, 0.1, 2, &m), "angular", (double[]){ 10, 20, 15, NAN, NAN, NAN });
        steps(w, 20);
        const int size = 3 * vvWorldNodeCount(w);
        if (k == 0)
            last = copy_of(vvWorldVelocities(w), size);
        else
            assert_memory_equal(last, vvWorldVelocities(w), (size_t)size * sizeof *last);
        vvWorldDestroy(w);
    }
    free(last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_balanced_to_the_tolerance),
        cmocka_unit_test(whatever_the_solver),
        cmocka_unit_test(contact_is_balanced_too),
        cmocka_unit_test(a_body_with_slivers_falls_as_one),
        cmocka_unit_test(without_the_tolerance_they_move_more),
        cmocka_unit_test(the_bunny_falls_as_one),
        cmocka_unit_test(rounding_ends_the_iterations),
        cmocka_unit_test(the_limit_of_iterations_is_no_failure),
        cmocka_unit_test(other_policies_do_not_ask_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
