/* Other methods while the world runs: scheme, policy, solver, step and budget, and the start with the settings of
 * now. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/live_own.h"

static const double LEAST_STEP = 1e-5, MOST_STEP = 0.5; /* s */
static const double FIRST_BUDGET = 32;                  /* of a solver that had none, before it is scaled */

/* What can be switched is set from a copy of the world's definition. Its names are the library's own and stay; lists of
 * the scheme's and policy's parameters go with the world's next setting. */
static vvStatus use(vvWorld *world, const vvWorldDef *to, vvError *error)
{
    vvIntegratorDef integrator = vvWorldGetDef(world)->integrator;
    integrator.scheme = to->integrator.scheme;
    integrator.policy = to->integrator.policy;
    vvStatus status = vvWorldSetIntegrator(world, &integrator, error);
    if (status == VV_OK)
        status = vvWorldSetSolver(world, &to->solver, error);
    if (status == VV_OK)
        status = vvWorldSetTimeStep(world, to->timeStep, error);
    return status == VV_OK ? vvWorldBake(world, error) : status;
}

/* On failure what was before, and the message of what failed. */
static vvStatus try(vvWorld *world, const vvWorldDef *to, vvError *error)
{
    const vvWorldDef before = *vvWorldGetDef(world);
    const vvStatus status = use(world, to, error);
    if (status != VV_OK) {
        vvError worse;
        if (use(world, &before, &worse) != VV_OK)
            *error = worse;
    }
    return status;
}

static const vvInfo *entry(vv_live_choice which, int index)
{
    return which == VV_LIVE_SCHEME   ? vvSchemeInfo(index)
           : which == VV_LIVE_POLICY ? vvPolicyInfo(index)
                                     : vvSolverInfo(index);
}

static const char **word_of(vvWorldDef *def, vv_live_choice which)
{
    return which == VV_LIVE_SCHEME   ? &def->integrator.scheme
           : which == VV_LIVE_POLICY ? &def->integrator.policy
                                     : &def->solver.method;
}

/* Where the word stands in its list, and how long that is. */
static int find(vv_live_choice which, const char *word, int *count)
{
    int at = 0;
    *count = 0;
    for (const vvInfo *row; (row = entry(which, *count)); ++*count)
        if (strcmp(row->name, word) == 0)
            at = *count;
    return at;
}

/* Not every policy goes with every scheme, nor every solver with every world: what is refused is passed over. */
vvStatus vv_switch_choose(vvWorld *world, vv_live_choice which, int by, char note[VV_LIVE_TEXT], vvError *error)
{
    vvWorldDef now = *vvWorldGetDef(world);
    int count, at = find(which, *word_of(&now, which), &count);
    note[0] = 0;
    for (int i = 1; i < count; i++) {
        const char *name = entry(which, ((at + i * by) % count + count) % count)->name;
        vvWorldDef tried = now;
        *word_of(&tried, which) = name;
        if (try(world, &tried, error) == VV_OK)
            return VV_OK;
        snprintf(note, VV_LIVE_TEXT, "%.30s passed over: %.1000s", name, error->message);
        if (which == VV_LIVE_SCHEME) { /* perhaps it is the policy that does not go with it */
            tried.integrator.policy = "none";
            if (try(world, &tried, error) == VV_OK) {
                snprintf(note, VV_LIVE_TEXT, "policy none: %.30s does not go with %.30s", now.integrator.policy, name);
                return VV_OK;
            }
        }
    }
    note[0] = 0;
    return error->status;
}

vvStatus vv_switch_scale_step(vvWorld *world, double factor, char note[VV_LIVE_TEXT], vvError *error)
{
    vvWorldDef to = *vvWorldGetDef(world);
    to.timeStep *= factor;
    if (factor < 1 ? to.timeStep < LEAST_STEP : to.timeStep > MOST_STEP) { /* from outside it may come nearer */
        snprintf(note, VV_LIVE_TEXT, "the step stays: from %g to %g ms are allowed here", 1e3 * LEAST_STEP,
                 1e3 * MOST_STEP);
        return VV_OK;
    }
    return try(world, &to, error);
}

int vv_switch_budget(const vvWorld *world)
{
    const vvSolverDef *solver = &vvWorldGetDef(world)->solver;
    return solver->budget > 0 ? solver->budget : vvSolverBudget(solver->method);
}

vvStatus vv_switch_scale_budget(vvWorld *world, double factor, char note[VV_LIVE_TEXT], vvError *error)
{
    vvWorldDef to = *vvWorldGetDef(world);
    const int old = vv_switch_budget(world);
    const double next = round((old > 0 ? old : FIRST_BUDGET) * factor);
    if (old == 0 && factor > 1) {
        snprintf(note, VV_LIVE_TEXT, "no budget: %s runs until it converges", to.solver.method);
        return VV_OK;
    }
    if (next > INT_MAX / 2)
        return VV_OK;
    to.solver.budget = next < 1 ? 1 : (int)next;
    return try(world, &to, error);
}

vvStatus vv_switch_restart(vvWorld *world, const vvSnapshot *start, bool *back, vvError *error)
{
    const vvWorldDef to = *vvWorldGetDef(world);
    const vvStatus status = vvWorldRestore(world, start, error);
    *back = status == VV_OK;
    return *back ? try(world, &to, error) : status;
}
