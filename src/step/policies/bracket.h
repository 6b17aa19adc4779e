/* A root of a continuous function of one variable between two places where its signs differ (theory §3.7). */
#ifndef VV_STEP_POLICIES_BRACKET_H
#define VV_STEP_POLICIES_BRACKET_H

#include <stdbool.h>

typedef struct vv_bracket {
    double (*value)(void *user, double x); /* +infinity is a value above any other; NaN is taken for it */
    void *user;
    double tolerance; /* the search ends where |value| is at most this */
    int most;         /* evaluations */
    bool bisect;      /* halves the interval; else a secant and parabolas whose ends stay on both sides */
} vv_bracket;

typedef struct vv_bracketed {
    /* the evaluated place with the smallest |value|; x0 counts as evaluated, x1 only where nothing else is within the
     * tolerance */
    double x, value;
    int evaluations;
} vv_bracketed;

/* f0 and f1 are the values at x0 and x1; one is at most 0 and the other at least 0. What is sought is near x0, if
 * that can be: where x1 alone is within the tolerance, a place between is tried. */
vv_bracketed vv_bracket_root(const vv_bracket *b, double x0, double f0, double x1, double f1);

#endif
