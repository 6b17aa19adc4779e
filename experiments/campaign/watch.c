/* Processor time of a child process (watch.h). */
#define _POSIX_C_SOURCE 200809L
#include "watch.h"

#include <math.h>
#include <time.h>

/* NAN: there is no such process. */
static double used(pid_t child)
{
    clockid_t id;
    struct timespec t;
    if (clock_getcpuclockid(child, &id) != 0 || clock_gettime(id, &t) != 0)
        return NAN;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void watch_begin(watch *w, pid_t child, double clock)
{
    const double seconds = used(child);
    *w = (watch){ child, seconds, seconds, clock };
}

bool watch_hung(watch *w, double clock, double most, double idle)
{
    static const double LEAST = 1e-3; /* s: a stop and its signals take some */
    const double seconds = used(w->child);
    if (seconds > w->seen + LEAST)
        w->seen = seconds, w->since = clock;
    return seconds - w->begun > most || (seconds <= w->seen + LEAST && clock - w->since > idle);
}
