/* Values of parameters (vvParam): whether one is allowed, and the message where it is not. */
#ifndef VV_BASE_TEXT_PARAM_H
#define VV_BASE_TEXT_PARAM_H

#include "visviva/base.h"

/* Checks x as number `component` of the parameter: VV_OK, or VV_ERROR_INPUT with "OF.NAME[component] is x; it must be
 * ...". */
vvStatus vv_param_check(const vvParam *param, int component, double x, const char *of, vvError *error);
/* The place of a named value in *place, or VV_ERROR_INPUT with the names that there are. */
vvStatus vv_param_place(const vvParam *param, const char *name, const char *of, int *place, vvError *error);
typedef struct vv_params {
    int count;
    const vvParam *list;
} vv_params;

const vvParam *vv_params_find(const vv_params *params, const char *name); /* NULL: no such parameter */
/* All numbers of a thing with parameters, one parameter after the other: those set (the last of a name counts), else
 * the fallbacks, each in its range; NaN where the fallback is NaN ("from the body"). VV_ERROR_INPUT with "OF.NAME ...".
 */
vvStatus vv_params_complete(vv_params params, const vvSetting *settings, int count, const char *of, double *out,
                            vvError *error);
/* The same numbers as settings, one a parameter; returns how many. */
int vv_params_named(vv_params params, const double *values, vvSetting *settings);

#endif
