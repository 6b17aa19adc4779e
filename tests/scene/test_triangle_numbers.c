/* Numbers of each triangle in scene files: as a list and from a text file, in the order of the mesh file's triangles,
 * relative to the scene; what is refused, with file and line; and a membrane's prestrain. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "visviva/scene.h"

static vvError error;
static char folder[] = "/tmp/visviva-triangles-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Reads a scene file in the folder; single quotes stand for double ones. more: of its material; keys: of its body. */
static vvStatus try_scene(const char *mesh, const char *more, const char *keys, vvWorld **world)
{
    char text[2000], path[200];
    snprintf(text, sizeof text,
             "{ 'visviva': 1, 'gravity': [0, 0, 0], 'bodies': [{ 'mesh': %s, 'material': { 'model': 'stvk-membrane', "
             "'density': 100,"
             " 'thickness': 0.01%s }%s }] }",
             mesh, more, keys);
    for (char *p = text; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    write_file("scene.json", text);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    vvScene *scene = NULL;
    *world = NULL;
    vvStatus status = vvSceneLoad(path, NULL, 0, &scene, &error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(scene, 1, world, &error);
    vvSceneDestroy(scene);
    return status;
}

static vvStatus try_body(const char *mesh, const char *keys, vvWorld **world)
{
    return try_scene(mesh, "", keys, world);
}

static const char *const mesh = "{ 'file': 'two.obj' }";

/* Unit right triangles of the square; node 1 is of the first alone, node 3 of the second. Mass: 100 * thickness / 2 /
 * 3. */
static void lists_and_files(void **state)
{
    (void)state;
    static const char *const forms[] = { ", 'triangle_thickness': [0.02, 0.05]",
                                         ", 'triangle_thickness': 'numbers.txt'",
                                         ", 'triangle_thickness': 'bare.txt', 'triangle_stiffness': [1, 3]" };
    write_file("numbers.txt", "# thickness, m\n\n 0.02 # the first\n#\n5e-2\n");
    write_file("bare.txt", "0.02\r\n0.05");
    for (int i = 0; i < 3; i++) {
        vvWorld *w;
        if (try_body(mesh, forms[i], &w) != VV_OK)
            fail_msg("%s", error.message);
        assert_true(fabs(vvWorldMasses(w)[1] - 100 * 0.02 / 6) < 1e-12 &&
                    fabs(vvWorldMasses(w)[3] - 100 * 0.05 / 6) < 1e-12);
        vvWorldDestroy(w);
    }
    vvWorld *w[2]; /* of copies each has them; a stiffness is felt */
    vvLedgerRow row[2];
    for (int i = 0; i < 2; i++) {
        char keys[200];
        snprintf(keys, sizeof keys,
                 ", 'copies': { 'count': [2, 1, 1], 'step': [3, 0, 0] }, 'start': [{ 'stretch': { 'factor': [1.1, 1, "
                 "1] } }]%s",
                 i ? ", 'triangle_stiffness': [3, 3]" : "");
        if (try_body(mesh, keys, &w[i]) != VV_OK)
            fail_msg("%s", error.message);
        assert_int_equal(vvWorldLedger(w[i], &row[i], &error), VV_OK);
        vvWorldDestroy(w[i]);
    }
    assert_true(row[0].elastic > 0 && fabs(row[1].elastic - 3 * row[0].elastic) < 1e-12 * row[1].elastic);
}

/* Placed at 1.25 times its rest lengths: S = E/(1 - nu) (1.25^2 - 1)/2, and half of S times that strain for the
 * energy. */
static void prestrain(void **state)
{
    (void)state;
    vvWorld *w;
    vvLedgerRow row;
    const double g = 0.5 * (1.25 * 1.25 - 1), exact = 7e4 / (1 - 0.3) * g * g * 0.01 / (1.25 * 1.25);
    if (try_scene(mesh, ", 'young': 7e4, 'poisson': 0.3, 'prestrain': 0.25", "", &w) != VV_OK)
        fail_msg("%s", error.message);
    assert_int_equal(vvWorldLedger(w, &row, &error), VV_OK);
    assert_true(fabs(row.elastic - exact) < 1e-12 * exact);
    vvWorldDestroy(w);
    assert_true(try_scene(mesh, ", 'prestrain': -0.95", "", &w) != VV_OK);
    assert_non_null(strstr(error.message, "prestrain"));
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *mesh, *key, *file, *says;
    } all[] = { { NULL, "'numbers.txt'", "1\n2\n3\n", "numbers.txt:3: more numbers than the mesh has triangles, 2" },
                { NULL, "'numbers.txt'", "1\n", "found 1 numbers; the mesh has 2 triangles" },
                { NULL, "'numbers.txt'", "1\n-2\n", "numbers.txt:2: found '-2' for triangle 1" },
                { NULL, "'numbers.txt'", "1\n\nnan\n", "numbers.txt:3: found 'nan' for triangle 1" },
                { NULL, "'numbers.txt'", "1 2\n", "numbers.txt:1: found '2' after the number of triangle 0" },
                { NULL, "'numbers.txt'", "one\n", "found 'one' for triangle 0" },
                { NULL, "'missing.txt'", "1\n", "missing.txt" },
                { NULL, "[1, 2, 3]", "", "bodies[0].triangle_stiffness: found a list of 3; the mesh has 2 triangles" },
                { NULL, "[1, 0]", "", "bodies[0].triangle_stiffness[1]" },
                { NULL, "[]", "", "a list of numbers" },
                { NULL, "7", "", "a list of numbers" },
                { NULL, "''", "", "the path of a file" },
                { "{ 'box': {} }", "[1, 2]", "", "is for shells, but the body's mesh has tetrahedra" },
                { "{ 'points': [[0, 0, 0], [1, 0, 0]], 'edges': [[0, 1]] }", "[1, 2]", "", "no triangles" },
                { "{ 'file': 'collapsed.obj' }", "[1, 2, 3]", "",
                  "1 triangles without area or written twice were dropped" } };
    write_file("collapsed.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 0 0 0\nf 1 5 4\nf 1 2 3\nf 1 3 4\n");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char keys[200];
        vvWorld *w;
        write_file("numbers.txt", all[i].file);
        snprintf(keys, sizeof keys, ", 'triangle_stiffness': %s", all[i].key);
        assert_true(try_body(all[i].mesh ? all[i].mesh : mesh, keys, &w) != VV_OK);
        assert_null(w);
        if (!strstr(error.message, all[i].says))
            fail_msg("message: %s\nlacks: %s", error.message, all[i].says);
    }
}

static int prepare(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    write_file("two.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3\nf 1 3 4\n");
    return 0;
}

static int clean(void **state)
{
    (void)state;
    static const char *const names[] = { "two.obj", "collapsed.obj", "numbers.txt", "bare.txt", "scene.json" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lists_and_files), cmocka_unit_test(prestrain),
                                        cmocka_unit_test(refusals) };
    return cmocka_run_group_tests(tests, prepare, clean);
}
