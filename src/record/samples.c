/* The samples of obstacles in a run, such as the heights of a height field: how many along each direction, two
 * numbers an obstacle (0 0: it has none), of level sets also how many along the third, and all samples one after the
 * other. A run without any has none of these. */
#include "base/error.h"
#include "base/memory.h"
#include "record/reader.h"
#include "record/writer.h"

#include <string.h>

const char vv_sample_counts_path[] = "/visviva/obstacle_sample_counts",
           vv_sample_layers_path[] = "/visviva/obstacle_sample_layers", vv_samples_path[] = "/visviva/obstacle_samples";

static bool stands_still(const vvWorld *world, int obstacle)
{
    return vvObstacleBody(world, vvWorldObstacleAt(world, obstacle)).index1 == 0;
}

static size_t product(const int counts[3]) { return (size_t)counts[0] * (size_t)counts[1] * (size_t)counts[2]; }

bool vv_writer_samples(hid_t file, const vvWorld *world)
{
    const int all = vvWorldObstacleCount(world);
    int counts[3], rows = 0;
    size_t total = 0;
    bool deep = false;
    for (int i = 0; i < all; i++)
        if (stands_still(world, i) && vvWorldObstacleSamples(world, i, counts)) {
            total += product(counts);
            deep = deep || counts[2] > 1;
        }
    if (total == 0)
        return true;
    int32_t *table = vv_alloc(2 * (size_t)all, sizeof *table), *layers = vv_alloc((size_t)all, sizeof *layers);
    double *samples = vv_alloc(total, sizeof *samples);
    total = 0;
    for (int i = 0; table && layers && samples && i < all; i++) {
        if (!stands_still(world, i))
            continue;
        const double *from = vvWorldObstacleSamples(world, i, counts);
        const size_t n = product(counts);
        if (n > 0)
            memcpy(samples + total, from, n * sizeof *samples);
        total += n;
        table[2 * rows] = counts[0], table[2 * rows + 1] = counts[1];
        layers[rows++] = counts[2];
    }
    const hsize_t shape[2] = { (hsize_t)rows, 2 }, length = total;
    bool ok = table && layers && samples &&
              vv_hdf_write(file, vv_sample_counts_path, H5T_NATIVE_INT32, 2, shape, table) &&
              (!deep || vv_hdf_write(file, vv_sample_layers_path, H5T_NATIVE_INT32, 1, shape, layers)) &&
              vv_hdf_write(file, vv_samples_path, H5T_NATIVE_DOUBLE, 1, &length, samples);
    vv_free(table);
    vv_free(layers);
    vv_free(samples);
    return ok;
}

vvStatus vv_reader_samples(vvRun *run, vvError *error)
{
    const vv_want counts = { vv_sample_counts_path, 2, 2, H5T_INTEGER },
                  layers = { vv_sample_layers_path, 1, 0, H5T_INTEGER }, samples = { vv_samples_path, 1, 0, H5T_FLOAT };
    int64_t rows, total, deep = 0;
    if (!vv_hdf_exists(run->file, vv_sample_counts_path))
        return VV_OK;
    run->sample_counts = vv_reader_fixed(run, &counts, H5T_NATIVE_INT32, 2 * sizeof(int32_t), &rows, error);
    if (run->sample_counts)
        run->samples = vv_reader_fixed(run, &samples, H5T_NATIVE_DOUBLE, sizeof(double), &total, error);
    if (!run->samples)
        return VV_ERROR_INPUT;
    if (vv_hdf_exists(run->file, vv_sample_layers_path) &&
        !(run->sample_layers = vv_reader_fixed(run, &layers, H5T_NATIVE_INT32, sizeof(int32_t), &deep, error)))
        return VV_ERROR_INPUT;
    if (rows != run->obstacle_count)
        return vv_reader_broken(run, counts.path, "does not fit the obstacles", error);
    if (run->sample_layers && deep != rows)
        return vv_reader_broken(run, layers.path, "does not fit the obstacles", error);
    run->sample_first = vv_alloc((size_t)rows, sizeof *run->sample_first);
    if (!run->sample_first)
        return vv_fail_memory(error, "the obstacles of a run");
    int64_t at = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t nx = run->sample_counts[2 * i], nz = run->sample_counts[2 * i + 1],
                      n = run->sample_layers ? run->sample_layers[i] : nx * nz > 0;
        run->sample_first[i] = at;
        if (nx < 0 || nz < 0 || n < 0 || nx * nz > total - at || (n > 0 && nx * nz > (total - at) / n))
            return vv_reader_broken(run, samples.path, "does not fit the obstacles", error);
        at += nx * nz * n;
    }
    return VV_OK;
}
