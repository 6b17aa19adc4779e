/* How affine bodies move: free spins keep what they should and flip as Dzhanibekov's nut does, a cube on a slope
 * sticks and slides at the angle of friction, a ball bounces as high as a nearly rigid soft one; the matrix of their
 * contacts is the derivative of its forces, and iterative solvers that take a body's rows as one go the same way as a
 * factorisation. */
#include "size.h"
#include "solve/assembly.h"
#include "visviva/query.h"
#include "world/world.h"
#include "world_support.h"

static vvBodyId add_brick(vvWorld *w, const double *size, const vvBodyDef *given)
{
    vvBodyDef def = *given;
    def.material = vvDefaultMaterialOf("affine");
    return add_box_def(w, size, (int[]){ 1, 1, 1 }, 6, &def);
}

/* The largest difference of its singular values' squares from 1. */
static double out_of_shape(const vvWorld *w, vvBodyId body)
{
    int first, nodes[4] = { 0, 1, 3, 2 };
    double most, least;
    vvBodyNodes(w, body, &first, NULL);
    assert_true(
        vvElementStrain(vvWorldRestPositions(w) + 3 * first, vvWorldPositions(w) + 3 * first, nodes, 4, &most, &least));
    return fmax(fabs((1 + most) * (1 + most) - 1), fabs((1 + least) * (1 + least) - 1));
}

/* The second axis of a brick of three lengths is unstable: a spin about it turns over and over. Momentum and energy
 * stay. */
