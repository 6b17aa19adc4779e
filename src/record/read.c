/* Opening a run: everything small is read and checked at once, frames and rows on demand.
 *
 * Only the counters say what is valid: datasets may be longer (write.c). Shapes, types, ranges and indices are
 * checked here, so that what the public functions return can be used without further tests. HDF5 1.10 itself is not
 * safe against every deliberately damaged file; the errors that it reports are passed on. */
#include "record/bending.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "scene/colour.h"

static char *read_text(const vvRun *run, const char *path, vvError *error)
{
    vv_hdf_shape shape;
    const vv_want want = { path, 0, 0, H5T_STRING };
    hid_t set = vv_reader_open_set(run, &want, &shape, error);
    if (set < 0)
        return NULL;
    bool plausible = vv_hdf_plausible(run->file, 1, shape.size);
    hid_t type = vv_hdf_text_type(shape.size);
    char *text = plausible ? vv_alloc(shape.size + 1, 1) : NULL;
    if (!plausible)
        vv_reader_broken(run, path, "is larger than a run can be", error);
    else if (type < 0 || !text)
        vv_fail_memory(error, path);
    else if (!vv_hdf_read(set, type, text, shape.size)) {
        vv_reader_unreadable(run, path, error);
        vv_free(text);
        text = NULL;
    }
    if (type >= 0)
        H5Tclose(type);
    H5Oclose(set);
    return text;
}

static bool read_number(const vvRun *run, const char *path, int64_t *value, vvError *error)
{
    const vv_want want = { path, 1, 0, H5T_INTEGER };
    int64_t rows, *data = vv_reader_fixed(run, &want, H5T_NATIVE_INT64, sizeof *data, &rows, error);
    if (data && rows != 1)
        vv_reader_broken(run, path, "should be one number", error);
    bool ok = data && rows == 1;
    if (ok)
        *value = data[0];
    vv_free(data);
    return ok;
}

/* ---- the parts ---- */

static vvStatus open_file(vvRun *run, vvError *error)
{
    struct stat info;
    if (stat(run->path, &info) != 0)
        return vv_fail(error, VV_ERROR_IO, "%s cannot be opened: %s", run->path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return vv_fail(error, VV_ERROR_INPUT, "%s is not a run: it is not a regular file", run->path);
    run->file = vv_hdf_open(run->path, false);
    if (run->file < 0 && vv_hdf_starved())
        return vv_fail_memory(error, "opening a run");
    if (run->file < 0 && H5Fis_hdf5(run->path) <= 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "%s is not a run: it is not an HDF5 file (expected: a name.vtkhdf written by visviva)",
                       run->path);
    if (run->file < 0)
        return vv_fail(error, VV_ERROR_INPUT, "%s cannot be opened: %s", run->path, vv_hdf_reason());
    return VV_OK;
}

static vvStatus check_version(const vvRun *run, vvError *error)
{
    int64_t version = 0;
    if (!vv_hdf_exists(run->file, "/visviva"))
        return vv_fail(error, VV_ERROR_INPUT, "%s is an HDF5 file but not a run: it has no group /visviva", run->path);
    if (!vv_hdf_read_number(run->file, "/visviva", "format_version", &version))
        return vv_reader_unreadable(run, "/visviva", error);
    if (version != VV_RUN_VERSION)
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "%s has format version %lld, this program reads %d: use the visviva that wrote it, or a newer "
                       "one",
                       run->path, (long long)version, VV_RUN_VERSION);
    return VV_OK;
}

static vvStatus read_counts(vvRun *run, vvError *error)
{
    const vv_want want = { "/visviva/counts", 1, 0, H5T_INTEGER };
    int64_t n, *counts = vv_reader_fixed(run, &want, H5T_NATIVE_INT64, sizeof *counts, &n, error);
    if (!counts)
        return VV_ERROR_INPUT;
    run->frames = n == 2 ? counts[0] : -1;
    run->rows = n == 2 ? counts[1] : -1;
    vv_free(counts);
    if (run->frames < 1 || run->rows < 1 || run->frames > INT_MAX || run->rows > INT_MAX)
        return vv_reader_broken(run, want.path, "makes no sense", error);
    if (!read_number(run, "/VTKHDF/NumberOfPoints", &run->sizes.nodes, error) ||
        !read_number(run, "/VTKHDF/NumberOfCells", &run->cell_count, error))
        return VV_ERROR_INPUT;
    if (run->sizes.nodes < 1 || run->sizes.nodes > INT_MAX / 4 || run->cell_count < 0 || run->cell_count > INT_MAX)
        return vv_reader_broken(run, "/VTKHDF/NumberOfPoints", "makes no sense", error);
    return VV_OK;
}

