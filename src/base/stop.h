/* Whether the host wants the call in progress to end. Loops that may last a second ask, in any of their threads; what
 * they then leave unfinished must not be used, and the call ends with VV_CANCELLED. Loops over a world's threads have
 * its vv_stop (base/parallel.h); code that knows of none, such as a mesh's, asks that of its thread. */
#ifndef VV_BASE_STOP_H
#define VV_BASE_STOP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct vv_stop {
    atomic_bool asked;       /* by the host's flag or function; stays until the call has ended */
    bool (*ask)(void *user); /* the host's function, called only in the thread that began the call; may be NULL */
    void *user;
    pthread_t caller;
} vv_stop;

/* Also by the function of the calling thread (vvSetThreadCancel). False if there is no vv_stop. */
bool vv_stop_wanted(vv_stop *stop);

/* Makes `stop` that of the call in progress in this thread (NULL: of a call without a world) and returns the previous
 * one, which the caller restores in the same way. */
vv_stop *vv_stop_use(vv_stop *stop);
/* Whether the call in progress in this thread is wanted to end. Who is told so leaves, and says vv_fail_cancelled or,
 * if it cannot tell from what it called whether memory was short, vv_fail_memory, which knows the difference. */
bool vv_stopped(void);
/* The same in every 65536th round of a loop, some milliseconds. */
static inline bool vv_stopped_in(size_t round) { return (round & 0xffff) == 0xffff && vv_stopped(); }
/* Whether that is why something failed. The wish of a call without a world is fulfilled with that. */
bool vv_stop_fulfilled(void);

#endif
