/* Abaqus and CalculiX input files (Abaqus Keywords Reference Guide): nodes, tets, triangles and lines, sets of them.
 *
 *   *NODE, NSET=name                then: number, x, y, z
 *   *ELEMENT, TYPE=C3D10, ELSET=..  then: number, its nodes; a line that ends with a comma goes on
 *   *NSET, NSET=name, GENERATE      then: numbers, or names of sets; GENERATE: first, last, step
 * and *ELSET alike. ** begins a comment, capitals do not matter. Other keywords are passed over with their lines; those
 * that would make nodes and elements are refused, and so is a second part. Nodes of elements: corners, then middles of
 * the edges 01, 12, 02, 03, 13, 23. */
#include "base/text/text.h"
#include "mesh/format/inp.h"
#include "mesh/format/output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Types by how they begin: of as many corners as nodes, or with middles; what follows (H, M, R, T) does not matter. */
static const struct {
    const char *type;
    int corners, nodes;
} types[] = {
    { "C3D4", 4, 4 }, { "C3D10", 4, 10 }, { "S3", 3, 3 },     { "STRI3", 3, 3 }, { "M3D3", 3, 3 },
    { "R3D3", 3, 3 }, { "SFM3D3", 3, 3 }, { "CPS3", 3, 3 },   { "CPE3", 3, 3 },  { "STRI65", 3, 6 },
    { "S6", 3, 6 },   { "M3D6", 3, 6 },   { "SFM3D6", 3, 6 }, { "CPS6", 3, 6 },  { "CPE6", 3, 6 },
    { "T3D2", 2, 2 }, { "B31", 2, 2 },    { "T3D3", 2, 3 },   { "B32", 2, 3 },
};
enum { TYPES = sizeof types / sizeof *types };

/* Keywords that would change the mesh unseen. */
static const struct {
    const char *name, *why;
} refused[] = {
    { "INCLUDE", "names another file; put all into one" },
    { "NGEN", "makes nodes; write them out" },
    { "NFILL", "makes nodes; write them out" },
    { "NCOPY", "makes nodes; write them out" },
    { "NMAP", "moves nodes; write them as they are" },
    { "SYSTEM", "turns coordinates; write them as they are" },
    { "ELGEN", "makes elements; write them out" },
    { "ELCOPY", "makes elements; write them out" },
};

/* ---- nodes and elements ------------------------------------------------------------------------------------------ */

static vvStatus read_node(vv_inp *o, int set)
{
    static const char *const names[] = { "the x coordinate, a finite number,", "the y coordinate, a finite number,",
                                         "the z coordinate, a finite number," };
    vv_source *s = o->source;
    vv_inp_node node = { 0, s->line };
    double x[3] = { 0 };
    bool comma = false;
    vvStatus status = vv_inp_id(s, "a node's number", &node.id, &comma);
    for (int k = 0; status == VV_OK && k < 3; k++) {
        vv_word field;
        if (!comma)
            return vv_source_fail(s, "the line ends where %s is needed", names[k]);
        if (!vv_inp_field(s, &field, &comma))
            break;                                         /* behind the last comma */
        if (field.length && !vv_word_double(field, &x[k])) /* one that is left out is 0 */
            return vv_inp_refuse(s, field, names[k]);
        if (!(fabs(x[k]) <= VV_COORDINATE_LIMIT))
            return vv_inp_refuse(s, field, names[k]);
    }
    if (status != VV_OK)
        return status;
    vv_builder_vertex(o->builder, x, node.at);
    if (!vv_list_push(&o->nodes, &node, sizeof node))
        return vv_inp_memory(o);
    return set < 0 ? VV_OK : vv_inp_add_row(o, set, -1, node.id, node.id, 1);
}

static vvStatus read_nodes(vv_inp *o, vv_word name)
{
    int set = -1;
    vvStatus status = name.text ? vv_inp_find_set(o, name, false, true, &set) : VV_OK;
    for (; status == VV_OK && !o->builder->failed && vv_inp_data(o->source); vv_text_skip_line(o->source))
        status = read_node(o, set);
    return status;
}

