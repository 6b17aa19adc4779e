/* Text in the form that other formats accept: identifiers, and quoted strings. */
#ifndef VV_RECORD_EXPORT_LABELS_H
#define VV_RECORD_EXPORT_LABELS_H

#include <stdio.h>

#include "visviva/base.h"

enum { VV_LABEL_ROOM = 160 };

/* Identifiers of letters, digits and underscores (ASCII, no digit first), all different: for file names and USD's prim
 * names. */
typedef struct vv_labels {
    int count;
    char (*id)[VV_LABEL_ROOM];
} vv_labels;
vvStatus vv_labels_make(vv_labels *ids, int room, vvError *error);
/* Adds the identifier closest to `name`; `fallback` if nothing of the name is left. */
const char *vv_labels_add(vv_labels *ids, const char *name, const char *fallback);
void vv_labels_free(vv_labels *ids);
/* A single identifier. */
void vv_label(char out[VV_LABEL_ROOM], const char *name, const char *fallback);

/* "name" in double quotes, for Python and USD; invalid UTF-8 becomes '?'. */
void vv_put_quoted(FILE *f, const char *text);
/* The text as valid UTF-8, in new memory: each invalid byte becomes U+FFFD. NULL: out of memory. */
char *vv_utf8(const char *text);

#endif
