/* visviva run --paranoid, and what the summary and visviva check say, where a step lets surfaces through each other.
 * No scene makes a step do that; here the program's own files run with a broad phase that finds nothing. */
#include "world_support.h"

#include <unistd.h>

#include "visviva/contact.h"
#include "visviva/run.h"
#include "visviva/scene.h"
#include "world/world.h"

static bool blind; /* whether the program's world is */
static vv_surface nothing;

/* The broad phase works on surfaces of bodies that do not touch from here on. */
static vvStatus make_blind(vvWorld *w, vvError *error)
{
    static const unsigned char never[16];
    if (!blind || !w->contact || !w->contact->collisions)
        return VV_OK;
    nothing = w->contact->surface;
    nothing.touches = never;
    for (int b = 0; b < nothing.body_count; b++)
        nothing.bodies[b].self = false;
    vv_candidates_free(&w->contact->collisions->candidates);
    return vv_candidates_create(&nothing, w->def.contact.distance, &w->contact->collisions->candidates, error);
}

/* In place of the program's two ways to a world that can step. */
static vvStatus bake(vvWorld *w, vvError *error)
{
    vvStatus status = vvWorldBake(w, error);
    return status ? status : make_blind(w, error);
}

static vvStatus resume_run(const char *path, vvWorld *w, const vvResumeDef *def, vvRunWriter **writer, vvError *error)
{
    vvStatus status = vvRunResume(path, w, def, writer, error);
    return status ? status : make_blind(w, error);
}

#define vvWorldBake bake
#define vvRunResume resume_run
#include "../cli/run/run.c"
#undef vvWorldBake
#undef vvRunResume
#include "../cli/changes.c"
#include "../cli/check/run.c"
#include "../cli/intersections.c"
#include "../cli/intersections_ply.c"
#include "../cli/json.c"
#include "../cli/lengths.c"
#include "../cli/line.c"
#include "../cli/options.c"
#include "../cli/outputs.c"
#include "../cli/progress.c"
#include "../cli/run/breaks.c"
#include "../cli/run/notes.c"
#include "../cli/run/options.c"
#include "../cli/say.c"
#include "../cli/scenes.c"
#include "../cli/run/stall.c"
#include "../cli/summary.c"

/* No test here asks for a report. */
int vv_report_check_output(const char *option, const char *path)
{
    (void)option, (void)path;
    return 2;
}

int vv_report_write(const vv_report_def *def)
{
    (void)def;
    return 1;
}

#define HOME "test-paranoid-"

static const char scene_text[] =
    "{ \"visviva\": 1, \"name\": \"pass\", \"time\": { \"step\": 0.01, \"end\": 0.06, \"record_every\": 2 },"
    "\"integrator\": { \"ground_energy\": \"none\" }, \"gravity\": [0, 0, 0],"
    "\"materials\": { \"m\": { \"model\": \"neo-hookean\", \"young\": 1e5 } }, \"bodies\": ["
    "{ \"name\": \"still\", \"material\": \"m\", \"mesh\": { \"box\": { \"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, "
    "2] } } },"
    "{ \"name\": \"quick\", \"material\": \"m\", \"mesh\": { \"box\": { \"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, "
    "2] } },"
    "\"place\": { \"translate\": [0.13, 0.013, 0.017] }, \"velocity\": { \"linear\": [-0.9, 0, 0] } } ] }";

static int call(const char *const *words)
{
    char *argv[16] = { 0 };
    int argc = 0;
    for (; words[argc]; argc++)
        argv[argc] = (char *)(uintptr_t)words[argc];
    return vv_cli_run(argc, argv);
}

static bool holds(const char *path, const char *words)
{
    char text[1 << 14];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return strstr(text, words) != NULL;
}

