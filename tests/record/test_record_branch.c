/* Going on from a frame into another file, and with another scene: the old run stays as it is, the new one is whole. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "fake_run_world.h"

#define must(call)                                    \
    do {                                              \
        if ((call) != VV_OK)                          \
            fail_msg("%s: %s", #call, error.message); \
    } while (0)

static const char trunk[] = "trunk.vtkhdf", branch[] = "branch.vtkhdf";

static void go_on(vvRunWriter *writer, vvWorld *w, int steps)
{
    vvError error = { 0 };
    for (int i = 0; i < steps; i++) {
        vvStepReport report;
        fake_step(w, &report);
        must(vvRunAddStep(writer, w, &report, &error));
        must(vvRunAddFrame(writer, w, &error));
    }
    must(vvRunClose(writer, "done", &error));
}

static void make(const char *path, int grid, int steps, const char *scene)
{
    vvError error = { 0 };
    vvRunWriter *writer;
    vvWorld *w = fake_world(grid);
    must(vvRunCreate(path, w, "fake", scene, &writer, &error));
    go_on(writer, w, steps);
    fake_free(w);
}

static char *bytes_of(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

static void check(const char *path, int frames, const char *name, const char *scene)
{
    vvError error = { 0 };
    vvRun *run;
    must(vvRunOpen(path, &run, &error));
    assert_int_equal(vvRunFrameCount(run), frames);
    assert_int_equal(vvRunRowCount(run), frames);
    assert_string_equal(vvRunSceneName(run), name);
    assert_string_equal(vvRunSceneText(run), scene);
    assert_string_equal(vvRunStatusText(run), "done");
    /* the motion is that of a world that was never interrupted */
    vvWorld *w = fake_world(3);
    size_t n = 3 * (size_t)w->nodes;
    double *x = calloc(n, sizeof *x);
    assert_non_null(x);
    for (int f = 0; f < frames; f++) {
        vvStepReport report;
        must(vvRunReadFrame(run, f, x, NULL, &error));
        assert_memory_equal(x, w->x, n * sizeof *x);
        fake_step(w, &report);
    }
    free(x);
    fake_free(w);
    vvRunFree(run);
}

static void clean(void) { unlink(trunk), unlink(branch), unlink("trunk.xdmf"), unlink("branch.xdmf"); }

