/* A mesh file in memory with a cursor. Text is read word by word within a line, so that a message can name the line;
 * binary data as integers and doubles of either byte order. Both ask now and then whether the host wants the call to
 * end: then the file ends there, and vvMeshRead, which asks again, says VV_CANCELLED. */
#ifndef VV_MESH_FORMAT_SOURCE_H
#define VV_MESH_FORMAT_SOURCE_H

#include "mesh/mesh.h"

struct vv_source {
    const char *path;
    char shown[128]; /* the path, shortened at the left if it is long */
    char *data;
    size_t size;
    const char *p, *end;  /* cursor */
    const char *next_ask; /* where the host is asked next */
    int line;             /* of the cursor, from 1 */
    bool binary, swapped; /* messages give bytes; numbers have the other byte order */
    vvError *error;
};

/* Reads the whole file; regular files of at most 2 GiB only. */
vvStatus vv_source_open(vv_source *source, const char *path, vvError *error);
void vv_source_close(vv_source *source);
/* vv_fail_memory, with the file's name before it. */
vvStatus vv_source_short(const vv_source *source, const char *what);
/* Fails with wrong input: "file:line: ..." or "file: byte n: ...". */
vvStatus vv_source_fail(vv_source *source, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Line or byte of the cursor. */
int vv_source_at(const vv_source *source);
/* Makes vv_source_fail name this line or byte; the cursor is lost. */
void vv_source_go(vv_source *source, int at);

typedef struct vv_word {
    const char *text;
    int length;
} vv_word;
/* Printable text: quoted, shortened, with unprintable bytes as \xNN. */
enum { VV_QUOTED_LENGTH = 160 };
const char *vv_quote(char out[VV_QUOTED_LENGTH], vv_word word);
/* Where in a word a comment begins, NULL: nowhere. The # of "-1.#IND", Microsoft's spelling of nan, begins none. */
const char *vv_word_comment(vv_word word);
/* The next word of the line that is no comment; false: there is none. */
bool vv_row_word(vv_source *s, vv_word *word);
/* Moves to the beginning of the next line with such a word; false at the end of the file, of which DOS may have left a
 * mark (0x1a). */
bool vv_row_next(vv_source *s);
bool vv_word_is(vv_word word, const char *text);

/* The next word of the line; false at its end (or at the end of the file). */
bool vv_text_word(vv_source *source, vv_word *word);
/* The same, or "... ends where WHAT is needed". */
vvStatus vv_text_need(vv_source *source, const char *what, vv_word *word);
/* Skips spaces and line ends. */
void vv_text_skip_blank(vv_source *source);
/* Skips past the end of the line, whatever is left of it. */
void vv_text_skip_line(vv_source *source);
/* The whole word as a number; Fortran's exponents (1.5D-03) are accepted. */
bool vv_word_double(vv_word word, double *value);
bool vv_word_int(vv_word word, int64_t *value);
/* The next word of the line as a number; `what` is for the message: "the y coordinate". */
vvStatus vv_text_int(vv_source *source, const char *what, int64_t *value);
vvStatus vv_text_double(vv_source *source, const char *what, double *value);
/* Fails if anything is left on the line; moves past its end. */
vvStatus vv_text_end_line(vv_source *source);

/* Binary values. */
vvStatus vv_binary_int(vv_source *source, const char *what, int32_t *value);
vvStatus vv_binary_size(vv_source *source, const char *what, int64_t *value); /* 8 bytes, at most 2^63 - 1 */
vvStatus vv_binary_float(vv_source *source, const char *what, double *value); /* 4 bytes */
vvStatus vv_binary_double(vv_source *source, const char *what, double *value);

#endif
