/* Scenes by a seed: what a plan holds, how it is drawn, and its text, a scene file that `visviva run` takes. */
#ifndef CAMPAIGN_PLAN_H
#define CAMPAIGN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum { PLAN_BODIES = 6, PLAN_TEXT = 16384 };

typedef struct plan_body {
    bool there;
    int shape, material; /* rows of the tables of plan.c */
    double size, at[3], turn[3], velocity[3], spin[3], young;
    int cells;
} plan_body;

typedef struct plan {
    uint64_t seed;
    const char *scheme, *policy, *solver, *contact;
    int budget; /* of iterations; 0: none */
    double h, friction, gravity;
    int steps;
    int obstacle; /* a row of plan.c; 0: none */
    plan_body body[PLAN_BODIES];
} plan;

static const double PLAN_ROOM = 0.5; /* m: half the width of the room whose six walls nothing leaves */
static const double PLAN_HIGH = 1.2; /* m: its height */

/* Of the names of methods the `attempt`th draw: a scene that is refused is tried with others. */
plan plan_draw(uint64_t seed, int attempt);
int plan_count(const plan *p); /* bodies */
/* As a scene file. */
void plan_write(const plan *p, char text[PLAN_TEXT]);

#endif
