/* What a world reports to its host besides its results. */
#include "base/text.h"
#include "world/world.h"

#include <string.h>

void vv_world_log(const vvWorld *w, vvLogLevel level, const char *format, ...)
{
    const vvLog *log = &w->def.host.log;
    if (!log->write)
        return;
    char message[1200];
    va_list args;
    va_start(args, format);
    vv_print_list(message, sizeof message, format, args);
    va_end(args);
    log->write(log->user, level, message);
}

/* What may come and go all through a run is a warning once and a note from then on. */
static vvLogLevel first_is_warning(bool *warned)
{
    vvLogLevel level = *warned ? VV_LOG_INFO : VV_LOG_WARNING;
    *warned = true;
    return level;
}

static void log_inverted(vvWorld *w, const vvInverted *r)
{
    bool any = r->tets > 0;
    if (any && !w->is_inverted)
        vv_world_log(w, first_is_warning(&w->inversion_warned),
                     "step %lld (t = %g s): %d tets are inside out, the worst in \"%s\" at (%.3g, %.3g, %.3g) m, "
                     "det F %.3g; \"%s\" allows it: \"neo-hookean\" does not, \"stable-neo-hookean\" turns them back; "
                     "or take a smaller step",
                     (long long)w->state.clock.step, vv_world_time(w), r->tets, r->body, r->point[0], r->point[1],
                     r->point[2], r->detF, r->model);
    if (!any && w->is_inverted)
        vv_world_log(w, VV_LOG_INFO, "step %lld (t = %g s): no tets are inside out any more",
                     (long long)w->state.clock.step, vv_world_time(w));
    w->is_inverted = any;
}

static void log_shortfall(vvWorld *w, const vvStepReport *r)
{
    bool any = r->end == VV_SOLVE_ITERATION_LIMIT || r->end == VV_SOLVE_STALLED;
    if (any && !w->solves_fall_short)
        vv_world_log(
            w, first_is_warning(&w->shortfall_warned),
            "step %lld (t = %g s): the solve stopped short of its tolerance, at %.3g m/s after %d iteration%s: %s",
            (long long)w->state.clock.step, vv_world_time(w), r->residual, r->newtonIterations,
            r->newtonIterations == 1 ? "" : "s", *r->note ? r->note : "it stopped");
    if (!any && w->solves_fall_short)
        vv_world_log(w, VV_LOG_INFO, "step %lld (t = %g s): solves converge again", (long long)w->state.clock.step,
                     vv_world_time(w));
    w->solves_fall_short = any;
}

void vv_world_log_step(vvWorld *w, const vvStepReport *r)
{
    log_shortfall(w, r);
    log_inverted(w, &r->inverted);
    if (strcmp(r->linear, "none") == 0)
        return;
    if (w->last_linear && strcmp(w->last_linear, r->linear) != 0)
        vv_world_log(w, VV_LOG_INFO, "step %lld (t = %g s): linear solver %s in place of %s: %s",
                     (long long)w->state.clock.step, vv_world_time(w), r->linear, w->last_linear, r->note);
    w->last_linear = r->linear;
}
