/* What setters change, in words: the keys of scene files, as `visviva run --resume --set` would give them. The last
 * ones are kept, for run files and logs. */
#include "visviva/settings.h"
#include "base/error.h"
#include "base/text.h"
#include "world/settings.h"

#include <stdio.h>
#include <string.h>

uint32_t vvWorldSettingsRevision(const vvWorld *w) { return vv_world_readable(w) ? w->settings_revision : 0; }

bool vvWorldSettingChange(const vvWorld *w, uint32_t revision, vvSettingChange *change)
{
    if (change)
        *change = (vvSettingChange){ .text = "" };
    uint32_t now = vvWorldSettingsRevision(w);
    if (!change || revision == 0 || revision > now || now - revision >= VV_SETTING_NOTES)
        return false;
    const vv_setting_note *n = w->notes + revision % VV_SETTING_NOTES;
    *change = (vvSettingChange){ revision, n->step, n->text };
    return true;
}

/* ---- writing ---- */

typedef struct words {
    char text[VV_SETTING_WORDS];
    size_t used;
} words;

/* What no longer fits is left out, and shown to be. */
__attribute__((format(printf, 2, 3))) static void add(words *t, const char *format, ...)
{
    char one[VV_SETTING_WORDS];
    va_list list;
    va_start(list, format);
    vv_print_list(one, sizeof one, format, list);
    va_end(list);
    size_t room = sizeof t->text - t->used, length = strlen(one) + (t->used ? 2 : 0);
    static const char more[] = ", ...";
    if (length + sizeof more < room)
        t->used += (size_t)snprintf(t->text + t->used, room, "%s%s", t->used ? ", " : "", one);
    else if (room >= sizeof more && (t->used < 3 || strcmp(t->text + t->used - 3, "...") != 0))
        t->used += (size_t)snprintf(t->text + t->used, room, "%s", t->used ? more : more + 2);
}

static void number(words *t, const char *key, double before, double now)
{
    if (before != now)
        add(t, "%s=%.6g", key, now);
}

static void name(words *t, const char *key, const char *before, const char *now)
{
    if (strcmp(before, now) != 0)
        add(t, "%s=%s", key, now);
}

static void flag(words *t, const char *key, bool before, bool now)
{
    if (before != now)
        add(t, "%s=%s", key, now ? "true" : "false");
}

static void note(vvWorld *w, const words *t)
{
    vv_setting_note *n = w->notes + ++w->settings_revision % VV_SETTING_NOTES;
    n->step = w->state.clock.step;
    memcpy(n->text, t->text, sizeof n->text);
}

void vv_world_note_setting(vvWorld *w, const char *format, ...)
{
    words t = { .used = 0 };
    va_list list;
    va_start(list, format);
    vv_print_list(t.text, sizeof t.text, format, list);
    va_end(list);
    note(w, &t);
}

/* ---- what differs ---- */

static const vvSetting *find(const vvIntegratorDef *d, const char *parameter)
{
    for (int i = 0; i < d->settingCount; i++)
        if (strcmp(d->settings[i].name, parameter) == 0)
            return d->settings + i;
    return NULL;
}

static void integrator(words *t, const vvIntegratorDef *a, const vvIntegratorDef *b)
{
    name(t, "integrator.scheme", a->scheme, b->scheme);
    name(t, "integrator.policy", a->policy, b->policy);
    for (int i = 0; i < b->settingCount; i++) {
        const vvSetting *now = b->settings + i, *before = find(a, now->name);
        if (!before || memcmp(before->value, now->value, sizeof now->value) == 0)
            continue;
        if (now->choice)
            add(t, "integrator.%s=%s", now->name, now->choice);
        else
            add(t, "integrator.%s=%.6g", now->name, now->value[0]);
    }
    bool decay = a->decayKeyCount != b->decayKeyCount;
    for (int i = 0; !decay && i < b->decayKeyCount; i++)
        decay = a->decayKeys[i].time != b->decayKeys[i].time || a->decayKeys[i].value != b->decayKeys[i].value;
    if (decay && b->decayKeyCount == 0)
        add(t, "integrator.decay_time=null");
    else if (decay)
        add(t, "integrator.decay_time=%.6g%s", b->decayKeys[0].value, b->decayKeyCount > 1 ? " ..." : "");
    number(t, "integrator.start_fraction", a->startFraction, b->startFraction);
    if (b->groundMode == VV_GROUND_GIVEN)
        number(t, "integrator.ground_energy", a->groundMode == VV_GROUND_GIVEN ? a->groundEnergy : NAN,
               b->groundEnergy);
    else if (a->groundMode != b->groundMode)
        add(t, "integrator.ground_energy=%s", b->groundMode == VV_GROUND_NONE ? "none" : "auto");
}

