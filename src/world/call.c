/* What every public function that works on a world begins and ends with: it uses the world's allocator, and until it
 * returns nobody else works on the world. Host code that runs meanwhile (log, cancel, parallel loops, allocator)
 * could pull away what the call holds, so its calls are refused; getters still answer, except to an allocator, for
 * which even the lists may be half made. */
#include "base/error.h"
#include "base/memory.h"
#include "world/world.h"

static vvStatus check(const vvWorld *w, const char *function, vvError *error)
{
    if (!w)
        return vv_fail(error, VV_ERROR_INPUT, "%s needs a world, found NULL", function);
    if (vv_memory_in_host()) /* first: perhaps this world is just being freed */
        return vv_fail(error, VV_ERROR_INPUT,
                       "%s was called by an allocator, whose functions must not call those of a world", function);
    if (w->busy)
        return vv_fail(error, VV_ERROR_INPUT,
                       "%s was called while another call works on the same world: by its log, cancel function or "
                       "parallel loops, or in another thread. Only vvWorldCancel and getters may be called there; note "
                       "what is to be done, and do it when that call has returned",
                       function);
    return VV_OK;
}

bool vv_world_enter(vv_call *call, const vvWorld *world, const char *function, vvError *error)
{
    vv_error_clear(error);
    if (check(world, function, error) != VV_OK)
        return false;
    vvWorld *w = (vvWorld *)(uintptr_t)world; /* of what it holds, reading changes only this flag */
    w->busy = true;
    vv_stop_enter(&w->stop);
    *call = (vv_call){ w, vv_memory_use(w->allocator) };
    return true;
}

vvStatus vv_world_leave(const vv_call *call, vvStatus status)
{
    call->world->busy = false;
    vv_stop_leave(&call->world->stop, status);
    vv_memory_use(call->outer);
    return status;
}

bool vv_world_idle(const vvWorld *w) { return check(w, "", NULL) == VV_OK; }

bool vv_world_readable(const vvWorld *w) { return w && !vv_memory_in_host(); }
