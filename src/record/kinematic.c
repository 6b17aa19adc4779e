/* Which bodies of a run are kinematic: /visviva/kinematic, one number per body. */
#include "base/memory.h"
#include "record/reader.h"
#include "record/writer.h"

const char vv_kinematic_path[] = "/visviva/kinematic";

bool vv_writer_kinematic(hid_t file, const vvWorld *world, int bodies)
{
    const hsize_t count = (hsize_t)bodies;
    int32_t *flags = vv_alloc((size_t)bodies, sizeof *flags);
    for (int b = 0; flags && b < bodies; b++)
        flags[b] = vvBodyIsKinematic(world, vvWorldBody(world, b));
    bool ok = flags && vv_hdf_write(file, vv_kinematic_path, H5T_NATIVE_INT32, 1, &count, flags);
    vv_free(flags);
    return ok;
}

vvStatus vv_reader_kinematic(vvRun *run, vvError *error)
{
    void *flags;
    vvStatus status = vv_reader_each_body(run, vv_kinematic_path, H5T_INTEGER, &flags, error);
    for (int64_t b = 0; flags && b < run->sizes.bodies; b++)
        run->bodies[b].kinematic = ((int32_t *)flags)[b] != 0;
    vv_free(flags);
    return status;
}
