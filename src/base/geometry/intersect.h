/* Intersection tests: rays with triangles and segments; triangles, segments and points with boxes and balls. All sets
 * are closed: touching counts. Degenerate triangles and segments are allowed. */
#ifndef VV_BASE_GEOMETRY_INTERSECT_H
#define VV_BASE_GEOMETRY_INTERSECT_H

#include <stdbool.h>

/* A ray prepared for the watertight test. The direction must have length 1. */
typedef struct vv_ray {
    double origin[3], direction[3];
    int axis[3];     /* last: the direction's largest component */
    double shear[3]; /* maps the direction to the unit vector of that axis */
} vv_ray;
vv_ray vv_ray_along(const double origin[3], const double direction[3]);

/* Where the ray meets the triangle, on either side: *t in [0, limit] and the weights of a, b, c (sum 1). Watertight: a
 * ray through an edge or a vertex that triangles share meets at least one of them, whatever the rounding. A triangle
 * seen exactly edge-on is not met; its neighbours in a closed surface are. */
bool vv_ray_triangle(const vv_ray *ray, const double a[3], const double b[3], const double c[3], double limit,
                     double *t, double weights[3]);
/* The point of the ray (t in [0, limit]) nearest to the segment, and that of the segment, a + s (b - a); returns their
 * distance. */
double vv_ray_segment(const vv_ray *ray, const double a[3], const double b[3], double limit, double *t, double *s);

/* Squared distances of a point. */
double vv_point_segment(const double p[3], const double a[3], const double b[3]);
double vv_point_triangle(const double p[3], const double a[3], const double b[3], const double c[3]);
/* The triangle's point nearest to p. */
void vv_nearest_of_triangle(const double p[3], const double a[3], const double b[3], const double c[3], double out[3]);
/* The orientation of the tetrahedron, 1 or -1, if the point is in it; else 0. One without volume contains nothing. */
int vv_point_in_tet(const double p[3], const double a[3], const double b[3], const double c[3], const double d[3]);

/* The box is |x_k| <= half_k. */
bool vv_segment_meets_box(const double half[3], const double a[3], const double b[3]);
bool vv_triangle_meets_box(const double half[3], const double a[3], const double b[3], const double c[3]);

#endif
