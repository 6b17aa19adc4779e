/* Writes Abaqus input files: nodes; tets of four or ten nodes or, without tets, triangles; lines; node sets of groups.
 */
#include "mesh/format/inp.h"
#include "mesh/format/output.h"
#include "mesh/tet10.h"

#include <string.h>

enum { IN_A_LINE = 16 };

/* `width` nodes an element, numbered on from *number. */
static void put_elements(vv_output *o, const char *type, const int *nodes, int count, int width, int *number)
{
    if (count == 0)
        return;
    vv_put_text(o, "*ELEMENT, TYPE=");
    vv_put_text(o, type);
    vv_put_text(o, "\n");
    for (int i = 0; i < count; i++) {
        vv_put_int(o, ++*number, ',');
        for (int k = 0; k < width; k++)
            vv_put_int(o, nodes[(size_t)width * (size_t)i + (size_t)k] + 1, k + 1 < width ? ',' : '\n');
    }
}

/* A name in quotes, without any within. */
static void put_set(vv_output *o, const vvMeshGroup *group)
{
    vv_put_text(o, "*NSET, NSET=\"");
    for (const char *c = group->name; *c; c++)
        vv_put_bytes(o, *c == '"' ? "_" : c, 1);
    vv_put_text(o, "\"\n");
    for (int i = 0; i < group->vertexCount; i++)
        vv_put_int(o, group->vertices[i] + 1, (i + 1) % IN_A_LINE && i + 1 < group->vertexCount ? ',' : '\n');
}

vvStatus vv_inp_write(const vvMesh *mesh, vv_output *o, vvError *error)
{
    int number = 0;
    if (mesh->pointCount)
        return vv_fail(error, VV_ERROR_INPUT, "Abaqus files hold no free points; obj, ply, vtk and msh4 do");
    vv_put_text(o, "*HEADING\na mesh from visviva\n*NODE\n");
    for (int v = 0; v < mesh->vertexCount; v++) {
        vv_put_int(o, v + 1, ',');
        for (int k = 0; k < 3; k++)
            vv_put_double(o, mesh->positions[3 * (size_t)v + (size_t)k], k < 2 ? ',' : '\n');
    }
    if (mesh->tet10Count)
        put_elements(o, "C3D10", mesh->tets10, mesh->tet10Count, VV_TET10_NODES, &number);
    else if (mesh->tetCount)
        put_elements(o, "C3D4", mesh->tets, mesh->tetCount, 4, &number);
    else
        put_elements(o, "S3", mesh->triangles, mesh->triangleCount, 3, &number);
    put_elements(o, "T3D2", mesh->edges, mesh->edgeCount, 2, &number);
    for (int g = 0; g < mesh->groupCount; g++)
        if (mesh->groups[g].name[0] && mesh->groups[g].vertexCount)
            put_set(o, mesh->groups + g);
    return VV_OK;
}
