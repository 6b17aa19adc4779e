/* Positions and velocities of a body as a CSV file, one line per node: x,y,z,vx,vy,vz in m and m/s, after a line of
 * names. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text/number.h"
#include "base/text/path.h"
#include "scene/document.h"

static const char names[] = "x,y,z,vx,vy,vz";
static const long long LONGEST = 1LL << 32;

static vvStatus read_all(const char *path, char **text, size_t *size, vvError *error)
{
    struct stat info;
    char why[VV_WHY_LENGTH];
    FILE *file = vv_open_regular(path, why);
    if (!file)
        return vv_fail(error, VV_ERROR_IO, "cannot open %s: %s", path, why);
    vvStatus status = VV_OK;
    if (fstat(fileno(file), &info) != 0 || info.st_size > LONGEST)
        status = vv_fail(error, VV_ERROR_IO, "cannot read %s: it has more than 4 GiB", path);
    *size = status == VV_OK ? (size_t)info.st_size : 0;
    *text = status == VV_OK ? vv_alloc(*size + 1, 1) : NULL;
    if (status == VV_OK && !*text)
        status = vv_fail_memory(error, "positions and velocities");
    if (status == VV_OK && fread(*text, 1, *size, file) != *size)
        status = vv_fail(error, VV_ERROR_IO, "cannot read all of %s", path);
    fclose(file);
    return status;
}

/* Reads exactly six numbers between p and end. */
static bool read_line(const char *p, const char *end, double out[6])
{
    for (int k = 0; k < 6; k++) {
        while (p < end && (*p == ' ' || *p == '\t'))
            p++;
        p = vv_parse_double(p, end, out + k);
        if (!p || !isfinite(out[k]))
            return false;
        while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
            p++;
        if (k < 5 && (p == end || *p++ != ','))
            return false;
    }
    return p == end;
}

static bool blank(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p == end;
}

/* x and v: `count` nodes x 3. */
static vvStatus parse(const char *path, const char *text, size_t size, int count, double *x, double *v, vvError *error)
{
    const char *end = text + size;
    int line = 0, node = 0;
    for (const char *p = text; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        double row[6];
        stop = stop ? stop : end;
        line++;
        size_t length = strlen(names);
        bool head =
            line == 1 && (size_t)(stop - p) >= length && memcmp(p, names, length) == 0 && blank(p + length, stop);
        if (!head && !blank(p, stop)) {
            if (!read_line(p, stop, row))
                return vv_fail(error, VV_ERROR_INPUT, "%s:%d: allowed: six finite numbers, %s, with commas between",
                               path, line, names);
            if (node < count) {
                memcpy(x + 3 * (size_t)node, row, 3 * sizeof *x);
                memcpy(v + 3 * (size_t)node, row + 3, 3 * sizeof *v);
            }
            node++;
        }
        p = stop < end ? stop + 1 : end;
    }
    if (node != count)
        return vv_fail(error, VV_ERROR_INPUT, "%s: found %d lines of numbers; the body has %d nodes, one line each",
                       path, node, count);
    return VV_OK;
}

vvStatus vv_scene_read_state(const char *path, int count, double *x, double *v, vvError *error)
{
    char *text = NULL;
    size_t size = 0;
    vvStatus status = read_all(path, &text, &size, error);
    if (status == VV_OK)
        status = parse(path, text, size, count, x, v, error);
    vv_free(text);
    return status;
}

vvStatus vv_scene_write_state(const char *path, int count, const double *x, const double *v, vvError *error)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return vv_fail(error, VV_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    fprintf(file, "%s\n", names);
    for (size_t i = 0; i < (size_t)count; i++)
        for (size_t k = 0; k < 6; k++) {
            char number[VV_NUMBER_LENGTH];
            vv_format_double(number, k < 3 ? x[3 * i + k] : v[3 * i + k - 3]);
            fprintf(file, "%s%c", number, k < 5 ? ',' : '\n');
        }
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return vv_fail(error, VV_ERROR_IO, "cannot write all of %s: %s", path, strerror(errno));
    return VV_OK;
}
