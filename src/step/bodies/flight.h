/* Whether a body that nothing touches keeps its momenta (theory §8.8). */
#ifndef VV_STEP_BODIES_FLIGHT_H
#define VV_STEP_BODIES_FLIGHT_H

#include "step/bodies/visible.h"

#include <stdbool.h>
#include <stdint.h>

enum { VV_FLIGHT_STEPS = 10 }; /* of flight before a loss is worth a word */
enum { VV_FLIGHT_LINEAR, VV_FLIGHT_ANGULAR, VV_FLIGHT_MOMENTA };

/* Of a body; all zero where it is new. Angular momenta are about its centre. */
typedef struct vv_flight {
    struct {
        double wanted[3]; /* kg m/s, kg m^2/s: what flight began with, and what gravity has given since */
        double off[3];    /* by how much the body's own differs */
        double jump;      /* the largest change of that in one step in which something was within reach */
        double most;      /* the largest that was wanted */
    } momentum[VV_FLIGHT_MOMENTA];
    double shaken;  /* m/s: the largest mean square velocity of what is not rigid motion, its root */
    int32_t steps;  /* of this flight; 0: it is not in flight */
    int32_t lost;   /* 1: one has changed by too much since the last step, 2: since before */
    int32_t which;  /* VV_FLIGHT_...: the one that has by the largest part of what it may */
    int32_t warned; /* whether the host has been told */
} vv_flight;

/* A step of h seconds with the body's motion at its end. */
typedef struct vv_flight_step {
    const vv_rigid_motion *booked;
    const double *gravity; /* m/s^2 */
    double h;
    bool free; /* nothing but gravity has acted on it, as far as the end shows; */
    /* whether in between something may have: asked only where a momentum jumps */
    bool (*reached)(void *user, int body);
    void *user;
    int body;
} vv_flight_step;

/* Flight begins with the momenta that a body has: where a run starts, and where vv_flight_take finds it free. */
void vv_flight_begin(vv_flight *f, const vv_rigid_motion *booked);
void vv_flight_take(vv_flight *f, const vv_flight_step *step);

#endif
