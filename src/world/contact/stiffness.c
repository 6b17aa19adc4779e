/* The stiffness of the barrier where none is given (theory §5.11): found at the start of a run, and then kept. What a
 * run that adapts it makes of it: stiffen.c. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "world/settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- choosing ---- */

static const double GAP = 0.25;    /* of d-hat: what carries, on one small vertex, */
static const double LOAD = 10;     /* times the weight: impacts, and what lies on top */
static const double LOWEST = 0.05; /* of a body's vertices may have smaller areas: slivers */
static const double SLIVER = 0.1;  /* of the mean area: no area counts as smaller */
/* Pa. What is held, thrown or moved presses by its elasticity, not by its weight */
static const double LEAST = 1e5, MOST = 1e12;

static int compare_areas(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* The area of a small vertex, but not of a sliver: below it are 5% of the vertices, and it is not below a tenth of
 * the mean. Sorts. */
static double small_area(double *area, int count)
{
    double sum = 0;
    qsort(area, (size_t)count, sizeof *area, compare_areas);
    for (int i = 0; i < count; i++)
        sum += area[i];
    return fmax(area[(int)(LOWEST * count)], SLIVER * sum / count);
}

/* The velocity of what bodies may run into: the mean of obstacles and kinematic bodies or, without any, of all mass.
 * So what is seen from elsewhere has the same stiffness. */
static void find_frame(const vvWorld *w, double frame[3])
{
    double fixed[3] = { 0 }, all[3] = { 0 }, mass = 0;
    int obstacles = 0;
    for (size_t o = 0; o < w->obstacle_count; o++)
        obstacles += w->obstacles[o].body1 == 0;
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        for (size_t i = (size_t)body->first; i < (size_t)(body->first + body->count); i++) {
            for (size_t k = 0; k < 3; k++) {
                fixed[k] += body->kinematic ? w->state.v[3 * i + k] / body->count : 0;
                all[k] += w->mass[i] * w->state.v[3 * i + k];
            }
            mass += w->mass[i];
        }
        obstacles += body->kinematic;
    }
    for (int k = 0; k < 3; k++)
        frame[k] = obstacles ? fixed[k] / obstacles : mass > 0 ? all[k] / mass : 0;
}

/* N: in gravity, and what stops the body over its own length at the velocities that it starts with. Of free points,
 * the mean one's. */
static double weight_of(const vvWorld *w, const vv_body *b, const double frame[3])
{
    double mass = 0, kinetic = 0;
    for (size_t i = (size_t)b->first; i < (size_t)(b->first + b->count); i++) {
        mass += w->mass[i];
        double v[3];
        vv_sub(w->state.v + 3 * i, frame, v);
        kinetic += 0.5 * w->mass[i] * vv_dot(v, v);
    }
    double length = vv_body_length(w, b), force = mass * vv_norm(w->def.gravity) + (length > 0 ? kinetic / length : 0);
    return b->point_count > 0 ? force / b->point_count : force;
}

void vv_world_loads(const vvWorld *w, double *load)
{
    double frame[3];
    find_frame(w, frame);
    for (size_t b = 0; b < w->body_count; b++)
        load[b] = weight_of(w, w->bodies + b, frame);
}

static void measure_areas(vvWorld *w, double *area)
{
    const vv_vertices *vs = &w->contact->vertices;
    for (size_t b = 0; b < w->body_count; b++)
        w->small_area[b] = 0;
    for (int first = 0, next; first < vs->count; first = next) { /* vertices of a body stand together */
        for (next = first; next < vs->count && vs->body[next] == vs->body[first]; next++)
            area[next - first] = vs->area[next];
        w->small_area[vs->body[first]] = small_area(area, next - first);
    }
}

vvStatus vv_world_measure_areas(vvWorld *w, vvError *error)
{
    double *area = vv_alloc((size_t)w->contact->vertices.count, sizeof *area);
    if (!w->small_area)
        w->small_area = vv_alloc(w->body_count, sizeof *w->small_area);
    if (!w->asked)
        w->asked = vv_alloc(w->body_count, sizeof *w->asked);
    if (!w->together)
        w->together = vv_alloc(w->body_count, sizeof *w->together);
    const bool room = area && w->small_area && w->asked && w->together;
    if (room)
        measure_areas(w, area);
    vv_free(area);
    return room && vv_world_find_together(w, w->together) ? VV_OK : vv_fail_memory(error, "the stiffness of contact");
}

/* w->asked: what each body asks for, then the largest of those that it stands together with; returns the largest of
 * all that any asks for which is not kinematic. */
