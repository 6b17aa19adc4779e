/* The figures of a run as JSON: energies by part, what was lost, how far off the target, what it cost, and each
 * body's apexes and turns. */
#include "study/study.h"

#include <math.h>

static const double two_pi = 6.28318530717958647692;

/* JSON has no infinities: what does not exist is null. */
static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static double size3(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static json_t *vector(const double v[3])
{
    json_t *list = json_array();
    for (int k = 0; k < 3; k++)
        json_array_append_new(list, number(v[k]));
    return list;
}

static json_t *visible_json(const vvVisible *v, double factor)
{
    json_t *object = json_object();
    json_object_set_new(object, "total", number(factor * v->total));
    json_object_set_new(object, "centre", number(factor * v->centre));
    json_object_set_new(object, "rotation", number(factor * v->rotation));
    json_object_set_new(object, "deformation", number(factor * v->deformation));
    return object;
}

/* `seen`: a frame lies before, over which motion is visible. */
static json_t *energies_json(const vv_study_energies *e, bool seen)
{
    json_t *object = json_object();
    json_object_set_new(object, "kinetic", number(e->kinetic));
    if (seen)
        json_object_set_new(object, "visible", visible_json(&e->visible, 1));
    json_object_set_new(object, "elastic", number(e->elastic));
    json_object_set_new(object, "contact", number(e->contact));
    json_object_set_new(object, "gravity", number(e->gravity));
    json_object_set_new(object, "attachment", number(e->attachment));
    json_object_set_new(object, "joint", number(e->joint));
    json_object_set_new(object, "total", number(e->total));
    json_object_set_new(object, "target", number(e->target));
    return object;
}

static vv_study_energies mean_of_half(const vv_study_path *path)
{
    vv_study_energies m = { 0 };
    int n = path->halfCount;
    for (int i = path->count - n; i < path->count; i++) {
        const vv_study_energies *e = &path->energies[i];
        m.kinetic += e->kinetic / n;
        m.elastic += e->elastic / n;
        m.contact += e->contact / n;
        m.gravity += e->gravity / n;
        m.attachment += e->attachment / n;
        m.joint += e->joint / n;
        m.total += e->total / n;
        m.target += e->target / n;
        m.visible.total += e->visible.total / n;
        m.visible.centre += e->visible.centre / n;
        m.visible.rotation += e->visible.rotation / n;
        m.visible.deformation += e->visible.deformation / n;
    }
    return m;
}

static json_t *energy_json(const vv_study_path *path)
{
    json_t *object = json_object();
    json_object_set_new(object, "start", energies_json(&path->energies[0], false));
    if (path->halfCount > 0) {
        vv_study_energies mean = mean_of_half(path);
        json_object_set_new(object, "second_half", energies_json(&mean, true));
    }
    if (path->count > 1)
        json_object_set_new(object, "end", energies_json(&path->energies[path->count - 1], true));
    return object;
}

static json_t *ledger_json(const vvLedgerTotals *totals, const vvLedgerRow *last, const vv_study_count *count)
{
    json_t *object = json_object();
    json_object_set_new(object, "scale", number(last->scale));
    json_object_set_new(object, "ground", number(last->groundEnergy));
    json_object_set_new(object, "work", number(totals->work));
    json_object_set_new(object, "friction", number(totals->friction));
    json_object_set_new(object, "damping", number(totals->damping));
    json_object_set_new(object, "decay", number(totals->decay));
    json_object_set_new(object, "error", number(totals->error));
    json_object_set_new(object, "mean_target_distance", number(count->distance / (double)totals->steps));
    json_object_set_new(object, "mean_target_error", number(totals->meanTargetError));
    json_object_set_new(object, "max_target_error", number(totals->maxTargetError));
    return object;
}

static json_t *cost_json(const vv_study_path *path, const vvLedgerTotals *totals, const vv_study_count *count)
{
    json_t *object = json_object();
    double steps = (double)totals->steps, frames = path->count - 1;
    json_object_set_new(object, "steps", json_integer(totals->steps));
    json_object_set_new(object, "divided_steps", json_integer(totals->dividedSteps));
    json_object_set_new(object, "failed_steps", json_integer(totals->failedSteps));
    json_object_set_new(object, "unconverged_steps", json_integer(count->unconverged));
    json_object_set_new(object, "newton_per_step", number((double)totals->newtonIterations / steps));
    json_object_set_new(object, "newton_per_frame", number((double)totals->newtonIterations / frames));
    json_object_set_new(object, "newton_iterations", json_integer(totals->newtonIterations));
    json_object_set_new(object, "linear_solves", json_integer(totals->linearSolves));
    json_object_set_new(object, "pcg_iterations", json_integer(totals->pcgIterations));
    json_object_set_new(object, "line_search_steps", json_integer(totals->lineSearchSteps));
    json_object_set_new(object, "wall", number(count->wall));
    json_object_set_new(object, "processor", number(count->processor));
    return object;
}

static json_t *momentum_json(const vvLedgerRow *first, const vvLedgerRow *last)
{
    json_t *object = json_object();
    json_object_set_new(object, "linear_start", vector(first->momentum));
    json_object_set_new(object, "linear_end", vector(last->momentum));
    json_object_set_new(object, "linear_end_size", number(size3(last->momentum)));
    json_object_set_new(object, "angular_start", vector(first->angularMomentumCentre));
    json_object_set_new(object, "angular_end", vector(last->angularMomentumCentre));
    json_object_set_new(object, "angular_end_size", number(size3(last->angularMomentumCentre)));
    return object;
}

/* ---- bodies ---- */

/* Restitution of each apex: its height over the lowest in the run, as a part of that of the apex before. null where
 * there is none before or it is hardly higher than the lowest. */
static json_t *restitution_json(const vv_study_apex *apexes, int count, double before, double low, double high)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_array_append_new(
            list, number(before - low > 0.05 * (high - low) ? (apexes[i].height - low) / (before - low) : NAN));
        before = apexes[i].height;
    }
    return list;
}

