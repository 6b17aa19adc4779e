/* Surfaces to be filled: reading, mending, describing them, and saying what is wrong with them. */
#include "mesh/mesher.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is wrong with a surface -------------------------------------------------------------------------------- */

typedef struct text {
    char data[900];
    size_t used;
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *t, const char *format, ...)
{
    va_list args;
    if (t->used >= sizeof t->data - 1)
        return;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->data + t->used, sizeof t->data - t->used, format, args);
    va_end(args);
}

static void add_vertex(text *t, const vvMesh *mesh, int vertex)
{
    const double *x = mesh->positions + 3 * (size_t)vertex;
    add(t, "(%.6g, %.6g, %.6g)", x[0], x[1], x[2]);
}

static void add_triangle(text *t, const vvMesh *mesh, int triangle)
{
    add(t, "%d ", triangle);
    for (int k = 0; k < 3; k++) {
        add(t, k ? ", " : "(corners ");
        add_vertex(t, mesh, mesh->triangles[3 * triangle + k]);
    }
    add(t, ")");
}

static void add_edges(text *t, const vvMesh *mesh, int count, const int first[2], const char *what)
{
    if (!count)
        return;
    add(t, "; %d edge%s %s, the first from ", count, count == 1 ? "" : "s", what);
    add_vertex(t, mesh, first[0]);
    add(t, " to ");
    add_vertex(t, mesh, first[1]);
}

/* Reports all faults in one message: how many of each kind, where the first is, and what to do. */
static void print_faults(const char *path, const vvMesh *mesh, const vvSurfaceCheck *c, const char *bad)
{
    text t = { .used = 0 };
    add_edges(&t, mesh, c->openEdges, c->openEdge[0], "with one triangle only (a hole)");
    add_edges(&t, mesh, c->crowdedEdges, c->crowdedEdge[0], "with more than two triangles");
    add_edges(&t, mesh, c->turnedEdges, c->turnedEdge[0], "between triangles that face opposite ways");
    if (c->flatTriangles) {
        add(&t, "; %d triangle%s without area, the first is ", c->flatTriangles, c->flatTriangles == 1 ? "" : "s");
        add_triangle(&t, mesh, c->flatTriangle[0]);
    }
    if (c->crossings) {
        add(&t, "; %s%d pair%s of triangles that cross, the first is ",
            c->crossings >= VV_SURFACE_MOST_CROSSINGS ? "at least " : "", c->crossings, c->crossings == 1 ? "" : "s");
        add_triangle(&t, mesh, c->crossing[0][0]);
        add(&t, " with ");
        add_triangle(&t, mesh, c->crossing[0][1]);
    }
    vv_cli_wrong(
        "%s: the surface bounds no volume%s. Repair it in the program that made it (Blender: 3D Print Toolbox; "
        "MeshLab: cleaning filters),%s wrap it (visviva mesh --with wrap), or let a box carry it (visviva new --box)%s",
        path, t.data, c->openEdges ? " close small holes (--close-holes)," : "",
        bad ? "" : "; --bad FILE.obj writes these triangles. Triangles count from 0");
}

/* The same in a line, of one that is wrapped. */
static void print_wrapped(const char *path, const vvMesh *mesh, const vvSurfaceCheck *c)
{
    const struct {
        int count;
        const char *what;
    } faults[] = { { c->openEdges, "open edges" },
                   { c->crowdedEdges, "edges with more than two triangles" },
                   { c->turnedEdges, "edges between triangles that face opposite ways" },
                   { c->flatTriangles, "triangles without area" },
                   { c->crossings, "pairs of triangles that cross" } };
    text t = { .used = 0 };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].count)
            add(&t, "%s%d %s", t.used ? ", " : "", faults[i].count, faults[i].what);
    printf("surface %s: %d vertices, %d triangles; by itself it bounds no volume (%s), so it is wrapped\n", path,
           mesh->vertexCount, mesh->triangleCount, t.data);
}

