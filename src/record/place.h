/* Files on disk around HDF5: who may write, and replacing a file by a finished one in one step. */
#ifndef VV_RECORD_PLACE_H
#define VV_RECORD_PLACE_H

#include <stdio.h>

#include "base/error.h"

/* An exclusive claim on a file, against a second writer; it ends with the process, however that ends. Returns a file
 * descriptor, -1 on failure with *error set. Readers are not hindered. `create`: makes the file where there is none,
 * and refuses a link. */
int vv_place_claim(const char *path, bool create, vvError *error);
void vv_place_release(int claim);

/* Replaces `path` by `part`: after this call, and at any instant during it, `path` is one of the two files, whole.
 * `settle`: flushes to disk first, so that even a power failure cannot lose the old file before the new one is
 * safe. */
vvStatus vv_place_put(const char *part, const char *path, bool settle, vvError *error);

/* A new file for writing, in place of whatever has that name; NULL: errno says why not. */
FILE *vv_place_create(const char *part);
bool vv_place_exists(const char *path);
int64_t vv_place_space(const char *path); /* free bytes on its file system; INT64_MAX if unknown */
void vv_place_remove(const char *path);

/* `path` with links resolved as far as it exists; "name.vtkhdf.part" beside it; "name.xdmf" beside it; its last
 * component. New strings (vv_free), NULL: out of memory. */
char *vv_place_real(const char *path);
char *vv_place_part(const char *path);
char *vv_place_side(const char *path, const char *ending);
const char *vv_place_name(const char *path);

#endif
