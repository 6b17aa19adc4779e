/* TetGen's files: a table of pairs, the paths of the partner, TetGen itself where it is installed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_cases.h"

#define FOUR "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
#define TET "1 4 0\n1 1 2 3 4\n"

/* `node` is saved as a .node file; `text`, with its ending, beside it; either may be NULL. */
typedef struct pair {
    mesh_case c;
    const char *node;
} pair;

static const pair pairs[] = {
    { { "the usual", ".ele", TET, 4, 1, 4, 0, NULL }, FOUR },
    { { "from 0", ".ele", "1 4 0\n0 0 1 2 3\n", 4, 1, 4, 0, NULL }, "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n" },
    { { "attributes, markers and comments", ".ele", "# tets\n\n1  4  1 # one\n\n  1  1 2 3 4  7.5 # the only\n# end\n",
        4, 1, 4, 0, NULL },
      "# Generated\n4 3 2 1\n\n1 0 0 0  0.5 2 -1\n2 1 0 0 1 1 0# b\n3 0 1 0 1 1 0\n4 0 0 1 1 1 0\n#\n" },
    { { "markers left out", ".ele", TET, 0, 0, 0, 0,
        ".node:3: the line ends after 0 of the 1 attributes and markers that the first line announces" },
      "4 3 0 1\n1 0 0 0 1\n2 1 0 0\n3 0 1 0\n4 0 0 1\n" },
    { { "short first lines", ".ele", "1\n1 1 2 3 4\n", 4, 1, 4, 0, NULL }, "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n" },
    { { "Windows line ends", ".ele", "1 4 0\r\n1 1 2 3 4\r\n", 4, 1, 4, 0, NULL },
      "4 3 0 0\r\n1 0 0 0\r\n2 1 0 0\r\n3 0 1 0\r\n4 0 0 1\r\n" },
    { { "no last line end", ".ele", "1 4 0\n1 1 2 3 4", 4, 1, 4, 0, NULL },
      "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1" },
    { { "Fortran's exponents", ".ele", TET, 4, 1, 4, 0, NULL },
      "4 3\n1 0 0 0\n2 1.0D0 0 0\n3 0 1.d+00 0\n4 0 0 1e0\n" },
    { { "elements numbered anyhow", ".ele", "1 4 0\n17 1 2 3 4\n", 4, 1, 4, 0, NULL }, FOUR },
    { { "a node that nothing uses", ".ele", TET, 4, 1, 4, 0, NULL },
      "5 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 9 9 9\n" },
    { { "faces", ".face", "2 1\n1 1 2 3 1\n2 1 2 4 -1\n", 4, 0, 2, 0, NULL }, FOUR },
    { { "faces with the tets at them", ".face", "1 1\n1 1 2 3 1 0 5\n", 3, 0, 1, 0, NULL }, FOUR },
    { { "edges", ".edge", "3 0\n1 1 2\n2 2 3\n3 3 4\n", 4, 0, 0, 3, NULL }, FOUR },
    { { "no nodes file", ".ele", TET, 0, 0, 0, 0, ".ele: its nodes are in another file: " }, NULL },
    { { "empty nodes file", ".ele", TET, 0, 0, 0, 0, ".node: the file is empty" }, "" },
    { { "nodes of dimension 2", ".ele", "1 3 0\n1 1 2 3\n", 0, 0, 0, 0, ".node:1: nodes of dimension 2: flat meshes" },
      "3 2 0 0\n1 0 0\n2 1 0\n3 0 1\n" },
    { { "nodes of dimension 4", ".ele", TET, 0, 0, 0, 0, ".node:1: nodes of dimension 4" }, "1 4 0 0\n1 0 0 0 0\n" },
    { { "0 nodes", ".ele", TET, 0, 0, 0, 0, ".node:1: the number of nodes is 0" }, "0 3 0 0\n" },
    { { "nodes missing", ".ele", TET, 0, 0, 0, 0, ".node:5: the file ends after 3 of the 4 nodes" },
      "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n" },
    { { "nodes too many", ".ele", TET, 0, 0, 0, 0, ".node:6: found '5' after the 4 nodes that the first line counts" },
      FOUR "5 1 1 1\n" },
    { { "nodes from 7", ".ele", TET, 0, 0, 0, 0, ".node:2: the first node has number 7" }, "1 3\n7 0 0 0\n" },
    { { "nodes out of order", ".ele", TET, 0, 0, 0, 0, ".node:3: node number 3 stands where 2 is needed" },
      "4 3 0 0\n1 0 0 0\n3 1 0 0\n2 0 1 0\n4 0 0 1\n" },
    { { "a huge number of nodes", ".ele", TET, 0, 0, 0, 0, ".node:1: the number of nodes is 99999999999, but only" },
      "99999999999 3 0 0\n1 0 0 0\n" },
    { { "a number of nodes that is none", ".ele", TET, 0, 0, 0, 0, ".node:1: found 'four' where the number of nodes" },
      "four 3 0 0\n" },
    { { "a node of two numbers", ".ele", TET, 0, 0, 0, 0, ".node:2: the line ends where the z coordinate" },
      "4 3 0 0\n1 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n" },
    { { "a node of four numbers", ".ele", TET, 0, 0, 0, 0, ".node:2: found '9' where the line should end" },
      "4 3 0 0\n1 0 0 0 9\n2 1 0 0\n3 0 1 0\n4 0 0 1\n" },
    { { "nan as Microsoft writes it", ".ele", TET, 0, 0, 0, 0, ".node:2: found '1.#QNAN' where the z coordinate" },
      "1 3\n1 0 0 1.#QNAN\n" },
    { { "nan", ".ele", TET, 0, 0, 0, 0, ".node:2: found 'nan' where the x coordinate" }, "1 3\n1 nan 0 0\n" },
    { { "far away", ".ele", TET, 0, 0, 0, 0, ".node:2: found '1e31' where the y coordinate" }, "1 3\n1 0 1e31 0\n" },
    { { "second order, cut short", ".ele", "1 10 0\n1 1 2 3 4 5 6 7 8 9\n", 0, 0, 0, 0,
        ".ele:2: the line ends after 5 of the 6" },
      FOUR },
    { { "Triangle's elements", ".ele", "1 3 0\n1 1 2 3\n", 0, 0, 0, 0, ".ele:1: elements of 3 nodes, as Triangle's" },
      FOUR },
    { { "elements of 8 nodes", ".ele", "1 8 0\n", 0, 0, 0, 0, ".ele:1: elements of 8 nodes; tets of 4" }, FOUR },
    { { "no tets", ".ele", "0 4 0\n", 0, 0, 0, 0, ".ele:1: the number of tets is 0; 1 or more are needed" }, FOUR },
    { { "a negative number of tets", ".ele", "-1 4 0\n", 0, 0, 0, 0, ".ele:1: the number of tets is -1" }, FOUR },
    { { "a huge number of tets", ".ele", "1000000000 4 0\n1 1 2 3 4\n", 0, 0, 0, 0,
        ".ele:1: the number of tets is 1000000000, but only" },
      FOUR },
    { { "tets missing", ".ele", "2 4 0\n1 1 2 3 4\n", 0, 0, 0, 0, ".ele:3: the file ends after 1 of the 2 tets" },
      FOUR },
    { { "tets too many", ".ele", TET "2 1 2 3 4\n", 0, 0, 0, 0, ".ele:3: found '2' after the 1 tets" }, FOUR },
    { { "a tet of three nodes", ".ele", "1 4 0\n1 1 2 3\n", 0, 0, 0, 0, ".ele:2: the line ends where a node number" },
      FOUR },
    { { "a tet of five nodes", ".ele", "1 4 0\n1 1 2 3 4 5\n", 0, 0, 0, 0,
        ".ele:2: found '5' where the line should end; the first line announces 0 attributes" },
      FOUR },
    { { "a vertex number left out before an attribute", ".ele", "1 4 1\n1 1 2 3 4\n", 0, 0, 0, 0,
        ".ele:2: the line ends after 0 of the 1 attributes" },
      FOUR },
    { { "a node out of range", ".ele", "1 4 0\n1 1 2 3 5\n", 0, 0, 0, 0,
        ".ele:2: element 1 refers to node 5; the nodes are numbered 1 to 4" },
      FOUR },
    { { "tets from 0, nodes from 1", ".ele", "1 4 0\n0 0 1 2 3\n", 0, 0, 0, 0,
        ".ele:2: element 0 refers to node 0; the nodes are numbered 1 to 4" },
      FOUR },
    { { "a node's number that is none", ".ele", "1 4 0\n1 1 2 3 x\n", 0, 0, 0, 0,
        ".ele:2: found 'x' where a node number" },
      FOUR },
    { { "a tet with a corner twice", ".ele", "1 4 0\n1 1 2 3 3\n", 0, 0, 0, 0, ".ele:2: tet 0 has two corners at one" },
      FOUR },
    { { "a flat tet", ".ele", TET, 0, 0, 0, 0, ".ele:2: tet 0 has no volume" },
      "4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n" },
    { { "a comment only", ".ele", "# nothing\n", 0, 0, 0, 0, ".ele:2: the file ends where the number of tets" }, FOUR },
    { { "second-order faces", ".face", "1 0\n1 1 2 3 4 5 6\n", 0, 0, 0, 0,
        ".face:2: found '4' where the line should end" },
      FOUR },
    { { "a face out of range", ".face", "1 0\n1 1 2 9\n", 0, 0, 0, 0, ".face:2: element 1 refers to node 9" }, FOUR },
};

