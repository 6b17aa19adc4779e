/* Abaqus input files: fields of lines, and the sets that they name or list. */
#include "base/text/text.h"
#include "mesh/format/inp.h"

#include <inttypes.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------------------------------- */

bool vv_inp_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

bool vv_inp_field(vv_source *s, vv_word *field, bool *comma)
{
    const char *to = s->p;
    for (bool quoted = false; to < s->end && (quoted || *to != ',') && *to != '\n'; to++)
        quoted = quoted != (*to == '"');
    *comma = to < s->end && *to == ',';
    if (to == s->p && !*comma)
        return false;
    *field = (vv_word){ s->p, 0 };
    s->p = to + *comma;
    while (field->text < to && vv_inp_is_blank(*field->text))
        field->text++;
    while (to > field->text && vv_inp_is_blank(to[-1]))
        to--;
    field->length = (int)(to - field->text);
    return true;
}

bool vv_inp_line_ends(const vv_source *s)
{
    const char *p = s->p;
    while (p < s->end && vv_inp_is_blank(*p))
        p++;
    return p == s->end || *p == '\n';
}

bool vv_inp_is(vv_word word, const char *text)
{
    return (size_t)word.length == strlen(text) && vv_same_letters(word.text, text, (size_t)word.length);
}

bool vv_inp_data(vv_source *s)
{
    while (s->p < s->end) {
        vv_source ahead = *s;
        vv_word word;
        if (vv_text_word(&ahead, &word)) {
            if (word.text[0] != '*')
                return word.text[0] != 0x1a;
            if (word.length < 2 || word.text[1] != '*')
                return false;
        }
        vv_text_skip_line(s);
    }
    return false;
}

vvStatus vv_inp_refuse(vv_source *s, vv_word field, const char *what)
{
    char quoted[VV_QUOTED_LENGTH];
    if (!field.length)
        return vv_source_fail(s, "a field is empty where %s is needed", what);
    return vv_source_fail(s, "found %s where %s is needed", vv_quote(quoted, field), what);
}

/* A number above 0; *comma as of next_field. */
vvStatus vv_inp_id(vv_source *s, const char *what, int64_t *id, bool *comma)
{
    vv_word field;
    if (!vv_inp_field(s, &field, comma))
        return vv_source_fail(s, "the line ends where %s is needed", what);
    return vv_word_int(field, id) && *id > 0 ? VV_OK : vv_inp_refuse(s, field, what);
}

vvStatus vv_inp_memory(const vv_inp *o) { return vv_source_short(o->source, "the mesh"); }

/* ---- sets -------------------------------------------------------------------------------------------------------- */

/* The name without quotes; refuses those that no group has. */
static vvStatus check_name(vv_inp *o, vv_word *name)
{
    if (name->length > 1 && name->text[0] == '"' && name->text[name->length - 1] == '"')
        *name = (vv_word){ name->text + 1, name->length - 2 };
    if (name->length < 1 || (size_t)name->length >= sizeof((vv_inp_set *)0)->name)
        return vv_source_fail(o->source, "the name of a set has %d bytes; allowed: 1 to %zu", name->length,
                              sizeof((vv_inp_set *)0)->name - 1);
    for (int i = 0; i < name->length; i++)
        if ((unsigned char)name->text[i] < 32 || name->text[i] == 127)
            return vv_source_fail(o->source, "the name of a set has a control character");
    return VV_OK;
}

/* Where the set of that name is in the table, or its place there. */
static size_t slot_of(const vv_inp *o, vv_word name, bool elements)
{
    const vv_inp_set *sets = o->sets.data;
    uint32_t hash = elements;
    for (int i = 0; i < name.length; i++)
        hash = (hash ^ (unsigned char)vv_small_letter(name.text[i])) * 16777619u;
    size_t at = (hash ^ hash >> 15) % VV_INP_SLOTS;
    while (o->slots[at] &&
           !(sets[o->slots[at] - 1].elements == elements && vv_inp_is(name, sets[o->slots[at] - 1].name)))
        at = (at + 1) % VV_INP_SLOTS;
    return at;
}

/* The set of that name, made if need be. */
vvStatus vv_inp_find_set(vv_inp *o, vv_word name, bool elements, bool make, int *set)
{
    vvStatus status = check_name(o, &name);
    if (status != VV_OK)
        return status;
    const size_t at = slot_of(o, name, elements);
    *set = o->slots[at] - 1;
    if (*set >= 0)
        return VV_OK;
    if (!make) {
        char quoted[VV_QUOTED_LENGTH];
        return vv_source_fail(o->source, "%s is neither a number nor a set that stands before it",
                              vv_quote(quoted, name));
    }
    if (o->sets.count == VV_MOST_GROUPS)
        return vv_source_fail(o->source, "there are more than %d sets", VV_MOST_GROUPS);
    vv_inp_set made = { .elements = elements, .first_row = -1, .last_row = -1 };
    memcpy(made.name, name.text, (size_t)name.length);
    if (!vv_list_push(&o->sets, &made, sizeof made))
        return vv_inp_memory(o);
    *set = (int)o->sets.count - 1;
    o->slots[at] = *set + 1;
    return VV_OK;
}

vvStatus vv_inp_add_row(vv_inp *o, int set, int other, int64_t first, int64_t last, int64_t step)
{
    const vv_inp_row row = { other, -1, first, last, step, o->source->line };
    if (o->rows.count >= VV_MESH_LIMIT || !vv_list_push(&o->rows, &row, sizeof row))
        return vv_inp_memory(o);
    vv_inp_set *s = (vv_inp_set *)o->sets.data + set;
    const int added = (int)o->rows.count - 1;
    if (s->last_row >= 0)
        ((vv_inp_row *)o->rows.data)[s->last_row].next = added;
    else
        s->first_row = added;
    s->last_row = added;
    return VV_OK;
}

static vvStatus read_range(vv_inp *o, int set)
{
    int64_t first, last, step = 1;
    bool comma = false;
    vvStatus status = vv_inp_id(o->source, "the first number of a set's range", &first, &comma);
    if (status == VV_OK)
        status = vv_inp_id(o->source, "the last number of a set's range", &last, &comma);
    if (status == VV_OK && comma && !vv_inp_line_ends(o->source))
        status = vv_inp_id(o->source, "the step of a set's range", &step, &comma);
    if (status == VV_OK && last < first)
        status = vv_source_fail(o->source, "a set's range from %" PRId64 " to %" PRId64, first, last);
    return status != VV_OK ? status : vv_inp_add_row(o, set, -1, first, last, step);
}

static vvStatus read_members(vv_inp *o, int set, bool elements)
{
    vv_word field;
    bool comma;
    vvStatus status = VV_OK;
    while (status == VV_OK && vv_inp_field(o->source, &field, &comma)) {
        int64_t id;
        int other;
        if (field.length == 0)
            continue;
        if (vv_word_int(field, &id)) {
            status =
                id > 0 ? vv_inp_add_row(o, set, -1, id, id, 1) : vv_inp_refuse(o->source, field, "a number above 0");
            continue;
        }
        status = vv_inp_find_set(o, field, elements, false, &other);
        if (status == VV_OK && other != set)
            status = vv_inp_add_row(o, set, other, 0, 0, 1);
    }
    return status;
}

vvStatus vv_inp_read_set(vv_inp *o, vv_word name, bool elements, bool generate)
{
    int set = 0;
    vvStatus status = vv_inp_find_set(o, name, elements, true, &set);
    for (; status == VV_OK && vv_inp_data(o->source); vv_text_skip_line(o->source))
        status = generate ? read_range(o, set) : read_members(o, set, elements);
    return status;
}
