/* settle over keys in time: an equilibrium at each of some times, as a run. */
#ifndef VV_CLI_SETTLE_SETTLE_H
#define VV_CLI_SETTLE_SETTLE_H

#include "cli.h"

typedef struct vv_settle_over {
    const vvScene *scene;
    vvWorld *world;     /* baked; backward Euler without a policy */
    double interval;    /* s: from one equilibrium to the next */
    int count;          /* equilibria after the one at the start */
    const char *output; /* the run file; NULL: none is written */
} vv_settle_over;

/* Finds them and prints a line for each. Returns VV_EXIT_OK or the exit code, after a message; a run that ends early
 * holds the equilibria that were found. */
int vv_settle_over_keys(const vv_settle_over *over);

#endif
