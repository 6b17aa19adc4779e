/* Whether the host wants the call in progress to end. Loops that may last a second ask, in any of their threads; what
 * they then leave unfinished must not be used, and the call ends with VV_CANCELLED. Loops over a world's threads have
 * its vv_stop (base/parallel.h); code that knows of none, such as a mesh's, asks that of its thread. */
#ifndef VV_BASE_STOP_H
#define VV_BASE_STOP_H

#include "visviva/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* A function of the host that is asked; called only in the thread that began the call. None: ask is NULL. */
typedef struct vv_asked {
    bool (*ask)(void *user);
    void *user;
} vv_asked;

/* The wishes that a call heeds: a world's, or one on the stack of a call without a world. */
typedef struct vv_stop {
    atomic_bool wanted; /* by a function, in this call: forgotten with its end */
    atomic_bool flag;   /* by vvWorldCancel: stays until a call has ended by it */
    bool late;          /* by a function, too late for an earlier call: so does this */
    vv_asked world;     /* the world's function (vvWorldSetCancel) */
    vv_asked own;       /* the thread's (vvSetThreadCancel) as the call began: asked while it is still that one */
    pthread_t caller;
    struct vv_stop *outer; /* of the call within which this one was made; NULL: of none */
} vv_stop;

/* Whether the call is to end. False if there is no vv_stop. */
bool vv_stop_wanted(vv_stop *stop);

/* Begins a call that heeds `stop`, and ends it; what `flag` and `late` wished is fulfilled with
 * VV_CANCELLED. Returns `status`. */
void vv_stop_enter(vv_stop *stop);
vvStatus vv_stop_leave(vv_stop *stop, vvStatus status);
/* The call has its result already, so that its functions' wish is for the next one. */
void vv_stop_defer(vv_stop *stop);
/* The same around a call without a world. Within another one it is a part of that and heeds that one's wishes, unless
 * the host, in a callback, has set another function for it: then it alone is ended by that. */
void vv_stop_begin(vv_stop *stop);
vvStatus vv_stop_end(vv_stop *stop, vvStatus status);
/* The whole body of such a public function: `work`, a call of what it does. */
#define VV_STOPPABLE(work) \
    vv_stop stop;          \
    vv_stop_begin(&stop);  \
    return vv_stop_end(&stop, work)

/* Whether the call in progress in this thread is to end. Who is told so leaves, and says vv_fail_cancelled or,
 * if it cannot tell from what it called whether memory was short, vv_fail_memory, which knows the difference. */
bool vv_stopped(void);
/* The same in every 65536th round of a loop, some milliseconds. */
static inline bool vv_stopped_in(size_t round) { return (round & 0xffff) == 0xffff && vv_stopped(); }
/* Whether that is why something failed, without asking again. */
bool vv_stop_known(void);

#endif
