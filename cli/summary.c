/* The end of a run in two forms: JSON for programs (--summary FILE; docs/json.md names the keys), and a table of
 * where every joule went for people. */
#include "json.h"

#include <errno.h>
#include <string.h>

vv_run_bounds vv_cli_bounds(const vvWorld *world)
{
    const double *x = vvWorldPositions(world), *mass = vvWorldMasses(world);
    bool any = false; /* obstacles with a mesh have none, and do not count beside what has */
    for (int i = 0; i < vvWorldNodeCount(world); i++)
        any = any || mass[i] > 0;
    vv_run_bounds bounds = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (int i = 0; i < vvWorldNodeCount(world); i++)
        for (int k = 0; k < 3 && (mass[i] > 0 || !any); k++) {
            bounds.low[k] = fmin(bounds.low[k], x[3 * (size_t)i + k]);
            bounds.high[k] = fmax(bounds.high[k], x[3 * (size_t)i + k]);
        }
    return bounds;
}

/* ---- JSON ---- */

static json_t *corners(const vv_run_bounds *bounds)
{
    json_t *list = json_array();
    json_array_append_new(list, vv_json_vector(bounds->low));
    json_array_append_new(list, vv_json_vector(bounds->high));
    return list;
}

static json_t *visible_parts(double centre, double rotation, double deformation)
{
    json_t *object = json_object();
    json_object_set_new(object, "centre", vv_json_number(centre));
    json_object_set_new(object, "rotation", vv_json_number(rotation));
    json_object_set_new(object, "deformation", vv_json_number(deformation));
    return object;
}

/* At the end and as a mean; the total at the end is among the energies there. */
static void set_visible(json_t *object, json_t *end, const vvLedgerTotals *t, const vvLedgerRow *last)
{
    json_object_set_new(end, "visible_parts",
                        visible_parts(last->visibleCentre, last->visibleRotation, last->visibleDeformation));
    json_object_set_new(object, "visible_mean", vv_json_number(t->meanVisible));
    json_object_set_new(object, "visible_mean_parts",
                        visible_parts(t->meanVisibleCentre, t->meanVisibleRotation, t->meanVisibleDeformation));
}

static json_t *energy(const vvLedgerTotals *totals, const vvLedgerRow *last)
{
    json_t *object = json_object();
    json_object_set_new(object, "start", vv_json_energies(&totals->first));
    json_t *end = vv_json_energies(last);
    json_object_set_new(object, "end", end);
    set_visible(object, end, totals, last);
    json_object_set_new(object, "target_end", vv_json_number(last->target));
    json_object_set_new(object, "ground", vv_json_number(last->groundEnergy));
    json_object_set_new(object, "scale", vv_json_number(last->scale));
    json_object_set_new(object, "max_target_error", vv_json_number(totals->maxTargetError));
    json_object_set_new(object, "mean_target_error", vv_json_number(totals->meanTargetError));
    json_object_set_new(object, "numerical_error",
                        last->scale > 0 ? vv_json_number(totals->error / last->scale) : json_real(0));
    json_object_set_new(object, "work", vv_json_number(totals->work));
    json_object_set_new(object, "friction", vv_json_number(totals->friction));
    json_object_set_new(object, "damping", vv_json_number(totals->damping));
    json_object_set_new(object, "decay", vv_json_number(totals->decay));
    json_object_set_new(object, "springs", vv_json_number(totals->springs));
    json_object_set_new(object, "loads", vv_json_number(totals->loads));
    return object;
}

static json_t *wall(const vv_run_summary *summary)
{
    json_t *object = json_object(), *phases = json_object();
    for (int i = 0; i < VV_PHASE_COUNT; i++)
        json_object_set_new(phases, vvPhaseName((vvPhase)i), vv_json_number(summary->phases[i]));
    json_object_set_new(object, "total", vv_json_number(summary->wall));
    json_object_set_new(object, "phases", phases);
    return object;
}

