/* Contact with analytic obstacles along the path from one position to another: the conservative step filter (theory
 * §5.9), crossings and gaps. */
#include "base/vec.h"
#include "contact/barrier/barrier.h"

#include <string.h>

/* The same of an obstacle that is made of a field, by its pieces, until `keep` (m) of its distance is left; at most
 * `limit`. */
static double field_part(const vv_obstacle *obstacle, const vv_frame *frame, const double x[3], const double p[3],
                         double keep, double limit)
{
    double y[3] = { x[0], x[1], x[2] }, along[3] = { p[0], p[1], p[2] };
    if (frame) {
        const double stretch = vv_frame_take_back(frame, x, p, y, along);
        for (int k = 0; k < 3; k++)
            along[k] *= stretch;
    }
    return obstacle->ops->field->free_way(obstacle->field, obstacle->shape, y, along, 0, keep, limit);
}

/* Whether along a path of so many m less than `part` of the gap can be lost. Known for fields only, where to say so is
 * cheaper than to find the gap. */
static bool is_far(const vv_barrier_def *def, int v, int o, const vv_frame *frame, const double x[3], double way,
                   double part)
{
    const vv_obstacle *obstacle = def->obstacles + o;
    double y[3] = { x[0], x[1], x[2] };
    if (!obstacle->ops->field)
        return false;
    if (frame)
        vv_frame_to_rest(frame, x, y);
    const double most = def->vertices->radius[v] + way * (frame ? vv_frame_growth(frame) : 1) * (1 + 1e-9) / part;
    return vv_obstacle_distance_below(obstacle, y, most) >= most;
}

/* A part of the path p on which d falls by at most `room`, to `keep`: d is 1-Lipschitz; and within `reach` it falls by
 * no more than its slope says, and bend / 2 times the square of the path. */
static double safe_part(const vv_obstacle *obstacle, const vv_frame *frame, const double x[3], const double n[3],
                        const double p[3], double room, double keep, double limit)
{
    if (obstacle->ops->field)
        return field_part(obstacle, frame, x, p, keep, limit);
    const double length = vv_norm(p) * (frame ? vv_frame_growth(frame) : 1), speed = fmax(-vv_dot(n, p), 0);
    double reach = obstacle->ops->convex ? INFINITY : 0, bend = 0;
    if (!frame)
        vv_obstacle_bends(obstacle, x, &reach, &bend);
    const double first = speed + sqrt(speed * speed + 2 * bend * length * length * room);
    return fmax(fmin(first > 0 ? 2 * room / first : INFINITY, reach / length), room / length);
}

/* What is to be left of a gap (m) along the path. */
typedef double keep_of(const vv_barrier_def *def, double gap);
static double a_tenth(const vv_barrier_def *def, double gap)
{
    (void)def;
    return 0.1 * gap;
}
static double a_third(const vv_barrier_def *def, double gap)
{
    (void)def;
    return gap / 3;
}
static double a_trace(const vv_barrier_def *def, double gap) { return 1e-3 * fmin(gap, def->distance); }

/* Conservative advancement from a gap d (m) of gradient n against an obstacle that stands still, until less than 1.5
 * `keep` (m) is left. */
static double advance_still(const vv_barrier_def *def, int v, int o, const vv_frame *frame, const double x[3], double d,
                            double n[3], const double p[3], double keep, double limit)
{
    double y[3] = { x[0], x[1], x[2] }, t = 0;
    if (!(vv_norm(p) > 0))
        return limit;
    for (int k = 0; k < 200; k++) {
        t += safe_part(def->obstacles + o, frame, y, n, p, d - keep, keep + def->vertices->radius[v], 2 * (limit - t));
        if (!(t < limit))
            return limit;
        for (int c = 0; c < 3; c++)
            y[c] = x[c] + t * p[c];
        d = vv_contact_gap_in(def, v, o, frame, y, n, NULL);
        if (d <= 1.5 * keep)
            break;
    }
    return t;
}

/* A way of all nodes, q + t p, with the obstacles' frames placed at q. */
typedef struct way {
    const vv_barrier_def *def;
    const double *q, *p;
} way;

/* The same for any obstacle. */
static double advance(const way *w, int v, int o, keep_of *keep, double limit)
{
    const vv_barrier_def *def = w->def;
    const vv_frame *frame = vv_contact_frame(def, o);
    double x[3], dx[3], n[3];
    vv_vertex_position(def->vertices, v, w->q, x);
    vv_vertex_position(def->vertices, v, w->p, dx);
    const double gap = vv_contact_gap_in(def, v, o, frame, x, n, NULL);
    if (!frame)
        return advance_still(def, v, o, NULL, x, gap, n, dx, keep(def, gap), limit);
    vv_frame_way goes = vv_frame_way_of(frame, w->q, w->p);
    return vv_frame_advance(&goes, frame, def->obstacles + o, x, dx, def->vertices->radius[v], keep(def, gap), limit);
}

