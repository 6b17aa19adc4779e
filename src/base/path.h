/* Names of files. */
#ifndef VV_BASE_PATH_H
#define VV_BASE_PATH_H

#include "visviva/base.h"

/* The absolute name of the file at `path`, without links and dots, to be freed with vv_free. VV_ERROR_IO if there is
 * no such file; *real is NULL on failure. */
vvStatus vv_real_path(const char *path, char **real, vvError *error);

#endif
