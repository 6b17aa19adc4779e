/* The gate through which all of a run file is opened, read and overwritten. A file may be made to do harm: to have the
 * program read or write another file of the machine, write past its memory, or take all of it. So each part is looked
 * at before anything is read: whether it is in the file itself, stored as it is, of a type and size that its place in
 * the layout has, and no larger than the memory for it. */
#include "record/hdf.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text/text.h"

#define ALONE ": refused; a run file holds all of its data itself"
#define DAMAGED "; the file is damaged, or was not written by visviva"

/* ---- where ---- */

typedef enum place { NOWHERE, BEHIND_LINK, HERE } place;

/* Looks at each link of the path before it goes on behind it: links other than hard ones may lead out of the file, and
 * to follow one is to open what is there. `part`: the beginning of the path that `link` is about. */
static place find(hid_t file, const char *path, char part[128], H5L_info_t *link)
{
    for (const char *end = path; *end;) {
        end += 1 + strcspn(end + 1, "/");
        snprintf(part, 128, "%.*s", (int)(end - path), path);
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0 || H5Lget_info(file, part, link, H5P_DEFAULT) < 0)
            return NOWHERE;
        if (link->type != H5L_TYPE_HARD)
            return BEHIND_LINK;
    }
    return HERE;
}

bool vv_hdf_exists(hid_t file, const char *path)
{
    char part[128];
    H5L_info_t link;
    return find(file, path, part, &link) != NOWHERE;
}

static void refuse_link(hid_t file, const char *part, const H5L_info_t *link)
{
    char value[1024];
    const char *name, *object;
    unsigned flags;
    if (link->type == H5L_TYPE_EXTERNAL && link->u.val_size <= sizeof value &&
        H5Lget_val(file, part, value, sizeof value, H5P_DEFAULT) >= 0 &&
        H5Lunpack_elink_val(value, link->u.val_size, &flags, &name, &object) >= 0)
        vv_hdf_refuse(file, part, "is a link to another file (\"%.250s\")" ALONE, name);
    else
        vv_hdf_refuse(file, part, "is a link" ALONE);
}

static bool check_path(hid_t file, const char *path)
{
    char part[128];
    H5L_info_t link;
    place where = find(file, path, part, &link);
    if (where == BEHIND_LINK)
        refuse_link(file, part, &link);
    else if (where == NOWHERE)
        vv_hdf_refuse(file, path, "is missing" DAMAGED);
    return where == HERE;
}

/* ---- how it is stored ---- */

/* Before anything else is asked of the dataset: even the extent of a virtual one is that of its sources. Packed ones
 * are refused because a few bytes may unpack to any number, and because HDF5 looks among plugins for filters that it
 * does not have. */
static bool check_storage(hid_t file, const char *path, hid_t list)
{
    char name[256] = "";
    if (H5Pget_external_count(list) != 0) {
        H5Pget_external(list, 0, sizeof name - 1, name, NULL, NULL);
        vv_hdf_refuse(file, path, "is stored in another file (\"%s\")" ALONE, name);
    } else if (H5Pget_layout(list) == H5D_VIRTUAL) {
        vv_hdf_refuse(file, path, "is a view of other data sets" ALONE);
    } else if (H5Pget_nfilters(list) != 0) {
        vv_hdf_refuse(file, path,
                      "is compressed, or filtered otherwise: refused; \"h5repack -f NONE\" makes a file without");
    } else {
        return true;
    }
    return false;
}

/* Chunks of another rank than the dataset, as damage may leave them, send HDF5 1.10 into an endless loop. */
static bool sound_chunks(hid_t list, int rank)
{
    hsize_t chunk[VV_HDF_RANK_MAX];
    if (H5Pget_layout(list) != H5D_CHUNKED)
        return true;
    if (H5Pget_chunk(list, VV_HDF_RANK_MAX, chunk) != rank)
        return false;
    for (int i = 0; i < rank; i++)
        if (chunk[i] == 0)
            return false;
    return true;
}

/* ---- of which type and size ---- */

/* False for number types with unusual bits (padding, odd sizes), which occur only in damaged files: HDF5 crashes
 * converting some. And for texts and lists of any length and references, whose elements are addresses: memory of HDF5's
 * own would be handed out. */
