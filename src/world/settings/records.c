/* The record of what setters have changed: each changed setting as the world was made with it. A saved state carries
 * it beside the present values (world/saved/save.c), so that a run resumes with what its host had set, while a user who
 * resumes it with another definition gets that.
 *
 * In memory: a row of records, each a head and a value. A value is written by a pen, which counts, writes or
 * compares. */
#include "base/error.h"
#include "base/memory.h"
#include "world/settings/members.h"
#include "world/settings/bytes.h"
#include "world/settings/settings.h"

#include <stdio.h>
#include <string.h>

typedef vv_setting_head head;

/* ---- values ---- */

/* Every member of a definition. Lengths as they were given: what the world has chosen itself counts as none. */
static void put_members(vv_pen *p, const vv_members *members, const void *def, const vv_given_lengths *given)
{
    for (int i = 0; i < members->count; i++) {
        const vv_member *f = members->row + i;
        if (f->unsaved)
            continue;
        switch (vv_member_kind(f)) {
        case VV_MEMBER_NUMBER:
            vv_put_number(p, f->chosen ? vv_member_given(f, given) : vv_member_number(f, def));
            if (f->row.percent)
                vv_put_number(p, vv_member_part(f, def));
            break;
        case VV_MEMBER_NAME: vv_put_name(p, *vv_member_name(f, def)); break;
        case VV_MEMBER_VECTOR: vv_put_numbers(p, vv_member_vector(f, def), 3); break;
        case VV_MEMBER_OTHER: f->ops->put(p, def); break;
        case VV_MEMBER_NONE: break;
        }
    }
}

static void put_filter(vv_pen *p, const vvFilter *f)
{
    const uint64_t words[] = { f->category, f->mask, (uint64_t)(int64_t)f->group };
    vv_put(p, words, sizeof words);
}

/* The setting's present value. */
static void put_value(vv_pen *p, const vvWorld *w, vv_setting_kind kind, int at)
{
    switch (kind) {
    case VV_SETTING_GRAVITY: vv_put_numbers(p, w->def.gravity, 3); break;
    case VV_SETTING_TIME_STEP: vv_put_number(p, w->def.timeStep); break;
    case VV_SETTING_INTEGRATOR: put_members(p, &vv_integrator_members, &w->def.integrator, &w->given); break;
    case VV_SETTING_SOLVER: put_members(p, &vv_solver_members, &w->def.solver, &w->given); break;
    case VV_SETTING_CONTACT: put_members(p, &vv_contact_members, &w->def.contact, &w->given); break;
    case VV_SETTING_PAIRS: put_members(p, &vv_pair_members, w, NULL); break;
    case VV_SETTING_SURFACE:
        vv_put_numbers(p, (double[]){ w->bodies[at].friction, w->bodies[at].self_contact }, 2);
        put_filter(p, &w->bodies[at].filter);
        break;
    case VV_SETTING_OBSTACLE:
        vv_put_number(p, w->obstacles[at].friction);
        put_filter(p, &w->obstacles[at].filter);
        break;
    default:
        for (int i = 0; i < w->bodies[at].material_count; i++)
            put_members(p, &vv_material_members, &w->bodies[at].materials[i].def, NULL);
    }
}

/* ---- records ---- */

/* The record at an offset, or NULL past the end. */
static const head *record_at(const vv_bytes *b, size_t offset)
{
    return offset < b->size ? (const head *)(const void *)(b->data + offset) : NULL;
}

static size_t length_of(const head *h) { return sizeof *h + vv_setting_padded(h->bytes); }

static const head *find(const vv_bytes *b, vv_setting_kind kind, int at)
{
    size_t offset = 0;
    for (const head *h; (h = record_at(b, offset)); offset += length_of(h))
        if (h->kind == (int)kind && h->at == at)
            return h;
    return NULL;
}

