/* The vertices that collide: every node of a body's surface, with a third of the area of the triangles around it. Bodies of
 * edges only, and nodes that only edges have: half of the length of the edges around, times d-hat. */
#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <string.h>

static void spread_area(const vvWorld *w, const vv_body *b, double *area)
{
    for (int t = 0; t < b->triangle_count; t++) {
        const int *v = b->triangles + 3 * t;
        double e[3], f[3], n[3];
        vv_sub(w->rest + 3 * (size_t)v[1], w->rest + 3 * (size_t)v[0], e);
        vv_sub(w->rest + 3 * (size_t)v[2], w->rest + 3 * (size_t)v[0], f);
        vv_cross(e, f, n);
        for (int k = 0; k < 3; k++)
            area[v[k]] += vv_norm(n) / 6;
    }
    for (int e = 0; b->tet_count == 0 && e < b->edge_count; e++) {
        double d[3];
        vv_sub(w->rest + 3 * (size_t)b->edges[2 * e + 1], w->rest + 3 * (size_t)b->edges[2 * e], d);
        for (int k = 0; k < 2; k++) /* below 0: nodes that no triangle has */
            if (area[b->edges[2 * e + k]] <= 0)
                area[b->edges[2 * e + k]] -= 0.5 * vv_norm(d) * w->def.contact.distance;
    }
    for (int i = b->first; i < b->first + b->count; i++)
        area[i] = fabs(area[i]);
}

vvStatus vv_check_lengths(const vv_body *b, const double *rest, vvError *error)
{
    for (int t = 0; t < b->triangle_count; t++) {
        const int *v = b->triangles + 3 * t;
        const double *x = rest + 3 * (size_t)v[0], *y = rest + 3 * (size_t)v[1], *z = rest + 3 * (size_t)v[2];
        if (memcmp(x, y, 3 * sizeof *x) == 0 && memcmp(x, z, 3 * sizeof *x) == 0)
            return vv_fail(error, VV_ERROR_INPUT, "body \"%s\": triangle %d has all corners in one place; run the mesh through "
                           "vvMeshFinish", b->name, t);
    }
    return VV_OK;
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
