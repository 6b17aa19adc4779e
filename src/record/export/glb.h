/* A .glb being made, and its layout. glb.c writes the binary part, glb_json.c the text; glb_affine.c knows affine
 * bodies.
 *
 * Frames are morph targets. A mesh with very many targets overloads viewers, so the frames are cut into segments of at
 * most VV_GLB_SEGMENT: each is a mesh with its first frame as the base and the following ones, including the next
 * segment's first, as targets; all segments but the current one are scaled to zero.
 *
 * An affine body is a mesh that stays as it is, about its centre of mass, at a node that is moved and turned: nearly
 * rigid as it is, and glTF's translation, rotation and scale hold no shear. Such parts come after all others. */
#ifndef VV_RECORD_EXPORT_GLB_H
#define VV_RECORD_EXPORT_GLB_H

#include "record/export/backdrop.h"
#include "record/export/pose.h"
#include "record/export/seams.h"
#include "record/export/tubes.h"

enum { VV_GLB_SEGMENT = 128 };

typedef struct vv_glb_part {
    vv_part part;
    vv_creases creases; /* with triangles; otherwise vertices are the part's */
    vv_seams seams;     /* of these, where the body has texture coordinates; else empty */
    vv_tubes tubes;     /* of a rod whose thickness is known; else empty */
    const char *id;
    int count;          /* vertices in the file */
    int arrays;         /* 2: positions and normals; 1: positions */
    int arrays_before;  /* arrays of the previous parts */
    int64_t indices_at; /* bytes, in the view of indices */
    int64_t uvs_at;     /* bytes, in the view of texture coordinates */
    int index_count;
    float *base; /* positions, then normals, of the segment's first frame */
    float *now;  /* of the current frame; of an affine body for good */
    /* of an affine body: where it is in each frame, 3 and (as x, y, z, w) 4 numbers; else NULL */
    float *moved, *turned;
    int64_t still_at; /* of an affine body: bytes, in the view of what stays as it is */
    float limits[6];  /* of an affine body: low and high of its positions */
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
    int morph_count; /* parts that morph: the first ones. The others are affine bodies */
    vv_glb_part *parts;
    int arrays;                         /* of all parts that morph together */
    int64_t kind_bytes;                 /* of one kind of data (targets, or bases) of all parts that morph */
    float *positions, *delta, *normals; /* scratch, for the largest part */
    vv_bounds bounds;
    float *limits;        /* low and high (6 floats) of each array of positions: see vv_glb_limits */
    vv_glb_shape *shapes; /* unit shapes, then those of obstacles that have their own */
    int shape_count;
    /* sizes within the binary part */
    int64_t indices_bytes, uvs_bytes, backdrop_bytes, animation_bytes, still_bytes, poses_bytes, bytes;
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
static inline int vv_glb_visible_frame(int s, int k) { return k == 0 ? 0 : (s > 0 ? s + k - 1 : k) * VV_GLB_SEGMENT; }
/* Seconds from the first frame, as stored in the file. */
static inline float vv_glb_seconds(const vv_glb *g, int i)
{
    return (float)(vv_timing_at(g->job, &g->timing, i) * g->timing.interval);
}
static inline float *vv_glb_limits(const vv_glb *g, int i, bool base, int part)
{
    int64_t kind = vv_glb_kinds_before(i) + (base && vv_glb_has_target(i) ? 1 : 0);
    return g->limits + 6 * (kind * g->morph_count + part);
}

static inline size_t vv_glb_floats(const vv_glb_part *p) { return (size_t)p->count * 3 * (size_t)p->arrays; }

static inline bool vv_glb_is_affine(const vv_glb *g, const vv_glb_part *p) { return p - g->parts >= g->morph_count; }
static inline int vv_glb_affine_count(const vv_glb *g) { return g->part_count - g->morph_count; }

/* ---- glb_affine.c ---- */

/* Room for the poses of an affine body. */
vvStatus vv_glb_affine_make(const vv_glb *g, vv_glb_part *part, vvError *error);
void vv_glb_affine_free(vv_glb_part *part);
/* Its pose in frame i. */
vvStatus vv_glb_affine_take(vv_glb *g, vv_glb_part *part, int i, vvError *error);
/* Where the meshes and poses of all are in the file, and their bytes. */
void vv_glb_affine_lay_out(vv_glb *g);
/* The meshes, then the times of all frames, and where each body is. */
void vv_glb_affine_put(const vv_glb *g, FILE *f);

/* The JSON part, to be freed with free(); NULL: out of memory. */
char *vv_glb_json(const vv_glb *g);

#endif
