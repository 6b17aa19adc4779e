/* Whether a body bounces off what it touches, or stays there (theory §3.6). */
#ifndef VV_STEP_FILTERED_BOUNCE_H
#define VV_STEP_FILTERED_BOUNCE_H

#include <stdbool.h>

/* What is remembered of a body between steps; all zero where it is new. Numbers, as saved states hold them. */
typedef struct vv_bounce {
    double phase;          /* VV_BOUNCE_... */
    double flown, touched; /* steps: of the present or last flight, and of the present or last touch */
} vv_bounce;

enum { VV_BOUNCE_NEW, VV_BOUNCE_SINKS, VV_BOUNCE_RISES, VV_BOUNCE_SINKS_AGAIN, VV_BOUNCE_RISES_AGAIN, VV_BOUNCE_STAYS };

/* A step of a body that contact touches at its end, or not. power: what contact takes from the motion of its centre
 * there, J; negative: what it gives. Whether a bounce has gone on or ended in it. */
bool vv_bounce_take(vv_bounce *b, bool touches, double power);

#endif
