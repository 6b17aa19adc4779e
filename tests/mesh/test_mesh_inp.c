/* Abaqus input files: a table of what is read and refused; sets; tets of ten nodes; what is written; files that unfold.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_cases.h"
#include "positional.h"

#define FOUR "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n"
#define TET "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n"
#define TEN                                                                                                   \
    "*NODE\n1, 0, 0, 0\n2, 2, 0, 0\n3, 0, 2, 0\n4, 0, 0, 2\n5, 1, 0, 0\n6, 1, 1, 0\n7, 0, 1, 0\n8, 0, 0, 1\n" \
    "9, 1, 0, 1\n10, 0, 1, 1.25\n"
#define TET10 "*ELEMENT, TYPE=C3D10, ELSET=ALL\n7, 1, 2, 3, 4, 5, 6, 7, 8,\n9, 10\n"

static const mesh_case cases[] = {
    { "the usual", ".inp", FOUR TET, 4, 1, 4, 0, NULL },
    { "whatever its ending", ".txt", FOUR TET, 4, 1, 4, 0, NULL },
    { "comments, capitals, blanks", ".inp",
      "** a mesh\n*Heading\nof mine, here\n** c\n\n*node , nset = a\n 1 ,0,0 ,0\n** in between\n2,1,,\n3,0,1.,0.,\n"
      "4, , ,1.0D0,\n*Element ,\n type = c3d4h , elset=b\n 1,1,2,\n 3,4\n*Material, name=x\n*Elastic\n1e5, .3\n",
      4, 1, 4, 0, NULL },
    { "Windows line ends", ".inp",
      "*NODE\r\n1,0,0,0\r\n2,1,0,0\r\n3,0,1,0\r\n4,0,0,1\r\n*ELEMENT, TYPE=C3D4\r\n1,1,2,3,4\r\n", 4, 1, 4, 0, NULL },
    { "no last line end", ".inp", FOUR "*ELEMENT, TYPE=C3D4\n1,1,2,3,4", 4, 1, 4, 0, NULL },
    { "elements before nodes, gaps in numbers, any order", ".inp",
      "*ELEMENT, TYPE=C3D4\n90, 17, 2, 300000000000, 4\n*NODE\n300000000000, 0, 1, 0\n17, 0, 0, 0\n4, 0, 0, 1\n2, 1, "
      "0, "
      "0\n",
      4, 1, 4, 0, NULL },
    { "triangles and lines", ".inp",
      FOUR "*ELEMENT, TYPE=S3R\n1, 1, 2, 3\n*ELEMENT, TYPE=STRI65\n2, 1, 3, 4, 2, 2, 2\n*ELEMENT, TYPE=T3D2\n3, 2, 4\n"
           "*ELEMENT, TYPE=B32\n4, 3, 2, 4\n",
      4, 0, 2, 2, NULL },
    { "second order, by the corners", ".inp", TEN TET10, 4, 1, 4, 0, NULL },
    { "steps and outputs", ".inp",
      FOUR TET "*STEP\n*STATIC\n*NODE PRINT, NSET=x\nU\n*ELEMENT OUTPUT\nS\n*NODE FILE\nU\n*END STEP\n", 4, 1, 4, 0,
      NULL },
    { "a part, its instance, a reference point", ".inp",
      "*Part, name=a\n" FOUR TET "*End Part\n*Assembly, name=b\n*Instance, name=c, part=a\n*End Instance\n*Node\n"
      "1, 5, 5, 5\n*Nset, nset=p\n1\n*End Assembly\n",
      4, 1, 4, 0, NULL },
    { "nothing", ".inp", "** only a comment\n", 0, 0, 0, 0, "without nodes (*NODE)" },
    { "no elements", ".inp", FOUR, 0, 0, 0, 0, "no tets" },
    { "a node of two coordinates", ".inp", "*NODE\n1, 0, 0\n", 0, 0, 0, 0, ":2: the line ends where the z coordinate" },
    { "a node of words", ".inp", "*NODE\n1, 0, x, 0\n", 0, 0, 0, 0, ":2: found 'x' where the y coordinate" },
    { "nan", ".inp", "*NODE\n1, nan, 0, 0\n", 0, 0, 0, 0, ":2: found 'nan' where the x coordinate" },
    { "far away", ".inp", "*NODE\n1, 0, 0, 1e31\n", 0, 0, 0, 0, ":2: found '1e31' where the z coordinate" },
    { "node 0", ".inp", "*NODE\n0, 0, 0, 0\n", 0, 0, 0, 0, ":2: found '0' where a node's number" },
    { "a node twice", ".inp", FOUR "3, 1, 1, 1\n" TET, 0, 0, 0, 0, ":6: node 3 is there twice" },
    { "an element twice", ".inp", FOUR TET "1, 1, 2, 3, 4\n", 0, 0, 0, 0, ":8: element 1 is there twice" },
    { "a node that is not there", ".inp", FOUR "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 5\n", 0, 0, 0, 0,
      ":7: element 1 has node 5, which is not among the nodes" },
    { "too few nodes", ".inp", FOUR "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3\n", 0, 0, 0, 0,
      ":7: the line ends after 3 of the 4 nodes" },
    { "too few nodes behind a comma", ".inp", FOUR "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3,\n*STEP\n", 0, 0, 0, 0,
      "an element ends after 3 of its 4 nodes" },
    { "too many nodes", ".inp", FOUR "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4, 1\n", 0, 0, 0, 0,
      ":7: found '1' after the 4 nodes" },
    { "an empty field", ".inp", FOUR "*ELEMENT, TYPE=C3D4\n1, 1, , 3, 4\n", 0, 0, 0, 0,
      ":7: a field is empty where a node's number" },
    { "bricks", ".inp", FOUR "*ELEMENT, TYPE=C3D8R\n1, 1, 2, 3, 4\n", 0, 0, 0, 0, "elements of type 'C3D8R'" },
    { "a name that goes on", ".inp", FOUR "*ELEMENT, TYPE=C3D46\n1, 1, 2, 3, 4\n", 0, 0, 0, 0, "type 'C3D46'" },
    { "no type", ".inp", FOUR "*ELEMENT\n1, 1, 2, 3, 4\n", 0, 0, 0, 0, "*ELEMENT without TYPE=" },
    { "another file", ".inp", FOUR "*INCLUDE, INPUT=a.inp\n" TET, 0, 0, 0, 0, ":6: *INCLUDE names another file" },
    { "nodes in another file", ".inp", "*NODE, INPUT=a.inp\n" TET, 0, 0, 0, 0, "*NODE with INPUT" },
    { "cylinder coordinates", ".inp", "*NODE, SYSTEM=C\n1, 0, 0, 0\n", 0, 0, 0, 0, "*NODE with SYSTEM" },
    { "made nodes", ".inp", FOUR "*NGEN\n1, 2\n", 0, 0, 0, 0, "*NGEN makes nodes" },
    { "two parts", ".inp", "*PART, NAME=a\n" FOUR TET "*END PART\n*PART, NAME=b\n" FOUR TET "*END PART\n", 0, 0, 0, 0,
      "a second part with nodes" },
    { "a part twice", ".inp",
      "*PART, NAME=a\n" FOUR TET "*END PART\n*ASSEMBLY, NAME=c\n*INSTANCE, NAME=d, PART=a\n*END INSTANCE\n*INSTANCE, "
      "NAME=e, PART=a\n*END INSTANCE\n*END ASSEMBLY\n",
      0, 0, 0, 0, "a second instance" },
    { "an instance elsewhere", ".inp",
      "*PART, NAME=a\n" FOUR TET "*END PART\n*ASSEMBLY, NAME=c\n*INSTANCE, NAME=d, PART=a\n1, 0, 0\n*END INSTANCE\n", 0,
      0, 0, 0, "an instance of a part is moved" },
    { "a set of a set that is none", ".inp", FOUR TET "*NSET, NSET=a\nb\n", 0, 0, 0, 0,
      ":9: 'b' is neither a number nor a set" },
    { "a range backwards", ".inp", FOUR TET "*NSET, NSET=a, GENERATE\n4, 1\n", 0, 0, 0, 0,
      ":9: a set's range from 4 to 1" },
    { "a step of 0", ".inp", FOUR TET "*NSET, NSET=a, GENERATE\n1, 4, 0\n", 0, 0, 0, 0,
      ":9: found '0' where the step" },
    { "a name of nothing", ".inp", FOUR TET "*NSET, NSET=\"\"\n1\n", 0, 0, 0, 0, "the name of a set has 0 bytes" },
    { "a name with a bell", ".inp", FOUR TET "*NSET, NSET=\a\n1\n", 0, 0, 0, 0, "control character" },
};

static void cases_are_read_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(cases + i);
}

static vvMesh read_text(const char *text, bool order2)
{
    vvMesh mesh;
    vvError error = { 0 };
    const char *path = scratch_file(".inp");
    save_bytes(path, text, strlen(text));
    if ((order2 ? vvMeshReadOrder2 : vvMeshRead)(path, &mesh, NULL, &error))
        fail_msg("%s", error.message);
    remove(path);
    return mesh;
}

static void expect_group(const vvMesh *mesh, const char *name, int dimension, int count, int triangles)
{
    const vvMeshGroup *g = vvMeshFindGroup(mesh, name);
    if (!g || g->dimension != dimension || g->vertexCount != count || g->triangleCount != triangles)
        fail_msg("group %s: dimension %d, %d vertices, %d triangles", name, g ? g->dimension : -1,
                 g ? g->vertexCount : 0, g ? g->triangleCount : 0);
}

static void sets_are_groups(void **state)
{
    (void)state;
    vvMesh mesh = read_text("*NODE, NSET=all\n1,0,0,0\n2,1,0,0\n3,0,1,0\n5,0,0,1\n9,1,1,1\n11,7,7,7\n"
                            "*ELEMENT, TYPE=C3D4, ELSET=left\n1,1,2,3,5\n*ELEMENT, TYPE=C3D4\n2,2,3,5,9\n"
                            "*ELEMENT, TYPE=S3, ELSET=\"a face, here\"\n7,1,3,2\n*NSET, NSET=odd, GENERATE\n1,9,2\n"
                            "*NSET, NSET=some\nODD, 2\n*NSET, NSET=some\n2,11\n*ELSET, ELSET=Both\nleft\n2\n"
                            "*ELSET, ELSET=both\n7\n",
                            false);
    assert_int_equal(mesh.groupCount, 6);
    expect_group(&mesh, "all", 0, 5, 0); /* 11 is of no element */
    expect_group(&mesh, "left", 3, 4, 0);
    expect_group(&mesh, "a face, here", 2, 3, 1);
    expect_group(&mesh, "odd", 0, 4, 0);
    expect_group(&mesh, "some", 0, 5, 0);
    expect_group(&mesh, "Both", 3, 5, 1);
    assert_int_equal(vvMeshRaise(&mesh, NULL), VV_OK); /* with the middles between */
    expect_group(&mesh, "all", 0, 5 + 9, 0);
    expect_group(&mesh, "odd", 0, 4 + 5, 0); /* 1-3, 1-5, 3-5, 3-9, 5-9; no tet has 1-9 */
    vvMeshDestroy(&mesh);
}

