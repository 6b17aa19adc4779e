/* Whoever cancels need not wait: the long loops of contact ask as well, a call that is cancelled in any of them
 * leaves the world as it was, and what makes them long, an activation distance of many edges, is warned of with one
 * that fits. */
#include "short_memory.h"
#include "size.h"
#include "world_support.h"

#include <stdbool.h>

typedef struct asked {
    long count, at; /* at: which asking is answered with yes; 0: none */
} asked;

static bool answer(void *user)
{
    asked *a = user;
    return ++a->count == a->at;
}

typedef struct warned {
    int count;
    char text[1000];
} warned;

static void write_line(void *user, vvLogLevel level, const char *message)
{
    warned *said = user;
    if (level != VV_LOG_WARNING || !strstr(message, "take minutes"))
        return;
    said->count++;
    snprintf(said->text, sizeof said->text, "%s", message);
}

/* Two cubes with edges of `edge` in flight towards each other and the ground. */
static vvWorld *make(double edge, double distance, warned *said)
{
    enum { CELLS = 3 };
    vvWorldDef def = vvDefaultWorldDef();
    def.integrator.groundMode = VV_GROUND_NONE;
    def.solver.linear = "pcg";
    def.contact.friction = 0.3;
    def.contact.distance = distance;
    def.timeStep = 0.002;
    def.threads = 1;
    if (said)
        def.host.log = (vvLog){ write_line, said };
    vvWorld *w = new_world(&def);
    vvMaterialDef m = material("fixed-corotated", 1e5);
    vvError error = { 0 };
    for (int k = 0; k < 2; k++) {
        vvBodyId id = add_cube(w, CELLS * edge, CELLS, &m);
        double *x = copy_of(vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w));
        int first, count;
        vvBodyNodes(w, id, &first, &count);
        double *v = calloc(3 * (size_t)count, sizeof *v);
        for (int i = 0; i < count; i++) {
            x[3 * (first + i) + 1] += k * 1.2 * CELLS * edge;
            v[3 * i + 1] = -250 * edge * k;
        }
        assert_ok(vvBodySetState(w, id, x + 3 * first, v, &error));
        free(v);
        free(x);
    }
    obstacle(w, "plane", (double[]){ 0, -2 * edge, 0, 0, 1, 0 }, -1);
    return w;
}

static char *state_of(vvWorld *w, size_t *size)
{
    vvError error = { 0 };
    *size = vvWorldStateSize(w);
    char *state = malloc(*size);
    assert_ok(vvWorldSaveState(w, state, *size, &error));
    return state;
}

/* Whenever the answer is yes, at once, the world is as before, and the next step has the bits of one that was not
 * cancelled. */
static void a_step_ends_where_it_asks(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = make(0.02, 0.02, NULL);
    asked a = { 0 };
    size_t size;
    steps(w, 4);
    char *start = state_of(w, &size), *after = malloc(size);
    vvStepReport report = { 0 };
    assert_ok(vvWorldLoadState(w, start, size, &error));
    vvWorldSetCancel(w, answer, &a);
    for (int pass = 0; pass < 2; pass++) { /* the second time it knows who is near whom, and asks less often */
        assert_ok(vvWorldLoadState(w, start, size, &error));
        a.count = 0;
        assert_ok(vvWorldStep(w, &report, &error));
    }
    char *end = state_of(w, &size);
    long all = a.count;
    print_message("asked %ld times in a step of %d iterations\n", all, report.newtonIterations);
    assert_true(all > 10 * report.newtonIterations);
    for (long k = 1; k <= all; k += 1 + all / 25) {
        assert_ok(vvWorldLoadState(w, start, size, &error));
        a = (asked){ 0, k };
        const vvStatus status = vvWorldStep(w, NULL, &error);
        if (status == VV_CANCELLED) {
            assert_int_equal(a.count, k); /* not asked again */
            a.at = 0;
            assert_ok(vvWorldSaveState(w, after, size, &error));
            assert_memory_equal(after, start, size);
            assert_ok(vvWorldStep(w, NULL, &error));
        } else { /* by now it knows still better who is near whom */
            assert_int_equal(status, VV_OK);
            assert_true(k > all / 3 && a.count < k);
            a.at = 0;
        }
        assert_ok(vvWorldSaveState(w, after, size, &error));
        assert_memory_equal(after, end, size);
    }
    free(start);
    free(after);
    free(end);
    vvWorldDestroy(w);
}

