/* The table of growing datasets and the types of their rows; creating and opening by that table. */
#include "record/layout.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "step/ledger/columns.h"

static const vv_set_info sets_of_run[VV_SET_COUNT] = {
    [VV_SET_VALUES] = { "/VTKHDF/Steps/Values", VV_UNIT_FRAME, VV_TYPE_DOUBLE, 0 },
    [VV_SET_PART_OFFSETS] = { "/VTKHDF/Steps/PartOffsets", VV_UNIT_FRAME, VV_TYPE_INT64, 0 },
    [VV_SET_NUMBER_OF_PARTS] = { "/VTKHDF/Steps/NumberOfParts", VV_UNIT_FRAME, VV_TYPE_INT64, 0 },
    [VV_SET_POINT_OFFSETS] = { "/VTKHDF/Steps/PointOffsets", VV_UNIT_FRAME, VV_TYPE_INT64, 0 },
    [VV_SET_CELL_OFFSETS] = { "/VTKHDF/Steps/CellOffsets", VV_UNIT_FRAME, VV_TYPE_INT64, 1 },
    [VV_SET_CONNECTIVITY_OFFSETS] = { "/VTKHDF/Steps/ConnectivityIdOffsets", VV_UNIT_FRAME, VV_TYPE_INT64, 1 },
    [VV_SET_VELOCITY_OFFSETS] = { "/VTKHDF/Steps/PointDataOffsets/velocity", VV_UNIT_FRAME, VV_TYPE_INT64, 0 },
    [VV_SET_BODY_OFFSETS] = { "/VTKHDF/Steps/CellDataOffsets/body", VV_UNIT_FRAME, VV_TYPE_INT64, 0 },
    [VV_SET_POINTS] = { "/VTKHDF/Points", VV_UNIT_NODE, VV_TYPE_DOUBLE, 3 },
    [VV_SET_VELOCITY] = { "/VTKHDF/PointData/velocity", VV_UNIT_NODE, VV_TYPE_DOUBLE, 3 },
    [VV_SET_FRAMES] = { "/visviva/frames", VV_UNIT_FRAME, VV_TYPE_FRAME, 0 },
    [VV_SET_STATE] = { "/visviva/state", VV_UNIT_FRAME, VV_TYPE_BYTE, VV_COLUMNS_STATE },
    [VV_SET_LEDGER] = { "/visviva/ledger", VV_UNIT_ROW, VV_TYPE_LEDGER, 0 },
    [VV_SET_SOLVER] = { "/visviva/solver", VV_UNIT_ROW, VV_TYPE_SOLVER, 0 },
    [VV_SET_PHASES] = { "/visviva/phases", VV_UNIT_ROW, VV_TYPE_DOUBLE, VV_COLUMNS_PHASES },
    [VV_SET_BODY_ENERGIES] = { "/visviva/body_energies", VV_UNIT_ROW, VV_TYPE_DOUBLE, VV_COLUMNS_BODIES },
    [VV_SET_BODY_VISIBLE] = { "/visviva/body_visible", VV_UNIT_ROW, VV_TYPE_VISIBLE, VV_COLUMNS_BODIES },
    [VV_SET_STATE_VELOCITY_OFFSETS] = { "/VTKHDF/Steps/PointDataOffsets/state_velocity", VV_UNIT_FRAME, VV_TYPE_INT64,
                                        0 },
    [VV_SET_STATE_VELOCITY] = { "/VTKHDF/PointData/state_velocity", VV_UNIT_NODE, VV_TYPE_DOUBLE, 3 },
};

const vv_set_info *vv_set_at(vv_set set) { return &sets_of_run[set]; }
bool vv_set_newer(vv_set set) { return set >= VV_SET_BODY_VISIBLE; }

int64_t vv_set_rows(vv_set set, const vv_run_sizes *sizes, int64_t frames, int64_t rows)
{
    switch (sets_of_run[set].unit) {
    case VV_UNIT_FRAME: return frames;
    case VV_UNIT_NODE: return frames * sizes->nodes;
    case VV_UNIT_ROW: return rows;
    }
    return 0;
}

int64_t vv_set_columns(vv_set set, const vv_run_sizes *sizes)
{
    switch (sets_of_run[set].columns) {
    case VV_COLUMNS_STATE: return sizes->state;
    case VV_COLUMNS_BODIES: return sizes->bodies;
    case VV_COLUMNS_PHASES: return sizes->phases;
    default: return sets_of_run[set].columns;
    }
}

