/* The list of export formats, and what they share. A new one is a file and a row here. */
#include "record/export/export.h"

#include <string.h>

#include "base/error.h"
#include "record/reader.h"

static const vv_exporter *const exporters[] = { &vv_export_vtu,  &vv_export_obj, &vv_export_ply, &vv_export_pc2,
                                                &vv_export_usda, &vv_export_glb, &vv_export_csv };

const vvInfo *vvExportFormatInfo(int index)
{
    return index >= 0 && index < (int)(sizeof exporters / sizeof *exporters) ? &exporters[index]->info : NULL;
}

static const vv_exporter *find(const char *name, vvError *error)
{
    for (int i = 0; name && i < (int)(sizeof exporters / sizeof *exporters); i++)
        if (strcmp(exporters[i]->info.name, name) == 0)
            return exporters[i];
    vv_fail_unknown(error, "export format", name, vvExportFormatInfo);
    return NULL;
}

static vvStatus choose_frames(vv_export_job *job, vvError *error)
{
    const vvExportDef *def = job->def;
    int frames = vvRunFrameCount(job->run);
    job->first = def->firstFrame;
    job->last = def->lastFrame < 0 ? frames - 1 : def->lastFrame;
    job->every = def->every;
    if (job->first < 0 || job->first > job->last || job->last >= frames)
        return vv_fail(error, VV_ERROR_INPUT, "frames %d to %d: the run has frames 0 to %d", job->first, job->last,
                       frames - 1);
    if (job->every < 1)
        return vv_fail(error, VV_ERROR_INPUT, "every %d-th frame: must be 1 or more", job->every);
    job->count = (job->last - job->first) / job->every + 1;
    return VV_OK;
}

static vvStatus choose_bodies(vv_export_job *job, const vv_exporter *exporter, vvError *error)
{
    const char *wanted = job->def->body;
    int bodies = vvRunBodyCount(job->run);
    job->body_count = bodies;
    if (!wanted)
        return VV_OK;
    if (!(exporter->takes & VV_EXPORT_BODY))
        return vv_fail(error, VV_ERROR_INPUT, "format %s always holds all bodies: give no body (found \"%s\")",
                       exporter->info.name, wanted);
    char names[512];
    size_t used = 0;
    for (int b = 0; b < bodies; b++) {
        const char *name = vvRunGetBody(job->run, b)->name;
        if (strcmp(name, wanted) == 0) {
            job->first_body = b;
            job->body_count = 1;
            return VV_OK;
        }
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", b ? ", " : "", name);
    }
    return vv_fail(error, VV_ERROR_INPUT, "the run has no body \"%s\"; there are: %s%s", wanted, names,
                   used < sizeof names ? "" : " ...");
}

static vvStatus write_all(vv_export_job *job, const vv_exporter *exporter, vvError *error)
{
    vvRun *run = (vvRun *)(uintptr_t)job->run;
    run->exporting++;
    vvStatus status = vv_export_progress(job, 0, error);
    if (status == VV_OK)
        status = exporter->write(job, error);
    if (status == VV_OK)
        status = vv_export_progress(job, job->count, error);
    run->exporting--;
    return status;
}

vvStatus vvRunExport(const vvRun *run, const vvExportDef *def, const char *path, vvError *error)
{
    vv_error_clear(error);
    if (!run || !def)
        return vv_fail(error, VV_ERROR_INPUT, "vvRunExport needs a run and a definition, found NULL");
    if (vv_check_made(def->internalValue, "vvExportDef", "vvRunExport: the definition", error) != VV_OK)
        return VV_ERROR_INPUT;
    const vv_exporter *exporter = find(def->format, error);
    if (!exporter)
        return VV_ERROR_INPUT;
    vv_export_job job = { .run = run, .def = def, .path = path };
    vvStatus status = choose_frames(&job, error);
    if (status == VV_OK)
        status = choose_bodies(&job, exporter, error);
    if (status != VV_OK)
        return status;
    if (def->velocities && !(exporter->takes & VV_EXPORT_VELOCITIES))
        return vv_fail(error, VV_ERROR_INPUT, "format %s has no choice of velocities: usda and ply have",
                       exporter->info.name);
    if (def->fields && !(exporter->takes & VV_EXPORT_FIELDS))
        return vv_fail(error, VV_ERROR_INPUT, "format %s holds no fields: vtu and csv do", exporter->info.name);
    if (!path || !*path)
        return vv_fail(error, VV_ERROR_INPUT, "an export needs a file name");
    return write_all(&job, exporter, error);
}
