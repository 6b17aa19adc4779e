/* Which bodies of a run are kinematic: /visviva/kinematic, a number a body. */
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
    if (!vv_hdf_exists(run->file, vv_kinematic_path))
        return VV_OK;
    const vv_want want = { vv_kinematic_path, 1, 0, H5T_INTEGER };
    int64_t count;
    int32_t *flags = vv_reader_fixed(run, &want, H5T_NATIVE_INT32, sizeof *flags, &count, error);
    if (!flags)
        return VV_ERROR_INPUT;
    vvStatus status = count == run->sizes.bodies ? VV_OK : vv_reader_broken(run, want.path, "does not fit the bodies", error);
    for (int64_t b = 0; status == VV_OK && b < count; b++)
        run->bodies[b].kinematic = flags[b] != 0;
    vv_free(flags);
    return status;
}
