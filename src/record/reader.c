/* Fixed datasets of a run: opened, checked, read whole. */
#include "record/reader.h"

#include "base/memory.h"

vvStatus vv_reader_broken(const vvRun *run, const char *part, const char *what, vvError *error)
{
    return vv_fail(error, VV_ERROR_INPUT, "%s is damaged: %s %s", run->path, part, what);
}

vvStatus vv_reader_unreadable(const vvRun *run, const char *part, vvError *error)
{
    if (vv_hdf_refusal()[0])
        return vv_hdf_refused(error);
    if (vv_hdf_starved())
        return vv_fail(error, VV_ERROR_MEMORY, "%s: out of memory for %s", run->path, part);
    return vv_fail(error, VV_ERROR_INPUT, "%s is damaged: %s cannot be read (%s)", run->path, part, vv_hdf_reason());
}

hid_t vv_reader_open_set(const vvRun *run, const vv_want *want, vv_hdf_shape *shape, vvError *error)
{
    hid_t set = vv_hdf_open_set(run->file, want, shape);
    if (set < 0)
        vv_hdf_refused(error);
    return set;
}

void *vv_reader_fixed(const vvRun *run, const vv_want *want, hid_t type, size_t size, int64_t *rows, vvError *error)
{
    vv_hdf_shape shape;
    hid_t set = vv_reader_open_set(run, want, &shape, error);
    if (set < 0)
        return NULL;
    hsize_t count = shape.rank ? shape.dims[0] : 1;
    bool plausible = count <= INT_MAX && vv_hdf_plausible(run->file, count, size);
    void *data = plausible ? vv_alloc((size_t)count, size) : NULL;
    if (!plausible)
        vv_reader_broken(run, want->path, "is larger than a run can be", error);
    else if (!data)
        vv_fail_memory(error, want->path);
    else if (count > 0 && !vv_hdf_read(set, type, data, (size_t)count * size)) {
        vv_reader_unreadable(run, want->path, error);
        vv_free(data);
        data = NULL;
    }
    H5Oclose(set);
    if (rows)
        *rows = (int64_t)count;
    return data;
}

vvStatus vv_reader_each_body(const vvRun *run, const char *path, H5T_class_t kind, void **values, vvError *error)
{
    *values = NULL;
    if (!vv_hdf_exists(run->file, path))
        return VV_OK;
    const vv_want want = { path, 1, 0, kind };
    bool number = kind == H5T_FLOAT;
    int64_t count;
    *values = vv_reader_fixed(run, &want, number ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32,
                              number ? sizeof(double) : sizeof(int32_t), &count, error);
    if (!*values)
        return VV_ERROR_INPUT;
    if (count == run->sizes.bodies)
        return VV_OK;
    vv_free(*values);
    *values = NULL;
    return vv_reader_broken(run, path, "does not fit the bodies", error);
}

bool vv_reader_inside(const vvRunBody *body, const int *nodes, int count)
{
    for (int i = 0; i < count; i++)
        if (nodes[i] < body->firstNode || nodes[i] >= body->firstNode + body->nodeCount)
            return false;
    return true;
}
