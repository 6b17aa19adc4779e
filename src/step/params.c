/* Parameters of one row: looked up by name, filled from settings. */
#include "step/params.h"

#include <string.h>

/* The setting in use, with both the number and the name of a named value. Settings are checked before. */
static vvSetting setting_of(const vvParam *param, const vvSetting *settings, int count)
{
    vvSetting found = { .name = param->name };
    memcpy(found.value, param->fallback, sizeof found.value);
    for (int i = 0; i < count; i++)
        if (strcmp(settings[i].name, param->name) == 0)
            found = settings[i];
    if (found.choice)
        found.value[0] = vvParamChoice(param, found.choice);
    found.name = param->name;
    found.choice = param->choiceCount ? param->choices[(int)found.value[0]].name : NULL;
    return found;
}

void vv_params_values(const vv_params *p, const vvSetting *settings, int count, double values[VV_MOST_VALUES])
{
    int at = 0;
    for (int i = 0; i < p->count; i++) {
        vvSetting setting = setting_of(p->list + i, settings, count);
        for (int k = 0; k < p->list[i].size; k++)
            values[at++] = setting.value[k];
    }
}

int vv_params_settings(const vv_params *p, const vvSetting *settings, int count, vvSetting *out)
{
    for (int i = 0; i < p->count; i++) {
        out[i] = setting_of(p->list + i, settings, count);
        for (int k = p->list[i].size; k < 4; k++)
            out[i].value[k] = 0;
    }
    return p->count;
}
