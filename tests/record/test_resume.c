/* With the real world: a run that was cut off and resumed in another process, or resumed from an earlier frame, has the
 * frames, ledger rows and restart states of the uninterrupted run, to the bit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "visviva/visviva.h"
#include "resume_support.h"
#include "positional.h"

enum { STEPS = 24, EVERY = 3, CUT = 13 };
#define FOLDER VV_BUILD_DIR "/test_resume_files"

/* A soft ball and a fixed-end bar; the ball falls onto the ground, with friction, within the run. */
static const char scene_format[] =
    "{ \"visviva\": 1, \"name\": \"resumed\", \"time\": { \"step\": \"1/100\", \"end\": 1 },"
    "  \"integrator\": { \"scheme\": \"%s\", \"policy\": \"%s\", \"scope\": \"%s\" },"
    "  \"solver\": { \"linear\": \"%s\" },"
    "  \"contact\": { %s, \"distance\": 5e-3, \"friction\": 0.3 },"
    "  \"materials\": { \"soft\": { \"model\": \"stable-neo-hookean\", \"young\": 5e4, \"poisson\": 0.3, \"density\": "
    "1000 } },"
    "  \"bodies\": ["
    "    { \"name\": \"box\", \"material\": \"soft\", \"mesh\": { \"box\": { \"size\": [0.1, 0.1, 0.1], \"cells\": [2, "
    "2, 2] } },"
    "      \"place\": { \"translate\": [0, 0.08, 0], \"rotate\": [20, 0, 10] },"
    "      \"velocity\": { \"linear\": [0.5, -1, 0], \"angular\": [0, 0, 3] } },"
    "    { \"name\": \"bar\", \"material\": \"soft\", \"mesh\": { \"box\": { \"size\": [0.4, 0.1, 0.1], \"cells\": [4, "
    "1, 1] } },"
    "      \"place\": { \"translate\": [0, 0.5, 0.5] },"
    "      \"attach\": [ { \"where\": { \"box\": [[-0.3, 0, 0], [-0.15, 1, 1]] }, \"kind\": \"fixed\" } ] }%s ],"
    "  \"obstacles\": [ { \"plane\": { \"point\": [0, 0, 0], \"normal\": [0, 1, 0] }, \"friction\": 0.25 } ] }";

/* A shell and a rod with directors, and a shell with hinges. */
static const char thin_bodies[] =
    ", { \"name\": \"shell\", \"mesh\": { \"sheet\": { \"size\": [0.2, 0.2], \"edge\": 0.06 } }, \"thickness\": 5e-3,"
    "    \"material\": [ { \"model\": \"stvk-membrane\", \"young\": 1e5 }, { \"model\": \"midedge\", \"young\": 1e6 } "
    "],"
    "    \"place\": { \"translate\": [0, 1, 0] }, \"start\": [ { \"bend\": { \"angle\": 60 } } ] },"
    "  { \"name\": \"flap\", \"mesh\": { \"sheet\": { \"size\": [0.2, 0.2], \"edge\": 0.06 } }, \"thickness\": 5e-3,"
    "    \"material\": [ { \"model\": \"neo-hookean-membrane\", \"young\": 1e5 }, { \"model\": \"hinge\", \"young\": "
    "1e6, \"flat\": true } ],"
    "    \"place\": { \"translate\": [0, 1.5, 0] }, \"start\": [ { \"bend\": { \"angle\": 60 } } ] },"
    "  { \"name\": \"curl\", \"mesh\": { \"helix\": { \"radius\": 0.1, \"pitch\": 0.05, \"turns\": 1.5 } }, "
    "\"thickness\": 5e-3,"
    "    \"material\": [ { \"model\": \"rod-stretch\", \"young\": 1e6 }, { \"model\": \"rod\", \"young\": 1e6, "
    "\"rest_twist\": 5 } ],"
    "    \"place\": { \"translate\": [1, 2, 0] } }";

typedef struct combination {
    const char *scheme, *policy, *linear, *scope;
    bool thin;
    const char *contact;
} combination;

static vvWorld *make_world(const combination *c)
{
    char text[8192];
    vvError error = { 0 };
    vvScene *scene;
    vvWorld *world;
    snprintf(text, sizeof text, scene_format, c->scheme, c->policy, c->scope ? c->scope : "groups", c->linear,
             c->contact ? c->contact : "\"model\": \"barrier\"", c->thin ? thin_bodies : "");
    if (vvSceneParse(text, "test", ".", NULL, 0, &scene, &error) != VV_OK ||
        vvSceneCreateWorld(scene, 1, &world, &error) != VV_OK || vvWorldBake(world, &error) != VV_OK) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    vvSceneDestroy(scene);
    return world;
}

