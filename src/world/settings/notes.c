/* What setters change, in words: the keys of scene files, as `visviva run --resume --set` would give them. The last
 * ones are kept, for run files and logs. */
#include "visviva/settings.h"
#include "base/error.h"
#include "base/text/text.h"
#include "world/settings/members.h"
#include "world/settings/settings.h"

#include <stdio.h>
#include <string.h>

uint32_t vvWorldSettingsRevision(const vvWorld *w) { return vv_world_readable(w) ? w->settings_revision : 0; }

bool vvWorldSettingChange(const vvWorld *w, uint32_t revision, vvSettingChange *change)
{
    if (change)
        *change = (vvSettingChange){ .text = "" };
    uint32_t now = vvWorldSettingsRevision(w);
    if (!change || revision == 0 || revision > now || now - revision >= VV_SETTING_NOTES)
        return false;
    const vv_setting_note *n = w->notes + revision % VV_SETTING_NOTES;
    *change = (vvSettingChange){ revision, n->step, n->text };
    return true;
}

/* ---- writing ---- */

typedef struct words {
    char text[VV_SETTING_WORDS];
    size_t used;
} words;

/* What no longer fits is left out, and shown to be. */
__attribute__((format(printf, 2, 3))) static void add(words *t, const char *format, ...)
{
    char one[VV_SETTING_WORDS];
    va_list list;
    va_start(list, format);
    vv_print_list(one, sizeof one, format, list);
    va_end(list);
    size_t room = sizeof t->text - t->used, length = strlen(one) + (t->used ? 2 : 0);
    static const char more[] = ", ...";
    if (length + sizeof more < room)
        t->used += (size_t)snprintf(t->text + t->used, room, "%s%s", t->used ? ", " : "", one);
    else if (room >= sizeof more && (t->used < 3 || strcmp(t->text + t->used - 3, "...") != 0))
        t->used += (size_t)snprintf(t->text + t->used, room, "%s", t->used ? more : more + 2);
}

static void add_setting(void *user, const char *key, const char *text) { add(user, "%s=%s", key, text); }

static void note(vvWorld *w, const words *t)
{
    vv_setting_note *n = w->notes + ++w->settings_revision % VV_SETTING_NOTES;
    n->step = w->state.clock.step;
    memcpy(n->text, t->text, sizeof n->text);
}

void vv_world_note_setting(vvWorld *w, const char *format, ...)
{
    words t = { .used = 0 };
    va_list list;
    va_start(list, format);
    vv_print_list(t.text, sizeof t.text, format, list);
    va_end(list);
    note(w, &t);
}

/* ---- what differs ---- */

void vv_world_note_def(vvWorld *w, const vvWorldDef *before, const vvWorldDef *now)
{
    words t = { .used = 0 };
    for (int i = 0; i < VV_DEF_PARTS; i++)
        vv_members_say(vv_def_parts[i].members, vv_def_part_of(before, i), vv_def_part_of(now, i), false, add_setting,
                       &t);
    if (t.used == 0) /* what is given differs, and comes to the same */
        add(&t, "settings");
    note(w, &t);
}

void vv_world_note_material(vvWorld *w, const char *body, const vvMaterialDef *before, const vvMaterialDef *now)
{
    words t = { .used = 0 }, whole = { .used = 0 };
    vv_members_say(&vv_material_members, before, now, false, add_setting, &t);
    add(&whole, "%.60s: %s", body, t.used ? t.text : "material");
    note(w, &whole);
}