static bool sound_element(hid_t type)
{
    size_t size = H5Tget_size(type);
    switch (H5Tget_class(type)) {
    case H5T_FLOAT: return (size == 4 || size == 8) && H5Tget_precision(type) == 8 * size && H5Tget_offset(type) == 0;
    case H5T_INTEGER:
        return (size == 1 || size == 2 || size == 4 || size == 8) && H5Tget_precision(type) == 8 * size &&
               H5Tget_offset(type) == 0;
    case H5T_ENUM: return size == 1 || size == 2 || size == 4 || size == 8;
    case H5T_STRING: /* HDF5 does not turn one set of characters into another */
        return size > 0 && H5Tis_variable_str(type) == 0 && H5Tget_cset(type) == H5T_CSET_ASCII;
    default: return false;
    }
}

/* Members of a compound follow each other within the row. */
static bool sound_type(hid_t type)
{
    if (H5Tget_class(type) != H5T_COMPOUND)
        return sound_element(type);
    int count = H5Tget_nmembers(type);
    size_t end = 0, size = H5Tget_size(type);
    for (int i = 0; i < count; i++) {
        hid_t member = H5Tget_member_type(type, (unsigned)i);
        size_t offset = H5Tget_member_offset(type, (unsigned)i), bytes = member >= 0 ? H5Tget_size(member) : 0;
        bool ok = bytes > 0 && offset >= end && offset <= size && bytes <= size - offset && sound_element(member);
        if (member >= 0)
            H5Tclose(member);
        if (!ok)
            return false;
        end = offset + bytes;
    }
    return count > 0;
}

static bool take_space(hid_t space, vv_hdf_shape *shape)
{
    shape->rank = H5Sget_simple_extent_ndims(space);
    if (shape->rank < 0 || shape->rank > VV_HDF_RANK_MAX || H5Sget_simple_extent_type(space) == H5S_NULL ||
        H5Sget_simple_extent_dims(space, shape->dims, NULL) < 0)
        return false;
    shape->elements = 1;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dims[i] > 0 && shape->elements > UINT64_MAX / shape->dims[i])
            return false;
        shape->elements *= shape->dims[i];
    }
    return true;
}

static bool is_in_file(hid_t file, hsize_t count, size_t size)
{
    hsize_t bytes = 0;
    return size > 0 && H5Fget_filesize(file, &bytes) >= 0 && count <= bytes / size;
}

bool vv_hdf_plausible(hid_t file, hsize_t count, size_t size)
{
    const hsize_t most = (hsize_t)1 << 31;
    return is_in_file(file, count, size) && count <= most / size;
}

static bool check_shape(hid_t file, const char *path, hid_t set, vv_hdf_shape *shape)
{
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    bool ok = false;
    if (type < 0 || !sound_type(type))
        vv_hdf_refuse(file, path, "has elements of a type that does not occur in run files" DAMAGED);
    else if (space < 0 || !take_space(space, shape))
        vv_hdf_refuse(file, path, "has a shape that does not occur in run files" DAMAGED);
    else {
        shape->type = H5Tget_class(type);
        shape->size = H5Tget_size(type);
        ok = is_in_file(file, shape->elements, shape->size);
        if (!ok)
            vv_hdf_refuse(file, path, "says that it is larger than the whole file" DAMAGED);
    }
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    return ok;
}

/* Opens what is there, of whatever shape: nothing else in the library opens a dataset of a file. */
static hid_t open_sound(hid_t file, const char *path, vv_hdf_shape *shape)
{
    hid_t set = check_path(file, path) ? H5Oopen(file, path, H5P_DEFAULT) : -1;
    if (set < 0)
        return vv_hdf_refuse(file, path, "cannot be opened (%s)" DAMAGED, vv_hdf_reason());
    hid_t list = H5Iget_type(set) == H5I_DATASET ? H5Dget_create_plist(set) : -1;
    bool good = false;
    if (list < 0)
        vv_hdf_refuse(file, path, "is not a data set" DAMAGED);
    else if (check_storage(file, path, list) && check_shape(file, path, set, shape)) {
        good = sound_chunks(list, shape->rank);
        if (!good)
            vv_hdf_refuse(file, path, "has chunks of another shape than its own" DAMAGED);
    }
    if (list >= 0)
        H5Pclose(list);
    if (good)
        return set;
    H5Oclose(set);
    return -1;
}

