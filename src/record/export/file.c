/* Files that exporters write: complete, or not at all. Progress reports, and cancellation by the host. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text/path.h"
#include "base/text/text.h"
#include "record/export/export.h"
#include "record/place.h"

static vvStatus failed(const vv_export_file *file, int reason, vvError *error)
{
    return vv_fail(error, VV_ERROR_IO, "%s cannot be written: %s", file->path, strerror(reason));
}

static void let_go(vv_export_file *file)
{
    vv_free(file->path);
    vv_free(file->part);
    *file = (vv_export_file){ 0 };
}

vvStatus vv_export_begin(vv_export_file *file, const char *path, vvError *error)
{
    struct stat info;
    *file = (vv_export_file){ .path = vv_place_real(path) };
    bool device = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    if (file->path && !device)
        file->part = vv_place_part(file->path);
    if (!file->path || (!device && !file->part)) {
        let_go(file);
        return vv_fail_memory(error, "an export");
    }
    file->file = device ? fopen(file->path, "wbe") : vv_place_create(file->part);
    if (file->file)
        return VV_OK;
    vvStatus status = failed(file, errno, error);
    let_go(file);
    return status;
}

/* Why writing failed: the system reports it once, so writing is tried again. The file is lost in any case. */
static int reason_of(FILE *file)
{
    clearerr(file);
    errno = 0;
    fputc('\n', file);
    return fflush(file) != 0 ? errno : EIO;
}

vvStatus vv_export_check(const vv_export_file *file, vvError *error)
{
    return ferror(file->file) ? failed(file, reason_of(file->file), error) : VV_OK;
}

vvStatus vv_export_end(vv_export_file *file, vvStatus status, vvError *error)
{
    if (!file->file)
        return status;
    bool whole = ferror(file->file) == 0 && fflush(file->file) == 0;
    int reason = whole ? 0 : reason_of(file->file);
    if (fclose(file->file) != 0 && whole) {
        whole = false;
        reason = errno;
    }
    if (status == VV_OK && whole && file->part && rename(file->part, file->path) != 0) {
        whole = false;
        reason = errno;
    }
    if (status == VV_OK && !whole)
        status = failed(file, reason, error);
    if (status != VV_OK && file->part)
        unlink(file->part);
    let_go(file);
    return status;
}

vvStatus vv_export_progress(const vv_export_job *job, int done, vvError *error)
{
    const vvExportDef *def = job->def;
    if (def->progress)
        def->progress(def->user, done, job->count);
    return def->cancel && done < job->count && def->cancel(def->user)
               ? vv_fail(error, VV_CANCELLED, "the export was cancelled")
               : VV_OK;
}

vvStatus vv_export_ours(const char *path, const char *mark, vvError *error)
{
    char start[257];
    char why[VV_WHY_LENGTH];
    if (!vv_place_exists(path))
        return VV_OK;
    FILE *f = vv_open_regular(path, why);
    size_t count = f ? fread(start, 1, sizeof start - 1, f) : 0;
    if (f)
        fclose(f);
    start[count] = 0;
    if (strstr(start, mark))
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "%s already exists and was not made by an export: move it away, or choose another name for the "
                   "export",
                   path);
}

char *vv_export_beside(const char *stem, const char *ending)
{
    size_t length = strlen(stem), more = strlen(ending) + 1;
    char *out = vv_alloc(length + more, 1);
    if (out) {
        memcpy(out, stem, length);
        memcpy(out + length, ending, more);
    }
    return out;
}

char *vv_export_stem(const char *path, const char *ending)
{
    char *stem = vv_strdup(path);
    size_t n = strlen(path), e = strlen(ending);
    if (stem && n > e && vv_same_letters(path + n - e, ending, e))
        stem[n - e] = 0;
    return stem;
}
