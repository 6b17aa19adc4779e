/* What pictures and exports need besides motion, written once: /visviva/rest (positions at rest, as placed),
 * /visviva/uvs (texture coordinates of triangle corners, of all bodies one after the other), /visviva/uv_counts (how
 * many corners each body has there, 0 or all of its drawn triangles'), /visviva/drawn_thickness (m, one number per
 * body), /visviva/affine (1 of affine bodies) and /visviva/order (of each body's tets, 1 or 2). The two of texture
 * coordinates, and the last two, are only there if a body has some, is such a one, is of order 2. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/tet10.h"
#include "record/reader.h"
#include "record/writer.h"

static const char rest_path[] = "/visviva/rest", uvs_path[] = "/visviva/uvs", counts_path[] = "/visviva/uv_counts",
                  thickness_path[] = "/visviva/drawn_thickness", affine_path[] = "/visviva/affine",
                  order_path[] = "/visviva/order";

const char *const vv_drawn_paths[VV_DRAWN_PATHS] = { rest_path,      uvs_path,    counts_path,
                                                     thickness_path, affine_path, order_path };

/* ---- writing ---- */

static int64_t corners_of(const vvWorld *world, vvBodyId body)
{
    vvBodySurface surface;
    vvBodyElements elements;
    vvBodyGetSurface(world, body, &surface);
    vvBodyGetElements(world, body, &elements);
    return 3 * (int64_t)(surface.vertexCount > 0 ? surface.triangleCount : elements.triangleCount);
}

static bool write_rows(hid_t file, const char *path, int64_t rows, int columns, const double *data)
{
    const hsize_t dims[2] = { (hsize_t)rows, (hsize_t)columns };
    return vv_hdf_write(file, path, H5T_NATIVE_DOUBLE, 2, dims, data);
}

static bool write_uvs(hid_t file, const vvWorld *world, int bodies)
{
    const hsize_t count = (hsize_t)bodies;
    int64_t corners = 0;
    int32_t *counts = vv_alloc((size_t)bodies, sizeof *counts);
    for (int b = 0; counts && b < bodies; b++) {
        counts[b] = vvBodyUvs(world, vvWorldBody(world, b)) ? (int32_t)corners_of(world, vvWorldBody(world, b)) : 0;
        corners += counts[b];
    }
    double *all = counts && corners > 0 ? vv_alloc(2 * (size_t)corners, sizeof *all) : NULL;
    int64_t at = 0;
    for (int b = 0; all && b < bodies; b++) {
        if (counts[b] > 0)
            memcpy(all + 2 * at, vvBodyUvs(world, vvWorldBody(world, b)), 2 * (size_t)counts[b] * sizeof *all);
        at += counts[b];
    }
    bool ok = counts && (corners == 0 || (all && write_rows(file, uvs_path, corners, 2, all) &&
                                          vv_hdf_write(file, counts_path, H5T_NATIVE_INT32, 1, &count, counts)));
    vv_free(counts);
    vv_free(all);
    return ok;
}

static int32_t affine_of(const vvWorld *world, vvBodyId body) { return vvBodyIsAffine(world, body); }

static int32_t order_of(const vvWorld *world, vvBodyId body)
{
    vvBodyElements elements;
    vvBodyGetElements(world, body, &elements);
    return elements.tet10Count > 0 ? 2 : 1;
}

/* A number of each body, unless all have the usual one. */
static bool write_unusual(hid_t file, const char *path, const vvWorld *world, int bodies, int32_t usual,
                          int32_t (*of)(const vvWorld *, vvBodyId))
{
    const hsize_t count = (hsize_t)bodies;
    bool some = false;
    int32_t *values = vv_alloc((size_t)bodies, sizeof *values);
    for (int b = 0; values && b < bodies; b++) {
        values[b] = of(world, vvWorldBody(world, b));
        some = some || values[b] != usual;
    }
    bool ok = values && (!some || vv_hdf_write(file, path, H5T_NATIVE_INT32, 1, &count, values));
    vv_free(values);
    return ok;
}

bool vv_writer_drawn(hid_t file, const vvWorld *world, int bodies)
{
    return write_rows(file, rest_path, vvWorldNodeCount(world), 3, vvWorldRestPositions(world)) &&
           write_uvs(file, world, bodies) &&
           vv_writer_of_bodies(file, thickness_path, world, bodies, vvBodyDrawnThickness) &&
           write_unusual(file, affine_path, world, bodies, 0, affine_of) &&
           write_unusual(file, order_path, world, bodies, 1, order_of);
}

/* ---- reading ---- */

