/* Motions whose course is known: small worlds, and what is measured of them. */
#ifndef VV_MOTIONS_H
#define VV_MOTIONS_H

#include <visviva/visviva.h>

enum { MOST_FIGURES = 3, MOST_TRACKED = 2 };

/* Of a run in progress, through positions alone. */
typedef struct motion_track {
    vvBodyId body[MOST_TRACKED];
    int bodies;
    int order; /* of tets of what deforms: 1 or 2 */
    double h, time;
    double centre[MOST_TRACKED][3], before[MOST_TRACKED][3]; /* m, of masses; a step earlier */
    double arm[2], turned;              /* of the first body: a node's arm in the plane of the turn; rad, summed up */
    double highest, crossing[2], other; /* free for the motion's own use */
    int crossings;
    bool wrong; /* bodies have changed sides */
} motion_track;

typedef struct motion {
    const char *name;
    /* Fills the world; soft: the material model of what deforms. */
    vvStatus (*build)(const struct motion *m, vvWorld *w, const char *soft, motion_track *t, vvError *error);
    void (*follow)(const struct motion *m, motion_track *t); /* after each step; NULL: nothing of its own */
    void (*figures)(const struct motion *m, const motion_track *t, double out[MOST_FIGURES]);
    int count;                  /* of figures */
    double exact[MOST_FIGURES]; /* NaN: by the references */
    double scale[MOST_FIGURES]; /* what errors are parts of */
    double until;               /* s, and so many steps more */
    int more;
    double gravity, value[3]; /* the motion's own numbers */
} motion;

/* NULL past the end. */
const motion *motion_at(int index);
/* Before the first step, and after each. */
void motion_begin(const motion *m, const vvWorld *w, motion_track *t);
void motion_take(const motion *m, const vvWorld *w, motion_track *t);

#endif
