/* Checks numbers of a scene, and lists of them, against their ranges. */
#include "scene/validate.h"

#include <math.h>
#include <stdio.h>

#include "base/text/text.h"

vvStatus vv_scene_wrong(vv_document *doc, const char *where, const json_t *found, const char *allowed)
{
    char text[96];
    return vv_scene_fail(doc, where, "found %s; allowed: %s", vv_scene_describe(found, text), allowed);
}

/* Fractions in quotes are for numbers that need not be whole. */
bool vv_scene_in_range(const json_t *value, const vv_range *allowed)
{
    double number;
    return !(allowed->integer && json_is_string(value)) && vv_scene_number(value, &number) &&
           vv_range_has(allowed, number);
}

vvStatus vv_scene_check_number(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed)
{
    char text[VV_RANGE_TEXT + 64], range[VV_RANGE_TEXT];
    if (vv_scene_in_range(value, allowed))
        return VV_OK;
    vv_print(text, sizeof text, "%s%s", vv_range_text(allowed, range),
             allowed->integer ? "" : " (or a fraction in quotes, \"1/30\")");
    return vv_scene_wrong(doc, where, value, text);
}

/* A list of exactly `size` numbers. */
vvStatus vv_scene_check_numbers(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed,
                                int size)
{
    char text[96], item[VV_SCENE_PATH];
    if (size == 1)
        return vv_scene_check_number(doc, value, where, allowed);
    if (!json_is_array(value) || json_array_size(value) != (size_t)size) {
        snprintf(text, sizeof text, "a list of %d numbers%s%s", size, allowed->unit[0] ? ", " : "", allowed->unit);
        return vv_scene_wrong(doc, where, value, text);
    }
    for (int k = 0; k < size; k++) {
        vv_scene_item(item, where, (size_t)k);
        vvStatus status = vv_scene_check_number(doc, json_array_get(value, (size_t)k), item, allowed);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

vvStatus vv_scene_check_corners(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed)
{
    char item[VV_SCENE_PATH];
    if (!json_is_array(value) || json_array_size(value) != 2)
        return vv_scene_wrong(doc, where, value, "two corners, [[x, y, z], [x, y, z]]");
    for (size_t k = 0; k < 2; k++) {
        vv_scene_item(item, where, k);
        vvStatus status = vv_scene_check_numbers(doc, json_array_get(value, k), item, allowed, 3);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

vvStatus vv_scene_check_indices(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed)
{
    char item[VV_SCENE_PATH];
    if (!json_is_array(value) || json_array_size(value) == 0)
        return vv_scene_wrong(doc, where, value,
                              allowed->integer ? "a list of whole numbers, not empty" : "a list of numbers, not empty");
    for (size_t k = 0; k < json_array_size(value); k++) {
        vv_scene_item(item, where, k);
        vvStatus status = vv_scene_check_number(doc, json_array_get(value, k), item, allowed);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

/* [[x, y, z], ...]; or pairs of whole numbers. */
vvStatus vv_scene_check_rows(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed,
                             int size)
{
    char item[VV_SCENE_PATH];
    if (!json_is_array(value) || json_array_size(value) == 0 || json_array_size(value) > 2147483646)
        return vv_scene_wrong(doc, where, value,
                              size == 3 ? "a list of positions, [[x, y, z], ...], not empty"
                                        : "a list of pairs, [[0, 1], ...], not empty");
    for (size_t k = 0; k < json_array_size(value); k++) {
        vv_scene_item(item, where, k);
        vvStatus status = vv_scene_check_numbers(doc, json_array_get(value, k), item, allowed, size);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

/* [time, value] pairs with times ascending; none: a value may be null. */
static vvStatus check_pairs(vv_document *doc, const json_t *list, const char *where, const vv_range *allowed,
                            const char *shape, bool none)
{
    const vv_range time = { none ? 0 : -1e9, 1e9, false, false, "s" };
    double last = -INFINITY, now = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        char item[VV_SCENE_PATH], part[VV_SCENE_PATH];
        const json_t *pair = json_array_get(list, i), *second = json_array_get(pair, 1);
        vv_scene_item(item, where, i);
        if (!json_is_array(pair) || json_array_size(pair) != 2)
            return vv_scene_wrong(doc, item, pair, shape);
        vv_scene_item(part, item, 0);
        vvStatus status = vv_scene_check_number(doc, json_array_get(pair, 0), part, &time);
        if (status != VV_OK)
            return status;
        vv_scene_item(part, item, 1);
        if (!(none && json_is_null(second)) && (status = vv_scene_check_number(doc, second, part, allowed)) != VV_OK)
            return status;
        vv_scene_number(json_array_get(pair, 0), &now);
        if (now <= last)
            return vv_scene_fail(doc, item, "found the time %.9g after %.9g; times must ascend", now, last);
        last = now;
    }
    return VV_OK;
}

/* null, a number, or [[time, value or null], ...] with times ascending. */
vvStatus vv_scene_check_decay(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed)
{
    const char *shape = "null, a time in s above 0, or a list of [time, decay time or null] with times ascending";
    if (json_is_null(value))
        return VV_OK;
    if (!json_is_array(value))
        return json_is_number(value) || json_is_string(value) ? vv_scene_check_number(doc, value, where, allowed)
                                                              : vv_scene_wrong(doc, where, value, shape);
    if (json_array_size(value) == 0)
        return vv_scene_wrong(doc, where, value, shape);
    return check_pairs(doc, value, where, allowed, "[time, decay time or null]", true);
}

vvStatus vv_scene_check_keys(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed)
{
    if (!json_is_array(value) || json_array_size(value) == 0)
        return vv_scene_wrong(doc, where, value, "a list of [time in s, factor] with times ascending");
    vv_range factor = *allowed;
    factor.unit = ""; /* that of the row is the times' */
    return check_pairs(doc, value, where, &factor, "[time in s, factor]", false);
}
