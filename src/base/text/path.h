/* Names of files, and what the system says of them. */
#ifndef VV_BASE_TEXT_PATH_H
#define VV_BASE_TEXT_PATH_H

#include <stdio.h>

#include "visviva/base.h"

/* The absolute name of the file at `path`, without links and dots, to be freed with vv_free. VV_ERROR_IO if there is
 * no such file; *real is NULL on failure. */
vvStatus vv_real_path(const char *path, char **real, vvError *error);
/* The system's words for an error number, in `why` or elsewhere. */
enum { VV_WHY_LENGTH = 128 };
const char *vv_why(int number, char why[VV_WHY_LENGTH]);
/* Opens it for reading if it is a regular file, without waiting for what it might be else; NULL: `why` says why not. */
FILE *vv_open_regular(const char *path, char why[VV_WHY_LENGTH]);

#endif