static vvStatus open_growing(vvRun *run, vv_set set, vvError *error)
{
    vv_hdf_shape shape;
    if (vv_set_newer(set) && !vv_hdf_exists(run->file, vv_set_at(set)->path))
        return VV_OK;
    run->sets[set] = vv_layout_open_set(run->file, set, &run->sizes, run->frames, run->rows, &shape);
    if (run->sets[set] < 0)
        return vv_hdf_refused(error);
    switch (set) {
    case VV_SET_STATE: run->sizes.state = (int64_t)shape.dims[1]; break;
    case VV_SET_PHASES: run->sizes.phases = (int64_t)shape.dims[1]; break;
    case VV_SET_FRAMES: run->frame_room = (int64_t)shape.dims[0]; break;
    case VV_SET_LEDGER: run->row_room = (int64_t)shape.dims[0]; break;
    default: break;
    }
    return VV_OK;
}

static vvStatus read_frames(vvRun *run, vvError *error)
{
    const size_t bytes = (size_t)run->frames * sizeof *run->frame_rows;
    if (!vv_hdf_plausible(run->file, bytes, 1))
        return vv_reader_broken(run, "/visviva/frames", "is larger than a run can be", error);
    run->frame_rows = vv_alloc((size_t)run->frames, sizeof *run->frame_rows);
    hid_t type = vv_memory_type(VV_TYPE_FRAME);
    bool ok = run->frame_rows && type >= 0 &&
              vv_hdf_read_rows(run->sets[VV_SET_FRAMES], type, 0, (hsize_t)run->frames, run->frame_rows, bytes);
    if (type >= 0)
        H5Tclose(type);
    if (!ok)
        return vv_reader_unreadable(run, "/visviva/frames", error);
    int64_t last = 0;
    for (int64_t i = 0; i < run->frames; i++) {
        if (run->frame_rows[i].rows < last || run->frame_rows[i].rows < 1 || run->frame_rows[i].rows > run->rows)
            return vv_reader_broken(run, "/visviva/frames", "has ledger rows out of order", error);
        last = run->frame_rows[i].rows;
    }
    return VV_OK;
}

static int *read_elements(const vvRun *run, const char *path, int width, int64_t *count, vvError *error)
{
    const vv_want want = { path, 2, (hsize_t)width, H5T_INTEGER };
    int *data = vv_reader_fixed(run, &want, H5T_NATIVE_INT, (size_t)width * sizeof *data, count, error);
    for (int64_t i = 0; data && i < *count * width; i++)
        if (data[i] < 0 || data[i] >= run->sizes.nodes) {
            vv_reader_broken(run, path, "names a nonexistent node", error);
            vv_free(data);
            return NULL;
        }
    return data;
}

static bool within(int64_t first, int64_t count, int64_t all)
{
    return first >= 0 && count >= 0 && first <= all && count <= all - first;
}

