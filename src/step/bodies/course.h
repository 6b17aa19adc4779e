/* Whether a body goes where its velocities say (theory §8.7). */
#ifndef VV_STEP_BODIES_COURSE_H
#define VV_STEP_BODIES_COURSE_H

#include "step/bodies/flight.h"

enum { VV_COURSE_STEPS = 10 }; /* as long as the window is, and as many flags in a row as are worth a warning */
enum { VV_COURSE_CENTRE, VV_COURSE_TURN, VV_COURSE_MOTIONS };

/* A step: of the centre in m and m/s, of the turn in rad and rad/s. In float, as runs keep it with every frame. */
typedef struct vv_course_step {
    float h; /* s */
    struct {
        float moved[3];            /* as the positions show */
        float before[3], after[3]; /* velocities, as booked */
    } motion[VV_COURSE_MOTIONS];
} vv_course_step;

/* Of a body; all zero where it is new. */
typedef struct vv_course {
    vv_course_step window[VV_COURSE_STEPS]; /* a ring */
    double velocity[VV_COURSE_MOTIONS][3];  /* at the end of the last step */
    int32_t filled, next;                   /* of the ring */
    double off[VV_COURSE_MOTIONS][3];       /* m or rad: by how much positions have fallen behind in these steps */
    int32_t flags;                          /* of the last step, 1 << VV_COURSE_... */
    int32_t in_a_row;                       /* steps with any flag */
    int64_t flagged;                        /* likewise, in all */
    int32_t due;                            /* that is worth a word, since the last step: 1; since before: 2 */
    int32_t warned;                         /* whether the host has been told */
    vv_flight flight;                       /* and whether it keeps its momenta */
} vv_course;

/* What stands behind a flag. */
typedef struct vv_course_finding {
    int motion;           /* VV_COURSE_... */
    double moved, booked; /* m/s or rad/s: means over the window */
    double fastest;       /* of turns: the largest omega h in the window, as the velocities say */
} vv_course_finding;

/* At the start, before a step of h seconds. What changes velocities between steps need not say so: it is no motion. */
void vv_course_set(vv_course *c, const vv_rigid_motion *booked, double h);
/* After a step of h seconds: moved is the motion of the positions in it, booked that of the velocities at its end. */
void vv_course_take(vv_course *c, const vv_rigid_motion *moved, const vv_rigid_motion *booked, double h);
vv_course_finding vv_course_find(const vv_course *c);

#endif
