/* visviva/joint.h: joints between bodies, or between a body and a place in space.
 *
 * A joint is a stiff energy, not a constraint: it yields by its load over its stiffness. It connects points. A point of
 * a body is a fixed weighted sum of its nodes: in a body of tets, those of the tet that contains it, or of the nearest
 * one; in a body of one tet, all four, wherever the point is; in a shell, a rod or a cloud of points, it is the nearest
 * point of the nearest triangle, edge or point. So a joint is exact only where its points are nodes, or in bodies of
 * one tet; elsewhere it is as good as the mesh. The energy of all joints is in the ledger's column `joint`; motors do
 * work; the energy of a joint that breaks goes to the column `damping`. */
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

/* "ball" joins a point of each body. "distance" keeps two points at a distance, or within limits (a rope: at most).
 * "hinge" joins an axis of each body. "fixed" joins the bodies rigidly. "slider" keeps the second body on a line of the
 * first, without rotation. NULL past the end. */
VV_API const vvInfo *vvJointKindInfo(int index);

typedef struct vvJointDef {
    const char *kind;   /* see vvJointKindInfo */
    vvBodyId bodies[2]; /* two different ones; {0, 0}: the world, whose points stay where they are */
    double at[3];       /* m: where the joint is; of a distance: its end on the first body */
    double to[3];       /* m: a distance's end on the second body */
    double axis[3];     /* of a hinge or slider: any length but 0; moves with the first body */
    /* these are positions in the bodies as they are now; false: as their definitions placed them */
    bool now;
    double stiffness; /* N/m; 0: chosen, 100 m/h^2, with m the mass of the heavier body that can move and h the time
                         step when the joint is made: the weight of m moves it by g h^2/100 */
    double reach; /* m: half the length of axis that is held, or the distance from `at` at which a fixed joint holds;
                     angles are held as stiffly as by `stiffness` at that distance; 0: chosen, a quarter of the diagonal
                     of the smaller body that can move */
    double limits[2];   /* the range in which it moves freely: deg of a hinge, m of a slider or a distance; -infinity,
                           infinity: no limits. A distance without limits keeps its present value; a hinge needs both or
                           none, as angles wrap around */
    double motorSpeed;  /* deg/s of a hinge, m/s of a slider: that of the second body against the first */
    double motorForce;  /* N m of a hinge, N of a slider: the motor's limit; 0: it is off */
    double breakForce;  /* N: the joint breaks after a step in which it has more; infinity */
    double breakTorque; /* N m: the same; infinity */
    bool collide;       /* whether the two bodies collide with each other while the joint exists; false */
    void *userData;     /* the host's own; NULL */
    uint32_t internalValue; /* internal: vvDefaultJointDef() sets it */
} vvJointDef;
/* Between the world and itself, without limits and motor. Set kind, bodies and place. */
VV_API vvJointDef vvDefaultJointDef(void);

/* Joins bodies, at any time between steps; `joint` may be NULL. Adding and removing changes the structure: the world is
 * rebuilt before the next step, and the change of energy is the user's work. Removing a body removes its joints. */
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
    /* it no longer holds. Its bodies, which may overlap, do not collide with each other until it is removed */
    bool broken;
    int64_t brokenStep;  /* the step that broke it; 0: none */
    double points[2][3]; /* m: where `at` is on each body (of a distance, its ends) */
    double gap;          /* m: the distance between these; of a slider: across its line */
    /* N, N m about points[1]: the joint's force and torque on the second body, opposite on the first: their mean in the
     * last step, by which its scheme has changed momenta, whatever was set or pushed since; without a step, or after
     * vvWorldSettle, those at these positions. What an energy policy adds to the motion is no force of joints, but
     * "search", "a1" and "blend" take the forces, too, from both steps that they mix. In the step that breaks the
     * joint: what it broke under; then 0 */
    double force[3], torque[3];
    double position; /* deg of a hinge's second body relative to the first, from where it was made, within 180; m that a
                        slider has moved; m of a distance; NaN: none of these */
    double speed;    /* deg/s, m/s: its change in time; NaN likewise */
    double motorForce; /* N m, N: the motor's action, likewise; 0: none */
    double energy;     /* J */
} vvJointState;
/* The current state of a joint. Bakes the world if needed. */
VV_API vvStatus vvJointGetState(vvWorld *world, vvJointId joint, vvJointState *state, vvError *error);
/* Sets the speed and force limit of a hinge's or slider's motor from the next step on; 0 N switches it off. */
VV_API vvStatus vvJointSetMotor(vvWorld *world, vvJointId joint, double speed, double force, vvError *error);
/* Returns the number of joints that broke in the last step, and writes as many of their ids as fit.
 * Arrays: joints[capacity]. */
VV_API int vvWorldBrokenJoints(const vvWorld *world, vvJointId *joints, int capacity);

#ifdef __cplusplus
}
#endif
#endif
