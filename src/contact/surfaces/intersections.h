/* Exact test (theory §5.10): which triangles, edges of rods and triangles intersect (closed sets, exact arithmetic on
 * the coordinates as they are). It confirms that no step ended in intersection. */
#ifndef VV_CONTACT_SURFACES_INTERSECTIONS_H
#define VV_CONTACT_SURFACES_INTERSECTIONS_H

#include "base/parallel.h"
#include "contact/surfaces/surface.h"

typedef struct vv_intersection {
    int body[2];
    int a[3], b[3];  /* contact vertices of a triangle, or of a rod's edge (the third is -1) */
    double point[3]; /* near the intersection, m */
} vv_intersection;

/* Finds the intersections of bodies that may touch, at node positions q: writes the first `capacity` (in order of
 * bodies, then elements; a body's triangles come before its rods' edges) and sets *count to the total number.
 * Touching counts as intersecting. Triangles that share a vertex or an edge intersect if they have more than that in
 * common. Other elements that share a vertex are ignored, as are edges of rods among themselves, and coordinates that
 * are not finite. The same for any number of threads. */
vvStatus vv_intersections_find(const vv_surface *surface, const vv_parallel *par, const double *q,
                               vv_intersection *list, int capacity, int *count, vvError *error);

#endif
