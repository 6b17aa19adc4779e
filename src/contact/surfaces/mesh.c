/* The vertices that collide: those of every body's surface. Their areas: a third of the triangles around them. For
 * bodies of edges only, and vertices with edges only: half of the length of the edges around, times d-hat. For a
 * point: the cross-section of the ball that it represents, whose diameter is the thickness, or d-hat if that is
 * larger. */
#include "contact/surfaces/mesh.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"

static const double QUARTER_PI = 0.78539816339744830962;

/* ---- areas ---- */

/* x and area: of the surface's vertices. */
static void spread_area(const vv_contact_body *b, const double *x, double distance, double *area)
{
    for (int t = 0; t < b->triangle_count; t++) {
        const int *at = b->triangles + 3 * (size_t)t, v[3] = { at[0] - b->base, at[1] - b->base, at[2] - b->base };
        for (int k = 0; k < 3; k++)
            area[v[k]] += vv_triangle_area(x, v) / 3;
    }
    for (int e = 0; e < b->edge_count; e++) {
        const int v[2] = { b->edges[2 * (size_t)e] - b->base, b->edges[2 * (size_t)e + 1] - b->base };
        for (int k = 0; k < 2; k++) /* negative area: no triangle at this vertex */
            if (area[v[k]] <= 0)
                area[v[k]] -= 0.5 * vv_edge_length(x, v[0], v[1]) * distance;
    }
    double diameter = fmax(b->thickness, distance);
    for (int i = 0; i < b->point_count; i++)
        area[b->points[i] - b->base] = QUARTER_PI * diameter * diameter;
    for (int i = 0; i < b->vertex_count; i++)
        area[i] = fabs(area[i]);
}

/* ---- vertices ---- */

/* The nodes of a vertex with their weights; returns how many. */
static int embed(const vv_contact_body *b, int i, int node[VV_VERTEX_NODES], double weight[VV_VERTEX_NODES])
{
    int n = 0;
    if (!b->nodes) {
        node[0] = b->first_node + i;
        weight[0] = 1;
        return 1;
    }
    for (size_t k = 4 * (size_t)i; k < 4 * (size_t)i + 4; k++)
        if (b->affine || b->weights[k] != 0) {
            node[n] = b->first_node + b->nodes[k];
            weight[n++] = b->weights[k];
        }
    return n;
}

/* Rest positions of the surface's vertices. */
static const double *rest_of(const vv_contact_body *b, const double *rest, double *room)
{
    if (!b->nodes)
        return rest + 3 * (size_t)b->first_node;
    for (int i = 0; i < b->vertex_count; i++) {
        int node[VV_VERTEX_NODES], n;
        double weight[VV_VERTEX_NODES], *x = room + 3 * (size_t)i;
        n = embed(b, i, node, weight);
        x[0] = x[1] = x[2] = 0;
        for (int k = 0; k < n; k++)
            for (int c = 0; c < 3; c++)
                x[c] += weight[k] * rest[3 * (size_t)node[k] + (size_t)c];
    }
    return room;
}

static void add_vertex(const vv_contact_body *b, int body, int i, double area, vv_vertices *vs, int *count)
{
    int v = vs->count + vs->inner + vs->within, at = vs->start[v];
    ++*count;
    vs->start[v + 1] = at + embed(b, i, vs->node + at, vs->weight + at);
    vs->area[v] = area;
    vs->radius[v] = 0.5 * b->thickness;
    vs->body[v] = body;
    vs->label[v] = i;
    vs->friction[v] = b->friction;
}

static vvStatus allocate(vv_vertices *vs, size_t vertices, size_t entries, vvError *error)
{
    *vs = (vv_vertices){ 0,
                         0,
                         0,
                         vv_alloc(vertices + 1, sizeof(int)),
                         vv_alloc(entries, sizeof(int)),
                         vv_alloc(entries, sizeof(double)),
                         vv_alloc(vertices, sizeof(double)),
                         vv_alloc(vertices, sizeof(double)),
                         vv_alloc(vertices, sizeof(int)),
                         vv_alloc(vertices, sizeof(int)),
                         vv_alloc(vertices, sizeof(double)) };
    bool ok = vs->start && vs->node && vs->weight && vs->area && vs->radius && vs->body && vs->label && vs->friction;
    return ok ? VV_OK : vv_fail_memory(error, "the surface vertices");
}

/* Whether the nodes within a body take part. */
static bool has_inner(const vv_contact_body *b) { return b->tet_count > 0 && b->self && b->moves; }

