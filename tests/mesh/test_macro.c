/* layer: mesh
 * Macro-cells: the cells of a grid are found again, other tets are gathered, whatever they look like. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/macro.h"
#include "positional.h"
#include "visviva/mesh.h"

#include <stdlib.h>
#include <string.h>

static vvMesh box(int nx, int ny, int nz, int split)
{
    vvMesh mesh;
    const double values[7] = { nx, ny, nz, nx, ny, nz, split };
    assert_int_equal(generate_mesh("box", values, &mesh, NULL), VV_OK);
    return mesh;
}

static void shuffle(vvMesh *mesh, unsigned seed)
{
    for (int i = mesh->tetCount - 1; i > 0; i--) {
        int keep[4];
        seed = seed * 1664525u + 1013904223u;
        const int j = (int)(seed >> 8) % (i + 1);
        memcpy(keep, mesh->tets + 4 * i, sizeof keep);
        memcpy(mesh->tets + 4 * i, mesh->tets + 4 * j, sizeof keep);
        memcpy(mesh->tets + 4 * j, keep, sizeof keep);
    }
}

static int *macros_of(const vvMesh *mesh, int *count)
{
    int *macro = malloc((size_t)mesh->tetCount * sizeof *macro), next = 0;
    assert_int_equal(vv_macro_cells(mesh->tetCount, mesh->tets, macro, count, NULL), VV_OK);
    for (int t = 0; t < mesh->tetCount; t++) { /* numbered as they come */
        assert_in_range(macro[t], 0, next);
        next += macro[t] == next;
    }
    assert_int_equal(next, *count);
    return macro;
}

static bool neighbours(const int *a, const int *b)
{
    int shared = 0;
    for (int i = 0; i < 16; i++)
        shared += a[i / 4] == b[i % 4];
    return shared == 3;
}

/* How many tets and nodes a macro-cell has; its tets hang together at faces. */
static int look_at(const vvMesh *mesh, const int *macro, int of, int *nodes)
{
    int tets[64], count = 0, list[256], reached = 1;
    bool seen[64] = { true };
    for (int t = 0; t < mesh->tetCount; t++)
        if (macro[t] == of) {
            assert_true(count < 64);
            tets[count++] = t;
        }
    *nodes = 0;
    for (int i = 0; i < 4 * count; i++) {
        const int node = mesh->tets[4 * tets[i / 4] + i % 4];
        int k = 0;
        while (k < *nodes && list[k] != node)
            k++;
        list[k] = node;
        *nodes += k == *nodes;
    }
    int queue[64] = { 0 };
    for (int i = 0; i < reached; i++)
        for (int j = 0; j < count; j++)
            if (!seen[j] && neighbours(mesh->tets + 4 * tets[queue[i]], mesh->tets + 4 * tets[j]))
                seen[j] = true, queue[reached++] = j;
    assert_int_equal(reached, count);
    return count;
}

/* Each cell is a macro-cell, with its tets and its eight corners. */
static void cells_of_grids(void **unused)
{
    (void)unused;
    for (int split = 5; split <= 6; split++)
        for (int n = 1; n < 5; n++) {
            vvMesh mesh = box(n, 3, 2, split);
            int count, nodes, *macro = macros_of(&mesh, &count);
            assert_int_equal(count, 6 * n);
            for (int t = 0; t < mesh.tetCount; t++)
                assert_int_equal(macro[t], t / split);
            for (int c = 0; c < count; c++) {
                assert_int_equal(look_at(&mesh, macro, c, &nodes), split);
                assert_int_equal(nodes, 8);
            }
            free(macro);
            vvMeshDestroy(&mesh);
        }
}

/* Of tets in any order nearly all macro-cells have five to eight, none has more, or more than eleven nodes. */
static void any_order(void **unused)
{
    (void)unused;
    for (int split = 5; split <= 6; split++)
        for (unsigned seed = 1; seed < 4; seed++) {
            vvMesh mesh = box(6, 5, 4, split);
            int count, nodes, small = 0;
            shuffle(&mesh, seed);
            int *macro = macros_of(&mesh, &count);
            for (int c = 0; c < count; c++) {
                const int tets = look_at(&mesh, macro, c, &nodes);
                assert_in_range(tets, 1, VV_MACRO_TETS);
                assert_in_range(nodes, 4, VV_MACRO_NODES);
                small += tets < 5;
            }
            assert_true(small <= count / 50);
            assert_in_range(count, mesh.tetCount / 7, mesh.tetCount / 5);
            /* the same of other numbers of nodes in the same order, and twice */
            int *again;
            for (int i = 0; i < 4 * mesh.tetCount; i++)
                mesh.tets[i] += 1000000;
            int other;
            again = macros_of(&mesh, &other);
            assert_int_equal(other, count);
            assert_memory_equal(again, macro, (size_t)mesh.tetCount * sizeof *macro);
            free(again), free(macro);
            vvMeshDestroy(&mesh);
        }
}

/* No tets, one, two apart, two at a face, and what is left beside full ones. */
static void few(void **unused)
{
    (void)unused;
    int macro[2], count = 7;
    assert_int_equal(vv_macro_cells(0, NULL, macro, &count, NULL), VV_OK);
    assert_int_equal(count, 0);
    assert_int_equal(vv_macro_cells(1, (int[]){ 3, 1, 4, 2 }, macro, &count, NULL), VV_OK);
    assert_true(count == 1 && macro[0] == 0);
    assert_int_equal(vv_macro_cells(2, (int[]){ 0, 1, 2, 3, 3, 4, 5, 6 }, macro, &count, NULL), VV_OK);
    assert_true(count == 2 && macro[0] == 0 && macro[1] == 1);
    assert_int_equal(vv_macro_cells(2, (int[]){ 0, 1, 2, 3, 1, 2, 3, 4 }, macro, &count, NULL), VV_OK);
    assert_true(count == 1 && macro[0] == 0 && macro[1] == 0);
    for (int n = 7; n < 18; n++) { /* a chain of tets: seven go to one, nine to two */
        int tets[4 * 18], of[18], nodes, least = 99;
        for (int i = 0; i < 4 * n; i++)
            tets[i] = i / 4 + i % 4;
        vvMesh mesh = { .tetCount = n, .tets = tets };
        assert_int_equal(vv_macro_cells(n, tets, of, &count, NULL), VV_OK);
        for (int c = 0; c < count; c++) {
            const int size = look_at(&mesh, of, c, &nodes);
            least = size < least ? size : least;
            assert_int_equal(nodes, size + 3);
        }
        assert_true(n != 7 || count == 1);
        assert_true(n < 9 || count >= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_of_grids),
        cmocka_unit_test(any_order),
        cmocka_unit_test(few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
