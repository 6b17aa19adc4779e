/* The parts of a surface: which lies in which, which bound material and which a cavity.
 *
 * A point is in a closed part if a ray from it, along +x, crosses the part an odd number of times. The count is
 * exact: in the projection along x a triangle covers the point if an odd number of its edges pass on one side of it,
 * edges being half-open (an end at the point's height counts as below), so that triangles at an edge never both
 * claim it. */
#include "base/memory.h"
#include "base/geometry/predicates.h"
#include "base/vec.h"
#include "mesh/repair/surface.h"

#include <math.h>
#include <string.h>

/* ---- finding parts ----------------------------------------------------------------------------------------------- */

/* Joins triangles over edges; the root of a part is its first triangle. */
static void join_triangles(const vv_surface_check *s, int *parent)
{
    int n = 3 * s->mesh->triangleCount;
    for (int i = 0, m; i < n; i += m) {
        m = vv_half_edges_group(s->ends, s->order, i, n);
        for (int k = 1; k < m; k++) {
            int a = vv_root_of(parent, s->order[i] / 3), b = vv_root_of(parent, s->order[i + k] / 3);
            parent[a > b ? a : b] = a < b ? a : b;
        }
    }
}

vvStatus vv_surface_find_parts(vv_surface_check *s, vvError *error)
{
    vvSurfaceCheck *c = s->check;
    int n = s->mesh->triangleCount, *parent = c->partOf;
    for (int t = 0; t < n; t++)
        parent[t] = t;
    join_triangles(s, parent);
    for (int t = 0; t < n; t++)
        c->partCount += parent[t] == t;
    c->parts = vv_alloc((size_t)c->partCount, sizeof *c->parts);
    if (!c->parts)
        return vv_fail_memory(error, "the parts of a surface");
    /* parent[t] <= t, and everything before t is done: its part's number is known */
    for (int t = 0, part = 0; t < n; t++) {
        if (parent[t] == t) {
            c->parts[part] = (vvSurfacePart){ .closed = true, .parent = -1 };
            c->partOf[t] = part++;
        } else {
            c->partOf[t] = c->partOf[parent[t]];
        }
        vvSurfacePart *p = &c->parts[c->partOf[t]];
        p->triangleCount++;
        p->closed = p->closed && !(c->marks[t] & VV_SURFACE_OPEN);
    }
    return VV_OK;
}

/* ---- in which parts is a point? ---------------------------------------------------------------------------------- */

typedef struct point_query {
    const vv_surface_check *s;
    const double *point;
    unsigned char *odd; /* per part; NULL: not wanted */
    bool odd_in_all;
} point_query;

/* Whether the edge passes the point at its height on the +y side; x is ignored. */
static bool edge_passes(const double *a, const double *b, const double *p)
{
    if ((a[2] > p[2]) == (b[2] > p[2]))
        return false;
    const double *low = a[2] > p[2] ? b : a, *high = a[2] > p[2] ? a : b;
    return vv_orient2d(low + 1, high + 1, p + 1) > 0;
}

static bool on_triangle(void *arg, int t)
{
    point_query *q = arg;
    const double *x[3], *p = q->point;
    bool covers = false;
    for (int k = 0; k < 3; k++)
        x[k] = vv_surface_corner(q->s, t, k);
    for (int k = 0; k < 3; k++)
        covers ^= edge_passes(x[k], x[(k + 1) % 3], p);
    /* the point is in front of the triangle's plane if it is on the side of -x */
    if (!covers || vv_orient2d(x[0] + 1, x[1] + 1, x[2] + 1) * vv_orient3d(x[0], x[1], x[2], p) >= 0)
        return true;
    q->odd_in_all = !q->odd_in_all;
    if (q->odd)
        q->odd[q->s->check->partOf[t]] ^= 1;
    return true;
}

static bool count_crossings(const vv_surface_check *s, const double point[3], unsigned char *odd)
{
    vv_box ray = { { point[0], point[1], point[2] }, { INFINITY, point[1], point[2] } };
    point_query q = { s, point, odd, false };
    vv_bvh_touching(&s->tree, &ray, on_triangle, &q);
    return q.odd_in_all;
}

bool vv_surface_has_inside(const vv_surface_check *s, const double point[3]) { return count_crossings(s, point, NULL); }

