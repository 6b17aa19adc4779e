/* Matrices for tests and benchmarks of the linear solvers: M + h^2 K of a box of linear tets (six a cell), K the
 * stiffness of linear elasticity: K_ij = V (lambda g_i g_j^T + mu g_j g_i^T + mu (g_i . g_j) I), g the gradients of
 * the shape functions. */
#ifndef VV_TESTS_GRID_MATRIX_H
#define VV_TESTS_GRID_MATRIX_H

#include "base/sparse/bsr.h"

#include <stdlib.h>

typedef struct grid {
    int nx, ny, nz; /* nodes */
    double cell, density, young, poisson, h;
} grid;

static inline int grid_node(const grid *g, int i, int j, int k) { return (k * g->ny + j) * g->nx + i; }

/* Corners of tet t (of six) of cell (i, j, k): the paths from one corner of the cube to the opposite one. */
static inline void grid_tet(const grid *g, int i, int j, int k, int t, int node[4], double x[4][3])
{
    static const int axes[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    int at[3] = { i, j, k };
    for (int c = 0; c < 4; c++) {
        if (c > 0)
            at[axes[t][c - 1]]++;
        node[c] = grid_node(g, at[0], at[1], at[2]);
        for (int a = 0; a < 3; a++)
            x[c][a] = at[a] * g->cell;
    }
}

/* Gradients of the four shape functions; returns the volume. */
static inline double grid_gradients(double x[4][3], double grad[4][3])
{
    double e[3][3], det;
    for (int c = 0; c < 3; c++)
        for (int a = 0; a < 3; a++)
            e[c][a] = x[c + 1][a] - x[0][a];
    for (int c = 0; c < 3; c++) {
        const double *u = e[(c + 1) % 3], *v = e[(c + 2) % 3];
        grad[c + 1][0] = u[1] * v[2] - u[2] * v[1];
        grad[c + 1][1] = u[2] * v[0] - u[0] * v[2];
        grad[c + 1][2] = u[0] * v[1] - u[1] * v[0];
    }
    det = e[0][0] * grad[1][0] + e[0][1] * grad[1][1] + e[0][2] * grad[1][2];
    for (int a = 0; a < 3; a++) {
        for (int c = 1; c < 4; c++)
            grad[c][a] /= det;
        grad[0][a] = -(grad[1][a] + grad[2][a] + grad[3][a]);
    }
    return (det < 0 ? -det : det) / 6;
}

static inline void grid_add_tet(vv_bsr *a, const grid *g, const int node[4], double x[4][3])
{
    double grad[4][3], volume = grid_gradients(x, grad);
    double mu = g->young / (2 * (1 + g->poisson)),
           lambda = g->young * g->poisson / ((1 + g->poisson) * (1 - 2 * g->poisson));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double *b = a->val + 9 * (size_t)vv_bsr_slot(a, node[i], node[j]);
            double dot = grad[i][0] * grad[j][0] + grad[i][1] * grad[j][1] + grad[i][2] * grad[j][2];
            for (int s = 0; s < 3; s++)
                for (int r = 0; r < 3; r++)
                    b[3 * s + r] +=
                        g->h * g->h * volume *
                        (lambda * grad[i][r] * grad[j][s] + mu * grad[j][r] * grad[i][s] + (r == s ? mu * dot : 0));
            for (int r = 0; i == j && r < 3; r++)
                b[4 * r] += g->density * volume / 4;
        }
}

static inline int grid_build(vv_bsr *a, const grid *g)
{
    vv_pattern pattern = { .n = g->nx * g->ny * g->nz };
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k + 1 < g->nz; k++)
            for (int j = 0; j + 1 < g->ny; j++)
                for (int i = 0; i + 1 < g->nx; i++)
                    for (int t = 0; t < 6; t++) {
                        int node[4];
                        double x[4][3];
                        grid_tet(g, i, j, k, t, node, x);
                        if (pass == 0)
                            vv_pattern_clique(&pattern, node, 4);
                        else
                            grid_add_tet(a, g, node, x);
                    }
        if (pass == 0 && vv_bsr_build(a, &pattern, NULL) != VV_OK)
            break;
    }
    vv_pattern_free(&pattern);
    return a->val != NULL;
}

static inline double grid_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1; /* [-1, 1) */
}

#endif
