/* motion.follow of an obstacle with a mesh: the files of a sequence of shapes, and their times. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/document.h"

enum { MOST_SHAPES = 1000000 };

/* ---- names of files ---- */

/* Where a path has its %d or %04d, of *length characters, with *width digits; NULL: it has none. */
static const char *find_number(const char *path, int *length, int *width)
{
    for (const char *p = strchr(path, '%'); p; p = strchr(p + 1, '%')) {
        int digits = 0;
        *width = 0;
        for (const char *d = p + 1; *d >= '0' && *d <= '9' && digits < 3; d++)
            *width = 10 * *width + (*d - '0'), digits++;
        if (p[1 + digits] == 'd' && (digits == 0 || p[1] == '0')) {
            *length = digits + 2;
            return p;
        }
    }
    return NULL;
}

/* The path with that number in place of %d; NULL: out of memory. vv_free it. */
static char *numbered(const char *path, long long number)
{
    int length = 0, width = 0;
    const char *at = find_number(path, &length, &width);
    size_t room = strlen(path) + 1032; /* at most 999 digits are asked for */
    char *made = vv_alloc(room, 1);
    if (made)
        snprintf(made, room, "%.*s%0*lld%s", (int)(at - path), path, width, number, at + length);
    return made;
}

/* The files of a sequence: a list, or numbers of one path. */
typedef struct sequence {
    const json_t *files;
    int first, count;
} sequence;

static char *file_of(const sequence *s, int index)
{
    if (json_is_array(s->files))
        return vv_strdup(json_string_value(json_array_get(s->files, (size_t)index)));
    const char *path = json_string_value(s->files);
    int length, width;
    return find_number(path, &length, &width) ? numbered(path, (long long)s->first + index) : vv_strdup(path);
}

/* Counts files until one is missing. */
static bool count_files(sequence *s)
{
    for (s->count = 0; s->count < MOST_SHAPES; s->count++) {
        char *path = file_of(s, s->count);
        if (!path)
            return false;
        bool there = access(path, R_OK) == 0;
        vv_free(path);
        if (!there)
            break;
    }
    return true;
}

static vvStatus find_files(vv_document *doc, const json_t *follow, const char *where, sequence *s)
{
    int length, width;
    *s = (sequence){ .files = json_object_get(follow, "files") };
    vv_read_integer(follow, "first", &s->first);
    vv_read_integer(follow, "count", &s->count);
    if (json_is_array(s->files))
        s->count = (int)json_array_size(s->files);
    else if (!find_number(json_string_value(s->files), &length, &width))
        s->count = 1;
    else if (s->count == 0 && !count_files(s))
        return vv_fail_memory(doc->error, "the path of a mesh");
    if (s->count > 0)
        return VV_OK;
    char *path = file_of(s, 0);
    vvStatus status =
        path ? vv_scene_fail(doc, where, "there is no %s, the first of the sequence (first is %d)", path, s->first)
             : vv_fail_memory(doc->error, "the path of a mesh");
    vv_free(path);
    return status;
}

/* ---- rules ---- */

vvStatus vv_scene_check_follow(vv_document *doc, const json_t *follow, const char *where)
{
    const json_t *files = json_object_get(follow, "files"), *times = json_object_get(follow, "times");
    int length, width;
    bool pattern = json_is_string(files) && find_number(json_string_value(files), &length, &width);
    static const char *const of_pattern[] = { "first", "count" }, *const of_interval[] = { "start", "interval" };
    for (int i = 0; i < 2 && follow; i++) {
        if (!pattern && json_object_get(follow, of_pattern[i]))
            return vv_scene_fail(doc, where, "%s counts files by %%d in a path; files has none", of_pattern[i]);
        if (times && json_object_get(follow, of_interval[i]))
            return vv_scene_fail(doc, where, "found both times and %s; give times, or start and interval",
                                 of_interval[i]);
    }
    double last = 0, time = 0;
    for (size_t i = 0; i < json_array_size(times); i++, last = time) {
        vv_scene_number(json_array_get(times, i), &time);
        if (i > 0 && time <= last)
            return vv_scene_fail(doc, where, "times[%zu]: found %.9g after %.9g; times must ascend", i, time, last);
    }
    return VV_OK;
}

/* ---- reading ---- */

