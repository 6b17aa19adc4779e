/* TetGen's .node files with .ele (tets), .face (triangles) or .edge files beside them (TetGen manual, "File Formats").
 *
 *   .node  count dimension attributes markers, then: number x y z attributes marker
 *   .ele   count corners attributes, then: number, vertex numbers, attributes
 *   .face, .edge  count markers, then: number, vertex numbers, marker
 * Blank lines and what follows a # do not count. Nodes are numbered from 0 or 1, as the first node's number shows.
 * Any of the files may be named: an .ele, .face or .edge file needs its .node file, a .node file takes the first of the
 * others that exists. */
#include "base/memory.h"
#include "base/text/text.h"
#include "mesh/builder.h"
#include "mesh/format/source.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { NODE, ELE, FACE, EDGE, KINDS, MOST_HEADER = 4 };

static const struct kind {
    const char *ending, *name;
    int corners;
} kinds[KINDS] = {
    { ".node", "nodes", 0 }, { ".ele", "tets", 4 }, { ".face", "triangles", 3 }, { ".edge", "edges", 2 }
};

typedef struct tetgen {
    vv_builder *builder;
    int64_t first, count; /* number of the first node, number of nodes */
} tetgen;

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The next word of the row; false at its end or at a comment. */
static vvStatus row_fail(vv_source *s, const vv_word *found, const char *what)
{
    char quoted[VV_QUOTED_LENGTH];
    if (!found)
        return vv_source_fail(s, "the line ends where %s is needed", what);
    return vv_source_fail(s, "found %s where %s is needed", vv_quote(quoted, *found), what);
}

static vvStatus row_int(vv_source *s, const char *what, int64_t *value)
{
    vv_word word;
    if (!vv_row_word(s, &word))
        return row_fail(s, NULL, what);
    return vv_word_int(word, value) ? VV_OK : row_fail(s, &word, what);
}

static vvStatus row_double(vv_source *s, const char *what, double *value)
{
    vv_word word;
    if (!vv_row_word(s, &word))
        return row_fail(s, NULL, what);
    return vv_word_double(word, value) && fabs(*value) <= VV_COORDINATE_LIMIT ? VV_OK : row_fail(s, &word, what);
}

/* Moves past a row's end, after the attributes and markers that the first row announces, the last of which is *last;
 * `more` numbers may follow them. None may be missing: if a vertex number were, an attribute would be taken for it. */
static vvStatus end_row(vv_source *s, int64_t announced, int64_t more, double *last)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    double value;
    int64_t found = 0;
    for (; vv_row_word(s, &word); found++) {
        if (found == announced + more)
            return vv_source_fail(
                s, "found %s where the line should end; the first line announces %" PRId64 " attributes and markers",
                vv_quote(quoted, word), announced);
        if (!vv_word_double(word, &value))
            return row_fail(s, &word, "an attribute or a marker, a number,");
        if (found == announced - 1)
            *last = value;
    }
    if (found < announced)
        return vv_source_fail(s,
                              "the line ends after %" PRId64 " of the %" PRId64
                              " attributes and markers that the first line announces",
                              found, announced);
    vv_text_skip_line(s);
    return VV_OK;
}

/* The first row: the count, which the rest of the file must be able to hold, and up to three more numbers, which keep
 * their values if missing. */
static vvStatus read_header(vv_source *s, int kind, const char *const names[], int64_t values[], int most)
{
    if (!vv_row_next(s))
        return vv_source_fail(s, "the file ends where the number of %s is needed", kinds[kind].name);
    vvStatus status = row_int(s, names[0], &values[0]);
    for (int i = 1; i < most && status == VV_OK; i++) {
        vv_source ahead = *s;
        vv_word word;
        if (!vv_row_word(&ahead, &word))
            break;
        status = row_int(s, names[i], &values[i]);
        if (status == VV_OK && (values[i] < 0 || values[i] > 1000000))
            status = vv_source_fail(s, "found %" PRId64 " as %s", values[i], names[i]);
    }
    if (status != VV_OK)
        return status;
    int64_t room = s->end - s->p, least = kind == NODE ? 8 : 2 * (kinds[kind].corners + 1);
    if (values[0] < 1)
        return vv_source_fail(s, "the number of %s is %" PRId64 "; 1 or more are needed", kinds[kind].name, values[0]);
    if (values[0] > room / least + 1 || values[0] > VV_MESH_LIMIT)
        return vv_source_fail(s, "the number of %s is %" PRId64 ", but only %" PRId64 " bytes of the file are left",
                              kinds[kind].name, values[0], room);
    return VV_OK;
}

static vvStatus end_header(vv_source *s)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    if (vv_row_word(s, &word))
        return vv_source_fail(s, "found %s where the line should end", vv_quote(quoted, word));
    vv_text_skip_line(s);
    return VV_OK;
}

