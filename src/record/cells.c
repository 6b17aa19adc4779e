/* From the bodies' elements to VTK's and XDMF's cell lists. */
#include "record/cells.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct vv_cell_kind {
    uint8_t vtk, nodes;
    int32_t xdmf;
    bool counted; /* XDMF: the number of nodes follows the code */
} vv_cell_kind;
static const vv_cell_kind vertex = { 1, 1, 1, true }, line = { 3, 2, 2, true }, triangle = { 5, 3, 4, false },
                          tetra = { 10, 4, 6, false }, tetra10 = { VV_VTK_TET10, 10, 38, false };

void vv_cells_free(vv_cells *cells)
{
    vv_free(cells->types);
    vv_free(cells->offsets);
    vv_free(cells->connectivity);
    vv_free(cells->body);
    vv_free(cells->mixed);
    *cells = (vv_cells){ 0 };
}

/* ---- edges that belong to no triangle ---- */

static uint64_t edge_key(int a, int b)
{
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorted keys of the triangles' edges, 3 per triangle. */
static uint64_t *triangle_edges(const vv_cell_source *body)
{
    uint64_t *keys = vv_alloc((size_t)body->triangle_count * 3, sizeof *keys);
    if (!keys)
        return NULL;
    for (int t = 0; t < body->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            keys[3 * t + k] = edge_key(body->triangles[3 * t + k], body->triangles[3 * t + (k + 1) % 3]);
    qsort(keys, (size_t)body->triangle_count * 3, sizeof *keys, compare_keys);
    return keys;
}

static bool loose(const vv_cell_source *body, const uint64_t *keys, int edge)
{
    if (body->triangle_count == 0)
        return true;
    uint64_t key = edge_key(body->edges[2 * edge], body->edges[2 * edge + 1]);
    return !bsearch(&key, keys, (size_t)body->triangle_count * 3, sizeof key, compare_keys);
}

/* ---- two passes over the same walk: count, then fill ---- */

static void add(vv_cells *cells, const vv_cell_kind *kind, const int *nodes, int body, bool fill)
{
    if (fill) {
        cells->types[cells->count] = kind->vtk;
        cells->body[cells->count] = body;
        cells->offsets[cells->count + 1] = cells->connectivity_count + kind->nodes;
        int32_t *mixed = cells->mixed + cells->mixed_count;
        *mixed++ = kind->xdmf;
        if (kind->counted)
            *mixed++ = kind->nodes;
        for (int k = 0; k < kind->nodes; k++) {
            cells->connectivity[cells->connectivity_count + k] = nodes[k];
            mixed[k] = nodes[k];
        }
    }
    cells->count++;
    cells->connectivity_count += kind->nodes;
    cells->mixed_count += kind->nodes + 1 + (kind->counted ? 1 : 0);
}

static bool walk_body(vv_cells *cells, const vv_cell_source *body, int index, bool fill)
{
    if (body->tet10_count > 0) {
        for (int t = 0; t < body->tet10_count; t++)
            add(cells, &tetra10, body->tets10 + 10 * (size_t)t, index, fill);
        return true;
    }
    if (body->tet_count > 0) {
        for (int t = 0; t < body->tet_count; t++)
            add(cells, &tetra, body->tets + 4 * t, index, fill);
        return true;
    }
    for (int t = 0; t < body->triangle_count; t++)
        add(cells, &triangle, body->triangles + 3 * t, index, fill);
    if (body->edge_count > 0) {
        uint64_t *keys = triangle_edges(body);
        if (!keys)
            return false;
        for (int e = 0; e < body->edge_count; e++)
            if (loose(body, keys, e))
                add(cells, &line, body->edges + 2 * e, index, fill);
        vv_free(keys);
    }
    if (body->triangle_count == 0 && body->edge_count == 0)
        for (int n = body->first_node; n < body->first_node + body->node_count; n++)
            add(cells, &vertex, &n, index, fill);
    return true;
}

static bool walk(vv_cells *cells, const vv_cell_source *bodies, int count, bool fill)
{
    cells->count = cells->connectivity_count = cells->mixed_count = 0;
    for (int b = 0; b < count; b++)
        if (!walk_body(cells, &bodies[b], b, fill))
            return false;
    return true;
}

vvStatus vv_cells_build(const vv_cell_source *bodies, int bodyCount, vv_cells *cells, vvError *error)
{
    *cells = (vv_cells){ 0 };
    if (!walk(cells, bodies, bodyCount, false))
        return vv_fail_memory(error, "the cells of a run file");
    cells->types = vv_alloc((size_t)cells->count, sizeof *cells->types);
    cells->offsets = vv_alloc((size_t)cells->count + 1, sizeof *cells->offsets);
    cells->connectivity = vv_alloc((size_t)cells->connectivity_count, sizeof *cells->connectivity);
    cells->body = vv_alloc((size_t)cells->count, sizeof *cells->body);
    cells->mixed = vv_alloc((size_t)cells->mixed_count, sizeof *cells->mixed);
    if (!cells->types || !cells->offsets || !cells->connectivity || !cells->body || !cells->mixed ||
        !walk(cells, bodies, bodyCount, true)) {
        vv_cells_free(cells);
        return vv_fail_memory(error, "the cells of a run file");
    }
    return VV_OK;
}
