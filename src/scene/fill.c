/* A body's mesh from a closed surface: "fill": true makes tets of it; without it, a surface that was surely meant as
 * a solid is mentioned, as it becomes springs around nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text/text.h"
#include "scene/document.h"

void vv_scene_tell(const vv_document *doc, vvLogLevel level, const char *format, ...)
{
    char message[1200];
    va_list args;
    if (!doc->host || !doc->host->log.write)
        return;
    va_start(args, format);
    vv_print_list(message, sizeof message, format, args);
    va_end(args);
    doc->host->log.write(doc->host->log.user, level, message);
}

/* Holes up to a tenth of the diagonal were not meant. */
static double small_hole(const vvMesh *mesh)
{
    vvMeshQuality q;
    double square = 0;
    vvMeshMeasure(mesh, &q);
    for (int k = 0; k < 3; k++)
        square += (q.boundsMax[k] - q.boundsMin[k]) * (q.boundsMax[k] - q.boundsMin[k]);
    return 0.1 * sqrt(square);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static vvStatus close_holes(vv_document *doc, const char *file, const char *where, vvMesh *mesh)
{
    vvHoleNotes holes;
    vvStatus status = vvMeshCloseHoles(mesh, small_hole(mesh), &holes, doc->error);
    if (status == VV_OK && holes.closed)
        vv_scene_tell(doc, VV_LOG_INFO, "%s: closed %d hole%s of %s, at most %.3g wide (in the file's units)", where,
                      holes.closed, holes.closed == 1 ? "" : "s", name_of(file), holes.widest);
    return status;
}

/* Tips that lie farther outside the tets than this many edges are worth a word. */
static const double far_tip = 2;

static void report(const vv_document *doc, const char *file, const char *where, const vvMesh *tets,
                   const vvFillNotes *notes)
{
    vv_scene_tell(doc, VV_LOG_INFO,
                  "%s: filled %s with %d tets of edge %.4g (in the file's units), %.4g%% of its volume", where,
                  name_of(file), tets->tetCount, notes->edge, 100 * notes->part);
    if (notes->farthest > far_tip * notes->edge)
        vv_scene_tell(
            doc, VV_LOG_INFO,
            "%s: the tips of thin parts of %s were lost, up to %.3g of them (in the file's units); a smaller \"edge\" "
            "keeps "
            "more",
            where, name_of(file), notes->farthest);
    if (notes->pieces > notes->parts)
        vv_scene_tell(doc, VV_LOG_WARNING,
                      "%s: thin parts of %s came off: %d pieces of tets; a smaller \"edge\" keeps them", where,
                      name_of(file), notes->pieces);
}

vvStatus vv_scene_fill(vv_document *doc, const json_t *source, const char *where, vvMesh *mesh, vvMesh *filled)
{
    const char *file = json_string_value(json_object_get(source, "file"));
    char what[200];
    vvMesh tets;
    vvFillNotes notes;
    vvFillDef def = vvDefaultFillDef();
    def.watch = doc->watch, def.what = what;
    vv_read_number(source, "edge", &def.edge);
    snprintf(what, sizeof what, "filling %.150s with tets", name_of(file));
    if (mesh->tetCount)
        return vv_scene_fail(doc, where, "%s already holds %d tets; leave \"fill\" out", file, mesh->tetCount);
    if (!mesh->triangleCount)
        return vv_scene_fail(doc, where, "%s holds no triangles, so there is no surface to fill", file);
    vvStatus status = close_holes(doc, file, where, mesh);
    if (status == VV_OK)
        status = vvMeshFillWith(mesh, &def, &tets, &notes, doc->error);
    if (status == VV_CANCELLED)
        return status;
    if (status != VV_OK) { /* the message is about the surface; the command shows where its faults are */
        vv_fail_prefix(doc->error, "%.200s: ", file);
        return vv_scene_prefix(doc, where);
    }
    report(doc, file, where, &tets, &notes);
    *filled = *mesh;
    *mesh = tets;
    return VV_OK;
}

/* Whether the surface is closed, or nearly: but for *closed_holes small ones. */
static bool is_solid(const vvMesh *mesh, int *closed_holes)
{
    vvMesh copy;
    vvHoleNotes holes = { .left = 1 };
    if (mesh->tetCount || !mesh->triangleCount || vvMeshCopy(mesh, &copy, NULL))
        return false;
    bool closed = vvMeshCloseHoles(&copy, small_hole(&copy), &holes, NULL) == VV_OK && holes.left == 0;
    vvMeshDestroy(&copy);
    *closed_holes = holes.closed;
    return closed;
}

void vv_scene_warn_of_skin(vv_document *doc, const json_t *source, const char *where, const vvMesh *mesh,
                           const char *model)
{
    const char *file = json_string_value(json_object_get(source, "file"));
    int holes;
    char but_for[64] = "";
    if (!file || model || json_object_get(source, "fill") || !is_solid(mesh, &holes))
        return;
    if (holes)
        snprintf(but_for, sizeof but_for, " (but for %d small hole%s)", holes, holes == 1 ? "" : "s");
    vv_scene_tell(
        doc, VV_LOG_WARNING,
        "%s: %s is a closed surface%s without tets, so the body is an empty skin of springs, which collapses; "
        "\"fill\": true beside \"file\" fills it with tets, and \"fill\": false states that a skin is intended",
        where, name_of(file), but_for);
}