static bool go_on(vvRunWriter *w, vvWorld *world, int64_t steps)
{
    vvError error = { 0 };
    vvStepReport report;
    while (vvWorldStepIndex(world) < steps) {
        if (vvWorldStep(world, &report, &error) != VV_OK || vvRunAddStep(w, world, &report, &error) != VV_OK ||
            (vvWorldStepIndex(world) % EVERY == 0 && vvRunAddFrame(w, world, &error) != VV_OK)) {
            fprintf(stderr, "%s\n", error.message);
            return false;
        }
    }
    return true;
}

static void make_run(const char *path, const combination *c, int64_t steps, bool close)
{
    vvError error = { 0 };
    vvRunWriter *w;
    fflush(stdout);
    pid_t child = fork(); /* a process of its own: nothing that it computed can be left over */
    if (child == 0) {
        vvWorld *world = make_world(c);
        if (vvRunCreate(path, world, "resumed", NULL, &w, &error) != VV_OK || !go_on(w, world, steps))
            _exit(1);
        _exit(!close || vvRunClose(w, "done", &error) == VV_OK ? 0 : 2);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void resume_run(const char *path, const combination *c, int frame)
{
    vvError error = { 0 };
    vvRunWriter *w;
    vvWorld *world = make_world(c);
    if (resume_at(path, world, frame, &w, &error) != VV_OK)
        fail_msg("%s", error.message);
    assert_true(go_on(w, world, STEPS));
    assert_int_equal(vvRunClose(w, "done", &error), VV_OK);
    vvWorldDestroy(world);
}

/* The bytes of a dataset, whatever it holds. */
static char *bytes_of(const char *path, const char *name, size_t *size)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    *size = H5Tget_size(type) * (size_t)H5Sget_simple_extent_npoints(space);
    char *data = calloc(*size + 1, 1);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Sclose(space), H5Tclose(type), H5Dclose(set), H5Fclose(file);
    return data;
}

static void compare(const char *a, const char *b, const combination *c)
{
    static const char *const names[] = { "/VTKHDF/Points",        "/VTKHDF/PointData/velocity",
                                         "/VTKHDF/Steps/Values",  "/visviva/frames",
                                         "/visviva/ledger",       "/visviva/body_energies",
                                         "/visviva/body_visible", "/visviva/state" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n, m, at = 0;
        char *x = bytes_of(a, names[i], &n), *y = bytes_of(b, names[i], &m);
        assert_int_equal(n, m);
        while (at < n && x[at] == y[at])
            at++;
        if (at < n)
            fail_msg("%s with %s, %s: %s differs from byte %zu of %zu on", c->scheme, c->policy, c->linear, names[i],
                     at, n);
        free(x), free(y);
    }
}

static void test_resume_gives_the_same_bits(void **state)
{
    (void)state;
    static const combination all[] = {
        { "backward-euler", "search", "pcg" },
        { "backward-euler", "search", "cholesky" },
        { "bdf2", "none", "auto" },
        { "tr-bdf2", "none", "cholesky" },
        { "backward-euler", "project", "auto", "groups" },
        { "backward-euler", "filtered-search", "auto", "groups" },
        { "backward-euler", "filtered-search", "auto", "world" },
        { "backward-euler", "search", "auto", NULL, true },
        { "bdf2", "none", "cholesky", NULL, true },
        { "backward-euler", "none", "auto", NULL, false, "\"model\": \"constraint\"" },
        { "bdf2", "none", "pcg", NULL, false, "\"model\": \"constraint\"" },
        { "backward-euler", "none", "auto", NULL, false,
          "\"model\": \"constraint\", \"constraint\": { \"when\": \"after\" }" },
        { "backward-euler", "none", "auto", NULL, false, "\"model\": \"penalty\"" },
        { "backward-euler", "search", "auto", NULL, false, "\"model\": \"penalty\"" },
    };
    const char *whole = FOLDER "/whole.vtkhdf", *cut = FOLDER "/cut.vtkhdf";
    mkdir(FOLDER, 0777);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        make_run(whole, &all[i], STEPS, true);
        make_run(cut, &all[i], CUT, false);
        resume_run(cut, &all[i], -1);
        compare(whole, cut, &all[i]);
        resume_run(cut, &all[i], 2);
        compare(whole, cut, &all[i]);
        resume_run(cut, &all[i], 0);
        compare(whole, cut, &all[i]);
    }
}

