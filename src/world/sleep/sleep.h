/* Sleep (docs/real-time.md): bodies at rest are left out of what is baked until something stirs them.
 *
 * A body that sleeps keeps its nodes where they are. It has no unknowns, no elements, and nothing touches it; in H
 * stands what it and its contacts held when it fell asleep (vv_state.body_sleep). That is right only while nothing
 * comes near, so who may touch whom is judged by boxes around bodies, as wide as contact reaches: they hold for all
 * contact models. Bodies whose boxes meet, or that a joint joins, fall asleep together and wake together. */
#ifndef VV_WORLD_SLEEP_SLEEP_H
#define VV_WORLD_SLEEP_SLEEP_H

#include "world/world.h"

enum { VV_ASLEEP = 1, VV_CALLED = 2 }; /* vv_sleep.asleep; called: to be woken as soon as others are */
static inline bool vv_sleep_is(const vvWorld *world, int body) { return world->state.body_sleep[body].asleep != 0; }
/* Whether any body sleeps; whether others do than those that were left out of what is baked, which is out of date
 * then. */
bool vv_sleep_any(const vvWorld *world);
bool vv_sleep_differs(const vvWorld *world);

/* ---- waking; what is baked follows later (vv_world_bake) ---- */

void vv_sleep_wake_all(vvWorld *world);
/* A body, and all that lies with it; nothing if it is awake. */
void vv_sleep_wake(vvWorld *world, int body);
/* All that the body may touch where it is now: it is about to go. */
void vv_sleep_wake_near(vvWorld *world, int body);
/* All that the obstacle may touch: it comes or goes. */
void vv_sleep_wake_at(vvWorld *world, const vv_obstacle *obstacle);

/* ---- in a step ---- */

/* Before it, of a baked world: wakes what is stirred, or what may be touched if all move as they do now.
 * VV_ERROR_MEMORY with a message. */
vvStatus vv_sleep_before_step(vvWorld *world, vvError *error);
/* The hook `wakes`: whether awake bodies come near to others on their way to q. world->sleep.woken says so, too; once
 * the step is undone, these are to be woken. */
bool vv_sleep_step_wakes(void *world, const double *q);
/* Wakes what the body meets if it is put there (count x 3, m; NULL: where it is). VV_ERROR_MEMORY. */
vvStatus vv_sleep_clear_way(vvWorld *world, int body, const double *positions, vvError *error);
void vv_sleep_wake_marked(vvWorld *world);
/* After it: who falls asleep. The world is baked without them. */
void vv_sleep_after_step(vvWorld *world);
/* Of a baked world: makes up for what the host cancelled there. */
vvStatus vv_sleep_catch_up(vvWorld *world, vvError *error);

/* VV_ERROR_INPUT if the body sleeps (body < 0: if any does): `what` is not known of it. */
vvStatus vv_sleep_refuse(const vvWorld *world, int body, const char *what, vvError *error);

/* ---- boxes.c ---- */

bool vv_sleep_reserve(vvWorld *world);
void vv_sleep_free(vvWorld *world);
/* The box in which the body may touch others, with its nodes at q and on the straight way to `to` (NULL: there). */
void vv_sleep_box(const vvWorld *world, int body, const double *q, const double *to, double wider, double box[6]);
static inline bool vv_boxes_meet(const double a[6], const double b[6])
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}
/* Whether an obstacle may touch what is in the box, with its frame at q and on its way to `to`. */
bool vv_sleep_reaches(const vvWorld *world, const vv_obstacle *obstacle, const double *q, const double *to,
                      const double box[6]);
/* Whether any of the body's nodes would move. */
bool vv_sleep_moves(const vvWorld *world, int body, const double *to);
/* Whether it goes anywhere in the step to come. After looking ahead. */
static inline bool vv_sleep_obstacle_moves(const vvWorld *world, const vv_obstacle *obstacle)
{
    return obstacle->body1 > 0 && vv_sleep_moves(world, obstacle->body1 - 1, world->sleep.ahead);
}
/* Fills world->sleep.ahead: where nodes are at the step's end if those that are free keep their velocities. */
void vv_sleep_look_ahead(vvWorld *world);
/* Whether something acts on the body that changes in time, or that nodes without unknowns do not take: hands, loads,
 * rollers, supports that move, motors, joints to what moves, forces of the host. After looking ahead. */
bool vv_sleep_is_stirred(const vvWorld *world, int body);

#endif
