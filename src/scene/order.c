/* A body's mesh of order 2: "order": 2 gives its tets ten nodes. The middles of the surface's edges lie on the curved
 * surface that the mesh stands for, where that is known: a generator's shape, the surface that was filled, or the file
 * that "onto" names. */
#include <string.h>

#include "base/error.h"
#include "scene/document.h"

bool vv_scene_is_order2(const json_t *mesh)
{
    int order = 1;
    vv_read_integer(mesh, "order", &order);
    return order == 2;
}

static void tell_raised(vv_document *doc, const char *where, const vvMesh *mesh, const vvRaiseNotes *notes)
{
    if (notes->straight)
        vv_scene_tell(doc, VV_LOG_INFO,
                      "%s: %d of %d tets of order 2 stay straight at the curved surface, which would turn them inside "
                      "out, or nearly; smaller tets there follow it",
                      where, notes->straight, mesh->tet10Count);
}

void vv_scene_tell_straightened(vv_document *doc, const json_t *source, const char *where, const vvMeshNotes *notes)
{
    if (!notes->straightened)
        return;
    if (!vv_scene_is_order2(source))
        vv_scene_tell(
            doc, VV_LOG_INFO,
            "%s: %d elements of higher order in the file are read by their corners, and their other nodes are "
            "dropped; \"order\": 2 beside \"file\" keeps those of tets of ten nodes",
            where, notes->straightened);
    else
        vv_scene_tell(
            doc, VV_LOG_WARNING,
            "%s: %d elements of higher order in the file are read by their corners, as not all of its tets have "
            "ten nodes: edges that were curved are straight; give all tets ten nodes, or name the curved "
            "surface (\"onto\")",
            where, notes->straightened);
}

vvStatus vv_scene_generate(vv_document *doc, const char *where, const char *name, const vvSetting *settings, int count,
                           bool order2, vvMesh *mesh)
{
    vvRaiseNotes notes = { 0 };
    if (!order2)
        return vvMeshGenerate(name, settings, count, mesh, doc->error);
    vvStatus status = vvMeshGenerateOrder2(name, settings, count, mesh, &notes, doc->error);
    if (status == VV_OK)
        tell_raised(doc, where, mesh, &notes);
    return status;
}

/* What stands in `onto`. */
static vvStatus read_original(vv_document *doc, const char *file, const char *where, vvMesh *original)
{
    char place[VV_SCENE_PATH];
    vv_scene_child(place, where, "onto");
    vvStatus status = vvMeshRead(file, original, NULL, doc->error);
    if (status == VV_OK && !original->triangleCount)
        status = vv_fail(doc->error, VV_ERROR_INPUT, "%.300s holds no triangles, so there is no surface", file);
    return status != VV_OK ? vv_scene_prefix(doc, place) : VV_OK;
}

vvStatus vv_scene_raise(vv_document *doc, const json_t *from, const char *where, const vvMesh *filled, vvMesh *mesh)
{
    const char *file = json_string_value(json_object_get(from, "onto"));
    vvMesh read = { 0 };
    vvRaiseNotes notes = { 0 };
    if (!vv_scene_is_order2(from))
        return VV_OK;
    vvStatus status = file ? read_original(doc, file, where, &read) : VV_OK;
    if (status != VV_OK)
        return status;
    const vvMesh *original = file ? &read : filled->triangleCount ? filled : NULL;
    status = original ? vvMeshRaiseOnto(mesh, original, &notes, doc->error) : vvMeshRaise(mesh, doc->error);
    vvMeshDestroy(&read);
    if (status != VV_OK)
        return vv_scene_prefix(doc, where);
    tell_raised(doc, where, mesh, &notes);
    return VV_OK;
}
