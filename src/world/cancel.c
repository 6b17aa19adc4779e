/* Cancels a step, settling or baking: by a callback that is asked, or by a flag that any thread may set. */
#include "world/world.h"

bool vv_world_cancelled(void *world) { return vv_stop_wanted(&((vvWorld *)world)->stop); }

vvStatus vv_world_check_cancelled(vvWorld *w, vvError *error)
{
    return vv_check_cancelled(&(vv_solve_options){ .cancel = vv_world_cancelled, .cancel_user = w }, error);
}

void vvWorldSetCancel(vvWorld *w, bool (*cancel)(void *), void *user)
{
    if (!vv_world_idle(w))
        return;
    w->stop.world = (vv_asked){ cancel, user };
    w->stop.late = false;
}

void vvWorldCancel(vvWorld *w)
{
    if (w)
        atomic_store_explicit(&w->stop.flag, true, memory_order_relaxed);
}
