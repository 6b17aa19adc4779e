/* visviva new: the energy at which the model comes to rest, which the scene carries as its ground level. */
#include "new.h"

#include <math.h>

enum { MOST_SECONDS = 10 };

typedef struct search {
    vv_waiting waiting;
    double end;
} search;

static bool enough(void *user)
{
    search *s = user;
    return vv_cli_cancel_waiting(&s->waiting) || vv_cli_seconds() > s->end;
}

/* The world is baked, and stays as it is. *ground: J, or NaN if it was not found in the time that a user may wait for a scene. */
vvStatus vv_new_ground_level(vvWorld *world, double *ground, vvError *error)
{
    search s = { .waiting = { .command = "new", .what = "the energy at rest", .hint = "10 s at most" }, .end = vv_cli_seconds() + MOST_SECONDS };
    vvWorldSetCancel(world, enough, &s);
    vvStatus status = vvWorldSettle(world, false, ground, error);
    vvWorldSetCancel(world, vv_cli_cancel, NULL);
    vv_waiting_finish(&s.waiting);
    if (!status || vv_cli_interrupted())
        return status;
    *ground = NAN;
    return status == VV_CANCELLED || status == VV_ERROR_SOLVER ? VV_OK : status;
}
