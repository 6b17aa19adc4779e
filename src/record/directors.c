/* The bodies' directors in a run: /visviva/directors, how many nodes follow those of each body's vertices. Absent
 * where no body has any, as in files of older versions. */
#include "base/memory.h"
#include "record/reader.h"
#include "record/writer.h"

const char vv_directors_path[] = "/visviva/directors";

bool vv_writer_directors(hid_t file, const vvWorld *world, int bodies)
{
    const hsize_t count = (hsize_t)bodies;
    int32_t *directors = vv_alloc((size_t)bodies, sizeof *directors);
    bool any = false;
    for (int b = 0; directors && b < bodies; b++) {
        vvBodyElements elements;
        vvBodyGetElements(world, vvWorldBody(world, b), &elements);
        directors[b] = elements.directorCount;
        any = any || elements.directorCount > 0;
    }
    bool ok = directors && (!any || vv_hdf_write(file, vv_directors_path, H5T_NATIVE_INT32, 1, &count, directors));
    vv_free(directors);
    return ok;
}

vvStatus vv_reader_directors(vvRun *run, vvError *error)
{
    void *values;
    vvStatus status = vv_reader_each_body(run, vv_directors_path, H5T_INTEGER, &values, error);
    for (int64_t b = 0; values && status == VV_OK && b < run->sizes.bodies; b++) {
        vvRunBody *body = run->bodies + b;
        body->directorCount = ((int32_t *)values)[b];
        if (body->directorCount < 0 || body->directorCount > run->sizes.nodes - body->firstNode - body->nodeCount)
            status = vv_reader_broken(run, vv_directors_path, "points outside the mesh", error);
    }
    vv_free(values);
    return status;
}