static vvStatus refuse_missing_row(vv_source *s, int kind, int64_t got, int64_t count)
{
    return vv_source_fail(s, "the file ends after %" PRId64 " of the %" PRId64 " %s that its first line counts", got,
                          count, kinds[kind].name);
}

static vvStatus refuse_more_rows(vv_source *s, int kind, int64_t count)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    if (!vv_row_next(s) || !vv_row_word(s, &word))
        return VV_OK;
    return vv_source_fail(s, "found %s after the %" PRId64 " %s that the first line counts", vv_quote(quoted, word),
                          count, kinds[kind].name);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static vvStatus read_node(tetgen *t, vv_source *s, int64_t index, int64_t extra)
{
    int64_t number;
    double x[3], last;
    int at = s->line;
    vvStatus status = row_int(s, "a node's number", &number);
    if (status != VV_OK)
        return status;
    if (index == 0 && (number == 0 || number == 1))
        t->first = number;
    if (index == 0 && number != t->first)
        return vv_source_fail(s, "the first node has number %" PRId64 "; nodes are numbered from 0 or from 1", number);
    if (number != t->first + index)
        return vv_source_fail(s,
                              "node number %" PRId64 " stands where %" PRId64 " is needed; nodes are numbered one "
                              "after the other",
                              number, t->first + index);
    status = row_double(s, "the x coordinate, a finite number,", &x[0]);
    if (status == VV_OK)
        status = row_double(s, "the y coordinate, a finite number,", &x[1]);
    if (status == VV_OK)
        status = row_double(s, "the z coordinate, a finite number,", &x[2]);
    if (status == VV_OK)
        status = end_row(s, extra, 0, &last);
    if (status == VV_OK)
        vv_builder_vertex(t->builder, x, at);
    return status;
}

