/* Lengths and speeds relative to the scene's size (theory §1.4): what they are in metres is found before the first
 * step, and stays. */
#include "base/vec.h"
#include "world/settings/members.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* Defaults: an absolute value, which suits bodies of some centimetres to some metres, within bounds that grow with
 * the body: what else there is, and how far away, has no part in how that one is to be treated. Of a pair the smaller
 * distance counts; the tolerance is one for all, by the smallest body. */
typedef struct usual {
    double value, least, most; /* least, most: parts of the body */
} usual;
static const usual DISTANCE = { 1e-3, 1e-3, 1e-2 };  /* m */
static const usual TOLERANCE = { 1e-2, 1e-3, 3e-1 }; /* m/s */
/* Of a body's length a second: below this speed friction on it is smoothed; between two bodies the lower one counts. */
static const double SMOOTHED = 1e-3;

typedef struct box {
    double lo[3], hi[3];
} box;

static const box EMPTY = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static void widen(box *b, const double *x, int count)
{
    for (int i = 0; i < 3 * count; i++) {
        b->lo[i % 3] = fmin(b->lo[i % 3], x[i]);
        b->hi[i % 3] = fmax(b->hi[i % 3], x[i]);
    }
}

static double diagonal(const box *b)
{
    double d[3];
    vv_sub(b->hi, b->lo, d);
    return d[0] >= 0 ? vv_norm(d) : 0;
}

/* What is there of the body: of an affine one what it carries. */
static void widen_by_body(box *all, const vvWorld *w, const vv_body *b)
{
    box own = EMPTY;
    if (b->solid_volume > 0)
        vv_body_bounds(w, (int)(b - w->bodies), w->rest, own.lo, own.hi);
    else
        widen(&own, w->rest + 3 * (size_t)b->first, b->vertex_count);
    widen(all, own.lo, 1);
    widen(all, own.hi, 1);
}

/* Of a cloud of free points all of it; of a single point its thickness. */
static double extent(const vvWorld *w, const vv_body *b)
{
    box own = EMPTY;
    widen_by_body(&own, w, b);
    const double all = diagonal(&own);
    return all > 0 ? all : b->thickness;
}

double vv_body_length(const vvWorld *w, const vv_body *b) { return b->point_count > 0 ? b->thickness : extent(w, b); }

/* Of the rest positions, as placed, of all that is not kinematic, or of everything if all is: the diagonal of the box
 * around them, or for a single point the largest thickness, or 1 m; and that of the smallest body. 0: there is
 * nothing yet. Free points are bodies of their own, as large as their thickness. */
static vv_lengths measured(const vvWorld *w)
{
    bool free = false;
    for (size_t b = 0; b < w->body_count; b++)
        free = free || !w->bodies[b].kinematic;
    box all = EMPTY;
    double thickest = 0, least = INFINITY, smallest = INFINITY;
    for (size_t i = 0; i < w->body_count; i++) {
        const vv_body *b = w->bodies + i;
        if (b->kinematic && free)
            continue;
        widen_by_body(&all, w, b);
        thickest = fmax(thickest, b->thickness);
        const double own = vv_body_length(w, b), cloud = extent(w, b);
        least = own > 0 ? fmin(least, own) : least; /* a point without thickness has none */
        smallest = cloud > 0 ? fmin(smallest, cloud) : smallest;
    }
    if (w->nodes == 0)
        return (vv_lengths){ 0 };
    double length = diagonal(&all);
    length = length > 0 ? length : thickest > 0 ? thickest : 1;
    return (vv_lengths){ length, fmin(least, length), fmin(smallest, length) };
}

bool vv_world_slides(const vvWorld *w)
{
    bool any = w->def.contact.friction > 0;
    for (size_t b = 0; b < w->body_count; b++)
        any = any || w->bodies[b].friction > 0;
    for (size_t i = 0; i < w->friction_count; i++)
        any = any || w->frictions[i].mu > 0;
    for (size_t o = 0; o < w->obstacle_count; o++)
        any = any || w->obstacles[o].friction > 0;
    return any && vv_contact_acts(vv_world_model(w));
}

static double resolved(double given, double relative, double scene, const usual *fallback, double body)
{
    if (relative > 0)
        return relative * scene;
    return given > 0 ? given : fmin(fmax(fallback->value, fallback->least * body), fallback->most * body);
}

double vv_body_distance(const vvWorld *w, const vv_body *b, double otherwise)
{
    if (w->given.distance > 0 || w->def.contact.relativeDistance > 0 || b->kinematic)
        return 0;
    const double length = vv_body_length(w, b);
    return length > 0 ? resolved(0, 0, 0, &DISTANCE, length) : otherwise;
}

