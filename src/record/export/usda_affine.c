/* An affine body in a .usda file: its points are written once, about its centre of mass, and moved by a matrix,
 * exactly as its nodes move them. */
#include "record/export/pose.h"
#include "record/export/usda.h"

static void put_extent(const vv_usda *u)
{
    vv_bounds b = vv_bounds_none();
    vv_bounds_add(&b, u->values, u->part.vertex_count);
    const float low[3] = { (float)b.low[0], (float)b.low[1], (float)b.low[2] },
                high[3] = { (float)b.high[0], (float)b.high[1], (float)b.high[2] };
    fputs("            float3[] extent = [", u->f);
    vv_usda_triple(u->f, low);
    fputs(", ", u->f);
    vv_usda_triple(u->f, high);
    fputs("]\n", u->f);
}

/* USD's vectors are rows: the images of the axes, then the position. */
static void put_matrix(FILE *f, const vv_pose *pose)
{
    fputs("( ", f);
    for (int row = 0; row < 4; row++) {
        for (int k = 0; k < 3; k++) {
            fputs(k ? ", " : row ? ", (" : "(", f);
            vv_usda_number(f, row < 3 ? pose->map[3 * k + row] : pose->centre[k]);
        }
        fputs(row < 3 ? ", 0)" : ", 1)", f);
    }
    fputs(" )", f);
}

vvStatus vv_usda_affine(vv_usda *u, vvError *error)
{
    vv_pose pose;
    vvStatus start = vv_pose_read(u->job->run, &u->part, u->job->first, &pose, error);
    if (start != VV_OK)
        return start;
    put_extent(u);
    fputs("            matrix4d xformOp:transform = ", u->f); /* for readers that know no time */
    put_matrix(u->f, &pose);
    fputs("\n            matrix4d xformOp:transform.timeSamples = {\n", u->f);
    for (int i = 0; i < u->job->count; i++) {
        vvStatus status = vv_pose_read(u->job->run, &u->part, vv_export_frame(u->job, i), &pose, error);
        if (status == VV_OK)
            status = vv_export_check(u->file, error);
        if (status != VV_OK)
            return status;
        vv_pose_bounds(&pose, u->values, u->part.vertex_count, &u->bounds);
        vv_usda_time(u, i);
        put_matrix(u->f, &pose);
        fputs(",\n", u->f);
        status = vv_export_progress_of(u->job, ++u->done, u->passes, error);
        if (status != VV_OK)
            return status;
    }
    fputs("            }\n            uniform token[] xformOpOrder = [\"xformOp:transform\"]\n", u->f);
    return VV_OK;
}
