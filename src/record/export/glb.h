/* A .glb being made, and its layout. glb.c writes the binary part, glb_json.c the text.
 *
 * Frames are morph targets. A mesh with very many targets overloads viewers, so the frames are cut into segments of at
 * most VV_GLB_SEGMENT: each is a mesh with its first frame as the base and the following ones, including the next segment's
 * first, as targets; all segments but the current one are scaled to zero. */
#ifndef VV_RECORD_EXPORT_GLB_H
#define VV_RECORD_EXPORT_GLB_H

#include "record/export/backdrop.h"
#include "record/export/seams.h"
#include "record/export/tubes.h"

enum { VV_GLB_SEGMENT = 128 };

typedef struct vv_glb_part {
    vv_part part;
    vv_creases creases;  /* with triangles; otherwise vertices are the part's */
    vv_seams seams;      /* of these, where the body has texture coordinates; else empty */
    vv_tubes tubes;      /* of a rod whose thickness is known; else empty */
    const char *id;
    int count;           /* vertices in the file */
    int arrays;          /* 2: positions and normals; 1: positions */
    int arrays_before;   /* arrays of the previous parts */
    int64_t indices_at;  /* bytes, in the view of indices */
    int64_t uvs_at;      /* bytes, in the view of texture coordinates */
    int index_count;
    float *base;         /* positions, then normals, of the segment's first frame */
    float *now;          /* of the current frame */
} vv_glb_part;

typedef struct vv_glb_shape {
    float *vertices;
    int *indices;
    int count, index_count, mesh;
    int64_t at, indices_at;
} vv_glb_shape;

typedef struct vv_glb {
    const vv_export_job *job;
    vv_timing timing;
    vv_labels ids;
    int part_count, segments;
    vv_glb_part *parts;
    int arrays;            /* of all parts together */
    int64_t kind_bytes;    /* of one kind of data (targets, or bases) of all parts */
    float *positions, *delta, *normals; /* scratch, for the largest part */
    vv_bounds bounds;
    float *limits;         /* low and high (6 floats) of each array of positions: see vv_glb_limits */
    vv_glb_shape *shapes;  /* unit shapes, then those of obstacles that have their own */
    int shape_count;
    int64_t indices_bytes, uvs_bytes, backdrop_bytes, animation_bytes, frames_at, bytes; /* sizes and offset within the binary part */
} vv_glb;

/* The obstacle's shape. */
static inline vv_glb_shape *vv_glb_shape_of(const vv_glb *g, const vv_backdrop *b)
{
    return g->shapes + b->shape + (b->shape == VV_OWN_SHAPE ? b->index : 0);
}

/* What data frame i has: targets (all but the first frame), bases (where a segment begins). */
static inline bool vv_glb_has_target(int i) { return i > 0; }
static inline bool vv_glb_has_base(const vv_glb *g, int i)
{
    return i == 0 || (i % VV_GLB_SEGMENT == 0 && i + 1 < g->job->count);
}
static inline int vv_glb_kinds(const vv_glb *g, int i) { return vv_glb_has_target(i) + vv_glb_has_base(g, i); }
/* Data kinds of all frames before i: each frame but the first has a target, each segment begun so far a base. */
static inline int64_t vv_glb_kinds_before(int i)
{
    return i == 0 ? 0 : i - 1 + (i + VV_GLB_SEGMENT - 1) / VV_GLB_SEGMENT;
}
/* Frames of a segment, including its first. */
static inline int vv_glb_segment_frames(const vv_glb *g, int s)
{
    int left = g->job->count - s * VV_GLB_SEGMENT;
    return left < VV_GLB_SEGMENT + 1 ? left : VV_GLB_SEGMENT + 1;
}
/* Keys of a segment's visibility: the start, where it begins, where it ends; and the frame of the k-th. */
static inline int vv_glb_visible_keys(const vv_glb *g, int s) { return 1 + (s > 0) + (s + 1 < g->segments); }
static inline int vv_glb_visible_frame(int s, int k)
{
    return k == 0 ? 0 : (s > 0 ? s + k - 1 : k) * VV_GLB_SEGMENT;
}
/* Seconds from the first frame, as stored in the file. */
static inline float vv_glb_seconds(const vv_glb *g, int i)
{
    return (float)(vv_timing_at(g->job, &g->timing, i) * g->timing.interval);
}
static inline float *vv_glb_limits(const vv_glb *g, int i, bool base, int part)
{
    int64_t kind = vv_glb_kinds_before(i) + (base && vv_glb_has_target(i) ? 1 : 0);
    return g->limits + 6 * (kind * g->part_count + part);
}

/* The JSON part, to be freed with free(); NULL: out of memory. */
char *vv_glb_json(const vv_glb *g);

#endif
