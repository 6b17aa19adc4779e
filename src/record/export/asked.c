/* Fields that an export was asked for. */
#include "record/export/asked.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "mesh/tet10.h"

static const char AT_NODES[] = "@nodes";

static const vvInfo *info_at(int index) { return vvFieldInfo(index) ? &vvFieldInfo(index)->info : NULL; }

/* One word of the list. */
static vvStatus add(vv_asked *asked, const char *word, size_t length, vvError *error)
{
    char text[sizeof asked->item->name];
    if (length == 0 || length >= sizeof text)
        return vv_fail(error, VV_ERROR_INPUT, "fields: found a name of %zu letters; allowed: names with commas between",
                       length);
    if (asked->count == VV_ASKED_MOST)
        return vv_fail(error, VV_ERROR_INPUT, "fields: more than %d", VV_ASKED_MOST);
    memcpy(text, word, length), text[length] = '\0';
    vv_asked_field *to = asked->item + asked->count;
    memcpy(to->name, text, sizeof text);
    const size_t end = sizeof AT_NODES - 1;
    to->nodes = length > end && strcmp(text + length - end, AT_NODES) == 0;
    if (to->nodes)
        text[length - end] = '\0';
    for (int i = 0; vvFieldInfo(i); i++)
        if (strcmp(vvFieldInfo(i)->info.name, text) == 0)
            to->field = vvFieldInfo(i);
    if (!to->field)
        return vv_fail_unknown(error, "field", text, info_at);
    to->nodes = to->nodes || to->field->place == VV_FIELD_NODES || to->field->place == VV_FIELD_SURFACE;
    asked->count++;
    return VV_OK;
}

/* The most numbers that a body's field has. */
static int most_numbers(const vvRun *run)
{
    int most = 0;
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        const int counts[] = { body->nodeCount, body->tetCount, body->edgeCount, body->triangleCount,
                               body->vertexCount };
        for (int k = 0; k < 5; k++)
            most = counts[k] > most ? counts[k] : most;
    }
    return 6 * most;
}

vvStatus vv_asked_make(vv_asked *asked, const vv_export_job *job, const vv_cells *cells, vvError *error)
{
    const char *at = job->def->fields;
    vvStatus status = VV_OK;
    *asked = (vv_asked){ .count = 0 };
    while (at && status == VV_OK) {
        const size_t length = strcspn(at, ",");
        status = add(asked, at, length, error);
        at = at[length] ? at + length + 1 : NULL;
    }
    if (status != VV_OK || asked->count == 0)
        return status;
    if (!job->def->world)
        return vv_fail(error, VV_ERROR_INPUT,
                       "an export of fields needs a world of the run's scene (vvExportDef.world)");
    asked->room_count = most_numbers(job->run);
    asked->room = vv_alloc((size_t)asked->room_count, sizeof *asked->room);
    bool ok = asked->room;
    for (int i = 0; i < asked->count; i++) {
        vv_asked_field *f = asked->item + i;
        const size_t items = f->nodes ? (size_t)vvRunVertexCount(job->run) : (size_t)cells->count;
        f->values = vv_alloc(items * (size_t)f->field->components, sizeof *f->values);
        ok = ok && f->values;
    }
    return ok ? VV_OK : vv_fail_memory(error, "an export");
}

void vv_asked_free(vv_asked *asked)
{
    for (int i = 0; i < asked->count; i++)
        vv_free(asked->item[i].values);
    vv_free(asked->room);
    *asked = (vv_asked){ .count = 0 };
}

static void fill(double *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = NAN;
}

/* A cell of order 2 has the mean of the linear tets that it is cut into. */
static void fold(double *values, size_t n, int *count)
{
    *count /= VV_TET10_SUBTETS;
    for (size_t i = 0; i < (size_t)*count; i += n)
        for (size_t k = 0; k < n; k++) {
            double sum = 0;
            for (size_t t = 0; t < VV_TET10_SUBTETS; t++)
                sum += values[VV_TET10_SUBTETS * i + n * t + k];
            values[i + k] = sum / VV_TET10_SUBTETS;
        }
}

/* Of all bodies: what a body has of such elements are the first of its cells. */
static vvStatus find_one(vv_asked *asked, vv_asked_field *f, const vv_export_job *job, const vv_cells *cells,
                         vvError *error)
{
    const vvRun *run = job->run;
    const size_t n = (size_t)f->field->components;
    int64_t at = 0;
    fill(f->values, n * (f->nodes ? (size_t)vvRunVertexCount(run) : (size_t)cells->count));
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        int count = 0;
        while (!f->nodes && at < cells->count && cells->body[at] < b)
            at++;
        vvStatus status = vvBodyField(job->def->world, vvWorldBody(job->def->world, b), f->field->info.name, f->nodes,
                                      asked->room, asked->room_count, &count, error);
        if (status == VV_OK && !f->nodes && at < cells->count && cells->types[at] == VV_VTK_TET10)
            fold(asked->room, n, &count);
        if (status == VV_OK)
            memcpy(f->values + n * (f->nodes ? vv_asked_first(f->field, vvRunGetBody(run, b)) : (size_t)at),
                   asked->room, (size_t)count * sizeof *asked->room);
        else if (status != VV_ERROR_UNSUPPORTED)
            return status;
    }
    vv_error_clear(error);
    return VV_OK;
}

vvStatus vv_asked_find(vv_asked *asked, const vv_export_job *job, int frame, const vv_cells *cells, vvError *error)
{
    vvStatus status = asked->count ? vvRunLoadFrame(job->run, frame, job->def->world, error) : VV_OK;
    for (int i = 0; status == VV_OK && i < asked->count; i++)
        status = find_one(asked, asked->item + i, job, cells, error);
    return status;
}

size_t vv_asked_first(const vvField *field, const vvRunBody *body)
{
    return (size_t)(field->place == VV_FIELD_SURFACE ? body->firstVertex : body->firstNode);
}

double vv_asked_size(const vvField *field, const double *value)
{
    double most = 0;
    if (field->place != VV_FIELD_TETS && field->components == 3)
        return vv_norm(value);
    if (field->components != 6)
        return *value;
    for (int k = 0; k < 6; k++)
        most = fabs(value[k]) > fabs(most) || isnan(value[k]) ? value[k] : most;
    return most;
}
