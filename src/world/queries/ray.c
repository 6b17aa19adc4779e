/* The first thing that a ray hits: surfaces of bodies through their trees of boxes, obstacles by their own formulas. */
#include "base/error.h"
#include "base/geometry/intersect.h"
#include "base/vec.h"
#include "visviva/query.h"
#include "world/queries/trees.h"

vvRay vvDefaultRay(void)
{
    return (vvRay){ .maxDistance = INFINITY,
                    .filter = vvDefaultFilter(),
                    .bodies = true,
                    .obstacles = true,
                    .internalValue = VV_MADE_BY_DEFAULT };
}

/* ---- one body ---- */

typedef struct search {
    vv_seen seen;
    vv_ray ray;
    double thickness;
    double t; /* of the nearest hit so far; initially the limit */
    int item; /* the triangle, edge or point hit, or -1 */
    double weights[3];
} search;

/* Among hits at one distance the lowest item wins, in whatever order they come. */
static void offer(search *s, int item, double t, const double weights[3])
{
    if (s->item >= 0 && (t > s->t || (t == s->t && item > s->item)))
        return;
    s->item = item;
    s->t = t;
    for (int k = 0; k < 3; k++)
        s->weights[k] = weights[k];
}

static double try_triangle(void *arg, int item, double limit)
{
    search *s = arg;
    const int *v = s->seen.list + 3 * (size_t)item;
    double t, weights[3];
    const double *a = s->seen.x + 3 * (size_t)v[0], *b = s->seen.x + 3 * (size_t)v[1],
                 *c = s->seen.x + 3 * (size_t)v[2];
    if (vv_ray_triangle(&s->ray, a, b, c, limit, &t, weights))
        offer(s, item, t, weights);
    return s->t;
}

static void try_edge(search *s, int item)
{
    const int *v = s->seen.list + 2 * (size_t)item;
    double t, along;
    double d = vv_ray_segment(&s->ray, s->seen.x + 3 * (size_t)v[0], s->seen.x + 3 * (size_t)v[1], s->t, &t, &along);
    if (d <= s->thickness)
        offer(s, item, t, (double[]){ 1 - along, along, 0 });
}

/* A point is a ball: hit where the ray passes closest to its centre. */
static void try_point(search *s, int item)
{
    const double *p = s->seen.x + 3 * (size_t)s->seen.list[item];
    double d[3], t;
    vv_sub(p, s->ray.origin, d);
    t = fmin(fmax(vv_dot(d, s->ray.direction), 0), s->t);
    for (int k = 0; k < 3; k++)
        d[k] -= t * s->ray.direction[k];
    if (vv_norm(d) <= s->thickness)
        offer(s, item, t, (double[]){ 1, 0, 0 });
}

/* Whether the ray comes within `thickness` of the box, along each axis: never a false no. */
static bool comes_near(const search *s, const vv_box *box)
{
    double first = 0, last = s->t;
    for (int k = 0; k < 3; k++) {
        double slack = s->thickness * (1 + 1e-12), d = s->ray.direction[k];
        double low = box->low[k] - slack - s->ray.origin[k], high = box->high[k] + slack - s->ray.origin[k];
        if (fabs(d) < 1e-300) {
            if (low > 0 || high < 0)
                return false;
            continue;
        }
        first = fmax(first, fmin(low / d, high / d) * (1 - 1e-15));
        last = fmin(last, fmax(low / d, high / d) * (1 + 1e-15));
    }
    return first <= last;
}

static void search_near(search *s, const vv_bvh_node *nodes, int at)
{
    if (!comes_near(s, &nodes[at].box))
        return;
    if (!nodes[at].second) {
        (s->seen.corners == 1 ? try_point : try_edge)(s, nodes[at].item);
        return;
    }
    search_near(s, nodes, at + 1);
    search_near(s, nodes, nodes[at].second);
}

/* Restarts the ray at the ball around the body's box: far away, rounding would exceed the slack of the boxes.
 * Returns by how much. */
static double approach(const vv_box *box, double thickness, const double origin[3], const double direction[3],
                       double from[3])
{
    double centre[3], half[3];
    for (int k = 0; k < 3; k++) {
        half[k] = 0.5 * (box->high[k] - box->low[k]);
        centre[k] = box->low[k] + half[k] - origin[k];
    }
    double skip = fmax(0, vv_dot(centre, direction) - 1.01 * (vv_norm(half) + thickness));
    for (int k = 0; k < 3; k++)
        from[k] = origin[k] + skip * direction[k];
    return skip;
}

