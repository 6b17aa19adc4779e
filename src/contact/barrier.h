/* Contact of the colliding vertices with analytic obstacles: barrier energy, lagged friction, gaps. */
#ifndef VV_CONTACT_BARRIER_H
#define VV_CONTACT_BARRIER_H

#include "contact/obstacle.h"
#include "contact/vertices.h"
#include "energy/energy.h"

typedef struct vv_barrier_def {
    const vv_vertices *vertices; /* must outlive the energy, like the obstacles */
    const vv_obstacle *obstacles;
    int obstacle_count;
    double distance;  /* d-hat, m */
    double stiffness; /* kappa, Pa */
    double friction, friction_speed;
    int body_count; /* bodies that the vertices belong to */
    const unsigned char *touches; /* body x obstacle: 1 where the filters let them touch; NULL: all may */
} vv_barrier_def;

/* Whether the filters let vertex v and obstacle o touch. */
static inline bool vv_contact_touches(const vv_barrier_def *def, int v, int o)
{
    return !def->touches || def->touches[(size_t)def->vertices->body[v] * (size_t)def->obstacle_count + (size_t)o];
}

/* The gap between vertex v at x and obstacle o, m; n, c (may be NULL): its gradient and second derivatives by x. */
static inline double vv_contact_gap(const vv_barrier_def *def, int v, int o, const double x[3], double n[3], double c[9])
{
    const vv_obstacle *obstacle = def->obstacles + o;
    return obstacle->ops->distance(obstacle->shape, x, n, c) - def->vertices->radius[v];
}

/* Barrier: E = sum over vertices and obstacles closer than d-hat of kappa d-hat A b(d / d-hat), b(s) = -(s-1)^2 ln s
 * (theory §5.1). Infinite where d <= 0. */
vvStatus vv_barrier_create(const vv_barrier_def *def, vv_energy **out, vvError *error);
/* Smoothed Coulomb friction as a potential of the velocity, R(v) = sum mu lambda f0(|v_t|), with normal forces lambda and
 * normals lagged from the positions given to `lag` (IPC, Li et al. 2020 §5). */
vvStatus vv_friction_create(const vv_barrier_def *def, vv_energy **out, vvError *error);

/* Whether a vertex comes closer to an obstacle than 1.5 thousandths of its gap (or of d-hat, if less) on the way from q to q + p: a
 * long step may lead through an obstacle and end outside. */
bool vv_barrier_crosses(const vv_barrier_def *def, const double *q, const double *p);

/* b, b', b'' at s in (0, 1); zero from s = 1 on. */
void vv_barrier(double s, double b[3]);

/* Smallest gap over vertices and obstacles (m, negative inside), +infinity if there are none; *vertex and *obstacle (may
 * be NULL) say where. near (may be NULL), body x obstacle: 1 where a vertex is closer than d-hat, else 0. */
double vv_contact_min_gap(const vv_barrier_def *def, const double *q, int *vertex, int *obstacle,
                          unsigned char *near);

#endif
