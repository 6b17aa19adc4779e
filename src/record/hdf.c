/* Thin wrappers over HDF5 1.10: one lock, no printing, no caches that would reorder writes. */
#include "record/hdf.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text/text.h"
#include "record/addresses.h"

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
static herr_t on_error(hid_t stack, void *scope) { return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_first, scope); }

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

const char *vv_hdf_reason(void) { return current && current->reason[0] ? current->reason : "HDF5 gave no reason"; }

const char *vv_hdf_refusal(void) { return current ? current->refusal : ""; }

vvStatus vv_hdf_refused(vvError *error) { return vv_fail(error, VV_ERROR_INPUT, "%s", vv_hdf_refusal()); }

hid_t vv_hdf_refuse(hid_t file, const char *part, const char *format, ...)
{
    char name[500] = "", what[400];
    va_list list;
    if (!current || current->refusal[0])
        return -1;
    H5Fget_name(file, name, sizeof name);
    va_start(list, format);
    vv_print_list(what, sizeof what, format, list);
    va_end(list);
    vv_make_plain(what, sizeof what, false); /* the file's own words, such as the name of another file */
    snprintf(current->refusal, sizeof current->refusal, "%s: %.100s %s", name, part, what);
    return -1;
}

bool vv_hdf_unreadable(hid_t file, const char *part)
{
    if (!vv_hdf_starved())
        vv_hdf_refuse(file, part, "cannot be read (%s)", vv_hdf_reason());
    return false;
}

bool vv_hdf_starved(void) { return current && current->failures != vv_memory_failures(); }

static hid_t access_list(void)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    if (list < 0)
        return list;
    /* plain files, whatever else they say that they are a part of */
    bool ok = H5Pset_fapl_sec2(list) >= 0 && H5Pset_file_locking(list, 0, 1) >= 0 &&
              H5Pset_sieve_buf_size(list, 0) >= 0 && H5Pset_cache(list, 0, 0, 0, 0) >= 0;
    if (ok)
        return list;
    H5Pclose(list);
    return -1;
}

hid_t vv_hdf_open(const char *path, bool writable)
{
    char why[sizeof current->reason];
    if (!vv_addresses_sound(path, why, sizeof why)) {
        snprintf(current->reason, sizeof current->reason, "%s", why);
        return -1;
    }
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

/* Redirects what HDF5 still has to write to a file in memory; returns the file itself, or -1: nothing was changed. */
static int divert(hid_t file)
{
    void *handle = NULL;
    int own = -1, sink = memfd_create("discarded", MFD_CLOEXEC);
    if (sink < 0)
        return -1;
    if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle) {
        own = fcntl(*(int *)handle, F_DUPFD_CLOEXEC, 0);
        dup2(sink, *(int *)handle);
    }
    close(sink);
    return own;
}

/* The flags of a superblock of version 0 say that somebody writes, which is all that HDF5 takes back as it closes. */
static void clear_flags(int fd)
{
    static const unsigned char signature[9] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 0 }, none[4];
    unsigned char begin[sizeof signature];
    if (pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin && memcmp(begin, signature, sizeof begin) == 0 &&
        pwrite(fd, none, sizeof none, 20) < 0)
        return; /* then they stay, as after a kill, and nobody minds */
}

/* A file that HDF5 cannot write to as it closes it ends the process later, when the library ends: so it closes a file
 * in memory, once all is on the disk. */
void vv_hdf_close(hid_t file, bool keep)
{
    const bool whole = keep && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    /* a reader in this program continues with the same file */
    const bool shared = H5Fget_obj_count(file, H5F_OBJ_FILE) > 1;
    const int fd = shared && whole ? -1 : divert(file);
    H5Fclose(file);
    if (whole && fd >= 0)
        clear_flags(fd);
    if (fd >= 0)
        close(fd);
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

char *vv_hdf_padded(const char *text, size_t room)
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
    char *copy = vv_hdf_padded(text, room);
    bool ok = type >= 0 && copy && vv_hdf_write(parent, name, type, 0, NULL, copy);
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