static vvStatus read_bodies(vvRun *run, vvError *error)
{
    int64_t tets, triangles, edges;
    run->tets = read_elements(run, "/visviva/tets", 4, &tets, error);
    run->triangles = run->tets ? read_elements(run, "/visviva/triangles", 3, &triangles, error) : NULL;
    run->edges = run->triangles ? read_elements(run, "/visviva/edges", 2, &edges, error) : NULL;
    if (!run->edges)
        return VV_ERROR_INPUT;
    const vv_want want = { "/visviva/bodies", 1, 0, H5T_COMPOUND };
    vv_hdf_shape shape;
    hid_t set = vv_reader_open_set(run, &want, &shape, error);
    if (set < 0)
        return VV_ERROR_INPUT;
    bool fit = vv_members_fit(set, VV_TYPE_BODY);
    H5Oclose(set);
    if (!fit)
        return vv_reader_broken(run, want.path, "lacks columns", error);
    hid_t type = vv_memory_type(VV_TYPE_BODY);
    vv_body_row *rows = vv_reader_fixed(run, &want, type, sizeof *rows, &run->sizes.bodies, error);
    H5Tclose(type);
    vvStatus status = rows ? VV_OK : VV_ERROR_INPUT;
    if (rows && run->sizes.bodies < 1)
        status = vv_reader_broken(run, want.path, "is empty", error);
    run->bodies = rows ? vv_alloc((size_t)run->sizes.bodies, sizeof *run->bodies) : NULL;
    if (rows && !run->bodies)
        status = vv_fail_memory(error, "the bodies of a run");
    for (int64_t b = 0; status == VV_OK && b < run->sizes.bodies; b++) {
        vv_body_row *r = &rows[b];
        vvRunBody *body = &run->bodies[b];
        if (!within(r->first_node, r->node_count, run->sizes.nodes) || !within(r->first_tet, r->tet_count, tets) ||
            !within(r->first_triangle, r->triangle_count, triangles) || !within(r->first_edge, r->edge_count, edges)) {
            status = vv_reader_broken(run, want.path, "points outside the mesh", error);
            break;
        }
        snprintf(body->name, sizeof body->name, "%.*s", VV_RUN_NAME_ROOM - 1, r->name);
        body->firstNode = (int)r->first_node, body->nodeCount = (int)r->node_count;
        body->tetCount = (int)r->tet_count, body->triangleCount = (int)r->triangle_count;
        body->edgeCount = (int)r->edge_count;
        body->tets = run->tets + 4 * r->first_tet;
        body->triangles = run->triangles + 3 * r->first_triangle;
        body->edges = run->edges + 2 * r->first_edge;
        body->pointCount = body->tetCount || body->triangleCount || body->edgeCount ? 0 : body->nodeCount;
    }
    vv_free(rows);
    return status;
}

static vvStatus read_obstacles(vvRun *run, vvError *error)
{
    int64_t types, counts, values, total = 0;
    const vv_want want[3] = { { "/visviva/obstacle_types", 1, 0, H5T_STRING },
                              { "/visviva/obstacle_value_counts", 1, 0, H5T_INTEGER },
                              { "/visviva/obstacle_values", 1, 0, H5T_FLOAT } };
    hid_t word = vv_hdf_text_type(VV_RUN_WORD_ROOM);
    run->obstacle_types = vv_reader_fixed(run, &want[0], word, VV_RUN_WORD_ROOM, &types, error);
    H5Tclose(word);
    if (run->obstacle_types)
        run->obstacle_value_counts = vv_reader_fixed(run, &want[1], H5T_NATIVE_INT32, sizeof(int32_t), &counts, error);
    if (run->obstacle_value_counts)
        run->obstacle_values = vv_reader_fixed(run, &want[2], H5T_NATIVE_DOUBLE, sizeof(double), &values, error);
    if (!run->obstacle_values)
        return VV_ERROR_INPUT;
    if (types != counts)
        return vv_reader_broken(run, want[1].path, "does not fit the obstacles", error);
    run->obstacle_first = vv_alloc((size_t)types, sizeof *run->obstacle_first);
    if (!run->obstacle_first)
        return vv_fail_memory(error, "the obstacles of a run");
    for (int64_t i = 0; i < types; i++) {
        run->obstacle_types[i * VV_RUN_WORD_ROOM + VV_RUN_WORD_ROOM - 1] = 0;
        run->obstacle_first[i] = total;
        if (run->obstacle_value_counts[i] < 0 || run->obstacle_value_counts[i] > values - total)
            return vv_reader_broken(run, want[2].path, "does not fit the obstacles", error);
        total += run->obstacle_value_counts[i];
    }
    run->obstacle_count = (int)types;
    return VV_OK;
}

