/* The surfaces that collide with each other: vertices, edges and triangles of all bodies, in the bodies' order.
 *
 * Indices of edges and triangles are those of contact vertices (vv_vertices: x = W q), never of nodes. An edge of a
 * solid or a shell belongs to triangles; an edge of a rod to none; a point has neither. */
#ifndef VV_CONTACT_SURFACES_SURFACE_H
#define VV_CONTACT_SURFACES_SURFACE_H

#include "contact/surfaces/vertices.h"
#include "visviva/base.h"

typedef struct vv_surface_body {
    int first_vertex, vertex_count, first_edge, edge_count, first_triangle, triangle_count;
    bool self;         /* collides with itself */
    bool moves;        /* false: all of its nodes are prescribed (a kinematic body): two such bodies do not collide */
    bool affine;       /* each of its vertices is a sum of the same four nodes, whatever their weights */
    bool carried;      /* its vertices are those of a surface that its nodes carry */
    bool solid;        /* its triangles are the boundary of a solid */
    double activation; /* m: below this distance it acts on others, or below theirs if that is less; 0: that of all */
    double radius;     /* m, half of the thickness: distances are measured from the surface at this offset */
} vv_surface_body;

/* Two bodies, a < b, that begin nearer than d-hat to each other (gaps.h). */
typedef struct vv_gap {
    int a, b;
    double gap; /* m */
} vv_gap;

typedef struct vv_surface {
    const vv_vertices *vertices;
    int edge_count, triangle_count, body_count;
    int (*edge)[2], (*triangle)[3];
    int (*triangle_edge)[3];       /* edge k of a triangle: from its corner k to the next */
    double *edge_area;             /* m^2: a third of the triangles around it; rods: half its length times d-hat */
    double *rest;                  /* 3 per vertex, m: in the placed rest shape */
    unsigned char *edge_triangles; /* how many triangles an edge has: 0 rod, 1 border, 2 (or more) inside */
    int *valence, *degree;         /* triangles around a vertex, and edges but flat ones */
    unsigned char *inside;         /* per vertex: 1 if its triangles close a ring */
    unsigned char *point;          /* per vertex: 1 if it has no edge */
    bool flat;                     /* there are flat edges */
    unsigned char *flat_edge, *flat_vertex; /* 1 within a flat part of a rigid body: no feature (mesh_flat.c) */
    /* m^2: the most that counts of a vertex over a triangle: the largest of its corners' areas; in a flat part, which
     * may be cut in any way, all of it */
    double *triangle_most;
    vv_surface_body *bodies;
    const unsigned char *touches; /* body x body: 1 where the filters let them touch; NULL: all may */
    vv_gap *gaps;                 /* sorted */
    size_t gap_count;
    bool follows; /* the activation distance of such two follows their gap */
} vv_surface;

/* The activation distance of a body; usual: that of all. */
static inline double vv_surface_own(const vv_surface *s, int body, double usual)
{
    return s->bodies[body].activation > 0 ? s->bodies[body].activation : usual;
}

/* Whether bodies a and b (a == b: the body with itself) may collide. */
static inline bool vv_surface_touches(const vv_surface *s, int a, int b)
{
    if (a == b)
        return s->bodies[a].self && s->bodies[a].moves;
    return (s->bodies[a].moves || s->bodies[b].moves) &&
           (!s->touches || s->touches[(size_t)a * (size_t)s->body_count + (size_t)b]);
}

#endif
