/* VTK's cells, from either of its file formats, to tets, triangles, edges and points. */
#include "mesh/format/vtk.h"

#include <inttypes.h>
#include <string.h>

enum {
    EMPTY = 0,
    VERTEX = 1,
    POLY_VERTEX = VV_VTK_POLY_VERTEX,
    LINE = 3,
    POLY_LINE = VV_VTK_POLY_LINE,
    TRIANGLE = 5,
    STRIP = VV_VTK_STRIP,
    POLYGON = VV_VTK_POLYGON,
    PIXEL = 8,
    QUAD = 9,
    TET = 10,
    TET10 = 24 /* where those are wanted; else one of the list below */
};

/* Cells of higher order, of which the corners come first: as what they are read, from how many points on. */
static const struct {
    int type, as, least;
} curved[] = { { 21, LINE, 3 }, { 22, TRIANGLE, 6 }, { TET10, TET, 10 },  { 34, TRIANGLE, 7 },
               { 35, LINE, 4 }, { 68, LINE, 2 },     { 69, TRIANGLE, 3 }, { 71, TET, 4 },
               { 75, LINE, 2 }, { 76, TRIANGLE, 3 }, { 78, TET, 4 } };

/* Points of a cell of a type that is read: `least` to `most`; most 0: any number from `least`. */
typedef struct cell_kind {
    const char *name;
    int least, most;
} cell_kind;

static const cell_kind kinds[] = {
    [EMPTY] = { "empty cell", 0, 0 },
    [VERTEX] = { "vertex", 1, 1 },
    [POLY_VERTEX] = { "poly-vertex", 0, 0 },
    [LINE] = { "line", 2, 2 },
    [POLY_LINE] = { "polyline", 2, 0 },
    [TRIANGLE] = { "triangle", 3, 3 },
    [STRIP] = { "triangle strip", 3, 0 },
    [POLYGON] = { "polygon", 3, 0 },
    [PIXEL] = { "pixel", 4, 4 },
    [QUAD] = { "quad", 4, 4 },
    [TET] = { "tetrahedron", 4, 4 },
    [TET10] = { "quadratic tetrahedron", 10, 10 },
};

/* Names of cell types, for messages that refuse them. */
static const char *type_name(int type)
{
    static const char *const names[] = {
        [11] = "voxel",
        [12] = "hexahedron",
        [13] = "wedge",
        [14] = "pyramid",
        [15] = "pentagonal prism",
        [16] = "hexagonal prism",
        [21] = "quadratic edge",
        [22] = "quadratic triangle",
        [23] = "quadratic quad",
        [24] = "quadratic tetrahedron",
        [25] = "quadratic hexahedron",
        [26] = "quadratic wedge",
        [27] = "quadratic pyramid",
        [28] = "biquadratic quad",
        [29] = "triquadratic hexahedron",
        [30] = "quadratic linear quad",
        [31] = "quadratic linear wedge",
        [32] = "biquadratic quadratic wedge",
        [33] = "biquadratic quadratic hexahedron",
        [34] = "biquadratic triangle",
        [35] = "cubic line",
        [36] = "quadratic polygon",
        [37] = "triquadratic pyramid",
        [41] = "convex point set",
        [42] = "polyhedron",
        [51] = "parametric curve",
        [52] = "parametric surface",
        [60] = "higher-order edge",
        [61] = "higher-order triangle",
        [62] = "higher-order quad",
        [63] = "higher-order polygon",
        [64] = "higher-order tetrahedron",
        [65] = "higher-order wedge",
        [66] = "higher-order pyramid",
        [67] = "higher-order hexahedron",
        [68] = "Lagrange curve",
        [69] = "Lagrange triangle",
        [70] = "Lagrange quadrilateral",
        [71] = "Lagrange tetrahedron",
        [72] = "Lagrange hexahedron",
        [73] = "Lagrange wedge",
        [74] = "Lagrange pyramid",
        [75] = "Bezier curve",
        [76] = "Bezier triangle",
        [77] = "Bezier quadrilateral",
        [78] = "Bezier tetrahedron",
        [79] = "Bezier hexahedron",
        [80] = "Bezier wedge",
        [81] = "Bezier pyramid",
    };
    int known = (int)(sizeof names / sizeof *names);
    return type >= 0 && type < known && names[type] ? names[type] : "unknown";
}

void vv_vtk_free_cells(vv_vtk_cells *cells)
{
    vv_list *lists[] = { &cells->points, &cells->ends, &cells->types, &cells->at };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        vv_list_free(lists[i]);
}

