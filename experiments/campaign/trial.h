/* One scene, every step of it checked. */
#ifndef CAMPAIGN_TRIAL_H
#define CAMPAIGN_TRIAL_H

#include "plan.h"

typedef enum fault {
    FINE,
    REFUSED,     /* no world is made of it, by name */
    ENDED,       /* a step failed, by name */
    BLOWN_UP,    /* it is a hundred rooms away, or H a million S, which was warned of: nothing holds from there on */
    NO_WORD,     /* it was refused, or a step failed or did not converge, and nothing says why */
    NOT_FINITE,  /* a position, a velocity or the ledger */
    INSIDE_OUT,  /* tets of a material that promises none */
    INTERSECTS,  /* surfaces, where the model promises that none do */
    OUTSIDE,     /* a body has left the room */
    NOT_CLOSED,  /* the ledger's row, beyond 1e-12 of its scale; or its kinetic energy is not that of the velocities */
    MADE,        /* energy of more than a quarter of S, without a warning */
    THREADS,     /* other bits on two threads */
    NOT_RESUMED, /* other bits from a state that was saved halfway */
    MEMORY,      /* more is allocated after the scene than before it */
    HUNG,        /* a scene took longer than a minute of processor time a step */
    CRASHED,
    FAULTS
} fault;
extern const char *const fault_name[FAULTS];
/* The first four are as they should be. */
static inline bool fault_counts(fault f) { return f > BLOWN_UP; }

typedef struct trial {
    fault fault;
    int steps, nodes;     /* steps done */
    double median, worst; /* s of processor time a step */
    int warnings;
    char what[400]; /* of the fault, or why it was refused or ended */
} trial;

/* Of a scene's text. whole: also on two threads, and resumed halfway. */
trial trial_run(const char *text, bool whole);

#endif
