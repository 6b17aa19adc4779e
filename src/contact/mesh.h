/* The collision mesh: what collides of all bodies, made from how each body's surface hangs on its nodes.
 *
 * A body's surface is its own mesh (vertex i is node i) or one that its nodes carry (a vertex is a weighted sum of four of them).
 * Areas, edges' lengths and what is near what at rest are those of that surface in the rest shape. Vertices that no element gives
 * an area, as the nodes inside of a solid, are left out. */
#ifndef VV_CONTACT_MESH_H
#define VV_CONTACT_MESH_H

#include "contact/surface.h"
#include "visviva/world.h"

/* A body's surface; everything is read while the mesh is made and not kept. */
typedef struct vv_contact_body {
    int first_node, vertex_count;
    const int *nodes;      /* 4 a vertex, counted from first_node; NULL: vertex i is node first_node + i */
    const double *weights; /* 4 a vertex */
    int triangle_count, edge_count, point_count;
    const int *triangles, *edges, *points;
    int base;              /* the elements' vertices are counted from here */
    bool self, moves;      /* see vv_surface_body */
    double thickness, friction;
    vvFilter filter;
} vv_contact_body;

/* rest: positions of the nodes; distance: d-hat. After a failure free both all the same. */
vvStatus vv_contact_mesh_build(const vv_contact_body *bodies, int count, const double *rest, double distance, vv_vertices *vertices,
                               vv_surface *surface, vvError *error);
/* mesh_edges.c: the part of it that goes from vertices to elements. vertex_of: of the surfaces' vertices, body after body. */
vvStatus vv_contact_mesh_elements(const vv_contact_body *bodies, const int *vertex_of, double distance, vv_surface *surface,
                                  vvError *error);
void vv_surface_free(vv_surface *surface);

/* filter.c: body x body, 1 where two may touch. NULL where all may. */
vvStatus vv_filter_bodies(const vv_contact_body *bodies, int count, unsigned char **touches, vvError *error);

#endif
