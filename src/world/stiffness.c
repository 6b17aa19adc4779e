/* The stiffness of the barrier where none is given (theory §5.11): found when contact is first baked, and then kept. And what makes it
 * larger in a run that asks for that. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "world/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- choosing ---- */

static const double AT_REST = 0.25;  /* of d-hat: the gap that carries the weight */
static const double LOWEST = 0.05;   /* of a body's vertices may have smaller areas: slivers */
static const double SLIVER = 0.1;    /* of the mean area: no area counts as smaller */
static const double UNKNOWN = 1e5;   /* Pa, where nothing has a weight */
static const double LEAST = 1e-6, MOST = 1e12; /* Pa */

static int compare_areas(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* The area of a small vertex, but not of a sliver: below it are 5% of the vertices, and it is not below a tenth of the mean. Sorts. */
static double small_area(double *area, int count)
{
    double sum = 0;
    qsort(area, (size_t)count, sizeof *area, compare_areas);
    for (int i = 0; i < count; i++)
        sum += area[i];
    return fmax(area[(int)(LOWEST * count)], SLIVER * sum / count);
}

/* N: in gravity. */
static double weight_of(const vvWorld *w, const vv_body *b)
{
    double mass = 0;
    for (int i = b->first; i < b->first + b->count; i++)
        mass += w->mass[i];
    return mass * vv_norm(w->def.gravity);
}

/* The largest that any body asks for which is not kinematic. Vertices of a body stand together. */
static vv_stiffness measured(const vvWorld *w, const vv_vertices *vs, double *area)
{
    vv_stiffness s = { .chosen = 0 };
    double b[3];
    vv_barrier(AT_REST, b);
    for (int first = 0, next; first < vs->count; first = next) {
        const vv_body *body = w->bodies + vs->body[first];
        for (next = first; next < vs->count && vs->body[next] == vs->body[first]; next++)
            area[next - first] = vs->area[next];
        if (body->kinematic)
            continue;
        double small = small_area(area, next - first), weight = weight_of(w, body), wanted = weight / (-b[1] * small);
        if (wanted > s.chosen && isfinite(wanted)) {
            s = (vv_stiffness){ .chosen = wanted, .weight = weight, .area = small };
            snprintf(s.body, sizeof s.body, "%s", body->name);
        }
    }
    s.chosen = s.chosen > 0 ? fmin(fmax(s.chosen, LEAST), MOST) : UNKNOWN;
    return s;
}

static void say(const vvWorld *w, const vv_stiffness *s)
{
    if (s->area > 0)
        vv_world_log(w, VV_LOG_INFO, "contact.stiffness is %.3g Pa: \"%s\" weighs %.3g N, which a vertex of %.3g m^2 carries at a quarter of "
                     "contact.distance", s->chosen, s->body, s->weight, s->area);
    else
        vv_world_log(w, VV_LOG_INFO, "contact.stiffness is %.3g Pa: nothing that moves has a weight by which to choose it", s->chosen);
}

vvStatus vv_world_choose_stiffness(vvWorld *w, vvError *error)
{
    vv_contact *c = w->contact;
    if (w->given.stiffness == 0 && !(w->started && w->stiffness.chosen > 0)) {
        double *area = vv_alloc((size_t)c->vertices.count, sizeof *area);
        if (!area)
            return vv_fail_memory(error, "the stiffness of contact");
        w->stiffness = measured(w, &c->vertices, area);
        vv_free(area);
        say(w, &w->stiffness);
    }
    if (w->given.stiffness == 0)
        w->def.contact.stiffness = w->stiffness.chosen;
    vv_world_apply_stiffness(w);
    return VV_OK;
}

/* ---- in a run that adapts ---- */

static const double TOO_CLOSE = 0.05; /* of the activation distance */
enum { STEPS = 2, MOST_DOUBLINGS = 7 };

double vv_world_stiffness(const vvWorld *w)
{
    const vv_stiffening *s = &w->stiffening;
    return s->base == w->def.contact.stiffness ? ldexp(s->base, s->doublings) : w->def.contact.stiffness;
}

void vv_world_apply_stiffness(vvWorld *w)
{
    vv_contact *c = w->contact;
    if (!c)
        return;
    double kappa = vv_world_stiffness(w);
    vv_contact_set_stiffness(c, kappa);
    if (w->energy_at[VV_PLACE_OBSTACLES])
        vv_barrier_set_stiffness(w->energy_at[VV_PLACE_OBSTACLES], kappa);
    if (w->dissipation_at[VV_PLACE_OBSTACLES])
        vv_friction_set_stiffness(w->dissipation_at[VV_PLACE_OBSTACLES], kappa);
}

static void change(vvWorld *w)
{
    vv_world_apply_stiffness(w);
    vv_world_regard_ground(w);
    vv_stepper_book_change(w->stepper);
}

void vv_world_stiffen(vvWorld *w, vv_unstiffened *before)
{
    vv_stiffening *s = &w->stiffening;
    *before = (vv_unstiffened){ .was = *s, .user_work = w->state.ledger.user_work, .row = w->state.ledger.row };
    if (!w->contact || !w->def.contact.adaptStiffness)
        return;
    if (s->base != w->def.contact.stiffness)
        *s = (vv_stiffening){ .base = w->def.contact.stiffness };
    if (s->close < STEPS || s->doublings >= MOST_DOUBLINGS)
        return;
    s->doublings++;
    s->close = 0;
    before->changed = true;
    change(w);
}

void vv_world_unstiffen(vvWorld *w, const vv_unstiffened *before)
{
    w->stiffening = before->was;
    if (!before->changed)
        return;
    change(w);
    w->state.ledger.user_work = before->user_work;
    w->state.ledger.row = before->row;
}

void vv_world_watch_gaps(vvWorld *w, const vv_unstiffened *before)
{
    vv_stiffening *s = &w->stiffening;
    if (!w->contact || !w->def.contact.adaptStiffness)
        return;
    if (before->changed) {
        vv_world_note_setting(w, "contact.stiffness=%.6g, adapted", vv_world_stiffness(w));
        vv_world_log(w, VV_LOG_INFO, "step %lld (t = %g s): contact.stiffness is %.3g Pa now: gaps were below %g of contact.distance",
                     (long long)w->state.clock.step, vv_world_time(w), vv_world_stiffness(w), TOO_CLOSE);
    }
    s->close = vv_contact_closeness(w->contact, w->state.q) < TOO_CLOSE ? s->close + 1 : 0;
}

bool vvWorldGetStiffness(const vvWorld *w, vvStiffness *out)
{
    if (!out)
        return false;
    *out = (vvStiffness){ .body = "" };
    if (!vv_world_readable(w) || !w->contact)
        return false;
    *out = (vvStiffness){ .now = vv_world_stiffness(w), .start = w->def.contact.stiffness, .chosen = w->given.stiffness == 0, .body = "" };
    if (out->chosen)
        out->weight = w->stiffness.weight, out->area = w->stiffness.area, out->body = w->stiffness.body;
    return true;
}
