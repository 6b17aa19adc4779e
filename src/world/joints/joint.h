/* Joints between bodies as a world keeps them: their points, the links that they are made of, their state. */
#ifndef VV_WORLD_JOINTS_JOINT_H
#define VV_WORLD_JOINTS_JOINT_H

#include "energy/links/link.h"
#include "visviva/joint.h"

enum { VV_JOINT_LINKS = 5 };

typedef struct vv_joint_kind vv_joint_kind;

/* A point of a body: a weighted sum of its nodes (world numbers); or, without nodes, a place. */
typedef struct vv_joint_point {
    int count, node[4];
    double weight[4], place[3];
} vv_joint_point;

enum { VV_JOINT_LOAD = 7 };

typedef struct vv_joint_state {
    double speed, most, target; /* of its motor: m/s, rad/s; N, N m; m, rad, NaN: where it is first used */
    double given[2];            /* speed and most by its definition */
    int64_t broken;             /* the step that broke it; 0: it holds */
    int64_t bore; /* the step in which it has borne this: force, torque about its second point, motor; 0: none */
    double load[VV_JOINT_LOAD];
} vv_joint_state;

typedef struct vv_joint {
    const vv_joint_kind *kind;
    int body[2]; /* -1: the world */
    vv_joint_point at[2];
    double break_force, break_torque;
    bool collide;
    void *user;               /* the host's */
    int link_count, measured; /* measured: of the links the one whose number is the joint's position; -1: none */
    vv_link link[VV_JOINT_LINKS];
    vv_joint_state state;
} vv_joint;

/* What a joint is made of, checked, with nothing left to be chosen. */
typedef struct vv_joint_plan {
    const struct vvWorld *world;
    const double *x; /* where the bodies are, node space */
    int body[2];
    double at[3], to[3], axis[3], side[3], other[3]; /* the last three: of length 1, across each other */
    double stiffness, reach, low, high;              /* low, high: rad, m */
    bool limited;
} vv_joint_plan;

struct vv_joint_kind { /* kinds.c */
    vvInfo info;
    bool axis;           /* it has one */
    bool ends;           /* it has two: `at` and `to` */
    bool travels;        /* it has a position, m, */
    bool turns;          /* or an angle */
    double narrow, wide; /* what limits may be: m, deg */
    vvStatus (*make)(const vv_joint_plan *plan, vv_joint *joint, vvError *error);
};
const vv_joint_kind *vv_joint_kind_at(int index); /* NULL past the end */
const vv_joint_kind *vv_joint_kind_find(const char *name);

/* points.c: a place on both sides of the joint, as near to it as each body has points; of a body without volume
 * first, as that is where the other one's is then. x: as in the plan. */
vvStatus vv_joint_place(const vv_joint_plan *plan, const double place[3], vv_joint_point out[2], vvError *error);
/* On one side only. */
vvStatus vv_joint_place_on(const vv_joint_plan *plan, int side, const double place[3], vv_joint_point *out,
                           vvError *error);
void vv_joint_point_at(const vv_joint_point *point, const double *x, double out[3]);

#endif