/* The vertices of the element that was hit. */
static const int *corners_of(const search *s) { return s->seen.list + (size_t)s->seen.corners * (size_t)s->item; }

static void set_point(const search *s, vvRayHit *hit)
{
    const int *v = corners_of(s);
    double nearest = INFINITY;
    for (int k = 0; k < s->seen.corners; k++)
        for (int c = 0; c < 3; c++)
            hit->point[c] += s->weights[k] * s->seen.x[3 * (size_t)v[k] + (size_t)c];
    for (int k = 0; k < s->seen.corners; k++) {
        double d[3];
        vv_sub(hit->point, s->seen.x + 3 * (size_t)v[k], d);
        if (vv_norm(d) < nearest) {
            nearest = vv_norm(d);
            hit->vertex = v[k] - s->seen.base;
        }
    }
    hit->node = hit->vertex;
}

/* The node with the largest weight in a vertex of a carried surface. */
static int node_of(const vv_skin *skin, int vertex)
{
    size_t most = 4 * (size_t)vertex;
    for (size_t k = 4 * (size_t)vertex; k < 4 * (size_t)vertex + 4; k++)
        if (skin->weights[k] > skin->weights[most])
            most = k;
    return skin->nodes[most];
}

static void set_normal(const search *s, vvRayHit *hit)
{
    const double *d = s->ray.direction, *x = s->seen.x;
    const int *v = corners_of(s);
    double e[3], n[3], sign = 1;
    if (s->seen.corners == 3) {
        vv_triangle_normal(x, v, n);
        sign = !s->seen.solid && vv_dot(n, d) > 0 ? -1 : 1;
    } else if (s->seen.corners == 1) {
        for (int k = 0; k < 3; k++)
            n[k] = -d[k];
    } else { /* across the edge, against the ray */
        vv_sub(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], e);
        double square = vv_dot(e, e), along = square > 0 ? vv_dot(d, e) / square : 0;
        for (int k = 0; k < 3; k++)
            n[k] = along * e[k] - d[k];
    }
    double length = vv_norm(n);
    for (int k = 0; k < 3; k++) /* against the ray: the ray runs along the edge, or the triangle has no area */
        hit->normal[k] = length > 0 ? sign * n[k] / length : -d[k];
}

/* Replaces *hit by the hit with body b if that is nearer. */
static vvStatus cast_at_body(vvWorld *w, int b, const vvRay *ray, const double direction[3], vvRayHit *hit,
                             vvError *error)
{
    vv_seen seen;
    if (!vv_surface_seen(w, b, &seen))
        return vv_fail_memory(error, "the tree of a ray cast");
    if (seen.tree->count == 0)
        return VV_OK;
    double thickness = ray->thickness + (seen.corners == 1 ? 0.5 * w->bodies[b].thickness : 0);
    double from[3], skip = approach(&seen.tree->nodes[0].box, thickness, ray->origin, direction, from);
    if (!(skip < hit->distance))
        return VV_OK;
    search s = { .seen = seen,
                 .ray = vv_ray_along(from, direction),
                 .thickness = thickness,
                 .t = hit->distance - skip,
                 .item = -1 };
    if (seen.corners == 3)
        vv_bvh_ray(seen.tree, from, direction, s.t, try_triangle, &s);
    else
        search_near(&s, seen.tree->nodes, 0);
    if (s.item < 0 || !(skip + s.t <= hit->distance))
        return VV_OK;
    *hit = (vvRayHit){ .body = vvWorldBody(w, b),
                       .triangle = seen.corners == 3 ? s.item : -1,
                       .edge = seen.corners == 2 ? s.item : -1,
                       .distance = skip + s.t };
    for (int k = 0; k < 3; k++)
        hit->weights[k] = s.weights[k];
    set_point(&s, hit);
    set_normal(&s, hit);
    if (w->bodies[b].surface_collides)
        hit->node = node_of(&w->bodies[b].skin, hit->vertex);
    return VV_OK;
}

/* ---- the whole ---- */

/* An obstacle that moves is met by the ray that its frame takes back to where it stands at rest. */
static bool meet_obstacle(const vvWorld *w, const vv_obstacle *obstacle, const double origin[3],
                          const double direction[3], double *t, double n[3])
{
    double from[3], along[3], local[3];
    if (obstacle->body1 == 0)
        return vv_obstacle_ray(obstacle, origin, direction, t, n);
    vv_frame frame = vv_obstacle_frame(w, obstacle);
    double stretch = vv_frame_take_back(&frame, origin, direction, from, along);
    if (!vv_obstacle_ray(obstacle, from, along, t, local))
        return false;
    *t /= stretch;
    vv_frame_normal(&frame, local, n);
    return true;
}

