/* Advice to the host about its settings, before or after a step: once, as a warning in the log. */
#include "base/vec.h"
#include "contact/models.h"
#include "contact/springs/repulsion.h"
#include "step/policies/policy.h"
#include "world/world.h"

#include <math.h>

/* The mean length of a body's surface edges at rest, m; 0: it has none. */
static double mean_edge(const vv_surface *s, const vv_surface_body *b)
{
    double sum = 0;
    for (int e = b->first_edge; e < b->first_edge + b->edge_count; e++) {
        double d[3];
        vv_sub(s->rest + 3 * (size_t)s->edge[e][1], s->rest + 3 * (size_t)s->edge[e][0], d);
        sum += vv_norm(d);
    }
    return b->edge_count ? sum / b->edge_count : 0;
}

double vv_rounded_down(double x)
{
    double unit = pow(10, floor(log10(x)));
    return floor(x / unit * (1 + 1e-9)) * unit;
}

/* Within an activation distance of many edges, everything is near everything: the pairs to look at grow with its
 * square or cube. A tenth of an edge is what most scenes use, and any gap that a picture shows is larger. */
void vv_world_advise_distance(vvWorld *w)
{
    static const double most_edges = 2, fits = 0.1;
    const vv_surface *s = &w->contact->surface;
    double least = INFINITY;
    int at = -1;
    for (int b = 0; b < s->body_count; b++) {
        double edge = mean_edge(s, s->bodies + b);
        if (edge > 0 && edge < least) {
            least = edge;
            at = b;
        }
    }
    if (at < 0 || w->def.contact.distance <= most_edges * least || w->distance_warned)
        return;
    w->distance_warned = true;
    vv_world_log(w, VV_LOG_WARNING,
                 "contact.distance, %g m, is %.3g times as long as the surface edges of \"%s\" (%.2g m on average): "
                 "contact has so many pairs that a step may take minutes; %g m fits",
                 w->def.contact.distance, w->def.contact.distance / least, w->bodies[at].name, least,
                 vv_rounded_down(fits * least));
}

/* Springs of a vertex's tangent plane that are made again bring energy in each step in which it comes deeper. Backward
 * Euler and bdf2 take that out again; under schemes of several stages it comes back as shaking, more from step to step
 * (docs/contact.md, where friction is off). */
void vv_world_advise_springs(vvWorld *w)
{
    const vv_contact_model *model = vv_world_model(w);
    const vvIntegratorDef *d = &w->def.integrator;
    const vv_repulsion_form *form = model->force && w->obstacle_count ? model->force(&w->def.contact).form : NULL;
    const vv_scheme row = vv_scheme_made(d->scheme, d->settings, d->settingCount);
    if (w->springs_told || !form || form->follows || form->keeps || form->projects || row.stages < 2 ||
        vv_policy_find(d->policy)->apply)
        return;
    w->springs_told = true;
    vv_world_log(
        w, VV_LOG_WARNING,
        "springs of form \"%s\" are remade in each step, which adds energy: under the stages of scheme \"%s\" bodies "
        "at rest or sliding are thrown; choose the form \"following\" (contact.springs.form), or scheme "
        "\"backward-euler\" or \"bdf2\"",
        form->info.name, d->scheme);
}

static void note_gap(vvStartGap *s, double gap, const char *a, const char *b)
{
    s->count++;
    if (s->count == 1 || gap < s->gap)
        s->gap = gap, s->names[0] = a, s->names[1] = b;
}

bool vvWorldGetStartGap(const vvWorld *w, vvStartGap *out)
{
    if (!out)
        return false;
    *out = (vvStartGap){ .names = { "", "" } };
    if (!vv_world_readable(w) || !w->contact)
        return false;
    const vv_contact *c = w->contact;
    for (size_t i = 0; i < c->surface.gap_count; i++)
        note_gap(out, c->surface.gaps[i].gap, w->bodies[c->surface.gaps[i].a].name,
                 w->bodies[c->surface.gaps[i].b].name);
    for (size_t i = 0; c->obstacle_gap && i < w->body_count * w->obstacle_count; i++)
        if (c->obstacle_gap[i] < INFINITY) {
            const vv_obstacle *o = w->obstacles + i % w->obstacle_count;
            note_gap(out, c->obstacle_gap[i], w->bodies[i / w->obstacle_count].name,
                     *o->name ? o->name : o->ops->type.info.name);
        }
    if (out->count)
        out->activation = c->def.follow ? vv_gap_activation(out->gap, c->def.distance) : c->def.distance;
    return out->count > 0;
}

/* Contact that lets bodies in holds them only as long as they do not come far: what is deep inside comes out again on
 * any side, with any speed. */
void vv_world_advise_depth(vvWorld *w)
{
    static const double DEEP = 0.1, POINT = 0.5; /* of the body's diagonal; of a free point's thickness */
    if (w->depth_warned || !(w->state.ledger.row.minGap < 0) || !w->contact)
        return;
    vv_contact_depths(&w->contact->barrier, w->state.q, w->contact->depths, w->contact->depth_in);
    for (size_t b = 0; b < w->body_count && !w->depth_warned; b++) {
        const double depth = w->contact->depths[b], length = vv_body_length(w, w->bodies + b);
        if (!(depth > (w->bodies[b].point_count ? POINT : DEEP) * length))
            continue;
        const vv_obstacle *o = w->obstacles + w->contact->depth_in[b];
        w->depth_warned = true;
        vv_world_log(w, VV_LOG_WARNING,
                     "step %lld (t = %g s): body \"%s\" is %.3g m deep inside \"%s\", and itself %.3g m long: contact "
                     "\"%s\" does not hold it, and may push it out on any side: use a shorter step, stiffer contact, "
                     "or a model without penetration (contact.model)",
                     (long long)w->state.clock.step, vv_world_time(w), w->bodies[b].name, depth,
                     *o->name ? o->name : o->ops->type.info.name, length, w->def.contact.model);
    }
}