static void settling_and_baking_end_where_they_ask(void **state)
{
    (void)state;
    enum { MOST = 24 };
    vvError error = { 0 };
    double energy;
    size_t size;
    for (int bakes = 0; bakes < 2; bakes++)
        for (long k = 1; k < MOST; k += 5) {
            vvWorld *w = make(0.02, 0.02, NULL), *twin = make(0.02, 0.02, NULL);
            asked a = { 0, k };
            if (!bakes)
                assert_ok(vvWorldBake(w, &error));
            vvWorldSetCancel(w, answer, &a);
            vvStatus s = bakes ? vvWorldBake(w, &error) : vvWorldSettle(w, true, &energy, &error);
            assert_int_equal(s, a.count < k ? VV_OK : VV_CANCELLED);
            assert_int_equal(error.status, s);
            vvWorldSetCancel(w, NULL, NULL);
            steps(w, 2);
            steps(twin, 2);
            char *one = state_of(w, &size), *other = state_of(twin, &size);
            assert_memory_equal(one, other, size);
            free(one);
            free(other);
            vvWorldDestroy(w);
            vvWorldDestroy(twin);
        }
}

/* One cube, heavy enough to be compressed by its weight. */
static vvWorld *make_cube(int cells, const char *method, const char *linear, budget *memory)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.integrator.groundMode = VV_GROUND_NONE;
    def.solver.method = method;
    def.solver.linear = linear;
    def.threads = 1;
    if (memory)
        def.host.allocator = budget_allocator(memory);
    vvWorld *w = new_world(&def);
    vvMaterialDef m = material("fixed-corotated", 1e5);
    add_cube(w, 0.1, cells, &m);
    obstacle(w, "plane", (double[]){ 0, -0.06, 0, 0, 1, 0 }, -1);
    return w;
}

static void bake_anywhere(int cells, const char *method, int most)
{
    vvError error = { 0 };
    budget memory = { .left = 1 << 30 };
    size_t size;
    asked a = { 0 };
    vvWorld *twin = make_cube(cells, method, "auto", &memory);
    vvWorldSetCancel(twin, answer, &a);
    assert_ok(vvWorldBake(twin, &error));
    const long all = a.count;
    print_message("%s, %d nodes: asked %ld times\n", method, vvWorldNodeCount(twin), all);
    assert_true(all > 20);
    steps(twin, 1);
    char *wanted = state_of(twin, &size);
    vvWorldDestroy(twin);
    for (long k = 1; k <= all; k += 1 + all / most) {
        vvWorld *w = make_cube(cells, method, "auto", &memory);
        a = (asked){ 0, k };
        vvWorldSetCancel(w, answer, &a);
        assert_int_equal(vvWorldBake(w, &error), VV_CANCELLED);
        assert_int_equal(error.status, VV_CANCELLED);
        assert_int_equal(a.count, k); /* not asked again */
        a.at = 0;
        if (k % 2)
            assert_ok(vvWorldBake(w, &error));
        steps(w, 1);
        char *state = state_of(w, &size);
        assert_memory_equal(state, wanted, size);
        free(state);
        vvWorldDestroy(w);
        assert_int_equal(memory.live, 0);
    }
    free(wanted);
}

static void baking_ends_at_each_moment(void **state)
{
    (void)state;
    static const char *const methods[] = { "newton", "lbfgs", "block-descent" };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        bake_anywhere(3, methods[i], sanitized() ? 10 : 1000);
}

