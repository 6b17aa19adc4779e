/* Point caches (PC2) for Blender's Mesh Cache modifier and similar: for each body NAME.pc2 (NAME_body.pc2 if there
 * are several), with NAME_mesh.obj, which has the same vertices in the same order at the first exported frame, and for
 * all bodies NAME.blender.py, which sets everything up. Coordinates are the run's.
 *
 * A cache has equidistant samples. Where frames are not evenly spaced (a run that ended between two frames, or
 * was resumed with another step), samples in between are interpolated from both neighbours. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/export/blender.h"
#include "record/export/obj.h"
#include "record/place.h"

static const char obj_mark[] = "# visviva";

typedef struct vv_pc2 {
    const vv_export_job *job;
    vv_timing timing;
    vv_labels ids;
    char *stem;
    int samples;
    int64_t done;
    char **caches, **meshes; /* paths, by body */
    vv_bounds bounds;
} vv_pc2;

/* The frames on both sides of a sample; only a if the sample is at a frame. */
typedef struct vv_pair {
    float *a, *b;
    int frame_a, frame_b;
} vv_pair;

static vvStatus load(const vv_pc2 *c, const vv_part *part, vv_pair *pair, int i, vvError *error)
{
    if (pair->frame_a == i)
        return VV_OK;
    if (pair->frame_b == i) {
        float *swap = pair->a;
        pair->a = pair->b;
        pair->b = swap;
        pair->frame_a = i;
        pair->frame_b = -1;
        return VV_OK;
    }
    pair->frame_a = i;
    return vv_part_read(c->job->run, part, vv_export_frame(c->job, i), pair->a, NULL, error);
}

/* Positions at sample s, in pair->a (at a frame) or `mixed`; *i is the frame before, kept from sample to sample. */
static vvStatus sample(const vv_pc2 *c, const vv_part *part, vv_pair *pair, int s, int *i, float *mixed,
                       const float **out, vvError *error)
{
    while (*i + 1 < c->job->count && vv_timing_at(c->job, &c->timing, *i + 1) <= s)
        ++*i;
    double low = vv_timing_at(c->job, &c->timing, *i);
    vvStatus status = load(c, part, pair, *i, error);
    *out = pair->a;
    if (status != VV_OK || low >= s || *i + 1 == c->job->count)
        return status;
    double high = vv_timing_at(c->job, &c->timing, *i + 1), t = (s - low) / (high - low);
    if (pair->frame_b != *i + 1)
        status = vv_part_read(c->job->run, part, vv_export_frame(c->job, *i + 1), pair->b, NULL, error);
    pair->frame_b = *i + 1;
    for (int k = 0; k < 3 * part->vertex_count; k++)
        mixed[k] = (float)((1 - t) * pair->a[k] + t * pair->b[k]);
    *out = mixed;
    return status;
}

