/* What the checks of a scene's values share: numbers, and lists of them. */
#ifndef VV_SCENE_VALIDATE_H
#define VV_SCENE_VALIDATE_H

#include "base/text/range.h"
#include "scene/document.h"

/* Fails: found that, allowed is this. */
vvStatus vv_scene_wrong(vv_document *doc, const char *where, const json_t *found, const char *allowed);

/* A number within the range; fractions in quotes are for numbers that need not be whole. */
bool vv_scene_in_range(const json_t *value, const vv_range *allowed);
vvStatus vv_scene_check_number(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed);
/* A list of exactly `size` numbers. */
vvStatus vv_scene_check_numbers(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed,
                                int size);
/* Two corners of a box. */
vvStatus vv_scene_check_corners(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed);
/* A list that is not empty. */
vvStatus vv_scene_check_indices(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed);
/* [[x, y, z], ...], or pairs of whole numbers. */
vvStatus vv_scene_check_rows(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed,
                             int size);
/* null, a number, or [[time, value or null], ...] with times ascending. */
vvStatus vv_scene_check_decay(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed);
/* [[time, factor], ...] with times ascending. */
vvStatus vv_scene_check_keys(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed);

#endif
