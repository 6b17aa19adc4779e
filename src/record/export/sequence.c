/* Numbered sequences: one file per frame. The numbers are those of the run's frames. */
#include "record/export/sequence.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static vvStatus prepare(vv_sequence *s, vvError *error)
{
    const vv_export_job *job = s->job;
    s->parts = vv_alloc((size_t)job->body_count, sizeof *s->parts);
    if (!s->parts)
        return vv_fail_memory(error, "an export");
    int largest = 0;
    for (; s->part_count < job->body_count; s->part_count++) {
        vv_part *part = &s->parts[s->part_count];
        vvStatus status = vv_part_build(job, s->part_count, part, error);
        if (status != VV_OK)
            return status;
        largest = part->vertex_count > largest ? part->vertex_count : largest;
    }
    s->positions = vv_alloc((size_t)largest * 3, sizeof *s->positions);
    s->velocities = vv_alloc((size_t)largest * 3, sizeof *s->velocities);
    return s->positions && s->velocities ? VV_OK : vv_fail_memory(error, "an export");
}

static vvStatus write_file(const vv_sequence *s, const char *path, int frame, vv_sequence_frame write, vvError *error)
{
    vv_export_file file;
    vvStatus status = vv_export_begin(&file, path, error);
    if (status != VV_OK)
        return status;
    return vv_export_end(&file, write(s, file.file, frame, error), error);
}

vvStatus vv_sequence_write(const vv_export_job *job, const char *ending, vv_sequence_frame write, vvError *error)
{
    vv_sequence s = { .job = job };
    char *stem = vv_export_stem(job->path, ending);
    size_t room = strlen(job->path) + 32;
    char *path = vv_alloc(room, 1);
    vvStatus status = stem && path ? prepare(&s, error) : vv_fail_memory(error, "an export");
    for (int i = 0; status == VV_OK && i < job->count; i++) {
        int frame = vv_export_frame(job, i);
        snprintf(path, room, "%s_%06d%s", stem, frame, ending);
        status = write_file(&s, path, frame, write, error);
        if (status == VV_OK)
            status = vv_export_progress(job, i + 1, error);
    }
    for (int p = 0; p < s.part_count; p++)
        vv_part_free(&s.parts[p]);
    vv_free(s.parts);
    vv_free(s.positions);
    vv_free(s.velocities);
    vv_free(stem);
    vv_free(path);
    return status;
}