static vvStatus read_nodes(tetgen *t, vv_source *s)
{
    static const char *const names[MOST_HEADER] = { "the number of nodes", "the dimension", "the number of attributes",
                                                    "the number of boundary markers" };
    int64_t head[MOST_HEADER] = { 0, 3, 0, 0 };
    vvStatus status = read_header(s, NODE, names, head, MOST_HEADER);
    if (status == VV_OK && head[1] == 2)
        return vv_source_fail(s, "nodes of dimension 2: flat meshes, such as Triangle's, are not read; 3 is needed");
    if (status == VV_OK && head[1] != 3)
        return vv_source_fail(s, "nodes of dimension %" PRId64 "; 3 is needed", head[1]);
    if (status == VV_OK)
        status = end_header(s);
    t->count = head[0];
    for (int64_t i = 0; i < t->count && status == VV_OK && !t->builder->failed; i++)
        status = vv_row_next(s) ? read_node(t, s, i, head[2] + head[3]) : refuse_missing_row(s, NODE, i, t->count);
    return status != VV_OK || t->builder->failed ? status : refuse_more_rows(s, NODE, t->count);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Regions are numbered by the last attribute, which TetGen's -A adds. */
static void add_region(vv_builder *b, double attribute, const int *corners)
{
    if (fabs(attribute) < 9e15 && attribute == trunc(attribute))
        vv_builder_region(b, (int64_t)attribute, corners);
    else
        vv_builder_forget_regions(b);
}

/* Corners come first, `middles` of edges behind them. */
static vvStatus read_element(tetgen *t, vv_source *s, int kind, int middles, int64_t extra)
{
    int64_t number, node;
    double last = 0;
    int v[10], at = s->line;
    const bool whole = middles > 0 && t->builder->order2;
    const int read = kinds[kind].corners + (whole ? middles : 0);
    vvStatus status = row_int(s, "an element's number", &number);
    for (int k = 0; k < read && status == VV_OK; k++) {
        status = row_int(s, "a node number", &node);
        if (status == VV_OK && (node < t->first || node >= t->first + t->count))
            status = vv_source_fail(
                s, "element %" PRId64 " refers to node %" PRId64 "; the nodes are numbered %" PRId64 " to %" PRId64,
                number, node, t->first, t->first + t->count - 1);
        if (status == VV_OK)
            v[k] = (int)(node - t->first);
    }
    if (status == VV_OK)
        status = end_row(s, (whole ? 0 : middles) + extra, kind == FACE && extra ? 2 : 0, /* -nn: the two tets at it */
                         &last);
    if (status != VV_OK)
        return status;
    if (kind == ELE && extra)
        add_region(t->builder, last, v);
    t->builder->straightened += middles > 0 && !whole;
    t->builder->by_place = whole;
    switch (kind) {
    case ELE: whole ? vv_builder_tet10(t->builder, v, at) : vv_builder_tet(t->builder, v, at); break;
    case FACE: vv_builder_triangle(t->builder, v, at); break;
    case EDGE: vv_builder_edge(t->builder, v, at); break;
    }
    return VV_OK;
}

static vvStatus check_corners(vv_source *s, int64_t corners)
{
    switch (corners) {
    case 4:
    case 10: return VV_OK;
    case 3:
    case 6:
        return vv_source_fail(s,
                              "elements of %" PRId64
                              " nodes, as Triangle's flat meshes have them, are not read; tets of "
                              "4 nodes are",
                              corners);
    }
    return vv_source_fail(s, "elements of %" PRId64 " nodes; tets of 4 nodes are read", corners);
}

static vvStatus read_elements(tetgen *t, vv_source *s, int kind)
{
    static const char *const tet_names[] = { "the number of tets", "the number of nodes of a tet",
                                             "the number of attributes" };
    static const char *const other_names[] = { "the number of elements", "the number of boundary markers" };
    int64_t head[MOST_HEADER] = { 0, kind == ELE ? 4 : 0, 0 };
    vvStatus status = read_header(s, kind, kind == ELE ? tet_names : other_names, head, kind == ELE ? 3 : 2);
    if (status == VV_OK && kind == ELE)
        status = check_corners(s, head[1]);
    if (status == VV_OK)
        status = end_header(s);
    if (status != VV_OK)
        return status;
    const int64_t extra = kind == ELE ? head[2] : head[1];
    const int middles = kind == ELE ? (int)head[1] - 4 : 0;
    for (int64_t i = 0; i < head[0] && status == VV_OK && !t->builder->failed; i++)
        status = vv_row_next(s) ? read_element(t, s, kind, middles, extra) : refuse_missing_row(s, kind, i, head[0]);
    return status != VV_OK || t->builder->failed ? status : refuse_more_rows(s, kind, head[0]);
}

/* ---- both files -------------------------------------------------------------------------------------------------- */

static int kind_of(const char *path)
{
    int kind = 0;
    while (kind < KINDS && !vv_has_ending(path, kinds[kind].ending, strlen(kinds[kind].ending)))
        kind++;
    return kind;
}

/* The path with another ending, in capitals if the old one is. NULL when out of memory. */
static char *partner_path(const char *path, int kind)
{
    const char *dot = strrchr(path, '.'), *ending = kinds[kind].ending;
    size_t stem = (size_t)(dot - path), length = strlen(ending);
    bool capitals = vv_small_letter(dot[1]) != dot[1];
    char *made = vv_alloc(stem + length + 1, 1);
    if (!made)
        return NULL;
    memcpy(made, path, stem);
    for (size_t i = 0; i < length; i++)
        made[stem + i] = (char)(capitals && vv_is_letter(ending[i]) ? ending[i] - 'a' + 'A' : ending[i]);
    return made;
}

/* Opens the nodes of an element file, or the first existing element file of a node file; *kind: which. */
static vvStatus open_partner(vv_source *s, int *kind, vv_source *partner)
{
    bool nodes = *kind == NODE;
    for (int k = nodes ? ELE : NODE; k < (nodes ? KINDS : NODE + 1); k++) {
        char *path = partner_path(s->path, k);
        if (!path)
            return vv_fail_memory(s->error, "a file's name");
        vvStatus status = VV_OK;
        bool found = !nodes || access(path, F_OK) == 0;
        if (found)
            status = vv_source_open(partner, path, s->error);
        partner->path = NULL;
        vv_free(path);
        if (status != VV_OK)
            vv_fail_prefix(s->error, "%s: its %s are in another file: ", s->shown, nodes ? "elements" : "nodes");
        if (found) {
            *kind = nodes ? k : *kind;
            return status;
        }
    }
    return vv_source_fail(s, "a .node file holds points only; an .ele (tets), .face (triangles) or .edge file of the "
                             "same name must lie beside it, and there is none");
}

static vvStatus read_tetgen(vv_source *source, vv_builder *builder)
{
    tetgen t = { .builder = builder };
    vv_source partner = { 0 };
    int named = kind_of(source->path), kind = named;
    if (named == KINDS)
        return vv_source_fail(source, "the file's ending is none of TetGen's: .node, .ele, .face, .edge");
    vvStatus status = open_partner(source, &kind, &partner);
    if (status != VV_OK)
        return status;
    vv_source *nodes = named == NODE ? source : &partner, *elements = named == NODE ? &partner : source;
    status = read_nodes(&t, nodes);
    if (status == VV_OK && !builder->failed)
        status = read_elements(&t, elements, kind);
    vv_builder_end_regions(builder);
    /* line numbers in messages are those of the element file */
    memmove(source->shown, elements->shown, sizeof source->shown);
    vv_source_close(&partner);
    return status;
}

static vv_match match_nothing(const char *data, size_t size)
{
    (void)data;
    (void)size;
    return VV_MATCH_NO; /* only numbers: the ending decides */
}

extern const vv_format vv_format_tetgen;
const vv_format vv_format_tetgen = {
    { "tetgen", "TetGen: .node with .ele, .face or .edge beside it (only read)" },
    ".node .ele .face .edge",
    match_nothing,
    read_tetgen,
    NULL,
};
