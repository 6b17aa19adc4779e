/* MEDIT .mesh files (P. Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253).
 *
 *   MeshVersionFormatted 2
 *   Dimension 3
 *   Vertices    count, then: x y z reference
 *   Tetrahedra  count, then: four vertex numbers from 1, reference
 *   End
 * Words may be separated by line ends anywhere, and # begins a comment. However, an entry that begins on one line and
 * ends in the middle of another is refused: a line with a number too few or too many would otherwise shift everything
 * after it. A file may lack its End, as several programs omit it. */
#include "base/text/text.h"
#include "mesh/format/medit.h"
#include "mesh/format/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The next word on any line, skipping comments; false at the end of the file. */
static bool next_word(vv_source *s, vv_word *word)
{
    for (;;) {
        vv_text_skip_blank(s);
        if (!vv_text_word(s, word))
            return false;
        const char *comment = vv_word_comment(*word);
        if (!comment)
            return true;
        s->p = comment;
        word->length = (int)(comment - word->text);
        if (word->length)
            return true;
        vv_text_skip_line(s);
    }
}

/* Identifies an entry in messages: entry `index` (from 0) of `count` of the section. */
typedef struct entry {
    vv_medit *m;
    vv_medit_keyword keyword;
    int64_t index, count;
    int line;
} entry;

static vvStatus entry_fail(const entry *e, const char *found, const char *what)
{
    return vv_source_fail(e->m->source, "%s where %s is needed, in entry %" PRId64 " of the %" PRId64 " of '%s'", found,
                          what, e->index + 1, e->count, e->keyword.name);
}

static vvStatus entry_word(const entry *e, const char *what, vv_word *word)
{
    return next_word(e->m->source, word) ? VV_OK : entry_fail(e, "the file ends", what);
}

static vvStatus refuse_word(const entry *e, vv_word word, const char *what)
{
    char quoted[VV_QUOTED_LENGTH], found[VV_QUOTED_LENGTH + 16];
    snprintf(found, sizeof found, "found %s", vv_quote(quoted, word));
    return entry_fail(e, found, what);
}

static vvStatus entry_double(const entry *e, const char *what, double *value)
{
    vv_word word;
    vvStatus status = entry_word(e, what, &word);
    if (status == VV_OK && (!vv_word_double(word, value) || !isfinite(*value)))
        status = refuse_word(e, word, what);
    return status;
}

static vvStatus entry_int(const entry *e, const char *what, int64_t *value)
{
    vv_word word;
    vvStatus status = entry_word(e, what, &word);
    if (status == VV_OK && !vv_word_int(word, value))
        status = refuse_word(e, word, what);
    return status;
}

/* Called after the last number of an entry: see the top of the file. */
static vvStatus check_lines(const entry *e, int numbers)
{
    vv_source *s = e->m->source;
    vv_source ahead = *s;
    vv_word rest;
    if (s->line == e->line || !vv_text_word(&ahead, &rest) || rest.text[0] == '#')
        return VV_OK;
    int end = s->line;
    s->line = e->line;
    return vv_source_fail(s,
                          "entry %" PRId64 " of '%s' begins on this line and ends in the middle of line %d, so a line "
                          "has too many or too few numbers; an entry has %d numbers: %s",
                          e->index + 1, e->keyword.name, end, numbers,
                          e->keyword.kind == VV_MEDIT_VERTICES ? "x y z and a reference"
                                                               : "its vertices and a reference");
}

static vvStatus read_vertex(const entry *e)
{
    static const char *const names[] = { "an x coordinate", "a y coordinate", "a z coordinate" };
    double x[3], reference;
    vvStatus status = VV_OK;
    for (int k = 0; k < 3 && status == VV_OK; k++)
        status = entry_double(e, names[k], &x[k]);
    if (status == VV_OK)
        status = entry_double(e, "a reference number (each vertex is x y z reference)", &reference);
    if (status == VV_OK)
        status = check_lines(e, 4);
    if (status == VV_OK)
        vv_builder_vertex(e->m->builder, x, e->line);
    return status;
}

