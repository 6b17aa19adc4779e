/* The part of HDF5 that run files need, with its global state under control. Included inside src/record only.
 *
 * Every public function of this layer holds a vv_hdf_scope while it calls HDF5: one lock for the whole process, and
 * HDF5's own printing of errors switched off (vv_hdf_reason returns its complaint). Functions here return
 * false (or a negative id) on failure and leave the message to the caller, who knows the file's name.
 *
 * Run files come from strangers. So no data set and no attribute of a file is opened, read or overwritten other than by
 * gate.c, which looks at it first. */
#ifndef VV_RECORD_HDF_H
#define VV_RECORD_HDF_H

#include <hdf5.h>

#include "base/error.h"

typedef struct vv_hdf_scope {
    H5E_auto2_t print; /* the host program's own handler, restored at the end */
    void *user;
    char reason[256];   /* of the last call that failed */
    char refusal[1024]; /* the first part of a file that was not opened, and why */
    unsigned failures;  /* of memory, counted when the scope began */
} vv_hdf_scope;
void vv_hdf_enter(vv_hdf_scope *scope);
void vv_hdf_leave(vv_hdf_scope *scope);

/* What HDF5 complained about last, shortened to one phrase: "No space left on device", "file signature not found". */
const char *vv_hdf_reason(void);

/* "FILE: PART has this; that is right", of the first part that was refused since the scope began; "" if none was. */
const char *vv_hdf_refusal(void);
/* Notes such a part; always -1. */
hid_t vv_hdf_refuse(hid_t file, const char *part, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Notes that a part of this file could not be read, and why, unless memory is short; always false. */
bool vv_hdf_unreadable(hid_t file, const char *part);
/* VV_ERROR_INPUT with it as the message. */
vvStatus vv_hdf_refused(vvError *error);

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
char *vv_hdf_padded(const char *text, size_t room); /* in new memory of room + 1 bytes; NULL: out of memory */
/* Overwrites a dataset of `count` elements; one of another size or type is refused. */
bool vv_hdf_rewrite(hid_t file, const char *path, hid_t type, size_t count, const void *data);
bool vv_hdf_rewrite_text(hid_t file, const char *path, const char *text, size_t room);
bool vv_hdf_attribute(hid_t object, const char *name, hid_t type, int count, const void *data);
bool vv_hdf_text_attribute(hid_t object, const char *name, const char *text);
/* `count` strings of `width` bytes each, one after the other. */
bool vv_hdf_texts_attribute(hid_t object, const char *name, const char *texts, int count, size_t width);
hid_t vv_hdf_text_type(size_t width); /* to be closed by the caller */

/* ---- datasets that grow along their first dimension ---- */

/* Chunked, all its chunks allocated at once and never filled: on most file systems the unused part is a hole. */
hid_t vv_hdf_create_growing(hid_t parent, const char *name, hid_t type, int rank, const hsize_t *dims,
                            const hsize_t *chunk);
/* Rows first .. first+count-1 (whole rows in all further dimensions); `type` is the type in memory. `room`: the bytes
 * of `data`; fails if the rows are more. */
bool vv_hdf_write_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, const void *data, size_t room);
bool vv_hdf_read_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, void *data, size_t room);

/* ---- the gate (record/gate.c) ---- */

enum { VV_HDF_RANK_MAX = 3, VV_HDF_ANY = -1 };
typedef struct vv_hdf_shape {
    int rank;
    hsize_t dims[VV_HDF_RANK_MAX], elements;
    H5T_class_t type; /* H5T_INTEGER, H5T_FLOAT, H5T_STRING, H5T_COMPOUND, ... */
    size_t size;      /* bytes per element */
} vv_hdf_shape;
/* What a dataset must be. */
typedef struct vv_want {
    const char *path;
    int rank;         /* or VV_HDF_ANY */
    hsize_t columns;  /* with rank 2; 0: as many as there are */
    H5T_class_t type; /* or H5T_NO_CLASS: any */
    size_t size;      /* bytes per element; 0: any */
    hsize_t rows;     /* no fewer than these */
} vv_want;
/* Opens a dataset that is as wanted. Refused are: what is not in this file itself, on a path of hard links (external
 * and virtual storage, links); filters, which may come from a plugin, and unpack to any size; types other than plain
 * numbers, texts of fixed length, enumerations and compounds of these; what claims to be larger than the file. */
hid_t vv_hdf_open_set(hid_t file, const vv_want *want, vv_hdf_shape *shape);
/* The whole dataset; fails if it takes more than `room` bytes. */
bool vv_hdf_read(hid_t dataset, hid_t type, void *data, size_t room);
/* Whether the path leads anywhere; it may be that it is refused. */
bool vv_hdf_exists(hid_t file, const char *path);
/* Whether memory may be taken for so much read at once: not more than the file has (its data are not packed), and no
 * more than 2 GiB, as a file with holes may be of any size. */
bool vv_hdf_plausible(hid_t file, hsize_t count, size_t size);
/* An attribute that is one whole number. */
bool vv_hdf_read_number(hid_t file, const char *path, const char *name, int64_t *value);
bool vv_hdf_rewrite_number(hid_t file, const char *path, const char *name, int64_t value);

#endif
