/* visviva new: models that are not filled: a box of tets around an open surface, cloth, affine bodies. */
#include "new/new.h"

#include <math.h>
#include <stdio.h>

/* Sizes and cells of a box with a little room around the mesh. */
static void fit_box(const vvMesh *mesh, double edge, vvSetting box[2])
{
    static const double margin = 1.04, thinnest = 0.05, most = 1e6;
    vvMeshQuality q;
    double largest = 0;
    box[0] = (vvSetting){ .name = "size" }, box[1] = (vvSetting){ .name = "cells" };
    vvMeshMeasure(mesh, &q);
    for (int k = 0; k < 3; k++)
        largest = fmax(largest, q.boundsMax[k] - q.boundsMin[k]);
    for (int k = 0; k < 3; k++) {
        box[0].value[k] = fmax(margin * (q.boundsMax[k] - q.boundsMin[k]), thinnest * largest);
        box[1].value[k] = fmin(fmax(1, round(box[0].value[k] / (edge > 0 ? edge : largest / 10))), most);
    }
}

int vv_new_box_model(const vv_new_options *o, vv_proposal *p, vvMesh *mesh)
{
    vvError error;
    vvMeshQuality q;
    vvSetting box[2];
    char file[4096];
    int code = vv_new_name_tets(o, file);
    if (code != VV_CLI_GO)
        return code;
    vvMeshMeasure(mesh, &q);
    fit_box(mesh, o->edge, box);
    vvMeshDestroy(mesh);
    if (vvMeshGenerate("box", box, 2, mesh, &error))
        return vv_cli_error_in(o->model, &error);
    for (int i = 0; i < 3 * mesh->vertexCount; i++)
        mesh->positions[i] += 0.5 * (q.boundsMin[i % 3] + q.boundsMax[i % 3]);
    code = vv_cli_write_mesh(mesh, file);
    if (code != VV_CLI_GO)
        return code;
    snprintf(p->made, sizeof p->made, "%s", file);
    printf("mesh %s: a box of %d tets around %s\n", file, mesh->tetCount, o->model);
    return vv_new_name_in_scene(file, o->output, p->mesh) && vv_new_name_in_scene(o->model, o->output, p->surface)
               ? VV_CLI_GO
               : vv_cli_wrong("the path of %s is too long", file);
}

/* Replaces a surface that bounds no volume by that of a wrap. */
static int hull_of(const char *path, vvMesh *mesh)
{
    vvError error;
    vvMesh tets, hull;
    vvFillNotes notes;
    vvFillDef def = vvDefaultFillDef();
    def.wrap = true;
    vvStatus status = vvMeshFillWith(mesh, &def, &tets, &notes, &error);
    if (status != VV_OK)
        return vv_cli_error_in(path, &error);
    const vvMesh shown = { .vertexCount = tets.vertexCount,
                           .triangleCount = tets.triangleCount,
                           .positions = tets.positions,
                           .triangles = tets.triangles };
    status = vvMeshCopy(&shown, &hull, &error);
    if (status == VV_OK)
        status = vvMeshFinish(&hull, NULL, &error);
    vvMeshDestroy(&tets);
    if (status != VV_OK)
        return vv_cli_error_in(path, &error);
    vvMeshDestroy(mesh);
    *mesh = hull;
    printf("    the body is the wrap's surface: %d triangles; %.3g%% of it bridges gaps\n", hull.triangleCount,
           100 * notes.bridged);
    return VV_CLI_GO;
}

int vv_new_cloth_model(const vv_new_options *o, vv_proposal *p, const vvMesh *mesh)
{
    if (!mesh->triangleCount)
        return vv_cli_wrong("%s holds no triangles, so it cannot become cloth", o->model);
    printf("sheet %s: %d vertices, %d triangles\n", o->model, mesh->vertexCount, mesh->triangleCount);
    return vv_new_name_in_scene(o->model, o->output, p->mesh) ? VV_CLI_GO
                                                              : vv_cli_wrong("the path of %s is too long", o->model);
}

int vv_new_closed_model(const vv_new_options *o, vv_proposal *p, vvMesh *mesh)
{
    vvSurfaceCheck check;
    char file[4096];
    const int before = mesh->triangleCount;
    const vv_surface_source from = { .path = o->model, .bad = o->bad, .holes = o->holes, .wrap = true, .placed = true };
    vvMeshDestroy(mesh);
    int code = vv_cli_read_surface(&from, mesh, &check);
    if (code == VV_CLI_GO && o->no_cavities && check.cavityCount)
        code = vv_cli_drop_cavities(mesh, &check);
    if (code == VV_CLI_GO && !check.sound)
        code = hull_of(o->model, mesh);
    p->hollow = check.cavityCount > 0;
    vvSurfaceCheckDestroy(&check);
    snprintf(file, sizeof file, "%s", o->model);
    if (code == VV_CLI_GO && mesh->triangleCount != before) {
        code = vv_new_name_tets(o, file);
        if (code == VV_CLI_GO)
            code = vv_cli_write_mesh(mesh, file);
        if (code == VV_CLI_GO)
            snprintf(p->made, sizeof p->made, "%s", file);
    }
    if (code != VV_CLI_GO)
        return code;
    return vv_new_name_in_scene(file, o->output, p->mesh) ? VV_CLI_GO
                                                          : vv_cli_wrong("the path of %s is too long", file);
}
