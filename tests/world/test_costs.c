/* What costs the most: the body that solves go on for is named, and the two bodies with the most contact; far ones and
 * threads change nothing, and a world of other parts begins anew. */
#include "world_support.h"

#include "visviva/visviva.h"

static vvBodyId add_block(vvWorld *w, const char *name, int cells, double x, double y)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvBodyId id;
    assert_ok(generate_mesh("box", (double[]){ 0.2, 0.2, 0.2, cells, cells, cells, 5 }, &mesh, &error));
    vvBodyDef b = vvDefaultBodyDef();
    b.name = name, b.mesh = &mesh;
    b.material.model = "neo-hookean", b.material.young = 1e5;
    b.translate[0] = x, b.translate[1] = y;
    assert_ok(vvWorldAddBody(w, &b, &id, &error));
    vvMeshDestroy(&mesh);
    return id;
}

/* Two small blocks one on the other, two large ones likewise, and one that flies far away. */
static vvWorld *scene(const char *solver, int threads)
{
    vvWorldDef d = vvDefaultWorldDef();
    vvError error = { 0 };
    d.timeStep = 1.0 / 60, d.threads = threads;
    d.solver.method = solver;
    vvWorld *w = new_world(&d);
    vvObstacleDef plane = vvDefaultObstacleDef();
    assert_ok(vvWorldAddObstacle(w, &plane, NULL, &error));
    add_block(w, "small below", 1, 0, 0.1015), add_block(w, "small above", 1, 0.02, 0.304);
    add_block(w, "large below", 4, 3, 0.1015), add_block(w, "large above", 4, 3.02, 0.304);
    add_block(w, "far", 2, 60, 50);
    return w;
}

static int64_t go(vvWorld *w, int steps)
{
    vvError error = { 0 };
    int64_t iterations = 0;
    for (int i = 0; i < steps; i++) {
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        iterations += report.newtonIterations;
    }
    return iterations;
}

static void names_the_costly(void **state)
{
    (void)state;
    vvBottleneck b[2];
    for (int threads = 1; threads <= 2; threads++) {
        vvWorld *w = scene("newton", threads);
        const int64_t iterations = go(w, 20);
        vvWorldBottleneck(w, b + threads - 1);
        assert_true(b[0].iterations == iterations);
        vvWorldDestroy(w);
    }
    assert_memory_equal(b, b + 1, sizeof *b);
    assert_string_equal(b->pair[0], "large below");
    assert_string_equal(b->pair[1], "large above");
    assert_true(b->pairTerms > b->terms / 2 && b->pairTerms < b->terms);
    assert_true(b->bodyIterations > b->iterations / 4 && b->bodyIterations < b->iterations);
    assert_string_not_equal(b->body, "far");
}

/* Where one body moves and the other lies at rest, each iteration is for the first, in either order. */
static void a_body_at_rest_costs_nothing(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        vvWorldDef d = vvDefaultWorldDef();
        vvBottleneck b;
        d.gravity[1] = 0, d.threads = 1;
        vvWorld *w = new_world(&d);
        vvError error = { 0 };
        vvBodyId id[2];
        for (int i = 0; i < 2; i++)
            id[i] = add_block(w, i == order ? "spins" : "rests", 2, i, 0);
        assert_ok(vvBodySetInitialState(w, id[order], "angular", (vvSetting[]){ { "rate", { 0, 20, 0 } } }, 1, &error));
        go(w, 10);
        vvWorldBottleneck(w, &b);
        assert_true(b.iterations > 10 && b.bodyIterations == b.iterations);
        assert_string_equal(b.body, "spins");
        assert_true(b.terms == 0 && !*b.pair[0]);
        vvWorldDestroy(w);
    }
}

static void begins_anew(void **state)
{
    (void)state;
    vvBottleneck b = { .iterations = 3 };
    vvError error = { 0 };
    vvWorldBottleneck(NULL, &b);
    vvWorldBottleneck(NULL, NULL);
    assert_true(b.iterations == 0);
    vvWorld *w = scene("newton", 1);
    vvWorldBottleneck(w, &b);
    assert_true(b.iterations == 0 && b.terms == 0);
    go(w, 5);
    vvWorldBottleneck(w, &b);
    assert_true(b.iterations > 0 && b.terms > 0);
    assert_ok(vvWorldRemoveBody(w, vvWorldBody(w, 2), &error));
    assert_ok(vvWorldBake(w, &error));
    vvWorldBottleneck(w, &b);
    assert_true(b.iterations == 0 && b.terms == 0 && !*b.body);
    const int64_t iterations = go(w, 5);
    vvWorldBottleneck(w, &b);
    assert_true(b.iterations == iterations);
    assert_string_equal(b.pair[0], "small below");
    vvWorldDestroy(w);
}

/* Methods that do not iterate as Newton's do name no body, but contact is counted. */
static void other_solvers(void **state)
{
    (void)state;
    vvBottleneck b;
    vvWorld *w = scene("lbfgs", 1);
    go(w, 5);
    vvWorldBottleneck(w, &b);
    assert_true(b.iterations == 0 && !*b.body && b.terms > 0);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_costly),
        cmocka_unit_test(a_body_at_rest_costs_nothing),
        cmocka_unit_test(begins_anew),
        cmocka_unit_test(other_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