static void says(vvStatus status, const vvError *error, const char *word)
{
    if (status != VV_ERROR_INPUT || !strstr(error->message, word))
        fail_msg("wanted a message with \"%s\"; got \"%s\": %s", word, vvStatusName(status), error->message);
}

/* A run has the same bodies in all frames. Obstacles and attachments may change; frames after that can be played, but
 * have no restart state where attachments came or went. */
static void test_a_world_that_changes_while_it_is_recorded(void **state)
{
    (void)state;
    static const combination c = { "backward-euler", "search", "auto" };
    const char *path = FOLDER "/live.vtkhdf";
    vvError error = { 0 };
    vvRunWriter *w;
    mkdir(FOLDER, 0777);
    vvWorld *world = make_world(&c);
    assert_int_equal(vvRunCreate(path, world, "live", NULL, &w, &error), VV_OK);
    assert_true(go_on(w, world, 3)); /* frames 0 and 1 */
    vvSnapshot *before;
    assert_int_equal(vvWorldSnapshot(world, &before, &error), VV_OK);
    vvObstacleDef stone = vvDefaultObstacleDef();
    shape_obstacle(&stone, (double[]){ 0, -1, 0, 0, 1, 0 });
    assert_int_equal(vvWorldAddObstacle(world, &stone, NULL, &error), VV_OK);
    assert_true(go_on(w, world, 6)); /* 2 */
    vvAttachDef hold = vvDefaultAttachDef();
    vvAttachId held;
    assert_int_equal(vvBodyAttach(world, vvWorldBody(world, 0), &hold, &held, &error), VV_OK);
    assert_true(go_on(w, world, 9)); /* 3: another state */
    assert_int_equal(vvWorldDetach(world, held, &error), VV_OK);
    assert_true(go_on(w, world, 12)); /* 4 */
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId guest;
    assert_int_equal(vvMeshGenerate("box", NULL, 0, &mesh, &error), VV_OK);
    def.mesh = &mesh;
    assert_int_equal(vvWorldAddBody(world, &def, &guest, &error), VV_OK);
    vvMeshDestroy(&mesh);
    says(vvRunAddStep(w, world, NULL, &error), &error, "bodies have changed");
    says(vvRunAddFrame(w, world, &error), &error, "bodies have changed");
    assert_int_equal(vvWorldRemoveBody(world, guest, &error), VV_OK);
    assert_true(go_on(w, world, 15)); /* 5: the bodies of the run again */
    vvBodyId bar = vvWorldBody(world, 1);
    assert_int_equal(vvWorldRemoveBody(world, bar, &error), VV_OK);
    says(vvRunAddFrame(w, world, &error), &error, "bodies have changed");
    assert_int_equal(vvWorldRestore(world, before, &error), VV_OK); /* back to step 3, with the same bodies */
    assert_int_equal(vvRunAddFrame(w, world, &error), VV_OK);
    assert_int_equal(vvRunClose(w, "done", &error), VV_OK);
    vvSnapshotDestroy(before);
    vvWorldDestroy(world);
    world = make_world(&c);
    says(resume_at(path, world, 3, &w, &error), &error, "no restart state");
    assert_int_equal(resume_at(path, world, 4, &w, &error), VV_OK);
    assert_int_equal(vvWorldStepIndex(world), 12);
    assert_true(go_on(w, world, 15));
    assert_int_equal(vvRunClose(w, "done", &error), VV_OK);
    vvWorldDestroy(world);
}

/* What a host sets in the run, by the number of steps made. */
static void set_at(vvWorld *world, int64_t step)
{
    vvError error = { 0 };
    vvStatus status = VV_OK;
    vvMaterialDef soft;
    vvIntegratorDef in = vvWorldGetDef(world)->integrator;
    vvBodyId box = vvWorldBody(world, 0);
    if (step == 3) {
        status = vvWorldSetGravity(world, (double[]){ 1, -12, 0 }, &error);
    } else if (step == 6) {
        assert_true(vvBodyGetMaterial(world, box, 0, &soft));
        soft.young = 8e4;
        status = vvBodySetMaterial(world, box, 0, &soft, &error);
        if (status == VV_OK)
            status = vvWorldSetTimeStep(world, 0.005, &error);
    } else if (step == 9) {
        in.policy = "none";
        status = vvWorldSetIntegrator(world, &in, &error);
        if (status == VV_OK)
            status = vvWorldSetFriction(world, box, vvWorldBody(world, 1), 0.6, &error);
    } else if (step == 12) {
        status = vvBodySetSelfContact(world, box, false, &error);
    }
    if (status != VV_OK)
        fail_msg("%s", error.message);
}

