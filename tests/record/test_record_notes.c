/* layer: record
 * What is said while a run is made, and by what it is made, is in its file: read while it is written, after it was cut
 * off, closed, gone on with; once each; as many as there is room for; and files without it are read. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5.h>
#include <unistd.h>

#include "fake_run_world.h"

#define must(call)                                    \
    do {                                              \
        if ((call) != VV_OK)                          \
            fail_msg("%s: %s", #call, error.message); \
    } while (0)

static const char path[] = "notes.vtkhdf";

static void step(vvRunWriter *writer, vvWorld *w)
{
    vvError error = { 0 };
    vvStepReport report;
    fake_step(w, &report);
    must(vvRunAddStep(writer, w, &report, &error));
}

/* "row:text|row:text|" */
static void expect(const char *expected)
{
    vvError error = { 0 };
    vvRun *run;
    char all[8000] = "";
    must(vvRunOpen(path, &run, &error));
    for (int i = 0; i < vvRunNoteCount(run); i++) {
        int row = -1;
        const char *text = vvRunNote(run, i, &row);
        assert_ptr_equal(text, vvRunNote(run, i, NULL));
        snprintf(all + strlen(all), sizeof all - strlen(all), "%d:%s|", row, text);
    }
    assert_null(vvRunNote(run, vvRunNoteCount(run), NULL));
    assert_null(vvRunNote(run, -1, NULL));
    assert_string_equal(all, expected);
    vvRunFree(run);
}

static void clean(void **state)
{
    (void)state;
    unlink(path), unlink("notes.xdmf");
}

static void kept_as_the_run_goes(void **state)
{
    vvError error = { 0 };
    vvRunWriter *writer;
    vvWorld *w = fake_world(3);
    must(vvRunCreate(path, w, "fake", "{}", &writer, &error));
    must(vvRunAddNote(writer, "warning: at the start", &error));
    expect(""); /* with the next frame */
    step(writer, w);
    must(vvRunAddFrame(writer, w, &error));
    expect("0:warning: at the start|");
    step(writer, w);
    must(vvRunAddNote(writer, "at the second step", &error));
    must(vvRunAddNote(writer, "warning: at the start", &error)); /* once is enough */
    must(vvRunAddFrame(writer, w, &error));
    expect("0:warning: at the start|2:at the second step|");
    step(writer, w);
    must(vvRunAddNote(writer, "of a step without a frame", &error));
    must(vvRunClose(writer, "done", &error));
    expect("0:warning: at the start|2:at the second step|3:of a step without a frame|");
    /* from a frame on: what was said later is forgotten, and may be said again */
    fake_free(w);
    w = fake_world(3);
    vvResumeDef def = vvDefaultResumeDef();
    def.frame = 1;
    must(vvRunResume(path, w, &def, &writer, &error));
    step(writer, w);
    must(vvRunAddNote(writer, "at the second step", &error));
    must(vvRunAddFrame(writer, w, &error));
    expect("0:warning: at the start|2:at the second step|"); /* not closed, as after a kill */
    must(vvRunClose(writer, "done", &error));
    expect("0:warning: at the start|2:at the second step|");
    fake_free(w);
    clean(state);
}

static void many_and_long_ones(void **state)
{
    enum { MANY = 1100, MOST = 1000, ROOM = 1023 };
    vvError error = { 0 };
    vvRunWriter *writer;
    vvRun *run;
    vvWorld *w = fake_world(3);
    char text[3000];
    must(vvRunCreate(path, w, "fake", NULL, &writer, &error));
    memset(text, 'x', sizeof text);
    memcpy(text + ROOM - 1, "\xc3\xbc", 2); /* a character that would be cut in two */
    text[sizeof text - 1] = 0;
    must(vvRunAddNote(writer, text, &error));
    for (int i = 1; i < MANY; i++) {
        snprintf(text, sizeof text, "note %d", i);
        must(vvRunAddNote(writer, text, &error));
        if (i % 100 == 0) {
            step(writer, w);
            must(vvRunAddFrame(writer, w, &error));
        }
    }
    must(vvRunClose(writer, "done", &error));
    must(vvRunOpen(path, &run, &error));
    assert_int_equal(vvRunNoteCount(run), MOST);
    assert_int_equal(strlen(vvRunNote(run, 0, NULL)), ROOM - 1);
    for (int i = 1, row; i < MOST; i++) {
        snprintf(text, sizeof text, "note %d", i);
        assert_string_equal(vvRunNote(run, i, &row), text);
        assert_int_equal(row, (i - 1) / 100);
    }
    vvRunFree(run);
    assert_int_equal(vvRunAddNote(NULL, "text", &error), VV_ERROR_INPUT);
    fake_free(w);
    clean(state);
}

static void made_by(void **state)
{
    vvError error = { 0 };
    vvRunWriter *writer;
    vvRun *run;
    vvWorld *w = fake_world(3);
    w->def.threads = 3;
    must(vvRunCreate(path, w, "fake", NULL, &writer, &error));
    assert_int_equal(vvRunAddNote(writer, "", &error), VV_ERROR_INPUT);
    assert_int_equal(vvRunAddNote(writer, NULL, &error), VV_ERROR_INPUT);
    must(vvRunClose(writer, "done", &error));
    must(vvRunOpen(path, &run, &error));
    assert_non_null(strstr(vvRunMadeBy(run), vvVersion()));
    assert_non_null(strstr(vvRunMadeBy(run), vvBuildDescription()));
    assert_non_null(strstr(vvRunMadeBy(run), ", 3 threads"));
    vvRunFree(run);
    w->def.threads = 1; /* and who goes on with it is the last one */
    must(vvRunResume(path, w, NULL, &writer, &error));
    must(vvRunClose(writer, "done", &error));
    must(vvRunOpen(path, &run, &error));
    assert_non_null(strstr(vvRunMadeBy(run), ", 1 thread"));
    assert_null(strstr(vvRunMadeBy(run), "3 thread"));
    vvRunFree(run);
    fake_free(w);
    clean(state);
}

static void files_without(void **state)
{
    vvError error = { 0 };
    vvRunWriter *writer;
    vvRun *run;
    vvWorld *w = fake_world(3);
    must(vvRunCreate(path, w, "fake", NULL, &writer, &error));
    must(vvRunAddNote(writer, "a note", &error));
    step(writer, w);
    must(vvRunAddFrame(writer, w, &error));
    must(vvRunClose(writer, "done", &error));
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(H5Ldelete(file, "/visviva/note_rows", H5P_DEFAULT) >= 0);
    assert_true(H5Ldelete(file, "/visviva/note_texts", H5P_DEFAULT) >= 0);
    assert_true(H5Ldelete(file, "/visviva/made_by", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    expect("");
    must(vvRunOpen(path, &run, &error));
    assert_string_equal(vvRunMadeBy(run), "");
    vvRunFree(run);
    must(vvRunResume(path, w, NULL, &writer, &error)); /* and gone on with */
    step(writer, w);
    must(vvRunAddNote(writer, "a new one", &error));
    must(vvRunAddFrame(writer, w, &error));
    must(vvRunClose(writer, "done", &error));
    expect("2:a new one|");
    fake_free(w);
    clean(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_as_the_run_goes),
        cmocka_unit_test(many_and_long_ones),
        cmocka_unit_test(made_by),
        cmocka_unit_test(files_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