/* Writes the faulty triangles as a surface of their own. */
static int write_bad(const char *path, const vvMesh *mesh, const vvSurfaceCheck *c)
{
    const int faults = VV_SURFACE_OPEN | VV_SURFACE_CROWDED | VV_SURFACE_TURNED | VV_SURFACE_FLAT | VV_SURFACE_CROSSING;
    vvMesh some = { .vertexCount = mesh->vertexCount, .positions = mesh->positions };
    vvError error;
    some.triangles = malloc(3 * (size_t)mesh->triangleCount * sizeof *some.triangles);
    if (!some.triangles)
        return vv_cli_wrong("out of memory");
    for (int i = 0; i < mesh->triangleCount; i++)
        if (c->marks[i] & faults)
            memcpy(some.triangles + 3 * some.triangleCount++, mesh->triangles + 3 * (size_t)i, 3 * sizeof(int));
    vvStatus status = vvMeshWrite(&some, path, "obj", &error);
    if (status == VV_OK)
        fprintf(stderr,
                some.triangleCount == 1 ? "visviva: the %d faulty triangle is in %s\n"
                                        : "visviva: the %d faulty triangles are in %s\n",
                some.triangleCount, path);
    free(some.triangles);
    return status != VV_OK ? vv_cli_error(&error) : VV_EXIT_WRONG;
}

/* ---- what a sound surface is ------------------------------------------------------------------------------------- */

static void print_surface(const char *path, const vvMesh *mesh, const vvSurfaceCheck *c, bool placed)
{
    vvMeshQuality q;
    char edge[VV_TEXT];
    vvMeshMeasure(mesh, &q);
    printf("surface %s: %d vertices, %d triangles with edges of %s on average\n", path, mesh->vertexCount,
           mesh->triangleCount, vv_text_quantity(edge, q.meanEdge, "m"));
    printf("    bounds (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m\n", q.boundsMin[0], q.boundsMin[1], q.boundsMin[2],
           q.boundsMax[0], q.boundsMax[1], q.boundsMax[2]);
    printf("    closed, no triangles cross; its volume is %.4g m3", c->volume);
    if (c->partCount - c->cavityCount > 1)
        printf(" in %d separate parts", c->partCount - c->cavityCount);
    if (c->cavityCount)
        printf(", without %d cavit%s: surfaces inside another one (--no-cavities leaves them out)", c->cavityCount,
               c->cavityCount == 1 ? "y" : "ies");
    putchar('\n');
    if (c->pinchedVertices)
        printf("    the surface touches itself at %d vertices: there the body is connected by points only\n",
               c->pinchedVertices);
    double size = 0;
    for (int k = 0; k < 3; k++)
        size = fmax(size, q.boundsMax[k] - q.boundsMin[k]);
    if (!placed && (size > 20 || size < 1e-3))
        printf("    its size is %.4g m. If its lengths are in mm or cm, scale it in the scene (\"place\": { \"scale\": "
               "0.001 }), "
               "or let visviva new --unit mm do it\n",
               size);
}

void vv_cli_print_mended(FILE *out, const vvMeshNotes *notes, bool has_tets)
{
    if (notes->flippedTets || notes->duplicateVertices || notes->unusedVertices)
        fprintf(out, "    repaired while reading: %d inverted tets, %d duplicate vertices, %d unused vertices\n",
                notes->flippedTets, notes->duplicateVertices, notes->unusedVertices);
    if (notes->turnedTriangles)
        fprintf(
            out,
            "    repaired while reading: %d triangles reversed, to agree with their neighbours or to face outwards\n",
            notes->turnedTriangles);
    if (notes->droppedTriangles)
        fprintf(out, "    dropped while reading: %d triangles with two corners at one position\n",
                notes->droppedTriangles);
    if (notes->mendedTriangles)
        fprintf(out, "    repaired while reading: %d triangles with their corners on one line\n",
                notes->mendedTriangles);
    if (notes->nearVertices)
        fprintf(out, "    merged while reading: %d vertices on open edges that rounding had moved apart\n",
                notes->nearVertices);
    if (notes->repeatedTriangles)
        fprintf(out, "    dropped while reading: %d triangles with the corners of another one\n",
                notes->repeatedTriangles);
    if (notes->flatTriangles)
        fprintf(out, "    dropped while reading: %d triangles without area\n", notes->flatTriangles);
    if (notes->crossedFaces)
        fprintf(out, "    cut while reading: %d faces that cross themselves\n", notes->crossedFaces);
    if (notes->straightened)
        fprintf(out, "    read by their corners: %d elements of higher order; their other nodes are left out%s\n",
                notes->straightened,
                has_tets ? " (\"order\": 2 in a scene, or visviva new --order 2, keeps those of tets of ten nodes)"
                         : "");
    if (notes->innerTriangles)
        fprintf(out, "    dropped while reading: %d triangles between the tets, not on their boundary\n",
                notes->innerTriangles);
    if (notes->droppedPoints)
        fprintf(out, "    dropped while reading: %d points beside other elements\n", notes->droppedPoints);
    if (notes->crowdedEdges)
        fprintf(out, "    the surface is not a manifold: %d edge%s with more than two triangles\n", notes->crowdedEdges,
                notes->crowdedEdges == 1 ? "" : "s");
    if (notes->oneSidedParts)
        fprintf(out, "    %d part%s of the surface cannot be oriented, like a Moebius band\n", notes->oneSidedParts,
                notes->oneSidedParts == 1 ? "" : "s");
    if (notes->openEdges)
        fprintf(out, "    the surface is open: %d border edges\n", notes->openEdges);
}

