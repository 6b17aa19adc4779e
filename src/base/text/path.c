/* Names of files. */
#include "base/text/path.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *vv_why(int number, char why[VV_WHY_LENGTH])
{
#if defined(__GLIBC__)
    return strerror_r(number, why, VV_WHY_LENGTH);
#else
    return strerror_r(number, why, VV_WHY_LENGTH) == 0 ? why : "unknown error";
#endif
}

vvStatus vv_real_path(const char *path, char **real, vvError *error)
{
    *real = vv_alloc(PATH_MAX, 1);
    if (!*real)
        return vv_fail_memory(error, "the name of a file");
    if (realpath(path, *real))
        return VV_OK;
    vv_free(*real);
    *real = NULL;
    char text[VV_WHY_LENGTH];
    return vv_fail(error, VV_ERROR_IO, "cannot find %.500s: %s", path, vv_why(errno, text));
}

FILE *vv_open_regular(const char *path, char why[VV_WHY_LENGTH])
{
    struct stat about;
    char text[VV_WHY_LENGTH];
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe blocks until somebody writes into it */
    const bool there = file >= 0 && fstat(file, &about) == 0, regular = there && S_ISREG(about.st_mode);
    FILE *opened = regular ? fdopen(file, "rb") : NULL;
    if (opened)
        return opened;
    snprintf(why, VV_WHY_LENGTH, "%s", there && !regular ? "it is not a regular file" : vv_why(errno, text));
    if (file >= 0)
        close(file);
    return NULL;
}