static vvStatus read_element(vv_inp *o, int type, int set)
{
    vv_source *s = o->source;
    vv_inp_element e = { .corners = types[type].corners, .nodes = types[type].nodes, .at = s->line };
    bool comma = false;
    vvStatus status = vv_inp_id(s, "an element's number", &e.id, &comma);
    for (int k = 0; status == VV_OK && k < e.nodes; k++) {
        if (!comma)
            return vv_source_fail(s, "the line ends after %d of the %d nodes of an element of type %s", k, e.nodes,
                                  types[type].type);
        if (vv_inp_line_ends(s)) { /* a comma at the line's end */
            vv_text_skip_line(s);
            if (!vv_inp_data(s))
                return vv_source_fail(s, "an element ends after %d of its %d nodes", k, e.nodes);
        }
        status = vv_inp_id(s, "a node's number", &e.v[k], &comma);
    }
    vv_word rest;
    char quoted[VV_QUOTED_LENGTH];
    if (status == VV_OK && comma && vv_text_word(s, &rest))
        return vv_source_fail(s, "found %s after the %d nodes of an element of type %s", vv_quote(quoted, rest),
                              e.nodes, types[type].type);
    if (status == VV_OK && !vv_list_push(&o->elements, &e, sizeof e))
        status = vv_inp_memory(o);
    return status != VV_OK || set < 0 ? status : vv_inp_add_row(o, set, -1, e.id, e.id, 1);
}

static int type_of(vv_word word)
{
    int best = -1;
    for (int i = 0; i < TYPES; i++) {
        const int length = (int)strlen(types[i].type);
        if (word.length < length || !vv_same_letters(word.text, types[i].type, (size_t)length) ||
            (word.length > length && word.text[length] >= '0' && word.text[length] <= '9'))
            continue;
        if (best < 0 || length > (int)strlen(types[best].type))
            best = i;
    }
    return best;
}

static vvStatus read_elements(vv_inp *o, vv_word type, vv_word name)
{
    const int kind = type.text ? type_of(type) : -1;
    char quoted[VV_QUOTED_LENGTH];
    int set = -1;
    if (!type.text)
        return vv_source_fail(o->source, "*ELEMENT without TYPE=");
    if (kind < 0)
        return vv_source_fail(o->source,
                              "elements of type %s, which are not read; tets (C3D4, C3D10), triangles (S3, STRI65, "
                              "...) and lines (T3D2, B31, ...) are",
                              vv_quote(quoted, type));
    vvStatus status = name.text ? vv_inp_find_set(o, name, true, true, &set) : VV_OK;
    for (; status == VV_OK && vv_inp_data(o->source); vv_text_skip_line(o->source))
        status = read_element(o, kind, set);
    return status;
}

/* ---- keywords ---------------------------------------------------------------------------------------------------- */

typedef struct keyword {
    vv_word name;                                       /* without its star */
    vv_word type, nset, elset, instance, input, system; /* text NULL: not given */
    bool generate;
} keyword;

/* The value behind the = of NAME=VALUE. */
static vv_word value_of(vv_word field, int *name_length)
{
    const char *equals = memchr(field.text, '=', (size_t)field.length);
    vv_word value = { field.text + field.length, 0 };
    *name_length = field.length;
    if (!equals)
        return value;
    *name_length = (int)(equals - field.text);
    while (*name_length > 0 && vv_inp_is_blank(field.text[*name_length - 1]))
        --*name_length;
    value = (vv_word){ equals + 1, (int)(field.text + field.length - equals - 1) };
    while (value.length > 0 && vv_inp_is_blank(*value.text))
        value.text++, value.length--;
    return value;
}

/* A keyword's line, and those that go on with it. */
static void read_keyword(vv_source *s, keyword *key)
{
    vv_word field;
    bool comma = false;
    *key = (keyword){ 0 };
    vv_text_skip_blank(s);
    s->p++;
    if (vv_inp_field(s, &key->name, &comma))
        while (comma) {
            if (vv_inp_line_ends(s)) {
                vv_text_skip_line(s);
                if (!vv_inp_data(s))
                    break;
            }
            if (!vv_inp_field(s, &field, &comma))
                break;
            int length;
            const vv_word value = value_of(field, &length), name = { field.text, length };
            struct {
                const char *name;
                vv_word *to;
            } known[] = { { "TYPE", &key->type },         { "NSET", &key->nset },   { "ELSET", &key->elset },
                          { "INSTANCE", &key->instance }, { "INPUT", &key->input }, { "SYSTEM", &key->system } };
            for (size_t i = 0; i < sizeof known / sizeof *known; i++)
                if (vv_inp_is(name, known[i].name))
                    *known[i].to = value;
            key->generate = key->generate || vv_inp_is(name, "GENERATE");
        }
    vv_text_skip_line(s);
}

static vvStatus refuse_keyword(vv_inp *o, const keyword *key, int at)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (vv_inp_is(key->name, refused[i].name)) {
            vv_source_go(o->source, at);
            return vv_source_fail(o->source, "*%s %s", refused[i].name, refused[i].why);
        }
    return VV_OK;
}

/* Parts number their nodes anew, so there may be one, at its own place. */
static vvStatus open_part(vv_inp *o, bool instance)
{
    if (instance && vv_inp_data(o->source))
        return vv_source_fail(o->source, "an instance of a part is moved; export the mesh where it is");
    if (instance && o->instances++ > 0)
        return vv_source_fail(o->source, "a second instance; export a file of one part, or a flat one, without parts");
    o->in_part = true;
    return VV_OK;
}