/* A tenth of the diagonal: such holes were not meant. */
static double small_hole(const vvMesh *surface)
{
    vvMeshQuality q;
    double square = 0;
    vvMeshMeasure(surface, &q);
    for (int k = 0; k < 3; k++)
        square += pow(q.boundsMax[k] - q.boundsMin[k], 2);
    return 0.1 * sqrt(square);
}

static int close_holes(const vv_surface_source *from, vvMesh *surface, vvSurfaceCheck *check, vvHoleNotes *notes)
{
    vvError error;
    char wide[VV_TEXT], left[VV_TEXT];
    double width = from->holes < 0 ? small_hole(surface) : from->holes;
    if (!check->openEdges || width <= 0)
        return VV_CLI_GO;
    if (vvMeshCloseHoles(surface, width, notes, &error))
        return vv_cli_error_in(from->path, &error);
    if (notes->closed)
        printf("    closed %d hole%s: %d triangle%s, the widest hole %s wide\n", notes->closed,
               notes->closed == 1 ? "" : "s", notes->triangles, notes->triangles == 1 ? "" : "s",
               vv_text_quantity(wide, notes->widest, "m"));
    if (notes->left > notes->wider)
        printf("    %d hole%s left open: triangles between the vertices of the rim do not close %s\n",
               notes->left - notes->wider, notes->left - notes->wider == 1 ? "" : "s",
               notes->left - notes->wider == 1 ? "it" : "them");
    if (notes->wider)
        printf("    %d hole%s left open: at least %s wide, more than %s (--close-holes WIDTH closes wider ones)\n",
               notes->wider, notes->wider == 1 ? "" : "s", vv_text_quantity(left, notes->narrowest, "m"),
               vv_text_quantity(wide, width, "m"));
    vvSurfaceCheckDestroy(check);
    return vvMeshCheckSurface(surface, check, &error) ? vv_cli_error_in(from->path, &error) : VV_CLI_GO;
}

/* ---- the same as JSON ---- */

static json_t *place(const vvMesh *mesh, int vertex) { return vv_json_vector(mesh->positions + 3 * (size_t)vertex); }

static void add_edge_fault(json_t *faults, const char *name, const vvMesh *mesh, int count, const int first[2])
{
    json_object_set_new(
        faults, name,
        count ? json_pack("{s:i, s:[o, o]}", "count", count, "first", place(mesh, first[0]), place(mesh, first[1]))
              : json_pack("{s:i}", "count", 0));
}

static void add_triangle_fault(json_t *faults, const char *name, const vvMesh *mesh, int count, int triangle)
{
    const int *v = mesh->triangles + 3 * (size_t)triangle;
    json_object_set_new(faults, name,
                        count ? json_pack("{s:i, s:[o, o, o]}", "count", count, "first", place(mesh, v[0]),
                                          place(mesh, v[1]), place(mesh, v[2]))
                              : json_pack("{s:i}", "count", 0));
}

