/* Whether a body that nothing touches keeps its momenta (theory §8.8): energy may be right to the last joule while a
 * policy, or a solve that ends too early, brakes a body's spin or pushes it aside in mid-air.
 *
 * From the first step on after which nothing but gravity has acted on the body, P is to be P_0 + m g t and L, about the
 * centre, L_0. A contact that comes and goes within a step is not seen at its ends: where there may have been one, the
 * largest change in a single step is left out of account. */
#include "step/bodies/flight.h"

#include "base/vec.h"

#include <string.h>

static const double LOST = 0.1;    /* of the largest that was wanted, and */
static const double SLIGHT = 0.02; /* of that: smaller jumps are not asked about */
static const double SLOW = 1e-3;   /* m/s, at the radius of gyration for turns: the least, and */
static const double SHAKEN = 0.1;  /* of what shakes, as its noise goes into the rigid motion, and */
static const double PART = 0.01;   /* of the faster of both motions */

typedef struct momenta {
    double of[VV_FLIGHT_MOMENTA][3], shakes; /* m/s: the rest of the motion, root mean square */
} momenta;

static momenta momenta_of(const vv_rigid_motion *r)
{
    momenta m = { .shakes = sqrt(2 * fmax(r->about - r->rotation, 0) / r->mass) };
    for (int k = 0; k < 3; k++)
        m.of[VV_FLIGHT_LINEAR][k] = r->mass * r->velocity[k];
    vv_matvec(r->inertia, r->omega, m.of[VV_FLIGHT_ANGULAR]);
    return m;
}

void vv_flight_begin(vv_flight *f, const vv_rigid_motion *booked)
{
    memset(f->momentum, 0, sizeof f->momentum);
    f->steps = f->lost = 0;
    if (!(booked->mass > 0))
        return;
    const momenta own = momenta_of(booked);
    for (int m = 0; m < VV_FLIGHT_MOMENTA; m++) {
        memcpy(f->momentum[m].wanted, own.of[m], sizeof own.of[m]);
        f->momentum[m].most = vv_norm(own.of[m]);
    }
    f->steps = 1, f->shaken = own.shakes;
}

/* What is off, less the largest jump. */
static double lasting(const vv_flight *f, int m) { return vv_norm(f->momentum[m].off) - f->momentum[m].jump; }

/* A momentum's difference after a step; own: as it is. */
static void compare(vv_flight *f, const vv_flight_step *step, int m, const double own[3])
{
    double off[3], jump[3];
    for (int k = 0; k < 3 && m == VV_FLIGHT_LINEAR; k++)
        f->momentum[m].wanted[k] += step->booked->mass * step->gravity[k] * step->h;
    f->momentum[m].most = fmax(f->momentum[m].most, vv_norm(f->momentum[m].wanted));
    vv_sub(own, f->momentum[m].wanted, off);
    vv_sub(off, f->momentum[m].off, jump);
    memcpy(f->momentum[m].off, off, sizeof off);
    const double size = vv_norm(jump);
    if (size > f->momentum[m].jump && (size < SLIGHT * f->momentum[m].most || step->reached(step->user, step->body)))
        f->momentum[m].jump = size;
}

void vv_flight_take(vv_flight *f, const vv_flight_step *step)
{
    const vv_rigid_motion *r = step->booked;
    if (!step->free || !(r->mass > 0)) {
        f->steps = f->lost = 0;
        return;
    }
    if (f->steps == 0) {
        vv_flight_begin(f, r);
        return;
    }
    const momenta own = momenta_of(r);
    f->shaken = fmax(f->shaken, own.shakes);
    const double trace = r->inertia[0] + r->inertia[4] + r->inertia[8], radius = sqrt(0.5 * trace / r->mass);
    double most = 0;
    f->steps++;
    for (int m = 0; m < VV_FLIGHT_MOMENTA; m++)
        compare(f, step, m, own.of[m]);
    const double spin = radius > 0 ? f->momentum[VV_FLIGHT_ANGULAR].most / radius : 0,
                 fastest = fmax(f->momentum[VV_FLIGHT_LINEAR].most, spin),
                 least = fmax(fmax(SLOW, SHAKEN * f->shaken) * r->mass, PART * fastest);
    for (int m = 0; m < VV_FLIGHT_MOMENTA; m++) {
        const double may = fmax(LOST * f->momentum[m].most, m == VV_FLIGHT_LINEAR ? least : least * radius),
                     part = may > 0 ? lasting(f, m) / may : 0;
        if (part > most)
            most = part, f->which = m;
    }
    f->lost = most <= 1 || f->steps <= VV_FLIGHT_STEPS ? 0 : f->lost > 0 ? 2 : 1;
}
