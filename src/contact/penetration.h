/* Vertices inside bodies (theory §5.13; Gast, Schroeder 2014, §5.3): which vertices are in a tetrahedron that they do not
 * belong to, of their own body or another, and the nearest place of that body's surface. The pairs of a vv_collisions are then these: a
 * vertex and a triangle, whose energy and derivatives are those of pair_potential.h, by nearest features.
 *
 * The pairs are a function of the positions alone. What is remembered, the triangle that was nearest last, only bounds the search. */
#ifndef VV_CONTACT_PENETRATION_H
#define VV_CONTACT_PENETRATION_H

#include "base/bvh.h"
#include "contact/collisions.h"
#include "contact/mesh.h"

enum { VV_PENETRATION_BODIES = 8 }; /* most that a vertex is felt to be in at a time: those of the lowest numbers */

typedef struct vv_penetration {
    bool per_vertex;  /* a pair's weight is 1, not the vertex's area */
    int tet_count, node_count, body_count;
    const int **tet;  /* four nodes each */
    int *tet_body;
    vv_box *tet_box, *triangle_box;
    vv_bvh tets;
    vv_bvh *surface;  /* per body, of its triangles; empty: nothing can be inside of it */
    int *hit, *hit_count, *first; /* per vertex: the bodies that it is in, their number, where their pairs begin */
    int *last;        /* per vertex: the triangle that was nearest last; -1: none yet */
    unsigned char *struck; /* per body: something is in it */
    double *q;        /* where it was searched last */
    bool searched;
    double (*coefficient)(void *user, int a, int b); /* of friction between two bodies; NULL: there is none */
    void *user;                                      /* its first argument */
} vv_penetration;

/* bodies: those of the surface, with their tets, which must outlive it. rest: positions of the nodes. */
vvStatus vv_penetration_create(const vv_surface *surface, const vv_contact_body *bodies, const double *rest, int node_count, bool per_vertex,
                               vv_penetration **out, vvError *error);
void vv_penetration_destroy(vv_penetration *p); /* NULL is fine */
/* The pairs at node positions q, where c->x are those of the vertices. False: memory was short, or the host cancelled. */
bool vv_penetration_find(vv_collisions *c, const vv_parallel *par, const double *q);
/* Whether vertices can be inside of the body. */
bool vv_penetration_is_solid(const vv_collisions *c, int body);
/* Friction on velocities (penetration_rub.c): each pair's normal force at q, N, times seconds and the coefficient is the most impulse that slows down its
 * slide, by the masses of all of its nodes; one pair after the other. *lost and *work, J, are added to: what is lost, and what prescribed nodes do.
 * False: memory was short; nothing was done. */
bool vv_penetration_rub(vv_collisions *c, const vv_parallel *par, const double *q, double seconds, const double *inverse_mass, double *v, double *lost,
                        double *work);

#endif
