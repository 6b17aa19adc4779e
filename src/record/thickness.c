/* The bodies' thickness in a run: /visviva/thickness, in metres, one number per body. Free points are drawn as balls
 * of that size. */
#include "base/memory.h"
#include "record/reader.h"
#include "record/writer.h"

#include <math.h>

const char vv_thickness_path[] = "/visviva/thickness";

bool vv_writer_thickness(hid_t file, const vvWorld *world, int bodies)
{
    const hsize_t count = (hsize_t)bodies;
    double *thickness = vv_alloc((size_t)bodies, sizeof *thickness);
    for (int b = 0; thickness && b < bodies; b++)
        thickness[b] = vvBodyThickness(world, vvWorldBody(world, b));
    bool ok = thickness && vv_hdf_write(file, vv_thickness_path, H5T_NATIVE_DOUBLE, 1, &count, thickness);
    vv_free(thickness);
    return ok;
}

vvStatus vv_reader_thickness(vvRun *run, vvError *error)
{
    void *values;
    vvStatus status = vv_reader_each_body(run, vv_thickness_path, H5T_FLOAT, &values, error);
    for (int64_t b = 0; values && status == VV_OK && b < run->sizes.bodies; b++) {
        run->bodies[b].thickness = ((double *)values)[b];
        if (!(run->bodies[b].thickness >= 0 && isfinite(run->bodies[b].thickness)))
            status = vv_reader_broken(run, vv_thickness_path, "holds a value that is not a thickness", error);
    }
    vv_free(values);
    return status;
}
