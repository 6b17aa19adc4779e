/* visviva/joint.h: joints between bodies, or between a body and a place in space.
 *
 * A joint is a stiff energy, not a constraint: its parts stay together as well as its stiffness holds them. It ties
 * points. A point of a body is a fixed weighted sum of its nodes: in a body of tets of those of the tet in which it
 * lies, or of the nearest one; in a body of one tet of all four, wherever it lies; in a shell, a rod, or single
 * points it is the nearest point of the nearest triangle, edge, or point. So a joint holds exactly what it should
 * only where its points are nodes, or the bodies move as one tet does; elsewhere as well as the mesh follows. The
 * energy of all joints is in the ledger's column `joint`; motors do work; what a joint held when it broke goes to the
 * column `damping`. */
#ifndef VISVIVA_JOINT_H
#define VISVIVA_JOINT_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvJointId {
    int32_t index1;      /* as in vvBodyId */
    uint32_t generation; /* as in vvBodyId */
} vvJointId;             /* {0, 0}: none */

/* "ball": a point of each body together. "distance": two points at a distance, or within limits (a rope: at most).
 * "hinge": an axis of each body together. "fixed": all of both together. "slider": the second body on a line of the
 * first, without turning. NULL past the end. */
VV_API const vvInfo *vvJointKindInfo(int index);

typedef struct vvJointDef {
    const char *kind;   /* see vvJointKindInfo */
    vvBodyId bodies[2]; /* two different ones; {0, 0}: the world, whose points stay where they are */
    double at[3];       /* m: where the joint is; of a distance: its end on the first body */
    double to[3];       /* m: a distance's end on the second body */
    double axis[3];     /* of a hinge, a slider: any length but 0; carried by the first body */
    /* these are places in the bodies as they stand now; otherwise as their definitions placed them */
    bool now;
    double stiffness; /* N/m; 0: chosen, 100 m/h^2, m the mass of the heavier body that can move, h the time step as the
                         joint is made: the weight of m moves it by g h^2/100 */
    double reach;     /* m: half the length of axis that is held, and how far around `at` a fixed joint does; angles are
                         held as stiffly as `stiffness` at that distance; 0: chosen, a quarter of the diagonal of the
                         smaller body that can move */
    double limits[2]; /* between which it is free to move: deg of a hinge, m of a slider or a distance; -infinity,
                         infinity: everywhere. A distance that has none keeps the one that it has; a hinge needs both or
                         none, as an angle comes round */
    double motorSpeed;      /* deg/s of a hinge, m/s of a slider: that of the second body against the first */
    double motorForce;      /* N m of a hinge, N of a slider: what the motor has at most; 0: it is off */
    double breakForce;      /* N: after a step that ends with more, the joint is broken; infinity */
    double breakTorque;     /* N m: the same; infinity */
    bool collide;           /* whether the two bodies collide with each other while there is the joint; false */
    void *userData;         /* the host's own; NULL */
    uint32_t internalValue; /* internal: vvDefaultJointDef() sets it */
} vvJointDef;
/* Between the world and itself, without limits and motor. Set kind, bodies and place. */
VV_API vvJointDef vvDefaultJointDef(void);

/* Joins bodies, at any time between steps; `joint` may be NULL. Adding and removing is a change of the structure: the
 * world is built anew before the next step, and the change of energy is the user's work. Removing a body removes its
 * joints. */
VV_API vvStatus vvWorldAddJoint(vvWorld *world, const vvJointDef *def, vvJointId *joint, vvError *error);
VV_API vvStatus vvWorldRemoveJoint(vvWorld *world, vvJointId joint, vvError *error);
VV_API bool vvJointIsValid(const vvWorld *world, vvJointId joint);
VV_API int vvWorldJointCount(const vvWorld *world);
VV_API vvJointId vvWorldJoint(const vvWorld *world, int index);        /* {0, 0} past the end */
VV_API const char *vvJointKind(const vvWorld *world, vvJointId joint); /* "": no such joint */
/* The two bodies that it joins; {0, 0}: the world. */
VV_API void vvJointBodies(const vvWorld *world, vvJointId joint, vvBodyId bodies[2]);

/* As vvBodySetUserData and vvBodyUserData. */
VV_API vvStatus vvJointSetUserData(vvWorld *world, vvJointId joint, void *userData, vvError *error);
VV_API void *vvJointUserData(const vvWorld *world, vvJointId joint);

typedef struct vvJointState {
    /* it holds nothing any more. Its bodies go on not colliding with each other, as they may overlap, until it is
     * removed */
    bool broken;
    int64_t brokenStep;  /* the step that broke it; 0: none */
    double points[2][3]; /* m: where `at` is on either body (of a distance, its ends) */
    double gap;          /* m: how far apart these are; of a slider: across its line */
    /* N, N m about points[1]: what the joint does to the second body; to the first the opposite */
    double force[3], torque[3];
    double position; /* deg from where a hinge was made, of the second body against the first, within 180 of it; m that
                        a slider has moved; m of a distance; NaN: neither */
    double speed;    /* deg/s, m/s: its change in time; NaN likewise */
    double motorForce; /* N m, N: what the motor does now; 0: none */
    double energy;     /* J */
} vvJointState;
/* Of the present state. Bakes the world if needed. */
VV_API vvStatus vvJointGetState(vvWorld *world, vvJointId joint, vvJointState *state, vvError *error);
/* Another speed and greatest force of a hinge's or slider's motor, from the next step on; 0 N switches it off. */
VV_API vvStatus vvJointSetMotor(vvWorld *world, vvJointId joint, double speed, double force, vvError *error);
/* The joints that broke in the last step: how many, and as many of their ids as there is room for.
 * Arrays: joints[capacity]. */
VV_API int vvWorldBrokenJoints(const vvWorld *world, vvJointId *joints, int capacity);

#ifdef __cplusplus
}
#endif
#endif