/* The file that is named is the one with `named` as its ending. */
static void check_pair(const pair *p, const char *named)
{
    char node[512], other[512];
    vvMesh mesh;
    vvError error = { 0 };
    snprintf(node, sizeof node, "%s", scratch_file(".1.node"));
    snprintf(other, sizeof other, "%.400s%s", scratch_file(".1"), p->c.ending);
    remove(node);
    if (p->node)
        save_bytes(node, p->node, strlen(p->node));
    save_bytes(other, p->c.text, strlen(p->c.text));
    vvStatus status = vvMeshRead(strcmp(named, ".node") == 0 ? node : other, &mesh, NULL, &error);
    assert_verdict(&p->c, status, &mesh, &error);
    remove(node);
    remove(other);
}

static void each_pair_has_its_verdict(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        check_pair(&pairs[i], pairs[i].c.ending);
        if (pairs[i].node && pairs[i].node[0])
            check_pair(&pairs[i], ".node");
    }
}

static void nodes_alone(void **state)
{
    (void)state;
    const mesh_case alone = { "nodes alone", ".node", FOUR, 0, 0, 0, 0, "a .node file holds points only; an .ele" };
    check_case(&alone);
    const mesh_case plain = { "another ending", ".txt", TET, 0, 0, 0, 0, "neither its content nor its ending" };
    check_case(&plain);
}