/* Of more elements than its loops take at a time. */
static void a_large_baking_ends_where_it_asks(void **state)
{
    (void)state;
    if (!sanitized())
        bake_anywhere(25, "newton", 12);
}

/* Large factors are left, too, and begun anew. */
static void a_factor_ends_where_it_asks(const char *method, const char *linear, int cells)
{
    vvError error = { 0 };
    size_t size;
    asked a = { 0 };
    vvWorld *w = make_cube(cells, method, linear, NULL);
    assert_ok(vvWorldBake(w, &error));
    char *start = state_of(w, &size);
    vvWorldSetCancel(w, answer, &a);
    assert_ok(vvWorldStep(w, NULL, &error));
    char *end = state_of(w, &size), *after = malloc(size);
    const long all = a.count;
    vvWorldDestroy(w);
    print_message("%s, %s: asked %ld times in a step\n", method, linear, all);
    assert_true(all > 1000); /* far more often than there are iterations */
    w = make_cube(cells, method, linear, NULL);
    assert_ok(vvWorldBake(w, &error));
    vvWorldSetCancel(w, answer, &a);
    for (long k = 10; k <= all / 2; k += all / 5) {
        a = (asked){ 0, k };
        assert_int_equal(vvWorldStep(w, NULL, &error), VV_CANCELLED);
        assert_int_equal(a.count, k);
        assert_ok(vvWorldSaveState(w, after, size, &error));
        assert_memory_equal(after, start, size);
    }
    a = (asked){ 0 };
    assert_ok(vvWorldStep(w, NULL, &error));
    assert_ok(vvWorldSaveState(w, after, size, &error));
    assert_memory_equal(after, end, size);
    free(start);
    free(end);
    free(after);
    vvWorldDestroy(w);
}

static void factors_end_where_they_ask(void **state)
{
    (void)state;
    bool has = false; /* this build, Cholesky factors */
    for (int i = 0; vvLinearSolverInfo(i); i++)
        has = has || strcmp(vvLinearSolverInfo(i)->name, "cholesky") == 0;
    if (sanitized() || !has)
        skip();
    a_factor_ends_where_it_asks("newton", "cholesky", 14);
    a_factor_ends_where_it_asks("lbfgs", "auto", 30);
}

/* Another world, whose factors want another number of BLAS threads. */
typedef struct another {
    vvWorld *world;
    long asked, steps;
} another;

static bool step_another(void *user)
{
    vvError error = { 0 };
    another *other = user;
    if (++other->asked % 100 == 0) {
        assert_ok(vvWorldStep(other->world, NULL, &error));
        other->steps++;
    }
    return false;
}

static vvWorld *make_two(vvWorld **small)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.solver.method = "newton", def.solver.linear = "cholesky", def.threads = 2;
    def.integrator.groundMode = VV_GROUND_NONE;
    vvMaterialDef m = material("fixed-corotated", 1e5);
    vvWorld *large = new_world(&def);
    add_cube(large, 0.1, 16, &m);
    *small = make_cube(4, "newton", "cholesky", NULL);
    return large;
}

static void a_world_may_step_another_while_it_factors(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *small;
    if (sanitized() || !vvLinearSolverInfo(0))
        skip();
    vvWorld *large = make_two(&small);
    assert_ok(vvWorldBake(large, &error));
    assert_ok(vvWorldBake(small, &error));
    another other = { .world = small };
    vvWorldSetCancel(large, step_another, &other);
    assert_ok(vvWorldStep(large, NULL, &error));
    assert_true(other.steps > 5 && vvWorldStepIndex(small) == other.steps);
    vvWorldDestroy(large), vvWorldDestroy(small);
}

/* ---- the thread's function, set within a callback of the world's call ---- */

static bool yes(void *user)
{
    ++*(long *)user;
    return true;
}

