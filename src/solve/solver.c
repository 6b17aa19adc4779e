/* Common to all solvers: ask whether the host cancels, book the time they spend, refuse energies. */
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

vvStatus vv_refuse_energy(const char *solver, const char *needs, const char *have, const vv_energy *e, vvError *error)
{
    return vv_fail(error, VV_ERROR_UNSUPPORTED,
                   "solver \"%s\" needs of each energy %s, and \"%s\" has none: %s, or choose solver \"newton\" or "
                   "\"lbfgs\", which take all",
                   solver, needs, e->ops->info.name, e->ops->instead ? e->ops->instead : have);
}
