/* layer: record
 * The colours of a run's bodies come from its scene's text, whatever that is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "fake_run_world.h"

static const char path[] = "colours.vtkhdf";

/* The colour of each body in turn, of a run whose scene is this text. */
static void expect(const char *scene, const int *colours)
{
    vvError error = { 0 };
    vvRunWriter *writer;
    vvRun *run;
    vvWorld *w = fake_world(3);
    assert_int_equal(vvRunCreate(path, w, "fake", scene, &writer, &error), VV_OK);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    assert_int_equal(vvRunOpen(path, &run, &error), VV_OK);
    assert_true(vvRunBodyCount(run) >= 2);
    for (int b = 0; b < 2; b++)
        assert_int_equal(vvRunGetBody(run, b)->colour, colours[b]);
    vvRunFree(run);
    fake_free(w);
    unlink(path), unlink("colours.xdmf");
}

static void of_scenes(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer;
    vvRun *run;
    char names[2][128], scene[1000];
    vvWorld *w = fake_world(3);
    assert_int_equal(vvRunCreate(path, w, "fake", NULL, &writer, &error), VV_OK);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    assert_int_equal(vvRunOpen(path, &run, &error), VV_OK);
    for (int b = 0; b < 2; b++) {
        char *to = names[b]; /* as JSON has it */
        for (const char *c = vvRunGetBody(run, b)->name; *c; *to++ = *c++)
            if (*c == '"' || *c == '\\')
                *to++ = '\\';
        *to = 0;
    }
    vvRunFree(run);
    fake_free(w);
    snprintf(scene, sizeof scene,
             "{ \"bodies\": [ { \"name\": \"%s\", \"color\": \"#12aBcD\" }, { \"name\": \"%s\" } ] }", names[0],
             names[1]);
    expect(scene, (int[]){ 0x12abcd, -1 });
    snprintf(scene, sizeof scene,
             "{ \"bodies\": [ { \"color\": \"#000000\" }, { \"name\": \"%s\", \"color\": \"#ffffff\" } ] }", names[1]);
    expect(scene, (int[]){ 0, 0xffffff });
    snprintf(scene, sizeof scene,
             "{ \"bodies\": [ { \"color\": \"#010203\", \"copies\": { \"count\": [2, 1, 1] } } ] }");
    expect(scene, (int[]){ 0x010203, 0x010203 });
}

static void of_other_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{ \"color\"",
        "\"color\"",
        "[ \"color\" ]",
        "{ \"bodies\": { \"color\": 3 } }",
        "{ \"bodies\": [ \"color\", { \"color\": 3 }, null ] }",
        "{ \"bodies\": [ { \"color\": \"#12345g\" }, { \"color\": \"123456\" } ] }",
        "{ \"bodies\": [ { \"name\": \"nobody\", \"color\": \"#123456\" } ] }",
        "{ \"bodies\": [ { \"color\": \"#12345\", \"copies\": { \"count\": [1e300, 1e30, 1] } } ] }",
        "{ \"bodies\": [ { \"color\": \"#12345\", \"copies\": { \"count\": [-5, \"x\", {}] } } ] }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], (int[]){ -1, -1 });
    expect("{ \"bodies\": [ { \"color\": \"#123456\", \"copies\": { \"count\": [1e300, 1e300, 1e300] } } ] }",
           (int[]){ 0x123456, 0x123456 });
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(of_scenes), cmocka_unit_test(of_other_texts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
