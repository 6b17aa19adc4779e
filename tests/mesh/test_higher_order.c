/* layer: mesh
 * Elements of higher order are read by their corners, alike in all formats: the same mesh as of first order, counted.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "visviva/mesh.h"

/* Two tets on a triangle; the middles of their edges, of which six are of either. */
enum { CORNERS = 5, MIDDLES = 9, NODES = CORNERS + MIDDLES };
static const double corners[CORNERS][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 1 } };
static const int edges[MIDDLES][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 0, 3 }, { 1, 3 },
                                       { 2, 3 }, { 1, 4 }, { 2, 4 }, { 3, 4 } };
/* corners, then middles in some order: only the corners matter */
static const int tets[2][10] = { { 0, 1, 2, 3, 5, 6, 7, 8, 9, 10 }, { 1, 2, 3, 4, 6, 10, 9, 11, 12, 13 } };

static void position(int node, double x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] = node < CORNERS ? corners[node][k]
                              : 0.5 * corners[edges[node - CORNERS][0]][k] + 0.5 * corners[edges[node - CORNERS][1]][k];
}

static void put_nodes(FILE *f, const char *head, int first, const char *tail)
{
    double x[3];
    for (int n = 0; n < NODES; n++) {
        position(n, x);
        if (head)
            fprintf(f, head, n + first);
        fprintf(f, "%g %g %g%s\n", x[0], x[1], x[2], tail);
    }
}

static void put_tets(FILE *f, const char *head, int first, const char *tail)
{
    for (int t = 0; t < 2; t++) {
        if (strchr(head, '%'))
            fprintf(f, head, t + 1);
        else
            fputs(head, f);
        for (int k = 0; k < 10; k++)
            fprintf(f, "%d%s", tets[t][k] + first, k < 9 ? " " : "");
        fprintf(f, "%s\n", tail);
    }
}

static void write_msh2(FILE *f)
{
    fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", NODES);
    put_nodes(f, "%d ", 1, "");
    fputs("$EndNodes\n$Elements\n2\n", f);
    put_tets(f, "%d 11 2 1 1 ", 1, "");
    fputs("$EndElements\n", f);
}

