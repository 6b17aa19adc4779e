/* Values of parameters (vvParam): whether one is allowed, and the message where it is not. */
#ifndef VV_BASE_TEXT_PARAM_H
#define VV_BASE_TEXT_PARAM_H

#include "visviva/base.h"

/* Checks x as number `component` of the parameter: VV_OK, or VV_ERROR_INPUT with "OF.NAME[component] is x; it must be
 * ...". */
vvStatus vv_param_check(const vvParam *param, int component, double x, const char *of, vvError *error);
/* The place of a named value in *place, or VV_ERROR_INPUT with the names that there are. */
vvStatus vv_param_place(const vvParam *param, const char *name, const char *of, int *place, vvError *error);
/* All numbers of a thing with parameters, those given or (NULL) the defaults, each in its range; NaN where the default
 * is NaN ("from the body"). */
vvStatus vv_params_complete(const vvParam *params, int count, const double *values, const char *of, double *out,
                            vvError *error);

#endif