static void ten_nodes(void **state)
{
    (void)state;
    vvMesh mesh = read_text(TEN TET10 "*NSET, NSET=edge\n1, 5, 2\n*NSET, NSET=corners\n1, 2\n", true);
    assert_int_equal(mesh.tet10Count, 1);
    for (int k = 0; k < 10; k++)
        assert_int_equal(mesh.tets10[k], k);
    assert_true(mesh.positions[29] == 1.25);
    expect_group(&mesh, "ALL", 3, 10, 0);
    expect_group(&mesh, "edge", 0, 3, 0);
    expect_group(&mesh, "corners", 0, 2, 0); /* as the file has it */
    vvMeshDestroy(&mesh);
}

/* Written and read again: the same, with groups and middles. */
static void round_trip(void **state)
{
    (void)state;
    static const double ball[2] = { 0.5, 2 };
    for (int order = 1; order <= 2; order++) {
        vvMesh mesh, back;
        vvError error = { 0 };
        vvRaiseNotes notes;
        assert_int_equal(order == 2 ? generate_order2("ball", ball, &mesh, &notes, &error)
                                    : generate_mesh("ball", ball, &mesh, &error),
                         VV_OK);
        const char *path = scratch_file(".inp");
        assert_int_equal(vvMeshWrite(&mesh, path, NULL, &error), VV_OK);
        assert_int_equal(vvMeshReadOrder2(path, &back, NULL, &error), VV_OK);
        assert_same_mesh(&mesh, &back);
        assert_int_equal(back.tet10Count, mesh.tet10Count);
        if (order == 2)
            assert_memory_equal(back.tets10, mesh.tets10, 10 * (size_t)mesh.tet10Count * sizeof(int));
        vvMeshDestroy(&back);
        remove(path);
        vvMeshDestroy(&mesh);
    }
    vvMesh mesh = read_text(FOUR TET "*NSET, NSET=\"a name, b\"\n1, 3\n", false), back;
    const char *path = scratch_file(".inp");
    assert_int_equal(vvMeshWrite(&mesh, path, "inp", NULL), VV_OK);
    assert_int_equal(vvMeshRead(path, &back, NULL, NULL), VV_OK);
    expect_group(&back, "a name, b", 0, 2, 0);
    remove(path);
    vvMeshDestroy(&mesh);
    vvMeshDestroy(&back);
}

