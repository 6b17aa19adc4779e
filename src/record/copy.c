/* What is written once in a run file: of which type it must be, and copying it to another file. */
#include "record/layout.h"

#include <string.h>

#include "base/memory.h"

const char vv_lengths_path[] = "/visviva/lengths", vv_stiffness_path[] = "/visviva/contact_stiffness",
           vv_stiffest_path[] = "/visviva/contact_stiffness_body";

enum { SCENE_NAME, SCENE };
static const vv_want fixed_sets[] = {
    [SCENE_NAME] = { "/visviva/scene_name", 0, 0, H5T_STRING },
    [SCENE] = { "/visviva/scene", 0, 0, H5T_STRING },
    { "/VTKHDF/NumberOfPoints", 1, 0, H5T_INTEGER },
    { "/VTKHDF/NumberOfCells", 1, 0, H5T_INTEGER },
    { "/VTKHDF/NumberOfConnectivityIds", 1, 0, H5T_INTEGER },
    { "/VTKHDF/Connectivity", 1, 0, H5T_INTEGER },
    { "/VTKHDF/Offsets", 1, 0, H5T_INTEGER },
    { "/VTKHDF/Types", 1, 0, H5T_INTEGER },
    { "/VTKHDF/CellData/body", 1, 0, H5T_INTEGER },
    { "/visviva/status", 0, 0, H5T_STRING },
    { "/visviva/time_step", 0, 0, H5T_FLOAT },
    { "/visviva/gravity", 1, 0, H5T_FLOAT },
    { "/visviva/scheme", 0, 0, H5T_STRING },
    { "/visviva/policy", 0, 0, H5T_STRING },
    { "/visviva/bodies", 1, 0, H5T_COMPOUND },
    { "/visviva/tets", 2, 4, H5T_INTEGER },
    { "/visviva/triangles", 2, 3, H5T_INTEGER },
    { "/visviva/edges", 2, 2, H5T_INTEGER },
    { "/visviva/cells", 1, 0, H5T_INTEGER },
    { "/visviva/obstacle_types", 1, 0, H5T_STRING },
    { "/visviva/obstacle_value_counts", 1, 0, H5T_INTEGER },
    { "/visviva/obstacle_values", 1, 0, H5T_FLOAT },
    { "/visviva/phase_names", 1, 0, H5T_STRING },
};
enum { FIXED_COUNT = sizeof fixed_sets / sizeof *fixed_sets };

/* One that is read as a whole. */
static hid_t open_whole(hid_t file, const vv_want *want, vv_hdf_shape *shape)
{
    hid_t set = vv_hdf_open_set(file, want, shape);
    if (set < 0 || vv_hdf_plausible(file, shape->elements, shape->size))
        return set;
    H5Dclose(set);
    return vv_hdf_refuse(file, want->path,
                         "is larger than a run can be; the file is damaged, or was not written by visviva");
}

/* By hand, because H5Ocopy of HDF5 1.10 crashes when the disk is full. */
static bool copy_whole(hid_t from, hid_t to, const vv_want *want)
{
    vv_hdf_shape shape;
    hid_t set = open_whole(from, want, &shape), type = set >= 0 ? H5Dget_type(set) : -1;
    void *data = type >= 0 ? vv_alloc((size_t)shape.elements, shape.size) : NULL;
    bool ok = data &&
              (shape.elements == 0 || vv_hdf_read(set, type, data, (size_t)shape.elements * shape.size) ||
               vv_hdf_unreadable(from, want->path)) &&
              vv_hdf_write(to, want->path, type, shape.rank, shape.dims, data);
    vv_free(data);
    if (type >= 0)
        H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    return ok;
}

/* Those of them that there are. */
static bool copy_some(hid_t from, hid_t to, const char *const *paths, int count)
{
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        ok =
            !vv_hdf_exists(from, paths[i]) || copy_whole(from, to, &(vv_want){ paths[i], VV_HDF_ANY, 0, H5T_NO_CLASS });
    return ok;
}

bool vv_layout_fixed_fit(hid_t file)
{
    vv_hdf_shape shape;
    for (int i = 0; i < FIXED_COUNT; i++) {
        hid_t set = open_whole(file, &fixed_sets[i], &shape);
        if (set < 0)
            return false;
        H5Dclose(set);
    }
    return true;
}

bool vv_layout_copy_fixed(hid_t from, hid_t to, const char *scene_name, const char *scene_text)
{
    /* files of older versions have none of these */
    const char *const later[] = { vv_thickness_path,     vv_lengths_path,       vv_stiffness_path, vv_stiffest_path,
                                  vv_sample_counts_path, vv_sample_layers_path, vv_samples_path,   vv_directors_path,
                                  vv_kinematic_path,     vv_joined_path,        vv_made_by_path };
    for (int i = 0; i < FIXED_COUNT; i++) {
        const char *text = i == SCENE_NAME ? scene_name : i == SCENE ? scene_text : NULL;
        size_t room = i == SCENE_NAME ? VV_RUN_STATUS_ROOM : text ? strlen(text) : 0;
        if (!(text ? vv_hdf_write_text(to, fixed_sets[i].path, text, room) : copy_whole(from, to, &fixed_sets[i])))
            return false;
    }
    return copy_some(from, to, vv_surface_paths, VV_SURFACE_PATHS) &&
           copy_some(from, to, vv_touching_paths, VV_TOUCHING_PATHS) &&
           copy_some(from, to, vv_drawn_paths, VV_DRAWN_PATHS) &&
           copy_some(from, to, vv_bending_paths, VV_BENDING_PATHS) &&
           copy_some(from, to, later, sizeof later / sizeof *later);
}