static void branches(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer;
    size_t before, after;
    make(trunk, 3, 10, "{ \"old\": 1 }");
    char *old = bytes_of(trunk, &before);
    /* into nothing, then over another run */
    for (int turn = 0; turn < 2; turn++) {
        vvWorld *w = fake_world(3);
        vvResumeDef def = vvDefaultResumeDef();
        def.frame = 4 + turn, def.output = branch, def.sceneName = "new",
        def.sceneText = "{ \"new\": \"longer than before\" }";
        must(vvRunResume(trunk, w, &def, &writer, &error));
        assert_int_equal(w->step, 4 + turn);
        go_on(writer, w, 3);
        fake_free(w);
        check(branch, 8 + turn, "new", "{ \"new\": \"longer than before\" }");
    }
    char *now = bytes_of(trunk, &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    free(old), free(now);
    clean();
}

/* Goes on from a frame with other settings; `output`: NULL for the same file. */
static void change_at(const char *path, const char *output, int frame, const char *change, int steps)
{
    vvError error = { 0 };
    vvRunWriter *writer;
    vvWorld *w = fake_world(3);
    vvResumeDef def = vvDefaultResumeDef();
    def.frame = frame, def.output = output, def.change = change;
    must(vvRunResume(path, w, &def, &writer, &error));
    go_on(writer, w, steps);
    fake_free(w);
}

/* "row:text row:text" */
static void expect_changes(const char *path, const char *expected)
{
    vvError error = { 0 };
    vvRun *run;
    char all[2000] = "";
    must(vvRunOpen(path, &run, &error));
    for (int i = 0; i < vvRunChangeCount(run); i++) {
        int row = -1;
        const char *text = vvRunChange(run, i, &row);
        assert_ptr_equal(text, vvRunChange(run, i, NULL));
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%d:%s", i ? " " : "", row, text);
    }
    assert_null(vvRunChange(run, vvRunChangeCount(run), NULL));
    assert_null(vvRunChange(run, -1, NULL));
    vvRunFree(run);
    assert_string_equal(all, expected);
}

/* What changed is remembered where it changed, through growth and closing; what a resumed run drops takes its changes
 * along. */
static void changes_are_remembered(void **state);

/* Settings that change while a run is written, now and then or all the time, with states that get longer: each is
 * there as soon as its frame is, also in a run that is cut off. */
static void changes_while_it_is_written(void **state)
{
    (void)state;
    enum { FRAMES = 60 };
    vvError error = { 0 };
    vvRunWriter *writer;
    vvRun *run;
    vvStepReport report;
    vvWorld *w = fake_world(3);
    must(vvRunCreate(trunk, w, "fake", "{}", &writer, &error));
    for (int f = 1; f <= FRAMES; f++) {
        fake_change(w, f % 7 == 0 ? 100 : 0);
        for (int k = 0; k < 2; k++) {
            fake_step(w, &report);
            must(vvRunAddStep(writer, w, &report, &error));
        }
        must(vvRunAddFrame(writer, w, &error));
        must(vvRunOpen(trunk, &run, &error));
        assert_int_equal(vvRunFrameCount(run), f + 1);
        assert_int_equal(vvRunChangeCount(run), f);
        int row;
        char text[32];
        snprintf(text, sizeof text, "change-%d", f);
        assert_string_equal(vvRunChange(run, f - 1, &row), text);
        assert_int_equal(row, 2 * (f - 1));
        vvRunFree(run);
    }
    size_t state_bytes = vvWorldStateSize(w);
    must(vvRunClose(writer, "done", &error));
    must(vvRunOpen(trunk, &run, &error));
    assert_int_equal(vvRunChangeCount(run), FRAMES);
    vvRunFree(run);
    vvWorld *other = fake_world(3);
    other->more = 100;
    must(vvRunResume(trunk, other, NULL, &writer, &error)); /* the longest state is there, with room behind it */
    assert_int_equal(other->step, w->step);
    assert_memory_equal(other->x, w->x, 3 * (size_t)w->nodes * sizeof *w->x);
    must(vvRunClose(writer, "done", &error));
    assert_true(state_bytes > vvWorldStateSize(other));
    fake_free(w);
    fake_free(other);
    clean();
}

static void changes_are_remembered(void **state)
{
    (void)state;
    make(trunk, 3, 10, "{}");
    expect_changes(trunk, "");
    change_at(trunk, NULL, -1, NULL, 1); /* went on as it was */
    expect_changes(trunk, "");
    change_at(trunk, NULL, 6, "a=1", 40); /* longer than the room that there was */
    expect_changes(trunk, "6:a=1");
    change_at(trunk, branch, 20, "b=2", 3);
    expect_changes(branch, "6:a=1 20:b=2");
    expect_changes(trunk, "6:a=1");
    change_at(branch, NULL, 20, "c=3", 3); /* again from the same frame: both are in effect there */
    expect_changes(branch, "6:a=1 20:b=2, c=3");
    change_at(branch, NULL, 12, NULL, 2);
    expect_changes(branch, "6:a=1");
    change_at(branch, NULL, 3, "d=4", 2);
    expect_changes(branch, "3:d=4");
    check(branch, 6, "fake", "{}");
    char longer[400], wanted[400];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    memcpy(longer + 252, "\xc3\xa4\xc3\xa4", 4); /* the last letter that begins within 255 bytes ends beyond them */
    change_at(branch, NULL, 2, longer, 1);
    snprintf(wanted, sizeof wanted, "2:%.254s", longer);
    expect_changes(branch, wanted);
    clean();
}

static void another_scene_in_place(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer;
    make(trunk, 3, 10, "{}");
    vvWorld *w = fake_world(3);
    vvResumeDef def = vvDefaultResumeDef();
    def.sceneText = "{ \"step\": 2 }";
    must(vvRunResume(trunk, w, &def, &writer, &error));
    go_on(writer, w, 2);
    fake_free(w);
    check(trunk, 13, "fake", "{ \"step\": 2 }");
    clean();
}

/* What cannot be done leaves both files as they are. */
static void refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer;
    size_t before, after;
    make(trunk, 3, 5, "{}");
    make(branch, 2, 7, "{}");
    char *old = bytes_of(branch, &before);
    vvWorld *w = fake_world(3);
    vvResumeDef def = vvDefaultResumeDef();
    def.output = branch, def.frame = 99;
    assert_int_equal(vvRunResume(trunk, w, &def, &writer, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "0 to 5"));
    def.frame = 1, def.output = "no-such-folder/branch.vtkhdf";
    assert_int_equal(vvRunResume(trunk, w, &def, &writer, &error), VV_ERROR_IO);
    vvWorld *other = fake_world(2);
    vvRunWriter *busy;
    must(vvRunResume(branch, other, NULL, &busy, &error));
    def.output = branch;
    assert_int_equal(vvRunResume(trunk, w, &def, &writer, &error), VV_ERROR_IO);
    assert_non_null(strstr(error.message, "being written"));
    must(vvRunClose(busy, "done", &error));
    char *now = bytes_of(branch, &after);
    assert_int_equal(before, after);
    free(old), free(now);
    fake_free(w), fake_free(other);
    clean();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches),
        cmocka_unit_test(changes_are_remembered),
        cmocka_unit_test(changes_while_it_is_written),
        cmocka_unit_test(another_scene_in_place),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
