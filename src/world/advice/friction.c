/* Warns once of methods with which friction is not mu times the normal impulse, or bodies that should stick creep, with
 * advice (experiments/friction measures it). */
#include "step/policies/policy.h"
#include "world/world.h"

#include "contact/models.h"
#include "contact/springs/repulsion.h"

/* Of springs against obstacles; NULL: there are none. */
static const vv_repulsion_form *form_of(const vvWorld *w)
{
    const vv_contact_model *model = vv_world_model(w);
    return model->force && w->obstacle_count ? model->force(&w->def.contact).form : NULL;
}

/* What is wrong, of whom: `WHAT "NAME" REST`; NULL: nothing. */
typedef struct doubt {
    const char *what, *name, *rest;
} doubt;

static doubt of_scheme(const vvWorld *w)
{
    const vvIntegratorDef *d = &w->def.integrator;
    const vv_scheme row = vv_scheme_made(d->scheme, d->settings, d->settingCount);
    if (!row.a_stable && !row.method)
        return (doubt){ "scheme", d->scheme,
                        "is stable only below a step limit, which contact exceeds: sliding bodies may have too much or "
                        "too little friction; choose an A-stable scheme" };
    if (vv_policy_find(d->policy)->touches & VV_TOUCHES_POSITIONS && row.two_step)
        return (doubt){ "scheme", d->scheme,
                        "continues from two steps, and the policy moves the positions of each: bodies that should "
                        "stick creep by some mm/s; choose a one-step scheme, or another policy" };
    return (doubt){ NULL };
}

/* Of springs against obstacles. */
static doubt of_form(const vvWorld *w, const vv_repulsion_form *form)
{
    const vvIntegratorDef *d = &w->def.integrator;
    const vv_scheme row = vv_scheme_made(d->scheme, d->settings, d->settingCount);
    const bool alone = !vv_policy_find(d->policy)->apply, damps = row.l_stable && alone;
    if (form && form->projects)
        return (doubt){ "springs of form", form->info.name,
                        "put vertices on surfaces in each step: sliding bodies travel some per cent too far; choose "
                        "another form (contact.springs.form)" };
    if (form && form->keeps && !damps)
        return (doubt){ "springs of form", form->info.name,
                        "also hold back vertices that leave, without an effect on friction: where a body shakes, its "
                        "friction is more than mu times the net normal force; choose another form "
                        "(contact.springs.form), or scheme \"backward-euler\" with policy \"none\"" };
    /* remade each step, of tangent planes: a contact that opens within a step pushes, or not, as at the step's start */
    if (form && !form->follows && !form->everywhere && !damps)
        return (
            doubt){ "springs of form", form->info.name,
                    "are chosen once a step: where a soft body shakes, which this scheme and policy do not damp, its "
                    "friction may be off by some per cent; choose form \"following\" (contact.springs.form), or "
                    "scheme \"backward-euler\" with policy \"none\"" };
    /* an energy of positions alone that begins without a slope: bodies float in it, and hardly anything damps that */
    if (form && form->everywhere && !(alone && row.stages == 1 && vv_scheme_end_forces(&row)))
        return (
            doubt){ "springs of form", form->info.name,
                    "begin so gently that bodies oscillate in them: bodies that should stick creep by some cm/s under "
                    "this scheme and policy; choose \"backward-euler\" with policy \"none\", or another model "
                    "(contact.model)" };
    return (doubt){ NULL };
}

static doubt of_solver(const vvWorld *w, const vv_repulsion_form *form)
{
    const vv_solver_ops *ops = vv_solver_find(w->def.solver.method);
    const bool inside = vv_world_rubs_inside(w) || !form,
               automatic = vv_friction_when_of(&w->def.contact) == VV_FRICTION_AUTO;
    if (!inside && automatic && ops && ops->budget > 0)
        return (doubt){ "with solver", ops->info.name,
                        "it acts after the solve, and bodies that should stick creep by some cm/s; choose solver "
                        "\"newton\" or \"optimizer\", or write contact.friction_when \"after\" if this is intended" };
    if (inside && ops && ops->budget == 1)
        return (doubt){ "solver", ops->info.name,
                        "makes one iteration, which does not find the sliding speeds: friction is 1 to 2% too "
                        "much; choose solver \"newton\"" };
    return (doubt){ NULL };
}

void vv_world_advise_friction(vvWorld *w)
{
    if (w->friction_told || !vv_world_any_friction(w))
        return;
    const vv_repulsion_form *form = form_of(w);
    doubt d = of_scheme(w);
    if (!d.what)
        d = of_form(w, form);
    if (!d.what)
        d = of_solver(w, form);
    if (!d.what)
        return;
    w->friction_told = true;
    vv_world_log(w, VV_LOG_WARNING, "friction: %s \"%s\" %s", d.what, d.name, d.rest);
}
