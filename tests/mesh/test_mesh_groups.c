/* layer: mesh
 * Physical groups of Gmsh files are groups of the mesh, alike in all its formats; they follow their vertices when these
 * get other numbers; what is wrong with them is said by file and line. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "visviva/mesh.h"

static char path[64];

static void write_file(const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Two tets on a triangle, of which node 70 is nobody's and 90 stands where 20 does; the surface "clamp" is two faces
 * that share an edge, one of them turned around; "tip" is a point and an edge; the first tet has a number alone. */
#define NODES "10 0 0 0\n70 5 5 5\n20 1 0 0\n30 0 1 0\n40 0 0 1\n90 1 0 0\n50 1 1 1\n"
static const char msh2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                           "$PhysicalNames\n3\n2 4 \"clamp, left\"\n1 4 \"tip\"\n0 9 \"tip\"\n$EndPhysicalNames\n"
                           "$Nodes\n7\n" NODES "$EndNodes\n$Elements\n6\n"
                           "1 15 2 9 1 50\n2 1 2 4 1 50 40\n3 2 2 4 1 10 20 30\n4 2 2 -4 1 10 40 90\n"
                           "5 4 2 7 1 10 20 30 40\n6 4 2 0 1 90 30 40 50\n$EndElements\n";
static const char msh4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n3\n2 4 \"clamp, left\"\n1 4 \"tip\"\n0 9 \"tip\"\n$EndPhysicalNames\n"
    "$Entities\n1 1 2 2\n1 1 1 1 1 9\n1 0 0 0 1 1 1 1 4 0\n1 0 0 0 1 1 1 1 4 0\n2 0 0 0 1 1 1 2 4 -4 1 1\n"
    "1 0 0 0 1 1 1 1 7 2 1 -2\n2 0 0 0 1 1 1 0 0\n$EndEntities\n"
    "$Nodes\n1 7 10 90\n3 1 0 7\n10\n70\n20\n30\n40\n90\n50\n0 0 0\n5 5 5\n1 0 0\n0 1 0\n0 0 1\n1 0 0\n1 1 "
    "1\n$EndNodes\n"
    "$Elements\n6 6 1 6\n0 1 15 1\n1 50\n1 1 1 1\n2 50 40\n2 1 2 1\n3 10 20 30\n2 2 2 1\n4 10 40 90\n"
    "3 1 4 1\n5 10 20 30 40\n3 2 4 1\n6 90 30 40 50\n$EndElements\n";

/* Whether the group holds the vertices at these places, and no others. */
static void assert_holds(const vvMesh *m, const vvMeshGroup *g, const double x[][3], int count)
{
    assert_int_equal(g->vertexCount, count);
    for (int i = 0; i < count; i++) {
        bool found = false;
        for (int k = 0; k < g->vertexCount; k++)
            found = found || memcmp(m->positions + 3 * (size_t)g->vertices[k], x[i], sizeof x[i]) == 0;
        assert_true(found);
        assert_true(i == 0 || g->vertices[i] > g->vertices[i - 1]);
    }
}

