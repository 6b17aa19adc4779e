/* Rigid motions of sets of nodes (theory §3.5): the one that has a field's linear and angular momentum, u_c + omega x
 * (x - c). */
#ifndef VV_STEP_BODIES_RIGID_H
#define VV_STEP_BODIES_RIGID_H

#include "base/vec.h"
#include "solve/system.h"

#include <string.h>

/* A set of nodes at given positions, as a rigid body. */
typedef struct vv_rigid {
    double mass, centre[3];
    double inertia[9]; /* about the centre; no turn about an axis that everything lies on */
} vv_rigid;

/* A rigid velocity field about a centre. */
typedef struct vv_twist {
    double linear[3], angular[3];
} vv_twist;

/* The nodes of a set: count of them, list[0..], or first, first + 1, ... where list is NULL. */
typedef struct vv_node_set {
    const int *list;
    int first, count;
} vv_node_set;

static inline size_t vv_set_node(const vv_node_set *set, int i)
{
    return (size_t)(set->list ? set->list[i] : set->first + i);
}

/* Mass and centre alone. */
vv_rigid vv_rigid_centre(const vv_system *s, const vv_node_set *set, const double *q);
/* All of it. */
vv_rigid vv_rigid_at(const vv_system *s, const vv_node_set *set, const double *q);
/* P and L of a field u about the centre, with arms at q. */
void vv_rigid_momenta(const vv_system *s, const vv_node_set *set, const double *q, const double centre[3],
                      const double *u, double p[3], double l[3]);
/* The rigid motion with these momenta. */
vv_twist vv_rigid_twist(const vv_rigid *r, const double p[3], const double l[3]);
/* That of a field u. */
vv_twist vv_rigid_part(const vv_system *s, const vv_node_set *set, const vv_rigid *r, const double *q, const double *u);
/* The field's value at a point. */
static inline void vv_twist_at(const vv_twist *t, const double centre[3], const double *x, double u[3])
{
    double arm[3];
    vv_sub(x, centre, arm);
    vv_cross(t->angular, arm, u);
    for (int k = 0; k < 3; k++)
        u[k] += t->linear[k];
}

#endif
