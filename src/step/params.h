/* Parameters of schemes and energy policies by name: what a world's definition sets of them (vvSetting). */
#ifndef VV_STEP_PARAMS_H
#define VV_STEP_PARAMS_H

#include "visviva/world.h"

typedef struct vv_params {
    int count;
    const vvParam *list;
} vv_params;

enum { VV_MOST_VALUES = 32 }; /* numbers in all parameters of one row */

const vvParam *vv_params_find(const vv_params *params, const char *name); /* NULL: no such parameter */
/* All numbers, one parameter after the other: as the settings say (the last of a name counts), or the fallbacks. */
void vv_params_values(const vv_params *params, const vvSetting *settings, int count, double values[VV_MOST_VALUES]);
/* Of each parameter a setting with its value in use; returns how many. Names are the table's. */
int vv_params_settings(const vv_params *params, const vvSetting *settings, int count, vvSetting *out);
/* That the settings name parameters of some scheme or policy, and their values are allowed: VV_ERROR_INPUT with `integrator.NAME`. */
vvStatus vv_settings_check(const vvSetting *settings, int count, vvError *error);

#endif
