/* What a run file's groups and data sets are found by, checked before HDF5 follows it. Included inside src/record only.
 */
#ifndef VV_RECORD_ADDRESSES_H
#define VV_RECORD_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether each address of a file's structure leads to what should be there, within the file. If not, `reason` says what
 * is wrong, in up to `room` bytes. True too for a file that cannot be opened, or is not an HDF5 file: HDF5 says so. */
bool vv_addresses_sound(const char *path, char *reason, size_t room);

#endif
