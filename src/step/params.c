/* Parameters of one row: looked up by name, filled from settings. */
#include "step/params.h"

#include <string.h>

const vvParam *vv_params_find(const vv_params *p, const char *name)
{
    for (int i = 0; name && i < p->count; i++)
        if (strcmp(p->list[i].name, name) == 0)
            return p->list + i;
    return NULL;
}

static const double *value_of(const vvParam *param, const vvSetting *settings, int count)
{
    const double *value = param->fallback;
    for (int i = 0; i < count; i++)
        if (strcmp(settings[i].name, param->name) == 0)
            value = settings[i].value;
    return value;
}

void vv_params_values(const vv_params *p, const vvSetting *settings, int count, double values[VV_MOST_VALUES])
{
    int at = 0;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->list[i].size; k++)
            values[at++] = value_of(p->list + i, settings, count)[k];
}

int vv_params_settings(const vv_params *p, const vvSetting *settings, int count, vvSetting *out)
{
    for (int i = 0; i < p->count; i++) {
        const double *value = value_of(p->list + i, settings, count);
        out[i] = (vvSetting){ .name = p->list[i].name };
        memcpy(out[i].value, value, (size_t)p->list[i].size * sizeof *value);
    }
    return p->count;
}
