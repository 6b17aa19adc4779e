/* Small scenes of any size, each alone or with something far away. */
#ifndef SCALE_CASES_H
#define SCALE_CASES_H

#include <visviva/visviva.h>

enum { SCALE_BODIES = 4, SCALE_TIMES = 2 };

/* Lengths, times and all else in a text for objects of 1 m; where it is scaled a number stands behind a sign:
 * $L length, $T time, $V speed, $R rate, $E pressure, $F force, $K pressure over squared length. */
typedef struct scale_case {
    const char *name, *bodies[SCALE_BODIES]; /* one line of JSON each; what is judged stands first */
    const char *rest;                        /* joints, obstacles */
    double friction;
    int judged;   /* how many of the bodies */
    bool model;   /* whether it is run under the other contact models, too */
    double slope; /* degrees, by which gravity is turned; friction is twice the tangent */
} scale_case;

typedef struct scale_run {
    /* in */
    const scale_case *what;
    const char *companion, *model, *policy, *linear; /* a row of scale_companion; linear: NULL: the default */
    double size;
    /* out */
    double at[SCALE_TIMES][SCALE_BODIES][3]; /* centres at half of the time and at its end, in sizes, less the start */
    long iterations;
    int warnings;
    bool done;
    char why[200]; /* of a failure, or the first warning */
} scale_run;

extern const scale_case scale_cases[];
/* The names of what else is there, the first "alone"; NULL past the end. */
const char *scale_companion(int index);
void scale_go(scale_run *run);
/* The largest difference of two runs, in sizes; INFINITY where one failed. */
double scale_difference(const scale_run *a, const scale_run *b);

#endif
