/* Ranges of a user's numbers: one rule and one wording for parameters (vvParam), settings and the keys of scenes. */
#ifndef VV_BASE_TEXT_RANGE_H
#define VV_BASE_TEXT_RANGE_H

#include "base/text/member.h"

typedef struct vv_range {
    double min, max;
    bool above; /* min itself is not allowed */
    bool integer;
    const char *unit; /* "": a pure number */
} vv_range;
vv_range vv_row_range(const vv_key_row *row);
vv_range vv_param_range(const vvParam *param);

/* Whether x is finite, in the range, and whole where it must be. */
bool vv_range_has(const vv_range *range, double x);
/* "a whole number from 1 to 8", "a number above 0 to 1e+15 Pa"; returns `text`. */
enum { VV_RANGE_TEXT = 128 };
const char *vv_range_text(const vv_range *range, char text[VV_RANGE_TEXT]);
/* VV_OK, or VV_ERROR_INPUT with "WHAT is x; it must be a number from 0 to 1 m". */
vvStatus vv_range_check(const vv_range *range, double x, const char *what, vvError *error);

/* A setting's number, or what stands for one in a definition: 0 for the default, the value of a word. */
vvStatus vv_row_check(const vv_key_row *row, double x, const char *what, vvError *error);
/* Whether a part of the scene's length is one: smaller ones are taken for slips. */
bool vv_part_is_allowed(double part);
#define VV_PARTS_ALLOWED "1e-06%% to 100%%" /* within a format */

#endif