/* Whether both have the same elements of the same vertices. */
static bool same_elements(const vvMesh *a, const vvMesh *b)
{
    return a->triangleCount == b->triangleCount && a->edgeCount == b->edgeCount && a->pointCount == b->pointCount &&
           (!a->triangleCount ||
            memcmp(a->triangles, b->triangles, 3 * (size_t)a->triangleCount * sizeof *a->triangles) == 0) &&
           (!a->edgeCount || memcmp(a->edges, b->edges, 2 * (size_t)a->edgeCount * sizeof *a->edges) == 0) &&
           (!a->pointCount || memcmp(a->points, b->points, (size_t)a->pointCount * sizeof *a->points) == 0);
}

static vvStatus check_same(vv_document *doc, const char *where, const char *path, const vvMesh *mesh,
                           const vvMesh *shape)
{
    if (mesh->vertexCount == shape->vertexCount && same_elements(mesh, shape))
        return VV_OK;
    bool counts = mesh->vertexCount == shape->vertexCount && mesh->triangleCount == shape->triangleCount &&
                  mesh->edgeCount == shape->edgeCount && mesh->pointCount == shape->pointCount;
    return vv_scene_fail(
        doc, where,
        "%s has %d vertices, %d triangles, %d edges and %d points; the obstacle's mesh has %d, %d, %d and %d%s: all "
        "shapes need the same vertices and elements, in the same order",
        path, shape->vertexCount, shape->triangleCount, shape->edgeCount, shape->pointCount, mesh->vertexCount,
        mesh->triangleCount, mesh->edgeCount, mesh->pointCount, counts ? ", but elements of other vertices" : "");
}

static vvStatus read_shape(vv_document *doc, const char *where, const char *path, const vvMesh *mesh, double *positions)
{
    vvMesh shape = { 0 };
    vvStatus status = vvMeshRead(path, &shape, NULL, doc->error) ? vv_scene_prefix(doc, where) : VV_OK;
    if (status == VV_OK)
        status = vv_scene_to_surface(doc, where, &shape);
    if (status == VV_OK)
        status = check_same(doc, where, path, mesh, &shape);
    if (status == VV_OK)
        memcpy(positions, shape.positions, 3 * (size_t)shape.vertexCount * sizeof *positions);
    vvMeshDestroy(&shape);
    return status;
}

static vvStatus set_times(vv_document *doc, const json_t *follow, const char *where, int count, double *times)
{
    const json_t *given = json_object_get(follow, "times");
    const vvSceneTime time = vv_scene_time(doc->root);
    double start = 0, interval = time.step * time.substeps;
    vv_read_number(follow, "start", &start);
    vv_read_number(follow, "interval", &interval);
    if (given && json_array_size(given) != (size_t)count)
        return vv_scene_fail(doc, where, "found %zu times for %d files", json_array_size(given), count);
    for (int i = 0; i < count; i++) {
        times[i] = start + i * interval;
        if (given)
            vv_scene_number(json_array_get(given, (size_t)i), &times[i]);
    }
    return VV_OK;
}

vvStatus vv_scene_read_follow(vv_document *doc, const json_t *motion, const char *obstacle, const vvMesh *mesh,
                              vvFollowDef *out)
{
    const json_t *follow = json_object_get(motion, "follow");
    char where[VV_SCENE_PATH];
    sequence s;
    *out = (vvFollowDef){ 0 };
    if (!follow)
        return VV_OK;
    vv_scene_child(where, obstacle, "motion.follow");
    vvStatus status = find_files(doc, follow, where, &s);
    if (status != VV_OK)
        return status;
    size_t each = 3 * (size_t)mesh->vertexCount;
    double *times = vv_alloc((size_t)s.count, sizeof *times),
           *positions = vv_alloc((size_t)s.count * each, sizeof *positions);
    *out = (vvFollowDef){ s.count, times, positions };
    if (!times || !positions)
        return vv_fail_memory(doc->error, "a sequence of shapes");
    status = set_times(doc, follow, where, s.count, times);
    for (int i = 0; status == VV_OK && i < s.count; i++) {
        char *path = file_of(&s, i);
        status = path ? read_shape(doc, where, path, mesh, positions + (size_t)i * each)
                      : vv_fail_memory(doc->error, "the path of a mesh");
        vv_free(path);
    }
    return status;
}