static bool all_finite(const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static vvStatus read_rest(vvRun *run, vvError *error)
{
    const vv_want want = { rest_path, 2, 3, H5T_FLOAT };
    int64_t rows;
    if (!vv_hdf_exists(run->file, rest_path))
        return VV_OK;
    run->rest = vv_reader_fixed(run, &want, H5T_NATIVE_DOUBLE, 3 * sizeof *run->rest, &rows, error);
    if (!run->rest)
        return VV_ERROR_INPUT;
    if (rows != run->sizes.nodes)
        return vv_reader_broken(run, rest_path, "does not fit the nodes", error);
    return all_finite(run->rest, 3 * rows)
               ? VV_OK
               : vv_reader_broken(run, rest_path, "has a coordinate that is not a number", error);
}

static vvStatus hand_out(vvRun *run, const int32_t *counts, int64_t corners, vvError *error)
{
    int64_t at = 0;
    for (int64_t b = 0; b < run->sizes.bodies; b++) {
        vvRunBody *body = run->bodies + b;
        if (counts[b] == 0)
            continue;
        if (counts[b] != 3 * (int64_t)body->drawnTriangleCount || counts[b] > corners - at)
            return vv_reader_broken(run, counts_path, "does not fit the triangles", error);
        body->uvs = run->uvs + 2 * at;
        at += counts[b];
    }
    return at == corners ? VV_OK : vv_reader_broken(run, uvs_path, "does not fit the triangles", error);
}

static vvStatus read_uvs(vvRun *run, vvError *error)
{
    const vv_want want = { uvs_path, 2, 2, H5T_FLOAT };
    int64_t corners = 0;
    void *counts;
    vvStatus status = vv_reader_each_body(run, counts_path, H5T_INTEGER, &counts, error);
    if (status != VV_OK || !counts)
        return status;
    run->uvs = vv_reader_fixed(run, &want, H5T_NATIVE_DOUBLE, 2 * sizeof *run->uvs, &corners, error);
    status = run->uvs ? hand_out(run, counts, corners, error) : VV_ERROR_INPUT;
    vv_free(counts);
    if (status == VV_OK && !all_finite(run->uvs, 2 * corners))
        status = vv_reader_broken(run, uvs_path, "has a value that is not a number", error);
    return status;
}

static vvStatus read_thickness(vvRun *run, vvError *error)
{
    void *values;
    vvStatus status = vv_reader_each_body(run, thickness_path, H5T_FLOAT, &values, error);
    for (int64_t b = 0; status == VV_OK && b < run->sizes.bodies; b++) {
        vvRunBody *body = run->bodies + b;
        body->drawnThickness = values ? ((double *)values)[b] : body->thickness;
        if (!(body->drawnThickness >= 0 && isfinite(body->drawnThickness)))
            status = vv_reader_broken(run, thickness_path, "holds a value that is not a thickness", error);
    }
    vv_free(values);
    return status;
}

/* An affine body carries its surface on its nodes, four that span a volume where it was placed. */
static bool can_be_affine(const vvRun *run, const vvRunBody *body)
{
    double edges[9];
    if (!body->carries || body->drawnTriangleCount <= 0 || body->nodeCount != 4 || body->directorCount != 0 ||
        body->tetCount != 1 || !run->rest)
        return false;
    const int64_t first = body->firstVertex - run->sizes.nodes;
    for (int64_t i = 4 * first; i < 4 * (first + body->vertexCount); i++)
        if (run->surface_nodes[i] < body->firstNode || run->surface_nodes[i] >= body->firstNode + 4)
            return false;
    const double *x = run->rest + 3 * (size_t)body->firstNode;
    for (int k = 0; k < 3; k++)
        vv_sub(x + 3 * (k + 1), x, edges + 3 * k);
    return isnormal(vv_det(edges));
}

static vvStatus read_affine(vvRun *run, vvError *error)
{
    void *flags;
    vvStatus status = vv_reader_each_body(run, affine_path, H5T_INTEGER, &flags, error);
    for (int64_t b = 0; flags && status == VV_OK && b < run->sizes.bodies; b++) {
        run->bodies[b].affine = ((int32_t *)flags)[b] != 0;
        if (run->bodies[b].affine && !can_be_affine(run, run->bodies + b))
            status = vv_reader_broken(run, affine_path, "names a body that is not carried by four nodes", error);
    }
    vv_free(flags);
    return status;
}

/* The body's elements from the linear tets that they are cut into. */
static bool join(vvRunBody *body, int *tets10)
{
    if (body->tetCount == 0 || body->tetCount % VV_TET10_SUBTETS != 0)
        return false;
    body->tet10Count = body->tetCount / VV_TET10_SUBTETS, body->tets10 = tets10;
    for (size_t t = 0; t < (size_t)body->tet10Count; t++)
        if (!vv_tet10_join(body->tets + 4 * VV_TET10_SUBTETS * t, tets10 + 10 * t))
            return false;
    return true;
}

static vvStatus read_order(vvRun *run, vvError *error)
{
    void *orders;
    size_t count = 0;
    vvStatus status = vv_reader_each_body(run, order_path, H5T_INTEGER, &orders, error);
    for (int64_t b = 0; orders && b < run->sizes.bodies; b++)
        count += (size_t)run->bodies[b].tetCount / VV_TET10_SUBTETS;
    if (orders && !(run->tets10 = vv_alloc(10 * count, sizeof *run->tets10)))
        status = vv_fail_memory(error, "the tets of a run");
    count = 0;
    for (int64_t b = 0; orders && status == VV_OK && b < run->sizes.bodies; b++) {
        const int32_t order = ((int32_t *)orders)[b];
        if (order != 1 && !(order == 2 && join(run->bodies + b, run->tets10 + 10 * count)))
            status = vv_reader_broken(run, order_path, "does not fit the tets", error);
        count += (size_t)run->bodies[b].tet10Count;
    }
    vv_free(orders);
    return status;
}

vvStatus vv_reader_drawn(vvRun *run, vvError *error)
{
    vvStatus status = read_rest(run, error);
    if (status == VV_OK)
        status = read_uvs(run, error);
    if (status == VV_OK)
        status = read_thickness(run, error);
    if (status == VV_OK)
        status = read_affine(run, error);
    return status == VV_OK ? read_order(run, error) : status;
}

const double *vvRunRestPositions(const vvRun *run) { return run ? run->rest : NULL; }
