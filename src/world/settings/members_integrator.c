/* Settings of an integrator that are no plain values: the parameters of its scheme and policy, the decay of its target,
 * the ground energy. */
#include "base/error.h"
#include "base/text/number.h"
#include "base/text/range.h"
#include "world/settings/members.h"
#include "world/settings/bytes.h"
#include "world/settings/settings.h"

#include <math.h>
#include <string.h>

static void number_text(double number, bool json, char out[VV_NUMBER_LENGTH])
{
    if (json)
        vv_format_double(out, number);
    else
        vv_print(out, VV_NUMBER_LENGTH, "%.6g", number);
}

/* A list of `count` items in the eye's keeping; *list NULL: out of memory, or the count is none. */
static vvStatus take_list(vv_eye *e, int place, int most, size_t size, int *count, void **list, vvError *error)
{
    const double number = vv_take_number(e);
    if (e->short_of || !(number >= 0 && number <= most))
        return vv_fail(error, VV_ERROR_INPUT, "the saved integrator is damaged");
    *count = (int)number;
    *list = e->owned[place] = vv_alloc((size_t)*count, size);
    return *list ? VV_OK : vv_fail_memory(error, "the saved integrator");
}

/* ---- parameters ---- */

static const vvSetting *find(const vvIntegratorDef *d, const char *parameter)
{
    for (int i = 0; i < d->settingCount; i++)
        if (strcmp(d->settings[i].name, parameter) == 0)
            return d->settings + i;
    return NULL;
}

static bool same_parameters(const void *one, const void *other)
{
    const vvIntegratorDef *a = one, *b = other;
    bool same = a->settingCount == b->settingCount;
    for (int i = 0; same && i < a->settingCount; i++)
        same = strcmp(a->settings[i].name, b->settings[i].name) == 0 &&
               memcmp(a->settings[i].value, b->settings[i].value, sizeof a->settings[i].value) == 0;
    return same;
}

static vvStatus check_parameters(const vv_key_row *row, const void *def, vvError *error)
{
    (void)row;
    const vvIntegratorDef *d = def;
    return vv_settings_check(d->settings, d->settingCount, error);
}

/* Switches are true or false, several numbers a list. */
static void parameter_text(const vvSetting *s, const vvParam *param, bool json, char *out, size_t size)
{
    char one[VV_NUMBER_LENGTH];
    size_t used = 0;
    if (s->choice) {
        vv_print(out, size, json ? "\"%s\"" : "%s", s->choice);
    } else if (json && param->integer && param->min == 0 && param->max == 1) {
        vv_print(out, size, "%s", s->value[0] != 0 ? "true" : "false");
    } else {
        for (int k = 0; k < (json ? param->size : 1); k++) {
            number_text(s->value[k], json, one);
            used += (size_t)vv_print(out + used, size - used, "%s%s",
                                     k > 0                     ? ", "
                                     : json && param->size > 1 ? "["
                                                               : "",
                                     one);
        }
        if (json && param->size > 1)
            vv_print(out + used, size - used, "]");
    }
}

/* Before: another scheme or policy has other parameters, which are no change of these. */
static void say_parameters(const void *before, const void *def, bool json, vvSettingFunction *say, void *user)
{
    const vvIntegratorDef *d = def;
    for (int i = 0; i < d->settingCount; i++) {
        const vvSetting *now = d->settings + i, *then = before ? find(before, now->name) : NULL;
        const vvParam *param = vv_params_find(&vv_scheme_find(d->scheme)->params, now->name);
        char key[96], text[160];
        if (before && (!then || memcmp(then->value, now->value, sizeof now->value) == 0))
            continue;
        if (!param)
            param = vv_params_find(&vv_policy_find(d->policy)->params, now->name);
        parameter_text(now, param, json, text, sizeof text);
        vv_print(key, sizeof key, "integrator.%s", now->name);
        say(user, key, text);
    }
}

static void put_parameters(vv_pen *p, const void *def)
{
    const vvIntegratorDef *d = def;
    vv_put_number(p, d->settingCount);
    for (int i = 0; i < d->settingCount; i++) {
        vv_put_name(p, d->settings[i].name);
        vv_put_numbers(p, d->settings[i].value, 4);
    }
}

static vvStatus take_parameters(vv_eye *e, void *def, vvError *error)
{
    vvIntegratorDef *d = def;
    void *list = NULL;
    vvStatus status = take_list(e, 0, 2 * VV_MOST_VALUES, sizeof(vvSetting), &d->settingCount, &list, error);
    vvSetting *settings = list;
    for (int i = 0; status == VV_OK && i < d->settingCount; i++) {
        settings[i].name = vv_take_name(e);
        for (int k = 0; k < 4; k++)
            settings[i].value[k] = vv_take_number(e);
    }
    d->settings = settings;
    return status;
}

const vv_member_ops vv_parameters_ops = { same_parameters, check_parameters, say_parameters, put_parameters,
                                          take_parameters };

/* ---- decay ---- */

static bool same_decay(const void *one, const void *other)
{
    const vvIntegratorDef *a = one, *b = other;
    bool same = a->decayKeyCount == b->decayKeyCount;
    for (int i = 0; same && i < a->decayKeyCount; i++)
        same = a->decayKeys[i].time == b->decayKeys[i].time && a->decayKeys[i].value == b->decayKeys[i].value;
    return same;
}

