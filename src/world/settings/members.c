/* Operations common to all settings, as loops over their rows. */
#include "world/settings/members.h"
#include "base/error.h"
#include "base/text/number.h"
#include "base/text/range.h"
#include "base/text/text.h"
#include "contact/models.h"
#include "world/settings/settings.h"

#include <limits.h>
#include <string.h>

/* ---- one member ---- */

vv_member_class vv_member_kind(const vv_member *f)
{
    switch (f->row.kind) {
    case VV_KEY_OBJECT: return VV_MEMBER_NONE;
    case VV_KEY_NUMBER:
    case VV_KEY_INTEGER:
    case VV_KEY_BOOLEAN: return VV_MEMBER_NUMBER;
    case VV_KEY_NAME: return VV_MEMBER_NAME;
    case VV_KEY_VECTOR: return VV_MEMBER_VECTOR;
    default: return VV_MEMBER_OTHER;
    }
}

static const void *member(const vv_member *f, const void *def) { return (const char *)def + f->at; }

double vv_member_number(const vv_member *f, const void *def)
{
    const void *at = member(f, def);
    return f->wide                         ? (double)*(const uint64_t *)at
           : f->row.kind == VV_KEY_INTEGER ? *(const int *)at
           : f->row.kind == VV_KEY_BOOLEAN ? *(const bool *)at
                                           : *(const double *)at;
}

bool vv_member_can_be(const vv_member *f, double number)
{
    const double most = f->wide ? 0x1p53 : INT_MAX;
    const bool whole = f->wide || f->row.kind == VV_KEY_INTEGER;
    return !whole || (number >= (f->wide ? 0 : INT_MIN) && number <= most);
}

void vv_member_set_number(const vv_member *f, void *def, double number)
{
    void *at = (char *)def + f->at;
    if (f->wide)
        *(uint64_t *)at = (uint64_t)number;
    else if (f->row.kind == VV_KEY_INTEGER)
        *(int *)at = (int)number;
    else if (f->row.kind == VV_KEY_BOOLEAN)
        *(bool *)at = number != 0;
    else
        *(double *)at = number;
}

const char **vv_member_name(const vv_member *f, const void *def) { return (const char **)(uintptr_t)member(f, def); }

double *vv_member_vector(const vv_member *f, const void *def) { return (double *)(uintptr_t)member(f, def); }

double vv_member_part(const vv_member *f, const void *def)
{
    return f->row.percent ? *(const double *)(const void *)((const char *)def + f->relative) : 0;
}

void vv_member_set_part(const vv_member *f, void *def, double part)
{
    *(double *)(void *)((char *)def + f->relative) = part;
}

double vv_member_given(const vv_member *f, const vv_given_lengths *given)
{
    return *(const double *)(const void *)((const char *)given + f->given);
}

bool vv_member_is_read(const vv_member *f, const void *def) { return !f->is_read || f->is_read(def); }

static const char *key_of(const vv_members *members, const vv_member *f)
{
    const char *path = f->row.key.path;
    return *path ? path + strlen(members->of) : path;
}

bool vv_member_same(const vv_member *f, const void *a, const void *b)
{
    if (!vv_member_is_read(f, a) && !vv_member_is_read(f, b))
        return true;
    switch (vv_member_kind(f)) {
    case VV_MEMBER_NONE: return true;
    case VV_MEMBER_NUMBER:
        return vv_member_number(f, a) == vv_member_number(f, b) && vv_member_part(f, a) == vv_member_part(f, b);
    case VV_MEMBER_NAME: return strcmp(*vv_member_name(f, a), *vv_member_name(f, b)) == 0;
    case VV_MEMBER_VECTOR: return memcmp(vv_member_vector(f, a), vv_member_vector(f, b), 3 * sizeof(double)) == 0;
    default: return f->ops->same(a, b);
    }
}

static void number_text(double number, bool json, char *out, size_t size)
{
    char exact[VV_NUMBER_LENGTH];
    vv_format_double(exact, number);
    if (json)
        vv_print(out, size, "%s", exact);
    else
        vv_print(out, size, "%.6g", number);
}

static void plain_text(const vv_member *f, const void *def, bool json, char *out, size_t size)
{
    const double part = vv_member_part(f, def);
    const double *vector;
    char one[3][VV_NUMBER_LENGTH];
    switch (vv_member_kind(f)) {
    case VV_MEMBER_NAME: vv_print(out, size, json ? "\"%s\"" : "%s", *vv_member_name(f, def)); return;
    case VV_MEMBER_VECTOR:
        vector = vv_member_vector(f, def);
        for (int k = 0; k < 3; k++)
            number_text(vector[k], json, one[k], sizeof one[k]);
        vv_print(out, size, "[%s, %s, %s]", one[0], one[1], one[2]);
        return;
    default: break;
    }
    const double number = vv_member_number(f, def);
    if (part > 0) {
        number_text(100 * part, json, one[0], sizeof one[0]);
        vv_print(out, size, json ? "\"%s%%\"" : "%s%%", one[0]);
    } else if (f->row.word && number == f->row.word_value) {
        vv_print(out, size, json ? "\"%s\"" : "%s", f->row.word);
    } else if (f->row.kind == VV_KEY_BOOLEAN) {
        vv_print(out, size, "%s", number != 0 ? "true" : "false");
    } else {
        number_text(number, json, out, size);
    }
}