static void find_around(const vv_surface_check *s, const double point[3], unsigned char *odd)
{
    memset(odd, 0, (size_t)s->check->partCount);
    count_crossings(s, point, odd);
}

/* ---- measures of a part ------------------------------------------------------------------------------------------ */

/* Six times the signed volumes of the parts, each about a corner of its own, to avoid cancellation. */
static vvStatus measure(const vv_surface_check *s, vvError *error)
{
    vvSurfaceCheck *c = s->check;
    const double **origin = vv_alloc((size_t)c->partCount, sizeof *origin);
    if (!origin)
        return vv_fail_memory(error, "the parts of a surface");
    for (int t = 0; t < s->mesh->triangleCount; t++) {
        double e[3][3], n[3];
        int part = c->partOf[t];
        if (!origin[part])
            origin[part] = vv_surface_corner(s, t, 0);
        for (int k = 0; k < 3; k++) {
            vv_sub(vv_surface_corner(s, t, k), origin[part], e[k]);
            for (int i = 0; i < 3; i++) /* back to metres: products of three scaled ones would be too large to sum */
                e[k][i] /= s->scale;
        }
        vv_cross(e[1], e[2], n);
        c->parts[part].volume += vv_dot(e[0], n) / 6;
    }
    vv_free(origin);
    return VV_OK;
}

/* ---- a point within: half way from a triangle to what is behind it ---------------------------------------------- */

typedef struct hit_query {
    const vv_surface_check *s;
    int from;
    double origin[3], direction[3], nearest;
} hit_query;

/* Plain arithmetic: the resulting point is tested exactly. */
static double on_ray(void *arg, int t, double limit)
{
    hit_query *q = arg;
    const double *a = vv_surface_corner(q->s, t, 0);
    double u[3], v[3], w[3], n[3], at[3], c[3];
    if (t == q->from)
        return limit;
    vv_sub(vv_surface_corner(q->s, t, 1), a, u);
    vv_sub(vv_surface_corner(q->s, t, 2), a, v);
    vv_sub(q->origin, a, w);
    vv_cross(u, v, n);
    double distance = -vv_dot(n, w) / vv_dot(n, q->direction), nn = vv_dot(n, n);
    if (!(distance > 0 && distance < limit))
        return limit;
    for (int k = 0; k < 3; k++)
        at[k] = w[k] + distance * q->direction[k];
    vv_cross(at, v, c);
    double r = vv_dot(c, n) / nn;
    vv_cross(u, at, c);
    double z = vv_dot(c, n) / nn;
    if (r >= 0 && z >= 0 && r + z <= 1)
        q->nearest = distance;
    return q->nearest;
}

/* Behind triangle t: against its normal, or along it if the part faces inwards. */
static bool point_behind(const vv_surface_check *s, int t, bool inwards, double out[3])
{
    hit_query q = { .s = s, .from = t, .nearest = INFINITY };
    const double *a = vv_surface_corner(s, t, 0);
    double u[3], v[3], n[3];
    vv_sub(vv_surface_corner(s, t, 1), a, u);
    vv_sub(vv_surface_corner(s, t, 2), a, v);
    vv_cross(u, v, n);
    double length = vv_norm(n);
    for (int k = 0; k < 3; k++) {
        q.origin[k] = a[k] + (u[k] + v[k]) / 3;
        q.direction[k] = (inwards ? n[k] : -n[k]) / length;
    }
    vv_bvh_ray(&s->tree, q.origin, q.direction, INFINITY, on_ray, &q);
    for (int k = 0; k < 3; k++)
        out[k] = q.origin[k] + 0.5 * q.nearest * q.direction[k];
    return isfinite(q.nearest);
}

/* Whether the point is in the part and in all parts around it, and in no other. */
static bool is_within(const vv_surface_check *s, int part, const double point[3], unsigned char *odd)
{
    int around = 0;
    find_around(s, point, odd);
    for (int p = 0; p < s->check->partCount; p++)
        around += odd[p];
    return odd[part] && around == s->check->parts[part].depth + 1;
}

enum { TRIES = 64 }; /* triangles tried per part */

