/* What a scene is like after many steps: long_run SCENE STEPS [KEY=VALUE ...] takes that many, whatever the scene's
 * own end is, and prints one JSON object: whether all stayed finite, how far H was off its target, depths against
 * their bound (docs/contact.md), the fastest node, the residual. experiments/real-time/long.py runs it on every scene
 * with a fixed budget. */
#include "visviva/scene.h"
#include "world/world.h"

#include "contact/springs/repulsion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct measured {
    long steps, over; /* over: steps that end more than a hundredth of S off */
    double off, depth, speed, residual, later_residual, nearest;
} measured;

static double fastest(const vvWorld *w)
{
    const double *v = vvWorldVelocities(w);
    double most = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        most = fmax(most, sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]));
    return isfinite(most) ? most : INFINITY;
}

static int all_finite(const vvWorld *w)
{
    double sum = 0;
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
        sum += vvWorldPositions(w)[i] + vvWorldVelocities(w)[i];
    return isfinite(sum);
}

/* v sqrt(m/k) + v h + 2 m g/k, with the heaviest body's mass and the k of one vertex, the least (theory §5.12); NaN:
 * no springs. */
static double bound_of_depth(const vvWorld *w, double speed)
{
    const vv_energy *e = w->contact ? w->contact->repulsion : NULL;
    const vvWorldDef *d = vvWorldGetDef(w);
    if (!e)
        return NAN;
    const vv_repulsion *r = (const vv_repulsion *)e;
    double k = INFINITY, mass = 0, g = 0;
    for (int v = 0; v < r->def.contact->vertices->count; v++)
        k = fmin(k, r->def.stiffness * (r->def.per_vertex ? 1 : r->def.contact->vertices->area[v]));
    for (int b = 0; b < vvWorldBodyCount(w); b++) {
        double sum = 0;
        for (int i = 0; i < vvWorldNodeCount(w); i++)
            sum += w->body_of[i] == b ? vvWorldMasses(w)[i] : 0;
        mass = fmax(mass, isfinite(sum) ? sum : 0);
    }
    for (int c = 0; c < 3; c++)
        g += d->gravity[c] * d->gravity[c];
    const double stays = r->def.form->projects ? 0 : speed * sqrt(mass / k) + 2 * mass * sqrt(g) / k;
    return stays + speed * d->timeStep;
}

static void number(const char *name, double x) /* JSON has no infinity */
{
    printf(isfinite(x) ? ", \"%s\": %.6g" : ", \"%s\": null", name, x);
}

int main(int argc, char **argv)
{
    vvError error = { 0 };
    vvScene *scene = NULL;
    vvWorld *w = NULL;
    if (argc < 3 || atol(argv[2]) < 1)
        return fprintf(stderr, "usage: long_run SCENE STEPS [KEY=VALUE ...]\n"), 2;
    if (vvSceneLoad(argv[1], (const char *const *)argv + 3, argc - 3, &scene, &error) != VV_OK ||
        vvSceneCreateWorld(scene, 1, &w, &error) != VV_OK || vvWorldBake(w, &error) != VV_OK)
        return fprintf(stderr, "%s\n", error.message), 2;
    const long wanted = atol(argv[2]);
    measured m = { .nearest = INFINITY };
    vvLedgerRow row = { 0 };
    vvStatus status = VV_OK;
    int finite = 1;
    for (m.steps = 0; m.steps < wanted && finite; m.steps++) {
        vvStepReport report;
        m.speed = fmax(m.speed, fastest(w));
        status = vvWorldStep(w, &report, &error);
        if (status != VV_OK)
            break;
        status = vvWorldLedger(w, &row, &error);
        finite = all_finite(w) && isfinite(row.total);
        const double off = row.scale > 0 ? fabs(row.total - row.target) / row.scale : 0;
        m.off = fmax(m.off, off);
        m.over += off > 0.01 * (1 + 1e-9);
        m.depth = fmax(m.depth, -row.minGap);
        m.nearest = fmin(m.nearest, row.minGap);
        m.residual = fmax(m.residual, report.residual);
        if (2 * m.steps >= wanted)
            m.later_residual = fmax(m.later_residual, report.residual);
    }
    m.speed = fmax(m.speed, fastest(w));
    printf("{\"wanted\": %ld, \"steps\": %ld, \"finite\": %s, \"above_epsilon\": %ld", wanted, m.steps,
           finite ? "true" : "false", m.over);
    number("off", m.off), number("depth", m.depth), number("bound", bound_of_depth(w, m.speed)),
        number("nearest", m.nearest);
    number("speed", m.speed), number("residual", m.residual), number("later_residual", m.later_residual),
        number("scale", row.scale);
    printf(", \"springs\": %s, \"failed\": %s%s%s}\n", w->contact && w->contact->repulsion ? "true" : "false",
           status != VV_OK ? "\"" : "", status != VV_OK ? vvStatusName(status) : "null", status != VV_OK ? "\"" : "");
    if (status != VV_OK)
        fprintf(stderr, "step %ld: %s\n", m.steps + 1, error.message);
    vvWorldDestroy(w);
    vvSceneDestroy(scene);
    return status == VV_OK && finite ? 0 : 1;
}
