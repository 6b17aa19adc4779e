/* glTF 2.0, one binary .glb file: one mesh per body, its frames as morph targets (positions and normals) that an
 * animation of weights plays, linearly in between, or of an affine body an animation of its node; obstacles as
 * meshes. Every frame is read twice: for the ranges, which glTF needs first, then to be written. Memory holds two
 * frames and the JSON part. glb.h describes the layout. */
#include "record/export/glb.h"

#include "base/error.h"

#ifdef VV_HAVE_JANSSON
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- a frame of a part ---- */

/* Positions and normals as stored in the file, of those in g->positions: each vertex once per smooth patch. */
static void shade_part(const vv_glb *g, vv_glb_part *p, bool first)
{
    if (p->tubes.count > 0) {
        vv_tubes_place(&p->tubes, g->positions, first, p->now, p->now + 3 * p->count);
        return;
    }
    const int *seam = p->seams.source;
    for (int v = 0; v < p->count; v++)
        memcpy(p->now + 3 * v, g->positions + 3 * (p->arrays == 2 ? p->creases.source[seam ? seam[v] : v] : v),
               3 * sizeof *p->now);
    if (p->arrays == 2)
        vv_creases_normals(&p->creases, p->part.triangle_count, g->positions,
                           seam ? g->normals : p->now + 3 * p->count);
    for (int v = 0; seam && v < p->count; v++) /* light does not see a seam */
        memcpy(p->now + 3 * (p->count + v), g->normals + 3 * seam[v], 3 * sizeof *p->now);
}

static vvStatus read_part(const vv_glb *g, vv_glb_part *p, int i, vvError *error)
{
    vvStatus status = vv_part_read(g->job->run, &p->part, vv_export_frame(g->job, i), g->positions, NULL, error);
    if (status == VV_OK)
        shade_part(g, p, i == 0);
    return status;
}

static void find_limits(const float *values, int count, float *limits)
{
    for (int k = 0; k < 3; k++) {
        limits[k] = limits[3 + k] = values[k];
        for (int v = 1; v < count; v++) {
            limits[k] = fminf(limits[k], values[3 * v + k]);
            limits[3 + k] = fmaxf(limits[3 + k], values[3 * v + k]);
        }
    }
}

/* If f is NULL, only the ranges are recorded. */
static void put_kind(const vv_glb *g, const vv_glb_part *p, const float *values, int i, bool base, FILE *f)
{
    if (f)
        vv_put_floats(f, values, vv_glb_floats(p));
    else
        find_limits(values, p->count, vv_glb_limits(g, i, base, (int)(p - g->parts)));
}

static vvStatus take_frame(vv_glb *g, vv_glb_part *p, int i, FILE *f, vvError *error)
{
    if (vv_glb_is_affine(g, p)) /* once: its poses are kept */
        return f ? VV_OK : vv_glb_affine_take(g, p, i, error);
    vvStatus status = read_part(g, p, i, error);
    if (status != VV_OK)
        return status;
    vv_bounds_add(&g->bounds, g->positions, p->part.vertex_count);
    if (vv_glb_has_target(i)) { /* the difference from the base */
        for (size_t k = 0; k < vv_glb_floats(p); k++)
            g->delta[k] = p->now[k] - p->base[k];
        put_kind(g, p, g->delta, i, false, f);
    }
    if (vv_glb_has_base(g, i)) {
        memcpy(p->base, p->now, vv_glb_floats(p) * sizeof *p->now);
        put_kind(g, p, p->base, i, true, f);
    }
    return VV_OK;
}