static void check_groups(const vvMesh *m)
{
    static const double clamp[][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                        tip[][3] = { { 1, 1, 1 }, { 0, 0, 1 } };
    assert_int_equal(m->vertexCount, 5);
    assert_int_equal(m->groupCount, 3);
    const vvMeshGroup *surface = vvMeshFindGroup(m, "clamp, left"), *end = vvMeshFindGroup(m, "tip"),
                      *volume = vvMeshFindGroup(m, "volume 7");
    assert_non_null(surface);
    assert_non_null(end);
    assert_non_null(volume);
    assert_null(vvMeshFindGroup(m, "clamp"));
    assert_holds(m, surface, clamp, 4);
    assert_int_equal(surface->triangleCount, 2);
    assert_int_equal(surface->dimension, 2);
    assert_holds(m, end, tip, 2);
    assert_int_equal(end->dimension, 1);
    assert_int_equal(end->triangleCount, 0);
    assert_holds(m, volume, clamp, 4);
    assert_int_equal(volume->dimension, 3);
    assert_int_equal(volume->tetCount, 1);
    for (int i = 0; i < 4; i++)
        assert_in_range(volume->tets[i], 0, 4);
    assert_int_equal(surface->tetCount, 0);
    for (int i = 0; i < 6; i++)
        assert_in_range(surface->triangles[i], 0, 4);
}

static void test_both_versions(void **state)
{
    (void)state;
    const char *texts[] = { msh2, msh4 };
    for (int k = 0; k < 2; k++) {
        vvMesh m, copy;
        vvError error = { 0 };
        write_file(texts[k]);
        if (vvMeshRead(path, &m, NULL, &error))
            fail_msg("%s", error.message);
        check_groups(&m);
        assert_int_equal(vvMeshCopy(&m, &copy, &error), VV_OK);
        vvMeshDestroy(&m);
        assert_int_equal(vvMeshFinish(&copy, NULL, &error), VV_OK);
        check_groups(&copy);
        vvMeshDestroy(&copy);
        assert_int_equal(copy.groupCount, 0);
    }
}

/* Two tets that share a face, one of them inverted, with a vertex of each written twice; "all" has both. */
#define TWO                                                                                                     \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"left\"\n3 2 \"right\"\n$EndPhysicalNames\n" \
    "$Nodes\n7\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 1 0 0\n7 9 9 9\n$EndNodes\n"

static void expect_refused(const vvMesh *m, const char *const *names, int count, int *of, const char *words)
{
    vvError error = { 0 };
    assert_int_equal(vvMeshTetRegions(m, names, count, of, &error), VV_ERROR_INPUT);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in: %s", words, error.message);
}

static void test_regions(void **state)
{
    (void)state;
    vvMesh m;
    vvError error = { 0 };
    int of[2] = { 7, 7 };
    write_file(TWO "$Elements\n2\n1 4 2 2 1 6 3 4 5\n2 4 2 1 1 1 3 2 4\n$EndElements\n");
    assert_int_equal(vvMeshRead(path, &m, NULL, &error), VV_OK);
    assert_int_equal(m.vertexCount, 5);
    for (int order = 1; order <= 2; order++) {
        if (order == 2)
            assert_int_equal(vvMeshRaise(&m, &error), VV_OK);
        assert_int_equal(vvMeshTetRegions(&m, (const char *[]){ "left", "right" }, 2, of, &error), VV_OK);
        assert_true(of[0] == 1 && of[1] == 0);
        assert_int_equal(vvMeshTetRegions(&m, (const char *[]){ "right", "left" }, 2, of, &error), VV_OK);
        assert_true(of[0] == 0 && of[1] == 1);
    }
    expect_refused(&m, (const char *[]){ "left" }, 1, of, "1 of the mesh's 2 tets are in none");
    expect_refused(&m, (const char *[]){ "left", "wrong" }, 2, of, "\"wrong\"; it has \"right\", \"left\"");
    expect_refused(&m, (const char *[]){ "left", "left" }, 2, of, "named twice");
    vvMeshDestroy(&m);
    /* one tet in two groups, as entities of version 4 may be: here by a group that is given by hand */
    write_file(TWO "$Elements\n2\n1 4 2 2 1 6 3 4 5\n2 4 2 1 1 1 3 2 4\n$EndElements\n");
    assert_int_equal(vvMeshRead(path, &m, NULL, &error), VV_OK);
    memcpy(m.groups[0].tets, m.tets + 4, 4 * sizeof *m.tets);
    expect_refused(&m, (const char *[]){ "right", "left" }, 2, of, "is in group \"");
    m.groups[0].tets[0] = 5;
    expect_refused(&m, (const char *[]){ "left" }, 1, of, "vertex index 5");
    vvMeshDestroy(&m);
}

/* Corners of a surface that rounding keeps apart are merged, and the group has the one that stays. */
static void test_merged_corners(void **state)
{
    (void)state;
    vvMesh m;
    vvError error = { 0 };
    write_file("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1e-12 0\n5 1e-12 1 0\n"
               "6 1 1 0\n$EndNodes\n$Elements\n2\n1 2 2 1 1 1 2 3\n2 2 2 2 1 4 6 5\n$EndElements\n");
    assert_int_equal(vvMeshRead(path, &m, NULL, &error), VV_OK);
    assert_int_equal(m.vertexCount, 4);
    const vvMeshGroup *second = vvMeshFindGroup(&m, "surface 2");
    assert_non_null(second);
    assert_int_equal(second->vertexCount, 3);
    for (int i = 0; i < 3; i++)
        assert_in_range(second->vertices[i], 0, 3);
    vvMeshDestroy(&m);
}

static void assert_refused(const char *text, const char *word)
{
    vvMesh m;
    vvError error = { 0 };
    write_file(text);
    assert_int_equal(vvMeshRead(path, &m, NULL, &error), VV_ERROR_INPUT);
    if (!strstr(error.message, word))
        fail_msg("\"%s\" is not in: %s", word, error.message);
    assert_non_null(strstr(error.message, path));
}

static void test_hostile(void **state)
{
    (void)state;
#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n"
    static char many[1 << 18];
    assert_refused(HEAD "-1\n", "physical names is -1");
    assert_refused(HEAD "1\n7 1 \"a\"\n", "dimension");
    assert_refused(HEAD "1\n2 1 clamp\n", "quotes");
    assert_refused(HEAD "1\n2 1 \"clamp\n", "quotes");
    assert_refused(HEAD "1\n2 1 \"\"\n", "0 bytes");
    assert_refused(HEAD "1\n2 1 \"a\033b\"\n", "control");
    assert_refused(HEAD "2\n2 1 \"a\"\n$EndPhysicalNames\n", "dimension");
    int n = snprintf(many, sizeof many,
                     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
                     "$Elements\n5000\n");
    for (int i = 1; i <= 5000; i++)
        n += snprintf(many + n, sizeof many - (size_t)n, "%d 2 2 %d 1 1 2 3\n", i, i);
    assert_refused(many, "more than 4096 physical groups");
}

/* Entities that end early, or count what is not there, are no groups; the mesh is read all the same. */
static void test_abridged_entities(void **state)
{
    (void)state;
    static const char *const entities[] = { "0 0 0 1\n", "1 0 0\n", "0 0 0 1000000000000\n",
                                            "0 0 1 0\n1 0 0 0 1 1 1 1 4\n", "0 0 0 1\n1 0 0 0 1 1 1 99999999 1\n" };
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        char text[512];
        vvMesh m;
        vvError error = { 0 };
        snprintf(text, sizeof text,
                 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n%s$EndEntities\n$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n"
                 "0 0 0\n1 0 0\n0 1 0\n$EndNodes\n$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n",
                 entities[i]);
        write_file(text);
        if (vvMeshRead(path, &m, NULL, &error))
            fail_msg("%s", error.message);
        assert_int_equal(m.groupCount, 0);
        assert_int_equal(m.triangleCount, 1);
        vvMeshDestroy(&m);
    }
}

