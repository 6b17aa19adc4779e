/* Names of files. */
#include "base/path.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

vvStatus vv_real_path(const char *path, char **real, vvError *error)
{
    *real = vv_alloc(PATH_MAX, 1);
    if (!*real)
        return vv_fail_memory(error, "the name of a file");
    if (realpath(path, *real))
        return VV_OK;
    vv_free(*real);
    *real = NULL;
    char text[128];
    return vv_fail(error, VV_ERROR_IO, "cannot find %.500s: %s", path, strerror_r(errno, text, sizeof text));
}
