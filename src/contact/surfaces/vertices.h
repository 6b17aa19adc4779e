/* The vertices that collide. A vertex is a fixed weighted sum of nodes, x = W q (theory §1.1): vertex v uses entries
 * start[v] .. start[v+1]. A vertex of a tet mesh is its own node. */
#ifndef VV_CONTACT_SURFACES_VERTICES_H
#define VV_CONTACT_SURFACES_VERTICES_H

#include <stddef.h>

enum { VV_VERTEX_NODES = 4 }; /* most nodes that a vertex depends on */

typedef struct vv_vertices {
    int count;
    /* after these: nodes within bodies that collide with themselves by penalties (contact/penetration/penetration.h).
     * They belong to no surface */
    int inner;
    /* after these: nodes within bodies that obstacles alone keep out (vv_contact_body.bound) */
    int within;
    int *start; /* count + inner + within + 1 */
    int *node;  /* start[count + inner + within] */
    double *weight;
    /* m^2: a third of the surface around the vertex. For obstacles: of inner nodes the mean of the body's vertices */
    double *area;
    double *radius; /* m: half of the body's thickness, subtracted from distances */
    int *body;
    int *label;       /* its number in the body's own surface: a vertex of its mesh or of the surface that it carries */
    double *friction; /* < 0: the world's */
} vv_vertices;
void vv_vertices_free(vv_vertices *vertices);
/* x_v = sum of weight * q */
static inline void vv_vertex_position(const vv_vertices *vs, int v, const double *q, double x[3])
{
    x[0] = x[1] = x[2] = 0;
    for (int k = vs->start[v]; k < vs->start[v + 1]; k++)
        for (int c = 0; c < 3; c++)
            x[c] += vs->weight[k] * q[3 * (size_t)vs->node[k] + c];
}

/* The same of the vertices [begin, end): x holds 3 each, of `begin` first. */
void vv_vertices_place(const vv_vertices *vs, const double *q, int begin, int end, double *x);

#endif