static vvStatus put_samples(vv_pc2 *c, const vv_part *part, const vv_export_file *file, vv_pair *pair, float *mixed,
                            vvError *error)
{
    const int32_t head[2] = { 1, part->vertex_count }, count = c->samples;
    const float timing[2] = { 0, 1 }; /* begins at frame 0, one sample per frame */
    fwrite("POINTCACHE2\0", 1, 12, file->file);
    vv_put_ints(file->file, head, 2);
    vv_put_floats(file->file, timing, 2);
    vv_put_ints(file->file, &count, 1);
    for (int s = 0, i = 0; s < c->samples; s++) {
        const float *positions;
        vvStatus status = sample(c, part, pair, s, &i, mixed, &positions, error);
        if (status != VV_OK)
            return status;
        vv_put_floats(file->file, positions, (size_t)part->vertex_count * 3);
        vv_bounds_add(&c->bounds, positions, part->vertex_count);
        status = vv_export_check(file, error);
        if (status == VV_OK)
            status = vv_export_progress_of(c->job, ++c->done * c->job->count / c->samples, c->job->body_count, error);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

static vvStatus write_cache(vv_pc2 *c, const vv_part *part, int index, vv_pair *pair, float *mixed, vvError *error)
{
    vv_export_file file;
    vvStatus status = vv_export_begin(&file, c->caches[index], error);
    return status != VV_OK ? status : vv_export_end(&file, put_samples(c, part, &file, pair, mixed, error), error);
}

static vvStatus write_mesh(const vv_pc2 *c, const vv_part *part, int index, float *positions, vvError *error)
{
    vv_export_file file;
    vv_seams seams = { 0 };
    vvStatus status = vv_part_read(c->job->run, part, c->job->first, positions, NULL, error);
    if (status == VV_OK && part->uvs && part->triangle_count > 0)
        status = vv_seams_find(part->triangles, part->vertex_count, part->triangle_count, part->uvs, &seams, error);
    if (status == VV_OK)
        status = vv_export_begin(&file, c->meshes[index], error);
    if (status != VV_OK) {
        vv_seams_free(&seams);
        return status;
    }
    fprintf(file.file, "%s: the vertices of %s, in its order\n", obj_mark, vv_place_name(c->caches[index]));
    vv_obj_vertices(file.file, positions, part->vertex_count);
    vv_obj_uvs(file.file, &seams);
    /* no normals: they would stay as they are while the cache moves */
    const vv_obj_corners corners = { .uvs = seams.corners, .first_uv = 1 };
    vv_obj_elements(file.file, part, 1, &corners);
    vv_seams_free(&seams);
    return vv_export_end(&file, VV_OK, error);
}

static vvStatus write_body(vv_pc2 *c, int index, vvError *error)
{
    vv_part part;
    vvStatus status = vv_part_build(c->job, index, &part, error);
    if (status != VV_OK)
        return status;
    size_t count = (size_t)part.vertex_count * 3;
    vv_pair pair = { vv_alloc(count, sizeof(float)), vv_alloc(count, sizeof(float)), -1, -1 };
    float *mixed = vv_alloc(count, sizeof *mixed);
    status = pair.a && pair.b && mixed ? write_mesh(c, &part, index, mixed, error) : vv_fail_memory(error, "an export");
    if (status == VV_OK)
        status = write_cache(c, &part, index, &pair, mixed, error);
    vv_free(pair.a);
    vv_free(pair.b);
    vv_free(mixed);
    vv_part_free(&part);
    return status;
}

/* ---- names ---- */

static char *name_of(const vv_pc2 *c, int index, const char *ending)
{
    char tail[VV_LABEL_ROOM + 16];
    if (c->job->body_count > 1)
        snprintf(tail, sizeof tail, "_%s%s", c->ids.id[index], ending);
    else
        snprintf(tail, sizeof tail, "%s", ending);
    return vv_export_beside(c->stem, tail);
}

static vvStatus choose_names(vv_pc2 *c, vvError *error)
{
    int bodies = c->job->body_count;
    c->stem = vv_export_stem(c->job->path, ".pc2");
    c->caches = vv_alloc((size_t)bodies, sizeof *c->caches);
    c->meshes = vv_alloc((size_t)bodies, sizeof *c->meshes);
    if (!c->stem || !c->caches || !c->meshes)
        return vv_fail_memory(error, "an export");
    for (int b = 0; b < bodies; b++) {
        c->caches[b] = name_of(c, b, ".pc2");
        c->meshes[b] = name_of(c, b, "_mesh.obj");
        if (!c->caches[b] || !c->meshes[b])
            return vv_fail_memory(error, "an export");
        vvStatus status = vv_export_ours(c->caches[b], "POINTCACHE2", error);
        if (status == VV_OK)
            status = vv_export_ours(c->meshes[b], obj_mark, error);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

/* ---- all ---- */

static vvStatus write_script(const vv_pc2 *c, vvError *error)
{
    int bodies = c->job->body_count;
    char *path = vv_export_beside(c->stem, ".blender.py");
    vv_blender_body *list = vv_alloc((size_t)bodies, sizeof *list);
    vv_export_file file;
    vvStatus status = path && list ? vv_export_ours(path, vv_blender_mark, error) : vv_fail_memory(error, "an export");
    if (status == VV_OK)
        status = vv_export_begin(&file, path, error);
    if (status == VV_OK) {
        for (int b = 0; b < bodies; b++) {
            int body = c->job->first_body + b;
            list[b] = (vv_blender_body){ vvRunGetBody(c->job->run, body)->name, vv_place_name(c->meshes[b]),
                                         vv_place_name(c->caches[b]), vv_part_colour(c->job->run, body),
                                         vvRunGetBody(c->job->run, body)->drawnThickness };
        }
        const vv_blender blender = { c->job->run, vv_place_name(path), c->timing.rate, c->samples, bodies, list,
                                     c->bounds };
        status = vv_export_end(&file, vv_blender_script(&blender, file.file, error), error);
    }
    vv_free(path);
    vv_free(list);
    return status;
}

static void destroy(vv_pc2 *c)
{
    for (int b = 0; b < c->job->body_count; b++) {
        vv_free(c->caches ? c->caches[b] : NULL);
        vv_free(c->meshes ? c->meshes[b] : NULL);
    }
    vv_free(c->caches);
    vv_free(c->meshes);
    vv_free(c->stem);
    vv_labels_free(&c->ids);
}

static vvStatus write_pc2(const vv_export_job *job, vvError *error)
{
    vv_pc2 c = { .job = job, .bounds = vv_bounds_none() };
    vvStatus status = vv_timing_find(job, &c.timing, error);
    if (status == VV_OK)
        status = vv_part_labels(job, &c.ids, error);
    if (status == VV_OK)
        status = choose_names(&c, error);
    if (status == VV_OK) {
        double last = vv_timing_at(job, &c.timing, job->count - 1);
        if (!(last < INT32_MAX / 2))
            status = vv_fail(error, VV_ERROR_INPUT,
                             "frames %d to %d are %g intervals apart: too many samples for a "
                             "point cache",
                             job->first, job->last, last);
        else
            c.samples = (int)(last + 1e-4) + 1;
    }
    for (int b = 0; status == VV_OK && b < job->body_count; b++)
        status = write_body(&c, b, error);
    if (status == VV_OK)
        status = write_script(&c, error);
    destroy(&c);
    return status;
}

const vv_exporter vv_export_pc2 = {
    { "pc2", "a point cache a body, its mesh, and a script that shows them in Blender (Mesh Cache modifier)" },
    write_pc2,
    VV_EXPORT_BODY
};
