/* What tells apart scenes, and programs, without keeping them: FNV-1a, 64 bits, as hexadecimal digits. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

static uint64_t add(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static const char *as_text(uint64_t hash, char out[VV_STUDY_DIGEST])
{
    snprintf(out, VV_STUDY_DIGEST, "%016llx", (unsigned long long)hash);
    return out;
}

static const uint64_t begin = 0xcbf29ce484222325u;

const char *vv_study_digest(const char *text, char out[VV_STUDY_DIGEST])
{
    return as_text(add(begin, text, strlen(text)), out);
}

bool vv_study_digest_file(const char *path, char out[VV_STUDY_DIGEST])
{
    char part[65536];
    size_t size;
    uint64_t hash = begin;
    FILE *file = fopen(path, "rb");
    while (file && (size = fread(part, 1, sizeof part, file)) > 0)
        hash = add(hash, part, size);
    bool good = file && !ferror(file);
    if (file)
        fclose(file);
    as_text(hash, out);
    return good;
}

/* Files go by their names: a checkout may lie anywhere. */
static void strip_folders(json_t *node)
{
    const char *key, *slash;
    json_t *value;
    size_t index;
    void *next;
    if (json_is_array(node))
        json_array_foreach(node, index, value) strip_folders(value);
    json_object_foreach_safe(node, next, key, value)
    {
        if (strcmp(key, "file") == 0 && json_is_string(value) && (slash = strrchr(json_string_value(value), '/')))
            json_object_set_new(node, key, json_string(slash + 1));
        else
            strip_folders(value);
    }
}

static void strip_factors(json_t *node)
{
    json_t *value;
    const char *key;
    size_t index;
    if (json_is_array(node))
        json_array_foreach(node, index, value) strip_factors(value);
    if (json_is_object(node))
        json_object_del(node, "momentum_per_step");
    json_object_foreach(node, key, value) strip_factors(value);
}

/* What says how it is computed, and not what. */
static void strip_method(json_t *root)
{
    static const char *const times[] = { "step", "substeps", "record_every", "end" };
    json_t *time = json_object_get(root, "time"), *integrator = json_object_get(root, "integrator");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        json_object_del(time, times[i]);
    json_object_del(integrator, "scheme");
    json_object_del(integrator, "policy");
    if (json_object_size(integrator) == 0)
        json_object_del(root, "integrator");
    json_object_del(root, "solver");
    strip_factors(root);
}

static void digest_scene(const char *scene, bool method, char out[VV_STUDY_DIGEST])
{
    json_t *root = json_loads(scene, 0, NULL);
    json_object_del(root, "description");
    strip_folders(root);
    if (!method)
        strip_method(root);
    char *text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
    vv_study_digest(text ? text : scene, out);
    free(text);
    json_decref(root);
}

void vv_study_scene_key(const vv_study_plan *plan, char out[VV_STUDY_DIGEST]) { digest_scene(plan->scene, true, out); }

void vv_study_content(const vv_study_plan *plan, char out[VV_STUDY_DIGEST]) { digest_scene(plan->scene, false, out); }
