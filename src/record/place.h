/* Files on disk around HDF5: who may write, and putting a finished file in another's place in one step. */
#ifndef VV_RECORD_PLACE_H
#define VV_RECORD_PLACE_H

#include "base/error.h"

/* An exclusive claim on a file, against a second writer; it ends with the process, however that ends. Returns a file
 * descriptor, -1 on failure with *error set. Readers are not hindered. */
int vv_place_claim(const char *path, bool create, vvError *error);
void vv_place_release(int claim);

/* Puts `part` in the place of `path`: after this call, and at any instant during it, `path` is either file, whole.
 * `settle`: waits for the disk first, so that even a power failure does not cost the old file before the new one is
 * there. */
vvStatus vv_place_put(const char *part, const char *path, bool settle, vvError *error);

bool vv_place_exists(const char *path);
int64_t vv_place_space(const char *path); /* free bytes where it lies; INT64_MAX where that is unknown */
void vv_place_remove(const char *path);

/* `path` with links resolved as far as it exists; "name.vtkhdf.part" beside it; "name.xdmf" beside it; its last
 * component. New strings (vv_free), NULL without memory. */
char *vv_place_real(const char *path);
char *vv_place_part(const char *path);
char *vv_place_side(const char *path, const char *ending);
const char *vv_place_name(const char *path);

#endif