/* By hand, as a program does it. */
static void test_by_hand(void **state)
{
    (void)state;
    double positions[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    int tet[] = { 0, 1, 2, 3 }, vertices[] = { 1, 2 };
    vvMeshGroup group = { .name = "pair", .vertexCount = 2, .vertices = vertices };
    vvMesh mine = {
        .vertexCount = 4, .tetCount = 1, .positions = positions, .tets = tet, .groupCount = 1, .groups = &group
    };
    vvMesh m;
    vvError error = { 0 };
    assert_int_equal(vvMeshCopy(&mine, &m, &error), VV_OK);
    assert_int_equal(vvMeshFinish(&m, NULL, &error), VV_OK);
    assert_int_equal(vvMeshFindGroup(&m, "pair")->vertices[1], 2);
    m.groups[0].vertices[1] = 4;
    assert_int_equal(vvMeshFinish(&m, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "group \"pair\" has vertex index 4"));
    m.groups[0].vertices[1] = 2;
    m.groups[0].vertexCount = -1;
    assert_int_equal(vvMeshFinish(&m, NULL, &error), VV_ERROR_INPUT);
    m.groups[0].vertexCount = 2;
    memset(m.groups[0].name, 'x', sizeof m.groups[0].name);
    assert_int_equal(vvMeshFinish(&m, NULL, &error), VV_ERROR_INPUT);
    vvMeshDestroy(&m);
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/visviva-groups-%d.msh", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions), cmocka_unit_test(test_both_versions), cmocka_unit_test(test_merged_corners),
        cmocka_unit_test(test_hostile), cmocka_unit_test(test_by_hand),       cmocka_unit_test(test_abridged_entities),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