static bool given_speed(const vvWorld *w)
{
    return w->given.friction_speed > 0 || w->def.contact.relativeFrictionSpeed > 0;
}

double vv_friction_speed_of(const vvWorld *w, const vv_body *b)
{
    const double length = given_speed(w) ? 0 : extent(w, b);
    return length > 0 ? SMOOTHED * length : w->def.contact.frictionSpeed;
}

/* Of all bodies that move, m/s; for the reader, as each contact has its own. */
static double slowest(const vvWorld *w)
{
    double least = INFINITY;
    for (size_t b = 0; b < w->body_count; b++)
        if (!w->bodies[b].kinematic)
            least = fmin(least, SMOOTHED * extent(w, w->bodies + b));
    return least < INFINITY && least > 0 ? least : SMOOTHED;
}

static void resolve(const vvWorld *w, const vv_lengths *l, const vv_given_lengths *given, vvWorldDef *def)
{
    vvContactDef *c = &def->contact;
    vvSolverDef *s = &def->solver;
    if (l->scene == 0)
        return;
    c->distance = resolved(given->distance, c->relativeDistance, l->scene, &DISTANCE, l->body);
    s->tolerance = resolved(given->tolerance, s->relativeTolerance, l->scene, &TOLERANCE, l->cloud);
    if (given->stiffness == 0 && w->started && w->stiffness.chosen > 0) /* else found when contact is made */
        c->stiffness = w->stiffness.chosen;
    if (c->relativeFrictionSpeed > 0 || given->friction_speed > 0)
        c->frictionSpeed = c->relativeFrictionSpeed > 0 ? c->relativeFrictionSpeed * l->scene : given->friction_speed;
    else if (vv_world_slides(w))
        c->frictionSpeed = slowest(w);
}

void vv_world_resolve_given(const vvWorld *w, const vv_given_lengths *given, vvWorldDef *def)
{
    resolve(w, &w->lengths, given, def);
}

static vv_lengths lengths_of(const vvWorld *w) { return w->started && w->lengths.scene > 0 ? w->lengths : measured(w); }

vvContactDef vv_world_contact_def(const vvWorld *w)
{
    vvWorldDef def = w->def;
    vv_lengths lengths = lengths_of(w);
    resolve(w, &lengths, &w->given, &def);
    return def.contact;
}

/* Where bodies act below distances of their own: the smallest and the largest of these. */
static void say_distances(const vvWorld *w)
{
    double low = INFINITY, high = 0;
    size_t small = 0, large = 0;
    for (size_t b = 0; b < w->body_count; b++) {
        const double own = vv_body_distance(w, w->bodies + b, 0);
        small = own > 0 && own < low ? b : small, large = own > high ? b : large;
        low = own > 0 ? fmin(low, own) : low, high = fmax(high, own);
    }
    if (low < high && vv_contact_has_barrier(vv_world_model(w)))
        vv_world_log(w, VV_LOG_INFO,
                     "contact acts below %.3g m (\"%s\") to %.3g m (\"%s\"), between two bodies below the smaller one "
                     "(contact.distance); solver.tolerance, %.3g m/s, is one for all, by the smallest",
                     low, w->bodies[small].name, high, w->bodies[large].name, w->def.solver.tolerance);
}

void vv_world_resolve_lengths(vvWorld *w)
{
    const double before = w->def.contact.frictionSpeed, distance = w->def.contact.distance;
    w->lengths = lengths_of(w);
    vv_world_resolve_given(w, &w->given, &w->def);
    if (w->def.contact.distance != distance)
        say_distances(w);
    if (w->def.contact.frictionSpeed != before && vv_world_slides(w))
        vv_world_log(w, VV_LOG_INFO, "friction is smoothed below %.3g m/s%s (contact.friction_speed)",
                     w->def.contact.frictionSpeed,
                     given_speed(w) ? ""
                                    : " on the smallest body, 0.1% of its length a second, and likewise on others");
}

/* Of a table of the definition: what is as in the one in use stays as it was given there. */
static void given_by(const vv_members *members, const void *def, const void *now, vv_given_lengths *given)
{
    for (int i = 0; i < members->count; i++) {
        const vv_member *f = members->row + i;
        if (f->chosen && vv_member_number(f, def) != vv_member_number(f, now))
            *(double *)(void *)((char *)given + f->given) = vv_member_number(f, def);
    }
}

vv_given_lengths vv_world_given_by(const vvWorld *w, const vvWorldDef *def)
{
    vv_given_lengths given = w->given;
    given_by(&vv_solver_members, &def->solver, &w->def.solver, &given);
    given_by(&vv_contact_members, &def->contact, &w->def.contact, &given);
    return given;
}

double vvWorldLength(const vvWorld *w) { return vv_world_readable(w) ? w->lengths.scene : 0; }
