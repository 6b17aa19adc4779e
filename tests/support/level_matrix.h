/* Box grids for tests of the second level of "pcg": with bodies and places, several bodies side by side. */
#ifndef VV_TESTS_LEVEL_MATRIX_H
#define VV_TESTS_LEVEL_MATRIX_H

#include "base/memory.h"
#include "grid_matrix.h"

typedef struct level_matrix {
    vv_bsr a;
    int *body;
    double *place;
} level_matrix;

/* The grid's matrix, of one body whose nodes are where the grid has them. */
static inline int level_build(level_matrix *m, const grid *g)
{
    *m = (level_matrix){ 0 };
    if (!grid_build(&m->a, g))
        return 0;
    m->body = vv_alloc((size_t)m->a.n, sizeof *m->body);
    m->place = vv_alloc(3 * (size_t)m->a.n, sizeof *m->place);
    for (int k = 0; k < g->nz; k++)
        for (int j = 0; j < g->ny; j++)
            for (int i = 0; i < g->nx; i++) {
                double *x = m->place + 3 * (size_t)grid_node(g, i, j, k);
                x[0] = i * g->cell, x[1] = j * g->cell, x[2] = k * g->cell;
            }
    m->a.body = m->body;
    m->a.place = m->place;
    return m->body && m->place;
}

static inline void level_free(level_matrix *m)
{
    vv_bsr_free(&m->a);
    vv_free(m->body);
    vv_free(m->place);
}

#endif
