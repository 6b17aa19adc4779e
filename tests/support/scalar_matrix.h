/* Symmetric matrices of numbers, as the global solves of the real-time solvers have them: M + h^2 w L of tets or
 * springs. Lower triangle in compressed columns. For tests and benchmarks: out of memory ends the program. */
#ifndef VV_TESTS_SCALAR_MATRIX_H
#define VV_TESTS_SCALAR_MATRIX_H

#include "grid_matrix.h"

#include <string.h>

typedef struct scalar_entry {
    int column, row;
    double value;
} scalar_entry;

typedef struct scalar_matrix {
    int n;
    int *start, *row;
    double *value;
    scalar_entry *entry; /* while it is built */
    size_t count, room;
} scalar_matrix;

static inline void *scalar_alloc(size_t bytes)
{
    void *p = calloc(bytes + 1, 1);
    if (!p)
        abort();
    return p;
}

static inline void scalar_add(scalar_matrix *a, int i, int j, double value)
{
    if (a->count == a->room) {
        a->room = 2 * a->room + 64;
        a->entry = realloc(a->entry, a->room * sizeof *a->entry);
        if (!a->entry)
            abort();
    }
    a->entry[a->count++] = (scalar_entry){ i < j ? i : j, i < j ? j : i, value };
}

static inline int scalar_compare(const void *a, const void *b)
{
    const scalar_entry *x = a, *y = b;
    return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
                                  : (x->row > y->row) - (x->row < y->row);
}

/* Sums what was added. */
static inline void scalar_finish(scalar_matrix *a)
{
    size_t kept = 0;
    if (a->count)
        qsort(a->entry, a->count, sizeof *a->entry, scalar_compare);
    for (size_t k = 0; k < a->count; k++) {
        if (kept && scalar_compare(a->entry + kept - 1, a->entry + k) == 0)
            a->entry[kept - 1].value += a->entry[k].value;
        else
            a->entry[kept++] = a->entry[k];
    }
    a->start = scalar_alloc(((size_t)a->n + 1) * sizeof *a->start);
    a->row = scalar_alloc(kept * sizeof *a->row);
    a->value = scalar_alloc(kept * sizeof *a->value);
    for (size_t k = 0; k < kept; k++) {
        a->start[a->entry[k].column + 1]++;
        a->row[k] = a->entry[k].row;
        a->value[k] = a->entry[k].value;
    }
    for (int j = 0; j < a->n; j++)
        a->start[j + 1] += a->start[j];
    free(a->entry);
    a->entry = NULL;
}

static inline void scalar_free(scalar_matrix *a)
{
    free(a->start);
    free(a->row);
    free(a->value);
    free(a->entry);
    *a = (scalar_matrix){ 0 };
}

/* y = A x, n x 3 */
static inline void scalar_multiply(const scalar_matrix *a, const double *x, double *y)
{
    memset(y, 0, 3 * (size_t)a->n * sizeof *y);
    for (int j = 0; j < a->n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            for (int c = 0; c < 3; c++) {
                y[3 * a->row[k] + c] += a->value[k] * x[3 * j + c];
                if (a->row[k] != j)
                    y[3 * j + c] += a->value[k] * x[3 * a->row[k] + c];
            }
}

/* A tet's mass, density V / 4 a corner, and weight V g_i . g_j */
static inline void scalar_add_tet(scalar_matrix *a, const int node[4], double x[4][3], double density, double weight)
{
    double g[4][3], volume = grid_gradients(x, g);
    for (int i = 0; i < 4; i++) {
        scalar_add(a, node[i], node[i], density * volume / 4);
        for (int j = 0; j <= i; j++)
            scalar_add(a, node[i], node[j],
                       weight * volume * (g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2]));
    }
}

static inline void scalar_add_spring(scalar_matrix *a, int i, int j, double weight)
{
    scalar_add(a, i, i, weight);
    scalar_add(a, j, j, weight);
    scalar_add(a, i, j, -weight);
}

/* A box of unit cells of five tets each, mirrored from cell to cell. */
static inline void scalar_box(scalar_matrix *a, const int cells[3], double cell, double density, double weight)
{
    /* bits: x, y, z */
    static const int corner[5][4] = { { 0, 1, 2, 4 }, { 3, 1, 2, 7 }, { 5, 1, 4, 7 }, { 6, 2, 4, 7 }, { 1, 2, 4, 7 } };
    a->n = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
    for (int k = 0; k < cells[2]; k++)
        for (int j = 0; j < cells[1]; j++)
            for (int i = 0; i < cells[0]; i++)
                for (int t = 0; t < 5; t++) {
                    int node[4], flip = (i + j + k) % 2 ? 7 : 0;
                    double x[4][3];
                    for (int c = 0; c < 4; c++) {
                        int bits = corner[t][c] ^ flip,
                            at[3] = { i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2) };
                        node[c] = (at[2] * (cells[1] + 1) + at[1]) * (cells[0] + 1) + at[0];
                        for (int d = 0; d < 3; d++)
                            x[c][d] = cell * at[d];
                    }
                    scalar_add_tet(a, node, x, density, weight);
                }
    scalar_finish(a);
}

/* A square cloth: springs along edges, across cells, and to the next but one. */
static inline void scalar_cloth(scalar_matrix *a, int side, double mass, double stretch, double bend)
{
    static const int step[6][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 1, -1 }, { 2, 0 }, { 0, 2 } };
    a->n = side * side;
    for (int i = 0; i < a->n; i++)
        scalar_add(a, i, i, mass);
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            for (int s = 0; s < 6; s++) {
                int k = i + step[s][0], l = j + step[s][1];
                if (k < side && l >= 0 && l < side)
                    scalar_add_spring(a, i * side + j, k * side + l, s < 4 ? stretch : bend);
            }
    scalar_finish(a);
}

#endif