static size_t type_bytes(vv_set_type type)
{
    switch (type) {
    case VV_TYPE_DOUBLE: return sizeof(double);
    case VV_TYPE_INT64: return sizeof(int64_t);
    case VV_TYPE_BYTE: return 1;
    case VV_TYPE_FRAME: return sizeof(vv_frame_row);
    case VV_TYPE_LEDGER: return sizeof(vvLedgerRow);
    case VV_TYPE_SOLVER: return sizeof(vv_solver_row);
    case VV_TYPE_BODY: return sizeof(vv_body_row);
    case VV_TYPE_VISIBLE: return sizeof(vvVisible);
    }
    return 1;
}

size_t vv_set_row_bytes(vv_set set, const vv_run_sizes *sizes)
{
    int64_t columns = vv_set_columns(set, sizes);
    return type_bytes(sets_of_run[set].type) * (size_t)(sets_of_run[set].columns ? columns : 1);
}

/* ---- types ---- */

/* clang-format off */
#define LEDGER(name, field, unit, kind) { #name, unit, offsetof(vvLedgerRow, field), kind, 0, false },
#define NEWER(name, field, unit, kind) { #name, unit, offsetof(vvLedgerRow, field), kind, 0, true },
/* clang-format on */
/* In the order of the struct: where it has no gaps, H5Tpack leaves members as they were put in, and they must follow
 * each other within the row. */
static const vv_member ledger_members[] = {
    VV_LEDGER_COLUMNS(LEDGER, NEWER){ NULL, NULL, 0, 0, 0, false },
};

/* clang-format off */
#define SOLVER(name, unit, kind, width) { #name, unit, offsetof(vv_solver_row, name), kind, width, false }
/* clang-format on */
static const vv_member solver_members[] = {
    SOLVER(wall, "s", 'd', 0),   SOLVER(residual, "m/s", 'd', 0), SOLVER(end, "", 'e', 0),
    SOLVER(linear, "", 't', 16), SOLVER(note, "", 't', 128),      { NULL, NULL, 0, 0, 0, false },
};

/* clang-format off */
#define FRAME(name, unit, kind) { #name, unit, offsetof(vv_frame_row, name), kind, 0, false }
/* clang-format on */
static const vv_member frame_members[] = {
    FRAME(step, "", 'l'),
    FRAME(time, "s", 'd'),
    FRAME(rows, "", 'l'),
    { NULL, NULL, 0, 0, 0, false },
};

/* clang-format off */
#define BODY(name, kind, width) { #name, "", offsetof(vv_body_row, name), kind, width, false }
/* clang-format on */
static const vv_member body_members[] = {
    BODY(name, 't', VV_RUN_NAME_ROOM), BODY(first_node, 'l', 0), BODY(node_count, 'l', 0),
    BODY(first_tet, 'l', 0),           BODY(tet_count, 'l', 0),  BODY(first_triangle, 'l', 0),
    BODY(triangle_count, 'l', 0),      BODY(first_edge, 'l', 0), BODY(edge_count, 'l', 0),
    { NULL, NULL, 0, 0, 0, false },
};

/* clang-format off */
#define VISIBLE(name) { #name, "J", offsetof(vvVisible, name), 'd', 0, false }
/* clang-format on */
static const vv_member visible_members[] = {
    VISIBLE(total), VISIBLE(centre), VISIBLE(rotation), VISIBLE(deformation), { NULL, NULL, 0, 0, 0, false },
};

const vv_member *vv_ledger_member(int index)
{
    int count = (int)(sizeof ledger_members / sizeof *ledger_members) - 1;
    return index >= 0 && index < count ? &ledger_members[index] : NULL;
}

static const vv_member *members_of(vv_set_type type)
{
    switch (type) {
    case VV_TYPE_FRAME: return frame_members;
    case VV_TYPE_LEDGER: return ledger_members;
    case VV_TYPE_SOLVER: return solver_members;
    case VV_TYPE_BODY: return body_members;
    case VV_TYPE_VISIBLE: return visible_members;
    default: return NULL;
    }
}