/* Tets come before faces, faces before edges; capitals stay capitals. */
static void the_partner_is_found(void **state)
{
    (void)state;
    static const char *const endings[] = { ".EDGE", ".FACE", ".ELE" }, *const texts[] = { "1\n1 1 2\n", "1\n1 1 2 3\n",
                                                                                          TET };
    char path[4][512];
    snprintf(path[3], sizeof path[3], "%s", scratch_file(".NODE"));
    save_bytes(path[3], FOUR, strlen(FOUR));
    for (int i = 0; i < 3; i++) {
        vvMesh m;
        vvError error;
        snprintf(path[i], sizeof path[i], "%s", scratch_file(endings[i]));
        save_bytes(path[i], texts[i], strlen(texts[i]));
        if (vvMeshRead(path[3], &m, NULL, &error))
            fail_msg("%s", error.message);
        assert_true(i == 0 ? m.edgeCount == 1 : i == 1 ? m.triangleCount == 1 : m.tetCount == 1);
        vvMeshDestroy(&m);
    }
    for (int i = 0; i < 4; i++)
        remove(path[i]);
    vvMesh mesh;
    vvError error;
    assert_int_equal(vvMeshGenerate("box", NULL, 0, &mesh, NULL), VV_OK);
    assert_int_equal(vvMeshWrite(&mesh, path[3], NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "tetgen is only read"));
    vvMeshDestroy(&mesh);
}

