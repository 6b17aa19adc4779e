/* Height fields of scenes, with the real world: samples from lists, hills, pictures and text, and what is wrong with
 * them; run files, which hold them and can be read without the files that they came from; resuming; exports. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "visviva/visviva.h"
#include "resume_support.h"

#define FOLDER VV_BUILD_DIR "/test_heightfield_files"

static vvError error;

static vvStatus load(const char *field, const char *heights, const char *more, vvWorld **world)
{
    char text[4096];
    vvScene *scene;
    *world = NULL;
    snprintf(text, sizeof text,
             "{ 'visviva': 1, 'time': { 'step': '1/60' }, 'bodies': [ { 'name': 'box', 'mesh': { 'box': { 'size': "
             "[0.1, 0.1, 0.1], 'cells': [1, 1, 1] } },"
             " 'place': { 'translate': [0, 0.2, 0] } } ], 'obstacles': [ { 'heightfield': { %s } %s%s %s } ] }",
             field, heights ? ", 'heights': " : "", heights ? heights : "", more);
    for (char *p = text; *p; p++)
        if (*p == '\'')
            *p = '"';
    vvStatus status = vvSceneParse(text, "s.json", FOLDER, NULL, 0, &scene, &error);
    if (status != VV_OK)
        return status;
    status = vvSceneCreateWorld(scene, 1, world, &error);
    vvSceneDestroy(scene);
    return status;
}

static vvWorld *good(const char *field, const char *heights, const char *more)
{
    vvWorld *w;
    if (load(field, heights, more, &w) != VV_OK)
        fail_msg("refused: %s", error.message);
    return w;
}

static void bad(const char *heights, const char *part)
{
    vvWorld *w;
    if (load("", heights, "", &w) != VV_ERROR_INPUT || w)
        fail_msg("%s is not refused as input: %s", heights ? heights : "nothing", error.message);
    if (!strstr(error.message, part))
        fail_msg("message: %s\nlacks: %s", error.message, part);
}

static void write_file(const char *name, const void *data, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, FOLDER "/%s", name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}

static void write_text(const char *name, const char *text) { write_file(name, text, strlen(text)); }

static void samples_are(const char *heights, int nx, int nz, const double *expected)
{
    vvWorld *w = good("", heights, "");
    int counts[3];
    const double *s = vvWorldObstacleSamples(w, 0, counts);
    assert_true(counts[0] == nx && counts[1] == nz);
    for (int i = 0; i < nx * nz; i++)
        assert_true(s[i] == expected[i]);
    vvWorldDestroy(w);
}

static void samples_come_from_anywhere(void **state)
{
    (void)state;
    samples_are("{ 'samples': [3, 2], 'values': [1, 2, 3, -4, '1/2', 6e-3] }", 3, 2,
                (const double[]){ 1, 2, 3, -4, 0.5, 6e-3 });
    write_text("rows.csv", "# a comment\n1, 2,3,\n\n-4;5e-1\t6e-3 # and one more\n");
    samples_are("{ 'file': 'rows.csv' }", 3, 2, (const double[]){ 1, 2, 3, -4, 0.5, 6e-3 });
    write_text("grey.pgm", "P2\n# made by hand\n2 3\n10\n0 10\n5 1\n2 # two\n10\n");
    samples_are("{ 'file': 'grey.pgm' }", 2, 3, (const double[]){ 0, 1, 0.5, 0.1, 0.2, 1 });
    write_file("bytes.pgm", "P5 3 2 255 \x00\xff\x0d\x20\x33\x01", 17);
    samples_are("{ 'file': ['missing.pgm', 'bytes.pgm'] }", 3, 2,
                (const double[]){ 0, 1, 13 / 255.0, 32 / 255.0, 51 / 255.0, 1 / 255.0 });
    write_file("words.pgm", "P5\n2 2\n65535\n\x00\x00\xff\xff\x80\x00\x00\x01", 21);
    samples_are("{ 'file': 'words.pgm' }", 2, 2, (const double[]){ 0, 1, 32768 / 65535.0, 1 / 65535.0 });
}

static void hills_are_those_of_their_seed(void **state)
{
    (void)state;
    vvWorld *w[3] = { good("", "{ 'hills': { 'seed': 5 } }", ""), good("", "{ 'hills': { 'seed': 5 } }", ""),
                      good("", "{ 'hills': { 'seed': 6, 'across': 2 }, 'samples': [65, 65] }", "") };
    const double *s[3];
    double low = INFINITY, high = -INFINITY, steepest = 0, different = 0;
    for (int i = 0; i < 3; i++) {
        int counts[3];
        s[i] = vvWorldObstacleSamples(w[i], 0, counts);
        assert_true(counts[0] == 65 && counts[1] == 65);
    }
    for (int i = 0; i < 65 * 65; i++) {
        assert_true(s[0][i] == s[1][i]);
        low = fmin(low, s[0][i]), high = fmax(high, s[0][i]);
        different = fmax(different, fabs(s[0][i] - s[2][i]));
        steepest = fmax(steepest, i % 65 ? fabs(s[0][i] - s[0][i - 1]) : 0);
    }
    assert_true(low == 0 && high == 1 && different > 0.3 && steepest < 0.3);
    for (int i = 0; i < 3; i++)
        vvWorldDestroy(w[i]);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    bad(NULL, "obstacles[0]: a heightfield needs \"heights\"");
    bad("{}", "obstacles[0].heights: found none; allowed: exactly one of file, values, hills");
    bad("{ 'hills': {}, 'file': 'rows.csv' }", "obstacles[0].heights: found several");
    bad("{ 'values': [1, 2, 3, 4] }", "obstacles[0].heights: values need \"samples\"");
    bad("{ 'values': [1, 2, 3], 'samples': [2, 2] }",
        "obstacles[0].heights.values: found a list of 3; samples says 2 x 2");
    bad("{ 'values': [1, 2, 3, 'x'], 'samples': [2, 2] }", "obstacles[0].heights.values[3]: found");
    bad("{ 'values': [1, 2, 3, 1e7], 'samples': [2, 2] }", "obstacles[0].heights.values[3]: found");
    bad("{ 'values': [1, 2], 'samples': [1, 2] }", "obstacles[0].heights.samples");
    bad("{ 'values': [1, 2, 3, 4, 5], 'samples': [2, 2.5] }",
        "obstacles[0].heights.samples: found 2.5; allowed: 2 whole numbers");
    bad("{ 'hills': {}, 'samples': [8000, 8000] }", "8000 x 8000 samples; allowed: 16777216 in all");
    bad("{ 'hills': { 'seeds': 1 } }", "obstacles[0].heights.hills.seeds: unknown key");
    bad("{ 'file': 'missing.pgm' }", "obstacles[0].heights.file: cannot read");
    bad("{ 'file': 'rows.csv', 'samples': [3, 2] }", "obstacles[0].heights.samples: the file says how many");
    static const struct {
        const char *text, *part;
    } files[] = {
        { "1 2\n3 4 5\n", "bad.txt:2: this row has 3 heights, those above have 2" },
        { "1 2\n3 nan\n", "bad.txt:2: found 'nan' where a height is needed" },
        { "1 2\n3 1e999\n", "bad.txt:2: found '1e999'" },
        { "1,,2\n3,4,5\n", "bad.txt:1: nothing before ',' where a height is needed" },
        { "1,2\n;3\n", "bad.txt:2: nothing before ';'" },
        { "\x89PNG\r\n", "or a grey picture (PGM)" },
        { "1 2\n", "found 1 rows of 2 heights; allowed: 2 to 8193" },
        { "", "bad.txt" },
        { "P2 2 2 10 1 2 3", "where a grey value is needed" },
        { "P2 2 2 10 1 2 3 11", "a grey value is 11; allowed: 0 to 10" },
        { "P2 1 2 10 1 2", "the picture's width is 1; allowed: 2 to 8193" },
        { "P2 2 99999999999999999999 10 1 2", "the picture's height" },
        { "P5 8193 8193 255 ", "8193 x 8193 grey values; allowed: 16777216 in all" },
        { "P5 2 2 0 1234", "the picture's white is 0; allowed: 1 to 65535" },
        { "P5 2 2 70000 1234", "the picture's white is 70000" },
        { "P5 2 2 255 abc", "the picture ends too early: 3 bytes of grey values are left, 4 are needed" },
        { "P5 2 2 256 abcd", "4 bytes of grey values are left, 8 are needed" },
        { "P5 2 2 10 abcd", "a grey value is 97; allowed: 0 to 10" },
        { "P5 2 2", "where the picture's white is needed" },
        { "P6 2 2 255 abcdefghijkl", "a picture of kind P6; allowed: grey ones" },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_text("bad.txt", files[i].text);
        bad("{ 'file': 'bad.txt' }", files[i].part);
        assert_non_null(strstr(error.message, "obstacles[0].heights.file"));
    }
    vvWorld *w;
    assert_int_equal(load("'size': [0, 1]", "{ 'hills': {} }", "", &w), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "obstacles[0].heightfield.size[0]"));
    assert_int_equal(load("", "{ 'hills': {} }", ", 'plane': {}", &w), VV_ERROR_INPUT);
    assert_int_equal(load("", "{ 'hills': {} }", "}, { 'plane': {}, 'heights': { 'hills': {} }", &w), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "obstacles[1].heights: is for the obstacle \"heightfield\" only"));
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void go_on(vvWorld *w, vvRunWriter *writer, int steps)
{
    vvStepReport report;
    for (; vvWorldStepIndex(w) < steps;)
        if (vvWorldStep(w, &report, &error) != VV_OK || vvRunAddStep(writer, w, &report, &error) != VV_OK ||
            vvRunAddFrame(writer, w, &error) != VV_OK)
            fail_msg("%s", error.message);
}

static void runs_hold_their_samples(void **state)
{
    (void)state;
    static const char field[] = "'size': [1, 2], 'center': [0, -0.1, 0], 'height': 0.2",
                      more[] = "}, { 'plane': { 'point': [0, -3, 0] }";
    const char *path = FOLDER "/run.vtkhdf";
    unsigned char picture[11 + 12] = "P5 4 3 255 ";
    for (int i = 0; i < 12; i++)
        picture[11 + i] = (unsigned char)(i * i);
    write_file("ground.pgm", picture, sizeof picture);
    vvWorld *w = good(field, "{ 'file': 'ground.pgm' }", more);
    vvRunWriter *writer = NULL;
    vvRun *run;
    int counts[3];
    if (vvWorldBake(w, &error) != VV_OK || vvRunCreate(path, w, "ground", NULL, &writer, &error) != VV_OK)
        fail_msg("%s", error.message);
    go_on(w, writer, 40); /* more frames than there is room for at first: the file is rewritten */
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    double *end = malloc(3 * (size_t)vvWorldNodeCount(w) * sizeof *end);
    memcpy(end, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *end);
    vvWorldDestroy(w);

    /* resumed from the middle: the same bits */
    w = good(field, "{ 'file': 'ground.pgm' }", more);
    if (resume_at(path, w, 20, &writer, &error) != VV_OK)
        fail_msg("%s", error.message);
    go_on(w, writer, 40);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    assert_memory_equal(end, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *end);
    free(end);
    vvWorldDestroy(w);

    assert_int_equal(unlink(FOLDER "/ground.pgm"), 0);
    assert_int_equal(vvRunOpen(path, &run, &error), VV_OK);
    const double *s = vvRunObstacleSamples(run, 0, counts);
    assert_true(counts[0] == 4 && counts[1] == 3);
    for (int i = 0; i < 12; i++)
        assert_true(s[i] == i * i / 255.0);
    assert_null(vvRunObstacleSamples(run, 1, counts));
    assert_true(counts[0] == 0 && counts[1] == 0);
    assert_null(vvRunObstacleSamples(run, 2, NULL));
    vvMesh mesh;
    assert_int_equal(vvRunObstacleMesh(run, 0, 1, &mesh, &error), VV_OK);
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (int i = 0; i < 3 * mesh.vertexCount; i++) {
        low[i % 3] = fmin(low[i % 3], mesh.positions[i]);
        high[i % 3] = fmax(high[i % 3], mesh.positions[i]);
    }
    assert_int_equal(mesh.triangleCount, 2 * 3 * 2 + 2 * 10 + 2); /* cells, walls, bottom */
    assert_true(fabs(low[0] + 0.5) < 1e-15 && fabs(high[2] - 1) < 1e-15 && fabs(low[1] + 1.1) < 1e-15);
    assert_true(fabs(high[1] - (-0.1 + 0.2 * 121 / 255.0)) < 1e-15);
    vvMeshDestroy(&mesh);
    assert_int_equal(vvRunObstacleMesh(run, 1, 3, &mesh, &error), VV_OK); /* any obstacle has one */
    assert_true(mesh.triangleCount > 0);
    vvMeshDestroy(&mesh);
    assert_int_equal(vvRunObstacleMesh(run, 2, 1, &mesh, &error), VV_ERROR_INPUT);
    assert_int_equal(vvRunObstacleMesh(run, 0, NAN, &mesh, &error), VV_ERROR_INPUT);
    static const char *const formats[] = { "glb", "usda" };
    for (int i = 0; i < 2; i++) {
        vvExportDef def = vvDefaultExportDef();
        char file[512];
        struct stat info;
        def.format = formats[i];
        snprintf(file, sizeof file, FOLDER "/run.%s", formats[i]);
        if (vvRunExport(run, &def, file, &error) != VV_OK)
            fail_msg("%s", error.message);
        assert_true(stat(file, &info) == 0 && info.st_size > 1000);
    }
    vvRunFree(run);
}