static void add_json(json_t *json, const vvMesh *surface, const vvMeshNotes *notes, const vvHoleNotes *holes,
                     const vvSurfaceCheck *c)
{
    vvMeshQuality q;
    json_t *object = json_object(), *faults = json_object();
    vvMeshMeasure(surface, &q);
    vv_json_add_mesh(object, surface, &q);
    json_object_set_new(object, "sound", json_boolean(c->sound));
    json_object_set_new(object, "enclosed_volume", c->sound ? vv_json_number(c->volume) : json_null());
    json_object_set_new(object, "parts", json_integer(c->partCount - c->cavityCount));
    json_object_set_new(object, "cavities", json_integer(c->cavityCount));
    json_object_set_new(object, "turned_triangles", json_integer(notes->turnedTriangles));
    json_object_set_new(object, "one_sided_parts", json_integer(notes->oneSidedParts));
    json_object_set_new(object, "holes",
                        json_pack("{s:i, s:i, s:i, s:f}", "closed", holes->closed, "left", holes->left, "wider",
                                  holes->wider, "widest_closed", holes->widest));
    add_edge_fault(faults, "open_edges", surface, c->openEdges, c->openEdge[0]);
    add_edge_fault(faults, "crowded_edges", surface, c->crowdedEdges, c->crowdedEdge[0]);
    add_edge_fault(faults, "turned_edges", surface, c->turnedEdges, c->turnedEdge[0]);
    add_triangle_fault(faults, "flat_triangles", surface, c->flatTriangles, c->flatTriangle[0]);
    add_triangle_fault(faults, "crossings", surface, c->crossings, c->crossing[0][0]);
    json_object_set_new(faults, "pinched_vertices",
                        c->pinchedVertices ? json_pack("{s:i, s:o}", "count", c->pinchedVertices, "first",
                                                       place(surface, c->pinchedVertex[0]))
                                           : json_pack("{s:i}", "count", 0));
    json_object_set_new(object, "faults", faults);
    json_object_set_new(json, "surface", object);
}

int vv_cli_read_surface(const vv_surface_source *from, vvMesh *surface, vvSurfaceCheck *check)
{
    vvError error;
    vvMeshNotes notes;
    vvHoleNotes holes = { 0 };
    const char *path = from->path;
    *check = (vvSurfaceCheck){ 0 };
    if (vvMeshRead(path, surface, &notes, &error))
        return vv_cli_error(&error);
    if (surface->tetCount)
        return vv_cli_wrong("%s already holds tets (%d); visviva new makes a scene from it", path, surface->tetCount);
    if (!surface->triangleCount)
        return vv_cli_wrong("%s holds no triangles, so there is no surface to fill", path);
    vv_cli_phase("mesh: testing the surface");
    if (vvMeshCheckSurface(surface, check, &error))
        return vv_cli_error_in(path, &error);
    notes.openEdges = notes.crowdedEdges = 0; /* these are faults, which are reported below */
    if (notes.turnedTriangles || notes.droppedTriangles || notes.mendedTriangles || notes.oneSidedParts ||
        notes.nearVertices || notes.repeatedTriangles || notes.flatTriangles || notes.crossedFaces ||
        notes.straightened)
        vv_cli_print_mended(stdout, &notes, false);
    int code = close_holes(from, surface, check, &holes);
    if (code != VV_CLI_GO)
        return code;
    if (from->json)
        add_json(from->json, surface, &notes, &holes, check);
    if (!check->sound && from->wrap) {
        print_wrapped(path, surface, check);
        return from->bad && write_bad(from->bad, surface, check) != VV_EXIT_WRONG ? VV_EXIT_FAILED : VV_CLI_GO;
    }
    if (!check->sound) {
        print_faults(path, surface, check, from->bad);
        return from->bad ? write_bad(from->bad, surface, check) : VV_EXIT_WRONG;
    }
    for (int i = 0; i < check->partCount; i++)
        if (!isfinite(check->parts[i].inside[0]) || check->parts[i].volume <= 0)
            return vv_cli_wrong("%s: a part of the surface (of %d triangles) has no volume beyond rounding; remove it",
                                path, check->parts[i].triangleCount);
    print_surface(path, surface, check, from->placed);
    return VV_CLI_GO;
}

int vv_cli_drop_cavities(vvMesh *surface, vvSurfaceCheck *check)
{
    vvError error;
    int kept = 0;
    for (int t = 0; t < surface->triangleCount; t++)
        if (check->parts[check->partOf[t]].depth == 0)
            memmove(surface->triangles + 3 * kept++, surface->triangles + 3 * t, 3 * sizeof(int));
    surface->triangleCount = kept;
    vvSurfaceCheckDestroy(check);
    if (vvMeshFinish(surface, NULL, &error) || vvMeshCheckSurface(surface, check, &error))
        return vv_cli_error(&error);
    printf("    without the parts inside: %d triangles around %.4g m3\n", kept, check->volume);
    return VV_CLI_GO;
}
