/* obstacles[].heights of a scene: the samples of a height field, from a file, a list, or hills by a seed. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/heights.h"

vvStatus vv_scene_check_heights(vv_document *doc, const json_t *obstacle, const char *where)
{
    static const char *const forms[] = { "file", "values", "hills" };
    const json_t *heights = json_object_get(obstacle, "heights"), *field = json_object_get(obstacle, "heightfield");
    const json_t *samples = json_object_get(heights, "samples"), *values = json_object_get(heights, "values");
    char place[VV_SCENE_PATH], item[VV_SCENE_PATH];
    double n[2] = { 0, 0 };
    int count = 0;
    vv_scene_child(place, where, "heights");
    if (field && !heights)
        return vv_scene_fail(doc, where,
                             "a heightfield needs \"heights\": {\"file\": ...}, {\"samples\": [nx, nz], \"values\": "
                             "[...]} or {\"hills\": {}}");
    if (heights && !field)
        return vv_scene_fail(doc, place, "is for the obstacle \"heightfield\" only");
    for (int i = 0; i < 3; i++)
        count += json_object_get(heights, forms[i]) != NULL;
    if (heights && count != 1)
        return vv_scene_fail(doc, place, "found %s; allowed: exactly one of file, values, hills",
                             count ? "several" : "none");
    vv_scene_child(item, place, "samples");
    for (size_t k = 0; samples && k < 2; k++)
        if (!vv_scene_number(json_array_get(samples, k), n + k) || n[k] != floor(n[k]))
            return vv_scene_fail(doc, item, "found %.9g; allowed: 2 whole numbers", n[k]);
    if (samples && json_object_get(heights, "file"))
        return vv_scene_fail(doc, item, "the file says how many samples there are; leave this out");
    if (values && !samples)
        return vv_scene_fail(doc, place, "values need \"samples\": [nx, nz], how many there are along x and z");
    if (n[0] * n[1] > 1 << 24)
        return vv_scene_fail(doc, item, "%.0f x %.0f samples; allowed: %d in all", n[0], n[1], 1 << 24);
    vv_scene_child(item, place, "values");
    if (values && (double)json_array_size(values) != n[0] * n[1])
        return vv_scene_fail(doc, item, "found a list of %zu; samples says %.0f x %.0f", json_array_size(values), n[0],
                             n[1]);
    return VV_OK;
}

vvStatus vv_scene_make_heights(vv_document *doc, const json_t *obstacle, const char *where, vv_heights *out)
{
    const json_t *heights = json_object_get(obstacle, "heights"), *values = json_object_get(heights, "values"),
                 *hills = json_object_get(heights, "hills");
    const char *file = json_string_value(json_object_get(heights, "file"));
    char path[VV_SCENE_PATH];
    double counts[2] = { 65, 65 }, across = 4, rough = 0.35, seed = 0;
    vv_scene_child(path, where, file ? "heights.file" : "heights");
    vv_read_numbers(heights, "samples", counts, 2);
    const int n[2] = { (int)counts[0], (int)counts[1] };
    if (file)
        return vv_heights_read(file, out, doc->error) ? vv_scene_prefix(doc, path) : VV_OK;
    if (hills) {
        vv_read_number(hills, "across", &across);
        vv_read_number(hills, "rough", &rough);
        vv_read_number(hills, "seed", &seed);
        return vv_heights_hills(n, across, rough, (int64_t)seed, out, doc->error);
    }
    if (!values)
        return VV_OK;
    *out = (vv_heights){ vv_alloc(json_array_size(values), sizeof(double)), { n[0], n[1] } };
    if (!out->samples)
        return vv_fail_memory(doc->error, "heights");
    for (size_t i = 0; i < json_array_size(values); i++)
        vv_scene_number(json_array_get(values, i), out->samples + i);
    return VV_OK;
}
