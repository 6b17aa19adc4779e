/* Writes text and bytes to a file. */
#include "mesh/format/output.h"

#include "base/memory.h"
#include "base/text/number.h"
#include "base/text/path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void vv_put_bytes(vv_output *o, const void *bytes, size_t size)
{
    if (o->failed || !size)
        return;
    if (!vv_grow((void **)&o->data, &o->capacity, o->count + size, 1)) {
        o->failed = true;
        return;
    }
    memcpy(o->data + o->count, bytes, size);
    o->count += size;
}

void vv_put_text(vv_output *o, const char *text) { vv_put_bytes(o, text, strlen(text)); }

void vv_put_int(vv_output *o, int64_t value, char after)
{
    char text[32];
    vv_put_bytes(o, text, (size_t)snprintf(text, sizeof text, "%" PRId64 "%c", value, after));
}

void vv_put_double(vv_output *o, double value, char after)
{
    char text[VV_NUMBER_LENGTH + 1];
    int length = vv_format_double(text, value);
    text[length] = after;
    vv_put_bytes(o, text, (size_t)length + 1);
}

static vvStatus fail_system(const char *path, const char *what, vvError *error)
{
    char text[VV_WHY_LENGTH];
    return vv_fail(error, VV_ERROR_IO, "%.300s: %s: %s", path, what, vv_why(errno, text));
}

vvStatus vv_output_save(const vv_output *o, const char *path, vvError *error)
{
    if (o->failed)
        return vv_fail_memory(error, "the file's contents");
    FILE *file = fopen(path, "wb");
    if (!file)
        return fail_system(path, "cannot be created", error);
    size_t written = o->count ? fwrite(o->data, 1, o->count, file) : 0;
    vvStatus status = written == o->count ? VV_OK : fail_system(path, "cannot be written in full", error);
    if (fclose(file) != 0 && status == VV_OK)
        status = fail_system(path, "cannot be written in full", error);
    return status;
}

void vv_output_free(vv_output *o)
{
    vv_free(o->data);
    *o = (vv_output){ 0 };
}

int *vv_surface_numbers(const vvMesh *mesh, int *used)
{
    int *number = vv_alloc((size_t)mesh->vertexCount, sizeof *number);
    *used = 0;
    for (int i = 0; number && i < 3 * mesh->triangleCount; i++)
        number[mesh->triangles[i]] = 1;
    for (int i = 0; number && i < 2 * mesh->edgeCount; i++)
        number[mesh->edges[i]] = 1;
    for (int i = 0; number && i < mesh->pointCount; i++)
        number[mesh->points[i]] = 1;
    for (int v = 0; number && v < mesh->vertexCount; v++)
        if (number[v])
            number[v] = ++*used;
    return number;
}
