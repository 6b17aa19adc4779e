/* Asks the host whether to go on: the world's function, and the calling thread's. */
#include "base/stop.h"

#include "visviva/host.h"

/* Of the calling thread: the host's function (vvSetThreadCancel), whose wish stays until a call without a world has
 * ended; the world's, while a call works on one; and whether one of these functions is being asked: what it calls is
 * not ended. */
static _Thread_local struct {
    vv_stop own, *call;
    bool asking;
} thread_stop;

static bool ask(const vv_stop *s)
{
    thread_stop.asking = true;
    const bool wanted = s->ask(s->user);
    thread_stop.asking = false;
    return wanted;
}

bool vv_stop_wanted(vv_stop *s)
{
    if (!s || thread_stop.asking)
        return false;
    if (atomic_load_explicit(&s->asked, memory_order_relaxed))
        return true;
    const vv_stop *own = &thread_stop.own;
    if (!(s->ask || own->ask) || !pthread_equal(pthread_self(), s->caller))
        return false;
    if (!(s->ask && ask(s)) && !(s != own && own->ask && ask(own)))
        return false;
    atomic_store_explicit(&s->asked, true, memory_order_relaxed);
    return true;
}

vv_stop *vv_stop_use(vv_stop *stop)
{
    vv_stop *before = thread_stop.call;
    thread_stop.call = stop;
    return before;
}

bool vv_stopped(void) { return vv_stop_wanted(thread_stop.call ? thread_stop.call : &thread_stop.own); }

bool vv_stop_fulfilled(void)
{
    vv_stop *s = thread_stop.call ? thread_stop.call : &thread_stop.own;
    const bool asked = atomic_load_explicit(&s->asked, memory_order_relaxed);
    if (asked && s == &thread_stop.own)
        atomic_store_explicit(&s->asked, false, memory_order_relaxed);
    return asked;
}

void vvSetThreadCancel(bool (*cancel)(void *user), void *user)
{
    thread_stop.own.ask = cancel;
    thread_stop.own.user = user;
    thread_stop.own.caller = pthread_self();
    atomic_store_explicit(&thread_stop.own.asked, false, memory_order_relaxed);
}
