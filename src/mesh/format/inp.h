/* Abaqus input files: what the reader's files share. inp.c reads lines and keeps what they say by their numbers;
 * inp_resolve.c makes vertices' indices of the numbers, and groups of the sets. */
#ifndef VV_MESH_FORMAT_INP_H
#define VV_MESH_FORMAT_INP_H

#include "mesh/builder.h"
#include "mesh/format/source.h"

enum { VV_INP_NODES = 10, VV_INP_SLOTS = 2 * VV_MOST_GROUPS + 1 };

typedef struct vv_inp_node {
    int64_t id;
    int at; /* line */
} vv_inp_node;

typedef struct vv_inp_element {
    int64_t id, v[VV_INP_NODES];
    int corners, nodes; /* of a line, a triangle or a tet: 2, 3 or 4; with its middles */
    int at;
} vv_inp_element;

typedef struct vv_inp_set {
    char name[128];
    bool elements;
    int first_row, last_row; /* -1: none */
} vv_inp_set;

/* Members first, first + step, ... last; or those of another set. */
typedef struct vv_inp_row {
    int other, next; /* -1: none; the set's next row */
    int64_t first, last, step;
    int at;
} vv_inp_row;

typedef struct vv_inp {
    vv_source *source;
    vv_builder *builder;
    vv_list nodes, elements, sets, rows; /* of the types above; nodes as the builder's vertices */
    int parts;                           /* parts and instances with nodes of their own */
    int instances;
    bool in_part, in_assembly;
    int slots[VV_INP_SLOTS]; /* a table of sets by name: number + 1 */
} vv_inp;

/* ---- words and sets (inp_words.c) ---- */

bool vv_inp_is_blank(char c);
/* The next field of the line, without blanks around it; false at the line's end. *comma: another one follows it. */
bool vv_inp_field(vv_source *s, vv_word *field, bool *comma);
/* Nothing but blanks is left of the line. */
bool vv_inp_line_ends(const vv_source *s);
/* Whether it is this word; capitals do not matter. */
bool vv_inp_is(vv_word word, const char *text);
/* Whether a line of data begins here. Moves past comments and empty lines; false at a keyword or the end. */
bool vv_inp_data(vv_source *s);
vvStatus vv_inp_refuse(vv_source *s, vv_word field, const char *what);
/* A field that is a number above 0; *comma as of vv_inp_field. */
vvStatus vv_inp_id(vv_source *s, const char *what, int64_t *id, bool *comma);
vvStatus vv_inp_memory(const vv_inp *o);
/* The set of that name, made if need be. */
vvStatus vv_inp_find_set(vv_inp *o, vv_word name, bool elements, bool make, int *set);
vvStatus vv_inp_add_row(vv_inp *o, int set, int other, int64_t first, int64_t last, int64_t step);
/* *NSET, *ELSET. */
vvStatus vv_inp_read_set(vv_inp *o, vv_word name, bool elements, bool generate);

/* ---- the whole file ---- */

vvStatus vv_inp_write(const vvMesh *mesh, vv_output *o, vvError *error);
/* Elements and groups to the builder. */
vvStatus vv_inp_resolve(vv_inp *o);

#endif