typedef struct within {
    asked *outer; /* what the thread's function had been told; NULL: there was none */
    bool leave;   /* the new one stays set */
    long asked, ended;
    vvWorld *other; /* is stepped, too */
} within;

static void work_within(void *user, vvLogLevel level, const char *message)
{
    vvError error = { 0 };
    within *at = user;
    vvMesh mesh;
    (void)level, (void)message;
    vvSetThreadCancel(yes, &at->asked);
    at->ended += vvMeshGenerate("box", NULL, 0, &mesh, &error) == VV_CANCELLED;
    at->ended += at->other && vvWorldStep(at->other, NULL, &error) == VV_CANCELLED;
    if (!at->leave)
        vvSetThreadCancel(at->outer ? answer : NULL, at->outer);
}

static void a_function_set_in_a_callback_ends_only_what_it_calls(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int how = 0; how < 3; how++) {
        asked a = { 0 };
        vvWorld *other = make(0.02, 0.02, NULL);
        within at = { .outer = how == 1 ? &a : NULL, .leave = how == 2, .other = other };
        vvWorldDef def = vvDefaultWorldDef();
        def.host.log = (vvLog){ work_within, &at };
        def.threads = 1;
        vvWorld *w = new_world(&def); /* without a level of the ground energy, which is told */
        vvMaterialDef m = material("fixed-corotated", 1e5);
        add_cube(w, 0.1, 3, &m);
        obstacle(w, "plane", (double[]){ 0, -0.06, 0, 0, 1, 0 }, -1);
        vvSetThreadCancel(at.outer ? answer : NULL, at.outer);
        for (int k = 0; k < (how == 2 ? 1 : 20); k++)
            assert_ok(vvWorldStep(w, NULL, &error));
        assert_true(at.ended > 0);
        if (how == 2) /* that one began with it */
            assert_int_equal(vvWorldStep(w, NULL, &error), VV_CANCELLED);
        vvSetThreadCancel(NULL, NULL);
        assert_ok(vvWorldStep(w, NULL, &error));
        assert_ok(vvWorldStep(other, NULL, &error));
        assert_true(at.ended > 0 && at.ended % 2 == 0 && at.asked >= at.ended);
        if (how == 1)
            assert_true(a.count > 20); /* the outer call went on to ask */
        vvWorldDestroy(w), vvWorldDestroy(other);
    }
}

/* Edges of 1 mm: 3 mm are warned of, once, with a distance with which there is no warning; so are none of those in
 * use. */
static void a_distance_of_many_edges_is_warned_of(void **state)
{
    (void)state;
    warned said = { 0 };
    vvError error = { 0 };
    vvWorld *w = make(1e-3, 0.003, &said);
    assert_ok(vvWorldBake(w, &error));
    obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, -1);
    assert_ok(vvWorldBake(w, &error)); /* anew */
    assert_int_equal(said.count, 1);
    vvWorldDestroy(w);
    char *fits = strstr(said.text, "take minutes; ");
    assert_non_null(fits);
    assert_non_null(strstr(said.text, "contact.distance, 0.003 m"));
    double distance = atof(fits + strlen("take minutes; "));
    assert_true(distance > 0.05e-3 && distance <= 0.2e-3);
    said.count = 0;
    const double use[] = { distance, 1e-4, 2e-3 };
    for (int k = 0; k < 3; k++) {
        w = make(1e-3, use[k], &said);
        assert_ok(vvWorldBake(w, &error));
        assert_int_equal(said.count, 0);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_ends_where_it_asks),
        cmocka_unit_test(settling_and_baking_end_where_they_ask),
        cmocka_unit_test(baking_ends_at_each_moment),
        cmocka_unit_test(a_large_baking_ends_where_it_asks),
        cmocka_unit_test(factors_end_where_they_ask),
        cmocka_unit_test(a_world_may_step_another_while_it_factors),
        cmocka_unit_test(a_function_set_in_a_callback_ends_only_what_it_calls),
        cmocka_unit_test(a_distance_of_many_edges_is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
