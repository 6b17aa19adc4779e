/* Carried surfaces in a run file: /visviva/surface_counts (vertices and triangles of each body), surface_triangles
 * (counted from the surface's first vertex), surface_nodes (run nodes) and surface_weights, each for all bodies one
 * after the other; and surface_collides, 1 for a body whose surface collides instead of its own, if there is such a
 * body.
 *
 * A run's vertices are its nodes and, after them, the vertices of the carried surfaces, body by body. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "record/reader.h"
#include "record/writer.h"

static const char counts_path[] = "/visviva/surface_counts", triangles_path[] = "/visviva/surface_triangles",
                  nodes_path[] = "/visviva/surface_nodes", weights_path[] = "/visviva/surface_weights",
                  collides_path[] = "/visviva/surface_collides";

const char *const vv_surface_paths[VV_SURFACE_PATHS] = { counts_path, triangles_path, nodes_path, weights_path,
                                                         collides_path };

/* ---- writing ---- */

typedef struct gathered {
    int32_t *counts;
    int *triangles, *nodes;
    double *weights;
    int64_t vertex_count, triangle_count;
} gathered;

static bool gather(const vvWorld *world, int bodies, gathered *g)
{
    *g = (gathered){ .counts = vv_alloc(2 * (size_t)bodies, sizeof(int32_t)) };
    for (int b = 0; g->counts && b < bodies; b++) {
        vvBodySurface s;
        vvBodyGetSurface(world, vvWorldBody(world, b), &s);
        g->counts[2 * b] = s.vertexCount, g->counts[2 * b + 1] = s.triangleCount;
        g->vertex_count += s.vertexCount, g->triangle_count += s.triangleCount;
    }
    g->triangles = vv_alloc(3 * (size_t)g->triangle_count, sizeof *g->triangles);
    g->nodes = vv_alloc(4 * (size_t)g->vertex_count, sizeof *g->nodes);
    g->weights = vv_alloc(4 * (size_t)g->vertex_count, sizeof *g->weights);
    if (!g->counts || !g->triangles || !g->nodes || !g->weights)
        return false;
    size_t vertex = 0, triangle = 0;
    for (int b = 0; b < bodies; b++) {
        vvBodySurface s;
        int first, count;
        vvBodyGetSurface(world, vvWorldBody(world, b), &s);
        vvBodyNodes(world, vvWorldBody(world, b), &first, &count);
        if (s.vertexCount == 0)
            continue;
        memcpy(g->triangles + 3 * triangle, s.triangles, 3 * (size_t)s.triangleCount * sizeof *s.triangles);
        memcpy(g->weights + 4 * vertex, s.weights, 4 * (size_t)s.vertexCount * sizeof *s.weights);
        for (size_t i = 0; i < 4 * (size_t)s.vertexCount; i++)
            g->nodes[4 * vertex + i] = first + s.nodes[i];
        vertex += (size_t)s.vertexCount, triangle += (size_t)s.triangleCount;
    }
    return true;
}

static bool write_rows(hid_t file, const char *path, hid_t type, int64_t rows, int columns, const void *data)
{
    const hsize_t dims[2] = { (hsize_t)rows, (hsize_t)columns };
    return vv_hdf_write(file, path, type, 2, dims, data);
}

static bool write_collides(hid_t file, const vvWorld *world, int bodies)
{
    const hsize_t count = (hsize_t)bodies;
    bool any = false;
    int32_t *flags = vv_alloc((size_t)bodies, sizeof *flags);
    for (int b = 0; flags && b < bodies; b++) {
        flags[b] = vvBodySurfaceCollides(world, vvWorldBody(world, b));
        any = any || flags[b];
    }
    bool ok = flags && (!any || vv_hdf_write(file, collides_path, H5T_NATIVE_INT32, 1, &count, flags));
    vv_free(flags);
    return ok;
}

bool vv_writer_surfaces(hid_t file, const vvWorld *world, int bodies)
{
    gathered g;
    bool ok = gather(world, bodies, &g) && write_rows(file, counts_path, H5T_NATIVE_INT32, bodies, 2, g.counts) &&
              write_rows(file, triangles_path, H5T_NATIVE_INT, g.triangle_count, 3, g.triangles) &&
              write_rows(file, nodes_path, H5T_NATIVE_INT, g.vertex_count, 4, g.nodes) &&
              write_rows(file, weights_path, H5T_NATIVE_DOUBLE, g.vertex_count, 4, g.weights) &&
              write_collides(file, world, bodies);
    vv_free(g.counts);
    vv_free(g.triangles);
    vv_free(g.nodes);
    vv_free(g.weights);
    return ok;
}

