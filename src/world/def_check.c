/* Checks of a world's definition; its names become the tables' own. */
#include "base/error.h"
#include "contact/constraint.h"
#include "world/settings.h"

#include <string.h>

/* The row's own string for `name`, so that the world keeps no pointer of the caller's; the error lists the known
 * names. */
vvStatus vv_def_name(const char **name, const char *what, const vvInfo *(*get)(int), vvError *error)
{
    const vvInfo *row;
    for (int i = 0; *name && (row = get(i)); i++)
        if (strcmp(row->name, *name) == 0) {
            *name = row->name;
            return VV_OK;
        }
    char names[512];
    vv_list_names(names, sizeof names, get);
    const char *near = *name ? vv_nearest_name(*name, get) : NULL;
    return vv_fail(error, VV_ERROR_INPUT, "%s: \"%s\" is not known%s%s%s; there are: %s", what,
                   *name ? *name : "(none)", near ? "; did you mean \"" : "", near ? near : "", near ? "\"" : "",
                   names);
}

static const vvInfo *hessian_info(int i)
{
    static const vvInfo rows[] = { { "projected", "semidefinite per element" },
                                   { "shifted", "exact, Tikhonov shift" } };
    return i >= 0 && i < 2 ? rows + i : NULL;
}

static const vvInfo *contact_model_info(int i)
{
    static const vvInfo rows[] = { { "barrier", "IPC barrier" },
                                   { "springs", "repulsion springs against obstacles, IPC barrier between bodies" },
                                   { "penalty",
                                     "penalties on how deep vertices are, in obstacles and in other bodies" },
                                   { "constraint", "obstacles bound positions, exactly; penalties between bodies" },
                                   { "none", "no contact" } };
    return i >= 0 && i < 5 ? rows + i : NULL;
}

vvStatus vv_def_number(double x, double min, double max, bool open_min, const char *what, const char *unit,
                       vvError *error)
{
    if (isfinite(x) && (open_min ? x > min : x >= min) && x <= max)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT, "%s is %g; it must be %s %g and at most %g%s%s", what, x,
                   open_min ? "greater than" : "at least", min, max, *unit ? " " : "", unit);
}

vvStatus vv_def_check_integrator(vvIntegratorDef *d, vvError *error)
{
    vvStatus status = vv_def_name(&d->scheme, "integrator.scheme", vvSchemeInfo, error);
    if (status == VV_OK)
        status = vv_def_name(&d->policy, "integrator.policy", vvPolicyInfo, error);
    if (status == VV_OK)
        status = vv_settings_check(d->settings, d->settingCount, error);
    if (status == VV_OK)
        status = vv_def_number(d->startFraction, 0, 10, false, "integrator.start_fraction", "", error);
    if (status == VV_OK && d->groundMode == VV_GROUND_GIVEN)
        status = vv_def_number(d->groundEnergy, -1e300, 1e300, false, "integrator.ground_energy", "J", error);
    if (status != VV_OK)
        return status;
    const vv_policy_ops *policy = vv_policy_find(d->policy);
    const vv_scheme row = vv_scheme_made(d->scheme, d->settings, d->settingCount);
    vvError reason;
    if (policy->suits && policy->suits(&row, &reason) != VV_OK)
        return vv_fail(error, VV_ERROR_INPUT, "integrator.policy \"%s\" does not go with scheme \"%s\": %s", d->policy,
                       d->scheme, reason.message);
    if (vv_scheme_check_settings(&row, d->settings, d->settingCount, error) != VV_OK)
        return VV_ERROR_INPUT;
    double values[VV_MOST_VALUES];
    vv_params_values(&policy->params, d->settings, d->settingCount, values);
    if (policy->check && policy->check(values, error) != VV_OK)
        return VV_ERROR_INPUT;
    if (d->decayKeyCount < 0 || (d->decayKeyCount > 0 && !d->decayKeys))
        return vv_fail(error, VV_ERROR_INPUT, "integrator.decay_time: %d keys, but the list is NULL", d->decayKeyCount);
    for (int i = 0; i < d->decayKeyCount; i++) {
        if (isnan(d->decayKeys[i].value) || d->decayKeys[i].value < 0 || !isfinite(d->decayKeys[i].time))
            return vv_fail(error, VV_ERROR_INPUT,
                           "integrator.decay_time: key %d is (%g s, %g s); times must be finite and "
                           "decay times not negative",
                           i, d->decayKeys[i].time, d->decayKeys[i].value);
        if (i > 0 && d->decayKeys[i].time <= d->decayKeys[i - 1].time)
            return vv_fail(error, VV_ERROR_INPUT,
                           "integrator.decay_time: key %d is at %g s, not after the previous one", i,
                           d->decayKeys[i].time);
    }
    return VV_OK;
}