static void go_on_setting(vvRunWriter *w, vvWorld *world, int64_t steps)
{
    while (vvWorldStepIndex(world) < steps) {
        set_at(world, vvWorldStepIndex(world));
        assert_true(go_on(w, world, vvWorldStepIndex(world) + EVERY));
    }
}

/* What setters changed is in the file: a run goes on with it to the same bits from any frame, in a world made from
 * the scene alone, and the file says when what was set. */
static void test_what_setters_change_is_resumed(void **state)
{
    (void)state;
    enum { LAST = 15, NODES = 400 };
    static const combination c = { "backward-euler", "search", "auto" };
    static const char *const texts[] = { "gravity=[1, -12, 0]", "box: young=80000, time.step=0.005",
                                         "integrator.policy=none, box, bar: friction=0.6", "box: self_contact=false" };
    const char *path = FOLDER "/settings.vtkhdf";
    vvError error = { 0 };
    vvRunWriter *w;
    vvRun *run;
    mkdir(FOLDER, 0777);
    vvWorld *world = make_world(&c);
    assert_int_equal(vvRunCreate(path, world, "settings", NULL, &w, &error), VV_OK);
    go_on_setting(w, world, LAST);
    static double end[3 * NODES], again[3 * NODES];
    size_t bytes = 3 * (size_t)vvWorldNodeCount(world) * sizeof *end;
    assert_true(bytes <= sizeof end);
    memcpy(end, vvWorldPositions(world), bytes);
    vvLedgerRow row, other;
    assert_int_equal(vvWorldLedger(world, &row, &error), VV_OK);
    assert_int_equal(vvRunOpen(path, &run, &error), VV_OK); /* while it is written, too */
    assert_int_equal(vvRunChangeCount(run), 4);
    vvRunFree(run);
    assert_int_equal(vvRunClose(w, "done", &error), VV_OK);
    vvWorldDestroy(world);
    for (int frame = LAST / EVERY; frame >= 0; frame--) { /* each drops what came after it */
        assert_int_equal(vvRunOpen(path, &run, &error), VV_OK);
        assert_int_equal(vvRunChangeCount(run), 4);
        for (int i = 0; i < 4; i++) {
            int at;
            assert_string_equal(vvRunChange(run, i, &at), texts[i]);
            assert_int_equal(at, EVERY * (i + 1));
        }
        double gravity[3];
        vvRunGravity(run, gravity);
        assert_true(vvRunTimeStep(run) == 0.005 && gravity[0] == 1 && !vvRunGetBody(run, 0)->selfContact);
        assert_string_equal(vvRunPolicy(run), "none");
        /* a world of its own, read only: the state is that from which the run goes on */
        vvWorld *looked = make_world(&c);
        assert_int_equal(vvRunLoadFrame(run, frame, looked, &error), VV_OK);
        assert_int_equal(vvRunLoadFrame(run, frame + 100, looked, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, "has no frame"));
        vvRunFree(run);
        world = make_world(&c);
        assert_int_equal(resume_at(path, world, frame, &w, &error), VV_OK);
        assert_memory_equal(vvWorldPositions(looked), vvWorldPositions(world), bytes);
        assert_memory_equal(vvWorldVelocities(looked), vvWorldVelocities(world), bytes);
        assert_true(vvWorldTime(looked) == vvWorldTime(world));
        vvWorldDestroy(looked);
        assert_int_equal(vvWorldStepIndex(world), EVERY * frame);
        assert_true(vvWorldGetDef(world)->gravity[0] == (frame > 1 ? 1 : 0) &&
                    vvWorldGetDef(world)->timeStep == (frame > 2 ? 0.005 : 0.01));
        go_on_setting(w, world, LAST);
        memcpy(again, vvWorldPositions(world), bytes);
        assert_memory_equal(end, again, bytes);
        assert_int_equal(vvWorldLedger(world, &other, &error), VV_OK);
        assert_true(row.total == other.total && row.target == other.target && row.time == other.time);
        assert_int_equal(vvRunClose(w, "done", &error), VV_OK);
        vvWorldDestroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_resume_gives_the_same_bits),
                                        cmocka_unit_test(test_what_setters_change_is_resumed),
                                        cmocka_unit_test(test_a_world_that_changes_while_it_is_recorded) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