static vvStatus read_element(const entry *e)
{
    int64_t numbers[VV_MEDIT_MOST];
    double reference = 0;
    vvStatus status = VV_OK;
    for (int k = 0; k < e->keyword.size && status == VV_OK; k++)
        status = entry_int(e, "a vertex number", &numbers[k]);
    if (status == VV_OK)
        status = entry_double(e, "a reference number (the last of each line)", &reference);
    if (status == VV_OK)
        status = check_lines(e, e->keyword.size + 1);
    const int64_t whole = fabs(reference) < 9e15 ? (int64_t)reference : 0;
    return status != VV_OK ? status : vv_medit_add_element(e->m, e->keyword, numbers, whole, e->line);
}

/* An integer that follows a keyword. */
static vvStatus read_value(vv_medit *m, const char *what, int64_t *value)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    if (!next_word(m->source, &word))
        return vv_source_fail(m->source, "the file ends where %s is needed", what);
    if (!vv_word_int(word, value))
        return vv_source_fail(m->source, "found %s where %s, an integer, is needed", vv_quote(quoted, word), what);
    return VV_OK;
}

static vvStatus read_section(vv_medit *m, vv_medit_keyword keyword)
{
    int numbers = keyword.kind == VV_MEDIT_VERTICES ? 4 : keyword.size + 1;
    char what[80];
    entry e = { .m = m, .keyword = keyword };
    snprintf(what, sizeof what, "the number of '%s'", keyword.name);
    vvStatus status = read_value(m, what, &e.count);
    if (status == VV_OK)
        status = vv_medit_begin(m, keyword, e.count, 2 * numbers);
    for (; status == VV_OK && e.index < e.count && !m->builder->failed; e.index++) {
        vv_source ahead = *m->source;
        vv_word first;
        e.line = next_word(&ahead, &first) ? ahead.line : m->source->line;
        status = keyword.kind == VV_MEDIT_VERTICES ? read_vertex(&e) : read_element(&e);
    }
    return status;
}

/* ---- sections that are skipped ----------------------------------------------------------------------------------- */

static bool is_number(vv_word word)
{
    double value;
    char c = word.text[0];
    bool nan = word.length >= 3 && (vv_same_letters(word.text + (c == '-' || c == '+'), "nan", 3) ||
                                    vv_same_letters(word.text + (c == '-' || c == '+'), "inf", 3));
    return nan || !vv_is_letter(c) || vv_word_double(word, &value);
}

/* Skips numbers up to the next word; there must be as many as a count demands. */
static vvStatus skip_numbers(vv_medit *m, vv_medit_keyword keyword)
{
    vv_source *s = m->source;
    int64_t found = 0, count = 0;
    for (;; found++) {
        vv_source ahead = *s;
        vv_word word;
        if (!next_word(&ahead, &word) || !is_number(word))
            break;
        if (!found && keyword.size && !vv_word_int(word, &count))
            count = 0;
        *s = ahead;
    }
    if (keyword.size && count > (found - 1) / keyword.size)
        return vv_source_fail(s, "'%s' counts %" PRId64 " entries of %d numbers; %" PRId64 " numbers follow",
                              keyword.name, count, keyword.size, found > 0 ? found - 1 : 0);
    return VV_OK;
}

/* Skips a quoted text on this line or the next, or a count and that many lines. */
static vvStatus skip_text(vv_medit *m, vv_medit_keyword keyword)
{
    vv_source *s = m->source;
    vv_source ahead = *s;
    vv_word word;
    int64_t count = 0;
    if (!next_word(&ahead, &word))
        return vv_source_fail(s, "the file ends after '%s'", keyword.name);
    if (vv_word_int(word, &count)) {
        *s = ahead;
        vv_text_skip_line(s);
        for (; count > 0 && s->p < s->end; count--)
            vv_text_skip_line(s);
    } else {
        s->line = ahead.line;
        s->p = word.text;
        vv_text_skip_line(s);
    }
    return VV_OK;
}

/* ---- the whole file ---------------------------------------------------------------------------------------------- */

