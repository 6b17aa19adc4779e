/* The gaps with which bodies begin: the candidates of the broad phase at their places, and the smallest gap of each
 * pair of bodies. */
#include "contact/surfaces/gaps.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/broad/candidates.h"
#include "contact/surfaces/intersections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- between bodies ---- */

/* The gap of a candidate at these places of all nodes; infinity: it is of no account. */
static double gap_of(const vv_surface *s, const vv_contact_body *bodies, const double *placed, vv_stencil kind,
                     const vv_candidate *k)
{
    const int n = vv_stencil_points(kind), *body = s->vertices->body;
    double x[4][3], w[4];
    if (!vv_stay_together(bodies[body[k->vertex[0]]].stay, bodies[body[k->vertex[n - 1]]].stay))
        return INFINITY;
    for (int i = 0; i < n; i++) {
        if (s->point[k->vertex[i]])
            return INFINITY;
        vv_vertex_position(s->vertices, k->vertex[i], placed, x[i]);
    }
    return sqrt(vv_stencil_distance2(kind, (const double(*)[3])x, NULL, w)) - k->min_distance;
}

static bool note(vv_surface *s, size_t *capacity, int a, int b, double gap)
{
    vv_gap *last = s->gap_count ? s->gaps + s->gap_count - 1 : NULL;
    const vv_gap found = { a < b ? a : b, a < b ? b : a, gap };
    if (last && last->a == found.a && last->b == found.b) { /* candidates of the same bodies follow each other */
        last->gap = fmin(last->gap, gap);
        return true;
    }
    if (!vv_grow((void **)&s->gaps, capacity, s->gap_count + 1, sizeof *s->gaps))
        return false;
    s->gaps[s->gap_count++] = found;
    return true;
}

/* Each two bodies once, with the least of their gaps; those that touch, and those that are of no account, drop out. */
static void merge(vv_surface *s, double distance)
{
    size_t kept = 0;
    if (s->gap_count)
        qsort(s->gaps, s->gap_count, sizeof *s->gaps, vv_gap_compare);
    for (size_t i = 0; i < s->gap_count;) {
        vv_gap least = s->gaps[i];
        for (i++; i < s->gap_count && vv_gap_compare(&least, s->gaps + i) == 0; i++)
            least.gap = fmin(least.gap, s->gaps[i].gap);
        if (least.gap > 0 && vv_gap_counts(least.gap, vv_surface_usual(s, least.a, least.b, distance)))
            s->gaps[kept++] = least;
    }
    s->gap_count = kept;
}

static vvStatus collect(const vv_contact_body *bodies, const double *placed, const vv_candidates *found,
                        double distance, vv_surface *s, vvError *error)
{
    size_t capacity = 0;
    for (int kind = 0; kind < 4; kind++)
        for (int i = found->start[kind]; i < found->start[kind + 1]; i++) {
            const vv_candidate *k = found->list + i;
            const double gap = gap_of(s, bodies, placed, (vv_stencil)kind, k);
            const int last = vv_stencil_points((vv_stencil)kind) - 1, *body = s->vertices->body;
            if (gap < distance && !note(s, &capacity, body[k->vertex[0]], body[k->vertex[last]], gap))
                return vv_fail_memory(error, "the gaps between bodies");
        }
    merge(s, distance);
    return VV_OK;
}

/* What goes through each other as it is placed is not where it begins. apart: the surface without self-contact. */
static vvStatus drop_crossing(const vv_surface *apart, const double *placed, double distance, vv_surface *s,
                              vvError *error)
{
    int count = 0;
    if (s->gap_count == 0)
        return VV_OK;
    vvStatus status = vv_intersections_find(apart, NULL, placed, NULL, 0, &count, error);
    if (status != VV_OK || count == 0)
        return status;
    vv_intersection *list = vv_alloc((size_t)count, sizeof *list);
    if (!list)
        return vv_fail_memory(error, "the gaps between bodies");
    status = vv_intersections_find(apart, NULL, placed, list, count, &count, error);
    for (int i = 0; status == VV_OK && i < count; i++) {
        vv_gap *gap = vv_gap_find(s, list[i].body[0], list[i].body[1]);
        if (gap)
            gap->gap = 0;
    }
    merge(s, distance);
    vv_free(list);
    return status;
}

/* Whether any two bodies may have a gap: else there is nothing to search. */
static bool any_two(const vv_contact_body *bodies, const vv_surface *s)
{
    for (int a = 0; a < s->body_count; a++)
        for (int b = 0; b < a; b++)
            if (s->bodies[a].vertex_count && s->bodies[b].vertex_count && vv_surface_touches(s, a, b) &&
                vv_stay_together(bodies[a].stay, bodies[b].stay))
                return true;
    return false;
}

vvStatus vv_gaps_between(const vv_contact_body *bodies, const double *placed, double distance, vv_surface *s,
                         vvError *error)
{
    vv_candidates found = { 0 };
    if (!any_two(bodies, s))
        return VV_OK;
    vv_surface apart = *s;
    apart.bodies = vv_alloc((size_t)s->body_count, sizeof *apart.bodies);
    if (!apart.bodies)
        return vv_fail_memory(error, "the gaps between bodies");
    memcpy(apart.bodies, s->bodies, (size_t)s->body_count * sizeof *apart.bodies);
    for (int b = 0; b < s->body_count; b++)
        apart.bodies[b].self = false;
    vvStatus status = vv_candidates_create(&apart, distance, &found, error);
    if (status == VV_OK)
        status = vv_candidates_cover(&found, NULL, placed, NULL, error);
    if (status == VV_OK)
        status = collect(bodies, placed, &found, distance, s, error);
    if (status == VV_OK)
        status = drop_crossing(&apart, placed, distance, s, error);
    if (found.broad)
        vv_candidates_free(&found);
    vv_free(apart.bodies);
    return status;
}

/* ---- to obstacles ---- */

/* A moving one stands where the nodes of its frame do. */
static vv_stay obstacle_stay(const vv_contact_body *bodies, const vv_obstacle *o)
{
    const vv_stay frame = o->body1 ? bodies[o->body1 - 1].stay : (vv_stay){ 0, 0 };
    return (vv_stay){ o->since > frame.from ? o->since : frame.from, frame.to };
}

vvStatus vv_gaps_to_obstacles(const vv_contact_body *bodies, const double *placed, const vv_barrier_def *def,
                              double **gaps, vvError *error)
{
    const size_t count = (size_t)def->body_count * (size_t)def->obstacle_count;
    double *out = *gaps = vv_alloc(count, sizeof *out);
    if (!out)
        return vv_fail_memory(error, "the gaps to obstacles");
    for (size_t i = 0; i < count; i++)
        out[i] = INFINITY;
    vv_contact_place(def, placed);
    vv_reach near = vv_reach_of(def, placed, NULL, def->distance);
    while (vv_reach_pair(&near)) {
        const int v = near.vertex, o = near.obstacle, body = def->vertices->body[v];
        double *least = out + (size_t)body * (size_t)def->obstacle_count + (size_t)o;
        if (!bodies[body].point_count && vv_stay_together(bodies[body].stay, obstacle_stay(bodies, def->obstacles + o)))
            *least = fmin(*least, vv_contact_gap_below(def, v, o, near.x, def->distance));
    }
    for (size_t i = 0; i < count; i++)
        if (!(out[i] > 0 &&
              vv_gap_counts(out[i], vv_contact_body_distance(bodies + i / (size_t)def->obstacle_count, def->distance))))
            out[i] = INFINITY;
    return VV_OK;
}
