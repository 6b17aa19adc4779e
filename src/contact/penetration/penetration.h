/* Vertices inside bodies (theory §5.13; Gast, Schroeder 2014, §5.3): which vertices are inside of a body, their own
 * or another, and the nearest place of its boundary. The pairs of a vv_collisions are then these: a vertex and a
 * triangle, whose energy and derivatives are those of contact/pairs/potential.h, by nearest features.
 *
 * Inside is where the body's tets cover a place, those that are turned over counting -1, by a number that is not 0:
 * it changes at the boundary alone, where the distance is 0, however the body is folded. To a vertex its own body is
 * what is left of it without the tets at the vertex; their sides opposite to it are boundary, too, and what pushes a
 * vertex back that has been pressed through one. They count as three times as far away as they are. So the energy is
 * continuous.
 *
 * The pairs are a function of the positions alone. What is remembered, the triangle that was nearest last, only
 * bounds the search. */
#ifndef VV_CONTACT_PENETRATION_PENETRATION_H
#define VV_CONTACT_PENETRATION_PENETRATION_H

#include "base/geometry/bvh.h"
#include "contact/pairs/collisions.h"
#include "contact/surfaces/mesh.h"

enum { VV_PENETRATION_BODIES = 8 }; /* most that a vertex is felt to be in at a time: those of the lowest numbers */

typedef struct vv_penetration {
    bool per_vertex; /* a pair's weight is 1, not the vertex's area */
    int tet_count, node_count, body_count;
    const int **tet; /* four nodes each */
    int *tet_body;
    vv_box *tet_box, *triangle_box;
    vv_bvh tets;
    vv_bvh *surface;              /* per body, of its triangles; empty: nothing can be inside of it */
    int *hit, *hit_count, *first; /* per vertex: the bodies that it is in, their number, where their pairs begin */
    int *last;                    /* per vertex: the triangle that was nearest last; -1: none yet */
    unsigned char *struck;        /* per body: something is in it */
    double *q;                    /* where it was searched last */
    bool searched;
    int *vertex_of;         /* per node: its contact vertex; -1: none */
    int *star_first, *star; /* per vertex: its tets in its own body, if that collides with itself */
    /* per triangle: the vertex that its tet has opposite to it; -1: none, as it lies within the body, or that does
     * not collide with itself */
    int *apex;
    unsigned char *outer; /* per tet: bits of the corners that a side in the surface lies opposite to */
    double (*coefficient)(void *user, int a, int b); /* of friction between two bodies; NULL: there is none */
    void *user;                                      /* its first argument */
} vv_penetration;

/* bodies: those of the surface, with their tets, which must outlive it. rest: positions of the nodes. */
vvStatus vv_penetration_create(const vv_surface *surface, const vv_contact_body *bodies, const double *rest,
                               int node_count, bool per_vertex, vv_penetration **out, vvError *error);
void vv_penetration_destroy(vv_penetration *p); /* NULL is fine */
/* The pairs at node positions q, where c->x are those of the vertices. False: memory was short, or the host
 * cancelled. */
bool vv_penetration_find(vv_collisions *c, const vv_parallel *par, const double *q);
/* star.c: makes vertex_of to outer. */
vvStatus vv_penetration_star(vv_penetration *p, const vv_surface *surface, vvError *error);
/* The next side of a tet at a vertex that lies opposite to it and is not in the surface. at: star_first[vertex], then
 * what was returned; 0: there is none. */
int vv_penetration_sides(const vv_penetration *p, int vertex, int at, int side[3]);
/* Whether vertices can be inside of the body. */
bool vv_penetration_is_solid(const vv_collisions *c, int body);
/* Friction on velocities (rub.c): each pair's normal force at q, N, times seconds and the coefficient is
 * the most impulse that slows down its slide, by the masses of all of its nodes; one pair after the other. *lost and
 * *work, J, are added to: what is lost, and what prescribed nodes do. False: memory was short; nothing was done. */
bool vv_penetration_rub(vv_collisions *c, const vv_parallel *par, const double *q, double seconds,
                        const double *inverse_mass, double *v, double *lost, double *work);

#endif
