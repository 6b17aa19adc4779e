/* The bodies' thickness in a run: /visviva/thickness, in metres, one number per body. Free points are drawn as balls
 * of that size. */
#include "base/memory.h"
#include "record/reader.h"
#include "record/writer.h"

#include <math.h>

const char vv_thickness_path[] = "/visviva/thickness";

bool vv_writer_of_bodies(hid_t file, const char *path, const vvWorld *world, int bodies,
                         double (*get)(const vvWorld *world, vvBodyId body))
{
    const hsize_t count = (hsize_t)bodies;
    double *numbers = vv_alloc((size_t)bodies, sizeof *numbers);
    for (int b = 0; numbers && b < bodies; b++)
        numbers[b] = get(world, vvWorldBody(world, b));
    bool ok = numbers && vv_hdf_write(file, path, H5T_NATIVE_DOUBLE, 1, &count, numbers);
    vv_free(numbers);
    return ok;
}

bool vv_writer_thickness(hid_t file, const vvWorld *world, int bodies)
{
    return vv_writer_of_bodies(file, vv_thickness_path, world, bodies, vvBodyThickness);
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