static void cast_at_obstacle(const vvWorld *w, int o, const vvRay *ray, const double direction[3], vvRayHit *hit)
{
    const vv_obstacle *obstacle = w->obstacles + o;
    double t, n[3];
    if (!meet_obstacle(w, obstacle, ray->origin, direction, &t, n) || !(t < hit->distance))
        return;
    *hit = (vvRayHit){
        .obstacle = vvWorldObstacleAt(w, o), .triangle = -1, .edge = -1, .vertex = -1, .node = -1, .distance = t
    };
    for (int k = 0; k < 3; k++) {
        hit->point[k] = ray->origin[k] + t * direction[k];
        hit->normal[k] = n[k];
    }
}

/* direction: normalised, also from a very long or very short one. */
static vvStatus check(const vvRay *r, double direction[3], vvError *error)
{
    vvStatus made = vv_check_made(r->internalValue, "vvRay", "vvWorldCastRay: the ray", error);
    if (made == VV_OK)
        made = vv_check_made(r->filter.internalValue, "vvFilter", "vvRay.filter", error);
    if (made != VV_OK)
        return made;
    double largest = 0;
    for (int k = 0; k < 3; k++) {
        if (!(fabs(r->origin[k]) <= 1e12) || !isfinite(r->direction[k]))
            return vv_fail(error, VV_ERROR_INPUT,
                           "ray from (%g, %g, %g) along (%g, %g, %g): numbers must be finite, "
                           "the origin within 1e12 m",
                           r->origin[0], r->origin[1], r->origin[2], r->direction[0], r->direction[1], r->direction[2]);
        largest = fmax(largest, fabs(r->direction[k]));
    }
    if (largest == 0)
        return vv_fail(error, VV_ERROR_INPUT, "the ray's direction is zero; it may have any other length");
    if (!(r->maxDistance >= 0))
        return vv_fail(error, VV_ERROR_INPUT,
                       "the ray's maxDistance is %g m; it must be at least 0 (infinity is allowed)", r->maxDistance);
    if (!(r->thickness >= 0 && r->thickness <= 1e12))
        return vv_fail(error, VV_ERROR_INPUT, "the ray's thickness is %g m; it must be in [0, 1e12]", r->thickness);
    for (int k = 0; k < 3; k++)
        direction[k] = r->direction[k] / largest;
    double length = vv_norm(direction);
    for (int k = 0; k < 3; k++)
        direction[k] /= length;
    return VV_OK;
}

static vvStatus cast(vvWorld *w, const vvRay *ray, vvRayHit *hit, bool *found, vvError *error)
{
    if (!ray || !hit || !found)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvWorldCastRay needs a ray, and pointers for the hit and the answer, "
                       "found NULL");
    double direction[3];
    const vvRayHit none = { .triangle = -1, .edge = -1, .vertex = -1, .node = -1 };
    *hit = none;
    *found = false;
    vvStatus status = check(ray, direction, error);
    if (status != VV_OK)
        return status;
    /* the distance to beat; a hit exactly at the limit counts */
    vvRayHit best = none;
    best.distance = isfinite(ray->maxDistance) ? nextafter(ray->maxDistance, INFINITY) : INFINITY;
    for (int b = 0; status == VV_OK && ray->bodies && b < (int)w->body_count; b++)
        if (!w->bodies[b].frame && vvFiltersTouch(&ray->filter, &w->bodies[b].filter))
            status = cast_at_body(w, b, ray, direction, &best, error);
    for (int o = 0; ray->obstacles && o < (int)w->obstacle_count; o++)
        if (vvFiltersTouch(&ray->filter, &w->obstacles[o].filter))
            cast_at_obstacle(w, o, ray, direction, &best);
    *found = status == VV_OK && (best.body.index1 || best.obstacle.index1) && best.distance <= ray->maxDistance;
    if (*found)
        *hit = best;
    return status;
}

vvStatus vvWorldCastRay(vvWorld *w, const vvRay *ray, vvRayHit *hit, bool *found, vvError *error)
{
    VV_WORLD_CALL(w, error, cast(w, ray, hit, found, error));
}
