/* Thin wrappers over HDF5 1.10: one lock, no printing, no caches that would reorder writes. */
#include "record/hdf.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

/* The library's only static state besides tables. HDF5 has global tables of its own (open ids, property lists)
 * and is thread-safe only in special builds; since different worlds may be recorded from different threads, calls to it
 * are serialised here. `current` is the scope of the holder of the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static vv_hdf_scope *current;

static herr_t keep_first(unsigned n, const H5E_error2_t *e, void *user)
{
    vv_hdf_scope *scope = user;
    if (n != 0 || !e->desc)
        return 0;
    /* the driver's text: "file write failed: time = ..., error message = 'No space left on device', buf = ..." */
    const char *start = strstr(e->desc, "error message = '");
    if (start) {
        start += strlen("error message = '");
        const char *end = strchr(start, '\'');
        snprintf(scope->reason, sizeof scope->reason, "%.*s", end ? (int)(end - start) : (int)strlen(start), start);
    } else {
        snprintf(scope->reason, sizeof scope->reason, "%s", e->desc);
    }
    return 0;
}

/* HDF5 calls this when one of its functions has failed, instead of printing. */
static herr_t on_error(hid_t stack, void *scope)
{
    return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_first, scope);
}

void vv_hdf_enter(vv_hdf_scope *scope)
{
    pthread_mutex_lock(&lock);
    *scope = (vv_hdf_scope){ .failures = vv_memory_failures() };
    if (H5Eget_auto2(H5E_DEFAULT, &scope->print, &scope->user) < 0)
        scope->print = NULL;
    H5Eset_auto2(H5E_DEFAULT, on_error, scope);
    current = scope;
}

void vv_hdf_leave(vv_hdf_scope *scope)
{
    current = NULL;
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, scope->print, scope->user);
    pthread_mutex_unlock(&lock);
}

const char *vv_hdf_reason(void)
{
    return current && current->reason[0] ? current->reason : "HDF5 gave no reason";
}

bool vv_hdf_starved(void) { return current && current->failures != vv_memory_failures(); }

static hid_t access_list(void)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    if (list < 0)
        return list;
    bool ok = H5Pset_file_locking(list, 0, 1) >= 0 && H5Pset_sieve_buf_size(list, 0) >= 0 &&
              H5Pset_cache(list, 0, 0, 0, 0) >= 0;
    if (ok)
        return list;
    H5Pclose(list);
    return -1;
}

hid_t vv_hdf_open(const char *path, bool writable)
{
    hid_t list = access_list();
    if (list < 0)
        return list;
    hid_t file = H5Fopen(path, writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, list);
    H5Pclose(list);
    return file;
}

hid_t vv_hdf_create(const char *path)
{
    hid_t list = access_list();
    if (list < 0)
        return list;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list);
    H5Pclose(list);
    return file;
}

/* Redirects what HDF5 still has to write to a file in memory. */
static void divert(hid_t file)
{
    void *handle = NULL;
    int sink = memfd_create("discarded", MFD_CLOEXEC);
    if (sink < 0)
        return;
    if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle)
        dup2(sink, *(int *)handle);
    close(sink);
}

void vv_hdf_close(hid_t file, bool keep)
{
    if (!keep || H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
        divert(file);
    H5Fclose(file);
}

/* ---- whole, fixed datasets ---- */

/* Without time stamps two equal runs are equal files, and writing data never touches an object's header. */
static hid_t creation_list(void)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (list >= 0)
        H5Pset_obj_track_times(list, 0);
    return list;
}

