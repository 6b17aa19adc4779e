/* Many worlds at once (visviva/batch.h): the bits of each are those of its own steps, for any number of threads; a
 * world that fails fails alone; what is wrong is refused before a world is stepped. */
#include "visviva/batch.h"
#include "visviva/contact.h"
#include "visviva/interact.h"
#include "visviva/settings.h"
#include "world_support.h"

enum { WORLDS = 5, STEPS = 4 };

/* A cube above a plane, higher in each world. */
static vvWorld *world_of(int index)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.threads = 1;
    vvWorld *w = new_world(&def);
    obstacle(w, "plane", NULL, 0.3);
    vvBodyDef body = vvDefaultBodyDef();
    body.material = material("neo-hookean", 3e4);
    body.translate[1] = 0.052 + 0.01 * index;
    const double size[3] = { 0.1, 0.1, 0.1 };
    const int cells[3] = { 2, 2, 2 };
    add_box_def(w, size, cells, 5, &body);
    return w;
}

static void make(vvWorld **worlds, int count)
{
    for (int i = 0; i < count; i++)
        worlds[i] = world_of(i);
}

static void destroy(vvWorld **worlds, int count)
{
    for (int i = 0; i < count; i++)
        vvWorldDestroy(worlds[i]);
}

static vvBatchDef def_of(vvWorld *const *worlds, int count)
{
    vvBatchDef def = vvDefaultBatchDef();
    def.worlds = worlds, def.worldCount = count;
    return def;
}

static const int pushed[2] = { 0, 7 };

static void forces_of(double *forces)
{
    for (int i = 0; i < WORLDS * 6; i++)
        forces[i] = 0.01 * ((i * 7) % 11 - 5);
}

static void compare(const vvWorld *a, const vvWorld *b)
{
    const size_t bytes = 3 * (size_t)vvWorldNodeCount(a) * sizeof(double);
    assert_memory_equal(vvWorldPositions(a), vvWorldPositions(b), bytes);
    assert_memory_equal(vvWorldVelocities(a), vvWorldVelocities(b), bytes);
}

static void bits_are_those_of_single_steps(void **state)
{
    (void)state;
    vvError error = { 0 };
    double forces[WORLDS * 6];
    forces_of(forces);
    vvWorld *alone[WORLDS];
    make(alone, WORLDS);
    for (int i = 0; i < WORLDS; i++)
        for (int s = 0; s < STEPS; s++) {
            assert_ok(vvWorldApplyForces(alone[i], 2, pushed, forces + 6 * i, &error));
            assert_ok(vvWorldStep(alone[i], NULL, &error));
        }
    for (int threads = 1; threads <= 3; threads++) {
        vvWorld *worlds[WORLDS];
        vvBatch *batch = NULL;
        make(worlds, WORLDS);
        const size_t nodes = (size_t)vvWorldNodeCount(worlds[0]);
        double *x = calloc(WORLDS * 3 * nodes, sizeof *x), some[WORLDS][2][3];
        vvLedgerRow rows[WORLDS], row;
        vvStatus statuses[WORLDS];
        int made[WORLDS];
        assert_ok(vvBatchCreate(threads, &batch, &error));
        assert_int_equal(vvBatchThreads(batch), threads);
        vvBatchDef def = def_of(worlds, WORLDS);
        def.steps = STEPS, def.forces = forces, def.forceNodes = pushed, def.forceNodeCount = 2;
        def.positions = x, def.rows = rows, def.statuses = statuses, def.stepsMade = made;
        assert_ok(vvBatchStep(batch, &def, &error));
        for (int i = 0; i < WORLDS; i++) {
            compare(worlds[i], alone[i]);
            assert_memory_equal(x + 3 * nodes * (size_t)i, vvWorldPositions(worlds[i]), 3 * nodes * sizeof *x);
            assert_int_equal(statuses[i], VV_OK);
            assert_int_equal(made[i], STEPS);
            assert_ok(vvWorldLedger(alone[i], &row, &error));
            assert_int_equal(rows[i].step, STEPS);
            assert_memory_equal(&rows[i].total, &row.total, sizeof row.total);
        }
        /* no step, two nodes, velocities alone */
        const int wanted[2] = { 3, 1 };
        def = def_of(worlds, WORLDS);
        def.steps = 0, def.gatherNodes = wanted, def.gatherNodeCount = 2, def.velocities = &some[0][0][0];
        assert_ok(vvBatchStep(batch, &def, &error));
        for (int i = 0; i < WORLDS; i++)
            for (int k = 0; k < 2; k++)
                assert_memory_equal(some[i][k], vvWorldVelocities(worlds[i]) + 3 * wanted[k], sizeof some[i][k]);
        vvBatchDestroy(batch);
        destroy(worlds, WORLDS);
        free(x);
    }
    destroy(alone, WORLDS);
}

