/* Asks the host whether to go on: the world's function, and the calling thread's. */
#include "base/stop.h"

#include "visviva/host.h"

/* Of the calling thread: the host's function (vvSetThreadCancel); what the call in progress heeds, NULL where none is;
 * and whether one of these functions is being asked: what it calls is not ended. */
static _Thread_local struct {
    vv_asked own;
    vv_stop *call;
    bool asking;
} thread_stop;

static bool get(const atomic_bool *b) { return atomic_load_explicit(b, memory_order_relaxed); }
static void set(atomic_bool *b, bool value) { atomic_store_explicit(b, value, memory_order_relaxed); }

static bool is_same(vv_asked a, vv_asked b) { return a.ask == b.ask && a.user == b.user; }

static bool ask(vv_asked host)
{
    thread_stop.asking = true;
    const bool wanted = host.ask(host.user);
    thread_stop.asking = false;
    return wanted;
}

/* A yes of the thread's function ends all calls that began with it, one within another. */
static void spread(vv_stop *s)
{
    const vv_asked own = s->own;
    for (; s; s = s->outer)
        if (is_same(s->own, own))
            set(&s->wanted, true);
}

static bool is_known(const vv_stop *s) { return get(&s->wanted) || get(&s->flag) || s->late; }

bool vv_stop_wanted(vv_stop *s)
{
    if (!s || thread_stop.asking)
        return false;
    if (is_known(s))
        return true;
    const bool of_thread = s->own.ask && is_same(s->own, thread_stop.own);
    if (!(s->world.ask || of_thread) || !pthread_equal(pthread_self(), s->caller))
        return false;
    if (s->world.ask && ask(s->world))
        set(&s->wanted, true);
    else if (of_thread && ask(s->own))
        spread(s);
    return get(&s->wanted);
}

void vv_stop_enter(vv_stop *s)
{
    set(&s->wanted, false);
    s->own = thread_stop.own;
    s->caller = pthread_self();
    s->outer = thread_stop.call;
    thread_stop.call = s;
}

vvStatus vv_stop_leave(vv_stop *s, vvStatus status)
{
    thread_stop.call = s->outer;
    s->own = (vv_asked){ 0 };
    s->outer = NULL;
    set(&s->wanted, false);
    if (status == VV_CANCELLED)
        set(&s->flag, false), s->late = false;
    return status;
}

void vv_stop_defer(vv_stop *s)
{
    s->late = s->late || get(&s->wanted);
    set(&s->wanted, false);
}

void vv_stop_begin(vv_stop *s)
{
    *s = (vv_stop){ .outer = NULL };
    if (!thread_stop.call || !is_same(thread_stop.call->own, thread_stop.own))
        vv_stop_enter(s);
}

vvStatus vv_stop_end(vv_stop *s, vvStatus status) { return thread_stop.call == s ? vv_stop_leave(s, status) : status; }

bool vv_stopped(void) { return vv_stop_wanted(thread_stop.call); }

bool vv_stop_known(void) { return thread_stop.call && is_known(thread_stop.call); }

void vvSetThreadCancel(bool (*cancel)(void *user), void *user) { thread_stop.own = (vv_asked){ cancel, user }; }