static void write_msh4(FILE *f)
{
    fprintf(f, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 %d 1 %d\n3 1 0 %d\n", NODES, NODES, NODES);
    for (int n = 1; n <= NODES; n++)
        fprintf(f, "%d\n", n);
    put_nodes(f, NULL, 1, "");
    fputs("$EndNodes\n$Elements\n1 2 1 2\n3 1 11 2\n", f);
    put_tets(f, "%d ", 1, "");
    fputs("$EndElements\n", f);
}

static void write_vtk(FILE *f, int type)
{
    fprintf(f, "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n", NODES);
    put_nodes(f, NULL, 0, "");
    fputs("CELLS 2 22\n", f);
    put_tets(f, "10 ", 0, "");
    fprintf(f, "CELL_TYPES 2\n%d\n%d\n", type, type);
}

static void write_quadratic(FILE *f) { write_vtk(f, 24); }
static void write_lagrange(FILE *f) { write_vtk(f, 71); }

static void write_medit(FILE *f)
{
    fprintf(f, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", NODES);
    put_nodes(f, NULL, 1, " 0");
    fputs("TetrahedraP2\n2\n", f);
    put_tets(f, "", 1, " 0");
    fputs("End\n", f);
}

static void write_tetgen(FILE *f)
{
    FILE *nodes = fopen("order.node", "w");
    assert_non_null(nodes);
    fprintf(nodes, "%d 3 0 0\n", NODES);
    put_nodes(nodes, "%d ", 1, "");
    fclose(nodes);
    fputs("2 10 0\n", f);
    put_tets(f, "%d ", 1, "");
}

static const struct {
    const char *path;
    void (*write)(FILE *f);
} files[] = {
    { "order2.msh", write_msh2 },     { "order4.msh", write_msh4 },  { "order.vtk", write_quadratic },
    { "orderl.vtk", write_lagrange }, { "order.mesh", write_medit }, { "order.ele", write_tetgen },
};

static void by_their_corners(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        vvMesh mesh;
        vvMeshNotes notes;
        vvError error = { 0 };
        FILE *f = fopen(files[i].path, "w");
        assert_non_null(f);
        files[i].write(f);
        fclose(f);
        if (vvMeshRead(files[i].path, &mesh, &notes, &error) != VV_OK)
            fail_msg("%s: %s", files[i].path, error.message);
        assert_int_equal(notes.straightened, 2);
        assert_int_equal(notes.unusedVertices, MIDDLES);
        assert_int_equal(mesh.vertexCount, CORNERS);
        assert_int_equal(mesh.tetCount, 2);
        assert_int_equal(mesh.triangleCount, 6);
        for (int k = 0; k < 3 * CORNERS; k++)
            assert_true(mesh.positions[k] == corners[k / 3][k % 3]);
        for (int t = 0; t < 2; t++) /* in whatever order they have a positive volume */
            for (int k = 0; k < 4; k++) {
                bool found = false;
                for (int c = 0; c < 4; c++)
                    found = found || mesh.tets[4 * t + c] == tets[t][k];
                assert_true(found);
            }
        vvMeshDestroy(&mesh);
        unlink(files[i].path);
    }
    unlink("order.node");
}

/* ---- whole ------------------------------------------------------------------------------------------------------ */

static int order[6] = { 0, 1, 2, 3, 4, 5 }; /* of the middles in a file */

static void write_one(FILE *f, const char *head, int wrong, const char *tail)
{
    fputs(head, f);
    for (int k = 0; k < 10; k++)
        fprintf(f, "%d ", k == 7 && wrong ? wrong : tets[0][k < 4 ? k : 4 + order[k - 4]] + 1);
    fputs(tail, f);
}

/* One element, of which a middle may be another node. */
static vvStatus read_one(bool medit, int wrong, vvMesh *mesh, vvMeshNotes *notes, vvError *error)
{
    const char *path = medit ? "whole.mesh" : "whole.ele";
    FILE *f = fopen(path, "w"), *nodes = fopen("whole.node", "w");
    assert_non_null(f);
    assert_non_null(nodes);
    fprintf(nodes, "%d 3 0 0\n", NODES);
    put_nodes(nodes, "%d ", 1, "");
    fclose(nodes);
    if (medit) {
        fprintf(f, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", NODES);
        put_nodes(f, NULL, 1, " 0");
        fputs("TrianglesP2\n1\n1 3 2 8 7 6 0\n", f);
    }
    write_one(f, medit ? "TetrahedraP2\n1\n" : "1 10 0\n1 ", wrong, medit ? "0\nEnd\n" : "\n");
    fclose(f);
    const vvStatus status = vvMeshReadOrder2(path, mesh, notes, error);
    unlink(path);
    unlink("whole.node");
    return status;
}

/* Programs differ in the order of middles: each goes to its edge. */
static void whole_in_any_order(void **state)
{
    (void)state;
    static const int orders[][6] = {
        { 0, 1, 2, 3, 4, 5 }, { 0, 1, 2, 3, 5, 4 }, { 5, 4, 3, 2, 1, 0 }, { 2, 0, 1, 4, 5, 3 }
    };
    for (size_t i = 0; i < 2 * sizeof orders / sizeof *orders; i++) {
        vvMesh mesh;
        vvMeshNotes notes;
        vvError error = { 0 };
        memcpy(order, orders[i / 2], sizeof order);
        if (read_one(i % 2, 0, &mesh, &notes, &error) != VV_OK)
            fail_msg("%zu: %s", i, error.message);
        assert_int_equal(mesh.tet10Count, 1);
        assert_int_equal(mesh.tetCount, 8);
        assert_int_equal(notes.straightened, 0);
        for (int e = 0; e < 6; e++) {
            static const int ends[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
            for (int k = 0; k < 3; k++)
                assert_true(mesh.positions[3 * mesh.tets10[4 + e] + k] ==
                            0.5 * mesh.positions[3 * mesh.tets10[ends[e][0]] + k] +
                                0.5 * mesh.positions[3 * mesh.tets10[ends[e][1]] + k]);
        }
        vvMeshDestroy(&mesh);
    }
}

static void wrong_middles_are_refused(void **state)
{
    (void)state;
    static const struct {
        int node;
        const char *medit, *tetgen;
    } wrong[] = { { 6, "at one vertex", "at one vertex" }, /* there twice */
                  { 5, "inside out", "inside out" },       /* far away */
                  { -3, "vertex number -3", "node -3" },
                  { 15, "vertex number 15", "node 15" } };
    memcpy(order, (int[]){ 0, 1, 2, 3, 4, 5 }, sizeof order);
    for (size_t i = 0; i < 2 * sizeof wrong / sizeof *wrong; i++) {
        vvMesh mesh;
        vvError error = { 0 };
        assert_int_equal(read_one(i % 2, wrong[i / 2].node, &mesh, NULL, &error), VV_ERROR_INPUT);
        if (!strstr(error.message, i % 2 ? wrong[i / 2].medit : wrong[i / 2].tetgen))
            fail_msg("%zu: %s", i, error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(by_their_corners), cmocka_unit_test(whole_in_any_order),
                                        cmocka_unit_test(wrong_middles_are_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
