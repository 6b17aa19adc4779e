/* Do triangles intersect? Decided exactly (base/geometry/predicates.h); touching counts. */
#ifndef VV_MESH_INTERSECT_H
#define VV_MESH_INTERSECT_H

#include <stdbool.h>

/* The three corners lie on a line (or at a point). */
bool vv_triangle_is_flat(const double a[3], const double b[3], const double c[3]);
/* A point of the segment pq is in the triangle; both closed. The triangle is not flat. */
bool vv_segment_meets_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                               const double c[3]);
/* The segments pq and ab have a point in common; both closed, of any length. */
bool vv_segments_meet(const double p[3], const double q[3], const double a[3], const double b[3]);
/* Triangles s and t (indices into positions, neither flat) have a point in common other than those of the corners or
 * edges whose vertices they share. With the same three vertices: true. */
bool vv_triangles_meet(const double *positions, const int s[3], const int t[3]);

#endif
