/* Exact test (theory §5.10): which triangles, edges of rods and triangles intersect (closed sets, exact arithmetic on the coordinates
 * as they are). What confirms that no step ended in intersection. */
#ifndef VV_CONTACT_INTERSECTIONS_H
#define VV_CONTACT_INTERSECTIONS_H

#include "base/parallel.h"
#include "contact/surface.h"

typedef struct vv_intersection {
    int body[2];
    int a[3], b[3]; /* contact vertices of a triangle, or of a rod's edge (the third is -1) */
    double point[3]; /* near where they meet, m */
} vv_intersection;

/* Finds the crossings of bodies that may touch, at node positions q: writes the first `capacity` (in order of bodies,
 * then elements; a body's triangles come before its rods' edges) and sets *count to how many there are in all. Touching
 * is crossing. Triangles that share a vertex or an edge cross where they have more than that in common; other elements
 * that share a vertex, and edges of rods among themselves, do not count, nor what has coordinates that are not finite.
 * The same for any number of threads. */
vvStatus vv_intersections_find(const vv_surface *surface, const vv_parallel *par, const double *q, vv_intersection *list,
                           int capacity, int *count, vvError *error);

#endif