static vvStatus refuse_keyword(vv_medit *m, vv_word word, const char *last)
{
    char quoted[VV_QUOTED_LENGTH];
    double value;
    const char *near = vv_medit_nearest(word);
    if (vv_word_double(word, &value))
        return vv_source_fail(m->source,
                              "found %s after the last entry of '%s'; a keyword is needed: the count of '%s' "
                              "is too small or a line holds too many numbers",
                              vv_quote(quoted, word), last, last);
    return vv_source_fail(m->source, "found %s where a MEDIT keyword such as Tetrahedra or End is needed%s%s%s",
                          vv_quote(quoted, word), near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

/* One keyword and its section or value. */
static vvStatus read_keyword(vv_medit *m, vv_word word, const char **last, bool *end)
{
    vv_medit_keyword keyword = vv_medit_by_name(word);
    int64_t value = 0;
    vvStatus status;
    switch (keyword.kind) {
    case VV_MEDIT_VERSION: return vv_source_fail(m->source, "a second 'MeshVersionFormatted'; one is allowed");
    case VV_MEDIT_DIMENSION:
        status = read_value(m, "the dimension", &value);
        status = status != VV_OK ? status : vv_medit_set_dimension(m, value);
        break;
    case VV_MEDIT_PRECISION: status = read_value(m, "the number of bits", &value); break;
    case VV_MEDIT_VERTICES:
    case VV_MEDIT_ELEMENTS:
    case VV_MEDIT_REFUSED: status = read_section(m, keyword); break;
    case VV_MEDIT_SKIPPED: status = skip_numbers(m, keyword); break;
    case VV_MEDIT_TEXT: status = skip_text(m, keyword); break;
    case VV_MEDIT_END: *end = true; return VV_OK;
    default: return refuse_keyword(m, word, *last);
    }
    *last = keyword.name;
    return status;
}

static vvStatus read_text(vv_source *source, vv_builder *builder)
{
    vv_medit m = { .source = source, .builder = builder };
    char quoted[VV_QUOTED_LENGTH];
    const char *last = "MeshVersionFormatted";
    vv_word word = { 0 };
    bool end = false;
    if (!next_word(source, &word) || vv_medit_by_name(word).kind != VV_MEDIT_VERSION)
        return vv_source_fail(source, "found %s where 'MeshVersionFormatted' is needed, the first word of a MEDIT file",
                              vv_quote(quoted, word));
    int64_t version = 0;
    vvStatus status = read_value(&m, "the format version", &version);
    if (status == VV_OK)
        status = vv_medit_check_version(&m, version);
    while (status == VV_OK && !end && !builder->failed && next_word(source, &word))
        status = read_keyword(&m, word, &last, &end);
    if (status == VV_OK && end && next_word(source, &word) && word.text[0] != 0x1a)
        status = vv_source_fail(source, "found %s after 'End'; nothing may follow it", vv_quote(quoted, word));
    return status != VV_OK ? status : vv_medit_finish(&m);
}

static vv_match match_text(const char *data, size_t size)
{
    vv_source s = { .p = data, .end = data + size, .line = 1 };
    vv_word word;
    bool known = next_word(&s, &word) && vv_medit_by_name(word).kind == VV_MEDIT_VERSION;
    return known ? VV_MATCH_YES : VV_MATCH_NO;
}

static void put_section(const vv_medit_section *section, vv_output *o)
{
    if (!section->count)
        return;
    vv_put_text(o, section->name);
    vv_put_text(o, "\n");
    vv_put_int(o, section->count, '\n');
    for (int i = 0; i < section->count; i++) {
        for (int k = 0; k < section->corners; k++)
            vv_put_int(o, section->indices[(size_t)section->corners * (size_t)i + (size_t)k] + 1, ' ');
        vv_put_text(o, "0\n");
    }
}

static vvStatus write_text(const vvMesh *mesh, vv_output *o, vvError *error)
{
    vv_medit_section sections[VV_MEDIT_KINDS];
    vvStatus status = vv_medit_sections(mesh, sections, error);
    if (status != VV_OK)
        return status;
    vv_put_text(o, "MeshVersionFormatted 2\nDimension 3\nVertices\n");
    vv_put_int(o, mesh->vertexCount, '\n');
    for (int v = 0; v < mesh->vertexCount; v++) {
        for (int k = 0; k < 3; k++)
            vv_put_double(o, mesh->positions[3 * (size_t)v + (size_t)k], ' ');
        vv_put_text(o, "0\n");
    }
    for (int k = 0; k < VV_MEDIT_KINDS; k++)
        put_section(&sections[k], o);
    vv_put_text(o, "End\n");
    return VV_OK;
}

extern const vv_format vv_format_medit;
const vv_format vv_format_medit = {
    { "medit", "MEDIT, text (.mesh)" }, ".mesh", match_text, read_text, write_text,
};
