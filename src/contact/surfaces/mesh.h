/* The collision mesh: everything that collides, of all bodies, made from how each body's surface is attached to its
 * nodes.
 *
 * A body's surface is its own mesh (vertex i is node i) or one that its nodes carry (a vertex is a weighted sum of
 * four of them). Areas, edge lengths and rest distances are those of that surface in the rest shape. Vertices that no
 * element gives an area, such as the nodes inside a solid, are left out. */
#ifndef VV_CONTACT_SURFACES_MESH_H
#define VV_CONTACT_SURFACES_MESH_H

#include "contact/surfaces/surface.h"
#include "visviva/world.h"

/* From which step on a body or obstacle has stood at the places at which gaps are measured, and the step before which
 * it was first found elsewhere; 0: it was not. */
typedef struct vv_stay {
    int64_t from, to;
} vv_stay;

/* Whether two stood there at one time: only then are they as far apart as these places are. */
static inline bool vv_stay_together(vv_stay a, vv_stay b)
{
    const int64_t later = a.from > b.from ? a.from : b.from;
    return (a.to == 0 || later < a.to) && (b.to == 0 || later < b.to);
}

/* A body's surface; all of it is read only while the mesh is made. */
typedef struct vv_contact_body {
    int first_node, vertex_count;
    const int *nodes;      /* 4 per vertex, counted from first_node; NULL: vertex i is node first_node + i */
    const double *weights; /* 4 per vertex */
    int triangle_count, edge_count, point_count;
    const int *triangles, *edges, *points;
    int base;         /* the elements' vertex indices start here */
    bool self, moves; /* see vv_surface_body */
    bool rigid;       /* keeps its shape: flat parts stay flat */
    bool solid;       /* its triangles bound a solid */
    bool affine;      /* of four nodes, on all of which each vertex hangs */
    double thickness, friction;
    vv_stay stay;    /* at the places at which gaps are measured */
    double distance; /* its activation distance, m: two bodies act below the smaller one; 0: that of all */
    bool bound;      /* obstacles keep out all of its nodes, not those of its surface alone */
    int tet_count;   /* of a body that vertices can be inside of: its surface is the boundary of these */
    const int *tets; /* world's nodes */
    vvFilter filter;
} vv_contact_body;

/* The activation distance of a body; usual: that of all. */
static inline double vv_contact_body_distance(const vv_contact_body *body, double usual)
{
    return body->distance > 0 ? body->distance : usual;
}

/* rest: positions of the nodes; distance: d-hat, the largest of any body. Free both outputs even after a failure. */
vvStatus vv_contact_mesh_build(const vv_contact_body *bodies, int count, const double *rest, double distance,
                               vv_vertices *vertices, vv_surface *surface, vvError *error);
/* mesh_edges.c: the elements on those vertices. vertex_of: per surface vertex, body after body. */
vvStatus vv_contact_mesh_elements(const vv_contact_body *bodies, const int *vertex_of, double distance,
                                  vv_surface *surface, vvError *error);
/* mesh_flat.c: what lies within flat parts of rigid bodies; to be called last. */
vvStatus vv_contact_mesh_flat(const vv_contact_body *bodies, double distance, vv_surface *surface, vvError *error);
void vv_surface_free(vv_surface *surface);

/* contact/filter.c: body x body, 1 where two may touch: where their filters let them, but for `apart` pairs. NULL where
 * all may. */
vvStatus vv_filter_bodies(const vv_contact_body *bodies, int count, const int (*pairs)[2], int apart,
                          unsigned char **touches, vvError *error);

#endif