bool vv_world_remember_made(vvWorld *w, vv_setting_kind kind, int at)
{
    vv_bytes *b = &w->made;
    vv_pen size = { 0 };
    if (find(b, kind, at))
        return true;
    put_value(&size, w, kind, at);
    head h = { (int32_t)kind, at, (uint32_t)size.size, 0 };
    if (!vv_grow((void **)&b->data, &b->capacity, b->size + length_of(&h), 1))
        return false;
    char *to = b->data + b->size;
    memset(to, 0, length_of(&h));
    memcpy(to, &h, sizeof h);
    put_value(&(vv_pen){ .to = to + sizeof h }, w, kind, at);
    b->size += length_of(&h);
    return true;
}

static bool is_of_body(const head *h) { return h->kind == VV_SETTING_SURFACE || h->kind == VV_SETTING_MATERIAL; }

/* Pairs of a body that goes are dropped; later bodies move down. Returns the bytes that are left. */
static size_t drop_pairs(char *value, size_t bytes, int body)
{
    enum { NUMBERS = 3 };
    size_t kept = 0, one = NUMBERS * sizeof(double);
    for (size_t i = 0; i + one <= bytes; i += one) {
        double pair[NUMBERS];
        memcpy(pair, value + i, one);
        if (pair[0] == body || pair[1] == body)
            continue;
        pair[0] -= pair[0] > body;
        pair[1] -= pair[1] > body;
        memcpy(value + kept, pair, one);
        kept += one;
    }
    memset(value + kept, 0, bytes - kept);
    return kept;
}

void vv_settings_drop(vvWorld *w, bool body, int place)
{
    vv_bytes *b = &w->made;
    size_t kept = 0, next;
    for (size_t offset = 0; offset < b->size; offset = next) {
        head h;
        memcpy(&h, b->data + offset, sizeof h);
        size_t length = length_of(&h);
        next = offset + length;
        bool numbered = body ? is_of_body(&h) : h.kind == VV_SETTING_OBSTACLE;
        if (numbered && h.at == place)
            continue;
        h.at -= numbered && h.at > place;
        memmove(b->data + kept, b->data + offset, length);
        if (body && h.kind == VV_SETTING_PAIRS)
            h.bytes = (uint32_t)drop_pairs(b->data + kept + sizeof h, h.bytes, place);
        memcpy(b->data + kept, &h, sizeof h);
        kept += length_of(&h);
    }
    b->size = kept;
}

/* ---- saving ---- */

size_t vv_settings_save(const vvWorld *w, void *to)
{
    const vv_bytes *b = &w->made;
    size_t size = 0, offset = 0;
    for (const head *h; (h = record_at(b, offset)); offset += length_of(h)) {
        const char *made = (const char *)(h + 1);
        vv_pen now = { .against = made, .room = h->bytes };
        put_value(&now, w, (vv_setting_kind)h->kind, h->at);
        if (!now.differs && now.size == h->bytes) /* back to what it was */
            continue;
        if (to) {
            char *at = (char *)to + size;
            head both = *h;
            both.now = (uint32_t)now.size;
            memset(at, 0, length_of(&both) + vv_setting_padded(both.now));
            memcpy(at, &both, sizeof both);
            memcpy(at + sizeof both, made, h->bytes);
            put_value(&(vv_pen){ .to = at + length_of(&both) }, w, (vv_setting_kind)h->kind, h->at);
        }
        size += length_of(h) + vv_setting_padded(now.size);
    }
    return size;
}

/* Whether this world was made with that value. */
bool vv_setting_made_alike(const vvWorld *w, vv_setting_kind kind, int at, const void *made, size_t bytes)
{
    const head *own = find(&w->made, kind, at);
    if (own)
        return own->bytes == bytes && memcmp(own + 1, made, bytes) == 0;
    return vv_setting_is(w, kind, at, made, bytes);
}

bool vv_setting_is(const vvWorld *w, vv_setting_kind kind, int at, const void *value, size_t bytes)
{
    vv_pen now = { .against = value, .room = bytes };
    put_value(&now, w, kind, at);
    return !now.differs && now.size == bytes;
}