static vv_stiffness measured(const vvWorld *w)
{
    vv_stiffness s = { .chosen = LEAST };
    double b[3], frame[3], *asked = w->asked;
    vv_barrier(GAP, b);
    find_frame(w, frame);
    for (size_t i = 0; i < w->body_count; i++) {
        const vv_body *body = w->bodies + i;
        double area = w->small_area[i], weight = body->kinematic ? 0 : weight_of(w, body, frame),
               wanted = LOAD * weight / (-b[1] * area);
        asked[i] = area > 0 && wanted > LEAST && isfinite(wanted) ? fmin(wanted, MOST) : LEAST;
        asked[w->together[i]] = fmax(asked[w->together[i]], asked[i]); /* the lowest of them stands before it */
        if (area > 0 && wanted > s.chosen && isfinite(wanted)) {
            s = (vv_stiffness){ .chosen = wanted, .weight = weight, .area = area };
            snprintf(s.body, sizeof s.body, "%s", body->name);
        }
    }
    s.chosen = fmin(s.chosen, MOST);
    for (size_t i = 0; i < w->body_count; i++)
        asked[i] = asked[w->together[i]];
    return s;
}

/* The largest that bodies ask for which stand apart from the one that asks for most. */
static void say_less(const vvWorld *w, const vv_stiffness *s)
{
    double least = s->chosen;
    size_t at = 0, count = 0;
    for (size_t b = 0; b < w->body_count; b++) {
        if (w->bodies[b].kinematic || !(w->asked[b] < s->chosen))
            continue;
        at = w->asked[b] < least ? b : at;
        least = fmin(least, w->asked[b]);
        count++;
    }
    if (count)
        vv_world_log(w, VV_LOG_INFO,
                     "for %zu bodies that stand apart from \"%s\" it is chosen separately, down to %.3g Pa of "
                     "\"%s\"; solver.linear pcg stops by the sum over all bodies, cholesky solves each exactly",
                     count, s->body, least, w->bodies[at].name);
}

static void say(const vvWorld *w, const vv_stiffness *s)
{
    if (s->chosen >= MOST)
        vv_world_log(
            w, VV_LOG_INFO,
            "contact.stiffness is %.3g Pa, the largest that is chosen: \"%s\" presses with %.3g N, and ten times "
            "that on a vertex of "
            "%.3g m^2 would need more",
            s->chosen, s->body, s->weight, s->area);
    else if (s->area > 0)
        vv_world_log(
            w, VV_LOG_INFO,
            "contact.stiffness is %.3g Pa: \"%s\" presses with %.3g N, and ten times that on a vertex of %.3g m^2 "
            "keeps a gap of a quarter of contact.distance",
            s->chosen, s->body, s->weight, s->area);
    else
        vv_world_log(
            w, VV_LOG_INFO,
            "contact.stiffness is %.3g Pa: no body is heavy enough, or has a vertex small enough, to need more",
            s->chosen);
}

void vv_world_choose_stiffness(vvWorld *w)
{
    double before = w->stiffness.chosen;
    if (!w->contact || vv_contact_overlaps(w->contact->def.model))
        return;
    if (w->given.stiffness == 0 && (w->state.clock.step == 0 || !(before > 0))) {
        w->stiffness = measured(w);
        for (size_t b = 0; b < w->body_count; b++)
            w->bodies[b].stiffness_part = w->asked[b] / w->stiffness.chosen;
        if (w->stiffness.chosen != before)
            say(w, &w->stiffness), say_less(w, &w->stiffness);
    }
    vv_world_recall_stiffness(w);
}

bool vv_world_chooses_otherwise(const vvWorld *w)
{
    if (!w->contact || vv_contact_overlaps(w->contact->def.model) || w->given.stiffness > 0)
        return false;
    const vv_stiffness now = measured(w);
    bool otherwise = now.chosen != w->stiffness.chosen;
    for (size_t b = 0; b < w->body_count; b++)
        otherwise = otherwise || w->bodies[b].stiffness_part != w->asked[b] / now.chosen;
    return otherwise;
}

void vv_world_recall_stiffness(vvWorld *w)
{
    if (w->given.stiffness == 0 && w->stiffness.chosen > 0)
        w->def.contact.stiffness = w->stiffness.chosen;
    vv_world_apply_stiffness(w);
}

/* ---- in use ---- */

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
    const bool parts = w->given.stiffness == 0 && !vv_contact_overlaps(c->def.model);
    for (size_t b = 0; c->parts && b < w->body_count; b++)
        c->parts[b] = parts && w->bodies[b].stiffness_part > 0 ? w->bodies[b].stiffness_part : 1;
    vv_contact_set_stiffness(c, kappa);
    if (w->energy_at[VV_PLACE_OBSTACLES])
        vv_barrier_set_stiffness(w->energy_at[VV_PLACE_OBSTACLES], kappa);
    if (w->dissipation_at[VV_PLACE_OBSTACLES])
        vv_friction_set_stiffness(w->dissipation_at[VV_PLACE_OBSTACLES], kappa);
}

bool vvWorldGetStiffness(const vvWorld *w, vvStiffness *out)
{
    if (!out)
        return false;
    *out = (vvStiffness){ .body = "" };
    if (!vv_world_readable(w) || !vv_contact_has_barrier(vv_world_model(w)) || !(w->def.contact.stiffness > 0))
        return false;
    *out = (vvStiffness){
        .now = vv_world_stiffness(w), .start = w->def.contact.stiffness, .chosen = w->given.stiffness == 0, .body = ""
    };
    if (out->chosen)
        out->weight = w->stiffness.weight, out->area = w->stiffness.area, out->body = w->stiffness.body;
    return true;
}