static const char *elements_of(H5T_class_t type)
{
    switch (type) {
    case H5T_INTEGER: return "whole numbers";
    case H5T_FLOAT: return "fractional numbers";
    case H5T_STRING: return "texts";
    case H5T_COMPOUND: return "compounds";
    default: return "something else";
    }
}

static bool check_wanted(hid_t file, const vv_want *want, const vv_hdf_shape *shape)
{
    const hsize_t rows = shape->rank ? shape->dims[0] : 1, columns = shape->rank > 1 ? shape->dims[1] : 1;
    if (want->type != H5T_NO_CLASS && shape->type != want->type)
        vv_hdf_refuse(file, want->path, "has elements of another type (%s; %s are right)" DAMAGED,
                      elements_of(shape->type), elements_of(want->type));
    else if (want->size && shape->size != want->size)
        vv_hdf_refuse(file, want->path, "has elements of %zu bytes; %zu is right" DAMAGED, shape->size, want->size);
    else if (want->rank != VV_HDF_ANY && shape->rank != want->rank)
        vv_hdf_refuse(file, want->path, "has %d dimensions; %d is right" DAMAGED, shape->rank, want->rank);
    else if (want->columns ? columns != want->columns : columns < 1 || columns > INT_MAX)
        vv_hdf_refuse(file, want->path, "has %llu columns; %llu is right" DAMAGED, (unsigned long long)columns,
                      want->columns ? (unsigned long long)want->columns : 1);
    else if (rows < want->rows)
        vv_hdf_refuse(file, want->path, "is shorter than the run (%llu rows of %llu)" DAMAGED, (unsigned long long)rows,
                      (unsigned long long)want->rows);
    else
        return true;
    return false;
}

hid_t vv_hdf_open_set(hid_t file, const vv_want *want, vv_hdf_shape *shape)
{
    hid_t set = open_sound(file, want->path, shape);
    if (set < 0 || check_wanted(file, want, shape))
        return set;
    H5Oclose(set);
    return -1;
}

/* ---- reading and writing what is open ---- */

/* A selection of whole rows, and the matching memory space. */
static bool select_rows(hid_t dataset, hsize_t first, hsize_t count, hid_t *file, hid_t *memory)
{
    hsize_t dims[VV_HDF_RANK_MAX], start[VV_HDF_RANK_MAX] = { 0 };
    *memory = -1;
    *file = H5Dget_space(dataset);
    if (*file < 0)
        return false;
    int rank = H5Sget_simple_extent_ndims(*file);
    if (rank < 1 || rank > VV_HDF_RANK_MAX || H5Sget_simple_extent_dims(*file, dims, NULL) < 0)
        return false;
    if (first > dims[0] || count > dims[0] - first)
        return false;
    dims[0] = count;
    start[0] = first;
    if (H5Sselect_hyperslab(*file, H5S_SELECT_SET, start, NULL, dims, NULL) < 0)
        return false;
    *memory = H5Screate_simple(rank, dims, NULL);
    return *memory >= 0;
}

static void release_rows(hid_t file, hid_t memory)
{
    if (memory >= 0)
        H5Sclose(memory);
    if (file >= 0)
        H5Sclose(file);
}

/* Before anything is read or written: whether the memory of `room` bytes is as large as what is selected. */
static bool has_room(hid_t dataset, hid_t space, hid_t type, size_t room)
{
    char path[128] = "";
    hssize_t count = H5Sget_simple_extent_npoints(space);
    size_t size = H5Tget_size(type);
    if (count >= 0 && size > 0 && (hsize_t)count <= room / size)
        return true;
    H5Iget_name(dataset, path, sizeof path);
    vv_hdf_refuse(dataset, path, "has another size than the memory for it" DAMAGED);
    return false;
}