void vv_member_say(const vv_members *members, const vv_member *f, const void *before, const void *def, bool json,
                   vvSettingFunction *say, void *user)
{
    const vv_member_class kind = vv_member_kind(f);
    char text[256];
    if (kind == VV_MEMBER_OTHER) {
        f->ops->say(before, def, json, say, user);
    } else if (kind != VV_MEMBER_NONE && *f->row.key.path && vv_member_is_read(f, def) &&
               !(before && vv_member_same(f, before, def))) {
        plain_text(f, def, json, text, sizeof text);
        say(user, key_of(members, f), text);
    }
}

void vv_members_say(const vv_members *members, const void *before, const void *def, bool json, vvSettingFunction *say,
                    void *user)
{
    for (int i = 0; i < members->count; i++)
        vv_member_say(members, members->row + i, before, def, json, say, user);
}

/* ---- defaults ---- */

static double default_number(const vv_member *f)
{
    const char *text = f->row.key.fallback, *end = text + strlen(text);
    double number;
    if (f->row.kind == VV_KEY_BOOLEAN)
        return strcmp(text, "true") == 0;
    return vv_parse_double(text, end, &number) == end ? number : f->number;
}

/* "[0, -9.8, 0]" */
static void default_vector(const vv_member *f, double vector[3])
{
    const char *text = f->row.key.fallback, *end = text + strlen(text);
    for (int k = 0; k < 3 && text; k++)
        text = vv_parse_double(text + strspn(text, "[, "), end, vector + k);
}

void vv_members_default(const vv_members *members, void *def)
{
    for (int i = 0; i < members->count; i++) {
        const vv_member *f = members->row + i;
        switch (vv_member_kind(f)) {
        case VV_MEMBER_NUMBER: vv_member_set_number(f, def, default_number(f)); break;
        case VV_MEMBER_NAME: *vv_member_name(f, def) = f->name ? f->name : f->row.key.fallback; break;
        case VV_MEMBER_VECTOR: default_vector(f, vv_member_vector(f, def)); break;
        default: break;
        }
    }
}

/* ---- checks ---- */

static vvStatus check_part(double part, const char *key, vvError *error)
{
    if (part == 0 || vv_part_is_allowed(part))
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "%s is %g%% of the world's length; it must be 0 (not used), or " VV_PARTS_ALLOWED, key, 100 * part);
}

static vvStatus check_name(const vv_member *f, const char **name, const char *key, vvError *error)
{
    if (!*name && f->optional)
        *name = f->row.key.fallback;
    return vv_def_name(name, key, f->row.names, error);
}

static vvStatus check_vector(const vv_member *f, const double *vector, const char *key, vvError *error)
{
    vvStatus status = VV_OK;
    for (int k = 0; k < 3 && status == VV_OK; k++)
        status = vv_row_check(&f->row, vector[k], key, error);
    return status;
}

static vvStatus check(const vv_member *f, void *def, const char *key, vvError *error)
{
    vvStatus status;
    switch (vv_member_kind(f)) {
    case VV_MEMBER_NONE: return VV_OK;
    case VV_MEMBER_NAME: return check_name(f, vv_member_name(f, def), key, error);
    case VV_MEMBER_VECTOR: return check_vector(f, vv_member_vector(f, def), key, error);
    case VV_MEMBER_OTHER: return f->ops->check(&f->row, def, error);
    default:
        if (f->row.kind == VV_KEY_BOOLEAN)
            return VV_OK;
        status = vv_row_check(&f->row, vv_member_number(f, def), key, error);
        return status == VV_OK ? check_part(vv_member_part(f, def), key, error) : status;
    }
}

vvStatus vv_members_check(const vv_members *members, void *def, vvError *error)
{
    vvStatus status = VV_OK;
    for (int i = 0; i < members->count && status == VV_OK; i++)
        if (vv_member_is_read(members->row + i, def))
            status = check(members->row + i, def, key_of(members, members->row + i), error);
    return status;
}

/* ---- what differs ---- */

bool vv_members_same(const vv_members *members, const void *a, const void *b)
{
    for (int i = 0; i < members->count; i++)
        if (!vv_member_same(members->row + i, a, b))
            return false;
    return true;
}

unsigned vv_members_stale(const vv_members *members, const void *a, const void *b)
{
    unsigned stale = 0;
    for (int i = 0; i < members->count; i++) {
        const vv_member *f = members->row + i;
        /* a length given in another way that comes to the same is no change of what is baked */
        const bool same = f->chosen ? vv_member_number(f, a) == vv_member_number(f, b) : vv_member_same(f, a, b);
        if (!f->idle && !same)
            stale |= f->stale ? f->stale : members->stale;
    }
    return stale;
}

bool vv_member_is_of_model(const vv_member *f, const char *model)
{
    const char *part = f->row.key.path + strlen("contact."), *dot = strchr(part, '.');
    const vv_contact_model *row = vv_contact_model_find(model);
    return f->row.kind != VV_KEY_OBJECT && (!dot || (row && vv_contact_model_reads(row, part, (size_t)(dot - part))));
}