static hid_t end_type(void)
{
    static const struct {
        const char *name;
        int32_t value;
    } ends[] = {
        { "converged", VV_SOLVE_CONVERGED }, { "iteration-limit", VV_SOLVE_ITERATION_LIMIT },
        { "stalled", VV_SOLVE_STALLED },     { "explicit", VV_SOLVE_EXPLICIT },
        { "budget", VV_SOLVE_BUDGET },
    };
    hid_t type = H5Tenum_create(H5T_NATIVE_INT32);
    for (size_t i = 0; type >= 0 && i < sizeof ends / sizeof *ends; i++)
        H5Tenum_insert(type, ends[i].name, &ends[i].value);
    return type;
}

static hid_t member_type(const vv_member *m)
{
    switch (m->kind) {
    case 'd': return H5Tcopy(H5T_NATIVE_DOUBLE);
    case 'l': return H5Tcopy(H5T_NATIVE_INT64);
    case 'i': return H5Tcopy(H5T_NATIVE_INT);
    case 'e': return end_type();
    default: return vv_hdf_text_type((size_t)m->width);
    }
}

hid_t vv_memory_type(vv_set_type type)
{
    switch (type) {
    case VV_TYPE_DOUBLE: return H5Tcopy(H5T_NATIVE_DOUBLE);
    case VV_TYPE_INT64: return H5Tcopy(H5T_NATIVE_INT64);
    case VV_TYPE_BYTE: return H5Tcopy(H5T_NATIVE_UINT8);
    default: break;
    }
    hid_t compound = H5Tcreate(H5T_COMPOUND, type_bytes(type));
    for (const vv_member *m = members_of(type); compound >= 0 && m->name; m++) {
        hid_t part = member_type(m);
        bool ok = part >= 0 && H5Tinsert(compound, m->name, m->offset, part) >= 0;
        if (part >= 0)
            H5Tclose(part);
        if (!ok) {
            H5Tclose(compound);
            return -1;
        }
    }
    return compound;
}

hid_t vv_file_type(vv_set_type type)
{
    hid_t packed = vv_memory_type(type);
    if (packed >= 0 && members_of(type))
        H5Tpack(packed);
    return packed;
}

bool vv_members_fit(hid_t dataset, vv_set_type type)
{
    hid_t compound = H5Dget_type(dataset);
    bool ok = compound >= 0 && H5Tget_class(compound) == H5T_COMPOUND;
    for (const vv_member *m = members_of(type); ok && m->name; m++) {
        int index = H5Tget_member_index(compound, m->name);
        if (index < 0 && m->newer)
            continue;
        H5T_class_t found = index < 0 ? H5T_NO_CLASS : H5Tget_member_class(compound, (unsigned)index);
        ok = m->kind == 'd'   ? found == H5T_FLOAT
             : m->kind == 't' ? found == H5T_STRING
             : m->kind == 'e' ? found == H5T_ENUM
                              : found == H5T_INTEGER;
    }
    if (compound >= 0)
        H5Tclose(compound);
    return ok;
}

/* ---- reading ---- */

/* What an older file does not say. */
static void fill_member(const vv_member *m, char *row)
{
    if (m->kind == 'i')
        *(int *)(void *)(row + m->offset) = -1;
    else
        *(double *)(void *)(row + m->offset) = NAN;
}

/* NaN, or -1 in a count, where an older file has nothing; reading overwrites what it has. */
static void fill_in(vv_set set, const vv_run_sizes *sizes, int64_t first, int64_t count, void *rows)
{
    vv_set_type type = sets_of_run[set].type;
    size_t element = type_bytes(type), elements = (size_t)count * vv_set_row_bytes(set, sizes) / element;
    for (const vv_member *m = members_of(type); m && m->name; m++)
        for (size_t i = 0; (m->newer || vv_set_newer(set)) && i < elements; i++)
            fill_member(m, (char *)rows + i * element);
    for (size_t i = 0; type == VV_TYPE_DOUBLE && vv_set_newer(set) && i < elements; i++)
        ((double *)rows)[i] = NAN;
    /* offsets of a quantity of nodes */
    for (size_t i = 0; type == VV_TYPE_INT64 && vv_set_newer(set) && i < elements; i++)
        ((int64_t *)rows)[i] = (first + (int64_t)i) * sizes->nodes;
}

