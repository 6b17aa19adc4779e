/* What a solid box or ball contains: nodes one by one; bodies by their surface (each triangle or edge near the shape)
 * and, if that does not meet the shape, by whether the shape lies inside the body: then its centre is in a tet, or in
 * the surface that the body carries if that collides. */
#include "base/error.h"
#include "base/geometry/intersect.h"
#include "base/vec.h"
#include "visviva/query.h"
#include "world/queries/trees.h"

vvOverlap vvDefaultOverlap(void)
{
    return (vvOverlap){ .filter = vvDefaultFilter(), .internalValue = VV_MADE_BY_DEFAULT };
}

/* ---- the shape ---- */

typedef struct shape {
    vvShapeKind kind;
    double centre[3], half[3], radius2;
    double turn[9]; /* the box's frame: R */
    vv_box bounds;
    /* the search of one body */
    vv_seen seen;
    const vv_body *body;
    const double *nodes; /* their positions */
    bool met;
} shape;

static vvStatus check(const vvOverlap *def, vvError *error)
{
    vvStatus made = vv_check_made(def->internalValue, "vvOverlap", "overlap: the shape", error);
    if (made == VV_OK)
        made = vv_check_made(def->filter.internalValue, "vvFilter", "vvOverlap.filter", error);
    if (made != VV_OK)
        return made;
    if (def->kind != VV_SHAPE_BOX && def->kind != VV_SHAPE_SPHERE)
        return vv_fail(error, VV_ERROR_INPUT,
                       "overlap: shape %d is not known; there are VV_SHAPE_BOX and "
                       "VV_SHAPE_SPHERE",
                       (int)def->kind);
    bool box = def->kind == VV_SHAPE_BOX;
    for (int k = 0; k < 3; k++) {
        if (!(fabs(def->center[k]) <= 1e12))
            return vv_fail(error, VV_ERROR_INPUT, "overlap: the center is at (%g, %g, %g); it must be within 1e12 m",
                           def->center[0], def->center[1], def->center[2]);
        if (box && !(def->size[k] >= 0 && def->size[k] <= 1e12))
            return vv_fail(error, VV_ERROR_INPUT, "overlap: the box's size is (%g, %g, %g) m; allowed: 0 to 1e12 each",
                           def->size[0], def->size[1], def->size[2]);
        if (box && !isfinite(def->rotate[k]))
            return vv_fail(error, VV_ERROR_INPUT,
                           "overlap: the box's rotation is (%g, %g, %g) degrees; it must be "
                           "finite",
                           def->rotate[0], def->rotate[1], def->rotate[2]);
    }
    if (!box && !(def->radius >= 0 && def->radius <= 1e12))
        return vv_fail(error, VV_ERROR_INPUT, "overlap: the radius is %g m; it must be in [0, 1e12]", def->radius);
    return VV_OK;
}

static shape make_shape(const vvOverlap *def)
{
    shape s = { .kind = def->kind, .radius2 = def->radius * def->radius };
    bool turned = def->rotate[0] != 0 || def->rotate[1] != 0 || def->rotate[2] != 0;
    if (turned)
        vv_euler_degrees(def->rotate, s.turn);
    else
        s.turn[0] = s.turn[4] = s.turn[8] = 1;
    for (int k = 0; k < 3; k++) {
        s.centre[k] = def->center[k];
        s.half[k] = def->size[k] / 2;
    }
    for (int k = 0; k < 3; k++) {
        const double *row = s.turn + 3 * k;
        double reach = def->radius;
        if (def->kind == VV_SHAPE_BOX)
            reach = fabs(row[0]) * s.half[0] + fabs(row[1]) * s.half[1] + fabs(row[2]) * s.half[2];
        reach *= 1 + 1e-14; /* rounding must not exclude what the exact tests would find */
        s.bounds.low[k] = s.centre[k] - reach;
        s.bounds.high[k] = s.centre[k] + reach;
    }
    return s;
}

/* A point in the box's frame. */
static void local(const shape *s, const double x[3], double y[3])
{
    double d[3];
    vv_sub(x, s->centre, d);
    for (int k = 0; k < 3; k++)
        y[k] = s->turn[k] * d[0] + s->turn[3 + k] * d[1] + s->turn[6 + k] * d[2];
}

static bool holds_point(const shape *s, const double x[3])
{
    double y[3];
    local(s, x, y);
    if (s->kind == VV_SHAPE_SPHERE)
        return vv_dot(y, y) <= s->radius2;
    return fabs(y[0]) <= s->half[0] && fabs(y[1]) <= s->half[1] && fabs(y[2]) <= s->half[2];
}

/* ---- nodes ---- */

static vvStatus overlap_nodes(vvWorld *w, const vvOverlap *def, int *nodes, int capacity, int *count, vvError *error)
{
    if (!def || !count)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvWorldOverlapNodes needs a shape and a pointer for a count, found NULL");
    *count = 0;
    vvStatus status = check(def, error);
    if (status != VV_OK)
        return status;
    shape s = make_shape(def);
    const double *x = vvWorldPositions(w);
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        for (int i = body->first;
             !body->frame && vvFiltersTouch(&def->filter, &body->filter) && i < body->first + body->vertex_count; i++)
            if (holds_point(&s, x + 3 * (size_t)i)) {
                if (nodes && *count < capacity)
                    nodes[*count] = i;
                ++*count;
            }
    }
    return VV_OK;
}

