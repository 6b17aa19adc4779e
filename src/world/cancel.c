/* Cancels a step, settling or baking: by a callback that is asked, or by a flag that any thread may set. */
#include "world/world.h"

bool vv_world_cancelled(void *world)
{
    vvWorld *w = world;
    return atomic_load_explicit(&w->cancel_asked, memory_order_relaxed) || (w->cancel && w->cancel(w->cancel_user));
}

vvStatus vv_world_check_cancelled(vvWorld *w, vvError *error)
{
    return vv_check_cancelled(&(vv_solve_options){ .cancel = vv_world_cancelled, .cancel_user = w }, error);
}

vvStatus vv_world_answer(vvWorld *w, vvStatus status)
{
    if (status == VV_CANCELLED)
        atomic_store_explicit(&w->cancel_asked, false, memory_order_relaxed);
    return status;
}

void vvWorldSetCancel(vvWorld *w, bool (*cancel)(void *), void *user)
{
    if (!vv_world_idle(w))
        return;
    w->cancel = cancel;
    w->cancel_user = user;
}

void vvWorldCancel(vvWorld *w)
{
    if (w)
        atomic_store_explicit(&w->cancel_asked, true, memory_order_relaxed);
}
