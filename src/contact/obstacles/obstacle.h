/* Obstacles: rigid solids given by a formula or a field, by their signed distance d(x) > 0 outside, its gradient n
 * and its Hessian. |n| = 1 (but for level sets, which no barrier acts on), so d is 1-Lipschitz, as the conservative
 * step filter needs (contact/barrier/barrier.c). For a convex solid d is convex too, and the filter need not stop
 * motion along the surface. The first parameter of each shape is a point, three numbers: where it stands; adding to it
 * moves the whole shape. */
#ifndef VV_CONTACT_OBSTACLES_OBSTACLE_H
#define VV_CONTACT_OBSTACLES_OBSTACLE_H

#include "contact/obstacles/field.h"
#include "visviva/mesh.h"
#include "visviva/world.h"

#include <math.h>

enum { VV_OBSTACLE_VALUES = 16 };

typedef struct vv_obstacle_ops {
    vvObstacleType type;
    /* Checks the values and converts them to what `distance` reads. */
    vvStatus (*prepare)(const double *values, double *shape, vvError *error);
    /* Signed distance (m) of x. n (3) and curvature (9, symmetric; 1/m) may be NULL. */
    double (*distance)(const double *shape, const double x[3], double n[3], double curvature[9]);
    /* The first t >= 0 at which a ray (unit direction) meets the surface, from either side; n: the outward normal. */
    bool (*ray)(const double *shape, const double origin[3], const double direction[3], double *t, double n[3]);
    bool convex; /* the solid: d(x + p) >= d(x) + n . p */
    /* For drawing: the mesh generator of the shape about the origin, its values, and how it is turned before it goes
     * to where the obstacle stands (the first parameter). size: that of what has none, m. */
    const char *(*drawn)(const double *shape, double size, double *values, double turn[9]);
    void (*reshape)(const double *shape, double x[3]); /* NULL, or: moves a vertex of that mesh, before it is turned */
    /* NULL where it is convex, or: within *reach (m) of x no second derivative of d along a unit vector is below
     * -*bend (1/m). So motion along the surface need not be stopped as if it went straight for it. */
    void (*bends)(const double *shape, const double x[3], double *reach, double *bend);
    /* NULL, or: it is made of a field, and `prepare` and these are all its functions. */
    const vv_field_ops *field;
} vv_obstacle_ops;

typedef struct vv_obstacle {
    const vv_obstacle_ops *ops;
    double values[VV_OBSTACLE_VALUES]; /* as the user gave them */
    double shape[VV_OBSTACLE_VALUES];
    vv_field *field; /* a reference of its own; NULL: of a type without one */
    double friction; /* < 0: the world's */
    int body1;       /* 1 + the kinematic body whose four nodes carry its frame (frame.h); 0: it stands still */
    vvFilter filter;
    int64_t since; /* the step before which it came in */
    void *user;    /* the host's */
    char name[128];
} vv_obstacle;

/* The coefficient that holds against a surface with `surface`, where `fallback` is the world's; below 0: none of its
 * own. */
static inline double vv_obstacle_friction(const vv_obstacle *obstacle, double surface, double fallback)
{
    if (obstacle->friction >= 0)
        return obstacle->friction;
    return surface >= 0 ? surface : fallback;
}

/* Whether the gradient of its distance has length 1, so that a barrier and its step filter are safe. */
static inline bool vv_obstacle_is_exact(const vv_obstacle *obstacle)
{
    return !obstacle->ops->field || obstacle->ops->field->free_way;
}
/* No gradient is longer. */
static inline double vv_obstacle_steepness(const vv_obstacle *obstacle)
{
    return vv_obstacle_is_exact(obstacle) ? 1 : obstacle->ops->field->steepest;
}

/* Signed distance (m) of any obstacle, as of its table. */
static inline double vv_obstacle_distance(const vv_obstacle *obstacle, const double x[3], double n[3],
                                          double curvature[9])
{
    const vv_field_ops *of = obstacle->ops->field;
    return of ? of->distance(obstacle->field, obstacle->shape, x, INFINITY, n, curvature)
              : obstacle->ops->distance(obstacle->shape, x, n, curvature);
}

/* The same, or anything from `most` on where the distance is at least that: for fields cheaper. */
static inline double vv_obstacle_distance_below(const vv_obstacle *obstacle, const double x[3], double most)
{
    const vv_field_ops *of = obstacle->ops->field;
    return of ? of->distance(obstacle->field, obstacle->shape, x, most, NULL, NULL)
              : obstacle->ops->distance(obstacle->shape, x, NULL, NULL);
}

static inline bool vv_obstacle_ray(const vv_obstacle *obstacle, const double origin[3], const double direction[3],
                                   double *t, double n[3])
{
    const vv_field_ops *of = obstacle->ops->field;
    return of ? of->ray(obstacle->field, obstacle->shape, origin, direction, t, n)
              : obstacle->ops->ray(obstacle->shape, origin, direction, t, n);
}

/* How far motion may go where nothing is known but the slope, of obstacles without a field, convex ones too; *reach
 * 0: nothing is known. */
static inline void vv_obstacle_bends(const vv_obstacle *obstacle, const double x[3], double *reach, double *bend)
{
    *reach = obstacle->ops->convex ? INFINITY : 0;
    *bend = 0;
    if (obstacle->ops->bends)
        obstacle->ops->bends(obstacle->shape, x, reach, bend);
}

const vv_obstacle_ops *vv_obstacle_table(int index); /* NULL past the end */
const vvInfo *vv_obstacle_info(int index);
const vv_obstacle_ops *vv_obstacle_find(const char *name);
int vv_obstacle_value_count(const vv_obstacle_ops *ops);
/* A surface to draw the obstacle by, where it stands at rest; size: of what has none, m. */
vvStatus vv_obstacle_mesh(const vv_obstacle *obstacle, double size, vvMesh *mesh, vvError *error);
/* The same of a type, its values, and its field's counts and samples, about the place where it stands. */
vvStatus vv_obstacle_surface(const char *type, const double *values, int count, const int samples[3],
                             const double *field, double size, vvMesh *mesh, vvError *error);
/* For `prepare` of shapes about an axis, whose values are a centre, an axis of any length and two numbers: a unit
 * axis. */
vvStatus vv_obstacle_unit_axis(const double *values, double *shape, vvError *error);
/* A `ray` for shapes whose distance is exact outside and inside; size: no point of the solid is farther from where it
 * stands, m. */
bool vv_obstacle_trace(const vv_obstacle_ops *ops, const double *shape, double size, const double origin[3],
                       const double direction[3], double *t, double n[3]);
/* A rotation that takes (0, 1, 0) to the unit vector `axis`. */
void vv_obstacle_upright(const double axis[3], double turn[9]);

extern const vv_obstacle_ops vv_obstacle_plane, vv_obstacle_sphere, vv_obstacle_box, vv_obstacle_cylinder,
    vv_obstacle_capsule, vv_obstacle_torus, vv_obstacle_hole, vv_obstacle_bowl, vv_obstacle_heightfield,
    vv_obstacle_level_set;

#endif