/* The mean area of the body's vertices. */
static double mean_area(const vv_contact_body *b, const double *area)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < b->vertex_count; i++)
        sum += area[i], count += area[i] > 0;
    return count ? sum / count : 0;
}

/* The nodes within a body, at the end of the list; *count: of which kind they are. */
static void add_inner(const vv_contact_body *b, int body, const double *area, vv_vertices *vs, int *count)
{
    const double mean = mean_area(b, area);
    for (int i = 0; i < b->vertex_count; i++)
        if (!(area[i] > 0))
            add_vertex(b, body, i, mean, vs, count);
}

/* area: of all surfaces' vertices, body after body; vertex_of likewise: their number in vs. */
static vvStatus list_vertices(const vv_contact_body *bodies, int count, const double *area, vv_vertices *vs,
                              int *vertex_of, vvError *error)
{
    size_t vertices = 0, entries = 0, at = 0;
    for (int b = 0; b < count; b++)
        for (int i = 0; i < bodies[b].vertex_count; i++, at++)
            if (area[at] > 0 || has_inner(bodies + b) || bodies[b].bound) {
                int node[VV_VERTEX_NODES];
                double weight[VV_VERTEX_NODES];
                vertices++;
                entries += (size_t)embed(bodies + b, i, node, weight);
            }
    vvStatus status = allocate(vs, vertices, entries, error);
    at = 0;
    for (int b = 0; status == VV_OK && b < count; b++)
        for (int i = 0; i < bodies[b].vertex_count; i++, at++)
            if (area[at] > 0) {
                vertex_of[at] = vs->count;
                add_vertex(bodies + b, b, i, area[at], vs, &vs->count);
            }
    for (int kind = 0; kind < 2; kind++) {
        const double *own = area;
        for (int b = 0; status == VV_OK && b < count; own += bodies[b++].vertex_count)
            if (kind == 0 ? has_inner(bodies + b) : bodies[b].bound && !has_inner(bodies + b))
                add_inner(bodies + b, b, own, vs, kind == 0 ? &vs->inner : &vs->within);
    }
    return status;
}

void vv_vertices_free(vv_vertices *vertices)
{
    vv_free(vertices->start);
    vv_free(vertices->node);
    vv_free(vertices->weight);
    vv_free(vertices->area);
    vv_free(vertices->radius);
    vv_free(vertices->body);
    vv_free(vertices->label);
    vv_free(vertices->friction);
    *vertices = (vv_vertices){ 0 };
}

/* ---- the whole ---- */

vvStatus vv_contact_mesh_build(const vv_contact_body *bodies, int count, const double *rest, double distance,
                               vv_vertices *vertices, vv_surface *surface, vvError *error)
{
    size_t all = 0, carried = 0, at = 0;
    for (int b = 0; b < count; b++) {
        size_t n = (size_t)bodies[b].vertex_count;
        all += n;
        carried = bodies[b].nodes && n > carried ? n : carried;
    }
    double *area = vv_alloc(all, sizeof *area), *room = vv_alloc(3 * carried, sizeof *room);
    int *vertex_of = vv_alloc(all, sizeof *vertex_of);
    *vertices = (vv_vertices){ 0 };
    *surface = (vv_surface){ .vertices = vertices, .body_count = count };
    vvStatus status = area && room && vertex_of ? VV_OK : vv_fail_memory(error, "the surface vertices");
    for (int b = 0; status == VV_OK && b < count; at += (size_t)bodies[b++].vertex_count)
        spread_area(bodies + b, rest_of(bodies + b, rest, room), vv_contact_body_distance(bodies + b, distance),
                    area + at);
    if (status == VV_OK)
        status = list_vertices(bodies, count, area, vertices, vertex_of, error);
    vv_free(area);
    vv_free(room);
    if (status == VV_OK && !(surface->rest = vv_alloc(3 * (size_t)vertices->count, sizeof *surface->rest)))
        status = vv_fail_memory(error, "the surfaces");
    for (int v = 0; status == VV_OK && v < vertices->count; v++)
        vv_vertex_position(vertices, v, rest, surface->rest + 3 * (size_t)v);
    if (status == VV_OK)
        status = vv_contact_mesh_elements(bodies, vertex_of, distance, surface, error);
    if (status == VV_OK)
        status = vv_contact_mesh_flat(bodies, distance, surface, error);
    vv_free(vertex_of);
    return status;
}