/* All frames once; `file` NULL: for the ranges. */
static vvStatus go_through(vv_glb *g, const vv_export_file *file, vvError *error)
{
    int count = g->job->count;
    for (int i = 0; i < count; i++) {
        vvStatus status = VV_OK;
        for (int p = 0; status == VV_OK && p < g->part_count; p++)
            status = take_frame(g, &g->parts[p], i, file ? file->file : NULL, error);
        if (status == VV_OK && file)
            status = vv_export_check(file, error);
        if (status == VV_OK)
            status = vv_export_progress_of(g->job, (int64_t)i + 1 + (file ? count : 0), 2, error);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

/* ---- preparing ---- */

static vvStatus prepare_part(vv_glb *g, vv_glb_part *p, int index, vvError *error)
{
    vvStatus status = vv_part_build(g->job, index, &p->part, error);
    p->id = g->ids.id[index];
    if (status == VV_OK && p->part.triangle_count > 0)
        status = vv_part_creases(g->job, &p->part, &p->creases, error);
    if (status == VV_OK && p->part.triangle_count > 0 && p->part.uvs)
        status =
            vv_seams_find(p->creases.corners, p->creases.count, p->part.triangle_count, p->part.uvs, &p->seams, error);
    double thickness = vvRunGetBody(g->job->run, g->job->first_body + index)->drawnThickness;
    if (status == VV_OK && p->part.edge_count > 0 && thickness > 0)
        status = vv_tubes_build(&p->part, thickness, &p->tubes, error);
    if (status != VV_OK)
        return status;
    bool tubes = p->tubes.count > 0, surface = p->part.triangle_count > 0;
    p->arrays = surface || tubes ? 2 : 1;
    p->count = tubes             ? p->tubes.count
               : p->seams.source ? p->seams.count
               : surface         ? p->creases.count
                                 : p->part.vertex_count;
    p->index_count = tubes ? p->tubes.index_count : surface ? 3 * p->part.triangle_count : 2 * p->part.edge_count;
    p->base = vv_alloc(vv_glb_floats(p), sizeof *p->base);
    p->now = vv_alloc(vv_glb_floats(p), sizeof *p->now);
    if (!p->base || !p->now)
        return vv_fail_memory(error, "an export");
    return p->part.rest ? vv_glb_affine_make(g, p, error) : VV_OK;
}

static void free_part(vv_glb_part *p)
{
    vv_part_free(&p->part);
    vv_creases_free(&p->creases);
    vv_seams_free(&p->seams);
    vv_tubes_free(&p->tubes);
    vv_glb_affine_free(p);
    vv_free(p->base);
    vv_free(p->now);
    *p = (vv_glb_part){ 0 };
}

/* The parts of all bodies of one kind, behind those that there are. */
static vvStatus add_parts(vv_glb *g, bool affine, size_t *largest, vvError *error)
{
    for (int b = 0; b < g->job->body_count; b++) {
        if (vvRunGetBody(g->job->run, g->job->first_body + b)->affine != affine)
            continue;
        vv_glb_part *p = &g->parts[g->part_count++];
        vvStatus status = prepare_part(g, p, b, error);
        if (status != VV_OK)
            return status;
        if (p->count == 0) {
            g->part_count--;
            free_part(p);
            continue;
        }
        size_t room =
            vv_glb_floats(p) > 3 * (size_t)p->part.vertex_count ? vv_glb_floats(p) : 3 * (size_t)p->part.vertex_count;
        *largest = room > *largest ? room : *largest;
    }
    return VV_OK;
}

/* Parts without a vertex (a body without nodes) are left out: glTF has no empty meshes. */
static vvStatus prepare_parts(vv_glb *g, vvError *error)
{
    size_t largest = 0;
    g->parts = vv_alloc((size_t)g->job->body_count, sizeof *g->parts);
    if (!g->parts)
        return vv_fail_memory(error, "an export");
    vvStatus status = add_parts(g, false, &largest, error);
    g->morph_count = g->part_count;
    if (status == VV_OK)
        status = add_parts(g, true, &largest, error);
    if (status != VV_OK)
        return status;
    if (g->part_count == 0)
        return vv_fail(error, VV_ERROR_INPUT, "there is nothing to show: the bodies have no vertices");
    g->positions = vv_alloc(largest, sizeof *g->positions);
    g->delta = vv_alloc(largest, sizeof *g->delta);
    g->normals = vv_alloc(largest, sizeof *g->normals);
    int64_t kinds = vv_glb_kinds_before(g->job->count - 1) + vv_glb_kinds(g, g->job->count - 1);
    g->limits = vv_alloc((size_t)(kinds * g->morph_count), 6 * sizeof *g->limits);
    if (!g->positions || !g->delta || !g->normals || !g->limits)
        return vv_fail_memory(error, "an export");
    for (int n = g->morph_count; n < g->part_count; n++) {
        vv_pose_shape(&g->parts[n].part, g->positions);
        shade_part(g, &g->parts[n], true);
        find_limits(g->parts[n].now, g->parts[n].count, g->parts[n].limits);
    }
    g->segments = g->morph_count == 0 ? 0 : g->job->count > 1 ? (g->job->count - 2) / VV_GLB_SEGMENT + 1 : 1;
    return VV_OK;
}

static vvStatus prepare_backdrop(vv_glb *g, vvError *error)
{
    vv_backdrop b;
    const int obstacles = vvRunObstacleCount(g->job->run);
    g->shapes = vv_alloc((size_t)(VV_UNIT_SHAPES + obstacles), sizeof *g->shapes);
    if (!g->shapes)
        return vv_fail_memory(error, "an export");
    g->shape_count = VV_UNIT_SHAPES + obstacles;
    for (int i = 0; i < obstacles; i++) {
        vv_glb_shape *s = vv_backdrop_find(g->job->run, i, &g->bounds, &b) ? vv_glb_shape_of(g, &b) : NULL;
        if (!s || s->vertices)
            continue;
        vvStatus status =
            vv_backdrop_mesh(g->job->run, &b, &s->vertices, &s->count, &s->indices, &s->index_count, error);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

/* Lays out indices, texture coordinates, vertices of the backdrop, the animation, affine bodies, the frames. */
static void lay_out(vv_glb *g)
{
    for (int n = 0; n < g->part_count; n++) {
        vv_glb_part *p = &g->parts[n];
        p->arrays_before = g->arrays;
        p->indices_at = g->indices_bytes;
        if (!vv_glb_is_affine(g, p)) {
            g->arrays += p->arrays;
            g->kind_bytes += (int64_t)vv_glb_floats(p) * 4;
        }
        g->indices_bytes += (int64_t)p->index_count * 4;
        p->uvs_at = g->uvs_bytes;
        g->uvs_bytes += (int64_t)p->seams.count * 8;
    }
    int mesh = g->morph_count * g->segments + vv_glb_affine_count(g);
    for (int k = 0; k < g->shape_count; k++) {
        vv_glb_shape *s = &g->shapes[k];
        s->mesh = s->vertices ? mesh++ : -1;
        s->at = g->backdrop_bytes;
        s->indices_at = g->indices_bytes;
        g->backdrop_bytes += (int64_t)s->count * 24;
        g->indices_bytes += (int64_t)s->index_count * 4;
    }
    for (int s = 0; s < g->segments && g->job->count > 1; s++) {
        int64_t frames = vv_glb_segment_frames(g, s);
        g->animation_bytes += 4 * (frames + frames * (frames - 1));
        if (g->segments > 1)
            g->animation_bytes += 4 * 4 * vv_glb_visible_keys(g, s);
    }
    vv_glb_affine_lay_out(g);
    int last = g->job->count - 1;
    g->bytes = g->indices_bytes + g->uvs_bytes + g->backdrop_bytes + g->animation_bytes + g->still_bytes +
               g->poses_bytes + (vv_glb_kinds_before(last) + vv_glb_kinds(g, last)) * g->kind_bytes;
}

/* ---- writing ---- */

static void put_still(const vv_glb *g, FILE *f)
{
    for (int n = 0; n < g->part_count; n++) {
        const vv_glb_part *p = &g->parts[n];
        const int *surface = p->seams.corners ? p->seams.corners : p->creases.corners;
        vv_put_ints(f,
                    p->tubes.indices ? p->tubes.indices
                    : p->arrays == 2 ? surface
                                     : p->part.edges,
                    (size_t)p->index_count);
    }
    for (int k = 0; k < g->shape_count; k++)
        vv_put_ints(f, g->shapes[k].indices, (size_t)g->shapes[k].index_count);
    for (int n = 0; n < g->part_count; n++)
        for (int v = 0; v < g->parts[n].seams.count; v++) { /* glTF's v runs down */
            const float *uv = g->parts[n].seams.uv + 2 * v, out[2] = { uv[0], 1 - uv[1] };
            vv_put_floats(f, out, 2);
        }
    for (int k = 0; k < g->shape_count; k++)
        vv_put_floats(f, g->shapes[k].vertices, (size_t)g->shapes[k].count * 6);
}

/* For each segment: times and weights (all 0, then 1 for target after target), then its visibility. */
static void put_animation(const vv_glb *g, FILE *f)
{
    const float zero = 0, one = 1;
    for (int s = 0; s < g->segments && g->job->count > 1; s++) {
        int frames = vv_glb_segment_frames(g, s), keys = vv_glb_visible_keys(g, s);
        for (int i = 0; i < frames; i++) {
            float t = vv_glb_seconds(g, s * VV_GLB_SEGMENT + i);
            vv_put_floats(f, &t, 1);
        }
        for (int i = 0; i < frames; i++)
            for (int target = 1; target < frames; target++)
                vv_put_floats(f, target == i ? &one : &zero, 1);
        if (g->segments == 1)
            continue;
        for (int k = 0; k < keys; k++) {
            float t = vv_glb_seconds(g, vv_glb_visible_frame(s, k));
            vv_put_floats(f, &t, 1);
        }
        for (int k = 0; k < 3 * keys; k++)
            vv_put_floats(f, vv_glb_visible_frame(s, k / 3) == s * VV_GLB_SEGMENT ? &one : &zero, 1);
    }
}

static uint64_t padded(uint64_t bytes) { return (bytes + 3) / 4 * 4; }

static void put_chunk(FILE *f, uint64_t length, const char *type)
{
    int32_t bits = (int32_t)(uint32_t)length;
    vv_put_ints(f, &bits, 1);
    fwrite(type, 1, 4, f);
}

/* The header and the JSON part. */
static vvStatus put_json(const vv_glb *g, const char *json, FILE *f, vvError *error)
{
    uint64_t length = strlen(json), all = 12 + 8 + padded(length) + 8 + (uint64_t)g->bytes;
    if (all > UINT32_MAX)
        return vv_fail(error, VV_ERROR_INPUT,
                       "%s would have %.1f GB, and a .glb holds 4.3 GB at most: export every second (third, ...) "
                       "frame, fewer frames, or one body",
                       g->job->path, (double)all * 1e-9);
    int32_t version = 2, bits = (int32_t)(uint32_t)all;
    fwrite("glTF", 1, 4, f);
    vv_put_ints(f, &version, 1);
    vv_put_ints(f, &bits, 1);
    put_chunk(f, padded(length), "JSON");
    fwrite(json, 1, length, f);
    for (uint64_t i = length; i < padded(length); i++)
        fputc(' ', f);
    return VV_OK;
}

static vvStatus write_file(vv_glb *g, const vv_export_file *file, vvError *error)
{
    char *json = vv_glb_json(g);
    vvStatus status = json ? put_json(g, json, file->file, error) : vv_fail_memory(error, "an export");
    free(json);
    if (status != VV_OK)
        return status;
    put_chunk(file->file, (uint64_t)g->bytes, "BIN");
    put_still(g, file->file);
    put_animation(g, file->file);
    vv_glb_affine_put(g, file->file);
    return go_through(g, file, error);
}

static void destroy(vv_glb *g)
{
    for (int n = 0; n < g->part_count; n++)
        free_part(&g->parts[n]);
    for (int k = 0; k < g->shape_count; k++) {
        vv_free(g->shapes[k].vertices);
        vv_free(g->shapes[k].indices);
    }
    vv_free(g->shapes);
    vv_free(g->parts);
    vv_free(g->positions);
    vv_free(g->delta);
    vv_free(g->normals);
    vv_free(g->limits);
    vv_labels_free(&g->ids);
}

static vvStatus write_glb(const vv_export_job *job, vvError *error)
{
    vv_glb g = { .job = job, .bounds = vv_bounds_none() };
    vv_export_file file;
    vvStatus status = vv_timing_find(job, &g.timing, error);
    if (status == VV_OK)
        status = vv_part_labels(job, &g.ids, error);
    if (status == VV_OK)
        status = prepare_parts(&g, error);
    if (status == VV_OK)
        status = go_through(&g, NULL, error);
    if (status == VV_OK)
        status = prepare_backdrop(&g, error);
    if (status == VV_OK)
        status = vv_export_begin(&file, job->path, error);
    if (status == VV_OK) {
        lay_out(&g);
        status = vv_export_end(&file, write_file(&g, &file, error), error);
    }
    destroy(&g);
    return status;
}
#else
static vvStatus write_glb(const vv_export_job *job, vvError *error)
{
    (void)job;
    return vv_fail(error, VV_ERROR_UNSUPPORTED,
                   "glb files: this build of visviva is without jansson (VV_JANSSON=OFF, or it was not found)");
}
#endif

const vv_exporter vv_export_glb = {
    { "glb", "one binary glTF 2.0 file, frames as morph targets with an animation (web pages, three.js, Blender)" },
    write_glb,
    VV_EXPORT_BODY
};
