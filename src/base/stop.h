/* Whether the host wants the call in progress to end. Loops that may last a second ask, in any of their threads; what
 * they then leave unfinished must not be used, and the call ends with VV_CANCELLED. */
#ifndef VV_BASE_STOP_H
#define VV_BASE_STOP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct vv_stop {
    atomic_bool asked;       /* by the host's flag or function; stays until the call has ended */
    bool (*ask)(void *user); /* the host's function, called only in the thread that began the call; may be NULL */
    void *user;
    pthread_t caller;
} vv_stop;

/* False if there is no vv_stop. */
bool vv_stop_wanted(vv_stop *stop);

#endif