bool vv_set_read(vv_set set, const vv_run_sizes *sizes, hid_t dataset, int64_t first, int64_t count, void *rows)
{
    fill_in(set, sizes, first, count, rows);
    if (dataset < 0)
        return vv_set_newer(set);
    hid_t type = vv_memory_type(sets_of_run[set].type);
    bool ok = type >= 0 && vv_hdf_read_rows(dataset, type, (hsize_t)first, (hsize_t)count, rows,
                                            (size_t)count * vv_set_row_bytes(set, sizes));
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

/* ---- creating ---- */

static bool create_group(hid_t file, const char *path)
{
    hid_t group = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return group >= 0 && H5Gclose(group) >= 0;
}

/* Chunks of about a quarter of a megabyte: whole frames if frames are small, parts of a frame if they are
 * large. So chunks are never near HDF5's limit of 4 GiB, and a small run stays a small file. */
static void choose_chunk(vv_set set, const vv_run_sizes *sizes, int64_t room, hsize_t chunk[2])
{
    enum { SMALL = 1 << 18, LARGE = 1 << 22 };
    int64_t columns = vv_set_columns(set, sizes), per_frame = sets_of_run[set].unit == VV_UNIT_NODE ? sizes->nodes : 1;
    int64_t bytes = (int64_t)vv_set_row_bytes(set, sizes);
    chunk[1] = (hsize_t)(columns > LARGE ? LARGE : columns > 0 ? columns : 1);
    if (set == VV_SET_VALUES) {
        chunk[0] = VV_RUN_VALUES_CHUNK;
        return;
    }
    int64_t rows = per_frame;
    if (bytes * per_frame <= SMALL)
        rows = SMALL / (bytes * per_frame) * per_frame;
    else if (bytes * per_frame > LARGE && per_frame > 1)
        rows = LARGE / bytes;
    if (rows > room && room > 0)
        rows = room;
    chunk[0] = (hsize_t)(rows > 0 ? rows : 1);
}

static hid_t create_set(hid_t file, vv_set set, const vv_run_sizes *sizes, const vv_capacity *room)
{
    const vv_set_info *info = &sets_of_run[set];
    int64_t rows = vv_set_rows(set, sizes, room->frames, room->rows);
    hsize_t chunk[2];
    choose_chunk(set, sizes, rows, chunk);
    hsize_t dims[2] = { (hsize_t)(set == VV_SET_VALUES ? room->values : rows), (hsize_t)vv_set_columns(set, sizes) };
    hid_t type = vv_file_type(info->type);
    hid_t id = -1;
    if (type >= 0) {
        id = vv_hdf_create_growing(file, info->path, type, info->columns ? 2 : 1, dims, chunk);
        H5Tclose(type);
    }
    return id;
}

static bool describe_ledger(hid_t ledger)
{
    enum { COUNT = sizeof ledger_members / sizeof *ledger_members - 1, WIDTH = 16 };
    char units[COUNT * WIDTH] = { 0 };
    for (int i = 0; i < COUNT; i++)
        memcpy(units + i * WIDTH, ledger_members[i].unit, strlen(ledger_members[i].unit));
    return vv_hdf_texts_attribute(ledger, "units", units, COUNT, WIDTH);
}

static bool create_vtk_groups(hid_t file)
{
    const int version[2] = { 2, 0 };
    hid_t group = H5Gcreate2(file, "/VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = group >= 0 && vv_hdf_attribute(group, "Version", H5T_NATIVE_INT, 2, version) &&
              vv_hdf_text_attribute(group, "Type", "UnstructuredGrid") && create_group(file, "/VTKHDF/PointData") &&
              create_group(file, "/VTKHDF/CellData");
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

/* Puts NSteps and the header of Values next to each other in the file: they change together with each frame, and HDF5
 * then writes both in one call. */
static bool create_steps(hid_t file, const vv_run_sizes *sizes, const vv_capacity *room, hid_t *values)
{
    const int64_t none = 0;
    hid_t steps = H5Gcreate2(file, "/VTKHDF/Steps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = steps >= 0 && vv_hdf_attribute(steps, "NSteps", H5T_NATIVE_INT64, 0, &none);
    if (ok) {
        *values = create_set(file, VV_SET_VALUES, sizes, room);
        ok = *values >= 0 && create_group(file, "/VTKHDF/Steps/PointDataOffsets") &&
             create_group(file, "/VTKHDF/Steps/CellDataOffsets");
    }
    if (steps >= 0)
        H5Gclose(steps);
    return ok;
}

bool vv_layout_create(hid_t file, const vv_run_sizes *sizes, const vv_capacity *room, hid_t sets[VV_SET_COUNT])
{
    const int version = VV_RUN_VERSION;
    const int64_t counts[2] = { 0, 0 };
    const hsize_t two = 2;
    for (int i = 0; i < VV_SET_COUNT; i++)
        sets[i] = -1;
    if (!create_vtk_groups(file) || !create_steps(file, sizes, room, &sets[VV_SET_VALUES]))
        return false;
    hid_t group = H5Gcreate2(file, "/visviva", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = group >= 0 && vv_hdf_attribute(group, "format_version", H5T_NATIVE_INT, 0, &version) &&
              vv_hdf_text_attribute(group, "program", "visviva") &&
              vv_hdf_write(group, "counts", H5T_NATIVE_INT64, 1, &two, counts);
    if (group >= 0)
        H5Gclose(group);
    for (int i = 0; ok && i < VV_SET_COUNT; i++)
        if (i != VV_SET_VALUES)
            ok = (sets[i] = create_set(file, (vv_set)i, sizes, room)) >= 0;
    return ok && describe_ledger(sets[VV_SET_LEDGER]);
}

/* ---- opening ---- */

hid_t vv_layout_open_set(hid_t file, vv_set set, const vv_run_sizes *sizes, int64_t frames, int64_t rows,
                         vv_hdf_shape *shape)
{
    static const H5T_class_t elements[] = {
        [VV_TYPE_DOUBLE] = H5T_FLOAT,   [VV_TYPE_INT64] = H5T_INTEGER,    [VV_TYPE_BYTE] = H5T_INTEGER,
        [VV_TYPE_FRAME] = H5T_COMPOUND, [VV_TYPE_LEDGER] = H5T_COMPOUND,  [VV_TYPE_SOLVER] = H5T_COMPOUND,
        [VV_TYPE_BODY] = H5T_COMPOUND,  [VV_TYPE_VISIBLE] = H5T_COMPOUND,
    };
    const vv_set_info *info = &sets_of_run[set];
    /* a writer that was killed may have left the time of the last frame unwritten */
    const int64_t length = set == VV_SET_VALUES ? 0 : vv_set_rows(set, sizes, frames, rows);
    const vv_want want = { info->path,           info->columns ? 2 : 1,      (hsize_t)vv_set_columns(set, sizes),
                           elements[info->type], info->type == VV_TYPE_BYTE, (hsize_t)length };
    hid_t id = vv_hdf_open_set(file, &want, shape);
    if (id < 0 || shape->type != H5T_COMPOUND || vv_members_fit(id, info->type))
        return id;
    H5Dclose(id);
    return vv_hdf_refuse(file, info->path, "lacks columns; the file is damaged, or was not written by visviva");
}

bool vv_layout_open(hid_t file, const vv_run_sizes *sizes, int64_t frames, int64_t rows, hid_t sets[VV_SET_COUNT])
{
    vv_hdf_shape shape;
    for (int i = 0; i < VV_SET_COUNT; i++)
        sets[i] = -1;
    for (int i = 0; i < VV_SET_COUNT; i++) {
        if (vv_set_newer((vv_set)i) && !vv_hdf_exists(file, sets_of_run[i].path))
            continue;
        if ((sets[i] = vv_layout_open_set(file, (vv_set)i, sizes, frames, rows, &shape)) < 0)
            return false;
    }
    return true;
}

void vv_layout_close(hid_t sets[VV_SET_COUNT])
{
    for (int i = 0; i < VV_SET_COUNT; i++) {
        if (sets[i] >= 0)
            H5Dclose(sets[i]);
        sets[i] = -1;
    }
}

bool vv_layout_write_counts(hid_t file, int64_t frames, int64_t rows)
{
    const int64_t counts[2] = { frames, rows };
    return vv_hdf_rewrite(file, "/visviva/counts", H5T_NATIVE_INT64, 2, counts);
}

bool vv_layout_write_steps(hid_t file, int64_t frames)
{
    return vv_hdf_rewrite_number(file, "/VTKHDF/Steps", "NSteps", frames);
}
