/* The part of HDF5 that run files need, with its global state under control. Included inside src/record only.
 *
 * Every public function of this layer holds a vv_hdf_scope while it calls HDF5: one lock for the whole process, and
 * HDF5's own printing of errors switched off (vv_hdf_reason returns its complaint). Functions here return
 * false (or a negative id) on failure and leave the message to the caller, who knows the file's name. */
#ifndef VV_RECORD_HDF_H
#define VV_RECORD_HDF_H

#include <hdf5.h>

#include "base/error.h"

typedef struct vv_hdf_scope {
    H5E_auto2_t print; /* the host program's own handler, restored at the end */
    void *user;
    char reason[256];  /* of the last call that failed */
    unsigned failures; /* of memory, counted when the scope began */
} vv_hdf_scope;
void vv_hdf_enter(vv_hdf_scope *scope);
void vv_hdf_leave(vv_hdf_scope *scope);

/* What HDF5 complained about last, shortened to one phrase: "No space left on device", "file signature not found". */
const char *vv_hdf_reason(void);

/* Whether the library's own memory ran out since the scope began: then that is why the call failed. */
bool vv_hdf_starved(void);

/* Opens and creates without file locking (ParaView may read a run that is being written), without chunk cache and
 * sieve buffer: each write of data reaches the file at once and in the order of the calls. Negative on failure. */
hid_t vv_hdf_open(const char *path, bool writable);
hid_t vv_hdf_create(const char *path);
/* Closes a file (its datasets are closed already), even one that can no longer be written: HDF5 1.10 does not forget
 * a file whose closing failed, and then crashes when the program ends. `keep` false: its content does not
 * matter. */
void vv_hdf_close(hid_t file, bool keep);

/* ---- whole, fixed datasets ---- */

bool vv_hdf_write(hid_t parent, const char *name, hid_t type, int rank, const hsize_t *dims, const void *data);
/* A scalar string of fixed length: `room` bytes, zero padded; longer text is truncated. */
bool vv_hdf_write_text(hid_t parent, const char *name, const char *text, size_t room);
/* Overwrites a dataset of `count` elements; false if it has another size. */
bool vv_hdf_rewrite(hid_t parent, const char *name, hid_t type, size_t count, const void *data);
bool vv_hdf_rewrite_text(hid_t parent, const char *name, const char *text, size_t room);
bool vv_hdf_attribute(hid_t object, const char *name, hid_t type, int count, const void *data);
bool vv_hdf_text_attribute(hid_t object, const char *name, const char *text);
/* `count` strings of `width` bytes each, one after the other. */
bool vv_hdf_texts_attribute(hid_t object, const char *name, const char *texts, int count, size_t width);
hid_t vv_hdf_text_type(size_t width); /* to be closed by the caller */

/* ---- datasets that grow along their first dimension ---- */

/* Chunked, all its chunks allocated at once and never filled: on most file systems the unused part is a hole. */
hid_t vv_hdf_create_growing(hid_t parent, const char *name, hid_t type, int rank, const hsize_t *dims,
                            const hsize_t *chunk);
/* Rows first .. first+count-1 (whole rows in all further dimensions); `type` is the type in memory. */
bool vv_hdf_write_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, const void *data);
bool vv_hdf_read_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, void *data);

/* ---- checked reading ---- */

enum { VV_HDF_RANK_MAX = 3 };
typedef struct vv_hdf_shape {
    int rank;
    hsize_t dims[VV_HDF_RANK_MAX];
    H5T_class_t type; /* H5T_INTEGER, H5T_FLOAT, H5T_STRING, H5T_COMPOUND, ... */
    size_t size;      /* bytes per element */
} vv_hdf_shape;
/* False for number types with unusual bits (padding, odd sizes), which occur only in damaged files: HDF5 crashes converting
 * some. */
bool vv_hdf_sound_type(hid_t type);
/* Opens a dataset (links that lead out of the file are refused) and returns its shape; negative on failure. */
hid_t vv_hdf_open_set(hid_t parent, const char *name, vv_hdf_shape *shape);
bool vv_hdf_read(hid_t dataset, hid_t type, void *data);
bool vv_hdf_exists(hid_t parent, const char *name);

#endif
