/* Numbered sequences: one file per frame. The numbers are those of the run's frames. */
#include "record/export/sequence.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static vvStatus shade(const vv_export_job *job, const vv_part *part, vv_sequence_shading *s, vvError *error)
{
    if (part->triangle_count == 0)
        return VV_OK;
    vvStatus status = vv_part_creases(job, part, &s->creases, error);
    if (status == VV_OK && part->uvs)
        status = vv_seams_find(part->triangles, part->vertex_count, part->triangle_count, part->uvs, &s->seams, error);
    return status;
}

static vvStatus prepare(vv_sequence *s, bool shaded, vvError *error)
{
    const vv_export_job *job = s->job;
    s->parts = vv_alloc((size_t)job->body_count, sizeof *s->parts);
    s->shading = vv_alloc((size_t)job->body_count, sizeof *s->shading);
    if (!s->parts || !s->shading)
        return vv_fail_memory(error, "an export");
    int largest = 0, normals = 0;
    for (; s->part_count < job->body_count; s->part_count++) {
        vv_part *part = &s->parts[s->part_count];
        vvStatus status = vv_part_build(job, s->part_count, part, error);
        if (status != VV_OK)
            return status;
        if (shaded && (status = shade(job, part, &s->shading[s->part_count], error)) != VV_OK) {
            s->part_count++;
            return status;
        }
        normals = s->shading[s->part_count].creases.count > normals ? s->shading[s->part_count].creases.count : normals;
        largest = part->vertex_count > largest ? part->vertex_count : largest;
    }
    s->positions = vv_alloc((size_t)largest * 3, sizeof *s->positions);
    s->velocities = vv_alloc((size_t)largest * 3, sizeof *s->velocities);
    s->normals = vv_alloc((size_t)normals * 3, sizeof *s->normals);
    return s->positions && s->velocities && s->normals ? VV_OK : vv_fail_memory(error, "an export");
}

static vvStatus write_file(const vv_sequence *s, const char *path, int frame, vv_sequence_frame write, vvError *error)
{
    vv_export_file file;
    vvStatus status = vv_export_begin(&file, path, error);
    if (status != VV_OK)
        return status;
    return vv_export_end(&file, write(s, file.file, frame, error), error);
}

vvStatus vv_sequence_write(const vv_export_job *job, const char *ending, bool shaded, vv_sequence_frame write,
                           vvError *error)
{
    vv_sequence s = { .job = job };
    char *stem = vv_export_stem(job->path, ending);
    size_t room = strlen(job->path) + 32;
    char *path = vv_alloc(room, 1);
    vvStatus status = stem && path ? prepare(&s, shaded, error) : vv_fail_memory(error, "an export");
    for (int i = 0; status == VV_OK && i < job->count; i++) {
        int frame = vv_export_frame(job, i);
        snprintf(path, room, "%s_%06d%s", stem, frame, ending);
        status = write_file(&s, path, frame, write, error);
        if (status == VV_OK)
            status = vv_export_progress(job, i + 1, error);
    }
    for (int p = 0; p < s.part_count; p++) {
        vv_part_free(&s.parts[p]);
        vv_creases_free(&s.shading[p].creases);
        vv_seams_free(&s.shading[p].seams);
    }
    vv_free(s.parts);
    vv_free(s.shading);
    vv_free(s.normals);
    vv_free(s.positions);
    vv_free(s.velocities);
    vv_free(stem);
    vv_free(path);
    return status;
}
