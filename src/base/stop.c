/* Asks the host whether to go on. */
#include "base/stop.h"

#include <stddef.h>

bool vv_stop_wanted(vv_stop *s)
{
    if (!s)
        return false;
    if (atomic_load_explicit(&s->asked, memory_order_relaxed))
        return true;
    if (!s->ask || !pthread_equal(pthread_self(), s->caller) || !s->ask(s->user))
        return false;
    atomic_store_explicit(&s->asked, true, memory_order_relaxed);
    return true;
}
