/* The bodies' thickness in a run: /visviva/thickness, a number of metres a body. Free points are drawn as balls that large. */
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
    if (!vv_hdf_exists(run->file, vv_thickness_path))
        return VV_OK;
    const vv_want want = { vv_thickness_path, 1, 0, H5T_FLOAT };
    int64_t count;
    double *thickness = vv_reader_fixed(run, &want, H5T_NATIVE_DOUBLE, sizeof *thickness, &count, error);
    if (!thickness)
        return VV_ERROR_INPUT;
    vvStatus status = count == run->sizes.bodies ? VV_OK : vv_reader_broken(run, want.path, "does not fit the bodies", error);
    for (int64_t b = 0; status == VV_OK && b < count; b++) {
        if (!(thickness[b] >= 0 && isfinite(thickness[b])))
            status = vv_reader_broken(run, want.path, "holds what is no thickness", error);
        run->bodies[b].thickness = thickness[b];
    }
    vv_free(thickness);
    return status;
}
