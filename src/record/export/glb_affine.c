/* Affine bodies in a .glb: a mesh that stays as it is, and the rigid motion of its node that is nearest to the
 * body's. */
#include "record/export/glb.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

vvStatus vv_glb_affine_make(const vv_glb *g, vv_glb_part *p, vvError *error)
{
    p->moved = vv_alloc(3 * (size_t)g->job->count, sizeof *p->moved);
    p->turned = vv_alloc(4 * (size_t)g->job->count, sizeof *p->turned);
    return p->moved && p->turned ? VV_OK : vv_fail_memory(error, "an export");
}

void vv_glb_affine_free(vv_glb_part *p)
{
    vv_free(p->moved);
    vv_free(p->turned);
}

vvStatus vv_glb_affine_take(vv_glb *g, vv_glb_part *p, int i, vvError *error)
{
    vv_pose pose;
    vvStatus status = vv_pose_read(g->job->run, &p->part, vv_export_frame(g->job, i), &pose, error);
    if (status != VV_OK)
        return status;
    const double *q = pose.quaternion;
    float *turned = p->turned + 4 * i, along = 0;
    for (int k = 0; k < 3; k++)
        p->moved[3 * i + k] = (float)pose.centre[k];
    for (int k = 0; k < 4; k++) {
        turned[k] = (float)q[(k + 1) % 4]; /* glTF has w last */
        along += i > 0 ? turned[k] * turned[k - 4] : 0;
    }
    for (int k = 0; k < 4 && along < 0; k++) /* q and -q are one rotation, and what lies between must be short */
        turned[k] = -turned[k];
    vv_pose_bounds(&pose, p->now, p->count, &g->bounds);
    return VV_OK;
}

void vv_glb_affine_lay_out(vv_glb *g)
{
    const int64_t frames = g->job->count, affine = vv_glb_affine_count(g);
    for (int n = g->morph_count; n < g->part_count; n++) {
        g->parts[n].still_at = g->still_bytes;
        g->still_bytes += (int64_t)vv_glb_floats(g->parts + n) * 4;
    }
    g->poses_bytes = frames > 1 && affine > 0 ? 4 * frames * (1 + 7 * affine) : 0;
}

void vv_glb_affine_put(const vv_glb *g, FILE *f)
{
    for (int n = g->morph_count; n < g->part_count; n++)
        vv_put_floats(f, g->parts[n].now, vv_glb_floats(g->parts + n));
    for (int i = 0; g->poses_bytes > 0 && i < g->job->count; i++) {
        float t = vv_glb_seconds(g, i);
        vv_put_floats(f, &t, 1);
    }
    for (int n = g->morph_count; g->poses_bytes > 0 && n < g->part_count; n++) {
        vv_put_floats(f, g->parts[n].moved, 3 * (size_t)g->job->count);
        vv_put_floats(f, g->parts[n].turned, 4 * (size_t)g->job->count);
    }
}