vvStatus vv_def_check_solver(vvSolverDef *d, vvError *error)
{
    vvStatus status = vv_def_name(&d->method, "solver.method", vvSolverInfo, error);
    if (status == VV_OK)
        status = vv_def_name(&d->linear, "solver.linear", vvLinearSolverInfo, error);
    if (status == VV_OK)
        status = vv_def_name(&d->lineSearch, "solver.line_search", vvLineSearchInfo, error);
    if (status == VV_OK)
        status = vv_def_name(&d->hessian, "solver.hessian", hessian_info, error);
    if (status == VV_OK)
        status = vv_def_number(d->tolerance, 0, 1e6, false, "solver.tolerance", "m/s", error);
    if (status == VV_OK)
        status = vv_def_number(d->relativeTolerance, 0, 1, false, "solver.relative_tolerance",
                               "of the world's length a second", error);
    if (status == VV_OK)
        status = vv_def_number(d->gradientTolerance, 0, 1e300, false, "solver.gradient_tolerance", "kg m", error);
    if (status == VV_OK)
        status = vv_def_number(d->forceTolerance, 0, 1e300, false, "solver.force_tolerance", "N", error);
    if (status == VV_OK)
        status = vv_def_number(d->contactTolerance, 0, 1, false, "solver.contact_tolerance", "", error);
    if (status == VV_OK)
        status = vv_def_number(d->velocityTolerance, 0, 1e6, false, "solver.velocity_tolerance", "m/s", error);
    if (status == VV_OK)
        status = vv_def_number(d->maxIterations, 1, 1e6, false, "solver.max_iterations", "", error);
    if (status == VV_OK)
        status = vv_def_number(d->budget, 0, 1e6, false, "solver.budget", "", error);
    if (status == VV_OK && !d->fallback)
        d->fallback = "none";
    if (status == VV_OK)
        status = vv_def_name(&d->fallback, "solver.fallback", vvSolverFallbackInfo, error);
    if (status == VV_OK && !d->acceleration)
        d->acceleration = "none";
    if (status == VV_OK)
        status = vv_def_name(&d->acceleration, "solver.acceleration", vvAccelerationInfo, error);
    if (status == VV_OK)
        status = vv_def_number(d->linearTolerance, 0, 0.9, true, "solver.linear_tolerance", "", error);
    return status;
}

vvStatus vv_def_check_contact(vvContactDef *d, vvError *error)
{
    vvStatus status = vv_def_name(&d->model, "contact.model", contact_model_info, error);
    if (status == VV_OK)
        status = vv_def_number(d->distance, 0, 1e6, false, "contact.distance", "m", error);
    if (status == VV_OK)
        status = vv_def_number(d->relativeDistance, 0, 1, false, "contact.relative_distance", "of the world's length",
                               error);
    if (status == VV_OK)
        status = vv_def_number(d->stiffness, 0, 1e15, false, "contact.stiffness", "Pa", error);
    if (status == VV_OK)
        status = vv_def_number(d->friction, 0, 100, false, "contact.friction", "", error);
    if (status == VV_OK)
        status = vv_def_number(d->frictionSpeed, 0, 1e6, false, "contact.friction_speed", "m/s", error);
    if (status == VV_OK)
        status = vv_def_number(d->relativeFrictionSpeed, 0, 1, false, "contact.relative_friction_speed",
                               "of the world's length a second", error);
    if (status == VV_OK)
        status = vv_def_number(d->frictionIterations, VV_FRICTION_CONVERGED, 1000, false, "contact.friction_iterations",
                               "", error);
    if (status == VV_OK)
        status = vv_def_number(d->frictionTolerance, 0, 1, true, "contact.friction_tolerance", "", error);
    if (status == VV_OK && !d->springs.form)
        d->springs.form = vv_repulsion_form_at(0)->info.name;
    if (status == VV_OK)
        status = vv_def_name(&d->springs.form, "contact.springs.form", vv_repulsion_form_info, error);
    if (status == VV_OK)
        status = vv_def_number(d->springs.stiffness, 0, 1e18, false, "contact.springs.stiffness", "", error);
    if (status == VV_OK && !d->constraint.when)
        d->constraint.when = vv_constraint_when(0)->name;
    if (status == VV_OK)
        status = vv_def_name(&d->constraint.when, "contact.constraint.when", vv_constraint_when, error);
    if (status == VV_OK)
        status = vv_def_number(d->penalty.stiffness, 0, 1e18, true, "contact.penalty.stiffness", "", error);
    if (status == VV_OK)
        status = vv_def_number(d->penalty.between, 0, 1e18, false, "contact.penalty.between", "", error);
    return status;
}
