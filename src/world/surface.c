/* The vertices that collide: every node of a body's surface, with a third of the area of the triangles around it. Bodies of
 * edges only, and nodes that only edges have: half of the length of the edges around, times d-hat. A point: the cross-section of
 * the ball that it stands for, whose diameter is the thickness, or d-hat where that is larger. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "world/world.h"

#include <string.h>

static const double QUARTER_PI = 0.78539816339744830962;

static double distance(const double *rest, int a, int b)
{
    double d[3];
    vv_sub(rest + 3 * (size_t)b, rest + 3 * (size_t)a, d);
    return vv_norm(d);
}

static double doubled_area(const double *rest, const int *v)
{
    double e[3], f[3], n[3];
    vv_sub(rest + 3 * (size_t)v[1], rest + 3 * (size_t)v[0], e);
    vv_sub(rest + 3 * (size_t)v[2], rest + 3 * (size_t)v[0], f);
    vv_cross(e, f, n);
    return vv_norm(n);
}

static void spread_area(const vvWorld *w, const vv_body *b, double *area)
{
    for (int t = 0; t < b->triangle_count; t++) {
        const int *v = b->triangles + 3 * t;
        for (int k = 0; k < 3; k++)
            area[v[k]] += doubled_area(w->rest, v) / 6;
    }
    for (int e = 0; b->tet_count == 0 && e < b->edge_count; e++) {
        double length = distance(w->rest, b->edges[2 * e], b->edges[2 * e + 1]);
        for (int k = 0; k < 2; k++) /* below 0: nodes that no triangle has */
            if (area[b->edges[2 * e + k]] <= 0)
                area[b->edges[2 * e + k]] -= 0.5 * length * w->def.contact.distance;
    }
    double diameter = fmax(b->thickness, w->def.contact.distance);
    for (int i = 0; i < b->point_count; i++)
        area[b->points[i]] = QUARTER_PI * diameter * diameter;
    for (int i = b->first; i < b->first + b->count; i++)
        area[i] = fabs(area[i]);
}

/* Marks the nodes to which spread_area gives something. */
static void mark_areas(const vv_body *b, const double *rest, unsigned char *has)
{
    for (int t = 0; t < b->triangle_count; t++)
        if (doubled_area(rest, b->triangles + 3 * t) > 0)
            for (int k = 0; k < 3; k++)
                has[b->triangles[3 * t + k]] = 1;
    for (int e = 0; b->tet_count == 0 && e < b->edge_count; e++)
        if (distance(rest, b->edges[2 * e], b->edges[2 * e + 1]) > 0)
            has[b->edges[2 * e]] = has[b->edges[2 * e + 1]] = 1;
}

vvStatus vv_check_lengths(const vv_body *b, const double *rest, vvError *error)
{
    unsigned char *has = vv_alloc((size_t)b->count, 1);
    vvStatus status = has ? VV_OK : vv_fail_memory(error, "a body");
    if (has)
        mark_areas(b, rest, has);
    for (int i = 0; status == VV_OK && i < 3 * b->triangle_count; i++)
        if (!has[b->triangles[i]])
            status = vv_fail(error, VV_ERROR_INPUT, "body \"%s\": triangle %d has all corners in one place%s; run the mesh through "
                             "vvMeshFinish", b->name, i / 3, b->tet_count ? " or on a line" : "");
    for (int i = 0; status == VV_OK && b->tet_count == 0 && i < 2 * b->edge_count; i++)
        if (!has[b->edges[i]])
            status = vv_fail(error, VV_ERROR_INPUT, "body \"%s\": edge (%d, %d) has both ends in one place; run the mesh through "
                             "vvMeshFinish", b->name, b->edges[i - i % 2], b->edges[i - i % 2 + 1]);
    vv_free(has);
    return status;
}

vvStatus vv_build_vertices(vvWorld *w, vvError *error)
{
    size_t n = (size_t)w->nodes;
    double *area = vv_alloc(n, sizeof *area);
    vv_vertices *vs = &w->vertices;
    *vs = (vv_vertices){ 0, vv_alloc(n + 1, sizeof(int)), vv_alloc(n, sizeof(int)), vv_alloc(n, sizeof(double)),
                         vv_alloc(n, sizeof(double)), vv_alloc(n, sizeof(double)), vv_alloc(n, sizeof(int)),
                         vv_alloc(n, sizeof(double)) };
    if (!area || !vs->start || !vs->node || !vs->weight || !vs->area || !vs->radius || !vs->body || !vs->friction) {
        vv_free(area);
        return vv_fail_memory(error, "the surface vertices");
    }
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        spread_area(w, body, area);
        for (int i = body->first; i < body->first + body->count; i++) {
            if (area[i] <= 0)
                continue;
            int v = vs->count++;
            vs->start[v + 1] = v + 1;
            vs->node[v] = i;
            vs->weight[v] = 1;
            vs->area[v] = area[i];
            vs->radius[v] = 0.5 * body->thickness;
            vs->body[v] = (int)b;
            vs->friction[v] = body->friction;
        }
    }
    vv_free(area);
    return VV_OK;
}