/* ---- reading ---- */

/* What is drawn of a body that carries nothing. */
static void draw_itself(vvRunBody *body)
{
    body->firstVertex = body->firstNode, body->vertexCount = body->nodeCount;
    body->drawnTriangleCount = body->triangleCount, body->drawnTriangles = body->triangles;
}

static vvStatus check_weights(const vvRun *run, vvError *error)
{
    for (int64_t i = 0; i < 4 * run->surface_vertices; i++) {
        if (run->surface_nodes[i] < 0 || run->surface_nodes[i] >= run->sizes.nodes)
            return vv_reader_broken(run, nodes_path, "names a nonexistent node", error);
        if (!isfinite(run->surface_weights[i]))
            return vv_reader_broken(run, weights_path, "has a weight that is not a number", error);
    }
    return VV_OK;
}

static vvStatus hand_out(vvRun *run, const int32_t *counts, int64_t triangles, vvError *error)
{
    int64_t vertex = 0, triangle = 0;
    for (int64_t b = 0; b < run->sizes.bodies; b++) {
        vvRunBody *body = run->bodies + b;
        int32_t v = counts[2 * b], t = counts[2 * b + 1];
        if (v < 0 || t < 0 || v > run->surface_vertices - vertex || t > triangles - triangle)
            return vv_reader_broken(run, counts_path, "does not fit the surfaces", error);
        if (v == 0) {
            if (t > 0)
                return vv_reader_broken(run, counts_path, "has triangles without vertices", error);
            draw_itself(body);
            continue;
        }
        int *list = run->surface_triangles + 3 * triangle;
        for (int i = 0; i < 3 * t; i++) {
            if (list[i] < 0 || list[i] >= v)
                return vv_reader_broken(run, triangles_path, "names a nonexistent vertex", error);
            list[i] += (int)(run->sizes.nodes + vertex);
        }
        body->carries = true;
        body->firstVertex = (int)(run->sizes.nodes + vertex), body->vertexCount = v;
        body->drawnTriangleCount = t, body->drawnTriangles = list;
        vertex += v, triangle += t;
    }
    return vertex == run->surface_vertices && triangle == triangles
               ? VV_OK
               : vv_reader_broken(run, counts_path, "does not fit the surfaces", error);
}

static vvStatus read_collides(vvRun *run, vvError *error)
{
    void *flags;
    vvStatus status = vv_reader_each_body(run, collides_path, H5T_INTEGER, &flags, error);
    for (int64_t b = 0; flags && b < run->sizes.bodies; b++)
        run->bodies[b].surfaceCollides = ((int32_t *)flags)[b] && run->bodies[b].carries;
    vv_free(flags);
    return status;
}

vvStatus vv_reader_surfaces(vvRun *run, vvError *error)
{
    if (!vv_hdf_exists(run->file, counts_path)) {
        for (int64_t b = 0; b < run->sizes.bodies; b++)
            draw_itself(run->bodies + b);
        return VV_OK;
    }
    const vv_want want[4] = { { counts_path, 2, 2, H5T_INTEGER },
                              { triangles_path, 2, 3, H5T_INTEGER },
                              { nodes_path, 2, 4, H5T_INTEGER },
                              { weights_path, 2, 4, H5T_FLOAT } };
    int64_t bodies, triangles = 0, nodes = 0, weights = 0;
    int32_t *counts = vv_reader_fixed(run, want, H5T_NATIVE_INT32, 2 * sizeof *counts, &bodies, error);
    if (counts)
        run->surface_triangles = vv_reader_fixed(run, want + 1, H5T_NATIVE_INT, 3 * sizeof(int), &triangles, error);
    if (run->surface_triangles)
        run->surface_nodes = vv_reader_fixed(run, want + 2, H5T_NATIVE_INT, 4 * sizeof(int), &nodes, error);
    if (run->surface_nodes)
        run->surface_weights = vv_reader_fixed(run, want + 3, H5T_NATIVE_DOUBLE, 4 * sizeof(double), &weights, error);
    vvStatus status = run->surface_weights ? VV_OK : VV_ERROR_INPUT;
    if (status == VV_OK &&
        (bodies != run->sizes.bodies || nodes != weights || nodes > INT32_MAX / 4 - run->sizes.nodes))
        status = vv_reader_broken(run, counts_path, "does not fit the bodies", error);
    run->surface_vertices = nodes;
    if (status == VV_OK)
        status = check_weights(run, error);
    if (status == VV_OK)
        status = hand_out(run, counts, triangles, error);
    if (status == VV_OK)
        status = read_collides(run, error);
    vv_free(counts);
    return status;
}

