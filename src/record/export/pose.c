/* The motion of affine bodies from the positions of their four nodes. */
#include "record/export/pose.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/rotation.h"
#include "base/vec.h"
#include "record/reader.h"

static void centre_of(const double *nodes, double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = 0.25 * (nodes[k] + nodes[3 + k] + nodes[6 + k] + nodes[9 + k]);
}

void vv_pose_shape(const vv_part *part, float *positions)
{
    double centre[3], nodes[12];
    centre_of(part->rest, centre);
    for (int i = 0; i < 12; i++) /* first, so that a body far from the origin loses no digits */
        nodes[i] = part->rest[i] - centre[i % 3];
    for (int v = 0; v < part->vertex_count; v++)
        for (int k = 0; k < 3; k++)
            positions[3 * v + k] = (float)vv_part_component(part, nodes, v, k);
}

/* Rows: the edges from the first node. */
static void edges_of(const double *nodes, double e[9])
{
    for (int k = 0; k < 3; k++)
        vv_sub(nodes + 3 * (k + 1), nodes, e + 3 * k);
}

/* F^T = D^-1 d for the edges D before and d after, a row each. A thin body's D is scaled badly, but not too badly to
 * be inverted. */
static void map_of(const double *before, const double *after, double f[9])
{
    double from[9], to[9], inverse[9];
    edges_of(before, from);
    edges_of(after, to);
    vv_inverse(from, inverse);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            f[3 * i + j] = inverse[3 * j] * to[i] + inverse[3 * j + 1] * to[3 + i] + inverse[3 * j + 2] * to[6 + i];
}

vvStatus vv_pose_read(const vvRun *run, const vv_part *part, int frame, vv_pose *pose, vvError *error)
{
    double from[3], s[9] = { 0 }, largest = 0;
    vvStatus status = vv_run_read_nodes(run, frame, part->first_node, part->node_count, part->x, NULL, error);
    if (status != VV_OK)
        return status;
    for (int i = 0; i < 12; i++)
        largest = isfinite(part->x[i]) ? fmax(largest, fabs(part->x[i])) : INFINITY;
    if (!(largest < FLT_MAX))
        return vv_fail(error, VV_ERROR_INPUT,
                       "%s: frame %d, body \"%s\": a coordinate is too large or not a number (the run exploded); "
                       "export earlier frames only",
                       run->path, frame, part->name);
    centre_of(part->rest, from);
    centre_of(part->x, pose->centre);
    map_of(part->rest, part->x, pose->map);
    for (int n = 0; n < 4; n++)
        for (int i = 0; i < 9; i++)
            s[i] += (part->rest[3 * n + i / 3] - from[i / 3]) * (part->x[3 * n + i % 3] - pose->centre[i % 3]);
    vv_nearest_rotation(s, pose->quaternion);
    return VV_OK;
}

void vv_pose_bounds(const vv_pose *pose, const float *shape, int count, vv_bounds *bounds)
{
    for (int v = 0; v < count; v++) {
        double before[3] = { shape[3 * v], shape[3 * v + 1], shape[3 * v + 2] }, after[3];
        vv_matvec(pose->map, before, after);
        const float at[3] = { (float)(after[0] + pose->centre[0]), (float)(after[1] + pose->centre[1]),
                              (float)(after[2] + pose->centre[2]) };
        vv_bounds_add(bounds, at, 1);
    }
}