static vvStatus check_cell(vv_vtk *o, int64_t cell, int type, const int64_t *points, int64_t count, int at)
{
    vv_source_go(o->source, at);
    if (type < 0 || (type > TET && !(type == TET10 && o->builder->order2)))
        return vv_source_fail(o->source,
                              "cell %" PRId64 " is of VTK's type %d (%s); tetrahedra (10), triangles (5), strips (6), "
                              "polygons (7), pixels (8), quads (9), lines (3, 4) and vertices (1, 2) are read, and "
                              "those of higher order by their corners: mesh with tetrahedra or triangles",
                              cell, type, type_name(type));
    const cell_kind *kind = &kinds[type];
    if (count < kind->least || (kind->most && count > kind->most))
        return vv_source_fail(o->source, "cell %" PRId64 " is a %s (VTK's type %d) of %" PRId64 " points; it has %d%s",
                              cell, kind->name, type, count, kind->least, kind->most ? "" : " or more");
    for (int64_t i = 0; i < count; i++)
        if (points[i] < 0 || points[i] >= o->count)
            return vv_source_fail(
                o->source, "cell %" PRId64 " refers to point %" PRId64 "; there are %" PRId64 " points, counted from 0",
                cell, points[i], o->count);
    return VV_OK;
}

/* A cell of higher order becomes one of its corners alone. */
static void straighten(vv_vtk *o, int *type, int64_t *count)
{
    for (size_t i = 0; !(*type == TET10 && o->builder->order2) && i < sizeof curved / sizeof *curved; i++)
        if (curved[i].type == *type && *count >= curved[i].least) {
            o->builder->straightened += *count > kinds[curved[i].as].least;
            *type = curved[i].as;
            *count = kinds[curved[i].as].least;
            return;
        }
}

static void add_strip(vv_vtk *o, const int64_t *points, int64_t count, int at)
{
    for (int64_t i = 0; i + 2 < count; i++) {
        int v[3];
        for (int k = 0; k < 3; k++)
            v[k] = (int)(o->first + points[i + (k < 2 && i % 2 ? 1 - k : k)]);
        vv_faces_add_strip(&o->faces, v, 3, at);
    }
}

static void add_tet(vv_vtk *o, int64_t cell, const int v[4])
{
    vv_vtk_tet tet = { .cell = cell };
    memcpy(tet.v, v, sizeof tet.v);
    if (!vv_list_push(&o->tets, &tet, sizeof tet))
        o->builder->failed = true;
}

static void add_cell(vv_vtk *o, int64_t cell, int type, const int64_t *points, int64_t count, int at)
{
    int v[10] = { 0 };
    if (type == TET || type == TET10) {
        for (int i = 0; i < 4; i++)
            v[i] = (int)(o->first + points[i]);
        add_tet(o, cell, v);
    }
    for (int i = 0; i < 10 && i < count; i++)
        v[i] = (int)(o->first + points[i]);
    switch (type) {
    case VERTEX:
    case POLY_VERTEX:
        for (int64_t i = 0; i < count; i++)
            vv_builder_point(o->builder, (int)(o->first + points[i]), at);
        break;
    case LINE:
    case POLY_LINE:
        for (int64_t i = 0; i + 1 < count; i++)
            vv_builder_edge(o->builder, (int[]){ (int)(o->first + points[i]), (int)(o->first + points[i + 1]) }, at);
        break;
    case STRIP: add_strip(o, points, count, at); break;
    case TRIANGLE:
    case QUAD: vv_faces_add(&o->faces, v, (int)count, at); break;
    case PIXEL: vv_faces_add(&o->faces, (int[]){ v[0], v[1], v[3], v[2] }, 4, at); break;
    case POLYGON:
        for (int64_t i = 0; i < count; i++)
            vv_faces_corner(&o->faces, (int)(o->first + points[i]));
        vv_faces_close(&o->faces, at);
        break;
    case TET: vv_builder_tet(o->builder, v, at); break;
    case TET10: vv_builder_tet10(o->builder, v, at); break;
    }
}

vvStatus vv_vtk_add_cells(vv_vtk *o, const vv_vtk_cells *cells)
{
    const int64_t *points = cells->points.data, *ends = cells->ends.data;
    const int *types = cells->types.data, *at = cells->at.data;
    vvStatus status = VV_OK;
    for (size_t i = 0; status == VV_OK && i < cells->ends.count && !o->builder->failed && !o->faces.failed; i++) {
        int64_t first = i ? ends[i - 1] : 0, count = ends[i] - first;
        int type = cells->types.count ? types[i] : cells->type;
        straighten(o, &type, &count);
        status = check_cell(o, o->cell + (int64_t)i, type, points + first, count, at[i]);
        if (status == VV_OK)
            add_cell(o, o->cell + (int64_t)i, type, points + first, count, at[i]);
    }
    o->cell += (int64_t)cells->ends.count;
    return status;
}

vvStatus vv_vtk_finish(vv_vtk *o)
{
    vv_builder *b = o->builder;
    b->failed |= o->faces.failed;
    if (!b->failed)
        vv_vtk_make_regions(o);
    const bool solid = b->tets.count || b->tets10.count;
    if (!b->failed && solid)
        vv_faces_fan(&o->faces, b);
    if (b->failed || solid)
        return VV_OK;
    if (b->positions.count && !b->edges.count && !o->faces.faces.count && !b->points.count)
        return vv_fail(o->source->error, VV_ERROR_INPUT,
                       "%s: %zu points, but no tetrahedra, triangles, polygons, lines or vertices among the %" PRId64
                       " cells",
                       o->source->shown, b->positions.count, o->cell);
    return vv_faces_cut(&o->faces, o->source, b, 0);
}