/* Whether two vertices have the same weights on the same nodes. On a face between two tets, either tet may have been
 * stored. */
static bool same_place(const int *nodes_a, const double *a, const int *nodes_b, const double *b, int shift)
{
    bool same = true;
    for (int i = 0; i < 8; i++) {
        int node = i < 4 ? nodes_a[i] : nodes_b[i - 4] + shift;
        double left = 0;
        for (int k = 0; k < 4; k++)
            left += (nodes_a[k] == node ? a[k] : 0) - (nodes_b[k] + shift == node ? b[k] : 0);
        same = same && fabs(left) < 1e-9;
    }
    return same;
}

static bool same_surface(const vvRun *run, const vvRunBody *body, const vvBodySurface *s)
{
    if (!body->carries)
        return s->vertexCount == 0;
    if (body->vertexCount != s->vertexCount || body->drawnTriangleCount != s->triangleCount)
        return false;
    const size_t at = 4 * (size_t)(body->firstVertex - run->sizes.nodes);
    bool same = true;
    for (size_t i = 0; i < 3 * (size_t)s->triangleCount; i++)
        same = same && body->drawnTriangles[i] == body->firstVertex + s->triangles[i];
    for (size_t i = 0; i < 4 * (size_t)s->vertexCount; i += 4)
        same = same && same_place(run->surface_nodes + at + i, run->surface_weights + at + i, s->nodes + i,
                                  s->weights + i, body->firstNode);
    return same;
}

vvStatus vv_reader_same_surfaces(const vvRun *run, const vvWorld *world, vvError *error)
{
    for (int b = 0; b < run->sizes.bodies; b++) {
        vvBodySurface s;
        vvBodyGetSurface(world, vvWorldBody(world, b), &s);
        const vvRunBody *body = run->bodies + b;
        if (!same_surface(run, body, &s))
            return vv_fail(error, VV_ERROR_INPUT,
                           "%s: body \"%s\" carries another surface in the run (%d vertices, %d triangles) "
                           "than in the scene (%d and %d): resume with the surface that the run was made with",
                           run->path, body->name, body->carries ? body->vertexCount : 0,
                           body->carries ? body->drawnTriangleCount : 0, s.vertexCount, s.triangleCount);
        if (body->surfaceCollides != vvBodySurfaceCollides(world, vvWorldBody(world, b)))
            return vv_fail(error, VV_ERROR_INPUT,
                           "%s: the surface that body \"%s\" carries %s in the run and %s in the scene: resume "
                           "with bodies[].surface.collides as it was",
                           run->path, body->name, body->surfaceCollides ? "collides" : "is only drawn",
                           body->surfaceCollides ? "is only drawn" : "collides");
    }
    return VV_OK;
}

int vvRunVertexCount(const vvRun *run) { return run ? (int)(run->sizes.nodes + run->surface_vertices) : 0; }

void vvRunCarry(const vvRun *run, int columns, double *values)
{
    if (!run || !values || columns < 1)
        return;
    size_t c = (size_t)columns;
    double *out = values + c * (size_t)run->sizes.nodes;
    for (size_t v = 0; v < (size_t)run->surface_vertices; v++)
        for (size_t k = 0; k < c; k++) {
            const int *n = run->surface_nodes + 4 * v;
            const double *w = run->surface_weights + 4 * v;
            out[c * v + k] = w[0] * values[c * (size_t)n[0] + k] + w[1] * values[c * (size_t)n[1] + k] +
                             w[2] * values[c * (size_t)n[2] + k] + w[3] * values[c * (size_t)n[3] + k];
        }
}
