/* Common to all solvers: ask whether the host cancels, book the time they spend, refuse contact. */
#include "solve/solver.h"

#include "base/clock.h"
#include "base/error.h"
#include "contact/repulsion.h"

#include <string.h>

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

vvStatus vv_refuse_contact(const char *solver, const vv_energy *e, vvError *error)
{
    const char *name = e->ops->info.name;
    if (strcmp(name, "penetration") == 0)
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "solver \"%s\" has no penalty between bodies (\"%s\"), and here bodies may touch each other or "
                       "themselves: set contact.self to "
                       "false, or self_contact of bodies, and filters that keep the bodies apart; or choose solver "
                       "\"optimizer\", \"newton\" or \"lbfgs\"",
                       solver, name);
    if (strcmp(name, "repulsion") == 0 && ((const vv_repulsion *)e)->def.form->everywhere)
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "solver \"%s\" needs contact with a largest stiffness, which contact model \"penalty\" has not: "
                       "write contact.model \"springs\", or choose "
                       "solver \"optimizer\", \"newton\" or \"lbfgs\"",
                       solver);
    if (strcmp(name, "repulsion") == 0)
        return vv_fail(
            error, VV_ERROR_UNSUPPORTED,
            "solver \"%s\" needs contact springs with a largest stiffness, which those of this form have not: set "
            "contact.springs.form to one-sided or bilateral, or choose solver \"lbfgs\", \"xpbd\", \"block-descent\" "
            "or \"newton\"",
            solver);
    if (strcmp(name, "surface-barrier") == 0)
        return vv_fail(
            error, VV_ERROR_UNSUPPORTED,
            "solver \"%s\" has no barrier (\"%s\"), and here bodies may touch each other, themselves or an obstacle "
            "with a mesh: set contact.self to false, or self_contact of bodies, and filters that keep the bodies "
            "apart; or choose solver "
            "\"lbfgs\", \"block-descent\" or \"newton\"",
            solver, name);
    return vv_fail(
        error, VV_ERROR_UNSUPPORTED,
        "solver \"%s\" has no barrier (\"%s\"): write contact.model \"springs\" against obstacles, and contact.self "
        "false and filters where bodies could touch; or choose solver \"lbfgs\", \"block-descent\" or \"newton\"",
        solver, name);
}