static int set_up(void **state)
{
    (void)state;
    FILE *f = fopen(HOME "pass.json", "w");
    fputs(scene_text, f);
    return fclose(f);
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const files[] = { "pass.json",   "good.vtkhdf", "good.xdmf",   "good.summary",
                                         "bad.vtkhdf",  "bad.xdmf",    "bad.summary", "bad-intersections.ply",
                                         "stop.vtkhdf", "stop.xdmf",   "stop.summary" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128];
        snprintf(path, sizeof path, HOME "%s", files[i]);
        unlink(path);
    }
    return 0;
}

static void test_sound(void **state)
{
    (void)state;
    blind = false;
    assert_int_equal(call((const char *[]){ "run", HOME "pass.json", "-q", "--paranoid", "-o", HOME "good.vtkhdf",
                                            "--summary", HOME "good.summary", NULL }),
                     VV_EXIT_OK);
    assert_true(holds(HOME "good.summary", "\"intersections\": 0,"));
    assert_int_equal(vv_cli_check_run(HOME "good.vtkhdf", NULL, NULL), VV_EXIT_OK);
}

/* Without --paranoid the run goes on; the summary counts, and check finds the frames. */
static void test_not_stopped(void **state)
{
    (void)state;
    vvError error = { 0 };
    blind = true;
    assert_int_equal(call((const char *[]){ "run", HOME "pass.json", "-q", "-o", HOME "bad.vtkhdf", "--summary",
                                            HOME "bad.summary", NULL }),
                     VV_EXIT_OK);
    vvRun *run = NULL;
    int64_t pairs = 0;
    assert_ok(vvRunOpen(HOME "bad.vtkhdf", &run, &error));
    assert_ok(vv_hits_count(run, vvRunFrameCount(run), &pairs, &error));
    assert_true(pairs > 0);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"intersections\": %lld,", (long long)pairs);
    assert_true(holds(HOME "bad.summary", wanted));
    vvRunFree(run);
    assert_int_equal(vv_cli_check_run(HOME "bad.vtkhdf", NULL, NULL), VV_EXIT_FAILED);
    assert_true(holds(HOME "bad-intersections.ply", " 230 20 20 "));
}

/* With it the first step that ends in an intersection ends the run, which can be read up to there. */
static void test_stopped(void **state)
{
    (void)state;
    vvError error = { 0 };
    blind = true;
    assert_int_equal(call((const char *[]){ "run", HOME "pass.json", "-q", "--paranoid", "-o", HOME "stop.vtkhdf",
                                            "--summary", HOME "stop.summary", NULL }),
                     VV_EXIT_FAILED);
    vvRun *run = NULL;
    assert_ok(vvRunOpen(HOME "stop.vtkhdf", &run, &error));
    assert_non_null(strstr(vvRunStatusText(run), "failed at step 4: bodies intersect after a step"));
    assert_non_null(strstr(vvRunStatusText(run), "\"still\""));
    assert_int_equal(vvRunRowCount(run), 4); /* the start and three steps */
    assert_int_equal(vvRunFrameStep(run, vvRunFrameCount(run) - 1), 3);
    vvRunFree(run);
    assert_true(holds(HOME "stop.summary", "\"intersections\": 0,"));
    assert_true(holds(HOME "stop.summary", "\"failed_steps\": 1,"));
    assert_int_equal(vv_cli_check_run(HOME "stop.vtkhdf", NULL, NULL), VV_EXIT_OK);
    /* and again where it goes on from there */
    assert_int_equal(call((const char *[]){ "run", HOME "stop.vtkhdf", "-q", "--resume", "--paranoid", NULL }),
                     VV_EXIT_FAILED);
    /* the program's own world stops the boxes in time */
    blind = false;
    assert_int_equal(call((const char *[]){ "run", HOME "stop.vtkhdf", "-q", "--resume", "--paranoid", NULL }),
                     VV_EXIT_OK);
    assert_int_equal(vv_cli_check_run(HOME "stop.vtkhdf", NULL, NULL), VV_EXIT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_not_stopped),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