static void solver(words *t, const vvSolverDef *a, const vvSolverDef *b)
{
    name(t, "solver.method", a->method, b->method);
    name(t, "solver.linear", a->linear, b->linear);
    name(t, "solver.hessian", a->hessian, b->hessian);
    name(t, "solver.line_search", a->lineSearch, b->lineSearch);
    number(t, "solver.tolerance", a->tolerance, b->tolerance);
    number(t, "solver.gradient_tolerance", a->gradientTolerance, b->gradientTolerance);
    number(t, "solver.force_tolerance", a->forceTolerance, b->forceTolerance);
    number(t, "solver.contact_tolerance", a->contactTolerance, b->contactTolerance);
    number(t, "solver.velocity_tolerance", a->velocityTolerance, b->velocityTolerance);
    number(t, "solver.max_iterations", a->maxIterations, b->maxIterations);
    number(t, "solver.budget", a->budget, b->budget);
    name(t, "solver.fallback", a->fallback, b->fallback);
    name(t, "solver.acceleration", a->acceleration, b->acceleration);
    number(t, "solver.linear_tolerance", a->linearTolerance, b->linearTolerance);
}

static void contact(words *t, const vvContactDef *a, const vvContactDef *b)
{
    name(t, "contact.model", a->model, b->model);
    number(t, "contact.distance", a->distance, b->distance);
    number(t, "contact.stiffness", a->stiffness, b->stiffness);
    number(t, "contact.friction", a->friction, b->friction);
    number(t, "contact.friction_speed", a->frictionSpeed, b->frictionSpeed);
    number(t, "contact.friction_iterations", a->frictionIterations, b->frictionIterations);
    number(t, "contact.friction_tolerance", a->frictionTolerance, b->frictionTolerance);
    flag(t, "contact.self", a->self, b->self);
    flag(t, "contact.convergent", a->convergent, b->convergent);
    flag(t, "contact.adapt_stiffness", a->adaptStiffness, b->adaptStiffness);
    name(t, "contact.springs.form", a->springs.form, b->springs.form);
    number(t, "contact.springs.stiffness", a->springs.stiffness, b->springs.stiffness);
    flag(t, "contact.springs.per_vertex", a->springs.perVertex, b->springs.perVertex);
    number(t, "contact.penalty.stiffness", a->penalty.stiffness, b->penalty.stiffness);
    number(t, "contact.penalty.between", a->penalty.between, b->penalty.between);
    flag(t, "contact.penalty.per_vertex", a->penalty.perVertex, b->penalty.perVertex);
    name(t, "contact.constraint.when", a->constraint.when, b->constraint.when);
}

void vv_world_note_def(vvWorld *w, const vvWorldDef *before, const vvWorldDef *now)
{
    words t = { .used = 0 };
    const double *g = now->gravity;
    if (memcmp(before->gravity, g, sizeof before->gravity) != 0)
        add(&t, "gravity=[%.6g, %.6g, %.6g]", g[0], g[1], g[2]);
    number(&t, "time.step", before->timeStep, now->timeStep);
    integrator(&t, &before->integrator, &now->integrator);
    solver(&t, &before->solver, &now->solver);
    contact(&t, &before->contact, &now->contact);
    if (t.used == 0)
        add(&t, "settings");
    note(w, &t);
}

void vv_world_note_material(vvWorld *w, const char *body, const vvMaterialDef *a, const vvMaterialDef *b)
{
    words t = { .used = 0 };
    name(&t, "model", a->model, b->model);
    if (a->lame || b->lame) {
        number(&t, "mu", a->mu, b->mu);
        number(&t, "lambda", a->lambda, b->lambda);
    }
    number(&t, "young", a->young, b->young);
    number(&t, "poisson", a->poisson, b->poisson);
    number(&t, "density", a->density, b->density);
    number(&t, "mass", a->totalMass, b->totalMass);
    number(&t, "stiffness", a->springStiffness, b->springStiffness);
    number(&t, "bend_stiffness", a->bendStiffness, b->bendStiffness);
    number(&t, "thickness", a->thickness, b->thickness);
    number(&t, "strain_limit", a->strainLimit, b->strainLimit);
    number(&t, "prestrain", a->prestrain, b->prestrain);
    number(&t, "flat", a->flat, b->flat);
    number(&t, "rest_twist", a->restTwist, b->restTwist);
    number(&t, "damping.drag", a->damping.drag, b->damping.drag);
    number(&t, "damping.rayleigh", a->damping.rayleigh, b->damping.rayleigh);
    number(&t, "damping.momentum_rate", a->damping.momentumRate, b->damping.momentumRate);
    number(&t, "damping.momentum_per_step", a->damping.momentumPerStep, b->damping.momentumPerStep);
    words whole = { .used = 0 };
    add(&whole, "%.60s: %s", body, t.used ? t.text : "material");
    note(w, &whole);
}