/* The mesh of a .msh file, written by hand as TetGen's files from 0 and from 1, comes back bit for bit. */
static void a_real_mesh(void **state)
{
    (void)state;
    if (!have_meshes())
        skip();
    vvMesh m, back;
    vvError error;
    char node[512], ele[512];
    assert_int_equal(vvMeshRead(mesh_file("bunny_1k8", "msh"), &m, NULL, NULL), VV_OK);
    for (int first = 0; first < 2; first++) {
        snprintf(node, sizeof node, "%s", scratch_file(".node"));
        snprintf(ele, sizeof ele, "%s", scratch_file(".ele"));
        FILE *file = fopen(node, "w");
        fprintf(file, "%d 3 0 0\n", m.vertexCount);
        for (int v = 0; v < m.vertexCount; v++)
            fprintf(file, "%d %.17g %.17g %.17g\n", v + first, m.positions[3 * v], m.positions[3 * v + 1],
                    m.positions[3 * v + 2]);
        fclose(file);
        file = fopen(ele, "w");
        fprintf(file, "%d 4 0\n", m.tetCount);
        for (int t = 0; t < m.tetCount; t++)
            fprintf(file, "%d %d %d %d %d\n", t + first, m.tets[4 * t] + first, m.tets[4 * t + 1] + first,
                    m.tets[4 * t + 2] + first, m.tets[4 * t + 3] + first);
        fclose(file);
        if (vvMeshRead(first ? node : ele, &back, NULL, &error))
            fail_msg("%s", error.message);
        assert_same_mesh(&m, &back);
        vvMeshDestroy(&back);
        remove(node);
        remove(ele);
    }
    vvMeshDestroy(&m);
}

/* TetGen fills the surface that is written here as STL and as MEDIT; what it makes of it is read. */
static void tetgen_agrees(void **state)
{
    (void)state;
    if (system("command -v tetgen >/dev/null 2>&1") != 0) {
        print_message("skipped: tetgen is not installed\n");
        skip();
    }
    static const char *const endings[] = { ".stl", ".mesh" }, *const made[] = { ".1.ele", ".1.node", ".1.face",
                                                                                ".1.edge" };
    vvMesh solid, surface, m;
    vvMeshQuality want, got;
    vvError error;
    assert_int_equal(vvMeshGenerate("ball", NULL, 0, &solid, NULL), VV_OK);
    assert_int_equal(vvMeshCopy(&solid, &surface, NULL), VV_OK);
    surface.tetCount = 0;
    assert_int_equal(vvMeshFinish(&surface, NULL, NULL), VV_OK);
    vvMeshMeasure(&solid, &want);
    for (int i = 0; i < 2; i++) {
        char path[512], command[700];
        snprintf(path, sizeof path, "%s", scratch_file(endings[i]));
        assert_int_equal(vvMeshWrite(&surface, path, NULL, NULL), VV_OK);
        snprintf(command, sizeof command, "tetgen -pqYQ '%s' >/dev/null 2>&1", path);
        assert_int_equal(system(command), 0);
        remove(path);
        for (int k = 0; k < 4; k++) {
            snprintf(path, sizeof path, "%s", scratch_file(made[k]));
            if (vvMeshRead(path, &m, NULL, &error))
                fail_msg("%s", error.message);
            vvMeshMeasure(&m, &got);
            if (k < 2)
                assert_true(got.volume / want.volume > 1 - 1e-9 && got.volume / want.volume < 1 + 1e-9);
            if (k < 3)
                assert_int_equal(m.triangleCount, surface.triangleCount);
            vvMeshDestroy(&m);
        }
        for (int k = 0; k < 4; k++)
            remove(scratch_file(made[k]));
        remove(scratch_file(".1.smesh"));
    }
    vvMeshDestroy(&solid);
    vvMeshDestroy(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_has_its_verdict),
        cmocka_unit_test(nodes_alone),
        cmocka_unit_test(the_partner_is_found),
        cmocka_unit_test(a_real_mesh),
        cmocka_unit_test(tetgen_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
