/* Whether a body goes where its velocities say (theory §8.7). A body that stands still can have a perfect ledger: its
 * kinetic energy is booked from velocities, and what moves are positions.
 *
 * Over a sliding window of steps: A, the sum of the centre's displacements, and B, the sum of h (V_k + V_k+1) / 2 with
 * V = P / m as booked. What a scheme or a policy makes differ between them telescopes; what keeps a body from following
 * its velocities adds up. Turns likewise: A sums the angles of the rigid rotation that positions show, and for
 * omega = I^-1 L, V is atan(omega h) / h: a backward Euler step with that velocity turns as much. A turn is as large as
 * it moves the body, sqrt(x . I x / m): about its own axis a rope has hardly any. */
#include "step/bodies/course.h"

#include "base/vec.h"

#include <string.h>

/* m/s: what is slower may be rounding, or the creeping of what lies still. */
static const double SLOW = 1e-3;
/* A wrong course shows where a body is off by so many radii of gyration. Less is the velocities' matter: in a
 * chain or a pile, a policy may keep in them what contact trembles with. */
static const double FAR = 1;
static const double LARGEST = 1.57; /* below pi / 2: as an angle of a backward Euler step, any turn */

/* The rotation vector whose chords are the field omega about halfway arms: those are 2 tan(angle / 2) n x r. */
static void turn_of(const double omega[3], double h, double turn[3])
{
    const double rate = vv_norm(omega), factor = rate > 0 ? 2 * atan(0.5 * rate * h) / rate : h;
    for (int k = 0; k < 3; k++)
        turn[k] = factor * omega[k];
}

void vv_course_set(vv_course *c, const vv_rigid_motion *booked, double h)
{
    const double angle = vv_norm(booked->omega) * h, factor = angle > 0 ? atan(angle) / angle : 1;
    memcpy(c->velocity[VV_COURSE_CENTRE], booked->velocity, sizeof booked->velocity);
    for (int k = 0; k < 3; k++)
        c->velocity[VV_COURSE_TURN][k] = factor * booked->omega[k];
}

/* ---- the window ---- */

typedef struct sums {
    double moved[3], booked[3]; /* A and B */
    double time, longest;       /* s: of all steps, of the longest */
    double change;              /* the largest of a velocity in a step, or since the window began: m/s */
    double fastest;             /* of the velocities, times h */
} sums;

/* How large a vector is under a metric. */
static double size_of(const double metric[9], const double x[3])
{
    double y[3];
    vv_matvec(metric, x, y);
    return sqrt(fmax(vv_dot(x, y), 0));
}

static double distance(const double metric[9], const float a[3], const float b[3])
{
    return size_of(metric, (double[]){ (double)a[0] - b[0], (double)a[1] - b[1], (double)a[2] - b[2] });
}

static sums sum_up(const vv_course *c, int motion, const double metric[9])
{
    sums s = { .time = 0 };
    const int first = c->filled < VV_COURSE_STEPS ? 0 : c->next;
    const float *start = c->window[first].motion[motion].before;
    for (int i = 0; i < c->filled; i++) {
        const vv_course_step *p = &c->window[(first + i) % VV_COURSE_STEPS];
        const float *before = p->motion[motion].before, *after = p->motion[motion].after;
        const double end[3] = { after[0], after[1], after[2] }, h = p->h;
        for (int k = 0; k < 3; k++) {
            s.moved[k] += p->motion[motion].moved[k];
            s.booked[k] += 0.5 * h * ((double)before[k] + after[k]);
        }
        s.time += h;
        s.longest = fmax(s.longest, h);
        s.change = fmax(s.change, fmax(distance(metric, after, before), distance(metric, after, start)));
        s.fastest = fmax(s.fastest, h * vv_norm(end));
    }
    return s;
}

static bool strays(const sums *s, const double metric[9])
{
    double d[3];
    vv_sub(s->moved, s->booked, d);
    const double off = size_of(metric, d), booked = size_of(metric, s->booked);
    return off > 0.5 * booked && booked > SLOW * s->time && off > 2 * s->longest * s->change;
}

static void put(const double from[3], float to[3])
{
    for (int k = 0; k < 3; k++)
        to[k] = (float)from[k];
}

/* Whether what has come together in a row of flags shows: in parts of the radius of gyration. */
static bool shows(const vv_course *c, const double *const metric[VV_COURSE_MOTIONS])
{
    const double *turns = metric[VV_COURSE_TURN], radius = sqrt(0.5 * (turns[0] + turns[4] + turns[8]));
    double most = 0;
    for (int m = 0; m < VV_COURSE_MOTIONS; m++)
        most = fmax(most, size_of(metric[m], c->off[m]));
    return most > FAR * radius;
}

/* The step just entered. */
static void judge(vv_course *c, const double *const metric[VV_COURSE_MOTIONS])
{
    const int last = (c->next + VV_COURSE_STEPS - 1) % VV_COURSE_STEPS;
    c->flags = 0;
    for (int m = 0; m < VV_COURSE_MOTIONS && c->filled == VV_COURSE_STEPS; m++) {
        const sums s = sum_up(c, m, metric[m]);
        c->flags |= (int32_t)strays(&s, metric[m]) << m;
        const vv_course_step *p = &c->window[last];
        for (int k = 0; k < 3; k++)
            c->off[m][k] = c->in_a_row == 0 ? s.moved[k] - s.booked[k]
                                            : c->off[m][k] + p->motion[m].moved[k] -
                                                  0.5 * p->h * ((double)p->motion[m].before[k] + p->motion[m].after[k]);
    }
    c->in_a_row = c->flags ? c->in_a_row + 1 : 0;
    c->flagged += c->flags != 0;
    if (c->in_a_row < VV_COURSE_STEPS)
        c->due = 0;
    else if (c->due > 0 || shows(c, metric))
        c->due = c->due > 0 ? 2 : 1;
}

static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

void vv_course_take(vv_course *c, const vv_rigid_motion *moved, const vv_rigid_motion *booked, double h)
{
    vv_course_step *step = &c->window[c->next];
    double way[VV_COURSE_MOTIONS][3];
    for (int k = 0; k < 3; k++)
        way[VV_COURSE_CENTRE][k] = h * moved->velocity[k];
    turn_of(moved->omega, h, way[VV_COURSE_TURN]);
    step->h = (float)h;
    for (int m = 0; m < VV_COURSE_MOTIONS; m++) {
        put(way[m], step->motion[m].moved);
        put(c->velocity[m], step->motion[m].before);
    }
    vv_course_set(c, booked, h);
    for (int m = 0; m < VV_COURSE_MOTIONS; m++)
        put(c->velocity[m], step->motion[m].after);
    c->next = (c->next + 1) % VV_COURSE_STEPS;
    c->filled += c->filled < VV_COURSE_STEPS;
    double turns[9];
    for (int k = 0; k < 9; k++)
        turns[k] = booked->mass > 0 ? booked->inertia[k] / booked->mass : 0;
    judge(c, (const double *[]){ [VV_COURSE_CENTRE] = identity, [VV_COURSE_TURN] = turns });
}

vv_course_finding vv_course_find(const vv_course *c)
{
    const int motion = c->flags & 1 << VV_COURSE_CENTRE ? VV_COURSE_CENTRE : VV_COURSE_TURN;
    const sums s = sum_up(c, motion, identity);
    return (vv_course_finding){ .motion = motion,
                                .moved = vv_norm(s.moved) / s.time,
                                .booked = vv_norm(s.booked) / s.time,
                                .fastest = motion == VV_COURSE_TURN ? tan(fmin(s.fastest, LARGEST)) : 0 };
}