/* How much of the path is free, at most 1; `first`: ends with the first vertex that is stopped. */
static double free_part(const vv_barrier_def *def, const double *q, const double *p, keep_of *keep, bool first)
{
    const way w = { def, q, p };
    double t = 1;
    vv_contact_place(def, q);
    vv_reach near = vv_reach_of(def, q, p, 0);
    while (!(first && t < 1) && vv_reach_pair(&near)) {
        const int v = near.vertex, o = near.obstacle;
        double dx[3];
        vv_vertex_position(def->vertices, v, p, dx);
        if (vv_contact_frame(def, o) || !is_far(def, v, o, NULL, near.x, t * vv_norm(dx), 0.9))
            t = advance(&w, v, o, keep, t);
    }
    return t;
}

double vv_barrier_max_step(const vv_barrier_def *def, const double *q, const double *p)
{
    return free_part(def, q, p, a_tenth, false);
}

/* Where a vertex depends on several nodes its path is not known, but its length is bounded. */
static double longest_way(const way *w, int v)
{
    const vv_vertices *vs = w->def->vertices;
    double length = 0;
    for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
        length += fabs(vs->weight[i]) * vv_norm(w->p + 3 * (size_t)vs->node[i]);
    return length;
}

void vv_barrier_bounds(const vv_barrier_def *def, const double *q, const double *p, double *part)
{
    const way w = { def, q, p };
    const vv_vertices *vs = def->vertices;
    vv_contact_place(def, q);
    vv_reach near = vv_reach_of(def, q, p, 0);
    for (int v = 0; v < vs->count; v++) {
        double x[3], t = 1;
        if (!vv_reach_at(&near, v))
            continue;
        vv_vertex_position(vs, v, q, x);
        for (int i = 0; i < near.count; i++) {
            const int o = vv_reach_obstacle(&near, i);
            if (!vv_contact_touches(def, v, o))
                continue;
            const vv_frame *frame = vv_contact_frame(def, o);
            if (!frame && is_far(def, v, o, NULL, x, t * longest_way(&w, v), 0.5))
                continue;
            if (vs->start[v + 1] == vs->start[v] + 1)
                t = fmin(t, advance(&w, v, o, a_third, t)); /* it ends with half as much again */
            else
                t = fmin(t, 0.5 * vv_contact_gap(def, v, o, x, NULL, NULL) /
                                (longest_way(&w, v) * (frame ? vv_frame_growth(frame) : 1)));
        }
        for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
            part[vs->node[i]] = fmin(part[vs->node[i]], t);
    }
}

double vv_barrier_free_part(const vv_barrier_def *def, int v, int o, const vv_frame *frame, const double x[3],
                            const double p[3], double limit)
{
    if (is_far(def, v, o, frame, x, limit * vv_norm(p), 0.9))
        return limit;
    double n[3];
    const double gap = vv_contact_gap_in(def, v, o, frame, x, n, NULL);
    return gap > 0 ? advance_still(def, v, o, frame, x, gap, n, p, a_tenth(def, gap), limit) : 0;
}

bool vv_barrier_crosses(const vv_barrier_def *def, const double *q, const double *p)
{
    return free_part(def, q, p, a_trace, true) < 1;
}

double vv_contact_min_gap(const vv_barrier_def *def, const double *q, int *vertex, int *obstacle, unsigned char *near)
{
    double least = INFINITY;
    size_t obstacles = (size_t)def->obstacle_count;
    vv_contact_place(def, q);
    if (near)
        memset(near, 0, (size_t)def->body_count * obstacles);
    vv_reach reach = vv_reach_of(def, q, NULL, INFINITY);
    while (vv_reach_pair(&reach)) {
        const int v = reach.vertex, o = reach.obstacle;
        double d = vv_contact_gap_below(def, v, o, reach.x, reach.reach);
        if (near && d < vv_contact_distance(def, v, o))
            near[(size_t)def->vertices->body[v] * obstacles + (size_t)o] = 1;
        if (d < least) {
            least = d;
            reach.reach = fmax(least, def->distance);
            if (vertex)
                *vertex = v;
            if (obstacle)
                *obstacle = o;
        }
    }
    return least;
}

void vv_contact_depths(const vv_barrier_def *def, const double *q, double *depth, int *obstacle)
{
    memset(depth, 0, (size_t)def->body_count * sizeof *depth);
    vv_contact_place(def, q);
    vv_reach near = vv_reach_of(def, q, NULL, 0);
    while (vv_reach_pair(&near)) {
        const int body = def->vertices->body[near.vertex];
        const double d = vv_contact_gap_below(def, near.vertex, near.obstacle, near.x, 0);
        if (-d > depth[body])
            depth[body] = -d, obstacle[body] = near.obstacle;
    }
}

double vv_contact_least_part(const vv_barrier_def *def, const double *q)
{
    double least = INFINITY;
    if (!def->distances)
        return vv_contact_min_gap(def, q, NULL, NULL, NULL) / def->distance;
    vv_contact_place(def, q);
    vv_reach near = vv_reach_of(def, q, NULL, def->distance);
    while (vv_reach_pair(&near)) {
        const int v = near.vertex, o = near.obstacle;
        least = fmin(least, vv_contact_gap_below(def, v, o, near.x, def->distance) / vv_contact_distance(def, v, o));
    }
    return least;
}
