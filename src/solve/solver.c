/* Common to all solvers: ask whether the host cancels, and book the time they spend. */
#include "solve/solver.h"

#include "base/clock.h"
#include "base/error.h"

vvStatus vv_check_cancelled(const vv_solve_options *options, vvError *error)
{
    if (!options->cancel || !options->cancel(options->cancel_user))
        return VV_OK;
    return vv_fail_cancelled(error);
}

void vv_solve_book(const vv_solve_options *options, vv_solve_stats *stats, vvPhase phase, double begin, double clock)
{
    double contact = vv_contact_clock(options) - clock;
    stats->seconds[phase] += vv_seconds() - begin - contact;
    stats->seconds[VV_PHASE_CONTACT] += contact;
}