/* If rounding leaves no such point (in a part only a few bits thick), `inside` stays NaN. */
static vvStatus find_points_within(const vv_surface_check *s, const unsigned char *inwards, unsigned char *odd,
                                   vvError *error)
{
    vvSurfaceCheck *c = s->check;
    int *tries = vv_alloc((size_t)c->partCount, sizeof *tries);
    if (!tries)
        return vv_fail_memory(error, "the parts of a surface");
    for (int t = 0; t < s->mesh->triangleCount; t++) {
        double point[3];
        int part = c->partOf[t];
        if (tries[part] == TRIES)
            continue;
        tries[part]++;
        if (!point_behind(s, t, inwards[part], point) || !is_within(s, part, point, odd))
            continue;
        for (int k = 0; k < 3; k++)
            c->parts[part].inside[k] = point[k] / s->scale;
        tries[part] = TRIES;
    }
    vv_free(tries);
    return VV_OK;
}

/* ---- nesting ----------------------------------------------------------------------------------------------------- */

/* A point of each part that is on no other: a vertex of its own, or else the centre of a triangle. */
static vvStatus find_starts(const vv_surface_check *s, double (*start)[3], vvError *error)
{
    enum { MANY = -1 };
    vvSurfaceCheck *c = s->check;
    int *owner = vv_alloc((size_t)s->mesh->vertexCount, sizeof *owner); /* part + 1 */
    unsigned char *done = vv_alloc((size_t)c->partCount, 1);
    vvStatus status = owner && done ? VV_OK : vv_fail_memory(error, "the parts of a surface");
    for (int i = 0; status == VV_OK && i < 3 * s->mesh->triangleCount; i++) {
        int *o = &owner[s->mesh->triangles[i]], part = c->partOf[i / 3] + 1;
        *o = *o == 0 || *o == part ? part : MANY;
    }
    for (int i = 0; status == VV_OK && i < 3 * s->mesh->triangleCount; i++) {
        int part = c->partOf[i / 3];
        const double *x[3];
        for (int k = 0; k < 3; k++)
            x[k] = vv_surface_corner(s, i / 3, k);
        if (done[part] == 2)
            continue;
        bool own = owner[s->mesh->triangles[i]] != MANY;
        for (int k = 0; k < 3 && (own || !done[part]); k++)
            start[part][k] = own ? x[i % 3][k] : x[0][k] / 3 + x[1][k] / 3 + x[2][k] / 3;
        done[part] = own ? 2 : 1;
    }
    vv_free(owner);
    vv_free(done);
    return status;
}

static void nest(vv_surface_check *s, int part, const double start[3], unsigned char *odd)
{
    vvSurfacePart *parts = s->check->parts, *p = &parts[part];
    find_around(s, start, odd);
    odd[part] = 0;
    for (int i = 0; i < s->check->partCount; i++) {
        if (!odd[i])
            continue;
        p->depth++;
        if (p->parent < 0 || parts[i].volume < parts[p->parent].volume)
            p->parent = i;
    }
}

static void total(vvSurfaceCheck *c, const unsigned char *inwards)
{
    for (int i = 0; i < c->partCount; i++) {
        vvSurfacePart *p = &c->parts[i];
        bool cavity = p->depth % 2 == 1;
        p->reversed = cavity ? !inwards[i] : inwards[i];
        c->cavityCount += cavity;
        c->reversedCount += p->reversed;
        c->volume += cavity ? -p->volume : p->volume;
    }
}

vvStatus vv_surface_nest_parts(vv_surface_check *s, vvError *error)
{
    vvSurfaceCheck *c = s->check;
    size_t n = (size_t)c->partCount;
    double(*start)[3] = vv_alloc(n, sizeof *start);
    unsigned char *odd = vv_alloc(n, 1), *inwards = vv_alloc(n, 1);
    vvStatus status = start && odd && inwards ? measure(s, error) : vv_fail_memory(error, "the parts of a surface");
    for (size_t i = 0; status == VV_OK && i < n; i++) {
        inwards[i] = c->parts[i].volume < 0;
        c->parts[i].volume = fabs(c->parts[i].volume);
        for (int k = 0; k < 3; k++)
            c->parts[i].inside[k] = NAN;
    }
    if (status == VV_OK)
        status = find_starts(s, start, error);
    for (size_t i = 0; status == VV_OK && i < n; i++)
        nest(s, (int)i, start[i], odd);
    if (status == VV_OK)
        total(c, inwards);
    if (status == VV_OK)
        status = find_points_within(s, inwards, odd, error);
    vv_free(start);
    vv_free(odd);
    vv_free(inwards);
    return status;
}
