/* Claims use open-file-description locks (fcntl), which do not interfere with HDF5's flock; everything else uses
 * renames. */
#include "record/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text/path.h"

int vv_place_claim(const char *path, bool create, vvError *error)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_NOFOLLOW : 0), 0666);
    struct stat info;
    if (fd < 0 && create && errno == ELOOP) {
        vv_fail(error, VV_ERROR_IO,
                "%s is a link, and the file behind it would be lost: remove the link, or choose another name", path);
        return -1;
    }
    if (fd < 0) {
        vv_fail(error, VV_ERROR_IO, "%s cannot be opened for writing: %s", path, strerror(errno));
        return -1;
    }
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        vv_fail(error, VV_ERROR_IO, "%s is not a regular file: a run cannot be written there", path);
        close(fd);
        return -1;
    }
#ifdef F_OFD_SETLK
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0 };
    if (fcntl(fd, F_OFD_SETLK, &lock) < 0 && (errno == EAGAIN || errno == EACCES)) {
        vv_fail(error, VV_ERROR_IO, "%s is being written by another run: wait for it, stop it, or choose another name",
                path);
        close(fd);
        return -1;
    } /* a file system without locks: go on unprotected */
#endif
    return fd;
}

void vv_place_release(int claim)
{
    if (claim >= 0)
        close(claim);
}

vvStatus vv_place_put(const char *part, const char *path, bool settle, vvError *error)
{
    int fd = open(part, O_RDWR | O_CLOEXEC);
    bool ok = fd >= 0 && (!settle || fdatasync(fd) == 0);
    if (fd >= 0)
        close(fd);
    if (!ok || rename(part, path) != 0)
        return vv_fail(error, VV_ERROR_IO, "%s cannot be written: %s", path, strerror(errno));
    return VV_OK;
}

FILE *vv_place_create(const char *part)
{
    unlink(part); /* of a program that was killed; or a link, behind which nothing is to be overwritten */
    const int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), reason = errno;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    if (fd < 0)
        errno = reason;
    return file;
}

bool vv_place_exists(const char *path) { return access(path, F_OK) == 0; }

int64_t vv_place_space(const char *path)
{
    struct statvfs info;
    if (statvfs(path, &info) != 0 || info.f_frsize == 0)
        return INT64_MAX;
    uint64_t most = (uint64_t)INT64_MAX / info.f_frsize;
    return (int64_t)((info.f_bavail < most ? info.f_bavail : most) * info.f_frsize);
}

void vv_place_remove(const char *path) { unlink(path); }

char *vv_place_real(const char *path)
{
    char *real;
    return vv_real_path(path, &real, NULL) == VV_ERROR_IO ? vv_strdup(path) : real;
}

static char *joined(const char *path, size_t length, const char *ending)
{
    char *out = vv_alloc(length + strlen(ending) + 1, 1);
    if (out) {
        memcpy(out, path, length);
        strcpy(out + length, ending);
    }
    return out;
}

char *vv_place_part(const char *path) { return joined(path, strlen(path), ".part"); }

const char *vv_place_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *vv_place_side(const char *path, const char *ending)
{
    const char *name = vv_place_name(path), *dot = strrchr(name, '.');
    return joined(path, dot && dot != name ? (size_t)(dot - path) : strlen(path), ending);
}