/* One that is in its plane from the start cannot be baked; one that is cancelled makes no step. */
static void one_that_fails_fails_alone(void **state)
{
    (void)state;
    vvError error = { 0 }, errors[WORLDS];
    vvWorld *worlds[WORLDS], *alone[WORLDS];
    vvBatch *batch = NULL;
    vvStatus statuses[WORLDS];
    int made[WORLDS];
    make(worlds, WORLDS);
    make(alone, WORLDS);
    double forces[WORLDS * 6];
    forces_of(forces);
    assert_ok(vvBatchCreate(2, &batch, &error));
    vvBatchDef def = def_of(worlds, WORLDS);
    def.forces = forces, def.forceNodes = pushed, def.forceNodeCount = 2;
    def.statuses = statuses, def.errors = errors, def.stepsMade = made;
    assert_ok(vvBatchStep(batch, &def, &error));
    vvWorldCancel(worlds[2]);
    vvWorldCancel(worlds[4]);
    assert_int_equal(vvBatchStep(batch, &def, &error), VV_CANCELLED);
    assert_memory_equal(error.message, "world 2: ", 9);
    for (int i = 0; i < WORLDS; i++) {
        assert_int_equal(statuses[i], i == 2 || i == 4 ? VV_CANCELLED : VV_OK);
        assert_int_equal(made[i], i == 2 || i == 4 ? 0 : 1);
        assert_int_equal(errors[i].message[0] != 0, i == 2 || i == 4);
        assert_int_equal(vvWorldStepIndex(worlds[i]), i == 2 || i == 4 ? 1 : 2);
    }
    /* the forces of the step that failed do not wait for the next one */
    assert_ok(vvBatchStep(batch, &def, &error));
    for (int s = 0; s < 2; s++) {
        assert_ok(vvWorldApplyForces(alone[2], 2, pushed, forces + 12, &error));
        assert_ok(vvWorldStep(alone[2], NULL, &error));
    }
    compare(worlds[2], alone[2]);
    vvBatchDestroy(batch);
    destroy(worlds, WORLDS);
    destroy(alone, WORLDS);
}

static void refused(vvBatch *batch, const vvBatchDef *def, const char *words)
{
    vvError error = { 0 };
    assert_int_equal(vvBatchStep(batch, def, &error), VV_ERROR_INPUT);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in \"%s\"", words, error.message);
    for (int i = 0; def && i < 2; i++)
        assert_int_equal(vvWorldStepIndex(def->worlds && i < def->worldCount ? def->worlds[i] : NULL), 0);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *worlds[2];
    vvBatch *batch = NULL, *none = NULL;
    double forces[12] = { 0 }, x[600];
    make(worlds, 2);
    assert_int_equal(vvBatchCreate(-1, &none, &error), VV_ERROR_INPUT);
    assert_int_equal(vvBatchCreate(1025, &none, &error), VV_ERROR_INPUT);
    assert_int_equal(vvBatchCreate(1, NULL, &error), VV_ERROR_INPUT);
    assert_null(none);
    assert_int_equal(vvBatchThreads(NULL), 0);
    vvBatchDestroy(NULL);
    assert_ok(vvBatchCreate(2, &batch, &error));
    const vvBatchDef good = def_of(worlds, 2);
    vvBatchDef d = good;
    refused(batch, NULL, "found NULL");
    refused(NULL, &d, "found NULL");
    d.internalValue = 0;
    refused(batch, &d, "vvDefaultBatchDef");
    d = good, d.steps = -1;
    refused(batch, &d, "steps is -1");
    d = good, d.worldCount = 0;
    refused(batch, &d, "worldCount is 0");
    d = good, d.worlds = NULL;
    refused(batch, &d, "worlds is NULL");
    d = good, d.worlds = (vvWorld *[]){ worlds[0], NULL };
    refused(batch, &d, "world 1 is NULL");
    d = good, d.worlds = (vvWorld *[]){ worlds[0], worlds[0] };
    refused(batch, &d, "comes twice");
    d = good, d.forces = forces;
    d.forceNodeCount = 2;
    refused(batch, &d, "forceNodes is NULL");
    d.forceNodes = (int[]){ 0, 1000 };
    refused(batch, &d, "forceNodes[1] is 1000; world 0 has 27 nodes");
    d.forceNodes = pushed, forces[10] = NAN;
    refused(batch, &d, "a force on node 7 of world 1 is nan");
    forces[10] = 1e31;
    refused(batch, &d, "within 1e30");
    d = good, d.positions = x, d.gatherNodes = (int[]){ -1 }, d.gatherNodeCount = 1;
    refused(batch, &d, "gatherNodes[0] is -1");
    d.gatherNodeCount = -1;
    refused(batch, &d, "gatherNodeCount is -1");
    vvBodyDef body = vvDefaultBodyDef();
    body.translate[1] = 3;
    add_box_def(worlds[1], (double[]){ 1, 1, 1 }, (int[]){ 1, 1, 1 }, 5, &body);
    d = good, d.positions = x;
    refused(batch, &d, "world 1 has 35 nodes, and world 0 has 27");
    vvBatchDestroy(batch);
    destroy(worlds, 2);
}