/* Names, notes and other texts are printed. */
static void make_texts_plain(hid_t type, char *data, size_t count)
{
    const size_t size = H5Tget_size(type);
    if (H5Tget_class(type) == H5T_STRING)
        for (size_t i = 0; i < count; i++)
            vv_make_plain(data + i * size, size, true);
    if (H5Tget_class(type) != H5T_COMPOUND)
        return;
    for (int k = 0; k < H5Tget_nmembers(type); k++) {
        hid_t member = H5Tget_member_type(type, (unsigned)k);
        const size_t at = H5Tget_member_offset(type, (unsigned)k), width = member >= 0 ? H5Tget_size(member) : 0;
        for (size_t i = 0; H5Tget_member_class(type, (unsigned)k) == H5T_STRING && i < count; i++)
            vv_make_plain(data + i * size + at, width, false);
        if (member >= 0)
            H5Tclose(member);
    }
}

/* What has been read of `space`, for good. */
static bool finish_reading(hid_t space, hid_t type, void *data)
{
    const hssize_t count = H5Sget_select_npoints(space);
    if (count > 0)
        make_texts_plain(type, data, (size_t)count);
    return true;
}

bool vv_hdf_write_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, const void *data, size_t room)
{
    if (count == 0)
        return true;
    hid_t file, memory;
    bool ok = select_rows(dataset, first, count, &file, &memory) && has_room(dataset, memory, type, room) &&
              H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, data) >= 0;
    release_rows(file, memory);
    return ok;
}

bool vv_hdf_read_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, void *data, size_t room)
{
    if (count == 0)
        return true;
    hid_t file, memory;
    bool ok = select_rows(dataset, first, count, &file, &memory) && has_room(dataset, memory, type, room) &&
              H5Dread(dataset, type, memory, file, H5P_DEFAULT, data) >= 0 && finish_reading(memory, type, data);
    release_rows(file, memory);
    return ok;
}

bool vv_hdf_read(hid_t dataset, hid_t type, void *data, size_t room)
{
    hid_t space = H5Dget_space(dataset);
    bool ok = space >= 0 && has_room(dataset, space, type, room) &&
              H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0 && finish_reading(space, type, data);
    if (space >= 0)
        H5Sclose(space);
    return ok;
}

/* ---- overwriting, attributes ---- */

bool vv_hdf_rewrite(hid_t file, const char *path, hid_t type, size_t count, const void *data)
{
    vv_hdf_shape shape;
    hid_t set = open_sound(file, path, &shape);
    if (set < 0)
        return false;
    bool same = shape.elements == count && shape.type == H5Tget_class(type);
    if (!same)
        vv_hdf_refuse(file, path, "has another size or type than it was made with" DAMAGED);
    bool ok = same && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    return H5Oclose(set) >= 0 && ok;
}

bool vv_hdf_rewrite_text(hid_t file, const char *path, const char *text, size_t room)
{
    hid_t type = vv_hdf_text_type(room);
    char *copy = vv_hdf_padded(text, room);
    bool ok = type >= 0 && copy && vv_hdf_rewrite(file, path, type, 1, copy);
    vv_free(copy);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

static bool is_number(hid_t attribute)
{
    hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    bool is = space >= 0 && type >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
              H5Tget_class(type) == H5T_INTEGER && sound_element(type);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    return is;
}

/* Reads it to *value, or writes that. Only one whole number: more would not fit there. */
static bool use_number(hid_t file, const char *path, const char *name, int64_t *value, bool write)
{
    hid_t object = check_path(file, path) ? H5Oopen(file, path, H5P_DEFAULT) : -1;
    hid_t attribute = object >= 0 && H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    bool is = attribute >= 0 && is_number(attribute), ok = false;
    if (!is)
        vv_hdf_refuse(file, path, "has no attribute %s that is one whole number" DAMAGED, name);
    else
        ok = (write ? H5Awrite(attribute, H5T_NATIVE_INT64, value) : H5Aread(attribute, H5T_NATIVE_INT64, value)) >= 0;
    if (attribute >= 0)
        ok = H5Aclose(attribute) >= 0 && ok;
    if (object >= 0)
        H5Oclose(object);
    return ok;
}

bool vv_hdf_read_number(hid_t file, const char *path, const char *name, int64_t *value)
{
    return use_number(file, path, name, value, false);
}

bool vv_hdf_rewrite_number(hid_t file, const char *path, const char *name, int64_t value)
{
    return use_number(file, path, name, &value, true);
}