static json_t *bottleneck(const vvWorld *world)
{
    vvBottleneck b;
    vvWorldBottleneck(world, &b);
    json_t *object = json_object(), *pair = json_array();
    for (int i = 0; i < 2 && *b.pair[0]; i++)
        json_array_append_new(pair, json_string(b.pair[i]));
    json_object_set_new(object, "iterations", json_integer(b.iterations));
    json_object_set_new(object, "body", *b.body ? json_string(b.body) : json_null());
    json_object_set_new(object, "body_iterations", json_integer(b.bodyIterations));
    json_object_set_new(object, "contact_terms", json_integer(b.terms));
    json_object_set_new(object, "pair", pair);
    json_object_set_new(object, "pair_terms", json_integer(b.pairTerms));
    return object;
}

static json_t *momentum(const vvLedgerRow *first, const vvLedgerRow *last)
{
    json_t *object = json_object();
    json_object_set_new(object, "linear_start", vv_json_vector(first->momentum));
    json_object_set_new(object, "linear_end", vv_json_vector(last->momentum));
    json_object_set_new(object, "angular_start", vv_json_vector(first->angularMomentum));
    json_object_set_new(object, "angular_end", vv_json_vector(last->angularMomentum));
    return object;
}

static int inverted_now(const vvWorld *world)
{
    vvInverted now;
    vvWorldInverted(world, &now);
    return now.tets;
}

static json_t *build(vvWorld *world, const vv_run_summary *summary, const vvLedgerTotals *totals,
                     const vvLedgerRow *last)
{
    const vvWorldDef *def = vvWorldGetDef(world);
    json_t *object = json_object();
    json_object_set_new(object, "status", json_string(summary->status));
    json_object_set_new(object, "scene", json_string(summary->scene));
    json_object_set_new(object, "output", summary->output ? json_string(summary->output) : json_null());
    json_object_set_new(object, "scheme", json_string(def->integrator.scheme));
    json_object_set_new(object, "policy", json_string(def->integrator.policy));
    json_object_set_new(object, "time_step", vv_json_number(def->timeStep));
    json_object_set_new(object, "steps", json_integer(totals->steps));
    json_object_set_new(object, "time_end", vv_json_number(vvWorldTime(world)));
    json_object_set_new(object, "threads", json_integer(summary->threads));
    json_object_set_new(object, "wall", wall(summary));
    json_object_set_new(object, "newton_iterations", json_integer(totals->newtonIterations));
    json_object_set_new(object, "linear_solves", json_integer(totals->linearSolves));
    json_object_set_new(object, "pcg_iterations", json_integer(totals->pcgIterations));
    json_object_set_new(object, "line_search_steps", json_integer(totals->lineSearchSteps));
    json_object_set_new(object, "bottleneck", bottleneck(world));
    json_object_set_new(object, "divided_steps", json_integer(totals->dividedSteps));
    json_object_set_new(object, "failed_steps", json_integer(totals->failedSteps));
    json_object_set_new(object, "fallback_steps", json_integer(summary->fallbackSteps));
    json_object_set_new(object, "peak_memory_bytes", json_integer(vv_cli_peak_memory()));
    json_object_set_new(object, "energy", energy(totals, last));
    json_object_set_new(object, "momentum", momentum(&totals->first, last));
    json_object_set_new(object, "astray_steps", json_integer(totals->astraySteps));
    json_object_set_new(object, "astray_body", *totals->astrayBody ? json_string(totals->astrayBody) : json_null());
    json_object_set_new(object, "min_gap", vv_json_number(totals->minGap));
    json_object_set_new(object, "depth", json_real(fmax(0, -totals->minGap)));
    json_object_set_new(object, "min_J", vv_json_number(totals->minJ));
    json_object_set_new(object, "inverted_end", json_integer(inverted_now(world)));
    json_object_set_new(object, "intersections",
                        summary->intersections < 0 ? json_null() : json_integer(summary->intersections));
    json_object_set_new(object, "bounds_start", corners(&summary->boundsStart));
    json_object_set_new(object, "bounds_end", corners(&summary->boundsEnd));
    return object;
}