static void add_apexes(json_t *object, const vv_study_path *path, const vv_study_body_path *body, double gravity)
{
    vv_study_apex apexes[VV_STUDY_APEXES];
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < path->count; i++) {
        low = fmin(low, body->heights[i]);
        high = fmax(high, body->heights[i]);
    }
    /* how far a height must rise and fall to be an apex: noise at rest is none */
    double least = fmax(1e-3 * (high - low), 1e-4 * body->size);
    bool dropped = 0.5 * body->speedUp * body->speedUp < gravity * least; /* the start is the apex before the first */
    int count =
        gravity > 0 ? vv_study_find_apexes(body->heights, path->count, path->begin, path->frame, least, apexes) : 0;
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:f, s:f}", "time", apexes[i].time, "height", apexes[i].height));
    json_object_set_new(object, "apexes", list);
    json_object_set_new(object, "climb", number(high - low));
    json_object_set_new(object, "restitution",
                        restitution_json(apexes, count, dropped ? body->heights[0] : low, low, high));
}

static json_t *body_json(const vv_study_path *path, const vv_study_body_path *body, double gravity)
{
    json_t *object = json_object(), *visible = json_object();
    json_object_set_new(object, "name", json_string(body->name));
    add_apexes(object, path, body, gravity);
    json_object_set_new(object, "turns", number(body->angle / two_pi));
    json_object_set_new(object, "centre_end", vector(body->centre));
    if (path->halfCount > 0)
        json_object_set_new(visible, "second_half", visible_json(&body->half, 1.0 / path->halfCount));
    json_object_set_new(visible, "end", visible_json(&body->visible, 1));
    json_object_set_new(object, "visible", visible);
    return object;
}

static json_t *bodies_json(const vv_study_path *path, const vvWorld *world)
{
    const double *g = vvWorldGetDef(world)->gravity;
    json_t *list = json_array();
    for (int b = 0; b < path->bodyCount; b++)
        if (!path->bodies[b].kinematic)
            json_array_append_new(list, body_json(path, &path->bodies[b], size3(g)));
    return list;
}

json_t *vv_study_figures(const vv_study_path *path, vvWorld *world, const vv_study_count *count, const char *status)
{
    vvLedgerTotals totals;
    vvLedgerRow last;
    vvError ignored;
    const vvWorldDef *def = vvWorldGetDef(world);
    if (vvWorldLedger(world, &last, &ignored))
        return NULL;
    vvWorldTotals(world, &totals);
    json_t *object = json_object();
    json_object_set_new(object, "status", json_string(status));
    json_object_set_new(object, "scheme", json_string(def->integrator.scheme));
    json_object_set_new(object, "policy", json_string(def->integrator.policy));
    json_object_set_new(object, "time_step", number(def->timeStep));
    json_object_set_new(object, "frame", number(path->frame));
    json_object_set_new(object, "time_end", number(vvWorldTime(world)));
    json_object_set_new(object, "energy", energy_json(path));
    json_object_set_new(object, "ledger", ledger_json(&totals, &last, count));
    json_object_set_new(object, "momentum", momentum_json(&totals.first, &last));
    json_object_set_new(object, "min_gap", number(totals.minGap));
    json_object_set_new(object, "min_J", number(totals.minJ));
    json_object_set_new(object, "cost", cost_json(path, &totals, count));
    json_object_set_new(object, "bodies", bodies_json(path, world));
    return object;
}

json_t *vv_study_samples(const vv_study_path *path)
{
    json_t *list = json_array();
    for (int i = 0; i < path->count; i++) {
        const vvVisible *v = &path->energies[i].visible;
        json_array_append_new(list, json_pack("[f, f, f, f]", v->total, v->centre, v->rotation, v->deformation));
    }
    return list;
}
