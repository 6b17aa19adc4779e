/* Positions of many contact vertices. Those of an affine body depend on the same four nodes, one after the other. */
#include "contact/surfaces/vertices.h"

#include <string.h>

/* x, y, z and 0 */
typedef double quad __attribute__((vector_size(32)));

static quad at(const double *q, int node)
{
    const double *x = q + 3 * (size_t)node;
    return (quad){ x[0], x[1], x[2], 0 };
}

void vv_vertices_place(const vv_vertices *vs, const double *q, int begin, int end, double *x)
{
    quad node[VV_VERTEX_NODES] = { { 0 } };
    const int *like = NULL;
    for (int v = begin; v < end; v++, x += 3) {
        const int first = vs->start[v], *nodes = vs->node + first;
        if (vs->start[v + 1] - first != VV_VERTEX_NODES) {
            vv_vertex_position(vs, v, q, x);
            continue;
        }
        if (!like || memcmp(like, nodes, sizeof *nodes * VV_VERTEX_NODES) != 0)
            for (int k = 0; k < VV_VERTEX_NODES; k++)
                node[k] = at(q, nodes[k]);
        like = nodes;
        const double *w = vs->weight + first;
        const quad sum = ((((quad){ 0 } + w[0] * node[0]) + w[1] * node[1]) + w[2] * node[2]) + w[3] * node[3];
        memcpy(x, &sum, 3 * sizeof *x);
    }
}
