/* Parameters of schemes and energy policies by name, and the values that a world's definition sets (vvSetting). */
#ifndef VV_STEP_PARAMS_H
#define VV_STEP_PARAMS_H

#include "base/text/param.h"
#include "visviva/world.h"

enum { VV_MOST_VALUES = 32 }; /* most numbers in all parameters of one row */

/* All numbers, one parameter after the other: from the settings (the last of a name counts), else the fallbacks. */
void vv_params_values(const vv_params *params, const vvSetting *settings, int count, double values[VV_MOST_VALUES]);
/* One setting per parameter, with the value in use; returns how many. Names are the table's. */
int vv_params_settings(const vv_params *params, const vvSetting *settings, int count, vvSetting *out);
/* Checks that the settings name parameters of some scheme or policy and their values are allowed: VV_ERROR_INPUT with
 * `integrator.NAME`. */
vvStatus vv_settings_check(const vvSetting *settings, int count, vvError *error);

#endif
