/* The list of export formats, and what they share. A format more: its file, and its row here. */
#include "record/export.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

static const vv_exporter *const exporters[] = { &vv_export_vtu, &vv_export_obj, &vv_export_csv };

const vvInfo *vvExportFormatInfo(int index)
{
    return index >= 0 && index < (int)(sizeof exporters / sizeof *exporters) ? &exporters[index]->info : NULL;
}

vvExportDef vvDefaultExportDef(void) { return (vvExportDef){ .format = "vtu", .lastFrame = -1, .every = 1 }; }

static const vv_exporter *find(const char *name, vvError *error)
{
    char names[128];
    for (int i = 0; name && i < (int)(sizeof exporters / sizeof *exporters); i++)
        if (strcmp(exporters[i]->info.name, name) == 0)
            return exporters[i];
    vv_list_names(names, sizeof names, vvExportFormatInfo);
    const char *near = name ? vv_nearest_name(name, vvExportFormatInfo) : NULL;
    if (near)
        vv_fail(error, VV_ERROR_INPUT, "\"%s\" is not an export format; there are: %s; did you mean \"%s\"?", name,
                names,
                near);
    else
        vv_fail(error, VV_ERROR_INPUT, "\"%s\" is not an export format; there are: %s", name ? name : "", names);
    return NULL;
}

vvStatus vvRunExport(const vvRun *run, const vvExportDef *def, const char *path, vvError *error)
{
    vv_error_clear(error);
    const vv_exporter *exporter = find(def->format, error);
    if (!exporter)
        return VV_ERROR_INPUT;
    int frames = vvRunFrameCount(run);
    vv_export_job job = { run, def, path, def->firstFrame, def->lastFrame < 0 ? frames - 1 : def->lastFrame,
                          def->every, 0 };
    if (job.first < 0 || job.first > job.last || job.last >= frames)
        return vv_fail(error, VV_ERROR_INPUT, "frames %d to %d: the run has frames 0 to %d", job.first, job.last,
                       frames - 1);
    if (job.every < 1)
        return vv_fail(error, VV_ERROR_INPUT, "every %d-th frame: must be 1 or more", job.every);
    if (!path || !*path)
        return vv_fail(error, VV_ERROR_INPUT, "an export needs a file name");
    job.count = (job.last - job.first) / job.every + 1;
    vv_export_progress(&job, 0);
    return exporter->write(&job, error);
}

void vv_export_progress(const vv_export_job *job, int done)
{
    if (job->def->progress)
        job->def->progress(job->def->user, done, job->count);
}

FILE *vv_export_open(const char *path, vvError *error)
{
    FILE *file = fopen(path, "wbe");
    if (!file)
        vv_fail(error, VV_ERROR_IO, "%s cannot be written: %s", path, strerror(errno));
    return file;
}

vvStatus vv_export_close(FILE *file, const char *path, vvError *error)
{
    struct stat info;
    bool ordinary = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode); /* a device is not ours to remove */
    errno = 0;
    bool ok = ferror(file) == 0;
    ok = fclose(file) == 0 && ok;
    if (ok)
        return VV_OK;
    int reason = errno;
    if (ordinary)
        unlink(path);
    return vv_fail(error, VV_ERROR_IO, "%s cannot be written: %s", path, reason ? strerror(reason) : "write error");
}

char *vv_export_stem(const char *path, const char *ending)
{
    char *stem = vv_strdup(path);
    size_t n = strlen(path), e = strlen(ending);
    if (stem && n > e && strcasecmp(path + n - e, ending) == 0)
        stem[n - e] = 0;
    return stem;
}