/* A few bytes that stand for many: sets of sets, doubled thousands of times; ranges, thousands of times. */
static void files_that_unfold_are_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        enum { SETS = 4000, NODES = 2000 };
        char *text = malloc(1 << 20);
        size_t n = 0;
        vvMesh mesh;
        vvError error = { 0 };
        n += (size_t)sprintf(text + n, "*NODE, NSET=S0\n");
        for (int i = 1; i <= NODES; i++)
            n += (size_t)sprintf(text + n, "%d,%d,%d,%d\n", i, i % 10, i / 10 % 10, i / 100);
        n += (size_t)sprintf(text + n, "*ELEMENT, TYPE=C3D4\n1,1,2,11,101\n");
        for (int i = 1; i < SETS; i++)
            n += (size_t)(kind == 0   ? sprintf(text + n, "*NSET, NSET=S%d\nS%d\n", i, i - 1)
                          : kind == 1 ? sprintf(text + n, "*NSET, NSET=S%d, GENERATE\n1,99999999999,1\n", i)
                                      : sprintf(text + n, "%s1,9999,7777\n", i > 1 ? "" : "*NSET, NSET=a, GENERATE\n"));
        const char *path = scratch_file(".inp");
        save_bytes(path, text, n);
        assert_int_equal(vvMeshRead(path, &mesh, NULL, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, "more than 16 members"));
        remove(path);
        free(text);
    }
}

static void points_are_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvMesh mesh = { .vertexCount = 1, .positions = (double[]){ 0, 0, 0 }, .pointCount = 1, .points = (int[]){ 0 } };
    assert_int_equal(vvMeshWrite(&mesh, scratch_file(".inp"), NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "no free points"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_are_read_or_refused),
        cmocka_unit_test(sets_are_groups),
        cmocka_unit_test(ten_nodes),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(points_are_refused),
        cmocka_unit_test(files_that_unfold_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
