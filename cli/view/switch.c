/* Other methods while the world runs: scheme, policy, solver, step and budget, and the start with the settings of
 * now. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/live_own.h"

static const double LEAST_STEP = 1e-5, MOST_STEP = 0.5; /* s */
static const double FIRST_BUDGET = 32;                  /* of a solver that had none, before it is scaled */

/* What can be switched, in memory of its own: the world's words go with its next setting. All else of the scene's
 * integrator and solver stays as it is. */
typedef struct settings {
    char word[VV_LIVE_CHOICES][VV_LIVE_WORD];
    char fallback[VV_LIVE_WORD], acceleration[VV_LIVE_WORD];
    int budget;
    double step;
} settings;

static void keep(const vvWorld *world, settings *s)
{
    const vvWorldDef *def = vvWorldGetDef(world);
    const char *const words[VV_LIVE_CHOICES] = { def->integrator.scheme, def->integrator.policy, def->solver.method };
    for (int i = 0; i < VV_LIVE_CHOICES; i++)
        snprintf(s->word[i], VV_LIVE_WORD, "%s", words[i]);
    snprintf(s->fallback, VV_LIVE_WORD, "%s", def->solver.fallback ? def->solver.fallback : "none");
    snprintf(s->acceleration, VV_LIVE_WORD, "%s", def->solver.acceleration ? def->solver.acceleration : "none");
    s->budget = def->solver.budget;
    s->step = def->timeStep;
}

static vvStatus use(vvWorld *world, const settings *s, vvError *error)
{
    vvWorldDef def = *vvWorldGetDef(world);
    def.integrator.scheme = s->word[VV_LIVE_SCHEME];
    def.integrator.policy = s->word[VV_LIVE_POLICY];
    vvStatus status = vvWorldSetIntegrator(world, &def.integrator, error);
    def = *vvWorldGetDef(world);
    def.solver.method = s->word[VV_LIVE_SOLVER];
    def.solver.fallback = s->fallback;
    def.solver.acceleration = s->acceleration;
    def.solver.budget = s->budget;
    if (status == VV_OK)
        status = vvWorldSetSolver(world, &def.solver, error);
    if (status == VV_OK)
        status = vvWorldSetTimeStep(world, s->step, error);
    return status == VV_OK ? vvWorldBake(world, error) : status;
}

/* On failure what was before, and the message of what failed. */
static vvStatus try(vvWorld *world, const settings *s, vvError *error)
{
    settings before;
    keep(world, &before);
    const vvStatus status = use(world, s, error);
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
    settings now, tried;
    int count, at;
    keep(world, &now);
    at = find(which, now.word[which], &count);
    note[0] = 0;
    for (int i = 1; i < count; i++) {
        const char *name = entry(which, ((at + i * by) % count + count) % count)->name;
        tried = now;
        snprintf(tried.word[which], VV_LIVE_WORD, "%s", name);
        if (try(world, &tried, error) == VV_OK)
            return VV_OK;
        snprintf(note, VV_LIVE_TEXT, "%.30s passed over: %.1000s", name, error->message);
        if (which == VV_LIVE_SCHEME) { /* perhaps it is the policy that does not go with it */
            snprintf(tried.word[VV_LIVE_POLICY], VV_LIVE_WORD, "none");
            if (try(world, &tried, error) == VV_OK) {
                snprintf(note, VV_LIVE_TEXT, "policy none: %.30s does not go with %.30s", now.word[VV_LIVE_POLICY],
                         name);
                return VV_OK;
            }
        }
    }
    note[0] = 0;
    return error->status;
}

vvStatus vv_switch_scale_step(vvWorld *world, double factor, char note[VV_LIVE_TEXT], vvError *error)
{
    settings s;
    keep(world, &s);
    s.step *= factor;
    if (factor < 1 ? s.step < LEAST_STEP : s.step > MOST_STEP) { /* from outside it may come nearer */
        snprintf(note, VV_LIVE_TEXT, "the step stays: from %g to %g ms are allowed here", 1e3 * LEAST_STEP,
                 1e3 * MOST_STEP);
        return VV_OK;
    }
    return try(world, &s, error);
}

int vv_switch_budget(const vvWorld *world)
{
    const vvSolverDef *solver = &vvWorldGetDef(world)->solver;
    return solver->budget > 0 ? solver->budget : vvSolverBudget(solver->method);
}

vvStatus vv_switch_scale_budget(vvWorld *world, double factor, char note[VV_LIVE_TEXT], vvError *error)
{
    settings s;
    keep(world, &s);
    const int old = vv_switch_budget(world);
    const double next = round((old > 0 ? old : FIRST_BUDGET) * factor);
    if (old == 0 && factor > 1) {
        snprintf(note, VV_LIVE_TEXT, "no budget: %s goes on until it converges", s.word[VV_LIVE_SOLVER]);
        return VV_OK;
    }
    if (next > INT_MAX / 2)
        return VV_OK;
    s.budget = next < 1 ? 1 : (int)next;
    return try(world, &s, error);
}

vvStatus vv_switch_restart(vvWorld *world, const vvSnapshot *start, bool *back, vvError *error)
{
    settings s;
    keep(world, &s);
    const vvStatus status = vvWorldRestore(world, start, error);
    *back = status == VV_OK;
    return *back ? try(world, &s, error) : status;
}
