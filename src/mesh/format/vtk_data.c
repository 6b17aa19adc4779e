/* Legacy VTK files: the data behind the mesh, POINT_DATA and CELL_DATA. Arrays of whole numbers, one a cell, are taken
 * for regions; all others are skipped. What is not known ends the reading: the mesh is there already.
 *
 *   SCALARS name type [components]   LOOKUP_TABLE name   values
 *   FIELD name n                     n times: name components tuples type, values
 *   VECTORS name type, and the like  values */
#include "mesh/format/vtk_legacy.h"

#include "base/text/text.h"

#include <string.h>

typedef struct data {
    vv_legacy *o;
    bool of_cells; /* else of points */
    int64_t count;
} data;

/* Attributes whose heading is "KEYWORD name type", and how many numbers each has. */
static const struct {
    const char *keyword;
    int components;
} plain[] = { { "VECTORS", 3 },  { "NORMALS", 3 },    { "TENSORS", 9 },
              { "TENSORS6", 6 }, { "GLOBAL_IDS", 1 }, { "PEDIGREE_IDS", 1 } };

static vvStatus skip(data *d, int64_t components, vv_scalar kind, vv_word name)
{
    return vv_legacy_skip_numbers(d->o->vtk.source, components * d->count, 8 * vv_scalar_size(kind), name);
}

static bool more_on_line(const vv_source *s)
{
    vv_source ahead = *s;
    vv_word word;
    return vv_text_word(&ahead, &word);
}

static vvStatus read_scalars(data *d)
{
    vv_source *s = d->o->vtk.source;
    vv_word name, word;
    vv_scalar kind;
    int64_t components = 1;
    vvStatus status = vv_text_need(s, "the name of scalars", &name);
    if (status == VV_OK)
        status = vv_legacy_kind(s, &kind);
    if (status == VV_OK && more_on_line(s))
        status = vv_text_int(s, "the number of components", &components);
    if (status == VV_OK)
        status = vv_text_end_line(s);
    if (status != VV_OK)
        return status;
    vv_source ahead = *s;
    if (vv_text_word(&ahead, &word) && vv_word_is(word, "LOOKUP_TABLE")) {
        *s = ahead;
        vv_text_skip_line(s);
    }
    if (d->of_cells && components == 1 && !vv_scalar_is_float(kind))
        return vv_legacy_take_numbers(&d->o->vtk, name, kind);
    return components < 1 || components > 16 ? vv_source_fail(s, "too many components")
                                             : skip(d, components, kind, name);
}

/* "KEYWORD name count": four bytes or numbers an entry of a table, `count` an entry of colours. */
static vvStatus skip_colours(data *d, bool table)
{
    vv_source *s = d->o->vtk.source;
    vv_word name;
    int64_t count;
    vvStatus status = vv_text_need(s, "a name", &name);
    if (status == VV_OK)
        status = vv_text_int(s, "a count", &count);
    if (status == VV_OK && (count < 0 || count > s->end - s->p))
        status = vv_source_fail(s, "a count that the file cannot hold");
    if (status == VV_OK)
        status = vv_text_end_line(s);
    return status != VV_OK ? status : vv_legacy_skip_numbers(s, table ? 4 * count : count * d->count, 8, name);
}

/* "KEYWORD name [components] type", then the values. */
static vvStatus skip_plain(data *d, int64_t components)
{
    vv_source *s = d->o->vtk.source;
    vv_word name;
    vv_scalar kind;
    vvStatus status = vv_text_need(s, "a name", &name);
    if (status == VV_OK && components == 0) {
        status = vv_text_int(s, "the number of components", &components);
        if (status == VV_OK && (components < 1 || components > 3))
            status = vv_source_fail(s, "1 to 3 are allowed");
    }
    if (status == VV_OK)
        status = vv_legacy_kind(s, &kind);
    if (status == VV_OK)
        status = vv_text_end_line(s);
    return status != VV_OK ? status : skip(d, components, kind, name);
}

/* *known: false at a word that begins no section. */
static vvStatus read_attribute(data *d, vv_word word, bool *known)
{
    vv_source *s = d->o->vtk.source;
    *known = true;
    if (vv_word_is(word, "SCALARS"))
        return read_scalars(d);
    if (vv_word_is(word, "FIELD"))
        return vv_legacy_read_field(s, d->of_cells ? &d->o->vtk : NULL);
    if (vv_word_is(word, "LOOKUP_TABLE") || vv_word_is(word, "COLOR_SCALARS"))
        return skip_colours(d, vv_word_is(word, "LOOKUP_TABLE"));
    if (vv_word_is(word, "TEXTURE_COORDINATES"))
        return skip_plain(d, 0);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (vv_word_is(word, plain[i].keyword))
            return skip_plain(d, plain[i].components);
    if (vv_word_is(word, "METADATA")) {
        vv_legacy_skip_metadata(s);
        return VV_OK;
    }
    *known = false;
    return VV_OK;
}

/* The heading's count has to be that of the mesh. */
static vvStatus begin(data *d, bool of_cells)
{
    vv_source *s = d->o->vtk.source;
    d->of_cells = of_cells;
    vvStatus status = vv_text_int(s, "a count", &d->count);
    if (status == VV_OK && d->count != (of_cells ? d->o->vtk.cell : d->o->vtk.count))
        status = vv_source_fail(s, "another count than that of the mesh");
    return status != VV_OK ? status : vv_text_end_line(s);
}

vvStatus vv_legacy_read_data(vv_legacy *o, bool cells_first)
{
    vv_source *s = o->vtk.source;
    vvError unsaid = { 0 }, *said = s->error;
    data d = { .o = o };
    vv_word word;
    bool known = true;
    s->error = &unsaid;
    vvStatus status = begin(&d, cells_first);
    while (status == VV_OK && known && !o->vtk.builder->failed) {
        vv_text_skip_blank(s);
        if (!vv_text_word(s, &word))
            break;
        const bool cells = vv_word_is(word, "CELL_DATA");
        status = cells || vv_word_is(word, "POINT_DATA") ? begin(&d, cells) : read_attribute(&d, word, &known);
    }
    s->error = said;
    if (status == VV_OK || status == VV_ERROR_INPUT)
        return VV_OK;
    if (said)
        *said = unsaid;
    return status;
}