static void flip(const char *scheme, const char *policy, double h, double energy, double momentum, double shape)
{
    vvError error = { 0 };
    vvWorldDef d = free_def(scheme, h, 1e-9);
    d.integrator.policy = policy;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    const double size[3] = { 0.3, 0.1, 0.2 }; /* z is in the middle; omega times the diagonal is 10 m/s */
    vvBodyId body = add_brick(w, size, &def);
    set_state(w, body, "angular", (double[]){ 0.02, 0.02, 10 / norm3(size), NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    vvLedgerRow first = ledger(w), row = first;
    double worst = 0, lowest = 1, highest = -1;
    int turns = 0;
    bool up = true;
    for (int i = 0; i < (int)(sized(3, 5, 5) / h); i++) {
        vvTransform at;
        row = step(w);
        worst = fmax(worst, out_of_shape(w, body));
        assert_ok(vvBodyTransform(w, body, NULL, &at, &error));
        /* the body's z axis against that of the momentum */
        lowest = fmin(lowest, at.rotation[8]), highest = fmax(highest, at.rotation[8]);
        if ((at.rotation[8] > 0.5) != up && fabs(at.rotation[8]) > 0.5)
            up = !up, turns++;
        assert_near(row.total, first.total, energy * first.total);
        for (int k = 0; k < 3; k++)
            assert_near(row.angularMomentumCentre[k], first.angularMomentumCentre[k],
                        momentum * norm3(first.angularMomentumCentre));
    }
    assert_in_range(turns, 1, 20);
    assert_less(lowest, -0.9);
    assert_true(highest > 0.9);
    assert_less(worst, shape);
    vvWorldDestroy(w);
}

static void free_spins_flip(void **state)
{
    (void)state;
    /* at 1/240 s it gains energy: what is stiff turns too far in a step */
    flip("implicit-midpoint", "none", 1.0 / 2000, 1e-3, 1e-5, 1e-3);
    /* what the midpoint gains goes into vibrations of the shape */
    flip("implicit-midpoint", "project", 1.0 / 240, 1.1e-7, 1e-7, 3e-3);
    flip("bdf2", "project", 1.0 / 240, 1e-6, 1e-5, 1e-3);
    flip("backward-euler", "filtered-search", 1.0 / 240, 0.02, 1e-8, 1e-3);
    flip("backward-euler", "search", 1.0 / 240, 0.1, 0.05, 1e-3);
}

/* Down a slope of 20 degrees: friction of 0.4 holds (tan 20 = 0.364), of 0.3 lets it slide with g (sin - mu cos). */
static double slide(double mu)
{
    vvError error = { 0 };
    const double angle = 20 * PI / 180, time = 0.4;
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 240;
    d.contact.model = "barrier";
    d.contact.distance = 1e-3;
    d.contact.frictionIterations = -1;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", (double[]){ 0, 0, 0, sin(angle), cos(angle), 0 }, mu);
    vvBodyDef def = vvDefaultBodyDef();
    def.rotate[2] = -20;
    for (int k = 0; k < 2; k++)
        def.translate[k] = (0.05 + 0.9e-3) * (k ? cos(angle) : sin(angle));
    vvBodyId body = add_brick(w, (double[]){ 0.1, 0.1, 0.1 }, &def);
    assert_ok(vvWorldBake(w, &error));
    vvBodyMeasures before, after;
    assert_ok(vvBodyMeasure(w, body, &before, &error));
    steps(w, (int)(time * 240 + 0.5));
    assert_ok(vvBodyMeasure(w, body, &after, &error));
    vvWorldDestroy(w);
    double d3[3] = { after.centre[0] - before.centre[0], after.centre[1] - before.centre[1], 0 };
    return d3[0] * cos(angle) - d3[1] * sin(angle);
}

static void slopes_hold_at_the_angle_of_friction(void **state)
{
    (void)state;
    const double angle = 20 * PI / 180, way = 0.5 * 9.8 * (sin(angle) - 0.3 * cos(angle)) * 0.4 * 0.4;
    assert_near(slide(0.3), way, 0.05 * way);
    assert_near(slide(0.4), 0, 1e-3);
}

/* The height that a ball comes back to, of its fall: affine, or soft with 1e9 Pa. */
static double bounce(bool affine)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 120;
    d.integrator.scheme = "backward-euler", d.integrator.policy = "filtered-search";
    d.contact.model = "barrier", d.contact.distance = 1e-3, d.contact.stiffness = 1e7;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[1] = 0.55;
    def.material = affine ? vvDefaultMaterialOf("affine") : material("neo-hookean", 1e9);
    vvBodyId body = add_ball(w, 0.05, 2, &def);
    assert_ok(vvWorldBake(w, &error));
    double lowest = 1, apex = 0;
    for (int i = 0; i < 84; i++) {
        vvBodyMeasures m;
        step(w);
        assert_ok(vvBodyMeasure(w, body, &m, &error));
        if (m.centre[1] < lowest)
            lowest = m.centre[1], apex = 0;
        apex = fmax(apex, m.centre[1] - 0.05);
    }
    vvWorldDestroy(w);
    return apex / 0.5;
}

static void balls_bounce_as_stiff_ones(void **state)
{
    (void)state;
    double affine = bounce(true);
    assert_in_range((int)(100 * affine), 90, 100);
    assert_near(affine, bounce(false), 0.02);
}

/* Four rows of bricks without mortar, with half bricks at the ends of every second. */
static vvWorld *make_wall(vvBodyId *top)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 120;
    d.integrator.scheme = "backward-euler", d.integrator.policy = "filtered-search",
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.model = "barrier", d.contact.distance = 1e-3, d.contact.friction = 0.5;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.5);
    for (int row = 0; row < 4; row++)
        for (int i = 0; i < 2 + row % 2; i++) {
            vvBodyDef def = vvDefaultBodyDef();
            const bool half = row % 2 && i != 1;
            def.translate[1] = 1e-3 + 0.05 + row * 0.101;
            def.translate[2] = row % 2 ? (i - 1) * 0.15075 : (i - 0.5) * 0.201;
            *top = add_brick(w, (double[]){ 0.1, 0.1, half ? 0.0995 : 0.2 }, &def);
        }
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static void walls_stand_until_they_are_hit(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId top, ball;
    vvWorld *w = make_wall(&top);
    steps(w, sized(60, 240, 1200));
    for (int b = 0; b < vvWorldBodyCount(w); b++) {
        vvTransform at;
        assert_ok(vvBodyTransform(w, vvWorldBody(w, b), NULL, &at, &error));
        double moved[3];
        vvBodyMeasures now;
        assert_ok(vvBodyMeasure(w, vvWorldBody(w, b), &now, &error));
        for (int k = 0; k < 3; k++) /* from where it was placed */
            moved[k] = now.centre[k] - (now.centre[0] * at.rotation[k] + now.centre[1] * at.rotation[3 + k] +
                                        now.centre[2] * at.rotation[6 + k] -
                                        (at.translation[0] * at.rotation[k] + at.translation[1] * at.rotation[3 + k] +
                                         at.translation[2] * at.rotation[6 + k]));
        assert_less(norm3(moved), 2e-3);
        assert_true(at.quaternion[0] * at.quaternion[0] > 0.9999);
    }
    vvBodyDef def = vvDefaultBodyDef();
    def.material = vvDefaultMaterialOf("affine");
    def.material.density = 7800;
    def.translate[0] = -0.2, def.translate[1] = 0.25;
    ball = add_ball(w, 0.08, 2, &def);
    set_state(w, ball, "linear", (double[]){ 4, 0, 0 });
    steps(w, 60);
    vvBodyMeasures m;
    assert_ok(vvBodyMeasure(w, top, &m, &error));
    assert_less(m.centre[1], 0.3); /* it was at 0.35 m */
    vvWorldDestroy(w);
}

