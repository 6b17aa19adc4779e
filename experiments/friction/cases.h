/* A body on a slope, one that slides and some that must stick: one world each, and what is measured of it. */
#ifndef VV_FRICTION_CASES_H
#define VV_FRICTION_CASES_H

#include <visviva/visviva.h>

#include <stdbool.h>

/* A contact model with, where it has several, its law. */
typedef struct model {
    const char *name, *contact, *form;
} model;
const model *model_at(int index); /* NULL past the end */

typedef enum body { SOFT, AFFINE, CLOTH, BODIES } body;
extern const char *const body_name[BODIES];

typedef enum test { SLIDES, STICKS_LONG, STICKS, CREEPS, TESTS } test;
typedef struct slope {
    const char *name;
    double degrees, mu, h, until; /* until: s */
    bool stick, slides;
} slope;
extern const slope slopes[TESTS];
extern const double FRICTION_SPEED; /* m/s */

typedef struct method {
    const char *scheme, *policy, *solver;
} method;

typedef enum outcome { DONE, REFUSED, FAILED, SLOW } outcome;
typedef struct result {
    outcome outcome;
    double impulse; /* friction's over mu times the normal one */
    double way;     /* over what it should be */
    double booked;  /* the ledger's friction over mu times the normal force times the way */
    double creep;   /* m/s, in the last third */
    int warnings, notes;
    char why[160], said[160]; /* why it ended; the first warning */
} result;

/* `seconds`: the most that it may take. */
result friction_run(const model *m, body b, const method *by, test which, double seconds);

#endif