/* Before the first nodes of a part. */
static vvStatus begin_nodes(vv_inp *o)
{
    if (o->in_part && o->parts++ > 0)
        return vv_source_fail(o->source,
                              "a second part with nodes of its own, which number from 1 again; export a file "
                              "of one part, or a flat one, without parts");
    return VV_OK;
}

static vvStatus read_block(vv_inp *o, const keyword *key, bool *part_has_nodes)
{
    const bool outside = o->in_assembly && !o->in_part; /* its nodes are reference points, numbered from 1 again */
    if (vv_inp_is(key->name, "NODE") && !outside) {
        if (key->input.text || (key->system.text && !vv_inp_is(key->system, "R")))
            return vv_source_fail(o->source, "*NODE with %s; write the nodes into the file, in x, y and z",
                                  key->input.text ? "INPUT" : "SYSTEM");
        vvStatus status = *part_has_nodes ? VV_OK : begin_nodes(o);
        *part_has_nodes = true;
        return status != VV_OK ? status : read_nodes(o, key->nset);
    }
    if (vv_inp_is(key->name, "ELEMENT") && !outside) {
        if (key->input.text)
            return vv_source_fail(o->source, "*ELEMENT with INPUT; write the elements into the file");
        return read_elements(o, key->type, key->elset);
    }
    if (vv_inp_is(key->name, "NSET") && key->nset.text && (!outside || key->instance.text))
        return vv_inp_read_set(o, key->nset, false, key->generate);
    if (vv_inp_is(key->name, "ELSET") && key->elset.text && (!outside || key->instance.text))
        return vv_inp_read_set(o, key->elset, true, key->generate);
    return VV_OK;
}

static vvStatus read_blocks(vv_inp *o)
{
    vv_source *s = o->source;
    bool part_has_nodes = false;
    vvStatus status = VV_OK;
    while (status == VV_OK && !o->builder->failed) {
        keyword key;
        while (vv_inp_data(s))
            vv_text_skip_line(s);
        vv_source ahead = *s;
        vv_word first;
        if (!vv_text_word(&ahead, &first) || first.text[0] == 0x1a)
            return VV_OK;
        const int at = s->line;
        read_keyword(s, &key);
        status = refuse_keyword(o, &key, at);
        const bool part = vv_inp_is(key.name, "PART"), instance = vv_inp_is(key.name, "INSTANCE");
        if (status != VV_OK)
            return status;
        if (part || instance) {
            part_has_nodes = false;
            status = open_part(o, instance);
        } else if (vv_inp_is(key.name, "END PART") || vv_inp_is(key.name, "END INSTANCE"))
            o->in_part = false;
        else if (vv_inp_is(key.name, "ASSEMBLY") || vv_inp_is(key.name, "END ASSEMBLY"))
            o->in_assembly = vv_inp_is(key.name, "ASSEMBLY");
        else
            status = read_block(o, &key, &part_has_nodes);
    }
    return status;
}

static vvStatus read_inp(vv_source *source, vv_builder *builder)
{
    vv_inp o = { .source = source, .builder = builder };
    vvStatus status = read_blocks(&o);
    if (status == VV_OK && !builder->failed && o.nodes.count == 0)
        status = vv_source_fail(source, "the file ends without nodes (*NODE)");
    if (status == VV_OK && !builder->failed)
        status = vv_inp_resolve(&o);
    vv_list *lists[] = { &o.nodes, &o.elements, &o.sets, &o.rows };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        vv_list_free(lists[i]);
    return status;
}

/* A star first, and a line that begins with *NODE or *HEADING somewhere. */
static vv_match match_inp(const char *data, size_t size)
{
    const char *end = data + size, *p = data;
    while (p < end && (vv_inp_is_blank(*p) || *p == '\n'))
        p++;
    if (end - p < 2 || *p != '*' || !(p[1] == '*' || vv_is_letter(p[1])))
        return VV_MATCH_NO;
    for (; p && p < end; p = memchr(p, '\n', (size_t)(end - p)), p += p != NULL)
        if (end - p > 5 && (vv_same_letters(p, "*NODE", 5) || (end - p > 8 && vv_same_letters(p, "*HEADING", 8))))
            return VV_MATCH_YES;
    return VV_MATCH_FAMILY;
}

extern const vv_format vv_format_inp;
const vv_format vv_format_inp = { { "inp", "Abaqus and CalculiX input: C3D4 and C3D10, triangles, lines, sets" },
                                  ".inp",
                                  match_inp,
                                  read_inp,
                                  vv_inp_write };