/* ---- callbacks -------------------------------------------------------------------------------------------------- */

static struct {
    vvBatch *batch;
    vvBatchDef def;
    vvStatus status;
    vvError error;
    int calls;
} trial;

static bool ask(void *user)
{
    (void)user;
    if (!trial.calls++) {
        trial.status = vvBatchStep(trial.batch, &trial.def, &trial.error);
        vvBatchDestroy(trial.batch);
    }
    return false;
}

static void callbacks_may_not_use_the_batch(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *worlds[3], *one[1];
    make(worlds, 3);
    assert_ok(vvBatchCreate(1, &trial.batch, &error));
    vvWorldSetCancel(worlds[0], ask, NULL);
    trial.def = def_of(worlds, 3);
    assert_ok(vvBatchStep(trial.batch, &trial.def, &error));
    assert_true(trial.calls > 0);
    assert_int_equal(trial.status, VV_ERROR_INPUT);
    assert_non_null(strstr(trial.error.message, "while the batch steps"));
    /* nor may another batch have a world that is in a call */
    vvBatch *first = trial.batch;
    assert_ok(vvBatchCreate(1, &trial.batch, &error));
    one[0] = worlds[0];
    trial.def = def_of(one, 1);
    trial.calls = 0;
    vvBatchDef all = def_of(worlds, 3);
    vvBatch *second = trial.batch;
    assert_ok(vvBatchStep(first, &all, &error));
    assert_int_equal(trial.status, VV_ERROR_INPUT);
    assert_non_null(strstr(trial.error.message, "another call works on the same world"));
    vvWorldSetCancel(worlds[0], NULL, NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(vvWorldStepIndex(worlds[i]), 2);
    vvBatchDestroy(first);
    (void)second; /* it was idle: the callback destroyed it */
    destroy(worlds, 3);
}

static int allowed;
static void *few(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    return allowed-- > 0 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : NULL;
}
static void give_back(void *user, void *block, size_t bytes)
{
    (void)user, (void)bytes;
    free(block);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    vvError error = { 0 };
    const vvAllocator short_of = { few, give_back, NULL };
    vvBatch *batch = NULL;
    assert_ok(vvSetThreadAllocator(&short_of, &error));
    for (int n = 0; n < 4; n++) {
        allowed = n;
        assert_int_equal(vvBatchCreate(2, &batch, &error), VV_ERROR_MEMORY);
        assert_null(batch);
    }
    allowed = 100;
    assert_ok(vvBatchCreate(2, &batch, &error));
    vvWorld *worlds[2];
    assert_ok(vvSetThreadAllocator(NULL, &error));
    make(worlds, 2);
    assert_ok(vvSetThreadAllocator(&short_of, &error));
    allowed = 0;
    const vvBatchDef def = def_of(worlds, 2);
    assert_int_equal(vvBatchStep(batch, &def, &error), VV_ERROR_MEMORY);
    allowed = 100;
    assert_ok(vvBatchStep(batch, &def, &error));
    vvBatchDestroy(batch);
    assert_ok(vvSetThreadAllocator(NULL, &error));
    destroy(worlds, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_single_steps), cmocka_unit_test(one_that_fails_fails_alone),
        cmocka_unit_test(what_is_wrong_is_refused),       cmocka_unit_test(callbacks_may_not_use_the_batch),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