/* One that moves is a body of the run. */
static void one_that_moves_is_drawn(void **state)
{
    (void)state;
    vvWorld *w =
        good("'center': [0, -0.3, 0], 'height': 0.2", "{ 'samples': [3, 3], 'values': [0, 1, 0, 1, 0, 1, 0, 1, 0] }",
             ", 'name': 'plate', 'motion': { 'velocity': [0, 0.2, 0] }");
    vvRunWriter *writer = NULL;
    vvRun *run;
    const char *path = FOLDER "/moving.vtkhdf";
    if (vvWorldBake(w, &error) != VV_OK || vvRunCreate(path, w, "moving", NULL, &writer, &error) != VV_OK)
        fail_msg("%s", error.message);
    go_on(w, writer, 30);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    assert_true(vvWorldPositions(w)[1] > -0.2);
    vvWorldDestroy(w);
    assert_int_equal(vvRunOpen(path, &run, &error), VV_OK);
    assert_int_equal(vvRunObstacleCount(run), 0);
    assert_int_equal(vvRunBodyCount(run), 2);
    assert_true(vvRunVertexCount(run) > vvRunNodeCount(run));
    vvRunFree(run);
}

static int make_folder(void **state)
{
    (void)state;
    return system("rm -rf '" FOLDER "'") != 0 || mkdir(FOLDER, 0755) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_from_anywhere), cmocka_unit_test(hills_are_those_of_their_seed),
        cmocka_unit_test(what_is_wrong_is_said),      cmocka_unit_test(runs_hold_their_samples),
        cmocka_unit_test(one_that_moves_is_drawn),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