static vvStatus check_decay(const vv_key_row *row, const void *def, vvError *error)
{
    (void)row;
    const vvIntegratorDef *d = def;
    const vvKey *key = d->decayKeys;
    if (d->decayKeyCount < 0 || (d->decayKeyCount > 0 && !key))
        return vv_fail(error, VV_ERROR_INPUT, "integrator.decay_time: %d keys, but the list is NULL", d->decayKeyCount);
    for (int i = 0; i < d->decayKeyCount; i++) {
        if (isnan(key[i].value) || key[i].value < 0 || (isfinite(key[i].value) && key[i].value > 1e12) ||
            !isfinite(key[i].time))
            return vv_fail(error, VV_ERROR_INPUT,
                           "integrator.decay_time: key %d is (%g s, %g s); times must be finite, decay times 0 to 1e12",
                           i, key[i].time, key[i].value);
        if (i > 0 && key[i].time <= key[i - 1].time)
            return vv_fail(error, VV_ERROR_INPUT,
                           "integrator.decay_time: key %d is at %g s, not after the previous one", i, key[i].time);
    }
    return VV_OK;
}

static bool decays(const vvKey *key) { return key->value > 0 && isfinite(key->value); }

/* null, a number, or a list, of which notes have the beginning. */
static void say_decay(const void *before, const void *def, bool json, vvSettingFunction *say, void *user)
{
    const vvIntegratorDef *d = def;
    const int count = d->decayKeyCount;
    const size_t room = (size_t)(count + 1) * (2 * VV_NUMBER_LENGTH + 8);
    char time[VV_NUMBER_LENGTH], value[VV_NUMBER_LENGTH],
        *text = before && same_decay(before, def) ? NULL : vv_alloc(room, 1);
    size_t used = 0;
    for (int i = 0; text && i < (json ? count : count > 0); i++) {
        const bool list = json && count > 1;
        number_text(d->decayKeys[i].time, json, time);
        number_text(d->decayKeys[i].value, json, value);
        if (list)
            used += (size_t)vv_print(text + used, room - used, "%s[%s, ", i > 0 ? ", " : "[", time);
        used += (size_t)vv_print(text + used, room - used, "%s", json && !decays(d->decayKeys + i) ? "null" : value);
        used += (size_t)vv_print(text + used, room - used, "%s",
                                 list        ? i + 1 < count ? "]" : "]]"
                                 : count > 1 ? " ..."
                                             : "");
    }
    if (text)
        say(user, "integrator.decay_time", count > 0 ? text : "null");
    vv_free(text);
}

static void put_decay(vv_pen *p, const void *def)
{
    const vvIntegratorDef *d = def;
    vv_put_number(p, d->decayKeyCount);
    for (int i = 0; i < d->decayKeyCount; i++)
        vv_put_numbers(p, (double[]){ d->decayKeys[i].time, d->decayKeys[i].value }, 2);
}

enum { MOST_KEYS = 1 << 20 };

static vvStatus take_decay(vv_eye *e, void *def, vvError *error)
{
    vvIntegratorDef *d = def;
    void *list = NULL;
    vvStatus status = take_list(e, 1, MOST_KEYS, sizeof(vvKey), &d->decayKeyCount, &list, error);
    vvKey *keys = list;
    for (int i = 0; status == VV_OK && i < d->decayKeyCount; i++)
        keys[i].time = vv_take_number(e), keys[i].value = vv_take_number(e);
    d->decayKeys = keys;
    return status;
}

const vv_member_ops vv_decay_ops = { same_decay, check_decay, say_decay, put_decay, take_decay };

/* ---- the ground energy ---- */

static bool same_ground(const void *one, const void *other)
{
    const vvIntegratorDef *a = one, *b = other;
    return a->groundMode == b->groundMode && (a->groundMode != VV_GROUND_GIVEN || a->groundEnergy == b->groundEnergy);
}

static vvStatus check_ground(const vv_key_row *row, const void *def, vvError *error)
{
    const vvIntegratorDef *d = def;
    const bool given = d->groundMode == VV_GROUND_GIVEN;
    if (!given && d->groundMode != VV_GROUND_AUTO && d->groundMode != VV_GROUND_NONE)
        return vv_fail(error, VV_ERROR_INPUT,
                       "integrator.ground_energy: groundMode is %d; it must be VV_GROUND_AUTO, VV_GROUND_NONE or "
                       "VV_GROUND_GIVEN",
                       (int)d->groundMode);
    return given ? vv_row_check(row, d->groundEnergy, row->key.path, error) : VV_OK;
}

static void say_ground(const void *before, const void *def, bool json, vvSettingFunction *say, void *user)
{
    const vvIntegratorDef *d = def;
    const char *word = d->groundMode == VV_GROUND_NONE ? "none" : "auto";
    char text[VV_NUMBER_LENGTH];
    if (before && same_ground(before, def))
        return;
    number_text(d->groundEnergy, json, text);
    if (d->groundMode != VV_GROUND_GIVEN)
        vv_print(text, sizeof text, json ? "\"%s\"" : "%s", word);
    say(user, "integrator.ground_energy", text);
}

static void put_ground(vv_pen *p, const void *def)
{
    const vvIntegratorDef *d = def;
    vv_put_numbers(p, (double[]){ d->groundMode, d->groundMode == VV_GROUND_GIVEN ? d->groundEnergy : 0 }, 2);
}

static vvStatus take_ground(vv_eye *e, void *def, vvError *error)
{
    vvIntegratorDef *d = def;
    const double mode = vv_take_number(e);
    if (!(mode >= 0 && mode <= 16)) /* which of these are known is checked with the rest */
        return vv_fail(error, VV_ERROR_INPUT, "the saved integrator is damaged");
    d->groundMode = (vvGroundMode)mode, d->groundEnergy = vv_take_number(e);
    return VV_OK;
}

const vv_member_ops vv_ground_ops = { same_ground, check_ground, say_ground, put_ground, take_ground };
