/* Legacy VTK files, written: an unstructured grid of version 3.0, which all of VTK's readers know. */
#include "mesh/format/vtk_legacy.h"

#include "mesh/format/msh.h"

#include <string.h>

typedef struct writer {
    vv_output *o;
    bool text;
} writer;

/* Big endian on any machine. */
static void put_big(vv_output *o, const void *value, size_t size)
{
    const uint16_t one = 1;
    char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = ((const char *)value)[*(const char *)&one == 1 ? size - 1 - i : i];
    vv_put_bytes(o, bytes, size);
}

static void put_int(const writer *w, int value, char after)
{
    if (w->text)
        vv_put_int(w->o, value, after);
    else
        put_big(w->o, &value, sizeof value);
}

static void put_heading(const writer *w, const char *name, int64_t count, const char *rest)
{
    vv_put_text(w->o, name);
    vv_put_int(w->o, count, ' ');
    vv_put_text(w->o, rest);
    vv_put_text(w->o, "\n");
}

static void put_points(const writer *w, const vvMesh *mesh)
{
    put_heading(w, "POINTS ", mesh->vertexCount, "double");
    for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; i++)
        if (w->text)
            vv_put_double(w->o, mesh->positions[i], i % 3 < 2 ? ' ' : '\n');
        else
            put_big(w->o, &mesh->positions[i], sizeof(double));
}

static void put_cells(const writer *w, const vv_msh_kind *kinds)
{
    static const int types[] = { [1] = 1, [2] = 3, [3] = 5, [4] = 10 }; /* VTK's types, by number of corners */
    int64_t cells = 0, numbers = 0;
    for (int k = 0; k < VV_MSH_KINDS; k++) {
        cells += kinds[k].count;
        numbers += (int64_t)kinds[k].count * (kinds[k].corners + 1);
    }
    vv_put_text(w->o, "CELLS ");
    vv_put_int(w->o, cells, ' ');
    vv_put_int(w->o, numbers, '\n');
    for (int k = 0; k < VV_MSH_KINDS; k++)
        for (int i = 0; i < kinds[k].count; i++) {
            put_int(w, kinds[k].corners, ' ');
            const int *v = kinds[k].indices + (size_t)i * (size_t)kinds[k].corners;
            for (int c = 0; c < kinds[k].corners; c++)
                put_int(w, v[c], c + 1 < kinds[k].corners ? ' ' : '\n');
        }
    vv_put_text(w->o, w->text ? "CELL_TYPES " : "\nCELL_TYPES ");
    vv_put_int(w->o, cells, '\n');
    for (int k = 0; k < VV_MSH_KINDS; k++)
        for (int i = 0; i < kinds[k].count; i++)
            put_int(w, types[kinds[k].corners], '\n');
    vv_put_text(w->o, w->text ? "" : "\n");
}

static vvStatus write_vtk(const vvMesh *mesh, bool text, vv_output *output)
{
    writer w = { output, text };
    vv_msh_kind kinds[VV_MSH_KINDS];
    vv_msh_kinds(mesh, kinds);
    vv_put_text(output, "# vtk DataFile Version 3.0\nvisviva\n");
    vv_put_text(output, text ? "ASCII\n" : "BINARY\n");
    vv_put_text(output, "DATASET UNSTRUCTURED_GRID\n");
    put_points(&w, mesh);
    vv_put_text(output, text ? "" : "\n");
    put_cells(&w, kinds);
    return VV_OK;
}

vvStatus vv_legacy_write_text(const vvMesh *mesh, vv_output *output, vvError *error)
{
    (void)error;
    return write_vtk(mesh, true, output);
}

vvStatus vv_legacy_write_binary(const vvMesh *mesh, vv_output *output, vvError *error)
{
    (void)error;
    return write_vtk(mesh, false, output);
}