/* Two bricks and a kinematic one lie crosswise, with friction. */
static vvWorld *make_heap(const char *linear, vvBodyId body[3])
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 240;
    d.contact.model = "barrier", d.contact.distance = 2e-3, d.contact.friction = 0.3;
    d.solver.linear = linear, d.solver.linearTolerance = 1e-10, d.solver.tolerance = 1e-9;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    for (int i = 0; i < 3; i++) {
        vvBodyDef def = vvDefaultBodyDef();
        def.kinematic = i == 0;
        def.rotate[1] = 35 * i, def.translate[1] = 0.1014 * i;
        body[i] = i == 0 ? add_box_def(w, (double[]){ 0.3, 0.1, 0.2 }, (int[]){ 1, 1, 1 }, 6, &def)
                         : add_brick(w, (double[]){ 0.3, 0.1, 0.2 }, &def);
    }
    set_state(w, body[2], "linear", (double[]){ 0.3, 0, 0.1 });
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static void matrix_is_the_derivative(void **state)
{
    (void)state;
    enum { N = 48 };
    vvBodyId body[3];
    vvWorld *w = make_heap("auto", body);
    vv_system *s = &w->system;
    const int n = 3 * s->nodes;
    const double t = 1e-8;
    assert_int_equal(s->clumps, 2);
    assert_int_equal(n, N);
    double x[3][N], g[3][N], p[N] = { 0 }, u[N], hp[N], size = 0;
    for (int i = 0; i < s->nodes; i++)
        for (int k = 0; s->unknown[i] >= 0 && k < 3; k++)
            p[3 * i + k] = cos(7.0 * i + k);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++)
            x[k][i] = vvWorldPositions(w)[i] + (k - 1) * t * p[i];
        vv_system_gradient(s, x[k], g[k]);
    }
    vv_assembly a;
    assert_int_equal(vv_assembly_create(&a, s, VV_SELECT_ALL, NULL), VV_OK);
    vv_assembly_begin(&a);
    vv_assembly_add_energies(s, x[1], 1, VV_HESSIAN_EXACT, NULL, &a);
    vv_assembly_end(&a);
    assert_true(a.matrix.extra.nnz == 32); /* of the two bricks' nodes with each other */
    vv_pack(s, p, u);
    vv_bsr_multiply(&a.matrix, &s->par, u, hp);
    vv_assembly_free(&a);
    vv_unpack(s, hp, u);
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(u[i]));
    for (int i = 0; i < n; i++)
        if (p[i] != 0)
            assert_near((g[2][i] - g[0][i]) / (2 * t), u[i], 1e-5 * size);
    vvWorldDestroy(w);
}

static void solvers_agree(void **state)
{
    (void)state;
    static const char *const solvers[] = { "pcg", "pcg-jacobi" };
    vvBodyId body[3];
    vvWorld *w = make_heap(exact_solver(), body);
    steps(w, 24);
    double *exact = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    vvWorldDestroy(w);
    for (int i = 0; i < 2; i++) {
        w = make_heap(solvers[i], body);
        vvLedgerRow row = steps(w, 24);
        assert_less(mass_distance(w, vvWorldPositions(w), exact), 1e-6);
        assert_true(row.pcgIterations > 0);
        vvWorldDestroy(w);
    }
    free(exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_spins_flip),
        cmocka_unit_test(slopes_hold_at_the_angle_of_friction),
        cmocka_unit_test(balls_bounce_as_stiff_ones),
        cmocka_unit_test(matrix_is_the_derivative),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(walls_stand_until_they_are_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