vvStatus vvWorldOverlapNodes(vvWorld *w, const vvOverlap *def, int *nodes, int capacity, int *count, vvError *error)
{
    VV_WORLD_CALL(w, error, overlap_nodes(w, def, nodes, capacity, count, error));
}

/* ---- bodies ---- */

static bool try_triangle(void *arg, int item)
{
    shape *s = arg;
    const int *v = s->seen.list + 3 * (size_t)item;
    const double *x = s->seen.x, *a = x + 3 * (size_t)v[0], *b = x + 3 * (size_t)v[1], *c = x + 3 * (size_t)v[2];
    double p[3], q[3], r[3];
    if (s->kind == VV_SHAPE_SPHERE) {
        s->met = vv_point_triangle(s->centre, a, b, c) <= s->radius2;
    } else {
        local(s, a, p);
        local(s, b, q);
        local(s, c, r);
        s->met = vv_triangle_meets_box(s->half, p, q, r);
    }
    return !s->met;
}

static bool try_edge(void *arg, int item)
{
    shape *s = arg;
    const int *v = s->seen.list + 2 * (size_t)item;
    const double *a = s->seen.x + 3 * (size_t)v[0], *b = s->seen.x + 3 * (size_t)v[1];
    double p[3], q[3];
    if (s->kind == VV_SHAPE_SPHERE) {
        s->met = vv_point_segment(s->centre, a, b) <= s->radius2;
    } else {
        local(s, a, p);
        local(s, b, q);
        s->met = vv_segment_meets_box(s->half, p, q);
    }
    return !s->met;
}

static bool try_point(void *arg, int item)
{
    shape *s = arg;
    s->met = holds_point(s, s->seen.x + 3 * (size_t)s->seen.list[item]);
    return !s->met;
}

static bool try_tet(void *arg, int item)
{
    shape *s = arg;
    const int *v = s->body->tets + 4 * (size_t)item;
    const double *x = s->nodes;
    s->met = vv_point_in_tet(s->centre, x + 3 * (size_t)v[0], x + 3 * (size_t)v[1], x + 3 * (size_t)v[2],
                             x + 3 * (size_t)v[3]) != 0;
    return !s->met;
}

/* Whether a point not on a closed surface lies inside it: seen from there, the solid angles of its triangles add up
 * to the full sphere (Van Oosterom and Strackee 1983). */
static bool inside_surface(const vv_seen *seen, const double p[3])
{
    double sum = 0;
    for (int t = 0; t < seen->count; t++) {
        double r[3][3], length[3], n[3];
        for (int k = 0; k < 3; k++) {
            vv_sub(seen->x + 3 * (size_t)seen->list[3 * (size_t)t + (size_t)k], p, r[k]);
            length[k] = vv_norm(r[k]);
        }
        vv_cross(r[1], r[2], n);
        sum += 2 * atan2(vv_dot(r[0], n), length[0] * length[1] * length[2] + vv_dot(r[0], r[1]) * length[2] +
                                              vv_dot(r[1], r[2]) * length[0] + vv_dot(r[2], r[0]) * length[1]);
    }
    return fabs(sum) > 2 * 3.14159265358979323846; /* half of the full sphere */
}

static vvStatus meet_body(vvWorld *w, int b, shape *s, vvError *error)
{
    static vv_bvh_item_fn *const tests[] = { try_point, try_edge, try_triangle };
    const vv_body *body = w->bodies + b;
    if (!vv_surface_seen(w, b, &s->seen))
        return vv_fail_memory(error, "the tree of an overlap query");
    s->body = body;
    s->nodes = vvWorldPositions(w);
    s->met = false;
    vv_bvh_touching(s->seen.tree, &s->bounds, tests[s->seen.corners - 1], s);
    if (s->met || body->tet_count == 0 || !vv_box_touch(&s->seen.tree->nodes[0].box, &s->bounds))
        return VV_OK;
    if (body->surface_collides) {
        s->met = inside_surface(&s->seen, s->centre);
        return VV_OK;
    }
    const vv_bvh *tree = vv_tet_tree(w, b);
    if (!tree)
        return vv_fail_memory(error, "the tree of an overlap query");
    vv_box centre = vv_box_empty();
    vv_box_add(&centre, s->centre);
    vv_bvh_touching(tree, &centre, try_tet, s);
    return VV_OK;
}

static vvStatus overlap_bodies(vvWorld *w, const vvOverlap *def, vvBodyId *bodies, int capacity, int *count,
                               vvError *error)
{
    if (!def || !count)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvWorldOverlapBodies needs a shape and a pointer for a count, found NULL");
    *count = 0;
    vvStatus status = check(def, error);
    if (status != VV_OK)
        return status;
    shape s = make_shape(def);
    int met = 0;
    for (int b = 0; status == VV_OK && b < (int)w->body_count; b++) {
        if (w->bodies[b].frame || !vvFiltersTouch(&def->filter, &w->bodies[b].filter))
            continue;
        status = meet_body(w, b, &s, error);
        if (status == VV_OK && s.met && bodies && met < capacity)
            bodies[met] = vvWorldBody(w, b);
        met += status == VV_OK && s.met;
    }
    if (status == VV_OK)
        *count = met;
    return status;
}

vvStatus vvWorldOverlapBodies(vvWorld *w, const vvOverlap *def, vvBodyId *bodies, int capacity, int *count,
                              vvError *error)
{
    VV_WORLD_CALL(w, error, overlap_bodies(w, def, bodies, capacity, count, error));
}
