/* Orientation tests, decided exactly: the sign of the determinant as if computed without rounding.
 *
 * A floating-point value with a bound on its error decides almost always; else the determinant is summed exactly, as an
 * expansion (Shewchuk 1997: a sum of doubles that do not overlap). Exact as long as nothing overflows or underflows:
 * coordinates must be 0 or have a magnitude between 1e-85 and 1e90. Each returns -1, 0 or 1. */
#ifndef VV_BASE_GEOMETRY_PREDICATES_H
#define VV_BASE_GEOMETRY_PREDICATES_H

/* 1: a, b, c turn left (counterclockwise); 0: they are collinear. */
int vv_orient2d(const double a[2], const double b[2], const double c[2]);
/* The sign of det[b - a, c - a, d - a]: 1 when the tet (a, b, c, d) is right-handed, 0 when the points are coplanar. */
int vv_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
