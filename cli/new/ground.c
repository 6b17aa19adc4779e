/* visviva new: the energy at which the model comes to rest, which the scene carries as its ground level. */
#include "new/new.h"

#include <math.h>

enum { MOST_SECONDS = 10 };

static bool enough(void *user)
{
    const double *end = user;
    return vv_cli_interrupted() || vv_cli_seconds() > *end;
}

/* The world is baked, and stays as it is. *ground: J, or NaN if it was not found in the time that a user may wait for
 * a scene. */
vvStatus vv_new_ground_level(vvWorld *world, double *ground, vvError *error)
{
    double end = vv_cli_seconds() + MOST_SECONDS;
    vvWorldSetCancel(world, enough, &end);
    vv_cli_phase("new: looking for the energy at rest (%d s at most)", MOST_SECONDS);
    vvStatus status = vvWorldSettle(world, false, ground, error);
    vv_cli_phase("new: at work");
    vvWorldSetCancel(world, vv_cli_cancel, NULL);
    if (status == VV_OK || vv_cli_interrupted())
        return status;
    *ground = NAN;
    return status == VV_CANCELLED || status == VV_ERROR_SOLVER ? VV_OK : status;
}
