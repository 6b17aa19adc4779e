/* A level set: signed distances at the points of a grid of cubes, interpolated between them (theory §5.2; Gast,
 * Schroeder 2014, §5.2).
 *
 * Grid space counts in cells: the sample (i, j, k) is at u = (i, j, k). Between the samples phi is Catmull and Rom's
 * spline along each axis, whose gradient is continuous: at a kink of phi a solver would find no way down. Outside of
 * the grid it is phi at the nearest point of the grid's box plus the distance to it, so that it is continuous
 * everywhere. All derivatives are those of this function. Its gradient is about 1 long; at most
 * VV_LEVEL_SET_STEEPEST. */
#ifndef VV_CONTACT_OBSTACLES_LEVEL_SET_H
#define VV_CONTACT_OBSTACLES_LEVEL_SET_H

#include "contact/obstacles/obstacle.h"

typedef struct vv_level_set {
    const vv_field *field;
    int cells[3];
    double spacing; /* m */
} vv_level_set;

/* shape: where it stands (3), rotation (9), the first sample's place from there before it is turned (3), spacing. */
vv_level_set vv_level_set_of(const vv_field *field, const double *shape);
void vv_level_set_to_grid(const vv_level_set *l, const double *shape, const double x[3], double u[3]);

/* Samples differ by their distance at most. Then sums of 1.5 times that are the derivative along an axis, and of 1.25
 * times those the means along the other two. */
#define VV_LEVEL_SET_STEEPEST (1.7320508075688774 * 1.5 * 1.25 * 1.25)

static inline size_t vv_level_set_index(const vv_level_set *l, int i, int j, int k)
{
    const int *n = l->field->counts;
    return ((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0] + (size_t)i;
}

static inline double vv_level_set_sample(const vv_level_set *l, int i, int j, int k)
{
    return l->field->samples[vv_level_set_index(l, i, j, k)];
}

/* phi (m) at u in the grid; g (3; m, by u) and h (m: the derivatives by u_0^2, u_1^2, u_2^2, u_1 u_2, u_2 u_0, u_0
 * u_1) may be NULL. */
double vv_level_set_value(const vv_level_set *l, const double u[3], double g[3], double h[6]);

/* As vv_field_ops.distance. */
double vv_level_set_distance(const vv_field *f, const double *shape, const double x[3], double most, double n[3],
                             double curvature[9]);

bool vv_level_set_ray(const vv_field *f, const double *shape, const double origin[3], const double direction[3],
                      double *t, double n[3]);
vvStatus vv_level_set_mesh(const vv_field *f, const double *shape, vvMesh *mesh, double turn[9], vvError *error);

#endif