bool vv_hdf_write(hid_t parent, const char *name, hid_t type, int rank, const hsize_t *dims, const void *data)
{
    hsize_t elements = 1;
    for (int i = 0; i < rank; i++)
        elements *= dims[i];
    hid_t space = rank ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t list = creation_list();
    hid_t set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bool ok = set >= 0 && (elements == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (set >= 0)
        ok = H5Dclose(set) >= 0 && ok;
    H5Pclose(list);
    H5Sclose(space);
    return ok;
}

hid_t vv_hdf_text_type(size_t width)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, width ? width : 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static char *padded(const char *text, size_t room)
{
    char *copy = vv_alloc(room + 1, 1);
    if (copy) {
        size_t n = strlen(text);
        memcpy(copy, text, n < room ? n : room);
    }
    return copy;
}

bool vv_hdf_write_text(hid_t parent, const char *name, const char *text, size_t room)
{
    hid_t type = vv_hdf_text_type(room);
    char *copy = padded(text, room);
    bool ok = type >= 0 && copy && vv_hdf_write(parent, name, type, 0, NULL, copy);
    vv_free(copy);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

bool vv_hdf_rewrite(hid_t parent, const char *name, hid_t type, size_t count, const void *data)
{
    hid_t set = H5Dopen2(parent, name, H5P_DEFAULT);
    if (set < 0)
        return false;
    hid_t space = H5Dget_space(set);
    bool ok = space >= 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)count &&
              H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (space >= 0)
        H5Sclose(space);
    return H5Dclose(set) >= 0 && ok;
}

bool vv_hdf_rewrite_text(hid_t parent, const char *name, const char *text, size_t room)
{
    hid_t type = vv_hdf_text_type(room);
    char *copy = padded(text, room);
    bool ok = type >= 0 && copy && vv_hdf_rewrite(parent, name, type, 1, copy);
    vv_free(copy);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

static bool write_attribute(hid_t object, const char *name, hid_t type, hid_t space, const void *data)
{
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    bool ok = H5Awrite(attribute, type, data) >= 0;
    return H5Aclose(attribute) >= 0 && ok;
}

/* count 0: a scalar */
bool vv_hdf_attribute(hid_t object, const char *name, hid_t type, int count, const void *data)
{
    hsize_t dims = (hsize_t)count;
    hid_t space = count ? H5Screate_simple(1, &dims, NULL) : H5Screate(H5S_SCALAR);
    bool ok = space >= 0 && write_attribute(object, name, type, space, data);
    if (space >= 0)
        H5Sclose(space);
    return ok;
}

bool vv_hdf_text_attribute(hid_t object, const char *name, const char *text)
{
    hid_t type = vv_hdf_text_type(strlen(text));
    bool ok = type >= 0 && vv_hdf_attribute(object, name, type, 0, text);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

bool vv_hdf_texts_attribute(hid_t object, const char *name, const char *texts, int count, size_t width)
{
    hid_t type = vv_hdf_text_type(width);
    bool ok = type >= 0 && vv_hdf_attribute(object, name, type, count, texts);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

/* ---- datasets that grow ---- */

hid_t vv_hdf_create_growing(hid_t parent, const char *name, hid_t type, int rank, const hsize_t *dims,
                            const hsize_t *chunk)
{
    hsize_t most[VV_HDF_RANK_MAX];
    for (int i = 0; i < rank; i++)
        most[i] = i == 0 ? H5S_UNLIMITED : dims[i];
    hid_t space = H5Screate_simple(rank, dims, most);
    hid_t list = creation_list();
    hid_t set = -1;
    if (space >= 0 && list >= 0 && H5Pset_chunk(list, rank, chunk) >= 0 &&
        H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0 && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0)
        set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (list >= 0)
        H5Pclose(list);
    if (space >= 0)
        H5Sclose(space);
    return set;
}

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

bool vv_hdf_write_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, const void *data)
{
    if (count == 0)
        return true;
    hid_t file, memory;
    bool ok = select_rows(dataset, first, count, &file, &memory) &&
              H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, data) >= 0;
    release_rows(file, memory);
    return ok;
}

bool vv_hdf_read_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, void *data)
{
    if (count == 0)
        return true;
    hid_t file, memory;
    bool ok = select_rows(dataset, first, count, &file, &memory) &&
              H5Dread(dataset, type, memory, file, H5P_DEFAULT, data) >= 0;
    release_rows(file, memory);
    return ok;
}

/* ---- checked reading ---- */

bool vv_hdf_exists(hid_t parent, const char *name)
{
    return H5Lexists(parent, name, H5P_DEFAULT) > 0;
}

bool vv_hdf_sound_type(hid_t type)
{
    size_t size = H5Tget_size(type);
    switch (H5Tget_class(type)) {
    case H5T_FLOAT:
        return (size == 4 || size == 8) && H5Tget_precision(type) == 8 * size && H5Tget_offset(type) == 0;
    case H5T_INTEGER:
        return (size == 1 || size == 2 || size == 4 || size == 8) && H5Tget_precision(type) == 8 * size &&
               H5Tget_offset(type) == 0;
    case H5T_ENUM: return size == 1 || size == 2 || size == 4 || size == 8;
    case H5T_STRING: return size > 0 && H5Tis_variable_str(type) == 0; /* else HDF5's own memory would be handed out */
    case H5T_COMPOUND: return size > 0;
    default: return false;
    }
}

static bool shape_of(hid_t set, vv_hdf_shape *shape)
{
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    bool ok = space >= 0 && type >= 0;
    if (ok) {
        shape->rank = H5Sget_simple_extent_ndims(space);
        ok = shape->rank >= 0 && shape->rank <= VV_HDF_RANK_MAX && H5Sget_simple_extent_type(space) != H5S_NULL &&
             H5Sget_simple_extent_dims(space, shape->dims, NULL) >= 0;
    }
    if (ok) {
        shape->type = H5Tget_class(type);
        shape->size = H5Tget_size(type);
        ok = vv_hdf_sound_type(type);
    }
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    return ok;
}

/* Chunks of another rank than the dataset, as damage may leave them, send HDF5 1.10 into an endless loop when it reads. */
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

hid_t vv_hdf_open_set(hid_t parent, const char *name, vv_hdf_shape *shape)
{
    H5L_info_t link;
    if (H5Lget_info(parent, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return -1;
    hid_t object = H5Oopen(parent, name, H5P_DEFAULT);
    if (object < 0)
        return -1;
    if (H5Iget_type(object) == H5I_DATASET) {
        hid_t list = H5Dget_create_plist(object);
        bool good = list >= 0 && H5Pget_external_count(list) == 0 && H5Pget_layout(list) != H5D_VIRTUAL && shape_of(object, shape) &&
                    sound_chunks(list, shape->rank);
        if (list >= 0)
            H5Pclose(list);
        if (good)
            return object;
    }
    H5Oclose(object);
    return -1;
}

bool vv_hdf_read(hid_t dataset, hid_t type, void *data)
{
    return H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
}