vvStatus vv_cli_write_summary(const char *path, vvWorld *world, const vv_run_summary *summary, vvError *error)
{
    vvLedgerTotals totals;
    vvLedgerRow last;
    vvStatus status = vvWorldLedger(world, &last, error);
    if (status != VV_OK)
        return status;
    vvWorldTotals(world, &totals);
    json_t *object = build(world, summary, &totals, &last);
    int failed = json_dump_file(object, path, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(object);
    if (!failed)
        return VV_OK;
    error->status = VV_ERROR_IO;
    snprintf(error->message, sizeof error->message, "cannot write the summary %s: %s", path, strerror(errno));
    return VV_ERROR_IO;
}

/* ---- for people ---- */

static void print_energy(FILE *out, const char *name, double start, double end, double scale)
{
    char a[VV_TEXT], b[VV_TEXT], c[VV_TEXT];
    fprintf(out, "  %-18s %12s %12s %12s", name, vv_text_quantity(a, start, "J"), vv_text_quantity(b, end, "J"),
            vv_text_quantity(c, end - start, "J"));
    if (scale > 0)
        fprintf(out, " %9.2f%%", 100 * (end - start) / scale);
    fputc('\n', out);
}

static void print_shown(FILE *out, const char *name, double start, double end, double mean, double scale)
{
    char a[VV_TEXT], b[VV_TEXT], c[VV_TEXT];
    fprintf(out, "  %-18s %12s %12s %12s", name, vv_text_quantity(a, start, "J"), vv_text_quantity(b, end, "J"),
            vv_text_quantity(c, mean, "J"));
    if (scale > 0)
        fprintf(out, " %9.2f%%", 100 * mean / scale);
    fputc('\n', out);
}

/* Kinetic energy is booked from velocities, which a policy may have corrected: this is the energy of the motion that
 * positions show. */
static void print_visible(FILE *out, const vvLedgerTotals *t, const vvLedgerRow *last, double scale)
{
    const vvLedgerRow *first = &t->first;
    fprintf(out, "  kinetic energy of the motion that positions show (above: of the booked velocities)\n");
    fprintf(out, "  %-18s %12s %12s %12s %10s\n", "", "start", "end", "mean", scale > 0 ? "of S" : "");
    print_shown(out, "visible", first->visible, last->visible, t->meanVisible, scale);
    print_shown(out, "  of centres", first->visibleCentre, last->visibleCentre, t->meanVisibleCentre, scale);
    print_shown(out, "  of rotation", first->visibleRotation, last->visibleRotation, t->meanVisibleRotation, scale);
    print_shown(out, "  of deformation", first->visibleDeformation, last->visibleDeformation, t->meanVisibleDeformation,
                scale);
}

static void print_flow(FILE *out, const char *name, double amount, double scale)
{
    char text[VV_TEXT];
    amount += 0.0; /* no "-0" */
    fprintf(out, "  %-18s %38s", name, vv_text_quantity(text, amount, "J"));
    if (scale > 0)
        fprintf(out, " %9.2f%%", 100 * amount / scale);
    fputc('\n', out);
}

static void print_extremes(FILE *out, const vvLedgerTotals *totals, const vvLedgerRow *last)
{
    char text[VV_TEXT];
    fprintf(out, "  off target |H - T|/S: mean %.3g%%, largest %.3g%%", 100 * totals->meanTargetError,
            100 * totals->maxTargetError);
    if (isfinite(last->groundEnergy))
        fprintf(out, "; ground level %s", vv_text_quantity(text, last->groundEnergy, "J"));
    fputc('\n', out);
    if (isfinite(totals->minGap))
        fprintf(out, totals->minGap < 0 ? "  deepest penetration %s" : "  smallest gap %s",
                vv_text_quantity(text, fabs(totals->minGap), "m"));
    if (isfinite(totals->minJ))
        fprintf(out, "%s smallest det F %.3g", isfinite(totals->minGap) ? ";" : " ", totals->minJ);
    if (isfinite(totals->minGap) || isfinite(totals->minJ))
        fputc('\n', out);
}

/* Inverted elements make a result unusable: says which, and what to do. */
static void print_inverted(FILE *out, const vvWorld *world, const vvLedgerTotals *totals)
{
    vvInverted now;
    if (totals->minJ > 0)
        return;
    vvWorldInverted(world, &now);
    if (now.tets == 0) {
        fprintf(out, "  some tets were inverted for a time; none is now\n");
        return;
    }
    fprintf(out, "  inverted at the end: %d tet%s, the worst in \"%s\" at (%.3g, %.3g, %.3g) m with det F %.3g\n",
            now.tets, now.tets > 1 ? "s" : "", now.body, now.point[0], now.point[1], now.point[2], now.detF);
    fprintf(out,
            "    the material %s allows it; neo-hookean does not, stable-neo-hookean turns such tets back; or take a "
            "smaller step\n",
            now.model);
}

/* A single step may report that its objective rose. This reports the sum over the run, as its pictures may look right
 * for a long time. */
static void print_made(FILE *out, const vvLedgerTotals *totals, double scale)
{
    static const double MUCH = 0.1;
    const double made =
        totals->error - totals->decay; /* an energy excess because a decay was not met is not energy from nothing */
    if (!(made > MUCH * scale) && isfinite(made))
        return;
    fprintf(out, "  energy from nothing: the numerical error is %.3g%% of S; do not trust the motion\n",
            100 * made / scale);
    fprintf(out, "    there are too few iterations for the stiffness of the bodies, or the step is too large: raise "
                 "solver.budget or time.substeps, or "
                 "choose another solver, scheme or policy\n");
}

/* The ledger may be right and the motion wrong. */
static void print_astray(FILE *out, const vvLedgerTotals *t)
{
    if (t->astraySteps == 0)
        return;
    fprintf(out, "  positions do not follow the velocities after %lld of %lld steps", (long long)t->astraySteps,
            (long long)t->steps);
    if (*t->astrayBody)
        fprintf(out, ", most of all \"%s\" (%lld)", t->astrayBody, (long long)t->astrayBodySteps);
    fputc('\n', out);
}

void vv_cli_print_ledger(FILE *out, vvWorld *world)
{
    vvLedgerTotals totals;
    vvLedgerRow last;
    vvError error = { 0 };
    char text[VV_TEXT];
    if (vvWorldLedger(world, &last, &error))
        return;
    vvWorldTotals(world, &totals);
    const vvLedgerRow *first = &totals.first;
    double scale = last.scale;
    fprintf(out, "  %-18s %12s %12s %12s %10s\n", "energy", "start", "end", "change", scale > 0 ? "of S" : "");
    print_energy(out, "kinetic", first->kinetic, last.kinetic, scale);
    print_energy(out, "elastic", first->elastic, last.elastic, scale);
    print_energy(out, "gravity", first->gravity, last.gravity, scale);
    if (first->contact != 0 || last.contact != 0 || isfinite(totals.minGap))
        print_energy(out, "contact", first->contact, last.contact, scale);
    if (first->attachment != 0 || last.attachment != 0)
        print_energy(out, "attachments", first->attachment, last.attachment, scale);
    if (first->joint != 0 || last.joint != 0)
        print_energy(out, "joints", first->joint, last.joint, scale);
    print_energy(out, "total H", first->total, last.total, scale);
    print_visible(out, &totals, &last, scale);
    fprintf(out, "  where it went (S = %s)\n", vv_text_quantity(text, scale, "J"));
    print_flow(out, "+ work", totals.work, scale);
    if (totals.loads != 0)
        print_flow(out, "    of it of loads", totals.loads, scale);
    print_flow(out, "- friction", -totals.friction, scale);
    print_flow(out, "- damping", -totals.damping, scale);
    print_flow(out, "- intended decay", -totals.decay, scale);
    if (totals.springs != 0)
        print_flow(out,
                   vvContactModelFind(vvWorldGetDef(world)->contact.model)->obstacles == VV_CONTACT_BOUND
                       ? "+ put outside"
                       : "+ contact springs",
                   totals.springs, scale);
    print_flow(out, "+ numerical error", totals.error, scale);
    print_extremes(out, &totals, &last);
    print_made(out, &totals, scale);
    print_astray(out, &totals);
    print_inverted(out, world, &totals);
}