static vvStatus read_texts(vvRun *run, vvError *error)
{
    struct {
        char **text;
        const char *path;
    } texts[] = {
        { &run->scene_name, "/visviva/scene_name" }, { &run->scene_text, "/visviva/scene" },
        { &run->status, "/visviva/status" },         { &run->scheme, "/visviva/scheme" },
        { &run->policy, "/visviva/policy" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!(*texts[i].text = read_text(run, texts[i].path, error)))
            return VV_ERROR_INPUT;
    if (run->knows_touching && !(run->contact_model = read_text(run, vv_touching_paths[0], error)))
        return VV_ERROR_INPUT;
    if (vv_hdf_exists(run->file, vv_made_by_path) && !(run->made_by = read_text(run, vv_made_by_path, error)))
        return VV_ERROR_INPUT;
    const vv_want mixed = { "/visviva/cells", 1, 0, H5T_INTEGER };
    vv_hdf_shape shape;
    hid_t cells = vv_reader_open_set(run, &mixed, &shape, error);
    if (cells < 0)
        return VV_ERROR_INPUT;
    run->mixed_count = (int64_t)shape.dims[0];
    H5Oclose(cells);
    return VV_OK;
}

static vvStatus read_facts(vvRun *run, vvError *error)
{
    const vv_want step = { "/visviva/time_step", 0, 0, H5T_FLOAT }, gravity = { "/visviva/gravity", 1, 0, H5T_FLOAT };
    double *value = vv_reader_fixed(run, &step, H5T_NATIVE_DOUBLE, sizeof *value, NULL, error);
    if (!value)
        return VV_ERROR_INPUT;
    run->time_step = *value;
    vv_free(value);
    int64_t count;
    value = vv_reader_fixed(run, &gravity, H5T_NATIVE_DOUBLE, sizeof *value, &count, error);
    if (!value)
        return VV_ERROR_INPUT;
    for (int64_t k = 0; k < 3 && count == 3; k++)
        run->gravity[k] = value[k];
    vv_free(value);
    return count == 3 ? VV_OK : vv_reader_broken(run, gravity.path, "should be three numbers", error);
}

static vvStatus read_lengths(vvRun *run, vvError *error)
{
    const vv_want want = { vv_lengths_path, 1, 0, H5T_FLOAT };
    if (!vv_hdf_exists(run->file, want.path))
        return VV_OK;
    int64_t count;
    double *value = vv_reader_fixed(run, &want, H5T_NATIVE_DOUBLE, sizeof *value, &count, error);
    if (!value)
        return VV_ERROR_INPUT;
    if (count == 4)
        run->lengths = (vvRunLengths){ value[0], value[1], value[2], value[3] };
    vv_free(value);
    return count == 4 ? VV_OK : vv_reader_broken(run, want.path, "should be four numbers", error);
}

static vvStatus read_stiffness(vvRun *run, vvError *error)
{
    const vv_want want = { vv_stiffness_path, 1, 0, H5T_FLOAT };
    run->stiffness.body = "";
    if (!vv_hdf_exists(run->file, want.path) || !vv_hdf_exists(run->file, vv_stiffest_path))
        return VV_OK;
    int64_t count;
    double *v = vv_reader_fixed(run, &want, H5T_NATIVE_DOUBLE, sizeof *v, &count, error);
    run->stiffest = v ? read_text(run, vv_stiffest_path, error) : NULL;
    if (run->stiffest && count == 5)
        run->stiffness = (vvStiffness){ v[0], v[1], v[2] != 0, v[3], v[4], run->stiffest };
    vv_free(v);
    return !run->stiffest ? VV_ERROR_INPUT
           : count == 5   ? VV_OK
                          : vv_reader_broken(run, want.path, "should be five numbers", error);
}

static const char *name_of(const void *bodies, int body) { return ((const vvRunBody *)bodies)[body].name; }

static vvStatus read_colours(vvRun *run, vvError *error)
{
    const int count = (int)run->sizes.bodies;
    int *colours = vv_alloc((size_t)count, sizeof *colours);
    if (!colours)
        return vv_fail_memory(error, "the bodies of a run");
    vv_scene_colours(run->scene_text, count, name_of, run->bodies, colours);
    for (int b = 0; b < count; b++)
        run->bodies[b].colour = colours[b];
    vv_free(colours);
    return VV_OK;
}

static vvStatus read_all(vvRun *run, vvError *error)
{
    static const vv_set used[] = { VV_SET_POINTS,       VV_SET_VELOCITY,      VV_SET_FRAMES, VV_SET_STATE,
                                   VV_SET_LEDGER,       VV_SET_SOLVER,        VV_SET_PHASES, VV_SET_BODY_ENERGIES,
                                   VV_SET_BODY_VISIBLE, VV_SET_STATE_VELOCITY };
    vvStatus status = open_file(run, error);
    if (status == VV_OK)
        status = check_version(run, error);
    if (status == VV_OK)
        status = read_counts(run, error);
    if (status == VV_OK)
        status = read_bodies(run, error);
    if (status == VV_OK)
        status = vv_reader_surfaces(run, error);
    if (status == VV_OK)
        status = vv_reader_kinematic(run, error);
    if (status == VV_OK)
        status = vv_reader_thickness(run, error);
    if (status == VV_OK)
        status = vv_reader_directors(run, error);
    if (status == VV_OK)
        status = vv_reader_drawn(run, error);
    if (status == VV_OK)
        status = vv_reader_bending(run, error);
    if (status == VV_OK)
        status = vv_reader_touching(run, error);
    if (status == VV_OK)
        status = vv_reader_lines(run, error);
    for (size_t i = 0; status == VV_OK && i < sizeof used / sizeof *used; i++)
        status = open_growing(run, used[i], error);
    if (status == VV_OK)
        status = read_frames(run, error);
    if (status == VV_OK)
        status = read_obstacles(run, error);
    if (status == VV_OK)
        status = vv_reader_samples(run, error);
    if (status == VV_OK)
        status = read_facts(run, error);
    if (status == VV_OK)
        status = read_lengths(run, error);
    if (status == VV_OK)
        status = read_stiffness(run, error);
    if (status == VV_OK)
        status = read_texts(run, error);
    return status == VV_OK ? read_colours(run, error) : status;
}

vvStatus vv_reader_open(const char *path, vvRun **out, vvError *error)
{
    vvError own;
    if (!error)
        error = &own; /* the helpers above report through it */
    vv_error_clear(error);
    *out = NULL;
    vvRun *run = vv_alloc(1, sizeof *run);
    if (!run || !(run->path = vv_strdup(path))) {
        vv_free(run);
        return vv_fail_memory(error, "a run");
    }
    run->file = -1;
    for (int i = 0; i < VV_SET_COUNT; i++)
        run->sets[i] = -1;
    vvStatus status = read_all(run, error);
    if (status != VV_OK) {
        vv_reader_free(run);
        return error->status != VV_OK ? error->status : status;
    }
    *out = run;
    return VV_OK;
}

void vv_reader_free(vvRun *run)
{
    for (int i = 0; i < VV_SET_COUNT; i++)
        if (run->sets[i] >= 0)
            H5Oclose(run->sets[i]);
    if (run->file >= 0)
        H5Fclose(run->file);
    vv_run_bending_free(run->bending);
    void *owned[] = { run->path,
                      run->frame_rows,
                      run->bodies,
                      run->tets,
                      run->triangles,
                      run->edges,
                      run->scene_name,
                      run->scene_text,
                      run->status,
                      run->scheme,
                      run->policy,
                      run->contact_model,
                      run->joined,
                      run->stiffest,
                      run->lines[VV_LINES_CHANGES].rows,
                      run->lines[VV_LINES_CHANGES].texts,
                      run->lines[VV_LINES_NOTES].rows,
                      run->lines[VV_LINES_NOTES].texts,
                      run->made_by,
                      run->obstacle_types,
                      run->obstacle_value_counts,
                      run->obstacle_values,
                      run->obstacle_first,
                      run->sample_counts,
                      run->sample_layers,
                      run->samples,
                      run->sample_first,
                      run->surface_triangles,
                      run->surface_nodes,
                      run->surface_weights,
                      run->uvs,
                      run->tets10,
                      run->rest,
                      run };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        vv_free(owned[i]);
}

vvStatus vv_reader_state(const vvRun *run, int64_t frame, void *state, vvError *error)
{
    if (vv_hdf_read_rows(run->sets[VV_SET_STATE], H5T_NATIVE_UINT8, (hsize_t)frame, 1, state, (size_t)run->sizes.state))
        return VV_OK;
    return vv_reader_unreadable(run, "/visviva/state", error);
}
